/* SPDX-License-Identifier: Apache-2.0
 *
 * Substitution of variables and buffers in expressions and statements, and
 * questions about what occurs in them.
 *
 * A statement is copied only where something in it changes. What a block
 * claims to read and write is substituted along with its body. Buffers keep
 * their shapes: a buffer declared in terms of a variable that is replaced is
 * caught when the result is checked, since the variable is then undefined.
 */
#include "schedule/schedule_private.h"

#include <string.h>

void sched_map_add(struct sched_map *map, const struct ir_var *from,
                   struct ir_expr *to)
{
    if (map->n == DC_ARRAY_LEN(map->vars))
        DC_BUG("too many variables to replace");
    map->vars[map->n].from = from;
    map->vars[map->n++].to = to;
}

/* ---- expressions ----------------------------------------------------------- */

struct ir_expr *sched_rebuild(struct schedule *s, const struct ir_expr *e,
                              struct ir_expr *const *args,
                              struct ir_expr *predicate)
{
    struct ir_module *m = s->m;
    struct ir_expr *out;
    switch (e->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM:
    case IR_STRING_IMM:
    case IR_VAR_REF:
    case IR_BUFFER_REF:
    case IR_NKINDS: DC_BUG("a leaf has no operands");
    case IR_NOT: return ir_not(m, args[0]);
    case IR_BITNOT: return ir_bitnot(m, args[0]);
    case IR_CAST: return ir_cast(m, e->dtype, args[0]);
    case IR_SELECT: return ir_select(m, args[0], args[1], args[2]);
    case IR_RAMP: return ir_ramp(m, args[0], args[1], args[2]);
    case IR_BROADCAST: return ir_broadcast(m, args[0], args[1]);
    case IR_SHUFFLE:
        return ir_shuffle(m, e->u.nvectors, args, e->nargs - e->u.nvectors,
                          args + e->u.nvectors);
    case IR_LOAD: return ir_load(m, e->u.buffer, e->nargs, args, predicate);
    case IR_LET: return ir_let(m, e->u.var, args[0], args[1]);
    case IR_CALL:
        out = ir_call(m, e->dtype, e->u.call.name, e->nargs, args);
        out->u.call = e->u.call;
        return out;
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD:
    case IR_MIN:
    case IR_MAX:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR:
    case IR_SHL:
    case IR_SHR:
    case IR_EQ:
    case IR_NE:
    case IR_LT:
    case IR_LE:
    case IR_GT:
    case IR_GE:
    case IR_AND:
    case IR_OR: return ir_binary(m, e->kind, args[0], args[1]);
    }
    return NULL;
}

static struct ir_expr *map_leaf(struct sched_map *map, struct ir_expr *e)
{
    if (e->kind == IR_VAR_REF) {
        for (size_t i = map->n; i-- > 0;) {
            if (map->vars[i].from != e->u.var)
                continue;
            struct ir_expr *to = map->vars[i].to;
            return dtype_equal(to->dtype, e->dtype)
                       ? to
                       : ir_cast(map->s->m, e->dtype, to);
        }
        if (map->from && map->from->data == e->u.var)
            return ir_var_ref(map->s->m, map->to->data);
    }
    if (e->kind == IR_BUFFER_REF && map->from && e->u.buffer == map->from)
        return ir_buffer_ref(map->s->m, map->to);
    return e;
}

/* Index arithmetic over constants is folded as it is rebuilt. */
static struct ir_expr *rebuild(struct sched_map *map, struct ir_expr *e,
                               struct ir_expr **args, struct ir_expr *predicate)
{
    bool index = e->dtype.code == DT_INT && e->dtype.lanes == 1;
    if (index && e->nargs == 2 && e->kind >= IR_ADD && e->kind <= IR_MAX &&
        e->kind != IR_DIV && e->kind != IR_MOD)
        return sched_op(map->s, e->kind, args[0], args[1]);
    return sched_rebuild(map->s, e, args, predicate);
}

