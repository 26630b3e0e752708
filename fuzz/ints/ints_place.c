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
#include "fuzz/ints/ints_site.h"

#include <string.h>

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
    return site_grid_load(x, x->table, site_emit(x, address));
}

static struct ir_stmt *extended(struct site *x, struct ir_expr *extent)
{
    struct ir_var *j = ir_var_make(x->m, "j", extent->dtype);
    struct ir_expr *at = ir_var_ref(x->m, j);
    return site_loop(x, j, extent,
                     site_store(x, x->out, at, site_emit(x, x->p->arm[0])));
}

/* O[i] = G[main], with what keeps the address inside. */
static struct ir_stmt *kept_inside(struct site *x, const struct ix *main,
                                   struct ir_expr *other)
{
    const struct plan *p = x->p;
    struct ir_expr *at = site_emit(x, main), *low, *high, *inside;
    low = site_number(x, p->low[x->side]);
    high = site_number(x, p->high[x->side]);
    inside = ir_binary(x->m, IR_AND, ir_binary(x->m, IR_LE, low, at),
                       ir_binary(x->m, IR_LT, at, high));
    struct ir_stmt *both[] = {site_assertion(x, inside), NULL};
    switch (p->keeper[x->side]) {
    case KEEP_CLAMP:
        at = ir_binary(x->m, IR_MIN, ir_binary(x->m, IR_MAX, at, low),
                       site_number(x, p->high[x->side] - 1));
        break;
    case KEEP_LAZY:
        return site_store(
            x, x->out, x->at,
            chosen(x, true, inside, site_grid_load(x, x->table, at), other));
    case KEEP_ASSERT:
    case KEEP_NOTHING:
    case NKEEPERS: break;
    }
    both[1] = site_store(x, x->out, x->at, site_grid_load(x, x->table, at));
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
    struct ir_expr *value = site_emit(x, main), *arms[2] = {NULL, NULL};
    *init = NULL;
    for (size_t i = 0; i < 2; i++)
        arms[i] = p->arm[i] != NULL ? site_emit(x, p->arm[i]) : NULL;
    switch (p->place) {
    case INTS_IN_DATA:
        return site_store(x, x->out, x->at, site_cast(x, p->out, value));
    case INTS_IN_SELECT:
    case INTS_IN_LAZY:
        return site_store(
            x, x->out, x->at,
            chosen(x, p->place == INTS_IN_LAZY, value, arms[0], arms[1]));
    case INTS_IN_IF:
        return site_condition(
            x, value, site_store(x, x->out, x->at, arms[0]),
            p->form % 2 == 0 ? NULL : site_store(x, x->out, x->at, arms[1]));
    case INTS_IN_BLOCK: return site_store(x, x->out, x->at, arms[0]);
    case INTS_IN_ASSERT: {
        struct ir_stmt *both[] = {site_assertion(x, value),
                                  site_store(x, x->out, x->at, arms[0])};
        return ir_seq(x->m, 2, both);
    }
    case INTS_IN_GATHER:
        return site_store(x, x->out, x->at, site_grid_load(x, x->table, value));
    case INTS_IN_GUARD:
        if (p->form % 4 == 0)
            return site_condition(
                x, value, site_store(x, x->out, x->at, gathered(x, p->address)),
                NULL);
        if (p->form % 4 == 1)
            return site_store(x, x->out, x->at, gathered(x, p->address));
        return site_store(
            x, x->out, x->at,
            chosen(x, true, value, gathered(x, p->address), arms[1]));
    case INTS_IN_SCATTER: return site_grid_store(x, x->out, value, arms[0]);
    case INTS_IN_SLOTTED: return site_grid_store(x, x->kept, value, arms[0]);
    case INTS_IN_REDUCE:
    case INTS_IN_STEP: return site_reduced(x, value, init);
    case INTS_IN_FACT: return kept_inside(x, main, arms[1]);
    case INTS_IN_EXTENT: return extended(x, value);
    case INTS_IN_STRIDE:
    case INTS_NPLACES: break;
    }
    DC_BUG("no such place");
}

