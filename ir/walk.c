/* SPDX-License-Identifier: Apache-2.0
 *
 * What nodes are made of: the one place that knows the children of every kind,
 * and the walks and maps made of it.
 *
 * ir_stmt_parts goes through the places where a statement holds others and
 * expressions. A walk looks at what is there; a map copies the statement first,
 * and with it the arrays that hold its children, and then replaces what it
 * finds in the places of the copy. Everything recurses: the depth and the
 * unfolded size of all that is read are bounded.
 */
#include "ir/ir.h"

/* ---- parts ------------------------------------------------------------------ */

static void part_expr(const struct ir_parts *p, struct ir_expr **at)
{
    if (*at && p->expr)
        p->expr(p->user, at);
}

static void part_stmt(const struct ir_parts *p, struct ir_stmt **at)
{
    if (*at && p->stmt)
        p->stmt(p->user, at);
}

static void part_exprs(const struct ir_parts *p, size_t n,
                       struct ir_expr **items)
{
    for (size_t i = 0; i < n; i++)
        part_expr(p, &items[i]);
}

static void part_ranges(const struct ir_parts *p, size_t n,
                        struct ir_range *ranges)
{
    for (size_t i = 0; i < n; i++) {
        part_expr(p, &ranges[i].min);
        part_expr(p, &ranges[i].extent);
    }
}

static void part_regions(const struct ir_parts *p, size_t n,
                         const struct ir_region *regions)
{
    for (size_t i = 0; i < n; i++)
        part_ranges(p, regions[i].nranges, regions[i].ranges);
}

static void part_buffer(const struct ir_parts *p, struct ir_buffer *b)
{
    if (!p->buffers || !b)
        return;
    part_exprs(p, b->rank, b->shape);
    part_exprs(p, b->nstrides, b->strides);
    part_expr(p, &b->elem_offset);
}

static void part_block(const struct ir_parts *p, struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].has_dom)
            part_ranges(p, 1, &b->iters[i].dom);
    part_exprs(p, b->niters, b->iter_values);
    part_expr(p, &b->predicate);
    if (p->claims) {
        part_regions(p, b->nreads, b->reads);
        part_regions(p, b->nwrites, b->writes);
    }
    for (size_t i = 0; i < b->nallocs; i++)
        part_buffer(p, b->allocs[i]);
    for (size_t i = 0; i < b->nmatches; i++) {
        part_regions(p, 1, &b->matches[i].source);
        part_buffer(p, b->matches[i].buffer);
    }
    part_stmt(p, &b->init);
    part_stmt(p, &b->body);
}

void ir_stmt_parts(const struct ir_parts *p, struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            part_stmt(p, &s->u.seq.items[i]);
        break;
    case IR_FOR:
        part_expr(p, &s->u.loop.min);
        part_expr(p, &s->u.loop.extent);
        part_expr(p, &s->u.loop.step);
        part_stmt(p, &s->u.loop.body);
        break;
    case IR_WHILE:
        part_expr(p, &s->u.while_.cond);
        part_stmt(p, &s->u.while_.body);
        break;
    case IR_IF:
        part_expr(p, &s->u.if_.cond);
        part_stmt(p, &s->u.if_.then_);
        part_stmt(p, &s->u.if_.else_);
        break;
    case IR_BIND: part_expr(p, &s->u.bind.value); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: part_buffer(p, s->u.alloc.buffer); break;
    case IR_DECL_BUFFER:
        part_expr(p, &s->u.decl.value);
        part_buffer(p, s->u.decl.buffer);
        break;
    case IR_ATTR:
        part_expr(p, &s->u.attr.value);
        part_stmt(p, &s->u.attr.body);
        break;
    case IR_ASSERT:
        part_expr(p, &s->u.assert_.cond);
        part_exprs(p, s->u.assert_.nparts, s->u.assert_.parts);
        break;
    case IR_EVALUATE:
    case IR_RETURN: part_expr(p, &s->u.value); break;
    case IR_STORE:
        part_exprs(p, s->u.store.nindices, s->u.store.indices);
        part_expr(p, &s->u.store.value);
        part_expr(p, &s->u.store.predicate);
        break;
    case IR_BLOCK: part_block(p, s->u.block); break;
    case IR_BREAK: /* what they were read from says nothing more */
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
}

/* ---- walks ------------------------------------------------------------------ */

