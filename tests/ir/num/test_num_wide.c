/* SPDX-License-Identifier: Apache-2.0
 *
 * fp32 and fp64 against MPFR with enough bits to be exact: random operands of
 * four kinds (any pattern, near one, tiny, small integers, where results are
 * often exact), the boundary set in pairs, and constructed hard cases. Every
 * comparison includes NUM_INEXACT: overflow and underflow must set it, exact
 * subnormal results must not.
 */
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <math.h>

/* Sums of doubles need 2100 bits, fma twice that. */
#define EXACT_BITS   4400
#define MAX_BOUNDARY 128

static const enum num_op arithmetic[] = {NUM_ADD, NUM_SUB, NUM_MUL, NUM_DIV};

struct context {
    mpfr_t exact, second;
    uint64_t seed;
};

static void true_arith(struct context *c, enum num_op op, double x, double y)
{
    /* 200 bits settle a quotient of 53-bit numbers: if it is not exact in
     * 108 bits it differs from every midpoint by more than 2^-108. */
    mpfr_set_prec(c->exact, op == NUM_DIV ? 200 : 2200);
    mpfr_set_d(c->exact, x, MPFR_RNDN);
    mpfr_set_d(c->second, y, MPFR_RNDN);
    if (op == NUM_ADD)
        mpfr_add(c->exact, c->exact, c->second, MPFR_RNDN);
    else if (op == NUM_SUB)
        mpfr_sub(c->exact, c->exact, c->second, MPFR_RNDN);
    else if (op == NUM_MUL)
        mpfr_mul(c->exact, c->exact, c->second, MPFR_RNDN);
    else
        mpfr_div(c->exact, c->exact, c->second, MPFR_RNDN);
}

static void check_flags(const struct oracle *o, const char *what, uint64_t a,
                        uint64_t b, unsigned flags, bool inexact)
{
    if (flags != (inexact ? NUM_INEXACT : 0U))
        fail_msg("%s %s(%#llx, %#llx): flags %u, inexact %d", o->name, what,
                 (unsigned long long)a, (unsigned long long)b, flags, inexact);
}

static void check_arith(struct context *c, const struct oracle *o, uint64_t a,
                        uint64_t b)
{
    double x = oracle_decode(o, a), y = oracle_decode(o, b);
    for (size_t i = 0; i < DC_ARRAY_LEN(arithmetic); i++) {
        enum num_op op = arithmetic[i];
        unsigned flags = 0;
        bool inexact;
        true_arith(c, op, x, y);
        uint64_t want = oracle_round(o, c->exact, &inexact);
        uint64_t got = num_binary(op, o->type, a, b, &flags);
        oracle_expect(o, num_op_name(op), a, b, 0, got, want);
        check_flags(o, num_op_name(op), a, b, flags, inexact);
    }
}

static void check_sqrt(struct context *c, const struct oracle *o, uint64_t a)
{
    unsigned flags = 0;
    bool inexact;
    mpfr_set_prec(c->exact, 200);
    mpfr_set_d(c->second, oracle_decode(o, a), MPFR_RNDN);
    mpfr_sqrt(c->exact, c->second, MPFR_RNDN);
    uint64_t want = oracle_round(o, c->exact, &inexact);
    uint64_t got = num_unary(NUM_SQRT, o->type, a, &flags);
    oracle_expect(o, "sqrt", a, 0, 0, got, want);
    check_flags(o, "sqrt", a, 0, flags, inexact);
}

static void check_fma(struct context *c, const struct oracle *o, uint64_t a,
                      uint64_t b, uint64_t d)
{
    double x = oracle_decode(o, a), y = oracle_decode(o, b);
    double z = oracle_decode(o, d);
    unsigned flags = 0;
    bool inexact;
    mpfr_set_prec(c->exact, EXACT_BITS);
    mpfr_set_d(c->exact, x, MPFR_RNDN);
    mpfr_mul_d(c->exact, c->exact, y, MPFR_RNDN);
    if (mpfr_zero_p(c->exact) && z == 0) /* IEEE's signs of zero */
        mpfr_set_d(c->exact, x * y + z, MPFR_RNDN);
    else
        mpfr_add_d(c->exact, c->exact, z, MPFR_RNDN);
    uint64_t want = oracle_round(o, c->exact, &inexact);
    uint64_t got = num_fma(o->type, a, b, d, &flags);
    oracle_expect(o, "fma", a, b, d, got, want);
    if (isfinite(x) && isfinite(y) && isfinite(z))
        check_flags(o, "fma", a, b, flags, inexact);
}

