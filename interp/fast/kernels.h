/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane kernels: one operation on n lanes, in tables chosen once a run for the
 * processor. All tables give the same bits; kernels_portable.c is the reference
 * for the others.
 *
 * Float kernels work on registers of class C_FLOAT, whose values are exactly
 * representable in the type; they round once to it. A checking kernel also says
 * whether any lane rounded and, where one did, which: mask[i] is
 * INTERP_INEXACT or 0, written only when the answer is true. n >= 1.
 */
#ifndef DC_INTERP_FAST_KERNELS_H
#define DC_INTERP_FAST_KERNELS_H

#include "interp/interp.h"

enum kernel_op { K_ADD, K_SUB, K_MUL, K_DIV, K_NOPS };
#define K_TYPES 3 /* T_F32, T_F16, T_BF16 */

/* No operand is a float16 or bfloat16 whose quotient or product could be a
 * subnormal bfloat16: the callers of K_MUL and K_DIV for bfloat16 look. */
struct kernels {
    const char *name;
    void (*quiet[K_TYPES][K_NOPS])(float *d, const float *a, const float *b,
                                   size_t n);
    bool (*checked[K_TYPES][K_NOPS])(float *d, const float *a, const float *b,
                                     size_t n, uint8_t *mask);
    /* d[i] = a[i] * b[i] + c[i], rounded once, of T_F32 and T_F16; odd[i] is
     * the exact result or, where no double is, rounded to odd. */
    void (*fused[2])(float *d, const float *a, const float *b, const float *c,
                     double *odd, size_t n);
    /* acc[i] = acc[i] + a[i] * b[i], rounded twice, in the type's memory form;
     * NaN results are canonical. */
    void (*mac[K_TYPES])(void *acc, const float *a, const float *b, size_t n);
    /* The same with the product in another type than the accumulator: of float,
     * the product and the sum rounded to float, then the sum to the type
     * (T_F16, T_BF16); of a float accumulator, the product rounded to T_F16. */
    void (*mac_wide[K_TYPES])(void *acc, const float *a, const float *b,
                              size_t n);
    void (*mac_kept)(void *acc, const float *a, const float *b, size_t n);
    /* As mac, into `to`; true: nothing rounded. */
    bool (*try_mac[K_TYPES])(void *to, const void *acc, const float *a,
                             const float *b, size_t n);
    /* Memory form from and to registers, contiguous. Stored NaN is canonical. */
    void (*load[K_TYPES])(float *d, const void *from, size_t n);
    void (*store[K_TYPES])(void *to, const float *a, size_t n);
    /* x rounded to the type, in registers; narrow is the checking kernel. */
    void (*round[K_TYPES])(float *d, const float *a, size_t n);
    bool (*narrow[K_TYPES])(float *d, const float *a, size_t n, uint8_t *mask);
    bool (*dadd)(double *d, const double *a, const double *b, size_t n);
    bool (*dmul)(double *d, const double *a, const double *b, size_t n);
    /* And, and or, of n bytes. */
    void (*scan)(const uint8_t *p, size_t n, uint8_t *all, uint8_t *any);
};
extern const struct kernels kernels_portable;
/* The tables that the processor can run, best first; gives their number. */
#define KERNEL_TABLES 3
size_t kernels_usable(const struct kernels *out[KERNEL_TABLES]);
/* The first of them. */
const struct kernels *kernels_choose(void);

#endif
