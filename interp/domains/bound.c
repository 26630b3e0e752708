/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain of running error bounds: a float is the machine number that the
 * program computes, a bound on its distance from the value of the same program
 * over the reals with conversions between floating types left out, and the
 * sum of its absolute terms. Rules B1 to B7 of docs/semantics.md.
 *
 * The bound follows each operation as in the running error analysis of
 * Wilkinson (N. Higham, Accuracy and Stability of Numerical Algorithms, 2nd
 * ed., section 3.3), but keeps the terms of second order and is rounded up, so
 * that it holds without "to first order". Operations without a formula of
 * their own are bounded by the enclosure of what their operands may be.
 *
 * On request the bound is one for other programs too (B7): such as combine the
 * same terms in any order, or whose functions are off by some units.
 */
#include "interp/machine/exec.h"

#include <math.h>

/* ---- arithmetic of bounds: nonnegative doubles, rounded up ------------------- */

static double step_up(double x)
{
    return nextafter(x, HUGE_VAL);
}

static double add_up(double a, double b)
{
    double s = a + b;
    if (!isfinite(s))
        return HUGE_VAL;
    double other = s - a; /* Knuth's TwoSum: what the sum lost */
    double lost = (a - (s - other)) + (b - other);
    return lost > 0 ? step_up(s) : s;
}

static double upper(enum num_op op, double a, double b)
{
    struct num_interval r =
        num_interval_binary(op, num_interval_point(a), num_interval_point(b));
    return r.nan ? HUGE_VAL : r.hi;
}

static double mul_up(double a, double b)
{
    return upper(NUM_MUL, a, b);
}

/* a / b where b is a lower bound: nothing is known if that is not positive. */
static double div_up(double a, double b)
{
    return b > 0 ? upper(NUM_DIV, a, b) : HUGE_VAL;
}

/* |a - b| */
static double distance(double a, double b)
{
    if (a == b)
        return 0;
    struct num_interval r =
        num_interval_binary(NUM_SUB, num_interval_point(a > b ? a : b),
                            num_interval_point(a > b ? b : a));
    return r.nan ? HUGE_VAL : r.hi;
}

/* ---- values --------------------------------------------------------------------- */

static const struct interp_bound unknown = {0, HUGE_VAL, HUGE_VAL};

static struct interp_bound of(struct value v)
{
    return v.flags & V_BOX ? v.u.box->bound : unknown;
}

static double number(struct dtype t, struct interp_bound x)
{
    return num_to_double(t, x.bits);
}

/* What the real value may be. */
static struct num_interval range(struct dtype t, struct interp_bound x)
{
    double v = number(t, x);
    if (isnan(v) || isinf(x.error))
        return (struct num_interval){-HUGE_VAL, HUGE_VAL, true};
    struct num_interval e = {-x.error, x.error, false};
    return num_interval_binary(NUM_ADD, num_interval_point(v), e);
}

/* Half a unit in the last place of a result that was rounded to nearest. */
static double half_ulp(struct dtype t, uint64_t bits)
{
    uint64_t size = bits;
    if (t.code != DT_FLOAT8_E8M0FNU) /* which has no sign */
        size &= ~(UINT64_C(1) << (t.bits - 1));
    double here = num_to_double(t, size), next = num_to_double(t, size + 1);
    if (!isfinite(next) && size > 0)
        next = num_to_double(t, size - 1);
    double half = (next > here ? next - here : here - next) / 2;
    return half > 0 ? half : 0x1p-1074;
}

/* What rounding the exact result of an operation added. */
static double rounding(struct dtype t, uint64_t bits, unsigned flags)
{
    if (!(flags & NUM_INEXACT))
        return 0;
    return num_is_inf(t, bits) ? HUGE_VAL : half_ulp(t, bits);
}

/* ---- other programs than this one (B7) -------------------------------------------- */

/* Units in the last place that functions and approximate divisions may be off,
 * as C libraries and compilers document theirs. */
#define LOOSE_ULPS 4.0

static bool is_loose(const struct machine *m, enum interp_loose what)
{
    return (m->options.loose & (unsigned)what) != 0;
}

/* A unit in the last place of 1. */
static double unit_of(struct dtype t)
{
    unsigned flags = 0;
    uint64_t one = num_from_double(t, 1.0, &flags);
    return num_to_double(t, one + 1) - 1;
}

