/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute values: annotations, function attributes, targets, anything. The
 * kinds that the tool understands become themselves; every other object is
 * kept with its type key and fields, so that it can be written back.
 *
 * In such an object an integer is a node index unless its field is known to be
 * inline (ir/inline.def); true, false, null, dtype texts and reals in a field are
 * always inline. Inline values are marked with `list`. A payload that is no
 * set of fields ({"type": "target.TargetKind", "data": "llvm"}) is the one
 * field named "".
 */
#include "ir/readers/tvmjson/tvmjson.h"

#include <stdlib.h>
#include <string.h>

static struct ir_value *opt_value(struct tj *r, uint32_t node)
{
    return node == TJ_NULL ? ir_value_make(r->m, IR_V_NONE)
                           : tj_value_node(r, node);
}

/* ---- containers --------------------------------------------------------------- */

static struct ir_value *array_value(struct tj *r, uint32_t node, bool list)
{
    struct ir_value *v = ir_value_make(r->m, IR_V_ARRAY);
    const uint32_t *items = tj_array_items(r, node, &v->n);
    v->list = list;
    v->items = ARENA_ARRAY(r->arena, v->n + 1, struct ir_value *);
    for (size_t i = 0; i < v->n && !r->failed; i++)
        v->items[i] = opt_value(r, items[i]);
    return v;
}

static struct ir_value *map_value(struct tj *r, uint32_t node, bool list)
{
    const char **keys;
    size_t n;
    const uint32_t *items = tj_map_items(r, node, &n, &keys);
    struct ir_value *v = ir_value_make(r->m, IR_V_MAP);
    if (r->failed)
        return NULL;
    size_t count = keys ? n : 2 * n;
    struct ir_value **values =
        ARENA_ARRAY(r->arena, count + 1, struct ir_value *);
    for (size_t i = 0; i < count && !r->failed; i++)
        values[i] = opt_value(r, items[i]);
    if (r->failed)
        return NULL;
    if (keys && n > 0) {
        v = ir_value_map(r->m, n, keys, values);
    } else {
        v->n = n;
        v->items = values;
    }
    v->list = list;
    return v;
}

struct ir_value *tj_map(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    if (r->failed || ref == TJ_NULL)
        return NULL;
    enum tj_kind kind = tj_kind(r, ref);
    if (kind != TJ_K_MAP && kind != TJ_K_DICT)
        return tj_fail(r, node, field, "expected a map, found '%s'",
                       r->nodes[ref].type);
    struct ir_value *v = tj_value_node(r, ref);
    if (v && v->n && !v->keys)
        return tj_fail(r, node, field, "expected texts as keys");
    return v && v->n ? v : NULL;
}

struct ir_value *tj_dict_attrs(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    if (r->failed || ref == TJ_NULL)
        return NULL;
    if (tj_kind(r, ref) == TJ_K_DICT_ATTRS)
        return tj_map(r, ref, "__dict__");
    return tj_map(r, node, field);
}

/* ---- objects --------------------------------------------------------------------- */

