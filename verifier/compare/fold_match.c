/* SPDX-License-Identifier: Apache-2.0
 *
 * A bijection between the terms of two folds, and whether it keeps their order.
 *
 * For each pair of parts a map w from the binders of q's part to those of p's
 * is guessed by equating the places that both leaves read, and its inverse w'
 * the same way. Proved, all quantifier-free:
 *   (1) each point y of q's parts meets the condition
 *       cond_ij(y): w(y) lies in p's part i and w'(w(y)) = y
 *       for some i, and for one i only;
 *   (2) the same with the sides exchanged;
 *   (3) where cond_ij holds, the leaves are equal.
 * So w is a bijection between the points of all parts. For equal bits also
 *   (4) of two terms of q the earlier has the earlier image in p.
 *
 * Source: reductions as multisets over index domains and their equality by a
 * bijection follow Iooss, Alias, Rajopadhye, SAS 2014.
 */
#include "verifier/compare/fold_match.h"

#include "verifier/smt/obligation.h"

#include <string.h>

#define MAX_EQS   48
#define MAX_PAIRS 4096

/* ---- guessing maps ---------------------------------------------------------- */

struct equations {
    struct vctx *c;
    size_t n;
    unsigned visits; /* values are DAGs */
    const struct aff *eqs[MAX_EQS];
};

static void equate(struct equations *e, const struct value *p,
                   const struct value *q, unsigned depth);

static void equate_inputs(struct equations *e, const struct value *p,
                          const struct value *q)
{
    if (p->param != q->param)
        return;
    if (!vinput_alike(p, q)) {
        if (e->n < MAX_EQS) {
            const struct aff *a = vinput_linear(e->c, p),
                             *b = vinput_linear(e->c, q);
            if (a != NULL && b != NULL)
                e->eqs[e->n++] = aff_sub(e->c->space, a, b);
        }
        return;
    }
    for (size_t i = 0; i < p->nindex && e->n < MAX_EQS; i++)
        e->eqs[e->n++] = aff_sub(e->c->space, p->index[i], q->index[i]);
}

static const struct value *likely_arm(const struct value *v)
{
    while (v->kind == VALUE_ITE)
        v = v->args[v->args[0]->reads != 0 || v->args[0]->kind == VALUE_INDEX
                        ? 0
                        : 1];
    return v;
}

static void equate(struct equations *e, const struct value *p,
                   const struct value *q, unsigned depth)
{
    p = likely_arm(p);
    q = likely_arm(q);
    if (depth > 40 || ++e->visits > 3000 || p->kind != q->kind)
        return;
    if (p->kind == VALUE_INPUT) {
        equate_inputs(e, p, q);
        return;
    }
    if (p->kind == VALUE_INDEX && e->n < MAX_EQS) {
        e->eqs[e->n++] = aff_sub(e->c->space, p->index[0], q->index[0]);
        return;
    }
    if ((p->kind != VALUE_OP && p->kind != VALUE_TUPLE) || p->op != q->op ||
        p->nargs != q->nargs)
        return;
    bool cross = p->kind == VALUE_OP && p->nargs == 2 &&
                 value_combines(p->op, p->dtype) &&
                 p->args[0]->reads != q->args[0]->reads &&
                 p->args[0]->reads == q->args[1]->reads;
    for (size_t i = 0; i < p->nargs; i++)
        equate(e, p->args[i], q->args[cross ? 1 - i : i], depth + 1);
}

/* Binders that no equation determines answer to each other in order. */
static void pair_rest(struct vctx *c, const struct value_part *from,
                      const struct value_part *to, struct aff_map *map,
                      const struct aff_map *inverse)
{
    size_t k = 0;
    for (size_t i = 0; i < to->nbinders; i++) {
        atom_id a = to->binders[i];
        if (a < map->n && map->to[a] != NULL)
            continue;
        const struct atom *x = aff_atom_info(c->space, a);
        for (; k < from->nbinders; k++) {
            atom_id b = from->binders[k];
            const struct atom *y = aff_atom_info(c->space, b);
            bool free =
                inverse == NULL || b >= inverse->n || inverse->to[b] == NULL;
            if (free && x->lo != AFF_NO_LOWER && y->lo != AFF_NO_LOWER &&
                x->hi - x->lo == y->hi - y->lo)
                break;
        }
        if (k < from->nbinders) {
            atom_id b = from->binders[k++];
            const struct atom *y = aff_atom_info(c->space, b);
            vctx_map_set(
                c, map, a,
                aff_addc(c->space, aff_of_atom(c->space, b), x->lo - y->lo));
        } else {
            vctx_map_set(
                c, map, a,
                aff_const(c->space, x->lo != AFF_NO_LOWER ? x->lo : 0));
        }
    }
}

