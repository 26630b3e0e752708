/* SPDX-License-Identifier: Apache-2.0
 *
 * fp16, bf16 and the eight-bit formats, exhaustively where it can be paid for:
 * fp16 + - * / of every value with a boundary set of more than 100, all pairs
 * of fp8 values. bf16 arithmetic and the
 * elementary functions go in strides, which DC_NUM_FULL=1 in the environment
 * removes (half a minute optimised). Exact results come as double (fp16, fp8:
 * sums and products are exact there), by cross-multiplication (division), or
 * from MPFR with enough bits to be exact.
 */
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <math.h>

#define MAX_BOUNDARY 128

static const enum num_op arithmetic[] = {NUM_ADD, NUM_SUB, NUM_MUL, NUM_DIV};

struct quotient {
    double x, y; /* magnitudes, y > 0 */
};

/* |x/y| against bound: x against bound * y, exact for 12-bit bounds. */
static int compare_quotient(const void *context, double bound)
{
    const struct quotient *q = context;
    double product = bound * q->y;
    return (q->x > product) - (q->x < product);
}

/* The true result for formats whose sums are exact in double. */
static uint64_t true_arith(const struct oracle *o, enum num_op op, double x,
                           double y, bool *inexact)
{
    *inexact = false;
    if (op == NUM_DIV && isfinite(x) && isfinite(y) && y != 0) {
        struct quotient q = {fabs(x), fabs(y)};
        bool negative = (signbit(x) != 0) != (signbit(y) != 0);
        return oracle_round_by(o, negative, compare_quotient, &q, inexact);
    }
    double exact = op == NUM_ADD   ? x + y
                   : op == NUM_SUB ? x - y
                   : op == NUM_MUL ? x * y
                                   : x / y;
    return oracle_round_double(o, exact, inexact);
}

static void check_pair(const struct oracle *o, uint64_t a, uint64_t b)
{
    double x = oracle_decode(o, a), y = oracle_decode(o, b);
    for (size_t i = 0; i < DC_ARRAY_LEN(arithmetic); i++) {
        enum num_op op = arithmetic[i];
        unsigned flags = 0;
        bool inexact;
        uint64_t want = true_arith(o, op, x, y, &inexact);
        uint64_t got = num_binary(op, o->type, a, b, &flags);
        oracle_expect(o, num_op_name(op), a, b, 0, got, want);
        bool regular = isfinite(x) && isfinite(y) && (op != NUM_DIV || y != 0);
        if (regular && flags != (inexact ? NUM_INEXACT : 0U))
            fail_msg("%s %s(%#x, %#x): flags %u", o->name, num_op_name(op),
                     (unsigned)a, (unsigned)b, flags);
    }
}

static void test_fp16_arith(void **state)
{
    (void)state;
    uint64_t boundary[MAX_BOUNDARY];
    size_t n = oracle_boundary(&oracle_fp16, boundary, MAX_BOUNDARY);
    assert_true(n >= 100);
    for (size_t i = 0; i < n; i++) {
        for (uint64_t a = 0; a < 0x10000; a++)
            check_pair(&oracle_fp16, a, boundary[i]);
    }
}

static void test_fp8_arith(void **state)
{
    (void)state;
    for (uint64_t a = 0; a < 256; a++) {
        for (uint64_t b = 0; b < 256; b++) {
            check_pair(&oracle_e4m3fn, a, b);
            check_pair(&oracle_e5m2, a, b);
        }
    }
}

/* Exact result of op by MPFR with so many bits that nothing rounds; division
 * gets 200, where quotients of 8-bit significands cannot hide. */
static void exact_arith(mpfr_ptr out, enum num_op op, double x, double y)
{
    mpfr_t second;
    mpfr_init2(second, 53);
    mpfr_set_d(out, x, MPFR_RNDN);
    mpfr_set_d(second, y, MPFR_RNDN);
    if (op == NUM_ADD)
        mpfr_add(out, out, second, MPFR_RNDN);
    else if (op == NUM_SUB)
        mpfr_sub(out, out, second, MPFR_RNDN);
    else if (op == NUM_MUL)
        mpfr_mul(out, out, second, MPFR_RNDN);
    else
        mpfr_div(out, out, second, MPFR_RNDN);
    mpfr_clear(second);
}

