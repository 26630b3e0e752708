/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of a run on symbols. All threads of a launch go through a
 * statement before any goes on to the next one, those of an if through its
 * first arm before the others through the second: one of the orders that the
 * rules allow, and with no race they all give the same.
 */
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

#define MAX_VECTOR 64u
#define MAX_LANES  ((size_t)1 << 14)
#define MAX_PLACES ((size_t)1 << 23) /* variables of all threads */

static size_t *threads_array(size_t n)
{
    return dc_alloc((n + 1) * sizeof(size_t));
}

/* ---- loops ------------------------------------------------------------------ */

struct span {
    int64_t min, extent, step;
};

static bool loop_spans(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active, struct span *spans,
                       int64_t *most)
{
    *most = 0;
    for (size_t i = 0; i < n; i++) {
        const struct enum_lane *thread = &m->lanes[active[i]];
        spans[i].step = 1;
        if (!enum_int(m, thread, s->u.loop.min, 0, &spans[i].min) ||
            !enum_int(m, thread, s->u.loop.extent, 0, &spans[i].extent) ||
            (s->u.loop.step != NULL &&
             !enum_int(m, thread, s->u.loop.step, 0, &spans[i].step)))
            return false;
        if (spans[i].step < 1)
            return enum_stop(m, ENUM_STOPPED, "a loop's step");
        int64_t trips = spans[i].extent <= 0
                            ? 0
                            : (spans[i].extent - 1) / spans[i].step + 1;
        spans[i].extent = trips;
        *most = trips > *most ? trips : *most;
    }
    return true;
}

static void set_loop(struct enum_machine *m, const struct ir_stmt *s,
                     size_t thread, const struct span *span, int64_t k)
{
    unsigned flags = 0;
    struct dtype t = s->u.loop.var->dtype;
    m->lanes[thread].vars[s->u.loop.var->id] = enum_const(
        m->t, t, num_from_int(t, span->min + k * span->step, &flags));
}

/* A loop of a slice. */
struct search {
    struct enum_machine *m;
    const struct ir_stmt *s;
    const struct span *spans; /* by thread */
    bool all; /* threads go together: what one needs another may make */
};

/* Whether iterations lo to hi are of use for a thread; *runs: it has some. */
static bool is_of_use(const struct search *q, size_t thread, int64_t lo,
                      int64_t hi, bool *runs)
{
    const struct span *span = &q->spans[thread];
    int64_t last = hi < span->extent ? hi : span->extent - 1;
    *runs = lo <= last;
    if (!*runs)
        return false;
    struct enum_span range = enum_span_range(
        span->min + lo * span->step, span->min + last * span->step, span->step);
    enum_slice_range(q->m, q->s->u.loop.var, &range);
    return enum_slice_touches(q->m, &q->m->lanes[thread], q->s->u.loop.body);
}

/* The threads for which they are. Of those that go together one is enough,
 * most often the one that was it before. */
static size_t keep_range(const struct search *q, int64_t lo, int64_t hi,
                         size_t n, const size_t *active, size_t *out)
{
    size_t count = 0, *last = &q->m->slice->last;
    bool some = false, runs, mine = false;
    for (size_t i = 0; i < n && q->all && !mine; i++)
        mine = active[i] == *last;
    some = mine && is_of_use(q, *last, lo, hi, &runs);
    for (size_t i = 0; i < n; i++) {
        bool asks = !(q->all && some);
        runs = lo < q->spans[active[i]].extent;
        if (asks && is_of_use(q, active[i], lo, hi, &runs)) {
            some = true;
            *last = active[i];
        } else if (asks && !q->all) {
            continue;
        }
        if (runs)
            out[count++] = active[i];
    }
    return some ? count : 0;
}