/* The error of terms that are combined in any order: relative errors of the
 * parts add, and one rounding of what all terms together can be comes to them
 * (twice, for the terms of second order). There is none where some order may
 * overflow, though this one does not. */
static double any_order(struct dtype t, double terms, double a, double a_terms,
                        double b, double b_terms)
{
    double relative = unit_of(t);
    if (a > 0)
        relative = add_up(relative, div_up(a, a_terms));
    if (b > 0)
        relative = add_up(relative, div_up(b, b_terms));
    double error = mul_up(terms, relative);
    bool fits = add_up(terms, error) <= num_to_double(t, num_max_value(t));
    return fits ? error : HUGE_VAL;
}

/* What an approximate operation adds to the error of a result of that size. */
static double approximate(struct dtype t, double size)
{
    return mul_up(LOOSE_ULPS * unit_of(t), size);
}

/* ---- values that come out ------------------------------------------------------------ */

static struct value make(struct machine *m, struct dtype t, uint64_t bits,
                         unsigned flags, double error, double terms)
{
    if (flags & NUM_NO_RULE) {
        char text[48];
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "arithmetic on %s is not defined",
                   dtype_name(dtype_scalar(t), text));
        return exec_value_undefined();
    }
    if (flags & NUM_UNDEFINED)
        return exec_value_undefined();
    struct interp_bound x = {bits, error, terms};
    if (num_is_nan(t, bits) || isnan(error))
        x.error = HUGE_VAL;
    if (num_is_nan(t, bits) || isnan(terms))
        x.terms = HUGE_VAL;
    return exec_value_box(m, (union interp_box){.bound = x},
                          flags & NUM_INEXACT ? V_INEXACT : 0u);
}

/* A result whose real value lies in r: one term of its own. */
static struct value enclosed(struct machine *m, struct dtype t, uint64_t bits,
                             unsigned flags, struct num_interval r)
{
    double v = num_to_double(t, bits), error = HUGE_VAL;
    if (!r.nan && !isnan(v)) {
        double above = distance(r.hi, v), below = distance(v, r.lo);
        error = above > below ? above : below;
        if (m->options.loose != 0)
            error = add_up(error, approximate(t, add_up(fabs(v), error)));
    }
    return make(m, t, bits, flags, error, add_up(fabs(v), error));
}

/* ---- operations ------------------------------------------------------------------ */

static union interp_box bound_point(struct dtype t, uint64_t bits)
{
    double v = num_to_double(t, bits);
    struct interp_bound x = {bits, isnan(v) ? HUGE_VAL : 0,
                             isnan(v) ? HUGE_VAL : fabs(v)};
    return (union interp_box){.bound = x};
}

static struct value bound_literal(struct machine *m, struct dtype t,
                                  double value)
{
    unsigned flags = 0;
    return exec_value_box(m, bound_point(t, num_from_double(t, value, &flags)),
                          0);
}

/* A condition that the bounds may leave open; the bits are the machine's
 * answer all the same, so that a choice knows its side. */
static struct value decided(int surely, bool answer)
{
    return exec_value_scalar(answer, surely == 0 ? V_MAYBE : 0u);
}

static struct value bound_unary(struct machine *m, enum num_op op,
                                struct dtype t, struct value a)
{
    struct interp_bound x = of(a);
    unsigned flags = 0;
    uint64_t bits = num_unary(op, t, x.bits, &flags);
    if (op == NUM_ISNAN || op == NUM_ISINF || op == NUM_ISFINITE)
        return decided(isfinite(x.error) ? 1 : 0, bits != 0);
    if (op == NUM_NEG || op == NUM_ABS)
        return make(m, t, bits, flags, x.error, x.terms);
    return enclosed(m, t, bits, flags, num_interval_unary(op, range(t, x)));
}

/* |ab - a*b*| <= |a| e(b) + |b| e(a) + e(a) e(b) */
static double product_error(double a, double ea, double b, double eb)
{
    if (ea == 0 && eb == 0)
        return 0; /* infinities included */
    return add_up(add_up(mul_up(fabs(a), eb), mul_up(fabs(b), ea)),
                  mul_up(ea, eb));
}

