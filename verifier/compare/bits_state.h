/* SPDX-License-Identifier: Apache-2.0
 *
 * A script under construction, for bits*.c only. Terms have numbers from 1 on;
 * 0 is "nothing to say" (of a definedness: true), -1 a failure.
 */
#ifndef DC_VERIFIER_COMPARE_BITS_STATE_H
#define DC_VERIFIER_COMPARE_BITS_STATE_H

#include "verifier/compare/bits.h"

#define BITS_MAX_WIDTH 192u
#define BITS_MAX_NODES 3000u

/* A value's term and that of its being defined. */
struct bits_value {
    int term, defined;
    bool done;
};

struct bits_atom {
    int term;
    unsigned width; /* of the term */
    bool is_signed;
};

/* A read of a parameter, or what stands for a value that has no form. */
struct bits_leaf {
    const struct value *value;
    int term;    /* as its sort has it */
    int bits;    /* of a float that was read: its bit vector; else 0 */
    int defined; /* 0: it is */
    bool bound;  /* its relation to the other leaves is asserted */
};

/* A function that is not computed: equal operands, one result. */
struct bits_call {
    const struct value *value;
    size_t nargs;
    int args[4];
    int term, defined;
};

struct bits {
    struct vctx *c;
    struct match *m; /* NULL: no values are matched inside */
    const struct form *ctx;
    struct buf text, asserted;
    int nterms;
    unsigned nodes;
    bool exact;        /* sums and products of floats are computed */
    unsigned left_out; /* cost of what was not: exact may say more */
    struct VEC(struct bits_value) values; /* by value */
    struct VEC(struct bits_value) fits; /* by value: what it comes from fits */
    struct VEC(struct bits_atom) atoms; /* by atom */
    struct VEC(int) forms;              /* by form */
    struct VEC(struct bits_leaf) leaves;
    struct VEC(uint32_t) leaf_of; /* by value: number of its leaf and 1 */
    struct VEC(struct bits_call) calls;
};

/* ---- bits.c ---- */
/* Whether a pair of values has not been asked in vain under ctx; from now on it
 * has, unless that is taken back. */
bool bits_first_time(struct vctx *c, const struct value *p,
                     const struct value *q, const struct form *ctx);
void bits_forget_last(struct vctx *c);

/* ---- bits_term.c ---- */
/* A new term of this sort; printf's arguments after it. */
int bits_put(struct bits *b, const char *sort, const char *fmt, ...)
    DC_PRINTF(3, 4);
int bits_bool(struct bits *b, const char *fmt, ...) DC_PRINTF(2, 3);
int bits_free(struct bits *b, const char *sort); /* a variable */
void bits_assert(struct bits *b, int term);
/* a and b, where 0 is true; ite(cond, a, b) of the same. */
int bits_and(struct bits *b, int x, int y);
int bits_choose(struct bits *b, int cond, int x, int y);
/* Sorts by name. */
#define BITS_SORT 40
const char *bits_sort(struct dtype t, char room[BITS_SORT]);
const char *bits_sort_vector(unsigned width, char room[BITS_SORT]);
/* IEEE formats: widths of exponent and significand; false: not one. */
bool bits_format(struct dtype t, unsigned *exponent, unsigned *significand);
/* The bit vector `bits` of so many bits. */
int bits_constant(struct bits *b, unsigned width, uint64_t bits);
/* x, an integer of `from` bits, in `to` bits. */
int bits_resize(struct bits *b, int x, unsigned from, unsigned to,
                bool is_signed);
/* A vector as a float of the type. */
int bits_as_float(struct bits *b, struct dtype t, int vector);

/* ---- bits_value.c ---- */
/* -1: no form. */
struct bits_value bits_of_value(struct bits *b, const struct value *v);
/* That nothing that v comes from overflowed or was undefined (clean.c). */
int bits_clean(struct bits *b, const struct value *v);
/* Equal reads are equal: to be called once all leaves are there. */
void bits_bind_leaves(struct bits *b);

/* ---- bits_op.c ---- */
/* The operation v on terms of its operands. defined gets what it adds. */
int bits_operation(struct bits *b, const struct value *v, const int *args,
                   int *defined);
/* That the operation v, of int32 or int64, fits; 0: it always does. */
int bits_fits(struct bits *b, const struct value *v, const int *args);

/* ---- bits_trial.c ---- */
/* Whether numbers tried satisfy ctx and known, p is defined for them, and q is not
 * p: then nobody has to be asked. The numbers are kept as the context's witness.
 * Of what is not computed equal operands give equal results, and unlike ones
 * unlike results, so that this may be wrong of what is equal after all. *met: some
 * numbers satisfied all that. */
bool bits_refuted(struct bits *b, const struct value *p, const struct value *q,
                  const struct form *known, bool *met);

/* The same of a goal that does not follow from the context. */
bool bits_refuted_form(struct bits *b, const struct form *goal);

/* ---- bits_form.c ---- */
/* -1: no form. */
int bits_of_form(struct bits *b, const struct form *f);
/* The integer in a vector of *width bits, wide enough; signed. */
int bits_of_aff(struct bits *b, const struct aff *a, unsigned *width);

#endif
