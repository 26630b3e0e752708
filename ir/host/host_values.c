/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code: what its variables stand for, and what it says about arguments.
 *
 * MakePackedAPI binds names step by step: an argument's handle, the tensor's
 * fields, its shape array, each symbolic dimension; then it declares the old
 * parameter buffer on the data pointer. One walk in program order gives every
 * pointer variable its meaning and collects for each argument the buffer
 * declared on it and what is asserted: rank, type and fixed dimensions.
 *
 * Field numbers and type codes are those of TVM's table of builtins and of DLPack.
 */
#include "ir/host/host_private.h"

#include <string.h>

bool host_is_call(const struct ir_expr *e, enum ir_op op)
{
    return e->kind == IR_CALL && e->u.call.op == op;
}

bool host_is_choice(const struct ir_expr *e)
{
    return e->nargs == 3 &&
           (e->kind == IR_SELECT || host_is_call(e, IR_OP_IF_THEN_ELSE));
}

struct host_meaning host_var(const struct host *h, const struct ir_var *var)
{
    if (var == NULL || var->id >= h->nvars)
        return (struct host_meaning){HOST_NOTHING, 0};
    return h->of[var->id];
}

void host_set(struct host *h, const struct ir_var *var, struct host_meaning is)
{
    if (var->id < h->nvars)
        h->of[var->id] = is;
}

bool host_field(const struct host *h, const struct ir_expr *e,
                struct host_meaning *base, int64_t *index, int64_t *field)
{
    if (!host_is_call(e, IR_OP_TVM_STRUCT_GET) || e->nargs != 3 ||
        !ir_const_int(e->args[1], index) || !ir_const_int(e->args[2], field))
        return false;
    *base = host_meaning(h, e->args[0]);
    return base->kind != HOST_NOTHING;
}

static struct host_meaning field_meaning(const struct host *h,
                                         const struct ir_expr *e)
{
    struct host_meaning base, none = {HOST_NOTHING, 0};
    int64_t index, field;
    if (!host_field(h, e, &base, &index, &field) || !dtype_is_handle(e->dtype))
        return none;
    if (base.kind == HOST_ARGS &&
        (field == HOST_F_VALUE || field == HOST_F_VALUE_OLD))
        return (struct host_meaning){HOST_TENSOR, index};
    if (base.kind != HOST_TENSOR || index != 0)
        return none;
    if (field == HOST_F_DATA)
        return (struct host_meaning){HOST_DATA, base.n};
    if (field == HOST_F_SHAPE)
        return (struct host_meaning){HOST_SHAPE, base.n};
    if (field == HOST_F_STRIDES)
        return (struct host_meaning){HOST_STRIDES, base.n};
    return none;
}

struct host_meaning host_meaning(const struct host *h, const struct ir_expr *e)
{
    struct host_meaning none = {HOST_NOTHING, 0};
    if (e->kind == IR_VAR_REF)
        return host_var(h, e->u.var);
    if (e->kind == IR_BUFFER_REF)
        return host_var(h, e->u.buffer->data);
    if (host_is_call(e, IR_OP_TVM_STRUCT_GET))
        return field_meaning(h, e);
    if (!dtype_is_handle(e->dtype) || e->nargs == 0)
        return none;
    if (host_is_call(e, IR_OP_REINTERPRET) ||
        host_is_call(e, IR_OP_BUFFER_DATA))
        return host_meaning(h, e->args[0]);
    /* a tensor object instead of a DLTensor: the caller passes the latter */
    if (host_is_choice(e))
        return host_meaning(h, e->args[2]);
    return none;
}

/* Dimension k of argument n, read as a field or as an element. */
static bool host_dimension(const struct host *h, const struct ir_expr *e,
                           int64_t *n, int64_t *k)
{
    struct host_meaning base;
    int64_t field;
    while (e->kind == IR_CAST)
        e = e->args[0];
    if (e->kind == IR_LOAD) {
        base = host_var(h, e->u.buffer->data);
        if (base.kind != HOST_SHAPE || e->nargs != 1 ||
            !ir_const_int(e->args[0], k))
            return false;
    } else if (!host_field(h, e, &base, k, &field) || base.kind != HOST_SHAPE ||
               field != HOST_F_ELEMENT) {
        return false;
    }
    *n = base.n;
    return *k >= 0 && *k < (int64_t)DC_MAX_RANK;
}

bool host_number(const struct host *h, const struct ir_expr *e, int64_t *n)
{
    struct host_meaning base;
    int64_t field;
    while (e->kind == IR_CAST || host_is_choice(e))
        e = e->args[e->kind == IR_CAST ? 0 : 1];
    return host_field(h, e, &base, n, &field) && base.kind == HOST_ARGS &&
           !dtype_is_handle(e->dtype) &&
           (field == HOST_F_VALUE || field == HOST_F_VALUE_OLD);
}

