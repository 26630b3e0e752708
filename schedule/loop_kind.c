/* SPDX-License-Identifier: Apache-2.0
 *
 * Changing how the iterations of a loop run: parallel, vectorised, on threads,
 * unrolled. What the first three promise is that iterations do not depend on
 * each other (docs/semantics.md, rules 4 to 6).
 *
 * TVM (s_tir/schedule/primitive/for_kind.cc) asks that the blocks below be
 * complete or reductions among themselves, and that the loop be bound to
 * spatial iterators only, or, for a loop on threadIdx, to those of a reduction.
 * Checked beyond it: that spatial iterators do tell stores apart, that blocks
 * read of each other only what their own iteration wrote, that a reduction
 * which does not depend on the loop at all is not repeated by each iteration,
 * and that a reduction across threads is one from the unit of a known reducer.
 * Serial loops of it may stand around the bound ones and between them.
 */
#include "schedule/schedule_private.h"

#include <string.h>

static bool across_threads(const char *tag)
{
    return tag && !strncmp(tag, "threadIdx.", 10);
}

/* Which of the block's iterators the variable reaches: bits 1 << type. */
static unsigned reached(const struct ir_block *b, const struct ir_var *var)
{
    unsigned types = 0;
    for (size_t i = 0; i < b->niters; i++)
        if (ir_uses_var(b->iter_values[i], var))
            types |= 1u << b->iters[i].type;
    return types;
}

/* A loop, and what it is to be. */
struct change {
    struct ir_stmt *loop;
    enum ir_for_kind kind;
    const char *tag;
};

struct stores {
    struct schedule *s;
    const struct ir_stmt *loop;
    bool all; /* of them are such */
};

/* Every buffer that is stored to belongs to the function, and is accessed below
 * the loop alone: each iteration has one of its own (rule 4). */
static bool see_private(void *user, struct ir_stmt *stmt)
{
    struct stores *x = user;
    struct sched_path path, site;
    if (stmt->kind != IR_STORE)
        return true;
    const struct ir_buffer *buffer = stmt->u.store.buffer;
    bool own = false;
    if (sched_find_stmt(x->s, x->loop, &path))
        for (site = path; site.n > 0 && !own; site.n--)
            own = sched_path_end(&site)->kind == IR_BLOCK &&
                  sched_is_own(sched_path_end(&site), buffer);
    x->all &=
        own && !sched_accesses_outside(x->s->func->prim.body, x->loop, buffer);
    return true;
}

/* … is in storage of which each of the loop's threads has a copy. */
static bool see_copies(void *user, struct ir_stmt *stmt)
{
    struct stores *x = user;
    const char *tag = x->loop->u.loop.thread->thread_tag;
    if (stmt->kind != IR_STORE)
        return true;
    const char *scope = stmt->u.store.buffer->scope;
    x->all &= !strcmp(scope, "local") ||
              (!strncmp(scope, "shared", 6) && !strncmp(tag, "blockIdx.", 9));
    return true;
}

/* … is shared by the threads of a block, which wait for each other before they
 * read what others wrote (rule 3). */
static bool see_common(void *user, struct ir_stmt *stmt)
{
    struct stores *x = user;
    if (stmt->kind == IR_STORE)
        x->all &= !strncmp(stmt->u.store.buffer->scope, "shared", 6);
    return true;
}

static bool stores_are(struct schedule *s, const struct ir_stmt *loop,
                       const struct ir_stmt *block,
                       bool (*see)(void *user, struct ir_stmt *stmt))
{
    struct stores x = {s, loop, true};
    struct ir_visitor visitor = {see, NULL, &x};
    ir_visit_stmt(&visitor, block);
    return x.all;
}

static bool is_sync(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL &&
           (ir_op_info(e->u.call.op)->flags & IR_OPF_SYNC);
}

/* A block that several threads may run for one element: all of them store the
 * same, and none reads it before they all have. */
static bool is_common(struct schedule *s, const struct ir_stmt *block)
{
    return !block->u.block->init && stores_are(s, NULL, block, see_common) &&
           !ir_stmt_any(s->func->prim.body, NULL, is_sync, NULL);
}

