/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions as another arithmetic computes them: fused products (A1, A19), short
 * floats kept in float32 (A2), division and roots by reciprocals (A12, A13).
 */
#include "interp/replay/replay.h"

/* ---- walks over whole expressions ------------------------------------------------ */

static void map_body(struct replay *r,
                     struct ir_expr *(*root)(void *, struct ir_expr *),
                     struct ir_expr *(*expr)(void *, struct ir_expr *))
{
    struct ir_map map = {
        .m = r->m, .user = r, .before = root, .after = expr, .fresh = true};
    r->body = ir_map_stmt(&map, r->body);
}

static bool is_op(const struct ir_expr *e, enum ir_op op)
{
    return e->kind == IR_CALL && e->u.call.op == op;
}

/* A number of type t, lanes included. */
static struct ir_expr *number(struct ir_module *m, struct dtype t, double value)
{
    struct ir_expr *x = ir_float(m, dtype_scalar(t), value);
    return t.lanes > 1 ? ir_broadcast(m, x, ir_int(m, DTYPE_INT32, t.lanes))
                       : x;
}

/* ---- A1: contraction --------------------------------------------------------------- */

static struct ir_expr *negated(struct ir_module *m, struct ir_expr *e)
{
    return ir_binary(m, IR_MUL, number(m, e->dtype, -1.0), e);
}

/* product + other, or product - other, or other - product, in one rounding. */
static struct ir_expr *fused(struct replay *r, const struct ir_expr *sum,
                             bool left)
{
    struct ir_expr *product = sum->args[left ? 0 : 1];
    struct ir_expr *args[3] = {product->args[0], product->args[1],
                               sum->args[left ? 1 : 0]};
    if (sum->kind == IR_SUB && left)
        args[2] = negated(r->m, args[2]);
    else if (sum->kind == IR_SUB)
        args[0] = negated(r->m, args[0]);
    struct ir_expr *out = ir_call(r->m, sum->dtype, "tir.fma", 3, args);
    out->pos = sum->pos;
    return out;
}

bool replay_fuses(const struct num_profile *profile)
{
    unsigned all = profile->set[NUM_T_CONTRACT];
    bool some = all == NUM_CONTRACT_LEFT || all == NUM_CONTRACT_RIGHT;
    for (unsigned k = 0; k < NUM_NSUMS && all != NUM_CONTRACT_SPLIT; k++)
        some |= profile->set[num_toggle_of_sum(k)] == NUM_SUM_LEFT ||
                profile->set[num_toggle_of_sum(k)] == NUM_SUM_RIGHT;
    return some;
}

/* What is done with the next sum that has a product. */
static enum num_contract next_sum(struct replay *r)
{
    unsigned k = r->nsums++;
    unsigned own = k < NUM_NSUMS ? r->profile->set[num_toggle_of_sum(k)]
                                 : NUM_SUM_CONTRACT;
    switch ((enum num_sum)own) {
    case NUM_SUM_APART: return NUM_CONTRACT_OFF;
    case NUM_SUM_LEFT: return NUM_CONTRACT_LEFT;
    case NUM_SUM_RIGHT: return NUM_CONTRACT_RIGHT;
    case NUM_SUM_CONTRACT:
    case NUM_NSUM: break;
    }
    return (enum num_contract)r->profile->set[NUM_T_CONTRACT];
}

static struct ir_expr *contract(void *user, struct ir_expr *e)
{
    struct replay *r = user;
    if (r->profile->set[NUM_T_CONTRACT] == NUM_CONTRACT_SPLIT)
        return is_op(e, IR_OP_FMA)
                   ? ir_binary(r->m, IR_ADD,
                               ir_binary(r->m, IR_MUL, e->args[0], e->args[1]),
                               e->args[2])
                   : e;
    if ((e->kind != IR_ADD && e->kind != IR_SUB) || !dtype_is_float(e->dtype))
        return e;
    bool left = e->args[0]->kind == IR_MUL, right = e->args[1]->kind == IR_MUL;
    if (!left && !right)
        return e;
    enum num_contract how = next_sum(r);
    if (how == NUM_CONTRACT_OFF)
        return e;
    struct ir_expr *square = replay_square(r, e, how == NUM_CONTRACT_LEFT);
    return square != NULL
               ? square
               : fused(r, e, how == NUM_CONTRACT_RIGHT ? !right : left);
}

