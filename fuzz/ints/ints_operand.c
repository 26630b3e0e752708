/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing operands: types, constants, slots, and small terms over them.
 *
 * An operand is a slot, or a slot kept in a range (masked, clamped, widened
 * from a narrower type), so that for many rules the limits lie just where the
 * operands do or do not wrap. Constants are those at the ends of types and next
 * to them.
 */
#include "fuzz/ints/ints_private.h"

/* ---- types and constants --------------------------------------------------- */

struct dtype draw_type(struct draw *d)
{
    if (d->symbolic && gen_chance(d->b, 1, 2))
        return d->size;
    static const struct {
        unsigned bits, weight;
    } widths[] = {{8, 10}, {16, 5}, {32, 8}, {64, 4}, {4, 1}, {12, 1}};
    uint64_t total = d->calls ? 27 : 29, at = gen_below(d->b, total);
    for (size_t i = 0; i < DC_ARRAY_LEN(widths); i++) {
        if (at < widths[i].weight)
            return gen_chance(d->b, 1, 2) ? ints_int(widths[i].bits)
                                          : ints_uint(widths[i].bits);
        at -= widths[i].weight;
    }
    return DTYPE_INT32;
}

struct dtype draw_width(struct draw *d, struct dtype t, bool wider)
{
    static const unsigned widths[] = {4, 8, 12, 16, 32, 64};
    struct dtype found[12];
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(widths); i++) {
        if (wider ? widths[i] <= t.bits : widths[i] >= t.bits)
            continue;
        if ((widths[i] == 4 || widths[i] == 12) &&
            (d->calls || !gen_chance(d->b, 1, 8)))
            continue;
        found[n++] = dtype_make(t.code, widths[i], 1);
        if (gen_chance(d->b, 1, 4))
            found[n++] =
                dtype_make(t.code == DT_INT ? DT_UINT : DT_INT, widths[i], 1);
    }
    return n == 0 ? DTYPE_VOID : found[gen_below(d->b, n)];
}

int64_t draw_constant(struct draw *d, struct dtype t)
{
    int64_t v = 0;
    switch (gen_below(d->b, 7)) {
    case 0: v = (int64_t)gen_below(d->b, 4); break;
    case 1: v = ints_most(t) - (int64_t)gen_below(d->b, 3); break;
    case 2: v = ints_least(t) + (int64_t)gen_below(d->b, 3); break;
    case 3: {
        unsigned s = (unsigned)gen_below(d->b, t.bits);
        v = (int64_t)((UINT64_C(1) << s) + gen_below(d->b, 3) - 1);
        break;
    }
    case 4: v = (int64_t)gen_below(d->b, 256); break;
    case 5: v = -(int64_t)gen_below(d->b, 130); break;
    default: v = 1 + (int64_t)gen_below(d->b, 20); break;
    }
    return (int64_t)ints_wrap(t, (uint64_t)v);
}

int64_t draw_positive(struct draw *d, struct dtype t)
{
    int64_t v = draw_constant(d, t);
    if (gen_chance(d->b, 1, 2))
        v = 2 + (int64_t)gen_below(d->b, 8);
    return ints_fits(t, v) && v > 0 ? v : 1;
}

/* ---- slots ----------------------------------------------------------------- */

static bool may_loop(const struct draw *d, struct dtype t)
{
    if (d->symbolic)
        return dtype_equal(t, d->size);
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_LOOP && !dtype_equal(d->slots[i].t, t))
            return false;
    return dtype_is_int(t) && t.bits >= 8;
}

static const struct ix *new_slot(struct draw *d, struct dtype t)
{
    struct slot s = {.t = t};
    uint64_t k = gen_below(d->b, 12);
    bool sized = d->symbolic && dtype_equal(t, d->size);
    bool data = !d->indices || dtype_is_float(t);
    if (d->state && dtype_is_int(t) && d->nslots < 3) {
        d->state = false;
        s.kind = SLOT_STATE;
    } else if (d->in_place && dtype_is_int(t)) {
        d->in_place = false;
        s.kind = SLOT_OUTPUT;
        s.at = d->symbolic || gen_chance(d->b, 2, 3)
                   ? -1
                   : (int64_t)gen_below(d->b, (uint64_t)d->n);
    } else if (sized && k < 2) {
        s.kind = SLOT_SIZE;
    } else if (may_loop(d, t) && (k == 0 || (!data && k < 5)))
        s.kind = SLOT_LOOP;
    else if (!data || (k < 3 && !d->calls))
        s.kind = SLOT_SCALAR;
    else
        s.kind = k == 3 ? SLOT_FIXED : SLOT_ELEMENT;
    if (s.kind == SLOT_FIXED)
        s.at = d->symbolic ? 0 : (int64_t)gen_below(d->b, (uint64_t)d->n);
    d->slots[d->nslots] = s;
    return ix_slot(d->arena, t, (unsigned)d->nslots++);
}

const struct ix *draw_slot(struct draw *d, struct dtype t)
{
    unsigned fit[IX_MAX_SLOTS];
    size_t n = 0;
    for (size_t i = 0; i < d->nslots; i++)
        if (dtype_equal(d->slots[i].t, t) && d->slots[i].kind != SLOT_TABLE)
            fit[n++] = (unsigned)i;
    if (n > 0 && (d->nslots == IX_MAX_SLOTS || gen_chance(d->b, 1, 2)))
        return ix_slot(d->arena, t, fit[gen_below(d->b, n)]);
    if (d->nslots == IX_MAX_SLOTS)
        return NULL;
    return new_slot(d, t);
}

