/* SPDX-License-Identifier: Apache-2.0
 *
 * What blocks touch, and what kind of block each is.
 *
 * Accesses are read off bodies, never off what a block claims; storage is told
 * apart by data variables, so that two views of one buffer are one thing. The
 * kinds are those of TVM (s_tir/schedule/analysis/analysis.cc):
 *   complete   all iterators spatial; within the scope the only writer of what
 *              it writes; reads nothing that it writes
 *   reduction  has an init; bindings affine; iterators spatial or reductions;
 *              the only writer; reduction iterators do not index what is
 *              written
 */
#include "schedule/schedule_private.h"

#include <string.h>

/* ---- accesses -------------------------------------------------------------- */

static void touch(struct sched_touch *t, const struct ir_var *data,
                  unsigned how)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].data == data) {
            t->items[i].how |= how;
            return;
        }
    if (t->n == DC_ARRAY_LEN(t->items)) {
        t->opaque = true;
        return;
    }
    t->items[t->n].data = data;
    t->items[t->n++].how = how;
}

static bool touch_expr(void *user, struct ir_expr *e)
{
    struct sched_touch *t = user;
    if (e->kind == IR_LOAD)
        touch(t, e->u.buffer->data, SCHED_READ);
    else if (e->kind == IR_BUFFER_REF)
        touch(t, e->u.buffer->data, SCHED_READ | SCHED_WRITE);
    else if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        touch(t, e->u.var, SCHED_READ | SCHED_WRITE);
    else if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
             e->nargs == 1 && e->args[0]->kind == IR_LOAD)
        touch(t, e->args[0]->u.buffer->data, SCHED_READ | SCHED_WRITE);
    if (e->kind == IR_CALL && e->u.call.op != IR_OP_ASSUME &&
        !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE))
        t->opaque = true;
    return true;
}

static bool touch_stmt(void *user, struct ir_stmt *stmt)
{
    if (stmt->kind == IR_STORE)
        touch(user, stmt->u.store.buffer->data, SCHED_WRITE);
    if (stmt->kind == IR_BLOCK) /* a view is its source */
        for (size_t i = 0; i < stmt->u.block->nmatches; i++)
            touch(user, stmt->u.block->matches[i].source.buffer->data,
                  SCHED_READ | SCHED_WRITE);
    return true;
}

void sched_touch_expr(const struct ir_expr *e, struct sched_touch *out)
{
    struct ir_visitor visitor = {NULL, touch_expr, out};
    ir_visit_expr(&visitor, e);
}

void sched_touch(struct ir_stmt *stmt, struct sched_touch *out)
{
    struct ir_visitor visitor = {touch_stmt, touch_expr, out};
    out->n = 0;
    out->opaque = false;
    ir_visit_stmt(&visitor, stmt);
}

unsigned sched_touches(const struct sched_touch *t, const struct ir_var *data)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->items[i].data == data)
            return t->items[i].how;
    return 0;
}

static bool is_access_expr(const void *user, const struct ir_expr *e)
{
    const struct ir_buffer *b = user;
    return ((e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
            e->u.buffer->data == b->data) ||
           (e->kind == IR_VAR_REF && e->u.var == b->data);
}

bool sched_accesses_outside(struct ir_stmt *stmt, const struct ir_stmt *loop,
                            const struct ir_buffer *buffer)
{
    struct ir_stmt *x;
    if (stmt == loop)
        return false;
    if (stmt->kind == IR_STORE && stmt->u.store.buffer->data == buffer->data)
        return true;
    if (stmt->kind != IR_BLOCK && stmt->kind != IR_FOR &&
        stmt->kind != IR_SEQ && stmt->kind != IR_ATTR)
        return ir_stmt_any(stmt, NULL, is_access_expr, buffer);
    for (size_t i = 0; stmt->kind == IR_BLOCK && i < stmt->u.block->nmatches;
         i++)
        if (stmt->u.block->matches[i].source.buffer->data == buffer->data)
            return true;
    for (size_t i = 0; (x = ir_stmt_below(stmt, i)) != NULL; i++)
        if (sched_accesses_outside(x, loop, buffer))
            return true;
    return false;
}

/* ---- blocks of a scope ----------------------------------------------------- */

static bool gather(struct ir_stmt *stmt, struct sched_children *out)
{
    struct ir_stmt *x;
    if (stmt->kind == IR_EVALUATE)
        return stmt->u.value->kind == IR_INT_IMM;
    if (stmt->kind == IR_BLOCK) {
        if (out->n == DC_ARRAY_LEN(out->items))
            return false;
        out->items[out->n++] = stmt;
        return true;
    }
    bool good =
        stmt->kind == IR_SEQ || stmt->kind == IR_FOR || stmt->kind == IR_ATTR;
    for (size_t i = 0; (x = ir_stmt_below(stmt, i)) != NULL; i++)
        good &= gather(x, out);
    return good;
}

bool sched_children(struct ir_stmt *stmt, struct sched_children *out)
{
    out->n = 0;
    return gather(stmt->kind == IR_BLOCK ? stmt->u.block->body : stmt, out);
}

static bool is_stmt(const void *stmt, const struct ir_stmt *other)
{
    return stmt == other;
}

bool sched_stmt_is_below(struct ir_stmt *top, const struct ir_stmt *stmt)
{
    return ir_stmt_any(top, is_stmt, NULL, stmt);
}

/* ---- kinds ----------------------------------------------------------------- */

static const char *not_dominant(struct ir_stmt *scope, struct ir_stmt *block,
                                const struct sched_touch *mine)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    const char *why = NULL;
    (void)sched_children(scope, all);
    for (size_t i = 0; i < all->n && !why; i++) {
        struct sched_touch other;
        if (all->items[i] == block)
            continue;
        sched_touch(all->items[i], &other);
        for (size_t j = 0; j < mine->n; j++)
            if ((mine->items[j].how & SCHED_WRITE) &&
                (sched_touches(&other, mine->items[j].data) & SCHED_WRITE))
                why = "another block writes what it writes";
    }
    dc_release(all);
    return why;
}

