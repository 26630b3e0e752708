/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over threads in schedulable form (R5): the pattern of a block
 * whose reduction iterators are bound to threads.
 *
 * Two partial results are combined by the block's own update with the load of
 * the accumulator replaced by one of them and the new term by the other. The
 * term is what stands beside the accumulator in `C = C op term`, or in the
 * other arm of a choice on it (argmax). Anything else is no reduction that can
 * be taken apart.
 */
#include "ir/plan/plan_private.h"

struct ir_target *ir_reduction_target(struct ir_reduction *r,
                                      const struct ir_buffer *b)
{
    for (size_t i = 0; i < r->ntargets; i++)
        if (r->targets[i].buffer == b)
            return &r->targets[i];
    return NULL;
}

static bool see_init(void *user, struct ir_stmt *s)
{
    struct ir_reduction *r = user;
    if (s->kind == IR_STORE && r->ntargets < IR_MAX_TARGETS &&
        ir_reduction_target(r, s->u.store.buffer) == NULL)
        r->targets[r->ntargets++] =
            (struct ir_target){.buffer = s->u.store.buffer, .init = s};
    return true;
}

static bool see_body(void *user, struct ir_stmt *s)
{
    struct ir_reduction *r = user;
    if (s->kind == IR_BIND && r->nbinds < IR_MAX_BINDS) {
        r->binds[r->nbinds].var = s->u.bind.var;
        r->binds[r->nbinds++].value = s->u.bind.value;
    }
    struct ir_target *t =
        s->kind == IR_STORE ? ir_reduction_target(r, s->u.store.buffer) : NULL;
    if (t != NULL)
        t->update = s;
    return true;
}

/* A variable of the body stands for its value. */
static const struct ir_expr *resolve(const struct ir_reduction *r,
                                     const struct ir_expr *e)
{
    while (e->kind == IR_VAR_REF) {
        const struct ir_expr *value = NULL;
        for (size_t i = 0; i < r->nbinds; i++)
            if (r->binds[i].var == e->u.var)
                value = r->binds[i].value;
        if (value == NULL)
            break;
        e = value;
    }
    return e;
}

static bool is_accumulator(const struct ir_reduction *r,
                           const struct ir_target *t, const struct ir_expr *e)
{
    e = resolve(r, e);
    return e->kind == IR_LOAD && e->u.buffer == t->buffer;
}

static bool find_term(const struct ir_reduction *r, struct ir_target *t)
{
    if (t->update == NULL)
        return false;
    const struct ir_expr *e = resolve(r, t->update->u.store.value);
    uint32_t first;
    if (e->kind >= IR_ADD && e->kind <= IR_OR && e->nargs == 2)
        first = 0;
    else if (e->kind == IR_SELECT ||
             (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE &&
              e->nargs == 3))
        first = 1;
    else
        return false;
    if (is_accumulator(r, t, e->args[first]))
        t->term = resolve(r, e->args[first + 1]);
    else if (is_accumulator(r, t, e->args[first + 1]))
        t->term = resolve(r, e->args[first]);
    return t->term != NULL;
}

enum ir_part ir_reduction_part(const struct ir_reduction *r, size_t own,
                               const struct ir_expr **e, size_t *target)
{
    size_t n = 0;
    *e = resolve(r, *e);
    for (size_t i = 0; i < r->ntargets; i++) {
        if (is_accumulator(r, &r->targets[i], *e)) {
            *target = i;
            return IR_PART_SUM;
        }
        if (ir_expr_same(*e, r->targets[i].term))
            *target = n++ == 0 || i == own ? i : *target;
    }
    if (n > 1 && *target != own)
        return IR_PART_UNCLEAR;
    return n > 0 ? IR_PART_TERM : IR_PART_OPERATOR;
}

/* ---- guards ------------------------------------------------------------------- */

static bool is_reduced(const void *block, const struct ir_expr *e)
{
    return e->kind == IR_LOAD || e->kind == IR_LET ||
           (e->kind == IR_VAR_REF && ir_reduces_over(block, e->u.var));
}

/* The parts of a conjunction that read no memory and do not hang on what is
 * reduced over. */
static void add_guards(struct ir_reduction *r, struct arena *arena,
                       struct ir_expr *e)
{
    if (e->kind == IR_AND) {
        add_guards(r, arena, e->args[0]);
        add_guards(r, arena, e->args[1]);
        return;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_LIKELY) {
        add_guards(r, arena, e->args[0]);
        return;
    }
    if (ir_expr_any(e, is_reduced, r->block))
        return;
    struct ir_expr **grown =
        ARENA_ARRAY(arena, r->nguards + 1, struct ir_expr *);
    for (size_t i = 0; i < r->nguards; i++)
        grown[i] = r->guards[i];
    grown[r->nguards++] = e;
    r->guards = grown;
}

struct ir_reduction *plan_reduction(struct arena *arena,
                                    const struct ir_stmt *stmt, bool alone)
{
    struct ir_reduction *r = ARENA_NEW(arena, struct ir_reduction);
    struct ir_visitor init = {see_init, NULL, r};
    struct ir_visitor body = {see_body, NULL, r};
    r->stmt = stmt;
    r->block = stmt->u.block;
    ir_visit_stmt(&init, r->block->init);
    ir_visit_stmt(&body, r->block->body);
    add_guards(r, arena, r->block->predicate);
    bool terms = true;
    for (size_t i = 0; i < r->ntargets; i++)
        terms = find_term(r, &r->targets[i]) && terms;
    r->fault = !alone             ? IR_REDUCTION_MIXED
               : r->ntargets == 0 ? IR_REDUCTION_NO_INIT
               : !terms           ? IR_REDUCTION_NO_TERM
                                  : IR_REDUCTION_OK;
    return r;
}
