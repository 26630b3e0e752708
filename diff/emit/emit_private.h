/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of diff/emit: the state of one translation. README.md
 * has the design.
 */
#ifndef DC_DIFF_EMIT_EMIT_PRIVATE_H
#define DC_DIFF_EMIT_EMIT_PRIVATE_H

#include "diff/emit/emit.h"
#include "ir/base/limits.h"
#include "ir/plan/plan.h"

/* ---- precedence of C expressions, loosest first ------------------------------- */

enum prec {
    PREC_ANY,
    PREC_CHOICE,
    PREC_OROR,
    PREC_ANDAND,
    PREC_OR,
    PREC_XOR,
    PREC_AND,
    PREC_EQUAL,
    PREC_LESS,
    PREC_SHIFT,
    PREC_ADD,
    PREC_MUL,
    PREC_UNARY,
    PREC_POSTFIX
};

/* ---- runtime text (emit_runtime.c) -------------------------------------------------- */

struct emit_runtime {
    struct VEC(const char *) names; /* pieces there are; in arena */
    struct arena *arena;
    struct buf text;
};

/* ---- storage ----------------------------------------------------------------------- */

/* Where a storage lives, from the scope of its buffer (rule 4). */
enum place { PLACE_GLOBAL, PLACE_SHARED, PLACE_WARP, PLACE_LOCAL };
enum place emit_place_of(const char *scope);

/* A buffer as C sees it: base[offset + sum of index * stride]. */
struct place_of_buffer {
    const char *base; /* pointer or array expression; NULL: not yet there */
    const struct ir_var *data; /* of the buffer */
    const char *offset;        /* of element [0, …], in lanes; NULL: 0 */
    const char **stride;       /* text; NULL where constant */
    int64_t *step;             /* constant strides */
    bool wide;                 /* offsets may need 64 bits */
};

/* ---- threads ------------------------------------------------------------------------- */

#define EMIT_MAX_AXES 16
#define EMIT_WARP     32

struct kernel_code {
    const struct ir_kernel *plan;
    /* By axis: C variable that holds the index; extent, constant of threads and
     * -1 where symbolic of blocks, and as it is written. */
    const char *name[EMIT_MAX_AXES];
    int64_t extent[EMIT_MAX_AXES];
    struct ir_expr *extent_expr[EMIT_MAX_AXES];
    int64_t nthreads, nlinear; /* of a block; without virtual threads */
    const char *mask;          /* array of those that run here; NULL: all */
    bool in_thread;            /* inside a loop over threads */
    bool leaves;          /* a thread may return in the present thread loop */
    bool left;            /* one may have returned before */
    unsigned inner_loops; /* of one thread that are open */
    unsigned loops;       /* thread loops so far, for labels */
};

/* ---- devices (emit_device.c) --------------------------------------------------------- */

/* A name of the host program that kernels may use: they get it as a parameter. */
struct host_name {
    const char *name, *type;
    bool is_memory;    /* on the device; else a number */
    const char *bytes; /* storage of one kernel: made before its launch */
    bool absent;       /* each launch has its own */
};

#define EMIT_MAX_FAILURES 64

/* What a program for a GPU has beside its host code. */
struct device_code {
    struct emit_runtime *runtime; /* of the kernels; CUDA: of all */
    struct buf text;              /* kernels */
    struct buf tables;            /* constants, in front of these */
    struct buf head;              /* declarations at the start of a kernel */
    bool in_kernel;
    struct VEC(struct host_name) names; /* in scope */
    size_t nscope;                      /* of them, those of the host */
    size_t mark;          /* emitter.names that were there before the kernel */
    size_t barrier_at;    /* output behind the last barrier */
    int64_t shared_bytes; /* of the kernel so far */
    int64_t own_bytes;    /* of all threads of a block, private */
    const char *groups;   /* number of blocks, as host code */
    const char *message[EMIT_MAX_FAILURES]; /* of assertions */
    size_t nmessages;
    bool wmma;
};

/* An expression that stands for something else here: results of collective
 * calls, partials of a reduction. */
struct stand_in {
    const struct ir_expr *expr;
    const char *text;
};

