/* SPDX-License-Identifier: Apache-2.0
 *
 * One side of a pair on its way into a module: ints_site.c has what all places
 * need, ints_place.c the places, ints_reduce.c reductions.
 */
#ifndef DC_FUZZ_INTS_SITE_H
#define DC_FUZZ_INTS_SITE_H

#include "fuzz/ints/ints_plan.h"

struct site {
    const struct plan *p;
    unsigned side;
    struct ir_module *m;
    struct ir_expr *slots[IX_NSLOTS]; /* a table: some load of it */
    struct ir_buffer *inputs[IX_MAX_SLOTS];
    struct ir_buffer *table, *out, *kept, *acc;
    struct ir_var *size; /* symbolic: how many trips there are */
    struct ir_expr *at;  /* index of the trip */
    unsigned lanes;      /* of the trip: 1, or all trips are one */
    struct ir_stmt *items[12];
    size_t n;
};

struct ir_expr *site_number(struct site *x, int64_t v); /* int32 */
struct ir_expr *site_cast(struct site *x, struct dtype t, struct ir_expr *e);
struct ir_expr *site_emit(struct site *x, const struct ix *e);

struct ir_stmt *site_sequence(struct site *x, size_t n,
                              struct ir_stmt *const *items);
struct ir_stmt *site_loop_of(struct site *x, enum ir_for_kind kind,
                             struct ir_var *var, struct ir_expr *extent,
                             struct ir_stmt *body);
struct ir_stmt *site_loop(struct site *x, struct ir_var *var,
                          struct ir_expr *extent, struct ir_stmt *body);
struct ir_stmt *site_condition(struct site *x, struct ir_expr *cond,
                               struct ir_stmt *then_, struct ir_stmt *else_);
struct ir_stmt *site_assertion(struct site *x, struct ir_expr *cond);
struct ir_stmt *site_allocation(struct site *x, struct ir_buffer *buffer);
/* A block over one axis; of a reduction its init, else NULL. */
struct ir_stmt *site_block(struct site *x, struct ir_var *iter,
                           struct ir_expr *value, struct ir_expr *predicate,
                           struct ir_stmt *init, struct ir_stmt *body);

struct ir_buffer *site_vector(struct site *x, const char *name, struct dtype t,
                              int64_t n);
/* An element for each trip. */
struct ir_buffer *site_trip_vector(struct site *x, const char *name,
                                   struct dtype t);
struct ir_expr *site_load(struct site *x, struct ir_buffer *b,
                          struct ir_expr *at);
struct ir_stmt *site_store(struct site *x, struct ir_buffer *b,
                           struct ir_expr *at, struct ir_expr *value);
/* The same of storage that the side may have in rows: so many elements; the
 * element of this number. */
struct ir_buffer *site_grid(struct site *x, const char *name, struct dtype t,
                            int64_t n);
struct ir_expr *site_grid_load(struct site *x, struct ir_buffer *b,
                               struct ir_expr *at);
struct ir_stmt *site_grid_store(struct site *x, struct ir_buffer *b,
                                struct ir_expr *at, struct ir_expr *value);

void site_add_tensor(struct site *x, struct ir_prim_func *f,
                     struct ir_buffer *b);
void site_make_params(struct site *x, struct ir_prim_func *f);
/* Slots at the trip of this index. */
void site_at_trip(struct site *x, struct ir_expr *at);
struct ir_var *site_trip_var(struct site *x, const char *name);
struct ir_expr *site_trips(struct site *x); /* how many */

/* A loop that stores what is kept of all trips; what stands before the main
 * loop; what stands before the statement in it, which gives the side's
 * expression with what was kept in its place. */
void site_store_route(struct site *x);
void site_route_before(struct site *x);
const struct ix *site_route_inside(struct site *x, struct ir_stmt **body,
                                   size_t *n);

/* ---- ints_reduce.c ---- */
/* The accumulator with the value of this trip; *init: as it begins. */
struct ir_stmt *site_reduced(struct site *x, struct ir_expr *value,
                             struct ir_stmt **init);
void site_reduce_before(struct site *x);
void site_reduce_after(struct site *x);
/* The number of the trip that the loop over i, and an outer one, is at, and
 * their extents. */
struct ir_expr *site_trip_of(struct site *x, struct ir_var *i,
                             struct ir_var **outer);
struct ir_expr *site_extent(struct site *x);

#endif