static bool search_loop(const struct search *q, int64_t lo, int64_t hi,
                        size_t n, const size_t *active)
{
    struct enum_machine *m = q->m;
    size_t *now = threads_array(n);
    size_t count = keep_range(q, lo, hi, n, active, now);
    bool fine = m->end == ENUM_RAN;
    if (fine && count > 0 && lo == hi) {
        for (size_t i = 0; i < count; i++)
            set_loop(m, q->s, now[i], &q->spans[now[i]], lo);
        fine = enum_exec(m, q->s->u.loop.body, count, now);
    } else if (fine && count > 0) {
        int64_t mid = lo + (hi - lo) / 2;
        fine = search_loop(q, mid + 1, hi, count, now) &&
               search_loop(q, lo, mid, count, now);
    }
    dc_release(now);
    return fine;
}

static bool slice_loop(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active, const struct span *spans,
                       int64_t most)
{
    struct span *by_thread = dc_alloc((m->nlanes + 1) * sizeof *by_thread);
    struct search q = {m, s, by_thread,
                       n > 1 && enum_slice_keeps_all(m, s->u.loop.body)};
    for (size_t i = 0; i < n; i++)
        by_thread[active[i]] = spans[i];
    bool fine = most == 0 || search_loop(&q, 0, most - 1, n, active);
    dc_release(by_thread);
    return fine;
}

static bool exec_loop(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    struct span *spans = dc_alloc((n + 1) * sizeof *spans);
    size_t *now = threads_array(n);
    int64_t most;
    bool fine = loop_spans(m, s, n, active, spans, &most);
    if (fine && m->slice != NULL)
        fine = slice_loop(m, s, n, active, spans, most);
    for (int64_t k = 0; fine && m->slice == NULL && k < most && !m->returned;
         k++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            if (k >= spans[i].extent)
                continue;
            set_loop(m, s, active[i], &spans[i], k);
            now[count++] = active[i];
        }
        fine = enum_exec(m, s->u.loop.body, count, now);
    }
    dc_release(spans);
    dc_release(now);
    return fine;
}

/* ---- threads ---------------------------------------------------------------- */

const struct ir_var *enum_axis_var(const struct ir_stmt *s, const char **tag,
                                   const struct ir_expr **extent)
{
    if (s->kind == IR_FOR && s->u.loop.kind == IR_FOR_THREAD &&
        s->u.loop.thread != NULL) {
        *tag = s->u.loop.thread->thread_tag;
        *extent = s->u.loop.extent;
        return s->u.loop.var;
    }
    if (s->kind == IR_ATTR && s->u.attr.node != NULL &&
        s->u.attr.node->kind == IR_V_ITER_VAR &&
        (strcmp(s->u.attr.key, "thread_extent") == 0 ||
         strcmp(s->u.attr.key, "virtual_thread") == 0)) {
        *tag = s->u.attr.node->u.iter_var->thread_tag;
        *extent = s->u.attr.value;
        return s->u.attr.node->u.iter_var->var;
    }
    return NULL;
}

bool enum_is_block_tag(const char *tag)
{
    return strncmp(tag, "blockIdx", 8) == 0;
}

struct enum_axis *enum_axis_of(struct enum_machine *m, const char *tag)
{
    for (size_t i = 0; i < m->naxes; i++)
        if (strcmp(m->axes[i].tag, tag) == 0)
            return &m->axes[i];
    return NULL;
}

static bool see_axis(void *user, struct ir_stmt *s)
{
    struct enum_machine *m = user;
    const char *tag;
    const struct ir_expr *extent;
    int64_t n;
    if (enum_axis_var(s, &tag, &extent) == NULL)
        return m->end == ENUM_RAN;
    if (*tag == '\0' || m->naxes == DC_ARRAY_LEN(m->axes))
        return enum_stop(m, ENUM_STOPPED, "thread axes");
    if (!enum_int(m, &m->lanes[0], extent, 0, &n))
        return false;
    struct enum_axis *a = enum_axis_of(m, tag);
    if (a == NULL) {
        a = &m->axes[m->naxes++];
        *a = (struct enum_axis){tag, n, 0, 0, n - 1};
    }
    if (n < 1 || a->extent != n)
        return enum_stop(m, ENUM_STOPPED, "thread axes of two extents");
    return true;
}

