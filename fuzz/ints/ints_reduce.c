/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions and recurrences of a side: what they begin with, which terms they
 * take in which order, into how many accumulators, and what becomes of the
 * result.
 */
#include "fuzz/ints/ints_site.h"

#include <math.h>

/* ---- beginnings ------------------------------------------------------------ */

/* x with unit is x; of floats, but for NaN and the signs of zeros. */
static struct ir_expr *unit_of(struct site *x, struct dtype t)
{
    enum ir_expr_kind op = x->p->reducer;
    bool is_max = op == IR_MAX;
    if (dtype_is_float(t))
        return ir_float(x->m, t,
                        op == IR_MUL ? 1
                        : op == IR_MIN || op == IR_MAX
                            ? (is_max ? -(double)INFINITY : (double)INFINITY)
                            : 0);
    switch ((int)op) {
    case IR_AND:
    case IR_MUL: return ir_int(x->m, t, 1);
    case IR_MIN: return ir_int(x->m, t, ints_most(t));
    case IR_MAX: return ir_int(x->m, t, ints_least(t));
    case IR_BITAND:
        return ir_int(x->m, t, t.code == DT_INT ? -1 : ints_most(t));
    default: return ir_int(x->m, t, 0);
    }
}

/* The finite value that is nearest to the unit. */
static struct ir_expr *finite_unit(struct site *x, struct dtype t)
{
    double most = t.code == DT_BFLOAT ? 0x1.fep127
                  : t.bits == 16      ? 65504
                  : t.bits == 32      ? 0x1.fffffep127
                                      : 0x1.fffffffffffffp1023;
    if (!dtype_is_float(t) ||
        (x->p->reducer != IR_MAX && x->p->reducer != IR_MIN))
        return unit_of(x, t);
    return ir_float(x->m, t, x->p->reducer == IR_MAX ? -most : most);
}

/* The term of trip 0. */
static struct ir_expr *first_term(struct site *x, struct dtype t)
{
    struct ir_expr *here = x->at;
    site_at_trip(x, ir_int(x->m, x->p->loop, 0));
    struct ir_expr *e = site_emit(x, x->p->main[x->side]);
    site_at_trip(x, here);
    return site_cast(x, t, e);
}

static struct ir_stmt *begins(struct site *x)
{
    struct dtype t = x->p->acc[x->side];
    struct ir_expr *e = NULL;
    switch (x->p->begin[x->side]) {
    case BEGIN_ARM: /* the same on both sides */
        e = site_cast(x, t, site_emit(x, x->p->arm[0]));
        break;
    case BEGIN_UNIT: e = unit_of(x, t); break;
    case BEGIN_FINITE: e = finite_unit(x, t); break;
    case BEGIN_FIRST:
    case NBEGINNINGS: e = first_term(x, t); break;
    }
    return site_store(x, x->acc, site_number(x, 0), e);
}

/* ---- terms ----------------------------------------------------------------- */

/* The accumulator of this trip. */
static struct ir_expr *acc_index(struct site *x)
{
    if (x->p->reduction[x->side] != REDUCE_TWO)
        return site_number(x, 0);
    struct ir_expr *two = ir_int(x->m, x->at->dtype, 2);
    return site_cast(x, DTYPE_INT32, ir_binary(x->m, IR_FLOORMOD, x->at, two));
}

struct ir_stmt *site_reduced(struct site *x, struct ir_expr *value,
                             struct ir_stmt **init)
{
    struct ir_expr *at = acc_index(x), *acc = site_load(x, x->acc, at);
    *init = begins(x);
    if (x->p->place == INTS_IN_STEP) /* the whole step */
        return site_store(x, x->acc, at,
                          site_cast(x, x->p->acc[x->side], value));
    value = site_cast(x, x->p->acc[x->side], value);
    bool swapped = x->p->swapped[x->side];
    return site_store(x, x->acc, at,
                      ir_binary(x->m, x->p->reducer, swapped ? value : acc,
                                swapped ? acc : value));
}

