/* SPDX-License-Identifier: Apache-2.0
 *
 * Cross-thread reductions in schedulable form (rule 5): a block whose
 * reduction iterator is bound to threads.
 *
 * Each thread first runs the whole nest alone; what it writes to the buffers
 * that the block initialises goes to an overlay that starts from the identity,
 * one instance for each combination of spatial iterators. Then the partials of
 * one instance are combined in ascending order of threads, and every thread
 * that took part gets the result, those whose predicate was false too, which
 * contribute the identity. What a predicate says of spatial iterators alone is
 * about the instance: where it is false there is none.
 *
 * Where another order would give another value although nothing rounds (argmax
 * and its ties), the result counts as rounded: no other program's is wrong.
 *
 * What is accumulator and what is term, ir/plan/plan_reduction.c says; what it
 * finds no pattern in is refused by name.
 */
#include "interp/machine/step.h"
#include "interp/threads/unordered.h"

#include <stdlib.h>
#include <string.h>

struct cell {
    struct alloc *alloc; /* of the thread that made it */
    int64_t offset;
    struct value value;
    union interp_box box; /* storage behind value.u.box */
};

struct cells {
    struct VEC(struct cell) list;
};

struct instance { /* one combination of spatial iterators of one thread */
    uint64_t key[2];
    struct thread *thread;
    bool passive; /* the predicate was false so far: the identity */
    struct cells cells[IR_MAX_TARGETS];
};

struct reduction {
    struct ir_reduction *plan;
    struct VEC(struct instance) instances; /* thread by thread */
    struct instance *current;              /* NULL outside of the block */
    size_t first; /* of the running thread's instances */
};

static bool refuse(struct machine *m, const char *what)
{
    exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL, "cross-thread reduction: %s",
               what);
    return false;
}

/* ---- partials ------------------------------------------------------------------------- */

static struct cell *cell_find(struct cells *cells, const struct alloc *a,
                              int64_t offset)
{
    for (size_t i = 0; i < cells->list.len; i++)
        if (cells->list.items[i].offset == offset &&
            cells->list.items[i].alloc == a)
            return &cells->list.items[i];
    return NULL;
}

static void cell_set(struct cell *c, struct value v)
{
    c->value = v;
    if (v.flags & V_BOX)
        c->box = *v.u.box;
}

static struct value cell_get(struct cell *c)
{
    struct value v = c->value;
    if (v.flags & V_BOX)
        v.u.box = &c->box;
    return v;
}

static struct cells *overlay_of(struct machine *m, const struct view *v)
{
    struct reduction *r = m->reduction;
    struct ir_target *t =
        r->current != NULL ? ir_reduction_target(r->plan, v->buffer) : NULL;
    return t == NULL ? NULL : &r->current->cells[t - r->plan->targets];
}

/* The name of a cell of an overlay (exec_meeting). */
static uint64_t part_name(const struct reduction *r, const struct instance *x,
                          size_t target, size_t k)
{
    uint64_t at = (uint64_t)(x - r->instances.items);
    return EXEC_PART_OF_BLOCK | at << 36 | (uint64_t)target << 32 | k;
}

/* That of a cell of the running thread. */
static uint64_t own_part(const struct machine *m, const struct cells *cells,
                         const struct cell *c)
{
    const struct reduction *r = m->reduction;
    return part_name(r, r->current, (size_t)(cells - r->current->cells),
                     (size_t)(c - cells->list.items));
}

struct value reduction_load_slow(struct machine *m, const struct view *v,
                                 int64_t offset)
{
    struct cells *cells = overlay_of(m, v);
    struct cell *c = cells != NULL ? cell_find(cells, v->alloc, offset) : NULL;
    if (c == NULL)
        return mem_load(m, v->alloc, offset, v->lane);
    struct value x = cell_get(c);
    if (m->hooks.parts && m->hooks.loaded != NULL && !m->failed) {
        m->part = own_part(m, cells, c);
        m->hooks.loaded(m, v->alloc, (size_t)offset, v->lane, x);
        m->part = 0;
    }
    return x.flags & V_BOX ? exec_value_box(m, *x.u.box, x.flags) : x;
}

void reduction_store_slow(struct machine *m, const struct view *v,
                          int64_t offset, struct value value)
{
    struct cells *cells = overlay_of(m, v);
    if (cells == NULL) {
        mem_store(m, v->alloc, offset, v->lane, value);
        return;
    }
    struct cell *c = cell_find(cells, v->alloc, offset);
    if (c == NULL) {
        vec_push(&cells->list,
                 ((struct cell){.alloc = v->alloc, .offset = offset}));
        c = &cells->list.items[cells->list.len - 1];
    }
    cell_set(c, value);
    if (m->hooks.parts && m->hooks.stored != NULL && !m->failed) {
        m->part = own_part(m, cells, c);
        m->hooks.stored(m, v->alloc, (size_t)offset, v->lane, value);
        m->part = 0;
    }
}

