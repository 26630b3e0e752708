/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a pair's expressions stand, what goes through storage on the way, how
 * the loop runs and how a reduction takes its terms: drawn here, all but what
 * differs between the sides the same for both.
 */
#include "fuzz/ints/ints_plan.h"

bool plan_reduces(const struct plan *p)
{
    return p->place == INTS_IN_REDUCE || p->place == INTS_IN_STEP;
}

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
        p->arm[i] = gen_chance(d->b, 1, 2) || dtype_is_bool(p->out) ||
                            plan_reduces(p) /* before the loop */
                        ? NULL
                        : draw_value(d, p->out, 0);
    for (size_t i = 0; i < 2; i++)
        if (p->arm[i] == NULL && dtype_is_float(p->out))
            p->arm[i] = ix_cast(d->arena, p->out,
                                ix_const(d->arena, DTYPE_VOID,
                                         (int64_t)gen_below(d->b, 9) - 4));
        else if (p->arm[i] == NULL)
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
    enum route route = d->calls && gen_chance(d->b, 1, 2)
                           ? ROUTE_ARRAY
                           : routes[gen_below(d->b, DC_ARRAY_LEN(routes))];
    const struct ix *node = ix_node(e, (unsigned)gen_below(d->b, e->size));
    if (p->place == INTS_IN_SLOTTED &&
        (route == ROUTE_ARRAY || route == ROUTE_CELL))
        route = ROUTE_BIND;
    if (p->place == INTS_IN_STEP && route == ROUTE_ARRAY)
        route = ROUTE_CELL;
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
    if (gen_chance(d->b, 1, 10) && p->place != INTS_IN_SLOTTED &&
        p->place != INTS_IN_STEP && found && a->kind != IX_CONST &&
        b->kind != IX_CONST) {
        p->route[0] = p->route[1] = ROUTE_OUTPUT;
        p->routed[0] = a;
        p->routed[1] = b;
        return;
    }
    draw_route(p, 0);
    draw_route(p, 1);
}

/* What is done with the result of a reduction. */
static void draw_after(struct plan *p)
{
    struct draw *d = p->d;
    struct arena *arena = d->arena;
    const struct ix *v = ix_slot(arena, p->out, IX_ROUTE_SLOT);
    if (gen_chance(d->b, 1, 2)) {
        const struct ix *c =
            ix_binary(arena, gen_chance(d->b, 1, 2) ? IR_LT : IR_EQ, v,
                      ix_const(arena, p->out, draw_constant(d, p->out)));
        p->after =
            ix_choose(arena, gen_chance(d->b, 1, 2) ? IX_SELECT : IX_LAZY, c,
                      ix_const(arena, p->out, 1), ix_const(arena, p->out, 2));
        return;
    }
    p->table = true;
    p->size = size_for(d, p->out);
    p->after = ix_cast(arena, DTYPE_INT32,
                       bounded(d, v, (unsigned)gen_below(d->b, 6), p->size));
}

/* The type of the result, and by what terms are combined. */
static void draw_reducer(struct plan *p)
{
    static const enum ir_expr_kind on_ints[] = {
        IR_ADD, IR_ADD,    IR_ADD,   IR_MAX,    IR_MAX,
        IR_MIN, IR_BITAND, IR_BITOR, IR_BITXOR, IR_MUL};
    static const enum ir_expr_kind on_floats[] = {IR_MAX, IR_MAX, IR_MIN,
                                                  IR_MIN, IR_ADD, IR_MUL};
    static const enum ir_expr_kind on_truths[] = {IR_AND, IR_OR};
    struct draw *d = p->d;
    struct dtype t = p->main[0]->t;
    if (dtype_is_float(t)) {
        p->out = t;
        p->reducer = on_floats[gen_below(d->b, DC_ARRAY_LEN(on_floats))];
    } else if (dtype_is_bool(t) && gen_chance(d->b, 2, 3)) {
        p->out = t;
        p->reducer = on_truths[gen_below(d->b, 2)];
    } else {
        p->reducer = on_ints[gen_below(d->b, DC_ARRAY_LEN(on_ints))];
    }
}

