/* SPDX-License-Identifier: Apache-2.0
 *
 * Accumulators kept in a register of a wider type (A3 to A5).
 *
 * Over loops: where all that a loop does with a buffer concerns one cell, and
 * the cell's index does not change in the loop, the cell is a register while
 * the loop runs: read before it, rounded and stored after it, as compilers do
 * when they move loads and stores out of loops. The outermost such loop that
 * the setting admits is taken.
 *
 * To the end: a buffer that accumulates has the wider type throughout; a
 * parameter gets such a buffer beside it, which is copied from and to it.
 */
#include "interp/replay/replay.h"

#include <string.h>

struct keeper {
    struct replay *r;
    struct dtype to;        /* the wider type */
    enum num_product terms; /* A5 */
    unsigned loops;         /* at most so many; 0: any */
    /* of the buffer that is being kept: */
    struct ir_buffer *from, *reg;
    struct ir_expr *at; /* index into reg; NULL: the buffer's own indices */
};

/* ---- what may be kept ------------------------------------------------------------- */

static bool alias_expr(const void *user, const struct ir_expr *e)
{
    const struct ir_buffer *b = user;
    if (e->kind == IR_VAR_REF)
        return e->u.var == b->data;
    return (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
           e->u.buffer->data == b->data &&
           (e->u.buffer != b || e->kind == IR_BUFFER_REF);
}

static bool alias_stmt(const void *user, const struct ir_stmt *s)
{
    const struct ir_buffer *b = user;
    bool found = false;
    if (s->kind == IR_STORE)
        return s->u.store.buffer->data == b->data && s->u.store.buffer != b;
    if (s->kind == IR_DECL_BUFFER)
        return s->u.decl.buffer->data == b->data;
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nmatches; i++)
        found |= s->u.block->matches[i].source.buffer->data == b->data;
    return found;
}

bool replay_has_alias(const struct replay *r, const struct ir_buffer *b)
{
    bool found = ir_stmt_any(r->body, alias_stmt, alias_expr, b);
    for (size_t i = 0; i < r->func->prim.nparams; i++) {
        const struct ir_buffer *p = r->func->prim.params[i].buffer;
        found |= p != NULL && p != b && p->data == b->data;
    }
    return found;
}

bool replay_is_cell(const void *user, const struct ir_expr *e)
{
    const struct ir_stmt *s = user;
    if (e->kind != IR_LOAD || e->u.buffer != s->u.store.buffer ||
        e->nargs != s->u.store.nindices)
        return false;
    for (size_t i = 0; i < e->nargs; i++)
        if (!ir_expr_same(e->args[i], s->u.store.indices[i]))
            return false;
    return true;
}

/* Whether the store puts into a cell a value made from the same cell. */
static bool accumulates(const struct ir_stmt *s)
{
    return ir_expr_any(s->u.store.value, replay_is_cell, s);
}

static bool keepable(const struct keeper *k, const struct ir_stmt *s)
{
    struct dtype t = s->u.store.buffer->dtype;
    return dtype_is_float(t) && t.lanes == 1 && !t.scalable &&
           t.bits < k->to.bits && s->u.store.predicate == NULL &&
           accumulates(s) && !replay_has_alias(k->r, s->u.store.buffer);
}

/* ---- uses of the buffer ------------------------------------------------------------- */

static struct dtype wide_of(const struct keeper *k, struct dtype t)
{
    return dtype_with_lanes(k->to, t.lanes);
}

static struct ir_expr *read_register(const struct keeper *k, struct ir_expr *e)
{
    struct ir_expr *at = k->at;
    return at != NULL ? ir_load(k->r->m, k->reg, 1, &at, NULL)
                      : ir_load(k->r->m, k->reg, e->nargs, e->args, NULL);
}

static struct ir_expr *replace_load(void *user, struct ir_expr *e)
{
    const struct keeper *k = user;
    if (e->kind != IR_LOAD || e->u.buffer != k->from)
        return e;
    return ir_cast(k->r->m, e->dtype, read_register(k, e));
}

static struct ir_expr *replaced(struct keeper *k, struct ir_expr *e)
{
    struct ir_map map = {
        .m = k->r->m, .user = k, .after = replace_load, .fresh = true};
    return ir_map_expr(&map, e);
}