const char *sched_not_complete(struct schedule *s, struct ir_stmt *scope,
                               struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    struct sched_touch t;
    (void)s;
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type != IR_ITER_SPATIAL)
            return "an iterator is not spatial";
    sched_touch(block, &t);
    if (t.opaque)
        return "it calls what may touch anything";
    for (size_t i = 0; i < t.n; i++)
        if (t.items[i].how == (SCHED_READ | SCHED_WRITE))
            return "it reads what it writes";
    return not_dominant(scope, block, &t);
}

/* A store that reduction iterators of the block index. */
static bool is_reduced(const void *block, const struct ir_stmt *stmt)
{
    const struct ir_block *b = block;
    bool found = false;
    for (size_t i = 0; stmt->kind == IR_STORE && i < b->niters; i++)
        for (size_t d = 0; d < stmt->u.store.nindices; d++)
            found |= b->iters[i].type == IR_ITER_REDUCE &&
                     ir_uses_var(stmt->u.store.indices[d], b->iters[i].var);
    return found;
}

const char *sched_not_reduction(struct schedule *s, struct ir_stmt *scope,
                                struct ir_stmt *block)
{
    const struct ir_block *b = block->u.block;
    struct sched_path path;
    struct sched_touch t;
    if (!b->init)
        return "it has no init";
    if (!sched_find_stmt(s, block, &path) || !sched_is_affine(s, &path))
        return "its bindings are not affine";
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type != IR_ITER_SPATIAL &&
            b->iters[i].type != IR_ITER_REDUCE)
            return "an iterator is neither spatial nor a reduction's";
    sched_touch(block, &t);
    if (t.opaque)
        return "it calls what may touch anything";
    const char *why = not_dominant(scope, block, &t);
    if (why)
        return why;
    return ir_stmt_any(b->body, is_reduced, NULL, b)
               ? "a reduction iterator indexes what it writes"
               : NULL;
}

bool sched_require_compact(struct schedule *s, struct ir_stmt *stmt)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    bool good = sched_require(s, sched_children(stmt, all),
                              "a statement below stands in no block");
    for (size_t i = 0; i < all->n && good; i++) {
        struct ir_stmt *block = all->items[i];
        const char *a = sched_not_complete(s, stmt, block);
        const char *b = a ? sched_not_reduction(s, stmt, block) : NULL;
        good = sched_require(
            s, !a || !b,
            "block '%s' is neither complete (%s) nor a reduction (%s)",
            block->u.block->name, a ? a : "", b ? b : "");
    }
    dc_release(all);
    return good;
}

/* ---- order of points ------------------------------------------------------- */

/* All accesses of storage that a block reads and writes, at one place. */
struct places {
    struct sched_touch touch;
    const struct ir_expr *seen[64]; /* per storage: an access, as a load … */
    const struct ir_stmt *stores[64]; /* … or as a store */
    bool same;
};

