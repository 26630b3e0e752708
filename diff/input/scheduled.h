/* SPDX-License-Identifier: Apache-2.0
 *
 * A workload and steps on it. Private to diff/.
 */
#ifndef DC_DIFF_INPUT_SCHEDULED_H
#define DC_DIFF_INPUT_SCHEDULED_H

#include "diff/input/options.h"
#include "schedule/recorded/recorded.h"

struct diff_steps {
    struct ir_module *module; /* the workload */
    struct ir_func *func;
    struct schedule_steps steps;
    struct schedule *schedule; /* of func, before the first step */
};
/* Both may be lines of a database. All zero before; false with diagnostics. To be
 * closed either way. */
DC_MUST_USE bool diff_steps_open(const struct diff_options *options,
                                 const char *workload, const char *trace,
                                 struct diff_steps *out,
                                 struct diag_sink *sink);
void diff_steps_close(struct diff_steps *steps);

#endif
