/* SPDX-License-Identifier: Apache-2.0
 *
 * Correctly rounded elementary functions without MPFR, for all formats
 * narrower than fp64.
 *
 * Ziv's strategy (A. Ziv, ACM TOMS 17(3), 1991) in two stages: an approximation
 * in double whose error bound is proven (math_exp.c, math_log.c, math_trig.c),
 * and, when both ends of the error interval do not round to one value, MPFR.
 * 24 bits of result against 43 to 50 good ones leave about one call in 2^18 to
 * 2^25 to MPFR.
 *
 * NUM_INEXACT: by the theorems of Lindemann and Siegel (exp, log, sin, …, erf:
 * transcendental at algebraic points but the trivial ones) and by unique
 * factorisation (exp2, exp10, log2, log10, rsqrt) the exact value is
 * representable only at points that the functions name themselves, so that
 * everything else is inexact. For pow an interval that contains a value of the
 * format is undecided.
 */
#include "ir/num/math_private.h"

/* For a.y of f's normal range, unless a midpoint of f is within a.e of it or
 * the result overflows: the double's bits below f's last place are compared
 * with half a unit of it, and adding that half rounds, since no tie is left. */
static bool round_normal(const struct float_format *f, struct math_approx a,
                         uint64_t *bits)
{
    uint64_t half = UINT64_C(1) << (51 - f->mant);
    uint64_t magnitude = double_bits(fabs(a.y));
    uint64_t smallest = (uint64_t)(f->emin + 1023) << 52;
    uint64_t rest = magnitude & (2 * half - 1);
    uint64_t distance = rest > half ? rest - half : half - rest;
    if (magnitude < smallest || distance <= (uint64_t)(a.e * 0x1p53) + 1)
        return false;
    uint64_t base = smallest - (UINT64_C(1) << 52); /* smallest has field 1 */
    uint64_t code = (magnitude - base + half) >> (52 - f->mant);
    *bits = code | (a.y < 0 ? float_sign_mask(f) : 0);
    return code <= f->max;
}

static bool round_both(const struct float_format *f, struct math_approx a,
                       uint64_t *bits)
{
    unsigned ignored = 0;
    double error = fabs(a.y) * a.e, low = a.y - error, high = a.y + error;
    if (f == &float_format_fp32) {
        float one = (float)low, other = (float)high;
        *bits = float_bits(one);
        return one == other;
    }
    if (round_normal(f, a, bits))
        return true;
    *bits = float_round(f, low, &ignored);
    return *bits == float_round(f, high, &ignored);
}

bool math_settle(const struct float_format *f, struct math_approx a,
                 uint64_t *bits, unsigned *flags)
{
    if (a.e == 0) {
        *bits = float_round(f, a.y, flags);
        return true;
    }
    if (a.e < 0 || !round_both(f, a, bits))
        return false;
    if (a.may_be_exact) { /* 1 is exact only where pow says so itself */
        double result = float_decode(f, *bits);
        if (fabs(result) != 1 && fabs(result - a.y) <= fabs(a.y) * a.e)
            return false;
    }
    *flags |= NUM_INEXACT;
    return true;
}

/* Two roundings, 2 u. Rational only if x = 4^k: then both steps are exact. */
static struct math_approx math_fast_rsqrt(double x)
{
    if (!(x > 0) || isinf(x))
        return math_exact(x == 0  ? copysign(HUGE_VAL, x)
                          : x > 0 ? 0
                                  : (double)NAN);
    double y = 1 / sqrt(x);
    bool power_of_two =
        ((double_bits(x) | double_bits(y)) & UINT64_C(0xfffffffffffff)) == 0;
    return power_of_two ? math_exact(y) : math_within(y, 0x1p-51);
}

/* The squares are exact; their sum and the root round: 1.5 u. A rational result
 * of at most 26 bits has an exact sum, of 52 bits, and an exact root. */
static struct math_approx math_fast_hypot(double x, double y)
{
    if (!isfinite(x) || !isfinite(y))
        return math_unknown();
    double a = x * x, b = y * y, sum = a + b, part = sum - a;
    double error = (a - (sum - part)) + (b - part); /* TwoSum: exact */
    double root = sqrt(sum);
    bool short_root = (double_bits(root) & UINT64_C(0x7ffffff)) == 0;
    if (error == 0 && short_root && root * root == sum)
        return math_exact(root);
    return math_within(root, 0x1p-51);
}

math_function math_fast_function(enum num_op op)
{
    static const math_function functions[NUM_NOPS] = {
        [NUM_EXP] = math_fast_exp,     [NUM_EXP2] = math_fast_exp2,
        [NUM_EXP10] = math_fast_exp10, [NUM_LOG] = math_fast_log,
        [NUM_LOG2] = math_fast_log2,   [NUM_LOG10] = math_fast_log10,
        [NUM_LOG1P] = math_fast_log1p, [NUM_SIN] = math_fast_sin,
        [NUM_COS] = math_fast_cos,     [NUM_TAN] = math_fast_tan,
        [NUM_SINH] = math_fast_sinh,   [NUM_COSH] = math_fast_cosh,
        [NUM_TANH] = math_fast_tanh,   [NUM_ASIN] = math_fast_asin,
        [NUM_ACOS] = math_fast_acos,   [NUM_ATAN] = math_fast_atan,
        [NUM_ASINH] = math_fast_asinh, [NUM_ACOSH] = math_fast_acosh,
        [NUM_ATANH] = math_fast_atanh, [NUM_ERF] = math_fast_erf,
        [NUM_RSQRT] = math_fast_rsqrt, [NUM_SIGMOID] = math_fast_sigmoid,
    };
    return functions[op];
}

math_function2 math_fast_function2(enum num_op op)
{
    if (op == NUM_POW)
        return math_fast_pow;
    if (op == NUM_ATAN2)
        return math_fast_atan2;
    return op == NUM_HYPOT ? math_fast_hypot : NULL;
}

uint64_t math_unary(enum num_op op, const struct float_format *f, double x,
                    unsigned *flags)
{
    uint64_t bits;
    if (f != &float_format_fp64 &&
        math_settle(f, math_fast_function(op)(x), &bits, flags))
        return bits;
    return math_mpfr_unary(op, f, x, flags);
}

uint64_t math_binary(enum num_op op, const struct float_format *f, double x,
                     double y, unsigned *flags)
{
    uint64_t bits;
    if (f != &float_format_fp64 &&
        math_settle(f, math_fast_function2(op)(x, y), &bits, flags))
        return bits;
    return math_mpfr_binary(op, f, x, y, flags);
}
