/* SPDX-License-Identifier: Apache-2.0
 *
 * Demand-driven slices: computes a few chosen output elements exactly as the
 * whole run would, and leaves out work that cannot matter to them.
 *
 * Each storage that the function writes has a set of demanded cells, at first
 * the caller's. `needed` decides for a statement whether some store below may
 * hit a demanded cell: variables set so far are points, loop variables below
 * are ranges, anything that depends on data is unknown. `collect` walks the
 * program against its direction, goes only where `needed` says so, halving
 * loop ranges until single iterations are left, and demands all cells that
 * the statements it reaches may read, conditions and addresses included. It is
 * repeated until nothing new is demanded. Then the run itself starts, and the
 * interpreter asks `skip` before each statement: the same `needed`, now with
 * the values that the machine really has.
 *
 * Why that is right: demand only grows, and what a range says holds for each
 * of its points; so a statement that the run executes was reached by the last
 * walk, and all that it reads is demanded, hence computed by stores that the
 * run executes too, in their order. Sets of storage allocated in a loop are
 * joined over its iterations: more work, never less.
 *
 * In kernels, barriers and collectives are never left out, and where threads
 * go in lockstep the answer must be the same for all: there thread indices
 * count as ranges, also within variables derived from them (`widen`).
 */
#include "interp/slices/slice.h"

#include "interp/slices/hooks.h"
#include "interp/slices/slice_scan.h"

#include <string.h>

#define MAX_ROUNDS    64
#define WORK_PER_STEP 4 /* nodes looked at that count as one step */

/* ---- collecting demand ------------------------------------------------------------------- */

static void collect(struct slice *s, const struct ir_stmt *stmt);

static void mark(struct slice *s, const struct ir_expr *e)
{
    if (e == NULL)
        return;
    slice_begin(s);
    slice_mark(s, e);
}

static struct span span_now(struct slice *s, const struct ir_expr *e)
{
    slice_begin(s);
    return slice_span(s, e);
}

static void set_outer(struct slice *s, const struct ir_var *var, struct span x)
{
    if (var->id >= s->nvars)
        return;
    s->outer[var->id] = x;
    s->outer_set[var->id] = true;
}

static bool over_budget(const struct slice *s)
{
    struct machine *m = s->m;
    if (m->failed)
        return true;
    if (m->max_steps == 0 || s->work / WORK_PER_STEP < m->max_steps)
        return false;
    exec_fault(m, INTERP_BUDGET, NULL, NULL,
               "finding the work that the chosen elements need takes more "
               "than %llu steps",
               (unsigned long long)m->max_steps);
    return true;
}

/* Iterations range.lo..range.hi of a loop, last to first; the variable is
 * min + i * step, given as (min, step) in `shape`. Halves ranges that are
 * needed; at most one range a level waits. */
static void collect_range(struct slice *s, const struct ir_stmt *body,
                          const struct ir_var *var, struct span shape,
                          struct span range)
{
    struct span waiting[64];
    size_t n = 0;
    bool forced = slice_forced(slice_stmt_find(s, body));
    waiting[n++] = range;
    while (n > 0 && !over_budget(s)) {
        struct span now = waiting[--n];
        set_outer(s, var,
                  slice_span_make(shape.lo + now.lo * shape.hi,
                                  shape.lo + now.hi * shape.hi));
        bool single = now.lo == now.hi;
        if ((!forced || single) && !slice_needed(s, body))
            continue;
        if (single) {
            collect(s, body);
            continue;
        }
        int64_t middle = now.lo + (now.hi - now.lo) / 2;
        waiting[n++] = (struct span){now.lo, middle};
        waiting[n++] = (struct span){middle + 1, now.hi};
    }
}

/* A nested binding of a tag that is bound already is the same index. */
static const struct ir_var *bound_tag(const struct slice *s, const char *tag)
{
    const char *other;
    for (size_t i = 0; i < s->threads.len; i++) {
        const struct ir_var *var = ir_thread_var(s->threads.items[i], &other);
        if (strcmp(tag, other) == 0 && strncmp(tag, "vthread", 7) != 0)
            return var;
    }
    return NULL;
}

