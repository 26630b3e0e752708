/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute values: Python literals, with T.int32(1) for an IntImm so that it
 * stays apart from a plain 1, T.target({…}), T.iter_var(…), T.comm_reducer(…)
 * and T.index_map(…) for the objects that the language has a form for.
 */
#include "ir/base/limits.h"
#include "ir/writers/tvmscript/print_script.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool skipped(const char *key, const char *const *skip)
{
    for (; skip && *skip; skip++)
        if (strcmp(key, *skip) == 0)
            return true;
    return false;
}

void print_put_map(struct print_state *p, const struct ir_value *map,
                   const char *const *skip)
{
    bool comma = false;
    buf_putc(p->out, '{');
    for (size_t i = 0; map && i < map->n; i++) {
        if (map->keys && skipped(map->keys[i], skip))
            continue;
        buf_puts(p->out, comma ? ", " : "");
        comma = true;
        if (map->keys) {
            print_put_string(p->out, map->keys[i]);
            buf_puts(p->out, ": ");
            print_put_value(p, map->items[i]);
        } else {
            print_put_value(p, map->items[2 * i]);
            buf_puts(p->out, ": ");
            print_put_value(p, map->items[2 * i + 1]);
        }
    }
    buf_putc(p->out, '}');
}

static void put_array(struct print_state *p, const struct ir_value *v)
{
    buf_putc(p->out, '[');
    for (size_t i = 0; i < v->n; i++) {
        buf_puts(p->out, i ? ", " : "");
        print_put_value(p, v->items[i]);
    }
    buf_putc(p->out, ']');
}

/* ---- expressions as values ----------------------------------------------- */

void print_put_expr_value(struct print_state *p, const struct ir_expr *e)
{
    if (e && e->kind == IR_INT_IMM && dtype_equal(e->dtype, DTYPE_INT32)) {
        buf_printf(p->out, "T.int32(%" PRId64 ")", e->u.int_value);
    } else if (e && e->kind == IR_STRING_IMM) {
        buf_puts(p->out, "T.StringImm(");
        print_put_string(p->out, e->u.string.text);
        buf_putc(p->out, ')');
    } else {
        print_put_expr(p, e);
    }
}

static void put_range(struct print_state *p, const struct ir_range *r)
{
    if (!dtype_is_int(r->min->dtype) || !dtype_is_int(r->extent->dtype))
        print_refuse(p, "the ends of a range are no integers");
    buf_puts(p->out, "T.Range(");
    print_put_expr(p, r->min);
    buf_puts(p->out, ", ");
    print_put_sum(p, r->min, r->extent);
    buf_putc(p->out, ')');
}

static const char *iter_type_name(enum ir_iter_type type)
{
    switch (type) {
    case IR_ITER_SPATIAL: return "DataPar";
    case IR_ITER_THREAD: return "ThreadIndex";
    case IR_ITER_REDUCE: return "CommReduce";
    case IR_ITER_SCAN: return "Ordered";
    case IR_ITER_OPAQUE: return "DimInfo";
    case IR_ITER_UNROLLED: return "Unrolled";
    case IR_ITER_VECTORIZED: return "Vectorized";
    case IR_ITER_PARALLEL: return "Parallelized";
    case IR_ITER_TENSORIZED: return "Tensorized";
    }
    return "DimInfo";
}

static void print_put_iter_var(struct print_state *p,
                               const struct ir_iter_var *iv)
{
    buf_printf(p->out, "T.iter_var(%s, ", print_var(p, iv->var));
    if (iv->has_dom)
        put_range(p, &iv->dom);
    else
        buf_puts(p->out, "None");
    buf_puts(p->out, ", ");
    print_put_string(p->out, iter_type_name(iv->type));
    buf_puts(p->out, ", ");
    print_put_string(p->out, iv->thread_tag ? iv->thread_tag : "");
    buf_putc(p->out, ')');
}

