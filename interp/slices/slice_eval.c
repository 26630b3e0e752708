/* SPDX-License-Identifier: Apache-2.0
 *
 * The analysis side of slices: the range of an integer expression when some
 * variables are points and others ranges, the cells that an access may touch,
 * and what an expression reads and writes.
 *
 * All answers err on the side of more: an unknown index is the whole
 * dimension, an unknown address the whole region.
 */
#include "interp/slices/slice.h"

void slice_begin(struct slice *s)
{
    s->epoch++;
    s->use_wide = false;
}

void slice_bind(struct slice *s, const struct ir_var *var, struct span value)
{
    if (var->id < s->nvars) {
        s->inner[var->id] = value;
        s->inner_epoch[var->id] = s->epoch;
    }
}

/* ---- values --------------------------------------------------------------- */

static struct span machine_span(const struct machine *m,
                                const struct ir_var *var)
{
    const struct frame *f = m->frame;
    uint32_t i = var->id - f->plan->var_base;
    if (i >= f->plan->nvars || dtype_is_float(var->dtype) ||
        dtype_is_handle(var->dtype))
        return slice_span_unknown();
    struct value v = f->vars[i];
    if (v.flags &
        (V_UNDEF | V_UNBOUND | V_VECTOR | V_BOX | V_POINTER | V_MAYBE))
        return slice_span_unknown();
    if (var->dtype.code == DT_UINT && (int64_t)v.u.bits < 0)
        return slice_span_unknown();
    return slice_span_point((int64_t)v.u.bits);
}

static struct span var_span(const struct slice *s, const struct ir_var *var)
{
    uint32_t i = var->id;
    if (i >= s->nvars)
        return slice_span_unknown();
    if (s->inner_epoch[i] == s->epoch)
        return s->inner[i];
    if (s->use_wide && s->wide_epoch[i] == s->epoch)
        return s->wide[i];
    if (s->collecting && s->outer_set[i])
        return s->outer[i];
    return machine_span(s->m, var);
}

/* A result that does not fit its type would wrap: unknown. */
static struct span fit(struct span v, struct dtype t)
{
    if (!slice_span_known(v) || t.bits >= 62 || !dtype_is_int(t))
        return v;
    int64_t hi = ((int64_t)1 << (t.code == DT_INT ? t.bits - 1 : t.bits)) - 1;
    int64_t lo = t.code == DT_INT ? -hi - 1 : 0;
    return v.lo < lo || v.hi > hi ? slice_span_unknown() : v;
}

static struct span choice_span(struct slice *s, const struct ir_expr *e)
{
    struct span c = slice_span(s, e->args[0]);
    if (slice_span_is_point(c))
        return slice_span(s, e->args[c.lo != 0 ? 1 : 2]);
    return slice_span_hull(slice_span(s, e->args[1]),
                           slice_span(s, e->args[2]));
}

static struct span ramp_span(struct slice *s, const struct ir_expr *e)
{
    struct span base = slice_span(s, e->args[0]);
    struct span step = slice_span(s, e->args[1]);
    if (e->dtype.scalable || e->dtype.lanes == 0)
        return slice_span_unknown();
    struct span last =
        slice_span_binary(IR_MUL, step, slice_span_point(e->dtype.lanes - 1));
    return slice_span_hull(base, slice_span_binary(IR_ADD, base, last));
}

/* An element of a parameter that nothing writes, at a known place. While what
 * is written is looked for, nobody knows. */
