/* SPDX-License-Identifier: Apache-2.0
 *
 * What compute_inline and reverse_compute_inline share: blocks that are one
 * store each, what stands between two blocks of a scope, and taking a block
 * out.
 *
 * Values move to another place in time by inlining, so nothing they are made
 * of may change in between; TVM (s_tir/schedule/primitive/compute_inline.cc)
 * relies on each buffer of a scope being written by one block.
 */
#include "schedule/schedule_private.h"

#include <string.h>

bool sched_is_own(const struct ir_stmt *scope, const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < scope->u.block->nallocs; i++)
        if (scope->u.block->allocs[i] == buffer)
            return true;
    return false;
}

/* Indices are spatial iterators of the block, each of its own, or 0, and every
 * element of the buffer is met. used: the iterators. */
static bool meets_all(const struct ir_block *b, const struct ir_buffer *buffer,
                      size_t n, struct ir_expr *const *indices, bool *used)
{
    if (b->niters > SCHED_MAX_PATH || n != buffer->rank)
        return false;
    for (size_t d = 0; d < n; d++) {
        size_t at = b->niters;
        if (ir_is_const_int(indices[d], 0) &&
            ir_is_const_int(buffer->shape[d], 1))
            continue;
        for (size_t i = 0; i < b->niters; i++)
            if (indices[d]->kind == IR_VAR_REF &&
                indices[d]->u.var == b->iters[i].var)
                at = i;
        if (at == b->niters || used[at] || !b->iters[at].has_dom ||
            b->iters[at].type == IR_ITER_REDUCE ||
            !ir_is_const_int(b->iters[at].dom.min, 0) ||
            !ir_expr_same(b->iters[at].dom.extent, buffer->shape[d]))
            return false;
        used[at] = true;
    }
    return true;
}

static bool is_unit_iter(const struct ir_iter_var *iter)
{
    return iter->has_dom && ir_is_const_int(iter->dom.min, 0) &&
           ir_is_const_int(iter->dom.extent, 1);
}

bool sched_is_identity(const struct ir_block *b, const struct ir_buffer *buffer,
                       size_t n, struct ir_expr *const *indices)
{
    bool used[SCHED_MAX_PATH] = {false};
    bool good = meets_all(b, buffer, n, indices, used);
    for (size_t i = 0; i < b->niters && good; i++)
        good = used[i] || is_unit_iter(&b->iters[i]);
    return good;
}

bool sched_indexes_whole(const struct ir_block *b,
                         const struct ir_buffer *buffer, size_t n,
                         struct ir_expr *const *indices)
{
    bool used[SCHED_MAX_PATH] = {false};
    bool good = meets_all(b, buffer, n, indices, used);
    for (size_t i = 0; i < b->niters && good; i++)
        good = used[i] || b->iters[i].type == IR_ITER_REDUCE ||
               is_unit_iter(&b->iters[i]);
    return good;
}

/* ---- what happens in between ----------------------------------------------- */

static size_t index_of(const struct sched_children *all,
                       const struct ir_stmt *block)
{
    size_t i = 0;
    while (i < all->n && all->items[i] != block)
        i++;
    return i;
}

/* The innermost loop of the scope around both; NULL if none. */
static struct ir_stmt *common_loop(struct schedule *s, const struct ir_stmt *a,
                                   const struct ir_stmt *b)
{
    struct sched_path x, y;
    struct ir_stmt *loop = NULL;
    if (!sched_find_stmt(s, a, &x) || !sched_find_stmt(s, b, &y))
        return NULL;
    for (size_t i = sched_path_scope(&x) + 1;
         i < x.n && i < y.n && x.nodes[i] == y.nodes[i]; i++)
        if (x.nodes[i]->kind == IR_FOR)
            loop = x.nodes[i];
    return loop;
}

const char *sched_inputs_stay(struct schedule *s, struct ir_stmt *scope,
                              struct ir_stmt *block, struct ir_stmt *until)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_touch mine, other;
    const char *why = NULL;
    (void)sched_children(scope, all);
    size_t place = index_of(all, block);
    sched_touch(block, &mine);
    for (size_t i = 0; i < all->n && !why; i++) {
        bool writes = false;
        if (all->items[i] == block)
            continue;
        sched_touch(all->items[i], &other);
        for (size_t j = 0; j < mine.n; j++)
            writes |= mine.items[j].how == SCHED_READ &&
                      (sched_touches(&other, mine.items[j].data) & SCHED_WRITE);
        if (!writes)
            continue;
        struct ir_stmt *loop = common_loop(s, all->items[i], block);
        if (i > place)
            why = "what it reads is written again behind it";
        else if (loop && !sched_stmt_is_below(loop, until))
            why = "what it reads is written again by the next iteration";
    }
    dc_release(all);
    return why;
}

/* ---- taking out ------------------------------------------------------------ */

struct ir_stmt *sched_without_alloc(struct schedule *s,
                                    const struct ir_stmt *scope,
                                    const struct ir_buffer *buffer)
{
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, scope);
    struct ir_block *b = copy->u.block;
    struct ir_buffer **allocs =
        ARENA_ARRAY(s->m->arena, b->nallocs + 1, struct ir_buffer *);
    size_t n = 0;
    for (size_t i = 0; i < b->nallocs; i++)
        if (b->allocs[i] != buffer)
            allocs[n++] = b->allocs[i];
    b->allocs = allocs;
    b->nallocs = n;
    ir_stmt_seal(copy);
    return copy;
}

struct ir_stmt *sched_remove_block(struct schedule *s, struct ir_stmt *root,
                                   const char *block, const char *scope,
                                   const struct ir_buffer *buffer)
{
    struct sched_path path;
    if (!sched_find_named(root, block, &path))
        DC_BUG("block '%s' is not there", block);
    root = sched_replace(s, &path, NULL);
    if (!root || !sched_find_named(root, scope, &path))
        return NULL;
    return sched_replace(s, &path,
                         sched_without_alloc(s, sched_path_end(&path), buffer));
}
