/* SPDX-License-Identifier: Apache-2.0
 *
 * Two accesses of one storage at two iterations, for races.c and copies.c.
 */
#ifndef DC_VERIFIER_SAFETY_RACES_H
#define DC_VERIFIER_SAFETY_RACES_H

#include "verifier/safety/safety_private.h"

struct race_pair {
    struct safety *s;
    struct saccess *a, *b;
    struct vinst *ia, *ib; /* of a, of b with the shared loops' values */
    const struct form *da, *db, *same_cell;
    size_t rank; /* of both places: */
    const struct aff **ca, **cb;
};

/* Instances of both that agree in the shared loops (by id). False after a
 * failure. */
bool race_pair_make(struct race_pair *p, const bool *shared);
/* Some of the marked loops in which they differ. */
const struct form *race_other_iteration(struct race_pair *p,
                                        const bool *differ);
/* Marks the loops around the launch that both are in: one launch comes after
 * another (R18). */
void race_share_host_loops(struct safety *s, const struct saccess *a,
                           const struct saccess *b, bool *shared);
/* Marks the thread loops (of blocks, or within them) around either; false when
 * the storage has a copy for each iteration of all of them. */
bool race_mark_threads(const struct saccess *a, const struct saccess *b,
                       bool blocks, bool *marks);
/* Whether both are in one launch, or both on the host. */
bool race_one_launch(const struct saccess *a, const struct saccess *b);
/* Steps before the threads' loops. */
size_t race_block_steps(size_t n, const struct vstep *steps);
/* Whether barriers for the scope stand where TVM would put them (R3). */
bool race_implicit_barriers(const struct safety *s, const char *scope);

/* The instance of a statement in the iterations and the thread of `at`, the
 * first iteration of other loops; `later` iterations later in the innermost loop
 * that `at` is in. NULL: not to be had. */
struct vinst *race_instance_at(struct safety *s, size_t nscopes,
                               const struct vscope *scopes, size_t nsteps,
                               const struct vstep *steps,
                               const struct vinst *at, int64_t later);
/* Implies that an explicit barrier that orders the storage stands between x
 * and y in the time of the block. */
const struct form *race_barrier_between(struct race_pair *p,
                                        const struct vinst *x, size_t nx,
                                        const struct vinst *y, size_t ny);

#endif
