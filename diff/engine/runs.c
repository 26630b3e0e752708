/* SPDX-License-Identifier: Apache-2.0
 *
 * Running one input on both sides.
 *
 * The untuned module runs first: an input on which it faults says nothing
 * about the tuned one. A run that is expected to pass the limit, or does, is
 * replaced by runs that compute sampled elements only, and these, where they
 * do not help (a GPU kernel whose threads all meet), by whole runs on fewer
 * inputs. Every step is taken from the budget of the pair.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"

#include <string.h>

/* What files give is as it is, and was looked at when it was read. */
static bool make_properties(const struct diff_case *c,
                            const struct diff_recipe *recipe,
                            struct diff_args *args)
{
    size_t n = c->sig[UNTUNED].nparams;
    if (!recipe->given || !c->properties)
        return diff_properties_make(args, c->properties, recipe->ranges);
    unsigned *kinds = dc_alloc((n + 1) * sizeof *kinds);
    for (size_t i = 0; i < n; i++)
        kinds[i] = recipe->given[i] ? 0 : c->properties[i];
    bool fine = diff_properties_make(args, kinds, recipe->ranges);
    dc_release(kinds);
    return fine;
}

/* False: no input of these sizes and ranges is what is assumed of it. */
static bool make_args(const struct diff_case *c, size_t side,
                      const struct diff_recipe *recipe, bool boxes,
                      struct diff_args *out)
{
    struct diff_args base;
    diff_args_make(&base, &c->sig[UNTUNED], c->symbols[UNTUNED],
                   c->nsymbols[UNTUNED], recipe);
    bool fine = make_properties(c, recipe, &base);
    if (boxes)
        diff_args_to_boxes(&base);
    if (side == UNTUNED) {
        *out = base;
        return fine;
    }
    diff_args_copy(out, &c->sig[side], &base);
    diff_args_fini(&base);
    return fine;
}

void diff_make_args(const struct diff_case *c, size_t side,
                    const struct diff_recipe *recipe, struct diff_args *out)
{
    (void)make_args(c, side, recipe, false, out);
}

/* Steps that a run may take when so many are left. */
static uint64_t run_limit(const struct diff_pair *pair,
                          const struct diff_case *c, uint64_t left)
{
    uint64_t limit = left / 2;
    switch (c->mode) {
    case DIFF_WHOLE: limit = pair->full_limit; break;
    case DIFF_SLICED:
    case DIFF_CLUSTER: limit = pair->full_limit / 2; break;
    case DIFF_LONG:
    case DIFF_PATIENT:
    case DIFF_HOPELESS: break;
    }
    if (limit > left)
        limit = left;
    return limit > 0 ? limit : 1; /* 0 would mean no limit */
}

void diff_run_args(const struct diff_pair *pair, const struct diff_side *side,
                   const struct interp_options *options, struct diff_run *run)
{
    size_t n = run->args.n;
    run->relax = pair->relax;
    if (pair->relax) {
        run->result =
            interp_run_relax(side->module, side->func, n, run->args.args,
                             options, &run->outputs, &run->noutputs);
        return;
    }
    run->result =
        interp_run(side->module, side->func, n, run->args.args, options);
    run->noutputs = n;
    run->outputs = dc_alloc((n + 1) * sizeof(struct interp_tensor *));
    for (size_t i = 0; i < n; i++)
        run->outputs[i] = run->args.args[i].tensor;
}

/* One run, as long as the steps that are left allow; takes none of them. */
static void run_side(const struct diff_pair *pair, const struct diff_case *c,
                     size_t side, const struct diff_recipe *recipe,
                     enum interp_domain_kind domain, const struct diff_ask *ask,
                     unsigned threads, struct diff_run *out)
{
    struct interp_options options = interp_default_options();
    memset(out, 0, sizeof *out);
    options.domain = domain;
    options.terms = ask->terms;
    options.formula = ask->formula;
    options.watch = ask->watch;
    options.threads = threads;
    options.explicit_barriers = pair->options->explicit_barriers;
    options.descending = recipe->descending;
    options.demand = c->sliced ? c->demand : NULL;
    options.max_steps = run_limit(pair, c, pair->steps_left);
    if (make_args(c, side, recipe, domain == INTERP_INTERVAL, &out->args)) {
        diff_run_args(pair, &pair->side[side], &options, out);
        return;
    }
    out->result.fault = INTERP_BAD_ARGS;
    struct buf why = {0};
    buf_puts(&why, "no input of this size is as assumed");
    out->result.message = why.data;
}

