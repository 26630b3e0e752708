/* SPDX-License-Identifier: Apache-2.0
 *
 * What the untuned program's data-dependent accesses say of the data: kept while its
 * safety is shown, used for the tuned program's and by the comparison.
 */
#ifndef DC_VERIFIER_COMPARE_FACTS_H
#define DC_VERIFIER_COMPARE_FACTS_H

#include "verifier/value/value.h"

/* For all values of the binders: where ctx holds, goal does, or the untuned program has
 * a fault. All in the context's arena. */
void facts_add(struct vctx *c, size_t nbinders, const atom_id *binders,
               const struct form *ctx, const struct form *goal);
/* Who shows that a fact is used within its domain. */
struct facts_prover {
    bool (*proves)(void *user, struct vctx *c, const struct form *ctx,
                   const struct form *goal, const char *what);
    void *user;
};
/* Conditions that follow from the facts on the data that goal is about. */
const struct form *facts_recall(struct vctx *c, const struct facts_prover *by,
                                const struct form *ctx,
                                const struct form *goal);
/* The same of the data that two values come from, by the context itself. */
const struct form *facts_about(struct vctx *c, const struct form *ctx,
                               const struct value *p, const struct value *q);

#endif
