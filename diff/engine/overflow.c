/* SPDX-License-Identifier: Apache-2.0
 *
 * Undefined values that come of rounding (docs/semantics.md F15).
 *
 * A sum that overflows in one order and not in another, converted to an
 * integer, is undefined on one side alone, as it would be infinite on one side
 * alone if it were not converted. So it is judged as that is: it waits until
 * keyed runs have said whether the order of terms explains it. Which elements
 * these are, the domain `lenient` tells, in which such a conversion gives a
 * number; what is undefined there as well was never stored to, or is undefined
 * whatever the order.
 */
#include "diff/engine/engine.h"

#include <string.h>

/* Steps of a whole run in the domain `lenient`; longer ones are sampled. */
#define MAX_WHOLE 1000000.0
#define SAMPLES   8u

/* ---- elements ------------------------------------------------------------------------ */

struct lost {
    size_t output, element;
};

static bool is_lost(const struct interp_tensor *u,
                    const struct interp_tensor *t, size_t i)
{
    return diff_left_undefined(u->state[i], t->state[i]);
}

/* The first undefined elements that the untuned side defines. */
static size_t find_lost(const struct diff_case *c,
                        const struct diff_run runs[NSIDES], struct lost *out,
                        size_t room)
{
    size_t n = 0, at;
    if (!diff_same_outputs(runs, &at))
        return 0;
    for (size_t i = 0; i < runs[UNTUNED].noutputs; i++) {
        const struct interp_tensor *u = runs[UNTUNED].outputs[i];
        const struct interp_tensor *t = runs[TUNED].outputs[i];
        if (!diff_is_compared(c, &runs[UNTUNED], i))
            continue;
        for (size_t e = 0; e < u->elements && n < room; e++)
            if (is_lost(u, t, e))
                out[n++] = (struct lost){i, e};
    }
    return n;
}

/* A slice of these elements alone. */
static void demand(struct diff_pair *pair, struct diff_case *c,
                   const struct lost *lost, size_t n)
{
    size_t elements, nparams = c->sig[UNTUNED].nparams;
    uint8_t **marks = ARENA_ARRAY(pair->arena, nparams + 1, uint8_t *);
    c->demand = ARENA_ARRAY(pair->arena, nparams + 1, const uint8_t *);
    for (size_t i = 0; i < n; i++) {
        size_t output = lost[i].output;
        if (!diff_param_elements(&c->sig[UNTUNED].params[output], &elements))
            continue;
        if (marks[output] == NULL)
            marks[output] = ARENA_ARRAY(pair->arena, elements, uint8_t);
        marks[output][lost[i].element] = 1;
        c->demand[output] = marks[output];
    }
    c->sliced = true;
    c->mode = DIFF_SLICED;
}

/* Whether the run in the domain `lenient` defines it. */
static bool is_saved(const struct diff_run *lenient, size_t output,
                     size_t element)
{
    const struct interp_tensor *t =
        output < lenient->noutputs ? lenient->outputs[output] : NULL;
    return t != NULL && element < t->elements &&
           (t->state[element] & (INTERP_SKIPPED | INTERP_DEFINED)) ==
               INTERP_DEFINED;
}

/* ---- runs ------------------------------------------------------------------------------ */

/* Takes what the lenient run defines out of what is judged; of a slice that
 * defines all of it, everything. How much that is. */
static uint64_t take_out(const struct diff_case *c,
                         struct diff_run runs[NSIDES],
                         const struct diff_run *lenient, bool sampled,
                         const struct lost *lost, size_t n)
{
    bool all = sampled;
    uint64_t taken = 0;
    for (size_t k = 0; k < n; k++)
        all = all && is_saved(lenient, lost[k].output, lost[k].element);
    for (size_t i = 0; i < runs[UNTUNED].noutputs; i++) {
        const struct interp_tensor *u = runs[UNTUNED].outputs[i];
        struct interp_tensor *t = runs[TUNED].outputs[i];
        if (!diff_is_compared(c, &runs[UNTUNED], i))
            continue;
        for (size_t e = 0; e < u->elements; e++) {
            if (!is_lost(u, t, e) || !(all || is_saved(lenient, i, e)))
                continue;
            t->state[e] |= INTERP_SKIPPED;
            taken++;
        }
    }
    return taken;
}

uint64_t diff_skip_overflow(struct diff_pair *pair, size_t case_index,
                            const struct diff_recipe *recipe,
                            struct diff_run runs[NSIDES],
                            struct diff_finding *first)
{
    struct diff_case c = pair->cases[case_index];
    struct lost lost[SAMPLES];
    struct diff_run lenient;
    size_t n = find_lost(&c, runs, lost, SAMPLES);
    bool large = !c.sliced && c.work > MAX_WHOLE;
    if (n == 0 || (large && pair->relax))
        return 0;
    if (large)
        demand(pair, &c, lost, n);
    diff_run(pair, &c, TUNED, recipe, INTERP_LENIENT, NULL, &lenient);
    uint64_t taken = 0;
    if (lenient.result.fault == INTERP_OK)
        taken = take_out(&c, runs, &lenient, large, lost, n);
    for (size_t k = 0; taken > 0 && k < n; k++) {
        const struct lost *l = &lost[k];
        if (!is_saved(&lenient, l->output, l->element))
            continue;
        *first = (struct diff_finding){.kind = DIFF_UNDEFINED,
                                       .case_index = case_index,
                                       .recipe = *recipe,
                                       .output = l->output,
                                       .element = l->element,
                                       .domain = INTERP_IEEE};
        break;
    }
    diff_run_fini(&lenient);
    return taken;
}

bool diff_fault_is_overflow(struct diff_pair *pair,
                            const struct diff_finding *finding)
{
    const struct diff_case *c = &pair->cases[finding->case_index];
    struct diff_run run;
    if (finding->fault != INTERP_UNINITIALISED)
        return false;
    diff_run(pair, c, TUNED, &finding->recipe, INTERP_LENIENT, NULL, &run);
    bool fine = run.result.fault == INTERP_OK && run.result.control_inexact;
    diff_run_fini(&run);
    return fine;
}
