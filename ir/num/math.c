/* SPDX-License-Identifier: Apache-2.0
 *
 * Correctly rounded elementary functions, by MPFR: all of fp64, and what the
 * approximations of math_fast.c cannot decide for the narrower formats.
 *
 * The result is the one the mathematics gives, so it is the same on every
 * machine and with every libm. MPFR rounds each function once to the
 * precision of the format; range and subnormal numbers are then settled with
 * the ternary value as its manual prescribes (mpfr_check_range, then
 * mpfr_subnormalize), which does not round twice. sigmoid is not one MPFR
 * function: it is enclosed between two bounds of growing precision until both
 * round to the same value (Ziv's strategy); this ends because sigmoid of a
 * nonzero float is transcendental and so never on a midpoint.
 *
 * Special values follow C11 Annex F, as MPFR does, but rsqrt(-0) is -inf as
 * 1/sqrt(-0) is. MPFR's state here is its per-thread exponent range (restored
 * on the way out) and constant caches; see num_release_caches.
 */
#include "ir/num/math_private.h"

#include <mpfr.h>

typedef int (*unary_function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
typedef int (*binary_function)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

static const unary_function unary_functions[NUM_NOPS] = {
    [NUM_EXP] = mpfr_exp,        [NUM_EXP2] = mpfr_exp2,
    [NUM_EXP10] = mpfr_exp10,    [NUM_LOG] = mpfr_log,
    [NUM_LOG2] = mpfr_log2,      [NUM_LOG10] = mpfr_log10,
    [NUM_LOG1P] = mpfr_log1p,    [NUM_SIN] = mpfr_sin,
    [NUM_COS] = mpfr_cos,        [NUM_TAN] = mpfr_tan,
    [NUM_SINH] = mpfr_sinh,      [NUM_COSH] = mpfr_cosh,
    [NUM_TANH] = mpfr_tanh,      [NUM_ASIN] = mpfr_asin,
    [NUM_ACOS] = mpfr_acos,      [NUM_ATAN] = mpfr_atan,
    [NUM_ASINH] = mpfr_asinh,    [NUM_ACOSH] = mpfr_acosh,
    [NUM_ATANH] = mpfr_atanh,    [NUM_ERF] = mpfr_erf,
    [NUM_RSQRT] = mpfr_rec_sqrt,
};

static binary_function binary_of(enum num_op op)
{
    if (op == NUM_POW)
        return mpfr_pow;
    return op == NUM_ATAN2 ? mpfr_atan2 : mpfr_hypot;
}

/* y has the format's precision; ternary is its rounding direction. Brings y
 * into the format's range and returns what ternary becomes. */
static int settle(const struct float_format *f, mpfr_ptr y, int ternary)
{
    mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_set_emin(f->emin - f->mant + 1);
    mpfr_set_emax(f->emin + (int)(f->max >> f->mant));
    ternary = mpfr_check_range(y, ternary, MPFR_RNDN);
    ternary = mpfr_subnormalize(y, ternary, MPFR_RNDN);
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    return ternary;
}

static uint64_t finish(const struct float_format *f, mpfr_ptr y, int ternary,
                       unsigned *flags)
{
    if (settle(f, y, ternary) != 0)
        *flags |= NUM_INEXACT;
    return float_round(f, mpfr_get_d(y, MPFR_RNDN), flags);
}

/* y = bound of 1/(1+exp(-x)) in direction rnd, MPFR_RNDD or MPFR_RNDU. */
static void sigmoid_bound(mpfr_ptr y, double x, mpfr_rnd_t rnd)
{
    mpfr_rnd_t opposite = rnd == MPFR_RNDD ? MPFR_RNDU : MPFR_RNDD;
    mpfr_set_d(y, -x, opposite);
    mpfr_exp(y, y, opposite);
    mpfr_add_ui(y, y, 1, opposite);
    mpfr_ui_div(y, 1, y, rnd);
}

static uint64_t sigmoid(const struct float_format *f, double x, unsigned *flags)
{
    int precision = f->mant + 1;
    if (x == 0 || isinf(x))
        return float_round(f, x == 0 ? 0.5 : x > 0 ? 1 : 0, flags);
    *flags |= NUM_INEXACT;
    if (x > precision + 2) /* 1 - result < 2^-(precision+1) */
        return float_round(f, 1, flags);
    if (x < f->emin - precision - 2) /* below half the smallest */
        return float_round(f, 0, flags);
    mpfr_t low, high, bound;
    mpfr_init2(low, precision);
    mpfr_init2(high, precision);
    mpfr_init2(bound, precision + 12);
    for (;;) {
        sigmoid_bound(bound, x, MPFR_RNDD);
        settle(f, low, mpfr_set(low, bound, MPFR_RNDN));
        sigmoid_bound(bound, x, MPFR_RNDU);
        settle(f, high, mpfr_set(high, bound, MPFR_RNDN));
        if (mpfr_equal_p(low, high))
            break;
        mpfr_set_prec(bound, 2 * mpfr_get_prec(bound));
    }
    uint64_t result = float_round(f, mpfr_get_d(low, MPFR_RNDN), flags);
    mpfr_clear(low);
    mpfr_clear(high);
    mpfr_clear(bound);
    return result;
}

uint64_t math_mpfr_unary(enum num_op op, const struct float_format *f, double x,
                         unsigned *flags)
{
    if (op == NUM_SIGMOID)
        return sigmoid(f, x, flags);
    if (op == NUM_RSQRT && x == 0)
        return float_round(f, signbit(x) ? -HUGE_VAL : HUGE_VAL, flags);
    mpfr_t in, out;
    mpfr_init2(in, 53);
    mpfr_init2(out, f->mant + 1);
    mpfr_set_d(in, x, MPFR_RNDN);
    int ternary = unary_functions[op](out, in, MPFR_RNDN);
    uint64_t result = finish(f, out, ternary, flags);
    mpfr_clear(in);
    mpfr_clear(out);
    return result;
}

uint64_t math_mpfr_binary(enum num_op op, const struct float_format *f,
                          double x, double y, unsigned *flags)
{
    mpfr_t first, second, out;
    mpfr_init2(first, 53);
    mpfr_init2(second, 53);
    mpfr_init2(out, f->mant + 1);
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    int ternary = binary_of(op)(out, first, second, MPFR_RNDN);
    uint64_t result = finish(f, out, ternary, flags);
    mpfr_clear(first);
    mpfr_clear(second);
    mpfr_clear(out);
    return result;
}

void math_bounds(enum num_op op, double x, double *lo, double *hi)
{
    mpfr_t in, out;
    mpfr_init2(in, 53);
    mpfr_init2(out, op == NUM_SIGMOID ? 128 : 53); /* sigmoid: three steps */
    for (int up = 0; up < 2; up++) {
        mpfr_rnd_t rnd = up != 0 ? MPFR_RNDU : MPFR_RNDD;
        mpfr_set_d(in, x, MPFR_RNDN);
        if (op == NUM_SIGMOID)
            sigmoid_bound(out, x, rnd);
        else
            unary_functions[op](out, in, rnd);
        *(up != 0 ? hi : lo) = mpfr_get_d(out, rnd);
    }
    mpfr_clear(in);
    mpfr_clear(out);
}

void math_bounds2(enum num_op op, double x, double y, double *lo, double *hi)
{
    mpfr_t first, second, out;
    mpfr_init2(first, 53);
    mpfr_init2(second, 53);
    mpfr_init2(out, 53);
    mpfr_set_d(first, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    binary_of(op)(out, first, second, MPFR_RNDD);
    *lo = mpfr_get_d(out, MPFR_RNDD);
    binary_of(op)(out, first, second, MPFR_RNDU);
    *hi = mpfr_get_d(out, MPFR_RNDU);
    mpfr_clear(first);
    mpfr_clear(second);
    mpfr_clear(out);
}
