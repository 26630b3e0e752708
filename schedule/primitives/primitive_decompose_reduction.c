/* SPDX-License-Identifier: Apache-2.0
 *
 * decompose_reduction: the init of a reduction becomes a block of its own,
 * before a loop around the reduction.
 *
 * Legal for a reduction block, and a loop around it that no iterator of the
 * reduction depends on from above: then all of an element's terms are taken
 * below the loop. The new block runs through those loops from that loop inwards
 * that spatial iterators use. Conjuncts of the guard that use other loops are
 * left out, as in TVM (s_tir/schedule/primitive/reduction.cc); beyond it, one
 * that also uses a loop that stays is refused, since the init would then run
 * for elements which the reduction does not touch. A loop that nothing of the
 * block depends on would add all terms again, without an init in between. Other blocks below the loop
 * that touch what the reduction writes are refused too: the init would move
 * across them. Where the new block runs through loops of elements, its init
 * must touch what the update of the same element does, and elements must be
 * told apart, or one would be initialised after terms of another.
 */
#include "schedule/schedule_private.h"

struct decomposition {
    struct sched_path block, loop;
    struct ir_stmt *init;
    struct ir_expr *guard;
};

static bool is_iterator(const struct ir_block *b, size_t i,
                        enum ir_iter_type type)
{
    return b->iters[i].type == type;
}

static bool used_by(const struct ir_block *b, enum ir_iter_type type,
                    const struct ir_var *var)
{
    for (size_t i = 0; i < b->niters; i++)
        if (is_iterator(b, i, type) && ir_uses_var(b->iter_values[i], var))
            return true;
    return false;
}

/* A loop of the path that the init does not run through. */
static bool is_dropped(const struct decomposition *d,
                       const struct ir_stmt *loop, bool below)
{
    return below && loop->kind == IR_FOR &&
           !used_by(sched_path_end(&d->block)->u.block, IR_ITER_SPATIAL,
                    loop->u.loop.var);
}

/* Conjuncts without dropped loops; those with both kinds are refused. */
static bool keep_guard(struct schedule *s, struct decomposition *d,
                       struct ir_expr *e)
{
    bool dropped = false, kept = false, below = false;
    if (e->kind == IR_AND)
        return keep_guard(s, d, e->args[0]) && keep_guard(s, d, e->args[1]);
    for (size_t i = 0; i < d->block.n; i++) {
        const struct ir_stmt *node = d->block.nodes[i];
        below |= node == sched_path_end(&d->loop);
        if (node->kind != IR_FOR || !ir_uses_var(e, node->u.loop.var))
            continue;
        if (is_dropped(d, node, below))
            dropped = true;
        else
            kept = true;
    }
    if (!dropped)
        d->guard = sched_and(s, d->guard, e);
    return sched_require(s, !dropped || !kept,
                         "the guard ties loops of the reduction to others");
}

static bool check(struct schedule *s, struct decomposition *d)
{
    struct ir_stmt *block = sched_path_end(&d->block);
    struct ir_stmt *loop = sched_path_end(&d->loop);
    const struct ir_block *b = block->u.block;
    size_t scope = sched_path_scope(&d->block);
    bool above = false;
    for (size_t i = scope + 1; i < d->block.n; i++)
        above |= d->block.nodes[i] == loop;
    if (!above)
        return sched_illegal(s, "loop '%s' is not around block '%s'",
                             loop->u.loop.var->name, b->name);
    if (!b->init)
        return sched_illegal(s, "block '%s' has no init", b->name);
    const char *why = sched_not_reduction(s, d->block.nodes[scope], block);
    if (!sched_require(s, !why, "block '%s' is no reduction: %s", b->name,
                       why ? why : ""))
        return false;
    for (size_t i = scope + 1; i < d->block.n; i++) {
        const struct ir_stmt *outer = d->block.nodes[i];
        if (outer->kind == IR_FOR && outer->u.loop.kind == IR_FOR_THREAD &&
            !sched_require(s, !used_by(b, IR_ITER_REDUCE, outer->u.loop.var),
                           "loop '%s' of the reduction is bound to threads",
                           outer->u.loop.var->name))
            return false;
    }
    for (size_t i = d->loop.n - 1; i < d->block.n; i++)
        if (!sched_require(s, !sched_repeats(d->block.nodes[i], b),
                           "loop '%s' repeats the reduction",
                           d->block.nodes[i]->kind == IR_FOR
                               ? d->block.nodes[i]->u.loop.var->name
                               : ""))
            return false;
    for (size_t i = scope + 1; d->block.nodes[i] != loop; i++) {
        const struct ir_stmt *outer = d->block.nodes[i];
        if (outer->kind == IR_FOR &&
            !sched_require(s, !used_by(b, IR_ITER_REDUCE, outer->u.loop.var),
                           "loop '%s' of the reduction is above",
                           outer->u.loop.var->name))
            return false;
    }
    return true;
}

