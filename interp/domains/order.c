/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain of laws that hold bit for bit: equal results are equal in every
 * bit on every input (NaNs count as one value).
 *
 *   a + b = b + a, a x b = b x a          IEEE 754, NaN payloads aside
 *   a - b = a + (-b), -(-a) = a           exact
 *   a + (-0) = a                          exact; a + (+0) = a if a is never -0
 *   1 x a = a, -1 x a = -a, a / 1 = a     exact
 *   a / 2^k = a x 2^-k                    both round the same real number
 *   max(a, b) = a > b ? a : b             rule 12; min likewise
 *   narrow(widen(a)) = a                  exact
 *   narrow(op(widen(a), widen(b))) = op(a, b)   innocuous double rounding
 *   fma(a, b, c) = a x b + c              where the product is a value of the
 *                                         type: the first rounding does nothing
 *
 * Double rounding (S. Figueroa, When is double rounding innocuous?, 1995): for
 * + - x / and sqrt of operands of precision p, rounding to q >= 2p + 2 digits
 * and then to p is one rounding, exponents being unbounded. float16 in float32
 * (11, 24): results of float16 operands stay in the normal range of float32 or
 * are 0, so gradual underflow of float16 is a rounding to fewer digits, to
 * which the theorem applies all the more; overflow is decided by the rounding
 * to 11 digits. The same for float16, bfloat16 and float32 in float64. bfloat16
 * in float32 shares the exponent range, so float32 itself underflows: a sum is
 * a multiple of the least bfloat16, exact below; a product has at most 16
 * digits, and lies beside a midpoint of two subnormal bfloat16 (odd multiples
 * of 2^-134) only by digits of 2^-149 and above, which float32 keeps; square
 * roots never are subnormal. Quotients are left out.
 *
 * Rounding is a translation of the keyed real result by a constant of the
 * type, so that it can be undone: KEYED_EXACT, KEYED_ROUND. Nothing here is
 * a sum of the ring, so translations meet no other law.
 */
#include "interp/keyed/keyed.h"

#include <math.h>
#include <string.h>

static struct keyed_v order_embed(struct interp_keyed *k, struct dtype t,
                                  uint64_t bits)
{
    double d = num_to_double(t, bits);
    struct keyed_v v = {{0, 0}};
    if (d != d)
        v.lane[1] = 1;
    else
        memcpy(&v.lane[0], &d, sizeof d);
    return keyed_hash(k, KEYED_CONST, DT_FLOAT, 0, 0, 1, &v);
}

/* ---- one rounding ------------------------------------------------------------- */

/* Operations whose double rounding may be innocuous. */
static bool may_round_twice(enum num_op op, struct dtype from)
{
    if (from.code == DT_BFLOAT)
        return op == NUM_ADD || op == NUM_MUL || op == NUM_SQRT;
    return from.code == DT_FLOAT &&
           (op == NUM_ADD || op == NUM_MUL || op == NUM_DIV || op == NUM_SQRT);
}

/* The precision of `wide` is at least 2p + 2 for that of `narrow`. */
static bool is_innocuous(struct dtype wide, struct dtype narrow)
{
    if (wide.code != DT_FLOAT)
        return false;
    bool half = narrow.bits == 16 &&
                (narrow.code == DT_FLOAT || narrow.code == DT_BFLOAT);
    bool single = narrow.bits == 32 && narrow.code == DT_FLOAT;
    return (half && wide.bits >= 32) || (single && wide.bits == 64);
}

/* The type from which all operands were widened, for `exact`. */
static uint8_t exact_type(struct machine *m, enum num_op op, struct dtype t,
                          size_t n, const struct value *v)
{
    struct dtype from = {0};
    if (n == 1)
        from = keyed_dtype(v[0].u.box->sym.narrow);
    else if (n != 2 || !keyed_common_source(m, t, v[0], v[1], &from))
        return KEYED_NO_TYPE;
    return dtype_is_float(from) && may_round_twice(op, from) ? keyed_type(from)
                                                             : KEYED_NO_TYPE;
}

/* A rounded operation: the keyed real result of the operands' sources, then
 * the rounding of type t. The first `sorted` operands commute. */
static struct value rounded(struct machine *m, enum num_op op, struct dtype t,
                            size_t n, const struct value *operand,
                            size_t sorted, unsigned props)
{
    struct keyed_v v[3], swap;
    uint8_t type[3] = {0};
    for (size_t i = 0; i < n; i++) {
        struct interp_sym s = keyed_sym(m, t, operand[i]);
        struct dtype from;
        v[i] = keyed_source(m, s, &from);
        type[i] = operand[i].flags & V_BOX ? s.narrow : KEYED_NO_TYPE;
        props |= s.props & KEYED_MAY_BE_UNDEF;
    }
    if (sorted == 2 && keyed_less(v[1], v[0])) {
        swap = v[0];
        v[0] = v[1];
        v[1] = swap;
        uint8_t other = type[0];
        type[0] = type[1];
        type[1] = other;
    }
    uint32_t types = type[0] | (uint32_t)type[1] << 8 | (uint32_t)type[2] << 16;
    struct keyed_v r =
        keyed_hash(m->keyed, KEYED_EXACT, (uint32_t)op, types, 0, n, v);
    r = keyed_add(r, keyed_rounding_of(m->keyed, keyed_type(t)));
    struct interp_sym s = keyed_result(m, t, r, props);
    s.exact = exact_type(m, op, t, n, operand);
    return keyed_value(m, s);
}