/* Beside steps, of which the plain interpreter makes more in the same time. */
#define RUN_WORK     300u
#define ELEMENT_WORK 4u  /* as many elements are made in a step */
#define SHARE        16u /* of the usual work, that extra inputs may take */

static void take_steps(struct diff_pair *pair, const struct diff_case *c,
                       uint64_t steps)
{
    pair->steps_left -= steps < pair->steps_left ? steps : pair->steps_left;
    pair->steps += steps;
    pair->work += steps / 2 + c->elements / ELEMENT_WORK + RUN_WORK;
}

uint64_t diff_hold_back(struct diff_pair *pair, uint64_t most)
{
    uint64_t work = most > pair->work ? most - pair->work : 0;
    uint64_t steps = 2 * work + 1, left = pair->steps_left;
    if (steps < left)
        pair->steps_left = steps;
    return left - pair->steps_left;
}

uint64_t diff_allow(const struct diff_pair *pair, uint64_t little)
{
    return pair->work + little + pair->usual_work / SHARE;
}

void diff_run_asking(struct diff_pair *pair, const struct diff_case *c,
                     size_t side, const struct diff_recipe *recipe,
                     enum interp_domain_kind domain, const struct diff_ask *ask,
                     struct diff_run *out)
{
    run_side(pair, c, side, recipe, domain, ask, pair->options->jobs, out);
    take_steps(pair, c, out->result.steps);
}

void diff_run(struct diff_pair *pair, const struct diff_case *c, size_t side,
              const struct diff_recipe *recipe, enum interp_domain_kind domain,
              struct interp_terms *terms, struct diff_run *out)
{
    struct diff_ask ask = {.terms = terms};
    diff_run_asking(pair, c, side, recipe, domain, &ask, out);
}

void diff_run_fini(struct diff_run *run)
{
    for (size_t i = 0; run->relax && i < run->noutputs; i++)
        interp_tensor_free(run->outputs[i]);
    dc_release(run->outputs);
    diff_args_fini(&run->args);
    interp_result_fini(&run->result);
    memset(run, 0, sizeof *run);
}

/* ---- one input -------------------------------------------------------------------- */

static const char *reason_of(struct diff_pair *pair, size_t side,
                             const struct interp_result *r)
{
    return arena_printf(pair->arena, "%s module: %s%s%s", diff_side_name(side),
                        interp_fault_name(r->fault), r->message ? ": " : "",
                        r->message ? r->message : "");
}

static void note_result(struct diff_pair *pair, size_t side,
                        const struct interp_result *r)
{
    diff_note_implied(pair, side, r);
    pair->tally.data_dependent |= r->data_dependent;
    pair->tally.atomics |= r->has_atomics;
    pair->tally.order_open |= r->order_open;
}

/* Keeps what a run that gave no outputs said. True: go on to the next side. */
static bool usable(struct diff_pair *pair, size_t side,
                   const struct interp_result *r)
{
    struct diff_tally *tally = &pair->tally;
    if (r->fault == INTERP_OK) {
        note_result(pair, side, r);
        return true;
    }
    if (side == UNTUNED &&
        (interp_is_fault(r->fault) || r->fault == INTERP_BAD_ARGS)) {
        tally->inadmissible++;
        if (!tally->fault)
            tally->fault = reason_of(pair, side, r);
    } else if (!tally->unfinished) {
        tally->unfinished = reason_of(pair, side, r);
    }
    return false;
}

