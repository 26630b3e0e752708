/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of the source as scalars over the program's variables and
 * canonical buffers. A vector is asked for lane by lane: the lane is an
 * expression too (usually the variable of a loop over lanes), so that a ramp
 * becomes base + lane * stride.
 */
#include "ir/base/limits.h"
#include "verifier/front/front.h"

#include <string.h>

/* Nodes of one translated expression, unfolded. */
#define MAX_SIZE (1u << 20)

static struct ir_expr *refused(struct front *f, const struct ir_expr *e,
                               const char *what)
{
    front_refuse(f, e->pos.line + e->pos.col > 0 ? e->pos : f->stmt->pos, "%s",
                 what);
    return dtype_is_float(e->dtype)
               ? ir_float(f->m, dtype_scalar(e->dtype), 0.0)
               : fx_int(f, e->dtype, 0);
}

/* An operand at a lane of the result: a scalar stands for all of them. */
static struct ir_expr *operand(struct front *f, struct ir_expr *e,
                               struct ir_expr *lane)
{
    return front_expr(f, e, e->dtype.lanes > 1 ? lane : NULL);
}

struct ir_expr *front_scalar(struct front *f, struct ir_expr *e)
{
    if (e->dtype.lanes > 1 || e->dtype.scalable)
        return refused(f, e, "a vector where a scalar is expected");
    return front_expr(f, e, NULL);
}

/* ---- what is evaluated, used or not ------------------------------------------------ */

static bool may_fault(const struct front *f, const struct ir_expr *e,
                      unsigned *steps)
{
    if (fx_faults_itself(e) || ++*steps > 1000)
        return true;
    if (e->kind == IR_VAR_REF)
        return f->env[e->u.var->id].faults;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (may_fault(f, e->args[i], steps))
            return true;
    return false;
}

/* It can fault by itself: it divides, reads or calls, or a let's variable in it
 * stands for what does. */
static bool front_may_fault(const struct front *f, const struct ir_expr *e)
{
    unsigned steps = 0;
    return may_fault(f, e, &steps);
}

void front_eval_if(struct front *f, struct ir_expr *e)
{
    if (e != NULL && front_may_fault(f, e))
        front_eval(f, front_scalar(f, e));
}

void front_eval_buffer(struct front *f, const struct ir_buffer *b)
{
    for (size_t i = 0; i < b->rank; i++)
        front_eval_if(f, b->shape[i]);
    for (size_t i = 0; i < b->nstrides; i++)
        front_eval_if(f, b->strides[i]);
    front_eval_if(f, b->elem_offset);
}

/* x, and the lanes of a vector that are not among the n of `used`, which are
 * evaluated as well. */
static struct ir_expr *lanes_evaluated(struct front *f, struct ir_expr *vector,
                                       const int64_t *used, size_t n,
                                       struct ir_expr *x)
{
    if (vector->dtype.lanes > 64 && !front_failed(f))
        return refused(f, vector, "lanes of a long vector that are left out");
    for (int64_t at = vector->dtype.lanes; at-- > 0;) {
        bool found = false;
        for (size_t i = 0; i < n; i++)
            found = found || used[i] == at;
        if (!found)
            x = front_evaluated(
                f, front_expr(f, vector, fx_int(f, DTYPE_INT32, at)), x);
    }
    return x;
}

/* ---- vectors -------------------------------------------------------------------- */

static struct ir_expr *expr_ramp(struct front *f, struct ir_expr *e,
                                 struct ir_expr *lane)
{
    uint32_t inner = e->args[0]->dtype.lanes;
    struct ir_expr *outer = lane, *within = NULL;
    if (lane == NULL) { /* of one lane: its base; the stride may fault */
        front_eval_if(f, e->args[1]);
        return operand(f, e->args[0], NULL);
    }
    if (inner > 1) {
        within = fx_floormod(f, lane, fx_int(f, lane->dtype, inner));
        outer = fx_floordiv(f, lane, fx_int(f, lane->dtype, inner));
    }
    struct ir_expr *base = operand(f, e->args[0], within);
    struct ir_expr *stride = operand(f, e->args[1], within);
    outer = fx_cast(f, base->dtype, outer);
    return fx_add(f, base, fx_mul(f, outer, stride));
}

static struct ir_expr *expr_broadcast(struct front *f, struct ir_expr *e,
                                      struct ir_expr *lane)
{
    uint32_t inner = e->args[0]->dtype.lanes;
    if (inner > 1)
        lane = fx_floormod(f, lane, fx_int(f, lane->dtype, inner));
    return operand(f, e->args[0], lane);
}

