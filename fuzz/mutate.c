/* SPDX-License-Identifier: Apache-2.0
 *
 * How a mutation is applied: a walk over one function that numbers the places
 * where the mutation would change something, and a second one that changes
 * the chosen place.
 *
 * The copy is made by writing and reading JSON, so that nothing is shared with
 * the original. Expressions may be shared within the copy: they are never
 * changed in place, but rebuilt along the path to the change. Statements are
 * trees and are changed where they are; sizes are recomputed at the end.
 * A place whose change leaves the module ill-formed, or equal to what it was,
 * counts for nothing and the next one is tried.
 */
#include "fuzz/mutate_private.h"

#include <string.h>

static const struct {
    const char *name;
    enum mutate_class class_;
} table[] = {
#define MUTATION(id, name, class, text) {name, MUTATE_##class},
#include "fuzz/mutate.def"
#undef MUTATION
};

const char *mutate_name(enum mutate_kind kind)
{
    return table[kind].name;
}

enum mutate_class mutate_class_of(enum mutate_kind kind)
{
    return table[kind].class_;
}

const char *mutate_class_name(enum mutate_class class_)
{
    static const char *const names[] = {"wrong", "precision", "race"};
    return names[class_];
}

/* ---- places ---------------------------------------------------------------- */

bool mutate_here(struct mutation *mu)
{
    return mu->seen++ == mu->target;
}

void mutate_say_expr(struct mutation *mu, const struct ir_expr *from,
                     const struct ir_expr *to)
{
    if (!mu->where || mu->where->len > 0)
        return;
    ir_print_expr(from, mu->where);
    buf_puts(mu->where, " -> ");
    ir_print_expr(to, mu->where);
}

void mutate_say(struct mutation *mu, const char *what)
{
    if (mu->where && mu->where->len == 0)
        buf_puts(mu->where, what);
}

/* ---- the walk over expressions --------------------------------------------- */

static struct ir_expr *walk_expr(struct mutation *mu, struct ir_expr *e,
                                 enum mutate_role role);

static struct ir_expr *walk_children(struct mutation *mu, struct ir_expr *e,
                                     enum mutate_role role)
{
    if (e->nargs == 0 && !e->predicate)
        return e;
    struct ir_expr **args =
        ARENA_ARRAY(mu->m->arena, e->nargs + 1, struct ir_expr *);
    bool changed = false;
    for (uint32_t i = 0; i < e->nargs; i++) {
        enum mutate_role below = e->kind == IR_LOAD ? MUTATE_INDEX : role;
        args[i] = walk_expr(mu, e->args[i], below);
        changed |= args[i] != e->args[i];
    }
    return changed ? gen_rebuild(mu->m, e, args, e->predicate) : e;
}

static struct ir_expr *walk_expr(struct mutation *mu, struct ir_expr *e,
                                 enum mutate_role role)
{
    struct ir_expr *other = mutate_expr(mu, e, role);
    if (other)
        return other;
    e = walk_children(mu, e, role);
    return mutate_rewrites(mu) ? mutate_rewrite_load(mu, e) : e;
}

/* ---- the walk over statements ---------------------------------------------- */

static void walk_exprs(struct mutation *mu, size_t n, struct ir_expr **items,
                       enum mutate_role role)
{
    for (size_t i = 0; i < n; i++)
        items[i] = walk_expr(mu, items[i], role);
}

static void walk_stmt(struct mutation *mu, struct ir_stmt *s);

static void walk_loop(struct mutation *mu, struct ir_stmt *s)
{
    s->u.loop.extent = walk_expr(mu, s->u.loop.extent, MUTATE_BOUND);
    if (mu->nloops < DC_ARRAY_LEN(mu->loops))
        mu->loops[mu->nloops] = s->u.loop.var;
    mu->nloops++;
    walk_stmt(mu, s->u.loop.body);
    mu->nloops--;
}

static void walk_block(struct mutation *mu, struct ir_stmt *s)
{
    struct ir_block *b = s->u.block;
    size_t mark = mu->nloops;
    walk_exprs(mu, b->niters, b->iter_values, MUTATE_INDEX);
    b->predicate = walk_expr(mu, b->predicate, MUTATE_CONDITION);
    for (size_t i = 0; i < b->niters; i++) {
        if (mu->nloops < DC_ARRAY_LEN(mu->loops))
            mu->loops[mu->nloops] = b->iters[i].var;
        mu->nloops++;
    }
    mu->in_init = true;
    walk_stmt(mu, b->init);
    mu->in_init = false;
    walk_stmt(mu, b->body);
    mu->nloops = mark;
}

