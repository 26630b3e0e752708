/* SPDX-License-Identifier: Apache-2.0
 *
 * Structural equality of modules, functions and attribute values, after TVM's
 * StructuralEqual (0.27): names of variables, buffers and blocks do not count,
 * functions are matched by name, maps by key.
 *
 * The idea: both sides are walked in step and a one-to-one map between their
 * variables and buffers grows as definitions are met. It only ever grows, so a
 * pair of expressions once found equal stays equal; that makes shared
 * expressions (DAGs) cost no more than their nodes. (The exception is a
 * variable that several statements define: see rebind in equal_node.c.)
 *
 * Beyond TVM, one program read from files of different generations is equal:
 * see equal_alias.c for pointers; keys differ by "tir."/"tirx." only; a void
 * result has several spellings; "s_tir" may be missing. A sequence in a
 * sequence is its items and T.evaluate(0) nothing, as in a script; the data
 * types of numbers that are extents of a region, and of the variable that the
 * thread of a loop has beside the loop's own, do not count, since no script
 * states them.
 * Stricter than TVM: +0.0 and -0.0 differ, they are different values.
 */
#include "ir/base/limits.h"
#include "ir/equal_private.h"

#include <inttypes.h>
#include <string.h>

bool equal_differ(struct compare *c, const char *fmt, ...)
{
    if (c->what.len == 0) {
        va_list args;
        va_start(args, fmt);
        buf_vprintf(&c->what, fmt, args);
        va_end(args);
    }
    return false;
}

bool equal_at_item(struct compare *c, const char *field, size_t index)
{
    struct compare_step step = {field, index};
    vec_push(&c->steps, step);
    return false;
}

bool equal_at(struct compare *c, const char *field)
{
    return equal_at_item(c, field, SIZE_MAX);
}

bool equal_count(struct compare *c, const char *field, size_t a, size_t b)
{
    if (a == b)
        return true;
    return equal_differ(c, "%zu against %zu %s", a, b, field);
}

/* ---- attribute values ---------------------------------------------------- */

static const char *value_kind_name(enum ir_value_kind kind)
{
    switch (kind) {
    case IR_V_NONE: return "None";
    case IR_V_BOOL: return "bool";
    case IR_V_INT: return "int";
    case IR_V_FLOAT: return "float";
    case IR_V_STRING: return "string";
    case IR_V_DTYPE: return "dtype";
    case IR_V_EXPR: return "expression";
    case IR_V_BUFFER: return "buffer";
    case IR_V_ITER_VAR: return "iter var";
    case IR_V_RANGE: return "range";
    case IR_V_REGION: return "region";
    case IR_V_REDUCER: return "reducer";
    case IR_V_TENSOR: return "tensor";
    case IR_V_TYPE: return "type";
    case IR_V_ARRAY: return "array";
    case IR_V_MAP: return "map";
    case IR_V_SHAPE: return "shape";
    case IR_V_OBJECT: return "object";
    }
    return "value";
}

static bool is_key(const char *key, const char *wanted)
{
    return wanted && strcmp(key, wanted) == 0;
}

/* Every key of a is in b with an equal value, and the other way round. One
 * key may be ignored, one may be missing on a side. */
static bool equal_keyed(struct compare *c, const struct ir_value *a,
                        const struct ir_value *b, const char *ignored,
                        const char *optional)
{
    size_t na = a ? a->n : 0, nb = b ? b->n : 0;
    bool found;
    for (size_t i = 0; i < nb; i++) {
        if (is_key(b->keys[i], ignored) || is_key(b->keys[i], optional))
            continue;
        (void)equal_find_key(a, b->keys[i], &found);
        if (!found)
            return equal_differ(c, "key '%s' only in the second", b->keys[i]);
    }
    for (size_t i = 0; i < na; i++) {
        if (is_key(a->keys[i], ignored))
            continue;
        const struct ir_value *other = equal_find_key(b, a->keys[i], &found);
        if (!found && is_key(a->keys[i], optional))
            continue;
        if (!found)
            return equal_differ(c, "key '%s' only in the first", a->keys[i]);
        if (!equal_value(c, a->items[i], other))
            return equal_at(c, a->keys[i]);
    }
    return true;
}

static bool equal_items(struct compare *c, const struct ir_value *a,
                        const struct ir_value *b)
{
    if (!equal_count(c, "items", a->n, b->n))
        return false;
    size_t n = a->kind == IR_V_MAP ? 2 * a->n : a->n;
    for (size_t i = 0; i < n; i++)
        if (!equal_value(c, a->items[i], b->items[i]))
            return equal_at_item(c, "items", i);
    return true;
}

