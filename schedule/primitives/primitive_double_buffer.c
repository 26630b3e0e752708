/* SPDX-License-Identifier: Apache-2.0
 *
 * double_buffer: a block that fills a buffer in each iteration of a loop fills
 * it for the next one instead, in the other half of a buffer of twice the size;
 * the first half is filled before the loop.
 *
 * Legal for a complete block, one store to a buffer of the scope, in loops of
 * its own directly below a serial loop from 0; all readers stand behind it
 * below that loop and read of it only what the same iteration stored; and
 * nothing below the loop writes what the block reads, since that now happens
 * an iteration earlier. TVM has it as an annotation that a pass honours
 * (tirx/transform/inject_double_buffer.cc), not as a primitive.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct doubling {
    struct schedule *s;
    struct sched_path path;       /* to the block */
    size_t at;                    /* of the path: the loop */
    struct ir_stmt *scope, *nest; /* the block with its own loops */
    struct ir_buffer *old, *twice;
    struct ir_expr *slot; /* of the accesses being rewritten */
};

static struct ir_stmt *loop_of(const struct doubling *d)
{
    return d->path.nodes[d->at];
}

static bool find(struct schedule *s, schedule_ref ref, struct doubling *d)
{
    if (!sched_find_block(s, ref, &d->path))
        return false;
    const struct ir_block *b = sched_path_end(&d->path)->u.block;
    size_t i = d->path.n - 1, scope = sched_path_scope(&d->path);
    if (d->path.n == 1 || b->body->kind != IR_STORE || b->init ||
        b->nallocs > 0 || b->nmatches > 0)
        return sched_illegal(s, "block '%s' is not one store", b->name);
    while (i > scope && d->path.nodes[i - 1]->kind == IR_FOR)
        i--;
    d->nest = d->path.nodes[i];
    if (i < scope + 3 || d->path.nodes[i - 1]->kind != IR_SEQ ||
        d->path.nodes[i - 2]->kind != IR_FOR)
        return sched_illegal(s, "block '%s' stands in no loop with others",
                             b->name);
    d->at = i - 2;
    d->scope = d->path.nodes[scope];
    d->old = b->body->u.store.buffer;
    const struct ir_stmt *loop = loop_of(d);
    if (loop->u.loop.kind != IR_FOR_SERIAL || loop->u.loop.step ||
        !ir_is_const_int(loop->u.loop.min, 0))
        return sched_illegal(s, "loop '%s' is not serial from 0",
                             loop->u.loop.var->name);
    if (!sched_is_own(d->scope, d->old))
        return sched_illegal(s, "buffer '%s' is an output of the scope",
                             d->old->name);
    return true;
}

static bool check(struct schedule *s, struct doubling *d,
                  const struct sched_users *users)
{
    struct ir_stmt *block = sched_path_end(&d->path);
    struct sched_path loop = d->path;
    const char *name = block->u.block->name;
    const char *why = sched_not_complete(s, d->scope, block);
    loop.n = d->at + 1;
    if (!sched_require(s, !why, "block '%s' is not complete: %s", name,
                       why ? why : "") ||
        !sched_require(s, users->nwriters == 1 && !users->early,
                       "block '%s' is not the only writer, before all readers",
                       name) ||
        !sched_require_iterations_apart(s, &loop))
        return false;
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_touch mine, other;
    bool good = true;
    sched_touch(block, &mine);
    (void)sched_children(loop_of(d), all);
    for (size_t i = 0; i < all->n && good; i++) {
        sched_touch(all->items[i], &other);
        for (size_t j = 0; j < mine.n && good; j++)
            good = sched_require(
                s,
                mine.items[j].how != SCHED_READ ||
                    !(sched_touches(&other, mine.items[j].data) & SCHED_WRITE),
                "block '%s' writes what block '%s' reads",
                all->items[i]->u.block->name, name);
    }
    for (size_t i = 0; i < users->nreaders && good; i++)
        good = sched_require(
            s, sched_stmt_is_below(loop_of(d), users->readers[i]),
            "block '%s' reads it outside of loop '%s'",
            users->readers[i]->u.block->name, loop_of(d)->u.loop.var->name);
    dc_release(all);
    return good;
}

