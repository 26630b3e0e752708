/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of schedule/recorded/ share:
 *
 *   kinds.c   the instructions of a trace and the steps that do the same
 *   trace_json.c  a trace in JSON as steps
 *   steps.c   reading of files, running
 */
#ifndef DC_SCHEDULE_RECORDED_RECORDED_PRIVATE_H
#define DC_SCHEDULE_RECORDED_RECORDED_PRIVATE_H

#include "schedule/recorded/recorded.h"

struct sched_kind {
    const char *name;      /* of the instruction */
    const char *word;      /* of the step; NULL: it draws numbers */
    const char *arguments; /* kinds.c says how */
};
const struct sched_kind *sched_kind_find(const char *name);

void schedule_steps_add(struct schedule_steps *steps, struct buf *text,
                        uint32_t line, uint32_t instruction);

#endif
