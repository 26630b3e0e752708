/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions across threads, for front_reduce.c and front_allreduce.c:
 *
 *   partial[threads, cell] = identity          each thread its own
 *   partial[threads, cell] = partial (+) term  over its serial loops
 *   sum = identity; for all threads t', in no order: sum = sum (+) partial[t']
 *   target[cell] = sum                         in each thread
 *
 * in that order of time. The threads that are combined are an index of the
 * partials' storage; nothing races there by R5.
 */
#ifndef DC_VERIFIER_FRONT_FRONT_COMBINE_H
#define DC_VERIFIER_FRONT_FRONT_COMBINE_H

#include "verifier/front/front.h"

#define MAX_TARGETS 8

struct combination {
    size_t n;
    struct fstorage *sum[MAX_TARGETS];
    struct ir_expr *have[MAX_TARGETS]; /* the sum so far */
    struct ir_expr *with[MAX_TARGETS]; /* another thread's partial */
};

/* A scalar storage that each thread has. */
struct fstorage *combine_scalar_storage(struct front *f, const char *name,
                                        struct dtype t);
/* A storage with an index for each of the axes, then the given shape. */
struct fstorage *combine_partial_storage(struct front *f, const char *name,
                                         struct dtype t, uint32_t axes,
                                         size_t rank,
                                         struct ir_expr *const *shape);
struct ir_expr *combine_load_of(struct front *f, struct fstorage *s, size_t n,
                                struct ir_expr **index);
/* Opens loops in no order over the threads of the axes; gives their variables,
 * FRONT_MAX_AXES at most. */
size_t combine_open_threads(struct front *f, uint32_t axes,
                            struct ir_expr **out);
/* The running thread's own indices. */
size_t combine_own_threads(struct front *f, uint32_t axes,
                           struct ir_expr **out);
/* Whether a value changes nothing when it is combined in once more. */
bool combine_is_unit(enum ir_expr_kind op, const struct ir_expr *e);
/* sum = results, which are over c->have and c->with: all at once. */
void combine_store_sums(struct front *f, const struct combination *c,
                        struct ir_expr *const *results);
/* Threads that are not combined must differ in a value (NULL: left out): those
 * that do not would count their terms twice. Tried for all threads of a block,
 * with everything else at 0; refused otherwise. */
void combine_check_distinct(struct front *f, uint32_t axes, size_t n,
                            struct ir_expr *const *value);

#endif
