/* SPDX-License-Identifier: Apache-2.0
 *
 * Values of the parts of a context, as one where they are the same: of a cell
 * that unrolled stores write, each for its residue, say. Indices are written
 * without what the part's equations say, and reductions are compared but for
 * the names of their binders.
 */
#include "verifier/value/reaching.h"

#include <string.h>

#define MAX_EQUATIONS 24
#define MAX_REWRITTEN 4000

/* ---- indices under equations ------------------------------------------------- */

struct rewrite {
    struct vctx *c;
    size_t n;
    const struct aff *eqs[MAX_EQUATIONS]; /* == 0 */
    struct VEC(const struct value *) from, to;
};

static void take_equations(struct rewrite *r, const struct form *f)
{
    if (f->kind == FORM_EQ0 && r->n < MAX_EQUATIONS)
        r->eqs[r->n++] = f->a;
    else if (f->kind == FORM_AND)
        for (uint32_t i = 0; i < f->n; i++)
            take_equations(r, f->args[i]);
}

static unsigned weight(const struct vctx *c, const struct aff *a)
{
    unsigned sum = a->constant != 0 ? 1 : 0;
    for (uint32_t i = 0; i < a->n; i++)
        sum += aff_atom_info(c->space, a->terms[i].atom)->def != NULL ? 4 : 2;
    return sum;
}

static const struct aff *lighter(struct rewrite *r, const struct aff *a)
{
    struct aff_space *s = r->c->space;
    for (size_t i = 0; i < r->n; i++)
        for (uint32_t k = 0; k < r->eqs[i]->n; k++) {
            const struct aff_term *t = &r->eqs[i]->terms[k];
            int64_t has = aff_coef(a, t->atom);
            if (has == 0 || has % t->coef != 0)
                continue;
            const struct aff *b =
                aff_sub(s, a, aff_scale(s, r->eqs[i], has / t->coef));
            if (weight(r->c, b) < weight(r->c, a))
                return b;
        }
    return a;
}

static const struct aff *rewrite_aff(struct rewrite *r, const struct aff *a)
{
    for (unsigned round = 0; round < 8; round++) {
        const struct aff *b = lighter(r, a);
        if (b == a)
            break;
        a = b;
    }
    return a;
}

static const struct value *rewrite_value(struct rewrite *r,
                                         const struct value *v);

static const struct value *rewrite_node(struct rewrite *r,
                                        const struct value *v)
{
    struct vctx *c = r->c;
    struct value proto = *v;
    if (v->kind == VALUE_INDEX)
        return value_index(c, v->dtype, rewrite_aff(r, v->index[0]));
    if (v->nindex > 0) {
        proto.index = ARENA_ARRAY(c->arena, v->nindex, const struct aff *);
        for (size_t i = 0; i < v->nindex; i++)
            proto.index[i] = rewrite_aff(r, v->index[i]);
    }
    if (v->nargs > 0) {
        proto.args = ARENA_ARRAY(c->arena, v->nargs, const struct value *);
        for (size_t i = 0; i < v->nargs; i++)
            proto.args[i] = rewrite_value(r, v->args[i]);
    }
    if (v->kind == VALUE_ITE)
        return value_ite(c, v->cond, proto.args[0], proto.args[1]);
    bool changed = false;
    struct value_part *parts =
        ARENA_ARRAY(c->arena, v->nparts + 1, struct value_part);
    for (size_t i = 0; i < v->nparts; i++) {
        parts[i] = v->parts[i];
        parts[i].leaf = rewrite_value(r, v->parts[i].leaf);
        changed = changed || parts[i].leaf != v->parts[i].leaf;
    }
    if (changed)
        proto.parts = parts;
    return value_make(c, &proto);
}

static const struct value *rewrite_value(struct rewrite *r,
                                         const struct value *v)
{
    if (v->kind == VALUE_CONST || r->from.len > MAX_REWRITTEN)
        return v;
    for (size_t i = 0; i < r->from.len; i++)
        if (r->from.items[i] == v)
            return r->to.items[i];
    const struct value *out = rewrite_node(r, v);
    vec_push(&r->from, v);
    vec_push(&r->to, out);
    return out;
}

