/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on single values, straight from the rules: N7 conversions, R8 and
 * R9 integers, R10 undefined values, R11 bool, R12 comparisons of floats.
 *
 * Results are worked out in int64_t or uint64_t, where those of up to 32 bits
 * always fit, and cut to the type; of 64 bits the compiler's builtins say
 * whether the result fits. An operand that is undefined makes the result so,
 * and what overflowed stays overflowed in all that is computed from it.
 */
#include "fuzz/ints/ints_eval.h"

#include <math.h>
#include <string.h>

bool ints_is_type(struct dtype t)
{
    if (t.lanes != 1 || t.scalable)
        return false;
    if (t.code == DT_BOOL)
        return true;
    if (t.code == DT_INT || t.code == DT_UINT)
        return t.bits >= 1 && (t.bits <= 32 || t.bits == 64);
    return (t.code == DT_FLOAT &&
            (t.bits == 16 || t.bits == 32 || t.bits == 64)) ||
           t.code == DT_BFLOAT;
}

uint64_t ints_wrap(struct dtype t, uint64_t bits)
{
    if (t.code == DT_BOOL)
        return bits & 1;
    if ((t.code != DT_INT && t.code != DT_UINT) || t.bits >= 64)
        return bits;
    uint64_t low = bits & ((UINT64_C(1) << t.bits) - 1);
    if (t.code == DT_INT && (low >> (t.bits - 1)) != 0)
        low -= UINT64_C(1) << t.bits;
    return low;
}

static struct ints_cell cell(uint64_t bits, unsigned flags)
{
    struct ints_cell c = {flags & INTS_UNDEF ? 0 : bits, flags};
    return c;
}

/* ---- floats ---------------------------------------------------------------- */

/* Bits of the exponent and of the significand, the hidden one included. */
struct format {
    unsigned exponent, precision;
};

static struct format format_of(struct dtype t)
{
    if (t.code == DT_BFLOAT)
        return (struct format){8, 8};
    return t.bits == 16   ? (struct format){5, 11}
           : t.bits == 32 ? (struct format){8, 24}
                          : (struct format){11, 53};
}

static double as_double(struct dtype t, uint64_t bits)
{
    struct format f = format_of(t);
    unsigned fraction = f.precision - 1;
    uint64_t low = bits & ((UINT64_C(1) << fraction) - 1);
    unsigned top = (1u << f.exponent) - 1;
    unsigned e = (unsigned)(bits >> fraction) & top;
    int bias = (int)(top / 2), shift = (int)fraction;
    double sign = (bits >> (fraction + f.exponent) & 1) != 0 ? -1 : 1;
    if (e == top)
        return low != 0 ? (double)NAN : sign * (double)INFINITY;
    if (e == 0)
        return sign * ldexp((double)low, 1 - bias - shift);
    return sign * ldexp((double)(low + (UINT64_C(1) << fraction)),
                        (int)e - bias - shift);
}

/* |d| in units of the format's last place there, rounded to nearest and even;
 * *e: the place's exponent. */
static uint64_t in_units(struct format f, double d, int *e)
{
    int top = (1 << (f.exponent - 1)) - 1, least = 1 - top;
    (void)frexp(d, e);
    *e -= 1;
    if (*e < least)
        *e = least;
    *e -= (int)f.precision - 1;
    double scaled = ldexp(fabs(d), -*e), whole = floor(scaled);
    double rest = scaled - whole;
    uint64_t n = (uint64_t)whole;
    return n + (rest > 0.5 || (rest == 0.5 && n % 2 == 1));
}

/* NaNs are one value (N4); a result beyond the largest is infinite (N2). */
static uint64_t of_double(struct dtype t, double d)
{
    struct format f = format_of(t);
    unsigned fraction = f.precision - 1, top = (1u << f.exponent) - 1;
    uint64_t sign = signbit(d) ? UINT64_C(1) << (fraction + f.exponent) : 0;
    int e, bias = (int)(top / 2);
    if (isnan(d))
        return ((uint64_t)top << fraction) | UINT64_C(1) << (fraction - 1);
    if (isinf(d))
        return sign | (uint64_t)top << fraction;
    if (d == 0)
        return sign;
    uint64_t n = in_units(f, d, &e);
    if (n >> f.precision != 0) { /* up to the next power */
        n >>= 1;
        e++;
    }
    int field = e + (int)fraction + bias;
    if (n >> fraction == 0) /* subnormal, or nothing */
        return sign | n;
    if (field >= (int)top)
        return sign | (uint64_t)top << fraction;
    return sign | (uint64_t)field << fraction |
           (n & ((UINT64_C(1) << fraction) - 1));
}

