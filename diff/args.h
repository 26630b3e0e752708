/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments for one run: made from a signature, filled by a recipe, copied to
 * the other side. Private to diff/.
 */
#ifndef DC_DIFF_ARGS_H
#define DC_DIFF_ARGS_H

#include "diff/input.h"

/* An input with few elements that are not 0: by parameter, NULL where it is
 * as filled; by element. From DIFF_SET on, a number of diff_sparse_value. */
enum diff_sparse_state { DIFF_ZERO, DIFF_AS_FILLED, DIFF_SET };
/* 1, -1, then powers of two: numbers whose sums tell them apart. */
#define DIFF_SPARSE_VALUES 8u
int diff_sparse_value(unsigned state);
struct diff_sparse {
    const uint8_t *const *state;
};

/* How the parameters of one run are filled. */
struct diff_recipe {
    enum interp_fill fill;
    uint64_t seed;
    /* Range for integer parameters whose values index; NULL or lo > hi: the
     * fill's own choice. One a parameter. */
    const struct diff_range *ranges;
    /* A step of the sweep through all values of the ranges, from 1 on; 0: the
     * fill's own choice. See diff_sweep_windows. */
    uint64_t sweep;
    const struct diff_range *first;   /* ranges whose ends come first */
    const struct diff_sparse *sparse; /* what then becomes of it, or NULL */
    /* Tensors get their shapes alone: for questions that no element answers. */
    bool no_contents;
};

/* The integers that a type holds, those of uint64 up to INT64_MAX. */
struct diff_range diff_type_range(struct dtype t);

/* How many steps a sweep takes until some element of a tensor of so many has
 * had each value of the range, and those at its ends. At least 1. */
uint64_t diff_sweep_windows(const struct diff_range *range,
                            const struct diff_range *first, size_t elements);

struct diff_args {
    size_t n;
    struct interp_arg *args; /* tensors are owned */
};

/* One argument for each parameter; the symbols' values go to the scalars of
 * their name. The signature's shapes must be known. */
void diff_args_make(struct diff_args *out, const struct interp_signature *sig,
                    const struct interp_symbol *symbols, size_t nsymbols,
                    const struct diff_recipe *recipe);
/* The same contents in the shapes of another signature, position by position;
 * element counts and types must agree. */
void diff_args_copy(struct diff_args *out, const struct interp_signature *sig,
                    const struct diff_args *from);
/* Fills in the enclosures (points) for the interval domain. */
void diff_args_to_boxes(struct diff_args *args);
void diff_args_fini(struct diff_args *args);

#endif
