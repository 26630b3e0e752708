/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU kernels: the launch. A kernel is the outermost thread binding; its
 * thread tags and extents are collected first (rules 2, 31), then its blocks
 * run one after another, unordered for the race check. The threads of a block,
 * virtual threads included (rule 30), go through the body as lockstep.c says.
 *
 * Threads keep their frames from block to block: whatever a block defines has
 * ended with it.
 */
#include "interp/machine/step.h"

#include <string.h>

#define MAX_THREADS   65536
#define MAX_VARIABLES ((size_t)64 << 20) /* of all threads of a block */

/* ---- axes --------------------------------------------------------------------- */

static bool is_unbound(const void *frame, const struct ir_expr *e)
{
    const struct frame *f = frame;
    if (e->kind != IR_VAR_REF)
        return false;
    uint32_t id = e->u.var->id - f->plan->var_base;
    return id >= f->plan->nvars || f->vars[id].flags & V_UNBOUND;
}

/* The extent of a binding, which is that of its axis (rules 2, 31): the first
 * `known` axes have theirs. */
static bool axis_extent(struct machine *m, struct kernel *k,
                        const struct ir_binding *b, size_t *known)
{
    const char *tag = k->plan->axes[b->axis].tag;
    int64_t n;
    if (ir_expr_any(b->extent, is_unbound, m->frame)) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, b->extent,
                   "the extent of thread axis '%s' is not known at the launch",
                   tag);
        return false;
    }
    if (!exec_eval_index(m, b->extent, "a thread extent", &n))
        return false;
    if (b->axis < *known) {
        if (k->extent[b->axis] == n)
            return true;
        exec_fault(m, INTERP_UNSUPPORTED, NULL, b->extent,
                   "ill-formed thread extents: '%s' has %lld and %lld", tag,
                   (long long)k->extent[b->axis], (long long)n);
        return false;
    }
    if (*known == EXEC_MAX_AXES) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, b->extent,
                   "more than %d thread axes", EXEC_MAX_AXES);
        return false;
    }
    k->extent[(*known)++] = n > 0 ? n : 0;
    return true;
}

bool thread_set_var(struct machine *m, const struct ir_stmt *s,
                    const struct ir_axis **axis)
{
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    const struct ir_kernel *plan = m->kernel->plan;
    size_t a = ir_axis_find(plan, tag);
    if (a == plan->naxes) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "thread axis '%s' is bound in a called function", tag);
        return false;
    }
    int64_t min = 0;
    if (s->kind == IR_FOR &&
        !exec_eval_index(m, s->u.loop.min, "the start of a thread loop", &min))
        return false;
    int64_t index = m->thread->index[a];
    unsigned flags = 0;
    int64_t value;
    bool fits = !__builtin_add_overflow(min, index, &value);
    if (fits)
        (void)num_from_int(var->dtype, value, &flags);
    if (!fits || (flags & NUM_WRAPPED) != 0) { /* as of a loop's */
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "loop variable '%s' overflows its type", var->name);
        return false;
    }
    var_set(m, var, exec_value_scalar((uint64_t)value, 0));
    *axis = &plan->axes[a];
    return true;
}

const struct ir_stmt *thread_body(const struct ir_stmt *s)
{
    return s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body;
}

/* ---- threads --------------------------------------------------------------------- */

void thread_switch(struct machine *m, struct thread *t)
{
    m->thread = t;
    m->frame = t->frame;
}

/* A frame that starts as a copy of the launching one; lanes stay the host's. */
static struct frame *frame_fork(struct machine *m, struct frame *outer)
{
    struct frame *f = dc_alloc(sizeof *f);
    size_t n = outer->plan->nvars;
    f->plan = outer->plan;
    f->outer = outer;
    f->caller = outer->caller;
    f->vars = dc_alloc((n + 1) * sizeof *f->vars);
    memcpy(f->vars, outer->vars, n * sizeof *f->vars);
    for (size_t i = 0; i < n; i++)
        f->vars[i].flags &= ~(uint32_t)V_OWNED;
    if (m->boxed || m->keyed != NULL)
        f->boxes = dc_alloc((n + 1) * sizeof *f->boxes);
    f->views = dc_alloc((f->plan->nbuffers + 1) * sizeof *f->views);
    return f;
}