/* A reduction over threads (R5) that is being written. */
struct reduction_code {
    struct ir_reduction *plan;
    const char *part[IR_MAX_TARGETS];    /* by target: array over threads */
    const char *element[IR_MAX_TARGETS]; /* the present thread's */
    const char *has, *came;              /* arrays: has terms; came by */
    const char **spatial; /* by iterator: array of its values, or NULL */
    const char *first;    /* variable: thread that keeps the sum */
    bool active;          /* accesses of targets mean the partials */
};

/* Names that are taken, and the number to try next for each. */
struct name_table {
    struct name_slot {
        const char *text;
        unsigned next;
    } * slots;
    size_t cap, len;
};

struct inner_function {
    const struct ir_func *f;
    const char *name;
};

/* A size that the shape of a parameter gives. */
struct symbol {
    const struct ir_var *var;
    const char *name;
    size_t param, dim;
};

/* ---- the translation -------------------------------------------------------------------- */

struct emitter {
    const struct ir_module *m;
    const struct ir_func *f; /* what is being written: an inner one in calls */
    const struct emit_options *o;
    struct diag_sink *sink;
    struct arena *arena;
    struct emit_runtime *runtime;
    struct buf *out;
    unsigned indent;
    bool failed;
    const struct ir_stmt *stmt;     /* being written, for messages */
    const char **var;               /* C text by variable id; NULL: not bound */
    struct place_of_buffer *buffer; /* by buffer id */
    struct VEC(const char *) names; /* taken, in turn */
    struct name_table taken;
    const struct ir_plan *plan; /* of f */
    bool *varying;              /* by variable id: differs between threads */
    struct kernel_code *kernel; /* NULL: host code */
    const char *lane;           /* C text of the lane that is written */
    bool plain; /* integers: overflow is a fault here, so C's operators do */
    struct VEC(struct stand_in) stand_ins;
    struct reduction_code *reduction; /* NULL: none */
    unsigned depth;                   /* nested calls */
    struct VEC(struct inner_function) called;
    struct buf inner;                                 /* their text */
    struct VEC(const struct ir_buffer *) host_allocs; /* not global */
    struct VEC(const struct ir_stmt *)
        host_views;        /* DECL_BUFFER by a pointer */
    struct dtype *elem;    /* by variable id: emit_pointer_elem of pointers */
    struct dtype *pointee; /* by variable id: of pointers */
    struct VEC(struct symbol) symbols; /* of the outermost function */
    struct device_code *device;        /* NULL: a C program */
    const char **space; /* by variable id: address space of its storage in
                           OpenCL, with a blank behind; NULL: none */
};

/* Refuses: "… has no translation"; always false. */
bool emit_refuse(struct emitter *em, const char *fmt, ...) DC_PRINTF(2, 3);

/* ---- emit_text.c: the one place for comments and string literals ---- */
/* Any bytes as a comment, which they do not end, cut after about `most` of
 * them. */
void emit_comment(struct buf *out, const char *text, size_t most);
/* Any bytes as a string literal for a message, cut after some 400; what is no
 * printable ASCII reads \xNN in the message. */
const char *emit_quoted(struct emitter *em, const char *text);
/* A program's text, of ours, as literals one beneath the other. */
void emit_quoted_lines(struct buf *out, const char *program);
/* Code: what is given of the IR has been through emit_name_make. */
void emit_line(struct emitter *em, const char *fmt, ...) DC_PRINTF(2, 3);
void emit_open_brace(struct emitter *em, const char *fmt, ...) DC_PRINTF(2, 3);
void emit_close_brace(struct emitter *em);
/* A line that is a comment; see emit_comment. */
void emit_line_comment(struct emitter *em, const char *fmt, ...)
    DC_PRINTF(2, 3);
/* A line with the IR as a comment beside it; ir may be NULL. */
void emit_line_ir(struct emitter *em, const char *ir, const char *fmt, ...)
    DC_PRINTF(3, 4);
const char *emit_ir_text_expr(struct emitter *em, const struct ir_expr *e);
const char *emit_ir_text_stmt(struct emitter *em, const struct ir_stmt *s);
const char *emit_text_printf(struct emitter *em, const char *fmt, ...)
    DC_PRINTF(2, 3);

