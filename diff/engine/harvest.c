/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that the two modules hold against data: what they compare with, clip
 * to, divide by, mask and shift with, the ends of the types they convert to,
 * the extents that data index; and where data are scaled or moved before they
 * are compared, the datum at which they meet the bound. A condition that
 * differs at one value, or just beyond one, is seen by an input that holds this
 * value, and by few others.
 *
 * Whether an expression depends on data is read off its loads and the
 * variables bound to such expressions; to take too much for data costs a
 * number more to try.
 */
#include "diff/engine/engine.h"

#include <math.h>
#include <string.h>

/* Larger expressions are not searched: data. */
#define MAX_SIZE 1000u

struct harvest {
    const struct ir_module *module;
    struct diff_numbers *out;
    bool *data; /* by variable: bound to what depends on data */
};

static void add_int(struct diff_numbers *n, int64_t value)
{
    for (size_t i = 0; i < n->nints; i++)
        if (n->ints[i] == value)
            return;
    if (n->nints < DC_ARRAY_LEN(n->ints))
        n->ints[n->nints++] = value;
}

static void add_float(struct diff_numbers *n, double value)
{
    if (isnan(value) || isinf(value))
        return;
    for (size_t i = 0; i < n->nfloats; i++)
        if (n->floats[i] == value)
            return;
    if (n->nfloats < DC_ARRAY_LEN(n->floats))
        n->floats[n->nfloats++] = value;
}

/* Sizes, strides, steps and bounds: where terms and elements begin and end;
 * first what is compared with. */
static void add_place(struct diff_numbers *n, int64_t value, bool first)
{
    const size_t most = DC_ARRAY_LEN(n->places);
    size_t at = 0;
    if (value < 2 || value > DIFF_MAX_PLACE)
        return;
    while (at < n->nplaces && n->places[at] != value)
        at++;
    if (at == n->nplaces && n->nplaces < most)
        n->places[n->nplaces++] = value;
    else if (at == n->nplaces && first)
        at = most - 1;
    else if (at == n->nplaces)
        return;
    if (!first || at < n->ncompared)
        return;
    memmove(n->places + n->ncompared + 1, n->places + n->ncompared,
            (at - n->ncompared) * sizeof *n->places);
    n->places[n->ncompared] = value;
    n->ncompared += n->ncompared + 1 < most;
}

/* ---- what depends on data ------------------------------------------------------- */

static bool is_source(const void *user, const struct ir_expr *e)
{
    const struct harvest *h = user;
    return e->kind == IR_LOAD || e->size > MAX_SIZE ||
           (e->kind == IR_VAR_REF && e->u.var->id < h->module->nvars &&
            h->data[e->u.var->id]);
}

static bool is_data(const struct harvest *h, const struct ir_expr *e)
{
    return ir_expr_any(e, is_source, h);
}

static void bind(struct harvest *h, const struct ir_var *var,
                 const struct ir_expr *value)
{
    if (var->id < h->module->nvars && is_data(h, value))
        h->data[var->id] = true;
}

/* ---- numbers ---------------------------------------------------------------------- */

/* The immediate under conversions and broadcasts; NULL: there is none. */
static const struct ir_expr *immediate(const struct ir_expr *e)
{
    while ((e->kind == IR_CAST || e->kind == IR_BROADCAST) && e->nargs > 0)
        e = e->args[0];
    return e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM ? e : NULL;
}

static void add_ends(struct diff_numbers *n, struct dtype t)
{
    if (!dtype_is_int(t) || t.bits < 2)
        return;
    struct diff_range r = diff_type_range(dtype_scalar(t));
    add_int(n, r.hi);
    if (r.lo != 0)
        add_int(n, r.lo);
    if (t.code == DT_UINT && t.bits < 64)
        add_int(n, (r.hi >> 1) + 1); /* its upper half, a sign elsewhere */
}

