/* SPDX-License-Identifier: Apache-2.0
 *
 * cache_read: a block copies what is read of a buffer into a new one, and the
 * readers in the scope use that instead, or those of them that are named.
 *
 * Legal where at most one block of the scope writes the buffer, and that one
 * stands before all readers. Beyond TVM (s_tir/schedule/primitive/
 * cache_read_write.cc): a reader before the writer is refused, and so is a copy
 * of what one iteration of a loop wrote if the buffer comes from outside the
 * scope, since the rest of it would be missing from the cache.
 */
#include "schedule/schedule_private.h"

static bool check(struct schedule *s, const struct ir_stmt *block,
                  const struct ir_buffer *buffer,
                  const struct sched_users *users)
{
    return sched_require(s, users->nwriters <= 1,
                         "several blocks write buffer '%s'", buffer->name) &&
           sched_require(s, users->writer != block,
                         "block '%s' writes buffer '%s' itself",
                         block->u.block->name, buffer->name) &&
           sched_require(s, users->nwriters == 0 || !users->early,
                         "block '%s' reads buffer '%s' before it is written",
                         users->early ? users->early->u.block->name : "",
                         buffer->name);
}

/* The place is within a loop of the scope. */
static bool is_in_loop(struct schedule *s, const struct ir_stmt *scope,
                       const struct ir_stmt *anchor)
{
    struct sched_path path;
    bool below = false;
    if (!anchor || !sched_find_stmt(s, anchor, &path))
        return false;
    for (size_t i = 0; i + 1 < path.n; i++) {
        if (below && path.nodes[i]->kind == IR_FOR)
            return true;
        below |= path.nodes[i] == scope;
    }
    return false;
}

/* What to copy: all of it, unless it is made in the scope. */
static bool box_of(struct schedule *s, const struct ir_stmt *scope,
                   struct ir_buffer *buffer, const struct sched_users *users,
                   const struct ir_stmt *anchor, struct ir_region *box)
{
    bool exact;
    *box = sched_full_region(s, buffer);
    if (!users->writer)
        return true;
    struct ir_region written;
    if (!sched_written_box(s, users->writer, buffer, anchor, &written, &exact))
        return sched_unsupported(s, "what is written of buffer '%s' is no box",
                                 buffer->name);
    if (sched_is_own(scope, buffer)) {
        *box = written;
        return true;
    }
    return sched_require(s, !is_in_loop(s, scope, anchor),
                         "buffer '%s' holds more than the loop writes",
                         buffer->name);
}

bool schedule_cache_read(struct schedule *s, schedule_ref ref, int64_t index,
                         const char *storage, size_t n,
                         const schedule_ref *consumers, schedule_ref *out)
{
    struct sched_cache *c = ARENA_NEW(s->m->arena, struct sched_cache);
    struct ir_stmt *copy;
    if (!sched_cache_begin(s, ref, index, storage, false, c) ||
        (n > 0 && !sched_cache_consumers(s, n, consumers, true, c)))
        return false;
    if (c->users.nreaders == 0)
        return sched_bad(s, "none of the consumers reads buffer '%s'",
                         c->buffer->name);
    if (!check(s, c->block, c->buffer, &c->users))
        return false;
    struct ir_stmt *anchor = sched_anchor(s, c->scope, &c->users);
    if (!box_of(s, c->scope, c->buffer, &c->users, anchor, &c->box))
        return false;
    struct ir_buffer *cache = sched_buffer_like(s, c->buffer, storage);
    struct ir_stmt *nest =
        sched_copy_block(s, anchor, &c->box, c->buffer, cache, &copy);
    const char *name = c->scope->u.block->name;
    struct sched_map map = {.s = s, .from = c->buffer, .to = cache};
    struct ir_stmt *root = sched_insert(s, s->func->prim.body, name, anchor,
                                        !c->users.writer, nest);
    root = sched_map_blocks(s, root, c->users.nreaders, c->users.readers, &map);
    return sched_cache_end(s, c, root, cache, copy, out);
}

/* cache_read(block, index, "scope", [consumer, …]) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    schedule_ref consumers[SCHEDULE_MAX_LOOPS];
    size_t n;
    if (!sched_arg_cache(s, nargs, args, &n, consumers) ||
        !schedule_cache_read(s, args[0].u.ref, args[1].u.integer,
                             args[2].u.string, n, consumers, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_cache_read;
const struct schedule_primitive primitive_cache_read = {
    .name = "cache_read",
    .arguments = "block, index of a read, \"scope\", [consumer, ...] = []",
    .source = "cache_read_write.cc",
    .apply = apply,
};