/* ---- emit.c ---- */
/* C name of a function of the module, written in front of the present one;
 * NULL after a refusal. */
const char *emit_function_inner(struct emitter *em, const struct ir_func *f);

/* ---- emit_names.c ---- */
/* A C identifier that looks like name, whatever its bytes, means nothing to
 * the compiler, the headers and the runtime text, and is not taken yet. */
const char *emit_name_make(struct emitter *em, const char *name);
/* Keeps emit_name_make from giving a name that the program has already. */
void emit_name_take(struct emitter *em, const char *text);
void emit_names_fini(struct emitter *em);
bool emit_is_identifier(const char *text);
bool emit_is_word(char c); /* of an identifier */

/* ---- emit_types.c ---- */
/* C type of one lane; NULL after a refusal. */
const char *emit_type_name(struct emitter *em, struct dtype t);
/* Suffix of helper functions for the type: "i32", "f16". */
const char *emit_type_suffix(struct emitter *em, struct dtype t);
bool emit_type_is_soft(const struct emitter *em, struct dtype t);
bool emit_type_is_odd(struct dtype t); /* an integer type that C lacks */
void emit_literal(struct emitter *em, struct dtype t, double value);
void emit_int(struct emitter *em, struct dtype t, int64_t value);

/* ---- emit_runtime.c ---- */
/* Adds a piece of runtime text by name, with what it needs. */
void emit_need(struct emitter *em, const char *name);
/* Adds text of our own making once; the key is the text. */
void emit_need_text(struct emitter *em, const char *text);

/* ---- emit_expr.c, emit_calls.c, emit_vector.c ---- */
void emit_expr(struct emitter *em, const struct ir_expr *e, enum prec least);
const char *emit_expr_text(struct emitter *em, const struct ir_expr *e,
                           enum prec least);
/* The same where the value is an address, an extent or a condition. */
const char *emit_index_text(struct emitter *em, const struct ir_expr *e,
                            enum prec least);
void emit_call(struct emitter *em, const struct ir_expr *e);
void put_cast(struct emitter *em, struct dtype from, struct dtype to,
              const char *x, enum prec least);
/* a op b on texts of type t; true if the operator was known. */
const char *emit_binary_text(struct emitter *em, enum ir_expr_kind kind,
                             struct dtype t, const char *a, const char *b);
const char *emit_fma_text(struct emitter *em, struct dtype t, const char *a,
                          const char *b, const char *c);
const char *emit_cast_text(struct emitter *em, struct dtype from,
                           struct dtype to, const char *x);
const char *emit_stand_in_of(const struct emitter *em, const struct ir_expr *e);
/* An expression as a pointer (void * or typed). */
const char *emit_pointer_text(struct emitter *em, const struct ir_expr *e);
/* Element type in the IR's sense, which byte offsets and variables keep. */
struct dtype emit_pointer_elem(struct emitter *em, const struct ir_expr *e);
void emit_shuffle(struct emitter *em, const struct ir_expr *e);
void emit_repack(struct emitter *em, const struct ir_expr *e);
/* "name[first + lane] = …; " for the lanes of e, appended to out. */
void emit_row(struct emitter *em, struct buf *out, const char *name,
              size_t first, const struct ir_expr *e);
/* emit_dot.c: true if the call is one of a vector instruction. */
bool emit_dot(struct emitter *em, const struct ir_expr *e);

/* ---- emit_memory.c ---- */
/* base[…] of one lane of an access. lane: within the value, or NULL. */
const char *emit_element_text(struct emitter *em, const struct ir_buffer *b,
                              size_t n, struct ir_expr *const *index,
                              const char *lane);
/* Sets base and strides of a buffer over storage. */
bool emit_buffer_place(struct emitter *em, const struct ir_buffer *b,
                       const char *base);
/* Declares storage; with copies > 1 one for each value of the C expression
 * `which` ("tid"). */
void emit_storage(struct emitter *em, const struct ir_buffer *b, int64_t copies,
                  const char *which);
