/* SPDX-License-Identifier: Apache-2.0
 *
 * The step after which a verdict changes: a program on its way, as a list of
 * modules, each compared with the first. Private to diff/.
 *
 *   points_steps.c   the points of a recorded schedule
 *   points_folder.c  those of a folder of modules
 *   search.c         the search
 *   shrink.c         a schedule without the steps that do not matter
 *   lines.c          what changed from one text to another
 *   keep.c           what is written to a folder
 */
#ifndef DC_DIFF_BISECT_BISECT_H
#define DC_DIFF_BISECT_BISECT_H

#include "diff/diff.h"
#include "diff/input/scheduled.h"

struct bisect_point {
    const char *what;    /* the step, or the name of the file */
    const char *where;   /* "trace.json, instruction 7"; NULL: what says it */
    const char *illegal; /* the condition that fails; NULL: none does */
    const char *fault; /* what TVM does wrong there, if it is known; or NULL */
    size_t step;       /* of a schedule: its index */
    struct ir_module *module;
    struct report
        *report; /* of this module against the first; NULL: not asked */
};

/* All points belong to `arena` but for the modules of a folder and the
 * reports. */
struct bisect {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct arena *arena;
    struct VEC(
        struct bisect_point) points; /* the first: the program as it was */
    const char *stopped; /* why a schedule could not be followed further */
    /* a schedule */
    struct diff_steps input;
    struct ir_module *tuned; /* what a compiler made by it; NULL: not given */
    /* a folder */
    bool folder;
};

/* The points of WORKLOAD and TRACE (tuned: NULL, or the file of what a compiler
 * made by it), or of the modules of a folder in the order
 * of their names, numbers in them as numbers. False with diagnostics. Ended with
 * bisect_fini either way. */
DC_MUST_USE bool bisect_begin_steps(struct bisect *b, const char *workload,
                                    const char *trace, const char *tuned);
DC_MUST_USE bool bisect_begin_folder(struct bisect *b, const char *folder);
void bisect_fini(struct bisect *b);

enum bisect_answer {
    BISECT_NOTHING, /* the last is identical to the first */
    BISECT_FOUND,   /* `good` is as before, `bad` = good + 1 is not */
    BISECT_BETWEEN, /* the same, and nothing between them is decided */
    BISECT_ERROR
};
struct bisect_found {
    enum bisect_answer answer;
    size_t good, bad;
    enum report_verdict was, is, last;
};
/* Halves until the point after which the verdict is no better than that on the
 * last: a finding if that is one, else no stronger relation. */
struct bisect_found bisect_search(struct bisect *b);

/* Of a schedule whose steps keep what the workload computes, while what a compiler
 * made by them does not: the step that it went wrong at. That is one of which it
 * is known how TVM goes wrong, else one that is illegal, else the only one that
 * changes the program. 0: none of these. */
size_t bisect_blame(const struct bisect *b);
/* The comparison of what the compiler made with the workload; it is the caller's.
 * False where the two cannot be compared. */
DC_MUST_USE bool bisect_judge(struct bisect *b, struct report **report,
                              enum report_verdict *out);

/* The steps up to that of point `bad` that are needed for it to be no better than
 * `is`: flags, one a step, of those that are left out; arena of b. */
bool *bisect_shrink(struct bisect *b, size_t bad, enum report_verdict is);

/* untuned.json, before.json, after.json and steps.txt (skip: not NULL) in the
 * folder of --out, which is made if need be. */
DC_MUST_USE bool bisect_keep(struct bisect *b, const struct bisect_found *f,
                             const bool *skip);

/* Lines of `after` and `before` that differ, with some around them, as diff -u
 * shows them; at most `most` lines, what is left is counted. */
void bisect_put_lines(struct buf *out, const char *before, const char *after,
                      size_t most);

#endif
