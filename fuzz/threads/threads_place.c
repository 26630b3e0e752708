/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cell, lane or trip: expressions over the numbers of threads and trips.
 *
 * One is drawn as the number of a thread among some, twisted (turned round,
 * rotated, masked, divided), then decorated with what changes nothing in integers
 * without limits and may in a narrow type. Both its meanings are worked out for
 * all threads and trips. The tuned side has it as it is; the untuned side in wide
 * integers, where that stays in bounds, or as an affine form of the same values,
 * or as the tuned side has it.
 */
#include "fuzz/threads/threads_private.h"

int64_t th_pick(struct plan *p, size_t n, const int64_t *from)
{
    return from[gen_below(p->b, n)];
}
#define PICK(p, ...)                                                     \
    th_pick(p, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t), \
            (const int64_t[]){__VA_ARGS__})

bool th_chance(struct plan *p, unsigned of_ten)
{
    return gen_chance(p->b, of_ten, 10);
}

struct dtype th_draw_narrow(struct plan *p)
{
    static const struct {
        enum dtype_code code;
        unsigned bits;
    } types[] = {{DT_UINT, 8},  {DT_UINT, 8}, {DT_INT, 8},   {DT_INT, 8},
                 {DT_UINT, 16}, {DT_INT, 16}, {DT_UINT, 32}, {DT_INT, 64}};
    size_t i = gen_below(p->b, DC_ARRAY_LEN(types));
    return dtype_make(types[i].code, types[i].bits, 1);
}

/* ---- variables ------------------------------------------------------------- */

static void draw_var(struct plan *p, enum var_kind kind)
{
    static const char *const names[NVARS] = {"tx", "ty", "bx", "k"};
    struct var *v = &p->vars[kind];
    v->used = true;
    v->name = names[kind];
    v->t = th_chance(p, 6) ? DTYPE_INT32 : th_draw_narrow(p);
    v->plain = th_chance(p, 7) ? p->wide : v->t;
    v->step = 1;
    v->count = kind == VAR_TX   ? PICK(p, 4, 8, 16, 16, 20, 32, 32, 40, 48, 64)
               : kind == VAR_TY ? PICK(p, 2, 2, 3, 4)
                                : PICK(p, 2, 2, 3, 4);
    if (kind == VAR_K && th_chance(p, 2))
        v->step = PICK(p, 2, 3, 5);
    if (th_chance(p, 1))
        v->min = PICK(p, 1, 3, 7);
}

void th_draw_vars(struct plan *p, unsigned always, unsigned maybe)
{
    p->wide = th_chance(p, 8) ? DTYPE_INT32 : DTYPE_INT64;
    p->inner_y = th_chance(p, 2);
    p->data = th_chance(p, 6) ? "int32" : "float32";
    for (unsigned v = 0; v < NVARS; v++)
        if ((always & BIT(v)) || ((maybe & BIT(v)) && th_chance(p, 4)))
            draw_var(p, (enum var_kind)v);
}

int64_t th_count(const struct plan *p, unsigned set)
{
    int64_t n = 1;
    for (unsigned v = 0; v < NVARS; v++)
        if ((set & BIT(v)) && p->vars[v].used)
            n *= p->vars[v].count;
    return n;
}

/* The number of a trip. */
static const struct te *trip_of(struct plan *p, enum var_kind v, struct dtype t)
{
    const struct te *e = te_cast(p, t, te_var(p, v));
    if (p->vars[v].min != 0)
        e = te_with(p, TE_SUB, e, p->vars[v].min);
    if (p->vars[v].step != 1)
        e = te_with(p, TE_FLOORDIV, e, p->vars[v].step);
    return e;
}

const struct te *th_flat(struct plan *p, unsigned set, struct dtype t)
{
    static const enum var_kind order[] = {VAR_BX, VAR_K, VAR_TY, VAR_TX};
    const struct te *sum = NULL;
    for (unsigned i = 0; i < DC_ARRAY_LEN(order); i++) {
        enum var_kind v = order[i];
        if (!(set & BIT(v)) || !p->vars[v].used)
            continue;
        const struct te *e = trip_of(p, v, t);
        sum = sum == NULL
                  ? e
                  : te_binary(p, TE_ADD,
                              te_with(p, TE_MUL, sum, p->vars[v].count), e);
    }
    return sum != NULL ? sum : te_const(p, t, 0);
}

