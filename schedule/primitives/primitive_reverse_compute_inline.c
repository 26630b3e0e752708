/* SPDX-License-Identifier: Apache-2.0
 *
 * reverse_compute_inline: the block that computes a buffer goes on to do what
 * its one reader does with each element; the reader goes, with the buffer.
 *
 * Legal where a complete block is the only writer of a buffer of the scope, and
 * another complete block, one store, the only reader, of every element once:
 * at its own iterators, or in another order and shape that can be turned round.
 * Beyond TVM (s_tir/schedule/primitive/compute_inline.cc): both must run for
 * every element of the buffer, and nothing else may touch what the reader
 * writes, or write what it reads, between the two.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct joining {
    struct schedule *s;
    struct ir_stmt *scope, *writer, *reader;
    const struct ir_stmt *from, *to; /* their stores */
    const struct ir_expr *load;      /* of the buffer, in the reader */
    /* what the reader's iterators are for an element that the writer stores */
    struct ir_expr *values[SCHED_MAX_PATH];
    bool good;
};

static bool see_load(void *user, struct ir_expr *e)
{
    struct joining *j = user;
    if (e->kind != IR_LOAD || e->u.buffer != j->from->u.store.buffer)
        return true;
    if (j->load)
        for (uint32_t i = 0; i < e->nargs; i++)
            j->good &= ir_expr_same(e->args[i], j->load->args[i]);
    j->load = e;
    return true;
}

static struct ir_expr *replace_load(void *user, struct ir_expr *load)
{
    struct joining *j = user;
    return load->u.buffer == j->from->u.store.buffer ? j->from->u.store.value
                                                     : NULL;
}

/* Blocks in front of the reader that touch what it writes, or write what it
 * reads otherwise behind the writer. */
static const char *in_between(struct joining *j)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_touch mine, other;
    const char *why = NULL;
    bool behind = false;
    (void)sched_children(j->scope, all);
    sched_touch(j->reader, &mine);
    for (size_t i = 0; i < all->n && all->items[i] != j->reader; i++) {
        bool writer = all->items[i] == j->writer;
        sched_touch(all->items[i], &other);
        for (size_t k = 0; k < mine.n; k++) {
            unsigned how = sched_touches(&other, mine.items[k].data);
            if ((mine.items[k].how & SCHED_WRITE) && how)
                why = "what it writes is touched before it";
            if (behind && (how & SCHED_WRITE))
                why = "what it reads is written in between";
        }
        behind |= writer;
    }
    dc_release(all);
    return why;
}

static bool check_writer(struct schedule *s, struct joining *j)
{
    const struct ir_block *b = j->writer->u.block;
    struct sched_path path;
    const char *why = sched_not_complete(s, j->scope, j->writer);
    if (b->body->kind != IR_STORE || b->init || b->body->u.store.predicate)
        return sched_illegal(s, "block '%s' is not one store", b->name);
    j->from = b->body;
    return sched_require(s, !why, "block '%s' is not complete: %s", b->name,
                         why ? why : "") &&
           sched_find_stmt(s, j->writer, &path) &&
           sched_require(s, sched_runs_everywhere(s, &path),
                         "block '%s' may not run for every element", b->name) &&
           sched_require(s,
                         sched_is_identity(b, j->from->u.store.buffer,
                                           j->from->u.store.nindices,
                                           j->from->u.store.indices),
                         "block '%s' does not store each element at its own "
                         "iterators",
                         b->name);
}

/* Plain iterators stay what they are; others are found by turning the map of the
 * reader round. */
static bool find_values(struct schedule *s, struct joining *j)
{
    const struct ir_block *r = j->reader->u.block, *w = j->writer->u.block;
    if (r->niters > SCHED_MAX_PATH)
        return false;
    if (!sched_is_identity(r, j->load->u.buffer, j->load->nargs,
                           j->load->args)) {
        struct sched_env *env = dc_alloc(sizeof *env);
        for (size_t i = 0; i < w->niters; i++)
            if (w->iters[i].has_dom)
                sched_env_add(env, w->iters[i].var, w->iters[i].dom.min,
                              w->iters[i].dom.extent);
        bool good = sched_invert(s, r, j->load->u.buffer, j->load->args, env,
                                 j->from->u.store.indices, j->values);
        dc_release(env);
        return good;
    }
    for (size_t i = 0; i < r->niters; i++) {
        j->values[i] = r->iters[i].has_dom ? r->iters[i].dom.min : NULL;
        for (size_t d = 0; d < j->load->nargs; d++)
            if (j->load->args[d]->kind == IR_VAR_REF &&
                j->load->args[d]->u.var == r->iters[i].var)
                j->values[i] = j->from->u.store.indices[d];
        if (!j->values[i])
            return false;
    }
    return true;
}

