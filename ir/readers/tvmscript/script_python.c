/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on the values of a script: Python's numbers, lists and
 * expressions.
 *
 * Numbers that are Python's own are computed as Python does, integers without
 * a limit (here: refused beyond 64 bits), // and % towards minus infinity. As
 * soon as one operand is an expression, the other becomes a constant of its
 * type and script_fold.c builds the node.
 */
#include "ir/readers/tvmscript/script.h"

#include <math.h>

static bool kind_of_op(enum script_op op, bool floats, enum ir_expr_kind *out)
{
    switch ((int)op) {
    case OP_PLUS: *out = IR_ADD; return true;
    case OP_MINUS: *out = IR_SUB; return true;
    case OP_STAR: *out = IR_MUL; return true;
    case OP_SLASH: *out = IR_DIV; return true;
    case OP_FLOORDIV: *out = IR_FLOORDIV; return true;
    case OP_PERCENT: *out = floats ? IR_MOD : IR_FLOORMOD; return true;
    case OP_AMP: *out = IR_BITAND; return true;
    case OP_PIPE: *out = IR_BITOR; return true;
    case OP_CARET: *out = IR_BITXOR; return true;
    case OP_SHL: *out = IR_SHL; return true;
    case OP_SHR: *out = IR_SHR; return true;
    case OP_LT: *out = IR_LT; return true;
    case OP_LE: *out = IR_LE; return true;
    case OP_GT: *out = IR_GT; return true;
    case OP_GE: *out = IR_GE; return true;
    case OP_EQ: *out = IR_EQ; return true;
    case OP_NE: *out = IR_NE; return true;
    default: return false;
    }
}

static bool is_python_number(const struct sv *v)
{
    return (v->kind == SV_INT && !v->u.integer.wide) || v->kind == SV_FLOAT ||
           v->kind == SV_BOOL;
}

static int64_t python_int(const struct sv *v)
{
    return v->kind == SV_BOOL ? v->u.boolean : v->u.integer.value;
}

static double python_float(const struct sv *v)
{
    return v->kind == SV_FLOAT ? v->u.number : (double)python_int(v);
}

static struct sv *python_bool(struct script *s, bool value, struct ir_pos pos)
{
    struct sv *v = sv_make(s, SV_BOOL, pos);
    v->u.boolean = value;
    return v;
}

static struct sv *python_number(struct script *s, double value,
                                struct ir_pos pos)
{
    struct sv *v = sv_make(s, SV_FLOAT, pos);
    v->u.number = value;
    return v;
}

static struct sv *operate_floats(struct script *s, enum script_op op, double a,
                                 double b, struct ir_pos pos)
{
    switch ((int)op) {
    case OP_PLUS: return python_number(s, a + b, pos);
    case OP_MINUS: return python_number(s, a - b, pos);
    case OP_STAR: return python_number(s, a * b, pos);
    case OP_LT: return python_bool(s, a < b, pos);
    case OP_LE: return python_bool(s, a <= b, pos);
    case OP_GT: return python_bool(s, a > b, pos);
    case OP_GE: return python_bool(s, a >= b, pos);
    case OP_EQ: return python_bool(s, a == b, pos);
    case OP_NE: return python_bool(s, a != b, pos);
    default: break;
    }
    if (op == OP_POWER)
        return python_number(s, pow(a, b), pos);
    if ((op == OP_SLASH || op == OP_FLOORDIV) && b != 0)
        return python_number(s, op == OP_SLASH ? a / b : floor(a / b), pos);
    return script_fail(s, pos, "script.type",
                       "'%s' is not possible with these numbers",
                       script_op_text(op));
}

static struct sv *power_ints(struct script *s, int64_t a, int64_t b,
                             struct ir_pos pos)
{
    int64_t result = 1;
    for (int64_t i = 0; i < b && (a < -1 || a > 1 || i < 2); i++) {
        if (__builtin_mul_overflow(result, a, &result))
            return script_fail(s, pos, "script.type",
                               "this number does not fit 64 bits");
    }
    if (a == -1)
        result = b % 2 ? -1 : 1;
    return sv_int(s, result, pos);
}

/* Python integers have no width; ours fail when they leave 64 bits. */
static struct sv *operate_ints(struct script *s, enum script_op op, int64_t a,
                               int64_t b, struct ir_pos pos)
{
    int64_t r = 0;
    bool bad = false;
    switch ((int)op) {
    case OP_PLUS: bad = __builtin_add_overflow(a, b, &r); break;
    case OP_MINUS: bad = __builtin_sub_overflow(a, b, &r); break;
    case OP_STAR: bad = __builtin_mul_overflow(a, b, &r); break;
    case OP_FLOORDIV:
    case OP_PERCENT: {
        bad = b == 0 || (a == INT64_MIN && b == -1);
        if (bad)
            break;
        int64_t q = a / b - (a % b != 0 && (a % b < 0) != (b < 0));
        r = op == OP_FLOORDIV ? q : a - q * b;
        break;
    }
    case OP_AMP: r = a & b; break;
    case OP_PIPE: r = a | b; break;
    case OP_CARET: r = a ^ b; break;
    case OP_SHL:
        bad = b < 0 || b > 62 || a < 0 || a > (INT64_MAX >> b);
        r = bad ? 0 : a << b;
        break;
    case OP_SHR:
        bad = b < 0;
        r = bad || b > 63 ? (a < 0 ? -1 : 0) : a >> b;
        break;
    case OP_POWER:
        if (b < 0)
            return operate_floats(s, op, (double)a, (double)b, pos);
        return power_ints(s, a, b, pos);
    default: return operate_floats(s, op, (double)a, (double)b, pos);
    }
    if (bad)
        return script_fail(s, pos, "script.type",
                           "'%s' of these numbers has no 64-bit result",
                           script_op_text(op));
    return sv_int(s, r, pos);
}

