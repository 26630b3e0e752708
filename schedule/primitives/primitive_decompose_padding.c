/* SPDX-License-Identifier: Apache-2.0
 *
 * decompose_padding: a block that stores a value where a condition holds and a
 * constant elsewhere becomes two: one that stores the constant everywhere,
 * before a loop around it, and one that stores the values, over the box in
 * which the condition can hold.
 *
 * Legal for a complete block of that form, a loop around it, a constant in the
 * other branch, and a condition that says something (s_tir/schedule/primitive/
 * decompose_padding.cc). Stricter than TVM: the stores are told apart by the
 * iterators, no block reads the buffer before this one in the scope, and the
 * block uses its iterators, not the loops; threads keep their number. Loops
 * that hold something besides the block stay as they are: TVM, asked to put
 * the constants before such a loop, loses what else is in it.
 */
#include "schedule/schedule_private.h"

#include <string.h>

struct decompose {
    struct schedule *s;
    struct sched_path path;
    struct ir_stmt *block, *scope;
    size_t loop;            /* on the path: before which the constants go */
    size_t inner;           /* the outermost that changes, at or below it */
    struct ir_expr *inside; /* the condition, in terms of loops */
    struct sched_env env;   /* loops of the scope */
    int64_t *low, *size;    /* of iterators, within the condition */
    bool *loops;            /* whose iterator is the loop itself */
};

/* ---- form ------------------------------------------------------------------ */

static bool is_number(const struct ir_expr *e)
{
    return e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM;
}

static bool is_var(const void *var, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && e->u.var == var;
}

static bool has_effect(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL &&
           !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE);
}

/* T.if_then_else(condition, value, number) */
static const struct ir_expr *choice_of(const struct ir_block *b)
{
    const struct ir_expr *v =
        b->body->kind == IR_STORE ? b->body->u.store.value : NULL;
    bool good = v && !b->body->u.store.predicate && !b->init &&
                v->kind == IR_CALL && v->u.call.op == IR_OP_IF_THEN_ELSE &&
                v->nargs == 3 && is_number(v->args[2]) && b->nallocs == 0 &&
                b->nmatches == 0;
    return good ? v : NULL;
}

static bool check_block(struct decompose *d)
{
    struct schedule *s = d->s;
    const struct ir_block *b = d->block->u.block;
    const char *why = sched_not_complete(s, d->scope, d->block);
    struct sched_users users;
    if (!choice_of(b))
        return sched_illegal(s,
                             "block '%s' is no store of "
                             "T.if_then_else(condition, value, number)",
                             b->name);
    if (!sched_users(s, d->scope, b->body->u.store.buffer, &users))
        return false;
    return sched_require(s, !why, "block '%s' is not complete: %s", b->name,
                         why ? why : "") &&
           sched_require(s,
                         !ir_expr_any(b->body->u.store.value, has_effect, NULL),
                         "the value of block '%s' has effects", b->name) &&
           sched_require(s, !users.early,
                         "block '%s' reads buffer '%s' before it is written",
                         users.early ? users.early->u.block->name : "",
                         b->body->u.store.buffer->name) &&
           sched_require(s,
                         sched_spatial_distinct(d->block) ||
                             sched_stores_apart(s, d->block),
                         "block '%s': its iterators do not tell its stores "
                         "apart",
                         b->name);
}

/* ---- loops ----------------------------------------------------------------- */

static bool find_loops(struct decompose *d, schedule_ref ref)
{
    struct schedule *s = d->s;
    struct sched_path at;
    size_t scope = sched_path_scope(&d->path);
    if (!sched_find_loop(s, ref, &at))
        return false;
    d->loop = 0;
    for (size_t i = scope + 1; i + 1 < d->path.n; i++)
        if (d->path.nodes[i] == sched_path_end(&at))
            d->loop = i;
    if (d->loop == 0)
        return sched_illegal(s, "loop '%s' is not around block '%s'",
                             sched_path_end(&at)->u.loop.var->name,
                             d->block->u.block->name);
    d->inner = d->path.n - 1;
    while (d->inner > d->loop && d->path.nodes[d->inner - 1]->kind == IR_FOR)
        d->inner--;
    for (size_t i = scope + 1; i + 1 < d->path.n; i++) {
        const struct ir_stmt *loop = d->path.nodes[i];
        if (loop->kind == IR_FOR && loop->u.loop.step)
            return sched_unsupported(s, "loop '%s' has a step",
                                     loop->u.loop.var->name);
        if (loop->kind == IR_FOR && ir_stmt_any(d->block->u.block->body, NULL,
                                                is_var, loop->u.loop.var))
            return sched_illegal(s, "block '%s' uses loop '%s' itself",
                                 d->block->u.block->name,
                                 loop->u.loop.var->name);
        if (loop->kind == IR_FOR)
            sched_env_add(&d->env, loop->u.loop.var, loop->u.loop.min,
                          loop->u.loop.extent);
    }
    return true;
}

