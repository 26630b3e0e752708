/* SPDX-License-Identifier: Apache-2.0
 *
 * Are two outputs the same?
 *
 * Bits that differ prove something only where nothing rounded: the
 * interpreter carries that with each element. Elsewhere enclosures of the
 * real-valued results decide; no tolerance appears anywhere. NaN and infinity
 * on one side alone, and zeros of different sign, follow from another order
 * of the same terms (overflow, 0 + -0), so they are counted as warnings until
 * an engine that tells order apart has looked at the pair.
 */
#include "diff/engine/engine.h"

#include <math.h>

bool diff_is_compared(const struct diff_case *c, const struct diff_run *run,
                      size_t i)
{
    return run->outputs[i] && (run->relax || c->compared[i]);
}

static bool is_zero(struct dtype t, uint64_t bits)
{
    return num_to_double(t, bits) == 0;
}

static bool is_finite(struct dtype t, uint64_t bits)
{
    return !num_is_nan(t, bits) && !num_is_inf(t, bits);
}

struct bits_job {
    struct diff_tally *tally;
    struct diff_judgement *out;
    bool control; /* control or addresses rounded somewhere */
    bool nonzero_input;
};

/* Two defined values with different bits; true when that is a finding. */
static bool judge_values(struct bits_job *job, struct dtype t, uint64_t a,
                         uint64_t b, bool exact, bool *sided)
{
    struct diff_tally *tally = job->tally;
    if (dtype_is_float(t)) {
        bool nan = num_is_nan(t, a) || num_is_nan(t, b);
        bool inf = num_is_inf(t, a) || num_is_inf(t, b);
        if (nan || (inf && !(exact && job->nonzero_input))) {
            tally->one_sided++;
            *sided = true;
            return false;
        }
        if (is_zero(t, a) && is_zero(t, b)) {
            tally->zero_signs++;
            return false;
        }
    }
    if (exact)
        return true;
    uint64_t ulp = num_ulp_distance(t, a, b);
    tally->differing++;
    if (ulp > tally->max_ulp)
        tally->max_ulp = ulp;
    return false;
}

bool diff_left_undefined(unsigned untuned, unsigned tuned)
{
    return !((untuned | tuned) & INTERP_SKIPPED) &&
           (untuned & INTERP_DEFINED) && !(tuned & INTERP_DEFINED);
}

static void judge_defined(struct diff_judgement *out,
                          const struct interp_tensor *u,
                          const struct interp_tensor *t, size_t at, size_t i)
{
    if (!diff_left_undefined(u->state[i], t->state[i]))
        return;
    out->kind = DIFF_UNDEFINED;
    out->output = at;
    out->element = i;
}

/* One element of output `at` of the runs. */
static void judge_element(struct bits_job *job, const struct interp_tensor *u,
                          const struct interp_tensor *t, size_t at, size_t i)
{
    if (job->out->kind == DIFF_VALUE) { /* an undefined one would be worse */
        judge_defined(job->out, u, t, at, i);
        return;
    }
    struct dtype type = dtype_scalar(u->dtype);
    struct diff_judgement *out = job->out;
    unsigned su = u->state[i], st = t->state[i];
    if ((su | st) & INTERP_SKIPPED)
        return;
    if (!(su & INTERP_DEFINED)) {
        job->tally->undefined++;
        job->tally->tuned_defines |= (st & INTERP_DEFINED) != 0;
        return;
    }
    bool exact = !((su | st) & INTERP_INEXACT) && !job->control;
    uint64_t differing = job->tally->differing;
    bool sided = false;
    if (!(st & INTERP_DEFINED)) {
        out->kind = DIFF_UNDEFINED;
    } else {
        job->tally->elements++;
        out->inexact |= !exact;
        if (num_same(type, interp_tensor_get(u, i), interp_tensor_get(t, i)))
            job->tally->exact_equal += exact ? 1 : 0;
        else if (judge_values(job, type, interp_tensor_get(u, i),
                              interp_tensor_get(t, i), exact, &sided))
            out->kind = DIFF_VALUE;
        if (sided && out->nsided < DC_ARRAY_LEN(out->sided)) {
            out->sided[out->nsided].output = at;
            out->sided[out->nsided].exact = exact;
            out->sided[out->nsided].finite =
                is_finite(type, interp_tensor_get(u, i)) ||
                is_finite(type, interp_tensor_get(t, i));
            out->sided[out->nsided++].element = i;
        }
    }
    bool first = job->tally->differing > differing && !out->rounding;
    if (out->kind != DIFF_NOTHING || first) {
        out->output = at;
        out->element = i;
        out->rounding |= first;
    }
}

/* One output, which is number `at` of the runs. */
static void judge_tensor(struct bits_job *job, const struct interp_tensor *u,
                         const struct interp_tensor *t, size_t at)
{
    for (size_t i = 0; i < u->elements && job->out->kind != DIFF_UNDEFINED; i++)
        judge_element(job, u, t, at, i);
}

