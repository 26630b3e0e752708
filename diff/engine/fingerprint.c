/* SPDX-License-Identifier: Apache-2.0
 *
 * Fingerprints: both sides are run in keyed domains (interp/keyed/keyed.h), where an
 * output is the expression it is computed by. Equal outputs claim equality for
 * all inputs, up to the laws of the domain and a chance of error that is
 * printed.
 *
 * order, then ac, then field, then field-nocast, until one shows the outputs
 * equal. Integer parameters that reach addresses, extents or conditions stay
 * numbers, so that a claim about such a program holds for those numbers only;
 * so does one about a program of symbolic sizes.
 *
 * A keyed run is a run of everything, with all checks: where control and
 * addresses do not depend on data, it settles safety for all inputs, also of
 * pairs of which only samples were run on numbers.
 */
#include "diff/engine/engine.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* A chance of error above 2^-40 is no evidence (design.md 4.2). */
#define MAX_LOG2_ERROR (-40.0)
#define MAX_KEYS       6u

/* ---- arguments ------------------------------------------------------------------ */

/* Whether parameter i stays a number on both sides. */
static bool is_number(const struct diff_case *c, size_t i)
{
    const struct interp_param *u = &c->sig[UNTUNED].params[i];
    const struct interp_param *t = &c->sig[TUNED].params[i];
    return dtype_is_handle(u->dtype) || u->indexes || t->indexes ||
           diff_is_symbol(&c->sig[UNTUNED], u->name) ||
           diff_is_symbol(&c->sig[TUNED], t->name);
}

bool diff_has_numbers(const struct diff_case *c)
{
    for (size_t k = 0; k < c->sig[UNTUNED].nparams; k++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[k];
        if (is_number(c, k) && !dtype_is_handle(p->dtype) &&
            !diff_is_symbol(&c->sig[UNTUNED], p->name))
            return true;
    }
    return false;
}

/* Gives the number of tensor elements made so. */
static double make_leaves(const struct diff_case *c,
                          const struct interp_options *options,
                          struct diff_args *args, union interp_box *scalars)
{
    double leaves = 0;
    for (size_t i = 0; i < args->n; i++) {
        struct interp_arg *arg = &args->args[i];
        if (is_number(c, i))
            continue;
        if (arg->tensor) {
            leaves += (double)arg->tensor->elements;
            interp_tensor_to_leaves(arg->tensor, options, i);
        } else {
            scalars[i] = interp_scalar_leaf(arg->dtype, options, i);
            arg->box = &scalars[i];
        }
    }
    return leaves;
}

/* ---- one domain ------------------------------------------------------------------- */

struct prints_job {
    struct diff_pair *pair;
    struct diff_prints *out;
    struct interp_options options;
    double ops, degree;   /* of all runs so far */
    unsigned assumptions; /* of this domain */
};

/* One side's run and what it is made of. */
struct prints_run {
    const struct prints_job *job;
    const struct diff_case *c;
    size_t side;
    unsigned threads;
    union interp_box *scalars;
    double leaves;
    struct diff_run *run;
};

static void begin_side(struct prints_run *r)
{
    const struct diff_pair *pair = r->job->pair;
    struct diff_recipe recipe = {.fill = INTERP_FILL_EXACT,
                                 .seed = pair->options->seed,
                                 .ranges = r->c->ranges};
    struct interp_options options = r->job->options;
    options.max_steps = pair->prints_left > 0 ? pair->prints_left : 1;
    options.threads = r->threads;
    diff_make_args(r->c, r->side, &recipe, &r->run->args);
    r->leaves = make_leaves(r->c, &options, &r->run->args, r->scalars);
    diff_run_args(pair, &pair->side[r->side], &options, r->run);
}

static void begin_one_of(void *user, unsigned side)
{
    struct prints_run *both = user;
    begin_side(&both[side]);
    if (side != UNTUNED)
        num_release_caches();
}

