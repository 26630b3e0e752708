/* SPDX-License-Identifier: Apache-2.0
 *
 * Two expressions as two modules: where they stand, and what goes through
 * storage on the way.
 *
 * Both modules have the same parameters: an input for each slot that is an
 * element, a scalar for each that is one, a table G where something is
 * gathered, and the output O. Around the expressions stands one loop. On each
 * side a node of the expression may be stored first, in scratch storage of all
 * trips or of one, or bound to a name; that changes nothing, but for what is
 * evaluated where it would not have been.
 */
#include "fuzz/ints/ints_plan.h"

#include <string.h>

/* One side on its way into a module. */
struct site {
    const struct plan *p;
    unsigned side;
    struct ir_module *m;
    struct ir_expr *slots[IX_NSLOTS];
    struct ir_buffer *inputs[IX_MAX_SLOTS];
    struct ir_buffer *table, *out, *kept, *acc;
    struct ir_var *size; /* symbolic: how many trips there are */
    struct ir_expr *at;  /* index of the trip */
    unsigned lanes;      /* of the trip: 1, or all trips are one */
    struct ir_stmt *items[12];
    size_t n;
};

/* ---- statements ------------------------------------------------------------ */

static struct ir_expr *number(struct site *x, int64_t v)
{
    return ir_int(x->m, DTYPE_INT32, v);
}

static struct ir_stmt *sequence(struct site *x, size_t n,
                                struct ir_stmt *const *items)
{
    return n == 1 ? items[0] : ir_seq(x->m, n, items);
}

static struct ir_stmt *loop_of_kind(struct site *x, enum ir_for_kind kind,
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

static struct ir_stmt *loop_over(struct site *x, struct ir_var *var,
                                 struct ir_expr *extent, struct ir_stmt *body)
{
    return loop_of_kind(x, IR_FOR_SERIAL, var, extent, body);
}

static struct ir_stmt *condition(struct site *x, struct ir_expr *cond,
                                 struct ir_stmt *then_, struct ir_stmt *else_)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_IF);
    s->u.if_.cond = cond;
    s->u.if_.then_ = then_;
    s->u.if_.else_ = else_;
    ir_stmt_seal(s);
    return s;
}

static struct ir_stmt *assertion(struct site *x, struct ir_expr *cond)
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

static struct ir_stmt *allocation(struct site *x, struct ir_buffer *buffer)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_ALLOC);
    s->u.alloc.buffer = buffer;
    ir_stmt_seal(s);
    return s;
}

/* A block over one axis; reduce: its init, else NULL. */
static struct ir_stmt *block_of(struct site *x, struct ir_var *iter,
                                struct ir_expr *value,
                                struct ir_expr *predicate, struct ir_stmt *init,
                                struct ir_stmt *body)
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

static struct ir_buffer *vector(struct site *x, const char *name,
                                struct dtype t, int64_t n)
{
    struct ir_expr *shape = number(x, n);
    return ir_buffer_make(x->m, name, t, 1, &shape, NULL, "global");
}

/* An element for each trip. */
static struct ir_buffer *trip_vector(struct site *x, const char *name,
                                     struct dtype t)
{
    if (x->size == NULL)
        return vector(x, name, t, x->p->d->n);
    struct ir_expr *shape = ir_var_ref(x->m, x->size);
    return ir_buffer_make(x->m, name, t, 1, &shape, NULL, "global");
}

static struct ir_expr *load(struct site *x, struct ir_buffer *b,
                            struct ir_expr *at)
{
    return ir_load(x->m, b, 1, &at, NULL);
}

static struct ir_stmt *store(struct site *x, struct ir_buffer *b,
                             struct ir_expr *at, struct ir_expr *value)
{
    return ir_store(x->m, b, value, 1, &at, NULL);
}

static struct ir_expr *emit(struct site *x, const struct ix *e)
{
    return ix_emit(x->m, e, x->slots, x->lanes);
}

static struct ir_expr *cast(struct site *x, struct dtype t, struct ir_expr *e)
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

