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

static bool binds_thread(const struct ir_stmt *s, bool *is_virtual)
{
    if (s->kind == IR_FOR)
        return s->u.loop.kind == IR_FOR_THREAD;
    if (s->kind != IR_ATTR || s->u.attr.key == NULL || s->u.attr.node == NULL ||
        s->u.attr.node->kind != IR_V_ITER_VAR)
        return false;
    *is_virtual = strcmp(s->u.attr.key, "virtual_thread") == 0;
    return *is_virtual || strcmp(s->u.attr.key, "thread_extent") == 0;
}

bool ir_thread_axis(const struct ir_stmt *s, struct ir_thread_axis *axis)
{
    bool is_virtual = false, loop = s->kind == IR_FOR;
    if (!binds_thread(s, &is_virtual))
        return false;
    const struct ir_iter_var *v =
        loop ? s->u.loop.thread : s->u.attr.node->u.iter_var;
    if (axis != NULL)
        *axis = (struct ir_thread_axis){
            loop ? s->u.loop.var : v->var,
            v != NULL && v->thread_tag != NULL ? v->thread_tag : "", is_virtual,
            loop ? s->u.loop.extent : s->u.attr.value,
            loop ? s->u.loop.body : s->u.attr.body};
    return true;
}

const struct ir_var *ir_thread_var(const struct ir_stmt *s, const char **tag)
{
    struct ir_thread_axis axis;
    if (!ir_thread_axis(s, &axis))
        return NULL;
    if (tag != NULL)
        *tag = axis.tag;
    return axis.var;
}

/* ---- searches ------------------------------------------------------------------- */

struct search {
    const void *of; /* a variable, or a call */
    const char *tag;
    const struct ir_comm_reducer *around, *found;
};

static bool see_tag(void *user, struct ir_stmt *s)
{
    struct search *x = user;
    struct ir_thread_axis axis;
    if (x->tag == NULL && ir_thread_axis(s, &axis) && axis.var == x->of)
        x->tag = axis.tag;
    return x->tag == NULL;
}

const char *ir_thread_tag(const struct ir_stmt *stmt, const struct ir_var *var)
{
    struct search x = {.of = var};
    struct ir_visitor v = {see_tag, NULL, &x};
    ir_visit_stmt(&v, stmt);
    return x.tag;
}

static bool see_call(void *user, struct ir_expr *e)
{
    struct search *x = user;
    if (e == x->of)
        x->found = x->around;
    return x->found == NULL;
}

static bool see_reducer(void *user, struct ir_stmt *s)
{
    struct search *x = user;
    if (s->kind != IR_ATTR || strcmp(s->u.attr.key, "reduce_scope") != 0 ||
        s->u.attr.node == NULL || s->u.attr.node->kind != IR_V_REDUCER)
        return x->found == NULL;
    const struct ir_comm_reducer *outer = x->around;
    struct ir_visitor v = {see_reducer, see_call, x};
    x->around = s->u.attr.node->u.reducer;
    ir_visit_below(&v, s);
    x->around = outer;
    return false;
}

const struct ir_comm_reducer *ir_reducer_around(const struct ir_stmt *stmt,
                                                const struct ir_expr *call)
{
    struct search x = {.of = call};
    struct ir_visitor v = {see_reducer, see_call, &x};
    ir_visit_stmt(&v, stmt);
    return x.found;
}

/* ---- reductions over threads ---------------------------------------------------- */

bool ir_reduces_over(const struct ir_block *b, const struct ir_var *var)
{
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_REDUCE &&
            ir_uses_var(b->iter_values[i], var))
            return true;
    return false;
}

const struct ir_stmt *ir_reduction_root(const struct ir_stmt *s,
                                        const struct ir_above *up, bool *alone)
{
    const struct ir_stmt *root = s;
    bool only = true;
    *alone = true;
    for (; up != NULL && up->stmt->kind != IR_BLOCK; up = up->up) {
        const struct ir_stmt *x = up->stmt;
        if ((x->kind == IR_SEQ && x->u.seq.n > 1) || x->kind == IR_WHILE ||
            x->kind == IR_IF)
            only = false;
        if (x->kind != IR_FOR || !ir_reduces_over(s->u.block, x->u.loop.var))
            continue;
        if (only)
            root = x;
        else if (!ir_thread_axis(x, NULL))
            *alone = false;
    }
    return root;
}

/* ---- what a block holds --------------------------------------------------------- */

struct contents {
    unsigned bound;              /* bindings around */
    bool threads, blocks, loose; /* loose: something happens without a thread */
};

static bool look_expr(void *user, struct ir_expr *e)
{
    struct contents *c = user;
    c->loose |= c->bound == 0 && e->kind == IR_CALL &&
                !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE);
    return true;
}

