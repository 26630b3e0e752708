/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain in which floating +, x, min and max of each type are associative
 * and commutative and have their units: equal results are equal up to the
 * order in which a sum's terms are added.
 *
 *   +          the sum of the ring; +0 is 0, -0 is dropped exactly
 *   x min max  AC sums behind a permutation of their own (keyed.h), with units
 *              1, +inf, -inf
 *   a / 2^k    a x 2^-k (order.c)
 *   a - b      a + N(b), N an involution: never the ring's -b, or a + b - b
 *              would be a
 *   c ? a : b  is max(a, b) where c is a > b, min where it is a < b
 *   fma        a x b + c where the product is exact; inside hardware's
 *              multiply-accumulate, too
 *
 * min and max with more than one order need NON_NAN (rule 12: they are no
 * commutative operations on NaN). With `relaxed`, 0 x a is 0 (FINITE) and the
 * lowest finite value is a unit of max (IN_RANGE), and the run says so.
 */
#include "interp/keyed/keyed.h"

#include <math.h>
#include <string.h>

static struct keyed_v ac_embed(struct interp_keyed *k, struct dtype t,
                               uint64_t bits)
{
    double d = num_to_double(t, bits);
    struct keyed_v v = {{0, 0}};
    if (d == 0 && !signbit(d))
        return v;
    if (d != d)
        v.lane[1] = 1;
    else
        memcpy(&v.lane[0], &d, sizeof d);
    return keyed_hash(k, KEYED_CONST, DT_FLOAT, 0, 0, 1, &v);
}

static uint64_t bits_of(struct dtype t, double value)
{
    unsigned flags = 0;
    return num_from_double(t, value, &flags);
}

static struct value sum(struct machine *m, enum num_op op, struct dtype t,
                        uint64_t unit, struct value a, struct value b)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    struct keyed_v r =
        keyed_sum(m->keyed, op, keyed_type(t), keyed_embed(m->keyed, t, unit),
                  keyed_element(x), keyed_element(y));
    unsigned props = (x.props | y.props) & KEYED_MAY_BE_UNDEF;
    struct interp_sym s = keyed_result(m, t, r, props);
    /* a sum with a unit is the other operand, history included */
    if (keyed_equal(r, keyed_element(x)))
        s = x;
    else if (keyed_equal(r, keyed_element(y)))
        s = y;
    return keyed_value(m, s);
}

static struct value ac_add(struct machine *m, struct dtype t, struct value a,
                           struct value b)
{
    if (keyed_is_const(t, a, -0.0) || keyed_is_const(t, a, 0.0))
        return b;
    if (keyed_is_const(t, b, -0.0) || keyed_is_const(t, b, 0.0))
        return a;
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    struct keyed_v r = keyed_add(keyed_element(x), keyed_element(y));
    unsigned props = (x.props | y.props) & KEYED_MAY_BE_UNDEF;
    return keyed_value(m, keyed_result(m, t, r, props));
}

static bool is_zero(struct dtype t, struct value v)
{
    return keyed_is_const(t, v, 0.0) || keyed_is_const(t, v, -0.0);
}

static struct value ac_mul(struct machine *m, struct dtype t, struct value a,
                           struct value b)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    if (m->keyed->relaxed && (is_zero(t, a) || is_zero(t, b)) &&
        !((x.props | y.props) & KEYED_MAY_BE_UNDEF)) {
        m->keyed->assumptions |= INTERP_FINITE;
        return exec_value_scalar(0, 0);
    }
    if (keyed_is_const(t, a, -1.0))
        return keyed_negate(m, t, b);
    if (keyed_is_const(t, b, -1.0))
        return keyed_negate(m, t, a);
    return sum(m, NUM_MUL, t, bits_of(t, 1.0), a, b);
}

/* The lowest finite value stands for -inf under IN_RANGE. */
static struct value as_unit(struct machine *m, struct dtype t, bool high,
                            struct value v)
{
    uint64_t end = high ? num_max_value(t) : num_min_value(t);
    if (!m->keyed->relaxed || (v.flags & V_BOX) || v.u.bits != end ||
        end == keyed_extreme(t, high))
        return v;
    m->keyed->assumptions |= INTERP_IN_RANGE;
    return exec_value_scalar(keyed_extreme(t, high), v.flags);
}

static struct value ac_extreme(struct machine *m, enum num_op op,
                               struct dtype t, struct value a, struct value b)
{
    bool high = op == NUM_MIN; /* the unit of min is +inf */
    m->keyed->assumptions |= INTERP_NON_NAN;
    return sum(m, op, t, keyed_extreme(t, high), as_unit(m, t, high, a),
               as_unit(m, t, high, b));
}

static struct value ac_binary(struct machine *m, enum num_op op, struct dtype t,
                              struct value a, struct value b)
{
    struct value v[2] = {a, b}, inverse;
    switch ((int)op) {
    case NUM_ADD: return ac_add(m, t, a, b);
    case NUM_SUB: return ac_add(m, t, a, keyed_negate(m, t, b));
    case NUM_MUL: return ac_mul(m, t, a, b);
    case NUM_DIV:
        if (keyed_inverse(t, b, &inverse))
            return ac_mul(m, t, a, inverse);
        return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
    case NUM_MIN:
    case NUM_MAX: return ac_extreme(m, op, t, a, b);
    default: return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
    }
}

static struct value ac_unary(struct machine *m, enum num_op op, struct dtype t,
                             struct value a)
{
    return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 1, &a);
}

static struct value ac_fma(struct machine *m, struct dtype t, struct value a,
                           struct value b, struct value c)
{
    struct value v[3] = {a, b, c};
    struct dtype from;
    bool known = !((a.flags | b.flags) & V_BOX);
    if (!known && keyed_common_source(m, t, a, b, &from) &&
        keyed_exact_product(from, t))
        return ac_add(m, t, ac_mul(m, t, a, b), c);
    if (keyed_less(keyed_element(keyed_sym(m, t, b)),
                   keyed_element(keyed_sym(m, t, a)))) {
        v[0] = b;
        v[1] = a;
    }
    struct value product =
        keyed_plain(m, KEYED_EXACT, NUM_MUL, t, t, 2, v); /* unrounded */
    if (m->unordered) /* a term of a sum that is rounded as it goes */
        return ac_add(m, t, product, c);
    return keyed_plain(m, KEYED_OP, NUM_FMA, t, t, 3, v);
}

static bool ac_choose(struct machine *m, struct dtype t, struct value c,
                      struct value a, struct value b, struct value *out)
{
    enum num_op op;
    if (!keyed_is_extreme(m, t, c, a, b, &op))
        return false;
    *out = ac_extreme(m, op, t, a, b);
    return true;
}

static const struct keyed_rules rules = {
    .embed = ac_embed,
    .unary = ac_unary,
    .binary = ac_binary,
    .fma = ac_fma,
    .cast = keyed_cast,
    .choose = ac_choose,
};

extern const struct interp_domain ac;
const struct interp_domain ac = {
    .name = "ac",
    .kind = INTERP_AC,
    .keyed = &rules,
    KEYED_DOMAIN,
};
