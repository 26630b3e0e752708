/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic of single operations under a profile (docs/semantics.md, A9 to
 * A11, A14, A15): against the processor's own rounding toward zero, against
 * MPFR, and against the definition; and the names of toggles.
 */
#include "ir/num/profile.h"
#include "tests/ir/num/oracle.h"
#include "tests/test.h"

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static float float_of(uint64_t bits)
{
    uint32_t u = (uint32_t)bits;
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

static uint64_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static struct num_profile profile_of(const char *text)
{
    struct num_profile p;
    const char *bad = "";
    if (!num_profile_parse(text, &p, &bad))
        fail_msg("profile '%s': not understood at '%s'", text, bad);
    return p;
}

/* ---- A9 in float32: the processor's -------------------------------------------------- */

static float in_hardware(enum num_op op, volatile float x, volatile float y)
{
    volatile float r = 0;
    (void)fesetround(FE_TOWARDZERO);
    if (op == NUM_ADD)
        r = x + y;
    else if (op == NUM_SUB)
        r = x - y;
    else if (op == NUM_MUL)
        r = x * y;
    else if (op == NUM_DIV)
        r = x / y;
    else
        r = sqrtf(x);
    (void)fesetround(FE_TONEAREST);
    return r;
}

static void test_hardware(void **state)
{
    struct num_profile p = profile_of("round=zero");
    uint64_t seed = 9;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint64_t a = oracle_random(&seed) >> 32, b = oracle_random(&seed) >> 32;
        if (i % 3 == 0) /* of like size: cancellation, ties */
            b = (a & 0xff800000u) | (b & 0x807fffffu);
        float x = float_of(a), y = float_of(b);
        for (int op = NUM_ADD; op <= NUM_DIV; op++) {
            unsigned flags = 0;
            uint64_t want = bits_of(in_hardware((enum num_op)op, x, y));
            uint64_t have = num_profile_binary(&p, (enum num_op)op,
                                               DTYPE_FLOAT32, a, b, &flags);
            if (!num_same(DTYPE_FLOAT32, have, want))
                fail_msg("%s of %a, %a: %a, expected %a",
                         num_op_name((enum num_op)op), (double)x, (double)y,
                         (double)float_of(have), (double)float_of(want));
        }
        unsigned flags = 0;
        uint64_t root =
            num_profile_unary(&p, NUM_SQRT, DTYPE_FLOAT32, a, &flags);
        assert_true(num_same(DTYPE_FLOAT32, root,
                             bits_of(in_hardware(NUM_SQRT, x, 0))));
    }
}

/* ---- A9, A10 in float16 and bfloat16: exact numbers in MPFR --------------------------- */

/* The largest magnitude of the format that is at most |exact|. */
static uint64_t cut(const struct oracle *o, mpfr_srcptr exact)
{
    uint64_t lo = 0, hi = o->max;
    while (lo < hi) {
        uint64_t middle = (lo + hi + 1) / 2;
        mpfr_t v;
        mpfr_init2(v, 53);
        mpfr_set_d(v, oracle_value(o, middle), MPFR_RNDN);
        if (mpfr_cmpabs(v, exact) <= 0)
            lo = middle;
        else
            hi = middle - 1;
        mpfr_clear(v);
    }
    return mpfr_signbit(exact) ? lo | UINT64_C(1) << (o->bits - 1) : lo;
}

static void check_cut(const struct oracle *o, const char *what, uint64_t have,
                      mpfr_srcptr exact)
{
    if (mpfr_number_p(exact) == 0 || mpfr_zero_p(exact))
        return;
    uint64_t want = cut(o, exact);
    if (have != want)
        fail_msg("%s in %s: %llx, expected %llx", what, o->name,
                 (unsigned long long)have, (unsigned long long)want);
}

