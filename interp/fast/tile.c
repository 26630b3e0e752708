/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments of wmma: filled, loaded, stored, multiplied, a warp at a time. As
 * intrin_tile.c: products are exact, and each sum is rounded once to the
 * accumulator's type, in ascending k.
 *
 * Rounding a sum once. Where the product is exact in float (float16 operands)
 * and the accumulator is float32, the float sum is it. Else the sum of exact
 * product p and accumulator c is taken in a wider type and rounded to odd: if it
 * was not exact, and its last bit is even, the neighbour on the side of the error
 * is taken instead (the error follows from TwoSum, exactly). Rounding that to the
 * accumulator's type is rounding p + c once, since it has at least two bits more
 * (Boldo and Melquiond 2008): float for float16, double for float32.
 */
#include "interp/fast/coop_vm.h"
#include "interp/fast/keyed_vm.h"

#include <string.h>

#define MAX_TILE 4096

/* ---- operands --------------------------------------------------------------------- */

/* One number for all lanes of a warp; false where they differ. */
static bool warp_value(struct vm *v, const struct lin *x, uint32_t lo,
                       uint32_t hi, int64_t *out)
{
    int64_t values[EXEC_WARP_SIZE];
    if (x->lane == 0 && x->nvec == 0) {
        *out = fast_lin_value(v, x);
        return true;
    }
    fast_threads_values(v, x, lo, hi, values);
    for (uint32_t l = 1; l < hi - lo; l++)
        if (values[l] != values[0])
            return lower_give_up(v->e,
                                 "lanes of a warp that differ in an operand");
    *out = values[0];
    return true;
}

static bool warp_place(struct vm *v, const struct addr *a, uint32_t lo,
                       uint32_t hi, int64_t *out)
{
    int64_t x;
    for (size_t i = 0; i < a->nchecks; i++) {
        if (!warp_value(v, &a->checks[i], lo, hi, &x))
            return false;
        if (x < 0 || x >= a->dims[i])
            return lower_give_up(v->e, "a tile out of range");
    }
    if (!warp_value(v, &a->at, lo, hi, out))
        return false;
    if (a->own_warps)
        *out += lo / EXEC_WARP_SIZE * a->store->elements;
    return true;
}

/* ---- races ------------------------------------------------------------------------------ */

bool fast_tile_races(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at, const uint8_t *same)
{
    const struct tile *x = t->tile;
    const struct store *s = t->memory->store;
    enum race_look look = (enum race_look)t->memory->look;
    for (int64_t i = 0; i < x->rows; i++)
        for (int64_t j = 0; j < x->columns; j++) {
            int64_t cell = at->memory + i * x->row + j * x->column;
            uint32_t lane = at->first + (uint32_t)((i + j) % at->lanes);
            /* alternate writers: no thread owns the whole tile */
            if (x->kind == TILE_LOAD
                    ? !shadow_read_all(v, s, look, cell)
                    : !shadow_write(v, s, &cell, &same[i * x->columns + j],
                                    lane, 1))
                return false;
        }
    return true;
}

/* ---- moving ------------------------------------------------------------------------------- */

static void fill(struct vm *v, const struct tile_code *t,
                 const struct tile_at *at)
{
    struct memory *s = fast_memory_of(v, t->frag[0]->store);
    size_t bytes = fast_ftype_bytes(t->frag[0]->store->type);
    int64_t n = t->tile->rows * t->tile->columns;
    for (int64_t i = 0; i < n; i++)
        memcpy(s->data + (size_t)(at->frag[0] + i) * bytes, &t->tile->bits,
               bytes);
    memset(s->state + at->frag[0], INTERP_DEFINED | INTERP_WRITTEN, (size_t)n);
}

/* A row of elements a step apart from one storage to another. */
static bool move_row(struct vm *v, const struct store *a_store, int64_t a,
                     int64_t a_step, const struct store *b_store, int64_t b,
                     int64_t b_step, int64_t n)
{
    const struct memory *from = fast_memory_of(v, a_store);
    struct memory *to = fast_memory_of(v, b_store);
    size_t bytes = fast_ftype_bytes(a_store->type);
    uint8_t all = 0xff, any = 0;
    if (a_step == 1 && b_step == 1) {
        memcpy(to->data + (size_t)b * bytes, from->data + (size_t)a * bytes,
               (size_t)n * bytes);
    } else {
        for (int64_t i = 0; i < n; i++)
            memcpy(to->data + (size_t)(b + i * b_step) * bytes,
                   from->data + (size_t)(a + i * a_step) * bytes, bytes);
    }
    for (int64_t i = 0; i < n; i++) {
        uint8_t state = from->state[a + i * a_step];
        all &= state;
        any |= state;
        to->state[b + i * b_step] = (uint8_t)(INTERP_DEFINED | INTERP_WRITTEN |
                                              (state & INTERP_INEXACT));
    }
    if (any & INTERP_INEXACT)
        to->sound = false;
    return (all & INTERP_DEFINED) ||
           lower_give_up(v->e, "an element that nothing wrote");
}