/* ---- rewriting ------------------------------------------------------------- */

static struct ir_expr **with_slot(struct doubling *d, size_t n,
                                  struct ir_expr *const *indices)
{
    struct ir_expr **out = ARENA_ARRAY(d->s->m->arena, n + 1, struct ir_expr *);
    out[0] = d->slot;
    if (n)
        memcpy(out + 1, indices, n * sizeof *out);
    return out;
}

static struct ir_expr *load_slot(void *user, struct ir_expr *load)
{
    struct doubling *d = user;
    if (load->u.buffer != d->old)
        return NULL;
    return ir_load(d->s->m, d->twice, load->nargs + 1,
                   with_slot(d, load->nargs, load->args), load->predicate);
}

static struct ir_stmt *store_slot(void *user, struct ir_stmt *store)
{
    struct doubling *d = user;
    if (store->u.store.buffer != d->old)
        return NULL;
    return ir_store(
        d->s->m, d->twice, store->u.store.value, store->u.store.nindices + 1,
        with_slot(d, store->u.store.nindices, store->u.store.indices), NULL);
}

/* The block with one more iterator, the half it uses, bound to `value`. */
static struct ir_stmt *add_slot(struct doubling *d, const struct ir_stmt *block,
                                struct ir_expr *value)
{
    struct ir_stmt *stmt = ir_stmt_copy(d->s->m->arena, block);
    struct ir_block *b = stmt->u.block;
    struct arena *arena = d->s->m->arena;
    struct ir_iter_var *iters =
        ARENA_ARRAY(arena, b->niters + 1, struct ir_iter_var);
    struct ir_expr **values =
        ARENA_ARRAY(arena, b->niters + 1, struct ir_expr *);
    memcpy(iters, b->iters, b->niters * sizeof *iters);
    memcpy(values, b->iter_values, b->niters * sizeof *values);
    struct ir_iter_var *iter = &iters[b->niters];
    iter->var = sched_var(d->s, value->dtype, "half");
    iter->has_dom = true;
    iter->dom.min = ir_int(d->s->m, value->dtype, 0);
    iter->dom.extent = ir_int(d->s->m, value->dtype, 2);
    iter->type = IR_ITER_SPATIAL;
    iter->thread_tag = "";
    values[b->niters++] = value;
    b->iters = iters;
    b->iter_values = values;
    d->slot = ir_var_ref(d->s->m, iter->var);
    struct sched_map map = {
        .s = d->s, .load = load_slot, .store = store_slot, .user = d};
    b->init = sched_map_stmt(&map, b->init);
    b->body = sched_map_stmt(&map, b->body);
    sched_claim(d->s, b);
    ir_stmt_seal(stmt);
    return stmt;
}

/* The block's nest with variables of its own, for iteration `when` of the
 * loop; guard: only if there is such an iteration. */
static struct ir_stmt *fill(struct doubling *d, struct ir_expr *when,
                            bool guard, const char *name)
{
    struct schedule *s = d->s;
    const struct ir_stmt *old = sched_path_end(&d->path);
    struct sched_map map = {.s = s};
    struct ir_stmt *stmt = add_slot(
        d, old, sched_op(s, IR_FLOORMOD, when, ir_int(s->m, when->dtype, 2)));
    struct ir_block *b = stmt->u.block;
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_var *var = b->iters[i].var;
        b->iters[i].var = sched_var(s, var->dtype, "%s", var->name);
        sched_map_add(&map, var, ir_var_ref(s->m, b->iters[i].var));
    }
    b->body = sched_map_stmt(&map, b->body);
    b->name = name;
    sched_claim(s, b);
    map.n = 0;
    sched_map_add(&map, loop_of(d)->u.loop.var, when);
    for (size_t i = d->path.n - 1; d->path.nodes[i] != d->nest; i--) {
        const struct ir_stmt *loop = d->path.nodes[i - 1];
        struct ir_var *var =
            sched_var(s, loop->u.loop.var->dtype, "%s", loop->u.loop.var->name);
        sched_map_add(&map, loop->u.loop.var, ir_var_ref(s->m, var));
        stmt = sched_with_body(s, loop, stmt);
        stmt->u.loop.var = var;
    }
    /* The slot is a value of this loop, not of `when` again. */
    struct ir_expr *slot = b->iter_values[b->niters - 1];
    b->iter_values[b->niters - 1] = ir_int(s->m, when->dtype, 0);
    stmt = sched_map_stmt(&map, stmt);
    struct ir_stmt *end = stmt;
    while (end->kind == IR_FOR)
        end = end->u.loop.body;
    end->u.block->iter_values[b->niters - 1] = slot;
    if (guard)
        end->u.block->predicate =
            sched_and(s, end->u.block->predicate,
                      ir_binary(s->m, IR_LT, when, loop_of(d)->u.loop.extent));
    return stmt;
}