/* Threads of a block stand together, the faster axes first. */
static int speed_of(const char *tag)
{
    static const char *const tags[] = {"threadIdx.x", "threadIdx.y",
                                       "threadIdx.z"};
    for (int i = 0; i < 3; i++)
        if (strcmp(tag, tags[i]) == 0)
            return i;
    return enum_is_block_tag(tag) ? 4 : 3;
}

static bool number_threads(struct enum_machine *m)
{
    int64_t total = 1, blocks = 1;
    for (int speed = 0; speed <= 4; speed++) {
        for (size_t i = 0; i < m->naxes; i++) {
            struct enum_axis *a = &m->axes[i];
            if (speed_of(a->tag) != speed)
                continue;
            bool apart = m->slice != NULL && speed == 4;
            int64_t *count = apart ? &blocks : &total;
            int64_t most = apart ? INT64_C(1) << 40 : (int64_t)MAX_LANES;
            a->stride = *count;
            if (a->extent > most / *count)
                return enum_stop(m, ENUM_LARGE, "too large");
            *count *= a->extent;
        }
        if (speed == 3)
            m->threads_per_block = (size_t)total;
    }
    if ((size_t)total * m->nvars > MAX_PLACES)
        return enum_stop(m, ENUM_LARGE, "too large");
    m->nlanes = (size_t)total;
    return true;
}

static bool in_threads(struct enum_machine *m, const struct ir_stmt *s)
{
    struct enum_lane host = m->lanes[0];
    struct enum_lane *all = dc_alloc((m->nlanes + 1) * sizeof *all);
    size_t bytes = (m->nvars + 1) * sizeof(enum_id);
    enum_id *vars = dc_alloc((m->nlanes + 1) * bytes);
    size_t *active = threads_array(m->nlanes);
    for (size_t i = 0; i < m->nlanes; i++) {
        all[i].index = (int64_t)i;
        all[i].vars = vars + i * (m->nvars + 1);
        memcpy(all[i].vars, host.vars, bytes);
        active[i] = i;
    }
    struct enum_lane *outer = m->lanes;
    m->lanes = all;
    bool fine = enum_spread(m) && enum_exec(m, s, m->nlanes, active) &&
                (m->slice == NULL || enum_spread(m));
    m->lanes = outer;
    dc_release(all);
    dc_release(vars);
    dc_release(active);
    return fine;
}

/* Blocks whose indices lie within the axes' bounds, those that are of use, one
 * at a time. */
static bool search_blocks(struct enum_machine *m, const struct ir_stmt *s)
{
    struct enum_axis *widest = NULL;
    int64_t block = 0;
    if (!enum_slice_touches(m, NULL, s))
        return m->end == ENUM_RAN;
    for (size_t i = m->naxes; i-- > 0;) {
        struct enum_axis *a = &m->axes[i];
        if (!enum_is_block_tag(a->tag))
            continue;
        block += a->lo * a->stride;
        if (a->lo < a->hi)
            widest = a;
    }
    if (widest == NULL) {
        m->slice->block = block;
        return in_threads(m, s);
    }
    struct enum_axis all = *widest;
    int64_t mid = all.lo + (all.hi - all.lo) / 2;
    bool fine = true;
    for (int part = 0; part < 2 && fine; part++) {
        bool upper = part == 0;
        widest->lo = upper ? mid + 1 : all.lo;
        widest->hi = upper ? all.hi : mid;
        fine = search_blocks(m, s);
    }
    *widest = all;
    return fine;
}

