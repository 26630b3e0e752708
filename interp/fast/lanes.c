/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes from and to memory. An access whose elements lie side by side goes
 * straight to the kernels; any other is brought into line first.
 *
 * Every access is checked here: indices that the nest could not show to be in
 * range, and that what is read is defined. A check for all lanes looks at the
 * first and the last, between which a linear index lies.
 */
#include "interp/fast/coop_vm.h"

#include <string.h>

/* ---- types ------------------------------------------------------------------------ */

struct type_row {
    uint8_t code, bits, bytes;
};
static const struct type_row types[T_NTYPES] = {
    [T_F32] = {DT_FLOAT, 32, 4},   [T_F16] = {DT_FLOAT, 16, 2},
    [T_BF16] = {DT_BFLOAT, 16, 2}, [T_F64] = {DT_FLOAT, 64, 8},
    [T_I8] = {DT_INT, 8, 1},       [T_I16] = {DT_INT, 16, 2},
    [T_I32] = {DT_INT, 32, 4},     [T_U8] = {DT_UINT, 8, 1},
    [T_U16] = {DT_UINT, 16, 2},    [T_BOOL] = {DT_BOOL, 8, 1},
    [T_U32] = {DT_UINT, 32, 4},    [T_I64] = {DT_INT, 64, 8},
    [T_U64] = {DT_UINT, 64, 8},
};

bool fast_ftype_of(struct dtype t, enum ftype *out)
{
    for (int i = 0; i < T_NTYPES; i++)
        if (types[i].code == t.code && types[i].bits == t.bits) {
            *out = (enum ftype)i;
            return true;
        }
    return false;
}

struct dtype fast_ftype_dtype(enum ftype t)
{
    return dtype_make((enum dtype_code)types[t].code, types[t].bits, 1);
}

size_t fast_ftype_bytes(enum ftype t)
{
    return types[t].bytes;
}

/* ---- one lane ------------------------------------------------------------------------ */

static uint64_t float_bits(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return x == x ? u : 0x7fc00000u;
}

uint64_t lanes_bits(enum ftype type, const struct reg *r, uint32_t lane)
{
    uint16_t half;
    uint64_t bits;
    switch (type) {
    case T_F32: return float_bits(r->u.f[lane]);
    case T_F16:
    case T_BF16:
        kernels_portable.store[type](&half, &r->u.f[lane], 1);
        return half;
    case T_F64:
        memcpy(&bits, &r->u.d[lane], sizeof bits);
        return r->u.d[lane] == r->u.d[lane] ? bits : 0x7ff8000000000000u;
    case T_U32:
    case T_I64:
    case T_U64: return (uint64_t)r->u.q[lane];
    default: return (uint64_t)(int64_t)r->u.i[lane];
    }
}

void lanes_set(enum ftype type, struct reg *r, uint32_t lane, uint64_t bits)
{
    uint32_t word = (uint32_t)bits;
    uint16_t half = (uint16_t)bits;
    switch (type) {
    case T_F32: memcpy(&r->u.f[lane], &word, sizeof word); break;
    case T_F16:
    case T_BF16: kernels_portable.load[type](&r->u.f[lane], &half, 1); break;
    case T_F64: memcpy(&r->u.d[lane], &bits, sizeof bits); break;
    case T_U32:
    case T_I64:
    case T_U64: r->u.q[lane] = (int64_t)bits; break;
    default: r->u.i[lane] = (int32_t)(int64_t)bits; break;
    }
}

/* ---- memory form ------------------------------------------------------------------------ */

#define WIDEN(member, cell)                             \
    do {                                                \
        cell x_;                                        \
        for (uint32_t i_ = 0; i_ < n; i_++) {           \
            memcpy(&x_, p + i_ * sizeof x_, sizeof x_); \
            d->u.member[lo + i_] = x_;                  \
        }                                               \
    } while (0)
