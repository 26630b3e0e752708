/* SPDX-License-Identifier: Apache-2.0
 *
 * compute_at: a block moves below a loop that its readers are below of, and
 * computes in each iteration what they need of it then.
 *
 * Legal for a complete or reduction block, one buffer of the scope stored at
 * its iterators, all of whose readers are below the loop, which is not around
 * the block. Beyond TVM (s_tir/schedule/primitive/compute_at.cc): nothing that
 * the block reads may be written behind it, and a reduction may not move below
 * iterations that run at the same time and share elements.
 */
#include "schedule/schedule_private.h"

static bool check(struct schedule *s, const struct sched_move *m,
                  const struct ir_buffer *buffer,
                  const struct sched_users *users)
{
    struct ir_stmt *block = sched_path_end(&m->block);
    struct ir_stmt *loop = sched_path_end(&m->loop);
    const char *name = block->u.block->name;
    if (!sched_is_own(m->scope, buffer))
        return sched_illegal(s, "buffer '%s' is an output of the scope",
                             buffer->name);
    if (users->nreaders == 0)
        return sched_illegal(s, "nothing reads what block '%s' writes", name);
    bool good = sched_require(
        s, users->nwriters == 1 && !users->early,
        "block '%s' is not the only writer, before all readers", name);
    for (size_t i = 0; i < users->nreaders && good; i++) {
        const char *why =
            sched_inputs_stay(s, m->scope, block, users->readers[i]);
        good = sched_require(s, sched_stmt_is_below(loop, users->readers[i]),
                             "block '%s' reads it outside of loop '%s'",
                             users->readers[i]->u.block->name,
                             loop->u.loop.var->name) &&
               sched_require(s, !why, "block '%s': %s", name, why ? why : "");
    }
    return good;
}

/* What all readers need of the buffer in one iteration. */
static bool needed(struct schedule *s, const struct sched_move *m,
                   const struct sched_env *env, const struct ir_buffer *buffer,
                   const struct sched_users *users, struct ir_region *box)
{
    bool any = false;
    for (size_t i = 0; i < users->nreaders; i++) {
        struct ir_stmt *copy = ir_stmt_copy(s->m->arena, users->readers[i]);
        sched_claim(s, copy->u.block);
        for (size_t j = 0; j < copy->u.block->nreads; j++) {
            if (copy->u.block->reads[j].buffer != buffer)
                continue;
            struct ir_region r =
                sched_box(s, sched_path_end(&m->loop), users->readers[i],
                          copy->u.block->reads[j], true);
            *box = any ? sched_union(s, env, *box, r) : r;
            any = true;
        }
    }
    return any;
}

/* The loop's first statement with a reader. */
static size_t first_reader(const struct sched_move *m,
                           const struct sched_users *users)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < users->nreaders; i++) {
        size_t at = sched_move_item(m, users->readers[i]);
        first = at < first ? at : first;
    }
    return first;
}

static bool move(struct schedule *s, schedule_ref ref, struct sched_move *m,
                 struct sched_users *users)
{
    struct ir_stmt *block = sched_path_end(&m->block);
    const struct ir_block *b = block->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    struct ir_expr *const *indices = NULL;
    struct ir_region box;
    struct sched_part part;
    size_t n, place;
    struct ir_buffer *buffer = b->nwrites == 1 ? b->writes[0].buffer : NULL;
    bool good = (buffer && (indices = sched_indices_of(block, buffer, &n))) ||
                sched_unsupported(s,
                                  "block '%s' does not store one buffer at "
                                  "one place",
                                  b->name);
    good = good && sched_users(s, m->scope, buffer, users) &&
           check(s, m, buffer, users);
    sched_env_path(s, &m->loop, env);
    sched_part_init(s, b, &part);
    if (good && (!needed(s, m, env, buffer, users, &box) ||
                 !sched_part_take(s, env, b, &box, indices, false, &part)))
        good = sched_unsupported(s,
                                 "block '%s' does not store at a map of its "
                                 "iterators that is known",
                                 b->name);
    good = good && sched_move_index(s, m, 0, first_reader(m, users), &place) &&
           sched_move_do(s, ref, m, env, &part, place);
    dc_release(env);
    return good;
}

bool schedule_compute_at(struct schedule *s, schedule_ref block,
                         schedule_ref loop, bool keep_units, int64_t index)
{
    struct sched_move *m = dc_alloc(sizeof *m);
    struct sched_users *users = dc_alloc(sizeof *users);
    sched_begin(s);
    m->keep_units = keep_units;
    m->index = index;
    bool good = sched_move_check(s, block, loop, m) && move(s, block, m, users);
    dc_release(users);
    dc_release(m);
    return good;
}

/* compute_at(block, loop, preserve_unit_loops, index) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t flags[2];
    (void)nout;
    (void)out;
    return sched_arg_move(s, nargs, args, flags) &&
           schedule_compute_at(s, args[0].u.ref, args[1].u.ref, flags[0] != 0,
                               flags[1]);
}

extern const struct schedule_primitive primitive_compute_at;
const struct schedule_primitive primitive_compute_at = {
    .name = "compute_at",
    .arguments = "block, loop, preserve_unit_loops = 0, index = -1",
    .source = "compute_at.cc",
    .apply = apply,
};
