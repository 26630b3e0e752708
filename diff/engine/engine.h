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
 *   given_input.c  the input that files give
 *   rounding.c  an input for a verdict that needs none
 *   wider.c     whether wider intermediates are all that sets sides apart
 *   runs.c      one input on both sides, whole or sliced, within the budget
 *   barriers.c  barriers that rule 3 implies
 *   suggest.c   assumptions that would remove a finding
 *   admit.c     an input outside of the class, made one inside
 *   faults.c    a fault where a difference was found
 *   further.c   sizes next to numbers of the modules, and those of a candidate
 *   harvest.c   numbers that the modules hold against data
 *   corners.c   inputs of such numbers, ends of types, NaN and infinities
 *   hunt.c      inputs on which one term among many shows
 *   atomics.c   the other order of atomic updates
 *   overflow.c  values undefined on one side alone, as others are infinite
 *   minimise.c  the smallest input that shows a finding
 *   judge.c     outputs element by element: findings and counts
 *   fingerprint.c  both sides in keyed domains: claims about all inputs
 *   explain.c   replay of a finding, the terms of its element, the witness
 *   origin.c    the statements and formulas that separate the two sides
 *   suspects.c  which statements are named for an element
 *   places.c    statements as files and lines
 *   conclude.c  the verdict, the reason and the notes from the counts
 *
 * Private to diff/; engine.c reads top to bottom as the pipeline.
 */
#ifndef DC_DIFF_ENGINE_ENGINE_H
#define DC_DIFF_ENGINE_ENGINE_H

#include "diff/diff.h"
#include "diff/engine/args.h"
#include "diff/input/given_files.h"
#include "verifier/verifier.h"

enum { UNTUNED, TUNED, NSIDES };
const char *diff_side_name(size_t side);
/* Estimates count guarded work that a run may skip: below this many limits, a
 * whole run is tried. */
#define DIFF_TOO_LONG 4

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
    bool ranges_found;    /* once for all inputs */
    bool ranged;          /* some index parameter has a range */
    double work;  /* expected steps of the longer run, plain interpreter */
    double whole; /* the same with the engine that can run it, once the
                        pair is costed (diff_cost_cases) */
    double side_work[NSIDES];
    bool costed;
    size_t elements; /* of all tensors of one side */
    bool *compared;  /* parameters that either side stores to */
    enum diff_mode mode;
    bool sliced;             /* the mode computes samples only */
    uint64_t cost;           /* work of the longest input on both sides */
    size_t judged;           /* inputs that both sides were run on */
    size_t fewest;           /* samples of a judged input; 0: all whole */
    size_t boxed;            /* of so many elements only were enclosures had */
    size_t samples, outputs; /* sliced: how many of how many elements */
    const uint8_t **demand;  /* sliced: by parameter; NULL entries: none */
};

/* What has been seen so far, over all inputs of a pair. */
struct diff_tally {
    size_t inputs[INTERP_FILL_INDEX + 1]; /* judged, by fill */
    size_t given;                         /* judged: from files */
    size_t spikes;      /* judged: of one element against all others */
    size_t corners;     /* judged: with special values */
    size_t further;     /* sizes with one input */
    uint64_t unsettled; /* elements that hang on the order of atomics in the
                             untuned module */
    size_t odd;         /* of these: differ, but not where NaN obeys the laws */
    size_t exact_runs;  /* runs on which no compared element was inexact */
    uint64_t elements;  /* elements compared by bits */
    uint64_t exact_equal; /* of these: exact on both sides, and equal */
    uint64_t differing;   /* of these: differ, but inexact */
    uint64_t max_ulp;
    uint64_t enclosed;     /* elements whose enclosures overlap */
    uint64_t unbounded;    /* of these: one of them has no finite bound */
    size_t undecided_diff; /* inputs on which bits differ, unenclosed */
    uint64_t undefined;    /* elements that the untuned module leaves so */
    uint64_t one_sided;    /* NaN or infinity on one side alone */
    uint64_t overflowed;   /* undefined on the tuned side alone, likewise */
    size_t unexplained;    /* inputs on which that happens far from overflow */
    uint64_t zero_signs;   /* +0 against -0 */
    size_t inadmissible;   /* inputs on which the untuned module faults */
    const char *fault;     /* the first such fault */
    bool have_refused;     /* the first plain input of these: */
    size_t refused_case;
    struct diff_recipe refused_recipe;
    bool tuned_defines; /* an element that the untuned side leaves undefined */
    const char *unfinished;  /* why some runs gave nothing; NULL if none */
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
/* The last two: `unsafe`, which comes before `different` where both hold. */
static inline bool diff_is_unsafe(enum diff_finding_kind kind)
{
    return kind >= DIFF_UNDEFINED;
}

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
    bool worse;     /* one of them differs, but this is unsafe */
};