static void put_parameters(struct print_state *p, size_t n,
                           struct ir_var *const *vars, bool first)
{
    for (size_t i = 0; i < n; i++)
        buf_printf(p->out, "%s%s", first && i == 0 ? "" : ", ",
                   print_define(p, vars[i], vars[i]->name));
}

static void put_reducer(struct print_state *p, const struct ir_comm_reducer *r)
{
    size_t mark = print_scope_open(p);
    buf_puts(p->out, "T.comm_reducer(lambda ");
    put_parameters(p, r->n, r->lhs, true);
    put_parameters(p, r->n, r->rhs, r->n == 0);
    buf_puts(p->out, r->n == 1 ? ": " : ": (");
    print_put_exprs(p, r->n, r->result);
    buf_puts(p->out, r->n == 1 ? ", [" : "), [");
    print_scope_close(p, mark);
    print_put_exprs(p, r->n, r->identity);
    buf_puts(p->out, "])");
}

/* ---- objects ------------------------------------------------------------- */

/* The variables of an index map: an array of references to them. */
static const struct ir_value *var_list(const struct ir_value *object,
                                       const char *key)
{
    const struct ir_value *list = ir_value_find(object, key);
    if (!list || list->kind != IR_V_ARRAY)
        return NULL;
    for (size_t i = 0; i < list->n; i++) {
        const struct ir_value *v = list->items[i];
        if (!v || v->kind != IR_V_EXPR || v->u.expr->kind != IR_VAR_REF)
            return NULL;
    }
    return list;
}

static bool put_lambda(struct print_state *p, const struct ir_value *map)
{
    const struct ir_value *initial = var_list(map, "initial_indices");
    const struct ir_value *final = ir_value_find(map, "final_indices");
    if (!initial || !final || final->kind != IR_V_ARRAY)
        return false;
    size_t mark = print_scope_open(p);
    buf_puts(p->out, initial->n ? "lambda " : "lambda");
    for (size_t i = 0; i < initial->n; i++) {
        const struct ir_var *var = initial->items[i]->u.expr->u.var;
        buf_printf(p->out, "%s%s", i ? ", " : "",
                   print_define(p, var, var->name));
    }
    buf_puts(p->out, ": (");
    for (size_t i = 0; i < final->n; i++) {
        buf_puts(p->out, i ? ", " : "");
        if (final->items[i] && final->items[i]->kind == IR_V_EXPR)
            print_put_expr(p, final->items[i]->u.expr);
        else
            print_put_value(p, final->items[i]);
    }
    buf_puts(p->out, final->n == 1 ? ",)" : ")");
    print_scope_close(p, mark);
    return true;
}

static bool is_dtype(const struct ir_value *v, struct dtype t)
{
    return dtype_equal(v->u.expr->dtype, t);
}

static bool put_index_map(struct print_state *p, const struct ir_value *v)
{
    size_t start = p->out->len;
    buf_puts(p->out, "T.index_map(");
    bool fine = put_lambda(p, v);
    const struct ir_value *inverse = ir_value_find(v, "inverse_index_map");
    const struct ir_value *vars = var_list(v, "initial_indices");
    if (fine && vars->n && !is_dtype(vars->items[0], DTYPE_INT64)) {
        buf_puts(p->out, ", index_dtype=");
        print_put_dtype(p->out, vars->items[0]->u.expr->dtype);
    }
    if (fine && inverse && inverse->kind == IR_V_OBJECT) {
        buf_puts(p->out, ", inverse_index_map=");
        fine = put_lambda(p, inverse);
    }
    buf_putc(p->out, ')');
    if (!fine) {
        p->out->len = start;
        p->out->data[start] = '\0';
    }
    return fine;
}

/* A target is written as the configuration it was made from: its attributes
 * beside "kind", "tag", "keys" and "host". */
