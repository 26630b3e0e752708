/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging without a hypothesis: a difference where no operation rounds is
 * wrong; any other that nothing explains is measured against the running error
 * bound of that element (docs/semantics.md, B1 to B7).
 *
 * The bound holds for the reference. A target has one like it, or where it
 * declares other orders or functions one for these (B7), so the sum of both is
 * the line. It names an outcome, and never makes a difference legal that exact
 * inputs show where nothing rounds, nor one that does not look like rounding
 * (drift_errors.c), nor one of a target that loses something of a term alone
 * (drift_lone.c).
 */
#include "diff/drift/drift_private.h"

#include <math.h>
#include <string.h>

static bool is_exact(const struct interp_tensor *want, size_t i)
{
    unsigned state = want->state[i];
    return (state & INTERP_DEFINED) && !(state & INTERP_INEXACT) &&
           !(state & INTERP_SKIPPED);
}

bool drift_judge_exact(struct drift_study *s, struct drift_answer *a)
{
    size_t wrong = 0, looked = 0;
    double largest = -1;
    bool from_plain = false;
    for (size_t k = 0; k < s->ncases; k++) {
        const struct drift_case *c = &s->cases[k];
        bool plain = k >= s->q->nsamples || !s->q->samples[k].probe;
        for (size_t o = 0; o < s->noutputs && c->exact; o++) {
            const struct interp_tensor *want = c->want[s->outputs[o]].tensor;
            const struct interp_tensor *have = c->out[s->outputs[o]].tensor;
            struct dtype t = dtype_scalar(want->dtype);
            for (size_t i = 0; i < want->elements; i++) {
                uint64_t x = interp_tensor_get(want, i);
                uint64_t y = interp_tensor_get(have, i);
                if (!is_exact(want, i))
                    continue;
                looked++;
                if (num_same(t, x, y))
                    continue;
                wrong++;
                double d = fabs(num_to_double(t, y) - num_to_double(t, x));
                if (isnan(d))
                    d = HUGE_VAL;
                /* among NaN and infinities terms do not tell themselves */
                if (plain == from_plain ? d <= largest : from_plain)
                    continue;
                largest = d;
                from_plain = plain;
                a->stats.worst_sample = k;
                a->stats.worst_param = s->outputs[o];
                a->stats.worst_element = i;
            }
        }
    }
    if (wrong == 0)
        return false;
    a->outcome = DRIFT_WRONG;
    struct buf text = {0};
    buf_printf(&text,
               "%zu of %zu elements differ on inputs on which no operation "
               "rounds",
               wrong, looked);
    a->reason = arena_strdup(a->arena, buf_text(&text));
    buf_fini(&text);
    return true;
}

/* ---- bounds ---------------------------------------------------------------------- */

double drift_unit_roundoff(struct dtype t)
{
    unsigned flags = 0;
    uint64_t one = num_from_double(t, 1.0, &flags);
    return (num_to_double(t, one + 1) - 1) / 2;
}

/* By so many bounds an element has to be off, for the search for causes to leave
 * out all those that round no worse than the program does. */
#define COARSE   64
#define FURTHEST 8u /* elements of an output that are looked at for it */

/* Where the terms fill the type, another order may overflow. */
static bool may_overflow(struct dtype t, uint64_t have,
                         const struct interp_bound *b)
{
    return !isfinite(num_to_double(t, have)) &&
           !(b->terms * 2 <= num_to_double(t, num_max_value(t)));
}

bool drift_is_flushed(const struct drift_declared *declared, struct dtype t,
                      uint64_t want, uint64_t have)
{
    enum num_toggle flush =
        t.bits == 16 ? NUM_T_FLUSH_HALF : NUM_T_FLUSH_SINGLE;
    double normal =
        num_to_double(t, num_min_positive(t)) / (2 * drift_unit_roundoff(t));
    bool may = declared->may[flush] != 0 || declared->base.set[flush] != 0;
    return may && num_to_double(t, have) == 0 &&
           fabs(num_to_double(t, want)) < normal;
}

