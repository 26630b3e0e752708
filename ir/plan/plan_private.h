/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the files of ir/plan/: a plan in the making.
 */
#ifndef DC_IR_PLAN_PLAN_PRIVATE_H
#define DC_IR_PLAN_PLAN_PRIVATE_H

#include "ir/plan/plan.h"

struct planner {
    const struct ir_module *module;
    bool explicit_barriers;
    struct arena *arena;
    struct ir_plan *plan;
};

/* The statement's facts, made now if there are none. */
struct ir_plan_info *plan_info_take(struct planner *p,
                                    const struct ir_stmt *stmt);

/* plan_lockstep.c: what threads do together, once storage has been moved. */
void plan_lockstep(struct planner *p);

/* plan_kernel.c: the axes of a kernel. */
struct ir_kernel *plan_kernel(struct arena *arena, const struct ir_stmt *stmt);

/* plan_reduction.c: a block as a reduction over threads. */
struct ir_reduction *plan_reduction(struct arena *arena,
                                    const struct ir_stmt *stmt, bool alone);

#endif
