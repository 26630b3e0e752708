/* SPDX-License-Identifier: Apache-2.0
 *
 * Both sides of a pair on every chosen target, judged against the interpreter.
 * Private to diff/.
 */
#ifndef DC_DIFF_HARNESS_MEASURE_H
#define DC_DIFF_HARNESS_MEASURE_H

#include "diff/engine/engine.h"
#include "diff/harness/kernel_io.h"

/* ---- harness.c: what one command runs on ---------------------------------- */

/* A target that the command line asks for, or a user's runner. */
struct diff_choice {
    const char *name;
    bool required; /* --require-target */
    bool recorded; /* its outputs are the files of --expect, for one input */
    struct diff_toolchain tools;          /* target NULL: a runner */
    const char *const *runner;            /* its command, NULL-terminated */
    const struct diff_target *arithmetic; /* what it declares */
    bool absent[NSIDES];                  /* it has no kernel of that side */
};

struct diff_harness {
    const struct diff_options *options;
    struct arena *arena;
    struct diff_cache *cache;
    struct diff_python *python;
    size_t n;
    struct diff_choice *choices; /* in order of name */
};

/* False, with an error, where targets are chosen and the build cache is not to be
 * trusted: asked before a harness is made. */
bool diff_harness_allowed(const struct diff_options *options,
                          struct diag_sink *sink);
/* NULL where the options choose no target. */
struct diff_harness *diff_harness_new(const struct diff_options *options);
void diff_harness_free(struct diff_harness *harness);

/* ---- request.c ----------------------------------------------------------- */

/* The texts of one side; in the arena. */
void diff_request_texts(const struct diff_side *side, size_t which,
                        struct arena *arena, struct diff_texts *out);

/* ---- measure.c --------------------------------------------------------------- */

/* One input of both kernels, and what the interpreter makes of it. */
struct diff_sample {
    struct diff_case *c;
    struct diff_recipe recipe;
    bool given;      /* what files give (--in); then whether */
    bool finite;     /* no float is NaN or infinite, */
    bool moderate;   /* each is 0 or of a size far from the ends of its type, */
    bool minus_zero; /* and some are negative zeros */
    const char *label;             /* "random, seed 2" */
    bool realistic;                /* numbers of realistic scale: measured */
    struct diff_args want[NSIDES]; /* what the interpreter left */
    bool control_inexact[NSIDES];
};

/* What one target made of the samples. */
struct diff_measured {
    struct diff_measurement *m;
    const struct diff_choice *choice;
    struct report_target *out;
    struct arena *arena;            /* of reasons; absorbed by the report's */
    bool *used;                     /* by sample */
    struct diff_args *have[NSIDES]; /* by sample; only where some bits differ */
    const char *varies[NSIDES];     /* where a second run differed; or NULL */
    struct diff_kernel kernel[NSIDES];
    const char *folder;
    /* attribute.c: */
    uint64_t *prints[NSIDES];         /* of outputs, by sample; 0: not run */
    bool first[NSIDES];               /* of the targets with these bits */
    struct diff_known *found[NSIDES]; /* an answer that may be another's, too */
    const char *detail[NSIDES];       /* more of the reason */
};

/* Kernels and inputs: those of the pair, or shortened ones for emulators. */
struct diff_measurement {
    struct diff_pair *pair;
    struct diff_harness *harness;
    struct diff_side side[NSIDES];
    bool brief;
    bool atomics; /* some sample's run had atomic updates */
    bool faults;  /* the interpreter found a fault of a module on some input */
    struct diff_known *known; /* answers had so far */
    size_t nsamples;
    struct diff_sample *samples;
};

/* ---- brief.c ---- */

/* Puts a function in the place of the side's, and a module that has it in the
 * place of the side's module; in the arena, sharing nodes. */
void diff_put_func(struct diff_side *side, struct ir_func *func,
                   struct arena *arena);
/* Whether the kernels take an emulator too long, and the share of their work
 * that does not. */
bool diff_is_long(const struct diff_side *sides, const struct diff_case *c);
double diff_brief_share(const struct diff_side *sides,
                        const struct diff_case *c);
/* The same with the side's function, its outermost loops shortened to about
 * that share of its work. false: there is nothing to shorten, and the side is
 * as it was. */
bool diff_shorten(struct diff_side *side, double share, struct arena *arena);

/* ---- measure.c again ---- */

/* Builds the kernel of a side (t->kernel) from m->side for t->choice, or makes
 * what its runner is told. False: the outcome and its reason are in t->out. */
