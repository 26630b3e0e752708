/* SPDX-License-Identifier: Apache-2.0
 *
 * The approximations behind the elementary functions (ir/num/math_private.h):
 *  - every table entry and constant is the one nearest to its value;
 *  - every claimed error bound holds at random points and is not idle: the
 *    worst error seen is more than 2^-10 of it;
 *  - a wrong digit would be seen, by the check of the bounds and in results;
 *  - the rounding test refuses what it cannot know.
 * DC_NUM_FULL=1 draws 200000 points a function for the bounds.
 */
#include "ir/num/math_private.h"
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#define BITS 200

static const enum num_op binary_ops[] = {NUM_POW, NUM_ATAN2, NUM_HYPOT};

struct context {
    mpfr_t x, y, exact, error;
    uint64_t seed;
};

static void context_init(struct context *c, uint64_t seed)
{
    mpfr_init2(c->x, 53);
    mpfr_init2(c->y, 53);
    mpfr_init2(c->exact, BITS);
    mpfr_init2(c->error, 64);
    c->seed = seed;
}

static void context_fini(struct context *c)
{
    mpfr_clear(c->x);
    mpfr_clear(c->y);
    mpfr_clear(c->exact);
    mpfr_clear(c->error);
}

/* ---- tables ------------------------------------------------------------------ */

/* value is within half an ulp of c->exact. */
static void check_constant(struct context *c, const char *what, int i,
                           double value)
{
    if (mpfr_get_d(c->exact, MPFR_RNDN) != value)
        fail_msg("%s[%d]: got %a, want %a", what, i, value,
                 mpfr_get_d(c->exact, MPFR_RNDN));
}

static void test_tables(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 0);
    for (int j = 0; j < 64; j++) {
        mpfr_set_d(c.x, (double)j / 64, MPFR_RNDN);
        mpfr_exp2(c.exact, c.x, MPFR_RNDN);
        check_constant(&c, "exp2", j, math_exp2_table[j]);
    }
    for (int j = MATH_LOG_FIRST; j <= 52; j++) {
        mpfr_set_d(c.x, 1 + (double)j / 128, MPFR_RNDN);
        mpfr_log(c.exact, c.x, MPFR_RNDN);
        check_constant(&c, "log", j, math_log_table[j - MATH_LOG_FIRST]);
    }
    for (int j = 0; j <= 64; j++) {
        mpfr_set_d(c.x, (double)j / 64, MPFR_RNDN);
        mpfr_atan(c.exact, c.x, MPFR_RNDN);
        check_constant(&c, "atan", j, math_atan_table[j]);
        mpfr_set_d(c.x, (double)j / 16, MPFR_RNDN);
        mpfr_erf(c.exact, c.x, MPFR_RNDN);
        check_constant(&c, "erf", j, math_erf_table[j]);
        mpfr_sqr(c.exact, c.x, MPFR_RNDN);
        mpfr_neg(c.exact, c.exact, MPFR_RNDN);
        mpfr_exp(c.exact, c.exact, MPFR_RNDN);
        mpfr_t root;
        mpfr_init2(root, BITS);
        mpfr_const_pi(root, MPFR_RNDN);
        mpfr_sqrt(root, root, MPFR_RNDN);
        mpfr_div(c.exact, c.exact, root, MPFR_RNDN);
        mpfr_mul_ui(c.exact, c.exact, 2, MPFR_RNDN);
        mpfr_clear(root);
        check_constant(&c, "erf slope", j, math_erf_slope[j]);
    }
    context_fini(&c);
}

/* 2/pi word by word; the digits of pi come from MPFR. */
static void test_two_over_pi(void **state)
{
    (void)state;
    mpfr_t rest;
    mpfr_init2(rest, 400);
    mpfr_const_pi(rest, MPFR_RNDN);
    mpfr_ui_div(rest, 2, rest, MPFR_RNDN);
    for (size_t i = 0; i < DC_ARRAY_LEN(math_two_over_pi); i++) {
        unsigned long word = mpfr_get_ui(rest, MPFR_RNDZ);
        assert_int_equal(word, math_two_over_pi[i]);
        mpfr_sub_ui(rest, rest, word, MPFR_RNDN);
        mpfr_mul_2ui(rest, rest, 32, MPFR_RNDN);
    }
    mpfr_clear(rest);
}

/* Subtracts the parts but the last, which must then be the nearest double. */
static void check_parts(struct context *c, const char *what, const double *part,
                        int n)
{
    for (int i = 0; i + 1 < n; i++)
        mpfr_sub_d(c->exact, c->exact, part[i], MPFR_RNDN);
    check_constant(c, what, n - 1, part[n - 1]);
}

static int significant_bits(double value)
{
    uint64_t mantissa = double_bits(value) & UINT64_C(0xfffffffffffff);
    int n = 53;
    for (mantissa |= UINT64_C(1) << 52; (mantissa & 1) == 0; mantissa >>= 1)
        n--;
    return n;
}

