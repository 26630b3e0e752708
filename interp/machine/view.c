/* SPDX-License-Identifier: Apache-2.0
 *
 * Buffers as they stand in a frame: shape, strides and offset evaluated once
 * where the buffer is defined, so that an access is index arithmetic only.
 *
 * The data variable is what names storage: a view made by a definition is
 * good until the scope ends; a buffer that is used without one (several
 * buffers sharing a data variable, TVM <= 0.24) gets a lazy view, which is
 * made again when the data variable points elsewhere.
 *
 * View objects stay in their slot when a scope ends (alloc = NULL) and are
 * filled again next time.
 */
#include "interp/machine/view.h"

#include "ir/base/limits.h"

#include <string.h>

/* Offsets in bytes stay below this, so that sums cannot overflow. */
#define MAX_REACH ((int64_t)1 << 56)

struct view **view_slot(struct machine *m, const struct ir_buffer *buffer)
{
    struct frame *f = m->frame;
    uint32_t i = buffer->id - f->plan->buffer_base;
    if (i < f->plan->nbuffers)
        return &f->views[i];
    exec_fault(m, INTERP_UNDEFINED_VAR, buffer, NULL, "is not defined");
    return NULL;
}

/* The slot's view object, with room for the rank, not yet valid. */
static struct view *view_take(struct machine *m, const struct ir_buffer *b)
{
    struct view **slot = view_slot(m, b);
    if (slot == NULL)
        return NULL;
    struct view *v = *slot;
    if (v == NULL) {
        v = dc_alloc(sizeof *v + 2 * b->rank * sizeof(int64_t));
        v->shape = (int64_t *)(v + 1);
        v->stride = v->shape + b->rank;
        *slot = v;
    }
    v->buffer = b;
    v->alloc = NULL;
    v->base = 0;
    v->rank = b->rank;
    v->lane = dtype_scalar(b->dtype);
    v->lane_bytes = (uint32_t)dtype_lane_bytes(b->dtype);
    v->elem_lanes = b->dtype.lanes > 0 ? b->dtype.lanes : 1;
    v->origin = 0;
    v->lazy = false;
    v->owner = false;
    return v;
}

static bool supported(struct machine *m, const struct ir_buffer *b)
{
    const char *what = NULL;
    if (b->dtype.scalable)
        what = "has a scalable element type";
    else if (dtype_lane_bytes(b->dtype) == 0 || dtype_lane_bytes(b->dtype) > 8)
        what = "has an element type that cannot be stored";
    else if (b->rank > DC_MAX_RANK)
        what = "has too many dimensions";
    if (what != NULL)
        exec_fault(m, INTERP_UNSUPPORTED, b, NULL, "%s", what);
    return what == NULL;
}

static bool dim_value(struct machine *m, const struct ir_buffer *b,
                      const struct ir_expr *e, const char *what, int64_t *out)
{
    if (e->kind == IR_INT_IMM) {
        *out = e->u.int_value;
        return true;
    }
    struct buf name = {0};
    buf_printf(&name, "the %s of buffer '%s'", what, b->name);
    bool ok = exec_eval_index(m, e, buf_text(&name), out);
    buf_fini(&name);
    return ok;
}

static bool mul_fits(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out) &&
           *out<MAX_REACH && * out> - MAX_REACH;
}

/* Strides: given, or compact row-major from the shape. */
static bool view_strides(struct machine *m, struct view *v)
{
    const struct ir_buffer *b = v->buffer;
    int64_t step = 1;
    for (size_t d = v->rank; d-- > 0;) {
        v->stride[d] = step;
        if (!mul_fits(step, v->shape[d] > 1 ? v->shape[d] : 1, &step))
            return false;
    }
    for (size_t d = 0; d < v->rank && b->nstrides == v->rank; d++)
        if (!dim_value(m, b, b->strides[d], "stride", &v->stride[d]))
            return false;
    return true;
}

