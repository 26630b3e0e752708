/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions into the nest: integers that are affine in the loop variables
 * become forms, everything else a tree of operations. Every step that the
 * walker would charge is charged here, guards apart, whose branches are charged
 * as they are taken.
 *
 * A form stands for an integer expression only where no operation on the way
 * can wrap: the interval of each result has to fit its type.
 */
#include "interp/fast/lower.h"
#include "interp/machine/arith.h"
#include "ir/num/profile.h"

#define MAX_FX 2000000u /* expression nodes of one function */

bool lower_give_up(struct engine *e, const char *why)
{
    if (e->why == NULL)
        e->why = why;
    return false;
}

void lower_cost(struct lower *l, uint64_t steps)
{
    if (__builtin_add_overflow(*l->cost, steps, l->cost))
        *l->cost = UINT64_MAX;
}

static bool makes_vector(const struct ir_expr *e)
{
    return e->dtype.lanes > 1 && e->kind != IR_VAR_REF &&
           e->kind != IR_INT_IMM && e->kind != IR_FLOAT_IMM;
}

uint64_t lower_expr_cost(const struct ir_expr *e)
{
    if (e->dtype.lanes <= 1 && e->kind != IR_LOAD)
        return e->size;
    uint64_t sum = 1 + (makes_vector(e) ? e->dtype.lanes : 0u);
    for (uint32_t i = 0; i < e->nargs; i++) {
        if ((e->kind == IR_RAMP && i == 2) ||
            (e->kind == IR_BROADCAST && i == 1))
            continue; /* the number of lanes is no operand */
        sum += lower_expr_cost(e->args[i]);
    }
    return sum;
}

struct binding *lower_binding(struct lower *l, const struct ir_var *var)
{
    const struct ir_plan *p = l->e->plan;
    uint32_t i = var->id - p->var_base;
    return i < p->nvars ? &l->vars[i] : NULL;
}

/* ---- affine forms ------------------------------------------------------------- */

static bool fits(struct dtype t, const struct affine *a)
{
    if (t.bits >= 64)
        return t.code == DT_INT || a->lo >= 0;
    int64_t top = (int64_t)1 << (t.code == DT_INT ? t.bits - 1 : t.bits);
    return a->lo >= (t.code == DT_INT ? -top : 0) && a->hi < top;
}

static bool affine_ints(struct lower *l, enum ir_expr_kind kind, struct dtype t,
                        struct affine *a, struct affine *b, struct affine *out)
{
    struct engine *e = l->e;
    bool divides = b->n == 0 && b->c > 0;
    /* other counts give an undefined value (rule 10) */
    bool shifts = b->n == 0 && b->c >= 0 && b->c < 31 && b->c < t.bits;
    switch ((int)kind) {
    case IR_ADD: return affine_add(e, a, b, out);
    case IR_SUB: return affine_sub(e, a, b, out);
    case IR_MUL: return affine_mul(e, a, b, out);
    case IR_DIV:
        return divides && a->lo >= 0 && affine_floordiv(e, a, b->c, out);
    case IR_MOD:
        return divides && a->lo >= 0 && affine_floormod(e, a, b->c, out);
    case IR_FLOORDIV: return divides && affine_floordiv(e, a, b->c, out);
    case IR_FLOORMOD: return divides && affine_floormod(e, a, b->c, out);
    case IR_MIN: return affine_minmax(e, false, a, b, out);
    case IR_MAX: return affine_minmax(e, true, a, b, out);
    case IR_SHL: return shifts && affine_scale(a, (int64_t)1 << b->c, out);
    case IR_SHR:
        return shifts && affine_floordiv(e, a, (int64_t)1 << b->c, out);
    case IR_BITAND:
        return b->n == 0 && b->c > 0 && b->c < INT32_MAX &&
               (b->c & (b->c + 1)) == 0 && affine_floormod(e, a, b->c + 1, out);
    default: return false;
    }
}