/* Splits a thread's number into its indices. */
static void thread_indices(const struct kernel *k, struct thread *t)
{
    int64_t rest = t->id;
    for (size_t i = 0; i < k->plan->nthreads; i++) {
        size_t axis = k->plan->threads[i];
        t->index[axis] = rest % k->extent[axis];
        rest /= k->extent[axis];
    }
}

static bool threads_make(struct machine *m, struct kernel *k)
{
    int64_t n, nlinear;
    size_t nvars = m->frame->plan->nvars;
    if (!ir_count_threads(k->plan, k->extent, MAX_THREADS, &n, &nlinear) ||
        (size_t)n * (nvars + 1) > MAX_VARIABLES) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "a block of more than %d threads", MAX_THREADS);
        return false;
    }
    size_t linear = (size_t)nlinear;
    size_t warps = (linear + EXEC_WARP_SIZE - 1) / EXEC_WARP_SIZE;
    k->nthreads = (size_t)n;
    k->nwarps = warps * (k->nthreads / linear);
    k->threads = dc_alloc((k->nthreads + 1) * sizeof *k->threads);
    k->warp_synced = dc_alloc((k->nwarps + 1) * sizeof *k->warp_synced);
    for (size_t i = 0; i < k->nthreads; i++) {
        struct thread *t = &k->threads[i];
        t->id = (uint32_t)i;
        t->linear = (uint32_t)(i % linear);
        t->vthread = (uint32_t)(i / linear);
        t->warp = (uint32_t)(t->vthread * warps + t->linear / EXEC_WARP_SIZE);
        t->lane = t->linear % EXEC_WARP_SIZE;
        t->frame = frame_fork(m, m->frame);
        thread_indices(k, t);
    }
    return true;
}

static void threads_free(struct machine *m, struct kernel *k)
{
    for (size_t i = 0; i < k->nthreads; i++) {
        struct thread *t = &k->threads[i];
        intrin_thread_fini(m, t);
        exec_frame_free(m, t->frame);
        vec_fini(&t->loops);
        vec_fini(&t->collective);
    }
    dc_release(k->threads);
    dc_release(k->warp_synced);
}

/* ---- launch ---------------------------------------------------------------------------------------- */

/* What threads took over of a view of such storage goes with it. */
static void forget_views(struct machine *m, const struct group *g,
                         const struct ir_buffer *b)
{
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        view_unset(m, b);
    }
}

/* Storage of the scopes that threads own, made on the host: each block or
 * thread has its own (rule 4). */
static bool own_storage(struct machine *m, const struct group *g,
                        const struct frame *host, bool make)
{
    bool ok = true;
    for (size_t i = 0; i < host->plan->nbuffers && ok; i++) {
        const struct view *v = host->views[i];
        if (v == NULL || v->alloc == NULL || v->lazy || v->alloc->param >= 0 ||
            v->alloc->scope == IR_SCOPE_GLOBAL)
            continue;
        if (v->alloc->buffer != v->buffer)
            forget_views(m, g, v->buffer);
        else if (make)
            ok = group_alloc(m, g, v->buffer, false);
        else
            group_release(m, g, v->buffer);
    }
    return ok;
}