static bool load(struct vm *v, const struct tile_code *t,
                 const struct tile_at *at)
{
    const struct tile *x = t->tile;
    if (t->memory->look != RACE_LOOK_NOT && !fast_tile_races(v, t, at, NULL))
        return false;
    for (int64_t i = 0; i < x->rows; i++)
        if (!move_row(v, t->memory->store, at->memory + i * x->row, x->column,
                      t->frag[0]->store, at->frag[0] + i * x->columns, 1,
                      x->columns))
            return false;
    return true;
}

static bool store(struct vm *v, const struct tile_code *t,
                  const struct tile_at *at)
{
    const struct tile *x = t->tile;
    const struct memory *from = fast_memory_of(v, t->frag[0]->store);
    const struct memory *to = fast_memory_of(v, t->memory->store);
    size_t bytes = fast_ftype_bytes(t->memory->store->type);
    uint8_t same[MAX_TILE];
    for (int64_t k = 0; k < x->rows * x->columns; k++) {
        int64_t cell =
            at->memory + k / x->columns * x->row + k % x->columns * x->column;
        same[k] =
            (to->state[cell] & INTERP_DEFINED) &&
            memcmp(to->data + (size_t)cell * bytes,
                   from->data + (size_t)(at->frag[0] + k) * bytes, bytes) == 0;
    }
    if (t->memory->look != RACE_LOOK_NOT && !fast_tile_races(v, t, at, same))
        return false;
    for (int64_t i = 0; i < x->rows; i++)
        if (!move_row(v, t->frag[0]->store, at->frag[0] + i * x->columns, 1,
                      t->memory->store, at->memory + i * x->row, x->column,
                      x->columns))
            return false;
    return true;
}

/* ---- multiplying ----------------------------------------------------------------------------- */

/* p + c rounded to odd in float; *bad is set where it is not exact. */
static inline float odd_sum(float p, float c, int32_t *bad)
{
    float s = p + c, part = s - p;
    float error = (p - (s - part)) + (c - part);
    int32_t bits;
    memcpy(&bits, &s, sizeof bits);
    int32_t finite = (bits & 0x7f800000) != 0x7f800000;
    int32_t off = finite & (error != 0.0f);
    int32_t up = (error > 0.0f) == (s > 0.0f) ? 1 : -1;
    bits += off & ~bits & 1 ? up : 0;
    memcpy(&s, &bits, sizeof s);
    *bad |= off;
    return s;
}

static inline double odd_sum_double(double p, double c, int32_t *bad)
{
    double s = p + c, part = s - p;
    double error = (p - (s - part)) + (c - part);
    int64_t bits;
    memcpy(&bits, &s, sizeof bits);
    int64_t top = INT64_C(0x7ff0000000000000);
    int64_t off = (bits & top) != top && error != 0.0;
    int64_t up = (error > 0.0) == (s > 0.0) ? 1 : -1;
    bits += off & ~bits & 1 ? up : 0;
    memcpy(&s, &bits, sizeof s);
    *bad |= (int32_t)off;
    return s;
}

/* Row of n accumulators, += a * b[j]; bad[j] is set where that rounds. */
static void step_f32(float *acc, float a, const float *b, size_t n,
                     int32_t *bad)
{
    for (size_t j = 0; j < n; j++) {
        float p = a * b[j], c = acc[j], s = p + c;
        int32_t bits;
        memcpy(&bits, &s, sizeof bits);
        /* as BAD_ADD of kernels_impl.h */
        int32_t off = (s - p != c) | (s - c != p);
        bad[j] |= off & ((bits & 0x7f800000) != 0x7f800000);
        /* a finite sum that runs over rounds, too */
        int32_t over =
            (bits & 0x7fffffff) == 0x7f800000 && p - p == 0.0f && c - c == 0.0f;
        bad[j] |= over;
        acc[j] = s;
    }
}

static void quiet_f32(float *acc, float a, const float *b, size_t n)
{
    for (size_t j = 0; j < n; j++)
        acc[j] += a * b[j];
}