static void put_target(struct print_state *p, const struct ir_value *v)
{
    static const char *const parts[] = {"host", "keys", "kind", "tag"};
    const struct ir_value *attrs = ir_value_find(v, "attrs");
    bool comma = false;
    size_t at = 0,
           n = attrs && attrs->kind == IR_V_MAP && attrs->keys ? attrs->n : 0;
    buf_putc(p->out, '{');
    for (size_t i = 0; i < n || at < DC_ARRAY_LEN(parts);) {
        /* Merge two sorted lists of keys. */
        bool part = at < DC_ARRAY_LEN(parts) &&
                    (i >= n || strcmp(parts[at], attrs->keys[i]) < 0);
        const char *key = part ? parts[at] : attrs->keys[i];
        const struct ir_value *item =
            part ? ir_value_find(v, key) : attrs->items[i];
        if (part)
            at++;
        else
            i++;
        if (part && item->kind == IR_V_NONE)
            continue;
        buf_puts(p->out, comma ? ", " : "");
        comma = true;
        print_put_string(p->out, key);
        buf_puts(p->out, ": ");
        if (part && strcmp(key, "host") == 0)
            put_target(p, item);
        else if (part && strcmp(key, "kind") == 0)
            print_put_value(p, item->items[0]);
        else
            print_put_value(p, item);
    }
    buf_putc(p->out, '}');
}

static bool is_kind(const struct ir_value *v, enum ir_value_kind kind)
{
    return v && v->kind == kind;
}

static const char *last_component(const char *type)
{
    const char *dot = strrchr(type, '.');
    return dot ? dot + 1 : type;
}

static bool is_target_kind(const struct ir_value *v)
{
    return is_kind(v, IR_V_OBJECT) && v->n == 1 && !v->keys[0][0] &&
           is_kind(v->items[0], IR_V_STRING) &&
           strcmp(last_component(v->u.string), "TargetKind") == 0;
}

/* The object is what T.target makes of a configuration: all five fields, each
 * of its kind, and no attribute with the name of a field. */
static bool is_target(const struct ir_value *v, unsigned depth)
{
    const struct ir_value *attrs = ir_value_find(v, "attrs");
    const struct ir_value *host = ir_value_find(v, "host");
    if (strcmp(last_component(v->u.string), "Target") != 0 || v->n != 5 ||
        depth > DC_MAX_DEPTH / 4 || !is_kind(attrs, IR_V_MAP) ||
        (attrs->n && !attrs->keys) || !host ||
        !is_kind(ir_value_find(v, "keys"), IR_V_ARRAY) ||
        !is_kind(ir_value_find(v, "tag"), IR_V_STRING) ||
        !is_target_kind(ir_value_find(v, "kind")))
        return false;
    for (size_t i = 0; i < attrs->n; i++)
        if (ir_value_find(v, attrs->keys[i]) &&
            strcmp(attrs->keys[i], "attrs") != 0)
            return false;
    return host->kind == IR_V_NONE ||
           (host->kind == IR_V_OBJECT && is_target(host, depth + 1));
}

static void put_object(struct print_state *p, const struct ir_value *v)
{
    const char *key = v->u.string;
    if (strcmp(last_component(key), "IndexMap") == 0 && put_index_map(p, v))
        return;
    if (is_target(v, 0)) {
        buf_puts(p->out, "T.target(");
        put_target(p, v);
        buf_putc(p->out, ')');
        return;
    }
    /* No form in the language: the type key and the fields. */
    buf_puts(p->out, "I.object(");
    print_put_string(p->out, key);
    buf_puts(p->out, ", ");
    print_put_map(p, v, NULL);
    buf_putc(p->out, ')');
}

/* ---- tensors ------------------------------------------------------------- */

