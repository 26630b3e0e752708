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
                          copy->u.block->reads[j]);
            *box = any ? sched_union(s, env, *box, r) : r;
            any = true;
        }
    }
    return any;
}

/* The item of the loop's body that the first reader is in. */
static struct ir_stmt *first_reader(struct ir_stmt *loop,
                                    const struct sched_users *users)
{
    struct ir_stmt *body = loop->u.loop.body;
    for (size_t i = 0; body->kind == IR_SEQ && i < body->u.seq.n; i++)
        for (size_t j = 0; j < users->nreaders; j++)
            if (sched_stmt_is_below(body->u.seq.items[i], users->readers[j]))
                return body->u.seq.items[i];
    return body;
}

static bool move(struct schedule *s, schedule_ref ref, struct sched_move *m,
                 struct sched_users *users)
{
    struct ir_stmt *block = sched_path_end(&m->block);
    const struct ir_block *b = block->u.block;
    struct ir_stmt *loop = sched_path_end(&m->loop);
    struct sched_env *env = dc_alloc(sizeof *env);
    struct ir_expr *const *indices = NULL;
    struct ir_region box;
    struct sched_part part;
    struct sched_path path;
    size_t n;
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
                 !sched_part_take(s, env, b, &box, indices, &part)))
        good = sched_unsupported(s,
                                 "block '%s' does not store at its own "
                                 "iterators",
                                 b->name);
    if (good) {
        struct schedule_point point = schedule_mark(s);
        struct ir_stmt *nest = sched_regenerate(s, env, block, &part);
        struct ir_stmt *anchor = first_reader(loop, users);
        struct ir_stmt *root = sched_replace(s, &m->block, NULL);
        if (!sched_find_in(root, anchor, &path))
            DC_BUG("the loop's body is gone");
        root = sched_replace(s, &path, sched_seq(s, nest, anchor));
        good = sched_commit(s, root);
        if (good && !sched_move_settle(s, ref)) {
            schedule_return(s, point);
            good = false;
        }
    }
    dc_release(env);
    return good;
}

bool schedule_compute_at(struct schedule *s, schedule_ref block,
                         schedule_ref loop)
{
    struct sched_move *m = dc_alloc(sizeof *m);
    struct sched_users *users = dc_alloc(sizeof *users);
    sched_begin(s);
    bool good = sched_move_check(s, block, loop, m) && move(s, block, m, users);
    dc_release(users);
    dc_release(m);
    return good;
}

extern const struct schedule_primitive primitive_compute_at;
const struct schedule_primitive primitive_compute_at = {
    .name = "compute_at",
    .arguments = "block, loop",
    .source = "compute_at.cc",
    .pair = schedule_compute_at,
};
