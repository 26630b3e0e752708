/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of needed cells: found by hash, asked for ranges in a sorted list whose
 * latest members wait apart.
 */
#include "verifier/enumerate/enum_need.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LATE 64u

void enum_need_fini(struct enum_need *n)
{
    vec_fini(&n->cells);
    vec_fini(&n->sorted);
    vec_fini(&n->late);
    dc_release(n->slots);
}

static size_t slot_of(const struct enum_need *n, int64_t key)
{
    size_t k = (size_t)hash_mix(0, (uint64_t)key) & (n->nslots - 1);
    while (n->slots[k] != 0 && n->cells.items[n->slots[k] - 1].key != key)
        k = (k + 1) & (n->nslots - 1);
    return k;
}

enum_id enum_need_find(const struct enum_need *n, int64_t key)
{
    size_t k = n->nslots > 0 ? slot_of(n, key) : 0;
    return n->nslots == 0 || n->slots[k] == 0
               ? ENUM_NONE
               : n->cells.items[n->slots[k] - 1].id;
}

static void grow(struct enum_need *n)
{
    dc_release(n->slots);
    n->nslots = n->nslots == 0 ? 64 : 2 * n->nslots;
    n->slots = dc_alloc(n->nslots * sizeof *n->slots);
    for (size_t i = 0; i < n->cells.len; i++)
        n->slots[slot_of(n, n->cells.items[i].key)] = i + 1;
}

void enum_need_put(struct enum_need *n, int64_t key, enum_id id)
{
    if (2 * (n->cells.len + 1) > n->nslots)
        grow(n);
    size_t k = slot_of(n, key);
    if (n->slots[k] == 0) {
        vec_push(&n->late, ((struct enum_need_place){key, n->cells.len}));
        vec_push(&n->cells, ((struct enum_need_cell){key, ENUM_NONE}));
        n->slots[k] = n->cells.len;
    }
    enum_id *cell = &n->cells.items[n->slots[k] - 1].id;
    n->live += *cell == ENUM_NONE;
    *cell = id;
}

enum_id enum_need_take(struct enum_need *n, int64_t key)
{
    size_t k = n->nslots > 0 ? slot_of(n, key) : 0;
    if (n->nslots == 0 || n->slots[k] == 0)
        return ENUM_NONE;
    enum_id *cell = &n->cells.items[n->slots[k] - 1].id, id = *cell;
    n->live -= id != ENUM_NONE;
    *cell = ENUM_NONE;
    return id;
}

static int by_key(const void *a, const void *b)
{
    int64_t x = ((const struct enum_need_place *)a)->key;
    int64_t y = ((const struct enum_need_place *)b)->key;
    return x < y ? -1 : x > y;
}

static void sort_late(struct enum_need *n)
{
    for (size_t i = 0; i < n->late.len; i++)
        vec_push(&n->sorted, n->late.items[i]);
    n->late.len = 0;
    qsort(n->sorted.items, n->sorted.len, sizeof *n->sorted.items, by_key);
}

static bool is_hit(const struct enum_need *n, const struct enum_need_place *p,
                   int64_t base, const struct enum_span *span)
{
    return n->cells.items[p->cell].id != ENUM_NONE &&
           enum_span_has(span, p->key - base);
}

bool enum_need_touches(struct enum_need *n, int64_t base, int64_t last,
                       const struct enum_span *span, uint64_t *steps)
{
    int64_t lo, hi;
    size_t from = 0, to, seen = 0;
    bool found = false;
    if (n->live == 0)
        return false;
    if (n->late.len > MAX_LATE)
        sort_late(n);
    if (!enum_span_bounds(span, &lo, &hi) || hi > last)
        hi = last;
    if (span->any || lo < 0)
        lo = 0;
    to = n->sorted.len;
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        if (n->sorted.items[mid].key - base < lo)
            from = mid + 1;
        else
            to = mid;
    }
    for (; from < n->sorted.len && n->sorted.items[from].key - base <= hi &&
           !found;
         from++, seen++)
        found = is_hit(n, &n->sorted.items[from], base, span);
    for (size_t i = 0; i < n->late.len && !found; i++, seen++) {
        int64_t at = n->late.items[i].key - base;
        found =
            at >= lo && at <= hi && is_hit(n, &n->late.items[i], base, span);
    }
    *steps -= seen < *steps ? seen : *steps;
    return found;
}
