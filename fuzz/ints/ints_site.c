/* SPDX-License-Identifier: Apache-2.0
 *
 * What the writers of both modules of a pair share: statements, parameters, a
 * trip's slots, and what goes through storage on the way.
 */
#include "fuzz/ints/ints_site.h"

/* ---- statements ------------------------------------------------------------ */

struct ir_expr *site_number(struct site *x, int64_t v)
{
    return ir_int(x->m, DTYPE_INT32, v);
}

struct ir_stmt *site_sequence(struct site *x, size_t n,
                              struct ir_stmt *const *items)
{
    return n == 1 ? items[0] : ir_seq(x->m, n, items);
}

struct ir_stmt *site_loop_of(struct site *x, enum ir_for_kind kind,
                             struct ir_var *var, struct ir_expr *extent,
                             struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = ir_int(x->m, var->dtype, 0);
    s->u.loop.extent = extent;
    s->u.loop.kind = kind;
    if (kind == IR_FOR_THREAD) {
        struct ir_iter_var *iv = ARENA_NEW(x->m->arena, struct ir_iter_var);
        iv->var = ir_var_make(x->m, "", var->dtype);
        iv->type = IR_ITER_THREAD;
        iv->thread_tag = "threadIdx.x";
        s->u.loop.thread = iv;
    }
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *site_loop(struct site *x, struct ir_var *var,
                          struct ir_expr *extent, struct ir_stmt *body)
{
    return site_loop_of(x, IR_FOR_SERIAL, var, extent, body);
}

struct ir_stmt *site_condition(struct site *x, struct ir_expr *cond,
                               struct ir_stmt *then_, struct ir_stmt *else_)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_IF);
    s->u.if_.cond = cond;
    s->u.if_.then_ = then_;
    s->u.if_.else_ = else_;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *site_assertion(struct site *x, struct ir_expr *cond)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_ASSERT);
    s->u.assert_.cond = cond;
    s->u.assert_.error_kind = "RuntimeError";
    s->u.assert_.nparts = 1;
    s->u.assert_.parts = ARENA_ARRAY(x->m->arena, 1, struct ir_expr *);
    s->u.assert_.parts[0] = ir_string(x->m, "holds");
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *site_allocation(struct site *x, struct ir_buffer *buffer)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_ALLOC);
    s->u.alloc.buffer = buffer;
    ir_stmt_seal(s);
    return s;
}

struct ir_stmt *site_block(struct site *x, struct ir_var *iter,
                           struct ir_expr *value, struct ir_expr *predicate,
                           struct ir_stmt *init, struct ir_stmt *body)
{
    struct ir_block *b = ARENA_NEW(x->m->arena, struct ir_block);
    b->name = "b";
    b->niters = 1;
    b->iters = ARENA_ARRAY(x->m->arena, 1, struct ir_iter_var);
    b->iter_values = ARENA_ARRAY(x->m->arena, 1, struct ir_expr *);
    b->iters[0].var = iter;
    b->iters[0].has_dom = true;
    b->iters[0].dom.min = ir_int(x->m, iter->dtype, x->p->first);
    b->iters[0].dom.extent = x->size != NULL
                                 ? ir_var_ref(x->m, x->size)
                                 : ir_int(x->m, iter->dtype, x->p->extent);
    b->iters[0].type = init != NULL ? IR_ITER_REDUCE : IR_ITER_SPATIAL;
    b->iters[0].thread_tag = "";
    b->iter_values[0] = value;
    b->predicate = predicate != NULL ? predicate : ir_int(x->m, DTYPE_BOOL, 1);
    b->init = init;
    b->body = body;
    struct ir_stmt *s = ir_stmt_make(x->m, IR_BLOCK);
    s->u.block = b;
    ir_stmt_seal(s);
    return s;
}

struct ir_buffer *site_vector(struct site *x, const char *name, struct dtype t,
                              int64_t n)
{
    struct ir_expr *shape = site_number(x, n);
    return ir_buffer_make(x->m, name, t, 1, &shape, NULL, "global");
}

struct ir_buffer *site_trip_vector(struct site *x, const char *name,
                                   struct dtype t)
{
    if (x->size == NULL)
        return site_vector(x, name, t, x->p->d->n);
    struct ir_expr *shape = ir_var_ref(x->m, x->size);
    return ir_buffer_make(x->m, name, t, 1, &shape, NULL, "global");
}

struct ir_expr *site_load(struct site *x, struct ir_buffer *b,
                          struct ir_expr *at)
{
    return ir_load(x->m, b, 1, &at, NULL);
}

struct ir_stmt *site_store(struct site *x, struct ir_buffer *b,
                           struct ir_expr *at, struct ir_expr *value)
{
    return ir_store(x->m, b, value, 1, &at, NULL);
}

/* ---- rows ------------------------------------------------------------------ */

struct ir_buffer *site_grid(struct site *x, const char *name, struct dtype t,
                            int64_t n)
{
    struct ir_expr *shape[] = {site_number(x, n / GRID_ROW),
                               site_number(x, GRID_ROW)};
    if (x->p->grid[x->side] == GRID_NONE)
        return site_vector(x, name, t, n);
    return ir_buffer_make(x->m, name, t, 2, shape, NULL, "global");
}

