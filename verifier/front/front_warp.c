/* SPDX-License-Identifier: Apache-2.0
 *
 * Warp shuffles (R22). Before the statement that holds the call each lane
 * stores what it gives to a storage with threadIdx.x as an index; the call is
 * then a load at the source lane's place. Only where all lanes of a warp take
 * part: no condition or loop around tells them apart, and the mask is full.
 */
#include "verifier/front/front_lanes.h"

enum shuffle {
    SHUFFLE_NONE,
    SHUFFLE_INDEX,
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_XOR
};

static enum shuffle kind_of(const struct ir_expr *e)
{
    if (e->kind != IR_CALL || e->nargs < 4)
        return SHUFFLE_NONE;
    switch ((int)ir_call_op(e)) {
    case IR_OP_WARP_SHUFFLE: return SHUFFLE_INDEX;
    case IR_OP_WARP_SHUFFLE_UP: return SHUFFLE_UP;
    case IR_OP_WARP_SHUFFLE_DOWN: return SHUFFLE_DOWN;
    case IR_OP_WARP_SHUFFLE_XOR: return SHUFFLE_XOR;
    default: return SHUFFLE_NONE;
    }
}

static int64_t axis_extent(const struct front *f)
{
    int64_t n = 0;
    (void)ir_const_int(front_lane_axis(f)->loop->extent, &n);
    return n;
}

static uint32_t full_mask(int64_t extent)
{
    return extent >= 32 ? UINT32_MAX : (UINT32_C(1) << extent) - 1;
}

/* Whether the constant holds all bits of `full`. */
static bool covers(const struct ir_expr *e, uint32_t full)
{
    int64_t n;
    while (e->kind == IR_CAST && dtype_is_int(e->dtype) && e->dtype.bits >= 32)
        e = e->args[0];
    return dtype_is_int(e->dtype) && ir_const_int(e, &n) &&
           ((uint32_t)n & full) == full;
}

/* Whether the store is made whatever the data is. */
static bool is_certain(const struct vstore *st)
{
    for (size_t i = 0; i < st->nscopes; i++) {
        const struct vscope *s = &st->scopes[i];
        if (s->kind == VSCOPE_GUARD ||
            (s->kind == VSCOPE_LOOP && s->loop->kind != IR_FOR_THREAD))
            return false;
    }
    return true;
}

/* A mask that was kept in memory, in the first element of an array, has been
 * stored by then; it is looked at again when the pass is over. */
static bool is_full_mask(struct front *f, struct ir_expr *e)
{
    const struct var_info *info =
        e->kind == IR_VAR_REF ? front_info(f, e->u.var) : NULL;
    if (info != NULL && info->value != NULL)
        return is_full_mask(f, info->value);
    uint32_t full = full_mask(axis_extent(f));
    if (e->kind != IR_LOAD)
        return covers(e, full);
    bool stored = false;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!ir_is_const_int(e->args[i], 0))
            return false;
    for (size_t i = 0; i < f->storages.len; i++)
        if (f->storages.items[i]->buffer == e->u.buffer &&
            f->storages.items[i]->param < 0) {
            for (size_t k = 0; k < f->stores.len; k++) {
                const struct vstore *st = f->stores.items[k];
                if (st->target != f->storages.items[i])
                    continue;
                if (!covers(st->value, full))
                    return false;
                bool first = true;
                for (size_t d = 0; d < st->nindex; d++)
                    first = first && ir_is_const_int(st->index[d], 0);
                stored = stored || (first && is_certain(st));
            }
            vec_push(&f->masks,
                     ((struct kept_mask){f->storages.items[i], full}));
            return stored;
        }
    return false;
}