/* ---- the box --------------------------------------------------------------- */

/* Bounds of the value that the conjunct gives: value + rest >= 0, or
 * rest - value >= 0. */
static void narrow_by(struct decompose *d, const struct sched_linear *value,
                      struct ir_expr *more, struct ir_expr *less, int64_t gap,
                      int64_t *low, int64_t *high)
{
    struct sched_linear a = sched_linear(d->s, NULL, more);
    struct sched_linear b = sched_linear(d->s, NULL, less);
    struct sched_linear diff = sched_linear_add(&a, &b, -1);
    struct sched_linear up = sched_linear_add(&diff, value, -1);
    struct sched_linear down = sched_linear_add(&diff, value, 1);
    if (up.ok && up.n == 0 && gap - up.base > *low)
        *low = gap - up.base;
    if (down.ok && down.n == 0 && down.base - gap < *high)
        *high = down.base - gap;
}

static void narrow(struct decompose *d, const struct sched_linear *value,
                   struct ir_expr *e, int64_t *low, int64_t *high)
{
    switch ((int)e->kind) {
    case IR_AND:
        narrow(d, value, e->args[0], low, high);
        narrow(d, value, e->args[1], low, high);
        break;
    case IR_LE:
        narrow_by(d, value, e->args[1], e->args[0], 0, low, high);
        break;
    case IR_LT:
        narrow_by(d, value, e->args[1], e->args[0], 1, low, high);
        break;
    case IR_GE:
        narrow_by(d, value, e->args[0], e->args[1], 0, low, high);
        break;
    case IR_GT:
        narrow_by(d, value, e->args[0], e->args[1], 1, low, high);
        break;
    case IR_EQ:
        narrow_by(d, value, e->args[0], e->args[1], 0, low, high);
        narrow_by(d, value, e->args[1], e->args[0], 0, low, high);
        break;
    default: break;
    }
}

/* The loop that is the value itself, and changes with it; the path's length:
 * none is. */
static size_t loop_of(const struct decompose *d, const struct ir_expr *value)
{
    size_t i = d->inner;
    while (value->kind == IR_VAR_REF && i + 1 < d->path.n &&
           d->path.nodes[i]->u.loop.var != value->u.var)
        i++;
    return value->kind == IR_VAR_REF && i + 1 < d->path.n ? i : d->path.n;
}

static bool find_range(struct decompose *d, size_t i)
{
    struct schedule *s = d->s;
    const struct ir_block *b = d->block->u.block;
    struct sched_linear value = sched_linear(s, NULL, b->iter_values[i]);
    struct sched_bounds bounds = sched_bounds(s, &d->env, &value);
    const char *name = b->iters[i].var->name;
    size_t at = loop_of(d, b->iter_values[i]);
    if (!value.ok || bounds.min == INT64_MIN || bounds.max == INT64_MAX)
        return sched_unsupported(s, "the range of iterator '%s' is not known",
                                 name);
    narrow(d, &value, d->inside, &bounds.min, &bounds.max);
    if (bounds.min > bounds.max)
        return sched_illegal(s, "the condition of block '%s' never holds",
                             b->name);
    d->low[i] = bounds.min;
    d->size[i] = bounds.max - bounds.min + 1;
    for (size_t k = 0; k < b->niters && at < d->path.n; k++)
        if (k != i &&
            ir_uses_var(b->iter_values[k], d->path.nodes[at]->u.loop.var))
            at = d->path.n;
    d->loops[i] = at < d->path.n;
    return !d->loops[i] || d->path.nodes[at]->u.loop.kind != IR_FOR_THREAD ||
           ir_is_const_int(d->path.nodes[at]->u.loop.extent, d->size[i]) ||
           sched_unsupported(s,
                             "loop '%s' is bound to threads, whose number "
                             "would change",
                             d->path.nodes[at]->u.loop.var->name);
}

