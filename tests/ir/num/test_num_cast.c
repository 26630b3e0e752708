/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions: every value of every format of at most 16 bits to every other
 * format and to integers, integers to floats next to ties, literals next to
 * every midpoint, and the choices that the format papers leave open. The
 * wanted results come from searching the list of values (oracle.c).
 */
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <math.h>

/* Every value of every small format to every other format. */
static void test_cast_floats(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_count; i++) {
        const struct oracle *from = oracle_all[i];
        if (from->bits > 16)
            continue;
        for (uint64_t a = 0; a < UINT64_C(1) << from->bits; a++) {
            double x = oracle_decode(from, a);
            for (size_t j = 0; j < oracle_count; j++) {
                const struct oracle *to = oracle_all[j];
                unsigned flags = 0;
                bool inexact = false;
                uint64_t got = num_cast(from->type, to->type, a, &flags);
                if (to->bits > 16 || i == j) { /* widening keeps the value */
                    double back = num_to_double(to->type, got);
                    if (isnan(x) ? got != to->nan : back != x)
                        oracle_expect(to, from->name, a, 0, 0, got, ~got);
                    continue;
                }
                uint64_t want = oracle_round_double(to, x, &inexact);
                oracle_expect(to, from->name, a, 0, 0, got, want);
                if (isfinite(x))
                    assert_int_equal(flags, inexact ? NUM_INEXACT : 0);
            }
        }
    }
}

static void test_cast_integers(void **state)
{
    (void)state;
    static const struct {
        enum dtype_code code;
        unsigned bits;
        double low, high; /* exclusive bounds on x */
    } types[] = {
        {DT_INT, 8, -129, 128},
        {DT_UINT, 8, -1, 256},
        {DT_INT, 16, -32769, 32768},
        {DT_UINT, 16, -1, 65536},
        {DT_INT, 64, -0x1.00001p63, 0x1p63},
        {DT_UINT, 64, -1, 0x1p64},
        {DT_INT, 4, -9, 8},
        {DT_UINT, 3, -1, 8},
    };
    struct oracle *const formats[] = {&oracle_fp16, &oracle_bf16,
                                      &oracle_e4m3fn, &oracle_e5m2};
    for (size_t f = 0; f < DC_ARRAY_LEN(formats); f++) {
        const struct oracle *o = formats[f];
        for (uint64_t a = 0; a < UINT64_C(1) << o->bits; a++) {
            double x = oracle_decode(o, a);
            for (size_t i = 0; i < DC_ARRAY_LEN(types); i++) {
                struct dtype t = dtype_make(types[i].code, types[i].bits, 1);
                unsigned flags = 0;
                uint64_t got = num_cast(o->type, t, a, &flags);
                if (!(x > types[i].low && x < types[i].high)) {
                    assert_int_equal(flags, NUM_UNDEFINED);
                    continue;
                }
                assert_int_equal(flags, 0);
                assert_true(num_to_double(t, got) == trunc(x));
            }
            unsigned flags = 0;
            uint64_t truth = num_cast(o->type, DTYPE_BOOL, a, &flags);
            assert_int_equal(truth, x != 0 ? 1 : 0);
        }
    }
}

static void test_integers_to_floats(void **state)
{
    (void)state;
    uint64_t seed = 7;
    mpfr_t exact;
    mpfr_init2(exact, 64);
    for (int k = 0; k < 20000; k++) {
        uint64_t r = oracle_random(&seed);
        unsigned bits = 1 + (unsigned)(r % 64);
        struct dtype t = dtype_make((r >> 8 & 1) != 0 ? DT_INT : DT_UINT,
                                    bits == 1 ? 2 : bits, 1);
        unsigned flags = 0;
        int64_t raw = (int64_t)oracle_random(&seed);
        if (k % 3 == 0) /* few significant bits: ties */
            raw = (int64_t)((uint64_t)raw >> 50 << (r >> 16) % 50);
        uint64_t value = num_from_int(t, raw, &flags);
        if (t.code == DT_INT)
            mpfr_set_si(exact, (long)(int64_t)value, MPFR_RNDN);
        else
            mpfr_set_ui(exact, (unsigned long)value, MPFR_RNDN);
        for (size_t i = 0; i < oracle_count; i++) {
            const struct oracle *o = oracle_all[i];
            bool inexact;
            flags = 0;
            uint64_t want = oracle_round(o, exact, &inexact);
            uint64_t got = num_cast(t, o->type, value, &flags);
            oracle_expect(o, "from integer", value, bits, 0, got, want);
            assert_int_equal(flags, inexact ? NUM_INEXACT : 0);
        }
    }
    mpfr_clear(exact);
}

