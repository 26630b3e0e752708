/* SPDX-License-Identifier: Apache-2.0
 *
 * log and what is made of it (log2, log10, log1p, asinh, acosh, atanh, pow), in
 * double with proven error bounds (see math_private.h for u).
 *
 * z = 2^k m, 0.703125 <= m < 1.40625; c = 1 + j/128 is nearest to m, ln c comes
 * from a table, and ln(m/c) = 2 atanh s with s = (m - c)/(m + c). m - c is
 * exact, |m - c| <= 2^-8, |s| < 0.0028. The series 2 s + 2 s w (1/3 + w/5 +
 * w^2/7), w = s^2, leaves s^8/9 < 2^-70 of it; s is within 2 u, the terms behind
 * the first are less than 3e-6 of it, the last addition rounds: 3.02 u.
 * ln m = ln c + that: for j = 0 it is only that. For j != 0 the sum is at least
 * as large as |ln(m/c)| and at least half of |ln c| (worst at j = +-1, where ln
 * c >= 0.0077 and |ln(m/c)| <= 0.0039), so 2.01 u + 3.04 u + u: ln m is within
 * 6.1 u, and |ln m| <= 0.3523.
 */
#include "ir/num/math_private.h"

/* 2 atanh(s) */
static double atanh_series(double s)
{
    double w = s * s, twice = 2 * s;
    return twice + twice * w * (1.0 / 3 + w * (1.0 / 5 + w * (1.0 / 7)));
}

/* ln m for z = 2^k m, z a normal double > 0. */
static double log_mantissa(double z, int *k)
{
    uint64_t bits = double_bits(z);
    double m = double_from_bits((bits & UINT64_C(0xfffffffffffff)) |
                                UINT64_C(1023) << 52);
    *k = (int)(bits >> 52) - 1023;
    if (m >= 1.40625) {
        m *= 0.5;
        ++*k;
    }
    int j = (int)math_nearest((m - 1) * 128);
    double c = 1 + (double)j / 128;
    double rest = atanh_series((m - c) / (m + c));
    return j == 0 ? rest : math_log_table[j - MATH_LOG_FIRST] + rest;
}

/* k LN2_HI is exact (11 + 42 bits); k LN2_LO < 2^-34 carries nothing. For k !=
 * 0, |ln z| >= 0.693 - 0.3523 > 0.34: ln m 2.15 u absolute, its sum with k
 * LN2_LO 0.36 u, over 0.34, and one rounding: 8.4 u. */
static double math_log_core(double z)
{
    int k;
    double m = log_mantissa(z, &k);
    return (double)k * MATH_LN2_HI + (m + (double)k * MATH_LN2_LO);
}

/* Settles what log, log2 and log10 have in common. */
static bool log_special(double x, struct math_approx *result)
{
    if (x > 0 && !isinf(x) && x != 1)
        return false;
    *result = math_exact(x == 1  ? 0
                         : x > 0 ? x
                         : x < 0 ? (double)NAN
                                 : -HUGE_VAL);
    return true;
}

struct math_approx math_fast_log(double x)
{
    struct math_approx special;
    if (log_special(x, &special))
        return special;
    return math_within(math_log_core(x), 0x1p-49);
}

/* k + ln m / ln 2: 8.1 u for k = 0, else |ln m/ln 2| <= 0.51 within 8.1 u, over
 * 0.49, and one rounding: 9.5 u < 2^-49.7. Rational at powers of two only. */
struct math_approx math_fast_log2(double x)
{
    struct math_approx special;
    int k;
    if (log_special(x, &special))
        return special;
    double m = log_mantissa(x, &k);
    if (m == 0)
        return math_exact(k);
    return math_within((double)k + m * MATH_1_LN2, 0x1p-48);
}

/* 8.4 u, the constant and the product: 10.5 u < 2^-49.6. Rational at powers of
 * ten only; those above 10^10 have more than 24 significant bits, those below 1
 * are no binary fractions. */
struct math_approx math_fast_log10(double x)
{
    struct math_approx special;
    if (log_special(x, &special))
        return special;
    double y = math_log_core(x) * MATH_1_LN10, power = 1;
    int n = (int)math_nearest(y);
    if (n > 0 && n <= 10) {
        for (int i = 0; i < n; i++)
            power *= 10;
        if (power == x)
            return math_exact(n);
    }
    return math_within(y, 0x1p-48);
}

/* ln(1 + v) for v > -1 of any precision, within 266 u < 2^-44.9. Below 2^-8
 * s = v/(2 + v) is within 2 u and |s| < 0.002: 3.1 u. Else 1 + v is rounded, an
 * absolute error of u in the logarithm, which is at least 0.0038: 257 u, and
 * 8.4 u. */
