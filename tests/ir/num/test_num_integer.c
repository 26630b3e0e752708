/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers: every pair of values of every width up to 8 bits, signed and not,
 * through every operation, against arithmetic in int64_t that cannot
 * overflow; then edge cases at 33 to 64 bits, and bool. The wanted flags come
 * from whether the wide result fits. Rules 9 to 11.
 */
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

struct answer {
    int64_t value; /* before wrapping */
    unsigned flags;
    bool truth; /* a comparison: value is the result */
};

static int64_t floor_divide(int64_t a, int64_t b)
{
    int64_t q = a / b;
    while (q * b > a ? b > 0 : q * b < a && b < 0)
        q--;
    while (b > 0 ? a - q * b >= b : a - q * b <= b)
        q++;
    return q;
}

static struct answer division(enum num_op op, int64_t a, int64_t b,
                              int64_t least)
{
    struct answer r = {0};
    if (b == 0) {
        r.flags = NUM_DIV_ZERO;
        return r;
    }
    if (least < 0 && a == least && b == -1) {
        r.flags = NUM_DIV_OVERFLOW;
        return r;
    }
    switch ((int)op) {
    case NUM_DIV: r.value = a / b; break;
    case NUM_MOD: r.value = a % b; break;
    case NUM_FLOORDIV: r.value = floor_divide(a, b); break;
    default: r.value = a - floor_divide(a, b) * b; break;
    }
    return r;
}

/* floor(a / 2^n) by repeated halving. */
static int64_t shift_right(int64_t a, int64_t n)
{
    for (; n > 0; n--)
        a = a < 0 ? (a - 1) / 2 : a / 2;
    return a;
}

static struct answer shifted(enum num_op op, unsigned bits, int64_t a,
                             int64_t b)
{
    struct answer r = {0};
    if (b < 0 || b >= (int64_t)bits)
        r.flags = NUM_UNDEFINED;
    else
        r.value = op == NUM_SHL ? a * ((int64_t)1 << b) : shift_right(a, b);
    return r;
}

static struct answer compared(bool truth)
{
    return (struct answer){truth, 0, true};
}

static struct answer solve(enum num_op op, unsigned bits, bool is_signed,
                           int64_t a, int64_t b)
{
    int64_t least = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    struct answer r = {0};
    switch ((int)op) {
    case NUM_ADD: r.value = a + b; break;
    case NUM_SUB: r.value = a - b; break;
    case NUM_MUL: r.value = a * b; break;
    case NUM_DIV:
    case NUM_MOD:
    case NUM_FLOORDIV:
    case NUM_FLOORMOD: return division(op, a, b, least);
    case NUM_MIN: r.value = a < b ? a : b; break;
    case NUM_MAX: r.value = a > b ? a : b; break;
    case NUM_EQ: return compared(a == b);
    case NUM_NE: return compared(a != b);
    case NUM_LT: return compared(a < b);
    case NUM_LE: return compared(a <= b);
    case NUM_GT: return compared(a > b);
    case NUM_GE: return compared(a >= b);
    case NUM_BITAND: r.value = a & b; break;
    case NUM_BITOR: r.value = a | b; break;
    case NUM_BITXOR: r.value = a ^ b; break;
    case NUM_SHL:
    case NUM_SHR: return shifted(op, bits, a, b);
    default: r.flags = NUM_NO_RULE; break;
    }
    return r;
}

static struct answer solve_unary(enum num_op op, unsigned bits, int64_t a)
{
    struct answer r = {0};
    int ones = 0, top = -1;
    for (int i = 0; i < (int)bits; i++) {
        if ((a >> i) % 2 != 0) {
            ones++;
            top = i;
        }
    }
    switch ((int)op) {
    case NUM_NEG: r.value = -a; break;
    case NUM_ABS: r.value = a < 0 ? -a : a; break;
    case NUM_POPCOUNT: r.value = ones; break;
    case NUM_CLZ:
        r.flags = top < 0 ? NUM_UNDEFINED : 0;
        r.value = top < 0 ? 0 : (int)bits - 1 - top;
        break;
    case NUM_FLOOR:
    case NUM_CEIL:
    case NUM_TRUNC:
    case NUM_ROUND:
    case NUM_NEARBYINT: r.value = a; break;
    case NUM_ISNAN:
    case NUM_ISINF: return compared(false);
    case NUM_ISFINITE: return compared(true);
    default: r.flags = NUM_NO_RULE; break;
    }
    return r;
}