static bool find_box(struct decompose *d)
{
    struct schedule *s = d->s;
    const struct ir_block *b = d->block->u.block;
    struct arena *arena = s->m->arena;
    struct sched_map map = {.s = s};
    for (size_t i = 0; i < b->niters; i++)
        sched_map_add(&map, b->iters[i].var, b->iter_values[i]);
    d->inside =
        sched_and(s, sched_map_expr(&map, choice_of(b)->args[0]), b->predicate);
    if (sched_proves(s, &d->env, d->inside))
        return sched_illegal(s, "the condition of block '%s' always holds",
                             b->name);
    d->low = ARENA_ARRAY(arena, b->niters + 1, int64_t);
    d->size = ARENA_ARRAY(arena, b->niters + 1, int64_t);
    d->loops = ARENA_ARRAY(arena, b->niters + 1, bool);
    for (size_t i = 0; i < b->niters; i++)
        if (!find_range(d, i))
            return false;
    return true;
}

/* ---- the constants --------------------------------------------------------- */

/* Loops from the given one on that are on the path, serial, with variables of
 * their own; values and guard over those. */
static struct ir_stmt *constant_nest(struct decompose *d,
                                     struct ir_stmt **block)
{
    struct schedule *s = d->s;
    const struct ir_block *b = d->block->u.block;
    const struct ir_stmt *store = b->body;
    struct arena *arena = s->m->arena;
    struct sched_map outer = {.s = s}, inner = {.s = s};
    struct ir_var **iters = ARENA_ARRAY(arena, b->niters + 1, struct ir_var *);
    struct ir_expr **sizes =
        ARENA_ARRAY(arena, b->niters + 1, struct ir_expr *);
    struct ir_expr **values =
        ARENA_ARRAY(arena, b->niters + 1, struct ir_expr *);
    struct ir_expr **at =
        ARENA_ARRAY(arena, store->u.store.nindices + 1, struct ir_expr *);
    struct ir_var *vars[SCHED_MAX_PATH];
    for (size_t i = d->loop; i + 1 < d->path.n; i++) {
        const struct ir_stmt *loop = d->path.nodes[i];
        if (loop->kind != IR_FOR)
            continue;
        vars[i] =
            sched_var(s, loop->u.loop.var->dtype, "%s", loop->u.loop.var->name);
        sched_map_add(&outer, loop->u.loop.var, ir_var_ref(s->m, vars[i]));
    }
    for (size_t i = 0; i < b->niters; i++) {
        iters[i] =
            sched_var(s, b->iters[i].var->dtype, "%s", b->iters[i].var->name);
        sizes[i] = b->iters[i].dom.extent;
        values[i] = sched_map_expr(&outer, b->iter_values[i]);
        sched_map_add(&inner, b->iters[i].var, ir_var_ref(s->m, iters[i]));
    }
    for (size_t k = 0; k < store->u.store.nindices; k++)
        at[k] = sched_map_expr(&inner, store->u.store.indices[k]);
    struct ir_stmt *body =
        ir_store(s->m, store->u.store.buffer, choice_of(b)->args[2],
                 store->u.store.nindices, at, NULL);
    *block = sched_block_make(s, sched_text(s, "%s_pad_const", b->name),
                              b->niters, iters, sizes, values, body);
    for (size_t i = 0; i < b->niters; i++)
        (*block)->u.block->iters[i].dom.min = b->iters[i].dom.min;
    (*block)->u.block->predicate = sched_map_expr(&outer, b->predicate);
    struct ir_stmt *nest = *block;
    for (size_t i = d->path.n - 1; i-- > d->loop;) {
        const struct ir_stmt *loop = d->path.nodes[i];
        if (loop->kind != IR_FOR)
            continue;
        nest = sched_loop_make(s, vars[i], loop->u.loop.extent, nest);
        nest->u.loop.min = loop->u.loop.min;
    }
    return nest;
}

/* ---- the values ------------------------------------------------------------ */

static struct ir_expr *plus(struct schedule *s, struct ir_var *var, int64_t n)
{
    return sched_op(s, IR_ADD, ir_var_ref(s->m, var),
                    ir_int(s->m, var->dtype, n));
}

