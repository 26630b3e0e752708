/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict when no input has shown a finding, and everything a reader must
 * know to judge it: on how many inputs of which kinds, whether bits were equal
 * on rounding inputs, what the claim is restricted to and assumes.
 *
 * `agrees` needs, for every input judged, equal bits or overlapping
 * enclosures. Where bits differ by rounding and no enclosure could be had, or
 * where no run finished, the verdict is `unknown`: never a guess.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"
#include "diff/input/input.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static size_t judged(const struct diff_tally *tally)
{
    size_t n = tally->given;
    for (size_t i = 0; i < DC_ARRAY_LEN(tally->inputs); i++)
        n += tally->inputs[i];
    return n + tally->spikes + tally->corners;
}

bool diff_was_run(const struct diff_pair *pair)
{
    static const enum interp_fill usual[] = {
        INTERP_FILL_EXACT,    INTERP_FILL_RANDOM, INTERP_FILL_UNIT,
        INTERP_FILL_BOUNDARY, INTERP_FILL_RANGE,  INTERP_FILL_INDEX};
    for (size_t i = 0; i < DC_ARRAY_LEN(usual); i++)
        if (pair->tally.inputs[usual[i]] > 0)
            return true;
    return false;
}

/* "3 exact, 2 random, 1 unit" */
static void put_kinds(const struct diff_tally *tally, struct buf *out)
{
    bool first = tally->given == 0;
    if (tally->given > 0)
        buf_printf(out, "%zu given", tally->given);
    for (size_t i = 0; i < DC_ARRAY_LEN(tally->inputs); i++) {
        if (tally->inputs[i] == 0)
            continue;
        buf_printf(out, "%s%zu %s", first ? "" : ", ", tally->inputs[i],
                   interp_fill_name((enum interp_fill)i));
        first = false;
    }
    if (tally->corners > 0)
        buf_printf(out, "%s%zu with special values", first ? "" : ", ",
                   tally->corners);
    first = first && tally->corners == 0;
    if (tally->spikes > 0)
        buf_printf(out, "%s%zu with one element apart", first ? "" : ", ",
                   tally->spikes);
}

static const char *take(struct diff_pair *pair, struct buf *text)
{
    const char *out = arena_strdup(pair->arena, buf_text(text));
    buf_fini(text);
    return out;
}

static void give_unknown(struct diff_pair *pair, const char *reason)
{
    pair->out->verdict = REPORT_UNKNOWN;
    pair->out->evidence = REPORT_NO_EVIDENCE;
    pair->out->reason = reason;
}

static void put_rounding(struct diff_pair *pair, struct buf *text)
{
    const struct diff_tally *t = &pair->tally;
    if (t->differing == 0) {
        buf_puts(text, t->one_sided + t->overflowed + t->zero_signs == 0
                           ? "equal bits on all of them"
                           : "equal bits but for the warnings below");
        return;
    }
    buf_printf(text, "bits differ on %" PRIu64 " of %" PRIu64 " elements, by ",
               t->differing, t->elements);
    if (t->order_open)
        buf_puts(text, "rounding or the order of threads that rule 5 leaves "
                       "open");
    else
        buf_printf(text,
                   "rounding (at most %" PRIu64 " ulp), and enclosures overlap",
                   t->max_ulp);
    const char *order = diff_explain_rounding(pair);
    if (order)
        buf_printf(text, "; %s", order);
}

static void give_agrees(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    struct buf text = {0};
    size_t n = judged(t);
    pair->out->verdict = REPORT_AGREES;
    pair->out->evidence = REPORT_RUN;
    buf_printf(&text, "%zu input%s (", n, n == 1 ? "" : "s");
    put_kinds(t, &text);
    buf_puts(&text, "): ");
    put_rounding(pair, &text);
    pair->out->reason = take(pair, &text);
}

/* ---- fingerprints --------------------------------------------------------------- */

static const char *law_of(enum report_verdict verdict)
{
    switch ((int)verdict) {
    case REPORT_IDENTICAL: return "up to laws that hold bit for bit";
    case REPORT_ORDER_ONLY:
        return "up to the order in which floating sums, products, minima and "
               "maxima are combined";
    case REPORT_ALGEBRAIC: return "as real functions";
    default:
        return "as real functions when conversions between floating "
               "types are left out, and not with them";
    }
}

