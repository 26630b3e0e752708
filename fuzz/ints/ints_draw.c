/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing a pair of expressions: a rule, types for it, operands
 * (ints_operand.c), and the same operations around both sides; or a whole
 * expression in another type, or with one node changed.
 */
#include "fuzz/ints/ints_private.h"

#include <string.h>

/* ---- names of a rule ------------------------------------------------------- */

static void set_type(struct draw *d, char letter, struct dtype t)
{
    d->names.types[letter - 'A'] = t;
}

static void draw_types(struct draw *d, struct dtype t)
{
    set_type(d, 'T', t);
    set_type(d, 'W', draw_width(d, t, true));
    set_type(d, 'N', draw_width(d, t, false));
    set_type(d, 'U', dtype_make(DT_UINT, t.bits, 1));
    set_type(d, 'S', dtype_make(DT_INT, t.bits, 1));
    set_type(d, 'X', draw_type(d));
    set_type(d, 'I', DTYPE_INT32);
    set_type(d, 'L', DTYPE_INT64);
    set_type(d, 'B', DTYPE_BOOL);
    set_type(d, 'F', DTYPE_FLOAT32);
    set_type(d, 'D', dtype_make(DT_FLOAT, 64, 1));
    set_type(d, 'H', dtype_make(DT_FLOAT, 16, 1));
    set_type(d, 'K', dtype_make(DT_BFLOAT, 16, 1));
    set_type(d, 'V', ints_uint(32));
    set_type(d, 'Z', ints_uint(64));
}

static void set_constant(struct draw *d, char letter, int64_t v)
{
    d->names.known[letter - 'a'] = true;
    d->names.constants[letter - 'a'] = v;
}

static void draw_constants(struct draw *d, struct dtype t)
{
    set_constant(d, 'k', draw_constant(d, t));
    set_constant(d, 'l', draw_constant(d, t));
    set_constant(d, 'g', draw_positive(d, t));
    set_constant(d, 'h', draw_positive(d, t));
    set_constant(d, 'r', (int64_t)gen_below(d->b, t.bits));
    set_constant(d, 's', (int64_t)gen_below(d->b, t.bits));
    set_constant(d, 'z', (int64_t)(t.bits + gen_below(d->b, t.bits)));
}

static struct dtype type_of_letter(const struct draw *d, char letter)
{
    switch (letter) {
    case 'p':
    case 'q': return DTYPE_BOOL;
    case 'w': return d->names.types['W' - 'A'];
    case 'x':
    case 'y': return d->names.types['X' - 'A'];
    case 'f':
    case 'o': return d->names.types['F' - 'A'];
    case 'm':
    case 'n': return d->names.types['H' - 'A'];
    case 't': return d->names.types['K' - 'A'];
    case 'e': return d->names.types['D' - 'A'];
    default: return d->names.types['T' - 'A'];
    }
}

/* Values for the letters that the text has as words of their own, and tables
 * that it reads. */
static bool draw_letters(struct draw *d, const char *text)
{
    static const char *const words[] = {"at(", "row("};
    d->names.row = d->row;
    for (unsigned i = 0; i < 2; i++)
        if (strstr(text, words[i]) != NULL &&
            !draw_table(d, d->names.types['T' - 'A'], i + 1,
                        &d->names.tables[i]))
            return false;
    for (const char *c = text; *c != '\0'; c++) {
        bool word = *c >= 'a' && *c <= 'z' &&
                    (c == text || c[-1] < 'a' || c[-1] > 'z') &&
                    (c[1] < 'a' || c[1] > 'z');
        if (!word || d->names.known[*c - 'a'] ||
            d->names.values[*c - 'a'] != NULL)
            continue;
        struct dtype t = type_of_letter(d, *c);
        if (t.code == DT_VOID)
            return false;
        d->names.values[*c - 'a'] = draw_value(d, t, 1);
        if (d->names.values[*c - 'a'] == NULL)
            return false;
    }
    return true;
}

static void forget_letters(struct draw *d)
{
    memset((void *)d->names.values, 0, sizeof d->names.values);
}

/* ---- what stands around both ----------------------------------------------- */

