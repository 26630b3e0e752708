/* SPDX-License-Identifier: Apache-2.0
 *
 * Structural equality of Relax functions and expressions; see equal.c for the
 * idea. Types count on variables, results, match_cast and type arguments,
 * where they are part of the program; on other expressions they follow from
 * the operands and are not compared, so that a text that does not state them
 * can equal a file that does. Symbols in a type are defined where the type
 * stands on a parameter or a match_cast.
 */
#include "ir/equal_private.h"

#include <inttypes.h>
#include <string.h>

static bool equal_rx_var_use(struct compare *c, const struct rx_var *a,
                             const struct rx_var *b)
{
    bool known = ptr_map_find(&c->forward, a, NULL) ||
                 ptr_map_find(&c->backward, b, NULL);
    if (!known && !c->options.map_free_vars && a != b)
        return equal_differ(c, "free variable '%s' against '%s'", a->name,
                            b->name);
    return equal_pair(c, a, b, a->name, b->name);
}

/* A scalar without a known value on one side, and one that is a symbol of its
 * own on the other: the same, in files of different generations. */
static bool is_bare_scalar(struct compare *c, const struct ir_type *a,
                           const struct ir_type *b)
{
    if (a->kind != IR_TYPE_PRIM || b->kind != IR_TYPE_PRIM ||
        (!a->prim_value == !b->prim_value))
        return false;
    const struct ir_expr *own = a->prim_value ? a->prim_value : b->prim_value;
    return own->kind == IR_VAR_REF &&
           !ptr_map_find(a->prim_value ? &c->forward : &c->backward, own->u.var,
                         NULL);
}

static bool equal_rx_var_define(struct compare *c, const struct rx_var *a,
                                const struct rx_var *b, bool symbols)
{
    if (a->dataflow != b->dataflow)
        return equal_differ(c, "dataflow variable '%s' only in the %s",
                            a->dataflow ? a->name : b->name,
                            a->dataflow ? "first" : "second");
    if (!equal_pair(c, a, b, a->name, b->name))
        return false;
    if (!a->type || !b->type)
        return true;
    if (is_bare_scalar(c, a->type, b->type))
        return equal_dtype(c, a->type->dtype, b->type->dtype);
    c->defining += symbols;
    bool same = equal_type(c, a->type, b->type);
    c->defining -= symbols;
    return same;
}

static bool equal_binding(struct compare *c, const struct rx_binding *a,
                          const struct rx_binding *b)
{
    if (!equal_rx(c, a->value, b->value))
        return equal_at(c, "value");
    bool cast = a->match_type || b->match_type;
    if (cast) {
        c->defining++;
        bool same = equal_type(c, a->match_type, b->match_type);
        c->defining--;
        if (!same)
            return equal_at(c, "match_type");
    }
    return equal_rx_var_define(c, a->var, b->var, cast) || equal_at(c, "var");
}

static bool equal_rx_blocks(struct compare *c, const struct rx_expr *a,
                            const struct rx_expr *b)
{
    if (!equal_count(c, "binding blocks", a->nblocks, b->nblocks))
        return false;
    for (size_t i = 0; i < a->nblocks; i++) {
        const struct rx_block *x = &a->blocks[i], *y = &b->blocks[i];
        if (x->dataflow != y->dataflow)
            return equal_differ(c, "a dataflow block only in the %s",
                                x->dataflow ? "first" : "second");
        if (!equal_count(c, "bindings", x->n, y->n))
            return equal_at_item(c, "blocks", i);
        for (size_t j = 0; j < x->n; j++)
            if (!equal_binding(c, &x->bindings[j], &y->bindings[j])) {
                (void)equal_at_item(c, "bindings", j);
                return equal_at_item(c, "blocks", i);
            }
    }
    return true;
}