/* What is combined with the register, in its type. */
static struct ir_expr *term(struct keeper *k, struct ir_expr *e)
{
    struct ir_module *m = k->r->m;
    struct dtype to = wide_of(k, e->dtype);
    if (k->terms == NUM_PRODUCT_WIDE)
        return replay_wide(k->r, k->to, e);
    if (k->terms == NUM_PRODUCT_FACTORS && e->kind == IR_MUL)
        return ir_binary(m, IR_MUL, ir_cast(m, to, e->args[0]),
                         ir_cast(m, to, e->args[1]));
    return ir_cast(m, to, e);
}

/* The value of e in the wider type: what is between the accumulator and the
 * store is computed there, what is added to it as A5 says. */
static struct ir_expr *accumulate(struct keeper *k, struct ir_expr *e)
{
    struct ir_module *m = k->r->m;
    if (!ir_loads(e, k->from))
        return term(k, e);
    if (e->kind == IR_LOAD)
        return read_register(k, e);
    bool choice = e->kind == IR_SELECT ||
                  (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE);
    bool fused = e->kind == IR_CALL && e->u.call.op == IR_OP_FMA;
    if (!choice && !fused && !(e->kind >= IR_ADD && e->kind <= IR_MAX))
        return ir_cast(m, wide_of(k, e->dtype), replaced(k, e));
    struct ir_expr *args[3];
    for (uint32_t i = 0; i < e->nargs; i++)
        args[i] = choice && i == 0 ? replaced(k, e->args[i])
                                   : accumulate(k, e->args[i]);
    return e->kind == IR_CALL ? ir_call(m, wide_of(k, e->dtype), e->u.call.name,
                                        e->nargs, args)
                              : ir_rebuild(m, e, args, e->predicate);
}

static struct ir_stmt *replace_store(void *user, struct ir_stmt *s)
{
    struct keeper *k = user;
    if (s->kind != IR_STORE || s->u.store.buffer != k->from)
        return NULL;
    struct ir_expr *value = accumulate(k, s->u.store.value);
    struct ir_expr *at = k->at;
    struct ir_stmt *out =
        at != NULL ? ir_store(k->r->m, k->reg, value, 1, &at, NULL)
                   : ir_store(k->r->m, k->reg, value, s->u.store.nindices,
                              s->u.store.indices, NULL);
    out->pos = s->pos;
    return out;
}

static struct ir_stmt *replace_all(struct keeper *k, struct ir_stmt *s)
{
    struct ir_map map = {.m = k->r->m,
                         .user = k,
                         .stmt = replace_store,
                         .after = replace_load,
                         .fresh = true};
    return ir_map_stmt(&map, s);
}

static void remember(struct keeper *k)
{
    struct replay *r = k->r;
    if (r->nkept < DC_ARRAY_LEN(r->kept))
        r->kept[r->nkept++] = k->reg;
}

/* ---- one cell over a loop -------------------------------------------------------------- */

#define MAX_INNER 32u
struct scan {
    struct keeper *k;
    const struct ir_buffer *b;
    struct replay_subst subst; /* block iterators and bound names, outside in */
    struct replay_subst least; /* the same with loops at their minimum */
    const struct ir_var *inner[MAX_INNER];
    size_t ninner;
    unsigned depth, loops; /* loops around; around the accumulating store */
    size_t n;
    struct ir_expr **indices; /* of the cell, by names outside of the loop */
    bool fails, has_init, in_init;
    bool guarded, some_guarded; /* here; at some access */
    struct ir_expr *later; /* holds where no init runs first; NULL: never */
    bool always;           /* where there is no init */
};

static void scan_stmt(struct scan *x, struct ir_stmt *s);

/* What may not be the same in all iterations. */
static bool is_inner(const void *user, const struct ir_expr *e)
{
    const struct scan *x = user;
    for (size_t i = 0; i < x->ninner && e->kind == IR_VAR_REF; i++)
        if (e->u.var == x->inner[i])
            return true;
    return e->kind == IR_LOAD || (e->kind == IR_CALL && e->nargs == 0);
}

static void scan_access(struct scan *x, size_t n, struct ir_expr **indices)
{
    bool first = x->indices == NULL;
    x->some_guarded |= x->guarded;
    if (first) {
        x->n = n;
        x->indices = ARENA_ARRAY(x->k->r->m->arena, n + 1, struct ir_expr *);
    }
    x->fails |= n != x->n;
    for (size_t i = 0; i < n && !x->fails; i++) {
        struct ir_expr *e = replay_subst_expr(&x->subst, indices[i]);
        if (first)
            x->indices[i] = e;
        x->fails |= ir_expr_any(e, is_inner, x) ||
                    !ir_expr_same(e, x->indices[i]) || e->dtype.lanes > 1;
    }
}

