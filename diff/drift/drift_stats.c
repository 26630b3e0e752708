/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a target's results are from the reference's, in numbers and bars.
 *
 * Differences in units in the last place are those of num_ulp_distance; they
 * say little near zero, so the largest difference is also given in units of
 * what was summed. A difference of a NaN or an infinity is a class of its own.
 */
#include "diff/drift/drift_private.h"

#include <math.h>
#include <string.h>

/* ---- numbers -------------------------------------------------------------------- */

static size_t ulp_class(uint64_t ulp)
{
    static const uint64_t ends[] = {0, 1, 2, 4, 8, 16, 64};
    size_t i = 0;
    while (i < DC_ARRAY_LEN(ends) && ulp > ends[i])
        i++;
    return i;
}

static void add_difference(struct drift_stats *s, double want, double have)
{
    double d = fabs(have - want);
    s->mean_abs += d; /* the sum, until it is divided */
    if (d > s->atol)
        s->atol = d;
    if (want == 0 || d / fabs(want) > s->rtol)
        s->rtol = want == 0 ? HUGE_VAL : d / fabs(want);
}

static void add_element(struct drift_stats *s, struct dtype t, uint64_t want,
                        uint64_t have, bool *worst)
{
    double x = num_to_double(t, want), y = num_to_double(t, have);
    *worst = false;
    s->elements++;
    if (num_same(t, want, have)) {
        s->ulp[0]++;
        return;
    }
    s->differ++;
    if (isnan(x) != isnan(y) || isinf(x) != isinf(y) || (isinf(x) && x != y)) {
        s->ulp[DRIFT_NULP - 1]++;
        s->nan_one_side += isnan(x) != isnan(y);
        s->inf_one_side += isinf(x) != isinf(y) && !isnan(x) && !isnan(y);
        s->atol = s->rtol = HUGE_VAL;
        /* nothing is worse, and the first is shown */
        *worst = s->nan_one_side + s->inf_one_side == 1;
        return;
    }
    uint64_t ulp = num_ulp_distance(t, want, have);
    s->ulp[ulp_class(ulp)]++;
    if (ulp > s->max_ulp)
        s->max_ulp = ulp;
    *worst = s->ulp[DRIFT_NULP - 1] == 0 &&
             (s->differ == 1 || fabs(y - x) > s->max_abs);
    if (fabs(y - x) > s->max_abs)
        s->max_abs = fabs(y - x);
    add_difference(s, x, y);
}

static bool is_compared(const struct interp_tensor *want,
                        const struct interp_tensor *have, size_t i)
{
    return study_counts(want, i,
                        num_same(dtype_scalar(want->dtype),
                                 interp_tensor_get(want, i),
                                 interp_tensor_get(have, i)));
}

void drift_stats_add(struct drift_stats *s, size_t sample, size_t param,
                     const struct interp_tensor *want,
                     const struct interp_tensor *have)
{
    struct dtype t = dtype_scalar(want->dtype);
    double sum = s->mean_abs * (double)s->elements;
    s->mean_abs = 0;
    for (size_t i = 0; i < want->elements; i++) {
        bool worst;
        if (!is_compared(want, have, i))
            continue;
        add_element(s, t, interp_tensor_get(want, i),
                    interp_tensor_get(have, i), &worst);
        if (!worst)
            continue;
        s->worst_sample = sample;
        s->worst_param = param;
        s->worst_element = i;
    }
    sum += s->mean_abs;
    s->mean_abs = s->elements > 0 ? sum / (double)s->elements : 0;
}

/* ---- histogram ------------------------------------------------------------------- */

#define BAR 32

static void put_bar(struct buf *out, double share, int width)
{
    int n = (int)(share * width + 0.5);
    if (share > 0 && n == 0)
        n = 1;
    for (int i = 0; i < width; i++)
        buf_putc(out, i < n ? '#' : ' ');
}

