/* SPDX-License-Identifier: Apache-2.0
 *
 * reindex: a buffer that a block accesses at indices of any form becomes one
 * that it accesses by its iterators, one a dimension; a new block copies to it
 * before the block, or from it behind.
 *
 * Legal for a leaf block that accesses the buffer at one place, whose loops
 * hold nothing else (s_tir/schedule/primitive/cache_read_write.cc). Stricter
 * than TVM: what is copied must be there to read (schedule/stage.c), since TVM
 * copies for all of the block's domain whatever guards the access; a block
 * that writes must be complete or a reduction, run for all of its domain, and
 * its spatial iterators must tell its stores apart, else the copy would write
 * other elements, or in another order.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct reindex {
    struct sched_stage stage;
    size_t top; /* of the path: the outermost of the block's loops */
    struct ir_buffer *made;
};

static bool find_top(struct reindex *r)
{
    r->top = sched_nest_top(&r->stage.path);
    return r->top > 0 || sched_illegal(r->stage.s,
                                       "the loops of block '%s' hold something "
                                       "else",
                                       r->stage.block->u.block->name);
}

static bool check(struct reindex *r)
{
    struct sched_stage *g = &r->stage;
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    if (!g->write)
        return sched_stage_reads(g, true);
    return sched_stage_writes(g) &&
           sched_require(s, sched_runs_everywhere(s, &g->path),
                         "block '%s' may not run for all of its domain",
                         b->name) &&
           sched_require(s,
                         sched_spatial_distinct(g->block) ||
                             sched_stores_apart(s, g->block),
                         "block '%s': its spatial iterators do not tell its "
                         "stores apart",
                         b->name);
}

/* The nest that copies, and in *block the block of it. */
static struct ir_stmt *copy_nest(struct reindex *r, struct ir_stmt **block)
{
    const struct sched_stage *g = &r->stage;
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    struct arena *arena = s->m->arena;
    struct ir_var **loops = ARENA_ARRAY(arena, b->niters + 1, struct ir_var *);
    struct ir_var **iters = ARENA_ARRAY(arena, b->niters + 1, struct ir_var *);
    struct ir_expr **sizes =
        ARENA_ARRAY(arena, b->niters + 1, struct ir_expr *);
    struct ir_expr **at = ARENA_ARRAY(arena, g->n + 1, struct ir_expr *);
    struct sched_map map = {.s = s};
    size_t n = 0;
    for (size_t i = 0; i < b->niters; i++) {
        if (!g->used[i])
            continue;
        struct dtype t = b->iters[i].var->dtype;
        sizes[n] = b->iters[i].dom.extent;
        loops[n] = sched_var(s, t, "ax%zu", n);
        iters[n] = sched_var(s, t, "v%zu", n);
        sched_map_add(&map, b->iters[i].var, ir_var_ref(s->m, iters[n]));
        n++;
    }
    struct ir_expr **refs = sched_var_refs(s, n, iters);
    for (size_t d = 0; d < g->n; d++)
        at[d] = sched_map_expr(&map, g->indices[d]);
    struct ir_stmt *body =
        g->write
            ? ir_store(s->m, g->buffer, ir_load(s->m, r->made, n, refs, NULL),
                       g->n, at, NULL)
            : ir_store(s->m, r->made, ir_load(s->m, g->buffer, g->n, at, NULL),
                       n, refs, NULL);
    const char *name =
        sched_text(s, "%s_reindex", g->write ? g->buffer->name : r->made->name);
    *block = sched_block_make(s, name, n, iters, sizes,
                              sched_var_refs(s, n, loops), body);
    return sched_nest(s, n, loops, sizes, *block);
}

static bool reindex(struct reindex *r, schedule_ref *out)
{
    struct sched_stage *g = &r->stage;
    struct schedule *s = g->s;
    const struct ir_block *b = g->block->u.block;
    struct ir_expr **shape =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    struct ir_expr **refs =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    struct ir_stmt *copy;
    size_t n = 0;
    for (size_t i = 0; i < b->niters; i++) {
        if (!g->used[i])
            continue;
        shape[n] = b->iters[i].dom.extent;
        refs[n++] = ir_var_ref(s->m, b->iters[i].var);
    }
    r->made = sched_buffer_shaped(s, g->buffer,
                                  sched_text(s, "%s_reindex", g->buffer->name),
                                  NULL, n, shape);
    struct ir_stmt *nest = copy_nest(r, &copy);
    struct ir_stmt *old = sched_stage_block(g, r->made, refs);
    if (r->top < g->path.n - 1)
        old = sched_replace_below(s, &g->path, r->top, old);
    old = g->write ? sched_seq(s, old, nest) : sched_seq(s, nest, old);
    struct ir_stmt *root = sched_replace_at(s, &g->path, r->top, old);
    root = sched_add_alloc(s, root, g->scope->u.block->name, r->made);
    if (!sched_commit(s, root))
        return false;
    *out = sched_ref_block(s, copy->u.block);
    return true;
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    struct reindex *r = dc_alloc(sizeof *r);
    struct sched_stage *g = &r->stage;
    size_t index = 0;
    g->s = s;
    bool good = (nargs > 0 && args[0].kind == SCHEDULE_REF) ||
                sched_bad(s, "expected a block and a buffer");
    good = good && sched_find_block(s, args[0].u.ref, &g->path);
    if (good) {
        const struct ir_block *b = sched_path_end(&g->path)->u.block;
        size_t used =
            sched_arg_buffer(s, nargs - 1, &args[1], b, &g->write, &index);
        good = used > 0 && (used == nargs - 1 ||
                            sched_bad(s, "expected a block and a buffer"));
    }
    good = good && sched_stage_begin(g, index) && find_top(r) && check(r) &&
           reindex(r, out);
    *nout = good;
    dc_release(r);
    return good;
}

extern const struct schedule_primitive primitive_reindex;
const struct schedule_primitive primitive_reindex = {
    .name = "reindex",
    .arguments = "block, buffer",
    .source = "cache_read_write.cc",
    .apply = apply,
};