static void see_place(struct places *p, const struct ir_buffer *buffer,
                      size_t n, struct ir_expr *const *indices,
                      const struct ir_expr *load, const struct ir_stmt *store)
{
    for (size_t i = 0; i < p->touch.n; i++) {
        if (p->touch.items[i].data != buffer->data ||
            p->touch.items[i].how != (SCHED_READ | SCHED_WRITE))
            continue;
        const struct ir_expr *l = p->seen[i];
        const struct ir_stmt *s = p->stores[i];
        if (!l && !s) {
            p->seen[i] = load;
            p->stores[i] = store;
            return;
        }
        struct ir_expr *const *others = l ? l->args : s->u.store.indices;
        size_t m = l ? l->nargs : s->u.store.nindices;
        if ((l ? l->u.buffer : s->u.store.buffer) != buffer || m != n)
            p->same = false;
        for (size_t d = 0; d < n && p->same; d++)
            p->same = ir_expr_same(indices[d], others[d]);
        return;
    }
}

static bool place_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LOAD)
        see_place(user, e->u.buffer, e->nargs, e->args, e, NULL);
    return true;
}

static bool place_stmt(void *user, struct ir_stmt *stmt)
{
    if (stmt->kind == IR_STORE)
        see_place(user, stmt->u.store.buffer, stmt->u.store.nindices,
                  stmt->u.store.indices, NULL, stmt);
    return true;
}

const char *sched_order_matters(struct schedule *s, struct ir_stmt *block)
{
    struct places *p = dc_alloc(sizeof *p);
    struct ir_visitor visitor = {place_stmt, place_expr, p};
    const char *why = NULL;
    sched_touch(block->u.block->body, &p->touch);
    p->same = true;
    ir_visit_stmt(&visitor, block->u.block->body);
    if (p->touch.opaque)
        why = "it calls what may touch anything";
    else if (!p->same)
        why = "it reads what other points of it write";
    else if (!sched_spatial_distinct(block) && !sched_stores_apart(s, block))
        why = "its spatial iterators do not tell its stores apart";
    dc_release(p);
    return why;
}

bool sched_reaches(const struct ir_block *b, enum ir_iter_type type,
                   const struct ir_var *var)
{
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type == type && ir_uses_var(b->iter_values[i], var))
            return true;
    return false;
}

bool sched_repeats(const struct ir_stmt *stmt, const struct ir_block *b)
{
    if (stmt->kind != IR_FOR || ir_is_const_int(stmt->u.loop.extent, 1))
        return false;
    for (size_t i = 0; i < b->niters; i++)
        if (ir_uses_var(b->iter_values[i], stmt->u.loop.var))
            return false;
    return true;
}

bool sched_is_cross_thread(const struct sched_path *block)
{
    for (size_t i = sched_path_scope(block) + 1; i + 1 < block->n; i++)
        if (block->nodes[i]->kind == IR_FOR &&
            block->nodes[i]->u.loop.kind == IR_FOR_THREAD &&
            sched_reaches(sched_path_end(block)->u.block, IR_ITER_REDUCE,
                          block->nodes[i]->u.loop.var))
            return true;
    return false;
}

/* ---- iterations of a loop -------------------------------------------------- */

/* The box that a block touches of one buffer in one iteration of a loop. */
static struct ir_region box(struct schedule *s, const struct sched_env *inner,
                            const struct ir_stmt *block, struct ir_region r)
{
    struct sched_map map = {.s = s};
    const struct ir_block *b = block->u.block;
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&map, b->iters[i].var, b->iter_values[i]);
    return sched_relax(s, inner, sched_map_region(&map, r));
}

bool sched_is_inside(struct schedule *s, const struct sched_env *env,
                     const struct ir_region *a, const struct ir_region *b)
{
    for (size_t i = 0; i < a->nranges; i++) {
        struct ir_expr *end_a =
            sched_op(s, IR_ADD, a->ranges[i].min, a->ranges[i].extent);
        struct ir_expr *end_b =
            sched_op(s, IR_ADD, b->ranges[i].min, b->ranges[i].extent);
        if (!sched_proves(
                s, env,
                ir_binary(s->m, IR_LE, b->ranges[i].min, a->ranges[i].min)) ||
            !sched_proves(s, env, ir_binary(s->m, IR_LE, end_a, end_b)))
            return false;
    }
    return true;
}

/* Loops between a statement and a block below it. */
static void inner_loops(struct schedule *s, const struct ir_stmt *top,
                        const struct ir_stmt *block, struct sched_env *env)
{
    struct sched_path path;
    bool below = false;
    env->n = 0;
    if (!sched_find_stmt(s, block, &path))
        return;
    for (size_t i = 0; i < path.n; i++) {
        if (below && path.nodes[i]->kind == IR_FOR)
            sched_env_add(env, path.nodes[i]->u.loop.var,
                          path.nodes[i]->u.loop.min,
                          path.nodes[i]->u.loop.extent);
        below |= path.nodes[i] == top;
    }
}

