/* SPDX-License-Identifier: Apache-2.0
 *
 * Alternative arithmetic: how a target may compute what a program says, apart
 * from the reference (one rounding of each operation, to nearest even, in the
 * order written). docs/semantics.md, rules A1 to A21, define each toggle.
 *
 * A profile is one setting for each toggle; 0 is the reference's everywhere.
 */
#ifndef DC_IR_NUM_PROFILE_H
#define DC_IR_NUM_PROFILE_H

#include "ir/num/num.h"

enum num_toggle {
    NUM_T_CONTRACT,     /* A1: enum num_contract */
    NUM_T_HALF,         /* A2: enum num_half */
    NUM_T_KEEP,         /* A3: enum num_keep */
    NUM_T_KEEP_TYPE,    /* A4: enum num_keep_type */
    NUM_T_PRODUCT,      /* A5: enum num_product */
    NUM_T_LANES,        /* A6: partial sums in 1 << setting lanes */
    NUM_T_INTERLEAVE,   /* A6: 1 << setting vectors of lanes */
    NUM_T_COMBINE,      /* A7: enum num_combine, of the lanes */
    NUM_T_JOIN,         /* A7: enum num_combine, of the vectors */
    NUM_T_START,        /* A8: enum num_start */
    NUM_T_TAIL,         /* A8: enum num_tail */
    NUM_T_ROUND,        /* A9: enum num_round, of operations */
    NUM_T_ROUND_CAST,   /* A10: enum num_round, of conversions between floats */
    NUM_T_FLUSH_HALF,   /* A11: enum num_flush, types of at most 16 bits */
    NUM_T_FLUSH_SINGLE, /* A11: enum num_flush, float32 */
    NUM_T_DIVIDE,       /* A12: enum num_divide */
    NUM_T_SQRT,         /* A13: enum num_sqrt */
    NUM_T_FUNCTIONS,    /* A14: enum num_functions */
    NUM_T_LITERALS,     /* A15: enum num_literals */
    NUM_T_ORDER,        /* A16: enum num_order */
    NUM_T_QFLOAT,       /* A17: enum num_qfloat */
    NUM_T_FORWARD,      /* A18: enum num_forward */
    NUM_T_SUM1,         /* A19: enum num_sum, of the first sum with a product */
    NUM_T_SUM2,         /* of the second, */
    NUM_T_SUM3,         /* the third */
    NUM_T_SUM4,         /* and the fourth */
    NUM_T_UNROLL,       /* A20: turns of an innermost sum in one, less 1 */
    NUM_T_PEEL,         /* A20: enum num_peel */
    NUM_T_MATRIX,       /* A21: 0, or products at once and bits kept */
    NUM_NTOGGLES
};

