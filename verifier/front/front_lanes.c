/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes of a warp together (front_lanes.h). An expression seen from another
 * lane is the same expression with that lane's thread index in it, names
 * replaced by what they stand for.
 */
#include "verifier/front/front_lanes.h"

#include <string.h>

/* Nodes that one expression may have when it is seen from another lane. */
#define MAX_MOVED 4096

bool front_lanes_together(struct front *f)
{
    bool fine = front_warps_along_x(f);
    for (size_t i = 0; i < f->scopes.len && fine; i++) {
        const struct vscope *s = &f->scopes.items[i];
        if (s->kind == VSCOPE_GUARD)
            fine = front_is_uniform(f, s->value);
        if (s->kind == VSCOPE_LOOP && s->loop->kind != IR_FOR_THREAD)
            fine = front_is_uniform(f, s->loop->min) &&
                   front_is_uniform(f, s->loop->extent);
    }
    return fine;
}

bool front_all_lanes(struct front *f)
{
    return front_lane_axis(f) != NULL && front_lanes_together(f);
}

bool front_whole_warps(struct front *f, const char *what)
{
    int64_t n = 0;
    if (front_failed(f))
        return false;
    if (front_lane_axis(f) != NULL &&
        OBLIGED_FRONT(f, "whole warps reach a matrix instruction",
                      front_all_lanes(f) &&
                          ir_const_int(front_lane_axis(f)->loop->extent, &n) &&
                          n > 0 && n % WARP_LANES == 0))
        return true;
    front_refuse(f, f->stmt->pos,
                 "%s that is not done by all lanes of whole warps along "
                 "threadIdx.x",
                 what);
    return false;
}

/* ---- places in a warp ------------------------------------------------------------ */

struct ir_expr *front_lane(struct front *f)
{
    const struct axis *x = front_lane_axis(f);
    struct ir_expr *own = front_axis_value(f, x);
    if (ir_is_const_int(x->loop->extent, WARP_LANES))
        return own;
    return fx_floormod(f, own, fx_int(f, own->dtype, WARP_LANES));
}

struct ir_expr *front_warp_base(struct front *f)
{
    const struct axis *x = front_lane_axis(f);
    struct ir_expr *own = front_axis_value(f, x);
    struct ir_expr *n = fx_int(f, own->dtype, WARP_LANES);
    if (ir_is_const_int(x->loop->extent, WARP_LANES))
        return fx_int(f, own->dtype, 0);
    return fx_mul(f, fx_floordiv(f, own, n), n);
}

struct move {
    struct ir_expr *thread; /* in place of threadIdx.x */
    const struct axis *x;
    int budget;
};

static struct ir_expr *moved(struct front *f, struct move *m, struct ir_expr *e)
{
    uint32_t bit = UINT32_C(1) << (m->x - f->launch->axes);
    if (front_failed(f))
        return e;
    if (--m->budget < 0) {
        front_refuse(f, f->stmt->pos, "an address of another lane too long");
        return e;
    }
    if (e->kind == IR_VAR_REF) {
        const struct var_info *info = front_info(f, e->u.var);
        if (e->u.var == m->x->loop->var)
            return m->thread;
        if (info != NULL && info->value != NULL) {
            struct ir_expr *value = moved(f, m, info->value);
            return value == info->value ? e : value;
        }
        if (info == NULL || (info->axes & bit) == 0)
            return e;
        if (!OBLIGED_FRONT(f, "another lane's address is known", false))
            front_refuse(f, f->stmt->pos,
                         "an address of another lane that depends on a loop "
                         "which differs between lanes");
        return e;
    }
    if (e->nargs == 0 && e->kind != IR_LOAD)
        return e;
    struct ir_expr **args = ARENA_ARRAY(f->arena, e->nargs, struct ir_expr *);
    bool same = true;
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = moved(f, m, e->args[i]);
        same = same && args[i] == e->args[i];
    }
    /* each lane may have other data in what one name and index mean */
    if (e->kind == IR_LOAD ||
        (!same && (e->kind == IR_CALL || e->kind == IR_LET))) {
        if (!OBLIGED_FRONT(f, "another lane's address is known", false))
            front_refuse(f, f->stmt->pos,
                         "an address of another lane that depends on data");
        return e;
    }
    return same ? e : fx_rebuild(f, e, e->dtype, e->nargs, args);
}

struct ir_expr *front_at_lane(struct front *f, struct ir_expr *e,
                              struct ir_expr *lane)
{
    struct ir_expr *base = front_warp_base(f);
    struct move m = {.x = front_lane_axis(f), .budget = MAX_MOVED};
    m.thread = fx_add(f, base, fx_cast(f, base->dtype, lane));
    return moved(f, &m, e);
}

struct fstorage *front_exchanged(struct front *f, const char *name,
                                 struct dtype t, int64_t count)
{
    const struct axis *x = front_lane_axis(f);
    struct ir_expr *shape[] = {x->loop->extent, fx_index(f, count)};
    return front_temporary(f, name, t, 2, shape,
                           UINT32_C(1) << (x - f->launch->axes));
}

/* ---- products ---------------------------------------------------------------------- */

/* Products of float16 are numbers of float32: a product and a sum are then
 * what one rounding gives, too. */
struct ir_expr *front_multiply_add(struct front *f, struct ir_expr *a,
                                   struct ir_expr *b, struct ir_expr *c)
{
    struct dtype t = c->dtype;
    bool half = a->dtype.code == DT_FLOAT && a->dtype.bits == 16 &&
                b->dtype.code == DT_FLOAT && b->dtype.bits == 16 &&
                t.code == DT_FLOAT && t.bits >= 32;
    a = fx_cast(f, t, a);
    b = fx_cast(f, t, b);
    if (!dtype_is_float(t) || half)
        return ir_binary(f->m, IR_ADD, c, ir_binary(f->m, IR_MUL, a, b));
    struct ir_expr *args[] = {a, b, c};
    return ir_call(f->m, t, "tirx.fma", 3, args);
}
