/* SPDX-License-Identifier: Apache-2.0
 *
 * sin, cos, tan and their inverses, in double with proven error bounds (see
 * math_private.h for u).
 *
 * x = n pi/2 + r, |r| <= pi/4 + 2^-20. Below 2^20, pi/2 is taken in three parts
 * (Cody and Waite): n has at most 20 bits, so the products with the parts of 33
 * bits are exact; the first subtraction is exact (Sterbenz), the second and
 * third round by u of a value that is at most |r| + 2^-46. With |r| >= 2^-40
 * that is 2.1 u of r. From 2^20 on, x 2/pi mod 4 is computed from 128 bits of
 * 2/pi (Payne and Hanek); see reduce_large. In both cases an r below 2^-40,
 * nearer than any value of fp32 comes to a multiple of pi/2, would have no
 * approximation; the bounds so rest on no knowledge of worst cases.
 *
 * sin and cos of r by Taylor series to r^17 and r^16: what is left is less than
 * 0.001 u and 0.02 u. With r within 4.5 u,
 *  - sin: condition at most 1; the terms behind the first are at most 0.1035 r
 *    within 5.5 u, the sum rounds, over sin r >= 0.9 r: 4.5 u + 1.8 u < 6.3 u;
 *  - cos: condition at most 0.79; the terms behind 1 are at most 0.3 within 4.4
 *    u, the sum rounds, over cos r >= 0.7: 3.6 u + 3.4 u < 7 u.
 */
#include "ir/num/math_private.h"

struct angle {
    double rest;  /* r within 4.5 u */
    int quadrant; /* n mod 4 */
    bool known;
};

/* x >= 2^20, of 24 significant bits: x = m 2^e. F = 128 bits of (2/pi)
 * 2^(e-2) mod 1, truncated; G = m F mod 1 is a quarter of x 2/pi mod 4, too
 * small by less than 2^-104. Its first two bits, rounded by the third, are the
 * quadrant; 4 G minus that, times pi/2, is r, absolutely within 2^-101 before
 * rounding. Summing the four words rounds three times, the constant and the
 * product add 1.4 u: 4.4 u + 2^-101/2^-40. */
static struct angle reduce_large(double x)
{
    uint64_t bits = double_bits(x);
    uint64_t m = (bits & UINT64_C(0xfffffffffffff)) >> 29 | 1U << 23;
    int offset = (int)(bits >> 52) - 1023 - 23 - 2 + 32;
    int word = offset / 32, shift = offset % 32;
    uint32_t g[4];
    uint64_t carry = 0;
    for (int i = 3; i >= 0; i--) {
        uint64_t pair = (uint64_t)math_two_over_pi[word + i] << 32 |
                        math_two_over_pi[word + i + 1];
        uint64_t product = (pair >> (32 - shift) & UINT32_MAX) * m + carry;
        g[i] = (uint32_t)product;
        carry = product >> 32;
    }
    int quadrant = (int)((g[0] >> 29) + 1) >> 1 & 3;
    bool negative = (g[0] >> 29 & 1) != 0;
    for (int i = 0; i < 4; i++) /* times 4, mod 1 */
        g[i] = g[i] << 2 | (i < 3 ? g[i + 1] >> 30 : 0);
    carry = negative ? 1 : 0;
    for (int i = 3; i >= 0 && negative; i--) { /* 1 minus it */
        carry += (uint32_t)~g[i];
        g[i] = (uint32_t)carry;
        carry >>= 32;
    }
    double sum = (double)g[2] * 0x1p-96 + (double)g[3] * 0x1p-128;
    sum = (double)g[0] * 0x1p-32 + ((double)g[1] * 0x1p-64 + sum);
    double rest = sum * MATH_PI_2;
    return (struct angle){negative ? -rest : rest, quadrant, rest >= 0x1p-40};
}

/* x >= 0, finite */
static struct angle reduce_angle(double x)
{
    if (x >= 0x1p20)
        return reduce_large(x);
    double n = math_nearest(x * MATH_2_PI);
    double r = ((x - n * MATH_PI_2_A) - n * MATH_PI_2_B) - n * MATH_PI_2_C;
    return (struct angle){r, (int)n & 3, n == 0 || fabs(r) >= 0x1p-40};
}

static double sin_series(double r)
{
    double w = r * r;
    double q = -1.0 / 1307674368000 + w * (1.0 / 355687428096000);
    q = 1.0 / 6227020800 + w * q;
    q = -1.0 / 39916800 + w * q;
    q = 1.0 / 362880 + w * q;
    q = -1.0 / 5040 + w * q;
    q = 1.0 / 120 + w * q;
    q = -1.0 / 6 + w * q;
    return r + r * (w * q);
}

