/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions across threads in schedulable form (R5): blocks whose reduction
 * iterator is bound to threads. A block becomes three nests, one after the
 * other (front_combine.h): the partials' identity, the block itself with its
 * targets replaced by the partials, and the sum of the partials.
 */
#include "verifier/front/front_combine.h"

#include <string.h>

#define MAX_CHAIN 32
#define MAX_BINDS 64

struct target {
    const struct ir_buffer *buffer;
    struct ir_stmt *init;   /* the store that initialises it */
    struct ir_stmt *update; /* the store of the body */
    struct ir_expr *term;   /* what the update combines in */
    struct fstorage *partial;
    struct fview *view; /* the target itself */
};

struct reduction {
    struct ir_block *b;
    struct ir_stmt *chain[MAX_CHAIN]; /* from the root down to the block */
    size_t nchain;
    struct target targets[MAX_TARGETS];
    size_t ntargets;
    struct ir_stmt *binds[MAX_BINDS];
    size_t nbinds;
    uint32_t axes;    /* of the launch, that are combined */
    uint32_t spatial; /* that spatial iterators depend on */
    bool bad;
};

/* ---- the pattern of a block ------------------------------------------------------------ */

static bool has_id(const void *id, const struct ir_expr *e)
{
    return e->kind == IR_VAR_REF && e->u.var->id == *(const uint32_t *)id;
}

/* Its own answer, and not ir_reduces_over: what is a reduction over threads (R5) the
 * prover and the interpreter say each for itself. */
static bool reduces_over(const struct ir_block *b, const struct ir_var *var)
{
    for (size_t i = 0; i < b->niters; i++)
        if (b->iters[i].type == IR_ITER_REDUCE &&
            ir_expr_any(b->iter_values[i], has_id, &var->id))
            return true;
    return false;
}

static bool used_by_iters(const struct ir_block *b, const struct ir_var *var)
{
    for (size_t i = 0; i < b->niters; i++)
        if (ir_expr_any(b->iter_values[i], has_id, &var->id))
            return true;
    return false;
}

/* Statements from s down to a block, as long as each holds but one. */
static bool find_chain(struct reduction *r, struct ir_stmt *s)
{
    while (r->nchain < MAX_CHAIN) {
        if (s->kind == IR_BLOCK) {
            r->b = s->u.block;
            return r->b->init != NULL;
        }
        if (s->kind == IR_FOR) {
            r->chain[r->nchain++] = s;
            s = s->u.loop.body;
        } else if (s->kind == IR_SEQ && s->u.seq.n == 1) {
            s = s->u.seq.items[0];
        } else {
            return false;
        }
    }
    return false;
}

struct axes_search {
    struct front *f;
    const struct reduction *r;
    uint32_t axes;
    bool serial; /* a serial loop around the root, of the same block */
};

static bool see_axes(void *user, struct ir_expr *e)
{
    struct axes_search *s = user;
    if (e->kind != IR_VAR_REF)
        return true;
    for (size_t i = 0; i < s->r->nchain; i++) {
        const char *tag;
        if (s->r->chain[i]->u.loop.var != e->u.var)
            continue;
        if (ir_thread_var(s->r->chain[i], &tag) != NULL &&
            s->r->chain[i]->u.loop.kind == IR_FOR_THREAD)
            for (size_t a = 0; a < s->f->launch->naxes; a++)
                if (strcmp(s->f->launch->axes[a].tag, tag) == 0 &&
                    !s->f->launch->axes[a].unit)
                    s->axes |= UINT32_C(1) << a;
        return true;
    }
    const struct binding *b = &s->f->env[e->u.var->id];
    if (b->kind != BOUND_EXPR)
        return true;
    s->axes |= front_axes(s->f, b->expr);
    s->serial |= b->loop && b->block_depth == s->f->block_depth;
    return true;
}

