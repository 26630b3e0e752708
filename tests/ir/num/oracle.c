/* SPDX-License-Identifier: Apache-2.0
 *
 * The slow implementation that ir/num is tested against.
 *
 * Rounding is a binary search in the list of representable magnitudes for the
 * largest that is not above the exact value, then a comparison with the
 * midpoint to the next one; beyond the largest the list is imagined to go on
 * by the same step. This shares no idea with the shifting in format.c.
 */
#include "tests/ir/num/oracle.h"

#include "tests/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
#define F(n, code, bits, e, m, bias, max, over, nan, uz)                       \
    {n, {code, bits, 1, false}, bits, e, m, bias, max, over, nan, uz, NULL}
struct oracle oracle_fp16 =
    F("fp16", DT_FLOAT, 16, 5, 10, 15, 0x7bff, 0x7c00, 0x7e00, false);
struct oracle oracle_bf16 =
    F("bf16", DT_BFLOAT, 16, 8, 7, 127, 0x7f7f, 0x7f80, 0x7fc0, false);
struct oracle oracle_fp32 =
    F("fp32", DT_FLOAT, 32, 8, 23, 127, 0x7f7fffff, 0x7f800000, 0x7fc00000,
      false);
struct oracle oracle_fp64 =
    F("fp64", DT_FLOAT, 64, 11, 52, 1023, 0x7fefffffffffffff,
      0x7ff0000000000000, 0x7ff8000000000000, false);
struct oracle oracle_e4m3fn =
    F("e4m3fn", DT_FLOAT8_E4M3FN, 8, 4, 3, 7, 0x7e, 0x7f, 0x7f, false);
struct oracle oracle_e5m2 =
    F("e5m2", DT_FLOAT8_E5M2, 8, 5, 2, 15, 0x7b, 0x7c, 0x7e, false);
static struct oracle more[] = {
    F("e3m4", DT_FLOAT8_E3M4, 8, 3, 4, 3, 0x6f, 0x70, 0x78, false),
    F("e4m3", DT_FLOAT8_E4M3, 8, 4, 3, 7, 0x77, 0x78, 0x7c, false),
    F("e4m3b11fnuz", DT_FLOAT8_E4M3B11FNUZ, 8, 4, 3, 11, 0x7f, 0x80, 0x80,
      true),
    F("e4m3fnuz", DT_FLOAT8_E4M3FNUZ, 8, 4, 3, 8, 0x7f, 0x80, 0x80, true),
    F("e5m2fnuz", DT_FLOAT8_E5M2FNUZ, 8, 5, 2, 16, 0x7f, 0x80, 0x80, true),
    F("e2m3fn", DT_FLOAT6_E2M3FN, 6, 2, 3, 1, 0x1f, 0x1f, 0x20, false),
    F("e3m2fn", DT_FLOAT6_E3M2FN, 6, 3, 2, 3, 0x1f, 0x1f, 0x20, false),
    F("e2m1fn", DT_FLOAT4_E2M1FN, 4, 2, 1, 1, 0x7, 0x7, 0x8, false),
};
#undef F
// clang-format on

struct oracle *const oracle_all[] = {
    &oracle_fp16, &oracle_bf16, &oracle_fp32, &oracle_fp64, &oracle_e4m3fn,
    &oracle_e5m2, &more[0],     &more[1],     &more[2],     &more[3],
    &more[4],     &more[5],     &more[6],     &more[7],
};
const size_t oracle_count = DC_ARRAY_LEN(oracle_all);

static uint64_t sign_bit(const struct oracle *o)
{
    return UINT64_C(1) << (o->bits - 1);
}

double oracle_value(const struct oracle *o, uint64_t magnitude)
{
    int field = (int)(magnitude >> o->mantissa_bits);
    uint64_t one = UINT64_C(1) << o->mantissa_bits;
    uint64_t fraction = magnitude & (one - 1);
    int scale = (field == 0 ? 1 : field) - o->bias - o->mantissa_bits;
    return ldexp((double)(field == 0 ? fraction : fraction + one), scale);
}

void oracle_setup(void)
{
    for (size_t i = 0; i < oracle_count; i++) {
        struct oracle *o = oracle_all[i];
        if (o->bits > 16)
            continue;
        o->values = calloc(o->max + 1, sizeof *o->values);
        for (uint64_t code = 0; code <= o->max; code++)
            o->values[code] = oracle_value(o, code);
    }
}

