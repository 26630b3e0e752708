/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs: the reference and profiles on the samples, and how many elements they
 * give as the target does.
 *
 * Two sets of elements are picked of each output: a small one for screening
 * hypotheses, half of it elements that differ from the reference, and a larger
 * one for confirming one where only the plain interpreter can run it. Slices
 * compute no more than these need.
 */
#include "diff/drift/drift_private.h"

#include <string.h>

#define SCREENED   96u /* elements of an output picked for screening */
#define PLACES     2u  /* where they lie, and as many where some differ */
#define SLICE_WORK 1e6 /* steps of a slice, about */
/* Steps of the plain interpreter up to which a run is made whole where single
 * operations are other ones, which the fast engine takes lane by lane: */
#define LANES_SCREENED 1.6e7 /* for screening, else it is a slice; */
#define LANES_CHECKED  1e8   /* to confirm, else on the larger set */
#define MORE_FRESH     6u    /* runs to tell explanations apart, */
#define MORE_WORK      2e7   /* of at most so many steps in all */
#define PROOF_RUNS     64u   /* to tell a hypothesis from chance, */
#define PROOF_WORK     3e7   /* of at most so many steps in all */

/* ---- one run --------------------------------------------------------------------- */

static bool is_output(const struct drift_study *s, size_t param)
{
    return s->q->is_output[param];
}

void study_free_args(struct drift_study *s, struct interp_arg *args)
{
    for (size_t i = 0; args != NULL && i < s->q->nargs; i++)
        if (is_output(s, i))
            interp_tensor_free(args[i].tensor);
    dc_release(args);
}

static struct interp_arg *clone_args(struct drift_study *s,
                                     const struct interp_arg *from, bool all)
{
    struct interp_arg *args = dc_alloc((s->q->nargs + 1) * sizeof *args);
    for (size_t i = 0; i < s->q->nargs; i++) {
        args[i] = from[i];
        if (args[i].tensor != NULL && (all || is_output(s, i)))
            args[i].tensor = interp_tensor_clone(args[i].tensor);
    }
    return args;
}

struct interp_arg *study_clone_args(struct drift_study *s,
                                    const struct interp_arg *from)
{
    return clone_args(s, from, false);
}

bool study_run(struct drift_study *s, const struct drift_case *c,
               struct interp_options options, const struct drift_pick *picks,
               struct interp_arg **args)
{
    const struct drift_question *q = s->q;
    const uint8_t **demand = dc_alloc((q->nargs + 1) * sizeof *demand);
    for (size_t i = 0; picks != NULL && i < s->noutputs; i++)
        demand[picks[i].param] = picks[i].demand;
    if (picks != NULL)
        options.demand = demand;
    options.threads = q->threads;
    options.check_races = false;
    options.max_steps = s->max_steps > s->steps ? s->max_steps - s->steps : 1;
    *args = clone_args(s, c->in, false);
    struct interp_result r =
        interp_run(q->module, s->func, q->nargs, *args, &options);
    s->steps += r.steps;
    bool fine = r.fault == INTERP_OK;
    s->out_of_steps |= r.fault == INTERP_BUDGET;
    if (!fine && s->error == NULL && r.message != NULL)
        s->error = arena_strdup(s->arena, r.message);
    interp_result_fini(&r);
    dc_release(demand);
    return fine;
}

bool study_view(struct drift_study *s, const struct drift_case *c,
                enum interp_domain_kind domain, unsigned loose,
                struct interp_arg **args)
{
    struct interp_options o = interp_default_options();
    const char *error = s->error;
    o.domain = domain;
    o.loose = loose;
    bool ran = study_run(s, c, o, c->checks, args);
    s->error = error;
    return ran;
}

/* ---- picking elements -------------------------------------------------------------- */

/* Up to max / 2 such as differ, in places spread over all of them. */
static size_t pick_differing(const struct interp_tensor *want,
                             const struct interp_tensor *have, size_t max,
                             uint8_t *demand)
{
    struct dtype t = dtype_scalar(have->dtype);
    size_t n = have->elements, differ = 0, seen = 0, taken = 0;
    size_t run = max / 2 / PLACES + 1;
    for (size_t i = 0; i < n; i++)
        differ += !num_same(t, interp_tensor_get(want, i),
                            interp_tensor_get(have, i));
    size_t step = differ > max / 2 ? differ / PLACES : 1;
    for (size_t i = 0; i < n && taken < max / 2; i++) {
        if (num_same(t, interp_tensor_get(want, i), interp_tensor_get(have, i)))
            continue;
        if (seen++ % step < run) {
            demand[i] = 1;
            taken++;
        }
    }
    return taken;
}

