/* SPDX-License-Identifier: Apache-2.0
 *
 * Obligations: formulas over affs, discharged by Z3 as quantifier-free linear
 * integer arithmetic with a fixed seed and a budget in solver resource units
 * (never seconds), each by a fresh check in one simple solver.
 *
 * A VAR becomes the sum of its digits where quotients by a chain of divisors
 * were taken of it (as known when the query is made), so that queries have
 * bounded digits and no division. Other quotients become fresh integers with
 * d*q <= a <= d*q + d - 1. Products are opaque integers (with a >= 1 and b >= 1
 * giving a*b >= a and >= b); opaque integers have their ranges.
 */
#ifndef DC_VERIFIER_SMT_SMT_H
#define DC_VERIFIER_SMT_SMT_H

#include "verifier/affine/affine.h"

struct smt;

enum smt_answer { SMT_PROVED, SMT_REFUTED, SMT_UNKNOWN };

struct smt_limits {
    unsigned rlimit_query; /* Z3 resource units a query; 0: default */
    uint64_t rlimit_total; /* of all queries; 0: default */
    unsigned variant;      /* 0: default; 1: another arithmetic solver and
                              another seed, for a second opinion */
#ifdef DC_TEST_OBLIGATIONS
    const char *leave_out; /* obligation.h */
#endif
};

struct smt *smt_new(struct aff_space *s, const struct smt_limits *limits);
void smt_free(struct smt *smt);

/* Does ctx (a conjunction) with the ranges of all atoms imply goal? what: which
 * obligation, in words ("in-domain", "last-writer", ...), kept in the log when
 * the answer is SMT_PROVED and log is set; syntactically true goals are logged
 * too. REFUTED: smt_model_value gives the model until the next query. */
enum smt_answer smt_prove(struct smt *smt, const struct form *ctx,
                          const struct form *goal, const char *what, bool log);
/* Is ctx satisfiable within all ranges? PROVED: it is not; REFUTED: it is,
 * with a model. Logged as an obligation when log is set and the answer is
 * PROVED ("unsatisfiable") . */
enum smt_answer smt_unsat(struct smt *smt, const struct form *ctx,
                          const char *what, bool log);
/* A script in SMT-LIB 2 of bit vectors and floats, complete but for its answer,
 * which is "unsat" when PROVED; it is logged then. text stays the caller's and has
 * to live as long as the log. effort: times the usual budget of a script. */
enum smt_answer smt_prove_script(struct smt *smt, const char *text,
                                 unsigned effort, const char *what);
/* Value of a VAR, quotient or opaque atom in the last model (0 if it does not
 * matter). */
int64_t smt_model_value(struct smt *smt, atom_id atom);
int64_t smt_model_aff(struct smt *smt, const struct aff *a);
/* Makes the last model small: tries 0, then halves bounds, atom by atom, within
 * `tries` queries; the model stays one of the same formula. */
void smt_minimise(struct smt *smt, size_t n, const atom_id *atoms,
                  unsigned tries);

/* The log, for certificates and --explain: obligations in the order proved. */
struct smt_obligation {
    const char *what;
    const struct form *ctx, *goal; /* ctx and not goal was unsatisfiable */
    const char *script;            /* or this was; else NULL */
};
size_t smt_log_size(const struct smt *smt);
const struct smt_obligation *smt_log_at(const struct smt *smt, size_t i);
/* Log entries made after a mark can be dropped when an attempt failed. */
void smt_log_truncate(struct smt *smt, size_t size);
/* One obligation as a complete SMT-LIB2 script (QF_LIA, or QF_BVFP, ends in
 * check-sat, whose answer must be unsat). Deterministic text. */
void smt_print(struct smt *smt, const struct smt_obligation *o,
               struct buf *out);
/* Work so far. */
uint64_t smt_resources(const struct smt *smt);
size_t smt_queries(const struct smt *smt);
bool smt_failed(const struct smt *smt);    /* the solver told of an error */
bool smt_exhausted(const struct smt *smt); /* the total ran out */

#endif