/* Walks only look, so that they take what is constant; a visitor is told of
 * nodes that it may change where it owns the module. */
static struct ir_stmt *own_stmt(const struct ir_stmt *s)
{
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } x = {s};
    return x.out;
}

static struct ir_expr *own_expr(const struct ir_expr *e)
{
    union {
        const struct ir_expr *in;
        struct ir_expr *out;
    } x = {e};
    return x.out;
}

struct below {
    struct ir_stmt *items[2];
    size_t n;
};

static void add_below(void *user, struct ir_stmt **at)
{
    struct below *x = user;
    x->items[x->n++] = *at;
}

struct ir_stmt *ir_stmt_below(const struct ir_stmt *s, size_t i)
{
    struct below x = {{NULL}, 0};
    struct ir_parts parts = {.stmt = add_below, .user = &x};
    if (s->kind == IR_SEQ)
        return i < s->u.seq.n ? s->u.seq.items[i] : NULL;
    ir_stmt_parts(&parts, own_stmt(s));
    return i < x.n ? x.items[i] : NULL;
}

void ir_visit_expr(const struct ir_visitor *v, const struct ir_expr *e)
{
    if (!e || !v->expr || !v->expr(v->user, own_expr(e)))
        return;
    for (uint32_t i = 0; i < e->nargs; i++)
        ir_visit_expr(v, e->args[i]);
    ir_visit_expr(v, e->predicate);
}

struct visit {
    const struct ir_visitor *v;
};

static void visit_expr_at(void *user, struct ir_expr **at)
{
    ir_visit_expr(((struct visit *)user)->v, *at);
}

static void visit_stmt_at(void *user, struct ir_stmt **at)
{
    ir_visit_stmt(((struct visit *)user)->v, *at);
}

void ir_visit_below(const struct ir_visitor *v, const struct ir_stmt *s)
{
    struct visit visit = {v};
    struct ir_parts parts = {.stmt = visit_stmt_at,
                             .expr = v->expr ? visit_expr_at : NULL,
                             .user = &visit,
                             .buffers = true};
    ir_stmt_parts(&parts, own_stmt(s));
}

void ir_visit_stmt(const struct ir_visitor *v, const struct ir_stmt *s)
{
    if (s && (!v->stmt || v->stmt(v->user, own_stmt(s))))
        ir_visit_below(v, s);
}

/* ---- questions -------------------------------------------------------------- */

bool ir_expr_any(const struct ir_expr *e, ir_expr_test *is, const void *user)
{
    if (!e)
        return false;
    bool found = is(user, e);
    for (uint32_t i = 0; i < e->nargs && !found; i++)
        found = ir_expr_any(e->args[i], is, user);
    return found || ir_expr_any(e->predicate, is, user);
}

struct search {
    ir_stmt_test *is;
    ir_expr_test *holds;
    const void *user;
    bool found;
};

static bool search_stmt(void *user, struct ir_stmt *s)
{
    struct search *x = user;
    x->found = x->found || (x->is && x->is(x->user, s));
    return !x->found;
}

static bool search_expr(void *user, struct ir_expr *e)
{
    struct search *x = user;
    x->found = x->found || ir_expr_any(e, x->holds, x->user);
    return false;
}

bool ir_stmt_any(const struct ir_stmt *s, ir_stmt_test *is, ir_expr_test *holds,
                 const void *user)
{
    struct search x = {is, holds, user, false};
    struct ir_visitor v = {search_stmt, holds ? search_expr : NULL, &x};
    ir_visit_stmt(&v, s);
    return x.found;
}

static bool is_use(const void *var, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && e->u.var == var;
}

bool ir_uses_var(const struct ir_expr *e, const struct ir_var *var)
{
    return ir_expr_any(e, is_use, var);
}

static bool is_load(const void *buffer, const struct ir_expr *e)
{
    return e->kind == IR_LOAD && e->u.buffer == buffer;
}

bool ir_loads(const struct ir_expr *e, const struct ir_buffer *buffer)
{
    return ir_expr_any(e, is_load, buffer);
}

static bool is_any_load(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD;
}

bool ir_has_load(const struct ir_expr *e)
{
    return ir_expr_any(e, is_any_load, NULL);
}

/* ---- maps ------------------------------------------------------------------- */

