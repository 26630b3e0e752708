/* SPDX-License-Identifier: Apache-2.0
 *
 * Accumulation trees, inside diff/drift/: the finder asks rounds of questions,
 * each of which is a sum of chosen terms, so that whoever has the black box can
 * answer many in one run.
 */
#ifndef DC_DIFF_DRIFT_TREE_PRIVATE_H
#define DC_DIFF_DRIFT_TREE_PRIVATE_H

#include "diff/drift/drift_private.h"

/* ---- drift_tree.c: one tree, round by round -------------------------------- */

struct tree_finder;
/* run and run_many are not called. */
struct tree_finder *tree_finder_new(const struct drift_summation *s,
                                    struct arena *arena);
/* Questions of this round; 0: the end. */
size_t tree_finder_count(const struct tree_finder *f);
/* The n terms that question k sums. */
void tree_finder_terms(const struct tree_finder *f, size_t k, double *terms);
void tree_finder_answer(struct tree_finder *f, size_t k, double sum);
/* All questions of the round are answered: makes the next round. */
void tree_finder_next(struct tree_finder *f);
/* After the end. False with *why (constant text): there is no tree. */
bool tree_finder_result(struct tree_finder *f, struct drift_tree *out,
                        const char **why);
void tree_finder_free(struct tree_finder *f);

/* ---- drift_tree_sum.c: output elements as sums ------------------------------ */

#define SUM_ATOMS 2u /* input elements of one term */

/* One term: an input element, or the product of two. Atoms as in struct
 * interp_term; atoms[0] is the one whose value a mask chooses. */
struct sum_term {
    size_t natoms;
    uint64_t atoms[SUM_ATOMS];
    const char *text;
};
struct sum_element {
    size_t element; /* of the output */
    size_t n;
    struct sum_term *terms; /* in the order of the program */
    const char *why;        /* it is no such sum; NULL: it is */
};

/* Some elements of one output, and the target to ask about them. */
struct sums {
    struct drift_study *s;
    size_t param;
    struct dtype atom;   /* of all input elements */
    struct dtype cell;   /* that the program adds in */
    struct dtype result; /* of the output */
    bool rounds; /* the program rounds products to a narrower type than cell */
    bool asks_rounding; /* ways tell where partial sums are rounded to cell */
    size_t n;
    struct sum_element *elements;
    bool by_reference;     /* the interpreter is asked, in the target's place */
    size_t runs, max_runs; /* of the target */
    bool failed;           /* the target did */
};

/* What an element sums to if its terms are such. */
struct sum_probe {
    const struct sum_element *e;
    const double *drive; /* by term: the value of atoms[0] */
    const double *other; /* by term: of atoms[1]; NULL: 1 */
    double sum;          /* out */
};

/* What elements of the study's first sample sum. False with *why (in the
 * study's arena): not one of them is a sum of input elements or products. */
bool sums_trace(struct drift_study *s, size_t param, size_t n,
                const size_t *elements, struct sums *out, const char **why);
/* Runs the target until all probes are answered; as many in one run as do not
 * get in one another's way. All that no probe asks for is 0. */
bool sums_ask(struct sums *x, size_t n, struct sum_probe *probes,
              const char **why);

/* Where the target adds to what the output held, that becomes term 0 of each
 * element. One run. False: the target failed. */
bool sums_add_former(struct sums *x, const char **why);

/* ---- drift_tree_way.c: how elements are summed ------------------------------- */

/* One way to sum n terms. */
struct sum_way {
    size_t n;
    struct drift_tree tree;
    const bool *exact; /* by term: its product enters unrounded */
    size_t nexact, nproducts;
    const bool *narrow; /* by node: rounded to sums.cell; NULL: not asked */
    size_t nnarrow;
    const char *text; /* canonical */
};
/* Numbers of probes that are held at a time. */
#define SUMS_MAX_NUMBERS ((size_t)1 << 21)
/* Tells ways apart; in the study's arena. */
const char *sums_way_text(struct sums *x, const struct sum_way *way);
/* The ways of elements which[0 … n-1], as asked of the target; out[i].n is 0
 * where there is none, for the reason why[i]. False: the target failed. */
bool sums_find_ways(struct sums *x, size_t n, const size_t *which,
                    struct sum_way *out, const char **why);

/* ---- drift_tree_round.c: where partial sums are rounded ----------------------- */

/* Fills narrow and nnarrow of the ways of elements which[0 … n-1], one probe an
 * addition; why[w] is set where a way's answers make no sense. False: the target
 * did not answer. */
bool sums_find_rounding(struct sums *x, size_t n, const size_t *which,
                        struct sum_way *ways, const char **why);

/* ---- drift_tree_show.c ------------------------------------------------------- */

/* The way of an element as part of an answer, in arena. */
void sums_show(const struct sums *x, const struct sum_element *e,
               const struct sum_way *way, struct dtype type,
               struct arena *arena, struct drift_way *out);

#endif