static bool affine_ramp(struct lower *l, const struct ir_expr *e,
                        struct affine *out)
{
    struct affine base, stride, lane;
    if (l->vector == NULL || e->dtype.lanes != l->vector->trips ||
        e->dtype.scalable || !lower_affine(l, e->args[0], &base) ||
        !lower_affine(l, e->args[1], &stride) || stride.n != 0)
        return false;
    lane = affine_atom(l->e, l->vector->atom);
    return affine_scale(&lane, stride.c, &lane) &&
           affine_add(l->e, &base, &lane, out) &&
           fits(dtype_scalar(e->dtype), out);
}

static bool affine_var(struct lower *l, const struct ir_expr *e,
                       struct affine *out)
{
    const struct binding *b = lower_binding(l, e->u.var);
    if (b == NULL || b->kind != BOUND_AFFINE)
        return false;
    l->data |= b->data;
    *out = b->at;
    return true;
}

/* buffer_offset(A, indices): of an element, in elements. */
static bool affine_offset(struct lower *l, const struct ir_expr *e,
                          struct affine *out)
{
    const struct ir_expr *b = e->args[0];
    struct fast_view *v =
        b->kind == IR_BUFFER_REF ? lower_view(l, b->u.buffer) : NULL;
    if (v == NULL)
        return false;
    *out = v->base;
    for (uint32_t i = 1; i < e->nargs && i <= b->u.buffer->rank; i++) {
        struct affine part;
        if (!lower_affine(l, e->args[i], &part) ||
            !affine_scale(&part, v->stride[i - 1], &part) ||
            !affine_add(l->e, out, &part, out))
            return false;
    }
    return true;
}

static bool affine_node(struct lower *l, const struct ir_expr *e,
                        struct affine *out)
{
    struct affine a, b;
    if (e->kind == IR_INT_IMM) {
        *out = affine_const(e->u.int_value);
        return e->u.int_value > -((int64_t)1 << 60) &&
               e->u.int_value < (int64_t)1 << 60;
    }
    if (e->kind == IR_VAR_REF)
        return affine_var(l, e, out);
    if (e->kind == IR_RAMP)
        return affine_ramp(l, e, out);
    if (e->kind == IR_BROADCAST)
        return e->args[0]->dtype.lanes == 1 && lower_affine(l, e->args[0], out);
    if (e->kind == IR_CAST)
        return dtype_is_int(e->args[0]->dtype) &&
               lower_affine(l, e->args[0], out);
    if (ir_is_identity(e))
        return lower_affine(l, e->args[0], out);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_OFFSET &&
        e->nargs >= 1)
        return affine_offset(l, e, out);
    if (e->kind == IR_CALL && e->nargs == 2) {
        enum ir_expr_kind kind = e->u.call.op == IR_OP_SHIFT_LEFT    ? IR_SHL
                                 : e->u.call.op == IR_OP_SHIFT_RIGHT ? IR_SHR
                                 : e->u.call.op == IR_OP_BITWISE_AND
                                     ? IR_BITAND
                                     : IR_NKINDS;
        return kind != IR_NKINDS && lower_affine(l, e->args[0], &a) &&
               lower_affine(l, e->args[1], &b) &&
               affine_ints(l, kind, e->dtype, &a, &b, out);
    }
    return e->kind >= IR_ADD && e->kind <= IR_SHR &&
           lower_affine(l, e->args[0], &a) && lower_affine(l, e->args[1], &b) &&
           affine_ints(l, e->kind, e->dtype, &a, &b, out);
}

bool lower_affine(struct lower *l, const struct ir_expr *e, struct affine *out)
{
    return dtype_is_int(e->dtype) && affine_node(l, e, out) &&
           fits(dtype_scalar(e->dtype), out);
}

/* ---- nodes --------------------------------------------------------------------- */

