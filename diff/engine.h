/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of one comparison, in the order in which they are used:
 *
 *   same.c      two functions that are one program
 *   pairing.c   which function answers to which, which parameter to which
 *   align.c     sizes that one side takes as parameters, the other from shapes
 *   sizes.c     concrete values for symbolic sizes; one `diff_case` each
 *   recipes.c   which inputs, ranges of index parameters, sampled elements
 *   proof.c     the prover: proofs end a comparison, candidates are replayed
 *   runs.c      one input on both sides, whole or sliced, within the budget
 *   barriers.c  barriers that rule 3 implies
 *   suggest.c   assumptions that would remove a finding
 *   admit.c     an input outside of the class, made one inside
 *   minimise.c  the smallest input that shows a finding
 *   judge.c     outputs element by element: findings and counts
 *   fingerprint.c  both sides in keyed domains: claims about all inputs
 *   explain.c   replay of a finding, the terms of its element, the witness
 *   conclude.c  the verdict, the reason and the notes from the counts
 *
 * Private to diff/; engine.c reads top to bottom as the pipeline.
 */
#ifndef DC_DIFF_ENGINE_H
#define DC_DIFF_ENGINE_H

#include "diff/args.h"
#include "diff/diff.h"
#include "verifier/verifier.h"

enum { UNTUNED, TUNED, NSIDES };
const char *diff_side_name(size_t side);

struct diff_side {
    const struct ir_module *module;
    const struct ir_func *func;
};

/* How much of a case is run; each mode falls back to the next when the steps
 * of a run do not last. */
enum diff_mode {
    DIFF_WHOLE,   /* everything, within the limit of a run */
    DIFF_SLICED,  /* output elements from all over, and what they need */
    DIFF_CLUSTER, /* neighbouring elements, which share what they need */
    DIFF_LONG,    /* everything, for as much of the budget as it takes */
    DIFF_PATIENT, /* a cluster, for as much of the budget as it takes */
    DIFF_HOPELESS
};

/* One choice of concrete sizes: everything that runs need. */
struct diff_case {
    size_t nsymbols[NSIDES];
    struct interp_symbol *symbols[NSIDES];
    struct interp_signature sig[NSIDES];
    struct diff_range *ranges; /* of integer index parameters, by position */
    /* Where the untuned module is safe there, too, else NULL: beyond the sizes,
     * and all that the types hold. */
    struct diff_range *near, *wide;
    unsigned *properties; /* of properties.h, by parameter */
    bool ranged;          /* some index parameter has a range */
    double work;     /* expected steps of the longer run, plain interpreter */
    double whole;    /* the same with the engine that can run it */
    size_t elements; /* of all tensors of one side */
    bool *compared;  /* parameters that either side stores to */
    enum diff_mode mode;
    bool sliced;             /* the mode computes samples only */
    uint64_t last;           /* steps of the last input on both sides */
    size_t judged;           /* inputs that both sides were run on */
    size_t fewest;           /* samples of a judged input; 0: all whole */
    size_t boxed;            /* of so many elements only were enclosures had */
    size_t samples, outputs; /* sliced: how many of how many elements */
    const uint8_t **demand;  /* sliced: by parameter; NULL entries: none */
};

/* What has been seen so far, over all inputs of a pair. */
struct diff_tally {
    size_t inputs[INTERP_FILL_INDEX + 1]; /* judged, by fill */
    size_t exact_runs;    /* runs on which no compared element was inexact */
    uint64_t elements;    /* elements compared by bits */
    uint64_t exact_equal; /* of these: exact on both sides, and equal */
    uint64_t differing;   /* of these: differ, but inexact */
    uint64_t max_ulp;
    uint64_t enclosed;      /* elements whose enclosures overlap */
    uint64_t unbounded;     /* of these: one of them has no finite bound */
    size_t undecided_diff;  /* inputs on which bits differ, unenclosed */
    uint64_t undefined;     /* elements that the untuned module leaves so */
    uint64_t one_sided;     /* NaN or infinity on one side alone */
    size_t unexplained;     /* inputs on which that happens far from overflow */
    uint64_t zero_signs;    /* +0 against -0 */
    size_t inadmissible;    /* inputs on which the untuned module faults */
    const char *fault;      /* the first such fault */
    const char *unfinished; /* why some runs gave nothing; NULL if none */
    const char *no_interval; /* why enclosures gave nothing */
    struct {
        size_t n;          /* the most that a run needed */
        const char *place; /* before this statement, and others */
    } implied[NSIDES];     /* barriers, by rule 3 */
    bool data_dependent, atomics;
    bool order_open; /* interp_result of some run */
    /* The first element whose bits differ by rounding, for the terms. */
    bool have_rounding;
    size_t rounding_case, rounding_output, rounding_element;
    struct diff_recipe rounding_recipe;
    /* The first element that is finite on one side alone. */
    bool have_sided;
    size_t sided_case, sided_output, sided_element;
    struct diff_recipe sided_recipe;
};