static struct span load_span(struct slice *s, const struct ir_expr *e)
{
    const struct machine *m = s->m;
    const struct ir_buffer *b = e->u.buffer;
    if (s->region_of == NULL || slice_region(s, b->data) != NULL ||
        !dtype_is_int(e->dtype) || e->dtype.lanes != 1 || b->dtype.lanes != 1)
        return slice_span_unknown();
    for (size_t p = 0; p < m->nargs && p < m->func->prim.nparams; p++) {
        const struct interp_tensor *t = m->args[p].tensor;
        if (m->func->prim.params[p].buffer != b || t == NULL ||
            t->rank != e->nargs || !dtype_equal(t->dtype, b->dtype))
            continue;
        size_t at = 0;
        for (size_t k = 0; k < t->rank; k++) {
            struct span x = slice_span(s, e->args[k]);
            if (!slice_span_is_point(x) || x.lo < 0 || x.lo >= t->shape[k])
                return slice_span_unknown();
            at = at * (size_t)t->shape[k] + (size_t)x.lo;
        }
        if ((t->state[at] & (INTERP_DEFINED | INTERP_WRAPPED)) !=
            INTERP_DEFINED)
            return slice_span_unknown();
        return slice_span_point(num_to_int(t->dtype, interp_tensor_get(t, at)));
    }
    return slice_span_unknown();
}

static struct span call_span(struct slice *s, const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    if (op == IR_OP_IF_THEN_ELSE && e->nargs == 3)
        return choice_span(s, e);
    if (ir_is_identity(e))
        return slice_span(s, e->args[0]);
    return dtype_is_bool(e->dtype) ? slice_span_make(0, 1)
                                   : slice_span_unknown();
}

struct span slice_span(struct slice *s, const struct ir_expr *e)
{
    s->work++;
    if (e->kind == IR_INT_IMM)
        return e->dtype.code == DT_UINT && e->u.int_value < 0
                   ? slice_span_unknown() /* 2^63 or more */
                   : slice_span_point(e->u.int_value);
    if (e->kind == IR_VAR_REF)
        return var_span(s, e->u.var);
    if (dtype_is_float(e->dtype) || dtype_is_handle(e->dtype))
        return slice_span_unknown();
    if (e->kind >= IR_ADD && e->kind <= IR_OR && e->nargs == 2) {
        if (dtype_is_float(e->args[0]->dtype))
            return slice_span_binary(e->kind, slice_span_unknown(),
                                     slice_span_unknown());
        struct span a = slice_span(s, e->args[0]);
        return fit(slice_span_binary(e->kind, a, slice_span(s, e->args[1])),
                   e->dtype);
    }
    if (e->kind == IR_NOT) {
        struct span a = slice_span(s, e->args[0]);
        return slice_span_is_point(a) ? slice_span_point(a.lo == 0)
                                      : slice_span_make(0, 1);
    }
    if (e->kind == IR_CAST && dtype_is_int(e->dtype) &&
        !dtype_is_float(e->args[0]->dtype))
        return fit(slice_span(s, e->args[0]), e->dtype);
    if (e->kind == IR_SELECT)
        return choice_span(s, e);
    if (e->kind == IR_RAMP)
        return ramp_span(s, e);
    if (e->kind == IR_BROADCAST)
        return slice_span(s, e->args[0]);
    if (e->kind == IR_LET) {
        slice_bind(s, e->u.var, slice_span(s, e->args[0]));
        return slice_span(s, e->args[1]);
    }
    if (e->kind == IR_LOAD)
        return load_span(s, e);
    if (e->kind == IR_CALL)
        return call_span(s, e);
    return dtype_is_bool(e->dtype) ? slice_span_make(0, 1)
                                   : slice_span_unknown();
}

/* ---- places ---------------------------------------------------------------------- */

bool slice_region_demanded(const struct region *r)
{
    return !r->own && (r->all || (!r->coarse && r->set.count != 0));
}

struct region *slice_region(const struct slice *s, const struct ir_var *data)
{
    if (data == NULL || data->id >= s->nvars)
        return NULL;
    uint32_t i = s->region_of[s->class_of[data->id]];
    return i != 0 ? &s->regions[i - 1] : NULL;
}

bool slice_known(struct slice *s, const struct ir_expr *e, int64_t *out)
{
    struct span v = slice_span(s, e);
    *out = v.lo;
    return slice_span_known(v) && slice_span_is_point(v);
}