static void step_wide(float *acc, float a, const float *b, size_t n,
                      int32_t *bad)
{
    for (size_t j = 0; j < n; j++) {
        double s =
            odd_sum_double((double)a * (double)b[j], (double)acc[j], &bad[j]);
        float r = (float)s;
        bad[j] |= s - s == 0.0 && (double)r != s;
        acc[j] = r;
    }
}

static void step_f16(const struct kernels *k, float *acc, float a,
                     const float *b, size_t n, int32_t *bad)
{
    float s[MAX_TILE];
    for (size_t j = 0; j < n; j++)
        s[j] = odd_sum(a * b[j], acc[j], &bad[j]);
    k->round[T_F16](acc, s, n);
    for (size_t j = 0; j < n; j++)
        bad[j] |= (s[j] - s[j] == 0.0f) & (acc[j] != s[j]);
}

struct product {
    struct vm *v;
    const struct tile *t;
    enum ftype type, from; /* of the accumulator and of what is multiplied */
    bool quiet;            /* all is inexact already */
    float a[MAX_TILE], b[MAX_TILE], acc[MAX_TILE];
    int32_t bad[MAX_TILE]; /* of acc */
};

static void multiply_rows(struct product *p)
{
    size_t n = (size_t)p->t->n, depth = (size_t)p->t->k;
    for (size_t i = 0; i < (size_t)p->t->m; i++)
        for (size_t k = 0; k < depth; k++) {
            float *acc = p->acc + i * n, a = p->a[i * depth + k];
            const float *b = p->b + k * n;
            int32_t *bad = p->bad + i * n;
            if (p->type == T_F16)
                step_f16(p->v->k, acc, a, b, n, bad);
            else if (p->from != T_F16)
                step_wide(acc, a, b, n, bad);
            else if (p->quiet)
                quiet_f32(acc, a, b, n);
            else
                step_f32(acc, a, b, n, bad);
        }
}

/* States of one operand: all defined, and which are inexact. */
static bool see(struct vm *v, const struct store *s, int64_t at, int64_t n,
                uint8_t *all, uint8_t *any)
{
    v->k->scan(fast_memory_of(v, s)->state + at, (size_t)n, all, any);
    return (*all & INTERP_DEFINED) ||
           lower_give_up(v->e, "an element that nothing wrote");
}

/* What operand elements make inexact. */
static void spread_states(struct product *p, const uint8_t *a, const uint8_t *b,
                          const uint8_t *c)
{
    int64_t m = p->t->m, n = p->t->n, depth = p->t->k;
    for (int64_t i = 0; i < m; i++) {
        uint8_t row = 0;
        for (int64_t k = 0; k < depth; k++)
            row |= a[i * depth + k];
        for (int64_t j = 0; j < n; j++)
            p->bad[i * n + j] |=
                ((row | c[i * n + j]) & INTERP_INEXACT) != 0 ? 2 : 0;
    }
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < n; j++)
            if (b[k * n + j] & INTERP_INEXACT)
                for (int64_t i = 0; i < m; i++)
                    p->bad[i * n + j] |= 2;
}

/* bad: 1 where a step rounded, 2 where an operand was inexact. */
static void put_states(struct product *p, uint8_t *state)
{
    int32_t any = 0;
    for (int64_t i = 0; i < p->t->m * p->t->n; i++) {
        any |= p->bad[i];
        state[i] = (uint8_t)(INTERP_DEFINED | INTERP_WRITTEN |
                             (p->bad[i] != 0 || p->quiet ? INTERP_INEXACT : 0));
    }
    p->v->inexact |= any & 1;
}

static bool multiply_floats(struct product *p, const struct tile_code *t,
                            const struct tile_at *at)
{
    struct vm *v = p->v;
    const struct tile *x = t->tile;
    struct memory *s[4];
    const int64_t count[4] = {x->m * x->n, x->m * x->k, x->k * x->n,
                              x->m * x->n};
    uint8_t all[4], any[4];
    float *to[4] = {NULL, p->a, p->b, p->acc};
    for (size_t i = 0; i < 4; i++)
        s[i] = fast_memory_of(v, t->frag[i]->store);
    for (size_t i = 1; i < 4; i++) {
        enum ftype type = t->frag[i]->store->type;
        if (!see(v, t->frag[i]->store, at->frag[i], count[i], &all[i], &any[i]))
            return false;
        v->k->load[type](
            to[i], s[i]->data + (size_t)at->frag[i] * fast_ftype_bytes(type),
            (size_t)count[i]);
    }
    memset(p->bad, 0, (size_t)count[0] * sizeof *p->bad);
    p->quiet = v->inexact && ((all[1] | all[2] | all[3]) & INTERP_INEXACT);
    multiply_rows(p);
    if (!p->quiet && ((any[1] | any[2] | any[3]) & INTERP_INEXACT))
        spread_states(p, s[1]->state + at->frag[1], s[2]->state + at->frag[2],
                      s[3]->state + at->frag[3]);
    v->k->store[p->type](s[0]->data +
                             (size_t)at->frag[0] * fast_ftype_bytes(p->type),
                         p->acc, (size_t)count[0]);
    put_states(p, s[0]->state + at->frag[0]);
    return true;
}

