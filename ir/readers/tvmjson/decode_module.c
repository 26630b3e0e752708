/* SPDX-License-Identifier: Apache-2.0
 *
 * The root of a file: a module, or one function alone. Functions are decoded
 * in the order of their names: the order in the file is that of a hash table,
 * and the ids of variables and buffers should not depend on it.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <stdlib.h>
#include <string.h>

/* ---- primitive functions -------------------------------------------------------- */

/* Parameter of TVM >= 0.26 that is a buffer: gets a handle for the caller. */
static void buffer_param(struct tj *r, uint32_t node, struct ir_param *param)
{
    param->buffer = tj_buffer_node(r, node);
    if (!param->buffer)
        return;
    const char *name = arena_printf(r->arena, "var_%s", param->buffer->name);
    param->var = ir_var_make(r->m, name, DTYPE_HANDLE);
    tj_own(param->buffer);
}

static bool bind_buffer(struct tj *r, const struct ir_prim_func *f,
                        uint32_t key, uint32_t value)
{
    const struct ir_var *var = tj_var_node(r, key);
    struct ir_buffer *buffer = tj_buffer_node(r, value);
    if (r->failed)
        return false;
    for (size_t i = 0; i < f->nparams; i++) {
        if (f->params[i].var == var) {
            f->params[i].buffer = buffer;
            tj_own(buffer);
            return true;
        }
    }
    tj_fail(r, key, NULL, "variable '%s' has a buffer but is no parameter",
            var->name);
    return false;
}

/* Era A-D: from parameter to buffer. */
static void buffer_map(struct tj *r, uint32_t node, struct ir_prim_func *f)
{
    uint32_t map = tj_opt_ref(r, node, "buffer_map");
    const char **keys;
    size_t n;
    if (map == TJ_NULL)
        return;
    if (tj_kind(r, map) != TJ_K_MAP) {
        tj_fail(r, node, "buffer_map", "expected a map, found '%s'",
                r->nodes[map].type);
        return;
    }
    const uint32_t *items = tj_map_items(r, map, &n, &keys);
    if (!r->failed && keys && n > 0)
        tj_fail(r, map, NULL, "expected variables as keys");
    for (size_t i = 0; i < n && !r->failed; i++) {
        if (items[2 * i] == TJ_NULL || items[2 * i + 1] == TJ_NULL)
            tj_fail_at(r, map, 2 * i, "expected a variable and its buffer");
        else
            bind_buffer(r, f, items[2 * i], items[2 * i + 1]);
    }
}

static void prim_func(struct tj *r, uint32_t node, struct ir_prim_func *f)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, "params", &f->nparams, &array);
    f->params = ARENA_ARRAY(r->arena, f->nparams + 1, struct ir_param);
    for (size_t i = 0; i < f->nparams && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a parameter, found null");
        else if (tj_is_buffer(r, items[i]))
            buffer_param(r, items[i], &f->params[i]);
        else
            f->params[i].var = tj_var_node(r, items[i]);
    }
    buffer_map(r, node, f);
    f->ret_type = tj_opt_type(r, node, "ret_type");
    f->body = tj_stmt(r, node, "body");
}

/* ---- functions of any kind ---------------------------------------------------------- */

/* Adds the symbol of an external function to its attributes. */
static struct ir_value *extern_attrs(struct tj *r, uint32_t node,
                                     struct ir_value *attrs)
{
    const char *symbol = tj_string(r, node, "global_symbol");
    if (r->failed || ir_value_find(attrs, "global_symbol"))
        return attrs;
    size_t n = attrs ? attrs->n : 0;
    const char **keys = ARENA_ARRAY(r->arena, n + 1, const char *);
    struct ir_value **items = ARENA_ARRAY(r->arena, n + 1, struct ir_value *);
    for (size_t i = 0; i < n; i++) {
        keys[i] = attrs->keys[i];
        items[i] = attrs->items[i];
    }
    keys[n] = "global_symbol";
    items[n] = ir_value_string(r->m, symbol);
    return ir_value_map(r->m, n + 1, keys, items);
}