static struct sv *compare_ints(struct script *s, enum script_op op, int64_t a,
                               int64_t b, struct ir_pos pos)
{
    switch ((int)op) {
    case OP_LT: return python_bool(s, a < b, pos);
    case OP_LE: return python_bool(s, a <= b, pos);
    case OP_GT: return python_bool(s, a > b, pos);
    case OP_GE: return python_bool(s, a >= b, pos);
    case OP_EQ: return python_bool(s, a == b, pos);
    case OP_NE: return python_bool(s, a != b, pos);
    default: return operate_ints(s, op, a, b, pos);
    }
}

/* A Python number beside an expression takes its type where TVM's operators
 * let it: an integer beside anything, a fraction beside a float. */
static bool operand_pair(struct script *s, enum script_op op, struct sv *a,
                         struct sv *b, struct ir_expr **ea, struct ir_expr **eb)
{
    bool shift = op == OP_SHL || op == OP_SHR;
    if (is_python_number(a) && !shift) {
        *eb = script_expr_of(s, b);
        *ea = *eb && dtype_is_float((*eb)->dtype)
                  ? script_expr_as(s, a, dtype_scalar((*eb)->dtype))
                  : script_expr_of(s, a);
    } else {
        *ea = script_expr_of(s, a);
        *eb = *ea && is_python_number(b) && dtype_is_float((*ea)->dtype)
                  ? script_expr_as(s, b, dtype_scalar((*ea)->dtype))
                  : script_expr_of(s, b);
    }
    return *ea && *eb;
}

static struct sv *join_lists(struct script *s, const struct sv *a,
                             const struct sv *b, struct ir_pos pos)
{
    struct sv *v = sv_make(s, a->kind, pos);
    size_t n = a->u.list.n + b->u.list.n;
    struct sv **items = ARENA_ARRAY(s->m->arena, n, struct sv *);
    for (size_t i = 0; i < n; i++)
        items[i] = i < a->u.list.n ? a->u.list.items[i]
                                   : b->u.list.items[i - a->u.list.n];
    v->u.list.n = n;
    v->u.list.items = items;
    return v;
}

struct sv *script_operate(struct script *s, enum script_op op, struct sv *a,
                          struct sv *b, struct ir_pos pos)
{
    if (!a || !b || s->failed)
        return NULL;
    if (is_python_number(a) && is_python_number(b)) {
        if (a->kind == SV_FLOAT || b->kind == SV_FLOAT || op == OP_SLASH)
            return operate_floats(s, op, python_float(a), python_float(b), pos);
        return compare_ints(s, op, python_int(a), python_int(b), pos);
    }
    bool lists =
        a->kind == b->kind && (a->kind == SV_LIST || a->kind == SV_TUPLE);
    if (lists && op == OP_PLUS && a->u.list.n + b->u.list.n < 1u << 16)
        return join_lists(s, a, b, pos);
    struct ir_expr *ea, *eb;
    if (!operand_pair(s, op, a, b, &ea, &eb))
        return NULL;
    enum ir_expr_kind kind;
    if (!kind_of_op(op, dtype_is_float(ea->dtype), &kind))
        return script_fail(s, pos, "script.unsupported",
                           "'%s' is not possible with expressions",
                           script_op_text(op));
    return sv_expr(s, script_binary(s, kind, ea, eb, pos), pos);
}

static struct sv *negate(struct script *s, struct sv *a, struct ir_pos pos)
{
    if (a->kind == SV_FLOAT)
        return python_number(s, -a->u.number, pos);
    if (a->kind == SV_INT && a->u.integer.wide) {
        if (a->u.integer.value == INT64_MIN)
            return sv_int(s, INT64_MIN, pos);
        return script_fail(s, pos, "script.type",
                           "this integer does not fit 64 bits");
    }
    if (is_python_number(a))
        return operate_ints(s, OP_MINUS, 0, python_int(a), pos);
    struct ir_expr *e = script_expr_of(s, a);
    if (!e)
        return NULL;
    if (!dtype_is_int(e->dtype) && !dtype_is_float(e->dtype))
        return script_fail(s, pos, "script.type",
                           "only numbers have a negative");
    struct ir_expr *minus = script_const(s, dtype_scalar(e->dtype), -1);
    return sv_expr(s, script_binary(s, IR_MUL, e, minus, pos), pos);
}

struct sv *script_unary(struct script *s, enum script_op op, struct sv *a,
                        struct ir_pos pos)
{
    if (!a || s->failed)
        return NULL;
    if (op == OP_MINUS)
        return negate(s, a, pos);
    if (op == OP_PLUS)
        return a;
    if (a->kind == SV_INT && !a->u.integer.wide)
        return sv_int(s, ~a->u.integer.value, pos);
    struct ir_expr *e = script_expr_of(s, a);
    if (!e)
        return NULL;
    if (!dtype_is_int(e->dtype) && !dtype_is_bool(e->dtype))
        return script_fail(s, pos, "script.type",
                           "'~' needs an operand of integer type");
    return sv_expr(s, script_checked(s, ir_bitnot(s->m, e), pos), pos);
}
