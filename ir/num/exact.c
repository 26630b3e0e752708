/* SPDX-License-Identifier: Apache-2.0
 *
 * The sign of the rounding error of one double operation.
 *
 * This is what makes NUM_INEXACT exact knowledge for fp64 and lets interval
 * ends stay points when nothing was rounded. Each function has a fast path by
 * an error-free transformation, valid while nothing gets near underflow or
 * overflow, and a slow path that compares exact values in MPFR.
 *
 * Sources: Dekker's FastTwoSum; TwoProduct by fma; Shewchuk, "Adaptive
 * Precision Floating-Point Arithmetic", 1997, for the sum of four terms
 * (Theorem 10: growing a nonoverlapping expansion keeps it nonoverlapping, so
 * its largest nonzero component has the sign of the whole).
 */
#include "ir/num/num_private.h"

#include <mpfr.h>

/* Between these magnitudes a product error is a normal double and sums of a
 * few terms cannot overflow. */
#define SAFE_LOW  0x1p-900
#define SAFE_HIGH 0x1p1000

static int sign_of(double value)
{
    return (value > 0) - (value < 0);
}

static bool is_safe(double value)
{
    double magnitude = fabs(value);
    return magnitude >= SAFE_LOW && magnitude <= SAFE_HIGH;
}

int exact_add_sign(double a, double b, double r)
{
    if (fabs(a) < fabs(b)) {
        double swap = a;
        a = b;
        b = swap;
    }
    /* FastTwoSum: exact since |a| >= |b| and r is a + b to nearest. */
    double part = r - a;
    return sign_of(b - part);
}

/* Enough bits for any a*b + c of doubles: 2^-2148 … 2^2048. */
#define EXACT_BITS 4400

static int slow_fma_sign(double a, double b, double c, double r)
{
    mpfr_t x, y;
    mpfr_init2(x, EXACT_BITS);
    mpfr_init2(y, 53);
    mpfr_set_d(y, b, MPFR_RNDN);
    mpfr_mul_d(x, y, a, MPFR_RNDN);
    mpfr_add_d(x, x, c, MPFR_RNDN);
    int sign = mpfr_cmp_d(x, r);
    mpfr_clear(x);
    mpfr_clear(y);
    return (sign > 0) - (sign < 0);
}

int exact_mul_sign(double a, double b, double r)
{
    if (a == 0 || b == 0)
        return 0;
    if (is_safe(r))
        return sign_of(fma(a, b, -r));
    return slow_fma_sign(a, b, 0, r);
}

int exact_div_sign(double a, double b, double r)
{
    /* a/b - r has the sign of (a - r*b) * sign(b). */
    if (a == 0)
        return 0;
    int sign = is_safe(a) && is_safe(r) ? sign_of(fma(-r, b, a))
                                        : -slow_fma_sign(r, b, -a, 0);
    return b < 0 ? -sign : sign;
}

int exact_sqrt_sign(double a, double r)
{
    if (a == 0)
        return 0;
    if (is_safe(a))
        return sign_of(fma(-r, r, a));
    return -slow_fma_sign(r, r, -a, 0);
}

int exact_fma_sign(double a, double b, double c, double r)
{
    double product = a * b;
    if (a == 0 || b == 0)
        return 0;
    if (!is_safe(product) || (c != 0 && !is_safe(c)) || fabs(r) > SAFE_HIGH)
        return slow_fma_sign(a, b, c, r);
    double terms[4] = {fma(a, b, -product), product, c, -r};
    double parts[4];
    for (int n = 0; n < 4; n++) {
        double carry = terms[n];
        for (int i = 0; i < n; i++) {
            double x = carry, y = parts[i];
            double sum = x + y, back = sum - x;
            parts[i] = (x - (sum - back)) + (y - back);
            carry = sum;
        }
        parts[n] = carry;
    }
    for (int i = 3; i >= 0; i--) {
        if (parts[i] != 0)
            return sign_of(parts[i]);
    }
    return 0;
}
