/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether differences that nothing explains look like rounding at all.
 *
 * A bound holds for the worst case, which is far from the usual one: a sum of n
 * terms errs by n units at most and by some sqrt(n) as a rule, and a literal
 * that is wrong in its fifth digit hides below. But rounding has no preferred
 * sign, it has about the same size whatever the order, and no element stands
 * out. So the errors of the target, and those of the reference, are taken from
 * the value over the real numbers (the middle of its enclosure, where that is
 * narrow), in units of the reference's running error bound of that element and
 * one rounding of its terms (by chance an order rounds little, where others have
 * larger partial sums):
 *
 *   spread   the target's root mean square, on each input, at most 3 times that
 *            of the reference, allowing for functions off by a unit in the last
 *            place where these are declared;
 *   outlier  no element off by more than 8 times as much;
 *   element  none off by 3 times as much on the mean of six inputs or more;
 *   sign     over all inputs, no mean of more than a third of the reference's
 *            root mean square beside what chance may make.
 *
 * Only inputs of usual size count: next to overflow and underflow errors are no
 * statistics.
 */
#include "diff/drift/drift_private.h"

#include <math.h>

#define LEAST   64u /* elements that make a statistic */
#define SPREAD  2.25
#define OUTLIER 8.0
#define SIGN    0.35
#define ELEMENT 9.0
#define INPUTS  6u       /* of an element, that make a statistic */
#define MOST    1000000u /* elements of an output that are kept apart */
#define CHANCE  6.0

struct errors {
    size_t n;
    double have, signed_have; /* sums of the target's errors; of those away
                                 from 0 */
    double have2, reference2; /* of squares */
    double allowed2;
};

/* Of one output: of all its elements, and of each. */
struct output_errors {
    struct errors all;
    size_t n;
    struct errors *each; /* NULL: too many */
};

/* What is known of one element, in units of its bound. */
struct error {
    double have, reference, sign;
    double function, unit;
};

/* Enclosures, bounds and the target's outputs of one case. */
struct views {
    const struct drift_case *c;
    struct interp_arg *strict, *functions, *range;
};

/* ---- runs ------------------------------------------------------------------------- */

/* The boxes of inputs are those of bounds by now. */
static bool run_range(struct drift_study *s, const struct drift_case *c,
                      struct interp_arg **args)
{
    struct drift_case plain = *c;
    size_t n = s->q->nargs;
    plain.in = dc_alloc((n + 1) * sizeof *plain.in);
    for (size_t i = 0; i < n; i++) {
        plain.in[i] = c->in[i];
        if (c->in[i].tensor == NULL)
            continue;
        plain.in[i].tensor = interp_tensor_clone(c->in[i].tensor);
        dc_release(plain.in[i].tensor->box);
        plain.in[i].tensor->box = NULL;
    }
    bool ran = study_view(s, &plain, INTERP_INTERVAL, 0, args);
    for (size_t i = 0; i < n; i++)
        if (plain.in[i].tensor != NULL) {
            if (!s->q->is_output[i])
                (*args)[i].tensor = NULL;
            interp_tensor_free(plain.in[i].tensor);
        }
    dc_release(plain.in);
    return ran;
}

/* ---- elements ---------------------------------------------------------------------- */

/* Next to subnormal numbers, which are rounded otherwise. */
static bool is_tiny(struct dtype t, double x)
{
    double u = drift_unit_roundoff(t);
    return fabs(x) < num_to_double(t, num_min_positive(t)) / (u * u);
}

/* False: nothing can be said of it. */
static bool error_of(const struct views *v, size_t param, size_t e,
                     struct error *out)
{
    const struct interp_tensor *have = v->c->out[param].tensor;
    const struct interp_tensor *strict = v->strict[param].tensor;
    const struct interp_tensor *loose = v->functions[param].tensor;
    const struct interp_tensor *range = v->range[param].tensor;
    struct dtype t = dtype_scalar(have->dtype);
    if (strict->box == NULL || range->box == NULL || loose->box == NULL ||
        !(strict->state[e] & range->state[e] & INTERP_DEFINED))
        return false;
    const struct interp_bound *b = &strict->box[e].bound;
    const struct num_interval *r = &range->box[e].range;
    double want = num_to_double(t, b->bits);
    double got = num_to_double(t, interp_tensor_get(have, e));
    double u = drift_unit_roundoff(t);
    double x = r->lo + (r->hi - r->lo) / 2, unit = b->error + u * b->terms;
    if (r->nan || !isfinite(x) || !isfinite(unit) || !isfinite(want) ||
        !isfinite(got) || unit <= 0 || is_tiny(t, x) ||
        !(r->hi - r->lo <= unit / 16))
        return false;
    out->have = (got - x) / unit;
    out->reference = (want - x) / unit;
    out->sign = x < 0 ? -1 : 1;
    out->function = (loose->box[e].bound.error - b->error) / 4 / unit;
    out->unit = u * fabs(x) / unit;
    return isfinite(out->function);
}

static double square(double x)
{
    return x * x;
}

static double allowance(const struct error *e)
{
    return 4 * square(e->reference) + square(e->function) + square(e->unit);
}

