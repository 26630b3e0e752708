/* SPDX-License-Identifier: Apache-2.0
 *
 * Outputs that depend on the order of atomic updates (rule 24).
 *
 * Any order is admitted. Two are run, threads from the first to the last and
 * the other way round. What differs between them in the untuned module is not
 * settled by the program, and is not compared; what differs in the tuned one
 * alone is a difference, since the untuned module has one value there.
 */
#include "diff/engine/engine.h"

#include <string.h>

/* The side once more, in the other order; false: it gave no outputs. */
static bool run_again(struct diff_pair *pair, const struct diff_case *c,
                      size_t side, const struct diff_recipe *recipe,
                      struct diff_run *out)
{
    struct diff_recipe other = *recipe;
    other.descending = !recipe->descending;
    diff_run(pair, c, side, &other, INTERP_IEEE, NULL, out);
    return out->result.fault == INTERP_OK;
}

static bool is_exact(const struct diff_run *run, unsigned state)
{
    return (state & INTERP_DEFINED) && !(state & INTERP_INEXACT) &&
           !run->result.control_inexact;
}

bool diff_skip_unsettled(struct diff_pair *pair, const struct diff_case *c,
                         const struct diff_recipe *recipe,
                         struct diff_run *untuned)
{
    struct diff_run other;
    uint64_t before = pair->tally.unsettled;
    bool fine = run_again(pair, c, UNTUNED, recipe, &other);
    for (size_t i = 0; fine && i < untuned->noutputs; i++) {
        struct interp_tensor *a = untuned->outputs[i], *b = other.outputs[i];
        for (size_t e = 0; a && b && e < a->elements; e++) {
            if (!is_exact(untuned, a->state[e]) ||
                !is_exact(&other, b->state[e]) ||
                num_same(dtype_scalar(a->dtype), interp_tensor_get(a, e),
                         interp_tensor_get(b, e)))
                continue;
            a->state[e] |= INTERP_SKIPPED;
            pair->tally.unsettled++;
        }
    }
    diff_run_fini(&other);
    return pair->tally.unsettled > before;
}

struct diff_finding diff_try_other_order(struct diff_pair *pair,
                                         size_t case_index,
                                         const struct diff_recipe *recipe,
                                         const struct diff_run *untuned)
{
    const struct diff_case *c = &pair->cases[case_index];
    struct diff_finding finding = {.kind = DIFF_NOTHING,
                                   .case_index = case_index,
                                   .recipe = *recipe,
                                   .domain = INTERP_IEEE};
    struct diff_run runs[NSIDES];
    struct diff_tally seen = {0};
    finding.recipe.descending = !recipe->descending;
    runs[UNTUNED] = *untuned;
    if (run_again(pair, c, TUNED, recipe, &runs[TUNED])) {
        struct diff_judgement j = diff_judge_bits(&seen, c, runs, false);
        finding.kind = pair->faults_only && !diff_is_unsafe(j.kind)
                           ? DIFF_NOTHING
                           : j.kind;
        finding.output = j.output;
        finding.element = j.element;
    } else if (interp_is_fault(runs[TUNED].result.fault)) {
        finding.kind = DIFF_FAULT;
        finding.fault = runs[TUNED].result.fault;
    }
    diff_run_fini(&runs[TUNED]);
    return finding;
}
