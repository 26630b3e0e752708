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
#include "diff/engine.h"

#include <inttypes.h>
#include <string.h>

static size_t judged(const struct diff_tally *tally)
{
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(tally->inputs); i++)
        n += tally->inputs[i];
    return n;
}

/* "3 exact, 2 random, 1 unit" */
static void put_kinds(const struct diff_tally *tally, struct buf *out)
{
    bool first = true;
    for (size_t i = 0; i < DC_ARRAY_LEN(tally->inputs); i++) {
        if (tally->inputs[i] == 0)
            continue;
        buf_printf(out, "%s%zu %s", first ? "" : ", ", tally->inputs[i],
                   interp_fill_name((enum interp_fill)i));
        first = false;
    }
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
        buf_puts(text, t->one_sided + t->zero_signs == 0
                           ? "equal bits on all of them"
                           : "equal bits but for the warnings below");
        return;
    }
    buf_printf(text,
               "bits differ on %" PRIu64 " of %" PRIu64
               " elements, by rounding (at most %" PRIu64
               " ulp), and enclosures overlap",
               t->differing, t->elements, t->max_ulp);
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
        report_add(pair->report, &out->notes,
                   "%zu input%s left out, the untuned module faults: %s",
                   t->inadmissible, t->inadmissible == 1 ? "" : "s", t->fault);
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
                   "atomic updates take effect in one order only here");
}

static void warn(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    if (t->one_sided > 0)
        report_add(pair->report, &pair->out->warnings,
                   "NaN or infinity on one side alone in %" PRIu64
                   " elements: overflow or NaN may depend on the order",
                   t->one_sided);
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
        buf_fini(&text);
    }
}

void diff_conclude(struct diff_pair *pair)
{
    const struct diff_tally *t = &pair->tally;
    warn(pair);
    if (judged(t) == 0) {
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
    restrict_claim(pair);
    if (t->undecided_diff > 0) {
        give_unknown(
            pair,
            arena_printf(pair->arena,
                         "bits differ by rounding (at most %" PRIu64
                         " ulp) on %zu inputs, and no enclosure could tell "
                         "whether the real results do: %s",
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

/* ---- assumptions -------------------------------------------------------------------- */

static void assume_ranges(struct diff_pair *pair)
{
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        for (size_t k = 0; c->ranged && k < c->sig[UNTUNED].nparams; k++) {
            const struct diff_range *r = c->wide ? &c->wide[k] : &c->ranges[k];
            if (r->lo <= r->hi)
                report_add(pair->report, &pair->out->assumptions,
                           "%s in %" PRId64 "..%" PRId64,
                           c->sig[UNTUNED].params[k].name, r->lo, r->hi);
        }
    }
}

void diff_state_assumptions(struct diff_pair *pair)
{
    struct report_list *list = &pair->out->assumptions;
    const struct diff_tally *t = &pair->tally;
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
    if (tensors > 1)
        report_add(pair->report, list, "parameters do not overlap");
    if (symbolic)
        report_add(pair->report, list, "symbolic sizes are at least 1");
    assume_ranges(pair);
    for (size_t side = 0; side < NSIDES; side++) {
        if (t->implicit_barriers[side])
            report_add(pair->report, &pair->out->notes,
                       "the %s module leaves barriers implicit; they were "
                       "supplied",
                       diff_side_name(side));
    }
}
