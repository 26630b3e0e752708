/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code: launches and subroutine calls.
 *
 * A callee is named by a global, or by a string in the calls that TVM makes of
 * kernel launches: call_ffi_kernel (TVM >= 0.27), tvm_call_packed, and after
 * LowerTVMBuiltin tvm_call_packed_lowered, whose arguments were put one by one
 * into an array on the stack. The operands are the callee's parameters, then
 * for kernels the launch extents in the order of kernel_launch_params.
 *
 * A callee with one call site becomes part of its caller, parameters bound in
 * front: variables are unique in a module, so nothing needs renaming. With
 * several call sites it stays a function that is called.
 */
#include "ir/host/host_private.h"

#include <stdlib.h>
#include <string.h>

/* ---- who is called --------------------------------------------------------------- */

static const char *string_of(const struct ir_expr *e)
{
    return e->kind == IR_STRING_IMM ? e->u.string.text : NULL;
}

static bool is_ffi_kernel(const struct ir_expr *e)
{
    return e->kind == IR_CALL && e->u.call.op == IR_OP_UNKNOWN &&
           e->u.call.name != NULL &&
           strcmp(e->u.call.name, "tirx.call_ffi_kernel") == 0;
}

static bool is_lowered(const struct ir_expr *e)
{
    return host_is_call(e, IR_OP_TVM_CALL_PACKED_LOWERED) ||
           host_is_call(e, IR_OP_TVM_CALL_CPACKED_LOWERED);
}

/* The name that a call gives to its callee, or NULL. */
static const char *callee_name(const struct ir_expr *e)
{
    if (host_is_call(e, IR_OP_GLOBAL))
        return e->u.call.name;
    if (e->kind == IR_CALL && e->nargs > 0 &&
        (is_ffi_kernel(e) || is_lowered(e) ||
         host_is_call(e, IR_OP_TVM_CALL_PACKED) ||
         host_is_call(e, IR_OP_TVM_CALL_CPACKED) ||
         host_is_call(e, IR_OP_CALL_EXTERN)))
        return string_of(e->args[0]);
    return NULL;
}

/* The function with a body that a call names, by name or global symbol. */
static struct host_callee *callee_of(const struct host *h,
                                     const struct ir_expr *e)
{
    const char *name = callee_name(e);
    size_t lo = 0, hi = name != NULL ? h->table->n : 0;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strcmp(name, h->table->items[mid].name);
        if (order == 0)
            return h->table->items[mid].is;
        if (order < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return NULL;
}

bool host_calls(const struct host *h, const struct ir_expr *e)
{
    return callee_of(h, e) != NULL;
}

static int by_name(const void *a, const void *b)
{
    const struct host_name *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : strcmp(x->is->func->name, y->is->func->name);
}

static bool count_site(void *user, struct ir_expr *e)
{
    struct host_callee *callee = e->kind == IR_CALL ? callee_of(user, e) : NULL;
    if (callee != NULL)
        callee->sites++;
    return true;
}

void host_count_calls(struct ir_module *m, struct arena *arena,
                      struct host_table *table)
{
    struct host h = {.m = m, .table = table};
    struct ir_visitor v = {NULL, count_site, &h};
    table->items = ARENA_ARRAY(arena, 2 * m->nfuncs + 1, struct host_name);
    table->each = ARENA_ARRAY(arena, m->nfuncs + 1, struct host_callee *);
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct ir_func *f = m->funcs[i];
        if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL)
            continue;
        const char *symbol =
            ir_value_as_string(ir_attr_find(f->attrs, "global_symbol"));
        struct host_callee *is = ARENA_NEW(arena, struct host_callee);
        is->func = f;
        table->each[i] = is;
        table->items[table->n++] = (struct host_name){f->name, is};
        if (symbol != NULL && ir_module_find(m, symbol) == NULL)
            table->items[table->n++] = (struct host_name){symbol, is};
    }
    qsort(table->items, table->n, sizeof *table->items, by_name);
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_PRIM && m->funcs[i]->prim.body != NULL)
            ir_visit_stmt(&v, m->funcs[i]->prim.body);
}

/* ---- argument arrays --------------------------------------------------------------- */

