/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts of diff/drift/ share:
 *
 *   explain.c … named drift_*.c: drift_explain.c the order of questions,
 *   drift_study.c runs of profiles and comparison, drift_search.c hypotheses,
 *   drift_judge.c what stays unexplained, drift_trace.c elements term by term.
 */
#ifndef DC_DIFF_DRIFT_PRIVATE_H
#define DC_DIFF_DRIFT_PRIVATE_H

#include "diff/drift/drift.h"

/* Elements that are looked at, of one output of one sample. */
struct drift_pick {
    size_t param;
    size_t n;
    size_t *elements; /* ascending */
    uint8_t *demand;  /* one byte an element */
};

/* One sample with the reference's results. */
struct drift_case {
    struct interp_arg *in, *out; /* borrowed or the study's own */
    const char *label;
    bool exact, fresh, usual, probe;
    bool differs;              /* the target's outputs, from the reference's */
    bool whole;                /* want holds all elements, else the picked */
    struct interp_arg *want;   /* outputs of the reference; others of in */
    bool borrowed;             /* want is the question's */
    struct drift_pick *picks;  /* by output: for screening */
    struct drift_pick *checks; /* by output: for confirmation */
};

struct drift_study {
    const struct drift_question *q;
    const struct ir_func
        *func; /* that runs: the question's, or a changed one */
    struct arena *arena;
    size_t ncases;
    struct drift_case *cases; /* room for samples and fresh runs */
    unsigned nfresh, nextra;  /* fresh runs to confirm, to tell apart */
    unsigned nproof;          /* and to tell from chance */
    unsigned nfresh_done;
    bool screen_probes; /* nothing but probes differs */
    bool screen_fresh;  /* study_screen has fresh samples, too */
    size_t noutputs;
    size_t *outputs; /* parameters */
    uint64_t steps, max_steps;
    size_t max_elements;
    bool out_of_steps;
    bool coarse; /* differs by more than rounding can make: drift_judge.c */
    const char *error; /* the target or the reference failed */
    bool error_is_targets;
};

/* ---- drift_study.c --------------------------------------------------------- */

/* Runs the reference on all samples, picks elements. False: study->error. */
bool study_start(struct drift_study *s);
void study_end(struct drift_study *s);
/* Runs the target on fresh inputs, if that has not been done. False: study->error. */
bool study_freshen(struct drift_study *s);

/* One more, to tell explanations apart. False: there are no more. */
bool study_more(struct drift_study *s);
/* The same, to tell a hypothesis from chance; there are more of these. */
bool study_prove_more(struct drift_study *s);

/* ---- drift_evidence.c ------------------------------------------------------ */

enum drift_evidence {
    DRIFT_TOLD,       /* enough elements */
    DRIFT_TOO_LITTLE, /* too few, on all inputs that may be tried */
    DRIFT_REFUTED     /* the claim fails on a fresh input */
};
/* Whether enough elements, of fresh inputs too where needed, are not given by
 * what the target declares. claimed: what was found to give all of them, which
 * must hold on the fresh inputs; or NULL. *evidence: how many there are. */
enum drift_evidence drift_tell(struct drift_study *s,
                               const struct drift_answer *a,
                               const struct num_profile *claimed,
                               size_t *evidence);

/* How many elements a profile gives as the target has them. */
struct drift_score {
    size_t equal, compared;
    size_t each;     /* of compared: if the same number on each case; else 0 */
    bool failed;     /* the run did not finish */
    bool everywhere; /* all elements of all cases were compared */
    bool at_fresh;   /* study_check: the case that differs is a fresh one */
    uint64_t print;  /* of the results that were compared */
};
/* On the elements picked for screening, of the given samples; of fresh ones
 * where that is set. */
struct drift_score study_screen(struct drift_study *s,
                                const struct num_profile *p);
/* The same of one sample, added to the score. False: did not finish. */
bool study_screen_case(struct drift_study *s, struct drift_case *c,
                       const struct num_profile *p, struct drift_score *score);
/* On all elements if the fast engine runs the profile, else on those picked
 * for it; stops at the first case that differs. */
struct drift_score study_check(struct drift_study *s,
                               const struct num_profile *p);
/* One run under a profile: whole on the fast engine, or by any engine where
 * the case is small (*picks is NULL then), else of the elements of *picks.
 * False: did not finish, and there is nothing to free. */
bool study_compute(struct drift_study *s, struct drift_case *c,
                   const struct num_profile *p, struct interp_arg **args,
                   const struct drift_pick **picks);
/* One run on a case: outputs are fresh tensors, other arguments are the
 * case's; demand by output or NULL. False: did not finish. The caller frees
 * with study_free_args. */
bool study_run(struct drift_study *s, const struct drift_case *c,
               struct interp_options options, const struct drift_pick *picks,
               struct interp_arg **args);
/* The same in a domain of enclosures or bounds, on the elements picked for
 * confirmation, which differ if any do. What it cannot tell is no error of the
 * study. */
bool study_view(struct drift_study *s, const struct drift_case *c,
                enum interp_domain_kind domain, unsigned loose,
                struct interp_arg **args);
/* The elements picked for screening, at least: the whole run on the fast
 * engine where that is less work than a slice. */
bool study_run_picks(struct drift_study *s, const struct drift_case *c,
                     struct interp_options options, struct interp_arg **args);
