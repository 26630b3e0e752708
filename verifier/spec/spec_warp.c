/* SPDX-License-Identifier: Apache-2.0
 *
 * Warp shuffles and the mask of running lanes, as stores: what they mean is in
 * front_warp.c.
 */
#include "verifier/front/front.h"

static struct ir_expr *warp_value(struct front *f, struct ir_expr *call,
                                  struct ir_expr *lane)
{
    if (lane != NULL)
        return NULL;
    if (call->u.call.op == IR_OP_WARP_ACTIVEMASK)
        return front_active_mask(f, call);
    return front_shuffle(f, call);
}

const struct vspec spec_warp = {
    .name = "warp", .summary = "warp shuffles and masks", .value = warp_value};