static double cos_series(double r)
{
    double w = r * r;
    double q = -1.0 / 87178291200 + w * (1.0 / 20922789888000);
    q = 1.0 / 479001600 + w * q;
    q = -1.0 / 3628800 + w * q;
    q = 1.0 / 40320 + w * q;
    q = -1.0 / 720 + w * q;
    q = 1.0 / 24 + w * q;
    q = -0.5 + w * q;
    return 1 + w * q;
}

/* sin(r + quadrant pi/2) */
static double sin_in_quadrant(double r, int quadrant)
{
    double y = (quadrant & 1) != 0 ? cos_series(r) : sin_series(r);
    return (quadrant & 2) != 0 ? -y : y;
}

struct math_approx math_fast_sin(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? x : (double)NAN);
    struct angle a = reduce_angle(fabs(x));
    if (!a.known)
        return math_unknown();
    double y = sin_in_quadrant(a.rest, a.quadrant);
    return math_within(x < 0 ? -y : y, 0x1p-49);
}

struct math_approx math_fast_cos(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? 1 : (double)NAN);
    struct angle a = reduce_angle(fabs(x));
    if (!a.known)
        return math_unknown();
    return math_within(sin_in_quadrant(a.rest, a.quadrant + 1), 0x1p-49);
}

/* A quotient of the two: 6.3 u + 7 u + u < 2^-49.1. */
struct math_approx math_fast_tan(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? x : (double)NAN);
    struct angle a = reduce_angle(fabs(x));
    if (!a.known)
        return math_unknown();
    double s = sin_series(a.rest), c = cos_series(a.rest);
    double y = (a.quadrant & 1) != 0 ? -c / s : s / c;
    return math_within(x < 0 ? -y : y, 0x1p-48);
}

/* atan v, 0 <= v <= 1, within 6.7 u. c = j/64 is nearest to v and t = (v - c)/
 * (1 + v c), |t| <= 2^-7: v - c is exact, 1 + v c within 1.5 u, t within 2.5 u.
 * The series to t^7 leaves t^8/9 < 0.02 u; the terms behind the first are 2e-5
 * of it, the sum rounds: 3.6 u. For j = 0, t = v exactly. Else the result is at
 * least as large as atan t and half of atan c, whose table is within u: 2.01 u
 * + 3.6 u + u. */
static double atan_unit(double v)
{
    int j = (int)math_nearest(v * 64);
    double c = (double)j / 64, t = (v - c) / (1 + v * c), w = t * t;
    double rest = t - t * w * (1.0 / 3 - w * (1.0 / 5 - w * (1.0 / 7)));
    return j == 0 ? rest : math_atan_table[j] + rest;
}

/* atan v, v >= 0, within 9.5 u. Above 1 it is pi/2 - atan(1/v), at least 0.785:
 * 6.7 u and the rounding of 1/v of at most 0.786, the constant 0.56 u absolute,
 * over 0.785, and a rounding. The condition number is at most 1 everywhere. */
static double atan_core(double v)
{
    return v > 1 ? MATH_PI_2 - atan_unit(1 / v) : atan_unit(v);
}

struct math_approx math_fast_atan(double x)
{
    if (x == 0)
        return math_exact(x);
    double y = isinf(x) ? MATH_PI_2 : atan_core(fabs(x));
    return math_within(copysign(y, x), 0x1p-48);
}

/* atan(|x|/sqrt((1 - |x|)(1 + |x|))): 3.5 u and 9.5 u < 2^-49.2. */
struct math_approx math_fast_asin(double x)
{
    double a = fabs(x);
    if (x == 0 || a > 1)
        return math_exact(x == 0 ? x : (double)NAN);
    double y = a == 1 ? MATH_PI_2 : atan_core(a / sqrt((1 - a) * (1 + a)));
    return math_within(copysign(y, x), 0x1p-48);
}

/* 2 atan(sqrt((1 - x)/(1 + x))): 2.5 u and 9.5 u. */
struct math_approx math_fast_acos(double x)
{
    if (x == 1 || fabs(x) > 1)
        return math_exact(x == 1 ? 0 : (double)NAN);
    double y = x == -1 ? MATH_PI : 2 * atan_core(sqrt((1 - x) / (1 + x)));
    return math_within(y, 0x1p-48);
}

/* The quotient rounds: 10.5 u. For x < 0, pi minus that, at least pi/2: 10.5 u
 * and 1.1 u absolute of the constant over 1.57, and a rounding: 12.3 u. */
struct math_approx math_fast_atan2(double y, double x)
{
    if (x == 0 || y == 0 || !isfinite(x) || !isfinite(y))
        return math_unknown();
    double angle = atan_core(fabs(y) / fabs(x));
    return math_within(copysign(x < 0 ? MATH_PI - angle : angle, y), 0x1p-48);
}
