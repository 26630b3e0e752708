/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of one thread, one after the other. Host code runs here whole; a
 * thread of a kernel runs here whatever needs no other thread (kernel.c walks
 * what they must go through together).
 *
 * Scratch storage is given back at the end of every statement that makes
 * values. Names defined in a sequence end with it.
 */
#include "interp/machine/step.h"

#include <string.h>

/* ---- scopes ------------------------------------------------------------------ */

void exec_scope_end(struct machine *m, const struct ir_stmt *seq)
{
    for (size_t i = seq->u.seq.n; i-- > 0;) {
        const struct ir_stmt *s = seq->u.seq.items[i];
        if (s->kind == IR_BIND)
            var_unset(m, s->u.bind.var);
        else if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
            view_buffer_release(m, s->u.alloc.buffer);
        else if (s->kind == IR_DECL_BUFFER) {
            view_unset(m, s->u.decl.buffer);
            if (s->u.decl.value != NULL)
                var_unset(m, s->u.decl.buffer->data);
        }
    }
}

static enum exec_flow run_seq(struct machine *m, const struct ir_stmt *s)
{
    enum exec_flow flow = FLOW_NEXT;
    for (size_t i = 0; i < s->u.seq.n && flow == FLOW_NEXT; i++)
        flow = exec_stmt(m, s->u.seq.items[i]);
    exec_scope_end(m, s);
    return flow;
}

/* ---- loops --------------------------------------------------------------------- */

bool exec_loop_bounds(struct machine *m, const struct ir_stmt *s,
                      struct bounds *out)
{
    struct scratch_mark mark = exec_scratch_save(m);
    struct value min = exec_eval(m, s->u.loop.min);
    out->taints = min.flags & V_DATA;
    out->step = 1;
    bool ok =
        exec_index_of(m, s->u.loop.min, min, "the start of a loop",
                      &out->min) &&
        exec_eval_index(m, s->u.loop.extent, "the extent of a loop",
                        &out->extent) &&
        (s->u.loop.step == NULL ||
         exec_eval_index(m, s->u.loop.step, "the step of a loop", &out->step));
    exec_scratch_restore(m, mark);
    if (ok && out->step <= 0) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "the step of a loop is %lld, not positive",
                   (long long)out->step);
        ok = false;
    }
    out->trips = 0;
    if (!ok || out->extent <= 0)
        return ok;
    out->trips = (out->extent - 1) / out->step + 1;
    unsigned flags = 0;
    int64_t last;
    if (__builtin_add_overflow(out->min, (out->trips - 1) * out->step, &last))
        flags = NUM_WRAPPED;
    else
        (void)num_from_int(s->u.loop.var->dtype, last, &flags);
    if (flags & NUM_WRAPPED) {
        exec_fault(m,
                   exec_arith_may_not_wrap(s->u.loop.var->dtype)
                       ? INTERP_INDEX_OVERFLOW
                       : INTERP_UNSUPPORTED,
                   NULL, NULL, "loop variable '%s' overflows its type",
                   s->u.loop.var->name);
        return false;
    }
    return true;
}

void exec_loop_push(struct machine *m)
{
    exec_race_tick(m);
    vec_push(&m->thread->loops, ((struct par_loop){m->now, m->now}));
    m->racing = m->options.check_races;
}

void exec_loop_next(struct machine *m)
{
    struct thread *t = m->thread;
    exec_race_tick(m);
    t->loops.items[t->loops.len - 1].iteration = m->now;
}

void exec_loop_pop(struct machine *m)
{
    m->thread->loops.len--;
    m->racing = m->options.check_races &&
                (m->kernel != NULL || m->thread->loops.len > 0);
}

