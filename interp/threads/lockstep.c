/* SPDX-License-Identifier: Apache-2.0
 *
 * The threads of a block in structured lockstep:
 *
 *  - a statement that needs no other thread runs thread by thread, ascending
 *    (or descending, on request: options.descending);
 *  - any other one is walked into with the group of threads that reach it: a
 *    sequence child by child, a loop as long as any thread has iterations,
 *    a condition with the threads that take each arm;
 *  - at a barrier the group must be the whole block (rule 21), or all lanes
 *    of each warp that it holds;
 *  - a warp- or block-wide call runs for the group before the statement that
 *    holds it, which then finds its results.
 *
 * Where a function has no explicit barrier for a shared scope, one stands
 * before each statement of a sequence and at loop back edges (rule 3); it only
 * moves the time that race.c compares with.
 */
#include "interp/machine/step.h"

#include <string.h>

/* ---- storage that threads share ------------------------------------------------------- */

/* Storage that all threads of the block share: where its data variable has
 * some already, that, undefined again. The caller has one reference. */
static struct alloc *shared_storage(struct machine *m,
                                    const struct ir_buffer *b)
{
    struct kernel *k = m->kernel;
    struct block_storage *have = NULL;
    for (size_t i = 0; i < k->shared.len && have == NULL; i++)
        if (k->shared.items[i].data == b->data)
            have = &k->shared.items[i];
    struct alloc *a = view_buffer_storage(m, b);
    if (a == NULL)
        return NULL;
    if (have == NULL) {
        vec_push(&k->shared, ((struct block_storage){b->data, a}));
        a->refs++;
        return a;
    }
    if (have->alloc->size < a->size) {
        exec_race_hand_on(have->alloc, a);
        mem_alloc_adopt(m, have->alloc, a);
        mem_alloc_drop(m, have->alloc);
        have->alloc = a;
        a->refs++;
        return a;
    }
    mem_alloc_drop(m, a);
    mem_alloc_clear(have->alloc);
    have->alloc->buffer = b;
    have->alloc->refs++;
    return have->alloc;
}

static bool bind_all(struct machine *m, const struct group *g,
                     const struct ir_buffer *b, uint32_t warp, bool any)
{
    struct alloc *a = NULL;
    bool ok = true;
    for (size_t i = 0; i < g->n && ok; i++) {
        if (!any && g->threads[i]->warp != warp)
            continue;
        thread_switch(m, g->threads[i]);
        if (a == NULL)
            a = any ? shared_storage(m, b) : view_buffer_storage(m, b);
        ok = view_buffer_bind(m, b, a);
    }
    if (a != NULL)
        mem_alloc_drop(m, a);
    return ok;
}

/* Storage for the group by the buffer's scope (rule 4). */
bool group_alloc(struct machine *m, const struct group *g,
                 const struct ir_buffer *b, bool global_is_shared)
{
    enum ir_scope scope = ir_scope_of(b->scope);
    bool ok = true;
    if (scope == IR_SCOPE_SHARED || scope == IR_SCOPE_SHARED_DYN ||
        (scope == IR_SCOPE_GLOBAL && global_is_shared))
        return bind_all(m, g, b, 0, true);
    if (scope == IR_SCOPE_WARP) {
        for (size_t i = 0; i < g->n && ok; i++)
            if (i == 0 || g->threads[i]->warp != g->threads[i - 1]->warp)
                ok = bind_all(m, g, b, g->threads[i]->warp, false);
        return ok;
    }
    for (size_t i = 0; i < g->n && ok; i++) {
        thread_switch(m, g->threads[i]);
        ok = view_buffer_alloc(m, b);
    }
    return ok;
}

void group_release(struct machine *m, const struct group *g,
                   const struct ir_buffer *b)
{
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        view_buffer_release(m, b);
    }
}

/* ---- barriers ----------------------------------------------------------------------------- */

static void exec_block_barrier(struct machine *m, const struct group *g,
                               unsigned scopes)
{
    struct kernel *k = m->kernel;
    if (k == NULL)
        return;
    if (g->n != k->nthreads) {
        exec_fault(m, INTERP_BARRIER_DIVERGENCE, NULL, NULL,
                   "a barrier is reached by %zu of %zu threads", g->n,
                   k->nthreads);
        return;
    }
    exec_race_tick(m);
    for (unsigned s = 0; s < IR_NSCOPES; s++)
        if (scopes & 1u << s)
            k->synced[s] = m->now;
}

