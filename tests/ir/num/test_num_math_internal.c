/* SPDX-License-Identifier: Apache-2.0
 *
 * Elementary functions of the narrow formats: bits and NUM_INEXACT equal those
 * of MPFR alone (which the other tests check against the slow oracle), for all
 * values of the formats of 16 and 8 bits, and for fp32 at random, at exact
 * results and ties, and at the hardest points of each function. The array
 * forms equal the scalar ones.
 *
 * DC_NUM_FULL=1 removes the stride of the exhaustive loops and draws 10^7
 * points of fp32 a function (four minutes).
 */
#include "ir/num/math_private.h"
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <stdlib.h>

static const enum num_op binary_ops[] = {NUM_POW, NUM_ATAN2, NUM_HYPOT};

/* ---- results ----------------------------------------------------------------- */

static void fail_result(const char *format, const char *name, double x,
                        double y, uint64_t got, uint64_t want, unsigned flags,
                        unsigned want_flags)
{
    fail_msg("%s %s(%a, %a): got %#llx flags %u, want %#llx flags %u", format,
             name, x, y, (unsigned long long)got, flags,
             (unsigned long long)want, want_flags);
}

/* Bits and flags of both paths are equal. */
static void check_unary(const struct oracle *o, enum num_op op, uint64_t a)
{
    const struct float_format *f = float_format_of(o->type);
    unsigned flags = 0, want_flags = 0;
    if (oracle_is_nan(o, a))
        return;
    double x = float_decode(f, a);
    uint64_t got = num_unary(op, o->type, a, &flags);
    uint64_t want = math_mpfr_unary(op, f, x, &want_flags);
    if (got != want || flags != want_flags)
        fail_result(o->name, num_op_name(op), x, 0, got, want, flags,
                    want_flags);
}

static void check_named(const char *why, const struct oracle *o, enum num_op op,
                        uint64_t a, uint64_t b)
{
    const struct float_format *f = float_format_of(o->type);
    unsigned flags = 0, want_flags = 0;
    double x = float_decode(f, a), y = float_decode(f, b);
    uint64_t got = num_binary(op, o->type, a, b, &flags);
    uint64_t want = math_mpfr_binary(op, f, x, y, &want_flags);
    if (got != want || flags != want_flags)
        fail_result(o->name, why, x, y, got, want, flags, want_flags);
}

static void check_binary(const struct oracle *o, enum num_op op, uint64_t a,
                         uint64_t b)
{
    check_named(num_op_name(op), o, op, a, b);
}

static struct oracle *const small_formats[] = {&oracle_fp16, &oracle_bf16,
                                               &oracle_e4m3fn, &oracle_e5m2};

static void test_small_formats(void **state)
{
    (void)state;
    unsigned stride = oracle_stride(7);
    for (size_t f = 0; f < DC_ARRAY_LEN(small_formats); f++) {
        const struct oracle *o = small_formats[f];
        uint64_t end = UINT64_C(1) << o->bits;
        for (size_t i = 1; i < oracle_function_count; i++)
            for (uint64_t a = i % stride; a<end; a += end> 256 ? stride : 1)
                check_unary(o, oracle_functions[i].op, a);
    }
}

static void test_float32(void **state)
{
    (void)state;
    uint64_t seed = 2;
    unsigned n = oracle_stride(2) == 1 ? 10000000 : 10000;
    uint64_t boundary[128];
    size_t count = oracle_boundary(&oracle_fp32, boundary, 128);
    for (size_t i = 1; i < oracle_function_count; i++) {
        enum num_op op = oracle_functions[i].op;
        for (size_t k = 0; k < count; k++)
            check_unary(&oracle_fp32, op, boundary[k]);
        for (unsigned k = 0; k < n; k++)
            check_unary(&oracle_fp32, op,
                        float_bits((float)oracle_random_float(&seed)));
    }
}

/* Pairs of boundary values, random pairs, and for pow the exponents that
 * kernels write. */
