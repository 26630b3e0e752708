/* SPDX-License-Identifier: Apache-2.0
 *
 * The prover's part in a comparison: when it is asked, what its verdict
 * becomes in the report, and what becomes of its candidates.
 *
 * A proof ends the comparison. A candidate is a place where a solver's model
 * says that the sides differ; nothing but a run shows that they do, so it is
 * run with exact inputs at the model's sizes, and at small ones, within a
 * budget of its own. What no run shows is `unknown`.
 */
#include "diff/engine/engine.h"
#include "diff/engine/give.h"
#include "diff/input/words.h"

#include <string.h>

/* Steps for the replay of a candidate, and for keyed runs beside a
 * certificate. */
#define REPLAY_BUDGET UINT64_C(20000000)
/* Steps of a run that may be made only to find a better element. */
#define CHEAP_RUN 1000000

/* ---- asking --------------------------------------------------------------------- */

/* Why the prover's claim would not be about this comparison; NULL: it is. */
static const char *not_applicable(const struct diff_pair *pair)
{
    const struct diff_options *o = pair->options;
    if (o->noverlaps > 0)
        return "the proof is for parameters that do not overlap";
    for (size_t i = 0; i < o->nshapes; i++)
        if (o->shapes[i].value < 1)
            return "the proof is for sizes of at least 1";
    for (size_t i = 0; i < o->nassumes; i++) {
        bool size = false;
        for (size_t k = 0; pair->ncases > 0 && k < pair->cases[0].nsymbols[0];
             k++)
            size = size || strcmp(pair->cases[0].symbols[0][k].name,
                                  o->assumes[i].name) == 0;
        if (size && o->assumes[i].lo < 1)
            return "the proof is for sizes of at least 1";
    }
    return NULL;
}

bool diff_prove(struct diff_pair *pair, bool place, struct verifier_result *out)
{
    const struct diff_side *t = &pair->side[TUNED], *u = &pair->side[UNTUNED];
    struct verifier_options options = {
        .place = place,
        .explain = pair->options->explain,
        .certificate = pair->options->certificate,
        .explicit_barriers = pair->options->explicit_barriers};
    const char *why = not_applicable(pair);
    if (why == NULL && !pair->relax &&
        !diff_give(pair->options, u->module, u->func, pair->arena, &options))
        why = "no input is as assumed";
    memset(out, 0, sizeof *out);
    if (why != NULL) {
        out->arena = arena_new();
        out->param = -1;
        out->reason = why;
        return false;
    }
    (pair->relax ? verifier_prove_relax : verifier_prove)(
        t->module, t->func, u->module, u->func, &options, out);
    if (out->explanation.len > 0)
        pair->out->explanation =
            arena_strdup(pair->arena, buf_text(&out->explanation));
    return out->verdict == VERIFIER_IDENTICAL ||
           out->verdict == VERIFIER_ORDER_ONLY ||
           out->verdict == VERIFIER_PRECISION;
}

/* ---- reporting -------------------------------------------------------------------- */

static void add_assumption(struct diff_pair *pair, const char *text)
{
    static const struct {
        const char *name;
        unsigned flag;
    } known[] = {{"non-NaN", INTERP_NON_NAN},
                 {"finite", INTERP_FINITE},
                 {"in-range", INTERP_IN_RANGE}};
    for (size_t i = 0; i < DC_ARRAY_LEN(known); i++) {
        if (strcmp(text, known[i].name) == 0) {
            diff_assume(pair, known[i].flag);
            return;
        }
    }
    /* parameters that do not overlap: diff_state_assumptions */
    if (strcmp(text, "noalias") != 0)
        report_add(pair->report, &pair->out->assumptions, "%s", text);
}

static void keep_certificate(struct diff_pair *pair, const struct buf *text)
{
    struct buf hash = {0};
    diff_put_digest(&hash, text->data, text->len);
    pair->out->certificate = arena_strdup(pair->arena, buf_text(text));
    pair->out->certificate_hash = arena_strdup(pair->arena, buf_text(&hash));
    buf_fini(&hash);
}

