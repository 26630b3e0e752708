/* SPDX-License-Identifier: Apache-2.0
 *
 * Rebuilding trees: a walk that copies only where something changes, small
 * constructors, substitution.
 */
#include "interp/replay/replay.h"

#include <string.h>

/* ---- expressions ---------------------------------------------------------------- */

struct ir_expr *replay_rebuild(struct ir_module *m, const struct ir_expr *e,
                               struct ir_expr *const *args)
{
    struct ir_expr *out = NULL;
    switch (e->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM:
    case IR_STRING_IMM:
    case IR_VAR_REF:
    case IR_BUFFER_REF:
    case IR_NKINDS: DC_BUG("a leaf has no operands");
    case IR_NOT: out = ir_not(m, args[0]); break;
    case IR_BITNOT: out = ir_bitnot(m, args[0]); break;
    case IR_CAST: out = ir_cast(m, e->dtype, args[0]); break;
    case IR_SELECT: out = ir_select(m, args[0], args[1], args[2]); break;
    case IR_RAMP: out = ir_ramp(m, args[0], args[1], args[2]); break;
    case IR_BROADCAST: out = ir_broadcast(m, args[0], args[1]); break;
    case IR_SHUFFLE:
        out = ir_shuffle(m, e->u.nvectors, args, e->nargs - e->u.nvectors,
                         args + e->u.nvectors);
        break;
    case IR_LOAD:
        out = ir_load(m, e->u.buffer, e->nargs, args, e->predicate);
        break;
    case IR_LET: out = ir_let(m, e->u.var, args[0], args[1]); break;
    case IR_CALL:
        out = ir_call(m, e->dtype, e->u.call.name, e->nargs, args);
        out->u.call = e->u.call;
        break;
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
    case IR_OR: out = ir_binary(m, e->kind, args[0], args[1]); break;
    }
    out->pos = e->pos;
    return out;
}

struct ir_expr *replay_map_expr(const struct replay_map *map, struct ir_expr *e)
{
    if (e == NULL)
        return NULL;
    struct ir_expr *few[4], **args = few;
    bool changed = false;
    if (e->nargs > DC_ARRAY_LEN(few))
        args = ARENA_ARRAY(map->m->arena, e->nargs, struct ir_expr *);
    for (uint32_t i = 0; i < e->nargs; i++) {
        args[i] = replay_map_expr(map, e->args[i]);
        changed |= args[i] != e->args[i];
    }
    struct ir_expr *predicate = replay_map_expr(map, e->predicate);
    if (changed || predicate != e->predicate) {
        struct ir_expr *copy = replay_rebuild(map->m, e, args);
        copy->predicate = predicate;
        e = copy;
    }
    return map->expr != NULL ? map->expr(map->user, e) : e;
}

static struct ir_expr *root(const struct replay_map *map, struct ir_expr *e)
{
    if (e == NULL)
        return NULL;
    return map->root != NULL ? map->root(map->user, e)
                             : replay_map_expr(map, e);
}

