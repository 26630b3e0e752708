/* SPDX-License-Identifier: Apache-2.0
 *
 * Two ways to write a fold that give the same bits: a sum of integers converted as
 * a whole or term by term, and a maximum that begins with its first term or with
 * what is less than all of them. They are applied where two folds are compared,
 * never to what a program computes, since overflow is told by that (clean.c).
 */
#include "verifier/compare/fold_match.h"
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"

/* ---- sums of integers in another type ------------------------------------------- */

static const struct value *converted(struct vctx *c, const struct value *v,
                                     struct dtype to)
{
    unsigned flags = 0;
    v = value_without_middle(c, v, to);
    if (dtype_equal(v->dtype, to))
        return v;
    if (v->kind == VALUE_CONST)
        return value_const(c, to, num_cast(v->dtype, to, v->bits, &flags));
    struct value cast = {
        .kind = VALUE_OP, .dtype = to, .op = IR_CAST, .nargs = 1, .args = &v};
    return value_make(c, &cast);
}

/* The low bits of a sum or a product are those of its operands' low bits. To a wider
 * type the sum has to fit, with all of its partial sums. */
const struct value *fold_through_cast(struct match *m, const struct value *v)
{
    struct vctx *c = m->c;
    if (v->kind != VALUE_OP || v->op != IR_CAST || v->nargs != 1 || m->in_order)
        return v;
    const struct value *sum = v->args[0];
    struct dtype to = v->dtype, from = sum->dtype;
    if (sum->kind != VALUE_REDUCE || !dtype_is_int(to) || !dtype_is_int(from) ||
        (sum->op != IR_ADD && sum->op != IR_MUL))
        return v;
    if (!OBLIGED(c->smt, "a sum fits where its conversion widens",
                 to.bits <= from.bits ||
                     (sum->op == IR_ADD && value_fits(c, sum))))
        return v;
    const struct value *init = converted(c, sum->args[0], to);
    struct value proto = *sum;
    struct value_part *parts =
        ARENA_ARRAY(c->arena, sum->nparts + 1, struct value_part);
    for (size_t i = 0; i < sum->nparts; i++) {
        parts[i] = sum->parts[i];
        parts[i].leaf = converted(c, sum->parts[i].leaf, to);
    }
    proto.dtype = to;
    proto.parts = parts;
    proto.args = &init;
    return value_make(c, &proto);
}

/* ---- whether a fold has a term ----------------------------------------------------- */

#define MAX_POINTS 16u /* of a part */

struct points {
    struct vctx *c;
    const struct value_part *part;
    const struct form *some;
    unsigned n;
};

/* Any binder that is not placed is at its least. */
static void try_point(struct points *p, const struct aff *const *at)
{
    struct vctx *c = p->c;
    struct aff_map least = {0}, map = {0};
    const struct form *there = form_true(c->space);
    for (size_t i = 0; i < p->part->nbinders; i++) {
        const struct atom *t = aff_atom_info(c->space, p->part->binders[i]);
        vctx_map_set(c, &least, p->part->binders[i],
                     aff_const(c->space, t->lo == AFF_NO_LOWER ? 0 : t->lo));
    }
    for (size_t i = 0; i < p->part->nbinders; i++) {
        atom_id b = p->part->binders[i];
        const struct aff *x = at != NULL ? at[i] : NULL;
        vctx_map_set(c, &map, b,
                     x == NULL ? least.to[b] : vaff_subst(c, x, &least));
        there = form_and2(c->space, there, vatom_takes(c, b, map.to[b]));
    }
    there = form_and2(c->space, there, vform_subst(c, p->part->where, &map));
    p->some = form_or2(c->space, p->some, there);
    p->n++;
}

/* Where a condition holds just so. */
static void try_edges(struct points *p, const struct form *f)
{
    struct vctx *c = p->c;
    if (f->kind == FORM_AND)
        for (uint32_t i = 0; i < f->n; i++)
            try_edges(p, f->args[i]);
    if ((f->kind != FORM_GE0 && f->kind != FORM_EQ0) || p->n >= MAX_POINTS)
        return;
    const struct aff **found =
        ARENA_ARRAY(c->arena, p->part->nbinders + 1, const struct aff *);
    (void)aff_solve(c->space, 1, &f->a, p->part->nbinders, p->part->binders,
                    found);
    try_point(p, found);
}

