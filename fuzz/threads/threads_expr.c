/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions over the numbers of threads and trips: their values as their types
 * hold them, their values as integers without limits, and their text.
 *
 * Without limits is what somebody takes an expression for who forgets that types
 * are narrow: nothing wraps and conversions are not there. The text in wide
 * integers says that; where both agree on all threads and trips, the two texts
 * mean the same.
 */
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

/* Values beyond are not looked at; products of two are still no overflow. */
#define LARGEST (INT64_C(1) << 31)

static struct te *fresh(struct plan *p, enum te_kind kind, struct dtype t)
{
    struct te *e = ARENA_NEW(p->arena, struct te);
    e->kind = kind;
    e->t = t;
    return e;
}

const struct te *te_const(struct plan *p, struct dtype t, int64_t value)
{
    struct te *e = fresh(p, TE_CONST, t);
    e->value = te_wrap(t, value);
    return e;
}

const struct te *te_var(struct plan *p, enum var_kind v)
{
    struct te *e = fresh(p, TE_VAR, p->vars[v].t);
    e->value = v;
    return e;
}

const struct te *te_cast(struct plan *p, struct dtype t, const struct te *e)
{
    if (dtype_equal(t, e->t))
        return e;
    struct te *cast = fresh(p, TE_CAST, t);
    cast->a[0] = e;
    return cast;
}

const struct te *te_binary(struct plan *p, enum te_kind kind,
                           const struct te *a, const struct te *b)
{
    struct te *e = fresh(p, kind, kind >= TE_LT ? DTYPE_BOOL : a->t);
    e->a[0] = a;
    e->a[1] = b;
    return e;
}

const struct te *te_select(struct plan *p, const struct te *c,
                           const struct te *a, const struct te *b)
{
    struct te *e = fresh(p, TE_SELECT, a->t);
    e->a[0] = c;
    e->a[1] = a;
    e->a[2] = b;
    return e;
}

const struct te *te_with(struct plan *p, enum te_kind kind, const struct te *a,
                         int64_t b)
{
    return te_binary(p, kind, a, te_const(p, a->t, b));
}

/* ---- values ---------------------------------------------------------------- */

int64_t te_wrap(struct dtype t, int64_t v)
{
    if (!dtype_is_int(t) || t.bits >= 64)
        return v;
    uint64_t mask = (UINT64_C(1) << t.bits) - 1;
    uint64_t low = (uint64_t)v & mask;
    bool negative = t.code == DT_INT && (low >> (t.bits - 1)) != 0;
    return (int64_t)(negative ? low | ~mask : low);
}

bool te_fits(struct dtype t, int64_t v)
{
    return te_wrap(t, v) == v;
}

