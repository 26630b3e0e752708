/* SPDX-License-Identifier: Apache-2.0
 *
 * Intervals: for random intervals and random points inside, the exact result
 * (MPFR, 400 bits or exact) must lie inside the computed interval, and where
 * it is undefined, nan must be set. Results that are exact must be points.
 * The last is what makes the enclosures worth having, so the width of others
 * is bounded too.
 */
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

struct context {
    mpfr_t x, y, z, out;
    uint64_t seed;
};

static void context_init(struct context *c, uint64_t seed)
{
    mpfr_init2(c->x, 53);
    mpfr_init2(c->y, 53);
    mpfr_init2(c->z, 53);
    mpfr_init2(c->out, 400);
    c->seed = seed;
}

static void context_fini(struct context *c)
{
    mpfr_clear(c->x);
    mpfr_clear(c->y);
    mpfr_clear(c->z);
    mpfr_clear(c->out);
    num_release_caches();
}

static double random_double(struct context *c)
{
    uint64_t r = oracle_random(&c->seed);
    double unit = (double)(r >> 11) * 0x1p-53;
    double sign = (r & 1) != 0 ? 1 : -1;
    switch (oracle_random(&c->seed) % 8) {
    case 0: return 0;
    case 1: return sign * (double)(r >> 60);
    case 2: return sign * ldexp(unit, (int)(r >> 2 & 0x7ff) - 1060);
    case 3: return sign * ldexp(1, (int)(r >> 2 & 15) - 8);
    case 4: return sign * unit * 1000;
    default: return sign * unit * 3;
    }
}

static struct num_interval random_interval(struct context *c)
{
    double a = random_double(c), b = random_double(c);
    uint64_t kind = oracle_random(&c->seed) % 6;
    if (kind == 0)
        b = a;
    else if (kind == 1)
        b = a + ldexp(fabs(a), -(int)(oracle_random(&c->seed) % 60));
    else if (kind == 2)
        b = nextafter(a, HUGE_VAL);
    struct num_interval r = {a < b ? a : b, a < b ? b : a, false};
    if (oracle_random(&c->seed) % 64 == 0)
        r.hi = HUGE_VAL;
    if (oracle_random(&c->seed) % 64 == 0)
        r.lo = -HUGE_VAL;
    return r;
}

static double inside(struct context *c, struct num_interval a)
{
    uint64_t kind = oracle_random(&c->seed) % 4;
    double unit = (double)(oracle_random(&c->seed) >> 11) * 0x1p-53;
    if (kind == 0 && isfinite(a.lo))
        return a.lo;
    if (kind == 1 && isfinite(a.hi))
        return a.hi;
    double low = a.lo > -1e6 ? a.lo : -1e6, high = a.hi < 1e6 ? a.hi : 1e6;
    if (!(low <= high))
        return isfinite(a.lo) ? a.lo : a.hi;
    double point = low + unit * (high - low);
    return point < low ? low : point > high ? high : point;
}

static void check_inside(const struct context *c, const char *what, double x,
                         double y, struct num_interval r)
{
    if (mpfr_nan_p(c->out)) {
        if (!r.nan)
            fail_msg("%s(%a, %a) is undefined, nan not set", what, x, y);
        return;
    }
    if (mpfr_cmp_d(c->out, r.lo) < 0 || mpfr_cmp_d(c->out, r.hi) > 0)
        fail_msg("%s(%a, %a) is outside [%a, %a]", what, x, y, r.lo, r.hi);
}

typedef int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

static int true_sigmoid(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    mpfr_set_prec(y, 2000);
    mpfr_neg(y, x, rnd);
    mpfr_exp(y, y, rnd);
    mpfr_add_ui(y, y, 1, rnd);
    return mpfr_ui_div(y, 1, y, rnd);
}

static int true_rsqrt(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    mpfr_sqrt(y, x, rnd);
    return mpfr_ui_div(y, 1, y, rnd);
}

static int true_round_to(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    return mpfr_rint(y, x, rnd);
}

static int true_floor(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return true_round_to(y, x, MPFR_RNDD);
}

static int true_ceil(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return true_round_to(y, x, MPFR_RNDU);
}

static int true_round(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    (void)rnd;
    return mpfr_round(y, x);
}

static int true_abs(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    return mpfr_abs(y, x, rnd);
}

