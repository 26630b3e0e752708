/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses which instance of a store a read sees. Guesses only: reaching.c and
 * reaching_update.c prove what they use.
 */
#include "verifier/value/reaching.h"

#include <string.h>

/* ---- small helpers ---------------------------------------------------------- */

const struct form *reaching_same_cell(struct read *r,
                                      const struct aff *const *a,
                                      const struct aff *const *b)
{
    const struct form *f = form_true(r->c->space);
    for (size_t i = 0; i < r->rank; i++)
        f = form_and2(r->c->space, f, form_eq(r->c->space, a[i], b[i]));
    return f;
}

const struct form *reaching_before_reader(struct read *r, const struct vinst *i)
{
    if (r->reader == NULL)
        return form_true(r->c->space);
    return vtime_before(r->c, i, i->nsteps, r->reader, r->nread);
}

/* Conjuncts that ctx does not imply. */
const struct form *reaching_remaining(struct vctx *c, const struct form *ctx,
                                      const struct form *f, const char *what)
{
    if (f->kind != FORM_AND)
        return vctx_proves(c, ctx, f, what) ? form_true(c->space) : f;
    if (vctx_proves(c, ctx, f, what))
        return form_true(c->space);
    const struct form *out = form_true(c->space);
    for (uint32_t i = 0; i < f->n; i++)
        if (!vctx_proves(c, ctx, f->args[i], what))
            out = form_and2(c->space, out, f->args[i]);
    return out;
}

/* How many steps the store shares with the reader: same places, same loops. */
size_t reaching_common_steps(const struct read *r, const struct vstore *st)
{
    size_t n = 0;
    if (r->reader == NULL)
        return 0;
    while (n < st->nsteps && n < r->nread &&
           st->steps[n].loop == r->reader->steps[n].loop &&
           (st->steps[n].loop != NULL ||
            st->steps[n].pos == r->reader->steps[n].pos))
        n++;
    return n;
}

/* Whether the store's place comes before the reader's in one iteration of the
 * loops they share. */
bool reaching_stands_before(const struct read *r, const struct vstore *st,
                            size_t common)
{
    if (r->reader == NULL)
        return true;
    if (common >= st->nsteps || common >= r->nread)
        return false;
    const struct vstep *a = &st->steps[common], *b = &r->reader->steps[common];
    return a->loop == NULL && b->loop == NULL && a->pos < b->pos;
}

/* Atoms of all loops of an instance that has atoms. */
static atom_id *reaching_loop_atoms(struct vctx *c, const struct vstore *st,
                                    const struct vinst *inst)
{
    atom_id *out = ARENA_ARRAY(c->arena, st->nloops + 1, atom_id);
    for (size_t i = 0; i < st->nloops; i++)
        out[i] = inst->loops[st->loops[i]->id]->terms[0].atom;
    return out;
}

/* Finds which loops of the store its cell determines. */
static void reaching_store_inverse(struct read *r, const struct vstore *st,
                                   struct store_info *k)
{
    if (k->inverse.loops == NULL)
        vinverse_find(r->c, r->rank, k->cell, st->nloops,
                      reaching_loop_atoms(r->c, st, k->probe), &k->inverse);
}

/* ---- guessing an instance --------------------------------------------------- */

/* EQ0 conjuncts of a domain help to find loops that the cell leaves free
 * (init under "all reduction iterators at their minimum"). */
static size_t add_equations(const struct form *f, size_t n, size_t room,
                            const struct aff **eqs)
{
    if (f->kind == FORM_EQ0 && n < room)
        eqs[n++] = f->a;
    else if (f->kind == FORM_AND)
        for (uint32_t i = 0; i < f->n; i++)
            n = add_equations(f->args[i], n, room, eqs);
    return n;
}

/* Loops of an instance of st with the given atoms that the cell determines. */
void reaching_put_inverse(struct read *r, const struct vstore *st,
                          struct store_info *k, const struct vinst *u,
                          struct aff_map *map)
{
    struct vctx *c = r->c;
    struct aff_map rename = {0};
    reaching_store_inverse(r, st, k);
    for (size_t i = 0; u != k->probe && i < k->inverse.n; i++)
        vctx_map_set(c, &rename, k->inverse.loops[i],
                     u->loops[st->loops[i]->id]);
    for (size_t i = 0; i < k->inverse.n; i++) {
        const struct aff *to = vinverse_at(c, &k->inverse, i, r->cell);
        if (to == NULL)
            continue;
        if (rename.n > 0)
            to = vaff_subst(c, to, &rename);
        vctx_map_set(c, map, u->loops[st->loops[i]->id]->terms[0].atom, to);
    }
}

