/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of summation of one function's output elements, measured on targets.
 * Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_TREES_H
#define DC_DIFF_HARNESS_TREES_H

#include "diff/drift/drift.h"
#include "diff/engine/single.h"

struct diff_tree_element {
    size_t param, element;
};

/* What one target does with the elements asked for. */
struct diff_trees {
    const char *target;
    const char *reason;     /* why nothing was measured; NULL: it was */
    bool skipped;           /* it cannot be used here: no fault of anyone's */
    struct drift_way *ways; /* by element */
    const char **why;       /* by element: why there is none; NULL: there is */
    size_t runs;            /* of the target */
};

/* The interpreter ("reference") first, then the targets that the options
 * choose, in order of name; *n of them, in arena. r is loaded, with args. */
struct diff_trees *diff_trees_measure(const struct diff_single *r,
                                      size_t nelements,
                                      const struct diff_tree_element *elements,
                                      struct arena *arena, size_t *n);

#endif