static void test_binary(void **state)
{
    (void)state;
    static const double exponents[] = {
        -3, -2,  -1, -0.5, 0, 0.25, 0.5, 1.0 / 3., 1,    1.5,
        2,  2.5, 3,  4,    5, 16,   33,  0x1p24,   1e30, -0x1p-149};
    uint64_t seed = 3;
    unsigned n = oracle_stride(2) == 1 ? 10000000 : 20000, ignored = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(binary_ops); i++) {
        enum num_op op = binary_ops[i];
        for (unsigned k = 0; k < n; k++) {
            float x = (float)oracle_random_float(&seed),
                  y = (float)oracle_random_float(&seed);
            check_binary(&oracle_fp32, op, float_bits(x), float_bits(y));
        }
        for (size_t f = 0; f < 6; f++) {
            const struct oracle *o = oracle_all[f];
            uint64_t v[128];
            size_t count = oracle_boundary(o, v, 128);
            if (o == &oracle_fp64)
                continue;
            for (size_t k = 0; k < count * count; k++)
                check_binary(o, op, v[k / count], v[k % count]);
        }
    }
    for (size_t k = 0; k < DC_ARRAY_LEN(exponents); k++) {
        for (size_t f = 0; f < DC_ARRAY_LEN(small_formats); f++) {
            const struct oracle *o = small_formats[f];
            uint64_t y = num_from_double(o->type, exponents[k], &ignored);
            for (uint64_t a = 0; a < UINT64_C(1) << o->bits; a += 3)
                check_binary(o, NUM_POW, a, y);
        }
        for (unsigned i = 0; i < n / 10; i++)
            check_binary(&oracle_fp32, NUM_POW,
                         float_bits((float)oracle_random_float(&seed)),
                         float_bits((float)exponents[k]));
    }
}

/* Results that are exact, or in the middle between two floats, or as near to
 * that as they come for tiny values. */
static const struct {
    const char *why;
    enum num_op op;
    float x, y;
} exact_cases[] = {
    {"square of 25 bits", NUM_POW, 4097, 2},
    {"cube of 25 bits", NUM_POW, 257, 3},
    {"cube of 72 bits", NUM_POW, 0x1.fffffep0F, 3},
    {"fourth power of 25 bits", NUM_POW, 65, 4},
    {"fifth power of 25 bits", NUM_POW, -31, 5},
    {"sixth power of 25 bits", NUM_POW, 17, 6},
    {"seventh power of 25 bits", NUM_POW, -11, 7},
    {"power of 24 bits", NUM_POW, 3, 15},
    {"power of 26 bits", NUM_POW, 3, 16},
    {"root of 12 bits", NUM_POW, 16769025, 0.5F},
    {"root near 12 bits", NUM_POW, 16769026, 0.5F},
    {"fourth root", NUM_POW, 81, 0.25F},
    {"square root cubed, 25 bits", NUM_POW, 66049, 1.5F},
    {"power of two times a fraction", NUM_POW, 0.125F, 0.333333343F},
    {"exact power of two", NUM_POW, 16, -0.75F},
    {"next to 1", NUM_POW, 0x1.fffffep-1F, 0x1p-149F},
    {"minus next to 1", NUM_POW, -0x1.fffffep-1F, 3},
    {"smallest value", NUM_POW, 0.5F, 149},
    {"half the smallest", NUM_POW, 0.5F, 150},
    {"above half the smallest", NUM_POW, 0x1.fffffep-76F, 2},
    {"even exponent beyond 2^24", NUM_POW, -0x1.000002p0F, 0x1p25F},
    {"no real value", NUM_POW, -2, 0.5F},
    {"Pythagorean triple", NUM_HYPOT, 3, 4},
    {"triple of 25 bits", NUM_HYPOT, 16777215, 8192},
    {"triple, tiny", NUM_HYPOT, 0x3p-149F, 0x4p-149F},
    {"next to a triple", NUM_HYPOT, 3, 0x1.000002p2F},
    {"huge", NUM_HYPOT, FLT_MAX, FLT_MAX},
    {"the smaller does not count", NUM_HYPOT, 1, 0x1p-100F},
    {"below the middle of subnormals", NUM_ATAN2, 0x3p-149F, 2},
    {"below an odd subnormal", NUM_ATAN2, 0x6p-149F, 2},
    {"below half the smallest", NUM_ATAN2, 0x1p-149F, 2},
    {"pi minus nothing", NUM_ATAN2, 0x1p-149F, -FLT_MAX},
};

