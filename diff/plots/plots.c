/* SPDX-License-Identifier: Apache-2.0
 *
 * Which input is drawn, and what is said where none is: that of the finding; of
 * verdicts that keyed runs and proofs give one is looked for on which bits
 * differ. Both sides run on it in the numbers of the machine, and once more with
 * error bounds.
 */
#include "diff/plots/plots.h"

#include <string.h>

/* Runs with bounds are slow: where the whole takes more, a sample is run. */
#define BOUND_STEPS   ((uint64_t)60000000)
#define BOUND_SAMPLES 64u

bool plots_wanted(const struct diff_options *options)
{
    for (size_t i = 0; i < options->nformats; i++)
        if (options->formats[i].writer->plots)
            return true;
    return false;
}

void plots_fill_environment(struct report *report)
{
    struct buf solver = {0};
    verifier_put_solver(&solver);
    report_add(report, &report->environment, "diffcheck %s", DC_VERSION);
    report_add(report, &report->environment, "%s", buf_text(&solver));
    buf_fini(&solver);
}

static void say_all(struct report_plots *out, const char *why)
{
    for (int i = 0; i < REPORT_NPLOTS; i++)
        if (out->why[i] == NULL)
            out->why[i] = why;
}

/* NULL, or why there is no input to draw. */
static const char *choose(struct diff_pair *pair, struct diff_finding *f,
                          struct diff_case *c)
{
    const struct report_pair *p = pair->out;
    *f = pair->found;
    *c = pair->found_case;
    switch (p->verdict) {
    case REPORT_IDENTICAL:
        return "both sides give the same bits: nothing differs";
    case REPORT_UNSAFE:
    case REPORT_DIFFERENT:
        if (f->kind == DIFF_NOTHING)
            return "the verdict needed no run, so there are no numbers";
        if (f->kind == DIFF_FAULT)
            return "the tuned module faults on this input and leaves no output";
        return NULL;
    case REPORT_UNKNOWN:
    case REPORT_PRECISION:
    case REPORT_AGREES:
    case REPORT_ALGEBRAIC:
    case REPORT_ORDER_ONLY:
    case REPORT_NVERDICTS: break;
    }
    if (pair->ncases == 0)
        return "no input could be made for this pair";
    /* an unknown pair has taken what it may: no more is looked for */
    if ((p->verdict == REPORT_UNKNOWN && !pair->tally.have_rounding) ||
        !diff_find_rounding(pair, f))
        return "no input was found on which bits differ";
    *c = pair->cases[f->case_index];
    return NULL;
}

/* False: a run gave no outputs, or other ones; *why then is set. */
static bool run_both(struct diff_pair *pair, struct plots_shown *x,
                     enum interp_domain_kind domain, uint64_t steps,
                     const char **why)
{
    size_t at;
    for (size_t side = 0; side < NSIDES; side++) {
        pair->steps_left = steps;
        diff_run(pair, x->c, side, &x->finding.recipe, domain, NULL,
                 &x->runs[side]);
        if (x->runs[side].result.fault != INTERP_OK) {
            *why = arena_printf(pair->arena,
                                "the run of the %s module gave no output: %s",
                                diff_side_name(side),
                                interp_fault_name(x->runs[side].result.fault));
            return false;
        }
    }
    if (diff_same_outputs(x->runs, &at) &&
        x->finding.output < x->runs[UNTUNED].noutputs &&
        x->runs[UNTUNED].outputs[x->finding.output] != NULL &&
        x->finding.element <
            x->runs[UNTUNED].outputs[x->finding.output]->elements)
        return true;
    *why = "the sides have outputs of other types or shapes";
    return false;
}

static void fini_both(struct plots_shown *x)
{
    diff_run_fini(&x->runs[UNTUNED]);
    diff_run_fini(&x->runs[TUNED]);
}

static void name_all(struct diff_pair *pair, const struct plots_shown *x,
                     struct report_plots *out)
{
    const struct interp_tensor *t = x->runs[UNTUNED].outputs[x->finding.output];
    const struct report_witness *w = pair->out->witness;
    struct buf text = {0};
    char type[48];
    bool given = w != NULL && w->smallest != NULL;
    out->output = arena_strdup(pair->arena,
                               diff_output_name(pair, x->c, x->finding.output));
    out->dtype =
        arena_strdup(pair->arena, dtype_name(dtype_scalar(t->dtype), type));
    buf_puts(&text, out->output);
    interp_put_index(&text, t, x->finding.element);
    out->element = arena_strdup(pair->arena, buf_text(&text));
    text.len = 0;
    if (given)
        buf_puts(&text, w->smallest);
    else
        buf_printf(&text, "%s, seed %llu",
                   w != NULL && w->input != NULL
                       ? w->input
                       : interp_fill_name(x->finding.recipe.fill),
                   (unsigned long long)x->finding.recipe.seed);
    out->input = arena_strdup(pair->arena, buf_text(&text));
    buf_fini(&text);
}

/* The whole where it is small, else elements from all over the outputs. */
static bool run_bounds(struct diff_pair *pair, struct plots_shown *bounds,
                       struct diff_case *some, const char **why)
{
    uint64_t budget = pair->options->budget;
    uint64_t steps = budget < BOUND_STEPS ? budget : BOUND_STEPS;
    if (some->work < (double)steps / 2 || some->sliced || pair->relax)
        return run_both(pair, bounds, INTERP_BOUND, steps, why);
    diff_choose_samples(pair, some, BOUND_SAMPLES, false);
    some->sliced = true;
    some->mode = DIFF_SLICED;
    return run_both(pair, bounds, INTERP_BOUND, steps, why);
}

static void put_bound(struct diff_pair *pair, const struct plots_shown *x,
                      struct report_plots *out)
{
    struct diff_case some = *x->c;
    struct plots_shown bounds = {.c = &some, .finding = x->finding};
    const struct interp_tensor *t = x->runs[UNTUNED].outputs[x->finding.output];
    if (!dtype_is_float(dtype_scalar(t->dtype))) {
        out->why[REPORT_PLOT_BOUND] = "no operation on this type rounds";
        return;
    }
    if (run_bounds(pair, &bounds, &some, &out->why[REPORT_PLOT_BOUND]))
        plots_put_bound(&bounds, pair->arena, out);
    fini_both(&bounds);
}

static void put_numbers(struct diff_pair *pair, struct report_plots *out)
{
    struct plots_shown x = {0};
    struct diff_case c;
    const char *why = choose(pair, &x.finding, &c);
    if (why != NULL) {
        say_all(out, why);
        return;
    }
    x.c = &c;
    if (run_both(pair, &x, INTERP_IEEE, pair->options->budget, &why)) {
        name_all(pair, &x, out);
        plots_put_differences(&x, pair->arena, out);
        put_bound(pair, &x, out);
        plots_put_reduction(pair, &x, out);
    } else {
        say_all(out, why);
    }
    fini_both(&x);
}

void plots_fill(struct diff_pair *pair, struct plots_files *files)
{
    struct report_plots *out = ARENA_NEW(pair->arena, struct report_plots);
    uint64_t steps = pair->steps, left = pair->steps_left;
    put_numbers(pair, out);
    if (pair->out->witness != NULL && pair->out->witness->fault != NULL)
        plots_put_barriers(pair, out);
    pair->steps = steps; /* what the verdict took */
    pair->steps_left = left;
    pair->out->plots = out;
    plots_put_sources(pair, files);
}
