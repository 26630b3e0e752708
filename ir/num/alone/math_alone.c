/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementary functions for kernels on other machines: diffcheck's own (ir/num),
 * compiled there, so that they give the bits that the interpreter has. Stands
 * behind the files of ir/num that CMakeLists.txt names.
 *
 * There is no MPFR on those machines. What the proven bounds leave open, one
 * call in 2^18 to 2^25, is rounded from the approximation, which is the right
 * neighbour or the other one. Special values of functions of two operands are
 * those of C11, Annex F.
 */
#include "ir/num/math_private.h"

static struct math_approx pow_at_limits(double x, double y)
{
    bool large = fabs(y) >= 0x1p53;
    bool odd = !large && y == math_nearest(y) &&
               math_nearest(y * 0.5) * 2 != math_nearest(y);
    if (y == 0 || x == 1)
        return math_exact(1);
    if (isnan(x) || isnan(y))
        return math_exact((double)NAN);
    if (isinf(y)) {
        double size = fabs(x);
        return math_exact(size == 1 ? 1 : (size > 1) == (y > 0) ? HUGE_VAL : 0);
    }
    if (x == -1) {
        bool whole = large || y == math_nearest(y);
        return math_exact(!whole ? (double)NAN : odd ? -1 : 1);
    }
    /* x is a zero or an infinity */
    double size = (x == 0) == (y > 0) ? 0 : HUGE_VAL;
    return math_exact(odd ? copysign(size, x) : size);
}

static struct math_approx atan2_at_limits(double y, double x)
{
    if (isnan(x) || isnan(y))
        return math_exact((double)NAN);
    bool back = signbit(x) != 0;
    double angle;
    if (isinf(y))
        angle = !isinf(x) ? MATH_PI_2 : back ? 3 * (MATH_PI / 4) : MATH_PI / 4;
    else if (x == 0 && y != 0)
        angle = MATH_PI_2;
    else
        angle = back ? MATH_PI : 0;
    return angle == 0 ? math_exact(copysign(0, y))
                      : math_within(copysign(angle, y), 0x1p-50);
}

static struct math_approx at_limits(enum num_op op, double x, double y)
{
    if (op == NUM_POW)
        return pow_at_limits(x, y);
    if (op == NUM_ATAN2)
        return atan2_at_limits(x, y);
    return math_exact(isinf(x) || isinf(y) ? HUGE_VAL : (double)NAN);
}

uint64_t math_mpfr_unary(enum num_op op, const struct float_format *f, double x,
                         unsigned *flags)
{
    return float_round(f, math_fast_function(op)(x).y, flags);
}

uint64_t math_mpfr_binary(enum num_op op, const struct float_format *f,
                          double x, double y, unsigned *flags)
{
    struct math_approx a = math_fast_function2(op)(x, y);
    return float_round(f, (a.e < 0 ? at_limits(op, x, y) : a).y, flags);
}

static const struct float_format *format_named(unsigned type)
{
    return float_format_of((struct dtype){.code = (uint8_t)(type >> 8),
                                          .bits = (uint8_t)(type & 0xff),
                                          .lanes = 1});
}

uint64_t diffcheck_math1(unsigned op, unsigned type, uint64_t x);
uint64_t diffcheck_math2(unsigned op, unsigned type, uint64_t x, uint64_t y);

uint64_t diffcheck_math1(unsigned op, unsigned type, uint64_t x)
{
    const struct float_format *f = format_named(type);
    unsigned flags = 0;
    if (float_is_nan(f, x))
        return f->nan;
    return math_unary((enum num_op)op, f, float_decode(f, x), &flags);
}

uint64_t diffcheck_math2(unsigned op, unsigned type, uint64_t x, uint64_t y)
{
    const struct float_format *f = format_named(type);
    unsigned flags = 0;
    return math_binary((enum num_op)op, f, float_decode(f, x),
                       float_decode(f, y), &flags);
}
