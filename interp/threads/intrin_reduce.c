/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_thread_allreduce(n, sources…, condition, results…, threads…) inside an
 * attribute `reduce_scope` that carries the reducer (rules 5 and 27).
 *
 * All threads of the block must arrive. Threads that agree in every index but
 * those of the listed variables form one reduction; their sources are
 * combined in ascending thread order, a false condition contributes the
 * identity, and each thread stores the result through its own operand. The
 * order is the reference's choice; real code uses a tree.
 */
#include "interp/threads/intrin.h"
#include "interp/threads/unordered.h"
#include "ir/base/limits.h"

#include <string.h>

#define MAX_PARTS UNORDERED_PARTS /* values reduced together */

/* ---- the reducer of a call ---------------------------------------------------- */

static const struct ir_comm_reducer *reducer_of(struct machine *m,
                                                const struct ir_expr *call)
{
    struct intrin_state *state = intrin_state_get(m);
    for (size_t i = 0; i < state->nreducers; i++)
        if (state->reducers[i].call == call)
            return state->reducers[i].reducer;
    const struct ir_comm_reducer *reducer =
        ir_reducer_around(m->frame->plan->func->prim.body, call);
    if (state->nreducers == state->reducer_cap) {
        size_t n = 2 * state->reducer_cap + 8;
        struct reducer_of *grown = ARENA_ARRAY(m->arena, n, struct reducer_of);
        if (state->nreducers > 0)
            memcpy(grown, state->reducers, state->nreducers * sizeof *grown);
        state->reducers = grown;
        state->reducer_cap = n;
    }
    state->reducers[state->nreducers++] = (struct reducer_of){call, reducer};
    return reducer;
}

/* ---- evaluating the combiner --------------------------------------------------- */

struct combine {
    const struct ir_comm_reducer *reducer;
    struct value lhs[MAX_PARTS], rhs[MAX_PARTS];
};

static bool operand_of(const struct combine *c, const struct ir_var *var,
                       struct value *out)
{
    for (size_t i = 0; i < c->reducer->n; i++) {
        if (c->reducer->lhs[i] == var || c->reducer->rhs[i] == var) {
            *out = c->reducer->lhs[i] == var ? c->lhs[i] : c->rhs[i];
            return true;
        }
    }
    return false;
}

/* The reducer's variables are no variables of the function, so its result is
 * evaluated here; parts without them go to the interpreter. */
static struct value eval_result(struct machine *m, const struct combine *c,
                                const struct ir_expr *e)
{
    struct value v;
    if (e->kind == IR_VAR_REF && operand_of(c, e->u.var, &v))
        return v;
    enum num_op op = ir_num_op(e->kind);
    if (op != NUM_NOPS && e->nargs == 2) {
        struct value a = eval_result(m, c, e->args[0]);
        struct value b = eval_result(m, c, e->args[1]);
        return exec_binary(m, op, e->args[0]->dtype, a, b);
    }
    bool lazy = e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    if ((e->kind == IR_SELECT || lazy) && e->nargs == 3) {
        struct value cond = eval_result(m, c, e->args[0]);
        struct value a = eval_result(m, c, e->args[1]);
        struct value b = eval_result(m, c, e->args[2]);
        return exec_choose(m, e->dtype, cond, a, b);
    }
    if (e->kind == IR_CAST)
        return exec_cast(m, e->args[0]->dtype, e->dtype,
                         eval_result(m, c, e->args[0]));
    if (e->kind == IR_NOT)
        return exec_unary(m, NUM_NOT, e->dtype, eval_result(m, c, e->args[0]));
    return exec_eval(m, e);
}

/* ---- who reduces with whom -------------------------------------------------------- */

/* Marks the kernel axes that the listed thread variables stand for. */
static bool reduced_axes(struct machine *m, const struct ir_expr *call,
                         uint32_t first, bool *reduced)
{
    for (uint32_t i = first; i < call->nargs; i++) {
        if (call->args[i]->kind != IR_VAR_REF)
            continue; /* a constant 0: an axis of extent 1 */
        const struct ir_var *var = call->args[i]->u.var;
        const char *tag = ir_thread_tag(m->frame->plan->func->prim.body, var);
        const struct ir_kernel *k = m->kernel->plan;
        size_t axis = tag != NULL ? ir_axis_find(k, tag) : k->naxes;
        if (axis < k->naxes) {
            reduced[axis] = true;
            continue;
        }
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call->args[i],
                   "reduction over '%s', which is no thread index, is not "
                   "supported",
                   var->name);
        return false;
    }
    return true;
}

