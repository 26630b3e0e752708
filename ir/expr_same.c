/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether two expressions of one program are the same: the question of whoever
 * looks for a pattern in it or folds two values into one. Unlike structural
 * equality (equal.c) it asks for the very same variables and buffers, whatever
 * they are called; but for those that a let inside binds.
 *
 * What counts is whatever could make the values differ: operators, names of
 * calls, types, attributes, literals bit for bit, predicates. Positions do not.
 */
#include "ir/equal_private.h"

#include <string.h>

/* Variables that stand for each other, innermost first. */
struct scope {
    const struct ir_var *a, *b;
    const struct scope *up;
};

static bool same_var(const struct scope *scope, const struct ir_var *a,
                     const struct ir_var *b)
{
    for (; scope != NULL; scope = scope->up)
        if (scope->a == a || scope->b == b)
            return scope->a == a && scope->b == b;
    return a == b;
}

/* Attributes and result types of calls; most have none. */
static bool same_call(const struct ir_expr *a, const struct ir_expr *b)
{
    if (a->u.call.op != b->u.call.op ||
        strcmp(a->u.call.name, b->u.call.name) != 0)
        return false;
    if (a->u.call.attrs == b->u.call.attrs && a->u.call.type == b->u.call.type)
        return true;
    struct compare c = {0};
    bool same = equal_value(&c, a->u.call.attrs, b->u.call.attrs) &&
                equal_type(&c, a->u.call.type, b->u.call.type);
    ptr_map_fini(&c.forward);
    ptr_map_fini(&c.backward);
    ptr_map_fini(&c.same);
    ptr_map_fini(&c.alias_a);
    ptr_map_fini(&c.alias_b);
    vec_fini(&c.steps);
    buf_fini(&c.what);
    return same;
}

static bool same_node(const struct scope *scope, const struct ir_expr *a,
                      const struct ir_expr *b)
{
    switch (a->kind) {
    case IR_INT_IMM: return a->u.int_value == b->u.int_value;
    case IR_FLOAT_IMM:
        return memcmp(&a->u.float_value, &b->u.float_value,
                      sizeof a->u.float_value) == 0;
    case IR_STRING_IMM: return strcmp(a->u.string.text, b->u.string.text) == 0;
    case IR_VAR_REF: return same_var(scope, a->u.var, b->u.var);
    case IR_LOAD:
    case IR_BUFFER_REF: return a->u.buffer == b->u.buffer;
    case IR_CALL: return same_call(a, b);
    case IR_SHUFFLE: return a->u.nvectors == b->u.nvectors;
    case IR_LET: return dtype_equal(a->u.var->dtype, b->u.var->dtype);
    case IR_PLAIN_KINDS: break;
    }
    return true;
}

/* Outside of lets one node is the same as itself. */
static bool same(const struct scope *scope, const struct ir_expr *a,
                 const struct ir_expr *b)
{
    if (a == b && scope == NULL)
        return true;
    if (a == NULL || b == NULL)
        return a == b;
    if (a->kind != b->kind || a->nargs != b->nargs || a->size != b->size ||
        !dtype_equal(a->dtype, b->dtype) || !same_node(scope, a, b))
        return false;
    struct scope inner = {NULL, NULL, scope};
    if (a->kind == IR_LET) {
        inner.a = a->u.var;
        inner.b = b->u.var;
    }
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!same(a->kind == IR_LET && i > 0 ? &inner : scope, a->args[i],
                  b->args[i]))
            return false;
    return same(scope, a->predicate, b->predicate);
}

bool ir_expr_same(const struct ir_expr *a, const struct ir_expr *b)
{
    return same(NULL, a, b);
}