/* Keeps where the untuned module leaves an output undefined. */
static bool is_outside(struct diff_pair *pair, const struct diff_case *c,
                       const struct diff_run *untuned)
{
    struct diff_tally *tally = &pair->tally;
    struct buf text = {0};
    size_t output, element;
    if (!diff_leaves_undefined(c, untuned, &output, &element))
        return false;
    if (!tally->fault) {
        interp_put_index(&text, untuned->outputs[output], element);
        tally->fault =
            arena_printf(pair->arena, "untuned module: %s%s is undefined",
                         diff_output_name(pair, c, output), buf_text(&text));
    }
    buf_fini(&text);
    return true;
}

/* Below so many steps a run is over before another thread has begun. */
#define WORTH_A_THREAD 50000

struct both {
    const struct diff_pair *pair;
    const struct diff_case *c;
    const struct diff_recipe *recipe;
    enum interp_domain_kind domain;
    struct diff_run *runs;
};

static void run_one_of(void *user, unsigned side)
{
    const struct both *b = user;
    struct diff_ask ask = {0};
    run_side(b->pair, b->c, side, b->recipe, b->domain, &ask,
             diff_share_of_jobs(b->pair), &b->runs[side]);
    if (side != UNTUNED)
        num_release_caches();
}

/* Whether a run that was begun with so many steps left is what a run begun now
 * would be: the limit is the same or was not reached. */
static bool still_valid(const struct diff_pair *pair, const struct diff_case *c,
                        uint64_t left, const struct diff_run *run)
{
    uint64_t then = run_limit(pair, c, left);
    uint64_t now = run_limit(pair, c, pair->steps_left);
    return then == now || run->result.steps <= now;
}

unsigned diff_share_of_jobs(const struct diff_pair *pair)
{
    return pair->options->jobs / NSIDES > 1 ? pair->options->jobs / NSIDES : 1;
}

bool diff_run_together(const struct diff_pair *pair, double work)
{
    return pair->options->jobs > 1 && work >= WORTH_A_THREAD;
}

/* As the fill has it. */
static bool is_plain(const struct diff_recipe *recipe)
{
    return recipe->spike == DIFF_NO_SPIKE && recipe->spice.kind == DIFF_PLAIN &&
           recipe->given == NULL;
}

/* Runs both sides; false when one of them gave no outputs. *over is set when
 * a run used up its steps: the case then should be sliced. */
static bool run_both(struct diff_pair *pair, size_t case_index,
                     const struct diff_recipe *recipe,
                     enum interp_domain_kind domain,
                     struct diff_run runs[NSIDES], struct diff_finding *finding,
                     bool *over)
{
    const struct diff_case *c = &pair->cases[case_index];
    uint64_t left = pair->steps_left;
    struct both both = {pair, c, recipe, domain, runs};
    bool together = diff_run_together(pair, c->work);
    *over = false;
    memset(runs, 0, NSIDES * sizeof *runs);
    if (together)
        dc_parallel(NSIDES, run_one_of, &both);
    for (size_t side = 0; side < NSIDES; side++) {
        if (together && still_valid(pair, c, left, &runs[side])) {
            take_steps(pair, c, runs[side].result.steps);
        } else {
            diff_run_fini(&runs[side]);
            diff_run(pair, c, side, recipe, domain, NULL, &runs[side]);
        }
        const struct interp_result *r = &runs[side].result;
        if (r->fault == INTERP_BUDGET) {
            *over = true;
            return false;
        }
        if (side == TUNED && domain == INTERP_IEEE &&
            interp_is_fault(r->fault)) {
            finding->kind = DIFF_FAULT;
            finding->fault = r->fault;
            finding->case_index = case_index;
            finding->recipe = *recipe;
            finding->domain = domain;
            finding->outside = is_outside(pair, c, &runs[UNTUNED]);
            return false;
        }
        if (domain == INTERP_INTERVAL && r->fault != INTERP_OK) {
            if (!pair->tally.no_interval)
                pair->tally.no_interval = reason_of(pair, side, r);
            return false;
        }
        if (!usable(pair, side, r)) {
            if (side == UNTUNED && interp_is_fault(r->fault) &&
                domain == INTERP_IEEE && is_plain(recipe) &&
                !pair->tally.have_refused) {
                pair->tally.have_refused = true;
                pair->tally.refused_case = case_index;
                pair->tally.refused_recipe = *recipe;
            }
            return false;
        }
    }
    return true;
}