enum diff_finding_kind {
    DIFF_NOTHING,
    DIFF_VALUE,     /* exact values differ */
    DIFF_ENCLOSURE, /* enclosures are disjoint */
    DIFF_SIDED,     /* one value is finite, the other is not */
    DIFF_UNDEFINED, /* the tuned output is undefined */
    DIFF_FAULT      /* the tuned run faults */
};

/* Elements of an output, by number and indices, one after the other. */
struct diff_place {
    size_t output, nindex, n;
    const int64_t *index;
};

struct diff_finding {
    enum diff_finding_kind kind;
    size_t case_index;
    struct diff_recipe recipe;
    size_t output, element; /* all but DIFF_FAULT */
    enum interp_domain_kind domain;
    enum interp_fault_kind fault;
    size_t pointed; /* number, from 1, among the elements where the pair was to
                       be looked at; 0: none of them */
    bool first;     /* no element before it is a finding on this input */
    bool outside;   /* the untuned module leaves an output undefined there */
    bool admitted;  /* the input was changed such that it does not */
};

/* One comparison of two functions. */
struct diff_pair {
    const struct diff_options *options;
    struct report *report;
    struct report_pair *out;
    struct arena *arena; /* the report's */
    struct diff_side side[NSIDES];
    bool relax;
    uint64_t steps_left;
    uint64_t full_limit;            /* a whole run may take so many steps */
    uint64_t prints_left;           /* steps of keyed runs */
    const char *caller;             /* see diff_match */
    bool contradiction;             /* two engines disagree */
    bool refused;                   /* a certificate does not hold */
    const struct diff_place *place; /* report this element if it differs, too */
    size_t ncases;
    struct diff_case *cases;
    struct diff_tally tally;
};

/* What one run left. */
struct diff_run {
    struct interp_result result;
    struct diff_args args;
    bool relax; /* outputs are fresh tensors, else the parameters */
    size_t noutputs;
    struct interp_tensor **outputs;
};

/* ---- pairing.c ---- */
struct diff_match {
    const struct ir_func *tuned, *untuned;
    const char *caller; /* the Relax function in whose place this is, or NULL */
};
/* Pairs of functions in name order; false with diagnostics. */
DC_MUST_USE bool diff_match_functions(const struct diff_options *options,
                                      const struct ir_module *tuned,
                                      const struct ir_module *untuned,
                                      struct arena *arena,
                                      struct diff_match **out, size_t *n,
                                      struct diag_sink *sink);
/* Where a run of a Relax function would take more than `limit` steps and the
 * function is the same on both sides, its PrimFuncs are compared in its place:
 * equal parts put together in the same way make an equal whole. */
DC_MUST_USE bool diff_match_parts(const struct ir_module *tuned,
                                  const struct ir_module *untuned, double limit,
                                  struct arena *arena,
                                  struct diff_match **matches, size_t *n,
                                  struct diag_sink *sink);
/* Whether the parameters answer to each other, by position: count, kind,
 * type; sizes where known. False with a diagnostic that lists the mapping. */
DC_MUST_USE bool diff_match_params(const struct diff_pair *pair,
                                   const struct interp_signature *untuned,
                                   const struct interp_signature *tuned,
                                   struct diag_sink *sink);

/* Whether two parameters may answer to each other. */
bool diff_same_param(const struct interp_param *a,
                     const struct interp_param *b);

/* ---- align.c ---- */
/* Where the parameter lists do not match as they are: replaces the functions
 * of the pair by ones whose lists do, if they differ by sizes that buffers
 * tell, and states the assumption. */
void diff_align_params(struct diff_pair *pair);

/* ---- same.c ---- */
/* Gives `identical` when both sides are one program, whatever it is called and
 * whatever its blocks declare to touch. */
bool diff_same_program(struct diff_pair *pair);

