/* SPDX-License-Identifier: Apache-2.0
 *
 * reorder_block_iter_var: a block lists its iterators in another order.
 *
 * Legal where the order is a permutation of 0, 1, …: neither bindings nor the
 * order in which points run change. Follows TVM,
 * s_tir/schedule/primitive/reorder_block_iter_var.cc.
 */
#include "schedule/schedule_private.h"

static bool is_permutation(size_t n, const int64_t *order)
{
    for (size_t i = 0; i < n; i++) {
        if (order[i] < 0 || (uint64_t)order[i] >= n)
            return false;
        for (size_t j = 0; j < i; j++)
            if (order[i] == order[j])
                return false;
    }
    return true;
}

bool schedule_reorder_block_iter_var(struct schedule *s, schedule_ref ref,
                                     size_t n, const int64_t *order)
{
    struct sched_path path;
    sched_begin(s);
    if (!sched_find_block(s, ref, &path))
        return false;
    const struct ir_block *old = sched_path_end(&path)->u.block;
    if (n != old->niters || !is_permutation(n, order))
        return sched_illegal(s,
                             "the order is no permutation of the %zu iterators "
                             "of block '%s'",
                             old->niters, old->name);
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, sched_path_end(&path));
    for (size_t i = 0; i < n; i++) {
        copy->u.block->iters[i] = old->iters[order[i]];
        copy->u.block->iter_values[i] = old->iter_values[order[i]];
    }
    ir_stmt_seal(copy);
    return sched_commit(s, sched_replace(s, &path, copy));
}

/* reorder_block_iter_var(block, [index, …]) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t order[SCHEDULE_MAX_LOOPS + 1];
    size_t n;
    (void)nout;
    (void)out;
    return sched_arg_kinds(s, nargs, args, "rl") &&
           sched_arg_ints(s, &args[1], &n, order) &&
           schedule_reorder_block_iter_var(s, args[0].u.ref, n, order);
}

extern const struct schedule_primitive primitive_reorder_block_iter_var;
const struct schedule_primitive primitive_reorder_block_iter_var = {
    .name = "reorder_block_iter_var",
    .arguments = "block, [index, ...]",
    .source = "reorder_block_iter_var.cc",
    .apply = apply,
};
