/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries in the form that the solver gets: formulas over digits, in a space
 * of their own. For smt*.c only.
 *
 * Outer means the caller's space, inner the solver's. The image of an outer
 * atom is an inner aff: a variable, or a sum of digits where quotients by a
 * chain of divisors were taken of it. Facts are outer affs that are >= 0:
 * ranges, what defines a quotient, what holds of products.
 */
#ifndef DC_VERIFIER_SMT_ENCODE_H
#define DC_VERIFIER_SMT_ENCODE_H

#include "verifier/smt/smt.h"

/* Quotients of one dividend by divisors that divide each other. */
struct chain {
    size_t n, cap;
    int64_t *divisors; /* ascending */
    /* digits[i] = quotient i - (divisors[i + 1] / divisors[i]) * quotient
     * i + 1; the last is the top quotient itself. rest: dividend modulo the
     * first divisor; used if the dividend is a variable. NULL before use. */
    const struct aff **digits, *rest;
};

struct encoded_atom {
    const struct aff *image; /* valid if epoch is the encoder's */
    uint32_t epoch;
    uint32_t query;      /* last query that mentioned it */
    bool known;          /* facts were made, quotient was filed */
    bool loose;          /* FLOOR: not in a chain */
    struct chain *chain; /* of this dividend: VAR, or FLOOR through its def */
    size_t nfacts;
    const struct aff **facts;
};

struct encoded_form {
    const struct form *image;
    uint32_t epoch;
};

struct encoder {
    struct aff_space *outer, *inner;
    uint32_t epoch, query;
    struct VEC(struct encoded_atom) atoms; /* by outer atom */
    struct VEC(struct chain *) chains;     /* by id of the outer dividend */
    struct VEC(struct encoded_form) forms; /* by outer form */
    struct VEC(atom_id) seen;              /* atoms of this query */
    size_t expanded;                       /* of seen, parts visited */
};

void encoder_init(struct encoder *e, struct aff_space *outer);
void encoder_fini(struct encoder *e);
/* Starts a query: no atom is in it. */
void encoder_begin(struct encoder *e);
/* Adds the atoms of the formula, all that define them, and all that their
 * facts mention. */
void encoder_add(struct encoder *e, const struct form *f);
/* Whether the formula mentions an atom of the query. */
bool encoder_shares(struct encoder *e, const struct form *f);
/* The inner formula; to be called once all of the query was added. */
const struct form *encoder_image(struct encoder *e, const struct form *f);
const struct aff *encoder_aff(struct encoder *e, const struct aff *a);

#endif
