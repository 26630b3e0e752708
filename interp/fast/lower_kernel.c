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

static struct fast_axis *axis_find(struct fast_kernel *k, const char *tag)
{
    for (size_t i = 0; i < k->n; i++)
        if (strcmp(k->axes[i].tag, tag) == 0)
            return &k->axes[i];
    return NULL;
}

struct axis_walk {
    struct lower *l;
    struct fast_kernel *k;
};

/* Extents are evaluated at the launch, once for each binding (kernel.c). */
static bool see_axis(void *user, struct ir_stmt *s)
{
    struct axis_walk *w = user;
    struct lower *l = w->l;
    const char *tag;
    struct affine a;
    if (ir_thread_var(s, &tag) == NULL || l->e->why != NULL)
        return l->e->why == NULL;
    const struct ir_expr *extent =
        s->kind == IR_FOR ? s->u.loop.extent : s->u.attr.value;
    bool outer = l->data;
    l->data = false;
    bool known = lower_affine(l, extent, &a) && a.n == 0 && !l->data;
    l->data = outer;
    if (!known || a.c <= 0)
        return lower_give_up(l->e, "a thread extent");
    lower_cost(l, lower_expr_cost(extent));
    struct fast_axis *x = axis_find(w->k, tag);
    if (x != NULL && x->extent != a.c)
        return lower_give_up(l->e, "ill-formed thread extents");
    if (x != NULL)
        return true;
    if (w->k->n == EXEC_MAX_AXES)
        return lower_give_up(l->e, "too many thread axes");
    struct fast_axis *made = &w->k->axes[w->k->n++];
    made->tag = tag;
    made->extent = a.c;
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
        if (s->param < 0 && s->scope != MEM_GLOBAL && n == NULL)
            return true;
    }
    return false;
}

static bool fits_block(const struct fast_kernel *k)
{
    int64_t threads = 1;
    for (size_t i = 0; i < k->n; i++) {
        if (strncmp(k->axes[i].tag, "blockIdx", 8) == 0)
            continue;
        if (k->axes[i].extent > MAX_THREADS ||
            threads * k->axes[i].extent > MAX_THREADS)
            return false;
        threads *= k->axes[i].extent;
    }
    return true;
}

/* Blocks outside, threads inside, x innermost of each as far as the tags came
 * in the usual order. */
static bool launch_loops(struct lower *l, struct fast_kernel *k,
                         const struct ir_stmt *s)
{
    struct node **tail = l->tail, *outer = l->loop, *inner = NULL;
    uint64_t *cost = l->cost, times = 1;
    for (int threads = 0; threads < 2; threads++)
        for (size_t i = 0; i < k->n; i++) {
            struct fast_axis *x = &k->axes[i];
            if ((strncmp(x->tag, "blockIdx", 8) != 0) != (threads == 1))
                continue;
            struct node *n = lower_loop_node(l);
            if (n == NULL)
                return false;
            n->extent = affine_const(x->extent);
            n->trips = n->most = x->extent;
            n->promise = true;
            n->atom = affine_atom_loop(l->e, n, 0, x->extent - 1);
            x->at = affine_atom(l->e, n->atom);
            l->tail = &n->body;
            l->loop = inner = n;
            if (__builtin_mul_overflow(times, (uint64_t)x->extent, &times))
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
    const struct stmt_info *info = exec_plan_info(l->e->plan, s);
    struct fast_kernel *k = ARENA_NEW(l->e->arena, struct fast_kernel);
    struct axis_walk w = {l, k};
    struct ir_visitor v = {see_axis, NULL, &w};
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } stmt = {s};
    bool coop = l->e->all_coop || owns_storage(l->e) ||
                (info != NULL && (info->lockstep || info->shared != 0));
    if (!l->e->options->check_races || (l->loop != NULL && !coop))
        return lower_give_up(l->e, lower_why_kernel);
    ir_visit_stmt(&v, stmt.out);
    if (l->e->why != NULL)
        return false;
    if (coop)
        return lower_launch_coop(l, k, s);
    if (!fits_block(k))
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
    const struct fast_axis *x = axis_find(l->kernel, tag);
    struct binding *b = lower_binding(l, var);
    struct affine at, min = affine_const(0);
    bool outer = l->data;
    if (x == NULL || b == NULL)
        return lower_give_up(l->e, "a thread binding");
    l->data = false;
    if (s->kind == IR_FOR) {
        if (!lower_affine(l, s->u.loop.min, &min) || l->data)
            return lower_give_up(l->e, "the start of a thread loop");
        lower_cost(l, lower_expr_cost(s->u.loop.min));
    }
    l->data = outer;
    at = x->at;
    if (!affine_add(l->e, &at, &min, &at))
        return lower_give_up(l->e, "the start of a thread loop");
    b->kind = BOUND_AFFINE;
    b->data = false;
    b->at = at;
    l->per_block = strncmp(tag, "blockIdx", 8) == 0;
    bool ok = lower_moved(l, s, true);
    l->per_block = false;
    ok = ok &&
         lower_stmt(l, s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body);
    (void)lower_moved(l, s, false);
    b->kind = BOUND_NOT;
    return ok;
}
