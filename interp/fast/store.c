/* SPDX-License-Identifier: Apache-2.0
 *
 * Storage of a run: typed cells and a state byte each, filled from the
 * arguments and copied back when all has ended well.
 */
#include "interp/fast/keyed_vm.h"

#include <string.h>

#define MAX_LIVE ((size_t)3 << 30) /* bytes of all storage together */

/* ---- arguments in -------------------------------------------------------------- */

/* Copies cells; sets bad where a value is not what its type's memory form would
 * give back. `odd` looks at x, the value as the cell's type. What an undefined
 * element holds does not matter, so that a first look without it is only looked
 * into where it found something. */
#define FILL(cell, odd)                                                        \
    do {                                                                       \
        unsigned strange = 0;                                                  \
        for (size_t i = 0; i < n; i++) {                                       \
            cell x = (cell)bits[i];                                            \
            strange |=                                                         \
                (unsigned)((uint64_t)(int64_t)x != bits[i]) | (unsigned)(odd); \
            memcpy(to + i * sizeof x, &x, sizeof x);                           \
        }                                                                      \
        for (size_t i = 0; i < n && strange != 0; i++) {                       \
            cell x = (cell)bits[i];                                            \
            bad |= (t->state[i] & INTERP_DEFINED) &&                           \
                   ((uint64_t)(int64_t)x != bits[i] || (odd));                 \
        }                                                                      \
    } while (0)

/* NaNs other than the canonical one would come out of an operation with other
 * bits, but out of a copy with their own: they are left to the walker. */
static bool fill_cells(struct store *s, const struct interp_tensor *t)
{
    bool bad = false;
    const uint64_t *bits = t->bits;
    uint8_t *to = s->data;
    size_t n = t->elements;
    switch (s->type) {
    case T_F32:
        FILL(uint32_t, ((x & 0x7fffffffu) > 0x7f800000u) & (x != 0x7fc00000u));
        break;
    case T_F16:
        FILL(uint16_t, ((x & 0x7fffu) > 0x7c00u) & (x != 0x7e00u));
        break;
    case T_BF16:
        FILL(uint16_t, ((x & 0x7fffu) > 0x7f80u) & (x != 0x7fc0u));
        break;
    case T_F64:
        FILL(uint64_t,
             (x & INT64_MAX) > 0x7ff0000000000000u && x != 0x7ff8000000000000u);
        break;
    case T_I8: FILL(int8_t, false); break;
    case T_I16: FILL(int16_t, false); break;
    case T_I32: FILL(int32_t, false); break;
    case T_U8: FILL(uint8_t, false); break;
    case T_U16: FILL(uint16_t, false); break;
    case T_BOOL: FILL(uint8_t, x > 1); break;
    case T_U32: FILL(uint32_t, false); break;
    case T_I64: FILL(int64_t, false); break;
    case T_U64: FILL(uint64_t, false); break;
    case T_NTYPES: break;
    }
    return !bad;
}

static bool fill_param(struct engine *e, struct store *s)
{
    const struct interp_tensor *t = e->args[s->param].tensor;
    uint8_t all = 0xff, any = 0;
    for (size_t i = 0; i < t->elements; i++) {
        all &= t->state[i];
        any |= t->state[i];
        s->state[i] = t->state[i];
    }
    if (any & ~(unsigned)(INTERP_DEFINED | INTERP_INEXACT | INTERP_WRITTEN |
                          INTERP_SKIPPED))
        return give_up(e, "an argument of another domain");
    s->sound = (all & INTERP_DEFINED) && !(any & INTERP_INEXACT);
    return fill_cells(s, t) ||
           give_up(e, "an argument with a bit pattern of its own");
}

bool stores_fill(struct engine *e)
{
    size_t live = 0;
    for (size_t i = 0; i < e->stores.len; i++) {
        struct store *s = e->stores.items[i];
        size_t n = (size_t)s->elements * s->lanes;
        size_t cell =
            keyed_domain(e->options) ? KEYED_CELL : ftype_bytes(s->type);
        live += n * (cell + 1);
        if (live > MAX_LIVE)
            return give_up(e, "too much storage");
        s->data = dc_alloc(n > 0 ? n * cell : 1);
        s->state = dc_alloc(n > 0 ? n : 1);
        if (s->param >= 0 &&
            !(keyed_domain(e->options) ? keyed_fill(e, s) : fill_param(e, s)))
            return false;
    }
    return true;
}

/* ---- and back ---------------------------------------------------------------------- */

#define BACK(cell)                                        \
    do {                                                  \
        cell x;                                           \
        for (size_t i = 0; i < t->elements; i++) {        \
            t->state[i] = s->state[i];                    \
            memcpy(&x, s->data + i * sizeof x, sizeof x); \
            if (s->state[i] & INTERP_DEFINED)             \
                t->bits[i] = (uint64_t)(int64_t)x;        \
        }                                                 \
    } while (0)

static void back_cells(const struct store *s, struct interp_tensor *t)
{
    switch (s->type) {
    case T_F32:
    case T_U32: BACK(uint32_t); break;
    case T_F16:
    case T_BF16:
    case T_U16: BACK(uint16_t); break;
    case T_I8: BACK(int8_t); break;
    case T_I16: BACK(int16_t); break;
    case T_I32: BACK(int32_t); break;
    case T_U8:
    case T_BOOL: BACK(uint8_t); break;
    case T_F64:
    case T_U64: BACK(uint64_t); break;
    case T_I64: BACK(int64_t); break;
    case T_NTYPES: break;
    }
}

void stores_back(struct engine *e)
{
    for (size_t k = 0; k < e->stores.len; k++) {
        const struct store *s = e->stores.items[k];
        if (s->param < 0 || s->read_only)
            continue;
        struct interp_tensor *t = e->args[s->param].tensor;
        if (keyed_domain(e->options))
            keyed_back(s, t);
        else
            back_cells(s, t);
    }
}

void stores_free(struct engine *e)
{
    for (size_t i = 0; i < e->stores.len; i++) {
        dc_release(e->stores.items[i]->data);
        dc_release(e->stores.items[i]->state);
    }
    vec_fini(&e->stores);
}