static bool equal_rx_text(struct compare *c, const struct rx_expr *a,
                          const struct rx_expr *b)
{
    const char *x = a->text ? a->text : "", *y = b->text ? b->text : "";
    return strcmp(x, y) == 0 || equal_differ(c, "'%s' against '%s'", x, y);
}

/* Attributes of a call: an absent object equals one without fields. */
static bool equal_rx_attrs(struct compare *c, const struct ir_value *a,
                           const struct ir_value *b)
{
    if (equal_value_empty(a) && equal_value_empty(b))
        return true;
    return equal_value(c, a, b) || equal_at(c, "attrs");
}

static bool equal_rx_call(struct compare *c, const struct rx_expr *a,
                          const struct rx_expr *b)
{
    if (!equal_rx(c, a->callee, b->callee))
        return equal_at(c, "callee");
    if (!equal_rx_attrs(c, a->attrs, b->attrs) ||
        !equal_count(c, "type arguments", a->ntype_args, b->ntype_args))
        return false;
    for (size_t i = 0; i < a->ntype_args; i++)
        if (!equal_type(c, a->type_args[i], b->type_args[i]))
            return equal_at_item(c, "type_args", i);
    return true;
}

/* What an expression holds besides its items. */
static bool equal_rx_head(struct compare *c, const struct rx_expr *a,
                          const struct rx_expr *b)
{
    switch (a->kind) {
    case RX_VAR: return equal_rx_var_use(c, a->var, b->var);
    case RX_CONSTANT: return equal_tensor(c, a->tensor, b->tensor);
    case RX_SHAPE:
        return equal_count(c, "dimensions", a->ndims, b->ndims) &&
               equal_exprs(c, "dims", a->ndims, a->dims, b->dims);
    case RX_TUPLE_GET:
        return a->index == b->index ||
               equal_differ(c, "field %" PRId64 " against %" PRId64, a->index,
                            b->index);
    case RX_CALL: return equal_rx_call(c, a, b);
    case RX_SEQ: return equal_rx_blocks(c, a, b);
    case RX_PRIM_VALUE: return equal_expr(c, a->prim, b->prim);
    case RX_STRING:
    case RX_GLOBAL:
    case RX_EXTERN:
    case RX_OP: return equal_rx_text(c, a, b);
    case RX_DTYPE: return equal_dtype(c, a->dtype, b->dtype);
    case RX_FUNCTION: return equal_rx_func(c, a->func, b->func);
    case RX_TUPLE:
    case RX_IF: return true;
    }
    return true;
}

bool equal_rx(struct compare *c, const struct rx_expr *a,
              const struct rx_expr *b)
{
    a = equal_rx_bare(a);
    b = equal_rx_bare(b);
    if (!a || !b)
        return a == b || equal_differ(c, "an expression only in the %s",
                                      a ? "first" : "second");
    if (a->kind != b->kind)
        return equal_differ(c, "Relax expressions of different kinds");
    if (ptr_map_find(&c->same, a, b))
        return true;
    if (!equal_rx_head(c, a, b) ||
        !equal_count(c, "items", a->nitems, b->nitems))
        return false;
    for (size_t i = 0; i < a->nitems; i++)
        if (!equal_rx(c, a->items[i], b->items[i]))
            return equal_at_item(c, "items", i);
    ptr_map_put(&c->same, a, b, 1);
    return true;
}

bool equal_rx_func(struct compare *c, const struct rx_func *a,
                   const struct rx_func *b)
{
    if (a->pure != b->pure)
        return equal_differ(c, "pure only in the %s",
                            a->pure ? "first" : "second");
    if (!equal_count(c, "parameters", a->nparams, b->nparams))
        return false;
    for (size_t i = 0; i < a->nparams; i++)
        if (!equal_rx_var_define(c, a->params[i], b->params[i], true))
            return equal_at_item(c, "params", i);
    if (!equal_type(c, a->ret_type, b->ret_type))
        return equal_at(c, "ret_type");
    return equal_rx(c, a->body, b->body) || equal_at(c, "body");
}
