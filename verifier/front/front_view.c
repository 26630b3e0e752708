/* SPDX-License-Identifier: Apache-2.0
 *
 * Views and pointers: which cell of which storage an access means.
 *
 * A view is a box of its storage as long as that can be said dimension by
 * dimension (match_buffer of a region, a declaration of equal shape), else an
 * affine function of the storage's linear index. A linear access to a
 * parameter is taken apart into the parameter's own indices.
 */
#include "verifier/front/front.h"

#include <string.h>

/* ---- making views ------------------------------------------------------------------ */

static struct fview *view_make(struct front *f, const struct ir_buffer *b,
                               struct fstorage *s)
{
    struct fview *v = ARENA_NEW(f->arena, struct fview);
    v->storage = s;
    v->buffer = b;
    v->scalar = dtype_scalar(b->dtype);
    v->lanes = b->dtype.lanes > 0 ? b->dtype.lanes : 1;
    v->rank = b->rank;
    return v;
}

static struct fview *view_identity(struct front *f, const struct ir_buffer *b,
                                   struct fstorage *s)
{
    struct fview *v = view_make(f, b, s);
    v->box = true;
    v->base = ARENA_ARRAY(f->arena, s->rank, struct ir_expr *);
    v->from = ARENA_ARRAY(f->arena, s->rank, int);
    v->shape = s->shape;
    for (size_t d = 0; d < s->rank; d++)
        v->from[d] = (int)d;
    return v;
}

void front_own(struct front *f, const struct ir_buffer *b, struct fstorage *s)
{
    const struct binding *old = &f->env[b->data->id];
    struct binding data = {.kind = BOUND_POINTER};
    if (!OBLIGED_FRONT(f, "a data variable is of one storage",
                       old->kind != BOUND_POINTER ||
                           old->pointer.storage->source == b))
        front_refuse(f, b->pos, "'%s' is allocated where '%s' is", b->name,
                     old->pointer.storage->source->name);
    data.pointer = (struct fpointer){
        s, NULL, (uint32_t)dtype_lane_bytes(s->scalar), b->dtype};
    front_bind(f, b->data, data);
    struct fview *v = view_identity(f, b, s);
    if (b->elem_offset != NULL && s->pub.param < 0) {
        int64_t zero = 1;
        if (!ir_const_int(front_scalar(f, b->elem_offset), &zero) || zero != 0)
            front_refuse(f, b->pos, "'%s' is allocated with an offset",
                         b->name);
    }
    front_set_view(f, b, v);
}

/* The offset of a pointer in units of `unit` bytes. */
static struct ir_expr *offset_in(struct front *f, const struct fpointer *p,
                                 uint32_t unit)
{
    if (p->offset == NULL)
        return fx_index(f, 0);
    if (p->unit == unit || unit == 0 || p->unit == 0)
        return fx_wide(f, p->offset);
    if (p->unit > unit)
        return fx_mul(f, fx_wide(f, p->offset), fx_index(f, p->unit / unit));
    int64_t n;
    if (ir_const_int(p->offset, &n) && n % (unit / p->unit) == 0)
        return fx_index(f, n / (unit / p->unit));
    front_refuse(f, f->stmt->pos, "a pointer that may not be aligned");
    return fx_index(f, 0);
}

static bool is_zero(const struct ir_expr *e)
{
    int64_t n;
    return e == NULL || (ir_const_int(e, &n) && n == 0);
}

static bool same_layout(struct front *f, const struct fview *v,
                        const struct fstorage *s, bool compact)
{
    const struct ir_buffer *b = v->buffer;
    if (!dtype_equal(v->scalar, s->scalar) || v->lanes != s->lanes ||
        v->rank != s->rank)
        return false;
    (void)f;
    for (size_t d = 0; d < b->rank; d++)
        if (!fx_same(v->shape[d], s->shape[d]) ||
            (!compact && !fx_same(v->stride[d], fx_mul(f, s->stride[d],
                                                       fx_index(f, s->lanes)))))
            return false;
    return true;
}

/* An extent, a stride or an offset: what it is where the buffer is declared. */
static struct ir_expr *layout(struct front *f, const struct ir_buffer *b,
                              struct ir_expr *e)
{
    return front_fixed(f, b->name, front_scalar(f, e));
}