static void add_operand(struct harvest *h, const struct ir_expr *e,
                        const struct ir_expr *imm)
{
    struct diff_numbers *n = h->out;
    if (imm->kind == IR_FLOAT_IMM) {
        add_float(n, imm->u.float_value);
        return;
    }
    int64_t value = imm->u.int_value;
    bool small = value >= 0 && value < 62;
    add_int(n, value);
    if ((e->kind == IR_SHL || e->kind == IR_SHR) && small)
        add_int(n, (int64_t)1 << value);
}

/* ---- bounds taken back to data ------------------------------------------------------ */

/* x such that `x op imm` is *v, or `imm op x` where the immediate is on the
 * left; what does not come out even is next to it. */
static bool undo_int(const struct ir_expr *e, int64_t imm, bool left,
                     int64_t *v)
{
    uint64_t a = (uint64_t)*v, b = (uint64_t)imm;
    bool count = !left && imm >= 0 && imm < 62;
    switch ((int)e->kind) {
    case IR_ADD: *v = (int64_t)(a - b); return true;
    case IR_SUB: *v = (int64_t)(left ? b - a : a + b); return true;
    case IR_MUL:
        if (imm > 0)
            *v /= imm;
        else if (imm < 0)
            *v = (int64_t)(0 - a) / (imm == INT64_MIN ? INT64_MAX : -imm);
        return imm != 0;
    case IR_DIV:
    case IR_FLOORDIV: *v = (int64_t)(a * b); return !left;
    case IR_SHL: *v /= count ? (int64_t)1 << imm : 1; return count;
    case IR_SHR: *v = (int64_t)(count ? a << imm : a); return count;
    default: return false;
    }
}

static bool undo_float(const struct ir_expr *e, double imm, bool left,
                       double *v)
{
    switch ((int)e->kind) {
    case IR_ADD: *v -= imm; return true;
    case IR_SUB: *v = left ? imm - *v : *v + imm; return true;
    case IR_MUL: *v /= imm; return imm != 0;
    case IR_DIV: *v *= imm; return !left;
    default: return false;
    }
}

static double as_double(const struct ir_expr *imm)
{
    return imm->kind == IR_FLOAT_IMM ? imm->u.float_value
                                     : (double)imm->u.int_value;
}

/* What data that operations with immediates lead to the bound are before. */
static void add_solution(struct harvest *h, const struct ir_expr *e,
                         const struct ir_expr *bound)
{
    bool real = bound->kind == IR_FLOAT_IMM, moved = false;
    double f = as_double(bound);
    int64_t v = real ? 0 : bound->u.int_value;
    for (;;) {
        while (e->kind == IR_CAST && e->nargs > 0)
            e = e->args[0];
        const struct ir_expr *imm[2] = {NULL, NULL};
        for (uint32_t i = 0; i < 2 && e->nargs == 2 && e->kind != IR_LOAD; i++)
            imm[i] = immediate(e->args[i]);
        if ((imm[0] == NULL) == (imm[1] == NULL))
            break;
        bool left = imm[0] != NULL;
        const struct ir_expr *by = imm[left ? 0 : 1];
        real = real || by->kind == IR_FLOAT_IMM;
        if (real ? !undo_float(e, as_double(by), left, &f)
                 : !undo_int(e, by->u.int_value, left, &v))
            break;
        if (!real)
            f = (double)v;
        moved = true;
        e = e->args[left ? 1 : 0];
    }
    if (moved && real)
        add_float(h->out, f);
    else if (moved)
        add_int(h->out, v);
}

static void see_bound(struct harvest *h, const struct ir_expr *e)
{
    for (uint32_t i = 0; i < 2 && e->nargs == 2; i++) {
        const struct ir_expr *bound = immediate(e->args[i]);
        if (bound != NULL)
            add_solution(h, e->args[1 - i], bound);
    }
}

/* ---- what is seen -------------------------------------------------------------------- */

