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
 * the other for the new term: what stands beside the accumulator in
 * `C = C op x`, or in the other arm of a choice on it. One element of each
 * target per thread; anything else is refused.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

#define MAX_STORES 64

static struct target *target_of(struct reduction_code *r,
                                const struct ir_buffer *b)
{
    for (size_t i = 0; i < r->ntargets; i++)
        if (r->targets[i].buffer == b)
            return &r->targets[i];
    return NULL;
}

/* ---- the pattern -------------------------------------------------------------------- */

static bool see_init(void *user, struct ir_stmt *s)
{
    struct reduction_code *r = user;
    if (s->kind == IR_STORE && target_of(r, s->u.store.buffer) == NULL &&
        r->ntargets < EMIT_MAX_TARGETS) {
        r->targets[r->ntargets].init = s;
        r->targets[r->ntargets++].buffer = s->u.store.buffer;
    }
    return true;
}

static bool see_body(void *user, struct ir_stmt *s)
{
    struct reduction_code *r = user;
    if (s->kind == IR_BIND && r->nbinds < EMIT_MAX_BINDS) {
        r->binds[r->nbinds].var = s->u.bind.var;
        r->binds[r->nbinds++].value = s->u.bind.value;
    }
    struct target *t =
        s->kind == IR_STORE ? target_of(r, s->u.store.buffer) : NULL;
    if (t != NULL)
        t->update = s;
    return true;
}

/* A variable of the body stands for its value. */
static const struct ir_expr *resolve(const struct reduction_code *r,
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

/* Whether indices say the element that the update stores to. */
static bool is_element(const struct target *t, struct ir_expr *const *indices,
                       size_t n)
{
    if (n != t->update->u.store.nindices)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!ir_expr_same(indices[i], t->update->u.store.indices[i]))
            return false;
    return true;
}

static bool is_accumulator(const struct reduction_code *r,
                           const struct target *t, const struct ir_expr *e)
{
    e = resolve(r, e);
    return e->kind == IR_LOAD && e->u.buffer == t->buffer &&
           is_element(t, e->args, e->nargs);
}

