/* SPDX-License-Identifier: Apache-2.0
 *
 * Host code: statements. What serves the calling convention alone is left
 * out; all else is kept with its expressions rewritten. Statements in which
 * nothing changes are shared with the original.
 */
#include "ir/host/host_private.h"

#include <string.h>

static struct ir_stmt *copy_of(struct host *h, const struct ir_stmt *s)
{
    return arena_memdup(h->m->arena, s, sizeof *s);
}

static bool is_bare(const struct ir_expr *e, const struct ir_var *var)
{
    return e != NULL && e->kind == IR_VAR_REF && e->u.var == var;
}

/* A dimension, stride or offset that binding a parameter gives a value. */
static bool is_layout(const struct host *h, const struct ir_var *var)
{
    bool found = false;
    for (size_t i = 0; i < h->nargs; i++) {
        const struct ir_buffer *b = h->args[i]->buffer;
        for (size_t k = 0; b != NULL && k < b->rank; k++)
            found = found || is_bare(b->shape[k], var);
        for (size_t k = 0; b != NULL && k < b->nstrides; k++)
            found = found || is_bare(b->strides[k], var);
        found = found || (b != NULL && is_bare(b->elem_offset, var));
    }
    return found;
}

/* A binding that the new parameters make superfluous. */
static bool is_superfluous(const struct host *h, const struct ir_stmt *s)
{
    const struct ir_var *var = s->u.bind.var;
    int64_t n;
    struct host_meaning is = host_var(h, var);
    if (is.kind == HOST_DATA || is.kind == HOST_TENSOR)
        return h->args[is.n]->buffer == NULL ||
               h->args[is.n]->buffer->data == var || is.kind == HOST_TENSOR;
    if (is.kind != HOST_NOTHING && is.kind != HOST_CONST)
        return true;
    if (host_number(h, s->u.bind.value, &n))
        return h->args[n]->var == var;
    return is_layout(h, var);
}

static struct ir_stmt *make_bind(struct host *h, const struct ir_stmt *s,
                                 struct ir_expr *value)
{
    struct ir_stmt *copy = copy_of(h, s);
    copy->u.bind.value = value;
    ir_stmt_seal(copy);
    return copy;
}

/* TVMBackendAllocWorkspace(device, number, bytes, …): the bytes; else NULL. */
static struct ir_expr *workspace_bytes(const struct ir_expr *e)
{
    uint32_t first = host_is_call(e, IR_OP_CALL_EXTERN) ? 1 : 0;
    const char *name = host_runtime_name(e);
    return name != NULL && strcmp(name, "TVMBackendAllocWorkspace") == 0 &&
                   e->nargs >= first + 3
               ? e->args[first + 2]
               : NULL;
}

static struct ir_stmt *make_alloc(struct host *h, const struct ir_stmt *s,
                                  struct ir_buffer *buffer)
{
    struct ir_stmt *alloc = ir_stmt_make(h->m, IR_ALLOC);
    alloc->u.alloc.buffer = buffer;
    alloc->pos = s->pos;
    if (buffer->data->owner == NULL)
        buffer->data->owner = buffer;
    ir_stmt_seal(alloc);
    return alloc;
}

/* A pointer bound to a workspace: an allocation of so many bytes. */
static struct ir_stmt *workspace(struct host *h, const struct ir_stmt *s)
{
    struct ir_expr *extent = workspace_bytes(s->u.bind.value);
    int64_t bytes;
    if (extent == NULL)
        return NULL;
    extent = host_expr(h, extent);
    extent = ir_const_int(extent, &bytes) ? ir_int(h->m, DTYPE_INT64, bytes)
                                          : ir_cast(h->m, DTYPE_INT64, extent);
    return make_alloc(h, s,
                      ir_buffer_make(h->m, s->u.bind.var->name,
                                     dtype_make(DT_UINT, 8, 1), 1, &extent,
                                     s->u.bind.var, "global"));
}

static struct ir_stmt *rewrite_bind(struct host *h, struct ir_stmt *s)
{
    struct ir_stmt *body;
    if (is_superfluous(h, s))
        return NULL;
    body = workspace(h, s);
    if (body != NULL)
        return body;
    int64_t code = 0;
    body = dtype_is_int(s->u.bind.var->dtype)
               ? host_take_in(h, s->u.bind.value, &code)
               : NULL;
    if (body != NULL) {
        struct ir_stmt *both[2] = {
            body, make_bind(h, s, ir_int(h->m, s->u.bind.var->dtype, code))};
        return ir_seq(h->m, 2, both);
    }
    struct ir_expr *value = host_expr(h, s->u.bind.value);
    int64_t constant;
    /* type codes decide branches: they must be seen by folding */
    if (h->packed && value != s->u.bind.value && !s->u.bind.var->is_size &&
        dtype_is_int(s->u.bind.var->dtype) && ir_const_int(value, &constant) &&
        s->u.bind.var->id < h->nvars) {
        host_set(h, s->u.bind.var, (struct host_meaning){HOST_CONST, constant});
    }
    return value == s->u.bind.value ? s : make_bind(h, s, value);
}

static struct ir_stmt *rewrite_below(struct host *h, struct ir_stmt *s)
{
    struct ir_map map = host_map(h);
    return ir_map_below(&map, s);
}

static struct ir_stmt *rewrite_decl(struct host *h, struct ir_stmt *s)
{
    struct ir_buffer *b = s->u.decl.buffer;
    struct host_meaning is = host_var(h, b->data);
    if (is.kind == HOST_SHAPE || is.kind == HOST_STRIDES ||
        is.kind == HOST_TYPES || is.kind == HOST_STACK ||
        is.kind == HOST_RESULT)
        return NULL;
    for (size_t i = 0; i < h->nargs; i++)
        if (h->args[i]->buffer == b)
            return NULL;
    if (s->u.decl.value != NULL && workspace_bytes(s->u.decl.value) != NULL)
        return make_alloc(h, s, b);
    return rewrite_below(h, s);
}

