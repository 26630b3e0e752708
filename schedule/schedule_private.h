/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of schedule/ share:
 *
 *   apply.c    looking around, primitives by name
 *   state.c    the state, references, paths, replacing, committing
 *   inline.c   what inlining both ways has in common
 *   invert.c   maps that can be turned round
 *   linear.c   index arithmetic: linear forms, bounds, simplification, proofs
 *   rewrite.c  substitution in expressions and statements
 *   buffers.c  annotations, buffers in place of others
 *   scope.c    blocks of a scope, what they read and write, their kinds
 *   reducer.c    which reduction a block is
 *   bindings.c   whether a block's bindings are a map of independent iterators
 *   domain.c   which points of its domain a block runs for
 *   copy.c     blocks that copy
 *   place.c    moving a block below a loop
 *   part.c     which part of a block's domain a box of a buffer is
 *   region.c   boxes that a block reads and writes
 *   accesses.c  of one buffer: which, and rewriting them
 *   layout.c   index maps over a box
 *   padding.c  filling the padding of a layout; making nests
 *   stage.c    copying what one block accesses, point by point
 *   reindexed.c  the same into a cache of any layout
 *   loop_kind.c  what a loop's iterations promise
 *   trace.c    steps as text
 *   annotations.c  what annotations for later passes ask for
 *   auto_copy.c  copies of boxes within a loop
 *   fills.c    whether all of a box is stored
 *   divide.c   a block's loops cut in two
 *   distinct.c  whether iterators tell stores apart
 *   match_intrinsic.c  whether a block is what an intrinsic describes
 *   clone.c    a function with variables of its own
 *   intrinsics/  tensor intrinsics
 */
#ifndef DC_SCHEDULE_SCHEDULE_PRIVATE_H
#define DC_SCHEDULE_SCHEDULE_PRIVATE_H

#include "schedule/schedule.h"

/* What a reference names: a loop by its variable; a block by the address of
 * its name, which each block of a schedule has a copy of its own of. */
struct sched_name {
    const struct ir_var *loop; /* NULL: a block */
    const char *block;
};

#define SCHED_MAX_WORK 200000000u

struct schedule {
    const struct ir_module *source; /* borrowed */
    struct ir_module *m;            /* what the schedule made; funcs as now */
    struct ir_func *func;           /* of m: the one that is scheduled */
    bool unchecked;
    uint64_t work, limit; /* of lines: nodes gone through, as a whole function
                             a line */
    enum schedule_refusal why;
    struct buf message, violation, fault;
    uint32_t nrefs;           /* names[1 … nrefs] are used */
    struct sched_name *names; /* arena of m; copied when it changes */
    size_t room;
    struct VEC(const struct ir_module *) intrinsics; /* borrowed */
};

/* ---- state.c --------------------------------------------------------------- */

/* Refuse a step. All return false. */
bool sched_illegal(struct schedule *s, const char *fmt, ...) DC_PRINTF(2, 3);
bool sched_bad(struct schedule *s, const char *fmt, ...) DC_PRINTF(2, 3);
bool sched_unsupported(struct schedule *s, const char *fmt, ...)
    DC_PRINTF(2, 3);
/* True when the condition holds. Else sched_illegal; in unchecked mode the
 * violation is noted and the answer is true. */
bool sched_require(struct schedule *s, bool holds, const char *fmt, ...)
    DC_PRINTF(3, 4);

/* Notes that TVM 0.27 goes wrong where this step does not, for those who look for
 * the cause in a module that TVM made. */
void sched_tvm_fault(struct schedule *s, const char *fmt, ...) DC_PRINTF(2, 3);

/* A statement and what is around it: nodes[0] is the body of the function,
 * nodes[n - 1] the statement. */
#define SCHED_MAX_PATH 64u
struct sched_path {
    size_t n;
    struct ir_stmt *nodes[SCHED_MAX_PATH];
};
DC_MUST_USE bool sched_find_loop(struct schedule *s, schedule_ref ref,
                                 struct sched_path *path);
DC_MUST_USE bool sched_find_block(struct schedule *s, schedule_ref ref,
                                  struct sched_path *path);
/* Either. */
DC_MUST_USE bool sched_find(struct schedule *s, schedule_ref ref,
                            struct sched_path *path);
/* To a given statement; false if it is not there. */
bool sched_find_stmt(struct schedule *s, const struct ir_stmt *stmt,
                     struct sched_path *path);
/* The same in another tree than the function's; by the address of a block's
 * name. */
bool sched_find_in(struct ir_stmt *root, const struct ir_stmt *stmt,
                   struct sched_path *path);
bool sched_find_named(struct ir_stmt *root, const char *name,
                      struct sched_path *path);
struct ir_stmt *sched_path_end(const struct sched_path *path);
/* Index in path->nodes of the innermost block above the end, the scope. */
size_t sched_path_scope(const struct sched_path *path);

schedule_ref sched_ref_loop(struct schedule *s, const struct ir_var *var);
schedule_ref sched_ref_block(struct schedule *s, const struct ir_block *block);
/* References to the block now name one with that other name. */
void sched_rename(struct schedule *s, const char *from, const char *to);

/* The path's end replaced: a new body. NULL for stmt removes it; loops, blocks
 * and conditions that hold nothing after that go too. */
struct ir_stmt *sched_replace(struct schedule *s, const struct sched_path *path,
                              struct ir_stmt *stmt);
