/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators of scripts: type promotion and constant folding.
 *
 * A script means what TVM's Python operators build, and those bring both
 * operands to one type and fold constants: `n * 1` is n, `T.int64(4) * 2` is
 * T.int64(8). The rules here were taken from TVM 0.27 by measurement
 * (tests/ir/readers/test_read_tvmscript.c): + - * // % and min max of two constants;
 * units and zeros of + - * / // %; min and max of one variable with itself;
 * float32 and float64 constants but no shorter ones. Comparisons and logical
 * operators fold nothing.
 *
 * Promotion: a scalar meets a vector by Broadcast; of two floats or two
 * integers of one sign the wider wins; an integer meets a float as that float;
 * of mixed signs the wider, of equal width the unsigned.
 */
#include "ir/readers/tvmscript/script.h"

/* ---- casts and constants ------------------------------------------------ */

struct ir_expr *script_const(struct script *s, struct dtype t, double value)
{
    if (dtype_is_float(t))
        return ir_float(s->m, t, value);
    return ir_int(s->m, t, (int64_t)value);
}

/* An integer constant in another scalar type, or NULL when it is no number
 * there. */
static struct ir_expr *cast_int_imm(struct script *s, struct dtype t,
                                    const struct ir_expr *e)
{
    unsigned flags = 0;
    if (dtype_is_float(t)) {
        bool is_uint = e->dtype.code == DT_UINT;
        double value =
            is_uint ? (double)(uint64_t)e->u.int_value : (double)e->u.int_value;
        return ir_float(s->m, t, value);
    }
    if (!dtype_is_int(t) && !dtype_is_bool(t))
        return NULL;
    uint64_t bits = num_cast(e->dtype, t, (uint64_t)e->u.int_value, &flags);
    return flags & (NUM_UNDEFINED | NUM_NO_RULE)
               ? NULL
               : ir_int(s->m, t, num_to_int(t, bits));
}

static struct ir_expr *cast_float_imm(struct script *s, struct dtype t,
                                      const struct ir_expr *e)
{
    double value = e->u.float_value;
    if (dtype_is_float(t))
        return ir_float(s->m, t, value);
    bool fits = value > -9.2e18 && value < 9.2e18;
    if (!dtype_is_int(t) || !fits)
        return NULL;
    unsigned flags = 0;
    uint64_t bits = num_from_int(t, (int64_t)value, &flags);
    return flags & ~(unsigned)NUM_WRAPPED
               ? NULL
               : ir_int(s->m, t, num_to_int(t, bits));
}

static struct ir_expr *cast_scalar(struct script *s, struct dtype t,
                                   struct ir_expr *e)
{
    struct ir_expr *folded = NULL;
    if (dtype_equal(e->dtype, t))
        return e;
    if (e->kind == IR_INT_IMM)
        folded = cast_int_imm(s, t, e);
    else if (e->kind == IR_FLOAT_IMM)
        folded = cast_float_imm(s, t, e);
    return folded ? folded : ir_cast(s->m, t, e);
}

struct ir_expr *script_cast(struct script *s, struct dtype t, struct ir_expr *e)
{
    if (!e || dtype_equal(e->dtype, t))
        return e;
    if (!script_has_value(s, e, e->pos))
        return NULL;
    bool to_vector = t.lanes > 1 || t.scalable;
    bool from_scalar = e->dtype.lanes == 1 && !e->dtype.scalable;
    struct ir_expr *result;
    if (to_vector && from_scalar && !t.scalable) {
        result = ir_broadcast(s->m, cast_scalar(s, dtype_scalar(t), e),
                              ir_int(s->m, DTYPE_INT32, t.lanes));
    } else if (e->kind == IR_BROADCAST && t.lanes == e->dtype.lanes) {
        result = ir_broadcast(s->m, script_cast(s, dtype_scalar(t), e->args[0]),
                              e->args[1]);
    } else {
        result = cast_scalar(s, t, e);
    }
    return script_checked(s, result, e->pos);
}

/* ---- promotion ---------------------------------------------------------- */

static bool is_vector(struct dtype t)
{
    return t.lanes > 1 || t.scalable;
}