/* Operands of a call, below the name; false if they are not known. */
static bool operands(struct host *h, const struct ir_expr *e,
                     struct ir_expr ***out, size_t *n)
{
    int64_t first, end;
    size_t skip = host_is_call(e, IR_OP_GLOBAL) ? 0 : 1;
    if (!is_lowered(e)) {
        *out = e->args + skip;
        *n = e->nargs - skip;
        return true;
    }
    if (e->nargs < 4)
        return false;
    /* name, values, [types until TVM 0.20,] first, end */
    size_t at = e->nargs >= 5 ? 3 : 2;
    struct host_meaning base = host_meaning(h, e->args[1]);
    if (base.kind != HOST_STACK || !ir_const_int(e->args[at], &first) ||
        !ir_const_int(e->args[at + 1], &end))
        return false;
    const struct host_stack *stack = &h->stacks.items[base.n];
    if (first < 0 || end < first || (size_t)end > stack->room)
        return false;
    *out = stack->values + first;
    *n = (size_t)(end - first);
    for (size_t i = 0; i < *n; i++)
        if ((*out)[i] == NULL)
            return false;
    return true;
}

/* The result of the function, before it was widened. */
static bool put_result(struct host *h, const struct ir_expr *e)
{
    int64_t field;
    if (!ir_const_int(e->args[2], &field) ||
        (field != HOST_F_VALUE && field != HOST_F_VALUE_OLD))
        return true; /* its type code, and padding */
    struct ir_expr *value = e->args[3];
    if (value->kind == IR_CAST && value->nargs == 1)
        value = value->args[0];
    h->result = host_expr(h, value);
    return true;
}

bool host_put(struct host *h, const struct ir_expr *e)
{
    int64_t index, field;
    if (!host_is_call(e, IR_OP_TVM_STRUCT_SET) || e->nargs != 4)
        return false;
    struct host_meaning base = host_meaning(h, e->args[0]);
    if (base.kind == HOST_RESULT)
        return put_result(h, e);
    if (base.kind != HOST_STACK || !ir_const_int(e->args[1], &index) ||
        !ir_const_int(e->args[2], &field) || index < 0 ||
        index >= HOST_MAX_STACK)
        return false;
    struct host_stack *stack = &h->stacks.items[base.n];
    if ((size_t)index >= stack->room) {
        size_t room = (size_t)index * 2 + 16;
        struct ir_expr **grown = ARENA_ARRAY(h->arena, room, struct ir_expr *);
        if (stack->room > 0)
            memcpy(grown, stack->values, stack->room * sizeof *grown);
        stack->values = grown;
        stack->room = room;
    }
    struct ir_expr **value = &stack->values[index];
    if (field == HOST_F_VALUE || field == HOST_F_VALUE_OLD ||
        field == HOST_F_DATA)
        *value = e->args[3];
    if (field == HOST_F_BYTE_OFFSET && *value != NULL &&
        !ir_is_const_int(e->args[3], 0)) {
        struct ir_expr *args[2] = {*value, e->args[3]};
        *value =
            ir_call(h->m, DTYPE_HANDLE, "tirx.handle_add_byte_offset", 2, args);
    }
    return true;
}

/* A value of an outgoing array as an operand: of a DLTensor made on the stack
 * the data pointer, of a number the number before it was widened. */
static struct ir_expr *outgoing(struct host *h, struct ir_expr *e)
{
    struct host_meaning base;
    int64_t index, field;
    if (host_field(h, e, &base, &index, &field) && base.kind == HOST_STACK &&
        field == 0 && index >= 0 &&
        (size_t)index < h->stacks.items[base.n].room &&
        h->stacks.items[base.n].values[index] != NULL)
        e = h->stacks.items[base.n].values[index];
    else if (e->kind == IR_CAST && e->nargs == 1)
        e = e->args[0];
    return host_expr(h, e);
}

struct ir_expr *host_raise(struct host *h, struct ir_expr *e)
{
    struct ir_expr **args;
    size_t n;
    if (!is_lowered(e) || e->nargs < 4 || !operands(h, e, &args, &n))
        return NULL;
    struct ir_expr **all = ARENA_ARRAY(h->arena, n + 1, struct ir_expr *);
    all[0] = e->args[0];
    for (size_t i = 0; i < n; i++)
        all[i + 1] = outgoing(h, args[i]);
    struct ir_expr *call =
        ir_call(h->m, e->dtype, "tirx.tvm_call_packed", n + 1, all);
    call->pos = e->pos;
    return call;
}