static uint64_t random_operand(struct context *c, const struct oracle *o)
{
    uint64_t r = oracle_random(&c->seed), kind = oracle_random(&c->seed) % 5;
    uint64_t mask = o->bits == 64 ? ~UINT64_C(0) : 0xffffffff;
    uint64_t one = (uint64_t)o->bias << o->mantissa_bits;
    uint64_t sign = (r & 1) << (o->bits - 1);
    int keep = o->mantissa_bits;
    if (kind == 0)
        return r & mask;
    if (kind == 1) /* around one, all bits random */
        return sign | (one + (r >> 8 & ((UINT64_C(4) << keep) - 1)));
    if (kind == 2) /* subnormal and just above */
        return sign | (r >> 8 & ((UINT64_C(2) << keep) - 1));
    if (kind == 3) { /* few significant bits, any exponent */
        uint64_t top = r & mask;
        return top >> (keep - 4) << (keep - 4);
    }
    unsigned flags = 0;
    return num_from_int(o->type, (int64_t)(r >> 8 & 0xffff) - 0x8000, &flags);
}

static void check_near(struct context *c, const struct oracle *o, uint64_t a,
                       uint64_t b)
{
    unsigned ignored = 0;
    uint64_t product = num_binary(NUM_MUL, o->type, a, b, &ignored);
    product = num_unary(NUM_NEG, o->type, product, &ignored);
    check_fma(c, o, a, b, product); /* the error of the product itself */
    uint64_t quotient = num_binary(NUM_DIV, o->type, a, b, &ignored);
    uint64_t minus = num_unary(NUM_NEG, o->type, a, &ignored);
    check_fma(c, o, quotient, b, minus); /* the remainder */
}

static void check_format(const struct oracle *o)
{
    struct context c = {.seed = 11};
    uint64_t boundary[MAX_BOUNDARY];
    size_t n = oracle_boundary(o, boundary, MAX_BOUNDARY);
    mpfr_init2(c.exact, EXACT_BITS);
    mpfr_init2(c.second, 53);
    for (size_t i = 0; i < n; i++) {
        check_sqrt(&c, o, boundary[i]);
        for (size_t j = 0; j < n; j++) {
            uint64_t other = random_operand(&c, o);
            check_arith(&c, o, boundary[i], boundary[j]);
            check_fma(&c, o, boundary[i], boundary[j], other);
            check_near(&c, o, boundary[i], boundary[j]);
        }
    }
    unsigned count = oracle_stride(2) == 1 ? 2000000 : 30000;
    for (unsigned k = 0; k < count; k++) {
        uint64_t a = random_operand(&c, o), b = random_operand(&c, o);
        check_arith(&c, o, a, b);
        check_sqrt(&c, o, a);
        check_fma(&c, o, a, b, random_operand(&c, o));
        check_near(&c, o, a, b);
    }
    mpfr_clear(c.exact);
    mpfr_clear(c.second);
}

static void test_fp32(void **state)
{
    (void)state;
    check_format(&oracle_fp32);
}

static void test_fp64(void **state)
{
    (void)state;
    check_format(&oracle_fp64);
}

static const struct {
    const char *what;
    enum num_op op;
    double a, b, want;
    unsigned flags;
} hard[] = {
    {"tie to even up", NUM_ADD, 0x1p53, 3, 0x1.0000000000002p53, NUM_INEXACT},
    {"tie to even down", NUM_ADD, 0x1p53, 1, 0x1p53, NUM_INEXACT},
    {"just above a tie", NUM_ADD, 0x1.0000000000001p53, 1, 0x1.0000000000002p53,
     NUM_INEXACT},
    {"overflow at the half", NUM_ADD, DBL_MAX, 0x1p970, HUGE_VAL, NUM_INEXACT},
    {"below the half", NUM_ADD, DBL_MAX, 0x1.fffffffffffffp969, DBL_MAX,
     NUM_INEXACT},
    {"exact with both huge", NUM_SUB, DBL_MAX, DBL_MAX, 0, 0},
    {"exact subnormal product", NUM_MUL, 0x1p-1000, 0x1p-74, 0x1p-1074, 0},
    {"half the smallest", NUM_MUL, 0x1p-1000, 0x1p-75, 0, NUM_INEXACT},
    {"more than half", NUM_MUL, 0x1.8p-1000, 0x1p-75, 0x1p-1074, NUM_INEXACT},
    {"exact subnormal quotient", NUM_DIV, 0x1p-1070, 16, 0x1p-1074, 0},
    {"lost by underflow", NUM_DIV, 0x1p-1070, 0x1.8p6, 0, NUM_INEXACT},
    {"by zero is not a rounding", NUM_DIV, 1, 0, HUGE_VAL, 0},
    {"by infinity is exact", NUM_DIV, 1, HUGE_VAL, 0, 0},
    {"modulo is exact", NUM_MOD, 1e300, 3e-300, 0, 0},
    {"floored quotient", NUM_FLOORDIV, -7, 2, -4, NUM_FMA},
    {"floored remainder", NUM_FLOORMOD, -7, 2, 1, NUM_FMA},
};