static void collect_loop(struct slice *s, const struct ir_stmt *stmt,
                         const struct ir_var *var, struct span min,
                         struct span n, struct span step,
                         const struct ir_stmt *body)
{
    const char *tag;
    bool thread = ir_thread_var(stmt, &tag) != NULL;
    const struct ir_var *same = thread ? bound_tag(s, tag) : NULL;
    if (same != NULL) {
        struct span x =
            s->outer_set[same->id] ? s->outer[same->id] : slice_span_unknown();
        set_outer(s, var, x);
        if (slice_needed(s, body))
            collect(s, body);
        return;
    }
    if (thread)
        vec_push(&s->threads, stmt);
    bool points = slice_span_known(min) && slice_span_is_point(min) &&
                  slice_span_known(n) && slice_span_is_point(n) &&
                  slice_span_known(step) && slice_span_is_point(step);
    if (points && n.lo > 0 && step.lo > 0 && step.lo < SPAN_LIMIT / n.lo) {
        collect_range(s, body, var, (struct span){min.lo, step.lo},
                      (struct span){0, n.lo - 1});
    } else if (!points) {
        slice_begin(s);
        set_outer(s, var,
                  stmt->kind == IR_FOR ? slice_loop_span(s, stmt)
                                       : slice_thread_span(s, stmt));
        if (slice_needed(s, body))
            collect(s, body);
    }
    if (thread)
        s->threads.len--;
}

static void collect_for(struct slice *s, const struct ir_stmt *stmt)
{
    struct span step = stmt->u.loop.step != NULL
                           ? span_now(s, stmt->u.loop.step)
                           : slice_span_point(1);
    collect_loop(s, stmt, stmt->u.loop.var, span_now(s, stmt->u.loop.min),
                 span_now(s, stmt->u.loop.extent), step, stmt->u.loop.body);
    mark(s, stmt->u.loop.min);
    mark(s, stmt->u.loop.extent);
    mark(s, stmt->u.loop.step);
}

static void collect_seq(struct slice *s, const struct ir_stmt *stmt)
{
    size_t n = stmt->u.seq.n;
    for (size_t i = 0; i < n; i++) {
        const struct ir_stmt *item = stmt->u.seq.items[i];
        if (item->kind == IR_BIND)
            set_outer(s, item->u.bind.var, span_now(s, item->u.bind.value));
    }
    for (size_t i = n; i-- > 0 && !over_budget(s);)
        if (slice_needed(s, stmt->u.seq.items[i]))
            collect(s, stmt->u.seq.items[i]);
}

static void collect_block(struct slice *s, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        set_outer(s, b->iters[i].var, span_now(s, b->iter_values[i]));
    slice_match_vars(s, b, set_outer);
    struct span p = span_now(s, b->predicate);
    if (!slice_span_is_point(p) || p.lo != 0) {
        if (slice_needed(s, b->body))
            collect(s, b->body);
        if (b->init != NULL && slice_needed(s, b->init))
            collect(s, b->init);
        for (size_t i = 0; i < b->nmatches; i++) {
            const struct ir_region *r = &b->matches[i].source;
            for (size_t k = 0; k < r->nranges; k++) {
                mark(s, r->ranges[k].min);
                mark(s, r->ranges[k].extent);
            }
        }
    }
    for (size_t i = 0; i < b->niters; i++)
        mark(s, b->iter_values[i]);
    mark(s, b->predicate);
}

static void collect_if(struct slice *s, const struct ir_stmt *stmt)
{
    struct span c = span_now(s, stmt->u.if_.cond);
    if ((!slice_span_is_point(c) || c.lo != 0) &&
        slice_needed(s, stmt->u.if_.then_))
        collect(s, stmt->u.if_.then_);
    if ((!slice_span_is_point(c) || c.lo == 0) && stmt->u.if_.else_ != NULL &&
        slice_needed(s, stmt->u.if_.else_))
        collect(s, stmt->u.if_.else_);
    mark(s, stmt->u.if_.cond);
}

static void collect_store(struct slice *s, const struct ir_stmt *stmt)
{
    mark(s, stmt->u.store.value);
    mark(s, stmt->u.store.predicate);
    for (size_t i = 0; i < stmt->u.store.nindices; i++)
        mark(s, stmt->u.store.indices[i]);
}

