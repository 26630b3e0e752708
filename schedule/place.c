/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving a block below a loop: new loops for the part of its domain that one
 * iteration needs. Shared by compute_at and reverse_compute_at.
 *
 * An iterator of the block then runs from a minimum that depends on the loops
 * outside, over an extent, one new loop an iterator in their order, none for
 * an extent of 1. Where the part may reach beyond the domain, the block is
 * guarded; so boxes may be too large, never too small. The way of TVM
 * (s_tir/schedule/primitive/compute_at.cc) for blocks whose indices are their
 * iterators.
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- which part ------------------------------------------------------------ */

struct accesses {
    const struct ir_buffer *buffer;
    struct ir_expr *const *indices;
    size_t n;
    bool same;
};

static void see_access(struct accesses *a, size_t n,
                       struct ir_expr *const *indices)
{
    if (a->indices)
        for (size_t i = 0; i < n; i++)
            a->same &= n == a->n && ir_expr_same(indices[i], a->indices[i]);
    a->indices = indices;
    a->n = n;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct accesses *a = user;
    if (e->kind == IR_LOAD && e->u.buffer == a->buffer)
        see_access(a, e->nargs, e->args);
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *stmt)
{
    struct accesses *a = user;
    if (stmt->kind == IR_STORE && stmt->u.store.buffer == a->buffer)
        see_access(a, stmt->u.store.nindices, stmt->u.store.indices);
    return true;
}

struct ir_expr *const *sched_indices_of(struct ir_stmt *block,
                                        const struct ir_buffer *buffer,
                                        size_t *n)
{
    struct accesses a = {buffer, NULL, 0, true};
    struct ir_visitor visitor = {see_stmt, see_expr, &a};
    ir_visit_stmt(&visitor, block->u.block->body);
    *n = a.n;
    return a.same ? a.indices : NULL;
}

/* ---- the nest -------------------------------------------------------------- */

static void guard(struct schedule *s, const struct sched_env *env,
                  const struct ir_iter_var *iter, const struct ir_range *r,
                  struct ir_expr *value, struct ir_block *b)
{
    struct ir_expr *first = iter->dom.min;
    struct ir_expr *end = sched_op(s, IR_ADD, first, iter->dom.extent);
    struct ir_expr *last = sched_op(s, IR_ADD, r->min, r->extent);
    if (!sched_proves(s, env, ir_binary(s->m, IR_GE, r->min, first)))
        b->predicate =
            sched_and(s, b->predicate, ir_binary(s->m, IR_GE, value, first));
    if (!sched_proves(s, env, ir_binary(s->m, IR_LE, last, end)))
        b->predicate =
            sched_and(s, b->predicate, ir_binary(s->m, IR_LT, value, end));
}

/* The block in new loops over that part, guarded where it may leave its
 * domain. */
static struct ir_stmt *regenerate(struct schedule *s,
                                  const struct sched_env *env,
                                  const struct ir_stmt *block,
                                  const struct sched_part *part,
                                  bool keep_units)
{
    size_t count = 0;
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, block);
    struct ir_block *b = stmt->u.block;
    struct ir_var *vars[SCHED_MAX_PATH] = {NULL};
    b->predicate = sched_true(s);
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_range *r = &part->ranges[i];
        struct ir_expr *value = r->min;
        if (keep_units || !ir_is_const_int(r->extent, 1)) {
            vars[i] = sched_var(s, b->iters[i].var->dtype, "ax%zu", count++);
            value = sched_op(s, IR_ADD, value, ir_var_ref(s->m, vars[i]));
        }
        b->iter_values[i] = value;
        guard(s, env, &b->iters[i], r, value, b);
    }
    ir_stmt_seal(stmt);
    for (size_t i = b->niters; i-- > 0;)
        if (vars[i])
            stmt = sched_loop_make(s, vars[i], part->ranges[i].extent, stmt);
    return stmt;
}

/* ---- what holds for both directions ---------------------------------------- */

/* A point of a reduction may be taken in ascending order only if that is how
 * it was, or its terms commute. */
static bool check_terms(struct schedule *s, schedule_ref ref,
                        const struct ir_stmt *block)
{
    return !block->u.block->init || sched_is_reducer(s, block) ||
           schedule_keeps_terms(s, ref, 5);
}