static void look(struct contents *c, const struct ir_stmt *s)
{
    struct ir_thread_axis axis;
    struct ir_visitor v = {NULL, look_expr, c};
    const struct ir_stmt *x;
    bool binds = ir_thread_axis(s, &axis);
    if (binds) {
        c->blocks |= strncmp(axis.tag, "blockIdx", 8) == 0;
        c->threads |= strncmp(axis.tag, "threadIdx", 9) == 0;
    }
    c->bound += binds;
    if (s->kind == IR_EVALUATE)
        ir_visit_expr(&v, s->u.value);
    else if (s->kind == IR_SEQ || s->kind == IR_FOR || s->kind == IR_ATTR ||
             s->kind == IR_BLOCK)
        for (size_t i = 0; (x = ir_stmt_below(s, i)) != NULL; i++)
            look(c, x);
    else /* conditions, jumps: not without a thread */
        c->loose |= c->bound == 0 && s->kind != IR_BIND &&
                    s->kind != IR_ALLOC && s->kind != IR_DECL_BUFFER;
    c->bound -= binds;
}

static bool is_shared(const struct ir_buffer *b)
{
    return b->scope != NULL && (strncmp(b->scope, "shared", 6) == 0 ||
                                strncmp(b->scope, "warp", 4) == 0);
}

/* ---- uses of a storage ------------------------------------------------------------- */

struct storage {
    const uint32_t *class_of;
    uint32_t class_;
};

static bool stores_to(const void *storage, const struct ir_stmt *s)
{
    const struct storage *x = storage;
    return s->kind == IR_STORE &&
           x->class_of[s->u.store.buffer->data->id] == x->class_;
}

static bool reaches(const void *storage, const struct ir_expr *e)
{
    const struct storage *x = storage;
    const struct ir_var *data =
        e->kind == IR_LOAD || e->kind == IR_BUFFER_REF       ? e->u.buffer->data
        : e->kind == IR_VAR_REF && dtype_is_handle(e->dtype) ? e->u.var
                                                             : NULL;
    return data != NULL && x->class_of[data->id] == x->class_;
}

/* The one part of s that holds all uses; NULL: there are several. */
static struct ir_stmt *only_user(const struct storage *storage,
                                 struct ir_stmt *s)
{
    struct ir_stmt *found = NULL;
    if (s->kind == IR_FOR || s->kind == IR_ATTR || s->kind == IR_BLOCK)
        return ir_stmt_below(s, 1) == NULL ? ir_stmt_below(s, 0) : NULL;
    for (size_t i = 0; s->kind == IR_SEQ && i < s->u.seq.n; i++) {
        if (!ir_stmt_any(s->u.seq.items[i], stores_to, reaches, storage))
            continue;
        if (found != NULL)
            return NULL;
        found = s->u.seq.items[i];
    }
    return found;
}

/* The outermost statement below a block that can be a kernel for the sake of a
 * storage that the block allocates; NULL: none needs to be. */
static const struct ir_stmt *kernel_of(const struct storage *storage,
                                       struct ir_stmt *body)
{
    const struct ir_stmt *best = NULL;
    for (struct ir_stmt *s = body; s != NULL; s = only_user(storage, s)) {
        struct contents c = {0};
        if (ir_thread_axis(s, NULL))
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

/* What a block says of kernels around it and in it. */
static void see_block(const struct ir_kernel_search *w, const struct ir_stmt *s,
                      const struct ir_above *up, bool bound)
{
    const struct ir_block *b = s->u.block;
    const struct ir_stmt *root =
        b->init != NULL ? reduction_outside(s, up) : NULL;
    if (root != NULL)
        w->mark(w->user, root);
    for (size_t i = 0; i < b->nallocs && !bound; i++)
        if (is_shared(b->allocs[i]) && w->stays(w->user, b->allocs[i])) {
            const struct storage storage = {
                w->class_of, w->class_of[b->allocs[i]->data->id]};
            root = kernel_of(&storage, b->body);
            if (root != NULL)
                w->mark(w->user, root);
        }
}

static void walk(const struct ir_kernel_search *w, const struct ir_stmt *s,
                 const struct ir_above *up, bool bound)
{
    struct ir_above here = {up, s};
    const struct ir_stmt *x;
    bound |= ir_thread_axis(s, NULL);
    if (s->kind == IR_BLOCK)
        see_block(w, s, up, bound);
    for (size_t i = 0; (x = ir_stmt_below(s, i)) != NULL; i++)
        walk(w, x, &here, bound);
}

void ir_find_kernels(const struct ir_kernel_search *search,
                     struct ir_stmt *body)
{
    walk(search, body, NULL, false);
}

/* ---- masks of shuffles -------------------------------------------------------------- */

static bool lacks_mask(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL && e->nargs > 0 &&
           e->u.call.op >= IR_OP_WARP_SHUFFLE &&
           e->u.call.op <= IR_OP_WARP_SHUFFLE_XOR &&
           ir_is_const_int(e->args[0], 0);
}

bool ir_shuffles_have_masks(const struct ir_stmt *stmt)
{
    return !ir_stmt_any(stmt, NULL, lacks_mask, NULL);
}
