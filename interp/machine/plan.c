/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts about a function that the executor needs before it can run a
 * statement.
 *
 *  - The ranges of variable and buffer ids, so that frames are dense.
 *  - Which parameters nothing writes: their reads cannot race.
 *  - Rule 4: a block's buffer whose accesses all lie below a parallel,
 *    vectorised or thread-bound loop belongs to that loop's iterations. Found
 *    as the deepest such loop on the common path of all accesses to the
 *    storage class.
 *  - Inside kernels, which statements threads must go through together: those
 *    that hold a barrier, a warp-wide operation, an allocation that threads
 *    share, stores to storage that implicit barriers order (rule 3), or a
 *    cross-thread reduction (rule 5).
 *
 * The first walk collects ids and accesses, the second one the lockstep facts
 * bottom up. Only statements with something to say get an entry.
 */
#include "interp/machine/plan.h"

#include "interp/machine/flow.h"

#include <string.h>

/* A parallel, vectorised or thread-bound loop on the way down. */
struct loop_node {
    struct loop_node *parent;
    const struct ir_stmt *stmt;
    uint32_t depth;
};

struct block_alloc {
    const struct ir_buffer *buffer;
    struct loop_node *at;
};

struct planner {
    struct machine *m;
    struct plan *plan;
    uint32_t var_lo, var_hi, buf_lo, buf_hi; /* hi exclusive */
    uint32_t *class_of;
    struct loop_node root, *loop;
    struct loop_node **common; /* by class: of all accesses; NULL = none */
    bool *stored;              /* by class */
    bool *threaded;            /* by variable: depends on a threadIdx loop */
    struct VEC(struct block_alloc) allocs;
    bool in_kernel, in_reduction;
    bool found; /* mentions(): the answer */
};

/* ---- table ------------------------------------------------------------------------ */

static size_t table_slot(const struct plan *p, const struct ir_stmt *s)
{
    size_t mask = p->cap - 1;
    size_t i = (size_t)hash_mix(0, (uint64_t)(uintptr_t)s) & mask;
    while (p->table[i] != NULL && p->table[i]->stmt != s)
        i = (i + 1) & mask;
    return i;
}

const struct stmt_info *exec_plan_info(const struct plan *plan,
                                       const struct ir_stmt *stmt)
{
    return plan->cap == 0 ? NULL : plan->table[table_slot(plan, stmt)];
}

static struct stmt_info *info_take(struct planner *p, const struct ir_stmt *s)
{
    struct plan *plan = p->plan;
    if (2 * plan->ninfos >= plan->cap) {
        struct stmt_info **old = plan->table;
        size_t cap = plan->cap;
        plan->cap = cap == 0 ? 64 : 2 * cap;
        plan->table = ARENA_ARRAY(p->m->arena, plan->cap, struct stmt_info *);
        for (size_t i = 0; i < cap; i++)
            if (old[i] != NULL)
                plan->table[table_slot(plan, old[i]->stmt)] = old[i];
    }
    struct stmt_info **slot = &plan->table[table_slot(plan, s)];
    if (*slot == NULL) {
        *slot = ARENA_NEW(p->m->arena, struct stmt_info);
        (*slot)->stmt = s;
        (*slot)->order = plan->ninfos++;
    }
    return *slot;
}

/* ---- first walk: ids and accesses ---------------------------------------------------- */

static void see_var(struct planner *p, const struct ir_var *var)
{
    if (var->id < p->var_lo)
        p->var_lo = var->id;
    if (var->id >= p->var_hi)
        p->var_hi = var->id + 1;
}

static uint32_t class_of(const struct planner *p, const struct ir_var *data)
{
    return p->class_of[data->id];
}

static struct loop_node *meet(struct loop_node *a, struct loop_node *b)
{
    while (a != b)
        if (a->depth > b->depth)
            a = a->parent;
        else
            b = b->parent;
    return a;
}

