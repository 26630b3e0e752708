/* SPDX-License-Identifier: Apache-2.0
 *
 * compute_inline: the readers of a buffer compute its elements themselves, and
 * the block that did goes, with the buffer.
 *
 * Legal for a complete block that is one store to a buffer of its scope, whose
 * indices are its iterators. Beyond TVM (s_tir/schedule/primitive/
 * compute_inline.cc): the block must run for every element, else readers that
 * discard the others would now compute them, maybe out of bounds; and nothing
 * that it reads may be written between it and a reader.
 */
#include "schedule/schedule_private.h"

struct inlining {
    struct schedule *s;
    const struct ir_block *block;
    const struct ir_stmt *store;
    bool scalar;
};

static struct ir_expr *inline_load(void *user, struct ir_expr *load)
{
    struct inlining *in = user;
    const struct ir_stmt *store = in->store;
    struct sched_map map = {.s = in->s};
    if (load->u.buffer != store->u.store.buffer)
        return NULL;
    if (load->dtype.lanes != load->u.buffer->dtype.lanes || load->predicate) {
        in->scalar = false;
        return NULL;
    }
    for (size_t i = 0; i < in->block->niters; i++)
        if (in->block->iters[i].has_dom)
            sched_map_add(&map, in->block->iters[i].var,
                          in->block->iters[i].dom.min);
    for (size_t d = 0; d < load->nargs; d++)
        if (store->u.store.indices[d]->kind == IR_VAR_REF)
            sched_map_add(&map, store->u.store.indices[d]->u.var,
                          load->args[d]);
    return sched_map_expr(&map, store->u.store.value);
}

static bool check(struct schedule *s, const struct sched_path *path,
                  struct ir_stmt *scope, const struct sched_users *users)
{
    struct ir_stmt *block = sched_path_end(path);
    const struct ir_block *b = block->u.block;
    const struct ir_stmt *store = b->body;
    const char *why = sched_not_complete(s, scope, block);
    bool good =
        sched_require(s, !why, "block '%s' is not complete: %s", b->name,
                      why ? why : "") &&
        sched_require(s, users->nwriters == 1 && !users->early,
                      "block '%s' is not the only writer, before all readers",
                      b->name) &&
        sched_require(s, sched_runs_everywhere(s, path),
                      "block '%s' may not run for every element", b->name) &&
        sched_require(s,
                      sched_is_identity(b, store->u.store.buffer,
                                        store->u.store.nindices,
                                        store->u.store.indices),
                      "block '%s' does not store each element at its own "
                      "iterators",
                      b->name);
    for (size_t i = 0; i < users->nreaders && good; i++) {
        why = sched_inputs_stay(s, scope, block, users->readers[i]);
        good =
            sched_require(s, !why, "block '%s': %s", b->name, why ? why : "");
    }
    return good;
}

static struct ir_stmt *rewrite(struct schedule *s, struct ir_stmt *block,
                               const struct sched_users *users, bool *scalar)
{
    struct inlining in = {s, block->u.block, block->u.block->body, true};
    struct sched_map map = {.s = s, .load = inline_load, .user = &in};
    struct ir_stmt *root = s->func->prim.body;
    map.reclaim = true;
    for (size_t i = 0; i < users->nreaders; i++) {
        struct sched_path path;
        if (!sched_find_in(root, users->readers[i], &path))
            DC_BUG("a reader is gone");
        root = sched_replace(s, &path, sched_map_stmt(&map, users->readers[i]));
    }
    *scalar = in.scalar;
    return root;
}

bool schedule_compute_inline(struct schedule *s, schedule_ref ref)
{
    struct sched_path path;
    bool scalar = true;
    sched_begin(s);
    if (!sched_find_block(s, ref, &path))
        return false;
    struct ir_stmt *block = sched_path_end(&path);
    const struct ir_block *b = block->u.block;
    struct ir_stmt *scope = path.nodes[sched_path_scope(&path)];
    if (path.n == 1 || b->body->kind != IR_STORE || b->init ||
        b->body->u.store.predicate)
        return sched_illegal(s, "block '%s' is not one store", b->name);
    struct ir_buffer *buffer = b->body->u.store.buffer;
    if (!sched_is_own(scope, buffer))
        return sched_illegal(s, "buffer '%s' is an output of the scope",
                             buffer->name);
    struct sched_users *users = dc_alloc(sizeof *users);
    bool good =
        sched_users(s, scope, buffer, users) && check(s, &path, scope, users);
    if (good) {
        struct ir_stmt *root = rewrite(s, block, users, &scalar);
        root =
            sched_remove_block(s, root, b->name, scope->u.block->name, buffer);
        good = scalar ? sched_commit(s, root)
                      : sched_unsupported(s, "buffer '%s' is read in vectors",
                                          buffer->name);
    }
    dc_release(users);
    return good;
}

extern const struct schedule_primitive primitive_compute_inline;
const struct schedule_primitive primitive_compute_inline = {
    .name = "compute_inline",
    .arguments = "block",
    .source = "compute_inline.cc",
    .one = schedule_compute_inline,
};