static bool scan_expr(void *user, struct ir_expr *e)
{
    struct scan *x = user;
    if (e->kind == IR_LOAD && e->u.buffer == x->b)
        scan_access(x, e->nargs, e->args);
    return !x->fails;
}

static void scan_exprs(struct scan *x, struct ir_expr *e)
{
    struct ir_visitor v = {NULL, scan_expr, x};
    if (e != NULL)
        ir_visit_expr(&v, e);
}

static void add_inner(struct scan *x, const struct ir_var *var)
{
    if (x->ninner == MAX_INNER)
        x->fails = true;
    else
        x->inner[x->ninner++] = var;
}

/* The init of a block runs at the first iteration unless a reduction iterator
 * is past its minimum for reasons outside of the loop. */
static void scan_init(struct scan *x, const struct ir_block *b)
{
    struct ir_module *m = x->k->r->m;
    x->has_init = true;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        if (iter->type != IR_ITER_REDUCE || !iter->has_dom)
            continue;
        struct ir_expr *at = replay_subst_expr(&x->least, b->iter_values[i]);
        int64_t have, want;
        if (ir_const_int(at, &have) && ir_const_int(iter->dom.min, &want)) {
            if (have != want)
                x->always = true;
            continue;
        }
        if (!dtype_equal(at->dtype, iter->dom.min->dtype)) {
            x->always = true;
            continue;
        }
        struct ir_expr *past = ir_binary(m, IR_NE, at, iter->dom.min);
        x->later =
            x->later == NULL ? past : ir_binary(m, IR_OR, x->later, past);
    }
}

static void scan_block(struct scan *x, struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    size_t mark = x->subst.n, least = x->least.n;
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_expr *e = b->iter_values[i];
        scan_exprs(x, e);
        if (!replay_subst_add(&x->subst, b->iters[i].var,
                              replay_subst_expr(&x->subst, e)) ||
            !replay_subst_add(&x->least, b->iters[i].var,
                              replay_subst_expr(&x->least, e)))
            x->fails = true;
    }
    scan_exprs(x, b->predicate);
    bool guarded = x->guarded;
    x->guarded |= !ir_is_true(b->predicate);
    if (b->init != NULL) {
        bool had = x->indices != NULL;
        x->in_init = true;
        scan_stmt(x, b->init);
        x->in_init = false;
        if (x->indices != NULL && !had) {
            scan_init(x, b);
            x->always |= x->guarded;
        }
    }
    for (size_t i = 0; i < b->nallocs; i++)
        x->fails |= b->allocs[i] == x->b;
    for (size_t i = 0; i < b->nmatches; i++)
        x->fails |= b->matches[i].buffer == x->b;
    scan_stmt(x, b->body);
    x->guarded = guarded;
    x->subst.n = mark;
    x->least.n = least;
}

static void scan_loop(struct scan *x, struct ir_stmt *s)
{
    scan_exprs(x, s->u.loop.min);
    scan_exprs(x, s->u.loop.extent);
    size_t least = x->least.n;
    add_inner(x, s->u.loop.var);
    if (!replay_subst_add(&x->least, s->u.loop.var,
                          replay_subst_expr(&x->least, s->u.loop.min)))
        x->fails = true;
    bool unit = ir_is_const_int(s->u.loop.extent, 1);
    bool serial =
        s->u.loop.kind == IR_FOR_SERIAL || s->u.loop.kind == IR_FOR_UNROLLED;
    size_t seen = x->loops;
    x->depth += !unit;
    scan_stmt(x, s->u.loop.body);
    /* it is no order of one thread */
    x->fails |= !serial && x->loops != seen;
    x->depth -= !unit;
    x->least.n = least;
}

static void scan_store(struct scan *x, struct ir_stmt *s)
{
    scan_exprs(x, s->u.store.value);
    for (size_t i = 0; i < s->u.store.nindices; i++)
        scan_exprs(x, s->u.store.indices[i]);
    if (s->u.store.buffer != x->b)
        return;
    scan_access(x, s->u.store.nindices, s->u.store.indices);
    x->fails |= s->u.store.predicate != NULL;
    if (!x->in_init && x->depth > x->loops)
        x->loops = x->depth;
}