/* What a target gave, kept for --save: of the first input on which it differs. */
struct diff_kept {
    struct diff_kept *next;
    const char *target;
    const struct report_target *out;
    size_t side;
    const char *label;
    struct diff_recipe recipe;
    const struct diff_case *c;
    struct diff_args want, have; /* owned */
    size_t output, element;
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
    uint64_t full_limit; /* a whole run may take so many steps */
    /* What runs took, roughly as time goes: steps, elements made, and what it
     * costs to begin; so far, and when the usual inputs had been run. */
    uint64_t work, usual_work;
    uint64_t steps;       /* of all runs, whatever they were for */
    uint64_t prints_left; /* steps of keyed runs */
    const char *caller;   /* see diff_match */
    bool faults_only;     /* a difference is no finding: there is one */
    bool contradiction;   /* two engines disagree */
    bool refused;         /* a certificate does not hold */
    const struct diff_place *place; /* report this element if it differs, too */
    struct interp_signature plain[NSIDES]; /* sizes not known */
    size_t ncases;
    size_t nextra; /* cases behind these: sizes of one input or few */
    struct diff_case *cases;
    struct diff_tally tally;
    /* What is undefined on the tuned side alone and may hang on the order of
     * terms (overflow.c), the first of it; DIFF_NOTHING: none. */
    struct diff_finding overflow;
    /* What files give, and the case of its sizes; SIZE_MAX: nothing. */
    struct diff_given given;
    size_t given_case;
    bool given_element; /* with an element to look at: of which output, which */
    size_t given_place, given_at;
    /* The finding of the report, DIFF_NOTHING if it has none, and its case as it
     * was run. */
    struct diff_finding found;
    struct diff_case found_case;
    struct diff_kept *kept; /* of targets, with --save */
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
/* Names in the report the functions that one side alone has, where the options
 * make that no error. */
void diff_match_rest(const struct diff_options *options,
                     const struct ir_module *tuned,
                     const struct ir_module *untuned,
                     const struct diff_match *matches, size_t n,
                     struct report *report);
/* Where a run of a Relax function would take more than `limit` steps and the
 * function is the same on both sides, its PrimFuncs are compared in its place:
 * equal parts put together in the same way make an equal whole. */
DC_MUST_USE bool diff_match_parts(const struct diff_options *options,
                                  const struct ir_module *tuned,
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

/* Finds out which engine runs the cases, and so how long a run takes: it is worth
 * that only where there are runs, so not before the prover was asked. Again does
 * nothing. */
void diff_cost_cases(struct diff_pair *pair);
/* How much faster than the plain interpreter a side runs whole. */
double diff_speed(const struct diff_pair *pair, const struct diff_case *c,
                  size_t side);
/* A case of these sizes behind the others; symbols not named are small. NULL:
 * it cannot be had. */
#define DIFF_MAX_EXTRA 96u
struct diff_case *diff_add_case(struct diff_pair *pair,
                                const struct interp_symbol *sizes, size_t n);

/* ---- further.c ---- */
/* Inputs at the sizes and elements that a candidate of the prover names. */
bool diff_try_candidate(struct diff_pair *pair,
                        const struct verifier_result *candidate,
                        struct diff_finding *finding);
/* Inputs at sizes next to the numbers that the modules name. */
bool diff_try_sizes(struct diff_pair *pair, struct diff_finding *finding);

/* ---- recipes.c ---- */
/* Inputs of one case, most telling first. */
size_t diff_recipes(const struct diff_pair *pair, const struct diff_case *c,
                    struct diff_recipe *out, size_t room);
#define DIFF_MAX_SWEEPS  64u
#define DIFF_MAX_RECIPES (13u + DIFF_MAX_SWEEPS)
/* Those of one sign, of one number and of signs alone: after all sizes have had
 * the others. */
#define DIFF_MORE_RECIPES 8u
size_t diff_more_recipes(const struct diff_pair *pair,
                         const struct diff_case *c, struct diff_recipe *out,
                         size_t room);
/* Finds ranges of the index parameters with which the untuned module runs
 * without a fault; leaves them unset where nothing helps. */
void diff_find_ranges(struct diff_pair *pair, struct diff_case *c);
/* By parameter: of those that index, all that the untuned module is known to
 * run on. */
const struct diff_range *diff_widest(const struct diff_case *c);
/* Chooses the elements that a sliced case computes. */
void diff_choose_samples(const struct diff_pair *pair, struct diff_case *c,
                         size_t wanted, bool cluster);

/* ---- given_input.c ---- */
/* Reads what files give for the pair's parameters, after its cases are planned,
 * and finds the case of its sizes. False with diagnostics. */
DC_MUST_USE bool diff_read_given(struct diff_pair *pair,
                                 struct diag_sink *sink);
/* The input that they give; there is one where given_case is a case. */
struct diff_recipe diff_given_recipe(const struct diff_pair *pair);
/* Runs it, if there is one; true when it shows a finding. */
bool diff_try_given(struct diff_pair *pair, struct diff_finding *finding);

/* ---- rounding.c ---- */
/* An input on which some element has other bits, after the verdict; false: none
 * was found. */
DC_MUST_USE bool diff_find_rounding(struct diff_pair *pair,
                                    struct diff_finding *out);

/* ---- wider.c ---- */
/* Of a pair that is `precision`: fills its rounding. */
void diff_judge_rounding(struct diff_pair *pair);

/* ---- atomics.c ---- */
/* Rule 24: elements of the untuned side's outputs that are other exact values
 * when threads take their turns the other way round are skipped from then on;
 * whether there are any. */
bool diff_skip_unsettled(struct diff_pair *pair, const struct diff_case *c,
                         const struct diff_recipe *recipe,
                         struct diff_run *untuned);
/* The tuned module in the other order, against the untuned one's outputs. */
struct diff_finding diff_try_other_order(struct diff_pair *pair,
                                         size_t case_index,
                                         const struct diff_recipe *recipe,
                                         const struct diff_run *untuned);

/* ---- overflow.c ---- */
/* Elements that the tuned run leaves undefined since it converts a float that
 * rounded out of an integer's range are skipped from then on; how many they
 * are. *first: one of them, as a finding. */
uint64_t diff_skip_overflow(struct diff_pair *pair, size_t case_index,
                            const struct diff_recipe *recipe,
                            struct diff_run runs[NSIDES],
                            struct diff_finding *first);
/* Whether such a value is what the tuned run faults on. */
bool diff_fault_is_overflow(struct diff_pair *pair,
                            const struct diff_finding *finding);

/* ---- runs.c ---- */
/* Runs one side on the recipe's input, whole or as the case is sliced. Takes
 * the steps from the budget. terms may be NULL. */
void diff_run(struct diff_pair *pair, const struct diff_case *c, size_t side,
              const struct diff_recipe *recipe, enum interp_domain_kind domain,
              struct interp_terms *terms, struct diff_run *out);
/* What else is asked of a run (interp_options); NULL: nothing. */
struct diff_ask {
    struct interp_terms *terms;
    struct interp_formula *formula;
    const struct interp_access *watch;
};
void diff_run_asking(struct diff_pair *pair, const struct diff_case *c,
                     size_t side, const struct diff_recipe *recipe,
                     enum interp_domain_kind domain, const struct diff_ask *ask,
                     struct diff_run *out);
void diff_run_fini(struct diff_run *run);
/* Whether both sides of so many steps are to be run at the same time, and on
 * how many threads each then is. */
bool diff_run_together(const struct diff_pair *pair, double work);
unsigned diff_share_of_jobs(const struct diff_pair *pair);
/* The next mode, or fewer samples; false when nothing is left to try. */
bool diff_fall_back(struct diff_pair *pair, struct diff_case *c);
/* Whether a finding in a slice counts: where it may hang on the input, all of
 * the untuned module must run on it. */
bool diff_is_admissible(struct diff_pair *pair, size_t case_index,
                        const struct diff_recipe *recipe);
/* Where pair->work must stop for a kind of extra inputs that begins now: what
 * costs little, or a share of what the usual inputs took. */
uint64_t diff_allow(const struct diff_pair *pair, uint64_t little);
/* Takes away all steps but those that this much work may take; gives what is to
 * be added again. */
uint64_t diff_hold_back(struct diff_pair *pair, uint64_t most);
/* Both sides on one input, judged. Gives the finding, DIFF_NOTHING if none. */
struct diff_finding diff_try_input(struct diff_pair *pair, size_t case_index,
                                   const struct diff_recipe *recipe);

/* The same for an input beyond those that a claim needs: where neither bits nor
 * enclosures decide, it is forgotten, but for NaN and infinity on one side. */
struct diff_finding diff_try_extra(struct diff_pair *pair, size_t case_index,
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
    bool looked;          /* all domains have answered */
    bool fault;           /* the tuned module faulted in a keyed run */
    double log2_error;    /* of the chance of an accident */
    unsigned assumptions; /* enum interp_assumption */
};
void diff_fingerprint(struct diff_pair *pair, struct diff_prints *out);
/* Whether keyed runs know some input only as a number, since control or
 * addresses depend on it. */
bool diff_has_numbers(const struct diff_case *c);

/* Elements that are another expression on each side, but for the order of
 * terms. */
struct diff_spot {
    size_t output, element;
};
struct diff_spots {
    size_t n, seen; /* kept, and all */
    struct diff_spot at[8];
};
enum diff_spots_answer {
    DIFF_SPOTS_UNKNOWN, /* no keyed run of the case */
    DIFF_SPOTS_NONE,    /* all elements are equal but for the order */
    DIFF_SPOTS_FOUND
};
enum diff_spots_answer diff_find_spots(struct diff_pair *pair, size_t i,
                                       uint64_t budget, struct diff_spots *out);

/* ---- faults.c ---- */
/* A difference was found on an input of the case: looks on for a fault of the
 * tuned module, which then is the finding, unless that input has shown that
 * there is none. */
void diff_prefer_fault(struct diff_pair *pair, struct diff_finding *finding);

/* ---- harvest.c ---- */
/* What the modules hold against data; in the pair's arena. */
const struct diff_numbers *diff_harvest(struct diff_pair *pair);

/* ---- corners.c ---- */
/* Inputs of numbers that the modules compare with, ends of types, NaN and
 * infinities. prints: what keyed runs have said; NULL: they were not asked,
 * and only faults count. True when a finding was made. */
bool diff_visit_corners(struct diff_pair *pair,
                        const struct diff_prints *prints,
                        struct diff_finding *finding);

/* ---- hunt.c ---- */
/* Looks for an input on which one term among many shows: where keyed runs say
 * that sides differ, terms are compared, and those of one side alone are set
 * apart from all others, one at a time; far: so far that exp overflows. True
 * when a finding was made. */
bool diff_hunt(struct diff_pair *pair, bool far, struct diff_finding *finding);

/* ---- proof.c ---- */
/* Asks the prover; whether it proved something. place: of a candidate, an
 * element is looked for. *out is finished either way: verifier_result_fini. */
bool diff_prove(struct diff_pair *pair, bool place,
                struct verifier_result *out);
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
        bool exact;  /* no operation that it depends on rounded */
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
/* Whether the untuned module runs on the input and leaves nothing that is
 * compared undefined. */
bool diff_is_borne(struct diff_pair *pair, const struct diff_case *c,
                   const struct diff_recipe *recipe);
/* The parameter's name, or out0, out1, ... of a Relax function. */
const char *diff_output_name(struct diff_pair *pair, const struct diff_case *c,
                             size_t output);
/* Whether output i is compared at all. */
bool diff_is_compared(const struct diff_case *c, const struct diff_run *run,
                      size_t i);
/* Whether, by the states of an element, the tuned side leaves undefined what
 * the untuned one defines. */
bool diff_left_undefined(unsigned untuned, unsigned tuned);
/* What one element shows, outputs of both runs being there. */
enum diff_finding_kind diff_judge_one(const struct diff_run runs[NSIDES],
                                      bool nonzero_input, size_t output,
                                      size_t element);
/* Of runs on an input with NaN or infinities: whether any element differs; and
 * the first that differs in the domain `lenient`, too, exactly on both sides,
 * or, if `sided` is set, with a number on one side alone. */
bool diff_any_apart(const struct diff_case *c,
                    const struct diff_run runs[NSIDES]);
enum diff_finding_kind diff_judge_lenient(const struct diff_case *c,
                                          const struct diff_run runs[NSIDES],
                                          const struct diff_run lenient[NSIDES],
                                          bool sided, size_t *output,
                                          size_t *element);
/* Whether the enclosures of the element show that real results differ. */
bool diff_boxes_apart(const struct diff_run runs[NSIDES], size_t output,
                      size_t element);

/* ---- explain.c ---- */
/* Replays the finding (a replay that shows nothing is an internal error) and
 * writes verdict, reason and witness. */
void diff_explain(struct diff_pair *pair, const struct diff_finding *finding);
/* The same on a smaller input, where one shows it (*finding then is that). */
void diff_explain_small(struct diff_pair *pair, struct diff_finding *finding);
/* Makes the case a slice of one output element alone. */
void diff_demand_one(struct diff_pair *pair, struct diff_case *c, size_t output,
                     size_t element);
/* Where the terms of an element that differs by rounding part: a text for
 * the report, NULL when it cannot be traced. */
const char *diff_explain_rounding(struct diff_pair *pair);
/* "diffcheck compare TUNED UNTUNED …" with what this pair needs. */
const char *diff_command_line(const struct diff_pair *pair);

/* ---- conclude.c ---- */
/* Whether some input of a usual kind was run on both sides: inputs of one
 * number alone, on which racing threads store equal bits, say too little. */
bool diff_was_run(const struct diff_pair *pair);
/* Whether keyed runs say that the order of terms, or other types, explain what
 * is infinite, NaN or undefined on one side alone. */
bool diff_explains_overflow(const struct diff_prints *prints);
/* Verdict, reason and notes when no input has shown a finding. prints: what
 * diff_fingerprint said, where any input was run. */
void diff_conclude(struct diff_pair *pair, const struct diff_prints *prints);
/* `different` where NaN or infinity came on one side alone and keyed runs show
 * that neither another order nor other types explain it; else false, and
 * nothing is said. */
bool diff_conclude_sided(struct diff_pair *pair);
/* Warns that the operands may be swapped where the prover has taken it from the
 * untuned side alone that its data are fine, and a run shows that they need not
 * be. The claim stands: such inputs are outside of it, and a guard or clamp that is
 * added is no fault. Costs nothing of other pairs. */
void diff_suspect_proof(struct diff_pair *pair,
                        const struct verifier_result *r);
/* Adds the sentences for a set of enum interp_assumption. */
void diff_assume(struct diff_pair *pair, unsigned assumptions);
/* What every verdict of the pair assumes. */
void diff_state_assumptions(struct diff_pair *pair);

/* ---- engine.c: one pair ---- */
/* Compares the pair and fills pair->out. False: the parameters cannot be matched, bad
 * input, which the sink tells. */
bool diff_compare_pair(struct diff_pair *pair, struct diag_sink *sink);

#endif