/* The running thread's instance for the present spatial iterators; *fresh
 * when it has just been made. */
static struct instance *instance_take(struct machine *m, bool *fresh)
{
    struct reduction *r = m->reduction;
    const struct ir_block *b = r->plan->block;
    uint64_t key[2] = {1, 2};
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type != IR_ITER_REDUCE) {
            uint64_t x = var_get(m, b->iters[i].var).u.bits;
            key[0] = hash_mix(key[0], x);
            key[1] = hash_mix(key[1], x ^ 0x5851f42d4c957f2du);
        }
    *fresh = false;
    for (size_t i = r->instances.len; i-- > r->first;) {
        struct instance *x = &r->instances.items[i];
        if (x->key[0] == key[0] && x->key[1] == key[1])
            return x;
    }
    struct instance x = {.key = {key[0], key[1]}, .thread = m->thread};
    vec_push(&r->instances, x);
    *fresh = true;
    return &r->instances.items[r->instances.len - 1];
}

/* Bindings are set, the predicate holds. */
static enum exec_flow update_partial(struct machine *m,
                                     const struct ir_block *b)
{
    struct reduction *r = m->reduction;
    bool fresh;
    struct instance *x = instance_take(m, &fresh);
    fresh |= x->passive;
    x->passive = false;
    r->current = x;
    enum exec_flow flow = fresh ? exec_stmt(m, b->init) : FLOW_NEXT;
    if (flow == FLOW_NEXT)
        flow = exec_stmt(m, b->body);
    r->current = NULL;
    return flow;
}

enum exec_flow reduction_block(struct machine *m, const struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    if (s == m->reduction->plan->stmt && m->reduction->current == NULL)
        return update_partial(m, b);
    bool init;
    if (!exec_block_at_init(m, b, &init))
        return FLOW_STOP;
    enum exec_flow flow = init ? exec_stmt(m, b->init) : FLOW_NEXT;
    return flow == FLOW_NEXT ? exec_stmt(m, b->body) : flow;
}

/* Whether all holds that guards the whole reduction. */
static bool instance_exists(struct machine *m, const struct ir_reduction *plan)
{
    bool holds = true;
    for (size_t i = 0; i < plan->nguards && holds; i++)
        if (!exec_eval_condition(m, plan->guards[i], &holds))
            return false;
    return holds;
}

void reduction_passive(struct machine *m, const struct ir_stmt *s)
{
    struct reduction *r = m->reduction;
    const struct ir_block *b = s->u.block;
    if (s != r->plan->stmt || r->current != NULL)
        return;
    struct scratch_mark mark = exec_scratch_save(m);
    bool exists = instance_exists(m, r->plan), fresh = false;
    for (size_t i = 0; i < b->niters && exists; i++)
        var_set(m, b->iters[i].var, exec_eval(m, b->iter_values[i]));
    if (exists && !m->failed) {
        struct instance *x = instance_take(m, &fresh);
        if (fresh) {
            x->passive = true;
            r->current = x;
            (void)exec_stmt(m, b->init);
            r->current = NULL;
        }
    }
    for (size_t i = 0; i < b->niters && exists; i++)
        var_unset(m, b->iters[i].var);
    exec_scratch_restore(m, mark);
}

/* ---- combining ---------------------------------------------------------------------------- */

struct combine {
    const struct ir_reduction *plan;
    const struct value *acc, *part; /* by target */
    size_t own;                     /* the target whose update this is */
};

