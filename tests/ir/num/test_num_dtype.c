/* SPDX-License-Identifier: Apache-2.0
 *
 * Types as text and in DLPack, memory form, distance, extremes, printing.
 */
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    enum dtype_code code;
    unsigned bits, lanes;
    bool scalable;
    const char *newest; /* NULL: the same text */
} good[] = {
    {"int8", DT_INT, 8, 1, false, NULL},
    {"int32", DT_INT, 32, 1, false, NULL},
    {"int64x2", DT_INT, 64, 2, false, NULL},
    {"int4x8", DT_INT, 4, 8, false, NULL},
    {"int1", DT_INT, 1, 1, false, NULL},
    {"uint8", DT_UINT, 8, 1, false, NULL},
    {"uint16x65535", DT_UINT, 16, 65535, false, NULL},
    {"uint1", DT_BOOL, 8, 1, false, "bool"},
    {"uint1x4", DT_BOOL, 8, 4, false, "boolx4"},
    {"uint1xvscalex4", DT_BOOL, 8, 4, true, "boolxvscalex4"},
    {"bool", DT_BOOL, 8, 1, false, NULL},
    {"boolx4", DT_BOOL, 8, 4, false, NULL},
    {"float16", DT_FLOAT, 16, 1, false, NULL},
    {"float16x4", DT_FLOAT, 16, 4, false, NULL},
    {"float32xvscalex4", DT_FLOAT, 32, 4, true, NULL},
    {"float64", DT_FLOAT, 64, 1, false, NULL},
    {"float", DT_FLOAT, 32, 1, false, "float32"},
    {"floatx4", DT_FLOAT, 32, 4, false, "float32x4"},
    {"int", DT_INT, 32, 1, false, "int32"},
    {"uint", DT_UINT, 32, 1, false, "uint32"},
    {"bfloat16", DT_BFLOAT, 16, 1, false, NULL},
    {"bfloat", DT_BFLOAT, 16, 1, false, "bfloat16"},
    {"handle", DT_HANDLE, 64, 1, false, NULL},
    {"handle64", DT_HANDLE, 64, 1, false, "handle"},
    {"void", DT_VOID, 0, 1, false, NULL},
    {"", DT_VOID, 0, 1, false, "void"},
    {"complex64", DT_COMPLEX, 64, 1, false, NULL},
    {"complex128", DT_COMPLEX, 128, 1, false, NULL},
    {"float8_e3m4", DT_FLOAT8_E3M4, 8, 1, false, NULL},
    {"float8_e4m3", DT_FLOAT8_E4M3, 8, 1, false, NULL},
    {"float8_e4m3b11fnuz", DT_FLOAT8_E4M3B11FNUZ, 8, 1, false, NULL},
    {"float8_e4m3fn", DT_FLOAT8_E4M3FN, 8, 1, false, NULL},
    {"float8_e4m3fnx16", DT_FLOAT8_E4M3FN, 8, 16, false, NULL},
    {"float8_e4m3fnuz", DT_FLOAT8_E4M3FNUZ, 8, 1, false, NULL},
    {"float8_e5m2", DT_FLOAT8_E5M2, 8, 1, false, NULL},
    {"float8_e5m2fnuz", DT_FLOAT8_E5M2FNUZ, 8, 1, false, NULL},
    {"float8_e8m0fnu", DT_FLOAT8_E8M0FNU, 8, 1, false, NULL},
    {"float6_e2m3fn", DT_FLOAT6_E2M3FN, 6, 1, false, NULL},
    {"float6_e3m2fn", DT_FLOAT6_E3M2FN, 6, 1, false, NULL},
    {"float4_e2m1fn", DT_FLOAT4_E2M1FN, 4, 1, false, NULL},
    {"float4_e2m1fnx2", DT_FLOAT4_E2M1FN, 4, 2, false, NULL},
    {"e4m3_float8", DT_FLOAT8_E4M3FN, 8, 1, false, "float8_e4m3fn"},
    {"e5m2_float8x4", DT_FLOAT8_E5M2, 8, 4, false, "float8_e5m2x4"},
};

