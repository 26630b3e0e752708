/* SPDX-License-Identifier: Apache-2.0
 *
 * Counting points of boxes under conditions. Groups of axes come from a union of
 * what conditions and indices have in common; within a group all points are gone
 * through with the expressions evaluated as they stand, so that there is no kind
 * of arithmetic that is not understood, only points that are too many.
 */
#include "audit/count/box_points.h"

#include <string.h>

void domain_fini(struct domain *d)
{
    vec_fini(&d->conditions);
    vec_fini(&d->bindings);
}

/* ---- expressions --------------------------------------------------------------- */

static const struct ir_expr *binding_of(const struct domain *d,
                                        const struct ir_var *var)
{
    for (size_t i = d->bindings.len; i-- > 0;)
        if (d->bindings.items[i].var == var)
            return d->bindings.items[i].value;
    return NULL;
}

static size_t axis_of(const struct domain *d, const struct ir_var *var)
{
    size_t i = d->naxes;
    while (i-- > 0)
        if (d->axes[i].var == var)
            return i;
    return SIZE_MAX;
}

/* Whether one more node may be looked at, or what a variable is bound to. */
static bool may_look(struct domain *d)
{
    return d->nodes++ < DOMAIN_MAX_NODES && d->bound < DOMAIN_MAX_BOUND;
}

uint64_t domain_axes(struct domain *d, const struct ir_expr *e, bool *data,
                     bool *open)
{
    uint64_t set = 0;
    if (!may_look(d)) {
        *open = true;
        return 0;
    }
    if (e->kind == IR_VAR_REF) {
        size_t axis = axis_of(d, e->u.var);
        const struct ir_expr *value = binding_of(d, e->u.var);
        if (axis != SIZE_MAX)
            return (uint64_t)1 << axis;
        if (value == NULL) {
            *open = true;
            return 0;
        }
        d->bound++;
        set = domain_axes(d, value, data, open);
        d->bound--;
        return set;
    }
    if (e->kind == IR_LOAD)
        *data = true;
    if (e->kind == IR_CALL && (ir_op_info(ir_call_op(e))->flags &
                               (IR_OPF_PURE | IR_OPF_IDENTITY)) == 0)
        *open = true;
    if (e->kind == IR_BUFFER_REF || e->kind == IR_STRING_IMM ||
        e->kind == IR_LET || e->kind == IR_RAMP)
        *open = true;
    for (uint32_t i = 0; i < e->nargs; i++)
        set |= domain_axes(d, e->args[i], data, open);
    return set;
}

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* One of two operands; false where it has no value. */
static bool combine(enum ir_expr_kind kind, int64_t a, int64_t b, int64_t *out)
{
    bool divides = kind == IR_DIV || kind == IR_MOD || kind == IR_FLOORDIV ||
                   kind == IR_FLOORMOD;
    if (divides && (b == 0 || (b == -1 && a == INT64_MIN)))
        return false;
    if ((kind == IR_SHL || kind == IR_SHR) && (b < 0 || b > 62))
        return false;
    if (kind == IR_ADD)
        *out = wrap_add(a, b);
    else if (kind == IR_SUB)
        *out = (int64_t)((uint64_t)a - (uint64_t)b);
    else if (kind == IR_MUL)
        *out = wrap_mul(a, b);
    else if (divides)
        *out = kind == IR_DIV        ? a / b
               : kind == IR_MOD      ? a % b
               : kind == IR_FLOORDIV ? int_floor_div(a, b)
                                     : int_floor_mod(a, b);
    else if (kind == IR_MIN || kind == IR_MAX)
        *out = (kind == IR_MIN) == (a < b) ? a : b;
    else if (kind == IR_BITAND || kind == IR_AND)
        *out = a & b;
    else if (kind == IR_BITOR || kind == IR_OR)
        *out = a | b;
    else if (kind == IR_BITXOR)
        *out = a ^ b;
    else if (kind == IR_SHL)
        *out = (int64_t)((uint64_t)a << b);
    else if (kind == IR_SHR)
        *out = int_floor_div(a, (int64_t)1 << b);
    else if (kind == IR_EQ || kind == IR_NE)
        *out = (a == b) == (kind == IR_EQ);
    else if (kind == IR_LT || kind == IR_GE)
        *out = (a < b) == (kind == IR_LT);
    else if (kind == IR_LE || kind == IR_GT)
        *out = (a <= b) == (kind == IR_LE);
    else
        return false;
    return true;
}

