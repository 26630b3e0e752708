/* SPDX-License-Identifier: Apache-2.0
 *
 * What reindex_cache_read and reindex_cache_write share: a cache of any layout
 * for what one block accesses at one place, indexed by a map of the block's
 * iterators, and a block that copies between it and the buffer in loops like
 * those around the block.
 *
 * Only iterators that occur in the indices of the buffer are copied over; the
 * map has to use the same ones, and two points of one element of the cache have
 * to be points of one element of the buffer: the map is one to one, or the
 * buffer's indices are linear combinations of the cache's. TVM
 * (s_tir/schedule/primitive/cache_read_write.cc) compares the iterators alone,
 * and drops the guard of the block; here the copy keeps it.
 */
#include "ir/base/limits.h"
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- linear combinations --------------------------------------------------- */

#define MAX_ATOMS 32u
#define MAX_ROWS  16u

struct rows {
    size_t natoms, n;
    struct ir_expr *atoms[MAX_ATOMS];
    int64_t rows[MAX_ROWS][MAX_ATOMS];
    size_t pivots[MAX_ROWS];
};

/* The form as coefficients of atoms; the constant does not matter. */
static bool take_row(struct schedule *s, struct rows *r, struct ir_expr *e,
                     int64_t *out)
{
    struct sched_linear l = sched_linear(s, NULL, e);
    memset(out, 0, MAX_ATOMS * sizeof *out);
    for (size_t i = 0; i < l.n && l.ok; i++) {
        size_t at = 0;
        while (at < r->natoms && !ir_expr_same(r->atoms[at], l.terms[i].atom))
            at++;
        if (at == MAX_ATOMS)
            return false;
        if (at == r->natoms)
            r->atoms[r->natoms++] = l.terms[i].atom;
        out[at] = l.terms[i].coeff;
    }
    return l.ok;
}

/* row * a - other * b, divided by what its numbers have in common. */
static bool combine(int64_t *row, int64_t a, const int64_t *other, int64_t b)
{
    int64_t g = 0;
    for (size_t i = 0; i < MAX_ATOMS; i++) {
        int64_t x, y;
        if (__builtin_mul_overflow(row[i], a, &x) ||
            __builtin_mul_overflow(other[i], b, &y) ||
            __builtin_sub_overflow(x, y, &row[i]) || row[i] == INT64_MIN)
            return false;
        g = int_gcd(g, row[i]);
    }
    for (size_t i = 0; i < MAX_ATOMS && g > 1; i++)
        row[i] /= g;
    return true;
}

/* Takes the rows that are there out of this one. */
static bool reduce(const struct rows *r, int64_t *row)
{
    for (size_t k = 0; k < r->n; k++) {
        size_t p = r->pivots[k];
        if (row[p] != 0 && !combine(row, r->rows[k][p], r->rows[k], row[p]))
            return false;
    }
    return true;
}

static size_t pivot_of(const int64_t *row)
{
    size_t p = 0;
    while (p < MAX_ATOMS && row[p] == 0)
        p++;
    return p;
}

/* Whether the values of `from` say which those of `to` are. */
static bool determines(struct schedule *s, size_t nfrom,
                       struct ir_expr *const *from, size_t nto,
                       struct ir_expr *const *to)
{
    struct rows *r = dc_alloc(sizeof *r);
    int64_t row[MAX_ATOMS];
    bool good = nfrom <= MAX_ROWS;
    for (size_t i = 0; i < nfrom && good; i++) {
        good = take_row(s, r, from[i], row) && reduce(r, row);
        size_t p = pivot_of(row);
        if (good && p < MAX_ATOMS) {
            r->pivots[r->n] = p;
            memcpy(r->rows[r->n++], row, sizeof row);
        }
    }
    for (size_t i = 0; i < nto && good; i++)
        good = take_row(s, r, to[i], row) && reduce(r, row) &&
               pivot_of(row) == MAX_ATOMS;
    dc_release(r);
    return good;
}

