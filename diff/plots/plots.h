/* SPDX-License-Identifier: Apache-2.0
 *
 * What plots and programs of a page are made of: struct report_plots and
 * struct report_source of a pair that was compared. Private to diff/.
 */
#ifndef DC_DIFF_PLOTS_PLOTS_H
#define DC_DIFF_PLOTS_PLOTS_H

#include "diff/engine/engine.h"

/* Whether a format was asked for that draws them: they cost runs. */
bool plots_wanted(const struct diff_options *options);
/* Files that the programs of both sides stand in, read once for all pairs of a
 * report; zeroed at first. */
struct plots_files {
    struct {
        const char *path; /* in the report's arena; NULL: none yet */
        struct buf text;  /* len 0: it is no program */
    } side[NSIDES];
};
void plots_files_fini(struct plots_files *files);
/* Fills plots and sources of the pair's report, when its verdict is there and
 * before the pair is released. What cannot be had is left out, with the reason. */
void plots_fill(struct diff_pair *pair, struct plots_files *files);
/* Versions of what the verdicts rest on. */
void plots_fill_environment(struct report *report);

/* ---- the parts ---- */

/* Both sides' runs on the input that is drawn. */
struct plots_shown {
    const struct diff_case *c;
    struct diff_finding finding;
    struct diff_run runs[NSIDES];
};
/* plots_grid.c: of the finding's output, in the arena. */
void plots_put_differences(const struct plots_shown *x, struct arena *arena,
                           struct report_plots *out);
/* The runs are of the domain bound. */
void plots_put_bound(const struct plots_shown *bounds, struct arena *arena,
                     struct report_plots *out);
/* plots_reduction.c: of the finding's element. */
void plots_put_reduction(struct diff_pair *pair, const struct plots_shown *x,
                         struct report_plots *out);
/* plots_growth.c: how far partial results of a reduction, postfix in `order`,
 * are from the real numbers. */
struct plots_node {
    const struct interp_form *form;
    size_t left, right; /* of what is combined, else SIZE_MAX */
    size_t size;        /* leaves */
};
/* in: what the side was run on. NULL, or why there are none. */
const char *plots_put_steps(struct arena *arena, const struct diff_args *in,
                            size_t n, const struct plots_node *nodes,
                            struct report_reduction *out);
/* plots_source.c */
void plots_put_sources(struct diff_pair *pair, struct plots_files *files);
void plots_put_barriers(struct diff_pair *pair, struct report_plots *out);

#endif