void diff_assume(struct diff_pair *pair, unsigned assumptions)
{
    struct report_list *list = &pair->out->assumptions;
    if (assumptions & INTERP_NON_NAN)
        report_add(pair->report, list, "non-NaN: no NaN reaches a min or max");
    if (assumptions & INTERP_FINITE)
        report_add(pair->report, list,
                   "finite: values multiplied by 0 are finite");
    if (assumptions & INTERP_GENERIC)
        report_add(pair->report, list,
                   "generic: an exponent is not linear in the inputs; the "
                   "chance of error is an estimate");
    if (assumptions & INTERP_IN_RANGE)
        report_add(pair->report, list,
                   "in-range: values under min or max are within the finite "
                   "range of their type");
}

/* Runs that contradict a claim about all inputs. */
static bool contradicted(const struct diff_pair *pair,
                         enum report_verdict verdict)
{
    const struct diff_tally *t = &pair->tally;
    return verdict == REPORT_IDENTICAL &&
           t->differing + t->one_sided + t->overflowed + t->zero_signs > 0;
}

static void give_fingerprint(struct diff_pair *pair,
                             const struct diff_prints *prints)
{
    const struct diff_tally *t = &pair->tally;
    struct buf text = {0};
    if (contradicted(pair, prints->verdict)) {
        pair->contradiction = true;
        give_unknown(pair, "internal contradiction: keyed runs show equal "
                           "bits on all inputs, runs on numbers differ");
        return;
    }
    pair->out->verdict = prints->verdict;
    pair->out->evidence = REPORT_FINGERPRINT;
    buf_printf(&text,
               "every output element is the same expression on both sides, "
               "%s (chance of error at most 2^%.0f)",
               law_of(prints->verdict), ceil(prints->log2_error));
    if (t->differing > 0) {
        buf_puts(&text, "; ");
        put_rounding(pair, &text);
    }
    pair->out->reason = take(pair, &text);
    if (prints->verdict != REPORT_IDENTICAL)
        diff_assume(pair, prints->assumptions);
}

/* Equal as real functions, but only one side's numbers overflow or vanish. */
static void give_sided(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    struct diff_finding finding = {.kind = DIFF_SIDED,
                                   .case_index = t->sided_case,
                                   .recipe = t->sided_recipe,
                                   .output = t->sided_output,
                                   .element = t->sided_element,
                                   .domain = INTERP_IEEE};
    pair->out->evidence = REPORT_RUN;
    diff_explain(pair, &finding);
}

bool diff_conclude_sided(struct diff_pair *pair)
{
    struct diff_prints prints;
    bool overflow = pair->overflow.kind != DIFF_NOTHING;
    if (!pair->tally.have_sided && !overflow)
        return false;
    diff_fingerprint(pair, &prints);
    if (prints.fault)
        return false;
    if (overflow && !diff_explains_overflow(&prints)) {
        diff_explain(pair, &pair->overflow);
        return true;
    }
    if (!pair->tally.have_sided || prints.verdict != REPORT_ALGEBRAIC)
        return false;
    give_sided(pair);
    return true;
}

bool diff_explains_overflow(const struct diff_prints *prints)
{
    return !prints->fault && prints->verdict != REPORT_UNKNOWN &&
           prints->verdict != REPORT_ALGEBRAIC;
}

/* What keyed runs add to a weaker verdict. */
static void note_fingerprint(struct diff_pair *pair,
                             const struct diff_prints *prints)
{
    if (prints->verdict != REPORT_UNKNOWN)
        report_add(pair->report, &pair->out->notes,
                   "keyed runs show equality %s, for what was run: %s",
                   law_of(prints->verdict), prints->restricted);
    else if (prints->refused)
        report_add(pair->report, &pair->out->notes, "no keyed runs: %s",
                   prints->refused);
    else
        report_add(pair->report, &pair->out->notes,
                   "keyed runs show no equality");
}

