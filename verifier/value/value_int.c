/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers in normal form, where that holds bit for bit: conversions that lose
 * nothing are left out, and parts of lanes that were put together of such parts
 * are the parts. Vector instructions (spec_dot.c) make both.
 */
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"

#define MAX_NESTED_SPANS 12
#define HALF             (INT64_C(1) << 31) /* so that products fit */

struct interval {
    int64_t lo, hi;
};

static bool span_of(struct vctx *c, const struct value *v, unsigned depth,
                    struct interval *out);

static struct interval of_type(struct dtype t)
{
    bool is_signed = t.code == DT_INT;
    int64_t top = (INT64_C(1) << (t.bits - (is_signed ? 1 : 0))) - 1;
    return (struct interval){is_signed ? -top - 1 : 0, top};
}

static bool within(struct interval a, struct interval b)
{
    return a.lo >= b.lo && a.hi <= b.hi;
}

static struct interval sum(struct interval a, struct interval b)
{
    return (struct interval){a.lo + b.lo, a.hi + b.hi};
}

static struct interval product(struct interval a, struct interval b)
{
    int64_t p[4] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
    struct interval r = {p[0], p[0]};
    for (size_t i = 1; i < 4; i++) {
        r.lo = p[i] < r.lo ? p[i] : r.lo;
        r.hi = p[i] > r.hi ? p[i] : r.hi;
    }
    return r;
}

/* Shifts and masks by constants. */
static bool of_bits(const struct value *v, struct interval a, struct interval b,
                    struct interval *out)
{
    bool fixed = b.lo == b.hi && b.lo >= 0 && b.lo < v->dtype.bits;
    switch ((int)v->op) {
    case IR_SHL:
        *out = product(a, (struct interval){INT64_C(1) << (b.lo & 31),
                                            INT64_C(1) << (b.lo & 31)});
        return fixed && b.lo < 31;
    case IR_SHR:
        *out = (struct interval){a.lo >> (b.lo & 63), a.hi >> (b.lo & 63)};
        return fixed;
    case IR_DIV:
    case IR_FLOORDIV:
        *out = (struct interval){a.lo / (b.lo > 0 ? b.lo : 1),
                                 a.hi / (b.lo > 0 ? b.lo : 1)};
        return b.lo == b.hi && b.lo > 0 && a.lo >= 0;
    case IR_MOD:
    case IR_FLOORMOD:
        *out = (struct interval){0, b.hi - 1};
        return b.lo > 0 && (v->op == IR_FLOORMOD || a.lo >= 0);
    default: return false;
    }
}

/* One operand that is not negative is enough. */
static bool of_mask(struct vctx *c, const struct value *v, unsigned depth,
                    struct interval *out)
{
    struct interval a;
    bool found = false;
    for (size_t i = 0; i < 2; i++) {
        if (!span_of(c, v->args[i], depth + 1, &a) || a.lo < 0 ||
            (found && a.hi >= out->hi))
            continue;
        *out = (struct interval){0, a.hi};
        found = true;
    }
    return found;
}

/* Before it is cut to the type. */
static bool of_binary(struct vctx *c, const struct value *v, unsigned depth,
                      struct interval *out)
{
    struct interval a, b;
    if (v->op == IR_BITAND)
        return of_mask(c, v, depth, out);
    if (!span_of(c, v->args[0], depth + 1, &a) ||
        !span_of(c, v->args[1], depth + 1, &b) || a.lo < -HALF || a.hi > HALF ||
        b.lo < -HALF || b.hi > HALF)
        return false;
    switch ((int)v->op) {
    case IR_ADD: *out = sum(a, b); return true;
    case IR_SUB: *out = sum(a, (struct interval){-b.hi, -b.lo}); return true;
    case IR_MUL: *out = product(a, b); return true;
    case IR_MIN:
        *out = (struct interval){a.lo < b.lo ? a.lo : b.lo,
                                 a.hi < b.hi ? a.hi : b.hi};
        return true;
    case IR_MAX:
        *out = (struct interval){a.lo > b.lo ? a.lo : b.lo,
                                 a.hi > b.hi ? a.hi : b.hi};
        return true;
    default: return of_bits(v, a, b, out);
    }
}

/* How many points a part has at most; false: not known. */
static bool count_points(const struct vctx *c, const struct value_part *p,
                         int64_t *n)
{
    *n = 1;
    for (size_t i = 0; i < p->nbinders; i++) {
        const struct atom *t = aff_atom_info(c->space, p->binders[i]);
        if (t->lo == AFF_NO_LOWER || t->hi == AFF_NO_BOUND || t->lo < -HALF ||
            t->hi > HALF || t->hi - t->lo + 1 > HALF / *n)
            return false;
        *n *= t->hi < t->lo ? 0 : t->hi - t->lo + 1;
        if (*n == 0)
            return true;
    }
    return true;
}

/* A sum: partial sums too lie within the sums of what is on either side of 0. */
static bool of_sum(struct vctx *c, const struct value *v, unsigned depth,
                   struct interval *out)
{
    if (v->op != IR_ADD || !span_of(c, v->args[0], depth + 1, out))
        return false;
    for (size_t i = 0; i < v->nparts; i++) {
        struct interval leaf;
        int64_t n;
        if (!span_of(c, v->parts[i].leaf, depth + 1, &leaf) ||
            !count_points(c, &v->parts[i], &n) || leaf.lo < -HALF ||
            leaf.hi > HALF || n > HALF / 2)
            return false;
        out->lo += n * (leaf.lo < 0 ? leaf.lo : 0);
        out->hi += n * (leaf.hi > 0 ? leaf.hi : 0);
        if (out->lo < -HALF * HALF || out->hi > HALF * HALF)
            return false;
    }
    return true;
}