static bool same_reduction(const struct machine *m, const bool *reduced,
                           const struct thread *a, const struct thread *b)
{
    for (size_t k = 0; k < m->kernel->plan->naxes; k++)
        if (!reduced[k] && a->index[k] != b->index[k])
            return false;
    return true;
}

/* ---- the call ------------------------------------------------------------------------ */

static const struct ir_expr *under_casts(const struct ir_expr *e)
{
    while (e->kind == IR_CAST)
        e = e->args[0];
    return e;
}

/* Result operand: a load names the element (TVM >= 0.10), a pointer the
 * first one. */
static void put_result(struct machine *m, const struct ir_expr *operand,
                       struct value v)
{
    const struct ir_expr *e = under_casts(operand);
    if (e->kind == IR_LOAD && e->nargs <= DC_MAX_RANK) {
        int64_t index[DC_MAX_RANK], offset;
        for (uint32_t i = 0; i < e->nargs; i++)
            if (!exec_eval_index(m, e->args[i], "index of a result", &index[i]))
                return;
        struct view *view = view_get(m, e->u.buffer);
        if (view != NULL && view_offset(m, view, e->nargs, index, &offset))
            mem_store(m, view->alloc, offset, view->lane, v);
        return;
    }
    struct pointer p;
    if (exec_pointer_get(m, exec_eval(m, e), &p))
        mem_store(m, p.alloc, p.offset, intrin_pointer_lane(&p), v);
}

struct reduction_call {
    const struct ir_expr *call;
    const struct ir_comm_reducer *reducer;
    uint32_t n;            /* parts */
    struct value *sources; /* n of each thread of the group */
    bool *done;            /* by thread of the group */
};

/* The names of what threads contribute (exec_meeting). */
static uint64_t part_name(const struct reduction_call *r, size_t thread,
                          uint32_t k)
{
    return EXEC_PART_OF_CALL | (uint64_t)(thread * r->n + k);
}

/* What one thread contributes. */
static void gather(struct machine *m, const struct reduction_call *r,
                   size_t thread, struct value *out)
{
    bool takes_part;
    if (!exec_eval_condition(m, r->call->args[r->n + 1], &takes_part))
        return;
    for (uint32_t i = 0; i < r->n; i++) {
        const struct ir_expr *source =
            takes_part ? r->call->args[i + 1] : r->reducer->identity[i];
        out[i] = exec_eval(m, source);
        if (m->hooks.gathered != NULL && !m->failed)
            m->hooks.gathered(m, part_name(r, thread, i), source);
    }
}

/* The operation of the reducer's two operands, if it is one and has no more. */
static enum ir_expr_kind operation_of(const struct ir_comm_reducer *r)
{
    const struct ir_expr *e = r->result[0];
    bool one = r->n == 1 && e->kind >= IR_ADD && e->kind <= IR_OR &&
               e->kind != IR_SUB && e->args[0]->kind == IR_VAR_REF &&
               e->args[1]->kind == IR_VAR_REF;
    return one ? e->kind : IR_NKINDS;
}

/* Threads of the group that reduce together, ascending. */
struct together {
    const struct reduction_call *call;
    size_t n, *thread; /* of the group */
};

static void get_part(struct machine *m, void *user, size_t i, struct value *out)
{
    const struct together *t = user;
    (void)m;
    memcpy(out, &t->call->sources[t->thread[i] * t->call->n],
           t->call->n * sizeof *out);
}

static void combine_part(struct machine *m, void *user, const struct value *acc,
                         const struct value *part, struct value *out)
{
    const struct together *t = user;
    struct combine c = {.reducer = t->call->reducer};
    memcpy(c.lhs, acc, t->call->n * sizeof *c.lhs);
    memcpy(c.rhs, part, t->call->n * sizeof *c.rhs);
    for (size_t i = 0; i < t->call->n; i++)
        out[i] = eval_result(m, &c, c.reducer->result[i]);
}

