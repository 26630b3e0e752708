/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known about inputs, as text. Private to diff/. All of it is copied
 * to the arena; false on malformed text.
 */
#ifndef DC_DIFF_INPUT_CONTRACT_H
#define DC_DIFF_INPUT_CONTRACT_H

#include "diff/input/options.h"

enum diff_property_kind {
    DIFF_DISTINCT = 1,   /* no two elements are equal */
    DIFF_SORTED = 2,     /* none is below the one before it */
    DIFF_PERMUTATION = 4 /* each of 0, ..., n - 1 once */
};

/* The word of one of them. */
const char *diff_property_word(unsigned kind);
/* "distinct and sorted" */
void diff_property_put(struct buf *out, unsigned kinds);

/* NAME:LO..HI, whole or decimal numbers, LO <= HI: values of a parameter or a
 * symbolic size. */
DC_MUST_USE bool diff_contract_range(struct arena *arena, const char *text,
                                     struct diff_range *out);
/* overlap=A,B: two parameters in one place. */
bool diff_contract_is_overlap(const char *text);
DC_MUST_USE bool diff_contract_overlap(struct arena *arena, const char *text,
                                       struct diff_overlap *out);
/* NAME:distinct, NAME:sorted, NAME:permutation: an integer tensor. */
DC_MUST_USE bool diff_contract_property(struct arena *arena, const char *text,
                                        struct diff_property *out);
/* NAME=N, N >= 0: a symbolic size. */
DC_MUST_USE bool diff_contract_shape(struct arena *arena, const char *text,
                                     struct interp_symbol *out);

#endif
