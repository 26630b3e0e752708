/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks that copy one buffer to another: what cache_read and cache_write have
 * in common. Where such a block goes, which box it copies, and the rewriting of
 * those that use the other buffer from then on.
 *
 * The place is TVM's (s_tir/schedule/primitive/cache_read_write.cc,
 * CacheLocDetector): in the innermost sequence in which both the writer and,
 * behind it, a reader stand, before that reader's statement.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- accesses -------------------------------------------------------------- */

static bool is_other_expr(const void *user, const struct ir_expr *e)
{
    const struct ir_buffer *b = user;
    if (e->kind == IR_BUFFER_REF || e->kind == IR_LOAD)
        return e->u.buffer->data == b->data &&
               (e->kind == IR_BUFFER_REF || e->u.buffer != b);
    return (e->kind == IR_VAR_REF && e->u.var == b->data) ||
           (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF);
}

static bool is_other_stmt(const void *user, const struct ir_stmt *stmt)
{
    const struct ir_buffer *b = user;
    bool found = stmt->kind == IR_STORE &&
                 stmt->u.store.buffer->data == b->data &&
                 stmt->u.store.buffer != b;
    if (stmt->kind == IR_BLOCK)
        for (size_t i = 0; i < stmt->u.block->nmatches; i++)
            found |= stmt->u.block->matches[i].source.buffer->data == b->data;
    return found;
}

bool sched_is_plain(struct ir_stmt *stmt, const struct ir_buffer *buffer)
{
    bool compact =
        buffer->nstrides == 0 && !buffer->auto_broadcast &&
        (!buffer->elem_offset || ir_is_const_int(buffer->elem_offset, 0));
    return compact && !ir_stmt_any(stmt, is_other_stmt, is_other_expr, buffer);
}

/* ---- users of a buffer in a scope ------------------------------------------ */

bool sched_users(struct schedule *s, struct ir_stmt *scope,
                 const struct ir_buffer *buffer, struct sched_users *out)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    bool good = sched_children(scope, all) ||
                sched_illegal(s, "a statement of the scope stands in no block");
    good = good && (sched_is_plain(scope, buffer) ||
                    sched_unsupported(s,
                                      "buffer '%s' has strides, views, or "
                                      "pointers to it",
                                      buffer->name));
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < all->n && good; i++) {
        struct sched_touch t;
        sched_touch(all->items[i], &t);
        unsigned how = sched_touches(&t, buffer->data);
        good =
            !t.opaque || sched_unsupported(s, "block '%s' may touch anything",
                                           all->items[i]->u.block->name);
        if (how & SCHED_WRITE) {
            out->nwriters++;
            out->writer = all->items[i];
        } else if (how) {
            if (out->nwriters == 0) {
                out->early = all->items[i];
                out->nearly++;
            }
            out->readers[out->nreaders++] = all->items[i];
        }
    }
    dc_release(all);
    return good;
}

/* ---- where ----------------------------------------------------------------- */

struct ir_stmt *sched_anchor(struct schedule *s, struct ir_stmt *scope,
                             const struct sched_users *users)
{
    struct sched_path path;
    if (!users->writer || !sched_find_stmt(s, users->writer, &path))
        return NULL;
    for (size_t at = path.n - 1; at > 0 && path.nodes[at] != scope; at--) {
        const struct ir_stmt *seq = path.nodes[at - 1];
        if (seq->kind != IR_SEQ)
            continue;
        bool behind = false;
        for (size_t i = 0; i < seq->u.seq.n; i++) {
            for (size_t j = 0; j < users->nreaders && behind; j++)
                if (sched_stmt_is_below(seq->u.seq.items[i], users->readers[j]))
                    return seq->u.seq.items[i];
            behind |= seq->u.seq.items[i] == path.nodes[at];
        }
    }
    return NULL;
}

/* ---- which box ------------------------------------------------------------- */