/* ---- learning ---------------------------------------------------------------- */

static struct host_arg *arg_of(struct host *h, int64_t n)
{
    if (n < 0 || n >= HOST_MAX_ARGS) {
        h->why = "it reads an argument out of range";
        n = 0;
    }
    if (h->args[n] == NULL) {
        struct host_arg *arg = ARENA_NEW(h->arena, struct host_arg);
        arg->rank = arg->code = arg->bits = arg->lanes = -1;
        h->args[n] = arg;
    }
    if ((size_t)n >= h->nargs)
        h->nargs = (size_t)n + 1;
    h->args[n]->seen = true;
    return h->args[n];
}

static void learn_buffer(struct host *h, struct host_meaning is,
                         struct ir_buffer *buffer, bool declared)
{
    if (is.kind != HOST_DATA && is.kind != HOST_TENSOR)
        return;
    struct host_arg *arg = arg_of(h, is.n);
    if (arg->first != NULL && (arg->declared || !declared))
        return;
    arg->first = buffer;
    arg->declared = declared;
}

static struct host_meaning new_stack(struct host *h, const struct ir_expr *e)
{
    struct host_stack stack = {0, NULL};
    if (!host_is_call(e, IR_OP_TVM_STACK_ALLOCA))
        return (struct host_meaning){HOST_NOTHING, 0};
    vec_push(&h->stacks, stack);
    return (struct host_meaning){HOST_STACK, (int64_t)h->stacks.len - 1};
}

static void learn_bind(struct host *h, const struct ir_stmt *s)
{
    struct ir_var *var = s->u.bind.var;
    const struct ir_expr *value = s->u.bind.value;
    struct host_meaning is = host_meaning(h, value);
    int64_t n, k;
    if (is.kind == HOST_NOTHING)
        is = new_stack(h, value);
    host_set(h, var, is);
    if (is.kind == HOST_DATA && arg_of(h, is.n)->var == NULL)
        arg_of(h, is.n)->var = var;
    if (host_number(h, value, &n)) {
        struct host_arg *arg = arg_of(h, n);
        if (arg->var == NULL && dtype_equal(value->dtype, var->dtype)) {
            arg->var = var;
            arg->dtype = var->dtype;
            arg->converted = true;
        }
    }
    if (host_dimension(h, value, &n, &k) && arg_of(h, n)->dims[k] == NULL)
        arg_of(h, n)->dims[k] = ir_var_ref(h->m, var);
}

static bool learn_stmt(void *user, struct ir_stmt *s)
{
    struct host *h = user;
    if (s->kind == IR_BIND)
        learn_bind(h, s);
    if (s->kind == IR_DECL_BUFFER) {
        struct ir_buffer *b = s->u.decl.buffer;
        struct host_meaning is = s->u.decl.value != NULL
                                     ? host_meaning(h, s->u.decl.value)
                                     : host_var(h, b->data);
        if (is.kind == HOST_NOTHING && s->u.decl.value != NULL)
            is = new_stack(h, s->u.decl.value);
        host_set(h, b->data, is);
        learn_buffer(h, is, b, true);
    }
    if (s->kind == IR_STORE)
        learn_buffer(h, host_var(h, s->u.store.buffer->data), s->u.store.buffer,
                     false);
    return true;
}

/* field == constant */
static void learn_equal(struct host *h, const struct ir_expr *field,
                        struct ir_expr *value)
{
    struct host_meaning base;
    int64_t index, which, n, k, constant;
    if (!ir_const_int(value, &constant))
        return;
    if (host_dimension(h, field, &n, &k)) {
        if (arg_of(h, n)->dims[k] == NULL)
            arg_of(h, n)->dims[k] = value;
        return;
    }
    if (!host_field(h, field, &base, &index, &which) ||
        base.kind != HOST_TENSOR)
        return;
    struct host_arg *arg = arg_of(h, base.n);
    if (which == HOST_F_RANK)
        arg->rank = constant;
    if (which == HOST_F_CODE)
        arg->code = constant;
    if (which == HOST_F_BITS)
        arg->bits = constant;
    if (which == HOST_F_LANES)
        arg->lanes = constant;
}