void replay_contract(struct replay *r)
{
    map_body(r, NULL, contract);
}

/* ---- A12, A13: reciprocals --------------------------------------------------------- */

static struct ir_expr *reciprocal(void *user, struct ir_expr *e)
{
    struct replay *r = user;
    struct ir_module *m = r->m;
    if (!dtype_is_float(e->dtype))
        return e;
    unsigned root = r->profile->set[NUM_T_SQRT];
    if (e->kind == IR_DIV && root == NUM_SQRT_DIVISOR &&
        is_op(e->args[1], IR_OP_SQRT)) {
        struct ir_expr *inverse =
            ir_call(m, e->dtype, "tir.rsqrt", 1, e->args[1]->args);
        return ir_binary(m, IR_MUL, e->args[0], inverse);
    }
    if (e->kind == IR_DIV &&
        r->profile->set[NUM_T_DIVIDE] == NUM_DIVIDE_RECIPROCAL) {
        struct ir_expr *one = number(m, e->dtype, 1.0);
        if (ir_expr_same(e->args[0], one))
            return e;
        return ir_binary(m, IR_MUL, e->args[0],
                         ir_binary(m, IR_DIV, one, e->args[1]));
    }
    if (!is_op(e, IR_OP_SQRT) || root == NUM_SQRT_IEEE ||
        root == NUM_SQRT_DIVISOR)
        return e;
    struct ir_expr *x = e->args[0];
    struct ir_expr *inverse = ir_call(m, e->dtype, "tir.rsqrt", 1, &x);
    if (root == NUM_SQRT_OF_RSQRT)
        return ir_binary(m, IR_DIV, number(m, e->dtype, 1.0), inverse);
    struct ir_expr *zero = number(m, e->dtype, 0.0);
    return ir_select(m, ir_binary(m, IR_EQ, x, zero), x,
                     ir_binary(m, IR_MUL, x, inverse));
}

void replay_divide(struct replay *r)
{
    map_body(r, NULL, reciprocal);
}

/* ---- A2: short floats in a wider type --------------------------------------------------- */

struct widen {
    struct replay *r;
    struct dtype to; /* scalar: the wider type */
    bool each;       /* rounded after each operation */
    bool own;        /* one type alone, not rounded but where it is stored */
};

static struct widen widen_of(struct replay *r, struct dtype to)
{
    unsigned half = r->profile->set[NUM_T_HALF];
    return (struct widen){r, to, half == NUM_HALF_EACH,
                          half == NUM_HALF_BFLOAT || half == NUM_HALF_FLOAT8};
}

static struct dtype wide_type(const struct widen *w, struct dtype t)
{
    return dtype_with_lanes(w->to, t.lanes);
}

bool replay_kept_type(const struct replay *r, struct dtype t)
{
    return r->profile->set[NUM_T_HALF] == NUM_HALF_BFLOAT
               ? t.code == DT_BFLOAT
               : dtype_is_float(t) && t.bits == 8;
}

static bool is_short(const struct widen *w, struct dtype t)
{
    return dtype_is_float(t) && t.bits < w->to.bits && !t.scalable &&
           (!w->own || replay_kept_type(w->r, t));
}

/* Operations that are computed in the wider type. */
static bool is_operation(const struct widen *w, const struct ir_expr *e)
{
    if (!is_short(w, e->dtype))
        return false;
    if (e->kind >= IR_ADD && e->kind <= IR_MAX)
        return true;
    return e->kind == IR_CALL &&
           (ir_op_info(e->u.call.op)->flags & IR_OPF_MATH) != 0;
}

/* Functions hand over a value of their type, but for roots and fma, which are
 * operations. */
static bool is_function(const struct ir_expr *e)
{
    return e->kind == IR_CALL && !is_op(e, IR_OP_FMA) && !is_op(e, IR_OP_SQRT);
}

/* Choices and vectors of values: what is kept wide passes through. */
static bool passes_through(const struct widen *w, const struct ir_expr *e)
{
    return is_short(w, e->dtype) &&
           (e->kind == IR_SELECT || e->kind == IR_BROADCAST ||
            e->kind == IR_SHUFFLE || is_op(e, IR_OP_IF_THEN_ELSE));
}