/* Of one type and shape; of parameters, which have the sides' own shapes, as
 * many elements of one type. */
static bool same_output(const struct interp_tensor *a,
                        const struct interp_tensor *b, bool relax)
{
    bool fine = a->elements == b->elements && (!relax || a->rank == b->rank) &&
                dtype_equal(dtype_scalar(a->dtype), dtype_scalar(b->dtype));
    for (size_t i = 0; fine && relax && i < a->rank; i++)
        fine = a->shape[i] == b->shape[i];
    return fine;
}

bool diff_same_outputs(const struct diff_run runs[NSIDES], size_t *at)
{
    const struct diff_run *u = &runs[UNTUNED], *t = &runs[TUNED];
    for (*at = 0; *at < u->noutputs && *at < t->noutputs; (*at)++) {
        const struct interp_tensor *a = u->outputs[*at], *b = t->outputs[*at];
        if (!a != !b || (a && !same_output(a, b, u->relax)))
            return false;
    }
    return u->noutputs == t->noutputs;
}

struct diff_judgement diff_judge_bits(struct diff_tally *tally,
                                      const struct diff_case *c,
                                      const struct diff_run runs[NSIDES],
                                      bool nonzero_input)
{
    struct diff_judgement out = {0};
    struct bits_job job = {.tally = tally,
                           .out = &out,
                           .control = runs[UNTUNED].result.control_inexact ||
                                      runs[TUNED].result.control_inexact,
                           .nonzero_input = nonzero_input};
    if (!diff_same_outputs(runs, &out.output)) {
        out.kind = DIFF_VALUE;
        return out;
    }
    for (size_t i = 0; i < runs[UNTUNED].noutputs; i++) {
        if (out.kind != DIFF_UNDEFINED &&
            diff_is_compared(c, &runs[UNTUNED], i))
            judge_tensor(&job, runs[UNTUNED].outputs[i], runs[TUNED].outputs[i],
                         i);
    }
    tally->exact_runs += out.inexact ? 0 : 1;
    return out;
}

bool diff_leaves_undefined(const struct diff_case *c,
                           const struct diff_run *run, size_t *output,
                           size_t *element)
{
    for (*output = 0; *output < run->noutputs; ++*output) {
        const struct interp_tensor *t = run->outputs[*output];
        if (!diff_is_compared(c, run, *output))
            continue;
        for (*element = 0; *element < t->elements; ++*element)
            if (!(t->state[*element] & (INTERP_SKIPPED | INTERP_DEFINED)))
                return true;
    }
    return false;
}

bool diff_is_borne(struct diff_pair *pair, const struct diff_case *c,
                   const struct diff_recipe *recipe)
{
    struct diff_run run;
    size_t output, element;
    diff_run(pair, c, UNTUNED, recipe, INTERP_IEEE, NULL, &run);
    bool fine = run.result.fault == INTERP_OK &&
                !diff_leaves_undefined(c, &run, &output, &element);
    diff_run_fini(&run);
    return fine;
}

enum diff_finding_kind diff_judge_one(const struct diff_run runs[NSIDES],
                                      bool nonzero_input, size_t output,
                                      size_t element)
{
    struct diff_tally tally = {0};
    struct diff_judgement out = {0};
    struct bits_job job = {.tally = &tally,
                           .out = &out,
                           .control = runs[UNTUNED].result.control_inexact ||
                                      runs[TUNED].result.control_inexact,
                           .nonzero_input = nonzero_input};
    size_t at;
    if (diff_same_outputs(runs, &at))
        judge_element(&job, runs[UNTUNED].outputs[output],
                      runs[TUNED].outputs[output], output, element);
    return out.kind;
}

/* ---- inputs with NaN and infinities ------------------------------------------------ */

/* What two runs show at an element. */
struct apart {
    bool differ; /* both are there, and no zeros of two signs */
    bool exact;
    bool sided; /* one is a number, the other NaN or an infinity */
};

static struct apart apart_at(const struct diff_run runs[NSIDES], size_t output,
                             size_t i)
{
    const struct interp_tensor *u = runs[UNTUNED].outputs[output];
    const struct interp_tensor *t = runs[TUNED].outputs[output];
    struct dtype type = dtype_scalar(u->dtype);
    unsigned su = u->state[i], st = t->state[i];
    struct apart out = {0};
    if (((su | st) & INTERP_SKIPPED) || !(su & st & INTERP_DEFINED))
        return out;
    uint64_t a = interp_tensor_get(u, i), b = interp_tensor_get(t, i);
    bool floats = dtype_is_float(type);
    out.differ = !num_same(type, a, b) &&
                 !(floats && is_zero(type, a) && is_zero(type, b));
    out.exact = !((su | st) & INTERP_INEXACT) &&
                !runs[UNTUNED].result.control_inexact &&
                !runs[TUNED].result.control_inexact;
    out.sided = floats && is_finite(type, a) != is_finite(type, b);
    return out;
}

