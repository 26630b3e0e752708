/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed Relax functions: variables before use, callees in the module,
 * symbols of shapes bound by a parameter or a match_cast; see wellformed.c.
 */
#include "ir/base/limits.h"
#include "ir/wellformed_private.h"

static void check_rx(struct check *c, const struct rx_expr *e);

/* Visits the dimensions of a type; a bare symbol is bound when binds is set,
 * else used. */
static void check_type(struct check *c, const struct ir_type *t, bool binds,
                       unsigned depth)
{
    if (!t || depth > DC_MAX_DEPTH)
        return;
    for (int i = 0; t->has_dims && i < t->ndim; i++) {
        if (binds && t->dims[i]->kind == IR_VAR_REF)
            check_bind(c, t->dims[i]->u.var);
        else if (!binds)
            check_expr(c, t->dims[i]);
    }
    if (t->prim_value && binds && t->prim_value->kind == IR_VAR_REF)
        check_bind(c, t->prim_value->u.var);
    for (size_t i = 0; t->kind == IR_TYPE_TUPLE && i < t->nfields; i++)
        check_type(c, t->fields[i], binds, depth + 1);
}

static void check_binding(struct check *c, const struct rx_binding *b)
{
    check_rx(c, b->value);
    if (b->match_type) {
        check_type(c, b->match_type, true, 0);
        check_type(c, b->match_type, false, 0);
    }
    check_bind(c, b->var);
}

static void check_blocks(struct check *c, const struct rx_expr *e)
{
    for (size_t i = 0; i < e->nblocks; i++)
        for (size_t k = 0; k < e->blocks[i].n; k++)
            check_binding(c, &e->blocks[i].bindings[k]);
}

static void check_rx_parts(struct check *c, const struct rx_expr *e)
{
    switch (e->kind) {
    case RX_VAR:
        if (!check_in_scope(c, e->var))
            check_undefined(c, e->var, e->var->name, e->pos);
        break;
    case RX_SHAPE: check_exprs(c, e->ndims, e->dims); break;
    case RX_CALL:
        check_rx(c, e->callee);
        for (size_t i = 0; i < e->ntype_args; i++)
            check_type(c, e->type_args[i], false, 0);
        break;
    case RX_PRIM_VALUE: check_expr(c, e->prim); break;
    case RX_GLOBAL:
        if (c->module && !ir_module_find(c->module, e->text))
            check_error(c, e->pos, "ir.undefined-function",
                        "function '%s' is not in the module", e->text);
        break;
    case RX_FUNCTION: check_rx_func(c, e->func); break;
    case RX_SEQ: check_blocks(c, e); break;
    case RX_TUPLE_GET:
        if (e->nitems && e->items[0]->kind == RX_TUPLE &&
            (e->index < 0 || (uint64_t)e->index >= e->items[0]->nitems))
            check_error(c, e->pos, "ir.index",
                        "a tuple of %zu has no field %lld", e->items[0]->nitems,
                        (long long)e->index);
        break;
    case RX_CONSTANT:
    case RX_TUPLE:
    case RX_IF:
    case RX_STRING:
    case RX_DTYPE:
    case RX_EXTERN:
    case RX_OP: break;
    }
}

static void check_rx(struct check *c, const struct rx_expr *e)
{
    if (!e)
        return;
    const uint64_t *seen = ptr_map_find(&c->seen, e, NULL);
    if (seen && *seen == c->epoch)
        return;
    ptr_map_put(&c->seen, e, NULL, c->epoch);
    size_t mark = check_scope_open(c);
    check_rx_parts(c, e);
    for (size_t i = 0; i < e->nitems; i++)
        check_rx(c, e->items[i]);
    check_scope_close(c, mark);
}

void check_rx_func(struct check *c, const struct rx_func *f)
{
    size_t mark = check_scope_open(c);
    for (size_t i = 0; i < f->nparams; i++) {
        check_bind(c, f->params[i]);
        check_type(c, f->params[i]->type, true, 0);
    }
    for (size_t i = 0; i < f->nparams; i++)
        check_type(c, f->params[i]->type, false, 0);
    check_type(c, f->ret_type, false, 0);
    check_rx(c, f->body);
    check_scope_close(c, mark);
}
