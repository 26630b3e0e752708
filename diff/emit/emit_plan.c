/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be known about a function before it is written.
 *
 *  - Rule 4: a buffer that a block allocates and that is accessed only below a
 *    parallel, vectorised or thread-bound loop is made inside of that loop:
 *    the deepest such loop on the common path of all accesses.
 *  - Inside kernels: which statements the threads of a block go through
 *    together (those that hold a barrier, a warp- or block-wide call, storage
 *    that threads share, stores that implicit barriers order (R3), or a
 *    reduction over threads (R5)), and which variables differ between threads.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

struct loop_node {
    struct loop_node *parent;
    const struct ir_stmt *stmt;
    unsigned depth;
};

struct block_alloc {
    const struct ir_buffer *buffer;
    struct loop_node *at;
};

struct planner {
    struct emitter *em;
    struct loop_node root, *loop;
    uint32_t *class_of;        /* by variable: the pointer that it came from */
    struct loop_node **common; /* by class: of all accesses; NULL = none */
    struct VEC(struct block_alloc) allocs;
    bool *threaded; /* by variable: stands for a threadIdx (R5) */
    bool in_kernel, in_reduction;
};

bool emit_is_launch(const struct emitter *em, const struct ir_stmt *s)
{
    const struct stmt_facts *facts = emit_plan_facts(em, s);
    const char *tag;
    return ir_thread_var(s, &tag) != NULL || (facts != NULL && facts->launch);
}

const struct ir_stmt *emit_thread_inside(const struct ir_stmt *s)
{
    return s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body;
}

const struct stmt_facts *emit_plan_facts(const struct emitter *em,
                                         const struct ir_stmt *s)
{
    for (size_t i = 0; i < em->plan.facts.len; i++)
        if (em->plan.facts.items[i].stmt == s)
            return &em->plan.facts.items[i];
    return NULL;
}

static struct stmt_facts *facts_take(struct emitter *em,
                                     const struct ir_stmt *s)
{
    for (size_t i = 0; i < em->plan.facts.len; i++)
        if (em->plan.facts.items[i].stmt == s)
            return &em->plan.facts.items[i];
    vec_push(&em->plan.facts, ((struct stmt_facts){.stmt = s}));
    return &em->plan.facts.items[em->plan.facts.len - 1];
}

/* ---- storage classes ------------------------------------------------------------- */

static uint32_t class_find(struct planner *p, uint32_t id)
{
    while (p->class_of[id] != id)
        id = p->class_of[id];
    return id;
}

static void class_join(struct planner *p, uint32_t a, uint32_t b)
{
    a = class_find(p, a);
    b = class_find(p, b);
    if (a < b)
        p->class_of[b] = a;
    else
        p->class_of[a] = b;
}

struct pointer_walk {
    struct planner *p;
    uint32_t id;
};

static bool see_pointer(void *user, struct ir_expr *e)
{
    struct pointer_walk *w = user;
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        class_join(w->p, w->id, e->u.var->id);
    if (e->kind == IR_BUFFER_REF || e->kind == IR_LOAD)
        class_join(w->p, w->id, e->u.buffer->data->id);
    return true;
}

static bool see_alias(void *user, struct ir_stmt *s)
{
    struct planner *p = user;
    struct pointer_walk w = {p, 0};
    struct ir_visitor v = {NULL, see_pointer, &w};
    if (s->kind == IR_DECL_BUFFER && s->u.decl.value != NULL) {
        w.id = s->u.decl.buffer->data->id;
        ir_visit_expr(&v, s->u.decl.value);
    } else if (s->kind == IR_BIND && dtype_is_handle(s->u.bind.var->dtype)) {
        w.id = s->u.bind.var->id;
        ir_visit_expr(&v, s->u.bind.value);
    } else if (s->kind == IR_BLOCK) {
        for (size_t i = 0; i < s->u.block->nmatches; i++)
            class_join(p, s->u.block->matches[i].buffer->data->id,
                       s->u.block->matches[i].source.buffer->data->id);
    }
    return true;
}

