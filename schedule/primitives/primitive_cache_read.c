/* SPDX-License-Identifier: Apache-2.0
 *
 * cache_read: a block copies what is read of a buffer into a new one, and the
 * readers in the scope use that instead.
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
                         const char *storage, schedule_ref *out)
{
    struct sched_path path;
    struct sched_users *users;
    struct ir_region box;
    struct ir_stmt *copy;
    sched_begin(s);
    if (!sched_is_scope(storage))
        return sched_bad(s, "no storage scope is called '%s'", storage);
    if (!sched_find_block(s, ref, &path))
        return false;
    struct ir_stmt *block = sched_path_end(&path);
    if (path.n == 1)
        return sched_bad(s, "the root block reads nothing itself");
    if (index < 0 || (uint64_t)index >= block->u.block->nreads)
        return sched_bad(s, "block '%s' has no read %d", block->u.block->name,
                         (int)index);
    struct ir_stmt *scope = path.nodes[sched_path_scope(&path)];
    struct ir_buffer *buffer = block->u.block->reads[index].buffer;
    users = dc_alloc(sizeof *users);
    bool good =
        sched_users(s, scope, buffer, users) && check(s, block, buffer, users);
    struct ir_stmt *anchor = good ? sched_anchor(s, scope, users) : NULL;
    good = good && box_of(s, scope, buffer, users, anchor, &box);
    if (good) {
        struct ir_buffer *cache = sched_buffer_like(s, buffer, storage);
        struct ir_stmt *nest =
            sched_copy_block(s, anchor, &box, buffer, cache, &copy);
        const char *name = scope->u.block->name;
        struct sched_map map = {.s = s, .from = buffer, .to = cache};
        map.skip[0] = users->writer;
        map.skip[1] = copy;
        struct ir_stmt *root = sched_insert(s, s->func->prim.body, name, anchor,
                                            !users->writer, nest);
        struct sched_path at;
        if (!sched_find_named(root, name, &at))
            DC_BUG("the scope is gone");
        struct ir_stmt *whole = sched_path_end(&at);
        root = sched_replace(
            s, &at,
            sched_with_body(s, whole,
                            sched_map_stmt(&map, whole->u.block->body)));
        root = sched_add_alloc(s, root, name, cache);
        good = sched_commit(s, root);
        if (good)
            *out = sched_ref_block(s, copy->u.block);
    }
    dc_release(users);
    return good;
}

/* cache_read(block, index, "scope") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "ris") ||
        !schedule_cache_read(s, args[0].u.ref, args[1].u.integer,
                             args[2].u.string, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_cache_read;
const struct schedule_primitive primitive_cache_read = {
    .name = "cache_read",
    .arguments = "block, index of a read, \"scope\"",
    .source = "cache_read_write.cc",
    .apply = apply,
};