static void see_access(struct planner *p, const struct ir_var *data,
                       bool stored)
{
    uint32_t c = class_of(p, data);
    p->common[c] = p->common[c] == NULL ? p->loop : meet(p->common[c], p->loop);
    p->stored[c] |= stored;
}

static void see_expr(struct planner *p, struct ir_expr *e);

/* The variables of a buffer's definition, not an access. */
static void see_buffer(struct planner *p, const struct ir_buffer *b)
{
    if (b->id < p->buf_lo)
        p->buf_lo = b->id;
    if (b->id >= p->buf_hi)
        p->buf_hi = b->id + 1;
    see_var(p, b->data);
    for (size_t i = 0; i < b->rank; i++)
        see_expr(p, b->shape[i]);
    for (size_t i = 0; i < b->nstrides; i++)
        see_expr(p, b->strides[i]);
    if (b->elem_offset != NULL)
        see_expr(p, b->elem_offset);
}

static void see_sync(struct planner *p, const struct ir_expr *e)
{
    const char *scope = e->nargs > 0 && e->args[0]->kind == IR_STRING_IMM
                            ? e->args[0]->u.string.text
                            : "";
    if (strncmp(scope, "shared", 6) == 0) /* rule 19: counts for both */
        p->plan->explicit_sync |= 1u << MEM_SHARED | 1u << MEM_SHARED_DYN;
    else
        p->plan->explicit_sync |= 1u << mem_scope_of(scope);
}

static bool see_one_expr(void *user, struct ir_expr *e)
{
    struct planner *p = user;
    if (e->kind == IR_VAR_REF || e->kind == IR_LET)
        see_var(p, e->u.var);
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        see_access(p, e->u.var, true);
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) {
        see_buffer(p, e->u.buffer);
        see_access(p, e->u.buffer->data, e->kind == IR_BUFFER_REF);
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_STORAGE_SYNC)
        see_sync(p, e);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs > 0 && e->args[0]->kind == IR_LOAD)
        see_access(p, e->args[0]->u.buffer->data, true);
    return true;
}

static void see_expr(struct planner *p, struct ir_expr *e)
{
    struct ir_visitor v = {NULL, see_one_expr, p};
    if (e != NULL)
        ir_visit_expr(&v, e);
}

static void see_stmt(struct planner *p, struct ir_stmt *s);

static void see_inside(struct planner *p, struct ir_stmt *loop,
                       struct ir_stmt *body)
{
    struct loop_node *node = ARENA_NEW(p->m->arena, struct loop_node);
    node->parent = p->loop;
    node->stmt = loop;
    node->depth = p->loop->depth + 1;
    p->loop = node;
    see_stmt(p, body);
    p->loop = node->parent;
}

/* Partials of a cross-thread reduction meet outside of the loops that its
 * threads stand for, and its storage with them (rule 5). */
static struct loop_node *outside_reduction(const struct planner *p,
                                           const struct ir_block *b)
{
    struct loop_node *at = p->loop;
    for (struct loop_node *n = p->loop; n->stmt != NULL; n = n->parent) {
        const char *tag;
        const struct ir_var *var = ir_thread_var(n->stmt, &tag);
        if (b->init != NULL && var != NULL && ir_reduces_over(b, var))
            at = n->parent;
    }
    return at;
}

static void see_block(struct planner *p, struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++) {
        see_var(p, b->iters[i].var);
        see_expr(p, b->iter_values[i]);
        if (b->iters[i].has_dom) {
            see_expr(p, b->iters[i].dom.min);
            see_expr(p, b->iters[i].dom.extent);
        }
    }
    see_expr(p, b->predicate);
    for (size_t i = 0; i < b->nallocs; i++) {
        see_buffer(p, b->allocs[i]);
        vec_push(&p->allocs, ((struct block_alloc){b->allocs[i], p->loop}));
    }
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_match_buffer *x = &b->matches[i];
        see_buffer(p, x->buffer);
        see_buffer(p, x->source.buffer);
        see_access(p, x->source.buffer->data, false);
        for (size_t j = 0; j < x->source.nranges; j++) {
            see_expr(p, x->source.ranges[j].min);
            see_expr(p, x->source.ranges[j].extent);
        }
    }
    struct loop_node *inside = p->loop;
    p->loop = outside_reduction(p, b);
    if (b->init != NULL)
        see_stmt(p, b->init);
    see_stmt(p, b->body);
    p->loop = inside;
}