/* What data index ends at the extents, and at that of the whole buffer. */
static void add_extents(struct harvest *h, const struct ir_buffer *b, size_t n,
                        struct ir_expr *const *indices)
{
    int64_t whole = 1; /* of this dimension and those behind; 0: not known */
    bool any = false;
    for (size_t i = b->rank; i-- > 0;) {
        const struct ir_expr *e = b->shape[i];
        int64_t extent = e->kind == IR_INT_IMM ? e->u.int_value : 0;
        if (i < n && is_data(h, indices[i])) {
            any = true;
            if (extent > 0)
                add_int(h->out, extent);
        }
        bool known = extent > 0 && whole > 0 && whole <= INT64_MAX / extent;
        whole = known ? whole * extent : 0;
        if (any && whole > 0)
            add_int(h->out, whole);
    }
}

static bool takes_numbers(const struct ir_expr *e)
{
    return (e->kind >= IR_ADD && e->kind <= IR_GE) || e->kind == IR_SELECT ||
           (e->kind == IR_CALL && e->u.call.op != IR_OP_GLOBAL);
}

static bool bounds(const struct ir_expr *e)
{
    return (e->kind >= IR_EQ && e->kind <= IR_GE) || e->kind == IR_MIN ||
           e->kind == IR_MAX;
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct harvest *h = user;
    if (e->kind == IR_LET)
        bind(h, e->u.var, e->args[0]);
    if (e->kind == IR_INT_IMM)
        add_place(h->out, e->u.int_value, false);
    for (uint32_t i = 0; e->kind >= IR_EQ && e->kind <= IR_GE && i < 2; i++)
        if (e->args[i]->kind == IR_INT_IMM)
            add_place(h->out, e->args[i]->u.int_value, true);
    if (e->kind == IR_CAST && is_data(h, e->args[0]))
        add_ends(h->out, e->dtype);
    if (e->kind == IR_LOAD) {
        add_extents(h, e->u.buffer, e->nargs, e->args);
        return true;
    }
    if (!takes_numbers(e) || !is_data(h, e))
        return true;
    if (e->kind <= IR_MUL && dtype_is_int(e->dtype))
        add_ends(h->out, e->dtype);
    for (uint32_t i = 0; i < e->nargs; i++) {
        const struct ir_expr *imm = immediate(e->args[i]);
        if (imm != NULL)
            add_operand(h, e, imm);
    }
    if (bounds(e))
        see_bound(h, e);
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    struct harvest *h = user;
    if (s->kind == IR_STORE)
        add_extents(h, s->u.store.buffer, s->u.store.nindices,
                    s->u.store.indices);
    if (s->kind == IR_BIND)
        bind(h, s->u.bind.var, s->u.bind.value);
    if (s->kind == IR_BLOCK)
        for (size_t i = 0; i < s->u.block->niters; i++)
            bind(h, s->u.block->iters[i].var, s->u.block->iter_values[i]);
    return true;
}

static void see_buffer(struct harvest *h, const struct ir_buffer *b)
{
    for (size_t i = 0; b != NULL && i < b->rank; i++)
        if (b->shape[i]->kind == IR_INT_IMM)
            add_place(h->out, b->shape[i]->u.int_value, false);
}

static void see_func(struct harvest *h, const struct ir_func *f)
{
    struct ir_visitor visitor = {see_stmt, see_expr, h};
    if (f->kind != IR_FUNC_PRIM || f->prim.body == NULL)
        return;
    for (size_t i = 0; i < f->prim.nparams; i++) {
        const struct ir_param *p = &f->prim.params[i];
        see_buffer(h, p->buffer);
        if (p->buffer == NULL && p->var->id < h->module->nvars)
            h->data[p->var->id] = !dtype_is_handle(p->var->dtype);
    }
    ir_visit_stmt(&visitor, f->prim.body);
}

const struct diff_numbers *diff_harvest(struct diff_pair *pair)
{
    struct diff_numbers *n = ARENA_NEW(pair->arena, struct diff_numbers);
    for (size_t side = 0; side < NSIDES; side++) {
        const struct ir_module *m = pair->side[side].module;
        struct harvest h = {
            m, n, ARENA_ARRAY(pair->arena, m->nvars + (size_t)1, bool)};
        for (size_t i = 0; i < m->nfuncs; i++)
            see_func(&h, m->funcs[i]);
    }
    return n;
}
