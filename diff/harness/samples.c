/* SPDX-License-Identifier: Apache-2.0
 *
 * What targets are run on, and what the interpreter makes of it.
 *
 * Exact inputs come first, where any difference is a fault; then such as show
 * rounding, the ends of the types, NaN and infinities; then such as no rounding
 * can hide a lost term on.
 */
#include "diff/harness/measure.h"

#include <math.h>
#include <string.h>

/* Symbolic sizes: so many of the choices of sizes are run. */
#define MAX_CASES 3u

/* ---- inputs ---------------------------------------------------------------------- */

struct plan {
    enum interp_fill fill;
    uint64_t seed; /* added to the first seed */
    bool realistic;
    enum diff_spice_kind spice;
    unsigned one_in, round;
};

#define GROWN(k)                                            \
    {                                                       \
        INTERP_FILL_UNIT, 11 + (k), false, DIFF_GROWN, 8, k \
    }
/* The first two for whatever takes long. With NaN and infinities few enough
 * for most elements, and enough for most. Each element is among those that
 * outgrow the others on one input: a term that is lost shows there. */
static const struct plan plans[] = {
    {INTERP_FILL_EXACT, 0, false, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_UNIT, 3, true, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_RANDOM, 1, true, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_EXACT, 2, false, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_BOUNDARY, 4, false, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_RANGE, 6, false, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_TINY, 8, false, DIFF_PLAIN, 0, 0},
    {INTERP_FILL_EXACT, 10, false, DIFF_NOT_FINITE, 6, 0},
    {INTERP_FILL_EXACT, 12, false, DIFF_NOT_FINITE, 32, 0},
    {INTERP_FILL_EXACT, 14, false, DIFF_NOT_FINITE, 128, 0},
    {INTERP_FILL_EXACT, 18, false, DIFF_ZEROS, 2, 0},
    {INTERP_FILL_RANDOM, 9, false, DIFF_SCALED, 1, 0},
    {INTERP_FILL_UNIT, 10, false, DIFF_OFFSET, 1, 0},
    GROWN(0),
    GROWN(1),
    GROWN(2),
    GROWN(3),
    GROWN(4),
    GROWN(5),
    GROWN(6),
    GROWN(7),
};
#undef GROWN
#define FEW_PLANS 2u
/* Plain interpreter steps of a kernel beyond which a target takes most of a
 * second for it: it gets the first inputs only. */
#define LONG_WORK 2e9

void diff_fini_sample(struct diff_sample *s)
{
    for (size_t side = 0; side < NSIDES; side++)
        diff_args_fini(&s->want[side]);
}

/* Runs one side in the interpreter; false with *why. */
static bool refer(struct diff_measurement *m, struct diff_sample *s,
                  size_t side, uint64_t max_steps, const char **why)
{
    const struct diff_pair *pair = m->pair;
    struct interp_options options = interp_default_options();
    struct diff_run run = {0};
    options.threads = pair->options->jobs;
    options.explicit_barriers = pair->options->explicit_barriers;
    options.demand = s->c->sliced ? s->c->demand : NULL;
    options.max_steps = max_steps;
    diff_make_args(s->c, side, &s->recipe, &run.args);
    diff_run_args(pair, &m->side[side], &options, &run);
    bool fine = run.result.fault == INTERP_OK;
    if (fine) {
        s->control_inexact[side] = run.result.control_inexact;
        m->atomics |= run.result.has_atomics;
        s->want[side] = run.args;
        memset(&run.args, 0, sizeof run.args);
    } else {
        m->faults |= interp_is_fault(run.result.fault);
        *why = arena_printf(
            pair->arena, "%s module: %s%s%s", diff_side_name(side),
            interp_fault_name(run.result.fault), run.result.message ? ": " : "",
            run.result.message ? run.result.message : "");
    }
    diff_run_fini(&run);
    return fine;
}

static bool refer_both(struct diff_measurement *m, struct diff_sample *s,
                       uint64_t max_steps, const char **why)
{
    return refer(m, s, UNTUNED, max_steps, why) &&
           refer(m, s, TUNED, max_steps, why);
}

/* What the interpreter makes of the sample in limit steps, sliced if need be;
 * false with *why. */
static bool refer_in(struct diff_measurement *m, struct diff_sample *s,
                     uint64_t limit, const char **why)
{
    struct diff_pair *pair = m->pair;
    bool fine = refer_both(m, s, limit, why);
    /* A slice leaves out what does not fit the budget, and no fault. */
    if (!fine && !s->c->sliced && !m->brief && !m->faults) {
        diff_fini_sample(s);
        diff_choose_samples(pair, s->c, pair->options->samples, false);
        s->c->sliced = true;
        fine = refer_both(m, s, limit, why);
    }
    if (!fine)
        diff_fini_sample(s);
    return fine;
}