/* Whether threads of that axis share one copy of a buffer of that scope. */
static bool is_common(const char *scope, const char *tag)
{
    bool block = !strncmp(tag, "blockIdx.", 9);
    if (!strncmp(scope, "shared", 6))
        return !block;
    return !strcmp(scope, "warp") && !strcmp(tag, "threadIdx.x");
}

struct ir_region sched_box(struct schedule *s, const struct ir_stmt *top,
                           const struct ir_stmt *block, struct ir_region r,
                           bool together)
{
    struct sched_env *inner = dc_alloc(sizeof *inner);
    struct sched_path path;
    inner_loops(s, top, block, inner);
    struct ir_region out = box(s, inner, block, r);
    inner->n = 0;
    if (together && sched_find_stmt(s, top, &path))
        for (size_t i = 0; i < path.n; i++) {
            const struct ir_stmt *loop = path.nodes[i];
            if (loop->kind == IR_FOR && loop->u.loop.kind == IR_FOR_THREAD &&
                is_common(r.buffer->scope, loop->u.loop.thread->thread_tag))
                sched_env_add(inner, loop->u.loop.var, loop->u.loop.min,
                              loop->u.loop.extent);
        }
    if (inner->n > 0)
        out = sched_relax(s, inner, out);
    dc_release(inner);
    return out;
}

/* All regions of one list lie in those of the writer of the same storage. */
static bool are_inside(struct schedule *s, const struct sched_env *outer,
                       const struct sched_env *in, const struct ir_stmt *w,
                       const struct ir_stmt *r, bool writes)
{
    size_t n = writes ? r->u.block->nwrites : r->u.block->nreads;
    const struct ir_region *list =
        writes ? r->u.block->writes : r->u.block->reads;
    for (size_t i = 0; i < w->u.block->nwrites; i++)
        for (size_t j = 0; j < n; j++) {
            struct ir_region a = list[j], b = w->u.block->writes[i];
            if (a.buffer->data != b.buffer->data)
                continue;
            a = box(s, &in[1], r, a);
            b = box(s, &in[0], w, b);
            if (a.buffer != b.buffer || !sched_is_inside(s, outer, &a, &b))
                return false;
        }
    return true;
}

/* What `later` touches of what `first` writes lies in the box of that. */
static bool covers(struct schedule *s, const struct ir_stmt *top,
                   const struct sched_env *outer, struct ir_stmt *first,
                   struct ir_stmt *later)
{
    struct sched_env *in = dc_alloc(2 * sizeof *in);
    struct ir_stmt *w = ir_stmt_copy(s->m->arena, first);
    struct ir_stmt *r = ir_stmt_copy(s->m->arena, later);
    sched_claim(s, w->u.block);
    sched_claim(s, r->u.block);
    inner_loops(s, top, first, &in[0]);
    inner_loops(s, top, later, &in[1]);
    bool good = are_inside(s, outer, in, w, r, false) &&
                are_inside(s, outer, in, w, r, true);
    dc_release(in);
    return good;
}

/* Of two blocks, one behind the other: whether what they share is written by
 * the first alone before the second touches it. */
static bool pair_apart(struct schedule *s, const struct ir_stmt *top,
                       const struct sched_env *outer, struct ir_stmt *first,
                       struct ir_stmt *later)
{
    struct sched_touch a, b;
    bool shared = false;
    sched_touch(first, &a);
    sched_touch(later, &b);
    if (a.opaque || b.opaque)
        return false;
    for (size_t k = 0; k < a.n; k++) {
        unsigned other = sched_touches(&b, a.items[k].data);
        if ((other & SCHED_WRITE) && (a.items[k].how & SCHED_READ))
            return false;
        shared |= other && (a.items[k].how & SCHED_WRITE);
    }
    return !shared || covers(s, top, outer, first, later);
}

static bool apart(struct schedule *s, const struct sched_path *loop,
                  const struct sched_children *all)
{
    struct ir_stmt *top = sched_path_end(loop);
    struct sched_env *outer = dc_alloc(sizeof *outer);
    bool good = true;
    sched_env_path(s, loop, outer);
    for (size_t i = 0; i < all->n && good; i++)
        for (size_t j = i + 1; j < all->n && good; j++)
            good = pair_apart(s, top, outer, all->items[i], all->items[j]);
    dc_release(outer);
    return good;
}

bool sched_require_iterations_apart(struct schedule *s,
                                    const struct sched_path *loop)
{
    struct sched_children *all = dc_alloc(sizeof *all);
    (void)sched_children(sched_path_end(loop), all);
    bool good =
        sched_require(s, apart(s, loop, all),
                      "a block below reads what another iteration writes");
    dc_release(all);
    return good;
}
