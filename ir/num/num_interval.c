/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals that surely contain the real result.
 *
 * An interval stands for all extended reals between its ends; `nan` says that
 * the result may be undefined besides. The ends of + - * / sqrt fma are
 * computed to nearest and moved one double outward only when the sign of the
 * rounding error says so (exact.c), so exact results on points stay points.
 * Monotone functions are taken at the ends with directed rounding in MPFR.
 *
 * Where an infinite end takes part, infinity counts as a possible value:
 * inf - inf and 0 * inf set nan. That is more than a strict enclosure of reals
 * needs, and sound for run-time values too. Zero has no sign here, so
 * dividing by an interval that contains zero gives everything. Operations
 * about bits (shifts, popcount, nextafter, …) give everything and nan.
 */
#include "ir/num/num_private.h"

static const struct num_interval everything = {-HUGE_VAL, HUGE_VAL, false};
static const struct num_interval anything = {-HUGE_VAL, HUGE_VAL, true};
static const struct num_interval nothing = {HUGE_VAL, -HUGE_VAL, true};

/* Not fmin and fmax, which may return either of two zeros. */
static double least(double x, double y)
{
    return x < y ? x : y;
}

static double greatest(double x, double y)
{
    return x > y ? x : y;
}

static double step_down(double x)
{
    if (x == -HUGE_VAL)
        return x;
    if (x == 0)
        return -0x1p-1074;
    uint64_t bits = double_bits(x);
    return double_from_bits(x > 0 ? bits - 1 : bits + 1);
}

static double step_up(double x)
{
    return -step_down(-x);
}

/* The bound below (or above) the exact value r + error, r to nearest. */
static double bound(double r, int error_sign, bool up)
{
    if (up)
        return error_sign > 0 ? step_up(r) : r;
    return error_sign < 0 ? step_down(r) : r;
}

/* An overflowed result: the exact value is finite beyond DBL_MAX. */
static double overflow(double r, bool up)
{
    if (up)
        return r > 0 ? r : -DBL_MAX;
    return r < 0 ? r : DBL_MAX;
}

static bool is_empty(struct num_interval a)
{
    return !(a.lo <= a.hi);
}

static bool has_zero(struct num_interval a)
{
    return a.lo <= 0 && a.hi >= 0;
}

static bool has_infinity(struct num_interval a)
{
    return isinf(a.lo) || isinf(a.hi);
}

static double add_bound(double a, double b, bool up)
{
    double sum = a + b;
    if (isinf(a) || isinf(b))
        return isnan(sum) ? (up ? HUGE_VAL : -HUGE_VAL) : sum;
    if (isinf(sum))
        return overflow(sum, up);
    return bound(sum, exact_add_sign(a, b, sum), up);
}

static double mul_bound(double a, double b, bool up)
{
    if (a == 0 || b == 0)
        return 0; /* 0 * inf as well: the caller sets nan */
    double product = a * b;
    if (isinf(a) || isinf(b))
        return product;
    if (isinf(product))
        return overflow(product, up);
    return bound(product, exact_mul_sign(a, b, product), up);
}

/* b is not zero. */
static double div_bound(double a, double b, bool up)
{
    if (isinf(b))
        return isinf(a) ? (up ? HUGE_VAL : -HUGE_VAL) : 0;
    double quotient = a / b;
    if (isinf(a))
        return quotient;
    if (isinf(quotient))
        return overflow(quotient, up);
    return bound(quotient, exact_div_sign(a, b, quotient), up);
}

typedef double (*bound_function)(double, double, bool);

/* Least and greatest bound over the four pairs of ends. */
static struct num_interval corners(bound_function at, struct num_interval a,
                                   struct num_interval b)
{
    struct num_interval r = {HUGE_VAL, -HUGE_VAL, a.nan || b.nan};
    for (int i = 0; i < 4; i++) {
        double x = (i & 1) != 0 ? a.hi : a.lo, y = (i & 2) != 0 ? b.hi : b.lo;
        double lo = at(x, y, false), hi = at(x, y, true);
        r.lo = lo < r.lo ? lo : r.lo;
        r.hi = hi > r.hi ? hi : r.hi;
    }
    return r;
}

