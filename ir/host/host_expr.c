/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code: expressions with what is known put in.
 *
 * The caller is taken to pass compact tensors on the right device by plain
 * DLTensor pointers: strides are NULL, the byte offset is 0, the device is
 * number 0. Rank, type and dimensions are those of the settled parameters, so
 * checks of them become plain comparisons; comparisons of constants are
 * worked out so that the branches for other callers fall away.
 */
#include "ir/host/host_private.h"

#include <string.h>

/* Type codes of arguments: TVM >= 0.21 (tvm-ffi) and before. */
enum {
    FFI_INT = 1,
    FFI_BOOL = 2,
    FFI_FLOAT = 3,
    FFI_POINTER = 4,
    FFI_TENSOR = 7
};
enum { OLD_INT = 0, OLD_FLOAT = 2, OLD_POINTER = 3, OLD_TENSOR = 7 };

static int64_t type_code(const struct host_arg *arg, bool old)
{
    if (arg->tensor)
        return old ? OLD_TENSOR : FFI_TENSOR;
    if (arg->pointer)
        return old ? OLD_POINTER : FFI_POINTER;
    if (dtype_is_float(arg->var->dtype))
        return old ? OLD_FLOAT : FFI_FLOAT;
    if (old)
        return OLD_INT;
    return dtype_is_bool(arg->var->dtype) ? FFI_BOOL : FFI_INT;
}

struct host_type host_dlpack_type(const struct host *h, struct dtype t)
{
    static const struct {
        enum dtype_code is;
        int code, old; /* since TVM 0.22, before; -1: none */
    } table[] = {
        {DT_INT, 0, 0},
        {DT_UINT, 1, 1},
        {DT_FLOAT, 2, 2},
        {DT_BFLOAT, 4, 4},
        {DT_BOOL, 6, 1},
        {DT_FLOAT8_E3M4, 7, -1},
        {DT_FLOAT8_E4M3, 8, -1},
        {DT_FLOAT8_E4M3B11FNUZ, 9, -1},
        {DT_FLOAT8_E4M3FN, 10, 6},
        {DT_FLOAT8_E4M3FNUZ, 11, -1},
        {DT_FLOAT8_E5M2, 12, 7},
        {DT_FLOAT8_E5M2FNUZ, 13, -1},
        {DT_FLOAT8_E8M0FNU, 14, -1},
        {DT_FLOAT6_E2M3FN, 15, -1},
        {DT_FLOAT6_E3M2FN, 16, -1},
        {DT_FLOAT4_E2M1FN, 17, 8},
    };
    bool old = h->m->era == IR_ERA_A || h->m->era == IR_ERA_B;
    struct host_type type = {-1, t.bits};
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++)
        if (table[i].is == t.code)
            type.code = old ? table[i].old : table[i].code;
    if (dtype_is_bool(t) && old)
        type.bits = 1;
    return type;
}

static struct ir_expr *data_of(struct host *h, const struct host_arg *arg)
{
    return ir_var_ref(h->m, arg->buffer->data);
}

static struct ir_expr *boolean(struct host *h, bool value)
{
    return ir_int(h->m, DTYPE_BOOL, value);
}

static struct ir_expr *dimension(struct host *h, const struct host_arg *arg,
                                 int64_t k, struct dtype as)
{
    const struct ir_buffer *b = arg->buffer;
    int64_t constant;
    if (b == NULL || k < 0 || k >= (int64_t)b->rank) {
        h->why = "it reads a dimension that its argument does not have";
        return ir_int(h->m, as, 0);
    }
    if (ir_const_int(b->shape[k], &constant))
        return ir_int(h->m, as, constant);
    return dtype_equal(b->shape[k]->dtype, as) ? b->shape[k]
                                               : ir_cast(h->m, as, b->shape[k]);
}

/* A field of a tensor argument; NULL: not known. */
static struct ir_expr *tensor_field(struct host *h, const struct host_arg *arg,
                                    int64_t field, struct dtype as)
{
    const struct ir_buffer *b = arg->buffer;
    int64_t value = -1;
    struct host_type type = host_dlpack_type(h, dtype_scalar(b->dtype));
    switch (field) {
    case HOST_F_DATA: return data_of(h, arg);
    case HOST_F_RANK: value = (int64_t)b->rank; break;
    case HOST_F_CODE: value = type.code; break;
    case HOST_F_BITS: value = type.bits; break;
    case HOST_F_LANES: value = b->dtype.lanes ? b->dtype.lanes : 1; break;
    case HOST_F_BYTE_OFFSET:
    case HOST_F_DEVICE_ID: value = 0; break;
    case HOST_F_DEVICE_TYPE: value = 1; break; /* see host_expr */
    default: return NULL;
    }
    return value < 0 ? NULL : ir_int(h->m, as, value);
}

static struct ir_expr *number(struct host *h, const struct host_arg *arg,
                              struct dtype as)
{
    struct ir_expr *e = ir_var_ref(h->m, arg->var);
    return dtype_equal(as, arg->var->dtype) ? e : ir_cast(h->m, as, e);
}

