/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers in normal form, where that holds bit for bit: conversions that lose
 * nothing are left out, and parts of lanes that were put together of such parts
 * are the parts. Vector instructions (spec_dot.c) make both.
 */
#include "verifier/value.h"

#define HALF (INT64_C(1) << 31) /* so that products fit */

/* Inclusive bounds of the mathematical value of an integer that is what its
 * arithmetic gives without wrapping; false: not known. */
static bool int_span(const struct value *v, unsigned depth, int64_t *lo,
                     int64_t *hi)
{
    int64_t a, b, x, y;
    if (!dtype_is_int(v->dtype) || v->dtype.bits > 32 || depth > 12)
        return false;
    bool is_signed = v->dtype.code == DT_INT;
    int64_t top = (INT64_C(1) << (v->dtype.bits - (is_signed ? 1 : 0))) - 1;
    *lo = is_signed ? -top - 1 : 0;
    *hi = top;
    if (v->kind != VALUE_OP || v->nargs == 0 ||
        !int_span(v->args[0], depth + 1, &a, &b))
        return true;
    if (v->op == IR_CAST && v->nargs == 1) {
        if (a < *lo || b > *hi)
            return true;
    } else if ((v->op == IR_ADD || v->op == IR_MUL) && v->nargs == 2 &&
               int_span(v->args[1], depth + 1, &x, &y)) {
        if (a < -HALF || b > HALF || x < -HALF || y > HALF)
            return true;
        int64_t p[4] = {a * x, a * y, b * x, b * y}, l = p[0], h = p[0];
        for (size_t i = 1; i < 4; i++) {
            l = p[i] < l ? p[i] : l;
            h = p[i] > h ? p[i] : h;
        }
        a = v->op == IR_ADD ? a + x : l;
        b = v->op == IR_ADD ? b + y : h;
        if (a < *lo || b > *hi) /* may wrap */
            return true;
    } else {
        return true;
    }
    *lo = a;
    *hi = b;
    return true;
}

const struct value *value_without_middle(const struct value *a, struct dtype to)
{
    int64_t lo, hi, tlo, thi;
    if (a->kind != VALUE_OP || a->op != IR_CAST || a->nargs != 1 ||
        !dtype_is_int(to) || !dtype_is_int(a->dtype) || a->dtype.bits > 32)
        return a;
    const struct value *from = a->args[0];
    struct value middle = {.kind = VALUE_UNDEF, .dtype = a->dtype};
    if (!int_span(from, 0, &lo, &hi) || !int_span(&middle, 0, &tlo, &thi))
        return a;
    return lo >= tlo && hi <= thi ? from : a;
}

const struct value *value_part_of(struct vctx *c, const struct ir_expr *e,
                                  const struct value *const *args)
{
    const struct value *a = args[0];
    uint64_t k;
    if (e->kind != IR_CALL || e->u.call.op != IR_OP_REINTERPRET ||
        e->nargs != 2 || a->kind != VALUE_OP || a->op != IR_CALL ||
        a->call != IR_OP_REINTERPRET || a->nargs < 2 || a->has_undef ||
        a->args[0]->dtype.bits >= a->dtype.bits ||
        !value_is_const(args[1], &k) || k >= a->nargs ||
        a->args[k]->dtype.bits != e->dtype.bits)
        return NULL;
    if (dtype_equal(a->args[k]->dtype, e->dtype))
        return a->args[k];
    struct value v = {.kind = VALUE_OP,
                      .dtype = e->dtype,
                      .op = IR_CALL,
                      .call = IR_OP_REINTERPRET,
                      .name = a->name,
                      .nargs = 1,
                      .args = (const struct value **)&a->args[k]};
    return value_make(c, &v);
}