static void test_constants(void **state)
{
    (void)state;
    static const double ln2_64[] = {MATH_LN2_64_HI, MATH_LN2_64_LO};
    static const double ln2[] = {MATH_LN2_HI, MATH_LN2_LO};
    static const double ln10[] = {MATH_LN10_HI, MATH_LN10_LO};
    static const double pi_2[] = {MATH_PI_2_A, MATH_PI_2_B, MATH_PI_2_C};
    static const struct {
        double value;
        int most; /* bits, so that products with integers are exact */
    } heads[] = {{MATH_LN2_64_HI, 36},
                 {MATH_LN2_HI, 42},
                 {MATH_LN10_HI, 29},
                 {MATH_PI_2_A, 33},
                 {MATH_PI_2_B, 33}};
    struct context c;
    context_init(&c, 0);
    for (size_t i = 0; i < DC_ARRAY_LEN(heads); i++)
        assert_true(significant_bits(heads[i].value) <= heads[i].most);
    mpfr_const_log2(c.exact, MPFR_RNDN);
    check_constant(&c, "ln 2", 0, MATH_LN2);
    check_parts(&c, "ln 2", ln2, 2);
    mpfr_const_log2(c.exact, MPFR_RNDN);
    mpfr_div_ui(c.exact, c.exact, 64, MPFR_RNDN);
    check_parts(&c, "ln 2/64", ln2_64, 2);
    mpfr_const_log2(c.exact, MPFR_RNDN);
    mpfr_ui_div(c.exact, 1, c.exact, MPFR_RNDN);
    check_constant(&c, "1/ln 2", 0, MATH_1_LN2);
    check_constant(&c, "64/ln 2", 0, MATH_64_LN2 / 64);
    mpfr_log_ui(c.exact, 10, MPFR_RNDN);
    check_parts(&c, "ln 10", ln10, 2);
    mpfr_log_ui(c.exact, 10, MPFR_RNDN);
    mpfr_ui_div(c.exact, 1, c.exact, MPFR_RNDN);
    check_constant(&c, "1/ln 10", 0, MATH_1_LN10);
    mpfr_set_ui(c.x, 10, MPFR_RNDN);
    mpfr_log2(c.exact, c.x, MPFR_RNDN);
    check_constant(&c, "64 log2 10", 0, MATH_64_LOG2_10 / 64);
    mpfr_const_pi(c.exact, MPFR_RNDN);
    check_constant(&c, "pi", 0, MATH_PI);
    mpfr_div_ui(c.exact, c.exact, 2, MPFR_RNDN);
    check_constant(&c, "pi/2", 0, MATH_PI_2);
    mpfr_ui_div(c.error, 1, c.exact, MPFR_RNDN);
    assert_true(mpfr_get_d(c.error, MPFR_RNDN) == MATH_2_PI);
    check_parts(&c, "pi/2", pi_2, 3);
    context_fini(&c);
}

/* ---- error bounds ------------------------------------------------------------ */

/* The error of a as a part of its bound; c->exact holds the true value. */
static double share_of_bound(struct context *c, struct math_approx a)
{
    mpfr_sub_d(c->error, c->exact, a.y, MPFR_RNDN);
    mpfr_div_d(c->error, c->error, a.y, MPFR_RNDN);
    return fabs(mpfr_get_d(c->error, MPFR_RNDN)) / a.e;
}

static bool settles_by_itself(double x)
{
    return !isfinite(x) || x == 0;
}

/* The greatest share at n random points, with every result multiplied by
 * factor. Beyond 2^-1000 and 2^1000 are the clamped ones. */
static double worst_unary(struct context *c, size_t i, unsigned n,
                          double factor)
{
    double worst = 0;
    while (n-- > 0) {
        double x = oracle_random_float(&c->seed);
        if (isnan(x))
            continue;
        struct math_approx a = math_fast_function(oracle_functions[i].op)(x);
        mpfr_set_d(c->x, x, MPFR_RNDN);
        oracle_functions[i].exact(c->exact, c->x, MPFR_RNDN);
        a.y *= factor;
        if (a.e <= 0 || settles_by_itself(a.y) || fabs(a.y) > 0x1p400 ||
            fabs(a.y) < 0x1p-400)
            continue;
        double share = share_of_bound(c, a);
        if (share > 1 && factor == 1)
            fail_msg("%s(%a): %a is outside its bound by %g",
                     num_op_name(oracle_functions[i].op), x, a.y, share);
        worst = share > worst ? share : worst;
    }
    return worst;
}

static void exact_binary(struct context *c, enum num_op op, double x, double y)
{
    mpfr_set_d(c->x, x, MPFR_RNDN);
    mpfr_set_d(c->y, y, MPFR_RNDN);
    if (op == NUM_POW)
        mpfr_pow(c->exact, c->x, c->y, MPFR_RNDN);
    else if (op == NUM_ATAN2)
        mpfr_atan2(c->exact, c->x, c->y, MPFR_RNDN);
    else
        mpfr_hypot(c->exact, c->x, c->y, MPFR_RNDN);
}

