/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of the evaluator: operands from left to right, all of them but
 * those of if_then_else (R8).
 */
#include "fuzz/ints/ints_machine.h"

#include <string.h>

bool ints_stop_run(struct ints_machine *m, enum ints_stop stop, const char *why)
{
    if (m->stop == INTS_GOES) {
        m->stop = stop;
        m->why = why;
    }
    return false;
}

static inline struct dtype one_lane(struct dtype t)
{
    t.lanes = 1;
    return t;
}

static struct ints_cell nothing(void)
{
    struct ints_cell c = {0, INTS_UNDEF};
    return c;
}

/* What an operation gives, with its rounding noted. */
static struct ints_cell noted(struct ints_machine *m, struct ints_cell c)
{
    m->rounded = m->rounded || (c.flags & INTS_ROUND) != 0;
    c.flags &= ~(unsigned)INTS_ROUND;
    return c;
}

static struct ints_cell stuck(struct ints_machine *m, const char *why)
{
    (void)ints_stop_run(m, INTS_STUCK, why);
    return nothing();
}

/* ---- uses ------------------------------------------------------------------ */

static bool usable(struct ints_machine *m, struct ints_cell c)
{
    if (m->stop != INTS_GOES)
        return false;
    if (c.flags & INTS_UNDEF)
        return ints_stop_run(m, INTS_FAULTS,
                             "an undefined address or condition");
    if (c.flags & INTS_OVER)
        return ints_stop_run(m, INTS_FAULTS,
                             "an overflow reaches an address or a condition");
    return true;
}

bool ints_eval_index(struct ints_machine *m, const struct ir_expr *e,
                     int64_t *out)
{
    struct ints_cell c = ints_eval(m, e);
    *out = (int64_t)c.bits;
    if (!usable(m, c))
        return false;
    /* beyond what any storage holds; of an extent nobody runs so far */
    if (e->dtype.code == DT_UINT && *out < 0)
        *out = INT64_MAX;
    return true;
}

bool ints_eval_cond(struct ints_machine *m, const struct ir_expr *e, bool *out)
{
    struct ints_cell c = ints_eval(m, e);
    *out = c.bits != 0;
    return usable(m, c);
}

/* ---- kinds ----------------------------------------------------------------- */

static struct ints_cell literal(struct ints_machine *m, const struct ir_expr *e)
{
    struct ints_cell c = {0, 0};
    if (e->kind == IR_FLOAT_IMM)
        return ints_of_double(e->dtype, e->u.float_value);
    c.bits = (uint64_t)e->u.int_value;
    if (ints_wrap(one_lane(e->dtype), c.bits) != c.bits)
        return stuck(m, "a literal that does not fit its type");
    return c;
}

static struct ints_cell binary(struct ints_machine *m, const struct ir_expr *e)
{
    struct ints_cell a = ints_eval(m, e->args[0]);
    struct ints_cell b = ints_eval(m, e->args[1]);
    enum ints_stop stop = INTS_GOES;
    if (m->stop != INTS_GOES)
        return nothing();
    struct dtype t = one_lane(e->args[0]->dtype);
    a = ints_binary(e->kind, t, a, b, &stop);
    if (stop != INTS_GOES)
        (void)ints_stop_run(m, stop,
                            stop == INTS_FAULTS ? "a division" : "an operator");
    return noted(m, a);
}

static struct ints_cell choose(struct ints_machine *m, const struct ir_expr *e)
{
    struct ints_cell c = ints_eval(m, e->args[0]);
    struct ints_cell a = ints_eval(m, e->args[1]);
    struct ints_cell b = ints_eval(m, e->args[2]);
    if (m->stop != INTS_GOES)
        return nothing();
    if (((c.flags & INTS_UNDEF) && m->lenient) || !usable(m, c))
        return nothing();
    return c.bits != 0 ? a : b;
}

