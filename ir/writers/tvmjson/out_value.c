/* SPDX-License-Identifier: Apache-2.0
 *
 * Attribute values: the inverse of the reader's decode_value.c. Values that an
 * object carries inline are marked with `list`.
 */
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

static uint32_t value_list(struct out *o, const char *type, size_t n,
                           struct ir_value *const *items)
{
    struct out_list list = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&list, out_value(o, items[i]));
    uint32_t index = out_array(o, type, list.len, list.items);
    vec_fini(&list);
    return index;
}

uint32_t out_map(struct out *o, const struct ir_value *map)
{
    struct out_list list = {0};
    const char *type = map && map->list ? "ffi.Dict" : "ffi.Map";
    if (map && !map->keys)
        return value_list(o, type, 2 * map->n, map->items);
    for (size_t i = 0; map && i < map->n; i++) {
        vec_push(&list, out_string(o, map->keys[i]));
        vec_push(&list, out_value(o, map->items[i]));
    }
    uint32_t index = out_array(o, type, list.len, list.items);
    vec_fini(&list);
    return index;
}

uint32_t out_dict_attrs(struct out *o, const struct ir_value *map)
{
    uint32_t dict = out_map(o, map);
    out_begin(o, "ir.DictAttrs");
    out_ref(o, "__dict__", dict);
    return out_end(o);
}

/* ---- objects ------------------------------------------------------------------ */

static void inline_field(struct out *o, const char *name,
                         const struct ir_value *v)
{
    switch (v->kind) {
    case IR_V_BOOL: out_bool(o, name, v->u.boolean); return;
    case IR_V_INT: out_int(o, name, v->u.integer); return;
    case IR_V_FLOAT: out_double(o, name, v->u.number); return;
    case IR_V_STRING: out_text(o, name, v->u.string); return;
    case IR_V_DTYPE: out_dtype(o, name, v->u.dtype); return;
    case IR_V_NONE:
    case IR_V_EXPR:
    case IR_V_BUFFER:
    case IR_V_ITER_VAR:
    case IR_V_RANGE:
    case IR_V_REGION:
    case IR_V_REDUCER:
    case IR_V_TENSOR:
    case IR_V_TYPE:
    case IR_V_ARRAY:
    case IR_V_MAP:
    case IR_V_SHAPE:
    case IR_V_OBJECT: out_ref(o, name, o->none); return;
    }
}

/* An integer is where the readers look for it: they take any other for the
 * index of a node. */
static bool is_inline(const char *type, const char *field,
                      const struct ir_value *v)
{
    if (ir_field_is_inline(type, field))
        return v->kind == IR_V_INT || v->kind == IR_V_FLOAT ||
               v->kind == IR_V_BOOL;
    return v->kind != IR_V_INT && v->list &&
           (v->kind == IR_V_BOOL || v->kind == IR_V_FLOAT ||
            v->kind == IR_V_STRING || v->kind == IR_V_DTYPE);
}

/* {"type": T, "data": "text" or [1, 2]}: a payload without fields. */
static uint32_t payload(struct out *o, const char *type,
                        const struct ir_value *v)
{
    if (v->kind == IR_V_STRING)
        return out_leaf_text(o, type, v->u.string);
    char text[48];
    out_begin(o, type);
    json_put_key(&o->json, "data");
    if (v->kind == IR_V_SHAPE) {
        json_begin_array(&o->json);
        for (size_t i = 0; i < v->n; i++)
            json_put_int(&o->json, v->u.ints[i]);
        json_end_array(&o->json);
    } else if (v->kind == IR_V_INT) {
        json_put_int(&o->json, v->u.integer);
    } else if (v->kind == IR_V_BOOL) {
        json_put_bool(&o->json, v->u.boolean);
    } else if (v->kind == IR_V_FLOAT) {
        json_put_double(&o->json, v->u.number, true);
    } else if (v->kind == IR_V_DTYPE) {
        json_put_string(&o->json, dtype_name(v->u.dtype, text));
    } else {
        json_put_null(&o->json);
    }
    return out_end(o);
}

/* Whether a field is such a dtype and changes its form between the eras. */
static bool changes_form(const struct out *o, const struct ir_value *object,
                         const char *field)
{
    bool old = o->m->era == IR_ERA_D;
    return o->m->era != o->era && old != (o->era == IR_ERA_D) &&
           ir_field_is_loose_dtype(object->u.string, field);
}

static struct dtype loose_value(const struct ir_value *v)
{
    if (v->kind == IR_V_DTYPE)
        return v->u.dtype;
    if (v->kind == IR_V_TYPE && v->u.type->kind == IR_TYPE_PRIM)
        return v->u.type->dtype;
    return DTYPE_VOID;
}

/* Devices moved from ir to relax in 0.27. */
static const char *object_type(const struct out *o, const char *type)
{
    if (o->m->era == o->era)
        return type;
    if (strcmp(type, "ir.VDevice") == 0 || strcmp(type, "relax.VDevice") == 0)
        return o->era == IR_ERA_F ? "relax.VDevice" : "ir.VDevice";
    return type;
}

static uint32_t field_node(struct out *o, const struct ir_value *object,
                           size_t i)
{
    const struct ir_value *v = object->items[i];
    if (ir_field_is_inline(object->u.string, object->keys[i]) &&
        v->kind != IR_V_NONE &&
        !is_inline(object->u.string, object->keys[i], v))
        return out_fail(o, (struct ir_pos){0},
                        "field '%s' of '%s' is no number", object->keys[i],
                        object->u.string);
    if (!changes_form(o, object, object->keys[i]))
        return is_inline(object->u.string, object->keys[i], v)
                   ? 0
                   : out_value(o, v);
    struct dtype t = loose_value(v);
    return o->era == IR_ERA_D || t.code == DT_VOID ? o->none
                                                   : out_leaf_dtype(o, t);
}

