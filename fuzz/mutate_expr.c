/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutations of expressions: wrong indices, operands, operators, constants and
 * conversions. A mutation sees one node with what it is used for (an index, a
 * condition, data) and gives what stands in its place.
 */
#include "fuzz/mutate_private.h"

#include <math.h>
#include <string.h>

/* ---- indices --------------------------------------------------------------- */

static struct ir_expr *load_with(struct mutation *mu, const struct ir_expr *e,
                                 struct ir_buffer *buffer,
                                 struct ir_expr *const *args)
{
    return ir_load(mu->m, buffer, e->nargs, args, e->predicate);
}

static struct ir_expr *swap_indices(struct mutation *mu, struct ir_expr *e)
{
    for (uint32_t i = 0; e->kind == IR_LOAD && i + 1 < e->nargs; i++) {
        if (!mutate_here(mu))
            continue;
        struct ir_expr **args =
            arena_memdup(mu->m->arena, e->args, e->nargs * sizeof *args);
        args[i] = e->args[i + 1];
        args[i + 1] = e->args[i];
        return load_with(mu, e, e->u.buffer, args);
    }
    return NULL;
}

static struct ir_expr *shift_index(struct mutation *mu, struct ir_expr *e)
{
    for (uint32_t i = 0; e->kind == IR_LOAD && i < e->nargs; i++) {
        if (e->args[i]->dtype.lanes != 1 || !mutate_here(mu))
            continue;
        struct ir_expr **args =
            arena_memdup(mu->m->arena, e->args, e->nargs * sizeof *args);
        args[i] = gen_op_int(mu->m, IR_ADD, e->args[i], 1);
        return load_with(mu, e, e->u.buffer, args);
    }
    return NULL;
}

/* The innermost other variable of that type. */
static struct ir_expr *wrong_variable(struct mutation *mu, struct ir_expr *e)
{
    size_t n = mu->nloops < DC_ARRAY_LEN(mu->loops) ? mu->nloops
                                                    : DC_ARRAY_LEN(mu->loops);
    if (e->kind != IR_VAR_REF)
        return NULL;
    for (size_t i = n; i-- > 0;) {
        struct ir_var *var = mu->loops[i];
        if (var == e->u.var || !dtype_equal(var->dtype, e->dtype))
            continue;
        return mutate_here(mu) ? ir_var_ref(mu->m, var) : NULL;
    }
    return NULL;
}

static struct ir_expr *wrong_stride(struct mutation *mu, struct ir_expr *e)
{
    bool factor =
        e->kind == IR_MUL || e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD;
    if (!factor || e->args[1]->kind != IR_INT_IMM || !mutate_here(mu))
        return NULL;
    int64_t value = e->args[1]->u.int_value;
    return gen_op_int(mu->m, e->kind, e->args[0],
                      value > 2 ? value - 1 : value + 1);
}

static struct ir_expr *stale_half(struct mutation *mu, struct ir_expr *e)
{
    if (e->kind != IR_FLOORMOD || e->args[0]->kind != IR_ADD ||
        !ir_is_const_int(e->args[0]->args[1], 1) ||
        !ir_is_const_int(e->args[1], 2) || !mutate_here(mu))
        return NULL;
    return gen_op(mu->m, IR_FLOORMOD, e->args[0]->args[0], e->args[1]);
}

/* ---- conditions ------------------------------------------------------------ */

static bool is_choice(const struct ir_expr *e)
{
    return e->kind == IR_SELECT ||
           (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE);
}

static struct ir_expr *drop_condition(struct mutation *mu, struct ir_expr *e)
{
    return is_choice(e) && mutate_here(mu) ? e->args[1] : NULL;
}

static struct ir_expr *swap_branches(struct mutation *mu, struct ir_expr *e)
{
    if (!is_choice(e) || !mutate_here(mu))
        return NULL;
    struct ir_expr *args[] = {e->args[0], e->args[2], e->args[1]};
    return gen_rebuild(mu->m, e, args, NULL);
}