/* ---- first walk: accesses (rule 4) ------------------------------------------------- */

static struct loop_node *meet(struct loop_node *a, struct loop_node *b)
{
    while (a != b)
        if (a->depth > b->depth)
            a = a->parent;
        else
            b = b->parent;
    return a;
}

static void see_access(struct planner *p, const struct ir_var *data)
{
    uint32_t c = class_find(p, data->id);
    p->common[c] = p->common[c] == NULL ? p->loop : meet(p->common[c], p->loop);
}

static bool see_one_expr(void *user, struct ir_expr *e)
{
    struct planner *p = user;
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        see_access(p, e->u.var);
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        see_access(p, e->u.buffer->data);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_STORAGE_SYNC &&
        e->nargs > 0 && e->args[0]->kind == IR_STRING_IMM) {
        if (strncmp(e->args[0]->u.string.text, "shared", 6) == 0)
            p->em->plan.shared_sync = true;
        if (strcmp(e->args[0]->u.string.text, "warp") == 0)
            p->em->plan.warp_sync = true;
    }
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
    struct loop_node *node = ARENA_NEW(p->em->arena, struct loop_node);
    node->parent = p->loop;
    node->stmt = loop;
    node->depth = p->loop->depth + 1;
    p->loop = node;
    see_stmt(p, body);
    p->loop = node->parent;
}

struct mention {
    const struct ir_var *var;
    bool found;
};

static bool mention_var(void *user, struct ir_expr *e)
{
    struct mention *x = user;
    x->found |= e->kind == IR_VAR_REF && e->u.var == x->var;
    if ((e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
        e->u.buffer->data == x->var)
        x->found = true;
    return !x->found;
}

static bool mention_in_stmt(void *user, struct ir_stmt *s)
{
    struct mention *x = user;
    if (s->kind == IR_STORE && s->u.store.buffer->data == x->var)
        x->found = true;
    if (s->kind == IR_DECL_BUFFER && s->u.decl.buffer->data == x->var)
        x->found = true;
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nmatches; i++)
        if (s->u.block->matches[i].source.buffer->data == x->var)
            x->found = true;
    return !x->found;
}

bool emit_stmt_uses_var(const struct ir_stmt *s, const struct ir_var *var)
{
    struct mention x = {var, false};
    struct ir_visitor v = {mention_in_stmt, mention_var, &x};
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } u = {s};
    ir_visit_stmt(&v, u.out);
    return x.found;
}

/* Partials of a cross-thread reduction meet outside of the loops that its
 * threads stand for, and its storage with them (R5). */
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
    for (size_t i = 0; i < b->niters; i++)
        see_expr(p, b->iter_values[i]);
    see_expr(p, b->predicate);
    for (size_t i = 0; i < b->nallocs; i++)
        vec_push(&p->allocs, ((struct block_alloc){b->allocs[i], p->loop}));
    for (size_t i = 0; i < b->nmatches; i++) {
        const struct ir_match_buffer *x = &b->matches[i];
        see_access(p, x->source.buffer->data);
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
    enum ir_for_kind kind = s->u.loop.kind;
    see_expr(p, s->u.loop.min);
    see_expr(p, s->u.loop.extent);
    see_expr(p, s->u.loop.step);
    if (kind == IR_FOR_PARALLEL || kind == IR_FOR_VECTORIZED ||
        kind == IR_FOR_THREAD)
        see_inside(p, s, s->u.loop.body);
    else
        see_stmt(p, s->u.loop.body);
}

static void see_store(struct planner *p, struct ir_stmt *s)
{
    see_access(p, s->u.store.buffer->data);
    see_expr(p, s->u.store.value);
    for (size_t i = 0; i < s->u.store.nindices; i++)
        see_expr(p, s->u.store.indices[i]);
    see_expr(p, s->u.store.predicate);
}

