/* SPDX-License-Identifier: Apache-2.0
 *
 * A bijection between the terms of two folds while it is made: for fold_match.c
 * and fold_order.c only.
 */
#ifndef DC_VERIFIER_COMPARE_FOLD_MATCH_H
#define DC_VERIFIER_COMPARE_FOLD_MATCH_H

#include "verifier/compare/match.h"

/* A point of q's part with variables of its own, and its image in p's. */
struct point {
    struct aff_map y, x;
    atom_id first; /* of the variables, which follow one another */
};

struct link {
    size_t i, j; /* parts of p and q */
    struct aff_map to_p, to_q;
    const struct form *on_q, *on_p; /* cond over y; over x */
    struct point a, b;              /* two points, once two are compared */
};

struct bijection {
    struct match *m;
    const struct fold *p, *q;
    const struct form *ctx;
    bool cover; /* each term of q has a partner, which others may have too */
    size_t n, cap;
    struct link *links;
};

/* fold_order.c: (4) of two terms of q the earlier has the earlier image in p. Points
 * of links have been made. */
bool fold_order_kept(struct bijection *b);

#endif
