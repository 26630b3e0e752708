/* SPDX-License-Identifier: Apache-2.0
 *
 * What a part of a program may store to: the ranges of all addresses in it,
 * held against the cells that are needed.
 */
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

void enum_slice_init(struct enum_machine *m, struct enum_slice *s)
{
    memset(s, 0, sizeof *s);
    s->ranges = ARENA_ARRAY(m->arena, m->nvars + 1, struct enum_span);
    s->ranged = ARENA_ARRAY(m->arena, m->nvars + 1, bool);
    s->parts = ARENA_ARRAY(m->arena, m->nbuffers + 1, struct enum_part);
}

void enum_slice_fini(struct enum_slice *s)
{
    vec_fini(&s->holes);
    vec_fini(&s->ranged_ids);
    vec_fini(&s->part_ids);
    vec_fini(&s->leaks);
}

/* ---- cells ------------------------------------------------------------------ */

static int64_t copy_of(const struct enum_machine *m,
                       const struct enum_storage *s,
                       const struct enum_lane *thread)
{
    int64_t threads = (int64_t)m->threads_per_block, index;
    if (s->scope == ENUM_GLOBAL || !m->launched)
        return 0;
    index = m->slice->block * threads + thread->index;
    return s->scope == ENUM_SHARED ? m->slice->block
           : s->scope == ENUM_WARP ? index / ENUM_WARP_SIZE
                                   : index;
}

enum_id enum_slice_hole(struct enum_machine *m, struct dtype t, enum_id entry)
{
    struct enum_term x = {
        .kind = ENUM_HOLE, .dtype = t, .bits = m->slice->holes.len};
    vec_push(&m->slice->holes, ((struct enum_hole){ENUM_NONE, entry}));
    return enum_make(m->t, &x);
}

enum_id enum_slice_read(struct enum_machine *m, const struct enum_lane *thread,
                        struct enum_storage *s, int64_t place)
{
    int64_t key = copy_of(m, s, thread) * s->n + place;
    enum_id id = enum_need_find(&s->need, key);
    if (id == ENUM_NONE) {
        id = enum_slice_hole(m, s->dtype, enum_storage_entry(m, s, place));
        enum_need_put(&s->need, key, id);
    }
    return id;
}

enum_id enum_slice_take(struct enum_machine *m, const struct enum_lane *thread,
                        struct enum_storage *s, int64_t place)
{
    return enum_need_take(&s->need, copy_of(m, s, thread) * s->n + place);
}

void enum_slice_fill(struct enum_machine *m, enum_id hole, enum_id value)
{
    m->slice->holes.items[m->t->items.items[hole].bits].value = value;
}

void enum_slice_begin(struct enum_machine *m, struct enum_storage *s)
{
    size_t n = s->need.live > 0 ? s->need.cells.len : 0;
    m->steps = m->steps > n ? m->steps - n : 0;
    for (size_t i = 0; i < n; i++)
        s->need.cells.items[i].id = ENUM_NONE;
    s->need.live = 0;
}

/* ---- holes ------------------------------------------------------------------ */

/* What a hole stands for, or the operands of a term, all settled. */
static enum_id rebuild(struct enum_machine *m, const enum_id *form, enum_id id)
{
    struct enum_term x = m->t->items.items[id];
    struct ir_expr e = {.kind = x.op};
    enum_id few[8], *args = few, out;
    bool fault = false;
    if (x.kind != ENUM_OP)
        return id;
    if (x.n > DC_ARRAY_LEN(few))
        args = ARENA_ARRAY(m->t->arena, x.n, enum_id);
    for (uint32_t i = 0; i < x.n; i++)
        args[i] = form[x.args[i]];
    e.u.call.op = x.call;
    out = enum_op(m->t, &e, x.dtype, x.n, args, &fault);
    if (fault)
        enum_stop(m, ENUM_FAULT,
                  x.op == IR_SELECT
                      ? "a condition comes from an operation that overflowed"
                      : "a division by zero, or of the least number by -1");
    return out;
}

