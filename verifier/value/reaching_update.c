/* SPDX-License-Identifier: Apache-2.0
 *
 * Updates of one operator since the last plain store, as terms of a reduction.
 * Loops that the cell determines are put in, which is exact; the rest of the
 * domain stays a formula.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/reaching.h"

#include <string.h>

/* ---- updates since ---------------------------------------------------------- */

const struct value *reaching_stored(struct read *r, const struct vstore *st,
                                    struct vinst *w, const struct form *ctx,
                                    const struct ir_expr *e)
{
    struct vinst reading = *w;
    struct store_info *k = &reaching_infos(r->c, r->prog)[st->id];
    if (k->active >= MAX_NESTED)
        return vctx_fail(r->c, "'%s' is computed by a recurrence",
                         r->s->buffer->name);
    reading.nsteps = st->read_steps;
    reading.dom = NULL;
    r->c->depth++;
    k->active++;
    const struct value *v = veval_value(r->c, &reading, e, ctx);
    k->active--;
    r->c->depth--;
    return v;
}

/* All conditions on an instance u of an update, as far as it has been told
 * apart. */
static const struct form *update_dom(struct read *r, const struct vstore *st,
                                     struct vinst *u, struct vinst *w0)
{
    struct vctx *c = r->c;
    const struct aff *cell[MAX_UNKNOWN];
    const struct form *dom = vinst_dom(c, u);
    if (dom == NULL || !vcell_of(c, u, r->s, st->nindex, st->index, cell))
        return NULL;
    const struct form *f = form_and2(
        c->space, OBLIGED_FORM(c, "a term's condition", dom),
        OBLIGED_FORM(c, "a term's cell", reaching_same_cell(r, cell, r->cell)));
    f = form_and2(c->space, f,
                  OBLIGED_FORM(c, "a term comes before the reader",
                               reaching_before_reader(r, u)));
    if (w0 != NULL)
        f = form_and2(
            c->space, f,
            OBLIGED_FORM(c, "a term comes after the last store",
                         vtime_before(c, w0, w0->nsteps, u, u->nsteps)));
    return f;
}

/* Loops around the update, the plain store and the reader alike, at which the
 * latter two are in one iteration: so is the update, being between them. */
static void force_between(struct read *r, const struct vstore *st,
                          const struct vinst *u, const struct vinst *w0,
                          struct guess *g)
{
    if (w0 == NULL || r->reader == NULL)
        return;
    size_t common = reaching_common_steps(r, st);
    for (size_t i = 0; i < common && i < w0->nsteps; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (w0->steps[i].loop != l)
            return;
        if (l == NULL) {
            if (w0->steps[i].pos != st->steps[i].pos)
                return;
            continue;
        }
        if (w0->loops[l->id] != r->reader->loops[l->id])
            return;
        atom_id a = u->loops[l->id]->terms[0].atom;
        if (a >= g->map.n || g->map.to[a] == NULL)
            vctx_map_set(r->c, &g->map, a, w0->loops[l->id]);
    }
}

/* Whether the cell is updated at all; asked of the probe, so that most of many
 * unrolled updates cost little. */
static bool has_terms(struct read *r, const struct vstore *st,
                      struct store_info *k, const struct form *ctx,
                      struct vinst *w0)
{
    struct vctx *c = r->c;
    struct aff_map map = {0};
    if (reaching_probe_dom(r, st, k) == NULL)
        return true;
    reaching_put_inverse(r, st, k, k->probe, &map);
    struct vinst *u = vinst_with(c, k->probe, &map);
    u->ctx = ctx;
    const struct form *where = update_dom(r, st, u, w0);
    return where == NULL ||
           !vctx_unsat(c, form_and2(c->space, ctx, where), "no such term");
}

/* Whether all instances that qualify have the loops that g has more than
 * before. */
static bool only_these(struct vctx *c, const struct form *ctx,
                       const struct guess *g, const struct guess *before)
{
    const struct form *unique = form_true(c->space);
    for (size_t a = 0; a < g->map.n; a++)
        if (g->map.to[a] != NULL &&
            (a >= before->map.n || before->map.to[a] == NULL))
            unique =
                form_and2(c->space, unique,
                          form_eq(c->space, aff_of_atom(c->space, (atom_id)a),
                                  g->map.to[a]));
    return vctx_proves(c, ctx, unique, "the cell determines these loops");
}

static struct guess guess_copy(struct vctx *c, const struct guess *g)
{
    struct guess out = *g;
    out.map.to = ARENA_ARRAY(c->arena, g->map.n + 1, const struct aff *);
    for (size_t i = 0; i < g->map.n; i++)
        out.map.to[i] = g->map.to[i];
    return out;
}

