/* SPDX-License-Identifier: Apache-2.0
 *
 * Dimensions are evaluated in 64-bit integers whatever their declared type:
 * a shape that does not fit its 32-bit index type is no shape of a real
 * tensor, and the run itself judges index overflow.
 */
#include "interp/data/dims.h"

static bool op_of(enum ir_expr_kind kind, enum num_op *op)
{
    static const struct {
        enum ir_expr_kind kind;
        enum num_op op;
    } table[] = {
        {IR_ADD, NUM_ADD},           {IR_SUB, NUM_SUB},
        {IR_MUL, NUM_MUL},           {IR_DIV, NUM_DIV},
        {IR_MOD, NUM_MOD},           {IR_FLOORDIV, NUM_FLOORDIV},
        {IR_FLOORMOD, NUM_FLOORMOD}, {IR_MIN, NUM_MIN},
        {IR_MAX, NUM_MAX},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        if (table[i].kind == kind) {
            *op = table[i].op;
            return true;
        }
    }
    return false;
}

bool dims_eval(const struct dims_env *env, const struct ir_expr *e,
               int64_t *out)
{
    enum num_op op;
    int64_t a = 0, b = 0;
    if (e->kind == IR_INT_IMM) {
        *out = e->u.int_value;
        return true;
    }
    if (e->kind == IR_VAR_REF)
        return env->lookup(env->user, e->u.var, out);
    if (e->kind == IR_CAST && dtype_is_int(e->dtype))
        return dims_eval(env, e->args[0], out);
    if (e->nargs != 2 || !op_of(e->kind, &op) || !dtype_is_int(e->dtype))
        return false;
    bool left = dims_eval(env, e->args[0], &a);
    bool right = dims_eval(env, e->args[1], &b);
    if (!left || !right)
        return false;
    unsigned flags = 0;
    uint64_t r = num_binary(op, DTYPE_INT64, (uint64_t)a, (uint64_t)b, &flags);
    *out = num_to_int(DTYPE_INT64, r);
    return flags == 0;
}
