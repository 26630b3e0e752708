/* SPDX-License-Identifier: Apache-2.0
 *
 * Substitution of variables and buffers in expressions and statements.
 *
 * What a block claims to read and write is substituted along with its body. Buffers keep
 * their shapes: a buffer declared in terms of a variable that is replaced is
 * caught when the result is checked, since the variable is then undefined.
 */
#include "schedule/schedule_private.h"

void sched_map_add(struct sched_map *map, const struct ir_var *from,
                   struct ir_expr *to)
{
    if (map->n == DC_ARRAY_LEN(map->vars))
        DC_BUG("too many variables to replace");
    map->vars[map->n].from = from;
    map->vars[map->n++].to = to;
}

/* ---- expressions ----------------------------------------------------------- */

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

static struct ir_expr *map_node(void *user, struct ir_expr *e);
static struct ir_stmt *map_special(void *user, struct ir_stmt *stmt);

static struct ir_map map_of(struct sched_map *map)
{
    return (struct ir_map){.m = map->s->m,
                           .before = map_node,
                           .stmt = map_special,
                           .user = map,
                           .fresh = true,
                           .claims = true};
}

/* Index arithmetic over constants is folded as it is rebuilt. */
static struct ir_expr *map_node(void *user, struct ir_expr *e)
{
    struct sched_map *map = user;
    struct ir_map below = map_of(map);
    if (e->nargs == 0 && e->kind != IR_LOAD)
        return map_leaf(map, e);
    struct ir_expr *out = ir_map_operands(&below, e);
    bool index = e->dtype.code == DT_INT && e->dtype.lanes == 1;
    if (out != e && index && e->kind >= IR_ADD && e->kind <= IR_MAX &&
        e->kind != IR_DIV && e->kind != IR_MOD)
        return sched_op(map->s, e->kind, out->args[0], out->args[1]);
    if (e->kind != IR_LOAD)
        return out;
    if (map->from && e->u.buffer == map->from)
        out =
            ir_load(map->s->m, map->to, out->nargs, out->args, out->predicate);
    struct ir_expr *other = map->load ? map->load(map->user, out) : NULL;
    return other ? other : out;
}

struct ir_expr *sched_map_expr(struct sched_map *map, struct ir_expr *e)
{
    return e ? map_node(map, e) : NULL;
}

/* ---- statements ------------------------------------------------------------ */

static struct ir_buffer *map_buffer(const struct sched_map *map,
                                    struct ir_buffer *b)
{
    return map->from && b == map->from ? map->to : b;
}

struct ir_region sched_map_region(struct sched_map *map, struct ir_region r)
{
    struct ir_range *ranges =
        ARENA_ARRAY(map->s->m->arena, r.nranges + 1, struct ir_range);
    for (size_t i = 0; i < r.nranges; i++) {
        ranges[i].min = sched_map_expr(map, r.ranges[i].min);
        ranges[i].extent = sched_map_expr(map, r.ranges[i].extent);
    }
    r.buffer = map_buffer(map, r.buffer);
    r.ranges = ranges;
    return r;
}

/* A binding, guard or extent that was mapped. */
static void tidy(struct sched_map *map, struct ir_expr **e,
                 const struct ir_expr *was)
{
    if (map->simplify && *e != was)
        *e = sched_simplify(map->s, map->simplify, *e);
}

static struct ir_stmt *map_block(struct sched_map *map, struct ir_stmt *stmt)
{
    struct ir_map below = map_of(map);
    struct ir_stmt *copy = ir_map_below(&below, stmt);
    struct ir_block *b = copy->u.block;
    for (size_t i = 0; i < b->niters; i++)
        tidy(map, &b->iter_values[i], stmt->u.block->iter_values[i]);
    tidy(map, &b->predicate, stmt->u.block->predicate);
    for (size_t i = 0; i < b->nreads; i++)
        b->reads[i].buffer = map_buffer(map, b->reads[i].buffer);
    for (size_t i = 0; i < b->nwrites; i++)
        b->writes[i].buffer = map_buffer(map, b->writes[i].buffer);
    for (size_t i = 0; i < b->nmatches; i++)
        b->matches[i].source.buffer =
            map_buffer(map, b->matches[i].source.buffer);
    if (map->reclaim)
        sched_claim(map->s, b);
    ir_stmt_seal(copy);
    return copy;
}

