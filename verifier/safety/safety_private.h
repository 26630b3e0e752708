/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of the safety proof (safety.h): the tree of scopes that statements
 * share, places in it, accesses. Private to safety.c, bounds.c,
 * intervals.c, storage_bounds.c, facts.c, races.c, copies.c and uniform.c.
 */
#ifndef DC_VERIFIER_SAFETY_SAFETY_PRIVATE_H
#define DC_VERIFIER_SAFETY_SAFETY_PRIVATE_H

#include "verifier/safety/safety.h"
#include "verifier/value/clean.h"

/* Inclusive bounds of an integer, within +-SPAN_END; an end at SPAN_END says
 * nothing. Of the mathematical value: it is the program's value where every
 * operation below has been shown to fit. */
#define SPAN_END (INT64_C(1) << 61)
struct bounds {
    int64_t lo, hi;
};

/* What a value is used for, in ascending order of what has to hold of it. */
enum reach {
    REACH_NOTHING, /* data: it may wrap, and be undefined */
    REACH_USE,     /* an address, an extent or a condition: a fault otherwise */
    REACH_DIVISOR  /* it must be what it is taken for, though to overflow is no
                      fault there: the untuned program's word says nothing */
};

/* One scope of one or more statements, below the scopes of its parents. */
struct snode {
    struct snode *parent, *child, *sibling;
    struct vscope scope;
    size_t depth;       /* scopes, this one included; the root has 0 */
    bool checked;       /* its expressions were, and no fault was found */
    bool quiet;         /* made while accesses were not noted */
    struct bounds span; /* LOOP, LET: of the variable */
    /* LET: whether what it is used for may be an address, wherever it is; the
     * last place where that was asked for that place alone. */
    bool asked, reached;
    const struct snode *used_at;
    enum reach used_for;
    struct bounds used_span;
};

/* Where and when something is evaluated. */
struct place {
    struct snode *node;
    size_t nsteps;
    const struct vstep *steps;
    size_t nread; /* loads see what was stored before so many steps */
    struct ir_pos pos;
    const char *name; /* of the block, or NULL */
    /* Made when interval arithmetic does not do. */
    struct vinst *inst;
    const struct form *ctx;
    struct VEC(struct seen) seen;
};

/* An expression that was walked at a place: expressions are shared. */
struct seen {
    const struct ir_expr *e;
    enum reach reach;
    struct bounds span;
};

struct saccess {
    const struct vstorage *storage;
    struct snode *node;
    size_t nsteps;
    const struct vstep *steps;
    size_t nindex;
    struct ir_expr *const *index;
    bool write;
    const struct vstore *store; /* that it belongs to; NULL: none */
    struct ir_pos pos;
    const char *name;
    struct vinst *inst;      /* race.c: the first of two instances */
    const struct aff **cell; /* race.c: of that */
    bool repeated;           /* race.c: another access stands for it */
    bool stands;             /* race.c: for accesses of other stores */
};

struct safety {
    struct vctx *c;
    const struct vprog *p;
    struct vsafety *out;
    bool untuned;
    bool leaned; /* the last obligation was about data, and rests on what the
                    untuned program does */
    struct snode root;
    const struct form *sizes; /* assumed of symbolic sizes */
    unsigned quiet;           /* > 0: accesses are not noted */
    unsigned trying;          /* > 0: what is not shown is no failure */
    bool try_failed;
    struct VEC(struct saccess) accesses;
    /* By loop id: one variable for each loop of the program, and another one
     * for the second of two instances. */
    const struct aff **loops[2];
};

/* safety.c */
/* Notes what was not shown, if it is the first; always false. */
bool safety_fail(struct safety *s, enum vsafety_kind kind,
                 const struct place *pl, const char *fmt, ...) DC_PRINTF(4, 5);
/* Something was not shown: nothing more is to be done. */
bool safety_failed(const struct safety *s);
/* Keeps the solver's last model as the candidate. */
void safety_candidate(struct safety *s, const struct vstorage *storage,
                      size_t nindex, const struct aff *const *index);
/* The scope's node below parent; its expressions are checked when it is new.
 * NULL after a failure. */
struct snode *safety_enter(struct safety *s, struct snode *parent,
                           const struct vscope *scope, const char *name,
                           struct ir_pos pos);
void place_fini(struct place *pl);
/* A fresh instance there and what holds of it; conditions that are not
 * understood are left out. loops: see vinst_from. */
struct vinst *safety_instance(struct safety *s, const struct snode *node,
                              size_t nsteps, const struct vstep *steps,
                              const struct aff **loops);
/* Instance and context of the place; NULL after a failure. */
const struct form *place_ctx(struct safety *s, struct place *pl);
/* The solver's answer under ctx, the facts and what is known of sizes. */
enum smt_answer safety_ask(struct safety *s, const struct form *ctx,
                           const struct form *goal, const char *what);

/* intervals.c */
extern const struct bounds bounds_any;
int64_t bounds_end(int64_t v); /* within +-SPAN_END */
bool bounds_open(struct bounds a);
struct bounds bounds_add(struct bounds a, struct bounds b);
struct bounds bounds_neg(struct bounds a);
struct bounds bounds_mul(struct bounds a, struct bounds b);
struct bounds bounds_union(struct bounds a, struct bounds b);
/* Quotients and remainders by a positive constant; trunc: rounded to zero. */
struct bounds bounds_div(struct bounds a, int64_t d, bool trunc);
struct bounds bounds_mod(struct bounds a, int64_t d, bool trunc);
/* e is a shift or an operator on bits. */
struct bounds bounds_bits(const struct ir_expr *e, struct bounds a,
                          struct bounds b);
struct bounds bounds_of_type(struct dtype t);
bool bounds_fit(struct dtype t, struct bounds a);

/* bounds.c */
/* Shows goal at a place whose context has been made. Where it is about data,
 * the untuned program's word is taken (given: it would have a fault otherwise),
 * and the tuned one's must follow from it. refuted: the solver has a model. */
bool safety_oblige(struct safety *s, struct place *pl, const struct form *goal,
                   const char *what, bool given, bool *refuted);
/* Shows that evaluating e there gives no fault; reaches: its value is used as
 * an address, an extent or a condition. Gives its bounds. */
struct bounds safety_expr(struct safety *s, struct place *pl,
                          const struct ir_expr *e, bool reaches);
/* The integer that e is there; NULL with the context's `failed`. */
const struct aff *safety_integer(struct safety *s, struct place *pl,
                                 const struct ir_expr *e);
/* safety_fail of what has no form. */
bool safety_not_understood(struct safety *s, const struct place *pl,
                           const char *what);

/* storage_bounds.c: the access lies in the storage; notes it. */
bool safety_access(struct safety *s, struct place *pl,
                   const struct vstorage *storage, size_t nindex,
                   struct ir_expr *const *index, const struct vstore *store,
                   bool write);

/* What the untuned program's data-dependent accesses say (facts.h). */
/* The untuned program has no fault: goal holds there. False: not usable. */
bool safety_remember(struct safety *s, const struct place *pl,
                     const struct form *goal);
/* Conditions that follow from them on the data that goal is about. */
const struct form *safety_recall(struct safety *s, const struct form *ctx,
                                 const struct form *goal);

/* races.c, uniform.c: false after a failure. */
bool safety_races(struct safety *s);
bool safety_barriers(struct safety *s);
/* copies.c: what asynchronous copies need of a pair of accesses; false after a
 * failure. */
bool safety_copies(struct safety *s, struct saccess *a, struct saccess *b);
bool vloop_is_block(const struct vloop *l); /* blockIdx.* */

#endif