/* Loops shared with the reader, at its iteration less `back` for the innermost
 * one; levels: how many of the common steps to use. */
static void force_common(struct read *r, const struct vstore *st,
                         struct store_info *k, size_t common, int64_t back,
                         struct guess *g)
{
    size_t last = common;
    for (size_t i = 0; i < common; i++)
        if (st->steps[i].loop != NULL)
            last = i;
    for (size_t i = 0; i < common; i++) {
        const struct vloop *l = st->steps[i].loop;
        if (l == NULL)
            continue;
        const struct aff *v = r->reader->loops[l->id];
        if (i == last && back != 0)
            v = aff_addc(r->c->space, v, -back);
        atom_id a = k->probe->loops[l->id]->terms[0].atom;
        if (a >= g->map.n || g->map.to[a] == NULL)
            vctx_map_set(r->c, &g->map, a, v);
    }
}

/* The least constant that the conjuncts of a domain keep the atom below or at;
 * INT64_MAX: none does. */
static int64_t guarded_top(const struct form *f, atom_id a)
{
    int64_t top = INT64_MAX;
    if (f->kind == FORM_GE0 && f->a->n == 1 && f->a->terms[0].atom == a &&
        f->a->terms[0].coef == -1)
        return f->a->constant;
    for (uint32_t i = 0; f->kind == FORM_AND && i < f->n; i++) {
        int64_t one = guarded_top(f->args[i], a);
        top = one < top ? one : top;
    }
    return top;
}

/* The last iteration for loops that nothing determines; `skip` iterations
 * earlier for those that the cell mentions (a slot of a ring of buffers). False:
 * there are none, so that skipping makes no other guess. */
static bool leave_last(struct read *r, const struct vstore *st,
                       struct store_info *k, int64_t skip, struct guess *g)
{
    struct vctx *c = r->c;
    bool skipped = skip == 0;
    for (size_t i = 0; i < st->nloops; i++) {
        atom_id a = k->probe->loops[st->loops[i]->id]->terms[0].atom;
        if (a < g->map.n && g->map.to[a] != NULL)
            continue;
        struct vinst *now = vinst_with(c, k->probe, &g->map);
        const struct aff *min = veval_index(c, now, st->loops[i]->min);
        const struct aff *ext = veval_index(c, now, st->loops[i]->extent);
        bool ring = false;
        for (size_t d = 0; d < r->rank && skip != 0; d++)
            ring = ring || aff_mentions(c->space, k->cell[d], a);
        skipped = skipped || ring;
        if (min == NULL || ext == NULL)
            continue;
        const struct aff *last = aff_addc(c->space, aff_add(c->space, min, ext),
                                          -1 - (ring ? skip : 0));
        int64_t end, top = guarded_top(k->dom, a);
        if (aff_is_const(last, &end) && top < end)
            last = aff_const(c->space, top);
        vctx_map_set(c, &g->map, a, last);
    }
    return skipped;
}

/* Solves cell equations (and those of guards) for the loops not yet known;
 * composes: a solution may hold loops that are found later. */
void reaching_solve(struct read *r, const struct vstore *st,
                    struct store_info *k, struct guess *g, bool guards)
{
    struct vctx *c = r->c;
    const struct aff *eqs[2 * MAX_UNKNOWN];
    size_t neqs = 0;
    for (size_t i = 0; i < r->rank && neqs < MAX_UNKNOWN; i++)
        eqs[neqs++] =
            aff_sub(c->space, vaff_subst(c, k->cell[i], &g->map), r->cell[i]);
    if (guards)
        neqs = add_equations(vform_subst(c, k->dom, &g->map), neqs,
                             2 * MAX_UNKNOWN, eqs);
    g->n = 0;
    for (size_t i = 0; i < st->nloops && g->n < MAX_UNKNOWN; i++) {
        atom_id a = k->probe->loops[st->loops[i]->id]->terms[0].atom;
        if (a >= g->map.n || g->map.to[a] == NULL)
            g->unknown[g->n++] = a;
    }
    vaff_solve(c, neqs, eqs, g->n, g->unknown, false, g->found);
}

