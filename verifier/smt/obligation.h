/* SPDX-License-Identifier: Apache-2.0
 *
 * What a proof is made of, by name, for the test that leaves it out.
 *
 * Each obligation has a name: the `what` of smt_prove and smt_unsat, or the
 * word given here for what is shown without a solver. A test build of the
 * prover (DC_TEST_OBLIGATIONS, tests/cases/test_obligations.c) takes those of
 * one name as shown, or of two where each keeps what the other would let
 * through; a pair that is then proved wrongly is the evidence that the
 * obligation is needed. In every other build these macros are their last
 * operand and nothing else.
 */
#ifndef DC_VERIFIER_SMT_OBLIGATION_H
#define DC_VERIFIER_SMT_OBLIGATION_H

#include "verifier/smt/smt.h"

#ifdef DC_TEST_OBLIGATIONS
/* Whether `what` is one of the names in `set`, which '|' separates; NULL: no. */
bool obligation_in(const char *set, const char *what);
/* Whether obligations of this name are taken as shown. */
bool smt_leaves_out(const struct smt *smt, const char *what);
/* Whether something about bits is left out: numbers would tell (bits_trial.c). */
bool smt_leaves_out_bits(const struct smt *smt);
/* shown, a condition of a proof. */
#define OBLIGED(smt, what, shown) (smt_leaves_out((smt), (what)) || (shown))
/* f, a conjunct of what a proof asks for. */
#define OBLIGED_FORM(c, what, f) \
    (smt_leaves_out((c)->smt, (what)) ? form_true((c)->space) : (f))
/* shown, a condition under which the front end's translation is right. */
#define OBLIGED_FRONT(f, what, shown) \
    (obligation_in((f)->leave_out, (what)) || (shown))
/* shown, a condition of the proof of a Relax function (chain*.c). */
#define OBLIGED_CHAIN(options, what, shown) \
    (obligation_in((options)->leave_out, (what)) || (shown))
#else
#define OBLIGED(smt, what, shown)           ((void)(smt), (shown))
#define OBLIGED_FORM(c, what, f)            (f)
#define OBLIGED_FRONT(f, what, shown)       ((void)(f), (shown))
#define OBLIGED_CHAIN(options, what, shown) ((void)(options), (shown))
#endif

#endif
