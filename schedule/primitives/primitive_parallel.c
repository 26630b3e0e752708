/* SPDX-License-Identifier: Apache-2.0
 *
 * parallel: iterations may run at the same time.
 *
 * Legal as schedule/loop_kind.c says, which does the work. Follows TVM,
 * s_tir/schedule/primitive/for_kind.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_parallel(struct schedule *s, schedule_ref loop)
{
    return sched_set_kind(s, loop, IR_FOR_PARALLEL, NULL);
}

extern const struct schedule_primitive primitive_parallel;
const struct schedule_primitive primitive_parallel = {
    .name = "parallel",
    .arguments = "loop",
    .source = "for_kind.cc",
    .one = schedule_parallel,
};
