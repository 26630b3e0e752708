/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions as values in normal form, reads resolved by reaching.c.
 *
 * Only identities that hold bit for bit are applied: a conversion to the same
 * type is dropped, operations on constants are executed in their type.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/value.h"

static const struct value *eval_op(struct vctx *c, struct vinst *inst,
                                   const struct ir_expr *e,
                                   const struct form *ctx);

/* An integer or a comparison of indices as a value: what the program's
 * arithmetic of fixed width gives, behind lets too. */
static const struct value *eval_index_value(struct vctx *c, struct vinst *inst,
                                            const struct ir_expr *e,
                                            const struct form *ctx)
{
    struct vinst at = *inst;
    at.exact = true;
    at.ctx = ctx;
    if (dtype_is_bool(e->dtype)) {
        const struct form *f = veval_cond(c, &at, e);
        return f == NULL ? NULL
                         : value_ite(c, f, value_const(c, e->dtype, 1),
                                     value_const(c, e->dtype, 0));
    }
    const struct aff *a = veval_index(c, &at, e);
    return a == NULL ? NULL : value_index(c, e->dtype, a);
}

/* ctx with that the cell is one of the storage, where that hangs on data. The
 * access is shown to be so by itself (storage_bounds.c), and comes before whatever uses
 * what it reads. */
static const struct form *within_storage(struct vctx *c,
                                         const struct vstorage *s,
                                         const struct aff *const *cell,
                                         const struct form *ctx)
{
    for (size_t d = 0; s->written && d < s->buffer->rank; d++) {
        const struct aff *i = cell[s->nprivate + d];
        int64_t lo, hi, n;
        aff_range(c->space, i, &lo, &hi);
        if (!ir_const_int(s->buffer->shape[d], &n) || (lo >= 0 && hi < n))
            continue;
        const struct form *f =
            form_and2(c->space, form_ge0(c->space, i),
                      form_lt(c->space, i, aff_const(c->space, n)));
        if (value_form_has_data(c->space, f))
            ctx = form_and2(c->space, ctx, f);
    }
    return ctx;
}

static const struct value *eval_load(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e,
                                     const struct form *ctx)
{
    const struct vstorage *s = vprog_storage(inst->prog, e->u.buffer);
    if (s == NULL)
        return vctx_fail(c, "'%s' has no storage", e->u.buffer->name);
    const struct form *outer = inst->ctx;
    inst->ctx = ctx;
    const struct aff **cell =
        ARENA_ARRAY(c->arena, vcell_rank(s) + 1, const struct aff *);
    bool ok = vcell_of(c, inst, s, e->nargs, e->args, cell);
    inst->ctx = outer;
    if (!ok)
        return NULL;
    return vflow_read(c, s, cell, inst, inst->nsteps,
                      within_storage(c, s, cell, ctx));
}

static const struct value *eval_var(struct vctx *c, struct vinst *inst,
                                    const struct ir_expr *e,
                                    const struct form *ctx)
{
    size_t where;
    const struct vscope *s = vinst_lookup(inst, e->u.var, &where);
    if (s != NULL && s->kind == VSCOPE_LET) {
        /* a let holds for all that follows: its reads happen where it stands */
        struct vlet *let = vinst_let(c, inst, where);
        if (let->is[inst->exact].value == NULL ||
            let->is[inst->exact].value_ctx != ctx) {
            struct vinst *at = vinst_at_let(c, inst, where);
            let->is[inst->exact].value = veval_value(c, at, s->value, ctx);
            let->is[inst->exact].value_ctx = ctx;
        }
        return let->is[inst->exact].value;
    }
    for (size_t i = 0; s == NULL && i < inst->prog->nparams; i++)
        if (inst->prog->scalars[i] == e->u.var &&
            !dtype_is_int(e->u.var->dtype)) {
            struct value v = {
                .kind = VALUE_SCALAR, .dtype = e->dtype, .param = (int)i};
            return value_make(c, &v);
        }
    return eval_index_value(c, inst, e, ctx);
}

/* cond ? a : b; lazily, so that each arm is read where its condition holds. */
static const struct value *eval_choice(struct vctx *c, struct vinst *inst,
                                       const struct ir_expr *e,
                                       const struct form *ctx)
{
    const struct form *outer = inst->ctx;
    inst->ctx = ctx;
    const struct form *cond = veval_cond(c, inst, e->args[0]);
    inst->ctx = outer;
    if (cond == NULL)
        return NULL;
    if (cond->kind == FORM_TRUE || vctx_proves(c, ctx, cond, "choice"))
        return veval_value(c, inst, e->args[1], ctx);
    const struct form *not_cond = form_not(c->space, cond);
    if (vctx_proves(c, ctx, not_cond, "choice"))
        return veval_value(c, inst, e->args[2], ctx);
    const struct value *a =
        veval_value(c, inst, e->args[1], form_and2(c->space, ctx, cond));
    const struct value *b =
        a == NULL ? NULL
                  : veval_value(c, inst, e->args[2],
                                form_and2(c->space, ctx, not_cond));
    return b == NULL ? NULL : value_ite(c, cond, a, b);
}