static uint32_t threads_of(const struct front *f, uint32_t axes)
{
    uint32_t out = 0;
    for (size_t i = 0; i < f->launch->naxes; i++)
        if (f->launch->axes[i].is_thread)
            out |= axes & UINT32_C(1) << i;
    return out;
}

static bool find_axes(struct front *f, struct reduction *r)
{
    struct axes_search red = {f, r, 0, false}, rest = {f, r, 0, false};
    struct ir_visitor v = {NULL, see_axes, &red}, w = {NULL, see_axes, &rest};
    for (size_t i = 0; i < r->b->niters; i++)
        ir_visit_expr(r->b->iters[i].type == IR_ITER_REDUCE ? &v : &w,
                      r->b->iter_values[i]);
    r->axes = threads_of(f, red.axes);
    r->spatial = rest.axes;
    r->bad = !OBLIGED_FRONT(f, "the reduction's loops are inside of it",
                            !red.serial) ||
             (r->axes & r->spatial) != 0;
    if (r->axes == 0)
        return false;
    /* threads that differ in no iterator would count their terms twice */
    for (size_t i = 0; i < f->launch->naxes; i++) {
        const struct axis *a = &f->launch->axes[i];
        int64_t n = 0;
        if (!a->is_block && ((r->axes | r->spatial) >> i & 1) == 0 &&
            !OBLIGED_FRONT(f, "threads have terms of their own",
                           ir_const_int(a->loop->extent, &n) && n == 1))
            r->bad = true;
    }
    return true;
}

static bool see_update(void *user, struct ir_stmt *s)
{
    struct reduction *r = user;
    if (s->kind == IR_BIND && r->nbinds < MAX_BINDS)
        r->binds[r->nbinds++] = s;
    for (size_t i = 0; s->kind == IR_STORE && i < r->ntargets; i++)
        if (r->targets[i].buffer == s->u.store.buffer) {
            r->bad |= r->targets[i].update != NULL;
            r->targets[i].update = s;
        }
    return true;
}

static struct ir_expr *resolve(const struct reduction *r, struct ir_expr *e)
{
    for (size_t i = r->nbinds; e->kind == IR_VAR_REF && i-- > 0;)
        if (r->binds[i]->u.bind.var == e->u.var)
            e = r->binds[i]->u.bind.value;
    return e;
}

static bool is_sum(const struct reduction *r, const struct target *t,
                   struct ir_expr *e)
{
    e = resolve(r, e);
    return e->kind == IR_LOAD && e->u.buffer == t->buffer;
}

/* Whether some target is read in it. */
static bool reads_targets(const struct reduction *r, struct ir_expr *e,
                          unsigned depth)
{
    e = resolve(r, e);
    if (depth > MAX_CHAIN)
        return true;
    for (size_t i = 0; i < r->ntargets; i++)
        if (is_sum(r, &r->targets[i], e))
            return true;
    for (uint32_t i = 0; i < e->nargs; i++)
        if (reads_targets(r, e->args[i], depth + 1))
            return true;
    return false;
}

/* What stands beside the accumulator. */
static void find_term(struct reduction *r, struct target *t)
{
    struct ir_expr *e = resolve(r, t->update->u.store.value);
    uint32_t first = 0;
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE &&
         e->nargs == 3))
        first = 1;
    else if (e->kind < IR_ADD || e->kind > IR_OR)
        return;
    if (is_sum(r, t, e->args[first]))
        t->term = resolve(r, e->args[first + 1]);
    else if (is_sum(r, t, e->args[first + 1]))
        t->term = resolve(r, e->args[first]);
}

static bool same_place(const struct ir_stmt *a, const struct ir_stmt *b)
{
    if (a->u.store.nindices != b->u.store.nindices)
        return false;
    for (size_t i = 0; i < a->u.store.nindices; i++)
        if (!fx_same(a->u.store.indices[i], b->u.store.indices[i]))
            return false;
    return a->u.store.predicate == NULL && b->u.store.predicate == NULL;
}