bool diff_make_kernel(const struct diff_measurement *m, struct diff_measured *t,
                      size_t side);
/* Fills pair->out->targets: one a choice. */
void diff_measure(struct diff_pair *pair, struct diff_harness *harness);

/* Compares one output; whether any element that the interpreter computed and
 * defined differs. The distance, if there is one, is added to; with `written`
 * elements count there only if the kernel stored to them. */
bool diff_output_differs(const struct diff_target *target,
                         const struct interp_tensor *want,
                         const struct interp_tensor *have, bool written,
                         struct report_distance *distance);

/* ---- samples.c --------------------------------------------------------------- */

/* All samples, with the interpreter's results of both sides; *why tells why
 * there are none. */
void diff_make_samples(struct diff_measurement *m, const char **why);
/* The first few, of one choice of sizes. */
void diff_make_few_samples(struct diff_measurement *m, struct diff_case *c,
                           const char **why);
void diff_fini_sample(struct diff_sample *s);

/* ---- recorded.c -------------------------------------------------------------- */

/* Fills in what files give for the outputs of the tuned kernel, on the input
 * that they give; what they do not give is as the interpreter has it. False, and
 * *why in the target's arena, where there is nothing to compare. */
bool diff_take_recorded(const struct diff_measurement *m,
                        struct diff_measured *t, const char **why);

/* Keeps for --save what a target gave where that is a finding; sample and element
 * are the first that differ, such where nothing rounds before others. */
void diff_keep_target(struct diff_pair *pair, struct diff_measured *t);
/* Frees all of it. */
void diff_kept_fini(struct diff_pair *pair);

/* ---- repeat.c ---------------------------------------------------------------- */

/* Runs a side once more on the chosen samples, in other orders. False: the
 * target failed, *why says how. Else *varies says where its bits are others
 * than t->have, which is all there; NULL: nowhere. */
bool diff_repeat(const struct diff_measurement *m, struct diff_measured *t,
                 size_t side, const char **varies, struct buf *why);

/* ---- attribute.c ------------------------------------------------------------ */

/* What the target declares, read; false: its texts are none. */
struct drift_declared;
/* Outcome, reason, hypothesis of each kernel some of whose bits differ, and
 * t->detail. Kernels with different bits are asked about at once, on so many
 * threads; answers do not depend on how many. */
void diff_attribute(struct diff_measured *all, size_t n, unsigned jobs);

/* ---- outcome.c ------------------------------------------------------------------ */

/* The first element that is wrong: differs though, on an exact input, nothing
 * it depends on rounds. NULL: none. */
const char *diff_find_wrong(const struct diff_measurement *m,
                            const struct diff_measured *t, size_t side);
/* Why the target is wrong that gave nothing but NaN on any input, where the
 * interpreter has none. NULL: it did not. */
const char *diff_find_nan(const struct diff_measurement *m,
                          const struct diff_measured *t, size_t side);
/* Whether two values are the same as far as the target's declared arithmetic
 * goes: signs of zeros are not everywhere kept. */
bool diff_same_on(const struct diff_target *target, struct dtype t,
                  uint64_t want, uint64_t have);
/* The first element, defined and computed, at which a target gave another value;
 * exact: among those that depend on no operation that rounded. */
bool diff_find_differing(const struct diff_target *target,
                         const struct interp_tensor *want,
                         const struct interp_tensor *have, bool exact,
                         size_t *element);
/* The worse of both kernels, with its reason. */
void diff_sum_up(struct report_target *t, struct arena *arena);

/* ---- target_notes.c --------------------------------------------------------------------- */

/* A note on what another order may do to the sums of an order-only pair. */
void diff_note_order(const struct diff_measurement *m);
/* A note on targets that round identical modules differently. */
void diff_note_apart(const struct diff_measurement *m);

/* ---- drift_rows.c --------------------------------------------------------------- */

/* What the targets together say, in pair->out->drift. */
void diff_tell_drift(struct diff_pair *pair);

/* ---- outcome.c again ------------------------------------------------------------- */

/* Differences that rounding explains, or may. */
bool diff_is_drift(enum report_outcome outcome);
/* Whether a run with these options counts the outcome as a finding. */
bool diff_is_outcome_finding(const struct diff_options *options,
                             enum report_outcome outcome);
/* The exit status that the targets of a pair call for. */
int diff_exit_of_targets(const struct diff_options *options,
                         const struct report_pair *pair);
/* The worst target that calls for this status, the first of several; NULL: none
 * does. */
const struct report_target *diff_find_target(const struct diff_options *options,
                                             const struct report_pair *pair,
                                             int status);

#endif
