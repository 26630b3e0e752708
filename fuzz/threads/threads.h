/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of small programs whose threads exchange, reduce and copy, whose loops
 * have steps and whose storage has several types, and proofs about them held
 * against runs.
 *
 * The untuned side says serially, in wide integers, what the tuned side does by
 * threads, in narrow ones. Whether the two are equal is not known from how they
 * are made: all indices are constants or threads' and loops' numbers and the
 * programs are small, so a run goes through all of them, and a few inputs tell.
 */
#ifndef DC_FUZZ_THREADS_H
#define DC_FUZZ_THREADS_H

#include "fuzz/gen.h"
#include "verifier/verifier.h"

/* ---- pairs ----------------------------------------------------------------- */

enum threads_kind {
#define KIND(id, name, draw) THREADS_##id,
#include "fuzz/threads/threads_kind.def"
#undef KIND
    THREADS_NKINDS
};
const char *threads_kind_name(enum threads_kind kind);

struct threads_pair {
    enum threads_kind kind;
    struct ir_module *untuned, *tuned; /* owned */
    char *text[2];                     /* heap; what they were read from */
    char *about;                       /* heap; what was done */
};
/* False where the choices give no pair: try another seed. */
bool threads_pair_init(struct threads_pair *pair, const uint8_t *data, size_t n,
                       uint64_t seed);
void threads_pair_fini(struct threads_pair *pair);

/* FOLDER/untuned.py and tuned.py, as every command reads them. */
DC_MUST_USE bool threads_pair_save(const struct threads_pair *pair,
                                   const char *folder);

/* ---- truth ----------------------------------------------------------------- */

/* What runs show of a pair, over inputs on which the untuned side is fine. */
struct threads_truth {
    size_t tried;
    size_t admitted;         /* … and that say something of the tuned one */
    bool fault;              /* the tuned side faults on one of them */
    bool bits;               /* outputs differ */
    bool exact[GEN_NLEVELS]; /* … though nothing rounded, by what counts */
    bool alone;              /* the tuned side faults on some input */
    char *witness;           /* heap; the first of these, or NULL */
    char *engine;            /* heap; how engines differ, or NULL */
};
struct threads_truth threads_find_truth(const struct threads_pair *pair);
void threads_truth_fini(struct threads_truth *truth);

/* ---- checks ---------------------------------------------------------------- */

/* What asks for a proof: verifier_prove, or what stands for it in tests. */
typedef void (*threads_prover)(const struct threads_pair *pair,
                               const struct verifier_options *options,
                               struct verifier_result *out);

struct threads_request {
    uint64_t seed, count;
    const char *keep;      /* folder for what is reported; NULL: none */
    const char *only;      /* kind; NULL: all */
    bool lint;             /* ask whether the tuned side is safe, too */
    bool certificates;     /* of what is proved, checked again */
    threads_prover prover; /* NULL: the verifier's */
};
/* Why a proof of the pair is wrong; NULL: it is not, as far as runs show. */
const char *threads_judge(const struct verifier_result *proof,
                          const struct threads_truth *truth);
/* Prints what is wrong and a table; gives the number of wrong proofs, of sides
 * that are safe and fault, and of engines that differ. */
size_t threads_check(const struct threads_request *request);

#endif