/* Each index of the store is an iterator, of its own, plus a constant. */
static bool is_box(struct schedule *s, const struct ir_region *r)
{
    const struct ir_var *seen[SCHED_MAX_TERMS];
    size_t n = 0;
    for (size_t i = 0; i < r->nranges; i++) {
        struct sched_linear l = sched_linear(s, NULL, r->ranges[i].min);
        if (!l.ok || !ir_is_const_int(r->ranges[i].extent, 1) || l.n > 1)
            return false;
        if (l.n == 0)
            continue;
        if (l.terms[0].coeff != 1 || l.terms[0].atom->kind != IR_VAR_REF ||
            n == SCHED_MAX_TERMS)
            return false;
        for (size_t j = 0; j < n; j++)
            if (seen[j] == l.terms[0].atom->u.var)
                return false;
        seen[n++] = l.terms[0].atom->u.var;
    }
    return true;
}

static const struct ir_region *claim_of(const struct ir_block *b,
                                        const struct ir_buffer *buffer)
{
    for (size_t i = 0; i < b->nwrites; i++)
        if (b->writes[i].buffer == buffer)
            return &b->writes[i];
    return NULL;
}

/* Loops between a loop of the path (or the scope) and its end. */
static void loops_below(struct schedule *s, const struct sched_path *path,
                        size_t from, struct sched_env *env)
{
    struct sched_path part;
    part.n = 0;
    for (size_t i = from + 1; i + 1 < path->n; i++)
        part.nodes[part.n++] = path->nodes[i];
    sched_env_path(s, &part, env);
}

/* Over the whole scope: the domains of the block's iterators. covers: whether
 * they fill the box. */
static struct ir_region over_domain(struct schedule *s,
                                    const struct ir_block *b,
                                    const struct ir_region *r, bool *covers)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].has_dom)
            sched_env_add(env, b->iters[i].var, b->iters[i].dom.min,
                          b->iters[i].dom.extent);
    struct ir_region out = sched_relax(s, env, *r);
    *covers = sched_covers(s, env, r, &out);
    dc_release(env);
    return out;
}

/* Below a loop, of which the writer is an iteration's part. */
static struct ir_region over_loops(struct schedule *s,
                                   const struct sched_path *path, size_t from,
                                   const struct ir_region *r, bool *covers)
{
    const struct ir_block *b = sched_path_end(path)->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_map map = {.s = s};
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&map, b->iters[i].var, b->iter_values[i]);
    loops_below(s, path, from, env);
    struct ir_region mine = sched_map_region(&map, *r);
    struct ir_region out = sched_relax(s, env, mine);
    *covers = sched_covers(s, env, &mine, &out);
    dc_release(env);
    return out;
}

bool sched_written_box(struct schedule *s, struct ir_stmt *writer,
                       const struct ir_buffer *buffer,
                       const struct ir_stmt *anchor, struct ir_region *out,
                       bool *exact)
{
    struct sched_path path, place;
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, writer);
    size_t from;
    bool covers;
    if (!sched_find_stmt(s, writer, &path))
        return false;
    sched_claim(s, copy->u.block);
    const struct ir_region *r = claim_of(copy->u.block, buffer);
    if (!r)
        return false;
    bool box = is_box(s, r);
    *exact = sched_fills(s, writer, buffer) && sched_spatial_distinct(writer);
    from = sched_path_scope(&path);
    if (anchor && sched_find_stmt(s, anchor, &place))
        for (size_t i = from + 1; i < place.n; i++)
            if (place.nodes[i]->kind == IR_FOR && i + 1 < place.n)
                from = i;
    if (path.nodes[from]->kind == IR_FOR) {
        *out = over_loops(s, &path, from, r, &covers);
        *exact = *exact && ir_is_true(copy->u.block->predicate) &&
                 (covers || (box && sched_is_affine(s, &path)));
        return true;
    }
    bool everywhere = sched_runs_everywhere(s, &path);
    *out = sched_full_region(s, r->buffer);
    if (everywhere)
        *out = over_domain(s, copy->u.block, r, &covers);
    *exact = *exact && everywhere && (box || covers);
    return true;
}

/* ---- the block ------------------------------------------------------------- */

