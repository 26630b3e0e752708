/* SPDX-License-Identifier: Apache-2.0
 *
 * The checks behind `diffcheck-gen` and the fuzz target `generated`: engines
 * against each other and against what is known of a generated pair, and
 * verdicts against runs.
 */
#ifndef DC_FUZZ_GEN_CHECK_H
#define DC_FUZZ_GEN_CHECK_H

#include "fuzz/gen.h"
#include "fuzz/mutate.h"
#include "reports/reports.h"

/* What to check. */
struct gen_request {
    uint64_t seed, count;
    struct gen_options options;
    uint64_t budget;   /* steps for a verdict; 0: the comparison's default */
    unsigned mutants;  /* of each pair, for verdicts */
    bool mutants_only; /* ask for no verdict on the right pairs */
    bool cross_check;  /* runs and keyed runs where a proof is found, too */
    const char *keep;  /* folder for pairs that contradict; NULL: none */
};

/* Enough for what gen_small_options gives, large symbolic sizes apart. */
#define GEN_SMALL_BUDGET UINT64_C(3000000)

/* Reports on standard output what contradicts, with the seed, then a summary,
 * and returns the number of contradictions. */
size_t gen_check_engines(const struct gen_request *request);
size_t gen_check_verdicts(const struct gen_request *request);

/* A line on standard output. */
void gen_complain(uint64_t seed, const struct gen_pair *pair, const char *what,
                  const char *detail);

/* ---- mutants --------------------------------------------------------------- */

/* Wrong versions of a pair's tuned side, one after the other, by all kinds of
 * mutation in turn, at several places each. */
struct gen_mutation {
    unsigned next;         /* 0 before the first */
    enum mutate_kind kind; /* of the last one made */
};
/* NULL when there is no more; the caller frees it. where (may be NULL) gets
 * what was done. */
struct ir_module *gen_next_mutant(const struct gen_pair *pair, uint64_t seed,
                                  struct gen_mutation *mutation,
                                  struct buf *where);

/* ---- engines --------------------------------------------------------------- */

struct gen_engine_count {
    size_t runs, refused, found; /* refused by engines but the first */
};
/* mutant may be NULL. */
struct gen_engine_count gen_check_pair(uint64_t seed,
                                       const struct gen_pair *pair,
                                       const struct ir_module *mutant);

/* ---- truth ----------------------------------------------------------------- */

/* A module and what it gives on the inputs of gen_input_at. */
struct gen_reference {
    const struct ir_module *module;
    struct gen_run runs[GEN_NINPUTS];
};
void gen_reference_init(struct gen_reference *reference,
                        const struct ir_module *module);
void gen_reference_fini(struct gen_reference *reference);

/* What such runs show of another module, over the inputs on which the first
 * has no fault. Where it faults, or differs exactly at every level, no more is
 * looked for. */
struct gen_truth {
    bool fault; /* it faults */
    bool bits;  /* outputs differ */
    /* By level, see struct gen_difference. Above GEN_ANY of inputs alone that
     * stay far from overflow, so that what a level takes for granted holds of
     * intermediate results, too. */
    bool values[GEN_NLEVELS], exact[GEN_NLEVELS];
};
struct gen_truth gen_find_truth(const struct gen_reference *reference,
                                const struct ir_module *other);
/* Whether enclosures of the real-valued results are disjoint somewhere. */
bool gen_find_apart(const struct gen_reference *reference,
                    const struct ir_module *other);

/* ---- verdicts -------------------------------------------------------------- */

/* What a comparison says. */
struct gen_claimed {
    enum report_verdict verdict; /* REPORT_NVERDICTS: none */
    unsigned assumptions;        /* enum interp_assumption, as printed */
    bool contradiction;          /* it contradicts itself */
    bool proved;                 /* by proof */
};

/* What is wrong with it, NULL if nothing. mutated: how the pair's tuned side
 * was made wrong, NULL if it was not. apart: gen_find_apart, needed only where
 * gen_needs_apart. */
const char *gen_judge(const struct gen_claimed *claimed,
                      const struct gen_pair *pair,
                      const enum mutate_kind *mutated,
                      const struct gen_truth *truth, bool apart);
bool gen_needs_apart(const struct gen_claimed *claimed,
                     const struct gen_truth *truth);

/* The pair's untuned side in the keyed domains. */
#define GEN_NKEYED 5u
struct gen_keyed {
    bool asked; /* a claim would be about all inputs */
    struct gen_run runs[GEN_NKEYED];
};
void gen_keyed_init(struct gen_keyed *keyed, const struct gen_pair *pair);
void gen_keyed_fini(struct gen_keyed *keyed);
/* What they say of another module: the claims, and how many of them answered
 * at all. Gives the number of claims. */
size_t gen_keyed_claims(const struct gen_keyed *keyed,
                        const struct ir_module *other,
                        struct gen_claimed out[GEN_NKEYED], size_t *answers);

/* Asks for the verdict on one module beside the pair's untuned side, and
 * judges it; true if it is as it should be. Complains where it is not. Proofs
 * are held against runs and keyed runs. budget as in struct gen_request. */
bool gen_check_verdict(uint64_t seed, const struct gen_pair *pair,
                       const struct ir_module *tuned,
                       const enum mutate_kind *mutated, uint64_t budget);

/* ---- files ----------------------------------------------------------------- */

/* Writes FOLDER/untuned.json and tuned.json; false if that fails. */
DC_MUST_USE bool gen_save_pair(const char *folder,
                               const struct ir_module *untuned,
                               const struct ir_module *tuned);
DC_MUST_USE bool gen_make_folder(const char *path);

#endif