/* The same for the node at index `at` of the path. */
struct ir_stmt *sched_replace_at(struct schedule *s,
                                 const struct sched_path *path, size_t at,
                                 struct ir_stmt *stmt);
/* The node at index `top` with the path's end, below it, replaced. */
struct ir_stmt *sched_replace_below(struct schedule *s,
                                    const struct sched_path *path, size_t top,
                                    struct ir_stmt *stmt);
/* Makes `body` the function's, if what results is well-formed. */
DC_MUST_USE bool sched_commit(struct schedule *s, struct ir_stmt *body);
/* The same with other buffers for the function's parameters. */
DC_MUST_USE bool sched_commit_params(struct schedule *s, struct ir_stmt *body,
                                     struct ir_param *params);

/* Copies with one thing changed. */
struct ir_stmt *sched_loop_make(struct schedule *s, struct ir_var *var,
                                struct ir_expr *extent, struct ir_stmt *body);
struct ir_stmt *sched_with_body(struct schedule *s, const struct ir_stmt *loop,
                                struct ir_stmt *body);
/* A sequence without sequences in it; one statement stands for itself. */
struct ir_stmt *sched_seq(struct schedule *s, struct ir_stmt *a,
                          struct ir_stmt *b);
struct ir_var *sched_var(struct schedule *s, struct dtype dtype,
                         const char *fmt, ...) DC_PRINTF(3, 4);
char *sched_text(struct schedule *s, const char *fmt, ...) DC_PRINTF(2, 3);

/* ---- apply.c --------------------------------------------------------------- */

/* Resets what is known of the last step: every public call starts with it. */
void sched_begin(struct schedule *s);
/* Argument `number` (from 1, for the message): true or false, or 1 or 0. */
DC_MUST_USE bool sched_arg_flag(struct schedule *s,
                                const struct schedule_arg *arg, size_t number,
                                bool *out);
/* Arguments by name: all references; or one a letter: r reference, i integer,
 * l list, m index map, s string. */
DC_MUST_USE bool sched_arg_refs(struct schedule *s, size_t nargs,
                                const struct schedule_arg *args,
                                schedule_ref *out);
DC_MUST_USE bool sched_arg_kinds(struct schedule *s, size_t nargs,
                                 const struct schedule_arg *args,
                                 const char *kinds);

/* The loops that the block's iterators of that type are bound to as they are, in
 * the order of the iterators; room for SCHEDULE_MAX_LOOPS. A bad request where
 * one is bound to anything else. */
size_t sched_axes(struct schedule *s, schedule_ref block,
                  enum ir_iter_type type, schedule_ref *out);
/* A list of integers, at most SCHEDULE_MAX_LOOPS. */
DC_MUST_USE bool sched_arg_ints(struct schedule *s,
                                const struct schedule_arg *arg, size_t *n,
                                int64_t *out);
/* "read" or "write", 0 or 1 in recorded traces. */
DC_MUST_USE bool sched_arg_access(struct schedule *s,
                                  const struct schedule_arg *arg, bool *write);
/* Up to n integers that have defaults. */
DC_MUST_USE bool sched_arg_flags(struct schedule *s, size_t nargs,
                                 const struct schedule_arg *args, size_t n,
                                 int64_t *flags);
/* A loop, factors (0: left open), each an argument; or in a list, with flags
 * behind it. */
DC_MUST_USE bool sched_arg_factors(struct schedule *s, size_t nargs,
                                   const struct schedule_arg *args, size_t *n,
                                   int64_t *factors, size_t nflags,
                                   int64_t *flags);
/* get_loops and the like, by that word. */
DC_MUST_USE bool sched_look_up(struct schedule *s, const char *word,
                               size_t nargs, const struct schedule_arg *args,
                               size_t *nout, schedule_ref *out);

/* ---- loop_kind.c ------------------------------------------------------------ */

/* tag: of a thread axis, else NULL. */
DC_MUST_USE bool sched_set_kind(struct schedule *s, schedule_ref loop,
                                enum ir_for_kind kind, const char *tag);

/* ---- linear.c ---------------------------------------------------------------- */

/* Variables with ranges, outermost first. */
struct sched_range {
    const struct ir_var *var;
    struct ir_expr *min, *extent;
};
#define SCHED_MAX_ENV 96u
struct sched_env {
    size_t n;
    struct sched_range items[SCHED_MAX_ENV];
};
void sched_env_add(struct sched_env *env, const struct ir_var *var,
                   struct ir_expr *min, struct ir_expr *extent);
/* A block's iterators. */
void sched_env_domain(struct sched_env *env, const struct ir_block *b);
/* Loops and block iterators around the end of a path, the end included if it
 * is a loop. */
void sched_env_path(struct schedule *s, const struct sched_path *path,
                    struct sched_env *env);

/* base + sum of coeff * atom; not ok: no such form, or too long. */
#define SCHED_MAX_TERMS 24u
struct sched_linear {
    bool ok;
    struct dtype dtype;
    int64_t base;
    size_t n;
    struct {
        struct ir_expr *atom;
        int64_t coeff;
    } terms[SCHED_MAX_TERMS];
};
struct sched_linear sched_linear(struct schedule *s,
                                 const struct sched_env *env,
                                 struct ir_expr *e);
