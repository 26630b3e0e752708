/* SPDX-License-Identifier: Apache-2.0
 *
 * unroll: iterations are written out; always legal, they stay in order.
 *
 * Legal as schedule/loop_kind.c says, which does the work. Follows TVM,
 * s_tir/schedule/primitive/for_kind.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_unroll(struct schedule *s, schedule_ref loop)
{
    return sched_set_kind(s, loop, IR_FOR_UNROLLED, NULL);
}

extern const struct schedule_primitive primitive_unroll;
const struct schedule_primitive primitive_unroll = {
    .name = "unroll",
    .arguments = "loop",
    .source = "for_kind.cc",
    .one = schedule_unroll,
};
