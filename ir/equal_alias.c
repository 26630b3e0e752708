/* SPDX-License-Identifier: Apache-2.0
 *
 * Names for storage that do not depend on the TVM generation. Up to 0.25 a
 * view shares the data variable of the buffer it looks at; from 0.26 on it is
 * declared on the pointer `buffer_data(A)`. Both are brought to one form here:
 * a map from the view's data variable to the variable it stands for, followed
 * to its end. Nothing is rewritten in the module.
 */
#include "ir/equal_alias.h"

#include "ir/base/limits.h"

#include <string.h>

static const struct ir_var *direct_pointer(const struct ir_expr *e)
{
    if (!e)
        return NULL;
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype))
        return e->u.var;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA &&
        e->nargs == 1 && e->args[0]->kind == IR_BUFFER_REF)
        return e->args[0]->u.buffer->data;
    return NULL;
}

void equal_alias_collect(struct ptr_map *map, const struct ir_stmt *s)
{
    const struct ir_stmt *below;
    if (!s)
        return;
    if (s->kind == IR_DECL_BUFFER) {
        const struct ir_var *source =
            equal_alias_find(map, direct_pointer(s->u.decl.value));
        const struct ir_var *own = s->u.decl.buffer->data;
        if (source && own && source != own && !ptr_map_find(map, own, NULL))
            ptr_map_put(map, own, NULL, (uint64_t)(uintptr_t)source);
    }
    for (size_t i = 0; (below = ir_stmt_below(s, i)) != NULL; i++)
        equal_alias_collect(map, below);
}

const struct ir_var *equal_alias_find(const struct ptr_map *map,
                                      const struct ir_var *var)
{
    /* An ill-formed module may declare a cycle: the number of steps is
     * bounded. */
    for (unsigned steps = 0; var && steps < DC_MAX_DEPTH; steps++) {
        const uint64_t *to = ptr_map_find(map, var, NULL);
        if (!to)
            break;
        var = (const struct ir_var *)(uintptr_t)*to;
    }
    return var;
}

const struct ir_var *equal_pointer_of(const struct ptr_map *map,
                                      const struct ir_expr *e)
{
    return equal_alias_find(map, direct_pointer(e));
}

const struct ir_var *equal_value_pointer(const struct ptr_map *map,
                                         const struct ir_value *v)
{
    if (!v)
        return NULL;
    if (v->kind == IR_V_BUFFER)
        return equal_alias_find(map, v->u.buffer->data);
    if (v->kind == IR_V_EXPR)
        return equal_pointer_of(map, v->u.expr);
    return NULL;
}

const char *equal_last_component(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

const char *equal_bare_key(const char *key)
{
    if (strncmp(key, "tir.", 4) == 0)
        return key + 4;
    if (strncmp(key, "tirx.", 5) == 0)
        return key + 5;
    return key;
}

/* Index of key prefix+rest in the sorted keys of map, or map->n. */
static size_t find_spelling(const struct ir_value *map, const char *prefix,
                            const char *rest)
{
    size_t lo = 0, hi = map->n, len = strlen(prefix);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strncmp(map->keys[mid], prefix, len);
        if (order == 0)
            order = strcmp(map->keys[mid] + len, rest);
        if (order == 0)
            return mid;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return map->n;
}

const struct ir_value *equal_find_key(const struct ir_value *map,
                                      const char *key, bool *found)
{
    *found = false;
    if (!map || !map->keys)
        return NULL;
    size_t at = find_spelling(map, "", key);
    if (at == map->n && strncmp(key, "tir", 3) == 0) {
        const char *bare = equal_bare_key(key);
        if (bare != key)
            at = find_spelling(map, bare - key == 4 ? "tirx." : "tir.", bare);
    }
    if (at == map->n)
        return NULL;
    *found = true;
    return map->items[at];
}

bool equal_value_empty(const struct ir_value *v)
{
    return !v || v->kind == IR_V_NONE ||
           ((v->kind == IR_V_MAP || v->kind == IR_V_OBJECT) && v->n == 0);
}

bool equal_stmt_idle(const struct ir_stmt *s)
{
    return s->kind == IR_EVALUATE && s->u.value &&
           s->u.value->kind == IR_INT_IMM && s->u.value->u.int_value == 0;
}

const struct rx_expr *equal_rx_bare(const struct rx_expr *e)
{
    while (e && e->kind == RX_SEQ && e->nblocks == 0 && e->nitems == 1)
        e = e->items[0];
    return e;
}

bool equal_type_void(const struct ir_type *t)
{
    return !t || t->kind == IR_TYPE_NONE ||
           (t->kind == IR_TYPE_TUPLE && t->nfields == 0) ||
           (t->kind == IR_TYPE_PRIM && t->dtype.code == DT_VOID);
}

/* A pointer to nothing known, which text has only as a handle. */
bool equal_type_opaque(const struct ir_type *t)
{
    if (!t || t->kind != IR_TYPE_POINTER)
        return t && t->kind == IR_TYPE_PRIM && dtype_is_handle(t->dtype);
    bool known = t->element && t->element->kind != IR_TYPE_NONE &&
                 !(t->element->kind == IR_TYPE_PRIM &&
                   t->element->dtype.code == DT_VOID);
    return !known && strcmp(equal_scope(t->scope), "global") == 0;
}

const char *equal_scope(const char *scope)
{
    return scope && *scope ? scope : "global";
}