static bool find_term(const struct reduction_code *r, struct target *t)
{
    if (t->update == NULL ||
        !is_element(t, t->init->u.store.indices, t->init->u.store.nindices))
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

struct spatial {
    const struct ir_block *block;
    bool found; /* something but spatial iterators */
};

static bool see_other(void *user, struct ir_expr *e)
{
    struct spatial *s = user;
    bool spatial = e->kind != IR_VAR_REF;
    for (size_t i = 0; i < s->block->niters; i++)
        if (e->kind == IR_VAR_REF && s->block->iters[i].var == e->u.var &&
            s->block->iters[i].type != IR_ITER_REDUCE)
            spatial = true;
    s->found |= !spatial || e->kind == IR_LOAD;
    return !s->found;
}

/* Whether the target's element follows from the spatial iterators alone. */
static bool is_one_element(const struct ir_block *b, const struct target *t)
{
    struct spatial s = {b, false};
    struct ir_visitor v = {NULL, see_other, &s};
    for (size_t i = 0; i < t->update->u.store.nindices; i++)
        ir_visit_expr(&v, t->update->u.store.indices[i]);
    return !s.found;
}

/* Serial loops of the nest over which a spatial iterator runs. */
struct loop_search {
    const struct ir_block *block;
    bool found;
};

static bool see_loop_var(void *user, struct ir_expr *e)
{
    struct loop_search *s = user;
    (void)e;
    return !s->found;
}

static bool see_loop(void *user, struct ir_stmt *s)
{
    struct loop_search *search = user;
    if (s->kind == IR_BLOCK)
        return s->u.block != search->block;
    if (s->kind != IR_FOR || s->u.loop.kind == IR_FOR_THREAD)
        return !search->found;
    for (size_t i = 0; i < search->block->niters; i++) {
        struct ir_stmt probe = {.kind = IR_EVALUATE};
        probe.u.value = search->block->iter_values[i];
        if (search->block->iters[i].type != IR_ITER_REDUCE &&
            emit_stmt_uses_var(&probe, s->u.loop.var))
            search->found = true;
    }
    return !search->found;
}

static bool analyse(struct emitter *em, const struct ir_stmt *root,
                    struct reduction_code *r)
{
    const struct ir_block *b = r->block;
    struct ir_visitor init = {see_init, NULL, r};
    struct ir_visitor body = {see_body, NULL, r};
    struct loop_search search = {b, false};
    struct ir_visitor loops = {see_loop, see_loop_var, &search};
    union {
        const struct ir_stmt *in;
        struct ir_stmt *out;
    } u = {root};
    ir_visit_stmt(&init, b->init);
    ir_visit_stmt(&body, b->body);
    ir_visit_stmt(&loops, u.out);
    if (search.found)
        return emit_refuse(em,
                           "a reduction over threads of several elements each");
    if (r->ntargets == 0)
        return emit_refuse(em,
                           "a reduction over threads that initialises nothing");
    for (size_t i = 0; i < r->ntargets; i++)
        if (!find_term(r, &r->targets[i]) || !is_one_element(b, &r->targets[i]))
            return emit_refuse(
                em, "a reduction over threads that is not 'C = C op x'");
    return true;
}

/* ---- combining ------------------------------------------------------------------------ */

/* The update of target `own` on two partials: acc[first] and part[tid]. */
static const char *combine_text(struct emitter *em,
                                const struct reduction_code *r, size_t own,
                                const struct ir_expr *e)
{
    e = resolve(r, e);
    size_t term = r->ntargets, n = 0;
    for (size_t i = 0; i < r->ntargets; i++) {
        if (is_accumulator(r, &r->targets[i], e))
            return emit_text_printf(em, "%s[%s]", r->targets[i].part, r->first);
        if (!ir_expr_same(e, r->targets[i].term))
            continue;
        term = n++ == 0 || i == own ? i : term;
    }
    if (n > 1 && term != own) {
        emit_refuse(em,
                    "a reduction over threads whose targets combine one term");
        return "0";
    }
    if (n > 0)
        return emit_text_printf(em, "%s[tid]", r->targets[term].part);
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
    for (size_t i = 0; i < r->block->niters; i++)
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
    const char *sum[EMIT_MAX_TARGETS];
    r->first = emit_name_make(em, "first");
    emit_device_serial_open(em);
    emit_open_brace(em, "if (%s[tid])", r->has);
    put_find_first(em, r, "tid");
    emit_open_brace(em, "if (%s < tid)", r->first);
    for (size_t i = 0; i < r->ntargets; i++) {
        const struct target *t = &r->targets[i];
        sum[i] = emit_name_make(em, "sum");
        emit_line(em, "const %s %s = %s;", emit_type_name(em, t->buffer->dtype),
                  sum[i], combine_text(em, r, i, t->update->u.store.value));
    }
    for (size_t i = 0; i < r->ntargets; i++)
        emit_line(em, "%s[%s] = %s;", r->targets[i].part, r->first, sum[i]);
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
    for (size_t i = 0; i < r->block->niters; i++)
        if (r->spatial[i] != NULL)
            em->var[r->block->iters[i].var->id] =
                emit_text_printf(em, "%s[tid]", r->spatial[i]);
    for (size_t i = 0; i < r->ntargets; i++) {
        const struct target *t = &r->targets[i];
        emit_line_ir(em, emit_ir_text_stmt(em, t->update), "%s = %s[%s];",
                     emit_element_text(em, t->buffer,
                                       t->update->u.store.nindices,
                                       t->update->u.store.indices, NULL),
                     t->part, r->first);
    }
    emit_close_brace(em);
    emit_thread_loop_close(em);
    emit_barrier(em);
}

/* ---- the block, for one thread ------------------------------------------------------------ */

struct guard_walk {
    const struct ir_block *block;
    bool reduces;
};

static bool see_guard(void *user, struct ir_expr *e)
{
    struct guard_walk *w = user;
    w->reduces |=
        e->kind == IR_LOAD || e->kind == IR_LET ||
        (e->kind == IR_VAR_REF && ir_reduces_over(w->block, e->u.var));
    return !w->reduces;
}

/* What a conjunction says of spatial iterators alone, and how many braces that
 * opens: where it is false there is no reduction. */
static unsigned put_spatial_guards(struct emitter *em, const struct ir_block *b,
                                   struct ir_expr *e)
{
    struct guard_walk w = {b, false};
    struct ir_visitor v = {NULL, see_guard, &w};
    if (e->kind == IR_AND)
        return put_spatial_guards(em, b, e->args[0]) +
               put_spatial_guards(em, b, e->args[1]);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_LIKELY)
        return put_spatial_guards(em, b, e->args[0]);
    ir_visit_expr(&v, e);
    if (w.reduces || ir_is_true(e))
        return 0;
    emit_open_brace(em, "if (%s)", emit_index_text(em, e, PREC_ANY));
    return 1;
}

void emit_partial_block(struct emitter *em, const struct ir_block *b)
{
    struct reduction_code *r = em->reduction;
    unsigned guards = put_spatial_guards(em, b, b->predicate);
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
        if (!em->plan.moved[b->allocs[i]->id])
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
    struct target *t = r != NULL && r->active ? target_of(r, b) : NULL;
    return t != NULL ? t->element : NULL;
}

void emit_reduction(struct emitter *em, const struct ir_stmt *root,
                    const struct ir_stmt *block)
{
    struct reduction_code r = {.block = block->u.block};
    if (!analyse(em, root, &r))
        return;
    emit_barrier(em);
    emit_line_comment(em, "a reduction over threads: each its own terms, then "
                          "together");
    r.has = emit_name_make(em, "has");
    r.came = emit_name_make(em, "came");
    emit_thread_array(em, "bool", r.has, true);
    emit_thread_array(em, "bool", r.came, true);
    for (size_t i = 0; i < r.ntargets; i++) {
        struct target *t = &r.targets[i];
        t->part = emit_name_make(em, "part");
        t->element = emit_text_printf(em, "%s[tid]", t->part);
        emit_thread_array(em, emit_type_name(em, t->buffer->dtype), t->part,
                          false);
    }
    r.spatial = ARENA_ARRAY(em->arena, r.block->niters + 1, const char *);
    for (size_t i = 0; i < r.block->niters; i++) {
        const struct ir_iter_var *v = &r.block->iters[i];
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
