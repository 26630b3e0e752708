/* SPDX-License-Identifier: Apache-2.0
 *
 * A hash map from a pair of addresses (the second may be NULL) to a word, for
 * passes over the IR. Look-ups only: there is no iteration, so the order of
 * addresses can never reach an output. Zero-initialise before use.
 */
#ifndef DC_IR_PTR_MAP_H
#define DC_IR_PTR_MAP_H

#include "ir/base/base.h"

struct ptr_slot {
    const void *a, *b;
    uint64_t value;
};

struct ptr_map {
    struct ptr_slot *slots;
    size_t len, cap; /* cap is a power of two or 0 */
};

/* Value of (a, b), or NULL when absent; valid until the next put. */
uint64_t *ptr_map_find(const struct ptr_map *map, const void *a, const void *b);
/* Adds or replaces; a must not be NULL. */
void ptr_map_put(struct ptr_map *map, const void *a, const void *b,
                 uint64_t value);
void ptr_map_fini(struct ptr_map *map);

#endif
