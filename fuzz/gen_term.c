/* SPDX-License-Identifier: Apache-2.0
 *
 * Random terms: the values that a stage computes at one point of its domain.
 *
 * Whatever is drawn is defined and safe: indices are made from axes so that
 * they lie inside the tensor (or a condition keeps them there), values that
 * index are taken modulo the size, integer divisors and shift counts are
 * constants, and no float becomes an integer. Roundings, overflow to infinity
 * and NaN may happen; wrapping integers too, since no such value is an address.
 */
#include "fuzz/gen_private.h"

#include <string.h>

struct dtype gen_data_type(struct gen_bytes *b)
{
    static const struct {
        enum dtype_code code;
        unsigned bits;
    } types[] = {
        {DT_FLOAT, 32}, {DT_FLOAT, 32}, {DT_FLOAT, 32},  {DT_FLOAT, 32},
        {DT_FLOAT, 16}, {DT_FLOAT, 16}, {DT_BFLOAT, 16}, {DT_FLOAT, 64},
        {DT_INT, 32},   {DT_INT, 32},   {DT_INT, 8},     {DT_INT, 64},
        {DT_UINT, 8},   {DT_INT, 16},   {DT_UINT, 16},   {DT_UINT, 32},
    };
    size_t i = (size_t)gen_below(b, DC_ARRAY_LEN(types));
    return dtype_make(types[i].code, types[i].bits, 1);
}

bool gen_can_cast(struct dtype a, struct dtype b)
{
    return dtype_equal(a, b) || !dtype_is_float(a) || dtype_is_float(b);
}

/* ---- indices --------------------------------------------------------------- */

static struct ir_expr *axis_ref(struct gen_program *p,
                                const struct gen_stage *s, size_t i)
{
    return ir_var_ref(p->m, s->axes[i].var);
}

/* An index that another tensor holds, brought into range. */
static struct ir_expr *gathered(struct gen_program *p,
                                const struct gen_stage *s, struct gen_bytes *b,
                                struct gen_dim dim)
{
    size_t a = (size_t)gen_below(b, s->naxes);
    if (p->ntensors >= GEN_MAX_INPUTS)
        return NULL;
    size_t t = gen_tensor_add(p, "I", p->index, 1, &s->axes[a].dim);
    p->tensors[t].param = true;
    struct ir_expr *at = axis_ref(p, s, a);
    return gen_op(p->m, IR_FLOORMOD, gen_tensor_load(p, t, &at),
                  gen_dim_expr(p, dim));
}

/* From one axis of another size. */
static struct ir_expr *bent(struct gen_program *p, const struct gen_stage *s,
                            struct gen_bytes *b, struct gen_dim dim)
{
    size_t a = (size_t)gen_below(b, s->naxes);
    struct ir_expr *at = axis_ref(p, s, a);
    struct gen_dim from = s->axes[a].dim;
    if (dim.symbolic || from.symbolic)
        return gen_op(p->m, IR_FLOORMOD, at, gen_dim_expr(p, dim));
    if (from.size <= dim.size)
        return gen_op_int(
            p->m, IR_ADD, at,
            (int64_t)gen_below(b, (uint64_t)(dim.size - from.size + 1)));
    switch (gen_below(b, 3)) {
    case 0: return gen_op_int(p->m, IR_FLOORMOD, at, dim.size);
    case 1: return gen_op_int(p->m, IR_MIN, at, dim.size - 1);
    default:
        return gen_op_int(p->m, IR_FLOORDIV, at,
                          (from.size + dim.size - 1) / dim.size);
    }
}

static struct ir_expr *index_for(struct gen_program *p,
                                 const struct gen_stage *s, struct gen_bytes *b,
                                 struct gen_dim dim, size_t rotate)
{
    if (gen_chance(b, 1, 24)) {
        struct ir_expr *at = gathered(p, s, b, dim);
        if (at)
            return at;
    }
    for (size_t k = 0; k < s->naxes; k++) {
        size_t a = (k + rotate) % s->naxes;
        if (!gen_dim_same(s->axes[a].dim, dim))
            continue;
        struct ir_expr *at = axis_ref(p, s, a);
        if (gen_chance(b, 1, 12)) /* reversed */
            return gen_op(p->m, IR_SUB,
                          gen_op_int(p->m, IR_SUB, gen_dim_expr(p, dim), 1),
                          at);
        return at;
    }
    return bent(p, s, b, dim);
}

struct ir_expr *gen_tensor_load(struct gen_program *p, size_t tensor,
                                struct ir_expr *const *indices)
{
    const struct gen_tensor *t = &p->tensors[tensor];
    return ir_load(p->m, t->buffer, t->rank, indices, NULL);
}

/* ---- leaves ---------------------------------------------------------------- */