static struct dtype other_acc(struct draw *d, struct dtype t)
{
    static const struct {
        enum dtype_code code;
        unsigned bits;
    } floats[] = {
        {DT_FLOAT, 16}, {DT_FLOAT, 32}, {DT_FLOAT, 64}, {DT_BFLOAT, 16}};
    size_t k = gen_below(d->b, DC_ARRAY_LEN(floats));
    if (dtype_is_float(t))
        return dtype_make(floats[k].code, floats[k].bits, 1);
    return dtype_is_bool(t) ? t : draw_type(d);
}

/* A term that needs no number of its trip: it can stand before the loop. */
static bool is_free(const struct plan *p, unsigned side)
{
    const struct draw *d = p->d;
    unsigned set = ix_slots(p->main[side]);
    for (size_t i = 0; i < d->nslots; i++)
        if ((set >> i & 1) != 0 && d->slots[i].kind == SLOT_LOOP)
            return false;
    return true;
}

static enum beginning draw_beginning(const struct plan *p, unsigned side)
{
    struct draw *d = p->d;
    enum beginning b = (enum beginning)gen_below(d->b, NBEGINNINGS);
    return b == BEGIN_FIRST && !is_free(p, side) ? BEGIN_UNIT : b;
}

/* Where terms that come twice make no difference, or a first one stands before
 * the others, the sides may differ in that. */
static void draw_reduction(struct plan *p, unsigned side, bool used)
{
    struct draw *d = p->d;
    enum reduction r = gen_chance(d->b, 1, 2)
                           ? REDUCE_OUTPUT
                           : (enum reduction)gen_below(d->b, NREDUCTIONS);
    if (used && r == REDUCE_OUTPUT)
        r = REDUCE_SCRATCH;
    if (r == REDUCE_SPLIT && (d->n % 2 != 0 || d->symbolic))
        r = REDUCE_SCRATCH;
    p->reduction[side] = r;
    p->acc[side] = p->out;
    if (r != REDUCE_OUTPUT && gen_chance(d->b, 1, dtype_is_int(p->out) ? 3 : 8))
        p->acc[side] = other_acc(d, p->out);
    p->begin[side] = side == 0 || gen_chance(d->b, 1, 3)
                         ? draw_beginning(p, side)
                         : p->begin[0];
    if (p->begin[side] == BEGIN_FIRST && !is_free(p, side))
        p->begin[side] = BEGIN_ARM;
    p->swapped[side] = side == 0 || gen_chance(d->b, 1, 4)
                           ? gen_chance(d->b, 1, 4)
                           : p->swapped[0];
}

static void draw_reductions(struct plan *p)
{
    struct draw *d = p->d;
    draw_reducer(p);
    bool used = dtype_is_int(p->out) && gen_chance(d->b, 1, 3);
    draw_reduction(p, 0, used);
    draw_reduction(p, 1, used);
    if (gen_chance(d->b, 1, 3)) { /* the same terms in the same order */
        p->reduction[1] = p->reduction[0];
        p->acc[1] = p->acc[0];
    }
    if (used)
        draw_after(p);
}

/* The same table at the same address, kept inside in two ways: what the untuned
 * side would fault on need not be kept out by the tuned one. */
static bool draw_fact(struct plan *p)
{
    struct draw *d = p->d;
    p->table = true;
    if (dtype_is_bool(p->main[0]->t) || !dtype_is_int(p->main[0]->t))
        return false;
    p->size = INT64_C(1) << (1 + gen_below(d->b, 6));
    for (size_t i = 0; i < 2; i++) {
        p->main[i] = ix_cast(d->arena, DTYPE_INT32, p->main[i]);
        p->keeper[i] = (enum keeper)gen_below(d->b, NKEEPERS);
        p->low[i] =
            gen_chance(d->b, 4, 5) ? 0 : (int64_t)gen_below(d->b, 3) - 1;
        p->high[i] = p->size;
        if (gen_chance(d->b, 1, 5))
            p->high[i] += (int64_t)gen_below(d->b, 3) - 1;
    }
    return true;
}

static const struct slot *find_slot(const struct draw *d, enum slot_kind kind)
{
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == kind)
            return &d->slots[i];
    return NULL;
}

/* Whether each trip stores to its own element of the output. */
static bool is_trip_output(const struct plan *p)
{
    return p->place != INTS_IN_SCATTER && p->place != INTS_IN_EXTENT &&
           p->place != INTS_IN_SLOTTED && !plan_reduces(p);
}

