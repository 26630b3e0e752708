/* SPDX-License-Identifier: Apache-2.0
 *
 * Open addressing with linear probing over pairs of addresses. A slot is free
 * when its first address is NULL; nothing is ever removed, so probing needs no
 * tombstones. The table doubles at three quarters full.
 */
#include "ir/ptr_map.h"

static size_t slot_of(const struct ptr_map *map, const void *a, const void *b)
{
    uint64_t h =
        hash_mix(hash_mix(0, (uint64_t)(uintptr_t)a), (uint64_t)(uintptr_t)b);
    size_t i = (size_t)h & (map->cap - 1);
    while (map->slots[i].a && (map->slots[i].a != a || map->slots[i].b != b))
        i = (i + 1) & (map->cap - 1);
    return i;
}

static void grow(struct ptr_map *map)
{
    struct ptr_map old = *map;
    map->cap = old.cap ? old.cap * 2 : 64;
    map->slots = dc_alloc(map->cap * sizeof *map->slots);
    for (size_t i = 0; i < old.cap; i++)
        if (old.slots[i].a)
            map->slots[slot_of(map, old.slots[i].a, old.slots[i].b)] =
                old.slots[i];
    dc_release(old.slots);
}

uint64_t *ptr_map_find(const struct ptr_map *map, const void *a, const void *b)
{
    if (!map->cap)
        return NULL;
    size_t i = slot_of(map, a, b);
    return map->slots[i].a ? &map->slots[i].value : NULL;
}

void ptr_map_put(struct ptr_map *map, const void *a, const void *b,
                 uint64_t value)
{
    if (map->len * 4 >= map->cap * 3)
        grow(map);
    size_t i = slot_of(map, a, b);
    if (!map->slots[i].a)
        map->len++;
    map->slots[i] = (struct ptr_slot){a, b, value};
}

void ptr_map_fini(struct ptr_map *map)
{
    dc_release(map->slots);
    *map = (struct ptr_map){0};
}
