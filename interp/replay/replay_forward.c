/* SPDX-License-Identifier: Apache-2.0
 *
 * Products that reach a sum through a buffer or a name (A18), as compilers
 * hand a stored value on to the loads of it.
 *
 * A buffer of the function in which nothing but products are stored gets two
 * more beside it, for the factors: `B[i] = x * y` becomes `B1[i] = x`,
 * `B2[i] = y`, `B[i] = B1[i] * B2[i]`, and where a sum has the operand `B[i]` it
 * has `B1[i] * B2[i]`. The bits are the same until A1 fuses that product, whose
 * choice it is as if it had been written there. Names of products likewise; and
 * buffers into which such buffers are copied.
 */
#include "interp/replay/replay.h"

#include <string.h>

#define MAX_CARRIERS 64u /* more are left as they are */

/* A buffer or a name that holds products, and those of their factors. */
struct carrier {
    struct ir_buffer *buffer, *part[2];
    struct ir_var *var, *name[2];
    bool product; /* a product is stored, not only copies */
    bool other;   /* one that is no square, or may be */
};

struct forward {
    struct replay *r;
    size_t n;
    struct carrier c[MAX_CARRIERS];
    bool used; /* some sum has such an operand */
};

static struct carrier *find_buffer(struct forward *f, const struct ir_buffer *b)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->c[i].buffer == b)
            return &f->c[i];
    return NULL;
}

static struct carrier *find_name(struct forward *f, const struct ir_var *var)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->c[i].var == var)
            return &f->c[i];
    return NULL;
}

static bool is_product(const struct ir_expr *e)
{
    return e->kind == IR_MUL && dtype_is_float(e->dtype) && !e->dtype.scalable;
}

/* The carrier that the expression reads, or NULL. */
static struct carrier *carrier_of(struct forward *f, const struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF)
        return find_name(f, e->u.var);
    return e->kind == IR_LOAD && e->predicate == NULL
               ? find_buffer(f, e->u.buffer)
               : NULL;
}

/* ---- what carries products ------------------------------------------------------- */

static void add_buffer(struct forward *f, struct ir_buffer *b)
{
    if (f->n < MAX_CARRIERS && find_buffer(f, b) == NULL &&
        dtype_is_float(b->dtype) && b->dtype.lanes == 1 && !b->dtype.scalable &&
        b->nstrides == 0 && !replay_is_param(f->r, b) &&
        !replay_has_alias(f->r, b))
        f->c[f->n++] = (struct carrier){.buffer = b};
}

static void add_name(struct forward *f, struct ir_var *var,
                     const struct ir_expr *value)
{
    if (f->n < MAX_CARRIERS && is_product(value) &&
        dtype_equal(var->dtype, value->dtype))
        f->c[f->n++] = (struct carrier){
            .var = var, .product = true, .other = !replay_is_square(value)};
}

static bool collect_stmt(void *user, struct ir_stmt *s)
{
    struct forward *f = user;
    if (s->kind == IR_ALLOC)
        add_buffer(f, s->u.alloc.buffer);
    if (s->kind == IR_BLOCK)
        for (size_t i = 0; i < s->u.block->nallocs; i++)
            add_buffer(f, s->u.block->allocs[i]);
    if (s->kind == IR_BIND)
        add_name(f, s->u.bind.var, s->u.bind.value);
    return true;
}

static bool collect_expr(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LET)
        add_name(user, e->u.var, e->args[0]);
    return true;
}

/* Whether the store puts a product into b, or a copy of one; not of b itself,
 * whose factors it would overwrite before they are read. */
static bool stores_product(struct forward *f, const struct ir_stmt *s,
                           struct carrier *c)
{
    struct ir_expr *value = s->u.store.value;
    bool own = ir_loads(value, c->buffer);
    for (size_t i = 0; i < s->u.store.nindices; i++)
        own |= ir_loads(s->u.store.indices[i], c->buffer);
    if (own || s->u.store.predicate != NULL)
        return false;
    const struct carrier *from = carrier_of(f, value);
    if (is_product(value)) {
        c->product = true;
        c->other |= !replay_is_square(value);
    } else if (from != NULL) {
        c->product |= from->product;
        c->other |= from->other;
    }
    return (is_product(value) || from != NULL) &&
           dtype_equal(dtype_scalar(value->dtype), c->buffer->dtype);
}

struct sieve {
    struct forward *f;
    bool changed;
    bool drop[MAX_CARRIERS];
};

