/* SPDX-License-Identifier: Apache-2.0
 *
 * Races and barriers of a run on numbers (R4, R6, R17 to R21, R24, R28): what is
 * found is one, not all are. Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_RACE_H
#define DC_VERIFIER_ENUMERATE_ENUM_RACE_H

#include "verifier/enumerate/enum_run.h"

/* The iterations that a thread is in, innermost first. Threads of a block and
 * blocks of a launch are iterations, too. */
struct enum_node {
    const struct enum_node *up; /* NULL: in none */
    const struct ir_stmt *loop;
    uint64_t instance; /* one execution of the loop */
    int64_t iteration;
    unsigned depth;
    bool is_launch; /* iterations are blocks of a launch or threads */
    bool is_thread; /* ... threads of one block */
};

struct enum_races *enum_races_new(struct enum_machine *m);
void enum_races_free(struct enum_races *r);

/* The rest does nothing where races are not looked at (m->races NULL). */

/* A number for one execution of a loop. */
uint64_t enum_race_instance(struct enum_machine *m);
/* The thread begins iteration `iteration` of a loop, and ends it. */
void enum_race_enter(struct enum_machine *m, struct enum_lane *thread,
                     const struct ir_stmt *loop, uint64_t instance,
                     int64_t iteration);
void enum_race_leave(struct enum_machine *m, struct enum_lane *thread);
/* The threads of a launch begin. */
void enum_race_launch(struct enum_machine *m, const struct ir_stmt *launch);
/* An access of a cell, which is one of the storage's; value: what it holds then.
 * False: it is a race, and the run has failed. */
bool enum_race_read(struct enum_machine *m, const struct enum_lane *thread,
                    struct enum_storage *s, size_t cell, enum_id value);
bool enum_race_write(struct enum_machine *m, const struct enum_lane *thread,
                     struct enum_storage *s, size_t cell, enum_id value,
                     bool atomic);
/* The storage is another one now. */
void enum_race_forget(struct enum_machine *m, struct enum_storage *s);
/* A barrier that these threads reach. False: others do not. */
bool enum_race_barrier(struct enum_machine *m, const struct ir_expr *call,
                       size_t n, const size_t *active);
/* The same of what a warp does together (R25). */
bool enum_race_warp(struct enum_machine *m, size_t n, const size_t *active);

#endif
