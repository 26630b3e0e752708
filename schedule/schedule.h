/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule primitives on the tensor IR: each changes how a function of blocks
 * runs, not what it computes, and says under which conditions that holds.
 *
 * A `struct schedule` is one function on its way through such steps. Nothing is
 * changed in place: a step builds the statements on the path from the root to
 * the place it changes and shares the rest with what was there before, so a
 * refused step leaves nothing behind, and going back to an earlier point costs
 * nothing (schedule_mark).
 *
 * Blocks and loops are named by references, small numbers that outlive every
 * step but the one that removes what they name.
 *
 * Sources: the primitives follow TVM 0.27, src/s_tir/schedule/primitive/; the
 * README says where and why conditions here are stricter.
 */
#ifndef DC_SCHEDULE_SCHEDULE_H
#define DC_SCHEDULE_SCHEDULE_H

#include "ir/ir.h"

struct schedule;

/* A block or a loop; 0 names nothing. */
typedef uint32_t schedule_ref;

/* Why a step was refused. */
enum schedule_refusal {
    SCHEDULE_DONE,        /* it was not */
    SCHEDULE_ILLEGAL,     /* it might change what the function computes */
    SCHEDULE_BAD_REQUEST, /* no such block or loop, wrong kind of argument */
    SCHEDULE_UNSUPPORTED  /* a form that is not handled here */
};

/* The PrimFunc `name` of a well-formed module (NULL: the only one). Its body
 * must be a block that binds nothing, as every schedulable function's is. The
 * module is borrowed and must outlive the schedule and what comes from it.
 * NULL with a diagnostic `ir.schedule` otherwise. The caller frees it. */
DC_MUST_USE struct schedule *schedule_new(const struct ir_module *module,
                                          const char *name,
                                          struct diag_sink *sink);
void schedule_free(struct schedule *s); /* NULL is fine */

/* The module with the function as it stands. It shares nodes with the original
 * module and with the schedule; valid until the next step. */
const struct ir_module *schedule_module(const struct schedule *s);

/* How many nodes the lines of schedule_run_line may go through together: each
 * counts as all of the function. What is beyond is unsupported; 2e8 at first,
 * some ten seconds. */
void schedule_set_limit(struct schedule *s, uint64_t work);

/* In unchecked mode a step is done even where a condition of legality fails,
 * as long as there is anything to do: for wrong programs made on purpose.
 * schedule_violation then tells what failed, NULL if nothing. */
void schedule_set_unchecked(struct schedule *s, bool unchecked);
const char *schedule_violation(const struct schedule *s);

/* Of the last step: why it was refused, and the condition in words ("" when
 * done); valid until the next step. */
enum schedule_refusal schedule_why(const struct schedule *s);
const char *schedule_message(const struct schedule *s);

/* Of the last step, if it was done: what TVM 0.27 makes of it where that is known
 * to be wrong ("loses the guard of block 'C'"); NULL where nothing is. */
const char *schedule_tvm_fault(const struct schedule *s);

/* A point to go back to; steps made since are forgotten, references made since
 * are invalid. */
struct schedule_point {
    struct ir_stmt *body;
    struct ir_param *params;
    uint32_t nrefs;
    const void *names;
};
struct schedule_point schedule_mark(const struct schedule *s);
void schedule_return(struct schedule *s, struct schedule_point point);

/* ---- looking around ------------------------------------------------------ */

/* The block of that name; 0 with a message where there is none, or several. */
schedule_ref schedule_block(struct schedule *s, const char *name);
/* Loops around a block within its scope, outermost first. Returns how many
 * there are; at most `room` are written. */
size_t schedule_loops(struct schedule *s, schedule_ref block, size_t room,
                      schedule_ref *loops);
/* Blocks directly in a block, or below a loop, in the order of the text; those
 * of a block's scope that write what it reads or writes, in front of it; those
 * behind it that read or write what it writes; those below a block that write
 * what the block around them does not make. By what blocks declare, as in TVM.
 * As schedule_loops otherwise. */
size_t schedule_child_blocks(struct schedule *s, schedule_ref ref, size_t room,
                             schedule_ref *blocks);
size_t schedule_producers(struct schedule *s, schedule_ref block, size_t room,
                          schedule_ref *blocks);
size_t schedule_consumers(struct schedule *s, schedule_ref block, size_t room,
                          schedule_ref *blocks);
size_t schedule_output_blocks(struct schedule *s, schedule_ref scope,
                              size_t room, schedule_ref *blocks);
