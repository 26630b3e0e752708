/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers and conditions of the program at an instance, as affs and formulas.
 *
 * An aff is what the program's arithmetic gives (R9). Types narrower than 32
 * bits and unsigned ones wrap, and so does every conversion: where a result was
 * not shown to fit, its aff says so, a - 2^w * floor((a - least) / 2^w). int32 and
 * int64 operations give the mathematical result: that it fits wherever it
 * reaches an address, an extent or a condition is an obligation of bounds.c. An
 * instance that is `exact` shows that these fit itself: there the integer is a
 * value, which may wrap without a fault, and a value that wrapped is a fault where
 * it reaches an address later. What may wrap at 64 bits is refused: its affs would
 * be too large.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/eval_state.h"

/* ---- integers --------------------------------------------------------------- */

/* The opaque integer that stands for a value. */
static atom_id opaque_of(struct vctx *c, const struct value *v)
{
    int64_t lo, hi;
    while (c->opaques.len <= v->id)
        vec_push(&c->opaques, 0);
    if (c->opaques.items[v->id] != 0)
        return c->opaques.items[v->id] - 1;
    vrange_of_type(v->dtype, &lo, &hi);
    vgiven_range(c, v, &lo, &hi);
    atom_id a = aff_opaque_make(c->space, v->id, value_name(c, v), lo, hi);
    c->opaques.items[v->id] = a + 1;
    aff_atom_set_user(c->space, a, (void *)(uintptr_t)v);
    vgiven_note(c, a, v);
    return a;
}

/* An integer that is data: opaque, equal where the values are. */
static const struct aff *eval_data(struct vctx *c, struct vinst *inst,
                                   const struct ir_expr *e)
{
    const struct form *ctx = inst->ctx;
    if (vexpr_is_index(c, inst, e)) /* no data: as a value it would come back */
        return vctx_fail(c, "an index with %s", ir_expr_kind_name(e->kind));
    if (ctx == NULL)
        ctx = vinst_dom(c, inst);
    const struct value *v = ctx == NULL ? NULL : veval_value(c, inst, e, ctx);
    if (v == NULL)
        return NULL;
    if (!OBLIGED(c->smt, "an address is defined", !value_has_undef(v)))
        return vctx_fail(c, "an address or a condition depends on what may be "
                            "uninitialised");
    if (v->kind == VALUE_INDEX)
        return v->index[0];
    uint64_t bits;
    if (value_is_const(v, &bits))
        return aff_const(c->space, num_to_int(v->dtype, bits));
    if (!dtype_is_int(v->dtype) && !dtype_is_bool(v->dtype))
        return vctx_fail(c, "an address depends on a float");
    return aff_of_atom(c->space, opaque_of(c, v));
}

/* What affs do not take apart: data, or nothing that is known. */
static const struct aff *data_or_fail(struct vctx *c, struct vinst *inst,
                                      const struct ir_expr *e, const char *why)
{
    return vexpr_is_index(c, inst, e) ? vctx_fail(c, "%s", why)
                                      : eval_data(c, inst, e);
}

/* ---- fixed width -------------------------------------------------------------- */

/* The context that an evaluation at the instance may use. */
static const struct form *known_at(struct vctx *c, struct vinst *inst)
{
    return inst->ctx != NULL ? inst->ctx : form_true(c->space);
}

static bool in_range(struct vctx *c, struct vinst *inst, const struct aff *a,
                     int64_t lo, int64_t hi, const char *what)
{
    struct aff_space *s = c->space;
    int64_t least, most;
    aff_range(s, a, &least, &most);
    if (least >= lo && most <= hi)
        return true;
    const struct form *goal = form_and2(s, form_le(s, aff_const(s, lo), a),
                                        form_le(s, a, aff_const(s, hi)));
    const struct form *ctx = known_at(c, inst);
    if (vctx_proves(c, ctx, goal, what))
        return true;
    if (c->sizes == NULL || c->sizes->kind == FORM_TRUE ||
        !vctx_proves(c, form_and2(s, ctx, c->sizes), goal, what))
        return false;
    c->used_sizes = true;
    return true;
}