/* Loops that are iterators themselves become as long as the box. */
static struct ir_stmt *inner_loops(struct decompose *d, struct ir_stmt *stmt)
{
    struct schedule *s = d->s;
    const struct ir_block *b = d->block->u.block;
    for (size_t k = d->path.n - 1; k-- > d->inner;) {
        stmt = sched_with_body(s, d->path.nodes[k], stmt);
        for (size_t i = 0; i < b->niters; i++) {
            if (!d->loops[i] || b->iter_values[i]->u.var != stmt->u.loop.var)
                continue;
            stmt->u.loop.min = ir_int(s->m, stmt->u.loop.var->dtype, 0);
            stmt->u.loop.extent =
                ir_int(s->m, stmt->u.loop.var->dtype, d->size[i]);
        }
        ir_stmt_seal(stmt);
    }
    return stmt;
}

static struct ir_stmt *value_nest(struct decompose *d)
{
    struct schedule *s = d->s;
    const struct ir_block *b = d->block->u.block;
    struct sched_map map = {.s = s}, guard = {.s = s};
    struct sched_env *env = dc_alloc(sizeof *env);
    struct ir_stmt *stmt = ir_stmt_copy(s->m->arena, d->block);
    stmt->u.block->body =
        ir_store(s->m, b->body->u.store.buffer, choice_of(b)->args[1],
                 b->body->u.store.nindices, b->body->u.store.indices, NULL);
    *env = d->env;
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_var *var = b->iters[i].var;
        struct ir_var *made = sched_var(s, var->dtype, "%s", var->name);
        struct ir_expr *size = ir_int(s->m, var->dtype, d->size[i]);
        sched_map_add(&map, var, plus(s, made, d->low[i]));
        stmt->u.block->iters[i] = sched_iter(s, made, size);
        sched_env_add(env, made, ir_int(s->m, var->dtype, 0), size);
        if (!d->loops[i]) {
            stmt->u.block->iter_values[i] =
                sched_simplify(s, &d->env,
                               sched_op(s, IR_SUB, b->iter_values[i],
                                        ir_int(s->m, var->dtype, d->low[i])));
            continue;
        }
        struct ir_var *loop = b->iter_values[i]->u.var;
        sched_map_add(&guard, loop, plus(s, loop, d->low[i]));
        for (size_t k = 0; k < env->n; k++)
            if (env->items[k].var == loop) {
                env->items[k].min = ir_int(s->m, loop->dtype, 0);
                env->items[k].extent = ir_int(s->m, loop->dtype, d->size[i]);
            }
    }
    stmt = sched_map_block(&map, env, stmt);
    stmt->u.block->predicate =
        sched_simplify(s, env, sched_map_expr(&guard, d->inside));
    stmt->u.block->annotations = NULL;
    dc_release(env);
    ir_stmt_seal(stmt);
    return inner_loops(d, stmt);
}

static bool decompose(struct decompose *d, schedule_ref loop, schedule_ref *out)
{
    struct schedule *s = d->s;
    struct ir_stmt *made;
    d->block = sched_path_end(&d->path);
    if (d->path.n == 1)
        return sched_bad(s, "the root block stores nothing itself");
    d->scope = d->path.nodes[sched_path_scope(&d->path)];
    for (size_t i = 0; i < d->block->u.block->niters; i++)
        if (!d->block->u.block->iters[i].has_dom)
            return sched_unsupported(s, "an iterator without a domain");
    if (!check_block(d) || !find_loops(d, loop) || !find_box(d))
        return false;
    struct ir_stmt *values = value_nest(d);
    if (d->inner > d->loop) {
        struct sched_path to = d->path;
        to.n = d->inner + 1;
        values = sched_replace_below(s, &to, d->loop, values);
    }
    struct ir_stmt *both = sched_seq(s, constant_nest(d, &made), values);
    if (!sched_commit(s, sched_replace_at(s, &d->path, d->loop, both)))
        return false;
    *out = sched_ref_block(s, made->u.block);
    return true;
}

static bool apply(struct schedule *s, size_t nargs,
                  const struct schedule_arg *args, size_t *nout,
                  schedule_ref *out)
{
    *nout = 0;
    if (!sched_arg_kinds(s, nargs, args, "rr"))
        return false;
    struct decompose *d = dc_alloc(sizeof *d);
    d->s = s;
    *nout = sched_find_block(s, args[0].u.ref, &d->path) &&
            decompose(d, args[1].u.ref, out);
    dc_release(d);
    return *nout == 1;
}

extern const struct schedule_primitive primitive_decompose_padding;
const struct schedule_primitive primitive_decompose_padding = {
    .name = "decompose_padding",
    .arguments = "block, loop",
    .source = "decompose_padding.cc",
    .apply = apply,
};
