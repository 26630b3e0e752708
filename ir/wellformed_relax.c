/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed Relax functions: variables before use, callees in the module,
 * symbols of shapes bound by a parameter or a match_cast; see wellformed.c.
 */
#include "ir/base/limits.h"
#include "ir/wellformed_private.h"

#include <string.h>

static void check_rx(struct check *c, const struct rx_expr *e);

/* TVM: the dimensions of a Relax shape are int64. */
static void check_dim(struct check *c, const struct ir_expr *e)
{
    char text[48];
    if (!dtype_equal(e->dtype, DTYPE_INT64))
        check_error(c, e->pos, "ir.type",
                    "a dimension has type '%s', expected 'int64'",
                    dtype_name(e->dtype, text));
}

/* Visits the dimensions of a type; a bare symbol is bound when binds is set,
 * else used. */
static void check_type(struct check *c, const struct ir_type *t, bool binds,
                       unsigned depth)
{
    if (!t || depth > DC_MAX_DEPTH)
        return;
    for (int i = 0; t->has_dims && i < t->ndim; i++) {
        check_dim(c, t->dims[i]);
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

/* A variable that is called has to hold a function. */
static void check_callee(struct check *c, const struct rx_expr *e)
{
    const struct rx_expr *f = e->callee;
    const struct ir_type *t = f && f->kind == RX_VAR ? f->var->type : NULL;
    bool wrong = !f;
    switch (f ? f->kind : RX_OP) {
    case RX_OP:
    case RX_GLOBAL:
    case RX_EXTERN:
    case RX_FUNCTION: break;
    case RX_VAR:
        wrong = t && t->kind != IR_TYPE_FUNC && t->kind != IR_TYPE_OBJECT &&
                t->kind != IR_TYPE_NONE;
        break;
    case RX_CONSTANT:
    case RX_SHAPE:
    case RX_TUPLE:
    case RX_TUPLE_GET:
    case RX_CALL:
    case RX_IF:
    case RX_SEQ:
    case RX_PRIM_VALUE:
    case RX_STRING:
    case RX_DTYPE: wrong = true; break;
    }
    if (wrong)
        check_error(c, e->pos, "ir.type",
                    "what is called is no function and no operator");
}

/* A letter or underscore, then letters, digits and underscores; its length, 0
 * if there is none. */
static size_t word_length(const char *s)
{
    return *s >= '0' && *s <= '9'
               ? 0
               : strspn(s, "abcdefghijklmnopqrstuvwxyz"
                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/* "relax." and words between dots */
static void check_op(struct check *c, const struct rx_expr *e)
{
    const char *s = e->text;
    size_t n = strncmp(s, "relax.", 6) == 0 ? 5 : 0;
    while (n && s[n] == '.') {
        s += n + 1;
        n = word_length(s);
    }
    if (!n || s[n])
        check_error(c, e->pos, "ir.operator",
                    "'%s' is no operator of Relax, expected 'relax.…'",
                    e->text);
}

static bool is_direct_call(const char *name)
{
    static const char *const names[] = {
        "relax.call_tir", "relax.call_tir_inplace", "relax.call_dps_packed",
        "relax.call_tir_with_grad"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* call_tir and its like: f, (x, y), maybe a shape; one result type. */
static void check_direct_call(struct check *c, const struct rx_expr *e)
{
    if (!e->callee || e->callee->kind != RX_OP ||
        !is_direct_call(e->callee->text))
        return;
    if (e->nitems < 2 || e->nitems > 3)
        check_error(c, e->pos, "ir.arity",
                    "'%s' takes a function, a tuple and at most a shape, %zu "
                    "operands are given",
                    e->callee->text, e->nitems);
    else if (e->items[0]->kind != RX_GLOBAL && e->items[0]->kind != RX_EXTERN)
        check_error(c, e->pos, "ir.type",
                    "'%s' takes a function of the module or an external one",
                    e->callee->text);
    if (e->ntype_args != 1)
        check_error(c, e->pos, "ir.arity",
                    "'%s' has %zu result types, expected one", e->callee->text,
                    e->ntype_args);
}

static void check_call_attrs(struct check *c, const struct rx_expr *e)
{
    for (size_t i = 0; e->attrs && e->attrs->keys && i < e->attrs->n; i++) {
        const char *key = e->attrs->keys[i];
        size_t n = word_length(key);
        if (!n || key[n])
            check_error(c, e->pos, "ir.attribute",
                        "attribute '%s' of a call is no name", key);
    }
}

static void check_rx_parts(struct check *c, const struct rx_expr *e)
{
    switch (e->kind) {
    case RX_VAR:
        if (!check_in_scope(c, e->var))
            check_undefined(c, e->var, e->var->name, e->pos);
        break;
    case RX_SHAPE:
        check_exprs(c, e->ndims, e->dims);
        for (size_t i = 0; i < e->ndims; i++)
            check_dim(c, e->dims[i]);
        break;
    case RX_CALL:
        check_rx(c, e->callee);
        check_callee(c, e);
        check_direct_call(c, e);
        check_call_attrs(c, e);
        check_value(c, e->attrs, e->pos);
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
    case RX_OP: check_op(c, e); break;
    case RX_CONSTANT:
    case RX_TUPLE:
    case RX_IF:
    case RX_STRING:
    case RX_DTYPE:
    case RX_EXTERN: break;
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