/* Whether all offsets that indices in range can give stay below MAX_REACH. */
static bool view_reach(const struct view *v)
{
    int64_t sum = 0, elem = (int64_t)v->lane_bytes * v->elem_lanes, part;
    for (size_t d = 0; d < v->rank; d++) {
        int64_t last = v->shape[d] > 1 ? v->shape[d] - 1 : 0;
        if (!mul_fits(last, v->stride[d], &part) ||
            !mul_fits(part, elem, &part))
            return false;
        sum += part < 0 ? -part : part;
        if (sum >= MAX_REACH)
            return false;
    }
    return true;
}

/* That no machine holds a buffer is no fault of the program, as little as that
 * this one does not (mem_alloc_make): addresses are judged where they are used. */
static bool view_shape(struct machine *m, struct view *v)
{
    const struct ir_buffer *b = v->buffer;
    for (size_t d = 0; d < v->rank; d++)
        if (!dim_value(m, b, b->shape[d], "shape", &v->shape[d]))
            return false;
    if (view_strides(m, v) && view_reach(v))
        return true;
    exec_fault(m, INTERP_BUDGET, b, NULL,
               "has a shape or strides beyond any address");
    return false;
}

/* Product of the shape; 0 if a dimension is not positive. */
static int64_t view_elements(const struct view *v)
{
    int64_t n = 1;
    for (size_t d = 0; d < v->rank; d++)
        n = v->shape[d] > 0 ? n * v->shape[d] : 0;
    return n;
}

/* Bytes from the first to the last element. */
static int64_t view_extent(const struct view *v)
{
    int64_t last = 0;
    if (view_elements(v) == 0)
        return 0;
    for (size_t d = 0; d < v->rank; d++)
        if (v->stride[d] > 0)
            last += (v->shape[d] - 1) * v->stride[d];
    return (last + 1) * v->lane_bytes * v->elem_lanes;
}

static bool elem_offset(struct machine *m, const struct view *v, int64_t *out)
{
    *out = 0;
    const struct ir_expr *e = v->buffer->elem_offset;
    if (e == NULL)
        return true;
    if (!dim_value(m, v->buffer, e, "element offset", out))
        return false;
    return mul_fits(*out, (int64_t)v->lane_bytes * v->elem_lanes, out);
}

struct view *view_make(struct machine *m, const struct ir_buffer *buffer,
                       struct alloc *alloc, uint64_t origin)
{
    struct view *v = supported(m, buffer) ? view_take(m, buffer) : NULL;
    int64_t offset;
    if (v == NULL || !view_shape(m, v) || !elem_offset(m, v, &offset))
        return NULL;
    v->base = offset;
    v->alloc = alloc;
    v->origin = origin;
    return v;
}

/* In a kernel thread: a copy of the host's view, if that has one. */
static struct view *view_inherit(struct machine *m,
                                 const struct ir_buffer *buffer)
{
    uint32_t i = buffer->id - m->frame->plan->buffer_base;
    const struct view *from = m->frame->outer->views[i];
    if (from == NULL || from->alloc == NULL || from->lazy)
        return NULL;
    struct view *v = view_take(m, buffer);
    memcpy(v->shape, from->shape, v->rank * sizeof *v->shape);
    memcpy(v->stride, from->stride, v->rank * sizeof *v->stride);
    v->base = from->base;
    v->origin = from->origin;
    v->alloc = from->alloc;
    /* Storage that the host made of a scope of threads is another one here, for
     * every buffer that names it (rule 4). */
    struct view **own = NULL;
    if (from->alloc->param < 0 && from->alloc->scope != IR_SCOPE_GLOBAL &&
        from->alloc->buffer != buffer)
        own = view_slot(m, from->alloc->buffer);
    if (own != NULL && *own != NULL && (*own)->alloc != NULL) {
        v->origin = (*own)->origin;
        v->alloc = (*own)->alloc;
    }
    return v;
}