/* EQ0 conjuncts over the binders of `to` help. */
static void equate_where(struct equations *e, const struct form *f)
{
    if (f->kind == FORM_EQ0 && e->n < MAX_EQS)
        e->eqs[e->n++] = f->a;
    else if (f->kind == FORM_AND)
        for (uint32_t i = 0; i < f->n; i++)
            equate_where(e, f->args[i]);
}

/* The equation less an offset that is below the common factor of the binders'
 * coefficients: what unrolled parts then have in common are the same quotients,
 * which helps the solver. Where the offset is right the solution is the same. */
static const struct aff *without_offset(struct vctx *c, const struct aff *a,
                                        const struct value_part *to)
{
    int64_t g = 0, sign = 0;
    for (size_t i = 0; i < to->nbinders; i++) {
        int64_t k = aff_coef(a, to->binders[i]);
        sign = k != 0 ? (k < 0 ? -1 : 1) : sign;
        g = int_gcd(g, k);
    }
    if (g < 2)
        return a;
    int64_t rest = (sign * (a->constant % g) + g) % g;
    return aff_addc(c->space, a, -sign * rest);
}

/* The equation with minima and maxima that hold a binder of `to` taken for the
 * operand that does: right for most points, and what is wrong is proved to be. */
static const struct aff *without_choices(struct vctx *c, const struct aff *a,
                                         const struct value_part *to)
{
    const struct aff *out = a;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(c->space, a->terms[i].atom);
        const struct vchoice *k = t->kind == ATOM_VAR ? t->user : NULL;
        for (size_t b = 0; k != NULL && b < to->nbinders; b++) {
            const struct aff *x = aff_coef(k->a, to->binders[b]) != 0   ? k->a
                                  : aff_coef(k->b, to->binders[b]) != 0 ? k->b
                                                                        : NULL;
            if (x == NULL)
                continue;
            out = aff_add(c->space, out,
                          aff_scale(c->space, aff_sub(c->space, x, k->aff),
                                    a->terms[i].coef));
            break;
        }
    }
    return out;
}

static void solve_map(struct vctx *c, const struct equations *e,
                      const struct value_part *to, struct aff_map *map)
{
    const struct aff **found =
        ARENA_ARRAY(c->arena, to->nbinders + 1, const struct aff *);
    struct equations plain = *e;
    for (size_t i = 0; i < e->n; i++)
        plain.eqs[i] = without_choices(c, e->eqs[i], to);
    (void)aff_solve(c->space, e->n, plain.eqs, to->nbinders, to->binders,
                    found);
    for (size_t i = 0; i < to->nbinders; i++)
        if (found[i] != NULL)
            vctx_map_set(c, map, to->binders[i], found[i]);
}

/* Solutions may hold binders of the same side that are found elsewhere. */
static void close_map(struct vctx *c, const struct value_part *to,
                      struct aff_map *map)
{
    for (unsigned round = 0; round < 3; round++)
        for (size_t i = 0; i < to->nbinders; i++)
            map->to[to->binders[i]] =
                vaff_subst(c, map->to[to->binders[i]], map);
}

static void guess_maps(struct bijection *b, const struct value_part *p,
                       const struct value_part *q, struct link *k)
{
    struct vctx *c = b->m->c;
    struct equations e = {.c = c};
    equate(&e, p->leaf, q->leaf, 0);
    struct equations ep = e, eq = e;
    for (size_t i = 0; i < e.n && b->p->n + b->q->n > 2; i++) {
        ep.eqs[i] = without_offset(c, e.eqs[i], p);
        eq.eqs[i] = without_offset(c, e.eqs[i], q);
    }
    equate_where(&ep, p->where);
    equate_where(&eq, q->where);
    solve_map(c, &ep, p, &k->to_p);
    solve_map(c, &eq, q, &k->to_q);
    struct aff_map to_q = k->to_q;
    pair_rest(c, q, p, &k->to_p, &to_q);
    pair_rest(c, p, q, &k->to_q, NULL);
    close_map(c, p, &k->to_p);
    close_map(c, q, &k->to_q);
}

/* ---- obligations ------------------------------------------------------------ */

static const struct form *in_ranges(struct vctx *c, const struct value_part *p,
                                    const struct aff_map *map)
{
    const struct form *f = form_true(c->space);
    for (size_t i = 0; i < p->nbinders; i++)
        f = form_and2(c->space, f,
                      vatom_takes(c, p->binders[i], map->to[p->binders[i]]));
    return OBLIGED_FORM(c, "the partner is in range", f);
}

static const struct form *round_trip(struct vctx *c,
                                     const struct value_part *start,
                                     const struct aff_map *there,
                                     const struct aff_map *back)
{
    const struct form *f = form_true(c->space);
    for (size_t i = 0; i < start->nbinders; i++) {
        const struct aff *v = vaff_subst(c, back->to[start->binders[i]], there);
        f = form_and2(
            c->space, f,
            form_eq(c->space, v, aff_of_atom(c->space, start->binders[i])));
    }
    return OBLIGED_FORM(c, "the maps are inverse", f);
}