void front_declare(struct front *f, const struct ir_buffer *b,
                   const struct fpointer *p)
{
    struct fstorage *s = p->storage;
    struct fview *v = view_make(f, b, s);
    v->shape = ARENA_ARRAY(f->arena, b->rank, struct ir_expr *);
    v->stride = ARENA_ARRAY(f->arena, b->rank, struct ir_expr *);
    struct ir_expr *step = fx_index(f, v->lanes);
    bool given = b->nstrides == b->rank && b->rank > 0;
    for (size_t d = b->rank; d-- > 0;) {
        v->shape[d] = layout(f, b, b->shape[d]);
        v->stride[d] = step;
        if (given)
            v->stride[d] = fx_mul(f, fx_wide(f, layout(f, b, b->strides[d])),
                                  fx_index(f, v->lanes));
        step = fx_mul(f, step, fx_wide(f, v->shape[d]));
    }
    front_touch(f, s);
    if (is_zero(p->offset) && is_zero(b->elem_offset) &&
        same_layout(f, v, s, false)) {
        front_set_view(f, b, view_identity(f, b, s));
        return;
    }
    v->offset = offset_in(f, p, (uint32_t)dtype_lane_bytes(v->scalar));
    if (b->elem_offset != NULL)
        v->offset = fx_add(f, v->offset,
                           fx_mul(f, fx_wide(f, layout(f, b, b->elem_offset)),
                                  fx_index(f, v->lanes)));
    front_set_view(f, b, v);
}

static bool has_data_layout(const struct ir_buffer *b)
{
    bool found = b->elem_offset != NULL && ir_has_load(b->elem_offset);
    for (size_t d = 0; d < b->rank && !found; d++)
        found = ir_has_load(b->shape[d]);
    for (size_t d = 0; d < b->nstrides && !found; d++)
        found = ir_has_load(b->strides[d]);
    return found;
}

struct fview *front_view(struct front *f, const struct ir_buffer *b)
{
    if (f->views[b->id] != NULL)
        return f->views[b->id];
    const struct binding *data = &f->env[b->data->id];
    if (data->kind != BOUND_POINTER) {
        front_refuse(f, f->stmt->pos, "buffer '%s' is not defined here",
                     b->name);
        return NULL;
    }
    if (has_data_layout(b)) {
        front_refuse(f, f->stmt->pos,
                     "the layout of '%s' reads memory, and it is declared "
                     "nowhere",
                     b->name);
        return NULL;
    }
    struct fpointer p = data->pointer;
    front_declare(f, b, &p);
    return f->views[b->id];
}

/* ---- match_buffer ----------------------------------------------------------------------- */

/* Binds a symbolic dimension, stride or offset, or asserts what it is. */
static void match_symbol(struct front *f, struct ir_expr *e,
                         struct ir_expr *value)
{
    if (e->kind == IR_VAR_REF && f->env[e->u.var->id].kind == BOUND_NOT &&
        !front_is_symbol(f, e->u.var)) {
        value =
            front_let(f, e->u.var->name, fx_cast(f, e->u.var->dtype, value));
        front_bind_symbol(f, e->u.var, value);
        return;
    }
    struct ir_expr *have = front_scalar(f, e);
    if (!fx_same(have, value))
        front_assert(f, fx_eq(f, have, value));
}

/* Linear place of a view's first element, and stride of one of its
 * dimensions, in elements. */
static struct ir_expr *view_origin(struct front *f, const struct fview *v)
{
    if (!v->box)
        return fx_floordiv(f, v->offset, fx_index(f, v->lanes));
    struct ir_expr *sum = fx_index(f, 0);
    for (size_t d = 0; d < v->storage->rank; d++)
        if (v->base[d] != NULL)
            sum = fx_add(
                f, sum,
                fx_mul(f, fx_wide(f, v->base[d]), v->storage->stride[d]));
    return sum;
}

static struct ir_expr *view_stride(struct front *f, const struct fview *v,
                                   size_t k)
{
    if (!v->box)
        return fx_floordiv(f, v->stride[k], fx_index(f, v->lanes));
    for (size_t d = 0; d < v->storage->rank; d++)
        if (v->from[d] == (int)k)
            return v->storage->stride[d];
    return fx_index(f, 0);
}