/* ---- shapes of places ------------------------------------------------------ */

/* Something of one of m numbers. */
static const struct te *twist(struct plan *p, const struct te *f, int64_t m)
{
    int64_t c = 1 + (int64_t)gen_below(p->b, (uint64_t)(m < 8 ? m : 8));
    int64_t d = PICK(p, 2, 2, 4, 3, 8);
    int64_t mask = PICK(p, 1, 3, 7, 2, 15);
    switch (gen_below(p->b, 18)) {
    case 0: return te_binary(p, TE_SUB, te_const(p, f->t, m - 1), f);
    case 1: return te_with(p, TE_FLOORMOD, te_with(p, TE_ADD, f, c), m);
    case 2: return te_with(p, TE_XOR, f, mask);
    case 3: return te_with(p, TE_FLOORDIV, f, d);
    case 4: return te_with(p, TE_FLOORMOD, f, d);
    case 5: return te_binary(p, TE_SUB, f, te_with(p, TE_AND, f, mask));
    case 6: return te_with(p, TE_AND, f, mask);
    case 7:
        return te_binary(
            p, TE_ADD,
            te_with(p, TE_MUL, te_with(p, TE_FLOORMOD, f, d), (m + d - 1) / d),
            te_with(p, TE_FLOORDIV, f, d));
    case 8:
        return te_with(p, TE_FLOORMOD,
                       te_with(p, TE_ADD, te_with(p, TE_MUL, f, 2 * c + 1), c),
                       m);
    case 9: return te_with(p, TE_MIN, f, m - c);
    case 10: return te_with(p, TE_MAX, f, c);
    case 11:
        return te_select(p, te_with(p, TE_LT, f, c), f,
                         te_with(p, TE_SUB, f, c));
    case 12:
        return te_with(p, TE_SUB,
                       te_with(p, th_chance(p, 5) ? TE_FLOORMOD : TE_MOD,
                               te_with(p, TE_SUB, te_with(p, TE_MUL, f, d), c),
                               d),
                       -c);
    case 13: return te_with(p, TE_MUL, f, 2);
    case 14:
        return te_with(p, TE_FLOORDIV,
                       te_binary(p, TE_SUB, te_const(p, f->t, m + c), f), d);
    case 15: /* of which little is left, or nothing */
        return te_cast(p, f->t,
                       te_cast(p, dtype_make(DT_UINT, 8, 1),
                               te_with(p, TE_MUL, te_cast(p, DTYPE_INT32, f),
                                       PICK(p, 256, 128, 64))));
    default: return f;
    }
}

/* What is e to who forgets that t is narrow. */
static const struct te *narrowed(struct plan *p, const struct te *e,
                                 struct dtype t)
{
    const struct te *n = te_cast(p, t, e);
    int64_t top = t.bits >= 16 ? 32767 : t.code == DT_INT ? 127 : 255;
    int64_t c = PICK(p, top, top - 1, top - 7, top - 15, top - 31, top / 2);
    int64_t f = PICK(p, 2, 3, 4, 8, 16, 32);
    switch (gen_below(p->b, 8)) {
    case 0: return n;
    case 1: return te_with(p, TE_FLOORDIV, te_with(p, TE_MUL, n, f), f);
    case 2: return te_with(p, TE_SUB, te_with(p, TE_ADD, n, c), c);
    case 3:
        return te_with(p, TE_FLOORDIV,
                       te_with(p, TE_ADD, te_with(p, TE_MUL, n, f), f - 1), f);
    case 4: return te_with(p, TE_MIN, n, top);
    case 5:
        return te_with(p, TE_SHR, te_with(p, TE_SHL, n, PICK(p, 1, 2, 3, 4)),
                       1);
    case 6:
        return te_with(p, TE_FLOORMOD, te_with(p, TE_ADD, n, f * 16), f * 16);
    default:
        return te_select(p, te_binary(p, TE_LE, n, te_with(p, TE_ADD, n, c)), n,
                         te_with(p, TE_SUB, n, 1));
    }
}