static void check_format(const struct oracle *o, uint64_t *seed)
{
    struct num_profile p = profile_of("round=zero");
    struct num_profile q = profile_of("round-cast=zero");
    mpfr_t exact;
    mpfr_init2(exact, 700);
    for (int i = 0; i < 30000; i++) {
        uint64_t mask = (UINT64_C(1) << o->bits) - 1;
        uint64_t a = oracle_random(seed) & mask, b = oracle_random(seed) & mask;
        uint64_t c = oracle_random(seed) & mask;
        double x = oracle_decode(o, a), y = oracle_decode(o, b);
        double z = oracle_decode(o, c);
        unsigned flags = 0;
        if (!isfinite(x) || !isfinite(y) || !isfinite(z))
            continue;
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_add_d(exact, exact, y, MPFR_RNDN);
        check_cut(o, "sum",
                  num_profile_binary(&p, NUM_ADD, o->type, a, b, &flags),
                  exact);
        mpfr_set_d(exact, x, MPFR_RNDN);
        mpfr_mul_d(exact, exact, y, MPFR_RNDN);
        check_cut(o, "product",
                  num_profile_binary(&p, NUM_MUL, o->type, a, b, &flags),
                  exact);
        mpfr_add_d(exact, exact, z, MPFR_RNDN);
        check_cut(o, "fma", num_profile_fma(&p, o->type, a, b, c, &flags),
                  exact);
        float f = (float)x * 1.1f + (float)y;
        mpfr_set_d(exact, (double)f, MPFR_RNDN);
        if (isfinite(f))
            check_cut(o, "conversion",
                      num_profile_cast(&q, DTYPE_FLOAT32, o->type, bits_of(f),
                                       &flags),
                      exact);
    }
    mpfr_clear(exact);
}

static void test_short(void **state)
{
    uint64_t seed = 4;
    (void)state;
    oracle_setup();
    check_format(&oracle_fp16, &seed);
    check_format(&oracle_bf16, &seed);
    oracle_teardown();
}

/* ---- A11 ---------------------------------------------------------------------------------- */

static void test_flush(void **state)
{
    static const struct {
        const char *profile;
        enum num_op op;
        uint64_t a, b, want;
    } rows[] = {
        /* 2^-100 * 2^-40 = 2^-140 */
        {"reference", NUM_MUL, 0x0d800000, 0x2b800000, 0x00000200},
        {"flush-single=results", NUM_MUL, 0x0d800000, 0x2b800000, 0},
        {"flush-single=operands", NUM_MUL, 0x0d800000, 0x2b800000, 0x00000200},
        {"flush-single=both", NUM_MUL, 0x0d800000, 0xab800000, 0x80000000},
        /* a subnormal operand plus a normal number */
        {"flush-single=operands", NUM_ADD, 0x00400000, 0x00800000, 0x00800000},
        {"flush-single=results", NUM_ADD, 0x00400000, 0x00800000, 0x00c00000},
        {"flush-half=both", NUM_MUL, 0x0d800000, 0x2b800000, 0x00000200},
        /* comparisons see the operands */
        {"flush-single=operands", NUM_GT, 0x00400000, 0, 0},
        {"flush-single=results", NUM_GT, 0x00400000, 0, 1},
        /* copies do not */
        {"flush-single=both", NUM_COPYSIGN, 0x00400000, 0x80000000, 0x80400000},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct num_profile p = profile_of(rows[i].profile);
        unsigned flags = 0;
        assert_int_equal(num_profile_binary(&p, rows[i].op, DTYPE_FLOAT32,
                                            rows[i].a, rows[i].b, &flags),
                         rows[i].want);
    }
    struct num_profile p = profile_of("flush-half=results");
    unsigned flags = 0;
    /* 2^-15, a subnormal float16 */
    assert_int_equal(num_profile_cast(&p, DTYPE_FLOAT32,
                                      dtype_make(DT_FLOAT, 16, 1), 0x38000000,
                                      &flags),
                     0);
}

/* ---- A14, A15 -------------------------------------------------------------------------------- */

static void test_functions(void **state)
{
    struct num_profile f = profile_of("functions=float");
    struct num_profile d = profile_of("functions=double");
    uint64_t seed = 12;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        float x = (float)oracle_random_float(&seed);
        unsigned flags = 0;
        uint64_t a = bits_of(x);
        assert_true(num_same(
            DTYPE_FLOAT32, bits_of(tanhf(x)),
            num_profile_unary(&f, NUM_TANH, DTYPE_FLOAT32, a, &flags)));
        assert_true(
            num_same(DTYPE_FLOAT32, bits_of((float)exp((double)x)),
                     num_profile_unary(&d, NUM_EXP, DTYPE_FLOAT32, a, &flags)));
        /* roots are operations */
        assert_int_equal(
            num_profile_unary(&f, NUM_SQRT, DTYPE_FLOAT32, a, &flags),
            num_unary(NUM_SQRT, DTYPE_FLOAT32, a, &flags));
    }
}

