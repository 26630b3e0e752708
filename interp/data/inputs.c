/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs for runs, from a counter: element i of parameter p under seed s is a
 * hash of (s, p, i) turned into a value, so any element can be made alone and
 * nothing depends on order or threads.
 *
 * EXACT is the fill that finds miscompiles: values so small that sums and
 * products do not round, and never zero, so that a dropped term shows. Whether
 * a run really was exact is tracked by the interpreter; the choice here is
 * about power only. By two bits of the seed:
 *   even         small integers of both signs
 *   1 modulo 4   powers of two of both signs: quotients are exact as well
 *   3 modulo 4   1 and 4: roots are exact, logarithms are defined
 * with magnitudes that shrink with the precision: sums of random signs stay
 * near sqrt(terms) * magnitude^2, and 2^(precision) bounds the exact integers.
 * POSITIVE, NEGATIVE, LOWEST, HIGHEST find an accumulator that starts at the
 * wrong number, and terms that are made up: a maximum of negative numbers shows
 * what an exact input of both signs hides. SIGNS is for products: a factor that
 * is lost or counted twice turns the sign, and products of odd integers never
 * become 0; the seeds 2n and 2n + 1 differ in all signs of every other
 * parameter, so each factor is -1 in one of them.
 *
 * LOWEST and HIGHEST are one number everywhere, by the seed. Of floats: even, one
 * that overflows in few sums; odd, the last finite one. Of integers: even, the
 * type's end; odd, the number next to 0 whose square does not fit, so that in a
 * signed type every product of two is negative. (A maximum of products that
 * starts at 0 differs on no other input, but by chance.)
 *
 * No fill gives a NaN or an infinity.
 */
#include "interp/interp.h"

#include <math.h>

const char *interp_fill_name(enum interp_fill fill)
{
    switch (fill) {
    case INTERP_FILL_EXACT: return "exact";
    case INTERP_FILL_RANDOM: return "random";
    case INTERP_FILL_UNIT: return "unit";
    case INTERP_FILL_BOUNDARY: return "boundary";
    case INTERP_FILL_RANGE: return "range";
    case INTERP_FILL_TINY: return "tiny";
    case INTERP_FILL_POSITIVE: return "positive";
    case INTERP_FILL_NEGATIVE: return "negative";
    case INTERP_FILL_LOWEST: return "lowest";
    case INTERP_FILL_HIGHEST: return "highest";
    case INTERP_FILL_SIGNS: return "signs";
    case INTERP_FILL_ZERO: return "zero";
    case INTERP_FILL_INDEX: return "index";
    }
    return "?";
}

/* Significand bits, the hidden one included, of the types with arithmetic;
 * a safe few for the storage-only types. */
static unsigned precision(struct dtype t)
{
    if (t.code == DT_FLOAT)
        return t.bits == 64 ? 53 : t.bits == 32 ? 24 : 11;
    if (t.code == DT_BFLOAT)
        return 8;
    if (t.code == DT_FLOAT8_E4M3FN || t.code == DT_FLOAT8_E4M3 ||
        t.code == DT_FLOAT8_E4M3FNUZ || t.code == DT_FLOAT8_E4M3B11FNUZ)
        return 4;
    return t.code == DT_FLOAT8_E5M2 || t.code == DT_FLOAT8_E5M2FNUZ ? 3 : 2;
}

static uint64_t from_double(struct dtype t, double value)
{
    unsigned flags = 0;
    return num_from_double(t, value, &flags);
}

/* What an unsigned scale type (powers of two only) can hold. */
static bool is_scale(struct dtype t)
{
    return t.code == DT_FLOAT8_E8M0FNU;
}

/* lo..hi of an integer type, both as int64 (uint64 is cut to its lower half:
 * the generator has no use for more). */
static void int_limits(struct dtype t, int64_t *lo, int64_t *hi)
{
    unsigned bits = t.bits == 0 || t.bits > 64 ? 64 : t.bits;
    *lo = 0;
    *hi = 1;
    if (t.code == DT_INT) {
        *hi = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        *lo = -*hi - 1;
    } else if (t.code == DT_UINT) {
        *hi = bits >= 63 ? INT64_MAX : (int64_t)((UINT64_C(1) << bits) - 1);
    }
}