static struct ir_expr **roots(const struct replay_map *map, size_t n,
                              struct ir_expr **items)
{
    struct ir_expr **out = ARENA_ARRAY(map->m->arena, n + 1, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        out[i] = root(map, items[i]);
    return out;
}

/* ---- statements ------------------------------------------------------------------- */

static struct ir_block *map_block(const struct replay_map *map,
                                  const struct ir_block *block)
{
    struct ir_block *b = arena_memdup(map->m->arena, block, sizeof *block);
    b->iter_values = roots(map, b->niters, b->iter_values);
    b->predicate = root(map, b->predicate);
    b->nreads = b->nwrites = 0; /* claims: about what it was */
    b->init = replay_map_stmt(map, b->init);
    b->body = replay_map_stmt(map, b->body);
    return b;
}

static void map_store(const struct replay_map *map, struct ir_stmt *copy)
{
    copy->u.store.value = root(map, copy->u.store.value);
    copy->u.store.indices =
        roots(map, copy->u.store.nindices, copy->u.store.indices);
    copy->u.store.predicate = root(map, copy->u.store.predicate);
}

struct ir_stmt *replay_map_inside(const struct replay_map *map,
                                  struct ir_stmt *s)
{
    struct arena *arena = map->m->arena;
    struct ir_stmt *copy = arena_memdup(arena, s, sizeof *s);
    switch (s->kind) {
    case IR_SEQ:
        copy->u.seq.items =
            ARENA_ARRAY(arena, s->u.seq.n + 1, struct ir_stmt *);
        for (size_t i = 0; i < s->u.seq.n; i++)
            copy->u.seq.items[i] = replay_map_stmt(map, s->u.seq.items[i]);
        break;
    case IR_FOR:
        copy->u.loop.min = root(map, s->u.loop.min);
        copy->u.loop.extent = root(map, s->u.loop.extent);
        copy->u.loop.step = root(map, s->u.loop.step);
        copy->u.loop.body = replay_map_stmt(map, s->u.loop.body);
        break;
    case IR_WHILE:
        copy->u.while_.cond = root(map, s->u.while_.cond);
        copy->u.while_.body = replay_map_stmt(map, s->u.while_.body);
        break;
    case IR_IF:
        copy->u.if_.cond = root(map, s->u.if_.cond);
        copy->u.if_.then_ = replay_map_stmt(map, s->u.if_.then_);
        copy->u.if_.else_ = replay_map_stmt(map, s->u.if_.else_);
        break;
    case IR_BIND: copy->u.bind.value = root(map, s->u.bind.value); break;
    case IR_DECL_BUFFER: copy->u.decl.value = root(map, s->u.decl.value); break;
    case IR_ATTR:
        copy->u.attr.value = root(map, s->u.attr.value);
        copy->u.attr.body = replay_map_stmt(map, s->u.attr.body);
        break;
    case IR_ASSERT: copy->u.assert_.cond = root(map, s->u.assert_.cond); break;
    case IR_EVALUATE:
    case IR_RETURN: copy->u.value = root(map, s->u.value); break;
    case IR_STORE: map_store(map, copy); break;
    case IR_BLOCK: copy->u.block = map_block(map, s->u.block); break;
    case IR_ALLOC:
    case IR_ALLOC_CONST:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_NSTMTS: break;
    }
    ir_stmt_seal(copy);
    return copy;
}

struct ir_stmt *replay_map_stmt(const struct replay_map *map, struct ir_stmt *s)
{
    if (s == NULL)
        return NULL;
    struct ir_stmt *other = map->stmt != NULL ? map->stmt(map->user, s) : NULL;
    return other != NULL ? other : replay_map_inside(map, s);
}

/* ---- substitution ------------------------------------------------------------------- */

bool replay_subst_add(struct replay_subst *s, const struct ir_var *from,
                      struct ir_expr *to)
{
    if (s->n == DC_ARRAY_LEN(s->vars))
        return false;
    s->vars[s->n].from = from;
    s->vars[s->n++].to = to;
    return true;
}

static struct ir_expr *subst_node(void *user, struct ir_expr *e)
{
    struct replay_subst *s = user;
    if (e->kind != IR_VAR_REF)
        return e;
    for (size_t i = s->n; i-- > 0;)
        if (s->vars[i].from == e->u.var) {
            struct ir_expr *to = s->vars[i].to;
            return dtype_equal(to->dtype, e->dtype)
                       ? to
                       : ir_cast(s->m, e->dtype, to);
        }
    return e;
}

struct ir_expr *replay_subst_expr(struct replay_subst *s, struct ir_expr *e)
{
    struct replay_map map = {.m = s->m, .user = s, .expr = subst_node};
    return replay_map_expr(&map, e);
}

struct ir_stmt *replay_subst_stmt(struct replay_subst *s, struct ir_stmt *t)
{
    struct replay_map map = {.m = s->m, .user = s, .expr = subst_node};
    return replay_map_stmt(&map, t);
}

/* ---- small constructors --------------------------------------------------------------- */

struct ir_stmt *replay_seq(struct ir_module *m, struct ir_stmt *a,
                           struct ir_stmt *b)
{
    if (a == NULL || b == NULL)
        return a != NULL ? a : b;
    struct ir_stmt *items[2] = {a, b};
    return ir_seq(m, 2, items);
}

struct ir_stmt *replay_if(struct ir_module *m, struct ir_expr *cond,
                          struct ir_stmt *then_)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_IF);
    s->u.if_.cond = cond;
    s->u.if_.then_ = then_;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *replay_for(struct ir_module *m, struct ir_var *var,
                           struct ir_expr *min, int64_t extent,
                           struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = min;
    s->u.loop.extent = ir_int(m, var->dtype, extent);
    s->u.loop.kind = IR_FOR_SERIAL;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

struct ir_buffer *replay_register(struct ir_module *m, const char *name,
                                  struct dtype t, int64_t n,
                                  struct ir_stmt **alloc)
{
    struct ir_expr *shape[1] = {ir_int(m, DTYPE_INT32, n)};
    struct ir_buffer *b = ir_buffer_make(m, name, t, 1, shape, NULL, "local");
    *alloc = ir_stmt_make(m, IR_ALLOC);
    (*alloc)->u.alloc.buffer = b;
    ir_stmt_seal(*alloc);
    return b;
}