/* NULL: nothing is known of it. */
static struct ir_expr *known_field(struct host *h, const struct ir_expr *e)
{
    struct host_meaning base;
    int64_t index, field;
    if (!host_field(h, e, &base, &index, &field))
        return NULL;
    if (base.kind == HOST_ARGS && index >= 0 && index < (int64_t)h->nargs) {
        const struct host_arg *arg = h->args[index];
        if (field == HOST_F_TYPE)
            return ir_int(h->m, e->dtype, type_code(arg, false));
        if (field == HOST_F_PADDING)
            return ir_int(h->m, e->dtype, 0);
        if (field != HOST_F_VALUE && field != HOST_F_VALUE_OLD)
            return NULL;
        if (dtype_is_handle(e->dtype))
            return arg->buffer != NULL ? data_of(h, arg) : NULL;
        return arg->var != NULL && arg->buffer == NULL
                   ? number(h, arg, e->dtype)
                   : NULL;
    }
    if (base.kind == HOST_TENSOR && index == 0)
        return tensor_field(h, h->args[base.n], field, e->dtype);
    if (base.kind == HOST_SHAPE && field == HOST_F_ELEMENT)
        return dimension(h, h->args[base.n], index, e->dtype);
    return NULL;
}

static struct ir_expr *known_element(struct host *h, const struct ir_expr *e)
{
    struct host_meaning base = host_var(h, e->u.buffer->data);
    int64_t k;
    if (e->nargs != 1 || !ir_const_int(e->args[0], &k) || k < 0)
        return NULL;
    if (base.kind == HOST_SHAPE)
        return dimension(h, h->args[base.n], k, e->dtype);
    if (base.kind == HOST_TYPES && k < (int64_t)h->nargs)
        return ir_int(h->m, e->dtype, type_code(h->args[k], true));
    return NULL;
}

static struct ir_expr *known(struct host *h, struct ir_expr *e)
{
    struct host_meaning is;
    if (e->kind == IR_LOAD)
        return known_element(h, e);
    if (host_is_idle(e) && dtype_is_int(e->dtype))
        return ir_int(h->m, e->dtype, 0); /* no error */
    if (host_is_call(e, IR_OP_TVM_STRUCT_GET))
        return known_field(h, e);
    if (host_is_call(e, IR_OP_ISNULLPTR) && e->nargs == 1) {
        is = host_meaning(h, e->args[0]);
        return is.kind == HOST_NOTHING || is.kind == HOST_CONST
                   ? NULL
                   : boolean(h, is.kind == HOST_STRIDES);
    }
    struct ir_expr *raised = host_raise(h, e);
    if (raised != NULL)
        return raised;
    is = host_meaning(h, e);
    if (e->kind == IR_VAR_REF && is.kind == HOST_DATA &&
        h->args[is.n]->buffer != NULL &&
        h->args[is.n]->buffer->data == e->u.var)
        return e; /* the parameter itself */
    if (is.kind == HOST_CONST)
        return ir_int(h->m, e->dtype, is.n);
    if ((is.kind == HOST_DATA || is.kind == HOST_TENSOR) &&
        h->args[is.n]->buffer != NULL && e->kind != IR_BUFFER_REF)
        return data_of(h, h->args[is.n]);
    return NULL;
}

/* ---- constants ---------------------------------------------------------------- */

static bool compare(enum ir_expr_kind kind, int64_t a, int64_t b, bool *out)
{
    switch (kind) {
    case IR_EQ: *out = a == b; return true;
    case IR_NE: *out = a != b; return true;
    case IR_LT: *out = a < b; return true;
    case IR_LE: *out = a <= b; return true;
    case IR_GT: *out = a > b; return true;
    case IR_GE: *out = a >= b; return true;
    default: return false;
    }
}

/* One step of folding, over operands that are folded already. */
static struct ir_expr *fold(struct host *h, struct ir_expr *e)
{
    int64_t a, b;
    bool result;
    if (e->nargs == 0 || !ir_const_int(e->args[0], &a))
        return e;
    if (e->kind == IR_NOT)
        return boolean(h, a == 0);
    if (e->nargs != 2)
        return e;
    /* both sides of and, or are free of faults once one is a constant here:
     * they compare fields */
    if (e->kind == IR_AND || e->kind == IR_OR)
        return (a != 0) == (e->kind == IR_AND) ? e->args[1] : e->args[0];
    if (ir_const_int(e->args[1], &b) && compare(e->kind, a, b, &result))
        return boolean(h, result);
    return e;
}

/* field == constant: the device is where the function wants it. */
static bool is_device_check(const struct host *h, const struct ir_expr *e)
{
    struct host_meaning base;
    int64_t index, field, constant;
    for (uint32_t i = 0; e->kind == IR_EQ && i < 2; i++)
        if (host_field(h, e->args[i], &base, &index, &field) &&
            base.kind == HOST_TENSOR && field == HOST_F_DEVICE_TYPE &&
            ir_const_int(e->args[1 - i], &constant))
            return true;
    return false;
}

static struct ir_expr *rewrite(void *user, struct ir_expr *e)
{
    struct host *h = user;
    struct ir_map map = host_map(h);
    int64_t cond;
    if (is_device_check(h, e))
        return boolean(h, true);
    struct ir_expr *simple = known(h, e);
    if (simple != NULL)
        return simple;
    if (host_is_choice(e)) {
        /* only the taken side need make sense */
        simple = host_expr(h, e->args[0]);
        if (simple != e->args[0] && ir_const_int(simple, &cond))
            return host_expr(h, e->args[cond ? 1 : 2]);
    }
    struct ir_expr *out = ir_map_operands(&map, e);
    return out == e ? e : fold(h, out);
}

struct ir_map host_map(struct host *h)
{
    return (struct ir_map){
        .m = h->m, .before = rewrite, .stmt = host_part, .user = h};
}

struct ir_expr *host_expr(struct host *h, struct ir_expr *e)
{
    return e != NULL ? rewrite(h, e) : NULL;
}