/* The expressions are what a recurrence does in one trip. */
static bool draw_step(struct plan *p)
{
    struct draw *d = p->d;
    for (size_t i = 0; i < 2; i++)
        p->reduction[i] =
            gen_chance(d->b, 1, 10) ? REDUCE_TURNED : REDUCE_SCRATCH;
    if (gen_chance(d->b, 1, 2))
        draw_after(p);
    return true;
}

static bool may_be_float(const struct plan *p)
{
    return p->place == INTS_IN_SELECT || p->place == INTS_IN_LAZY ||
           p->place == INTS_IN_GATHER || p->place == INTS_IN_GUARD ||
           p->place == INTS_IN_FACT;
}

/* Storage at addresses that are data in rows. */
static void draw_grids(struct plan *p)
{
    struct draw *d = p->d;
    if (p->size % GRID_ROW != 0 || p->size == 0 || d->calls || p->lanes[0] ||
        p->lanes[1] || !gen_chance(d->b, 1, 3))
        return;
    p->grid[0] = (enum grid)gen_below(d->b, NGRIDS);
    p->grid[1] = (enum grid)gen_below(d->b, NGRIDS);
    /* a parameter has one shape, mostly */
    if (p->place != INTS_IN_SLOTTED && gen_chance(d->b, 5, 6) &&
        (p->grid[0] == GRID_NONE) != (p->grid[1] == GRID_NONE))
        p->grid[1] = p->grid[0];
}

static bool draw_place(struct plan *p)
{
    static const enum ints_place places[] = {
        INTS_IN_DATA,    INTS_IN_DATA,   INTS_IN_SELECT,  INTS_IN_SELECT,
        INTS_IN_LAZY,    INTS_IN_IF,     INTS_IN_BLOCK,   INTS_IN_ASSERT,
        INTS_IN_GATHER,  INTS_IN_GATHER, INTS_IN_GUARD,   INTS_IN_GUARD,
        INTS_IN_FACT,    INTS_IN_FACT,   INTS_IN_SCATTER, INTS_IN_SLOTTED,
        INTS_IN_REDUCE,  INTS_IN_REDUCE, INTS_IN_REDUCE,  INTS_IN_SCATTER,
        INTS_IN_SLOTTED, INTS_IN_EXTENT};
    struct draw *d = p->d;
    p->place = places[gen_below(d->b, d->calls ? 12 : DC_ARRAY_LEN(places))];
    if (p->place == INTS_IN_EXTENT && !d->indices)
        p->place = INTS_IN_GATHER;
    const struct slot *state = find_slot(d, SLOT_STATE);
    if (state != NULL) {
        p->place = INTS_IN_STEP;
        p->acc[0] = p->acc[1] = state->t;
    }
    const struct slot *own = find_slot(d, SLOT_OUTPUT);
    if (own != NULL &&
        (!is_trip_output(p) || (p->place == INTS_IN_STEP && state != NULL)))
        return false;
    p->out = p->place == INTS_IN_DATA && gen_chance(d->b, 2, 3) ? p->main[0]->t
                                                                : draw_type(d);
    if (own != NULL)
        p->out = own->t;
    else if (may_be_float(p) && gen_chance(d->b, 1, 6))
        p->out = d->names.types[gen_chance(d->b, 2, 3) ? 'F' - 'A' : 'H' - 'A'];
    p->form = (unsigned)gen_below(d->b, 4);
    if (p->place == INTS_IN_REDUCE)
        draw_reductions(p);
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
    case INTS_IN_FACT: return draw_fact(p);
    case INTS_IN_STEP: return draw_step(p);
    case INTS_IN_DATA:
    case INTS_IN_REDUCE:
    case INTS_IN_STRIDE:
    case INTS_NPLACES: break;
    }
    return true;
}

/* How the loop runs, and the domain that blocks declare: it never changes what
 * is executed, but for the trip at which an init stands (R1). */