static void see_stmt(struct planner *p, struct ir_stmt *s)
{
    const char *tag;
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
    case IR_BIND: see_expr(p, s->u.bind.value); break;
    case IR_DECL_BUFFER:
        see_expr(p, s->u.decl.value);
        see_access(p, s->u.decl.buffer->data);
        break;
    case IR_ATTR:
        see_expr(p, s->u.attr.value);
        if (ir_thread_var(s, &tag) != NULL)
            see_inside(p, s, s->u.attr.body);
        else
            see_stmt(p, s->u.attr.body);
        break;
    case IR_ASSERT: see_expr(p, s->u.assert_.cond); break;
    case IR_EVALUATE:
    case IR_RETURN: see_expr(p, s->u.value); break;
    case IR_STORE: see_store(p, s); break;
    case IR_BLOCK: see_block(p, s->u.block); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
}

static void move_allocs(struct planner *p)
{
    for (size_t i = 0; i < p->allocs.len; i++) {
        const struct block_alloc *x = &p->allocs.items[i];
        struct loop_node *at = p->common[class_find(p, x->buffer->data->id)];
        if (at == NULL || at->depth <= x->at->depth)
            continue;
        struct stmt_facts *facts = facts_take(p->em, at->stmt);
        const struct ir_buffer **grown = ARENA_ARRAY(
            p->em->arena, facts->nmoved + 1, const struct ir_buffer *);
        if (facts->nmoved > 0)
            memcpy(grown, facts->moved, facts->nmoved * sizeof *grown);
        grown[facts->nmoved++] = x->buffer;
        facts->moved = grown;
        p->em->plan.moved[x->buffer->id] = true;
    }
}

/* ---- second walk: what threads do together -------------------------------------------- */

struct summary {
    bool lockstep, stored; /* stored: to storage with implicit barriers */
};

static bool is_shared(const char *scope)
{
    enum place place = emit_place_of(scope);
    return place == PLACE_SHARED || place == PLACE_WARP;
}

/* A store, or a pointer through which one may be made. */
static void touch(struct planner *p, struct summary *sum, const char *scope)
{
    enum place place = emit_place_of(scope);
    if ((place == PLACE_SHARED && !p->em->plan.shared_sync) ||
        (place == PLACE_WARP && !p->em->plan.warp_sync))
        sum->stored = true;
}

struct expr_walk {
    struct planner *p;
    struct summary sum;
    bool varying;
};

static bool lock_one_expr(void *user, struct ir_expr *e)
{
    struct expr_walk *w = user;
    if (e->kind == IR_BUFFER_REF)
        touch(w->p, &w->sum, e->u.buffer->scope);
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype)) {
        const struct ir_var *v = e->u.var;
        touch(w->p, &w->sum,
              v->owner != NULL  ? v->owner->scope
              : v->type != NULL ? v->type->scope
                                : NULL);
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs > 0 && e->args[0]->kind == IR_LOAD)
        touch(w->p, &w->sum, e->args[0]->u.buffer->scope);
    w->sum.lockstep |= emit_is_collective(e);
    return true;
}

static void lock_expr(struct planner *p, struct ir_expr *e, struct summary *sum)
{
    if (e == NULL)
        return;
    struct expr_walk w = {p, {false, false}, false};
    struct ir_visitor v = {NULL, lock_one_expr, &w};
    ir_visit_expr(&v, e);
    sum->lockstep |= w.sum.lockstep;
    sum->stored |= w.sum.stored;
}

struct varying_walk {
    const bool *varying;
    bool memory, found;
};

static bool see_varying(void *user, struct ir_expr *e)
{
    struct varying_walk *w = user;
    if (e->kind == IR_VAR_REF && w->varying[e->u.var->id])
        w->found = true;
    if (w->memory && (e->kind == IR_LOAD || e->kind == IR_LET ||
                      (e->kind == IR_CALL &&
                       !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE))))
        w->found = true;
    return !w->found;
}

