/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells that several instances of stores write with one value: a window copied
 * tile by tile with its overlap, say. Which of them is the last need not be
 * known. Shown is that one certain instance g runs before the reader and writes
 * the cell, and that every plain store to the cell after g and before the reader
 * stores a value equal to g's: then the last one, g or another, left that value.
 */
#include "verifier/value/reaching.h"

/* Each store is held against each: of unrolled ones there are too many. */
#define MAX_STORES 8

static bool updated(struct read *r)
{
    struct store_info *all = reaching_infos(r->c, r->prog);
    for (size_t i = 0; i < r->prog->nstores; i++)
        if (r->prog->stores[i]->target == r->s &&
            all[r->prog->stores[i]->id].is_update)
            return true;
    return false;
}

/* Where an instance runs, writes the cell and stands before the reader. NULL:
 * not understood. */
static const struct form *writes(struct read *r, const struct vstore *st,
                                 struct vinst *x, const struct form *ctx)
{
    struct vctx *c = r->c;
    const struct aff *cell[MAX_UNKNOWN];
    x->ctx = ctx;
    const struct form *dom = vinst_dom(c, x);
    if (dom == NULL || !vcell_of(c, x, r->s, st->nindex, st->index, cell))
        return NULL;
    return form_and2(c->space, dom,
                     form_and2(c->space, reaching_same_cell(r, cell, r->cell),
                               reaching_before_reader(r, x)));
}

/* All instances of st after g leave v in the cell. */
static bool leaves(struct read *r, const struct vstore *st,
                   const struct vinst *g, const struct value *v,
                   const struct form *ctx)
{
    struct vctx *c = r->c;
    struct vinst *x = vinst_of_store(c, r->prog, st);
    const struct form *in = writes(r, st, x, ctx);
    if (in == NULL)
        return false;
    in = form_and2(
        c->space, ctx,
        form_and2(c->space, in, vtime_before(c, g, g->nsteps, x, x->nsteps)));
    if (vctx_unsat(c, in, "no store in between"))
        return true;
    const struct value *w = reaching_stored(r, st, x, in, st->value);
    return w != NULL && c->same != NULL && c->same(c, v, w, in);
}

static const struct value *left_by(struct read *r, const struct vstore *st,
                                   struct vinst *g, const struct form *ctx)
{
    struct vctx *c = r->c;
    const struct form *runs = g == NULL ? NULL : writes(r, st, g, ctx);
    if (runs == NULL || !vctx_proves(c, ctx, runs, "some store runs"))
        return NULL;
    const struct value *v = reaching_stored(r, st, g, ctx, st->value);
    if (v == NULL)
        return NULL;
    struct store_info *all = reaching_infos(c, r->prog);
    for (size_t i = 0; i < r->prog->nstores; i++) {
        const struct vstore *t = r->prog->stores[i];
        if (t->target == r->s && !all[t->id].is_update &&
            !leaves(r, t, g, v, ctx))
            return NULL;
    }
    return v;
}

const struct value *reaching_any(struct read *r, const struct form *ctx,
                                 size_t n, const struct vstore *const *stores)
{
    struct vctx *c = r->c;
    if (n > MAX_STORES || updated(r))
        return NULL;
    const char *failed = c->failed;
    const struct value *v = NULL;
    for (size_t i = 0; i < n && v == NULL; i++) {
        struct store_info *k = &reaching_infos(c, r->prog)[stores[i]->id];
        if (reaching_probe_dom(r, stores[i], k) != NULL)
            v = left_by(r, stores[i], reaching_guess_alike(r, stores[i], k),
                        ctx);
    }
    c->failed = failed;
    return v;
}
