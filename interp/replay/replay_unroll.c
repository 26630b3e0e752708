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

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct inside *x = user;
    x->loop |= s->kind == IR_FOR || s->kind == IR_WHILE;
    if (s->kind == IR_STORE && dtype_is_float(s->u.store.buffer->dtype))
        x->sum |= ir_loads(s->u.store.value, s->u.store.buffer);
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

/* n turns from the given one on, in groups. */
static struct ir_stmt *grouped(struct replay *r, const struct ir_stmt *s,
                               int64_t from, int64_t n)
{
    struct ir_module *m = r->m;
    struct dtype t = s->u.loop.var->dtype;
    int64_t by = r->profile->set[NUM_T_UNROLL] + 1;
    int64_t rest = n % by, full = n - rest;
    if (n <= by)
        return turns(r, s, ir_int(m, t, from), n);
    struct ir_var *group = ir_var_make(m, s->u.loop.var->name, t);
    r->groups[r->ngroups++] = group;
    struct ir_expr *at =
        ir_binary(m, IR_ADD, ir_int(m, t, from),
                  ir_binary(m, IR_MUL, ir_var_ref(m, group), ir_int(m, t, by)));
    struct ir_expr *after = ir_binary(m, IR_ADD, at, ir_int(m, t, rest));
    struct ir_stmt *body =
        replay_seq(m, turns(r, s, at, rest), turns(r, s, after, by - rest));
    return replay_seq(m, replay_for(m, group, ir_int(m, t, 0), full / by, body),
                      turns(r, s, ir_int(m, t, from + full), rest));
}

/* Whether the first turn sets the sum's initial value, as far as that does not
 * depend on the loop: a block's other reduction iterators are at their least
 * values. NULL: always. */
static struct ir_expr *sets_first(struct replay *r, const struct ir_stmt *s)
{
    const struct ir_stmt *body = s->u.loop.body;
    struct ir_expr *all = NULL;
    if (body->kind != IR_BLOCK || body->u.block->init == NULL)
        return NULL;
    const struct ir_block *b = body->u.block;
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_expr *at = b->iter_values[i], *least = b->iters[i].dom.min;
        if (b->iters[i].type != IR_ITER_REDUCE || !b->iters[i].has_dom ||
            ir_uses_var(at, s->u.loop.var))
            continue;
        if (!dtype_equal(at->dtype, least->dtype))
            least = ir_cast(r->m, at->dtype, least);
        struct ir_expr *is = ir_binary(r->m, IR_EQ, at, least);
        all = all == NULL ? is : ir_binary(r->m, IR_AND, all, is);
    }
    return all;
}

static struct ir_stmt *unroll(void *user, struct ir_stmt *s)
{
    struct replay *r = user;
    struct ir_module *m = r->m;
    int64_t n;
    struct inside x = {false, false};
    struct ir_visitor v = {see_stmt, NULL, &x};
    if (s->kind != IR_FOR || s->u.loop.step != NULL ||
        (s->u.loop.kind != IR_FOR_SERIAL &&
         s->u.loop.kind != IR_FOR_UNROLLED) ||
        !ir_const_int(s->u.loop.extent, &n) ||
        n <= r->profile->set[NUM_T_UNROLL] + 1 ||
        r->ngroups + 2 > DC_ARRAY_LEN(r->groups))
        return NULL;
    ir_visit_stmt(&v, s->u.loop.body);
    if (x.loop || !x.sum)
        return NULL;
    if (r->profile->set[NUM_T_PEEL] == NUM_PEEL_NONE)
        return grouped(r, s, 0, n);
    struct ir_stmt *peeled =
        replay_seq(m, turns(r, s, ir_int(m, s->u.loop.var->dtype, 0), 1),
                   grouped(r, s, 1, n - 1));
    struct ir_expr *first = sets_first(r, s);
    if (first == NULL)
        return peeled;
    struct ir_stmt *choice = replay_if(m, first, peeled);
    choice->u.if_.else_ = grouped(r, s, 0, n);
    ir_stmt_seal(choice);
    return choice;
}

void replay_unroll(struct replay *r)
{
    struct ir_map map = {.m = r->m, .user = r, .stmt = unroll, .fresh = true};
    r->body = ir_map_stmt(&map, r->body);
}