static void find_targets(struct front *f, struct reduction *r)
{
    struct ir_stmt *init = r->b->init;
    size_t n = init->kind == IR_SEQ ? init->u.seq.n : 1;
    for (size_t i = 0; i < n; i++) {
        struct ir_stmt *s = init->kind == IR_SEQ ? init->u.seq.items[i] : init;
        if (s->kind != IR_STORE || r->ntargets == MAX_TARGETS ||
            s->u.store.value->dtype.lanes != 1 ||
            s->u.store.buffer->dtype.lanes != 1) {
            r->bad = true;
            return;
        }
        r->targets[r->ntargets++] =
            (struct target){.buffer = s->u.store.buffer, .init = s};
    }
    struct ir_visitor v = {see_update, NULL, r};
    ir_visit_stmt(&v, r->b->body);
    for (size_t i = 0; i < r->ntargets && !r->bad; i++) {
        struct target *t = &r->targets[i];
        r->bad = t->update == NULL ||
                 !OBLIGED_FRONT(f, "a cell begins and goes on in one place",
                                same_place(t->init, t->update));
        if (!r->bad)
            find_term(r, t);
        r->bad |= t->term == NULL;
    }
    for (size_t i = 0; i < r->ntargets && !r->bad; i++)
        r->bad = reads_targets(r, r->targets[i].term, 0);
    for (size_t i = 0; i < r->ntargets && !r->bad; i++)
        r->bad = !OBLIGED_FRONT(
            f, "the identity is a unit",
            combine_is_unit(
                resolve(r, r->targets[i].update->u.store.value)->kind,
                r->targets[i].init->u.store.value));
}

static bool is_var(const struct ir_expr *e, const struct ir_var *var)
{
    while (e->kind == IR_CAST)
        e = e->args[0];
    return e->kind == IR_VAR_REF && e->u.var->id == var->id;
}

/* Whether each turn of a loop has cells of its own: a spatial iterator is the
 * variable, and an index of each target is that iterator. */
static bool has_own_cells(const struct reduction *r, const struct ir_var *var)
{
    const struct ir_block *b = r->b;
    bool own = false;
    for (size_t i = 0; i < b->niters && !own; i++) {
        own = b->iters[i].type != IR_ITER_REDUCE &&
              is_var(b->iter_values[i], var);
        for (size_t t = 0; t < r->ntargets && own; t++) {
            const struct ir_stmt *s = r->targets[t].init;
            bool index = false;
            for (size_t d = 0; d < s->u.store.nindices; d++)
                index = index || is_var(s->u.store.indices[d], b->iters[i].var);
            own = index;
        }
    }
    return own;
}

/* ---- a block's three nests ---------------------------------------------------------------- */

/* Opens the loops of the chain, those of the reduction only if asked to, and
 * the block's bindings that do not depend on what was left out. */
static void open_nest(struct front *f, const struct reduction *r, bool all)
{
    for (size_t i = 0; i < r->nchain; i++) {
        struct ir_stmt *s = r->chain[i];
        const char *tag;
        const struct ir_var *var = ir_thread_var(s, &tag);
        front_eval_if(f, s->u.loop.min);
        struct ir_expr *min =
            front_fixed(f, s->u.loop.var->name, front_scalar(f, s->u.loop.min));
        if (var != NULL) {
            if (var->dtype.bits < 32 && !ir_is_const_int(min, 0))
                front_refuse(f, s->pos,
                             "a thread's variable that may not fit its type");
            for (size_t a = 0; a < f->launch->naxes; a++)
                if (strcmp(f->launch->axes[a].tag, tag) == 0)
                    front_bind_expr(
                        f, var,
                        fx_cast(
                            f, var->dtype,
                            fx_add(f, min,
                                   front_axis_value(f, &f->launch->axes[a]))));
            continue;
        }
        if (!all && reduces_over(r->b, s->u.loop.var))
            continue;
        if (s->u.loop.step != NULL)
            front_refuse(f, s->pos, "a reduction across threads with a step");
        if (!OBLIGED_FRONT(f, "each loop is of an iterator",
                           has_own_cells(r, s->u.loop.var) ||
                               reduces_over(r->b, s->u.loop.var)))
            front_refuse(f, s->pos,
                         "a reduction across threads that is done again");
        struct vloop *loop =
            front_loop_make(f, s->u.loop.var->name, s->u.loop.var->dtype, min,
                            front_scalar(f, s->u.loop.extent), s->u.loop.kind);
        front_loop_open(f, loop);
        front_bind_expr(f, s->u.loop.var, ir_var_ref(f->m, loop->var));
    }
}