bool sched_move_check(struct schedule *s, schedule_ref block, schedule_ref loop,
                      struct sched_move *m)
{
    if (!sched_find_block(s, block, &m->block) ||
        !sched_find_loop(s, loop, &m->loop))
        return false;
    struct ir_stmt *stmt = sched_path_end(&m->block);
    const struct ir_block *b = stmt->u.block;
    if (m->block.n == 1)
        return sched_bad(s, "the root block stays where it is");
    m->scope = m->block.nodes[sched_path_scope(&m->block)];
    if (m->loop.nodes[sched_path_scope(&m->loop)] != m->scope)
        return sched_illegal(s, "the block and the loop are in two scopes");
    for (size_t i = 0; i < m->block.n; i++)
        if (m->block.nodes[i] == sched_path_end(&m->loop))
            return sched_illegal(s, "the loop is around the block already");
    if (b->niters >= SCHED_MAX_PATH)
        return sched_unsupported(s, "block '%s' has too many iterators",
                                 b->name);
    for (size_t i = 0; i < b->niters; i++)
        if (!b->iters[i].has_dom || !ir_is_const_int(b->iters[i].dom.min, 0))
            return sched_unsupported(s, "block '%s' has a domain not from 0",
                                     b->name);
    const char *x = sched_not_complete(s, m->scope, stmt);
    const char *y = x ? sched_not_reduction(s, m->scope, stmt) : NULL;
    const char *why = sched_order_matters(s, stmt);
    return sched_require(s, !x || !y,
                         "block '%s' is neither complete (%s) nor a reduction "
                         "(%s)",
                         b->name, x ? x : "", y ? y : "") &&
           sched_require(s, !why, "block '%s': %s", b->name, why ? why : "") &&
           sched_require(s, sched_runs_everywhere(s, &m->block),
                         "block '%s' may not run for every element", b->name) &&
           sched_require(s, !sched_is_cross_thread(&m->block),
                         "block '%s': its reduction is bound to threads",
                         b->name) &&
           sched_require(s, check_terms(s, block, stmt),
                         "block '%s': its update is no known reducer", b->name);
}

/* The block is only one of several iterations' that run at the same time: a
 * reduction of theirs must be of elements of its own. */
static bool settle(struct schedule *s, schedule_ref block)
{
    struct sched_path path;
    bool together = false;
    if (!sched_find_block(s, block, &path))
        return false;
    const struct ir_block *b = sched_path_end(&path)->u.block;
    bool repeats = false;
    for (size_t i = sched_path_scope(&path); i + 1 < path.n; i++) {
        const struct ir_stmt *node = path.nodes[i];
        if (node->kind != IR_FOR || node->u.loop.kind == IR_FOR_SERIAL ||
            node->u.loop.kind == IR_FOR_UNROLLED)
            continue;
        together = true;
        repeats |= sched_repeats(node, b);
    }
    return sched_require(
        s, !together || !b->init || (!repeats && sched_is_affine(s, &path)),
        "block '%s': iterations that run at the same time "
        "would reduce into one element",
        b->name);
}

/* ---- where ----------------------------------------------------------------- */

size_t sched_move_item(const struct sched_move *m, const struct ir_stmt *block)
{
    struct ir_stmt *body = sched_path_end(&m->loop)->u.loop.body;
    for (size_t i = 0; body->kind == IR_SEQ && i < body->u.seq.n; i++)
        if (sched_stmt_is_below(body->u.seq.items[i], block))
            return i;
    return 0;
}

bool sched_move_index(struct schedule *s, const struct sched_move *m,
                      size_t first, size_t last, size_t *place)
{
    *place = m->index == -1 ? last : m->index == -2 ? first : (size_t)m->index;
    if (m->index < -2 || first > last || *place < first || *place > last)
        return sched_illegal(
            s,
            "block '%s' cannot stand at place %d below loop "
            "'%s': %zu to %zu, -1 or -2",
            sched_path_end(&m->block)->u.block->name, (int)m->index,
            sched_path_end(&m->loop)->u.loop.var->name, first, last);
    return true;
}

/* The loop's body with the nest in front of the statement at that index. */
static struct ir_stmt *with_nest(struct schedule *s, struct ir_stmt *body,
                                 size_t place, struct ir_stmt *nest)
{
    struct ir_stmt *out = NULL;
    if (body->kind != IR_SEQ)
        return place == 0 ? sched_seq(s, nest, body) : sched_seq(s, body, nest);
    for (size_t i = 0; i <= body->u.seq.n; i++) {
        if (i == place)
            out = sched_seq(s, out, nest);
        if (i < body->u.seq.n)
            out = sched_seq(s, out, body->u.seq.items[i]);
    }
    return out;
}

bool sched_move_do(struct schedule *s, schedule_ref ref,
                   const struct sched_move *m, const struct sched_env *env,
                   const struct sched_part *part, size_t place)
{
    const struct ir_stmt *loop = sched_path_end(&m->loop);
    struct schedule_point point = schedule_mark(s);
    struct sched_path path;
    struct ir_stmt *nest =
        regenerate(s, env, sched_path_end(&m->block), part, m->keep_units);
    struct ir_stmt *root = sched_replace(s, &m->block, NULL);
    if (!root || !sched_find_in(root, loop, &path))
        DC_BUG("the loop is gone");
    struct ir_stmt *body = with_nest(s, loop->u.loop.body, place, nest);
    if (!sched_commit(s,
                      sched_replace(s, &path, sched_with_body(s, loop, body))))
        return false;
    if (settle(s, ref))
        return true;
    schedule_return(s, point);
    return false;
}

bool sched_arg_move(struct schedule *s, size_t nargs,
                    const struct schedule_arg *args, int64_t *flags)
{
    flags[0] = 0;
    flags[1] = -1;
    if (nargs < 2)
        return sched_bad(s, "expected a block and a loop");
    return sched_arg_kinds(s, 2, args, "rr") &&
           sched_arg_flags(s, nargs - 2, args + 2, 2, flags);
}