const char *host_runtime_name(const struct ir_expr *e)
{
    static const char prefix[] = "tirx.";
    if (e->kind != IR_CALL || e->u.call.op != IR_OP_UNKNOWN)
        return e->kind == IR_CALL ? callee_name(e) : NULL;
    const char *name = e->u.call.name;
    if (name != NULL && strncmp(name, prefix, sizeof prefix - 1) == 0)
        name += sizeof prefix - 1;
    return name;
}

bool host_is_idle(const struct ir_expr *e)
{
    static const char *const names[] = {"__tvm_set_device",
                                        "TVMBackendFreeWorkspace"};
    const char *name = host_runtime_name(e);
    for (size_t i = 0; name != NULL && i < DC_ARRAY_LEN(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* ---- bodies -------------------------------------------------------------------------- */

static bool is_return(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_RETURN;
}

struct ir_stmt *host_without_result(struct host *h, struct ir_stmt *s,
                                    int64_t *code)
{
    if (s->kind == IR_RETURN &&
        (s->u.value == NULL || ir_const_int(s->u.value, code)))
        return ir_seq(h->m, 0, NULL);
    if (s->kind != IR_ATTR && (s->kind != IR_SEQ || s->u.seq.n == 0))
        return s;
    struct ir_stmt *copy = ir_stmt_copy(h->m->arena, s);
    struct ir_stmt **last = s->kind == IR_ATTR
                                ? &copy->u.attr.body
                                : &copy->u.seq.items[s->u.seq.n - 1];
    struct ir_stmt *was = *last;
    *last = host_without_result(h, was, code);
    ir_stmt_seal(copy);
    return *last == was ? s : copy;
}

/* ---- launch extents -------------------------------------------------------------------- */

struct extent_search {
    const char *tag;
    struct ir_expr *extent;
};

static bool find_extent(void *user, struct ir_stmt *s)
{
    struct extent_search *x = user;
    struct ir_thread_axis axis;
    if (x->extent == NULL && s->kind == IR_ATTR && ir_thread_axis(s, &axis) &&
        !axis.is_virtual && strcmp(axis.tag, x->tag) == 0)
        x->extent = axis.extent;
    return x->extent == NULL;
}

bool host_is_local(const void *prim, const struct ir_expr *e)
{
    const struct ir_prim_func *f = prim;
    for (size_t i = 0; e->kind == IR_VAR_REF && i < f->nparams; i++)
        if (f->params[i].var == e->u.var)
            return false;
    return e->kind == IR_LOAD || e->kind == IR_VAR_REF;
}

/* extent == what the kernel says; NULL where that cannot be put here. */
static struct ir_stmt *assert_extent(struct host *h,
                                     const struct ir_func *callee,
                                     const char *tag, struct ir_expr *given)
{
    struct extent_search x = {tag, NULL};
    struct ir_visitor find = {find_extent, NULL, &x};
    ir_visit_stmt(&find, callee->prim.body);
    if (x.extent == NULL ||
        ir_expr_any(x.extent, host_is_local, &callee->prim) ||
        !dtype_is_int(given->dtype) || !dtype_is_int(x.extent->dtype))
        return NULL;
    struct ir_stmt *s = ir_stmt_make(h->m, IR_ASSERT);
    s->u.assert_.cond =
        ir_binary(h->m, IR_EQ, ir_cast(h->m, DTYPE_INT64, given),
                  ir_cast(h->m, DTYPE_INT64, x.extent));
    s->u.assert_.error_kind = "RuntimeError";
    struct ir_expr *message = ir_string(
        h->m, arena_printf(h->m->arena,
                           "launched with another extent of %s than the "
                           "kernel has",
                           tag));
    s->u.assert_.nparts = 1;
    s->u.assert_.parts = arena_memdup(h->m->arena, &message, sizeof message);
    ir_stmt_seal(s);
    return s;
}

static const struct ir_value *launch_tags(const struct ir_expr *call,
                                          const struct ir_func *callee)
{
    const struct ir_value *tags = NULL;
    if (call->u.call.attrs != NULL)
        tags = ir_value_find(call->u.call.attrs, "launch_params");
    if (tags == NULL)
        tags = ir_attr_find(callee->attrs, "kernel_launch_params");
    return tags != NULL && tags->kind == IR_V_ARRAY ? tags : NULL;
}

/* ---- taking in ----------------------------------------------------------------------------- */

/* The operand as a value of the parameter's type. */
static struct ir_expr *operand(struct host *h, struct ir_expr *e,
                               struct dtype type)
{
    e = host_expr(h, e);
    if (dtype_equal(e->dtype, type) || dtype_is_handle(type))
        return e;
    if (e->kind == IR_CAST && dtype_equal(e->args[0]->dtype, type))
        return e->args[0];
    return ir_cast(h->m, type, e);
}

static struct ir_stmt *bind_param(struct host *h, const struct ir_param *p,
                                  struct ir_expr *value)
{
    struct ir_stmt *s;
    if (p->buffer != NULL) {
        s = ir_stmt_make(h->m, IR_DECL_BUFFER);
        s->u.decl.buffer = p->buffer;
        s->u.decl.value = value;
    } else {
        s = ir_stmt_make(h->m, IR_BIND);
        s->u.bind.var = p->var;
        s->u.bind.value = value;
    }
    ir_stmt_seal(s);
    return s;
}

/* What stays a call: of a function with several call sites, or one that
 * returns early. */
static struct ir_stmt *plain_call(struct host *h, const struct ir_expr *call,
                                  const struct ir_func *callee,
                                  struct ir_expr **args)
{
    size_t n = callee->prim.nparams;
    struct ir_expr **values = ARENA_ARRAY(h->arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        values[i] = operand(h, args[i], callee->prim.params[i].var->dtype);
    struct ir_expr *e = ir_call(h->m, call->dtype, callee->name, n, values);
    e->u.call.op = IR_OP_GLOBAL;
    e->pos = call->pos;
    return ir_evaluate(h->m, e);
}

static struct ir_stmt *merge(struct host *h, const struct ir_expr *call,
                             struct host_callee *is, struct ir_stmt *body,
                             struct ir_expr **args, size_t nargs)
{
    const struct ir_func *callee = is->func;
    const struct ir_value *tags = launch_tags(call, callee);
    size_t nparams = callee->prim.nparams;
    struct VEC(struct ir_stmt *) items = {0};
    for (size_t i = 0; i < nparams; i++) {
        const struct ir_param *p = &callee->prim.params[i];
        vec_push(&items, bind_param(h, p, operand(h, args[i], p->var->dtype)));
    }
    for (size_t i = nparams; tags != NULL && i < nargs; i++) {
        const char *tag = i - nparams < tags->n
                              ? ir_value_as_string(tags->items[i - nparams])
                              : NULL;
        struct ir_stmt *s =
            tag != NULL ? assert_extent(h, callee, tag, host_expr(h, args[i]))
                        : NULL;
        if (s != NULL)
            vec_push(&items, s);
    }
    vec_push(&items, body);
    struct ir_stmt *result = ir_seq(h->m, items.len, items.items);
    vec_fini(&items);
    vec_push(&h->merged, is);
    return result;
}

struct ir_stmt *host_take_in(struct host *h, struct ir_expr *call,
                             int64_t *code)
{
    struct ir_expr **args;
    size_t nargs;
    int64_t result = 0;
    if (call->kind != IR_CALL)
        return NULL;
    struct host_callee *is = callee_of(h, call);
    struct ir_func *callee = is != NULL ? is->func : NULL;
    if (callee == NULL || callee == h->func ||
        !operands(h, call, &args, &nargs) || nargs < callee->prim.nparams)
        return NULL;
    struct ir_stmt *body = host_without_result(h, callee->prim.body, &result);
    if (is->sites == 1 && !ir_stmt_any(body, is_return, NULL, NULL)) {
        if (code != NULL)
            *code = result;
        return merge(h, call, is, body, args, nargs);
    }
    if (host_is_call(call, IR_OP_GLOBAL) || code != NULL)
        return NULL;
    return plain_call(h, call, callee, args);
}