struct ints_cell ints_of_double(struct dtype t, double value)
{
    return cell(of_double(t, value), 0);
}

/* The result d of an operation in double, which was exact there or not. */
static struct ints_cell rounded(struct dtype t, double d, bool exact,
                                unsigned flags)
{
    uint64_t bits = of_double(t, d);
    double kept = as_double(t, bits);
    bool zero = d == 0 && signbit(d);
    if (!exact || zero || !(kept == d || isnan(d)))
        flags |= INTS_ROUND;
    return cell(bits, flags);
}

/* ---- integers -------------------------------------------------------------- */

/* R9: of these types a result that does not fit is remembered. */
static bool must_fit(struct dtype t)
{
    return t.code == DT_INT && t.bits >= 32;
}

/* The low bits of a + b, a - b or a * b; *fits: they are the whole result. */
static uint64_t sum_of(enum ir_expr_kind kind, struct dtype t, uint64_t a,
                       uint64_t b, bool *fits)
{
    int64_t x = (int64_t)a, y = (int64_t)b, r = 0;
    bool lost = false;
    if (t.code == DT_UINT) {
        uint64_t low = kind == IR_ADD ? a + b : kind == IR_SUB ? a - b : a * b;
        *fits = true; /* nobody asks */
        return ints_wrap(t, low);
    }
    if (kind == IR_ADD)
        lost = __builtin_add_overflow(x, y, &r);
    else if (kind == IR_SUB)
        lost = __builtin_sub_overflow(x, y, &r);
    else
        lost = __builtin_mul_overflow(x, y, &r);
    uint64_t low = ints_wrap(t, (uint64_t)r);
    *fits = !lost && low == (uint64_t)r;
    return low;
}

/* Rounded to zero, or down. */
static uint64_t quotient(struct dtype t, uint64_t a, uint64_t b, bool down,
                         bool rest)
{
    if (t.code == DT_UINT)
        return rest ? a % b : a / b;
    int64_t x = (int64_t)a, y = (int64_t)b;
    int64_t q = x / y, r = x % y;
    if (down && r != 0 && (r < 0) != (y < 0)) {
        q -= 1;
        r += y;
    }
    return (uint64_t)(rest ? r : q);
}

static struct ints_cell divide(enum ir_expr_kind kind, struct dtype t,
                               uint64_t a, uint64_t b, unsigned flags,
                               enum ints_stop *stop)
{
    bool down = kind == IR_FLOORDIV || kind == IR_FLOORMOD;
    bool rest = kind == IR_MOD || kind == IR_FLOORMOD;
    uint64_t least = ~UINT64_C(0) << (t.bits - 1);
    if (b == 0 || (t.code == DT_INT && (int64_t)b == -1 && a == least)) {
        *stop = INTS_FAULTS;
        return cell(0, flags);
    }
    return cell(quotient(t, a, b, down, rest), flags);
}

static struct ints_cell shift(enum ir_expr_kind kind, struct dtype t,
                              uint64_t a, uint64_t n, unsigned flags)
{
    if (n >= t.bits) /* negative counts are huge here */
        return cell(0, flags | INTS_UNDEF);
    if (kind == IR_SHR) {
        uint64_t r = a >> n;
        if (t.code == DT_INT && a >> 63 != 0 && n > 0)
            r |= ~UINT64_C(0) << (64 - n);
        return cell(r, flags);
    }
    uint64_t r = ints_wrap(t, a << n);
    uint64_t back = shift(IR_SHR, t, r, n, 0).bits;
    if (back != a && must_fit(t)) /* R9, as for a product */
        flags |= INTS_OVER;
    return cell(r, flags);
}

