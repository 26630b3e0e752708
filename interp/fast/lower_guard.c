/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions into guards: a conjunction of comparisons of affine forms where it
 * is one, any other as a computed bool.
 */
#include "interp/fast/lower.h"

#include <string.h>

/* ---- conditions ----------------------------------------------------------------------- */

bool lower_guard_is_true(const struct guard *g)
{
    return g->n == 0 && g->value == NULL;
}

static bool cond_add(struct lower *l, struct guard *g, enum cond_kind kind,
                     const struct affine *at)
{
    if ((kind == COND_GE && at->lo >= 0) ||
        (kind == COND_EQ && at->lo == 0 && at->hi == 0) ||
        (kind == COND_NE && (at->lo > 0 || at->hi < 0)))
        return true;
    struct cond *grown = ARENA_ARRAY(l->e->arena, g->n + 1, struct cond);
    if (g->n > 0)
        memcpy(grown, g->conds, g->n * sizeof *grown);
    grown[g->n++] = (struct cond){kind, *at, 0};
    g->conds = grown;
    return g->n < 64;
}

static bool cond_compare(struct lower *l, const struct ir_expr *e,
                         enum ir_expr_kind kind, struct guard *g)
{
    struct affine a, b, d, one = affine_const(-1);
    if (!lower_affine(l, e->args[0], &a) || !lower_affine(l, e->args[1], &b))
        return false;
    bool swap = kind == IR_LT || kind == IR_LE;
    if (!affine_sub(l->e, swap ? &b : &a, swap ? &a : &b, &d))
        return false;
    if ((kind == IR_LT || kind == IR_GT) && !affine_add(l->e, &d, &one, &d))
        return false;
    return cond_add(l, g,
                    kind == IR_EQ   ? COND_EQ
                    : kind == IR_NE ? COND_NE
                                    : COND_GE,
                    &d);
}

static enum ir_expr_kind inverse(enum ir_expr_kind kind)
{
    static const uint8_t table[IR_NKINDS] = {
        [IR_LT] = IR_GE, [IR_GE] = IR_LT, [IR_LE] = IR_GT,
        [IR_GT] = IR_LE, [IR_EQ] = IR_NE, [IR_NE] = IR_EQ,
    };
    return (enum ir_expr_kind)table[kind];
}

/* A conjunction of comparisons of forms; no effect but l->data. */
static bool conjunction(struct lower *l, const struct ir_expr *e,
                        struct guard *g)
{
    if (e->dtype.lanes > 1)
        return false;
    if (e->kind == IR_AND)
        return conjunction(l, e->args[0], g) && conjunction(l, e->args[1], g);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_LIKELY && e->nargs == 1)
        return conjunction(l, e->args[0], g);
    if (e->kind == IR_INT_IMM) {
        struct affine never = affine_const(e->u.int_value != 0 ? 0 : -1);
        return cond_add(l, g, COND_GE, &never);
    }
    if (e->kind >= IR_EQ && e->kind <= IR_GE)
        return cond_compare(l, e, e->kind, g);
    if (e->kind == IR_NOT && e->args[0]->kind >= IR_EQ &&
        e->args[0]->kind <= IR_GE)
        return cond_compare(l, e->args[0], inverse(e->args[0]->kind), g);
    return false;
}

bool lower_guard(struct lower *l, const struct ir_expr *e, struct guard *out)
{
    bool outer = l->data;
    l->data = false;
    memset(out, 0, sizeof *out);
    bool ok = conjunction(l, e, out);
    out->data = l->data;
    l->data = outer;
    if (ok) {
        lower_cost(l, lower_expr_cost(e));
        return true;
    }
    memset(out, 0, sizeof *out);
    l->address++;
    out->value = lower_expr(l, e);
    l->address--;
    return out->value != NULL && lower_known_data(l, out->value, &out->data);
}