#define NARROW(member, cell)                            \
    do {                                                \
        for (uint32_t i_ = 0; i_ < n; i_++) {           \
            cell x_ = (cell)r->u.member[lo + i_];       \
            memcpy(p + i_ * sizeof x_, &x_, sizeof x_); \
        }                                               \
    } while (0)

static void from_cells(const struct vm *v, enum ftype type, struct reg *d,
                       uint32_t lo, const uint8_t *p, uint32_t n)
{
    switch (type) {
    case T_F32:
    case T_I32: memcpy(&d->u.f[lo], p, n * sizeof(float)); break;
    case T_F16:
    case T_BF16: v->k->load[type](&d->u.f[lo], p, n); break;
    case T_F64:
    case T_I64:
    case T_U64: memcpy(&d->u.d[lo], p, n * sizeof(double)); break;
    /* NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no character */
    case T_I8: WIDEN(i, int8_t); break;
    case T_I16: WIDEN(i, int16_t); break;
    case T_U8:
    case T_BOOL: WIDEN(i, uint8_t); break;
    case T_U16: WIDEN(i, uint16_t); break;
    case T_U32: WIDEN(q, uint32_t); break;
    case T_NTYPES: break;
    }
}

static void to_cells(const struct vm *v, enum ftype type, const struct reg *r,
                     uint32_t lo, uint8_t *p, uint32_t n)
{
    switch (type) {
    case T_F32:
    case T_F16:
    case T_BF16: v->k->store[type](p, &r->u.f[lo], n); break;
    case T_I32: memcpy(p, &r->u.i[lo], n * sizeof(int32_t)); break;
    case T_F64:
        for (uint32_t i = 0; i < n; i++) {
            uint64_t bits = lanes_bits(T_F64, r, lo + i);
            memcpy(p + i * sizeof bits, &bits, sizeof bits);
        }
        break;
    case T_I64:
    case T_U64: memcpy(p, &r->u.q[lo], n * sizeof(int64_t)); break;
    case T_I8:
    case T_U8:
    case T_BOOL: NARROW(i, uint8_t); break;
    case T_I16:
    case T_U16: NARROW(i, uint16_t); break;
    case T_U32: NARROW(q, uint32_t); break;
    case T_NTYPES: break;
    }
}

static void collect(uint8_t *to, const uint8_t *from, size_t bytes,
                    const int64_t *pos, uint32_t n)
{
    if (bytes == 1)
        for (uint32_t i = 0; i < n; i++)
            to[i] = from[pos[i]];
    else if (bytes == 2)
        for (uint32_t i = 0; i < n; i++)
            memcpy(to + 2 * (size_t)i, from + 2 * pos[i], 2);
    else if (bytes == 4)
        for (uint32_t i = 0; i < n; i++)
            memcpy(to + 4 * (size_t)i, from + 4 * pos[i], 4);
    else
        for (uint32_t i = 0; i < n; i++)
            memcpy(to + 8 * (size_t)i, from + 8 * pos[i], 8);
}

static void scatter(uint8_t *to, const uint8_t *from, size_t bytes,
                    const int64_t *pos, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        memcpy(to + (size_t)pos[i] * bytes, from + i * bytes, bytes);
}

/* ---- addresses ---------------------------------------------------------------------------- */

static bool in_range(struct vm *v, int64_t at, int64_t dim)
{
    return (uint64_t)at < (uint64_t)dim ||
           lower_give_up(v->e, "an index out of range");
}

/* A check that is not linear in the thread. */
static bool check_threads(struct vm *v, const struct addr *a, size_t i,
                          uint32_t lo, uint32_t hi)
{
    int64_t x[LANES];
    bool ok = true;
    fast_threads_values(v, &a->checks[i], lo, hi, x);
    for (uint32_t k = 0; k < hi - lo; k++)
        ok &= (uint64_t)x[k] < (uint64_t)a->dims[i];
    return ok || lower_give_up(v->e, "an index out of range");
}

