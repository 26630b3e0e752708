/* SPDX-License-Identifier: Apache-2.0
 *
 * What data decide in a callee. Contents that are equal but for rounding give
 * results that are so only where what a callee does is an expression of what
 * it is given: no address, condition of a statement, bound of a loop, divisor
 * or assertion may depend on what buffers hold, also by way of a variable.
 * Where data decide whether a part of a value is evaluated (if_then_else),
 * whether it faults may depend on them too. A condition there is no better than
 * one of a statement where it is computed with integers, which may overflow or
 * be undefined (R9, R10).
 */
#include "verifier/relax/chain.h"

/* What of a callee depends on the contents of buffers. */
struct taint {
    const struct verifier_options *options;
    struct VEC(const struct ir_var *) lets; /* that hold data */
    bool found;
    bool steers;  /* an address, a condition of a statement, a divisor, ... */
    bool guards;  /* whether a part of a value is evaluated */
    bool choices; /* what a Select gives */
};

static bool is_tainted(const struct taint *t, const struct ir_var *v)
{
    for (size_t i = 0; i < t->lets.len; i++)
        if (t->lets.items[i] == v)
            return true;
    return false;
}

static void taint_var(struct taint *t, const struct ir_var *v)
{
    if (!is_tainted(t, v))
        vec_push(&t->lets, v);
}

static bool is_data(const void *taint, const struct ir_expr *e)
{
    return e->kind == IR_LOAD ||
           (e->kind == IR_VAR_REF && is_tainted(taint, e->u.var));
}

/* Whether the value of an expression may depend on what buffers hold. */
static bool holds_data(const struct taint *t, const struct ir_expr *e)
{
    return ir_expr_any(e, is_data, t);
}

static bool divides(const struct ir_expr *e)
{
    return e->nargs == 2 && !dtype_is_float(e->dtype) &&
           (e->kind == IR_DIV || e->kind == IR_MOD || e->kind == IR_FLOORDIV ||
            e->kind == IR_FLOORMOD);
}

/* A divisor is data, or may be -1 where what it divides is data, so that it
 * may be the least integer. */
static bool divides_by_data(struct taint *t, const struct ir_expr *e)
{
    int64_t n;
    return holds_data(t, e->args[1]) ||
           (!(ir_const_int(e->args[1], &n) && n > 0) &&
            holds_data(t, e->args[0]));
}

static bool see_integer(void *user, struct ir_expr *e)
{
    struct taint *t = user;
    bool plain = e->kind == IR_LOAD || e->kind == IR_INT_IMM ||
                 (e->kind == IR_VAR_REF && !is_tainted(t, e->u.var));
    t->found |= !plain && dtype_is_int(e->dtype) && e->dtype.bits > 1;
    return e->kind != IR_LOAD && !t->found;
}

/* Whether an operation on integers may be in there, but for addresses. */
static bool computes_integers(struct taint *t, struct ir_expr *e)
{
    struct ir_visitor visitor = {NULL, see_integer, t};
    t->found = false;
    ir_visit_expr(&visitor, e);
    return t->found;
}

/* The condition of a Select or an if_then_else: what it is made of may
 * overflow, or be undefined, on some bits alone. */
static void see_choice(struct taint *t, struct ir_expr *cond)
{
    bool data = holds_data(t, cond);
    t->steers |=
        !OBLIGED_CHAIN(t->options, "chain: choices compute no integers",
                       !data || !computes_integers(t, cond));
    t->choices |=
        !OBLIGED_CHAIN(t->options, "chain: choices are no data", !data);
}

/* Inside an expression. */
static bool see_control(void *user, struct ir_expr *e)
{
    struct taint *t = user;
    const struct verifier_options *o = t->options;
    if (e->kind == IR_LET && !OBLIGED_CHAIN(o, "chain: variables hold no data",
                                            !holds_data(t, e->args[0])))
        taint_var(t, e->u.var);
    for (uint32_t i = 0; e->kind == IR_LOAD && i < e->nargs; i++)
        t->steers |= !OBLIGED_CHAIN(o, "chain: addresses read are no data",
                                    !holds_data(t, e->args[i]));
    if (divides(e))
        t->steers |= !OBLIGED_CHAIN(o, "chain: divisors are no data",
                                    !divides_by_data(t, e));
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE)
        t->guards |= holds_data(t, e->args[0]);
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE))
        see_choice(t, e->args[0]);
    return true;
}

static void scan_expr(struct taint *t, struct ir_expr *e)
{
    struct ir_visitor visitor = {NULL, see_control, t};
    ir_visit_expr(&visitor, e);
}

static void scan_scopes(struct taint *t, size_t n, const struct vscope *scopes)
{
    const struct verifier_options *o = t->options;
    for (size_t i = 0; i < n; i++) {
        const struct vscope *s = &scopes[i];
        if (s->kind == VSCOPE_LOOP) {
            t->steers |= !OBLIGED_CHAIN(o, "chain: bounds of loops are no data",
                                        !holds_data(t, s->loop->min) &&
                                            !holds_data(t, s->loop->extent));
            continue;
        }
        scan_expr(t, s->value);
        if (s->kind == VSCOPE_GUARD)
            t->steers |= !OBLIGED_CHAIN(o, "chain: conditions are no data",
                                        !holds_data(t, s->value));
        else if (!OBLIGED_CHAIN(o, "chain: variables hold no data",
                                !holds_data(t, s->value)))
            taint_var(t, s->var);
    }
}

static void scan_program(struct taint *t, const struct vprog *p)
{
    const struct verifier_options *o = t->options;
    for (size_t i = 0; i < p->nstores; i++) {
        const struct vstore *st = p->stores[i];
        scan_scopes(t, st->nscopes, st->scopes);
        for (size_t k = 0; k < st->nindex; k++)
            t->steers |=
                !OBLIGED_CHAIN(o, "chain: addresses written are no data",
                               !holds_data(t, st->index[k]));
        scan_expr(t, st->value);
    }
    for (size_t i = 0; i < p->nevals; i++) {
        scan_scopes(t, p->evals[i]->nscopes, p->evals[i]->scopes);
        scan_expr(t, p->evals[i]->value);
    }
    for (size_t i = 0; i < p->nasserts; i++) {
        const struct vassert *a = p->asserts[i];
        scan_scopes(t, a->nscopes, a->scopes);
        scan_expr(t, a->cond);
        t->steers |= !OBLIGED_CHAIN(o, "chain: assertions are not about data",
                                    !holds_data(t, a->cond));
    }
    for (size_t i = 0; i < p->nbarriers; i++)
        scan_scopes(t, p->barriers[i]->nscopes, p->barriers[i]->scopes);
    for (size_t i = 0; i < p->ngroups; i++) {
        const struct vgroup *g = p->groups[i];
        scan_scopes(t, g->nscopes, g->scopes);
        t->steers |= g->pending != NULL && holds_data(t, g->pending);
    }
}

void chain_find_steering(struct chain_callee *callee,
                         const struct verifier_options *options)
{
    struct taint t = {.options = options};
    scan_program(&t, callee->prog);
    vec_fini(&t.lets);
    callee->data_control = t.steers;
    callee->data_guards = t.guards;
    callee->data_choices = t.choices;
}