static bool check_reader(struct schedule *s, struct joining *j,
                         const struct sched_path *path)
{
    const struct ir_block *b = j->reader->u.block;
    struct ir_visitor visitor = {NULL, see_load, j};
    const char *why = sched_not_complete(s, j->scope, j->reader);
    j->to = b->body;
    j->good = true;
    ir_visit_expr(&visitor, j->to->u.store.value);
    for (size_t d = 0; d < j->to->u.store.nindices; d++)
        ir_visit_expr(&visitor, j->to->u.store.indices[d]);
    if (!j->load || !j->good || !find_values(s, j))
        return sched_illegal(s,
                             "block '%s' does not read every element once, at "
                             "places that its iterators tell",
                             b->name);
    if (!sched_require(s, !why, "block '%s' is not complete: %s", b->name,
                       why ? why : "") ||
        !sched_require(s, sched_runs_everywhere(s, path),
                       "block '%s' may not run for every element", b->name))
        return false;
    why = in_between(j);
    return sched_require(s, !why, "block '%s': %s", b->name, why ? why : "");
}

/* The buffer of the scope that the block reads and one other block writes. */
static bool find_writer(struct schedule *s, struct joining *j,
                        struct sched_users *users)
{
    struct sched_touch t;
    struct ir_buffer *buffer = NULL;
    sched_touch(j->reader, &t);
    const struct ir_block *scope = j->scope->u.block;
    for (size_t i = 0; i < scope->nallocs; i++)
        if (sched_touches(&t, scope->allocs[i]->data) == SCHED_READ) {
            if (buffer)
                return sched_illegal(s,
                                     "block '%s' reads several buffers of "
                                     "the scope",
                                     j->reader->u.block->name);
            buffer = scope->allocs[i];
        }
    if (!buffer)
        return sched_illegal(s, "block '%s' reads no buffer of the scope",
                             j->reader->u.block->name);
    if (!sched_users(s, j->scope, buffer, users))
        return false;
    if (users->nwriters != 1 || users->nreaders != 1 || users->early)
        return sched_illegal(s,
                             "buffer '%s' has not one writer and one reader "
                             "behind it",
                             buffer->name);
    j->writer = users->writer;
    return true;
}

static struct ir_stmt *join(struct schedule *s, struct joining *j)
{
    struct sched_map map = {.s = s, .load = replace_load, .user = j};
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, j->writer);
    struct ir_block *b = copy->u.block;
    const struct ir_block *r = j->reader->u.block;
    for (size_t i = 0; i < r->niters; i++)
        sched_map_add(&map, r->iters[i].var, j->values[i]);
    struct ir_stmt *store = j->reader->u.block->body;
    b->body = sched_map_stmt(&map, store);
    sched_claim(s, b);
    ir_stmt_seal(copy);
    return copy;
}

bool schedule_reverse_compute_inline(struct schedule *s, schedule_ref ref)
{
    struct sched_path path, place;
    struct joining j = {.s = s};
    sched_begin(s);
    if (!sched_find_block(s, ref, &path))
        return false;
    j.reader = sched_path_end(&path);
    j.scope = path.nodes[sched_path_scope(&path)];
    const struct ir_block *b = j.reader->u.block;
    if (path.n == 1 || b->body->kind != IR_STORE || b->init ||
        b->body->u.store.predicate)
        return sched_illegal(s, "block '%s' is not one store", b->name);
    struct sched_users *users = dc_alloc(sizeof *users);
    bool good = find_writer(s, &j, users) && check_writer(s, &j) &&
                check_reader(s, &j, &path);
    if (good) {
        struct ir_buffer *buffer = j.from->u.store.buffer;
        if (!sched_find_stmt(s, j.writer, &place))
            DC_BUG("the writer is gone");
        struct ir_stmt *root = sched_replace(s, &place, join(s, &j));
        root = sched_remove_block(s, root, b->name, j.scope->u.block->name,
                                  buffer);
        good = sched_commit(s, root);
    }
    dc_release(users);
    return good;
}

extern const struct schedule_primitive primitive_reverse_compute_inline;
const struct schedule_primitive primitive_reverse_compute_inline = {
    .name = "reverse_compute_inline",
    .arguments = "block",
    .source = "compute_inline.cc",
    .one = schedule_reverse_compute_inline,
};