/* ---- indices and shape of the cache ---------------------------------------- */

/* Whether the values at the block's iterators are from 0 on; how many. */
static bool find_shape(struct sched_reindexed *c)
{
    struct schedule *s = c->stage.s;
    const struct ir_block *b = c->stage.block->u.block;
    struct sched_env *env = dc_alloc(sizeof *env);
    bool good = true;
    sched_env_domain(env, b);
    for (size_t k = 0; k < c->n && good; k++) {
        struct ir_expr *e = c->indices[k];
        struct ir_range at = {e, ir_int(s->m, e->dtype, 1)}, all;
        if (sched_relax_range(s, env, &at, &all)) {
            good = ir_is_const_int(all.min, 0);
            c->shape[k] = all.extent;
        } else {
            struct sched_linear l = sched_linear(s, env, e);
            struct sched_bounds r = sched_bounds(s, env, &l);
            good = l.ok && r.min == 0 && r.max < INT64_MAX;
            c->shape[k] = ir_int(s->m, e->dtype, good ? r.max + 1 : 1);
        }
        c->indices[k] = sched_simplify(s, env, e);
    }
    dc_release(env);
    return good || sched_unsupported(s, "the values of the index map are not "
                                        "known to begin at 0, or to end");
}

/* The map uses the iterators that the buffer's indices do. */
static bool same_iters(const struct sched_reindexed *c)
{
    const struct sched_stage *g = &c->stage;
    const struct ir_block *b = g->block->u.block;
    for (size_t i = 0; i < b->niters; i++) {
        bool used = false;
        for (size_t k = 0; k < c->n; k++)
            used |= ir_uses_var(c->indices[k], b->iters[i].var);
        if (used != g->used[i])
            return sched_illegal(
                g->s, "iterator '%s' of block '%s' is %s",
                b->iters[i].var->name, b->name,
                used ? "used by the index map, not by the access"
                     : "used by the access, not by the index map");
    }
    return true;
}

static bool one_to_one(const struct sched_reindexed *c)
{
    const struct sched_stage *g = &c->stage;
    const struct ir_block *b = g->block->u.block;
    return sched_tells_apart(g->s, b, g->used, c->n, c->indices) ||
           determines(g->s, c->n, c->indices, g->n, g->indices);
}

/* Points of one element of the buffer are points of one of the cache. */
static bool one_to_one_back(const struct sched_reindexed *c)
{
    const struct sched_stage *g = &c->stage;
    const struct ir_block *b = g->block->u.block;
    return sched_tells_apart(g->s, b, g->used, g->n, g->indices) ||
           determines(g->s, g->n, g->indices, c->n, c->indices);
}

bool sched_reindexed_map(struct sched_reindexed *c,
                         const struct schedule_index_map *map)
{
    const struct sched_stage *g = &c->stage;
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    struct ir_expr **at =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    for (size_t i = 0; i < b->niters; i++)
        at[i] = ir_var_ref(s->m, b->iters[i].var);
    if (map->nvars != b->niters)
        return sched_bad(s,
                         "the index map takes %zu indices, but block '%s' has "
                         "%zu iterators",
                         map->nvars, b->name, b->niters);
    if (map->nout > DC_MAX_RANK)
        return sched_bad(s, "an index map of more than %u dimensions",
                         DC_MAX_RANK);
    c->n = map->nout;
    c->indices = ARENA_ARRAY(s->m->arena, c->n + 1, struct ir_expr *);
    c->shape = ARENA_ARRAY(s->m->arena, c->n + 1, struct ir_expr *);
    if (!sched_layout_values(s, map, b->niters, at, c->indices))
        return sched_unsupported(s, "the index map is not made of sums, "
                                    "quotients and remainders of indices");
    return find_shape(c) && same_iters(c) &&
           sched_require(s, one_to_one(c),
                         "the index map may put several elements of buffer "
                         "'%s' in one place",
                         g->buffer->name) &&
           sched_require(s, !g->write || one_to_one_back(c),
                         "the index map may put one element of buffer '%s' in "
                         "several places",
                         g->buffer->name);
}