/* Loops around the update and the plain store alike: often the update belongs to
 * the iteration that began the cell, though the reader is in a later one (a
 * circular buffer). Each is taken if no instance that qualifies has another
 * value there. */
static void take_begun(struct read *r, const struct vstore *st,
                       const struct vinst *u, const struct vinst *w0,
                       const struct form *here, struct guess *g)
{
    struct vctx *c = r->c;
    int64_t k;
    for (size_t i = 0; w0 != NULL && i < st->nsteps && i < w0->nsteps; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (w0->steps[i].loop != l ||
            (l == NULL && w0->steps[i].pos != st->steps[i].pos))
            return;
        if (l == NULL || aff_is_const(w0->loops[l->id], &k))
            continue;
        atom_id a = u->loops[l->id]->terms[0].atom;
        if (a < g->map.n && g->map.to[a] != NULL)
            continue;
        const struct form *same =
            form_eq(c->space, aff_of_atom(c->space, a), w0->loops[l->id]);
        if (vctx_proves(c, here, same, "the cell determines these loops"))
            vctx_map_set(c, &g->map, a, w0->loops[l->id]);
    }
}

/* Finds more loops of u, by what stands around it and by guesses, and proves
 * that no other instance qualifies; all: what holds of those that do. */
static void narrow(struct read *r, const struct vstore *st, struct vinst *u,
                   struct vinst *w0, const struct form *ctx,
                   const struct form *all, struct guess *g)
{
    struct vctx *c = r->c;
    struct store_info k = {.probe = u};
    const struct aff *cell[MAX_UNKNOWN];
    const struct form *here = form_and2(c->space, ctx, all);
    struct guess before = guess_copy(c, g);
    if (!vcell_of(c, u, r->s, st->nindex, st->index, cell))
        return;
    k.cell = cell;
    k.dom = form_true(c->space);
    force_between(r, st, u, w0, g);
    reaching_solve(r, st, &k, g, false);
    reaching_take_found(r, g);
    if (!reaching_complete(r, st, u, g) || !only_these(c, here, g, &before))
        *g = before;
    take_begun(r, st, u, w0, here, g);
}

/* chained: the term's place among those of one store; -1: it has but one. */
static void set_time(struct vctx *c, struct value_part *p,
                     const struct vinst *u, bool atomic, int chained)
{
    const struct aff **time =
        ARENA_ARRAY(c->arena, u->nsteps + 1, const struct aff *);
    p->ntime = u->nsteps;
    if (chained >= 0)
        time[p->ntime++] = aff_const(c->space, chained);
    for (size_t i = 0; i < u->nsteps; i++) {
        const struct vloop *l = u->steps[i].loop;
        time[i] =
            l != NULL ? u->loops[l->id] : aff_const(c->space, u->steps[i].pos);
        if (i < 64 && l != NULL && (l->unordered || atomic))
            p->unordered |= (uint64_t)1 << i;
    }
    if (atomic)
        p->unordered |= 1;
    p->time = time;
}

static void set_binders(struct vctx *c, struct value_part *p,
                        const struct vstore *st, const struct vinst *fresh,
                        const struct guess *g)
{
    p->binders = ARENA_ARRAY(c->arena, st->nloops + 1, atom_id);
    for (size_t i = 0; i < st->nsteps; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (l == NULL)
            continue;
        atom_id a = fresh->loops[l->id]->terms[0].atom;
        if (a < g->map.n && g->map.to[a] != NULL)
            continue;
        p->binders[p->nbinders++] = a;
    }
}

/* One update statement's terms of number `at`; steps: those of its fold, if it
 * is one. */
static bool make_part(struct read *r, const struct vstore *st,
                      struct store_info *k, const struct form *ctx,
                      struct vinst *w0, struct step_read *steps, size_t at,
                      struct value_part *p)
{
    struct vctx *c = r->c;
    struct vinst *fresh = vinst_of_store(c, r->prog, st);
    struct guess g = {{0}, 0, {0}, {0}};
    fresh->ctx = ctx;
    reaching_put_inverse(r, st, k, fresh, &g.map);
    if (!reaching_complete(r, st, fresh, &g))
        memset(&g, 0, sizeof g);
    struct vinst *u = vinst_with(c, fresh, &g.map);
    u->ctx = ctx;
    const struct form *where = update_dom(r, st, u, w0);
    if (where == NULL)
        return false;
    narrow(r, st, fresh, w0, ctx, where, &g);
    u = vinst_with(c, fresh, &g.map);
    u->ctx = ctx;
    where = update_dom(r, st, u, w0);
    if (where == NULL)
        return false;
    p->where = reaching_remaining(c, ctx, where, "the domain of terms");
    const struct form *here = form_and2(c->space, ctx, p->where);
    p->leaf = k->group != NULL ? reaching_step(steps, k->group, u, here)
                               : reaching_stored(r, st, u, here, k->terms[at]);
    if (p->leaf == NULL)
        return false;
    set_binders(c, p, st, fresh, &g);
    if (k->group != NULL)
        steps->covered |= reaching_covers(r, st, u, ctx, p);
    set_time(c, p, u, st->atomic,
             k->group == NULL && k->nterms > 1 ? (int)at : -1);
    return true;
}