/* Counts a run that has ended. */
static bool end_side(struct prints_job *job, const struct prints_run *run)
{
    struct diff_pair *pair = job->pair;
    const struct interp_result *r = &run->run->result;
    pair->steps += r->steps;
    pair->prints_left -=
        r->steps < pair->prints_left ? r->steps : pair->prints_left;
    job->ops += run->leaves + (double)r->keyed_ops;
    if ((double)r->degree > job->degree)
        job->degree = (double)r->degree;
    job->assumptions |= r->assumptions;
    if (r->fault == INTERP_OK)
        return true;
    if (run->side == TUNED && interp_is_fault(r->fault))
        job->out->fault = true;
    if (!job->out->refused)
        job->out->refused =
            arena_printf(pair->arena, "%s module: %s%s%s",
                         diff_side_name(run->side), interp_fault_name(r->fault),
                         r->message ? ": " : "", r->message ? r->message : "");
    return false;
}

/* Both sides, at the same time where that is worth it. What is run ahead and
 * would have had fewer steps left is run again if it needs them. */
static bool run_sides(struct prints_job *job, const struct diff_case *c,
                      struct diff_run runs[NSIDES])
{
    struct diff_pair *pair = job->pair;
    struct prints_run both[NSIDES];
    uint64_t left = pair->prints_left;
    bool together = diff_run_together(pair, c->work);
    for (size_t side = 0; side < NSIDES; side++) {
        size_t n = c->sig[side].nparams + 1;
        both[side] = (struct prints_run){
            .job = job,
            .c = c,
            .side = side,
            .threads =
                together ? diff_share_of_jobs(pair) : pair->options->jobs,
            .scalars = ARENA_ARRAY(pair->arena, n, union interp_box),
            .run = &runs[side],
        };
    }
    if (together)
        dc_parallel(NSIDES, begin_one_of, both);
    for (size_t side = 0; side < NSIDES; side++) {
        uint64_t now = pair->prints_left;
        if (!together || (now < left && runs[side].result.steps > now)) {
            diff_run_fini(&runs[side]);
            begin_side(&both[side]);
        }
        if (!end_side(job, &both[side]))
            return false;
    }
    return true;
}

static bool same_output(struct interp_keyed *k, const struct interp_tensor *u,
                        const struct interp_tensor *t)
{
    if (!u || !t || u->elements != t->elements ||
        !dtype_equal(dtype_scalar(u->dtype), dtype_scalar(t->dtype)))
        return u == t;
    for (size_t i = 0; i < u->elements; i++)
        if (!interp_keyed_same(k, u, t, i))
            return false;
    return true;
}

static bool same_outputs(const struct prints_job *job,
                         const struct diff_case *c,
                         const struct diff_run runs[NSIDES])
{
    size_t n = runs[UNTUNED].noutputs;
    if (n != runs[TUNED].noutputs)
        return false;
    struct interp_keyed *k = interp_keyed_new(&job->options);
    bool same = true;
    for (size_t i = 0; i < n && same; i++)
        if (runs[UNTUNED].relax || c->compared[i])
            same = same_output(k, runs[UNTUNED].outputs[i],
                               runs[TUNED].outputs[i]);
    interp_keyed_free(k);
    return same;
}

enum answer { REFUSED, UNEQUAL, EQUAL };

/* All sizes in one domain, under one key. */
static enum answer ask_key(struct prints_job *job)
{
    struct diff_pair *pair = job->pair;
    enum answer answer = EQUAL;
    for (size_t i = 0; i < pair->ncases && answer == EQUAL; i++) {
        const struct diff_case *c = &pair->cases[i];
        struct diff_run runs[NSIDES];
        memset(runs, 0, sizeof runs);
        if (!run_sides(job, c, runs))
            answer = REFUSED;
        else if (!same_outputs(job, c, runs))
            answer = UNEQUAL;
        diff_run_fini(&runs[UNTUNED]);
        diff_run_fini(&runs[TUNED]);
    }
    return answer;
}