/* ---- sizes.c ---- */
enum diff_plan { DIFF_PLAN_OK, DIFF_PLAN_BAD_INPUT, DIFF_PLAN_UNKNOWN };
/* Fills cases. BAD_INPUT: diagnostics say why; UNKNOWN: *why does. */
enum diff_plan diff_plan_cases(struct diff_pair *pair, struct diag_sink *sink,
                               const char **why);

/* ---- recipes.c ---- */
/* Inputs of one case, most telling first. */
size_t diff_recipes(const struct diff_pair *pair, const struct diff_case *c,
                    struct diff_recipe *out, size_t room);
#define DIFF_MAX_SWEEPS  64u
#define DIFF_MAX_RECIPES (13u + DIFF_MAX_SWEEPS)
/* Finds ranges of the index parameters with which the untuned module runs
 * without a fault; leaves them unset where nothing helps. */
void diff_find_ranges(struct diff_pair *pair, struct diff_case *c);
/* Chooses the elements that a sliced case computes. */
void diff_choose_samples(const struct diff_pair *pair, struct diff_case *c,
                         size_t wanted, bool cluster);

/* ---- runs.c ---- */
/* Runs one side on the recipe's input, whole or as the case is sliced. Takes
 * the steps from the budget. terms may be NULL. */
void diff_run(struct diff_pair *pair, const struct diff_case *c, size_t side,
              const struct diff_recipe *recipe, enum interp_domain_kind domain,
              struct interp_terms *terms, struct diff_run *out);
void diff_run_fini(struct diff_run *run);
/* Whether both sides of so many steps are to be run at the same time, and on
 * how many threads each then is. */
bool diff_run_together(const struct diff_pair *pair, double work);
unsigned diff_share_of_jobs(const struct diff_pair *pair);
/* The next mode, or fewer samples; false when nothing is left to try. */
bool diff_fall_back(struct diff_pair *pair, struct diff_case *c);
/* Both sides on one input, judged. Gives the finding, DIFF_NOTHING if none. */
struct diff_finding diff_try_input(struct diff_pair *pair, size_t case_index,
                                   const struct diff_recipe *recipe);

/* The arguments of one side, and a run on them with these options: fills in
 * the result and the outputs of a run whose args are set. */
void diff_make_args(const struct diff_case *c, size_t side,
                    const struct diff_recipe *recipe, struct diff_args *out);
void diff_run_args(const struct diff_pair *pair, const struct diff_side *side,
                   const struct interp_options *options, struct diff_run *run);

/* ---- fingerprint.c ---- */
/* What the keyed domains say about the pair. */
struct diff_prints {
    enum report_verdict verdict; /* REPORT_UNKNOWN: nothing is shown */
    const char
        *restricted;      /* the claim is not about all inputs: why; or NULL */
    const char *refused;  /* why a domain gave no answer; or NULL */
    bool fault;           /* the tuned module faulted in a keyed run */
    double log2_error;    /* of the chance of an accident */
    unsigned assumptions; /* enum interp_assumption */
};
void diff_fingerprint(struct diff_pair *pair, struct diff_prints *out);

/* ---- proof.c ---- */
/* Asks the prover; whether it proved something. *out is finished either way:
 * verifier_result_fini. */
bool diff_prove(struct diff_pair *pair, struct verifier_result *out);
/* Verdict, reason, assumptions of a proof. */
void diff_give_proof(struct diff_pair *pair, const struct verifier_result *r);
/* A note that says why there is none. */
void diff_note_no_proof(struct diff_pair *pair,
                        const struct verifier_result *r);
/* Whether what runs have shown cannot be, by the proof. */
bool diff_contradicts(const struct diff_pair *pair,
                      const struct verifier_result *r,
                      const struct diff_finding *finding);
void diff_give_contradiction(struct diff_pair *pair,
                             const struct verifier_result *r);
/* Runs at the candidate's place; true when they show a finding. */
bool diff_replay(struct diff_pair *pair, const struct verifier_result *r,
                 struct diff_finding *finding);
/* check-certificate: the pair's certificate is derived and solved again, and
 * both sides are run; verdict and reason. Whether it was refused. */
bool diff_check_certificate(struct diff_pair *pair);
/* Verdict of `prove` where nothing was proved: a candidate that shows in runs,
 * or unknown. */
void diff_conclude_proof(struct diff_pair *pair,
                         const struct verifier_result *r);

/* ---- barriers.c ---- */
/* Keeps what a run of one side says of barriers that rule 3 implies. */
void diff_note_implied(struct diff_pair *pair, size_t side,
                       const struct interp_result *r);
