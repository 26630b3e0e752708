/* SPDX-License-Identifier: Apache-2.0
 *
 * The domain of enclosures: a float is an interval that holds the value the
 * program would compute over the reals, with conversions between floating
 * types left out. Disjoint results of two programs show that their real
 * functions differ, with no tolerance.
 *
 * Literals are the value that the type holds (rule 13), as points. A
 * comparison that the enclosures leave open gives V_MAYBE; a choice on it is
 * the hull of both sides. Nothing here is ever "inexact": the width of the
 * interval says it.
 */
#include "interp/machine/exec.h"

#include <math.h>

static struct num_interval box_of(struct value v)
{
    return v.flags & V_BOX ? v.u.box->range
                           : (struct num_interval){-HUGE_VAL, HUGE_VAL, true};
}

static union interp_box interval_point(struct dtype t, uint64_t bits)
{
    return (union interp_box){.range =
                                  num_interval_point(num_to_double(t, bits))};
}

static struct value interval_literal(struct machine *m, struct dtype t,
                                     double value)
{
    unsigned flags = 0;
    uint64_t bits = num_from_double(t, value, &flags);
    return exec_value_box(m, interval_point(t, bits), 0);
}

static struct value decided(int answer)
{
    return answer == 0 ? exec_value_scalar(0, V_MAYBE)
                       : exec_value_scalar(answer > 0, 0);
}

/* isnan, isinf, isfinite ask about machine numbers: over the reals only a
 * bounded enclosure without NaN answers. */
static struct value classify(enum num_op op, struct num_interval x)
{
    bool bounded = !x.nan && isfinite(x.lo) && isfinite(x.hi);
    bool only_nan = x.nan && !(x.lo <= x.hi);
    if (op == NUM_ISNAN)
        return decided(only_nan ? 1 : x.nan ? 0 : -1);
    if (op == NUM_ISINF)
        return decided(bounded || only_nan ? -1 : 0);
    return decided(bounded ? 1 : only_nan ? -1 : 0);
}

static struct value interval_unary(struct machine *m, enum num_op op,
                                   struct dtype t, struct value a)
{
    (void)t;
    struct num_interval x = box_of(a);
    if (op == NUM_ISNAN || op == NUM_ISINF || op == NUM_ISFINITE)
        return classify(op, x);
    return exec_value_range(m, num_interval_unary(op, x), 0);
}

static struct value interval_binary(struct machine *m, enum num_op op,
                                    struct dtype t, struct value a,
                                    struct value b)
{
    (void)t;
    struct num_interval x = box_of(a);
    if (op >= NUM_EQ && op <= NUM_GE)
        return decided(num_interval_compare(op, x, box_of(b)));
    if (op == NUM_LDEXP) {
        double scale = ldexp(1.0, (int)(int32_t)(uint32_t)b.u.bits);
        return exec_value_range(
            m, num_interval_binary(NUM_MUL, x, num_interval_point(scale)), 0);
    }
    return exec_value_range(m, num_interval_binary(op, x, box_of(b)), 0);
}

static struct value interval_fma(struct machine *m, struct dtype t,
                                 struct value a, struct value b, struct value c)
{
    (void)t;
    return exec_value_range(
        m, num_interval_fma(box_of(a), box_of(b), box_of(c)), 0);
}

/* All 64-bit integers between two neighbouring doubles. */
static struct num_interval from_integer(struct dtype t, uint64_t bits)
{
    double d = t.code == DT_INT ? (double)(int64_t)bits : (double)bits;
    if (fabs(d) <= 9007199254740992.0)
        return num_interval_point(d);
    return (struct num_interval){nextafter(d, -HUGE_VAL),
                                 nextafter(d, HUGE_VAL), false};
}

static struct value undecided_cast(struct machine *m)
{
    exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
               "the enclosure of a float does not decide its integer");
    return exec_value_undefined();
}

static struct value to_integer(struct machine *m, struct dtype to,
                               struct num_interval x)
{
    if (x.nan && !(x.lo <= x.hi))
        return exec_value_undefined();
    if (x.nan)
        return undecided_cast(m);
    double lo = trunc(x.lo), hi = trunc(x.hi);
    if (!(lo == hi) || isinf(lo))
        return undecided_cast(m);
    unsigned flags = 0;
    struct dtype f64 = dtype_make(DT_FLOAT, 64, 1);
    uint64_t bits = num_cast(f64, to, num_from_double(f64, lo, &flags), &flags);
    return flags & NUM_UNDEFINED ? exec_value_undefined()
                                 : exec_value_scalar(bits, 0);
}

static struct value interval_cast(struct machine *m, struct dtype from,
                                  struct dtype to, struct value a)
{
    if (!dtype_is_float(from))
        return exec_value_range(m, from_integer(from, a.u.bits), 0);
    if (dtype_is_float(to))
        return a;
    struct num_interval x = box_of(a);
    if (dtype_is_bool(to)) /* x != 0, NaN is true (rule 11) */
        return decided(
            x.nan && !(x.lo <= x.hi)
                ? 1
                : num_interval_compare(NUM_NE, x, num_interval_point(0)));
    return to_integer(m, to, x);
}

static struct value interval_select(struct machine *m, struct dtype t,
                                    struct value a, struct value b)
{
    uint32_t taints = (a.flags | b.flags) & V_TAINTS;
    if ((a.flags & V_BOX) && (b.flags & V_BOX))
        return exec_value_range(
            m, num_interval_hull(a.u.box->range, b.u.box->range), taints);
    if (!((a.flags | b.flags) & V_BOX) && a.u.bits == b.u.bits &&
        !((a.flags | b.flags) & V_MAYBE))
        return a;
    if (dtype_is_bool(t))
        return exec_value_scalar(0, taints | V_MAYBE);
    exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
               "an integer depends on a comparison that the enclosures do "
               "not decide");
    return exec_value_undefined();
}

extern const struct interp_domain interval;
const struct interp_domain interval = {
    .name = "interval",
    .kind = INTERP_INTERVAL,
    .boxed = true,
    .point = interval_point,
    .literal = interval_literal,
    .unary = interval_unary,
    .binary = interval_binary,
    .fma = interval_fma,
    .cast = interval_cast,
    .select = interval_select,
};