static bool place_linear(struct vm *v, const struct addr *a, uint32_t lo,
                         uint32_t hi, struct place *out)
{
    for (size_t i = 0; i < a->nchecks; i++) {
        if (a->checks[i].nvec > 0) {
            if (!check_threads(v, a, i, lo, hi))
                return false;
            continue;
        }
        int64_t at = fast_lin_value(v, &a->checks[i]), lane = a->checks[i].lane;
        if (!in_range(v, at + lane * lo, a->dims[i]) ||
            !in_range(v, at + lane * (hi - 1), a->dims[i]))
            return false;
    }
    out->regular = a->at.nvec == 0 && !a->own_warps;
    out->stride = a->at.lane;
    out->base = fast_lin_value(v, &a->at) + a->at.lane * lo;
    if (!out->regular)
        fast_threads_values(v, &a->at, lo, hi, v->pos);
    if (a->own_warps)
        for (uint32_t l = lo; l < hi; l++)
            v->pos[l - lo] += l / EXEC_WARP_SIZE * a->store->elements;
    return true;
}

static int64_t lane_value(const struct vm *v, uint32_t lane)
{
    return v->ints[v->lanes->atom] + (int64_t)lane * v->lanes->step;
}

static bool gather_lane(struct vm *v, const struct addr *a, uint32_t lane,
                        int64_t *pos)
{
    for (size_t k = 0; k < a->ngather; k++) {
        const struct reg *r = &v->regs[a->reg[k]];
        uint64_t at =
            lanes_bits(a->reg_type[k], r, a->reg_uniform[k] ? 0 : lane);
        if (r->taint != TAINT_NONE)
            return lower_give_up(v->e, "an index that depends on rounding");
        if (at >= (uint64_t)a->dim[k])
            return lower_give_up(v->e, "an index out of range");
        *pos += (int64_t)at * a->stride[k];
    }
    return true;
}

static bool place_lanes(struct vm *v, const struct addr *a, uint32_t lo,
                        uint32_t hi, struct place *out)
{
    const struct atom *atoms = v->e->atoms.items;
    int64_t base = a->varying ? 0 : fast_lin_value(v, &a->at);
    bool placed = !a->varying && !out->regular; /* by place_linear */
    out->regular = false;
    for (uint32_t l = lo; l < hi; l++) {
        int64_t pos = placed ? v->pos[l - lo] : base + a->at.lane * l;
        if (a->varying) {
            uint32_t var = v->lanes->atom;
            int64_t value = lane_value(v, l);
            for (size_t i = 0; i < a->nchecks; i++)
                if (!in_range(v,
                              affine_value_at(atoms, &a->form_checks[i].at,
                                              v->ints, var, value),
                              a->dims[i]))
                    return false;
            pos = affine_value_at(atoms, a->form, v->ints, var, value);
        }
        if (!gather_lane(v, a, l, &pos))
            return false;
        v->pos[l - lo] = pos;
    }
    return true;
}

bool lanes_place(struct vm *v, const struct addr *a, uint32_t lo, uint32_t hi,
                 struct place *out)
{
    if (!a->varying && !place_linear(v, a, lo, hi, out))
        return false;
    if ((a->varying || a->ngather > 0) && !place_lanes(v, a, lo, hi, out))
        return false;
    if (a->own_lanes) {
        int64_t copies = a->store->lanes;
        out->base = out->base * copies + lo;
        out->stride = out->stride * copies + 1;
        for (uint32_t l = lo; l < hi && !out->regular; l++)
            v->pos[l - lo] = v->pos[l - lo] * copies + l;
    }
    if (out->regular && out->stride != 1)
        for (uint32_t i = 0; i < hi - lo; i++)
            v->pos[i] = out->base + out->stride * i;
    return true;
}

/* ---- states ------------------------------------------------------------------------------------ */