static void test_exact_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(exact_cases); i++) {
        check_named(exact_cases[i].why, &oracle_fp32, exact_cases[i].op,
                    float_bits(exact_cases[i].x), float_bits(exact_cases[i].y));
    }
    for (int n = -50; n <= 50; n++) { /* powers of 10 and 2, both ways */
        float power = 1;
        for (int k = 0; k < abs(n); k++)
            power = n > 0 ? power * 10 : power / 10;
        check_unary(&oracle_fp32, NUM_LOG10, float_bits(power));
        check_unary(&oracle_fp32, NUM_EXP10, float_bits((float)n));
        check_unary(&oracle_fp32, NUM_EXP2, float_bits((float)(3 * n)));
        power = (float)ldexp(1, 3 * n);
        check_unary(&oracle_fp32, NUM_LOG2, float_bits(power));
        check_unary(&oracle_fp32, NUM_RSQRT, float_bits(power));
    }
}

/* The hardest arguments of each function, the hardest first: of all values of
 * fp32, those whose results are nearest to the middle between two floats, less
 * than 2^-24 units in the last place away. Found with hardest_internal.c, which
 * looks at all 2^32; for log2 and rsqrt one significand repeats. */
static const struct {
    enum num_op op;
    double x[4];
} hard_cases[] = {
    {NUM_EXP, {-0x1.d2259ap+3, -0x1p-25, -0x1.c1c4b8p-10, -0x1.e1dbe2p-8}},
    {NUM_EXP2,
     {-0x1.5a3f34p-21, -0x1.e7526ep-6, 0x1.853a6ep-9, -0x1.d8568p-10}},
    {NUM_EXP10,
     {0x1.fafecp+3, -0x1.898cb8p-10, -0x1.4d89c6p-25, -0x1.46110cp-1}},
    {NUM_LOG, {0x1.b121a6p+76, 0x1.bacb4ap+25, 0x1.c09d7cp+27, 0x1.2f1fd6p+3}},
    {NUM_LOG2,
     {0x1.22952p-128, 0x1.22952p-127, 0x1.22952p-126, 0x1.22952p-125}},
    {NUM_LOG10,
     {0x1.0acfc8p+67, 0x1.4d83bap+70, 0x1.fddcf4p-98, 0x1.7bdb9p+12}},
    {NUM_LOG1P,
     {0x1.800006p-21, -0x1.7ffffap-21, 0x1.b121a6p+76, 0x1.fb035ap-2}},
    {NUM_SIN, {0x1.33333p+13, 0x1.487e0cp+103, 0x1.524856p+80, 0x1.95f654p+44}},
    {NUM_COS, {0x1.887814p+51, 0x1.3170fp+63, 0x1.2b9622p+67, 0x1.96344ep+117}},
    {NUM_TAN, {0x1.fa6748p+64, 0x1.b0e75cp+59, 0x1.02e9bap+2, 0x1.78b08cp+11}},
    {NUM_SINH, {0x1.250bfep-11, 0x1.6d543ep-9, 0x1.1389bp-5, 0x1.fbe4bp-1}},
    {NUM_COSH, {0x1.deeeap-11, 0x1.c12a5p-5, 0x1.0f876cp-10, 0x1.87eb1p-9}},
    {NUM_TANH, {0x1.86fbc4p-10, 0x1.a83722p-6, 0x1.dc0accp-2, 0x1.5969ap+2}},
    {NUM_ASIN, {0x1.107434p-1, 0x1.cbf43cp-4, 0x1.0f2b38p-5, 0x1.2f02f8p-5}},
    {NUM_ACOS, {0x1.04c444p-12, 0x1.110b46p-26, -0x1.80d99ap-7, 0x1.145f36p-6}},
    {NUM_ATAN, {0x1.1ad646p-4, 0x1.ac6ff4p-10, 0x1.4f7476p-11, 0x1.f83792p-9}},
    {NUM_ASINH,
     {0x1.b121a6p+75, 0x1.c09d7cp+26, 0x1.bacb4ap+24, 0x1.5190cp+77}},
    {NUM_ACOSH,
     {0x1.b121a6p+75, 0x1.bacb4ap+24, 0x1.c09d7cp+26, 0x1.5190cp+77}},
    {NUM_ATANH,
     {0x1.713744p-12, 0x1.e3cf42p-11, 0x1.ac6fd6p-10, 0x1.9b2aecp-4}},
    {NUM_ERF, {0x1.81d5acp-13, 0x1.800afap-12, 0x1.1d3a5ap-20, 0x1.5d48ccp-18}},
    {NUM_RSQRT,
     {0x1.7431c6p-125, 0x1.7431c6p-123, 0x1.7431c6p-121, 0x1.7431c6p-119}},
    {NUM_SIGMOID, {-0x1p-24, 0x1p-23, -0x1.8p-23, 0x1.8p-22}},
};

