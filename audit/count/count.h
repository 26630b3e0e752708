/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting what a record claims to have computed. Private to audit/.
 *
 * All fill a count that is zero but for `saving`, and say in `how` what they did;
 * false, with the reason in `how`, where nothing can be counted.
 */
#ifndef DC_AUDIT_COUNT_COUNT_H
#define DC_AUDIT_COUNT_COUNT_H

#include "audit/audit.h"

/* count_ir.c: the function `main` of the module, or its only one. */
DC_MUST_USE bool audit_count_module(struct ir_module *module,
                                    struct arena *arena,
                                    struct audit_count *out);
/* count_dag.c: the text of a ComputeDAG, with the shapes of its key. */
DC_MUST_USE bool audit_count_dag(const struct audit_task *task,
                                 struct arena *arena, struct audit_count *out);
/* count_task.c: a task of AutoTVM, or a function of Ansor with a name. */
DC_MUST_USE bool audit_count_autotvm(const struct audit_record *record,
                                     struct arena *arena,
                                     struct audit_count *out);
DC_MUST_USE bool audit_count_named(const struct audit_record *record,
                                   struct arena *arena,
                                   struct audit_count *out);
/* count_steps.c: how many points the loops have that Ansor's steps tile; false:
 * they tile none in several levels. */
DC_MUST_USE bool audit_steps_points(const struct audit_record *record,
                                    double *points);
DC_MUST_USE bool audit_count_steps(const struct audit_record *record,
                                   struct arena *arena,
                                   struct audit_count *out);

/* ---- count_window.c: sums over windows -------------------------------------------------- */

#define AUDIT_MAX_SPATIAL 3u

/* A convolution, matrix product or pooling: an output of batch * out_channels and
 * the spatial axes, each element a sum over in_channels / groups and the window. */
struct audit_window {
    size_t spatial;
    int64_t batch, in_channels, out_channels, groups;
    int64_t in[AUDIT_MAX_SPATIAL], kernel[AUDIT_MAX_SPATIAL],
        stride[AUDIT_MAX_SPATIAL], dilation[AUDIT_MAX_SPATIAL],
        before[AUDIT_MAX_SPATIAL], after[AUDIT_MAX_SPATIAL]; /* padding */
    int64_t further[AUDIT_MAX_SPATIAL]; /* of a transpose: further output */
    bool transpose;                     /* the stride spreads the input */
    bool winograd;                      /* the template is that algorithm */
    bool pooling;                       /* no weights, no products */
    struct dtype input, weight, output;
};
/* False: it is none: a size that is not positive, or an output that is empty. */
DC_MUST_USE bool audit_window_count(const struct audit_window *w,
                                    struct arena *arena,
                                    struct audit_count *out);

#endif