/* Keys are added until the chance of error is small enough. */
static enum answer ask(struct diff_pair *pair, enum interp_domain_kind domain,
                       bool relaxed, struct diff_prints *out)
{
    double log2_error = 0;
    out->refused = NULL;
    for (unsigned k = 0; k < MAX_KEYS; k++) {
        struct prints_job job = {.pair = pair, .out = out};
        job.options = interp_default_options();
        job.options.domain = domain;
        job.options.explicit_barriers = pair->options->explicit_barriers;
        job.options.relaxed = relaxed;
        job.options.key = hash_mix(pair->options->seed, k);
        enum answer answer = ask_key(&job);
        if (answer != EQUAL)
            return answer;
        out->assumptions = job.assumptions;
        log2_error += interp_keyed_log2_error(domain, job.ops, job.degree);
        out->log2_error = log2_error;
        if (log2_error <= MAX_LOG2_ERROR)
            return EQUAL;
    }
    out->refused = "the chance of an accidental match is too large";
    return REFUSED;
}

/* ---- what may be claimed ------------------------------------------------------------- */

/* Why a claim would not be about all inputs; NULL: it is. */
static const char *restriction(const struct diff_pair *pair)
{
    for (size_t i = 0; i < pair->ncases; i++) {
        const struct diff_case *c = &pair->cases[i];
        if (diff_has_numbers(c))
            return "addresses or conditions depend on data";
        if (c->nsymbols[UNTUNED] > 0)
            return "sizes are symbolic";
    }
    return NULL;
}

/* Whether all sizes run on the fast engine: the plain interpreter's steps take
 * longer in keyed domains. */
static bool is_fast(const struct diff_pair *pair)
{
    bool fast = true;
    for (size_t i = 0; i < pair->ncases; i++)
        fast = fast && pair->cases[i].whole < pair->cases[i].work;
    return fast;
}

static double expected_work(const struct diff_pair *pair)
{
    double work = 0;
    for (size_t i = 0; i < pair->ncases; i++)
        work += pair->cases[i].whole;
    return work;
}

/* Whether some elements were never computed on numbers. Then a run in `order`
 * is what shows that no two threads store different bits to one place: values
 * that are equal up to the laws of another domain are no race there. */
static bool is_sampled(const struct diff_pair *pair)
{
    bool sampled = false;
    for (size_t i = 0; i < pair->ncases; i++)
        sampled = sampled || pair->cases[i].fewest > 0;
    return sampled;
}

/* ---- where they differ --------------------------------------------------------------- */

/* Few of many, those at both ends and some between, whatever their number. */
static void add_spot(struct diff_spots *s, size_t output, size_t element)
{
    const size_t most = DC_ARRAY_LEN(s->at);
    size_t at = s->seen < most ? s->seen : most - 1;
    if (s->seen >= most && s->seen % 2 == 0) /* the last one is kept anyway */
        s->at[1 + hash_mix(3, s->seen) % (most - 2)] = s->at[most - 1];
    s->at[at] = (struct diff_spot){output, element};
    s->seen++;
    s->n = s->seen < most ? s->seen : most;
}

static void find_spots(const struct prints_job *job, const struct diff_case *c,
                       const struct diff_run runs[NSIDES],
                       struct diff_spots *out)
{
    struct interp_keyed *k = interp_keyed_new(&job->options);
    for (size_t i = 0; i < runs[UNTUNED].noutputs; i++) {
        const struct interp_tensor *u = runs[UNTUNED].outputs[i];
        const struct interp_tensor *t = runs[TUNED].outputs[i];
        if (!u || !t || !c->compared[i] || u->elements != t->elements)
            continue;
        for (size_t e = 0; e < u->elements; e++)
            if (!interp_keyed_same(k, u, t, e))
                add_spot(out, i, e);
    }
    interp_keyed_free(k);
}

