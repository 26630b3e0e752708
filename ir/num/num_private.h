/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared inside ir/num: float formats as data, and the steps that every float
 * operation is made of: decode to double, compute exactly, pack with one
 * rounding.
 */
#ifndef DC_IR_NUM_PRIVATE_H
#define DC_IR_NUM_PRIVATE_H

#include "ir/num/num.h"

#include <math.h>
#include <string.h>

/* A binary format: sign (unless unsigned), exponent, `mant` stored significand
 * bits. The magnitude codes 0..max are the finite values in order. */
struct float_format {
    uint8_t bits;  /* total width */
    uint8_t mant;  /* stored significand bits; precision is mant + 1 */
    bool has_sign; /* false: e8m0, the whole code is the magnitude */
    bool has_inf;  /* infinity is code max + 1 */
    bool has_nan;  /* false: fp6 and fp4 */
    bool uz;       /* no negative zero; its code is the NaN */
    int16_t emin;  /* exponent of the smallest normal number */
    uint64_t max;  /* code of the largest finite magnitude */
    uint64_t nan;  /* the one NaN that results use */
    double tiny;   /* value of magnitude code 1 below the normals */
};

/* The format of a floating type, NULL for anything else. */
const struct float_format *float_format_of(struct dtype t);
/* The same for the floating types with arithmetic, NULL for the rest. */
const struct float_format *float_arith_format(struct dtype t);
extern const struct float_format float_format_fp64, float_format_fp32;

static inline uint64_t double_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline double double_from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static inline float float_from_bits(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    return value;
}

static inline uint64_t float_sign_mask(const struct float_format *f)
{
    return f->has_sign ? UINT64_C(1) << (f->bits - 1) : 0;
}

static inline uint64_t float_magnitude(const struct float_format *f,
                                       uint64_t bits)
{
    return bits & ((UINT64_C(1) << (f->bits - (f->has_sign ? 1 : 0))) - 1);
}

static inline bool float_is_nan(const struct float_format *f, uint64_t bits)
{
    if (f->uz && bits == f->nan)
        return true;
    return float_magnitude(f, bits) > f->max + (f->has_inf ? 1 : 0);
}

/* Exact; NaN codes give a NaN, infinities an infinity. */
double float_decode(const struct float_format *f, uint64_t bits);
/* mant * 2^exp rounded once; the lowest bit of mant may stand for "and a bit
 * more" as long as mant has at least two bits more than the precision. */
uint64_t float_pack(const struct float_format *f, bool sign, uint64_t mant,
                    int exp, unsigned *flags);
/* value rounded once into f. */
uint64_t float_round(const struct float_format *f, double value,
                     unsigned *flags);
/* The exact a + b rounded once into f, a format narrower than double. */
uint64_t float_round_sum(const struct float_format *f, double a, double b,
                         unsigned *flags);

/* Sign (-1, 0, 1) of exact result minus r, where r is the result rounded to
 * the nearest double. Operands and r must be finite, divisors not zero. */
int exact_add_sign(double a, double b, double r);
int exact_mul_sign(double a, double b, double r);
int exact_div_sign(double a, double b, double r);
int exact_sqrt_sign(double a, double r);
int exact_fma_sign(double a, double b, double c, double r);

/* qfloat.c: + - * of float16 or float32 in Hexagon's qf16 or qf32. */
uint64_t qfloat_binary(enum num_op op, const struct float_format *f, uint64_t a,
                       uint64_t b);

/* float.c: + - * / sqrt, rounding to integers, comparisons, … */
uint64_t float_unary(enum num_op op, const struct float_format *f, uint64_t a,
                     unsigned *flags);
uint64_t float_binary(enum num_op op, const struct float_format *f, uint64_t a,
                      uint64_t b, unsigned *flags);

/* math_fast.c: NUM_EXP … NUM_SIGMOID; NUM_POW, NUM_ATAN2, NUM_HYPOT. */
uint64_t math_unary(enum num_op op, const struct float_format *f, double x,
                    unsigned *flags);
uint64_t math_binary(enum num_op op, const struct float_format *f, double x,
                     double y, unsigned *flags);
/* math.c. Bounds in double for the real value: *lo <= op(x) <= *hi. */
void math_bounds(enum num_op op, double x, double *lo, double *hi);
void math_bounds2(enum num_op op, double x, double y, double *lo, double *hi);

/* integer.c */
uint64_t int_wrap(struct dtype t, uint64_t value);
uint64_t int_unary(enum num_op op, struct dtype t, uint64_t a, unsigned *flags);
uint64_t int_binary(enum num_op op, struct dtype t, uint64_t a, uint64_t b,
                    unsigned *flags);
uint64_t bool_unary(enum num_op op, uint64_t a, unsigned *flags);
uint64_t bool_binary(enum num_op op, uint64_t a, uint64_t b, unsigned *flags);

#endif
