/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by eval.c, call.c, arith.c and crossthread.c; private to interp/.
 */
#ifndef DC_INTERP_MACHINE_ARITH_H
#define DC_INTERP_MACHINE_ARITH_H

#include "interp/machine/exec.h"
#include "ir/base/limits.h"

#define ARITH_MAX_RANK DC_MAX_RANK

/* Whether a result that does not fit the type is an overflow, wherever it
 * reaches an address or condition (rule 9). */
bool exec_arith_may_not_wrap(struct dtype t);
/* Whether an integer of the type is 2^63 or more: too large for any index. */
static inline bool exec_arith_is_huge(struct dtype t, uint64_t bits)
{
    return t.code == DT_UINT && bits >> 63 != 0;
}
/* An integer of the interval domain that hangs on the order of threads
 * (unordered.c): it is one of several. exec_arith_open reports that and is false. */
static inline bool exec_arith_is_open(const struct machine *m, struct value v)
{
    return m->domain->kind == INTERP_INTERVAL &&
           (v.flags & (V_INEXACT | V_BOX)) == V_INEXACT;
}
bool exec_arith_open(struct machine *m, const char *what);
/* Whether v is a scalar or has n lanes; a fault if not. */
bool exec_arith_lanes_fit(struct machine *m, uint32_t n, struct value v);

struct value exec_eval_call(struct machine *m, const struct ir_expr *e);
struct value exec_eval_if_then_else(struct machine *m, const struct ir_expr *e);
void exec_store(struct machine *m, const struct ir_stmt *s);

/* Loads and stores through buffers: as mem_load and mem_store, but partials
 * of a running cross-thread reduction live in an overlay (crossthread.c). */
struct value reduction_load_slow(struct machine *m, const struct view *v,
                                 int64_t offset);
void reduction_store_slow(struct machine *m, const struct view *v,
                          int64_t offset, struct value value);

static inline struct value reduction_load(struct machine *m,
                                          const struct view *v, int64_t offset)
{
    if (m->reduction != NULL)
        return reduction_load_slow(m, v, offset);
    return mem_load(m, v->alloc, offset, v->lane);
}

static inline void reduction_store(struct machine *m, const struct view *v,
                                   int64_t offset, struct value value)
{
    if (m->reduction != NULL)
        reduction_store_slow(m, v, offset, value);
    else
        mem_store(m, v->alloc, offset, v->lane, value);
}

#endif
