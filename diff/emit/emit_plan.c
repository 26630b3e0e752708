/* SPDX-License-Identifier: Apache-2.0
 *
 * What must be known about a function before it is written: the plan of it
 * (ir/plan/plan.h), which says what threads do together and what is made where,
 * and beside it which values differ between the threads of a block, so that
 * code for all of them at once has to keep one for each.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

bool emit_is_launch(const struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *info = emit_plan_info(em, s);
    const char *tag;
    return ir_thread_var(s, &tag) != NULL || (info != NULL && info->launch);
}

const struct ir_stmt *emit_thread_inside(const struct ir_stmt *s)
{
    return s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body;
}

/* ---- uses ------------------------------------------------------------------------- */

struct mention {
    const struct ir_var *var;
    bool found;
};

static bool mention_var(void *user, struct ir_expr *e)
{
    struct mention *x = user;
    x->found |= e->kind == IR_VAR_REF && e->u.var == x->var;
    if ((e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
        e->u.buffer->data == x->var)
        x->found = true;
    return !x->found;
}

static bool mention_in_stmt(void *user, struct ir_stmt *s)
{
    struct mention *x = user;
    if (s->kind == IR_STORE && s->u.store.buffer->data == x->var)
        x->found = true;
    if (s->kind == IR_DECL_BUFFER && s->u.decl.buffer->data == x->var)
        x->found = true;
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nmatches; i++)
        if (s->u.block->matches[i].source.buffer->data == x->var)
            x->found = true;
    return !x->found;
}

bool emit_stmt_uses_var(const struct ir_stmt *s, const struct ir_var *var)
{
    struct mention x = {var, false};
    struct ir_visitor v = {mention_in_stmt, mention_var, &x};
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } u = {s};
    ir_visit_stmt(&v, u.out);
    return x.found;
}

/* ---- what varies -------------------------------------------------------------------- */

struct varying_walk {
    const bool *varying;
    bool found;
};

static bool see_varying(void *user, struct ir_expr *e)
{
    struct varying_walk *w = user;
    w->found |= (e->kind == IR_VAR_REF && w->varying[e->u.var->id]) ||
                e->kind == IR_LOAD || e->kind == IR_LET ||
                (e->kind == IR_CALL &&
                 !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE));
    return !w->found;
}

bool emit_is_varying(const struct emitter *em, const struct ir_expr *e)
{
    struct varying_walk w = {em->varying, false};
    struct ir_visitor v = {NULL, see_varying, &w};
    union {
        const struct ir_expr *in;
        struct ir_expr *out;
    } u = {e};
    ir_visit_expr(&v, u.out);
    return w.found;
}

/* Variables that a statement defines. */
static bool define_varying(void *user, struct ir_stmt *s)
{
    struct emitter *em = user;
    const char *tag;
    const struct ir_var *thread = ir_thread_var(s, &tag);
    if (s->kind == IR_FOR)
        em->varying[s->u.loop.var->id] |=
            emit_is_varying(em, s->u.loop.min) ||
            emit_is_varying(em, s->u.loop.extent) ||
            emit_is_varying(em, s->u.loop.step);
    else if (s->kind == IR_BIND)
        em->varying[s->u.bind.var->id] |= emit_is_varying(em, s->u.bind.value);
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->niters; i++)
        em->varying[s->u.block->iters[i].var->id] |=
            emit_is_varying(em, s->u.block->iter_values[i]);
    if (thread != NULL)
        em->varying[thread->id] = strncmp(tag, "blockIdx", 8) != 0;
    return true;
}

/* ---- all ---------------------------------------------------------------------------- */

static bool refuse_mixed(void *user, struct ir_stmt *s)
{
    struct emitter *em = user;
    const struct ir_plan_info *info = emit_plan_info(em, s);
    if (info != NULL && info->reduction != NULL &&
        info->reduction->fault == IR_REDUCTION_MIXED)
        emit_refuse(em, "a reduction over threads whose loops hold other "
                        "statements too");
    return !em->failed;
}

void emit_plan_make(struct emitter *em)
{
    const struct ir_plan_options options = {.is_collective =
                                                emit_is_collective};
    struct ir_stmt *body = em->f->prim.body;
    struct ir_visitor varying = {define_varying, NULL, em};
    struct ir_visitor mixed = {refuse_mixed, NULL, em};
    em->plan = ir_plan_make(em->m, em->f, &options, em->arena);
    em->varying = ARENA_ARRAY(em->arena, em->m->nvars + 1, bool);
    ir_visit_stmt(&varying, body);
    ir_visit_stmt(&mixed, body);
}