/* Element `at` of the operands of a shuffle, one after the other. */
static struct ir_expr *shuffle_pick(struct front *f, struct ir_expr *e,
                                    int64_t at)
{
    for (size_t i = 0; i < e->u.nvectors; i++) {
        int64_t n = e->args[i]->dtype.lanes;
        if (at >= 0 && at < n)
            return operand(f, e->args[i], fx_int(f, DTYPE_INT32, at));
        at -= n;
    }
    return refused(f, e, "a shuffle of lanes that are not there");
}

static struct ir_expr *shuffle_lane(struct front *f, struct ir_expr *e,
                                    struct ir_expr *lane)
{
    size_t n = e->nargs - e->u.nvectors;
    struct ir_expr *const *index = e->args + e->u.nvectors;
    int64_t at = 0, known = 0;
    bool scalars = true;
    for (size_t i = 0; i < n; i++) {
        if (!ir_const_int(index[i], &at))
            return refused(f, e, "a shuffle by lanes that are not constant");
        scalars = scalars && at == (int64_t)i;
    }
    if (n == 1)
        return shuffle_pick(f, e, at);
    if (lane->kind == IR_INT_IMM) {
        known = lane->u.int_value;
        if (known < 0 || known >= (int64_t)n ||
            !ir_const_int(index[known], &at))
            return refused(f, e, "a shuffle of lanes that are not there");
        return shuffle_pick(f, e, at);
    }
    if (scalars && e->u.nvectors == 1)
        return operand(f, e->args[0], lane);
    struct ir_expr *sum = NULL;
    for (size_t i = n; i-- > 0;) {
        (void)ir_const_int(index[i], &at);
        struct ir_expr *x = shuffle_pick(f, e, at);
        sum = sum == NULL
                  ? x
                  : fx_choose(
                        f, fx_eq(f, lane, fx_int(f, lane->dtype, (int64_t)i)),
                        x, sum);
    }
    return sum;
}

static struct ir_expr *expr_shuffle(struct front *f, struct ir_expr *e,
                                    struct ir_expr *lane)
{
    struct ir_expr *x = shuffle_lane(f, e, lane);
    size_t n = e->nargs - e->u.nvectors;
    int64_t *used = ARENA_ARRAY(f->arena, n + 1, int64_t), base = 0;
    for (size_t i = 0; i < e->u.nvectors; i++) {
        struct ir_expr *v = e->args[i];
        for (size_t k = 0; k < n; k++) {
            used[k] = -1;
            if (ir_const_int(e->args[e->u.nvectors + k], &used[k]))
                used[k] -= base;
        }
        base += v->dtype.lanes;
        if (front_may_fault(f, v))
            x = v->dtype.lanes > 1 ? lanes_evaluated(f, v, used, n, x)
                                   : front_evaluated(f, operand(f, v, NULL), x);
    }
    return x;
}

/* ---- loads and names --------------------------------------------------------------- */

static struct ir_expr *expr_var(struct front *f, struct ir_expr *e,
                                struct ir_expr *lane)
{
    const struct binding *b = &f->env[e->u.var->id];
    switch (b->kind) {
    case BOUND_EXPR: return b->expr;
    case BOUND_VECTOR: {
        struct ir_expr *value = b->expr;
        return operand(f, value, lane);
    }
    case BOUND_LANES: {
        front_list(f, b->lanes);
        struct ir_expr *index[] = {lane};
        return ir_load(f->m, b->lanes->pub.buffer, 1, index, NULL);
    }
    case BOUND_POINTER: return refused(f, e, "a pointer used as a number");
    case BOUND_NOT: break;
    }
    if (front_is_symbol(f, e->u.var))
        return e;
    front_refuse(f, f->stmt != NULL ? f->stmt->pos : e->pos,
                 "variable '%s' is not defined here", e->u.var->name);
    return fx_int(f, e->dtype, 0);
}

