/* SPDX-License-Identifier: Apache-2.0
 *
 * What a difference between a target and the interpreter means.
 *
 * On exact inputs no operation of the program rounds, so that rounding cannot
 * be the cause: the target is wrong. Elsewhere the cause is looked for. A pair
 * gets the worse outcome of its two kernels.
 */
#include "diff/harness/measure.h"

#include <string.h>

/* One output of one sample, expected and had. */
struct output {
    const struct diff_sample *sample;
    const char *name;
    const struct interp_tensor *want, *have;
};

static bool all_nan(const struct interp_tensor *t)
{
    struct dtype type = dtype_scalar(t->dtype);
    for (size_t i = 0; i < t->elements; i++)
        if (!dtype_is_float(type) || !num_is_nan(type, interp_tensor_get(t, i)))
            return false;
    return t->elements > 0;
}

/* Some elements count, and none of these is NaN. */
static bool has_no_nan(const struct interp_tensor *t)
{
    struct dtype type = dtype_scalar(t->dtype);
    bool any = false;
    for (size_t i = 0; i < t->elements; i++) {
        if (!(t->state[i] & INTERP_DEFINED) || (t->state[i] & INTERP_SKIPPED))
            continue;
        if (num_is_nan(type, interp_tensor_get(t, i)))
            return false;
        any = true;
    }
    return any;
}

const char *diff_find_nan(const struct diff_measurement *m,
                          const struct diff_measured *t, size_t side)
{
    const struct interp_signature *sig = &m->samples[0].c->sig[side];
    for (size_t k = 0; k < sig->nparams; k++) {
        size_t n = 0, empty = 0, whole = 0;
        for (size_t i = 0; i < m->nsamples; i++) {
            const struct interp_tensor *want =
                m->samples[i].want[side].args[k].tensor;
            if (!t->used[i] || !sig->params[k].stored || !want)
                continue;
            n++;
            empty += all_nan(t->have[side][i].args[k].tensor);
            whole += has_no_nan(want);
        }
        if (empty == n && whole > 0)
            return arena_printf(t->arena,
                                "every element of %s is NaN, on all %zu "
                                "inputs; the interpreter has none on %zu of "
                                "them",
                                sig->params[k].name, n, whole);
    }
    return NULL;
}

/* What is wrong with element e. */
static const char *tell(const struct output *o, size_t e, struct arena *arena)
{
    struct dtype type = dtype_scalar(o->want->dtype);
    struct buf text = {0};
    if (all_nan(o->have)) {
        buf_printf(&text, "every element of %s is NaN", o->name);
    } else {
        buf_puts(&text, o->name);
        interp_put_index(&text, o->want, e);
        buf_puts(&text, " is ");
        num_put(&text, type, interp_tensor_get(o->have, e));
        buf_puts(&text, ", expected ");
        num_put(&text, type, interp_tensor_get(o->want, e));
    }
    buf_printf(&text, " (%s: no operation rounds)", o->sample->label);
    const char *kept = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return kept;
}

bool diff_find_differing(const struct diff_target *target,
                         const struct interp_tensor *want,
                         const struct interp_tensor *have, bool exact,
                         size_t *element)
{
    struct dtype type = dtype_scalar(want->dtype);
    unsigned not = INTERP_SKIPPED | (exact ? INTERP_INEXACT : 0u);
    for (size_t e = 0; e < want->elements; e++) {
        unsigned state = want->state[e];
        if ((state & INTERP_DEFINED) && !(state & not ) &&
            !diff_same_on(target, type, interp_tensor_get(want, e),
                          interp_tensor_get(have, e))) {
            *element = e;
            return true;
        }
    }
    return false;
}

const char *diff_find_wrong(const struct diff_measurement *m,
                            const struct diff_measured *t, size_t side)
{
    for (size_t i = 0; i < m->nsamples; i++) {
        const struct diff_sample *s = &m->samples[i];
        const struct interp_signature *sig = &s->c->sig[side];
        if (!t->used[i] || (s->recipe.fill != INTERP_FILL_EXACT && !s->given) ||
            s->control_inexact[side])
            continue;
        for (size_t k = 0; k < sig->nparams; k++) {
            struct output o = {s, sig->params[k].name,
                               s->want[side].args[k].tensor,
                               t->have[side][i].args[k].tensor};
            size_t e;
            if (o.want && sig->params[k].stored &&
                diff_find_differing(t->choice->arithmetic, o.want, o.have, true,
                                    &e))
                return tell(&o, e, t->arena);
        }
    }
    return NULL;
}

/* A kernel that is not there says nothing. */
static int rank(const struct report_kernel *k)
{
    return k->outcome == REPORT_SKIPPED ? REPORT_NOUTCOMES : (int)k->outcome;
}

/* Says whose reason it is unless both have the same. */
void diff_sum_up(struct report_target *t, struct arena *arena)
{
    bool tuned = rank(&t->tuned) <= rank(&t->untuned);
    const struct report_kernel *worse = tuned ? &t->tuned : &t->untuned;
    const struct report_kernel *other = tuned ? &t->untuned : &t->tuned;
    bool alone = other->outcome == REPORT_SKIPPED && !other->reason;
    bool same =
        alone || (worse->outcome == other->outcome && worse->reason &&
                  other->reason && strcmp(worse->reason, other->reason) == 0);
    t->outcome = worse->outcome;
    t->reason = worse->reason && !same
                    ? arena_printf(arena, "%s module: %s",
                                   diff_side_name(tuned ? TUNED : UNTUNED),
                                   worse->reason)
                    : worse->reason;
    if (other->outcome == REPORT_SKIPPED && !t->reason && !alone)
        t->reason = arena_printf(arena, "%s module; of the other one %s",
                                 diff_side_name(tuned ? TUNED : UNTUNED),
                                 other->reason);
    t->hypothesis = worse->hypothesis;
}

/* ---- exit status ----------------------------------------------------------------- */

bool diff_is_drift(enum report_outcome outcome)
{
    return outcome == REPORT_EXPLAINED || outcome == REPORT_WITHIN_BOUND;
}

bool diff_is_outcome_finding(const struct diff_options *options,
                             enum report_outcome outcome)
{
    return options->outcome_finding[outcome] ||
           (options->drift_finding && diff_is_drift(outcome));
}

/* Nothing is known of the cause. */
static bool is_undecided(enum report_outcome outcome)
{
    return outcome == REPORT_ERROR || outcome == REPORT_WITHIN_BOUND;
}

static int exit_of(const struct diff_options *options, enum report_outcome o)
{
    if (diff_is_outcome_finding(options, o))
        return DIFF_EXIT_FINDING;
    return is_undecided(o) && !options->outcome_allowed[o] ? DIFF_EXIT_UNDECIDED
                                                           : DIFF_EXIT_NOTHING;
}

int diff_exit_of_targets(const struct diff_options *options,
                         const struct report_pair *pair)
{
    int status = DIFF_EXIT_NOTHING;
    for (size_t i = 0; i < pair->ntargets; i++)
        status = report_exit_worst(status,
                                   exit_of(options, pair->targets[i].outcome));
    return status;
}

const struct report_target *diff_find_target(const struct diff_options *options,
                                             const struct report_pair *pair,
                                             int status)
{
    const struct report_target *out = NULL;
    for (size_t i = 0; i < pair->ntargets; i++) {
        const struct report_target *t = &pair->targets[i];
        if (exit_of(options, t->outcome) == status &&
            (out == NULL || t->outcome < out->outcome))
            out = t;
    }
    return out;
}