static bool is_data(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD || e->kind == IR_LET;
}

static bool is_of_reduction(struct front *f, const struct reduction *r,
                            struct ir_expr *e)
{
    struct axes_search s = {f, r, 0, false};
    struct ir_visitor v = {NULL, see_axes, &s};
    bool found = ir_expr_any(e, is_data, NULL); /* of whoever takes part, too */
    ir_visit_expr(&v, e);
    for (size_t i = 0; i < r->nchain; i++) {
        const struct ir_var *var = r->chain[i]->u.loop.var;
        if (ir_thread_axis(r->chain[i], NULL) || !ir_uses_var(e, var))
            continue;
        found |= reduces_over(r->b, var);
    }
    return found || (s.axes & r->axes) != 0;
}

/* Guards by the parts of the predicate; of those that decide who takes part
 * only if asked to: who does not, contributes the identity, all of them too. */
static void open_predicate(struct front *f, struct reduction *r,
                           struct ir_expr *e, bool all)
{
    if (e->kind == IR_AND) {
        open_predicate(f, r, e->args[0], all);
        open_predicate(f, r, e->args[1], all);
        return;
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_LIKELY && e->nargs == 1) {
        open_predicate(f, r, e->args[0], all);
        return;
    }
    if (!all && is_of_reduction(f, r, e))
        return;
    front_guard(f, front_scalar(f, e), false);
}

static void open_block(struct front *f, struct reduction *r, bool all)
{
    struct ir_block *b = r->b;
    open_nest(f, r, all);
    struct ir_expr **value = ARENA_ARRAY(f->arena, b->niters, struct ir_expr *);
    for (size_t i = 0; i < b->niters; i++)
        if (all || b->iters[i].type != IR_ITER_REDUCE)
            value[i] = front_let(f, b->iters[i].var->name,
                                 front_scalar(f, b->iter_values[i]));
    if (!all)
        combine_check_distinct(f, r->axes, b->niters, value);
    open_predicate(f, r, b->predicate, all);
    for (size_t i = 0; i < b->niters; i++)
        if (value[i] != NULL)
            front_bind_expr(f, b->iters[i].var, value[i]);
}

/* The target's buffer as a name for the partial of these threads. */
static struct fview *partial_view(struct front *f, const struct target *t,
                                  size_t n, struct ir_expr *const *threads)
{
    struct fview *v = ARENA_NEW(f->arena, struct fview);
    size_t rank = t->buffer->rank;
    *v = (struct fview){.storage = t->partial,
                        .buffer = t->buffer,
                        .scalar = t->partial->scalar,
                        .lanes = 1,
                        .rank = rank,
                        .box = true,
                        .shape = t->view->shape};
    v->base = ARENA_ARRAY(f->arena, n + rank, struct ir_expr *);
    v->from = ARENA_ARRAY(f->arena, n + rank, int);
    for (size_t i = 0; i < n; i++) {
        v->base[i] = threads[i];
        v->from[i] = -1;
    }
    for (size_t i = 0; i < rank; i++)
        v->from[n + i] = (int)i;
    return v;
}