/* The conversion that reading a kept accumulator is written as. */
static bool reads_kept(const struct widen *w, const struct ir_expr *e)
{
    if (e->kind != IR_CAST || e->args[0]->kind != IR_LOAD)
        return false;
    const struct ir_buffer *b = e->args[0]->u.buffer;
    for (size_t i = 0; i < w->r->nkept; i++)
        if (w->r->kept[i] == b)
            return b->dtype.bits == w->to.bits;
    return false;
}

static struct ir_expr *wide(const struct widen *w, struct ir_expr *e);
static struct ir_expr *narrow(const struct widen *w, struct ir_expr *e);

/* A conversion to the short type that is one to the wider type. */
static struct ir_expr *cast_wide(const struct widen *w, struct ir_expr *e)
{
    struct ir_expr *x = e->args[0];
    x = is_short(w, x->dtype) ? wide(w, x) : narrow(w, x);
    return dtype_equal(x->dtype, wide_type(w, e->dtype))
               ? x
               : ir_cast(w->r->m, wide_type(w, e->dtype), x);
}

/* e with all operands rewritten: short ones wide if `widen`. */
static struct ir_expr *with_operands(const struct widen *w, struct ir_expr *e,
                                     bool widen)
{
    struct ir_module *m = w->r->m;
    struct ir_expr *few[4], **args = few;
    bool changed = false;
    if (e->nargs > DC_ARRAY_LEN(few))
        args = ARENA_ARRAY(m->arena, e->nargs, struct ir_expr *);
    for (uint32_t i = 0; i < e->nargs; i++) {
        struct ir_expr *x = e->args[i];
        args[i] = widen && is_short(w, x->dtype) ? wide(w, x) : narrow(w, x);
        changed |= args[i] != x;
    }
    if (!changed)
        return e;
    if (!widen || e->kind != IR_CALL)
        return ir_rebuild(m, e, args, e->predicate);
    struct ir_expr *copy =
        ir_call(m, wide_type(w, e->dtype), e->u.call.name, e->nargs, args);
    copy->u.call.attrs = e->u.call.attrs;
    copy->pos = e->pos;
    return copy;
}

/* The value of a short float in the wider type, what rounding it would lose
 * kept. */
static struct ir_expr *wide(const struct widen *w, struct ir_expr *e)
{
    if (reads_kept(w, e))
        return e->args[0];
    if (passes_through(w, e) ||
        (is_operation(w, e) && !w->each && (w->own || !is_function(e))))
        return with_operands(w, e, true);
    if (w->own && e->kind == IR_CAST)
        return cast_wide(w, e);
    if (e->kind == IR_LET && is_short(w, e->dtype))
        return ir_let(w->r->m, e->u.var, narrow(w, e->args[0]),
                      wide(w, e->args[1]));
    return ir_cast(w->r->m, wide_type(w, e->dtype), narrow(w, e));
}

/* e in its own type. */
static struct ir_expr *narrow(const struct widen *w, struct ir_expr *e)
{
    struct ir_module *m = w->r->m;
    if (e->nargs == 0)
        return e;
    if (is_operation(w, e) || (passes_through(w, e) && !w->each))
        return ir_cast(m, e->dtype, with_operands(w, e, true));
    if (e->kind >= IR_EQ && e->kind <= IR_GE && is_short(w, e->args[0]->dtype))
        return with_operands(w, e, true);
    if (e->kind == IR_CAST && is_short(w, e->args[0]->dtype)) {
        struct ir_expr *x = wide(w, e->args[0]);
        return dtype_equal(x->dtype, e->dtype) ? x : ir_cast(m, e->dtype, x);
    }
    return with_operands(w, e, false);
}

static struct ir_expr *half_root(void *user, struct ir_expr *e)
{
    struct replay *r = user;
    struct widen w = widen_of(r, DTYPE_FLOAT32);
    return narrow(&w, e);
}

void replay_half(struct replay *r)
{
    map_body(r, half_root, NULL);
}

struct ir_expr *replay_wide(struct replay *r, struct dtype to,
                            struct ir_expr *e)
{
    struct widen w = widen_of(r, to);
    w.each = false;
    return is_short(&w, e->dtype) ? wide(&w, e)
                                  : ir_cast(r->m, wide_type(&w, e->dtype), e);
}