/* At the current point; false: it holds what is not known. */
static bool value_of(struct domain *d, const struct ir_expr *e, int64_t *out);

static bool choose(struct domain *d, const struct ir_expr *e, int64_t *out)
{
    int64_t cond;
    return e->nargs == 3 && value_of(d, e->args[0], &cond) &&
           value_of(d, e->args[cond != 0 ? 1 : 2], out);
}

static bool value_of(struct domain *d, const struct ir_expr *e, int64_t *out)
{
    int64_t a, b;
    size_t axis;
    if (dtype_is_float(e->dtype) || e->dtype.lanes != 1 || !may_look(d))
        return false;
    switch (e->kind) {
    case IR_INT_IMM: *out = e->u.int_value; return true;
    case IR_VAR_REF:
        axis = axis_of(d, e->u.var);
        if (axis != SIZE_MAX) {
            *out = d->axes[axis].now;
            return true;
        }
        const struct ir_expr *value = binding_of(d, e->u.var);
        if (value == NULL)
            return false;
        d->bound++;
        bool fine = value_of(d, value, out);
        d->bound--;
        return fine;
    case IR_CAST: return value_of(d, e->args[0], out);
    case IR_NOT:
        if (!value_of(d, e->args[0], &a))
            return false;
        *out = a == 0;
        return true;
    case IR_SELECT: return choose(d, e, out);
    case IR_CALL:
        if (ir_call_op(e) == IR_OP_IF_THEN_ELSE)
            return choose(d, e, out);
        return ir_is_identity(e) && value_of(d, e->args[0], out);
    case IR_BINARY_KINDS:
        return value_of(d, e->args[0], &a) && value_of(d, e->args[1], &b) &&
               combine(e->kind, a, b, out);
    case IR_FLOAT_IMM:
    case IR_STRING_IMM:
    case IR_BUFFER_REF:
    case IR_BITNOT:
    case IR_VECTOR_KINDS:
    case IR_LOAD:
    case IR_LET:
    case IR_NKINDS: break;
    }
    return false;
}

/* ---- going through points -------------------------------------------------------- */

/* The first point of the axes in the set; false: there is none. */
static bool first_point(struct domain *d, uint64_t set)
{
    bool some = true;
    for (size_t i = 0; i < d->naxes; i++)
        if (set >> i & 1) {
            d->axes[i].now = d->axes[i].min;
            some = some && d->axes[i].extent > 0;
        }
    return some;
}

/* The next one, the last axis fastest; false: that was the last. */
static bool next_point(struct domain *d, uint64_t set)
{
    for (size_t i = d->naxes; i-- > 0;) {
        struct domain_axis *a = &d->axes[i];
        if (!(set >> i & 1))
            continue;
        if (++a->now < a->min + a->extent)
            return true;
        a->now = a->min;
    }
    return false;
}

static double box(const struct domain *d, uint64_t set)
{
    double n = 1;
    for (size_t i = 0; i < d->naxes; i++)
        if (set >> i & 1)
            n *= (double)d->axes[i].extent;
    return n;
}

/* Whether the work of going through so many points is left, which it then takes. */
static bool can_go(struct domain *d, double points)
{
    if (points > (double)DOMAIN_MAX_POINTS ||
        d->work + (uint64_t)points > DOMAIN_MAX_WORK)
        return false;
    d->work += (uint64_t)points + 1;
    return true;
}

static bool holds(struct domain *d, uint64_t group)
{
    for (size_t i = 0; i < d->conditions.len; i++) {
        const struct domain_condition *c = &d->conditions.items[i];
        int64_t value;
        if (c->axes & ~group)
            continue; /* of another group */
        if (c->axes == 0 && group != 0)
            continue;
        if (!value_of(d, c->expr, &value) || (value != 0) == c->negated)
            return false;
    }
    return true;
}

