/* SPDX-License-Identifier: Apache-2.0
 *
 * What a pair that differs only in order may meet on other hardware, and what
 * of a difference on a target is the schedule's and what the target's own.
 *
 * The terms of one element of the untuned kernel are traced. Where each is an
 * input element or a product of two, their range follows from the ranges of the
 * inputs (--assume, else -1 to 1); where not, the terms of one input count.
 */
#include "diff/drift/drift.h"
#include "diff/harness/measure.h"

#include <math.h>
#include <string.h>

#define MAX_TERMS 4096u

/* ---- terms ------------------------------------------------------------------------ */

struct terms {
    const struct diff_measurement *m;
    const struct diff_sample *sample;
    struct interp_terms list;
    struct dtype type; /* that they are added in */
    bool ranged;       /* lo … hi hold every term, from the inputs' ranges */
    bool assumed;      /* some input has no range of its own */
    double lo, hi;
};

/* The first float output that is compared, its middle element. */
static bool trace(struct terms *t)
{
    const struct diff_measurement *m = t->m;
    struct diff_pair *pair = m->pair;
    struct diff_case c = *t->sample->c;
    const struct interp_signature *sig = &c.sig[UNTUNED];
    struct diff_run run;
    size_t param = 0;
    while (param < sig->nparams &&
           !(c.compared[param] && dtype_is_float(sig->params[param].dtype) &&
             t->sample->want[UNTUNED].args[param].tensor))
        param++;
    if (param == sig->nparams)
        return false;
    size_t n = t->sample->want[UNTUNED].args[param].tensor->elements;
    t->list.arena = pair->arena;
    t->list.param = param;
    t->list.element = n / 2;
    t->list.max = MAX_TERMS;
    t->list.sources = true;
    uint64_t kept = pair->steps_left;
    pair->steps_left = pair->options->budget;
    diff_demand_one(pair, &c, param, n / 2);
    diff_run(pair, &c, UNTUNED, &t->sample->recipe, INTERP_TERMS, &t->list,
             &run);
    pair->steps_left = kept;
    bool fine =
        run.result.fault == INTERP_OK && t->list.n > 1 && !t->list.truncated;
    if (fine)
        t->type = dtype_scalar(t->list.items[t->list.n - 1].type);
    diff_run_fini(&run);
    return fine && dtype_is_float(t->type);
}

static void range_of(struct terms *t, size_t param, double *lo, double *hi)
{
    const struct interp_signature *sig = &t->sample->c->sig[UNTUNED];
    const struct diff_range *r =
        diff_assume_find(t->m->pair->options, sig->params[param].name);
    *lo = r ? r->least : -1;
    *hi = r ? r->most : 1;
    t->assumed |= !r;
}

/* Whether the value is the product of its atoms but for roundings. */
static bool is_product(const struct terms *t, const struct interp_term *term)
{
    double want = 1;
    struct diff_args in;
    if (!term->known || term->natoms == 0 || term->natoms > 2)
        return false;
    diff_make_args(t->sample->c, UNTUNED, &t->sample->recipe, &in);
    for (size_t i = 0; i < term->natoms; i++) {
        const struct interp_tensor *x = in.args[term->atoms[i] >> 40].tensor;
        size_t e = (size_t)(term->atoms[i] & ((UINT64_C(1) << 40) - 1));
        want *=
            x ? num_to_double(dtype_scalar(x->dtype), interp_tensor_get(x, e))
              : HUGE_VAL;
    }
    diff_args_fini(&in);
    double have = num_to_double(term->dtype, term->value);
    return fabs(have - want) <= 0.02 * fabs(want);
}

static void set_range(struct terms *t)
{
    const struct interp_term *first = &t->list.items[0];
    double lo[2] = {1, 1}, hi[2] = {1, 1};
    t->ranged = first->natoms > 0 && first->natoms <= 2;
    for (size_t i = 0; t->ranged && i < t->list.n; i++) {
        const struct interp_term *x = &t->list.items[i];
        t->ranged = x->natoms == first->natoms && (i >= 8 || is_product(t, x));
        for (size_t k = 0; t->ranged && k < x->natoms; k++)
            t->ranged = x->atoms[k] >> 40 == first->atoms[k] >> 40;
    }
    for (size_t k = 0; t->ranged && k < first->natoms; k++)
        range_of(t, (size_t)(first->atoms[k] >> 40), &lo[k], &hi[k]);
    t->lo = t->hi = lo[0] * lo[1];
    for (int i = 1; i < 4; i++) {
        double x = (i & 1 ? lo[0] : hi[0]) * (i & 2 ? lo[1] : hi[1]);
        t->lo = x < t->lo ? x : t->lo;
        t->hi = x > t->hi ? x : t->hi;
    }
}