/* a + factor * b; not ok on overflow. */
struct sched_linear sched_linear_add(const struct sched_linear *a,
                                     const struct sched_linear *b,
                                     int64_t factor);
struct ir_expr *sched_linear_expr(struct schedule *s,
                                  const struct sched_linear *l);

/* Smallest and largest value as far as known. */
struct sched_bounds {
    int64_t min, max; /* INT64_MIN, INT64_MAX: no bound */
};
struct sched_bounds sched_bounds(struct schedule *s,
                                 const struct sched_env *env,
                                 const struct sched_linear *l);

/* Same value for all values in the environment, in a form that does not grow:
 * constants folded, terms collected, quotients and remainders resolved where
 * bounds allow. Any expression will do. */
struct ir_expr *sched_simplify(struct schedule *s, const struct sched_env *env,
                               struct ir_expr *e);
/* Whether a condition is known to hold. */
bool sched_proves(struct schedule *s, const struct sched_env *env,
                  struct ir_expr *cond);
/* e1 - e2 is this constant. */
bool sched_difference(struct schedule *s, const struct sched_env *env,
                      struct ir_expr *a, struct ir_expr *b, int64_t *out);

/* Operators that fold constants and units. */
struct ir_expr *sched_op(struct schedule *s, enum ir_expr_kind kind,
                         struct ir_expr *a, struct ir_expr *b);
struct ir_expr *sched_true(struct schedule *s);
struct ir_expr *sched_and(struct schedule *s, struct ir_expr *a,
                          struct ir_expr *b);

/* ---- rewrite.c ---------------------------------------------------------------- */

/* What to replace. Any part may be unset. Load and store callbacks see
 * operands that were replaced already. */
struct sched_map {
    struct schedule *s;
    size_t n;
    struct {
        const struct ir_var *from;
        struct ir_expr *to;
    } vars[SCHED_MAX_ENV];
    struct ir_buffer *from, *to; /* a buffer for another of its rank */
    /* NULL: keep. */
    struct ir_expr *(*load)(void *user, struct ir_expr *load);
    struct ir_stmt *(*store)(void *user, struct ir_stmt *store);
    void *user;
    const struct ir_stmt *skip[2]; /* statements that stay as they are */
    bool reclaim; /* blocks' claims are made anew from their bodies */
    struct sched_env *simplify; /* bindings and guards of blocks, if set:
                                   ranges of loops around what is mapped */
};
void sched_map_add(struct sched_map *map, const struct ir_var *from,
                   struct ir_expr *to);
struct ir_expr *sched_map_expr(struct sched_map *map, struct ir_expr *e);
struct ir_stmt *sched_map_stmt(struct sched_map *map, struct ir_stmt *s);
struct ir_region sched_map_region(struct sched_map *map, struct ir_region r);
/* The statement, which is to stand at the end of the path, with bindings of the
 * blocks in its scope free of loops of one iteration. */
struct ir_stmt *sched_drop_units(struct schedule *s,
                                 const struct sched_path *path,
                                 struct ir_stmt *stmt);

/* ---- buffers.c ------------------------------------------------------------------ */

/* Of a loop or block; NULL if it has none of that key. */
struct ir_value *sched_annotation(const struct ir_stmt *stmt, const char *key);
/* A copy with the annotation; NULL for value: without it. */
struct ir_stmt *sched_annotated(struct schedule *s, const struct ir_stmt *stmt,
                                const char *key, struct ir_value *value);
struct ir_value *sched_int_array(struct schedule *s, size_t n,
                                 const int64_t *numbers);
/* Whether TVM knows a storage scope of that name. */
bool sched_is_scope(const char *scope);
/* The path to a block, and the buffer that it declares to read or write at
 * that index. */
DC_MUST_USE bool sched_accessed(struct schedule *s, schedule_ref ref,
                                int64_t index, bool write,
                                struct sched_path *path,
                                struct ir_buffer **buffer);
/* The path to the block that allocates the buffer, at the end of the path or
 * around it. */
DC_MUST_USE bool sched_alloc_site(struct schedule *s,
                                  const struct sched_path *path,
                                  const struct ir_buffer *buffer,
                                  struct sched_path *site);
/* Another buffer of the same name and layout, with storage of its own. */
struct ir_buffer *sched_buffer_copy(struct schedule *s,
                                    const struct ir_buffer *old,
                                    struct dtype dtype, const char *scope);
/* map->to in the place of map->from, which the block at the end of the path
 * allocates. Refuses where match_buffer looks at it. Commits. */
DC_MUST_USE bool sched_exchange(struct schedule *s,
                                const struct sched_path *site,
                                struct sched_map *map);

/* ---- accesses.c ----------------------------------------------------------------- */

/* A buffer that a block accesses: by name, ["read" 0], or as traces say it,
 * two numbers, 0 1 for the first that it writes. Returns how many arguments
 * that took; 0: refused. */
DC_MUST_USE size_t sched_arg_buffer(struct schedule *s, size_t nargs,
                                    const struct schedule_arg *args,
                                    const struct ir_block *b, bool *write,
                                    size_t *index);
/* The i-th that it declares to read or write. */
DC_MUST_USE bool sched_access_index(struct schedule *s,
                                    const struct ir_block *b, bool write,
                                    int64_t i, size_t *index);
struct ir_buffer *sched_claimed_buffer(const struct ir_block *b, bool write,
                                       size_t index);