static struct ir_value *inline_value(struct tj *r, uint32_t node,
                                     const char *field,
                                     const struct json_value *v)
{
    struct ir_value *out = NULL;
    int64_t integer;
    double number;
    struct dtype t;
    switch (json_type(v)) {
    case JSON_NULL: out = ir_value_make(r->m, IR_V_NONE); break;
    case JSON_BOOL: out = ir_value_bool(r->m, json_bool(v)); break;
    case JSON_NUMBER:
        if (json_int(v, &integer, NULL)) {
            out = ir_value_int(r->m, integer);
        } else if (json_double(v, &number)) {
            out = ir_value_make(r->m, IR_V_FLOAT);
            out->u.number = number;
        }
        break;
    case JSON_STRING:
        /* A text without a field is a name: "llvm", whatever it looks like. */
        if (field && !r->legacy && dtype_parse(json_string(v), &t)) {
            out = ir_value_make(r->m, IR_V_DTYPE);
            out->u.dtype = t;
        } else {
            out = ir_value_string(r->m, json_string(v));
        }
        break;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    if (!out)
        return tj_fail(r, node, field, "expected a plain value, found %s",
                       json_type_name(json_type(v)));
    out->list = true;
    return out;
}

/* A field of an object that no row describes: index or inline. */
static struct ir_value *field_value(struct tj *r, uint32_t node,
                                    const struct json_value *v)
{
    const char *field = json_key(v);
    int64_t index;
    bool number = json_type(v) == JSON_NUMBER && json_int(v, &index, NULL);
    if (r->legacy && json_type(v) == JSON_STRING) {
        const char *text = json_string(v);
        number = strcmp(text, "null") == 0 ||
                 (*text && strlen(text) < 10 &&
                  strspn(text, "0123456789") == strlen(text));
    }
    if (!number || ir_field_is_inline(r->nodes[node].type, field))
        return inline_value(r, node, field, v);
    return opt_value(r, tj_opt_ref(r, node, field));
}

/* The payload of an object without fields: text, number or numbers. */
static struct ir_value *payload_value(struct tj *r, uint32_t node)
{
    const struct json_value *data = r->nodes[node].data;
    if (json_type(data) != JSON_ARRAY)
        return inline_value(r, node, NULL, data);
    struct ir_value *v = ir_value_make(r->m, IR_V_SHAPE);
    size_t n = json_size(data);
    v->u.ints = ARENA_ARRAY(r->arena, n + 1, int64_t);
    for (const struct json_value *item = json_first(data); item;
         item = json_next(item))
        if (!json_int(item, &v->u.ints[v->n++], NULL))
            return tj_fail_at(r, node, v->n - 1, "expected an integer");
    v->list = true;
    return v;
}

static int compare_fields(const void *a, const void *b)
{
    const struct json_value *const *x = a, *const *y = b;
    return strcmp(json_key(*x), json_key(*y));
}

static struct ir_value *object_value(struct tj *r, uint32_t node)
{
    const struct tj_node *n = &r->nodes[node];
    struct ir_value *v = ir_value_make(r->m, IR_V_OBJECT);
    v->u.string = arena_strdup(r->arena, n->type);
    if (!n->fields && !n->data)
        return v;
    v->n = n->fields ? json_size(n->fields) : 1;
    v->keys = ARENA_ARRAY(r->arena, v->n + 1, const char *);
    v->items = ARENA_ARRAY(r->arena, v->n + 1, struct ir_value *);
    if (!n->fields) {
        v->keys[0] = "";
        v->items[0] = payload_value(r, node);
        return v;
    }
    const struct json_value **fields =
        ARENA_ARRAY(r->arena, v->n + 1, const struct json_value *);
    size_t count = 0;
    for (const struct json_value *f = json_first(n->fields); f;
         f = json_next(f))
        fields[count++] = f;
    qsort(fields, count, sizeof *fields, compare_fields);
    for (size_t i = 0; i < v->n && !r->failed; i++) {
        v->keys[i] = arena_strdup(r->arena, json_key(fields[i]));
        v->items[i] = field_value(r, node, fields[i]);
    }
    return v;
}

/* ---- commutative reducers ------------------------------------------------------------ */

static struct ir_var **reducer_vars(struct tj *r, uint32_t node,
                                    const char *field, size_t *n)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, field, n, &array);
    struct ir_var **out = ARENA_ARRAY(r->arena, *n + 1, struct ir_var *);
    for (size_t i = 0; i < *n && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a variable, found null");
        else
            out[i] = tj_var_node(r, items[i]);
    }
    return out;
}

static struct ir_comm_reducer *tj_reducer_node(struct tj *r, uint32_t node)
{
    struct ir_comm_reducer *c = ARENA_NEW(r->arena, struct ir_comm_reducer);
    size_t n[4];
    c->lhs = reducer_vars(r, node, "lhs", &n[0]);
    c->rhs = reducer_vars(r, node, "rhs", &n[1]);
    c->result = tj_exprs(r, node, "result", &n[2]);
    c->identity = tj_exprs(r, node, "identity_element", &n[3]);
    if (!r->failed && (n[0] != n[1] || n[0] != n[2] || n[0] != n[3]))
        return tj_fail(r, node, NULL,
                       "a reducer with unequal numbers of operands");
    c->n = n[0];
    return r->failed ? NULL : c;
}

/* ---- leaves -------------------------------------------------------------------------------- */

static struct ir_value *bad_leaf(struct tj *r, uint32_t node)
{
    return tj_fail(r, node, NULL, "malformed '%s'", r->nodes[node].type);
}

static struct ir_value *number_value(struct tj *r, uint32_t node,
                                     enum tj_kind kind)
{
    struct ir_value *v;
    bool boolean;
    if (kind == TJ_K_BOOL)
        return tj_leaf_bool(r, node, &boolean) ? ir_value_bool(r->m, boolean)
                                               : bad_leaf(r, node);
    if (kind == TJ_K_INT) {
        v = ir_value_make(r->m, IR_V_INT);
        return tj_leaf_int(r, node, &v->u.integer) ? v : bad_leaf(r, node);
    }
    v = ir_value_make(r->m, IR_V_FLOAT);
    return tj_leaf_float(r, node, &v->u.number) ? v : bad_leaf(r, node);
}

