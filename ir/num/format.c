/* SPDX-License-Identifier: Apache-2.0
 *
 * Float formats as data, decoding, and rounding.
 *
 * All formats are handled by one description: the magnitude codes of a binary
 * float are the finite values in ascending order, so rounding may add one to a
 * code and let the carry run into the exponent. float_pack is the only place
 * that rounds for formats narrower than fp32; fp32 and fp64 use the machine,
 * which rounds the same way (the build refuses excess precision, num.h).
 *
 * A sum of two doubles is passed on to float_pack with eleven more bits, the
 * last of which is sticky (round to odd), so that the second rounding sees the
 * exact value: Boldo and Melquiond, "Emulation of a FMA and correctly rounded
 * sums", IEEE Trans. Computers 57(4), 2008.
 *
 * Formats: IEEE 754, bfloat16; OCP 8-bit FP 1.0 (e4m3fn, e5m2); OCP MX 1.0
 * (e8m0, fp6, fp4); ml_dtypes for the rest and for what the papers leave open:
 * e8m0 rounds ties up, holds the tiny at 2^-127 and makes zero and negatives
 * NaN; fp6 and fp4 saturate and turn NaN into -0.
 */
#include "ir/num/num_private.h"

const struct float_format float_format_fp64 = {64,
                                               52,
                                               true,
                                               true,
                                               true,
                                               false,
                                               -1022,
                                               UINT64_C(0x7fefffffffffffff),
                                               UINT64_C(0x7ff8000000000000),
                                               0x1p-1074};
const struct float_format float_format_fp32 = {
    32, 23, true, true, true, false, -126, 0x7f7fffff, 0x7fc00000, 0x1p-149};
static const struct float_format fp16 = {16,    10,  true,   true,   true,
                                         false, -14, 0x7bff, 0x7e00, 0x1p-24};
static const struct float_format bf16 = {16,    7,    true,   true,   true,
                                         false, -126, 0x7f7f, 0x7fc0, 0x1p-133};

// clang-format off
static const struct float_format small_formats[] = {
    /* bits mant sign  inf    nan    uz     emin  max   nan   tiny */
    {8, 4, true,  true,  true,  false, -2,   0x6f, 0x78, 0x1p-6},   /* e3m4 */
    {8, 3, true,  true,  true,  false, -6,   0x77, 0x7c, 0x1p-9},   /* e4m3 */
    {8, 3, true,  false, true,  true,  -10,  0x7f, 0x80, 0x1p-13},  /* b11 */
    {8, 3, true,  false, true,  false, -6,   0x7e, 0x7f, 0x1p-9},   /* e4m3fn */
    {8, 3, true,  false, true,  true,  -7,   0x7f, 0x80, 0x1p-10},  /* fnuz */
    {8, 2, true,  true,  true,  false, -14,  0x7b, 0x7e, 0x1p-16},  /* e5m2 */
    {8, 2, true,  false, true,  true,  -15,  0x7f, 0x80, 0x1p-17},  /* fnuz */
    {8, 0, false, false, true,  false, -127, 0xfe, 0xff, 0x1p-127}, /* e8m0 */
    {6, 3, true,  false, false, false, 0,    0x1f, 0x20, 0x1p-3},   /* e2m3 */
    {6, 2, true,  false, false, false, -2,   0x1f, 0x20, 0x1p-4},   /* e3m2 */
    {4, 1, true,  false, false, false, 0,    0x07, 0x08, 0x1p-1},   /* e2m1 */
};
// clang-format on

const struct float_format *float_format_of(struct dtype t)
{
    if (t.code == DT_FLOAT) {
        if (t.bits == 32)
            return &float_format_fp32;
        if (t.bits == 16)
            return &fp16;
        return t.bits == 64 ? &float_format_fp64 : NULL;
    }
    if (t.code == DT_BFLOAT)
        return t.bits == 16 ? &bf16 : NULL;
    if (t.code >= DT_FLOAT8_E3M4 && t.code <= DT_FLOAT4_E2M1FN) {
        const struct float_format *f = &small_formats[t.code - DT_FLOAT8_E3M4];
        return f->bits == t.bits ? f : NULL;
    }
    return NULL;
}

const struct float_format *float_arith_format(struct dtype t)
{
    if (t.code != DT_FLOAT && t.code != DT_BFLOAT &&
        t.code != DT_FLOAT8_E4M3FN && t.code != DT_FLOAT8_E5M2)
        return NULL;
    return float_format_of(t);
}

double float_decode(const struct float_format *f, uint64_t bits)
{
    if (f == &float_format_fp32)
        return (double)float_from_bits(bits);
    if (f == &float_format_fp64)
        return double_from_bits(bits);
    if (float_is_nan(f, bits))
        return (double)NAN;
    uint64_t magnitude = float_magnitude(f, bits);
    uint64_t field = magnitude >> f->mant;
    uint64_t fraction = magnitude & ((UINT64_C(1) << f->mant) - 1);
    uint64_t sign = (uint64_t)(magnitude != bits) << 63;
    if (magnitude > f->max)
        return double_from_bits(sign | UINT64_C(0x7ff0000000000000));
    if (f->has_sign && field == 0) {
        double value = (double)fraction * f->tiny;
        return double_from_bits(sign | double_bits(value));
    }
    int exponent = (int)field + f->emin - (f->has_sign ? 1 : 0) + 1023;
    return double_from_bits(sign | (uint64_t)exponent << 52 |
                            fraction << (52 - f->mant));
}

