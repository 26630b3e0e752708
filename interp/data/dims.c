/* SPDX-License-Identifier: Apache-2.0
 *
 * Dimensions are evaluated in 64-bit integers whatever their declared type:
 * a shape that does not fit its 32-bit index type is no shape of a real
 * tensor, and the run itself judges index overflow.
 */
#include "interp/data/dims.h"

bool dims_eval(const struct dims_env *env, const struct ir_expr *e,
               int64_t *out)
{
    int64_t a = 0, b = 0;
    if (e->kind == IR_INT_IMM) {
        *out = e->u.int_value;
        return true;
    }
    if (e->kind == IR_VAR_REF)
        return env->lookup(env->user, e->u.var, out);
    if (e->kind == IR_CAST && dtype_is_int(e->dtype))
        return dims_eval(env, e->args[0], out);
    if (e->kind < IR_ADD || e->kind > IR_MAX || !dtype_is_int(e->dtype))
        return false;
    bool left = dims_eval(env, e->args[0], &a);
    bool right = dims_eval(env, e->args[1], &b);
    if (!left || !right)
        return false;
    unsigned flags = 0;
    uint64_t r = num_binary(ir_num_op(e->kind), DTYPE_INT64, (uint64_t)a,
                            (uint64_t)b, &flags);
    *out = num_to_int(DTYPE_INT64, r);
    return flags == 0;
}