static struct ir_stmt *rewrite_seq(struct host *h, struct ir_stmt *s)
{
    struct VEC(struct ir_stmt *) items = {0};
    bool same = true;
    for (size_t i = 0; i < s->u.seq.n; i++) {
        struct ir_stmt *item = host_stmt(h, s->u.seq.items[i]);
        same = same && item == s->u.seq.items[i];
        if (item != NULL)
            vec_push(&items, item);
    }
    struct ir_stmt *result = s;
    if (!same)
        result = items.len == 0   ? NULL
                 : items.len == 1 ? items.items[0]
                                  : ir_seq(h->m, items.len, items.items);
    vec_fini(&items);
    return result;
}

static struct ir_stmt *nothing(struct host *h)
{
    return ir_seq(h->m, 0, NULL);
}

static struct ir_stmt *rewrite_if(struct host *h, struct ir_stmt *s)
{
    struct ir_expr *cond = host_expr(h, s->u.if_.cond);
    int64_t constant;
    if (cond != s->u.if_.cond && ir_const_int(cond, &constant)) {
        struct ir_stmt *taken = constant ? s->u.if_.then_ : s->u.if_.else_;
        return taken != NULL ? host_stmt(h, taken) : NULL;
    }
    struct ir_stmt *then_ = host_stmt(h, s->u.if_.then_);
    struct ir_stmt *else_ =
        s->u.if_.else_ != NULL ? host_stmt(h, s->u.if_.else_) : NULL;
    if (then_ == NULL && else_ == NULL)
        return NULL;
    if (cond == s->u.if_.cond && then_ == s->u.if_.then_ &&
        else_ == s->u.if_.else_)
        return s;
    struct ir_stmt *copy = copy_of(h, s);
    copy->u.if_.cond = cond;
    copy->u.if_.then_ = then_ != NULL ? then_ : nothing(h);
    copy->u.if_.else_ = else_;
    ir_stmt_seal(copy);
    return copy;
}

static bool serves_convention(const char *key)
{
    static const char *const keys[] = {"storage_alignment", "device_id",
                                       "device_type", "device_scope",
                                       "compute_scope"};
    for (size_t i = 0; key != NULL && i < DC_ARRAY_LEN(keys); i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static struct ir_stmt *rewrite_attr(struct host *h, struct ir_stmt *s)
{
    return h->packed && serves_convention(s->u.attr.key)
               ? host_stmt(h, s->u.attr.body)
               : rewrite_below(h, s);
}

static struct ir_stmt *rewrite_assert(struct host *h, struct ir_stmt *s)
{
    struct ir_stmt *out = rewrite_below(h, s);
    int64_t constant;
    return out != s && ir_const_int(out->u.assert_.cond, &constant) &&
                   constant != 0
               ? NULL
               : out;
}

static struct ir_stmt *rewrite_evaluate(struct host *h, struct ir_stmt *s)
{
    if (host_put(h, s->u.value) || host_is_idle(s->u.value))
        return NULL;
    struct ir_stmt *body = host_take_in(h, s->u.value, NULL);
    return body != NULL ? body : rewrite_below(h, s);
}

static struct ir_stmt *rewrite_store(struct host *h, struct ir_stmt *s)
{
    enum host_kind kind = host_var(h, s->u.store.buffer->data).kind;
    return kind == HOST_STACK || kind == HOST_RESULT
               ? NULL /* type codes of outgoing arguments and of the result */
               : rewrite_below(h, s);
}

/* Of the status code after a result: returns the result. */
static struct ir_stmt *rewrite_return(struct host *h, struct ir_stmt *s)
{
    if (h->result == NULL)
        return s;
    struct ir_stmt *copy = copy_of(h, s);
    copy->u.value = h->result;
    h->returned = h->result->dtype;
    h->result = NULL;
    ir_stmt_seal(copy);
    return copy;
}

/* A result that is put on the way is returned on it, too: which one is
 * returned otherwise is not known from the text. */
static void check_result(struct host *h, const struct ir_expr *before)
{
    if (h->result != before && h->why == NULL)
        h->why = "its result is returned elsewhere than it is set";
}

static struct ir_stmt *rewrite_any(struct host *h, struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_SEQ: return rewrite_seq(h, s);
    case IR_IF: return rewrite_if(h, s);
    case IR_BIND: return rewrite_bind(h, s);
    case IR_DECL_BUFFER: return rewrite_decl(h, s);
    case IR_ATTR: return rewrite_attr(h, s);
    case IR_ASSERT: return rewrite_assert(h, s);
    case IR_EVALUATE: return rewrite_evaluate(h, s);
    case IR_STORE: return rewrite_store(h, s);
    case IR_RETURN: return rewrite_return(h, s);
    case IR_FOR:
    case IR_WHILE:
    case IR_BLOCK: return rewrite_below(h, s);
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
    return s;
}

struct ir_stmt *host_stmt(struct host *h, struct ir_stmt *s)
{
    const struct ir_expr *before = h->result;
    bool parts = s->kind == IR_FOR || s->kind == IR_WHILE || s->kind == IR_IF;
    struct ir_stmt *out = rewrite_any(h, s);
    if (parts)
        check_result(h, before);
    return out;
}

struct ir_stmt *host_part(void *host, struct ir_stmt *s)
{
    struct ir_stmt *out = host_stmt(host, s);
    return out != NULL ? out : nothing(host);
}
