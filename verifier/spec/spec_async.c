/* SPDX-License-Identifier: Apache-2.0
 *
 * cp.async of PTX (R23, G22 to G28): a copy is a store where it is issued; that
 * its later end makes no difference is shown by copies.c from the commits and
 * waits that are noted here.
 */
#include "verifier/front/front.h"

#define MAX_BYTES 4096

/* target, offset, source, offset, bytes[, predicate]; offsets in elements. */
static void copy(struct front *f, struct ir_expr *call)
{
    struct fpointer to, from;
    struct faccess a, b;
    int64_t bytes = 0, size = 0;
    if (!front_pointer(f, call->args[0], &to) ||
        !front_pointer(f, call->args[2], &from))
        return;
    struct dtype t = dtype_scalar(to.elem);
    bool typed = to.elem.code != DT_VOID && !dtype_is_handle(to.elem) &&
                 dtype_equal(t, dtype_scalar(from.elem));
    if (typed)
        size = (int64_t)dtype_lane_bytes(t);
    if (!typed || size == 0 || call->nargs > 6 || to.elem.lanes > 1 ||
        from.elem.lanes > 1 ||
        front_scope_class(to.storage->source->scope) != CLASS_SHARED ||
        !ir_const_int(call->args[4], &bytes) || bytes < 1 ||
        bytes > MAX_BYTES || bytes % size != 0) {
        front_refuse(f, f->stmt->pos, "an asynchronous copy of this form");
        return;
    }
    struct ir_expr *to_at = front_scalar(f, call->args[1]);
    struct ir_expr *from_at = front_scalar(f, call->args[3]);
    struct ir_expr *taken =
        call->nargs == 6 ? front_scalar(f, call->args[5]) : NULL;
    struct ir_expr *i =
        fx_wide(f, front_loop(f, "element", bytes / size, false));
    if (!front_access_at(f, &to, t, fx_add(f, fx_wide(f, to_at), i), &a))
        return;
    size_t scopes = f->scopes.len;
    if (taken != NULL)
        front_guard(f, taken, false);
    bool fine =
        front_access_at(f, &from, t, fx_add(f, fx_wide(f, from_at), i), &b);
    f->scopes.len = scopes;
    if (!fine)
        return;
    struct ir_expr *zero =
        dtype_is_float(t) ? ir_float(f->m, t, 0.0) : fx_int(f, t, 0);
    struct ir_expr *value = front_load(f, &b);
    if (taken != NULL)
        value = fx_choose(f, taken, value, zero);
    struct vstore *s = front_store(f, a.storage, a.n, a.index, value);
    s->async = true;
}

static bool async(struct front *f, struct ir_expr *call)
{
    switch ((int)call->u.call.op) {
    case IR_OP_PTX_CP_ASYNC: copy(f, call); return true;
    case IR_OP_PTX_COMMIT_GROUP: front_commit(f); return true;
    case IR_OP_PTX_WAIT_GROUP:
        front_wait(f, front_scalar(f, call->args[0]));
        return true;
    default: return false;
    }
}

const struct vspec spec_async = {
    .name = "async", .summary = "asynchronous copies", .stmt = async};
