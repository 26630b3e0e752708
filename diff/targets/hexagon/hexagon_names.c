/* SPDX-License-Identifier: Apache-2.0
 *
 * The names by which Hexagon's compiler and emitted programs call what
 * hexagon_soft.c computes. Stands behind it.
 */

static double rt_to_double(uint64_t bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static uint64_t rt_bits(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float rt_to_float(uint32_t bits)
{
    float x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t rt_float_bits(float x)
{
    uint32_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* ---- for the compiler -------------------------------------------------------------- */

double __hexagon_muldf3(double a, double b)
{
    return rt_to_double(rt_mul_double(rt_bits(a), rt_bits(b)));
}

double __hexagon_divdf3(double a, double b)
{
    return rt_to_double(rt_div_double(rt_bits(a), rt_bits(b)));
}

float __hexagon_divsf3(float a, float b)
{
    return rt_to_float(rt_div_single(rt_float_bits(a), rt_float_bits(b)));
}

double __hexagon_sqrtdf2(double a)
{
    return rt_to_double(rt_sqrt_double(rt_bits(a)));
}

float __hexagon_sqrtf(float a)
{
    return rt_to_float(rt_sqrt_single(rt_float_bits(a)));
}

/* With -ffast-math the compiler calls these names. */
double __hexagon_fast2_muldf3(double a, double b)
{
    return __hexagon_muldf3(a, b);
}

double __hexagon_fast2_divdf3(double a, double b)
{
    return __hexagon_divdf3(a, b);
}

float __hexagon_fast2_divsf3(float a, float b)
{
    return __hexagon_divsf3(a, b);
}

double __hexagon_fast2_sqrtdf2(double a)
{
    return __hexagon_sqrtdf2(a);
}

float __hexagon_fast2_sqrtf(float a)
{
    return __hexagon_sqrtf(a);
}

float __extendhfsf2(uint16_t a)
{
    return rt_to_float(rt_single_of_half(a));
}

uint16_t __truncsfhf2(float a)
{
    return rt_half_of_single(rt_float_bits(a));
}

uint16_t __truncdfhf2(double a)
{
    return rt_half_of_double(rt_bits(a));
}

uint64_t __hexagon_udivdi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    return rt_divide64(a, b, &rest);
}

uint64_t __hexagon_umoddi3(uint64_t a, uint64_t b)
{
    uint64_t rest;
    rt_divide64(a, b, &rest);
    return rest;
}

static uint64_t rt_size64(int64_t a)
{
    return a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
}

int64_t __hexagon_divdi3(int64_t a, int64_t b)
{
    uint64_t rest, q = rt_divide64(rt_size64(a), rt_size64(b), &rest);
    return (int64_t)((a < 0) != (b < 0) ? 0 - q : q);
}

int64_t __hexagon_moddi3(int64_t a, int64_t b)
{
    uint64_t rest;
    rt_divide64(rt_size64(a), rt_size64(b), &rest);
    return (int64_t)(a < 0 ? 0 - rest : rest);
}

uint32_t __hexagon_udivsi3(uint32_t a, uint32_t b)
{
    uint32_t rest;
    return rt_divide32(a, b, &rest);
}

uint32_t __hexagon_umodsi3(uint32_t a, uint32_t b)
{
    uint32_t rest;
    rt_divide32(a, b, &rest);
    return rest;
}

static uint32_t rt_size32(int32_t a)
{
    return a < 0 ? 0 - (uint32_t)a : (uint32_t)a;
}

int32_t __hexagon_divsi3(int32_t a, int32_t b)
{
    uint32_t rest, q = rt_divide32(rt_size32(a), rt_size32(b), &rest);
    return (int32_t)((a < 0) != (b < 0) ? 0 - q : q);
}

int32_t __hexagon_modsi3(int32_t a, int32_t b)
{
    uint32_t rest;
    rt_divide32(rt_size32(a), rt_size32(b), &rest);
    return (int32_t)(a < 0 ? 0 - rest : rest);
}

/* ---- of the C library ------------------------------------------------------------------ */

#define RT_FUNCTION __attribute__((no_builtin))

RT_FUNCTION double sqrt(double a)
{
    return __hexagon_sqrtdf2(a);
}

RT_FUNCTION float sqrtf(float a)
{
    return __hexagon_sqrtf(a);
}

RT_FUNCTION double fma(double a, double b, double c)
{
    return rt_to_double(rt_fma_double(rt_bits(a), rt_bits(b), rt_bits(c)));
}

/* There is an instruction. */
RT_FUNCTION float fmaf(float a, float b, float c)
{
    return __builtin_HEXAGON_F2_sffma(c, a, b);
}

static double rt_whole_double(double a, enum rt_way way)
{
    return rt_to_double(rt_whole(&rt_double, rt_bits(a), 64, way));
}

static float rt_whole_single(float a, enum rt_way way)
{
    return rt_to_float(
        (uint32_t)rt_whole(&rt_single, rt_float_bits(a), 32, way));
}

RT_FUNCTION double floor(double a)
{
    return rt_whole_double(a, RT_DOWN);
}

RT_FUNCTION double ceil(double a)
{
    return rt_whole_double(a, RT_UP);
}

RT_FUNCTION double trunc(double a)
{
    return rt_whole_double(a, RT_TO_ZERO);
}

RT_FUNCTION double nearbyint(double a)
{
    return rt_whole_double(a, RT_TO_EVEN);
}

RT_FUNCTION float floorf(float a)
{
    return rt_whole_single(a, RT_DOWN);
}

RT_FUNCTION float ceilf(float a)
{
    return rt_whole_single(a, RT_UP);
}

RT_FUNCTION float truncf(float a)
{
    return rt_whole_single(a, RT_TO_ZERO);
}

RT_FUNCTION float nearbyintf(float a)
{
    return rt_whole_single(a, RT_TO_EVEN);
}

RT_FUNCTION double fmod(double a, double b)
{
    return rt_to_double(rt_fmod_double(rt_bits(a), rt_bits(b)));
}

/* Exact in double, so exact. */
RT_FUNCTION float fmodf(float a, float b)
{
    return (float)fmod(a, b);
}

RT_FUNCTION double fabs(double a)
{
    return rt_to_double(rt_bits(a) & ~RT_SIGN);
}

RT_FUNCTION float fabsf(float a)
{
    return rt_to_float(rt_float_bits(a) & INT32_MAX);
}

RT_FUNCTION double copysign(double a, double b)
{
    return rt_to_double((rt_bits(a) & ~RT_SIGN) | (rt_bits(b) & RT_SIGN));
}

RT_FUNCTION float copysignf(float a, float b)
{
    return rt_to_float((rt_float_bits(a) & INT32_MAX) |
                       (rt_float_bits(b) & ~(uint32_t)INT32_MAX));
}

RT_FUNCTION double nextafter(double a, double b)
{
    if (a != a || b != b)
        return rt_to_double(RT_QUIET);
    return rt_to_double(rt_next(rt_bits(a), rt_bits(b), RT_SIGN));
}

RT_FUNCTION float nextafterf(float a, float b)
{
    if (a != a || b != b)
        return rt_to_float(0x7fc00000);
    return rt_to_float((uint32_t)rt_next(rt_float_bits(a), rt_float_bits(b),
                                         UINT32_C(1) << 31));
}

RT_FUNCTION double ldexp(double a, int n)
{
    uint64_t bits = rt_bits(a), size = bits & ~RT_SIGN;
    int exp;
    if (size >= RT_INFINITY || size == 0)
        return a;
    uint64_t mant = rt_split(&rt_double, size, &exp);
    n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
    return rt_to_double(rt_pack(&rt_double, mant, exp + n) | (bits & RT_SIGN));
}

RT_FUNCTION float ldexpf(float a, int n)
{
    uint32_t bits = rt_float_bits(a), size = bits & INT32_MAX;
    int exp;
    if (size >= 0x7f800000 || size == 0)
        return a;
    uint64_t mant = rt_split(&rt_single, size, &exp);
    n = n > 5000 ? 5000 : n < -5000 ? -5000 : n;
    return rt_to_float((uint32_t)rt_pack(&rt_single, mant, exp + n) |
                       (bits ^ size));
}
