/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of a function: its table of facts, and what the accesses in it say.
 *
 *  - The ranges of variable and buffer ids, so that frames can be dense.
 *  - Which parameters nothing writes: their reads cannot race.
 *  - R4: a block's buffer whose accesses all lie below a parallel, vectorised
 *    or thread-bound loop belongs to that loop's iterations. Found as the
 *    deepest such loop on the common path of all accesses to the storage class.
 *
 * What threads do together comes after that, in plan_lockstep.c. Only
 * statements with something to say get an entry.
 */
#include "ir/plan/plan_private.h"

#include <string.h>

/* ---- table ------------------------------------------------------------------ */

static size_t table_slot(const struct ir_plan *p, const struct ir_stmt *s)
{
    size_t mask = p->cap - 1;
    size_t i = (size_t)hash_mix(0, (uint64_t)(uintptr_t)s) & mask;
    while (p->table[i] != NULL && p->table[i]->stmt != s)
        i = (i + 1) & mask;
    return i;
}

const struct ir_plan_info *ir_plan_info(const struct ir_plan *plan,
                                        const struct ir_stmt *stmt)
{
    return plan->cap == 0 ? NULL : plan->table[table_slot(plan, stmt)];
}

struct ir_plan_info *plan_info_take(struct planner *p, const struct ir_stmt *s)
{
    struct ir_plan *plan = p->plan;
    if (2 * plan->ninfos >= plan->cap) {
        struct ir_plan_info **old = plan->table;
        size_t cap = plan->cap;
        plan->cap = cap == 0 ? 64 : 2 * cap;
        plan->table = ARENA_ARRAY(p->arena, plan->cap, struct ir_plan_info *);
        for (size_t i = 0; i < cap; i++)
            if (old[i] != NULL)
                plan->table[table_slot(plan, old[i]->stmt)] = old[i];
    }
    struct ir_plan_info **slot = &plan->table[table_slot(plan, s)];
    if (*slot == NULL) {
        *slot = ARENA_NEW(p->arena, struct ir_plan_info);
        (*slot)->stmt = s;
        (*slot)->order = plan->ninfos++;
    }
    return *slot;
}

/* ---- ids and accesses --------------------------------------------------------- */

/* A parallel, vectorised or thread-bound loop on the way down. */
struct loop_node {
    struct loop_node *parent;
    const struct ir_stmt *stmt;
    uint32_t depth;
};

struct block_alloc {
    const struct ir_buffer *buffer;
    struct loop_node *at;
};

struct survey {
    struct planner *p;
    uint32_t var_lo, var_hi, buf_lo, buf_hi; /* hi exclusive */
    struct loop_node *loop;    /* around what is being looked at, */
    struct loop_node *below;   /* and around the statements below it */
    struct loop_node **common; /* by class: of all accesses; NULL = none */
    bool *stored;              /* by class */
    struct VEC(struct block_alloc) allocs;
};

static void see_var(struct survey *w, const struct ir_var *var)
{
    if (var->id < w->var_lo)
        w->var_lo = var->id;
    if (var->id >= w->var_hi)
        w->var_hi = var->id + 1;
}

static struct loop_node *meet(struct loop_node *a, struct loop_node *b)
{
    while (a != b)
        if (a->depth > b->depth)
            a = a->parent;
        else
            b = b->parent;
    return a;
}

static void see_access(struct survey *w, const struct ir_var *data, bool stored)
{
    uint32_t c = w->p->plan->class_of[data->id];
    w->common[c] = w->common[c] == NULL ? w->loop : meet(w->common[c], w->loop);
    w->stored[c] |= stored;
}

static bool see_expr(void *user, struct ir_expr *e);