/* Uniform in lo..hi. The slight bias of the modulus is no matter here. */
static int64_t pick(uint64_t h, int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)hi - (uint64_t)lo + 1;
    uint64_t offset = span == 0 ? h : h % span;
    return (int64_t)((uint64_t)lo + offset);
}

static int64_t pick_nonzero(uint64_t h, int64_t lo, int64_t hi)
{
    int64_t value = pick(h, lo, hi);
    if (value != 0 || (lo == 0 && hi == 0))
        return value;
    if (lo < 0 && hi > 0)
        return h >> 63 ? -1 : 1;
    return hi > 0 ? 1 : -1;
}

/* The integers that EXACT uses for a type, before the caller's limits. */
static void exact_int_limits(struct dtype t, int64_t *lo, int64_t *hi)
{
    int_limits(t, lo, hi);
    if (t.bits <= 8)
        return;
    int64_t most = t.bits <= 16 ? 1000 : 100;
    *lo = *lo < -most ? -most : *lo;
    *hi = *hi > most ? most : *hi;
}

static int64_t wide_int(uint64_t h, struct dtype t)
{
    int64_t lo, hi;
    int_limits(t, &lo, &hi);
    unsigned bits = t.bits == 0 || t.bits > 64 ? 64 : t.bits;
    uint64_t magnitude = (h >> 8) & (UINT64_MAX >> 1);
    magnitude >>= 63 - (unsigned)((h >> 1) % bits);
    if (magnitude > (uint64_t)hi)
        magnitude = (uint64_t)hi;
    return lo < 0 && (h & 1) ? -(int64_t)magnitude : (int64_t)magnitude;
}

static int64_t boundary_int(uint64_t h, int64_t lo, int64_t hi)
{
    const int64_t choice[] = {lo, hi, 0, 1, -1, lo + (lo < hi), hi - (lo < hi)};
    int64_t value = choice[h % DC_ARRAY_LEN(choice)];
    return value < lo || value > hi ? hi : value;
}

/* The least number whose square exceeds most: 46341 for int32. */
static int64_t beyond_root(int64_t most)
{
    int64_t root = (int64_t)sqrt((double)most);
    while (root > 0 && root > most / root)
        root--;
    while (root + 1 <= most / (root + 1))
        root++;
    return root + 1;
}

/* LOWEST and HIGHEST of an odd seed. */
static int64_t unfit_root(struct dtype t, enum interp_fill fill)
{
    int64_t least, most;
    int_limits(t, &least, &most);
    int64_t value = beyond_root(most);
    return least < 0 && fill == INTERP_FILL_LOWEST ? -value : value;
}

/* The fills of one sign, and the odd numbers. */
static int64_t signed_int(struct dtype t, enum interp_fill fill, uint64_t h)
{
    int64_t least, most;
    exact_int_limits(t, &least, &most);
    int64_t size = 1 + (int64_t)((h >> 1) % (uint64_t)(most > 1 ? most : 1));
    if (fill == INTERP_FILL_POSITIVE)
        return size;
    if (fill == INTERP_FILL_NEGATIVE)
        return -size;
    size |= 1;
    if (size == 1 && most >= 3)
        size = 3;
    return h & 1 ? -size : size;
}

