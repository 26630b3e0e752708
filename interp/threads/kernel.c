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

static struct axis *axis_find(struct kernel *k, const char *tag,
                              const struct ir_var *var)
{
    for (size_t i = k->naxes; i-- > 0;) {
        struct axis *a = &k->axes[i];
        if (strcmp(a->tag, tag) == 0 && (a->var == NULL || a->var == var))
            return a;
    }
    return NULL;
}

struct axis_walk {
    struct machine *m;
    struct kernel *k;
    bool failed;
    bool unbound;
};

static bool see_unbound(void *user, struct ir_expr *e)
{
    struct axis_walk *w = user;
    if (e->kind == IR_VAR_REF) {
        const struct frame *f = w->m->frame;
        uint32_t id = e->u.var->id - f->plan->var_base;
        w->unbound |= id >= f->plan->nvars || f->vars[id].flags & V_UNBOUND;
    }
    return true;
}

static bool axis_add(struct axis_walk *w, const char *tag,
                     const struct ir_var *var, struct ir_expr *extent)
{
    struct machine *m = w->m;
    struct ir_visitor v = {NULL, see_unbound, w};
    ir_visit_expr(&v, extent);
    int64_t n;
    if (w->unbound) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, extent,
                   "the extent of thread axis '%s' is not known at the launch",
                   tag);
        return false;
    }
    if (!exec_eval_index(m, extent, "a thread extent", &n))
        return false;
    struct axis *a = axis_find(w->k, tag, var);
    if (a != NULL) {
        if (a->extent == n)
            return true;
        exec_fault(m, INTERP_UNSUPPORTED, NULL, extent,
                   "ill-formed thread extents: '%s' has %lld and %lld", tag,
                   (long long)a->extent, (long long)n);
        return false;
    }
    if (w->k->naxes == EXEC_MAX_AXES) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, extent,
                   "more than %d thread axes", EXEC_MAX_AXES);
        return false;
    }
    a = &w->k->axes[w->k->naxes++];
    a->tag = tag;
    a->extent = n > 0 ? n : 0;
    a->is_block = strncmp(tag, "blockIdx", 8) == 0;
    a->is_vthread = strncmp(tag, "vthread", 7) == 0;
    return true;
}

static bool see_axis(void *user, struct ir_stmt *s)
{
    struct axis_walk *w = user;
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    if (var != NULL && !w->failed)
        w->failed =
            !axis_add(w, tag, var,
                      s->kind == IR_FOR ? s->u.loop.extent : s->u.attr.value);
    return !w->failed;
}

bool thread_set_var(struct machine *m, const struct ir_stmt *s,
                    const struct axis **axis)
{
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    struct axis *a = axis_find(m->kernel, tag, var);
    if (a == NULL) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "thread axis '%s' is bound in a called function", tag);
        return false;
    }
    int64_t min = 0;
    if (s->kind == IR_FOR &&
        !exec_eval_index(m, s->u.loop.min, "the start of a thread loop", &min))
        return false;
    int64_t index = m->thread->index[a - m->kernel->axes];
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
    *axis = a;
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

/* Splits a thread's number into its indices: threadIdx.x fastest, then y, z,
 * other tags, virtual threads last. */
static void thread_indices(const struct kernel *k, struct thread *t,
                           size_t nlinear)
{
    static const char *const order[] = {"threadIdx.x", "threadIdx.y",
                                        "threadIdx.z"};
    bool done[EXEC_MAX_AXES] = {false};
    int64_t rest = (int64_t)(t->id % nlinear);
    for (size_t pass = 0; pass <= DC_ARRAY_LEN(order); pass++)
        for (size_t i = 0; i < k->naxes; i++) {
            const struct axis *a = &k->axes[i];
            if (done[i] || a->is_block || a->is_vthread ||
                (pass < DC_ARRAY_LEN(order) && strcmp(a->tag, order[pass])))
                continue;
            done[i] = true;
            t->index[i] = rest % a->extent;
            rest /= a->extent;
        }
    rest = (int64_t)(t->id / nlinear);
    for (size_t i = k->naxes; i-- > 0;)
        if (k->axes[i].is_vthread) {
            t->index[i] = rest % k->axes[i].extent;
            rest /= k->axes[i].extent;
        }
}