/* Shape and strides of a buffer of its own layout, in cells; false when they
 * are not constant or not row-major without overlap. */
static bool own_layout(struct slice *s, const struct ir_buffer *b, int64_t elem,
                       int64_t *shape, int64_t *stride)
{
    int64_t span = elem;
    if (b->auto_broadcast || b->rank > DC_MAX_RANK)
        return false;
    for (size_t k = b->rank; k-- > 0;) {
        if (!slice_known(s, b->shape[k], &shape[k]) || shape[k] < 1)
            return false;
        stride[k] = span;
        if (b->nstrides != 0) {
            int64_t steps;
            if (!slice_known(s, b->strides[k], &steps) ||
                steps > SPAN_LIMIT / elem || steps * elem < span)
                return false;
            stride[k] = steps * elem;
        }
        if (shape[k] > SPAN_LIMIT / 64 / stride[k])
            return false;
        span = stride[k] * shape[k];
    }
    return true;
}

static struct span own_base(struct slice *s, const struct ir_buffer *b,
                            int64_t elem)
{
    struct span offset = b->elem_offset != NULL ? slice_span(s, b->elem_offset)
                                                : slice_span_point(0);
    const struct ir_stmt *decl = s->decls[b->id];
    const struct ir_var *data = b->data;
    if (decl != NULL) { /* a view of another pointer */
        const struct ir_expr *p = decl->u.decl.value;
        while (p->kind == IR_CALL && p->u.call.op == IR_OP_BUFFER_DATA &&
               p->nargs == 1)
            p = p->args[0];
        data = p->kind == IR_VAR_REF      ? p->u.var
               : p->kind == IR_BUFFER_REF ? p->u.buffer->data
                                          : NULL;
    }
    struct region *r = slice_region(s, b->data);
    if (data == NULL || r == NULL || data->id != r->root)
        return slice_span_unknown();
    return slice_span_binary(IR_MUL, offset, slice_span_point(elem));
}

/* Room for the shape and the strides of a buffer, the same at each call: a
 * place that is not constant holds until the buffer is looked at again. */
static int64_t *layout_storage(struct slice *s, const struct ir_buffer *b)
{
    if (s->layouts[b->id] == NULL)
        s->layouts[b->id] = ARENA_ARRAY(s->arena, 2 * (b->rank + 1), int64_t);
    return s->layouts[b->id];
}

/* A match_buffer: the source's layout from the region's start on. */
static struct place matched_place(struct slice *s, const struct ir_buffer *b,
                                  struct place *p)
{
    const struct ir_region *from = &s->matches[b->id]->source;
    struct place source = slice_place(s, from->buffer);
    int64_t *shape = layout_storage(s, b), *stride = shape + b->rank + 1;
    bool exact = source.exact && b->rank <= source.rank &&
                 own_layout(s, b, source.elem, shape, stride);
    p->rank = b->rank;
    p->shape = shape;
    p->stride = stride;
    p->base = source.base;
    p->elem = source.elem;
    if (exact && from->nranges == source.rank) {
        for (size_t k = 0; k < source.rank; k++) {
            struct span at = slice_span(s, from->ranges[k].min);
            at = slice_span_binary(IR_MUL, at,
                                   slice_span_point(source.stride[k]));
            p->base = slice_span_binary(IR_ADD, p->base, at);
        }
        for (size_t k = 0; k < b->rank; k++)
            stride[k] = source.stride[k + source.rank - b->rank];
        p->exact = true;
    }
    return *p;
}