/* Against the slow oracle: 300 bits decide every one of them. */
static void check_hard(const struct oracle_function *function, double x,
                       mpfr_ptr in, mpfr_ptr exact)
{
    const struct oracle *o = &oracle_fp32;
    unsigned flags = 0;
    bool inexact;
    uint64_t a = float_bits((float)x);
    mpfr_set_d(in, x, MPFR_RNDN);
    function->exact(exact, in, MPFR_RNDN);
    uint64_t want = oracle_round(o, exact, &inexact);
    uint64_t got = num_unary(function->op, o->type, a, &flags);
    oracle_expect(o, num_op_name(function->op), a, 0, 0, got, want);
    assert_true(inexact);
    assert_int_equal(flags, NUM_INEXACT);
}

static void test_hard_cases(void **state)
{
    (void)state;
    mpfr_t in, exact;
    mpfr_init2(in, 53);
    mpfr_init2(exact, 300);
    assert_int_equal(DC_ARRAY_LEN(hard_cases), oracle_function_count - 1);
    for (size_t i = 0; i < DC_ARRAY_LEN(hard_cases); i++) {
        const struct oracle_function *function = oracle_functions;
        while (function->op != hard_cases[i].op)
            function++;
        for (size_t k = 0; k < DC_ARRAY_LEN(hard_cases[i].x); k++)
            check_hard(function, hard_cases[i].x[k], in, exact);
    }
    mpfr_clear(in);
    mpfr_clear(exact);
}

/* ---- arrays ------------------------------------------------------------------ */

#define LENGTH 4096

static bool has_array(enum num_op op)
{
    return op != NUM_BITNOT && op != NUM_NOT;
}

static void test_f32_array(void **state)
{
    (void)state;
    float in[LENGTH], out[LENGTH];
    uint8_t inexact[LENGTH];
    uint64_t seed = 5;
    for (size_t i = 0; i < LENGTH; i++)
        in[i] = (float)oracle_random_float(&seed);
    for (int op = NUM_NEG; op <= NUM_SIGMOID; op++) {
        if (!has_array((enum num_op)op))
            continue;
        num_unary_f32_array((enum num_op)op, in, out, inexact, LENGTH);
        for (size_t i = 0; i < LENGTH; i++) {
            unsigned flags = 0;
            uint64_t want = num_unary((enum num_op)op, DTYPE_FLOAT32,
                                      float_bits(in[i]), &flags);
            oracle_expect(&oracle_fp32, num_op_name((enum num_op)op),
                          float_bits(in[i]), 0, 0, float_bits(out[i]), want);
            assert_int_equal(inexact[i], flags & NUM_INEXACT);
        }
    }
}

/* In place and without flags. */
static void test_f16_array(void **state)
{
    (void)state;
    uint16_t in[LENGTH], out[LENGTH];
    uint8_t inexact[LENGTH];
    for (size_t i = 0; i < LENGTH; i++)
        in[i] = (uint16_t)(i * 16 + i / 256);
    for (int op = NUM_NEG; op <= NUM_SIGMOID; op++) {
        if (!has_array((enum num_op)op))
            continue;
        num_unary_f16_array((enum num_op)op, in, out, inexact, LENGTH);
        for (size_t i = 0; i < LENGTH; i++) {
            unsigned flags = 0;
            uint64_t want =
                num_unary((enum num_op)op, oracle_fp16.type, in[i], &flags);
            oracle_expect(&oracle_fp16, num_op_name((enum num_op)op), in[i], 0,
                          0, out[i], want);
            assert_int_equal(inexact[i], flags & NUM_INEXACT);
        }
        uint16_t same[LENGTH];
        memcpy(same, in, sizeof same);
        num_unary_f16_array((enum num_op)op, same, same, NULL, LENGTH);
        assert_memory_equal(same, out, sizeof same);
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
        cmocka_unit_test(test_small_formats),
        cmocka_unit_test(test_float32),
        cmocka_unit_test(test_binary),
        cmocka_unit_test(test_exact_cases),
        cmocka_unit_test(test_hard_cases),
        cmocka_unit_test(test_f32_array),
        cmocka_unit_test(test_f16_array),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