static struct fx *fx_new(struct lower *l, enum fx_kind kind, struct dtype t)
{
    enum ftype type;
    if (!fast_ftype_of(t, &type)) {
        lower_give_up(l->e, "a type");
        return NULL;
    }
    if (++l->e->nfx > MAX_FX) {
        lower_give_up(l->e, "the function is too large");
        return NULL;
    }
    struct fx *x = ARENA_NEW(l->e->arena, struct fx);
    x->kind = kind;
    x->type = type;
    x->check_wrap = l->address > 0;
    return x;
}

static enum fdata data_join(const struct fx *a, const struct fx *b)
{
    if (a->data == DATA_YES || b->data == DATA_YES)
        return DATA_YES;
    return a->data == DATA_UNKNOWN ? a->data : b->data;
}

/* Stored integers do not say whether they wrapped on the way. */
static void see_condition(struct lower *l, const struct fx *x)
{
    l->e->watch |= x->computed;
}

/* In an address or condition. */
bool lower_known_data(struct lower *l, const struct fx *x, bool *data)
{
    see_condition(l, x);
    if (x->data == DATA_UNKNOWN)
        return lower_give_up(l->e,
                             "an address or condition from computed data");
    *data |= x->data == DATA_YES;
    return true;
}

/* ---- accesses ------------------------------------------------------------------- */

static bool in_range(const struct affine *a, int64_t dim)
{
    return a->lo >= 0 && a->hi < dim;
}

void lower_check(struct lower *l, struct access *x, const struct affine *at,
                 int64_t dim)
{
    if (in_range(at, dim))
        return;
    if (x->checks == NULL)
        x->checks = ARENA_ARRAY(l->e->arena, x->rank + 1, struct check);
    x->checks[x->nchecks].at = *at;
    x->checks[x->nchecks++].dim = dim;
}

static bool gather_index(struct lower *l, struct access *x, size_t d,
                         const struct ir_expr *e)
{
    if (!x->gather) {
        x->gather = true;
        x->index_fx = ARENA_ARRAY(l->e->arena, x->rank, struct fx *);
    }
    l->address++;
    struct fx *f = lower_expr(l, e);
    l->address--;
    if (f == NULL || !lower_known_data(l, f, &x->data))
        return false;
    if (fast_ftype_is_float(f->type))
        return lower_give_up(l->e, "an index that is no integer");
    x->index_fx[d] = f;
    return true;
}

/* Whether indices in range stay inside of the storage. */
static bool inside_store(const struct fast_view *v, size_t rank)
{
    int64_t last = v->base.c;
    for (size_t d = 0; d < rank; d++) {
        if (v->dim[d] <= 0)
            return false;
        last += (v->dim[d] - 1) * v->stride[d];
    }
    return v->base.n == 0 && v->base.c >= 0 && last < v->store->elements;
}

struct access *lower_access(struct lower *l, const struct ir_buffer *buffer,
                            size_t n, struct ir_expr *const *indices)
{
    struct fast_view *v = lower_view(l, buffer);
    if (v == NULL)
        return NULL;
    struct access *x = ARENA_NEW(l->e->arena, struct access);
    x->store = v->store;
    x->buffer = buffer;
    x->rank = n;
    x->index = ARENA_ARRAY(l->e->arena, n, struct affine);
    x->dim = v->dim;
    x->stride = v->stride;
    x->offset = v->base;
    x->distinct = v->distinct;
    if (n != buffer->rank) {
        lower_give_up(l->e, "an access of another rank");
        return NULL;
    }
    for (size_t d = 0; d < n; d++) {
        struct affine part;
        bool outer = l->data;
        l->data = false;
        bool ok = lower_affine(l, indices[d], &x->index[d]);
        bool data = l->data;
        l->data = outer;
        if (!ok) {
            x->index[d] = affine_const(0);
            if (!gather_index(l, x, d, indices[d]))
                return NULL;
            continue;
        }
        x->data |= data;
        lower_cost(l, lower_expr_cost(indices[d]));
        lower_check(l, x, &x->index[d], v->dim[d]);
        if (!affine_scale(&x->index[d], v->stride[d], &part) ||
            !affine_add(l->e, &x->offset, &part, &x->offset)) {
            lower_give_up(l->e, "an address of too many terms");
            return NULL;
        }
    }
    if (x->gather && !inside_store(v, n)) {
        lower_give_up(l->e, "a gather through a view");
        return NULL;
    }
    if (!x->gather)
        lower_check(l, x, &x->offset, v->store->elements);
    return x;
}

