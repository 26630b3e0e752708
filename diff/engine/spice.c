/* SPDX-License-Identifier: Apache-2.0
 *
 * Special values in inputs: for each element, by its hash, whether it takes
 * one, and which.
 */
#include "diff/engine/args.h"

#include <math.h>

const char *diff_spice_text(enum diff_spice_kind kind)
{
    switch (kind) {
    case DIFF_PLAIN: break;
    case DIFF_CORNERS: return " with special values";
    case DIFF_NOT_FINITE: return " with NaN and infinities";
    case DIFF_ZEROS: return " with zeros of both signs";
    case DIFF_GROWN: return " with some far larger";
    case DIFF_SCALED: return " of another scale";
    case DIFF_OFFSET: return " far from zero";
    }
    return "";
}

/* ---- integers ---------------------------------------------------------------------- */

static size_t how_many(const struct diff_numbers *n)
{
    return n == NULL ? 0 : n->nints + n->nfloats;
}

/* One of the modules' numbers. */
static int64_t one_int(const struct diff_numbers *n, uint64_t h)
{
    size_t at = (size_t)(h % how_many(n));
    if (at < n->nints)
        return n->ints[at];
    double f = trunc(n->floats[at - n->nints]);
    return fabs(f) < 0x1p62 ? (int64_t)f : 0;
}

/* What the modules hold against data, or what one of them and another make, or
 * next to it. */
static int64_t harvested(const struct diff_numbers *n, uint64_t h)
{
    static const int64_t beside[] = {0, 0, 1, -1};
    uint64_t a = (uint64_t)one_int(n, h >> 16);
    uint64_t b = (uint64_t)one_int(n, h >> 32), value = a;
    switch ((h >> 2) % 16) {
    case 0: value = a + b; break;
    case 1: value = a - b; break;
    case 2: value = a * b; break;
    case 3:
        if (b != 0 && b != UINT64_MAX)
            value = (uint64_t)((int64_t)a / (int64_t)b);
        break;
    case 4: value = 0 - a; break;
    default: break;
    }
    return (int64_t)(value + (uint64_t)beside[h % 4]);
}

static int64_t special_int(struct dtype t, const struct diff_numbers *n,
                           uint64_t turn, uint64_t h)
{
    const struct diff_range all = diff_type_range(t);
    const int64_t ends[] = {1, -1, all.lo, all.hi, all.lo + 1, all.hi - 1, 2};
    uint64_t rest = h >> 3;
    bool none = how_many(n) == 0;
    if (!none && h % 16 >= 10) /* each number in turn, and those beside it */
        return (int64_t)((uint64_t)one_int(n, turn / 3) + turn % 3 - 1);
    switch (h % 8) {
    case 0:
    case 1: return 0;
    case 2: return ends[rest % DC_ARRAY_LEN(ends)];
    case 3: {
        unsigned bits = t.bits > 1 && t.bits <= 64 ? t.bits : 64;
        uint64_t power = UINT64_C(1) << (rest % bits);
        return (int64_t)(power - (rest >> 8) % 2);
    }
    default: return none ? ends[rest % DC_ARRAY_LEN(ends)] : harvested(n, rest);
    }
}

static bool is_in(const struct diff_range *r, int64_t value)
{
    return value >= r->lo && value <= r->hi;
}

/* False: no value was found that may stand here. */
static bool spice_int(struct dtype t, const struct diff_spice *spice,
                      const struct diff_range *range, uint64_t turn, uint64_t h,
                      uint64_t *out)
{
    bool bound = range->lo <= range->hi && (!spice->wild || range->text);
    unsigned flags = 0;
    for (unsigned i = 0; i < 6; i++) {
        int64_t value = special_int(t, spice->numbers, turn, h);
        *out = num_from_int(t, value, &flags);
        /* as the type holds it */
        value = t.bits < 64 || t.code == DT_INT ? (int64_t)*out : value;
        if (!bound || is_in(range, value))
            return true;
        h = hash_mix(h, i);
    }
    return false;
}

/* ---- floats ------------------------------------------------------------------------ */

static uint64_t from_double(struct dtype t, double value)
{
    unsigned flags = 0;
    return num_from_double(t, value, &flags);
}

static double one_float(const struct diff_numbers *n, uint64_t h)
{
    size_t at = (size_t)(h % how_many(n));
    return at < n->nfloats ? n->floats[at] : (double)n->ints[at - n->nfloats];
}

/* A number of the modules, or what two of them make, its neighbours in the type,
 * its negative, what is half and one away. */
