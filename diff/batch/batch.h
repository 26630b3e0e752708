/* SPDX-License-Identifier: Apache-2.0
 *
 * Many pairs of files: finding them, comparing each in a process of its own,
 * progress. Private to diff/.
 */
#ifndef DC_DIFF_BATCH_BATCH_H
#define DC_DIFF_BATCH_BATCH_H

#include "diff/input/options.h"

/* One comparison. */
struct batch_job {
    const char *name;  /* for people: the path of the pair below its operand */
    const char *tuned; /* a case file when untuned is NULL */
    const char *untuned;
};
/* In the order of operands, then of names. */
struct batch_jobs VEC(struct batch_job);

/* Finds the pairs that the operands name: folders, searched all the way down
 * for `tuned.*` beside `untuned.*` (or NAME.tuned.* and NAME.untuned.*),
 * `NAME.after.*` beside `NAME.before.*` (after is the tuned side) and case files; case files; lists of pairs, one a line
 * (TUNED UNTUNED [NAME], separated by blanks, or by tabs where the line has
 * one), "-" being standard input; paths of a list are relative to its folder.
 * False with diagnostics (batch.*), also when there is none. Half a pair is a
 * warning. Links to folders are not followed. What jobs name is in the arena;
 * the list is the caller's to vec_fini, in any case. */
DC_MUST_USE bool batch_discover(struct arena *arena, size_t noperands,
                                const char *const *operands,
                                struct batch_jobs *out, struct diag_sink *sink);

/* What became of a job; the report is NULL until it is done. */
struct batch_result {
    struct report *report;
    double time_s;
};
struct batch_watch {
    void *user;
    /* Whether job `i`, which is about to begin, is wanted; NULL: all are. One that
     * is not has no result. Asked in the order of jobs. */
    bool (*wanted)(void *user, size_t i);
    /* Job `i` is done; called in whatever order they end. */
    void (*done)(void *user, size_t i);
    /* Several times a second. */
    void (*tick)(void *user);
};
/* Compares all jobs, as many at a time as options->jobs says (0: one a
 * processor), each in a process that it forks: what crashes, or takes all
 * memory, ends as the report of an error. False when it was interrupted (SIGINT,
 * SIGTERM), what ran is ended then and what was done is kept. Reports are for
 * the caller to free. Not to be called where other threads run. */
bool batch_run(const struct diff_options *options,
               const struct batch_jobs *jobs, struct batch_result *results,
               const struct batch_watch *watch);

/* ---- progress.c ------------------------------------------------------------------ */

/* A bar on standard error when that is a terminal that can draw one, else a line
 * a minute; nothing if quiet. */
struct batch_progress {
    bool quiet, bar, drawn;
    size_t total, done, findings;
    const char *what;     /* "pairs" */
    double started, told; /* seconds, by the clock */
};
void batch_progress_begin(struct batch_progress *p, size_t total, bool quiet);
void batch_progress_show(struct batch_progress *p);
void batch_progress_clear(struct batch_progress *p); /* before other output */

#endif