static size_t lanes_of(const struct kernel *k, uint32_t warp)
{
    size_t n = 0;
    for (size_t i = 0; i < k->nthreads; i++)
        n += k->threads[i].warp == warp;
    return n;
}

/* Barrier over the threads of g for scopes (bit 1 << ir_scope); divergence
 * is a fault. For the whole block, or for each warp present in g. */
static void exec_warp_barrier(struct machine *m, const struct group *g,
                              unsigned scopes)
{
    struct kernel *k = m->kernel;
    if (k == NULL)
        return;
    exec_race_tick(m);
    for (size_t i = 0; i < g->n && !m->failed;) {
        uint32_t warp = g->threads[i]->warp;
        size_t here = 0;
        while (i < g->n && g->threads[i]->warp == warp) {
            here++;
            i++;
        }
        if (here != lanes_of(k, warp)) {
            exec_fault(m, INTERP_BARRIER_DIVERGENCE, NULL, NULL,
                       "a warp barrier is reached by %zu of %zu lanes", here,
                       lanes_of(k, warp));
            return;
        }
        for (unsigned s = 0; s < IR_NSCOPES; s++)
            if (scopes & 1u << s)
                k->warp_synced[warp][s] = m->now;
    }
}

static void implicit_barrier(struct machine *m, const struct group *g,
                             const struct ir_plan_info *info)
{
    struct kernel *k = m->kernel;
    if (info == NULL || info->shared == 0 || g->n != k->nthreads)
        return;
    exec_race_tick(m);
    for (unsigned s = 0; s < IR_NSCOPES; s++)
        if (info->shared & 1u << s) {
            k->implied[s] = m->now;
            k->implied_at[s] = info;
            k->implied_noted[s] = false;
        }
}

/* tvm_storage_sync(scope) (rules 19, 20). */
static void storage_sync(struct machine *m, const struct group *g,
                         const struct ir_expr *call)
{
    const char *scope = ir_call_text(call, 0);
    if (strncmp(scope, "shared", 6) == 0)
        exec_block_barrier(m, g, EXEC_ALL_SCOPES);
    else if (strcmp(scope, "warp") == 0)
        exec_warp_barrier(m, g, 1u << IR_SCOPE_WARP);
    else
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                   "a barrier for scope '%s' is not supported", scope);
}

/* ---- collective calls ---------------------------------------------------------------------- */

struct collect {
    struct machine *m;
    const struct group *g;
};

static void run_collective(struct machine *m, const struct group *g,
                           const struct ir_expr *call)
{
    const struct intrin *x = intrin_of(call);
    bool sync = call->u.call.op == IR_OP_STORAGE_SYNC ||
                call->u.call.op == IR_OP_WARP_SYNC;
    if (!sync && (x == NULL || x->collective == NULL))
        return;
    if (!intrin_arity_fits(call)) {
        (void)exec_unsupported(m, call, "has the wrong number of operands");
        return;
    }
    struct value *results = exec_scratch_alloc(m, g->n * sizeof *results);
    for (size_t i = 0; i < g->n; i++)
        results[i] = exec_value_scalar(0, 0);
    thread_switch(m, g->threads[0]);
    if (call->u.call.op == IR_OP_STORAGE_SYNC)
        storage_sync(m, g, call);
    else if (sync)
        exec_warp_barrier(m, g, EXEC_ALL_SCOPES);
    else
        x->collective(m, call, g, results);
    for (size_t i = 0; i < g->n && !m->failed; i++)
        vec_push(&g->threads[i]->collective,
                 ((struct collective_result){call, results[i]}));
}

/* Runs the collective calls of an expression, operands before operators, left
 * to right. Those under a guard stay: evaluating them is refused. */
static void collect(struct machine *m, const struct group *g,
                    const struct ir_expr *e)
{
    if (e == NULL || m->failed)
        return;
    bool guard = e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    for (uint32_t i = 0; i < (guard ? 1 : e->nargs); i++)
        collect(m, g, e->args[i]);
    if (e->kind == IR_LOAD)
        collect(m, g, e->predicate);
    if (e->kind == IR_CALL)
        run_collective(m, g, e);
}