static struct ir_value *dtype_value(struct tj *r, uint32_t node)
{
    struct ir_value *v = ir_value_make(r->m, IR_V_DTYPE);
    const struct json_value *data = r->nodes[node].data;
    if (!data)
        data = json_find(r->nodes[node].fields, "v_type");
    if (!data || json_type(data) != JSON_STRING ||
        !dtype_parse(json_string(data), &v->u.dtype))
        return bad_leaf(r, node);
    return v;
}

/* ffi.Shape: numbers inline. Before 0.22 a base64 text of count and values. */
static struct ir_value *shape_value(struct tj *r, uint32_t node)
{
    struct ir_value *v = ir_value_make(r->m, IR_V_SHAPE);
    const struct json_value *data = r->nodes[node].data;
    if (data && json_type(data) == JSON_ARRAY) {
        v = payload_value(r, node);
        if (v)
            v->list = false;
        return v;
    }
    struct buf raw = {0};
    bool ok =
        data && json_type(data) == JSON_STRING &&
        base64_decode(json_string(data), strlen(json_string(data)), &raw) &&
        raw.len >= 8 && raw.len % 8 == 0;
    if (ok) {
        v->n = raw.len / 8 - 1;
        v->u.ints = ARENA_ARRAY(r->arena, v->n + 1, int64_t);
        for (size_t i = 0; i < v->n; i++)
            for (size_t k = 8; k-- > 0;)
                v->u.ints[i] = (int64_t)((uint64_t)v->u.ints[i] << 8 |
                                         (uint8_t)raw.data[8 + 8 * i + k]);
    }
    buf_fini(&raw);
    return ok ? v : bad_leaf(r, node);
}

/* ---- nodes of the IR in value position --------------------------------------------------- */

static struct ir_value *node_value(struct tj *r, uint32_t node,
                                   enum tj_kind kind)
{
    struct ir_value *v;
    if (tj_is_buffer(r, node)) {
        v = ir_value_make(r->m, IR_V_BUFFER);
        v->u.buffer = tj_buffer_node(r, node);
        return v;
    }
    if (kind == TJ_K_ITER_VAR) {
        v = ir_value_make(r->m, IR_V_ITER_VAR);
        v->u.iter_var = tj_iter_var_node(r, node);
    } else if (kind == TJ_K_RANGE) {
        v = ir_value_make(r->m, IR_V_RANGE);
        v->u.range = ARENA_NEW(r->arena, struct ir_range);
        *v->u.range = tj_range_node(r, node);
    } else if (kind == TJ_K_REGION) {
        v = ir_value_make(r->m, IR_V_REGION);
        v->u.region = ARENA_NEW(r->arena, struct ir_region);
        *v->u.region = tj_region_node(r, node);
    } else if (kind == TJ_K_REDUCER) {
        v = ir_value_make(r->m, IR_V_REDUCER);
        v->u.reducer = tj_reducer_node(r, node);
    } else if (kind == TJ_K_TENSOR) {
        v = ir_value_make(r->m, IR_V_TENSOR);
        v->u.tensor = tj_tensor_node(r, node);
    } else if (r->nodes[node].row->type) {
        v = ir_value_make(r->m, IR_V_TYPE);
        v->u.type = tj_type_node(r, node);
    } else {
        struct ir_expr *e = tj_expr_node(r, node);
        v = e ? ir_value_expr(r->m, e) : NULL;
    }
    return r->failed ? NULL : v;
}

static void *decode_value(struct tj *r, uint32_t node, const struct tj_row *row)
{
    switch (row->kind) {
    case TJ_K_NONE: return ir_value_make(r->m, IR_V_NONE);
    case TJ_K_BOOL:
    case TJ_K_INT:
    case TJ_K_FLOAT: return number_value(r, node, row->kind);
    case TJ_K_STRING: return ir_value_string(r->m, tj_node_text(r, node));
    case TJ_K_DTYPE: return dtype_value(r, node);
    case TJ_K_ARRAY: return array_value(r, node, false);
    case TJ_K_LIST: return array_value(r, node, true);
    case TJ_K_MAP: return map_value(r, node, false);
    case TJ_K_DICT: return map_value(r, node, true);
    case TJ_K_SHAPE: return shape_value(r, node);
    case TJ_NODE_KINDS: return node_value(r, node, row->kind);
    case TJ_NO_VALUE_KINDS:
        return tj_fail(r, node, NULL, "'%s' is not supported as a value",
                       r->nodes[node].type);
    case TJ_OBJECT_KINDS: return object_value(r, node);
    }
    return NULL;
}

struct ir_value *tj_value_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_VALUE, decode_value);
}
