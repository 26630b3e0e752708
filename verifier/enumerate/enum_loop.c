/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops and launches of a run. Iterations of parallel and vectorised loops are
 * run in their order, threads of a launch together; who may meet whom is noted
 * by enum_race.c. Backwards, in a slice, loops and launches are halved again and
 * again, and halves that store to nothing that is needed are passed over.
 */
#include "verifier/enumerate/enum_race.h"
#include "verifier/enumerate/enum_slice.h"

#include <string.h>

#define MAX_LANES  ((size_t)1 << 14)
#define MAX_PLACES ((size_t)1 << 23) /* variables of all threads */

size_t *enum_threads_new(size_t n)
{
    return dc_alloc((n + 1) * sizeof(size_t));
}

/* ---- loops ------------------------------------------------------------------ */

struct span {
    int64_t min, extent, step;
};

/* Whether the variable's last value fits its type. */
static bool last_fits(struct enum_machine *m, struct dtype t,
                      const struct span *s)
{
    int64_t far = s->extent > 0 ? s->extent - 1 : 0;
    unsigned flags = 0;
    bool fits = far <= INT64_MAX / 2 / s->step && s->min < INT64_MAX / 2;
    if (fits)
        (void)num_from_int(t, s->min + far * s->step, &flags);
    return (fits && !(flags & NUM_WRAPPED)) ||
           enum_stop(
               m, t.code == DT_INT && t.bits >= 32 ? ENUM_FAULT : ENUM_STOPPED,
               "a loop's variable overflows its type");
}

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
        if (!last_fits(m, s->u.loop.var->dtype, &spans[i]))
            return false;
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
    size_t *now = enum_threads_new(n);
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

static bool is_parallel(const struct ir_stmt *s)
{
    return s->u.loop.kind == IR_FOR_PARALLEL ||
           s->u.loop.kind == IR_FOR_VECTORIZED;
}

/* A loop that is run. */
struct turns {
    const struct ir_stmt *s;
    const struct span *spans; /* by place among the active */
    uint64_t instance;
    size_t *now;
};

/* Iteration k of the threads that have one. */
static bool run_turn(struct enum_machine *m, const struct turns *t, size_t n,
                     const size_t *active, int64_t k)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (k >= t->spans[i].extent)
            continue;
        set_loop(m, t->s, active[i], &t->spans[i], k);
        if (is_parallel(t->s))
            enum_race_enter(m, &m->lanes[active[i]], t->s, t->instance, k);
        t->now[count++] = active[i];
    }
    bool fine = enum_exec(m, t->s->u.loop.body, count, t->now);
    for (size_t i = 0; i < count && is_parallel(t->s); i++)
        enum_race_leave(m, &m->lanes[t->now[i]]);
    return fine;
}

bool enum_exec_loop(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                    const size_t *active)
{
    struct span *spans = dc_alloc((n + 1) * sizeof *spans);
    const struct turns t = {s, spans, enum_race_instance(m),
                            enum_threads_new(n)};
    int64_t most;
    bool fine = loop_spans(m, s, n, active, spans, &most);
    if (fine && m->slice != NULL)
        fine = slice_loop(m, s, n, active, spans, most);
    for (int64_t k = 0; fine && m->slice == NULL && k < most && !m->returned;
         k++)
        fine = run_turn(m, &t, n, active, k);
    dc_release(spans);
    dc_release(t.now);
    return fine;
}

/* ---- threads ---------------------------------------------------------------- */

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
    struct ir_thread_axis axis;
    int64_t n;
    if (!ir_thread_axis(s, &axis))
        return m->end == ENUM_RAN;
    if (*axis.tag == '\0' || m->naxes == DC_ARRAY_LEN(m->axes))
        return enum_stop(m, ENUM_STOPPED, "thread axes");
    if (!enum_int(m, &m->lanes[0], axis.extent, 0, &n))
        return false;
    struct enum_axis *a = enum_axis_of(m, axis.tag);
    if (a == NULL) {
        a = &m->axes[m->naxes++];
        *a = (struct enum_axis){axis.tag, n, 0, 0, n - 1};
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
    size_t *active = enum_threads_new(m->nlanes);
    for (size_t i = 0; i < m->nlanes; i++) {
        all[i].index = (int64_t)i;
        all[i].node = host.node;
        all[i].vars = vars + i * (m->nvars + 1);
        memcpy(all[i].vars, host.vars, bytes);
        active[i] = i;
    }
    struct enum_lane *outer = m->lanes;
    m->lanes = all;
    enum_race_launch(m, s);
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
    ir_visit_stmt(&v, s);
    if (m->end != ENUM_RAN || !number_threads(m))
        return false;
    m->launched = true;
    bool fine = m->slice != NULL ? search_blocks(m, s) : in_threads(m, s);
    m->launched = false;
    m->nlanes = m->threads_per_block = 1;
    return fine && enum_spread(m);
}

static bool exec_axis(struct enum_machine *m, const struct ir_stmt *s, size_t n,
                      const size_t *active, const struct ir_thread_axis *axis)
{
    const struct enum_axis *a = enum_axis_of(m, axis->tag);
    const struct ir_var *var = axis->var;
    unsigned flags = 0;
    if (a == NULL)
        return enum_stop(m, ENUM_STOPPED, "thread axes");
    m->thread_vars[var->id] |= !enum_is_block_tag(axis->tag);
    bool fixed = m->slice != NULL && enum_is_block_tag(axis->tag);
    for (size_t i = 0; i < n; i++) {
        struct enum_lane *thread = &m->lanes[active[i]];
        int64_t k = fixed ? a->lo : thread->index / a->stride % a->extent;
        int64_t min = 0;
        if (s->kind == IR_FOR && !enum_int(m, thread, s->u.loop.min, 0, &min))
            return false;
        if (min != 0 && m->slice != NULL)
            return enum_stop(m, ENUM_STOPPED, "a thread axis from %lld on",
                             (long long)min);
        if (__builtin_add_overflow(k, min, &k))
            return enum_stop(m, ENUM_STOPPED, "thread axes");
        flags = 0;
        thread->vars[var->id] =
            enum_const(m->t, var->dtype, num_from_int(var->dtype, k, &flags));
        if ((flags & NUM_WRAPPED) != 0)
            return enum_stop(m, ENUM_STOPPED, "a thread's number and its type");
    }
    return enum_exec(m, axis->body, n, active);
}

bool enum_exec_threads(struct enum_machine *m, const struct ir_stmt *s,
                       size_t n, const size_t *active)
{
    struct ir_thread_axis axis;
    return m->launched && ir_thread_axis(s, &axis)
               ? exec_axis(m, s, n, active, &axis)
               : exec_launch(m, s);
}
