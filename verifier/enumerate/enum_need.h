/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of one storage that a slice needs, by number, and what they hold.
 * Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_NEED_H
#define DC_VERIFIER_ENUMERATE_ENUM_NEED_H

#include "verifier/enumerate/enum_span.h"
#include "verifier/enumerate/enum_terms.h"

struct enum_need_cell {
    int64_t key;
    enum_id id; /* ENUM_NONE: not needed any more */
};
struct enum_need_place {
    int64_t key;
    size_t cell;
};

struct enum_need {
    struct VEC(struct enum_need_cell) cells;         /* as they came */
    size_t live;                                     /* those that are needed */
    size_t nslots;                                   /* a power of two, or 0 */
    size_t *slots;                                   /* by hash: cell + 1 */
    struct VEC(struct enum_need_place) sorted, late; /* few in late */
};

void enum_need_fini(struct enum_need *n);
/* ENUM_NONE: it is not needed. */
enum_id enum_need_find(const struct enum_need *n, int64_t key);
/* Makes a cell needed. */
void enum_need_put(struct enum_need *n, int64_t key, enum_id id);
/* Gives what was put, and the cell is needed no more. */
enum_id enum_need_take(struct enum_need *n, int64_t key);
/* Whether one of base + span, not above last, is needed. *steps goes down by
 * what it took. */
bool enum_need_touches(struct enum_need *n, int64_t base, int64_t last,
                       const struct enum_span *span, uint64_t *steps);

#endif
