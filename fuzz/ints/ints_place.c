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
#include "fuzz/ints/ints_private.h"

#include <string.h>

enum route {
    ROUTE_NONE,
    ROUTE_ARRAY,
    ROUTE_CELL,
    ROUTE_BIND,
    ROUTE_LET,
    ROUTE_OUTPUT
};

struct plan {
    struct draw *d;
    enum ints_place place;
    struct dtype out, loop;
    const struct ix *main[2]; /* by side */
    const struct ix *arm[2];  /* what a condition chooses from */
    const struct ix *address; /* GUARD: of the table, on both sides */
    int64_t size;             /* of the table, or of what is scattered to */
    bool table, lazy_arm;
    enum route route[2];
    const struct ix *routed[2];
    bool blocks[2];
    unsigned form; /* variants of a place */
    enum ir_expr_kind reducer;
};

/* One side on its way into a module. */
struct site {
    const struct plan *p;
    unsigned side;
    struct ir_module *m;
    struct ir_expr *slots[IX_NSLOTS];
    struct ir_buffer *inputs[IX_MAX_SLOTS];
    struct ir_buffer *table, *out, *kept;
    struct ir_expr *at; /* index of the trip */
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

static struct ir_stmt *loop_over(struct site *x, struct ir_var *var,
                                 struct ir_expr *extent, struct ir_stmt *body)
{
    struct ir_stmt *s = ir_stmt_make(x->m, IR_FOR);
    s->u.loop.var = var;
    s->u.loop.min = ir_int(x->m, var->dtype, 0);
    s->u.loop.extent = extent;
    s->u.loop.kind = IR_FOR_SERIAL;
    s->u.loop.body = body;
    ir_stmt_seal(s);
    return s;
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
                                struct ir_expr *value, int64_t extent,
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
    b->iters[0].dom.min = ir_int(x->m, iter->dtype, 0);
    b->iters[0].dom.extent = ir_int(x->m, iter->dtype, extent);
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
    return ix_emit(x->m, e, x->slots);
}

static struct ir_expr *cast(struct site *x, struct dtype t, struct ir_expr *e)
{
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
        } else if (s->kind != SLOT_LOOP) {
            x->inputs[i] = vector(x, name, s->t, d->n);
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
    int64_t n = scattered                       ? x->p->size
                : x->p->place == INTS_IN_REDUCE ? 1
                                                : d->n;
    x->out = vector(x, "O", x->p->out, n);
    add_tensor(x, f, x->out);
    if (x->p->route[0] == ROUTE_OUTPUT) {
        x->kept = vector(x, "Q", x->p->routed[x->side]->t, d->n);
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
        else if (s->kind == SLOT_ELEMENT)
            x->slots[i] = load(x, x->inputs[i], at);
        else if (s->kind == SLOT_FIXED)
            x->slots[i] = load(x, x->inputs[i], number(x, s->at));
    }
}

/* ---- routes ---------------------------------------------------------------- */

static struct ir_var *trip_var(struct site *x, const char *name)
{
    return ir_var_make(x->m, name, x->p->loop);
}

static struct ir_expr *trips(struct site *x)
{
    return ir_int(x->m, x->p->loop, x->p->d->n);
}

/* What stands before the loop. */
static void route_before(struct site *x)
{
    enum route route = x->p->route[x->side];
    const struct ix *e = x->p->routed[x->side];
    if (route == ROUTE_CELL || route == ROUTE_ARRAY) {
        int64_t n = route == ROUTE_CELL ? 1 : x->p->d->n;
        x->kept = vector(x, "M", e->t, n);
        x->items[x->n++] = allocation(x, x->kept);
    }
    if (route == ROUTE_ARRAY || route == ROUTE_OUTPUT) {
        struct ir_var *v = trip_var(x, "r");
        at_trip(x, ir_var_ref(x->m, v));
        struct ir_stmt *s = store(x, x->kept, x->at, emit(x, e));
        x->items[x->n++] = loop_over(x, v, trips(x), s);
    }
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

/* O[0] with the value of this trip. */
static struct ir_stmt *reduced(struct site *x, struct ir_expr *value,
                               struct ir_stmt **init)
{
    struct ir_expr *zero = number(x, 0);
    struct ir_expr *so_far = load(x, x->out, zero);
    value = cast(x, x->p->out, value);
    *init = store(x, x->out, zero,
                  emit(x, x->p->arm[0])); /* the same on both sides */
    return store(x, x->out, zero,
                 ir_binary(x->m, x->p->reducer, so_far, value));
}

static struct ir_stmt *extended(struct site *x, struct ir_expr *extent)
{
    struct ir_var *j = ir_var_make(x->m, "j", extent->dtype);
    struct ir_expr *at = ir_var_ref(x->m, j);
    return loop_over(x, j, extent, store(x, x->out, at, emit(x, x->p->arm[0])));
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
    case INTS_IN_EXTENT: return extended(x, value);
    case INTS_IN_STRIDE:
    case INTS_NPLACES: break;
    }
    DC_BUG("no such place");
}

/* A block's predicate is about the loops around it; where the body binds
 * something first, the condition stands in the body. */
static void main_loop(struct site *x)
{
    const struct plan *p = x->p;
    struct ir_stmt *body[3], *init;
    struct ir_expr *predicate = NULL;
    size_t n = 0;
    struct ir_var *i = trip_var(x, "i"), *v = trip_var(x, "v");
    bool block = p->blocks[x->side];
    at_trip(x, ir_var_ref(x->m, block ? v : i));
    const struct ix *main = route_inside(x, body, &n);
    struct ir_stmt *s = placed(x, main, &init);
    if (guards(p) && block && n == 0) {
        at_trip(x, ir_var_ref(x->m, i));
        predicate = emit(x, route_inside(x, body, &n));
    } else if (guards(p)) {
        s = condition(x, emit(x, main), s, NULL);
    }
    body[n++] = s;
    s = sequence(x, n, body);
    if (init != NULL && !block) {
        x->items[x->n++] = init;
        init = NULL;
    }
    if (block)
        s = block_of(x, v, ir_var_ref(x->m, i), p->d->n, predicate, init, s);
    x->items[x->n++] = loop_over(x, i, trips(x), s);
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

static struct ir_module *write_side(const struct plan *p, unsigned side)
{
    struct site x = {.p = p, .side = side, .m = ir_module_new()};
    static const char *const keys[] = {"tirx.noalias"};
    struct ir_value *noalias = ir_value_bool(x.m, true);
    struct ir_func *f = ARENA_NEW(x.m->arena, struct ir_func);
    x.m->source = "generated";
    f->kind = IR_FUNC_PRIM;
    f->name = "main";
    f->attrs = ir_value_map(x.m, 1, keys, &noalias);
    make_params(&x, &f->prim);
    if (p->place == INTS_IN_SLOTTED)
        fill_slots(&x);
    else
        route_before(&x);
    main_loop(&x);
    if (p->place == INTS_IN_SLOTTED)
        copy_slots(&x);
    f->prim.body = sequence(&x, x.n, x.items);
    if (p->blocks[side])
        f->prim.body = root_of(&x, f->prim.body);
    if (!ir_module_add(x.m, f))
        DC_BUG("a new module already has a function");
    return x.m;
}

/* ---- planning -------------------------------------------------------------- */

static bool to_truth(struct plan *p)
{
    struct draw *d = p->d;
    struct arena *arena = d->arena;
    struct dtype t = p->main[0]->t;
    static const enum ir_expr_kind ops[] = {IR_EQ, IR_NE, IR_LT,
                                            IR_LE, IR_GT, IR_GE};
    if (dtype_is_bool(t))
        return true;
    enum ir_expr_kind op = ops[gen_below(d->b, DC_ARRAY_LEN(ops))];
    const struct ix *with = gen_chance(d->b, 1, 2) && dtype_is_int(t)
                                ? ix_const(arena, t, draw_constant(d, t))
                                : draw_value(d, t, 0);
    for (size_t i = 0; i < 2; i++)
        p->main[i] = ix_binary(arena, op, p->main[i], with);
    return p->main[0] != NULL && p->main[1] != NULL;
}

/* The value as an index below size, which is chosen here. */
static const struct ix *bounded(struct draw *d, const struct ix *v,
                                unsigned form, int64_t size)
{
    struct arena *arena = d->arena;
    struct dtype t = v->t;
    int64_t most = ints_most(t);
    bool fits = t.bits >= 64 || size <= most;
    const struct ix *n = ix_const(arena, t, size);
    const struct ix *top = ix_const(arena, t, size - 1);
    if (form == 0 || !fits)
        return v;
    switch (form) {
    case 1: return ix_binary(arena, IR_BITAND, v, top);
    case 2: return ix_binary(arena, IR_FLOORMOD, v, n);
    case 3: return ix_binary(arena, IR_MOD, v, n);
    case 4:
        return ix_binary(arena, IR_MIN,
                         ix_binary(arena, IR_MAX, v, ix_const(arena, t, 0)),
                         top);
    default: return ix_binary(arena, IR_MIN, v, top);
    }
}

static int64_t size_for(struct draw *d, struct dtype t)
{
    if (t.bits == 8 && gen_chance(d->b, 1, 2))
        return 256;
    return INT64_C(1) << (1 + gen_below(d->b, 5));
}

static bool to_address(struct plan *p)
{
    struct draw *d = p->d;
    struct arena *arena = d->arena;
    if (dtype_is_bool(p->main[0]->t))
        for (size_t i = 0; i < 2; i++)
            p->main[i] = ix_cast(arena, DTYPE_INT32, p->main[i]);
    struct dtype t = p->main[0]->t;
    if (!dtype_is_int(t))
        return false;
    unsigned form = (unsigned)gen_below(d->b, 6);
    bool first = gen_chance(d->b, 1, 2), whole = gen_chance(d->b, 1, 6);
    bool shift = t.code == DT_INT && t.bits == 8 && gen_chance(d->b, 1, 3);
    p->size = shift ? 256 : size_for(d, t);
    for (size_t i = 0; i < 2; i++) {
        const struct ix *v = p->main[i];
        if (first)
            v = ix_cast(arena, DTYPE_INT32, v);
        v = bounded(d, v, form, p->size);
        if (!whole && !first)
            v = ix_cast(arena, DTYPE_INT32, v);
        if (shift && dtype_equal(v->t, DTYPE_INT32))
            v = ix_binary(arena, IR_ADD, v, ix_const(arena, v->t, 128));
        p->main[i] = v;
    }
    return true;
}

/* A slot of the condition, as an index. */
static bool guard_address(struct plan *p)
{
    struct draw *d = p->d;
    const struct ix *e = p->main[0];
    for (unsigned tries = 0; tries < 12; tries++) {
        const struct ix *node = ix_node(e, (unsigned)gen_below(d->b, e->size));
        if (node->kind == IX_CONST && dtype_is_int(node->t) &&
            node->value >= 1 && node->value <= 256)
            p->size = node->value;
        if (node->kind == IX_SLOT && dtype_is_int(node->t))
            p->address = node;
    }
    if (p->address == NULL)
        return false;
    if (p->size == 0)
        p->size = INT64_C(1) << (2 + gen_below(d->b, 4));
    if (gen_chance(d->b, 1, 4))
        p->address = bounded(d, p->address, 5, p->size);
    p->address = ix_cast(d->arena, DTYPE_INT32, p->address);
    if (gen_chance(d->b, 1, 6))
        p->address = ix_binary(
            d->arena, IR_ADD, p->address,
            ix_const(d->arena, DTYPE_INT32, (int64_t)gen_below(d->b, 17) - 8));
    return true;
}

static void draw_arms(struct plan *p)
{
    struct draw *d = p->d;
    for (size_t i = 0; i < 2; i++)
        p->arm[i] = gen_chance(d->b, 1, 2) || !dtype_is_int(p->out) ||
                            p->place == INTS_IN_REDUCE /* before the loop */
                        ? NULL
                        : draw_value(d, p->out, 0);
    for (size_t i = 0; i < 2; i++)
        if (p->arm[i] == NULL)
            p->arm[i] = ix_const(
                d->arena, p->out,
                dtype_is_bool(p->out) ? (int64_t)i : draw_constant(d, p->out));
}

/* An output is what it is on both sides: the same type there. */
static void draw_route(struct plan *p, unsigned side)
{
    struct draw *d = p->d;
    static const enum route routes[] = {ROUTE_NONE,  ROUTE_NONE, ROUTE_NONE,
                                        ROUTE_ARRAY, ROUTE_CELL, ROUTE_BIND,
                                        ROUTE_LET};
    const struct ix *e = p->main[side];
    enum route route = routes[gen_below(d->b, DC_ARRAY_LEN(routes))];
    const struct ix *node = ix_node(e, (unsigned)gen_below(d->b, e->size));
    if (p->place == INTS_IN_SLOTTED &&
        (route == ROUTE_ARRAY || route == ROUTE_CELL))
        route = ROUTE_BIND;
    if (node->kind == IX_CONST || node->kind == IX_FLOAT)
        route = ROUTE_NONE;
    p->route[side] = route;
    p->routed[side] = node;
}

static void draw_routes(struct plan *p)
{
    struct draw *d = p->d;
    const struct ix *a = d->side[0], *b = d->side[1];
    bool found = false;
    for (unsigned k = 0; k < p->main[0]->size; k++)
        found = found || ix_node(p->main[0], k) == a;
    if (gen_chance(d->b, 1, 10) && p->place != INTS_IN_SLOTTED && found &&
        a->kind != IX_CONST && b->kind != IX_CONST) {
        p->route[0] = p->route[1] = ROUTE_OUTPUT;
        p->routed[0] = a;
        p->routed[1] = b;
        return;
    }
    draw_route(p, 0);
    draw_route(p, 1);
}

static bool draw_place(struct plan *p)
{
    static const enum ints_place places[] = {
        INTS_IN_DATA,    INTS_IN_DATA,    INTS_IN_SELECT, INTS_IN_SELECT,
        INTS_IN_LAZY,    INTS_IN_IF,      INTS_IN_BLOCK,  INTS_IN_ASSERT,
        INTS_IN_GATHER,  INTS_IN_GATHER,  INTS_IN_GUARD,  INTS_IN_GUARD,
        INTS_IN_SCATTER, INTS_IN_SLOTTED, INTS_IN_REDUCE, INTS_IN_EXTENT};
    static const enum ir_expr_kind reducers[] = {
        IR_ADD, IR_ADD, IR_MAX, IR_MIN, IR_MUL, IR_BITAND, IR_BITOR, IR_BITXOR};
    struct draw *d = p->d;
    p->place = places[gen_below(d->b, DC_ARRAY_LEN(places))];
    if (p->place == INTS_IN_EXTENT && !d->indices)
        p->place = INTS_IN_GATHER;
    p->out = p->place == INTS_IN_DATA && gen_chance(d->b, 2, 3) ? p->main[0]->t
                                                                : draw_type(d);
    p->reducer = reducers[gen_below(d->b, DC_ARRAY_LEN(reducers))];
    p->form = (unsigned)gen_below(d->b, 4);
    draw_arms(p);
    switch (p->place) {
    case INTS_IN_SELECT:
    case INTS_IN_LAZY:
    case INTS_IN_IF:
    case INTS_IN_BLOCK:
    case INTS_IN_ASSERT: return to_truth(p);
    case INTS_IN_GUARD: p->table = true; return to_truth(p) && guard_address(p);
    case INTS_IN_GATHER: p->table = true; return to_address(p);
    case INTS_IN_SCATTER:
    case INTS_IN_SLOTTED:
    case INTS_IN_EXTENT: return to_address(p);
    case INTS_IN_REDUCE:
        return dtype_is_int(p->out) && !dtype_is_float(p->main[0]->t);
    case INTS_IN_DATA:
    case INTS_IN_STRIDE:
    case INTS_NPLACES: break;
    }
    return true;
}

/* The loop's type: what its slot has, else int32. */
static void draw_loop(struct plan *p)
{
    const struct draw *d = p->d;
    p->loop = gen_chance(d->b, 1, 8) ? DTYPE_INT64 : DTYPE_INT32;
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_LOOP)
            p->loop = d->slots[i].t;
}

/* Parameters in the order of make_params. */
static void set_roles(const struct plan *p, struct ints_pair *pair)
{
    const struct draw *d = p->d;
    size_t n = 0;
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_LOOP)
            pair->numbered = true;
        else
            pair->roles[n++] = d->slots[i].kind == SLOT_ELEMENT
                                   ? INTS_ROLE_ELEMENT
                                   : INTS_ROLE_ONE;
    pair->pointwise = p->place != INTS_IN_SCATTER &&
                      p->place != INTS_IN_SLOTTED &&
                      p->place != INTS_IN_REDUCE && p->place != INTS_IN_EXTENT;
}

bool place_pair(struct draw *d, struct ints_pair *pair)
{
    struct plan p = {.d = d, .main = {d->side[0], d->side[1]}};
    if (!draw_place(&p))
        return false;
    draw_routes(&p);
    draw_loop(&p);
    p.blocks[0] = p.place == INTS_IN_BLOCK || gen_chance(d->b, 1, 5);
    p.blocks[1] = gen_chance(d->b, 1, 8) ? !p.blocks[0] : p.blocks[0];
    pair->class = d->class;
    pair->place = p.place;
    set_roles(&p, pair);
    pair->memory = false;
    for (size_t i = 0; i < 2; i++)
        pair->memory = pair->memory || p.route[i] == ROUTE_ARRAY ||
                       p.route[i] == ROUTE_CELL || p.route[i] == ROUTE_OUTPUT;
    struct buf text = {0};
    buf_printf(&text, "%s; ", d->about);
    ix_put(p.main[0], &text);
    buf_puts(&text, " = ");
    ix_put(p.main[1], &text);
    pair->about = arena_strdup(d->arena, buf_text(&text));
    buf_fini(&text);
    pair->untuned = write_side(&p, 0);
    pair->tuned = write_side(&p, 1);
    return true;
}
