/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of what one block accesses, point by point: reindex and the
 * reindex_cache pair.
 *
 * The copy reads for every point what the block might read only under a
 * condition. It may where the block reads it whenever it runs, and the copy
 * runs for no other points; or where all indices lie within the buffer and the
 * buffer is a parameter that the function does not write, so that every element
 * holds something. TVM (s_tir/schedule/primitive/cache_read_write.cc) drops
 * conditions and reads elements that are not there.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* Nodes between the scope and the chain are sequences, or none. */
size_t sched_nest_top(const struct sched_path *path)
{
    size_t scope = sched_path_scope(path), top = path->n - 1;
    while (top > scope + 1 && path->nodes[top - 1]->kind == IR_FOR)
        top--;
    for (size_t i = scope + 1; i < top; i++)
        if (path->nodes[i]->kind != IR_SEQ)
            return 0;
    return top;
}

/* ---- the access ------------------------------------------------------------ */

static bool is_block(const void *user, const struct ir_stmt *stmt)
{
    (void)user;
    return stmt->kind == IR_BLOCK;
}

bool sched_init_agrees(struct schedule *s, const struct ir_stmt *block,
                       const struct ir_buffer *buffer, size_t n,
                       struct ir_expr *const *indices)
{
    size_t m;
    if (!block->u.block->init)
        return true;
    struct ir_stmt *init = ir_stmt_copy(s->m->arena, block);
    init->u.block->body = block->u.block->init;
    struct ir_expr *const *other = sched_indices_of(init, buffer, &m);
    bool same = m == 0 || (other && m == n);
    for (size_t d = 0; d < n && same && m > 0; d++)
        same = ir_expr_same(other[d], indices[d]);
    return same;
}

static void take_indices(struct sched_stage *g, struct ir_expr *const *indices)
{
    struct arena *arena = g->s->m->arena;
    const struct ir_block *b = g->block->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    g->indices = ARENA_ARRAY(arena, g->n + 1, struct ir_expr *);
    g->used = ARENA_ARRAY(arena, b->niters + 1, bool);
    sched_env_domain(env, b);
    for (size_t d = 0; d < g->n; d++)
        g->indices[d] = sched_simplify(g->s, env, indices[d]);
    for (size_t i = 0; i < b->niters; i++)
        for (size_t d = 0; d < g->n; d++)
            g->used[i] |= ir_uses_var(g->indices[d], b->iters[i].var);
    dc_release(env);
}

bool sched_stage_begin(struct sched_stage *g, size_t index)
{
    struct schedule *s = g->s;
    g->block = sched_path_end(&g->path);
    const struct ir_block *b = g->block->u.block;
    if (g->path.n == 1)
        return sched_bad(s, "the root block accesses nothing itself");
    g->scope = g->path.nodes[sched_path_scope(&g->path)];
    g->buffer = sched_claimed_buffer(b, g->write, index);
    if (ir_stmt_any(b->body, is_block, NULL, NULL))
        return sched_illegal(s, "block '%s' holds other blocks", b->name);
    if (!sched_is_plain(s->func->prim.body, g->buffer))
        return sched_unsupported(
            s, "buffer '%s' has strides, views, or pointers to it",
            g->buffer->name);
    struct ir_expr *const *indices =
        sched_indices_of(g->block, g->buffer, &g->n);
    if (!indices || !sched_init_agrees(s, g->block, g->buffer, g->n, indices))
        return sched_illegal(s,
                             "block '%s' accesses buffer '%s' at several "
                             "places, or not at all",
                             b->name, g->buffer->name);
    for (size_t i = 0; i < b->niters; i++)
        if (!b->iters[i].has_dom || !ir_is_const_int(b->iters[i].dom.min, 0))
            return sched_unsupported(s,
                                     "the domain of '%s' does not begin at "
                                     "0",
                                     b->iters[i].var->name);
    take_indices(g, indices);
    return true;
}

/* ---- reading --------------------------------------------------------------- */