static bool sieve_stmt(void *user, struct ir_stmt *s)
{
    struct sieve *x = user;
    struct carrier *c =
        s->kind == IR_STORE ? find_buffer(x->f, s->u.store.buffer) : NULL;
    if (c == NULL)
        return true;
    bool product = c->product, other = c->other;
    x->drop[c - x->f->c] |= !stores_product(x->f, s, c);
    x->changed |= c->product != product || c->other != other;
    return true;
}

static void compact(struct sieve *x, bool without_product)
{
    size_t left = 0;
    for (size_t i = 0; i < x->f->n; i++) {
        bool drop = x->drop[i] || (without_product && !x->f->c[i].product);
        x->changed |= drop;
        if (!drop)
            x->f->c[left++] = x->f->c[i];
    }
    x->f->n = left;
}

/* Drops buffers that hold something else, until no more are. */
static void keep_carriers(struct forward *f)
{
    struct sieve x;
    do {
        memset(&x, 0, sizeof x);
        x.f = f;
        struct ir_visitor v = {sieve_stmt, NULL, &x};
        ir_visit_stmt(&v, f->r->body);
        compact(&x, !x.changed);
    } while (x.changed);
}

static bool is_sum(const struct ir_expr *e)
{
    return (e->kind == IR_ADD || e->kind == IR_SUB) && dtype_is_float(e->dtype);
}

static bool use_expr(void *user, struct ir_expr *e)
{
    struct forward *f = user;
    for (uint32_t i = 0; is_sum(e) && i < 2; i++)
        f->used |= carrier_of(f, e->args[i]) != NULL;
    return !f->used;
}

/* ---- the program with factors ------------------------------------------------------ */

static void make_parts(struct forward *f, struct carrier *c)
{
    struct ir_module *m = f->r->m;
    for (int k = 0; k < 2; k++) {
        if (c->var != NULL)
            c->name[k] = ir_var_make(m, c->var->name, c->var->dtype);
        else
            c->part[k] = ir_buffer_make(m, c->buffer->name, c->buffer->dtype,
                                        c->buffer->rank, c->buffer->shape, NULL,
                                        c->buffer->scope);
    }
}

/* The product that the carrier holds where e reads it; of one factor, where
 * that is to be seen. */
static struct ir_expr *read_product(struct forward *f, const struct carrier *c,
                                    const struct ir_expr *e)
{
    struct ir_module *m = f->r->m;
    struct ir_expr *x[2];
    for (int k = 0; k < 2; k++) {
        int from = f->r->with_squares && !c->other ? 0 : k;
        x[k] = c->var != NULL
                   ? ir_var_ref(m, c->name[from])
                   : ir_load(m, c->part[from], e->nargs, e->args, NULL);
    }
    struct ir_expr *product = ir_binary(m, IR_MUL, x[0], x[1]);
    product->pos = e->pos;
    return product;
}

static struct ir_expr *forward_expr(void *user, struct ir_expr *e)
{
    struct forward *f = user;
    struct ir_module *m = f->r->m;
    struct carrier *c = e->kind == IR_LET ? find_name(f, e->u.var) : NULL;
    if (c != NULL) {
        struct ir_expr *x = e->args[0];
        struct ir_expr *all =
            ir_let(m, c->var, read_product(f, c, x), e->args[1]);
        return ir_let(m, c->name[0], x->args[0],
                      ir_let(m, c->name[1], x->args[1], all));
    }
    if (!is_sum(e))
        return e;
    struct ir_expr *args[2] = {e->args[0], e->args[1]};
    bool changed = false;
    for (int k = 0; k < 2; k++) {
        c = carrier_of(f, args[k]);
        if (c != NULL)
            args[k] = read_product(f, c, args[k]);
        changed |= c != NULL;
    }
    return changed ? ir_rebuild(m, e, args, e->predicate) : e;
}

static struct ir_stmt *forward_stmt(void *user, struct ir_stmt *s);

static struct ir_map map_of(struct forward *f)
{
    return (struct ir_map){.m = f->r->m,
                           .user = f,
                           .stmt = forward_stmt,
                           .after = forward_expr,
                           .fresh = true};
}