void study_free_args(struct drift_study *s, struct interp_arg *args);
/* Arguments with outputs of their own, for study_free_args. */
struct interp_arg *study_clone_args(struct drift_study *s,
                                    const struct interp_arg *from);

/* Compares outputs of a run with the target's; picks NULL: all elements. */
void study_compare(struct drift_study *s, struct drift_score *score,
                   const struct interp_arg *a, const struct interp_arg *b,
                   const struct drift_pick *picks);

/* Whether an element is counted among those compared: nothing is promised of
 * an undefined one, and one that was not stored to tells something only where
 * the target has changed it. */
bool study_counts(const struct interp_tensor *want, size_t i, bool same);

/* ---- drift_explain.c ------------------------------------------------------- */

/* Whether qfloat comes nearer to the target's bits than the reference. */
bool drift_resembles_qfloat(struct drift_study *s);

/* ---- drift_search.c -------------------------------------------------------- */

/* Fills answer->trials; true if some profile explains the target. */
bool drift_search(struct drift_study *s, struct drift_answer *a);
/* Toggles without effect on their own set back. */
void drift_canonical(struct num_profile *p);

/* ---- drift_mix.c ----------------------------------------------------------- */

/* Products that are fused in some elements and not in others: each element
 * must be given by one profile on all inputs. True: the answer's mixed, outcome
 * and reason are set. To be asked after drift_search. */
bool drift_mix_explain(struct drift_study *s, struct drift_answer *a);
/* How A1 has to be set for a setting of A18 to make a program of its own, other
 * than lesser settings do: bits 1 << NUM_CONTRACT_LEFT and _RIGHT; of two that
 * make the same one LEFT alone. */
unsigned drift_forwards(const struct drift_study *s, unsigned forward);

/* ---- drift_judge.c --------------------------------------------------------- */

/* Half the distance from 1 to the next number of the type. */
double drift_unit_roundoff(struct dtype t);
/* Elements of exact samples that differ: the answer is `wrong`. */
bool drift_judge_exact(struct drift_study *s, struct drift_answer *a);
/* Whether a target that may flush subnormal results may have made `have`, bits of
 * t, of `want`: a zero of a number below the smallest normal one. */
bool drift_is_flushed(const struct drift_declared *declared, struct dtype t,
                      uint64_t want, uint64_t have);
/* Whether some element lies so far off that no arithmetic as fine as the
 * program's types gives it, in any order. */
bool drift_is_coarse(struct drift_study *s);
/* Running error bounds of differing elements: within-bound or unexplained. */
void drift_judge_bound(struct drift_study *s, struct drift_answer *a);

/* ---- drift_errors.c -------------------------------------------------------- */

/* What tells the target's errors on usual inputs from rounding; NULL: nothing
 * does. In s->arena. */
const char *drift_errors(struct drift_study *s);

/* ---- drift_lone.c ---------------------------------------------------------- */

/* A sum all of whose terms but one are 0 that is not the term, of elements that
 * differ; NULL: there is none, or it cannot be asked. In s->arena. */
const char *drift_lone(struct drift_study *s);

/* ---- drift_change.c -------------------------------------------------------- */

/* The function with the k-th small change that may be made to it, of one kind
 * or (`single`) of another; *text says which: "as if ...". NULL: there are no
 * more. In the arena, sharing nodes. */
const struct ir_func *drift_change(const struct ir_module *module,
                                   const struct ir_func *func, size_t k,
                                   bool single, struct arena *arena,
                                   struct buf *text);

/* ---- drift_program.c ------------------------------------------------------- */

/* The changed program that gives the target's bits, in words; NULL: none does.
 * exact: judged by the exact samples, whatever the arithmetic; else by all,
 * fresh ones included, under the declared arithmetic. */
const char *drift_program(struct drift_study *s, struct arena *arena,
                          bool exact);

/* Runs the target on that case once more; what it looks like if the bits are
 * others. */
const char *drift_again(struct drift_study *s, struct arena *arena,
                        size_t which);

/* ---- drift_trace.c --------------------------------------------------------- */

/* Terms of n elements of one output, on a case: terms[i] are in arena. Depends
 * on q, outputs and the step budget alone. */
bool study_trace(struct drift_study *s, struct arena *arena,
                 const struct drift_case *c, size_t param, size_t n,
                 const size_t *elements, const struct num_profile *profile,
                 struct interp_terms *terms);
/* The walk of one element; profile NULL: the target's side is its value. */
struct drift_walk *drift_trace(struct drift_study *s, struct arena *arena,
                               size_t which, size_t param, size_t element,
                               const struct num_profile *profile);
void drift_trace_tolerance(struct drift_study *s, struct drift_answer *a);

/* ---- drift_scheme.c -------------------------------------------------------- */

/* Compensated sums and exact groups of terms, replayed on all elements. True:
 * one gives all bits; outcome, reason and scheme are set. */
bool drift_scheme_explain(struct drift_study *s, struct drift_answer *a);

/* ---- drift_sums.c ---------------------------------------------------------- */

/* Sums in an order of the target's own: measured by masked inputs, replayed on
 * everything that was compared. True: that gives all bits; outcome, reason and
 * ways are set. Else a->no_tree says why there is none. */
bool drift_sums_explain(struct drift_study *s, struct drift_answer *a);

#endif
