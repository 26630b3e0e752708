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

/* ---- what is kept ------------------------------------------------------------ */

/* The first element of the sample that differs; exact: at which nothing rounds. */
static bool differs(const struct diff_measured *t, size_t i, size_t side,
                    bool exact, size_t *output, size_t *element)
{
    const struct diff_sample *s = &t->m->samples[i];
    const struct interp_signature *sig = &s->c->sig[side];
    for (size_t k = 0; k < sig->nparams; k++) {
        const struct interp_tensor *want = s->want[side].args[k].tensor;
        const struct interp_tensor *have = t->have[side][i].args[k].tensor;
        if (want && sig->params[k].stored &&
            diff_find_differing(t->choice->arithmetic, want, have, exact,
                                element)) {
            *output = k;
            return true;
        }
    }
    return false;
}

void diff_keep_target(struct diff_pair *pair, struct diff_measured *t)
{
    size_t side =
        t->out->tuned.outcome <= t->out->untuned.outcome ? TUNED : UNTUNED;
    size_t output = 0, element = 0, at = t->m->nsamples;
    if (!pair->options->save || t->m->brief ||
        (t->choice->recorded && !pair->options->bundle) ||
        !diff_is_outcome_finding(pair->options, t->out->outcome) ||
        !t->have[side])
        return;
    for (int exact = 1; exact >= 0 && at == t->m->nsamples; exact--)
        for (size_t i = 0; i < t->m->nsamples && at == t->m->nsamples; i++)
            if (t->used[i] && !t->m->samples[i].control_inexact[side] &&
                differs(t, i, side, exact == 1, &output, &element))
                at = i;
    if (at == t->m->nsamples)
        return;
    const struct diff_sample *s = &t->m->samples[at];
    struct diff_kept *k = ARENA_NEW(pair->arena, struct diff_kept);
    k->target = t->out->target;
    k->out = t->out;
    k->side = side;
    k->label = s->label;
    k->recipe = s->recipe;
    k->c = arena_memdup(pair->arena, s->c, sizeof *s->c);
    k->output = output;
    k->element = element;
    diff_args_copy(&k->want, &s->c->sig[side], &s->want[side]);
    k->have = t->have[side][at];
    memset(&t->have[side][at], 0, sizeof k->have);
    struct diff_kept **end = &pair->kept;
    while (*end)
        end = &(*end)->next;
    *end = k;
}

void diff_kept_fini(struct diff_pair *pair)
{
    for (struct diff_kept *k = pair->kept; k; k = k->next) {
        diff_args_fini(&k->want);
        diff_args_fini(&k->have);
    }
    pair->kept = NULL;
}