static void collect_stmt(struct machine *m, const struct group *g,
                         const struct ir_stmt *s)
{
    m->stmt = s;
    if (s->kind == IR_STORE) {
        collect(m, g, s->u.store.value);
        for (size_t i = 0; i < s->u.store.nindices; i++)
            collect(m, g, s->u.store.indices[i]);
        collect(m, g, s->u.store.predicate);
    } else if (s->kind == IR_BIND) {
        collect(m, g, s->u.bind.value);
    } else if (s->kind == IR_EVALUATE || s->kind == IR_RETURN) {
        collect(m, g, s->u.value);
    } else if (s->kind == IR_ASSERT) {
        collect(m, g, s->u.assert_.cond);
    } else if (s->kind == IR_IF) {
        collect(m, g, s->u.if_.cond);
    } else if (s->kind == IR_WHILE) {
        collect(m, g, s->u.while_.cond);
    } else if (s->kind == IR_FOR) {
        collect(m, g, s->u.loop.min);
        collect(m, g, s->u.loop.extent);
    }
}

static void forget_collectives(const struct group *g)
{
    for (size_t i = 0; i < g->n; i++)
        g->threads[i]->collective.len = 0;
}

/* ---- lockstep --------------------------------------------------------------------------------- */

/* The threads of g that are still running. */
static struct group running(struct machine *m, const struct group *g)
{
    struct group out = {exec_scratch_alloc(m, g->n * sizeof *out.threads), 0};
    for (size_t i = 0; i < g->n; i++)
        if (g->threads[i]->flow == FLOW_NEXT)
            out.threads[out.n++] = g->threads[i];
    return out;
}

static void group_each(struct machine *m, const struct group *g,
                       const struct ir_stmt *s)
{
    for (size_t i = 0; i < g->n && !m->failed; i++) {
        size_t turn = m->options.descending ? g->n - 1 - i : i;
        thread_switch(m, g->threads[turn]);
        g->threads[turn]->flow = exec_stmt(m, s);
    }
}

static void group_seq(struct machine *m, const struct group *g,
                      const struct ir_stmt *s)
{
    struct scratch_mark mark = exec_scratch_save(m);
    for (size_t i = 0; i < s->u.seq.n && !m->failed; i++) {
        const struct ir_stmt *item = s->u.seq.items[i];
        exec_scratch_restore(m, mark);
        struct group now = running(m, g);
        implicit_barrier(m, &now,
                         ir_plan_info(g->threads[0]->frame->plan, item));
        group_run(m, &now, item);
    }
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        exec_scope_end(m, s);
    }
}

/* Sets the loop variable where a thread has iteration `trip`; the others wait
 * at the end of the loop. */
static struct group group_iteration(struct machine *m, const struct group *g,
                                    const struct ir_stmt *s,
                                    const struct bounds *b, int64_t trip)
{
    struct group now = {exec_scratch_alloc(m, g->n * sizeof *now.threads), 0};
    bool parallel = s->u.loop.kind == IR_FOR_PARALLEL ||
                    s->u.loop.kind == IR_FOR_VECTORIZED;
    for (size_t i = 0; i < g->n; i++) {
        if (g->threads[i]->flow != FLOW_NEXT || trip >= b[i].trips)
            continue;
        thread_switch(m, g->threads[i]);
        if (parallel)
            exec_loop_next(m);
        var_set(m, s->u.loop.var,
                exec_value_scalar((uint64_t)(b[i].min + trip * b[i].step),
                                  b[i].taints));
        now.threads[now.n++] = g->threads[i];
    }
    return now;
}

static void settle(const struct group *g, enum exec_flow from)
{
    for (size_t i = 0; i < g->n; i++)
        if (g->threads[i]->flow == from)
            g->threads[i]->flow = FLOW_NEXT;
}

