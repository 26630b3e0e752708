/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks (R1): bindings and predicate see what is outside; init runs where
 * every reduction iterator has the minimum of its domain.
 */
#include "verifier/front/front.h"

static void bind_iters(struct front *f, const struct ir_block *b)
{
    struct ir_expr **value = ARENA_ARRAY(f->arena, b->niters, struct ir_expr *);
    for (size_t i = 0; i < b->niters; i++)
        value[i] = front_let(f, b->iters[i].var->name,
                             front_scalar(f, b->iter_values[i]));
    front_guard(f, front_scalar(f, b->predicate), false);
    for (size_t i = 0; i < b->niters; i++)
        front_bind_expr(f, b->iters[i].var, value[i]);
}

static void block_init(struct front *f, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++) {
        if (b->iters[i].type != IR_ITER_REDUCE || !b->iters[i].has_dom)
            continue;
        struct ir_expr *now = f->env[b->iters[i].var->id].expr;
        front_guard(f, fx_eq(f, now, front_scalar(f, b->iters[i].dom.min)),
                    false);
    }
    bool outer = f->in_init;
    f->in_init = true;
    front_stmt(f, b->init);
    f->in_init = outer;
}

static void block_allocs(struct front *f, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++) {
        struct facts *x = front_facts(f, b->allocs[i]);
        if (f->pass == 0)
            x->at = f->par;
        if (x->moved != NULL)
            continue;
        front_eval_buffer(f, b->allocs[i]);
        front_own(f, b->allocs[i], front_storage(f, b->allocs[i]));
        x->of_block = true;
        if (f->launch == NULL)
            vec_push(&f->live, b->allocs[i]);
    }
    for (size_t i = 0; i < b->nmatches; i++)
        front_match(f, &b->matches[i]);
}

void front_block(struct front *f, struct ir_stmt *s)
{
    const struct ir_block *b = s->u.block;
    struct front_mark mark = front_mark(f);
    const char *outer = f->block_name;
    f->block_depth++;
    f->block_name = b->name;
    bind_iters(f, b);
    block_allocs(f, b);
    struct front_mark inside = front_mark(f);
    if (b->init != NULL) {
        front_position(f, 0);
        block_init(f, b);
        front_reset(f, inside);
        front_position(f, 1);
    }
    front_stmt(f, b->body);
    f->block_name = outer;
    f->block_depth--;
    front_reset(f, mark);
}