static struct fview *shift_view(struct front *f, const struct fview *from,
                                const struct ir_buffer *b, struct ir_expr **min,
                                size_t skip)
{
    struct fview *v = view_make(f, b, from->storage);
    v->box = from->box;
    v->lanes = from->lanes;
    if (!v->box) {
        v->stride = from->stride + skip;
        v->offset = from->offset;
        for (size_t k = 0; k < from->rank; k++)
            v->offset = fx_add(f, v->offset,
                               fx_mul(f, fx_wide(f, min[k]), from->stride[k]));
        return v;
    }
    size_t n = from->storage->rank;
    v->base = ARENA_ARRAY(f->arena, n, struct ir_expr *);
    v->from = ARENA_ARRAY(f->arena, n, int);
    for (size_t d = 0; d < n; d++) {
        int k = from->from[d];
        v->base[d] = from->base[d];
        v->from[d] = k >= (int)skip ? k - (int)skip : -1;
        if (k >= 0 && !is_zero(min[k]))
            v->base[d] = v->base[d] == NULL ? min[k]
                                            : fx_add(f, fx_wide(f, v->base[d]),
                                                     fx_wide(f, min[k]));
    }
    return v;
}

void front_match(struct front *f, const struct ir_match_buffer *x)
{
    struct ir_buffer *b = x->buffer;
    struct fview *source = front_view(f, x->source.buffer);
    if (source == NULL)
        return;
    if (source->rank < b->rank || x->source.nranges != source->rank ||
        !dtype_equal(x->source.buffer->dtype, b->dtype)) {
        front_refuse(f, b->pos, "'%s' matches a buffer of another type or rank",
                     b->name);
        return;
    }
    size_t n = source->rank, skip = n - b->rank;
    struct ir_expr **min = ARENA_ARRAY(f->arena, n, struct ir_expr *);
    struct ir_expr **extent = ARENA_ARRAY(f->arena, n, struct ir_expr *);
    for (size_t k = 0; k < n; k++) {
        min[k] =
            front_let(f, b->name, front_scalar(f, x->source.ranges[k].min));
        front_eval_if(f, x->source.ranges[k].extent);
        extent[k] = front_fixed(f, b->name,
                                front_scalar(f, x->source.ranges[k].extent));
        if (k < skip)
            front_assert(f, fx_eq(f, extent[k], fx_index(f, 1)));
    }
    front_touch(f, source->storage);
    struct fview *v = shift_view(f, source, b, min, skip);
    v->shape = extent + skip;
    for (size_t k = 0; k < b->rank; k++)
        match_symbol(f, b->shape[k], extent[skip + k]);
    for (size_t k = 0; k < b->nstrides && k < b->rank; k++)
        match_symbol(f, b->strides[k], view_stride(f, source, skip + k));
    struct binding data = f->env[x->source.buffer->data->id];
    if (b->elem_offset != NULL && b->elem_offset->kind == IR_VAR_REF) {
        struct ir_expr *origin = view_origin(f, v);
        if (data.kind == BOUND_POINTER && data.pointer.offset != NULL)
            origin = fx_sub(
                f, origin,
                fx_floordiv(f,
                            offset_in(f, &data.pointer,
                                      (uint32_t)dtype_lane_bytes(v->scalar)),
                            fx_index(f, v->lanes)));
        match_symbol(f, b->elem_offset, origin);
    }
    const struct binding *old = &f->env[b->data->id];
    if (old->kind == BOUND_POINTER && old->pointer.storage != source->storage)
        front_refuse(f, b->pos, "'%s' matches another buffer's data", b->name);
    front_bind(f, b->data, data);
    front_set_view(f, b, v);
}

/* ---- accesses ----------------------------------------------------------------------------- */

static void out_begin(struct front *f, struct fstorage *s, struct faccess *out)
{
    front_touch(f, s);
    front_list(f, s);
    out->storage = s;
    out->n = 0;
    out->index =
        ARENA_ARRAY(f->arena, s->nprefix + s->rank + 1, struct ir_expr *);
    for (size_t i = 0; i < s->nprefix; i++)
        out->index[out->n++] = s->prefix[i];
}