/* v is the side's value, of type T. */
static const char *const around_value[] = {
    "v + b",    "v - b",       "b - v",       "v * k",     "v & k",
    "v %% g",   "v // g",      "max(v, b)",   "min(v, k)", "W(v)",
    "W(v) + w", "N(v)",        "U(v)",        "S(v)",      "X(v)",
    "X(v) + x", "p ? v : b",   "if(p, v, b)", "v < b",     "v < k",
    "v == k",   "v > b",       "v >= 0",      "v != b",    "B(v)",
    "v >> s",   "v ^ b",       "I(v) < I(b)", "W(v) < w",  "v % g",
    "T(F(v))",  "(v & 1) == 1"};
/* v is a float, T the integers of the rule. */
static const char *const around_float[] = {
    "T(v)",      "v < 1",    "v == v",           "isnan(v)", "B(v)",
    "D(v) < e",  "F(v)",     "v > 0 ? a : b",    "abs(v)",   "max(v, 0)",
    "min(0, v)", "floor(v)", "if(v >= 0, a, b)", "v != 0",   "v * v"};
/* v is a truth. */
static const char *const around_truth[] = {
    "v && p", "!v",        "v || p",   "v == p",
    "T(v)",   "v ? a : b", "T(v) + b", "if(v, a, b)"};

static bool wrap_once(struct draw *d)
{
    const struct ix *now[2];
    struct dtype t = d->side[0]->t;
    bool truth = dtype_is_bool(t);
    const char *text =
        truth ? around_truth[gen_below(d->b, DC_ARRAY_LEN(around_truth))]
              : around_value[gen_below(d->b, DC_ARRAY_LEN(around_value))];
    if (dtype_is_float(t))
        text = around_float[gen_below(d->b, DC_ARRAY_LEN(around_float))];
    if (dtype_is_int(t)) {
        draw_types(d, t);
        draw_constants(d, t);
    }
    forget_letters(d);
    for (size_t i = 0; i < 2; i++) {
        d->names.values['v' - 'a'] = d->side[i];
        if (!draw_letters(d, text))
            return false;
        now[i] = ints_read(&d->names, text);
    }
    if (now[0] == NULL || now[1] == NULL)
        return false;
    d->side[0] = now[0];
    d->side[1] = now[1];
    return true;
}

/* ---- rules ----------------------------------------------------------------- */

struct rule {
    enum ints_class class;
    const char *types, *side[2];
};
#define RULE(class, types, left, right) {INTS_##class, types, {left, right}},
static const struct rule rules[] = {
#include "fuzz/ints/ints_rules.def"
};
#undef RULE

static bool draw_rule(struct draw *d)
{
    const struct rule *r = &rules[gen_below(d->b, DC_ARRAY_LEN(rules))];
    bool turned = gen_chance(d->b, 1, 2);
    struct dtype t = d->names.types['T' - 'A'];
    if ((r->types[0] == 's' && t.code != DT_INT) ||
        (r->types[0] == 'u' && t.code != DT_UINT)) {
        t.code = t.code == DT_INT ? DT_UINT : DT_INT;
        draw_types(d, t);
        draw_constants(d, t);
    }
    d->class = r->class;
    d->about =
        arena_printf(d->arena, "%s = %s", r->side[turned], r->side[!turned]);
    for (size_t i = 0; i < 2; i++) {
        const char *text = r->side[i == 0 ? turned : !turned];
        if (!draw_letters(d, text))
            return false;
        d->side[i] = ints_read(&d->names, text);
        if (d->side[i] == NULL)
            return false;
    }
    return dtype_equal(d->side[0]->t, d->side[1]->t);
}

/* ---- whole expressions in another type ------------------------------------- */

static bool keeps_type(enum ir_expr_kind op)
{
    return op != IR_AND && op != IR_OR;
}