static const struct {
    enum num_op op;
    function exact;
} unary[] = {
    {NUM_NEG, mpfr_neg},         {NUM_ABS, true_abs},
    {NUM_SQRT, mpfr_sqrt},       {NUM_FLOOR, true_floor},
    {NUM_CEIL, true_ceil},       {NUM_ROUND, true_round},
    {NUM_NEARBYINT, mpfr_rint},  {NUM_EXP, mpfr_exp},
    {NUM_EXP2, mpfr_exp2},       {NUM_EXP10, mpfr_exp10},
    {NUM_LOG, mpfr_log},         {NUM_LOG2, mpfr_log2},
    {NUM_LOG10, mpfr_log10},     {NUM_LOG1P, mpfr_log1p},
    {NUM_SIN, mpfr_sin},         {NUM_COS, mpfr_cos},
    {NUM_TAN, mpfr_tan},         {NUM_SINH, mpfr_sinh},
    {NUM_COSH, mpfr_cosh},       {NUM_TANH, mpfr_tanh},
    {NUM_ASIN, mpfr_asin},       {NUM_ACOS, mpfr_acos},
    {NUM_ATAN, mpfr_atan},       {NUM_ASINH, mpfr_asinh},
    {NUM_ACOSH, mpfr_acosh},     {NUM_ATANH, mpfr_atanh},
    {NUM_ERF, mpfr_erf},         {NUM_RSQRT, true_rsqrt},
    {NUM_SIGMOID, true_sigmoid},
};

static void test_unary(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 1);
    for (unsigned k = 0; k < 1500; k++) {
        struct num_interval a = random_interval(&c);
        for (size_t i = 0; i < DC_ARRAY_LEN(unary); i++) {
            struct num_interval r = num_interval_unary(unary[i].op, a);
            const char *name = num_op_name(unary[i].op);
            for (int p = 0; p < 4; p++) {
                double x = inside(&c, a);
                mpfr_set_prec(c.out, 400);
                mpfr_set_d(c.x, x, MPFR_RNDN);
                unary[i].exact(c.out, c.x, MPFR_RNDN);
                check_inside(&c, name, x, 0, r);
            }
            bool wild = unary[i].op == NUM_TAN || r.nan;
            if (a.lo == a.hi && !wild && isfinite(r.hi) &&
                r.hi > nextafter(nextafter(r.lo, HUGE_VAL), HUGE_VAL))
                fail_msg("%s(%a) is wide", name, a.lo);
        }
    }
    context_fini(&c);
}