/* Brings the wide answer into the width by adding multiples of 2^bits. */
static void finish(struct answer *r, unsigned bits, bool is_signed)
{
    int64_t span = (int64_t)1 << bits;
    int64_t least = is_signed ? -span / 2 : 0;
    if (r->truth)
        return;
    int64_t wrapped = (r->value - least) % span;
    wrapped = (wrapped < 0 ? wrapped + span : wrapped) + least;
    if (wrapped != r->value)
        r->flags |= NUM_WRAPPED;
    r->value = wrapped;
}

static void check(struct dtype t, enum num_op op, int64_t a, int64_t b,
                  struct answer want)
{
    char name[48];
    unsigned flags = 0;
    finish(&want, t.bits, t.code == DT_INT);
    uint64_t got = op < NUM_ADD
                       ? num_unary(op, t, (uint64_t)a, &flags)
                       : num_binary(op, t, (uint64_t)a, (uint64_t)b, &flags);
    if (got != (uint64_t)want.value || flags != want.flags)
        fail_msg("%s %s(%lld, %lld): got %lld flags %u, want %lld flags %u",
                 dtype_name(t, name), num_op_name(op), (long long)a,
                 (long long)b, (long long)got, flags, (long long)want.value,
                 want.flags);
}

static bool is_shift_complement(enum num_op op)
{
    return op == NUM_BITNOT; /* checked on its own */
}

static void test_all_pairs(void **state)
{
    (void)state;
    for (unsigned bits = 1; bits <= 8; bits++) {
        for (int is_signed = 0; is_signed < 2; is_signed++) {
            struct dtype t = dtype_make(is_signed ? DT_INT : DT_UINT, bits, 1);
            int64_t span = (int64_t)1 << bits;
            int64_t low = is_signed ? -span / 2 : 0;
            for (int64_t a = low; a < low + span; a++) {
                for (int op = 0; op < NUM_ADD; op++) {
                    if (!is_shift_complement((enum num_op)op))
                        check(t, (enum num_op)op, a, 0,
                              solve_unary((enum num_op)op, bits, a));
                }
                unsigned flags = 0;
                uint64_t inverse =
                    num_unary(NUM_BITNOT, t, (uint64_t)a, &flags);
                assert_int_equal((int64_t)inverse,
                                 is_signed ? -a - 1 : span - 1 - a);
                for (int64_t b = low; b < low + span; b++) {
                    for (int op = NUM_ADD; op < NUM_FMA; op++)
                        check(t, (enum num_op)op, a, b,
                              solve((enum num_op)op, bits, is_signed, a, b));
                }
            }
        }
    }
}

/* Widths 9 to 31: the same oracle still has room for products. */
static void test_middle_widths(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int k = 0; k < 200000; k++) {
        uint64_t r = oracle_random(&seed);
        unsigned bits = 9 + (unsigned)(r % 23), ignored = 0;
        bool is_signed = (r >> 8 & 1) != 0;
        struct dtype t = dtype_make(is_signed ? DT_INT : DT_UINT, bits, 1);
        int64_t a = (int64_t)num_from_int(t, (int64_t)(r >> 32), &ignored);
        int64_t b = (int64_t)oracle_random(&seed);
        if ((r >> 9 & 3) == 0) /* a shift count more often than not */
            b %= 40;
        b = (int64_t)num_from_int(t, b, &ignored);
        enum num_op op =
            (enum num_op)(NUM_ADD + (r >> 12) % (NUM_SHR + 1 - NUM_ADD));
        check(t, op, a, b, solve(op, bits, is_signed, a, b));
    }
}

#define MIN64 INT64_MIN
#define MAX64 INT64_MAX
#define UMAX  UINT64_MAX