static int64_t floordiv(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool operate(enum te_kind kind, int64_t a, int64_t b, int64_t *out)
{
    switch (kind) {
    case TE_ADD: *out = a + b; return true;
    case TE_SUB: *out = a - b; return true;
    case TE_MUL: *out = a * b; return true;
    case TE_AND: *out = a & b; return true;
    case TE_XOR: *out = a ^ b; return true;
    case TE_MIN: *out = a < b ? a : b; return true;
    case TE_MAX: *out = a > b ? a : b; return true;
    case TE_LT: *out = a < b; return true;
    case TE_LE: *out = a <= b; return true;
    case TE_EQ: *out = a == b; return true;
    case TE_NE: *out = a != b; return true;
    case TE_BOTH: *out = a && b; return true;
    case TE_EITHER: *out = a || b; return true;
    case TE_SHL:
        *out = (int64_t)((uint64_t)a << (b & 15));
        return b >= 0 && b < 16;
    case TE_SHR: *out = a >> (b & 63); return b >= 0 && b < 64;
    case TE_CONST:
    case TE_VAR:
    case TE_CAST:
    case TE_SELECT: return false;
    case TE_FLOORDIV:
    case TE_FLOORMOD:
    case TE_DIV:
    case TE_MOD: break;
    }
    if (b == 0)
        return false;
    *out = kind == TE_DIV        ? a / b
           : kind == TE_MOD      ? a % b
           : kind == TE_FLOORDIV ? floordiv(a, b)
                                 : a - floordiv(a, b) * b;
    return true;
}

static int64_t variable(const struct plan *p, const struct te *e,
                        const int64_t trips[NVARS])
{
    const struct var *v = &p->vars[e->value];
    return v->min + trips[e->value] * v->step;
}

/* Types of 32 bits and more with a sign may not wrap on the way to an index. */
static bool keep(const struct te *e, bool unlimited, int64_t value,
                 int64_t *out)
{
    *out = unlimited ? value : te_wrap(e->t, value);
    if (!unlimited && e->kind != TE_CAST && *out != value &&
        e->t.code == DT_INT && e->t.bits >= 32)
        return false;
    return *out<LARGEST && * out> - LARGEST;
}

bool te_value(const struct plan *p, const struct te *e,
              const int64_t trips[NVARS], bool unlimited, int64_t *out)
{
    int64_t v[3] = {0, 0, 0};
    for (unsigned i = 0; i < 3 && e->a[i] != NULL; i++)
        if (!te_value(p, e->a[i], trips, unlimited, &v[i]))
            return false;
    if (e->kind == TE_CONST)
        v[0] = e->value;
    else if (e->kind == TE_VAR)
        v[0] = variable(p, e, trips);
    else if (e->kind == TE_SELECT)
        v[0] = v[0] != 0 ? v[1] : v[2];
    else if (e->kind != TE_CAST && !operate(e->kind, v[0], v[1], &v[0]))
        return false;
    return keep(e, unlimited, v[0], out);
}

bool te_next(const struct plan *p, int64_t trips[NVARS])
{
    for (unsigned v = 0; v < NVARS; v++) {
        if (!p->vars[v].used)
            continue;
        if (++trips[v] < p->vars[v].count)
            return true;
        trips[v] = 0;
    }
    return false;
}

/* ---- text ------------------------------------------------------------------ */

const char *te_type(struct plan *p, struct dtype t)
{
    char text[48];
    return arena_strdup(p->arena, dtype_name(t, text));
}

const char *te_number(struct plan *p, struct dtype t, int64_t value)
{
    value = te_wrap(t, value);
    if (dtype_equal(t, DTYPE_INT32) && value >= 0)
        return arena_printf(p->arena, "%" PRId64, value);
    return arena_printf(p->arena, "T.%s(%" PRId64 ")", te_type(p, t), value);
}

static const char *name_of(struct plan *p, const struct te *e, unsigned side,
                           bool wide)
{
    const struct var *v = &p->vars[e->value];
    struct dtype is = side == 0 ? v->plain : v->t;
    struct dtype want = wide ? p->wide : v->t;
    if (dtype_equal(is, want))
        return v->name;
    return arena_printf(p->arena, "T.Cast(\"%s\", %s)", te_type(p, want),
                        v->name);
}

static const char *pattern_of(enum te_kind kind)
{
    switch (kind) {
    case TE_ADD: return "(%s + %s)";
    case TE_SUB: return "(%s - %s)";
    case TE_MUL: return "(%s * %s)";
    case TE_FLOORDIV: return "(%s // %s)";
    case TE_FLOORMOD: return "(%s %% %s)";
    case TE_DIV: return "T.Div(%s, %s)";
    case TE_MOD: return "T.truncmod(%s, %s)";
    case TE_AND: return "T.bitwise_and(%s, %s)";
    case TE_XOR: return "T.bitwise_xor(%s, %s)";
    case TE_SHL: return "T.shift_left(%s, %s)";
    case TE_SHR: return "T.shift_right(%s, %s)";
    case TE_MIN: return "T.min(%s, %s)";
    case TE_MAX: return "T.max(%s, %s)";
    case TE_LT: return "(%s < %s)";
    case TE_LE: return "(%s <= %s)";
    case TE_EQ: return "(%s == %s)";
    case TE_NE: return "(%s != %s)";
    case TE_BOTH: return "(%s and %s)";
    case TE_EITHER: return "(%s or %s)";
    case TE_CONST:
    case TE_VAR:
    case TE_CAST:
    case TE_SELECT: break;
    }
    return NULL;
}

/* A pattern with two operands in it. */
static const char *filled(struct plan *p, const char *pattern, const char *a,
                          const char *b)
{
    struct buf out = {0};
    const char *operands[] = {a, b};
    for (unsigned n = 0; *pattern != '\0'; pattern++) {
        if (*pattern != '%') {
            buf_putc(&out, *pattern);
        } else if (*++pattern == '%') {
            buf_putc(&out, '%');
        } else {
            buf_puts(&out, operands[n++]);
        }
    }
    const char *text = arena_strdup(p->arena, buf_text(&out));
    buf_fini(&out);
    return text;
}

const char *te_text(struct plan *p, const struct te *e, unsigned side,
                    bool wide)
{
    const char *a[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < 3 && e->a[i] != NULL; i++)
        a[i] = te_text(p, e->a[i], side, wide);
    switch ((int)e->kind) {
    case TE_CONST: return te_number(p, wide ? p->wide : e->t, e->value);
    case TE_VAR: return name_of(p, e, side, wide);
    case TE_CAST:
        return wide ? a[0]
                    : arena_printf(p->arena, "T.Cast(\"%s\", %s)",
                                   te_type(p, e->t), a[0]);
    case TE_SELECT:
        return arena_printf(p->arena, "T.Select(%s, %s, %s)", a[0], a[1], a[2]);
    default: return filled(p, pattern_of(e->kind), a[0], a[1]);
    }
}