static void group_for(struct machine *m, const struct group *g,
                      const struct ir_stmt *s, const struct ir_plan_info *info)
{
    struct bounds *b = exec_scratch_alloc(m, g->n * sizeof *b);
    int64_t most = 0;
    bool parallel = s->u.loop.kind == IR_FOR_PARALLEL ||
                    s->u.loop.kind == IR_FOR_VECTORIZED;
    collect_stmt(m, g, s);
    for (size_t i = 0; i < g->n && !m->failed; i++) {
        thread_switch(m, g->threads[i]);
        if (!exec_loop_bounds(m, s, &b[i]))
            return;
        if (b[i].trips > most)
            most = b[i].trips;
        if (parallel)
            exec_loop_push(m);
    }
    forget_collectives(g);
    struct scratch_mark mark = exec_scratch_save(m);
    for (int64_t trip = 0; trip < most && !m->failed; trip++) {
        exec_scratch_restore(m, mark);
        struct group now = group_iteration(m, g, s, b, trip);
        if (now.n == 0)
            break;
        if (trip > 0)
            implicit_barrier(m, &now, info);
        for (size_t i = 0; info != NULL && i < info->nmoved && !m->failed; i++)
            (void)group_alloc(m, &now, info->moved[i], false);
        group_run(m, &now, s->u.loop.body);
        for (size_t i = 0; info != NULL && i < info->nmoved; i++)
            group_release(m, &now, info->moved[i]);
        settle(&now, FLOW_CONTINUE);
    }
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        var_unset(m, s->u.loop.var);
        if (parallel && g->threads[i]->loops.len > 0)
            exec_loop_pop(m);
    }
    settle(g, FLOW_BREAK);
}

/* Splits g by a condition; false after a fault. */
static bool group_split(struct machine *m, const struct group *g,
                        const struct ir_stmt *s, const struct ir_expr *cond,
                        struct group *yes, struct group *no)
{
    collect_stmt(m, g, s);
    yes->threads = exec_scratch_alloc(m, g->n * sizeof *yes->threads);
    no->threads = exec_scratch_alloc(m, g->n * sizeof *no->threads);
    yes->n = no->n = 0;
    for (size_t i = 0; i < g->n && !m->failed; i++) {
        bool taken;
        thread_switch(m, g->threads[i]);
        m->stmt = s;
        if (!exec_eval_condition(m, cond, &taken))
            return false;
        struct group *to = taken ? yes : no;
        to->threads[to->n++] = g->threads[i];
    }
    forget_collectives(g);
    return !m->failed;
}

static void group_if(struct machine *m, const struct group *g,
                     const struct ir_stmt *s)
{
    struct group yes, no;
    if (!group_split(m, g, s, s->u.if_.cond, &yes, &no))
        return;
    group_run(m, &yes, s->u.if_.then_);
    if (s->u.if_.else_ != NULL)
        group_run(m, &no, s->u.if_.else_);
}

static void group_while(struct machine *m, const struct group *g,
                        const struct ir_stmt *s,
                        const struct ir_plan_info *info)
{
    struct scratch_mark mark = exec_scratch_save(m);
    struct group now = running(m, g), yes, no;
    while (now.n > 0 && group_split(m, &now, s, s->u.while_.cond, &yes, &no)) {
        if (yes.n == 0)
            break;
        group_run(m, &yes, s->u.while_.body);
        settle(&yes, FLOW_CONTINUE);
        /* who goes on is kept in place of who was here */
        size_t n = 0;
        for (size_t i = 0; i < yes.n; i++)
            if (yes.threads[i]->flow == FLOW_NEXT)
                now.threads[n++] = yes.threads[i];
        now.n = n;
        struct thread **keep = now.threads;
        exec_scratch_restore(m, mark);
        now.threads = exec_scratch_alloc(m, g->n * sizeof *now.threads);
        memmove(now.threads, keep, n * sizeof *keep);
        implicit_barrier(m, &now, info);
    }
    settle(g, FLOW_BREAK);
}