static double worst_binary(struct context *c, enum num_op op, unsigned n,
                           double factor)
{
    double worst = 0;
    while (n-- > 0) {
        double x = oracle_random_float(&c->seed),
               y = oracle_random_float(&c->seed);
        if (isnan(x) || isnan(y))
            continue;
        struct math_approx a = math_fast_function2(op)(x, y);
        a.y *= factor;
        if (a.e <= 0 || settles_by_itself(a.y) || fabs(a.y) > 0x1p400 ||
            fabs(a.y) < 0x1p-400)
            continue;
        exact_binary(c, op, x, y);
        double share = share_of_bound(c, a);
        if (share > 1 && factor == 1)
            fail_msg("%s(%a, %a): %a is outside its bound by %g",
                     num_op_name(op), x, y, a.y, share);
        worst = share > worst ? share : worst;
    }
    return worst;
}

static void test_bounds(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 1);
    unsigned n = oracle_stride(2) == 1 ? 200000 : 3000;
    for (size_t i = 1; i < oracle_function_count; i++) {
        const char *name = num_op_name(oracle_functions[i].op);
        double worst = worst_unary(&c, i, n, 1);
        print_message("%-8s worst error %.4f of the bound\n", name, worst);
        if (worst < 0x1p-10)
            fail_msg("%s: the bound is idle, %g", name, worst);
        /* 32 times the bounds' smallest: seen by any that is not idle */
        if (worst_unary(&c, i, 200, 1 + 0x1p-40) <= 1)
            fail_msg("%s: a wrong digit went unseen", name);
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(binary_ops); i++) {
        const char *name = num_op_name(binary_ops[i]);
        double worst = worst_binary(&c, binary_ops[i], n, 1);
        print_message("%-8s worst error %.4f of the bound\n", name, worst);
        if (worst < 0x1p-10)
            fail_msg("%s: the bound is idle, %g", name, worst);
        if (worst_binary(&c, binary_ops[i], 200, 1 + 0x1p-36) <= 1)
            fail_msg("%s: a wrong digit went unseen", name);
    }
    context_fini(&c);
}

/* ---- the checks can fail ----------------------------------------------------- */

/* Results of approximations whose values are wrong by 2^-27, settled under
 * their bounds, against MPFR: how many of n differ. */
static unsigned count_wrong(struct context *c, enum num_op op, unsigned n)
{
    const struct float_format *f = &float_format_fp32;
    unsigned wrong = 0;
    while (n-- > 0) {
        unsigned flags = 0;
        uint64_t bits;
        double x = oracle_random_float(&c->seed);
        if (isnan(x))
            continue;
        struct math_approx a = math_fast_function(op)(x);
        a.y *= 1 + 0x1p-27;
        if (a.e > 0 && math_settle(f, a, &bits, &flags) &&
            bits != math_mpfr_unary(op, f, x, &flags))
            wrong++;
    }
    return wrong;
}

static void test_wrong_digit_is_seen(void **state)
{
    (void)state;
    struct context c;
    context_init(&c, 4);
    for (size_t i = 1; i < oracle_function_count; i++) {
        enum num_op op = oracle_functions[i].op;
        if (count_wrong(&c, op, 3000) == 0)
            fail_msg("%s: 3000 points do not see an error of 2^-27",
                     num_op_name(op));
    }
    context_fini(&c);
}

/* The rounding test refuses an interval that holds a middle, and for pow one
 * that holds a float. */
static void test_settle(void **state)
{
    (void)state;
    static const struct {
        double y, e;
        bool may_be_exact, settled;
    } rows[] = {
        {0x1.000001p0, 0x1p-50, false, false}, /* the middle itself */
        {0x1.0000010000001p0, 0x1p-51, false, false},
        {0x1.0000010000008p0, 0x1p-50, false, true},
        {0x1.000002p0, 0x1p-50, false, true},
        {0x1.000002p0, 0x1p-50, true, false},
        {1, 0x1p-50, true, true},          /* known to be inexact */
        {0x1p-150, 0x1p-50, false, false}, /* half the smallest */
        {0x1.0000001p-150, 0x1p-50, false, true},
        {0x1.ffffffp127, 0x1p-50, false, false}, /* overflow begins */
        {0x1p200, 0x1p-50, true, true},
        {0, -1, false, false},
        {0x1.000001p0, 0, false, true}, /* exact */
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct math_approx a = {rows[i].y, rows[i].e, rows[i].may_be_exact};
        unsigned flags = 0;
        uint64_t bits;
        bool settled = math_settle(&float_format_fp32, a, &bits, &flags);
        if (settled != rows[i].settled)
            fail_msg("%a within %a: settled %d", a.y, a.e, settled);
        assert_int_equal(flags, settled ? NUM_INEXACT : 0);
    }
}

static int setup(void **state)
{
    (void)state;
    oracle_setup();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    oracle_teardown();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_two_over_pi),
        cmocka_unit_test(test_constants),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_wrong_digit_is_seen),
        cmocka_unit_test(test_settle),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
