/* SPDX-License-Identifier: Apache-2.0
 *
 * An input on which bits differ by rounding, for a verdict that is had without one:
 * keyed runs and proofs say that types differ, and nobody has seen a number yet.
 */
#include "diff/engine/engine.h"

#include <string.h>

/* The first element that both sides define and give other bits. */
static bool first_apart(const struct diff_case *c,
                        const struct diff_run runs[NSIDES], size_t *output,
                        size_t *element)
{
    size_t n = runs[UNTUNED].noutputs;
    for (size_t i = 0; i < n && i < runs[TUNED].noutputs; i++) {
        const struct interp_tensor *u = runs[UNTUNED].outputs[i];
        const struct interp_tensor *t = runs[TUNED].outputs[i];
        if (!diff_is_compared(c, &runs[UNTUNED], i) || !u || !t ||
            u->elements != t->elements)
            continue;
        for (size_t e = 0; e < u->elements; e++)
            if ((u->state[e] & t->state[e] & INTERP_DEFINED) &&
                !((u->state[e] | t->state[e]) & INTERP_SKIPPED) &&
                !num_same(dtype_scalar(u->dtype), interp_tensor_get(u, e),
                          interp_tensor_get(t, e))) {
                *output = i;
                *element = e;
                return true;
            }
    }
    return false;
}

static bool try_fill(struct diff_pair *pair, size_t i, enum interp_fill fill,
                     struct diff_finding *out)
{
    const struct diff_case *c = &pair->cases[i];
    struct diff_run runs[NSIDES];
    struct diff_recipe recipe = {
        .fill = fill, .seed = pair->options->seed, .ranges = c->ranges};
    bool fine = true;
    memset(runs, 0, sizeof runs);
    for (size_t side = 0; side < NSIDES && fine; side++) {
        diff_run(pair, c, side, &recipe, INTERP_IEEE, NULL, &runs[side]);
        fine = runs[side].result.fault == INTERP_OK;
    }
    fine = fine && first_apart(c, runs, &out->output, &out->element);
    out->kind = DIFF_VALUE;
    out->case_index = i;
    out->recipe = recipe;
    out->domain = INTERP_IEEE;
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
    return fine;
}

bool diff_find_rounding(struct diff_pair *pair, struct diff_finding *out)
{
    static const enum interp_fill fills[] = {
        INTERP_FILL_RANDOM, INTERP_FILL_UNIT, INTERP_FILL_RANGE};
    const struct diff_tally *t = &pair->tally;
    memset(out, 0, sizeof *out);
    if (t->have_rounding) {
        out->kind = DIFF_VALUE;
        out->case_index = t->rounding_case;
        out->recipe = t->rounding_recipe;
        out->output = t->rounding_output;
        out->element = t->rounding_element;
        return true;
    }
    pair->steps_left = pair->options->budget;
    diff_cost_cases(pair);
    for (size_t i = 0; i < pair->ncases; i++) {
        diff_find_ranges(pair, &pair->cases[i]);
        for (size_t k = 0; k < DC_ARRAY_LEN(fills); k++)
            if (try_fill(pair, i, fills[k], out))
                return true;
    }
    return false;
}
