/* SPDX-License-Identifier: Apache-2.0
 *
 * cache_index: arithmetic in a block's stores that depends on nothing but its
 * iterators is done once for all of their values, by new blocks in front, and
 * looked up in new buffers.
 *
 * What is taken: in the value of each store directly in the block, the largest
 * parts that load nothing and are more than a variable or number. With a
 * threshold, a part that occurs less often (where it is stored counts, too) is
 * given up for the parts below it.
 * Parts are the same that simplify to the same; the largest come first.
 *
 * Legal where each part uses iterators of the block alone, bound to constant
 * ranges, and cannot fault: what divides is a constant other than 0, since the
 * new blocks also run for values that a guard leaves out. Follows TVM,
 * s_tir/schedule/primitive/cache_index.cc; beyond it, the new blocks' domains
 * hold all values, and buffers of several dimensions have no strides. A part
 * without iterators stays where it is.
 */
#include "schedule/schedule_private.h"

#define MAX_PARTS 32u

struct part {
    struct ir_expr *expr, *plain; /* as it stands, simplified */
    size_t count;
    bool taken;
    size_t nvars;
    const struct ir_iter_var *vars[SCHED_MAX_PATH]; /* in order of use */
    struct ir_buffer *buffer;
    struct ir_stmt *nest;
};

struct indexing {
    struct schedule *s;
    struct sched_path path;
    const struct ir_block *block;
    struct sched_env env; /* loops of the scope around the block */
    size_t n;
    struct part parts[MAX_PARTS];
    bool good;
};

/* ---- parts ----------------------------------------------------------------- */

static bool is_impure(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD || e->kind == IR_BUFFER_REF ||
           e->kind == IR_STRING_IMM || e->kind == IR_LET ||
           (e->kind == IR_CALL &&
            !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE));
}

static bool is_variable(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_VAR_REF;
}

static bool is_part(const struct ir_expr *e)
{
    return e->size > 1 && e->dtype.lanes == 1 && e->kind != IR_RAMP &&
           e->kind != IR_BROADCAST && !ir_expr_any(e, is_impure, NULL) &&
           ir_expr_any(e, is_variable, NULL);
}

static void add_part(struct indexing *x, struct ir_expr *e, size_t count)
{
    struct ir_expr *plain = sched_simplify(x->s, NULL, e);
    for (size_t i = 0; i < x->n; i++)
        if (ir_expr_same(x->parts[i].plain, plain)) {
            x->parts[i].count += count;
            return;
        }
    if (x->n == MAX_PARTS) {
        x->good =
            sched_unsupported(x->s, "more than %u parts of indices", MAX_PARTS);
        return;
    }
    x->parts[x->n++] = (struct part){.expr = e, .plain = plain, .count = count};
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct indexing *x = user;
    if (!is_part(e))
        return true;
    add_part(x, e, 1);
    return false;
}

static bool see_store(void *user, struct ir_stmt *stmt)
{
    struct indexing *x = user;
    struct ir_visitor visitor = {NULL, see_expr, x};
    if (stmt->kind != IR_STORE)
        return stmt->kind != IR_BLOCK;
    ir_visit_expr(&visitor, stmt->u.store.value);
    for (size_t i = 0; i < stmt->u.store.nindices; i++)
        ir_visit_expr(&visitor, stmt->u.store.indices[i]);
    return true;
}

/* Parts that occur less often than the threshold, for those below them. */
static void give_up(struct indexing *x, int64_t threshold)
{
    struct ir_visitor visitor = {NULL, see_expr, x};
    for (size_t i = 0; i < x->n && x->good; i++) {
        struct ir_expr *e = x->parts[i].expr;
        size_t count = x->parts[i].count;
        for (uint32_t k = 0; k < e->nargs && count < (uint64_t)threshold; k++)
            for (size_t times = 0; times < count; times++)
                ir_visit_expr(&visitor, e->args[k]);
    }
}

/* ---- order ----------------------------------------------------------------- */

struct ordering {
    struct indexing *x;
    int64_t threshold;
    size_t n;
    size_t order[MAX_PARTS];
};