static void conditions(struct bijection *b, struct link *k)
{
    struct vctx *c = b->m->c;
    const struct value_part *p = &b->p->terms[k->i].part;
    const struct value_part *q = &b->q->terms[k->j].part;
    const struct form *w = OBLIGED_FORM(c, "the partner is a term",
                                        vform_subst(c, p->where, &k->to_p));
    k->on_q = form_and2(c->space, w, in_ranges(c, p, &k->to_p));
    if (b->cover)
        return;
    k->on_q =
        form_and2(c->space, k->on_q, round_trip(c, q, &k->to_p, &k->to_q));
    w = OBLIGED_FORM(c, "the partner is a term",
                     vform_subst(c, q->where, &k->to_q));
    k->on_p =
        form_and2(c->space, form_and2(c->space, w, in_ranges(c, q, &k->to_q)),
                  round_trip(c, p, &k->to_q, &k->to_p));
}

static bool leaves_equal(struct bijection *b, const struct link *k,
                         const struct form *where)
{
    const struct value *x =
        value_subst(b->m->c, b->p->terms[k->i].part.leaf, &k->to_p);
    return OBLIGED(b->m->c->smt, "partners are equal",
                   match_values(b->m, x, b->q->terms[k->j].part.leaf, where));
}

/* Terms on the same side of the operator, where that matters to a bit. */
static bool same_side(const struct bijection *b, size_t i, size_t j)
{
    const struct fold *p = b->p;
    bool minmax =
        (p->op == IR_MIN || p->op == IR_MAX) && dtype_is_float(p->dtype);
    return !minmax || p->exact || b->m->mode == MATCH_ORDER ||
           OBLIGED(b->m->c->smt, "minima keep their operands' order",
                   p->terms[i].swapped == b->q->terms[j].swapped);
}

/* Links q's part j to the parts of p that hold its points. */
static bool link_part(struct bijection *b, size_t j)
{
    struct vctx *c = b->m->c;
    const struct value_part *q = &b->q->terms[j].part;
    const struct form *ctx = form_and2(c->space, b->ctx, q->where);
    const struct form *open = ctx;
    size_t start = b->n;
    for (size_t step = 0; step < b->p->n; step++) {
        /* the part of the same number first */
        size_t i = step == 0 && j < b->p->n ? j : step;
        if (step > 0 && step <= j && j < b->p->n)
            i = step - 1;
        struct link k = {.i = i, .j = j};
        if (!same_side(b, i, j))
            continue;
        guess_maps(b, &b->p->terms[i].part, q, &k);
        conditions(b, &k);
        if (k.on_q->kind == FORM_FALSE)
            continue;
        const struct form *here = form_and2(c->space, ctx, k.on_q);
        bool all = vctx_proves(c, open, k.on_q, "terms covered");
        if (!all && vctx_unsat(c, here, "no common terms"))
            continue;
        if (!leaves_equal(b, &k, here))
            continue;
        if (b->n >= b->cap)
            return false;
        b->links[b->n++] = k;
        if (all)
            break;
        open = form_and2(c->space, open, form_not(c->space, k.on_q));
        if (vctx_unsat(c, open, "all terms covered"))
            break;
    }
    const struct form *some = form_false(c->space);
    for (size_t k = start; k < b->n; k++)
        some = form_or2(c->space, some, b->links[k].on_q);
    if (!vctx_proves(c, ctx, some, "each term has a partner"))
        return false;
    if (b->cover)
        return true;
    for (size_t k = start; k < b->n; k++)
        for (size_t l = k + 1; l < b->n; l++)
            if (!vctx_unsat(c,
                            form_and2(c->space, ctx,
                                      form_and2(c->space, b->links[k].on_q,
                                                b->links[l].on_q)),
                            "one partner only"))
                return false;
    return true;
}

/* Fresh copies of a part's binders, so that two of its points can be told
 * apart. */
struct aff_map fold_renamed(struct vctx *c, const struct value_part *p)
{
    struct aff_map map = {0};
    for (size_t i = 0; i < p->nbinders; i++) {
        struct atom a = *aff_atom_info(c->space, p->binders[i]);
        atom_id f =
            aff_var_make(c->space, a.name, a.lo, a.hi, a.lower, a.upper);
        vctx_map_set(c, &map, p->binders[i], aff_of_atom(c->space, f));
    }
    return map;
}

static struct aff_map compose(struct vctx *c, const struct value_part *p,
                              const struct aff_map *first,
                              const struct aff_map *then)
{
    struct aff_map map = {0};
    for (size_t i = 0; i < p->nbinders; i++)
        vctx_map_set(c, &map, p->binders[i],
                     vaff_subst(c, first->to[p->binders[i]], then));
    return map;
}