/* Loops whose iterations are independent: own storage, and race checks. */
static enum exec_flow run_parallel(struct machine *m, const struct ir_stmt *s,
                                   const struct bounds *b)
{
    const struct ir_plan_info *info = ir_plan_info(m->frame->plan, s);
    enum exec_flow flow = FLOW_NEXT;
    bool down = m->options.descending && s->u.loop.kind == IR_FOR_PARALLEL;
    exec_loop_push(m);
    for (int64_t i = 0; i < b->trips && flow == FLOW_NEXT; i++) {
        int64_t turn = down ? b->trips - 1 - i : i;
        exec_loop_next(m);
        var_set(
            m, s->u.loop.var,
            exec_value_scalar((uint64_t)(b->min + turn * b->step), b->taints));
        size_t made = 0;
        while (info != NULL && made < info->nmoved &&
               view_buffer_alloc(m, info->moved[made]))
            made++;
        flow = m->failed ? FLOW_STOP : exec_stmt(m, s->u.loop.body);
        while (made > 0)
            view_buffer_release(m, info->moved[--made]);
        if (flow == FLOW_CONTINUE)
            flow = FLOW_NEXT;
    }
    exec_loop_pop(m);
    return flow;
}

static enum exec_flow run_serial(struct machine *m, const struct ir_stmt *s,
                                 const struct bounds *b)
{
    enum exec_flow flow = FLOW_NEXT;
    for (int64_t i = 0; i < b->trips && flow == FLOW_NEXT; i++) {
        var_set(m, s->u.loop.var,
                exec_value_scalar((uint64_t)(b->min + i * b->step), b->taints));
        flow = exec_stmt(m, s->u.loop.body);
        if (flow == FLOW_CONTINUE)
            flow = FLOW_NEXT;
    }
    return flow;
}

static enum exec_flow run_for(struct machine *m, const struct ir_stmt *s)
{
    enum ir_for_kind kind = s->u.loop.kind;
    if (kind == IR_FOR_THREAD)
        return kernel_thread_stmt(m, s);
    struct bounds b;
    if (!exec_loop_bounds(m, s, &b))
        return FLOW_STOP;
    enum exec_flow flow = kind == IR_FOR_PARALLEL || kind == IR_FOR_VECTORIZED
                              ? run_parallel(m, s, &b)
                              : run_serial(m, s, &b);
    var_unset(m, s->u.loop.var);
    return flow == FLOW_BREAK ? FLOW_NEXT : flow;
}

static enum exec_flow run_while(struct machine *m, const struct ir_stmt *s)
{
    for (;;) {
        bool go;
        struct scratch_mark mark = exec_scratch_save(m);
        m->stmt = s;
        bool ok = exec_eval_condition(m, s->u.while_.cond, &go);
        exec_scratch_restore(m, mark);
        if (!ok)
            return FLOW_STOP;
        if (!go)
            return FLOW_NEXT;
        enum exec_flow flow = exec_stmt(m, s->u.while_.body);
        if (flow == FLOW_BREAK)
            return FLOW_NEXT;
        if (flow != FLOW_NEXT && flow != FLOW_CONTINUE)
            return flow;
    }
}

/* ---- definitions ------------------------------------------------------------------ */

static bool define_const(struct machine *m, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.alloc.buffer;
    const struct ir_tensor *data = s->u.alloc.data;
    if (data == NULL) {
        exec_fault(m, INTERP_UNSUPPORTED, b, NULL,
                   "is a constant whose contents are not in the module");
        return false;
    }
    if (!view_buffer_alloc(m, b))
        return false;
    struct view *v = view_get(m, b);
    struct dtype lane = dtype_scalar(data->dtype);
    size_t unit = dtype_lane_bytes(lane);
    size_t n = unit > 0 ? data->bytes / unit : 0;
    if (v == NULL || !dtype_equal(lane, v->lane) || n * unit > v->alloc->size) {
        exec_fault(m, INTERP_UNSUPPORTED, b, NULL,
                   "is a constant whose contents have another type or size");
        return false;
    }
    for (size_t i = 0; i < n && !m->failed; i++) {
        uint64_t bits = num_load(lane, data->data + i * unit);
        struct value x = exec_value_scalar(bits, 0);
        if (m->boxed && dtype_is_float(lane)) {
            struct scratch_mark mark = exec_scratch_save(m);
            x = exec_value_box(m, m->domain->point(lane, bits), 0);
            mem_poke(m, v->alloc, (int64_t)(i * unit), lane, x);
            exec_scratch_restore(m, mark);
        } else {
            mem_poke(m, v->alloc, (int64_t)(i * unit), lane, x);
        }
    }
    return !m->failed;
}