static struct ir_stmt *forward_store(struct forward *f, const struct carrier *c,
                                     struct ir_stmt *s)
{
    struct ir_module *m = f->r->m;
    struct ir_map map = map_of(f);
    size_t n = s->u.store.nindices;
    struct ir_expr **at = ARENA_ARRAY(m->arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        at[i] = ir_map_expr(&map, s->u.store.indices[i]);
    struct ir_expr *value = ir_map_expr(&map, s->u.store.value);
    const struct carrier *from = carrier_of(f, value);
    if (from != NULL)
        value = read_product(f, from, value);
    struct ir_stmt *items[3];
    struct ir_expr *parts[2];
    for (int k = 0; k < 2; k++) {
        items[k] = ir_store(m, c->part[k], value->args[k], n, at, NULL);
        parts[k] = ir_load(m, c->part[k], n, at, NULL);
    }
    items[2] = ir_store(m, c->buffer, ir_binary(m, IR_MUL, parts[0], parts[1]),
                        n, at, NULL);
    return ir_seq(m, 3, items);
}

/* Statements that stand in a sequence for one of it: an allocation, a name. */
static size_t put_item(struct forward *f, struct ir_stmt *s,
                       struct ir_stmt **out)
{
    struct ir_module *m = f->r->m;
    struct carrier *c = s->kind == IR_ALLOC  ? find_buffer(f, s->u.alloc.buffer)
                        : s->kind == IR_BIND ? find_name(f, s->u.bind.var)
                                             : NULL;
    size_t n = 0;
    for (int k = 0; c != NULL && k < 2; k++) {
        struct ir_stmt *part = arena_memdup(m->arena, s, sizeof *s);
        if (c->var != NULL) {
            part->u.bind.var = c->name[k];
            part->u.bind.value = s->u.bind.value->args[k];
        } else {
            part->u.alloc.buffer = c->part[k];
        }
        ir_stmt_seal(part);
        out[n++] = part;
    }
    if (c != NULL && c->var != NULL) {
        struct ir_stmt *all = arena_memdup(m->arena, s, sizeof *s);
        all->u.bind.value = read_product(f, c, s->u.bind.value);
        ir_stmt_seal(all);
        s = all;
    }
    out[n++] = s;
    return n;
}

static struct ir_stmt *forward_seq(struct forward *f, struct ir_stmt *s)
{
    struct ir_module *m = f->r->m;
    struct ir_stmt **items =
        ARENA_ARRAY(m->arena, 3 * s->u.seq.n + 1, struct ir_stmt *);
    size_t n = 0;
    for (size_t i = 0; i < s->u.seq.n; i++)
        n += put_item(f, s->u.seq.items[i], items + n);
    if (n == s->u.seq.n)
        return NULL;
    struct ir_map map = map_of(f);
    return ir_map_below(&map, ir_seq(m, n, items));
}

static struct ir_stmt *forward_block(struct forward *f, struct ir_stmt *s)
{
    struct arena *arena = f->r->m->arena;
    const struct ir_block *old = s->u.block;
    struct ir_buffer **allocs =
        ARENA_ARRAY(arena, 3 * old->nallocs + 1, struct ir_buffer *);
    size_t n = 0;
    for (size_t i = 0; i < old->nallocs; i++) {
        struct carrier *c = find_buffer(f, old->allocs[i]);
        allocs[n++] = old->allocs[i];
        for (int k = 0; c != NULL && k < 2; k++)
            allocs[n++] = c->part[k];
    }
    if (n == old->nallocs)
        return NULL;
    struct ir_stmt *copy = arena_memdup(arena, s, sizeof *s);
    copy->u.block = arena_memdup(arena, old, sizeof *old);
    copy->u.block->allocs = allocs;
    copy->u.block->nallocs = n;
    struct ir_map map = map_of(f);
    return ir_map_below(&map, copy);
}

static struct ir_stmt *forward_stmt(void *user, struct ir_stmt *s)
{
    struct forward *f = user;
    struct carrier *c =
        s->kind == IR_STORE ? find_buffer(f, s->u.store.buffer) : NULL;
    if (c != NULL)
        return forward_store(f, c, s);
    if (s->kind == IR_SEQ)
        return forward_seq(f, s);
    return s->kind == IR_BLOCK ? forward_block(f, s) : NULL;
}

void replay_forward(struct replay *r)
{
    struct forward *f = ARENA_NEW(r->m->arena, struct forward);
    memset(f, 0, sizeof *f);
    f->r = r;
    struct ir_visitor collect = {collect_stmt, collect_expr, f};
    ir_visit_stmt(&collect, r->body);
    keep_carriers(f);
    struct ir_visitor use = {NULL, use_expr, f};
    ir_visit_stmt(&use, r->body);
    if (!f->used)
        return;
    for (size_t i = 0; i < f->n; i++)
        make_parts(f, &f->c[i]);
    struct ir_map map = map_of(f);
    r->body = ir_map_stmt(&map, r->body);
}