struct view *view_get(struct machine *m, const struct ir_buffer *buffer)
{
    struct view **slot = view_slot(m, buffer);
    if (slot == NULL)
        return NULL;
    struct view *v = *slot;
    if (v != NULL && v->alloc != NULL && !v->lazy)
        return v;
    if (m->frame->outer != NULL && (v == NULL || v->alloc == NULL)) {
        v = view_inherit(m, buffer);
        if (v != NULL)
            return v;
    }
    struct value data = var_get(m, buffer->data);
    v = *slot;
    if (v != NULL && v->alloc != NULL && v->origin == data.u.bits)
        return v;
    struct pointer p;
    if (!exec_pointer_get(m, data, &p))
        return NULL;
    v = view_make(m, buffer, p.alloc, data.u.bits);
    if (v != NULL) {
        v->base += p.offset;
        v->lazy = true;
    }
    return v;
}

void view_unset(struct machine *m, const struct ir_buffer *buffer)
{
    struct view **slot = view_slot(m, buffer);
    if (slot != NULL && *slot != NULL)
        (*slot)->alloc = NULL;
}

/* The first dimension that its index leaves; n: none. */
static size_t beyond_shape(const struct view *v, size_t n, const int64_t *index)
{
    for (size_t d = 0; d < n; d++)
        if ((uint64_t)index[d] >= (uint64_t)v->shape[d])
            return d;
    return n;
}

static bool flat_offset(const struct view *v, size_t n, const int64_t *index,
                        int64_t *offset)
{
    int64_t sum = 0, part;
    for (size_t d = 0; d < n; d++)
        if (__builtin_mul_overflow(index[d], v->stride[d], &part) ||
            __builtin_add_overflow(sum, part, &sum))
            return false;
    return !__builtin_mul_overflow(sum, (int64_t)v->lane_bytes * v->elem_lanes,
                                   &sum) &&
           !__builtin_add_overflow(v->base, sum, offset);
}

static bool fault_outside(struct machine *m, const struct view *v, size_t d,
                          size_t n, const int64_t *index, const int64_t *offset)
{
    struct buf text = {0};
    if (d < n)
        buf_printf(&text, "index %zu is %lld, outside [0, %lld)", d,
                   (long long)index[d], (long long)v->shape[d]);
    if (d < n && offset != NULL)
        buf_printf(&text, ", and ");
    if (offset != NULL)
        buf_printf(&text, "byte %lld is outside its %zu bytes of storage",
                   (long long)*offset, v->alloc->size);
    exec_fault(m, INTERP_OUT_OF_BOUNDS, v->buffer, NULL, "%s",
               text.len > 0 ? buf_text(&text) : "has no such address");
    buf_fini(&text);
    return false;
}

static void note_beyond(struct machine *m, const struct view *v, size_t d,
                        int64_t index)
{
    struct buf text = {0};
    if (m->result.beyond != NULL)
        return;
    buf_printf(&text,
               "buffer '%s' index %zu is %lld, outside of its declared [0, "
               "%lld) and inside of the storage",
               v->buffer->name, d, (long long)index, (long long)v->shape[d]);
    m->result.beyond = text.data;
}

bool view_offset(struct machine *m, const struct view *v, size_t n,
                 const int64_t *index, int64_t *offset)
{
    size_t bytes = (size_t)v->lane_bytes * v->elem_lanes;
    size_t d = beyond_shape(v, n, index);
    if (!flat_offset(v, n, index, offset))
        return fault_outside(m, v, d, n, index, NULL);
    if (*offset < 0 || (uint64_t)*offset + bytes > v->alloc->size)
        return fault_outside(m, v, d, n, index, offset);
    if (d < n)
        note_beyond(m, v, d, index[d]);
    return true;
}

/* ---- definitions ------------------------------------------------------------------ */

