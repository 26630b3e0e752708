/* SPDX-License-Identifier: Apache-2.0
 *
 * Numeric drift explained: what a target computed is reproduced by running the
 * same program under an alternative arithmetic (ir/num/profile.h), or judged
 * by the running error bound; never by a tolerance.
 *
 * The target is a black box: a callback that runs it on given arguments.
 * Everything here is deterministic: equal questions give equal answers.
 */
#ifndef DC_DIFF_DRIFT_DRIFT_H
#define DC_DIFF_DRIFT_DRIFT_H

#include "interp/interp.h"
#include "ir/num/profile.h"

/* ---- outcomes (design.md 3) ---------------------------------------------------- */

enum drift_outcome {
    DRIFT_EXACT,     /* the reference's bits everywhere */
    DRIFT_EXPLAINED, /* a profile within the declared arithmetic gives them */
    DRIFT_DEVIATES,  /* only a profile outside of it does */
    DRIFT_WITHIN_BOUND, /* not explained, within the running error bound */
    DRIFT_UNEXPLAINED,
    DRIFT_WRONG, /* differs where no operation rounds */
    DRIFT_ERROR, /* the target or the interpreter did not finish: message */
    DRIFT_NOUTCOMES
};
const char *drift_outcome_name(enum drift_outcome outcome);

/* ---- what is asked --------------------------------------------------------------- */

/* The arithmetic that a target declares. base: what it is expected to do, the
 * start of the search. may[t]: bit s allows setting s of toggle t as well. The
 * reference's settings and base's are always allowed. */
struct drift_declared {
    struct num_profile base;
    uint32_t may[NUM_NTOGGLES];
};
bool drift_declares(const struct drift_declared *d,
                    const struct num_profile *p);

/* Whether a setting of the toggle apart from the reference's is declared. */
bool drift_may(const struct drift_declared *d, enum num_toggle toggle);

/* One input and what the target made of it. Both are borrowed; args as for
 * interp_run: nargs of them, by position. */
struct drift_sample {
    struct interp_arg *in;   /* before the run */
    struct interp_arg *out;  /* after it, as the target left them */
    struct interp_arg *want; /* after a whole run of the reference with its
                                states, if there was one; else NULL */
    const char *label;       /* "random seed 3", for people */
    bool exact;              /* made so that no operation rounds; checked */
    /* Numbers of usual size, whose errors are like each other's. */
    bool usual;
    /* Made to show a fault, not a cause: where other samples differ as well,
     * causes are looked for on those, and must hold here. */
    bool probe;
    bool stress; /* of extreme numbers: counted among the differences only where
                    no other sample differs */
};

struct drift_question {
    const struct ir_module *module; /* what the target was built from */
    const struct ir_func *func;     /* a PrimFunc of it */
    size_t nargs;
    const bool *is_output; /* by parameter: compared, all elements */
    size_t nsamples;
    const struct drift_sample *samples;
    struct drift_declared declared;
    /* Confirmation on fresh inputs. fresh makes arguments for trial k (k = 0,
     * 1, …) that no sample has: the same fills under other seeds; false: none
     * left. run runs the target on them, in place; false: it failed, *why gets
     * text in arena. Both NULL: explanations rest on the samples alone, and
     * the answer says so. */
    bool (*fresh)(void *user, unsigned k, struct interp_arg *args);
    bool (*run)(void *user, struct interp_arg *args, struct arena *arena,
                const char **why);
    /* The same for n arguments at once, where that is faster; may be NULL. */
    bool (*run_many)(void *user, size_t n, struct interp_arg **args,
                     struct arena *arena, const char **why);
    void *user;
    unsigned nfresh;     /* trials; 0: 2 */
    size_t max_runs;     /* of the target, on masked inputs; 0: 4096 */
    size_t max_elements; /* compared where a profile needs the walker; 0: 512.
                            Where the fast engine runs it, all are */
    uint64_t max_steps;  /* interpreter steps altogether; 0: 2e9 */
    double work;         /* estimate of the steps of one whole run, by the
                            engine that can do it; 0: not known */
    double plain_work;   /* the same by the plain interpreter; 0: not known,
                            and taken for too much to run lane by lane */
    unsigned threads;    /* as in interp_options */
};

/* ---- what is answered ------------------------------------------------------------- */

/* One hypothesis and how it did. */
struct drift_trial {
    struct num_profile profile;
    size_t equal, compared; /* elements over all samples looked at */
    size_t each;            /* of compared, if the same of each; else 0 */
    bool declared;          /* within the declared arithmetic */
    bool confirmed;  /* all compared elements equal, on fresh inputs too */
    bool everywhere; /* compared elements were all elements */
};

