/* SPDX-License-Identifier: Apache-2.0
 *
 * transform_block_layout: a block gets other iterators, to which an index map
 * takes those that it had, and new serial loops over them.
 *
 * Legal where each loop around the block in its scope is bound to one iterator,
 * in their order, and holds nothing else, domains begin at 0, the map is one to
 * one without padding, and no new iterator is made of spatial ones and ones of
 * a reduction together (s_tir/schedule/primitive/layout_transformation.cc).
 * Stricter than TVM: loops have to reach over the domains, since the new ones
 * do; where points change their order it must not matter, as for reorder. A
 * guard is rewritten in terms of the new loops: TVM leaves it as it was, with
 * the loops gone.
 */
#include "schedule/schedule_private.h"

struct change {
    struct schedule *s;
    struct sched_path path;
    size_t top; /* the outermost of its loops, or the block */
    struct sched_layout layout;
    enum ir_iter_type *types; /* of the new iterators */
};

/* ---- conditions ------------------------------------------------------------ */

static bool check_loops(struct change *c, const struct ir_block *b)
{
    struct schedule *s = c->s;
    size_t scope = sched_path_scope(&c->path), loops = 0;
    for (size_t i = scope + 1; i + 1 < c->path.n; i++)
        loops += c->path.nodes[i]->kind == IR_FOR;
    c->top = c->path.n - 1;
    while (c->top > scope + 1 && c->path.nodes[c->top - 1]->kind == IR_FOR)
        c->top--;
    bool trivial = loops == b->niters && c->path.n - 1 - c->top == loops;
    for (size_t i = 0; i < b->niters && trivial; i++)
        trivial =
            b->iter_values[i]->kind == IR_VAR_REF &&
            b->iter_values[i]->u.var == c->path.nodes[c->top + i]->u.loop.var;
    return trivial ||
           sched_illegal(s,
                         "block '%s' is not bound to its loops one by one, or "
                         "they hold something else",
                         b->name);
}

static bool check_domains(struct change *c, const struct ir_block *b)
{
    struct schedule *s = c->s;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_stmt *loop = c->path.nodes[c->top + i];
        const char *name = loop->u.loop.var->name;
        if (!b->iters[i].has_dom || loop->u.loop.step ||
            !ir_is_const_int(b->iters[i].dom.min, 0))
            return sched_illegal(s, "the domain of '%s' does not begin at 0",
                                 b->iters[i].var->name);
        if (!sched_require(s, ir_is_const_int(loop->u.loop.min, 0),
                           "loop '%s' does not begin at 0", name) ||
            !sched_require(
                s,
                sched_proves(s, NULL,
                             ir_binary(s->m, IR_GE, loop->u.loop.extent,
                                       b->iters[i].dom.extent)),
                "loop '%s' does not reach over the domain of "
                "iterator '%s'",
                name, b->iters[i].var->name))
            return false;
    }
    return true;
}

/* That of the iterators which the new one is made of. */
static bool find_type(struct change *c, const struct ir_block *b, size_t k)
{
    const struct sched_layout *l = &c->layout;
    bool found = false;
    c->types[k] = IR_ITER_SPATIAL;
    if (ir_is_const_int(l->shape[k], 1))
        return true;
    for (size_t i = 0; i < l->nin; i++) {
        if (!ir_uses_var(l->out[k], l->in[i]))
            continue;
        if (found && c->types[k] != b->iters[i].type)
            return sched_illegal(c->s,
                                 "iterator %zu of block '%s' would be made of "
                                 "iterators of several kinds",
                                 k, b->name);
        c->types[k] = b->iters[i].type;
        found = true;
    }
    return l->ordered || c->types[k] == IR_ITER_SPATIAL ||
           c->types[k] == IR_ITER_REDUCE ||
           sched_illegal(c->s,
                         "iterator %zu of block '%s' would be neither spatial "
                         "nor a reduction's",
                         k, b->name);
}

static bool check_order(struct change *c, struct ir_stmt *block)
{
    struct schedule *s = c->s;
    const struct ir_block *b = block->u.block;
    bool reduces = false;
    if (c->layout.ordered)
        return true;
    for (size_t i = 0; i < b->niters; i++)
        reduces |= b->iters[i].type == IR_ITER_REDUCE &&
                   !ir_is_const_int(b->iters[i].dom.extent, 1);
    const char *why = sched_order_matters(s, block);
    return sched_require(s, !why,
                         "points of block '%s' would change their order: %s",
                         b->name, why ? why : "") &&
           sched_require(s, !reduces || sched_is_reducer(s, block),
                         "block '%s': its reduction is no known reducer",
                         b->name);
}