static void see_loop(struct planner *p, struct ir_stmt *s)
{
    see_var(p, s->u.loop.var);
    see_expr(p, s->u.loop.min);
    see_expr(p, s->u.loop.extent);
    see_expr(p, s->u.loop.step);
    enum ir_for_kind kind = s->u.loop.kind;
    p->plan->has_threads |= kind == IR_FOR_THREAD;
    if (kind == IR_FOR_PARALLEL || kind == IR_FOR_VECTORIZED ||
        kind == IR_FOR_THREAD)
        see_inside(p, s, s->u.loop.body);
    else
        see_stmt(p, s->u.loop.body);
}

static void see_attr(struct planner *p, struct ir_stmt *s)
{
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    see_expr(p, s->u.attr.value);
    if (var == NULL) {
        see_stmt(p, s->u.attr.body);
        return;
    }
    p->plan->has_threads = true;
    see_var(p, var);
    see_inside(p, s, s->u.attr.body);
}

static void see_stmt(struct planner *p, struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            see_stmt(p, s->u.seq.items[i]);
        break;
    case IR_FOR: see_loop(p, s); break;
    case IR_WHILE:
        see_expr(p, s->u.while_.cond);
        see_stmt(p, s->u.while_.body);
        break;
    case IR_IF:
        see_expr(p, s->u.if_.cond);
        see_stmt(p, s->u.if_.then_);
        if (s->u.if_.else_ != NULL)
            see_stmt(p, s->u.if_.else_);
        break;
    case IR_BIND:
        see_var(p, s->u.bind.var);
        see_expr(p, s->u.bind.value);
        break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: see_buffer(p, s->u.alloc.buffer); break;
    case IR_DECL_BUFFER:
        see_buffer(p, s->u.decl.buffer);
        see_expr(p, s->u.decl.value);
        see_access(p, s->u.decl.buffer->data, false);
        break;
    case IR_ATTR: see_attr(p, s); break;
    case IR_ASSERT: see_expr(p, s->u.assert_.cond); break;
    case IR_EVALUATE:
    case IR_RETURN: see_expr(p, s->u.value); break;
    case IR_STORE:
        see_buffer(p, s->u.store.buffer);
        see_access(p, s->u.store.buffer->data, true);
        see_expr(p, s->u.store.value);
        for (size_t i = 0; i < s->u.store.nindices; i++)
            see_expr(p, s->u.store.indices[i]);
        see_expr(p, s->u.store.predicate);
        break;
    case IR_BLOCK: see_block(p, s->u.block); break;
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
}

/* ---- rule 4 ------------------------------------------------------------------------------ */

static void move_allocs(struct planner *p)
{
    for (size_t i = 0; i < p->allocs.len; i++) {
        const struct block_alloc *x = &p->allocs.items[i];
        struct loop_node *at = p->common[class_of(p, x->buffer->data)];
        if (at == NULL || at->depth <= x->at->depth)
            continue;
        struct stmt_info *info = info_take(p, at->stmt);
        const struct ir_buffer **grown = ARENA_ARRAY(
            p->m->arena, info->nmoved + 1, const struct ir_buffer *);
        if (info->nmoved > 0)
            memcpy(grown, info->moved, info->nmoved * sizeof *grown);
        grown[info->nmoved++] = x->buffer;
        info->moved = grown;
        p->plan->moved[x->buffer->id - p->plan->buffer_base] = true;
    }
}

/* ---- second walk: lockstep ------------------------------------------------------------------ */

struct summary {
    bool lockstep;
    unsigned shared, stored; /* scopes without explicit barriers */
};