static struct ir_expr *with_number(struct site *x, enum ir_expr_kind op,
                                   struct ir_expr *e, int64_t k)
{
    return ir_binary(x->m, op, e, ir_int(x->m, e->dtype, k));
}

/* Indices of the element `at`, no vector. All forms name it, where it is there;
 * some leave their row. */
static size_t grid_index(struct site *x, struct ir_expr *at,
                         struct ir_expr *index[2])
{
    switch (x->p->grid[x->side]) {
    case GRID_NONE: index[0] = at; return 1;
    case GRID_FLOOR:
        index[0] = with_number(x, IR_FLOORDIV, at, GRID_ROW);
        index[1] = with_number(x, IR_FLOORMOD, at, GRID_ROW);
        break;
    case GRID_TRUNC:
        index[0] = with_number(x, IR_DIV, at, GRID_ROW);
        index[1] = with_number(x, IR_MOD, at, GRID_ROW);
        break;
    case GRID_BITS:
        index[0] = with_number(x, IR_SHR, at, 2);
        index[1] = with_number(x, IR_BITAND, at, GRID_ROW - 1);
        break;
    case GRID_BACK:
        index[0] = with_number(x, IR_ADD,
                               with_number(x, IR_FLOORDIV, at, GRID_ROW), 1);
        index[1] = with_number(
            x, IR_SUB, with_number(x, IR_FLOORMOD, at, GRID_ROW), GRID_ROW);
        break;
    case GRID_FIRST:
    case NGRIDS:
        index[0] = site_number(x, 0);
        index[1] = at;
        break;
    }
    return 2;
}

struct ir_expr *site_grid_load(struct site *x, struct ir_buffer *b,
                               struct ir_expr *at)
{
    struct ir_expr *index[2];
    size_t n = grid_index(x, at, index);
    return ir_load(x->m, b, n, index, NULL);
}

struct ir_stmt *site_grid_store(struct site *x, struct ir_buffer *b,
                                struct ir_expr *at, struct ir_expr *value)
{
    struct ir_expr *index[2];
    size_t n = grid_index(x, at, index);
    return ir_store(x->m, b, value, n, index, NULL);
}

/* ---- expressions ----------------------------------------------------------- */

struct ir_expr *site_emit(struct site *x, const struct ix *e)
{
    return ix_emit(x->m, e, x->slots, x->lanes);
}

struct ir_expr *site_cast(struct site *x, struct dtype t, struct ir_expr *e)
{
    t = dtype_with_lanes(t, e->dtype.lanes);
    return dtype_equal(e->dtype, t) ? e : ir_cast(x->m, t, e);
}

/* ---- parameters ------------------------------------------------------------ */

static void add_param(struct ir_prim_func *f, struct ir_var *var,
                      struct ir_buffer *buffer)
{
    f->params[f->nparams].var = var;
    f->params[f->nparams++].buffer = buffer;
}

void site_add_tensor(struct site *x, struct ir_prim_func *f,
                     struct ir_buffer *b)
{
    char *name = arena_printf(x->m->arena, "%s_handle", b->name);
    add_param(f, ir_var_make(x->m, name, DTYPE_HANDLE), b);
}

void site_make_params(struct site *x, struct ir_prim_func *f)
{
    const struct draw *d = x->p->d;
    struct arena *arena = x->m->arena;
    f->params = ARENA_ARRAY(arena, d->nslots + 4, struct ir_param);
    for (size_t i = 0; i < d->nslots; i++) {
        const struct slot *s = &d->slots[i];
        char *name =
            arena_printf(arena, "%c%zu", s->kind == SLOT_SCALAR ? 's' : 'X', i);
        if (s->kind == SLOT_SCALAR) {
            struct ir_var *v = ir_var_make(x->m, name, s->t);
            x->slots[i] = ir_var_ref(x->m, v);
            add_param(f, v, NULL);
        } else if (s->kind == SLOT_SIZE) {
            x->slots[i] = ir_var_ref(x->m, x->size);
        } else if (s->kind == SLOT_ELEMENT || s->kind == SLOT_FIXED) {
            x->inputs[i] = site_trip_vector(x, name, s->t);
            site_add_tensor(x, f, x->inputs[i]);
        } else if (s->kind == SLOT_TABLE) {
            struct ir_expr *zeros[] = {site_number(x, 0), site_number(x, 0)};
            struct ir_expr *shape[] = {site_number(x, DRAW_ROWS),
                                       site_number(x, d->row)};
            x->inputs[i] =
                ir_buffer_make(x->m, name, s->t, (size_t)s->at,
                               s->at == 1 ? shape + 1 : shape, NULL, "global");
            site_add_tensor(x, f, x->inputs[i]);
            x->slots[i] =
                ir_load(x->m, x->inputs[i], (size_t)s->at, zeros, NULL);
        }
    }
    if (x->p->table) {
        x->table = site_grid(x, "G", x->p->out, x->p->size);
        site_add_tensor(x, f, x->table);
    }
    bool scattered = x->p->place == INTS_IN_SCATTER ||
                     x->p->place == INTS_IN_EXTENT ||
                     x->p->place == INTS_IN_SLOTTED;
    if (scattered || plan_reduces(x->p))
        x->out =
            x->p->place == INTS_IN_SCATTER
                ? site_grid(x, "O", x->p->out, x->p->size)
                : site_vector(x, "O", x->p->out, scattered ? x->p->size : 1);
    else
        x->out = site_trip_vector(x, "O", x->p->out);
    site_add_tensor(x, f, x->out);
    if (x->p->route[0] == ROUTE_OUTPUT) {
        x->kept = site_trip_vector(x, "Q", x->p->routed[x->side]->t);
        site_add_tensor(x, f, x->kept);
    }
}