/* Other accesses for those of `from`, which is a plain buffer. */
struct sched_access {
    struct schedule *s;
    const struct ir_buffer *from;
    struct ir_buffer *to;
    /* Indices of `to` for those of `from`, in what env says is around; NULL:
     * the same ones. */
    void (*indices)(void *user, const struct sched_env *env,
                    struct ir_expr *const *old, struct ir_expr **out);
    void *user;
};
/* env: around the statement; NULL: nothing is. */
struct ir_stmt *sched_access_map(const struct sched_access *a,
                                 const struct sched_env *env,
                                 struct ir_stmt *stmt);
/* A copy of a block, mapped, with indices simplified in env; its own iterators
 * are left to the caller. */
struct ir_stmt *sched_map_block(struct sched_map *map,
                                const struct sched_env *env,
                                struct ir_stmt *block);
/* A buffer of its own, otherwise the same; scope NULL: that too. */
struct ir_buffer *sched_buffer_shaped(struct schedule *s,
                                      const struct ir_buffer *buffer,
                                      const char *name, const char *scope,
                                      size_t rank,
                                      struct ir_expr *const *shape);

/* ---- layout.c ------------------------------------------------------------------- */

/* An index map over the box [0, extents): one to one into [0, shape). */
struct sched_layout {
    const struct schedule_index_map *map; /* borrowed */
    struct dtype dtype;                   /* of all indices */
    size_t nin, nout;
    struct ir_var **in; /* made for the map's, of that type */
    struct ir_expr **extents;
    struct ir_expr **out; /* in terms of `in` */
    struct ir_expr **shape;
    struct ir_var **at;       /* made for the outputs */
    struct ir_expr **inverse; /* in terms of `at` */
    struct ir_expr *padding;  /* what of `at` comes from no index; NULL: none */
    bool ordered;             /* later indices have later values */
    struct sched_env env;     /* `at` */
};
/* Refuses what is not one to one, or not known to be. */
DC_MUST_USE bool sched_layout_make(struct schedule *s,
                                   const struct schedule_index_map *map,
                                   size_t n, struct ir_expr *const *extents,
                                   struct sched_layout *l);
/* The map's values at any indices, as many; false where it is no index
 * arithmetic. */
DC_MUST_USE bool sched_layout_values(struct schedule *s,
                                     const struct schedule_index_map *map,
                                     size_t n, struct ir_expr *const *at,
                                     struct ir_expr **out);
/* Whether the indices tell values of those iterators of a block apart: they are
 * digits of all of them. */
bool sched_tells_apart(struct schedule *s, const struct ir_block *b,
                       const bool *which, size_t n,
                       struct ir_expr *const *indices);
/* … those of each of its stores, its spatial ones. */
bool sched_stores_apart(struct schedule *s, const struct ir_stmt *block);
/* The values at the indices, simplified in env. */
void sched_layout_apply(struct schedule *s, const struct sched_env *env,
                        const struct sched_layout *l,
                        struct ir_expr *const *indices, struct ir_expr **out);

/* ---- padding.c ------------------------------------------------------------------ */

/* Loops from 0, the first outermost, around a statement. */
struct ir_stmt *sched_nest(struct schedule *s, size_t n,
                           struct ir_var *const *vars,
                           struct ir_expr *const *extents,
                           struct ir_stmt *body);
/* A spatial iterator from 0. */
struct ir_iter_var sched_iter(struct schedule *s, struct ir_var *var,
                              struct ir_expr *extent);
/* A block of such iterators that declares what its body does. */
struct ir_stmt *sched_block_make(struct schedule *s, const char *name, size_t n,
                                 struct ir_var *const *vars,
                                 struct ir_expr *const *extents,
                                 struct ir_expr *const *values,
                                 struct ir_stmt *body);
struct ir_expr **sched_var_refs(struct schedule *s, size_t n,
                                struct ir_var *const *vars);
struct ir_expr *sched_if_then_else(struct schedule *s, struct ir_expr *cond,
                                   struct ir_expr *a, struct ir_expr *b);

/* What the padding of `to`, which is `from` in another layout, is to hold. */
struct sched_fill {
    struct schedule *s;
    const struct sched_layout *l; /* has padding */
    const struct ir_buffer *from;
    struct ir_buffer *to;
    size_t nvars; /* indices of `to` that the value is in terms of, or 0 */
    struct ir_var *const *vars;
    struct ir_expr *value;
};
/* A block within which all writers are, so that its padding gets that; other
 * accesses still are those of `from`. */
struct ir_stmt *sched_fill_padding(const struct sched_fill *f,
                                   struct ir_stmt *scope);

/* ---- stage.c -------------------------------------------------------------------- */

/* Where on its path the loops around a block begin, which hold nothing else and
 * stand in none of the scope; 0: they are not so. */
size_t sched_nest_top(const struct sched_path *path);
/* Whether the init accesses the buffer at those indices too, if at all. */
bool sched_init_agrees(struct schedule *s, const struct ir_stmt *block,
                       const struct ir_buffer *buffer, size_t n,
                       struct ir_expr *const *indices);
/* One access of a block to a buffer, always at the same indices, which a block
 * of its own is to copy. */