/* The code for "too large" with the given sign. */
static uint64_t overflow_code(const struct float_format *f, bool sign)
{
    if (f->has_nan && !f->has_inf)
        return f->nan;
    return (sign ? float_sign_mask(f) : 0) | (f->max + (f->has_inf ? 1 : 0));
}

static uint64_t zero_code(const struct float_format *f, bool sign)
{
    if (!f->has_sign)
        return f->nan;
    return sign && !f->uz ? float_sign_mask(f) : 0;
}

static int leading_zeros(uint64_t value)
{
#if defined(__GNUC__)
    return __builtin_clzll(value);
#else
    int n = 0;
    for (; value >> 63 == 0; value <<= 1)
        n++;
    return n;
#endif
}

uint64_t float_pack(const struct float_format *f, bool sign, uint64_t mant,
                    int exp, unsigned *flags)
{
    if (mant == 0)
        return zero_code(f, sign);
    if (sign && !f->has_sign)
        return f->nan;
    int lead = leading_zeros(mant);
    mant <<= lead;
    int exponent = exp - lead + 63; /* of the leading bit */
    int shift = 63 - f->mant;
    uint64_t base = 0; /* code to which the significand is added */
    if (exponent < f->emin && !f->has_sign) {
        *flags |= NUM_INEXACT;
        return 0;
    }
    if (exponent < f->emin) {
        shift += f->emin - exponent;
    } else if (exponent > f->emin + (int)(f->max >> f->mant)) {
        *flags |= NUM_INEXACT;
        return overflow_code(f, sign);
    } else {
        int field = exponent - f->emin;
        base = (uint64_t)field << f->mant;
    }
    if (!f->has_sign) /* no hidden-bit binade below emin: undo its unit */
        base -= 1;
    uint64_t kept = 0;
    bool up = false;
    if (shift > 64) {
        *flags |= NUM_INEXACT; /* below half the smallest */
    } else {
        uint64_t half = UINT64_C(1) << (shift - 1);
        uint64_t rest = mant & (half | (half - 1));
        kept = shift == 64 ? 0 : mant >> shift;
        up = rest > half || (rest == half && (kept & 1) != 0);
        if (rest != 0)
            *flags |= NUM_INEXACT;
    }
    uint64_t code = base + kept + (up ? 1 : 0);
    if (code > f->max) {
        *flags |= NUM_INEXACT;
        return overflow_code(f, sign);
    }
    if (code == 0 && f->has_sign)
        return zero_code(f, sign);
    return (sign ? float_sign_mask(f) : 0) | code;
}

/* Infinity or NaN into f. */
static uint64_t round_special(const struct float_format *f, double value,
                              unsigned *flags)
{
    if (isnan(value))
        return f->nan;
    if (!f->has_inf)
        *flags |= NUM_INEXACT;
    if (!f->has_sign)
        return f->nan;
    return overflow_code(f, signbit(value) != 0);
}

/* Splits a finite double: |value| = mant * 2^exp. */
static uint64_t split(double value, int *exp)
{
    uint64_t bits = double_bits(value);
    int field = (int)(bits >> 52 & 0x7ff);
    uint64_t mant = bits & UINT64_C(0xfffffffffffff);
    *exp = (field == 0 ? 1 : field) - 1075;
    return field == 0 ? mant : mant | UINT64_C(1) << 52;
}

uint64_t float_round(const struct float_format *f, double value,
                     unsigned *flags)
{
    if (f == &float_format_fp64)
        return isnan(value) ? f->nan : double_bits(value);
    if (!isfinite(value))
        return round_special(f, value, flags);
    if (f == &float_format_fp32) {
        float result = (float)value;
        if ((double)result != value)
            *flags |= NUM_INEXACT;
        return float_bits(result);
    }
    int exp;
    uint64_t mant = split(value, &exp);
    return float_pack(f, signbit(value) != 0, mant, exp, flags);
}

uint64_t float_round_sum(const struct float_format *f, double a, double b,
                         unsigned *flags)
{
    double sum = a + b;
    if (!isfinite(sum) || sum == 0)
        return float_round(f, sum, flags);
    double part = sum - a;
    double error = (a - (sum - part)) + (b - part); /* TwoSum: exact */
    if (error == 0)
        return float_round(f, sum, flags);
    int exp;
    uint64_t mant = split(sum, &exp) << 10;
    if ((error > 0) == (sum > 0))
        mant |= 1;
    else
        mant -= 1;
    return float_pack(f, sum < 0, mant, exp - 10, flags);
}
