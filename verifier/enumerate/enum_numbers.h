/* SPDX-License-Identifier: Apache-2.0
 *
 * Both sides on numbers: the second stage, for what symbols do not decide.
 * Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_NUMBERS_H
#define DC_VERIFIER_ENUMERATE_ENUM_NUMBERS_H

#include "verifier/enumerate/enum_run.h"
#include "verifier/enumerate/enum_value.h"

/* So many trials that count make an element compared. */
#define ENUM_ENOUGH 16u

struct enum_question {
    const struct ir_func *func[2]; /* untuned, tuned */
    size_t nsizes[2];
    const struct enum_size *sizes[2];
    const struct enum_laws *laws;
    const struct enum_pool *pool;
    uint64_t *steps; /* what is left, brought up to date */
};

enum enum_word {
    ENUM_SAME,      /* nothing was found */
    ENUM_DIFFERENT, /* text says on which inputs, and what */
    ENUM_UNSURE     /* text says why */
};

struct enum_tried {
    unsigned counted; /* trials on which the untuned side has no fault */
    unsigned whole;   /* of these, in which all elements were compared */
    unsigned skipped; /* on which it has */
    size_t elements;
    struct buf text;
};

/* Whole runs: values as far as the claim says them, faults, races, barriers. out
 * is zero before. */
enum enum_word enum_try_runs(const struct enum_question *q,
                             struct enum_tried *out);

/* Pairs of terms: two of one element. */
struct enum_pair {
    size_t param, element;
    enum_id side[2];
};
/* Terms that are not the same by form: values on which those of a pair differ,
 * for ENUMERATE_IDENTICAL alone; otherwise what is the same below them is one
 * term. whole: whole runs can be asked whether the untuned side has a fault on
 * such inputs. out is zero before. */
enum enum_word enum_try_terms(const struct enum_question *q,
                              const struct enum_table *t, bool whole, size_t n,
                              const struct enum_pair *pairs,
                              struct enum_tried *out);

#endif