static uint64_t harvested_float(struct dtype t, const struct diff_numbers *n,
                                uint64_t turn, uint64_t h)
{
    static const double beside[] = {0, 0, 0.5, -0.5, 1, -1};
    bool in_turn = h % 2 == 0;
    double value = one_float(n, in_turn ? turn / 3 : h >> 8);
    double other = one_float(n, h >> 24);
    switch (in_turn ? 15 : (h >> 5) % 16) {
    case 0: value = value + other; break;
    case 1: value = value - other; break;
    case 2: value = value * other; break;
    case 3: value = other != 0 ? value / other : value; break;
    case 4: value = -value; break;
    default: break;
    }
    bool moved_far = !in_turn && (h >> 3) % 4 == 0;
    uint64_t bits =
        from_double(t, value + (moved_far ? beside[(h >> 40) % 6] : 0));
    uint64_t next = bits + (in_turn ? turn % 3 - 1 : 0);
    double real = num_to_double(t, bits), moved = num_to_double(t, next);
    bool near = isfinite(moved) && (moved > 0) == (real > 0) && real != 0;
    return near ? next : isfinite(real) ? bits : from_double(t, 1);
}

static uint64_t float_end(struct dtype t, uint64_t h)
{
    static const double small[] = {0.0, -0.0, 1.0, -1.0, 0.5};
    switch (h % 8) {
    case 5: return num_max_value(t);
    case 6: return num_min_value(t);
    case 7: return num_min_positive(t);
    default: return from_double(t, small[h % 8]);
    }
}

static uint64_t special_float(struct dtype t, const struct diff_spice *spice,
                              uint64_t turn, uint64_t h)
{
    const struct diff_numbers *n = spice->numbers;
    uint64_t rest = h >> 3;
    if (spice->kind == DIFF_NOT_FINITE) {
        static const double odd[] = {(double)NAN, (double)NAN, (double)INFINITY,
                                     -(double)INFINITY};
        return from_double(t, odd[rest % DC_ARRAY_LEN(odd)]);
    }
    if (spice->kind == DIFF_ZEROS)
        return from_double(t, rest % 8 ? -0.0 : 0.0);
    if (h % 8 < 3 || how_many(n) == 0)
        return float_end(t, rest);
    return harvested_float(t, n, turn, rest);
}

/* ---- other scales -------------------------------------------------------------------- */

/* 512, of small types as much as leaves room for sums. */
static double scale_of(struct dtype t)
{
    int exponent;
    (void)frexp(num_to_double(t, num_max_value(t)), &exponent);
    return ldexp(1.0, exponent - 5 > 9 ? 9 : exponent > 5 ? exponent - 5 : 0);
}

/* What becomes of the number that the fill gave. */
static uint64_t rescaled(struct dtype t, enum diff_spice_kind kind,
                         uint64_t bits)
{
    unsigned flags = 0;
    double value = num_to_double(t, bits), scale = scale_of(t);
    value = kind == DIFF_GROWN    ? value * fmin(16, scale)
            : kind == DIFF_SCALED ? value * scale
                                  : value + scale;
    return num_from_double(t, value, &flags);
}

static void rescale(struct interp_tensor *t, const struct diff_spice *spice,
                    size_t param)
{
    struct dtype type = dtype_scalar(t->dtype);
    uint64_t key = hash_mix(UINT64_C(0x67726f776e), (uint64_t)param);
    for (size_t i = 0; i < t->elements; i++)
        if (spice->kind != DIFF_GROWN ||
            (hash_mix(key, (uint64_t)i) + spice->round) % spice->one_in == 0)
            interp_tensor_set(
                t, i, rescaled(type, spice->kind, interp_tensor_get(t, i)));
}

/* ---- tensors ------------------------------------------------------------------------- */

void diff_spice_tensor(struct interp_tensor *t,
                       const struct diff_recipe *recipe, size_t param,
                       const struct diff_range *range)
{
    const struct diff_spice *spice = &recipe->spice;
    struct dtype type = dtype_scalar(t->dtype);
    bool floats = dtype_is_float(type);
    const uint8_t *off = spice->off ? spice->off[param] : NULL;
    uint64_t key = hash_mix(hash_mix(UINT64_C(0x7370696365), recipe->seed),
                            (uint64_t)param);
    if (dtype_is_handle(type) || dtype_is_bool(type) || (floats && range->text))
        return;
    if (!floats && spice->kind != DIFF_CORNERS)
        return;
    if (spice->kind >= DIFF_GROWN) {
        rescale(t, spice, param);
        return;
    }
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t h = hash_mix(key, (uint64_t)i), bits;
        if ((off != NULL && off[i] != 0) || h % spice->one_in != 0)
            continue;
        h /= spice->one_in;
        uint64_t turn = (uint64_t)spice->round * t->elements + i;
        if (floats)
            bits = special_float(type, spice, turn, h);
        else if (!spice_int(type, spice, range, turn, h, &bits))
            continue;
        interp_tensor_set(t, i, bits);
    }
}