/* ---- loops and guard ------------------------------------------------------- */

/* Loops between the place of the copy and the block that its iterators use. */
static void find_loops(struct sched_reindexed *c, const struct ir_stmt *anchor)
{
    struct sched_stage *g = &c->stage;
    const struct ir_block *b = g->block->u.block;
    size_t from = sched_path_scope(&g->path) + 1;
    struct sched_path place;
    if (anchor && sched_find_stmt(g->s, anchor, &place))
        for (size_t i = from; i < place.n && i < g->path.n; i++)
            if (place.nodes[i] == g->path.nodes[i] && i + 1 < place.n)
                from = i + 1;
    for (size_t i = from; i + 1 < g->path.n; i++) {
        struct ir_stmt *loop = g->path.nodes[i];
        bool used = false;
        if (loop->kind != IR_FOR)
            continue;
        for (size_t k = 0; k < b->niters; k++)
            used |=
                g->used[k] && ir_uses_var(b->iter_values[k], loop->u.loop.var);
        if (used)
            c->kept[c->nkept++] = loop;
        else
            c->dropped[c->ndropped++] = loop;
    }
}

static bool uses_dropped(const struct sched_reindexed *c,
                         const struct ir_expr *e)
{
    for (size_t i = 0; i < c->ndropped; i++)
        if (ir_uses_var(e, c->dropped[i]->u.loop.var))
            return true;
    return false;
}

/* A conjunct in terms of loops that the copy does not have must hold where
 * those begin: then every point of the copy is one of the block. */
static bool guard(struct sched_reindexed *c, struct ir_expr *e)
{
    struct schedule *s = c->stage.s;
    if (e->kind == IR_AND)
        return guard(c, e->args[0]) && guard(c, e->args[1]);
    if (!uses_dropped(c, e)) {
        c->guard = sched_and(s, c->guard, e);
        return true;
    }
    struct sched_map map = {.s = s};
    struct sched_env *env = dc_alloc(sizeof *env);
    for (size_t i = 0; i < c->ndropped; i++)
        sched_map_add(&map, c->dropped[i]->u.loop.var,
                      c->dropped[i]->u.loop.min);
    for (size_t i = 0; i < c->nkept; i++)
        sched_env_add(env, c->kept[i]->u.loop.var, c->kept[i]->u.loop.min,
                      c->kept[i]->u.loop.extent);
    bool good = sched_proves(s, env, sched_map_expr(&map, e));
    dc_release(env);
    return good || sched_unsupported(s,
                                     "the guard of block '%s' depends on loops "
                                     "that the copy does not have",
                                     c->stage.block->u.block->name);
}

bool sched_reindexed_place(struct sched_reindexed *c,
                           const struct ir_stmt *anchor)
{
    const struct ir_block *b = c->stage.block->u.block;
    c->guard = sched_true(c->stage.s);
    find_loops(c, anchor);
    for (size_t i = 0; i < c->ndropped; i++)
        if (c->dropped[i]->u.loop.step || c->ndropped >= DC_MAX_RANK)
            return sched_unsupported(c->stage.s, "a loop with a step");
    return guard(c, b->predicate);
}

/* ---- the copy -------------------------------------------------------------- */