struct sched_stage {
    struct schedule *s;
    struct sched_path path; /* to the block */
    struct ir_stmt *block, *scope;
    struct ir_buffer *buffer;
    bool write;
    size_t n;
    struct ir_expr **indices; /* simplified */
    bool *used;               /* iterators that occur in them */
};
/* The buffer is plain, the block a leaf. */
DC_MUST_USE bool sched_stage_begin(struct sched_stage *g, size_t index);
/* Reading: what the copy reads can be read. everywhere: it does so for all of
 * the domain of the iterators used, else where the block does. */
DC_MUST_USE bool sched_stage_reads(const struct sched_stage *g,
                                   bool everywhere);
/* Writing: the block is complete or a reduction and stores one element whenever
 * it runs. */
DC_MUST_USE bool sched_stage_writes(const struct sched_stage *g);
/* The block with its accesses at those indices of another buffer. */
struct ir_stmt *sched_stage_block(const struct sched_stage *g,
                                  struct ir_buffer *to,
                                  struct ir_expr *const *indices);

/* ---- scope.c -------------------------------------------------------------------- */

enum { SCHED_READ = 1, SCHED_WRITE = 2 };
/* Storage that a statement touches, init included: data variables. */
struct sched_touch {
    size_t n;
    struct {
        const struct ir_var *data;
        unsigned how;
    } items[64];
    bool opaque; /* a call whose accesses are not known, or too many */
};
void sched_touch(struct ir_stmt *stmt, struct sched_touch *out);
void sched_touch_expr(const struct ir_expr *e, struct sched_touch *out);
unsigned sched_touches(const struct sched_touch *t, const struct ir_var *data);

/* Blocks directly in a statement, not those in other blocks; false if some
 * statement in it that does something is in no block. */
struct sched_children {
    size_t n;
    struct ir_stmt *items[128];
};
bool sched_children(struct ir_stmt *stmt, struct sched_children *out);

/* NULL if the block is complete (reduction) within `scope`, the statement in
 * which it must be the only writer of what it writes; else the condition that
 * fails. */
const char *sched_not_complete(struct schedule *s, struct ir_stmt *scope,
                               struct ir_stmt *block);
const char *sched_not_reduction(struct schedule *s, struct ir_stmt *scope,
                                struct ir_stmt *block);
/* All blocks below are complete or reductions. */
DC_MUST_USE bool sched_require_compact(struct schedule *s,
                                       struct ir_stmt *stmt);
/* The block may run over its points in any order that keeps the terms of each
 * element in theirs: its spatial iterators tell its stores apart, and what it
 * both reads and writes it touches at one place only. NULL, or what fails. */
const char *sched_order_matters(struct schedule *s, struct ir_stmt *block);
/* Whether iterators of that type depend on the variable. */
bool sched_reaches(const struct ir_block *b, enum ir_iter_type type,
                   const struct ir_var *var);
/* A loop that runs the block again for the same points. */
bool sched_repeats(const struct ir_stmt *stmt, const struct ir_block *b);
/* Whether a loop of the scope that the block's reduction depends on is bound
 * to threads. */
bool sched_is_cross_thread(const struct sched_path *block);
/* What blocks below the loop read of each other within one iteration they
 * wrote in it. */
DC_MUST_USE bool sched_require_iterations_apart(struct schedule *s,
                                                const struct sched_path *loop);
/* The box that a block touches in one iteration of `top`, of a region in terms
 * of its iterators. together: in one iteration of all threads that have the
 * buffer in common. */
struct ir_region sched_box(struct schedule *s, const struct ir_stmt *top,
                           const struct ir_stmt *block, struct ir_region r,
                           bool together);
/* Whether the statement accesses the buffer, but for what is below the loop. */
bool sched_accesses_outside(struct ir_stmt *stmt, const struct ir_stmt *loop,
                            const struct ir_buffer *buffer);
/* Box a lies in box b for all values in the environment. */
bool sched_is_inside(struct schedule *s, const struct sched_env *env,
                     const struct ir_region *a, const struct ir_region *b);
bool sched_stmt_is_below(struct ir_stmt *top, const struct ir_stmt *stmt);

/* ---- reducer.c ------------------------------------------------------------------ */

/* Elements that a block updates together, at one place of each buffer. */
#define SCHED_MAX_PARTS 4u
struct sched_reducer {
    size_t n, nindices;
    struct ir_expr *const *indices;
    struct {
        struct ir_buffer *buffer;
        struct ir_expr *value, *term, *init; /* init: NULL if there is none */
        enum ir_expr_kind kind;              /* of a sum: + * min max */
    } parts[SCHED_MAX_PARTS];
    enum ir_expr_kind
        choice; /* IR_GT, IR_LT: by the part compared; IR_ADD: none,
                                 each part is a sum of its own */
    size_t compared;
};
/* Whether a block's update is a known commutative reducer (its init is one of
 * the same elements, if there is one). What is given lives as long as the
 * schedule. */
bool sched_reducer(struct schedule *s, const struct ir_stmt *block,
                   struct sched_reducer *r);
/* What becomes of `old` and `term`, one a part. */
void sched_reducer_combine(struct schedule *s, const struct sched_reducer *r,
                           struct ir_expr *const *old,
                           struct ir_expr *const *term, struct ir_expr **out);
bool sched_is_reducer(struct schedule *s, const struct ir_stmt *block);
/* … and its init may be among the terms any number of times: the unit of a sum,
 * any constant of a choice. */
bool sched_starts_from_unit(struct schedule *s, const struct ir_stmt *block);