static struct ir_func *function(struct tj *r, uint32_t node, const char *name)
{
    struct ir_func *f = ARENA_NEW(r->arena, struct ir_func);
    f->name = name;
    f->pos = tj_pos(node);
    enum tj_kind kind = tj_kind(r, node);
    if (kind == TJ_K_PRIM_FUNC) {
        f->kind = IR_FUNC_PRIM;
        prim_func(r, node, &f->prim);
    } else if (kind == TJ_K_RELAX_FUNC) {
        f->kind = IR_FUNC_RELAX;
        f->relax = tj_rx_func(r, node);
    } else if (kind == TJ_K_EXTERN_FUNC) {
        f->kind = IR_FUNC_EXTERN;
    } else {
        return tj_fail(r, node, NULL, "'%s' is not supported as a function",
                       r->nodes[node].type);
    }
    f->attrs = tj_dict_attrs(r, node, "attrs");
    if (kind == TJ_K_EXTERN_FUNC)
        f->attrs = extern_attrs(r, node, f->attrs);
    return r->failed ? NULL : f;
}

struct entry {
    const char *name;
    uint32_t node;
};

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name,
                  ((const struct entry *)b)->name);
}

static struct entry *function_entries(struct tj *r, uint32_t map, size_t *n)
{
    const char **keys;
    const uint32_t *items = tj_map_items(r, map, n, &keys);
    struct entry *entries = ARENA_ARRAY(r->arena, *n + 1, struct entry);
    if (!r->failed && keys && *n > 0)
        return tj_fail(r, map, NULL, "expected functions by global variable");
    for (size_t i = 0; i < *n && !r->failed; i++) {
        uint32_t key = items[2 * i], value = items[2 * i + 1];
        if (key == TJ_NULL || tj_kind(r, key) != TJ_K_GLOBAL_VAR)
            tj_fail_at(r, map, 2 * i, "expected a global variable");
        else if (value == TJ_NULL)
            tj_fail_at(r, map, 2 * i + 1, "expected a function, found null");
        else
            entries[i] = (struct entry){tj_string(r, key, "name_hint"), value};
    }
    if (!r->failed)
        qsort(entries, *n, sizeof *entries, compare_entries);
    return entries;
}

static bool ir_module_node(struct tj *r, uint32_t node)
{
    size_t n;
    uint32_t map = tj_ref(r, node, "functions", "a map of functions");
    if (r->failed)
        return false;
    if (tj_kind(r, map) != TJ_K_MAP)
        return tj_fail(r, node, "functions", "expected a map, found '%s'",
                       r->nodes[map].type) != NULL;
    const struct entry *entries = function_entries(r, map, &n);
    for (size_t i = 0; i < n && !r->failed; i++) {
        struct ir_func *f = function(r, entries[i].node, entries[i].name);
        if (f && !ir_module_add(r->m, f))
            tj_fail(r, map, NULL, "two functions named '%s'", f->name);
    }
    r->m->attrs = tj_dict_attrs(r, node, "attrs");
    r->m->global_infos = tj_map(r, node, "global_infos");
    return !r->failed;
}

bool tj_module(struct tj *r)
{
    uint32_t root = r->root_index;
    enum tj_kind kind = tj_kind(r, root);
    if (kind == TJ_K_MODULE)
        return ir_module_node(r, root);
    if (kind != TJ_K_PRIM_FUNC && kind != TJ_K_RELAX_FUNC)
        return tj_fail(r, root, NULL,
                       "expected a module or a function at the root, found "
                       "'%s'",
                       r->nodes[root].type) != NULL;
    r->m->bare_func = true;
    struct ir_func *f = function(r, root, "main");
    if (!f)
        return false;
    const char *symbol =
        ir_value_as_string(ir_value_find(f->attrs, "global_symbol"));
    if (symbol)
        f->name = symbol;
    return ir_module_add(r->m, f);
}