static void fini_both(struct diff_run runs[NSIDES])
{
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
}

#define FEW_SAMPLES 8u
/* An estimate may be too high by guarded work; beyond this many times what is
 * left, a whole run is not tried. */
#define LONG_AT_MOST 4

static enum diff_mode next_mode(const struct diff_pair *pair,
                                const struct diff_case *c)
{
    bool worth = c->whole < LONG_AT_MOST * (double)pair->steps_left;
    switch (c->mode) {
    case DIFF_WHOLE:
        if (!pair->relax)
            return DIFF_SLICED;
        return worth ? DIFF_LONG : DIFF_HOPELESS;
    case DIFF_SLICED:
        return c->samples > FEW_SAMPLES ? DIFF_SLICED : DIFF_CLUSTER;
    case DIFF_CLUSTER: return worth ? DIFF_LONG : DIFF_PATIENT;
    case DIFF_LONG:
    case DIFF_PATIENT:
    case DIFF_HOPELESS: break;
    }
    return DIFF_HOPELESS;
}

bool diff_fall_back(struct diff_pair *pair, struct diff_case *c)
{
    enum diff_mode mode = next_mode(pair, c);
    bool cluster = mode == DIFF_CLUSTER || mode == DIFF_PATIENT;
    if (cluster || (mode == DIFF_SLICED && c->mode == DIFF_SLICED))
        diff_choose_samples(pair, c, FEW_SAMPLES, cluster);
    else if (mode == DIFF_SLICED)
        diff_choose_samples(pair, c, pair->options->samples, false);
    c->mode = mode;
    c->sliced = cluster || mode == DIFF_SLICED;
    return mode != DIFF_HOPELESS;
}

static void out_of_steps(struct diff_pair *pair, const struct diff_case *c)
{
    if (pair->tally.unfinished)
        return;
    pair->tally.unfinished = arena_printf(
        pair->arena,
        "the budget of %llu steps is used up (one run takes about %.0f); "
        "raise it with '--budget'",
        (unsigned long long)pair->options->budget, c->whole);
}

static struct diff_finding found(const struct diff_judgement *j,
                                 size_t case_index,
                                 const struct diff_recipe *recipe,
                                 enum interp_domain_kind domain)
{
    struct diff_finding finding = {.kind = j->kind,
                                   .case_index = case_index,
                                   .recipe = *recipe,
                                   .output = j->output,
                                   .element = j->element,
                                   .domain = domain};
    return finding;
}

/* Element k of the place in these outputs; false when it is none. */
static bool element_at(const struct diff_place *place, size_t k,
                       const struct diff_run *run, size_t *out)
{
    size_t element = 0;
    const int64_t *index = place->index + k * place->nindex;
    if (place->output >= run->noutputs || run->outputs[place->output] == NULL)
        return false;
    const struct interp_tensor *t = run->outputs[place->output];
    if (t->rank != place->nindex || t->dtype.lanes != 1)
        return false;
    for (size_t d = 0; d < t->rank; d++) {
        if (index[d] < 0 || index[d] >= t->shape[d])
            return false;
        element = element * (size_t)t->shape[d] + (size_t)index[d];
    }
    *out = element;
    return true;
}

/* Of the elements that differ, those that were pointed at go first. boxes: by
 * enclosures. */
