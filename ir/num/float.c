/* SPDX-License-Identifier: Apache-2.0
 *
 * Float arithmetic that IEEE 754 requires to be correctly rounded, and the
 * exact operations beside it (rounding to integers, remainder, comparisons).
 *
 * fp64 and fp32 use the machine's operations. Everything narrower is computed
 * in double and rounded once more, which is right because
 *  - products of up to 24-bit significands are exact in double;
 *  - sums are rounded to odd on the way (format.c);
 *  - quotients and roots of p-bit operands cannot come within 2^-53 of a
 *    midpoint of the p-bit format without being on it, as 53 >= 2p + 2
 *    (Figueroa 1995). Subnormal results have fewer bits, so their midpoints
 *    are farther away still.
 * The same argument covers fp32 (p = 24), so only its commonest operations
 * have a path of their own.
 *
 * Choices where IEEE and C are silent: FLOORDIV is floor of the rounded
 * quotient and FLOORMOD is a - floor(a / b) * b with each step rounded, as
 * TVM's lowering writes them; MOD and FMOD are C fmod, which is exact;
 * rounding to integers, min, max and nextafter never count as inexact;
 * copysign takes a NaN as positive. Invalid operations (0/0, inf - inf, sqrt
 * of a negative) and division by zero are not inexact either.
 */
#include "ir/num/num_private.h"

/* x / y in double, marking exactly whether the quotient rounded into f. */
static uint64_t narrow_div(const struct float_format *f, double x, double y,
                           unsigned *flags)
{
    unsigned ignored = 0;
    if (!isfinite(x) || !isfinite(y) || y == 0)
        return float_round(f, x / y, flags);
    uint64_t result = float_round(f, x / y, &ignored);
    if (float_decode(f, result) * y != x) /* the product is exact */
        *flags |= NUM_INEXACT;
    return result;
}

static uint64_t narrow_sqrt(const struct float_format *f, double x,
                            unsigned *flags)
{
    unsigned ignored = 0;
    double root = sqrt(x);
    if (!isfinite(root))
        return float_round(f, root, flags);
    uint64_t result = float_round(f, root, &ignored);
    double rounded = float_decode(f, result);
    if (rounded * rounded != x)
        *flags |= NUM_INEXACT;
    return result;
}

/* + - * / for everything but fp64. */
static uint64_t narrow_arith(enum num_op op, const struct float_format *f,
                             double x, double y, unsigned *flags)
{
    if (op == NUM_ADD)
        return float_round_sum(f, x, y, flags);
    if (op == NUM_SUB)
        return float_round_sum(f, x, -y, flags);
    if (op == NUM_MUL)
        return float_round(f, x * y, flags);
    return narrow_div(f, x, y, flags);
}

static uint64_t fp64_arith(enum num_op op, double x, double y, unsigned *flags)
{
    double result;
    int (*exact_sign)(double, double, double);
    if (op == NUM_ADD || op == NUM_SUB) {
        y = op == NUM_SUB ? -y : y;
        result = x + y;
        exact_sign = exact_add_sign;
    } else if (op == NUM_MUL) {
        result = x * y;
        exact_sign = exact_mul_sign;
    } else {
        result = x / y;
        exact_sign = exact_div_sign;
    }
    if (isfinite(x) && isfinite(y) && (op != NUM_DIV || y != 0)) {
        if (!isfinite(result) || exact_sign(x, y, result) != 0)
            *flags |= NUM_INEXACT;
    }
    return isnan(result) ? float_format_fp64.nan : double_bits(result);
}

static uint64_t fp64_sqrt(double x, unsigned *flags)
{
    double result = sqrt(x);
    if (isnan(result))
        return float_format_fp64.nan;
    if (isfinite(x) && exact_sqrt_sign(x, result) != 0)
        *flags |= NUM_INEXACT;
    return double_bits(result);
}

