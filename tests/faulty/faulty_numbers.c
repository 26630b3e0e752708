/* SPDX-License-Identifier: Apache-2.0
 *
 * Single operations of the faulty runner: conversions, exp, divisions, and
 * what faults and legitimate variants make of them.
 */
#include "tests/faulty/faulty.h"

#include <float.h>
#include <math.h>
#include <string.h>

static uint32_t bits_of(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static uint32_t hash(uint32_t x)
{
    x ^= x >> 16;
    x *= UINT32_C(0x7feb352d);
    x ^= x >> 15;
    x *= UINT32_C(0x846ca68b);
    return x ^ x >> 16;
}

/* ---- scopes ---------------------------------------------------------------------- */

bool acts(const struct job *job, enum fault fault)
{
    if (job->fault != fault)
        return false;
    switch (job->scope) {
    case EVERYWHERE: return true;
    case PERCENT: return job->unit % 100 == 37;
    case CORNER: return job->unit + 1 == job->units;
    case LARGE: return job->large;
    case SECOND_CALL: return job->call == 1;
    }
    return false;
}

/* ---- conversions ------------------------------------------------------------------ */

float half_to_float(uint16_t h)
{
    float sign = h & 0x8000u ? -1.0f : 1.0f;
    int e = h >> 10 & 31;
    unsigned m = h & 1023u;
    if (e == 31)
        return m != 0 ? NAN : sign * INFINITY;
    if (e == 0)
        return sign * ldexpf((float)m, -24);
    return sign * ldexpf((float)(m + 1024), e - 25);
}

uint16_t half_of(float x)
{
    uint16_t sign = signbit(x) ? 0x8000u : 0;
    float y = fabsf(x);
    if (isnan(x))
        return 0x7e00;
    if (y >= 65520.0f)
        return (uint16_t)(sign | 0x7c00u);
    int e;
    (void)frexpf(y, &e);
    e = e < -13 ? -13 : e; /* y < 2^e; its units are 2^(e - 11) */
    double m = nearbyint(ldexp((double)y, 11 - e));
    if (m >= 2048.0) {
        m = 1024.0;
        e++;
    }
    unsigned field = m < 1024.0 ? 0 : (unsigned)(e + 14);
    unsigned low = (unsigned)m - (m < 1024.0 ? 0 : 1024u);
    return (uint16_t)(sign | field << 10 | low);
}

float to_half(float x)
{
    return half_to_float(half_of(x));
}

float to_bfloat(float x)
{
    uint32_t u = bits_of(x);
    if (!isfinite(x))
        return x;
    return float_of((u + 0x7fffu + (u >> 16 & 1u)) & 0xffff0000u);
}

float cut(float x, unsigned bits)
{
    return isfinite(x) ? float_of(bits_of(x) & ~((1u << (24 - bits)) - 1)) : x;
}

/* ---- operations ------------------------------------------------------------------- */

static float exp_ulp(float x)
{
    float y = (float)exp((double)x);
    uint32_t h = hash(bits_of(x)) % 3;
    if (!isfinite(y) || y == 0 || x == 0)
        return y;
    double exact = exp((double)x);
    /* the neighbour on the other side of the exact number is within 1 ulp */
    if (h == 0)
        return nextafterf(y, exact > (double)y ? INFINITY : 0.0f);
    return y;
}

float flush(const struct job *job, float x, bool half)
{
    float least = half ? 0x1p-14f : FLT_MIN;
    return job->variant == FLUSHING && fabsf(x) < least ? copysignf(0.0f, x)
                                                        : x;
}

float exp_of(const struct job *job, float x)
{
    double exact = exp((double)x);
    if (acts(job, EXP_POLYNOMIAL)) { /* a term short: an error that comes and
                                        goes with the reduced argument */
        double r = (double)x / 0.6931471805599453;
        r = isfinite(r) ? r - nearbyint(r) : 0;
        return (float)(exact * (1.0 + 4e-6 * fabs(r)));
    }
    if (acts(job, EXP_SATURATED))
        return (float)exp(fmin(fmax((double)x, -8.0), 8.0));
    if (job->variant == EXP_LIBM)
        return expf(x);
    if (job->variant == EXP_ULP)
        return exp_ulp(x);
    return flush(job, (float)exact, false);
}

float divide(const struct job *job, float x, float y)
{
    if (acts(job, DIVISOR))
        return x / (y - 1.0f);
    if (acts(job, ROUGH_DIVISION))
        return x * cut(1.0f / y, 12);
    return job->variant == RECIPROCAL ? x * (1.0f / y)
                                      : flush(job, x / y, false);
}

float divide_by_root(const struct job *job, float x, float y)
{
    float root = (float)sqrt((double)y);
    if (job->variant == RSQRT) {
        float r = (float)(1.0 / sqrt((double)y));
        return x * r;
    }
    return divide(job, x, root);
}

float operand(const struct job *job, float x)
{
    if (acts(job, BF16_OPERANDS))
        return to_bfloat(x);
    return acts(job, FEWER_BITS) ? cut(x, 18) : x;
}

float literal(const struct job *job, float right, float shortened)
{
    return acts(job, CONSTANT) ? shortened : right;
}

float blend(const struct job *job, float a, float b, float c, float d)
{
    if (job->variant == FMA_LEFT)
        return fmaf(a, b, c * d);
    if (job->variant == FMA_RIGHT)
        return fmaf(c, d, a * b);
    return flush(job, a * b, false) + flush(job, c * d, false);
}

float result(const struct job *job, float x, bool half)
{
    float least = half ? 0x1p-14f : FLT_MIN;
    float most = half ? 65504.0f : FLT_MAX;
    if (half)
        x = acts(job, TRUNCATED) ? x : to_half(x);
    if (acts(job, TRUNCATED))
        x = half ? to_half(cut(x, 9)) : cut(x, 20);
    if (acts(job, NAN_SCRUBBED) && isnan(x))
        x = 0;
    if (acts(job, SATURATED) && isinf(x))
        x = x > 0 ? most : -most;
    if (acts(job, FLUSHED) && fabsf(x) < 8 * least) /* normal ones, too */
        x = copysignf(0.0f, x);
    if (acts(job, ZERO_SIGN) && x == 0)
        x = 0.0f;
    if (acts(job, VARYING) && job->call % 2 == 1 && isfinite(x))
        x = half ? half_to_float((uint16_t)(half_of(x) ^ 1u))
                 : nextafterf(x, 0.0f);
    return flush(job, x, half);
}
