/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers of 1 to 64 bits, and bool.
 *
 * Values are held sign- or zero-extended to 64 bits. An operation computes in
 * uint64_t, cuts to the width and compares with the exact result, so that
 * NUM_WRAPPED is exact knowledge: results of up to 63 bits fit the 64-bit
 * computation, only width 64 and products need the carry or the high word.
 *
 * Choices (rules 9 and 10): all four divisions fault alike, so INT_MIN % -1 is
 * NUM_DIV_OVERFLOW too; SHL sets NUM_WRAPPED when a * 2^n does not fit;
 * negating a nonzero uint wraps; clz counts within the width. floor, ceil,
 * trunc, round and nearbyint are the identity and isnan and its kin constants,
 * as in TVM. bool has comparisons, logic and bitwise operations (BITNOT is
 * logical); anything else on it is NUM_NO_RULE, min and max included.
 */
#include "ir/num/num_private.h"

uint64_t int_wrap(struct dtype t, uint64_t value)
{
    if (t.code == DT_BOOL)
        return value != 0;
    if (t.bits >= 64 || t.bits == 0)
        return value;
    uint64_t mask = (UINT64_C(1) << t.bits) - 1;
    value &= mask;
    if (t.code == DT_INT && (value >> (t.bits - 1) & 1) != 0)
        value |= ~mask;
    return value;
}

static bool is_signed(struct dtype t)
{
    return t.code == DT_INT;
}

/* INT_MIN of the width, sign-extended. */
static uint64_t int_least(struct dtype t)
{
    return ~UINT64_C(0) << (t.bits - 1);
}

/* Cuts value to the width; wrapped when that, or the caller, lost something. */
static uint64_t cut(struct dtype t, uint64_t value, bool lost, unsigned *flags)
{
    uint64_t result = int_wrap(t, value);
    if (lost || result != value)
        *flags |= NUM_WRAPPED;
    return result;
}

static uint64_t add(struct dtype t, uint64_t a, uint64_t b, unsigned *flags)
{
    uint64_t sum = a + b;
    bool lost = is_signed(t) ? ((a ^ sum) & (b ^ sum)) >> 63 != 0 : sum < a;
    return cut(t, sum, lost, flags);
}

static uint64_t subtract(struct dtype t, uint64_t a, uint64_t b,
                         unsigned *flags)
{
    uint64_t difference = a - b;
    bool lost = is_signed(t) ? ((a ^ b) & (a ^ difference)) >> 63 != 0 : b > a;
    return cut(t, difference, lost, flags);
}

/* High word of the unsigned 128-bit product. */
static uint64_t multiply_high(uint64_t a, uint64_t b)
{
    uint64_t a0 = a & 0xffffffff, a1 = a >> 32;
    uint64_t b0 = b & 0xffffffff, b1 = b >> 32;
    uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    uint64_t other = a0 * b1 + (middle & 0xffffffff);
    return a1 * b1 + (middle >> 32) + (other >> 32);
}

static uint64_t multiply(struct dtype t, uint64_t a, uint64_t b,
                         unsigned *flags)
{
    uint64_t low = a * b;
    if (t.bits <= 32)
        return cut(t, low, false, flags);
    uint64_t high = multiply_high(a, b);
    if (!is_signed(t))
        return cut(t, low, high != 0, flags);
    high -= (a >> 63 != 0 ? b : 0) + (b >> 63 != 0 ? a : 0);
    uint64_t extension = low >> 63 != 0 ? ~UINT64_C(0) : 0;
    return cut(t, low, high != extension, flags);
}

static uint64_t divide(enum num_op op, struct dtype t, uint64_t a, uint64_t b,
                       unsigned *flags)
{
    if (b == 0) {
        *flags |= NUM_DIV_ZERO;
        return 0;
    }
    bool wants_quotient = op == NUM_DIV || op == NUM_FLOORDIV;
    if (!is_signed(t))
        return wants_quotient ? a / b : a % b;
    if (b == ~UINT64_C(0)) {
        if (a == int_least(t)) {
            *flags |= NUM_DIV_OVERFLOW;
            return 0;
        }
        return wants_quotient ? 0 - a : 0;
    }
    int64_t x = (int64_t)a, y = (int64_t)b;
    int64_t quotient = x / y, rest = x % y;
    bool floors = op == NUM_FLOORDIV || op == NUM_FLOORMOD;
    if (floors && rest != 0 && (rest < 0) != (y < 0)) {
        quotient--;
        rest += y;
    }
    return (uint64_t)(wants_quotient ? quotient : rest);
}