/* A linear index, in scalars, into the storage's own shape. */
static bool access_linear(struct front *f, struct fstorage *s,
                          struct ir_expr *at, struct faccess *out)
{
    out_begin(f, s, out);
    if (s->flat || (s->rank == 1 && s->lanes == 1 &&
                    fx_same(s->stride[0], fx_index(f, 1)))) {
        out->index[out->n++] = at;
        return true;
    }
    if (s->pub.param < 0 && s->pub.constant == NULL) {
        if (s->facts == NULL) {
            front_refuse(f, f->stmt->pos, "a view of a temporary storage");
            return false;
        }
        f->again = s->facts->flat = true;
        return true; /* this pass's result is not used */
    }
    struct ir_expr *step = fx_index(f, s->lanes);
    size_t n = out->n + s->rank + (s->lanes > 1), last = n;
    if (s->lanes > 1)
        out->index[--last] = fx_floormod(f, at, step);
    for (size_t d = s->rank; d-- > 0;) {
        if (!OBLIGED_FRONT(
                f, "what is viewed flat is compact",
                fx_same(fx_mul(f, s->stride[d], fx_index(f, s->lanes)),
                        step))) {
            front_refuse(f, f->stmt->pos, "a flat view of '%s' with strides",
                         s->source->name);
            return false;
        }
        struct ir_expr *x = fx_floordiv(f, at, step);
        out->index[--last] = d == 0 ? x : fx_floormod(f, x, s->shape[d]);
        step = fx_mul(f, step, fx_wide(f, s->shape[d]));
    }
    if (s->rank == 0) {
        front_assert(f, fx_lt(f, fx_index(f, -1), at));
        front_assert(f, fx_lt(f, at, step));
    }
    out->n = n;
    return true;
}

static bool access_box(struct front *f, const struct fview *v,
                       struct ir_expr *const *index, struct ir_expr *elem,
                       struct faccess *out)
{
    struct fstorage *s = v->storage;
    struct ir_expr *at = elem != NULL ? fx_wide(f, elem) : fx_index(f, 0);
    out_begin(f, s, out);
    for (size_t d = 0; d < s->rank; d++) {
        struct ir_expr *x = v->from[d] >= 0 ? index[v->from[d]] : NULL;
        if (x == NULL || v->base[d] == NULL)
            x = x != NULL ? x : v->base[d];
        else
            x = fx_add(f, fx_wide(f, v->base[d]), fx_wide(f, x));
        if (x == NULL)
            x = fx_index(f, 0);
        if (!s->flat)
            out->index[out->n++] = x;
        else
            at = fx_add(f,
                        fx_mul(f, fx_wide(f, x),
                               fx_mul(f, s->stride[d], fx_index(f, s->lanes))),
                        at);
    }
    if (s->flat)
        out->index[out->n++] = at;
    else if (s->lanes > 1)
        out->index[out->n++] = at;
    return true;
}

/* at: in scalars of type t. */
static bool access_typed(struct front *f, struct fstorage *s, struct dtype t,
                         struct ir_expr *at, struct faccess *out)
{
    if (s->facts != NULL && s->facts->punned && s->pub.param < 0)
        return front_access_part(f, s, t, at, out);
    if (dtype_equal(t, s->scalar))
        return access_linear(f, s, at, out);
    if (s->facts == NULL || s->pub.param >= 0 || s->pub.constant != NULL) {
        front_refuse(f, f->stmt->pos, "'%s' is used under another element type",
                     s->source->name);
        return false;
    }
    f->again = s->facts->punned = true;
    out_begin(f, s, out);
    return true;
}

/* Whether indices inside the storage are inside the view as well. */
static bool is_whole(struct front *f, const struct fview *v)
{
    const struct fstorage *s = v->storage;
    if (v->shape == NULL)
        return true;
    if (v->box) {
        if (s->flat && s->rank > 1)
            return false;
        for (size_t d = 0; d < s->rank; d++)
            if (v->from[d] >= 0 &&
                (v->base[d] != NULL ||
                 !fx_same(v->shape[v->from[d]], s->shape[d])))
                return false;
        return true;
    }
    struct ir_expr *n =
        v->rank == 1 ? fx_mul(f, fx_wide(f, v->shape[0]), fx_index(f, v->lanes))
                     : NULL;
    return n != NULL && is_zero(v->offset) && fx_same(n, s->total) &&
           fx_same(v->stride[0], fx_index(f, v->lanes));
}

static bool is_lane(const void *front, const struct ir_expr *e)
{
    const struct var_info *info =
        e->kind == IR_VAR_REF ? front_info(front, e->u.var) : NULL;
    return info != NULL && info->loop != NULL && info->loop->lanes;
}

/* Whether an index is known to go beyond a row of the storage: of a view, whose
 * own shape may be another, or as lanes of a vector that fills several rows. The
 * address is what counts (R4, R15). */