static void look_at_place(const struct diff_pair *pair,
                          const struct diff_run runs[NSIDES], bool boxes,
                          bool nonzero_input, struct diff_finding *f)
{
    const struct diff_place *place = pair->place;
    size_t element;
    for (size_t k = 0; place && f->kind != DIFF_NOTHING && k < place->n; k++) {
        if (!element_at(place, k, &runs[UNTUNED], &element))
            continue;
        enum diff_finding_kind kind =
            !boxes ? diff_judge_one(runs, nonzero_input, place->output, element)
            : diff_boxes_apart(runs, place->output, element) ? DIFF_ENCLOSURE
                                                             : DIFF_NOTHING;
        if (kind == DIFF_NOTHING)
            continue;
        f->worse = diff_is_unsafe(f->kind) && !diff_is_unsafe(kind);
        if (f->worse)
            continue;
        f->pointed = k + 1;
        f->first = f->output == place->output && f->element == element;
        f->kind = kind;
        f->output = place->output;
        f->element = element;
        return;
    }
}

static struct diff_finding try_boxes(struct diff_pair *pair, size_t case_index,
                                     const struct diff_recipe *recipe,
                                     struct diff_judgement *bits)
{
    struct diff_finding finding = {0};
    struct diff_run runs[NSIDES];
    struct diff_case *c = &pair->cases[case_index], kept = *c;
    bool over;
    /* enclosures of everything may take too long where numbers do not */
    if (!c->sliced && !pair->relax && c->work > (double)pair->full_limit) {
        diff_choose_samples(pair, c, pair->options->samples, false);
        c->sliced = true;
        c->mode = DIFF_SLICED;
    }
    if (run_both(pair, case_index, recipe, INTERP_INTERVAL, runs, &finding,
                 &over)) {
        struct diff_judgement j = diff_judge_boxes(
            &pair->tally, &pair->cases[case_index], runs, bits);
        bits->unexplained = j.unexplained;
        finding = found(&j, case_index, recipe, INTERP_INTERVAL);
        look_at_place(pair, runs, true, false, &finding);
    } else if (over && !pair->tally.no_interval) {
        pair->tally.no_interval = "the budget is used up";
    }
    fini_both(runs);
    if (finding.kind == DIFF_NOTHING && !kept.sliced && c->sliced) {
        kept.boxed = c->samples;
        kept.outputs = c->outputs;
        *c = kept; /* a finding is replayed as it was found */
    }
    return finding;
}

/* Enclosures that show something. */
static uint64_t bounded_enclosures(const struct diff_tally *tally)
{
    return tally->enclosed - tally->unbounded;
}

/* Whether the enclosures of this input are worth their time: always while it
 * is cheap; else where bits differ by rounding, which they must judge. */
static bool wants_boxes(const struct diff_pair *pair, const struct diff_case *c,
                        const struct diff_judgement *j)
{
    if (!j->inexact)
        return false;
    return j->rounding || c->sliced || c->work * 8 < (double)pair->full_limit;
}

/* Runs in easier and easier modes until the steps last. False
 * when no run finished. */
static bool run_within_budget(struct diff_pair *pair, size_t case_index,
                              const struct diff_recipe *recipe,
                              struct diff_run runs[NSIDES],
                              struct diff_finding *finding)
{
    struct diff_case *c = &pair->cases[case_index];
    for (;;) {
        bool over;
        if (run_both(pair, case_index, recipe, INTERP_IEEE, runs, finding,
                     &over))
            return true;
        fini_both(runs);
        if (!over)
            return false;
        if (pair->steps_left == 0 || !diff_fall_back(pair, c)) {
            out_of_steps(pair, c);
            return false;
        }
    }
}

/* Keeps the first rounding difference: its terms tell about the order. */
static void note_rounding(struct diff_tally *tally, size_t case_index,
                          const struct diff_recipe *recipe,
                          const struct diff_judgement *j)
{
    if (!j->rounding || tally->have_rounding)
        return;
    tally->have_rounding = true;
    tally->rounding_case = case_index;
    tally->rounding_output = j->output;
    tally->rounding_element = j->element;
    tally->rounding_recipe = *recipe;
}

