/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of schedule/recorded/ share:
 *
 *   kinds.c   the instructions of a trace and the steps that do the same
 *   trace_json.c  a trace in JSON as steps
 *   te.c      steps as they are written for tensor expressions
 *   steps.c   reading of files, running
 *   advice.c  what to do instead of a step that is refused
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

/* Whether there are no more steps than may be run; else a diagnostic. */
DC_MUST_USE bool schedule_steps_are_few(const struct schedule_steps *steps,
                                        struct diag_loc at,
                                        struct diag_sink *sink);
void schedule_steps_add(struct schedule_steps *steps, struct buf *text,
                        uint32_t line, uint32_t instruction);

/* te.c: whether a line is a step as it is written for tensor expressions; and
 * lines of that kind as steps. The text is that of the file, with an end. */
bool sched_is_te(const char *line);
DC_MUST_USE bool sched_te_read(const struct schedule_steps *lines,
                               const char *text, const char *file,
                               struct diag_sink *sink,
                               struct schedule_steps *out);

#endif