/* In the order in which they are come by from below, as in TVM. */
static void order_expr(struct ordering *o, struct ir_expr *e)
{
    for (uint32_t i = 0; i < e->nargs; i++)
        order_expr(o, e->args[i]);
    if (!is_part(e))
        return;
    struct ir_expr *plain = sched_simplify(o->x->s, NULL, e);
    for (size_t i = 0; i < o->x->n; i++) {
        struct part *p = &o->x->parts[i];
        if (p->taken || p->count < (uint64_t)o->threshold ||
            !ir_expr_same(p->plain, plain))
            continue;
        p->taken = true;
        o->order[o->n++] = i;
    }
}

static bool order_store(void *user, struct ir_stmt *stmt)
{
    struct ordering *o = user;
    if (stmt->kind == IR_STORE)
        order_expr(o, stmt->u.store.value);
    return stmt->kind != IR_BLOCK;
}

/* Those that are taken, the largest first, and no others. */
static void sort_parts(struct indexing *x, int64_t threshold)
{
    struct ordering *o = dc_alloc(sizeof *o);
    struct ir_visitor visitor = {order_store, NULL, o};
    struct part *old = arena_memdup(x->s->m->arena, x->parts, sizeof x->parts);
    o->x = x;
    o->threshold = threshold;
    ir_visit_stmt(&visitor, x->block->body);
    for (size_t i = 1; i < o->n; i++)
        for (size_t j = i; j > 0 && old[o->order[j]].expr->size >
                                        old[o->order[j - 1]].expr->size;
             j--) {
            size_t t = o->order[j];
            o->order[j] = o->order[j - 1];
            o->order[j - 1] = t;
        }
    for (size_t i = 0; i < o->n; i++)
        x->parts[i] = old[o->order[i]];
    x->n = o->n;
    dc_release(o);
}

/* ---- conditions ------------------------------------------------------------ */

static bool add_iterator(struct indexing *x, struct part *p,
                         const struct ir_var *var)
{
    const struct ir_block *b = x->block;
    for (size_t i = 0; i < p->nvars; i++)
        if (p->vars[i]->var == var)
            return true;
    for (size_t i = 0; i < b->niters && p->nvars < SCHED_MAX_PATH; i++)
        if (b->iters[i].var == var) {
            p->vars[p->nvars++] = &b->iters[i];
            return true;
        }
    return sched_unsupported(x->s,
                             "block '%s': an index depends on '%s', which is "
                             "no iterator of it",
                             b->name, var->name);
}

static bool check_part(struct indexing *x, struct part *p, struct ir_expr *e)
{
    int64_t divisor;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!check_part(x, p, e->args[i]))
            return false;
    if (e->kind == IR_VAR_REF)
        return add_iterator(x, p, e->u.var);
    bool divides = e->kind == IR_DIV || e->kind == IR_MOD ||
                   e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD;
    return !divides || !dtype_is_int(e->dtype) ||
           sched_require(x->s,
                         ir_const_int(e->args[1], &divisor) && divisor != 0 &&
                             divisor != -1,
                         "block '%s': an index is divided by what may be 0",
                         x->block->name);
}

/* ---- the new blocks -------------------------------------------------------- */

static struct ir_expr *binding_of(const struct indexing *x,
                                  const struct ir_iter_var *iter)
{
    return x->block->iter_values[iter - x->block->iters];
}

/* One more than the largest value of an iterator, which is never below 0. */
static bool size_of(struct indexing *x, const struct ir_iter_var *iter,
                    struct ir_expr **out)
{
    struct sched_linear l = sched_linear(x->s, &x->env, binding_of(x, iter));
    struct sched_bounds b = sched_bounds(x->s, &x->env, &l);
    if (!l.ok || b.min < 0 || b.max >= INT32_MAX)
        return sched_unsupported(x->s,
                                 "block '%s': the values of iterator '%s' have "
                                 "no constant bounds",
                                 x->block->name, iter->var->name);
    *out = ir_int(x->s->m, iter->var->dtype, b.max + 1);
    return true;
}

/* Loops that the bindings of the part's iterators use, in order of use. */
struct used {
    struct indexing *x;
    size_t n;
    const struct sched_range *loops[SCHED_MAX_PATH];
};

static bool see_loop(void *user, struct ir_expr *e)
{
    struct used *u = user;
    const struct sched_env *env = &u->x->env;
    for (size_t i = 0; e->kind == IR_VAR_REF && i < env->n; i++) {
        bool known = env->items[i].var != e->u.var;
        for (size_t j = 0; j < u->n; j++)
            known |= u->loops[j] == &env->items[i];
        if (!known && u->n < SCHED_MAX_PATH)
            u->loops[u->n++] = &env->items[i];
    }
    return true;
}