/* A new parameter over some of the axes, perhaps in another order. */
static struct ir_expr *new_input(struct gen_program *p,
                                 const struct gen_stage *s, struct gen_bytes *b,
                                 struct dtype t)
{
    struct gen_dim dims[GEN_MAX_RANK];
    struct ir_expr *indices[GEN_MAX_RANK];
    size_t rank = 0, turn = (size_t)gen_below(b, s->naxes);
    if (p->ntensors >= GEN_MAX_INPUTS)
        return NULL;
    for (size_t k = 0; k < s->naxes && rank < 3; k++) {
        size_t a = (k + turn) % s->naxes;
        if (rank > 0 && gen_chance(b, 1, 3))
            continue;
        dims[rank] = s->axes[a].dim;
        indices[rank++] = axis_ref(p, s, a);
    }
    struct dtype type = gen_chance(b, 1, 6) ? gen_data_type(b) : t;
    if (gen_chance(b, 1, 20))
        type = dtype_make(
            gen_chance(b, 1, 2) ? DT_FLOAT8_E4M3FN : DT_FLOAT8_E5M2, 8, 1);
    if (!gen_can_cast(type, t))
        type = t;
    size_t at = gen_tensor_add(p, "A", type, rank, dims);
    p->tensors[at].param = true;
    return gen_cast(p->m, t, gen_tensor_load(p, at, indices));
}

static struct ir_expr *old_tensor(struct gen_program *p,
                                  const struct gen_stage *s,
                                  struct gen_bytes *b, struct dtype t)
{
    size_t turn = (size_t)gen_below(b, p->ntensors);
    for (size_t k = 0; k < p->ntensors; k++) {
        size_t i = (k + turn) % p->ntensors;
        struct gen_tensor *from = &p->tensors[i];
        struct ir_expr *indices[GEN_MAX_RANK];
        if (i == s->tensor || !gen_can_cast(from->dtype, t) ||
            !(from->param || from->made))
            continue;
        for (size_t d = 0; d < from->rank; d++)
            indices[d] = index_for(p, s, b, from->dims[d], d);
        return gen_cast(p->m, t, gen_tensor_load(p, i, indices));
    }
    return NULL;
}

/* Not 0 and not 1: those fold. */
static struct ir_expr *constant(struct gen_program *p, struct gen_bytes *b,
                                struct dtype t)
{
    static const double floats[] = {2, 3, -1, 0.5, -2, 4, 0.25, 1.5, 0.1, 7};
    if (dtype_is_float(t))
        return ir_float(p->m, t, floats[gen_below(b, 10)]);
    int64_t value = 2 + (int64_t)gen_below(b, 6);
    return ir_int(p->m, t,
                  t.code == DT_INT && gen_chance(b, 1, 4) ? -value : value);
}

static struct ir_expr *leaf(struct gen_program *p, const struct gen_stage *s,
                            struct gen_bytes *b, struct dtype t)
{
    struct ir_expr *e = NULL;
    uint64_t what = gen_below(b, 16);
    if (what == 0)
        return constant(p, b, t);
    if (what == 1) {
        size_t a = (size_t)gen_below(b, s->naxes);
        return gen_cast(p->m, t, axis_ref(p, s, a));
    }
    if (what < 11)
        e = old_tensor(p, s, b, t);
    if (!e)
        e = new_input(p, s, b, t);
    if (!e)
        e = old_tensor(p, s, b, t);
    return e ? e : constant(p, b, t);
}

/* ---- conditions ------------------------------------------------------------ */

struct ir_expr *gen_axis_condition(struct gen_program *p,
                                   const struct gen_stage *s, size_t naxes,
                                   struct gen_bytes *b)
{
    static const enum ir_expr_kind kinds[] = {IR_LT, IR_LE, IR_GT,
                                              IR_GE, IR_NE, IR_EQ};
    size_t a = (size_t)gen_below(b, naxes);
    struct ir_expr *at = axis_ref(p, s, a);
    int64_t size = s->axes[a].dim.size;
    if (gen_chance(b, 1, 4))
        at = gen_op_int(p->m, IR_FLOORMOD, at, 2 + (int64_t)gen_below(b, 2));
    struct ir_expr *bound =
        ir_int(p->m, at->dtype, (int64_t)gen_below(b, (uint64_t)size + 1));
    if (at->kind == IR_INT_IMM)
        at = axis_ref(p, s, a);
    return ir_binary(p->m, kinds[gen_below(b, DC_ARRAY_LEN(kinds))], at, bound);
}

static struct ir_expr *flag(struct gen_program *p, const struct gen_stage *s,
                            struct gen_bytes *b)
{
    size_t a = (size_t)gen_below(b, s->naxes);
    if (p->ntensors >= GEN_MAX_INPUTS)
        return NULL;
    size_t t = gen_tensor_add(p, "M", DTYPE_BOOL, 1, &s->axes[a].dim);
    p->tensors[t].param = true;
    struct ir_expr *at = axis_ref(p, s, a);
    return gen_tensor_load(p, t, &at);
}

/* A data-dependent one. Of integers only what a parameter holds: a wrapped
 * result that a condition depends on is a fault (rule 9). */
