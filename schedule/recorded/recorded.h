/* SPDX-License-Identifier: Apache-2.0
 *
 * Replay of recorded schedules: a trace of MetaSchedule, or steps as text, is a
 * list of lines of the language of schedule/trace.c; running them one by one
 * tells the first that is refused, and why.
 *
 * Sources: what a trace holds is that of TVM 0.8 to 0.27,
 * src/s_tir/schedule/{trace,instruction_traits}.* (before: src/tir/schedule).
 */
#ifndef DC_SCHEDULE_RECORDED_RECORDED_H
#define DC_SCHEDULE_RECORDED_RECORDED_H

#include "ir/base/json.h"
#include "schedule/schedule.h"

/* A step, and where it came from: a line of a text (1-based), or the index of
 * an instruction in a trace. */
struct schedule_step {
    const char *text;
    uint32_t line;        /* 0: of a trace */
    uint32_t instruction; /* of a trace */
};

/* All zero: no steps. The caller ends it with schedule_steps_fini. */
struct schedule_steps {
    struct arena *arena;
    size_t n;
    struct schedule_step *items;
};
void schedule_steps_fini(struct schedule_steps *steps);

/* A trace [instructions, decisions] as it stands in a file of its own or in a
 * record of a database; sampled numbers stand for what draws them. `at` is
 * where the value stands (file, line of the record). False with a diagnostic
 * `schedule.trace` that names the instruction, for what is no trace and for
 * kinds that are not known. */
DC_MUST_USE bool schedule_steps_of_trace(const struct json_value *trace,
                                         struct diag_loc at,
                                         struct diag_sink *sink,
                                         struct schedule_steps *out);
/* The text of a file: a trace in JSON, a record [workload, [trace, ...]], or
 * steps, a line each. */
DC_MUST_USE bool schedule_steps_read(const char *text, size_t len,
                                     const char *file, struct diag_sink *sink,
                                     struct schedule_steps *out);

/* "steps.txt:7", or "trace.json, instruction 7 (the first is 0)". */
void schedule_step_put_place(struct buf *out, const struct schedule_step *step,
                             const char *file);

/* Runs steps from the first on until one is refused; `skip` (n flags, or NULL)
 * leaves steps out. Returns how many were passed: n, or the index of the one
 * refused (schedule_why, schedule_message tell of it). `each`, if there, is
 * called after every step that was done; false ends the run there. */
size_t schedule_steps_run(struct schedule *s,
                          const struct schedule_steps *steps, const bool *skip,
                          bool (*each)(void *user, size_t step), void *user);

/* advice.c: why step `at` was refused: as schedule_why has it, but that a step
 * which names what an earlier one took away is illegal, no slip. */
enum schedule_refusal schedule_steps_why(const struct schedule *s,
                                         const struct schedule_steps *steps,
                                         size_t at);
/* Of step `at`, which was refused with that message, what to do
 * instead; false where there is nothing to say. */
bool schedule_steps_advise(const struct schedule_steps *steps, size_t at,
                           const char *message, struct buf *out);

#endif