/* The same for NaN or infinity on one side alone. */
static void note_sided(struct diff_tally *tally, size_t case_index,
                       const struct diff_recipe *recipe,
                       const struct diff_judgement *j)
{
    for (size_t k = 0; k < j->nsided && !tally->have_sided; k++) {
        tally->have_sided = j->sided[k].finite;
        tally->sided_case = case_index;
        tally->sided_output = j->sided[k].output;
        tally->sided_element = j->sided[k].element;
        tally->sided_recipe = *recipe;
    }
}

/* Inputs whose sums and products stay far from overflow. On others, overflow
 * explains a one-sided infinity unless the real result has no bounds. */
static bool is_moderate(const struct diff_recipe *recipe)
{
    return is_plain(recipe) && (recipe->fill == INTERP_FILL_EXACT ||
                                recipe->fill == INTERP_FILL_RANDOM ||
                                recipe->fill == INTERP_FILL_UNIT);
}

/* A slice does not make the accesses of other elements, so the untuned module
 * may fault on an input on which its slice does not. */
bool diff_is_admissible(struct diff_pair *pair, size_t case_index,
                        const struct diff_recipe *recipe)
{
    struct diff_case *c = &pair->cases[case_index], whole = *c;
    struct diff_tally *tally = &pair->tally;
    struct diff_run run;
    if (!c->sliced || (!c->ranged && c->nsymbols[UNTUNED] == 0 &&
                       recipe->spice.kind == DIFF_PLAIN))
        return true;
    whole.sliced = false;
    whole.mode = DIFF_LONG;
    diff_run(pair, &whole, UNTUNED, recipe, INTERP_IEEE, NULL, &run);
    bool fine =
        usable(pair, UNTUNED, &run.result) && !is_outside(pair, &whole, &run);
    if (run.result.fault == INTERP_BUDGET)
        tally->unfinished = "a finding in samples was not confirmed: the "
                            "budget does not last for all of the untuned "
                            "module on that input";
    diff_run_fini(&run);
    return fine;
}

/* Keeps the first element that may be undefined by the order of terms alone. */
static void note_overflow(struct diff_pair *pair, size_t case_index,
                          const struct diff_recipe *recipe,
                          struct diff_run runs[NSIDES])
{
    struct diff_finding first;
    uint64_t n = diff_skip_overflow(pair, case_index, recipe, runs, &first);
    pair->tally.overflowed += n;
    if (n > 0 && pair->overflow.kind == DIFF_NOTHING && is_plain(recipe))
        pair->overflow = first;
}

static struct diff_finding try_input(struct diff_pair *pair, size_t case_index,
                                     const struct diff_recipe *recipe)
{
    struct diff_case *c = &pair->cases[case_index];
    struct diff_tally *tally = &pair->tally;
    struct diff_finding finding = {0};
    struct diff_run runs[NSIDES];
    if (pair->steps_left == 0 || c->mode == DIFF_HOPELESS) {
        out_of_steps(pair, c);
        return finding;
    }
    if (!run_within_budget(pair, case_index, recipe, runs, &finding))
        return finding;
    bool nonzero = recipe->fill == INTERP_FILL_EXACT && is_plain(recipe);
    bool unsettled = runs[UNTUNED].result.has_atomics &&
                     diff_skip_unsettled(pair, c, recipe, &runs[UNTUNED]);
    bool outside = is_outside(pair, c, &runs[UNTUNED]);
    if (!outside)
        note_overflow(pair, case_index, recipe, runs);
    struct diff_judgement j = diff_judge_bits(tally, c, runs, nonzero);
    finding = found(&j, case_index, recipe, INTERP_IEEE);
    if (pair->faults_only && !diff_is_unsafe(finding.kind))
        finding.kind = DIFF_NOTHING;
    look_at_place(pair, runs, false, nonzero, &finding);
    if (finding.kind == DIFF_NOTHING && runs[TUNED].result.has_atomics)
        finding =
            diff_try_other_order(pair, case_index, recipe, &runs[UNTUNED]);
    finding.outside = outside;
    fini_both(runs);
    if (recipe->given)
        tally->given++;
    else if (recipe->spice.kind != DIFF_PLAIN)
        tally->corners++;
    else if (recipe->spike != DIFF_NO_SPIKE)
        tally->spikes++;
    else
        tally->inputs[recipe->fill]++;
    c->judged++;
    if (c->sliced && (c->fewest == 0 || c->samples < c->fewest))
        c->fewest = c->samples;
    if (finding.kind != DIFF_NOTHING || pair->faults_only)
        return finding;
    note_rounding(tally, case_index, recipe, &j);
    note_sided(tally, case_index, recipe, &j);
    uint64_t before = bounded_enclosures(tally);
    if (!unsettled && wants_boxes(pair, c, &j))
        finding = try_boxes(pair, case_index, recipe, &j);
    finding.outside = outside;
    if (j.rounding && bounded_enclosures(tally) == before)
        tally->undecided_diff++;
    if (j.unexplained || (j.nsided > 0 && is_moderate(recipe)))
        tally->unexplained++;
    return finding;
}

