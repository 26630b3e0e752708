/* SPDX-License-Identifier: Apache-2.0
 *
 * A schedule up to the step in question, without the steps that do not matter:
 * each is left out in turn, the last first, and stays out where what is left can
 * still be done and still has that verdict. Conditions are passed over, since
 * the step in question may be illegal.
 */
#include "diff/bisect/bisect.h"

#include <string.h>

#define MOST_TRIES 400u

/* The verdict on the workload with the steps that are kept; false where they
 * cannot be done, or the two cannot be compared. */
static bool verdict_without(struct bisect *b,
                            const struct schedule_steps *steps,
                            const bool *skip, enum report_verdict *out)
{
    struct schedule *s =
        schedule_new(b->input.module, b->input.func->name, NULL);
    struct diag_sink *sink = diag_sink_new();
    bool known = false;
    if (s) {
        schedule_set_unchecked(s, true);
        known = schedule_steps_run(s, steps, skip, NULL, NULL) == steps->n;
    }
    if (known) {
        struct report *report = report_new();
        diff_compare_modules(b->options, schedule_module(s), b->input.module,
                             report, sink);
        known = report_worst(report, out);
        report_free(report);
    }
    diag_sink_free(sink);
    schedule_free(s);
    return known;
}

bool *bisect_shrink(struct bisect *b, size_t bad, enum report_verdict is)
{
    struct schedule_steps steps = b->input.steps;
    bool *skip = ARENA_ARRAY(b->arena, b->input.steps.n, bool);
    enum report_verdict v;
    size_t last = b->points.items[bad].step;
    steps.n = last + 1;
    for (size_t i = steps.n; i < b->input.steps.n; i++)
        skip[i] = true;
    for (size_t i = last, tries = 0; i-- > 0 && tries < MOST_TRIES; tries++) {
        skip[i] = true;
        if (!verdict_without(b, &steps, skip, &v) || v > is ||
            (is <= REPORT_PRECISION && v > REPORT_PRECISION))
            skip[i] = false;
    }
    return skip;
}