static struct ir_stmt *map_store(struct sched_map *map, struct ir_stmt *stmt)
{
    struct ir_map below = map_of(map);
    struct ir_stmt *out = ir_map_below(&below, stmt);
    out->u.store.buffer = map_buffer(map, out->u.store.buffer);
    struct ir_stmt *other = map->store ? map->store(map->user, out) : NULL;
    return other ? other : out;
}

/* With its range known below it. */
static struct ir_stmt *map_loop(struct sched_map *map, struct ir_stmt *stmt)
{
    struct ir_stmt *copy = ir_stmt_copy(map->s->m->arena, stmt);
    copy->u.loop.min = sched_map_expr(map, stmt->u.loop.min);
    copy->u.loop.extent = sched_map_expr(map, stmt->u.loop.extent);
    tidy(map, &copy->u.loop.extent, stmt->u.loop.extent);
    copy->u.loop.step = sched_map_expr(map, stmt->u.loop.step);
    sched_env_add(map->simplify, copy->u.loop.var, copy->u.loop.min,
                  copy->u.loop.extent);
    copy->u.loop.body = sched_map_stmt(map, stmt->u.loop.body);
    map->simplify->n--;
    ir_stmt_seal(copy);
    return copy;
}

static struct ir_stmt *map_special(void *user, struct ir_stmt *stmt)
{
    struct sched_map *map = user;
    if (stmt == map->skip[0] || stmt == map->skip[1])
        return stmt;
    if (stmt->kind == IR_BLOCK)
        return map_block(map, stmt);
    if (stmt->kind == IR_STORE)
        return map_store(map, stmt);
    return stmt->kind == IR_FOR && map->simplify ? map_loop(map, stmt) : NULL;
}

struct ir_stmt *sched_map_stmt(struct sched_map *map, struct ir_stmt *stmt)
{
    struct ir_map all = map_of(map);
    return ir_map_stmt(&all, stmt);
}

/* ---- loops of one iteration ------------------------------------------------ */

/* Loops around, and on the way down, of one iteration. */
struct units {
    struct schedule *s;
    struct sched_map map;
};

static void add_unit(struct units *u, const struct ir_stmt *loop)
{
    if (ir_is_const_int(loop->u.loop.extent, 1) && u->map.n < SCHED_MAX_ENV)
        sched_map_add(&u->map, loop->u.loop.var, loop->u.loop.min);
}

static struct ir_stmt *drop_units(void *user, struct ir_stmt *stmt)
{
    struct units *u = user;
    struct ir_map below = {.m = u->s->m, .stmt = drop_units, .user = u};
    size_t n = u->map.n;
    if (stmt->kind == IR_FOR) {
        add_unit(u, stmt);
        struct ir_stmt *loop = ir_map_below(&below, stmt);
        u->map.n = n;
        return loop;
    }
    if (stmt->kind != IR_BLOCK)
        return NULL;
    struct ir_stmt *copy = ir_stmt_copy(u->s->m->arena, stmt);
    for (size_t i = 0; i < copy->u.block->niters; i++) {
        struct ir_expr *e = stmt->u.block->iter_values[i];
        struct ir_expr *now = sched_map_expr(&u->map, e);
        copy->u.block->iter_values[i] =
            now == e ? e : sched_simplify(u->s, NULL, now);
    }
    ir_stmt_seal(copy);
    return copy;
}

struct ir_stmt *sched_drop_units(struct schedule *s,
                                 const struct sched_path *path,
                                 struct ir_stmt *stmt)
{
    struct units *u = dc_alloc(sizeof *u);
    struct ir_map map = {.m = s->m, .stmt = drop_units, .user = u};
    u->s = s;
    u->map.s = s;
    for (size_t i = sched_path_scope(path) + 1; i + 1 < path->n; i++)
        if (path->nodes[i]->kind == IR_FOR)
            add_unit(u, path->nodes[i]);
    stmt = ir_map_stmt(&map, stmt);
    dc_release(u);
    return stmt;
}
