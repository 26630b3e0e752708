/* SPDX-License-Identifier: Apache-2.0
 *
 * A runner that computes small kernels by itself, right in many legitimate
 * ways or wrong in one chosen way: what attribution is measured on.
 */
#ifndef DC_TESTS_FAULTY_H
#define DC_TESTS_FAULTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- what is done to the arithmetic ------------------------------------------ */

enum fault {
    RIGHT,
    /* the terms of a sum or a maximum */
    LOST_FIRST,
    LOST_MIDDLE,
    LOST_LAST,
    LOST_TWO,
    DOUBLED_FIRST,
    DOUBLED_LAST,
    SWAPPED, /* factors of two terms; elements of two results */
    SHIFTED, /* each term from one place further on */
    STALE_TAIL,
    EXTRA_TERM, /* a bound one too far */
    CLAMPED,    /* the last term is the one before it */
    WRONG_SIGN, /* of one term */
    WRONG_INIT,
    /* rounding */
    NARROW_SUM,
    NARROW_ONCE, /* one partial sum in the middle */
    TRUNCATED,   /* results cut to 20 bits, of float16 to 9 */
    BF16_OPERANDS,
    FEWER_BITS, /* operands cut to 18 bits */
    /* functions and literals */
    CONSTANT, /* literals of four digits */
    EXP_POLYNOMIAL,
    EXP_SATURATED,
    DIVISOR, /* one less */
    NO_EPSILON,
    ROUGH_DIVISION, /* 12 bits of the reciprocal */
    /* what is no usual number */
    FMAX,
    MINIMUM,
    NAN_SCRUBBED,
    SATURATED,
    FLUSHED,
    ZERO_SIGN,
    /* elements */
    NEIGHBOUR, /* the element before */
    NOT_WRITTEN,
    VARYING /* each call a little else */
};

enum variant {
    STRICT,
    FMA_LEFT,
    FMA_RIGHT,
    REVERSED,
    LANES_4,
    LANES_8,
    LANES_16,
    LANES_8_FMA,
    LANES_4_NEIGHBOURS,
    TREE,
    PAIRWISE, /* blocks of 8 one after the other, their sums in a tree */
    KAHAN,
    WIDE,
    RECIPROCAL,
    RSQRT,
    EXP_LIBM,
    EXP_ULP, /* within a unit in the last place */
    SPLIT_2,
    SPLIT_4,
    DOTS_OF_4, /* exact sums of four terms and what there was */
    FLUSHING
};

enum scope { EVERYWHERE, PERCENT, CORNER, LARGE, SECOND_CALL };

struct job {
    enum fault fault;
    enum scope scope;
    enum variant variant;
    size_t call; /* of this process, from 0 */
    /* Set by kernels for each element or row: */
    size_t unit, units;
    bool large; /* some operand of it is */
};

/* Whether the fault is to act on the element that the job is at. */
bool acts(const struct job *job, enum fault fault);

/* ---- faulty_sums.c --------------------------------------------------------------- */

#define MAX_TERMS 64u

/* Terms a[i] * b[i], or a[i] where products is false. `next` is what lies behind
 * the last term, `stale` what an earlier sum has left in the place of terms. */
struct terms {
    size_t n;
    bool products;
    bool half; /* the sum is kept in float16 */
    float a[MAX_TERMS + 1], b[MAX_TERMS + 1];
    float stale[MAX_TERMS + 1];
};
float sum_of(const struct job *job, const struct terms *terms);
float maximum_of(const struct job *job, const struct terms *terms);

/* ---- faulty_numbers.c -------------------------------------------------------------- */

float half_to_float(uint16_t h);
uint16_t half_of(float x); /* to nearest, ties to even */
float to_half(float x);    /* the same as a float */
float to_bfloat(float x);
float cut(float x, unsigned bits); /* toward 0 to so many significand bits */
float flush(const struct job *job, float x, bool half);
float exp_of(const struct job *job, float x);
float divide(const struct job *job, float x, float y);
float divide_by_root(const struct job *job, float x, float y); /* x / sqrt(y) */
float operand(const struct job *job, float x);
/* The last word on an element of a result. */
float result(const struct job *job, float x, bool half);
/* a * b + c, c and d * e where the second product is given */
float blend(const struct job *job, float a, float b, float c, float d);
float literal(const struct job *job, float right, float shortened);

/* ---- faulty_kernels.c -------------------------------------------------------------- */

#define MAX_ARRAYS 4u

struct array {
    char type; /* 'f' float32, 'h' float16, 'b' int8, 's' int16 */
    bool output;
    size_t n;
    size_t rank, shape[4];
    float *f;   /* values of a float type; outputs' are as given first */
    int16_t *i; /* of an integer type */
};

struct kernel {
    const char *name;
    size_t narrays;
    struct array arrays[MAX_ARRAYS]; /* without values */
    void (*run)(struct job *job, struct array *arrays);
};
extern const struct kernel kernels[];
extern const size_t nkernels;

#endif
