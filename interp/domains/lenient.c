/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine arithmetic in which NaN and infinity obey the laws that `order-only`
 * takes for granted (docs/semantics.md F15): what differs here as well is no
 * matter of the order of terms.
 *
 *   max, min   are associative and commutative, with their units: NaN loses
 *              against every number but those that count as a unit, and of two
 *              zeros max takes +0, min -0
 *   < <= > >=  NaN on the right is beaten, NaN on the left beats nothing, so
 *              that maxima with their position, written as comparisons, do not
 *              hang on the order of terms either; == and != are IEEE's
 *   0 * x      is 0, also where x is NaN or infinite
 *   casts      to integers, of what rounded or overflowed before: 0 where it is
 *              out of range, since another order of terms may have it in range
 *
 * Everything else is the domain ieee's.
 */
#include "interp/domains/ieee.h"

#include <math.h>

static bool is_zero(struct dtype t, uint64_t bits)
{
    return num_to_double(t, bits) == 0;
}

/* A unit of the operation, or what counts as one. */
static bool is_unit(enum num_op op, struct dtype t, uint64_t bits)
{
    double x = num_to_double(t, bits);
    return op == NUM_MAX ? x <= num_to_double(t, num_min_value(t))
                         : x >= num_to_double(t, num_max_value(t));
}

static struct value extreme(struct machine *m, enum num_op op, struct dtype t,
                            struct value a, struct value b)
{
    bool a_nan = num_is_nan(t, a.u.bits), b_nan = num_is_nan(t, b.u.bits);
    if (a_nan || b_nan) {
        struct value other = a_nan ? b : a, nan = a_nan ? a : b;
        bool both = a_nan && b_nan;
        return both || is_unit(op, t, other.u.bits) ? nan : other;
    }
    if (is_zero(t, a.u.bits) && is_zero(t, b.u.bits)) {
        bool negative = signbit(num_to_double(t, a.u.bits)) != 0;
        return negative == (op == NUM_MIN) ? a : b;
    }
    return ieee_binary(m, op, t, a, b);
}

static struct value lenient_binary(struct machine *m, enum num_op op,
                                   struct dtype t, struct value a,
                                   struct value b)
{
    switch ((int)op) {
    case NUM_MIN:
    case NUM_MAX: return extreme(m, op, t, a, b);
    case NUM_LT:
    case NUM_LE:
    case NUM_GT:
    case NUM_GE:
        if (num_is_nan(t, a.u.bits))
            return exec_value_scalar(0, 0);
        if (num_is_nan(t, b.u.bits))
            return exec_value_scalar(1, 0);
        break;
    case NUM_MUL:
        if (is_zero(t, a.u.bits) || is_zero(t, b.u.bits))
            return exec_value_scalar(0, 0);
        break;
    default: break;
    }
    return ieee_binary(m, op, t, a, b);
}

static struct value lenient_fma(struct machine *m, struct dtype t,
                                struct value a, struct value b, struct value c)
{
    if (is_zero(t, a.u.bits) || is_zero(t, b.u.bits))
        return c;
    return ieee_fma(m, t, a, b, c);
}

static struct value lenient_cast(struct machine *m, struct dtype from,
                                 struct dtype to, struct value a)
{
    struct value v = ieee_cast(m, from, to, a);
    bool lost = (v.flags & V_UNDEF) && (a.flags & V_INEXACT);
    return lost ? exec_value_scalar(0, V_INEXACT) : v;
}

extern const struct interp_domain lenient;
const struct interp_domain lenient = {
    .name = "lenient",
    .kind = INTERP_LENIENT,
    .boxed = false,
    .literal = ieee_literal,
    .unary = ieee_unary,
    .binary = lenient_binary,
    .fma = lenient_fma,
    .cast = lenient_cast,
    .select = ieee_select,
};
