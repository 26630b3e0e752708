/* SPDX-License-Identifier: Apache-2.0
 *
 * Equality of folds over steps.
 *
 * A fold is determined by the state that it begins with and by the sequence of
 * its steps, each a function of the state. So two are equal if a bijection
 * between their steps keeps the order and gives equal functions: leaves are
 * compared with the holes as they stand. Nothing need be known of the functions.
 *
 * Another order or grouping is admitted where all steps are one combiner f of
 * the state with an argument, f is shown associative and commutative, and the
 * state e that folds begin with has f(e, e) = e: a fold of folds is then the
 * combination of e and all arguments (combiner.c).
 */
#include "verifier/compare/match.h"

#define MAX_DATA 12

/* ---- the same data in two conditions ---------------------------------------- */

struct data {
    size_t n;
    struct {
        const struct value *value;
        const struct aff *opaque; /* NULL: a predicate */
    } items[MAX_DATA];
};

static void add_data(struct data *d, const struct value *v,
                     const struct aff *opaque)
{
    for (size_t i = 0; i < d->n; i++)
        if (d->items[i].value == v)
            return;
    if (v != NULL && d->n < MAX_DATA) {
        d->items[d->n].value = v;
        d->items[d->n++].opaque = opaque;
    }
}

static void data_of(struct vctx *c, const struct form *f, struct data *d,
                    unsigned depth)
{
    if (depth > 40 || d->n == MAX_DATA)
        return;
    if (f->kind == FORM_PRED)
        add_data(d, vpred_value(c, f->key), NULL);
    for (uint32_t i = 0; f->a != NULL && i < f->a->n; i++) {
        atom_id id = f->a->terms[i].atom;
        const struct atom *t = aff_atom_info(c->space, id);
        if (t->kind == ATOM_OPAQUE)
            add_data(d, t->user, aff_of_atom(c->space, id));
    }
    for (uint32_t i = 0; i < f->n; i++)
        data_of(c, f->args[i], d, depth + 1);
}

static const struct form *same_truth(struct vctx *c, const struct value *p,
                                     const struct value *q)
{
    struct aff_space *s = c->space;
    const struct form *a = vpred_of(c, p), *b = vpred_of(c, q);
    return form_or2(s, form_and2(s, a, b),
                    form_and2(s, form_not(s, a), form_not(s, b)));
}

const struct form *match_same_data(struct match *m, const struct form *p,
                                   const struct form *q, const struct form *ctx)
{
    struct vctx *c = m->c;
    struct data dp = {0}, dq = {0};
    data_of(c, p, &dp, 0);
    data_of(c, q, &dq, 0);
    const struct form *out = ctx;
    for (size_t i = 0; i < dp.n; i++)
        for (size_t k = 0; k < dq.n; k++) {
            const struct value *a = dp.items[i].value, *b = dq.items[k].value;
            const struct aff *x = dp.items[i].opaque, *y = dq.items[k].opaque;
            if (a == b || (x == NULL) != (y == NULL) || a->kind != b->kind)
                continue;
            /* equal bits, whatever the values around may differ in */
            struct match exact = {.c = c,
                                  .mode = MATCH_IDENTICAL,
                                  .depth = m->depth,
                                  .work = m->work};
            bool same = match_values(&exact, a, b, ctx);
            m->work = exact.work;
            if (same)
                out = form_and2(c->space, out,
                                x == NULL ? same_truth(c, a, b)
                                          : form_eq(c->space, x, y));
        }
    return out;
}

/* ---- steps in their order ---------------------------------------------------- */

/* The fold whose components a tuple holds, in their order; NULL: none. */
static const struct value *fold_behind(const struct value *tuple)
{
    const struct value *first = tuple->args[0];
    for (size_t i = 0; i < tuple->nargs; i++) {
        const struct value *v = tuple->args[i];
        if (v->kind != VALUE_FOLD || v->param != (int)i ||
            v->args[0]->nargs != tuple->nargs || v->args[0] != first->args[0] ||
            v->parts != first->parts)
            return NULL;
    }
    return first;
}

static bool gather(struct match *m, const struct value *v, struct fold *f,
                   unsigned *group, unsigned depth)
{
    const struct value *begin = fold_behind(v->args[0]);
    if (begin != NULL && depth < 1000) {
        if (!gather(m, begin, f, group, depth + 1))
            return false;
    } else {
        f->init = v->args[0];
    }
    ++*group;
    for (size_t i = 0; i < v->nparts; i++)
        if (!fold_push(m, f, &v->parts[i], *group))
            return false;
    return true;
}

/* v, a VALUE_FOLD, as a fold of the steps of all folds that it begins with. */
static bool steps_of(struct match *m, const struct value *v, struct fold *out)
{
    unsigned group = 0;
    *out = (struct fold){.op = IR_NKINDS, .dtype = v->dtype, .in_turn = true};
    return gather(m, v, out, &group, 0);
}

static bool in_order(struct match *m, const struct fold *p,
                     const struct fold *q, const struct form *ctx)
{
    return match_values(m, p->init, q->init, ctx) && match_folds(m, p, q, ctx);
}

/* ---- steps in any order ------------------------------------------------------ */

