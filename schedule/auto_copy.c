/* SPDX-License-Identifier: Apache-2.0
 *
 * What read_at and write_at have in common: a block in a loop's body that
 * copies, in each iteration, a box of a buffer to or from another one of the
 * same shape, which the loop's body uses instead. A later pass of TVM spreads
 * the copy over threads (annotation "auto_copy").
 *
 * The block has an iterator for each loop that the box depends on, and the
 * copy is loops in its body, as TVM makes them (s_tir/schedule/primitive/
 * read_write_at.cc). Where the box may leave the buffer a condition keeps the
 * copy inside; TVM has none there.
 */
#include "schedule/schedule_private.h"

#include <string.h>

static bool is_scope(const char *scope)
{
    static const char *const names[] = {"global", "shared", "shared.dyn",
                                        "local"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (!strcmp(scope, names[i]))
            return true;
    return false;
}

/* ---- threads ----------------------------------------------------------------- */

enum { BLOCKS = 1, LANES = 2, OTHER = 4 };

/* Which iterations a loop runs at the same time. */
static unsigned together(const struct ir_stmt *loop)
{
    struct ir_thread_axis axis;
    if (ir_thread_axis(loop, &axis))
        return !axis.is_virtual && !strncmp(axis.tag, "blockIdx.", 9) ? BLOCKS
                                                                      : LANES;
    if (loop->kind != IR_FOR || loop->u.loop.kind == IR_FOR_SERIAL ||
        loop->u.loop.kind == IR_FOR_UNROLLED)
        return 0;
    return OTHER;
}

/* Those for which the memory is one: they would write it all at once, or would
 * each have some of it. */
static unsigned shared_by(const char *storage)
{
    if (!strncmp(storage, "shared", 6))
        return LANES | OTHER;
    return strcmp(storage, "local") == 0 ? OTHER : BLOCKS | LANES | OTHER;
}

static unsigned private_to(const char *storage)
{
    if (!strncmp(storage, "shared", 6))
        return BLOCKS;
    return strcmp(storage, "local") == 0 ? BLOCKS | LANES : 0;
}

static const char *loop_name(const struct ir_stmt *node)
{
    return node->kind == IR_FOR ? node->u.loop.var->name : "";
}

/* Iterations that copy at the same time do not use the same memory. */
static bool check_above(struct schedule *s, const struct sched_at *at,
                        const char *storage)
{
    for (size_t i = 0; i < at->loop.n; i++)
        if (!sched_require(
                s,
                !at->reads ||
                    !(together(at->loop.nodes[i]) & shared_by(storage)),
                "iterations of loop '%s' would all copy into one '%s' buffer",
                loop_name(at->loop.nodes[i]), storage))
            return false;
    return true;
}

/* What is copied outside of the loops around the block is seen there. */
static bool check_below(struct schedule *s, const struct sched_at *at,
                        const struct sched_path *block, const char *storage)
{
    bool kernel = false;
    for (size_t i = 0; i < at->loop.n; i++)
        kernel |= (together(at->loop.nodes[i]) & (BLOCKS | LANES)) != 0;
    for (size_t i = at->loop.n; i + 1 < block->n; i++) {
        unsigned how = together(block->nodes[i]);
        bool waits =
            !kernel || strcmp(storage, "global") != 0 || !(how & LANES);
        if (!sched_require(s, waits,
                           "threads of loop '%s' do not wait for each other "
                           "at a 'global' buffer",
                           loop_name(block->nodes[i])) ||
            !sched_require(s, !(how & private_to(storage)),
                           "each iteration of loop '%s' has a '%s' buffer of "
                           "its own",
                           loop_name(block->nodes[i]), storage))
            return false;
    }
    return true;
}

static bool check_threads(struct schedule *s, const struct sched_at *at,
                          const char *storage)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct sched_path path;
    bool good = check_above(s, at, storage);
    (void)sched_children(sched_path_end(&at->loop), all);
    for (size_t i = 0; i < all->n && good; i++)
        if (sched_at_uses(at, all->items[i]) &&
            sched_find_stmt(s, all->items[i], &path))
            good = check_below(s, at, &path, storage);
    dc_release(all);
    return good;
}

static bool has_step(const void *user, const struct ir_stmt *stmt)
{
    (void)user;
    return stmt->kind == IR_FOR && stmt->u.loop.step;
}

/* ---- what is asked for ------------------------------------------------------- */

