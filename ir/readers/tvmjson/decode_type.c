/* SPDX-License-Identifier: Apache-2.0
 *
 * Types, variables and buffers. Before TVM 0.26 a buffer is a node of its own
 * with a data variable; from 0.26 on a buffer is a variable whose type is a
 * BufferType. Both become struct ir_buffer, the latter with a data variable
 * that exists only here.
 *
 * Identity is the node: one variable or buffer per node, whatever its name.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

/* ---- types ------------------------------------------------------------------- */

static void *decode_type(struct tj *r, uint32_t node, const struct tj_row *row)
{
    if (!row->type)
        return tj_fail(r, node, NULL, "expected a type, found '%s'",
                       r->nodes[node].type);
    return row->type(r, node, row);
}

struct ir_type *tj_type_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_TYPE, decode_type);
}

const struct ir_type *tj_opt_type(struct tj *r, uint32_t node,
                                  const char *field)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    return r->failed || ref == TJ_NULL ? NULL : tj_type_node(r, ref);
}

const struct ir_type **tj_types(struct tj *r, uint32_t node, const char *field,
                                size_t *n)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, field, n, &array);
    const struct ir_type **out =
        ARENA_ARRAY(r->arena, *n + 1, const struct ir_type *);
    for (size_t i = 0; i < *n && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a type, found null");
        else
            out[i] = tj_type_node(r, items[i]);
    }
    return out;
}

void *tj_type_prim(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_PRIM);
    type->dtype = tj_dtype(r, node, "dtype");
    uint32_t value = tj_opt_ref(r, node, "value"); /* PrimStructInfo */
    if (value != TJ_NULL)
        type->prim_value = tj_expr_node(r, value);
    return r->failed ? NULL : type;
}

void *tj_type_pointer(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_POINTER);
    type->dtype = DTYPE_HANDLE;
    type->element = tj_opt_type(r, node, "element_type");
    type->scope = tj_opt_string(r, node, "storage_scope");
    if (!type->scope)
        type->scope = "";
    return r->failed ? NULL : type;
}

void *tj_type_tuple(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_TUPLE);
    type->fields = tj_types(r, node, "fields", &type->nfields);
    return r->failed ? NULL : type;
}

/* relax.FuncType, relax.FuncStructInfo and the older ir.FuncType. */
void *tj_type_func(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    bool old = tj_has(r, node, "arg_types");
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_FUNC);
    type->no_params =
        !old && tj_opt_ref(r, node, "params") == TJ_NULL && !r->failed;
    type->fields =
        tj_types(r, node, old ? "arg_types" : "params", &type->nfields);
    type->ret = tj_opt_type(r, node, old ? "ret_type" : "ret");
    if (tj_has(r, node, "purity"))
        type->pure = tj_bool(r, node, "purity");
    uint32_t derive = tj_opt_ref(r, node, "derive_func");
    if (derive != TJ_NULL)
        type->vdevice = tj_value_node(r, derive);
    return r->failed ? NULL : type;
}

void *tj_type_plain(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)node;
    return ir_type_make(r->m, (enum ir_type_kind)row->arg);
}

static int type_ndim(struct tj *r, uint32_t node)
{
    int64_t ndim = tj_int(r, node, "ndim");
    if (ndim < -1 || ndim > DC_MAX_RANK)
        tj_fail(r, node, "ndim", "%lld dimensions: expected -1 to %u",
                (long long)ndim, DC_MAX_RANK);
    return r->failed ? 0 : (int)ndim;
}

/* Dimensions of a ShapeExpr node or ShapeType, checked against ndim. */
static void type_dims(struct tj *r, uint32_t node, uint32_t shape,
                      const char *field, struct ir_type *type)
{
    size_t n;
    type->dims = tj_exprs(r, shape, "values", &n);
    type->has_dims = true;
    if (!r->failed && n != (size_t)type->ndim)
        tj_fail(r, node, field, "%zu dimensions, but ndim is %d", n,
                type->ndim);
}

void *tj_type_tensor(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_TENSOR);
    type->ndim = type_ndim(r, node);
    type->dtype = DTYPE_VOID;
    if (r->era >= IR_ERA_E) { /* a PrimType node */
        uint32_t t = tj_opt_ref(r, node, "dtype");
        if (t != TJ_NULL)
            type->dtype = tj_dtype(r, t, "dtype");
    } else {
        type->dtype = tj_dtype(r, node, "dtype");
    }
    uint32_t shape = tj_opt_ref(r, node, "shape");
    if (r->failed)
        return NULL;
    if (shape != TJ_NULL && tj_kind(r, shape) == TJ_K_SHAPE_EXPR)
        type_dims(r, node, shape, "shape", type);
    else if (shape != TJ_NULL)
        type->shape_expr = tj_rx_node(r, shape);
    uint32_t device = tj_opt_ref(r, node, "vdevice");
    if (device != TJ_NULL)
        type->vdevice = tj_value_node(r, device);
    return r->failed ? NULL : type;
}

