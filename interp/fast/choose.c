/* SPDX-License-Identifier: Apache-2.0
 *
 * Which loops run in lanes. A loop can if its iterations are independent and
 * all of them go the same way: inner loops have the same bounds in every lane,
 * and guards either do not depend on the lane or hold for a range of lanes.
 * Of the loops of a nest at most one on each path is taken, the one that makes
 * the nest cheapest; where a loop's statements can be had one after the other,
 * one of them may go its own way (`apart`). What is cheap is a rough count: an instruction costs about as much as
 * twelve lanes of work, an access that is not side by side ten times one that
 * is. The count decides about speed only, never about results.
 */
#include "interp/fast/fast_engine.h"

#include <string.h>

#define MAX_PRIVATE \
    ((int64_t)1 << 18) /* elements of storage per lane, in all */

/* ---- what depends on the lane --------------------------------------------------- */

struct lane_walk {
    const struct engine *e;
    const struct node *loop;
    bool *slot_varies; /* by slot */
    int64_t private_elements;
};

static bool store_is_private(const struct store *s, const struct node *loop)
{
    const struct node *n = s->home;
    while (n != NULL && n->depth > loop->depth)
        n = n->parent;
    return n == loop;
}

static bool access_varies(const struct lane_walk *w, const struct access *a);

static bool varies(const struct lane_walk *w, const struct fx *x)
{
    if (x == NULL)
        return false;
    switch (x->kind) {
    case X_CONST: return false;
    case X_AFFINE: return affine_uses(w->e, x->at, w->loop->atom);
    case X_LOAD: return access_varies(w, x->access);
    case X_SLOT: return w->slot_varies[x->slot];
    case X_GUARD:
        for (size_t i = 0; i < x->guard->n; i++)
            if (affine_uses(w->e, &x->guard->conds[i].at, w->loop->atom))
                return true;
        if (varies(w, x->guard->value))
            return true;
        break;
    case X_UNARY:
    case X_BINARY:
    case X_FMA:
    case X_CAST:
    case X_SELECT: break;
    }
    return varies(w, x->a) || varies(w, x->b) || varies(w, x->c);
}

static bool access_varies(const struct lane_walk *w, const struct access *a)
{
    if (store_is_private(a->store, w->loop) ||
        affine_uses(w->e, &a->offset, w->loop->atom))
        return true;
    for (size_t d = 0; d < a->rank; d++)
        if (affine_uses(w->e, &a->index[d], w->loop->atom) ||
            (a->gather && varies(w, a->index_fx[d])))
            return true;
    return false;
}

/* ---- whether a loop can ------------------------------------------------------------ */

static bool guard_fits(const struct lane_walk *w, const struct guard *g)
{
    int64_t coef;
    for (size_t i = 0; i < g->n; i++) {
        const struct cond *c = &g->conds[i];
        if (!affine_uses(w->e, &c->at, w->loop->atom))
            continue;
        if (c->kind != COND_GE || c->cost != 0 ||
            !affine_linear(w->e, &c->at, w->loop->atom, &coef))
            return false;
    }
    return !varies(w, g->value);
}

static bool fx_fits(const struct lane_walk *w, const struct fx *x)
{
    if (x == NULL || x->kind == X_SLOT)
        return true;
    if (x->kind == X_LOAD) {
        for (size_t d = 0; x->access->gather && d < x->access->rank; d++)
            if (!fx_fits(w, x->access->index_fx[d]))
                return false;
        return true;
    }
    if (x->kind == X_GUARD &&
        (!guard_fits(w, x->guard) || !fx_fits(w, x->guard->value)))
        return false;
    return fx_fits(w, x->a) && fx_fits(w, x->b) && fx_fits(w, x->c);
}

