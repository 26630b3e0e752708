/* SPDX-License-Identifier: Apache-2.0
 *
 * Accesses of one buffer: which one a step means, and other indices, or another
 * buffer, for all of them below a statement.
 *
 * What blocks declare of the buffer is made anew from their bodies, in its
 * place: later steps name buffers by their place in those lists.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- which buffer ---------------------------------------------------------- */

static bool by_name(struct schedule *s, const struct ir_block *b,
                    const char *name, bool *write, size_t *index)
{
    for (int side = 0; side < 2; side++) {
        size_t n = side ? b->nwrites : b->nreads;
        const struct ir_region *list = side ? b->writes : b->reads;
        for (size_t i = 0; i < n; i++) {
            if (strcmp(list[i].buffer->name, name) != 0)
                continue;
            *write = side == 1;
            *index = i;
            return true;
        }
    }
    return sched_bad(s, "block '%s' accesses no buffer '%s'", b->name, name);
}

/* TVM's enum BufferIndexType is 0 for what is read, 1 for what is written. */
size_t sched_arg_buffer(struct schedule *s, size_t nargs,
                        const struct schedule_arg *args,
                        const struct ir_block *b, bool *write, size_t *index)
{
    const struct schedule_arg *items =
        nargs > 0 && args->kind == SCHEDULE_LIST ? args->u.list.items : NULL;
    if (nargs > 0 && args->kind == SCHEDULE_STRING)
        return by_name(s, b, args->u.string, write, index);
    if (nargs > 1 && args[0].kind == SCHEDULE_INT &&
        args[1].kind == SCHEDULE_INT) {
        *write = args[1].u.integer != 0;
        return sched_access_index(s, b, *write, args[0].u.integer, index) ? 2
                                                                          : 0;
    }
    if (!items || args->u.list.n != 2 || items[0].kind != SCHEDULE_STRING ||
        items[1].kind != SCHEDULE_INT)
        return sched_bad(s, "expected a buffer: its name, [\"read\" i] or "
                            "[\"write\" i]");
    *write = strcmp(items[0].u.string, "write") == 0;
    if (!*write && strcmp(items[0].u.string, "read") != 0)
        return sched_bad(s, "expected \"read\" or \"write\", not \"%s\"",
                         items[0].u.string);
    return sched_access_index(s, b, *write, items[1].u.integer, index);
}

bool sched_access_index(struct schedule *s, const struct ir_block *b,
                        bool write, int64_t i, size_t *index)
{
    if (i < 0 || (uint64_t)i >= (write ? b->nwrites : b->nreads))
        return sched_bad(s, "block '%s' has no %s %lld", b->name,
                         write ? "write" : "read", (long long)i);
    *index = (size_t)i;
    return true;
}

struct ir_buffer *sched_claimed_buffer(const struct ir_block *b, bool write,
                                       size_t index)
{
    return (write ? b->writes : b->reads)[index].buffer;
}

/* ---- rewriting ------------------------------------------------------------- */

struct rewriting {
    const struct sched_access *a;
    struct ir_map map;
    struct sched_env env; /* ranges of what is around */
};

static struct ir_expr **new_indices(struct rewriting *w, size_t n,
                                    struct ir_expr *const *old)
{
    const struct sched_access *a = w->a;
    struct ir_expr **out =
        ARENA_ARRAY(a->s->m->arena, a->to->rank + 1, struct ir_expr *);
    if (a->indices)
        a->indices(a->user, &w->env, old, out);
    else if (n > 0)
        memcpy(out, old, n * sizeof *out);
    return out;
}

static struct ir_expr *rewrite_load(void *user, struct ir_expr *e)
{
    struct rewriting *w = user;
    const struct sched_access *a = w->a;
    if (e->kind != IR_LOAD || e->u.buffer != a->from)
        return NULL;
    const struct ir_expr *in = ir_map_operands(&w->map, e);
    return ir_load(a->s->m, a->to, a->to->rank,
                   new_indices(w, in->nargs, in->args), in->predicate);
}

static struct ir_stmt *rewrite_store(struct rewriting *w, struct ir_stmt *stmt)
{
    const struct sched_access *a = w->a;
    struct ir_stmt *in = ir_map_below(&w->map, stmt);
    if (in->u.store.buffer != a->from)
        return in;
    return ir_store(a->s->m, a->to, in->u.store.value, a->to->rank,
                    new_indices(w, in->u.store.nindices, in->u.store.indices),
                    in->u.store.predicate);
}

/* What a block, whose body is rewritten, declares of the old buffer. */
static void redeclare(const struct sched_access *a, struct ir_block *b,
                      size_t n, struct ir_region *list, bool write)
{
    struct ir_block found = *b;
    bool claimed = false;
    for (size_t i = 0; i < n; i++) {
        if (list[i].buffer != a->from)
            continue;
        if (!claimed)
            sched_claim(a->s, &found);
        claimed = true;
        size_t m = write ? found.nwrites : found.nreads;
        const struct ir_region *new_ = write ? found.writes : found.reads;
        list[i] = sched_full_region(a->s, a->to);
        for (size_t j = 0; j < m; j++)
            if (new_[j].buffer == a->to)
                list[i] = new_[j];
    }
}