/* ---- what may happen ----------------------------------------------------------------- */

static struct drift_order order_of(const struct terms *t)
{
    if (t->ranged)
        return drift_order_range(t->type, t->list.n, t->lo, t->hi);
    double *terms = dc_alloc((t->list.n + 1) * sizeof *terms);
    size_t n = 0;
    for (size_t i = 0; i < t->list.n; i++)
        if (t->list.items[i].known)
            terms[n++] =
                num_to_double(t->list.items[i].dtype, t->list.items[i].value);
    struct drift_order o = drift_order_of(t->type, n, terms);
    dc_release(terms);
    return o;
}

/* The first sum that 1 does not change: 2048 in float16. */
static double deaf_sum(struct dtype t)
{
    unsigned flags = 0;
    double next = num_to_double(t, num_from_double(t, 1.0, &flags) + 1);
    return 2 / (next - 1);
}

static void put_order(struct buf *out, const struct terms *t,
                      const struct drift_order *o)
{
    char name[48];
    const char *type = dtype_name(t->type, name);
    buf_printf(out, "two orders differ by at most %.3g; ", o->bound);
    if (o->all_overflow)
        buf_puts(out, "every order tried overflows");
    else if (o->some_overflow)
        buf_printf(out, "added %s the sum overflows %s, in another order not",
                   o->overflow_order, type);
    else
        buf_puts(out, "no order tried overflows");
    double deaf = deaf_sum(t->type);
    if (o->all_stagnate)
        buf_printf(out,
                   "; every order tried loses terms (in %s %.0f + 1 is %.0f)",
                   type, deaf, deaf);
    else if (o->some_stagnate)
        buf_printf(out,
                   "; added %s small terms are lost beside a large sum (in %s "
                   "%.0f + 1 is %.0f), in another order not",
                   o->stagnate_order, type, deaf, deaf);
    else
        buf_puts(out, "; no order tried loses terms");
}

void diff_note_order(const struct diff_measurement *m)
{
    struct terms t = {.m = m};
    struct buf text = {0};
    char name[48];
    for (size_t i = 0; i < m->nsamples && !t.sample; i++)
        if (m->samples[i].realistic)
            t.sample = &m->samples[i];
    if (!t.sample || !trace(&t))
        return;
    set_range(&t);
    struct drift_order o = order_of(&t);
    const struct interp_tensor *out =
        t.sample->want[UNTUNED].args[t.list.param].tensor;
    buf_puts(&text, "order: ");
    buf_puts(&text, t.sample->c->sig[UNTUNED].params[t.list.param].name);
    interp_put_index(&text, out, t.list.element);
    buf_printf(&text, " adds %zu terms in %s; with ", t.list.n,
               dtype_name(t.type, name));
    if (t.ranged)
        buf_printf(&text, "terms in %.4g .. %.4g%s ", t.lo, t.hi,
                   t.assumed ? " (inputs in -1 .. 1 where --assume gives no "
                               "range)"
                             : "");
    else
        buf_printf(&text, "the terms of input %s ", t.sample->label);
    put_order(&text, &t, &o);
    report_add(m->pair->report, &m->pair->out->notes, "%s", buf_text(&text));
    buf_fini(&text);
}

/* ---- whose difference it is ------------------------------------------------------------- */

static void note_apart(const struct diff_measurement *m)
{
    struct report_pair *p = m->pair->out;
    for (size_t i = 0; i < p->ntargets; i++) {
        const struct report_target *t = &p->targets[i];
        bool rounds =
            t->outcome != REPORT_WRONG && t->outcome != REPORT_NONDETERMINISTIC;
        if (t->ran && t->between.differing > 0)
            report_add(m->pair->report, &p->notes,
                       "on %s tuned and untuned differ although the modules "
                       "are identical%s",
                       t->target, rounds ? ": it rounds them differently" : "");
    }
}

void diff_note_apart(const struct diff_measurement *m)
{
    if (m->pair->out->verdict == REPORT_IDENTICAL)
        note_apart(m);
}
