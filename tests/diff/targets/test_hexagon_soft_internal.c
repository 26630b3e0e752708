/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic that kernels for Hexagon bring with them, against the host's:
 * on random bits, on numbers near each other in size, on limits and their
 * neighbours, the same bits (any NaN is as good as another). cli.hexagon runs
 * it on Hexagon itself.
 */
#include "diff/targets/hexagon/hexagon_soft.c"
#include "ir/num/num.h"
#include "tests/test.h"

#include <math.h>

#define ROUNDS 200000

static uint64_t seed;

static uint64_t random_bits(void)
{
    seed += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = seed;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Of `bits` bits with `mant` of significand: anything, exponents near that of
 * 1, few digits, limits and what is next to them. */
static uint64_t operand(int bits, int mant)
{
    uint64_t r = random_bits(), all = UINT64_MAX >> (64 - bits);
    uint64_t sign = r & 1 ? UINT64_C(1) << (bits - 1) : 0;
    uint64_t infinity = (all >> 1) - ((UINT64_C(1) << mant) - 1);
    uint64_t one = infinity / 2 & ~((UINT64_C(1) << mant) - 1);
    const uint64_t limits[] = {0,   1,        UINT64_C(1) << mant,
                               one, infinity, infinity - 1};
    switch (random_bits() % 5) {
    case 0: return random_bits() & all;
    case 1:
        return sign | (one + (random_bits() % 8 << mant) +
                       (random_bits() >> (64 - mant)));
    case 2:
        return sign | (one + (random_bits() % 64 << mant) +
                       (random_bits() % 8 << (mant - 3)));
    case 3: return sign | (random_bits() >> (64 - mant));
    default:
        return (sign | (limits[random_bits() % DC_ARRAY_LEN(limits)] +
                        random_bits() % 3 - 1)) &
               all;
    }
}

static double double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, sizeof x);
    return x;
}

static uint64_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void check_double(const char *what, uint64_t got, double want,
                         const uint64_t *x)
{
    if (isnan(want) ? !isnan(double_of(got)) : got != bits_of(want))
        fail_msg("%s(%a, %a, %a): got %a, want %a", what, double_of(x[0]),
                 double_of(x[1]), double_of(x[2]), double_of(got), want);
}

static void check_float(const char *what, uint64_t got, float want,
                        const uint64_t *x)
{
    if (isnan(want) ? !isnan(float_of(got)) : got != bits_of_float(want))
        fail_msg("%s(%a, %a): got %a, want %a", what, (double)float_of(x[0]),
                 (double)float_of(x[1]), (double)float_of(got), (double)want);
}

static void test_double(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t x[3] = {operand(64, 52), operand(64, 52), operand(64, 52)};
        double a = double_of(x[0]), b = double_of(x[1]), c = double_of(x[2]);
        check_double("mul", rt_mul_double(x[0], x[1]), a * b, x);
        check_double("div", rt_div_double(x[0], x[1]), a / b, x);
        check_double("sqrt", rt_sqrt_double(x[0]), sqrt(a), x);
        check_double("fma", rt_fma_double(x[0], x[1], x[2]), fma(a, b, c), x);
        if (!isnan(a) && !isnan(b))
            check_double("nextafter", rt_next(x[0], x[1], RT_SIGN),
                         nextafter(a, b), x);
        check_double("fmod", rt_fmod_double(x[0], x[1]), fmod(a, b), x);
    }
}

/* Products that almost cancel what is added. */
static void test_cancellation(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t x[3] = {operand(64, 52), operand(64, 52), 0};
        double a = double_of(x[0]), b = double_of(x[1]);
        x[2] = bits_of(-(a * b)) + random_bits() % 5 - 2;
        check_double("fma", rt_fma_double(x[0], x[1], x[2]),
                     fma(a, b, double_of(x[2])), x);
    }
}

