/* SPDX-License-Identifier: Apache-2.0
 *
 * What lanes of a warp do together, for spec/: all of them are there, one of
 * them sees what another one has, tiles are multiplied.
 */
#ifndef DC_VERIFIER_FRONT_FRONT_LANES_H
#define DC_VERIFIER_FRONT_FRONT_LANES_H

#include "verifier/front/front.h"

#define WARP_LANES 32

/* No condition or loop around tells the lanes of a warp apart. */
bool front_lanes_together(struct front *f);
/* All lanes of each warp are here, and there are some. */
bool front_all_lanes(struct front *f);
/* The same, and warps are whole: 32 threads along threadIdx.x. Refuses
 * otherwise, as `what`. */
bool front_whole_warps(struct front *f, const char *what);
/* The running thread's place in its warp, and the first thread of the warp. */
struct ir_expr *front_lane(struct front *f);
struct ir_expr *front_warp_base(struct front *f);
/* What e is in the thread `lane` of the running warp. Refuses what loads or
 * calls make of the lane. */
struct ir_expr *front_at_lane(struct front *f, struct ir_expr *e,
                              struct ir_expr *lane);
/* c + a * b, the product exact: a product and a sum where that is one rounding,
 * else fma. */
struct ir_expr *front_multiply_add(struct front *f, struct ir_expr *a,
                                   struct ir_expr *b, struct ir_expr *c);
/* Storage with threadIdx.x and then `count` elements as its indices: what each
 * lane has for others to read. Cells are lane by lane. */
struct fstorage *front_exchanged(struct front *f, const char *name,
                                 struct dtype t, int64_t count);

#endif
