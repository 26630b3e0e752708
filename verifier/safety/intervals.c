/* SPDX-License-Identifier: Apache-2.0
 *
 * Interval arithmetic on integers of the program, for bounds.c. Ends saturate
 * at SPAN_END, beyond which nothing is said.
 */
#include "verifier/safety/safety_private.h"

const struct bounds bounds_any = {-SPAN_END, SPAN_END};

int64_t bounds_end(int64_t v)
{
    return v > SPAN_END ? SPAN_END : v < -SPAN_END ? -SPAN_END : v;
}

bool bounds_open(struct bounds a)
{
    return a.lo == -SPAN_END || a.hi == SPAN_END;
}

struct bounds bounds_add(struct bounds a, struct bounds b)
{
    /* an open end stays open; the sums of others fit 64 bits */
    struct bounds r = {bounds_end(a.lo + b.lo), bounds_end(a.hi + b.hi)};
    if (a.lo == -SPAN_END || b.lo == -SPAN_END)
        r.lo = -SPAN_END;
    if (a.hi == SPAN_END || b.hi == SPAN_END)
        r.hi = SPAN_END;
    return r;
}

struct bounds bounds_neg(struct bounds a)
{
    struct bounds r = {-a.hi, -a.lo};
    return r;
}

struct bounds bounds_mul(struct bounds a, struct bounds b)
{
    const int64_t x[] = {a.lo, a.hi}, y[] = {b.lo, b.hi};
    struct bounds r = {SPAN_END, -SPAN_END};
    if (bounds_open(a) || bounds_open(b))
        return bounds_any;
    for (size_t i = 0; i < 4; i++) {
        int64_t v;
        if (__builtin_mul_overflow(x[i / 2], y[i % 2], &v))
            return bounds_any;
        v = bounds_end(v);
        r.lo = v < r.lo ? v : r.lo;
        r.hi = v > r.hi ? v : r.hi;
    }
    return r;
}

struct bounds bounds_union(struct bounds a, struct bounds b)
{
    struct bounds r = {a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
    return r;
}

static int64_t floor_of(int64_t a, int64_t d)
{
    int64_t q = a / d;
    return a % d < 0 ? q - 1 : q;
}

/* Quotients and remainders by a positive constant; trunc: rounded to zero. */
struct bounds bounds_div(struct bounds a, int64_t d, bool trunc)
{
    struct bounds r = {floor_of(a.lo, d), floor_of(a.hi, d)};
    if (trunc && a.lo < 0) {
        r.lo = a.lo / d;
        r.hi = a.hi / d;
    }
    return r;
}

struct bounds bounds_mod(struct bounds a, int64_t d, bool trunc)
{
    struct bounds r = {0, d - 1};
    if (floor_of(a.lo, d) == floor_of(a.hi, d) && (!trunc || a.lo >= 0)) {
        r.lo = a.lo - d * floor_of(a.lo, d);
        r.hi = a.hi - d * floor_of(a.hi, d);
    } else if (trunc && a.lo < 0) {
        r.lo = -(d - 1);
    }
    return r;
}

struct bounds bounds_of_type(struct dtype t)
{
    struct bounds r = bounds_any;
    if (dtype_is_bool(t)) {
        r.lo = 0;
        r.hi = 1;
    } else if (dtype_is_int(t) && t.bits < 61) {
        int64_t half = INT64_C(1) << (t.bits - 1);
        r.lo = t.code == DT_INT ? -half : 0;
        r.hi = t.code == DT_INT ? half - 1 : 2 * half - 1;
    } else if (t.code == DT_UINT) {
        r.lo = 0;
    }
    return r;
}

bool bounds_fit(struct dtype t, struct bounds a)
{
    struct bounds type = bounds_of_type(t);
    if (dtype_is_int(t) && t.bits >= 61) /* ends within +-SPAN_END do */
        return a.lo > (t.code == DT_INT ? -SPAN_END : -1) && a.hi < SPAN_END;
    return a.lo >= type.lo && a.hi <= type.hi;
}

struct bounds bounds_bits(const struct ir_expr *e, struct bounds a,
                          struct bounds b)
{
    bool fixed = b.lo == b.hi && b.lo >= 0 && !bounds_open(a);
    if (e->kind == IR_SHL && fixed && b.lo < 40) {
        struct bounds k = {INT64_C(1) << b.lo, INT64_C(1) << b.lo};
        return bounds_mul(a, k);
    }
    if (e->kind == IR_SHR && fixed && b.lo < 60)
        return bounds_div(a, INT64_C(1) << b.lo, false);
    /* a negative operand has any bits above the other's */
    if (e->kind == IR_BITAND && (a.lo >= 0 || b.lo >= 0)) {
        struct bounds r = {0, b.lo < 0                  ? a.hi
                              : a.lo < 0 || b.hi < a.hi ? b.hi
                                                        : a.hi};
        return r;
    }
    if ((e->kind == IR_BITOR || e->kind == IR_BITXOR) && a.lo >= 0 &&
        b.lo >= 0 && a.hi < SPAN_END / 2 && b.hi < SPAN_END / 2) {
        struct bounds r = {0, 1};
        while (r.hi <= a.hi || r.hi <= b.hi)
            r.hi *= 2;
        r.hi--;
        return r;
    }
    return bounds_of_type(e->dtype);
}