/* No block in front of it below the loop touches what the reduction writes,
 * or writes what the init reads. Blocks behind it see the same as before. */
static bool check_others(struct schedule *s, struct decomposition *d)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct ir_stmt *block = sched_path_end(&d->block);
    struct sched_touch mine, other, init;
    bool good = true;
    sched_touch(block, &mine);
    sched_touch(block->u.block->init, &init);
    (void)sched_children(sched_path_end(&d->loop), all);
    for (size_t i = 0; i < all->n && all->items[i] != block && good; i++) {
        bool clash = false;
        sched_touch(all->items[i], &other);
        for (size_t j = 0; j < mine.n; j++)
            clash |= (mine.items[j].how & SCHED_WRITE) &&
                     sched_touches(&other, mine.items[j].data);
        for (size_t j = 0; j < init.n; j++)
            clash |=
                (sched_touches(&other, init.items[j].data) & SCHED_WRITE) != 0;
        good = sched_require(s, !clash,
                             "block '%s' stands between the loop and the init",
                             all->items[i]->u.block->name);
    }
    dc_release(all);
    return good;
}

/* ---- elements that the init moves across ------------------------------------ */

/* Whether the init of one element moves across others: it then runs through a
 * loop of elements. */
static bool moves_elements(const struct decomposition *d)
{
    for (size_t i = d->loop.n - 1; i < d->block.n; i++) {
        const struct ir_stmt *loop = d->block.nodes[i];
        if (loop->kind == IR_FOR && !is_dropped(d, loop, true) &&
            !ir_is_const_int(loop->u.loop.extent, 1))
            return true;
    }
    return false;
}

/* What the block would touch with that body. */
static const struct ir_block *
touched(struct schedule *s, const struct ir_stmt *block, struct ir_stmt *body)
{
    struct ir_block *b = ir_stmt_copy(s->m->arena, block)->u.block;
    b->init = NULL;
    b->body = body;
    sched_claim(s, b);
    return b;
}

static bool same_region(const struct ir_region *a, const struct ir_region *b)
{
    bool same = a->buffer == b->buffer && a->nranges == b->nranges;
    for (size_t d = 0; d < a->nranges && same; d++)
        same = ir_expr_same(a->ranges[d].min, b->ranges[d].min) &&
               ir_expr_same(a->ranges[d].extent, b->ranges[d].extent);
    return same;
}

/* Whether each of n regions is one that the update writes, or, for what is
 * only read, shares nothing with those. */
static bool are_updated(size_t n, const struct ir_region *regions,
                        const struct ir_block *update, bool reads)
{
    for (size_t i = 0; i < n; i++) {
        bool same = false, shares = false;
        for (size_t j = 0; j < update->nwrites; j++) {
            same |= same_region(&regions[i], &update->writes[j]);
            shares |= regions[i].buffer->data == update->writes[j].buffer->data;
        }
        if (!same && (shares || !reads))
            return false;
    }
    return true;
}

/* Inits of other elements must not touch what this one's terms do, and nothing
 * behind the block may see the init of another iteration. */
static bool check_elements(struct schedule *s, const struct decomposition *d)
{
    struct ir_stmt *block = sched_path_end(&d->block);
    const struct ir_block *b = block->u.block;
    if (!moves_elements(d))
        return true;
    const struct ir_block *init = touched(s, block, b->init);
    const struct ir_block *update = touched(s, block, b->body);
    const char *why = sched_order_matters(s, block);
    struct sched_children *all = dc_alloc(sizeof *all);
    (void)sched_children(sched_path_end(&d->loop), all);
    size_t n = all->n;
    dc_release(all);
    return sched_require(
               s,
               are_updated(init->nwrites, init->writes, update, false) &&
                   are_updated(init->nreads, init->reads, update, true),
               "block '%s': its init touches other elements than its update",
               b->name) &&
           sched_require(s, !why, "block '%s': %s", b->name, why ? why : "") &&
           (n == 1 || sched_require_iterations_apart(s, &d->loop));
}