static uint64_t shift(enum num_op op, struct dtype t, uint64_t a, uint64_t n,
                      unsigned *flags)
{
    if (n >= t.bits) { /* negative counts are huge here */
        *flags |= NUM_UNDEFINED;
        return 0;
    }
    bool negative = is_signed(t) && a >> 63 != 0;
    if (op == NUM_SHR)
        return negative ? ~(~a >> n) : a >> n;
    uint64_t up = a << n;
    uint64_t back = negative ? ~(~up >> n) : up >> n;
    bool flipped = is_signed(t) && (a ^ up) >> 63 != 0;
    return cut(t, up, back != a || flipped, flags);
}

static int count_bits(uint64_t value)
{
    int n = 0;
    for (; value != 0; value &= value - 1)
        n++;
    return n;
}

static uint64_t count_leading_zeros(struct dtype t, uint64_t a, unsigned *flags)
{
    if (a == 0) {
        *flags |= NUM_UNDEFINED;
        return 0;
    }
    uint64_t n = 0;
    for (int bit = t.bits - 1; (a >> bit & 1) == 0; bit--)
        n++;
    return n;
}

uint64_t int_unary(enum num_op op, struct dtype t, uint64_t a, unsigned *flags)
{
    uint64_t mask = t.bits < 64 ? (UINT64_C(1) << t.bits) - 1 : ~UINT64_C(0);
    switch ((int)op) {
    case NUM_NEG: return subtract(t, 0, a, flags);
    case NUM_ABS:
        if (is_signed(t) && a >> 63 != 0)
            return subtract(t, 0, a, flags);
        return a;
    case NUM_BITNOT: return int_wrap(t, ~a);
    case NUM_POPCOUNT:
        return cut(t, (uint64_t)count_bits(a & mask), false, flags);
    case NUM_CLZ:
        return cut(t, count_leading_zeros(t, a & mask, flags), false, flags);
    case NUM_FLOOR:
    case NUM_CEIL:
    case NUM_TRUNC:
    case NUM_ROUND:
    case NUM_NEARBYINT: return a;
    case NUM_ISNAN:
    case NUM_ISINF: return 0;
    case NUM_ISFINITE: return 1;
    default: *flags |= NUM_NO_RULE; return 0;
    }
}

uint64_t int_binary(enum num_op op, struct dtype t, uint64_t a, uint64_t b,
                    unsigned *flags)
{
    /* Flipping the sign bits turns signed order into unsigned order. */
    uint64_t flip = is_signed(t) ? UINT64_C(1) << 63 : 0;
    bool less = (a ^ flip) < (b ^ flip);
    switch ((int)op) {
    case NUM_ADD: return add(t, a, b, flags);
    case NUM_SUB: return subtract(t, a, b, flags);
    case NUM_MUL: return multiply(t, a, b, flags);
    case NUM_DIV:
    case NUM_MOD:
    case NUM_FLOORDIV:
    case NUM_FLOORMOD: return divide(op, t, a, b, flags);
    case NUM_MIN: return less ? a : b;
    case NUM_MAX: return less ? b : a;
    case NUM_EQ: return a == b;
    case NUM_NE: return a != b;
    case NUM_LT: return less;
    case NUM_LE: return less || a == b;
    case NUM_GT: return !less && a != b;
    case NUM_GE: return !less;
    case NUM_BITAND: return a & b;
    case NUM_BITOR: return a | b;
    case NUM_BITXOR: return a ^ b;
    case NUM_SHL:
    case NUM_SHR: return shift(op, t, a, b, flags);
    default: *flags |= NUM_NO_RULE; return 0;
    }
}

uint64_t bool_unary(enum num_op op, uint64_t a, unsigned *flags)
{
    if (op == NUM_NOT || op == NUM_BITNOT)
        return a == 0;
    *flags |= NUM_NO_RULE;
    return 0;
}

uint64_t bool_binary(enum num_op op, uint64_t a, uint64_t b, unsigned *flags)
{
    switch ((int)op) {
    case NUM_AND:
    case NUM_BITAND: return a & b;
    case NUM_OR:
    case NUM_BITOR: return a | b;
    case NUM_NE:
    case NUM_BITXOR: return a ^ b;
    case NUM_EQ: return a == b;
    case NUM_LT: return a < b;
    case NUM_LE: return a <= b;
    case NUM_GT: return a > b;
    case NUM_GE: return a >= b;
    default: *flags |= NUM_NO_RULE; return 0;
    }
}