struct alloc *view_buffer_storage(struct machine *m, const struct ir_buffer *b)
{
    view_buffer_release(m, b); /* one that no scope has ended */
    struct view *v = view_make(m, b, NULL, 0);
    if (v == NULL)
        return NULL;
    int64_t size;
    if (!mul_fits(view_extent(v), 1, &size) || v->base < 0 ||
        v->base >= MAX_REACH - size) {
        exec_fault(m, INTERP_BUDGET, b, NULL, "has a size beyond any address");
        return NULL;
    }
    return mem_alloc_make(m, b, (size_t)(size + v->base));
}

bool view_buffer_bind(struct machine *m, const struct ir_buffer *b,
                      struct alloc *alloc)
{
    if (alloc == NULL)
        return false;
    view_buffer_release(m, b);
    struct pointer p = {alloc, 0, b->dtype};
    struct value data = exec_pointer_make(m, p, 0);
    var_set(m, b->data, data);
    struct view *v = view_make(m, b, alloc, data.u.bits);
    if (v == NULL)
        return false;
    v->owner = true;
    alloc->refs++;
    return true;
}

bool view_buffer_alloc(struct machine *m, const struct ir_buffer *b)
{
    struct alloc *a = view_buffer_storage(m, b);
    bool ok = view_buffer_bind(m, b, a);
    if (a != NULL) {
        a->private_ = m->kernel != NULL && m->thread != &m->host &&
                      a->scope != IR_SCOPE_SHARED &&
                      a->scope != IR_SCOPE_SHARED_DYN &&
                      a->scope != IR_SCOPE_WARP;
        mem_alloc_drop(m, a);
    }
    return ok;
}

void view_buffer_release(struct machine *m, const struct ir_buffer *b)
{
    struct view **slot = view_slot(m, b);
    if (slot == NULL || *slot == NULL || (*slot)->alloc == NULL ||
        !(*slot)->owner)
        return;
    struct alloc *a = (*slot)->alloc;
    (*slot)->alloc = NULL;
    var_unset(m, b->data);
    mem_alloc_drop(m, a);
}

/* ---- match_buffer -------------------------------------------------------------------- */

/* Binds a symbolic dimension, stride or offset, or checks it against value. */
static bool match_symbol(struct machine *m, const struct ir_buffer *b,
                         struct ir_expr *e, int64_t value, const char *what)
{
    uint32_t id = e->kind == IR_VAR_REF
                      ? e->u.var->id - m->frame->plan->var_base
                      : UINT32_MAX;
    if (id < m->frame->plan->nvars && (m->frame->vars[id].flags & V_UNBOUND)) {
        unsigned flags = 0;
        uint64_t bits = num_from_int(e->u.var->dtype, value, &flags);
        if (flags & NUM_WRAPPED) {
            exec_fault(m, INTERP_ASSERT, b, NULL,
                       "matches %s %lld, which '%s' does not hold", what,
                       (long long)value, e->u.var->name);
            return false;
        }
        var_set(m, e->u.var, exec_value_scalar(bits, V_MATCHED));
        return true;
    }
    int64_t have;
    if (!dim_value(m, b, e, what, &have))
        return false;
    if (have == value)
        return true;
    exec_fault(m, INTERP_ASSERT, b, NULL,
               "is declared with %s %lld but matches one of %lld", what,
               (long long)have, (long long)value);
    return false;
}

/* Evaluates the region: its first element, and checks that the dimensions
 * that the match leaves out have extent 1. */
static bool match_region(struct machine *m, const struct ir_match_buffer *x,
                         const struct view *source, int64_t *min,
                         int64_t *extent)
{
    size_t skip = source->rank - x->buffer->rank;
    for (size_t d = 0; d < source->rank; d++) {
        const struct ir_range *r = &x->source.ranges[d];
        if (!dim_value(m, x->buffer, r->min, "region", &min[d]) ||
            !dim_value(m, x->buffer, r->extent, "region", &extent[d]))
            return false;
        if (d < skip && extent[d] != 1) {
            exec_fault(m, INTERP_UNSUPPORTED, x->buffer, NULL,
                       "matches a region of more dimensions than it has");
            return false;
        }
    }
    return true;
}