/* The same operations with integers of type t where `from` stood. */
static const struct ix *retype(struct draw *d, const struct ix *e,
                               struct dtype from, struct dtype t)
{
    struct arena *arena = d->arena;
    const struct ix *a[3] = {NULL, NULL, NULL};
    bool own = dtype_equal(e->t, from);
    if (e->kind == IX_CONST)
        return own && ints_fits(t, e->value) ? ix_const(arena, t, e->value)
               : own                         ? NULL
                                             : e;
    bool whole = e->kind == IX_CAST || e->kind == IX_BITS ||
                 e->kind == IX_LET || e->kind == IX_AT || e->kind == IX_CALL;
    if (own && (e->kind == IX_SLOT || whole))
        return ix_cast(arena, t, e);
    if (e->nargs == 0 || whole)
        return e;
    for (unsigned i = 0; i < e->nargs; i++) {
        a[i] = retype(d, e->a[i], from, t);
        if (a[i] == NULL)
            return NULL;
    }
    switch (e->kind) {
    case IX_BINARY:
        return keeps_type(e->op) || dtype_is_bool(a[0]->t)
                   ? ix_binary(arena, e->op, a[0], a[1])
                   : NULL;
    case IX_NOT:
    case IX_BITNOT:
    case IX_ABS: return ix_unary(arena, e->kind, a[0]);
    case IX_SELECT:
    case IX_LAZY: return ix_choose(arena, e->kind, a[0], a[1], a[2]);
    case IX_CONST:
    case IX_FLOAT:
    case IX_SLOT:
    case IX_CAST:
    case IX_LET:
    case IX_CALL:
    case IX_AT:
    case IX_BITS: break;
    }
    return NULL;
}

static const struct ix *random_term(struct draw *d, struct dtype t)
{
    static const enum ir_expr_kind ops[] = {
        IR_ADD, IR_SUB, IR_MUL, IR_FLOORDIV, IR_FLOORMOD, IR_DIV,
        IR_MOD, IR_MIN, IR_MAX, IR_BITAND,   IR_BITOR,    IR_BITXOR,
        IR_SHL, IR_SHR, IR_ADD, IR_SUB};
    const struct ix *e = draw_value(d, t, 1);
    unsigned steps = 1 + (unsigned)gen_below(d->b, 3);
    for (unsigned i = 0; i < steps && e != NULL; i++) {
        enum ir_expr_kind op = ops[gen_below(d->b, DC_ARRAY_LEN(ops))];
        bool count = op == IR_SHL || op == IR_SHR;
        bool divides = op == IR_FLOORDIV || op == IR_FLOORMOD || op == IR_DIV ||
                       op == IR_MOD;
        const struct ix *b;
        if (count)
            b = ix_const(d->arena, t, (int64_t)gen_below(d->b, t.bits));
        else if (divides)
            b = ix_const(d->arena, t, draw_positive(d, t));
        else
            b = gen_chance(d->b, 1, 3)
                    ? ix_const(d->arena, t, draw_constant(d, t))
                    : draw_value(d, t, 1);
        e = gen_chance(d->b, 1, 5) && !count && !divides
                ? ix_binary(d->arena, op, b, e)
                : ix_binary(d->arena, op, e, b);
    }
    if (e != NULL && gen_chance(d->b, 1, 2))
        e = ix_binary(d->arena, gen_chance(d->b, 1, 2) ? IR_LT : IR_GE, e,
                      gen_chance(d->b, 1, 2)
                          ? ix_const(d->arena, t, draw_constant(d, t))
                          : draw_value(d, t, 0));
    return e;
}

static bool draw_retyped(struct draw *d)
{
    struct dtype t = d->names.types['T' - 'A'];
    struct dtype to =
        gen_chance(d->b, 2, 3) ? d->names.types['W' - 'A'] : draw_type(d);
    const struct ix *e = random_term(d, t);
    char a[48], b[48];
    if (e == NULL || to.code == DT_VOID || dtype_equal(to, t))
        return false;
    const struct ix *other = retype(d, e, t, to);
    bool turned = gen_chance(d->b, 1, 2);
    if (other == NULL)
        return false;
    if (dtype_is_int(e->t))
        other = ix_cast(d->arena, e->t, other);
    d->class = INTS_RETYPE;
    d->about = arena_printf(d->arena, "all in %s, all in %s",
                            dtype_name(turned ? to : t, a),
                            dtype_name(turned ? t : to, b));
    d->side[turned] = e;
    d->side[!turned] = other;
    return true;
}

