/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of cells and boxes over them, for slices; private to interp/.
 */
#ifndef DC_INTERP_SLICES_SLICE_SET_H
#define DC_INTERP_SLICES_SLICE_SET_H

#include "ir/base/limits.h"
#include "ir/ir.h"

/* A set of numbers below n: bits, and above them bits that say which words
 * below are not empty. */
struct cell_set {
    size_t n;
    unsigned nlevels;
    uint64_t *level[7];
    size_t nwords[7];
    size_t count; /* members */
};

void cell_set_init(struct cell_set *set, size_t n);
void cell_set_fini(struct cell_set *set);
/* Whether something new came in; cells beyond n are ignored. */
bool cell_set_add_range(struct cell_set *set, size_t first, size_t last);
bool cell_set_has(const struct cell_set *set, size_t cell);

/* All cells base + sum(stride[k] * x[k]), lo[k] <= x[k] <= hi[k]; strides in
 * descending order, each at least the span of those after it (row-major). */
#define CELL_BOX_RANK (DC_MAX_RANK + 1)
struct cell_box {
    size_t rank;
    int64_t base;
    int64_t stride[CELL_BOX_RANK], lo[CELL_BOX_RANK], hi[CELL_BOX_RANK];
};

/* Whether a member may lie in the box: false is certain, true is certain up
 * to a bounded search. */
bool cell_box_meets(const struct cell_box *box, const struct cell_set *set);
/* Adds the box's cells (at least); whether something new came in. */
bool cell_box_add(const struct cell_box *box, struct cell_set *set);

/* ---- intervals of 64-bit integers ------------------------------------------- */

#define SPAN_LIMIT ((int64_t)1 << 60)

/* lo..hi; anything beyond the limit stands for "unknown". */
struct span {
    int64_t lo, hi;
};

static inline struct span slice_span_unknown(void)
{
    return (struct span){-SPAN_LIMIT, SPAN_LIMIT};
}
static inline struct span slice_span_point(int64_t v)
{
    return v > -SPAN_LIMIT && v < SPAN_LIMIT ? (struct span){v, v}
                                             : slice_span_unknown();
}
static inline bool slice_span_known(struct span s)
{
    return s.lo > -SPAN_LIMIT && s.hi < SPAN_LIMIT;
}
static inline bool slice_span_is_point(struct span s)
{
    return s.lo == s.hi;
}
/* Unknown unless both ends lie within the limit. */
struct span slice_span_make(int64_t lo, int64_t hi);
struct span slice_span_hull(struct span a, struct span b);
/* + - * / % // %% min max & | ^ << >>, and comparisons to 0, 1 or 0..1. */
struct span slice_span_binary(enum ir_expr_kind kind, struct span a,
                              struct span b);

#endif
