/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of the generator share:
 *
 *   gen.c          choices, names, pairs
 *   gen_ops.c      expressions: arithmetic with folding, substitution, values
 *   gen_term.c     random terms of a stage
 *   gen_program.c  random programs
 *   gen_rewrite.c  equivalent programs: inline, caches, rfactor
 *   gen_nest.c     loop nests and what their order of iteration is
 *   gen_blocks.c   a stage as blocks
 *   gen_stage.c    a stage as loops
 *   gen_vector.c   a stage with vectors
 *   gen_kernel.c   a stage as a kernel, and all stages in one
 *   gen_emit.c     a program as a module
 *   gen_run.c      runs
 *
 * Expressions of a program live in a module of its own that is never printed:
 * its variables are axes of stages, its buffers stand for tensors, a buffer's
 * id being the tensor's number. Writing a module out substitutes both.
 */
#ifndef DC_FUZZ_GEN_PRIVATE_H
#define DC_FUZZ_GEN_PRIVATE_H

#include "fuzz/gen.h"

#define GEN_MAX_RANK    4u
#define GEN_MAX_AXES    8u
#define GEN_MAX_STAGES  20u
#define GEN_MAX_TENSORS 48u
#define GEN_MAX_INPUTS  30u /* no more for terms: the rest is for stages */
#define GEN_MAX_LOOPS   14u
#define GEN_MAX_GUARDS  10u
#define GEN_MAX_POINTS  400 /* of a stage's domain as generated */
#define GEN_SIZE        5   /* of the symbolic dimension when drawing */

/* ---- programs -------------------------------------------------------------- */

struct gen_dim {
    int64_t size; /* symbolic: GEN_SIZE */
    bool symbolic;
};

struct gen_tensor {
    const char *name;
    struct dtype dtype;
    size_t rank;
    struct gen_dim dims[GEN_MAX_RANK];
    struct ir_buffer *buffer; /* placeholder; id = number of the tensor */
    bool param;               /* else made by a stage and local */
    bool made;                /* some stage stores to it */
    bool gone;                /* inlined */
};

enum gen_reducer { GEN_NO_REDUCER, GEN_SUM, GEN_PROD, GEN_MIN, GEN_MAX };

struct gen_axis {
    struct ir_var *var;
    struct gen_dim dim;
};

/* for all axes: tensor[spatial axes] = term, or reducer(…, term) over the
 * axes behind the spatial ones, which follow each other in order. */
struct gen_stage {
    enum gen_kind kind;
    size_t tensor;
    size_t naxes, nspatial;
    struct gen_axis axes[GEN_MAX_AXES];
    enum gen_reducer reducer;
    struct ir_expr *init;  /* over spatial axes; NULL without reducer */
    struct ir_expr *term;  /* over all axes */
    struct ir_expr *valid; /* points of the domain that count; NULL = all */
    struct ir_expr *guard; /* of the store, over spatial axes; NULL = always */
    size_t scan;           /* axis that the stage scans over; SIZE_MAX = none:
                              element i is element i-1 plus the term */
};

struct gen_program {
    struct ir_module *m; /* owned; shared by copies */
    struct gen_options options;
    struct dtype index; /* of indices: int32 or int64 */
    struct dtype main;  /* of most data */
    bool symbolic;
    struct ir_var *size; /* the symbolic dimension, as a variable of m */
    size_t ntensors;
    struct gen_tensor tensors[GEN_MAX_TENSORS];
    size_t nstages;
    struct gen_stage stages[GEN_MAX_STAGES];
    uint32_t kinds;
};

size_t gen_tensor_add(struct gen_program *p, const char *prefix,
                      struct dtype dtype, size_t rank,
                      const struct gen_dim *dims);
/* Appends an axis called prefix and a number; the stage has room for it. */
struct ir_expr *gen_axis_add(struct gen_program *p, struct gen_stage *s,
                             const char *prefix, struct gen_dim dim);
struct ir_expr *gen_dim_expr(struct gen_program *p, struct gen_dim dim);
bool gen_dim_same(struct gen_dim a, struct gen_dim b);
/* Points of the domain, with GEN_SIZE for the symbolic dimension. */
int64_t gen_stage_points(const struct gen_stage *s);

/* ---- gen_ops.c: expressions ------------------------------------------------ */

/* Integer arithmetic of indices: constants and units are folded, as TVM's own
 * operators do; otherwise what is printed would read back folded. */
struct ir_expr *gen_op(struct ir_module *m, enum ir_expr_kind kind,
                       struct ir_expr *a, struct ir_expr *b);
struct ir_expr *gen_op_int(struct ir_module *m, enum ir_expr_kind kind,
                           struct ir_expr *a, int64_t b);
struct ir_expr *gen_cast(struct ir_module *m, struct dtype t,
                         struct ir_expr *e);
