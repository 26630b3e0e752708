/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums and maxima of the faulty runner: first the fault, which changes terms,
 * then the sum in the order that the variant has.
 */
#include "tests/faulty/faulty.h"

#include <math.h>
#include <string.h>

/* ---- faults of terms -------------------------------------------------------------- */

static void drop(struct terms *t, size_t at)
{
    size_t rest = t->n - at;
    memmove(t->a + at, t->a + at + 1, rest * sizeof *t->a);
    memmove(t->b + at, t->b + at + 1, rest * sizeof *t->b);
    t->n--;
}

static void add(struct terms *t, size_t from)
{
    t->a[t->n] = t->a[from];
    t->b[t->n] = t->b[from];
    t->n++;
}

static void swap(float *x, float *y)
{
    float former = *x;
    *x = *y;
    *y = former;
}

static void break_terms(const struct job *j, struct terms *t)
{
    size_t n = t->n;
    if (acts(j, LOST_FIRST))
        drop(t, 0);
    if (acts(j, LOST_MIDDLE) || acts(j, LOST_TWO))
        drop(t, n / 2);
    if (acts(j, LOST_LAST) || acts(j, LOST_TWO))
        drop(t, t->n - 1);
    if (acts(j, DOUBLED_FIRST))
        add(t, 0);
    if (acts(j, DOUBLED_LAST))
        add(t, n - 1);
    if (acts(j, EXTRA_TERM))
        t->n++; /* a and b have one more */
    if (acts(j, SWAPPED))
        swap(&t->b[1], &t->b[n - 2]);
    if (acts(j, SHIFTED)) {
        memmove(t->a, t->a + 1, n * sizeof *t->a);
        t->a[n] = t->a[n - 1];
    }
    if (acts(j, STALE_TAIL))
        memcpy(t->a + n - 2, t->stale + n - 2, 2 * sizeof *t->a);
    if (acts(j, CLAMPED)) {
        t->a[n - 1] = t->a[n - 2];
        t->b[n - 1] = t->b[n - 2];
    }
    if (acts(j, WRONG_SIGN))
        t->a[n / 3] = -t->a[n / 3];
    for (size_t i = 0; i < t->n; i++) {
        t->a[i] = operand(j, t->a[i]);
        t->b[i] = operand(j, t->b[i]);
    }
}

/* ---- exact sums ------------------------------------------------------------------- */

/* The sum of n doubles rounded once to float, up to ties: partial sums that do
 * not overlap (Shewchuk), each addition exact. */
static float exact_sum(const double *x, size_t n)
{
    double part[16];
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        double s = x[i];
        size_t kept = 0;
        for (size_t k = 0; k < m; k++) {
            double a = fabs(s) > fabs(part[k]) ? s : part[k];
            double b = fabs(s) > fabs(part[k]) ? part[k] : s;
            double high = a + b, low = b - (high - a);
            if (low != 0)
                part[kept++] = low;
            s = high;
        }
        part[kept++] = s;
        m = kept;
        if (!isfinite(s)) {
            for (size_t k = i + 1; k < n; k++)
                s += x[k];
            return (float)s;
        }
    }
    double top = m > 0 ? part[m - 1] : 0, rest = 0;
    for (size_t k = 0; k + 1 < m; k++)
        rest += part[k];
    double all = top + rest, off = rest - (all - top);
    float rounded = (float)all;
    if ((double)rounded == all || off == 0)
        return rounded;
    /* all lies half way between two floats: what is left decides */
    float up = nextafterf((float)all, INFINITY);
    float down = nextafterf((float)all, -INFINITY);
    if ((double)rounded > all && (double)rounded - all == all - (double)down)
        return off < 0 ? down : rounded;
    if ((double)rounded < all && all - (double)rounded == (double)up - all)
        return off > 0 ? up : rounded;
    return rounded;
}

/* The same of float16, whose sums a double holds, rounded once. */
static float half_sum(const double *x, size_t n)
{
    double all = 0;
    for (size_t i = 0; i < n; i++)
        all += x[i];
    float f = (float)all;
    if (!isfinite(f) || (double)f == all)
        return to_half(f);
    if (fabs((double)f) > fabs(all))
        f = nextafterf(f, 0.0f);
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    bits |= 1; /* what is lost decides ties */
    memcpy(&f, &bits, sizeof f);
    return to_half(f);
}

/* ---- orders ------------------------------------------------------------------------ */

static float narrow(const struct job *j, const struct terms *t, float x)
{
    x = flush(j, t->half ? to_half(x) : x, t->half);
    return !acts(j, NARROW_SUM) ? x : t->half ? to_bfloat(x) : to_half(x);
}

static float term(const struct job *j, const struct terms *t, size_t i)
{
    return t->products ? flush(j, t->a[i] * t->b[i], false) : t->a[i];
}

static float add_term(const struct job *j, const struct terms *t, float acc,
                      size_t i, bool fused)
{
    if (fused && t->products)
        return narrow(j, t, fmaf(t->a[i], t->b[i], acc));
    return narrow(j, t, acc + term(j, t, i));
}

static float serial(const struct job *j, const struct terms *t, float acc,
                    size_t from, size_t to, bool fused)
{
    for (size_t i = from; i < to; i++) {
        acc = add_term(j, t, acc, i, fused);
        if (acts(j, NARROW_ONCE) && i == t->n / 2)
            acc = to_bfloat(acc);
    }
    return acc;
}

