/* SPDX-License-Identifier: Apache-2.0
 *
 * cache_write: a block writes a new buffer instead of its own, and another
 * block copies that over.
 *
 * Legal for a complete or reduction block that is the only writer of the
 * buffer in the scope. Beyond TVM (s_tir/schedule/primitive/
 * cache_read_write.cc): what the block writes must be known exactly, as a box
 * all of whose elements it stores, since the copy overwrites the box; and no
 * reader may stand before it that the copy would overtake.
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

bool schedule_cache_write(struct schedule *s, schedule_ref ref, int64_t index,
                          const char *storage, schedule_ref *out)
{
    struct sched_cache *c = ARENA_NEW(s->m->arena, struct sched_cache);
    struct ir_stmt *copy;
    bool exact = false;
    if (!sched_cache_begin(s, ref, index, storage, true, c) ||
        !check(s, c->scope, c->block, c->buffer, &c->users))
        return false;
    struct ir_stmt *anchor = sched_anchor(s, c->scope, &c->users);
    if (!sched_written_box(s, c->block, c->buffer, anchor, &c->box, &exact))
        return sched_unsupported(s, "what is written of buffer '%s' is no box",
                                 c->buffer->name);
    if (!sched_require(s, exact,
                       "block '%s' may not store all of the box that would be "
                       "copied",
                       c->block->u.block->name))
        return false;
    struct ir_buffer *cache = sched_buffer_like(s, c->buffer, storage);
    struct ir_stmt *nest =
        sched_copy_block(s, anchor, &c->box, cache, c->buffer, &copy);
    struct sched_map map = {.s = s, .from = c->buffer, .to = cache};
    struct ir_stmt *root =
        sched_replace(s, &c->path, sched_map_stmt(&map, c->block));
    root = sched_insert(s, root, c->scope->u.block->name, anchor, false, nest);
    return sched_cache_end(s, c, root, cache, copy, out);
}

extern const struct schedule_primitive primitive_cache_write;
const struct schedule_primitive primitive_cache_write = {
    .name = "cache_write",
    .arguments = "block, index of a write, \"scope\"",
    .source = "cache_read_write.cc",
    .copy = schedule_cache_write,
};
