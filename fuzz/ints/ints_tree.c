/* SPDX-License-Identifier: Apache-2.0
 *
 * Trees of integer expressions: making, replacing, printing, writing out.
 *
 * Operations on constants alone are folded as TVM's own operators do, but only
 * where the result fits; so are x + 0, x * 1 and the like, since what is
 * printed would otherwise read back as another program.
 */
#include "fuzz/ints/ints_tree.h"

#include <inttypes.h>
#include <string.h>

/* ---- types ----------------------------------------------------------------- */

struct dtype ints_int(unsigned bits)
{
    return dtype_make(DT_INT, bits, 1);
}

struct dtype ints_uint(unsigned bits)
{
    return dtype_make(DT_UINT, bits, 1);
}

int64_t ints_least(struct dtype t)
{
    if (t.code != DT_INT)
        return 0;
    return -(int64_t)((UINT64_C(1) << (t.bits - 1)) - 1) - 1;
}

int64_t ints_most(struct dtype t)
{
    if (dtype_is_bool(t))
        return 1;
    if (t.code == DT_INT)
        return (int64_t)((UINT64_C(1) << (t.bits - 1)) - 1);
    return t.bits >= 64 ? -1 : (int64_t)((UINT64_C(1) << t.bits) - 1);
}

bool ints_fits(struct dtype t, int64_t v)
{
    return ints_wrap(t, (uint64_t)v) == (uint64_t)v;
}

/* ---- making ---------------------------------------------------------------- */

static struct ix *make(struct arena *arena, enum ix_kind kind, struct dtype t)
{
    struct ix *e = ARENA_NEW(arena, struct ix);
    e->kind = kind;
    e->t = t;
    e->size = 1;
    return e;
}

static const struct ix *with(struct ix *e, unsigned n,
                             const struct ix *const *a)
{
    e->nargs = n;
    for (unsigned i = 0; i < n; i++) {
        e->a[i] = a[i];
        e->size += a[i]->size;
    }
    return e;
}

const struct ix *ix_const(struct arena *arena, struct dtype t, int64_t value)
{
    struct ix *e = make(arena, IX_CONST, t);
    e->value = value;
    return e;
}

const struct ix *ix_slot(struct arena *arena, struct dtype t, unsigned slot)
{
    struct ix *e = make(arena, IX_SLOT, t);
    e->slot = slot;
    return e;
}

bool ix_is_compare(enum ir_expr_kind op)
{
    return op == IR_EQ || op == IR_NE || op == IR_LT || op == IR_LE ||
           op == IR_GT || op == IR_GE;
}

static bool untyped(const struct ix *e)
{
    return e->kind == IX_CONST && e->t.code == DT_VOID;
}

/* A constant in the type; NULL if it does not fit. */
static const struct ix *typed(struct arena *arena, struct dtype t,
                              const struct ix *e)
{
    if (e == NULL || !untyped(e))
        return e;
    if (dtype_is_float(t)) {
        struct ix *f = make(arena, IX_FLOAT, t);
        f->number = (double)e->value;
        return f;
    }
    if (!ints_fits(t, e->value))
        return NULL;
    return ix_const(arena, t, e->value);
}

static bool is_value(const struct ix *e, int64_t value)
{
    return e->kind == IX_CONST && e->value == value;
}

static bool same_const(struct arena *arena, enum ir_expr_kind op,
                       const struct ix *a, const struct ix *b,
                       const struct ix **out)
{
    const struct ints_cell x = {(uint64_t)a->value, 0};
    const struct ints_cell y = {(uint64_t)b->value, 0};
    enum ints_stop stop = INTS_GOES;
    struct ints_cell r = ints_binary(op, a->t, x, y, &stop);
    if (stop != INTS_GOES || r.flags != 0)
        return false;
    *out =
        ix_const(arena, ix_is_compare(op) ? DTYPE_BOOL : a->t, (int64_t)r.bits);
    return true;
}

