/* SPDX-License-Identifier: Apache-2.0
 *
 * What is around a statement while the walk goes down: scopes, place in time,
 * meanings of variables; and the lists of the program that it adds to.
 *
 * Time: positions in sequences and loops that are not a launch's stand in
 * f->steps in the order of nesting. The launch's axes come after them, blocks
 * first, x innermost; lanes of a vector store come last of all. Any two
 * statements differ at a position before one of them has an axis.
 */
#include "verifier/front/front.h"

#include <string.h>

/* ---- scopes of names ----------------------------------------------------------------- */

struct front_mark front_mark(struct front *f)
{
    return (struct front_mark){f->scopes.len, f->steps.len, f->undo.len,
                               f->live.len};
}

static size_t emitted(const struct front *f)
{
    return f->stores.len + f->asserts.len + f->evals.len + f->barriers.len;
}

static void push_scope(struct front *f, struct vscope scope)
{
    f->scopes_at.len = f->scopes.len;
    vec_push(&f->scopes, scope);
    vec_push(&f->scopes_at, emitted(f));
}

static void eval_here(struct front *f, struct ir_expr *value);

/* A condition, a binding or a loop's bounds below which nothing is: evaluated
 * all the same (R7), and a fault there is one. */
static void evaluate_unseen(struct front *f, struct front_mark mark)
{
    if (f->scopes.len > mark.scopes && !front_failed(f) &&
        f->scopes_at.items[f->scopes.len - 1] == emitted(f))
        eval_here(f, fx_int(f, DTYPE_INT32, 0));
}

void front_reset(struct front *f, struct front_mark mark)
{
    evaluate_unseen(f, mark);
    while (f->undo.len > mark.undo) {
        const struct undo *u = &f->undo.items[--f->undo.len];
        if (u->is_view)
            f->views[u->id] = u->view;
        else
            f->env[u->id] = u->binding;
    }
    f->scopes.len = mark.scopes;
    f->steps.len = mark.steps;
    f->live.len = mark.live;
}

void front_bind(struct front *f, const struct ir_var *var,
                struct binding binding)
{
    vec_push(&f->undo,
             ((struct undo){.id = var->id, .binding = f->env[var->id]}));
    f->env[var->id] = binding;
}

void front_bind_expr(struct front *f, const struct ir_var *var,
                     struct ir_expr *value)
{
    front_bind(f, var, (struct binding){.kind = BOUND_EXPR, .expr = value});
}

void front_bind_symbol(struct front *f, const struct ir_var *var,
                       struct ir_expr *value)
{
    if (var->dtype.bits < 32)
        front_refuse(f, f->stmt->pos,
                     "'%s' is defined by a buffer and may not hold the value",
                     var->name);
    front_bind_expr(f, var, fx_cast(f, var->dtype, value));
}

void front_set_view(struct front *f, const struct ir_buffer *buffer,
                    struct fview *view)
{
    vec_push(&f->undo, ((struct undo){.is_view = true,
                                      .id = buffer->id,
                                      .view = f->views[buffer->id]}));
    f->views[buffer->id] = view;
}

/* ---- variables of the program ------------------------------------------------------------ */

static struct ir_var *var_make(struct front *f, const char *name,
                               struct dtype type, struct var_info info)
{
    struct ir_var *var = ir_var_make(f->m, name, dtype_scalar(type));
    while (f->infos.len <= var->id - f->module->nvars)
        vec_push(&f->infos, ((struct var_info){NULL, NULL, 0, 0}));
    f->infos.items[var->id - f->module->nvars] = info;
    return var;
}

const struct var_info *front_info(const struct front *f,
                                  const struct ir_var *var)
{
    uint32_t i = var->id - f->module->nvars;
    if (var->id < f->module->nvars || i >= f->infos.len)
        return NULL;
    return &f->infos.items[i];
}

struct axis_search {
    const struct front *f;
    uint32_t found;
};

static bool see_axis(void *user, struct ir_expr *e)
{
    struct axis_search *s = user;
    if (e->kind == IR_VAR_REF) {
        const struct var_info *info = front_info(s->f, e->u.var);
        if (info != NULL)
            s->found |= info->axes;
    }
    return true;
}

uint32_t front_axes(const struct front *f, struct ir_expr *e)
{
    struct axis_search s = {f, 0};
    struct ir_visitor v = {NULL, see_axis, &s};
    ir_visit_expr(&v, e);
    return s.found;
}

struct vloop *front_loop_make(struct front *f, const char *name,
                              struct dtype type, struct ir_expr *min,
                              struct ir_expr *extent, enum ir_for_kind kind)
{
    struct vloop *loop = ARENA_NEW(f->arena, struct vloop);
    loop->min = min;
    loop->extent = extent;
    loop->kind = kind;
    loop->id = (uint32_t)f->loops.len;
    loop->pos = f->stmt != NULL ? f->stmt->pos : (struct ir_pos){0, 0};
    uint32_t axes = front_axes(f, min) | front_axes(f, extent);
    loop->var = var_make(f, name, type, (struct var_info){loop, NULL, axes, 0});
    vec_push(&f->loops, loop);
    return loop;
}