static struct ir_expr *compare_off(struct mutation *mu, struct ir_expr *e)
{
    enum ir_expr_kind other = IR_NKINDS;
    if (e->kind == IR_LT)
        other = IR_LE;
    else if (e->kind == IR_LE)
        other = IR_LT;
    else if (e->kind == IR_GT)
        other = IR_GE;
    else if (e->kind == IR_GE)
        other = IR_GT;
    if (other == IR_NKINDS || !mutate_here(mu))
        return NULL;
    return ir_binary(mu->m, other, e->args[0], e->args[1]);
}

/* ---- data ------------------------------------------------------------------ */

static bool is_data_op(const struct ir_expr *e)
{
    return e->kind >= IR_ADD && e->kind <= IR_BITXOR;
}

static struct ir_expr *wrong_operand(struct mutation *mu, struct ir_expr *e)
{
    bool leaf = is_data_op(e) && e->args[0]->kind != IR_INT_IMM &&
                e->args[0]->kind != IR_FLOAT_IMM &&
                e->args[0]->kind != IR_VAR_REF;
    bool divides = e->kind >= IR_DIV && e->kind <= IR_FLOORMOD;
    if (!leaf || divides || !mutate_here(mu))
        return NULL;
    return ir_binary(mu->m, e->kind, e->args[0], e->args[0]);
}

static bool same_shape(const struct ir_buffer *a, const struct ir_buffer *b)
{
    int64_t x, y;
    if (a == b || a->rank != b->rank || !dtype_equal(a->dtype, b->dtype))
        return false;
    for (size_t i = 0; i < a->rank; i++)
        if (!ir_const_int(a->shape[i], &x) || !ir_const_int(b->shape[i], &y) ||
            x != y)
            return false;
    return true;
}

static struct ir_expr *wrong_buffer(struct mutation *mu, struct ir_expr *e)
{
    const struct ir_prim_func *f = &mu->func->prim;
    for (size_t i = 0; e->kind == IR_LOAD && i < f->nparams; i++) {
        struct ir_buffer *other = f->params[i].buffer;
        if (other && same_shape(e->u.buffer, other) && mutate_here(mu))
            return load_with(mu, e, other, e->args);
    }
    return NULL;
}

static struct ir_expr *drop_term(struct mutation *mu, struct ir_expr *e)
{
    bool sum = e->kind == IR_ADD || e->kind == IR_SUB;
    return sum && mutate_here(mu) ? e->args[0] : NULL;
}

static struct ir_expr *exchange(struct mutation *mu, struct ir_expr *e,
                                enum ir_expr_kind a, enum ir_expr_kind b)
{
    if ((e->kind != a && e->kind != b) || !mutate_here(mu))
        return NULL;
    return ir_binary(mu->m, e->kind == a ? b : a, e->args[0], e->args[1]);
}

static struct ir_expr *ulp_constant(struct mutation *mu, struct ir_expr *e)
{
    if (e->kind == IR_INT_IMM && dtype_is_int(e->dtype) &&
        e->u.int_value >= 0 && e->u.int_value < 100)
        return mutate_here(mu) ? ir_int(mu->m, e->dtype, e->u.int_value + 1)
                               : NULL;
    if (e->kind != IR_FLOAT_IMM || !isfinite(e->u.float_value) ||
        e->u.float_value == 0 || !mutate_here(mu))
        return NULL;
    struct dtype t = dtype_scalar(e->dtype);
    unsigned flags = 0;
    uint64_t bits = num_from_double(t, e->u.float_value, &flags);
    return ir_float(mu->m, e->dtype, num_to_double(t, bits + 1));
}

/* ---- types ----------------------------------------------------------------- */

struct dtype mutate_narrow_type(struct dtype t)
{
    if (t.code == DT_FLOAT && t.bits == 64)
        return dtype_make(DT_FLOAT, 32, t.lanes);
    if (t.code == DT_FLOAT && t.bits == 32)
        return dtype_make(DT_FLOAT, 16, t.lanes);
    if (t.code == DT_FLOAT && t.bits == 16)
        return dtype_make(DT_BFLOAT, 16, t.lanes);
    return t;
}