static bool define_view(struct machine *m, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.decl.buffer;
    struct value data = s->u.decl.value != NULL ? exec_eval(m, s->u.decl.value)
                                                : var_get(m, b->data);
    struct pointer p;
    if (!exec_pointer_get(m, data, &p))
        return false;
    if (s->u.decl.value != NULL)
        var_set(m, b->data, data);
    struct view *v = view_make(m, b, p.alloc, data.u.bits);
    if (v == NULL)
        return false;
    v->base += p.offset;
    return true;
}

/* ---- blocks -------------------------------------------------------------------------- */

/* Rule 1: bindings first, then the predicate, then the iterators are set.
 * *run says whether the block runs at all. */
bool exec_block_enter(struct machine *m, const struct ir_block *b, bool *run)
{
    struct scratch_mark mark = exec_scratch_save(m);
    struct value *v = exec_scratch_alloc(m, (b->niters + 1) * sizeof *v);
    for (size_t i = 0; i < b->niters; i++)
        v[i] = exec_eval(m, b->iter_values[i]);
    *run = true;
    if (!ir_is_true(b->predicate) && !exec_eval_condition(m, b->predicate, run))
        *run = false;
    for (size_t i = 0; i < b->niters && *run; i++)
        var_set(m, b->iters[i].var, v[i]);
    exec_scratch_restore(m, mark);
    return !m->failed;
}

void exec_block_leave(struct machine *m, const struct ir_block *b)
{
    for (size_t i = b->nmatches; i-- > 0;)
        view_buffer_unmatch(m, &b->matches[i]);
    for (size_t i = b->nallocs; i-- > 0;)
        if (!exec_is_moved(m, b->allocs[i]))
            view_buffer_release(m, b->allocs[i]);
    for (size_t i = 0; i < b->niters; i++)
        var_unset(m, b->iters[i].var);
}

bool exec_is_moved(const struct machine *m, const struct ir_buffer *buffer)
{
    return m->frame->plan->moved[buffer->id];
}

/* Whether the init statement runs: every reduction iterator at its minimum. */
bool exec_block_at_init(struct machine *m, const struct ir_block *b, bool *out)
{
    *out = b->init != NULL;
    for (size_t i = 0; i < b->niters && *out; i++) {
        if (b->iters[i].type != IR_ITER_REDUCE || !b->iters[i].has_dom)
            continue;
        int64_t min, now;
        if (!exec_eval_index(m, b->iters[i].dom.min, "a block domain", &min) ||
            !exec_index(m, var_get(m, b->iters[i].var), "a block binding",
                        &now))
            return false;
        *out = min == now;
    }
    return true;
}

static enum exec_flow run_block(struct machine *m, const struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    bool run, init;
    if (!exec_block_enter(m, b, &run))
        return FLOW_STOP;
    if (!run) {
        if (m->reduction != NULL)
            reduction_passive(m, s);
        return FLOW_NEXT;
    }
    bool ok = true;
    for (size_t i = 0; i < b->nallocs && ok; i++)
        ok = exec_is_moved(m, b->allocs[i]) ||
             view_buffer_alloc(m, b->allocs[i]);
    for (size_t i = 0; i < b->nmatches && ok; i++)
        ok = view_buffer_match(m, &b->matches[i]);
    enum exec_flow flow = FLOW_STOP;
    if (ok && m->reduction != NULL)
        flow = reduction_block(m, s);
    else if (ok && exec_block_at_init(m, b, &init)) {
        flow = init ? exec_stmt(m, b->init) : FLOW_NEXT;
        if (flow == FLOW_NEXT)
            flow = exec_stmt(m, b->body);
    }
    exec_block_leave(m, b);
    return flow;
}

/* ---- the rest -------------------------------------------------------------------------- */

static enum exec_flow run_assert(struct machine *m, const struct ir_stmt *s)
{
    bool holds;
    if (!exec_eval_condition(m, s->u.assert_.cond, &holds))
        return FLOW_STOP;
    if (holds)
        return FLOW_NEXT;
    struct buf text = {0};
    for (size_t i = 0; i < s->u.assert_.nparts; i++)
        if (s->u.assert_.parts[i]->kind == IR_STRING_IMM)
            buf_puts(&text, s->u.assert_.parts[i]->u.string.text);
    exec_fault(m, INTERP_ASSERT, NULL, NULL, "assertion failed: %s",
               buf_text(&text));
    buf_fini(&text);
    return FLOW_STOP;
}