static uint64_t float_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool equal_scalar(struct compare *c, const struct ir_value *a,
                         const struct ir_value *b)
{
    switch (a->kind) {
    case IR_V_NONE: return true;
    case IR_V_BOOL:
        return a->u.boolean == b->u.boolean ||
               equal_differ(c, "%s against %s", a->u.boolean ? "true" : "false",
                            b->u.boolean ? "true" : "false");
    case IR_V_INT:
        return a->u.integer == b->u.integer ||
               equal_differ(c, "%" PRId64 " against %" PRId64, a->u.integer,
                            b->u.integer);
    case IR_V_FLOAT:
        return num_same(dtype_make(DT_FLOAT, 64, 1), float_bits(a->u.number),
                        float_bits(b->u.number)) ||
               equal_differ(c, "%.17g against %.17g", a->u.number, b->u.number);
    case IR_V_STRING:
        return strcmp(a->u.string, b->u.string) == 0 ||
               equal_differ(c, "\"%s\" against \"%s\"", a->u.string,
                            b->u.string);
    case IR_V_DTYPE: return equal_dtype(c, a->u.dtype, b->u.dtype);
    case IR_V_EXPR: return equal_expr(c, a->u.expr, b->u.expr);
    case IR_V_BUFFER: return equal_buffer(c, a->u.buffer, b->u.buffer, false);
    case IR_V_ITER_VAR: return equal_iter_var(c, a->u.iter_var, b->u.iter_var);
    case IR_V_RANGE: return equal_range(c, a->u.range, b->u.range);
    case IR_V_REGION: return equal_region(c, a->u.region, b->u.region);
    case IR_V_REDUCER: return equal_reducer(c, a->u.reducer, b->u.reducer);
    case IR_V_TENSOR: return equal_tensor(c, a->u.tensor, b->u.tensor);
    case IR_V_TYPE: return equal_type(c, a->u.type, b->u.type);
    case IR_V_SHAPE:
        if (!equal_count(c, "dimensions", a->n, b->n))
            return false;
        for (size_t i = 0; i < a->n; i++)
            if (a->u.ints[i] != b->u.ints[i])
                return equal_differ(
                    c, "dimension %zu: %" PRId64 " against %" PRId64, i,
                    a->u.ints[i], b->u.ints[i]);
        return true;
    case IR_V_OBJECT:
        if (strcmp(equal_last_component(a->u.string),
                   equal_last_component(b->u.string)) != 0)
            return equal_differ(c, "'%s' against '%s'", a->u.string,
                                b->u.string);
        return equal_keyed(c, a, b, NULL, NULL);
    case IR_V_MAP:
        if (a->keys && b->keys)
            return equal_keyed(c, a, b, NULL, NULL);
        if ((a->keys || b->keys) && (a->n || b->n))
            return equal_differ(c, "maps with different kinds of keys");
        return equal_items(c, a, b);
    case IR_V_ARRAY: return equal_items(c, a, b);
    }
    return true;
}

bool equal_value(struct compare *c, const struct ir_value *a,
                 const struct ir_value *b)
{
    if ((!a || !b) && equal_value_empty(a) && equal_value_empty(b))
        return true;
    if (!a || !b)
        return equal_differ(c, "a value only in the %s",
                            a ? "first" : "second");
    if (a->kind != b->kind) {
        const struct ir_var *pa = equal_value_pointer(&c->alias_a, a);
        const struct ir_var *pb = equal_value_pointer(&c->alias_b, b);
        if (pa && pb)
            return equal_var(c, pa, pb, false);
        return equal_differ(c, "%s against %s", value_kind_name(a->kind),
                            value_kind_name(b->kind));
    }
    if (c->depth >= DC_MAX_DEPTH)
        return equal_differ(c, "values nested too deep to compare");
    c->depth++;
    bool same = equal_scalar(c, a, b);
    c->depth--;
    return same;
}

/* ---- functions and modules ----------------------------------------------- */

static bool equal_params(struct compare *c, const struct ir_prim_func *a,
                         const struct ir_prim_func *b)
{
    if (!equal_count(c, "parameters", a->nparams, b->nparams))
        return false;
    for (size_t i = 0; i < a->nparams; i++) {
        const struct ir_param *pa = &a->params[i], *pb = &b->params[i];
        bool same;
        if (pa->buffer && pb->buffer)
            /* The handle is a variable of its own up to 0.25 only. */
            same = (!pa->var || !pb->var ||
                    equal_pair(c, pa->var, pb->var, pa->var->name,
                               pb->var->name)) &&
                   equal_buffer(c, pa->buffer, pb->buffer, true);
        else if (pa->buffer || pb->buffer)
            same = equal_differ(c, "a buffer only in the %s",
                                pa->buffer ? "first" : "second");
        else
            same = equal_var(c, pa->var, pb->var, true);
        if (!same)
            return equal_at_item(c, "params", i);
    }
    return true;
}