static bool compare(enum ir_expr_kind kind, bool less, bool equal)
{
    switch ((int)kind) {
    case IR_EQ: return equal;
    case IR_NE: return !equal;
    case IR_LT: return less;
    case IR_LE: return less || equal;
    case IR_GT: return !less && !equal;
    default: return !less;
    }
}

static struct ints_cell int_binary(enum ir_expr_kind kind, struct dtype t,
                                   uint64_t a, uint64_t b, unsigned flags,
                                   enum ints_stop *stop)
{
    bool fits;
    bool less =
        t.code == DT_INT ? (int64_t)a < (int64_t)b : a < b; /* bool: 0 < 1 */
    switch ((int)kind) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
        a = sum_of(kind, t, a, b, &fits);
        return cell(a, fits || !must_fit(t) ? flags : flags | INTS_OVER);
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD: return divide(kind, t, a, b, flags, stop);
    case IR_MIN: return cell(less ? a : b, flags);
    case IR_MAX: return cell(less ? b : a, flags);
    case IR_BITAND: return cell(a & b, flags);
    case IR_BITOR: return cell(a | b, flags);
    case IR_BITXOR: return cell(a ^ b, flags);
    case IR_SHL:
    case IR_SHR: return shift(kind, t, a, b, flags);
    case IR_AND: return cell(a & b & 1, flags);
    case IR_OR: return cell((a | b) & 1, flags);
    case IR_COMPARE_KINDS: return cell(compare(kind, less, a == b), flags);
    default: *stop = INTS_STUCK; return cell(0, flags);
    }
}

/* Nothing of the sum is lost in double. */
static bool exact_sum(double a, double b)
{
    double s = a + b, part = s - a;
    return (a - (s - part)) + (b - part) == 0;
}

static struct ints_cell float_binary(enum ir_expr_kind kind, struct dtype t,
                                     double a, double b, unsigned flags,
                                     enum ints_stop *stop)
{
    bool less = a < b, equal = a == b, ordered = less || equal || a > b;
    switch ((int)kind) {
    /* one rounding: of narrower types the sum, difference, product and quotient
     * in double, rounded again, are those rounded once */
    case IR_ADD: return rounded(t, a + b, exact_sum(a, b), flags);
    case IR_SUB: return rounded(t, a - b, exact_sum(a, -b), flags);
    case IR_MUL: return rounded(t, a * b, fma(a, b, -(a * b)) == 0, flags);
    case IR_DIV: return rounded(t, a / b, fma(a / b, b, -a) == 0, flags);
    case IR_MIN: return rounded(t, less ? a : b, true, flags);
    case IR_MAX: return rounded(t, a > b ? a : b, true, flags);
    case IR_NE: return cell(!equal, flags);
    case IR_EQ:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE: return cell(ordered && compare(kind, less, equal), flags);
    default: *stop = INTS_STUCK; return cell(0, flags);
    }
}

struct ints_cell ints_binary(enum ir_expr_kind kind, struct dtype t,
                             struct ints_cell a, struct ints_cell b,
                             enum ints_stop *stop)
{
    unsigned flags = a.flags | b.flags;
    if (flags & INTS_UNDEF)
        return cell(0, flags);
    if (dtype_is_float(t))
        return float_binary(kind, t, as_double(t, a.bits), as_double(t, b.bits),
                            flags, stop);
    return int_binary(kind, t, a.bits, b.bits, flags, stop);
}

struct ints_cell ints_abs(struct dtype t, struct ints_cell a)
{
    enum ints_stop stop = INTS_GOES;
    if (dtype_is_float(t))
        return cell(of_double(t, fabs(as_double(t, a.bits))), a.flags);
    if (t.code == DT_UINT || (int64_t)a.bits >= 0)
        return a;
    return ints_binary(IR_SUB, t, cell(0, 0), a, &stop);
}

/* ---- conversions ----------------------------------------------------------- */

static struct ints_cell float_to_int(struct dtype to, double d, unsigned flags)
{
    double whole = trunc(d);
    unsigned bits = to.code == DT_INT ? to.bits - 1u : to.bits;
    double top = ldexp(1, (int)bits); /* exact, and above all that fit */
    double least = to.code == DT_INT ? -top : 0;
    if (!(whole >= least && whole < top)) /* NaN, too */
        return cell(0, flags | INTS_UNDEF);
    return cell(to.code == DT_INT ? (uint64_t)(int64_t)whole : (uint64_t)whole,
                flags);
}