static bool of_choice(struct vctx *c, const struct value *v, unsigned depth,
                      struct interval *out)
{
    struct interval a, b;
    if (!span_of(c, v->args[0], depth + 1, &a) ||
        !span_of(c, v->args[1], depth + 1, &b))
        return false;
    *out =
        (struct interval){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    return true;
}

/* The number before it is cut to the type; false: not known. */
static bool uncut(struct vctx *c, const struct value *v, unsigned depth,
                  struct interval *out)
{
    switch (v->kind) {
    case VALUE_INDEX:
        aff_range(c->space, v->index[0], &out->lo, &out->hi);
        return out->lo != AFF_NO_LOWER && out->hi != AFF_NO_BOUND;
    case VALUE_CONST:
        out->lo = out->hi = num_to_int(v->dtype, v->bits);
        return true;
    case VALUE_ITE: return of_choice(c, v, depth, out);
    case VALUE_REDUCE: return of_sum(c, v, depth, out);
    case VALUE_OP:
        if (v->op == IR_CAST && v->nargs == 1 &&
            dtype_is_bool(v->args[0]->dtype)) {
            *out = (struct interval){0, 1};
            return true;
        }
        if (v->op == IR_CAST)
            return v->nargs == 1 && span_of(c, v->args[0], depth + 1, out);
        return v->nargs == 2 && of_binary(c, v, depth, out);
    case VALUE_INPUT:
    case VALUE_SCALAR:
    case VALUE_FOLD:
    case VALUE_TUPLE:
    case VALUE_HOLE:
    case VALUE_UNDEF: break;
    }
    return false;
}

/* Bounds of an integer's number: what its operands give, where that fits the
 * type. */
static bool span_of(struct vctx *c, const struct value *v, unsigned depth,
                    struct interval *out)
{
    struct interval type, all = {-HALF * HALF, HALF * HALF};
    if (!dtype_is_int(v->dtype))
        return false;
    if (v->dtype.bits > 62) /* its ends are too far out */
        return depth <= MAX_NESTED_SPANS && uncut(c, v, depth, out) &&
               within(*out, all) && (v->dtype.code == DT_INT || out->lo >= 0);
    type = of_type(v->dtype);
    if (depth > MAX_NESTED_SPANS || !uncut(c, v, depth, out) ||
        !within(*out, type))
        *out = type;
    return true;
}

bool value_span(struct vctx *c, const struct value *v, int64_t *lo, int64_t *hi)
{
    struct interval x;
    if (!span_of(c, v, 0, &x))
        return false;
    *lo = x.lo;
    *hi = x.hi;
    return true;
}

bool value_fits(struct vctx *c, const struct value *v)
{
    struct interval x;
    if (!dtype_is_int(v->dtype))
        return false;
    struct interval type = {-HALF * HALF, HALF * HALF};
    if (v->dtype.bits <= 62)
        type = of_type(v->dtype);
    return uncut(c, v, 0, &x) && within(x, type);
}

const struct value *value_without_middle(struct vctx *c, const struct value *a,
                                         struct dtype to)
{
    struct interval from_span;
    if (a->kind != VALUE_OP || a->op != IR_CAST || a->nargs != 1 ||
        !dtype_is_int(to) || !dtype_is_int(a->dtype) || a->dtype.bits > 32)
        return a;
    const struct value *from = a->args[0];
    return span_of(c, from, 0, &from_span) &&
                   within(from_span, of_type(a->dtype))
               ? from
               : a;
}

/* Whether the lanes but the k-th are of its width, and defined: what is put
 * together of lanes is undefined where one of them is (R29), and so are all of
 * its parts (R10). */
static bool others_can_go(struct vctx *c, const struct value *a, size_t k)
{
    for (size_t i = 0; i < a->nargs; i++)
        if (i != k && (a->args[i]->dtype.bits != a->args[k]->dtype.bits ||
                       !OBLIGED(c->smt, "lanes left out are defined",
                                !a->args[i]->has_hole &&
                                    !vclean_may_be_undefined(c, a->args[i]))))
            return false;
    return true;
}

const struct value *value_part_of(struct vctx *c, const struct ir_expr *e,
                                  const struct value *const *args)
{
    const struct value *a = args[0];
    uint64_t k;
    if (e->kind != IR_CALL || e->u.call.op != IR_OP_REINTERPRET ||
        e->nargs != 2 || a->kind != VALUE_OP || a->op != IR_CALL ||
        a->call != IR_OP_REINTERPRET || a->nargs < 2 || a->has_undef ||
        a->args[0]->dtype.bits >= a->dtype.bits ||
        !value_is_const(args[1], &k) || k >= a->nargs ||
        a->args[k]->dtype.bits != e->dtype.bits || !others_can_go(c, a, k))
        return NULL;
    if (dtype_equal(a->args[k]->dtype, e->dtype))
        return a->args[k];
    struct value v = {.kind = VALUE_OP,
                      .dtype = e->dtype,
                      .op = IR_CALL,
                      .call = IR_OP_REINTERPRET,
                      .name = a->name,
                      .nargs = 1,
                      .args = (const struct value **)&a->args[k]};
    return value_make(c, &v);
}