struct num_interval num_interval_point(double value)
{
    if (isnan(value))
        return nothing;
    return (struct num_interval){value, value, false};
}

struct num_interval num_interval_hull(struct num_interval a,
                                      struct num_interval b)
{
    struct num_interval r = {least(a.lo, b.lo), greatest(a.hi, b.hi),
                             a.nan || b.nan};
    return r;
}

static struct num_interval negate(struct num_interval a)
{
    return (struct num_interval){-a.hi, -a.lo, a.nan};
}

static struct num_interval absolute(struct num_interval a)
{
    if (a.lo >= 0)
        return a;
    if (a.hi <= 0)
        return negate(a);
    a.hi = greatest(-a.lo, a.hi);
    a.lo = 0;
    return a;
}

/* Cuts a to the domain [lo, hi], setting nan if that loses anything. */
static struct num_interval restrict_to(struct num_interval a, double lo,
                                       double hi)
{
    if (a.lo < lo || a.hi > hi)
        a.nan = true;
    a.lo = greatest(a.lo, lo);
    a.hi = least(a.hi, hi);
    return is_empty(a) ? nothing : a;
}

static struct num_interval root(struct num_interval a)
{
    a = restrict_to(a, 0, HUGE_VAL);
    if (is_empty(a))
        return a;
    double lo = sqrt(a.lo), hi = sqrt(a.hi);
    if (isfinite(lo))
        a.lo = bound(lo, exact_sqrt_sign(a.lo, lo), false);
    if (isfinite(hi))
        a.hi = bound(hi, exact_sqrt_sign(a.hi, hi), true);
    return a;
}

static struct num_interval to_integer(enum num_op op, struct num_interval a)
{
    static double (*const functions[])(double) = {
        [NUM_FLOOR] = floor, [NUM_CEIL] = ceil,      [NUM_TRUNC] = trunc,
        [NUM_ROUND] = round, [NUM_NEARBYINT] = rint,
    };
    return (struct num_interval){functions[op](a.lo), functions[op](a.hi),
                                 a.nan};
}

/* sin and cos. |f(x) - f(m)| <= |x - m|: good enough for narrow intervals. */
static struct num_interval wave(enum num_op op, struct num_interval a)
{
    struct num_interval r = {-1, 1, a.nan || has_infinity(a)};
    double lo, hi, radius = add_bound(a.hi, -a.lo, true);
    if (has_infinity(a) || radius >= 2)
        return r;
    math_bounds(op, a.lo, &lo, &hi);
    r.lo = greatest(-1, add_bound(lo, -radius, false));
    r.hi = least(1, add_bound(hi, radius, true));
    if (a.lo != a.hi) { /* both ends bound the middle: half the slack */
        double lo2, hi2;
        math_bounds(op, a.hi, &lo2, &hi2);
        r.lo = greatest(r.lo, add_bound(lo2, -radius, false));
        r.hi = least(r.hi, add_bound(hi2, radius, true));
    }
    return r;
}

/* Increasing between poles that no double hits; every pole interval is wider
 * than pi, so an interval narrower than that has one pole at most, and then
 * tan falls from its left end to its right end. */
static struct num_interval tangent(struct num_interval a)
{
    double lo, hi, ignored;
    if (has_infinity(a) || a.hi - a.lo > 1.5)
        return anything;
    math_bounds(NUM_TAN, a.lo, &lo, &ignored);
    math_bounds(NUM_TAN, a.hi, &ignored, &hi);
    if (lo > hi)
        return anything;
    return (struct num_interval){lo, hi, a.nan};
}