static const struct {
    enum dtype_code code;
    unsigned bits;
    enum num_op op;
    uint64_t a, b, want;
    unsigned flags;
} edges[] = {
    {DT_INT, 64, NUM_ADD, MAX64, 1, (uint64_t)MIN64, NUM_WRAPPED},
    {DT_INT, 64, NUM_ADD, MAX64, 0, MAX64, 0},
    {DT_INT, 64, NUM_ADD, (uint64_t)MIN64, UMAX, MAX64, NUM_WRAPPED},
    {DT_INT, 64, NUM_ADD, UMAX, UMAX, UMAX - 1, 0},
    {DT_INT, 64, NUM_SUB, (uint64_t)MIN64, 1, MAX64, NUM_WRAPPED},
    {DT_INT, 64, NUM_SUB, 0, (uint64_t)MIN64, (uint64_t)MIN64, NUM_WRAPPED},
    {DT_INT, 64, NUM_SUB, UMAX, (uint64_t)MIN64, MAX64, 0},
    {DT_UINT, 64, NUM_ADD, UMAX, 1, 0, NUM_WRAPPED},
    {DT_UINT, 64, NUM_ADD, UMAX - 1, 1, UMAX, 0},
    {DT_UINT, 64, NUM_SUB, 0, 1, UMAX, NUM_WRAPPED},
    {DT_INT, 64, NUM_MUL, (uint64_t)1 << 32, (uint64_t)1 << 31, (uint64_t)MIN64,
     NUM_WRAPPED},
    {DT_INT, 64, NUM_MUL, (uint64_t)1 << 32, 0 - ((uint64_t)1 << 31),
     (uint64_t)MIN64, 0},
    {DT_INT, 64, NUM_MUL, (uint64_t)MIN64, UMAX, (uint64_t)MIN64, NUM_WRAPPED},
    {DT_INT, 64, NUM_MUL, 3037000500, 3037000500, UINT64_C(9223372037000250000),
     NUM_WRAPPED},
    {DT_INT, 64, NUM_MUL, 3037000499, 3037000499, UINT64_C(9223372030926249001),
     0},
    {DT_INT, 64, NUM_MUL, UMAX, UMAX, 1, 0},
    {DT_UINT, 64, NUM_MUL, 4294967295, 4294967297, UMAX, 0},
    {DT_UINT, 64, NUM_MUL, 4294967296, 4294967296, 0, NUM_WRAPPED},
    {DT_UINT, 64, NUM_MUL, UMAX, UMAX, 1, NUM_WRAPPED},
    {DT_INT, 33, NUM_MUL, 65536, 65536, UINT64_C(0xffffffff00000000),
     NUM_WRAPPED},
    {DT_INT, 33, NUM_MUL, 65536, 65535, UINT64_C(0xffff0000), 0},
    {DT_UINT, 33, NUM_MUL, 65536, 131072, 0, NUM_WRAPPED},
    {DT_INT, 63, NUM_ADD, MAX64 >> 1, 1, (uint64_t)(MIN64 / 2), NUM_WRAPPED},
    {DT_INT, 64, NUM_DIV, (uint64_t)MIN64, UMAX, 0, NUM_DIV_OVERFLOW},
    {DT_INT, 64, NUM_MOD, (uint64_t)MIN64, UMAX, 0, NUM_DIV_OVERFLOW},
    {DT_INT, 64, NUM_FLOORDIV, (uint64_t)MIN64, UMAX, 0, NUM_DIV_OVERFLOW},
    {DT_INT, 64, NUM_FLOORMOD, (uint64_t)MIN64, UMAX, 0, NUM_DIV_OVERFLOW},
    {DT_INT, 32, NUM_FLOORDIV, 7, 0 - UINT64_C(3), 0 - UINT64_C(3), 0},
    {DT_INT, 32, NUM_FLOORMOD, 7, 0 - UINT64_C(3), 0 - UINT64_C(2), 0},
    {DT_UINT, 64, NUM_DIV, UMAX, 2, MAX64, 0},
    {DT_UINT, 64, NUM_MAX, UMAX, 1, UMAX, 0},
    {DT_INT, 64, NUM_MAX, UMAX, 1, 1, 0},
    {DT_INT, 64, NUM_SHL, 1, 63, (uint64_t)MIN64, NUM_WRAPPED},
    {DT_INT, 64, NUM_SHL, UMAX, 63, (uint64_t)MIN64, 0},
    {DT_INT, 64, NUM_SHL, UINT64_C(0x8000000000000001), 1, 2, NUM_WRAPPED},
    {DT_UINT, 64, NUM_SHL, 1, 63, (uint64_t)MIN64, 0},
    {DT_UINT, 64, NUM_SHL, 2, 63, 0, NUM_WRAPPED},
    {DT_INT, 64, NUM_SHL, 1, 64, 0, NUM_UNDEFINED},
    {DT_INT, 64, NUM_SHR, (uint64_t)MIN64, 63, UMAX, 0},
    {DT_UINT, 64, NUM_SHR, (uint64_t)MIN64, 63, 1, 0},
    {DT_INT, 64, NUM_SHR, 1, UMAX, 0, NUM_UNDEFINED},
    {DT_INT, 64, NUM_NEG, (uint64_t)MIN64, 0, (uint64_t)MIN64, NUM_WRAPPED},
    {DT_INT, 64, NUM_ABS, (uint64_t)MIN64, 0, (uint64_t)MIN64, NUM_WRAPPED},
    {DT_UINT, 64, NUM_NEG, 1, 0, UMAX, NUM_WRAPPED},
    {DT_UINT, 64, NUM_POPCOUNT, UMAX, 0, 64, 0},
    {DT_INT, 64, NUM_CLZ, 1, 0, 63, 0},
    {DT_INT, 64, NUM_CLZ, UMAX, 0, 0, 0},
    {DT_BOOL, 8, NUM_AND, 1, 0, 0, 0},
    {DT_BOOL, 8, NUM_OR, 1, 0, 1, 0},
    {DT_BOOL, 8, NUM_BITXOR, 1, 1, 0, 0},
    {DT_BOOL, 8, NUM_LT, 0, 1, 1, 0},
    {DT_BOOL, 8, NUM_GE, 0, 1, 0, 0},
    {DT_BOOL, 8, NUM_NOT, 1, 0, 0, 0},
    {DT_BOOL, 8, NUM_BITNOT, 0, 0, 1, 0},
    {DT_BOOL, 8, NUM_ADD, 1, 1, 0, NUM_NO_RULE},
    {DT_BOOL, 8, NUM_MAX, 1, 0, 0, NUM_NO_RULE},
    {DT_BOOL, 8, NUM_SHL, 1, 0, 0, NUM_NO_RULE},
    {DT_HANDLE, 64, NUM_ADD, 1, 1, 0, NUM_NO_RULE},
};

