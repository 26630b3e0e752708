/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the math files of ir/num: approximations of elementary functions
 * in double, each with a proven bound of its error.
 *
 * Arguments are values of formats of at most 24 significant bits and of the
 * range of fp32 (fp32, fp16, bf16, the fp8 formats), and never NaN. u stands
 * for 2^-53, the relative error of one rounding; "c u" in a comment is a bound
 * of a relative error unless it says absolute. Every step is a correctly
 * rounded IEEE operation, so a result is the same on every machine.
 *
 * A constant or table entry is within half an ulp, thus u, of its value;
 * tests/ir/num/test_num_math_internal.c checks that for all of them.
 */
#ifndef DC_IR_NUM_MATH_PRIVATE_H
#define DC_IR_NUM_MATH_PRIVATE_H

#include "ir/num/num_private.h"

/* |exact - y| <= e * |y|. e covers the two roundings of y - e|y| and y + e|y|
 * that the rounding test makes. e = 0: y is exact (also infinities, zeros and
 * NaN). e < 0: no approximation, ask MPFR. With e > 0 the exact value is not
 * a value of any of the formats, unless may_be_exact is set. */
struct math_approx {
    double y, e;
    bool may_be_exact;
};

static inline struct math_approx math_within(double y, double e)
{
    return (struct math_approx){y, e, false};
}

static inline struct math_approx math_exact(double y)
{
    return (struct math_approx){y, 0, false};
}

static inline struct math_approx math_unknown(void)
{
    return (struct math_approx){0, -1, false};
}

/* The nearest integer, for |x| < 2^51: adding 1.5 * 2^52 leaves no room for a
 * fraction. At a tie either neighbour would do. */
static inline double math_nearest(double x)
{
    return (x + 0x1.8p52) - 0x1.8p52;
}

/* 2^n for -1022 <= n <= 1023. */
static inline double math_power_of_two(int n)
{
    return double_from_bits((uint64_t)(n + 1023) << 52);
}

static inline double math_clamp(double x, double limit)
{
    return x > limit ? limit : x < -limit ? -limit : x;
}

/* ln 2 / 64 in two parts, the first of 36 bits; its reciprocal; ln 2. */
#define MATH_LN2_64_HI  0x1.62e42fefap-7
#define MATH_LN2_64_LO  0x1.cf79abc9e3b3ap-46
#define MATH_64_LN2     0x1.71547652b82fep6
#define MATH_LN2        0x1.62e42fefa39efp-1
#define MATH_LN2_HI     0x1.62e42fefa38p-1 /* 42 bits */
#define MATH_LN2_LO     0x1.ef35793c7673p-45
#define MATH_1_LN2      0x1.71547652b82fep0
#define MATH_1_LN10     0x1.bcb7b1526e50ep-2
#define MATH_LN10_HI    0x1.26bb1bbp1 /* 29 bits */
#define MATH_LN10_LO    0x1.6aaa2b05ba95bp-28
#define MATH_64_LOG2_10 0x1.a934f0979a371p7 /* 64 log2(10) */
/* pi / 2 in three parts, the first two of 33 bits. */
#define MATH_PI_2_A    0x1.921fb544p0
#define MATH_PI_2_B    0x1.0b4611a6p-34
#define MATH_PI_2_C    0x1.3198a2e037073p-69
#define MATH_2_PI      0x1.45f306dc9c883p-1
#define MATH_PI_2      0x1.921fb54442d18p0
#define MATH_PI        0x1.921fb54442d18p1

#define MATH_LOG_FIRST (-38) /* j of math_log_table[0] */

extern const double math_exp2_table[64];   /* 2^(j/64) */
extern const double math_log_table[91];    /* ln(1 + j/128), j = -38 … 52 */
extern const double math_atan_table[65];   /* atan(j/64) */
extern const double math_erf_table[65];    /* erf(j/16) */
extern const double math_erf_slope[65];    /* 2/sqrt(pi) exp(-(j/16)^2) */
extern const uint32_t math_two_over_pi[9]; /* 2/pi = sum of t[i] 2^(-32 i) */

/* e^x for |x| <= 700 within 2.1 u. */
double math_exp_core(double x);

typedef struct math_approx (*math_function)(double x);
typedef struct math_approx (*math_function2)(double x, double y);

/* math_exp.c */
struct math_approx math_fast_exp(double x);
struct math_approx math_fast_exp2(double x);
struct math_approx math_fast_exp10(double x);
struct math_approx math_fast_sinh(double x);
struct math_approx math_fast_cosh(double x);
struct math_approx math_fast_tanh(double x);
struct math_approx math_fast_sigmoid(double x);
struct math_approx math_fast_erf(double x);
/* math_log.c */
struct math_approx math_fast_log(double x);
struct math_approx math_fast_log2(double x);
struct math_approx math_fast_log10(double x);
struct math_approx math_fast_log1p(double x);
struct math_approx math_fast_asinh(double x);
struct math_approx math_fast_acosh(double x);
struct math_approx math_fast_atanh(double x);
struct math_approx math_fast_pow(double x, double y);
/* math_trig.c */
struct math_approx math_fast_sin(double x);
struct math_approx math_fast_cos(double x);
struct math_approx math_fast_tan(double x);
struct math_approx math_fast_asin(double x);
struct math_approx math_fast_acos(double x);
struct math_approx math_fast_atan(double x);
struct math_approx math_fast_atan2(double y, double x);

/* The approximation of op, NULL if there is none. */
math_function math_fast_function(enum num_op op);
math_function2 math_fast_function2(enum num_op op);

/* Rounds a into f if its bound allows only one result, setting *bits and
 * NUM_INEXACT as the exact value demands; else false and nothing is set. */
bool math_settle(const struct float_format *f, struct math_approx a,
                 uint64_t *bits, unsigned *flags);

/* math.c: the same results by MPFR alone, for any format. */
uint64_t math_mpfr_unary(enum num_op op, const struct float_format *f, double x,
                         unsigned *flags);
uint64_t math_mpfr_binary(enum num_op op, const struct float_format *f,
                          double x, double y, unsigned *flags);

#endif