static void join(struct summary *a, struct summary b)
{
    a->lockstep |= b.lockstep;
    a->shared |= b.shared;
    a->stored |= b.stored;
}

static bool is_shared(enum mem_scope scope)
{
    return scope == MEM_SHARED || scope == MEM_SHARED_DYN || scope == MEM_WARP;
}

static void touch(struct planner *p, struct summary *sum, const char *scope,
                  bool stored)
{
    enum mem_scope s = mem_scope_of(scope);
    if (!is_shared(s) || (p->plan->explicit_sync & 1u << s) ||
        p->m->options.explicit_barriers)
        return;
    sum->shared |= 1u << s;
    if (stored)
        sum->stored |= 1u << s;
}

struct expr_walk {
    struct planner *p;
    struct summary sum;
};

static bool is_collective(const struct ir_expr *e)
{
    if (e->kind != IR_CALL)
        return false;
    if (e->u.call.op == IR_OP_STORAGE_SYNC || e->u.call.op == IR_OP_WARP_SYNC)
        return true;
    const struct intrin *x = intrin_find(e->u.call.op, e->u.call.name);
    return x != NULL && x->collective != NULL;
}

static bool lock_one_expr(void *user, struct ir_expr *e)
{
    struct expr_walk *w = user;
    if (e->kind == IR_LOAD)
        touch(w->p, &w->sum, e->u.buffer->scope, false);
    if (e->kind == IR_BUFFER_REF)
        touch(w->p, &w->sum, e->u.buffer->scope, true);
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype)) {
        const struct ir_var *v = e->u.var;
        const char *scope = v->owner != NULL  ? v->owner->scope
                            : v->type != NULL ? v->type->scope
                                              : NULL;
        touch(w->p, &w->sum, scope, true);
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs > 0 && e->args[0]->kind == IR_LOAD)
        touch(w->p, &w->sum, e->args[0]->u.buffer->scope, true);
    w->sum.lockstep |= is_collective(e);
    return true;
}

static void lock_expr(struct planner *p, struct ir_expr *e, struct summary *sum)
{
    if (e == NULL)
        return;
    struct expr_walk w = {p, {false, 0, 0}};
    struct ir_visitor v = {NULL, lock_one_expr, &w};
    ir_visit_expr(&v, e);
    join(sum, w.sum);
}

/* Whether an expression mentions a variable for which `threaded` holds. */
static bool mention_threaded(void *user, struct ir_expr *e)
{
    struct planner *p = user;
    if (e->kind == IR_VAR_REF && p->threaded[e->u.var->id - p->plan->var_base])
        p->found = true;
    return !p->found;
}

static bool is_threaded(struct planner *p, struct ir_expr *e)
{
    struct ir_visitor v = {NULL, mention_threaded, p};
    p->found = false;
    if (e != NULL)
        ir_visit_expr(&v, e);
    return p->found;
}

static void set_threaded(struct planner *p, const struct ir_var *var, bool to)
{
    p->threaded[var->id - p->plan->var_base] |= to;
}

static bool is_cross_thread(struct planner *p, const struct ir_block *b)
{
    for (size_t i = 0; b->init != NULL && i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_REDUCE &&
            is_threaded(p, b->iter_values[i]))
            return true;
    return false;
}

/* Threads combine at the root of a reduction. */
static void mark_reduction(struct planner *p, const struct ir_stmt *s,
                           const struct ir_above *up)
{
    bool alone;
    struct stmt_info *info = info_take(p, ir_reduction_root(s, up, &alone));
    info->reduction = s;
    info->bad_reduction =
        alone ? NULL : "its reduction loops hold other statements too";
    info->lockstep = true;
}

static struct summary lock_stmt(struct planner *p, const struct ir_stmt *s,
                                const struct ir_above *up);

