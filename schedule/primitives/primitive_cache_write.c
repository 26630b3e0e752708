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
    struct sched_path path;
    struct sched_users *users;
    struct ir_region box;
    struct ir_stmt *copy;
    bool exact = false;
    sched_begin(s);
    if (!sched_is_scope(storage))
        return sched_bad(s, "no storage scope is called '%s'", storage);
    if (!sched_find_block(s, ref, &path))
        return false;
    struct ir_stmt *block = sched_path_end(&path);
    if (path.n == 1)
        return sched_bad(s, "the root block writes nothing itself");
    if (index < 0 || (uint64_t)index >= block->u.block->nwrites)
        return sched_bad(s, "block '%s' has no write %d", block->u.block->name,
                         (int)index);
    struct ir_stmt *scope = path.nodes[sched_path_scope(&path)];
    struct ir_buffer *buffer = block->u.block->writes[index].buffer;
    users = dc_alloc(sizeof *users);
    bool good = sched_users(s, scope, buffer, users) &&
                check(s, scope, block, buffer, users);
    struct ir_stmt *anchor = good ? sched_anchor(s, scope, users) : NULL;
    if (good && !sched_written_box(s, block, buffer, anchor, &box, &exact))
        good = sched_unsupported(s, "what is written of buffer '%s' is no box",
                                 buffer->name);
    good = good && sched_require(s, exact,
                                 "block '%s' may not store all of the box that "
                                 "would be copied",
                                 block->u.block->name);
    if (good) {
        struct ir_buffer *cache = sched_buffer_like(s, buffer, storage);
        struct ir_stmt *nest =
            sched_copy_block(s, anchor, &box, cache, buffer, &copy);
        struct sched_map map = {.s = s, .from = buffer, .to = cache};
        const char *name = scope->u.block->name;
        struct ir_stmt *root =
            sched_replace(s, &path, sched_map_stmt(&map, block));
        root = sched_insert(s, root, name, anchor, false, nest);
        root = sched_add_alloc(s, root, name, cache);
        good = sched_commit(s, root);
        if (good)
            *out = sched_ref_block(s, copy->u.block);
    }
    dc_release(users);
    return good;
}

/* cache_write(block, index, "scope") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "ris") ||
        !schedule_cache_write(s, args[0].u.ref, args[1].u.integer,
                              args[2].u.string, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_cache_write;
const struct schedule_primitive primitive_cache_write = {
    .name = "cache_write",
    .arguments = "block, index of a write, \"scope\"",
    .source = "cache_read_write.cc",
    .apply = apply,
};
