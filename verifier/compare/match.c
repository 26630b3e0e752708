/* SPDX-License-Identifier: Apache-2.0
 *
 * Equality of values in normal form.
 *
 * Choices are decided by the context or taken apart; operations are compared
 * operand by operand, commutative ones both ways round; folds by a bijection
 * between their terms (fold_match.c). A failure says nothing: the caller gives
 * `unknown`, never `different`.
 */
#include "verifier/compare/match.h"

#include "verifier/compare/bits.h"
#include "verifier/smt/obligation.h"

#define MAX_WORK  20000
#define MAX_DEPTH 400

static bool compare(struct match *m, const struct value *p,
                    const struct value *q, const struct form *ctx);

static bool fail(struct match *m, const struct value *p, const struct value *q)
{
    if (m->why != NULL && m->why_depth >= m->depth)
        return false;
    struct buf text = {0};
    buf_puts(&text, "the untuned side has ");
    value_print(m->c, p, &text);
    buf_puts(&text, " where the tuned side has ");
    value_print(m->c, q, &text);
    if (text.len > 600) {
        text.len = 600;
        text.data[600] = '\0';
        buf_puts(&text, " ...");
    }
    m->why = arena_strdup(m->c->arena, buf_text(&text));
    m->why_depth = m->depth;
    buf_fini(&text);
    return false;
}

const struct aff *vinput_linear(struct vctx *c, const struct value *v)
{
    const struct aff *sum = aff_const(c->space, 0);
    if (c->params == NULL)
        return NULL;
    const struct vparam *param = &c->params[v->param];
    if (param->rank[v->bits] != v->nindex)
        return NULL;
    for (size_t i = 0; i < v->nindex; i++) {
        if (i > 0)
            sum = aff_mul(c->space, sum, param->shape[v->bits][i]);
        sum = aff_add(c->space, sum, v->index[i]);
    }
    return sum;
}

bool vinput_alike(const struct value *p, const struct value *q)
{
    return p->nindex == q->nindex && p->bits == q->bits;
}

static bool same_place(struct match *m, const struct value *p,
                       const struct value *q, const struct form *ctx)
{
    struct vctx *c = m->c;
    const struct form *eq = form_true(c->space);
    if (!OBLIGED(c->smt, "same parameter", p->param == q->param))
        return false;
    if (!OBLIGED(c->smt, "indices are of one shape", vinput_alike(p, q))) {
        const struct aff *a = vinput_linear(c, p), *b = vinput_linear(c, q);
        if (a == NULL || b == NULL)
            return false;
        eq = form_eq(c->space, a, b);
    } else {
        for (size_t i = 0; i < p->nindex; i++)
            eq = form_and2(c->space, eq,
                           form_eq(c->space, p->index[i], q->index[i]));
    }
    return vctx_proves(c, ctx, eq, "same element read");
}

static bool same_args(struct match *m, const struct value *p,
                      const struct value *q, const struct form *ctx, bool cross)
{
    for (size_t i = 0; i < p->nargs; i++)
        if (!compare(m, p->args[i], q->args[cross ? 1 - i : i], ctx))
            return false;
    return true;
}

static bool commutes(const struct match *m, const struct value *v)
{
    if (v->nargs != 2)
        return false;
    switch (v->op) {
    case IR_ADD:
    case IR_MUL:
    case IR_EQ:
    case IR_NE:
    case IR_AND:
    case IR_OR:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return true;
    case IR_MIN:
    case IR_MAX:
        return OBLIGED(m->c->smt, "minima keep their operands' order",
                       !dtype_is_float(v->dtype) || m->mode == MATCH_ORDER);
    default: return OBLIGED(m->c->smt, "the operator commutes", false);
    }
}

/* A choice on one side: decided by the context, or both arms. */
static bool compare_choice(struct match *m, const struct value *ite,
                           const struct value *other, const struct form *ctx,
                           bool on_p)
{
    struct vctx *c = m->c;
    const struct form *no = form_not(c->space, ite->cond);
    bool yes_only = vctx_proves(c, ctx, ite->cond, "choice decided");
    bool no_only = !yes_only && vctx_proves(c, ctx, no, "choice decided");
    for (size_t arm = 0; arm < 2; arm++) {
        if ((arm == 0 && no_only) || (arm == 1 && yes_only))
            continue;
        const struct form *here =
            yes_only || no_only
                ? ctx
                : form_and2(c->space, ctx, arm == 0 ? ite->cond : no);
        const struct value *v = ite->args[arm];
        if (!compare(m, on_p ? v : other, on_p ? other : v, here))
            return false;
    }
    return true;
}

/* Conversions of one integer of indices, held in different integer types. */
static bool same_index_cast(struct match *m, const struct value *p,
                            const struct value *q, const struct form *ctx)
{
    if (p->op != IR_CAST || q->op != IR_CAST || p->nargs != 1 ||
        q->nargs != 1 || p->args[0]->kind != VALUE_INDEX ||
        q->args[0]->kind != VALUE_INDEX)
        return false;
    return vctx_proves(
        m->c, ctx,
        form_eq(m->c->space, p->args[0]->index[0], q->args[0]->index[0]),
        "same integer");
}

static bool plain_ops(struct match *m, const struct value *p,
                      const struct value *q, const struct form *ctx)
{
    if (p->kind != VALUE_OP || q->kind != VALUE_OP || p->nargs != q->nargs ||
        !OBLIGED(m->c->smt, "same operator", p->op == q->op) ||
        !OBLIGED(m->c->smt, "same function called", p->call == q->call))
        return false;
    if (same_index_cast(m, p, q, ctx) || same_args(m, p, q, ctx, false))
        return true;
    if (!commutes(m, p) || !same_args(m, p, q, ctx, true))
        return false;
    if (dtype_is_float(p->dtype) && (p->op == IR_MIN || p->op == IR_MAX))
        m->used_non_nan = true;
    return true;
}