/* Those of id that are not settled are pushed; true: there are none. */
static bool is_ready(struct enum_machine *m, const enum_id *form, enum_id id,
                     enum_id **stack, size_t *len, size_t *cap)
{
    const struct enum_term *x = &m->t->items.items[id];
    const struct enum_hole *h =
        x->kind == ENUM_HOLE ? &m->slice->holes.items[x->bits] : NULL;
    const enum_id *needs = h != NULL ? &h->value : x->args;
    uint32_t n = h != NULL ? h->value != ENUM_NONE : x->n;
    bool ready = true;
    for (uint32_t i = 0; i < n; i++) {
        if (form[needs[i]] != ENUM_NONE)
            continue;
        ready = false;
        *stack = dc_vec_grow(*stack, cap, *len + 1, sizeof **stack);
        (*stack)[(*len)++] = needs[i];
    }
    return ready;
}

enum_id enum_slice_settle(struct enum_machine *m, enum_id root)
{
    size_t count = m->t->items.len, len = 0, cap = 0;
    enum_id *form = dc_alloc((count + 1) * sizeof *form), *stack = NULL, out;
    for (size_t i = 0; i < count; i++)
        form[i] = ENUM_NONE;
    stack = dc_vec_grow(stack, &cap, 1, sizeof *stack);
    stack[len++] = root;
    while (len > 0 && m->end == ENUM_RAN) {
        enum_id id = stack[len - 1];
        if (form[id] == ENUM_NONE && !is_ready(m, form, id, &stack, &len, &cap))
            continue;
        len--;
        if (form[id] != ENUM_NONE)
            continue;
        const struct enum_term *x = &m->t->items.items[id];
        const struct enum_hole *h =
            x->kind == ENUM_HOLE ? &m->slice->holes.items[x->bits] : NULL;
        form[id] = h == NULL               ? rebuild(m, form, id)
                   : h->value != ENUM_NONE ? form[h->value]
                                           : h->entry;
    }
    out = m->end == ENUM_RAN ? form[root] : ENUM_NONE;
    dc_release(stack);
    dc_release(form);
    return out;
}

/* ---- ranges ----------------------------------------------------------------- */

void enum_slice_range(struct enum_machine *m, const struct ir_var *v,
                      const struct enum_span *span)
{
    struct enum_slice *s = m->slice;
    if (!s->ranged[v->id])
        vec_push(&s->ranged_ids, v->id);
    s->ranged[v->id] = true;
    s->ranges[v->id] = *span;
}

static void forget(struct enum_machine *m)
{
    struct enum_slice *s = m->slice;
    for (size_t i = 0; i < s->ranged_ids.len; i++)
        s->ranged[s->ranged_ids.items[i]] = false;
    for (size_t i = 0; i < s->part_ids.len; i++)
        s->parts[s->part_ids.items[i]].known = false;
    s->ranged_ids.len = s->part_ids.len = 0;
}

static bool count_step(struct enum_machine *m)
{
    if (m->steps == 0)
        return enum_stop(m, ENUM_LARGE, "too large");
    m->steps--;
    return m->end == ENUM_RAN;
}

static struct enum_span var_span(const struct enum_machine *m,
                                 const struct enum_lane *thread,
                                 const struct ir_var *v)
{
    const struct enum_lane *lane = thread != NULL ? thread : &m->lanes[0];
    uint64_t bits;
    if (m->slice->ranged[v->id])
        return m->slice->ranges[v->id];
    enum_id id = lane->vars[v->id];
    if (id == ENUM_NONE || !enum_is_const(m->t, id, &bits) ||
        dtype_is_float(v->dtype))
        return enum_span_any();
    return enum_span_number(num_to_int(v->dtype, bits));
}

/* 0: false, 1: true, 2: either. */
static int truth(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *e);

static struct enum_span choice_span(struct enum_machine *m,
                                    const struct enum_lane *thread,
                                    const struct ir_expr *e)
{
    int which = truth(m, thread, e->args[0]);
    if (which < 2)
        return enum_slice_span(m, thread, e->args[which == 1 ? 1 : 2]);
    struct enum_span a = enum_slice_span(m, thread, e->args[1]);
    struct enum_span b = enum_slice_span(m, thread, e->args[2]);
    return enum_span_hull(&a, &b);
}

