/* SPDX-License-Identifier: Apache-2.0
 *
 * cache_inplace: a block that both reads and writes a buffer works on a new one
 * instead, which is filled right before it runs, and copied back right behind.
 *
 * Legal for a block that declares the buffer among its reads and its writes.
 * What is copied is what it declares, if that holds all that it touches, else
 * that. Beyond TVM (s_tir/schedule/primitive/cache_read_write.cc), which
 * believes the declarations and leaves the block's iterators in them: what is
 * copied back lies in what was filled, so that elements which the block left
 * alone get their own values back; and no loop around runs iterations at the
 * same time, which would then copy each other's elements.
 */
#include "schedule/schedule_private.h"

/* What a list says of the buffer; NULL: nothing. */
static const struct ir_region *find(const struct ir_region *list, size_t n,
                                    const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < n; i++)
        if (list[i].buffer == buffer)
            return &list[i];
    return NULL;
}

/* Where the block stands: its iterators are what is bound to them. */
static struct ir_region placed(struct schedule *s, const struct ir_block *b,
                               struct ir_region r)
{
    struct sched_map map = {.s = s};
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&map, b->iters[i].var, b->iter_values[i]);
    return sched_map_region(&map, r);
}

/* The block's declared box of the buffer, or the box that it touches. */
static bool box_of(struct schedule *s, const struct sched_cache *c,
                   const struct sched_env *env, bool write,
                   struct ir_region *out)
{
    const struct ir_block *b = c->block->u.block;
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, c->block);
    sched_claim(s, copy->u.block);
    const struct ir_block *real = copy->u.block;
    const struct ir_region *said = write
                                       ? find(b->writes, b->nwrites, c->buffer)
                                       : find(b->reads, b->nreads, c->buffer);
    const struct ir_region *done =
        write ? find(real->writes, real->nwrites, c->buffer)
              : find(real->reads, real->nreads, c->buffer);
    if (!said)
        return sched_illegal(s, "block '%s' does not %s buffer '%s'", b->name,
                             write ? "write" : "read", c->buffer->name);
    struct ir_region box = placed(s, b, *said);
    struct ir_region touched = done ? placed(s, b, *done) : box;
    *out = sched_is_inside(s, env, &touched, &box) ? box : touched;
    return true;
}

static bool check_loops(struct schedule *s, const struct sched_cache *c)
{
    for (size_t i = 0; i + 1 < c->path.n; i++) {
        const struct ir_stmt *loop = c->path.nodes[i];
        if (loop->kind == IR_FOR && loop->u.loop.kind != IR_FOR_SERIAL &&
            loop->u.loop.kind != IR_FOR_UNROLLED &&
            !sched_require(s, false,
                           "iterations of loop '%s', at the same time, would "
                           "copy each other's elements of buffer '%s'",
                           loop->u.loop.var->name, c->buffer->name))
            return false;
    }
    return true;
}

static bool boxes(struct schedule *s, struct sched_cache *c,
                  struct ir_region *back)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_path above = c->path;
    above.n--;
    sched_env_path(s, &above, env);
    bool good =
        box_of(s, c, env, false, &c->box) && box_of(s, c, env, true, back) &&
        sched_require(s, sched_is_inside(s, env, back, &c->box),
                      "block '%s' may write of buffer '%s' what it does not "
                      "read",
                      c->block->u.block->name, c->buffer->name);
    dc_release(env);
    return good;
}

bool schedule_cache_inplace(struct schedule *s, schedule_ref ref, int64_t index,
                            const char *storage, schedule_ref *out)
{
    struct sched_cache *c = ARENA_NEW(s->m->arena, struct sched_cache);
    struct ir_stmt *filling, *emptying;
    struct ir_region back;
    if (!sched_cache_begin(s, ref, index, storage, false, c) ||
        !check_loops(s, c) || !boxes(s, c, &back))
        return false;
    struct ir_buffer *cache = sched_buffer_like(s, c->buffer, storage);
    struct sched_map map = {.s = s, .from = c->buffer, .to = cache};
    struct ir_stmt *first =
        sched_copy_block(s, c->block, &c->box, c->buffer, cache, &filling);
    struct ir_stmt *last =
        sched_copy_block(s, c->block, &back, cache, c->buffer, &emptying);
    struct ir_stmt *nest =
        sched_seq(s, sched_seq(s, first, sched_map_stmt(&map, c->block)), last);
    if (!sched_cache_end(s, c, sched_replace(s, &c->path, nest), cache, filling,
                         &out[0]))
        return false;
    out[1] = sched_ref_block(s, emptying->u.block);
    return true;
}

/* cache_inplace(block, index, "scope") */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "ris") ||
        !schedule_cache_inplace(s, args[0].u.ref, args[1].u.integer,
                                args[2].u.string, out))
        return false;
    *nout = 2;
    return true;
}

extern const struct schedule_primitive primitive_cache_inplace;
const struct schedule_primitive primitive_cache_inplace = {
    .name = "cache_inplace",
    .arguments = "block, index of a read, \"scope\"",
    .source = "cache_read_write.cc",
    .apply = apply,
};