/* Rounded once, to nearest and even. */
static struct ints_cell int_to_float(struct dtype from, struct dtype to,
                                     struct ints_cell a)
{
    bool negative = from.code == DT_INT && (int64_t)a.bits < 0;
    uint64_t n = negative ? 0 - a.bits : a.bits;
    unsigned precision = format_of(to).precision, drop = 0;
    while (n >> drop >> precision != 0)
        drop++;
    uint64_t kept = n >> drop, rest = n - (kept << drop);
    uint64_t half = drop > 0 ? UINT64_C(1) << (drop - 1) : 1;
    if (drop > 0 && (rest > half || (rest == half && kept % 2 == 1)))
        kept++;
    double d = ldexp((double)kept, (int)drop); /* kept fits a double */
    return rounded(to, negative ? -d : d, rest == 0, a.flags);
}

/* ---- calls ----------------------------------------------------------------- */

static struct ints_cell count(enum ir_op op, struct dtype t, uint64_t bits,
                              unsigned flags)
{
    unsigned n = 0;
    if (t.bits < 64)
        bits &= (UINT64_C(1) << t.bits) - 1;
    if (op == IR_OP_POPCOUNT) {
        for (unsigned i = 0; i < t.bits; i++)
            n += (unsigned)(bits >> i & 1);
        return cell(n, flags);
    }
    while (n < t.bits && (bits >> (t.bits - 1 - n) & 1) == 0)
        n++;
    return cell(n, n == t.bits ? flags | INTS_UNDEF : flags); /* R10 */
}

static struct ints_cell truth(bool holds, unsigned flags)
{
    return cell(holds, flags);
}

struct ints_cell ints_unary_call(enum ir_op op, struct dtype t,
                                 struct ints_cell a, enum ints_stop *stop)
{
    if (a.flags & INTS_UNDEF)
        return a;
    if ((op == IR_OP_POPCOUNT || op == IR_OP_CLZ) && dtype_is_int(t))
        return count(op, t, a.bits, a.flags);
    if (op == IR_OP_ABS || op == IR_OP_FABS)
        return ints_abs(t, a);
    if (!dtype_is_float(t)) {
        *stop = INTS_STUCK;
        return a;
    }
    double d = as_double(t, a.bits);
    switch ((int)op) {
    case IR_OP_FLOOR: return rounded(t, floor(d), true, a.flags);
    case IR_OP_CEIL: return rounded(t, ceil(d), true, a.flags);
    case IR_OP_TRUNC: return rounded(t, trunc(d), true, a.flags);
    case IR_OP_ROUND: /* N6: half to even, both */
    case IR_OP_NEARBYINT: return rounded(t, nearbyint(d), true, a.flags);
    case IR_OP_SQRT:
        return rounded(t, sqrt(d), fma(sqrt(d), sqrt(d), -d) == 0, a.flags);
    case IR_OP_ISNAN: return truth(isnan(d), a.flags);
    case IR_OP_ISINF: return truth(isinf(d), a.flags);
    case IR_OP_ISFINITE: return truth(isfinite(d), a.flags);
    default: *stop = INTS_STUCK; return a;
    }
}

/* ---- conversions of all kinds ---------------------------------------------- */

struct ints_cell ints_cast(struct dtype from, struct dtype to,
                           struct ints_cell a)
{
    if (a.flags & INTS_UNDEF)
        return a;
    if (dtype_is_float(from)) {
        double d = as_double(from, a.bits);
        if (dtype_is_float(to))
            return rounded(to, d, true, a.flags);
        if (dtype_is_bool(to))
            return cell(d != 0, a.flags);
        return float_to_int(to, d, a.flags);
    }
    if (dtype_is_float(to))
        return int_to_float(from, to, a);
    if (dtype_is_bool(to))
        return cell(a.bits != 0, a.flags);
    return cell(ints_wrap(to, a.bits), a.flags);
}