void site_at_trip(struct site *x, struct ir_expr *at)
{
    const struct draw *d = x->p->d;
    x->at = at;
    for (size_t i = 0; i < d->nslots; i++) {
        const struct slot *s = &d->slots[i];
        if (s->kind == SLOT_LOOP)
            x->slots[i] = at;
        else if (s->kind == SLOT_STATE)
            x->slots[i] = site_load(x, x->acc, site_number(x, 0));
        else if (s->kind == SLOT_OUTPUT)
            x->slots[i] =
                site_load(x, x->out, s->at < 0 ? at : site_number(x, s->at));
        else if (s->kind == SLOT_ELEMENT)
            x->slots[i] = site_load(x, x->inputs[i], at);
        else if (s->kind == SLOT_FIXED)
            x->slots[i] = site_load(x, x->inputs[i], site_number(x, s->at));
        if (s->kind != SLOT_TABLE && x->slots[i]->dtype.lanes < x->lanes)
            x->slots[i] =
                ir_broadcast(x->m, x->slots[i], site_number(x, x->lanes));
    }
}

/* ---- routes ---------------------------------------------------------------- */

struct ir_var *site_trip_var(struct site *x, const char *name)
{
    return ir_var_make(x->m, name, x->p->loop);
}

struct ir_expr *site_trips(struct site *x)
{
    return x->size != NULL ? ir_var_ref(x->m, x->size)
                           : ir_int(x->m, x->p->loop, x->p->d->n);
}

void site_store_route(struct site *x)
{
    struct ir_var *v = site_trip_var(x, "r");
    site_at_trip(x, ir_var_ref(x->m, v));
    struct ir_stmt *s =
        site_store(x, x->kept, x->at, site_emit(x, x->p->routed[x->side]));
    x->items[x->n++] = site_loop(x, v, site_trips(x), s);
}

void site_route_before(struct site *x)
{
    enum route route = x->p->route[x->side];
    const struct ix *e = x->p->routed[x->side];
    bool serial = x->p->kind[x->side] == IR_FOR_SERIAL;
    if (route == ROUTE_CELL || route == ROUTE_ARRAY) {
        x->kept = route == ROUTE_CELL ? site_vector(x, "M", e->t, 1)
                                      : site_trip_vector(x, "M", e->t);
        if (serial || route == ROUTE_ARRAY)
            x->items[x->n++] = site_allocation(x, x->kept);
    }
    if (route == ROUTE_ARRAY || route == ROUTE_OUTPUT)
        site_store_route(x);
}

const struct ix *site_route_inside(struct site *x, struct ir_stmt **body,
                                   size_t *n)
{
    struct arena *arena = x->p->d->arena;
    const struct ix *e = x->p->routed[x->side], *main = x->p->main[x->side];
    struct ir_expr *held = NULL;
    switch (x->p->route[x->side]) {
    case ROUTE_NONE: return main;
    case ROUTE_ARRAY:
    case ROUTE_OUTPUT: held = site_load(x, x->kept, x->at); break;
    case ROUTE_CELL:
        if (x->p->kind[x->side] != IR_FOR_SERIAL) /* each iteration has one */
            body[(*n)++] = site_allocation(x, x->kept);
        body[(*n)++] =
            site_store(x, x->kept, site_number(x, 0), site_emit(x, e));
        held = site_load(x, x->kept, site_number(x, 0));
        break;
    case ROUTE_BIND: {
        struct ir_stmt *s = ir_stmt_make(x->m, IR_BIND);
        s->u.bind.var = ir_var_make(x->m, "t", e->t);
        s->u.bind.value = site_emit(x, e);
        ir_stmt_seal(s);
        body[(*n)++] = s;
        held = ir_var_ref(x->m, s->u.bind.var);
        break;
    }
    case ROUTE_LET:
        return ix_let(
            arena, e,
            ix_replace(arena, main, e, ix_slot(arena, e->t, IX_LET_SLOT)));
    }
    x->slots[IX_ROUTE_SLOT] = held;
    return ix_replace(arena, main, e, ix_slot(arena, e->t, IX_ROUTE_SLOT));
}