void *tj_type_shape(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_SHAPE);
    type->ndim = type_ndim(r, node);
    if (!r->failed && tj_opt_ref(r, node, "values") != TJ_NULL)
        type_dims(r, node, node, "values", type);
    return r->failed ? NULL : type;
}

/* Pointer to void in the global scope: how TVM >= 0.26 writes what is a bare
 * handle before. */
bool tj_is_untyped_pointer(const struct ir_type *type)
{
    return type->kind == IR_TYPE_POINTER && type->element &&
           type->element->kind == IR_TYPE_PRIM &&
           type->element->dtype.code == DT_VOID &&
           strcmp(type->scope, "global") == 0;
}

/* ---- variables --------------------------------------------------------------------- */

/* Node of a variable's declared type; TJ_NULL when it has none. */
static uint32_t declared_type(struct tj *r, uint32_t node)
{
    return tj_opt_ref(r, node, r->era >= IR_ERA_E ? "ty" : "type_annotation");
}

static void *decode_var(struct tj *r, uint32_t node, const struct tj_row *row)
{
    if (row->kind != TJ_K_VAR || strstr(r->nodes[node].type, "relax"))
        return tj_fail(r, node, NULL, "expected a variable, found '%s'",
                       r->nodes[node].type);
    const char *name =
        tj_string(r, node, tj_has(r, node, "name_hint") ? "name_hint" : "name");
    struct dtype t = DTYPE_HANDLE;
    uint32_t ty = declared_type(r, node);
    if (r->failed)
        return NULL;
    if (r->era < IR_ERA_E)
        t = tj_dtype(r, node, "dtype");
    else if (ty != TJ_NULL && tj_kind(r, ty) == TJ_K_PRIM_TYPE)
        t = tj_dtype(r, ty, "dtype");
    if (ty != TJ_NULL && tj_kind(r, ty) == TJ_K_BUFFER_TYPE)
        return tj_fail(r, node, "ty", "expected a variable, found a buffer");
    struct ir_var *var = ir_var_make(r->m, name, t);
    var->is_size = row->arg == 1;
    /* A PrimType says no more than dtype does. */
    if (ty != TJ_NULL) {
        const struct ir_type *type = tj_type_node(r, ty);
        if (type &&
            (type->kind != IR_TYPE_PRIM || !dtype_equal(type->dtype, t)) &&
            !(r->era >= IR_ERA_E && tj_is_untyped_pointer(type)))
            var->type = type;
    }
    return r->failed ? NULL : var;
}

struct ir_var *tj_var_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_VAR, decode_var);
}

struct ir_var *tj_var(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_ref(r, node, field, "a variable");
    if (r->failed)
        return NULL;
    if (tj_kind(r, ref) != TJ_K_VAR)
        return tj_mismatch(r, node, field, ref, "a variable");
    if (tj_is_buffer(r, ref))
        return tj_fail(r, node, field, "expected a variable, found a buffer");
    return tj_var_node(r, ref);
}

/* ---- buffers -------------------------------------------------------------------------- */

bool tj_is_buffer(struct tj *r, uint32_t node)
{
    if (tj_kind(r, node) == TJ_K_BUFFER)
        return true;
    if (tj_kind(r, node) != TJ_K_VAR || r->era < IR_ERA_E)
        return false;
    uint32_t ty = tj_opt_ref(r, node, "ty");
    return ty != TJ_NULL && tj_kind(r, ty) == TJ_K_BUFFER_TYPE;
}

void tj_own(struct ir_buffer *buffer)
{
    if (!buffer->data->owner)
        buffer->data->owner = buffer;
}

static int small_int(struct tj *r, uint32_t node, const char *field)
{
    int64_t value = tj_int(r, node, field);
    if (value < -1 || value > INT32_MAX)
        tj_fail(r, node, field, "%lld is out of range", (long long)value);
    return r->failed ? 0 : (int)value;
}

/* One element lies where it lies, whatever a layout says: what TVMScript of
 * 0.27 makes of `name: T.int8x4 = value`. */
static bool is_one_element(const struct ir_buffer *b)
{
    for (size_t d = 0; d < b->rank; d++)
        if (!ir_is_const_int(b->shape[d], 1))
            return false;
    return b->nstrides == 0;
}