static void put_element(struct print_state *p, const struct ir_tensor *t,
                        size_t index)
{
    size_t size = dtype_lane_bytes(t->dtype);
    struct dtype one = dtype_scalar(t->dtype);
    if (size == 0 || (index + 1) * size > t->bytes) {
        buf_putc(p->out, '0');
        return;
    }
    uint64_t bits = num_load(one, t->data + index * size);
    if (dtype_is_float(one)) {
        double value = num_to_double(one, bits);
        if (isfinite(value)) {
            buf_put_double(p->out, value);
        } else {
            buf_puts(p->out, "float(");
            print_put_number(p->out, value);
            buf_putc(p->out, ')');
        }
    } else if (dtype_is_bool(one)) {
        buf_puts(p->out, bits ? "True" : "False");
    } else if (one.code == DT_UINT) {
        buf_printf(p->out, "%" PRIu64, bits);
    } else {
        buf_printf(p->out, "%" PRId64, num_to_int(one, bits));
    }
}

static size_t put_axis(struct print_state *p, const struct ir_tensor *t,
                       size_t axis, size_t index)
{
    if (axis == t->rank) {
        put_element(p, t, index);
        return index + 1;
    }
    buf_putc(p->out, '[');
    for (int64_t i = 0; i < t->shape[axis]; i++) {
        buf_puts(p->out, i ? ", " : "");
        index = put_axis(p, t, axis + 1, index);
    }
    buf_putc(p->out, ']');
    return index;
}

/* A tensor without elements is written so whatever its other dimensions are:
 * nested lists of nothing may be endless. */
void print_put_tensor(struct print_state *p, const struct ir_tensor *t)
{
    for (size_t i = 0; i < t->rank; i++) {
        if (t->shape[i] == 0) {
            buf_puts(p->out, "[]");
            return;
        }
    }
    (void)put_axis(p, t, 0, 0);
}

static void put_float_value(struct buf *out, double value)
{
    if (isfinite(value)) {
        buf_put_double(out, value);
        return;
    }
    buf_puts(out, "float(");
    print_put_number(out, value);
    buf_putc(out, ')');
}

static void put_kind(struct print_state *p, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_V_NONE: buf_puts(p->out, "None"); break;
    case IR_V_BOOL: buf_puts(p->out, v->u.boolean ? "True" : "False"); break;
    case IR_V_INT: buf_printf(p->out, "%" PRId64, v->u.integer); break;
    case IR_V_FLOAT: put_float_value(p->out, v->u.number); break;
    case IR_V_STRING: print_put_string(p->out, v->u.string); break;
    case IR_V_DTYPE:
        buf_puts(p->out, "T.DataType(");
        print_put_dtype(p->out, v->u.dtype);
        buf_putc(p->out, ')');
        break;
    case IR_V_EXPR: print_put_expr_value(p, v->u.expr); break;
    case IR_V_BUFFER: buf_puts(p->out, print_buffer(p, v->u.buffer)); break;
    case IR_V_ITER_VAR: print_put_iter_var(p, v->u.iter_var); break;
    case IR_V_RANGE: put_range(p, v->u.range); break;
    case IR_V_REGION: print_put_region(p, v->u.region, true); break;
    case IR_V_REDUCER: put_reducer(p, v->u.reducer); break;
    case IR_V_TENSOR:
        buf_puts(p->out, "R.const(");
        print_put_tensor(p, v->u.tensor);
        buf_puts(p->out, ", ");
        print_put_dtype(p->out, v->u.tensor->dtype);
        buf_putc(p->out, ')');
        break;
    case IR_V_TYPE: print_put_rx_type(p, v->u.type); break;
    case IR_V_ARRAY: put_array(p, v); break;
    case IR_V_MAP: print_put_map(p, v, NULL); break;
    case IR_V_SHAPE:
        buf_puts(p->out, "I.shape([");
        for (size_t i = 0; i < v->n; i++)
            buf_printf(p->out, "%s%" PRId64, i ? ", " : "", v->u.ints[i]);
        buf_puts(p->out, "])");
        break;
    case IR_V_OBJECT: put_object(p, v); break;
    }
}

void print_put_value(struct print_state *p, const struct ir_value *v)
{
    if (!v || p->depth >= DC_MAX_DEPTH) {
        buf_puts(p->out, "None");
        return;
    }
    p->depth++;
    put_kind(p, v);
    p->depth--;
}