struct ir_expr *sched_map_expr(struct sched_map *map, struct ir_expr *e)
{
    if (!e)
        return NULL;
    if (e->nargs == 0 && e->kind != IR_LOAD)
        return map_leaf(map, e);
    struct arena *arena = map->s->m->arena;
    struct ir_expr **args = ARENA_ARRAY(arena, e->nargs, struct ir_expr *);
    struct ir_expr *predicate = sched_map_expr(map, e->predicate);
    bool changed = predicate != e->predicate;
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = sched_map_expr(map, e->args[i]);
        changed |= args[i] != e->args[i];
    }
    if (changed)
        e = rebuild(map, e, args, predicate);
    if (e->kind != IR_LOAD)
        return e;
    if (map->from && e->u.buffer == map->from)
        e = ir_load(map->s->m, map->to, e->nargs, e->args, e->predicate);
    struct ir_expr *other = map->load ? map->load(map->user, e) : NULL;
    return other ? other : e;
}

/* ---- statements ------------------------------------------------------------ */

static struct ir_expr **map_exprs(struct sched_map *map, size_t n,
                                  struct ir_expr **items)
{
    struct ir_expr **out =
        ARENA_ARRAY(map->s->m->arena, n ? n : 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        out[i] = sched_map_expr(map, items[i]);
    return out;
}

struct ir_region sched_map_region(struct sched_map *map, struct ir_region r)
{
    struct ir_range *ranges =
        ARENA_ARRAY(map->s->m->arena, r.nranges + 1, struct ir_range);
    for (size_t i = 0; i < r.nranges; i++) {
        ranges[i].min = sched_map_expr(map, r.ranges[i].min);
        ranges[i].extent = sched_map_expr(map, r.ranges[i].extent);
    }
    if (map->from && r.buffer == map->from)
        r.buffer = map->to;
    r.ranges = ranges;
    return r;
}

static struct ir_region *map_regions(struct sched_map *map, size_t n,
                                     const struct ir_region *regions)
{
    struct ir_region *out =
        ARENA_ARRAY(map->s->m->arena, n + 1, struct ir_region);
    for (size_t i = 0; i < n; i++)
        out[i] = sched_map_region(map, regions[i]);
    return out;
}

static struct ir_expr *map_bound(struct sched_map *map, struct ir_expr *e)
{
    struct ir_expr *out = sched_map_expr(map, e);
    return map->simplify && out != e
               ? sched_simplify(map->s, map->simplify, out)
               : out;
}

static struct ir_stmt *map_block(struct sched_map *map, struct ir_stmt *stmt)
{
    struct arena *arena = map->s->m->arena;
    struct ir_stmt *copy = sched_block_copy(map->s, stmt);
    struct ir_block *b = copy->u.block;
    for (size_t i = 0; i < b->niters; i++) {
        b->iter_values[i] = map_bound(map, b->iter_values[i]);
        if (b->iters[i].has_dom) {
            b->iters[i].dom.min = sched_map_expr(map, b->iters[i].dom.min);
            b->iters[i].dom.extent =
                sched_map_expr(map, b->iters[i].dom.extent);
        }
    }
    b->predicate = map_bound(map, b->predicate);
    b->reads = map_regions(map, b->nreads, b->reads);
    b->writes = map_regions(map, b->nwrites, b->writes);
    if (b->nmatches)
        b->matches =
            arena_memdup(arena, b->matches, b->nmatches * sizeof *b->matches);
    for (size_t i = 0; i < b->nmatches; i++)
        b->matches[i].source = sched_map_region(map, b->matches[i].source);
    b->init = b->init ? sched_map_stmt(map, b->init) : NULL;
    b->body = sched_map_stmt(map, b->body);
    if (map->reclaim)
        sched_claim(map->s, b);
    ir_stmt_seal(copy);
    return copy;
}

static struct ir_stmt *map_store(struct sched_map *map, struct ir_stmt *stmt)
{
    struct ir_buffer *buffer = stmt->u.store.buffer;
    struct ir_stmt *out = ir_store(
        map->s->m, map->from && buffer == map->from ? map->to : buffer,
        sched_map_expr(map, stmt->u.store.value), stmt->u.store.nindices,
        map_exprs(map, stmt->u.store.nindices, stmt->u.store.indices),
        sched_map_expr(map, stmt->u.store.predicate));
    out->pos = stmt->pos;
    struct ir_stmt *other = map->store ? map->store(map->user, out) : NULL;
    return other ? other : out;
}

static void map_loop(struct sched_map *map, struct ir_stmt *copy)
{
    copy->u.loop.min = sched_map_expr(map, copy->u.loop.min);
    copy->u.loop.extent = map_bound(map, copy->u.loop.extent);
    copy->u.loop.step = sched_map_expr(map, copy->u.loop.step);
    if (map->simplify)
        sched_env_add(map->simplify, copy->u.loop.var, copy->u.loop.min,
                      copy->u.loop.extent);
    copy->u.loop.body = sched_map_stmt(map, copy->u.loop.body);
    if (map->simplify)
        map->simplify->n--;
}

struct ir_stmt *sched_map_stmt(struct sched_map *map, struct ir_stmt *stmt)
{
    if (!stmt)
        return NULL;
    if (stmt == map->skip[0] || stmt == map->skip[1])
        return stmt;
    if (stmt->kind == IR_BLOCK)
        return map_block(map, stmt);
    if (stmt->kind == IR_STORE)
        return map_store(map, stmt);
    struct arena *arena = map->s->m->arena;
    struct ir_stmt *copy = arena_memdup(arena, stmt, sizeof *stmt);
    switch (stmt->kind) {
    case IR_SEQ:
        copy->u.seq.items =
            ARENA_ARRAY(arena, stmt->u.seq.n + 1, struct ir_stmt *);
        for (size_t i = 0; i < stmt->u.seq.n; i++)
            copy->u.seq.items[i] = sched_map_stmt(map, stmt->u.seq.items[i]);
        break;
    case IR_FOR: map_loop(map, copy); break;
    case IR_WHILE:
        copy->u.while_.cond = sched_map_expr(map, stmt->u.while_.cond);
        copy->u.while_.body = sched_map_stmt(map, stmt->u.while_.body);
        break;
    case IR_IF:
        copy->u.if_.cond = sched_map_expr(map, stmt->u.if_.cond);
        copy->u.if_.then_ = sched_map_stmt(map, stmt->u.if_.then_);
        copy->u.if_.else_ = sched_map_stmt(map, stmt->u.if_.else_);
        break;
    case IR_BIND:
        copy->u.bind.value = sched_map_expr(map, stmt->u.bind.value);
        break;
    case IR_DECL_BUFFER:
        copy->u.decl.value = sched_map_expr(map, stmt->u.decl.value);
        break;
    case IR_ATTR:
        copy->u.attr.value = sched_map_expr(map, stmt->u.attr.value);
        copy->u.attr.body = sched_map_stmt(map, stmt->u.attr.body);
        break;
    case IR_ASSERT:
        copy->u.assert_.cond = sched_map_expr(map, stmt->u.assert_.cond);
        copy->u.assert_.parts =
            map_exprs(map, stmt->u.assert_.nparts, stmt->u.assert_.parts);
        break;
    case IR_EVALUATE:
    case IR_RETURN: copy->u.value = sched_map_expr(map, stmt->u.value); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_STORE:
    case IR_BLOCK:
    case IR_NSTMTS: break;
    }
    ir_stmt_seal(copy);
    return copy;
}

/* ---- questions ------------------------------------------------------------- */

/* var NULL: any load */
static bool occurs(const struct ir_expr *e, const struct ir_var *var)
{
    if (e->kind == IR_VAR_REF ? var && e->u.var == var
                              : !var && e->kind == IR_LOAD)
        return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (occurs(e->args[i], var))
            return true;
    return e->predicate && occurs(e->predicate, var);
}

bool sched_uses(const struct ir_expr *e, const struct ir_var *var)
{
    return e && occurs(e, var);
}

bool sched_has_load(const struct ir_expr *e)
{
    return occurs(e, NULL);
}