static struct ir_buffer *make_buffer(struct schedule *s,
                                     const struct ir_buffer *old)
{
    struct ir_expr **shape =
        ARENA_ARRAY(s->m->arena, old->rank + 1, struct ir_expr *);
    struct dtype t = old->rank ? old->shape[0]->dtype : DTYPE_INT32;
    shape[0] = ir_int(s->m, t, 2);
    if (old->rank)
        memcpy(shape + 1, old->shape, old->rank * sizeof *shape);
    return ir_buffer_make(s->m, sched_text(s, "%s_double", old->name),
                          old->dtype, old->rank + 1, shape, NULL, old->scope);
}

static bool build(struct schedule *s, struct doubling *d,
                  const struct sched_users *users)
{
    const struct ir_stmt *loop = loop_of(d);
    const char *name = sched_path_end(&d->path)->u.block->name;
    struct ir_expr *now = ir_var_ref(s->m, loop->u.loop.var);
    struct ir_expr *zero = ir_int(s->m, now->dtype, 0);
    struct ir_expr *next =
        ir_binary(s->m, IR_ADD, now, ir_int(s->m, now->dtype, 1));
    struct ir_stmt *root = s->func->prim.body;
    struct sched_path path;
    d->s = s;
    d->twice = make_buffer(s, d->old);
    for (size_t i = 0; i < users->nreaders; i++) {
        struct ir_expr *half =
            ir_binary(s->m, IR_FLOORMOD, now, ir_int(s->m, now->dtype, 2));
        if (!sched_find_in(root, users->readers[i], &path))
            DC_BUG("a reader is gone");
        root = sched_replace(s, &path, add_slot(d, users->readers[i], half));
    }
    struct ir_stmt *first =
        fill(d, zero, false, sched_text(s, "%s_first", name));
    struct ir_stmt *later = fill(d, next, true, name);
    if (!sched_find_in(root, d->nest, &path))
        DC_BUG("the block is gone");
    size_t at = path.n - 1;
    while (path.nodes[at]->kind != IR_FOR ||
           path.nodes[at]->u.loop.var != loop->u.loop.var)
        at--;
    struct ir_stmt *body = sched_replace_below(s, &path, at, later);
    root = sched_replace_at(s, &path, at, sched_seq(s, first, body));
    const char *scope = d->scope->u.block->name;
    root = sched_add_alloc(s, root, scope, d->twice);
    if (!sched_find_named(root, scope, &path))
        DC_BUG("scope '%s' is not there", scope);
    return sched_commit(
        s,
        sched_replace(s, &path,
                      sched_without_alloc(s, sched_path_end(&path), d->old)));
}

bool schedule_double_buffer(struct schedule *s, schedule_ref block)
{
    struct doubling *d = dc_alloc(sizeof *d);
    struct sched_users *users = dc_alloc(sizeof *users);
    sched_begin(s);
    bool good = find(s, block, d) && sched_users(s, d->scope, d->old, users) &&
                check(s, d, users) && build(s, d, users);
    dc_release(users);
    dc_release(d);
    return good;
}

extern const struct schedule_primitive primitive_double_buffer;
const struct schedule_primitive primitive_double_buffer = {
    .name = "double_buffer",
    .arguments = "block",
    .source = "inject_double_buffer.cc",
    .one = schedule_double_buffer,
};