static void test_hard(void **state)
{
    (void)state;
    struct dtype t = oracle_fp64.type;
    for (size_t i = 0; i < DC_ARRAY_LEN(hard); i++) {
        unsigned flags = 0, ignored = 0;
        uint64_t a = num_from_double(t, hard[i].a, &ignored);
        uint64_t b = num_from_double(t, hard[i].b, &ignored);
        uint64_t got = num_binary(hard[i].op, t, a, b, &flags);
        double want = hard[i].want;
        if (hard[i].op == NUM_MOD)
            want = fmod(hard[i].a, hard[i].b);
        if (num_to_double(t, got) != want)
            fail_msg("%s: got %a", hard[i].what, num_to_double(t, got));
        if (hard[i].op != NUM_FLOORDIV && hard[i].op != NUM_FLOORMOD)
            assert_int_equal(flags, hard[i].flags);
    }
}

/* a > b ? a : b and a < b ? a : b: the second on NaN and on equal zeros. */
static void test_min_max_compare(void **state)
{
    (void)state;
    for (size_t f = 0; f < 6; f++) {
        const struct oracle *o = oracle_all[f];
        uint64_t v[MAX_BOUNDARY];
        size_t n = oracle_boundary(o, v, MAX_BOUNDARY);
        for (size_t i = 0; i < n * n; i++) {
            uint64_t a = v[i / n], b = v[i % n];
            double x = oracle_decode(o, a), y = oracle_decode(o, b);
            uint64_t b_or_nan = isnan(y) ? o->nan : b;
            const struct {
                enum num_op op;
                uint64_t want;
            } rows[] = {
                {NUM_MAX, x > y ? a : b_or_nan},
                {NUM_MIN, x < y ? a : b_or_nan},
                {NUM_EQ, x == y},
                {NUM_NE, x != y},
                {NUM_LT, x < y},
                {NUM_LE, x <= y},
                {NUM_GT, x > y},
                {NUM_GE, x >= y},
            };
            for (size_t k = 0; k < DC_ARRAY_LEN(rows); k++) {
                unsigned flags = 0;
                uint64_t got = num_binary(rows[k].op, o->type, a, b, &flags);
                oracle_expect(o, num_op_name(rows[k].op), a, b, 0, got,
                              rows[k].want);
                assert_int_equal(flags, 0);
            }
        }
    }
}

/* Two-argument functions and what C says of their special values. */
static void test_binary_functions(void **state)
{
    (void)state;
    mpfr_t exact, first, second;
    uint64_t seed = 5;
    mpfr_init2(exact, 400);
    mpfr_init2(first, 53);
    mpfr_init2(second, 53);
    for (size_t f = 0; f < 6; f++) {
        const struct oracle *o = oracle_all[f];
        uint64_t v[MAX_BOUNDARY];
        size_t n = oracle_boundary(o, v, MAX_BOUNDARY);
        for (unsigned k = 0; k < 1500; k++) {
            uint64_t r = oracle_random(&seed);
            uint64_t a = v[r % n], b = v[(r >> 32) % n];
            unsigned flags = 0;
            bool inexact;
            mpfr_set_d(first, oracle_decode(o, a), MPFR_RNDN);
            mpfr_set_d(second, oracle_decode(o, b), MPFR_RNDN);
            mpfr_set_prec(exact, 400);
            oracle_nudge(exact, mpfr_pow(exact, first, second, MPFR_RNDN));
            uint64_t want = oracle_round(o, exact, &inexact);
            uint64_t got = num_binary(NUM_POW, o->type, a, b, &flags);
            oracle_expect(o, "pow", a, b, 0, got, want);
            mpfr_set_prec(exact, 400);
            oracle_nudge(exact, mpfr_atan2(exact, first, second, MPFR_RNDN));
            want = oracle_round(o, exact, &inexact);
            got = num_binary(NUM_ATAN2, o->type, a, b, &flags);
            oracle_expect(o, "atan2", a, b, 0, got, want);
            mpfr_set_prec(exact, 400);
            oracle_nudge(exact, mpfr_hypot(exact, first, second, MPFR_RNDN));
            want = oracle_round(o, exact, &inexact);
            got = num_binary(NUM_HYPOT, o->type, a, b, &flags);
            oracle_expect(o, "hypot", a, b, 0, got, want);
            int power = (int)(r >> 40 & 0xff) - 128;
            mpfr_mul_2si(exact, first, power, MPFR_RNDN);
            want = oracle_round(o, exact, &inexact);
            got = num_binary(NUM_LDEXP, o->type, a, (uint64_t)(int64_t)power,
                             &flags);
            oracle_expect(o, "ldexp", a, (uint64_t)power, 0, got, want);
            mpfr_set_prec(exact, 2200);
            mpfr_fmod(exact, first, second, MPFR_RNDN);
            want = oracle_round(o, exact, &inexact);
            got = num_binary(NUM_FMOD, o->type, a, b, &flags);
            oracle_expect(o, "fmod", a, b, 0, got, want);
        }
    }
    mpfr_clear(exact);
    mpfr_clear(first);
    mpfr_clear(second);
}

