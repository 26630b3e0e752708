/* SPDX-License-Identifier: Apache-2.0
 *
 * Data as bits: what affs cannot tell of values that depend on data, asked of a
 * solver for bit vectors and IEEE floats.
 *
 * Both values, or the goal, become a script in SMT-LIB 2 over variables for what
 * is read from parameters, for the results of reductions, and for whatever has no
 * bits here; the script is what is solved, what a certificate keeps, and what is
 * solved again when that is checked. More than is known is never assumed: what
 * has no form is a variable of its own.
 */
#ifndef DC_VERIFIER_COMPARE_BITS_H
#define DC_VERIFIER_COMPARE_BITS_H

#include "verifier/compare/match.h"

/* Whether for all data that satisfy ctx, and for which p is defined (R10), q is
 * defined and has p's bits; NaNs count as one, zeros as two. p is the untuned
 * side's, whose silence about its own faults is used. */
bool bits_equal(struct match *m, const struct value *p, const struct value *q,
                const struct form *ctx);

/* Whether goal follows from ctx for all data. Logged under `what`. */
bool bits_prove(struct vctx *c, const struct form *ctx, const struct form *goal,
                const char *what);

#endif
