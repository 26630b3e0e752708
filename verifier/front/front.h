/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk that makes a vprog (program.h); private to front*.c and spec/.
 *
 * A pass over the function keeps what is around a statement: scopes, place in
 * time, what each variable and buffer of the source stands for. Some facts
 * about a storage hold for all its accesses (one shape or a flat one, R4's
 * privacy, which bytes are used as what). They are collected on the way; when
 * one turns out other than assumed, the pass is made again with it. Facts only
 * grow, so that this ends.
 */
#ifndef DC_VERIFIER_FRONT_FRONT_H
#define DC_VERIFIER_FRONT_FRONT_H

#include "verifier/front/program.h"
#include "verifier/smt/obligation.h"

/* A parallel, vectorised or thread-bound loop on the way down. */
struct par_loop {
    struct par_loop *parent;
    const struct ir_stmt *stmt;
    uint32_t depth;
};

/* A part of the bytes of a storage that is used under several types. */
struct byte_range {
    int64_t lo, hi; /* bytes, hi exclusive */
    struct dtype type;
};

/* What holds for all accesses to the storage of one allocated buffer. */
struct facts {
    const struct ir_buffer *buffer;
    bool flat;   /* some go through a view of another shape: linear index */
    bool punned; /* some go through a view of another element type */
    bool warp;   /* one copy for each warp, not for each of its threads */
    bool collecting, ranges_done;
    struct VEC(struct byte_range) ranges; /* punned: of all accesses */
    struct par_loop *at, *common;         /* allocated at; all accesses below */
    int64_t tile[3]; /* m, n, k of a fragment's tiles; 0: not known */
    const struct ir_stmt *moved; /* R4: the loop it is private to */
    bool of_block;               /* allocated by a block, not by a statement */
    uint32_t launch;             /* of this pass, that has used it; 0: none */
    bool several;                /* launches of this pass have */
};

enum scope_class { CLASS_GLOBAL, CLASS_LOCAL, CLASS_SHARED, CLASS_WARP };

/* A storage under construction; pub comes first. */
struct fstorage {
    struct vstorage pub;
    const struct ir_buffer *source;
    struct facts *facts;
    struct dtype scalar;
    uint32_t lanes; /* of an element of the source buffer */
    bool flat;
    size_t rank;             /* of the source buffer */
    struct ir_expr **shape;  /* its shape, evaluated where it is allocated */
    struct ir_expr **stride; /* in elements */
    struct ir_expr *total;   /* scalar elements */
    size_t nprefix;          /* indices in front: thread axes made explicit */
    struct ir_expr **prefix; /* the running thread's */
    struct launch *launch;   /* where it was made; NULL: on the host */
    size_t nparts;           /* punned: a storage for each range and type */
    struct fstorage **parts;
    int64_t part_lo; /* of a part: its range, in bytes */
    int64_t part_hi;
    bool listed;
};

/* What a source buffer's indices mean: a box of the storage, or an affine
 * function of a linear index. */
struct fview {
    struct fstorage *storage;
    const struct ir_buffer *buffer;
    struct dtype scalar;
    uint32_t lanes;
    size_t rank;
    bool box;
    struct ir_expr **base; /* box: by storage dimension; NULL = 0 */
    int *from; /* box: by storage dimension: the view's own, or -1 */
    struct ir_expr *offset;  /* linear: in scalars of the view's type */
    struct ir_expr **stride; /* linear: in scalars of the view's type */
    struct ir_expr **shape;
};

struct fpointer {
    struct fstorage *storage;
    struct ir_expr *offset; /* in units of unit bytes; NULL = 0 */
    uint32_t unit;
    struct dtype elem; /* what it points to; DT_VOID: not said */
};

/* What a variable of the source stands for. */
struct binding {
    enum {
        BOUND_NOT,
        BOUND_EXPR,
        BOUND_POINTER,
        BOUND_VECTOR,
        BOUND_LANES
    } kind;
    struct ir_expr *expr; /* EXPR: scalar. VECTOR: source expression. */
    struct fpointer pointer;
    struct fstorage *lanes; /* LANES: storage of a bound vector */
    bool loop;              /* of a loop of the source that is not a thread's */
    bool faults;            /* of a let in an expression: it may */
    uint32_t block_depth;   /* blocks around that loop */
    const struct par_loop *par; /* around that loop */
};

struct undo {
    bool is_view;
    uint32_t id;
    struct binding binding;
    struct fview *view;
};

struct axis {
    const char *tag;
    struct vloop *loop;
    struct ir_expr *source_extent;
    bool is_block, is_vthread, is_thread; /* blockIdx, vthread, threadIdx */
    bool unit; /* of extent 1: its index is 0, and there is no loop */
};