static void test_bf16_arith(void **state)
{
    (void)state;
    uint64_t boundary[MAX_BOUNDARY];
    const struct oracle *o = &oracle_bf16;
    size_t n = oracle_boundary(o, boundary, MAX_BOUNDARY);
    unsigned stride = oracle_stride(101);
    mpfr_t exact;
    mpfr_init2(exact, 400);
    for (size_t i = 0; i < n; i++) {
        for (uint64_t a = i; a < 0x10000; a += stride) {
            double x = oracle_decode(o, a), y = oracle_decode(o, boundary[i]);
            enum num_op op = arithmetic[(a / stride + i) % 4];
            unsigned flags = 0;
            bool inexact;
            exact_arith(exact, op, x, y);
            uint64_t want = oracle_round(o, exact, &inexact);
            uint64_t got = num_binary(op, o->type, a, boundary[i], &flags);
            oracle_expect(o, num_op_name(op), a, boundary[i], 0, got, want);
            assert_int_equal(flags, inexact ? NUM_INEXACT : 0);
        }
    }
    mpfr_clear(exact);
}

static void check_fma(const struct oracle *o, mpfr_ptr exact, uint64_t a,
                      uint64_t b, uint64_t c)
{
    unsigned flags = 0;
    bool inexact;
    double x = oracle_decode(o, a), y = oracle_decode(o, b);
    double z = oracle_decode(o, c);
    mpfr_set_d(exact, x, MPFR_RNDN);
    mpfr_mul_d(exact, exact, y, MPFR_RNDN);
    if (mpfr_zero_p(exact)) /* keep the sign rules of IEEE for zeros */
        mpfr_set_d(exact, x * y + z, MPFR_RNDN);
    else
        mpfr_add_d(exact, exact, z, MPFR_RNDN);
    uint64_t want = oracle_round(o, exact, &inexact);
    uint64_t got = num_fma(o->type, a, b, c, &flags);
    oracle_expect(o, "fma", a, b, c, got, want);
    if (isfinite(x) && isfinite(y) && isfinite(z))
        assert_int_equal(flags, inexact ? NUM_INEXACT : 0);
}

static void test_fma(void **state)
{
    (void)state;
    struct oracle *const formats[] = {&oracle_fp16, &oracle_bf16,
                                      &oracle_e4m3fn, &oracle_e5m2};
    uint64_t seed = 1;
    mpfr_t exact;
    mpfr_init2(exact, 900);
    for (size_t i = 0; i < DC_ARRAY_LEN(formats); i++) {
        const struct oracle *o = formats[i];
        uint64_t boundary[MAX_BOUNDARY], mask = (UINT64_C(1) << o->bits) - 1;
        size_t n = oracle_boundary(o, boundary, MAX_BOUNDARY);
        unsigned count = oracle_stride(2) == 1 ? 2000000 : 60000;
        for (unsigned k = 0; k < count; k++) {
            uint64_t r = oracle_random(&seed);
            uint64_t a = r & mask, b = boundary[(r >> 16) % n];
            uint64_t c =
                (r >> 24 & 1) != 0 ? boundary[(r >> 25) % n] : r >> 40 & mask;
            check_fma(o, exact, a, b, c);
            /* c near -a*b, where the sum cancels */
            unsigned ignored = 0;
            uint64_t near = num_binary(NUM_MUL, o->type, a, b, &ignored);
            near = num_unary(NUM_NEG, o->type, near, &ignored);
            check_fma(o, exact, a, b, near);
        }
    }
    mpfr_clear(exact);
}

static void check_function(const struct oracle *o, size_t i, uint64_t a,
                           mpfr_ptr exact, mpfr_ptr in)
{
    unsigned flags = 0;
    bool inexact;
    mpfr_set_d(in, oracle_decode(o, a), MPFR_RNDN);
    int ternary = oracle_functions[i].exact(exact, in, MPFR_RNDN);
    uint64_t want = oracle_round(o, exact, &inexact);
    uint64_t got = num_unary(oracle_functions[i].op, o->type, a, &flags);
    oracle_expect(o, num_op_name(oracle_functions[i].op), a, 0, 0, got, want);
    if (isfinite(oracle_decode(o, a)) && !mpfr_inf_p(exact) &&
        !mpfr_nan_p(exact) && (flags != 0) != (inexact || ternary != 0))
        fail_msg("%s %s(%#x): flags %u", o->name,
                 num_op_name(oracle_functions[i].op), (unsigned)a, flags);
}

/* 200 bits are enough: no function value of these formats is so near to a
 * midpoint but the exact ones, and sigmoid near 1, which rounds to 1. */
