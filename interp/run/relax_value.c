/* SPDX-License-Identifier: Apache-2.0
 *
 * Values, variables and types of Relax runs: constants become tensors, scopes
 * keep variables by id, and types bind symbolic sizes at their first bare
 * occurrence and check them at every other.
 */
#include "interp/data/dims.h"
#include "interp/run/relax.h"

#include <string.h>

/* ---- faults ------------------------------------------------------------------ */

struct rv *relax_fault(struct run *r, enum interp_fault_kind kind,
                       struct ir_pos pos, const char *fmt, ...)
{
    if (r->result.fault != INTERP_OK)
        return NULL;
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    r->result.fault = kind;
    r->result.pos = pos;
    r->result.message = text.data;
    return NULL;
}

bool relax_failed(const struct run *r)
{
    return r->result.fault != INTERP_OK;
}

/* Takes over what an inner run said. */
void relax_merge(struct run *r, struct interp_result *inner)
{
    r->result.steps += inner->steps;
    r->result.inexact = r->result.inexact || inner->inexact;
    r->result.control_inexact =
        r->result.control_inexact || inner->control_inexact;
    r->result.implicit_barriers =
        r->result.implicit_barriers || inner->implicit_barriers;
    r->result.nimplied += inner->nimplied;
    if (r->result.implied == NULL) {
        r->result.implied = inner->implied;
        inner->implied = NULL;
    }
    if (r->result.beyond == NULL) {
        r->result.beyond = inner->beyond;
        inner->beyond = NULL;
    }
    r->result.data_dependent =
        r->result.data_dependent || inner->data_dependent;
    r->result.has_atomics = r->result.has_atomics || inner->has_atomics;
    r->result.order_open = r->result.order_open || inner->order_open;
    if (inner->fault != INTERP_OK && !relax_failed(r)) {
        r->result.fault = inner->fault;
        r->result.message = inner->message;
        r->result.where = inner->where;
        r->result.pos = inner->pos;
        r->result.buffer = inner->buffer;
        r->result.scene = inner->scene;
        memset(&inner->scene, 0, sizeof inner->scene);
        inner->message = inner->where = NULL;
    }
    interp_result_fini(inner);
}

/* ---- values ------------------------------------------------------------------- */

struct rv *relax_value(struct run *r, enum rv_kind kind)
{
    struct rv *v = ARENA_NEW(r->arena, struct rv);
    v->kind = kind;
    return v;
}

struct rv *relax_tensor(struct run *r, struct interp_tensor *t, bool own)
{
    struct rv *v = relax_value(r, RV_TENSOR);
    v->tensor = t;
    if (own)
        vec_push(&r->owned, t);
    return v;
}

struct rv *relax_shape(struct run *r, size_t n)
{
    struct rv *v = relax_value(r, RV_SHAPE);
    v->n = n;
    v->dims = ARENA_ARRAY(r->arena, n, int64_t);
    return v;
}

struct rv *relax_scalar(struct run *r, struct dtype t, uint64_t bits)
{
    struct rv *v = relax_value(r, RV_SCALAR);
    v->dtype = t;
    v->bits = bits;
    return v;
}

struct interp_tensor *relax_fresh(struct run *r, struct dtype t, size_t rank,
                                  const int64_t *shape)
{
    struct interp_tensor *tensor = interp_tensor_new(t, rank, shape);
    if (tensor != NULL)
        interp_tensor_to_points(tensor, r->options->domain);
    return tensor;
}

/* Fills a fresh tensor with the constant's data, all defined. */
struct rv *relax_constant(struct run *r, const struct rx_expr *e)
{
    const struct ir_tensor *data = e->tensor;
    if (data == NULL)
        return relax_fault(r, INTERP_UNSUPPORTED, e->pos,
                           "constant without data is not supported");
    struct interp_tensor *t =
        interp_tensor_new(data->dtype, data->rank, data->shape);
    size_t size = dtype_lane_bytes(data->dtype);
    if (t == NULL || t->elements * size > data->bytes) {
        interp_tensor_free(t);
        return relax_fault(r, INTERP_BAD_ARGS, e->pos,
                           "constant holds fewer bytes than its shape needs");
    }
    for (size_t i = 0; i < t->elements; i++) {
        interp_tensor_set(
            t, i, num_load(dtype_scalar(data->dtype), data->data + i * size));
        t->state[i] = INTERP_DEFINED;
    }
    interp_tensor_to_points(t, r->options->domain);
    return relax_tensor(r, t, true);
}

/* ---- variables ----------------------------------------------------------------- */

struct scope *relax_push(struct run *r, struct scope *outer)
{
    struct scope *s = ARENA_NEW(r->arena, struct scope);
    s->outer = outer;
    vec_push(&r->scopes, s);
    r->scope = s;
    return s;
}

