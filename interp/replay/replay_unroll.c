/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums unrolled by a factor (A20): the turns of the loop become groups
 * that are loops of their own, so that A3 can keep an accumulator over a group
 * and round it in between, as a compiler does that rounds at the end of a basic
 * block.
 *
 * Of n turns (after the first one, if that is by itself) groups of U are taken.
 * Where r = n mod U are left, LLVM puts the test for the end of the loop behind
 * the first r turns of the unrolled body: each group is cut there, and the last
 * one ends there.
 */
#include "interp/replay/replay.h"

struct inside {
    bool loop, sum;
};

struct self_load {
    const struct ir_buffer *b;
    bool found;
};

static bool see_load(void *user, struct ir_expr *e)
{
    struct self_load *l = user;
    l->found |= e->kind == IR_LOAD && e->u.buffer == l->b;
    return !l->found;
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct inside *x = user;
    x->loop |= s->kind == IR_FOR || s->kind == IR_WHILE;
    if (s->kind == IR_STORE && dtype_is_float(s->u.store.buffer->dtype)) {
        struct self_load l = {s->u.store.buffer, false};
        struct ir_visitor v = {NULL, see_load, &l};
        ir_visit_expr(&v, s->u.store.value);
        x->sum |= l.found;
    }
    return !x->loop;
}

/* Turns first … first + n - 1 of the loop as a loop of their own, first being
 * an offset from its minimum. NULL: none. */
static struct ir_stmt *turns(struct replay *r, const struct ir_stmt *s,
                             struct ir_expr *first, int64_t n)
{
    struct ir_module *m = r->m;
    struct ir_var *old = s->u.loop.var;
    if (n <= 0)
        return NULL;
    struct ir_var *var = ir_var_make(m, old->name, old->dtype);
    struct replay_subst *subst = ARENA_NEW(m->arena, struct replay_subst);
    subst->m = m;
    subst->n = 0;
    struct ir_expr *at = ir_binary(m, IR_ADD, s->u.loop.min, first);
    if (!replay_subst_add(subst, old,
                          ir_binary(m, IR_ADD, at, ir_var_ref(m, var))))
        DC_BUG("no room for one variable");
    return replay_for(m, var, ir_int(m, var->dtype, 0), n,
                      replay_subst_stmt(subst, s->u.loop.body));
}

static struct ir_stmt *unroll(void *user, struct ir_stmt *s)
{
    struct replay *r = user;
    struct ir_module *m = r->m;
    int64_t n, by = r->profile->set[NUM_T_UNROLL] + 1;
    int64_t peel = r->profile->set[NUM_T_PEEL] == NUM_PEEL_FIRST ? 1 : 0;
    struct inside x = {false, false};
    struct ir_visitor v = {see_stmt, NULL, &x};
    if (s->kind != IR_FOR || s->u.loop.step != NULL ||
        (s->u.loop.kind != IR_FOR_SERIAL &&
         s->u.loop.kind != IR_FOR_UNROLLED) ||
        !ir_const_int(s->u.loop.extent, &n) || n - peel <= by ||
        r->ngroups == DC_ARRAY_LEN(r->groups))
        return NULL;
    ir_visit_stmt(&v, s->u.loop.body);
    if (x.loop || !x.sum)
        return NULL;
    struct dtype t = s->u.loop.var->dtype;
    int64_t groups = (n - peel) / by, rest = (n - peel) % by;
    struct ir_var *group = ir_var_make(m, s->u.loop.var->name, t);
    r->groups[r->ngroups++] = group;
    struct ir_expr *at =
        ir_binary(m, IR_ADD, ir_int(m, t, peel),
                  ir_binary(m, IR_MUL, ir_var_ref(m, group), ir_int(m, t, by)));
    struct ir_expr *after = ir_binary(m, IR_ADD, at, ir_int(m, t, rest));
    struct ir_expr *end = ir_int(m, t, peel + groups * by);
    struct ir_stmt *body =
        replay_seq(m, turns(r, s, at, rest), turns(r, s, after, by - rest));
    struct ir_stmt *main = replay_for(m, group, ir_int(m, t, 0), groups, body);
    main = replay_seq(m, main, turns(r, s, end, rest));
    return replay_seq(m, turns(r, s, ir_int(m, t, 0), peel), main);
}

void replay_unroll(struct replay *r)
{
    struct replay_map map = {r->m, r, unroll, NULL, NULL};
    r->body = replay_map_stmt(&map, r->body);
}
