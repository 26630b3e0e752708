/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparison of two values in normal form over the same outer atoms.
 */
#ifndef DC_VERIFIER_COMPARE_MATCH_H
#define DC_VERIFIER_COMPARE_MATCH_H

#include "verifier/value/value.h"

enum match_mode {
    MATCH_IDENTICAL, /* the same operations in the same order: equal bits */
    MATCH_ORDER      /* modulo associativity, commutativity and unit of one
                        floating operator per reduction */
};

struct match {
    struct vctx *c;
    enum match_mode mode;
    bool lift_zeros; /* MATCH_ORDER: may drop 0 * w, assuming finite values */
    bool in_order;   /* IDENTICAL: sums of integers too keep their order */
    unsigned depth;
    unsigned work;       /* comparisons made, against MATCH_MAX_WORK */
    unsigned bits_tried; /* pairs asked as bits (bits.h) */
    bool in_sets;      /* terms of sets are compared: not of sets in them too */
    bool without_bits; /* none are to be asked */
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

/* Lets the context ask for equal bits (vctx.same). */
void match_serve(struct vctx *c);

/* The row-major offset of an INPUT, by the shape that its index is of; NULL: not
 * known. */
const struct aff *vinput_linear(struct vctx *c, const struct value *v);
/* Whether two INPUTs of one parameter have indices of one shape. */
bool vinput_alike(const struct value *p, const struct value *q);

/* ---- fold.c: values as folds ---- */

/* Terms of a fold: like a value_part, with the number of the fold that it
 * belongs to: a later group follows all terms of an earlier one. */
struct term {
    struct value_part part;
    unsigned group;
    bool swapped; /* written e (+) x instead of x (+) e */
};
struct fold {
    enum ir_expr_kind op;
    struct dtype dtype;
    bool in_turn; /* terms are steps: only in their order */
    bool exact;   /* order matters to no bit, whatever the operator */
    const struct value *init; /* NULL: none */
    size_t n, cap;
    struct term *terms;
    /* Of flattening: units that were dropped, and whether these were of several
     * bits (max: -inf and the lowest number; +: zeros of both signs). Strict: only
     * what changes no state is dropped. */
    bool strict, dropped, mixed;
    uint64_t unit;
};
/* Whether order, grouping and unit of the operator matter to no bit. */
bool fold_exact(const struct match *m, enum ir_expr_kind op, struct dtype t);
/* v as a fold of op: nested left folds are flattened. false: it is none. */
bool fold_of(struct match *m, const struct value *v, enum ir_expr_kind op,
             struct fold *out);
/* For MATCH_ORDER: terms that are folds or choices with units are taken
 * apart, non-unit initial values become terms. Where no term is left a fold is the
 * unit that was dropped: one, or some term is shown to be left. */
bool fold_flatten(struct match *m, struct fold *p, struct fold *q,
                  const struct form *ctx);
/* For equal bits: of a sum that begins at +0, which therefore never is -0, drops
 * terms that are the constant +0 (R33). */
void fold_drop_zeros(struct match *m, struct fold *f);
/* fold_laws.c: a conversion of a sum of integers is the sum of conversions, where
 * that gives the same bits; else v itself. */
const struct value *fold_through_cast(struct match *m, const struct value *v);
/* fold_laws.c: for equal bits: a maximum of floats (or a minimum) that begins with a
 * value as one that begins with -inf and has it as its first term, once. */
void fold_begin_at_unit(struct match *m, struct fold *f,
                        const struct form *ctx);
/* fold_laws.c: that a flattened fold has a term, wherever f holds: sufficient for
 * it, some points of its parts being tried. */
const struct form *fold_has_term(struct vctx *c, const struct fold *f);
/* Which operator a value folds, IR_NKINDS if none. */
enum ir_expr_kind fold_op(const struct value *v);
/* Adds a term. */
bool fold_push(struct match *m, struct fold *f, const struct value_part *p,
               unsigned group);
/* fold_match.c: fresh copies of a part's binders. */
struct aff_map fold_renamed(struct vctx *c, const struct value_part *p);

/* ---- step_match.c: folds over steps ---- */

/* Two VALUE_FOLDs: the same steps in the same order, or, where their combiner is
 * shown to allow it, the same terms in any order. */
bool match_steps(struct match *m, const struct value *p, const struct value *q,
                 const struct form *ctx);
/* ctx with equations between the data that p and q depend on, where those are
 * the same values. */
const struct form *match_same_data(struct match *m, const struct form *p,
                                   const struct form *q,
                                   const struct form *ctx);

/* ---- combiner.c: steps as a combiner of states, and its laws ---- */

#define MAX_COMBINED 6
struct combiner {
    struct match *m;
    size_t n;                 /* components of the state */
    const struct value *leaf; /* of the step that it was read off */
    const struct value *arg[MAX_COMBINED]; /* what that step combines with */
    const struct form *ctx;
    bool floats; /* compares floats: its laws hold but for NaN */
};
/* Reads the leaf of a step as f(state, arg), arg without holes. */
bool combiner_of(struct match *m, const struct value *leaf,
                 const struct form *ctx, struct combiner *out);
/* The same function of state and argument. */
bool combiner_same(struct combiner *a, struct combiner *b);
/* Associative and commutative, and f(e, e) = e for the constant state e that
 * folds begin with. Else a counterexample is noted in the match. */
bool combiner_laws(struct combiner *f, const struct value *begin);

/* fold_match.c: a bijection between the terms. */
bool match_folds(struct match *m, const struct fold *p, const struct fold *q,
                 const struct form *ctx);
/* The same terms, however often: for operators to which that makes no difference. */
bool match_sets(struct match *m, const struct fold *p, const struct fold *q,
                const struct form *ctx);
/* Whether a term may be repeated. */
bool fold_idempotent(enum ir_expr_kind op);
/* Without conversions between floating types: for `precision`. */
const struct value *match_value_without_casts(struct vctx *c,
                                              const struct value *v);

#endif
