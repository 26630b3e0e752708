/* SPDX-License-Identifier: Apache-2.0
 *
 * How many of the walker's steps one step of a compiled function stands for.
 * Budgets count work, so that a verdict is the same on any machine; but a step
 * here should take about as long as one of the walker's, or a budget would
 * mean nothing. What decides is how much of the work runs in lanes.
 */
#include "interp/fast/keyed_vm.h"

/* Lanes that are worth the name. */
#define MANY_LANES 32

struct share {
    double all, in_lanes;
};

static void weigh(const struct node *list, double times, bool lanes,
                  struct share *out)
{
    for (const struct node *n = list; n != NULL; n = n->next) {
        if (n->kind == NODE_LOOP) {
            double most = n->most > 0 ? (double)n->most : 1;
            weigh(n->body, times * most,
                  lanes || (n->lanes && n->most >= MANY_LANES), out);
        } else if (n->kind == NODE_IF) {
            weigh(n->body, times, lanes, out);
            weigh(n->other, times, lanes, out);
        } else {
            out->all += times;
            out->in_lanes += lanes ? times : 0;
        }
    }
}

uint64_t engine_ratio(const struct engine *e)
{
    struct share share = {0, 0};
    weigh(e->top, 1, false, &share);
    bool wide = share.in_lanes >= 0.9 * share.all;
    if (keyed_domain(e->options))
        return wide ? FAST_RATIO_KEYED_LANES : FAST_RATIO_KEYED;
    return wide ? FAST_RATIO_LANES : FAST_STEP_RATIO;
}
