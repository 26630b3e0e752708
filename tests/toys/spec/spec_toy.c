/* SPDX-License-Identifier: Apache-2.0
 *
 * An intrinsic of the prover and its obligation in one file: toy_twice(x) is
 * x + x, of floats only.
 */
#include "verifier/front/front.h"
#include "verifier/smt/obligation.h"

#include <string.h>

extern const struct vspec spec_toy;

static struct ir_expr *toy_value(struct front *f, struct ir_expr *call,
                                 struct ir_expr *lane)
{
    if (call->u.call.op != IR_OP_CALL_PURE_EXTERN || call->nargs != 2 ||
        call->args[0]->kind != IR_STRING_IMM ||
        strcmp(call->args[0]->u.string.text, "toy_twice") != 0)
        return NULL;
    if (!OBLIGED_FRONT(f, "toy: of floats", dtype_is_float(call->dtype)))
        return NULL;
    struct ir_expr *x = front_expr(f, call->args[1], lane);
    return ir_binary(f->m, IR_ADD, x, x);
}

const struct vspec spec_toy = {
    .name = "toy", .summary = "twice its operand", .value = toy_value};
