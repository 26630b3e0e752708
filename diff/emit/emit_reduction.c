/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions over threads in schedulable form (R5): a block whose reduction
 * iterator is bound to threads. Each thread goes through the nest with a
 * partial result of its own in place of the target's element, starting from the
 * init; then the partials of threads with equal spatial iterators are combined
 * in ascending order of threads, and each thread that came by stores the
 * result.
 *
 * To combine, the update is written with one partial for the accumulator and
 * the other for the new term (ir/plan/plan_reduction.c). One element of each
 * target per thread; anything else is refused.
 */
#include "diff/emit/emit_private.h"

/* Whether indices say the element that the update stores to. */
static bool is_element(const struct ir_target *t,
                       struct ir_expr *const *indices, size_t n)
{
    const struct ir_stmt *update = t->update;
    if (n != update->u.store.nindices)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!ir_expr_same(indices[i], update->u.store.indices[i]))
            return false;
    return true;
}

/* A read of some target elsewhere than it is updated. */
static bool is_elsewhere(const void *plan, const struct ir_expr *e)
{
    const struct ir_reduction *r = plan;
    for (size_t i = 0; e->kind == IR_LOAD && i < r->ntargets; i++)
        if (r->targets[i].buffer == e->u.buffer &&
            !is_element(&r->targets[i], e->args, e->nargs))
            return true;
    return false;
}

/* A load, or a variable that is no spatial iterator. */
static bool is_other(const void *block, const struct ir_expr *e)
{
    const struct ir_block *b = block;
    if (e->kind != IR_VAR_REF)
        return e->kind == IR_LOAD;
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].var == e->u.var && b->iters[i].type != IR_ITER_REDUCE)
            return false;
    return true;
}

/* Whether the target's element follows from the spatial iterators alone. */
static bool is_one_element(const struct ir_block *b, const struct ir_target *t)
{
    for (size_t i = 0; i < t->update->u.store.nindices; i++)
        if (ir_expr_any(t->update->u.store.indices[i], is_other, b))
            return false;
    return true;
}

/* Serial loops of the nest over which a spatial iterator runs. */
struct loop_search {
    const struct ir_block *block;
    bool found;
};

static bool see_loop(void *user, struct ir_stmt *s)
{
    struct loop_search *search = user;
    if (s->kind == IR_BLOCK)
        return s->u.block != search->block;
    if (s->kind != IR_FOR || s->u.loop.kind == IR_FOR_THREAD)
        return !search->found;
    for (size_t i = 0; i < search->block->niters; i++)
        search->found |=
            search->block->iters[i].type != IR_ITER_REDUCE &&
            ir_uses_var(search->block->iter_values[i], s->u.loop.var);
    return !search->found;
}

static bool analyse(struct emitter *em, const struct ir_stmt *root,
                    struct ir_reduction *plan)
{
    const struct ir_block *b = plan->block;
    struct loop_search search = {b, false};
    struct ir_visitor loops = {see_loop, NULL, &search};
    ir_visit_stmt(&loops, root);
    if (search.found)
        return emit_refuse(em,
                           "a reduction over threads of several elements each");
    if (plan->fault == IR_REDUCTION_NO_INIT)
        return emit_refuse(em,
                           "a reduction over threads that initialises nothing");
    bool fine = plan->fault == IR_REDUCTION_OK &&
                !ir_stmt_any(b->body, NULL, is_elsewhere, plan);
    for (size_t i = 0; i < plan->ntargets && fine; i++) {
        const struct ir_target *t = &plan->targets[i];
        fine = is_element(t, t->init->u.store.indices,
                          t->init->u.store.nindices) &&
               is_one_element(b, t);
    }
    return fine ||
           emit_refuse(em, "a reduction over threads that is not 'C = C op x'");
}

/* ---- combining ------------------------------------------------------------------------ */