static void note_runs(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    struct report_pair *out = pair->out;
    size_t n = judged(t);
    report_add(pair->report, &out->notes,
               "no operation rounds on %zu of %zu inputs", t->exact_runs, n);
    if (t->enclosed > 0 && t->unbounded > 0)
        report_add(pair->report, &out->notes,
                   "%" PRIu64 " of %" PRIu64
                   " enclosures are unbounded and show nothing",
                   t->unbounded, t->enclosed);
    if (t->inadmissible > 0 && t->fault)
        report_add(pair->report, &out->assumptions,
                   "inputs on which the untuned module faults are left out "
                   "(%zu of %zu): %s",
                   t->inadmissible, t->inadmissible + n, t->fault);
    if (t->unfinished)
        report_add(pair->report, &out->notes, "some runs gave nothing: %s",
                   t->unfinished);
    if (t->no_interval)
        report_add(pair->report, &out->notes,
                   "no enclosures on some inputs: "
                   "%s",
                   t->no_interval);
    if (t->undefined > 0)
        report_add(pair->report, &out->notes,
                   "%" PRIu64 " output elements are undefined in the untuned "
                   "module and not compared",
                   t->undefined);
    report_add(pair->report, &out->notes, "%" PRIu64 " interpreter steps",
               pair->options->budget - pair->steps_left);
    if (t->atomics)
        report_add(pair->report, &out->notes,
                   "atomic updates took effect in two orders here, from the "
                   "first thread to the last and the other way round");
    if (t->further > 0)
        report_add(pair->report, &out->notes,
                   "%zu further sizes were run on one input each, next to "
                   "numbers that the modules name",
                   t->further);
    if (t->unsettled > 0)
        report_add(pair->report, &out->notes,
                   "%" PRIu64 " output elements hang on the order of atomic "
                   "updates in the untuned module and were not compared",
                   t->unsettled);
}

static void warn(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    if (t->one_sided > 0)
        report_add(pair->report, &pair->out->warnings,
                   "NaN or infinity on one side alone in %" PRIu64
                   " elements: overflow or NaN may depend on the order",
                   t->one_sided);
    if (t->overflowed > 0)
        report_add(pair->report, &pair->out->warnings,
                   "%" PRIu64 " elements are undefined in the tuned module "
                   "alone, where a float that rounded leaves the range of an "
                   "integer: overflow may depend on the order",
                   t->overflowed);
    if (t->odd > 0)
        report_add(pair->report, &pair->out->warnings,
                   "on %zu input%s with NaN or infinities results differ, as "
                   "another order of minima, maxima or terms of 0 makes them",
                   t->odd, t->odd == 1 ? "" : "s");
    if (t->zero_signs > 0)
        report_add(pair->report, &pair->out->warnings,
                   "zeros of different sign in %" PRIu64 " elements",
                   t->zero_signs);
}

static void restrict_claim(struct diff_pair *pair)
{
    struct report_list *holds = &pair->out->holds_for;
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        struct buf text = {0};
        if (c->judged == 0)
            continue;
        for (size_t k = 0; k < c->nsymbols[UNTUNED]; k++)
            buf_printf(&text, "%s%s = %" PRId64, k ? ", " : "",
                       c->symbols[UNTUNED][k].name,
                       c->symbols[UNTUNED][k].value);
        if (text.len > 0)
            report_add(pair->report, holds, "sizes %s", buf_text(&text));
        if (c->fewest > 0)
            report_add(pair->report, holds,
                       "sampled %zu of %zu output elements by demand-driven "
                       "slices%s%s; other elements and accesses were not "
                       "checked",
                       c->fewest, c->outputs, text.len > 0 ? ", " : "",
                       buf_text(&text));
        if (c->boxed > 0 && pair->tally.differing > 0)
            report_add(pair->report, holds,
                       "enclosures were had of %zu of %zu output elements: "
                       "others that differ by rounding were not judged",
                       c->boxed, c->outputs);
        buf_fini(&text);
    }
}

/* Whether the tuned module runs, and defines all, where the untuned one
 * faults. */
static bool tuned_bears(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    struct diff_run run;
    size_t output, element;
    if (!t->have_refused)
        return false;
    const struct diff_case *c = &pair->cases[t->refused_case];
    uint64_t kept = pair->steps_left;
    pair->steps_left = pair->options->budget;
    diff_run(pair, c, TUNED, &t->refused_recipe, INTERP_IEEE, NULL, &run);
    pair->steps_left = kept;
    bool fine = run.result.fault == INTERP_OK &&
                !diff_leaves_undefined(c, &run, &output, &element);
    diff_run_fini(&run);
    return fine;
}