static void walk_store(struct mutation *mu, struct ir_stmt *s)
{
    walk_exprs(mu, s->u.store.nindices, s->u.store.indices, MUTATE_INDEX);
    s->u.store.value = walk_expr(mu, s->u.store.value, MUTATE_DATA);
    if (mutate_rewrites(mu))
        mutate_rewrite_store(mu, s);
}

static void walk_attr(struct mutation *mu, struct ir_stmt *s)
{
    const struct ir_value *node = s->u.attr.node;
    size_t mark = mu->nloops;
    if (node && node->kind == IR_V_ITER_VAR) {
        if (mu->nloops < DC_ARRAY_LEN(mu->loops))
            mu->loops[mu->nloops] = node->u.iter_var->var;
        mu->nloops++;
    }
    walk_stmt(mu, s->u.attr.body);
    mu->nloops = mark;
}

static void walk_stmt(struct mutation *mu, struct ir_stmt *s)
{
    if (!s)
        return;
    mutate_stmt(mu, s);
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            walk_stmt(mu, s->u.seq.items[i]);
        break;
    case IR_FOR: walk_loop(mu, s); break;
    case IR_WHILE: walk_stmt(mu, s->u.while_.body); break;
    case IR_IF:
        s->u.if_.cond = walk_expr(mu, s->u.if_.cond, MUTATE_CONDITION);
        walk_stmt(mu, s->u.if_.then_);
        walk_stmt(mu, s->u.if_.else_);
        break;
    case IR_BIND:
        s->u.bind.value = walk_expr(mu, s->u.bind.value, MUTATE_DATA);
        break;
    case IR_ATTR: walk_attr(mu, s); break;
    case IR_STORE: walk_store(mu, s); break;
    case IR_BLOCK: walk_block(mu, s); break;
    case IR_STORAGE_STMTS:
    case IR_ASSERT:
    case IR_EVALUATE:
    case IR_JUMP_STMTS:
    case IR_NSTMTS: break;
    }
}

/* ---- sizes ----------------------------------------------------------------- */

static bool reseal(void *user, struct ir_stmt *s)
{
    struct ir_visitor v = {reseal, NULL, user};
    ir_visit_below(&v, s);
    ir_stmt_seal(s);
    return false;
}

/* ---- modules --------------------------------------------------------------- */

static struct ir_module *copy_of(const struct buf *text)
{
    return ir_read(buf_text(text), text->len, "mutant", NULL);
}

static void apply(struct mutation *mu)
{
    for (size_t i = 0; i < mu->m->nfuncs; i++) {
        struct ir_func *f = mu->m->funcs[i];
        if (f->kind != IR_FUNC_PRIM || !f->prim.body)
            continue;
        mu->func = f;
        mu->nloops = 0;
        walk_stmt(mu, f->prim.body);
        (void)reseal(NULL, f->prim.body);
    }
}

static size_t count_places(const struct buf *text, enum mutate_kind kind)
{
    struct mutation mu = {.m = copy_of(text), .kind = kind, .target = SIZE_MAX};
    if (!mu.m)
        return 0;
    apply(&mu);
    ir_module_free(mu.m);
    return mu.seen;
}

static struct ir_module *mutate_at(const struct ir_module *module,
                                   const struct buf *text,
                                   enum mutate_kind kind, size_t target,
                                   struct buf *where)
{
    static const struct ir_equal_options same = {.map_free_vars = true};
    struct mutation mu = {
        .m = copy_of(text), .kind = kind, .target = target, .where = where};
    if (!mu.m)
        return NULL;
    apply(&mu);
    if (ir_wellformed(mu.m, NULL) && !ir_module_equal(module, mu.m, same, NULL))
        return mu.m;
    ir_module_free(mu.m);
    if (where)
        where->len = 0;
    return NULL;
}

struct ir_module *mutate_module(const struct ir_module *module,
                                enum mutate_kind kind, uint64_t choice,
                                struct buf *where)
{
    struct buf text = {0};
    struct ir_module *result = NULL;
    if (ir_write_json(module, IR_ERA_F, &text, NULL)) {
        size_t n = count_places(&text, kind);
        for (size_t i = 0; i < n && i < 8 && !result; i++)
            result = mutate_at(module, &text, kind, (size_t)((choice + i) % n),
                               where);
    }
    buf_fini(&text);
    return result;
}
