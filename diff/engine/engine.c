/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison of two functions:
 *
 *     the same program? → identical, else
 *     choose sizes → ask the prover → its proof, else find index ranges → run inputs on both sides and judge
 *     → replay and explain what was found, or conclude from the counts
 *
 * Small sizes and exact inputs come first, so that the first finding is a
 * small one. Work is counted in interpreter steps, never in seconds: the same
 * command gives the same verdict on any machine.
 */
#include "diff/engine/engine.h"

#include "diff/engine/origin.h"

#include <string.h>
#include <unistd.h>

/* Steps of a run that is made although the pair is proved order-only. */
#define CHEAP_RUN 100000
/* Both sides on two inputs. */
#define FEW_RUNS 4

const char *diff_side_name(size_t side)
{
    return side == TUNED ? "tuned" : "untuned";
}

static void progress(const struct diff_pair *pair, size_t c, size_t k, size_t n)
{
    if (!diag_has_escapes(STDERR_FILENO))
        return;
    struct buf name = {0};
    const char *function = pair->out->function;
    buf_put_visible(&name, function, strlen(function), "");
    if (n == 0)
        fputs("\r\033[K", stderr);
    else
        fprintf(stderr, "\r\033[K%s: sizes %zu of %zu, input %zu of %zu",
                buf_text(&name), c + 1, pair->ncases, k + 1, n);
    buf_fini(&name);
}

static void give_unknown(struct diff_pair *pair, const char *why)
{
    pair->out->verdict = REPORT_UNKNOWN;
    pair->out->evidence = REPORT_NO_EVIDENCE;
    pair->out->reason = why;
}

/* An undefined variable makes the tuned module unsafe whatever the input. */
static bool give_undefined_variables(struct diff_pair *pair)
{
    const char **names = NULL;
    size_t n = ir_undefined_vars(pair->side[TUNED].func, pair->arena, &names);
    if (n == 0)
        return false;
    struct buf text = {0};
    struct report_witness *w = ARENA_NEW(pair->arena, struct report_witness);
    for (size_t i = 0; i < n; i++)
        buf_printf(&text, "%s'%s'", i ? ", " : "", names[i]);
    w->kind = "undefined-variable";
    w->fault = interp_fault_name(INTERP_UNDEFINED_VAR);
    w->message = arena_printf(pair->arena, "undefined variable%s %s",
                              n > 1 ? "s" : "", buf_text(&text));
    diff_trace_variable(pair, names[0]);
    pair->out->witness = w;
    pair->out->verdict = REPORT_UNSAFE;
    pair->out->evidence = REPORT_RUN;
    pair->out->reason = arena_printf(pair->arena,
                                     "the tuned module uses the undefined "
                                     "variable%s %s",
                                     n > 1 ? "s" : "", buf_text(&text));
    buf_fini(&text);
    return true;
}

/* Work for the inputs of one sign and their kind. */
#define MORE_WORK 400000u

static bool search_more(struct diff_pair *pair, struct diff_finding *finding)
{
    struct diff_recipe recipes[DIFF_MAX_RECIPES];
    pair->usual_work = pair->work;
    uint64_t most = diff_allow(pair, MORE_WORK);
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        size_t n = diff_more_recipes(pair, c, recipes, DIFF_MAX_RECIPES);
        for (size_t k = 0; k < n && pair->work + c->cost <= most &&
                           c->mode != DIFF_HOPELESS && pair->steps_left > 0;
             k++) {
            progress(pair, i, k, n);
            *finding = diff_try_extra(pair, i, &recipes[k]);
            if (finding->kind != DIFF_NOTHING)
                return true;
        }
    }
    return false;
}

/* How much of the case is run, and which values its integers that index have. */
static void begin_case(struct diff_pair *pair, struct diff_case *c)
{
    /* on the fast engine few whole runs beat many samples */
    if (c->whole > (double)pair->full_limit && c->whole < c->work &&
        FEW_RUNS * c->whole <= (double)pair->steps_left)
        c->mode = DIFF_LONG;
    else if (c->whole > DIFF_TOO_LONG * (double)pair->full_limit)
        (void)diff_fall_back(pair, c);
    diff_find_ranges(pair, c);
}

/* Runs the input that is given, then those planned, all sizes; true when one
 * shows a finding. */
static bool search(struct diff_pair *pair, struct diff_finding *finding)
{
    struct diff_recipe recipes[DIFF_MAX_RECIPES];
    if (pair->given_case != SIZE_MAX) {
        begin_case(pair, &pair->cases[pair->given_case]);
        if (diff_try_given(pair, finding))
            return true;
    }
    for (size_t i = 0; i < pair->ncases; i++) {
        struct diff_case *c = &pair->cases[i];
        if (i != pair->given_case)
            begin_case(pair, c);
        size_t n = diff_recipes(pair, c, recipes, DIFF_MAX_RECIPES);
        for (size_t k = 0; k < n; k++) {
            progress(pair, i, k, n);
            *finding = diff_try_input(pair, i, &recipes[k]);
            if (finding->kind != DIFF_NOTHING)
                return true;
        }
    }
    return search_more(pair, finding);
}

/* Whether keyed runs leave it to others to find a difference. */
static bool is_open(const struct diff_prints *prints)
{
    return !prints->fault &&
           (prints->verdict == REPORT_UNKNOWN || prints->restricted != NULL);
}