/* Says so where the untuned side faults, or leaves an output undefined, on an
 * input on which the tuned one does not: operands in the wrong order, most
 * likely. No verdict changes, but the exit status does. */
static void suspect_order(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    if (pair->out->evidence == REPORT_PROOF ||
        (!t->tuned_defines && !tuned_bears(pair)))
        return;
    pair->out->suspect =
        arena_printf(pair->arena,
                     "the untuned module %s where the tuned one does not: "
                     "operands are TUNED UNTUNED: swapped?",
                     t->tuned_defines ? "leaves outputs undefined" : "faults");
}

/* Whether the untuned side alone has a fault that comes from its data. One of a
 * Select's other arm is none to anybody who compiles it (rule 8). */
static bool faults_alone(struct diff_pair *pair, const struct diff_case *c,
                         const struct diff_recipe *recipe)
{
    struct diff_run runs[NSIDES];
    size_t output, element;
    diff_run(pair, c, UNTUNED, recipe, INTERP_IEEE, NULL, &runs[UNTUNED]);
    const struct interp_result *r = &runs[UNTUNED].result;
    bool alone =
        (r->fault == INTERP_OUT_OF_BOUNDS || r->fault == INTERP_DIVISION) &&
        !r->unchosen;
    if (alone) {
        diff_run(pair, c, TUNED, recipe, INTERP_IEEE, NULL, &runs[TUNED]);
        alone = runs[TUNED].result.fault == INTERP_OK &&
                !diff_leaves_undefined(c, &runs[TUNED], &output, &element);
        diff_run_fini(&runs[TUNED]);
    }
    diff_run_fini(&runs[UNTUNED]);
    return alone;
}

void diff_suspect_proof(struct diff_pair *pair, const struct verifier_result *r)
{
    static const enum interp_fill fills[] = {
        INTERP_FILL_EXACT, INTERP_FILL_RANDOM, INTERP_FILL_ZERO};
    const struct diff_options *o = pair->options;
    if (!r->untuned_trusts || pair->relax || pair->ncases == 0 ||
        pair->out->suspect != NULL || pair->out->verdict <= REPORT_DIFFERENT ||
        o->nassumes + o->nproperties + o->noverlaps + o->nins > 0)
        return;
    const struct diff_case *c = &pair->cases[0];
    bool alone = false;
    if (c->work > (double)pair->full_limit)
        return;
    for (size_t i = 0; i < DC_ARRAY_LEN(fills) && !alone; i++) {
        struct diff_recipe recipe = {.fill = fills[i], .seed = o->seed};
        alone = faults_alone(pair, c, &recipe);
    }
    if (alone)
        report_add(pair->report, &pair->out->warnings,
                   "the untuned module faults where the tuned one does not, on "
                   "inputs of which the proof says nothing: operands are TUNED "
                   "UNTUNED: swapped?");
}

static void conclude(struct diff_pair *pair, const struct diff_prints *prints)
{
    const struct diff_tally *t = &pair->tally;
    warn(pair);
    if (!diff_was_run(pair)) {
        const char *why = "no input could be run";
        if (t->unfinished)
            why = t->unfinished;
        else if (t->fault)
            why = arena_printf(pair->arena,
                               "no input is admissible: the untuned module "
                               "itself faults on all %zu tried; %s",
                               t->inadmissible, t->fault);
        give_unknown(pair, why);
        return;
    }
    note_runs(pair);
    if (prints->fault) { /* and no run on numbers did */
        give_unknown(pair, prints->refused);
        return;
    }
    if (prints->verdict == REPORT_ALGEBRAIC && t->have_sided) {
        give_sided(pair);
        return;
    }
    if (prints->verdict == REPORT_PRECISION ||
        (prints->verdict != REPORT_UNKNOWN && !prints->restricted)) {
        give_fingerprint(pair, prints);
        return;
    }
    restrict_claim(pair);
    note_fingerprint(pair, prints);
    if (t->undecided_diff > 0) {
        give_unknown(
            pair,
            arena_printf(pair->arena,
                         "bits differ by rounding%s (at most %" PRIu64
                         " ulp) on %zu inputs, and no enclosure could tell "
                         "whether the real results do: %s",
                         t->order_open ? " or the order of threads that rule 5 "
                                         "leaves open"
                                       : "",
                         t->max_ulp, t->undecided_diff,
                         t->no_interval ? t->no_interval : "not enclosed"));
        return;
    }
    if (t->unexplained > 0) {
        give_unknown(
            pair,
            arena_printf(pair->arena,
                         "NaN or infinity on one side alone on %zu inputs, "
                         "and nothing shows that another order or rounding "
                         "explains it",
                         t->unexplained));
        return;
    }
    give_agrees(pair);
}

