/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_thread_allreduce: front_allreduce.c.
 */
#include "verifier/front.h"

static bool allreduce(struct front *f, struct ir_expr *call)
{
    if (call->u.call.op != IR_OP_THREAD_ALLREDUCE)
        return false;
    front_allreduce(f, call);
    return true;
}

const struct vspec spec_allreduce = {
    .name = "allreduce",
    .summary = "reduction over all threads of a block",
    .stmt = allreduce};