/* All blocks but the root, in the order of the text. */
size_t schedule_blocks(struct schedule *s, size_t room, schedule_ref *blocks);
/* The statement that a reference names now, or NULL. */
const struct ir_stmt *schedule_stmt(struct schedule *s, schedule_ref ref);
/* Whether a block takes the points of its reduction in ascending order for
 * each element, one after the other: as loops over its iterators as they
 * stand would. Found by running through its loops, with `size` for sizes that
 * are not constant; false where that is too much. */
bool schedule_keeps_terms(struct schedule *s, schedule_ref block, int64_t size);

/* ---- one call per primitive ---------------------------------------------- *
 * All return false when refused, with schedule_why and schedule_message.     */

#define SCHEDULE_MAX_LOOPS 32u

/* Splits a loop into n nested ones of the given extents, outermost first; one
 * may be 0: whatever is needed. Blocks are guarded where the factors do not
 * divide the extent. out: n references. */
DC_MUST_USE bool schedule_split(struct schedule *s, schedule_ref loop, size_t n,
                                const int64_t *factors, schedule_ref *out);
/* How bindings and guards are written: whether variables of loops of one
 * iteration stay in bindings; no guard, which then must not be needed. */
struct schedule_loop_options {
    bool drop_unit_iters, no_guard;
};
DC_MUST_USE bool schedule_split_as(struct schedule *s, schedule_ref loop,
                                   size_t n, const int64_t *factors,
                                   struct schedule_loop_options options,
                                   schedule_ref *out);
DC_MUST_USE bool schedule_fuse_as(struct schedule *s, size_t n,
                                  const schedule_ref *loops,
                                  struct schedule_loop_options options,
                                  schedule_ref *out);
/* n loops, each the only statement of the one before, become one. */
DC_MUST_USE bool schedule_fuse(struct schedule *s, size_t n,
                               const schedule_ref *loops, schedule_ref *out);
/* n loops of one chain take each other's places, so that they nest in the
 * order given; other loops of the chain stay. */
DC_MUST_USE bool schedule_reorder(struct schedule *s, size_t n,
                                  const schedule_ref *loops);
/* Iterations at the same time, as lanes, written out. */
DC_MUST_USE bool schedule_parallel(struct schedule *s, schedule_ref loop);
DC_MUST_USE bool schedule_vectorize(struct schedule *s, schedule_ref loop);
DC_MUST_USE bool schedule_unroll(struct schedule *s, schedule_ref loop);
/* Iterations as threads: "blockIdx.x", "threadIdx.y", "vthread.x", … */
DC_MUST_USE bool schedule_bind(struct schedule *s, schedule_ref loop,
                               const char *axis);
/* The init of a reduction as a block of its own before the loop, which is
 * around the block. out: the new block; the old reference names the update. */
DC_MUST_USE bool schedule_decompose_reduction(struct schedule *s,
                                              schedule_ref block,
                                              schedule_ref loop,
                                              schedule_ref *out);
/* A block that copies what is read through the block's read `index` (as it
 * declares them) into a new buffer, which readers in the scope then use: those
 * among n consumers, or all if n is 0. out: the new block. */
DC_MUST_USE bool schedule_cache_read(struct schedule *s, schedule_ref block,
                                     int64_t index, const char *storage,
                                     size_t n, const schedule_ref *consumers,
                                     schedule_ref *out);
/* The block writes a new buffer instead, from which a new block copies; n
 * consumers read the new buffer, too. */
DC_MUST_USE bool schedule_cache_write(struct schedule *s, schedule_ref block,
                                      int64_t index, const char *storage,
                                      size_t n, const schedule_ref *consumers,
                                      schedule_ref *out);
/* A new buffer in the place of one that the block reads, at that index, and
 * writes. out: the blocks that fill it and copy it back. */
DC_MUST_USE bool schedule_cache_inplace(struct schedule *s, schedule_ref block,
                                        int64_t index, const char *storage,
                                        schedule_ref *out);
/* Index arithmetic that the block does `threshold` times or more, in blocks of
 * their own. out: those, *n at most SCHEDULE_MAX_LOOPS. */
DC_MUST_USE bool schedule_cache_index(struct schedule *s, schedule_ref block,
                                      const char *storage, int64_t threshold,
                                      size_t *n, schedule_ref *out);
/* Readers compute what the block stores themselves; the block goes. */
DC_MUST_USE bool schedule_compute_inline(struct schedule *s,
                                         schedule_ref block);
/* The block that computes what this one reads goes on to do what this one
 * does; this one goes. */