/* |a/b - a*\/b*| <= (e(a) + |a/b| e(b)) / (|b| - e(b)) */
static struct value quotient(struct machine *m, struct dtype t, uint64_t bits,
                             unsigned flags, struct interp_bound x,
                             struct interp_bound y)
{
    double a = fabs(number(t, x)), b = fabs(number(t, y)), error = x.error;
    if (!(b > y.error) || isinf(b))
        return make(m, t, bits, flags, HUGE_VAL, HUGE_VAL);
    double least = y.error > 0 ? nextafter(b - y.error, 0) : b;
    if (y.error > 0)
        error = add_up(error, mul_up(div_up(a, b), y.error));
    error = div_up(error, least);
    if (is_loose(m, INTERP_LOOSE_ORDER))
        error = add_up(error, approximate(t, div_up(x.terms, least)));
    return make(m, t, bits, flags, add_up(error, rounding(t, bits, flags)),
                div_up(x.terms, least));
}

/* The operand that is surely chosen, else the worst of both. */
static struct value extreme(struct machine *m, enum num_op op, struct dtype t,
                            uint64_t bits, struct interp_bound x,
                            struct interp_bound y)
{
    int first = num_interval_compare(op == NUM_MAX ? NUM_GT : NUM_LT,
                                     range(t, x), range(t, y));
    int second = num_interval_compare(op == NUM_MAX ? NUM_LT : NUM_GT,
                                      range(t, x), range(t, y));
    struct interp_bound r = first > 0 ? x : y;
    if (first <= 0 && second <= 0) {
        r.error = x.error > y.error ? x.error : y.error;
        r.terms = x.terms > y.terms ? x.terms : y.terms;
    }
    return make(m, t, bits, 0, r.error, r.terms);
}

static struct value scaled(struct machine *m, struct dtype t, uint64_t bits,
                           unsigned flags, struct interp_bound x, uint64_t by)
{
    double scale = ldexp(1.0, (int)(int32_t)(uint32_t)by);
    if (!isfinite(scale) || scale == 0)
        return make(m, t, bits, flags, HUGE_VAL, HUGE_VAL);
    double error = product_error(number(t, x), x.error, scale, 0);
    return make(m, t, bits, flags, add_up(error, rounding(t, bits, flags)),
                mul_up(x.terms, scale));
}

static double sum_error(const struct machine *m, struct dtype t,
                        struct interp_bound x, struct interp_bound y,
                        double rounded)
{
    if (is_loose(m, INTERP_LOOSE_ORDER))
        return any_order(t, add_up(x.terms, y.terms), x.error, x.terms, y.error,
                         y.terms);
    return add_up(add_up(x.error, y.error), rounded);
}

static double times_error(const struct machine *m, struct dtype t,
                          struct interp_bound x, struct interp_bound y,
                          double rounded)
{
    double error = product_error(number(t, x), x.error, number(t, y), y.error);
    if (is_loose(m, INTERP_LOOSE_ORDER))
        return add_up(error, any_order(t, mul_up(x.terms, y.terms), x.error,
                                       x.terms, y.error, y.terms));
    return add_up(error, rounded);
}

static struct value bound_binary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a, struct value b)
{
    struct interp_bound x = of(a), y = of(b);
    unsigned flags = 0;
    uint64_t bits =
        num_binary(op, t, x.bits, op == NUM_LDEXP ? b.u.bits : y.bits, &flags);
    double rounded = rounding(t, bits, flags);
    if (op >= NUM_EQ && op <= NUM_GE)
        return decided(num_interval_compare(op, range(t, x), range(t, y)),
                       bits != 0);
    if (op == NUM_ADD || op == NUM_SUB)
        return make(m, t, bits, flags, sum_error(m, t, x, y, rounded),
                    add_up(x.terms, y.terms));
    if (op == NUM_MUL)
        return make(m, t, bits, flags, times_error(m, t, x, y, rounded),
                    mul_up(x.terms, y.terms));
    if (op == NUM_DIV)
        return quotient(m, t, bits, flags, x, y);
    if (op == NUM_MIN || op == NUM_MAX)
        return extreme(m, op, t, bits, x, y);
    if (op == NUM_LDEXP)
        return scaled(m, t, bits, flags, x, b.u.bits);
    return enclosed(m, t, bits, flags,
                    num_interval_binary(op, range(t, x), range(t, y)));
}