static bool threads_make(struct machine *m, struct kernel *k)
{
    size_t nlinear = 1, nvirtual = 1;
    for (size_t i = 0; i < k->naxes; i++) {
        const struct axis *a = &k->axes[i];
        size_t *n = a->is_vthread ? &nvirtual : &nlinear;
        if (a->is_block)
            continue;
        if (a->extent > MAX_THREADS || *n * (size_t)a->extent > MAX_THREADS) {
            exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                       "a block of more than %d threads", MAX_THREADS);
            return false;
        }
        *n *= (size_t)a->extent;
    }
    size_t n = nlinear * nvirtual, nvars = m->frame->plan->nvars;
    if (n > MAX_THREADS || n * (nvars + 1) > MAX_VARIABLES) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "a block of more than %d threads", MAX_THREADS);
        return false;
    }
    size_t warps = (nlinear + EXEC_WARP_SIZE - 1) / EXEC_WARP_SIZE;
    k->nthreads = n;
    k->nwarps = warps * nvirtual;
    k->threads = dc_alloc((n + 1) * sizeof *k->threads);
    k->warp_synced = dc_alloc((k->nwarps + 1) * sizeof *k->warp_synced);
    for (size_t i = 0; i < n; i++) {
        struct thread *t = &k->threads[i];
        t->id = (uint32_t)i;
        t->linear = (uint32_t)(i % nlinear);
        t->vthread = (uint32_t)(i / nlinear);
        t->warp = (uint32_t)(t->vthread * warps + t->linear / EXEC_WARP_SIZE);
        t->lane = t->linear % EXEC_WARP_SIZE;
        t->frame = frame_fork(m, m->frame);
        thread_indices(k, t, nlinear);
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
            v->alloc->scope == MEM_GLOBAL)
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
    for (unsigned s = 0; s < MEM_NSCOPES; s++)
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

/* Where the blocks of an axis begin, and the step to the next one. */
static int64_t first_block(const struct machine *m, const struct axis *a)
{
    return m->options.descending ? a->extent - 1 : 0;
}

/* Next combination of block indices; false after the last. */
static bool next_block(const struct machine *m, struct kernel *k)
{
    int64_t step = m->options.descending ? -1 : 1;
    for (size_t i = 0; i < k->naxes; i++) {
        if (!k->axes[i].is_block)
            continue;
        int64_t index = k->threads[0].index[i] + step;
        bool carry = index < 0 || index == k->axes[i].extent;
        set_block(k, i, carry ? first_block(m, &k->axes[i]) : index);
        if (!carry)
            return true;
    }
    return false;
}

static bool is_empty(const struct kernel *k)
{
    for (size_t i = 0; i < k->naxes; i++)
        if (k->axes[i].extent == 0)
            return true;
    return false;
}

enum exec_flow kernel_launch(struct machine *m, const struct ir_stmt *s)
{
    struct kernel *k = dc_alloc(sizeof *k);
    struct axis_walk w = {m, k, false, false};
    struct ir_visitor v = {see_axis, NULL, &w};
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } stmt = {s};
    k->stmt = s;
    ir_visit_stmt(&v, stmt.out);
    if (!m->failed && !is_empty(k) && threads_make(m, k)) {
        struct frame *host = m->frame;
        struct thread **list = dc_alloc(k->nthreads * sizeof *list);
        for (size_t i = 0; i < k->nthreads; i++)
            list[i] = &k->threads[i];
        struct group all = {list, k->nthreads};
        for (size_t i = 0; i < k->naxes; i++)
            if (k->axes[i].is_block)
                set_block(k, i, first_block(m, &k->axes[i]));
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
    const struct axis *axis = NULL;
    if (!thread_set_var(m, s, &axis))
        return FLOW_STOP;
    const struct stmt_info *info = exec_plan_info(m->frame->plan, s);
    size_t made = 0;
    while (info != NULL && made < info->nmoved &&
           view_buffer_alloc(m, info->moved[made]))
        made++;
    enum exec_flow flow = m->failed ? FLOW_STOP : exec_stmt(m, thread_body(s));
    while (made > 0)
        view_buffer_release(m, info->moved[--made]);
    const char *tag;
    var_unset(m, ir_thread_var(s, &tag));
    return flow;
}
