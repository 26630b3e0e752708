/* SPDX-License-Identifier: Apache-2.0
 *
 * What the threads of a kernel do together. Where kernels begin, ir/kernels.c
 * finds; then a walk bottom up says of each statement inside of one whether
 * threads must go through it together: because it holds a barrier, a warp-wide
 * operation, an allocation that threads share, stores to storage that implied
 * barriers order (R3), or a reduction over threads (R5).
 */
#include "ir/plan/plan_private.h"

#include <string.h>

struct lockstep {
    struct planner *p;
    bool *threaded; /* by variable: stands for a threadIdx */
    bool in_kernel, in_reduction;
};

/* A statement on the way down, and what is known of what it holds. */
struct walk {
    struct lockstep *l;
    struct ir_above above;
    bool lockstep;
    unsigned shared, stored; /* scopes with implied barriers */
};

static bool is_shared(const struct ir_buffer *b)
{
    enum ir_scope scope = ir_scope_of(b->scope);
    return scope != IR_SCOPE_GLOBAL && scope != IR_SCOPE_LOCAL;
}

/* ---- expressions ---------------------------------------------------------------- */

static void touch(struct walk *w, const char *scope, bool stored)
{
    const struct planner *p = w->l->p;
    enum ir_scope s = ir_scope_of(scope);
    if (s == IR_SCOPE_GLOBAL || s == IR_SCOPE_LOCAL ||
        (p->plan->explicit_sync & 1u << s) || p->explicit_barriers)
        return;
    w->shared |= 1u << s;
    if (stored)
        w->stored |= 1u << s;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct walk *w = user;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        touch(w, e->u.buffer->scope, e->kind == IR_BUFFER_REF);
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype)) {
        const struct ir_var *v = e->u.var;
        touch(w,
              v->owner != NULL  ? v->owner->scope
              : v->type != NULL ? v->type->scope
                                : NULL,
              true);
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs > 0 && e->args[0]->kind == IR_LOAD)
        touch(w, e->args[0]->u.buffer->scope, true);
    w->lockstep |= ir_is_collective(e);
    return true;
}

static bool is_thread(const void *threaded, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && ((const bool *)threaded)[e->u.var->id];
}

static bool is_threaded(const struct lockstep *l, const struct ir_expr *e)
{
    return ir_expr_any(e, is_thread, l->threaded);
}

/* ---- statements ----------------------------------------------------------------- */

static bool reduces_over_threads(const struct lockstep *l,
                                 const struct ir_block *b)
{
    for (size_t i = 0; b->init != NULL && i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_REDUCE &&
            is_threaded(l, b->iter_values[i]))
            return true;
    return false;
}

static void enter_block(struct walk *w, const struct ir_stmt *s)
{
    struct lockstep *l = w->l;
    const struct ir_block *b = s->u.block;
    if (!l->in_reduction && reduces_over_threads(l, b)) {
        bool alone;
        struct ir_plan_info *root =
            plan_info_take(l->p, ir_reduction_root(s, w->above.up, &alone));
        root->reduction = plan_reduction(l->p->arena, s, alone);
        root->lockstep = l->in_reduction = w->lockstep = true;
    }
    for (size_t i = 0; i < b->niters; i++)
        l->threaded[b->iters[i].var->id] |= is_threaded(l, b->iter_values[i]);
    for (size_t i = 0; i < b->nallocs; i++)
        w->lockstep |=
            !l->p->plan->moved[b->allocs[i]->id] && is_shared(b->allocs[i]);
}

/* What a statement itself says, before what it holds. */
static void enter(struct walk *w, const struct ir_stmt *s)
{
    struct lockstep *l = w->l;
    const char *tag;
    const struct ir_var *thread = ir_thread_var(s, &tag);
    if (thread != NULL)
        l->threaded[thread->id] |= strncmp(tag, "threadIdx", 9) == 0;
    if (s->kind == IR_BIND)
        l->threaded[s->u.bind.var->id] |= is_threaded(l, s->u.bind.value);
    else if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        w->lockstep = is_shared(s->u.alloc.buffer);
    else if (s->kind == IR_STORE)
        touch(w, s->u.store.buffer->scope, true);
    else if (s->kind == IR_BLOCK)
        enter_block(w, s);
}

/* Keeps what has been found out about a statement in a kernel. */
static void leave(struct walk *w, const struct ir_stmt *s, bool outermost)
{
    struct planner *p = w->l->p;
    const struct ir_plan_info *info = ir_plan_info(p->plan, s);
    bool binds = ir_thread_axis(s, NULL);
    w->lockstep |= info != NULL && info->reduction != NULL;
    for (size_t i = 0; binds && info != NULL && i < info->nmoved; i++)
        w->lockstep |= ir_scope_of(info->moved[i]->scope) != IR_SCOPE_LOCAL;
    if (w->lockstep || w->shared != 0 || outermost) {
        struct ir_plan_info *x = plan_info_take(p, s);
        x->lockstep = w->lockstep || w->stored != 0;
        x->shared = w->shared;
        x->stored = w->stored;
        x->kernel = outermost ? plan_kernel(p->arena, s) : NULL;
    }
}

static bool walk_stmt(void *user, struct ir_stmt *s)
{
    struct walk *up = user;
    struct lockstep *l = up->l;
    struct walk w = {.l = l,
                     .above = {up->above.stmt != NULL ? &up->above : NULL, s}};
    /* A declaration makes a view and touches nothing. */
    struct ir_visitor v = {walk_stmt,
                           s->kind != IR_DECL_BUFFER ? see_expr : NULL, &w};
    const struct ir_plan_info *info = ir_plan_info(l->p->plan, s);
    bool in_kernel = l->in_kernel, in_reduction = l->in_reduction;
    l->in_kernel |= (info != NULL && info->launch) || ir_thread_axis(s, NULL);
    enter(&w, s);
    ir_visit_below(&v, s);
    if (l->in_kernel)
        leave(&w, s, !in_kernel);
    l->in_kernel = in_kernel;
    l->in_reduction = in_reduction;
    up->lockstep |= w.lockstep;
    up->shared |= w.shared;
    up->stored |= w.stored;
    return false;
}

/* ---- all ------------------------------------------------------------------------ */

static bool stays_put(void *user, const struct ir_buffer *b)
{
    return !((const struct planner *)user)->plan->moved[b->id];
}

static void mark_launch(void *user, const struct ir_stmt *at)
{
    struct planner *p = user;
    plan_info_take(p, at)->launch = p->plan->launches = true;
}

void plan_lockstep(struct planner *p)
{
    const struct ir_kernel_search search = {p->plan->class_of, stays_put,
                                            mark_launch, p};
    struct lockstep l = {.p = p};
    struct walk top = {.l = &l};
    struct ir_stmt *body = p->plan->func->prim.body;
    l.threaded = ARENA_ARRAY(p->arena, (size_t)p->module->nvars + 1, bool);
    ir_find_kernels(&search, body);
    (void)walk_stmt(&top, body);
}
