/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of kernels: their bindings, the roots of reductions over them, and
 * kernels that begin outside of their thread bindings. In programs that are not
 * lowered yet a kernel is more than the outermost binding where
 *
 *  - a reduction over threads has serial loops around the bindings, too: each
 *    thread goes through all of them (rule 5);
 *  - storage that the threads of one block share is used below several bindings
 *    (rule 4): the kernel is what holds all uses, with the serial loops around
 *    them, which all threads go through. Only where nothing else happens there:
 *    every store is below a binding, and none of the bindings is of blockIdx.
 */
#include "ir/ir.h"

#include <string.h>

const struct ir_var *ir_thread_var(const struct ir_stmt *s, const char **tag)
{
    if (s->kind == IR_FOR && s->u.loop.kind == IR_FOR_THREAD) {
        *tag = s->u.loop.thread != NULL ? s->u.loop.thread->thread_tag : "";
        return s->u.loop.var;
    }
    if (s->kind != IR_ATTR || (strcmp(s->u.attr.key, "thread_extent") != 0 &&
                               strcmp(s->u.attr.key, "virtual_thread") != 0))
        return NULL;
    const struct ir_value *node = s->u.attr.node;
    if (node == NULL || node->kind != IR_V_ITER_VAR)
        return NULL;
    *tag = node->u.iter_var->thread_tag;
    return node->u.iter_var->var;
}

/* ---- reductions over threads ---------------------------------------------------- */

struct mention {
    const struct ir_var *var;
    bool found;
};

static bool mention_var(void *user, struct ir_expr *e)
{
    struct mention *x = user;
    x->found |= e->kind == IR_VAR_REF && e->u.var == x->var;
    return !x->found;
}

bool ir_reduces_over(const struct ir_block *b, const struct ir_var *var)
{
    struct mention x = {var, false};
    struct ir_visitor v = {NULL, mention_var, &x};
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_REDUCE)
            ir_visit_expr(&v, b->iter_values[i]);
    return x.found;
}

const struct ir_stmt *ir_reduction_root(const struct ir_stmt *s,
                                        const struct ir_above *up, bool *alone)
{
    const struct ir_stmt *root = s;
    bool only = true;
    *alone = true;
    for (; up != NULL && up->stmt->kind != IR_BLOCK; up = up->up) {
        const struct ir_stmt *x = up->stmt;
        const char *tag;
        if ((x->kind == IR_SEQ && x->u.seq.n > 1) || x->kind == IR_WHILE ||
            x->kind == IR_IF)
            only = false;
        if (x->kind != IR_FOR || !ir_reduces_over(s->u.block, x->u.loop.var))
            continue;
        if (only)
            root = x;
        else if (ir_thread_var(x, &tag) == NULL)
            *alone = false;
    }
    return root;
}

/* ---- what a block holds --------------------------------------------------------- */

struct contents {
    unsigned bound;              /* bindings around */
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
    bool binds = ir_thread_var(s, &tag) != NULL;
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
    return b->scope != NULL && (strncmp(b->scope, "shared", 6) == 0 ||
                                strncmp(b->scope, "warp", 4) == 0);
}

/* ---- uses of a storage ------------------------------------------------------------- */

struct uses {
    const struct ir_kernel_search *w;
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

static bool uses(const struct ir_kernel_search *w, uint32_t storage,
                 struct ir_stmt *s)
{
    struct uses u = {w, storage, false};
    struct ir_visitor v = {use_in_stmt, use_in_expr, &u};
    ir_visit_stmt(&v, s);
    return u.any;
}

/* The one part of s that holds all uses; NULL: there are several. */
static struct ir_stmt *only_user(const struct ir_kernel_search *w,
                                 uint32_t storage, struct ir_stmt *s)
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
static const struct ir_stmt *kernel_of(const struct ir_kernel_search *w,
                                       uint32_t storage, struct ir_stmt *body)
{
    const struct ir_stmt *best = NULL;
    const char *tag;
    for (struct ir_stmt *s = body; s != NULL; s = only_user(w, storage, s)) {
        struct contents c = {0};
        if (ir_thread_var(s, &tag) != NULL)
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
                                               const struct ir_above *up)
{
    const char *tag;
    bool alone;
    const struct ir_stmt *root = ir_reduction_root(s, up, &alone);
    bool threads = false, below = true, around = false;
    for (; up != NULL; up = up->up) {
        bool binds = ir_thread_var(up->stmt, &tag) != NULL;
        if (below && binds && strncmp(tag, "threadIdx", 9) == 0 &&
            up->stmt->kind == IR_FOR &&
            ir_reduces_over(s->u.block, up->stmt->u.loop.var))
            threads = true;
        if (below && binds && strncmp(tag, "blockIdx", 8) == 0)
            return NULL;
        around |= binds && (!below || up->stmt == root);
        below = below && up->stmt != root;
    }
    return threads && !around ? root : NULL;
}

static void walk(const struct ir_kernel_search *w, struct ir_stmt *s,
                 const struct ir_above *up, bool bound);

static void walk_block(const struct ir_kernel_search *w, struct ir_stmt *s,
                       const struct ir_above *up, bool bound)
{
    const struct ir_block *b = s->u.block;
    struct ir_above here = {up, s};
    const struct ir_stmt *root =
        b->init != NULL ? reduction_outside(s, up) : NULL;
    if (root != NULL)
        w->mark(w->user, root);
    for (size_t i = 0; i < b->nallocs && !bound; i++)
        if (is_shared(b->allocs[i]) && w->stays(w->user, b->allocs[i])) {
            root = kernel_of(w, w->class_of[b->allocs[i]->data->id], b->body);
            if (root != NULL)
                w->mark(w->user, root);
        }
    if (b->init != NULL)
        walk(w, b->init, &here, bound);
    walk(w, b->body, &here, bound);
}

static void walk(const struct ir_kernel_search *w, struct ir_stmt *s,
                 const struct ir_above *up, bool bound)
{
    struct ir_above here = {up, s};
    const char *tag;
    bound |= ir_thread_var(s, &tag) != NULL;
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

void ir_find_kernels(const struct ir_kernel_search *search,
                     struct ir_stmt *body)
{
    walk(search, body, NULL, false);
}