static void scan_if(struct scan *x, struct ir_stmt *s)
{
    bool guarded = x->guarded;
    scan_exprs(x, s->u.if_.cond);
    x->guarded = true;
    scan_stmt(x, s->u.if_.then_);
    scan_stmt(x, s->u.if_.else_);
    x->guarded = guarded;
}

static void scan_bind(struct scan *x, struct ir_stmt *s)
{
    const struct ir_var *var = s->u.bind.var;
    scan_exprs(x, s->u.bind.value);
    if (!dtype_is_int(var->dtype))
        add_inner(x, var);
    else if (!replay_subst_add(&x->subst, var,
                               replay_subst_expr(&x->subst, s->u.bind.value)))
        x->fails = true;
}

static void scan_stmt(struct scan *x, struct ir_stmt *s)
{
    if (s == NULL || x->fails)
        return;
    size_t mark = x->subst.n;
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            scan_stmt(x, s->u.seq.items[i]);
        x->subst.n = mark;
        break;
    case IR_FOR: scan_loop(x, s); break;
    case IR_IF: scan_if(x, s); break;
    case IR_BIND: scan_bind(x, s); break;
    case IR_ATTR:
        scan_exprs(x, s->u.attr.value);
        scan_stmt(x, s->u.attr.body);
        break;
    case IR_ASSERT: scan_exprs(x, s->u.assert_.cond); break;
    case IR_EVALUATE: scan_exprs(x, s->u.value); break;
    case IR_STORE: scan_store(x, s); break;
    case IR_BLOCK: scan_block(x, s); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST: x->fails |= s->u.alloc.buffer == x->b; break;
    case IR_DECL_BUFFER: x->fails |= s->u.decl.buffer == x->b; break;
    case IR_WHILE:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: x->fails = true; break;
    }
}

/* 0 <= index < extent, for each dimension. */
static struct ir_expr *inside(struct keeper *k, const struct scan *x)
{
    struct ir_module *m = k->r->m;
    struct ir_expr *all = NULL;
    for (size_t i = 0; i < x->n; i++) {
        struct ir_expr *at = x->indices[i], *end = k->from->shape[i];
        if (!dtype_equal(at->dtype, end->dtype))
            end = ir_cast(m, at->dtype, end);
        struct ir_expr *fits = ir_binary(
            m, IR_AND, ir_binary(m, IR_GE, at, ir_int(m, at->dtype, 0)),
            ir_binary(m, IR_LT, at, end));
        all = all == NULL ? fits : ir_binary(m, IR_AND, all, fits);
    }
    return all;
}

static struct ir_stmt *around_loop(struct keeper *k, const struct scan *x,
                                   struct ir_stmt *loop)
{
    struct ir_module *m = k->r->m;
    struct ir_stmt *alloc;
    struct dtype own = k->from->dtype;
    k->reg = replay_register(m, "accumulator", k->to, 1, &alloc);
    k->at = ir_int(m, DTYPE_INT32, 0);
    remember(k);
    struct ir_stmt *body = replace_all(k, loop);
    struct ir_expr *cell = ir_load(m, k->from, x->n, x->indices, NULL);
    struct ir_stmt *load =
        ir_store(m, k->reg, ir_cast(m, k->to, cell), 1, &k->at, NULL);
    struct ir_expr *value = ir_load(m, k->reg, 1, &k->at, NULL);
    struct ir_stmt *store =
        ir_store(m, k->from, ir_cast(m, own, value), x->n, x->indices, NULL);
    if (x->some_guarded && x->n > 0) {
        load = replay_if(m, inside(k, x), load);
        store = replay_if(m, inside(k, x), store);
    }
    if (x->has_init && !x->always && x->later == NULL)
        load = NULL;
    else if (x->has_init && !x->always)
        load = replay_if(m, x->later, load);
    struct ir_stmt *items[4] = {alloc, load, body, store};
    if (load == NULL) {
        items[1] = body;
        items[2] = store;
    }
    return ir_seq(m, load == NULL ? 3 : 4, items);
}

/* ---- finding accumulators ------------------------------------------------------------------ */

struct finder {
    struct keeper *k;
    size_t n;
    struct ir_buffer *found[64];
};