void front_check_masks(struct front *f)
{
    for (size_t i = 0; i < f->masks.len; i++)
        for (size_t k = 0; k < f->stores.len; k++) {
            const struct vstore *s = f->stores.items[k];
            const struct kept_mask *x = &f->masks.items[i];
            if (s->target == x->storage &&
                !OBLIGED_FRONT(f, "a shuffle's mask is full",
                               covers(s->value, x->full)))
                front_refuse(f, s->pos, "a mask of lanes that changes");
        }
}

/* The lanes of a warp; 0: not all warps of a block have the same. */
static uint32_t warp_lanes(const struct front *f)
{
    int64_t threads = 1, n;
    for (size_t i = 0; i < f->launch->naxes; i++) {
        const struct axis *a = &f->launch->axes[i];
        if (a->is_block || a->is_vthread) /* those are no lanes (R20, R30) */
            continue;
        if (!ir_const_int(a->loop->extent, &n) || n < 1 || n > 1024 / threads)
            return 0;
        threads *= n;
    }
    return threads < 32 || threads % 32 == 0 ? full_mask(threads) : 0;
}

struct ir_expr *front_active_mask(struct front *f, struct ir_expr *call)
{
    uint32_t lanes = f->launch != NULL ? warp_lanes(f) : 0;
    if (!OBLIGED_FRONT(f, "all lanes run where their mask is read",
                       lanes != 0 && front_all_lanes(f)))
        front_refuse(f, f->stmt->pos,
                     "a mask of running lanes where not all run");
    return fx_int(f, call->dtype,
                  call->dtype.code == DT_INT ? (int32_t)lanes : (int64_t)lanes);
}

/* ---- before the statement ---------------------------------------------------------- */

static void exchange(struct front *f, struct ir_expr *call)
{
    struct front_mark mark = front_mark(f);
    const struct axis *x = front_lane_axis(f);
    if (x == NULL ||
        !OBLIGED_FRONT(f, "all lanes reach a shuffle", front_all_lanes(f)) ||
        call->dtype.lanes != 1 ||
        !OBLIGED_FRONT(f, "a shuffle's mask is full",
                       is_full_mask(f, front_scalar(f, call->args[0])))) {
        front_refuse(f, f->stmt->pos,
                     "a shuffle in which not all lanes take part");
        return;
    }
    struct ir_expr *shape[] = {x->loop->extent};
    struct ir_expr *own[] = {front_axis_value(f, x)};
    struct fstorage *s = front_temporary(f, "shuffled", call->dtype, 1, shape,
                                         UINT32_C(1) << (x - f->launch->axes));
    front_part(f, 0);
    (void)front_store(f, s, 1, own, front_scalar(f, call->args[1]));
    front_reset(f, mark);
    vec_push(&f->exchanges, ((struct exchange){call, s}));
    front_part(f, 1); /* of all that follows */
}

/* Operands first; what is under a guard is not found again and is refused. */
static void collect(struct front *f, struct ir_expr *e)
{
    if (e == NULL || front_failed(f))
        return;
    bool guard = e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE;
    for (uint32_t i = 0; i < (guard ? 1 : e->nargs); i++)
        collect(f, e->args[i]);
    if (kind_of(e) != SHUFFLE_NONE)
        exchange(f, e);
}

static bool is_shuffle(const void *user, const struct ir_expr *e)
{
    (void)user;
    return kind_of(e) != SHUFFLE_NONE;
}

static void collect_from(struct front *f, struct ir_expr *e)
{
    if (ir_expr_any(e, is_shuffle, NULL))
        collect(f, e);
}

void front_exchanges(struct front *f, struct ir_stmt *s)
{
    if (s->kind == IR_STORE) {
        collect_from(f, s->u.store.value);
        for (size_t i = 0; i < s->u.store.nindices; i++)
            collect_from(f, s->u.store.indices[i]);
    } else if (s->kind == IR_BIND) {
        collect_from(f, s->u.bind.value);
    } else if (s->kind == IR_EVALUATE) {
        collect_from(f, s->u.value);
    } else if (s->kind == IR_IF) {
        collect_from(f, s->u.if_.cond);
    } else if (s->kind == IR_ASSERT) {
        collect_from(f, s->u.assert_.cond);
    }
}