static void test_literals(void **state)
{
    struct num_profile six = profile_of("literals=6");
    struct num_profile seven = profile_of("literals=7");
    struct num_profile nine = profile_of("literals=9");
    unsigned flags = 0;
    (void)state;
    assert_int_equal(
        num_profile_literal(&six, DTYPE_FLOAT32, 0.31830987334251404, &flags),
        bits_of(0.31831f));
    assert_int_equal(
        num_profile_literal(&seven, DTYPE_FLOAT32, 0.31830987334251404, &flags),
        bits_of(0.3183099f)); /* printed 3.183099e-01 */
    assert_int_equal(
        num_profile_literal(&nine, DTYPE_FLOAT32, 0.31830987334251404, &flags),
        bits_of(0.31830987334251404f)); /* 9 digits hold a float */
    assert_int_equal(num_profile_literal(&six, DTYPE_FLOAT32, 0.5, &flags),
                     bits_of(0.5f));
}

/* ---- qfloat (A17) --------------------------------------------------------------------------- */

static const struct qfloat_row {
    unsigned bits;
    enum num_op op;
    uint32_t a, b, want;
} qfloat_rows[] = {
    /* neither 0 nor 1 is a qfloat; zeros survive the way back */
    {16, NUM_ADD, 0x3c00, 0x3c00, 0x4001},
    {16, NUM_MUL, 0x3c00, 0x3c00, 0x3c01},
    {16, NUM_ADD, 0x0000, 0x0000, 0x0000},
    {16, NUM_ADD, 0x8000, 0x8000, 0x8000},
    {16, NUM_ADD, 0x8000, 0x0000, 0x0000},
    {16, NUM_SUB, 0x3c00, 0x3c00, 0x0000},
    {16, NUM_MUL, 0x0000, 0xbc00, 0x8000},
    /* of four neighbours only the first moves */
    {16, NUM_ADD, 0x3c01, 0x0000, 0x3c01},
    {16, NUM_ADD, 0x3c02, 0x0000, 0x3c02},
    {16, NUM_ADD, 0x3c03, 0x0000, 0x3c03},
    {16, NUM_ADD, 0x3c04, 0x0000, 0x3c05},
    /* two negative ones away from zero, a difference upwards */
    {16, NUM_ADD, 0xbc00, 0xbc00, 0xc001},
    {16, NUM_SUB, 0x0000, 0x3c00, 0xbbfe},
    /* the highest exponent is as any other; then the result saturates */
    {16, NUM_ADD, 0x7bff, 0x7bff, 0x7fff},
    {16, NUM_MUL, 0x7bff, 0xfbff, 0xffff},
    {32, NUM_ADD, 0x3f800000, 0x3f800000, 0x40000001},
    {32, NUM_MUL, 0x3f800000, 0xbf800000, 0xbf800001},
};

static void test_qfloat_by_hand(void **state)
{
    struct num_profile p = profile_of("qfloat=each");
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(qfloat_rows); i++) {
        const struct qfloat_row *r = &qfloat_rows[i];
        struct dtype t = dtype_make(DT_FLOAT, r->bits, 1);
        unsigned flags = 0;
        uint64_t got = num_profile_binary(&p, r->op, t, r->a, r->b, &flags);
        if (got != r->want)
            fail_msg("row %zu: got %llx, want %x", i, (unsigned long long)got,
                     r->want);
    }
}

/* A17 in double, which holds float16 and, of near exponents, float32. */
struct slow {
    int digits, least, most;
};

static double slow_operand(const struct slow *q, uint64_t bits, int *e)
{
    int field = (int)(bits >> q->digits) & (2 * q->most - 1);
    double m = (double)(bits & ((UINT64_C(1) << q->digits) - 1));
    *e = field > 0 ? field + q->least : q->least + 1;
    m += field > 0 ? ldexp(1, q->digits) : 0;
    return bits >> (q->digits == 10 ? 15 : 31) != 0 ? -m : m;
}

static double slow_round(const struct slow *q, double x, int *e)
{
    double two = ldexp(2, q->digits), result;
    bool zero = x == 0, large = fabs(x) >= two && x != -two, up = false;
    if (*e > q->most || (large && *e == q->most)) {
        *e = q->most;
        return x < 0 ? 1 - two : two - 1;
    }
    if (*e < q->least - 1) {
        *e = q->least;
        return x < 0 ? -1 : 1;
    }
    if (*e < q->most && (large || *e == q->least - 1)) {
        x /= 2;
        *e += 1;
        up = true;
    }
    double base = 4 * floor(x / 4), rest = x - base;
    if (up || *e == q->most) {
        result = base + (rest <= 2 ? 1 : 3);
    } else if (rest > 1.5 && rest <= 2.5) {
        result = (base + 2) / 2;
        *e += 1;
    } else {
        result = base + (rest <= 1.5 ? 1 : 3);
    }
    if (zero)
        *e = q->least;
    return result;
}