void relax_set(struct run *r, const struct rx_var *var, struct rv *v)
{
    while (r->scope->values.len <= var->id)
        vec_push(&r->scope->values, NULL);
    r->scope->values.items[var->id] = v;
}

struct rv *relax_get(struct run *r, const struct rx_expr *e)
{
    for (struct scope *s = r->scope; s != NULL; s = s->outer)
        if (e->var->id < s->values.len && s->values.items[e->var->id] != NULL)
            return s->values.items[e->var->id];
    return relax_fault(r, INTERP_UNDEFINED_VAR, e->pos,
                       "variable '%s' is not defined", e->var->name);
}

static bool look_up(void *user, const struct ir_var *var, int64_t *out)
{
    for (const struct scope *s = user; s != NULL; s = s->outer) {
        if (var->id < s->known.len && s->known.items[var->id]) {
            *out = s->sizes.items[var->id];
            return true;
        }
    }
    return false;
}

static void bind_size(struct run *r, const struct ir_var *var, int64_t value)
{
    struct scope *s = r->scope;
    while (s->known.len <= var->id) {
        vec_push(&s->known, false);
        vec_push(&s->sizes, 0);
    }
    s->known.items[var->id] = true;
    s->sizes.items[var->id] = value;
}

bool relax_size(struct run *r, const struct ir_expr *e, int64_t *out)
{
    struct dims_env env = {r->scope, look_up};
    if (dims_eval(&env, e, out))
        return true;
    struct buf text = {0};
    ir_print_expr(e, &text);
    relax_fault(r, INTERP_UNDEFINED_VAR, e->pos,
                "size '%s' cannot be worked out", buf_text(&text));
    buf_fini(&text);
    return false;
}

/* ---- types: binding and checking sizes ------------------------------------------- */

/* One dimension against a value: binds a variable seen for the first time. */
static bool match_size(struct run *r, const struct ir_expr *e, int64_t value,
                       const char *what)
{
    int64_t known;
    if (e->kind == IR_VAR_REF && !look_up(r->scope, e->u.var, &known)) {
        bind_size(r, e->u.var, value);
        return true;
    }
    if (!relax_size(r, e, &known))
        return false;
    if (known == value)
        return true;
    relax_fault(r, INTERP_ASSERT, e->pos, "size of '%s' is %lld, expected %lld",
                what, (long long)value, (long long)known);
    return false;
}

static bool match_dims(struct run *r, const struct ir_type *t, size_t n,
                       const int64_t *dims, const char *what)
{
    if (t->ndim >= 0 && (size_t)t->ndim != n) {
        relax_fault(r, INTERP_ASSERT, (struct ir_pos){0, 0},
                    "'%s' has %zu dimensions, expected %d", what, n, t->ndim);
        return false;
    }
    for (size_t i = 0; i < n && t->has_dims && t->dims != NULL; i++)
        if (!match_size(r, t->dims[i], dims[i], what))
            return false;
    return true;
}

bool relax_match(struct run *r, const struct ir_type *t, const struct rv *v,
                 const char *what)
{
    if (t == NULL)
        return true;
    if (t->kind == IR_TYPE_TENSOR && v->kind == RV_TENSOR) {
        if (t->dtype.code == DT_VOID || dtype_equal(t->dtype, v->tensor->dtype))
            return match_dims(r, t, v->tensor->rank, v->tensor->shape, what);
        char have[48], want[48];
        relax_fault(r, INTERP_ASSERT, (struct ir_pos){0, 0},
                    "'%s' has element type %s, expected %s", what,
                    dtype_name(v->tensor->dtype, have),
                    dtype_name(t->dtype, want));
        return false;
    }
    if (t->kind == IR_TYPE_SHAPE && v->kind == RV_SHAPE)
        return match_dims(r, t, v->n, v->dims, what);
    if (t->kind == IR_TYPE_PRIM && v->kind == RV_SCALAR &&
        t->prim_value != NULL && dtype_is_int(v->dtype))
        return match_size(r, t->prim_value, num_to_int(v->dtype, v->bits),
                          what);
    if (t->kind == IR_TYPE_TUPLE && v->kind == RV_TUPLE && t->nfields == v->n) {
        for (size_t i = 0; i < v->n; i++)
            if (!relax_match(r, t->fields[i], v->items[i], what))
                return false;
        return true;
    }
    bool free_form = t->kind == IR_TYPE_NONE || t->kind == IR_TYPE_OBJECT ||
                     v->kind == RV_CLOSURE || v->kind == RV_OTHER ||
                     (t->kind == IR_TYPE_PRIM && v->kind == RV_SCALAR);
    if (!free_form)
        relax_fault(r, INTERP_ASSERT, (struct ir_pos){0, 0},
                    "'%s' is no value of its type", what);
    return free_form;
}