static bool target_access(struct front *f, const struct fview *v,
                          const struct ir_stmt *s, struct faccess *out)
{
    size_t n = s->u.store.nindices;
    struct ir_expr **index = ARENA_ARRAY(f->arena, n, struct ir_expr *);
    for (size_t i = 0; i < n; i++)
        index[i] = front_scalar(f, s->u.store.indices[i]);
    return front_access(f, v, n, index, NULL, out);
}

static void emit_partials(struct front *f, struct reduction *r)
{
    struct ir_expr *threads[FRONT_MAX_AXES];
    size_t n = combine_own_threads(f, r->axes, threads);
    for (size_t i = 0; i < r->ntargets; i++) {
        struct target *t = &r->targets[i];
        t->view = front_view(f, t->buffer);
        if (t->view == NULL)
            return;
        t->partial =
            combine_partial_storage(f, t->buffer->name, t->buffer->dtype,
                                    r->axes, t->buffer->rank, t->view->shape);
    }
    struct front_mark mark = front_mark(f);
    for (size_t i = 0; i < r->ntargets; i++)
        front_set_view(f, r->targets[i].buffer,
                       partial_view(f, &r->targets[i], n, threads));
    struct front_mark inside = front_mark(f);
    front_part(f, 0);
    open_block(f, r, false);
    f->in_init = true;
    front_stmt(f, r->b->init);
    f->in_init = false;
    front_reset(f, inside);
    front_part(f, 1);
    open_block(f, r, true);
    front_stmt(f, r->b->body);
    front_reset(f, mark);
}

/* own: the target whose update this is. */
static struct ir_expr *combine_expr(struct front *f, const struct reduction *r,
                                    const struct combination *c, size_t own,
                                    struct ir_expr *e)
{
    e = resolve(r, e);
    size_t term = r->ntargets, n = 0;
    for (size_t i = 0; i < r->ntargets; i++) {
        if (is_sum(r, &r->targets[i], e))
            return c->have[i];
        if (!fx_same(e, r->targets[i].term))
            continue;
        term = n++ == 0 || i == own ? i : term;
    }
    if (n > 1 && term != own)
        front_refuse(f, f->stmt->pos,
                     "a reduction across threads in which targets have one "
                     "term");
    if (n > 0)
        return c->with[term];
    bool choice = e->kind == IR_SELECT ||
                  (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE);
    if (e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM)
        return e;
    if (!choice && e->kind != IR_NOT && (e->kind < IR_ADD || e->kind > IR_OR)) {
        front_refuse(f, f->stmt->pos,
                     "a reduction across threads whose update is more than "
                     "operations on the partial results");
        return e;
    }
    struct ir_expr *args[3] = {NULL};
    for (uint32_t i = 0; i < e->nargs && i < 3; i++)
        args[i] = combine_expr(f, r, c, own, e->args[i]);
    return fx_rebuild(f, e, e->dtype, e->nargs, args);
}

/* All threads have the sum. Where they share the target, the first of them
 * stores it, so that nobody has to show that the others store the same. */
static void publisher_guard(struct front *f, const struct reduction *r,
                            const struct fstorage *s)
{
    struct ir_expr *threads[FRONT_MAX_AXES];
    enum scope_class scope = front_scope_class(s->source->scope);
    if (scope != CLASS_GLOBAL && scope != CLASS_SHARED)
        return;
    size_t n = combine_own_threads(f, r->axes, threads);
    for (size_t i = 0; i < n; i++)
        front_guard(f, fx_eq(f, threads[i], fx_int(f, threads[i]->dtype, 0)),
                    false);
}