struct ir_expr *ir_map_operands(const struct ir_map *map, struct ir_expr *e)
{
    struct ir_expr *few[4], **args = few;
    bool changed = false;
    if (e->nargs > DC_ARRAY_LEN(few))
        args = ARENA_ARRAY(map->m->arena, e->nargs, struct ir_expr *);
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = ir_map_expr(map, e->args[i]);
        changed |= args[i] != e->args[i];
    }
    struct ir_expr *predicate = ir_map_expr(map, e->predicate);
    changed |= predicate != e->predicate;
    return changed ? ir_rebuild(map->m, e, args, predicate) : e;
}

struct ir_expr *ir_map_expr(const struct ir_map *map, struct ir_expr *e)
{
    if (!e)
        return NULL;
    struct ir_expr *other = map->before ? map->before(map->user, e) : NULL;
    if (other)
        return other;
    other = ir_map_operands(map, e);
    return map->after ? map->after(map->user, other) : other;
}

static void *copied(struct arena *arena, const void *items, size_t bytes)
{
    return bytes ? arena_memdup(arena, items, bytes) : NULL;
}

static struct ir_region *copied_regions(struct arena *arena, size_t n,
                                        const struct ir_region *regions)
{
    struct ir_region *out = copied(arena, regions, n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        out[i].ranges = copied(arena, out[i].ranges,
                               out[i].nranges * sizeof *out[i].ranges);
    return out;
}

static struct ir_block *copied_block(struct arena *arena,
                                     const struct ir_block *block)
{
    struct ir_block *b = arena_memdup(arena, block, sizeof *b);
    b->iters = copied(arena, b->iters, b->niters * sizeof *b->iters);
    b->iter_values =
        copied(arena, b->iter_values, b->niters * sizeof *b->iter_values);
    b->reads = copied_regions(arena, b->nreads, b->reads);
    b->writes = copied_regions(arena, b->nwrites, b->writes);
    b->matches = copied(arena, b->matches, b->nmatches * sizeof *b->matches);
    for (size_t i = 0; i < b->nmatches; i++) {
        struct ir_region *source = &b->matches[i].source;
        source->ranges = copied(arena, source->ranges,
                                source->nranges * sizeof *source->ranges);
    }
    return b;
}

struct ir_stmt *ir_stmt_copy(struct arena *arena, const struct ir_stmt *s)
{
    struct ir_stmt *copy = arena_memdup(arena, s, sizeof *s);
    if (s->kind == IR_SEQ)
        copy->u.seq.items =
            copied(arena, s->u.seq.items, s->u.seq.n * sizeof *s->u.seq.items);
    else if (s->kind == IR_STORE)
        copy->u.store.indices =
            copied(arena, s->u.store.indices,
                   s->u.store.nindices * sizeof *s->u.store.indices);
    else if (s->kind == IR_ASSERT)
        copy->u.assert_.parts =
            copied(arena, s->u.assert_.parts,
                   s->u.assert_.nparts * sizeof *s->u.assert_.parts);
    else if (s->kind == IR_BLOCK)
        copy->u.block = copied_block(arena, s->u.block);
    return copy;
}

struct mapping {
    const struct ir_map *map;
    bool changed;
};

static void map_expr_at(void *user, struct ir_expr **at)
{
    struct mapping *x = user;
    struct ir_expr *e = ir_map_expr(x->map, *at);
    x->changed |= e != *at;
    *at = e;
}

static void map_stmt_at(void *user, struct ir_stmt **at)
{
    struct mapping *x = user;
    struct ir_stmt *s = ir_map_stmt(x->map, *at);
    x->changed |= s != *at;
    *at = s;
}

struct ir_stmt *ir_map_below(const struct ir_map *map, struct ir_stmt *s)
{
    bool exprs = map->before || map->after;
    struct mapping x = {map, map->fresh};
    struct ir_parts parts = {.stmt = map_stmt_at,
                             .expr = exprs ? map_expr_at : NULL,
                             .user = &x,
                             .claims = map->claims};
    struct ir_stmt *copy = ir_stmt_copy(map->m->arena, s);
    ir_stmt_parts(&parts, copy);
    if (!x.changed)
        return s;
    ir_stmt_seal(copy);
    return copy;
}

struct ir_stmt *ir_map_stmt(const struct ir_map *map, struct ir_stmt *s)
{
    if (!s)
        return NULL;
    struct ir_stmt *other = map->stmt ? map->stmt(map->user, s) : NULL;
    return other ? other : ir_map_below(map, s);
}