/* Bits of numbers that are not negative stay below the next power of two. */
static struct enum_span bits_span(const struct ir_expr *e,
                                  const struct enum_span *a,
                                  const struct enum_span *b)
{
    int64_t x, y, lo, far = 1;
    if (e->kind == IR_BITAND && enum_span_is_number(b, &y) && y >= 0 &&
        (y & (y + 1)) == 0)
        return enum_span_mod(a, y + 1);
    if (!enum_span_bounds(a, &lo, &x) || lo < 0 ||
        !enum_span_bounds(b, &lo, &y) || lo < 0)
        return enum_span_any();
    while (far <= x || far <= y)
        far *= 2;
    return enum_span_range(0, far - 1, 1);
}

static struct enum_span binary_span(const struct ir_expr *e,
                                    const struct enum_span *a,
                                    const struct enum_span *b)
{
    int64_t x, y, lo;
    bool left = enum_span_is_number(a, &x), right = enum_span_is_number(b, &y);
    struct enum_span minus;
    switch ((int)e->kind) {
    case IR_ADD: return enum_span_add(a, b);
    case IR_SUB:
        minus = enum_span_scale(b, -1);
        return enum_span_add(a, &minus);
    case IR_MUL:
        return right  ? enum_span_scale(a, y)
               : left ? enum_span_scale(b, x)
                      : enum_span_any();
    case IR_SHL:
        return right && y >= 0 && y < 60
                   ? enum_span_scale(a, (int64_t)((uint64_t)1 << y))
                   : enum_span_any();
    case IR_SHR:
        return right && y >= 0 && y < 60
                   ? enum_span_div(a, (int64_t)((uint64_t)1 << y))
                   : enum_span_any();
    case IR_DIV:
    case IR_MOD:
        /* towards zero is down from above it */
        if (!enum_span_bounds(a, &lo, &x) || lo < 0)
            return enum_span_any();
        break;
    case IR_FLOORDIV:
    case IR_FLOORMOD: break;
    case IR_MIN:
    case IR_MAX: return enum_span_hull(a, b);
    default: return bits_span(e, a, b);
    }
    if (!right || y <= 0)
        return enum_span_any();
    return e->kind == IR_DIV || e->kind == IR_FLOORDIV ? enum_span_div(a, y)
                                                       : enum_span_mod(a, y);
}

static struct enum_span ramp_span(struct enum_machine *m,
                                  const struct enum_lane *thread,
                                  const struct ir_expr *e)
{
    struct enum_span base = enum_slice_span(m, thread, e->args[0]);
    struct enum_span stride = enum_slice_span(m, thread, e->args[1]);
    int64_t by, lanes = e->dtype.lanes;
    if (!enum_span_is_number(&stride, &by))
        return enum_span_any();
    struct enum_span lane = enum_span_range(0, lanes - 1, 1);
    lane = enum_span_scale(&lane, by);
    return enum_span_add(&base, &lane);
}

static struct enum_span span_of(struct enum_machine *m,
                                const struct enum_lane *thread,
                                const struct ir_expr *e)
{
    struct enum_span a, b;
    if (!count_step(m) || !dtype_is_int(dtype_scalar(e->dtype)))
        return enum_span_any();
    switch ((int)e->kind) {
    case IR_INT_IMM: /* above 2^63: see within */
        return enum_span_number(e->u.int_value);
    case IR_VAR_REF: return var_span(m, thread, e->u.var);
    case IR_CAST:
    case IR_BROADCAST: return enum_slice_span(m, thread, e->args[0]);
    case IR_RAMP: return ramp_span(m, thread, e);
    case IR_SELECT: return choice_span(m, thread, e);
    case IR_CALL:
        if (e->u.call.op == IR_OP_IF_THEN_ELSE)
            return choice_span(m, thread, e);
        if (e->u.call.op == IR_OP_LIKELY)
            return enum_slice_span(m, thread, e->args[0]);
        return enum_span_any();
    case IR_LET:
        a = enum_slice_span(m, thread, e->args[0]);
        enum_slice_range(m, e->u.var, &a);
        return enum_slice_span(m, thread, e->args[1]);
    default: break;
    }
    if (e->nargs != 2 || e->kind >= IR_EQ)
        return enum_span_any();
    a = enum_slice_span(m, thread, e->args[0]);
    b = enum_slice_span(m, thread, e->args[1]);
    return binary_span(e, &a, &b);
}