static void test_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(edges); i++) {
        struct dtype t = dtype_make(edges[i].code, edges[i].bits, 1);
        enum num_op op = edges[i].op;
        unsigned flags = 0;
        uint64_t a = edges[i].a, b = edges[i].b;
        uint64_t got = op < NUM_ADD ? num_unary(op, t, a, &flags)
                                    : num_binary(op, t, a, b, &flags);
        if (got != edges[i].want || flags != edges[i].flags)
            fail_msg("row %u, %s: got %#llx flags %u", (unsigned)i,
                     num_op_name(op), (unsigned long long)got, flags);
    }
}

/* Products of 64 bits: whether they fit is decided by division. */
static void test_wide_products(void **state)
{
    (void)state;
    uint64_t seed = 17;
    for (int k = 0; k < 200000; k++) {
        uint64_t a = oracle_random(&seed) >> oracle_random(&seed) % 64;
        uint64_t b = oracle_random(&seed) >> oracle_random(&seed) % 64;
        unsigned flags = 0;
        num_binary(NUM_MUL, dtype_make(DT_UINT, 64, 1), a, b, &flags);
        bool fits = a == 0 || b <= UINT64_MAX / a;
        assert_int_equal(flags, fits ? 0 : NUM_WRAPPED);
        bool negative = k % 2 == 0;
        uint64_t limit = (uint64_t)INT64_MAX + (negative ? 1 : 0);
        if (a > INT64_MAX || b > INT64_MAX)
            continue;
        flags = 0;
        num_binary(NUM_MUL, DTYPE_INT64, negative ? 0 - a : a, b, &flags);
        fits = a == 0 || b <= limit / a;
        assert_int_equal(flags, fits ? 0 : NUM_WRAPPED);
    }
}