bool draw_table(struct draw *d, struct dtype t, unsigned rank, unsigned *slot)
{
    size_t i = 0;
    if (d->calls)
        return false;
    while (i < d->nslots &&
           (d->slots[i].kind != SLOT_TABLE || d->slots[i].at != rank ||
            !dtype_equal(d->slots[i].t, t)))
        i++;
    if (i == IX_MAX_SLOTS)
        return false;
    if (i == d->nslots)
        d->slots[d->nslots++] =
            (struct slot){.kind = SLOT_TABLE, .t = t, .at = rank};
    *slot = (unsigned)i;
    return true;
}

/* ---- operands -------------------------------------------------------------- */

/* An element of a table, at an index that is kept inside in one way or another,
 * or not. */
static const struct ix *table_read(struct draw *d, struct dtype t,
                                   unsigned depth)
{
    struct arena *arena = d->arena;
    unsigned slot;
    struct dtype of = gen_chance(d->b, 1, 2) ? t : draw_type(d);
    if (!draw_table(d, t, 1, &slot))
        return NULL;
    const struct ix *at = draw_value(d, of, depth - 1);
    if (at == NULL || !ints_fits(of, d->row))
        return NULL;
    switch (gen_below(d->b, 5)) {
    case 0: break;
    case 1:
        at = ix_binary(arena, IR_FLOORMOD, at, ix_const(arena, of, d->row));
        break;
    case 2:
        at = ix_binary(arena, IR_MAX, at, ix_const(arena, of, 0));
        at = ix_binary(arena, IR_MIN, at, ix_const(arena, of, d->row - 1));
        break;
    default:
        at = ix_binary(arena, IR_BITAND, at, ix_const(arena, of, d->row - 1));
        break;
    }
    return ix_at(arena, t, slot, 1, &at);
}

static const struct ix *ranged(struct draw *d, struct dtype t)
{
    struct arena *arena = d->arena;
    const struct ix *v = draw_slot(d, t);
    const struct ix *k = ix_const(arena, t, draw_positive(d, t));
    if (v == NULL)
        return NULL;
    switch (gen_below(d->b, 6)) {
    case 0: return ix_binary(arena, IR_BITAND, v, k);
    case 1: return ix_binary(arena, IR_FLOORMOD, v, k);
    case 2: return ix_binary(arena, IR_MIN, v, k);
    case 3:
        return ix_binary(arena, IR_MAX, v,
                         ix_const(arena, t, draw_constant(d, t)));
    case 4: {
        unsigned s = (unsigned)gen_below(d->b, t.bits);
        return ix_binary(arena, IR_SHR, v, ix_const(arena, t, s));
    }
    default: {
        const struct ix *low = ix_const(arena, t, draw_constant(d, t));
        return ix_binary(arena, IR_MIN, ix_binary(arena, IR_MAX, v, low), k);
    }
    }
}

static const struct ix *small_term(struct draw *d, struct dtype t,
                                   unsigned depth)
{
    static const enum ir_expr_kind ops[] = {
        IR_ADD, IR_SUB,    IR_MUL,   IR_ADD,    IR_SUB, IR_MIN,
        IR_MAX, IR_BITAND, IR_BITOR, IR_BITXOR, IR_SHR};
    const struct ix *a = draw_value(d, t, depth - 1);
    const struct ix *b = gen_chance(d->b, 1, 2)
                             ? ix_const(d->arena, t, draw_constant(d, t))
                             : draw_value(d, t, depth - 1);
    return ix_binary(d->arena, ops[gen_below(d->b, DC_ARRAY_LEN(ops))], a, b);
}

const struct ix *draw_value(struct draw *d, struct dtype t, unsigned depth)
{
    struct dtype narrow;
    if (dtype_is_bool(t))
        return draw_truth(d, depth);
    if (dtype_is_float(t))
        return draw_slot(d, t);
    uint64_t k = gen_below(d->b, 10);
    if (k < 2)
        return ranged(d, t);
    if (k == 2 && depth > 0) {
        const struct ix *e = gen_chance(d->b, 1, 3) && !d->indices
                                 ? table_read(d, t, depth)
                                 : NULL;
        return e != NULL ? e : small_term(d, t, depth);
    }
    if (k == 3) {
        narrow = draw_width(d, t, false);
        if (narrow.code != DT_VOID)
            return ix_cast(d->arena, t, draw_slot(d, narrow));
    }
    return draw_slot(d, t);
}

const struct ix *draw_truth(struct draw *d, unsigned depth)
{
    static const enum ir_expr_kind ops[] = {IR_EQ, IR_NE, IR_LT,
                                            IR_LE, IR_GT, IR_GE};
    if (gen_chance(d->b, 1, 4) && !d->indices)
        return draw_slot(d, DTYPE_BOOL);
    struct dtype t = d->names.types['T' - 'A'];
    if (!dtype_is_int(t) || gen_chance(d->b, 1, 4))
        t = draw_type(d);
    const struct ix *a = draw_value(d, t, depth > 0 ? depth - 1 : 0);
    const struct ix *b = gen_chance(d->b, 1, 2)
                             ? ix_const(d->arena, t, draw_constant(d, t))
                             : draw_slot(d, t);
    return ix_binary(d->arena, ops[gen_below(d->b, DC_ARRAY_LEN(ops))], a, b);
}