/* a, the result of e before it is cut to its width. */
static const struct aff *wrap(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e, const struct aff *a)
{
    struct dtype t = e->dtype;
    struct aff_space *s = c->space;
    int64_t lo, hi;
    if (a == NULL || dtype_is_bool(t))
        return a;
    vrange_of_type(t, &lo, &hi);
    if (t.bits > 32) {
        bool is_signed = t.code == DT_INT;
        int64_t end = (int64_t)1 << (t.bits < 62 ? t.bits - is_signed : 61);
        if (!OBLIGED(c->smt, "a 64-bit integer does not wrap",
                     in_range(c, inst, a, is_signed ? -end : 0, end - 1,
                              "a 64-bit integer does not wrap")))
            return data_or_fail(c, inst, e,
                                "an integer of 64 bits that may wrap");
        return a;
    }
    if (in_range(c, inst, a, lo, hi, "an integer does not wrap"))
        return a;
    int64_t width = (int64_t)1 << t.bits;
    if (!OBLIGED(c->smt, "narrow integers wrap", false))
        a = aff_addc(s, aff_mod(s, aff_addc(s, a, -lo), width), lo);
    return a;
}

/* The result of the operation e, which may not fit. */
static const struct aff *result(struct vctx *c, struct vinst *inst,
                                const struct ir_expr *e, const struct aff *a)
{
    struct dtype t = e->dtype;
    int64_t lo, hi;
    if (t.code != DT_INT || t.bits < 32 || t.bits > 32)
        return t.code == DT_INT && t.bits > 32 && !inst->exact
                   ? a
                   : wrap(c, inst, e, a);
    vrange_of_type(t, &lo, &hi);
    if (!inst->exact || a == NULL ||
        OBLIGED(c->smt, "integer fits its type",
                in_range(c, inst, a, lo, hi, "integer fits its type")))
        return a;
    return vctx_fail(c, "an integer of indices that may wrap is a value");
}

/* A conversion between integer types keeps the low bits. */
static const struct aff *convert(struct vctx *c, struct vinst *inst,
                                 const struct ir_expr *e)
{
    struct dtype to = e->dtype, from = e->args[0]->dtype;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    bool wider =
        to.bits > from.bits && (to.code == DT_INT || from.code == DT_UINT);
    bool same = to.bits == from.bits && to.code == from.code;
    return wider || same ? a : wrap(c, inst, e, a);
}

/* ---- operators -------------------------------------------------------------- */

static const struct aff *floored(struct vctx *c, const struct aff *a,
                                 const struct aff *b)
{
    int64_t k;
    return aff_is_const(b, &k) ? aff_floordiv(c->space, a, k)
                               : aff_floordiv_sym(c->space, a, b);
}

/* The quotient by b >= 1: rounded down, or towards zero, which is the same for
 * operands that are not negative. */
static const struct aff *quotient(struct vctx *c, struct vinst *inst,
                                  const struct aff *a, const struct aff *b,
                                  bool trunc)
{
    struct aff_space *s = c->space;
    const struct form *positive = form_ge0(s, a);
    if (!trunc || positive->kind == FORM_TRUE ||
        vctx_proves(c, known_at(c, inst), positive, "dividend >= 0"))
        return floored(c, a, b);
    const struct aff *up = floored(c, aff_scale(s, a, -1), b);
    return vchoice_make(c, positive, floored(c, a, b), aff_scale(s, up, -1));
}

/* The quotient or the remainder that e is. By what may be zero or negative there
 * is none but as data. */