/* Folds in the order of their terms: initial values and terms answer to each
 * other. */
static bool ordered_folds(struct match *m, struct fold *p, struct fold *q,
                          const struct form *ctx)
{
    fold_drop_zeros(m, p);
    fold_drop_zeros(m, q);
    if (p->init != NULL && q->init != NULL &&
        (p->init->kind == VALUE_CONST) != (q->init->kind == VALUE_CONST)) {
        fold_begin_at_unit(m, p, ctx);
        fold_begin_at_unit(m, q, ctx);
    }
    return OBLIGED(m->c->smt, "same initial value",
                   compare(m, p->init, q->init, ctx)) &&
           match_folds(m, p, q, ctx);
}

static bool compare_folds(struct match *m, const struct value *p,
                          const struct value *q, enum ir_expr_kind op,
                          const struct form *ctx)
{
    struct fold fp, fq;
    bool exact = fold_exact(m, op, p->dtype);
    if (!fold_of(m, p, op, &fp) && !exact && m->mode != MATCH_ORDER)
        return false;
    if (!fold_of(m, q, op, &fq) && !exact && m->mode != MATCH_ORDER)
        return false;
    if (fold_op(p) != op)
        fp.init = p;
    if (fold_op(q) != op)
        fq.init = q;
    if (!exact && m->mode != MATCH_ORDER)
        return ordered_folds(m, &fp, &fq, ctx);
    if (!fold_flatten(m, &fp, &fq, ctx))
        return false;
    if (dtype_is_float(p->dtype) && (op == IR_MIN || op == IR_MAX))
        m->used_non_nan = true;
    return match_folds(m, &fp, &fq, ctx) ||
           (OBLIGED(m->c->smt, "terms may be repeated", fold_idempotent(op)) &&
            match_sets(m, &fp, &fq, ctx));
}

static bool compare_nodes(struct match *m, const struct value *p,
                          const struct value *q, const struct form *ctx)
{
    if (p->kind == VALUE_ITE && q->kind == VALUE_ITE && p->cond == q->cond) {
        const struct form *no = form_not(m->c->space, p->cond);
        return compare(m, p->args[0], q->args[0],
                       form_and2(m->c->space, ctx, p->cond)) &&
               compare(m, p->args[1], q->args[1],
                       form_and2(m->c->space, ctx, no));
    }
    enum ir_expr_kind op = fold_op(q);
    if (op == IR_NKINDS)
        op = fold_op(p);
    bool choice = p->kind == VALUE_ITE || q->kind == VALUE_ITE;
    if (op != IR_NKINDS && !choice) {
        if (plain_ops(m, p, q, ctx))
            return true;
        return compare_folds(m, p, q, op, ctx);
    }
    if (p->kind == VALUE_ITE && q->kind == VALUE_ITE)
        ctx = match_same_data(m, p->cond, q->cond, ctx);
    if (p->kind == VALUE_ITE)
        return compare_choice(m, p, q, ctx, true);
    if (q->kind == VALUE_ITE)
        return compare_choice(m, q, p, ctx, false);
    if (p->kind != q->kind)
        return false;
    switch (p->kind) {
    case VALUE_CONST:
        return OBLIGED(m->c->smt, "same constant", p->bits == q->bits);
    case VALUE_INPUT: return same_place(m, p, q, ctx);
    case VALUE_INDEX:
        return vctx_proves(m->c, ctx,
                           form_eq(m->c->space, p->index[0], q->index[0]),
                           "same integer");
    case VALUE_SCALAR:
        return OBLIGED(m->c->smt, "same parameter", p->param == q->param);
    case VALUE_OP: return plain_ops(m, p, q, ctx);
    case VALUE_HOLE: return p->param == q->param;
    case VALUE_TUPLE:
        return p->nargs == q->nargs && same_args(m, p, q, ctx, false);
    case VALUE_FOLD: return match_steps(m, p, q, ctx);
    default: return false;
    }
}

static bool compare(struct match *m, const struct value *p,
                    const struct value *q, const struct form *ctx)
{
    if (p == q)
        return !value_has_undef(p);
    if (m->depth > MAX_DEPTH || ++m->work > MAX_WORK) {
        m->why = "the comparison is too large";
        return false;
    }
    if (!OBLIGED(m->c->smt, "same type", dtype_equal(p->dtype, q->dtype)))
        return fail(m, p, q);
    m->depth++;
    bool ok =
        compare_nodes(m, fold_through_cast(m, p), fold_through_cast(m, q), ctx);
    if (!ok)
        (void)fail(m, p, q);
    m->depth--;
    return ok;
}

bool match_values(struct match *m, const struct value *p, const struct value *q,
                  const struct form *ctx)
{
    if (compare(m, p, q, ctx))
        return true;
    return !m->without_bits && !m->in_order && m->work < MAX_WORK &&
           bits_equal(m, p, q, ctx);
}

static bool is_same(struct vctx *c, const struct value *p,
                    const struct value *q, const struct form *ctx)
{
    struct match m = {.c = c, .mode = MATCH_IDENTICAL};
    return match_values(&m, p, q, ctx);
}

void match_serve(struct vctx *c)
{
    c->same = is_same;
}
