/* SPDX-License-Identifier: Apache-2.0
 *
 * vectorize: iterations become the lanes of vectors.
 *
 * Legal as schedule/loop_kind.c says, which does the work. Follows TVM,
 * s_tir/schedule/primitive/for_kind.cc.
 */
#include "schedule/schedule_private.h"

bool schedule_vectorize(struct schedule *s, schedule_ref loop)
{
    return sched_set_kind(s, loop, IR_FOR_VECTORIZED, NULL);
}

extern const struct schedule_primitive primitive_vectorize;
const struct schedule_primitive primitive_vectorize = {
    .name = "vectorize",
    .arguments = "loop",
    .source = "for_kind.cc",
    .one = schedule_vectorize,
};