static bool mentions(const struct ir_block *b, const struct ir_buffer *buffer)
{
    bool found = false;
    for (size_t i = 0; i < b->nreads; i++)
        found |= b->reads[i].buffer == buffer;
    for (size_t i = 0; i < b->nwrites; i++)
        found |= b->writes[i].buffer == buffer;
    for (size_t i = 0; i < b->nallocs; i++)
        found |= b->allocs[i] == buffer;
    return found;
}

static struct ir_stmt *rewrite_block(struct rewriting *w, struct ir_stmt *stmt)
{
    const struct sched_access *a = w->a;
    struct ir_stmt *out = ir_map_below(&w->map, stmt);
    if (!mentions(out->u.block, a->from))
        return out;
    out = ir_stmt_copy(a->s->m->arena, out);
    struct ir_block *b = out->u.block;
    redeclare(a, b, b->nreads, b->reads, false);
    redeclare(a, b, b->nwrites, b->writes, true);
    if (b->nallocs > 0)
        b->allocs = arena_memdup(a->s->m->arena, b->allocs,
                                 b->nallocs * sizeof *b->allocs);
    for (size_t i = 0; i < b->nallocs; i++)
        if (b->allocs[i] == a->from)
            b->allocs[i] = a->to;
    ir_stmt_seal(out);
    return out;
}

static struct ir_stmt *rewrite_stmt(void *user, struct ir_stmt *stmt)
{
    struct rewriting *w = user;
    size_t n = w->env.n;
    struct ir_stmt *out = NULL;
    if (stmt->kind == IR_STORE)
        return rewrite_store(w, stmt);
    if (stmt->kind == IR_FOR) {
        sched_env_add(&w->env, stmt->u.loop.var, stmt->u.loop.min,
                      stmt->u.loop.extent);
        out = ir_map_below(&w->map, stmt);
    }
    if (stmt->kind == IR_BLOCK) {
        sched_env_domain(&w->env, stmt->u.block);
        out = rewrite_block(w, stmt);
    }
    w->env.n = n;
    return out;
}

struct ir_stmt *sched_access_map(const struct sched_access *a,
                                 const struct sched_env *env,
                                 struct ir_stmt *stmt)
{
    struct rewriting *w = dc_alloc(sizeof *w);
    w->a = a;
    if (env)
        w->env = *env;
    w->map = (struct ir_map){
        .m = a->s->m, .before = rewrite_load, .stmt = rewrite_stmt, .user = w};
    struct ir_stmt *out = ir_map_stmt(&w->map, stmt);
    dc_release(w);
    return out;
}

struct ir_buffer *sched_buffer_shaped(struct schedule *s,
                                      const struct ir_buffer *buffer,
                                      const char *name, const char *scope,
                                      size_t rank, struct ir_expr *const *shape)
{
    struct ir_buffer *b = ir_buffer_make(s->m, name, buffer->dtype, rank, shape,
                                         NULL, scope ? scope : buffer->scope);
    b->alignment = buffer->alignment;
    b->offset_factor = buffer->offset_factor;
    return b;
}

/* ---- a block over other iterators ------------------------------------------ */

struct tidying {
    struct schedule *s;
    const struct sched_env *env;
};

static struct ir_expr *tidy_load(void *user, struct ir_expr *load)
{
    const struct tidying *t = user;
    struct ir_expr **at =
        ARENA_ARRAY(t->s->m->arena, load->nargs + 1, struct ir_expr *);
    for (size_t i = 0; i < load->nargs; i++)
        at[i] = sched_simplify(t->s, t->env, load->args[i]);
    return ir_load(t->s->m, load->u.buffer, load->nargs, at, load->predicate);
}

static struct ir_stmt *tidy_store(void *user, struct ir_stmt *store)
{
    const struct tidying *t = user;
    for (size_t i = 0; i < store->u.store.nindices; i++)
        store->u.store.indices[i] =
            sched_simplify(t->s, t->env, store->u.store.indices[i]);
    ir_stmt_seal(store);
    return store;
}

static void tidy_regions(const struct tidying *t, size_t n,
                         const struct ir_region *regions)
{
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < regions[i].nranges; d++) {
            struct ir_range *r = &regions[i].ranges[d];
            r->min = sched_simplify(t->s, t->env, r->min);
            r->extent = sched_simplify(t->s, t->env, r->extent);
        }
}

struct ir_stmt *sched_map_block(struct sched_map *map,
                                const struct sched_env *env,
                                struct ir_stmt *block)
{
    struct tidying t = {map->s, env};
    map->load = tidy_load;
    map->store = tidy_store;
    map->user = &t;
    block = sched_map_stmt(map, block);
    tidy_regions(&t, block->u.block->nreads, block->u.block->reads);
    tidy_regions(&t, block->u.block->nwrites, block->u.block->writes);
    return block;
}
