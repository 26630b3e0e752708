/* SPDX-License-Identifier: Apache-2.0
 *
 * Slow, independent rounding for the tests of ir/num: no code or table of
 * ir/num is used. A format is given by its field widths and bias; values come
 * from ldexp; rounding searches the ordered list of values.
 */
#ifndef DC_TESTS_NUM_ORACLE_H
#define DC_TESTS_NUM_ORACLE_H

#include "ir/num/num.h"

#include <mpfr.h>

struct oracle {
    const char *name;
    struct dtype type;
    int bits, exponent_bits, mantissa_bits, bias;
    uint64_t max;      /* code of the largest finite magnitude */
    uint64_t overflow; /* what too large values become, without sign */
    uint64_t nan;      /* a NaN code (fp6, fp4: what NaN becomes) */
    bool unsigned_zero;
    double *values; /* of all magnitudes up to max; NULL if over 16 bits */
};

extern struct oracle oracle_fp16, oracle_bf16, oracle_fp32, oracle_fp64,
    oracle_e4m3fn, oracle_e5m2;
/* All formats, the six above included. */
extern struct oracle *const oracle_all[];
extern const size_t oracle_count;

void oracle_setup(void); /* fills the tables of values */
void oracle_teardown(void);

double oracle_value(const struct oracle *o, uint64_t magnitude);
bool oracle_is_nan(const struct oracle *o, uint64_t bits);
double oracle_decode(const struct oracle *o, uint64_t bits);

/* Sign of |exact| - bound for the value that is being rounded. */
typedef int (*oracle_compare)(const void *context, double bound);
/* Rounds to nearest even; for formats of at most 16 bits. */
uint64_t oracle_round_by(const struct oracle *o, bool negative,
                         oracle_compare compare, const void *context,
                         bool *inexact);
uint64_t oracle_round_double(const struct oracle *o, double exact,
                             bool *inexact);
/* Any format. NaN and infinities allowed. */
uint64_t oracle_round(const struct oracle *o, mpfr_srcptr exact, bool *inexact);

/* Moves a result rounded to nearest a little towards the exact value, so that
 * it is on the right side of every midpoint; the precision grows. */
void oracle_nudge(mpfr_ptr rounded, int ternary);

/* The functions of one argument, sqrt first. exact rounds y to its precision;
 * rsqrt and sigmoid round more than once. Returns 0 only for exact results. */
struct oracle_function {
    enum num_op op;
    int (*exact)(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t rnd);
};
extern const struct oracle_function oracle_functions[];
extern const size_t oracle_function_count;

/* Fails the test, naming op and operands, unless got is want. */
void oracle_expect(const struct oracle *o, const char *what, uint64_t a,
                   uint64_t b, uint64_t c, uint64_t got, uint64_t want);

/* splitmix64 */
uint64_t oracle_random(uint64_t *state);
/* A value of fp32, of kinds that meet every function's domain; may be NaN. */
double oracle_random_float(uint64_t *state);
/* Patterns that hit zeros, subnormals, ties, extremes, infinities, NaN. */
size_t oracle_boundary(const struct oracle *o, uint64_t *out, size_t max);
/* Steps of exhaustive loops: 1 if DC_NUM_FULL is set, else the argument. */
unsigned oracle_stride(unsigned usual);

#endif
