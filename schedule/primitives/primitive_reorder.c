/* SPDX-License-Identifier: Apache-2.0
 *
 * reorder: loops of one chain take each other's places.
 *
 * Legal where every block below has spatial and reduction iterators only, with
 * bindings that are affine, or take no point twice while the loops further out
 * stand still, and no loop's range depends on one that then lies within it. Beyond what TVM asks for (s_tir/schedule/primitive/
 * loop_transformation.cc), which trusts the declared kinds of iterators: a
 * block may not read what other points of it write, its spatial iterators
 * must tell its stores apart, and where loops of a reduction change their
 * order, the update must be a known commutative one, not across threads, and
 * the term that runs the init must stay the first: no loop may carry both
 * elements and terms, or run a reduction again.
 */
#include "schedule/schedule_private.h"

struct chain {
    size_t n;
    struct ir_stmt *old[SCHED_MAX_PATH], *now[SCHED_MAX_PATH];
    struct sched_path path; /* to the outermost */
};

static size_t count_given(struct schedule *s, const struct ir_stmt *stmt,
                          size_t n, const schedule_ref *refs)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        if (stmt->kind == IR_FOR && s->names[refs[i]].loop == stmt->u.loop.var)
            count++;
    return count;
}

/* The chain from the outermost to the innermost given loop. */
static bool find_chain(struct schedule *s, size_t n, const schedule_ref *refs,
                       struct chain *c)
{
    struct sched_path path, deepest;
    deepest.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (!sched_find_loop(s, refs[i], &path))
            return false;
        for (size_t j = 0; j < i; j++)
            if (s->names[refs[i]].loop == s->names[refs[j]].loop)
                return sched_bad(s, "loop '%s' is given twice",
                                 s->names[refs[i]].loop->name);
        if (path.n > deepest.n)
            deepest = path;
    }
    size_t top = deepest.n, found = 0;
    while (top > 0 && found < n && deepest.nodes[top - 1]->kind == IR_FOR)
        found += count_given(s, deepest.nodes[--top], n, refs);
    if (found < n)
        return sched_illegal(s, "the loops are not one chain of loops, each "
                                "the only statement of the one before");
    c->path = deepest;
    c->path.n = top + 1;
    c->n = 0;
    for (size_t i = top; i < deepest.n; i++)
        c->old[c->n++] = deepest.nodes[i];
    return true;
}

static bool place(struct schedule *s, size_t n, const schedule_ref *refs,
                  struct chain *c)
{
    size_t next = 0;
    for (size_t i = 0; i < c->n; i++) {
        c->now[i] = c->old[i];
        if (count_given(s, c->old[i], n, refs) == 0)
            continue;
        for (size_t j = 0; j < c->n; j++)
            if (c->old[j]->u.loop.var == s->names[refs[next]].loop)
                c->now[i] = c->old[j];
        next++;
    }
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = i + 1; j < c->n; j++) {
            const struct ir_var *var = c->now[j]->u.loop.var;
            if (ir_uses_var(c->now[i]->u.loop.min, var) ||
                ir_uses_var(c->now[i]->u.loop.extent, var))
                return sched_illegal(
                    s, "the range of loop '%s' depends on loop '%s'",
                    c->now[i]->u.loop.var->name, var->name);
        }
    return true;
}

/* Loops that give an element its terms, or all of them again. */
static bool is_terms_loop(const struct ir_block *b, const struct ir_stmt *loop)
{
    return sched_reaches(b, IR_ITER_REDUCE, loop->u.loop.var) ||
           sched_repeats(loop, b);
}

/* Whether the loops of the block's reduction follow each other as before. */
static bool keeps_order(const struct ir_block *b, const struct chain *c)
{
    size_t at = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (!is_terms_loop(b, c->old[i]))
            continue;
        while (at < c->n && !is_terms_loop(b, c->now[at]))
            at++;
        if (c->now[at++] != c->old[i])
            return false;
    }
    return true;
}

/* A loop that both an element and its terms depend on: if such loops change
 * places, another term may come before the one that runs the init. */
static bool has_mixed_loop(const struct ir_block *b, const struct chain *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (sched_reaches(b, IR_ITER_REDUCE, c->old[i]->u.loop.var) &&
            sched_reaches(b, IR_ITER_SPATIAL, c->old[i]->u.loop.var))
            return true;
    return false;
}

static bool has_terms(const struct ir_block *b)
{
    bool any = b->init != NULL;
    for (size_t i = 0; i < b->niters; i++)
        any |= b->iters[i].type == IR_ITER_REDUCE;
    return any;
}

static bool has_repeat(const struct ir_block *b, const struct chain *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (sched_repeats(c->old[i], b))
            return true;
    return false;
}