/* The update of target `own` on two partials: acc[first] and part[tid]. */
static const char *combine_text(struct emitter *em,
                                const struct reduction_code *r, size_t own,
                                const struct ir_expr *e)
{
    size_t target;
    switch (ir_reduction_part(r->plan, own, &e, &target)) {
    case IR_PART_SUM:
        return emit_text_printf(em, "%s[%s]", r->part[target], r->first);
    case IR_PART_TERM: return emit_text_printf(em, "%s[tid]", r->part[target]);
    case IR_PART_UNCLEAR:
        emit_refuse(em,
                    "a reduction over threads whose targets combine one term");
        return "0";
    case IR_PART_OPERATOR: break;
    }
    if (e->kind >= IR_ADD && e->kind <= IR_OR)
        return emit_binary_text(em, e->kind, dtype_scalar(e->args[0]->dtype),
                                combine_text(em, r, own, e->args[0]),
                                combine_text(em, r, own, e->args[1]));
    if (e->kind == IR_NOT)
        return emit_text_printf(em, "!(%s)",
                                combine_text(em, r, own, e->args[0]));
    if (e->kind == IR_CAST)
        return emit_cast_text(em, dtype_scalar(e->args[0]->dtype),
                              dtype_scalar(e->dtype),
                              combine_text(em, r, own, e->args[0]));
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE))
        return emit_text_printf(em, "(%s ? %s : %s)",
                                combine_text(em, r, own, e->args[0]),
                                combine_text(em, r, own, e->args[1]),
                                combine_text(em, r, own, e->args[2]));
    if (e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM)
        return emit_expr_text(em, e, PREC_POSTFIX);
    emit_refuse(em, "a reduction over threads whose combiner is more than "
                    "operations on the partials");
    return "0";
}

/* "has[x] && vi[x] == vi[tid] …" */
static const char *same_instance(struct emitter *em,
                                 const struct reduction_code *r, const char *x)
{
    const char *text = emit_text_printf(em, "%s[%s]", r->has, x);
    for (size_t i = 0; i < r->plan->block->niters; i++)
        if (r->spatial[i] != NULL)
            text = emit_text_printf(em, "%s && %s[%s] == %s[tid]", text,
                                    r->spatial[i], x, r->spatial[i]);
    return text;
}

/* for (first = 0; …; first++) stops at the thread that keeps the sum. */
static void put_find_first(struct emitter *em, const struct reduction_code *r,
                           const char *end)
{
    emit_line(em, "int %s = 0;", r->first);
    emit_line(em, "while (%s < %s && !(%s))", r->first, end,
              same_instance(em, r, r->first));
    emit_line(em, "    %s++;", r->first);
}

static void put_fold(struct emitter *em, struct reduction_code *r)
{
    const char *sum[IR_MAX_TARGETS];
    r->first = emit_name_make(em, "first");
    emit_device_serial_open(em);
    emit_open_brace(em, "if (%s[tid])", r->has);
    put_find_first(em, r, "tid");
    emit_open_brace(em, "if (%s < tid)", r->first);
    for (size_t i = 0; i < r->plan->ntargets; i++) {
        const struct ir_target *t = &r->plan->targets[i];
        sum[i] = emit_name_make(em, "sum");
        emit_line(em, "const %s %s = %s;", emit_type_name(em, t->buffer->dtype),
                  sum[i], combine_text(em, r, i, t->update->u.store.value));
    }
    for (size_t i = 0; i < r->plan->ntargets; i++)
        emit_line(em, "%s[%s] = %s;", r->part[i], r->first, sum[i]);
    emit_close_brace(em);
    emit_close_brace(em);
    emit_device_serial_close(em);
}

/* Every thread that came by stores the result, those too whose predicate was
 * false; where it was for all, that is the identity. */
static void put_publish(struct emitter *em, struct reduction_code *r)
{
    const char *n =
        emit_text_printf(em, "%lld", (long long)em->kernel->nthreads);
    r->first = emit_name_make(em, "first");
    emit_thread_loop_open(em);
    emit_open_brace(em, "if (%s[tid])", r->came);
    put_find_first(em, r, n);
    emit_line(em, "if (%s == %s)", r->first, n);
    emit_line(em, "    %s = tid;", r->first);
    for (size_t i = 0; i < r->plan->block->niters; i++)
        if (r->spatial[i] != NULL)
            em->var[r->plan->block->iters[i].var->id] =
                emit_text_printf(em, "%s[tid]", r->spatial[i]);
    for (size_t i = 0; i < r->plan->ntargets; i++) {
        const struct ir_target *t = &r->plan->targets[i];
        emit_line_ir(em, emit_ir_text_stmt(em, t->update), "%s = %s[%s];",
                     emit_element_text(em, t->buffer,
                                       t->update->u.store.nindices,
                                       t->update->u.store.indices, NULL),
                     r->part[i], r->first);
    }
    emit_close_brace(em);
    emit_thread_loop_close(em);
    emit_barrier(em);
}