bool domain_bounds(struct domain *d, const struct ir_expr *e, int64_t *least,
                   int64_t *most)
{
    bool data = false, open = false, some = false;
    uint64_t set = domain_axes(d, e, &data, &open);
    if (data || open || !can_go(d, box(d, set)))
        return false;
    for (bool more = first_point(d, set); more; more = next_point(d, set)) {
        int64_t v;
        if (!value_of(d, e, &v))
            return false;
        if (!some || v < *least)
            *least = v;
        if (!some || v > *most)
            *most = v;
        some = true;
    }
    return some;
}

/* ---- what changes ------------------------------------------------------------------ */

struct domain_mark domain_mark(const struct domain *d)
{
    return (struct domain_mark){d->naxes, d->conditions.len, d->bindings.len};
}

void domain_return(struct domain *d, struct domain_mark mark)
{
    d->naxes = mark.naxes;
    d->conditions.len = mark.nconditions;
    d->bindings.len = mark.nbindings;
    d->ncached = 0;
}

bool domain_push(struct domain *d, const struct ir_var *var, int64_t min,
                 int64_t extent)
{
    if (d->naxes == DOMAIN_MAX_AXES || min < -DOMAIN_MAX_EXTENT ||
        min > DOMAIN_MAX_EXTENT || extent > DOMAIN_MAX_EXTENT)
        return false;
    d->axes[d->naxes++] = (struct domain_axis){var, min, extent, min};
    d->ncached = 0;
    return true;
}

void domain_bind(struct domain *d, const struct ir_var *var,
                 const struct ir_expr *value)
{
    vec_push(&d->bindings, ((struct domain_binding){var, value}));
    d->ncached = 0;
}

bool domain_require(struct domain *d, const struct ir_expr *e, bool negated)
{
    bool data = false, open = false;
    if (ir_is_identity(e))
        return domain_require(d, e->args[0], negated);
    if ((e->kind == IR_AND && !negated) || (e->kind == IR_OR && negated)) {
        bool a = domain_require(d, e->args[0], negated);
        bool b = domain_require(d, e->args[1], negated);
        return a && b;
    }
    uint64_t axes = domain_axes(d, e, &data, &open);
    if (data || open)
        return false;
    vec_push(&d->conditions, ((struct domain_condition){e, negated, axes}));
    d->ncached = 0;
    return true;
}

/* ---- groups -------------------------------------------------------------------------- */

/* The axes that conditions, and the n further sets, join with those of `set`. */
static uint64_t joined(const struct domain *d, uint64_t set, size_t n,
                       const uint64_t *sets)
{
    for (uint64_t before = 0; before != set;) {
        before = set;
        for (size_t i = 0; i < d->conditions.len; i++)
            if (d->conditions.items[i].axes & set)
                set |= d->conditions.items[i].axes;
        for (size_t i = 0; i < n; i++)
            if (sets[i] & set)
                set |= sets[i];
    }
    return set;
}

/* Places of the axes `seen` in a group, over its points: those of the others are
 * tried until the conditions hold. */
static double group_points(struct domain *d, uint64_t group, uint64_t seen)
{
    double n = 0;
    if (!can_go(d, box(d, group))) {
        d->exact = false;
        d->cut = true;
        return 0;
    }
    uint64_t rest = group & ~seen;
    for (bool more = first_point(d, seen); more; more = next_point(d, seen)) {
        bool found = false;
        for (bool on = first_point(d, rest); on && !found;
             on = next_point(d, rest))
            found = holds(d, group);
        n += found;
    }
    return n;
}

static bool has_condition(const struct domain *d, uint64_t group)
{
    for (size_t i = 0; i < d->conditions.len; i++)
        if (d->conditions.items[i].axes & group)
            return true;
    return false;
}

double domain_points(struct domain *d, uint64_t set)
{
    double n = 1;
    uint64_t done = 0;
    for (size_t i = 0; i < d->ncached; i++)
        if (d->cached_set[i] == set)
            return d->cached[i];
    if (!holds(d, 0))
        n = 0; /* a condition without axes */
    for (size_t i = 0; i < d->naxes && n > 0; i++) {
        uint64_t bit = (uint64_t)1 << i;
        if (done & bit)
            continue;
        uint64_t group = joined(d, bit, 0, NULL);
        done |= group;
        if (has_condition(d, group))
            n *= group_points(d, group, group & set);
        else
            n *= set & bit               ? (double)d->axes[i].extent
                 : d->axes[i].extent > 0 ? 1
                                         : 0;
    }
    if (d->ncached < DC_ARRAY_LEN(d->cached)) {
        d->cached_set[d->ncached] = set;
        d->cached[d->ncached++] = n;
    }
    return n;
}