/* Says on how many of them the verdict rests, by the runs or, where a proof
 * came before any, by one that is made for it. */
void diff_assume_barriers(struct diff_pair *pair);

/* ---- suggest.c ---- */
/* Notes which assumption about integers that index would remove a finding. */
void diff_suggest(struct diff_pair *pair, const struct diff_finding *finding);

/* ---- admit.c ---- */
/* Makes elements of the input 0 until the untuned module leaves no output
 * undefined; false: not found, or not worth it. */
DC_MUST_USE bool diff_admit(struct diff_pair *pair, size_t case_index,
                            struct diff_recipe *recipe);
/* Whether elements of the parameter may take any value. */
bool diff_is_free(const struct diff_pair *pair, const struct diff_case *c,
                  size_t param);

/* ---- minimise.c ---- */
/* Looks for an input with few elements that are not 0 on which the element of
 * the finding, exact values that differ, still differs, and makes the finding
 * that. *text then says which elements they are; NULL where none was found. */
void diff_minimise(struct diff_pair *pair, struct diff_finding *finding,
                   const char **text);

/* ---- judge.c ---- */
/* What the outputs of two finished runs show. */
struct diff_judgement {
    enum diff_finding_kind kind; /* the first finding, and where it is; */
    size_t output, element;      /* if none: the first rounding difference */
    bool rounding;               /* some element differs by rounding */
    bool inexact;                /* some compared element rounded */
    /* Elements with NaN or infinity on one side alone; the first are kept. */
    size_t nsided;
    struct {
        size_t output, element;
        bool finite; /* the other side's value is a number */
    } sided[16];
    bool unexplained; /* boxes: one of those has no bounds, either */
};
/* Whether both runs leave outputs of the same types and shapes (those of Relax
 * functions are made by the module). *at: the first that is not, or is missing
 * on a side. */
bool diff_same_outputs(const struct diff_run runs[NSIDES], size_t *at);
/* Both compare and count into the tally. nonzero_input: no input is a zero. */
struct diff_judgement diff_judge_bits(struct diff_tally *tally,
                                      const struct diff_case *c,
                                      const struct diff_run runs[NSIDES],
                                      bool nonzero_input);
struct diff_judgement diff_judge_boxes(struct diff_tally *tally,
                                       const struct diff_case *c,
                                       const struct diff_run runs[NSIDES],
                                       const struct diff_judgement *bits);
/* Whether a run of the untuned side leaves an element that is compared
 * undefined, and which: no finding counts on such an input (rule 10). */
bool diff_leaves_undefined(const struct diff_case *c,
                           const struct diff_run *run, size_t *output,
                           size_t *element);
/* The parameter's name, or out0, out1, ... of a Relax function. */
const char *diff_output_name(struct diff_pair *pair, const struct diff_case *c,
                             size_t output);
/* What one element shows, outputs of both runs being there. */
enum diff_finding_kind diff_judge_one(const struct diff_run runs[NSIDES],
                                      bool nonzero_input, size_t output,
                                      size_t element);
/* Whether the enclosures of the element show that real results differ. */
bool diff_boxes_apart(const struct diff_run runs[NSIDES], size_t output,
                      size_t element);

/* ---- explain.c ---- */
/* Replays the finding (a replay that shows nothing is an internal error) and
 * writes verdict, reason and witness. */
void diff_explain(struct diff_pair *pair, const struct diff_finding *finding);
/* Makes the case a slice of one output element alone. */
void diff_demand_one(struct diff_pair *pair, struct diff_case *c, size_t output,
                     size_t element);
/* Where the terms of an element that differs by rounding part: a text for
 * the report, NULL when it cannot be traced. */
const char *diff_explain_rounding(struct diff_pair *pair);
/* "diffcheck compare TUNED UNTUNED …" with what this pair needs. */
const char *diff_command_line(const struct diff_pair *pair);

/* ---- conclude.c ---- */
/* Verdict, reason and notes when no input has shown a finding. */
void diff_conclude(struct diff_pair *pair);
/* `different` where NaN or infinity came on one side alone and keyed runs show
 * that neither another order nor other types explain it; else false, and
 * nothing is said. */
bool diff_conclude_sided(struct diff_pair *pair);
/* Adds the sentences for a set of enum interp_assumption. */
void diff_assume(struct diff_pair *pair, unsigned assumptions);
/* What every verdict of the pair assumes. */
void diff_state_assumptions(struct diff_pair *pair);

#endif