static void run_block(struct machine *m, struct kernel *k,
                      const struct group *all, const struct frame *host)
{
    exec_race_tick(m);
    k->block_start = m->now;
    if (k->first_start == 0)
        k->first_start = m->now;
    for (unsigned s = 0; s < IR_NSCOPES; s++)
        k->synced[s] = k->implied[s] = 0;
    memset(k->warp_synced, 0, k->nwarps * sizeof *k->warp_synced);
    for (size_t i = 0; i < k->nthreads; i++)
        k->threads[i].flow = FLOW_NEXT;
    if (own_storage(m, all, host, true))
        group_run(m, all, k->stmt);
    (void)own_storage(m, all, host, false);
    while (k->shared.len > 0)
        mem_alloc_drop(m, k->shared.items[--k->shared.len].alloc);
}

static void set_block(struct kernel *k, size_t axis, int64_t index)
{
    for (size_t t = 0; t < k->nthreads; t++)
        k->threads[t].index[axis] = index;
}

/* Where the blocks of an axis begin. */
static int64_t first_block(const struct machine *m, const struct kernel *k,
                           size_t axis)
{
    return m->options.descending ? k->extent[axis] - 1 : 0;
}

/* Next combination of block indices; false after the last. */
static bool next_block(const struct machine *m, struct kernel *k)
{
    int64_t step = m->options.descending ? -1 : 1;
    for (size_t i = 0; i < k->plan->naxes; i++) {
        if (!k->plan->axes[i].is_block)
            continue;
        int64_t index = k->threads[0].index[i] + step;
        bool carry = index < 0 || index == k->extent[i];
        set_block(k, i, carry ? first_block(m, k, i) : index);
        if (!carry)
            return true;
    }
    return false;
}

static bool is_empty(const struct kernel *k)
{
    for (size_t i = 0; i < k->plan->naxes; i++)
        if (k->extent[i] == 0)
            return true;
    return false;
}

enum exec_flow kernel_launch(struct machine *m, const struct ir_stmt *s)
{
    struct kernel *k = dc_alloc(sizeof *k);
    size_t known = 0;
    k->stmt = s;
    k->plan = ir_plan_info(m->frame->plan, s)->kernel;
    for (size_t i = 0; i < k->plan->nbindings && !m->failed; i++)
        (void)axis_extent(m, k, &k->plan->bindings[i], &known);
    if (!m->failed && !is_empty(k) && threads_make(m, k)) {
        struct frame *host = m->frame;
        struct thread **list = dc_alloc(k->nthreads * sizeof *list);
        for (size_t i = 0; i < k->nthreads; i++)
            list[i] = &k->threads[i];
        struct group all = {list, k->nthreads};
        for (size_t i = 0; i < k->plan->naxes; i++)
            if (k->plan->axes[i].is_block)
                set_block(k, i, first_block(m, k, i));
        exec_race_tick(m);
        k->launched = m->now;
        m->kernel = k;
        m->racing = m->options.check_races;
        do
            run_block(m, k, &all, host);
        while (!m->failed && next_block(m, k));
        m->kernel = NULL;
        m->thread = &m->host;
        m->frame = host;
        exec_race_tick(m);
        m->racing = m->options.check_races && m->host.loops.len > 0;
        dc_release(list);
    }
    if (k->threads != NULL)
        threads_free(m, k);
    vec_fini(&k->shared);
    dc_release(k);
    return m->failed ? FLOW_STOP : FLOW_NEXT;
}

enum exec_flow kernel_thread_stmt(struct machine *m, const struct ir_stmt *s)
{
    if (m->kernel == NULL)
        return kernel_launch(m, s);
    const struct ir_axis *axis = NULL;
    if (!thread_set_var(m, s, &axis))
        return FLOW_STOP;
    const struct ir_plan_info *info = ir_plan_info(m->frame->plan, s);
    size_t made = 0;
    while (info != NULL && made < info->nmoved &&
           view_buffer_alloc(m, info->moved[made]))
        made++;
    enum exec_flow flow = m->failed ? FLOW_STOP : exec_stmt(m, thread_body(s));
    while (made > 0)
        view_buffer_release(m, info->moved[--made]);
    var_unset(m, ir_thread_var(s, NULL));
    return flow;
}
