/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions of all kinds, pooling and matrix products as sums over windows.
 *
 * As written an output element takes a product and an addition for each channel of
 * its group and each place of the window, padding included: what tables of GFLOPS
 * are of. At least needed are those whose factor is no padding (nor a hole that a
 * transpose puts between inputs), which is a product over the axes of the pairs of
 * output and window places that meet an input. A template of Winograd's algorithm
 * needs fewer products: tiles of m outputs take (m + r - 1) for m * r along each
 * axis; the cheapest of the tiles that TVM has (m = 2, 4, 6) is taken, and what it
 * spends on its transforms is left out, so that nothing true is called false.
 *
 * Bytes: inputs that some window meets, all weights, all outputs, once each.
 */
#include "audit/count/count.h"

#include <math.h>

/* Largest extent along an axis, so that pairs can be gone through. */
#define MAX_EXTENT ((int64_t)1 << 22)

static int64_t window_size(const struct audit_window *w, size_t a)
{
    return (w->kernel[a] - 1) * w->dilation[a] + 1;
}

/* Output places along an axis. */
static int64_t outputs(const struct audit_window *w, size_t a)
{
    int64_t pads = w->before[a] + w->after[a];
    if (w->transpose)
        return (w->in[a] - 1) * w->stride[a] - pads + window_size(w, a) +
               w->further[a];
    int64_t room = w->in[a] + pads - window_size(w, a);
    return room < 0 ? 0 : room / w->stride[a] + 1;
}

/* Pairs of a place outside the window's axis that meets one inside: of an output
 * and a place of the window that reads an input, or of an input and one that writes
 * an output. *met: inputs that are read at all. */
static double pairs(const struct audit_window *w, size_t a, double *met)
{
    int64_t from = w->transpose ? w->in[a] : outputs(w, a);
    int64_t size = w->transpose ? outputs(w, a) : w->in[a];
    double n = 0;
    uint8_t *seen = dc_alloc((size_t)(w->transpose ? from : size) + 1);
    for (int64_t k = 0; k < w->kernel[a]; k++) {
        int64_t shift = k * w->dilation[a] - w->before[a], s = w->stride[a];
        /* 0 <= i * s + shift < size */
        int64_t lo = shift < 0 ? (-shift + s - 1) / s : 0;
        int64_t hi = size - 1 - shift < 0 ? -1 : (size - 1 - shift) / s;
        hi = hi < from - 1 ? hi : from - 1;
        n += hi >= lo ? (double)(hi - lo + 1) : 0;
        for (int64_t i = lo; i <= hi; i++)
            seen[w->transpose ? i : i * s + shift] = 1;
    }
    *met = 0;
    for (int64_t i = 0; i < (w->transpose ? from : size); i++)
        *met += seen[i];
    dc_release(seen);
    return n;
}

static bool is_sound(const struct audit_window *w)
{
    bool fine = w->batch > 0 && w->in_channels > 0 && w->out_channels > 0 &&
                w->groups > 0 && w->in_channels % w->groups == 0 &&
                w->spatial <= AUDIT_MAX_SPATIAL;
    for (size_t a = 0; a < w->spatial && fine; a++)
        fine = w->in[a] > 0 && w->kernel[a] > 0 && w->stride[a] > 0 &&
               w->dilation[a] > 0 && w->before[a] >= 0 && w->after[a] >= 0 &&
               w->in[a] < MAX_EXTENT && w->kernel[a] < MAX_EXTENT &&
               w->stride[a] < MAX_EXTENT && w->dilation[a] < 4096 &&
               w->before[a] < MAX_EXTENT && w->after[a] < MAX_EXTENT &&
               w->further[a] >= 0 && w->further[a] < MAX_EXTENT &&
               outputs(w, a) > 0 && outputs(w, a) < MAX_EXTENT &&
               /* pairs are gone through */
               (double)w->kernel[a] * (double)(outputs(w, a) + w->in[a]) < 1e8;
    return fine;
}

/* Multiply-adds of Winograd's algorithm per channel pair, of the cheapest tiles. */
static double winograd(const struct audit_window *w)
{
    double best = HUGE_VAL;
    for (int64_t m = 2; m <= 6; m += 2) {
        double n = 1;
        for (size_t a = 0; a < w->spatial; a++) {
            int64_t tiles = (outputs(w, a) + m - 1) / m;
            n *= (double)(tiles * (m + w->kernel[a] - 1));
        }
        best = n < best ? n : best;
    }
    return best;
}

static double bytes_of(struct dtype t)
{
    return (double)dtype_lane_bytes(t);
}

static const char *describe(const struct audit_window *w, struct arena *arena,
                            double out, double window)
{
    struct buf text = {0};
    buf_printf(&text, "%s%.0f outputs * %lld", w->pooling ? "" : "2 * ", out,
               (long long)(w->pooling ? 1 : w->in_channels / w->groups));
    for (size_t a = 0; a < w->spatial; a++)
        buf_printf(&text, "*%lld", (long long)w->kernel[a]);
    buf_printf(&text, " terms = %.0f", out * window * (w->pooling ? 1 : 2));
    const char *made = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
    return made;
}

bool audit_window_count(const struct audit_window *w, struct arena *arena,
                        struct audit_count *out)
{
    if (!is_sound(w))
        return false;
    double places = (double)w->batch * (double)w->out_channels, met = 1;
    int64_t of_group = w->pooling ? 1 : w->in_channels / w->groups;
    double window = (double)of_group;
    double macs = (double)w->batch * (double)w->out_channels * window;
    double tiled = macs, weights = window * (double)w->out_channels;
    for (size_t a = 0; a < w->spatial; a++) {
        double axis;
        macs *= pairs(w, a, &axis);
        met *= axis;
        places *= (double)outputs(w, a);
        window *= (double)w->kernel[a];
        weights *= (double)w->kernel[a];
    }
    double direct = places * window;
    if (w->winograd && !w->transpose)
        tiled *= winograd(w);
    else
        tiled = macs;
    out->saving = tiled < macs ? macs / tiled : 1;
    if (tiled < macs)
        macs = tiled;
    enum audit_class c = audit_class_of(w->input);
    bool floats = dtype_is_float(w->input);
    out->ops[AUDIT_MUL] = floats && !w->pooling ? direct : 0;
    out->ops[AUDIT_ADD] = floats ? direct : 0;
    out->ints = floats ? 0 : 2 * direct;
    out->least[c] = macs * (w->pooling ? 1 : 2);
    out->has_bytes = true;
    out->exact_bytes = true;
    out->bytes =
        met * (double)w->batch * (double)w->in_channels * bytes_of(w->input) +
        (w->pooling ? 0 : weights * bytes_of(w->weight)) +
        places * bytes_of(w->output);
    out->how = describe(w, arena, places, window);
    out->source = AUDIT_TASK;
    return true;
}
