/* SPDX-License-Identifier: Apache-2.0
 *
 * write_at: what a block writes in one iteration of a loop goes to another
 * buffer, from which a block copies it at the end of the iteration.
 *
 * Legal where the block is the only one in the loop's body that writes the
 * buffer, and none reads it before it is copied. Follows TVM, s_tir/schedule/primitive/
 * read_write_at.cc. Beyond it:
 *   - the copy stays inside the buffer. TVM writes back the tile of a loop that
 *     was split unevenly as a whole, and leaves the buffer;
 *   - the block stores all that is copied, in each iteration: what it leaves
 *     out would be overwritten by what the other buffer happens to hold;
 *   - the block does not read what it has not written itself: a reduction
 *     brings its init.
 */
#include "schedule/schedule_private.h"

struct writing {
    struct sched_at at;
    struct ir_stmt *writer;
    struct sched_env inner; /* loops between the loop and the writer */
    struct ir_region box;   /* of one run of the writer, in terms of loops */
};

/* The only writer, and the end of what is to use the other buffer. */
static bool find_writer(struct schedule *s, struct writing *w,
                        const struct sched_children *all)
{
    for (size_t i = 0; i < all->n; i++) {
        if (!(sched_at_uses(&w->at, all->items[i]) & SCHED_WRITE))
            continue;
        if (w->writer)
            return sched_illegal(s, "block '%s' writes buffer '%s', too",
                                 all->items[i]->u.block->name,
                                 w->at.buffer->name);
        w->writer = all->items[i];
    }
    for (size_t i = 0; i < w->at.n; i++)
        if (sched_stmt_is_below(w->at.items[i], w->writer))
            w->at.place = w->at.end = i + 1;
    return true;
}

/* No other block reads before the copy. */
static bool check_others(struct schedule *s, const struct writing *w,
                         const struct sched_children *all)
{
    for (size_t i = 0; i < all->n; i++) {
        struct ir_stmt *block = all->items[i];
        if (block == w->writer || !sched_at_uses(&w->at, block))
            continue;
        for (size_t j = 0; j < w->at.end; j++)
            if (sched_stmt_is_below(w->at.items[j], block) &&
                !sched_require(s, false,
                               "block '%s' reads buffer '%s' before it is "
                               "copied",
                               block->u.block->name, w->at.buffer->name))
                return false;
    }
    return true;
}

static bool find(struct schedule *s, struct writing *w)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct ir_stmt *loop = sched_path_end(&w->at.loop);
    bool good = sched_children(loop, all) ||
                sched_illegal(s, "a statement of loop '%s' stands in no block",
                              loop->u.loop.var->name);
    good = good && find_writer(s, w, all) && check_others(s, w, all);
    dc_release(all);
    return good;
}

static bool check_reads(struct schedule *s, const struct writing *w)
{
    const struct ir_block *b = w->writer->u.block;
    const char *why = sched_order_matters(s, w->writer);
    struct sched_touch body;
    sched_touch(b->body, &body);
    if (!(sched_touches(&body, w->at.buffer->data) & SCHED_READ))
        return true;
    return sched_require(s, b->init && !why,
                         "block '%s' reads of buffer '%s' what it has not "
                         "written%s%s",
                         b->name, w->at.buffer->name, why ? ": " : "",
                         why ? why : "");
}

/* The box of one run of the writer, and the loops around it. */
static bool find_box(struct schedule *s, struct writing *w)
{
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, w->writer);
    struct ir_block *b = copy->u.block;
    struct sched_map map = {.s = s};
    struct sched_path path, below;
    const struct ir_region *claim = NULL;
    if (!sched_find_stmt(s, w->writer, &path))
        DC_BUG("the writer is not there");
    sched_claim(s, b);
    for (size_t i = 0; i < b->nwrites; i++)
        if (b->writes[i].buffer == w->at.buffer)
            claim = &b->writes[i];
    if (!claim)
        return sched_unsupported(s, "what is written of buffer '%s' is no box",
                                 w->at.buffer->name);
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&map, b->iters[i].var, b->iter_values[i]);
    w->box = sched_map_region(&map, *claim);
    below.n = 0;
    for (size_t i = w->at.loop.n; i < path.n; i++)
        below.nodes[below.n++] = path.nodes[i];
    sched_env_path(s, &below, &w->inner);
    return true;
}

/* Every conjunct of the guard only keeps an index inside its dimension, which
 * the copy does as well. */
static bool only_clips(struct schedule *s, const struct writing *w,
                       const struct ir_expr *e)
{
    int64_t a, b;
    if (e->kind == IR_AND)
        return only_clips(s, w, e->args[0]) && only_clips(s, w, e->args[1]);
    if (ir_is_true(e))
        return true;
    for (size_t d = 0; d < w->box.nranges && e->kind == IR_LT; d++)
        if (ir_is_const_int(w->box.ranges[d].extent, 1) &&
            sched_difference(s, NULL, e->args[0], w->box.ranges[d].min, &a) &&
            sched_difference(s, NULL, e->args[1], w->at.buffer->shape[d], &b) &&
            a == 0 && b == 0)
            return true;
    return false;
}

bool schedule_write_at(struct schedule *s, schedule_ref loop,
                       schedule_ref block, int64_t index, const char *storage,
                       schedule_ref *out)
{
    struct sched_at_request what = {loop, block, index, storage, false};
    struct writing *w = dc_alloc(sizeof *w);
    bool good = sched_at_begin(s, &what, &w->at) && find(s, w) &&
                check_reads(s, w) && find_box(s, w);
    if (good) {
        struct ir_region box = sched_relax(s, &w->inner, w->box);
        for (size_t d = 0; d < box.nranges; d++) {
            box.ranges[d].min =
                sched_simplify(s, &w->at.env, box.ranges[d].min);
            box.ranges[d].extent =
                sched_simplify(s, &w->at.env, box.ranges[d].extent);
        }
        good =
            sched_require(s,
                          sched_fills(s, w->writer, w->at.buffer) &&
                              sched_covers(s, &w->inner, &w->box, &box) &&
                              only_clips(s, w, w->writer->u.block->predicate),
                          "block '%s' may not store all of the box of "
                          "buffer '%s' that would be copied",
                          w->writer->u.block->name, w->at.buffer->name) &&
            sched_at_end(s, &w->at, &box, out);
    }
    dc_release(w);
    return good;
}

/* write_at(loop, block, write_buffer_index, storage_scope) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "rris"))
        return false;
    *nout = 1;
    return schedule_write_at(s, args[0].u.ref, args[1].u.ref, args[2].u.integer,
                             args[3].u.string, out);
}

extern const struct schedule_primitive primitive_write_at;
const struct schedule_primitive primitive_write_at = {
    .name = "write_at",
    .arguments = "loop, block, index of a write, \"scope\"",
    .source = "read_write_at.cc",
    .apply = apply,
};
