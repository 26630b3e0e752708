/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions that the front end puts together itself: index arithmetic with
 * constants folded and units left out, so that what people read is what a
 * person would have written. Arithmetic that the source does not have is done
 * in int64: it has no overflow of its own (safety.c looks at the source's).
 */
#include "verifier/affine/space.h"
#include "verifier/front/front.h"

#include <string.h>

struct ir_expr *fx_int(struct front *f, struct dtype t, int64_t v)
{
    return ir_int(f->m, dtype_scalar(t), v);
}

struct ir_expr *fx_index(struct front *f, int64_t v)
{
    return ir_int(f->m, DTYPE_INT64, v);
}

static bool is_const(const struct ir_expr *e, int64_t *v)
{
    if (e->kind != IR_INT_IMM)
        return false;
    *v = e->u.int_value;
    return true;
}

/* Brings two integers to one type: that of the one that is no constant. */
static void unify(struct front *f, struct ir_expr **a, struct ir_expr **b)
{
    int64_t v;
    if (dtype_equal((*a)->dtype, (*b)->dtype))
        return;
    if (is_const(*b, &v) && v >= INT32_MIN && v <= INT32_MAX)
        *b = fx_int(f, (*a)->dtype, v);
    else if (is_const(*a, &v) && v >= INT32_MIN && v <= INT32_MAX)
        *a = fx_int(f, (*b)->dtype, v);
    else {
        *a = fx_wide(f, *a);
        *b = fx_wide(f, *b);
    }
}

struct ir_expr *fx_cast(struct front *f, struct dtype t, struct ir_expr *a)
{
    int64_t v;
    t = dtype_scalar(t);
    if (dtype_equal(a->dtype, t))
        return a;
    bool fits = dtype_is_int(t) && t.bits >= 32;
    if (fits && is_const(a, &v) && v >= 0 && v <= INT32_MAX)
        return fx_int(f, t, v);
    return ir_cast(f->m, t, a);
}

struct ir_expr *fx_wide(struct front *f, struct ir_expr *a)
{
    return fx_cast(f, DTYPE_INT64, a);
}

struct ir_expr *fx_add(struct front *f, struct ir_expr *a, struct ir_expr *b)
{
    int64_t x = 0, y = 0, z;
    unify(f, &a, &b);
    bool ca = is_const(a, &x), cb = is_const(b, &y);
    if (ca && x == 0)
        return b;
    if (cb && y == 0)
        return a;
    if (ca && cb && !__builtin_add_overflow(x, y, &z))
        return fx_int(f, a->dtype, z);
    return ir_binary(f->m, IR_ADD, a, b);
}

struct ir_expr *fx_sub(struct front *f, struct ir_expr *a, struct ir_expr *b)
{
    int64_t x = 0, y = 0, z;
    unify(f, &a, &b);
    bool ca = is_const(a, &x), cb = is_const(b, &y);
    if (cb && y == 0)
        return a;
    if (ca && cb && !__builtin_sub_overflow(x, y, &z))
        return fx_int(f, a->dtype, z);
    return ir_binary(f->m, IR_SUB, a, b);
}

struct ir_expr *fx_mul(struct front *f, struct ir_expr *a, struct ir_expr *b)
{
    int64_t x = 0, y = 0, z;
    unify(f, &a, &b);
    bool ca = is_const(a, &x), cb = is_const(b, &y);
    if ((ca && x == 0) || (cb && y == 1))
        return a;
    if ((ca && x == 1) || (cb && y == 0))
        return b;
    if (ca && cb && !__builtin_mul_overflow(x, y, &z))
        return fx_int(f, a->dtype, z);
    return ir_binary(f->m, IR_MUL, a, b);
}

struct ir_expr *fx_floordiv(struct front *f, struct ir_expr *a,
                            struct ir_expr *b)
{
    int64_t x = 0, y = 0;
    unify(f, &a, &b);
    bool ca = is_const(a, &x), cb = is_const(b, &y);
    if (cb && y == 1)
        return a;
    if (ca && cb && x >= 0 && y > 0)
        return fx_int(f, a->dtype, x / y);
    return ir_binary(f->m, IR_FLOORDIV, a, b);
}

struct ir_expr *fx_floormod(struct front *f, struct ir_expr *a,
                            struct ir_expr *b)
{
    int64_t x = 0, y = 0;
    unify(f, &a, &b);
    bool ca = is_const(a, &x), cb = is_const(b, &y);
    if (cb && y == 1)
        return fx_int(f, a->dtype, 0);
    if (ca && cb && x >= 0 && y > 0)
        return fx_int(f, a->dtype, x % y);
    return ir_binary(f->m, IR_FLOORMOD, a, b);
}

struct ir_expr *fx_eq(struct front *f, struct ir_expr *a, struct ir_expr *b)
{
    int64_t x = 0, y = 0;
    unify(f, &a, &b);
    if (is_const(a, &x) && is_const(b, &y))
        return ir_int(f->m, DTYPE_BOOL, x == y);
    return ir_binary(f->m, IR_EQ, a, b);
}

struct ir_expr *fx_lt(struct front *f, struct ir_expr *a, struct ir_expr *b)
{
    int64_t x = 0, y = 0;
    unify(f, &a, &b);
    if (is_const(a, &x) && is_const(b, &y))
        return ir_int(f->m, DTYPE_BOOL, x < y);
    return ir_binary(f->m, IR_LT, a, b);
}

struct ir_expr *fx_choose(struct front *f, struct ir_expr *cond,
                          struct ir_expr *a, struct ir_expr *b)
{
    int64_t c;
    if (is_const(cond, &c))
        return c != 0 ? a : b;
    struct ir_expr *args[] = {cond, a, b};
    return ir_call(f->m, a->dtype, "tirx.if_then_else", 3, args);
}

struct ir_expr *fx_undef(struct front *f, struct dtype t)
{
    return ir_call(f->m, dtype_scalar(t), "tirx.undef", 0, NULL);
}

struct ir_expr *fx_rebuild(struct front *f, const struct ir_expr *e,
                           struct dtype t, size_t n, struct ir_expr **args)
{
    bool same = n == e->nargs && dtype_equal(t, e->dtype);
    for (size_t i = 0; i < n && same; i++)
        same = args[i] == e->args[i];
    if (e->kind == IR_CAST)
        return ir_cast(f->m, t, args[0]);
    if (e->kind == IR_NOT)
        return ir_not(f->m, args[0]);
    if (e->kind == IR_BITNOT)
        return ir_bitnot(f->m, args[0]);
    if (e->kind == IR_SELECT)
        return ir_select(f->m, args[0], args[1], args[2]);
    if (e->kind == IR_CALL)
        return ir_call(f->m, t, e->u.call.name, n, args);
    return ir_binary(f->m, e->kind, args[0], args[1]);
}

/* ---- comparing ------------------------------------------------------------------ */

static bool same_leaf(const struct ir_expr *a, const struct ir_expr *b)
{
    switch (a->kind) {
    case IR_INT_IMM: return a->u.int_value == b->u.int_value;
    case IR_FLOAT_IMM: {
        double x = a->u.float_value, y = b->u.float_value;
        return memcmp(&x, &y, sizeof x) == 0;
    }
    case IR_STRING_IMM: return strcmp(a->u.string.text, b->u.string.text) == 0;
    case IR_VAR_REF: return a->u.var == b->u.var;
    case IR_BUFFER_REF:
    case IR_LOAD: return a->u.buffer == b->u.buffer;
    case IR_CALL: return strcmp(a->u.call.name, b->u.call.name) == 0;
    case IR_SHUFFLE: return a->u.nvectors == b->u.nvectors;
    case IR_LET: return false;
    case IR_PLAIN_KINDS: break;
    }
    return true;
}

bool fx_same(const struct ir_expr *a, const struct ir_expr *b)
{
    if (a == b)
        return true;
    if (a == NULL || b == NULL || a->kind != b->kind || a->nargs != b->nargs ||
        a->predicate != b->predicate)
        return false;
    /* integer constants of two widths are one number */
    if (a->kind == IR_INT_IMM && dtype_is_int(a->dtype) &&
        dtype_is_int(b->dtype))
        return a->u.int_value == b->u.int_value;
    if (!dtype_equal(a->dtype, b->dtype) || !same_leaf(a, b))
        return false;
    for (uint32_t i = 0; i < a->nargs; i++)
        if (!fx_same(a->args[i], b->args[i]))
            return false;
    return true;
}

bool fx_faults_itself(const struct ir_expr *e)
{
    bool divides = e->kind == IR_DIV || e->kind == IR_MOD ||
                   e->kind == IR_FLOORDIV || e->kind == IR_FLOORMOD;
    int64_t by = 0;
    if (divides && ir_const_int(e->args[1], &by) && by != 0 && by != -1)
        divides = false;
    return (divides && dtype_is_int(e->dtype)) || e->kind == IR_LOAD ||
           e->kind == IR_CALL;
}

static bool faults(const void *user, const struct ir_expr *e)
{
    (void)user;
    return fx_faults_itself(e);
}

bool fx_may_fault(const struct ir_expr *e)
{
    return ir_expr_any(e, faults, NULL);
}

/* ---- ranges ------------------------------------------------------------------------ */

struct interval {
    int64_t lo, hi;
};

struct ranger {
    const struct front *f;
    unsigned steps; /* left */
};

static bool range_of(struct ranger *r, const struct ir_expr *e,
                     struct interval *out);

static bool range_var(struct ranger *r, const struct ir_var *var,
                      struct interval *out)
{
    const struct var_info *info = front_info(r->f, var);
    if (info == NULL)
        return false;
    if (info->value != NULL)
        return range_of(r, info->value, out);
    struct interval min, extent;
    if (info->loop == NULL || !range_of(r, info->loop->min, &min) ||
        !range_of(r, info->loop->extent, &extent) || extent.hi < 1)
        return false;
    out->lo = min.lo;
    return !__builtin_add_overflow(min.hi, extent.hi - 1, &out->hi);
}

static bool range_mul(struct interval a, struct interval b,
                      struct interval *out)
{
    int64_t p[4];
    if (__builtin_mul_overflow(a.lo, b.lo, &p[0]) ||
        __builtin_mul_overflow(a.lo, b.hi, &p[1]) ||
        __builtin_mul_overflow(a.hi, b.lo, &p[2]) ||
        __builtin_mul_overflow(a.hi, b.hi, &p[3]))
        return false;
    out->lo = out->hi = p[0];
    for (size_t i = 1; i < 4; i++) {
        out->lo = p[i] < out->lo ? p[i] : out->lo;
        out->hi = p[i] > out->hi ? p[i] : out->hi;
    }
    return true;
}

/* Of numbers of so many bits, as if there were no end of them. */
static bool range_binary(enum ir_expr_kind kind, unsigned bits,
                         struct interval a, struct interval b,
                         struct interval *out)
{
    bool point = b.lo == b.hi && b.lo > 0;
    switch ((int)kind) {
    case IR_ADD:
        return !__builtin_add_overflow(a.lo, b.lo, &out->lo) &&
               !__builtin_add_overflow(a.hi, b.hi, &out->hi);
    case IR_SUB:
        return !__builtin_sub_overflow(a.lo, b.hi, &out->lo) &&
               !__builtin_sub_overflow(a.hi, b.lo, &out->hi);
    case IR_MUL: return range_mul(a, b, out);
    case IR_MIN:
        *out = (struct interval){a.lo < b.lo ? a.lo : b.lo,
                                 a.hi < b.hi ? a.hi : b.hi};
        return true;
    case IR_MAX:
        *out = (struct interval){a.lo > b.lo ? a.lo : b.lo,
                                 a.hi > b.hi ? a.hi : b.hi};
        return true;
    case IR_DIV:
        if (a.lo < 0)
            return false;
        *out =
            (struct interval){point ? a.lo / b.lo : 0, point ? a.hi / b.lo : 0};
        return point;
    case IR_FLOORDIV:
        *out = (struct interval){point ? int_floor_div(a.lo, b.lo) : 0,
                                 point ? int_floor_div(a.hi, b.lo) : 0};
        return point;
    case IR_MOD:
        if (a.lo < 0)
            return false;
        *out = a.hi < b.lo ? a : (struct interval){0, b.lo - 1};
        return point;
    case IR_FLOORMOD:
        *out = point && int_floor_div(a.lo, b.lo) == int_floor_div(a.hi, b.lo)
                   ? (struct interval){a.lo - b.lo * int_floor_div(a.lo, b.lo),
                                       a.hi - b.lo * int_floor_div(a.lo, b.lo)}
                   : (struct interval){0, b.lo - 1};
        return point;
    case IR_BITXOR: { /* within the next power of two */
        int64_t top = 1;
        if (a.lo < 0 || b.lo < 0 || a.hi > INT32_MAX || b.hi > INT32_MAX)
            return false;
        while (top <= a.hi || top <= b.hi)
            top *= 2;
        *out = (struct interval){0, top - 1};
        return true;
    }
    case IR_BITAND:
        *out = (struct interval){0, a.hi < b.hi ? a.hi : b.hi};
        return a.lo >= 0 && b.lo >= 0;
    case IR_SHR:
        if (b.lo != b.hi || b.lo < 0 || b.lo >= bits || b.lo > 62)
            return false;
        *out = (struct interval){a.lo >> b.lo, a.hi >> b.lo};
        return a.lo >= 0;
    case IR_SHL:
        return b.lo == b.hi && b.lo >= 0 && b.lo < bits && b.lo < 62 &&
               range_mul(
                   a, (struct interval){(int64_t)1 << b.lo, (int64_t)1 << b.lo},
                   out);
    default: return false;
    }
}

/* By the operator, whatever the type holds. */
static bool range_any(struct ranger *r, const struct ir_expr *e,
                      struct interval *out)
{
    struct interval a, b;
    if (e->kind == IR_INT_IMM) {
        *out = (struct interval){e->u.int_value, e->u.int_value};
        return true;
    }
    if (e->kind == IR_VAR_REF)
        return range_var(r, e->u.var, out);
    if (e->kind == IR_CAST)
        return dtype_is_int(e->args[0]->dtype) && range_of(r, e->args[0], out);
    if (e->kind == IR_SELECT ||
        (e->kind == IR_CALL && e->u.call.op == IR_OP_IF_THEN_ELSE &&
         e->nargs == 3)) {
        if (!range_of(r, e->args[1], &a) || !range_of(r, e->args[2], &b))
            return false;
        *out = (struct interval){a.lo < b.lo ? a.lo : b.lo,
                                 a.hi > b.hi ? a.hi : b.hi};
        return true;
    }
    if (e->kind < IR_ADD || e->kind > IR_SHR || e->nargs != 2)
        return false;
    return range_of(r, e->args[0], &a) && range_of(r, e->args[1], &b) &&
           range_binary(e->kind, e->dtype.bits, a, b, out);
}

/* What does not fit the type wraps, and has no range here. */
static bool range_of(struct ranger *r, const struct ir_expr *e,
                     struct interval *out)
{
    if (r->steps == 0 || !dtype_is_int(e->dtype) || e->dtype.lanes > 1)
        return false;
    r->steps--;
    unsigned flags = 0;
    if (!range_any(r, e, out))
        return false;
    (void)num_from_int(e->dtype, out->lo, &flags);
    (void)num_from_int(e->dtype, out->hi, &flags);
    return (flags & NUM_WRAPPED) == 0;
}

bool fx_range(const struct front *f, const struct ir_expr *e, int64_t *lo,
              int64_t *hi)
{
    struct interval x = {0, 0};
    struct ranger r = {f, FRONT_STEPS};
    bool ok = range_of(&r, e, &x);
    *lo = x.lo;
    *hi = x.hi;
    return ok;
}
