/* SPDX-License-Identifier: Apache-2.0
 *
 * No address and no condition is an undefined value.
 *
 * That is a fault wherever it happens (R10), in code that no output depends on
 * too, and where both arms of a choice are equal; so it is shown for every
 * statement, not for the values that are compared. Conditions and indices that
 * hold no data cannot be undefined; others are read off (instance.c refuses
 * what may be uninitialised).
 */
#include "verifier/value/value.h"

static bool defined(struct vctx *c, struct vinst *inst, const struct ir_expr *e,
                    const struct form *ctx);

/* The condition of a choice; *f is what it says, NULL for nothing. */
static bool condition(struct vctx *c, struct vinst *inst,
                      const struct ir_expr *e, const struct form *ctx,
                      const struct form **f)
{
    if (!defined(c, inst, e, ctx))
        return false;
    inst->ctx = ctx;
    *f = veval_cond(c, inst, e);
    return *f != NULL;
}

static bool choice(struct vctx *c, struct vinst *inst, const struct ir_expr *e,
                   const struct form *ctx)
{
    const struct form *f = NULL;
    if (!condition(c, inst, e->args[0], ctx, &f))
        return false;
    const struct form *yes = ctx, *no = ctx;
    if (e->kind == IR_CALL) { /* lazy: R8 */
        yes = form_and2(c->space, ctx, f);
        no = form_and2(c->space, ctx, form_not(c->space, f));
    }
    return defined(c, inst, e->args[1], yes) &&
           defined(c, inst, e->args[2], no);
}

static bool defined(struct vctx *c, struct vinst *inst, const struct ir_expr *e,
                    const struct form *ctx)
{
    if (ctx->kind == FORM_FALSE || vexpr_is_index(c, inst, e))
        return true;
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE))
        return choice(c, inst, e, ctx);
    if (e->kind == IR_LET)
        return defined(c, inst, e->args[0], ctx) &&
               defined(c, vinst_with_let(c, inst, e), e->args[1], ctx);
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (!defined(c, inst, e->args[i], ctx))
            return false;
        if (e->kind != IR_LOAD || vexpr_is_index(c, inst, e->args[i]))
            continue;
        inst->ctx = ctx;
        if (veval_index(c, inst, e->args[i]) == NULL)
            return false;
    }
    return true;
}

/* Everything under the scopes of one statement: guards and lets around it,
 * then its own expressions. */
static const struct form *enter(struct vctx *c, struct vinst *inst)
{
    const struct form *dom = vinst_dom(c, inst);
    for (size_t i = 0; dom != NULL && i < inst->nscopes; i++) {
        const struct vscope *s = &inst->scopes[i];
        if (s->kind == VSCOPE_LOOP || vexpr_is_index(c, inst, s->value))
            continue;
        if (!defined(c, vinst_at_let(c, inst, i), s->value,
                     form_true(c->space)))
            return NULL;
    }
    return dom;
}

static bool store_defined(struct vctx *c, const struct vprog *p,
                          const struct vstore *st)
{
    struct vinst *inst = vinst_of_store(c, p, st);
    const struct form *dom = enter(c, inst);
    if (dom == NULL)
        return false;
    inst->nsteps = st->read_steps;
    for (size_t i = 0; i < st->nindex; i++) {
        if (vexpr_is_index(c, inst, st->index[i]))
            continue;
        inst->ctx = dom;
        if (!defined(c, inst, st->index[i], dom) ||
            veval_index(c, inst, st->index[i]) == NULL)
            return false;
    }
    return defined(c, inst, st->value, dom);
}

bool vcontrol_defined(struct vctx *c, const struct vprog *p)
{
    const struct form *f;
    for (size_t i = 0; i < p->nstores; i++)
        if (!store_defined(c, p, p->stores[i]))
            return false;
    for (size_t i = 0; i < p->nevals; i++) {
        const struct veval *e = p->evals[i];
        struct vinst *inst =
            vinst_fresh(c, p, e->nscopes, e->scopes, e->nsteps, e->steps);
        const struct form *dom = enter(c, inst);
        if (dom == NULL || !defined(c, inst, e->value, dom))
            return false;
    }
    for (size_t i = 0; i < p->nasserts; i++) {
        const struct vassert *a = p->asserts[i];
        struct vinst *inst =
            vinst_fresh(c, p, a->nscopes, a->scopes, a->nsteps, a->steps);
        const struct form *dom = enter(c, inst);
        if (dom == NULL || (!vexpr_is_index(c, inst, a->cond) &&
                            !condition(c, inst, a->cond, dom, &f)))
            return false;
    }
    return true;
}