void diff_give_proof(struct diff_pair *pair, const struct verifier_result *r)
{
    struct report_pair *out = pair->out;
    out->holds_for.n = 0; /* what runs alone would show */
    out->witness = NULL;
    out->verdict = r->verdict == VERIFIER_IDENTICAL    ? REPORT_IDENTICAL
                   : r->verdict == VERIFIER_ORDER_ONLY ? REPORT_ORDER_ONLY
                                                       : REPORT_PRECISION;
    out->evidence = REPORT_PROOF;
    out->reason = r->swapped != NULL ? arena_printf(pair->arena, "%s; %s",
                                                    r->reason, r->swapped)
                                     : arena_strdup(pair->arena, r->reason);
    for (size_t i = 0; i < r->nassumptions; i++)
        add_assumption(pair, r->assumptions[i]);
    for (size_t i = 0; i < r->nnotes; i++)
        report_add(pair->report, &out->notes, "%s", r->notes[i]);
    report_add(pair->report, &out->notes,
               "proved for all inputs with %zu solver queries", r->queries);
    if (r->certificate.len > 0)
        keep_certificate(pair, &r->certificate);
}

void diff_note_no_proof(struct diff_pair *pair, const struct verifier_result *r)
{
    if (r->reason != NULL)
        report_add(pair->report, &pair->out->notes, "no proof: %s", r->reason);
}

/* ---- contradictions ------------------------------------------------------------------ */

bool diff_contradicts(const struct diff_pair *pair,
                      const struct verifier_result *r,
                      const struct diff_finding *finding)
{
    const struct diff_tally *t = &pair->tally;
    if (r->verdict == VERIFIER_IDENTICAL)
        return finding->kind != DIFF_NOTHING ||
               t->differing + t->one_sided + t->overflowed + t->zero_signs > 0;
    return finding->kind != DIFF_NOTHING && finding->kind != DIFF_SIDED;
}

void diff_give_contradiction(struct diff_pair *pair,
                             const struct verifier_result *r)
{
    pair->contradiction = true;
    report_add(pair->report, &pair->out->notes, "the runs say: %s",
               pair->out->reason);
    report_add(pair->report, &pair->out->notes, "the proof says: %s",
               r->reason);
    pair->out->verdict = REPORT_UNKNOWN;
    pair->out->evidence = REPORT_NO_EVIDENCE;
    pair->out->reason = "internal contradiction: a proof and runs disagree";
}

/* ---- candidates ------------------------------------------------------------------------ */

/* Row-major number of the candidate's element; false when it is none. */
static bool element_of(const struct diff_case *c,
                       const struct verifier_result *r, size_t *out)
{
    size_t element = 0;
    if (r->param < 0 || (size_t)r->param >= c->sig[UNTUNED].nparams)
        return false;
    const struct interp_param *p = &c->sig[UNTUNED].params[r->param];
    if (!p->is_tensor || p->rank != r->nindex || p->dtype.lanes != 1 ||
        r->nplaces == 0)
        return false;
    for (size_t d = 0; d < p->rank; d++) {
        if (r->index[d] < 0 || r->index[d] >= p->shape[d])
            return false;
        element = element * (size_t)p->shape[d] + (size_t)r->index[d];
    }
    *out = element;
    return true;
}

/* Whether more inputs are tried to see the very element differ that was
 * pointed at, where another one does. */
static bool is_worth_more(const struct diff_pair *pair,
                          const struct diff_case *c)
{
    return pair->place != NULL && !c->sliced && c->whole < CHEAP_RUN;
}

static bool try_case(struct diff_pair *pair, size_t i,
                     const struct verifier_result *r,
                     struct diff_finding *finding)
{
    struct diff_recipe recipes[DIFF_MAX_RECIPES + DIFF_MORE_RECIPES];
    struct diff_case *c = &pair->cases[i];
    size_t element;
    if (c->whole > (double)pair->full_limit && element_of(c, r, &element))
        diff_demand_one(pair, c, (size_t)r->param, element);
    diff_find_ranges(pair, c);
    size_t n = diff_recipes(pair, c, recipes, DIFF_MAX_RECIPES);
    n += diff_more_recipes(pair, c, recipes + n, DIFF_MORE_RECIPES);
    struct diff_case kept = *c; /* later inputs may slice the case */
    bool found = false;
    for (size_t k = 0; k < n && pair->steps_left > 0; k++) {
        struct diff_finding f = diff_try_input(pair, i, &recipes[k]);
        if (f.kind == DIFF_NOTHING)
            continue;
        if (!found || f.pointed == 1) {
            *finding = f;
            kept = *c;
        }
        found = true;
        if (f.kind == DIFF_FAULT || f.pointed == 1 || !is_worth_more(pair, c))
            break;
    }
    if (found)
        *c = kept;
    return found;
}