static struct ir_expr *less_one(struct site *x)
{
    struct dtype t = x->p->loop;
    if (x->size == NULL)
        return ir_int(x->m, t, x->p->d->n - 1);
    return ir_binary(x->m, IR_SUB, ir_var_ref(x->m, x->size),
                     ir_int(x->m, t, 1));
}

struct ir_expr *site_trip_of(struct site *x, struct ir_var *i,
                             struct ir_var **outer)
{
    const struct plan *p = x->p;
    struct ir_expr *e = ir_var_ref(x->m, i);
    *outer = NULL;
    if (!plan_reduces(p))
        return e;
    switch (p->reduction[x->side]) {
    case REDUCE_TURNED: return ir_binary(x->m, IR_SUB, less_one(x), e);
    case REDUCE_SPLIT:
        *outer = site_trip_var(x, "o");
        return ir_binary(x->m, IR_ADD,
                         ir_binary(x->m, IR_MUL, ir_var_ref(x->m, *outer),
                                   ir_int(x->m, p->loop, p->d->n / 2)),
                         e);
    case REDUCE_TWICE: *outer = site_trip_var(x, "o"); return e;
    case REDUCE_CLAMPED: return ir_binary(x->m, IR_MIN, e, less_one(x));
    case REDUCE_LATE:
        return ir_binary(x->m, IR_ADD, e, ir_int(x->m, p->loop, 1));
    case REDUCE_OUTPUT:
    case REDUCE_SCRATCH:
    case REDUCE_SHORT:
    case REDUCE_TWO:
    case NREDUCTIONS: break;
    }
    return e;
}

struct ir_expr *site_extent(struct site *x)
{
    const struct plan *p = x->p;
    if (!plan_reduces(p))
        return site_trips(x);
    switch (p->reduction[x->side]) {
    case REDUCE_SPLIT: return ir_int(x->m, p->loop, p->d->n / 2);
    case REDUCE_SHORT:
    case REDUCE_LATE: return less_one(x);
    case REDUCE_CLAMPED:
        return x->size == NULL
                   ? ir_int(x->m, p->loop, p->d->n + 1)
                   : ir_binary(x->m, IR_ADD, ir_var_ref(x->m, x->size),
                               ir_int(x->m, p->loop, 1));
    case REDUCE_OUTPUT:
    case REDUCE_SCRATCH:
    case REDUCE_TURNED:
    case REDUCE_TWICE:
    case REDUCE_TWO:
    case NREDUCTIONS: break;
    }
    return site_trips(x);
}

/* ---- before and after ------------------------------------------------------ */

void site_reduce_before(struct site *x)
{
    enum reduction r = x->p->reduction[x->side];
    struct dtype t = x->p->acc[x->side];
    x->acc = x->out;
    if (r == REDUCE_OUTPUT)
        return;
    x->acc = site_vector(x, "R", t, r == REDUCE_TWO ? 2 : 1);
    x->items[x->n++] = site_allocation(x, x->acc);
    if (r == REDUCE_TWO)
        x->items[x->n++] =
            site_store(x, x->acc, site_number(x, 1), unit_of(x, t));
}

void site_reduce_after(struct site *x)
{
    const struct plan *p = x->p;
    enum reduction r = p->reduction[x->side];
    struct ir_expr *zero = site_number(x, 0);
    if (r == REDUCE_OUTPUT)
        return;
    struct ir_expr *v = site_load(x, x->acc, zero);
    if (r == REDUCE_TWO)
        v = ir_binary(x->m, p->reducer, v,
                      site_load(x, x->acc, site_number(x, 1)));
    v = site_cast(x, p->out, v);
    if (p->after != NULL) {
        x->slots[IX_ROUTE_SLOT] = v;
        v = site_emit(x, p->after);
        if (p->table)
            v = site_grid_load(x, x->table, v);
    }
    x->items[x->n++] = site_store(x, x->out, zero, v);
}