static bool list_fits(struct lane_walk *w, const struct node *list)
{
    for (const struct node *n = list; n != NULL; n = n->next) {
        switch (n->kind) {
        case NODE_LAUNCH:
        case NODE_BARRIER:
        case NODE_TILE: return false;
        case NODE_LOOP:
            if (n->vector || n->coop ||
                affine_uses(w->e, &n->min, w->loop->atom) ||
                affine_uses(w->e, &n->extent, w->loop->atom))
                return false;
            break;
        case NODE_IF:
            if (!guard_fits(w, &n->guard) || !fx_fits(w, n->guard.value))
                return false;
            break;
        case NODE_ALLOC:
            w->private_elements += n->store->elements;
            if (w->private_elements > MAX_PRIVATE || n->store->init != NULL)
                return false;
            break;
        case NODE_SET: w->slot_varies[n->slot] = varies(w, n->value); break;
        case NODE_STORE: break;
        }
        if (!fx_fits(w, n->value) || !list_fits(w, n->body) ||
            !list_fits(w, n->other))
            return false;
    }
    return true;
}

static bool can_run_in_lanes(struct engine *e, struct node *loop)
{
    struct lane_walk w = {e, loop, NULL, 0};
    if (loop->most < 2 || (!loop->vector && !fast_loop_independent(e, loop)))
        return false;
    w.slot_varies = ARENA_ARRAY(e->arena, e->nslots + 1, bool);
    return list_fits(&w, loop->body);
}

/* ---- cost ------------------------------------------------------------------------------ */

#define OVERHEAD 12.0

struct count {
    const struct engine *e;
    const struct node *loop; /* in lanes; NULL: none */
    double n;                /* lanes */
};

static double access_cost(const struct count *c, const struct access *a)
{
    int64_t coef;
    if (c->loop == NULL)
        return OVERHEAD + 1;
    if (a->gather || !affine_linear(c->e, &a->offset, c->loop->atom, &coef))
        return OVERHEAD + 30 * c->n;
    coef *= c->loop->step;
    return OVERHEAD + (coef == 0 || coef == 1 ? c->n : 10 * c->n);
}

static double fx_cost(const struct count *c, const struct fx *x)
{
    if (x == NULL)
        return 0;
    double sum =
        x->kind == X_LOAD ? access_cost(c, x->access) : OVERHEAD + c->n;
    if (x->kind == X_SLOT)
        return sum;
    for (size_t d = 0;
         x->kind == X_LOAD && x->access->gather && d < x->access->rank; d++)
        sum += fx_cost(c, x->access->index_fx[d]);
    return sum + fx_cost(c, x->a) + fx_cost(c, x->b) + fx_cost(c, x->c);
}

static double list_cost(const struct count *c, const struct node *list);

static double node_cost(const struct count *c, const struct node *n)
{
    double inner = list_cost(c, n->body) + list_cost(c, n->other);
    if (n->kind == NODE_LOOP)
        inner *= (double)n->most;
    if (n->kind == NODE_STORE)
        inner += access_cost(c, n->access);
    return OVERHEAD + inner + fx_cost(c, n->value);
}

static double list_cost(const struct count *c, const struct node *list)
{
    double sum = 0;
    for (const struct node *n = list; n != NULL; n = n->next)
        sum += node_cost(c, n);
    return sum;
}

/* Whether the statements of the loop's body may be run one after the other for
 * all iterations of a strip, each in its own way: iterations are independent,
 * so only values that pass from one statement to another within an iteration
 * are in the way. */
static bool comes_apart(const struct node *loop)
{
    for (const struct node *n = loop->body; n != NULL; n = n->next)
        if (n->kind == NODE_SET || n->kind == NODE_ALLOC)
            return false;
    return !loop->vector && !loop->coop;
}

/* Of the loop in lanes; loops inside that are cheaper iteration by iteration,
 * in lanes of their own, are counted so, and marked if wanted. */
static double lanes_cost(const struct engine *e, struct node *loop, bool mark)
{
    double trips = (double)loop->most, sum = OVERHEAD;
    struct count c = {e, loop, trips < STRIP ? trips : STRIP};
    bool free = comes_apart(loop);
    for (struct node *n = loop->body; n != NULL; n = n->next) {
        double together = trips / c.n * node_cost(&c, n);
        double apart = trips * (OVERHEAD + n->work);
        bool better = free && n->kind == NODE_LOOP && apart < together;
        if (mark)
            n->apart = better;
        sum += better ? apart : together;
    }
    return sum;
}

const char fast_why_not_independent[] =
    "a parallel loop not seen to be free of races";

/* ---- choice ----------------------------------------------------------------------------- */