/* The same where it fits the type; else what wraps around is any of them. */
static struct enum_span within(struct dtype t, const struct enum_span *a)
{
    int64_t lo, hi, most = t.bits < 60 ? INT64_C(1) << t.bits : INT64_MAX;
    int64_t least = t.code == DT_INT ? -(most / 2) : 0;
    most = t.code == DT_INT && t.bits < 60 ? most / 2 - 1 : most - 1;
    if (enum_span_bounds(a, &lo, &hi) && lo >= least && hi <= most)
        return *a;
    return t.bits < 32 ? enum_span_range(least, most, 1) : enum_span_any();
}

struct enum_span enum_slice_span(struct enum_machine *m,
                                 const struct enum_lane *thread,
                                 const struct ir_expr *e)
{
    struct enum_span a = span_of(m, thread, e);
    struct dtype t = dtype_scalar(e->dtype);
    return dtype_is_int(t) ? within(t, &a) : a;
}

static int compare(struct enum_machine *m, const struct enum_lane *thread,
                   const struct ir_expr *e)
{
    int64_t lo, hi;
    struct enum_span a = enum_slice_span(m, thread, e->args[0]);
    struct enum_span b = enum_slice_span(m, thread, e->args[1]);
    b = enum_span_scale(&b, -1);
    a = enum_span_add(&a, &b);
    if (!enum_span_bounds(&a, &lo, &hi))
        return 2;
    switch ((int)e->kind) {
    case IR_LT: return hi < 0 ? 1 : lo >= 0 ? 0 : 2;
    case IR_LE: return hi <= 0 ? 1 : lo > 0 ? 0 : 2;
    case IR_GT: return lo > 0 ? 1 : hi <= 0 ? 0 : 2;
    case IR_GE: return lo >= 0 ? 1 : hi < 0 ? 0 : 2;
    case IR_EQ: return lo == 0 && hi == 0 ? 1 : !enum_span_has(&a, 0) ? 0 : 2;
    case IR_NE: return lo == 0 && hi == 0 ? 0 : !enum_span_has(&a, 0) ? 1 : 2;
    default: return 2;
    }
}

static int truth(struct enum_machine *m, const struct enum_lane *thread,
                 const struct ir_expr *e)
{
    int a, b;
    if (!count_step(m))
        return 2;
    switch ((int)e->kind) {
    case IR_INT_IMM: return e->u.int_value != 0;
    case IR_NOT: a = truth(m, thread, e->args[0]); return a < 2 ? 1 - a : 2;
    case IR_AND:
    case IR_OR:
        a = truth(m, thread, e->args[0]);
        b = truth(m, thread, e->args[1]);
        if (e->kind == IR_AND ? a == 0 || b == 0 : a == 1 || b == 1)
            return e->kind == IR_OR;
        return a == 2 || b == 2 ? 2 : e->kind == IR_AND;
    case IR_CALL:
        return e->u.call.op == IR_OP_LIKELY ? truth(m, thread, e->args[0]) : 2;
    default: break;
    }
    if (e->kind < IR_EQ || e->kind > IR_GE ||
        !dtype_is_int(e->args[0]->dtype) || !dtype_is_int(e->args[1]->dtype))
        return 2;
    return compare(m, thread, e);
}

/* ---- storage ---------------------------------------------------------------- */