/* Each thread stores the sum of part k through its own operand. */
static void give_sum(struct machine *m, const struct group *g,
                     const struct together *t, uint32_t k, struct value sum)
{
    const struct reduction_call *r = t->call;
    size_t n = m->hooks.parts ? t->n : 0; /* nobody asks otherwise */
    uint64_t *parts = exec_scratch_alloc(m, (n + 1) * sizeof *parts);
    const struct exec_meeting meeting = {++m->meetings,
                                         operation_of(r->reducer), parts, n};
    for (size_t i = 0; i < n; i++)
        parts[i] = part_name(r, t->thread[i], k);
    for (size_t i = 0; i < t->n && !m->failed; i++) {
        thread_switch(m, g->threads[t->thread[i]]);
        m->meeting = &meeting;
        put_result(m, r->call->args[r->n + 2 + k], sum);
        m->meeting = NULL;
    }
}

/* Combines the threads of the group that reduce with the first. */
static void reduce_from(struct machine *m, const struct reduction_call *r,
                        const struct group *g, size_t first,
                        const bool *reduced)
{
    struct together t = {r, 0, exec_scratch_alloc(m, g->n * sizeof *t.thread)};
    struct unordered u = {EXEC_ALL_REDUCE, 0, r->n, &t, get_part, combine_part};
    struct value sum[UNORDERED_PARTS];
    if (!intrin_charge(m, g->n))
        return;
    for (size_t i = first; i < g->n; i++)
        if (same_reduction(m, reduced, g->threads[first], g->threads[i]))
            t.thread[t.n++] = i;
    u.n = t.n;
    unordered_fold(m, &u, sum);
    for (uint32_t k = 0; k < r->n; k++)
        sum[k] = exec_settle(m, r->call->args[k + 1]->dtype, sum[k]);
    for (size_t i = 0; i < t.n; i++)
        r->done[t.thread[i]] = true;
    for (uint32_t k = 0; k < r->n && !m->failed; k++)
        give_sum(m, g, &t, k, sum[k]);
}

/* On the host the one thread reduces alone. */
static void reduce_alone(struct machine *m, const struct reduction_call *r)
{
    gather(m, r, 0, r->sources);
    for (uint32_t k = 0; k < r->n && !m->failed; k++)
        put_result(m, r->call->args[r->n + 2 + k], r->sources[k]);
}

static void allreduce(struct machine *m, const struct ir_expr *call,
                      const struct group *g, struct value *results)
{
    int64_t n;
    bool reduced[EXEC_MAX_AXES] = {false};
    (void)results;
    struct reduction_call r = {.call = call, .reducer = reducer_of(m, call)};
    if (r.reducer == NULL || !ir_const_int(call->args[0], &n) || n < 1 ||
        n > MAX_PARTS || (size_t)n != r.reducer->n ||
        call->nargs < 2 * (uint32_t)n + 2) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                   "thread reduction without a matching reducer around it is "
                   "not supported");
        return;
    }
    r.n = (uint32_t)n;
    r.sources = exec_scratch_alloc(m, g->n * r.n * sizeof *r.sources);
    r.done = exec_scratch_alloc(m, g->n * sizeof *r.done);
    memset(r.done, 0, g->n * sizeof *r.done);
    if (m->kernel == NULL) {
        reduce_alone(m, &r);
        return;
    }
    if (g->n != m->kernel->nthreads) {
        exec_fault(m, INTERP_BARRIER_DIVERGENCE, NULL, call,
                   "%zu of %zu threads arrive at a thread reduction", g->n,
                   m->kernel->nthreads);
        return;
    }
    if (!reduced_axes(m, call, 2 * r.n + 2, reduced))
        return;
    for (size_t i = 0; i < g->n && !m->failed; i++) {
        thread_switch(m, g->threads[i]);
        gather(m, &r, i, &r.sources[i * r.n]);
    }
    for (size_t i = 0; i < g->n && !m->failed; i++)
        if (!r.done[i])
            reduce_from(m, &r, g, i, reduced);
}

const struct intrin intrin_allreduce = {.collective = allreduce};
