/* SPDX-License-Identifier: Apache-2.0
 *
 * The prover: whether two functions compute the same, for all inputs and all
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

/* What is given of a parameter's elements on entry, in row-major order: the
 * claim is for such inputs. */
enum verifier_property {
    VERIFIER_DISTINCT = 1,   /* no two are equal */
    VERIFIER_SORTED = 2,     /* none is below the one before it */
    VERIFIER_PERMUTATION = 4 /* each of 0, ..., n - 1 once */
};
struct verifier_given {
    unsigned properties; /* of an integer tensor, or-ed */
    bool ranged;         /* an integer tensor's elements, or the scalar, lie */
    int64_t lo, hi;      /* in here, both included */
};
struct verifier_given_size {
    const char *name; /* of a symbolic size of the untuned function */
    int64_t lo, hi;   /* below 1: no proof is about it */
};

struct verifier_options {
    unsigned rlimit_query;   /* 0: default */
    uint64_t rlimit_total;   /* 0: default */
    const char *certificate; /* path, or NULL: write none */
    bool explain;
    unsigned variant;       /* of the solver: smt.h */
    bool place;             /* of a candidate: look for an element */
    bool explicit_barriers; /* R3: none is implied */
    /* By parameter, or NULL: those that are true are uninitialised on entry
     * and outputs, whoever writes to them. */
    const bool *fresh;
    /* One program on both sides, given inputs that are alike, about whose
     * outputs `defined` and `fit` are asked (verifier_result): a fault of the
     * tuned side is one of the untuned side. */
    bool alike;
    /* By parameter, or NULL. Where something is given no certificate is
     * written: it would have to name that. */
    const struct verifier_given *given;
    size_t nsizes;
    const struct verifier_given_size *sizes;
#ifdef DC_TEST_OBLIGATIONS
    const char *leave_out; /* obligation.h */
#endif
};

struct verifier_result {
    struct arena *arena; /* owns all below */
    enum verifier_verdict verdict;
    const char *reason;
    size_t nassumptions;
    const char **assumptions; /* "finite", "non-NaN", "noalias", ... */
    size_t nmatching; /* of them: the first are about comparing values alone */
    size_t nnotes;
    const char **notes;
    const char
        *swapped; /* ORDER_ONLY: first pair of terms that swap; or NULL */
    /* CANDIDATE: a place where to look. */
    int param; /* output parameter, -1: unknown; of Relax functions the number
                  of the result */
    size_t nindex;
    size_t nplaces;
    int64_t *index; /* elements of it, one after the other; likeliest first */
    size_t nsizes;  /* values of symbolic sizes, with names */
    const char **size_names;
    int64_t *sizes;
    /* Of PrimFuncs that are proved: if no input is undefined, no output of
     * either side is; if none comes from an int32 or int64 operation that
     * overflowed, no output does (R9, R10). */
    bool defined, fit;
    /* Both sides were shown safe, the untuned one as far as its data are taken to
     * be fine, and no access of the tuned one needs that, or a divisor is among
     * them: there may be inputs on which the untuned one alone has a fault. */
    bool untuned_trusts;
    size_t queries;
    bool solver_failed;     /* an error of it, memory for one: less was shown */
    uint64_t resources;     /* solver work */
    uint64_t work;          /* steps of the proof */
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
/* The same for two Relax functions: calls of PrimFuncs, matched one by one
 * (chain.c). No certificate is written. */
void verifier_prove_relax(const struct ir_module *tuned_module,
                          const struct ir_func *tuned,
                          const struct ir_module *untuned_module,
                          const struct ir_func *untuned,
                          const struct verifier_options *options,
                          struct verifier_result *out);
void verifier_result_fini(struct verifier_result *r);
/* "Z3 4.8.12.0": proofs of another solver may end otherwise. */
void verifier_put_solver(struct buf *out);

/* ---- one function by itself (lint.c) ----------------------------------------- */

struct verifier_barrier {
    struct ir_pos pos;
    const char *scope; /* "shared", "warp" */
    bool removable;    /* together with all others that are */
};
struct verifier_lint {
    struct arena *arena; /* owns all below */
    bool safe;           /* for all inputs and sizes */
    const char *reason;  /* not safe: what was not shown, with the place */
    const char *kind; /* "out of bounds", "race", ...; NULL: not understood */
    struct ir_pos pos;
    size_t nsizes; /* symbolic sizes at which a solver's model shows it */
    const char **size_names;
    int64_t *sizes;
    size_t nassumptions;
    const char **assumptions;
    size_t nbarriers; /* safe: explicit ones, in program order */
    struct verifier_barrier *barriers;
    bool barriers_asked; /* false: too many, none was tried */
    size_t queries;
    uint64_t work;
};
/* Whether a well-formed PrimFunc of its module has no fault on any input
 * within its parameters' shapes, and which of its barriers could go without a
 * race. What is not shown is not a finding. Never fails. */
void verifier_lint(const struct ir_module *module, const struct ir_func *func,
                   const struct verifier_options *options,
                   struct verifier_lint *out);
void verifier_lint_fini(struct verifier_lint *out);

/* ---- certificates (certificate.c, recheck.c) --------------------------------- */

enum verifier_check {
    VERIFIER_CONFIRMED,
    VERIFIER_REFUSED,  /* it is not what the modules give, or a claim fails */
    VERIFIER_UNDECIDED /* a solver gave up on the way */
};
struct verifier_confirmation {
    struct verifier_result again; /* the second derivation */
    enum verifier_check outcome;
    const char *reason; /* not confirmed: why; in again.arena */
    size_t obligations; /* solved from the certificate's own text */
    /* Confirmed: of how many elements the terms were written out and compared
     * at which sizes, or why they were not; in again.arena. */
    const char *enumerated;
    bool compared; /* they were */
};
/* Whether a certificate of these two functions holds:
 *  - it names them, by hashes of both modules, and is whole;
 *  - the claim is derived again, with the solver in another configuration, and
 *    gives the same text, byte for byte;
 *  - each obligation, as the certificate spells it, is solved again by a fresh
 *    solver;
 *  - both functions, run on symbols at small sizes by code that shares nothing
 *    with the derivation, give the same terms (enumerate/), where they can be.
 * text need not be NUL-terminated and may be anything. */
void verifier_check_certificate(const char *text, size_t len,
                                const struct ir_module *tuned_module,
                                const struct ir_func *tuned,
                                const struct ir_module *untuned_module,
                                const struct ir_func *untuned,
                                struct verifier_confirmation *out);
void verifier_confirmation_fini(struct verifier_confirmation *c);
/* Where a file of several certificates holds that of the untuned function of
 * this name; false: nowhere. */
bool verifier_find_certificate(const char *text, size_t len, const char *name,
                               size_t *start, size_t *size);

#endif