/* false where the operation is undefined for the point. */
static bool exact_binary(struct context *c, enum num_op op, double x, double y)
{
    mpfr_set_prec(c->out, op == NUM_ADD || op == NUM_SUB ? 2200 : 400);
    mpfr_set_d(c->x, x, MPFR_RNDN);
    mpfr_set_d(c->y, y, MPFR_RNDN);
    mpfr_ptr out = c->out;
    switch ((int)op) {
    case NUM_ADD: return mpfr_add(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_SUB: return mpfr_sub(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_MUL: return mpfr_mul(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_DIV: return mpfr_div(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_MOD: return mpfr_fmod(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_FLOORDIV:
        if (fabs(x) > 0x1p300 || fabs(y) < 0x1p-300)
            return false; /* too long for 400 bits */
        mpfr_set_prec(out, 2200);
        mpfr_fmod(out, c->x, c->y, MPFR_RNDN);
        if (!mpfr_zero_p(out) && (mpfr_sgn(out) < 0) != (y < 0))
            mpfr_add(out, out, c->y, MPFR_RNDN);
        mpfr_sub(out, c->x, out, MPFR_RNDN);
        mpfr_div(out, out, c->y, MPFR_RNDN); /* exact: an integer */
        return true;
    case NUM_FLOORMOD:
        mpfr_set_prec(out, 2200);
        mpfr_fmod(out, c->x, c->y, MPFR_RNDN);
        if (!mpfr_zero_p(out) && !mpfr_nan_p(out) &&
            (mpfr_sgn(out) < 0) != (y < 0))
            mpfr_add(out, out, c->y, MPFR_RNDN);
        return true;
    case NUM_MIN: return mpfr_set_d(out, x < y ? x : y, MPFR_RNDN), true;
    case NUM_MAX: return mpfr_set_d(out, x > y ? x : y, MPFR_RNDN), true;
    case NUM_POW: return mpfr_pow(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_ATAN2: return mpfr_atan2(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_HYPOT: return mpfr_hypot(out, c->x, c->y, MPFR_RNDN), true;
    case NUM_COPYSIGN: return mpfr_set_d(out, copysign(x, y), MPFR_RNDN), true;
    case NUM_LDEXP:
        if (y != floor(y) || fabs(y) > 2000)
            return false;
        return mpfr_mul_2si(out, c->x, (long)y, MPFR_RNDN), true;
    default: return false;
    }
}

static const enum num_op binary[] = {
    NUM_ADD, NUM_SUB, NUM_MUL, NUM_DIV,   NUM_MOD,   NUM_FLOORDIV, NUM_FLOORMOD,
    NUM_MIN, NUM_MAX, NUM_POW, NUM_ATAN2, NUM_HYPOT, NUM_COPYSIGN, NUM_LDEXP,
};

static void test_binary(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 2);
    for (unsigned k = 0; k < 10000; k++) {
        struct num_interval a = random_interval(&c), b = random_interval(&c);
        for (size_t i = 0; i < DC_ARRAY_LEN(binary); i++) {
            enum num_op op = binary[i];
            struct num_interval r = num_interval_binary(op, a, b);
            for (int p = 0; p < 4; p++) {
                double x = inside(&c, a), y = inside(&c, b);
                if (op == NUM_DIV && y == 0)
                    continue;
                if (exact_binary(&c, op, x, y))
                    check_inside(&c, num_op_name(op), x, y, r);
            }
        }
    }
    context_fini(&c);
}

static void test_fma(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 3);
    mpfr_set_prec(c.out, 4400);
    for (unsigned k = 0; k < 4000; k++) {
        struct num_interval a = random_interval(&c), b = random_interval(&c);
        struct num_interval d = random_interval(&c);
        struct num_interval r = num_interval_fma(a, b, d);
        for (int p = 0; p < 4; p++) {
            double x = inside(&c, a), y = inside(&c, b), z = inside(&c, d);
            mpfr_set_d(c.out, x, MPFR_RNDN);
            mpfr_mul_d(c.out, c.out, y, MPFR_RNDN);
            mpfr_add_d(c.out, c.out, z, MPFR_RNDN);
            check_inside(&c, "fma", x, y, r);
        }
    }
    context_fini(&c);
}

/* Exact results stay points; inexact ones are two neighbours. */
static void test_points(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 4);
    static const enum num_op ops[] = {NUM_ADD, NUM_SUB, NUM_MUL, NUM_DIV};
    for (unsigned k = 0; k < 20000; k++) {
        double x = random_double(&c), y = random_double(&c);
        enum num_op op = ops[k % 4];
        if (op == NUM_DIV && y == 0)
            continue;
        struct num_interval r = num_interval_binary(op, num_interval_point(x),
                                                    num_interval_point(y));
        exact_binary(&c, op, x, y);
        double nearest = mpfr_get_d(c.out, MPFR_RNDN);
        bool exact = mpfr_cmp_d(c.out, nearest) == 0;
        assert_false(r.nan);
        if (r.lo != mpfr_get_d(c.out, MPFR_RNDD) ||
            r.hi != mpfr_get_d(c.out, MPFR_RNDU))
            fail_msg("%s(%a, %a) gives [%a, %a]", num_op_name(op), x, y, r.lo,
                     r.hi);
        assert_int_equal(r.lo == r.hi, exact);
    }
    context_fini(&c);
}

static struct num_interval make(double lo, double hi, bool nan)
{
    return (struct num_interval){lo, hi, nan};
}

static void expect(struct num_interval got, double lo, double hi, bool nan)
{
    if (got.lo != lo || got.hi != hi || got.nan != nan)
        fail_msg("got [%a, %a] nan %d, want [%a, %a] nan %d", got.lo, got.hi,
                 got.nan, lo, hi, nan);
}

static void test_special(void **state)
{
    (void)state;
    double inf = HUGE_VAL;
    struct num_interval empty = num_interval_point((double)NAN);
    struct num_interval one = num_interval_point(1);
    struct num_interval all = make(-inf, inf, false);
    assert_true(empty.nan && empty.lo > empty.hi);
    expect(num_interval_hull(empty, one), 1, 1, true);
    expect(num_interval_hull(make(1, 2, false), make(4, 5, false)), 1, 5,
           false);
    expect(num_interval_binary(NUM_ADD, empty, one), inf, -inf, true);
    expect(num_interval_binary(NUM_DIV, one, make(-1, 1, false)), -inf, inf,
           false);
    expect(num_interval_binary(NUM_DIV, make(0, 1, false), make(0, 1, false)),
           -inf, inf, true);
    expect(num_interval_binary(NUM_SUB, num_interval_point(inf),
                               num_interval_point(inf)),
           -inf, inf, true);
    expect(num_interval_binary(NUM_MUL, make(0, 1, false), make(1, inf, false)),
           0, inf, true);
    expect(num_interval_binary(NUM_ADD, num_interval_point(DBL_MAX),
                               num_interval_point(DBL_MAX)),
           DBL_MAX, inf, false);
    expect(num_interval_unary(NUM_SQRT, make(-4, 4, false)), 0, 2, true);
    expect(num_interval_unary(NUM_SQRT, make(-4, -1, false)), inf, -inf, true);
    expect(num_interval_unary(NUM_LOG, make(0, 1, false)), -inf, 0, false);
    expect(num_interval_unary(NUM_SIN, all), -1, 1, true);
    expect(num_interval_unary(NUM_SIN, make(0, 100, false)), -1, 1, false);
    expect(num_interval_unary(NUM_EXP, num_interval_point(0)), 1, 1, false);
    expect(num_interval_unary(NUM_COSH, make(-1, 0, false)).lo == 1 ? one
                                                                    : empty,
           1, 1, false);
    expect(num_interval_binary(NUM_MAX, empty, one), 1, 1, true);
    expect(num_interval_binary(NUM_MAX, one, empty), inf, -inf, true);
    expect(num_interval_binary(NUM_MAX, make(3, 4, true), one), 1, 4, true);
    expect(num_interval_binary(NUM_SHL, one, one), -inf, inf, true);
    expect(
        num_interval_binary(NUM_POW, make(-2, 3, false), num_interval_point(2)),
        0, 9, false);
}

static void test_predicates(void **state)
{
    (void)state;
    static const struct {
        enum num_op op;
        struct num_interval a, b;
        int want;
    } rows[] = {
        {NUM_LT, {1, 2, false}, {3, 4, false}, 1},
        {NUM_LT, {1, 3, false}, {3, 4, false}, 0},
        {NUM_LE, {1, 3, false}, {3, 4, false}, 1},
        {NUM_LT, {3, 4, false}, {1, 3, false}, -1},
        {NUM_LE, {3, 4, false}, {1, 3, false}, 0},
        {NUM_GT, {3, 4, false}, {1, 2, false}, 1},
        {NUM_GE, {3, 4, false}, {1, 3, false}, 1},
        {NUM_GT, {1, 3, false}, {3, 4, false}, -1},
        {NUM_GE, {1, 2, false}, {3, 4, false}, -1},
        {NUM_EQ, {1, 1, false}, {1, 1, false}, 1},
        {NUM_EQ, {1, 2, false}, {1, 2, false}, 0},
        {NUM_EQ, {1, 2, false}, {3, 4, false}, -1},
        {NUM_NE, {1, 1, false}, {1, 1, false}, -1},
        {NUM_NE, {1, 2, false}, {3, 4, false}, 1},
        {NUM_NE, {1, 2, true}, {3, 4, false}, 0},
        {NUM_LT, {1, 2, false}, {3, 4, true}, 0},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        int got = num_interval_compare(rows[i].op, rows[i].a, rows[i].b);
        if (got != rows[i].want)
            fail_msg("row %u: got %d", (unsigned)i, got);
    }
    assert_true(num_interval_disjoint(make(1, 2, false), make(3, 4, false)));
    assert_true(num_interval_disjoint(make(3, 4, false), make(1, 2, false)));
    assert_false(num_interval_disjoint(make(1, 2, false), make(2, 4, false)));
    assert_false(num_interval_disjoint(make(1, 2, true), make(3, 4, false)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unary),   cmocka_unit_test(test_binary),
        cmocka_unit_test(test_fma),     cmocka_unit_test(test_points),
        cmocka_unit_test(test_special), cmocka_unit_test(test_predicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