const struct value *reaching_under(struct vctx *c, const struct value *v,
                                   const struct form *where)
{
    struct rewrite r = {.c = c};
    take_equations(&r, where);
    if (r.n > 0)
        v = rewrite_value(&r, v);
    vec_fini(&r.from);
    vec_fini(&r.to);
    return v;
}

/* ---- equal but for binders --------------------------------------------------- */

static bool same_shape(const struct value_part *a, const struct value_part *b)
{
    return a->nbinders == b->nbinders && a->ntime == b->ntime &&
           a->unordered == b->unordered;
}

static bool same_part(struct vctx *c, const struct value_part *a,
                      const struct value_part *b)
{
    struct aff_map map = {0};
    if (!same_shape(a, b))
        return false;
    for (size_t i = 0; i < b->nbinders; i++) {
        const struct atom *x = aff_atom_info(c->space, a->binders[i]);
        const struct atom *y = aff_atom_info(c->space, b->binders[i]);
        if (x->lo != y->lo || x->hi != y->hi || x->lower != y->lower ||
            x->upper != y->upper)
            return false;
        vctx_map_set(c, &map, b->binders[i],
                     aff_of_atom(c->space, a->binders[i]));
    }
    if (vform_subst(c, b->where, &map) != a->where)
        return false;
    for (size_t i = 0; i < a->ntime; i++)
        if (vaff_subst(c, b->time[i], &map) != a->time[i])
            return false;
    return value_subst(c, b->leaf, &map) == a->leaf;
}

bool reaching_same(struct vctx *c, const struct value *a, const struct value *b)
{
    if (a == b)
        return !value_has_undef(a);
    if (a->kind != VALUE_REDUCE || b->kind != VALUE_REDUCE || a->op != b->op ||
        a->swapped != b->swapped || !dtype_equal(a->dtype, b->dtype) ||
        a->args[0] != b->args[0] || a->nparts != b->nparts ||
        value_has_undef(a))
        return false;
    for (size_t i = 0; i < a->nparts; i++)
        if (!same_part(c, &a->parts[i], &b->parts[i]))
            return false;
    return true;
}

/* ---- time, as far as it tells terms apart ------------------------------------ */

static bool has_binder(struct vctx *c, const struct value_part *p,
                       const struct aff *a)
{
    for (size_t i = 0; i < p->nbinders; i++)
        if (vaff_mentions(c, a, p->binders[i]))
            return true;
    return false;
}

/* One step of the time of all parts: 0 where it is one for all terms, ranks
 * where it is a constant for each part. */
static void settle_step(struct vctx *c, size_t n, struct value_part *parts,
                        size_t step)
{
    int64_t k, other;
    bool equal = true, constant = true;
    for (size_t i = 0; i < n; i++) {
        const struct aff *a = parts[i].time[step];
        equal =
            equal && a == parts[0].time[step] && !has_binder(c, &parts[i], a);
        constant = constant && aff_is_const(a, &k);
    }
    if (!equal && !constant)
        return;
    int64_t *ranks = ARENA_ARRAY(c->arena, n + 1, int64_t);
    for (size_t i = 0; !equal && i < n; i++) {
        (void)aff_is_const(parts[i].time[step], &k);
        for (size_t j = 0; j < n; j++) {
            (void)aff_is_const(parts[j].time[step], &other);
            ranks[i] += other < k;
        }
    }
    for (size_t i = 0; i < n; i++)
        parts[i].time[step] = aff_const(c->space, ranks[i]);
}

void reaching_settle_time(struct vctx *c, size_t n, struct value_part *parts)
{
    size_t steps = n > 0 ? parts[0].ntime : 0;
    for (size_t i = 0; i < n; i++)
        if (parts[i].ntime < steps)
            steps = parts[i].ntime;
    for (size_t step = 0; step < steps; step++)
        settle_step(c, n, parts, step);
}