#define FRONT_MAX_AXES 32

struct launch {
    uint32_t number; /* from 1 */
    size_t naxes;
    struct axis axes[FRONT_MAX_AXES];
    size_t norder;
    int order[FRONT_MAX_AXES]; /* in time: outermost first; no unit axes */
};

/* About a variable that the front end made. */
struct var_info {
    struct vloop *loop;    /* or: */
    struct ir_expr *value; /* of a LET */
    uint32_t axes;         /* launch axes it depends on, as bits */
    size_t nstores;        /* of a LET: stores made before it */
};

struct front {
    struct vprog *p;
    const struct ir_module *module;
    struct ir_module *m;   /* scratch */
    struct arena *arena;   /* of this pass's program */
    struct arena *lasting; /* of the facts */
    bool again;            /* a fact has changed */
    bool moves;            /* some facts have moved set */
    unsigned pass;
    struct facts **facts; /* by source buffer */
    struct binding *env;  /* by source variable */
    struct fview **views; /* by source buffer */
    struct VEC(struct undo) undo;
    struct VEC(struct var_info) infos; /* by id - module->nvars */
    struct VEC(struct vscope) scopes;
    struct VEC(
        size_t) scopes_at; /* what had been emitted when each was opened */
    struct VEC(struct vstep) steps;
    struct VEC(struct vstorage *) storages;
    struct VEC(struct vloop *) loops;
    struct VEC(struct vstore *) stores;
    struct VEC(struct vassert *) asserts;
    struct VEC(struct vbarrier *) barriers;
    struct VEC(struct vgroup *) groups;
    struct VEC(struct veval *) evals;
    struct VEC(struct vsymbol) symbols;
    struct VEC(const struct ir_buffer *) live; /* allocated on the host */
    struct launch *launch;
    uint32_t nlaunches;
    struct par_loop root, *par;
    uint32_t block_depth;
    const struct ir_stmt *stmt; /* being translated */
    const struct ir_stmt *last; /* a return here leaves nothing out */
    const char *block_name;
    bool in_init, in_reduction;
    const struct ir_comm_reducer *reducer;
    struct VEC(struct exchange) exchanges;
    struct VEC(struct kept_mask) masks;
    struct VEC(struct kept_floor) floors;
#ifdef DC_TEST_OBLIGATIONS
    const char *leave_out; /* obligation.h */
#endif
};

/* A warp-wide call of the running statement and what each lane gave to it. */
struct exchange {
    const struct ir_expr *call;
    struct fstorage *given; /* by threadIdx.x; NULL: nothing */
};

/* An array whose first element was read as a mask with all these lanes. */
struct kept_mask {
    const struct vstorage *storage;
    uint32_t full;
};

/* A storage whose values have all come of an identity by an operation that
 * takes the greater or the lesser. */
struct kept_floor {
    const struct vstorage *storage;
    enum ir_expr_kind op;
    const struct ir_expr *identity;
};

/* Questions about an expression look through names; where those are used twice
 * each, a chain is a tree: so many expressions are looked at. */
#define FRONT_STEPS 2000u

struct front_mark {
    size_t scopes, steps, undo, live;
};

/* ---- front.c ------------------------------------------------------------------- */

/* The program is not supported: the first reason is kept. */
void front_refuse(struct front *f, struct ir_pos pos, const char *fmt, ...)
    DC_PRINTF(3, 4);
bool front_failed(const struct front *f);
/* A variable that the parameters give. */
bool front_is_symbol(const struct front *f, const struct ir_var *var);
/* Facts about the storage of an allocated source buffer. */
struct facts *front_facts(struct front *f, const struct ir_buffer *b);

/* ---- front_build.c: expressions, scopes, stores ------------------------------------ */

struct front_mark front_mark(struct front *f);
/* Back to what was around the mark. */
void front_reset(struct front *f, struct front_mark mark);
void front_bind(struct front *f, const struct ir_var *var,
                struct binding binding);
void front_bind_expr(struct front *f, const struct ir_var *var,
                     struct ir_expr *value);
/* A dimension, stride or offset that a buffer's declaration defines. Refuses
 * narrow types, which may not hold the value. */
void front_bind_symbol(struct front *f, const struct ir_var *var,
                       struct ir_expr *value);
void front_set_view(struct front *f, const struct ir_buffer *buffer,
                    struct fview *view);
const struct var_info *front_info(const struct front *f,
                                  const struct ir_var *var);
/* Launch axes that an expression depends on, as bits. */
uint32_t front_axes(const struct front *f, struct ir_expr *e);

