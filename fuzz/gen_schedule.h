/* SPDX-License-Identifier: Apache-2.0
 *
 * Generated schedules: a program in blocks, and random steps of schedule/ done
 * on it. A header of its own: it alone knows of schedule/.
 */
#ifndef DC_FUZZ_GEN_SCHEDULE_H
#define DC_FUZZ_GEN_SCHEDULE_H

#include "fuzz/gen.h"
#include "schedule/schedule.h"

struct gen_schedule {
    struct ir_module *untuned;
    struct schedule *schedule; /* schedule_module: the tuned side */
    enum gen_claim claim;
    struct buf steps;     /* a line each, refused ones included */
    size_t done, refused; /* steps, look-ups aside */
};
/* False if the program has no form that can be scheduled. To be ended with
 * gen_schedule_fini either way. */
bool gen_schedule_init(struct gen_schedule *g, const uint8_t *data, size_t n,
                       uint64_t seed, const struct gen_options *options);
void gen_schedule_fini(struct gen_schedule *g);

/* Runs both sides of `count` of them from `seed` on; reports on standard output
 * what contradicts, then a summary, and returns the number of contradictions.
 * (gen_check_schedule.c) */
size_t gen_check_schedules(uint64_t seed, uint64_t count,
                           const struct gen_options *options);

#endif