static bool varies(struct planner *p, struct ir_expr *e, bool memory)
{
    struct varying_walk w = {memory ? p->em->plan.varying : p->threaded, memory,
                             false};
    struct ir_visitor v = {NULL, see_varying, &w};
    if (e != NULL)
        ir_visit_expr(&v, e);
    return w.found;
}

bool emit_is_varying(struct emitter *em, const struct ir_expr *e)
{
    struct planner p = {.em = em};
    union {
        const struct ir_expr *in;
        struct ir_expr *out;
    } u = {e};
    return varies(&p, u.out, true);
}

static bool depends_on_thread(struct planner *p, const struct ir_block *b)
{
    for (size_t i = 0; b->init != NULL && i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_REDUCE &&
            varies(p, b->iter_values[i], false))
            return true;
    return false;
}

/* Threads combine at the root of a reduction (R5). */
static void mark_reduction(struct planner *p, const struct ir_stmt *s,
                           const struct ir_above *up)
{
    bool alone;
    struct stmt_facts *facts =
        facts_take(p->em, ir_reduction_root(s, up, &alone));
    facts->reduction = s;
    facts->lockstep = true;
    if (!alone)
        emit_refuse(p->em, "a reduction over threads whose loops hold other "
                           "statements too");
}

static struct summary lock_stmt(struct planner *p, struct ir_stmt *s,
                                const struct ir_above *up);

static struct summary lock_block(struct planner *p, struct ir_stmt *s,
                                 const struct ir_above *up)
{
    const struct ir_block *b = s->u.block;
    struct summary sum = {false, false}, part;
    struct ir_above here = {up, s};
    bool outer = p->in_reduction;
    if (p->in_kernel && !p->in_reduction && depends_on_thread(p, b)) {
        mark_reduction(p, s, up);
        p->in_reduction = sum.lockstep = true;
    }
    for (size_t i = 0; i < b->niters; i++) {
        p->em->plan.varying[b->iters[i].var->id] |=
            varies(p, b->iter_values[i], true);
        p->threaded[b->iters[i].var->id] |= varies(p, b->iter_values[i], false);
        lock_expr(p, b->iter_values[i], &sum);
    }
    lock_expr(p, b->predicate, &sum);
    for (size_t i = 0; i < b->nallocs; i++)
        if (!p->em->plan.moved[b->allocs[i]->id] &&
            is_shared(b->allocs[i]->scope))
            sum.lockstep = true;
    if (b->init != NULL) {
        part = lock_stmt(p, b->init, &here);
        sum.lockstep |= part.lockstep;
        sum.stored |= part.stored;
    }
    part = lock_stmt(p, b->body, &here);
    sum.lockstep |= part.lockstep;
    sum.stored |= part.stored;
    p->in_reduction = outer;
    return sum;
}

static struct summary lock_thread(struct planner *p, const struct ir_stmt *s,
                                  const struct ir_var *var, const char *tag,
                                  const struct ir_above *up)
{
    struct ir_above here = {up, s};
    bool outer = p->in_kernel;
    p->in_kernel = true;
    p->em->plan.varying[var->id] = strncmp(tag, "blockIdx", 8) != 0;
    p->threaded[var->id] |= strncmp(tag, "threadIdx", 9) == 0;
    struct summary sum = lock_stmt(
        p, s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body, &here);
    p->in_kernel = outer;
    const struct stmt_facts *facts = emit_plan_facts(p->em, s);
    for (size_t i = 0; facts != NULL && i < facts->nmoved; i++)
        sum.lockstep |= emit_place_of(facts->moved[i]->scope) != PLACE_LOCAL;
    return sum;
}

static void join(struct summary *a, struct summary b)
{
    a->lockstep |= b.lockstep;
    a->stored |= b.stored;
}

