/* SPDX-License-Identifier: Apache-2.0
 *
 * What `lint` finds out by runs: a fault, which only a run shows, and what a
 * proof that there is none rests on. Private to diff/.
 */
#ifndef DC_DIFF_ENGINE_LINT_RUNS_H
#define DC_DIFF_ENGINE_LINT_RUNS_H

#include "diff/engine/single.h"
#include "verifier/verifier.h"

enum lint_state { LINT_SAFE, LINT_UNSAFE, LINT_UNKNOWN };

struct lint_finding {
    enum lint_state state;
    const char *function, *reason;
    const char *where; /* the statement at fault, as text; or NULL */
    struct ir_pos pos; /* and its place */
    const char *again; /* command that shows the fault; or NULL */
    const struct diff_options *options; /* of the run that shows it */
    bool some_fault; /* for some data that index, not for others */
    size_t nnotes, nassumes;
    const char **notes;   /* what else is to be known, a line each */
    const char **assumes; /* of runs; those of the proof are in it */
    struct verifier_lint proof;
};

struct lint {
    const struct diff_options *options;
    struct arena *arena;
    struct diff_single one;
    size_t n;
    struct lint_finding *findings;
    bool refused; /* the files of --in are none for a function: see the sink */
};

/* Runs l->one.func on a few inputs of a few sizes. One that is not known to be
 * safe becomes unsafe by a fault that no choice of the data that index avoids;
 * where some choice does, the notes say which. */
void diff_lint_try(struct lint *l, struct lint_finding *f);
/* Of one that is safe: what a run needed of barriers that rule 3 implies, and
 * claims that do not hold (rule 15). */
void diff_lint_confirm(struct lint *l, struct lint_finding *f);

/* The run of a fault once more: its input in *in, which is the caller's, what it
 * leaves in l->one.args, and how it ended in *x. diff_lint_end frees the two of
 * them. False where it cannot be made. */
DC_MUST_USE bool diff_lint_again(struct lint *l, struct lint_finding *f,
                                 struct diff_args *in, struct diff_outcome *x);
void diff_lint_end(struct lint *l, struct diff_outcome *x);
/* The first element that then holds what nobody stored; false: none does. */
bool diff_lint_undefined(const struct diff_single *r, size_t *param,
                         size_t *element);

#endif