/* So many inputs of a pair are made such that they count. */
#define MAX_ADMITTED 4

/* The usual inputs. Of others, what the untuned module does not bear is taken
 * back where they are made (corners.c). */
static struct diff_finding try_admitted(struct diff_pair *pair,
                                        size_t case_index,
                                        const struct diff_recipe *recipe)
{
    struct diff_recipe admitted = *recipe;
    struct diff_finding none = {0};
    if (!is_plain(recipe) || pair->tally.inadmissible > MAX_ADMITTED ||
        !diff_admit(pair, case_index, &admitted))
        return none;
    struct diff_finding finding = try_input(pair, case_index, &admitted);
    finding.admitted = true;
    return finding.outside ? none : finding;
}

/* What an input shows on which the untuned module leaves an output undefined
 * is no finding; what it does not show is said of the other elements. */
struct diff_finding diff_try_input(struct diff_pair *pair, size_t case_index,
                                   const struct diff_recipe *recipe)
{
    struct diff_case *c = &pair->cases[case_index];
    struct diff_tally *tally = &pair->tally, before = *tally;
    uint64_t work = pair->work;
    size_t judged = c->judged;
    struct diff_finding finding = try_input(pair, case_index, recipe);
    if (pair->work - work > c->cost)
        c->cost = pair->work - work;
    if (finding.kind != DIFF_NOTHING && finding.outside) {
        before.fault = tally->fault;
        before.inadmissible++;
        *tally = before;
        c->judged = judged;
        finding = try_admitted(pair, case_index, recipe);
    }
    if (finding.kind != DIFF_NOTHING &&
        !diff_is_admissible(pair, case_index, &finding.recipe))
        finding.kind = DIFF_NOTHING;
    return finding;
}

struct diff_finding diff_try_extra(struct diff_pair *pair, size_t case_index,
                                   const struct diff_recipe *recipe)
{
    struct diff_case *c = &pair->cases[case_index];
    struct diff_tally *t = &pair->tally, before = *t;
    size_t judged = c->judged;
    struct diff_finding finding = diff_try_input(pair, case_index, recipe);
    bool settled = t->undecided_diff == before.undecided_diff &&
                   t->unexplained == before.unexplained &&
                   t->unfinished == before.unfinished &&
                   t->no_interval == before.no_interval;
    if (finding.kind != DIFF_NOTHING || settled)
        return finding;
    struct diff_tally after = *t;
    *t = before;
    c->judged = judged;
    t->one_sided = after.one_sided;
    t->overflowed = after.overflowed;
    t->inadmissible = after.inadmissible;
    if (after.have_sided && !before.have_sided) {
        t->have_sided = true;
        t->sided_case = after.sided_case;
        t->sided_output = after.sided_output;
        t->sided_element = after.sided_element;
        t->sided_recipe = after.sided_recipe;
    }
    return finding;
}
