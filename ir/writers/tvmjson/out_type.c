/* SPDX-License-Identifier: Apache-2.0
 *
 * Types, variables and buffers of one era. In era D scalar expressions carry
 * a dtype, buffers are nodes with a data variable and Relax types are "struct
 * info"; in E and F every expression has a type node and a buffer is a
 * variable of buffer type.
 */
#include "ir/base/limits.h"
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

/* ---- types ---------------------------------------------------------------------- */

uint32_t out_prim_type(struct out *o, struct dtype t)
{
    out_node(o, "ir.PrimType");
    out_dtype(o, "dtype", t);
    return out_end(o);
}

static uint32_t pointer_node(struct out *o, uint32_t element, const char *scope)
{
    uint32_t text = out_string(o, scope);
    out_node(o, "ir.PointerType");
    out_ref(o, "element_type", element);
    out_ref(o, "storage_scope", text);
    return out_end(o);
}

uint32_t out_pointer_type(struct out *o, struct dtype element,
                          const char *scope)
{
    return pointer_node(o, out_prim_type(o, element), scope);
}

uint32_t out_result_type(struct out *o, struct dtype t)
{
    if (o->era == IR_ERA_D)
        return 0;
    /* An untyped pointer points to void from 0.26 on. */
    if (t.code == DT_HANDLE && t.lanes == 1)
        return out_pointer_type(o, DTYPE_VOID, "global");
    return out_prim_type(o, t);
}

void out_type_field(struct out *o, struct dtype t, uint32_t type)
{
    if (o->era == IR_ERA_D)
        out_dtype(o, "dtype", t);
    else
        out_ref(o, "ty", type);
}

static uint32_t plain_type(struct out *o, const char *type)
{
    out_node(o, type);
    return out_end(o);
}