enum num_contract {
    NUM_CONTRACT_OFF,
    NUM_CONTRACT_LEFT,  /* a*b+c in one statement is one operation; of two
                           products the left one is fused */
    NUM_CONTRACT_RIGHT, /* the same; of two products the right one */
    NUM_CONTRACT_SPLIT, /* an fma that is written is a product and a sum */
    NUM_NCONTRACT
};
enum num_half {                  /* floats of fewer than 32 bits */
                NUM_HALF_NATIVE, /* each operation rounds once, from the exact result */
                NUM_HALF_EACH, /* each operation in float32, then converted */
                NUM_HALF_STATEMENT, /* expressions in float32; converted where stored, bound
                          or cast to a type of fewer than 32 bits */
                NUM_HALF_BFLOAT, /* bfloat16 is float32 but in parameters; other
                          types as native */
                NUM_HALF_FLOAT8, /* the same of floats of 8 bits */
                NUM_NHALF
};
enum num_keep {                /* accumulators in a register of a wider type */
                NUM_KEEP_NONE, /* rounded at each store */
                NUM_KEEP_LOOP1, /* over the innermost loop that leaves the cell alone */
                NUM_KEEP_LOOP2, /* over the two innermost */
                NUM_KEEP_LOOP3, /* over the three innermost */
                NUM_KEEP_LOOPS, /* over all of them */
                NUM_KEEP_END,   /* to the end of the function */
                NUM_NKEEP
};
enum num_keep_type {
    NUM_KEEP_FLOAT32, /* for floats of fewer than 32 bits */
    NUM_KEEP_FLOAT64, /* for all floats of fewer than 64 bits */
    NUM_NKEEP_TYPE
};
enum num_product {
    NUM_PRODUCT_ROUNDED, /* what is added to a kept accumulator is computed in
                            its own type */
    NUM_PRODUCT_WIDE,    /* in the accumulator's wider type */
    NUM_PRODUCT_FACTORS, /* a product in the wider type, its factors in theirs */
    NUM_NPRODUCT
};
#define NUM_NLANES      7u             /* 1 to 64 */
#define NUM_NINTERLEAVE 4u             /* 1 to 8 */
enum num_combine {                     /* how partial sums become one */
                   NUM_COMBINE_HALVES, /* lane i with lane i + n/2, until one is left */
                   NUM_COMBINE_NEIGHBOURS, /* lane 2i with lane 2i + 1, until one is left */
                   NUM_COMBINE_SEQUENTIAL, /* ((l0 + l1) + l2) + … */
                   NUM_NCOMBINE
};
enum num_start { /* where the accumulator's former value comes in */
                 NUM_START_LANE, /* lane 0 starts from it, the others from 0 */
                 NUM_START_LAST, /* added to the sum of the lanes */
                 NUM_NSTART
};
enum num_tail {                  /* what is left when no full vectors are */
                NUM_TAIL_SINGLE, /* one term after the other */
                NUM_TAIL_VECTOR, /* first a vector of half as many lanes, if it is full */
                NUM_NTAIL
};
enum num_round { NUM_ROUND_NEAREST, NUM_ROUND_TO_ZERO, NUM_NROUND };
enum num_flush { /* subnormal numbers become zeros of their sign */
                 NUM_FLUSH_NONE,
                 NUM_FLUSH_RESULTS,
                 NUM_FLUSH_OPERANDS,
                 NUM_FLUSH_BOTH,
                 NUM_NFLUSH
};
enum num_divide { NUM_DIVIDE_IEEE, NUM_DIVIDE_RECIPROCAL, NUM_NDIVIDE };
enum num_sqrt {
    NUM_SQRT_IEEE,
    NUM_SQRT_TIMES_RSQRT, /* x * rsqrt(x); 0 for 0 */
    NUM_SQRT_OF_RSQRT,    /* 1 / rsqrt(x) */
    NUM_SQRT_DIVISOR,     /* y / sqrt(x) is y * rsqrt(x) */
    NUM_NSQRT
};
enum num_functions {                        /* exp, log, sin, …: */
                     NUM_FUNCTIONS_CORRECT, /* correctly rounded */
                     NUM_FUNCTIONS_FLOAT, /* the C library's float functions, of this host */
                     NUM_FUNCTIONS_DOUBLE, /* its double functions, then rounded */
                     NUM_FUNCTIONS_TVM, /* as FLOAT, some by the formulas of TVM */
                     NUM_NFUNCTIONS
};
enum num_literals { /* significant digits with which literals were printed: */
                    NUM_LITERALS_EXACT, /* enough */
                    /* a setting d > 0: %.<d>g */
                    NUM_NLITERALS = 18
};
enum num_order { /* of the terms of innermost sums */
                 NUM_ORDER_WRITTEN,
                 NUM_ORDER_REVERSED,
                 NUM_ORDER_HALVES1, /* each half by itself, and so on, down to
                                       single terms, */
                 NUM_ORDER_HALVES4,
                 NUM_ORDER_HALVES8,
                 NUM_ORDER_HALVES16,
                 NUM_ORDER_HALVES32,
                 NUM_ORDER_PARTS2, /* 2 parts, one after the other, */
                 NUM_ORDER_PARTS3,
                 NUM_ORDER_PARTS4,
                 NUM_ORDER_PARTS8,
                 NUM_ORDER_PARTS16,
                 NUM_ORDER_COMPENSATED, /* Kahan's */
                 NUM_ORDER_DOTS2, /* 2 terms and the sum so far, rounded once */
                 NUM_ORDER_DOTS4,
                 NUM_ORDER_DOTS8,
                 NUM_NORDER
};

enum num_qfloat { /* Hexagon's vector formats; a model (qfloat.c) */
                  NUM_QFLOAT_NONE,
                  NUM_QFLOAT_EACH, /* + - * of float16 and float32 in qf16 and
                                      qf32, each result converted back */
                  NUM_NQFLOAT
};