/* One side-by-side walk of an element (drift_walk). */
struct drift_walk_step {
    const char *right_term; /* NULL: the same */
    const char *term;       /* "A[3, 2] * B[2, 5]" */
    uint64_t left, right;   /* partial results; bits of type */
    struct dtype left_type, right_type;
    bool has_left, has_right;
};
struct drift_walk {
    const char *parameter;
    size_t param, element;
    const char *index;                  /* "[0, 3, 1]" */
    const char *left_name, *right_name; /* "reference", "half=statement" */
    size_t n;
    struct drift_walk_step *steps;
    size_t diverges; /* first step whose partial results differ; n: none */
    bool truncated;
    struct dtype dtype;
    uint64_t want, have;   /* reference's and target's value of the element */
    const char *suspicion; /* of a wrong one: "as if term 17 were left out";
                              NULL: none */
};

/* Differences of the target from the reference over all samples. */
#define DRIFT_NULP \
    9u /* 0, 1, 2, 3-4, 5-8, 9-16, 17-64, more, NaN or inf on
                         one side */
struct drift_stats {
    size_t elements, differ;
    size_t ulp[DRIFT_NULP];
    double max_abs, mean_abs; /* finite differences */
    uint64_t max_ulp;
    double max_scaled; /* largest |difference| / (u * sum|terms|), of those
                          that were bounded; < 0: none */
    size_t nan_one_side, inf_one_side;
    double rtol, atol; /* the least with |d| <= atol + rtol |want| for
                          rtol = 0 (atol) and for atol = 0 (rtol) */
    size_t worst_sample, worst_param, worst_element;
};

/* The least tolerance that would have passed, and what it would have hidden:
 * terms of traced elements whose loss stays within it. */
struct drift_tolerance {
    double atol, rtol;    /* each the least with the other one 0 */
    size_t elements;      /* traced */
    size_t hides;         /* of which: some single term could be dropped
                              and the element would still pass atol */
    size_t terms, hidden; /* terms of these; such as could be dropped */
};

/* A node sums its children at once or in order; leaves are terms. */
struct drift_tree {
    size_t nnodes;
    struct drift_node {
        bool leaf;
        size_t term;      /* of a leaf */
        size_t nchildren; /* > 2: one multi-operand addition */
        size_t *children; /* indices of nodes */
        size_t size;      /* leaves below */
        size_t first;     /* the least term below */
    } * nodes;
    size_t root;
    size_t runs; /* of the callback */
};

/* How some elements of an output are summed, as measured on the target. */
struct drift_way {
    const char *parameter;
    struct drift_tree tree;
    struct dtype type;        /* that the sums are kept in */
    const char *first, *last; /* terms of an element, as text */
    const bool *exact;        /* by term: its product is fused */
    size_t products, fused;   /* terms that are products; that are not rounded
                                 before they are added */
    bool wide;                /* type is wider than the program's */
    bool widens;              /* type holds any product: none needs fusing */
    bool rounds;              /* the program rounds products first */
    struct dtype narrow;      /* the program's; of a wider sum, */
    size_t narrowed;          /* partial sums that are rounded to it, and */
    const bool *narrows;      /* which, by node; NULL: none */
    size_t elements;          /* that it was found to hold for */
    const char *index;        /* of one of them: */
    const double *values;     /* partial sums by node; NULL: not replayed */
};

/* Elements that one profile gives, where no single one gives all. */
struct drift_mixed {
    struct num_profile profile;
    size_t elements; /* such as the profiles before do not give */
};

struct drift_answer {
    struct arena *arena; /* owns all that is below */
    enum drift_outcome outcome;
    const char *reason;    /* one sentence */
    const char *suspicion; /* wrong: "as if ...", what mistake it looks like;
                              NULL: none found */
    size_t ntrials;        /* best first: minimal explanations, then the rest */
    struct drift_trial *trials;
    const char *doubtful; /* an undeclared setting that gives the bits, on too
                             little evidence; or NULL */
    size_t nminimal;      /* trials[0 … nminimal-1] explain; none is contained
                            in another one */
    unsigned fresh_runs;  /* confirmations made */
    bool everywhere;      /* all elements compared for trials[0] */
    size_t outputs;       /* compared on each input; 0: not always as many */
    struct drift_stats stats;
    size_t explained; /* elements of stats.differ that trials[0], mixed or ways
                            give */
    const char *profile; /* error along the axes of the worst output: lines */
    struct drift_tolerance tolerance;
    /* Sums in an order of the target's own, where no profile explains it. */
    size_t nways;
    struct drift_way *ways;
    bool by_ways; /* they give every bit */
    /* Sums that are no such tree do: "compensated", "dots=4"; or NULL. */
    const char *scheme;
    /* Products fused in some elements and not in others, where no profile
     * gives all and these together do. */
    size_t nmixed;
    struct drift_mixed *mixed;
    const char *no_tree;     /* why there are none, or do not; or NULL */
    struct drift_walk *walk; /* of the worst element; NULL: could not */
    size_t bounded, beyond;  /* elements judged by the bound; beyond it */
    size_t unbounded;        /* that differ and have none */
    uint64_t steps;          /* interpreter steps used */
};