static struct summary lock_block(struct planner *p, const struct ir_stmt *s,
                                 const struct ir_above *up)
{
    const struct ir_block *b = s->u.block;
    struct summary sum = {false, 0, 0};
    struct ir_above here = {up, s};
    bool outer = p->in_reduction;
    if (!p->in_reduction && is_cross_thread(p, b)) {
        mark_reduction(p, s, up);
        p->in_reduction = true;
        sum.lockstep = true;
    }
    for (size_t i = 0; i < b->niters; i++) {
        set_threaded(p, b->iters[i].var, is_threaded(p, b->iter_values[i]));
        lock_expr(p, b->iter_values[i], &sum);
    }
    lock_expr(p, b->predicate, &sum);
    for (size_t i = 0; i < b->nallocs; i++)
        if (!p->plan->moved[b->allocs[i]->id - p->plan->buffer_base] &&
            is_shared(mem_scope_of(b->allocs[i]->scope)))
            sum.lockstep = true;
    if (b->init != NULL)
        join(&sum, lock_stmt(p, b->init, &here));
    join(&sum, lock_stmt(p, b->body, &here));
    p->in_reduction = outer;
    return sum;
}

static struct summary lock_thread(struct planner *p, const struct ir_stmt *s,
                                  const struct ir_var *var, const char *tag,
                                  struct ir_stmt *body,
                                  const struct ir_above *up)
{
    struct ir_above here = {up, s};
    bool outer = p->in_kernel;
    p->in_kernel = true;
    set_threaded(p, var, strncmp(tag, "threadIdx", 9) == 0);
    struct summary sum = lock_stmt(p, body, &here);
    p->in_kernel = outer;
    const struct stmt_info *info = exec_plan_info(p->plan, s);
    for (size_t i = 0; info != NULL && i < info->nmoved; i++)
        sum.lockstep |= mem_scope_of(info->moved[i]->scope) != MEM_LOCAL;
    return sum;
}

static struct summary lock_children(struct planner *p, const struct ir_stmt *s,
                                    const struct ir_above *up)
{
    struct summary sum = {false, 0, 0};
    struct ir_above here = {up, s};
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            join(&sum, lock_stmt(p, s->u.seq.items[i], &here));
        break;
    case IR_FOR:
        lock_expr(p, s->u.loop.min, &sum);
        lock_expr(p, s->u.loop.extent, &sum);
        join(&sum, var != NULL ? lock_thread(p, s, var, tag, s->u.loop.body, up)
                               : lock_stmt(p, s->u.loop.body, &here));
        break;
    case IR_WHILE:
        lock_expr(p, s->u.while_.cond, &sum);
        join(&sum, lock_stmt(p, s->u.while_.body, &here));
        break;
    case IR_IF:
        lock_expr(p, s->u.if_.cond, &sum);
        join(&sum, lock_stmt(p, s->u.if_.then_, &here));
        if (s->u.if_.else_ != NULL)
            join(&sum, lock_stmt(p, s->u.if_.else_, &here));
        break;
    case IR_BIND:
        set_threaded(p, s->u.bind.var, is_threaded(p, s->u.bind.value));
        lock_expr(p, s->u.bind.value, &sum);
        break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
        sum.lockstep = is_shared(mem_scope_of(s->u.alloc.buffer->scope));
        break;
    case IR_ATTR:
        lock_expr(p, s->u.attr.value, &sum);
        join(&sum, var != NULL ? lock_thread(p, s, var, tag, s->u.attr.body, up)
                               : lock_stmt(p, s->u.attr.body, &here));
        break;
    case IR_ASSERT: lock_expr(p, s->u.assert_.cond, &sum); break;
    case IR_EVALUATE:
    case IR_RETURN: lock_expr(p, s->u.value, &sum); break;
    case IR_STORE:
        touch(p, &sum, s->u.store.buffer->scope, true);
        lock_expr(p, s->u.store.value, &sum);
        for (size_t i = 0; i < s->u.store.nindices; i++)
            lock_expr(p, s->u.store.indices[i], &sum);
        lock_expr(p, s->u.store.predicate, &sum);
        break;
    case IR_BLOCK: sum = lock_block(p, s, up); break;
    case IR_DECL_BUFFER:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
    return sum;
}