static struct ir_expr *comparison(struct gen_program *p, struct gen_stage *s,
                                  struct gen_bytes *b)
{
    static const enum ir_expr_kind kinds[] = {IR_LT, IR_LE, IR_GT, IR_GE};
    struct ir_expr *e;
    if (dtype_is_float(p->main)) {
        e = gen_value(p, s, b, p->main, 0);
    } else {
        size_t a = (size_t)gen_below(b, s->naxes);
        if (p->ntensors >= GEN_MAX_INPUTS)
            return NULL;
        size_t t = gen_tensor_add(p, "D", p->main, 1, &s->axes[a].dim);
        p->tensors[t].param = true;
        struct ir_expr *at = axis_ref(p, s, a);
        e = gen_tensor_load(p, t, &at);
    }
    return ir_binary(p->m, kinds[gen_below(b, 4)], e, constant(p, b, p->main));
}

static struct ir_expr *condition(struct gen_program *p, struct gen_stage *s,
                                 struct gen_bytes *b)
{
    struct ir_expr *e = NULL;
    switch (gen_below(b, 8)) {
    case 0:
        return ir_binary(p->m, gen_chance(b, 1, 2) ? IR_AND : IR_OR,
                         gen_axis_condition(p, s, s->naxes, b),
                         gen_axis_condition(p, s, s->naxes, b));
    case 1: return ir_not(p->m, gen_axis_condition(p, s, s->naxes, b));
    case 2: e = flag(p, s, b); break;
    case 3:
    case 4: e = comparison(p, s, b); break;
    default: break;
    }
    return e ? e : gen_axis_condition(p, s, s->naxes, b);
}

/* ---- values ---------------------------------------------------------------- */

static struct ir_expr *math(struct gen_program *p, struct gen_bytes *b,
                            struct ir_expr *e)
{
    static const char *const names[] = {"exp",     "tanh",  "sqrt",
                                        "sigmoid", "floor", "sin",
                                        "erf",     "fabs",  "nearbyint"};
    char name[32];
    size_t i = (size_t)gen_below(b, DC_ARRAY_LEN(names));
    (void)snprintf(name, sizeof name, "tirx.%s", names[i]);
    if (strcmp(names[i], "sqrt") == 0)
        e = ir_call(p->m, e->dtype, "tirx.fabs", 1, &e);
    return ir_call(p->m, e->dtype, name, 1, &e);
}

static struct ir_expr *int_value(struct gen_program *p, struct gen_bytes *b,
                                 struct ir_expr *e, struct ir_expr *f)
{
    static const enum ir_expr_kind kinds[] = {
        IR_ADD,   IR_SUB,    IR_MUL, IR_MIN, IR_MAX,      IR_BITAND,
        IR_BITOR, IR_BITXOR, IR_SHL, IR_SHR, IR_FLOORDIV, IR_FLOORMOD};
    enum ir_expr_kind kind = kinds[gen_below(b, DC_ARRAY_LEN(kinds))];
    if (e->kind == IR_INT_IMM) /* or two constants fold out of the type */
        return e;
    if (kind == IR_SHL || kind == IR_SHR)
        f = ir_int(p->m, e->dtype, 1 + (int64_t)gen_below(b, 3));
    if (kind == IR_FLOORDIV || kind == IR_FLOORMOD)
        f = ir_int(p->m, e->dtype, 2 + (int64_t)gen_below(b, 6));
    return gen_op(p->m, kind, e, f);
}

static struct ir_expr *float_value(struct gen_program *p, struct gen_bytes *b,
                                   struct ir_expr *e, struct ir_expr *f)
{
    static const enum ir_expr_kind kinds[] = {IR_ADD, IR_SUB, IR_MUL, IR_MUL,
                                              IR_ADD, IR_MIN, IR_MAX};
    static const double divisors[] = {2, 4, -8, 3};
    uint64_t what = gen_below(b, 10);
    if (e->kind == IR_FLOAT_IMM)
        return e;
    if (what == 8)
        return math(p, b, e);
    if (what == 9)
        return ir_binary(p->m, IR_DIV, e,
                         ir_float(p->m, e->dtype, divisors[gen_below(b, 4)]));
    enum ir_expr_kind kind = kinds[what % DC_ARRAY_LEN(kinds)];
    return ir_binary(p->m, kind, e, f);
}

struct ir_expr *gen_value(struct gen_program *p, struct gen_stage *s,
                          struct gen_bytes *b, struct dtype t, unsigned depth)
{
    if (depth == 0 || gen_chance(b, 1, 4))
        return leaf(p, s, b, t);
    struct ir_expr *e = gen_value(p, s, b, t, depth - 1);
    struct ir_expr *f = gen_value(p, s, b, t, depth - 1);
    if (gen_chance(b, 1, 6)) {
        struct ir_expr *cond = condition(p, s, b);
        return gen_chance(b, 1, 2) ? ir_select(p->m, cond, e, f)
                                   : gen_if(p->m, cond, e, f);
    }
    return dtype_is_float(t) ? float_value(p, b, e, f) : int_value(p, b, e, f);
}