static bool leaves_rows(struct front *f, const struct fview *v,
                        struct ir_expr *const *index)
{
    const struct fstorage *s = v->storage;
    bool whole = s->rank > 1 && is_whole(f, v);
    for (size_t d = 1; d < s->rank; d++) {
        int64_t lo, hi, n;
        struct ir_expr *x = v->from[d] >= 0 ? index[v->from[d]] : NULL;
        if (x == NULL || (whole && !ir_expr_any(x, is_lane, f)))
            continue;
        if (v->base[d] != NULL)
            x = fx_add(f, fx_wide(f, v->base[d]), fx_wide(f, x));
        if (ir_const_int(s->shape[d], &n) && fx_range(f, x, &lo, &hi) &&
            (lo < 0 || hi >= n))
            return true;
    }
    return false;
}

bool front_access(struct front *f, const struct fview *v, size_t n,
                  struct ir_expr *const *index, struct ir_expr *elem,
                  struct faccess *out)
{
    if (n != v->rank) {
        front_refuse(f, f->stmt->pos, "'%s' is used with %zu indices",
                     v->buffer->name, n);
        return false;
    }
    struct facts *facts = v->storage->facts;
    bool punned = facts != NULL && facts->punned;
    if (facts != NULL && !facts->warp && v->storage->launch != NULL &&
        front_is_fragment(v->storage->source->scope))
        f->again = facts->warp = true; /* lanes may access each other's */
    if (v->box && !punned && !leaves_rows(f, v, index))
        return access_box(f, v, index, elem, out);
    struct ir_expr *at = elem != NULL ? fx_wide(f, elem) : fx_index(f, 0);
    if (v->box) {
        for (size_t d = 0; d < v->storage->rank; d++) {
            struct ir_expr *x = v->from[d] >= 0 ? fx_wide(f, index[v->from[d]])
                                                : fx_index(f, 0);
            if (v->base[d] != NULL)
                x = fx_add(f, fx_wide(f, v->base[d]), x);
            at = fx_add(
                f,
                fx_mul(f, x,
                       fx_mul(f, v->storage->stride[d], fx_index(f, v->lanes))),
                at);
        }
        return access_typed(f, v->storage, v->scalar, at, out);
    }
    for (size_t k = n; k-- > 0;) {
        if (ir_is_const_int(v->stride[k], 0) && fx_may_fault(index[k])) {
            if (!OBLIGED_FRONT(f, "an index of no effect is defined",
                               !ir_has_load(index[k])))
                front_refuse(f, f->stmt->pos,
                             "an index that is data and has no effect");
            front_eval(f, index[k]); /* used or not (R7) */
        }
        at = fx_add(f, fx_mul(f, fx_wide(f, index[k]), v->stride[k]), at);
    }
    return access_typed(f, v->storage, v->scalar, fx_add(f, v->offset, at),
                        out);
}

bool front_access_at(struct front *f, const struct fpointer *p, struct dtype t,
                     struct ir_expr *index, struct faccess *out)
{
    t = dtype_scalar(t);
    struct ir_expr *at = offset_in(f, p, (uint32_t)dtype_lane_bytes(t));
    return access_typed(f, p->storage, t, fx_add(f, at, fx_wide(f, index)),
                        out);
}

struct ir_expr *front_load(struct front *f, const struct faccess *a)
{
    if (f->again || a->n != a->storage->pub.buffer->rank)
        return fx_undef(f, a->storage->scalar);
    return ir_load(f->m, a->storage->pub.buffer, a->n, a->index, NULL);
}

void front_store_at(struct front *f, const struct faccess *a,
                    struct ir_expr *value)
{
    (void)front_store(f, a->storage, a->n, a->index, value);
}

/* ---- pointers --------------------------------------------------------------------------------- */

static void pointer_shift(struct front *f, struct fpointer *p,
                          struct ir_expr *count, uint32_t unit)
{
    count = fx_wide(f, count);
    if (p->offset == NULL || p->unit == unit) {
        p->offset =
            p->offset == NULL ? count : fx_add(f, fx_wide(f, p->offset), count);
        p->unit = unit;
        return;
    }
    uint32_t small = p->unit < unit ? p->unit : unit;
    p->offset = fx_add(f, offset_in(f, p, small),
                       fx_mul(f, count, fx_index(f, unit / small)));
    p->unit = small;
}