static void collect_buffer(struct slice *s, const struct ir_buffer *b)
{
    for (size_t k = 0; k < b->rank; k++)
        mark(s, b->shape[k]);
    for (size_t k = 0; k < b->nstrides; k++)
        mark(s, b->strides[k]);
    mark(s, b->elem_offset);
}

/* All that a subtree may read, loop variables as ranges: for statements that
 * run whole. */
static void collect_all(struct slice *s, const struct ir_stmt *stmt)
{
    const char *tag;
    const struct ir_var *thread = ir_thread_var(stmt, &tag);
    if (stmt->kind == IR_SEQ) {
        for (size_t i = 0; i < stmt->u.seq.n; i++) {
            const struct ir_stmt *item = stmt->u.seq.items[i];
            collect_all(s, item);
            if (item->kind == IR_BIND)
                set_outer(s, item->u.bind.var, span_now(s, item->u.bind.value));
        }
    } else if (stmt->kind == IR_FOR) {
        mark(s, stmt->u.loop.min);
        mark(s, stmt->u.loop.extent);
        mark(s, stmt->u.loop.step);
        slice_begin(s);
        set_outer(s, stmt->u.loop.var, slice_loop_span(s, stmt));
        collect_all(s, stmt->u.loop.body);
    } else if (stmt->kind == IR_WHILE) {
        mark(s, stmt->u.while_.cond);
        collect_all(s, stmt->u.while_.body);
    } else if (stmt->kind == IR_IF) {
        mark(s, stmt->u.if_.cond);
        collect_all(s, stmt->u.if_.then_);
        if (stmt->u.if_.else_ != NULL)
            collect_all(s, stmt->u.if_.else_);
    } else if (stmt->kind == IR_ATTR) {
        slice_begin(s);
        if (thread != NULL)
            set_outer(s, thread, slice_thread_span(s, stmt));
        collect_all(s, stmt->u.attr.body);
    } else if (stmt->kind == IR_BLOCK) {
        const struct ir_block *b = stmt->u.block;
        for (size_t i = 0; i < b->niters; i++) {
            mark(s, b->iter_values[i]);
            set_outer(s, b->iters[i].var, span_now(s, b->iter_values[i]));
        }
        slice_match_vars(s, b, set_outer);
        mark(s, b->predicate);
        if (b->init != NULL)
            collect_all(s, b->init);
        collect_all(s, b->body);
    } else {
        collect(s, stmt);
    }
}

static void collect_attr(struct slice *s, const struct ir_stmt *stmt)
{
    const struct ir_var *var = ir_thread_var(stmt, NULL);
    if (var != NULL) {
        collect_loop(s, stmt, var, slice_span_point(0),
                     span_now(s, stmt->u.attr.value), slice_span_point(1),
                     stmt->u.attr.body);
        mark(s, stmt->u.attr.value);
        return;
    }
    if (slice_needed(s, stmt->u.attr.body))
        collect(s, stmt->u.attr.body);
}