/* op increasing (or decreasing) on [a.lo, a.hi]. */
static struct num_interval monotone(enum num_op op, struct num_interval a,
                                    bool falls)
{
    double ignored;
    struct num_interval r = {0, 0, a.nan};
    math_bounds(op, falls ? a.hi : a.lo, &r.lo, &ignored);
    math_bounds(op, falls ? a.lo : a.hi, &ignored, &r.hi);
    return r;
}

/* Zero gives everything, as 1 / sqrt(a) does. */
static struct num_interval rsqrt_interval(struct num_interval a)
{
    bool nan = a.nan || a.lo < 0;
    if (has_zero(a))
        return (struct num_interval){-HUGE_VAL, HUGE_VAL, nan};
    return a.hi < 0 ? nothing : monotone(NUM_RSQRT, a, true);
}

static struct num_interval elementary(enum num_op op, struct num_interval a)
{
    switch ((int)op) {
    case NUM_SIN:
    case NUM_COS: return wave(op, a);
    case NUM_TAN: return tangent(a);
    case NUM_COSH: return monotone(op, absolute(a), false);
    case NUM_RSQRT: return rsqrt_interval(a);
    case NUM_LOG:
    case NUM_LOG2:
    case NUM_LOG10: a = restrict_to(a, 0, HUGE_VAL); break;
    case NUM_LOG1P: a = restrict_to(a, -1, HUGE_VAL); break;
    case NUM_ASIN:
    case NUM_ACOS:
    case NUM_ATANH: a = restrict_to(a, -1, 1); break;
    case NUM_ACOSH: a = restrict_to(a, 1, HUGE_VAL); break;
    default: break;
    }
    return is_empty(a) ? a : monotone(op, a, op == NUM_ACOS);
}

struct num_interval num_interval_unary(enum num_op op, struct num_interval a)
{
    if (op == NUM_ISNAN || op == NUM_ISINF || op == NUM_ISFINITE)
        return (struct num_interval){0, 1, false};
    if (op == NUM_BITNOT || op == NUM_NOT || op == NUM_POPCOUNT ||
        op == NUM_CLZ || op > NUM_ISFINITE)
        return anything;
    if (is_empty(a))
        return nothing;
    switch ((int)op) {
    case NUM_NEG: return negate(a);
    case NUM_ABS: return absolute(a);
    case NUM_SQRT: return root(a);
    case NUM_FLOOR:
    case NUM_CEIL:
    case NUM_TRUNC:
    case NUM_ROUND:
    case NUM_NEARBYINT: return to_integer(op, a);
    default: return elementary(op, a);
    }
}

static struct num_interval add(struct num_interval a, struct num_interval b)
{
    struct num_interval r = {add_bound(a.lo, b.lo, false),
                             add_bound(a.hi, b.hi, true), a.nan || b.nan};
    if ((a.lo == -HUGE_VAL && b.hi == HUGE_VAL) ||
        (a.hi == HUGE_VAL && b.lo == -HUGE_VAL))
        r.nan = true;
    return r;
}

static struct num_interval multiply(struct num_interval a,
                                    struct num_interval b)
{
    struct num_interval r = corners(mul_bound, a, b);
    if ((has_zero(a) && has_infinity(b)) || (has_zero(b) && has_infinity(a)))
        r.nan = true;
    return r;
}

static struct num_interval divide(struct num_interval a, struct num_interval b)
{
    struct num_interval r = everything;
    bool undefined = has_infinity(a) && has_infinity(b);
    if (has_zero(b))
        undefined = undefined || has_zero(a);
    else
        r = corners(div_bound, a, b);
    r.nan = a.nan || b.nan || undefined;
    return r;
}

/* fmod: exact on points, else bounded by the divisor and the dividend. */
static struct num_interval truncated_mod(struct num_interval a,
                                         struct num_interval b)
{
    bool nan = a.nan || b.nan || has_zero(b) || has_infinity(a);
    if (a.lo == a.hi && b.lo == b.hi) {
        struct num_interval r = num_interval_point(fmod(a.lo, b.lo));
        r.nan = r.nan || nan;
        return r;
    }
    double limit = absolute(b).hi;
    struct num_interval r = {greatest(-limit, least(a.lo, 0)),
                             least(limit, greatest(a.hi, 0)), nan};
    return r;
}