struct any_order {
    struct match *m;
    struct combiner f;         /* of the first step */
    const struct value *begin; /* a tuple of constants */
    const struct form *ctx;
};

static bool equal_exactly(struct match *m, const struct value *p,
                          const struct value *q, const struct form *ctx)
{
    struct match exact = {.c = m->c, .mode = MATCH_IDENTICAL, .work = m->work};
    bool same = match_values(&exact, p, q, ctx);
    m->work = exact.work;
    return same;
}

static bool constants(const struct value *tuple)
{
    uint64_t bits;
    for (size_t i = 0; i < tuple->nargs; i++)
        if (!value_is_const(tuple->args[i], &bits))
            return false;
    return true;
}

/* The inner fold whose result a step combines with; NULL: it is a term. Its
 * components may have been read by several reads. */
static const struct value *inner_fold(struct any_order *a,
                                      const struct combiner *f,
                                      const struct form *ctx)
{
    const struct value *first = f->arg[0];
    for (size_t i = 0; i < f->n; i++) {
        const struct value *v = f->arg[i];
        if (v->kind != VALUE_FOLD || v->param != (int)i ||
            v->args[0]->nargs != f->n)
            return NULL;
        struct value as_first = *v;
        as_first.param = first->param;
        as_first.dtype = first->dtype;
        if (!equal_exactly(a->m, value_make(a->m->c, &as_first), first, ctx))
            return NULL;
    }
    return first;
}

/* The point of an inner part at a point of the outer one, with binders of its
 * own. */
static struct value_part below(struct vctx *c, const struct value_part *outer,
                               const struct value_part *inner)
{
    struct aff_map fresh = fold_renamed(c, inner);
    struct value_part out = {0};
    out.nbinders = outer->nbinders + inner->nbinders;
    out.binders = ARENA_ARRAY(c->arena, out.nbinders + 1, atom_id);
    for (size_t i = 0; i < outer->nbinders; i++)
        out.binders[i] = outer->binders[i];
    for (size_t i = 0; i < inner->nbinders; i++)
        out.binders[outer->nbinders + i] =
            fresh.to[inner->binders[i]]->terms[0].atom;
    out.where =
        form_and2(c->space, outer->where, vform_subst(c, inner->where, &fresh));
    out.leaf = value_subst(c, inner->leaf, &fresh);
    return out;
}

/* Adds the terms of steps, those of folds that they combine with instead of
 * these. */
static bool terms_of(struct any_order *a, const struct fold *steps,
                     const struct value_part *outer, struct fold *out,
                     unsigned depth)
{
    struct vctx *c = a->m->c;
    if (depth > 8 || steps->init->nargs != a->begin->nargs ||
        !equal_exactly(a->m, steps->init, a->begin, a->ctx))
        return false;
    for (size_t i = 0; i < steps->n; i++) {
        struct value_part p = steps->terms[i].part;
        struct combiner f;
        if (outer != NULL)
            p = below(c, outer, &p);
        const struct form *ctx = form_and2(c->space, a->ctx, p.where);
        if (!combiner_of(a->m, p.leaf, ctx, &f))
            return false;
        if (a->f.leaf == NULL)
            a->f = f;
        else if (!combiner_same(&a->f, &f))
            return false;
        const struct value *inner = inner_fold(a, &f, ctx);
        if (inner == NULL) {
            p.leaf = value_tuple(c, f.n, f.arg);
            if (!fold_push(a->m, out, &p, 0))
                return false;
            continue;
        }
        struct fold more;
        if (!steps_of(a->m, inner, &more) ||
            !terms_of(a, &more, &p, out, depth + 1))
            return false;
    }
    return true;
}

static bool in_any_order(struct match *m, const struct fold *p,
                         const struct fold *q, const struct form *ctx)
{
    struct any_order a = {.m = m, .begin = p->init, .ctx = ctx};
    struct fold tp = {.op = IR_NKINDS, .dtype = p->dtype}, tq = tp;
    if (!constants(p->init) || !terms_of(&a, p, NULL, &tp, 0) ||
        !terms_of(&a, q, NULL, &tq, 0) || a.f.leaf == NULL)
        return false;
    struct combiner f = a.f;
    if (!combiner_laws(&f, a.begin) || (f.floats && m->mode != MATCH_ORDER))
        return false;
    /* what is chosen depends on each bit of an argument */
    struct match exact = {.c = m->c, .mode = MATCH_IDENTICAL, .work = m->work};
    tp.exact = tq.exact = true;
    bool ok = match_folds(&exact, &tp, &tq, ctx);
    m->work = exact.work;
    m->used_non_nan |= ok && f.floats;
    return ok;
}

bool match_steps(struct match *m, const struct value *p, const struct value *q,
                 const struct form *ctx)
{
    struct fold fp, fq;
    if (p->param != q->param || p->args[0]->nargs != q->args[0]->nargs ||
        !steps_of(m, p, &fp) || !steps_of(m, q, &fq))
        return false;
    const struct form *closed = vform_without_holes(m->c, ctx);
    return in_order(m, &fp, &fq, closed) || in_any_order(m, &fp, &fq, closed);
}