static struct ir_expr *expr_load(struct front *f, struct ir_expr *e,
                                 struct ir_expr *lane)
{
    struct fview *v = front_view(f, e->u.buffer);
    if (v == NULL || e->nargs > DC_MAX_RANK)
        return refused(f, e, "a load that is not understood");
    struct ir_expr *index[DC_MAX_RANK], *elem = NULL, *at = lane;
    if (v->lanes > 1 && lane != NULL) {
        struct ir_expr *n = fx_int(f, lane->dtype, v->lanes);
        elem = fx_floormod(f, lane, n);
        at = fx_floordiv(f, lane, n);
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        index[i] = operand(f, e->args[i], at);
    struct faccess a;
    struct ir_expr *on =
        e->predicate != NULL ? operand(f, e->predicate, at) : NULL;
    size_t scopes = f->scopes.len;
    if (on != NULL)
        front_guard(f, on, false);
    bool ok = front_access(f, v, e->nargs, index, elem, &a);
    f->scopes.len = scopes;
    if (!ok)
        return refused(f, e, "a load that is not understood");
    struct ir_expr *load = front_load(f, &a);
    if (on == NULL)
        return load;
    load = fx_choose(f, on, load, fx_undef(f, load->dtype));
    for (uint32_t i = 0; i < e->nargs; i++) /* which it does not guard (R8) */
        if (fx_may_fault(index[i]))
            load = front_evaluated(f, index[i], load);
    return load;
}

/* ---- calls ---------------------------------------------------------------------------- */

static bool is_elementwise(struct front *f, const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    unsigned flags = ir_op_info(op)->flags;
    if (op == IR_OP_CALL_PURE_EXTERN || op == IR_OP_CALL_LLVM_PURE_INTRIN)
        return false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (dtype_is_handle(e->args[i]->dtype) ||
            e->args[i]->kind == IR_STRING_IMM ||
            (e->args[i]->dtype.lanes > 1 &&
             e->args[i]->dtype.lanes != e->dtype.lanes))
            return false;
    return OBLIGED_FRONT(f, "a call is a function of its operands",
                         (flags & IR_OPF_PURE) != 0 && op != IR_OP_UNKNOWN &&
                             op != IR_OP_GLOBAL);
}

static struct ir_expr *call_args(struct front *f, struct ir_expr *e,
                                 struct ir_expr *lane)
{
    struct ir_expr *few[8], **args = few;
    if (e->nargs > DC_ARRAY_LEN(few))
        args = ARENA_ARRAY(f->arena, e->nargs, struct ir_expr *);
    for (uint32_t i = 0; i < e->nargs; i++)
        args[i] = e->args[i]->kind == IR_STRING_IMM
                      ? e->args[i]
                      : operand(f, e->args[i], lane);
    return fx_rebuild(f, e, dtype_scalar(e->dtype), e->nargs, args);
}

/* What an arm asserts of its accesses holds where the arm is taken. */
static struct ir_expr *lazy_choice(struct front *f, struct ir_expr *e,
                                   struct ir_expr *lane)
{
    struct ir_expr *args[3];
    size_t scopes = f->scopes.len;
    args[0] = operand(f, e->args[0], lane);
    for (uint32_t i = 1; i < 3; i++) {
        front_guard(f, args[0], i == 2);
        args[i] = operand(f, e->args[i], lane);
        f->scopes.len = scopes;
    }
    return fx_rebuild(f, e, dtype_scalar(e->dtype), 3, args);
}

/* A value that a call gives in the reference by name only: a pure function of
 * numbers, element by element. */
static bool is_named_function(const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    if ((op != IR_OP_CALL_PURE_EXTERN && op != IR_OP_CALL_LLVM_PURE_INTRIN) ||
        e->nargs < 2 || e->args[0]->kind != IR_STRING_IMM)
        return false;
    for (uint32_t i = 1; i < e->nargs; i++)
        if (dtype_is_handle(e->args[i]->dtype) ||
            e->args[i]->kind == IR_STRING_IMM ||
            (e->args[i]->dtype.lanes != e->dtype.lanes &&
             e->args[i]->kind != IR_INT_IMM))
            return false;
    return e->dtype.lanes == 1 ||
           strncmp(e->args[0]->u.string.text, "llvm.", 5) != 0;
}

/* The operator that a C or LLVM function is: "expf" and "llvm.exp.f32" are exp.
 * C's round is not the operator of that name. */
static struct ir_expr *named_operator(struct front *f, struct ir_expr *e,
                                      struct ir_expr *lane)
{
    const char *text = e->args[0]->u.string.text;
    bool llvm = strncmp(text, "llvm.", 5) == 0;
    char name[32] = {0};
    size_t n = llvm ? strcspn(text + 5, ".") : strlen(text);
    if (!llvm && n > 1 && text[n - 1] == 'f' && strcmp(text, "erf") != 0)
        n--;
    if (n >= sizeof name)
        return NULL;
    memcpy(name, llvm ? text + 5 : text, n);
    const struct ir_op_info *info = ir_op_info(ir_op_find(name));
    uint32_t first = 1;
    if (llvm && e->nargs == (uint32_t)info->min_args + 2)
        first = 2; /* the number of operands comes first */
    if ((info->flags & IR_OPF_MATH) == 0 ||
        !OBLIGED_FRONT(f, "a function is the operator of its name",
                       strcmp(name, "round") != 0) ||
        e->nargs != (uint32_t)info->min_args + first)
        return NULL;
    struct ir_expr *args[4];
    for (uint32_t i = first; i < e->nargs && i - first < 4; i++) {
        if (!dtype_equal(e->args[i]->dtype, e->dtype))
            return NULL;
        args[i - first] = operand(f, e->args[i], lane);
    }
    return ir_call(f->m, dtype_scalar(e->dtype), name, e->nargs - first, args);
}

static struct ir_expr *lane_mask(struct front *f, struct ir_expr *e,
                                 struct ir_expr *lane)
{
    struct ir_expr *base = front_scalar(f, e->args[0]);
    struct ir_expr *limit = front_scalar(f, e->args[1]);
    return fx_lt(f, fx_add(f, base, fx_cast(f, base->dtype, lane)), limit);
}

static struct ir_expr *lanes_part(struct front *f, struct ir_expr *e,
                                  struct ir_expr *lane)
{
    int64_t half = e->args[0]->dtype.lanes;
    if (lane == NULL)
        lane = fx_int(f, DTYPE_INT32, 0);
    if (e->u.call.op != IR_OP_VECTORCOMBINE) {
        bool high = e->u.call.op == IR_OP_VECTORHIGH;
        struct ir_expr *to = fx_add(f, lane, fx_int(f, lane->dtype, half / 2));
        struct ir_expr *x = operand(f, e->args[0], high ? to : lane);
        return front_may_fault(f, e->args[0])
                   ? front_evaluated(
                         f, operand(f, e->args[0], high ? lane : to), x)
                   : x;
    }
    struct ir_expr *n = fx_int(f, lane->dtype, half);
    return fx_choose(f, fx_lt(f, lane, n), operand(f, e->args[0], lane),
                     operand(f, e->args[1], fx_sub(f, lane, n)));
}

static struct ir_expr *expr_call(struct front *f, struct ir_expr *e,
                                 struct ir_expr *lane)
{
    enum ir_op op = e->u.call.op;
    if (e->u.call.attrs != NULL) /* nothing says what they mean */
        return refused(f, e, "an operator with attributes");
    if (!ir_op_takes(op, e->nargs))
        return refused(f, e, "an operator with the wrong number of operands");
    if (op == IR_OP_LIKELY || op == IR_OP_IGNORE_LOOP_PARTITION ||
        op == IR_OP_THREAD_INVARIANT)
        return operand(f, e->args[0], lane);
    for (size_t i = 0; vspecs[i] != NULL; i++) {
        struct ir_expr *x =
            vspecs[i]->value != NULL ? vspecs[i]->value(f, e, lane) : NULL;
        if (x != NULL)
            return x;
    }
    if (op == IR_OP_UNDEF)
        return fx_undef(f, e->dtype);
    if (op == IR_OP_IF_THEN_ELSE)
        return lazy_choice(f, e, lane);
    if (op == IR_OP_GET_ACTIVE_LANE_MASK && lane != NULL)
        return lane_mask(f, e, lane);
    if (op == IR_OP_VECTORLOW || op == IR_OP_VECTORHIGH ||
        op == IR_OP_VECTORCOMBINE)
        return lanes_part(f, e, lane);
    struct ir_expr *known =
        is_named_function(e) ? named_operator(f, e, lane) : NULL;
    if (known != NULL)
        return known;
    if (is_elementwise(f, e) || is_named_function(e))
        return call_args(f, e, lane);
    struct buf text = {0};
    buf_printf(&text, "operator '%s'",
               (ir_op_info(op)->flags & (IR_OPF_NAMED | IR_OPF_HOST)) ==
                           IR_OPF_NAMED &&
                       ir_callee(e) != NULL
                   ? ir_callee(e)
                   : e->u.call.name);
    struct ir_expr *x = refused(f, e, buf_text(&text));
    buf_fini(&text);
    return x;
}

/* ---- all ------------------------------------------------------------------------------------ */

/* Whether e evaluates the variable, whatever is chosen. */
static bool always_uses(const struct ir_expr *e, const struct ir_var *var)
{
    uint32_t n = e->nargs;
    if (e->kind == IR_VAR_REF)
        return e->u.var == var;
    if (e->kind == IR_CALL)
        n = e->u.call.op == IR_OP_IF_THEN_ELSE ? 1 : 0;
    if (e->kind == IR_SHUFFLE) /* lanes may be left out */
        n = 0;
    if (e->kind == IR_LET && e->u.var == var) /* another one from here on */
        n = 1;
    for (uint32_t i = 0; i < n; i++)
        if (always_uses(e->args[i], var))
            return true;
    return false;
}

/* The value stands where the variable does. Where it might not be evaluated so,
 * a let of what nobody reads evaluates it, once, used or not (R7). */
static struct ir_expr *expr_let(struct front *f, struct ir_expr *e,
                                struct ir_expr *lane)
{
    struct front_mark mark = front_mark(f);
    struct ir_var *var = e->u.var;
    struct binding b = {.kind = BOUND_EXPR,
                        .faults = front_may_fault(f, e->args[0])};
    if (dtype_is_handle(var->dtype)) {
        b.kind = BOUND_POINTER;
        (void)front_pointer(f, e->args[0], &b.pointer);
    } else if (var->dtype.lanes > 1) {
        b.kind = BOUND_VECTOR;
        b.expr = e->args[0];
    } else {
        b.expr = front_scalar(f, e->args[0]);
    }
    front_bind(f, var, b);
    struct ir_expr *x = operand(f, e->args[1], lane);
    front_reset(f, mark);
    if (!b.faults || b.kind == BOUND_POINTER)
        return x;
    bool whole = b.kind == BOUND_EXPR ||
                 (lane != NULL && e->dtype.lanes == var->dtype.lanes);
    if (!whole)
        return lanes_evaluated(f, e->args[0], NULL, 0, x);
    if (always_uses(e->args[1], var))
        return x;
    return front_evaluated(
        f, b.kind == BOUND_EXPR ? b.expr : operand(f, e->args[0], lane), x);
}

static struct ir_expr *expr_operator(struct front *f, struct ir_expr *e,
                                     struct ir_expr *lane)
{
    struct ir_expr *args[3];
    for (uint32_t i = 0; i < e->nargs && i < 3; i++)
        args[i] = operand(f, e->args[i], lane);
    if (e->nargs == 2 && dtype_is_int(args[0]->dtype) &&
        !dtype_equal(args[0]->dtype, args[1]->dtype)) {
        /* a lane or an index that the front end made wider */
        args[0] = fx_cast(f, e->args[0]->dtype, args[0]);
        args[1] = fx_cast(f, e->args[1]->dtype, args[1]);
    }
    return fx_rebuild(f, e, dtype_scalar(e->dtype), e->nargs, args);
}

static struct ir_expr *translate(struct front *f, struct ir_expr *e,
                                 struct ir_expr *lane)
{
    switch (e->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM: return e;
    case IR_STRING_IMM: return refused(f, e, "a string used as a value");
    case IR_BUFFER_REF: return refused(f, e, "a buffer used as a value");
    case IR_VAR_REF: return expr_var(f, e, lane);
    case IR_RAMP: return expr_ramp(f, e, lane);
    case IR_BROADCAST: return expr_broadcast(f, e, lane);
    case IR_SHUFFLE: return expr_shuffle(f, e, lane);
    case IR_LOAD: return expr_load(f, e, lane);
    case IR_CALL: return expr_call(f, e, lane);
    case IR_LET: return expr_let(f, e, lane);
    case IR_BINARY_KINDS:
    case IR_UNARY_KINDS:
    case IR_SELECT: return expr_operator(f, e, lane);
    case IR_NKINDS: break;
    }
    return refused(f, e, "an expression of an unknown kind");
}

struct ir_expr *front_expr(struct front *f, struct ir_expr *e,
                           struct ir_expr *lane)
{
    if (front_failed(f))
        return fx_int(f, DTYPE_INT32, 0);
    if (e->dtype.scalable)
        return refused(f, e, "a vector of scalable length");
    if (e->dtype.lanes > 1 && lane == NULL)
        return refused(f, e, "a vector where a scalar is expected");
    struct ir_expr *x = translate(f, e, lane);
    if (x->size > MAX_SIZE)
        return refused(f, e, "an expression that grows too large");
    return x;
}