static struct value bound_fma(struct machine *m, struct dtype t, struct value a,
                              struct value b, struct value c)
{
    struct interp_bound x = of(a), y = of(b), z = of(c);
    unsigned flags = 0;
    uint64_t bits = num_fma(t, x.bits, y.bits, z.bits, &flags);
    struct interp_bound xy = {0, times_error(m, t, x, y, 0),
                              mul_up(x.terms, y.terms)};
    double error = sum_error(m, t, xy, z, rounding(t, bits, flags));
    return make(m, t, bits, flags, error, add_up(xy.terms, z.terms));
}

/* ---- conversions -------------------------------------------------------------------- */

static struct value from_integer(struct machine *m, struct dtype from,
                                 struct dtype to, uint64_t integer)
{
    unsigned flags = 0;
    uint64_t bits = num_cast(from, to, integer, &flags);
    double v = num_to_double(to, bits);
    if (!(flags & NUM_INEXACT))
        return make(m, to, bits, flags, 0, fabs(v));
    double d = from.code == DT_INT ? (double)(int64_t)integer : (double)integer;
    struct num_interval real = num_interval_point(d);
    if (fabs(d) > 9007199254740992.0) /* beyond, doubles have gaps */
        real = (struct num_interval){nextafter(d, -HUGE_VAL),
                                     nextafter(d, HUGE_VAL), false};
    return enclosed(m, to, bits, flags, real);
}

static struct value to_integer(struct machine *m, struct dtype from,
                               struct dtype to, struct interp_bound x)
{
    struct num_interval r = range(from, x);
    unsigned flags = 0;
    uint64_t bits = num_cast(from, to, x.bits, &flags);
    if (dtype_is_bool(to)) /* x != 0 (rule 11) */
        return decided(num_interval_compare(NUM_NE, r, num_interval_point(0)),
                       bits != 0);
    double lo = trunc(r.lo), hi = trunc(r.hi);
    if (r.nan || !(lo == hi) || isinf(lo)) {
        exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
                   "the bound of a float does not decide its integer");
        return exec_value_undefined();
    }
    return flags & NUM_UNDEFINED ? exec_value_undefined()
                                 : exec_value_scalar(bits, 0);
}

static struct value bound_cast(struct machine *m, struct dtype from,
                               struct dtype to, struct value a)
{
    if (!dtype_is_float(from))
        return from_integer(m, from, to, a.u.bits);
    struct interp_bound x = of(a);
    if (!dtype_is_float(to))
        return to_integer(m, from, to, x);
    unsigned flags = 0;
    uint64_t bits = num_cast(from, to, x.bits, &flags);
    double moved = distance(num_to_double(to, bits), number(from, x));
    if (is_loose(m, INTERP_LOOSE_ORDER)) /* another sum's would move more */
        moved = add_up(moved, any_order(to, x.terms, 0, 0, 0, 0));
    return make(m, to, bits, flags, add_up(x.error, moved), x.terms);
}

/* a is the side that the machine takes. */
static struct value bound_select(struct machine *m, struct dtype t,
                                 struct value a, struct value b)
{
    uint32_t taints = (a.flags | b.flags) & V_TAINTS;
    if ((a.flags & V_BOX) && (b.flags & V_BOX)) {
        struct interp_bound x = of(a), y = of(b);
        double other = add_up(distance(number(t, x), number(t, y)), y.error);
        x.error = other > x.error ? other : x.error;
        x.terms = y.terms > x.terms ? y.terms : x.terms;
        struct value v = make(m, t, x.bits, 0, x.error, x.terms);
        v.flags |= taints;
        return v;
    }
    if (!((a.flags | b.flags) & V_BOX) && a.u.bits == b.u.bits &&
        !((a.flags | b.flags) & V_MAYBE))
        return a;
    if (dtype_is_bool(t))
        return exec_value_scalar(a.u.bits, taints | V_MAYBE);
    exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
               "an integer depends on a comparison that the bounds do not "
               "decide");
    return exec_value_undefined();
}

extern const struct interp_domain bound;
const struct interp_domain bound = {
    .name = "bound",
    .kind = INTERP_BOUND,
    .boxed = true,
    .point = bound_point,
    .literal = bound_literal,
    .unary = bound_unary,
    .binary = bound_binary,
    .fma = bound_fma,
    .cast = bound_cast,
    .select = bound_select,
};