/* fp32 and fp64 functions at random points; 400 bits and a nudge settle
 * which side of a midpoint they are on. */
static void test_functions(void **state)
{
    (void)state;
    struct context c = {.seed = 3};
    mpfr_init2(c.exact, 400);
    mpfr_init2(c.second, 53);
    for (unsigned k = 0; k < 600; k++) {
        const struct oracle *o = k % 2 == 0 ? &oracle_fp32 : &oracle_fp64;
        uint64_t a = random_operand(&c, o);
        for (size_t i = 0; i < oracle_function_count; i++) {
            enum num_op op = oracle_functions[i].op;
            unsigned flags = 0;
            bool inexact;
            if (op == NUM_SQRT || op == NUM_RSQRT || op == NUM_SIGMOID)
                continue; /* have tests of their own */
            mpfr_set_d(c.second, oracle_decode(o, a), MPFR_RNDN);
            mpfr_set_prec(c.exact, 400);
            oracle_nudge(c.exact, oracle_functions[i].exact(c.exact, c.second,
                                                            MPFR_RNDN));
            uint64_t want = oracle_round(o, c.exact, &inexact);
            uint64_t got = num_unary(op, o->type, a, &flags);
            oracle_expect(o, num_op_name(op), a, 0, 0, got, want);
        }
    }
    mpfr_clear(c.exact);
    mpfr_clear(c.second);
}

static void test_sigmoid_rsqrt(void **state)
{
    (void)state;
    struct context c = {.seed = 9};
    mpfr_init2(c.exact, 2000);
    mpfr_init2(c.second, 53);
    for (unsigned k = 0; k < 3000; k++) {
        const struct oracle *o = k % 2 == 0 ? &oracle_fp32 : &oracle_fp64;
        uint64_t a = random_operand(&c, o);
        double x = oracle_decode(o, a);
        unsigned flags = 0;
        bool inexact;
        mpfr_set_d(c.exact, -x, MPFR_RNDN);
        mpfr_exp(c.exact, c.exact, MPFR_RNDN);
        mpfr_add_ui(c.exact, c.exact, 1, MPFR_RNDN);
        mpfr_ui_div(c.exact, 1, c.exact, MPFR_RNDN);
        uint64_t want = oracle_round(o, c.exact, &inexact);
        uint64_t got = num_unary(NUM_SIGMOID, o->type, a, &flags);
        oracle_expect(o, "sigmoid", a, 0, 0, got, want);
        mpfr_set_d(c.second, x, MPFR_RNDN);
        mpfr_sqrt(c.exact, c.second, MPFR_RNDN);
        mpfr_ui_div(c.exact, 1, c.exact, MPFR_RNDN);
        want = oracle_round(o, c.exact, &inexact);
        got = num_unary(NUM_RSQRT, o->type, a, &flags);
        oracle_expect(o, "rsqrt", a, 0, 0, got, want);
    }
    mpfr_clear(c.exact);
    mpfr_clear(c.second);
}

/* fp64 to every other format, next to midpoints and at random. */
static void test_narrowing(void **state)
{
    (void)state;
    struct context c = {.seed = 21};
    mpfr_init2(c.exact, 53);
    mpfr_init2(c.second, 53);
    for (unsigned k = 0; k < 20000; k++) {
        uint64_t a = random_operand(&c, &oracle_fp64);
        double x = oracle_decode(&oracle_fp64, a);
        mpfr_set_d(c.exact, x, MPFR_RNDN);
        for (size_t i = 0; i < oracle_count; i++) {
            const struct oracle *o = oracle_all[i];
            unsigned flags = 0;
            bool inexact;
            uint64_t want = oracle_round(o, c.exact, &inexact);
            uint64_t got = num_cast(oracle_fp64.type, o->type, a, &flags);
            if (isnan(x))
                want = o->nan;
            oracle_expect(o, "narrowed", a, 0, 0, got, want);
            if (isfinite(x))
                check_flags(o, "narrowed", a, 0, flags, inexact);
        }
    }
    mpfr_clear(c.exact);
    mpfr_clear(c.second);
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
        cmocka_unit_test(test_fp32),
        cmocka_unit_test(test_fp64),
        cmocka_unit_test(test_hard),
        cmocka_unit_test(test_min_max_compare),
        cmocka_unit_test(test_binary_functions),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_sigmoid_rsqrt),
        cmocka_unit_test(test_narrowing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