/* The variables of a buffer's definition, not an access. */
static void see_buffer(struct survey *w, const struct ir_buffer *b)
{
    struct ir_visitor v = {NULL, see_expr, w};
    if (b->id < w->buf_lo)
        w->buf_lo = b->id;
    if (b->id >= w->buf_hi)
        w->buf_hi = b->id + 1;
    see_var(w, b->data);
    for (size_t i = 0; i < b->rank; i++)
        ir_visit_expr(&v, b->shape[i]);
    for (size_t i = 0; i < b->nstrides; i++)
        ir_visit_expr(&v, b->strides[i]);
    ir_visit_expr(&v, b->elem_offset);
}

static void see_sync(struct ir_plan *plan, const struct ir_expr *e)
{
    const char *scope = e->nargs > 0 && e->args[0]->kind == IR_STRING_IMM
                            ? e->args[0]->u.string.text
                            : "";
    if (strncmp(scope, "shared", 6) == 0) /* R19: counts for both */
        plan->explicit_sync |=
            1u << IR_SCOPE_SHARED | 1u << IR_SCOPE_SHARED_DYN;
    else
        plan->explicit_sync |= 1u << ir_scope_of(scope);
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct survey *w = user;
    if (e->kind == IR_VAR_REF || e->kind == IR_LET)
        see_var(w, e->u.var);
    if (e->kind == IR_VAR_REF && dtype_is_handle(e->u.var->dtype))
        see_access(w, e->u.var, true);
    if (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) {
        see_buffer(w, e->u.buffer);
        see_access(w, e->u.buffer->data, e->kind == IR_BUFFER_REF);
    }
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_STORAGE_SYNC)
        see_sync(w->p->plan, e);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF &&
        e->nargs > 0 && e->args[0]->kind == IR_LOAD)
        see_access(w, e->args[0]->u.buffer->data, true);
    return true;
}

static struct loop_node *inside(struct survey *w, const struct ir_stmt *loop)
{
    struct loop_node *node = ARENA_NEW(w->p->arena, struct loop_node);
    node->parent = w->loop;
    node->stmt = loop;
    node->depth = w->loop->depth + 1;
    return node;
}

/* Partials of a reduction over threads meet outside of the loops that its
 * threads stand for, and its storage with them (R5). */
static struct loop_node *outside_reduction(const struct survey *w,
                                           const struct ir_block *b)
{
    struct loop_node *at = w->loop;
    for (struct loop_node *n = w->loop; n->stmt != NULL; n = n->parent) {
        const struct ir_var *var = ir_thread_var(n->stmt, NULL);
        if (b->init != NULL && var != NULL && ir_reduces_over(b, var))
            at = n->parent;
    }
    return at;
}

static void see_block(struct survey *w, const struct ir_block *b)
{
    for (size_t i = 0; i < b->niters; i++)
        see_var(w, b->iters[i].var);
    for (size_t i = 0; i < b->nallocs; i++) {
        see_buffer(w, b->allocs[i]);
        vec_push(&w->allocs, ((struct block_alloc){b->allocs[i], w->loop}));
    }
    for (size_t i = 0; i < b->nmatches; i++) {
        see_buffer(w, b->matches[i].buffer);
        see_buffer(w, b->matches[i].source.buffer);
        see_access(w, b->matches[i].source.buffer->data, false);
    }
    w->below = outside_reduction(w, b);
}

/* What a statement itself says, and which loop is around those below it. */
static void see_own(struct survey *w, const struct ir_stmt *s)
{
    const struct ir_var *thread = ir_thread_var(s, NULL);
    w->below = w->loop;
    w->p->plan->has_threads |= thread != NULL;
    if (thread != NULL)
        see_var(w, thread);
    if (thread != NULL ||
        (s->kind == IR_FOR && (s->u.loop.kind == IR_FOR_PARALLEL ||
                               s->u.loop.kind == IR_FOR_VECTORIZED)))
        w->below = inside(w, s);
    if (s->kind == IR_FOR)
        see_var(w, s->u.loop.var);
    else if (s->kind == IR_BIND)
        see_var(w, s->u.bind.var);
    else if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        see_buffer(w, s->u.alloc.buffer);
    else if (s->kind == IR_BLOCK)
        see_block(w, s->u.block);
    else if (s->kind == IR_DECL_BUFFER || s->kind == IR_STORE) {
        bool store = s->kind == IR_STORE;
        const struct ir_buffer *b =
            store ? s->u.store.buffer : s->u.decl.buffer;
        see_buffer(w, b);
        see_access(w, b->data, store);
    }
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct survey *w = user;
    struct ir_visitor v = {see_stmt, see_expr, w};
    struct loop_node *loop = w->loop, *below = w->below;
    w->loop = below;
    see_own(w, s);
    ir_visit_below(&v, s);
    w->loop = loop;
    w->below = below;
    return false;
}