const struct form *fold_has_term(struct vctx *c, const struct fold *f)
{
    const struct form *some = form_false(c->space);
    for (size_t i = 0; i < f->n && some->kind != FORM_TRUE; i++) {
        struct points p = {.c = c, .part = &f->terms[i].part, .some = some};
        try_point(&p, NULL);
        if (p.part->nbinders > 0)
            try_edges(&p, p.part->where);
        some = p.some;
    }
    return some;
}

/* ---- maxima that begin with a value ------------------------------------------------ */

/* The point of a part at which all binders are least; false: it has none. */
static bool least_point(struct vctx *c, const struct value_part *p,
                        struct aff_map *map)
{
    *map = (struct aff_map){.n = aff_natoms(c->space)};
    map->to = ARENA_ARRAY(c->arena, map->n + 1, const struct aff *);
    for (size_t i = 0; i < p->nbinders; i++) {
        const struct atom *t = aff_atom_info(c->space, p->binders[i]);
        if (t->lo == AFF_NO_LOWER)
            return false;
        map->to[p->binders[i]] = aff_const(c->space, t->lo);
    }
    return true;
}

/* Whether v is a term of the fold, and stands behind the state there: then it
 * makes no difference that the fold begins with v. If v is a NaN both states are
 * one after that term; if the state is one, both are v; else each is the larger
 * one of v and the state, or of two zeros v, and v adds nothing to a state that
 * has it already. In front of the state, max(x, -inf) is not x for a NaN. */
static bool begins_with(struct match *m, const struct fold *f,
                        const struct value *v, const struct form *ctx)
{
    struct vctx *c = m->c;
    for (size_t i = 0; i < f->n; i++) {
        const struct term *t = &f->terms[i];
        struct aff_map at;
        if (!OBLIGED(c->smt, "the first term stands behind", !t->swapped) ||
            t->part.unordered != 0 || !least_point(c, &t->part, &at) ||
            !vctx_proves(c, ctx, vform_subst(c, t->part.where, &at),
                         "the first term is one"))
            continue;
        struct match exact = {.c = c,
                              .mode = MATCH_IDENTICAL,
                              .work = m->work,
                              .without_bits = true};
        bool same = OBLIGED(
            c->smt, "the first term is the initial value",
            match_values(&exact, value_subst(c, t->part.leaf, &at), v, ctx));
        m->work = exact.work;
        if (same)
            return true;
    }
    return false;
}

/* max(a, b) is a > b ? a : b (R12), so that max(-inf, x) is x whatever x is, NaN
 * too, and max(x, x) is x. Written with the term in front, max(x, -inf) is not x
 * for a NaN; what stands first then is a term like any other. */
void fold_begin_at_unit(struct match *m, struct fold *f, const struct form *ctx)
{
    struct vctx *c = m->c;
    unsigned flags = 0;
    double zero = 0.0;
    if ((f->op != IR_MAX && f->op != IR_MIN) || !dtype_is_float(f->dtype) ||
        f->init == NULL || f->init->kind == VALUE_CONST || f->n == 0)
        return;
    uint64_t unit = num_from_double(
        f->dtype, (f->op == IR_MAX ? -1.0 : 1.0) / zero, &flags);
    if (!num_is_inf(f->dtype, unit)) /* a type without infinities */
        return;
    const struct value *first = f->init;
    bool repeated = begins_with(m, f, first, ctx);
    f->init = value_const(c, f->dtype, unit);
    if (repeated)
        return;
    struct fold out = {.op = f->op,
                       .dtype = f->dtype,
                       .in_turn = f->in_turn,
                       .exact = f->exact,
                       .init = f->init};
    struct value_part p = {.where = form_true(c->space), .leaf = first};
    if (!fold_push(m, &out, &p, 0))
        return;
    for (size_t i = 0; i < f->n; i++) {
        if (!fold_push(m, &out, &f->terms[i].part, f->terms[i].group + 1))
            return;
        out.terms[out.n - 1].swapped = f->terms[i].swapped;
    }
    *f = out;
}
