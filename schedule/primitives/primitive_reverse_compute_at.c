/* SPDX-License-Identifier: Apache-2.0
 *
 * reverse_compute_at: a block moves below a loop that all blocks it reads from
 * are below of, and in each iteration takes what they computed in it.
 *
 * Legal for a complete or reduction block which reads what they write at its
 * iterators, all of whose producers in the scope are below the loop, which is
 * not around the block. Beyond TVM (s_tir/schedule/primitive/compute_at.cc):
 * the producers must be done with their elements by then, so no loop of a
 * producer's reduction may be at or around the loop; they must store all of
 * the box that is taken; and nothing in front of the block may touch what it
 * writes.
 */
#include "schedule/schedule_private.h"

struct sources {
    size_t n;
    struct ir_stmt *blocks[16];
};

/* A producer is done with its elements when an iteration of the loop is. */
static bool is_done(struct schedule *s, const struct sched_move *m,
                    const struct ir_stmt *producer)
{
    const struct ir_block *b = producer->u.block;
    for (size_t i = 0; i < m->loop.n; i++)
        if (m->loop.nodes[i]->kind == IR_FOR &&
            !sched_require(
                s,
                !sched_reaches(b, IR_ITER_REDUCE, m->loop.nodes[i]->u.loop.var),
                "block '%s' is not done: loop '%s' is one of its reduction",
                b->name, m->loop.nodes[i]->u.loop.var->name))
            return false;
    return true;
}

/* How two sets of accesses meet: 1: mine reads what the other writes; 2: mine
 * writes what the other touches. */
static unsigned meet(const struct sched_touch *mine,
                     const struct sched_touch *other)
{
    unsigned found = 0;
    for (size_t i = 0; i < mine->n; i++) {
        unsigned how = sched_touches(other, mine->items[i].data);
        if ((mine->items[i].how & SCHED_WRITE) && how)
            found |= 2;
        if ((mine->items[i].how & SCHED_READ) && (how & SCHED_WRITE))
            found |= 1;
    }
    return found;
}

/* Another block: `crossed`, if the block moves past it as a whole, or in front
 * of it and of where the block goes. */
static bool check_other(struct schedule *s, const struct sched_move *m,
                        struct ir_stmt *other, bool crossed,
                        const struct sched_touch *mine, struct sources *from)
{
    struct sched_touch t;
    const char *name = sched_path_end(&m->block)->u.block->name;
    sched_touch(other, &t);
    if (t.opaque)
        return sched_unsupported(s, "block '%s' may touch anything",
                                 other->u.block->name);
    unsigned how = meet(mine, &t);
    if (!sched_require(s, !crossed || !how,
                       "block '%s' stands between '%s' and the loop",
                       other->u.block->name, name) ||
        !sched_require(s, !(how & 2),
                       "block '%s' before it touches what '%s' writes",
                       other->u.block->name, name))
        return false;
    if (crossed || !(how & 1))
        return true;
    if (!sched_require(
            s, sched_stmt_is_below(sched_path_end(&m->loop), other),
            "block '%s', which it reads from, is not below loop '%s'",
            other->u.block->name, sched_path_end(&m->loop)->u.loop.var->name))
        return false;
    if (from->n == DC_ARRAY_LEN(from->blocks))
        return sched_unsupported(s, "block '%s' reads from too many", name);
    from->blocks[from->n++] = other;
    return is_done(s, m, other);
}

/* Whether a block from the new place on leaves what the block reads alone, since
 * the next iteration runs it again. */
static bool check_behind(struct schedule *s, const struct sched_move *m,
                         struct ir_stmt *other, const struct sched_touch *mine)
{
    struct sched_touch t;
    sched_touch(other, &t);
    return sched_require(
        s,
        !sched_stmt_is_below(sched_path_end(&m->loop), other) ||
            !(meet(mine, &t) & 1),
        "block '%s' changes what '%s' reads in the next iteration",
        other->u.block->name, sched_path_end(&m->block)->u.block->name);
}

/* Behind the last of the producers, at the latest in front of that block, or at
 * the end. */
static bool find_place(struct schedule *s, const struct sched_move *m,
                       const struct sources *from, const struct ir_stmt *before,
                       size_t *where)
{
    const struct ir_stmt *body = sched_path_end(&m->loop)->u.loop.body;
    size_t first = 0, last = body->kind == IR_SEQ ? body->u.seq.n : 1;
    if (before)
        last = sched_move_item(m, before);
    for (size_t i = 0; i < from->n; i++) {
        size_t at = sched_move_item(m, from->blocks[i]);
        first = at + 1 > first ? at + 1 : first;
    }
    return sched_move_index(s, m, first, last, where);
}

/* The block goes behind the last block below the loop; if it stands in front of
 * the loop, before the first there that reads what it writes. Blocks that it
 * thereby passes must have nothing to do with it. */
