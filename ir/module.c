/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules, attribute values and constants.
 *
 * Maps keep their keys sorted by byte order, so that printing and comparing do
 * not depend on the order in which a file happened to list them (TVM's own
 * order is that of a hash table and means nothing).
 */
#include "ir/ir.h"

#include <stdlib.h>
#include <string.h>

/* Index of the first function whose name is not below name. Names that come
 * in order, as readers give them, cost one comparison. */
static size_t lower_bound(const struct ir_module *m, const char *name)
{
    size_t low = 0, high = m->nfuncs;
    if (high && strcmp(m->funcs[high - 1]->name, name) < 0)
        return high;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(m->funcs[mid]->name, name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

bool ir_module_add(struct ir_module *m, struct ir_func *func)
{
    size_t at = lower_bound(m, func->name);
    if (at < m->nfuncs && !strcmp(m->funcs[at]->name, func->name))
        return false;
    if (!(m->nfuncs & (m->nfuncs - 1))) { /* full: room is a power of two */
        size_t room = m->nfuncs ? 2 * m->nfuncs : 1;
        struct ir_func **grown = ARENA_ARRAY(m->arena, room, struct ir_func *);
        if (m->nfuncs)
            memcpy(grown, m->funcs, m->nfuncs * sizeof *grown);
        m->funcs = grown;
    }
    memmove(m->funcs + at + 1, m->funcs + at,
            (m->nfuncs - at) * sizeof *m->funcs);
    m->funcs[at] = func;
    m->nfuncs++;
    return true;
}

struct ir_func *ir_module_find(const struct ir_module *m, const char *name)
{
    size_t at = lower_bound(m, name);
    return at < m->nfuncs && !strcmp(m->funcs[at]->name, name) ? m->funcs[at]
                                                               : NULL;
}

/* ---- attribute values --------------------------------------------------------------- */

struct ir_value *ir_value_make(struct ir_module *m, enum ir_value_kind kind)
{
    struct ir_value *value = ARENA_NEW(m->arena, struct ir_value);
    value->kind = kind;
    return value;
}

struct ir_value *ir_value_int(struct ir_module *m, int64_t value)
{
    struct ir_value *v = ir_value_make(m, IR_V_INT);
    v->u.integer = value;
    return v;
}

struct ir_value *ir_value_bool(struct ir_module *m, bool value)
{
    struct ir_value *v = ir_value_make(m, IR_V_BOOL);
    v->u.boolean = value;
    return v;
}

struct ir_value *ir_value_string(struct ir_module *m, const char *text)
{
    struct ir_value *v = ir_value_make(m, IR_V_STRING);
    v->u.string = arena_strdup(m->arena, text);
    return v;
}

struct ir_value *ir_value_expr(struct ir_module *m, struct ir_expr *expr)
{
    struct ir_value *v = ir_value_make(m, IR_V_EXPR);
    v->u.expr = expr;
    return v;
}

struct entry {
    const char *key;
    struct ir_value *item;
    size_t order;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = strcmp(x->key, y->key);
    return c ? c : (x->order > y->order) - (x->order < y->order);
}

struct ir_value *ir_value_map(struct ir_module *m, size_t n,
                              const char *const *keys,
                              struct ir_value *const *items)
{
    if (!n)
        return NULL;
    struct entry *entries = ARENA_ARRAY(m->arena, n, struct entry);
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct entry){keys[i], items[i], i};
    qsort(entries, n, sizeof *entries, compare_entries);
    struct ir_value *map = ir_value_make(m, IR_V_MAP);
    map->keys = ARENA_ARRAY(m->arena, n, const char *);
    map->items = ARENA_ARRAY(m->arena, n, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && !strcmp(entries[i].key, entries[i + 1].key))
            continue; /* a later one wins */
        map->keys[map->n] = arena_strdup(m->arena, entries[i].key);
        map->items[map->n++] = entries[i].item;
    }
    return map;
}

struct ir_value *ir_value_find(const struct ir_value *map, const char *key)
{
    if (!map || !map->keys)
        return NULL;
    for (size_t i = 0; i < map->n; i++) {
        if (!strcmp(map->keys[i], key))
            return map->items[i];
    }
    return NULL;
}

struct ir_value *ir_attr_find(const struct ir_value *map, const char *key)
{
    if (!map || !map->keys)
        return NULL;
    for (size_t i = 0; i < map->n; i++) {
        const char *dot = strchr(map->keys[i], '.');
        bool spaced = dot && (!strncmp(map->keys[i], "tir.", 4) ||
                              !strncmp(map->keys[i], "tirx.", 5));
        if (!strcmp(map->keys[i], key) || (spaced && !strcmp(dot + 1, key)))
            return map->items[i];
    }
    return NULL;
}

bool ir_value_as_int(const struct ir_value *value, int64_t *out)
{
    if (!value)
        return false;
    if (value->kind == IR_V_BOOL) {
        *out = value->u.boolean;
        return true;
    }
    if (value->kind == IR_V_INT) {
        *out = value->u.integer;
        return true;
    }
    return value->kind == IR_V_EXPR && ir_const_int(value->u.expr, out);
}

const char *ir_value_as_string(const struct ir_value *value)
{
    if (!value)
        return NULL;
    if (value->kind == IR_V_STRING)
        return value->u.string;
    if (value->kind == IR_V_EXPR && value->u.expr->kind == IR_STRING_IMM)
        return value->u.expr->u.string.text;
    return NULL;
}

/* ---- constants ------------------------------------------------------------------------ */

/* a op b without overflow of int64; nothing is folded that would wrap. */
static bool fold(enum ir_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
    if (kind == IR_ADD)
        return !__builtin_add_overflow(a, b, out);
    if (kind == IR_SUB)
        return !__builtin_sub_overflow(a, b, out);
    return !__builtin_mul_overflow(a, b, out);
}

bool ir_const_int(const struct ir_expr *e, int64_t *out)
{
    if (!e)
        return false;
    if (e->kind == IR_INT_IMM) {
        *out = e->u.int_value;
        return true;
    }
    if (e->depth > 8) /* constants are shallow; keeps this cheap on DAGs */
        return false;
    if (e->kind == IR_CAST && dtype_is_int(e->dtype) && e->dtype.lanes == 1) {
        unsigned flags = 0;
        int64_t value;
        if (!ir_const_int(e->args[0], &value))
            return false;
        *out = num_to_int(e->dtype, num_from_int(e->dtype, value, &flags));
        return true;
    }
    if (e->kind != IR_ADD && e->kind != IR_SUB && e->kind != IR_MUL)
        return false;
    int64_t a, b;
    return dtype_is_int(e->dtype) && ir_const_int(e->args[0], &a) &&
           ir_const_int(e->args[1], &b) && fold(e->kind, a, b, out);
}

bool ir_is_const_int(const struct ir_expr *e, int64_t value)
{
    int64_t found;
    return ir_const_int(e, &found) && found == value;
}

bool ir_is_true(const struct ir_expr *e)
{
    return e->kind == IR_INT_IMM && dtype_is_bool(e->dtype) && e->u.int_value;
}

struct diag_loc ir_loc(const struct ir_module *m, struct ir_pos pos,
                       struct buf *scratch)
{
    struct diag_loc loc = {.file = m->source, .line = pos.line};
    if (pos.line) {
        loc.col = pos.col;
    } else if (pos.col) {
        scratch->len = 0;
        buf_printf(scratch, "/nodes/%u", pos.col);
        loc.path = buf_text(scratch);
    }
    return loc;
}