static struct ir_expr *narrow_value(struct mutation *mu, struct ir_expr *e)
{
    struct dtype t = mutate_narrow_type(e->dtype);
    bool value = e->kind == IR_LOAD || is_data_op(e) || e->kind == IR_CALL;
    if (!value || dtype_equal(t, e->dtype) || !mutate_here(mu))
        return NULL;
    return ir_cast(mu->m, e->dtype, ir_cast(mu->m, t, e));
}

static struct ir_expr *wrong_cast(struct mutation *mu, struct ir_expr *e)
{
    if (e->kind != IR_LOAD || !dtype_is_int(e->dtype) || e->dtype.bits < 8 ||
        !mutate_here(mu))
        return NULL;
    struct dtype t = e->dtype;
    if (t.bits > 8)
        t.bits = 8;
    else /* 8 bits: the sign is lost, or appears */
        t.code = t.code == DT_INT ? DT_UINT : DT_INT;
    struct ir_expr *low = ir_cast(mu->m, t, e);
    return ir_cast(mu->m, e->dtype, low);
}

struct ir_expr *mutate_rewrite_load(struct mutation *mu, struct ir_expr *e)
{
    if (e->kind != IR_LOAD || e->u.buffer != mu->narrowed)
        return e;
    struct ir_expr *load = load_with(mu, e, e->u.buffer, e->args);
    return ir_cast(mu->m, dtype_with_lanes(mu->wide, load->dtype.lanes), load);
}

/* ---- which ----------------------------------------------------------------- */

static struct ir_expr *found(struct mutation *mu, const struct ir_expr *e,
                             struct ir_expr *other)
{
    if (other)
        mutate_say_expr(mu, e, other);
    return other;
}

static struct ir_expr *of_index(struct mutation *mu, struct ir_expr *e)
{
    switch ((int)mu->kind) {
    case MUTATE_WRONG_VARIABLE: return wrong_variable(mu, e);
    case MUTATE_WRONG_STRIDE: return wrong_stride(mu, e);
    case MUTATE_STALE_HALF: return stale_half(mu, e);
    default: return NULL;
    }
}

static struct ir_expr *of_data(struct mutation *mu, struct ir_expr *e)
{
    switch ((int)mu->kind) {
    case MUTATE_WRONG_OPERAND: return wrong_operand(mu, e);
    case MUTATE_WRONG_BUFFER: return wrong_buffer(mu, e);
    case MUTATE_DROP_TERM: return drop_term(mu, e);
    case MUTATE_MIN_FOR_MAX: return exchange(mu, e, IR_MIN, IR_MAX);
    case MUTATE_SIGN_FLIP: return exchange(mu, e, IR_ADD, IR_SUB);
    case MUTATE_ULP_CONSTANT: return ulp_constant(mu, e);
    case MUTATE_NARROW_VALUE: return narrow_value(mu, e);
    case MUTATE_WRONG_CAST: return wrong_cast(mu, e);
    default: return NULL;
    }
}

struct ir_expr *mutate_expr(struct mutation *mu, struct ir_expr *e,
                            enum mutate_role role)
{
    struct ir_expr *other = NULL;
    if (role == MUTATE_INDEX)
        other = of_index(mu, e);
    else if (role == MUTATE_DATA)
        other = of_data(mu, e);
    if (other)
        return found(mu, e, other);
    switch ((int)mu->kind) {
    case MUTATE_SWAP_INDICES: return found(mu, e, swap_indices(mu, e));
    case MUTATE_SHIFT_INDEX: return found(mu, e, shift_index(mu, e));
    case MUTATE_DROP_PREDICATE: return found(mu, e, drop_condition(mu, e));
    case MUTATE_SWAP_BRANCHES: return found(mu, e, swap_branches(mu, e));
    case MUTATE_COMPARE_OFF: return found(mu, e, compare_off(mu, e));
    default: return NULL;
    }
}
