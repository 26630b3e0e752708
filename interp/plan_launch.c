/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that begin outside of their thread bindings. In programs that are not
 * lowered yet a kernel is more than the outermost binding where
 *
 *  - a reduction over threads has serial loops around the bindings, too: each
 *    thread goes through all of them (rule 5);
 *  - storage that the threads of one block share is used below several bindings
 *    (rule 4): the kernel is what holds all uses, with the serial loops around
 *    them, which all threads go through. Only where nothing else happens there:
 *    every store is below a binding, and none of the bindings is of blockIdx.
 */
#include "interp/plan.h"

#include <string.h>

struct launch_walk {
    const struct plan *plan;
    const uint32_t *class_of; /* of storage, by variable */
    void (*mark)(void *user, const struct ir_stmt *at);
    void *user;
};

/* ---- what a block holds --------------------------------------------------------- */

struct contents {
    unsigned bound; /* bindings around */
    bool threads, blocks, loose; /* loose: something happens without a thread */
};

static void look(struct contents *c, struct ir_stmt *s);

static bool look_at(void *user, struct ir_stmt *s)
{
    look(user, s);
    return false;
}

static bool look_expr(void *user, struct ir_expr *e)
{
    struct contents *c = user;
    c->loose |= c->bound == 0 && e->kind == IR_CALL &&
                !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE);
    return true;
}

/* Goes into the statements below s. */
static void look_inside(struct contents *c, struct ir_stmt *s)
{
    struct ir_visitor v = {look_at, look_expr, c};
    if (s->kind == IR_SEQ)
        for (size_t i = 0; i < s->u.seq.n; i++)
            look(c, s->u.seq.items[i]);
    else if (s->kind == IR_FOR)
        look(c, s->u.loop.body);
    else if (s->kind == IR_ATTR)
        look(c, s->u.attr.body);
    else if (s->kind == IR_BLOCK) {
        if (s->u.block->init != NULL)
            look(c, s->u.block->init);
        look(c, s->u.block->body);
    } else if (s->kind == IR_EVALUATE)
        ir_visit_expr(&v, s->u.value);
    else /* conditions, jumps: not without a thread */
        c->loose |= c->bound == 0 && s->kind != IR_BIND &&
                    s->kind != IR_ALLOC && s->kind != IR_DECL_BUFFER;
}

static void look(struct contents *c, struct ir_stmt *s)
{
    const char *tag;
    bool binds = plan_thread_var(s, &tag) != NULL;
    if (binds) {
        c->blocks |= strncmp(tag, "blockIdx", 8) == 0;
        c->threads |= strncmp(tag, "threadIdx", 9) == 0;
    }
    c->bound += binds;
    look_inside(c, s);
    c->bound -= binds;
}

static bool is_shared(const struct ir_buffer *b)
{
    enum mem_scope scope = mem_scope_of(b->scope);
    return scope == MEM_SHARED || scope == MEM_SHARED_DYN || scope == MEM_WARP;
}

/* ---- uses of a storage ------------------------------------------------------------- */

struct uses {
    const struct launch_walk *w;
    uint32_t storage; /* its class */
    bool any;
};

static void see_use(struct uses *u, const struct ir_var *data)
{
    u->any |= u->w->class_of[data->id] == u->storage;
}

static bool use_in_stmt(void *user, struct ir_stmt *s)
{
    struct uses *u = user;
    if (s->kind == IR_STORE)
        see_use(u, s->u.store.buffer->data);
    return !u->any;
}

static bool use_in_expr(void *user, struct ir_expr *e)
{
    struct uses *u = user;
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF)
        see_use(u, e->u.buffer->data);
    else if (e->kind == IR_VAR_REF && dtype_is_handle(e->dtype))
        see_use(u, e->u.var);
    return !u->any;
}

static bool uses(const struct launch_walk *w, uint32_t storage,
                 struct ir_stmt *s)
{
    struct uses u = {w, storage, false};
    struct ir_visitor v = {use_in_stmt, use_in_expr, &u};
    ir_visit_stmt(&v, s);
    return u.any;
}