/* The outermost binding is a launch with all axes below it (R2). */
static bool exec_launch(struct enum_machine *m, const struct ir_stmt *s)
{
    struct ir_visitor v = {.stmt = see_axis, .user = m};
    m->naxes = 0;
    ir_visit_stmt(&v, (struct ir_stmt *)(uintptr_t)s);
    if (m->end != ENUM_RAN || !number_threads(m))
        return false;
    m->launched = true;
    bool fine = m->slice != NULL ? search_blocks(m, s) : in_threads(m, s);
    m->launched = false;
    m->nlanes = m->threads_per_block = 1;
    return fine && enum_spread(m);
}

static bool exec_axis(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active, const char *tag,
                      const struct ir_var *var)
{
    const struct enum_axis *a = enum_axis_of(m, tag);
    const struct ir_stmt *body =
        s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body;
    unsigned flags = 0;
    if (a == NULL)
        return enum_stop(m, ENUM_STOPPED, "thread axes");
    m->thread_vars[var->id] |= !enum_is_block_tag(tag);
    bool fixed = m->slice != NULL && enum_is_block_tag(tag);
    for (size_t i = 0; i < n; i++) {
        struct enum_lane *thread = &m->lanes[active[i]];
        int64_t k = fixed ? a->lo : thread->index / a->stride % a->extent;
        thread->vars[var->id] =
            enum_const(m->t, var->dtype, num_from_int(var->dtype, k, &flags));
    }
    return enum_exec(m, body, n, active);
}

/* ---- conditions, names, stores ---------------------------------------------- */

/* Keeps the threads in which cond is (or is not) true. */
static bool keep(struct enum_machine *m, const struct ir_expr *cond, bool want,
                 size_t n, const size_t *active, size_t *out, size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t k;
        if (!enum_int(m, &m->lanes[active[i]], cond, 0, &k))
            return false;
        if ((k != 0) == want)
            out[(*count)++] = active[i];
    }
    return true;
}

static bool exec_if(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                    const size_t *active)
{
    size_t *yes = threads_array(n), *no = threads_array(n), nyes, nno;
    bool back = m->slice != NULL;
    bool fine = keep(m, s->u.if_.cond, true, n, active, yes, &nyes) &&
                keep(m, s->u.if_.cond, false, n, active, no, &nno) &&
                (!back || s->u.if_.else_ == NULL ||
                 enum_exec(m, s->u.if_.else_, nno, no)) &&
                enum_exec(m, s->u.if_.then_, nyes, yes) &&
                (back || s->u.if_.else_ == NULL ||
                 enum_exec(m, s->u.if_.else_, nno, no));
    dc_release(yes);
    dc_release(no);
    return fine;
}

static bool exec_bind(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    const struct ir_expr *value = s->u.bind.value;
    if (value->dtype.lanes > 1 || dtype_is_handle(value->dtype))
        return enum_stop(m, ENUM_STOPPED, "'%s' is a vector or a pointer",
                         s->u.bind.var->name);
    for (size_t i = 0; i < n; i++) {
        struct enum_lane *thread = &m->lanes[active[i]];
        enum_id id = enum_eval(m, thread, value, 0);
        if (id == ENUM_NONE)
            return false;
        thread->vars[s->u.bind.var->id] = id;
    }
    return true;
}

/* A store of a slice: what it stores to is found, what it reads is needed. */
static bool fill_in(struct enum_machine *m, const struct ir_stmt *s,
                    const struct enum_lane *thread, uint32_t lanes)
{
    enum_id holes[MAX_VECTOR];
    for (uint32_t i = 0; i < lanes; i++) {
        struct enum_storage *storage;
        int64_t place;
        if (!enum_place(m, thread, s->u.store.buffer, s->u.store.nindices,
                        s->u.store.indices, i, &storage, &place))
            return false;
        holes[i] = enum_slice_take(m, thread, storage, place);
    }
    for (uint32_t i = 0; i < lanes; i++) {
        if (holes[i] == ENUM_NONE)
            continue;
        enum_id id = enum_eval(m, thread, s->u.store.value, i);
        if (id == ENUM_NONE)
            return false;
        enum_slice_fill(m, holes[i], id);
    }
    return true;
}

