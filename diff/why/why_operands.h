/* SPDX-License-Identifier: Apache-2.0
 *
 * What an operation on many combines; private to diff/why/.
 */
#ifndef DC_DIFF_WHY_WHY_OPERANDS_H
#define DC_DIFF_WHY_WHY_OPERANDS_H

#include "diff/why/why.h"
#include "ir/ptr_map.h"

/* ---- formulas whatever the order, why_bags.c --------------------------------------- */

/* What is known of formulas. Zero-initialise before use. */
struct why_bags {
    struct ptr_map known;
};
/* Equal for formulas that are equal but for the order and the grouping of
 * operands, for what is copied, and for what is neutral. */
uint64_t why_bag(struct why_bags *bags, const struct interp_form *form);
void why_bags_fini(struct why_bags *bags);

/* ---- operands ------------------------------------------------------------------------ */

struct why_operand {
    const struct interp_form *form;
    uint64_t hash; /* by which it is told from others */
    size_t at;     /* position */
    /* The statement that combined it: the last one that stored what the
     * operation had gathered; NULL: none did. */
    const struct interp_made *by;
};

struct why_operands {
    struct VEC(struct why_operand) list;
    struct VEC(const struct interp_made *) made; /* by updates of the sum */
};

/* An operation of two operands that takes sums, products, minima, … together. */
bool why_is_nest(const struct interp_form *form);
/* Sums and differences are one operation. */
bool why_is_same_operation(const struct interp_form *a,
                           const struct interp_form *b);
/* What the operation begins with, and what has no say in it. */
bool why_is_neutral(const struct interp_form *of, const struct interp_form *f);
/* All that `form` combines by the operation `of`, in order, without what is
 * neutral; one operand where it is another operation. `by`: who stores the
 * whole. Operands are told by their bags, by their hashes if there are none.
 * False: too many. The caller frees it in any case. */
bool why_operands_take(struct arena *arena, struct why_bags *bags,
                       const struct interp_form *form,
                       const struct interp_form *of,
                       const struct interp_made *by, struct why_operands *out);
/* The range of the store over all turns of its statement that combined them. */
void why_store_widen(struct arena *arena, const struct why_operands *o,
                     struct why_store *store);
/* Leaves in each what the other one lacks, in order. */
void why_operands_subtract(struct why_operands *u, struct why_operands *t);
void why_operands_fini(struct why_operands *o);

#endif
