/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a bijection between the terms of two folds keeps their order: of any two
 * points of q, the one that is combined first has the image that is combined first
 * in p. Most of that is seen from ranges, loop by loop; the rest is asked. A pair
 * that changes places is kept for the report.
 */
#include "verifier/compare/fold_match.h"
#include "verifier/smt/obligation.h"

static const struct form *before(struct vctx *c, const struct term *a,
                                 const struct aff_map *ma, const struct term *b,
                                 const struct aff_map *mb)
{
    struct aff_space *s = c->space;
    if (a->group != b->group)
        return a->group < b->group ? form_true(s) : form_false(s);
    const struct form *lt = form_false(s), *tie = form_true(s);
    size_t n = a->part.ntime < b->part.ntime ? a->part.ntime : b->part.ntime;
    for (size_t i = 0; i < n && tie->kind != FORM_FALSE; i++) {
        const struct aff *x = vaff_subst(c, a->part.time[i], ma);
        const struct aff *y = vaff_subst(c, b->part.time[i], mb);
        lt = form_or2(s, lt, form_and2(s, tie, form_lt(s, x, y)));
        tie = form_and2(s, tie, form_eq(s, x, y));
    }
    return lt;
}

static void describe(struct bijection *b, const struct value_part *p,
                     const struct aff_map *map, struct buf *out)
{
    struct vctx *c = b->m->c;
    struct aff_map now = {0};
    for (size_t i = 0; i < p->nbinders; i++) {
        const struct aff *v =
            vaff_subst(c, aff_of_atom(c->space, p->binders[i]), map);
        vctx_map_set(c, &now, p->binders[i],
                     aff_const(c->space, smt_model_aff(c->smt, v)));
    }
    value_print(c, value_subst(c, p->leaf, &now), out);
}

static void note_swapped(struct bijection *b, const struct link *k,
                         const struct aff_map *y1, const struct link *l,
                         const struct aff_map *y2)
{
    struct buf text = {0};
    buf_puts(&text, "the tuned side combines ");
    describe(b, &b->q->terms[k->j].part, y1, &text);
    buf_puts(&text, " before ");
    describe(b, &b->q->terms[l->j].part, y2, &text);
    buf_puts(&text, ", the untuned side the other way round");
    b->m->swapped = arena_strdup(b->m->c->arena, buf_text(&text));
    buf_fini(&text);
}

/* p's terms at these points come one before the other; under says what replaces
 * variables. */
static bool plainly_before(struct vctx *c, const struct term *a,
                           const struct aff_map *xa, const struct term *b,
                           const struct aff_map *xb,
                           const struct aff_map *under)
{
    if (a->group != b->group)
        return a->group < b->group;
    size_t n = a->part.ntime < b->part.ntime ? a->part.ntime : b->part.ntime;
    for (size_t i = 0; i < n; i++) {
        const struct aff *d =
            aff_sub(c->space, vaff_subst(c, b->part.time[i], xb),
                    vaff_subst(c, a->part.time[i], xa));
        int64_t lo, hi;
        d = vaff_subst(c, d, under);
        aff_range(c->space, d, &lo, &hi);
        if (lo > 0 && lo != AFF_NO_BOUND)
            return true;
        if (lo != 0 || hi != 0)
            return false;
    }
    return false;
}

#define MAX_BINDERS 32

/* Whether the order of two links' points is kept, as far as ranges tell: of q's
 * time each step is a constant or a variable of its own, which is put as equal
 * to the other point's, or as that and more. */
static bool plainly_in_order(struct bijection *b, const struct link *k,
                             const struct link *l)
{
    struct vctx *c = b->m->c;
    struct aff_space *s = c->space;
    const struct term *q1 = &b->q->terms[k->j], *q2 = &b->q->terms[l->j];
    const struct term *p1 = &b->p->terms[k->i], *p2 = &b->p->terms[l->i];
    const struct aff *to[MAX_BINDERS] = {0};
    struct aff_map under = {q2->part.nbinders, to, l->b.first};
    size_t n =
        q1->part.ntime < q2->part.ntime ? q1->part.ntime : q2->part.ntime;
    if (q1->group != q2->group || under.n > MAX_BINDERS)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct aff *x = vaff_subst(c, q1->part.time[i], &k->a.y);
        const struct aff *y = vaff_subst(c, q2->part.time[i], &l->b.y);
        int64_t lo, hi;
        aff_range(s, vaff_subst(c, aff_sub(s, y, x), &under), &lo, &hi);
        if (hi < 0)
            return true;
        if (lo > 0)
            return plainly_before(c, p1, &k->a.x, p2, &l->b.x, &under);
        if (lo == 0 && hi == 0)
            continue;
        atom_id v = y->n == 1 ? y->terms[0].atom : 0;
        if (y->n != 1 || y->constant != 0 || y->terms[0].coef != 1 ||
            v < under.first || v - under.first >= under.n ||
            to[v - under.first] != NULL)
            return false;
        const struct atom *info = aff_atom_info(s, v);
        if (info->lo == AFF_NO_LOWER || info->hi == AFF_NO_BOUND)
            return false;
        atom_id more =
            aff_var_make(s, "more", 0, info->hi - info->lo, NULL, NULL);
        to[v - under.first] =
            aff_addc(s, aff_add(s, x, aff_of_atom(s, more)), 1);
        if (!plainly_before(c, p1, &k->a.x, p2, &l->b.x, &under))
            return false;
        to[v - under.first] = x;
    }
    return true; /* at one time: neither is before the other */
}

static bool pair_in_order(struct bijection *b, const struct link *k,
                          const struct link *l)
{
    struct vctx *c = b->m->c;
    struct aff_space *s = c->space;
    const struct term *q1 = &b->q->terms[k->j], *q2 = &b->q->terms[l->j];
    const struct term *p1 = &b->p->terms[k->i], *p2 = &b->p->terms[l->i];
    struct aff_map y1 = k->a.y, y2 = l->b.y, x1 = k->a.x, x2 = l->b.x;
    if (plainly_in_order(b, k, l))
        return true;
    const struct form *f = b->ctx;
    f = form_and2(s, f, vform_subst(c, q1->part.where, &y1));
    f = form_and2(s, f, vform_subst(c, q2->part.where, &y2));
    if (b->n > 1) {
        f = form_and2(s, f, vform_subst(c, k->on_q, &y1));
        f = form_and2(s, f, vform_subst(c, l->on_q, &y2));
    }
    f = form_and2(s, f, before(c, q1, &y1, q2, &y2));
    f = form_and2(s, f, form_not(s, before(c, p1, &x1, p2, &x2)));
    if (vctx_unsat(c, f, "order kept"))
        return true;
    if (b->m->swapped == NULL && !b->p->in_turn &&
        smt_unsat(c->smt, form_and2(s, f, c->facts), "swapped", false) ==
            SMT_REFUTED)
        note_swapped(b, k, &y1, l, &y2);
    return false;
}

bool fold_order_kept(struct bijection *b)
{
    for (size_t i = 0; i < b->p->n; i++)
        if (!OBLIGED(b->m->c->smt, "the order is stated",
                     b->p->terms[i].part.unordered == 0))
            return false;
    for (size_t i = 0; i < b->q->n; i++)
        if (!OBLIGED(b->m->c->smt, "the order is stated",
                     b->q->terms[i].part.unordered == 0))
            return false;
    for (size_t k = 0; k < b->n; k++)
        for (size_t l = 0; l < b->n; l++)
            if (!pair_in_order(b, &b->links[k], &b->links[l]))
                return false;
    return true;
}