/* What the loop holds. */
static void list_items(struct schedule *s, struct sched_at *at)
{
    struct ir_stmt *body = sched_path_end(&at->loop)->u.loop.body;
    at->n = body->kind == IR_SEQ ? body->u.seq.n : 1;
    at->items = ARENA_ARRAY(s->m->arena, at->n, struct ir_stmt *);
    for (size_t i = 0; i < at->n; i++)
        at->items[i] = body->kind == IR_SEQ ? body->u.seq.items[i] : body;
}

bool sched_at_begin(struct schedule *s, const struct sched_at_request *what,
                    struct sched_at *at)
{
    const char *word = what->reads ? "read" : "write";
    struct sched_users *users = NULL;
    sched_begin(s);
    at->reads = what->reads;
    if (!is_scope(what->storage))
        return sched_bad(s, "no storage scope is called '%s'", what->storage);
    if (!sched_find_loop(s, what->loop, &at->loop) ||
        !sched_find_block(s, what->block, &at->block))
        return false;
    struct ir_stmt *loop = sched_path_end(&at->loop);
    const struct ir_block *b = sched_path_end(&at->block)->u.block;
    size_t n = what->reads ? b->nreads : b->nwrites;
    at->scope = at->loop.nodes[sched_path_scope(&at->loop)];
    if (at->block.n <= at->loop.n || at->block.nodes[at->loop.n - 1] != loop ||
        at->block.nodes[sched_path_scope(&at->block)] != at->scope)
        return sched_illegal(s,
                             "loop '%s' is not around block '%s' in one "
                             "scope",
                             loop->u.loop.var->name, b->name);
    if (ir_stmt_any(loop, has_step, NULL, NULL))
        return sched_unsupported(s, "a loop in loop '%s' counts by steps",
                                 loop->u.loop.var->name);
    if (what->index < 0 || (uint64_t)what->index >= n)
        return sched_bad(s, "block '%s' has no %s %d", b->name, word,
                         (int)what->index);
    at->buffer = (what->reads ? b->reads : b->writes)[what->index].buffer;
    list_items(s, at);
    sched_env_path(s, &at->loop, &at->env);
    users = dc_alloc(sizeof *users);
    bool good = sched_users(s, at->scope, at->buffer, users);
    dc_release(users);
    at->cache = sched_buffer_like(s, at->buffer, what->storage);
    return good && check_threads(s, at, what->storage);
}

unsigned sched_at_uses(const struct sched_at *at, struct ir_stmt *stmt)
{
    struct sched_touch touch;
    sched_touch(stmt, &touch);
    return sched_touches(&touch, at->buffer->data);
}

/* ---- the copy ------------------------------------------------------------------ */

struct copying {
    struct schedule *s;
    const struct sched_at *at;
    struct ir_block *b;
    struct sched_map iters; /* loops to the block's iterators */
};

static bool take_loop(void *user, struct ir_expr *e)
{
    struct copying *c = user;
    struct ir_block *b = c->b;
    if (e->kind != IR_VAR_REF)
        return true;
    for (size_t i = 0; i < c->iters.n; i++)
        if (c->iters.vars[i].from == e->u.var)
            return true;
    for (size_t i = 0; i < c->at->loop.n; i++) {
        const struct ir_stmt *loop = c->at->loop.nodes[i];
        if (loop->kind != IR_FOR || loop->u.loop.var != e->u.var)
            continue;
        struct ir_iter_var *iter = &b->iters[b->niters];
        iter->var = sched_var(c->s, e->dtype, "v%zu", b->niters);
        iter->has_dom = true;
        iter->dom.min = loop->u.loop.min;
        iter->dom.extent = loop->u.loop.extent;
        iter->type = IR_ITER_SPATIAL;
        iter->thread_tag = "";
        b->iter_values[b->niters++] = ir_var_ref(c->s->m, e->u.var);
        sched_map_add(&c->iters, e->u.var, ir_var_ref(c->s->m, iter->var));
    }
    return true;
}

/* Iterators in the order in which the box names their loops. */
static void take_loops(struct copying *c, const struct ir_region *box)
{
    struct ir_visitor visitor = {NULL, take_loop, c};
    for (size_t d = 0; d < box->nranges; d++) {
        ir_visit_expr(&visitor, box->ranges[d].min);
        ir_visit_expr(&visitor, box->ranges[d].extent);
    }
}