static bool check(struct change *c, const struct schedule_index_map *map)
{
    struct schedule *s = c->s;
    struct ir_stmt *block = sched_path_end(&c->path);
    const struct ir_block *b = block->u.block;
    if (c->path.n == 1)
        return sched_bad(s, "the root block has no iterators");
    if (!check_loops(c, b) || !check_domains(c, b))
        return false;
    struct ir_expr **extents =
        ARENA_ARRAY(s->m->arena, b->niters + 1, struct ir_expr *);
    for (size_t i = 0; i < b->niters; i++)
        extents[i] = b->iters[i].dom.extent;
    if (!sched_layout_make(s, map, b->niters, extents, &c->layout))
        return false;
    if (c->layout.padding)
        return sched_illegal(s,
                             "the index map is not one to one: block '%s' "
                             "would have more points",
                             b->name);
    c->types = ARENA_ARRAY(s->m->arena, c->layout.nout + 1, enum ir_iter_type);
    for (size_t k = 0; k < c->layout.nout; k++)
        if (!find_type(c, b, k))
            return false;
    return check_order(c, block);
}

/* ---- doing it -------------------------------------------------------------- */

/* e, which is in terms of the layout's outputs, over those. */
static struct ir_expr *over(struct change *c, struct ir_expr *e,
                            struct ir_expr *const *refs)
{
    struct sched_map map = {.s = c->s};
    for (size_t k = 0; k < c->layout.nout; k++)
        sched_map_add(&map, c->layout.at[k], refs[k]);
    return sched_map_expr(&map, e);
}

static bool change(struct change *c)
{
    struct schedule *s = c->s;
    const struct sched_layout *l = &c->layout;
    struct ir_stmt *block = sched_path_end(&c->path);
    struct ir_block *b = block->u.block;
    size_t n = l->nout;
    struct ir_var **loops = ARENA_ARRAY(s->m->arena, n + 1, struct ir_var *);
    struct ir_iter_var *iters =
        ARENA_ARRAY(s->m->arena, n + 1, struct ir_iter_var);
    struct ir_expr **refs = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    struct sched_env *env = dc_alloc(sizeof *env);
    struct sched_map map = {.s = s}, outer = {.s = s};
    for (size_t k = 0; k < n; k++) {
        loops[k] = sched_var(s, l->dtype, "ax%zu", k);
        iters[k] =
            sched_iter(s, sched_var(s, l->dtype, "v%zu", k), l->shape[k]);
        iters[k].type = c->types[k];
        refs[k] = ir_var_ref(s->m, iters[k].var);
        sched_env_add(env, iters[k].var, iters[k].dom.min, l->shape[k]);
        sched_env_add(env, loops[k], iters[k].dom.min, l->shape[k]);
    }
    struct ir_expr **values = sched_var_refs(s, n, loops);
    for (size_t i = 0; i < b->niters; i++) {
        sched_map_add(&map, b->iters[i].var, over(c, l->inverse[i], refs));
        sched_map_add(&outer, c->path.nodes[c->top + i]->u.loop.var,
                      over(c, l->inverse[i], values));
    }
    block = sched_map_block(&map, env, block);
    struct ir_block *made = block->u.block;
    made->niters = n;
    made->iters = iters;
    made->iter_values = values;
    made->predicate =
        sched_simplify(s, env, sched_map_expr(&outer, b->predicate));
    ir_stmt_seal(block);
    dc_release(env);
    return sched_commit(
        s, sched_replace_at(s, &c->path, c->top,
                            sched_nest(s, n, loops, l->shape, block)));
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    (void)out;
    *nout = 0;
    if (!sched_arg_kinds(s, nargs, args, "rm"))
        return false;
    struct change *c = dc_alloc(sizeof *c);
    c->s = s;
    bool good = sched_find_block(s, args[0].u.ref, &c->path) &&
                check(c, args[1].u.map) && change(c);
    dc_release(c);
    return good;
}

extern const struct schedule_primitive primitive_transform_block_layout;
const struct schedule_primitive primitive_transform_block_layout = {
    .name = "transform_block_layout",
    .arguments = "block, index map",
    .source = "layout_transformation.cc",
    .apply = apply,
};