static void add_tensor(struct site *x, struct ir_prim_func *f,
                       struct ir_buffer *b)
{
    char *name = arena_printf(x->m->arena, "%s_handle", b->name);
    add_param(f, ir_var_make(x->m, name, DTYPE_HANDLE), b);
}

static bool reduces(const struct plan *p)
{
    return p->place == INTS_IN_REDUCE || p->place == INTS_IN_STEP;
}

static void make_params(struct site *x, struct ir_prim_func *f)
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
            x->inputs[i] = trip_vector(x, name, s->t);
            add_tensor(x, f, x->inputs[i]);
        }
    }
    if (x->p->table) {
        x->table = vector(x, "G", x->p->out, x->p->size);
        add_tensor(x, f, x->table);
    }
    bool scattered = x->p->place == INTS_IN_SCATTER ||
                     x->p->place == INTS_IN_EXTENT ||
                     x->p->place == INTS_IN_SLOTTED;
    if (scattered || reduces(x->p))
        x->out = vector(x, "O", x->p->out, scattered ? x->p->size : 1);
    else
        x->out = trip_vector(x, "O", x->p->out);
    add_tensor(x, f, x->out);
    if (x->p->route[0] == ROUTE_OUTPUT) {
        x->kept = trip_vector(x, "Q", x->p->routed[x->side]->t);
        add_tensor(x, f, x->kept);
    }
}

/* Slots at the trip of this index. */
static void at_trip(struct site *x, struct ir_expr *at)
{
    const struct draw *d = x->p->d;
    x->at = at;
    for (size_t i = 0; i < d->nslots; i++) {
        const struct slot *s = &d->slots[i];
        if (s->kind == SLOT_LOOP)
            x->slots[i] = at;
        else if (s->kind == SLOT_STATE)
            x->slots[i] = load(x, x->acc, number(x, 0));
        else if (s->kind == SLOT_OUTPUT)
            x->slots[i] = load(x, x->out, s->at < 0 ? at : number(x, s->at));
        else if (s->kind == SLOT_ELEMENT)
            x->slots[i] = load(x, x->inputs[i], at);
        else if (s->kind == SLOT_FIXED)
            x->slots[i] = load(x, x->inputs[i], number(x, s->at));
        if (x->slots[i]->dtype.lanes < x->lanes)
            x->slots[i] = ir_broadcast(x->m, x->slots[i], number(x, x->lanes));
    }
}

/* ---- routes ---------------------------------------------------------------- */

static struct ir_var *trip_var(struct site *x, const char *name)
{
    return ir_var_make(x->m, name, x->p->loop);
}

static struct ir_expr *trips(struct site *x)
{
    return x->size != NULL ? ir_var_ref(x->m, x->size)
                           : ir_int(x->m, x->p->loop, x->p->d->n);
}

/* What is kept of all trips. */
static void store_route(struct site *x)
{
    struct ir_var *v = trip_var(x, "r");
    at_trip(x, ir_var_ref(x->m, v));
    struct ir_stmt *s =
        store(x, x->kept, x->at, emit(x, x->p->routed[x->side]));
    x->items[x->n++] = loop_over(x, v, trips(x), s);
}

/* What stands before the loop. */
static void route_before(struct site *x)
{
    enum route route = x->p->route[x->side];
    const struct ix *e = x->p->routed[x->side];
    bool serial = x->p->kind[x->side] == IR_FOR_SERIAL;
    if (route == ROUTE_CELL || route == ROUTE_ARRAY) {
        x->kept = route == ROUTE_CELL ? vector(x, "M", e->t, 1)
                                      : trip_vector(x, "M", e->t);
        if (serial || route == ROUTE_ARRAY)
            x->items[x->n++] = allocation(x, x->kept);
    }
    if (route == ROUTE_ARRAY || route == ROUTE_OUTPUT)
        store_route(x);
}

/* What stands before the statement in the loop; the side's expression, with
 * what was kept in its place. */