/* ---- the value -------------------------------------------------------------------------- */

static bool within(struct front *f, struct ir_expr *e, int64_t lo, int64_t hi)
{
    int64_t a, b;
    return fx_range(f, e, &a, &b) && a >= lo && b <= hi;
}

/* The lane that is read, and the condition under which it lies in the segment
 * of `width` lanes; otherwise the lane itself is. */
static struct ir_expr *source_lane(struct front *f, enum shuffle kind,
                                   struct ir_expr *lane, struct ir_expr *arg,
                                   int64_t width, struct ir_expr **inside)
{
    struct ir_expr *n = fx_int(f, lane->dtype, width);
    struct ir_expr *at = width >= 32 ? lane : fx_floormod(f, lane, n);
    struct ir_expr *first = fx_sub(f, lane, at);
    if (width >= 32)
        first = fx_int(f, lane->dtype, 0);
    *inside = ir_int(f->m, DTYPE_BOOL, 1);
    switch (kind) {
    case SHUFFLE_INDEX:
        if (!within(f, arg, 0, width - 1))
            arg = fx_floormod(f, arg, n);
        return fx_add(f, first, arg);
    case SHUFFLE_UP:
        *inside = ir_not(f->m, fx_lt(f, at, arg));
        return fx_sub(f, lane, arg);
    case SHUFFLE_DOWN:
        *inside = fx_lt(f, fx_add(f, at, arg), n);
        return fx_add(f, lane, arg);
    case SHUFFLE_XOR:
        /* within the segment when the mask is less than its width */
        return ir_binary(f->m, IR_BITXOR, lane, arg);
    case SHUFFLE_NONE: break;
    }
    return lane;
}

struct ir_expr *front_shuffle(struct front *f, struct ir_expr *call)
{
    enum shuffle kind = kind_of(call);
    const struct exchange *found = NULL;
    int64_t width, extent;
    if (kind == SHUFFLE_NONE)
        return NULL;
    for (size_t i = 0; i < f->exchanges.len; i++)
        if (f->exchanges.items[i].call == call)
            found = &f->exchanges.items[i];
    struct ir_expr *arg = front_scalar(f, call->args[2]);
    if (found == NULL || front_lane_axis(f)->loop->var->dtype.bits < 32 ||
        !ir_const_int(call->args[3], &width) || width < 1 || width > 32 ||
        (width & (width - 1)) != 0 ||
        !OBLIGED_FRONT(f, "a shuffle reaches no other segment",
                       within(f, arg, kind == SHUFFLE_INDEX ? -1024 : 0,
                              kind == SHUFFLE_XOR ? width - 1 : 1024))) {
        front_refuse(f, f->stmt->pos, "a shuffle of a form not understood");
        return fx_undef(f, call->dtype);
    }
    struct fstorage *s = found->given;
    const struct vloop *x = front_lane_axis(f)->loop;
    struct ir_expr *own = front_axis_value(f, front_lane_axis(f));
    struct ir_expr *lane = own, *inside;
    extent = axis_extent(f);
    arg = fx_cast(f, x->var->dtype, arg);
    if (extent > 32)
        lane = fx_floormod(f, own, fx_int(f, own->dtype, 32));
    struct ir_expr *source = source_lane(f, kind, lane, arg, width, &inside);
    if (extent > 32)
        source = fx_add(f, fx_sub(f, own, lane), source);
    struct ir_expr *value = ir_load(f->m, s->pub.buffer, 1, &source, NULL);
    if (!within(f, source, 0, extent - 1) && extent % 32 != 0)
        value = fx_choose(f, fx_lt(f, source, x->extent), value,
                          fx_undef(f, call->dtype));
    return fx_choose(f, inside, value,
                     ir_load(f->m, s->pub.buffer, 1, &own, NULL));
}