static bool equal_prim(struct compare *c, const struct ir_prim_func *a,
                       const struct ir_prim_func *b)
{
    equal_alias_collect(&c->alias_a, a->body);
    equal_alias_collect(&c->alias_b, b->body);
    if (!equal_params(c, a, b))
        return false;
    if (!(equal_type_void(a->ret_type) && equal_type_void(b->ret_type)) &&
        !equal_type(c, a->ret_type, b->ret_type))
        return equal_at(c, "ret_type");
    if (!equal_stmt(c, a->body, b->body))
        return equal_at(c, "body");
    return true;
}

/* "s_tir" came with TVM 0.25; older modules mean the same without it. */
static bool equal_map(struct compare *c, const struct ir_value *a,
                      const struct ir_value *b, const char *ignored)
{
    if ((a && (a->kind != IR_V_MAP || (a->n && !a->keys))) ||
        (b && (b->kind != IR_V_MAP || (b->n && !b->keys))))
        return equal_value(c, a, b);
    return equal_keyed(c, a, b, ignored, "s_tir");
}

static bool equal_func(struct compare *c, const struct ir_func *a,
                       const struct ir_func *b)
{
    bool same = false;
    if (a->kind != b->kind) {
        (void)equal_differ(c, "functions of different kinds");
    } else {
        switch (a->kind) {
        case IR_FUNC_PRIM: same = equal_prim(c, &a->prim, &b->prim); break;
        case IR_FUNC_RELAX: same = equal_rx_func(c, a->relax, b->relax); break;
        case IR_FUNC_EXTERN: same = true; break;
        }
    }
    if (same && !equal_map(c, a->attrs, b->attrs,
                           c->options.ignore_symbol ? "global_symbol" : NULL))
        same = equal_at(c, "attrs");
    return same;
}

static void compare_fini(struct compare *c)
{
    ptr_map_fini(&c->forward);
    ptr_map_fini(&c->backward);
    ptr_map_fini(&c->same);
    ptr_map_fini(&c->alias_a);
    ptr_map_fini(&c->alias_b);
    vec_fini(&c->steps);
    buf_fini(&c->what);
}

/* "main: body.items[3].value: Add against Sub" */
static void describe(const struct compare *c, const char *name,
                     struct buf *where)
{
    if (!where)
        return;
    buf_puts(where, name);
    for (size_t i = c->steps.len; i-- > 0;) {
        const struct compare_step *step = &c->steps.items[i];
        buf_printf(where, "%s%s", i + 1 == c->steps.len ? ": " : ".",
                   step->field);
        if (step->index != SIZE_MAX)
            buf_printf(where, "[%zu]", step->index);
    }
    buf_printf(where, ": %s", c->what.len ? buf_text(&c->what) : "different");
}

bool ir_func_equal(const struct ir_func *a, const struct ir_func *b,
                   struct ir_equal_options options, struct buf *where)
{
    struct compare c = {.options = options};
    bool same = equal_func(&c, a, b);
    if (!same)
        describe(&c, a->name ? a->name : "function", where);
    compare_fini(&c);
    return same;
}

static bool equal_module_maps(const struct ir_module *a,
                              const struct ir_module *b,
                              struct ir_equal_options options,
                              struct buf *where)
{
    struct compare c = {.options = options};
    bool same = true;
    if (!equal_map(&c, a->attrs, b->attrs, NULL))
        same = equal_at(&c, "attrs");
    else if (!equal_map(&c, a->global_infos, b->global_infos, NULL))
        same = equal_at(&c, "global_infos");
    if (!same)
        describe(&c, "module", where);
    compare_fini(&c);
    return same;
}

static bool put_where(struct buf *where, const char *name, const char *side)
{
    if (where)
        buf_printf(where, "function '%s' only in the %s", name, side);
    return false;
}

bool ir_module_equal(const struct ir_module *a, const struct ir_module *b,
                     struct ir_equal_options options, struct buf *where)
{
    bool any_name = options.ignore_symbol && a->nfuncs == 1 && b->nfuncs == 1;
    /* Both lists are sorted by name. */
    for (size_t i = 0; !any_name && (i < a->nfuncs || i < b->nfuncs); i++) {
        int order = i >= a->nfuncs ? 1
                    : i >= b->nfuncs
                        ? -1
                        : strcmp(a->funcs[i]->name, b->funcs[i]->name);
        if (order < 0)
            return put_where(where, a->funcs[i]->name, "first");
        if (order > 0)
            return put_where(where, b->funcs[i]->name, "second");
    }
    for (size_t i = 0; i < a->nfuncs; i++)
        if (!ir_func_equal(a->funcs[i], b->funcs[i], options, where))
            return false;
    return equal_module_maps(a, b, options, where);
}