static enum exec_flow run_attr(struct machine *m, const struct ir_stmt *s)
{
    enum exec_flow flow;
    if (ir_thread_axis(s, NULL))
        return kernel_thread_stmt(m, s);
    if (intrin_attr(m, s, &flow))
        return flow;
    return exec_stmt(m, s->u.attr.body);
}

static enum exec_flow run_evaluate(struct machine *m, const struct ir_stmt *s)
{
    const struct ir_expr *e = s->u.value;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_THREAD_RETURN)
        return FLOW_RETURN;
    (void)exec_eval(m, e);
    return FLOW_NEXT;
}

static enum exec_flow run_return(struct machine *m, const struct ir_stmt *s)
{
    struct value v = {{0}, 0, 0};
    if (s->u.value != NULL)
        v = exec_eval(m, s->u.value);
    if (v.flags & (V_VECTOR | V_BOX)) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "a function returns a vector or an enclosure");
        return FLOW_STOP;
    }
    m->frame->result = v;
    return FLOW_RETURN;
}

static enum exec_flow run_if(struct machine *m, const struct ir_stmt *s)
{
    bool taken;
    struct scratch_mark mark = exec_scratch_save(m);
    bool ok = exec_eval_condition(m, s->u.if_.cond, &taken);
    exec_scratch_restore(m, mark);
    if (!ok)
        return FLOW_STOP;
    if (taken)
        return exec_stmt(m, s->u.if_.then_);
    return s->u.if_.else_ != NULL ? exec_stmt(m, s->u.if_.else_) : FLOW_NEXT;
}

/* Statements that only make values: scratch is theirs. */
static enum exec_flow run_simple(struct machine *m, const struct ir_stmt *s)
{
    struct scratch_mark mark = exec_scratch_save(m);
    enum exec_flow flow = FLOW_NEXT;
    if (s->kind == IR_STORE)
        exec_store(m, s);
    else if (s->kind == IR_BIND)
        var_set(m, s->u.bind.var, exec_eval(m, s->u.bind.value));
    else if (s->kind == IR_DECL_BUFFER)
        (void)define_view(m, s);
    else if (s->kind == IR_ASSERT)
        flow = run_assert(m, s);
    else if (s->kind == IR_RETURN)
        flow = run_return(m, s);
    else
        flow = run_evaluate(m, s);
    exec_scratch_restore(m, mark);
    return m->failed ? FLOW_STOP : flow;
}

enum exec_flow exec_stmt(struct machine *m, const struct ir_stmt *s)
{
    if (m->failed)
        return FLOW_STOP;
    m->stmt = s;
    if (++m->result.steps > m->max_steps) {
        exec_fault(m, INTERP_BUDGET, NULL, NULL, "the step budget is used up");
        return FLOW_STOP;
    }
    if (dc_memory_low()) {
        exec_fault(m, INTERP_BUDGET, NULL, NULL,
                   "needs more memory than '--max-memory' leaves");
        return FLOW_STOP;
    }
    if (m->hooks.skip != NULL && m->hooks.skip(m, s))
        return FLOW_NEXT;
    if (m->frame->plan->launches && m->kernel == NULL) {
        const struct ir_plan_info *info = ir_plan_info(m->frame->plan, s);
        if (info != NULL && info->launch)
            return kernel_launch(m, s);
    }
    switch (s->kind) {
    case IR_SEQ: return run_seq(m, s);
    case IR_FOR: return run_for(m, s);
    case IR_WHILE: return run_while(m, s);
    case IR_IF: return run_if(m, s);
    case IR_ALLOC:
        return view_buffer_alloc(m, s->u.alloc.buffer) ? FLOW_NEXT : FLOW_STOP;
    case IR_ALLOC_CONST: return define_const(m, s) ? FLOW_NEXT : FLOW_STOP;
    case IR_ATTR: return run_attr(m, s);
    case IR_BLOCK: return run_block(m, s);
    case IR_BREAK: return FLOW_BREAK;
    case IR_CONTINUE: return FLOW_CONTINUE;
    case IR_BIND:
    case IR_DECL_BUFFER:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_STORE:
    case IR_RETURN: return run_simple(m, s);
    case IR_NSTMTS: break;
    }
    return FLOW_STOP;
}