/* The buffer by its own definition, in the storage of `data`. */
static void define_part(struct enum_machine *m, const struct enum_lane *thread,
                        const struct ir_buffer *b, struct enum_storage *storage)
{
    struct enum_part *p = &m->slice->parts[b->id];
    struct enum_span stride = enum_span_number(1);
    if (p->strides == NULL)
        p->strides = ARENA_ARRAY(m->arena, b->rank + 1, struct enum_span);
    vec_push(&m->slice->part_ids, b->id);
    p->known = true;
    p->storage = storage;
    p->offset = b->elem_offset != NULL
                    ? enum_slice_span(m, thread, b->elem_offset)
                    : enum_span_number(0);
    for (size_t i = b->rank; i-- > 0;) {
        struct enum_span side = enum_slice_span(m, thread, b->shape[i]);
        int64_t k;
        p->strides[i] = b->nstrides > 0
                            ? enum_slice_span(m, thread, b->strides[i])
                            : stride;
        stride = enum_span_is_number(&side, &k) ? enum_span_scale(&stride, k)
                                                : enum_span_any();
    }
}

/* Gives the part of a buffer, or NULL: its storage is not there yet. */
static const struct enum_part *part_of(struct enum_machine *m,
                                       const struct enum_lane *thread,
                                       const struct ir_buffer *b)
{
    struct enum_part *p = &m->slice->parts[b->id];
    if (p->known)
        return p;
    if (m->view_of[b->id] == 0) {
        if (m->storage_of[b->data->id] == NULL)
            return NULL;
        define_part(m, thread, b, m->storage_of[b->data->id]);
        return p;
    }
    const struct enum_view *v = enum_view_find(m, b);
    if (p->strides == NULL)
        p->strides = ARENA_ARRAY(m->arena, b->rank + 1, struct enum_span);
    vec_push(&m->slice->part_ids, b->id);
    p->known = true;
    p->storage = v->storage;
    p->offset = enum_span_number(v->at.offset);
    for (size_t i = 0; i < b->rank; i++)
        p->strides[i] = enum_span_number(v->at.strides[i]);
    return p;
}

/* Adds index * stride. */
static struct enum_span advance(const struct enum_span *place,
                                const struct enum_span *index,
                                const struct enum_span *stride)
{
    int64_t by;
    if (!enum_span_is_number(stride, &by))
        return enum_span_any();
    struct enum_span far = enum_span_scale(index, by);
    return enum_span_add(place, &far);
}

bool enum_slice_meets(struct enum_machine *m, const struct enum_lane *thread,
                      struct enum_storage *s, const struct enum_span *places)
{
    if (thread == NULL && s->scope != ENUM_GLOBAL)
        return false; /* of a launch not begun: nobody else sees it */
    int64_t base = thread != NULL ? copy_of(m, s, thread) * s->n : 0;
    return enum_need_touches(&s->need, base, s->n - 1, places, &m->steps);
}

struct enum_span enum_slice_access(struct enum_machine *m,
                                   const struct enum_lane *thread,
                                   const struct ir_buffer *b, size_t nindices,
                                   struct ir_expr *const *indices)
{
    const struct enum_part *p = part_of(m, thread, b);
    struct enum_span place = p != NULL ? p->offset : enum_span_any();
    for (size_t i = 0; i < nindices && p != NULL; i++) {
        struct enum_span k = enum_slice_span(m, thread, indices[i]);
        place =
            i < b->rank ? advance(&place, &k, &p->strides[i]) : enum_span_any();
    }
    return place;
}

static bool store_touches(struct enum_machine *m,
                          const struct enum_lane *thread,
                          const struct ir_stmt *s)
{
    const struct enum_part *p = part_of(m, thread, s->u.store.buffer);
    if (p == NULL)
        return false;
    struct enum_span place = enum_slice_access(
        m, thread, s->u.store.buffer, s->u.store.nindices, s->u.store.indices);
    return enum_slice_meets(m, thread, p->storage, &place);
}

static void bind_span(struct enum_machine *m, const struct ir_expr *e,
                      const struct enum_span *span)
{
    if (e != NULL && e->kind == IR_VAR_REF)
        enum_slice_range(m, e->u.var, span);
}