static struct ir_stmt *copy_nest(struct sched_reindexed *c, const char *storage,
                                 struct ir_stmt **block)
{
    const struct sched_stage *g = &c->stage;
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    struct sched_map outer = {.s = s}, inner = {.s = s};
    struct ir_var **iters =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_var *);
    struct ir_expr **sizes =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    struct ir_expr **values =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    struct ir_expr **at = ARENA_ARRAY(s->m->arena, g->n + 1, struct ir_expr *);
    struct ir_expr **in = ARENA_ARRAY(s->m->arena, c->n + 1, struct ir_expr *);
    struct ir_var **loops =
        ARENA_ARRAY(s->m->arena, c->nkept + 1, struct ir_var *);
    size_t n = 0;
    for (size_t i = 0; i < c->nkept; i++) {
        const struct ir_var *old = c->kept[i]->u.loop.var;
        loops[i] = sched_var(s, old->dtype, "%s", old->name);
        sched_map_add(&outer, old, ir_var_ref(s->m, loops[i]));
    }
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        if (!g->used[i])
            continue;
        iters[n] = sched_var(s, iter->var->dtype, "%s", iter->var->name);
        sizes[n] = iter->dom.extent;
        values[n] = sched_map_expr(&outer, b->iter_values[i]);
        sched_map_add(&inner, iter->var, ir_var_ref(s->m, iters[n++]));
    }
    for (size_t d = 0; d < g->n; d++)
        at[d] = sched_map_expr(&inner, g->indices[d]);
    for (size_t k = 0; k < c->n; k++)
        in[k] = sched_map_expr(&inner, c->indices[k]);
    struct ir_stmt *body =
        g->write
            ? ir_store(s->m, g->buffer, ir_load(s->m, c->cache, c->n, in, NULL),
                       g->n, at, NULL)
            : ir_store(s->m, c->cache, ir_load(s->m, g->buffer, g->n, at, NULL),
                       c->n, in, NULL);
    *block =
        sched_block_make(s, sched_text(s, "%s_%s", g->buffer->name, storage), n,
                         iters, sizes, values, body);
    (*block)->u.block->predicate = sched_map_expr(&outer, c->guard);
    struct ir_stmt *nest = *block;
    for (size_t i = c->nkept; i-- > 0;) {
        nest = sched_loop_make(s, loops[i], c->kept[i]->u.loop.extent, nest);
        nest->u.loop.min = c->kept[i]->u.loop.min;
    }
    return nest;
}

/* ---- all of it ------------------------------------------------------------- */

/* Arguments: block, index, storage scope, index map. */
bool sched_reindexed_begin(struct sched_reindexed *c, size_t nargs,
                           const struct schedule_arg *args)
{
    struct sched_stage *g = &c->stage;
    struct schedule *s = g->s;
    size_t index = 0;
    if (!sched_arg_kinds(s, nargs, args, "rism") ||
        !sched_find_block(s, args[0].u.ref, &g->path) ||
        !sched_access_index(s, sched_path_end(&g->path)->u.block, g->write,
                            args[1].u.integer, &index))
        return false;
    if (!sched_is_scope(args[2].u.string))
        return sched_bad(s, "no storage scope is called '%s'",
                         args[2].u.string);
    if (!sched_stage_begin(g, index))
        return false;
    for (size_t d = 0; d < g->n; d++)
        if (ir_has_load(g->indices[d]))
            return sched_unsupported(s,
                                     "an index of buffer '%s' is read from "
                                     "memory",
                                     g->buffer->name);
    return sched_users(s, g->scope, g->buffer, &c->users);
}

bool sched_reindexed_end(struct sched_reindexed *c, const char *storage,
                         const struct ir_stmt *anchor, bool at_start,
                         schedule_ref *out)
{
    const struct sched_stage *g = &c->stage;
    struct schedule *s = g->s;
    const char *scope = g->scope->u.block->name;
    struct ir_stmt *copy;
    struct sched_path path;
    c->cache = sched_buffer_shaped(
        s, g->buffer, sched_text(s, "%s_%s", g->buffer->name, storage), storage,
        c->n, c->shape);
    struct ir_stmt *nest = copy_nest(c, storage, &copy);
    struct ir_stmt *root =
        sched_insert(s, s->func->prim.body, scope, anchor, at_start, nest);
    if (!sched_find_in(root, g->block, &path))
        DC_BUG("the block is not there");
    root = sched_replace(s, &path, sched_stage_block(g, c->cache, c->indices));
    root = sched_add_alloc(s, root, scope, c->cache);
    if (!sched_commit(s, root))
        return false;
    *out = sched_ref_block(s, copy->u.block);
    return true;
}