static bool see_states(struct vm *v, const uint8_t *state, uint32_t n,
                       struct reg *d, uint32_t lo)
{
    uint8_t all, any;
    v->k->scan(state, n, &all, &any);
    if (!(all & INTERP_DEFINED))
        return lower_give_up(v->e, "an element that nothing wrote");
    if (!(any & INTERP_INEXACT)) {
        d->taint = TAINT_NONE;
    } else if (all & INTERP_INEXACT) {
        d->taint = TAINT_ALL;
    } else {
        d->taint = TAINT_SOME;
        for (uint32_t i = 0; i < n; i++)
            d->mask[lo + i] = state[i] & INTERP_INEXACT;
    }
    return true;
}

/* Where the lanes of an access lie, as a list. */
static const int64_t *positions(struct vm *v, const struct place *p, uint32_t n)
{
    if (p->regular && p->stride == 1)
        for (uint32_t i = 0; i < n; i++)
            v->pos[i] = p->base + i;
    return v->pos;
}

/* Races of a store; cells: what it is about to write, lane by lane. */
static bool store_races(struct vm *v, const struct addr *a,
                        const struct place *p, const uint8_t *cells,
                        size_t bytes, uint32_t lo, uint32_t n)
{
    struct memory *s = fast_memory_of(v, a->store);
    const int64_t *at = positions(v, p, n);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *cell = s->data + (size_t)at[i] * bytes;
        uint8_t same = (s->state[at[i]] & INTERP_DEFINED) &&
                       memcmp(cell, cells + i * bytes, bytes) == 0;
        if (!shadow_write(v, a->store, &at[i], &same, lo + i, 1))
            return false;
        /* another lane may store to the same element */
        memcpy(cell, cells + i * bytes, bytes);
        s->state[at[i]] |= INTERP_DEFINED;
    }
    return true;
}

static void put_states(struct vm *v, struct memory *s, const struct place *p,
                       const struct reg *from, uint32_t lo, uint32_t n)
{
    const uint8_t plain = INTERP_DEFINED | INTERP_WRITTEN;
    unsigned taint = v->quiet ? (unsigned)TAINT_ALL : from->taint;
    uint8_t fill =
        (uint8_t)(taint == TAINT_ALL ? plain | INTERP_INEXACT : plain);
    bool side = p->regular && p->stride == 1;
    uint8_t *to = side ? s->state + p->base : v->states;
    memset(to, fill, n);
    for (uint32_t i = 0; i < n && taint == TAINT_SOME; i++)
        to[i] |= from->mask[lo + i];
    if (taint != TAINT_NONE)
        s->sound = false;
    if (!side)
        scatter(s->state, to, 1, v->pos, n);
}

/* ---- columns ---------------------------------------------------------------------------------------- */

static void columns_fill(struct columns *t, const uint8_t *from, size_t bytes)
{
    for (uint32_t i = 0; i < t->n; i++) {
        const uint8_t *p = from + (size_t)(t->base + t->stride * i) * bytes;
        if (bytes == 4)
            for (uint32_t k = 0; k < t->width; k++)
                memcpy(&t->cells[k][4 * (size_t)i], p + 4 * (size_t)k, 4);
        else if (bytes == 2)
            for (uint32_t k = 0; k < t->width; k++)
                memcpy(&t->cells[k][2 * (size_t)i], p + 2 * (size_t)k, 2);
        else
            for (uint32_t k = 0; k < t->width; k++)
                t->cells[k][i] = p[k];
    }
}

/* The lanes of p side by side, if the last loads of this address were next to
 * one another; else NULL. */
static const uint8_t *columns_lanes(struct vm *v, const struct addr *a,
                                    const struct place *p, uint32_t n,
                                    size_t bytes)
{
    if (a->column == 0 || bytes > 4 || n < 2 * COLUMNS || p->stride < COLUMNS)
        return NULL;
    struct columns *t = v->columns[a->column - 1];
    if (t == NULL)
        t = v->columns[a->column - 1] = dc_alloc(sizeof *t);
    int64_t column = p->base - t->base, step = p->base - t->last;
    t->last = p->base;
    if (t->n == n && t->stride == p->stride && column >= 0 &&
        column < (int64_t)t->width)
        return t->cells[column];
    t->width = 0;
    if (step != 1)
        return NULL;
    int64_t room = a->store->elements - (p->base + p->stride * (n - 1));
    t->base = p->base;
    t->stride = p->stride;
    t->n = n;
    t->width = room < COLUMNS ? (uint32_t)room : COLUMNS;
    columns_fill(t, fast_memory_of(v, a->store)->data, bytes);
    return t->cells[0];
}