/* ---- one node changed ------------------------------------------------------ */

static const struct ix *changed_op(struct draw *d, const struct ix *e)
{
    static const enum ir_expr_kind groups[][4] = {
        {IR_LT, IR_LE, IR_GT, IR_GE},
        {IR_EQ, IR_NE, IR_LE, IR_GE},
        {IR_ADD, IR_SUB, IR_BITOR, IR_BITXOR},
        {IR_DIV, IR_FLOORDIV, IR_SHR, IR_MOD},
        {IR_MOD, IR_FLOORMOD, IR_BITAND, IR_SUB},
        {IR_MIN, IR_MAX, IR_BITAND, IR_BITOR},
        {IR_AND, IR_OR, IR_AND, IR_OR},
        {IR_SHL, IR_MUL, IR_SHR, IR_ADD},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(groups); i++)
        for (size_t k = 0; k < 4; k++)
            if (groups[i][k] == e->op)
                return ix_binary(d->arena, groups[i][gen_below(d->b, 4)],
                                 e->a[0], e->a[1]);
    return e;
}

static const struct ix *changed_node(struct draw *d, const struct ix *e)
{
    struct arena *arena = d->arena;
    switch (e->kind) {
    case IX_CONST: {
        int64_t v = e->value + (gen_chance(d->b, 1, 2) ? 1 : -1);
        if (!dtype_is_int(e->t) || !ints_fits(e->t, v))
            return e;
        return ix_const(arena, e->t, v);
    }
    case IX_SLOT: return draw_value(d, e->t, 0);
    case IX_BINARY:
        if (gen_chance(d->b, 1, 3) && dtype_equal(e->a[0]->t, e->a[1]->t))
            return ix_binary(arena, e->op, e->a[1], e->a[0]);
        return changed_op(d, e);
    case IX_CAST: /* by way of another type */
        return ix_cast(arena, e->t, ix_cast(arena, draw_type(d), e->a[0]));
    case IX_SELECT:
    case IX_LAZY:
        return ix_choose(arena, e->kind == IX_LAZY ? IX_SELECT : IX_LAZY,
                         e->a[0], e->a[1], e->a[2]);
    case IX_NOT:
    case IX_BITNOT:
    case IX_ABS: return e->a[0];
    case IX_AT: {
        const struct ix *next = ix_binary(
            arena, IR_ADD, e->a[0],
            ix_const(arena, e->a[0]->t, gen_chance(d->b, 1, 2) ? 1 : -1));
        return next == NULL ? e : ix_replace(arena, e, e->a[0], next);
    }
    case IX_FLOAT:
    case IX_LET:
    case IX_CALL:
    case IX_BITS: break;
    }
    return e;
}

static bool draw_changed(struct draw *d)
{
    struct dtype t = d->names.types['T' - 'A'];
    const struct ix *e = random_term(d, t);
    if (e == NULL)
        return false;
    const struct ix *node = ix_node(e, (unsigned)gen_below(d->b, e->size));
    const struct ix *now = changed_node(d, node);
    if (now == NULL || now == node || !dtype_equal(now->t, node->t))
        return false;
    d->class = INTS_CHANGE;
    d->about = "one node changed";
    d->side[0] = e;
    d->side[1] = ix_replace(d->arena, e, node, now);
    return true;
}

/* ---- pairs ----------------------------------------------------------------- */

bool draw_pair(struct draw *d)
{
    struct dtype t = draw_type(d);
    d->names.arena = d->arena;
    draw_types(d, t);
    draw_constants(d, t);
    uint64_t k = gen_below(d->b, 20);
    bool done = true;
    if (k < 14) {
        done = draw_rule(d);
    } else if (k < 17) {
        done = draw_retyped(d);
    } else if (k < 19) {
        done = draw_changed(d);
    } else {
        d->side[0] = d->side[1] = random_term(d, t);
        d->class = INTS_MOVE;
        d->about = "moved";
        done = d->side[0] != NULL;
    }
    unsigned n = (unsigned)gen_below(d->b, 3);
    for (unsigned i = 0; i < n && done; i++)
        done = wrap_once(d);
    return done;
}