/* The type as one that may alias others. */
const char *emit_alias_name(struct emitter *em, struct dtype t);
/* Element offset of buffer[index], without the storage. */
const char *emit_offset_text(struct emitter *em, const struct ir_buffer *b,
                             size_t n, struct ir_expr *const *index);
/* Lanes that the buffer takes: constant, or -1 and its text. */
int64_t emit_buffer_size(struct emitter *em, const struct ir_buffer *b,
                         const char **text);
void emit_alloc_const(struct emitter *em, const struct ir_stmt *s);
void emit_decl(struct emitter *em, const struct ir_stmt *s);
void emit_match(struct emitter *em, const struct ir_match_buffer *x);
bool emit_params_bind(struct emitter *em, struct buf *signature);

/* ---- emit_stmt.c ---- */
void emit_stmt(struct emitter *em, const struct ir_stmt *s);
void emit_bind(struct emitter *em, const struct ir_stmt *s);
const char *emit_loop_header(struct emitter *em, const struct ir_stmt *s,
                             const char *var);
const char *emit_block_init_cond(struct emitter *em, const struct ir_block *b);

/* ---- emit_plan.c ---- */
void emit_plan_make(struct emitter *em);
static inline const struct ir_plan_info *
emit_plan_info(const struct emitter *em, const struct ir_stmt *s)
{
    return ir_plan_info(em->plan, s);
}
/* Whether host code launches a kernel at s. */
bool emit_is_launch(const struct emitter *em, const struct ir_stmt *s);
const struct ir_stmt *emit_thread_inside(const struct ir_stmt *s);
/* Whether e depends on the thread: on its index or on memory. */
bool emit_is_varying(const struct emitter *em, const struct ir_expr *e);
/* Whether a statement mentions a variable, or a buffer's storage. */
bool emit_stmt_uses_var(const struct ir_stmt *s, const struct ir_var *var);

/* ---- emit_threads.c, emit_warp.c, emit_reduction.c ---- */
/* Defines a constant: "const T name = text;", or an array over threads where
 * that varies and code of many threads is written. Gives the text that stands
 * for it. */
const char *emit_define_value(struct emitter *em, const char *type,
                              const char *name, const char *text, bool varying,
                              const char *ir);
void emit_thread_stmt(struct emitter *em, const struct ir_stmt *s);
void emit_thread_loop_open(struct emitter *em);
void emit_thread_loop_close(struct emitter *em);
/* Warps: their number, the warp of `tid`, and a loop over them in which `tid`
 * is the first lane and `lanes` their number; without threads a block. */
int64_t emit_warp_count(const struct kernel_code *k);
const char *emit_warp_text(struct emitter *em);
void emit_warp_loop_open(struct emitter *em);
void emit_warp_loop_close(struct emitter *em);
/* Runs the collective calls of an expression, and makes stand-ins for their
 * values. */
void emit_collectives(struct emitter *em, const struct ir_expr *e);
void emit_reduction(struct emitter *em, const struct ir_stmt *root,
                    struct ir_reduction *plan);

void emit_partial_block(struct emitter *em, const struct ir_block *b);
/* What an access of the buffer means inside of a reduction; NULL: itself. */
const char *emit_partial_text(const struct emitter *em,
                              const struct ir_buffer *b);
const char *emit_lane_text(struct emitter *em);
/* "shuffle_up": the helper that says which lane a shuffle reads. */
const char *emit_shuffle_name(const struct ir_expr *call);
/* emit_tile.c */
/* The storage that a pointer goes to, and whether a warp shares it. */
enum place emit_storage_of(const struct ir_expr *pointer);
bool emit_is_warp_storage(const struct ir_expr *pointer);
void emit_ptx(struct emitter *em, const struct ir_expr *call); /* emit_ptx.c */
/* Inside of a loop over warps: `tid` becomes the thread of the lane. */
void emit_lane_thread(struct emitter *em, const char *lane);
void emit_tile_call(struct emitter *em, const struct ir_expr *call);
/* The text is the value of the call from here on. */
void emit_stand_for(struct emitter *em, const struct ir_expr *call,
                    const char *text);

/* The variable that a pointer comes from; NULL: not known. */
const struct ir_var *emit_pointer_root(const struct ir_expr *e);