static struct ir_stmt *index_block(struct indexing *x, struct part *p,
                                   struct sched_map *loops, size_t number)
{
    struct schedule *s = x->s;
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_BLOCK);
    struct ir_block *b = ARENA_NEW(s->m->arena, struct ir_block);
    struct sched_map map = {.s = s};
    struct ir_expr **at =
        ARENA_ARRAY(s->m->arena, p->nvars + 1, struct ir_expr *);
    b->name = sched_text(s, "index_%zu", number);
    b->predicate = sched_true(s);
    b->niters = p->nvars;
    b->iters = ARENA_ARRAY(s->m->arena, p->nvars + 1, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(s->m->arena, p->nvars + 1, struct ir_expr *);
    for (size_t i = 0; i < p->nvars; i++) {
        struct dtype t = p->vars[i]->var->dtype;
        b->iters[i].var = sched_var(s, t, "v%zu", i);
        b->iters[i].has_dom = true;
        b->iters[i].dom.min = ir_int(s->m, t, 0);
        b->iters[i].dom.extent = p->buffer->shape[i];
        b->iters[i].type = IR_ITER_SPATIAL;
        b->iters[i].thread_tag = "";
        b->iter_values[i] = sched_map_expr(loops, binding_of(x, p->vars[i]));
        at[i] = ir_var_ref(s->m, b->iters[i].var);
        sched_map_add(&map, p->vars[i]->var, at[i]);
    }
    b->body = ir_store(s->m, p->buffer, sched_map_expr(&map, p->expr), p->nvars,
                       at, NULL);
    sched_claim(s, b);
    stmt->u.block = b;
    ir_stmt_seal(stmt);
    return stmt;
}

static bool make(struct indexing *x, struct part *p, size_t number,
                 const char *storage)
{
    struct schedule *s = x->s;
    struct ir_expr *shape[SCHED_MAX_PATH];
    struct used u = {.x = x};
    struct ir_visitor visitor = {NULL, see_loop, &u};
    struct ir_var *vars[SCHED_MAX_PATH];
    struct sched_map map = {.s = s};
    if (!check_part(x, p, p->expr))
        return false;
    for (size_t i = 0; i < p->nvars; i++) {
        if (!size_of(x, p->vars[i], &shape[i]))
            return false;
        ir_visit_expr(&visitor, binding_of(x, p->vars[i]));
    }
    p->buffer = ir_buffer_make(s->m, sched_text(s, "index_var_%zu", number),
                               p->expr->dtype, p->nvars, shape, NULL,
                               sched_text(s, "%s", storage));
    if (p->nvars == 1) { /* as TVM declares it */
        p->buffer->nstrides = 1;
        p->buffer->strides = ARENA_ARRAY(s->m->arena, 1, struct ir_expr *);
        p->buffer->strides[0] = ir_int(s->m, DTYPE_INT32, 1);
    }
    for (size_t i = 0; i < u.n; i++) {
        vars[i] = sched_var(s, u.loops[i]->var->dtype, "ax%zu", i);
        sched_map_add(&map, u.loops[i]->var, ir_var_ref(s->m, vars[i]));
    }
    p->nest = index_block(x, p, &map, number);
    for (size_t i = u.n; i-- > 0;) {
        p->nest = sched_loop_make(s, vars[i], u.loops[i]->extent, p->nest);
        p->nest->u.loop.min = u.loops[i]->min;
    }
    return true;
}

/* ---- looking up ------------------------------------------------------------ */

static struct ir_expr *look_up(void *user, struct ir_expr *e)
{
    struct indexing *x = user;
    struct ir_expr *at[SCHED_MAX_PATH];
    if (!is_part(e))
        return NULL;
    struct ir_expr *plain = sched_simplify(x->s, NULL, e);
    for (size_t i = 0; i < x->n; i++) {
        const struct part *p = &x->parts[i];
        if (!ir_expr_same(p->plain, plain))
            continue;
        for (size_t k = 0; k < p->nvars; k++)
            at[k] = ir_var_ref(x->s->m, p->vars[k]->var);
        return ir_load(x->s->m, p->buffer, p->nvars, at, NULL);
    }
    return NULL;
}