static void test_functions(void **state)
{
    (void)state;
    struct oracle *const formats[] = {&oracle_fp16, &oracle_bf16,
                                      &oracle_e4m3fn, &oracle_e5m2};
    unsigned stride = oracle_stride(19);
    mpfr_t exact, in;
    mpfr_init2(in, 53);
    mpfr_init2(exact, 200);
    for (size_t f = 0; f < DC_ARRAY_LEN(formats); f++) {
        const struct oracle *o = formats[f];
        uint64_t end = UINT64_C(1) << o->bits;
        uint64_t boundary[MAX_BOUNDARY];
        size_t n = oracle_boundary(o, boundary, MAX_BOUNDARY);
        for (size_t i = 0; i < oracle_function_count; i++) {
            uint64_t start = i % stride;
            for (uint64_t a = start; a<end; a += end> 256 ? stride : 1)
                check_function(o, i, a, exact, in);
            for (size_t k = 0; k < n; k++)
                check_function(o, i, boundary[k], exact, in);
        }
    }
    mpfr_clear(exact);
    mpfr_clear(in);
}

/* All 65536 square roots: the cheapest function, so without stride. */
static void test_sqrt_all(void **state)
{
    (void)state;
    mpfr_t exact, in;
    mpfr_init2(in, 53);
    mpfr_init2(exact, 200);
    for (uint64_t a = 0; a < 0x10000; a++) {
        check_function(&oracle_fp16, 0, a, exact, in);
        check_function(&oracle_bf16, 0, a, exact, in);
    }
    mpfr_clear(exact);
    mpfr_clear(in);
}

/* neg, abs, classes, copysign and nextafter: all values, and for the last two
 * all second operands of the boundary set. nextafter is a step in the list of
 * values; NaN operands have no sign and no payload. */
static void check_signs(const struct oracle *o, uint64_t a)
{
    uint64_t sign = UINT64_C(1) << (o->bits - 1);
    bool nan = oracle_is_nan(o, a);
    double x = oracle_decode(o, a);
    const struct {
        enum num_op op;
        uint64_t want;
    } rows[] = {
        {NUM_NEG, nan ? o->nan : a ^ sign},
        {NUM_ABS, nan ? o->nan : a & ~sign},
        {NUM_ISNAN, isnan(x) ? 1U : 0U},
        {NUM_ISINF, isinf(x) ? 1U : 0U},
        {NUM_ISFINITE, isfinite(x) ? 1U : 0U},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        unsigned flags = 0;
        uint64_t got = num_unary(rows[i].op, o->type, a, &flags);
        oracle_expect(o, num_op_name(rows[i].op), a, 0, 0, got, rows[i].want);
        assert_int_equal(flags, 0);
    }
}

static uint64_t true_next(const struct oracle *o, uint64_t a, uint64_t b)
{
    uint64_t sign = UINT64_C(1) << (o->bits - 1);
    double x = oracle_decode(o, a), y = oracle_decode(o, b);
    if (isnan(x) || isnan(y))
        return o->nan;
    if (x == y)
        return b;
    int64_t place = (int64_t)(a & ~sign);
    place = (a & sign) != 0 ? -place : place;
    place += x < y ? 1 : -1;
    uint64_t code = (uint64_t)(place < 0 ? -place : place);
    if (code == o->max + 1 && o->overflow == o->nan)
        return o->nan;
    bool negative = place < 0 || (place == 0 && (a & sign) != 0);
    return negative ? code | sign : code;
}

static void test_bit_operations(void **state)
{
    (void)state;
    struct oracle *const formats[] = {&oracle_fp16, &oracle_bf16,
                                      &oracle_e4m3fn, &oracle_e5m2};
    for (size_t f = 0; f < DC_ARRAY_LEN(formats); f++) {
        const struct oracle *o = formats[f];
        uint64_t boundary[MAX_BOUNDARY], end = UINT64_C(1) << o->bits;
        size_t n = oracle_boundary(o, boundary, MAX_BOUNDARY);
        for (uint64_t a = 0; a < end; a++) {
            uint64_t b = boundary[a % n], rest = a & (end / 2 - 1);
            unsigned flags = 0;
            check_signs(o, a);
            bool negative = !oracle_is_nan(o, b) && (b & end / 2) != 0;
            uint64_t want = negative ? rest | end / 2 : rest;
            uint64_t got = num_binary(NUM_COPYSIGN, o->type, a, b, &flags);
            want = oracle_is_nan(o, a) ? o->nan : want;
            oracle_expect(o, "copysign", a, b, 0, got, want);
            got = num_binary(NUM_NEXTAFTER, o->type, a, b, &flags);
            oracle_expect(o, "nextafter", a, b, 0, got, true_next(o, a, b));
            assert_int_equal(flags, 0);
        }
    }
}

static uint64_t step(const struct oracle *o, enum num_op op, double x, double y)
{
    bool inexact;
    return true_arith(o, op, x, y, &inexact);
}