/* What TVM's operators make of units and zeros; NULL: a node of its own. */
static const struct ix *simple(struct arena *arena, enum ir_expr_kind op,
                               const struct ix *a, const struct ix *b)
{
    const struct ix *r;
    if (a->kind == IX_CONST && b->kind == IX_CONST &&
        same_const(arena, op, a, b, &r))
        return r;
    if (dtype_is_float(a->t))
        return NULL;
    bool zero_a = is_value(a, 0), zero_b = is_value(b, 0);
    switch ((int)op) {
    case IR_ADD: return zero_b ? a : zero_a ? b : NULL;
    case IR_SUB: return zero_b ? a : NULL;
    case IR_MUL:
        if (is_value(a, 1) || zero_b)
            return b;
        return is_value(b, 1) || zero_a ? a : NULL;
    case IR_DIV:
    case IR_FLOORDIV: return is_value(b, 1) || zero_a ? a : NULL;
    case IR_MOD:
    case IR_FLOORMOD:
        return is_value(b, 1) ? ix_const(arena, a->t, 0) : zero_a ? a : NULL;
    case IR_MIN:
    case IR_MAX: return a == b ? a : NULL;
    case IR_SHL:
    case IR_SHR: return zero_b ? a : NULL;
    default: return NULL;
    }
}

const struct ix *ix_binary(struct arena *arena, enum ir_expr_kind op,
                           const struct ix *a, const struct ix *b)
{
    if (a == NULL || b == NULL)
        return NULL;
    if (untyped(a) && !untyped(b))
        a = typed(arena, b->t, a);
    else if (untyped(b) && !untyped(a))
        b = typed(arena, a->t, b);
    if (a == NULL || b == NULL || !dtype_equal(a->t, b->t))
        return NULL;
    bool logic = op == IR_AND || op == IR_OR;
    if (logic != (dtype_is_bool(a->t) && !ix_is_compare(op)))
        return NULL;
    const struct ix *r = untyped(a) ? NULL : simple(arena, op, a, b);
    if (r != NULL)
        return r;
    bool truth = logic || ix_is_compare(op);
    struct ix *e = make(arena, IX_BINARY, truth ? DTYPE_BOOL : a->t);
    e->op = op;
    const struct ix *args[] = {a, b};
    return with(e, 2, args);
}

const struct ix *ix_unary(struct arena *arena, enum ix_kind kind,
                          const struct ix *a)
{
    if (a == NULL || untyped(a) || (kind == IX_NOT) != dtype_is_bool(a->t) ||
        (kind == IX_BITNOT && !dtype_is_int(a->t)))
        return NULL;
    if (kind == IX_ABS && a->t.code == DT_UINT)
        return a;
    if (a->kind == IX_CONST && kind == IX_NOT)
        return ix_const(arena, a->t, !a->value);
    return with(make(arena, kind, a->t), 1, &a);
}

const struct ix *ix_cast(struct arena *arena, struct dtype t,
                         const struct ix *a)
{
    if (a == NULL || t.code == DT_VOID)
        return NULL;
    if (untyped(a))
        return typed(arena, t, a);
    if (dtype_equal(a->t, t))
        return a;
    if (a->kind == IX_CONST && dtype_is_int(t) && dtype_is_int(a->t) &&
        ints_fits(t, a->value) &&
        (a->value >= 0 || (a->t.code == DT_INT && t.code == DT_INT)))
        return ix_const(arena, t, a->value);
    return with(make(arena, IX_CAST, t), 1, &a);
}

const struct ix *ix_bits(struct arena *arena, struct dtype t,
                         const struct ix *a)
{
    if (a == NULL || untyped(a) || a->t.bits != t.bits || dtype_is_bool(a->t) ||
        dtype_is_bool(t))
        return NULL;
    if (dtype_equal(a->t, t))
        return a;
    return with(make(arena, IX_BITS, t), 1, &a);
}

const struct ix *ix_call(struct arena *arena, enum ir_op call,
                         const struct ix *a)
{
    bool counts = call == IR_OP_POPCOUNT || call == IR_OP_CLZ;
    bool asks =
        call == IR_OP_ISNAN || call == IR_OP_ISINF || call == IR_OP_ISFINITE;
    if (a == NULL || untyped(a) || a->kind == IX_CONST ||
        counts != dtype_is_int(a->t))
        return NULL;
    struct dtype t = asks ? DTYPE_BOOL : a->t;
    struct ix *e = make(arena, IX_CALL, t);
    e->call = call;
    return with(e, 1, &a);
}