enum num_forward { /* products that are stored or bound before they are added */
                   NUM_FORWARD_OFF,
                   NUM_FORWARD_PRODUCTS, /* are products to A1 still */
                   NUM_FORWARD_SQUARES,  /* and squares added to a zero that was
                                           stored are squares still */
                   NUM_NFORWARD
};
#define NUM_NSUMS 4u
enum num_sum {                   /* one sum with a product: */
               NUM_SUM_CONTRACT, /* as NUM_T_CONTRACT says */
               NUM_SUM_APART,    /* not fused */
               NUM_SUM_LEFT,     /* as NUM_CONTRACT_LEFT */
               NUM_SUM_RIGHT,    /* as NUM_CONTRACT_RIGHT */
               NUM_NSUM
};

#define NUM_NUNROLL 32u /* 1 to 32 */
enum num_peel {         /* of an innermost sum that is unrolled: */
                NUM_PEEL_NONE,
                NUM_PEEL_FIRST, /* the first turn is by itself, where it sets
                                   the initial value */
                NUM_NPEEL
};

/* A21: matrix instructions add 4, 8 or 16 products and the accumulator at once,
 * with 23 to 26 bits behind the point of the largest. */
#define NUM_NMATRIX_GROUPS 3u
#define NUM_NMATRIX_BITS   4u
#define NUM_NMATRIX        (1u + NUM_NMATRIX_GROUPS * NUM_NMATRIX_BITS)

struct num_profile {
    uint8_t set[NUM_NTOGGLES];
};

/* The setting of `matrix` for so many products, 4, 8 or 16, and bits. */
static inline unsigned num_matrix_setting(unsigned group, unsigned bits)
{
    unsigned which = group == 4 ? 0 : group == 8 ? 1 : 2;
    return 1 + which * NUM_NMATRIX_BITS + (bits - 23);
}

/* Toggle of sum k, from 0. */
static inline enum num_toggle num_toggle_of_sum(unsigned k)
{
    return (enum num_toggle)(NUM_T_SUM1 + k);
}

/* "contract", "half", …: for reports and options. */
const char *num_toggle_name(enum num_toggle toggle);
/* Number of settings of a toggle. */
unsigned num_toggle_settings(enum num_toggle toggle);
/* What the setting means, for people: "a*b+c is one rounding (fused)". */
const char *num_setting_meaning(enum num_toggle toggle, unsigned setting);
bool num_profile_is_reference(const struct num_profile *p);
bool num_profile_equal(const struct num_profile *a,
                       const struct num_profile *b);
/* "half=statement contract=left"; "reference". */
void num_profile_put(struct buf *out, const struct num_profile *p);
/* Reads that again; false with *bad (may be NULL) at the word not understood. */
DC_MUST_USE bool num_profile_parse(const char *text, struct num_profile *out,
                                   const char **bad);

/* ---- scalar arithmetic under a profile --------------------------------------- */

/* As num_unary, num_binary, num_fma, num_cast and num_from_double, under the
 * toggles that concern one operation: round, round-cast, flush, functions,
 * literals, qfloat, matrix. The others are ways to write a program (interp/replay/).
 * A profile that is NULL is the reference. */
uint64_t num_profile_unary(const struct num_profile *p, enum num_op op,
                           struct dtype t, uint64_t a, unsigned *flags);
uint64_t num_profile_binary(const struct num_profile *p, enum num_op op,
                            struct dtype t, uint64_t a, uint64_t b,
                            unsigned *flags);
uint64_t num_profile_fma(const struct num_profile *p, struct dtype t,
                         uint64_t a, uint64_t b, uint64_t c, unsigned *flags);
uint64_t num_profile_cast(const struct num_profile *p, struct dtype from,
                          struct dtype to, uint64_t bits, unsigned *flags);
uint64_t num_profile_literal(const struct num_profile *p, struct dtype t,
                             double value, unsigned *flags);
/* c + a[0]*b[0] + … of k products as a matrix instruction under the profile
 * makes it (A21); a and b are numbers of type `in`, c and *out of type acc. False,
 * and nothing done, where the toggle does not concern it: it is not set, other
 * types than float16 or bfloat16 in float32 or float16, or infinities and NaN.
 * NUM_INEXACT in *flags if bits were lost. */
DC_MUST_USE bool num_profile_dot(const struct num_profile *p, struct dtype acc,
                                 struct dtype in, size_t k, const uint64_t *a,
                                 const uint64_t *b, uint64_t c, uint64_t *out,
                                 unsigned *flags);
/* Whether any of those toggles is set: else plain num.h is right. */
bool num_profile_is_scalar(const struct num_profile *p);

#endif