static uint64_t arith(enum num_op op, const struct float_format *f, double x,
                      double y, unsigned *flags)
{
    if (f == &float_format_fp64)
        return fp64_arith(op, x, y, flags);
    return narrow_arith(op, f, x, y, flags);
}

/* fp32 + - * / with the machine's float; the hot path of the interpreter. */
static uint64_t fp32_arith(enum num_op op, uint64_t a, uint64_t b,
                           unsigned *flags)
{
    float x = float_from_bits(a), y = float_from_bits(b), result;
    double wide, error = 0;
    switch ((int)op) {
    case NUM_ADD:
    case NUM_SUB: {
        y = op == NUM_SUB ? -y : y;
        result = x + y;
        double dx = (double)x, dy = (double)y;
        wide = dx + dy;
        double part = wide - dx;
        error = (dx - (wide - part)) + (dy - part);
        break;
    }
    case NUM_MUL:
        result = x * y;
        wide = (double)x * (double)y;
        break;
    default: return narrow_div(&float_format_fp32, (double)x, (double)y, flags);
    }
    if (isnan(result))
        return float_format_fp32.nan;
    /* With infinite operands error may be NaN, but then wide is infinite. */
    if ((double)result != wide || (isfinite(wide) && error != 0))
        *flags |= NUM_INEXACT;
    return float_bits(result);
}

static uint64_t round_to_integer(enum num_op op, const struct float_format *f,
                                 double x, unsigned *flags)
{
    switch ((int)op) {
    case NUM_FLOOR: x = floor(x); break;
    case NUM_CEIL: x = ceil(x); break;
    case NUM_TRUNC: x = trunc(x); break;
    case NUM_ROUND: x = round(x); break;
    default: x = rint(x); break; /* nearest even: nothing changes the mode */
    }
    return float_round(f, x, flags);
}

static bool is_class(enum num_op op, double x)
{
    if (op == NUM_ISNAN)
        return isnan(x);
    return op == NUM_ISINF ? isinf(x) : isfinite(x);
}

uint64_t float_unary(enum num_op op, const struct float_format *f, uint64_t a,
                     unsigned *flags)
{
    double x = float_decode(f, a);
    if (op >= NUM_ISNAN && op <= NUM_ISFINITE)
        return is_class(op, x);
    if (op == NUM_BITNOT || op == NUM_NOT || op == NUM_POPCOUNT ||
        op == NUM_CLZ || op > NUM_ISFINITE) {
        *flags |= NUM_NO_RULE;
        return 0;
    }
    if (isnan(x))
        return f->nan;
    switch ((int)op) {
    case NUM_NEG: return a ^ float_sign_mask(f);
    case NUM_ABS: return a & ~float_sign_mask(f);
    case NUM_SQRT:
        if (f == &float_format_fp64)
            return fp64_sqrt(x, flags);
        return narrow_sqrt(f, x, flags);
    case NUM_FLOOR:
    case NUM_CEIL:
    case NUM_TRUNC:
    case NUM_ROUND:
    case NUM_NEARBYINT: {
        unsigned ignored = 0;
        return isinf(x) ? a : round_to_integer(op, f, x, &ignored);
    }
    default: break;
    }
    return math_unary(op, f, x, flags);
}

/* The neighbour of x = value of a towards y, in f. */
static uint64_t next_after(const struct float_format *f, uint64_t a, uint64_t b,
                           double x, double y)
{
    uint64_t sign = float_sign_mask(f);
    if (x == y)
        return b;
    if (x == 0)
        return y > 0 ? 1 : sign | 1;
    bool grows = (x < y) == (x > 0);
    uint64_t code = grows ? a + 1 : a - 1;
    return float_is_nan(f, code) ? f->nan : code;
}

static uint64_t floor_ops(enum num_op op, const struct float_format *f,
                          double x, double y, unsigned *flags)
{
    unsigned ignored = 0;
    double quotient = float_decode(f, arith(NUM_DIV, f, x, y, flags));
    double whole = floor(quotient);
    if (op == NUM_FLOORDIV)
        return float_round(f, whole, &ignored);
    double product = float_decode(f, arith(NUM_MUL, f, whole, y, flags));
    return arith(NUM_SUB, f, x, product, flags);
}

