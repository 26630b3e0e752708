/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of reading off what a cell holds, private to reaching*.c:
 *
 *   reaching_kind.c    plain stores and updates; what is known of each store
 *   reaching_guess.c   which instance may be the last writer
 *   reaching_update.c  the updates since, as terms of a reduction
 *   reaching_index.c   indices of parameters where a condition holds
 *   reaching_merge.c   values of several cases that are one
 *   reaching_equal.c   one value, whichever store wrote last
 *   reaching_step.c    recurrences in a cell: steps of a fold
 *   reaching_cover.c   whether a step stores to the cell on every input
 *   reaching.c         the last plain store, by guess and proof; entry
 */
#ifndef DC_VERIFIER_VALUE_REACHING_H
#define DC_VERIFIER_VALUE_REACHING_H

#include "verifier/value/value.h"

#define MAX_DEPTH   160
#define MAX_NESTED  3   /* times a store's value may need itself */
#define MAX_RING    8   /* slots of a ring of buffers */
#define MAX_SPLITS  600 /* choices in one read */
#define MAX_UNKNOWN 64
#define MAX_TERMS   700
#define MAX_CHAINED 64 /* terms that one store adds, one after the other */

/* Storages that are updated together, from their own cells of one index. */
#define MAX_STATE 6
struct step_system {
    size_t n;
    const struct vstorage *parts[MAX_STATE];
    bool refused;
};

/* One step: a store to each part, under the same loops and conditions. */
struct step_group {
    struct step_system *system;
    const struct vstore *stores[MAX_STATE];
};

struct store_info {
    bool is_update, reduces;        /* reduces: some loop is not in the cell */
    const struct step_group *group; /* of an update: it is a step, not a term */
    enum ir_expr_kind op;
    bool swapped;
    size_t nterms; /* of an update: X (+) terms[0] (+) terms[1] ... */
    const struct ir_expr **terms;
    struct vinst *probe; /* fresh atoms, for obligations only */
    const struct aff **cell;
    const struct form *dom;
    bool looked;
    bool scatters;           /* the cell is data: elements of inputs */
    struct vinverse inverse; /* of the probe's cell */
    unsigned active;         /* values of this store being read off */
};

struct memo {
    const struct vstorage *s;
    const struct aff **cell;
    const struct vstep *steps;
    size_t nread;
    const struct aff **loops;
    const struct form *ctx;
    const struct value *value;
};

/* The step whose new state is being read off. */
struct step;

struct flow_state {
    struct store_info *info[2]; /* by program and store id */
    struct step *step; /* NULL: reads see what was stored, not a state */
    struct VEC(struct memo) memos;
};

/* One question: what did the reader see in the cell? */
struct read {
    struct vctx *c;
    const struct vprog *prog;
    const struct vstorage *s;
    const struct aff *const *cell;
    size_t rank;
    struct vinst *reader; /* NULL: the end of the program */
    size_t nread;
    unsigned splits;
    /* By store: guesses (bits) that are known to fail in what is left of the
     * context, because they were used for their part of it, or had none. */
    uint8_t *spent;
};

struct guess {
    struct aff_map map; /* probe atoms to affs */
    size_t n;
    atom_id unknown[MAX_UNKNOWN];
    const struct aff *found[MAX_UNKNOWN];
};

/* What is known of each store of the program, by id. */
struct store_info *reaching_infos(struct vctx *c, const struct vprog *p);
/* Whether a loop around the store has turns that its cell does not tell apart. */
bool reaching_repeats(struct vctx *c, const struct store_info *k,
                      const struct vstore *st);
/* Domain and cell of a store's probe; data in them are read on demand. */
const struct form *reaching_probe_dom(struct read *r, const struct vstore *st,
                                      struct store_info *k);
/* Equality of two cells of the storage that is read. */
const struct form *reaching_same_cell(struct read *r,
                                      const struct aff *const *a,
                                      const struct aff *const *b);
/* The instance comes before the reader. */
const struct form *reaching_before_reader(struct read *r,
                                          const struct vinst *i);
/* Conjuncts of f that ctx does not imply. */
const struct form *reaching_remaining(struct vctx *c, const struct form *ctx,
                                      const struct form *f, const char *what);
/* How many steps the store shares with the reader. */
size_t reaching_common_steps(const struct read *r, const struct vstore *st);
/* Whether the store stands before the reader in one iteration of the loops
 * that they share. */
bool reaching_stands_before(const struct read *r, const struct vstore *st,
                            size_t common);
/* Loops of an instance of st with atoms of its own that the cell determines. */
void reaching_put_inverse(struct read *r, const struct vstore *st,
                          struct store_info *k, const struct vinst *u,
                          struct aff_map *map);
