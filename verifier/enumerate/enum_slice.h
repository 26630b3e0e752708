/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of what one output element is made of, in programs too large to be run
 * whole: from its end backwards. A store to a cell that is needed says what it
 * holds; the cells that the value reads are needed then, and it is not, before
 * that. Until their stores are found they are holes in the value. Parts of loops
 * and launches that store to no needed cell, as the ranges of their addresses
 * show, are passed over. Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_SLICE_H
#define DC_VERIFIER_ENUMERATE_ENUM_SLICE_H

#include "verifier/enumerate/enum_need.h"
#include "verifier/enumerate/enum_run.h"

/* A buffer while loops around its definition are open. */
struct enum_part {
    bool known;
    struct enum_storage *storage;
    struct enum_span offset;
    struct enum_span *strides; /* one for each dimension */
};

struct enum_slice {
    int64_t block; /* the number of the one that runs */
    size_t last;   /* the thread that was found to be of use last */
    struct VEC(struct enum_hole {
        enum_id value; /* ENUM_NONE: not found yet */
        enum_id entry; /* what it is if nothing is found */
    }) holes;
    /* While the ranges of a statement are asked for: */
    struct enum_span *ranges; /* by variable id */
    bool *ranged;
    struct VEC(uint32_t) ranged_ids;
    struct enum_part *parts; /* by buffer id */
    struct VEC(uint32_t) part_ids;
    struct VEC(struct enum_leak {
        const struct ir_stmt *stmt;
        bool leaks;
    }) leaks;
};

void enum_slice_init(struct enum_machine *m, struct enum_slice *s);
void enum_slice_fini(struct enum_slice *s);

/* What a place holds, which becomes needed. */
enum_id enum_slice_read(struct enum_machine *m, const struct enum_lane *thread,
                        struct enum_storage *s, int64_t place);
/* The hole of a place that is stored to, ENUM_NONE: nobody needs it; and what
 * it is filled with. */
enum_id enum_slice_take(struct enum_machine *m, const struct enum_lane *thread,
                        struct enum_storage *s, int64_t place);
void enum_slice_fill(struct enum_machine *m, enum_id hole, enum_id value);
/* A hole that is no cell. */
enum_id enum_slice_hole(struct enum_machine *m, struct dtype t, enum_id entry);
/* What is needed of a storage is not stored earlier: its contents begin here. */
void enum_slice_begin(struct enum_machine *m, struct enum_storage *s);
/* A term with all holes filled; ENUM_NONE after a failure. */
enum_id enum_slice_settle(struct enum_machine *m, enum_id root);
/* Whether a statement may store to a needed cell, while variables are what
 * enum_slice_range said; forgets that. thread: NULL: any. */
bool enum_slice_touches(struct enum_machine *m, const struct enum_lane *thread,
                        const struct ir_stmt *s);
/* Whether threads have to go through s together: one may store what another one
 * needs, which is not known before the end of s has been walked. */
bool enum_slice_keeps_all(struct enum_machine *m, const struct ir_stmt *s);
/* What a variable can be in the next question. */
void enum_slice_range(struct enum_machine *m, const struct ir_var *v,
                      const struct enum_span *span);
struct enum_span enum_slice_span(struct enum_machine *m,
                                 const struct enum_lane *thread,
                                 const struct ir_expr *e);

/* The places that an access can be. */
struct enum_span enum_slice_access(struct enum_machine *m,
                                   const struct enum_lane *thread,
                                   const struct ir_buffer *b, size_t nindices,
                                   struct ir_expr *const *indices);
/* Whether a needed cell of a storage is among these places. */
bool enum_slice_meets(struct enum_machine *m, const struct enum_lane *thread,
                      struct enum_storage *s, const struct enum_span *places);
/* enum_tile.c: the same as enum_slice_touches of a call that stores. */
bool enum_effect_touches(struct enum_machine *m, const struct enum_lane *thread,
                         const struct ir_expr *e);

#endif