static const struct aff *divide(struct vctx *c, struct vinst *inst,
                                const struct ir_expr *e, const struct aff *a,
                                const struct aff *b)
{
    struct aff_space *s = c->space;
    bool trunc = e->kind == IR_DIV || e->kind == IR_MOD;
    bool rest = e->kind == IR_MOD || e->kind == IR_FLOORMOD;
    int64_t lo, hi, k;
    const struct aff *q;
    aff_range(s, b, &lo, &hi);
    if (aff_is_const(b, &k) && k < 0 && k > -INT32_MAX) {
        q = trunc
                ? aff_scale(s, quotient(c, inst, a, aff_const(s, -k), true), -1)
                : quotient(c, inst, aff_scale(s, a, -1), aff_const(s, -k),
                           false);
    } else if (OBLIGED(c->smt, "divisor > 0", lo >= 1)) {
        q = quotient(c, inst, a, b, trunc);
    } else {
        return data_or_fail(c, inst, e,
                            "a division by what may be zero or negative");
    }
    return rest && q != NULL ? aff_sub(s, a, aff_mul(s, b, q)) : q;
}

static bool const_arg(struct vctx *c, struct vinst *inst,
                      const struct ir_expr *e, int64_t *out)
{
    const struct aff *a = veval_index(c, inst, e);
    return a != NULL && aff_is_const(a, out);
}

/* Shifts by and masks of constants are multiplications and divisions. */
static const struct aff *eval_bits(struct vctx *c, struct vinst *inst,
                                   const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    int64_t k;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    if (a == NULL)
        return NULL;
    if (const_arg(c, inst, e->args[1], &k)) {
        bool shifts = e->kind == IR_SHL || e->kind == IR_SHR;
        if (shifts && !OBLIGED(c->smt, "a shift count is below the width",
                               k >= 0 && k < e->dtype.bits))
            return vctx_fail(c, "a shift by %lld of %u bits is undefined",
                             (long long)k, (unsigned)e->dtype.bits);
        if (e->kind == IR_SHL && k >= 0 && k < 62)
            return result(c, inst, e, aff_scale(s, a, (int64_t)1 << k));
        if (e->kind == IR_SHR && k >= 0 && k < 62)
            return aff_floordiv(s, a, (int64_t)1 << k);
        if (e->kind == IR_BITAND && k >= 0 && k < INT64_MAX / 2 &&
            (k & (k + 1)) == 0)
            return aff_mod(s, a, k + 1);
    }
    if (e->kind != IR_BITXOR && e->kind != IR_BITAND && e->kind != IR_BITOR)
        return data_or_fail(c, inst, e, "a shift by what is not constant");
    const struct aff *b = veval_index(c, inst, e->args[1]);
    if (b == NULL)
        return NULL;
    int64_t la, ha, lb, hb;
    aff_range(s, a, &la, &ha);
    aff_range(s, b, &lb, &hb);
    if (la < 0 || lb < 0 || ha > INT64_MAX / 4 || hb > INT64_MAX / 4)
        return data_or_fail(c, inst, e, "bits of what may be negative");
    return vchoice_bits(c, e->kind, a, b);
}

static const struct aff *eval_binary(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    const struct aff *b = a != NULL ? veval_index(c, inst, e->args[1]) : NULL;
    if (b == NULL)
        return NULL;
    switch (e->kind) {
    case IR_ADD: return result(c, inst, e, aff_add(s, a, b));
    case IR_SUB: return result(c, inst, e, aff_sub(s, a, b));
    case IR_MUL: return result(c, inst, e, aff_mul(s, a, b));
    case IR_FLOORDIV:
    case IR_DIV:
    case IR_FLOORMOD:
    case IR_MOD: return divide(c, inst, e, a, b);
    case IR_MIN: return vchoice_make(c, form_le(s, a, b), a, b);
    case IR_MAX: return vchoice_make(c, form_le(s, b, a), a, b);
    default:
        return vctx_fail(c, "an index with %s", ir_expr_kind_name(e->kind));
    }
}