/* FLOORDIV and FLOORMOD round after every step of a - floor(a / b) * b. */
static void test_floor_operations(void **state)
{
    (void)state;
    struct oracle *const formats[] = {&oracle_fp16, &oracle_e4m3fn,
                                      &oracle_e5m2};
    uint64_t seed = 6;
    for (size_t f = 0; f < DC_ARRAY_LEN(formats); f++) {
        const struct oracle *o = formats[f];
        uint64_t mask = (UINT64_C(1) << o->bits) - 1;
        for (unsigned k = 0; k < 50000; k++) {
            uint64_t r = oracle_random(&seed), a = r & mask, b = r >> 32 & mask;
            unsigned flags = 0;
            double x = oracle_decode(o, a), y = oracle_decode(o, b);
            double whole = floor(oracle_decode(o, step(o, NUM_DIV, x, y)));
            double product = oracle_decode(o, step(o, NUM_MUL, whole, y));
            uint64_t got = num_binary(NUM_FLOORDIV, o->type, a, b, &flags);
            oracle_expect(o, "floordiv", a, b, 0, got,
                          step(o, NUM_MUL, whole, 1));
            got = num_binary(NUM_FLOORMOD, o->type, a, b, &flags);
            oracle_expect(o, "floormod", a, b, 0, got,
                          step(o, NUM_SUB, x, product));
        }
    }
}

static void test_no_rule(void **state)
{
    (void)state;
    static const enum num_op ops[] = {
        NUM_BITNOT, NUM_NOT,    NUM_POPCOUNT, NUM_CLZ, NUM_AND,
        NUM_OR,     NUM_BITAND, NUM_BITXOR,   NUM_SHL, NUM_SHR};
    for (size_t i = 0; i < DC_ARRAY_LEN(ops); i++) {
        unsigned flags = 0;
        uint64_t got = ops[i] < NUM_ADD
                           ? num_unary(ops[i], oracle_fp16.type, 1, &flags)
                           : num_binary(ops[i], oracle_fp16.type, 1, 1, &flags);
        assert_int_equal(got, 0);
        assert_int_equal(flags, NUM_NO_RULE);
    }
    unsigned flags = 0;
    num_fma(DTYPE_INT32, 1, 1, 1, &flags);
    assert_int_equal(flags, NUM_NO_RULE);
    flags = 0;
    num_unary(NUM_EXP, DTYPE_HANDLE, 1, &flags);
    assert_int_equal(flags, NUM_NO_RULE);
}

/* Half away from zero, half to even, …, found by comparing with integers. */
static double true_integer(enum num_op op, double x)
{
    double below = x, rest;
    if (!isfinite(x) || fabs(x) >= 0x1p30)
        return x;
    below = (double)(int64_t)x;
    if (below > x)
        below -= 1;
    rest = x - below;
    bool up = false;
    bool even = (int64_t)below % 2 == 0;
    switch ((int)op) {
    case NUM_CEIL: up = rest > 0; break;
    case NUM_TRUNC: up = rest > 0 && x < 0; break;
    case NUM_ROUND: up = rest > 0.5 || (rest == 0.5 && x > 0); break;
    case NUM_NEARBYINT: up = rest > 0.5 || (rest == 0.5 && !even); break;
    default: break;
    }
    return copysign(up ? below + 1 : below, x);
}

static void test_to_integer(void **state)
{
    (void)state;
    static const enum num_op ops[] = {NUM_FLOOR, NUM_CEIL, NUM_TRUNC, NUM_ROUND,
                                      NUM_NEARBYINT};
    struct oracle *const formats[] = {&oracle_fp16, &oracle_bf16,
                                      &oracle_e4m3fn, &oracle_e5m2};
    for (size_t f = 0; f < DC_ARRAY_LEN(formats); f++) {
        const struct oracle *o = formats[f];
        for (uint64_t a = 0; a < UINT64_C(1) << o->bits; a++) {
            double x = oracle_decode(o, a);
            for (size_t i = 0; i < DC_ARRAY_LEN(ops); i++) {
                unsigned flags = 0;
                uint64_t got = num_unary(ops[i], o->type, a, &flags);
                double want = true_integer(ops[i], x);
                double value = oracle_decode(o, got);
                if (isnan(want)
                        ? got != o->nan
                        : value != want || signbit(value) != signbit(want))
                    fail_msg("%s %s(%#x) gives %#x", o->name,
                             num_op_name(ops[i]), (unsigned)a, (unsigned)got);
                assert_int_equal(flags, 0);
            }
        }
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
        cmocka_unit_test(test_fp16_arith),
        cmocka_unit_test(test_fp8_arith),
        cmocka_unit_test(test_bf16_arith),
        cmocka_unit_test(test_fma),
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_sqrt_all),
        cmocka_unit_test(test_bit_operations),
        cmocka_unit_test(test_floor_operations),
        cmocka_unit_test(test_no_rule),
        cmocka_unit_test(test_to_integer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