static bool learn_expr(void *user, struct ir_expr *e)
{
    struct host *h = user;
    struct host_meaning base;
    int64_t index, field, n;
    if (e->kind == IR_LOAD)
        learn_buffer(h, host_var(h, e->u.buffer->data), e->u.buffer, false);
    if (e->kind == IR_EQ) {
        learn_equal(h, e->args[0], e->args[1]);
        learn_equal(h, e->args[1], e->args[0]);
    }
    if (e->kind == IR_CAST && host_number(h, e->args[0], &n) &&
        !arg_of(h, n)->converted) {
        arg_of(h, n)->dtype = e->dtype;
        arg_of(h, n)->converted = true;
    }
    if (!host_field(h, e, &base, &index, &field))
        return true;
    if (base.kind == HOST_TENSOR && field >= HOST_F_DATA &&
        field <= HOST_F_DEVICE_TYPE)
        arg_of(h, base.n)->tensor = true;
    if (base.kind != HOST_ARGS)
        return true;
    struct host_arg *arg = arg_of(h, index);
    if (field == HOST_F_VALUE || field == HOST_F_VALUE_OLD) {
        if (dtype_is_handle(e->dtype))
            arg->pointer = true;
        else if (!arg->converted)
            arg->dtype = e->dtype;
    }
    return true;
}

/* ---- parameters --------------------------------------------------------------- */

static bool asserted_type(const struct host *h, const struct host_arg *arg,
                          struct dtype *out)
{
    if (arg->code < 0 || arg->bits < 1 || arg->bits > 64 || arg->lanes != 1)
        return false;
    for (int code = 0; code < (int)DT_NCODES; code++) {
        struct dtype t = dtype_make(
            (enum dtype_code)code, arg->bits == 1 ? 8 : (unsigned)arg->bits, 1);
        struct host_type is = host_dlpack_type(h, t);
        if (is.code == arg->code && is.bits == arg->bits) {
            *out = t;
            return true;
        }
    }
    return false;
}

/* A buffer of its own for an argument: where the type that is asserted is not
 * that of the first buffer on the data (bfloat16 and float8 are stored as
 * integers in the end), or that one is a flat view (TVM <= 0.13). */
static bool make_buffer(struct host *h, struct host_arg *arg, const char *name,
                        struct dtype type)
{
    struct ir_expr *const *dims = arg->dims;
    const struct ir_buffer *first = arg->first;
    if (first != NULL && (int64_t)first->rank == arg->rank &&
        dtype_lane_bytes(first->dtype) == dtype_lane_bytes(type) &&
        first->dtype.lanes == type.lanes)
        dims = first->shape;
    for (int64_t k = 0; k < arg->rank; k++)
        if (k >= (int64_t)DC_MAX_RANK || dims[k] == NULL) {
            h->why = "it does not say all dimensions of its arguments";
            return false;
        }
    struct ir_var *data = arg->var;
    if (data == NULL)
        data = ir_pointer_make(h->m, name, type, "global");
    arg->buffer = ir_buffer_make(h->m, name, type, (size_t)arg->rank, dims,
                                 data, "global");
    return true;
}

static bool settle_tensor(struct host *h, struct host_arg *arg,
                          const char *name)
{
    const struct ir_buffer *first = arg->first;
    struct dtype type = first != NULL ? first->dtype : DTYPE_VOID;
    if (arg->tensor && !asserted_type(h, arg, &type) && first == NULL) {
        h->why = "it does not say the type of an argument";
        return false;
    }
    if (first != NULL && dtype_equal(type, first->dtype) &&
        (!arg->tensor || arg->rank < 0 || arg->rank == (int64_t)first->rank)) {
        arg->buffer = arg->first;
    } else {
        if (arg->rank < 0 && first != NULL)
            arg->rank = (int64_t)first->rank;
        if (arg->rank < 0) {
            h->why = "it does not say the shape of an argument";
            return false;
        }
        if (!make_buffer(h, arg, first != NULL ? first->name : name, type))
            return false;
    }
    if (arg->buffer->data->owner == NULL)
        arg->buffer->data->owner = arg->buffer;
    return true;
}

static bool settle(struct host *h, size_t i)
{
    struct host_arg *arg = h->args[i];
    if (arg == NULL || (!arg->tensor && arg->pointer && arg->first == NULL)) {
        h->why = "it takes an argument that it does not use as a tensor or a "
                 "number";
        return false;
    }
    const char *name = arena_printf(h->m->arena, "arg%zu", i);
    if (arg->tensor || arg->pointer)
        return settle_tensor(h, arg, name);
    if (arg->var == NULL)
        arg->var = ir_var_make(h->m, name, arg->dtype);
    return true;
}

bool host_learn(struct host *h)
{
    struct ir_visitor v = {learn_stmt, learn_expr, h};
    h->args = ARENA_ARRAY(h->arena, HOST_MAX_ARGS, struct host_arg *);
    ir_visit_stmt(&v, h->func->prim.body);
    for (size_t i = 0; i < h->nargs && h->why == NULL; i++)
        (void)settle(h, i);
    return h->why == NULL;
}