static void emit_sums(struct front *f, struct reduction *r)
{
    struct combination c = {.n = r->ntargets};
    struct ir_expr *threads[FRONT_MAX_AXES], *results[MAX_TARGETS] = {NULL};
    struct front_mark mark = front_mark(f);
    front_part(f, 2);
    open_block(f, r, false);
    struct front_mark inside = front_mark(f);
    struct faccess a;
    for (size_t i = 0; i < c.n; i++) {
        struct target *t = &r->targets[i];
        c.sum[i] = combine_scalar_storage(f, t->buffer->name, t->buffer->dtype);
        front_part(f, (uint32_t)i);
        f->in_init = true;
        (void)front_store(f, c.sum[i], 0, NULL,
                          front_scalar(f, t->init->u.store.value));
        f->in_init = false;
        front_reset(f, inside);
    }
    front_part(f, (uint32_t)c.n);
    size_t n = combine_open_threads(f, r->axes, threads);
    for (size_t i = 0; i < c.n; i++) {
        struct fview *v = partial_view(f, &r->targets[i], n, threads);
        if (!target_access(f, v, r->targets[i].init, &a))
            return;
        c.with[i] = front_load(f, &a);
        c.have[i] = combine_load_of(f, c.sum[i], 0, NULL);
    }
    for (size_t i = 0; i < c.n; i++)
        results[i] =
            combine_expr(f, r, &c, i, r->targets[i].update->u.store.value);
    combine_store_sums(f, &c, results);
    front_reset(f, inside);
    for (size_t i = 0; i < c.n; i++) {
        front_part(f, (uint32_t)(c.n + 1 + i));
        publisher_guard(f, r, r->targets[i].view->storage);
        if (target_access(f, r->targets[i].view, r->targets[i].init, &a))
            front_store_at(f, &a, combine_load_of(f, c.sum[i], 0, NULL));
        front_reset(f, inside);
    }
    front_reset(f, mark);
}

/* Whether the binding of a thread that reduces is around the loop. */
static bool is_in_threads(const struct reduction *r, const struct par_loop *n)
{
    for (; n != NULL && n->stmt != NULL; n = n->parent) {
        const struct ir_var *var = ir_thread_var(n->stmt, NULL);
        if (var != NULL && reduces_over(r->b, var))
            return true;
    }
    return false;
}

/* Whether a loop around, of the same block, has the reduction done again for one
 * and the same element. */
static bool is_repeated(const struct front *f, const struct reduction *r)
{
    for (uint32_t i = 0; i < f->module->nvars; i++) {
        const struct binding *b = &f->env[i];
        const struct ir_var var = {.id = i};
        if (b->kind != BOUND_EXPR || !b->loop ||
            b->block_depth != f->block_depth || b->expr->kind == IR_INT_IMM)
            continue;
        if (is_in_threads(r, b->par) ? !has_own_cells(r, &var)
                                     : !used_by_iters(r->b, &var))
            return true;
    }
    return false;
}

bool front_reduction(struct front *f, struct ir_stmt *s)
{
    struct reduction r = {0};
    if (s->kind != IR_BLOCK && s->kind != IR_FOR)
        return false;
    if (!find_chain(&r, s) || !find_axes(f, &r) ||
        (s->kind == IR_FOR && !reduces_over(r.b, s->u.loop.var)))
        return false;
    find_targets(f, &r);
    r.bad |=
        r.b->nallocs > 0 || r.b->nmatches > 0 ||
        !OBLIGED_FRONT(f, "each loop is of an iterator", !is_repeated(f, &r));
    if (r.bad) {
        front_refuse(f, s->pos,
                     "a reduction across threads of a form not understood");
        return true;
    }
    const char *name = f->block_name;
    struct par_loop *par = f->par;
    /* partial results meet outside of the loops that threads stand for */
    for (struct par_loop *n = f->par; n->stmt != NULL; n = n->parent) {
        const struct ir_var *var = ir_thread_var(n->stmt, NULL);
        if (var != NULL && reduces_over(r.b, var))
            f->par = n->parent;
    }
    f->block_name = r.b->name;
    f->block_depth++;
    f->in_reduction = true;
    emit_partials(f, &r);
    if (!front_failed(f))
        emit_sums(f, &r);
    f->in_reduction = false;
    f->block_depth--;
    f->block_name = name;
    f->par = par;
    return true;
}
