/* SPDX-License-Identifier: Apache-2.0
 *
 * atomic_add(pointer, value) as a statement (R24): an update that takes effect
 * in an order that nobody states. Its result, the old value, has no
 * translation.
 */
#include "verifier/front/front.h"

static bool atomic_add(struct front *f, struct ir_expr *call)
{
    struct fpointer p;
    struct faccess a;
    if (call->u.call.op != IR_OP_ATOMIC_ADD || call->nargs != 2)
        return false;
    struct ir_expr *value = front_scalar(f, call->args[1]);
    if (!front_pointer(f, call->args[0], &p) ||
        !front_access_at(f, &p, value->dtype, fx_index(f, 0), &a))
        return true;
    struct ir_expr *old = front_load(f, &a);
    struct vstore *s = front_store(f, a.storage, a.n, a.index,
                                   ir_binary(f->m, IR_ADD, old, value));
    s->atomic = true;
    return true;
}

const struct vspec spec_atomic = {
    .name = "atomic", .summary = "atomic addition", .stmt = atomic_add};
