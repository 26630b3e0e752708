/* SPDX-License-Identifier: Apache-2.0
 *
 * Outputs that files give in the place of what a target gave: they are judged as
 * those are, on the one input that files give as well.
 *
 * They are the tuned kernel's. There is nothing to run again, so that a cause rests
 * on them alone, and says so.
 */
#include "diff/harness/measure.h"

#include <string.h>

/* Elements that the kernel does not store to hold what was there before the run,
 * which is known only where the file of an input says so. */
static void take_unwritten(const struct diff_pair *pair, size_t i,
                           const struct interp_tensor *want,
                           struct interp_tensor *have)
{
    if (pair->given.in[i])
        return;
    for (size_t e = 0; e < want->elements; e++)
        if (!(want->state[e] & INTERP_WRITTEN))
            interp_tensor_set(have, e, interp_tensor_get(want, e));
}

bool diff_take_recorded(const struct diff_measurement *m,
                        struct diff_measured *t, const char **why)
{
    const struct diff_pair *pair = m->pair;
    size_t at = 0;
    while (at < m->nsamples && !m->samples[at].given)
        at++;
    *why = pair->given.nexpect == 0
               ? "no output of this function was recorded"
               : "the interpreter gives nothing on the input given";
    if (at == m->nsamples || pair->given.nexpect == 0)
        return false;
    const struct diff_sample *s = &m->samples[at];
    struct diff_args *have;
    t->have[TUNED] = ARENA_ARRAY(t->arena, m->nsamples + 1, struct diff_args);
    have = &t->have[TUNED][at];
    diff_args_copy(have, &s->c->sig[TUNED], &s->want[TUNED]);
    for (size_t i = 0; i < have->n; i++) {
        struct interp_tensor *out = have->args[i].tensor;
        if (!pair->given.expect[i] || !out)
            continue;
        interp_tensor_copy(out, pair->given.expect[i]);
        take_unwritten(pair, i, s->want[TUNED].args[i].tensor, out);
    }
    return true;
}