struct vloop *front_loop_make(struct front *f, const char *name,
                              struct dtype type, struct ir_expr *min,
                              struct ir_expr *extent, enum ir_for_kind kind);
/* Opens the loop: its scope, and its step unless it is a thread's. */
void front_loop_open(struct front *f, struct vloop *loop);
/* A loop 0 … extent - 1 over int32; its variable. */
struct ir_expr *front_loop(struct front *f, const char *name, int64_t extent,
                           bool unordered);
void front_position(struct front *f, uint32_t pos);
/* The same for what one statement does first and then: no barrier of any kind
 * lies between (R3). */
void front_part(struct front *f, uint32_t pos);
/* x, with the value evaluated beside it, which nothing reads (R7). */
struct ir_expr *front_evaluated(struct front *f, struct ir_expr *value,
                                struct ir_expr *x);
/* The value under a name where it stands in time; itself when it is trivial. */
struct ir_expr *front_let(struct front *f, const char *name,
                          struct ir_expr *value);
/* The value as it is now, under a name if it reads memory: for what is used while
 * that may be stored to. */
struct ir_expr *front_fixed(struct front *f, const char *name,
                            struct ir_expr *value);
void front_guard(struct front *f, struct ir_expr *cond, bool negated);

struct vstore *front_store(struct front *f, struct fstorage *s, size_t n,
                           struct ir_expr *const *index, struct ir_expr *value);
/* The same with a loop over lanes around; lane is its variable. */
void front_assert(struct front *f, struct ir_expr *cond);
void front_eval(struct front *f, struct ir_expr *value);
void front_barrier(struct front *f, const char *scope);
/* Asynchronous copies (spec_async.c): the end of a group, a wait for all groups
 * but `pending`. */
void front_commit(struct front *f);
void front_wait(struct front *f, struct ir_expr *pending);
void front_finish(struct front *f);

struct ir_expr *fx_int(struct front *f, struct dtype t, int64_t v);
struct ir_expr *fx_index(struct front *f, int64_t v); /* int64 */
/* Constants are folded and units left out; operands of unlike types become
 * int64. */
struct ir_expr *fx_add(struct front *f, struct ir_expr *a, struct ir_expr *b);
struct ir_expr *fx_sub(struct front *f, struct ir_expr *a, struct ir_expr *b);
struct ir_expr *fx_mul(struct front *f, struct ir_expr *a, struct ir_expr *b);
struct ir_expr *fx_floordiv(struct front *f, struct ir_expr *a,
                            struct ir_expr *b);
struct ir_expr *fx_floormod(struct front *f, struct ir_expr *a,
                            struct ir_expr *b);
struct ir_expr *fx_eq(struct front *f, struct ir_expr *a, struct ir_expr *b);
struct ir_expr *fx_lt(struct front *f, struct ir_expr *a, struct ir_expr *b);
/* Cast unless it has the type; integer constants are folded. */
struct ir_expr *fx_cast(struct front *f, struct dtype t, struct ir_expr *a);
struct ir_expr *fx_wide(struct front *f, struct ir_expr *a);
struct ir_expr *fx_choose(struct front *f, struct ir_expr *cond,
                          struct ir_expr *a, struct ir_expr *b);
struct ir_expr *fx_undef(struct front *f, struct dtype t);
/* An expression of another kind with these operands. */
struct ir_expr *fx_rebuild(struct front *f, const struct ir_expr *e,
                           struct dtype t, size_t n, struct ir_expr **args);
bool fx_same(const struct ir_expr *a, const struct ir_expr *b);
/* Whether the operation can fault: it divides, reads or calls; and whether
 * something in the expression can. */
bool fx_faults_itself(const struct ir_expr *e);
bool fx_may_fault(const struct ir_expr *e);
/* Bounds of an integer expression from constant loop ranges; false if none. */
bool fx_range(const struct front *f, const struct ir_expr *e, int64_t *lo,
              int64_t *hi);

/* ---- front_view.c: storages, views, pointers --------------------------------------- */

enum scope_class front_scope_class(const char *scope);
bool front_is_fragment(const char *scope);
/* Fresh storage for a source buffer, with the loops around as its privates. */
struct fstorage *front_storage(struct front *f, const struct ir_buffer *b);
/* That of a parameter, which keeps its shape. */
struct fstorage *front_parameter(struct front *f, const struct ir_buffer *b,
                                 int number);
/* Storage without a source: its shape is given; private to all that is around
 * but the launch axes in `shared`. */
struct fstorage *front_temporary(struct front *f, const char *name,
                                 struct dtype scalar, size_t rank,
                                 struct ir_expr *const *shape, uint32_t shared);