/* ---- bindings.c ---------------------------------------------------------------------- */

/* Whether the values bound to a block's iterators are a map of independent
 * parts of the loops around it, so that no point is visited twice for other
 * reasons than loops that are not used. path: to the block. */
bool sched_is_affine(struct schedule *s, const struct sched_path *path);
/* The same where loops up to the node at that index stand still. */
bool sched_is_affine_from(struct schedule *s, const struct sched_path *path,
                          size_t from);

/* ---- domain.c ----------------------------------------------------------------------- */

/* Whether a block, at the end of the path, runs for every point of its domain
 * each time the scope around it does. */
bool sched_runs_everywhere(struct schedule *s, const struct sched_path *path);
/* Whether one iteration of the loop runs it for all points of the box of its
 * iterators' values in it, as far as they are in its domain. */
bool sched_fills_box(struct schedule *s, const struct sched_path *path,
                     const struct ir_stmt *loop);
/* Whether it runs for no point twice, but for loops that it does not use; found
 * by counting, so only where loops are small constants. */
bool sched_runs_once(const struct sched_path *path);

/* ---- copy.c --------------------------------------------------------------------------- */

/* Whether all accesses below are loads and stores of this very buffer, which is
 * compact. */
bool sched_is_plain(struct ir_stmt *stmt, const struct ir_buffer *buffer);
/* Blocks of a scope that touch a buffer. */
struct sched_users {
    size_t nwriters, nreaders;
    struct ir_stmt *writer;       /* the last of them */
    struct ir_stmt *early;        /* a reader before the first writer */
    size_t nearly;                /* so many of the readers are */
    struct ir_stmt *readers[128]; /* that do not write it */
};
DC_MUST_USE bool sched_users(struct schedule *s, struct ir_stmt *scope,
                             const struct ir_buffer *buffer,
                             struct sched_users *out);
/* The statement before which a copy of what the writer wrote goes; NULL: at
 * the end of the scope. */
struct ir_stmt *sched_anchor(struct schedule *s, struct ir_stmt *scope,
                             const struct sched_users *users);
/* The box that the writer writes, as it can be said before the anchor (NULL:
 * for the whole scope); exact: it stores all of it. False: not known. */
bool sched_written_box(struct schedule *s, struct ir_stmt *writer,
                       const struct ir_buffer *buffer,
                       const struct ir_stmt *anchor, struct ir_region *out,
                       bool *exact);
/* A nest that copies the box, to stand before the anchor, named as the newer
 * buffer; *block: the block within it. */
struct ir_stmt *sched_copy_block(struct schedule *s,
                                 const struct ir_stmt *anchor,
                                 const struct ir_region *box,
                                 struct ir_buffer *from, struct ir_buffer *to,
                                 struct ir_stmt **block);
struct ir_buffer *sched_buffer_like(struct schedule *s,
                                    const struct ir_buffer *buffer,
                                    const char *scope);
/* In the tree: the buffer allocated by the scope, and a statement inserted
 * before the anchor or at an end of the scope. Scopes by name. */
struct ir_stmt *sched_add_alloc(struct schedule *s, struct ir_stmt *root,
                                const char *scope, struct ir_buffer *buffer);
struct ir_stmt *sched_insert(struct schedule *s, struct ir_stmt *root,
                             const char *scope, const struct ir_stmt *anchor,
                             bool at_start, struct ir_stmt *stmt);
/* A block whose accesses to a buffer go to a new one instead: what a copy into
 * it or back needs to know. */
struct sched_cache {
    struct sched_path path; /* to the block */
    struct ir_stmt *block, *scope;
    struct ir_buffer *buffer;
    struct sched_users users;
    struct ir_region box; /* to be copied */
    size_t nconsumers;    /* blocks of the scope; 0: none are named */
    struct ir_stmt *consumers[SCHEDULE_MAX_LOOPS];
};
/* index: of what the block reads, or writes. */
DC_MUST_USE bool sched_cache_begin(struct schedule *s, schedule_ref ref,
                                   int64_t index, const char *storage,
                                   bool writes, struct sched_cache *c);
/* The blocks that are to use the cache; the readers stay those of the users
 * that are among them, or those that are not. */
DC_MUST_USE bool sched_cache_consumers(struct schedule *s, size_t n,
                                       const schedule_ref *refs, bool among,
                                       struct sched_cache *c);
/* In the tree: what is exchanged in these blocks. */
struct ir_stmt *sched_map_blocks(struct schedule *s, struct ir_stmt *root,
                                 size_t n, struct ir_stmt *const *blocks,
                                 struct sched_map *map);
/* cache_read and cache_write by name: block, index, "scope", consumers. */
DC_MUST_USE bool sched_arg_cache(struct schedule *s, size_t nargs,
                                 const struct schedule_arg *args, size_t *n,
                                 schedule_ref *consumers);
DC_MUST_USE bool sched_cache_end(struct schedule *s,
                                 const struct sched_cache *c,
                                 struct ir_stmt *root, struct ir_buffer *cache,
                                 const struct ir_stmt *copy, schedule_ref *out);

/* ---- reindexed.c ------------------------------------------------------------------ */