static uint64_t int_element(struct dtype t, enum interp_fill fill,
                            uint64_t seed, uint64_t h, int64_t lo, int64_t hi)
{
    bool limited = lo <= hi;
    int64_t least, most, value = 0;
    int_limits(t, &least, &most);
    if (limited) {
        least = lo > least ? lo : least;
        most = hi < most ? hi : most;
        if (least > most)
            least = most = lo;
    }
    switch (fill) {
    case INTERP_FILL_EXACT:
        if (!limited)
            exact_int_limits(t, &least, &most);
        value = limited ? pick(h, least, most) : pick_nonzero(h, least, most);
        break;
    case INTERP_FILL_UNIT:
        value = limited ? pick(h, least, most) : (int64_t)(h & 1);
        break;
    case INTERP_FILL_RANGE:
        value = limited ? pick(h, least, most) : wide_int(h, t);
        break;
    case INTERP_FILL_RANDOM:
    case INTERP_FILL_TINY:
    case INTERP_FILL_INDEX: value = pick(h, least, most); break;
    case INTERP_FILL_BOUNDARY: value = boundary_int(h, least, most); break;
    case INTERP_FILL_POSITIVE:
    case INTERP_FILL_NEGATIVE:
    case INTERP_FILL_SIGNS:
        /* below 0 an unsigned type holds its largest numbers */
        value = limited ? pick(h, least, most) : signed_int(t, fill, h);
        break;
    case INTERP_FILL_LOWEST:
        value = limited || seed % 2 == 0 ? least : unfit_root(t, fill);
        break;
    case INTERP_FILL_HIGHEST:
        if (limited || seed % 2 == 0)
            value = limited || t.code == DT_INT ? most : -1;
        else
            value = unfit_root(t, fill);
        break;
    case INTERP_FILL_ZERO: value = limited && least > 0 ? least : 0; break;
    }
    unsigned flags = 0;
    return num_from_int(t, value, &flags);
}

/* 1-bit integers and bool. */
static uint64_t bool_element(enum interp_fill fill, uint64_t h, int64_t lo,
                             int64_t hi)
{
    if (lo <= hi)
        return hi <= 0 ? 0 : lo >= 1 ? 1 : h & 1;
    if (fill == INTERP_FILL_HIGHEST)
        return 1;
    return fill == INTERP_FILL_ZERO || fill == INTERP_FILL_LOWEST ? 0 : h & 1;
}

static double exact_float(struct dtype t, uint64_t seed, uint64_t h)
{
    unsigned p = precision(t);
    if (seed % 4 == 3)
        return (h & 2) && p >= 8 ? 4.0 : 1.0;
    double sign = h & 1 ? -1.0 : 1.0;
    if (p < 8)
        return sign;
    if (seed % 4 == 1)
        return sign * (double)(1u << ((h >> 1) % (p > 11 ? 3 : p > 8 ? 2 : 1)));
    return sign * (double)(1 + (h >> 1) % (p > 8 ? 3 : 2));
}

/* k / 2^p, so that the value has at most p bits and lies in [0, 1). */
static double unit_float(struct dtype t, uint64_t h)
{
    unsigned p = precision(t);
    uint64_t one = UINT64_C(1) << p;
    return (double)((h >> 4) % one) / (double)one;
}

/* Enclosures are pairs of fp64, so for fp64 inputs they have no room above the
 * largest value: sums of such inputs would show nothing in any order. */
static uint64_t large_value(struct dtype t)
{
    uint64_t most = num_max_value(t);
    return t.code == DT_FLOAT && t.bits == 64 ? most - (UINT64_C(20) << 52)
                                              : most;
}

static uint64_t boundary_float(struct dtype t, uint64_t h)
{
    uint64_t tiny = num_min_positive(t), most = large_value(t);
    switch ((h >> 1) % 8) {
    case 0: return from_double(t, h & 1 ? -0.0 : 0.0);
    case 1: return from_double(t, h & 1 ? -1.0 : 1.0);
    case 2: return h & 1 ? from_double(t, -num_to_double(t, most)) : most;
    case 3: return h & 1 ? from_double(t, -num_to_double(t, tiny)) : tiny;
    /* next to the extremes: the largest subnormal or so, just above 1 */
    case 4:
        return from_double(t, (h & 1 ? -3.0 : 3.0) * num_to_double(t, tiny));
    case 5: return from_double(t, 1.0) + 1;
    case 6: return most - 1;
    default: return from_double(t, h & 1 ? -0.5 : 2.0);
    }
}

/* Codes of finite magnitudes are the values in order, so a uniform code is a
 * uniform exponent. */