struct ir_expr *gen_if(struct ir_module *m, struct ir_expr *cond,
                       struct ir_expr *a, struct ir_expr *b);
/* The conjunction of n conditions; NULL for none. */
struct ir_expr *gen_all(struct ir_module *m, size_t n,
                        struct ir_expr *const *conds);
/* A number of any arithmetic type. */
struct ir_expr *gen_number(struct ir_module *m, struct dtype t, double value);
/* reducer(a, b) */
struct ir_expr *gen_combine(struct ir_module *m, enum gen_reducer reducer,
                            struct ir_expr *a, struct ir_expr *b);
struct ir_expr *gen_unit(struct ir_module *m, enum gen_reducer reducer,
                         struct dtype t);

/* The node with other operands (as many), made in m. */
struct ir_expr *gen_rebuild(struct ir_module *m, const struct ir_expr *e,
                            struct ir_expr *const *args,
                            struct ir_expr *predicate);

/* A substitution. Loads go to `load` where it is set; it gets the indices
 * already substituted and may return NULL to keep the buffer. */
struct gen_map {
    struct ir_module *m; /* where results live */
    size_t n;
    const struct ir_var *from[GEN_MAX_AXES + 2];
    struct ir_expr *to[GEN_MAX_AXES + 2];
    struct ir_expr *(*load)(void *user, struct ir_buffer *buffer, size_t n,
                            struct ir_expr **indices);
    void *user;
};
void gen_map_add(struct gen_map *map, const struct ir_var *from,
                 struct ir_expr *to);
struct ir_expr *gen_map_expr(struct gen_map *map, const struct ir_expr *e);

/* Value of an integer expression over variables; false if it is none. */
struct gen_env {
    size_t n;
    const struct ir_var *var[GEN_MAX_LOOPS + 2];
    int64_t value[GEN_MAX_LOOPS + 2];
};
bool gen_eval(const struct ir_expr *e, const struct gen_env *env, int64_t *out);

/* ---- gen_term.c ------------------------------------------------------------ */

/* Whether the generator converts values of type a to b (float to int can give
 * undefined values). */
bool gen_can_cast(struct dtype a, struct dtype b);
/* A random value over the stage's axes, of type t. */
struct ir_expr *gen_value(struct gen_program *p, struct gen_stage *s,
                          struct gen_bytes *b, struct dtype t, unsigned depth);
/* A random condition over the first naxes axes of the stage. */
struct ir_expr *gen_axis_condition(struct gen_program *p,
                                   const struct gen_stage *s, size_t naxes,
                                   struct gen_bytes *b);
struct ir_expr *gen_tensor_load(struct gen_program *p, size_t tensor,
                                struct ir_expr *const *indices);
struct dtype gen_data_type(struct gen_bytes *b);

/* ---- gen_rewrite.c --------------------------------------------------------- */

/* Replaces the program by an equivalent one. */
void gen_rewrite(struct gen_program *p, struct gen_bytes *b,
                 struct gen_tuning *tuning);

/* ---- writing a program out ------------------------------------------------- */

struct gen_store {
    struct ir_buffer *buffer;
    bool flat;     /* one dimension, row-major */
    bool reversed; /* the last dimension first */
};

struct gen_emit {
    struct gen_program *p;
    struct ir_module *m;
    enum gen_form form;
    struct gen_bytes *b; /* choices; NULL: nothing is tuned */
    struct gen_tuning *tuning;
    struct ir_var *size;
    struct gen_store tensors[GEN_MAX_TENSORS];
    struct ir_var *launch; /* threadIdx.x of the fused kernel */
    bool local_scope;      /* scratch is per thread */
    unsigned serial;       /* for names */
};

void gen_note(struct gen_emit *x, enum gen_step step);
bool gen_tuned(struct gen_emit *x, uint64_t k, uint64_t of);
struct ir_var *gen_fresh_var(struct gen_emit *x, const char *prefix);
struct ir_expr *gen_extent(struct gen_emit *x, struct gen_dim dim);
/* The tensor's element as load, or as a store of value. */
struct ir_expr *gen_fetch(struct gen_emit *x, size_t tensor, size_t n,
                          struct ir_expr **indices);
struct ir_stmt *gen_put(struct gen_emit *x, size_t tensor, size_t n,
                        struct ir_expr **indices, struct ir_expr *value);
/* A program's expression in the module, with these values for the axes of the
 * stage. */
struct ir_expr *gen_written(struct gen_emit *x, const struct gen_stage *s,
                            struct ir_expr *const *axes,
                            const struct ir_expr *e);

struct ir_stmt *gen_launch(struct gen_emit *x, struct ir_var *var,
                           struct ir_expr *extent, const char *tag,
                           struct ir_stmt *body);
struct ir_stmt *gen_cond(struct gen_emit *x, struct ir_expr *cond,
                         struct ir_stmt *body);