/* Takes over what solve_rest found; solutions that hold free unknowns are
 * completed once those are known. */
void reaching_take_found(struct read *r, struct guess *g)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->found[i] != NULL)
            vctx_map_set(r->c, &g->map, g->unknown[i], g->found[i]);
}

/* Puts the loops found into one another until none of the instance's own
 * variables is left that is itself determined. False: they go in circles. */
bool reaching_complete(struct read *r, const struct vstore *st,
                       const struct vinst *inst, struct guess *g)
{
    const struct aff_map *m = &g->map;
    for (unsigned round = 0; round < 4; round++) {
        bool closed = true;
        for (size_t i = 0; i < st->nloops; i++) {
            atom_id a = inst->loops[st->loops[i]->id]->terms[0].atom;
            if (a >= m->n || m->to[a] == NULL)
                continue;
            const struct aff *now = vaff_subst(r->c, m->to[a], m);
            closed = closed && now == m->to[a];
            m->to[a] = now;
        }
        if (closed)
            return true;
    }
    return false;
}

/* The guess as an instance; loops that nothing determines are at their last, or
 * so many before it. */
static struct vinst *guessed(struct read *r, const struct vstore *st,
                             struct store_info *k, int64_t skip,
                             struct guess *g)
{
    if (!leave_last(r, st, k, skip, g))
        return NULL;
    /* nothing of the probe may be left: its variables stand for any instance */
    if (!reaching_complete(r, st, k->probe, g))
        return NULL;
    struct vinst *out = vinst_with(r->c, k->probe, &g->map);
    for (size_t i = 0; i < st->nloops; i++)
        for (size_t j = 0; j < st->nloops; j++)
            if (vaff_mentions(r->c, out->loops[st->loops[i]->id],
                              k->probe->loops[st->loops[j]->id]->terms[0].atom))
                return NULL;
    out->probe = false;
    return out;
}

struct vinst *reaching_guess(struct read *r, const struct vstore *st,
                             struct store_info *k, size_t common, int64_t back,
                             int64_t skip)
{
    struct guess g = {{0}, 0, {0}, {0}};
    reaching_put_inverse(r, st, k, k->probe, &g.map);
    if (common > 0)
        force_common(r, st, k, common, back, &g);
    reaching_solve(r, st, k, &g, true);
    reaching_take_found(r, &g);
    return guessed(r, st, k, skip, &g);
}

/* The first term of the reader's index that a loop may stand for; taken ones
 * have their bit set. */
static const struct aff *alike(struct vctx *c, const struct aff *of,
                               const struct aff_term *t, bool equal_range,
                               uint64_t *taken)
{
    const struct atom *a = aff_atom_info(c->space, t->atom);
    for (uint32_t i = 0; i < of->n && i < 64; i++) {
        const struct atom *b = aff_atom_info(c->space, of->terms[i].atom);
        bool fits = equal_range ? b->lo == a->lo && b->hi == a->hi
                                : b->lo >= a->lo && b->hi <= a->hi;
        if ((*taken >> i & 1) != 0 || of->terms[i].coef != t->coef || !fits)
            continue;
        *taken |= (uint64_t)1 << i;
        return aff_of_atom(c->space, of->terms[i].atom);
    }
    return NULL;
}

struct vinst *reaching_guess_alike(struct read *r, const struct vstore *st,
                                   struct store_info *k)
{
    struct vctx *c = r->c;
    struct guess g = {{0}, 0, {0}, {0}};
    for (size_t d = 0; d < r->rank; d++) {
        uint64_t taken = 0;
        for (unsigned pass = 0; pass < 2; pass++)
            for (uint32_t i = 0; i < k->cell[d]->n; i++) {
                const struct aff_term *t = &k->cell[d]->terms[i];
                const struct atom *info = aff_atom_info(c->space, t->atom);
                if (info->kind != ATOM_VAR ||
                    (t->atom < g.map.n && g.map.to[t->atom] != NULL))
                    continue;
                const struct aff *to =
                    alike(c, r->cell[d], t, pass == 0, &taken);
                if (to != NULL)
                    vctx_map_set(c, &g.map, t->atom, to);
            }
    }
    return guessed(r, st, k, 0, &g);
}