/* ---- the block, for one thread ------------------------------------------------------------ */

void emit_partial_block(struct emitter *em, const struct ir_block *b)
{
    struct reduction_code *r = em->reduction;
    unsigned guards = 0;
    for (size_t i = 0; i < r->plan->nguards; i++) {
        const struct ir_expr *e = r->plan->guards[i];
        if (ir_is_true(e))
            continue;
        emit_open_brace(em, "if (%s)", emit_index_text(em, e, PREC_ANY));
        guards++;
    }
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_var *v = b->iters[i].var;
        const char *text = emit_index_text(em, b->iter_values[i], PREC_ANY);
        if (r->spatial[i] != NULL) {
            emit_line(em, "%s[tid] = %s;", r->spatial[i], text);
            em->var[v->id] = emit_text_printf(em, "%s[tid]", r->spatial[i]);
        } else {
            em->var[v->id] = emit_define_value(em, emit_type_name(em, v->dtype),
                                               v->name, text, true, NULL);
        }
    }
    for (size_t i = 0; i < b->nallocs; i++)
        if (!em->plan->moved[b->allocs[i]->id])
            emit_storage(em, b->allocs[i], 1, NULL);
    for (size_t i = 0; i < b->nmatches; i++)
        emit_match(em, &b->matches[i]);
    r->active = true;
    emit_open_brace(em, "if (!%s[tid])", r->came);
    emit_stmt(em, b->init);
    emit_line(em, "%s[tid] = true;", r->came);
    emit_close_brace(em);
    bool guarded = !ir_is_true(b->predicate);
    if (guarded)
        emit_open_brace(em, "if (%s)",
                        emit_index_text(em, b->predicate, PREC_ANY));
    emit_line(em, "%s[tid] = true;", r->has);
    emit_stmt(em, b->body);
    r->active = false;
    if (guarded)
        emit_close_brace(em);
    while (guards-- > 0)
        emit_close_brace(em);
}

const char *emit_partial_text(const struct emitter *em,
                              const struct ir_buffer *b)
{
    struct reduction_code *r = em->reduction;
    const struct ir_target *t =
        r != NULL && r->active ? ir_reduction_target(r->plan, b) : NULL;
    return t != NULL ? r->element[t - r->plan->targets] : NULL;
}

void emit_reduction(struct emitter *em, const struct ir_stmt *root,
                    struct ir_reduction *plan)
{
    struct reduction_code r = {.plan = plan};
    const struct ir_block *b = plan->block;
    if (!analyse(em, root, plan))
        return;
    emit_barrier(em);
    emit_line_comment(em, "a reduction over threads: each its own terms, then "
                          "together");
    r.has = emit_name_make(em, "has");
    r.came = emit_name_make(em, "came");
    emit_thread_array(em, "bool", r.has, true);
    emit_thread_array(em, "bool", r.came, true);
    for (size_t i = 0; i < plan->ntargets; i++) {
        r.part[i] = emit_name_make(em, "part");
        r.element[i] = emit_text_printf(em, "%s[tid]", r.part[i]);
        emit_thread_array(em,
                          emit_type_name(em, plan->targets[i].buffer->dtype),
                          r.part[i], false);
    }
    r.spatial = ARENA_ARRAY(em->arena, b->niters + 1, const char *);
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *v = &b->iters[i];
        if (v->type == IR_ITER_REDUCE)
            continue;
        r.spatial[i] = emit_name_make(em, v->var->name);
        emit_thread_array(em, emit_type_name(em, v->var->dtype), r.spatial[i],
                          false);
    }
    em->reduction = &r;
    emit_thread_loop_open(em);
    emit_stmt(em, root);
    emit_thread_loop_close(em);
    em->reduction = NULL;
    put_fold(em, &r);
    put_publish(em, &r);
}
