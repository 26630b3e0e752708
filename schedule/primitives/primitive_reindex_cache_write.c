/* SPDX-License-Identifier: Apache-2.0
 *
 * reindex_cache_write: a block writes a cache instead of a buffer, at indices
 * that a map makes of its iterators; a new block copies from it behind.
 *
 * Legal for a complete or reduction block that is the only writer of the buffer
 * in the scope and stores one element of it whenever it runs, where the index
 * map suits, both ways (s_tir/schedule/primitive/cache_read_write.cc and
 * schedule/reindexed.c, which says what is stricter here). No reader may stand
 * before it that the copy would overtake.
 */
#include "schedule/schedule_private.h"

static bool check(struct sched_reindexed *c)
{
    struct sched_stage *g = &c->stage;
    struct schedule *s = g->s;
    const struct ir_stmt *early = c->users.early;
    return sched_stage_writes(g) &&
           sched_require(s, c->users.nwriters == 1,
                         "several blocks write buffer '%s'", g->buffer->name) &&
           sched_require(s, !early,
                         "block '%s' reads buffer '%s' before it is written",
                         early ? early->u.block->name : "", g->buffer->name);
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    struct sched_reindexed *c = dc_alloc(sizeof *c);
    struct ir_stmt *anchor = NULL;
    c->stage.s = s;
    c->stage.write = true;
    bool good = sched_reindexed_begin(c, nargs, args) && check(c) &&
                sched_reindexed_map(c, args[3].u.map);
    if (good)
        anchor = sched_anchor(s, c->stage.scope, &c->users);
    *nout = good && sched_reindexed_place(c, anchor) &&
            sched_reindexed_end(c, args[2].u.string, anchor, false, out);
    dc_release(c);
    return *nout == 1;
}

extern const struct schedule_primitive primitive_reindex_cache_write;
const struct schedule_primitive primitive_reindex_cache_write = {
    .name = "reindex_cache_write",
    .arguments = "block, index of a write, \"scope\", index map",
    .source = "cache_read_write.cc",
    .apply = apply,
};