/* A float that is a whole number from 0 to 127: in range of every integer
 * type. */
static bool is_small_whole(const struct value *a)
{
    double d = num_to_double(a->dtype, a->bits);
    return d >= 0 && d <= 127 && d == (double)(int)d;
}

static const struct value *eval_cast(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e,
                                     const struct form *ctx)
{
    const struct value *a = veval_value(c, inst, e->args[0], ctx);
    if (a == NULL || dtype_equal(a->dtype, e->dtype))
        return a;
    a = value_without_middle(c, a, e->dtype);
    if (dtype_equal(a->dtype, e->dtype))
        return a;
    if (a->kind == VALUE_CONST &&
        (dtype_is_float(e->dtype) || !dtype_is_float(a->dtype) ||
         is_small_whole(a))) {
        unsigned flags = 0;
        return value_const(c, e->dtype,
                           num_cast(a->dtype, e->dtype, a->bits, &flags));
    }
    struct value v = {.kind = VALUE_OP,
                      .dtype = e->dtype,
                      .op = IR_CAST,
                      .nargs = 1,
                      .args = &a};
    return value_make(c, &v);
}

static bool pure_call(const struct ir_expr *e)
{
    if (e->u.call.op == IR_OP_UNKNOWN || e->u.call.op == IR_OP_GLOBAL)
        return false;
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    return (info->flags & IR_OPF_PURE) != 0 &&
           (info->flags & (IR_OPF_MEMORY | IR_OPF_SYNC | IR_OPF_HOST)) == 0;
}

static const struct value *eval_op(struct vctx *c, struct vinst *inst,
                                   const struct ir_expr *e,
                                   const struct form *ctx)
{
    const struct value **args =
        ARENA_ARRAY(c->arena, e->nargs + 1, const struct value *);
    uint64_t strings = 0;
    for (uint32_t i = 0; i < e->nargs; i++) {
        if (e->args[i]->kind == IR_STRING_IMM) {
            const char *text = e->args[i]->u.string.text;
            for (size_t k = 0; text[k] != '\0'; k++)
                strings = hash_mix(strings, (uint64_t)(unsigned char)text[k]);
            args[i] = value_const(c, DTYPE_INT64, strings);
            continue;
        }
        args[i] = veval_value(c, inst, e->args[i], ctx);
        if (args[i] == NULL)
            return NULL;
    }
    const struct value *part = value_part_of(c, e, args);
    if (part != NULL)
        return part;
    struct value v = {.kind = VALUE_OP,
                      .dtype = e->dtype,
                      .op = e->kind,
                      .nargs = e->nargs,
                      .args = args};
    if (e->kind == IR_CALL) {
        v.call = e->u.call.op;
        v.name = ir_op_info(e->u.call.op)->name;
    }
    return value_make(c, &v);
}

static const struct value *eval_kind(struct vctx *c, struct vinst *inst,
                                     const struct ir_expr *e,
                                     const struct form *ctx)
{
    unsigned flags = 0;
    switch (e->kind) {
    case IR_INT_IMM:
        return value_const(c, e->dtype,
                           num_from_int(e->dtype, e->u.int_value, &flags));
    case IR_FLOAT_IMM:
        return value_const(c, e->dtype,
                           num_from_double(e->dtype, e->u.float_value, &flags));
    case IR_VAR_REF: return eval_var(c, inst, e, ctx);
    case IR_LOAD: return eval_load(c, inst, e, ctx);
    case IR_LET:
        return veval_value(c, vinst_with_let(c, inst, e), e->args[1], ctx);
    case IR_CAST:
        if (vexpr_is_index(c, inst, e))
            return eval_index_value(c, inst, e, ctx);
        return eval_cast(c, inst, e, ctx);
    case IR_SELECT: return eval_choice(c, inst, e, ctx);
    case IR_CALL:
        if (e->u.call.op == IR_OP_LIKELY)
            return veval_value(c, inst, e->args[0], ctx);
        if (e->u.call.op == IR_OP_IF_THEN_ELSE)
            return eval_choice(c, inst, e, ctx);
        if (!OBLIGED(c->smt, "a call is a function of its operands",
                     pure_call(e)))
            return vctx_fail(c, "operator '%s' has no specification here",
                             e->u.call.name);
        return eval_op(c, inst, e, ctx);
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
    case IR_RAMP:
    case IR_BROADCAST:
    case IR_SHUFFLE:
        return vctx_fail(c, "%s as a value", ir_expr_kind_name(e->kind));
    default:
        if (!dtype_is_float(e->dtype) && vexpr_is_index(c, inst, e))
            return eval_index_value(c, inst, e, ctx);
        return eval_op(c, inst, e, ctx);
    }
}

const struct value *veval_value(struct vctx *c, struct vinst *inst,
                                const struct ir_expr *e, const struct form *ctx)
{
    const struct value *v = vctx_enter(c) ? eval_kind(c, inst, e, ctx) : NULL;
    vctx_leave(c);
    return v;
}