static struct ints_cell load(struct ints_machine *m, const struct ir_expr *e)
{
    int64_t index[INTS_MAX_RANK];
    if (e->nargs > INTS_MAX_RANK || e->predicate != NULL)
        return stuck(m, "a load of another kind");
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!ints_eval_index(m, e->args[i], &index[i]))
            return nothing();
    return ints_load(m, e->u.buffer, e->nargs, index);
}

static struct ints_cell unary_call(struct ints_machine *m,
                                   const struct ir_expr *e)
{
    enum ints_stop stop = INTS_GOES;
    if (e->nargs != 1)
        return stuck(m, "a call");
    struct ints_cell c = ints_eval(m, e->args[0]);
    c = ints_unary_call(e->u.call.op, one_lane(e->args[0]->dtype), c, &stop);
    return stop == INTS_GOES ? noted(m, c) : stuck(m, "a call");
}

static struct ints_cell call(struct ints_machine *m, const struct ir_expr *e)
{
    bool said;
    switch ((int)e->u.call.op) {
    case IR_OP_IF_THEN_ELSE:
        if (!ints_eval_cond(m, e->args[0], &said))
            return nothing();
        return ints_eval(m, e->args[said ? 1 : 2]);
    case IR_OP_LIKELY: return ints_eval(m, e->args[0]);
    case IR_OP_REINTERPRET: {
        struct ints_cell c = ints_eval(m, e->args[0]);
        c.bits = ints_wrap(one_lane(e->dtype),
                           e->dtype.bits < 64
                               ? c.bits & ((UINT64_C(1) << e->dtype.bits) - 1)
                               : c.bits);
        return c;
    }
    default: return unary_call(m, e);
    }
}

static struct ints_cell let(struct ints_machine *m, const struct ir_expr *e)
{
    struct ints_cell *var = &m->vars[e->u.var->id];
    struct ints_cell saved = *var, value = ints_eval(m, e->args[0]);
    *var = value;
    value = ints_eval(m, e->args[1]);
    *var = saved;
    return value;
}

static struct ints_cell unary(struct ints_machine *m, const struct ir_expr *e)
{
    struct ints_cell a = ints_eval(m, e->args[0]);
    if (a.flags & INTS_UNDEF)
        return a;
    if (e->kind == IR_CAST)
        return noted(
            m, ints_cast(one_lane(e->args[0]->dtype), one_lane(e->dtype), a));
    a.bits = e->kind == IR_NOT ? a.bits == 0
                               : ints_wrap(one_lane(e->dtype), ~a.bits);
    return a;
}

/* base + lane * stride */
static struct ints_cell ramp(struct ints_machine *m, const struct ir_expr *e)
{
    struct ints_cell base = ints_eval(m, e->args[0]);
    struct ints_cell by = ints_eval(m, e->args[1]);
    struct dtype t = one_lane(e->dtype);
    enum ints_stop stop = INTS_GOES;
    by = ints_binary(IR_MUL, t, by, (struct ints_cell){m->lane, 0}, &stop);
    return ints_binary(IR_ADD, t, base, by, &stop);
}

struct ints_cell ints_eval(struct ints_machine *m, const struct ir_expr *e)
{
    if (m->stop != INTS_GOES)
        return nothing();
    if (++m->steps > m->limit)
        return stuck(m, "too many steps");
    if (!ints_is_type(one_lane(e->dtype)))
        return stuck(m, "a type");
    switch (e->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM: return literal(m, e);
    case IR_VAR_REF: return m->vars[e->u.var->id];
    case IR_LOAD: return load(m, e);
    case IR_SELECT: return choose(m, e);
    case IR_CALL: return call(m, e);
    case IR_LET: return let(m, e);
    case IR_CAST:
    case IR_NOT:
    case IR_BITNOT: return unary(m, e);
    case IR_BINARY_KINDS: return binary(m, e);
    case IR_RAMP: return ramp(m, e);
    case IR_BROADCAST: return ints_eval(m, e->args[0]);
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
    case IR_SHUFFLE:
    case IR_NKINDS: break;
    }
    return stuck(m, "an expression");
}