/* The iterations have nothing that the block writes in common. */
static bool is_private(struct schedule *s, const struct ir_stmt *loop,
                       enum ir_for_kind kind, const struct ir_stmt *block)
{
    if (kind == IR_FOR_PARALLEL)
        return stores_are(s, loop, block, see_private);
    return kind == IR_FOR_THREAD && loop->u.loop.kind == IR_FOR_THREAD &&
           stores_are(s, loop, block, see_copies);
}

/* Whether an element that the block writes is written in several iterations
 * of its parallel loops, of which there are more than one (`loop` counts as
 * one): then a reader may read what another thread wrote. */
static bool sched_is_shared(struct schedule *s, const struct change *c,
                            const struct ir_stmt *block)
{
    struct sched_path path;
    size_t n = 0, from = 0;
    bool repeats = false, threads = true;
    if (!sched_find_stmt(s, block, &path))
        return false;
    for (size_t i = 0; i + 1 < path.n; i++) {
        const struct ir_stmt *node = path.nodes[i];
        if (node->kind != IR_FOR)
            continue;
        enum ir_for_kind kind = node == c->loop ? c->kind : node->u.loop.kind;
        if (kind == IR_FOR_SERIAL || kind == IR_FOR_UNROLLED)
            continue;
        if (n == 0 && is_private(s, node, kind, block)) {
            from = i;
            continue;
        }
        n++;
        /* One that starts anew in each of them stores more than one value. */
        if (block->u.block->init && !sched_repeats(node, block->u.block) &&
            !sched_reaches(block->u.block, IR_ITER_REDUCE, node->u.loop.var) &&
            !sched_tells_loop(s, &path, node))
            return true;
        threads &= kind != IR_FOR_PARALLEL;
        repeats |= sched_repeats(node, block->u.block);
    }
    return n > 1 && (repeats || !sched_is_affine_from(s, &path, from)) &&
           !(threads && is_common(s, block));
}

/* Whether a condition hangs on what is reduced over and on which element it is:
 * where it is false for all terms of an element nothing was stored there, while
 * threads store what they combine. */
static bool ties_terms(const struct ir_stmt *block,
                       const struct sched_path *path, const struct ir_expr *e)
{
    const struct ir_block *b = block->u.block;
    bool terms = false, elements = false;
    if (e->kind == IR_AND)
        return ties_terms(block, path, e->args[0]) ||
               ties_terms(block, path, e->args[1]);
    for (size_t i = 0; i + 1 < path->n; i++) {
        const struct ir_stmt *loop = path->nodes[i];
        if (loop->kind != IR_FOR || !ir_uses_var(e, loop->u.loop.var))
            continue;
        terms |= sched_reaches(b, IR_ITER_REDUCE, loop->u.loop.var);
        elements |= sched_reaches(b, IR_ITER_SPATIAL, loop->u.loop.var);
    }
    return terms && elements;
}

/* A reduction across threads. */
static bool check_terms(struct schedule *s, struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    struct sched_path path;
    if (!sched_find_stmt(s, block, &path))
        return sched_bad(s, "block '%s' is not there", b->name);
    return sched_require(s, sched_starts_from_unit(s, block),
                         "block '%s': it is no known reducer from its unit",
                         b->name) &&
           sched_require(s, !ties_terms(block, &path, b->predicate),
                         "block '%s': its guard ties terms to elements",
                         b->name);
}

static bool check_block(struct schedule *s, const struct change *c,
                        struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    const struct ir_stmt *loop = c->loop;
    const char *name = loop->u.loop.var->name;
    unsigned types = reached(b, loop->u.loop.var);
    unsigned allowed = 1u << IR_ITER_SPATIAL;
    if (across_threads(c->tag))
        allowed |= 1u << IR_ITER_REDUCE;
    const char *why = sched_order_matters(s, block);
    return sched_require(s, (types & ~allowed) == 0,
                         "block '%s': loop '%s' is bound to an iterator that "
                         "is not spatial",
                         b->name, name) &&
           sched_require(s, !why, "block '%s': %s", b->name, why ? why : "") &&
           sched_require(s, !sched_is_shared(s, c, block),
                         "block '%s': several iterations write one element, "
                         "each by other threads",
                         b->name) &&
           sched_require(
               s, !b->init || types || ir_is_const_int(loop->u.loop.extent, 1),
               "block '%s': each iteration of loop '%s' would repeat "
               "the reduction",
               b->name, name) &&
           (!(types & 1u << IR_ITER_REDUCE) || check_terms(s, block));
}

