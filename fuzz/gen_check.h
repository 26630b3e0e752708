/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks behind `diffcheck-gen`: engines against each other and against
 * what is known of a generated pair, and verdicts against runs.
 */
#ifndef DC_FUZZ_GEN_CHECK_H
#define DC_FUZZ_GEN_CHECK_H

#include "fuzz/gen.h"
#include "fuzz/mutate.h"

/* A wrong version of the pair's tuned side; NULL if it has no place for any
 * mutation. kind gets what was done. */
struct ir_module *gen_mutant(const struct gen_pair *pair, uint64_t seed,
                             enum mutate_kind *kind, struct buf *where);

/* What runs of mine show of two modules, over all inputs on which the first
 * has no fault. */
struct gen_truth {
    bool fault; /* the second one faults */
    bool exact; /* outputs differ where nothing rounded */
    bool bits;  /* outputs differ */
};
struct gen_truth gen_find_truth(const struct ir_module *untuned,
                                const struct ir_module *tuned);

/* Each reports on standard output what contradicts, with the seed, then a
 * summary, and returns the number of contradictions. */
size_t gen_check_engines(uint64_t seed, uint64_t count);
size_t gen_check_verdicts(uint64_t seed, uint64_t count);

#endif