static float lanes(const struct job *j, const struct terms *t, float init,
                   size_t n, bool fused, bool neighbours)
{
    float lane[16] = {0};
    size_t full = t->n / n * n;
    if (full == 0)
        return serial(j, t, init, 0, t->n, fused);
    lane[0] = init;
    for (size_t i = 0; i < full; i++)
        lane[i % n] = add_term(j, t, lane[i % n], i, fused);
    for (size_t width = n / 2; width > 0; width /= 2)
        for (size_t i = 0; i < width; i++)
            lane[i] = narrow(j, t,
                             neighbours ? lane[2 * i] + lane[2 * i + 1]
                                        : lane[i] + lane[i + width]);
    return serial(j, t, lane[0], full, t->n, fused);
}

/* Blocks of `block` terms one after the other, halves added. Depth: log2. */
static float tree(const struct job *j, const struct terms *t, size_t from,
                  size_t to, size_t block)
{
    if (to - from <= block)
        return serial(j, t, term(j, t, from), from + 1, to, false);
    size_t middle = from + (to - from) / 2;
    return narrow(
        j, t, tree(j, t, from, middle, block) + tree(j, t, middle, to, block));
}

static float kahan(const struct job *j, const struct terms *t, float acc)
{
    float lost = 0;
    for (size_t i = 0; i < t->n; i++) {
        float y = narrow(j, t, term(j, t, i) - lost);
        float next = narrow(j, t, acc + y);
        lost = narrow(j, t, narrow(j, t, next - acc) - y);
        if (!isfinite(lost)) /* past the end of the type nothing is lost */
            lost = 0;
        acc = next;
    }
    return acc;
}

static float wide(const struct job *j, const struct terms *t, float init)
{
    double acc = (double)init;
    if (t->half) {
        float single = init;
        for (size_t i = 0; i < t->n; i++)
            single += term(j, t, i);
        return to_half(single);
    }
    for (size_t i = 0; i < t->n; i++)
        acc +=
            t->products ? (double)t->a[i] * (double)t->b[i] : (double)t->a[i];
    return (float)acc;
}

static float split(const struct job *j, const struct terms *t, float acc,
                   size_t parts)
{
    size_t each = (t->n + parts - 1) / parts;
    for (size_t from = 0; from < t->n; from += each) {
        size_t to = from + each < t->n ? from + each : t->n;
        acc = narrow(j, t, acc + serial(j, t, 0.0f, from, to, false));
    }
    return acc;
}

static float dots(const struct job *j, const struct terms *t, float acc)
{
    for (size_t from = 0; from < t->n; from += 4) {
        double x[5] = {(double)acc};
        size_t n = 1;
        for (size_t i = from; i < t->n && i < from + 4; i++)
            x[n++] = t->products ? (double)t->a[i] * (double)t->b[i]
                                 : (double)t->a[i];
        acc = t->half ? half_sum(x, n) : narrow(j, t, exact_sum(x, n));
    }
    return acc;
}

float sum_of(const struct job *j, const struct terms *terms)
{
    struct terms t = *terms;
    break_terms(j, &t);
    float init = acts(j, WRONG_INIT) ? 0.125f : 0.0f;
    switch (j->variant) {
    case FMA_LEFT:
    case FMA_RIGHT: return serial(j, &t, init, 0, t.n, true);
    case REVERSED: {
        float acc = init;
        for (size_t i = t.n; i-- > 0;)
            acc = add_term(j, &t, acc, i, false);
        return acc;
    }
    case LANES_4: return lanes(j, &t, init, 4, false, false);
    case LANES_8: return lanes(j, &t, init, 8, false, false);
    case LANES_16: return lanes(j, &t, init, 16, false, false);
    case LANES_8_FMA: return lanes(j, &t, init, 8, true, false);
    case LANES_4_NEIGHBOURS: return lanes(j, &t, init, 4, false, true);
    case TREE: return init + tree(j, &t, 0, t.n, 1);
    case PAIRWISE: return init + tree(j, &t, 0, t.n, 8);
    case KAHAN: return kahan(j, &t, init);
    case WIDE: return wide(j, &t, init);
    case SPLIT_2: return split(j, &t, init, 2);
    case SPLIT_4: return split(j, &t, init, 4);
    case DOTS_OF_4: return dots(j, &t, init);
    case STRICT:
    case RECIPROCAL:
    case RSQRT:
    case EXP_LIBM:
    case EXP_ULP:
    case FLUSHING: break;
    }
    return serial(j, &t, init, 0, t.n, false);
}

/* max(a, b) = a > b ? a : b */
float maximum_of(const struct job *j, const struct terms *terms)
{
    struct terms t = *terms;
    break_terms(j, &t);
    float most = acts(j, WRONG_INIT) ? 0.0f : -0x1.fffffep127f;
    for (size_t i = 0; i < t.n; i++) {
        float x = t.a[i];
        most = acts(j, FMAX)      ? fmaxf(most, x)
               : acts(j, MINIMUM) ? (most < x && i > 0 ? most : x)
               : most > x         ? most
                                  : x;
    }
    return most;
}