/* b: of the reference; error: of the target. */
static void judge_element(struct drift_answer *a,
                          const struct drift_declared *declared, struct dtype t,
                          uint64_t have, const struct interp_bound *b,
                          double error, bool usual)
{
    uint64_t want = b->bits;
    double d = fabs(num_to_double(t, have) - num_to_double(t, want));
    if (num_same(t, want, have))
        return;
    if (drift_is_flushed(declared, t, want, have)) {
        a->bounded++;
        return;
    }
    if (usual && !isfinite(num_to_double(t, have)) &&
        isfinite(num_to_double(t, want))) {
        a->bounded++;
        a->beyond++;
        return;
    }
    /* overflow, a divisor that may be 0 */
    if (!isfinite(b->error) || !isfinite(error) || may_overflow(t, have, b)) {
        a->unbounded++;
        return;
    }
    a->bounded++;
    /* a sum of zeros has one sign in any order; terms are rounded up */
    if (!(d <= b->error + error) || (d == 0 && b->terms < 0x1p-1060))
        a->beyond++;
    double scale = drift_unit_roundoff(t) * b->terms;
    if (isfinite(d) && scale > 0 && d / scale > a->stats.max_scaled)
        a->stats.max_scaled = d / scale;
}

static void judge_integer(struct drift_answer *a, uint64_t want, uint64_t have)
{
    a->bounded += want != have;
    a->beyond += want != have;
}

/* Whose errors the bound is to hold for, by what the target declares. */
static unsigned loose_of(const struct drift_declared *d)
{
    unsigned loose = 0;
    if (d->may[NUM_T_FUNCTIONS] != 0 || d->base.set[NUM_T_FUNCTIONS] != 0)
        loose |= INTERP_LOOSE_FUNCTIONS;
    if (d->may[NUM_T_LANES] != 0 || d->may[NUM_T_ORDER] != 0)
        loose |= INTERP_LOOSE_ORDER;
    return loose;
}

/* Next to the ends of the type another order may overflow, where the interpreter
 * does not. */
static bool is_far_off(struct dtype t, const struct interp_bound *b,
                       uint64_t have, bool usual)
{
    double want = num_to_double(t, b->bits), got = num_to_double(t, have);
    return isfinite(b->error) && isfinite(want) && (usual || isfinite(got)) &&
           !(fabs(got - want) <= COARSE * b->error) &&
           !num_same(t, b->bits, have);
}

/* How far an element is off, in units of its own last digit; 0 where it is no
 * more than another rounding or two makes. */
static double distance(struct dtype t, uint64_t want, uint64_t have)
{
    double x = num_to_double(t, want), y = num_to_double(t, have);
    double d = fabs(y - x) / drift_unit_roundoff(t);
    if (num_same(t, want, have) || isnan(x))
        return 0;
    return isnan(d) ? HUGE_VAL : d <= COARSE * fabs(x) ? 0 : d / fabs(x);
}

/* The elements that are furthest off of those picked for confirmation: bounds
 * of all of them would take longer than most searches do. False: none is. */
static bool pick_furthest(const struct drift_case *c,
                          const struct drift_pick *from, struct drift_pick *out)
{
    const struct interp_tensor *want = c->want[from->param].tensor;
    const struct interp_tensor *have = c->out[from->param].tensor;
    struct dtype t = dtype_scalar(have->dtype);
    double far[FURTHEST];
    out->param = from->param;
    out->n = 0;
    for (size_t i = 0; i < from->n && dtype_is_float(t); i++) {
        size_t e = from->elements[i], at = out->n;
        double d =
            distance(t, interp_tensor_get(want, e), interp_tensor_get(have, e));
        if (!study_counts(want, e, false) || d == 0)
            continue;
        while (at > 0 && far[at - 1] < d)
            at--;
        if (at == FURTHEST)
            continue;
        size_t rest = (out->n < FURTHEST ? out->n : FURTHEST - 1) - at;
        memmove(far + at + 1, far + at, rest * sizeof *far);
        memmove(out->elements + at + 1, out->elements + at,
                rest * sizeof *out->elements);
        far[at] = d;
        out->elements[at] = e;
        out->n += out->n < FURTHEST;
    }
    for (size_t i = 0; i < out->n; i++)
        out->demand[out->elements[i]] = 1;
    return out->n > 0;
}

static bool is_any_far_off(const struct drift_case *c,
                           const struct drift_pick *p,
                           const struct interp_tensor *bound)
{
    const struct interp_tensor *have = c->out[p->param].tensor;
    for (size_t i = 0; i < p->n && bound->box != NULL; i++) {
        size_t e = p->elements[i];
        if ((bound->state[e] & INTERP_DEFINED) &&
            is_far_off(dtype_scalar(have->dtype), &bound->box[e].bound,
                       interp_tensor_get(have, e), c->usual))
            return true;
    }
    return false;
}