static bool check(struct schedule *s, const struct sched_path *path,
                  enum ir_for_kind kind, const char *tag)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct change c = {sched_path_end(path), kind, tag};
    bool good = sched_require_compact(s, c.loop);
    (void)sched_children(c.loop, all);
    for (size_t i = 0; i < all->n && good; i++)
        good = check_block(s, &c, all->items[i]);
    dc_release(all);
    return good && sched_require_iterations_apart(s, path);
}

static bool is_bound(const void *tag, const struct ir_stmt *stmt)
{
    return stmt->kind == IR_FOR && stmt->u.loop.kind == IR_FOR_THREAD &&
           !strcmp(stmt->u.loop.thread->thread_tag, tag);
}

/* All threads of the axis run the blocks below for the same elements, so that
 * they may as well share them out. */
static bool is_shared_out(struct schedule *s, const struct ir_stmt *outer,
                          struct ir_stmt *loop)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    bool good = sched_children(loop, all);
    for (size_t i = 0; i < all->n && good; i++) {
        const struct ir_block *b = all->items[i]->u.block;
        good = is_common(s, all->items[i]) && !reached(b, outer->u.loop.var) &&
               !ir_uses_var(b->predicate, outer->u.loop.var);
    }
    dc_release(all);
    return good;
}

/* All loops bound to one axis are one index (rule 2): a second in the nest
 * would run for none but its own iteration, which is wrong unless the blocks
 * below fill what all threads of the axis share. */
static bool check_axis(struct schedule *s, const struct sched_path *path,
                       const char *tag)
{
    struct ir_stmt *loop = sched_path_end(path);
    bool found = ir_stmt_any(loop->u.loop.body, is_bound, NULL, tag);
    for (size_t i = 0; i + 1 < path->n; i++)
        found |=
            is_bound(tag, path->nodes[i]) &&
            !(across_threads(tag) && is_shared_out(s, path->nodes[i], loop));
    return sched_require(
        s, !found, "a loop around or below is bound to '%s' already", tag);
}

static bool is_tag(const char *tag)
{
    static const char *const tags[] = {
        "blockIdx.x",  "blockIdx.y", "blockIdx.z", "threadIdx.x", "threadIdx.y",
        "threadIdx.z", "vthread",    "vthread.x",  "vthread.y",   "vthread.z"};
    for (size_t i = 0; i < DC_ARRAY_LEN(tags); i++)
        if (!strcmp(tag, tags[i]))
            return true;
    return false;
}

bool sched_set_kind(struct schedule *s, schedule_ref ref, enum ir_for_kind kind,
                    const char *tag)
{
    struct sched_path path;
    sched_begin(s);
    if (tag && !is_tag(tag))
        return sched_bad(s, "no thread axis is called '%s'", tag);
    if (!sched_find_loop(s, ref, &path) ||
        (kind != IR_FOR_UNROLLED && !check(s, &path, kind, tag)) ||
        (tag && !check_axis(s, &path, tag)))
        return false;
    const struct ir_stmt *old = sched_path_end(&path);
    struct ir_stmt *loop = sched_with_body(s, old, old->u.loop.body);
    loop->u.loop.kind = kind;
    loop->u.loop.thread = NULL;
    if (tag) {
        struct ir_iter_var *iter = ARENA_NEW(s->m->arena, struct ir_iter_var);
        iter->var = sched_var(s, old->u.loop.var->dtype, "%s", tag);
        iter->type = IR_ITER_THREAD;
        iter->thread_tag = sched_text(s, "%s", tag);
        loop->u.loop.thread = iter;
    }
    ir_stmt_seal(loop);
    return sched_commit(s, sched_replace(s, &path, loop));
}