void front_loop_open(struct front *f, struct vloop *loop)
{
    push_scope(f, (struct vscope){.kind = VSCOPE_LOOP, .loop = loop});
    if (loop->kind != IR_FOR_THREAD)
        vec_push(&f->steps, ((struct vstep){loop, 0, false}));
}

struct ir_expr *front_loop(struct front *f, const char *name, int64_t extent,
                           bool unordered)
{
    if (extent == 1)
        return fx_int(f, DTYPE_INT32, 0);
    struct vloop *loop =
        front_loop_make(f, name, DTYPE_INT32, fx_int(f, DTYPE_INT32, 0),
                        fx_int(f, DTYPE_INT32, extent), IR_FOR_SERIAL);
    loop->unordered = unordered;
    front_loop_open(f, loop);
    return ir_var_ref(f->m, loop->var);
}

void front_position(struct front *f, uint32_t pos)
{
    vec_push(&f->steps, ((struct vstep){NULL, pos, false}));
}

void front_part(struct front *f, uint32_t pos)
{
    vec_push(&f->steps, ((struct vstep){NULL, pos, true}));
}

/* The place in time, lanes left out: all of them see what was before. */
static struct vstep *steps_copy(struct front *f, size_t *n)
{
    struct vstep *steps =
        ARENA_ARRAY(f->arena, f->steps.len + FRONT_MAX_AXES + 1, struct vstep);
    *n = 0;
    for (size_t i = 0; i < f->steps.len; i++)
        if (f->steps.items[i].loop == NULL || !f->steps.items[i].loop->lanes)
            steps[(*n)++] = f->steps.items[i];
    return steps;
}

struct ir_expr *front_let(struct front *f, const char *name,
                          struct ir_expr *value)
{
    if (value->kind == IR_VAR_REF || value->kind == IR_INT_IMM)
        return value;
    struct vscope scope = {.kind = VSCOPE_LET, .value = value};
    scope.steps = steps_copy(f, &scope.nsteps);
    scope.var = var_make(
        f, name, value->dtype,
        (struct var_info){NULL, value, front_axes(f, value), f->stores.len});
    push_scope(f, scope);
    return ir_var_ref(f->m, scope.var);
}

struct ir_expr *front_fixed(struct front *f, const char *name,
                            struct ir_expr *value)
{
    return ir_has_load(value) ? front_let(f, name, value) : value;
}

struct ir_expr *front_evaluated(struct front *f, struct ir_expr *value,
                                struct ir_expr *x)
{
    struct ir_var *var = var_make(
        f, "evaluated", value->dtype,
        (struct var_info){NULL, value, front_axes(f, value), f->stores.len});
    return ir_let(f->m, var, value, x);
}

void front_guard(struct front *f, struct ir_expr *cond, bool negated)
{
    if (!negated && cond->kind == IR_INT_IMM && cond->u.int_value != 0)
        return;
    struct vscope scope = {
        .kind = VSCOPE_GUARD, .value = cond, .negated = negated};
    scope.steps = steps_copy(f, &scope.nsteps);
    push_scope(f, scope);
}

/* ---- what the program consists of ------------------------------------------------------------- */

static struct vscope *scopes_copy(struct front *f)
{
    size_t n = f->scopes.len;
    struct vscope *scopes = ARENA_ARRAY(f->arena, n + 1, struct vscope);
    if (n > 0)
        memcpy(scopes, f->scopes.items, n * sizeof *scopes);
    return scopes;
}

/* Steps with the launch's axes and the lanes around after them. */
static struct vstep *steps_all(struct front *f, size_t *n, size_t *reads)
{
    struct vstep *steps = steps_copy(f, n);
    for (size_t i = 0; f->launch != NULL && i < f->launch->norder; i++)
        steps[(*n)++] =
            (struct vstep){f->launch->axes[f->launch->order[i]].loop, 0, false};
    *reads = *n;
    for (size_t i = 0; i < f->steps.len; i++)
        if (f->steps.items[i].loop != NULL && f->steps.items[i].loop->lanes)
            steps[(*n)++] = f->steps.items[i];
    return steps;
}

struct vstore *front_store(struct front *f, struct fstorage *s, size_t n,
                           struct ir_expr *const *index, struct ir_expr *value)
{
    struct vstore *x = ARENA_NEW(f->arena, struct vstore);
    front_list(f, s);
    s->pub.written = true;
    x->target = &s->pub;
    x->nindex = n;
    x->index = ARENA_ARRAY(f->arena, n, struct ir_expr *);
    if (n > 0)
        memcpy(x->index, index, n * sizeof *index);
    x->value = fx_cast(f, s->scalar, value);
    x->nscopes = f->scopes.len;
    x->scopes = scopes_copy(f);
    x->loops = ARENA_ARRAY(f->arena, f->scopes.len, struct vloop *);
    for (size_t i = 0; i < x->nscopes; i++)
        if (x->scopes[i].kind == VSCOPE_LOOP)
            x->loops[x->nloops++] = x->scopes[i].loop;
    x->steps = steps_all(f, &x->nsteps, &x->read_steps);
    x->init = f->in_init;
    x->name = f->block_name;
    x->pos = f->stmt != NULL ? f->stmt->pos : (struct ir_pos){0, 0};
    x->id = (uint32_t)f->stores.len;
    vec_push(&f->stores, x);
    return x;
}