/* The type that both operands take; lanes are equal by now. */
static struct dtype common_type(struct dtype a, struct dtype b)
{
    bool fa = dtype_is_float(a), fb = dtype_is_float(b);
    if (fa != fb)
        return fa ? a : b;
    if (a.bits != b.bits && !dtype_is_bool(a) && !dtype_is_bool(b))
        return a.bits < b.bits ? b : a;
    if (dtype_is_bool(a) != dtype_is_bool(b))
        return dtype_is_bool(a) ? b : a;
    if (a.code != b.code && a.code == DT_INT && b.code == DT_UINT)
        return b;
    return a;
}

static bool broadcast_to(struct script *s, struct ir_expr **e,
                         const struct ir_expr *vector)
{
    struct ir_expr *lanes = ir_int(s->m, DTYPE_INT32, vector->dtype.lanes);
    if (vector->dtype.scalable)
        lanes = vector->kind == IR_RAMP        ? vector->args[2]
                : vector->kind == IR_BROADCAST ? vector->args[1]
                                               : NULL;
    if (!lanes) {
        script_fail(s, (*e)->pos, "script.type",
                    "a scalar meets a scalable vector; use T.Broadcast");
        return false;
    }
    *e = ir_broadcast(s->m, *e, lanes);
    return true;
}

bool script_match_types(struct script *s, struct ir_expr **a,
                        struct ir_expr **b, struct ir_pos pos)
{
    if (!*a || !*b || s->failed)
        return false;
    struct dtype ta = (*a)->dtype, tb = (*b)->dtype;
    if (!script_has_value(s, *a, pos) || !script_has_value(s, *b, pos))
        return false;
    if (dtype_equal(ta, tb))
        return true;
    if (is_vector(ta) != is_vector(tb)) {
        if (!broadcast_to(s, is_vector(ta) ? b : a, is_vector(ta) ? *a : *b))
            return false;
        ta = (*a)->dtype, tb = (*b)->dtype;
    }
    if (ta.lanes != tb.lanes || ta.scalable != tb.scalable) {
        script_fail(s, pos, "script.type", "operands have %u and %u lanes",
                    ta.lanes, tb.lanes);
        return false;
    }
    bool number_a = dtype_is_float(ta) || dtype_is_int(ta) || dtype_is_bool(ta);
    bool number_b = dtype_is_float(tb) || dtype_is_int(tb) || dtype_is_bool(tb);
    if (!number_a || !number_b) {
        char na[48], nb[48];
        script_fail(s, pos, "script.type", "operands have types '%s' and '%s'",
                    dtype_name(ta, na), dtype_name(tb, nb));
        return false;
    }
    struct dtype t = common_type(ta, tb);
    *a = script_cast(s, t, *a);
    *b = script_cast(s, t, *b);
    return *a && *b;
}

/* ---- folding ------------------------------------------------------------ */

static bool is_division(enum ir_expr_kind kind)
{
    return kind == IR_DIV || kind == IR_MOD || kind == IR_FLOORDIV ||
           kind == IR_FLOORMOD;
}

static bool is_number(const struct ir_expr *e, double value)
{
    return (e->kind == IR_INT_IMM && e->u.int_value == (int64_t)value) ||
           (e->kind == IR_FLOAT_IMM && e->u.float_value == value);
}

static struct ir_expr *fold_ints(struct script *s, enum ir_expr_kind kind,
                                 const struct ir_expr *a,
                                 const struct ir_expr *b)
{
    unsigned flags = 0;
    struct dtype t = a->dtype;
    if (!dtype_is_int(t))
        return NULL;
    uint64_t bits = num_binary(ir_num_op(kind), t, (uint64_t)a->u.int_value,
                               (uint64_t)b->u.int_value, &flags);
    if (flags & (NUM_DIV_ZERO | NUM_DIV_OVERFLOW | NUM_UNDEFINED | NUM_NO_RULE))
        return NULL;
    return ir_int(s->m, t, num_to_int(t, bits));
}

static struct ir_expr *fold_floats(struct script *s, enum ir_expr_kind kind,
                                   const struct ir_expr *a,
                                   const struct ir_expr *b)
{
    struct dtype t = a->dtype;
    if (t.code != DT_FLOAT || t.bits < 32 || kind == IR_MOD ||
        kind == IR_FLOORMOD)
        return NULL;
    if (is_division(kind) && b->u.float_value == 0)
        return NULL;
    unsigned flags = 0;
    uint64_t x = num_from_double(t, a->u.float_value, &flags);
    uint64_t y = num_from_double(t, b->u.float_value, &flags);
    flags = 0;
    enum num_op op = kind == IR_FLOORDIV ? NUM_DIV : ir_num_op(kind);
    uint64_t r = num_binary(op, t, x, y, &flags);
    if (kind == IR_FLOORDIV)
        r = num_unary(NUM_FLOOR, t, r, &flags);
    return flags & (NUM_UNDEFINED | NUM_NO_RULE)
               ? NULL
               : ir_float(s->m, t, num_to_double(t, r));
}

