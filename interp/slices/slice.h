/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside of slices; private to slice*.c. The idea is told in slice.c.
 */
#ifndef DC_INTERP_SLICES_SLICE_H
#define DC_INTERP_SLICES_SLICE_H

#include "interp/machine/exec.h"
#include "interp/slices/slice_set.h"

/* Storage that the function writes: one class of aliasing buffers, with the
 * cells of it that are demanded. */
struct region {
    uint32_t root;       /* data variable that owns the storage */
    size_t unit;         /* bytes of a cell: divides all its lane types */
    bool coarse;         /* layout not known in advance: all or nothing */
    bool all;            /* every cell is demanded */
    bool own;            /* lives in one SLICE_ATOMIC sequence: nobody else
                            can demand it */
    struct cell_set set; /* unless coarse */
};

/* How a buffer lies in its region, in cells. */
struct place {
    struct region *region; /* NULL: storage that is never written */
    struct span base;
    bool exact; /* strides and shape are known, row-major without overlap */
    size_t rank;
    const int64_t *stride, *shape;
    int64_t elem; /* cells of one element */
};

enum slice_flag {
    SLICE_SYNC = 1,   /* holds a barrier or a collective */
    SLICE_BELOW = 2,  /* inside of a thread block: below a binding of threadIdx
                        or a vthread, or within the body of the blockIdx */
    SLICE_LOCK = 4,   /* threads go through it together */
    SLICE_ATOMIC = 8, /* runs whole or not at all: nothing inside is left out */
    SLICE_INSIDE = 16,  /* below a SLICE_ATOMIC statement */
    SLICE_WRITES = 32,  /* an expression of its own may write memory */
    SLICE_ESCAPES = 64, /* holds a break, continue or return */
    SLICE_GRID = 256,   /* holds a binding of blockIdx */
    SLICE_FIXED = 128   /* never left out where its sequence runs */
};

struct slice_stmt {
    const struct ir_stmt *stmt;
    struct slice_stmt *parent;
    unsigned flags;
    uint64_t *stores; /* regions stored to below: bits */
    /* Loop bodies: iterations lo..hi are known to be superfluous for the
     * current values of the variables outside. */
    int64_t idle_lo, idle_hi;
};

struct slice {
    struct machine *m;
    struct arena *arena;
    size_t nvars, nbuffers;
    const uint32_t *class_of; /* by variable: the plan's */
    size_t nregions, nwords, ncells;
    struct region *regions;
    uint32_t *region_of;  /* by class: index + 1, 0 = never written */
    struct place *places; /* by buffer; .shape NULL = not worked out */
    int64_t **layouts;    /* by buffer: storage behind places */
    const struct ir_match_buffer **matches; /* by buffer; NULL = none */
    const struct ir_stmt **decls;           /* by buffer: decl with a pointer */
    /* statements */
    size_t nstmts, cap;
    bool settling; /* before the walks: only the function's symbols are set */
    bool shared;   /* a statement stands in two places */
    bool returns;  /* a return may cut loops or branches short */
    struct slice_stmt **table;
    /* variables: inner (of the subtree under examination), wide (ancestors
     * with thread indices as ranges), outer (while collecting) */
    struct span *inner, *wide, *outer;
    uint32_t *inner_epoch, *wide_epoch;
    bool *outer_set;
    uint32_t epoch; /* of inner and wide */
    bool use_wide, collecting;
    bool progress; /* the last walk demanded something new */
    /* last answer for a lockstep statement, and when: holds for all threads */
    const struct slice_stmt *asked;
    uint64_t asked_at;
    bool answer;
    uint64_t work; /* nodes looked at */
    struct VEC(
        const struct ir_stmt *) threads; /* bindings around, collecting */
};

/* slice_eval.c. Values of expressions; unknown when they depend on data. */
struct span slice_span(struct slice *s, const struct ir_expr *e);
/* False unless the value is one known number. */
bool slice_known(struct slice *s, const struct ir_expr *e, int64_t *out);
void slice_bind(struct slice *s, const struct ir_var *var, struct span value);
/* Starts a new examination: forgets inner and wide variables. */
void slice_begin(struct slice *s);
/* Calls set for the variables that a block's match_buffers bind: offset,
 * strides, shape. */
void slice_match_vars(struct slice *s, const struct ir_block *b,
                      void (*set)(struct slice *s, const struct ir_var *var,
                                  struct span value));
struct place slice_place(struct slice *s, const struct ir_buffer *buffer);
struct region *slice_region(const struct slice *s, const struct ir_var *data);
/* Whether a store to buffer[indices] may hit a demanded cell. */
bool slice_store_hits(struct slice *s, const struct ir_buffer *buffer, size_t n,
                      struct ir_expr *const *indices);
/* Demands all that an expression may read. */
void slice_mark(struct slice *s, const struct ir_expr *e);
/* Whether a call in the expression may write a demanded cell. */
bool slice_call_hits(struct slice *s, const struct ir_expr *e);
/* Whether an expression holds a call that may write memory; its regions are
 * added to stores (bits). */
bool slice_call_writes(struct slice *s, const struct ir_expr *e,
                       uint64_t *stores);
bool slice_region_demanded(const struct region *r);

/* slice_need.c */
bool slice_needed(struct slice *s, const struct ir_stmt *stmt);
/* Statements for which slice_needed is true whatever is demanded. */
bool slice_forced(const struct slice_stmt *n);
/* Range of a loop's variable; lo > hi when it runs nothing. */
struct span slice_loop_span(struct slice *s, const struct ir_stmt *stmt);
/* The same for any thread binding. */
struct span slice_thread_span(struct slice *s, const struct ir_stmt *stmt);

#endif