/* ---- loads and stores ------------------------------------------------------------------------------ */

bool lanes_races(struct vm *v, const struct addr *a, const struct place *p,
                 uint32_t lo, uint32_t n)
{
    if (p->regular)
        for (uint32_t i = 0; i < n; i++)
            v->pos[i] = p->base + p->stride * i;
    return shadow_read(v, a->store, (enum race_look)a->look, v->pos, lo, n);
}

bool lanes_load(struct vm *v, const struct addr *a, enum ftype type,
                struct reg *d, uint32_t lo, uint32_t hi)
{
    const struct memory *s = fast_memory_of(v, a->store);
    struct place p = {true, 0, 0};
    uint32_t n = hi - lo;
    size_t bytes = fast_ftype_bytes(type);
    bool same = a->at.lane == 0 && !a->varying && a->ngather == 0 &&
                a->at.nvec == 0 && !a->own_warps &&
                !a->own_lanes; /* one element for all lanes */
    d->taint = TAINT_NONE;
    if (same) {
        if (!place_linear(v, a, lo, hi, &p) ||
            (a->look != RACE_LOOK_NOT && !lanes_races(v, a, &p, lo, n)))
            return false;
        from_cells(v, type, d, lo, s->data + (size_t)p.base * bytes, 1);
        if (!s->sound && !see_states(v, s->state + p.base, 1, d, lo))
            return false;
        if (n > 1)
            lanes_spread(type, d, d, lo, hi);
        return true;
    }
    if (a->column != 0 && s->sound) {
        if (!place_linear(v, a, lo, hi, &p))
            return false;
        const uint8_t *cells = columns_lanes(v, a, &p, n, bytes);
        if (cells != NULL) {
            from_cells(v, type, d, lo, cells, n);
            return true;
        }
    }
    if (!lanes_place(v, a, lo, hi, &p) ||
        (a->look != RACE_LOOK_NOT && !lanes_races(v, a, &p, lo, n)))
        return false;
    if (p.regular && p.stride == 1) {
        from_cells(v, type, d, lo, s->data + (size_t)p.base * bytes, n);
        return s->sound || see_states(v, s->state + p.base, n, d, lo);
    }
    collect(v->cells, s->data, bytes, v->pos, n);
    from_cells(v, type, d, lo, v->cells, n);
    if (s->sound)
        return true;
    collect(v->states, s->state, 1, v->pos, n);
    return see_states(v, v->states, n, d, lo);
}

/* Bytes from an operand's first lane to what it will want next but one. */
#define AHEAD (2 * STRIP * sizeof(float))

bool lanes_view(struct vm *v, const struct addr *a, struct reg *d, uint32_t lo,
                uint32_t hi)
{
    const struct memory *s = fast_memory_of(v, a->store);
    struct place p = {true, 0, 0};
    if (a->at.lane != 1 || a->varying || a->ngather > 0 || a->own_lanes ||
        a->own_warps || a->at.nvec > 0 || a->look != RACE_LOOK_NOT)
        return lanes_load(v, a, T_F32, d, lo, hi);
    if (!place_linear(v, a, lo, hi, &p))
        return false;
    const uint8_t *first = s->data + (size_t)p.base * sizeof(float);
    d->taint = TAINT_NONE;
    d->view = (const float *)(const void *)first;
    /* a strip is too short for the processor to see a stream in it */
    for (size_t i = 0; i < AHEAD / 2 && hi - lo == STRIP; i += 64)
        __builtin_prefetch(first + AHEAD + i);
    return s->sound || see_states(v, s->state + p.base, hi - lo, d, lo);
}