static const struct ix *route_inside(struct site *x, struct ir_stmt **body,
                                     size_t *n)
{
    struct arena *arena = x->p->d->arena;
    const struct ix *e = x->p->routed[x->side], *main = x->p->main[x->side];
    struct ir_expr *held = NULL;
    switch (x->p->route[x->side]) {
    case ROUTE_NONE: return main;
    case ROUTE_ARRAY:
    case ROUTE_OUTPUT: held = load(x, x->kept, x->at); break;
    case ROUTE_CELL:
        if (x->p->kind[x->side] != IR_FOR_SERIAL) /* each iteration has one */
            body[(*n)++] = allocation(x, x->kept);
        body[(*n)++] = store(x, x->kept, number(x, 0), emit(x, e));
        held = load(x, x->kept, number(x, 0));
        break;
    case ROUTE_BIND: {
        struct ir_stmt *s = ir_stmt_make(x->m, IR_BIND);
        s->u.bind.var = ir_var_make(x->m, "t", e->t);
        s->u.bind.value = emit(x, e);
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

/* ---- places ---------------------------------------------------------------- */

static struct ir_expr *chosen(struct site *x, bool lazy, struct ir_expr *cond,
                              struct ir_expr *a, struct ir_expr *b)
{
    struct ir_expr *args[] = {cond, a, b};
    if (lazy)
        return ir_call(x->m, a->dtype, "tirx.if_then_else", 3, args);
    return ir_select(x->m, cond, a, b);
}

static struct ir_expr *gathered(struct site *x, const struct ix *address)
{
    return load(x, x->table, emit(x, address));
}

/* ---- reductions ------------------------------------------------------------ */

static struct ir_expr *unit_of(struct site *x, struct dtype t)
{
    switch ((int)x->p->reducer) {
    case IR_MUL: return ir_int(x->m, t, 1);
    case IR_MIN: return ir_int(x->m, t, ints_most(t));
    case IR_MAX: return ir_int(x->m, t, ints_least(t));
    case IR_BITAND:
        return ir_int(x->m, t, t.code == DT_INT ? -1 : ints_most(t));
    default: return ir_int(x->m, t, 0);
    }
}

static struct ir_expr *first_value(struct site *x)
{
    struct dtype t = x->p->acc[x->side];
    return cast(x, t, emit(x, x->p->arm[0])); /* the same on both sides */
}

/* The accumulator of this trip. */
static struct ir_expr *acc_index(struct site *x)
{
    if (x->p->reduction[x->side] != REDUCE_TWO)
        return number(x, 0);
    struct ir_expr *two = ir_int(x->m, x->at->dtype, 2);
    return cast(x, DTYPE_INT32, ir_binary(x->m, IR_FLOORMOD, x->at, two));
}

/* The accumulator with the value of this trip. */
static struct ir_stmt *reduced(struct site *x, struct ir_expr *value,
                               struct ir_stmt **init)
{
    struct ir_expr *at = acc_index(x);
    value = cast(x, x->p->acc[x->side], value);
    *init = store(x, x->acc, number(x, 0), first_value(x));
    return store(x, x->acc, at,
                 ir_binary(x->m, x->p->reducer, load(x, x->acc, at), value));
}

static void reduce_before(struct site *x)
{
    enum reduction r = x->p->reduction[x->side];
    struct dtype t = x->p->acc[x->side];
    x->acc = x->out;
    if (r == REDUCE_OUTPUT)
        return;
    x->acc = vector(x, "R", t, r == REDUCE_TWO ? 2 : 1);
    x->items[x->n++] = allocation(x, x->acc);
    if (r == REDUCE_TWO)
        x->items[x->n++] = store(x, x->acc, number(x, 1), unit_of(x, t));
}

static void reduce_after(struct site *x)
{
    const struct plan *p = x->p;
    enum reduction r = p->reduction[x->side];
    struct ir_expr *zero = number(x, 0);
    if (r == REDUCE_OUTPUT)
        return;
    struct ir_expr *v = load(x, x->acc, zero);
    if (r == REDUCE_TWO)
        v = ir_binary(x->m, p->reducer, v, load(x, x->acc, number(x, 1)));
    v = cast(x, p->out, v);
    if (p->after != NULL) {
        x->slots[IX_ROUTE_SLOT] = v;
        v = emit(x, p->after);
        if (p->table)
            v = load(x, x->table, v);
    }
    x->items[x->n++] = store(x, x->out, zero, v);
}

static struct ir_stmt *extended(struct site *x, struct ir_expr *extent)
{
    struct ir_var *j = ir_var_make(x->m, "j", extent->dtype);
    struct ir_expr *at = ir_var_ref(x->m, j);
    return loop_over(x, j, extent, store(x, x->out, at, emit(x, x->p->arm[0])));
}

/* O[i] = G[main], with what keeps the address inside. */
static struct ir_stmt *kept_inside(struct site *x, const struct ix *main,
                                   struct ir_expr *other)
{
    const struct plan *p = x->p;
    struct ir_expr *at = emit(x, main), *low, *high, *inside;
    low = number(x, p->low[x->side]);
    high = number(x, p->high[x->side]);
    inside = ir_binary(x->m, IR_AND, ir_binary(x->m, IR_LE, low, at),
                       ir_binary(x->m, IR_LT, at, high));
    struct ir_stmt *both[] = {assertion(x, inside), NULL};
    switch (p->keeper[x->side]) {
    case KEEP_CLAMP:
        at = ir_binary(x->m, IR_MIN, ir_binary(x->m, IR_MAX, at, low),
                       number(x, p->high[x->side] - 1));
        break;
    case KEEP_LAZY:
        return store(x, x->out, x->at,
                     chosen(x, true, inside, load(x, x->table, at), other));
    case KEEP_ASSERT:
    case KEEP_NOTHING:
    case NKEEPERS: break;
    }
    both[1] = store(x, x->out, x->at, load(x, x->table, at));
    return p->keeper[x->side] == KEEP_ASSERT ? ir_seq(x->m, 2, both) : both[1];
}

/* Whether the expression guards the whole statement. */
static bool guards(const struct plan *p)
{
    return p->place == INTS_IN_BLOCK ||
           (p->place == INTS_IN_GUARD && p->form % 4 == 1);
}

/* The statement of one trip, without what guards it. */
static struct ir_stmt *placed(struct site *x, const struct ix *main,
                              struct ir_stmt **init)
{
    const struct plan *p = x->p;
    struct ir_expr *value = emit(x, main), *arms[2] = {NULL, NULL};
    *init = NULL;
    for (size_t i = 0; i < 2; i++)
        arms[i] = p->arm[i] != NULL ? emit(x, p->arm[i]) : NULL;
    switch (p->place) {
    case INTS_IN_DATA: return store(x, x->out, x->at, cast(x, p->out, value));
    case INTS_IN_SELECT:
    case INTS_IN_LAZY:
        return store(
            x, x->out, x->at,
            chosen(x, p->place == INTS_IN_LAZY, value, arms[0], arms[1]));
    case INTS_IN_IF:
        return condition(x, value, store(x, x->out, x->at, arms[0]),
                         p->form % 2 == 0 ? NULL
                                          : store(x, x->out, x->at, arms[1]));
    case INTS_IN_BLOCK: return store(x, x->out, x->at, arms[0]);
    case INTS_IN_ASSERT: {
        struct ir_stmt *both[] = {assertion(x, value),
                                  store(x, x->out, x->at, arms[0])};
        return ir_seq(x->m, 2, both);
    }
    case INTS_IN_GATHER:
        return store(x, x->out, x->at, load(x, x->table, value));
    case INTS_IN_GUARD:
        if (p->form % 4 == 0)
            return condition(x, value,
                             store(x, x->out, x->at, gathered(x, p->address)),
                             NULL);
        if (p->form % 4 == 1)
            return store(x, x->out, x->at, gathered(x, p->address));
        return store(x, x->out, x->at,
                     chosen(x, true, value, gathered(x, p->address), arms[1]));
    case INTS_IN_SCATTER: return store(x, x->out, value, arms[0]);
    case INTS_IN_SLOTTED: return store(x, x->kept, value, arms[0]);
    case INTS_IN_REDUCE: return reduced(x, value, init);
    case INTS_IN_STEP:
        *init = store(x, x->acc, number(x, 0), first_value(x));
        return store(x, x->acc, number(x, 0), cast(x, p->acc[x->side], value));
    case INTS_IN_FACT: return kept_inside(x, main, arms[1]);
    case INTS_IN_EXTENT: return extended(x, value);
    case INTS_IN_STRIDE:
    case INTS_NPLACES: break;
    }
    DC_BUG("no such place");
}

/* The number of the trip that the loop over i (and an outer one) is at. */
static struct ir_expr *trip_of(struct site *x, struct ir_var *i,
                               struct ir_var **outer)
{
    const struct plan *p = x->p;
    struct ir_expr *e = ir_var_ref(x->m, i);
    if (!reduces(p))
        return e;
    if (p->reduction[x->side] == REDUCE_TURNED)
        return ir_binary(x->m, IR_SUB,
                         x->size != NULL ? ir_binary(x->m, IR_SUB,
                                                     ir_var_ref(x->m, x->size),
                                                     ir_int(x->m, p->loop, 1))
                                         : ir_int(x->m, p->loop, p->d->n - 1),
                         e);
    if (p->reduction[x->side] != REDUCE_SPLIT)
        return e;
    *outer = trip_var(x, "o");
    return ir_binary(x->m, IR_ADD,
                     ir_binary(x->m, IR_MUL, ir_var_ref(x->m, *outer),
                               ir_int(x->m, p->loop, p->d->n / 2)),
                     e);
}

/* A block's predicate is about the loops around it; where the body binds
 * something first, the condition stands in the body. */
static void one_loop(struct site *x)
{
    const struct plan *p = x->p;
    struct ir_stmt *body[4], *init;
    struct ir_expr *predicate = NULL;
    size_t nbody = 0;
    struct ir_var *i = trip_var(x, "i"), *v = trip_var(x, "v");
    bool block = p->blocks[x->side];
    struct ir_var *outer = NULL;
    struct ir_expr *trip = trip_of(x, i, &outer);
    at_trip(x, block ? ir_var_ref(x->m, v) : trip);
    const struct ix *main = route_inside(x, body, &nbody);
    struct ir_stmt *s = placed(x, main, &init);
    if (guards(p) && block && nbody == 0) {
        at_trip(x, trip);
        predicate = emit(x, route_inside(x, body, &nbody));
    } else if (guards(p)) {
        s = condition(x, emit(x, main), s, NULL);
    }
    body[nbody++] = s;
    s = sequence(x, nbody, body);
    if (init != NULL && !block) {
        x->items[x->n++] = init;
        init = NULL;
    }
    if (block)
        s = block_of(x, v, trip, predicate, init, s);
    struct ir_expr *n =
        outer != NULL ? ir_int(x->m, p->loop, p->d->n / 2) : trips(x);
    s = loop_of_kind(x, p->kind[x->side], i, n, s);
    if (outer != NULL)
        s = loop_over(x, outer, ir_int(x->m, p->loop, 2), s);
    x->items[x->n++] = s;
}

/* The statement of all trips. */
static void all_lanes(struct site *x)
{
    struct ir_stmt *init, *body[1];
    size_t n = 0;
    struct dtype t = x->p->loop;
    x->lanes = (unsigned)x->p->d->n;
    at_trip(x, ir_ramp(x->m, ir_int(x->m, t, 0), ir_int(x->m, t, 1),
                       number(x, x->lanes)));
    const struct ix *main = route_inside(x, body, &n);
    x->items[x->n++] = placed(x, main, &init);
    x->lanes = 1;
}

static void main_loop(struct site *x)
{
    if (x->p->lanes[x->side]) {
        all_lanes(x);
        return;
    }
    if (reduces(x->p))
        reduce_before(x);
    one_loop(x);
    if (reduces(x->p))
        reduce_after(x);
}

/* SLOTTED: scratch that is filled, written at the addresses and copied out. */
static void fill_slots(struct site *x)
{
    struct ir_var *j = ir_var_make(x->m, "j", DTYPE_INT32);
    x->kept = vector(x, "S", x->p->out, x->p->size);
    x->items[x->n++] = allocation(x, x->kept);
    x->items[x->n++] = loop_over(
        x, j, number(x, x->p->size),
        store(x, x->kept, ir_var_ref(x->m, j), ir_int(x->m, x->p->out, 0)));
}

static void copy_slots(struct site *x)
{
    struct ir_var *j = ir_var_make(x->m, "j", DTYPE_INT32);
    struct ir_expr *at = ir_var_ref(x->m, j);
    x->items[x->n++] = loop_over(x, j, number(x, x->p->size),
                                 store(x, x->out, at, load(x, x->kept, at)));
}

static struct ir_stmt *root_of(struct site *x, struct ir_stmt *body)
{
    struct ir_block *b = ARENA_NEW(x->m->arena, struct ir_block);
    b->name = "root";
    b->predicate = ir_int(x->m, DTYPE_BOOL, 1);
    b->body = body;
    struct ir_stmt *s = ir_stmt_make(x->m, IR_BLOCK);
    s->u.block = b;
    ir_stmt_seal(s);
    return s;
}

/* A function's head; its parameters are added next. */
static struct ir_func *head(struct site *x, const char *name)
{
    static const char *const keys[] = {"tirx.noalias"};
    struct ir_value *noalias = ir_value_bool(x->m, true);
    struct ir_func *f = ARENA_NEW(x->m->arena, struct ir_func);
    if (x->p->d->symbolic)
        x->size = ir_var_make(x->m, "n", x->p->d->size);
    f->kind = IR_FUNC_PRIM;
    f->name = name;
    f->attrs = ir_value_map(x->m, 1, keys, &noalias);
    make_params(x, &f->prim);
    return f;
}

static void body_of(struct site *x, struct ir_func *f)
{
    f->prim.body = sequence(x, x->n, x->items);
    if (x->p->blocks[x->side])
        f->prim.body = root_of(x, f->prim.body);
    if (!ir_module_add(x->m, f))
        DC_BUG("a module has two functions of one name");
}

struct ir_module *plan_write(const struct plan *p, unsigned side)
{
    struct site x = {.p = p, .side = side, .m = ir_module_new(), .lanes = 1};
    x.m->source = "generated";
    struct ir_func *f = head(&x, "main");
    if (p->place == INTS_IN_SLOTTED)
        fill_slots(&x);
    else
        route_before(&x);
    main_loop(&x);
    if (p->place == INTS_IN_SLOTTED)
        copy_slots(&x);
    body_of(&x, f);
    return x.m;
}

/* Parameters of a part: inputs, then what the other part makes, then what this
 * one makes. */
static void set_last(struct site *x, struct ir_prim_func *f, bool first)
{
    if (first) /* in the place of the output */
        f->nparams--;
    if (x->p->route[x->side] == ROUTE_ARRAY) {
        struct ir_param out = f->params[f->nparams - 1];
        f->nparams -= !first;
        add_tensor(x, f, x->kept);
        if (!first)
            f->params[f->nparams++] = out;
    }
}

struct ir_module *plan_write_parts(const struct plan *p, unsigned side)
{
    struct ir_module *m = ir_module_new();
    m->source = "generated";
    bool two = p->route[side] == ROUTE_ARRAY;
    for (unsigned part = two ? 0 : 1; part < 2; part++) {
        struct site x = {.p = p, .side = side, .m = m, .lanes = 1};
        struct ir_func *f = head(&x, part == 0 ? "first" : "second");
        if (two)
            x.kept = trip_vector(&x, "M", p->routed[side]->t);
        set_last(&x, &f->prim, part == 0);
        if (!two)
            route_before(&x);
        if (part == 0)
            store_route(&x);
        else
            main_loop(&x);
        body_of(&x, f);
    }
    return m;
}