static void clear_lanes(struct node *list)
{
    for (struct node *n = list; n != NULL; n = n->next) {
        n->lanes = n->coop;
        n->apart = false;
        clear_lanes(n->body);
        clear_lanes(n->other);
    }
}

static bool choose_list(struct engine *e, struct node *list, double *cost);

static bool choose_loop(struct engine *e, struct node *n, double *cost)
{
    double inner;
    if (n->coop) {
        *cost = OVERHEAD; /* nothing to choose */
        return fast_coop_fits(e, n);
    }
    /* without a conflict among its lanes a vector statement is a loop as any
     * other */
    if (n->vector && fast_loop_independent(e, n))
        n->vector = false;
    if (n->promise && e->options->check_races && !fast_loop_independent(e, n))
        return lower_give_up(e, fast_why_not_independent);
    if (!choose_list(e, n->body, &inner))
        return false;
    *cost = OVERHEAD + inner * (double)n->most;
    bool can = can_run_in_lanes(e, n);
    if (n->vector) {
        int64_t coef;
        const struct access *a = n->body->access;
        if (!can || n->body->kind != NODE_STORE ||
            !affine_linear(e, &a->offset, n->atom, &coef) || coef == 0)
            return lower_give_up(e, "a vector statement");
    }
    double lanes = can ? lanes_cost(e, n, false) : 0;
    if (can && (n->vector || lanes < *cost)) {
        (void)lanes_cost(e, n, true);
        for (struct node *i = n->body; i != NULL; i = i->next)
            if (!i->apart) {
                i->lanes = i->coop;
                clear_lanes(i->body);
                clear_lanes(i->other);
            }
        n->lanes = true;
        *cost = lanes;
    }
    n->work = *cost;
    return true;
}

static bool choose_list(struct engine *e, struct node *list, double *cost)
{
    struct count none = {e, NULL, 1};
    *cost = 0;
    for (struct node *n = list; n != NULL; n = n->next) {
        double one = 0, other = 0;
        if (n->kind == NODE_LOOP) {
            if (!choose_loop(e, n, &one))
                return false;
        } else if (n->kind == NODE_IF) {
            if (!choose_list(e, n->body, &one) ||
                !choose_list(e, n->other, &other))
                return false;
        } else {
            one = fx_cost(&none, n->value) +
                  (n->kind == NODE_STORE ? access_cost(&none, n->access) : 0);
        }
        *cost += OVERHEAD + one + other;
    }
    return true;
}

/* ---- threads ----------------------------------------------------------------------------- */

/* Below so much work a loop is done before other threads have begun. */
#define SHARED_WORK 400000.0
/* With so many parts a loop keeps all threads busy to its end, mostly. */
#define MANY_PARTS 64

/* Whether it holds a kernel that looks for races as it runs, or is one. */
static bool launches(const struct node *n)
{
    bool found = n->coop || n->kind == NODE_LAUNCH || n->kind == NODE_BARRIER;
    for (const struct node *x = n->body; x != NULL && !found; x = x->next)
        found = launches(x);
    for (const struct node *x = n->other; x != NULL && !found; x = x->next)
        found = launches(x);
    return found;
}

/* Marks at most one loop on each path: the outermost that is worth it and has
 * many parts, else the outermost one. False: none was found. */
static bool share_list(struct engine *e, struct node *list)
{
    double least = e->options->share_small ? 0 : SHARED_WORK;
    bool any = false;
    for (struct node *n = list; n != NULL; n = n->next) {
        if (n->kind == NODE_IF) {
            bool then = share_list(e, n->body);
            any |= share_list(e, n->other) || then;
        }
        if (n->kind != NODE_LOOP || n->work < least || launches(n))
            continue;
        int64_t parts = n->lanes ? (n->most + STRIP - 1) / STRIP : n->most;
        bool can = parts > 1 && !n->vector && fast_loop_independent(e, n);
        bool within =
            !n->lanes && (!can || parts < MANY_PARTS) && share_list(e, n->body);
        n->shared = can && !within;
        any |= can || within;
    }
    return any;
}

bool fast_choose_lanes(struct engine *e)
{
    double cost;
    if (!choose_list(e, e->top, &cost))
        return false;
    if (e->options->threads > 1)
        (void)share_list(e, e->top);
    return true;
}