/* The runs, and what follows from them. */
static void run_pair(struct diff_pair *pair,
                     const struct verifier_result *proof, bool proved)
{
    struct diff_finding finding = {0};
    struct diff_prints prints = {.verdict = REPORT_UNKNOWN};
    diff_cost_cases(pair);
    bool found = search(pair, &finding);
    if (!found && diff_was_run(pair)) {
        diff_fingerprint(pair, &prints);
        if (!proved && pair->overflow.kind != DIFF_NOTHING &&
            !diff_explains_overflow(&prints)) {
            finding = pair->overflow;
            found = true;
        } else if (!proved && is_open(&prints))
            found = diff_try_candidate(pair, proof, &finding) ||
                    diff_try_sizes(pair, &finding) ||
                    diff_visit_corners(pair, &prints, &finding) ||
                    diff_hunt(pair, false, &finding);
        else if (!proved && prints.verdict == REPORT_ALGEBRAIC)
            found = diff_hunt(pair, true, &finding);
    }
    if (found) {
        diff_prefer_fault(pair, &finding);
        diff_explain_small(pair, &finding);
    } else {
        diff_conclude(pair, &prints);
    }
    if (!proved)
        return;
    if (diff_contradicts(pair, proof, &finding))
        diff_give_contradiction(pair, proof);
    else if (!pair->contradiction && (proof->verdict == VERIFIER_IDENTICAL ||
                                      pair->out->verdict != REPORT_IDENTICAL))
        diff_give_proof(pair, proof);
}

/* Whether nothing stronger is worth looking for: keyed runs may show a pair
 * identical of which the proof says that terms are grouped otherwise or zeros
 * are dropped (R33). Not where terms change places, nor where runs are long. */
static bool settles(struct diff_pair *pair, const struct verifier_result *proof)
{
    if (proof->verdict != VERIFIER_ORDER_ONLY || proof->swapped != NULL)
        return true;
    diff_cost_cases(pair);
    return pair->ncases == 0 || pair->cases[0].whole >= CHEAP_RUN;
}

/* A proof first: it is cheap, and ends the comparison. */
static void run_engines(struct diff_pair *pair, enum diff_plan plan,
                        const char *why)
{
    const struct diff_options *o = pair->options;
    struct verifier_result proof = {0};
    if (o->check != NULL) {
        (void)diff_check_certificate(pair);
        diff_state_assumptions(pair);
        return;
    }
    bool proved = !o->no_proof && diff_prove(pair, o->proof_only, &proof);
    bool ends = o->proof_only || plan == DIFF_PLAN_UNKNOWN ||
                (proved && !o->cross_check && settles(pair, &proof));
    if (proved && ends && pair->given.nin > 0)
        report_add(pair->report, &pair->out->notes,
                   "proved for all inputs: that of '--in' was not run");
    if (proved && ends)
        diff_give_proof(pair, &proof);
    else if (o->proof_only)
        diff_conclude_proof(pair, &proof);
    else if (plan == DIFF_PLAN_UNKNOWN)
        give_unknown(pair, why);
    else
        run_pair(pair, &proof, proved);
    if (!o->proof_only && (pair->out->verdict == REPORT_ORDER_ONLY ||
                           pair->out->verdict == REPORT_PRECISION))
        diff_trace_drift(pair);
    if (pair->out->verdict == REPORT_PRECISION)
        diff_judge_rounding(pair);
    diff_suspect_proof(pair, &proof);
    if (!proved && !o->no_proof && !o->proof_only)
        diff_note_no_proof(pair, &proof);
    verifier_result_fini(&proof);
    diff_state_assumptions(pair);
    progress(pair, 0, 0, 0);
}

/* What needs no run and no sizes. */
static bool is_settled(struct diff_pair *pair)
{
    return give_undefined_variables(pair) ||
           (!pair->options->certificate && !pair->options->check &&
            diff_same_program(pair));
}

bool diff_compare_pair(struct diff_pair *pair, struct diag_sink *sink)
{
    const char *why = NULL;
    bool given = pair->options->nins + pair->options->nexpects > 0;
    pair->given_case = SIZE_MAX;
    if (diff_returns_other(pair->side[UNTUNED].func) ||
        diff_returns_other(pair->side[TUNED].func)) {
        give_unknown(pair, "what the functions return is no number, or of "
                           "several types: it is not compared");
        return true;
    }
    diff_align_params(pair);
    if (!given && is_settled(pair))
        return true;
    enum diff_plan plan = diff_plan_cases(pair, sink, &why);
    if (plan == DIFF_PLAN_BAD_INPUT || !diff_read_given(pair, sink))
        return false;
    if (given && is_settled(pair))
        return true;
    run_engines(pair, plan, why);
    return true;
}

/* ---- exit status --------------------------------------------------------------- */

bool diff_allows_wider(const struct diff_options *options,
                       const struct report_pair *pair)
{
    bool order = !options->finding[REPORT_ORDER_ONLY] &&
                 (!options->strict_ieee || pair->assumptions.n == 0);
    return options->wider_allowed && pair->verdict == REPORT_PRECISION &&
           pair->rounding != NULL && pair->rounding->wider && order;
}

int diff_exit_of(const struct diff_options *options,
                 const struct report_pair *pair)
{
    if (pair->verdict < REPORT_NVERDICTS) {
        if (options->finding[pair->verdict] &&
            !diff_allows_wider(options, pair))
            return DIFF_EXIT_FINDING;
        if (options->allowed[pair->verdict])
            return DIFF_EXIT_NOTHING;
    }
    if (options->strict_ieee && pair->verdict == REPORT_ORDER_ONLY &&
        pair->assumptions.n > 0)
        return DIFF_EXIT_FINDING;
    if (pair->verdict == REPORT_UNKNOWN || pair->suspect != NULL ||
        pair->evidence < options->require)
        return DIFF_EXIT_UNDECIDED;
    return DIFF_EXIT_NOTHING;
}