bool lanes_store(struct vm *v, const struct addr *a, enum ftype type,
                 const struct reg *from, uint32_t lo, uint32_t hi)
{
    struct memory *s = fast_memory_of(v, a->store);
    struct place p = {true, 0, 0};
    uint32_t n = hi - lo;
    size_t bytes = fast_ftype_bytes(type);
    if (!lanes_place(v, a, lo, hi, &p))
        return false;
    if (a->look != RACE_LOOK_NOT) {
        to_cells(v, type, from, lo, v->cells, n);
        if (!store_races(v, a, &p, v->cells, bytes, lo, n))
            return false;
    }
    if (p.regular && p.stride == 1) {
        to_cells(v, type, from, lo, s->data + (size_t)p.base * bytes, n);
    } else {
        to_cells(v, type, from, lo, v->cells, n);
        scatter(s->data, v->cells, bytes, v->pos, n);
    }
    put_states(v, s, &p, from, lo, n);
    return true;
}

bool lanes_copy(struct vm *v, const struct addr *to, const struct addr *from,
                enum ftype type, uint32_t lo, uint32_t hi)
{
    struct reg *r = &v->regs[v->e->nregs]; /* one more than the code uses */
    struct place p = {true, 0, 0}, q = {true, 0, 0};
    uint32_t n = hi - lo;
    size_t bytes = fast_ftype_bytes(type);
    const struct memory *s = fast_memory_of(v, from->store);
    struct memory *t = fast_memory_of(v, to->store);
    if (!lanes_place(v, from, lo, hi, &p))
        return false;
    bool side = p.regular && p.stride == 1;
    const uint8_t *cells = side ? s->data + (size_t)p.base * bytes : v->cells;
    const uint8_t *states = side ? s->state + p.base : v->states;
    if (!side) {
        collect(v->cells, s->data, bytes, v->pos, n);
        collect(v->states, s->state, 1, v->pos, n);
    }
    if (!see_states(v, states, n, r, lo) || !lanes_place(v, to, lo, hi, &q))
        return false;
    if (q.regular && q.stride == 1)
        memcpy(t->data + (size_t)q.base * bytes, cells, n * bytes);
    else
        scatter(t->data, cells, bytes, v->pos, n);
    put_states(v, t, &q, r, lo, n);
    return true;
}

#define SETTLED (INTERP_DEFINED | INTERP_INEXACT | INTERP_WRITTEN)

static void (*mac_kernel(const struct kernels *k,
                         const struct insn *in))(void *, const float *,
                                                 const float *, size_t)
{
    return in->from == in->type ? k->mac[in->type]
           : in->from == T_F32  ? k->mac_wide[in->type]
                                : k->mac_kept;
}

bool lanes_mac(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    const struct addr *target = in->addr;
    const struct reg *a = &v->regs[in->a], *b = &v->regs[in->b];
    enum ftype type = (enum ftype)in->type;
    struct memory *s = fast_memory_of(v, target->store);
    struct place p = {true, 0, 0};
    uint8_t all, any;
    if (target->varying || target->ngather > 0 || target->at.nvec > 0 ||
        target->own_warps || !place_linear(v, target, lo, hi, &p))
        return false;
    if (target->own_lanes) {
        p.base = p.base * target->store->lanes + lo;
        p.stride = p.stride * target->store->lanes + 1;
    }
    if (p.stride != 1 && hi - lo > 1)
        return false;
    uint8_t *acc = s->data + (size_t)p.base * fast_ftype_bytes(type);
    uint8_t *state = s->state + p.base;
    v->k->scan(state, hi - lo, &all, &any);
    if (v->inexact && all == SETTLED && any == SETTLED) {
        mac_kernel(v->k, in)(acc, lanes_floats(a, lo), lanes_floats(b, lo),
                             hi - lo);
        return true;
    }
    if (in->from != in->type || !(all & INTERP_DEFINED) ||
        (any & INTERP_INEXACT) || a->taint != TAINT_NONE ||
        b->taint != TAINT_NONE ||
        !v->k->try_mac[type](v->cells, acc, lanes_floats(a, lo),
                             lanes_floats(b, lo), hi - lo))
        return false;
    memcpy(acc, v->cells, (hi - lo) * fast_ftype_bytes(type));
    memset(state, INTERP_DEFINED | INTERP_WRITTEN, hi - lo);
    return true;
}