/* Doubles around every midpoint, so that a double rounding would show. */
static void test_literals(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_count; i++) {
        const struct oracle *o = oracle_all[i];
        if (o->bits > 16)
            continue;
        for (uint64_t code = 0; code < o->max; code++) {
            double low = o->values[code], high = o->values[code + 1];
            double middle = (low + high) / 2;
            const double near[] = {middle, nextafter(middle, 0),
                                   nextafter(middle, HUGE_VAL), -middle};
            for (size_t k = 0; k < DC_ARRAY_LEN(near); k++) {
                unsigned flags = 0;
                bool inexact;
                uint64_t want = oracle_round_double(o, near[k], &inexact);
                uint64_t got = num_from_double(o->type, near[k], &flags);
                oracle_expect(o, "literal", code, k, 0, got, want);
                assert_int_equal(flags, NUM_INEXACT);
            }
        }
    }
    unsigned flags = 0; /* rule 13 */
    assert_int_equal(
        num_from_double(oracle_fp16.type, 1.0004882812500002, &flags), 0x3c01);
}

/* What ml_dtypes 0.6.0 gives where the format papers leave a choice. */
static void test_e8m0_and_special(void **state)
{
    (void)state;
    static const struct {
        double value;
        uint64_t want;
    } e8m0[] = {{0, 0xff},       {-1, 0xff},      {HUGE_VAL, 0xff},
                {1.5, 0x80},     {3, 0x81},       {2.5, 0x80},
                {6, 0x82},       {5, 0x81},       {0x1p-128, 0},
                {0x1p-140, 0},   {0x1.8p-127, 1}, {0x1.8p127, 0xff},
                {0x1p127, 0xfe}, {0x1p-127, 0},   {1e30, 0xe3}};
    struct dtype t = dtype_make(DT_FLOAT8_E8M0FNU, 8, 1);
    for (size_t i = 0; i < DC_ARRAY_LEN(e8m0); i++) {
        unsigned flags = 0;
        assert_int_equal(num_from_double(t, e8m0[i].value, &flags),
                         e8m0[i].want);
    }
    for (uint64_t a = 0; a < 255; a++)
        assert_true(num_to_double(t, a) == ldexp(1, (int)a - 127));
    assert_true(num_is_nan(t, 255));
    struct dtype fp4 = dtype_make(DT_FLOAT4_E2M1FN, 4, 1);
    unsigned flags = 0;
    assert_int_equal(num_from_double(fp4, (double)NAN, &flags), 8);
    assert_int_equal(num_from_double(fp4, -HUGE_VAL, &flags), 15);
    flags = 0;
    uint64_t sum = num_binary(NUM_ADD, fp4, 1, 1, &flags);
    assert_int_equal(sum, 0);
    assert_int_equal(flags, NUM_NO_RULE);
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

/* Sums and products of float32 whose exact values are no float32, by less than
 * double precision shows, above and below; and such as are. */
static void test_inexact_sums(void **state)
{
    static const struct {
        enum num_op op;
        float a, b;
        bool inexact;
    } rows[] = {
        {NUM_ADD, 1, 0x1p-24f, true},
        {NUM_ADD, 1, -0x1p-30f, true},
        {NUM_ADD, 1, 0x1p-60f, true},
        {NUM_ADD, 1, -0x1p-60f, true},
        {NUM_ADD, -1, 0x1p-60f, true},
        {NUM_ADD, -1, -0x1p-60f, true},
        {NUM_ADD, 0x1p-60f, 1, true},
        {NUM_ADD, -0x1p-60f, 1, true},
        {NUM_SUB, 1, 0x1p-60f, true},
        {NUM_SUB, 1, -0x1p-60f, true},
        {NUM_ADD, 1, 0x1p-23f, false},
        {NUM_ADD, 1, -1, false},
        {NUM_SUB, 1, 0x1p-24f, false},
        {NUM_SUB, 0x1p100f, 0, false},
        {NUM_MUL, 3, 5, false},
        {NUM_MUL, 1 + 0x1p-23f, 1 + 0x1p-23f, true},
        {NUM_MUL, 0x1p-100f, 0x1p-49f, false},
        {NUM_MUL, 0x1p-100f, 0x1p-60f, true},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        unsigned flags = 0, none = 0;
        uint64_t a = num_from_double(DTYPE_FLOAT32, (double)rows[i].a, &none);
        uint64_t b = num_from_double(DTYPE_FLOAT32, (double)rows[i].b, &none);
        (void)num_binary(rows[i].op, DTYPE_FLOAT32, a, b, &flags);
        if (((flags & NUM_INEXACT) != 0) != rows[i].inexact)
            fail_msg("row %d: flags %u", (int)i, flags);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cast_floats),
        cmocka_unit_test(test_cast_integers),
        cmocka_unit_test(test_integers_to_floats),
        cmocka_unit_test(test_literals),
        cmocka_unit_test(test_e8m0_and_special),
        cmocka_unit_test(test_inexact_sums),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