static double log_plus_1(double v)
{
    if (fabs(v) < 0x1p-8)
        return atanh_series(v / (2 + v));
    return math_log_core(1 + v);
}

struct math_approx math_fast_log1p(double x)
{
    if (x <= -1)
        return math_exact(x == -1 ? -HUGE_VAL : (double)NAN);
    if (x == 0 || isinf(x))
        return math_exact(x);
    return math_within(log_plus_1(x), 0x1p-44);
}

/* v = |x| + x^2/(1 + sqrt(1 + x^2)) within 6 u; ln(1 + v) has a condition
 * number of at most 1 in v >= 0: 272 u < 2^-44.9. */
struct math_approx math_fast_asinh(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x);
    double a = fabs(x), square = a * a;
    double v = a + square / (1 + sqrt(1 + square));
    return math_within(copysign(log_plus_1(v), x), 0x1p-44);
}

/* v = w + sqrt(w (x + 1)), w = x - 1 exact: 3 u, so 269 u. */
struct math_approx math_fast_acosh(double x)
{
    if (!(x > 1) || isinf(x))
        return math_exact(x == 1 ? 0 : x > 1 ? x : (double)NAN);
    double w = x - 1;
    return math_within(log_plus_1(w + sqrt(w * (x + 1))), 0x1p-44);
}

/* ln(1 + v)/2, v = 2|x|/(1 - |x|) within 2 u: 268 u. */
struct math_approx math_fast_atanh(double x)
{
    double a = fabs(x);
    if (x == 0)
        return math_exact(x);
    if (!(a < 1))
        return math_exact(a == 1 ? copysign(HUGE_VAL, x) : (double)NAN);
    return math_within(copysign(log_plus_1(2 * a / (1 - a)) * 0.5, x), 0x1p-44);
}

/* x^3 = p x with p = x^2 exact: an exact product if the 72 bits fit into 53.
 * x and p are split at 2^27 (Dekker), every part product is then exact. */
static bool exact_cube(double x, double *cube)
{
    double p = x * x, big = p * 0x1.0000002p27;
    double high = big - (big - p), low = p - high;
    *cube = p * x;
    return (high * x - *cube) + low * x == 0;
}

/* Exponents that kernels write, and bases whose logarithm is exact. */
static bool pow_special(double x, double y, struct math_approx *result)
{
    double cube;
    if (y == 1 || y == 2) {
        *result = math_exact(y == 1 ? x : x * x);
        return true;
    }
    if (y == 3 && fabs(x) < 0x1p126 && fabs(x) > 0x1p-126 &&
        exact_cube(x, &cube)) {
        *result = math_exact(cube);
        return true;
    }
    if (x <= 0 || isinf(x) || x == 1)
        return false;
    if (y == 0.5) { /* a rational root of 24 bits has at most 12 */
        double root = sqrt(x);
        bool exact = (double)(float)root == root && root * root == x;
        *result = exact ? math_exact(root) : math_within(root, 0x1p-51);
        return true;
    }
    if ((double_bits(x) & UINT64_C(0xfffffffffffff)) == 0) {
        int k = (int)(double_bits(x) >> 52) - 1023;
        *result = math_fast_exp2((double)k * y); /* 9 + 24 bits: exact */
        return true;
    }
    return false;
}

/* |x|^y = e^t, t = y ln|x| within 9.4 u: 9.4 u |t| in the result, and 2.1 u.
 * Exact results and ties exist (x a square, y a small integer); the caller's
 * test sees them as too near to tell and turns to MPFR. */
struct math_approx math_fast_pow(double x, double y)
{
    struct math_approx result;
    bool negative = false;
    if (isnan(x) || isnan(y))
        return math_unknown();
    if (pow_special(x, y, &result))
        return result;
    if (x == 0 || !isfinite(x) || y == 0 || !isfinite(y) || fabs(x) == 1)
        return math_unknown();
    if (x < 0) {
        /* from 2^24 on every y is an even integer */
        bool small = fabs(y) < 0x1p24;
        if (small && y != math_nearest(y))
            return math_exact((double)NAN);
        negative = small && ((int)y & 1) != 0;
    }
    double t = math_clamp(y * math_log_core(fabs(x)), 700);
    double power = math_exp_core(t);
    result =
        math_within(negative ? -power : power, fabs(t) * 0x1p-49 + 0x1p-50);
    result.may_be_exact = true;
    return result;
}
