/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of the nest: scalars and symbolic sizes become numbers, tensors
 * storages. Follows bind_args of run.c, also in the steps that it charges.
 */
#include "interp/fast/lower.h"

/* ---- arguments ------------------------------------------------------------------------------ */

static bool bind_scalar(struct lower *l, const struct ir_param *p,
                        const struct interp_arg *arg)
{
    if (arg->box != NULL)
        return lower_give_up(l->e, "a scalar that is not known");
    struct binding *b = lower_binding(l, p->var);
    enum ftype type;
    if (b == NULL || arg->tensor != NULL ||
        !fast_ftype_of(p->var->dtype, &type))
        return lower_give_up(l->e, "a parameter");
    b->data = true;
    if (!fast_ftype_is_float(type) && type != T_BOOL) {
        int64_t value = (int64_t)arg->bits;
        unsigned flags = 0;
        if (num_from_int(p->var->dtype, value, &flags) != arg->bits ||
            (type == T_U64 && value < 0))
            return lower_give_up(l->e, "a scalar that does not fit its type");
        b->kind = BOUND_AFFINE;
        b->at = affine_const(value);
        return true;
    }
    struct fx *x = ARENA_NEW(l->e->arena, struct fx);
    x->kind = X_CONST;
    x->type = type;
    x->bits = arg->bits;
    x->data = DATA_YES;
    b->kind = BOUND_SLOT;
    b->value = x;
    return true;
}

static bool is_unbound(struct lower *l, const struct ir_expr *e)
{
    const struct binding *b =
        e->kind == IR_VAR_REF ? lower_binding(l, e->u.var) : NULL;
    return b != NULL && b->kind == BOUND_NOT;
}

/* As bind_dim of run.c: bare variables in the first pass. */
static bool bind_shape(struct lower *l, const struct ir_param *p,
                       const struct interp_tensor *t, bool variables)
{
    for (size_t d = 0; d < t->rank; d++) {
        struct ir_expr *e = p->buffer->shape[d];
        struct affine have;
        if ((e->kind == IR_VAR_REF) != variables)
            continue;
        if (is_unbound(l, e)) {
            struct binding *b = lower_binding(l, e->u.var);
            unsigned flags = 0;
            (void)num_from_int(e->u.var->dtype, t->shape[d], &flags);
            if (flags != 0)
                return lower_give_up(l->e,
                                     "a dimension that does not fit its type");
            b->kind = BOUND_AFFINE;
            b->at = affine_const(t->shape[d]);
            continue;
        }
        bool outer = l->data;
        if (!lower_affine(l, e, &have) || have.n != 0 ||
            have.c != t->shape[d] || l->data != outer)
            return lower_give_up(l->e, "a parameter's shape");
        lower_cost(l, lower_expr_cost(e));
    }
    return true;
}

static bool bind_tensor(struct lower *l, size_t i, struct interp_tensor *t)
{
    const struct ir_param *p = &l->e->func->prim.params[i];
    const struct ir_buffer *b = p->buffer;
    uint64_t cost = 0;
    if (b->nstrides != 0)
        return lower_give_up(l->e, "a parameter with strides");
    if (b->elem_offset != NULL && is_unbound(l, b->elem_offset)) {
        struct binding *o = lower_binding(l, b->elem_offset->u.var);
        o->kind = BOUND_AFFINE;
        o->at = affine_const(0);
    }
    struct store *x = lower_storage(l, b, &cost);
    if (x == NULL)
        return false;
    lower_cost(l, 2 * cost);
    if ((uint64_t)x->elements != t->elements || lower_view(l, b)->base.c != 0)
        return lower_give_up(l->e, "a parameter with an offset");
    x->param = (int)i;
    x->read_only = l->e->plan->read_only[i];
    if (p->var != b->data) {
        struct binding *v = lower_binding(l, p->var);
        if (v != NULL) {
            v->kind = BOUND_STORE;
            v->store = x;
        }
    }
    return true;
}

static bool tensor_fits(struct engine *e, const struct ir_param *p,
                        const struct interp_arg *arg)
{
    const struct interp_tensor *t = arg->tensor;
    if (t == NULL || !dtype_equal(t->dtype, p->buffer->dtype) ||
        t->rank != p->buffer->rank || t->state == NULL || t->dtype.lanes != 1)
        return lower_give_up(e, "an argument");
    return true;
}

bool lower_args(struct lower *l)
{
    struct engine *e = l->e;
    const struct ir_prim_func *f = &e->func->prim;
    if (e->nargs != f->nparams)
        return lower_give_up(e, "the number of arguments");
    for (size_t i = 0; i < e->nargs; i++) {
        const struct ir_param *p = &f->params[i];
        if (p->buffer != NULL ? !tensor_fits(e, p, &e->args[i])
                              : !bind_scalar(l, p, &e->args[i]))
            return false;
    }
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < e->nargs; i++)
            if (f->params[i].buffer != NULL &&
                !bind_shape(l, &f->params[i], e->args[i].tensor, pass == 0))
                return false;
    for (size_t i = 0; i < e->nargs; i++)
        if (f->params[i].buffer != NULL &&
            !bind_tensor(l, i, e->args[i].tensor))
            return false;
    return true;
}
