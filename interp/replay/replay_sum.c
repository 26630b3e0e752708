/* SPDX-License-Identifier: Apache-2.0
 *
 * Innermost sums taken apart into inits, a cell and terms, and the statements
 * and expressions that another order of them is put together from.
 */
#include "interp/replay/replay_sum.h"

#include <string.h>

/* ---- taking the loop apart --------------------------------------------------------- */

static bool is_read(const void *user, const struct ir_expr *e)
{
    const struct ir_buffer *b = user;
    return e->kind == IR_LOAD && e->u.buffer->data == b->data;
}

/* The init as a statement of its own, under its condition. False: it cannot be
 * told from the first iteration alone when it runs. */
static bool take_init(struct replay_sum *s, const struct ir_block *b)
{
    struct ir_expr *cond = NULL;
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *iter = &b->iters[i];
        if (iter->type != IR_ITER_REDUCE)
            continue;
        if (!iter->has_dom)
            return false;
        struct ir_expr *at = replay_subst_expr(&s->first, b->iter_values[i]);
        int64_t have, want;
        if (ir_const_int(at, &have) && ir_const_int(iter->dom.min, &want)) {
            if (have != want)
                return false;
            continue;
        }
        struct ir_expr *min = iter->dom.min;
        if (!dtype_equal(at->dtype, min->dtype))
            min = ir_cast(s->m, at->dtype, min);
        struct ir_expr *here = ir_binary(s->m, IR_EQ, at, min);
        cond = cond == NULL ? here : ir_binary(s->m, IR_AND, cond, here);
    }
    struct ir_stmt *init = replay_subst_stmt(&s->first, b->init);
    s->inits = replay_seq(s->m, s->inits,
                          cond != NULL ? replay_if(s->m, cond, init) : init);
    return true;
}

static bool take_block(struct replay_sum *s, const struct ir_block *b)
{
    if (b->nallocs > 0 || b->nmatches > 0 || !ir_is_true(b->predicate))
        return false;
    for (size_t i = 0; i < b->niters; i++) {
        struct ir_expr *e = b->iter_values[i];
        if (!replay_subst_add(&s->subst, b->iters[i].var,
                              replay_subst_expr(&s->subst, e)) ||
            !replay_subst_add(&s->first, b->iters[i].var,
                              replay_subst_expr(&s->first, e)))
            return false;
    }
    return b->init == NULL || take_init(s, b);
}

/* Down to the one store. */
static bool take_body(struct replay_sum *s, const struct ir_stmt *t)
{
    while (t->kind != IR_STORE) {
        if (t->kind == IR_SEQ && t->u.seq.n == 1) {
            t = t->u.seq.items[0];
        } else if (t->kind == IR_BLOCK) {
            if (!take_block(s, t->u.block))
                return false;
            t = t->u.block->body;
        } else {
            return false;
        }
    }
    s->store = t;
    return t->u.store.predicate == NULL;
}

static bool take_store(struct replay_sum *s)
{
    const struct ir_stmt *t = s->store;
    struct ir_expr *value = t->u.store.value;
    s->n = t->u.store.nindices;
    if (value->kind != IR_ADD || !dtype_is_float(value->dtype) ||
        value->dtype.lanes > 1 || t->u.store.buffer->dtype.lanes > 1)
        return false;
    bool left = replay_is_cell(t, value->args[0]);
    if (!left && !replay_is_cell(t, value->args[1]))
        return false;
    s->term = replay_subst_expr(&s->subst, value->args[left ? 1 : 0]);
    if (ir_expr_any(s->term, is_read, t->u.store.buffer))
        return false;
    s->indices = ARENA_ARRAY(s->m->arena, s->n + 1, struct ir_expr *);
    for (size_t i = 0; i < s->n; i++) {
        s->indices[i] = replay_subst_expr(&s->subst, t->u.store.indices[i]);
        if (ir_uses_var(s->indices[i], s->loop->u.loop.var))
            return false;
    }
    return true;
}

bool replay_sum_take(struct replay *r, const struct ir_stmt *loop,
                     struct replay_sum *s)
{
    int64_t min;
    if (loop->kind != IR_FOR)
        return false;
    memset(s, 0, sizeof *s);
    s->r = r;
    s->m = s->subst.m = s->first.m = r->m;
    s->loop = loop;
    s->backwards = r->profile->set[NUM_T_ORDER] == NUM_ORDER_REVERSED;
    if (loop->u.loop.step != NULL ||
        (loop->u.loop.kind != IR_FOR_SERIAL &&
         loop->u.loop.kind != IR_FOR_UNROLLED) ||
        !ir_const_int(loop->u.loop.extent, &s->extent) ||
        !ir_const_int(loop->u.loop.min, &min))
        return false;
    return replay_subst_add(&s->first, loop->u.loop.var, loop->u.loop.min) &&
           take_body(s, loop->u.loop.body) && take_store(s);
}

/* ---- putting it together ------------------------------------------------------------- */

struct ir_expr *replay_sum_int(const struct replay_sum *s, int64_t value)
{
    return ir_int(s->m, s->loop->u.loop.var->dtype, value);
}

struct ir_expr *replay_sum_plus(const struct replay_sum *s, struct ir_expr *a,
                                int64_t b)
{
    return b == 0 ? a : ir_binary(s->m, IR_ADD, a, replay_sum_int(s, b));
}

struct ir_expr *replay_sum_times(const struct replay_sum *s, struct ir_expr *a,
                                 int64_t b)
{
    return b == 1 ? a : ir_binary(s->m, IR_MUL, a, replay_sum_int(s, b));
}

struct ir_var *replay_sum_counter(const struct replay_sum *s, const char *name)
{
    return ir_var_make(s->m, name, s->loop->u.loop.var->dtype);
}

struct ir_expr *replay_sum_term(const struct replay_sum *s, struct ir_expr *k)
{
    struct replay_subst subst;
    memset(&subst, 0, sizeof subst);
    subst.m = s->m;
    if (s->backwards)
        k = ir_binary(s->m, IR_SUB, replay_sum_int(s, s->extent - 1), k);
    struct ir_expr *at = ir_binary(s->m, IR_ADD, k, s->loop->u.loop.min);
    (void)replay_subst_add(&subst, s->loop->u.loop.var, at);
    return replay_subst_expr(&subst, s->term);
}

struct ir_expr *replay_sum_cell(const struct replay_sum *s)
{
    return ir_load(s->m, s->store->u.store.buffer, s->n, s->indices, NULL);
}

struct ir_stmt *replay_sum_set_cell(const struct replay_sum *s,
                                    struct ir_expr *value)
{
    return ir_store(s->m, s->store->u.store.buffer, value, s->n, s->indices,
                    NULL);
}

struct ir_expr *replay_sum_part(const struct replay_sum *s,
                                struct ir_buffer *parts, struct ir_expr *at)
{
    return ir_load(s->m, parts, 1, &at, NULL);
}

struct ir_stmt *replay_sum_set_part(const struct replay_sum *s,
                                    struct ir_buffer *parts, struct ir_expr *at,
                                    struct ir_expr *value)
{
    return ir_store(s->m, parts, value, 1, &at, NULL);
}