void oracle_teardown(void)
{
    for (size_t i = 0; i < oracle_count; i++) {
        free(oracle_all[i]->values);
        oracle_all[i]->values = NULL;
    }
    num_release_caches();
}

static bool is_infinite(const struct oracle *o, uint64_t bits)
{
    uint64_t magnitude = bits & ~sign_bit(o);
    return magnitude == o->overflow && o->overflow != o->nan &&
           o->overflow > o->max;
}

bool oracle_is_nan(const struct oracle *o, uint64_t bits)
{
    if (o->unsigned_zero)
        return bits == o->nan;
    uint64_t magnitude = bits & ~sign_bit(o);
    return magnitude > o->max && !is_infinite(o, bits);
}

double oracle_decode(const struct oracle *o, uint64_t bits)
{
    if (oracle_is_nan(o, bits))
        return (double)NAN;
    double value =
        is_infinite(o, bits) ? HUGE_VAL : oracle_value(o, bits & ~sign_bit(o));
    return (bits & sign_bit(o)) != 0 ? -value : value;
}

static uint64_t with_sign(const struct oracle *o, bool negative, uint64_t code)
{
    if (code == o->nan || (o->unsigned_zero && code == 0))
        return code; /* NaN has no sign */
    return negative ? code | sign_bit(o) : code;
}

uint64_t oracle_round_by(const struct oracle *o, bool negative,
                         oracle_compare compare, const void *context,
                         bool *inexact)
{
    uint64_t low = 0, high = o->max;
    while (low < high) {
        uint64_t middle = (low + high + 1) / 2;
        if (compare(context, o->values[middle]) >= 0)
            low = middle;
        else
            high = middle - 1;
    }
    *inexact = compare(context, o->values[low]) != 0;
    if (*inexact) {
        double step = low < o->max ? o->values[low + 1] - o->values[low]
                                   : o->values[low] - o->values[low - 1];
        int side = compare(context, o->values[low] + step / 2);
        if (side > 0 || (side == 0 && low % 2 == 1))
            low++;
    }
    return with_sign(o, negative, low > o->max ? o->overflow : low);
}

static int compare_double(const void *context, double bound)
{
    const double *exact = context;
    return (*exact > bound) - (*exact < bound);
}

uint64_t oracle_round_double(const struct oracle *o, double exact,
                             bool *inexact)
{
    *inexact = false;
    if (isnan(exact))
        return o->nan;
    double magnitude = fabs(exact);
    return oracle_round_by(o, signbit(exact) != 0, compare_double, &magnitude,
                           inexact);
}

uint64_t oracle_round(const struct oracle *o, mpfr_srcptr exact, bool *inexact)
{
    *inexact = false;
    if (mpfr_nan_p(exact))
        return o->nan;
    bool negative = mpfr_signbit(exact) != 0;
    if (mpfr_inf_p(exact))
        return with_sign(o, negative, o->overflow);
    mpfr_t magnitude, middle;
    mpfr_init2(magnitude, mpfr_get_prec(exact));
    mpfr_init2(middle, 64);
    mpfr_abs(magnitude, exact, MPFR_RNDN);
    uint64_t low = 0, high = o->max;
    while (low < high) {
        uint64_t probe = low + (high - low + 1) / 2;
        if (mpfr_cmp_d(magnitude, oracle_value(o, probe)) >= 0)
            low = probe;
        else
            high = probe - 1;
    }
    double value = oracle_value(o, low);
    *inexact = mpfr_cmp_d(magnitude, value) != 0;
    if (*inexact) {
        double step = low < o->max ? oracle_value(o, low + 1) - value
                                   : value - oracle_value(o, low - 1);
        mpfr_set_d(middle, step, MPFR_RNDN);
        mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
        mpfr_add_d(middle, middle, value, MPFR_RNDN);
        int side = mpfr_cmp(magnitude, middle);
        if (side > 0 || (side == 0 && low % 2 == 1))
            low++;
    }
    mpfr_clear(magnitude);
    mpfr_clear(middle);
    return with_sign(o, negative, low > o->max ? o->overflow : low);
}

void oracle_nudge(mpfr_ptr rounded, int ternary)
{
    if (ternary == 0 || mpfr_inf_p(rounded) || mpfr_zero_p(rounded))
        return;
    mpfr_prec_round(rounded, mpfr_get_prec(rounded) + 8, MPFR_RNDN);
    if (ternary > 0)
        mpfr_nextbelow(rounded);
    else
        mpfr_nextabove(rounded);
}