static bool has_far_off(struct drift_study *s, const struct drift_case *c)
{
    struct arena *arena = arena_new();
    struct drift_case some = *c;
    struct interp_arg *args;
    bool any = false, far = false;
    some.checks = ARENA_ARRAY(arena, s->noutputs + 1, struct drift_pick);
    for (size_t k = 0; k < s->noutputs; k++) {
        size_t n = c->out[s->outputs[k]].tensor->elements;
        some.checks[k].elements = ARENA_ARRAY(arena, FURTHEST, size_t);
        some.checks[k].demand = ARENA_ARRAY(arena, n + 1, uint8_t);
        any |= pick_furthest(c, &c->checks[k], &some.checks[k]);
    }
    if (any) {
        bool ran =
            study_view(s, &some, INTERP_BOUND, INTERP_LOOSE_ORDER, &args);
        for (size_t k = 0; k < s->noutputs && ran && !far; k++)
            far =
                is_any_far_off(c, &some.checks[k], args[s->outputs[k]].tensor);
        study_free_args(s, args);
    }
    arena_free(arena);
    return far;
}

bool drift_is_coarse(struct drift_study *s)
{
    bool coarse = false;
    for (size_t k = 0; k < s->ncases && !coarse; k++)
        coarse = s->cases[k].differs && has_far_off(s, &s->cases[k]);
    return coarse;
}

static void judge_picked(struct drift_answer *a,
                         const struct drift_declared *declared,
                         const struct drift_pick *p,
                         const struct interp_tensor *have,
                         const struct interp_tensor *strict,
                         const struct interp_tensor *loose, bool usual)
{
    struct dtype t = dtype_scalar(have->dtype);
    for (size_t i = 0; i < p->n; i++) {
        size_t e = p->elements[i];
        uint64_t bits = interp_tensor_get(have, e);
        if (!(strict->state[e] & INTERP_DEFINED))
            continue;
        if (strict->box == NULL) /* integers have no error to bound */
            judge_integer(a, interp_tensor_get(strict, e), bits);
        else
            judge_element(a, declared, t, bits, &strict->box[e].bound,
                          loose->box[e].bound.error, usual);
    }
}

static bool judge_case(struct drift_study *s, struct drift_answer *a,
                       const struct drift_case *c)
{
    unsigned how = loose_of(&s->q->declared);
    struct interp_arg *strict, *loose;
    bool ran = study_view(s, c, INTERP_BOUND, 0, &strict);
    loose = strict;
    if (ran && how != 0)
        ran = study_view(s, c, INTERP_BOUND, how, &loose);
    for (size_t k = 0; k < s->noutputs && ran; k++) {
        size_t param = s->outputs[k];
        judge_picked(a, &s->q->declared, &c->checks[k], c->out[param].tensor,
                     strict[param].tensor, loose[param].tensor, c->usual);
    }
    if (loose != strict)
        study_free_args(s, loose);
    study_free_args(s, strict);
    return ran;
}

void drift_judge_bound(struct drift_study *s, struct drift_answer *a)
{
    bool judged = true;
    a->stats.max_scaled = -1;
    for (size_t k = 0; k < s->ncases && judged; k++)
        if (!s->cases[k].exact && !s->cases[k].fresh)
            judged = judge_case(s, a, &s->cases[k]);
    for (size_t k = 0; k < s->ncases && judged; k++) /* functions round */
        if (s->cases[k].exact && s->cases[k].differs)
            judged = judge_case(s, a, &s->cases[k]) || a->bounded > 0;
    bool within = judged && a->bounded > 0 && a->beyond == 0;
    const char *odd = within ? drift_errors(s) : NULL;
    odd = within && odd == NULL ? drift_lone(s) : odd;
    a->outcome = within && odd == NULL ? DRIFT_WITHIN_BOUND : DRIFT_UNEXPLAINED;
    struct buf text = {0};
    if (!judged)
        buf_puts(&text, "no arithmetic tried reproduces the bits, and the "
                        "error bound could not be computed");
    else
        buf_printf(&text,
                   "no arithmetic tried reproduces the bits; of %zu differing "
                   "elements judged %zu are beyond the running error bounds "
                   "of both",
                   a->bounded, a->beyond);
    if (judged && a->unbounded > 0)
        buf_printf(&text,
                   "; %zu more have no bound (an overflow on the way, or a "
                   "divisor that may be zero)",
                   a->unbounded);
    if (odd != NULL)
        buf_printf(&text, "; %s", odd);
    a->reason = arena_strdup(a->arena, buf_text(&text));
    buf_fini(&text);
}