/* a op b where one operand is a unit or a zero of op. */
static struct ir_expr *fold_units(struct script *s, enum ir_expr_kind kind,
                                  struct ir_expr *a, struct ir_expr *b)
{
    switch ((int)kind) {
    case IR_ADD:
        if (is_number(a, 0))
            return b;
        return is_number(b, 0) ? a : NULL;
    case IR_SUB: return is_number(b, 0) ? a : NULL;
    case IR_MUL:
        if (is_number(a, 1) || is_number(b, 0))
            return b;
        return is_number(b, 1) || is_number(a, 0) ? a : NULL;
    case IR_DIV:
    case IR_FLOORDIV: return is_number(a, 0) || is_number(b, 1) ? a : NULL;
    case IR_MOD:
    case IR_FLOORMOD:
        if (is_number(a, 0))
            return a;
        return b->kind == IR_INT_IMM && b->u.int_value == 1
                   ? ir_int(s->m, a->dtype, 0)
                   : NULL;
    case IR_MIN:
    case IR_MAX: {
        bool same = a == b || (a->kind == IR_VAR_REF && b->kind == a->kind &&
                               a->u.var == b->u.var);
        return same ? a : NULL;
    }
    case IR_SHL:
    case IR_SHR: return is_number(b, 0) ? a : NULL;
    default: return NULL;
    }
}

static struct ir_expr *fold(struct script *s, enum ir_expr_kind kind,
                            struct ir_expr *a, struct ir_expr *b)
{
    struct ir_expr *result = NULL;
    if (kind < IR_ADD || kind > IR_SHR)
        return NULL;
    if (a->kind == IR_INT_IMM && b->kind == IR_INT_IMM)
        result = fold_ints(s, kind, a, b);
    else if (a->kind == IR_FLOAT_IMM && b->kind == IR_FLOAT_IMM)
        result = fold_floats(s, kind, a, b);
    return result ? result : fold_units(s, kind, a, b);
}

/* ---- building ----------------------------------------------------------- */

static bool is_logical(enum ir_expr_kind kind)
{
    return kind == IR_AND || kind == IR_OR;
}

static bool is_bitwise(enum ir_expr_kind kind)
{
    return kind >= IR_BITAND && kind <= IR_SHR;
}

static bool check_operands(struct script *s, enum ir_expr_kind kind,
                           const struct ir_expr *a, const struct ir_expr *b,
                           struct ir_pos pos)
{
    if (is_logical(kind) &&
        (!dtype_is_bool(a->dtype) || !dtype_is_bool(b->dtype))) {
        script_fail(s, pos, "script.type",
                    "'and' and 'or' need operands of type bool");
        return false;
    }
    if (is_bitwise(kind) && dtype_is_float(a->dtype)) {
        script_fail(s, pos, "script.type",
                    "bit operations need operands of integer type");
        return false;
    }
    return true;
}

struct ir_expr *script_node(struct script *s, enum ir_expr_kind kind,
                            struct ir_expr *a, struct ir_expr *b,
                            struct ir_pos pos)
{
    if (!script_match_types(s, &a, &b, pos) ||
        !check_operands(s, kind, a, b, pos))
        return NULL;
    return script_checked(s, ir_binary(s->m, kind, a, b), pos);
}

struct ir_expr *script_binary(struct script *s, enum ir_expr_kind kind,
                              struct ir_expr *a, struct ir_expr *b,
                              struct ir_pos pos)
{
    if (!script_match_types(s, &a, &b, pos) ||
        !check_operands(s, kind, a, b, pos))
        return NULL;
    if (is_division(kind) && b->kind == IR_INT_IMM && b->u.int_value == 0)
        return script_fail(s, pos, "script.type", "division by zero");
    struct ir_expr *folded = fold(s, kind, a, b);
    if (folded)
        return folded;
    return script_checked(s, ir_binary(s->m, kind, a, b), pos);
}