void front_assert(struct front *f, struct ir_expr *cond)
{
    if (cond->kind == IR_INT_IMM && cond->u.int_value != 0)
        return;
    size_t reads;
    struct vassert *x = ARENA_NEW(f->arena, struct vassert);
    x->cond = cond;
    x->nscopes = f->scopes.len;
    x->scopes = scopes_copy(f);
    x->steps = steps_all(f, &x->nsteps, &reads);
    x->pos = f->stmt->pos;
    vec_push(&f->asserts, x);
}

static void eval_here(struct front *f, struct ir_expr *value)
{
    size_t reads;
    struct veval *x = ARENA_NEW(f->arena, struct veval);
    x->value = value;
    x->nscopes = f->scopes.len;
    x->scopes = scopes_copy(f);
    x->steps = steps_all(f, &x->nsteps, &reads);
    x->pos = f->stmt != NULL ? f->stmt->pos : (struct ir_pos){0, 0};
    vec_push(&f->evals, x);
}

void front_eval(struct front *f, struct ir_expr *value)
{
    if (value->kind != IR_INT_IMM && value->kind != IR_VAR_REF)
        eval_here(f, value);
}

void front_barrier(struct front *f, const char *scope)
{
    struct vbarrier *x = ARENA_NEW(f->arena, struct vbarrier);
    x->scope = scope;
    x->nscopes = f->scopes.len;
    x->scopes = scopes_copy(f);
    x->steps = steps_copy(f, &x->nsteps);
    x->pos = f->stmt->pos;
    vec_push(&f->barriers, x);
}

static void group(struct front *f, struct ir_expr *pending)
{
    struct vgroup *x = ARENA_NEW(f->arena, struct vgroup);
    x->pending = pending;
    x->nscopes = f->scopes.len;
    x->scopes = scopes_copy(f);
    x->steps = steps_copy(f, &x->nsteps);
    x->pos = f->stmt->pos;
    vec_push(&f->groups, x);
}

/* A comparison that holds by the ranges of its operands. */
static bool holds_always(const struct front *f, const struct ir_expr *e)
{
    int64_t la, ha, lb, hb;
    if (e->kind == IR_AND)
        return holds_always(f, e->args[0]) && holds_always(f, e->args[1]);
    if (e->nargs != 2 || !fx_range(f, e->args[0], &la, &ha) ||
        !fx_range(f, e->args[1], &lb, &hb))
        return false;
    switch (e->kind) {
    case IR_LT: return ha < lb;
    case IR_LE: return ha <= lb;
    case IR_GT: return la > hb;
    case IR_GE: return la >= hb;
    default: return false;
    }
}

/* Commits are counted: nothing may decide whether one happens. */
void front_commit(struct front *f)
{
    for (size_t i = 0; i < f->scopes.len; i++) {
        const struct vscope *s = &f->scopes.items[i];
        bool plain = s->kind == VSCOPE_LET;
        if (s->kind == VSCOPE_LOOP)
            plain = s->loop->kind == IR_FOR_SERIAL ||
                    s->loop->kind == IR_FOR_UNROLLED ||
                    s->loop->kind == IR_FOR_THREAD;
        else if (s->kind == VSCOPE_GUARD)
            plain = !s->negated && holds_always(f, s->value);
        if (OBLIGED_FRONT(f, "the end of each group is reached", plain))
            continue;
        front_refuse(f, f->stmt->pos,
                     "the end of a group of asynchronous copies under a "
                     "condition or a parallel loop");
        return;
    }
    group(f, NULL);
}

void front_wait(struct front *f, struct ir_expr *pending)
{
    if (fx_may_fault(pending))
        front_eval(f, pending);
    group(f, fx_wide(f, pending));
}

#define TAKE(to, n, from, type)                                             \
    do {                                                                    \
        p->n = (from).len;                                                  \
        p->to = ARENA_ARRAY(f->arena, (from).len, type);                    \
        if ((from).len > 0)                                                 \
            memcpy(p->to, (from).items, (from).len * sizeof *(from).items); \
    } while (0)

void front_finish(struct front *f)
{
    struct vprog *p = f->p;
    TAKE(storages, nstorages, f->storages, struct vstorage *);
    TAKE(loops, nloops, f->loops, struct vloop *);
    TAKE(stores, nstores, f->stores, struct vstore *);
    TAKE(asserts, nasserts, f->asserts, struct vassert *);
    TAKE(barriers, nbarriers, f->barriers, struct vbarrier *);
    TAKE(groups, ngroups, f->groups, struct vgroup *);
    TAKE(evals, nevals, f->evals, struct veval *);
    TAKE(symbols, nsymbols, f->symbols, struct vsymbol);
}
