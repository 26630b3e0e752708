/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparison of two values in normal form over the same outer atoms.
 */
#ifndef DC_VERIFIER_MATCH_H
#define DC_VERIFIER_MATCH_H

#include "verifier/value.h"

enum match_mode {
    MATCH_IDENTICAL, /* the same operations in the same order: equal bits */
    MATCH_ORDER      /* modulo associativity, commutativity and unit of one
                        floating operator per reduction */
};

struct match {
    struct vctx *c;
    enum match_mode mode;
    bool lift_zeros; /* MATCH_ORDER: may drop 0 * w, assuming finite values */
    unsigned depth;
    unsigned work; /* comparisons made, against MATCH_MAX_WORK */
    /* What was used, valid after success. */
    bool used_finite, used_non_nan, used_in_range;
    /* What was in the way: of the deepest failure. */
    const char *why;
    unsigned why_depth;
    const char *swapped; /* first pair of terms that change places */
    bool order_broke;    /* all terms matched, their order did not */
};

/* Whether the values are equal on every input, for all outer atoms that
 * satisfy ctx. Obligations go through the context's solver. */
bool match_values(struct match *m, const struct value *p, const struct value *q,
                  const struct form *ctx);

/* The flat row-major offset of an INPUT, by the shape that its side gives the
 * parameter; NULL when that is not constant. */
const struct aff *vinput_linear(struct vctx *c, const struct value *v);

/* ---- fold.c: values as folds ---- */

/* Terms of a fold: like a value_part, with the number of the fold that it
 * belongs to: a later group follows all terms of an earlier one. */
struct term {
    struct value_part part;
    unsigned group;
};
struct fold {
    enum ir_expr_kind op;
    struct dtype dtype;
    bool swapped;
    const struct value *init; /* NULL: none */
    size_t n, cap;
    struct term *terms;
};
bool fold_combines(enum ir_expr_kind op, struct dtype t);
/* Whether order, grouping and unit of the operator matter to no bit. */
bool fold_exact(enum ir_expr_kind op, struct dtype t);
bool fold_is_unit(struct match *m, enum ir_expr_kind op, const struct value *v);
/* v as a fold of op: nested left folds are flattened. false: it is none. */
bool fold_of(struct match *m, const struct value *v, enum ir_expr_kind op,
             struct fold *out);
/* For MATCH_ORDER: terms that are folds or choices with units are taken
 * apart, non-unit initial values become terms. */
bool fold_flatten(struct match *m, struct fold *f, const struct form *ctx);
/* For equal bits: of a sum that begins at +0, which therefore never is -0, drops
 * terms that are the constant +0 (R33). */
void fold_drop_zeros(struct match *m, struct fold *f);
/* Which operator a value folds, IR_NKINDS if none. */
enum ir_expr_kind fold_op(const struct value *v);
/* fold_match.c: a bijection between the terms. */
bool match_folds(struct match *m, const struct fold *p, const struct fold *q,
                 const struct form *ctx);
/* Without conversions between floating types: for `precision`. */
const struct value *value_without_casts(struct vctx *c, const struct value *v);

#endif
