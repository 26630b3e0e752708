/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors: the arguments and results of runs.
 *
 * A tensor is a flat row-major array of cells with one state byte each. The
 * lanes of the element type are an innermost dimension that the shape does
 * not show. MAX_ELEMENTS keeps a tensor below the limit on one buffer, and a
 * shape beyond it gives no tensor instead of a huge one.
 */
#include "interp/machine/exec.h"
#include "ir/base/limits.h"

#include <string.h>

#define MAX_ELEMENTS (DC_MAX_BUFFER_BYTES / 16)

/* product(shape) * lanes; false when negative or beyond the limit. */
static bool count_elements(struct dtype dtype, size_t rank,
                           const int64_t *shape, size_t *out)
{
    if (rank > DC_MAX_RANK || dtype.scalable || dtype.lanes == 0)
        return false;
    bool empty = false;
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] < 0)
            return false;
        empty = empty || shape[i] == 0;
    }
    size_t n = dtype.lanes;
    for (size_t i = 0; i < rank && !empty; i++) {
        if ((uint64_t)shape[i] > MAX_ELEMENTS / n)
            return false;
        n *= (size_t)shape[i];
    }
    *out = empty ? 0 : n;
    return true;
}

static enum interp_cell cell_of(struct dtype t)
{
    unsigned log = t.bits <= 8 ? 0 : t.bits <= 16 ? 1 : t.bits <= 32 ? 2 : 3;
    return (enum interp_cell)(
        (t.code == DT_INT ? INTERP_CELL_I8 : INTERP_CELL_U8) + log);
}

/* What NaNs are; 0 magnitude: there is nothing to look at. */
static void describe_nans(struct interp_tensor *t)
{
    static const struct {
        uint8_t code, bits;
        uint64_t infinity, quiet;
    } rows[] = {
        {DT_FLOAT, 16, 0x7c00, 0x7e00},
        {DT_BFLOAT, 16, 0x7f80, 0x7fc0},
        {DT_FLOAT, 32, 0x7f800000, 0x7fc00000},
        {DT_FLOAT, 64, 0x7ff0000000000000, 0x7ff8000000000000},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        if (rows[i].code == t->dtype.code && rows[i].bits == t->dtype.bits) {
            t->nan.magnitude = ~UINT64_C(0) >> (65 - rows[i].bits);
            t->nan.infinity = rows[i].infinity;
            t->nan.quiet = rows[i].quiet;
        }
}

struct interp_tensor *interp_tensor_new(struct dtype dtype, size_t rank,
                                        const int64_t *shape)
{
    size_t elements;
    if (!count_elements(dtype, rank, shape, &elements))
        return NULL;
    struct interp_tensor *t = dc_alloc(sizeof *t);
    t->dtype = dtype;
    t->rank = rank;
    t->elements = elements;
    t->shape = dc_alloc((rank + 1) * sizeof *t->shape);
    if (rank != 0)
        memcpy(t->shape, shape, rank * sizeof *t->shape);
    t->cell = cell_of(dtype);
    describe_nans(t);
    t->cells = dc_alloc((elements + 1) * interp_cell_bytes(t->cell));
    t->state = dc_alloc(elements + 1);
    return t;
}

struct interp_tensor *interp_tensor_clone(const struct interp_tensor *t)
{
    struct interp_tensor *copy = interp_tensor_new(t->dtype, t->rank, t->shape);
    if (copy == NULL)
        return NULL;
    interp_tensor_copy(copy, t);
    memcpy(copy->state, t->state, t->elements);
    if (t->box != NULL) {
        copy->box = dc_alloc((t->elements + 1) * sizeof *t->box);
        memcpy(copy->box, t->box, t->elements * sizeof *t->box);
    }
    return copy;
}

void interp_tensor_copy(struct interp_tensor *to,
                        const struct interp_tensor *from)
{
    if (to->elements != from->elements || to->cell != from->cell)
        DC_BUG("tensors of different sizes");
    memcpy(to->cells, from->cells, to->elements * interp_cell_bytes(to->cell));
    to->odd_nans = from->odd_nans;
}

void interp_tensor_free(struct interp_tensor *t)
{
    if (t == NULL)
        return;
    dc_release(t->shape);
    dc_release(t->cells);
    dc_release(t->box);
    dc_release(t->state);
    dc_release(t);
}

void interp_tensor_to_points(struct interp_tensor *t,
                             enum interp_domain_kind domain)
{
    const struct interp_domain *d = interp_domain_of(domain);
    if (d->point == NULL)
        return;
    if (t->box == NULL)
        t->box = dc_alloc((t->elements + 1) * sizeof *t->box);
    if (dtype_is_handle(t->dtype))
        return;
    for (size_t i = 0; i < t->elements; i++)
        t->box[i] = d->point(dtype_scalar(t->dtype), interp_tensor_get(t, i));
}

void interp_tensor_to_box(struct interp_tensor *t)
{
    interp_tensor_to_points(t, INTERP_INTERVAL);
}

void interp_put_index(struct buf *out, const struct interp_tensor *t,
                      size_t element)
{
    size_t lanes = t->dtype.lanes > 0 ? t->dtype.lanes : 1;
    size_t rest = element / lanes, span = 1;
    for (size_t i = 1; i < t->rank; i++)
        span *= t->shape[i] > 0 ? (size_t)t->shape[i] : 1;
    buf_putc(out, '[');
    for (size_t i = 0; i < t->rank; i++) {
        buf_printf(out, "%s%zu", i == 0 ? "" : ", ", rest / span);
        rest %= span;
        if (i + 1 < t->rank && t->shape[i + 1] > 0)
            span /= (size_t)t->shape[i + 1];
    }
    buf_putc(out, ']');
    if (lanes > 1)
        buf_printf(out, " lane %zu", element % lanes);
}