static struct ir_stmt *init_block(struct schedule *s, struct decomposition *d)
{
    const struct ir_block *old = sched_path_end(&d->block)->u.block;
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, sched_path_end(&d->block));
    struct ir_block *b = stmt->u.block;
    struct sched_map map = {.s = s};
    b->niters = 0;
    for (size_t i = 0; i < old->niters; i++) {
        if (!is_iterator(old, i, IR_ITER_SPATIAL))
            continue;
        struct ir_iter_var iter = old->iters[i];
        iter.var = sched_var(s, iter.var->dtype, "%s", iter.var->name);
        sched_map_add(&map, old->iters[i].var, ir_var_ref(s->m, iter.var));
        b->iters[b->niters] = iter;
        b->iter_values[b->niters++] = old->iter_values[i];
    }
    b->name = sched_text(s, "%s_init", old->name);
    b->predicate = d->guard;
    b->body = sched_map_stmt(&map, old->init);
    b->init = NULL;
    b->nallocs = b->nmatches = 0;
    sched_claim(s, b);
    ir_stmt_seal(stmt);
    return stmt;
}

static struct ir_stmt *init_nest(struct schedule *s, struct decomposition *d)
{
    struct ir_stmt *stmt = d->init;
    struct sched_map map = {.s = s};
    for (size_t i = d->block.n; i-- > 0;) {
        const struct ir_stmt *old = d->block.nodes[i];
        if (old->kind == IR_FOR && !is_dropped(d, old, true)) {
            struct ir_var *var = sched_var(s, old->u.loop.var->dtype, "%s_init",
                                           old->u.loop.var->name);
            stmt = sched_with_body(s, old, stmt);
            stmt->u.loop.var = var;
            if (old->u.loop.thread) {
                stmt->u.loop.thread =
                    arena_memdup(s->m->arena, old->u.loop.thread,
                                 sizeof *old->u.loop.thread);
                stmt->u.loop.thread->var =
                    sched_var(s, old->u.loop.thread->var->dtype, "%s",
                              old->u.loop.thread->var->name);
            }
            sched_map_add(&map, old->u.loop.var, ir_var_ref(s->m, var));
        }
        if (old == sched_path_end(&d->loop))
            break;
    }
    return sched_map_stmt(&map, stmt);
}

static struct ir_stmt *update_block(struct schedule *s,
                                    const struct decomposition *d)
{
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, sched_path_end(&d->block));
    struct ir_block *b = stmt->u.block;
    b->name = sched_text(s, "%s_update", b->name);
    b->init = NULL;
    sched_claim(s, b);
    ir_stmt_seal(stmt);
    return stmt;
}

bool schedule_decompose_reduction(struct schedule *s, schedule_ref block,
                                  schedule_ref loop, schedule_ref *out)
{
    struct decomposition *d = dc_alloc(sizeof *d);
    sched_begin(s);
    d->guard = sched_true(s);
    bool good = sched_find_block(s, block, &d->block) &&
                sched_find_loop(s, loop, &d->loop) && check(s, d) &&
                check_others(s, d) && check_elements(s, d) &&
                keep_guard(s, d, sched_path_end(&d->block)->u.block->predicate);
    if (good) {
        const char *old = sched_path_end(&d->block)->u.block->name;
        d->init = init_block(s, d);
        struct ir_stmt *update = update_block(s, d);
        struct ir_stmt *nest =
            sched_replace_below(s, &d->block, d->loop.n - 1, update);
        nest = sched_seq(s, init_nest(s, d), nest);
        good = sched_commit(s, sched_replace(s, &d->loop, nest));
        if (good) {
            *out = sched_ref_block(s, d->init->u.block);
            sched_rename(s, old, update->u.block->name);
        }
    }
    dc_release(d);
    return good;
}

/* decompose_reduction(block, loop) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    if (!sched_arg_kinds(s, nargs, args, "rr") ||
        !schedule_decompose_reduction(s, args[0].u.ref, args[1].u.ref, out))
        return false;
    *nout = 1;
    return true;
}

extern const struct schedule_primitive primitive_decompose_reduction;
const struct schedule_primitive primitive_decompose_reduction = {
    .name = "decompose_reduction",
    .arguments = "block, loop",
    .source = "reduction.cc",
    .apply = apply,
};
