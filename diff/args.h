/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments for one run: made from a signature, filled by a recipe, copied to
 * the other side. Private to diff/.
 */
#ifndef DC_DIFF_ARGS_H
#define DC_DIFF_ARGS_H

#include "diff/input.h"

/* How the parameters of one run are filled. */
struct diff_recipe {
    enum interp_fill fill;
    uint64_t seed;
    /* Range for integer parameters whose values index; NULL or lo > hi: the
     * fill's own choice. One a parameter. */
    const struct diff_range *ranges;
};

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