/* Solves cell equations (and those of guards) for the loops not yet known. */
void reaching_solve(struct read *r, const struct vstore *st,
                    struct store_info *k, struct guess *g, bool guards);
/* Takes over what reaching_solve found. */
void reaching_take_found(struct read *r, struct guess *g);
/* Puts the loops found into one another. False: they go in circles. */
bool reaching_complete(struct read *r, const struct vstore *st,
                       const struct vinst *inst, struct guess *g);
/* The instance of st whose cell is made of loops as the reader's is of its own;
 * NULL: none. A guess. */
struct vinst *reaching_guess_alike(struct read *r, const struct vstore *st,
                                   struct store_info *k);
/* An instance of a plain store that may be the last writer; NULL: none. back,
 * skip: iterations before the reader's, before the last one. */
struct vinst *reaching_guess(struct read *r, const struct vstore *st,
                             struct store_info *k, size_t common, int64_t back,
                             int64_t skip);
/* What the cell holds before the program stores to it. */
const struct value *reaching_initial(struct read *r);
/* The value of e, of store st, at its instance w. */
const struct value *reaching_stored(struct read *r, const struct vstore *st,
                                    struct vinst *w, const struct form *ctx,
                                    const struct ir_expr *e);
/* The value of plain store st at w0 (NULL: what was there at the start) with
 * the updates since then. */
const struct value *reaching_collect(struct read *r, const struct form *ctx,
                                     const struct vstore *st, struct vinst *w0);

/* Like reaching_collect, but the last plain store itself, where one stands for
 * all of ctx. False: not found. *st NULL: there is none before the reader. */
bool reaching_last(struct read *r, const struct form *ctx,
                   const struct vstore **st, struct vinst **w);

/* ---- reaching_index.c ---- */

/* v, read where ctx holds, with quotients in its indices that ctx decides. */
const struct value *reaching_index(struct vctx *c, const struct form *ctx,
                                   const struct value *v);

/* ---- reaching_merge.c ---- */

/* v with its indices made shorter by the equations among where's conjuncts: the
 * same value where these hold. */
const struct value *reaching_under(struct vctx *c, const struct value *v,
                                   const struct form *where);
/* Whether two values are one expression but for the binders of reductions. */
bool reaching_same(struct vctx *c, const struct value *a,
                   const struct value *b);
/* Takes out of the parts' times what does not tell their terms apart. */
void reaching_settle_time(struct vctx *c, size_t n, struct value_part *parts);

/* ---- reaching_equal.c ---- */

/* The value that all stores leave which may be the last to the cell, though it is
 * not known which that is. NULL: none is found; c->failed is left alone. */
const struct value *reaching_any(struct read *r, const struct form *ctx,
                                 size_t n, const struct vstore *const *stores);

/* ---- reaching_step.c ---- */

/* Finds stores that are steps, among those that are neither updates nor plain. */
void reaching_find_steps(struct vctx *c, const struct vprog *p,
                         struct store_info *all);
/* The storages that are updated together with s; NULL: none are. */
const struct step_system *reaching_system(struct vctx *c, const struct vprog *p,
                                          const struct vstorage *s);
/* Steps of one fold since its components' last plain stores. */
struct step_read {
    struct read *r;
    struct step_system *system;
    const struct form *ctx;
    size_t root; /* the component that is read */
    const struct vstore *plain[MAX_STATE];
    struct vinst *at[MAX_STATE]; /* NULL: at the start of the program */
    bool covered;                /* whatever the state begins as is forgotten */
};
/* st at w: the last plain store of the component that is read. NULL with
 * c->failed. */
struct step_read *reaching_steps(struct read *r, const struct form *ctx,
                                 const struct vstore *st, struct vinst *w,
                                 const struct step_group *g);
/* The state that the steps begin with. */
const struct value *reaching_steps_begin(struct step_read *s);
/* The state after the step of instance u of the root's store, a tuple. */
const struct value *reaching_step(struct step_read *s,
                                  const struct step_group *g, struct vinst *u,
                                  const struct form *here);
/* What a read means inside a step: NULL with *own false if it is none of the
 * state; NULL with *own true and c->failed. */
const struct value *reaching_own(struct vctx *c, const struct vstorage *s,
                                 const struct aff *const *cell,
                                 const struct vinst *reader, size_t nread,
                                 bool *own);

/* ---- reaching_cover.c ---- */

/* Whether the step of st at u, term p of the cell that is read, happens for some
 * of p's binders on every input that is admitted, and forgets the state. */
bool reaching_covers(struct read *r, const struct vstore *st, struct vinst *u,
                     const struct form *ctx, const struct value_part *p);

#endif
