/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging without a hypothesis: a difference where no operation rounds is
 * wrong; any other that nothing explains is measured against the running error
 * bound of that element (docs/semantics.md, B1 to B7).
 *
 * The bound holds for the reference. A target that rounds about as often has
 * one like it, so twice the bound is the line; where a target declares other
 * orders or functions the bound is one for these (B7). It names an outcome, and
 * never makes a difference legal that exact inputs show where nothing rounds.
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
    for (size_t k = 0; k < s->ncases; k++) {
        const struct drift_case *c = &s->cases[k];
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
                if (d <= largest)
                    continue;
                largest = d;
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

/* Half the distance from 1 to the next number. */
static double unit_roundoff(struct dtype t)
{
    unsigned flags = 0;
    uint64_t one = num_from_double(t, 1.0, &flags);
    return (num_to_double(t, one + 1) - 1) / 2;
}

static void judge_element(struct drift_answer *a, struct dtype t, uint64_t want,
                          uint64_t have, const struct interp_bound *b)
{
    double d = fabs(num_to_double(t, have) - num_to_double(t, want));
    if (num_same(t, want, have))
        return;
    if (!isfinite(b->error)) { /* overflow, a divisor that may be 0 */
        a->unbounded++;
        return;
    }
    a->bounded++;
    if (!(d <= 2 * b->error))
        a->beyond++;
    double scale = unit_roundoff(t) * b->terms;
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

/* Bounds of the elements picked for confirmation, which differ if any do. */
static bool judge_case(struct drift_study *s, struct drift_answer *a,
                       const struct drift_case *c)
{
    struct interp_arg *args;
    struct interp_options o = interp_default_options();
    o.domain = INTERP_BOUND;
    o.loose = loose_of(&s->q->declared);
    const char *error = s->error;
    bool ran = study_run(s, c, o, c->checks, &args);
    s->error = error;
    for (size_t k = 0; k < s->noutputs && ran; k++) {
        const struct drift_pick *p = &c->checks[k];
        const struct interp_tensor *bound = args[p->param].tensor;
        const struct interp_tensor *have = c->out[p->param].tensor;
        struct dtype t = dtype_scalar(have->dtype);
        for (size_t i = 0; i < p->n; i++) {
            size_t e = p->elements[i];
            if (!(bound->state[e] & INTERP_DEFINED))
                continue;
            if (bound->box == NULL) /* integers have no error to bound */
                judge_integer(a, interp_tensor_get(bound, e),
                              interp_tensor_get(have, e));
            else
                judge_element(a, t, bound->box[e].bound.bits,
                              interp_tensor_get(have, e), &bound->box[e].bound);
        }
    }
    study_free_args(s, args);
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
    a->outcome = within ? DRIFT_WITHIN_BOUND : DRIFT_UNEXPLAINED;
    struct buf text = {0};
    if (!judged)
        buf_puts(&text, "no arithmetic tried reproduces the bits, and the "
                        "error bound could not be computed");
    else
        buf_printf(&text,
                   "no arithmetic tried reproduces the bits; of %zu differing "
                   "elements judged %zu are beyond twice the running error "
                   "bound",
                   a->bounded, a->beyond);
    if (judged && a->unbounded > 0)
        buf_printf(&text,
                   "; %zu more have no bound (an overflow on the way, or a "
                   "divisor that may be zero)",
                   a->unbounded);
    a->reason = arena_strdup(a->arena, buf_text(&text));
    buf_fini(&text);
}