static const char *const bad[] = {
    "int0",
    "int65",
    "int128",
    "uint0",
    "uint65",
    "uint100000000000",
    "int08",
    "int-8",
    "int 8",
    " int8",
    "int8 ",
    "int8x",
    "int8x0",
    "int8x65536",
    "int8x99999999999",
    "int8x4x4",
    "int8x-1",
    "int8xvscale",
    "int8xvscalex",
    "int8xvscalex0",
    "int8vscalex4",
    "float8",
    "float24",
    "float128",
    "float4",
    "bfloat32",
    "bfloat8",
    "bool8",
    "boolx",
    "handle32",
    "voidx2",
    "custom",
    "custom[posit]32",
    "complex8",
    "complexx",
    "float8_e4m3f",
    "float8_e4m3fnz",
    "float8_e4m3fn8",
    "float6_e2m3",
    "float4_e2m1",
    "Int32",
    "INT8",
    "i8",
    "x4",
    "8",
    "float16y4",
    "float16x4y",
    "e4m3_float",
    "e4m3",
    "floatx",
};

static void test_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(good); i++) {
        struct dtype t, again;
        char name[48];
        if (!dtype_parse(good[i].text, &t))
            fail_msg("'%s' is not read", good[i].text);
        assert_int_equal(t.code, good[i].code);
        assert_int_equal(t.bits, good[i].bits);
        assert_int_equal(t.lanes, good[i].lanes);
        assert_int_equal(t.scalable, good[i].scalable);
        dtype_name(t, name);
        const char *want =
            good[i].newest != NULL ? good[i].newest : good[i].text;
        assert_string_equal(name, want);
        assert_true(dtype_parse(name, &again));
        assert_true(dtype_equal(t, again));
        struct buf out = {0};
        dtype_put(&out, t);
        assert_string_equal(buf_text(&out), want);
        buf_fini(&out);
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(bad); i++) {
        struct dtype t;
        if (dtype_parse(bad[i], &t))
            fail_msg("'%s' is read", bad[i]);
    }
}

static void test_make(void **state)
{
    (void)state;
    assert_int_equal(dtype_make(DT_BOOL, 1, 4).bits, 8);
    assert_int_equal(dtype_make(DT_HANDLE, 0, 1).bits, 64);
    assert_int_equal(dtype_make(DT_VOID, 5, 1).bits, 0);
    struct dtype t = dtype_make(DT_FLOAT, 16, 8);
    t.scalable = true;
    assert_true(dtype_equal(dtype_scalar(t), dtype_make(DT_FLOAT, 16, 1)));
    assert_int_equal(dtype_with_lanes(t, 3).lanes, 3);
    assert_int_equal(dtype_with_lanes(t, 65535u * 65535u).lanes, 65535);
    assert_int_equal(dtype_lane_bytes(DTYPE_BOOL), 1);
    assert_int_equal(dtype_lane_bytes(dtype_make(DT_INT, 4, 1)), 1);
    assert_int_equal(dtype_lane_bytes(dtype_make(DT_INT, 33, 1)), 5);
    assert_int_equal(dtype_lane_bytes(DTYPE_VOID), 0);
    assert_true(dtype_has_arithmetic(DTYPE_BOOL));
    assert_true(dtype_has_arithmetic(dtype_make(DT_FLOAT8_E5M2, 8, 1)));
    assert_false(dtype_has_arithmetic(dtype_make(DT_FLOAT8_E3M4, 8, 1)));
    assert_false(dtype_has_arithmetic(DTYPE_HANDLE));
    for (int op = 0; op < NUM_NOPS; op++)
        assert_non_null(num_op_name((enum num_op)op));
}

