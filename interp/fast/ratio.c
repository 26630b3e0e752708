/* SPDX-License-Identifier: Apache-2.0
 *
 * How many of the walker's steps one step of a compiled function stands for.
 * Budgets count work, so that a verdict is the same on any machine; but a step
 * here should take about as long as one of the walker's, or a budget would
 * mean nothing. What decides is how much of the work runs in lanes.
 */
#include "interp/fast/keyed_vm.h"

/* Rounds of work, and the time they take where one of the walker's steps is 1:
 * an instruction costs about as much as twelve lanes. */
struct share {
    double work, time;
};

static double ratio_of(bool slow, int64_t lanes)
{
    if (slow)
        return lanes < 4    ? FAST_RATIO_KEYED
               : lanes < 16 ? FAST_RATIO_KEYED_LANES / 2
                            : FAST_RATIO_KEYED_LANES;
    double r = FAST_STEP_RATIO;
    for (int64_t n = 4; n <= lanes && r < FAST_RATIO_LANES; n *= 2)
        r *= 2;
    return r;
}

/* lanes: of the loop around that runs in lanes; 1 without one. */
static void weigh(const struct node *list, double times, int64_t lanes,
                  bool slow, struct share *out)
{
    for (const struct node *n = list; n != NULL; n = n->next) {
        if (n->kind == NODE_LOOP) {
            double most = n->most > 0 ? (double)n->most : 1;
            int64_t inner = n->lanes && n->most > lanes ? n->most : lanes;
            weigh(n->body, times * most, inner, slow, out);
        } else if (n->kind == NODE_IF) {
            weigh(n->body, times, lanes, slow, out);
            weigh(n->other, times, lanes, slow, out);
        } else {
            out->work += times;
            out->time += times / ratio_of(slow, lanes);
        }
    }
}

uint64_t fast_engine_ratio(const struct engine *e)
{
    struct share share = {0, 0};
    /* one lane after the other */
    bool slow = fast_keyed_domain(e->options) || e->scalar != NULL;
    weigh(e->top, 1, 1, slow, &share);
    double ratio = share.time > 0 ? share.work / share.time : 1;
    uint64_t floor = slow ? FAST_RATIO_KEYED : FAST_STEP_RATIO;
    return ratio > (double)floor ? (uint64_t)ratio : floor;
}