/* All lanes of the value are evaluated before any is written (R6). */
static bool store_in(struct enum_machine *m, const struct ir_stmt *s,
                     const struct enum_lane *thread)
{
    enum_id few[MAX_VECTOR];
    enum_id *cells[MAX_VECTOR];
    struct enum_storage *storage = NULL;
    uint32_t lanes = s->u.store.value->dtype.lanes;
    lanes = lanes > 1 ? lanes : 1;
    if (lanes > MAX_VECTOR || s->u.store.predicate != NULL ||
        s->u.store.buffer->dtype.lanes != 1)
        return enum_stop(m, ENUM_STOPPED, "a store of vectors to '%s'",
                         s->u.store.buffer->name);
    if (m->slice != NULL)
        return fill_in(m, s, thread, lanes);
    for (uint32_t i = 0; i < lanes; i++) {
        int64_t place;
        few[i] = enum_eval(m, thread, s->u.store.value, i);
        if (few[i] == ENUM_NONE ||
            !enum_place(m, thread, s->u.store.buffer, s->u.store.nindices,
                        s->u.store.indices, i, &storage, &place))
            return false;
        cells[i] = enum_held(thread, storage, place);
    }
    for (uint32_t i = 0; i < lanes; i++)
        *cells[i] = few[i];
    storage->stored = true;
    return true;
}

/* What orders threads and copies: all go through each statement together, and
 * copies are done where they are issued. */
static bool is_order(enum ir_op op)
{
    return op == IR_OP_STORAGE_SYNC || op == IR_OP_WARP_SYNC ||
           op == IR_OP_PTX_COMMIT_GROUP || op == IR_OP_PTX_WAIT_GROUP;
}

bool enum_is_quiet(const struct ir_expr *e)
{
    if (e->kind != IR_CALL)
        return true;
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    return is_order(e->u.call.op) ||
           (e->u.call.op != IR_OP_UNKNOWN && e->u.call.op != IR_OP_GLOBAL &&
            (info->flags & IR_OPF_PURE) != 0 &&
            !(info->flags & (IR_OPF_MEMORY | IR_OPF_SYNC | IR_OPF_HOST)));
}

static bool exec_evaluate(struct enum_machine *m, const struct ir_expr *e,
                          size_t n, const size_t *active)
{
    if (e->kind == IR_CALL &&
        (e->u.call.op == IR_OP_STORAGE_SYNC || e->u.call.op == IR_OP_WARP_SYNC))
        return true;
    if (m->slice != NULL && enum_is_quiet(e))
        return true;
    for (size_t i = 0; i < n && m->end == ENUM_RAN; i++) {
        const struct enum_lane *thread =
            &m->lanes[active[m->slice != NULL ? n - 1 - i : i]];
        if (enum_is_effect(e))
            (void)enum_effect(m, thread, e);
        else
            (void)enum_eval(m, thread, e, 0);
    }
    return m->end == ENUM_RAN;
}

static bool exec_assert(struct enum_machine *m, const struct ir_stmt *s,
                        size_t n, const size_t *active)
{
    for (size_t i = 0; i < n; i++) {
        int64_t k;
        if (!enum_int(m, &m->lanes[active[i]], s->u.assert_.cond, 0, &k))
            return false;
        if (k == 0)
            return enum_stop(m, ENUM_FAULT, "an assertion fails");
    }
    return true;
}

/* ---- buffers ---------------------------------------------------------------- */

static bool is_fixed(const struct ir_buffer *b)
{
    int64_t k;
    for (size_t i = 0; i < b->nstrides; i++)
        if (!ir_const_int(b->strides[i], &k))
            return false;
    return b->elem_offset == NULL || ir_const_int(b->elem_offset, &k);
}