static void test_dlpack(void **state)
{
    (void)state;
    static const struct {
        unsigned code, bits, lanes;
        bool old;
        const char *want; /* NULL: refused */
    } rows[] = {
        {0, 32, 1, false, "int32"},
        {1, 8, 1, true, "uint8"},
        {1, 1, 1, true, "bool"},
        {2, 16, 4, false, "float16x4"},
        {3, 64, 1, false, "handle"},
        {3, 0, 0, false, "void"},
        {4, 16, 1, true, "bfloat16"},
        {5, 64, 1, false, "complex64"},
        {5, 64, 1, true, NULL},
        {6, 8, 1, false, "bool"},
        {6, 8, 1, true, "float8_e4m3fn"},
        {7, 8, 1, true, "float8_e5m2"},
        {8, 4, 1, true, "float4_e2m1fn"},
        {9, 8, 1, true, NULL},
        {7, 8, 1, false, "float8_e3m4"},
        {8, 8, 1, false, "float8_e4m3"},
        {9, 8, 1, false, "float8_e4m3b11fnuz"},
        {10, 8, 1, false, "float8_e4m3fn"},
        {11, 8, 1, false, "float8_e4m3fnuz"},
        {12, 8, 1, false, "float8_e5m2"},
        {13, 8, 1, false, "float8_e5m2fnuz"},
        {14, 8, 1, false, "float8_e8m0fnu"},
        {15, 6, 1, false, "float6_e2m3fn"},
        {16, 6, 1, false, "float6_e3m2fn"},
        {17, 4, 1, false, "float4_e2m1fn"},
        {18, 8, 1, false, NULL},
        {0, 32, 65532, false, "int32xvscalex4"},
        {0, 32, 65535, false, NULL},
        {0, 32, 0, false, NULL},
        {0, 0, 1, false, NULL},
        {0, 65, 1, false, NULL},
        {2, 8, 1, false, NULL},
        {4294967295u, 8, 1, true, NULL},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct dtype t;
        char name[48];
        bool ok = dtype_from_dlpack(rows[i].code, rows[i].bits, rows[i].lanes,
                                    rows[i].old, &t);
        assert_int_equal(ok, rows[i].want != NULL);
        if (!ok)
            continue;
        assert_string_equal(dtype_name(t, name), rows[i].want);
        unsigned code, bits;
        dtype_to_dlpack(t, &code, &bits);
        if (!rows[i].old) {
            assert_int_equal(code, rows[i].code);
            assert_int_equal(bits, rows[i].bits);
        }
    }
}

static void test_memory(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint64_t value;
        unsigned char bytes[9];
    } rows[] = {
        {"int16", 0 - UINT64_C(2), {0xfe, 0xff, 0xaa}},
        {"uint16", 0xfffe, {0xfe, 0xff, 0xaa}},
        {"float32", 0x3f800000, {0, 0, 0x80, 0x3f, 0xaa}},
        {"int64", 0x0102030405060708, {8, 7, 6, 5, 4, 3, 2, 1, 0xaa}},
        {"bool", 1, {1, 0xaa}},
        {"int4", 0 - UINT64_C(3), {0xfd, 0xaa}},
        {"uint24", 0x010203, {3, 2, 1, 0xaa}},
        {"float8_e5m2", 0xfc, {0xfc, 0xaa}},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct dtype t;
        unsigned char bytes[9];
        memset(bytes, 0xaa, sizeof bytes);
        assert_true(dtype_parse(rows[i].type, &t));
        num_store(t, bytes, rows[i].value);
        assert_memory_equal(
            bytes, rows[i].bytes,
            dtype_lane_bytes(t) + 1 > 9 ? 9 : dtype_lane_bytes(t) + 1);
        assert_true(num_load(t, rows[i].bytes) == rows[i].value);
    }
    unsigned char low = 0x0d; /* int4 without its sign extension */
    assert_true(num_load(dtype_make(DT_INT, 4, 1), &low) == 0 - UINT64_C(3));
}

/* Position of a value in the list of all values, zeros together. */
static int64_t position(const struct oracle *o, uint64_t bits)
{
    uint64_t sign = UINT64_C(1) << (o->bits - 1);
    int64_t magnitude = (int64_t)(bits & ~sign);
    return (bits & sign) != 0 ? -magnitude : magnitude;
}