struct place slice_place(struct slice *s, const struct ir_buffer *buffer)
{
    struct place *kept = &s->places[buffer->id];
    if (kept->shape != NULL)
        return *kept;
    struct place p = {.region = slice_region(s, buffer->data),
                      .base = slice_span_unknown(),
                      .rank = buffer->rank};
    if (p.region == NULL || p.region->coarse)
        return p;
    size_t bytes = dtype_lane_bytes(buffer->dtype) * buffer->dtype.lanes;
    p.elem = (int64_t)(bytes / p.region->unit);
    if (p.elem < 1 || buffer->dtype.scalable)
        return p;
    if (s->matches[buffer->id] != NULL)
        return matched_place(s, buffer, &p);
    int64_t *shape = layout_storage(s, buffer);
    int64_t *stride = shape + buffer->rank + 1;
    p.base = own_base(s, buffer, p.elem);
    p.exact = own_layout(s, buffer, p.elem, shape, stride);
    p.shape = shape;
    p.stride = stride;
    /* with nothing but the function's symbols set, what is known stays so */
    if (s->settling && p.exact && slice_span_known(p.base))
        *kept = p;
    return p;
}

typedef void set_var(struct slice *s, const struct ir_var *var,
                     struct span value);

static void set_size(struct slice *s, const struct ir_expr *e,
                     struct span value, set_var *set)
{
    if (e != NULL && e->kind == IR_VAR_REF)
        set(s, e->u.var, value);
}

void slice_match_vars(struct slice *s, const struct ir_block *b, set_var *set)
{
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_buffer *to = b->matches[i].buffer;
        const struct ir_region *from = &b->matches[i].source;
        struct place p = slice_place(s, from->buffer);
        size_t lead = from->nranges - to->rank;
        bool exact = p.exact && from->nranges == p.rank && to->rank <= p.rank;
        struct span offset = p.base;
        for (size_t k = 0; k < p.rank && exact; k++)
            offset = slice_span_binary(
                IR_ADD, offset,
                slice_span_binary(IR_MUL, slice_span(s, from->ranges[k].min),
                                  slice_span_point(p.stride[k])));
        if (exact)
            offset = slice_span_binary(IR_FLOORDIV, offset,
                                       slice_span_point(p.elem));
        set_size(s, to->elem_offset, exact ? offset : slice_span_unknown(),
                 set);
        for (size_t k = 0; k < to->nstrides; k++)
            set_size(s, to->strides[k],
                     exact ? slice_span_point(p.stride[lead + k] / p.elem)
                           : slice_span_unknown(),
                     set);
        for (size_t k = 0; k < to->rank; k++)
            set_size(s, to->shape[k],
                     exact ? slice_span(s, from->ranges[lead + k].extent)
                           : slice_span_unknown(),
                     set);
    }
}

/* Dimension k of a box goes into the one around it, with all cells from the
 * first to the last. False: the rows are no multiple of it. */
static bool merge_inner(struct cell_box *box, size_t k)
{
    int64_t ratio = box->stride[k - 1] / box->stride[k];
    struct span outer = slice_span_make(box->lo[k - 1], box->hi[k - 1]);
    struct span inner = slice_span_make(box->lo[k], box->hi[k]);
    if (box->stride[k - 1] % box->stride[k] != 0)
        return false;
    outer = slice_span_known(outer) && slice_span_known(inner)
                ? slice_span_binary(
                      IR_ADD, inner,
                      slice_span_binary(IR_MUL, outer, slice_span_point(ratio)))
                : slice_span_unknown();
    box->lo[k - 1] = outer.lo;
    box->hi[k - 1] = outer.hi;
    box->stride[k - 1] = box->stride[k];
    box->rank--;
    for (size_t j = k; j < box->rank; j++) {
        box->lo[j] = box->lo[j + 1];
        box->hi[j] = box->hi[j + 1];
        box->stride[j] = box->stride[j + 1];
    }
    return true;
}

/* An index that leaves its row names a cell of another one (rule 4). */
static bool fold_rows(struct cell_box *box)
{
    for (size_t k = box->rank; k-- > 1;) {
        bool inside = box->lo[k] >= 0 && box->hi[k] < SPAN_LIMIT &&
                      box->hi[k] < box->stride[k - 1] / box->stride[k];
        if (!inside && !merge_inner(box, k))
            return false;
    }
    return true;
}