/* Never aborts on what a target did. The caller frees the answer. */
struct drift_answer *drift_explain(const struct drift_question *question);
void drift_answer_free(struct drift_answer *answer);

/* ---- parts that reports use by themselves ------------------------------------------ */

/* Statistics of have against want, elements of type t. */
void drift_stats_add(struct drift_stats *stats, size_t sample, size_t param,
                     const struct interp_tensor *want,
                     const struct interp_tensor *have);
/* One line a class: "     1 ulp  |########          |  12345  38.1 %". */
void drift_put_histogram(struct buf *out, const struct drift_stats *stats);
/* Error along each axis: mean and largest |difference| for each index (or bin
 * of indices) as a bar. A comb is a wrong half of a buffer, an edge a tail. */
void drift_put_profile(struct buf *out, const struct interp_tensor *want,
                       const struct interp_tensor *have, unsigned width);
/* The sentences of an answer: causes, numbers, what was ruled out. */
void drift_put_answer(struct buf *out, const struct drift_answer *answer);
/* "allclose would have passed with atol = …; of the terms traced, 93 % could
 * be dropped and it would still pass". */
void drift_put_tolerance(struct buf *out, const struct drift_tolerance *t);

/* ---- accumulation trees by masked inputs -------------------------------------------- */

#define DRIFT_MAX_TREE 4096u /* terms */
/* A sum of n terms as a black box: run gets n numbers and gives the sum. */
struct drift_summation {
    struct dtype dtype; /* of the terms */
    struct dtype sum;   /* of the sum; bits 0: the same */
    size_t n;
    bool (*run)(void *user, const double *terms, double *sum);
    void *user;
    double big, unit; /* 0: chosen from dtype: big + unit swallows units, and n
                         units do not reach big */
};
/* False with *why (constant text) where the answers fit no tree. Allocated in
 * arena. */
DC_MUST_USE bool drift_tree_find(const struct drift_summation *s,
                                 struct arena *arena, struct drift_tree *out,
                                 const char **why);
/* The ways in which the target sums elements of an output, measured by masked
 * inputs; nothing is compared. why[i], in arena, tells why there is none of
 * element i, else it is NULL. Uses module, func, nargs, is_output, the first
 * sample's in, run and run_many of the question. False: none was found. */
bool drift_measure(const struct drift_question *question, size_t param,
                   size_t n, const size_t *elements, struct arena *arena,
                   struct drift_way *ways, const char **why, size_t *runs);
/* What kind of sum it is: "sequential", "8 lanes, interleaved, combined …". */
void drift_tree_describe(struct buf *out, const struct drift_tree *tree);
/* Drawn as text, at most `lines` lines; values by node, if given, are shown,
 * terms with marks, if given, get a star. */
void drift_put_tree(struct buf *out, const struct drift_tree *tree,
                    const double *values, const bool *marks, size_t lines);
/* "in 4 lanes; …, 9 of 10 products fused into their addition". */
void drift_put_way_order(struct buf *out, const struct drift_way *way);
/* "the 10 terms of C are added …" */
void drift_put_way_name(struct buf *out, const struct drift_way *way);
/* The same as lines, with the tree. */
void drift_put_way(struct buf *out, const struct drift_way *way, size_t lines);
/* "((0 1) 2)": for comparisons and tests. */
void drift_tree_text(struct buf *out, const struct drift_tree *tree);

/* ---- order sensitivity ---------------------------------------------------------------- */

/* What may happen to the terms of one element, whatever order they are added
 * in: terms as numbers of type t (the products, already rounded). */
struct drift_order {
    size_t n;
    double sum;       /* over the reals */
    double magnitude; /* sum of absolute values */
    double bound;     /* how far the results of two orders can differ */
    double low, high; /* results of orders tried: ascending, descending,
                          written, by sign, pairwise */
    bool some_overflow, all_overflow; /* of those tried */
    bool some_stagnate, all_stagnate; /* a term that is not 0 changed nothing
                                           though it would have in the sum */
    const char *overflow_order, *stagnate_order; /* one that does */
    const char *safe_order; /* one that does neither; NULL */
};
struct drift_order drift_order_of(struct dtype t, size_t n,
                                  const double *terms);
/* The worst of that for n terms that may be any numbers in lo … hi: on a few
 * extreme choices; sum, low and high are those of the first one. */
struct drift_order drift_order_range(struct dtype t, size_t n, double lo,
                                     double hi);

#endif