static struct summary lock_stmt(struct planner *p, const struct ir_stmt *s,
                                const struct ir_above *up)
{
    const struct stmt_info *info = exec_plan_info(p->plan, s);
    bool outer = p->in_kernel;
    p->in_kernel |= info != NULL && info->launch;
    struct summary sum = lock_children(p, s, up);
    info = exec_plan_info(p->plan, s);
    sum.lockstep |= info != NULL && info->reduction != NULL;
    bool lockstep = sum.lockstep || sum.stored != 0;
    const char *tag;
    bool inside = p->in_kernel || ir_thread_var(s, &tag) != NULL;
    p->in_kernel = outer;
    if (inside && (lockstep || sum.shared != 0)) {
        struct stmt_info *x = info_take(p, s);
        x->lockstep = lockstep;
        x->shared = sum.shared;
        x->shared_stored = sum.stored;
    }
    return sum;
}

/* ---- all --------------------------------------------------------------------------------------- */

static void plan_params(struct planner *p)
{
    const struct ir_prim_func *f = &p->plan->func->prim;
    p->plan->read_only = ARENA_ARRAY(p->m->arena, f->nparams, bool);
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        p->plan->read_only[i] = b != NULL && !p->stored[class_of(p, b->data)];
    }
}

static bool stays_put(void *user, const struct ir_buffer *b)
{
    const struct plan *plan = ((const struct planner *)user)->plan;
    return !plan->moved[b->id - plan->buffer_base];
}

static void mark_launch(void *user, const struct ir_stmt *at)
{
    struct planner *p = user;
    info_take(p, at)->launch = p->plan->launches = true;
}

static struct plan *plan_make(struct machine *m, const struct ir_func *func)
{
    struct planner p = {0};
    uint32_t nvars = m->module->nvars;
    p.m = m;
    p.plan = ARENA_NEW(m->arena, struct plan);
    p.plan->func = func;
    p.plan->masks = ir_shuffles_have_masks(func->prim.body);
    p.var_lo = p.buf_lo = UINT32_MAX;
    p.loop = &p.root;
    p.class_of = flow_storage_classes(m->module, func->prim.body, m->arena);
    p.common = ARENA_ARRAY(m->arena, nvars, struct loop_node *);
    p.stored = ARENA_ARRAY(m->arena, nvars, bool);
    for (size_t i = 0; i < func->prim.nparams; i++) {
        see_var(&p, func->prim.params[i].var);
        if (func->prim.params[i].buffer != NULL)
            see_buffer(&p, func->prim.params[i].buffer);
    }
    see_stmt(&p, func->prim.body);
    if (p.var_hi > p.var_lo) {
        p.plan->var_base = p.var_lo;
        p.plan->nvars = p.var_hi - p.var_lo;
    }
    if (p.buf_hi > p.buf_lo) {
        p.plan->buffer_base = p.buf_lo;
        p.plan->nbuffers = p.buf_hi - p.buf_lo;
    }
    p.plan->moved = ARENA_ARRAY(m->arena, p.plan->nbuffers, bool);
    p.threaded = ARENA_ARRAY(m->arena, p.plan->nvars, bool);
    plan_params(&p);
    move_allocs(&p);
    vec_fini(&p.allocs);
    if (p.plan->has_threads) {
        const struct ir_kernel_search search = {p.class_of, stays_put,
                                                mark_launch, &p};
        ir_find_kernels(&search, func->prim.body);
        (void)lock_stmt(&p, func->prim.body, NULL);
    }
    return p.plan;
}

struct plan *exec_plan_get(struct machine *m, const struct ir_func *func)
{
    for (size_t i = 0; i < m->plans.len; i++)
        if (m->plans.items[i]->func == func)
            return m->plans.items[i];
    struct plan *plan = plan_make(m, func);
    vec_push(&m->plans, plan);
    return plan;
}