/* The storage of a source buffer and its data variable. */
void front_own(struct front *f, const struct ir_buffer *b, struct fstorage *s);
void front_declare(struct front *f, const struct ir_buffer *b,
                   const struct fpointer *p);
void front_match(struct front *f, const struct ir_match_buffer *match);
/* NULL after a refusal. */
struct fview *front_view(struct front *f, const struct ir_buffer *b);

struct faccess {
    struct fstorage *storage;
    size_t n;
    struct ir_expr **index;
};
/* elem: lane of a vector element, or NULL. False after a refusal. */
bool front_access(struct front *f, const struct fview *v, size_t n,
                  struct ir_expr *const *index, struct ir_expr *elem,
                  struct faccess *out);
/* Element `index` (in scalars of type t) from a pointer on. */
bool front_access_at(struct front *f, const struct fpointer *p, struct dtype t,
                     struct ir_expr *index, struct faccess *out);
/* front_pun.c: the same for storage used under several types. */
void front_ranges_begin(struct front *f);
void front_ranges_end(struct front *f);
bool front_access_part(struct front *f, struct fstorage *s, struct dtype t,
                       struct ir_expr *at, struct faccess *out);
struct ir_expr *front_load(struct front *f, const struct faccess *a);
void front_store_at(struct front *f, const struct faccess *a,
                    struct ir_expr *value);
/* front_forward.c: the value of a store, with what it reads by way of names
 * from the cell itself in their place. */
struct ir_expr *front_taken_on(struct front *f, const struct faccess *to,
                               struct ir_expr *value);
/* Where an expression of a pointer points to; integers in it that can fault are
 * evaluated where it stands, whether or not the pointer is used (R7). */
bool front_pointer(struct front *f, struct ir_expr *e, struct fpointer *out);
/* Marks an access in the facts about R4. */
void front_touch(struct front *f, struct fstorage *s);
/* R4: refuses what several launches have in common, when all is seen. */
void front_check_launches(struct front *f);
void front_list(struct front *f, struct fstorage *s);

/* ---- front_expr.c ---------------------------------------------------------------- */

/* What of it can fault is evaluated where it stands (R7). */
void front_eval_if(struct front *f, struct ir_expr *e);
/* The same of the shape, strides and offset of a buffer that is made here. */
void front_eval_buffer(struct front *f, const struct ir_buffer *b);

/* The scalar that a source expression is, or one lane of it. Never NULL. */
struct ir_expr *front_expr(struct front *f, struct ir_expr *e,
                           struct ir_expr *lane);
struct ir_expr *front_scalar(struct front *f, struct ir_expr *e);

/* ---- front_stmt.c, front_block.c, front_thread.c, front_reduce.c ------------------- */

void front_stmt(struct front *f, struct ir_stmt *s);
void front_block(struct front *f, struct ir_stmt *s);
/* A thread binding: launches, or names the axis. */
void front_thread(struct front *f, struct ir_stmt *s);
/* The running thread's index along an axis. */
struct ir_expr *front_axis_value(struct front *f, const struct axis *a);
/* The axis that lanes lie along; NULL: none. */
const struct axis *front_lane_axis(const struct front *f);
/* Warps lie along threadIdx.x alone. */
bool front_warps_along_x(const struct front *f);
/* Whether all lanes of a warp give an expression the same value. */
bool front_is_uniform(const struct front *f, const struct ir_expr *e);
/* The body of a loop of the source, with what R4 puts there. */
void front_par_body(struct front *f, struct ir_stmt *loop,
                    struct ir_stmt *body);
void front_decide_moves(struct front *f);
/* A cross-thread reduction whose root this statement is: whether it was. */
bool front_reduction(struct front *f, struct ir_stmt *s);
void front_allreduce(struct front *f, struct ir_expr *call);
/* When all stores are known: identities that were taken as parts of what threads
 * give are. */
void front_check_floors(struct front *f);

/* front_warp.c: warp-wide calls in the operands of a statement, done before
 * it. */
void front_exchanges(struct front *f, struct ir_stmt *s);
struct ir_expr *front_shuffle(struct front *f, struct ir_expr *call);
struct ir_expr *front_active_mask(struct front *f, struct ir_expr *call);
/* At the end of a pass: what was taken for a full mask is one. */
void front_check_masks(struct front *f);

/* ---- spec/: what intrinsics do ------------------------------------------------------ */

struct vspec {
    const char *name, *summary;
    /* As a statement: emits stores. False: not this one's. */
    bool (*stmt)(struct front *f, struct ir_expr *call);
    /* As a value, or one lane of it: NULL: not this one's. */
    struct ir_expr *(*value)(struct front *f, struct ir_expr *call,
                             struct ir_expr *lane);
};
extern const struct vspec *const vspecs[];

#endif