/* Takes from the outermost dimension what lies outside of the region, and lets
 * it start from 0. */
static void clip_outermost(const struct place *p, struct cell_box *box)
{
    int64_t cells = (int64_t)p->region->set.n, step = box->stride[0];
    int64_t least = box->base > 0 ? -(box->base / step) - 1 : 0;
    int64_t most = (cells - box->base) / step + 1;
    int64_t lo = box->lo[0] < least ? least : box->lo[0];
    int64_t hi = box->hi[0] > most ? most : box->hi[0];
    bool none = lo > hi;
    box->lo[0] = 0;
    box->hi[0] = none ? -1 : hi - lo;
    box->base += none ? 0 : lo * step;
}

/* The cells of buffer[indices]; false: no better than the whole region. An
 * access that must be out of bounds gives an empty box. */
static bool access_box(struct slice *s, const struct place *p, size_t n,
                       struct ir_expr *const *indices, struct cell_box *box)
{
    if (!p->exact || n != p->rank || !slice_span_known(p->base) ||
        !slice_span_is_point(p->base))
        return false;
    box->rank = n;
    box->base = p->base.lo;
    for (size_t k = 0; k < n; k++) {
        struct span x = slice_span(s, indices[k]);
        box->stride[k] = p->stride[k];
        box->lo[k] = x.lo;
        box->hi[k] = x.hi;
    }
    if (!fold_rows(box))
        return false;
    if (box->rank > 0)
        clip_outermost(p, box);
    if (p->elem > 1) {
        n = box->rank++;
        box->stride[n] = 1;
        box->lo[n] = 0;
        box->hi[n] = p->elem - 1;
    }
    return true;
}

static struct cell_box run_box(int64_t first, int64_t last)
{
    struct cell_box box = {.rank = 1, .base = 0};
    box.stride[0] = 1;
    box.lo[0] = first;
    box.hi[0] = last;
    return box;
}

/* Demands a box, or with NULL the whole region. */
static void region_mark(struct slice *s, struct region *r,
                        const struct cell_box *box)
{
    if (r->all)
        return;
    if (r->coarse || box == NULL) {
        r->all = true;
        s->progress = true;
        if (!r->coarse && r->set.n > 0)
            (void)cell_set_add_range(&r->set, 0, r->set.n - 1);
        return;
    }
    if (cell_box_add(box, &r->set))
        s->progress = true;
}

static bool region_hit(const struct region *r, const struct cell_box *box)
{
    if (!slice_region_demanded(r))
        return false;
    return r->coarse || box == NULL || cell_box_meets(box, &r->set);
}

bool slice_store_hits(struct slice *s, const struct ir_buffer *buffer, size_t n,
                      struct ir_expr *const *indices)
{
    struct region *r = slice_region(s, buffer->data);
    if (r == NULL || !slice_region_demanded(r))
        return false;
    struct cell_box box;
    struct place p = slice_place(s, buffer);
    return region_hit(r, access_box(s, &p, n, indices, &box) ? &box : NULL);
}

/* ---- calls that touch memory through pointers ---------------------------------------- */

struct target {
    struct region *region;
    struct span start; /* cells */
    int64_t elem;
    unsigned mask; /* 1 read, 2 write */
};

