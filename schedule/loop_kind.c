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

/* Whether an element that the block writes is written in several iterations
 * of its parallel loops, of which there are more than one (`loop` counts as
 * one): then a reader may read what another thread wrote. */
static bool sched_is_shared(struct schedule *s, const struct ir_stmt *loop,
                            const struct ir_stmt *block)
{
    struct sched_path path;
    size_t n = 0;
    bool repeats = false;
    if (!sched_find_stmt(s, block, &path))
        return false;
    for (size_t i = 0; i + 1 < path.n; i++) {
        const struct ir_stmt *node = path.nodes[i];
        if (node->kind != IR_FOR ||
            (node != loop && (node->u.loop.kind == IR_FOR_SERIAL ||
                              node->u.loop.kind == IR_FOR_UNROLLED)))
            continue;
        n++;
        repeats |= sched_repeats(node, block->u.block);
    }
    return n > 1 && (repeats || !sched_is_affine(s, &path));
}

static bool check_block(struct schedule *s, const struct ir_stmt *loop,
                        struct ir_stmt *block, const char *tag)
{
    const struct ir_block *b = block->u.block;
    const char *name = loop->u.loop.var->name;
    unsigned types = reached(b, loop->u.loop.var);
    unsigned allowed = 1u << IR_ITER_SPATIAL;
    if (across_threads(tag))
        allowed |= 1u << IR_ITER_REDUCE;
    const char *why = sched_order_matters(block);
    return sched_require(s, (types & ~allowed) == 0,
                         "block '%s': loop '%s' is bound to an iterator that "
                         "is not spatial",
                         b->name, name) &&
           sched_require(s, !why, "block '%s': %s", b->name, why ? why : "") &&
           sched_require(s, !sched_is_shared(s, loop, block),
                         "block '%s': several iterations write one element, "
                         "each by other threads",
                         b->name) &&
           sched_require(s, !b->init || types,
                         "block '%s': each iteration of loop '%s' would repeat "
                         "the reduction",
                         b->name, name) &&
           sched_require(s,
                         !(types & 1u << IR_ITER_REDUCE) ||
                             sched_starts_from_unit(s, block),
                         "block '%s': it is no known reducer from its unit",
                         b->name);
}

static bool check(struct schedule *s, const struct sched_path *path,
                  const char *tag)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    struct ir_stmt *loop = sched_path_end(path);
    bool good = sched_require_compact(s, loop);
    (void)sched_children(loop, all);
    for (size_t i = 0; i < all->n && good; i++)
        good = check_block(s, loop, all->items[i], tag);
    dc_release(all);
    return good && sched_require_iterations_apart(s, path);
}

static bool is_bound(const void *tag, const struct ir_stmt *stmt)
{
    return stmt->kind == IR_FOR && stmt->u.loop.kind == IR_FOR_THREAD &&
           !strcmp(stmt->u.loop.thread->thread_tag, tag);
}

/* All loops bound to one axis are one index (rule 2): a second in the nest
 * would run for none but its own iteration. */
static bool check_axis(struct schedule *s, const struct sched_path *path,
                       const char *tag)
{
    bool found =
        ir_stmt_any(sched_path_end(path)->u.loop.body, is_bound, NULL, tag);
    for (size_t i = 0; i + 1 < path->n; i++)
        found |= is_bound(tag, path->nodes[i]);
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
        (kind != IR_FOR_UNROLLED && !check(s, &path, tag)) ||
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