bool lanes_all_inexact(struct vm *v, const struct addr *a, uint32_t lo,
                       uint32_t hi)
{
    struct place p = {true, 0, 0};
    uint8_t all, any;
    const struct memory *s = fast_memory_of(v, a->store);
    if (!v->inexact || s->sound || a->varying || a->ngather > 0 ||
        !lanes_place(v, a, lo, hi, &p))
        return false;
    const uint8_t *state = s->state + p.base;
    if (!p.regular || p.stride != 1) {
        collect(v->states, s->state, 1, v->pos, hi - lo);
        state = v->states;
    }
    v->k->scan(state, hi - lo, &all, &any);
    return (all & (INTERP_INEXACT | INTERP_DEFINED)) ==
           (INTERP_INEXACT | INTERP_DEFINED);
}

/* ---- values ------------------------------------------------------------------------------------------ */

void lanes_affine(struct vm *v, const struct addr *a, enum ftype type,
                  struct reg *d, uint32_t lo, uint32_t hi)
{
    int64_t base = a->varying ? 0 : fast_lin_value(v, &a->at);
    bool is_long = fast_ftype_class(type) == C_LONG;
    d->taint = TAINT_NONE;
    if (a->at.nvec > 0)
        fast_threads_values(v, &a->at, lo, hi, v->pos);
    for (uint32_t l = lo; l < hi; l++) {
        int64_t x = base + a->at.lane * l;
        if (a->at.nvec > 0)
            x = v->pos[l - lo];
        else if (a->varying)
            x = affine_value_at(v->e->atoms.items, a->form, v->ints,
                                v->lanes->atom, lane_value(v, l));
        if (is_long)
            d->u.q[l] = x;
        else
            d->u.i[l] = (int32_t)x;
    }
}

void lanes_spread(enum ftype type, struct reg *d, const struct reg *a,
                  uint32_t lo, uint32_t hi)
{
    enum fclass class = fast_ftype_class(type);
    uint32_t from = d == a ? lo : 0;
    d->taint = a->taint == TAINT_SOME
                   ? (uint8_t)(a->mask[from] != 0 ? TAINT_ALL : TAINT_NONE)
                   : a->taint;
    if (class == C_FLOAT || class == C_INT) {
        int32_t x;
        memcpy(&x, &a->u.i[from], sizeof x);
        for (uint32_t l = lo; l < hi; l++)
            d->u.i[l] = x;
    } else {
        int64_t x;
        memcpy(&x, &a->u.q[from], sizeof x);
        for (uint32_t l = lo; l < hi; l++)
            d->u.q[l] = x;
    }
}

void lanes_constant(struct vm *v, enum ftype type, uint64_t bits, struct reg *d,
                    uint32_t lo, uint32_t hi)
{
    (void)v;
    d->taint = TAINT_NONE;
    lanes_set(type, d, lo, bits);
    if (hi - lo > 1)
        lanes_spread(type, d, d, lo, hi);
}

void lanes_move(enum ftype type, struct reg *d, const struct reg *a,
                uint32_t lo, uint32_t hi)
{
    enum fclass class = fast_ftype_class(type);
    size_t unit = class == C_FLOAT || class == C_INT ? 4 : 8;
    memcpy((char *)&d->u + lo * unit, (const char *)&a->u + lo * unit,
           (hi - lo) * unit);
    if (a->taint == TAINT_SOME)
        memcpy(d->mask + lo, a->mask + lo, hi - lo);
    else
        memset(d->mask + lo, a->taint == TAINT_ALL ? INTERP_INEXACT : 0,
               hi - lo);
}
