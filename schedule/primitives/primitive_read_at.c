/* SPDX-License-Identifier: Apache-2.0
 *
 * read_at: in each iteration of a loop a block copies what the iteration reads
 * of a buffer into another one, which it reads instead.
 *
 * Legal where nothing writes the buffer in the loop's body once it has been
 * read there. Follows TVM, s_tir/schedule/primitive/read_write_at.cc. Beyond
 * it: the copy stays inside the buffer, iterations that run at the same time
 * do not copy into one memory, and threads inside the loop see what is copied
 * outside of them.
 */
#include "schedule/schedule_private.h"

/* What blocks of one item read in an iteration, joined with what is there. */
static void join_reads(struct schedule *s, const struct sched_at *at,
                       struct ir_stmt *item, struct ir_region *box, bool *any)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    if (item->kind == IR_BLOCK) {
        all->items[all->n++] = item;
    } else {
        (void)sched_children(item, all);
    }
    for (size_t i = 0; i < all->n; i++) {
        struct ir_stmt *copy = ir_stmt_copy(s->m->arena, all->items[i]);
        const struct ir_block *b = copy->u.block;
        sched_claim(s, copy->u.block);
        for (size_t j = 0; j < b->nreads; j++) {
            if (b->reads[j].buffer != at->buffer)
                continue;
            struct ir_region r = sched_box(s, sched_path_end(&at->loop),
                                           all->items[i], b->reads[j], false);
            *box = *any ? sched_union(s, &at->env, *box, r) : r;
            *any = true;
        }
    }
    dc_release(all);
}

static bool needed(struct schedule *s, struct sched_at *at,
                   struct ir_region *box)
{
    bool any = false, good = true;
    at->first = at->n;
    at->end = at->n;
    for (size_t i = 0; i < at->n && good; i++) {
        unsigned how = sched_at_uses(at, at->items[i]);
        if ((how & SCHED_READ) && at->first == at->n)
            at->first = at->place = i;
        good = sched_require(s, i < at->first || !(how & SCHED_WRITE),
                             "buffer '%s' is written in loop '%s' where it has "
                             "been read",
                             at->buffer->name,
                             sched_path_end(&at->loop)->u.loop.var->name);
        if (how & SCHED_READ)
            join_reads(s, at, at->items[i], box, &any);
    }
    if (!good)
        return false;
    if (!any)
        return sched_illegal(s, "nothing in loop '%s' reads buffer '%s'",
                             sched_path_end(&at->loop)->u.loop.var->name,
                             at->buffer->name);
    for (size_t d = 0; d < box->nranges; d++) {
        box->ranges[d].min = sched_simplify(s, &at->env, box->ranges[d].min);
        box->ranges[d].extent =
            sched_simplify(s, &at->env, box->ranges[d].extent);
    }
    return true;
}

bool schedule_read_at(struct schedule *s, schedule_ref loop, schedule_ref block,
                      int64_t index, const char *storage, schedule_ref *out)
{
    struct sched_at_request what = {loop, block, index, storage, true};
    struct sched_at *at = dc_alloc(sizeof *at);
    struct ir_region box;
    bool good = sched_at_begin(s, &what, at) && needed(s, at, &box) &&
                sched_at_end(s, at, &box, out);
    dc_release(at);
    return good;
}

/* read_at(loop, block, read_buffer_index, storage_scope) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "rris"))
        return false;
    *nout = 1;
    return schedule_read_at(s, args[0].u.ref, args[1].u.ref, args[2].u.integer,
                            args[3].u.string, out);
}

extern const struct schedule_primitive primitive_read_at;
const struct schedule_primitive primitive_read_at = {
    .name = "read_at",
    .arguments = "loop, block, index of a read, \"scope\"",
    .source = "read_write_at.cc",
    .apply = apply,
};