/* Fields that both spellings share. */
static bool buffer_fields(struct tj *r, uint32_t node, struct ir_buffer *b)
{
    b->strides = tj_exprs(r, node, "strides", &b->nstrides);
    b->elem_offset = tj_opt_expr(r, node, "elem_offset");
    b->alignment = small_int(r, node, "data_alignment");
    b->offset_factor = small_int(r, node, "offset_factor");
    if (r->failed)
        return false;
    if (b->nstrides != 0 && b->nstrides != b->rank)
        tj_fail(r, node, "strides", "%zu strides for %zu dimensions",
                b->nstrides, b->rank);
    if (tj_opt_ref(r, node, "layout") != TJ_NULL && !is_one_element(b))
        tj_fail(r, node, "layout",
                "buffer '%s' has a tile layout: not supported", b->name);
    uint32_t addr = tj_opt_ref(r, node, "allocated_addr");
    if (addr != TJ_NULL) {
        struct ir_value *value = tj_value_node(r, addr);
        if (value && value->n > 0)
            b->allocated_addr = value;
    }
    return !r->failed;
}

static struct ir_expr **buffer_shape(struct tj *r, uint32_t node, size_t *rank)
{
    struct ir_expr **shape = tj_exprs(r, node, "shape", rank);
    if (*rank > DC_MAX_RANK)
        return tj_fail(r, node, "shape", "%zu dimensions: at most %u are read",
                       *rank, DC_MAX_RANK);
    return shape;
}

/* axis_separators: an array of integer constants. */
static void separators(struct tj *r, uint32_t node, struct ir_buffer *b)
{
    size_t n;
    struct ir_expr **items = tj_exprs(r, node, "axis_separators", &n);
    b->separators = ARENA_ARRAY(r->arena, n + 1, int64_t);
    for (size_t i = 0; i < n && !r->failed; i++)
        if (!ir_const_int(items[i], &b->separators[i]))
            tj_fail(r, node, "axis_separators", "expected integer constants");
    b->nseparators = n;
}

static const char *scope_of(const struct ir_var *data)
{
    const struct ir_type *type = data->type;
    if (!type || type->kind != IR_TYPE_POINTER || !type->scope ||
        type->scope[0] == '\0')
        return "global";
    return type->scope;
}

/* Buffer of TVM <= 0.25. */
static void *decode_buffer_object(struct tj *r, uint32_t node)
{
    size_t rank;
    const char *name = tj_string(r, node, "name");
    struct dtype t = tj_dtype(r, node, "dtype");
    struct ir_expr **shape = buffer_shape(r, node, &rank);
    struct ir_var *data = tj_var(r, node, "data");
    if (r->failed)
        return NULL;
    struct ir_buffer *b =
        ir_buffer_make(r->m, name, t, rank, shape, data, scope_of(data));
    b->pos = tj_pos(node);
    int64_t type = 1;
    if (tj_has(r, node, "buffer_type"))
        type = tj_int(r, node, "buffer_type");
    if (type != 1 && type != 2)
        tj_fail(r, node, "buffer_type", "unknown buffer type %lld",
                (long long)type);
    b->auto_broadcast = type == 2;
    separators(r, node, b);
    return buffer_fields(r, node, b) ? b : NULL;
}

/* Variable of BufferType, TVM >= 0.26. */
static void *decode_buffer_var(struct tj *r, uint32_t node)
{
    size_t rank;
    uint32_t type = tj_ref(r, node, "ty", "a buffer type");
    if (r->failed)
        return NULL;
    const char *name = tj_string(r, node, "name");
    uint32_t prim = tj_ref(r, type, "dtype", "a scalar type");
    if (r->failed)
        return NULL;
    struct dtype t = tj_dtype(r, prim, "dtype");
    const char *scope = tj_opt_string(r, type, "storage_scope");
    struct ir_expr **shape = buffer_shape(r, type, &rank);
    if (r->failed)
        return NULL;
    struct ir_buffer *b = ir_buffer_make(r->m, name, t, rank, shape, NULL,
                                         scope && *scope ? scope : "global");
    b->pos = tj_pos(node);
    return buffer_fields(r, type, b) ? b : NULL;
}

static void *decode_buffer(struct tj *r, uint32_t node,
                           const struct tj_row *row)
{
    if (row->kind == TJ_K_BUFFER)
        return decode_buffer_object(r, node);
    if (tj_is_buffer(r, node))
        return decode_buffer_var(r, node);
    return tj_fail(r, node, NULL, "expected a buffer, found '%s'",
                   r->nodes[node].type);
}

struct ir_buffer *tj_buffer_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_BUFFER, decode_buffer);
}

struct ir_buffer *tj_buffer(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_ref(r, node, field, "a buffer");
    if (r->failed)
        return NULL;
    if (!tj_is_buffer(r, ref))
        return tj_mismatch(r, node, field, ref, "a buffer");
    return tj_buffer_node(r, ref);
}