static bool compare(enum num_op op, double x, double y)
{
    switch ((int)op) {
    case NUM_EQ: return x == y;
    case NUM_NE: return x != y;
    case NUM_LT: return x < y;
    case NUM_LE: return x <= y;
    case NUM_GT: return x > y;
    default: return x >= y;
    }
}

static uint64_t canonical(const struct float_format *f, uint64_t bits)
{
    return float_is_nan(f, bits) ? f->nan : bits;
}

/* x * 2^n rounded once. */
static uint64_t scale(const struct float_format *f, double x, uint64_t n,
                      unsigned *flags)
{
    int32_t power = (int32_t)(uint32_t)n;
    power = power > 4000 ? 4000 : power < -4000 ? -4000 : power;
    if (!isfinite(x) || x == 0)
        return float_round(f, x, flags);
    int exp;
    double fraction = frexp(fabs(x), &exp);
    return float_pack(f, x < 0, (uint64_t)ldexp(fraction, 53), exp - 53 + power,
                      flags);
}

static uint64_t copy_sign(const struct float_format *f, uint64_t a, uint64_t b)
{
    uint64_t sign = float_sign_mask(f);
    return (a & ~sign) | (float_is_nan(f, b) ? 0 : b & sign);
}

uint64_t float_binary(enum num_op op, const struct float_format *f, uint64_t a,
                      uint64_t b, unsigned *flags)
{
    if (op >= NUM_ADD && op <= NUM_DIV && f == &float_format_fp32)
        return fp32_arith(op, a, b, flags);
    double x = float_decode(f, a);
    double y = op == NUM_LDEXP ? 0 : float_decode(f, b);
    switch ((int)op) {
    case NUM_ADD:
    case NUM_SUB:
    case NUM_MUL:
    case NUM_DIV: return arith(op, f, x, y, flags);
    case NUM_MIN: return canonical(f, x < y ? a : b);
    case NUM_MAX: return canonical(f, x > y ? a : b);
    case NUM_EQ:
    case NUM_NE:
    case NUM_LT:
    case NUM_LE:
    case NUM_GT:
    case NUM_GE: return compare(op, x, y) ? 1 : 0;
    case NUM_FLOORDIV:
    case NUM_FLOORMOD: return floor_ops(op, f, x, y, flags);
    case NUM_MOD:
    case NUM_FMOD: {
        unsigned ignored = 0;
        return float_round(f, fmod(x, y), &ignored);
    }
    case NUM_COPYSIGN: return canonical(f, copy_sign(f, canonical(f, a), b));
    case NUM_NEXTAFTER:
        return isnan(x) || isnan(y) ? f->nan : next_after(f, a, b, x, y);
    case NUM_LDEXP: return scale(f, x, b, flags);
    default: break;
    }
    if (op == NUM_POW || op == NUM_ATAN2 || op == NUM_HYPOT)
        return math_binary(op, f, x, y, flags);
    *flags |= NUM_NO_RULE;
    return 0;
}

uint64_t num_fma(struct dtype t, uint64_t a, uint64_t b, uint64_t c,
                 unsigned *flags)
{
    const struct float_format *f = float_arith_format(t);
    if (f == NULL) {
        *flags |= NUM_NO_RULE;
        return 0;
    }
    double x = float_decode(f, a), y = float_decode(f, b);
    double z = float_decode(f, c);
    if (f != &float_format_fp64)
        return float_round_sum(f, x * y, z, flags);
    double result = fma(x, y, z);
    if (isnan(result))
        return f->nan;
    if (isfinite(x) && isfinite(y) && isfinite(z)) {
        if (!isfinite(result) || exact_fma_sign(x, y, z, result) != 0)
            *flags |= NUM_INEXACT;
    }
    return double_bits(result);
}