static bool find_store(void *user, struct ir_stmt *s)
{
    struct finder *f = user;
    if (s->kind != IR_STORE)
        return true;
    for (size_t i = 0; i < f->n; i++)
        if (f->found[i] == s->u.store.buffer)
            return true;
    if (f->n < DC_ARRAY_LEN(f->found) && keepable(f->k, s))
        f->found[f->n++] = s->u.store.buffer;
    return true;
}

static struct finder find_accumulators(struct keeper *k, struct ir_stmt *s)
{
    struct finder f;
    memset(&f, 0, sizeof f);
    f.k = k;
    struct ir_visitor v = {find_store, NULL, &f};
    ir_visit_stmt(&v, s);
    return f;
}

/* Where a compiler rounds at the end of each turn (A20). */
static bool is_group_loop(const struct replay *r, const struct ir_stmt *s)
{
    for (size_t i = 0; i < r->ngroups; i++)
        if (r->groups[i] == s->u.loop.var)
            return true;
    return false;
}

/* Other buffers may have cells in loops further in. */
static struct ir_stmt *keep_in_loop(void *user, struct ir_stmt *s)
{
    struct keeper *k = user;
    if (s->kind != IR_FOR ||
        (s->u.loop.kind != IR_FOR_SERIAL &&
         s->u.loop.kind != IR_FOR_UNROLLED) ||
        ir_is_const_int(s->u.loop.extent, 1) ||
        ir_is_const_int(s->u.loop.extent, 0) || is_group_loop(k->r, s))
        return NULL;
    struct finder f = find_accumulators(k, s);
    struct ir_stmt *out = s;
    struct scan *x = ARENA_NEW(k->r->m->arena, struct scan);
    for (size_t i = 0; i < f.n; i++) {
        memset(x, 0, sizeof *x);
        x->k = k;
        x->b = k->from = f.found[i];
        x->subst.m = x->least.m = k->r->m;
        scan_stmt(x, s);
        if (x->fails || x->indices == NULL || x->loops == 0 ||
            (k->loops > 0 && x->loops > k->loops))
            continue;
        out = around_loop(k, x, out);
    }
    struct ir_map map = {
        .m = k->r->m, .user = k, .stmt = keep_in_loop, .fresh = true};
    return out == s ? NULL : ir_map_below(&map, out);
}

static struct keeper keeper_of(struct replay *r)
{
    struct keeper k;
    memset(&k, 0, sizeof k);
    k.r = r;
    k.to = r->profile->set[NUM_T_KEEP_TYPE] == NUM_KEEP_FLOAT64
               ? dtype_make(DT_FLOAT, 64, 1)
               : DTYPE_FLOAT32;
    k.terms = (enum num_product)r->profile->set[NUM_T_PRODUCT];
    return k;
}

void replay_keep_loops(struct replay *r)
{
    unsigned keep = r->profile->set[NUM_T_KEEP];
    struct keeper k = keeper_of(r);
    k.loops = keep == NUM_KEEP_LOOPS ? 0 : keep;
    struct ir_map map = {
        .m = r->m, .user = &k, .stmt = keep_in_loop, .fresh = true};
    r->body = ir_map_stmt(&map, r->body);
}

/* ---- to the end -------------------------------------------------------------------------------- */

static struct ir_stmt *copy_loops(struct keeper *k, bool in)
{
    struct ir_module *m = k->r->m;
    size_t n = k->from->rank;
    struct ir_expr **at = ARENA_ARRAY(m->arena, n + 1, struct ir_expr *);
    struct ir_var **vars = ARENA_ARRAY(m->arena, n + 1, struct ir_var *);
    for (size_t i = 0; i < n; i++) {
        vars[i] = ir_var_make(m, "i", k->from->shape[i]->dtype);
        at[i] = ir_var_ref(m, vars[i]);
    }
    struct ir_buffer *from = in ? k->from : k->reg;
    struct ir_buffer *to = in ? k->reg : k->from;
    struct ir_expr *v = ir_cast(m, to->dtype, ir_load(m, from, n, at, NULL));
    struct ir_stmt *s = ir_store(m, to, v, n, at, NULL);
    for (size_t i = n; i-- > 0;) {
        s = replay_for(m, vars[i], ir_int(m, vars[i]->dtype, 0), 1, s);
        s->u.loop.extent = k->from->shape[i];
        ir_stmt_seal(s);
    }
    return s;
}