static bool pointer_target(struct slice *s, const struct ir_expr *e,
                           struct target *out)
{
    *out = (struct target){.start = slice_span_unknown(), .elem = 1, .mask = 3};
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_ACCESS_PTR &&
        e->nargs == 5 && e->args[1]->kind == IR_VAR_REF) {
        const struct ir_var *data = e->args[1]->u.var;
        struct dtype t = e->args[0]->dtype;
        /* what it says of reading and writing is a claim (rule 15) */
        out->region = slice_region(s, data);
        if (out->region != NULL && data->id == out->region->root) {
            out->elem =
                (int64_t)(dtype_lane_bytes(t) * t.lanes / out->region->unit);
            out->start = slice_span_binary(IR_MUL, slice_span(s, e->args[2]),
                                           slice_span_point(out->elem));
        }
        return true;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs == 1 && e->args[0]->kind == IR_LOAD) {
        const struct ir_expr *load = e->args[0];
        struct place p = slice_place(s, load->u.buffer);
        out->region = p.region;
        struct cell_box box;
        if (p.region != NULL &&
            access_box(s, &p, load->nargs, load->args, &box)) {
            int64_t lo = box.base, hi = box.base;
            for (size_t k = 0; k < box.rank - (p.elem > 1); k++) {
                lo += box.stride[k] * box.lo[k];
                hi += box.stride[k] * box.hi[k];
            }
            out->elem = p.elem;
            out->start = slice_span_make(lo, hi);
        }
        return true;
    }
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype))
        out->region = slice_region(s, e->u.var);
    else if (e->kind == IR_BUFFER_REF)
        out->region = slice_region(s, e->u.buffer->data);
    else
        return false;
    return true;
}

/* How far an operand's access goes from the pointer, in elements, and what it
 * does; -1: not known. */
static int64_t pointer_reach(struct slice *s, const struct ir_expr *call,
                             uint32_t arg, unsigned *mask)
{
    enum ir_op op = call->u.call.op;
    int64_t m, n, k, stride;
    if (op == IR_OP_ATOMIC_ADD && arg == 0)
        return 1;
    if ((op == IR_OP_LOAD_MATRIX_SYNC || op == IR_OP_STORE_MATRIX_SYNC) &&
        call->nargs == 8) {
        bool load = op == IR_OP_LOAD_MATRIX_SYNC;
        *mask = (arg == 0) == load ? 2 : 1;
        if (arg == 5 && slice_known(s, call->args[1], &m) &&
            slice_known(s, call->args[2], &n) &&
            slice_known(s, call->args[3], &k) &&
            slice_known(s, call->args[6], &stride)) {
            int64_t rows = m > n ? m : n;
            rows = k > rows ? k : rows;
            if (rows > 0 && rows < 4096 && stride >= 0 && stride < 1 << 30)
                return rows * stride + rows;
        }
    }
    return -1;
}

/* Visits each pointer operand below e (those of nested calls are nested
 * calls' business unless they only pass a pointer on). */
static bool each_target(struct slice *s, const struct ir_expr *call,
                        const struct ir_expr *e, uint32_t arg, bool writes)
{
    struct target t;
    if (pointer_target(s, e, &t)) {
        if (t.region == NULL)
            return false;
        int64_t reach = pointer_reach(s, call, arg, &t.mask);
        struct cell_box box;
        struct span from = t.start;
        bool exact = reach >= 0 && slice_span_known(from) &&
                     reach < SPAN_LIMIT / 4096 / t.elem;
        if (exact)
            box = run_box(from.lo < 0 ? 0 : from.lo,
                          from.hi + reach * t.elem - 1);
        if (writes)
            return (t.mask & 2) && region_hit(t.region, exact ? &box : NULL);
        if (t.mask & 1)
            region_mark(s, t.region, exact ? &box : NULL);
        return false;
    }
    bool hit = false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (dtype_is_handle(e->args[i]->dtype) ||
            e->args[i]->kind == IR_BUFFER_REF)
            hit = each_target(s, call, e->args[i], arg, writes) || hit;
    return hit;
}

static bool touches_memory(const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    return (ir_op_info(op)->flags & IR_OPF_PURE) == 0 &&
           op != IR_OP_TVM_ACCESS_PTR && op != IR_OP_ADDRESS_OF &&
           op != IR_OP_BUFFER_DATA && op != IR_OP_BUFFER_OFFSET;
}

/* Operands of tvm_thread_allreduce from which on they are results. */
static uint32_t first_result(const struct ir_expr *e)
{
    int64_t n;
    if (e->u.call.op != IR_OP_THREAD_ALLREDUCE ||
        !ir_const_int(e->args[0], &n) || n < 1 || n > 64)
        return e->nargs;
    return (uint32_t)n + 2;
}

