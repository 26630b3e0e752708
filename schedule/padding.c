/* SPDX-License-Identifier: Apache-2.0
 *
 * What a layout with padding holds in it, when a buffer gets that layout: where
 * its writers run over all elements in order, they do so in the new layout and
 * store the padding too; else a block of its own stores it behind the last
 * writer. A buffer without writers comes from the caller, who promises what it
 * holds: a block says so with T.assume.
 *
 * The three ways are TVM's (s_tir/schedule/primitive/layout_transformation.cc,
 * TransformLayoutPlanner). No element of the function reads padding, so that
 * none of this changes what it computes. Stricter: TVM takes the first way also
 * for blocks that do more than store one element, and then repeats that at
 * indices of no element; and it leaves loop variables undefined where the
 * block lists its iterators in another order than its loops.
 */
#include "schedule/schedule_private.h"

#include <string.h>

#define MAX_WRITERS 64u
#define MAX_RANK    24u

/* ---- making nests ---------------------------------------------------------- */

struct ir_stmt *sched_block_make(struct schedule *s, const char *name, size_t n,
                                 struct ir_var *const *vars,
                                 struct ir_expr *const *extents,
                                 struct ir_expr *const *values,
                                 struct ir_stmt *body)
{
    struct arena *arena = s->m->arena;
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(arena, struct ir_block);
    b->name = sched_text(s, "%s", name);
    b->niters = n;
    b->iters = ARENA_ARRAY(arena, n + 1, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++) {
        b->iters[i] = sched_iter(s, vars[i], extents[i]);
        b->iter_values[i] = values[i];
    }
    b->predicate = sched_true(s);
    b->body = body;
    sched_claim(s, b);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    return stmt;
}

struct ir_iter_var sched_iter(struct schedule *s, struct ir_var *var,
                              struct ir_expr *extent)
{
    struct ir_iter_var iter = {
        .var = var, .has_dom = true, .type = IR_ITER_SPATIAL, .thread_tag = ""};
    iter.dom.min = ir_int(s->m, var->dtype, 0);
    iter.dom.extent = extent;
    return iter;
}

struct ir_stmt *sched_nest(struct schedule *s, size_t n,
                           struct ir_var *const *vars,
                           struct ir_expr *const *extents, struct ir_stmt *body)
{
    for (size_t i = n; i-- > 0;)
        body = sched_loop_make(s, vars[i], extents[i], body);
    return body;
}