static void test_single(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t x[2] = {operand(32, 23), operand(32, 23)};
        float a = float_of(x[0]), b = float_of(x[1]);
        check_float("div", rt_div_single((uint32_t)x[0], (uint32_t)x[1]), a / b,
                    x);
        check_float("sqrt", rt_sqrt_single((uint32_t)x[0]), sqrtf(a), x);
        if (!isnan(a) && !isnan(b))
            check_float("nextafter", rt_next(x[0], x[1], UINT64_C(1) << 31),
                        nextafterf(a, b), x);
    }
}

static void test_whole(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t x[3] = {operand(64, 52), 0, 0}, y[2] = {operand(32, 23), 0};
        double a = double_of(x[0]);
        float b = float_of(y[0]);
        check_double("floor", rt_whole(&rt_double, x[0], 64, RT_DOWN), floor(a),
                     x);
        check_double("ceil", rt_whole(&rt_double, x[0], 64, RT_UP), ceil(a), x);
        check_double("trunc", rt_whole(&rt_double, x[0], 64, RT_TO_ZERO),
                     trunc(a), x);
        check_double("nearbyint", rt_whole(&rt_double, x[0], 64, RT_TO_EVEN),
                     nearbyint(a), x);
        check_float("floor", rt_whole(&rt_single, y[0], 32, RT_DOWN), floorf(b),
                    y);
        check_float("ceil", rt_whole(&rt_single, y[0], 32, RT_UP), ceilf(b), y);
        check_float("trunc", rt_whole(&rt_single, y[0], 32, RT_TO_ZERO),
                    truncf(b), y);
        check_float("nearbyint", rt_whole(&rt_single, y[0], 32, RT_TO_EVEN),
                    nearbyintf(b), y);
    }
}

/* float16 by ir/num, which has its own tests: all codes, and random ones to
 * float16. */
static void test_half(void **state)
{
    (void)state;
    const struct dtype half = dtype_make(DT_FLOAT, 16, 1);
    const struct dtype wide = dtype_make(DT_FLOAT, 64, 1);
    unsigned flags = 0;
    for (uint32_t i = 0; i <= UINT16_MAX; i++) {
        uint64_t want = num_cast(half, DTYPE_FLOAT32, i, &flags);
        uint64_t got = rt_single_of_half((uint16_t)i);
        if (!num_same(DTYPE_FLOAT32, want, got))
            fail_msg("half %x: got %llx, want %llx", i, (unsigned long long)got,
                     (unsigned long long)want);
    }
    for (int i = 0; i < ROUNDS; i++) {
        /* around the range of float16 */
        uint64_t x = operand(32, 23), y = operand(64, 52);
        if (i % 2 == 0) {
            uint64_t f = (random_bits() % 48 + 100) << 23;
            x = f | (random_bits() & 0x807fffff);
            y = bits_of((double)float_of(x)) + random_bits() % 3 - 1;
        }
        uint64_t a = num_cast(DTYPE_FLOAT32, half, x, &flags);
        uint64_t b = num_cast(wide, half, y, &flags);
        if (!num_same(half, a, rt_half_of_single((uint32_t)x)) ||
            !num_same(half, b, rt_half_of_double(y)))
            fail_msg("to half: %a or %a", (double)float_of(x), double_of(y));
    }
}

static void test_integer(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        uint64_t x = random_bits() >> random_bits() % 64, rest;
        uint64_t y = random_bits() >> random_bits() % 64;
        uint32_t u = (uint32_t)(random_bits() >> (32 + random_bits() % 32));
        uint32_t v = (uint32_t)(random_bits() >> (32 + random_bits() % 32));
        uint32_t rest32;
        if (y == 0 || v == 0)
            continue;
        assert_true(rt_divide64(x, y, &rest) == x / y && rest == x % y);
        assert_true(rt_divide32(u, v, &rest32) == u / v && rest32 == u % v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_double), cmocka_unit_test(test_cancellation),
        cmocka_unit_test(test_single), cmocka_unit_test(test_whole),
        cmocka_unit_test(test_half),   cmocka_unit_test(test_integer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
