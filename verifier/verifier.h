/* SPDX-License-Identifier: Apache-2.0
 *
 * The prover: whether two PrimFuncs compute the same, for all inputs and all
 * sizes, by comparing what each output cell holds as a reduction over index
 * domains (../docs of the design: comprehension normal form). No program runs.
 *
 * Input: two PrimFuncs of any stage whose parameters answer to each other by
 * position. Output: a verdict with its proof, or a reason.
 */
#ifndef DC_VERIFIER_VERIFIER_H
#define DC_VERIFIER_VERIFIER_H

#include "ir/ir.h"

enum verifier_verdict {
    VERIFIER_UNKNOWN, /* reason says why */
    VERIFIER_IDENTICAL,
    VERIFIER_ORDER_ONLY, /* swapped says which terms change places */
    VERIFIER_PRECISION,  /* casts says which roundings differ */
    VERIFIER_CANDIDATE   /* values differ or the tuned side is unsafe at
                            `cell`: to be shown by a run */
};

struct verifier_options {
    unsigned rlimit_query;   /* 0: default */
    uint64_t rlimit_total;   /* 0: default */
    const char *certificate; /* path, or NULL: write none */
    bool explain;
};

struct verifier_result {
    struct arena *arena; /* owns all below */
    enum verifier_verdict verdict;
    const char *reason;
    size_t nassumptions;
    const char **assumptions; /* "finite", "non-NaN", "noalias", ... */
    size_t nnotes;
    const char **notes;
    const char
        *swapped; /* ORDER_ONLY: first pair of terms that swap; or NULL */
    /* CANDIDATE: a place where to look. */
    int param; /* output parameter, -1: unknown */
    size_t nindex;
    int64_t *index; /* element of it */
    size_t nsizes;  /* values of symbolic sizes, with names */
    const char **size_names;
    int64_t *sizes;
    size_t queries;
    uint64_t resources;     /* solver work */
    struct buf explanation; /* as a person would tell it; empty unless asked */
    struct buf certificate; /* text; empty unless proved */
};

/* tuned and untuned are well-formed PrimFuncs of their modules; ir_host_restore
 * has been run. Never fails: what cannot be done is UNKNOWN. */
void verifier_prove(const struct ir_module *tuned_module,
                    const struct ir_func *tuned,
                    const struct ir_module *untuned_module,
                    const struct ir_func *untuned,
                    const struct verifier_options *options,
                    struct verifier_result *out);
void verifier_result_fini(struct verifier_result *r);

#endif