struct ir_expr **sched_var_refs(struct schedule *s, size_t n,
                                struct ir_var *const *vars)
{
    struct ir_expr **refs = ARENA_ARRAY(s->m->arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        refs[i] = ir_var_ref(s->m, vars[i]);
    return refs;
}

/* Named as the module names what it holds: TVM reads no other names of its
 * era. */
struct ir_expr *sched_if_then_else(struct schedule *s, struct ir_expr *cond,
                                   struct ir_expr *a, struct ir_expr *b)
{
    struct ir_expr *args[] = {cond, a, b};
    return ir_call(s->m, a->dtype,
                   s->m->era == IR_ERA_F ? "prim.if_then_else"
                                         : "tirx.if_then_else",
                   3, args);
}

/* ---- variables of the new layout ------------------------------------------- */

/* Loops over it, and a block's iterators. */
struct walk {
    size_t n;
    struct ir_var **loops, **iters;
    struct ir_expr **loop_refs, **iter_refs;
};

static struct walk walk_make(const struct sched_fill *f)
{
    struct schedule *s = f->s;
    const struct sched_layout *l = f->l;
    struct walk w = {.n = l->nout};
    w.loops = ARENA_ARRAY(s->m->arena, w.n + 1, struct ir_var *);
    w.iters = ARENA_ARRAY(s->m->arena, w.n + 1, struct ir_var *);
    for (size_t i = 0; i < w.n; i++) {
        w.loops[i] = sched_var(s, l->dtype, "%s", l->at[i]->name);
        w.iters[i] = sched_var(s, l->dtype, "v_%s", l->at[i]->name);
    }
    w.loop_refs = sched_var_refs(s, w.n, w.loops);
    w.iter_refs = sched_var_refs(s, w.n, w.iters);
    return w;
}

/* An expression over l->at, over those instead. */
static struct ir_expr *moved(const struct sched_fill *f, struct ir_expr *e,
                             struct ir_expr *const *refs)
{
    struct sched_map map = {.s = f->s};
    for (size_t i = 0; i < f->l->nout; i++)
        sched_map_add(&map, f->l->at[i], refs[i]);
    return sched_map_expr(&map, e);
}

static struct ir_expr *value_at(const struct sched_fill *f,
                                struct ir_expr *const *refs)
{
    struct sched_map map = {.s = f->s};
    for (size_t i = 0; i < f->nvars; i++)
        sched_map_add(&map, f->vars[i], refs[i]);
    return sched_map_expr(&map, f->value);
}

/* ---- writers --------------------------------------------------------------- */

struct writers {
    const struct ir_buffer *buffer;
    struct ir_stmt *block; /* around what is looked at */
    struct ir_stmt *items[MAX_WRITERS];
    size_t n;
    bool all;
};

static bool see_writer(void *user, struct ir_stmt *stmt)
{
    struct writers *w = user;
    if (stmt->kind == IR_STORE && stmt->u.store.buffer == w->buffer &&
        (w->n == 0 || w->items[w->n - 1] != w->block)) {
        w->all &= w->n < MAX_WRITERS;
        if (w->n < MAX_WRITERS)
            w->items[w->n++] = w->block;
    }
    if (stmt->kind != IR_BLOCK)
        return true;
    struct ir_visitor visitor = {see_writer, NULL, w};
    struct ir_stmt *outer = w->block;
    w->block = stmt;
    ir_visit_below(&visitor, stmt);
    w->block = outer;
    return false;
}

/* ---- the first way --------------------------------------------------------- */

/* A block whose stores are all elements in order: loops from `top` on, one a
 * dimension. */
struct in_order {
    struct sched_path path;
    size_t top;
    size_t iters[MAX_RANK]; /* iterator of each dimension */
};

static bool is_plain_store(const struct ir_stmt *stmt,
                           const struct ir_buffer *buffer)
{
    return stmt->kind == IR_STORE && stmt->u.store.buffer == buffer &&
           !stmt->u.store.predicate;
}

static size_t iter_of(const struct ir_block *b, const struct ir_expr *e)
{
    size_t i = 0;
    while (e->kind == IR_VAR_REF && i < b->niters &&
           b->iters[i].var != e->u.var)
        i++;
    return e->kind == IR_VAR_REF ? i : b->niters;
}

static bool same_indices(const struct ir_stmt *a, const struct ir_stmt *b)
{
    for (size_t d = 0; d < a->u.store.nindices; d++)
        if (!ir_expr_same(a->u.store.indices[d], b->u.store.indices[d]))
            return false;
    return true;
}

static bool is_loop_over(const struct ir_stmt *stmt, const struct ir_expr *var,
                         const struct ir_expr *size)
{
    return stmt->kind == IR_FOR && stmt->u.loop.kind == IR_FOR_SERIAL &&
           !stmt->u.loop.step && ir_is_const_int(stmt->u.loop.min, 0) &&
           var->kind == IR_VAR_REF && var->u.var == stmt->u.loop.var &&
           ir_expr_same(stmt->u.loop.extent, size);
}

/* Only bindings of the iterators that index the store use those loops. */
static bool only_those(const struct ir_block *b, const struct in_order *w,
                       size_t rank)
{
    for (size_t i = 0; i < b->niters; i++) {
        bool index = false;
        for (size_t d = 0; d < rank; d++)
            index |= w->iters[d] == i;
        for (size_t d = 0; d < rank && !index; d++)
            if (ir_uses_var(b->iter_values[i],
                            w->path.nodes[w->top + d]->u.loop.var))
                return false;
    }
    return true;
}

static bool find_in_order(const struct sched_fill *f, struct ir_stmt *scope,
                          struct ir_stmt *block, struct in_order *w)
{
    const struct ir_block *b = block->u.block;
    size_t rank = f->from->rank, n;
    if (rank == 0 || rank > MAX_RANK || !is_plain_store(b->body, f->from) ||
        (b->init && (!is_plain_store(b->init, f->from) ||
                     !same_indices(b->init, b->body))) ||
        !sched_indices_of(block, f->from, &n) ||
        !sched_find_in(scope, block, &w->path))
        return false;
    for (size_t d = 0; d < rank; d++) {
        w->iters[d] = iter_of(b, b->body->u.store.indices[d]);
        if (w->iters[d] == b->niters ||
            b->iters[w->iters[d]].type != IR_ITER_SPATIAL)
            return false;
        for (size_t e = 0; e < d; e++)
            if (w->iters[e] == w->iters[d])
                return false;
    }
    const struct ir_expr *first = b->iter_values[w->iters[0]];
    for (w->top = 1; w->top + rank < w->path.n; w->top++)
        if (is_loop_over(w->path.nodes[w->top], first, f->from->shape[0]))
            break;
    if (w->top + rank >= w->path.n)
        return false;
    for (size_t d = 0; d < rank; d++)
        if (!is_loop_over(w->path.nodes[w->top + d],
                          b->iter_values[w->iters[d]], f->from->shape[d]))
            return false;
    for (size_t i = w->top; i + 1 < w->path.n; i++)
        if (w->path.nodes[i]->kind != IR_FOR)
            return false;
    return only_those(b, w, rank);
}

struct storing {
    const struct sched_fill *f;
    const struct walk *w;
};

static struct ir_stmt *store_padded(void *user, struct ir_stmt *store)
{
    const struct storing *x = user;
    struct ir_expr *value = sched_if_then_else(
        x->f->s, moved(x->f, x->f->l->padding, x->w->iter_refs),
        value_at(x->f, x->w->iter_refs), store->u.store.value);
    return ir_store(x->f->s->m, x->f->to, value, x->w->n, x->w->iter_refs,
                    NULL);
}

/* One element. */
static struct ir_region point(struct schedule *s, struct ir_buffer *buffer,
                              struct ir_expr *const *indices)
{
    struct ir_region r = sched_full_region(s, buffer);
    for (size_t i = 0; i < r.nranges; i++) {
        r.ranges[i].min = indices[i];
        r.ranges[i].extent = ir_int(s->m, indices[i]->dtype, 1);
    }
    return r;
}

/* The iterators that index the store give way to those of the layout, which
 * stand where the first of them stood. */
static void change_iters(const struct sched_fill *f, const struct in_order *o,
                         const struct walk *w, struct ir_block *b)
{
    struct schedule *s = f->s;
    struct ir_block old = *b;
    size_t n = 0;
    bool made = false;
    b->iters =
        ARENA_ARRAY(s->m->arena, old.niters + w->n + 1, struct ir_iter_var);
    b->iter_values =
        ARENA_ARRAY(s->m->arena, old.niters + w->n + 1, struct ir_expr *);
    for (size_t i = 0; i < old.niters; i++) {
        bool index = false;
        for (size_t d = 0; d < f->from->rank; d++)
            index |= o->iters[d] == i;
        if (!index) {
            b->iters[n] = old.iters[i];
            b->iter_values[n++] = old.iter_values[i];
        }
        for (size_t k = 0; k < w->n && index && !made; k++) {
            b->iters[n] = sched_iter(s, w->iters[k], f->l->shape[k]);
            b->iter_values[n++] = w->loop_refs[k];
        }
        made |= index;
    }
    b->niters = n;
}

static struct ir_stmt *padded_nest(const struct sched_fill *f,
                                   const struct in_order *o)
{
    struct schedule *s = f->s;
    struct walk w = walk_make(f);
    struct storing storing = {f, &w};
    struct ir_stmt *block = sched_path_end(&o->path);
    struct sched_map map = {.s = s, .store = store_padded, .user = &storing};
    for (size_t d = 0; d < f->from->rank; d++) {
        struct ir_expr *inverse = f->l->inverse[d];
        sched_map_add(&map, block->u.block->iters[o->iters[d]].var,
                      moved(f, inverse, w.iter_refs));
        sched_map_add(&map, o->path.nodes[o->top + d]->u.loop.var,
                      moved(f, inverse, w.loop_refs));
    }
    block = sched_map_stmt(&map, block);
    change_iters(f, o, &w, block->u.block);
    for (size_t i = 0; i < block->u.block->nwrites; i++)
        if (block->u.block->writes[i].buffer == f->from)
            block->u.block->writes[i] = point(s, f->to, w.iter_refs);
    ir_stmt_seal(block);
    size_t last = o->top + f->from->rank - 1;
    struct ir_stmt *loop = sched_replace_below(s, &o->path, last, block);
    return sched_nest(s, w.n, w.loops, f->l->shape, loop->u.loop.body);
}

/* ---- the other ways -------------------------------------------------------- */

/* A block that stores the padding, and nothing else. */
static struct ir_stmt *padding_nest(const struct sched_fill *f)
{
    struct schedule *s = f->s;
    struct walk w = walk_make(f);
    const char *name = sched_text(s, "buffer_%s_padding", f->to->name);
    struct ir_stmt *body =
        ir_store(s->m, f->to, value_at(f, w.iter_refs), w.n, w.iter_refs, NULL);
    struct ir_stmt *block =
        sched_block_make(s, name, w.n, w.iters, f->l->shape, w.loop_refs, body);
    block->u.block->predicate = moved(f, f->l->padding, w.loop_refs);
    return sched_nest(s, w.n, w.loops, f->l->shape, block);
}

static struct ir_stmt *assumption(const struct sched_fill *f)
{
    struct schedule *s = f->s;
    struct walk w = walk_make(f);
    const char *name = sched_text(s, "buffer_%s_assumptions", f->to->name);
    struct ir_expr *held = ir_load(s->m, f->to, w.n, w.iter_refs, NULL);
    struct ir_expr *cond = ir_binary(
        s->m, IR_OR, ir_not(s->m, moved(f, f->l->padding, w.iter_refs)),
        ir_binary(s->m, IR_EQ, held, value_at(f, w.iter_refs)));
    struct ir_expr *call = ir_call(s->m, DTYPE_BOOL, "tirx.assume", 1, &cond);
    struct ir_stmt *block =
        sched_block_make(s, name, w.n, w.iters, f->l->shape, w.loop_refs,
                         ir_evaluate(s->m, call));
    return sched_nest(s, w.n, w.loops, f->l->shape, block);
}

/* The outermost loop that the place of the block's store depends on, or the
 * block. */
static const struct ir_stmt *writer_nest(const struct sched_fill *f,
                                         struct ir_stmt *scope,
                                         const struct ir_stmt *block)
{
    struct sched_path path;
    size_t n;
    if (!sched_find_in(scope, block, &path))
        return block;
    struct ir_expr *const *indices =
        sched_indices_of(sched_path_end(&path), f->from, &n);
    for (size_t i = 1; i + 1 < path.n; i++) {
        if (path.nodes[i]->kind != IR_FOR)
            continue;
        if (!indices)
            return path.nodes[i];
        for (size_t k = 0; k < block->u.block->niters; k++)
            for (size_t d = 0; d < n; d++)
                if (ir_uses_var(indices[d], block->u.block->iters[k].var) &&
                    ir_uses_var(block->u.block->iter_values[k],
                                path.nodes[i]->u.loop.var))
                    return path.nodes[i];
    }
    return block;
}

/* ---- putting it in --------------------------------------------------------- */

struct exchange {
    size_t n;
    const struct ir_stmt *old[MAX_WRITERS];
    struct ir_stmt *new_[MAX_WRITERS];
};

static struct ir_stmt *exchange_one(void *user, struct ir_stmt *stmt)
{
    const struct exchange *x = user;
    for (size_t i = 0; i < x->n; i++)
        if (x->old[i] == stmt)
            return x->new_[i];
    return NULL;
}

static void add_exchange(struct exchange *x, const struct ir_stmt *old,
                         struct ir_stmt *new_)
{
    x->old[x->n] = old;
    x->new_[x->n++] = new_;
}

/* A block of its own behind the last writer. */
static struct ir_stmt *fill_behind(const struct sched_fill *f,
                                   struct ir_stmt *scope,
                                   const struct ir_stmt *writer)
{
    struct sched_path path;
    if (!sched_find_in(scope, writer_nest(f, scope, writer), &path))
        DC_BUG("the writer is not there");
    return sched_replace(
        f->s, &path, sched_seq(f->s, sched_path_end(&path), padding_nest(f)));
}

/* Writers that can be so store the padding along; whether there are any. */
static bool plan(const struct sched_fill *f, struct ir_stmt *scope,
                 const struct writers *w, struct exchange *x)
{
    struct in_order *o = dc_alloc(sizeof *o);
    for (size_t i = 0; i < w->n && w->all; i++)
        if (find_in_order(f, scope, w->items[i], o))
            add_exchange(x, o->path.nodes[o->top], padded_nest(f, o));
    dc_release(o);
    return x->n > 0;
}

struct ir_stmt *sched_fill_padding(const struct sched_fill *f,
                                   struct ir_stmt *scope)
{
    struct writers *w = dc_alloc(sizeof *w);
    struct exchange *x = dc_alloc(sizeof *x);
    struct ir_visitor visitor = {see_writer, NULL, w};
    struct ir_map map = {.m = f->s->m, .stmt = exchange_one, .user = x};
    w->buffer = f->from;
    w->all = true;
    ir_visit_stmt(&visitor, scope);
    if (w->n == 0) {
        struct ir_stmt *body = scope->u.block->body;
        scope =
            sched_with_body(f->s, scope, sched_seq(f->s, assumption(f), body));
    } else if (plan(f, scope, w, x)) {
        scope = ir_map_stmt(&map, scope);
    } else {
        scope = fill_behind(f, scope, w->items[w->n - 1]);
    }
    dc_release(x);
    dc_release(w);
    return scope;
}
