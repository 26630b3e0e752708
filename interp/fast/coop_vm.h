/* SPDX-License-Identifier: Apache-2.0
 *
 * What vm.c needs to run the threads of a block in lanes; private to
 * interp/fast/.
 */
#ifndef DC_INTERP_FAST_COOP_VM_H
#define DC_INTERP_FAST_COOP_VM_H

#include "interp/fast/vm.h"

/* ---- coop_rows.c: values for each thread ------------------------------------------ */

/* Works out atoms for the threads [lo, hi). */
void fast_threads_work_out(struct vm *v, const uint32_t *atoms, size_t n,
                           uint32_t lo, uint32_t hi);
/* out[i] is the form's value in thread lo + i. */
void fast_threads_values(const struct vm *v, const struct lin *x, uint32_t lo,
                         uint32_t hi, int64_t *out);
/* In which of the threads [lo, hi) a guard holds, as bytes; charges what looking
 * costs. False: give up. */
bool fast_threads_mask(struct vm *v, const struct insn *in, uint32_t lo,
                       uint32_t hi, uint8_t *mask);

/* ---- shadow.c: races -------------------------------------------------------------- */

void shadow_launch(struct vm *v);
void shadow_block(struct vm *v);
void shadow_barrier(struct vm *v, const struct node *barrier);
/* A loop whose iterations have to be independent, and one of them. False: give
 * up. */
bool shadow_loop(struct vm *v);
void shadow_iteration(struct vm *v);
/* Storage begins to live; forgets what was. */
void shadow_birth(struct vm *v, const struct store *s);
/* Thread lo + i reads element at[i]. False: give up. */
bool shadow_read(struct vm *v, const struct store *s, enum race_look look,
                 const int64_t *at, uint32_t lo, uint32_t n);
/* The same of a write; bit i of same: the element holds these very bits. */
bool shadow_write(struct vm *v, const struct store *s, const int64_t *at,
                  const uint8_t *same, uint32_t lo, uint32_t n);
/* An element is read by several threads of a warp. */
bool shadow_read_all(struct vm *v, const struct store *s, enum race_look look,
                     int64_t at);

/* ---- tile.c ---------------------------------------------------------------------------- */

bool fast_tile_run(struct vm *v, const struct insn *in, uint32_t lo,
                   uint32_t hi);
/* One operation of one warp, from its offsets on; keyed_vm.c has the other
 * half. */
struct tile_at {
    int64_t frag[4], memory; /* elements */
    uint32_t first, lanes;   /* of the warp */
};
bool fast_keyed_tile(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at);
/* The races of moving a tile from or to memory. */
bool fast_tile_races(struct vm *v, const struct tile_code *t,
                     const struct tile_at *at, const uint8_t *same);

#endif