const struct ix *ix_at(struct arena *arena, struct dtype t, unsigned slot,
                       unsigned n, const struct ix *const *index)
{
    const struct ix *a[2];
    for (unsigned i = 0; i < n; i++) {
        if (index[i] == NULL ||
            (!untyped(index[i]) && !dtype_is_int(index[i]->t)))
            return NULL;
        a[i] = ix_cast(arena, DTYPE_INT32, index[i]);
        if (a[i] == NULL)
            return NULL;
    }
    struct ix *e = make(arena, IX_AT, t);
    e->slot = slot;
    return with(e, n, a);
}

const struct ix *ix_choose(struct arena *arena, enum ix_kind kind,
                           const struct ix *c, const struct ix *a,
                           const struct ix *b)
{
    if (a == NULL || b == NULL || c == NULL)
        return NULL;
    if (untyped(a) && !untyped(b))
        a = typed(arena, b->t, a);
    else if (untyped(b) && !untyped(a))
        b = typed(arena, a->t, b);
    if (a == NULL || b == NULL || untyped(a) || !dtype_equal(a->t, b->t) ||
        !dtype_is_bool(c->t))
        return NULL;
    if (c->kind == IX_CONST)
        return c->value ? a : b;
    const struct ix *args[] = {c, a, b};
    return with(make(arena, kind, a->t), 3, args);
}

const struct ix *ix_let(struct arena *arena, const struct ix *value,
                        const struct ix *body)
{
    const struct ix *args[] = {value, body};
    return with(make(arena, IX_LET, body->t), 2, args);
}

/* ---- taking apart ---------------------------------------------------------- */

const struct ix *ix_replace(struct arena *arena, const struct ix *e,
                            const struct ix *from, const struct ix *to)
{
    const struct ix *a[3];
    bool changed = false;
    if (e == from)
        return to;
    for (unsigned i = 0; i < e->nargs; i++) {
        a[i] = ix_replace(arena, e->a[i], from, to);
        changed = changed || a[i] != e->a[i];
    }
    if (!changed)
        return e;
    struct ix *now = arena_memdup(arena, e, sizeof *e);
    now->size = 1;
    return with(now, e->nargs, a);
}

const struct ix *ix_node(const struct ix *e, unsigned k)
{
    if (k == 0)
        return e;
    k--;
    for (unsigned i = 0; i < e->nargs; i++) {
        if (k < e->a[i]->size)
            return ix_node(e->a[i], k);
        k -= e->a[i]->size;
    }
    return e;
}

unsigned ix_slots(const struct ix *e)
{
    bool names = e->kind == IX_SLOT || e->kind == IX_AT;
    unsigned set = names ? 1u << e->slot : 0;
    for (unsigned i = 0; i < e->nargs; i++)
        set |= ix_slots(e->a[i]);
    return set;
}

/* ---- printing -------------------------------------------------------------- */

static const char *op_text(enum ir_expr_kind op)
{
    switch ((int)op) {
    case IR_ADD: return "+";
    case IR_SUB: return "-";
    case IR_MUL: return "*";
    case IR_DIV: return "/";
    case IR_MOD: return "%";
    case IR_FLOORDIV: return "//";
    case IR_FLOORMOD: return "%%";
    case IR_BITAND: return "&";
    case IR_BITOR: return "|";
    case IR_BITXOR: return "^";
    case IR_SHL: return "<<";
    case IR_SHR: return ">>";
    case IR_EQ: return "==";
    case IR_NE: return "!=";
    case IR_LT: return "<";
    case IR_LE: return "<=";
    case IR_GT: return ">";
    case IR_GE: return ">=";
    case IR_AND: return "&&";
    case IR_OR: return "||";
    default: return ir_expr_kind_name(op);
    }
}

static const char *kind_text(const struct ix *e, char type[48])
{
    switch (e->kind) {
    case IX_NOT: return "!";
    case IX_BITNOT: return "~";
    case IX_CAST: return dtype_name(e->t, type);
    case IX_SELECT: return "select";
    case IX_LAZY: return "if";
    case IX_LET: return "let";
    case IX_ABS: return "abs";
    case IX_BITS: return "reinterpret";
    case IX_CALL: return ir_op_info(e->call)->name;
    case IX_AT: return e->nargs == 1 ? "at" : "row";
    case IX_CONST:
    case IX_FLOAT:
    case IX_SLOT:
    case IX_BINARY: break;
    }
    return "";
}