static const struct aff *index_kind(struct vctx *c, struct vinst *inst,
                                    const struct ir_expr *e)
{
    const struct form *cond;
    const struct aff *a, *b;
    switch (e->kind) {
    case IR_INT_IMM:
        if (!OBLIGED(c->smt, "a literal is the number that it is written as",
                     e->dtype.code != DT_UINT || e->u.int_value >= 0))
            return vctx_fail(c, "an unsigned literal of 2^63 or more");
        return aff_const(c->space, e->u.int_value);
    case IR_VAR_REF: return vinst_var(c, inst, e->u.var);
    case IR_BITNOT:
        if (!vexpr_is_index(c, inst, e))
            return eval_data(c, inst, e);
        a = veval_index(c, inst, e->args[0]);
        return a == NULL
                   ? NULL
                   : result(c, inst, e,
                            aff_addc(c->space, aff_scale(c->space, a, -1), -1));
    case IR_ARITHMETIC_KINDS:
        if (dtype_is_float(e->dtype))
            return eval_data(c, inst, e);
        return eval_binary(c, inst, e);
    case IR_BITWISE_KINDS: return eval_bits(c, inst, e);
    case IR_CAST:
        if (dtype_is_int(e->dtype) && dtype_is_bool(e->args[0]->dtype) &&
            vexpr_is_index(c, inst, e)) {
            cond = veval_cond(c, inst, e->args[0]);
            return cond == NULL ? NULL
                                : vchoice_make(c, cond, aff_const(c->space, 1),
                                               aff_const(c->space, 0));
        }
        if (!dtype_is_int(e->args[0]->dtype) || !dtype_is_int(e->dtype))
            return eval_data(c, inst, e);
        return convert(c, inst, e);
    case IR_LET: return veval_index(c, vinst_with_let(c, inst, e), e->args[1]);
    case IR_SELECT: break;
    case IR_CALL:
        if (e->u.call.op == IR_OP_LIKELY)
            return veval_index(c, inst, e->args[0]);
        if (e->u.call.op == IR_OP_IF_THEN_ELSE)
            break;
        return eval_data(c, inst, e);
    default: return eval_data(c, inst, e);
    }
    cond = veval_cond(c, inst, e->args[0]);
    a = cond != NULL ? veval_index(c, inst, e->args[1]) : NULL;
    b = a != NULL ? veval_index(c, inst, e->args[2]) : NULL;
    return b == NULL ? NULL : vchoice_make(c, cond, a, b);
}

const struct aff *veval_index(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e)
{
    const struct aff *a = vctx_enter(c) ? index_kind(c, inst, e) : NULL;
    vctx_leave(c);
    return a;
}

/* ---- conditions ------------------------------------------------------------- */

static const struct form *eval_compare(struct vctx *c, struct vinst *inst,
                                       const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct aff *a = veval_index(c, inst, e->args[0]);
    const struct aff *b = a != NULL ? veval_index(c, inst, e->args[1]) : NULL;
    if (b == NULL)
        return NULL;
    switch (e->kind) {
    case IR_EQ: return form_eq(s, a, b);
    case IR_NE: return form_not(s, form_eq(s, a, b));
    case IR_LT: return form_lt(s, a, b);
    case IR_LE: return form_le(s, a, b);
    case IR_GT: return form_lt(s, b, a);
    default: return form_le(s, b, a);
    }
}

static const struct form *cond_data(struct vctx *c, struct vinst *inst,
                                    const struct ir_expr *e)
{
    const struct form *ctx = inst->ctx;
    if (vexpr_is_index(c, inst, e)) /* no data: as a value it would come back */
        return vctx_fail(c, "a condition with %s", ir_expr_kind_name(e->kind));
    if (ctx == NULL)
        ctx = form_true(c->space);
    const struct value *v = veval_value(c, inst, e, ctx);
    if (v != NULL &&
        !OBLIGED(c->smt, "a condition is defined", !value_has_undef(v)))
        return vctx_fail(c, "a condition depends on what may be uninitialised");
    return v == NULL ? NULL : vpred_of(c, v);
}

/* (a and b) or not (a or b): of two truths, whether they are equal. */
static const struct form *same_truth(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct form *a = veval_cond(c, inst, e->args[0]);
    const struct form *b = a != NULL ? veval_cond(c, inst, e->args[1]) : NULL;
    if (b == NULL)
        return NULL;
    const struct form *same = form_or2(
        s, form_and2(s, a, b), form_and2(s, form_not(s, a), form_not(s, b)));
    return e->kind == IR_EQ ? same : form_not(s, same);
}

