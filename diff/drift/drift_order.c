/* SPDX-License-Identifier: Apache-2.0
 *
 * What the order of a sum may do to it: overflow, terms that get lost, and how
 * far two results can lie apart.
 *
 * Each addition of a floating sum has a relative error of at most u, so any
 * order of n terms is within ((1 + u)^(n-1) - 1) * sum|terms| of the exact sum
 * as long as nothing overflows (Higham, Accuracy and Stability, section 4.2,
 * before its simplification; sums do not underflow). Twice that bounds the
 * distance of two orders.
 */
#include "diff/drift/drift_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum order {
    ORDER_WRITTEN,
    ORDER_REVERSED,
    ORDER_ASCENDING,
    ORDER_DESCENDING,
    ORDER_POSITIVE,
    ORDER_NEGATIVE,
    ORDER_PAIRWISE,
    ORDER_COUNT
};
static const char *const order_names[ORDER_COUNT] = {"as written",
                                                     "backwards",
                                                     "by magnitude, ascending",
                                                     "by magnitude, descending",
                                                     "positive terms first",
                                                     "negative terms first",
                                                     "pairwise"};

static int ascending(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

static int descending(const void *a, const void *b)
{
    return ascending(b, a);
}

static int negative_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int positive_first(const void *a, const void *b)
{
    return negative_first(b, a);
}

/* ---- one sum ------------------------------------------------------------------- */

struct sum {
    struct dtype t;
    bool overflow;
    double lost; /* terms that changed nothing, together */
};

static uint64_t add(struct sum *s, uint64_t a, uint64_t b)
{
    unsigned flags = 0;
    uint64_t r = num_binary(NUM_ADD, s->t, a, b, &flags);
    double x = num_to_double(s->t, a), y = num_to_double(s->t, b);
    if (!isfinite(num_to_double(s->t, r)))
        s->overflow = true;
    else if (r == a && y != 0)
        s->lost += y;
    else if (r == b && x != 0)
        s->lost += x;
    return r;
}

static uint64_t bits_of(struct dtype t, double value)
{
    unsigned flags = 0;
    return num_from_double(t, value, &flags);
}

static uint64_t add_in_turn(struct sum *s, size_t n, const double *terms)
{
    uint64_t r = bits_of(s->t, 0);
    for (size_t i = 0; i < n; i++)
        r = add(s, r, bits_of(s->t, terms[i]));
    return r;
}

static uint64_t add_pairs(struct sum *s, size_t n, double *terms)
{
    uint64_t *level = dc_alloc((n + 1) * sizeof *level);
    for (size_t i = 0; i < n; i++)
        level[i] = bits_of(s->t, terms[i]);
    while (n > 1) {
        size_t half = n / 2;
        for (size_t i = 0; i < half; i++)
            level[i] = add(s, level[2 * i], level[2 * i + 1]);
        if (n % 2 != 0)
            level[half] = level[n - 1];
        n = half + n % 2;
    }
    uint64_t r = n == 1 ? level[0] : bits_of(s->t, 0);
    dc_release(level);
    return r;
}

static void arrange(enum order order, size_t n, double *terms)
{
    static int (*const by[ORDER_COUNT])(const void *, const void *) = {
        [ORDER_ASCENDING] = ascending,
        [ORDER_DESCENDING] = descending,
        [ORDER_POSITIVE] = positive_first,
        [ORDER_NEGATIVE] = negative_first,
    };
    if (by[order] != NULL)
        qsort(terms, n, sizeof *terms, by[order]);
    for (size_t i = 0; order == ORDER_REVERSED && i < n / 2; i++) {
        double swap = terms[i];
        terms[i] = terms[n - 1 - i];
        terms[n - 1 - i] = swap;
    }
}

/* ---- all orders ------------------------------------------------------------------ */

/* The distance from |x| to the next larger number of the type. */
static double spacing(struct dtype t, double x)
{
    uint64_t bits = bits_of(t, fabs(x));
    return num_to_double(t, bits + 1) - num_to_double(t, bits);
}

static void try_order(struct drift_order *o, struct dtype t, enum order order,
                      size_t n, const double *terms)
{
    double *copy = dc_alloc((n + 1) * sizeof *copy);
    memcpy(copy, terms, n * sizeof *copy);
    arrange(order, n, copy);
    struct sum s = {t, false, 0};
    uint64_t bits = order == ORDER_PAIRWISE ? add_pairs(&s, n, copy)
                                            : add_in_turn(&s, n, copy);
    dc_release(copy);
    double r = num_to_double(t, bits);
    bool stagnates = !s.overflow && fabs(s.lost) >= spacing(t, r);
    o->some_overflow |= s.overflow;
    o->all_overflow &= s.overflow;
    o->some_stagnate |= stagnates;
    o->all_stagnate &= stagnates;
    if (s.overflow && o->overflow_order == NULL)
        o->overflow_order = order_names[order];
    if (stagnates && o->stagnate_order == NULL)
        o->stagnate_order = order_names[order];
    if (!s.overflow && !stagnates && o->safe_order == NULL)
        o->safe_order = order_names[order];
    if (s.overflow)
        return;
    o->low = r < o->low ? r : o->low;
    o->high = r > o->high ? r : o->high;
}

struct drift_order drift_order_of(struct dtype t, size_t n, const double *terms)
{
    struct drift_order o;
    memset(&o, 0, sizeof o);
    t = dtype_scalar(t);
    o.n = n;
    o.all_overflow = o.all_stagnate = true;
    o.low = HUGE_VAL;
    o.high = -HUGE_VAL;
    for (size_t i = 0; i < n; i++) {
        o.sum += terms[i];
        o.magnitude += fabs(terms[i]);
    }
    double one = num_to_double(t, bits_of(t, 1.0));
    double u = (num_to_double(t, bits_of(t, 1.0) + 1) - one) / 2;
    if (n > 1)
        o.bound = 2 * expm1((double)(n - 1) * log1p(u)) * o.magnitude;
    for (int order = 0; order < ORDER_COUNT; order++)
        try_order(&o, t, (enum order)order, n, terms);
    return o;
}

static void take(struct drift_order *all, const struct drift_order *o)
{
    all->some_overflow |= o->some_overflow;
    all->all_overflow &= o->all_overflow;
    all->some_stagnate |= o->some_stagnate;
    all->all_stagnate &= o->all_stagnate;
    if (all->overflow_order == NULL)
        all->overflow_order = o->overflow_order;
    if (all->stagnate_order == NULL)
        all->stagnate_order = o->stagnate_order;
    if (o->magnitude > all->magnitude)
        all->magnitude = o->magnitude;
    if (o->bound > all->bound)
        all->bound = o->bound;
}

/* The terms that are worst within a range: all at an end, both ends by turns,
 * one at the far end before many small ones. */
static double worst_term(int kind, size_t i, size_t n, double lo, double hi)
{
    double far = fabs(lo) > fabs(hi) ? lo : hi;
    double near = fabs(lo) > fabs(hi) ? hi : lo;
    if (kind == 0)
        return far;
    if (kind == 1)
        return i % 2 == 0 ? lo : hi;
    if (kind == 2)
        return i < n / 2 ? lo : hi;
    double small = lo <= 0 && hi >= 0 ? far / 4096 : near;
    return i == 0 ? far : small;
}

struct drift_order drift_order_range(struct dtype t, size_t n, double lo,
                                     double hi)
{
    double *terms = dc_alloc((n + 1) * sizeof *terms);
    struct drift_order all;
    for (int kind = 0; kind < 4; kind++) {
        for (size_t i = 0; i < n; i++)
            terms[i] = num_to_double(
                t, bits_of(dtype_scalar(t), worst_term(kind, i, n, lo, hi)));
        struct drift_order o = drift_order_of(t, n, terms);
        if (kind == 0)
            all = o;
        else
            take(&all, &o);
    }
    dc_release(terms);
    return all;
}