static struct summary lock_children(struct planner *p, struct ir_stmt *s,
                                    const struct ir_above *up)
{
    struct summary sum = {false, false};
    struct ir_above here = {up, s};
    bool *varying = p->em->plan.varying;
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
        varying[s->u.loop.var->id] |= varies(p, s->u.loop.min, true) ||
                                      varies(p, s->u.loop.extent, true) ||
                                      varies(p, s->u.loop.step, true);
        join(&sum, var != NULL ? lock_thread(p, s, var, tag, up)
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
        varying[s->u.bind.var->id] |= varies(p, s->u.bind.value, true);
        p->threaded[s->u.bind.var->id] |= varies(p, s->u.bind.value, false);
        lock_expr(p, s->u.bind.value, &sum);
        break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
        sum.lockstep = is_shared(s->u.alloc.buffer->scope);
        break;
    case IR_ATTR:
        lock_expr(p, s->u.attr.value, &sum);
        join(&sum, var != NULL ? lock_thread(p, s, var, tag, up)
                               : lock_stmt(p, s->u.attr.body, &here));
        break;
    case IR_ASSERT: lock_expr(p, s->u.assert_.cond, &sum); break;
    case IR_EVALUATE:
    case IR_RETURN: lock_expr(p, s->u.value, &sum); break;
    case IR_STORE:
        touch(p, &sum, s->u.store.buffer->scope);
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

static struct summary lock_stmt(struct planner *p, struct ir_stmt *s,
                                const struct ir_above *up)
{
    const struct stmt_facts *facts = emit_plan_facts(p->em, s);
    bool outer = p->in_kernel;
    p->in_kernel |= facts != NULL && facts->launch;
    struct summary sum = lock_children(p, s, up);
    facts = emit_plan_facts(p->em, s);
    const char *tag;
    sum.lockstep |= facts != NULL && facts->reduction != NULL;
    if ((p->in_kernel || ir_thread_var(s, &tag) != NULL) &&
        (sum.lockstep || sum.stored)) {
        struct stmt_facts *mine = facts_take(p->em, s);
        mine->lockstep = true;
        mine->stored |= sum.stored;
    }
    p->in_kernel = outer;
    return sum;
}

/* ---- all ---------------------------------------------------------------------------------- */

static bool stays_put(void *user, const struct ir_buffer *b)
{
    return !((const struct planner *)user)->em->plan.moved[b->id];
}

static void mark_launch(void *user, const struct ir_stmt *at)
{
    facts_take(((const struct planner *)user)->em, at)->launch = true;
}

void emit_plan_make(struct emitter *em)
{
    struct planner p = {.em = em};
    struct ir_visitor alias = {see_alias, NULL, &p};
    uint32_t n = em->m->nvars;
    memset(&em->plan, 0, sizeof em->plan);
    em->plan.moved = ARENA_ARRAY(em->arena, em->m->nbuffers + 1, bool);
    em->plan.varying = ARENA_ARRAY(em->arena, n + 1, bool);
    p.loop = &p.root;
    p.threaded = ARENA_ARRAY(em->arena, n + 1, bool);
    p.class_of = ARENA_ARRAY(em->arena, n + 1, uint32_t);
    p.common = ARENA_ARRAY(em->arena, n + 1, struct loop_node *);
    for (uint32_t i = 0; i <= n; i++)
        p.class_of[i] = i;
    ir_visit_stmt(&alias, em->f->prim.body);
    for (uint32_t i = 0; i <= n; i++)
        p.class_of[i] = class_find(&p, i);
    em->plan.class_of = p.class_of;
    see_stmt(&p, em->f->prim.body);
    move_allocs(&p);
    const struct ir_kernel_search search = {p.class_of, stays_put, mark_launch,
                                            &p};
    ir_find_kernels(&search, em->f->prim.body);
    (void)lock_stmt(&p, em->f->prim.body, NULL);
    vec_fini(&p.allocs);
}

void emit_plan_fini(struct emitter *em)
{
    vec_fini(&em->plan.facts);
}