static void test_conversions(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        uint64_t in, out;
    } rows[] = {
        {"int32", "int8", 200, 0 - UINT64_C(56)},
        {"int32", "uint8", UMAX, 255},
        {"uint8", "int8", 255, UMAX},
        {"int8", "uint64", UMAX, UMAX},
        {"int8", "uint32", UMAX, 0xffffffff},
        {"int32", "bool", 2, 1},
        {"bool", "int8", 1, 1},
        {"bool", "float32", 1, 0x3f800000},
        {"int4", "int32", UMAX, UMAX},
        {"int32", "int4", 9, 0 - UINT64_C(7)},
        {"handle", "uint64", 5, 5},
        {"uint64", "float32", UMAX, 0x5f800000},
        {"int64", "float64", (uint64_t)MAX64, UINT64_C(0x43e0000000000000)},
        {"int32", "float16", 65520, 0x7c00},
        {"int32", "float16", 65519, 0x7bff},
        {"float32", "int32", 0xcf000000, UINT64_C(0xffffffff80000000)},
        {"float32", "uint8", 0xbf400000, 0}, /* -0.75 */
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct dtype from, to;
        unsigned flags = 0;
        assert_true(dtype_parse(rows[i].from, &from));
        assert_true(dtype_parse(rows[i].to, &to));
        uint64_t got = num_cast(from, to, rows[i].in, &flags);
        if (got != rows[i].out)
            fail_msg("%s to %s: got %#llx", rows[i].from, rows[i].to,
                     (unsigned long long)got);
    }
    unsigned flags = 0;
    num_cast(DTYPE_FLOAT32, DTYPE_INT32, 0x4f000000, &flags); /* 2^31 */
    assert_int_equal(flags, NUM_UNDEFINED);
    flags = 0;
    num_cast(DTYPE_HANDLE, DTYPE_FLOAT32, 0, &flags);
    assert_int_equal(flags, NUM_NO_RULE);
}

static void test_literals(void **state)
{
    (void)state;
    static const struct {
        const char *type;
        double value;
        uint64_t want;
        unsigned flags;
    } rows[] = {
        {"int8", -128, 0 - UINT64_C(128), 0},
        {"int8", 128, 0, NUM_UNDEFINED},
        {"int32", 0.5, 0, NUM_UNDEFINED},
        {"uint64", 0x1p63, (uint64_t)MIN64, 0},
        {"uint64", 0x1p64, 0, NUM_UNDEFINED},
        {"uint8", -1, 0, NUM_UNDEFINED},
        {"bool", 1, 1, 0},
        {"bool", 2, 0, NUM_UNDEFINED},
        {"bool", -1, 0, NUM_UNDEFINED},
        {"void", 0, 0, NUM_NO_RULE},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct dtype t;
        unsigned flags = 0;
        assert_true(dtype_parse(rows[i].type, &t));
        uint64_t got = num_from_double(t, rows[i].value, &flags);
        assert_true(got == rows[i].want && flags == rows[i].flags);
    }
    unsigned flags = 0;
    assert_true(num_from_int(dtype_make(DT_UINT, 8, 1), -1, &flags) == 255);
    assert_int_equal(flags, NUM_WRAPPED);
    flags = 0;
    assert_true(num_from_int(dtype_make(DT_INT, 8, 1), -1, &flags) == UMAX);
    assert_int_equal(flags, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_pairs),
        cmocka_unit_test(test_middle_widths),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_wide_products),
        cmocka_unit_test(test_conversions),
        cmocka_unit_test(test_literals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
