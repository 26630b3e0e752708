/* SPDX-License-Identifier: Apache-2.0
 *
 * exp and what is made of it (exp2, exp10, sinh, cosh, tanh, sigmoid), and
 * erf, in double with proven error bounds (see math_private.h for u).
 *
 * x = n ln2/64 + r, n = 64 k + j: e^x = 2^k T (1 + p), T = 2^(j/64) from a
 * table, p = e^r - 1 by its Taylor series (table-driven reduction: P. T. P.
 * Tang, ACM TOMS 15(2), 1989). |r| <= ln2/128 + 2^-40 < 0.00542, so
 *  - the series to r^6 leaves less than r^7/5040 * 1.01 < 0.0003 u absolute,
 *    0.05 u of r;
 *  - p = r + q with |q| <= 1.5e-5, q itself within 6 u: at most 1e-4 u, and
 *    the last addition rounds by u |p| <= 0.0055 u.
 * n L_HI is exact (17 + 36 bits), the subtraction from x rounds by u 0.0055 at
 * most, n L_LO < 2^16 2^-45 adds 2^-28 u, the second subtraction 0.0055 u. So r
 * is within 0.0111 u and p within 0.018 u, absolute; for n = 0, r = x exactly
 * and p is within 1.1 u relative.
 * e^x: T u, T p 0.018 u + 0.006 u, the sum u, over 1 - 0.0055: 2.1 u.
 */
#include "ir/num/math_private.h"

struct reduced {
    double power; /* 2^k T, within u */
    double rest;  /* p, |p| < 0.0055, within 0.018 u absolute */
};

static double exp_minus_1_series(double r)
{
    double q = 1.0 / 120 + r * (1.0 / 720);
    q = 1.0 / 24 + r * q;
    q = 1.0 / 6 + r * q;
    q = 0.5 + r * q;
    return r + r * r * q;
}

/* n as above, r the rest. */
static struct reduced assemble(double n, double r)
{
    int whole = (int)n, j = whole & 63;
    double scale = math_power_of_two((whole - j) / 64);
    return (struct reduced){scale * math_exp2_table[j], exp_minus_1_series(r)};
}

/* |x| <= 700 */
static struct reduced reduce(double x)
{
    double n = math_nearest(x * MATH_64_LN2);
    double r = (x - n * MATH_LN2_64_HI) - n * MATH_LN2_64_LO;
    return assemble(n, r);
}

static double value(struct reduced t)
{
    return t.power + t.power * t.rest;
}

double math_exp_core(double x)
{
    return value(reduce(x));
}

/* e^x - 1 for |x| <= 700 within 195 u. For n = 0 it is p, within 1.1 u. Else S
 * = 2^k T is at least 2^(1/64) or at most 2^(-1/64), S - 1 rounds by u |S - 1|,
 * S p is within 0.024 u S, the sum rounds once, and S itself is within u S.
 * S / |e^x - 1| is greatest at S = 2^(1/64), p = -0.0055: less than 190. */
static double exp_minus_1(double x)
{
    struct reduced t = reduce(x);
    return t.power == 1 ? t.rest : (t.power - 1) + t.power * t.rest;
}

/* In all functions, beyond the clamp every format has long overflowed, gone
 * below half of its smallest value, or come nearer to 1 than half an ulp. */

struct math_approx math_fast_exp(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? 1 : x > 0 ? x : 0);
    return math_within(math_exp_core(math_clamp(x, 700)), 0x1p-50);
}

/* x - n/64 is exact (Sterbenz), times ln2 within 2 u: r within 0.011 u
 * absolute, as above. Only integers have a power that is rational. */
struct math_approx math_fast_exp2(double x)
{
    if (isinf(x))
        return math_exact(x > 0 ? x : 0);
    double clamped = math_clamp(x, 1000);
    double n = math_nearest(clamped * 64), rest = clamped - n / 64;
    struct reduced t = assemble(n, rest * MATH_LN2);
    if (rest == 0 && ((int)n & 63) == 0)
        return math_exact(t.power);
    return math_within(value(t), 0x1p-50);
}

/* 10^0 … 10^22 are doubles. Higher powers have more than 26 significant bits
 * (those of 5^11), negative ones are no binary fractions. */
static bool exact_power_of_ten(double x, double *power)
{
    if (!(x >= 0 && x <= 22) || x != math_nearest(x))
        return false;
    *power = 1;
    for (int i = (int)x; i > 0; i--)
        *power *= 10;
    return true;
}

/* ln10 in parts of 29 and 53 bits: x LN10_HI is exact. a is within 0.0056 u
 * absolute, b and c below 2^-19 carry 2^-17 u, their sum with a 0.0055 u. */
