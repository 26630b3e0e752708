/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the implementations of tensor and warp intrinsics; private to
 * intrin*.c.
 */
#ifndef DC_INTERP_THREADS_INTRIN_H
#define DC_INTERP_THREADS_INTRIN_H

#include "interp/machine/exec.h"

/* Lanes of one warp that arrived at a call, ascending. */
struct warp {
    size_t n;
    size_t expected; /* lanes that the warp has in this block */
    struct thread *lanes[EXEC_WARP_SIZE];
    size_t index[EXEC_WARP_SIZE]; /* of each in the group */
};

/* Shape of the tiles that a fragment storage holds, from the first call that
 * says so. */
struct tile_shape {
    uint32_t birth; /* of the storage */
    bool known;
    int64_t m, n, k;
};

struct async_copy;

/* Per run, made on demand; lives in machine.arena. */
struct intrin_state {
    size_t nshapes;
    struct tile_shape *shapes; /* by storage slot */
    size_t nreducers, reducer_cap;
    struct reducer_of {
        const struct ir_expr *call;
        const struct ir_comm_reducer *reducer;
    } * reducers;
    /* async copies in flight */
    size_t ncopies, copy_cap;
    struct async_copy *copies;
    uint16_t *touched; /* counts by hashed 16-byte piece; see intrin_async.c */
    bool landing;
};
struct intrin_state *intrin_state_get(struct machine *m);

/* Walks the warps of a group: *at starts at 0; false when there are no more.
 * On the host the one thread is a warp of its own. */
bool warp_next(struct machine *m, const struct group *g, size_t *at,
               struct warp *out);
/* Fault unless all lanes of the warp arrived (rules 21, 25). */
bool warp_is_whole(struct machine *m, const struct ir_expr *call,
                   const struct warp *w);
/* Operand i of the call, the same in all lanes (rule 25); false after a
 * fault. */
bool warp_operand(struct machine *m, const struct ir_expr *call,
                  const struct warp *w, uint32_t i, struct value *out);
bool warp_index(struct machine *m, const struct ir_expr *call,
                const struct warp *w, uint32_t i, int64_t *out);
bool warp_pointer(struct machine *m, const struct ir_expr *call,
                  const struct warp *w, uint32_t i, struct pointer *out);
/* Lane type behind a pointer: the annotated one, else the storage's. */
struct dtype intrin_pointer_lane(const struct pointer *p);
/* Counts n steps; false after a fault. */
bool intrin_charge(struct machine *m, uint64_t n);
/* One multiply-add with an exact product, in the accumulator's type. */
struct value intrin_mac(struct machine *m, struct dtype acc, struct dtype ta,
                        struct dtype tb, struct value a, struct value b,
                        struct value c);
/* Types of a sum of products: of the accumulator, of the operands as they are
 * given, and the narrower one that they come from, if it is one for both. */
struct dot_types {
    struct dtype acc, a, b, from;
};
/* c and the sum of k products x[i * sx] * y[i * sy], one intrin_mac after the
 * other, or as a matrix unit adds them (A21). */
struct value intrin_dot(struct machine *m, const struct dot_types *t, int64_t k,
                        const struct value *x, int64_t sx,
                        const struct value *y, int64_t sy, struct value c);
/* Storage that only one warp or thread can reach: no races. Terms still see
 * the accesses. */
struct value private_load(struct machine *m, struct alloc *a, int64_t offset,
                          struct dtype lane);
void private_store(struct machine *m, struct alloc *a, int64_t offset,
                   struct dtype lane, struct value v);

/* A vector instruction by its name in front of the operands (intrin_dot.c);
 * false: it is none. */
bool intrin_instruction(struct machine *m, const struct ir_expr *e,
                        struct value *out);

/* An attribute about queues of asynchronous copies (intrin_async.c); false: it
 * is none. */
bool intrin_async_attr(struct machine *m, const struct ir_stmt *s,
                       enum exec_flow *flow);

/* Implementations, by file. */
extern const struct intrin intrin_fill_fragment, intrin_load_matrix,
    intrin_store_matrix, intrin_mma_sync;
extern const struct intrin intrin_simdgroup_fill, intrin_simdgroup_load,
    intrin_simdgroup_store, intrin_simdgroup_mma;
extern const struct intrin intrin_allreduce;
extern const struct intrin intrin_ptx_mma, intrin_ldmatrix, intrin_mma_fill,
    intrin_mma_store;
extern const struct intrin intrin_cp_async, intrin_commit_group,
    intrin_wait_group;

#endif