static uint64_t range_float(struct dtype t, uint64_t h)
{
    uint64_t code = (h >> 1) % (num_max_value(t) + 1);
    if (!(h & 1))
        return code;
    return from_double(t, -num_to_double(t, code));
}

/* Three of four are about the root of the least normal number, the others
 * about that number itself: sums of products and sums alone get there. */
static uint64_t tiny_float(struct dtype t, uint64_t h)
{
    int least; /* the least normal number's exponent */
    (void)frexp(num_to_double(t, num_min_positive(t)), &least);
    least += (int)precision(t) - 2;
    int exponent = (h >> 1) % 4 == 0 ? least - 2 : least / 2 - 1;
    double value = ldexp(1 + unit_float(t, h >> 3), exponent);
    return from_double(t, h & 1 ? -value : value);
}

/* A number far from 0 (exp of its negative is 0 in float64), or the largest
 * power of two that the type has. */
static double far_out(struct dtype t)
{
    int exponent;
    (void)frexp(num_to_double(t, num_max_value(t)), &exponent);
    return ldexp(1.0, exponent - 1 < 13 ? exponent - 1 : 13);
}

static uint64_t float_element(struct dtype t, enum interp_fill fill,
                              uint64_t seed, uint64_t h, int64_t lo, int64_t hi)
{
    if (is_scale(t)) /* biased exponent, 127 is 1.0 */
        return fill == INTERP_FILL_RANGE ? h % 255
                                         : UINT64_C(127) + (h >> 1) % 2;
    switch (fill) {
    case INTERP_FILL_EXACT: return from_double(t, exact_float(t, seed, h));
    case INTERP_FILL_RANDOM:
        return from_double(t,
                           h & 1 ? unit_float(t, h) : unit_float(t, h) - 1.0);
    case INTERP_FILL_UNIT: return from_double(t, unit_float(t, h));
    case INTERP_FILL_BOUNDARY: return boundary_float(t, h);
    case INTERP_FILL_RANGE: return range_float(t, h);
    case INTERP_FILL_TINY: return tiny_float(t, h);
    case INTERP_FILL_POSITIVE:
        return from_double(t, fabs(exact_float(t, 0, h)));
    case INTERP_FILL_NEGATIVE:
        return from_double(t, -fabs(exact_float(t, 0, h)));
    case INTERP_FILL_LOWEST:
        return seed % 2 ? num_min_value(t) : from_double(t, -far_out(t));
    case INTERP_FILL_HIGHEST:
        return seed % 2 ? num_max_value(t) : from_double(t, far_out(t));
    case INTERP_FILL_SIGNS: return from_double(t, h & 1 ? -1.0 : 1.0);
    case INTERP_FILL_ZERO: return from_double(t, 0.0);
    case INTERP_FILL_INDEX:
        return from_double(t, lo <= hi ? (double)pick(h, lo, hi) : 0.0);
    }
    return 0;
}

void interp_fill_tensor(struct interp_tensor *t, enum interp_fill fill,
                        uint64_t seed, size_t param, int64_t lo, int64_t hi)
{
    struct dtype scalar = dtype_scalar(t->dtype);
    bool signs = fill == INTERP_FILL_SIGNS;
    uint64_t named = signs ? seed / 2 : seed;
    uint64_t turned = signs && param % 2 == 0 ? seed % 2 : 0;
    uint64_t key = hash_mix(hash_mix(UINT64_C(0x646966662d63686b), named),
                            (uint64_t)param);
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t h = hash_mix(key, (uint64_t)i) ^ turned, bits = 0;
        if (dtype_is_bool(scalar))
            bits = bool_element(fill, h, lo, hi);
        else if (dtype_is_int(scalar))
            bits = int_element(scalar, fill, seed, h, lo, hi);
        else if (dtype_is_float(scalar))
            bits = float_element(scalar, fill, seed, h, lo, hi);
        interp_tensor_set(t, i, bits);
        t->state[i] = INTERP_DEFINED;
    }
    if (t->box != NULL)
        interp_tensor_to_box(t);
}
