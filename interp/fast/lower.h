/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by lower.c (statements) and lower_expr.c (expressions); private to
 * interp/fast/.
 */
#ifndef DC_INTERP_FAST_LOWER_H
#define DC_INTERP_FAST_LOWER_H

#include "interp/fast/fast_engine.h"

enum binding_kind { BOUND_NOT, BOUND_AFFINE, BOUND_SLOT, BOUND_STORE };
struct binding {
    enum binding_kind kind;
    bool data;    /* depends on a parameter's contents */
    bool matched; /* bound by a match_buffer, to be unbound at its end */
    struct affine at;
    struct fx *value; /* SLOT: what was bound */
    uint32_t slot;
    struct store *store;
};

/* A buffer's shape over a storage. */
struct fast_view {
    struct store *store;
    int64_t *dim, *stride;
    struct affine base;
    bool distinct; /* other indices are other elements, at any time */
};

struct fast_kernel;
struct lower {
    struct engine *e;
    struct binding *vars;       /* by id - plan.var_base */
    struct fast_view **views;   /* by id - plan.buffer_base */
    struct node **tail;         /* where the next node goes */
    struct node *loop;          /* around it */
    uint64_t *cost;             /* steps of the piece that is being lowered */
    uint64_t *group;            /* in a kernel in lanes: those that all threads
                                   take together; else NULL */
    unsigned varying;           /* guards around that depend on the thread */
    bool per_block;             /* global storage is made once a block */
    struct fast_kernel *kernel; /* lower_kernel.c: that is being lowered */
    struct node *vector;        /* loop over the lanes of a vector statement */
    unsigned address;           /* inside of something that is an address */
    bool data;                  /* an affine form used a binding with data */
};

struct fast_kernel {
    const struct ir_kernel *plan;
    int64_t extent[EXEC_MAX_AXES];   /* by axis */
    struct affine at[EXEC_MAX_AXES]; /* by axis: the index */
    struct node *threads; /* lower_coop.c: the loop over them; else NULL */
    int64_t nthreads, nlinear;
    bool warps; /* a warp's lanes stand side by side from a multiple of 32 */
};

/* lower_coop.c: a kernel whose threads run in lanes. */
bool lower_launch_coop(struct lower *l, struct fast_kernel *k,
                       const struct ir_stmt *s);
/* Steps of a statement as it is met, before its parts. */
void lower_stmt_cost(struct lower *l, const struct ir_stmt *s);
/* A barrier that rule 3 puts before a statement of `parent`, or at a loop's back
 * edge. parent NULL: a block that has an init. */
void lower_implicit_barrier(struct lower *l, const struct ir_stmt *parent,
                            const struct ir_stmt *s);
/* Whether storage has this share when it is made here. */
bool lower_share(struct lower *l, struct store *x);
/* Whether a guard goes different ways in the threads of a block. */
bool lower_guard_varies(const struct lower *l, const struct guard *g);
/* A barrier or warp-wide operation; false after giving up. *known: whether it
 * was one. */
bool lower_collective(struct lower *l, const struct ir_expr *call, bool *known);
/* lower_tile.c: the same of operations on fragments. */
bool lower_tile(struct lower *l, const struct ir_expr *call, bool *known);
/* Adds steps that all threads of a block take together. */
void lower_group_cost(struct lower *l, uint64_t steps);
struct node *lower_node(struct lower *l, enum node_kind kind);
/* A check to be made at run time unless the interval shows it. */
void lower_check(struct lower *l, struct access *x, const struct affine *at,
                 int64_t dim);

/* Adds steps, saturating. */
void lower_cost(struct lower *l, uint64_t steps);
/* Steps of an expression without guards. */
uint64_t lower_expr_cost(const struct ir_expr *e);
struct binding *lower_binding(struct lower *l, const struct ir_var *var);
/* NULL after giving up. */
struct fast_view *lower_view(struct lower *l, const struct ir_buffer *buffer);
/* No effect but l->data; false where the expression is not affine. */
bool lower_affine(struct lower *l, const struct ir_expr *e, struct affine *out);
/* Charges the steps. NULL after giving up. */
struct fx *lower_expr(struct lower *l, const struct ir_expr *e);
/* Whether it is known if x, of an address or condition, depends on a parameter's
 * contents; sets *data where it does. */
bool lower_known_data(struct lower *l, const struct fx *x, bool *data);
/* Storage for a buffer, its view and its data variable; *cost grows by the
 * steps of its shape. */
struct store *lower_storage(struct lower *l, const struct ir_buffer *b,
                            uint64_t *cost);
bool lower_args(struct lower *l);
/* A match_buffer: another view of part of a buffer; and its end. */
bool lower_match(struct lower *l, const struct ir_match_buffer *x);
void lower_unmatch(struct lower *l, const struct ir_match_buffer *x);
/* Slot of a buffer's view; NULL for one that the function does not have. */
struct fast_view **lower_view_slot(struct lower *l, const struct ir_buffer *b);
bool lower_stmt(struct lower *l, const struct ir_stmt *s);
/* A new loop at the tail; NULL after giving up. */
struct node *lower_loop_node(struct lower *l);
/* The buffers that each iteration of a loop has for itself: made, or gone. */
bool lower_moved(struct lower *l, const struct ir_stmt *s, bool make);
/* A thread binding: launches a kernel, or names an index in one. */
bool lower_thread(struct lower *l, const struct ir_stmt *s);
struct access *lower_access(struct lower *l, const struct ir_buffer *buffer,
                            size_t n, struct ir_expr *const *indices);
/* Charges the condition's steps, not those of the branches. */
bool lower_guard(struct lower *l, const struct ir_expr *e, struct guard *out);
/* Whether a guard without value holds, or fails, always. */
bool lower_guard_is_true(const struct guard *g);

#endif