/* Guards an index against leaving the buffer, unless it is known not to. */
static void guard(struct schedule *s, const struct sched_env *env,
                  const struct ir_range *range, struct ir_expr *value,
                  struct ir_expr *size, struct ir_block *b)
{
    struct ir_expr *end = sched_op(s, IR_ADD, range->min, range->extent);
    struct ir_expr *zero = ir_int(s->m, size->dtype, 0);
    if (!sched_proves(s, env, ir_binary(s->m, IR_GE, range->min, zero)))
        b->predicate =
            sched_and(s, b->predicate, ir_binary(s->m, IR_GE, value, zero));
    if (!sched_proves(s, env, ir_binary(s->m, IR_LE, end, size)))
        b->predicate =
            sched_and(s, b->predicate, ir_binary(s->m, IR_LT, value, size));
}

struct ir_stmt *sched_copy_block(struct schedule *s,
                                 const struct ir_stmt *anchor,
                                 const struct ir_region *box,
                                 struct ir_buffer *from, struct ir_buffer *to,
                                 struct ir_stmt **block)
{
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_path path;
    if (anchor && sched_find_stmt(s, anchor, &path)) {
        path.n--;
        sched_env_path(s, &path, env);
    }
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(s->m->arena, struct ir_block);
    size_t n = box->nranges;
    struct ir_var **loops = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    struct ir_expr **at = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    b->name = sched_text(s, "%s", from->id > to->id ? from->name : to->name);
    b->niters = n;
    b->iters = ARENA_ARRAY(s->m->arena, n + 1, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    b->predicate = sched_true(s);
    for (size_t i = 0; i < n; i++) {
        struct dtype t = from->shape[i]->dtype;
        loops[i] = sched_var(s, t, "ax%zu", i);
        b->iters[i].var = sched_var(s, t, "v%zu", i);
        b->iters[i].has_dom = true;
        b->iters[i].dom.min = ir_int(s->m, t, 0);
        b->iters[i].dom.extent = from->shape[i];
        b->iters[i].type = IR_ITER_SPATIAL;
        b->iters[i].thread_tag = "";
        at[i] = ir_var_ref(s->m, b->iters[i].var);
        b->iter_values[i] =
            sched_op(s, IR_ADD, box->ranges[i].min, ir_var_ref(s->m, loops[i]));
        guard(s, env, &box->ranges[i], b->iter_values[i], from->shape[i], b);
    }
    dc_release(env);
    b->body = ir_store(s->m, to, ir_load(s->m, from, n, at, NULL), n, at, NULL);
    sched_claim(s, b);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    *block = stmt;
    for (size_t i = n; i-- > 0;)
        stmt = sched_loop_make(s, loops[i], box->ranges[i].extent, stmt);
    return stmt;
}

struct ir_buffer *sched_buffer_like(struct schedule *s,
                                    const struct ir_buffer *buffer,
                                    const char *scope)
{
    return ir_buffer_make(s->m, sched_text(s, "%s_%s", buffer->name, scope),
                          buffer->dtype, buffer->rank, buffer->shape, NULL,
                          scope);
}

struct ir_stmt *sched_add_alloc(struct schedule *s, struct ir_stmt *root,
                                const char *scope, struct ir_buffer *buffer)
{
    struct sched_path path;
    if (!sched_find_named(root, scope, &path))
        DC_BUG("scope '%s' is not there", scope);
    struct ir_stmt *copy = ir_stmt_copy(s->m->arena, sched_path_end(&path));
    struct ir_block *b = copy->u.block;
    struct ir_buffer **allocs =
        ARENA_ARRAY(s->m->arena, b->nallocs + 1, struct ir_buffer *);
    if (b->nallocs)
        memcpy(allocs, b->allocs, b->nallocs * sizeof *allocs);
    allocs[b->nallocs++] = buffer;
    b->allocs = allocs;
    ir_stmt_seal(copy);
    return sched_replace(s, &path, copy);
}

struct ir_stmt *sched_insert(struct schedule *s, struct ir_stmt *root,
                             const char *scope, const struct ir_stmt *anchor,
                             bool at_start, struct ir_stmt *stmt)
{
    struct sched_path path;
    if (anchor) {
        if (!sched_find_in(root, anchor, &path))
            DC_BUG("the place is not there");
        return sched_replace(s, &path,
                             sched_seq(s, stmt, sched_path_end(&path)));
    }
    if (!sched_find_named(root, scope, &path))
        DC_BUG("scope '%s' is not there", scope);
    struct ir_stmt *block = sched_path_end(&path);
    struct ir_stmt *body = block->u.block->body;
    body = at_start ? sched_seq(s, stmt, body) : sched_seq(s, body, stmt);
    return sched_replace(s, &path, sched_with_body(s, block, body));
}

bool sched_cache_begin(struct schedule *s, schedule_ref ref, int64_t index,
                       const char *storage, bool writes, struct sched_cache *c)
{
    const char *what = writes ? "write" : "read";
    sched_begin(s);
    if (!sched_is_scope(storage))
        return sched_bad(s, "no storage scope is called '%s'", storage);
    if (!sched_find_block(s, ref, &c->path))
        return false;
    c->block = sched_path_end(&c->path);
    const struct ir_block *b = c->block->u.block;
    if (c->path.n == 1)
        return sched_bad(s, "the root block %ss nothing itself", what);
    if (index < 0 || (uint64_t)index >= (writes ? b->nwrites : b->nreads))
        return sched_bad(s, "block '%s' has no %s %d", b->name, what,
                         (int)index);
    c->scope = c->path.nodes[sched_path_scope(&c->path)];
    c->buffer = (writes ? b->writes : b->reads)[index].buffer;
    return sched_users(s, c->scope, c->buffer, &c->users);
}

bool sched_cache_end(struct schedule *s, const struct sched_cache *c,
                     struct ir_stmt *root, struct ir_buffer *cache,
                     const struct ir_stmt *copy, schedule_ref *out)
{
    root = sched_add_alloc(s, root, c->scope->u.block->name, cache);
    if (!sched_commit(s, root))
        return false;
    *out = sched_ref_block(s, copy->u.block);
    return true;
}

bool sched_cache_consumers(struct schedule *s, size_t n,
                           const schedule_ref *refs, bool among,
                           struct sched_cache *c)
{
    struct sched_users *u = &c->users;
    size_t kept = 0, early = 0;
    if (n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "more than %u consumers", SCHEDULE_MAX_LOOPS);
    for (size_t i = 0; i < n; i++) {
        struct sched_path path;
        if (!sched_find_block(s, refs[i], &path))
            return false;
        if (path.n == 1 || path.nodes[sched_path_scope(&path)] != c->scope)
            return sched_unsupported(s, "block '%s' is in another scope",
                                     sched_path_end(&path)->u.block->name);
        struct ir_stmt *block = sched_path_end(&path);
        bool known = block == c->block && !among;
        for (size_t j = 0; j < c->nconsumers; j++)
            known |= c->consumers[j] == block;
        if (!known)
            c->consumers[c->nconsumers++] = block;
    }
    u->early = NULL;
    for (size_t i = 0; i < u->nreaders; i++) {
        bool named = false;
        for (size_t j = 0; j < c->nconsumers; j++)
            named |= c->consumers[j] == u->readers[i];
        if (named != among)
            continue;
        if (i < u->nearly) {
            u->early = u->readers[i];
            early++;
        }
        u->readers[kept++] = u->readers[i];
    }
    u->nreaders = kept;
    u->nearly = early;
    return true;
}

struct ir_stmt *sched_map_blocks(struct schedule *s, struct ir_stmt *root,
                                 size_t n, struct ir_stmt *const *blocks,
                                 struct sched_map *map)
{
    for (size_t i = 0; i < n; i++) {
        struct sched_path path;
        if (!sched_find_in(root, blocks[i], &path))
            DC_BUG("block '%s' is gone", blocks[i]->u.block->name);
        root = sched_replace(s, &path, sched_map_stmt(map, blocks[i]));
    }
    return root;
}

bool sched_arg_cache(struct schedule *s, size_t nargs,
                     const struct schedule_arg *args, size_t *n,
                     schedule_ref *consumers)
{
    *n = 0;
    if (nargs == 4 && args[3].kind == SCHEDULE_LIST) {
        *n = args[3].u.list.n;
        return sched_arg_kinds(s, 3, args, "ris") &&
               sched_arg_refs(s, *n, args[3].u.list.items, consumers);
    }
    return sched_arg_kinds(s, nargs, args, "ris");
}
