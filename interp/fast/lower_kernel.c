/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU kernels. One whose threads need nothing of one another (no barrier, no
 * collective, no storage that they share but global one: the walker's plan says
 * so) is a nest of parallel loops, one for each thread tag, with the launched
 * statement inside; a thread binding in it only names an index (rule 2). The
 * others are lower_coop.c's.
 */
#include "interp/fast/lower.h"

#include <string.h>

#define MAX_THREADS 65536 /* of one block, as in kernel.c */

/* The extent of a binding, which is that of its axis; the first `known` axes
 * have theirs. Evaluated at the launch, once for each binding (kernel.c). */
static bool axis_extent(struct lower *l, struct fast_kernel *k,
                        const struct ir_binding *b, size_t *known)
{
    struct affine a;
    bool outer = l->data;
    l->data = false;
    bool fixed = lower_affine(l, b->extent, &a) && a.n == 0 && !l->data;
    l->data = outer;
    if (!fixed || a.c <= 0)
        return lower_give_up(l->e, "a thread extent");
    lower_cost(l, lower_expr_cost(b->extent));
    if (b->axis < *known)
        return k->extent[b->axis] == a.c ||
               lower_give_up(l->e, "ill-formed thread extents");
    if (*known == EXEC_MAX_AXES)
        return lower_give_up(l->e, "too many thread axes");
    k->extent[(*known)++] = a.c;
    return true;
}

/* Storage made on the host that each block or thread has for itself. */
static bool owns_storage(const struct engine *e)
{
    for (size_t i = 0; i < e->stores.len; i++) {
        const struct store *s = e->stores.items[i];
        const struct node *n = s->home;
        while (n != NULL && !n->coop) /* made by an earlier kernel */
            n = n->parent;
        if (s->param < 0 && s->scope != IR_SCOPE_GLOBAL && n == NULL)
            return true;
    }
    return false;
}

/* Blocks outside, threads inside, x innermost of each as far as the tags came
 * in the usual order. */
static bool launch_loops(struct lower *l, struct fast_kernel *k,
                         const struct ir_stmt *s)
{
    struct node **tail = l->tail, *outer = l->loop, *inner = NULL;
    uint64_t *cost = l->cost, times = 1;
    for (int threads = 0; threads < 2; threads++)
        for (size_t i = 0; i < k->plan->naxes; i++) {
            int64_t extent = k->extent[i];
            if (k->plan->axes[i].is_block != (threads == 0))
                continue;
            struct node *n = lower_loop_node(l);
            if (n == NULL)
                return false;
            n->extent = affine_const(extent);
            n->trips = n->most = extent;
            n->promise = true;
            n->atom = affine_atom_loop(l->e, n, 0, extent - 1);
            k->at[i] = affine_atom(l->e, n->atom);
            l->tail = &n->body;
            l->loop = inner = n;
            if (__builtin_mul_overflow(times, (uint64_t)extent, &times))
                return lower_give_up(l->e, "a kernel of too many threads");
        }
    l->cost = &inner->cost;
    l->kernel = k;
    bool ok = lower_stmt(l, s);
    l->kernel = NULL;
    l->tail = tail;
    l->loop = outer;
    l->cost = cost;
    uint64_t all;
    if (__builtin_mul_overflow(inner->cost, times, &all))
        all = UINT64_MAX;
    lower_cost(l, all);
    return ok;
}

const char lower_why_kernel[] = "a GPU kernel";

static bool launch(struct lower *l, const struct ir_stmt *s)
{
    const struct ir_plan_info *info = ir_plan_info(l->e->plan, s);
    struct fast_kernel *k = ARENA_NEW(l->e->arena, struct fast_kernel);
    size_t known = 0;
    bool coop = l->e->all_coop || owns_storage(l->e) || info->lockstep ||
                info->shared != 0;
    k->plan = info->kernel;
    if (!l->e->options->check_races || (l->loop != NULL && !coop))
        return lower_give_up(l->e, lower_why_kernel);
    for (size_t i = 0; i < k->plan->nbindings; i++)
        if (!axis_extent(l, k, &k->plan->bindings[i], &known))
            return false;
    if (coop)
        return lower_launch_coop(l, k, s);
    if (!ir_count_threads(k->plan, k->extent, MAX_THREADS, &k->nthreads,
                          &k->nlinear))
        return lower_give_up(l->e, "a block of too many threads");
    /* the node list goes on behind the loops */
    struct node **tail = l->tail;
    bool ok = launch_loops(l, k, s);
    while (*tail != NULL)
        tail = &(*tail)->next;
    l->tail = tail;
    return ok;
}

bool lower_thread(struct lower *l, const struct ir_stmt *s)
{
    const char *tag;
    const struct ir_var *var = ir_thread_var(s, &tag);
    if (l->kernel == NULL)
        return launch(l, s);
    const struct ir_kernel *plan = l->kernel->plan;
    size_t axis = ir_axis_find(plan, tag);
    struct binding *b = lower_binding(l, var);
    struct affine at, min = affine_const(0);
    bool outer = l->data;
    if (axis == plan->naxes || b == NULL)
        return lower_give_up(l->e, "a thread binding");
    l->data = false;
    if (s->kind == IR_FOR) {
        if (!lower_affine(l, s->u.loop.min, &min) || l->data)
            return lower_give_up(l->e, "the start of a thread loop");
        lower_cost(l, lower_expr_cost(s->u.loop.min));
    }
    l->data = outer;
    at = l->kernel->at[axis];
    if (!affine_add(l->e, &at, &min, &at))
        return lower_give_up(l->e, "the start of a thread loop");
    b->kind = BOUND_AFFINE;
    b->data = false;
    b->at = at;
    l->per_block = plan->axes[axis].is_block;
    bool ok = lower_moved(l, s, true);
    l->per_block = false;
    ok = ok &&
         lower_stmt(l, s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body);
    (void)lower_moved(l, s, false);
    b->kind = BOUND_NOT;
    return ok;
}