const struct ir_var *enum_decl_source(const struct ir_stmt *s)
{
    const struct ir_expr *p = s->u.decl.value;
    if (p != NULL && p->kind == IR_CALL && p->u.call.op == IR_OP_BUFFER_DATA &&
        p->nargs == 1)
        p = p->args[0];
    if (p == NULL)
        return s->u.decl.buffer->data;
    return p->kind == IR_BUFFER_REF ? p->u.buffer->data
           : p->kind == IR_VAR_REF  ? p->u.var
                                    : NULL;
}

static bool exec_decl(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    const struct ir_var *data = enum_decl_source(s);
    if (data == NULL)
        return enum_stop(m, ENUM_STOPPED, "'%s' is a view of a pointer",
                         b->name);
    struct enum_storage *storage = m->storage_of[data->id];
    if (storage == NULL || (n > 1 && !is_fixed(b)))
        return enum_stop(m, ENUM_STOPPED, "the storage of '%s' is not known",
                         b->name);
    m->storage_of[b->data->id] = storage;
    return n == 0 || enum_view_make(m, b, &m->lanes[active[0]], storage);
}

/* Gives a name without a value one; true if it then has that value. */
static bool bind_size(struct enum_machine *m, const struct enum_lane *thread,
                      const struct ir_expr *e, int64_t value)
{
    unsigned flags = 0;
    int64_t have;
    if (e->kind == IR_VAR_REF && thread->vars[e->u.var->id] == ENUM_NONE)
        thread->vars[e->u.var->id] =
            enum_const(m->t, e->dtype, num_from_int(e->dtype, value, &flags));
    return enum_int(m, thread, e, 0, &have) && have == value;
}

static void forget(const struct enum_lane *thread, const struct ir_expr *e)
{
    if (e != NULL && e->kind == IR_VAR_REF)
        thread->vars[e->u.var->id] = ENUM_NONE;
}

/* A part of a buffer under another name. Its own sizes may be names that get
 * their values here, each time anew. */
static bool exec_match(struct enum_machine *m, const struct ir_match_buffer *x,
                       const struct enum_lane *thread)
{
    const struct ir_buffer *b = x->buffer, *from = x->source.buffer;
    if (from->id >= m->nbuffers || m->view_of[from->id] == 0 ||
        b->rank > x->source.nranges)
        return enum_stop(m, ENUM_STOPPED, "the storage of '%s' is not known",
                         b->name);
    struct enum_view v = m->views.items[m->view_of[from->id] - 1];
    size_t skip = x->source.nranges - b->rank;
    int64_t place = v.offset;
    bool fits = v.rank == x->source.nranges;
    for (size_t i = 0; i < b->nstrides; i++)
        forget(thread, b->strides[i]);
    forget(thread, b->elem_offset);
    for (size_t i = 0; fits && i < x->source.nranges; i++) {
        int64_t min, extent;
        if (!enum_int(m, thread, x->source.ranges[i].min, 0, &min) ||
            !enum_int(m, thread, x->source.ranges[i].extent, 0, &extent))
            return false;
        place += min * v.strides[i];
        if (i < skip)
            fits = extent == 1;
        else
            fits = bind_size(m, thread, b->shape[i - skip], extent);
    }
    for (size_t i = 0; fits && i < b->nstrides; i++)
        fits = bind_size(m, thread, b->strides[i], v.strides[skip + i]);
    if (fits && b->elem_offset != NULL)
        fits = bind_size(m, thread, b->elem_offset, place);
    m->storage_of[b->data->id] = v.storage;
    if (!fits || !enum_view_make(m, b, thread, v.storage))
        return enum_stop(m, ENUM_STOPPED, "'%s' does not match its region",
                         b->name);
    struct enum_view *made = &m->views.items[m->view_of[b->id] - 1];
    made->offset = place;
    for (size_t i = 0; i < b->rank; i++) {
        if (made->strides[i] != v.strides[skip + i] && made->shape[i] > 1)
            return enum_stop(m, ENUM_STOPPED, "'%s' does not match its region",
                             b->name);
        made->strides[i] = v.strides[skip + i];
    }
    return true;
}

