/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU kernels whose threads work together. The blocks are a loop, and the
 * threads of a block, virtual ones included, are one loop that always runs in
 * lanes: a lane is a thread, and its number is the thread's as kernel.c counts
 * them, so that the indices of the thread tags are digits of it.
 *
 * All threads take a statement together, one after the other. That is one of
 * the orders in which they may run, and the result is that of all orders unless
 * there is a race; coop.c and shadow.c see to those. A barrier then only moves
 * the clock that they compare with.
 *
 * Steps are those of lockstep.c: a statement that threads go through together
 * counts once for them all, any other one for each.
 */
#include "interp/fast/lower.h"

#include <string.h>

/* ---- steps -------------------------------------------------------------------- */

void lower_group_cost(struct lower *l, uint64_t steps)
{
    if (__builtin_add_overflow(*l->group, steps, l->group))
        *l->group = UINT64_MAX;
}

/* What group_simple of lockstep.c runs thread by thread. */
static bool is_simple(const struct ir_stmt *s)
{
    return s->kind == IR_BIND || s->kind == IR_ALLOC_CONST ||
           s->kind == IR_DECL_BUFFER || s->kind == IR_ASSERT ||
           s->kind == IR_EVALUATE || s->kind == IR_STORE;
}

static bool in_lockstep(const struct lower *l, const struct ir_stmt *s)
{
    const struct ir_plan_info *info = ir_plan_info(l->e->plan, s);
    return info != NULL && info->lockstep;
}

void lower_stmt_cost(struct lower *l, const struct ir_stmt *s)
{
    bool together = l->group != NULL && in_lockstep(l, s);
    if (together)
        lower_group_cost(l, 1);
    if (!together || is_simple(s))
        lower_cost(l, 1);
    const struct ir_plan_info *info = ir_plan_info(l->e->plan, s);
    if (info != NULL && info->reduction != NULL)
        lower_give_up(l->e, "a reduction over threads");
}

/* ---- storage ---------------------------------------------------------------------- */

static bool in_kernel(const struct lower *l)
{
    return l->kernel != NULL && l->kernel->threads != NULL;
}

/* Whether the block has storage of this data variable already: it is the same
 * one (rule 4). */
static bool made_before(const struct lower *l, const struct store *x)
{
    for (size_t i = 0; i < l->e->stores.len; i++) {
        const struct store *s = l->e->stores.items[i];
        const struct node *n = s->home;
        while (n != NULL && n != l->kernel->threads)
            n = n->parent;
        if (n != NULL && s->share == SHARE_BLOCK &&
            s->buffer->data == x->buffer->data)
            return true;
    }
    return false;
}

bool lower_share(struct lower *l, struct store *x)
{
    bool block = x->scope == IR_SCOPE_SHARED ||
                 x->scope == IR_SCOPE_SHARED_DYN ||
                 (x->scope == IR_SCOPE_GLOBAL && l->per_block);
    if (!in_kernel(l) || (!block && x->scope != IR_SCOPE_WARP))
        return true;
    if (l->varying > 0)
        return lower_give_up(l->e, "storage that some threads share");
    x->share = block ? SHARE_BLOCK : SHARE_WARP;
    if (block)
        return !made_before(l, x) ||
               lower_give_up(l->e, "shared storage that is made twice");
    x->lanes =
        (uint32_t)((l->kernel->nthreads + EXEC_WARP_SIZE - 1) / EXEC_WARP_SIZE);
    return l->kernel->warps || lower_give_up(l->e, "warps of odd threads");
}

/* ---- barriers ----------------------------------------------------------------------- */

static void barrier(struct lower *l, unsigned scopes,
                    const struct ir_plan_info *implied)
{
    struct node *n = lower_node(l, NODE_BARRIER);
    n->scopes = scopes;
    n->implied = implied;
}

void lower_implicit_barrier(struct lower *l, const struct ir_stmt *parent,
                            const struct ir_stmt *s)
{
    const struct ir_plan_info *info = ir_plan_info(l->e->plan, s);
    if (l->group != NULL && l->varying == 0 && info != NULL &&
        info->shared != 0 && (parent == NULL || in_lockstep(l, parent)))
        barrier(l, info->shared, info);
}

bool lower_guard_varies(const struct lower *l, const struct guard *g)
{
    if (!in_kernel(l))
        return false;
    for (size_t i = 0; i < g->n; i++)
        if (affine_uses(l->e, &g->conds[i].at, l->kernel->threads->atom))
            return true;
    return g->value != NULL;
}

/* ---- collective calls ------------------------------------------------------------- */

bool lower_collective(struct lower *l, const struct ir_expr *call, bool *known)
{
    const char *scope = ir_call_text(call, 0);
    if (!in_kernel(l))
        return true;
    if (call->u.call.op != IR_OP_STORAGE_SYNC ||
        strncmp(scope, "shared", 6) != 0)
        return lower_tile(l, call, known);
    *known = true;
    lower_cost(l, 1);
    barrier(l, EXEC_ALL_SCOPES, NULL);
    return l->varying == 0 ||
           lower_give_up(l->e, "a barrier under a condition");
}