/* The address of an element; a ramp's is its first lane's. */
static bool pointer_to(struct front *f, struct ir_expr *load,
                       struct fpointer *out)
{
    struct fview *v = front_view(f, load->u.buffer);
    if (v == NULL || load->nargs != v->rank || load->predicate != NULL)
        return false;
    *out = (struct fpointer){v->storage, NULL,
                             (uint32_t)dtype_lane_bytes(v->scalar),
                             v->buffer->dtype};
    struct ir_expr *at = fx_mul(f, view_origin(f, v), fx_index(f, v->lanes));
    for (size_t k = 0; k < v->rank; k++) {
        struct ir_expr *x = load->args[k];
        x = front_scalar(f, x->kind == IR_RAMP ? x->args[0] : x);
        at = fx_add(
            f, at,
            fx_mul(f, fx_wide(f, x),
                   fx_mul(f, view_stride(f, v, k), fx_index(f, v->lanes))));
    }
    out->offset = at;
    return true;
}

/* An index of an element whose address is taken. */
static void eval_index(struct front *f, struct ir_expr *e)
{
    if (e->dtype.lanes == 1)
        front_eval_if(f, e);
    for (uint32_t i = 0; e->kind == IR_RAMP && i < e->nargs; i++)
        eval_index(f, e->args[i]);
}

/* Integers in an expression of a pointer. */
static void eval_pointer(struct front *f, struct ir_expr *e)
{
    bool address =
        e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF && e->nargs == 1;
    for (uint32_t i = 0; i < e->nargs; i++) {
        struct ir_expr *x = e->args[i];
        if (dtype_is_handle(x->dtype))
            eval_pointer(f, x);
        else if (address && x->kind == IR_LOAD)
            for (uint32_t k = 0; k < x->nargs; k++)
                eval_index(f, x->args[k]);
        else if (x->dtype.lanes == 1 && x->kind != IR_STRING_IMM &&
                 !(x->kind == IR_CALL && x->u.call.op == IR_OP_TYPE_ANNOTATION))
            front_eval_if(f, x);
    }
}

static bool pointer_of(struct front *f, struct ir_expr *e,
                       struct fpointer *out);

static bool pointer_call(struct front *f, struct ir_expr *e,
                         struct fpointer *out)
{
    enum ir_op op = e->u.call.op;
    if (op == IR_OP_BUFFER_DATA && e->nargs == 1)
        return pointer_of(f, e->args[0], out);
    if (op == IR_OP_ADDRESS_OF && e->nargs == 1)
        return e->args[0]->kind == IR_LOAD ? pointer_to(f, e->args[0], out)
                                           : pointer_of(f, e->args[0], out);
    if (op == IR_OP_TVM_ACCESS_PTR && e->nargs == 5) {
        struct dtype t = e->args[0]->dtype;
        if (!pointer_of(f, e->args[1], out) || dtype_lane_bytes(t) == 0)
            return false;
        struct ir_expr *count = fx_wide(f, front_scalar(f, e->args[2]));
        pointer_shift(f, out, fx_mul(f, count, fx_index(f, t.lanes)),
                      (uint32_t)dtype_lane_bytes(t));
        out->elem = t;
        return true;
    }
    if ((op == IR_OP_HANDLE_ADD_BYTE_OFFSET || op == IR_OP_PTR_BYTE_OFFSET) &&
        e->nargs >= 2) {
        if (!pointer_of(f, e->args[0], out))
            return false;
        pointer_shift(f, out, front_scalar(f, e->args[1]), 1);
        return true;
    }
    if (op == IR_OP_REINTERPRET && e->nargs == 1)
        return pointer_of(f, e->args[0], out);
    return false;
}

static bool pointer_of(struct front *f, struct ir_expr *e, struct fpointer *out)
{
    bool ok = false;
    if (e->kind == IR_CAST)
        return pointer_of(f, e->args[0], out);
    if (e->kind == IR_VAR_REF) {
        const struct binding *b = &f->env[e->u.var->id];
        ok = b->kind == BOUND_POINTER;
        if (ok)
            *out = b->pointer;
    } else if (e->kind == IR_BUFFER_REF) {
        const struct binding *b = &f->env[e->u.buffer->data->id];
        ok = b->kind == BOUND_POINTER;
        if (ok)
            *out = b->pointer;
    } else if (e->kind == IR_CALL) {
        ok = pointer_call(f, e, out);
    }
    if (ok)
        front_touch(f, out->storage);
    else
        front_refuse(f, f->stmt->pos, "a pointer that is not understood");
    return ok;
}

bool front_pointer(struct front *f, struct ir_expr *e, struct fpointer *out)
{
    eval_pointer(f, e);
    return pointer_of(f, e, out);
}