bool diff_any_apart(const struct diff_case *c,
                    const struct diff_run runs[NSIDES])
{
    size_t at;
    if (!diff_same_outputs(runs, &at))
        return false;
    for (size_t i = 0; i < runs[UNTUNED].noutputs; i++) {
        if (!diff_is_compared(c, &runs[UNTUNED], i))
            continue;
        for (size_t e = 0; e < runs[UNTUNED].outputs[i]->elements; e++)
            if (apart_at(runs, i, e).differ)
                return true;
    }
    return false;
}

enum diff_finding_kind diff_judge_lenient(const struct diff_case *c,
                                          const struct diff_run runs[NSIDES],
                                          const struct diff_run lenient[NSIDES],
                                          bool sided, size_t *output,
                                          size_t *element)
{
    size_t at;
    if (!diff_same_outputs(runs, &at) || !diff_same_outputs(lenient, &at))
        return DIFF_NOTHING;
    for (*output = 0; *output < runs[UNTUNED].noutputs; ++*output) {
        if (!diff_is_compared(c, &runs[UNTUNED], *output))
            continue;
        size_t n = runs[UNTUNED].outputs[*output]->elements;
        for (*element = 0; *element < n; ++*element) {
            struct apart a = apart_at(runs, *output, *element);
            struct apart b = apart_at(lenient, *output, *element);
            if (a.differ && a.exact && b.differ && b.exact)
                return DIFF_VALUE;
            if (sided && a.sided && b.sided)
                return DIFF_SIDED;
        }
    }
    return DIFF_NOTHING;
}

/* ---- enclosures ---------------------------------------------------------------------- */

static bool is_bounded(struct num_interval x)
{
    return x.lo > -HUGE_VAL && x.hi < HUGE_VAL && !x.nan;
}

/* No real number at all: the result is undefined over the reals. */
static bool is_nothing(struct num_interval x)
{
    return x.nan && x.lo > x.hi;
}

/* Real results that cannot be equal: no number in common, or a number on one
 * side and none on the other. */
static bool is_apart(struct num_interval a, struct num_interval b)
{
    return num_interval_disjoint(a, b) || (is_nothing(a) && !b.nan) ||
           (is_nothing(b) && !a.nan);
}

/* One of the element's enclosures has no bounds. */
static bool unbounded(const struct diff_run runs[NSIDES], size_t output,
                      size_t element)
{
    const struct interp_tensor *u = runs[UNTUNED].outputs[output];
    const struct interp_tensor *t = runs[TUNED].outputs[output];
    return u->box && t->box &&
           !(is_bounded(u->box[element].range) &&
             is_bounded(t->box[element].range));
}

bool diff_boxes_apart(const struct diff_run runs[NSIDES], size_t output,
                      size_t element)
{
    const struct interp_tensor *u = runs[UNTUNED].outputs[output];
    const struct interp_tensor *t = runs[TUNED].outputs[output];
    return u->box && t->box && dtype_is_float(u->dtype) &&
           !((u->state[element] | t->state[element]) & INTERP_SKIPPED) &&
           (u->state[element] & t->state[element] & INTERP_DEFINED) &&
           is_apart(u->box[element].range, t->box[element].range);
}

struct diff_judgement diff_judge_boxes(struct diff_tally *tally,
                                       const struct diff_case *c,
                                       const struct diff_run runs[NSIDES],
                                       const struct diff_judgement *bits)
{
    struct diff_judgement out = {0};
    size_t at;
    if (!diff_same_outputs(runs, &at))
        return out;
    for (size_t k = 0; k < bits->nsided; k++)
        out.unexplained |=
            unbounded(runs, bits->sided[k].output, bits->sided[k].element);
    for (size_t i = 0; i < runs[UNTUNED].noutputs; i++) {
        const struct interp_tensor *u = runs[UNTUNED].outputs[i];
        const struct interp_tensor *t = runs[TUNED].outputs[i];
        if (!diff_is_compared(c, &runs[UNTUNED], i) ||
            !dtype_is_float(u->dtype) || !u->box || !t->box)
            continue;
        for (size_t e = 0; e < u->elements; e++) {
            if (((u->state[e] | t->state[e]) & INTERP_SKIPPED) ||
                !(u->state[e] & t->state[e] & INTERP_DEFINED))
                continue;
            if (is_apart(u->box[e].range, t->box[e].range)) {
                out.kind = DIFF_ENCLOSURE;
                out.output = i;
                out.element = e;
                return out;
            }
            tally->enclosed++;
            if (!is_bounded(u->box[e].range) || !is_bounded(t->box[e].range))
                tally->unbounded++;
        }
    }
    return out;
}