/* Up to max more, wherever; the last one among them. */
static void pick_anywhere(size_t n, size_t max, uint8_t *demand)
{
    size_t run = max / PLACES, span = n / PLACES;
    if (n <= max || span <= run) {
        memset(demand, 1, n < max ? n : max);
        return;
    }
    for (size_t k = 0; k < PLACES; k++) {
        size_t at = k * span + (size_t)(hash_mix(k, n) % (span - run));
        memset(demand + (k + 1 < PLACES ? at : n - run), 1, run);
    }
}

/* At most max elements. They lie side by side in a few places, since a slice
 * of a tiled program costs as much for one element of a tile as for many. */
static void pick(struct drift_study *s, struct drift_case *c, size_t param,
                 size_t max, struct drift_pick *p)
{
    const struct interp_tensor *have = c->out[param].tensor;
    size_t n = have->elements, taken = 0;
    p->param = param;
    p->demand = arena_alloc(s->arena, n + 1);
    memset(p->demand, 0, n + 1);
    if (c->whole)
        taken = pick_differing(c->want[param].tensor, have, max, p->demand);
    pick_anywhere(n, max - taken, p->demand);
    p->elements = ARENA_ARRAY(s->arena, max + 1, size_t);
    for (size_t i = 0; i < n; i++)
        if (p->demand[i] != 0)
            p->elements[p->n++] = i;
}

static void pick_all(struct drift_study *s, struct drift_case *c)
{
    c->picks = ARENA_ARRAY(s->arena, s->noutputs + 1, struct drift_pick);
    c->checks = ARENA_ARRAY(s->arena, s->noutputs + 1, struct drift_pick);
    memset(c->picks, 0, (s->noutputs + 1) * sizeof *c->picks);
    memset(c->checks, 0, (s->noutputs + 1) * sizeof *c->checks);
    for (size_t i = 0; i < s->noutputs; i++) {
        pick(s, c, s->outputs[i], SCREENED, &c->picks[i]);
        pick(s, c, s->outputs[i], s->max_elements, &c->checks[i]);
    }
}

bool study_counts(const struct interp_tensor *want, size_t i, bool same)
{
    unsigned state = want->state[i];
    return (state & INTERP_DEFINED) != 0 && (state & INTERP_SKIPPED) == 0 &&
           (!same || (state & INTERP_WRITTEN) != 0);
}

/* ---- comparison ----------------------------------------------------------------------- */

static void compare_element(struct drift_score *score,
                            const struct interp_tensor *a,
                            const struct interp_tensor *b, size_t i)
{
    uint64_t x = interp_tensor_get(a, i);
    bool same = num_same(dtype_scalar(a->dtype), x, interp_tensor_get(b, i));
    if (!study_counts(a, i, same))
        return;
    score->compared++;
    score->equal += same;
    score->print = hash_mix(score->print, x);
}

void study_compare(struct drift_study *s, struct drift_score *score,
                   const struct interp_arg *a, const struct interp_arg *b,
                   const struct drift_pick *picks)
{
    for (size_t o = 0; o < s->noutputs; o++) {
        const struct interp_tensor *x = a[s->outputs[o]].tensor;
        const struct interp_tensor *y = b[s->outputs[o]].tensor;
        size_t n = picks != NULL ? picks[o].n : x->elements;
        for (size_t i = 0; i < n; i++)
            compare_element(score, x, y,
                            picks != NULL ? picks[o].elements[i] : i);
    }
}

static struct interp_options options_of(const struct num_profile *p)
{
    struct interp_options o = interp_default_options();
    o.profile = p;
    return o;
}

/* Whether slices save work. */
static bool is_small(const struct drift_study *s, const struct drift_case *c,
                     size_t max)
{
    for (size_t o = 0; o < s->noutputs; o++)
        if (c->in[s->outputs[o]].tensor->elements > max)
            return false;
    return true;
}

/* Whether the fast engine takes one lane after the other. */
static bool is_lane_by_lane(const struct num_profile *p)
{
    return p != NULL && num_profile_is_scalar(p);
}

static bool is_short(const struct drift_study *s, double most)
{
    return s->q->plain_work > 0 && s->q->plain_work <= most;
}

/* The whole case on the fast engine, where that is less work than a slice. */
static bool run_fast(struct drift_study *s, const struct drift_case *c,
                     struct interp_options o, struct interp_arg **args)
{
    const char *error = s->error;
    if (s->q->work <= 0 || s->q->work > SLICE_WORK ||
        (is_lane_by_lane(o.profile) && !is_short(s, LANES_SCREENED)))
        return false;
    o.engine = INTERP_ENGINE_FAST;
    bool ran = study_run(s, c, o, NULL, args);
    if (!ran)
        study_free_args(s, *args);
    s->error = error;
    return ran;
}