static void match_part(struct enum_machine *m, const struct enum_lane *thread,
                       const struct ir_match_buffer *x)
{
    const struct ir_buffer *b = x->buffer;
    const struct enum_part *from = part_of(m, thread, x->source.buffer);
    size_t n = x->source.nranges, skip = n - b->rank;
    if (from == NULL || b->rank > n || x->source.buffer->rank != n)
        return;
    struct enum_part *p = &m->slice->parts[b->id];
    if (p->strides == NULL)
        p->strides = ARENA_ARRAY(m->arena, b->rank + 1, struct enum_span);
    vec_push(&m->slice->part_ids, b->id);
    p->known = true;
    p->storage = m->storage_of[b->data->id] = from->storage;
    p->offset = from->offset;
    for (size_t i = 0; i < n; i++) {
        struct enum_span min =
            enum_slice_span(m, thread, x->source.ranges[i].min);
        p->offset = advance(&p->offset, &min, &from->strides[i]);
        if (i >= skip)
            p->strides[i - skip] = from->strides[i];
    }
    for (size_t i = 0; i < b->nstrides; i++)
        bind_span(m, b->strides[i], &p->strides[i]);
    bind_span(m, b->elem_offset, &p->offset);
}

/* ---- statements ------------------------------------------------------------- */

static bool any_touches(struct enum_machine *m, const struct enum_lane *thread,
                        const struct ir_stmt *s);

/* The values of a loop's variable; false: it does not run. */
static bool loop_span(struct enum_machine *m, const struct enum_lane *thread,
                      const struct ir_stmt *s, struct enum_span *out)
{
    struct enum_span min = enum_slice_span(m, thread, s->u.loop.min);
    struct enum_span extent = enum_slice_span(m, thread, s->u.loop.extent);
    int64_t lo, hi, step = 1;
    *out = enum_span_any();
    if (!enum_span_bounds(&extent, &lo, &hi))
        return true;
    if (hi <= 0)
        return false;
    if (s->u.loop.step != NULL && !ir_const_int(s->u.loop.step, &step))
        step = 1;
    if (step < 1)
        return true;
    *out = enum_span_range(0, hi - 1, step);
    *out = enum_span_add(&min, out);
    return true;
}

static bool block_touches(struct enum_machine *m,
                          const struct enum_lane *thread,
                          const struct ir_block *b)
{
    struct enum_span few[16];
    if (b->niters > DC_ARRAY_LEN(few))
        return true;
    for (size_t i = 0; i < b->niters; i++)
        few[i] = enum_slice_span(m, thread, b->iter_values[i]);
    for (size_t i = 0; i < b->niters; i++)
        enum_slice_range(m, b->iters[i].var, &few[i]);
    if (truth(m, thread, b->predicate) == 0)
        return false;
    for (size_t i = 0; i < b->nmatches; i++)
        match_part(m, thread, &b->matches[i]);
    return (b->init != NULL && any_touches(m, thread, b->init)) ||
           any_touches(m, thread, b->body);
}

static bool axis_touches(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_thread_axis *axis)
{
    const struct enum_axis *a = m->launched ? enum_axis_of(m, axis->tag) : NULL;
    struct enum_span span = enum_slice_span(m, thread, axis->extent);
    int64_t lo, hi;
    if (a != NULL && (thread == NULL || enum_is_block_tag(axis->tag)))
        span = enum_span_range(a->lo, a->hi, 1);
    else if (a != NULL)
        span = enum_span_number(thread->index / a->stride % a->extent);
    else if (enum_span_bounds(&span, &lo, &hi) && hi > 0)
        span = enum_span_range(0, hi - 1, 1);
    else
        span = enum_span_any();
    enum_slice_range(m, axis->var, &span);
    return any_touches(m, thread, axis->body);
}

static bool decl_touches(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_stmt *s)
{
    const struct ir_var *data = enum_decl_source(s);
    if (data == NULL)
        return true; /* it is known only when it is run */
    struct enum_storage *storage = m->storage_of[data->id];
    if (storage == NULL)
        return false;
    m->storage_of[s->u.decl.buffer->data->id] = storage;
    define_part(m, thread, s->u.decl.buffer, storage);
    return false;
}

