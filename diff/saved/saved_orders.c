/* SPDX-License-Identifier: Apache-2.0
 *
 * A function in other orders: parallel loops as serial ones.
 *
 * A race need not show when it is run, since threads may happen to take turns. But
 * any order of a parallel loop's iterations is a run of it, and so is one in which
 * all of them go statement by statement: without a race all have the same bits, on
 * any machine and each time. In which statements or loops of one iteration the
 * others come in between is not tried: one statement that reads and writes the same
 * element is one step in all of them.
 */
#include "diff/saved/saved.h"
#include "ir/walk.h"

enum order { FORWARDS, BACKWARDS, IN_STEP, NORDERS };

static const char *const names[NORDERS] = {"forwards", "backwards", "in-step"};

const char *saved_order_name(size_t i)
{
    return i < NORDERS ? names[i] : NULL;
}

struct turning {
    struct ir_map map; /* of the whole function; user: this */
    enum order order;
    bool any; /* a parallel loop was met */
};

/* ---- a variable by an expression ---------------------------------------------------- */

struct place {
    const struct ir_var *var;
    struct ir_expr *now;
};

static struct ir_expr *put_place(void *user, struct ir_expr *e)
{
    const struct place *p = user;
    return e->kind == IR_VAR_REF && e->u.var == p->var ? p->now : NULL;
}

/* ---- loops --------------------------------------------------------------------------- */

/* min + extent - 1 - (var - min) */
static struct ir_expr *
from_the_end(struct ir_module *m, const struct ir_stmt *s, struct ir_expr *var)
{
    struct ir_expr *end = s->u.loop.extent, *min = s->u.loop.min;
    if (!ir_is_const_int(min, 0))
        end = ir_binary(m, IR_ADD, ir_binary(m, IR_ADD, min, min), end);
    return ir_binary(m, IR_SUB,
                     ir_binary(m, IR_SUB, end, ir_int(m, var->dtype, 1)), var);
}

/* The loop around the body alone, one iteration after the other, under a variable
 * of its own. */
static struct ir_stmt *one_by_one(const struct turning *t,
                                  const struct ir_stmt *s, struct ir_stmt *body)
{
    struct ir_module *m = t->map.m;
    struct ir_stmt *loop = ir_stmt_copy(m->arena, s);
    struct ir_var *var =
        ir_var_make(m, s->u.loop.var->name, s->u.loop.var->dtype);
    struct place p = {s->u.loop.var, ir_var_ref(m, var)};
    const struct ir_map map = {
        .m = m, .before = put_place, .user = &p, .claims = true};
    if (t->order == BACKWARDS && s->u.loop.step == NULL)
        p.now = from_the_end(m, s, p.now);
    loop->u.loop.kind = IR_FOR_SERIAL;
    loop->u.loop.annotations = NULL;
    loop->u.loop.var = var;
    loop->u.loop.body = ir_map_stmt(&map, body);
    ir_stmt_seal(loop);
    return loop;
}

static bool is_jump(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_BREAK || s->kind == IR_CONTINUE ||
           s->kind == IR_RETURN;
}

/* Whether nothing that one statement of the sequence makes is seen by the next. */
static bool is_in_parts(const struct ir_stmt *body)
{
    if (body->kind != IR_SEQ || ir_stmt_any(body, is_jump, NULL, NULL))
        return false;
    for (size_t i = 0; i < body->u.seq.n; i++)
        switch ((int)body->u.seq.items[i]->kind) {
        case IR_STORE:
        case IR_FOR:
        case IR_IF:
        case IR_EVALUATE:
        case IR_BLOCK: break;
        default: return false;
        }
    return true;
}

static struct ir_stmt *turn(void *user, struct ir_stmt *s)
{
    struct turning *t = user;
    if (s->kind != IR_FOR || s->u.loop.kind != IR_FOR_PARALLEL)
        return NULL;
    struct ir_stmt *body = ir_map_stmt(&t->map, s->u.loop.body);
    t->any = true;
    if (t->order != IN_STEP || !is_in_parts(body))
        return one_by_one(t, s, body);
    struct ir_stmt **parts =
        ARENA_ARRAY(t->map.m->arena, body->u.seq.n, struct ir_stmt *);
    for (size_t i = 0; i < body->u.seq.n; i++)
        parts[i] = one_by_one(t, s, body->u.seq.items[i]);
    return ir_seq(t->map.m, body->u.seq.n, parts);
}

const struct ir_module *saved_order_make(struct ir_module *owner,
                                         const struct ir_module *m, size_t i)
{
    struct ir_module *out = arena_memdup(owner->arena, m, sizeof *m);
    struct turning t = {.order = (enum order)i};
    t.map = (struct ir_map){.m = owner, .stmt = turn, .user = &t};
    out->funcs = ARENA_ARRAY(owner->arena, m->nfuncs + 1, struct ir_func *);
    for (size_t k = 0; k < m->nfuncs; k++) {
        struct ir_func *f =
            arena_memdup(owner->arena, m->funcs[k], sizeof *m->funcs[k]);
        if (f->kind == IR_FUNC_PRIM && f->prim.body)
            f->prim.body = ir_map_stmt(&t.map, f->prim.body);
        out->funcs[k] = f;
    }
    return t.any ? out : NULL;
}