void drift_put_histogram(struct buf *out, const struct drift_stats *stats)
{
    static const char *const names[DRIFT_NULP] = {
        "equal", "1", "2", "3-4", "5-8", "9-16", "17-64", "more", "nan/inf"};
    size_t last = DRIFT_NULP;
    while (last > 1 && stats->ulp[last - 1] == 0)
        last--;
    for (size_t i = 0; i < last; i++) {
        double share = stats->elements > 0
                           ? (double)stats->ulp[i] / (double)stats->elements
                           : 0;
        buf_printf(out, "  %7s ulp |", names[i]);
        put_bar(out, share, BAR);
        buf_printf(out, "| %10zu  %5.1f %%\n", stats->ulp[i], 100 * share);
    }
}

/* ---- error along axes --------------------------------------------------------------- */

#define MAX_BINS 64u

struct bins {
    size_t n;
    double sum[MAX_BINS], max[MAX_BINS];
    size_t count[MAX_BINS];
};

static void fill_bins(struct bins *b, const struct interp_tensor *want,
                      const struct interp_tensor *have, size_t axis)
{
    struct dtype t = dtype_scalar(want->dtype);
    size_t lanes = want->dtype.lanes > 0 ? want->dtype.lanes : 1, inner = lanes;
    size_t extent = (size_t)want->shape[axis];
    for (size_t d = axis + 1; d < want->rank; d++)
        inner *= (size_t)want->shape[d];
    for (size_t i = 0; i < want->elements; i++) {
        if (!is_compared(want, have, i))
            continue;
        uint64_t x = interp_tensor_get(want, i), y = interp_tensor_get(have, i);
        double d = 0;
        if (!num_same(t, x, y))
            d = fabs(num_to_double(t, y) - num_to_double(t, x));
        size_t bin = i / inner % extent * b->n / extent;
        b->sum[bin] += isfinite(d) ? d : 0;
        if (!(d <= b->max[bin]))
            b->max[bin] = isnan(d) ? HUGE_VAL : d;
        b->count[bin]++;
    }
}

/* ' ' for none, '.' to '@' by how near it is to the largest. */
static char shade(double value, double largest)
{
    static const char shades[] = ".:-=+*#%@";
    if (!(value > 0))
        return ' ';
    if (!isfinite(value) || !isfinite(largest))
        return isfinite(value) ? '.' : '!';
    size_t i = (size_t)(value / largest * 8.999);
    return shades[i < 9 ? i : 8];
}

static void put_axis(struct buf *out, const struct bins *b, size_t axis,
                     size_t extent)
{
    double mean = 0, max = 0;
    for (size_t i = 0; i < b->n; i++) {
        double m = b->count[i] > 0 ? b->sum[i] / (double)b->count[i] : 0;
        mean = m > mean ? m : mean;
        max = b->max[i] > max ? b->max[i] : max;
    }
    buf_printf(out, "  axis %zu  mean |", axis);
    for (size_t i = 0; i < b->n; i++)
        buf_putc(
            out,
            shade(b->count[i] > 0 ? b->sum[i] / (double)b->count[i] : 0, mean));
    buf_printf(out, "| up to %.3g, %zu of them%s\n", mean, extent,
               extent > b->n ? " binned" : "");
    buf_puts(out, "          max |");
    for (size_t i = 0; i < b->n; i++)
        buf_putc(out, shade(b->max[i], max));
    buf_printf(out, "| up to %.3g\n", max);
}

void drift_put_profile(struct buf *out, const struct interp_tensor *want,
                       const struct interp_tensor *have, unsigned width)
{
    if (width == 0 || width > MAX_BINS)
        width = MAX_BINS;
    for (size_t axis = 0; axis < want->rank; axis++) {
        struct bins b;
        memset(&b, 0, sizeof b);
        if (want->shape[axis] < 2)
            continue;
        size_t extent = (size_t)want->shape[axis];
        b.n = extent < width ? extent : width;
        fill_bins(&b, want, have, axis);
        put_axis(out, &b, axis, extent);
    }
}