static int true_sqrt(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    return mpfr_sqrt(y, x, rnd);
}

static int true_rsqrt(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    int ternary = mpfr_sqrt(y, x, rnd);
    return mpfr_ui_div(y, 1, y, rnd) | ternary;
}

static int true_sigmoid(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd)
{
    mpfr_neg(y, x, rnd);
    int ternary = mpfr_exp(y, y, rnd);
    ternary |= mpfr_add_ui(y, y, 1, rnd);
    return mpfr_ui_div(y, 1, y, rnd) | ternary;
}

const struct oracle_function oracle_functions[] = {
    {NUM_SQRT, true_sqrt},       {NUM_EXP, mpfr_exp},
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
const size_t oracle_function_count = DC_ARRAY_LEN(oracle_functions);

void oracle_expect(const struct oracle *o, const char *what, uint64_t a,
                   uint64_t b, uint64_t c, uint64_t got, uint64_t want)
{
    if (got == want)
        return;
    fail_msg("%s %s(%#llx, %#llx, %#llx): got %#llx, want %#llx", o->name, what,
             (unsigned long long)a, (unsigned long long)b,
             (unsigned long long)c, (unsigned long long)got,
             (unsigned long long)want);
}

uint64_t oracle_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Kinds: any pattern, magnitudes 2^-32 … 2^8 of both signs, near 1, -4 … 4
 * evenly, few bits, small integers. */
double oracle_random_float(uint64_t *state)
{
    uint64_t r = oracle_random(state), kind = r % 6;
    uint64_t sign = (r >> 3 & 1) << 31, low = r >> 4 & 0x7fffff;
    unsigned wide = (unsigned)(r >> 32);
    if (kind == 3)
        return (double)(float)((double)wide * 0x1p-29 - 4);
    if (kind == 4)
        return (double)((int)(wide & 0xff) - 128);
    uint64_t bits = r >> 16;
    if (kind == 1)
        bits = sign | (uint64_t)(95 + wide % 40) << 23 | low;
    else if (kind == 2)
        bits = sign | (0x3f400000 + (low >> wide % 23));
    else if (kind == 5)
        bits &= 0xfff80000;
    return oracle_decode(&oracle_fp32, bits & 0xffffffff);
}

size_t oracle_boundary(const struct oracle *o, uint64_t *out, size_t max)
{
    uint64_t one = (uint64_t)o->bias << o->mantissa_bits;
    uint64_t normal = UINT64_C(1) << o->mantissa_bits;
    uint64_t ulp_step = (uint64_t)(o->mantissa_bits + 1) << o->mantissa_bits;
    const uint64_t base[] = {0,
                             1,
                             2,
                             3,
                             normal / 2,
                             normal / 2 + 1,
                             normal - 1,
                             normal,
                             normal + 1,
                             normal + 2,
                             2 * normal - 1,
                             2 * normal,
                             one / 2,
                             one - ulp_step - 1,
                             one - ulp_step,
                             one - ulp_step + 1,
                             one - normal,
                             one - normal / 2,
                             one - 2,
                             one - 1,
                             one,
                             one + 1,
                             one + 2,
                             one + 3,
                             one + normal / 2,
                             one + normal / 2 - 1,
                             one + normal / 2 + 1,
                             one + normal - 1,
                             one + normal,
                             one + normal + 1,
                             one + normal + normal / 2,
                             one + 2 * normal,
                             one + ulp_step - 1,
                             one + ulp_step,
                             one + ulp_step + 1,
                             one + normal / 3,
                             one + normal / 5,
                             one + normal / 7,
                             one + 3 * normal + normal / 3,
                             o->max - normal,
                             o->max - normal + 1,
                             o->max - 2,
                             o->max - 1,
                             o->max,
                             o->overflow,
                             o->nan,
                             o->max / 3,
                             o->max / 5,
                             o->max / 7 * 2,
                             o->max / 3 * 2,
                             o->max / 11,
                             o->max / 13 * 12};
    size_t n = 0;
    uint64_t limit = o->overflow > o->nan ? o->overflow : o->nan;
    for (size_t i = 0; i < DC_ARRAY_LEN(base) && n + 2 <= max; i++) {
        if (base[i] > limit)
            continue;
        out[n++] = base[i];
        out[n++] = base[i] | sign_bit(o);
    }
    return n;
}

unsigned oracle_stride(unsigned usual)
{
    const char *full = getenv("DC_NUM_FULL");
    return full != NULL && strcmp(full, "") != 0 ? 1 : usual;
}