/* Cases with the model's sizes in front of the usual ones. */
static void plan_model_sizes(struct diff_pair *pair,
                             const struct verifier_result *r,
                             struct diff_options *options)
{
    struct diag_sink *sink = diag_sink_new();
    struct diff_case *usual = pair->cases;
    size_t n = pair->ncases;
    const char *why = NULL;
    const struct diff_options *given = pair->options;
    *options = *given;
    options->shapes =
        ARENA_ARRAY(pair->arena, r->nsizes + 1, struct interp_symbol);
    options->nshapes = r->nsizes;
    for (size_t i = 0; i < r->nsizes; i++) {
        options->shapes[i].name = r->size_names[i];
        options->shapes[i].value = r->sizes[i];
    }
    pair->options = options;
    pair->ncases = 0;
    bool fine = diff_plan_cases(pair, sink, &why) == DIFF_PLAN_OK;
    pair->options = given;
    if (fine) {
        struct diff_case *all =
            ARENA_ARRAY(pair->arena, pair->ncases + n + 1, struct diff_case);
        memcpy(all, pair->cases, pair->ncases * sizeof *all);
        memcpy(all + pair->ncases, usual, n * sizeof *all);
        pair->cases = all;
        pair->ncases += n;
    } else {
        pair->cases = usual;
        pair->ncases = n;
    }
    diag_sink_free(sink);
}

/* Runs at the candidate's place; true when they show a finding. */
static bool diff_replay(struct diff_pair *pair, const struct verifier_result *r,
                        struct diff_finding *finding)
{
    struct diff_options sized;
    struct diff_place place = {(size_t)r->param, r->nindex, r->nplaces,
                               r->index};
    memset(finding, 0, sizeof *finding);
    pair->place = r->param >= 0 && r->nplaces > 0 ? &place : NULL;
    if (r->nsizes > 0 && pair->options->nshapes == 0)
        plan_model_sizes(pair, r, &sized);
    diff_cost_cases(pair);
    if (pair->steps_left > REPLAY_BUDGET)
        pair->steps_left = REPLAY_BUDGET;
    bool shown = false;
    for (size_t i = 0; i < pair->ncases && !shown; i++)
        shown = try_case(pair, i, r, finding);
    pair->place = NULL;
    return shown;
}

/* Where the finding lies, as seen from the elements that were pointed at. */
static void note_place(struct diff_pair *pair, const struct verifier_result *r,
                       const struct diff_finding *finding)
{
    const struct diff_case *c = &pair->cases[finding->case_index];
    const char *text = "the prover named this element; on this input elements "
                       "before it differ, too";
    if (r->nplaces == 0 || finding->kind == DIFF_FAULT)
        return;
    if (finding->worse)
        text = "the element that the prover named differs, too; what is unsafe "
               "comes first";
    else if (finding->pointed == 0)
        text = "on this input the element that the prover named does not show "
               "it; this one does";
    else if (finding->pointed > 1)
        text = "the prover named this element, but not first";
    else if (c->sliced)
        text = "the prover named this element";
    else if (finding->first)
        text = "the prover named this element; none before it differs on this "
               "input";
    report_add(pair->report, &pair->out->notes, "%s", text);
}

