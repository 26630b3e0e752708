/* SPDX-License-Identifier: Apache-2.0
 *
 * Pairs of small programs whose integers may wrap, and verdicts on them held
 * against an evaluator of its own.
 *
 * The tuned side is the untuned one with an expression rewritten by an identity
 * that holds for integers without limits, or for some of them: many of these
 * pairs differ, by construction nobody knows which. The evaluator
 * (ints_eval.h) says so: on all inputs where these are few, else on the values
 * where types wrap, on those around the programs' constants, and on random ones.
 */
#ifndef DC_FUZZ_INTS_H
#define DC_FUZZ_INTS_H

#include "fuzz/gen.h"

/* ---- pairs ----------------------------------------------------------------- */

enum ints_class {
#define CLASS(id, name, about) INTS_##id,
#include "fuzz/ints/ints_class.def"
#undef CLASS
    INTS_NCLASSES
};
const char *ints_class_name(enum ints_class class);

/* Where the expressions stand. */
enum ints_place {
#define PLACE(id, name) INTS_IN_##id,
#include "fuzz/ints/ints_place.def"
#undef PLACE
    INTS_NPLACES
};
const char *ints_place_name(enum ints_place place);

#define INTS_MAX_PARAMS 20u
enum ints_role {
    INTS_ROLE_OTHER,   /* gathered from, outputs */
    INTS_ROLE_TABLE,   /* read anywhere: values like those of elements */
    INTS_ROLE_ELEMENT, /* an element a trip of the loop */
    INTS_ROLE_ONE      /* one value for all trips: scalars, fixed elements */
};

struct ints_pair {
    struct arena *arena; /* owns about */
    enum ints_role roles[INTS_MAX_PARAMS];
    bool pointwise; /* no trip depends on another's inputs */
    bool numbered;  /* a trip depends on its number */
    bool symbolic;  /* the number of trips is a symbol's */
    struct ir_module *untuned, *tuned;
    struct ir_module *relax[2]; /* the same as calls of Relax functions, or
                                   NULL */
    enum ints_class class;
    enum ints_place place;
    bool memory; /* some value goes through storage on one side alone */
    const char *about;
};
/* False where the choices give no pair (a constant that does not fit): try
 * another seed. */
bool ints_pair_init(struct ints_pair *pair, const uint8_t *data, size_t n,
                    uint64_t seed);
void ints_pair_fini(struct ints_pair *pair);

/* ---- truth ----------------------------------------------------------------- */

enum ints_truth_kind {
    INTS_EQUAL,   /* no input that was tried tells the sides apart */
    INTS_DIFFERS, /* outputs differ on an input where the untuned side is fine */
    INTS_UNSAFE,  /* the tuned side faults on such an input */
    INTS_NOTHING  /* the untuned side faults on all that was tried */
};
struct ints_truth {
    enum ints_truth_kind kind;
    bool judged;  /* false: the evaluator does not know the programs */
    bool all;     /* all inputs there are were tried */
    bool outside; /* on some input the untuned side faults */
    size_t tried, admitted;
    char *witness; /* heap; the input that tells, and what happens there */
    char *engine;  /* heap; an input on which an engine does something else, if
                      asked, or NULL */
    char *fault;   /* heap; an input on which the untuned side faults in every
                      run, or NULL */
};
/* What a claim leaves out; a set of these. */
enum ints_without {
    INTS_NO_NAN = 1,
    INTS_NO_INFINITY = 2,
    INTS_INEXACT = 4 /* other outputs of runs in which an operation rounded */
};
#define INTS_ENGINES 8u /* with these bits: hold the engines against it */
/* effort: 1 a first look, 2 more inputs, 3 all if they are few. */
struct ints_truth ints_find_truth(const struct ints_pair *pair, uint64_t seed,
                                  unsigned effort, unsigned without);
void ints_truth_fini(struct ints_truth *truth);

/* ---- checks ---------------------------------------------------------------- */

/* Whether a proof that outputs are equal is wrong. */
bool ints_refutes(const struct ints_truth *truth);

struct ints_request {
    uint64_t seed, count;
    const char *keep;  /* folder for what is reported; NULL: none */
    bool runs;         /* compare without proofs, too */
    bool certificates; /* of what is proved, checked again */
    bool engines;      /* hold the interpreter's against the evaluator */
    bool lint;         /* ask whether the untuned side is safe on all inputs */
    bool tell_missed;
    const char *only; /* class or place; NULL: all */
};
/* Prints what is wrong and a table; gives the number of wrong proofs, false
 * alarms, contradictions between certificate and proof. */
size_t ints_check(const struct ints_request *request);
/* One pair from these bytes; false, after a message, if something is wrong. */
bool ints_check_bytes(const uint8_t *data, size_t n);

#endif