/* ---- emit_device.c, emit_device_threads.c, emit_device_calls.c ---- */
bool emit_is_opencl(const struct emitter *em);
bool emit_is_cuda(const struct emitter *em);
/* Whether the text of a kernel is being written. */
bool emit_on_device(const struct emitter *em);
/* Address space of what a pointer points to, with a blank behind it; "". */
const char *emit_space_of(struct emitter *em, const struct ir_expr *pointer);
/* Whether C text has the name outside of comments and strings. */
bool emit_mentions(const char *text, const char *name);
void emit_device_init(struct emitter *em, struct device_code *device);
void emit_device_fini(struct emitter *em);
/* Makes a name of host code known to kernels. */
void emit_host_define(struct emitter *em, const char *name, const char *type,
                      bool is_memory);
/* Type of the parameter of host code that is memory of such elements. */
const char *emit_host_memory_type(struct emitter *em, const char *type);
void emit_host(struct emitter *em, const struct ir_stmt *s);
/* The kernels as a string of the host program. */
void emit_kernel_source(struct emitter *em, const char *symbol,
                        struct buf *out);
void emit_device_entry(struct emitter *em, const char *symbol);
/* Number of a message that the program ends with if a kernel stores it. */
size_t emit_device_message(struct emitter *em, const char *text);
/* A kernel around what is written between: names and place on the host. */
struct kernel_frame {
    struct buf body, *out;
    unsigned indent;
    size_t nscope;
    const char *name;
};
void emit_kernel_open(struct emitter *em, struct kernel_frame *frame,
                      const char *groups);
void emit_kernel_close(struct emitter *em, struct kernel_frame *frame,
                       const char *const grid[3], int64_t threads);
/* The function of the module that a call means, with a body; or NULL. */
const struct ir_func *emit_function_called(const struct emitter *em,
                                           const struct ir_expr *call);
bool emit_host_can_compute(const struct ir_expr *e);

void emit_device_storage(struct emitter *em, const struct ir_buffer *b,
                         int64_t copies, const char *which);
void emit_device_section_open(struct emitter *em);
void emit_device_section_close(struct emitter *em);
void emit_device_serial_open(struct emitter *em);
void emit_device_serial_close(struct emitter *em);
void emit_barrier(struct emitter *em);
void emit_indices(struct emitter *em);
void emit_unused(struct emitter *em);
/* An array with one element a thread that all threads of a block see. */
void emit_thread_array(struct emitter *em, const char *type, const char *name,
                       bool zero);
/* One value a thread: its name, and the text of the present thread's. */
const char *emit_thread_value(struct emitter *em, const char *type,
                              const char *name, const char *init);
/* Largest value, or whether one is not 0, of all threads' values. */
const char *emit_device_most(struct emitter *em, const char *type,
                             const char *values, const char *own);
bool emit_device_collective(struct emitter *em, const struct ir_expr *call);
/* emit_device_wmma.c: CUDA's own instructions */
bool emit_device_fragment(struct emitter *em, const struct ir_buffer *b,
                          const char *name);
bool emit_device_wmma(struct emitter *em, const struct ir_expr *call);
bool emit_cuda_mma(struct emitter *em, long long m, long long k,
                   struct dtype at, struct dtype bt, struct dtype ct,
                   const char *const from[3]);
void emit_cuda_ldmatrix(struct emitter *em, const char *to, const char *row,
                        int matrices, bool transposed);
/* emit_device_calls.c */
void emit_device_atomic(struct emitter *em, const struct ir_expr *call,
                        struct dtype t);
void emit_device_copy(struct emitter *em, const struct ir_expr *call,
                      const char *const end[2], const char *bytes);
void emit_queue(struct emitter *em, const struct ir_stmt *s, bool after,
                bool group);
void emit_device_zeros(struct emitter *em, const struct ir_expr *pointer,
                       const char *at, const char *n, size_t bytes);
extern const char opencl_host_text[], opencl_kernel_text[], cuda_text[];

/* ---- emit_main.c, emit_main_text.c ---- */
extern const char emit_npy_text[], emit_main_text[];
void emit_entry(struct emitter *em, const char *symbol);

#endif