/* ---- expressions ------------------------------------------------------------------ */

static struct fx *lower_load(struct lower *l, const struct ir_expr *e)
{
    if (e->predicate != NULL) {
        lower_give_up(l->e, "a predicated load");
        return NULL;
    }
    struct access *a = lower_access(l, e->u.buffer, e->nargs, e->args);
    struct fx *x = a == NULL ? NULL : fx_new(l, X_LOAD, e->dtype);
    if (x == NULL)
        return NULL;
    x->access = a;
    x->computed = !a->store->read_only;
    x->data = a->store->read_only || a->data ? DATA_YES : DATA_UNKNOWN;
    return x;
}

static struct fx *lower_var(struct lower *l, const struct ir_expr *e)
{
    const struct binding *b = lower_binding(l, e->u.var);
    if (b == NULL || b->kind != BOUND_SLOT) {
        lower_give_up(l->e, "a variable that is no number here");
        return NULL;
    }
    if (b->value->kind == X_CONST) {
        struct fx *x = fx_new(l, X_CONST, e->dtype);
        if (x != NULL)
            *x = *b->value;
        return x;
    }
    struct fx *x = fx_new(l, X_SLOT, e->dtype);
    if (x == NULL)
        return NULL;
    x->slot = b->slot;
    x->a = b->value;
    x->data = b->value->data;
    x->computed = b->value->computed;
    return x;
}

static struct fx *lower_const(struct lower *l, const struct ir_expr *e)
{
    struct fx *x = fx_new(l, X_CONST, e->dtype);
    unsigned flags = 0;
    if (x == NULL)
        return NULL;
    struct dtype t = dtype_scalar(e->dtype);
    if (e->kind == IR_INT_IMM)
        x->bits = (uint64_t)e->u.int_value;
    else if (l->e->scalar != NULL)
        x->bits =
            num_profile_literal(l->e->scalar, t, e->u.float_value, &flags);
    else
        x->bits = num_from_double(t, e->u.float_value, &flags);
    if (flags & ~(unsigned)NUM_INEXACT) {
        lower_give_up(l->e, "a literal");
        return NULL;
    }
    return x;
}

static struct fx *lower_binary(struct lower *l, const struct ir_expr *e,
                               enum num_op op)
{
    struct fx *a = lower_expr(l, e->args[0]);
    struct fx *b = a == NULL ? NULL : lower_expr(l, e->args[1]);
    bool compares = op >= NUM_EQ && op <= NUM_GE;
    struct fx *x =
        b == NULL
            ? NULL
            : fx_new(l, X_BINARY,
                     compares ? DTYPE_BOOL : dtype_scalar(e->args[0]->dtype));
    if (x == NULL)
        return NULL;
    if (a->type != b->type || op == NUM_LDEXP) {
        lower_give_up(l->e, "an operation of mixed types");
        return NULL;
    }
    x->op = op;
    x->a = a;
    x->b = b;
    x->data = data_join(a, b);
    x->computed = a->computed || b->computed;
    return x;
}

