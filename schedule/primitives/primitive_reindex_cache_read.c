/* SPDX-License-Identifier: Apache-2.0
 *
 * reindex_cache_read: a block reads a cache instead of a buffer, at indices
 * that a map makes of its iterators; a new block copies to it before.
 *
 * Legal where at most one block of the scope writes the buffer, before this
 * one, which reads it at one place, and the index map suits (s_tir/schedule/
 * primitive/cache_read_write.cc and schedule/reindexed.c, which says what is
 * stricter here). What is copied must be there to read (schedule/stage.c).
 */
#include "schedule/schedule_private.h"

static bool check(struct sched_reindexed *c, struct ir_stmt **anchor)
{
    struct sched_stage *g = &c->stage;
    struct schedule *s = g->s;
    struct sched_users one = c->users;
    one.nreaders = 1;
    one.readers[0] = g->block;
    *anchor = sched_anchor(s, g->scope, &one);
    return sched_require(s, c->users.nwriters <= 1,
                         "several blocks write buffer '%s'", g->buffer->name) &&
           sched_require(s, !c->users.writer || *anchor,
                         "block '%s' reads buffer '%s' before it is written",
                         g->block->u.block->name, g->buffer->name);
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    struct sched_reindexed *c = dc_alloc(sizeof *c);
    struct ir_stmt *anchor;
    c->stage.s = s;
    *nout = sched_reindexed_begin(c, nargs, args) && check(c, &anchor) &&
            sched_reindexed_map(c, args[3].u.map) &&
            sched_reindexed_place(c, anchor) &&
            sched_stage_reads(&c->stage, false) &&
            sched_reindexed_end(c, args[2].u.string, anchor, true, out);
    dc_release(c);
    return *nout == 1;
}

extern const struct schedule_primitive primitive_reindex_cache_read;
const struct schedule_primitive primitive_reindex_cache_read = {
    .name = "reindex_cache_read",
    .arguments = "block, index of a read, \"scope\", index map",
    .source = "cache_read_write.cc",
    .apply = apply,
};
