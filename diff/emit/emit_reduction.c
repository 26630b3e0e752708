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
            stmt_uses_var(&probe, s->u.loop.var))
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
        return refuse(em, "a reduction over threads of several elements each");
    if (r->ntargets == 0)
        return refuse(em, "a reduction over threads that initialises nothing");
    for (size_t i = 0; i < r->ntargets; i++)
        if (!find_term(r, &r->targets[i]) || !is_one_element(b, &r->targets[i]))
            return refuse(em,
                          "a reduction over threads that is not 'C = C op x'");
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
            return text_printf(em, "%s[%s]", r->targets[i].part, r->first);
        if (!ir_expr_same(e, r->targets[i].term))
            continue;
        term = n++ == 0 || i == own ? i : term;
    }
    if (n > 1 && term != own) {
        refuse(em, "a reduction over threads whose targets combine one term");
        return "0";
    }
    if (n > 0)
        return text_printf(em, "%s[tid]", r->targets[term].part);
    if (e->kind >= IR_ADD && e->kind <= IR_OR)
        return binary_text(em, e->kind, dtype_scalar(e->args[0]->dtype),
                           combine_text(em, r, own, e->args[0]),
                           combine_text(em, r, own, e->args[1]));
    if (e->kind == IR_NOT)
        return text_printf(em, "!(%s)", combine_text(em, r, own, e->args[0]));
    if (e->kind == IR_CAST)
        return cast_text(em, dtype_scalar(e->args[0]->dtype),
                         dtype_scalar(e->dtype),
                         combine_text(em, r, own, e->args[0]));
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE))
        return text_printf(em, "(%s ? %s : %s)",
                           combine_text(em, r, own, e->args[0]),
                           combine_text(em, r, own, e->args[1]),
                           combine_text(em, r, own, e->args[2]));
    if (e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM)
        return expr_text(em, e, PREC_POSTFIX);
    refuse(em, "a reduction over threads whose combiner is more than "
               "operations on the partials");
    return "0";
}

/* "has[x] && vi[x] == vi[tid] …" */
static const char *same_instance(struct emitter *em,
                                 const struct reduction_code *r, const char *x)
{
    const char *text = text_printf(em, "%s[%s]", r->has, x);
    for (size_t i = 0; i < r->block->niters; i++)
        if (r->spatial[i] != NULL)
            text = text_printf(em, "%s && %s[%s] == %s[tid]", text,
                               r->spatial[i], x, r->spatial[i]);
    return text;
}

/* for (first = 0; …; first++) stops at the thread that keeps the sum. */
static void put_find_first(struct emitter *em, const struct reduction_code *r,
                           const char *end)
{
    line(em, "int %s = 0;", r->first);
    line(em, "while (%s < %s && !(%s))", r->first, end,
         same_instance(em, r, r->first));
    line(em, "    %s++;", r->first);
}

static void put_fold(struct emitter *em, struct reduction_code *r)
{
    const char *sum[EMIT_MAX_TARGETS];
    r->first = name_make(em, "first");
    device_serial_open(em);
    open_brace(em, "if (%s[tid])", r->has);
    put_find_first(em, r, "tid");
    open_brace(em, "if (%s < tid)", r->first);
    for (size_t i = 0; i < r->ntargets; i++) {
        const struct target *t = &r->targets[i];
        sum[i] = name_make(em, "sum");
        line(em, "const %s %s = %s;", type_name(em, t->buffer->dtype), sum[i],
             combine_text(em, r, i, t->update->u.store.value));
    }
    for (size_t i = 0; i < r->ntargets; i++)
        line(em, "%s[%s] = %s;", r->targets[i].part, r->first, sum[i]);
    close_brace(em);
    close_brace(em);
    device_serial_close(em);
}

/* Every thread that came by stores the result, those too whose predicate was
 * false; where it was for all, that is the identity. */