bool study_run_picks(struct drift_study *s, const struct drift_case *c,
                     struct interp_options options, struct interp_arg **args)
{
    return run_fast(s, c, options, args) ||
           study_run(s, c, options, c->picks, args);
}

bool study_screen_case(struct drift_study *s, struct drift_case *c,
                       const struct num_profile *p, struct drift_score *score)
{
    struct interp_arg *args;
    bool ran = is_small(s, c, SCREENED)
                   ? study_run(s, c, options_of(p), NULL, &args)
                   : study_run_picks(s, c, options_of(p), &args);
    if (ran)
        study_compare(s, score, args, c->out, c->picks);
    score->failed |= !ran;
    study_free_args(s, args);
    return ran;
}

struct drift_score study_screen(struct drift_study *s,
                                const struct num_profile *p)
{
    struct drift_score score = {0};
    for (size_t i = 0; i < s->ncases; i++) {
        struct drift_case *c = &s->cases[i];
        if ((c->exact && !c->differs) || (c->fresh && !s->screen_fresh) ||
            (c->probe && !s->screen_probes))
            continue;
        if (!study_screen_case(s, c, p, &score))
            break;
    }
    return score;
}

bool study_compute(struct drift_study *s, struct drift_case *c,
                   const struct num_profile *p, struct interp_arg **args,
                   const struct drift_pick **picks)
{
    struct interp_options o = options_of(p);
    bool small = is_small(s, c, s->max_elements);
    o.engine = small ? INTERP_ENGINE_AUTO : INTERP_ENGINE_FAST;
    const char *error = s->error;
    *picks = NULL;
    if (small || !is_lane_by_lane(p) || is_short(s, LANES_CHECKED)) {
        bool ran = study_run(s, c, o, NULL, args);
        s->error = error;
        if (ran)
            return true;
        study_free_args(s, *args);
    }
    *picks = c->checks;
    if (study_run(s, c, options_of(p), c->checks, args))
        return true;
    study_free_args(s, *args);
    *args = NULL;
    return false;
}

struct drift_score study_check(struct drift_study *s,
                               const struct num_profile *p)
{
    struct drift_score score = {.everywhere = true};
    for (size_t i = 0; i < s->ncases && score.equal == score.compared; i++) {
        struct drift_case *c = &s->cases[i];
        size_t before = score.compared;
        struct interp_arg *args;
        const struct drift_pick *picks;
        score.failed = !study_compute(s, c, p, &args, &picks);
        score.everywhere &= picks == NULL;
        if (score.failed)
            break;
        study_compare(s, &score, args, c->out, picks);
        study_free_args(s, args);
        score.at_fresh = score.equal < score.compared && c->fresh;
        if (i == 0)
            score.each = score.compared;
        else if (score.compared - before != score.each)
            score.each = 0;
    }
    return score;
}

/* ---- start ---------------------------------------------------------------------------- */

/* The reference on one case: whole if the budget allows, else sampled. */
static bool run_reference(struct drift_study *s, struct drift_case *c)
{
    struct interp_options o = options_of(NULL);
    uint64_t before = s->steps, all = s->max_steps;
    c->whole = c->borrowed;
    if (c->whole)
        return true;
    s->max_steps = s->steps + (all - s->steps) / 4;
    c->whole = study_run(s, c, o, NULL, &c->want);
    s->max_steps = all;
    if (c->whole)
        return true;
    if (!s->out_of_steps)
        return false;
    s->steps = before;
    s->out_of_steps = false;
    s->error = NULL;
    study_free_args(s, c->want);
    c->want = NULL;
    return true;
}

/* Whether the target has an element otherwise than the reference. */
static bool case_differs(const struct drift_study *s,
                         const struct drift_case *c)
{
    for (size_t o = 0; o < s->noutputs; o++) {
        const struct interp_tensor *want = c->want[s->outputs[o]].tensor;
        const struct interp_tensor *have = c->out[s->outputs[o]].tensor;
        struct dtype t = dtype_scalar(want->dtype);
        for (size_t i = 0; i < want->elements; i++)
            if ((want->state[i] & INTERP_DEFINED) &&
                !num_same(t, interp_tensor_get(want, i),
                          interp_tensor_get(have, i)))
                return true;
    }
    return false;
}