/* The one part of s that holds all uses; NULL: there are several. */
static struct ir_stmt *only_user(const struct launch_walk *w, uint32_t storage,
                                 struct ir_stmt *s)
{
    struct ir_stmt *found = NULL;
    if (s->kind == IR_FOR)
        return s->u.loop.body;
    if (s->kind == IR_ATTR)
        return s->u.attr.body;
    if (s->kind == IR_BLOCK)
        return s->u.block->init == NULL ? s->u.block->body : NULL;
    for (size_t i = 0; s->kind == IR_SEQ && i < s->u.seq.n; i++) {
        if (!uses(w, storage, s->u.seq.items[i]))
            continue;
        if (found != NULL)
            return NULL;
        found = s->u.seq.items[i];
    }
    return found;
}

/* The outermost statement below a block that can be a kernel for the sake of a
 * storage that the block allocates; NULL: none needs to be. */
static const struct ir_stmt *kernel_of(const struct launch_walk *w,
                                       uint32_t storage, struct ir_stmt *body)
{
    const struct ir_stmt *best = NULL;
    const char *tag;
    for (struct ir_stmt *s = body; s != NULL; s = only_user(w, storage, s)) {
        struct contents c = {0};
        if (plan_thread_var(s, &tag) != NULL)
            return NULL; /* a kernel already */
        look(&c, s);
        if (best == NULL && c.threads && !c.blocks && !c.loose)
            best = s;
    }
    return best;
}

/* ---- the walk -------------------------------------------------------------------- */

/* The reduction's root, if threads are bound below it and none is around it. */
static const struct ir_stmt *reduction_outside(const struct ir_stmt *s,
                                               const struct plan_above *up)
{
    const char *tag, *bad;
    const struct ir_stmt *root = plan_reduction_root(s, up, &bad);
    bool threads = false, below = true, around = false;
    for (; up != NULL; up = up->up) {
        bool binds = plan_thread_var(up->stmt, &tag) != NULL;
        if (below && binds && strncmp(tag, "threadIdx", 9) == 0 &&
            up->stmt->kind == IR_FOR &&
            plan_reduces_over(s->u.block, up->stmt->u.loop.var))
            threads = true;
        if (below && binds && strncmp(tag, "blockIdx", 8) == 0)
            return NULL;
        around |= binds && (!below || up->stmt == root);
        below = below && up->stmt != root;
    }
    return threads && !around ? root : NULL;
}

static void walk(const struct launch_walk *w, struct ir_stmt *s,
                 const struct plan_above *up, bool bound);

static void walk_block(const struct launch_walk *w, struct ir_stmt *s,
                       const struct plan_above *up, bool bound)
{
    const struct ir_block *b = s->u.block;
    struct plan_above here = {up, s};
    const struct ir_stmt *root =
        b->init != NULL ? reduction_outside(s, up) : NULL;
    if (root != NULL)
        w->mark(w->user, root);
    for (size_t i = 0; i < b->nallocs && !bound; i++)
        if (is_shared(b->allocs[i]) &&
            !w->plan->moved[b->allocs[i]->id - w->plan->buffer_base]) {
            root = kernel_of(w, w->class_of[b->allocs[i]->data->id], b->body);
            if (root != NULL)
                w->mark(w->user, root);
        }
    if (b->init != NULL)
        walk(w, b->init, &here, bound);
    walk(w, b->body, &here, bound);
}

static void walk(const struct launch_walk *w, struct ir_stmt *s,
                 const struct plan_above *up, bool bound)
{
    struct plan_above here = {up, s};
    const char *tag;
    bound |= plan_thread_var(s, &tag) != NULL;
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            walk(w, s->u.seq.items[i], &here, bound);
        break;
    case IR_FOR: walk(w, s->u.loop.body, &here, bound); break;
    case IR_WHILE: walk(w, s->u.while_.body, &here, bound); break;
    case IR_IF:
        walk(w, s->u.if_.then_, &here, bound);
        if (s->u.if_.else_ != NULL)
            walk(w, s->u.if_.else_, &here, bound);
        break;
    case IR_ATTR: walk(w, s->u.attr.body, &here, bound); break;
    case IR_BLOCK: walk_block(w, s, up, bound); break;
    case IR_BIND:
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_DECL_BUFFER:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_STORE:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: break;
    }
}

void plan_launches(const struct plan *plan, const uint32_t *class_of,
                   struct ir_stmt *body,
                   void (*mark)(void *user, const struct ir_stmt *at),
                   void *user)
{
    const struct launch_walk w = {plan, class_of, mark, user};
    walk(&w, body, NULL, false);
}