static void draw_kinds(struct plan *p)
{
    static const enum ir_for_kind kinds[] = {IR_FOR_PARALLEL, IR_FOR_VECTORIZED,
                                             IR_FOR_UNROLLED, IR_FOR_THREAD};
    struct draw *d = p->d;
    p->first = 0;
    p->extent = d->n;
    if (!d->symbolic && gen_chance(d->b, 1, 8)) {
        p->extent = 1 + (int64_t)gen_below(d->b, (uint64_t)d->n + 3);
        p->first = (int64_t)gen_below(d->b, 3) / 2;
    }
    if (plan_reduces(p) || d->calls || !gen_chance(d->b, 1, 6))
        return;
    p->kind[1] = kinds[gen_below(d->b, d->symbolic ? 1 : DC_ARRAY_LEN(kinds))];
    if (gen_chance(d->b, 1, 4))
        p->kind[0] = p->kind[1];
}

static bool may_be_lanes(const struct plan *p, unsigned side)
{
    bool place = p->place == INTS_IN_DATA || p->place == INTS_IN_SELECT ||
                 p->place == INTS_IN_GATHER || p->place == INTS_IN_SCATTER;
    return place && p->d->n > 1 && !p->d->calls && !p->d->symbolic &&
           p->kind[side] == IR_FOR_SERIAL && !ix_needs_loop(p->main[side]) &&
           !ix_needs_loop(p->arm[0]) && !ix_needs_loop(p->arm[1]) &&
           (p->route[side] == ROUTE_NONE || p->route[side] == ROUTE_LET);
}

/* Vectors instead of a loop. */
static void draw_lanes(struct plan *p)
{
    struct draw *d = p->d;
    if (!gen_chance(d->b, 1, 6))
        return;
    p->lanes[1] = may_be_lanes(p, 1);
    p->lanes[0] = gen_chance(d->b, 1, 4) && may_be_lanes(p, 0);
}

/* The loop's type: what its slot has, else int32. */
static void draw_loop(struct plan *p)
{
    const struct draw *d = p->d;
    p->loop = gen_chance(d->b, 1, 8) ? DTYPE_INT64 : DTYPE_INT32;
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_LOOP)
            p->loop = d->slots[i].t;
    if (d->symbolic)
        p->loop = d->size;
}

/* Parameters in the order of make_params. */
static void set_roles(const struct plan *p, struct ints_pair *pair)
{
    const struct draw *d = p->d;
    size_t n = 0;
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_LOOP)
            pair->numbered = true;
        else if (d->slots[i].kind != SLOT_STATE &&
                 d->slots[i].kind != SLOT_SIZE &&
                 d->slots[i].kind != SLOT_OUTPUT)
            pair->roles[n++] =
                d->slots[i].kind == SLOT_ELEMENT ? INTS_ROLE_ELEMENT
                : d->slots[i].kind == SLOT_TABLE ? INTS_ROLE_TABLE
                                                 : INTS_ROLE_ONE;
    const struct slot *own = find_slot(d, SLOT_OUTPUT);
    if (own != NULL)
        pair->roles[n + p->table] = INTS_ROLE_ELEMENT;
    pair->symbolic = d->symbolic;
    pair->pointwise = (own == NULL || own->at < 0) &&
                      p->place != INTS_IN_SCATTER &&
                      p->place != INTS_IN_SLOTTED && !plan_reduces(p) &&
                      p->place != INTS_IN_EXTENT;
}

/* A symbol is that of some parameter's shape. */
static bool has_symbol(const struct plan *p)
{
    const struct draw *d = p->d;
    bool found = is_trip_output(p);
    for (size_t i = 0; i < d->nslots; i++)
        found = found || d->slots[i].kind == SLOT_ELEMENT ||
                d->slots[i].kind == SLOT_FIXED;
    return found;
}

bool place_pair(struct draw *d, struct ints_pair *pair)
{
    struct plan p = {.d = d, .main = {d->side[0], d->side[1]}};
    d->state = d->in_place = false; /* no more */
    if (!draw_place(&p))
        return false;
    if (d->symbolic && !has_symbol(&p))
        return false;
    draw_kinds(&p);
    draw_routes(&p);
    draw_loop(&p);
    draw_lanes(&p);
    if (p.place != INTS_IN_EXTENT)
        draw_grids(&p);
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
    pair->untuned = plan_write(&p, 0);
    pair->tuned = plan_write(&p, 1);
    if (d->calls) {
        pair->relax[0] = plan_write_relax(&p, 0);
        pair->relax[1] = plan_write_relax(&p, 1);
    }
    return true;
}
