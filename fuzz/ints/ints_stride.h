/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs over shared storage before they are written: ints_stride.c draws and
 * changes them, ints_nest.c writes them.
 */
#ifndef DC_FUZZ_INTS_STRIDE_H
#define DC_FUZZ_INTS_STRIDE_H

#include "fuzz/ints/ints_private.h"

#define MAX_VIEWS 8u
#define MAX_NESTS 6u
#define SCRATCH   48 /* elements of a storage */

/* How an index that may leave its dimension is brought back. */
enum bring { BRING_NOT, BRING_FLOORMOD, BRING_TRUNCMOD, BRING_MASK, NBRINGS };

/* c + x i + y j, in a narrow type if it has bits: worked out there, or only
 * converted to it. */
struct affine {
    int64_t c, x, y;
    unsigned bits;
    bool is_unsigned, inside;
    enum bring bring;
};

struct view {
    unsigned storage; /* 0: A, 1: O, from 2 on scratch */
    bool whole;       /* the storage's own buffer */
    unsigned rank;
    int64_t shape[2], stride[2], offset;
    bool strided;
};

struct access {
    unsigned view;
    struct affine at[2];
};

struct nest {
    int64_t extent[2]; /* of i and j; 0: no j */
    struct access to;
    unsigned nloads;
    struct access from[2];
    enum ir_expr_kind op;
    int64_t value; /* without loads */
    bool turned;   /* j outside */
    bool reversed; /* i from its end */
    enum ir_for_kind kind;
    bool gone;
    unsigned dependent; /* how j's extent depends on i; 0: it does not */
    bool guarded;       /* stored only where guard < limit */
    struct affine guard;
    int64_t limit;
};

struct prog {
    struct dtype t;
    unsigned nstorages, nviews, nnests;
    struct view views[MAX_VIEWS];
    struct nest nests[MAX_NESTS];
    bool kernel;      /* all nests in one launch */
    int64_t threads;  /* of it */
    unsigned barrier; /* number of the one that is left out; MAX: none */
};

struct ir_module *stride_write(const struct prog *p);

#endif