static uint32_t object(struct out *o, const struct ir_value *v)
{
    struct out_list refs = {0};
    if (!ir_json_is_object(v->u.string))
        return out_fail(o, (struct ir_pos){0},
                        "an object '%s' would be read as something else",
                        v->u.string);
    if (v->n == 1 && v->keys[0][0] == '\0')
        return payload(o, v->u.string, v->items[0]);
    for (size_t i = 0; i < v->n; i++)
        vec_push(&refs, field_node(o, v, i));
    out_begin(o, object_type(o, v->u.string));
    for (size_t i = 0; i < v->n; i++) {
        bool moved = changes_form(o, v, v->keys[i]);
        if (moved && o->era == IR_ERA_D)
            out_dtype(o, v->keys[i], loose_value(v->items[i]));
        else if (!moved && is_inline(v->u.string, v->keys[i], v->items[i]))
            inline_field(o, v->keys[i], v->items[i]);
        else
            out_ref(o, v->keys[i], refs.items[i]);
    }
    vec_fini(&refs);
    return out_end(o);
}

/* ---- tensors -------------------------------------------------------------------- */

static void put_little(struct buf *b, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        buf_putc(b, (char)(uint8_t)(value >> (8 * i)));
}

/* formats.md 1.3 */
uint32_t out_tensor(struct out *o, const struct ir_tensor *t)
{
    struct buf raw = {0}, text = {0};
    unsigned code, bits;
    dtype_to_dlpack(t->dtype, &code, &bits);
    put_little(&raw, UINT64_C(0xDD5E40F096B4A13F), 8);
    put_little(&raw, 0, 8);
    put_little(&raw, 1, 8); /* CPU 0 */
    put_little(&raw, t->rank, 4);
    put_little(&raw, code, 1);
    put_little(&raw, bits, 1);
    put_little(&raw, t->dtype.lanes, 2);
    for (size_t i = 0; i < t->rank; i++)
        put_little(&raw, (uint64_t)t->shape[i], 8);
    put_little(&raw, t->bytes, 8);
    buf_append(&raw, t->data, t->bytes);
    base64_encode(raw.data, raw.len, &text);
    uint32_t index = out_leaf_text(o, "ffi.Tensor", buf_text(&text));
    buf_fini(&raw);
    buf_fini(&text);
    return index;
}

/* ---- dispatch ---------------------------------------------------------------------- */

static uint32_t reducer_vars(struct out *o, size_t n,
                             struct ir_var *const *vars)
{
    struct out_list list = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&list, out_var(o, vars[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

static uint32_t reducer(struct out *o, const struct ir_comm_reducer *c)
{
    uint32_t lhs = reducer_vars(o, c->n, c->lhs);
    uint32_t rhs = reducer_vars(o, c->n, c->rhs);
    uint32_t result = out_exprs(o, c->n, c->result);
    uint32_t identity = out_exprs(o, c->n, c->identity);
    out_begin(o, o->era == IR_ERA_F ? "te.CommReducer" : "tirx.CommReducer");
    out_ref(o, "lhs", lhs);
    out_ref(o, "rhs", rhs);
    out_ref(o, "result", result);
    out_ref(o, "identity_element", identity);
    out_span(o);
    return out_end(o);
}

static uint32_t shape(struct out *o, const struct ir_value *v)
{
    out_begin(o, "ffi.Shape");
    json_put_key(&o->json, "data");
    json_begin_array(&o->json);
    for (size_t i = 0; i < v->n; i++)
        json_put_int(&o->json, v->u.ints[i]);
    json_end_array(&o->json);
    return out_end(o);
}

static uint32_t value_node(struct out *o, const struct ir_value *v)
{
    switch (v->kind) {
    case IR_V_NONE: return o->none;
    case IR_V_BOOL: return out_leaf_bool(o, v->u.boolean);
    case IR_V_INT: return out_leaf_int(o, v->u.integer);
    case IR_V_FLOAT: return out_leaf_double(o, v->u.number);
    case IR_V_STRING: return out_string(o, v->u.string);
    case IR_V_DTYPE: return out_leaf_dtype(o, v->u.dtype);
    case IR_V_EXPR: return out_expr(o, v->u.expr);
    case IR_V_BUFFER: return out_buffer(o, v->u.buffer);
    case IR_V_ITER_VAR: return out_iter_var(o, v->u.iter_var);
    case IR_V_RANGE: return out_range(o, v->u.range);
    case IR_V_REGION: return out_region(o, v->u.region);
    case IR_V_REDUCER: return reducer(o, v->u.reducer);
    case IR_V_TENSOR: return out_tensor(o, v->u.tensor);
    case IR_V_TYPE:
        (void)out_declared_type(o, v->u.type, (struct ir_pos){0});
        return out_type(o, v->u.type);
    case IR_V_ARRAY:
        return value_list(o, v->list ? "ffi.List" : "ffi.Array", v->n,
                          v->items);
    case IR_V_MAP: return out_map(o, v);
    case IR_V_SHAPE: return shape(o, v);
    case IR_V_OBJECT: return object(o, v);
    }
    return 0;
}

uint32_t out_value(struct out *o, const struct ir_value *value)
{
    const uint64_t *known = ptr_map_find(&o->values, value, NULL);
    if (known)
        return (uint32_t)*known;
    uint32_t index = value_node(o, value);
    ptr_map_put(&o->values, value, NULL, index);
    return index;
}