DC_MUST_USE bool schedule_reverse_compute_inline(struct schedule *s,
                                                 schedule_ref block);
/* A sum that starts from what the block behind it adds, and stores where that
 * does; that block goes. */
DC_MUST_USE bool schedule_fuse_reduction_epilogue(struct schedule *s,
                                                  schedule_ref sum,
                                                  schedule_ref epilogue);
/* The block below a loop that its readers (reverse: its producers) are below
 * of, computing what one iteration needs (gave). keep_units: with loops of one
 * iteration, too. index: of the loop's statements, in front of which it goes;
 * -1: the last place where it may stand, -2: the first. */
DC_MUST_USE bool schedule_compute_at(struct schedule *s, schedule_ref block,
                                     schedule_ref loop, bool keep_units,
                                     int64_t index);
DC_MUST_USE bool schedule_reverse_compute_at(struct schedule *s,
                                             schedule_ref block,
                                             schedule_ref loop, bool keep_units,
                                             int64_t index);
/* A loop of a reduction becomes dimension `axis` of partial results (negative:
 * from the end), which the block then reduces. out: the block that computes
 * them. */
DC_MUST_USE bool schedule_rfactor(struct schedule *s, schedule_ref loop,
                                  int64_t axis, schedule_ref *out);
/* What a loop holds, one block in loops of its own, becomes a block; out: the
 * new one. Without preserve_unit_iters an iterator of one value gives way to
 * 0. The second form: blocks that follow each other become one. */
DC_MUST_USE bool schedule_blockize(struct schedule *s, schedule_ref loop,
                                   bool preserve_unit_iters, schedule_ref *out);
DC_MUST_USE bool schedule_blockize_blocks(struct schedule *s, size_t n,
                                          const schedule_ref *blocks,
                                          bool preserve_unit_iters,
                                          schedule_ref *out);
/* A block, or what a loop holds, is done by the tensor intrinsic of that name:
 * of a module given below, else one that is known. */
DC_MUST_USE bool schedule_tensorize(struct schedule *s, schedule_ref target,
                                    const char *intrinsic,
                                    bool preserve_unit_iters);
/* Functions NAME_desc and NAME_impl of the module are the description and the
 * implementation of an intrinsic NAME. That they do the same is taken for
 * granted. The module is borrowed and must outlive the schedule. */
void schedule_use_intrinsics(struct schedule *s,
                             const struct ir_module *module);
/* The intrinsics that are known: the number'th, NULL behind the last; and a
 * module of its NAME_desc and NAME_impl (NULL: none is called so), which the
 * caller frees. */
const char *schedule_intrinsic_name(size_t number);
struct ir_module *schedule_intrinsic(const char *name);
/* What one iteration of a loop reads through the block's read `index` (writes:
 * its write) is copied into a new buffer first, which the iteration then reads
 * (writes; copied back at its end). out: the block that copies. */
DC_MUST_USE bool schedule_read_at(struct schedule *s, schedule_ref loop,
                                  schedule_ref block, int64_t index,
                                  const char *storage, schedule_ref *out);
DC_MUST_USE bool schedule_write_at(struct schedule *s, schedule_ref loop,
                                   schedule_ref block, int64_t index,
                                   const char *storage, schedule_ref *out);
/* Whether a loop or block, as it stands, may have that annotation: those for
 * software pipelines, double buffers and local stages have conditions
 * (annotations.c), all others are fine. */
DC_MUST_USE bool schedule_check_annotation(struct schedule *s, schedule_ref ref,
                                           const char *key,
                                           const struct ir_value *value);
/* A block that fills a buffer in each iteration of the loop around it fills
 * the other half of one of twice the size for the next iteration. */
DC_MUST_USE bool schedule_double_buffer(struct schedule *s, schedule_ref block);

/* An annotation, unless there is one of that key. value: of the schedule's
 * module. unannotate: it must be there. */
DC_MUST_USE bool schedule_annotate(struct schedule *s, schedule_ref ref,
                                   const char *key, struct ir_value *value);
DC_MUST_USE bool schedule_unannotate(struct schedule *s, schedule_ref ref,
                                     const char *key);
/* The buffer that the block writes at that index: in another storage scope;
 * with rows of factor k + offset elements, as an annotation; of another type,
 * which rounds. */
DC_MUST_USE bool schedule_set_scope(struct schedule *s, schedule_ref block,
                                    int64_t index, const char *scope);
