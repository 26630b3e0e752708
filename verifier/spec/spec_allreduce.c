/* SPDX-License-Identifier: Apache-2.0
 *
 * tvm_thread_allreduce(n, sources, condition, results, threads): all threads
 * of a block combine what they have (R27). The translation is in
 * front_allreduce.c, beside that of blocks that reduce across threads.
 */
#include "verifier/front/front.h"

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
