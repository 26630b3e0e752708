/* SPDX-License-Identifier: Apache-2.0
 *
 * An elementwise stage with explicit vectors: the last axis goes in steps of a
 * few lanes, its value is a ramp, and what depends on it becomes a vector.
 *
 * Each expression is written as a scalar as long as it does not depend on the
 * last axis, and broadcast where it meets a vector. What has no vector form
 * here (a vector index that is not the last one, a choice by a vector
 * condition that must not evaluate both arms) makes the whole stage stay
 * scalar.
 */
#include "fuzz/gen_private.h"

#include <string.h>

struct vectors {
    struct gen_emit *x;
    const struct gen_stage *s;
    struct ir_expr *axes[GEN_MAX_AXES]; /* the last one is a ramp */
    int64_t lanes;
    bool failed;
};

static struct ir_expr *vector_of(struct vectors *v, const struct ir_expr *e);

static bool is_vector(const struct ir_expr *e)
{
    return e->dtype.lanes > 1;
}

static struct ir_expr *spread(struct vectors *v, struct ir_expr *e)
{
    struct ir_module *m = v->x->m;
    return is_vector(e) ? e
                        : ir_broadcast(m, e, ir_int(m, DTYPE_INT32, v->lanes));
}

static struct ir_expr *vector_load(struct vectors *v, const struct ir_expr *e)
{
    struct ir_expr *at[GEN_MAX_RANK];
    for (uint32_t i = 0; i < e->nargs; i++) {
        at[i] = vector_of(v, e->args[i]);
        v->failed |= is_vector(at[i]) && i + 1 < e->nargs;
    }
    if (v->failed)
        return ir_int(v->x->m, DTYPE_INT32, 0);
    /* The row-major index of a flat tensor needs the ramp itself. */
    uint32_t last = e->nargs - 1;
    const struct gen_store *from = &v->x->tensors[e->u.buffer->id];
    if (is_vector(at[last]) &&
        ((from->flat && at[last]->kind != IR_RAMP) || from->reversed))
        v->failed = true;
    if (v->failed)
        return at[last];
    return gen_fetch(v->x, e->u.buffer->id, e->nargs, at);
}

static struct ir_expr *vector_binary(struct vectors *v, const struct ir_expr *e,
                                     struct ir_expr **args)
{
    struct ir_module *m = v->x->m;
    bool ramp = args[0]->kind == IR_RAMP && !is_vector(args[1]);
    if (e->kind == IR_ADD && ramp)
        return gen_op(m, IR_ADD, args[0], args[1]);
    return ir_binary(m, e->kind, spread(v, args[0]), spread(v, args[1]));
}

static struct ir_expr *vector_call(struct vectors *v, const struct ir_expr *e,
                                   struct ir_expr **args)
{
    struct ir_module *m = v->x->m;
    struct dtype t = dtype_with_lanes(e->dtype, (unsigned)v->lanes);
    bool choice = e->u.call.op == IR_OP_IF_THEN_ELSE;
    if (choice && is_vector(args[0]))
        v->failed = true;
    for (uint32_t i = choice ? 1 : 0; i < e->nargs; i++)
        args[i] = spread(v, args[i]);
    return ir_call(m, t, e->u.call.name, e->nargs, args);
}

static struct ir_expr *vector_node(struct vectors *v, const struct ir_expr *e,
                                   struct ir_expr **args)
{
    struct ir_module *m = v->x->m;
    if (e->kind == IR_CAST)
        return ir_cast(m, dtype_with_lanes(e->dtype, (unsigned)v->lanes),
                       args[0]);
    if (e->kind == IR_NOT)
        return ir_not(m, args[0]);
    if (e->kind == IR_BITNOT)
        return ir_bitnot(m, args[0]);
    if (e->kind == IR_SELECT)
        return ir_select(m, spread(v, args[0]), spread(v, args[1]),
                         spread(v, args[2]));
    if (e->kind == IR_CALL)
        return vector_call(v, e, args);
    return vector_binary(v, e, args);
}

static struct ir_expr *vector_of(struct vectors *v, const struct ir_expr *e)
{
    struct ir_expr *args[4];
    bool vector = false;
    const struct ir_var *last = v->s->axes[v->s->nspatial - 1].var;
    if (e->kind == IR_LOAD)
        return vector_load(v, e);
    if (e->kind == IR_VAR_REF && e->u.var == last)
        return v->axes[v->s->nspatial - 1];
    if (!ir_uses_var(e, last) || e->nargs == 0)
        return gen_written(v->x, v->s, v->axes, e);
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = vector_of(v, e->args[i]);
        vector |= is_vector(args[i]);
    }
    if (v->failed || !vector) {
        v->failed = true;
        return ir_int(v->x->m, DTYPE_INT32, 0);
    }
    return vector_node(v, e, args);
}

bool gen_vector_stage(struct gen_emit *x, const struct gen_stage *s,
                      struct gen_stmts *out)
{
    struct gen_dim last = s->axes[s->nspatial - 1].dim;
    struct vectors v = {.x = x, .s = s, .lanes = last.size % 4 ? 2 : 4};
    struct gen_nest nest;
    if (s->reducer != GEN_NO_REDUCER || s->scan != SIZE_MAX || s->guard ||
        s->valid || last.symbolic || last.size % v.lanes != 0 ||
        x->tensors[s->tensor].reversed)
        return false;
    gen_nest_init(&nest, x, s);
    size_t loop = nest.nloops - 1;
    if (!gen_nest_split(&nest, loop, v.lanes))
        return false;
    gen_nest_settle(&nest);
    gen_nest_drop(&nest, loop + 1, ir_int(x->m, x->p->index, 0));
    uint32_t steps = x->tuning->steps;
    gen_nest_mark(&nest, false);
    memcpy(v.axes, nest.value, sizeof v.axes);
    v.axes[s->nspatial - 1] =
        ir_ramp(x->m, nest.value[s->nspatial - 1], ir_int(x->m, x->p->index, 1),
                ir_int(x->m, DTYPE_INT32, v.lanes));
    struct ir_expr *value = vector_of(&v, s->term);
    if (v.failed) {
        x->tuning->steps = steps;
        return false;
    }
    struct ir_stmt *store =
        gen_put(x, s->tensor, s->nspatial, v.axes, spread(&v, value));
    gen_stmts_add(out, gen_nest_wrap(&nest, 0, nest.nloops, store));
    gen_note(x, GEN_STEP_RAMP);
    return true;
}