void ix_put(const struct ix *e, struct buf *out)
{
    char type[48];
    if (e->kind == IX_CONST) {
        buf_printf(out, "%" PRId64, e->value);
        return;
    }
    if (e->kind == IX_FLOAT) {
        buf_put_double(out, e->number);
        return;
    }
    if (e->kind == IX_SLOT) {
        buf_printf(out, "s%u:%s", e->slot, dtype_name(e->t, type));
        return;
    }
    if (e->kind == IX_BINARY && e->op != IR_MIN && e->op != IR_MAX) {
        buf_putc(out, '(');
        ix_put(e->a[0], out);
        buf_printf(out, " %s ", op_text(e->op));
        ix_put(e->a[1], out);
        buf_putc(out, ')');
        return;
    }
    buf_puts(out, e->kind == IX_BINARY ? op_text(e->op) : kind_text(e, type));
    buf_putc(out, '(');
    for (unsigned i = 0; i < e->nargs; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        ix_put(e->a[i], out);
    }
    buf_putc(out, ')');
}

/* ---- writing out ----------------------------------------------------------- */

bool ix_needs_loop(const struct ix *e)
{
    bool needs = e->kind == IX_LAZY || (e->kind == IX_AT && e->nargs > 1);
    for (unsigned i = 0; i < e->nargs; i++)
        needs = needs || ix_needs_loop(e->a[i]);
    return needs;
}

static struct ir_expr *spread(struct ir_module *m, struct ir_expr *e,
                              unsigned lanes)
{
    return lanes == 1 ? e : ir_broadcast(m, e, ir_int(m, DTYPE_INT32, lanes));
}

static struct ir_expr *emit_let(struct ir_module *m, const struct ix *e,
                                struct ir_expr *const *slots, unsigned lanes)
{
    struct ir_expr *inner[IX_NSLOTS];
    struct ir_var *v = ir_var_make(m, "v", dtype_with_lanes(e->a[0]->t, lanes));
    struct ir_expr *value = ix_emit(m, e->a[0], slots, lanes);
    memcpy(inner, slots, sizeof inner);
    inner[IX_LET_SLOT] = ir_var_ref(m, v);
    return ir_let(m, v, value, ix_emit(m, e->a[1], inner, lanes));
}

struct ir_expr *ix_emit(struct ir_module *m, const struct ix *e,
                        struct ir_expr *const *slots, unsigned lanes)
{
    struct ir_expr *a[3];
    struct dtype t = dtype_with_lanes(e->t, lanes);
    for (unsigned i = 0; i < e->nargs && e->kind != IX_LET; i++)
        a[i] = ix_emit(m, e->a[i], slots, lanes);
    switch (e->kind) {
    case IX_CONST: return spread(m, ir_int(m, e->t, e->value), lanes);
    case IX_FLOAT: return spread(m, ir_float(m, e->t, e->number), lanes);
    case IX_SLOT: return slots[e->slot];
    case IX_BINARY: return ir_binary(m, e->op, a[0], a[1]);
    case IX_NOT: return ir_not(m, a[0]);
    case IX_BITNOT: return ir_bitnot(m, a[0]);
    case IX_CAST: return ir_cast(m, t, a[0]);
    case IX_SELECT: return ir_select(m, a[0], a[1], a[2]);
    case IX_LAZY: return ir_call(m, t, "tirx.if_then_else", 3, a);
    case IX_LET: return emit_let(m, e, slots, lanes);
    case IX_ABS: return ir_call(m, t, "tirx.abs", 1, a);
    case IX_BITS: return ir_call(m, t, "tirx.reinterpret", 1, a);
    case IX_AT: return ir_load(m, slots[e->slot]->u.buffer, e->nargs, a, NULL);
    case IX_CALL: break;
    }
    char name[48];
    (void)snprintf(name, sizeof name, "tirx.%s", ir_op_info(e->call)->name);
    return ir_call(m, t, name, 1, a);
}
