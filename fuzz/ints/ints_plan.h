/* SPDX-License-Identifier: Apache-2.0
 *
 * What is decided of a pair before its modules are written: ints_plan.c
 * decides, ints_place.c writes.
 */
#ifndef DC_FUZZ_INTS_PLAN_H
#define DC_FUZZ_INTS_PLAN_H

#include "fuzz/ints/ints_private.h"

enum route {
    ROUTE_NONE,
    ROUTE_ARRAY,
    ROUTE_CELL,
    ROUTE_BIND,
    ROUTE_LET,
    ROUTE_OUTPUT
};

/* How a reduction takes its terms. */
enum reduction {
    REDUCE_OUTPUT, /* into the output itself */
    REDUCE_SCRATCH,
    REDUCE_TURNED,  /* from the last term to the first */
    REDUCE_SPLIT,   /* by two loops */
    REDUCE_TWO,     /* into two accumulators */
    REDUCE_TWICE,   /* all of them, and again */
    REDUCE_CLAMPED, /* the last one again */
    REDUCE_SHORT,   /* without the last one */
    REDUCE_LATE,    /* without the first one */
    NREDUCTIONS
};

/* What a reduction begins with. */
enum beginning {
    BEGIN_ARM,    /* something */
    BEGIN_UNIT,   /* what changes nothing */
    BEGIN_FINITE, /* the finite value next to that */
    BEGIN_FIRST,  /* the first term */
    NBEGINNINGS
};

/* How storage that is indexed by data has rows of GRID_ROW elements. */
enum grid {
    GRID_NONE,  /* it has none */
    GRID_FLOOR, /* at // row, at %% row */
    GRID_TRUNC, /* the same rounded to zero */
    GRID_BITS,  /* by shift and mask */
    GRID_FIRST, /* 0, at: leaves its row */
    GRID_BACK,  /* at // row + 1, at %% row - row: so does this */
    NGRIDS
};
#define GRID_ROW 4

/* What keeps an address in its table. */
enum keeper {
    KEEP_NOTHING,
    KEEP_ASSERT, /* an assertion before */
    KEEP_LAZY,   /* if_then_else */
    KEEP_CLAMP,
    NKEEPERS
};

struct plan {
    struct draw *d;
    enum ints_place place;
    struct dtype out, loop;
    const struct ix *main[2]; /* by side */
    const struct ix *arm[2];  /* what a condition chooses from */
    const struct ix *address; /* GUARD: of the table, on both sides */
    int64_t size;             /* of the table, or of what is scattered to */
    bool table, lazy_arm;
    enum route route[2];
    const struct ix *routed[2];
    bool blocks[2];
    enum ir_for_kind kind[2]; /* of the loop */
    bool lanes[2];            /* all trips as one vector, without a loop */
    int64_t first, extent;    /* domain of the blocks' iterator */
    unsigned form;            /* variants of a place */
    enum ir_expr_kind reducer;
    enum reduction reduction[2];
    enum beginning begin[2];
    bool swapped[2]; /* the term stands before the accumulator */
    enum grid grid[2];
    struct dtype acc[2]; /* of the accumulator */
    enum keeper keeper[2];
    int64_t low[2], high[2]; /* the range that it says */
    const struct ix *after;  /* of the result, as IX_ROUTE_SLOT, or NULL */
};

/* REDUCE or STEP: an accumulator takes what the trips give. */
bool plan_reduces(const struct plan *p);
/* One side as a module. */
struct ir_module *plan_write(const struct plan *p, unsigned side);
/* The same in parts, for calls: what a ROUTE_ARRAY stores, if there is one, as
 * "first", the rest as "second". */
struct ir_module *plan_write_parts(const struct plan *p, unsigned side);
/* ints_relax.c: a Relax function that calls the parts; NULL: it has no form
 * there (scalars, outputs that are not written whole). */
struct ir_module *plan_write_relax(const struct plan *p, unsigned side);

#endif