/* ---- blocks ----------------------------------------------------------------- */

static bool on_threads(const struct enum_machine *m, const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF)
        return m->thread_vars[e->u.var->id];
    for (uint32_t i = 0; i < e->nargs; i++)
        if (on_threads(m, e->args[i]))
            return true;
    return false;
}

/* Bindings in the outer names first; `starts` tells whether all reduction
 * iterators are at their minimum (R1). */
static bool bind_iters(struct enum_machine *m, const struct ir_block *b,
                       const struct enum_lane *thread, bool *starts)
{
    enum_id *values = ARENA_ARRAY(m->arena, b->niters + 1, enum_id);
    *starts = true;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *x = &b->iters[i];
        int64_t k, min;
        unsigned flags = 0;
        if (!enum_int(m, thread, b->iter_values[i], 0, &k))
            return false;
        values[i] = enum_const(m->t, x->var->dtype,
                               num_from_int(x->var->dtype, k, &flags));
        if (x->type != IR_ITER_REDUCE)
            continue;
        if (m->launched && on_threads(m, b->iter_values[i]))
            return enum_stop(m, ENUM_STOPPED, "a reduction across threads");
        if (!x->has_dom || !enum_int(m, thread, x->dom.min, 0, &min))
            return enum_stop(m, ENUM_STOPPED, "a domain");
        *starts = *starts && k == min;
    }
    for (size_t i = 0; i < b->niters; i++)
        thread->vars[b->iters[i].var->id] = values[i];
    return true;
}

static bool exec_block(struct enum_machine *m, const struct ir_block *b,
                       size_t n, const size_t *active)
{
    size_t *now = threads_array(n), *first = threads_array(n);
    bool *starts = dc_alloc(n + 1);
    size_t count = 0, nfirst = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < n; i++)
        fine = bind_iters(m, b, &m->lanes[active[i]], &starts[i]);
    for (size_t i = 0; fine && i < n; i++) {
        int64_t k;
        fine = enum_int(m, &m->lanes[active[i]], b->predicate, 0, &k);
        if (!fine || k == 0)
            continue;
        now[count++] = active[i];
        if (starts[i])
            first[nfirst++] = active[i];
    }
    if (fine && count > 1 && b->nmatches > 0)
        fine = enum_stop(m, ENUM_STOPPED, "match_buffer in threads");
    for (size_t i = 0; fine && count > 0 && i < b->nallocs; i++)
        fine = enum_alloc(m, b->allocs[i], &m->lanes[now[0]]);
    for (size_t i = 0; fine && count > 0 && i < b->nmatches; i++)
        fine = exec_match(m, &b->matches[i], &m->lanes[now[0]]);
    bool back = m->slice != NULL;
    if (fine && b->init != NULL && !back)
        fine = enum_exec(m, b->init, nfirst, first);
    fine = fine && enum_exec(m, b->body, count, now);
    if (fine && b->init != NULL && back)
        fine = enum_exec(m, b->init, nfirst, first);
    for (size_t i = 0; fine && back && count > 0 && i < b->nallocs; i++)
        enum_slice_begin(m, m->storage_of[b->allocs[i]->data->id]);
    dc_release(now);
    dc_release(first);
    dc_release(starts);
    return fine;
}

/* ---- statements ------------------------------------------------------------- */

static bool exec_attr(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    return enum_exec(m, s->u.attr.body, n, active);
}

static bool see_load(void *user, struct ir_expr *e)
{
    *(bool *)user |= e->kind == IR_LOAD;
    return true;
}

static bool reads_data(const struct ir_expr *e)
{
    bool found = false;
    struct ir_visitor v = {.expr = see_load, .user = &found};
    ir_visit_expr(&v, (struct ir_expr *)(uintptr_t)e);
    return found;
}