static struct value combine_eval(struct machine *m, const struct combine *c,
                                 const struct ir_expr *e)
{
    size_t target;
    switch (ir_reduction_part(c->plan, c->own, &e, &target)) {
    case IR_PART_SUM: return c->acc[target];
    case IR_PART_TERM: return c->part[target];
    case IR_PART_UNCLEAR:
        (void)refuse(m, "several of its targets combine one term");
        return exec_value_undefined();
    case IR_PART_OPERATOR: break;
    }
    if (e->kind >= IR_ADD && e->kind <= IR_OR) {
        struct value a = combine_eval(m, c, e->args[0]);
        return exec_binary(m, ir_num_op(e->kind), e->args[0]->dtype, a,
                           combine_eval(m, c, e->args[1]));
    }
    if (e->kind == IR_NOT || e->kind == IR_BITNOT)
        return exec_unary(m, e->kind == IR_NOT ? NUM_NOT : NUM_BITNOT, e->dtype,
                          combine_eval(m, c, e->args[0]));
    if (e->kind == IR_CAST)
        return exec_cast(m, e->args[0]->dtype, e->dtype,
                         combine_eval(m, c, e->args[0]));
    enum num_op unary =
        e->kind == IR_CALL ? ir_call_num(e->u.call.op, 1) : NUM_NOPS;
    if (unary != NUM_NOPS && e->nargs == 1 && unary != NUM_POPCOUNT &&
        unary != NUM_CLZ)
        return exec_unary(m, unary, e->args[0]->dtype,
                          combine_eval(m, c, e->args[0]));
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE)) {
        struct value if_ = combine_eval(m, c, e->args[0]);
        struct value a = combine_eval(m, c, e->args[1]);
        struct value b = combine_eval(m, c, e->args[2]);
        return exec_choose(m, e->dtype, if_, a, b);
    }
    if (e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM)
        return exec_eval(m, e);
    (void)refuse(m, "its combiner is more than operations on the partials");
    return exec_value_undefined();
}

/* Element k of each target, over instances in ascending order of threads. */
struct parts {
    struct reduction *r;
    struct instance *const *run;
    size_t k;
};

static void get_part(struct machine *m, void *user, size_t i, struct value *out)
{
    struct parts *p = user;
    (void)m;
    for (size_t t = 0; t < p->r->plan->ntargets; t++)
        out[t] = cell_get(&p->run[i]->cells[t].list.items[p->k]);
}

static void combine_part(struct machine *m, void *user, const struct value *acc,
                         const struct value *part, struct value *out)
{
    struct parts *p = user;
    for (size_t i = 0; i < p->r->plan->ntargets; i++) {
        const struct combine c = {p->r->plan, acc, part, i};
        out[i] =
            combine_eval(m, &c, p->r->plan->targets[i].update->u.store.value);
    }
}

static bool same_cells(struct machine *m, const struct reduction *r,
                       struct instance *const *run, size_t n)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < r->plan->ntargets; i++)
            if (run[j]->cells[i].list.len != run[0]->cells[0].list.len)
                return refuse(m, "its targets have different numbers of "
                                 "elements");
    return true;
}

/* Instances of one key that are not passive, or one that is: their partials
 * meet in the first. */
static void combine_parts(struct machine *m, struct reduction *r,
                          struct instance *const *run, size_t n)
{
    if (!same_cells(m, r, run, n))
        return;
    for (size_t k = 0; k < run[0]->cells[0].list.len && !m->failed; k++) {
        struct scratch_mark mark = exec_scratch_save(m);
        struct parts p = {r, run, k};
        struct unordered u = {EXEC_CROSS_THREAD, n,
                              r->plan->ntargets, &p,
                              get_part,          combine_part};
        struct value out[UNORDERED_PARTS];
        unordered_fold(m, &u, out);
        for (size_t i = 0; i < r->plan->ntargets; i++)
            cell_set(&run[0]->cells[i].list.items[k], out[i]);
        exec_scratch_restore(m, mark);
    }
}

/* The operation that combines two parts of the target, if it is one. */
static enum ir_expr_kind operation_of(const struct ir_reduction *plan,
                                      size_t target)
{
    const struct ir_expr *e = plan->targets[target].update->u.store.value;
    bool one = plan->ntargets == 1 && e->kind >= IR_ADD && e->kind <= IR_OR;
    return one && e->kind != IR_SUB ? e->kind : IR_NKINDS;
}

/* Threads that take part in one sum, and whose parts are combined. */
struct sum {
    struct instance *const *to;
    size_t n;
    struct instance *const *parts; /* the first has the result */
    size_t nparts;
};

/* Gives element k of the target to the storage of all threads that took part. */
static void publish_element(struct machine *m, struct reduction *r,
                            const struct sum *s, size_t target, size_t k,
                            const struct exec_meeting *meeting)
{
    struct cell *c = &s->parts[0]->cells[target].list.items[k];
    struct dtype lane = dtype_scalar(r->plan->targets[target].buffer->dtype);
    for (size_t i = 0; i < s->n && !m->failed; i++) {
        thread_switch(m, s->to[i]->thread);
        struct view *v = view_get(m, r->plan->targets[target].buffer);
        if (v == NULL)
            continue;
        mem_poke(m, v->alloc, c->offset, lane, cell_get(c));
        m->meeting = meeting;
        if (m->hooks.stored != NULL && !m->failed)
            m->hooks.stored(m, v->alloc, (size_t)c->offset, lane, cell_get(c));
        m->meeting = NULL;
    }
}