const struct te *th_decorate(struct plan *p, const struct te *e)
{
    int64_t f = PICK(p, 2, 4, 8, 3), mask = PICK(p, 1, 3, 7);
    struct dtype t = th_draw_narrow(p);
    switch (gen_below(p->b, 10)) {
    case 0:
        return te_binary(p, TE_ADD,
                         te_with(p, TE_MUL, te_with(p, TE_FLOORDIV, e, f), f),
                         te_with(p, TE_FLOORMOD, e, f));
    case 1:
        return te_binary(p, TE_ADD,
                         te_binary(p, TE_SUB, e, te_with(p, TE_AND, e, mask)),
                         te_with(p, TE_AND, e, mask));
    case 2: return te_with(p, TE_XOR, te_with(p, TE_XOR, e, mask), mask);
    case 3: /* wraps back, where the number of cells is a power of 2 */
        return te_cast(p, e->t, te_cast(p, t, te_with(p, TE_ADD, e, 256)));
    default: return te_cast(p, e->t, narrowed(p, e, t));
    }
}

/* ---- spelling -------------------------------------------------------------- */

/* All values lie in [lo, hi), with limits or without. */
static bool within(const struct plan *p, const struct te *e, bool unlimited,
                   int64_t lo, int64_t hi)
{
    int64_t trips[NVARS] = {0}, value;
    do {
        if (!te_value(p, e, trips, unlimited, &value) || value < lo ||
            value >= hi)
            return false;
    } while (te_next(p, trips));
    return true;
}

static bool values_differ(const struct plan *p, const struct te *e)
{
    int64_t trips[NVARS] = {0}, a, b;
    do {
        if (!te_value(p, e, trips, false, &a) ||
            !te_value(p, e, trips, true, &b) || a != b)
            return true;
    } while (te_next(p, trips));
    return false;
}

bool te_mentions(const struct te *e, enum var_kind v)
{
    if (e->kind == TE_VAR)
        return e->value == (int64_t)v;
    for (unsigned i = 0; i < 3 && e->a[i] != NULL; i++)
        if (te_mentions(e->a[i], v))
            return true;
    return false;
}

/* c + a tx + …, if its values are those of e; else NULL. */
static const struct te *affine_of(struct plan *p, const struct te *e,
                                  bool unlimited)
{
    int64_t trips[NVARS] = {0}, zero, value, a[NVARS] = {0};
    if (!te_value(p, e, trips, unlimited, &zero))
        return NULL;
    const struct te *sum = te_const(p, DTYPE_INT64, zero);
    for (unsigned v = 0; v < NVARS; v++) {
        if (!p->vars[v].used || p->vars[v].count < 2)
            continue;
        trips[v] = 1;
        if (!te_value(p, e, trips, unlimited, &value))
            return NULL;
        trips[v] = 0;
        a[v] = value - zero;
        if (a[v] != 0)
            sum = te_binary(p, TE_ADD, sum,
                            te_with(p, TE_MUL,
                                    trip_of(p, (enum var_kind)v, DTYPE_INT64),
                                    a[v]));
    }
    do {
        int64_t want = zero;
        for (unsigned v = 0; v < NVARS; v++)
            want += a[v] * trips[v];
        if (!te_value(p, e, trips, unlimited, &value) || value != want)
            return NULL;
    } while (te_next(p, trips));
    return sum;
}

struct place th_plain(const struct te *e)
{
    return (struct place){.e = {e, e}, .wide = {true, true}};
}

struct place th_spell(struct plan *p, const struct te *e, int64_t lo,
                      int64_t hi)
{
    struct place out = {.e = {e, e}};
    if (!within(p, e, false, lo, hi))
        return (struct place){.e = {NULL, NULL}};
    out.differs = values_differ(p, e);
    bool fits = within(p, e, true, lo, hi);
    out.wide[0] = fits && th_chance(p, 7);
    if (th_chance(p, 4) && e->t.code != DT_BOOL) {
        const struct te *a = affine_of(p, e, out.wide[0]);
        if (a != NULL) {
            out.e[0] = a;
            out.wide[0] = true;
        }
    }
    if (gen_chance(p->b, 1, 12)) {
        const struct te *other = out.e[0];
        bool wide = out.wide[0];
        out.e[0] = out.e[1];
        out.wide[0] = out.wide[1];
        out.e[1] = other;
        out.wide[1] = wide;
    }
    return out;
}

/* ---- drawing --------------------------------------------------------------- */

static struct dtype type_among(struct plan *p, unsigned set)
{
    if (th_chance(p, 5))
        return DTYPE_INT32;
    for (unsigned v = 0; v < NVARS; v++)
        if ((set & BIT(v)) && p->vars[v].used && th_chance(p, 5))
            return p->vars[v].t;
    return th_draw_narrow(p);
}

