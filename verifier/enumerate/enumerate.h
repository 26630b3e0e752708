/* SPDX-License-Identifier: Apache-2.0
 *
 * A claim by brute force: both functions are run at small sizes on inputs that
 * are symbols, statement by statement, and each output element becomes the
 * expression that it was computed by, every term of every sum written out. The
 * expressions are then compared as the claim says: the same operations in the
 * same order, or the same multisets of terms.
 *
 * A second stage is numbers: both functions are run on inputs of many kinds, so
 * that addresses and conditions may depend on data and faults show, and
 * expressions of other forms are computed. Values that differ, and a fault of the
 * tuned side where the untuned one has none, refute a claim. Where expressions
 * have other forms, or cannot be had, that all values are the same is accepted
 * for ENUMERATE_IDENTICAL; under the other claims only for what is the same in
 * all values below, and where nothing rounds.
 *
 * Nothing here shares code with the prover: no instances, no domains, no
 * solver; only ir/. So a fault in what the prover derives is not repeated.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUMERATE_H
#define DC_VERIFIER_ENUMERATE_ENUMERATE_H

#include "ir/ir.h"

enum enumerate_claim {
    ENUMERATE_IDENTICAL,
    ENUMERATE_ORDER,    /* up to the order and grouping of floating sums */
    ENUMERATE_PRECISION /* and without conversions between floats */
};

enum enumerate_outcome {
    ENUMERATE_EQUAL,
    ENUMERATE_UNEQUAL, /* why names the element, or a fault, and the inputs */
    ENUMERATE_NOT_DONE /* why says what stood in the way */
};

struct enumerate_result {
    struct arena *arena; /* owns the text */
    enum enumerate_outcome outcome;
    const char *why; /* NULL if EQUAL */
    /* EQUAL: what was compared. */
    size_t elements, terms; /* of all sizes; operations are terms, too */
    size_t by_numbers;      /* of the elements, those equal by numbers alone */
    size_t runs;            /* of both functions on numbers */
    size_t of;              /* not 0: elements are some of so many */
    const char *sizes;      /* "n = 1, 2"; "" where none is symbolic */
};

/* Programs too large to be run whole are run for some elements, chosen by their
 * number alone, with all that these are made of (enum_slice.h).
 *
 * finite: the claim assumes that 0 * x is 0. budget: steps, 0 for the default.
 * Never fails. The caller ends with enumerate_fini. */
void enumerate_check(const struct ir_func *untuned, const struct ir_func *tuned,
                     enum enumerate_claim claim, bool finite, uint64_t budget,
                     struct enumerate_result *out);
/* The same of sampled elements alone, so many of each output. */
void enumerate_check_samples(const struct ir_func *untuned,
                             const struct ir_func *tuned,
                             enum enumerate_claim claim, bool finite,
                             unsigned samples, struct enumerate_result *out);
void enumerate_fini(struct enumerate_result *r);

#endif