static void test_distance(void **state)
{
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        const struct oracle *o = oracle_all[i];
        uint64_t v[128];
        size_t n = oracle_boundary(o, v, 128);
        for (size_t k = 0; k < n * n; k++) {
            uint64_t a = v[k / n], b = v[k % n], want;
            bool a_nan = oracle_is_nan(o, a), b_nan = oracle_is_nan(o, b);
            int64_t x = position(o, a), y = position(o, b);
            if (a_nan || b_nan)
                want = a_nan && b_nan ? 0 : UINT64_MAX;
            else
                want = x > y ? (uint64_t)x - (uint64_t)y
                             : (uint64_t)y - (uint64_t)x;
            uint64_t got = num_ulp_distance(o->type, a, b);
            oracle_expect(o, "distance", a, b, 0, got, want);
            bool same = a == b || (a_nan && b_nan);
            assert_int_equal(num_same(o->type, a, b), same);
            assert_int_equal(num_is_nan(o->type, a), a_nan);
            assert_int_equal(num_is_inf(o->type, a),
                             isinf(oracle_decode(o, a)) != 0);
        }
    }
    assert_true(num_ulp_distance(DTYPE_INT64, (uint64_t)INT64_MIN,
                                 (uint64_t)INT64_MAX) == UINT64_MAX);
    assert_true(num_ulp_distance(DTYPE_INT32, 3, 0 - UINT64_C(4)) == 7);
}

static void test_extremes(void **state)
{
    (void)state;
    for (size_t i = 0; i < oracle_count; i++) {
        const struct oracle *o = oracle_all[i];
        double largest = oracle_value(o, o->max);
        assert_true(num_to_double(o->type, num_max_value(o->type)) == largest);
        assert_true(num_to_double(o->type, num_min_value(o->type)) == -largest);
        assert_true(num_to_double(o->type, num_min_positive(o->type)) ==
                    oracle_value(o, 1));
    }
    struct dtype i8 = dtype_make(DT_INT, 8, 1), u8 = dtype_make(DT_UINT, 8, 1);
    assert_int_equal(num_to_int(i8, num_max_value(i8)), 127);
    assert_int_equal(num_to_int(i8, num_min_value(i8)), -128);
    assert_int_equal(num_to_int(u8, num_max_value(u8)), 255);
    assert_int_equal(num_to_int(u8, num_min_value(u8)), 0);
    assert_true(num_max_value(DTYPE_INT64) == INT64_MAX);
    assert_true(num_min_value(DTYPE_INT64) == (uint64_t)INT64_MIN);
}

static void check_print(const struct oracle *o, uint64_t bits)
{
    struct buf out = {0};
    unsigned flags = 0;
    num_put(&out, o->type, bits);
    if (oracle_is_nan(o, bits)) {
        assert_string_equal(buf_text(&out), "nan");
    } else {
        double back = strtod(buf_text(&out), NULL);
        uint64_t got = num_from_double(o->type, back, &flags);
        if (isinf(oracle_decode(o, bits)))
            got = back < 0 ? o->overflow | UINT64_C(1) << (o->bits - 1)
                           : o->overflow;
        oracle_expect(o, buf_text(&out), bits, 0, 0, got, bits);
    }
    buf_fini(&out);
}

static void test_print(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        uint64_t bits;
        const char *want;
    } rows[] = {
        {"float32", 0x3dcccccd, "0.1"},
        {"float16", 0x2e66, "0.1"},
        {"bfloat16", 0x3dcd, "0.1"},
        {"float16", 0xfc00, "-inf"},
        {"float32", 0x80000000, "-0.0"},
        {"float32", 0x7f800001, "nan"},
        {"float8_e4m3fn", 0x38, "1.0"},
        {"float64", UINT64_C(0x3fb999999999999a), "0.1"},
        {"int8", UINT64_MAX, "-1"},
        {"uint64", UINT64_MAX, "18446744073709551615"},
        {"bool", 1, "true"},
        {"bool", 0, "false"},
        {"handle", 16, "0x10"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct buf out = {0};
        struct dtype t;
        assert_true(dtype_parse(rows[i].type, &t));
        num_put(&out, t, rows[i].bits);
        assert_string_equal(buf_text(&out), rows[i].want);
        buf_fini(&out);
    }
    uint64_t seed = 4;
    for (size_t i = 0; i < oracle_count; i++) {
        const struct oracle *o = oracle_all[i];
        uint64_t v[128], mask = ~UINT64_C(0) >> (64 - o->bits);
        size_t n = oracle_boundary(o, v, 128);
        for (size_t k = 0; k < n; k++)
            check_print(o, v[k]);
        for (int k = 0; k < 2000; k++)
            check_print(o, oracle_random(&seed) & mask);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),     cmocka_unit_test(test_make),
        cmocka_unit_test(test_dlpack),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_distance), cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