static bool find_sources(struct schedule *s, const struct sched_move *m,
                         struct sources *from, size_t *where)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_touch mine, other;
    size_t place = 0, to = SIZE_MAX, last = 0;
    bool good = sched_children(m->scope, all) ||
                sched_illegal(s, "a statement of the scope stands in no block");
    sched_touch(sched_path_end(&m->block), &mine);
    for (size_t i = 0; i < all->n; i++) {
        if (all->items[i] == sched_path_end(&m->block))
            place = i;
        if (!sched_stmt_is_below(sched_path_end(&m->loop), all->items[i]))
            continue;
        last = i;
        sched_touch(all->items[i], &other);
        if (to == SIZE_MAX && (meet(&mine, &other) & 2))
            to = i;
    }
    if (place > last || to == SIZE_MAX)
        to = last + 1;
    const struct ir_stmt *before = to <= last ? all->items[to] : NULL;
    for (size_t i = 0; i < all->n && good; i++) {
        bool crossed = place < to ? i > place && i < to : i >= to && i < place;
        if (i == place)
            continue;
        if (crossed || i < place)
            good = check_other(s, m, all->items[i], crossed, &mine, from);
        else if (i >= to)
            good = check_behind(s, m, all->items[i], &mine);
    }
    dc_release(all);
    return good && find_place(s, m, from, before, where);
}

/* Domains of the iterators that index the buffer are its extents. */
static bool is_whole(const struct ir_block *b, const struct ir_buffer *buffer,
                     struct ir_expr *const *indices)
{
    for (size_t d = 0; d < buffer->rank; d++)
        for (size_t i = 0; i < b->niters; i++)
            if (indices[d]->kind == IR_VAR_REF &&
                indices[d]->u.var == b->iters[i].var &&
                !ir_expr_same(b->iters[i].dom.extent, buffer->shape[d]))
                return false;
    return true;
}

/* The loops below the loop give the producer's box exactly: its values there
 * are linear in them, without a guard of another form. */
static bool take(struct schedule *s, const struct sched_move *m,
                 const struct sched_env *env, struct ir_stmt *producer,
                 struct sched_part *part)
{
    const struct ir_block *b = sched_path_end(&m->block)->u.block;
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, producer);
    struct sched_path path;
    size_t n;
    sched_claim(s, copy->u.block);
    if (!sched_find_stmt(s, producer, &path) || copy->u.block->nwrites != 1)
        return sched_unsupported(s, "block '%s' writes several buffers",
                                 producer->u.block->name);
    struct ir_region written = copy->u.block->writes[0];
    struct ir_expr *const *indices =
        sched_indices_of(sched_path_end(&m->block), written.buffer, &n);
    struct ir_expr *const *stored =
        sched_indices_of(producer, written.buffer, &n);
    if (!indices || !stored)
        return sched_unsupported(s, "buffer '%s' is not used at one place",
                                 written.buffer->name);
    if (!sched_require(
            s,
            sched_runs_everywhere(s, &path) &&
                sched_fills_box(s, &path, sched_path_end(&m->loop)) &&
                sched_spatial_distinct(producer),
            "block '%s' may not store all of its box", producer->u.block->name))
        return false;
    for (size_t d = 0; d < written.nranges; d++)
        if (stored[d]->kind != IR_VAR_REF && !ir_is_const_int(stored[d], 0))
            return sched_unsupported(s,
                                     "block '%s' does not store at its own "
                                     "iterators",
                                     producer->u.block->name);
    if (!sched_require(s,
                       sched_reads_within(s, b, written.buffer, indices) &&
                           is_whole(producer->u.block, written.buffer, stored),
                       "blocks '%s' and '%s' do not run through all of buffer "
                       "'%s' alike",
                       producer->u.block->name, b->name, written.buffer->name))
        return false;
    struct ir_region box =
        sched_box(s, sched_path_end(&m->loop), producer, written, false);
    return sched_part_take(s, env, b, &box, indices, true, part) ||
           sched_unsupported(s,
                             "block '%s' does not read at a map of its "
                             "iterators that is known, or different parts",
                             b->name);
}

static bool move(struct schedule *s, schedule_ref ref,
                 const struct sched_move *m)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sources from = {.n = 0};
    struct sched_part part;
    size_t place;
    bool good = find_sources(s, m, &from, &place);
    sched_env_path(s, &m->loop, env);
    sched_part_init(s, sched_path_end(&m->block)->u.block, &part);
    for (size_t i = 0; i < from.n && good; i++)
        good = take(s, m, env, from.blocks[i], &part);
    good = good && sched_move_do(s, ref, m, env, &part, place);
    dc_release(env);
    return good;
}

bool schedule_reverse_compute_at(struct schedule *s, schedule_ref block,
                                 schedule_ref loop, bool keep_units,
                                 int64_t index)
{
    struct sched_move *m = dc_alloc(sizeof *m);
    sched_begin(s);
    m->keep_units = keep_units;
    m->index = index;
    bool good = sched_move_check(s, block, loop, m) && move(s, block, m);
    dc_release(m);
    return good;
}

/* reverse_compute_at(block, loop, preserve_unit_loops, index) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t flags[2];
    (void)nout;
    (void)out;
    return sched_arg_move(s, nargs, args, flags) &&
           schedule_reverse_compute_at(s, args[0].u.ref, args[1].u.ref,
                                       flags[0] != 0, flags[1]);
}

extern const struct schedule_primitive primitive_reverse_compute_at;
const struct schedule_primitive primitive_reverse_compute_at = {
    .name = "reverse_compute_at",
    .arguments = "block, loop, preserve_unit_loops = 0, index = -1",
    .source = "compute_at.cc",
    .apply = apply,
};