static bool check_terms(struct schedule *s, struct ir_stmt *block,
                        const struct sched_path *path, const struct chain *c)
{
    const struct ir_block *b = block->u.block;
    if (keeps_order(b, c) || !has_terms(b))
        return true;
    return sched_require(s, !has_repeat(b, c),
                         "block '%s': a loop repeats the reduction", b->name) &&
           sched_require(s, sched_is_reducer(s, block),
                         "block '%s': its update is no known reducer",
                         b->name) &&
           sched_require(s, !b->init || !has_mixed_loop(b, c),
                         "block '%s': another term may come before the init",
                         b->name) &&
           sched_require(s, !sched_is_cross_thread(path),
                         "block '%s': its reduction is bound to threads",
                         b->name);
}

/* Whether no point comes twice while the loops above the chain stand still:
 * those are taken for iterators of the block, too. */
static bool runs_once_below(struct schedule *s, const struct sched_path *path,
                            const struct chain *c)
{
    struct sched_path with = *path;
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, sched_path_end(path));
    struct ir_block *b = stmt->u.block;
    const size_t room = b->niters + path->n;
    struct ir_iter_var *iters =
        ARENA_ARRAY(s->m->arena, room, struct ir_iter_var);
    struct ir_expr **values = ARENA_ARRAY(s->m->arena, room, struct ir_expr *);
    for (size_t i = 0; i < b->niters; i++) {
        iters[i] = b->iters[i];
        values[i] = b->iter_values[i];
    }
    for (size_t i = sched_path_scope(path) + 1; path->nodes[i] != c->old[0];
         i++) {
        const struct ir_stmt *loop = path->nodes[i];
        if (loop->kind != IR_FOR)
            continue;
        iters[b->niters] =
            (struct ir_iter_var){.var = loop->u.loop.var,
                                 .dom = {loop->u.loop.min, loop->u.loop.extent},
                                 .has_dom = true,
                                 .type = IR_ITER_SPATIAL};
        values[b->niters++] = ir_var_ref(s->m, loop->u.loop.var);
    }
    b->iters = iters;
    b->iter_values = values;
    with.nodes[with.n - 1] = stmt;
    return sched_runs_once(&with);
}

static bool check_block(struct schedule *s, struct ir_stmt *block,
                        const struct chain *c)
{
    const struct ir_block *b = block->u.block;
    struct sched_path path;
    for (size_t i = 0; i < b->niters; i++)
        if (!sched_require(s,
                           b->iters[i].type == IR_ITER_SPATIAL ||
                               b->iters[i].type == IR_ITER_REDUCE,
                           "block '%s': iterator '%s' is neither spatial nor a "
                           "reduction's",
                           b->name, b->iters[i].var->name))
            return false;
    if (!sched_find_stmt(s, block, &path))
        return sched_bad(s, "block '%s' is not there", b->name);
    const char *why = sched_order_matters(s, block);
    return sched_require(
               s, sched_is_affine(s, &path) || runs_once_below(s, &path, c),
               "block '%s': its bindings are not affine", b->name) &&
           sched_require(s, !why, "block '%s': %s", b->name, why ? why : "") &&
           check_terms(s, block, &path, c);
}

static bool check(struct schedule *s, const struct chain *c)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    bool good = sched_require(s, sched_children(c->old[c->n - 1], all),
                              "a statement below stands in no block");
    for (size_t i = 0; i < all->n && good; i++)
        good = check_block(s, all->items[i], c);
    if (good && all->n > 1) {
        struct sched_path inner;
        good = sched_find_stmt(s, c->old[c->n - 1], &inner) &&
               sched_require_iterations_apart(s, &inner);
    }
    dc_release(all);
    return good;
}

bool schedule_reorder(struct schedule *s, size_t n, const schedule_ref *refs)
{
    struct chain *c;
    sched_begin(s);
    if (n > SCHEDULE_MAX_LOOPS)
        return sched_bad(s, "more than %u loops", SCHEDULE_MAX_LOOPS);
    if (n <= 1) {
        struct sched_path path;
        return n == 0 || sched_find_loop(s, refs[0], &path);
    }
    c = dc_alloc(sizeof *c);
    bool good =
        find_chain(s, n, refs, c) && place(s, n, refs, c) && check(s, c);
    if (good) {
        struct ir_stmt *body = c->old[c->n - 1]->u.loop.body;
        for (size_t i = c->n; i-- > 0;)
            body = sched_with_body(s, c->now[i], body);
        good = sched_commit(s, sched_replace(s, &c->path, body));
    }
    dc_release(c);
    return good;
}

/* reorder(loop, …) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    schedule_ref loops[SCHEDULE_MAX_LOOPS];
    (void)nout;
    (void)out;
    return sched_arg_refs(s, nargs, args, loops) &&
           schedule_reorder(s, nargs, loops);
}

extern const struct schedule_primitive primitive_reorder;
const struct schedule_primitive primitive_reorder = {
    .name = "reorder",
    .arguments = "loop, ...",
    .source = "loop_transformation.cc",
    .apply = apply,
};