static struct fx *lower_unary(struct lower *l, const struct ir_expr *e,
                              enum num_op op)
{
    struct fx *a = lower_expr(l, e->args[0]);
    if (a == NULL)
        return NULL;
    if (op == NUM_POPCOUNT || op == NUM_CLZ) {
        lower_give_up(l->e, "a bit count");
        return NULL;
    }
    bool tests = op >= NUM_ISNAN && op <= NUM_ISFINITE;
    struct fx *x = fx_new(l, X_UNARY, tests ? DTYPE_BOOL : e->args[0]->dtype);
    if (x == NULL)
        return NULL;
    x->op = op;
    x->a = a;
    x->data = a->data;
    x->computed = a->computed;
    return x;
}

static struct fx *lower_cast(struct lower *l, const struct ir_expr *e)
{
    struct fx *a = lower_expr(l, e->args[0]);
    struct fx *x = a == NULL ? NULL : fx_new(l, X_CAST, e->dtype);
    if (x == NULL)
        return NULL;
    x->a = a;
    x->data = a->data;
    x->computed = a->computed;
    /* the walker passes these on as they are: NaN bits are all canonical */
    return a->type == x->type ? a : x;
}

static struct fx *lower_choice(struct lower *l, const struct ir_expr *e)
{
    l->address++;
    struct fx *c = lower_expr(l, e->args[0]);
    l->address--;
    struct fx *a = c == NULL ? NULL : lower_expr(l, e->args[1]);
    struct fx *b = a == NULL ? NULL : lower_expr(l, e->args[2]);
    struct fx *x = b == NULL ? NULL : fx_new(l, X_SELECT, e->dtype);
    if (x == NULL)
        return NULL;
    see_condition(l, c);
    x->computed = c->computed || a->computed || b->computed;
    x->a = c;
    x->b = a;
    x->c = b;
    x->data = c->data == DATA_YES                        ? DATA_YES
              : a->data == b->data && c->data == DATA_NO ? a->data
                                                         : DATA_UNKNOWN;
    return x;
}

/* A branch, its steps apart. */
static struct fx *lower_branch(struct lower *l, const struct ir_expr *e,
                               uint64_t *cost)
{
    uint64_t *outer = l->cost;
    *cost = 0;
    l->cost = cost;
    struct fx *x = lower_expr(l, e);
    l->cost = outer;
    return x;
}

static struct fx *lower_if(struct lower *l, const struct ir_expr *e)
{
    struct guard *g = ARENA_NEW(l->e->arena, struct guard);
    if (e->dtype.lanes > 1) {
        lower_give_up(l->e, "if_then_else of vectors");
        return NULL;
    }
    if (!lower_guard(l, e->args[0], g))
        return NULL;
    struct fx *a = lower_branch(l, e->args[1], &g->cost_then);
    struct fx *b =
        a == NULL ? NULL : lower_branch(l, e->args[2], &g->cost_else);
    struct fx *x = b == NULL ? NULL : fx_new(l, X_GUARD, e->dtype);
    if (x == NULL)
        return NULL;
    if (lower_guard_is_true(g) && !g->data) {
        lower_cost(l, g->cost_then);
        return a;
    }
    x->guard = g;
    x->b = a;
    x->c = b;
    x->computed =
        a->computed || b->computed || (g->value != NULL && g->value->computed);
    x->data = g->data ? DATA_YES : a->data == b->data ? a->data : DATA_UNKNOWN;
    return x;
}

static struct fx *lower_let(struct lower *l, const struct ir_expr *e)
{
    /* As a value it would be a statement before this one, which a guard around
     * it forbids; integers need no place of their own. */
    struct binding *b = lower_binding(l, e->u.var);
    if (b == NULL || e->dtype.lanes > 1)
        return lower_give_up(l->e, "a let expression"), NULL;
    struct binding outer = *b;
    bool before = l->data;
    l->data = false;
    if (!lower_affine(l, e->args[0], &b->at))
        return lower_give_up(l->e, "a let expression"), NULL;
    lower_cost(l, lower_expr_cost(e->args[0]));
    b->kind = BOUND_AFFINE;
    b->data = l->data;
    l->data = before;
    struct fx *x = lower_expr(l, e->args[1]);
    *b = outer;
    return x;
}