/* ---- R4 ------------------------------------------------------------------------- */

static void move_allocs(struct survey *w)
{
    struct ir_plan *plan = w->p->plan;
    for (size_t i = 0; i < w->allocs.len; i++) {
        const struct block_alloc *x = &w->allocs.items[i];
        struct loop_node *at = w->common[plan->class_of[x->buffer->data->id]];
        if (at == NULL || at->depth <= x->at->depth)
            continue;
        struct ir_plan_info *info = plan_info_take(w->p, at->stmt);
        const struct ir_buffer **grown = ARENA_ARRAY(
            w->p->arena, info->nmoved + 1, const struct ir_buffer *);
        if (info->nmoved > 0)
            memcpy(grown, info->moved, info->nmoved * sizeof *grown);
        grown[info->nmoved++] = x->buffer;
        info->moved = grown;
        plan->moved[x->buffer->id] = true;
    }
}

/* ---- all ------------------------------------------------------------------------ */

static void survey_params(struct survey *w)
{
    const struct ir_prim_func *f = &w->p->plan->func->prim;
    for (size_t i = 0; i < f->nparams; i++) {
        see_var(w, f->params[i].var);
        if (f->params[i].buffer != NULL)
            see_buffer(w, f->params[i].buffer);
    }
}

static void survey(struct planner *p)
{
    struct ir_plan *plan = p->plan;
    const struct ir_prim_func *f = &plan->func->prim;
    size_t nvars = (size_t)p->module->nvars + 1;
    struct loop_node root = {NULL, NULL, 0};
    struct survey w = {.p = p, .var_lo = UINT32_MAX, .buf_lo = UINT32_MAX};
    w.loop = w.below = &root;
    w.common = ARENA_ARRAY(p->arena, nvars, struct loop_node *);
    w.stored = ARENA_ARRAY(p->arena, nvars, bool);
    survey_params(&w);
    (void)see_stmt(&w, f->body);
    if (w.var_hi > w.var_lo) {
        plan->var_base = w.var_lo;
        plan->nvars = w.var_hi - w.var_lo;
    }
    if (w.buf_hi > w.buf_lo) {
        plan->buffer_base = w.buf_lo;
        plan->nbuffers = w.buf_hi - w.buf_lo;
    }
    for (size_t i = 0; i < f->nparams; i++) {
        const struct ir_buffer *b = f->params[i].buffer;
        plan->read_only[i] =
            b != NULL && !w.stored[plan->class_of[b->data->id]];
    }
    move_allocs(&w);
    vec_fini(&w.allocs);
}

struct ir_plan *ir_plan_make(const struct ir_module *module,
                             const struct ir_func *func, bool explicit_barriers,
                             struct arena *arena)
{
    struct ir_plan *plan = ARENA_NEW(arena, struct ir_plan);
    struct planner p = {module, explicit_barriers, arena, plan};
    plan->func = func;
    plan->masks = ir_shuffles_have_masks(func->prim.body);
    plan->class_of = ir_storage_classes(module, func->prim.body, arena);
    plan->moved = ARENA_ARRAY(arena, (size_t)module->nbuffers + 1, bool);
    plan->read_only = ARENA_ARRAY(arena, func->prim.nparams, bool);
    survey(&p);
    if (plan->has_threads)
        plan_lockstep(&p);
    return plan;
}