void diff_conclude(struct diff_pair *pair, const struct diff_prints *prints)
{
    conclude(pair, prints);
    if (pair->out->witness == NULL)
        suspect_order(pair);
}

/* ---- assumptions -------------------------------------------------------------------- */

static void assume_ranges(struct diff_pair *pair)
{
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        for (size_t k = 0; c->ranged && k < c->sig[UNTUNED].nparams; k++) {
            const struct diff_range *r = &diff_widest(c)[k];
            const struct diff_range all =
                diff_type_range(dtype_scalar(c->sig[UNTUNED].params[k].dtype));
            if (r->text)
                report_add(pair->report, &pair->out->assumptions, "%s in %s",
                           c->sig[UNTUNED].params[k].name, r->text);
            else if (r->lo <= r->hi && (r->lo > all.lo || r->hi < all.hi))
                report_add(pair->report, &pair->out->assumptions,
                           "%s in %" PRId64 "..%" PRId64,
                           c->sig[UNTUNED].params[k].name, r->lo, r->hi);
        }
    }
}

/* Those of --assume, which narrow a proof, too. */
static void assume_given(struct diff_pair *pair)
{
    const struct interp_signature *sig =
        pair->ncases > 0 ? &pair->cases[0].sig[UNTUNED] : NULL;
    for (size_t i = 0; sig != NULL && i < pair->options->nassumes; i++) {
        const struct diff_range *r = &pair->options->assumes[i];
        bool known = diff_is_symbol(sig, r->name);
        for (size_t k = 0; k < sig->nparams; k++)
            known = known || (dtype_is_int(sig->params[k].dtype) &&
                              strcmp(sig->params[k].name, r->name) == 0);
        if (known && r == diff_assume_find(pair->options, r->name))
            report_add(pair->report, &pair->out->assumptions, "%s in %s",
                       r->name, r->text);
    }
}

static void assume_properties(struct diff_pair *pair)
{
    const struct interp_signature *sig =
        pair->ncases > 0 ? &pair->cases[0].sig[UNTUNED] : NULL;
    for (size_t i = 0; sig != NULL && i < sig->nparams; i++) {
        struct buf text = {0};
        if (pair->cases[0].properties[i] == 0)
            continue;
        diff_property_put(&text, pair->cases[0].properties[i]);
        report_add(pair->report, &pair->out->assumptions, "%s is %s",
                   sig->params[i].name, buf_text(&text));
        buf_fini(&text);
    }
}

void diff_state_assumptions(struct diff_pair *pair)
{
    struct report_list *list = &pair->out->assumptions;
    size_t tensors = 0;
    bool symbolic = false;
    for (size_t i = 0; i < pair->ncases; i++)
        symbolic = symbolic || pair->cases[i].nsymbols[UNTUNED] > 0;
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        for (size_t k = 0; k < c->nsymbols[UNTUNED]; k++)
            symbolic = symbolic && c->symbols[UNTUNED][k].value >= 1;
    }
    for (size_t i = 0; pair->ncases && i < pair->cases[0].sig[0].nparams; i++)
        tensors += pair->cases[0].sig[0].params[i].is_tensor ? 1 : 0;
    if (pair->caller)
        report_add(pair->report, &pair->out->notes,
                   "compared by itself: the Relax function '%s' that calls it "
                   "is the same on both sides and too long to run",
                   pair->caller);
    for (size_t i = 0; i < pair->options->noverlaps; i++)
        report_add(pair->report, list, "%s and %s are in one place",
                   pair->options->overlaps[i].first,
                   pair->options->overlaps[i].second);
    if (tensors > 1)
        report_add(pair->report, list,
                   pair->options->noverlaps > 0
                       ? "other parameters do not overlap"
                       : "parameters do not overlap");
    assume_properties(pair);
    if (symbolic)
        report_add(pair->report, list, "symbolic sizes are at least 1");
    assume_ranges(pair);
    assume_given(pair);
    diff_assume_barriers(pair);
}