static void add(struct errors *sum, const struct error *e)
{
    sum->n++;
    sum->have += e->have;
    sum->signed_have += e->have * e->sign;
    sum->have2 += square(e->have);
    sum->reference2 += square(e->reference);
    sum->allowed2 += allowance(e);
}

/* ---- judgement ----------------------------------------------------------------------- */

static const char *judge_spread(struct drift_study *s, const struct errors *e,
                                const char *label)
{
    if (e->n < LEAST || e->have2 <= SPREAD * e->allowed2)
        return NULL;
    return arena_printf(
        s->arena,
        "on %s its errors are %.3g times those of the interpreter, more than "
        "another order or function makes",
        label, sqrt(e->have2 / (e->reference2 > 0 ? e->reference2 : 1e-30)));
}

static const char *judge_outliers(struct drift_study *s, const struct views *v,
                                  size_t param, const struct drift_pick *p,
                                  const struct errors *sum)
{
    size_t out = 0;
    double allowed = sum->allowed2 / (double)sum->n;
    for (size_t i = 0; i < p->n && sum->n >= LEAST; i++) {
        struct error e;
        if (error_of(v, param, p->elements[i], &e))
            out += fabs(e.have) >
                   OUTLIER *
                       sqrt(fmax(allowed, square(e.function)) + square(e.unit));
    }
    return out == 0 ? NULL
                    : arena_printf(s->arena,
                                   "on %s %zu of %zu elements stand out from "
                                   "the errors of all others",
                                   v->c->label, out, p->n);
}

static const char *judge_elements(struct drift_study *s,
                                  const struct output_errors *o)
{
    size_t out = 0;
    for (size_t i = 0; i < o->n && o->each != NULL; i++)
        out += o->each[i].n >= INPUTS &&
               o->each[i].have2 > ELEMENT * o->each[i].allowed2;
    return out == 0 ? NULL
                    : arena_printf(s->arena,
                                   "%zu elements are off by more than the "
                                   "others on most inputs",
                                   out);
}

static const char *judge_sign(struct drift_study *s, const struct errors *e)
{
    double n = (double)e->n;
    if (e->n < LEAST)
        return NULL;
    double limit = SIGN * sqrt(e->allowed2 / n / 4) +
                   CHANCE * sqrt(e->have2 / n / (n / 4));
    double mean = fmax(fabs(e->have), fabs(e->signed_have)) / n;
    if (mean <= limit)
        return NULL;
    return arena_printf(s->arena,
                        "its errors have one sign: a mean of %.3g times the "
                        "size that they have",
                        mean / sqrt(e->have2 / n));
}

static const char *judge_output(struct drift_study *s, const struct views *v,
                                size_t output, struct output_errors *o)
{
    size_t param = s->outputs[output];
    const struct drift_pick *p = &v->c->checks[output];
    struct errors sum = {0};
    for (size_t i = 0; i < p->n; i++) {
        struct error e;
        if (!error_of(v, param, p->elements[i], &e))
            continue;
        add(&sum, &e);
        add(&o->all, &e);
        if (o->each != NULL)
            add(&o->each[p->elements[i]], &e);
    }
    const char *why = judge_spread(s, &sum, v->c->label);
    return why != NULL ? why : judge_outliers(s, v, param, p, &sum);
}

/* *ran: whether anything could be told. */
static const char *judge_case(struct drift_study *s, const struct drift_case *c,
                              unsigned loose, struct output_errors *all,
                              bool *ran)
{
    struct views v = {c, NULL, NULL, NULL};
    const char *why = NULL;
    *ran = study_view(s, c, INTERP_BOUND, 0, &v.strict);
    v.functions = v.strict;
    if (*ran && loose != 0)
        *ran = study_view(s, c, INTERP_BOUND, loose, &v.functions);
    *ran = *ran && run_range(s, c, &v.range);
    for (size_t o = 0; o < s->noutputs && *ran && why == NULL; o++)
        why = judge_output(s, &v, o, &all[o]);
    if (v.functions != v.strict)
        study_free_args(s, v.functions);
    study_free_args(s, v.strict);
    study_free_args(s, v.range);
    return why;
}

const char *drift_errors(struct drift_study *s)
{
    struct output_errors *all =
        ARENA_ARRAY(s->arena, s->noutputs + 1, struct output_errors);
    bool functions = drift_may(&s->q->declared, NUM_T_FUNCTIONS);
    const char *why = NULL;
    bool ran = true;
    for (size_t o = 0; o < s->noutputs && s->ncases > 0; o++) {
        all[o].n = s->cases[0].in[s->outputs[o]].tensor->elements;
        all[o].each = all[o].n > MOST
                          ? NULL
                          : ARENA_ARRAY(s->arena, all[o].n + 1, struct errors);
    }
    for (size_t k = 0; k < s->ncases && why == NULL && ran; k++)
        if (s->cases[k].usual)
            why = judge_case(s, &s->cases[k],
                             functions ? INTERP_LOOSE_FUNCTIONS : 0, all, &ran);
    for (size_t o = 0; o < s->noutputs && why == NULL; o++) {
        why = judge_spread(s, &all[o].all, "all inputs");
        if (why == NULL)
            why = judge_elements(s, &all[o]);
        if (why == NULL)
            why = judge_sign(s, &all[o].all);
    }
    return why;
}