static int32_t small_int(const struct memory *m, enum ftype type, int64_t at)
{
    uint8_t byte = m->data[at];
    return type == T_I8 ? (int8_t)byte : byte;
}

static bool multiply_ints(struct vm *v, const struct tile_code *t,
                          const struct tile_at *at)
{
    const struct tile *x = t->tile;
    const struct store *s[4] = {t->frag[0]->store, t->frag[1]->store,
                                t->frag[2]->store, t->frag[3]->store};
    const struct memory *a = fast_memory_of(v, s[1]),
                        *b = fast_memory_of(v, s[2]);
    const struct memory *c = fast_memory_of(v, s[3]);
    struct memory *d = fast_memory_of(v, s[0]);
    uint8_t all, any;
    if (!see(v, s[1], at->frag[1], x->m * x->k, &all, &any) ||
        !see(v, s[2], at->frag[2], x->k * x->n, &all, &any) ||
        !see(v, s[3], at->frag[3], x->m * x->n, &all, &any))
        return false;
    bool wrapped = false;
    for (int64_t cell = 0; cell < x->m * x->n; cell++) {
        int64_t row = at->frag[1] + cell / x->n * x->k;
        int64_t column = at->frag[2] + cell % x->n;
        int32_t sum;
        memcpy(&sum, c->data + (size_t)(at->frag[3] + cell) * sizeof sum,
               sizeof sum);
        for (int64_t k = 0; k < x->k; k++)
            wrapped |= __builtin_add_overflow(
                sum,
                small_int(a, s[1]->type, row + k) *
                    small_int(b, s[2]->type, column + k * x->n),
                &sum);
        memcpy(d->data + (size_t)(at->frag[0] + cell) * sizeof sum, &sum,
               sizeof sum);
        d->state[at->frag[0] + cell] = INTERP_DEFINED | INTERP_WRITTEN;
    }
    return !wrapped || !v->e->watch ||
           lower_give_up(v->e, "an integer that wraps");
}

static bool multiply(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at)
{
    if (t->frag[0]->store->type == T_I32)
        return multiply_ints(v, t, at);
    struct product p;
    p.v = v;
    p.t = t->tile;
    p.type = t->frag[0]->store->type;
    p.from = t->frag[1]->store->type;
    return multiply_floats(&p, t, at);
}

/* ---- one instruction ----------------------------------------------------------------------------- */

static bool run_warp(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at)
{
    if (v->keyed != NULL)
        return fast_keyed_tile(v, t, at);
    switch (t->tile->kind) {
    case TILE_FILL: fill(v, t, at); return true;
    case TILE_LOAD: return load(v, t, at);
    case TILE_STORE: return store(v, t, at);
    case TILE_MULTIPLY: return multiply(v, t, at);
    }
    return true;
}

bool fast_tile_run(struct vm *v, const struct insn *in, uint32_t lo,
                   uint32_t hi)
{
    const struct tile_code *t = in->tile;
    uint32_t threads = (uint32_t)v->lanes->trips;
    if (lo % EXEC_WARP_SIZE != 0 || (hi % EXEC_WARP_SIZE != 0 && hi != threads))
        return lower_give_up(v->e, "a warp that does not arrive as a whole");
    for (uint32_t w = lo; w < hi; w += EXEC_WARP_SIZE) {
        uint32_t end = hi - w < EXEC_WARP_SIZE ? hi : w + EXEC_WARP_SIZE;
        struct tile_at at = {{0, 0, 0, 0}, 0, w, end - w};
        for (size_t i = 0; i < DC_ARRAY_LEN(t->frag) && t->frag[i] != NULL; i++)
            if (!warp_place(v, t->frag[i], w, end, &at.frag[i]))
                return false;
        if (t->memory != NULL && !warp_place(v, t->memory, w, end, &at.memory))
            return false;
        if (!run_warp(v, t, &at))
            return false;
    }
    return true;
}
