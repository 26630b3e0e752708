/* SPDX-License-Identifier: Apache-2.0
 *
 * match_buffer: a view whose first element is an affine form. Follows
 * buffer_match of view.c, also in the steps that it charges; a region that is
 * not plainly inside of its source is left to the walker.
 */
#include "interp/fast/lower.h"

/* A form without data; steps as dim_value of view.c. */
static bool plain_form(struct lower *l, const struct ir_expr *e,
                       struct affine *out)
{
    bool outer = l->data;
    l->data = false;
    bool ok = lower_affine(l, e, out) && !l->data;
    l->data = outer;
    if (!ok)
        return lower_give_up(l->e, "a computed region");
    if (e->kind != IR_INT_IMM)
        lower_cost(l, lower_expr_cost(e));
    return true;
}

/* Binds a symbol to a value, or sees that it has it. */
static bool match_symbol(struct lower *l, const struct ir_expr *e,
                         const struct affine *value)
{
    struct binding *b =
        e->kind == IR_VAR_REF ? lower_binding(l, e->u.var) : NULL;
    struct affine have, difference;
    if (b != NULL && b->kind == BOUND_NOT) {
        unsigned flags = 0;
        (void)num_from_int(e->u.var->dtype, value->lo, &flags);
        (void)num_from_int(e->u.var->dtype, value->hi, &flags);
        if (flags != 0)
            return lower_give_up(l->e, "a match that does not fit its symbol");
        b->kind = BOUND_AFFINE;
        b->data = false;
        b->matched = true;
        b->at = *value;
        return true;
    }
    return plain_form(l, e, &have) &&
           ((affine_sub(l->e, &have, value, &difference) &&
             difference.lo == 0 && difference.hi == 0) ||
            lower_give_up(l->e, "a match of another shape"));
}

static bool match_region(struct lower *l, const struct ir_match_buffer *x,
                         const struct fast_view *source, size_t rank,
                         struct fast_view *v)
{
    size_t skip = rank - x->buffer->rank;
    v->base = source->base;
    for (size_t d = 0; d < rank; d++) {
        const struct ir_range *r = &x->source.ranges[d];
        struct affine min, extent, part;
        if (!plain_form(l, r->min, &min) || !plain_form(l, r->extent, &extent))
            return false;
        if (extent.n != 0 || extent.c < 0 || (d < skip && extent.c != 1) ||
            min.lo < 0 || min.hi > source->dim[d] - extent.c)
            return lower_give_up(l->e,
                                 "a region not plainly inside of its buffer");
        if (!affine_scale(&min, source->stride[d], &part) ||
            !affine_add(l->e, &v->base, &part, &v->base))
            return lower_give_up(l->e, "an address of too many terms");
        if (d >= skip) {
            v->dim[d - skip] = extent.c;
            v->stride[d - skip] = source->stride[d];
        }
    }
    return true;
}

bool lower_match(struct lower *l, const struct ir_match_buffer *x)
{
    const struct ir_buffer *b = x->buffer, *from = x->source.buffer;
    const struct fast_view *source = lower_view(l, from);
    struct fast_view **slot = lower_view_slot(l, b);
    struct binding *data = lower_binding(l, b->data);
    if (source == NULL || slot == NULL || data == NULL ||
        b->data == from->data || from->rank < b->rank ||
        x->source.nranges != from->rank || !dtype_equal(b->dtype, from->dtype))
        return lower_give_up(l->e, "match_buffer");
    struct fast_view *v = ARENA_NEW(l->e->arena, struct fast_view);
    v->store = source->store;
    v->dim = ARENA_ARRAY(l->e->arena, b->rank + 1, int64_t);
    v->stride = ARENA_ARRAY(l->e->arena, b->rank + 1, int64_t);
    if (!match_region(l, x, source, from->rank, v))
        return false;
    v->distinct = source->distinct && v->base.n == 0;
    for (size_t d = 0; d < b->rank; d++) {
        struct affine extent = affine_const(v->dim[d]);
        if (!match_symbol(l, b->shape[d], &extent))
            return false;
    }
    for (size_t d = 0; d < b->nstrides && d < b->rank; d++) {
        struct affine stride = affine_const(v->stride[d]);
        if (!match_symbol(l, b->strides[d], &stride))
            return false;
    }
    if (b->elem_offset != NULL && b->elem_offset->kind == IR_VAR_REF &&
        !match_symbol(l, b->elem_offset, &v->base))
        return false;
    data->kind = BOUND_STORE;
    data->store = v->store;
    *slot = v;
    return true;
}

static void unmatch_symbol(struct lower *l, const struct ir_expr *e)
{
    struct binding *b =
        e != NULL && e->kind == IR_VAR_REF ? lower_binding(l, e->u.var) : NULL;
    if (b != NULL && b->matched) {
        b->kind = BOUND_NOT;
        b->matched = false;
    }
}

void lower_unmatch(struct lower *l, const struct ir_match_buffer *x)
{
    const struct ir_buffer *b = x->buffer;
    struct fast_view **slot = lower_view_slot(l, b);
    struct binding *data = lower_binding(l, b->data);
    for (size_t d = 0; d < b->rank; d++)
        unmatch_symbol(l, b->shape[d]);
    for (size_t d = 0; d < b->nstrides; d++)
        unmatch_symbol(l, b->strides[d]);
    unmatch_symbol(l, b->elem_offset);
    if (slot != NULL)
        *slot = NULL;
    if (data != NULL)
        data->kind = BOUND_NOT;
}