static struct fx *lower_fma(struct lower *l, const struct ir_expr *e)
{
    struct fx *a = lower_expr(l, e->args[0]);
    struct fx *b = a == NULL ? NULL : lower_expr(l, e->args[1]);
    struct fx *c = b == NULL ? NULL : lower_expr(l, e->args[2]);
    struct fx *x = c == NULL ? NULL : fx_new(l, X_FMA, e->dtype);
    if (x == NULL)
        return NULL;
    if (!fast_ftype_is_float(x->type)) {
        lower_give_up(l->e, "fma of integers");
        return NULL;
    }
    x->a = a;
    x->b = b;
    x->c = c;
    x->computed = a->computed || b->computed || c->computed;
    x->data = data_join(a, b) == DATA_YES ? DATA_YES : data_join(b, c);
    if (x->data == DATA_NO && a->data != DATA_NO)
        x->data = a->data;
    return x;
}

static struct fx *lower_call(struct lower *l, const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    enum num_op number = ir_call_num(op, e->nargs);
    if (op == IR_OP_IF_THEN_ELSE && e->nargs == 3)
        return lower_if(l, e);
    if (ir_is_identity(e))
        return lower_expr(l, e->args[0]);
    if (op == IR_OP_FMA && e->nargs == 3)
        return lower_fma(l, e);
    if (number != NUM_NOPS && e->nargs <= 2)
        return e->nargs == 1 ? lower_unary(l, e, number)
                             : lower_binary(l, e, number);
    lower_give_up(l->e, e->u.call.name);
    return NULL;
}

static struct fx *lower_kind(struct lower *l, const struct ir_expr *e)
{
    switch ((int)e->kind) {
    case IR_INT_IMM:
    case IR_FLOAT_IMM: return lower_const(l, e);
    case IR_VAR_REF: return lower_var(l, e);
    case IR_NOT: return lower_unary(l, e, NUM_NOT);
    case IR_BITNOT: return lower_unary(l, e, NUM_BITNOT);
    case IR_CAST: return lower_cast(l, e);
    case IR_SELECT: return lower_choice(l, e);
    case IR_LOAD: return lower_load(l, e);
    case IR_CALL: return lower_call(l, e);
    case IR_LET: return lower_let(l, e);
    case IR_BROADCAST:
        if (e->args[0]->dtype.lanes == 1)
            return lower_expr(l, e->args[0]);
        break;
    default:
        if (e->kind >= IR_ADD && e->kind <= IR_OR)
            return lower_binary(l, e, ir_num_op(e->kind));
        break;
    }
    lower_give_up(l->e, ir_expr_kind_name(e->kind));
    return NULL;
}

struct fx *lower_expr(struct lower *l, const struct ir_expr *e)
{
    struct affine at;
    if (l->e->why != NULL)
        return NULL;
    if (e->dtype.lanes > 1 &&
        (l->vector == NULL || e->dtype.lanes != l->vector->trips)) {
        lower_give_up(l->e, "a vector where none is expected");
        return NULL;
    }
    if (e->kind != IR_INT_IMM) {
        bool outer = l->data;
        l->data = false;
        bool ok = lower_affine(l, e, &at), data = l->data;
        l->data = outer;
        struct fx *x = ok ? fx_new(l, X_AFFINE, e->dtype) : NULL;
        if (ok) {
            lower_cost(l, lower_expr_cost(e));
            if (x != NULL) {
                x->at = arena_memdup(l->e->arena, &at, sizeof at);
                x->data = data ? DATA_YES : DATA_NO;
            }
            return x;
        }
    }
    lower_cost(l, 1 + (makes_vector(e) ? e->dtype.lanes : 0u));
    return lower_kind(l, e);
}