static bool any_touches(struct enum_machine *m, const struct enum_lane *thread,
                        const struct ir_stmt *s)
{
    struct ir_thread_axis axis;
    struct enum_span span;
    int which;
    if (!count_step(m))
        return true;
    if (ir_thread_axis(s, &axis))
        return axis_touches(m, thread, &axis);
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            if (any_touches(m, thread, s->u.seq.items[i]))
                return true;
        return false;
    case IR_FOR:
        if (!loop_span(m, thread, s, &span))
            return false;
        enum_slice_range(m, s->u.loop.var, &span);
        return any_touches(m, thread, s->u.loop.body);
    case IR_IF:
        which = truth(m, thread, s->u.if_.cond);
        return (which != 0 && any_touches(m, thread, s->u.if_.then_)) ||
               (which != 1 && s->u.if_.else_ != NULL &&
                any_touches(m, thread, s->u.if_.else_));
    case IR_BIND:
        span = enum_slice_span(m, thread, s->u.bind.value);
        enum_slice_range(m, s->u.bind.var, &span);
        return false;
    case IR_DECL_BUFFER: return decl_touches(m, thread, s);
    case IR_ATTR: return any_touches(m, thread, s->u.attr.body);
    case IR_BLOCK: return block_touches(m, thread, s->u.block);
    case IR_STORE: return store_touches(m, thread, s);
    case IR_EVALUATE:
        return enum_is_effect(s->u.value)
                   ? enum_effect_touches(m, thread, s->u.value)
                   : !enum_is_quiet(s->u.value);
    case IR_ALLOC:
    case IR_ASSERT: return false;
    case IR_WHILE:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: break;
    }
    return true; /* not known here: the run says so */
}

bool enum_slice_touches(struct enum_machine *m, const struct enum_lane *thread,
                        const struct ir_stmt *s)
{
    bool touches = any_touches(m, thread, s);
    forget(m);
    return touches;
}

/* ---- threads that need one another ------------------------------------------ */

struct flows {
    struct enum_machine *m;
    bool unknown, effects;
    struct VEC(const struct enum_storage *) stored, loaded;
};

static void see_flow(struct flows *f, const struct ir_buffer *b, bool store)
{
    const struct enum_storage *s = f->m->storage_of[b->data->id];
    if (s == NULL)
        f->unknown = true;
    else if (s->scope == ENUM_LOCAL)
        return;
    else if (store)
        vec_push(&f->stored, s);
    else
        vec_push(&f->loaded, s);
}

static bool flow_stmt(void *user, struct ir_stmt *s)
{
    struct flows *f = user;
    if (s->kind == IR_STORE)
        see_flow(f, s->u.store.buffer, true);
    if (s->kind == IR_EVALUATE && !enum_is_quiet(s->u.value))
        f->effects = true;
    return true;
}

static bool flow_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LOAD)
        see_flow(user, e->u.buffer, false);
    return true;
}

/* Whether a thread may read what another one stores within s: then who is
 * needed is not known before its end has been walked. */
static bool leaks(struct enum_machine *m, const struct ir_stmt *s)
{
    struct flows f = {.m = m};
    struct ir_visitor v = {flow_stmt, flow_expr, &f};
    for (size_t i = 0; i < m->slice->leaks.len; i++)
        if (m->slice->leaks.items[i].stmt == s)
            return m->slice->leaks.items[i].leaks;
    ir_visit_stmt(&v, s);
    bool found = f.unknown || f.effects;
    for (size_t i = 0; i < f.stored.len; i++)
        for (size_t k = 0; k < f.loaded.len; k++)
            found = found || f.stored.items[i] == f.loaded.items[k];
    vec_fini(&f.stored);
    vec_fini(&f.loaded);
    if (f.effects || !f.unknown) /* storage may become known */
        vec_push(&m->slice->leaks, ((struct enum_leak){s, found}));
    return found;
}

bool enum_slice_keeps_all(struct enum_machine *m, const struct ir_stmt *s)
{
    return leaks(m, s);
}