/* Bytes from the storage's start to the region's first element. A region is a
 * claim (rule 15): what leaves the source's shape is seen at the accesses. */
static bool match_base(struct machine *m, const struct view *source,
                       const int64_t *min, int64_t *base)
{
    if (flat_offset(source, source->rank, min, base))
        return true;
    exec_fault(m, INTERP_OUT_OF_BOUNDS, source->buffer, NULL,
               "is matched where it has no address");
    return false;
}

static bool match_bind(struct machine *m, const struct ir_match_buffer *x,
                       const struct view *source, const int64_t *extent,
                       int64_t base)
{
    struct ir_buffer *b = x->buffer;
    size_t skip = source->rank - b->rank;
    int64_t elem = (int64_t)source->lane_bytes * source->elem_lanes;
    for (size_t d = 0; d < b->rank; d++)
        if (!match_symbol(m, b, b->shape[d], extent[skip + d], "extent"))
            return false;
    for (size_t d = 0; d < b->nstrides && d < b->rank; d++)
        if (!match_symbol(m, b, b->strides[d], source->stride[skip + d],
                          "stride"))
            return false;
    if (b->elem_offset == NULL || b->elem_offset->kind != IR_VAR_REF)
        return true;
    return match_symbol(m, b, b->elem_offset, base / elem, "element offset");
}

bool view_buffer_match(struct machine *m, const struct ir_match_buffer *x)
{
    struct view *source = view_get(m, x->source.buffer);
    if (source == NULL)
        return false;
    struct ir_buffer *b = x->buffer;
    if (source->rank < b->rank || x->source.nranges != source->rank ||
        source->rank > DC_MAX_RANK ||
        !dtype_equal(source->buffer->dtype, b->dtype)) {
        exec_fault(m, INTERP_UNSUPPORTED, b, NULL,
                   "matches a buffer of another type or rank");
        return false;
    }
    int64_t min[DC_MAX_RANK], extent[DC_MAX_RANK], base;
    if (!match_region(m, x, source, min, extent) ||
        !match_base(m, source, min, &base))
        return false;
    /* the storage's own base: element offsets count from there */
    struct value data = var_get(m, x->source.buffer->data);
    struct pointer p;
    if (!exec_pointer_get(m, data, &p) ||
        !match_bind(m, x, source, extent, base - p.offset))
        return false;
    var_set(m, b->data, data);
    struct view *v = supported(m, b) ? view_take(m, b) : NULL;
    if (v == NULL)
        return false;
    size_t skip = source->rank - b->rank;
    for (size_t d = 0; d < b->rank; d++) {
        v->shape[d] = extent[skip + d];
        v->stride[d] = source->stride[skip + d];
    }
    v->base = base;
    v->origin = data.u.bits;
    v->alloc = source->alloc;
    return true;
}

static void unset_symbol(struct machine *m, const struct ir_expr *e)
{
    if (e == NULL || e->kind != IR_VAR_REF)
        return;
    uint32_t id = e->u.var->id - m->frame->plan->var_base;
    if (id < m->frame->plan->nvars && (m->frame->vars[id].flags & V_MATCHED))
        var_unset(m, e->u.var);
}

void view_buffer_unmatch(struct machine *m, const struct ir_match_buffer *x)
{
    const struct ir_buffer *b = x->buffer;
    for (size_t d = 0; d < b->rank; d++)
        unset_symbol(m, b->shape[d]);
    for (size_t d = 0; d < b->nstrides; d++)
        unset_symbol(m, b->strides[d]);
    unset_symbol(m, b->elem_offset);
    view_unset(m, b);
    var_unset(m, b->data);
}
