/* SPDX-License-Identifier: Apache-2.0
 *
 * cache_write: a block writes a new buffer instead of its own, and another
 * block copies that over. Consumers that are named read the new buffer, too.
 *
 * Legal for a complete or reduction block that is the only writer of the
 * buffer in the scope. Beyond TVM (s_tir/schedule/primitive/
 * cache_read_write.cc): what the block writes must be known exactly, as a box
 * all of whose elements it stores, since the copy overwrites the box; and no
 * reader may stand before it that the copy would overtake. A named consumer may
 * read nothing but what the block wrote before.
 */
#include "schedule/schedule_private.h"

static bool check(struct schedule *s, struct ir_stmt *scope,
                  struct ir_stmt *block, const struct ir_buffer *buffer,
                  const struct sched_users *users)
{
    const char *a = sched_not_complete(s, scope, block);
    const char *b = a ? sched_not_reduction(s, scope, block) : NULL;
    return sched_require(s, users->nwriters == 1,
                         "several blocks write buffer '%s'", buffer->name) &&
           sched_require(s, !a || !b,
                         "block '%s' is neither complete (%s) nor a reduction "
                         "(%s)",
                         block->u.block->name, a ? a : "", b ? b : "") &&
           sched_require(s, !users->early,
                         "block '%s' reads buffer '%s' before it is written",
                         users->early ? users->early->u.block->name : "",
                         buffer->name);
}

/* Consumers read the cache what the block wrote before they ran: nothing of
 * the buffer that they saw came from elsewhere. */
static bool check_consumers(struct schedule *s, const struct sched_cache *c)
{
    struct ir_region all = sched_full_region(s, c->buffer);
    bool own = sched_is_own(c->scope, c->buffer);
    bool is_all = true;
    for (size_t i = 0; i < all.nranges; i++)
        is_all &= ir_is_const_int(c->box.ranges[i].min, 0) &&
                  ir_expr_same(c->box.ranges[i].extent, all.ranges[i].extent);
    for (size_t i = 0; i < c->nconsumers; i++) {
        struct sched_path a, b;
        bool apart = sched_find_stmt(s, c->block, &a) &&
                     sched_find_stmt(s, c->consumers[i], &b);
        size_t top = apart ? sched_path_scope(&a) + 1 : 0;
        for (size_t k = top; apart && k < a.n && k < b.n; k++)
            apart = a.nodes[k] != b.nodes[k] || a.nodes[k]->kind != IR_FOR;
        if (!sched_require(s, own || (apart && is_all),
                           "block '%s' may read of buffer '%s' what block '%s' "
                           "did not write",
                           c->consumers[i]->u.block->name, c->buffer->name,
                           c->block->u.block->name))
            return false;
    }
    return true;
}

bool schedule_cache_write(struct schedule *s, schedule_ref ref, int64_t index,
                          const char *storage, size_t n,
                          const schedule_ref *consumers, schedule_ref *out)
{
    struct sched_cache *c = ARENA_NEW(s->m->arena, struct sched_cache);
    struct ir_stmt *copy;
    bool exact = false;
    if (!sched_cache_begin(s, ref, index, storage, true, c) ||
        !check(s, c->scope, c->block, c->buffer, &c->users) ||
        (n > 0 && !sched_cache_consumers(s, n, consumers, false, c)))
        return false;
    struct ir_stmt *anchor = sched_anchor(s, c->scope, &c->users);
    if (!sched_written_box(s, c->block, c->buffer, anchor, &c->box, &exact))
        return sched_unsupported(s, "what is written of buffer '%s' is no box",
                                 c->buffer->name);
    if (!sched_require(s, exact,
                       "block '%s' may not store all of the box that would be "
                       "copied",
                       c->block->u.block->name) ||
        !check_consumers(s, c))
        return false;
    struct ir_buffer *cache = sched_buffer_like(s, c->buffer, storage);
    struct ir_stmt *nest =
        sched_copy_block(s, anchor, &c->box, cache, c->buffer, &copy);
    struct sched_map map = {.s = s, .from = c->buffer, .to = cache};
    const char *name = c->scope->u.block->name;
    struct ir_stmt *root =
        sched_insert(s, s->func->prim.body, name, anchor, false, nest);
    root = sched_map_blocks(s, root, 1, &c->block, &map);
    root = sched_map_blocks(s, root, c->nconsumers, c->consumers, &map);
    return sched_cache_end(s, c, root, cache, copy, out);
}

/* cache_write(block, index, "scope", [consumer, …]) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    schedule_ref consumers[SCHEDULE_MAX_LOOPS];
    size_t n;
    if (!sched_arg_cache(s, nargs, args, &n, consumers) ||
        !schedule_cache_write(s, args[0].u.ref, args[1].u.integer,
                              args[2].u.string, n, consumers, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_cache_write;
const struct schedule_primitive primitive_cache_write = {
    .name = "cache_write",
    .arguments = "block, index of a write, \"scope\", [consumer, ...] = []",
    .source = "cache_read_write.cc",
    .apply = apply,
};