struct ir_stmt *gen_alloc(struct gen_emit *x, struct ir_buffer *buffer);
struct ir_stmt *gen_barrier(struct gen_emit *x);

/* ---- gen_nest.c ------------------------------------------------------------ */

/* How a nest visits the domain of its stage. */
struct gen_order {
    bool same;       /* ordered axes: as in the stage, for each element */
    bool starts_low; /* each element starts with all ordered axes 0 */
};

struct gen_loop {
    struct ir_var *var;
    struct ir_expr *extent;
    enum ir_for_kind kind;
    const char *tag; /* kind THREAD */
    int64_t base;    /* where it starts */
    int64_t step;    /* 0 means 1; extent counts units, not steps */
    unsigned axes;   /* bits: axes whose value it is part of */
};

struct gen_nest {
    struct gen_emit *x;
    const struct gen_stage *s;
    size_t nloops;
    struct gen_loop loops[GEN_MAX_LOOPS];
    struct ir_expr *value[GEN_MAX_AXES]; /* of each axis, over loop vars */
    size_t nguards;
    struct ir_expr *guards[GEN_MAX_GUARDS];
    unsigned ordered;       /* bits: axes whose order matters */
    struct gen_order order; /* once settled */
};

void gen_nest_init(struct gen_nest *nest, struct gen_emit *x,
                   const struct gen_stage *s);
void gen_nest_init_spatial(struct gen_nest *nest, struct gen_emit *x,
                           const struct gen_stage *s);
bool gen_nest_split(struct gen_nest *nest, size_t i, int64_t factor);
bool gen_nest_fuse(struct gen_nest *nest, size_t i);
void gen_nest_reverse(struct gen_nest *nest, size_t i);
void gen_nest_swap(struct gen_nest *nest, size_t i);
bool gen_is_ordered(const struct gen_nest *nest, size_t i);
int64_t gen_loop_extent(const struct gen_nest *nest, size_t i); /* -1: not
                                                                   constant */
/* Moves the loops over free axes outwards. */
void gen_nest_free_first(struct gen_nest *nest);
/* free axes in one loop of blockIdx.x and one of threadIdx.x, the others in
 * them. */
void gen_nest_bind(struct gen_nest *nest, int64_t threads);
/* Random changes of the loops from number `from` on; then of their kinds. */
void gen_nest_tune(struct gen_nest *nest, size_t from);
void gen_nest_mark(struct gen_nest *nest, bool innermost_free);

struct gen_order gen_nest_order(const struct gen_nest *nest);
/* Sets nest->order, and the claim where it is another one than the stage's. */
void gen_nest_settle(struct gen_nest *nest);
/* Takes loop i out; its variable becomes `by`. */
void gen_nest_drop(struct gen_nest *nest, size_t i, struct ir_expr *by);

struct ir_stmt *gen_for(struct gen_emit *x, const struct gen_loop *loop,
                        struct ir_stmt *body);
/* Loops from..to-1 around the body. */
struct ir_stmt *gen_nest_wrap(const struct gen_nest *nest, size_t from,
                              size_t to, struct ir_stmt *body);

/* ---- gen_blocks.c, gen_stage.c, gen_kernel.c: statements of a stage ---------------------- */

struct gen_stmts {
    size_t n;
    struct ir_stmt *items[8];
};
/* Appends the statements that compute the stage. */
void gen_stage_emit(struct gen_emit *x, const struct gen_stage *s,
                    struct gen_stmts *out);
void gen_stmts_add(struct gen_stmts *list, struct ir_stmt *s);
/* The statement, or the sequence of them. */
struct ir_stmt *gen_stmts_seq(struct gen_emit *x, const struct gen_stmts *list);
/* One point: tensor[…] = init, tensor[…] = its new value. */
struct ir_stmt *gen_point_init(struct gen_emit *x, const struct gen_stage *s,
                               struct ir_expr *const *axes);
struct ir_stmt *gen_point_update(struct gen_emit *x, const struct gen_stage *s,
                                 struct ir_expr *const *axes);
void gen_blocks_emit(struct gen_emit *x, const struct gen_stage *s,
                     struct gen_stmts *out);
/* The stage in the settled nest, as loops from number `outer` on, in any style
 * that the order of the nest allows. */
void gen_stage_loops(struct gen_nest *nest, size_t outer,
                     struct gen_stmts *out);
void gen_kernel_stage(struct gen_emit *x, const struct gen_stage *s,
                      struct gen_stmts *out);
/* With vector loads and stores; false if that does not fit the stage. */
bool gen_vector_stage(struct gen_emit *x, const struct gen_stage *s,
                      struct gen_stmts *out);
/* All stages in one thread block; its statements. */
struct ir_stmt *gen_kernel_fused(struct gen_emit *x);

#endif