/* What a sampled reference found is not kept: only the picks are known. */
static bool add_case(struct drift_study *s, const struct drift_sample *sample,
                     bool fresh)
{
    struct drift_case *c = &s->cases[s->ncases];
    memset(c, 0, sizeof *c);
    c->in = sample->in;
    c->out = sample->out;
    c->label = sample->label;
    c->exact = sample->exact;
    c->fresh = fresh;
    c->usual = sample->usual;
    c->probe = sample->probe;
    c->want = sample->want;
    c->borrowed = sample->want != NULL;
    s->ncases++;
    if (!run_reference(s, c))
        return false;
    pick_all(s, c);
    if (!c->whole && !study_run(s, c, options_of(NULL), c->checks, &c->want))
        return false;
    c->differs = case_differs(s, c);
    return true;
}

bool study_start(struct drift_study *s)
{
    const struct drift_question *q = s->q;
    s->func = q->func;
    s->max_elements = q->max_elements > 0 ? q->max_elements : 512;
    s->max_steps = q->max_steps > 0 ? q->max_steps : UINT64_C(2000000000);
    s->nfresh = q->fresh == NULL || q->run == NULL ? 0
                : q->nfresh > 0                    ? q->nfresh
                                                   : 2;
    for (s->nextra = s->nfresh > 0 ? MORE_FRESH : 0;
         s->nextra > 0 && q->work * s->nextra > MORE_WORK;)
        s->nextra--;
    for (s->nproof = s->nfresh > 0 ? PROOF_RUNS : 0;
         s->nproof > s->nextra && q->work * s->nproof > PROOF_WORK;)
        s->nproof--;
    s->outputs = ARENA_ARRAY(s->arena, q->nargs + 1, size_t);
    for (size_t i = 0; i < q->nargs; i++)
        if (q->is_output[i])
            s->outputs[s->noutputs++] = i;
    s->cases = ARENA_ARRAY(s->arena, q->nsamples + s->nfresh + s->nproof + 1,
                           struct drift_case);
    for (size_t i = 0; i < q->nsamples; i++)
        if (!add_case(s, &q->samples[i], false))
            return false;
    s->screen_probes = true;
    for (size_t i = 0; i < s->ncases; i++)
        s->screen_probes &= s->cases[i].probe || !s->cases[i].differs;
    return true;
}

static void free_all(struct drift_study *s, struct interp_arg *args)
{
    for (size_t i = 0; i < s->q->nargs; i++)
        interp_tensor_free(args[i].tensor);
    dc_release(args);
}

void study_end(struct drift_study *s)
{
    for (size_t i = 0; i < s->ncases; i++) {
        if (!s->cases[i].borrowed)
            study_free_args(s, s->cases[i].want);
        if (s->cases[i].fresh) {
            free_all(s, s->cases[i].in);
            study_free_args(s, s->cases[i].out);
        }
    }
}

/* Those of other contents. */
static void drop_boxes(struct drift_study *s, struct interp_arg *args)
{
    for (size_t i = 0; i < s->q->nargs; i++)
        if (args[i].tensor != NULL) {
            dc_release(args[i].tensor->box);
            args[i].tensor->box = NULL;
        }
}

/* Another run on fresh inputs. False: there are no more, or study->error. */
static bool add_fresh(struct drift_study *s)
{
    const struct drift_question *q = s->q;
    struct interp_arg *in = clone_args(s, q->samples[0].in, true);
    unsigned k = s->nfresh_done;
    drop_boxes(s, in);
    if (!q->fresh(q->user, k, in)) {
        s->nfresh = s->nextra = s->nproof = 0;
        free_all(s, in);
        return false;
    }
    struct interp_arg *out = clone_args(s, in, false);
    const char *why = "it failed";
    s->nfresh_done++;
    if (!q->run(q->user, out, s->arena, &why)) {
        s->error = why;
        s->error_is_targets = true;
        free_all(s, in);
        study_free_args(s, out);
        return false;
    }
    struct drift_sample sample = {
        .in = in, .out = out, .label = "fresh", .usual = true};
    return add_case(s, &sample, true);
}

bool study_freshen(struct drift_study *s)
{
    while (s->nfresh_done < s->nfresh)
        if (!add_fresh(s))
            break;
    return !s->error_is_targets;
}

bool study_more(struct drift_study *s)
{
    if (s->nfresh_done >= s->nfresh + s->nextra)
        return false;
    return add_fresh(s);
}

bool study_prove_more(struct drift_study *s)
{
    if (s->nfresh_done >= s->nfresh + s->nproof)
        return false;
    return add_fresh(s);
}