/* A cache for what one block accesses at one place. */
struct sched_reindexed {
    struct sched_stage stage;
    struct sched_users users; /* of the buffer in the scope */
    struct ir_buffer *cache;
    size_t n; /* its rank */
    struct ir_expr **indices, **shape;
    size_t nkept, ndropped; /* loops between the copy and the block */
    struct ir_stmt *kept[SCHED_MAX_PATH], *dropped[SCHED_MAX_PATH];
    struct ir_expr *guard; /* in terms of the loops that are kept */
};
/* From a step's arguments, whose last is the map. */
DC_MUST_USE bool sched_reindexed_begin(struct sched_reindexed *c, size_t nargs,
                                       const struct schedule_arg *args);
DC_MUST_USE bool sched_reindexed_map(struct sched_reindexed *c,
                                     const struct schedule_index_map *map);
/* The copy stands before the anchor; NULL: at an end of the scope. */
DC_MUST_USE bool sched_reindexed_place(struct sched_reindexed *c,
                                       const struct ir_stmt *anchor);
DC_MUST_USE bool sched_reindexed_end(struct sched_reindexed *c,
                                     const char *storage,
                                     const struct ir_stmt *anchor,
                                     bool at_start, schedule_ref *out);

/* ---- inline.c -------------------------------------------------------------------------- */

/* Allocated by the scope. */
bool sched_is_own(const struct ir_stmt *scope, const struct ir_buffer *buffer);
/* The indices are the block's iterators, one each, over the whole buffer. */
bool sched_is_identity(const struct ir_block *b, const struct ir_buffer *buffer,
                       size_t n, struct ir_expr *const *indices);
/* The same turned round, for indices that run through all elements of the buffer
 * once, in any order and shape: what the block's iterators are (values, one each)
 * where the element at `place` is the one indexed. env: ranges of what stands in
 * `place`. False where that is not known; sizes have to be constant. */
bool sched_invert(struct schedule *s, const struct ir_block *b,
                  const struct ir_buffer *buffer,
                  struct ir_expr *const *indices, const struct sched_env *env,
                  struct ir_expr *const *place, struct ir_expr **values);
/* The same for the spatial iterators of a reduction. */
bool sched_indexes_whole(const struct ir_block *b,
                         const struct ir_buffer *buffer, size_t n,
                         struct ir_expr *const *indices);
/* NULL if nothing that the block reads changes until `until` runs, else what
 * does. */
const char *sched_inputs_stay(struct schedule *s, struct ir_stmt *scope,
                              struct ir_stmt *block, struct ir_stmt *until);
struct ir_stmt *sched_without_alloc(struct schedule *s,
                                    const struct ir_stmt *scope,
                                    const struct ir_buffer *buffer);
/* The tree without the block and without the buffer of its scope; both by
 * name. NULL if nothing is left. */
struct ir_stmt *sched_remove_block(struct schedule *s, struct ir_stmt *root,
                                   const char *block, const char *scope,
                                   const struct ir_buffer *buffer);

/* ---- place.c ---------------------------------------------------------------------------- */

/* A block, a loop of the same scope, not around it. */
struct sched_move {
    struct sched_path block, loop;
    struct ir_stmt *scope;
    bool keep_units; /* loops of one iteration, too */
    int64_t index;   /* of the loop's statements, in front of which it goes;
                        -1, -2: the last, the first such place */
};
/* What one iteration takes of each of a block's iterators. */
struct sched_part {
    struct ir_range ranges[SCHED_MAX_PATH];
    bool taken[SCHED_MAX_PATH];
};
DC_MUST_USE bool sched_move_check(struct schedule *s, schedule_ref block,
                                  schedule_ref loop, struct sched_move *m);
/* The place by the index, from the first to the last of the places where the
 * block may go. */
DC_MUST_USE bool sched_move_index(struct schedule *s,
                                  const struct sched_move *m, size_t first,
                                  size_t last, size_t *place);
/* The block over that part, at that place; sched_move_settle. Commits. */
DC_MUST_USE bool sched_move_do(struct schedule *s, schedule_ref block,
                               const struct sched_move *m,
                               const struct sched_env *env,
                               const struct sched_part *part, size_t place);
/* The index of the loop's statement that the block is below. */
size_t sched_move_item(const struct sched_move *m, const struct ir_stmt *block);
/* Arguments by name: block, loop, preserve_unit_loops, index. */
DC_MUST_USE bool sched_arg_move(struct schedule *s, size_t nargs,
                                const struct schedule_arg *args,
                                int64_t *flags);
/* The indices at which a block accesses the buffer; NULL if there are several
 * or none. */
struct ir_expr *const *sched_indices_of(struct ir_stmt *block,
                                        const struct ir_buffer *buffer,
                                        size_t *n);

/* ---- part.c ----------------------------------------------------------------------------- */

/* Whole domains at first; then what belongs to the box, where these are the
 * block's indices of the buffer; exact: nothing else. False where that cannot be
 * told, or differs from what was taken. */
void sched_part_init(struct schedule *s, const struct ir_block *b,
                     struct sched_part *part);
bool sched_part_take(struct schedule *s, const struct sched_env *env,
                     const struct ir_block *b, const struct ir_region *box,
                     struct ir_expr *const *indices, bool exact,
                     struct sched_part *part);
/* The indices lie within the buffer for all of the block's domain. */
bool sched_reads_within(struct schedule *s, const struct ir_block *b,
                        const struct ir_buffer *buffer,
                        struct ir_expr *const *indices);