/* A fold over steps, or terms combined by one operator. */
static bool same_kind(const struct value *v, const struct store_info *k)
{
    if ((v->kind == VALUE_FOLD) != (k->group != NULL))
        return false;
    return k->group != NULL || (v->op == k->op && v->swapped == k->swapped);
}

static void take_kind(struct value *v, const struct store_info *k)
{
    if (k->group != NULL) {
        v->kind = VALUE_FOLD;
        return;
    }
    v->op = k->op;
    v->swapped = k->swapped;
}

static size_t count_terms(struct read *r)
{
    const struct store_info *all = reaching_infos(r->c, r->prog);
    size_t n = 0;
    for (size_t i = 0; i < r->prog->nstores; i++)
        if (r->prog->stores[i]->target == r->s && all[i].is_update)
            n += all[i].nterms > 0 ? all[i].nterms : 1;
    return n;
}

static bool may_join(struct read *r, const struct value *v,
                     const struct store_info *k)
{
    struct vctx *c = r->c;
    if (v->nparts > 0 &&
        !OBLIGED(c->smt, "one operator updates", same_kind(v, k))) {
        vctx_fail(c, "'%s' is updated by two operators in turn",
                  r->s->buffer->name);
        return false;
    }
    if (v->nparts >= MAX_TERMS) {
        vctx_fail(c, "too many updates of '%s'", r->s->buffer->name);
        return false;
    }
    return true;
}

/* The parts of v: one for each term of each update statement that has any. */
static bool collect_parts(struct read *r, const struct form *ctx,
                          const struct vstore *st, struct vinst *w0,
                          struct value *v, struct step_read **steps)
{
    struct vctx *c = r->c;
    struct store_info *all = reaching_infos(c, r->prog);
    struct value_part *parts = NULL;
    for (size_t i = 0; i < r->prog->nstores; i++) {
        const struct vstore *u = r->prog->stores[i];
        struct store_info *k = &all[u->id];
        if (u->target != r->s || !k->is_update)
            continue;
        if (!has_terms(r, u, k, ctx, w0))
            continue;
        if (k->group != NULL && *steps == NULL)
            *steps = reaching_steps(r, ctx, st, w0, k->group);
        if (k->group != NULL && *steps == NULL)
            return false;
        if (parts == NULL)
            parts = ARENA_ARRAY(c->arena, count_terms(r), struct value_part);
        for (size_t at = 0; at == 0 || (k->group == NULL && at < k->nterms);
             at++) {
            struct value_part p = {0};
            if (!make_part(r, u, k, ctx, w0, *steps, at, &p) ||
                !may_join(r, v, k))
                return false;
            take_kind(v, k);
            parts[v->nparts++] = p;
        }
    }
    reaching_settle_time(c, v->nparts, parts);
    v->parts = parts;
    return true;
}

/* The value of plain store st at w0 (NULL: what was there at the start) with
 * the updates since then. */
const struct value *reaching_collect(struct read *r, const struct form *ctx,
                                     const struct vstore *st, struct vinst *w0)
{
    struct value v = {.kind = VALUE_REDUCE, .dtype = r->s->buffer->dtype};
    struct step_read *steps = NULL;
    if (!collect_parts(r, ctx, st, w0, &v, &steps))
        return NULL;
    const struct value *base = steps != NULL ? reaching_steps_begin(steps)
                               : st != NULL
                                   ? reaching_stored(r, st, w0, ctx, st->value)
                                   : reaching_initial(r);
    if (base != NULL && st == NULL && steps == NULL)
        base = reaching_index(r->c, ctx, base);
    if (base == NULL || v.nparts == 0)
        return base;
    if (steps != NULL)
        v.param = (int)steps->root;
    v.nargs = 1;
    v.args = &base;
    return value_make(r->c, &v);
}