static void group_block(struct machine *m, const struct group *g,
                        const struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    struct group in = {exec_scratch_alloc(m, g->n * sizeof *in.threads), 0};
    struct group init = {exec_scratch_alloc(m, g->n * sizeof *init.threads), 0};
    collect(m, g, b->predicate);
    for (size_t i = 0; i < g->n && !m->failed; i++) {
        bool run;
        thread_switch(m, g->threads[i]);
        m->stmt = s;
        if (exec_block_enter(m, b, &run) && run)
            in.threads[in.n++] = g->threads[i];
    }
    forget_collectives(g);
    for (size_t i = 0; i < b->nallocs && in.n > 0 && !m->failed; i++)
        if (!exec_is_moved(m, b->allocs[i]))
            (void)group_alloc(m, &in, b->allocs[i], false);
    for (size_t i = 0; i < in.n && !m->failed; i++) {
        bool at_init = false;
        thread_switch(m, in.threads[i]);
        for (size_t j = 0; j < b->nmatches && !m->failed; j++)
            (void)view_buffer_match(m, &b->matches[j]);
        if (!m->failed && exec_block_at_init(m, b, &at_init) && at_init)
            init.threads[init.n++] = in.threads[i];
    }
    const struct ir_plan *plan = m->frame->plan;
    if (b->init != NULL && init.n > 0)
        group_run(m, &init, b->init);
    if (in.n > 0 && !m->failed) {
        struct group now = running(m, &in);
        if (b->init != NULL)
            implicit_barrier(m, &now, ir_plan_info(plan, b->body));
        group_run(m, &now, b->body);
    }
    for (size_t i = 0; i < in.n; i++) {
        thread_switch(m, in.threads[i]);
        exec_block_leave(m, b);
    }
}

static void group_thread(struct machine *m, const struct group *g,
                         const struct ir_stmt *s,
                         const struct ir_plan_info *info)
{
    const struct ir_axis *axis = NULL;
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        if (!thread_set_var(m, s, &axis))
            return;
    }
    size_t made = 0;
    while (info != NULL && made < info->nmoved &&
           group_alloc(m, g, info->moved[made], axis->is_block))
        made++;
    if (!m->failed)
        group_run(m, g, thread_body(s));
    while (made > 0)
        group_release(m, g, info->moved[--made]);
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        var_unset(m, ir_thread_var(s, NULL));
    }
}

static void group_simple(struct machine *m, const struct group *g,
                         const struct ir_stmt *s)
{
    if (s->kind == IR_ALLOC) {
        (void)group_alloc(m, g, s->u.alloc.buffer, false);
        return;
    }
    collect_stmt(m, g, s);
    group_each(m, g, s);
    forget_collectives(g);
}

/* Whether every thread of the group may leave the statement out. */
static bool group_skips(struct machine *m, const struct group *g,
                        const struct ir_stmt *s)
{
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        if (m->hooks.skip == NULL || !m->hooks.skip(m, s))
            return false;
    }
    return true;
}

static void group_attr(struct machine *m, const struct group *g,
                       const struct ir_stmt *s)
{
    struct async_queue q;
    if (!intrin_queue_of(m, s, &q)) {
        group_run(m, g, s->u.attr.body);
        return;
    }
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        intrin_queue_before(m, &q);
    }
    group_run(m, g, q.body);
    for (size_t i = 0; i < g->n; i++) {
        thread_switch(m, g->threads[i]);
        intrin_queue_after(m, &q);
    }
}

static void group_walk(struct machine *m, const struct group *g,
                       const struct ir_stmt *s, const struct ir_plan_info *info)
{
    if (ir_thread_axis(s, NULL)) {
        group_thread(m, g, s, info);
        return;
    }
    switch (s->kind) {
    case IR_SEQ: group_seq(m, g, s); return;
    case IR_FOR: group_for(m, g, s, info); return;
    case IR_WHILE: group_while(m, g, s, info); return;
    case IR_IF: group_if(m, g, s); return;
    case IR_BLOCK: group_block(m, g, s); return;
    case IR_ATTR: group_attr(m, g, s); return;
    case IR_FLAT_STMTS: group_simple(m, g, s); return;
    case IR_NSTMTS: return;
    }
}

void group_run(struct machine *m, const struct group *g,
               const struct ir_stmt *s)
{
    if (g->n == 0 || m->failed)
        return;
    const struct ir_plan_info *info =
        ir_plan_info(g->threads[0]->frame->plan, s);
    if (info == NULL || !info->lockstep) {
        group_each(m, g, s);
        return;
    }
    m->stmt = s;
    if (++m->result.steps > m->max_steps) {
        exec_fault(m, INTERP_BUDGET, NULL, NULL, "the step budget is used up");
        return;
    }
    struct scratch_mark mark = exec_scratch_save(m);
    if (group_skips(m, g, s))
        return;
    if (info->reduction != NULL)
        reduction_run(m, g, s, info);
    else
        group_walk(m, g, s, info);
    exec_scratch_restore(m, mark);
}