static void put_publish(struct emitter *em, struct reduction_code *r)
{
    const char *n = text_printf(em, "%lld", (long long)em->kernel->nthreads);
    r->first = name_make(em, "first");
    thread_loop_open(em);
    open_brace(em, "if (%s[tid])", r->came);
    put_find_first(em, r, n);
    line(em, "if (%s == %s)", r->first, n);
    line(em, "    %s = tid;", r->first);
    for (size_t i = 0; i < r->block->niters; i++)
        if (r->spatial[i] != NULL)
            em->var[r->block->iters[i].var->id] =
                text_printf(em, "%s[tid]", r->spatial[i]);
    for (size_t i = 0; i < r->ntargets; i++) {
        const struct target *t = &r->targets[i];
        line_ir(em, ir_text_stmt(em, t->update), "%s = %s[%s];",
                element_text(em, t->buffer, t->update->u.store.nindices,
                             t->update->u.store.indices, NULL),
                t->part, r->first);
    }
    close_brace(em);
    thread_loop_close(em);
    put_barrier(em);
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
    open_brace(em, "if (%s)", index_text(em, e, PREC_ANY));
    return 1;
}

void put_partial_block(struct emitter *em, const struct ir_block *b)
{
    struct reduction_code *r = em->reduction;
    unsigned guards = put_spatial_guards(em, b, b->predicate);
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_var *v = b->iters[i].var;
        const char *text = index_text(em, b->iter_values[i], PREC_ANY);
        if (r->spatial[i] != NULL) {
            line(em, "%s[tid] = %s;", r->spatial[i], text);
            em->var[v->id] = text_printf(em, "%s[tid]", r->spatial[i]);
        } else {
            em->var[v->id] = define_value(em, type_name(em, v->dtype), v->name,
                                          text, true, NULL);
        }
    }
    for (size_t i = 0; i < b->nallocs; i++)
        if (!em->plan.moved[b->allocs[i]->id])
            put_storage(em, b->allocs[i], 1, NULL);
    for (size_t i = 0; i < b->nmatches; i++)
        put_match(em, &b->matches[i]);
    r->active = true;
    open_brace(em, "if (!%s[tid])", r->came);
    put_stmt(em, b->init);
    line(em, "%s[tid] = true;", r->came);
    close_brace(em);
    bool guarded = !ir_is_true(b->predicate);
    if (guarded)
        open_brace(em, "if (%s)", index_text(em, b->predicate, PREC_ANY));
    line(em, "%s[tid] = true;", r->has);
    put_stmt(em, b->body);
    r->active = false;
    if (guarded)
        close_brace(em);
    while (guards-- > 0)
        close_brace(em);
}

const char *partial_text(const struct emitter *em, const struct ir_buffer *b)
{
    struct reduction_code *r = em->reduction;
    struct target *t = r != NULL && r->active ? target_of(r, b) : NULL;
    return t != NULL ? t->element : NULL;
}

void put_reduction(struct emitter *em, const struct ir_stmt *root,
                   const struct ir_stmt *block)
{
    struct reduction_code r = {.block = block->u.block};
    if (!analyse(em, root, &r))
        return;
    put_barrier(em);
    line_comment(em, "a reduction over threads: each its own terms, then "
                     "together");
    r.has = name_make(em, "has");
    r.came = name_make(em, "came");
    thread_array(em, "bool", r.has, true);
    thread_array(em, "bool", r.came, true);
    for (size_t i = 0; i < r.ntargets; i++) {
        struct target *t = &r.targets[i];
        t->part = name_make(em, "part");
        t->element = text_printf(em, "%s[tid]", t->part);
        thread_array(em, type_name(em, t->buffer->dtype), t->part, false);
    }
    r.spatial = ARENA_ARRAY(em->arena, r.block->niters + 1, const char *);
    for (size_t i = 0; i < r.block->niters; i++) {
        const struct ir_iter_var *v = &r.block->iters[i];
        if (v->type == IR_ITER_REDUCE)
            continue;
        r.spatial[i] = name_make(em, v->var->name);
        thread_array(em, type_name(em, v->var->dtype), r.spatial[i], false);
    }
    em->reduction = &r;
    thread_loop_open(em);
    put_stmt(em, root);
    thread_loop_close(em);
    em->reduction = NULL;
    put_fold(em, &r);
    put_publish(em, &r);
}