/* Names of data are holes until their turn comes. */
static bool bind_holes(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active)
{
    for (size_t i = 0; i < n; i++)
        m->lanes[active[i]].vars[s->u.bind.var->id] = enum_slice_hole(
            m, s->u.bind.var->dtype, enum_undef(m->t, s->u.bind.var->dtype));
    return true;
}

static bool fill_holes(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active)
{
    for (size_t i = n; i-- > 0;) {
        const struct enum_lane *thread = &m->lanes[active[i]];
        enum_id hole = thread->vars[s->u.bind.var->id];
        enum_id id = enum_eval(m, thread, s->u.bind.value, 0);
        if (id == ENUM_NONE)
            return false;
        enum_slice_fill(m, hole, id);
    }
    return true;
}

/* Names get their values and storage first, whatever is read before it was
 * allocated is not there, and the rest is run from its end. */
static bool seq_backwards(struct enum_machine *m, const struct ir_stmt *s,
                          size_t n, const size_t *active)
{
    bool fine = true;
    for (size_t i = 0; i < s->u.seq.n && fine; i++) {
        const struct ir_stmt *x = s->u.seq.items[i];
        if (x->kind == IR_BIND && reads_data(x->u.bind.value))
            fine = bind_holes(m, x, n, active);
        else if (x->kind == IR_ALLOC || x->kind == IR_DECL_BUFFER ||
                 x->kind == IR_BIND)
            fine = enum_exec(m, x, n, active);
    }
    for (size_t i = s->u.seq.n; i-- > 0 && fine;) {
        const struct ir_stmt *x = s->u.seq.items[i];
        if (x->kind == IR_BIND && reads_data(x->u.bind.value))
            fine = fill_holes(m, x, n, active);
        else if (x->kind == IR_ALLOC)
            enum_slice_begin(m, m->storage_of[x->u.alloc.buffer->data->id]);
        else if (x->kind != IR_DECL_BUFFER && x->kind != IR_BIND)
            fine = enum_exec(m, x, n, active);
    }
    return fine;
}

static bool exec_kind(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active)
{
    switch (s->kind) {
    case IR_SEQ:
        if (m->slice != NULL)
            return seq_backwards(m, s, n, active);
        for (size_t i = 0; i < s->u.seq.n && !m->returned; i++)
            if (!enum_exec(m, s->u.seq.items[i], n, active))
                return false;
        return true;
    case IR_FOR: return exec_loop(m, s, n, active);
    case IR_IF: return exec_if(m, s, n, active);
    case IR_BIND: return exec_bind(m, s, n, active);
    case IR_ALLOC: return enum_alloc(m, s->u.alloc.buffer, &m->lanes[*active]);
    case IR_DECL_BUFFER: return exec_decl(m, s, n, active);
    case IR_ATTR: return exec_attr(m, s, n, active);
    case IR_ASSERT: return m->slice != NULL || exec_assert(m, s, n, active);
    case IR_EVALUATE: return exec_evaluate(m, s->u.value, n, active);
    case IR_STORE:
        for (size_t i = 0; i < n; i++)
            if (!store_in(m, s, &m->lanes[active[m->slice ? n - 1 - i : i]]))
                return false;
        return true;
    case IR_BLOCK: return exec_block(m, s->u.block, n, active);
    case IR_RETURN:
        m->returned = !m->launched && m->slice == NULL;
        if (!m->launched)
            return true;
        break;
    case IR_WHILE:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
    return enum_stop(m, ENUM_STOPPED, "%s", ir_stmt_kind_name(s->kind));
}

bool enum_exec(struct enum_machine *m, const struct ir_stmt *s, size_t n,
               const size_t *active)
{
    const char *tag;
    const struct ir_expr *extent;
    if (m->end != ENUM_RAN)
        return false;
    if (n == 0)
        return true;
    const struct ir_var *var = enum_axis_var(s, &tag, &extent);
    if (var == NULL)
        return exec_kind(m, s, n, active);
    return m->launched ? exec_axis(m, s, n, active, tag, var)
                       : exec_launch(m, s);
}