static uint64_t slow_qfloat(enum num_op op, const struct slow *q, uint64_t a,
                            uint64_t b)
{
    int d, e, top;
    uint64_t sign = UINT64_C(1) << (q->digits == 10 ? 15 : 31);
    double x = slow_operand(q, a, &d), y = slow_operand(q, b, &e), s;
    bool negate = (a & b & sign) != 0;
    if (op == NUM_MUL) {
        top = d + e;
        s = slow_round(q, ldexp(fabs(x) * fabs(y), -q->digits), &top);
        negate = ((a ^ b) & sign) != 0;
    } else {
        top = d > e ? d : e;
        x = ldexp(x, d - top) + ldexp(y, e - top);
        s = slow_round(q, negate ? -x : x, &top);
    }
    /* to the format: its own rounding but for the highest exponent */
    double value = ldexp(fabs(s), top - q->digits);
    int at = ilogb(value) > q->least + 1 ? ilogb(value) : q->least + 1;
    double units = nearbyint(ldexp(value, q->digits - at));
    uint64_t code =
        ((uint64_t)(at - q->least - 1) << q->digits) + (uint64_t)units;
    return code | ((s < 0) != negate ? sign : 0);
}

static void test_qfloat(void **state)
{
    static const struct slow qf16 = {10, -15, 16}, qf32 = {23, -127, 128};
    struct num_profile p = profile_of("qfloat=each");
    struct dtype half = dtype_make(DT_FLOAT, 16, 1);
    unsigned flags = 0;
    uint64_t seed = 1;
    (void)state;
    for (uint32_t a = 0; a < 65536; a += 37)
        for (uint32_t b = a % 31; b < 65536; b += 31) {
            assert_int_equal(
                num_profile_binary(&p, NUM_MUL, half, a, b, &flags),
                slow_qfloat(NUM_MUL, &qf16, a, b));
            assert_int_equal(
                num_profile_binary(&p, NUM_ADD, half, a, b, &flags),
                slow_qfloat(NUM_ADD, &qf16, a, b));
            assert_int_equal(
                num_profile_binary(&p, NUM_SUB, half, a, b ^ 0x8000, &flags),
                slow_qfloat(NUM_ADD, &qf16, a, b));
        }
    for (int i = 0; i < 500000; i++) {
        uint64_t a = seed = hash_mix(seed, (uint64_t)i);
        uint64_t near = (a >> 23 & 0xff) + (a >> 40) % 41 - 20;
        uint64_t b = (a >> 32 & 0x807fffff) | (near & 0xff) << 23;
        a &= UINT32_MAX;
        if (near > 255)
            continue;
        assert_int_equal(
            num_profile_binary(&p, NUM_MUL, DTYPE_FLOAT32, a, b, &flags),
            slow_qfloat(NUM_MUL, &qf32, a, b));
        assert_int_equal(
            num_profile_binary(&p, NUM_ADD, DTYPE_FLOAT32, a, b, &flags),
            slow_qfloat(NUM_ADD, &qf32, a, b));
    }
}

/* ---- names -------------------------------------------------------------------------------------- */

static void test_names(void **state)
{
    (void)state;
    for (unsigned t = 0; t < NUM_NTOGGLES; t++)
        for (unsigned v = 0; v < num_toggle_settings((enum num_toggle)t); v++) {
            struct num_profile p = {{0}}, again;
            struct buf text = {0};
            p.set[t] = (uint8_t)v;
            assert_non_null(num_setting_meaning((enum num_toggle)t, v));
            num_profile_put(&text, &p);
            assert_true(num_profile_parse(buf_text(&text), &again, NULL));
            assert_true(num_profile_equal(&p, &again));
            buf_fini(&text);
        }
    struct num_profile p;
    const char *bad = NULL;
    assert_false(num_profile_parse("half=each keep=never", &p, &bad));
    assert_string_equal(bad, "keep=never");
    assert_true(num_profile_parse("half=each,contract=left", &p, NULL));
    assert_int_equal(p.set[NUM_T_HALF], NUM_HALF_EACH);
    assert_int_equal(p.set[NUM_T_CONTRACT], NUM_CONTRACT_LEFT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hardware), cmocka_unit_test(test_short),
        cmocka_unit_test(test_flush),    cmocka_unit_test(test_functions),
        cmocka_unit_test(test_literals), cmocka_unit_test(test_qfloat_by_hand),
        cmocka_unit_test(test_qfloat),   cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