static struct point point_of(struct bijection *b, const struct link *k)
{
    struct vctx *c = b->m->c;
    const struct value_part *p = &b->p->terms[k->i].part;
    const struct value_part *q = &b->q->terms[k->j].part;
    struct point out = {.first = (atom_id)aff_natoms(c->space)};
    out.y = fold_renamed(c, q);
    out.x = compose(c, p, &k->to_p, &out.y);
    return out;
}

static void two_points(struct bijection *b)
{
    for (size_t k = 0; k < b->n; k++) {
        b->links[k].a = point_of(b, &b->links[k]);
        b->links[k].b = point_of(b, &b->links[k]);
    }
}

/* Whether no image of one link's points is one of the other's, as can be seen
 * without the solver. */
static bool plainly_apart(struct bijection *b, const struct link *k,
                          const struct link *l)
{
    struct vctx *c = b->m->c;
    const struct value_part *p = &b->p->terms[k->i].part;
    for (size_t i = 0; i < p->nbinders; i++) {
        atom_id a = p->binders[i];
        if (form_eq(c->space, k->a.x.to[a], l->b.x.to[a])->kind == FORM_FALSE)
            return true;
    }
    return false;
}

static bool covered(struct bijection *b, size_t i)
{
    struct vctx *c = b->m->c;
    const struct form *ctx =
        form_and2(c->space, b->ctx, b->p->terms[i].part.where);
    const struct form *some = form_false(c->space);
    for (size_t k = 0; k < b->n; k++)
        if (b->links[k].i == i)
            some = form_or2(c->space, some, b->links[k].on_p);
    if (!vctx_proves(c, ctx, some, "onto: each term is reached"))
        return false;
    for (size_t k = 0; k < b->n; k++)
        for (size_t l = k + 1; l < b->n; l++)
            if (b->links[k].i == i && b->links[l].i == i &&
                !plainly_apart(b, &b->links[k], &b->links[l]) &&
                !vctx_unsat(c,
                            form_and2(c->space, ctx,
                                      form_and2(c->space, b->links[k].on_p,
                                                b->links[l].on_p)),
                            "reached once"))
                return false;
    return true;
}

/* ---- entry ------------------------------------------------------------------ */

static bool link_all(struct bijection *b)
{
    b->cap = b->p->n * b->q->n + 1;
    if (b->cap > MAX_PAIRS) {
        b->m->why = "too many terms to pair";
        return false;
    }
    b->links = ARENA_ARRAY(b->m->c->arena, b->cap, struct link);
    for (size_t j = 0; j < b->q->n; j++)
        if (!link_part(b, j))
            return false;
    return true;
}

bool match_folds(struct match *m, const struct fold *p, const struct fold *q,
                 const struct form *ctx)
{
    struct bijection b = {.m = m, .p = p, .q = q, .ctx = ctx};
    if (!link_all(&b))
        return false;
    two_points(&b);
    for (size_t i = 0; i < p->n; i++)
        if (!covered(&b, i))
            return false;
    if (!p->in_turn &&
        (p->exact || m->mode == MATCH_ORDER || fold_exact(m, p->op, p->dtype)))
        return true;
    if (fold_order_kept(&b))
        return true;
    m->order_broke = true;
    return false;
}

/* How many terms there are, as far as ranges tell; negative: not known. */
static int64_t count_terms(const struct vctx *c, const struct fold *f)
{
    int64_t all = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct value_part *p = &f->terms[i].part;
        int64_t n = 1;
        for (size_t b = 0; b < p->nbinders; b++) {
            const struct atom *t = aff_atom_info(c->space, p->binders[b]);
            if (t->lo == AFF_NO_LOWER || t->hi == AFF_NO_BOUND ||
                __builtin_mul_overflow(n, t->hi - t->lo + 1, &n))
                return -1;
        }
        if (p->where->kind != FORM_TRUE || __builtin_add_overflow(all, n, &all))
            return -1;
    }
    return all;
}

/* Each term of either is one of the other: as sets they are one. That all terms of
 * q are defined where those of p are comes first, so that the second may take it for
 * given. */
bool match_sets(struct match *m, const struct fold *p, const struct fold *q,
                const struct form *ctx)
{
    int64_t n = count_terms(m->c, p);
    /* as many terms, and no bijection: then some are others */
    if (m->in_sets || (n >= 0 && n == count_terms(m->c, q)))
        return false;
    struct bijection there = {
        .m = m, .p = p, .q = q, .ctx = ctx, .cover = true};
    struct bijection back = {.m = m, .p = q, .q = p, .ctx = ctx, .cover = true};
    m->in_sets = true;
    bool same = link_all(&there) && link_all(&back);
    m->in_sets = false;
    return same;
}