/* The statement runs: demands what it needs. */
static void collect(struct slice *s, const struct ir_stmt *stmt)
{
    const struct slice_stmt *n = slice_stmt_find(s, stmt);
    bool whole = n != NULL && (n->flags & SLICE_ATOMIC) != 0;
    s->work++;
    if (whole) {
        collect_all(s, stmt);
        return;
    }
    switch (stmt->kind) {
    case IR_SEQ: collect_seq(s, stmt); break;
    case IR_FOR: collect_for(s, stmt); break;
    case IR_WHILE: collect_all(s, stmt); break;
    case IR_IF: collect_if(s, stmt); break;
    case IR_BIND: mark(s, stmt->u.bind.value); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: collect_buffer(s, stmt->u.alloc.buffer); break;
    case IR_DECL_BUFFER:
        collect_buffer(s, stmt->u.decl.buffer);
        mark(s, stmt->u.decl.value);
        break;
    case IR_ATTR: collect_attr(s, stmt); break;
    case IR_ASSERT: mark(s, stmt->u.assert_.cond); break;
    case IR_RETURN:
    case IR_EVALUATE: mark(s, stmt->u.value); break;
    case IR_STORE: collect_store(s, stmt); break;
    case IR_BLOCK: collect_block(s, stmt->u.block); break;
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Loop bodies: looks ahead in doubling steps for the next iteration that is
 * needed, and remembers the gap. The loop's own entry in the machine forgets
 * it (see skip). */
static bool idle_iteration(struct slice *s, struct slice_stmt *body,
                           const struct ir_stmt *loop)
{
    const struct ir_var *var = loop->u.loop.var;
    slice_begin(s);
    struct span now = slice_span(
        s, &(struct ir_expr){.kind = IR_VAR_REF,
                             .dtype = var->dtype,
                             .u.var = (struct ir_var *)loop->u.loop.var});
    if (!slice_span_is_point(now))
        return !slice_needed(s, body->stmt);
    if (body->idle_lo <= now.lo && now.lo <= body->idle_hi)
        return true;
    if (slice_needed(s, body->stmt))
        return false;
    body->idle_lo = body->idle_hi = now.lo;
    struct span range = slice_loop_span(s, loop);
    if (!slice_span_known(range) || range.lo > range.hi)
        return true;
    for (int64_t width = 2; body->idle_hi < range.hi; width *= 2) {
        int64_t hi =
            range.hi - body->idle_hi < width ? range.hi : body->idle_hi + width;
        set_outer(s, var, slice_span_make(body->idle_hi + 1, hi));
        s->collecting = true;
        bool need = slice_needed(s, body->stmt);
        s->collecting = false;
        s->outer_set[var->id] = false;
        if (need)
            break;
        body->idle_hi = hi;
    }
    return true;
}

static bool may_skip(struct machine *m, struct slice *s,
                     const struct ir_stmt *stmt)
{
    struct slice_stmt *n = slice_stmt_find(s, stmt);
    if (n != NULL && stmt->kind == IR_FOR) {
        struct slice_stmt *body = slice_stmt_find(s, stmt->u.loop.body);
        if (body != NULL) {
            body->idle_lo = 1;
            body->idle_hi = 0;
        }
    }
    if (slice_forced(n))
        return false;
    if ((n->flags & SLICE_LOCK) && (n->flags & SLICE_BELOW)) {
        if (s->asked != n || s->asked_at != m->result.steps)
            s->answer = !slice_needed(s, stmt);
        s->asked = n;
        return s->answer;
    }
    /* a block's or an attribute's only child was asked for with it */
    const struct slice_stmt *parent = n->parent;
    if (parent != NULL && parent->stmt->kind == IR_BLOCK &&
        parent->stmt->u.block->init == NULL && stmt->kind != IR_FOR &&
        (n->flags & SLICE_LOCK) == 0)
        return false;
    if (parent != NULL && parent->stmt->kind == IR_FOR &&
        ((n->flags | parent->flags) & SLICE_LOCK) == 0 &&
        parent->stmt->u.loop.kind != IR_FOR_THREAD &&
        (parent->stmt->u.loop.step == NULL ||
         ir_is_const_int(parent->stmt->u.loop.step, 1)))
        return idle_iteration(s, n, parent->stmt);
    return !slice_needed(s, stmt);
}

static bool skip(struct machine *m, const struct ir_stmt *stmt)
{
    struct slice *s = ((struct hook_users *)m->hooks.user)->slice;
    if (m->frame->caller != NULL)
        return false;
    s->work = 0;
    bool answer = may_skip(m, s, stmt);
    m->result.steps += s->work / WORK_PER_STEP;
    s->asked_at = m->result.steps;
    return answer;
}

/* Elements of written parameters that were not demanded hold no result: says
 * so in their states, after the results have been copied back. */
static void mark_skipped(struct machine *m)
{
    const struct slice *s = slice_hooks_get(m)->slice;
    const struct ir_prim_func *prim = &m->func->prim;
    for (size_t p = 0; p < m->nargs && p < prim->nparams; p++) {
        struct interp_tensor *t = m->args[p].tensor;
        const struct ir_var *data = prim->params[p].buffer != NULL
                                        ? prim->params[p].buffer->data
                                        : prim->params[p].var;
        const struct region *r = slice_region(s, data);
        if (t == NULL || r == NULL || r->all)
            continue;
        size_t cells = dtype_lane_bytes(t->dtype) / r->unit;
        for (size_t i = 0; i < t->elements; i++)
            if (r->coarse || !cell_set_has(&r->set, i * cells))
                t->state[i] = INTERP_SKIPPED;
    }
}

static void fini(struct machine *m)
{
    struct slice *s = slice_hooks_get(m)->slice;
    if (!m->failed && !s->shared && !s->returns)
        mark_skipped(m);
    for (size_t i = 0; i < s->nregions; i++)
        cell_set_fini(&s->regions[i].set);
    vec_fini(&s->threads);
}

static void fini_all(struct machine *m)
{
    struct hook_users *users = m->hooks.user;
    if (users->terms != NULL)
        users->terms_fini(m);
    if (users->formula != NULL)
        users->formula_fini(m);
    if (users->slice != NULL)
        users->slice_fini(m);
    users->slice = NULL;
}

struct hook_users *slice_hooks_get(struct machine *m)
{
    if (m->hooks.user == NULL) {
        m->hooks.user = ARENA_NEW(m->arena, struct hook_users);
        m->hooks.fini = fini_all;
    }
    return m->hooks.user;
}

/* The caller's wishes: parameter elements become cells. */
static void seed(struct slice *s)
{
    struct machine *m = s->m;
    const struct ir_prim_func *prim = &m->func->prim;
    for (size_t p = 0; p < m->nargs && p < prim->nparams; p++) {
        const uint8_t *want = m->options.demand[p];
        const struct interp_tensor *t = m->args[p].tensor;
        const struct ir_var *data = prim->params[p].buffer != NULL
                                        ? prim->params[p].buffer->data
                                        : prim->params[p].var;
        struct region *r = slice_region(s, data);
        if (want == NULL || t == NULL || r == NULL)
            continue;
        size_t cells = dtype_lane_bytes(t->dtype) / r->unit;
        for (size_t i = 0; i < t->elements; i++) {
            if (want[i] == 0)
                continue;
            if (r->coarse)
                r->all = true;
            else
                (void)cell_set_add_range(&r->set, i * cells,
                                         (i + 1) * cells - 1);
        }
    }
}

static struct slice *slice_make(struct machine *m)
{
    struct slice *s = ARENA_NEW(m->arena, struct slice);
    s->m = m;
    s->arena = m->arena;
    s->nvars = m->module->nvars;
    s->nbuffers = m->module->nbuffers;
    s->class_of = m->frame->plan->class_of;
    s->places = ARENA_ARRAY(m->arena, s->nbuffers + 1, struct place);
    s->layouts = ARENA_ARRAY(m->arena, s->nbuffers + 1, int64_t *);
    s->matches =
        ARENA_ARRAY(m->arena, s->nbuffers + 1, const struct ir_match_buffer *);
    s->decls = ARENA_ARRAY(m->arena, s->nbuffers + 1, const struct ir_stmt *);
    s->inner = ARENA_ARRAY(m->arena, s->nvars + 1, struct span);
    s->wide = ARENA_ARRAY(m->arena, s->nvars + 1, struct span);
    s->outer = ARENA_ARRAY(m->arena, s->nvars + 1, struct span);
    s->inner_epoch = ARENA_ARRAY(m->arena, s->nvars + 1, uint32_t);
    s->wide_epoch = ARENA_ARRAY(m->arena, s->nvars + 1, uint32_t);
    s->outer_set = ARENA_ARRAY(m->arena, s->nvars + 1, bool);
    s->epoch = 1;
    return s;
}

bool slice_install(struct machine *m)
{
    if (m->options.demand == NULL)
        return true;
    struct slice *s = slice_make(m);
    struct hook_users *users = slice_hooks_get(m);
    users->slice = s;
    users->slice_fini = fini;
    slice_find_regions(s);
    slice_scan(s);
    if (s->shared || s->returns || m->frame->plan->launches)
        return true; /* nothing is left out */
    seed(s);
    s->collecting = true;
    for (int round = 0; round < MAX_ROUNDS && !m->failed; round++) {
        s->progress = false;
        if (slice_needed(s, m->func->prim.body))
            collect(s, m->func->prim.body);
        if (!s->progress)
            break;
    }
    if (s->progress) /* no end in sight: everything */
        for (size_t i = 0; i < s->nregions; i++)
            s->regions[i].all = true;
    memset(s->outer_set, 0, s->nvars * sizeof *s->outer_set);
    s->collecting = false;
    m->result.steps += s->work / WORK_PER_STEP;
    m->hooks.skip = skip;
    return !m->failed;
}