enum diff_spots_answer diff_find_spots(struct diff_pair *pair, size_t i,
                                       uint64_t budget, struct diff_spots *out)
{
    struct diff_prints prints = {0};
    struct prints_job job = {.pair = pair, .out = &prints};
    struct diff_run runs[NSIDES];
    memset(out, 0, sizeof *out);
    if (pair->relax || pair->cases[i].whole * NSIDES > (double)budget)
        return DIFF_SPOTS_UNKNOWN;
    job.options = interp_default_options();
    job.options.domain = INTERP_AC;
    job.options.relaxed = true;
    job.options.key = pair->options->seed;
    pair->prints_left = budget;
    memset(runs, 0, sizeof runs);
    bool ran = run_sides(&job, &pair->cases[i], runs);
    if (ran)
        find_spots(&job, &pair->cases[i], runs, out);
    diff_run_fini(&runs[UNTUNED]);
    diff_run_fini(&runs[TUNED]);
    if (out->n > 0)
        return DIFF_SPOTS_FOUND;
    return ran && !diff_has_numbers(&pair->cases[i]) ? DIFF_SPOTS_NONE
                                                     : DIFF_SPOTS_UNKNOWN;
}

/* Of an element of one side in a keyed domain, with its copies. */
#define KEYED_BYTES 96u

static bool keys_fit(const struct diff_pair *pair)
{
    size_t most = 0;
    for (size_t i = 0; i < pair->ncases; i++)
        if (pair->cases[i].elements > most)
            most = pair->cases[i].elements;
    return dc_memory_fits(NSIDES * most * KEYED_BYTES);
}

/* The ac domain, without assumptions where they are not needed. */
static enum answer ask_ac(struct diff_pair *pair, struct diff_prints *out)
{
    enum answer answer = ask(pair, INTERP_AC, true, out);
    if (answer != EQUAL ||
        !(out->assumptions & (INTERP_FINITE | INTERP_IN_RANGE)))
        return answer;
    struct diff_prints strict = *out;
    if (ask(pair, INTERP_AC, false, &strict) == EQUAL)
        *out = strict;
    return EQUAL;
}

void diff_fingerprint(struct diff_pair *pair, struct diff_prints *out)
{
    static const struct {
        enum interp_domain_kind domain;
        enum report_verdict verdict;
    } plan[] = {
        {INTERP_ORDER, REPORT_IDENTICAL},
        {INTERP_AC, REPORT_ORDER_ONLY},
        {INTERP_FIELD, REPORT_ALGEBRAIC},
        {INTERP_FIELD_NOCAST, REPORT_PRECISION},
    };
    memset(out, 0, sizeof *out);
    out->verdict = REPORT_UNKNOWN;
    out->restricted = restriction(pair);
    pair->prints_left = pair->options->budget / (is_fast(pair) ? 1 : 4);
    /* a claim would be for some inputs only, and no bit differs on them */
    const struct diff_tally *t = &pair->tally;
    if (out->restricted &&
        t->differing + t->one_sided + t->overflowed + t->zero_signs == 0) {
        out->refused = out->restricted;
        return;
    }
    if (expected_work(pair) > (double)pair->prints_left) {
        out->refused = "the budget does not last for keyed runs";
        return;
    }
    if (!keys_fit(pair)) {
        out->refused = "'--max-memory' leaves no room for keyed runs";
        return;
    }
    bool all = true; /* every domain so far has answered */
    for (size_t i = 0; i < DC_ARRAY_LEN(plan); i++) {
        /* numbers have shown that bits differ, and no race */
        if (plan[i].domain == INTERP_ORDER && pair->tally.differing > 0 &&
            !is_sampled(pair))
            continue;
        enum answer answer = plan[i].domain == INTERP_AC
                                 ? ask_ac(pair, out)
                                 : ask(pair, plan[i].domain, false, out);
        if (out->fault) /* refused says which */
            return;
        /* a rounding has moved only where it is known to matter */
        if (plan[i].verdict == REPORT_PRECISION && !all)
            break;
        all = all && answer != REFUSED;
        if (answer == EQUAL) {
            out->verdict = plan[i].verdict;
            return;
        }
    }
    out->looked = all;
}