/* TVM looks in where the stores go as well as in what they store. */
static struct ir_stmt *look_up_in(void *user, struct ir_stmt *stmt)
{
    struct indexing *x = user;
    struct ir_map map = {.m = x->s->m, .before = look_up, .user = x};
    if (stmt->kind == IR_STORE)
        return ir_map_below(&map, stmt);
    return stmt->kind == IR_BLOCK ? stmt : NULL;
}

/* ---- all of it ------------------------------------------------------------- */

static bool collect(struct indexing *x, int64_t threshold)
{
    struct ir_visitor visitor = {see_store, NULL, x};
    struct sched_path loops = {.n = 0};
    for (size_t i = sched_path_scope(&x->path) + 1; i + 1 < x->path.n; i++)
        loops.nodes[loops.n++] = x->path.nodes[i];
    sched_env_path(x->s, &loops, &x->env);
    x->good = true;
    ir_visit_stmt(&visitor, x->block->body);
    give_up(x, threshold);
    if (x->good)
        sort_parts(x, threshold);
    return x->good;
}

/* The new blocks, then the block: in front of the scope's statement that it is
 * in, with the buffers. */
static bool put(struct indexing *x, schedule_ref *out)
{
    struct schedule *s = x->s;
    struct ir_map map = {.m = s->m, .stmt = look_up_in, .user = x};
    size_t top = sched_path_scope(&x->path);
    const char *scope = x->path.nodes[top]->u.block->name;
    struct ir_stmt *nest = NULL;
    struct ir_stmt *block = sched_path_end(&x->path);
    const struct ir_stmt *anchor = x->path.nodes[top + 1];
    if (anchor->kind == IR_SEQ)
        anchor = x->path.nodes[top + 2];
    for (size_t i = 0; i < x->n; i++)
        nest = sched_seq(s, nest, x->parts[i].nest);
    struct ir_stmt *copy =
        sched_with_body(s, block, ir_map_stmt(&map, x->block->body));
    struct ir_stmt *root = s->func->prim.body;
    if (nest)
        root = sched_insert(s, root, scope, anchor, false, nest);
    struct sched_path path;
    if (!sched_find_in(root, block, &path))
        DC_BUG("the block is gone");
    root = sched_replace(s, &path, copy);
    for (size_t i = 0; i < x->n; i++)
        root = sched_add_alloc(s, root, scope, x->parts[i].buffer);
    if (!sched_commit(s, root))
        return false;
    for (size_t i = 0; i < x->n; i++) {
        const struct ir_stmt *stmt = x->parts[i].nest;
        while (stmt->kind == IR_FOR)
            stmt = stmt->u.loop.body;
        out[i] = sched_ref_block(s, stmt->u.block);
    }
    return true;
}

bool schedule_cache_index(struct schedule *s, schedule_ref ref,
                          const char *storage, int64_t threshold, size_t *n,
                          schedule_ref *out)
{
    struct indexing *x = dc_alloc(sizeof *x);
    sched_begin(s);
    x->s = s;
    bool good = sched_is_scope(storage) ||
                sched_bad(s, "no storage scope is called '%s'", storage);
    if (good && threshold < 0)
        good = sched_bad(s, "the threshold is negative");
    good = good && sched_find_block(s, ref, &x->path);
    if (good && x->path.n == 1)
        good = sched_bad(s, "the root block stores nothing itself");
    if (good) {
        x->block = sched_path_end(&x->path)->u.block;
        good = collect(x, threshold);
    }
    for (size_t i = 0; good && i < x->n; i++)
        good = make(x, &x->parts[i], i, storage);
    if (good && x->n > SCHEDULE_MAX_LOOPS)
        good =
            sched_unsupported(s, "more than %u new blocks", SCHEDULE_MAX_LOOPS);
    good = good && put(x, out);
    *n = good ? x->n : 0;
    dc_release(x);
    return good;
}

/* cache_index(block, "scope", threshold) */
static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    int64_t threshold = 0;
    if (nargs < 2)
        return sched_bad(s, "expected a block and a scope");
    return sched_arg_kinds(s, 2, args, "rs") &&
           sched_arg_flags(s, nargs - 2, args + 2, 1, &threshold) &&
           schedule_cache_index(s, args[0].u.ref, args[1].u.string, threshold,
                                nout, out);
}

extern const struct schedule_primitive primitive_cache_index;
const struct schedule_primitive primitive_cache_index = {
    .name = "cache_index",
    .arguments = "block, \"scope\", cse_thresh = 0",
    .source = "cache_index.cc",
    .apply = apply,
};