DC_MUST_USE bool schedule_storage_align(struct schedule *s, schedule_ref block,
                                        int64_t index, int64_t axis,
                                        int64_t factor, int64_t offset);
DC_MUST_USE bool schedule_unsafe_set_dtype(struct schedule *s,
                                           schedule_ref block, int64_t index,
                                           const char *dtype);
/* Where the axes of a buffer are cut into groups. */
DC_MUST_USE bool schedule_set_axis_separator(struct schedule *s,
                                             schedule_ref block, int64_t index,
                                             bool write, size_t n,
                                             const int64_t *separators);
/* A loop of one iteration around a loop or block. */
DC_MUST_USE bool schedule_add_unit_loop(struct schedule *s, schedule_ref ref,
                                        schedule_ref *out);
/* Nests of loops one behind the other, of which these are the innermost, take
 * turns in one; out: its innermost loop. */
DC_MUST_USE bool schedule_merge(struct schedule *s, size_t n,
                                const schedule_ref *loops, schedule_ref *out);
/* Loops one behind the other over parts of the range, of these lengths (0: what
 * is left); out: one a part, n, or n + 1 where none is left open. */
DC_MUST_USE bool schedule_loop_partition(struct schedule *s, schedule_ref loop,
                                         size_t n, const int64_t *lengths,
                                         schedule_ref *out);
/* The block lists its n iterators in another order. */
DC_MUST_USE bool schedule_reorder_block_iter_var(struct schedule *s,
                                                 schedule_ref block, size_t n,
                                                 const int64_t *order);

/* ---- by name ------------------------------------------------------------- */

/* How indices become others: `out` in terms of `vars`, all of the schedule's
 * module (schedule_module). */
struct schedule_index_map {
    size_t nvars, nout;
    struct ir_var *const *vars;
    struct ir_expr *const *out;
};

/* What the block declares to read or write of the buffer at that index is the
 * box from out[2 i] to before out[2 i + 1]; those at n indices are no longer
 * declared. */
DC_MUST_USE bool
schedule_annotate_buffer_access(struct schedule *s, schedule_ref block,
                                int64_t index, bool write,
                                const struct schedule_index_map *map);
DC_MUST_USE bool schedule_unsafe_hide_buffer_access(struct schedule *s,
                                                    schedule_ref block,
                                                    bool write, size_t n,
                                                    const int64_t *indices);

enum schedule_arg_kind {
    SCHEDULE_NONE,
    SCHEDULE_REF,
    SCHEDULE_INT,
    SCHEDULE_STRING,
    SCHEDULE_LIST,
    SCHEDULE_MAP,
    SCHEDULE_VALUE
};

struct schedule_arg {
    enum schedule_arg_kind kind;
    union {
        schedule_ref ref;
        int64_t integer;
        const char *string; /* borrowed, as all below */
        struct {
            size_t n;
            const struct schedule_arg *items;
        } list;
        const struct schedule_index_map *map;
        struct ir_value *value; /* of an annotation */
    } u;
};

struct schedule_primitive {
    const char *name;      /* as in TVM: "compute_at" */
    const char *arguments; /* for people: "loop, factor or None ...", in the
                              order of TVM's Python interface; those that have
                              a default there may be left out at the end */
    const char *source;    /* the TVM file whose behaviour it follows */
    /* One of these does it, as its arguments and results are; the outcome of
     * the last step is reset before apply, which sees to its arguments. */
    bool (*one)(struct schedule *s, schedule_ref ref);
    bool (*apply)(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out);
};
extern const struct schedule_primitive
    *const schedule_primitives[]; /* NULL-terminated, by name */
const struct schedule_primitive *schedule_primitive_find(const char *name);

/* out has room for SCHEDULE_MAX_LOOPS references; *nout tells how many. */
DC_MUST_USE bool schedule_apply(struct schedule *s, const char *name,
                                size_t nargs, const struct schedule_arg *args,
                                size_t *nout, schedule_ref *out);

/* ---- steps as text (trace.c) ---------------------------------------------- */

/* What the names in lines stand for. The caller frees it. */
struct schedule_names;
struct schedule_names *schedule_names_new(void);
void schedule_names_free(struct schedule_names *names); /* NULL is fine */
/* One line, `i0, i1 = split i None 4`; get_block "C" and get_loops b look
 * things up. False when refused, as the step itself would be. Where the count
 * of names is not that of results, the step is done and the answer false. */
DC_MUST_USE bool schedule_run_line(struct schedule *s,
                                   struct schedule_names *names,
                                   const char *line);

#endif