static uint32_t type_list(struct out *o, const struct ir_type *type,
                          uint32_t (*one)(struct out *, const struct ir_type *))
{
    struct out_list list = {0};
    for (size_t i = 0; i < type->nfields; i++) {
        const struct ir_type *field = type->fields[i];
        if (o->era == IR_ERA_D && one == out_rx_type &&
            (!field || field->kind == IR_TYPE_NONE))
            out_fail(o, (struct ir_pos){0},
                     "a type that is not known is no part of a type in TVM "
                     "0.25");
        vec_push(&list, one(o, field));
    }
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

static uint32_t tuple_type(struct out *o, uint32_t fields, const char *key)
{
    out_node(o, key);
    out_ref(o, "fields", fields);
    return out_end(o);
}

uint32_t out_type(struct out *o, const struct ir_type *type)
{
    if (!type)
        return plain_type(o, "ir.Type");
    switch (type->kind) {
    case IR_TYPE_NONE: return plain_type(o, "ir.Type");
    case IR_TYPE_PRIM: return out_prim_type(o, type->dtype);
    case IR_TYPE_POINTER:
        return pointer_node(o,
                            type->element ? out_type(o, type->element)
                                          : out_prim_type(o, DTYPE_VOID),
                            type->scope ? type->scope : "");
    case IR_TYPE_TUPLE:
        return tuple_type(o, type_list(o, type, out_type), "ir.TupleType");
    case IR_TYPE_STRING: return plain_type(o, "ir.StringType");
    case IR_TYPE_FUNC:
    case IR_TYPE_TENSOR:
    case IR_TYPE_SHAPE:
    case IR_TYPE_OBJECT: return out_rx_type(o, type);
    }
    return 0;
}

/* ---- Relax types -------------------------------------------------------------------- */

static uint32_t shape_type(struct out *o, const struct ir_type *type)
{
    uint32_t values =
        type->has_dims ? out_exprs(o, (size_t)type->ndim, type->dims) : o->none;
    out_begin(o,
              o->era == IR_ERA_D ? "relax.ShapeStructInfo" : "relax.ShapeType");
    out_span(o);
    out_ref(o, "values", values);
    out_int(o, "ndim", type->ndim);
    return out_end(o);
}

static uint32_t tensor_type(struct out *o, const struct ir_type *type)
{
    uint32_t shape = o->none, dtype = o->none;
    if (type->has_dims)
        shape = out_rx_shape(o, NULL, (size_t)type->ndim, type->dims);
    else if (type->shape_expr)
        shape = out_rx(o, type->shape_expr);
    uint32_t device = type->vdevice ? out_value(o, type->vdevice) : o->none;
    if (o->era != IR_ERA_D && type->dtype.code != DT_VOID)
        dtype = out_prim_type(o, type->dtype);
    out_node(o, o->era == IR_ERA_D ? "relax.TensorStructInfo"
                                   : "relax.TensorType");
    out_ref(o, "shape", shape);
    if (o->era == IR_ERA_D)
        out_dtype(o, "dtype", type->dtype);
    else
        out_ref(o, "dtype", dtype);
    out_ref(o, "vdevice", device);
    out_int(o, "ndim", type->ndim);
    return out_end(o);
}

static uint32_t func_type_node(struct out *o, uint32_t params, uint32_t ret,
                               uint32_t derive, bool pure)
{
    out_begin(o,
              o->era == IR_ERA_D ? "relax.FuncStructInfo" : "relax.FuncType");
    out_span(o);
    out_ref(o, "params", params);
    out_ref(o, "ret", ret);
    out_ref(o, "derive_func", derive);
    out_bool(o, "purity", pure);
    return out_end(o);
}

static uint32_t func_type(struct out *o, const struct ir_type *type)
{
    uint32_t params =
        type->no_params ? o->none : type_list(o, type, out_rx_type);
    uint32_t ret = out_rx_type(o, type->ret);
    uint32_t derive = o->none;
    if (type->vdevice && o->m->era == o->era)
        derive = out_value(o, type->vdevice);
    else if (type->vdevice) /* the one that external functions have */
        derive = out_leaf_text(o, "ir.EnvFunc", OUT_DERIVE(o));
    return func_type_node(o, params, ret, derive, type->pure);
}

static uint32_t prim_info(struct out *o, const struct ir_type *type)
{
    uint32_t value = type->prim_value ? out_expr(o, type->prim_value) : o->none;
    out_node(o, "relax.PrimStructInfo");
    out_ref(o, "value", value);
    out_dtype(o, "dtype", type->dtype);
    return out_end(o);
}

static uint32_t rx_type_node(struct out *o, const struct ir_type *type)
{
    bool info = o->era == IR_ERA_D;
    switch (type->kind) {
    case IR_TYPE_NONE: return info ? o->none : plain_type(o, "ir.Type");
    case IR_TYPE_PRIM:
        return info ? prim_info(o, type) : out_prim_type(o, type->dtype);
    case IR_TYPE_TUPLE:
        return tuple_type(o, type_list(o, type, out_rx_type),
                          info ? "relax.TupleStructInfo" : "ir.TupleType");
    case IR_TYPE_FUNC: return func_type(o, type);
    case IR_TYPE_TENSOR: return tensor_type(o, type);
    case IR_TYPE_SHAPE: return shape_type(o, type);
    case IR_TYPE_STRING:
        if (o->era == IR_ERA_F)
            return plain_type(o, "ir.StringType");
        return plain_type(o, info ? "relax.ObjectStructInfo" : "relax.AnyType");
    case IR_TYPE_OBJECT:
    case IR_TYPE_POINTER:
        return plain_type(o, info ? "relax.ObjectStructInfo" : "relax.AnyType");
    }
    return 0;
}

uint32_t out_rx_type(struct out *o, const struct ir_type *type)
{
    if (!type)
        return o->era == IR_ERA_D ? o->none : plain_type(o, "ir.Type");
    const uint64_t *known = ptr_map_find(&o->types, type, NULL);
    if (known)
        return (uint32_t)*known;
    uint32_t index = rx_type_node(o, type);
    ptr_map_put(&o->types, type, NULL, index);
    return index;
}

/* ---- types of functions --------------------------------------------------------------- */

/* A dimension as int64, as tensors of Relax have them. */
static uint32_t dim64(struct out *o, const struct ir_expr *dim)
{
    int64_t value;
    if (dtype_equal(dim->dtype, DTYPE_INT64))
        return out_expr(o, dim);
    if (dim->kind == IR_INT_IMM && ir_const_int(dim, &value))
        return out_int_imm(o, DTYPE_INT64, value);
    uint32_t inner = out_expr(o, dim);
    uint32_t type = out_result_type(o, DTYPE_INT64);
    out_node(o, o->era == IR_ERA_F ? "prim.Cast" : "tirx.Cast");
    out_type_field(o, DTYPE_INT64, type);
    out_ref(o, "value", inner);
    return out_end(o);
}

static uint32_t buffer_tensor_type(struct out *o, const struct ir_buffer *b)
{
    struct out_list dims = {0};
    for (size_t i = 0; i < b->rank; i++)
        vec_push(&dims, dim64(o, b->shape[i]));
    uint32_t values = out_array(o, "ffi.Array", dims.len, dims.items);
    vec_fini(&dims);
    bool info = o->era == IR_ERA_D;
    out_node(o, info ? "relax.ShapeStructInfo" : "relax.ShapeType");
    out_ref(o, "values", values);
    out_int(o, "ndim", (int64_t)b->rank);
    uint32_t shape_type = out_end(o);
    out_node(o, "relax.expr.ShapeExpr");
    out_ref(o, info ? "struct_info_" : "ty", shape_type);
    out_ref(o, "values", values);
    uint32_t shape = out_end(o);
    uint32_t dtype = info ? 0 : out_prim_type(o, b->dtype);
    out_node(o, info ? "relax.TensorStructInfo" : "relax.TensorType");
    out_ref(o, "shape", shape);
    if (info)
        out_dtype(o, "dtype", b->dtype);
    else
        out_ref(o, "dtype", dtype);
    out_ref(o, "vdevice", o->none);
    out_int(o, "ndim", (int64_t)b->rank);
    return out_end(o);
}

static uint32_t param_type(struct out *o, const struct ir_param *param)
{
    bool info = o->era == IR_ERA_D;
    if (param->buffer)
        return buffer_tensor_type(o, param->buffer);
    if (param->var->dtype.code == DT_HANDLE)
        return plain_type(o, info ? "relax.ObjectStructInfo" : "relax.AnyType");
    struct ir_type prim = {.kind = IR_TYPE_PRIM, .dtype = param->var->dtype};
    return info ? prim_info(o, &prim) : out_prim_type(o, prim.dtype);
}

static bool has_prim_value(const struct ir_type *t, unsigned depth)
{
    if (!t || depth > DC_MAX_DEPTH)
        return false;
    for (size_t i = 0; i < t->nfields; i++)
        if (has_prim_value(t->fields[i], depth + 1))
            return true;
    return t->prim_value || has_prim_value(t->ret, depth + 1);
}

uint32_t out_declared_type(struct out *o, const struct ir_type *type,
                           struct ir_pos pos)
{
    if (o->era != IR_ERA_D && has_prim_value(type, 0))
        return out_fail(o, pos,
                        "the type of a scalar states its value, which TVM "
                        "0.26 and later cannot express");
    return out_rx_type(o, type);
}

uint32_t out_func_type(struct out *o, const struct ir_func *f)
{
    struct out_list params = {0};
    uint32_t ret;
    bool pure = false;
    if (f->kind == IR_FUNC_PRIM) {
        for (size_t i = 0; i < f->prim.nparams; i++)
            vec_push(&params, param_type(o, &f->prim.params[i]));
        static const struct ir_type empty = {.kind = IR_TYPE_TUPLE};
        ret = out_rx_type(o, f->prim.ret_type ? f->prim.ret_type : &empty);
    } else if (f->kind == IR_FUNC_RELAX) {
        for (size_t i = 0; i < f->relax->nparams; i++)
            vec_push(&params, out_rx_type(o, f->relax->params[i]->type));
        ret = out_rx_type(o, f->relax->ret_type);
        pure = f->relax->pure;
    } else {
        return out_rx_type(o, NULL);
    }
    uint32_t list = out_array(o, "ffi.Array", params.len, params.items);
    vec_fini(&params);
    return func_type_node(o, list, ret, o->none, pure);
}

/* ---- variables ---------------------------------------------------------------------------- */

static uint32_t var_type(struct out *o, const struct ir_var *var)
{
    if (var->type)
        return out_type(o, var->type);
    return o->era == IR_ERA_D ? out_prim_type(o, var->dtype)
                              : out_result_type(o, var->dtype);
}

uint32_t out_var(struct out *o, const struct ir_var *var)
{
    const uint64_t *known = ptr_map_find(&o->vars, var, NULL);
    if (known)
        return (uint32_t)*known;
    if (ptr_map_find(&o->handles, var, NULL))
        return out_fail(o, (struct ir_pos){0},
                        "the handle of a buffer, '%s', is used by itself, "
                        "which TVM 0.26 and later cannot express",
                        var->name);
    uint32_t type = var_type(o, var);
    uint32_t name = out_string(o, var->name);
    if (o->era == IR_ERA_D) {
        out_node(o, var->is_size ? "tirx.SizeVar" : "tirx.Var");
        out_dtype(o, "dtype", var->dtype);
        out_ref(o, "name", name);
        out_ref(o, "type_annotation", type);
    } else {
        out_node(o, "ir.Var");
        out_ref(o, "ty", type);
        out_ref(o, "name", name);
    }
    uint32_t index = out_end_unique(o);
    ptr_map_put(&o->vars, var, NULL, index);
    return index;
}

/* ---- buffers -------------------------------------------------------------------------------- */

/* Era D: the data variable of a buffer that had none where it was read. bool
 * is stored as int8 there. */
static uint32_t data_var(struct out *o, const struct ir_buffer *b)
{
    const struct ir_var *data = b->data;
    const uint64_t *known = ptr_map_find(&o->vars, data, NULL);
    if (known)
        return (uint32_t)*known;
    if (!data->implicit_data || !data->owner)
        return out_var(o, data);
    b = data->owner;
    struct dtype t = b->dtype;
    if (dtype_is_bool(t))
        t = dtype_make(DT_INT, 8, t.lanes);
    uint32_t type = out_pointer_type(o, t, b->scope);
    uint32_t name = out_string(o, data->name);
    out_node(o, "tirx.Var");
    out_dtype(o, "dtype", DTYPE_HANDLE);
    out_ref(o, "name", name);
    out_ref(o, "type_annotation", type);
    uint32_t index = out_end_unique(o);
    ptr_map_put(&o->vars, data, NULL, index);
    return index;
}

struct buffer_parts {
    uint32_t shape, strides, offset, addr, name;
};

static struct buffer_parts buffer_parts(struct out *o,
                                        const struct ir_buffer *b)
{
    struct buffer_parts p;
    p.shape = out_exprs(o, b->rank, b->shape);
    p.strides = out_exprs(o, b->nstrides, b->strides);
    struct dtype index = b->rank ? b->shape[0]->dtype : DTYPE_INT32;
    p.offset =
        b->elem_offset ? out_expr(o, b->elem_offset) : out_int_imm(o, index, 0);
    p.addr = b->allocated_addr ? out_value(o, b->allocated_addr)
                               : out_array(o, "ffi.Array", 0, NULL);
    p.name = out_string(o, b->name);
    return p;
}

static uint32_t buffer_object(struct out *o, const struct ir_buffer *b)
{
    struct out_list axes = {0};
    uint32_t data = data_var(o, b);
    struct buffer_parts p = buffer_parts(o, b);
    for (size_t i = 0; i < b->nseparators; i++)
        vec_push(&axes, out_int_imm(o, DTYPE_INT32, b->separators[i]));
    uint32_t separators = out_array(o, "ffi.Array", axes.len, axes.items);
    vec_fini(&axes);
    out_begin(o, "tirx.Buffer");
    out_ref(o, "data", data);
    out_dtype(o, "dtype", b->dtype);
    out_ref(o, "shape", p.shape);
    out_ref(o, "strides", p.strides);
    out_ref(o, "axis_separators", separators);
    out_ref(o, "elem_offset", p.offset);
    out_ref(o, "name", p.name);
    out_int(o, "data_alignment", b->alignment);
    out_int(o, "offset_factor", b->offset_factor);
    out_int(o, "buffer_type", b->auto_broadcast ? 2 : 1);
    out_span(o);
    out_ref(o, "layout", o->none);
    out_ref(o, "allocated_addr", p.addr);
    return out_end_unique(o);
}

/* A view that nothing declares shares storage by its data variable alone,
 * which buffers have no more. */
static bool is_bare_view(const struct out *o, const struct ir_buffer *b)
{
    if (ptr_map_find((struct ptr_map *)(uintptr_t)&o->introduced, b, NULL) ||
        !b->data)
        return false;
    return b->data->owner ? b->data->owner != b : !b->data->implicit_data;
}

static uint32_t buffer_var(struct out *o, const struct ir_buffer *b)
{
    if (is_bare_view(o, b))
        return out_fail(o, b->pos,
                        "buffer '%s' is a view that nothing declares, which "
                        "TVM 0.26 and later cannot express",
                        b->name);
    if (b->auto_broadcast || b->nseparators)
        return out_fail(o, b->pos,
                        "buffer '%s' has %s, which TVM 0.26 and later cannot "
                        "express",
                        b->name,
                        b->nseparators ? "axis separators"
                                       : "broadcast dimensions");
    struct buffer_parts p = buffer_parts(o, b);
    uint32_t dtype = out_prim_type(o, b->dtype);
    uint32_t scope = out_string(o, b->scope);
    out_node(o, "tirx.BufferType");
    out_ref(o, "dtype", dtype);
    out_ref(o, "storage_scope", scope);
    out_ref(o, "shape", p.shape);
    out_ref(o, "strides", p.strides);
    out_ref(o, "elem_offset", p.offset);
    out_int(o, "data_alignment", b->alignment);
    out_int(o, "offset_factor", b->offset_factor);
    out_ref(o, "layout", o->none);
    out_ref(o, "allocated_addr", p.addr);
    uint32_t type = out_end(o);
    out_node(o, "ir.Var");
    out_ref(o, "ty", type);
    out_ref(o, "name", p.name);
    return out_end_unique(o);
}

/* In place of the index of a buffer whose shape is being written. */
#define UNFINISHED UINT64_MAX

uint32_t out_buffer(struct out *o, const struct ir_buffer *b)
{
    const uint64_t *known = ptr_map_find(&o->buffers, b, NULL);
    if (known && *known == UNFINISHED)
        return out_fail(o, b->pos,
                        "the layout of buffer '%s' refers to the buffer itself",
                        b->name);
    if (known)
        return (uint32_t)*known;
    ptr_map_put(&o->buffers, b, NULL, UNFINISHED);
    uint32_t index =
        o->era == IR_ERA_D ? buffer_object(o, b) : buffer_var(o, b);
    ptr_map_put(&o->buffers, b, NULL, index);
    return index;
}
