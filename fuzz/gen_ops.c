/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of generated programs: arithmetic that folds constants,
 * substitution, evaluation.
 *
 * Folding follows TVM's operators (constants; units and zeros of + - * // %),
 * which the reader of scripts follows too: a module that held `i * 1` would
 * print as that and read back as `i`, and would not be equal to itself.
 */
#include "fuzz/gen_private.h"

#include <math.h>
#include <string.h>

static bool is_int(const struct ir_expr *e, int64_t value)
{
    return e->kind == IR_INT_IMM && e->u.int_value == value;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool fold(enum ir_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
    switch ((int)kind) {
    case IR_ADD: *out = a + b; return true;
    case IR_SUB: *out = a - b; return true;
    case IR_MUL: *out = a * b; return true;
    case IR_MIN: *out = a < b ? a : b; return true;
    case IR_MAX: *out = a > b ? a : b; return true;
    case IR_FLOORDIV:
        if (b == 0)
            return false;
        *out = floor_div(a, b);
        return true;
    case IR_FLOORMOD:
        if (b == 0)
            return false;
        *out = a - b * floor_div(a, b);
        return true;
    default: return false;
    }
}

struct ir_expr *gen_op(struct ir_module *m, enum ir_expr_kind kind,
                       struct ir_expr *a, struct ir_expr *b)
{
    int64_t value;
    if (a->kind == IR_INT_IMM && b->kind == IR_INT_IMM &&
        fold(kind, a->u.int_value, b->u.int_value, &value))
        return ir_int(m, a->dtype, value);
    if ((kind == IR_ADD || kind == IR_SUB) && is_int(b, 0))
        return a;
    if (kind == IR_ADD && is_int(a, 0))
        return b;
    if (kind == IR_MUL && (is_int(a, 0) || is_int(b, 1)))
        return a;
    if (kind == IR_MUL && (is_int(b, 0) || is_int(a, 1)))
        return b;
    if ((kind == IR_FLOORDIV || kind == IR_FLOORMOD) && is_int(a, 0))
        return a;
    if (kind == IR_FLOORDIV && is_int(b, 1))
        return a;
    if (kind == IR_FLOORMOD && is_int(b, 1))
        return ir_int(m, a->dtype, 0);
    if ((kind == IR_MIN || kind == IR_MAX) && a->kind == IR_VAR_REF &&
        b->kind == IR_VAR_REF && a->u.var == b->u.var)
        return a;
    /* A scalar moves the base of a ramp. */
    if (kind == IR_ADD && a->kind == IR_RAMP && b->dtype.lanes == 1)
        return ir_ramp(m, gen_op(m, IR_ADD, a->args[0], b), a->args[1],
                       a->args[2]);
    if (kind == IR_ADD && b->kind == IR_RAMP && a->dtype.lanes == 1)
        return gen_op(m, IR_ADD, b, a);
    return ir_binary(m, kind, a, b);
}

struct ir_expr *gen_op_int(struct ir_module *m, enum ir_expr_kind kind,
                           struct ir_expr *a, int64_t b)
{
    return gen_op(m, kind, a, ir_int(m, a->dtype, b));
}

struct ir_expr *gen_cast(struct ir_module *m, struct dtype t, struct ir_expr *e)
{
    if (dtype_equal(e->dtype, t))
        return e;
    if (e->kind == IR_INT_IMM)
        return gen_number(m, t, (double)e->u.int_value);
    return ir_cast(m, t, e);
}

struct ir_expr *gen_if(struct ir_module *m, struct ir_expr *cond,
                       struct ir_expr *a, struct ir_expr *b)
{
    struct ir_expr *args[] = {cond, a, b};
    return ir_call(m, a->dtype, "tirx.if_then_else", 3, args);
}

struct ir_expr *gen_all(struct ir_module *m, size_t n,
                        struct ir_expr *const *conds)
{
    struct ir_expr *all = NULL;
    for (size_t i = 0; i < n; i++)
        all = all ? ir_binary(m, IR_AND, all, conds[i]) : conds[i];
    return all;
}

struct ir_expr *gen_number(struct ir_module *m, struct dtype t, double value)
{
    if (dtype_is_float(t))
        return ir_float(m, t, value);
    return ir_int(m, t, (int64_t)value);
}

struct ir_expr *gen_combine(struct ir_module *m, enum gen_reducer reducer,
                            struct ir_expr *a, struct ir_expr *b)
{
    static const enum ir_expr_kind kinds[] = {
        [GEN_NO_REDUCER] = IR_ADD, [GEN_SUM] = IR_ADD, [GEN_PROD] = IR_MUL,
        [GEN_MIN] = IR_MIN,        [GEN_MAX] = IR_MAX,
    };
    return ir_binary(m, kinds[reducer], a, b);
}

/* Of the values below/above all others for min and max; the infinities for
 * floats, since they are the units whatever the terms are. */
struct ir_expr *gen_unit(struct ir_module *m, enum gen_reducer reducer,
                         struct dtype t)
{
    if (reducer == GEN_SUM || reducer == GEN_NO_REDUCER)
        return gen_number(m, t, 0);
    if (reducer == GEN_PROD)
        return gen_number(m, t, 1);
    if (dtype_is_float(t))
        return ir_float(
            m, t, reducer == GEN_MAX ? -(double)INFINITY : (double)INFINITY);
    unsigned bits = t.bits;
    uint64_t top = UINT64_C(1) << (bits - 1);
    if (t.code == DT_UINT)
        return ir_int(m, t, reducer == GEN_MAX ? 0 : (int64_t)(top - 1 + top));
    int64_t most = (int64_t)(top - 1);
    return ir_int(m, t, reducer == GEN_MAX ? -most - 1 : most);
}

/* ---- rebuilding and substitution ------------------------------------------- */

static struct ir_expr *rebuild_leaf(struct ir_module *m,
                                    const struct ir_expr *e)
{
    struct ir_expr *copy = ir_int(m, e->dtype, 0);
    copy->kind = e->kind;
    copy->u = e->u;
    return copy;
}

static struct ir_expr *rebuild_call(struct ir_module *m,
                                    const struct ir_expr *e,
                                    struct ir_expr *const *args)
{
    struct ir_expr *call = ir_call(m, e->dtype, e->u.call.name, e->nargs, args);
    call->u.call.op = e->u.call.op;
    call->u.call.attrs = e->u.call.attrs;
    call->u.call.type = e->u.call.type;
    return call;
}

struct ir_expr *gen_rebuild(struct ir_module *m, const struct ir_expr *e,
                            struct ir_expr *const *args,
                            struct ir_expr *predicate)
{
    if (e->kind == IR_CALL)
        return rebuild_call(m, e, args);
    return e->kind <= IR_BUFFER_REF ? rebuild_leaf(m, e)
                                    : ir_rebuild(m, e, args, predicate);
}

void gen_map_add(struct gen_map *map, const struct ir_var *from,
                 struct ir_expr *to)
{
    if (map->n >= DC_ARRAY_LEN(map->from))
        DC_BUG("too many variables in a substitution");
    map->from[map->n] = from;
    map->to[map->n++] = to;
}

static bool is_folding(const struct ir_expr *e)
{
    return dtype_is_int(e->dtype) && e->kind >= IR_ADD && e->kind <= IR_MAX &&
           e->kind != IR_DIV && e->kind != IR_MOD;
}

struct ir_expr *gen_map_expr(struct gen_map *map, const struct ir_expr *e)
{
    struct ir_expr *args[GEN_MAX_AXES];
    if (e->nargs > DC_ARRAY_LEN(args))
        DC_BUG("%u operands", e->nargs);
    if (e->kind == IR_VAR_REF) {
        for (size_t i = 0; i < map->n; i++)
            if (map->from[i] == e->u.var)
                return map->to[i];
    }
    for (uint32_t i = 0; i < e->nargs; i++)
        args[i] = gen_map_expr(map, e->args[i]);
    if (e->kind == IR_LOAD && map->load) {
        struct ir_expr *load =
            map->load(map->user, e->u.buffer, e->nargs, args);
        if (load)
            return load;
    }
    if (is_folding(e))
        return gen_op(map->m, e->kind, args[0], args[1]);
    if (e->kind == IR_CAST)
        return gen_cast(map->m, e->dtype, args[0]);
    return gen_rebuild(map->m, e, args, NULL);
}

/* ---- evaluation ------------------------------------------------------------ */

static bool compare(enum ir_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
    switch ((int)kind) {
    case IR_EQ: *out = a == b; return true;
    case IR_NE: *out = a != b; return true;
    case IR_LT: *out = a < b; return true;
    case IR_LE: *out = a <= b; return true;
    case IR_GT: *out = a > b; return true;
    case IR_GE: *out = a >= b; return true;
    case IR_AND: *out = a && b; return true;
    case IR_OR: *out = a || b; return true;
    default: return fold(kind, a, b, out);
    }
}

bool gen_eval(const struct ir_expr *e, const struct gen_env *env, int64_t *out)
{
    int64_t a, b;
    if (e->kind == IR_INT_IMM) {
        *out = e->u.int_value;
        return true;
    }
    if (e->kind == IR_VAR_REF) {
        for (size_t i = env->n; i-- > 0;) {
            if (env->var[i] == e->u.var) {
                *out = env->value[i];
                return true;
            }
        }
        return false;
    }
    if (e->kind == IR_NOT) {
        if (!gen_eval(e->args[0], env, &a))
            return false;
        *out = !a;
        return true;
    }
    return e->nargs == 2 && e->kind != IR_LOAD && e->kind != IR_CALL &&
           gen_eval(e->args[0], env, &a) && gen_eval(e->args[1], env, &b) &&
           compare(e->kind, a, b, out);
}