/* ---- the launch ------------------------------------------------------------------------------ */

/* The indices of a thread are the digits of its number. */
static bool thread_forms(struct engine *e, struct fast_kernel *k)
{
    struct affine all = affine_atom(e, k->threads->atom), rest;
    bool ok = affine_floormod(e, &all, k->nlinear, &rest);
    for (size_t i = 0; i < k->plan->nthreads && ok; i++) {
        size_t axis = k->plan->threads[i];
        if (i == k->plan->nlinear)
            ok = affine_floordiv(e, &all, k->nlinear, &rest);
        ok = ok && affine_floormod(e, &rest, k->extent[axis], &k->at[axis]) &&
             affine_floordiv(e, &rest, k->extent[axis], &rest);
    }
    return ok || lower_give_up(e, "the indices of threads");
}

static bool count_threads(struct lower *l, struct fast_kernel *k)
{
    if (!ir_count_threads(k->plan, k->extent, LANES, &k->nthreads, &k->nlinear))
        return lower_give_up(l->e, "a block of too many threads");
    k->warps = k->nlinear % EXEC_WARP_SIZE == 0 || k->nlinear == k->nthreads;
    return true;
}

static struct node *launch_loop(struct lower *l, int64_t extent)
{
    struct node *n = lower_loop_node(l);
    if (n == NULL)
        return NULL;
    n->extent = affine_const(extent);
    n->trips = n->most = extent;
    n->atom = affine_atom_loop(l->e, n, 0, extent - 1);
    l->tail = &n->body;
    l->loop = n;
    return n;
}

/* Storage made on the host that each block or thread has for itself (rule 4):
 * the kernel sees its own. */
struct host_storage {
    const struct ir_buffer *buffer;
    struct fast_view *view;
    struct binding data;
};

static bool own_storage(struct lower *l, size_t nhost,
                        struct host_storage *saved, size_t *n)
{
    for (size_t i = 0; i < nhost; i++) {
        const struct store *s = l->e->stores.items[i];
        struct binding *b = lower_binding(l, s->buffer->data);
        struct fast_view **slot = lower_view_slot(l, s->buffer);
        uint64_t cost = 0;
        if (s->param >= 0 || s->scope == IR_SCOPE_GLOBAL || b == NULL ||
            slot == NULL || *slot == NULL || b->kind != BOUND_STORE ||
            b->store != s)
            continue;
        saved[*n] = (struct host_storage){s->buffer, *slot, *b};
        ++*n;
        struct store *x = lower_storage(l, s->buffer, &cost);
        if (x == NULL || cost != 0)
            return lower_give_up(l->e, "a buffer of a kernel");
        lower_node(l, NODE_ALLOC)->store = x;
    }
    return true;
}

static bool lower_threads(struct lower *l, struct fast_kernel *k,
                          const struct ir_stmt *s)
{
    size_t nhost = l->e->stores.len, n = 0;
    struct host_storage *saved =
        ARENA_ARRAY(l->e->arena, nhost + 1, struct host_storage);
    l->kernel = k;
    bool ok = thread_forms(l->e, k) && own_storage(l, nhost, saved, &n) &&
              lower_stmt(l, s);
    l->kernel = NULL;
    while (n-- > 0) {
        *lower_view_slot(l, saved[n].buffer) = saved[n].view;
        *lower_binding(l, saved[n].buffer->data) = saved[n].data;
    }
    return ok;
}

bool lower_launch_coop(struct lower *l, struct fast_kernel *k,
                       const struct ir_stmt *s)
{
    struct node **tail = l->tail, *outer = l->loop;
    uint64_t *cost = l->cost, all, blocks = 1;
    for (const struct node *n = l->loop; n != NULL; n = n->parent)
        if (n->promise)
            return lower_give_up(l->e, "a kernel in a parallel loop");
    if (!count_threads(l, k))
        return false;
    lower_node(l, NODE_LAUNCH);
    for (size_t i = k->plan->naxes; i-- > 0;)
        if (k->plan->axes[i].is_block) {
            struct node *n = launch_loop(l, k->extent[i]);
            if (n == NULL ||
                __builtin_mul_overflow(blocks, (uint64_t)n->trips, &blocks))
                return lower_give_up(l->e, "a kernel of too many blocks");
            k->at[i] = affine_atom(l->e, n->atom);
        }
    struct node *threads = launch_loop(l, k->nthreads);
    if (threads == NULL)
        return false;
    threads->coop = threads->lanes = true;
    k->threads = threads;
    l->cost = &threads->cost;
    l->group = &threads->group;
    bool ok = lower_threads(l, k, s);
    l->loop = outer;
    l->cost = cost;
    l->group = NULL;
    for (l->tail = tail; *l->tail != NULL;)
        l->tail = &(*l->tail)->next;
    if (__builtin_mul_overflow(threads->cost, (uint64_t)k->nthreads, &all) ||
        __builtin_add_overflow(all, threads->group, &all) ||
        __builtin_mul_overflow(all, blocks, &all))
        all = UINT64_MAX;
    lower_cost(l, all);
    if (ok)
        fast_coop_finish(l->e, threads);
    return ok;
}