static struct ir_expr *inside(struct schedule *s, const struct sched_env *env,
                              const struct ir_range *r, struct ir_expr *index,
                              struct ir_expr *size, struct ir_expr *cond)
{
    struct ir_expr *end = sched_op(s, IR_ADD, r->min, r->extent);
    struct ir_expr *zero = ir_int(s->m, size->dtype, 0);
    if (!sched_proves(s, env, ir_binary(s->m, IR_GE, r->min, zero)))
        cond = sched_and(s, cond, ir_binary(s->m, IR_GE, index, zero));
    if (!sched_proves(s, env, ir_binary(s->m, IR_LE, end, size)))
        cond = sched_and(s, cond, ir_binary(s->m, IR_LT, index, size));
    return cond;
}

/* A copy of the box in terms of the iterators, which env knows. */
static struct ir_stmt *copy_body(struct copying *c, const struct ir_region *box,
                                 const struct sched_env *env)
{
    struct schedule *s = c->s;
    struct ir_buffer *from = c->at->reads ? c->at->buffer : c->at->cache;
    struct ir_buffer *to = c->at->reads ? c->at->cache : c->at->buffer;
    size_t n = box->nranges;
    struct ir_var **loops = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    struct ir_expr **at = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    struct ir_expr *cond = sched_true(s);
    for (size_t d = 0; d < n; d++) {
        loops[d] = sched_var(s, box->ranges[d].min->dtype, "ax%zu", d);
        at[d] =
            sched_op(s, IR_ADD, box->ranges[d].min, ir_var_ref(s->m, loops[d]));
        cond = inside(s, env, &box->ranges[d], at[d], from->shape[d], cond);
    }
    struct ir_stmt *stmt =
        ir_store(s->m, to, ir_load(s->m, from, n, at, NULL), n, at, NULL);
    if (!ir_is_true(cond)) {
        struct ir_stmt *guarded = ir_stmt_make(s->m, IR_IF);
        guarded->u.if_.cond = cond;
        guarded->u.if_.then_ = stmt;
        ir_stmt_seal(guarded);
        stmt = guarded;
    }
    for (size_t d = n; d-- > 0;)
        stmt = sched_loop_make(s, loops[d], box->ranges[d].extent, stmt);
    return stmt;
}

static struct ir_region *claim_of(struct schedule *s, struct ir_buffer *buffer,
                                  const struct ir_region *box)
{
    struct ir_region *r = ARENA_NEW(s->m->arena, struct ir_region);
    *r = *box;
    r->buffer = buffer;
    return r;
}

static struct ir_stmt *copy_block(struct schedule *s, const struct sched_at *at,
                                  const struct ir_region *box)
{
    static const char *const keys[] = {"auto_copy"};
    struct ir_value *yes = ir_value_bool(s->m, true);
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(s->m->arena, struct ir_block);
    struct copying c = {.s = s, .at = at, .b = b, .iters = {.s = s}};
    struct sched_env *env = dc_alloc(sizeof *env);
    b->name = sched_text(s, "%s", at->cache->name);
    b->iters = ARENA_ARRAY(s->m->arena, at->loop.n + 1, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(s->m->arena, at->loop.n + 1, struct ir_expr *);
    b->predicate = sched_true(s);
    b->annotations = ir_value_map(s->m, 1, keys, &yes);
    take_loops(&c, box);
    *env = at->env;
    for (size_t i = 0; i < b->niters; i++)
        sched_env_add(env, b->iters[i].var, b->iters[i].dom.min,
                      b->iters[i].dom.extent);
    struct ir_region mine = sched_map_region(&c.iters, *box);
    b->body = copy_body(&c, &mine, env);
    dc_release(env);
    b->nreads = b->nwrites = 1;
    b->reads = claim_of(s, at->reads ? at->buffer : at->cache, &mine);
    b->writes = claim_of(s, at->reads ? at->cache : at->buffer, &mine);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    return stmt;
}

bool sched_at_end(struct schedule *s, const struct sched_at *at,
                  const struct ir_region *box, schedule_ref *out)
{
    struct sched_map map = {.s = s, .from = at->buffer, .to = at->cache};
    struct ir_stmt *copy = copy_block(s, at, box), *body = NULL;
    struct ir_stmt *loop = sched_path_end(&at->loop);
    for (size_t i = 0; i <= at->n; i++) {
        if (i == at->place)
            body = sched_seq(s, body, copy);
        if (i == at->n)
            break;
        body = sched_seq(s, body,
                         i >= at->first && i < at->end
                             ? sched_map_stmt(&map, at->items[i])
                             : at->items[i]);
    }
    struct ir_stmt *root =
        sched_replace(s, &at->loop, sched_with_body(s, loop, body));
    root = sched_add_alloc(s, root, at->scope->u.block->name, at->cache);
    if (!sched_commit(s, root))
        return false;
    *out = sched_ref_block(s, copy->u.block);
    return true;
}