/* a - floor(a / b) * b lies between 0 and b. */
static struct num_interval floored_mod(struct num_interval a,
                                       struct num_interval b)
{
    struct num_interval r = {least(b.lo, 0), greatest(b.hi, 0),
                             a.nan || b.nan || has_zero(b) || has_infinity(a)};
    if (a.lo != a.hi || b.lo != b.hi || has_infinity(a) || b.lo == 0)
        return r;
    if (isinf(b.lo)) /* floor(-0.5) * inf: undefined when the signs differ */
        return anything;
    double rest = fmod(a.lo, b.lo);
    struct num_interval point = num_interval_point(rest);
    if (rest != 0 && (rest < 0) != (b.lo < 0))
        point = add(point, b);
    point.nan = r.nan;
    return point;
}

/* IEEE: b if either is NaN, so b stays possible where a may be NaN. */
static struct num_interval choose(enum num_op op, struct num_interval a,
                                  struct num_interval b)
{
    struct num_interval r = b;
    bool nan = a.nan || b.nan;
    if (is_empty(b))
        return nothing;
    if (!is_empty(a)) {
        bool wants_least = op == NUM_MIN;
        r.lo = wants_least ? least(a.lo, b.lo) : greatest(a.lo, b.lo);
        r.hi = wants_least ? least(a.hi, b.hi) : greatest(a.hi, b.hi);
        if (a.nan)
            r = num_interval_hull(r, b);
    }
    r.nan = nan;
    return r;
}

static double power_bound(double x, double y, bool up)
{
    double lo, hi;
    math_bounds2(NUM_POW, x, y, &lo, &hi);
    return up ? hi : lo;
}

/* x^y = exp(y log x) has its extremes in the corners while x >= 0, as
 * y log x is bilinear in log x and y. A negative base needs an integer y. */
static struct num_interval power(struct num_interval a, struct num_interval b)
{
    struct num_interval r;
    bool nan = a.nan || b.nan;
    if (a.lo <= 0 && b.lo < 0)
        return anything; /* the sign of zero decides */
    if (a.lo >= 0) {
        a.lo = fabs(a.lo);
        a.hi = fabs(a.hi);
        r = corners(power_bound, a, b);
        if (a.lo < 1 && a.hi > 1) /* 1^y, and corners at 0^0 or inf^0 */
            r = num_interval_hull(r, num_interval_point(1));
        r.nan = nan;
        return r;
    }
    if (b.lo != b.hi || b.lo != floor(b.lo) || isinf(b.lo))
        return anything;
    struct num_interval magnitude = absolute(a);
    r = corners(power_bound, magnitude, b);
    if (fmod(b.lo, 2) != 0)
        r = a.hi <= 0 ? negate(r) : num_interval_hull(r, negate(r));
    r.nan = nan;
    return r;
}

static double angle_bound(double y, double x, bool up)
{
    double lo, hi;
    math_bounds2(NUM_ATAN2, y, x, &lo, &hi);
    return up ? hi : lo;
}

/* For x > 0 monotone in each argument; else all angles. */
static struct num_interval angle(struct num_interval y, struct num_interval x)
{
    if (x.lo > 0 || (x.lo == x.hi && y.lo == y.hi && x.lo != 0 && y.lo != 0))
        return corners(angle_bound, y, x);
    return (struct num_interval){-0x1.921fb54442d19p1, 0x1.921fb54442d19p1,
                                 y.nan || x.nan};
}

static double length_bound(double x, double y, bool up)
{
    double lo, hi;
    math_bounds2(NUM_HYPOT, x, y, &lo, &hi);
    return up ? hi : lo;
}