/* What there is in it that some targets do not have. */
static void describe_given(struct diff_sample *s)
{
    struct diff_args in;
    diff_make_args(s->c, UNTUNED, &s->recipe, &in);
    s->finite = s->moderate = true;
    for (size_t i = 0; i < in.n; i++) {
        const struct interp_tensor *t = in.args[i].tensor;
        for (size_t e = 0; t && dtype_is_float(t->dtype) && e < t->elements;
             e++) {
            double x =
                num_to_double(dtype_scalar(t->dtype), interp_tensor_get(t, e));
            double size = fabs(x);
            s->finite = s->finite && size < HUGE_VAL;
            s->moderate =
                s->moderate && (x == 0 || (size >= 0x1p-12 && size <= 0x1p10));
            s->minus_zero = s->minus_zero || (x == 0 && signbit(x));
        }
    }
    diff_args_fini(&in);
}

/* The input that files give, of a case of its own: it may be run whole where
 * many inputs may not. */
static void add_given(struct diff_measurement *m, const char **why)
{
    struct diff_pair *pair = m->pair;
    struct diff_sample *s = &m->samples[m->nsamples];
    if (pair->given_case == SIZE_MAX || pair->given.nin == 0)
        return;
    uint64_t limit = pair->options->budget / NSIDES + 1;
    memset(s, 0, sizeof *s);
    s->c =
        arena_memdup(pair->arena, &pair->cases[pair->given_case], sizeof *s->c);
    s->given = true;
    s->label = "the input given";
    s->c->sliced = false;
    diff_find_ranges(pair, s->c);
    s->recipe = diff_given_recipe(pair);
    s->recipe.ranges = s->c->ranges;
    describe_given(s);
    if (s->c->whole > (double)limit) {
        diff_choose_samples(pair, s->c, pair->options->samples, false);
        s->c->sliced = true;
    }
    if (refer_in(m, s, limit, why))
        m->nsamples++;
}

/* The samples of one case; too long ones are sliced. */
static void add_samples(struct diff_measurement *m, struct diff_case *c,
                        size_t nplans, const char **why)
{
    struct diff_pair *pair = m->pair;
    uint64_t limit = pair->options->budget / (NSIDES * (nplans + 1)) + 1;
    c->sliced = false;
    if (c->whole > (double)limit) {
        diff_choose_samples(pair, c, pair->options->samples, false);
        c->sliced = true;
    }
    for (size_t i = 0; i < nplans; i++) {
        struct diff_sample *s = &m->samples[m->nsamples];
        memset(s, 0, sizeof *s);
        s->c = c;
        s->realistic = plans[i].realistic;
        s->recipe =
            (struct diff_recipe){.fill = plans[i].fill,
                                 .seed = pair->options->seed + plans[i].seed,
                                 .ranges = c->ranges,
                                 .spice = {.kind = plans[i].spice,
                                           .one_in = plans[i].one_in,
                                           .round = plans[i].round}};
        s->label = arena_printf(pair->arena, "%s, seed %llu%s",
                                interp_fill_name(plans[i].fill),
                                (unsigned long long)s->recipe.seed,
                                diff_spice_text(plans[i].spice));
        if (refer_in(m, s, limit, why))
            m->nsamples++;
    }
}

/* Whether some target wants more than the input that files give. */
static bool wants_more(const struct diff_harness *h)
{
    for (size_t i = 0; i < h->n; i++)
        if (!h->choices[i].recorded)
            return true;
    return false;
}

void diff_make_few_samples(struct diff_measurement *m, struct diff_case *c,
                           const char **why)
{
    m->samples = ARENA_ARRAY(m->pair->arena, FEW_PLANS + 1, struct diff_sample);
    add_samples(m, c, FEW_PLANS, why);
}

void diff_make_samples(struct diff_measurement *m, const char **why)
{
    struct diff_pair *pair = m->pair;
    struct diag_sink *sink = diag_sink_new();
    if (pair->ncases == 0 && diff_plan_cases(pair, sink, why) != DIFF_PLAN_OK) {
        if (!*why)
            *why = "the parameters cannot be bound";
        pair->ncases = 0;
    }
    diag_sink_free(sink);
    m->samples = ARENA_ARRAY(pair->arena, MAX_CASES * DC_ARRAY_LEN(plans) + 2,
                             struct diff_sample);
    add_given(m, why);
    bool more = wants_more(m->harness);
    for (size_t i = 0; more && i < pair->ncases && i < MAX_CASES; i++) {
        struct diff_case *c = &pair->cases[i];
        bool large =
            c->whole > (double)pair->full_limit / 2 || c->work > LONG_WORK;
        diff_find_ranges(pair, c);
        add_samples(m, c, large || i > 0 ? FEW_PLANS : DC_ARRAY_LEN(plans),
                    why);
    }
}