bool replay_is_param(const struct replay *r, const struct ir_buffer *b)
{
    for (size_t i = 0; i < r->func->prim.nparams; i++)
        if (r->func->prim.params[i].buffer == b)
            return true;
    return false;
}

/* Allocations of the buffer become those of the wider one. */
static struct ir_stmt *replace_alloc(void *user, struct ir_stmt *s)
{
    struct keeper *k = user;
    if (s->kind == IR_ALLOC && s->u.alloc.buffer == k->from) {
        struct ir_stmt *copy = arena_memdup(k->r->m->arena, s, sizeof *s);
        copy->u.alloc.buffer = k->reg;
        return copy;
    }
    if (s->kind != IR_BLOCK)
        return replace_store(user, s);
    struct ir_block *b = s->u.block;
    bool here = false;
    for (size_t i = 0; i < b->nallocs; i++)
        here |= b->allocs[i] == k->from;
    if (!here)
        return NULL;
    struct arena *arena = k->r->m->arena;
    struct ir_stmt *copy = arena_memdup(arena, s, sizeof *s);
    copy->u.block = b = arena_memdup(arena, b, sizeof *b);
    b->allocs = arena_memdup(arena, b->allocs, b->nallocs * sizeof *b->allocs);
    for (size_t i = 0; i < b->nallocs; i++)
        if (b->allocs[i] == k->from)
            b->allocs[i] = k->reg;
    struct ir_map map = {.m = k->r->m,
                         .user = k,
                         .stmt = replace_alloc,
                         .after = replace_load,
                         .fresh = true};
    return ir_map_below(&map, copy);
}

/* The buffer everywhere in the function. */
static void replace_whole(struct keeper *k)
{
    struct ir_map map = {.m = k->r->m,
                         .user = k,
                         .stmt = replace_alloc,
                         .after = replace_load,
                         .fresh = true};
    k->r->body = ir_map_stmt(&map, k->r->body);
}

/* ---- bfloat16 or float8 as float32 ------------------------------------------------------------ */

static bool find_own(void *user, struct ir_stmt *s)
{
    struct finder *f = user;
    struct ir_buffer *b = s->kind == IR_STORE ? s->u.store.buffer : NULL;
    if (b == NULL || !replay_kept_type(f->k->r, b->dtype) ||
        b->dtype.lanes != 1 || b->nstrides != 0 ||
        replay_is_param(f->k->r, b) || replay_has_alias(f->k->r, b))
        return true;
    for (size_t i = 0; i < f->n; i++)
        if (f->found[i] == b)
            return true;
    if (f->n < DC_ARRAY_LEN(f->found))
        f->found[f->n++] = b;
    return true;
}

/* The function's own buffers of the type become float32. */
void replay_keep_own(struct replay *r)
{
    struct keeper k = {.r = r, .to = DTYPE_FLOAT32, .terms = NUM_PRODUCT_WIDE};
    struct finder f = {.k = &k};
    struct ir_visitor v = {find_own, NULL, &f};
    ir_visit_stmt(&v, r->body);
    for (size_t i = 0; i < f.n; i++) {
        struct ir_buffer *b = k.from = f.found[i];
        k.reg = ir_buffer_make(r->m, b->name, k.to, b->rank, b->shape, NULL,
                               b->scope);
        remember(&k);
        replace_whole(&k);
    }
}

void replay_keep_end(struct replay *r)
{
    struct keeper k = keeper_of(r);
    struct finder f = find_accumulators(&k, r->body);
    for (size_t i = 0; i < f.n; i++) {
        struct ir_module *m = r->m;
        struct ir_buffer *b = k.from = f.found[i];
        bool param = replay_is_param(r, b);
        if (b->nstrides != 0 && !param)
            continue;
        k.reg = ir_buffer_make(m, b->name, dtype_with_lanes(k.to, 1), b->rank,
                               b->shape, NULL, param ? "global" : b->scope);
        remember(&k);
        if (param) {
            struct ir_stmt *alloc = ir_stmt_make(m, IR_ALLOC);
            alloc->u.alloc.buffer = k.reg;
            ir_stmt_seal(alloc);
            struct ir_stmt *items[4] = {alloc, copy_loops(&k, true),
                                        replace_all(&k, r->body),
                                        copy_loops(&k, false)};
            r->body = ir_seq(m, 4, items);
        } else {
            replace_whole(&k);
        }
    }
}