static void publish(struct machine *m, struct reduction *r, const struct sum *s)
{
    size_t n = m->hooks.parts ? s->nparts : 0; /* nobody asks otherwise */
    uint64_t *parts = dc_alloc((n + 1) * sizeof *parts);
    for (size_t i = 0; i < r->plan->ntargets; i++)
        for (size_t k = 0; k < s->parts[0]->cells[i].list.len; k++) {
            const struct exec_meeting meeting = {
                ++m->meetings, operation_of(r->plan, i), parts, n};
            for (size_t j = 0; j < n; j++)
                parts[j] = part_name(r, s->parts[j], i, k);
            publish_element(m, r, s, i, k, &meeting);
        }
    dc_release(parts);
}

/* The sum is complete. */
static void settle(struct machine *m, struct reduction *r, struct instance *acc)
{
    struct scratch_mark mark = exec_scratch_save(m);
    for (size_t i = 0; i < r->plan->ntargets; i++)
        for (size_t k = 0; k < acc->cells[i].list.len; k++) {
            struct cell *c = &acc->cells[i].list.items[k];
            struct dtype lane = dtype_scalar(r->plan->targets[i].buffer->dtype);
            cell_set(c, exec_settle(m, lane, cell_get(c)));
        }
    exec_scratch_restore(m, mark);
}

static int by_key(const void *a, const void *b)
{
    const struct instance *x = *(struct instance *const *)a;
    const struct instance *y = *(struct instance *const *)b;
    if (x->key[0] != y->key[0])
        return x->key[0] < y->key[0] ? -1 : 1;
    if (x->key[1] != y->key[1])
        return x->key[1] < y->key[1] ? -1 : 1;
    return x->thread->id < y->thread->id ? -1 : x->thread->id > y->thread->id;
}

/* Instances of one key, in ascending order of threads. */
static void combine_run(struct machine *m, struct reduction *r,
                        struct instance *const *run, size_t n)
{
    struct instance **parts = dc_alloc(n * sizeof *parts);
    size_t nparts = 0;
    for (size_t i = 0; i < n; i++)
        if (!run[i]->passive)
            parts[nparts++] = run[i];
    if (nparts == 0)
        parts[nparts++] = run[0];
    combine_parts(m, r, parts, nparts);
    settle(m, r, parts[0]);
    const struct sum sum = {run, n, parts, nparts};
    publish(m, r, &sum);
    dc_release(parts);
}

static void combine_all(struct machine *m, struct reduction *r)
{
    size_t n = r->instances.len;
    struct instance **sorted = dc_alloc((n + 1) * sizeof *sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = &r->instances.items[i];
    qsort(sorted, n, sizeof *sorted, by_key);
    for (size_t i = 0, end; i < n && !m->failed; i = end) {
        for (end = i + 1; end < n; end++)
            if (sorted[end]->key[0] != sorted[i]->key[0] ||
                sorted[end]->key[1] != sorted[i]->key[1])
                break;
        combine_run(m, r, sorted + i, end - i);
    }
    dc_release(sorted);
}

static void reduction_free(struct reduction *r)
{
    for (size_t i = 0; i < r->instances.len; i++)
        for (size_t j = 0; j < r->plan->ntargets; j++)
            vec_fini(&r->instances.items[i].cells[j].list);
    vec_fini(&r->instances);
    dc_release(r);
}

void reduction_run(struct machine *m, const struct group *g,
                   const struct ir_stmt *s, const struct ir_plan_info *info)
{
    static const char *const why[IR_NREDUCTION_FAULTS] = {
        [IR_REDUCTION_MIXED] = "its reduction loops hold other statements too",
        [IR_REDUCTION_NO_INIT] = "its block initialises nothing",
        [IR_REDUCTION_NO_TERM] = "its update is not 'C = C op x'"};
    struct reduction *r = dc_alloc(sizeof *r);
    r->plan = info->reduction;
    m->stmt = r->plan->stmt;
    if (r->plan->fault != IR_REDUCTION_OK) {
        (void)refuse(m, why[r->plan->fault]);
    } else {
        m->reduction = r;
        for (size_t i = 0; i < g->n && !m->failed; i++) {
            thread_switch(m, g->threads[i]);
            r->first = r->instances.len;
            g->threads[i]->flow = exec_stmt(m, s);
        }
        m->reduction = NULL;
        combine_all(m, r);
    }
    reduction_free(r);
}