/* A block's predicate is about the loops around it; where the body binds
 * something first, the condition stands in the body. */
static void one_loop(struct site *x)
{
    const struct plan *p = x->p;
    struct ir_stmt *body[4], *init;
    struct ir_expr *predicate = NULL;
    size_t nbody = 0;
    struct ir_var *i = site_trip_var(x, "i"), *v = site_trip_var(x, "v");
    bool block = p->blocks[x->side];
    struct ir_var *outer;
    struct ir_expr *trip = site_trip_of(x, i, &outer);
    site_at_trip(x, block ? ir_var_ref(x->m, v) : trip);
    const struct ix *main = site_route_inside(x, body, &nbody);
    struct ir_stmt *s = placed(x, main, &init);
    if (guards(p) && block && nbody == 0) {
        site_at_trip(x, trip);
        predicate = site_emit(x, site_route_inside(x, body, &nbody));
    } else if (guards(p)) {
        s = site_condition(x, site_emit(x, main), s, NULL);
    }
    body[nbody++] = s;
    s = site_sequence(x, nbody, body);
    if (init != NULL && !block) {
        x->items[x->n++] = init;
        init = NULL;
    }
    if (block)
        s = site_block(x, v, trip, predicate, init, s);
    s = site_loop_of(x, p->kind[x->side], i, site_extent(x), s);
    if (outer != NULL)
        s = site_loop(x, outer, ir_int(x->m, p->loop, 2), s);
    x->items[x->n++] = s;
}

/* The statement of all trips. */
static void all_lanes(struct site *x)
{
    struct ir_stmt *init, *body[1];
    size_t n = 0;
    struct dtype t = x->p->loop;
    x->lanes = (unsigned)x->p->d->n;
    site_at_trip(x, ir_ramp(x->m, ir_int(x->m, t, 0), ir_int(x->m, t, 1),
                            site_number(x, x->lanes)));
    const struct ix *main = site_route_inside(x, body, &n);
    x->items[x->n++] = placed(x, main, &init);
    x->lanes = 1;
}

static void main_loop(struct site *x)
{
    if (x->p->lanes[x->side]) {
        all_lanes(x);
        return;
    }
    if (plan_reduces(x->p))
        site_reduce_before(x);
    one_loop(x);
    if (plan_reduces(x->p))
        site_reduce_after(x);
}

/* SLOTTED: scratch that is filled, written at the addresses and copied out. */
static void fill_slots(struct site *x)
{
    struct ir_var *j = ir_var_make(x->m, "j", DTYPE_INT32);
    x->kept = site_grid(x, "S", x->p->out, x->p->size);
    x->items[x->n++] = site_allocation(x, x->kept);
    x->items[x->n++] =
        site_loop(x, j, site_number(x, x->p->size),
                  site_grid_store(x, x->kept, ir_var_ref(x->m, j),
                                  ir_int(x->m, x->p->out, 0)));
}

static void copy_slots(struct site *x)
{
    struct ir_var *j = ir_var_make(x->m, "j", DTYPE_INT32);
    struct ir_expr *at = ir_var_ref(x->m, j);
    x->items[x->n++] =
        site_loop(x, j, site_number(x, x->p->size),
                  site_store(x, x->out, at, site_grid_load(x, x->kept, at)));
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
    site_make_params(x, &f->prim);
    return f;
}

static void body_of(struct site *x, struct ir_func *f)
{
    f->prim.body = site_sequence(x, x->n, x->items);
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
        site_route_before(&x);
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
        site_add_tensor(x, f, x->kept);
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
            x.kept = site_trip_vector(&x, "M", p->routed[side]->t);
        set_last(&x, &f->prim, part == 0);
        if (!two)
            site_route_before(&x);
        if (part == 0)
            site_store_route(&x);
        else
            main_loop(&x);
        body_of(&x, f);
    }
    return m;
}