static struct num_interval copy_sign(struct num_interval a,
                                     struct num_interval b)
{
    struct num_interval plus = absolute(a);
    plus.nan = a.nan || b.nan;
    if (!b.nan && b.lo > 0)
        return plus;
    if (!b.nan && b.hi < 0)
        return negate(plus);
    return num_interval_hull(plus, negate(plus));
}

static struct num_interval scale(struct num_interval a, struct num_interval b)
{
    return multiply(a, monotone(NUM_EXP2, b, false));
}

struct num_interval num_interval_binary(enum num_op op, struct num_interval a,
                                        struct num_interval b)
{
    if (op == NUM_MIN || op == NUM_MAX)
        return choose(op, a, b);
    if (is_empty(a) || is_empty(b)) /* pow(1, nan) and hypot(inf, nan) too */
        return op == NUM_POW || op == NUM_HYPOT || op == NUM_COPYSIGN ? anything
                                                                      : nothing;
    switch ((int)op) {
    case NUM_ADD: return add(a, b);
    case NUM_SUB: return add(a, negate(b));
    case NUM_MUL: return multiply(a, b);
    case NUM_DIV: return divide(a, b);
    case NUM_MOD:
    case NUM_FMOD: return truncated_mod(a, b);
    case NUM_FLOORDIV: return to_integer(NUM_FLOOR, divide(a, b));
    case NUM_FLOORMOD: return floored_mod(a, b);
    case NUM_POW: return power(a, b);
    case NUM_ATAN2: return angle(a, b);
    case NUM_HYPOT: return corners(length_bound, absolute(a), absolute(b));
    case NUM_COPYSIGN: return copy_sign(a, b);
    case NUM_LDEXP: return scale(a, b);
    default: return anything;
    }
}

static double fma_bound(double a, double b, double c, bool up)
{
    double r = fma(a, b, c);
    if (!isfinite(a) || !isfinite(b) || !isfinite(c))
        return add_bound(mul_bound(a, b, up), c, up);
    if (isinf(r))
        return overflow(r, up);
    return bound(r, exact_fma_sign(a, b, c, r), up);
}

struct num_interval num_interval_fma(struct num_interval a,
                                     struct num_interval b,
                                     struct num_interval c)
{
    if (is_empty(a) || is_empty(b) || is_empty(c))
        return nothing;
    struct num_interval r = add(multiply(a, b), c); /* for nan */
    double lo = HUGE_VAL, hi = -HUGE_VAL;
    for (int i = 0; i < 4; i++) {
        double x = (i & 1) != 0 ? a.hi : a.lo, y = (i & 2) != 0 ? b.hi : b.lo;
        lo = least(lo, fma_bound(x, y, c.lo, false));
        hi = greatest(hi, fma_bound(x, y, c.hi, true));
    }
    r.lo = lo;
    r.hi = hi;
    return r;
}

bool num_interval_disjoint(struct num_interval a, struct num_interval b)
{
    return !a.nan && !b.nan && (a.hi < b.lo || b.hi < a.lo);
}

int num_interval_compare(enum num_op op, struct num_interval a,
                         struct num_interval b)
{
    if (a.nan || b.nan || is_empty(a) || is_empty(b))
        return 0;
    bool equal = a.lo == a.hi && b.lo == b.hi && a.lo == b.lo;
    bool apart = a.hi < b.lo || b.hi < a.lo;
    switch ((int)op) {
    case NUM_EQ: return equal ? 1 : apart ? -1 : 0;
    case NUM_NE: return equal ? -1 : apart ? 1 : 0;
    case NUM_LT: return a.hi < b.lo ? 1 : a.lo >= b.hi ? -1 : 0;
    case NUM_LE: return a.hi <= b.lo ? 1 : a.lo > b.hi ? -1 : 0;
    case NUM_GT: return a.lo > b.hi ? 1 : a.hi <= b.lo ? -1 : 0;
    case NUM_GE: return a.lo >= b.hi ? 1 : a.hi < b.lo ? -1 : 0;
    default: return 0;
    }
}