struct place th_draw_place(struct plan *p, unsigned set, int64_t n)
{
    for (unsigned tries = 0; tries < 8; tries++) {
        unsigned some = set;
        if (th_chance(p, 3))
            some &= ~BIT(gen_below(p->b, NVARS));
        const struct te *e = th_flat(p, some, type_among(p, set));
        e = twist(p, e, th_count(p, some));
        if (th_chance(p, 5))
            e = th_decorate(p, e);
        if (th_chance(p, 1))
            e = twist(p, e, n);
        if (th_chance(p, 1))
            e = th_decorate(p, e);
        if (th_chance(p, 3))
            e = te_cast(p, DTYPE_INT32, e);
        struct place place = th_spell(p, e, 0, n);
        if (place.e[0] == NULL && te_fits(e->t, n))
            place = th_spell(p, te_with(p, TE_FLOORMOD, e, n), 0, n);
        if (place.e[0] != NULL)
            return place;
    }
    const struct te *e = th_flat(p, set, DTYPE_INT32);
    return th_plain(te_with(p, TE_FLOORMOD, e, n));
}

struct place th_draw_flat(struct plan *p, unsigned set)
{
    const struct te *e = th_flat(p, set, DTYPE_INT32);
    struct place place;
    if (th_chance(p, 8))
        return th_plain(e);
    place = th_spell(p, th_decorate(p, e), 0, th_count(p, set));
    return place.e[0] != NULL ? place : th_plain(e);
}

/* Both sides of a comparison are moved alike. */
static const struct te *compared(struct plan *p, const struct te *e, int64_t m)
{
    int64_t c = (int64_t)gen_below(p->b, (uint64_t)m + 1);
    int64_t by = PICK(p, 0, 0, 100, 200, 250, 120, 127);
    int64_t d = PICK(p, 2, 4, 8, 16);
    switch (gen_below(p->b, 10)) {
    case 0: return te_with(p, TE_EQ, te_with(p, TE_FLOORDIV, e, d), 0);
    case 1: return te_with(p, TE_EQ, te_with(p, TE_FLOORMOD, e, d), c % d);
    case 2: return te_with(p, TE_NE, te_with(p, TE_AND, e, d), 0);
    case 3: return te_with(p, TE_LE, te_const(p, e->t, c), 0);
    case 4:
        return te_binary(p, TE_LT, te_const(p, e->t, c + by),
                         te_with(p, TE_ADD, e, by + 1));
    case 6: /* these hold where nothing wraps */
        return te_binary(p, TE_LE, te_const(p, e->t, by),
                         te_with(p, TE_ADD, e, by));
    case 7:
        return te_binary(p, TE_LE, te_const(p, e->t, by - by % 16),
                         te_with(p, TE_ADD, e, by));
    case 5: return te_with(p, TE_EQ, e, c);
    default:
        return te_binary(p, TE_LT, te_with(p, TE_ADD, e, by),
                         te_const(p, e->t, c + by));
    }
}

struct place th_draw_condition(struct plan *p, unsigned set, bool integer)
{
    struct place place;
    for (unsigned tries = 0; tries < 8; tries++) {
        unsigned some = set;
        if (th_chance(p, 4))
            some &= ~BIT(gen_below(p->b, NVARS));
        const struct te *e = th_flat(p, some, type_among(p, set));
        if (th_chance(p, 3))
            e = th_decorate(p, e);
        if (integer && th_chance(p, 4)) {
            e = te_with(p, TE_MUL, e, PICK(p, 1, 2, 16, 32, 64, 128));
            place =
                th_spell(p, te_cast(p, th_draw_narrow(p), e), -32768, 1 << 20);
            if (place.e[0] != NULL)
                place.e[0] = te_with(p, TE_NE, place.e[0], 0);
        } else {
            e = compared(p, e, th_count(p, some));
            if (th_chance(p, 1))
                e = te_binary(p, th_chance(p, 5) ? TE_BOTH : TE_EITHER, e,
                              compared(p, th_flat(p, set, DTYPE_INT32),
                                       th_count(p, set)));
            place = th_spell(p, e, 0, 2);
        }
        if (place.e[0] != NULL)
            return place;
    }
    return th_plain(te_with(p, TE_LT, th_flat(p, set, DTYPE_INT32), 1 << 20));
}
