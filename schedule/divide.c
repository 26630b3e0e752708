/* SPDX-License-Identifier: Apache-2.0
 *
 * A block's loops cut in two: what each of its iterators is made of by the
 * loops outside, and by those inside. Shared by both forms of blockize.
 *
 * The value bound to an iterator is a sum of terms. Terms of inner loops alone
 * are I, all others are O; with 0 <= I < E and E a divisor of every term of O,
 * the value is E (O / E) + I, and the iterator becomes one of each block. A
 * term of both kinds of loops cannot be cut. Conjuncts of the guard go to the
 * one side or the other. TVM has the same from arith::SubspaceDivide; there
 * O has to be digits of the outer loops, here any multiple of E will do.
 */
#include "schedule/schedule_private.h"

static bool is_inner(const struct sched_division *d, size_t node)
{
    return node >= d->at && node + 1 < d->path.n;
}

/* Which of the loops of the scope an expression depends on. */
enum { OUTER = 1, INNER = 2 };

static unsigned sides(const struct sched_division *d, const struct ir_expr *e)
{
    unsigned out = 0;
    for (size_t i = 0; i + 1 < d->path.n; i++) {
        const struct ir_stmt *node = d->path.nodes[i];
        if (node->kind == IR_FOR && ir_uses_var(e, node->u.loop.var))
            out |= is_inner(d, i) ? INNER : OUTER;
        for (size_t j = 0; node->kind == IR_BLOCK && j < node->u.block->niters;
             j++)
            if (ir_uses_var(e, node->u.block->iters[j].var))
                out |= OUTER;
    }
    return out;
}

/* The terms of one kind of loops; false where a term has both. */
static bool terms_of(struct sched_division *d, const struct sched_linear *l,
                     bool inner, struct sched_linear *out)
{
    *out = *l;
    out->n = 0;
    if (inner)
        out->base = 0;
    for (size_t i = 0; i < l->n; i++) {
        unsigned side = sides(d, l->terms[i].atom);
        if (side == (OUTER | INNER))
            return false;
        if ((side == INNER) == inner)
            out->terms[out->n++] = l->terms[i];
    }
    return true;
}

static bool cut_value(struct schedule *s, struct sched_division *d,
                      const struct ir_block *b, size_t at)
{
    struct sched_half *half = &d->halves[at];
    struct ir_expr *value = b->iter_values[at];
    struct ir_expr *extent = b->iters[at].dom.extent;
    struct dtype t = value->dtype;
    struct sched_linear l = sched_linear(s, &d->env, value), outer, inner;
    *half = (struct sched_half){value, NULL, extent, NULL};
    unsigned side = sides(d, value);
    if (!(side & INNER))
        return true;
    if (side == INNER) {
        *half = (struct sched_half){ir_int(s->m, t, 0), value,
                                    ir_int(s->m, t, 1), extent};
        if (ir_is_const_int(extent, 1)) /* one value: nothing to tell apart */
            half->inner = half->inner_extent = NULL;
        return true;
    }
    if (!l.ok || !terms_of(d, &l, true, &inner) ||
        !terms_of(d, &l, false, &outer))
        return false;
    struct sched_bounds range = sched_bounds(s, &d->env, &inner);
    if (range.min < 0 || range.max >= INT32_MAX)
        return false;
    int64_t e = range.max + 1;
    bool divides = outer.base % e == 0;
    for (size_t i = 0; i < outer.n; i++)
        divides = divides && outer.terms[i].coeff % e == 0;
    if (!divides)
        return false;
    outer.base /= e;
    for (size_t i = 0; i < outer.n; i++)
        outer.terms[i].coeff /= e;
    half->outer = sched_linear_expr(s, &outer);
    if (e == 1)
        return true;
    half->inner = sched_linear_expr(s, &inner);
    half->inner_extent = ir_int(s->m, t, e);
    half->outer_extent = sched_simplify(
        s, NULL,
        sched_op(s, IR_FLOORDIV,
                 sched_op(s, IR_ADD, extent, ir_int(s->m, t, e - 1)),
                 ir_int(s->m, t, e)));
    return true;
}

static bool cut_guard(struct schedule *s, struct sched_division *d,
                      struct ir_expr *e)
{
    if (e->kind == IR_AND)
        return cut_guard(s, d, e->args[0]) && cut_guard(s, d, e->args[1]);
    unsigned side = sides(d, e);
    if (side == (OUTER | INNER))
        return false;
    struct ir_expr **to = side == INNER ? &d->inner_guard : &d->outer_guard;
    *to = sched_and(s, *to, e);
    return true;
}

/* Nothing but loops inside, whose ranges do not depend on those outside. */
static bool check_loops(struct schedule *s, const struct sched_division *d)
{
    const char *name = sched_path_end(&d->path)->u.block->name;
    for (size_t i = d->at; i + 1 < d->path.n; i++) {
        const struct ir_stmt *loop = d->path.nodes[i];
        if (loop->kind != IR_FOR)
            return sched_illegal(s, "block '%s' is not all that the loop holds",
                                 name);
        if (loop->u.loop.step)
            return sched_unsupported(s, "loop '%s' counts by steps",
                                     loop->u.loop.var->name);
        if ((sides(d, loop->u.loop.min) | sides(d, loop->u.loop.extent)) &
            OUTER)
            return sched_illegal(
                s, "the range of loop '%s' depends on loops outside of it",
                loop->u.loop.var->name);
    }
    return true;
}

bool sched_divide(struct schedule *s, struct sched_division *d)
{
    const struct ir_block *b = sched_path_end(&d->path)->u.block;
    sched_env_path(s, &d->path, &d->env);
    d->outer_guard = d->inner_guard = sched_true(s);
    if (b->niters > SCHED_MAX_PATH)
        return sched_unsupported(s, "block '%s' has too many iterators",
                                 b->name);
    if (!check_loops(s, d))
        return false;
    for (size_t i = 0; i < b->niters; i++) {
        if (!b->iters[i].has_dom || !ir_is_const_int(b->iters[i].dom.min, 0))
            return sched_unsupported(s, "block '%s' has a domain not from 0",
                                     b->name);
        if (!cut_value(s, d, b, i))
            return sched_illegal(s,
                                 "block '%s': what is bound to iterator '%s' "
                                 "cannot be divided between loop '%s' and "
                                 "those outside",
                                 b->name, b->iters[i].var->name,
                                 d->path.nodes[d->at]->u.loop.var->name);
    }
    return cut_guard(s, d, b->predicate) ||
           sched_illegal(s,
                         "block '%s': its guard ties loop '%s' to those "
                         "outside",
                         b->name, d->path.nodes[d->at]->u.loop.var->name);
}