struct math_approx math_fast_exp10(double x)
{
    double power;
    if (isinf(x))
        return math_exact(x > 0 ? x : 0);
    if (exact_power_of_ten(x, &power))
        return math_exact(power);
    x = math_clamp(x, 300);
    double n = math_nearest(x * MATH_64_LOG2_10);
    double a = x * MATH_LN10_HI - n * MATH_LN2_64_HI;
    double b = x * MATH_LN10_LO, c = n * MATH_LN2_64_LO;
    return math_within(value(assemble(n, a + (b - c))), 0x1p-50);
}

/* (t + t/(1 + t)) / 2 with t = e^|x| - 1 within 195 u; the quotient has a
 * condition number of at most 1 and all terms are positive: 198 u < 2^-45.3. */
struct math_approx math_fast_sinh(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x);
    double t = exp_minus_1(math_clamp(fabs(x), 700));
    return math_within(copysign((t + t / (1 + t)) * 0.5, x), 0x1p-44);
}

/* (E + 1/E) / 2: 3.1 u and the sum, 4.2 u < 2^-50.9. */
struct math_approx math_fast_cosh(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? 1 : HUGE_VAL);
    double power = math_exp_core(math_clamp(fabs(x), 700));
    return math_within((power + 1 / power) * 0.5, 0x1p-49);
}

/* -t/(2 + t) with t = e^(-2|x|) - 1, -1 <= t < 0: condition 2/(2 + t) <= 2, so
 * 390 u and two roundings, 392 u < 2^-44.3. */
struct math_approx math_fast_tanh(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? x : copysign(1, x));
    double t = exp_minus_1(-2 * math_clamp(fabs(x), 300));
    return math_within(copysign(t / (2 + t), x), 0x1p-43);
}

/* E = e^-x within 2.1 u, 1 + E 3.1 u, the quotient 4.1 u < 2^-50.9. */
struct math_approx math_fast_sigmoid(double x)
{
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? 0.5 : x > 0 ? 1 : 0);
    return math_within(1 / (1 + math_exp_core(-math_clamp(x, 700))), 0x1p-49);
}

/* erf(c + h) = erf(c) + D h S, c = j/16, |h| <= 1/32, D = erf'(c) and
 *   S = sum of u_k/(k+1), u_k = (-h)^k H_k(c)/k!  (H_k Hermite polynomials),
 *   (k+1) u_(k+1) = -2 c h u_k - 2 h^2 u_(k-1).
 * Stopping at k = 9 leaves less than 0.02 u of the result, by Cramer's bound
 * |H_k(c)| <= 1.0865 2^(k/2) sqrt(k!) e^(c^2/2) for c > 0, and from H_10(0) =
 * -30240 for c = 0. |u_1| <= 1/4, |u_2| <= 0.033, |u_3| <= 0.003: the tail of S
 * is below 0.141 in magnitude, its terms carry less than 0.5 u, its sums 1.3 u
 * (all absolute), and 1 + tail one more rounding: S >= 0.86 within 2.8 u
 * absolute, so 3.3 u. D h S is within u + 3.3 u + 2 u. For c > 0, |D h S| is at
 * most as large as the result and erf(c) at most twice: 6.4 u + 2 u + u <
 * 2^-49.7. erf is transcendental at algebraic points but 0 (Siegel). */
static double erf_series(int j, double h)
{
    static const double reciprocals[11] = {0,       1,       1.0 / 2, 1.0 / 3,
                                           1.0 / 4, 1.0 / 5, 1.0 / 6, 1.0 / 7,
                                           1.0 / 8, 1.0 / 9, 1.0 / 10};
    double a = -2 * ((double)j / 16) * h, b = -2 * (h * h);
    double before = 1, last = a, tail = a * 0.5;
    for (int k = 2; k <= 9; k++) {
        double next = (a * last + b * before) * reciprocals[k];
        tail += next * reciprocals[k + 1];
        before = last;
        last = next;
    }
    return math_erf_table[j] + math_erf_slope[j] * h * (1 + tail);
}

struct math_approx math_fast_erf(double x)
{
    double magnitude = fabs(x);
    if (x == 0 || isinf(x))
        return math_exact(x == 0 ? x : copysign(1, x));
    if (magnitude > 4) /* 1 - erf(4) = 1.5417e-8 < 0x1.1p-26 */
        return math_within(copysign(1, x), 0x1.1p-26);
    int j = (int)math_nearest(magnitude * 16);
    double y = erf_series(j, magnitude - (double)j / 16);
    return math_within(copysign(y, x), 0x1p-48);
}