/* ---- elements reached ------------------------------------------------------------------ */

#define MAX_BITS ((double)((uint64_t)1 << 27))

struct access {
    size_t n;
    struct ir_expr *const *index;
    const int64_t *shape;
    uint64_t axes[DC_ARRAY_LEN(((struct domain *)0)->axes)];
    bool known[DC_ARRAY_LEN(((struct domain *)0)->axes)];
};

/* The place of the current point among the elements of the group's dimensions;
 * false: outside. */
static bool place(struct domain *d, const struct access *a, uint64_t group,
                  size_t only, uint64_t *out)
{
    uint64_t at = 0;
    for (size_t i = 0; i < a->n; i++) {
        int64_t v;
        if (!a->known[i] || !(a->axes[i] & group) ||
            (only != SIZE_MAX && i != only))
            continue;
        if (!value_of(d, a->index[i], &v) || v < 0 || v >= a->shape[i])
            return false;
        at = at * (uint64_t)a->shape[i] + (uint64_t)v;
    }
    *out = at;
    return true;
}

/* Shrinks axes, the longest first, until the points of the group are few. */
static bool shrink(struct domain *d, uint64_t group)
{
    bool whole = true;
    while (box(d, group) > (double)DOMAIN_MAX_POINTS) {
        size_t most = 0;
        for (size_t i = 0; i < d->naxes; i++)
            if (group >> i & 1 && (!(group >> most & 1) ||
                                   d->axes[i].extent > d->axes[most].extent))
                most = i;
        d->axes[most].extent = (d->axes[most].extent + 1) / 2;
        whole = false;
    }
    return whole;
}

static double group_reached(struct domain *d, const struct access *a,
                            uint64_t group)
{
    struct domain_axis kept[DOMAIN_MAX_AXES];
    double bits = 1, n = 0;
    size_t only = SIZE_MAX, last = SIZE_MAX;
    for (size_t i = 0; i < a->n; i++)
        if (a->known[i] && a->axes[i] & group) {
            bits *= (double)a->shape[i];
            if (last == SIZE_MAX || a->shape[i] > a->shape[last])
                last = i;
        }
    if (bits >
        MAX_BITS) { /* along one dimension alone: no more than there are */
        only = last;
        bits = (double)a->shape[last];
        d->exact = false;
    }
    memcpy(kept, d->axes, sizeof kept);
    d->exact = shrink(d, group) && d->exact;
    if (bits <= MAX_BITS && can_go(d, box(d, group))) {
        uint8_t *seen = dc_alloc((size_t)bits / 8 + 1);
        for (bool on = first_point(d, group); on; on = next_point(d, group)) {
            uint64_t at;
            if (!holds(d, group) || !place(d, a, group, only, &at))
                continue;
            n += !(seen[at / 8] >> (at % 8) & 1);
            seen[at / 8] |= (uint8_t)(1u << (at % 8));
        }
        dc_release(seen);
    } else {
        d->exact = false;
    }
    memcpy(d->axes, kept, sizeof kept);
    return n;
}

double domain_reached(struct domain *d, size_t n, struct ir_expr *const *index,
                      const int64_t *shape)
{
    struct access a = {.n = n, .index = index, .shape = shape};
    uint64_t done = 0;
    double out = domain_points(d, 0);
    if (n > DOMAIN_MAX_AXES)
        return 0;
    for (size_t i = 0; i < n; i++) {
        bool data = false, open = false;
        a.axes[i] = domain_axes(d, index[i], &data, &open);
        a.known[i] = !data && !open;
        if (!a.known[i]) {
            d->exact = false;
            a.axes[i] = 0;
        }
    }
    for (size_t i = 0; i < n && out > 0; i++) {
        if (a.axes[i] == 0 || a.axes[i] & done)
            continue;
        uint64_t group = joined(d, a.axes[i], n, a.axes);
        done |= group;
        out *= group_reached(d, &a, group);
    }
    return out;
}