/* ---- operations ------------------------------------------------------------------ */

static struct value order_add(struct machine *m, struct dtype t, struct value a,
                              struct value b)
{
    unsigned props =
        (keyed_sym(m, t, a).props | keyed_sym(m, t, b).props) &
        KEYED_NOT_NEG_ZERO; /* a sum is -0 only if both operands are */
    if (keyed_is_const(t, a, -0.0))
        return b;
    if (keyed_is_const(t, b, -0.0))
        return a;
    if (keyed_is_const(t, a, 0.0) &&
        (keyed_sym(m, t, b).props & KEYED_NOT_NEG_ZERO))
        return b;
    if (keyed_is_const(t, b, 0.0) &&
        (keyed_sym(m, t, a).props & KEYED_NOT_NEG_ZERO))
        return a;
    struct value v[2] = {a, b};
    return rounded(m, NUM_ADD, t, 2, v, 2, props);
}

static struct value order_mul(struct machine *m, struct dtype t, struct value a,
                              struct value b)
{
    if (keyed_is_const(t, a, 1.0))
        return b;
    if (keyed_is_const(t, b, 1.0))
        return a;
    if (keyed_is_const(t, a, -1.0))
        return keyed_negate(m, t, b);
    if (keyed_is_const(t, b, -1.0))
        return keyed_negate(m, t, a);
    struct value v[2] = {a, b};
    return rounded(m, NUM_MUL, t, 2, v, 2, 0);
}

static struct value order_div(struct machine *m, struct dtype t, struct value a,
                              struct value b)
{
    struct value inverse;
    if (keyed_inverse(t, b, &inverse))
        return order_mul(m, t, a, inverse);
    struct value v[2] = {a, b};
    return rounded(m, NUM_DIV, t, 2, v, 0, 0);
}

static struct value order_binary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a, struct value b)
{
    struct value v[2] = {a, b};
    if (m->unordered)
        return keyed_loose(m, (uint32_t)op, t, 2, v);
    switch ((int)op) {
    case NUM_ADD: return order_add(m, t, a, b);
    case NUM_SUB: return order_add(m, t, a, keyed_negate(m, t, b));
    case NUM_MUL: return order_mul(m, t, a, b);
    case NUM_DIV: return order_div(m, t, a, b);
    case NUM_MAX:
        return keyed_domain_choose(m, t, keyed_compare(m, NUM_GT, t, a, b), a,
                                   b);
    case NUM_MIN:
        return keyed_domain_choose(m, t, keyed_compare(m, NUM_LT, t, a, b), a,
                                   b);
    default: return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
    }
}

static struct value order_unary(struct machine *m, enum num_op op,
                                struct dtype t, struct value a)
{
    if (op == NUM_SQRT)
        return rounded(m, op, t, 1, &a, 0, 0);
    struct value v = keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 1, &a);
    struct interp_sym s = v.u.box->sym;
    if (op == NUM_ABS || op == NUM_EXP || op == NUM_EXP2 || op == NUM_EXP10 ||
        op == NUM_SIGMOID)
        s.props |= KEYED_NOT_NEG_ZERO;
    return keyed_value(m, s);
}

static struct value order_fma(struct machine *m, struct dtype t, struct value a,
                              struct value b, struct value c)
{
    struct value v[3] = {a, b, c};
    struct dtype from;
    if (m->unordered)
        return keyed_loose(m, NUM_FMA, t, 3, v);
    if (!((a.flags | b.flags) & V_BOX) || keyed_is_const(t, a, 1.0) ||
        keyed_is_const(t, b, 1.0) || !keyed_common_source(m, t, a, b, &from) ||
        !keyed_exact_product(from, t))
        return rounded(m, NUM_FMA, t, 3, v, 2, 0);
    return order_add(m, t, keyed_domain_binary(m, NUM_MUL, t, a, b), c);
}

static struct value order_cast(struct machine *m, struct dtype from,
                               struct dtype to, struct value a)
{
    struct interp_sym s = keyed_sym(m, from, a);
    if (dtype_is_float(from) && dtype_is_float(to) &&
        s.exact != KEYED_NO_TYPE && s.narrow == s.type &&
        (s.exact == keyed_type(to) || keyed_widens(keyed_dtype(s.exact), to)) &&
        is_innocuous(from, to)) {
        struct keyed_v v =
            keyed_sub(keyed_element(s), keyed_rounding_of(m->keyed, s.type));
        v = keyed_add(v, keyed_rounding_of(m->keyed, keyed_type(to)));
        memcpy(s.lane, v.lane, sizeof s.lane);
        s.type = s.narrow = keyed_type(to);
        s.props &= KEYED_MAY_BE_UNDEF; /* underflow may give -0 */
        return keyed_value(m, s);
    }
    return keyed_cast(m, from, to, a);
}

static const struct keyed_rules rules = {
    .embed = order_embed,
    .unary = order_unary,
    .binary = order_binary,
    .fma = order_fma,
    .cast = order_cast,
};

extern const struct interp_domain order;
const struct interp_domain order = {
    .name = "order",
    .kind = INTERP_ORDER,
    .keyed = &rules,
    KEYED_DOMAIN,
};