/* ---- auto_copy.c ---------------------------------------------------------------------- */

struct sched_at_request {
    schedule_ref loop, block;
    int64_t index; /* of what the block reads, or writes */
    const char *storage;
    bool reads;
};
/* A buffer that a loop's body reads, or writes, and the one that takes its
 * place there. */
struct sched_at {
    struct sched_path loop, block;
    struct ir_stmt *scope;
    struct sched_env env; /* loops down to the loop */
    struct ir_buffer *buffer, *cache;
    bool reads;
    size_t n; /* statements of the loop's body */
    struct ir_stmt **items;
    size_t first, end, place; /* those from first to end use the other buffer;
                                 the copy goes before number `place` */
};
DC_MUST_USE bool sched_at_begin(struct schedule *s,
                                const struct sched_at_request *what,
                                struct sched_at *at);
/* How a statement uses the buffer: SCHED_READ, SCHED_WRITE. */
unsigned sched_at_uses(const struct sched_at *at, struct ir_stmt *stmt);
/* box: what one iteration copies. Commits. */
DC_MUST_USE bool sched_at_end(struct schedule *s, const struct sched_at *at,
                              const struct ir_region *box, schedule_ref *out);

/* ---- fills.c --------------------------------------------------------------------------- */

/* Whether boxes at all points of the environment fill `whole`. */
bool sched_covers(struct schedule *s, const struct sched_env *env,
                  const struct ir_region *box, const struct ir_region *whole);
/* Whether the block stores, each time it runs, all of the box of the buffer
 * that sched_claim finds. */
bool sched_fills(struct schedule *s, struct ir_stmt *block,
                 const struct ir_buffer *buffer);

/* ---- distinct.c ----------------------------------------------------------------------- */

/* (var // lower) % extent; extent 0: var // lower */
struct sched_digit {
    const struct ir_var *var;
    int64_t lower, extent;
};
bool sched_digit_of(const struct ir_expr *e, struct sched_digit *out);
/* The spatial iterators of the block tell its stores apart: the indices of each
 * store say what they are. */
bool sched_spatial_distinct(const struct ir_stmt *block);

/* The same of loops: what the spatial iterators of the block at the end of the
 * path are bound to says which iteration of the loop it is. */
bool sched_tells_loop(struct schedule *s, const struct sched_path *path,
                      const struct ir_stmt *loop);

/* ---- divide.c ------------------------------------------------------------------------- */

/* The value bound to an iterator is outer * inner_extent + inner, with both in
 * their extents; inner NULL: it is outer. */
struct sched_half {
    struct ir_expr *outer, *inner, *outer_extent, *inner_extent;
};
struct sched_division {
    struct sched_path path; /* given: to the block */
    size_t at;              /* given: node of the outermost inner loop; the
                               block's if there is none */
    struct sched_env env;   /* all loops around the block */
    struct sched_half halves[SCHED_MAX_PATH];
    struct ir_expr *outer_guard, *inner_guard;
};
DC_MUST_USE bool sched_divide(struct schedule *s, struct sched_division *d);

/* ---- match_intrinsic.c ------------------------------------------------------------------------------- */

/* What a parameter of a description stands for: a box of a buffer, of as many
 * last dimensions as the parameter has. */
struct sched_operand {
    struct ir_buffer *described, *buffer;
    struct ir_expr **from; /* of each dimension of the buffer */
};
struct sched_match {
    size_t n;
    struct sched_operand *operands; /* in the order of the parameters */
};
/* Whether the body of the block at the end of the path is what `desc`, of the
 * intrinsic of that name, says. Refuses the step otherwise. */
DC_MUST_USE bool sched_match(struct schedule *s, const struct sched_path *path,
                             const char *name, const struct ir_func *desc,
                             struct sched_match *out);

/* ---- clone.c ------------------------------------------------------------------------------- */

/* A PrimFunc like func, made in m, that shares no variable, buffer or block's
 * name with it. */
struct ir_func *sched_clone(struct ir_module *m, const struct ir_func *func);

/* ---- intrinsics/ ------------------------------------------------------------------------ */

/* Two functions of the same parameters, buffers all, each a block "root" that
 * binds nothing. */
struct sched_intrinsic {
    struct ir_func *desc, *impl;
    const char *wrong; /* how the one differs from the other, or NULL */
};
/* The intrinsic of that name, made anew in m, with indices of that type; false:
 * none is called so. */
bool sched_intrinsic_make(struct ir_module *m, const char *name,
                          struct dtype index, struct sched_intrinsic *out);

/* ---- region.c ------------------------------------------------------------------------ */

/* Sets reads and writes of the block from its body. */
void sched_claim(struct schedule *s, struct ir_block *block);
/* [min, min + extent) for all values of env's variables; false if that is not
 * linear in them. */
bool sched_relax_range(struct schedule *s, const struct sched_env *env,
                       const struct ir_range *in, struct ir_range *out);
/* The box that holds all values of `r` while the variables run through `env`. */
struct ir_region sched_relax(struct schedule *s, const struct sched_env *env,
                             struct ir_region r);
/* The box around both; dimensions without constant difference become whole. */
struct ir_region sched_union(struct schedule *s, const struct sched_env *env,
                             struct ir_region a, struct ir_region b);
struct ir_region sched_full_region(struct schedule *s,
                                   struct ir_buffer *buffer);

#endif
