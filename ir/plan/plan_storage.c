/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage: how often there is one of a scope, and which variables' pointers may
 * lead to the same. Variables are united with union-find wherever one may get
 * its pointer from another; a load inside of an address (data[idx[i]]) unites
 * too much, which is harmless.
 */
#include "ir/plan/plan.h"

#include <string.h>

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

enum ir_scope ir_scope_of(const char *scope)
{
    if (scope == NULL)
        return IR_SCOPE_GLOBAL;
    if (has_prefix(scope, "shared.dyn"))
        return IR_SCOPE_SHARED_DYN;
    if (has_prefix(scope, "shared"))
        return IR_SCOPE_SHARED;
    if (has_prefix(scope, "warp") || has_prefix(scope, "wmma.") ||
        has_prefix(scope, "m16n8k8.") || has_prefix(scope, "metal."))
        return IR_SCOPE_WARP;
    if (has_prefix(scope, "local"))
        return IR_SCOPE_LOCAL;
    return IR_SCOPE_GLOBAL;
}

struct classes {
    uint32_t *parent;
    uint32_t count;
    const struct ir_var *with; /* what gets its pointer from an expression */
};

static uint32_t find_class(const struct classes *c, uint32_t id)
{
    while (c->parent[id] != id) {
        c->parent[id] = c->parent[c->parent[id]];
        id = c->parent[id];
    }
    return id;
}

static void unite(const struct classes *c, const struct ir_var *a,
                  const struct ir_var *b)
{
    if (a == NULL || b == NULL || a->id >= c->count || b->id >= c->count)
        return;
    uint32_t x = find_class(c, a->id), y = find_class(c, b->id);
    if (x < y)
        c->parent[y] = x;
    else
        c->parent[x] = y;
}

static bool unite_expr(void *user, struct ir_expr *e)
{
    const struct classes *c = user;
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        unite(c, c->with, e->u.var);
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        unite(c, c->with, e->u.buffer->data);
    return true;
}

static void unite_pointers(struct classes *c, const struct ir_var *var,
                           struct ir_expr *value)
{
    struct ir_visitor visitor = {NULL, unite_expr, c};
    c->with = var;
    ir_visit_expr(&visitor, value);
}

static bool unite_let(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LET && dtype_is_handle(e->u.var->dtype))
        unite_pointers(user, e->u.var, e->args[0]);
    return true;
}

static bool unite_stmt(void *user, struct ir_stmt *s)
{
    struct classes *c = user;
    if (s->kind == IR_BIND && dtype_is_handle(s->u.bind.var->dtype))
        unite_pointers(c, s->u.bind.var, s->u.bind.value);
    if (s->kind == IR_DECL_BUFFER && s->u.decl.value != NULL)
        unite_pointers(c, s->u.decl.buffer->data, s->u.decl.value);
    if (s->kind == IR_BLOCK)
        for (size_t i = 0; i < s->u.block->nmatches; i++)
            unite(c, s->u.block->matches[i].buffer->data,
                  s->u.block->matches[i].source.buffer->data);
    return true;
}

uint32_t *ir_storage_classes(const struct ir_module *module,
                             struct ir_stmt *body, struct arena *arena)
{
    struct classes c = {ARENA_ARRAY(arena, (size_t)module->nvars + 1, uint32_t),
                        module->nvars, NULL};
    for (uint32_t i = 0; i < c.count; i++)
        c.parent[i] = i;
    struct ir_visitor visitor = {unite_stmt, unite_let, &c};
    ir_visit_stmt(&visitor, body);
    for (uint32_t i = 0; i < c.count; i++)
        c.parent[i] = find_class(&c, i);
    return c.parent;
}