static const struct form *chosen_truth(struct vctx *c, struct vinst *inst,
                                       const struct ir_expr *e)
{
    struct aff_space *s = c->space;
    const struct form *cond = veval_cond(c, inst, e->args[0]);
    const struct form *a =
        cond != NULL ? veval_cond(c, inst, e->args[1]) : NULL;
    const struct form *b = a != NULL ? veval_cond(c, inst, e->args[2]) : NULL;
    return b == NULL ? NULL
                     : form_or2(s, form_and2(s, cond, a),
                                form_and2(s, form_not(s, cond), b));
}

/* The truth of a let, where it stands. */
static const struct form *let_cond(struct vctx *c, struct vinst *inst,
                                   size_t where)
{
    struct vlet *let = vinst_let(c, inst, where);
    if (let->is[inst->exact].cond == NULL ||
        let->is[inst->exact].cond_ctx != inst->ctx) {
        let->is[inst->exact].cond = veval_cond(c, vinst_at_let(c, inst, where),
                                               inst->scopes[where].value);
        let->is[inst->exact].cond_ctx = inst->ctx;
    }
    return let->is[inst->exact].cond;
}

static const struct form *cond_kind(struct vctx *c, struct vinst *inst,
                                    const struct ir_expr *e)
{
    const struct form *a, *b;
    switch (e->kind) {
    case IR_INT_IMM:
        return e->u.int_value != 0 ? form_true(c->space) : form_false(c->space);
    case IR_AND:
    case IR_OR:
        a = veval_cond(c, inst, e->args[0]);
        b = a != NULL ? veval_cond(c, inst, e->args[1]) : NULL;
        if (b == NULL)
            return NULL;
        return e->kind == IR_AND ? form_and2(c->space, a, b)
                                 : form_or2(c->space, a, b);
    case IR_NOT:
        a = veval_cond(c, inst, e->args[0]);
        return a == NULL ? NULL : form_not(c->space, a);
    case IR_COMPARE_KINDS:
        if (dtype_is_int(e->args[0]->dtype))
            return eval_compare(c, inst, e);
        if ((e->kind == IR_EQ || e->kind == IR_NE) &&
            vexpr_is_index(c, inst, e))
            return same_truth(c, inst, e);
        return cond_data(c, inst, e);
    case IR_SELECT:
        return vexpr_is_index(c, inst, e) ? chosen_truth(c, inst, e)
                                          : cond_data(c, inst, e);
    case IR_CAST:
        if (dtype_is_bool(e->args[0]->dtype))
            return veval_cond(c, inst, e->args[0]);
        if (dtype_is_int(e->args[0]->dtype)) {
            /* to another type than bool, what is left of it is asked */
            bool truth = dtype_is_bool(e->dtype);
            const struct aff *x = veval_index(c, inst, truth ? e->args[0] : e);
            return x == NULL
                       ? NULL
                       : form_not(c->space,
                                  form_eq(c->space, x, aff_const(c->space, 0)));
        }
        return cond_data(c, inst, e);
    case IR_CALL:
        if (e->u.call.op == IR_OP_LIKELY)
            return veval_cond(c, inst, e->args[0]);
        if (e->u.call.op == IR_OP_IF_THEN_ELSE && vexpr_is_index(c, inst, e))
            return chosen_truth(c, inst, e);
        return cond_data(c, inst, e);
    case IR_VAR_REF: {
        size_t where;
        const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
        if (s != NULL && s->kind == VSCOPE_LET)
            return let_cond(c, inst, where);
        const struct aff *x = vinst_var(c, inst, e->u.var);
        return x == NULL ? NULL
                         : form_not(c->space, form_eq(c->space, x,
                                                      aff_const(c->space, 0)));
    }
    default: return cond_data(c, inst, e);
    }
}

const struct form *veval_cond(struct vctx *c, struct vinst *inst,
                              const struct ir_expr *e)
{
    const struct form *f = vctx_enter(c) ? cond_kind(c, inst, e) : NULL;
    vctx_leave(c);
    return f;
}