void diff_conclude_proof(struct diff_pair *pair,
                         const struct verifier_result *r)
{
    struct diff_finding finding;
    const char *reason =
        arena_strdup(pair->arena, r->reason ? r->reason : "no reason given");
    if (r->verdict == VERIFIER_CANDIDATE && pair->ncases > 0) {
        if (diff_replay(pair, r, &finding)) {
            bool pointed = finding.pointed > 0;
            diff_prefer_fault(pair, &finding);
            finding.worse |= pointed && finding.pointed == 0;
            diff_explain_small(pair, &finding);
            report_add(pair->report, &pair->out->notes,
                       "found where the prover pointed: %s", reason);
            note_place(pair, r, &finding);
            return;
        }
        if (diff_conclude_sided(pair)) {
            report_add(pair->report, &pair->out->notes,
                       "found where the prover pointed: %s", reason);
            return;
        }
        report_add(pair->report, &pair->out->notes,
                   "the prover's counterexample did not show in the runs "
                   "tried");
    }
    pair->out->verdict = REPORT_UNKNOWN;
    pair->out->evidence = REPORT_NO_EVIDENCE;
    pair->out->reason = reason;
}

/* ---- certificates ------------------------------------------------------------------------ */

static bool refuse(struct diff_pair *pair, enum verifier_check outcome,
                   const char *reason)
{
    pair->refused = outcome == VERIFIER_REFUSED;
    pair->out->verdict = REPORT_UNKNOWN;
    pair->out->evidence = REPORT_NO_EVIDENCE;
    pair->out->reason = arena_printf(
        pair->arena, "the certificate %s: %s",
        pair->refused ? "is refused" : "could not be confirmed", reason);
    return pair->refused;
}

/* Whether short runs on numbers contradict the claim. */
static bool runs_contradict(struct diff_pair *pair,
                            const struct verifier_result *r)
{
    struct diff_finding finding;
    bool found = diff_replay(pair, r, &finding);
    if (!found)
        memset(&finding, 0, sizeof finding);
    return diff_contradicts(pair, r, &finding);
}

/* In place of terms: keyed runs, which are of everything and know more of what
 * threads do. False: the tuned module has a fault there, which the proof says
 * it has not. */
static bool keyed_instead(struct diff_pair *pair)
{
    struct diff_prints prints;
    const struct diff_options *given = pair->options;
    struct diff_options few = *given;
    if (few.budget > REPLAY_BUDGET)
        few.budget = REPLAY_BUDGET;
    pair->options = &few;
    diff_fingerprint(pair, &prints);
    pair->options = given;
    if (prints.fault)
        return false;
    if (prints.verdict != REPORT_UNKNOWN)
        report_add(pair->report, &pair->out->notes,
                   "instead of terms: keyed runs of both sides are equal (%s)",
                   report_verdict_name(prints.verdict));
    else
        report_add(pair->report, &pair->out->notes,
                   "instead of terms: keyed runs show nothing (%s)",
                   prints.refused != NULL ? prints.refused
                                          : "their laws do not make the "
                                            "sides equal");
    return true;
}

bool diff_check_certificate(struct diff_pair *pair)
{
    const struct buf *file = pair->options->check;
    const struct diff_side *t = &pair->side[TUNED], *u = &pair->side[UNTUNED];
    struct verifier_confirmation c;
    size_t start, size, before = 0;
    const char *why = not_applicable(pair);
    if (why != NULL)
        return refuse(pair, VERIFIER_UNDECIDED, why);
    if (!verifier_find_certificate(buf_text(file), file->len, u->func->name,
                                   &start, &size))
        return refuse(pair, VERIFIER_REFUSED, "it is about other functions");
    verifier_check_certificate(buf_text(file) + start, size, t->module, t->func,
                               u->module, u->func, &c);
    diff_cost_cases(pair);
    if (c.outcome != VERIFIER_CONFIRMED) {
        refuse(pair, c.outcome, c.reason);
    } else if (runs_contradict(pair, &c.again) ||
               (!c.compared && !keyed_instead(pair))) {
        pair->contradiction = true;
        refuse(pair, VERIFIER_REFUSED, "runs of both modules contradict it");
    } else {
        for (size_t i = 0; i < DC_ARRAY_LEN(pair->tally.inputs); i++)
            before += pair->tally.inputs[i];
        diff_give_proof(pair, &c.again);
        pair->out->certificate = NULL;
        report_add(pair->report, &pair->out->notes,
                   "certificate confirmed: derived again, %zu obligations "
                   "solved again, %zu inputs run on both sides",
                   c.obligations, before);
        report_add(pair->report, &pair->out->notes, "%s", c.enumerated);
    }
    verifier_confirmation_fini(&c);
    return pair->refused;
}