static bool result_hits(struct slice *s, const struct ir_expr *e)
{
    if (e->kind == IR_LOAD)
        return slice_store_hits(s, e->u.buffer, e->nargs, e->args);
    bool hit = false;
    for (uint32_t i = 0; i < e->nargs; i++)
        hit = result_hits(s, e->args[i]) || hit;
    return hit;
}

bool slice_call_hits(struct slice *s, const struct ir_expr *e)
{
    bool hit = false;
    for (uint32_t i = 0; i < e->nargs; i++)
        hit = slice_call_hits(s, e->args[i]) || hit;
    if (e->kind != IR_CALL || !touches_memory(e))
        return hit;
    uint32_t results = first_result(e);
    for (uint32_t i = 0; i < e->nargs && !hit; i++) {
        hit = each_target(s, e, e->args[i], i, true);
        if (i >= results)
            hit = result_hits(s, e->args[i]) || hit;
    }
    return hit;
}

static void add_region(const struct slice *s, const struct ir_var *data,
                       uint64_t *stores)
{
    const struct region *r = slice_region(s, data);
    if (r == NULL)
        return;
    size_t i = (size_t)(r - s->regions);
    stores[i / 64] |= UINT64_C(1) << (i % 64);
}

static void add_pointers(const struct slice *s, const struct ir_expr *e,
                         uint64_t *stores)
{
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype))
        add_region(s, e->u.var, stores);
    if (e->kind == IR_BUFFER_REF || e->kind == IR_LOAD)
        add_region(s, e->u.buffer->data, stores);
    for (uint32_t i = 0; i < e->nargs; i++)
        add_pointers(s, e->args[i], stores);
}

bool slice_call_writes(struct slice *s, const struct ir_expr *e,
                       uint64_t *stores)
{
    if (e->kind == IR_CALL && touches_memory(e)) {
        add_pointers(s, e, stores);
        return true;
    }
    bool writes = false;
    for (uint32_t i = 0; i < e->nargs; i++)
        writes = slice_call_writes(s, e->args[i], stores) || writes;
    if (e->predicate != NULL)
        writes = slice_call_writes(s, e->predicate, stores) || writes;
    return writes;
}

/* ---- what is read ------------------------------------------------------------------------ */

static void mark_load(struct slice *s, const struct ir_expr *e)
{
    struct cell_box box;
    struct region *r = slice_region(s, e->u.buffer->data);
    if (r != NULL && !r->all) {
        struct place p = slice_place(s, e->u.buffer);
        region_mark(s, r,
                    access_box(s, &p, e->nargs, e->args, &box) ? &box : NULL);
    }
    if (e->predicate != NULL)
        slice_mark(s, e->predicate);
}

void slice_mark(struct slice *s, const struct ir_expr *e)
{
    s->work++;
    if (e->kind == IR_LET) {
        slice_mark(s, e->args[0]);
        slice_bind(s, e->u.var, slice_span(s, e->args[0]));
        slice_mark(s, e->args[1]);
        return;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE &&
        e->nargs == 3) {
        struct span c = slice_span(s, e->args[0]);
        slice_mark(s, e->args[0]);
        if (!slice_span_is_point(c) || c.lo != 0)
            slice_mark(s, e->args[1]);
        if (!slice_span_is_point(c) || c.lo == 0)
            slice_mark(s, e->args[2]);
        return;
    }
    if (e->kind == IR_LOAD)
        mark_load(s, e);
    if (e->kind == IR_CALL && touches_memory(e))
        for (uint32_t i = 0; i < e->nargs; i++)
            (void)each_target(s, e, e->args[i], i, false);
    bool address = e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
                   e->nargs == 1 && e->args[0]->kind == IR_LOAD;
    if (address)
        e = e->args[0];
    for (uint32_t i = 0; i < e->nargs; i++)
        slice_mark(s, e->args[i]);
}