/* Whether evaluating e loads of the buffer in any case. */
static bool always_loads(const struct ir_expr *e,
                         const struct ir_buffer *buffer)
{
    if (e->kind == IR_LOAD && e->u.buffer == buffer)
        return !e->predicate;
    bool lazy =
        e->kind == IR_AND || e->kind == IR_OR ||
        (e->kind == IR_CALL && (ir_op_info(e->u.call.op)->flags & IR_OPF_LAZY));
    for (uint32_t i = 0; i < (lazy && e->nargs > 0 ? 1 : e->nargs); i++)
        if (always_loads(e->args[i], buffer))
            return true;
    return false;
}

static bool always_reads(const struct ir_stmt *body,
                         const struct ir_buffer *buffer)
{
    return body->kind == IR_STORE && !body->u.store.predicate &&
           always_loads(body->u.store.value, buffer);
}

static bool is_within(const struct sched_stage *g)
{
    struct schedule *s = g->s;
    struct sched_env *env = dc_alloc(sizeof *env);
    bool good = true;
    sched_env_domain(env, g->block->u.block);
    for (size_t d = 0; d < g->n && good; d++) {
        struct ir_expr *e = g->indices[d], *size = g->buffer->shape[d];
        struct ir_expr *zero = ir_int(s->m, e->dtype, 0);
        good = sched_proves(s, env, ir_binary(s->m, IR_GE, e, zero)) &&
               dtype_equal(e->dtype, size->dtype) &&
               sched_proves(s, env, ir_binary(s->m, IR_LT, e, size));
    }
    dc_release(env);
    return good;
}

static bool is_input(const struct sched_stage *g)
{
    const struct ir_prim_func *f = &g->s->func->prim;
    struct sched_touch t;
    bool param = false;
    for (size_t i = 0; i < f->nparams; i++)
        param |= f->params[i].buffer == g->buffer;
    sched_touch(f->body, &t);
    return param && !t.opaque &&
           !(sched_touches(&t, g->buffer->data) & SCHED_WRITE);
}

bool sched_stage_reads(const struct sched_stage *g, bool everywhere)
{
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    struct sched_touch t;
    sched_touch(g->block, &t);
    bool same = always_reads(b->body, g->buffer) &&
                (!everywhere || sched_runs_everywhere(s, &g->path));
    return sched_require(s, !(sched_touches(&t, g->buffer->data) & SCHED_WRITE),
                         "block '%s' writes buffer '%s' itself", b->name,
                         g->buffer->name) &&
           sched_require(s, same || (is_input(g) && is_within(g)),
                         "the copy would read elements of buffer '%s' that "
                         "block '%s' reads only under a condition",
                         g->buffer->name, b->name);
}

/* ---- writing --------------------------------------------------------------- */

bool sched_stage_writes(const struct sched_stage *g)
{
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    const char *a = sched_not_complete(s, g->scope, g->block);
    const char *r = a ? sched_not_reduction(s, g->scope, g->block) : NULL;
    bool plain = b->body->kind == IR_STORE && !b->body->u.store.predicate &&
                 b->body->u.store.buffer == g->buffer;
    return sched_require(s, !a || !r,
                         "block '%s' is neither complete (%s) nor a reduction "
                         "(%s)",
                         b->name, a ? a : "", r ? r : "") &&
           sched_require(s, plain,
                         "block '%s' may not store an element of buffer '%s' "
                         "whenever it runs",
                         b->name, g->buffer->name);
}

/* ---- the block ------------------------------------------------------------- */

static void given_indices(void *user, const struct sched_env *env,
                          struct ir_expr *const *old, struct ir_expr **out)
{
    struct ir_expr *const *indices = user;
    (void)env;
    (void)old;
    for (size_t i = 0; indices[i]; i++)
        out[i] = indices[i];
}

struct ir_stmt *sched_stage_block(const struct sched_stage *g,
                                  struct ir_buffer *to,
                                  struct ir_expr *const *indices)
{
    struct ir_expr **ended =
        ARENA_ARRAY(g->s->m->arena, to->rank + 1, struct ir_expr *);
    memcpy(ended, indices, to->rank * sizeof *ended);
    struct sched_access access = {g->s, g->buffer, to, given_indices, ended};
    return sched_access_map(&access, NULL, g->block);
}
