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
    return ir_thread_axis(s, NULL) || (info != NULL && info->launch);
}

const struct ir_stmt *emit_thread_inside(const struct ir_stmt *s)
{
    return s->kind == IR_FOR ? s->u.loop.body : s->u.attr.body;
}

/* ---- uses ------------------------------------------------------------------------- */

static bool is_var(const void *var, const struct ir_expr *e)
{
    return (e->kind == IR_VAR_REF && e->u.var == var) ||
           ((e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
            e->u.buffer->data == var);
}

static bool names_var(const void *var, const struct ir_stmt *s)
{
    bool found = (s->kind == IR_STORE && s->u.store.buffer->data == var) ||
                 (s->kind == IR_DECL_BUFFER && s->u.decl.buffer->data == var);
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nmatches; i++)
        found |= s->u.block->matches[i].source.buffer->data == var;
    return found;
}

bool emit_stmt_uses_var(const struct ir_stmt *s, const struct ir_var *var)
{
    return ir_stmt_any(s, names_var, is_var, var);
}

/* ---- what varies -------------------------------------------------------------------- */

static bool varies(const void *varying, const struct ir_expr *e)
{
    return (e->kind == IR_VAR_REF && ((const bool *)varying)[e->u.var->id]) ||
           e->kind == IR_LOAD || e->kind == IR_LET ||
           (e->kind == IR_CALL &&
            !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE));
}

bool emit_is_varying(const struct emitter *em, const struct ir_expr *e)
{
    return ir_expr_any(e, varies, em->varying);
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

static bool is_mixed(const void *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *info = emit_plan_info(em, s);
    return info != NULL && info->reduction != NULL &&
           info->reduction->fault == IR_REDUCTION_MIXED;
}

void emit_plan_make(struct emitter *em)
{
    struct ir_stmt *body = em->f->prim.body;
    struct ir_visitor varying = {define_varying, NULL, em};
    em->plan = ir_plan_make(em->m, em->f, false, em->arena);
    em->varying = ARENA_ARRAY(em->arena, em->m->nvars + 1, bool);
    ir_visit_stmt(&varying, body);
    if (ir_stmt_any(body, is_mixed, NULL, em))
        emit_refuse(em, "a reduction over threads whose loops hold other "
                        "statements too");
}
