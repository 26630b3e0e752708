/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawing a pair of expressions: a rule, types for it, operands, and the same
 * operations around both sides.
 *
 * Operands are slots, or slots kept in a range (masked, clamped, widened from
 * a narrower type), so that for many rules the limits lie just where the
 * operands do or do not wrap. Constants are those at the ends of types and next
 * to them.
 */
#include "fuzz/ints/ints_private.h"

#include <string.h>

/* ---- types and constants --------------------------------------------------- */

struct dtype draw_type(struct draw *d)
{
    if (d->symbolic && gen_chance(d->b, 1, 2))
        return d->size;
    static const struct {
        unsigned bits, weight;
    } widths[] = {{8, 10}, {16, 5}, {32, 8}, {64, 4}, {4, 1}, {12, 1}};
    uint64_t total = d->calls ? 27 : 29, at = gen_below(d->b, total);
    for (size_t i = 0; i < DC_ARRAY_LEN(widths); i++) {
        if (at < widths[i].weight)
            return gen_chance(d->b, 1, 2) ? ints_int(widths[i].bits)
                                          : ints_uint(widths[i].bits);
        at -= widths[i].weight;
    }
    return DTYPE_INT32;
}

static struct dtype other_width(struct draw *d, struct dtype t, bool wider)
{
    static const unsigned widths[] = {4, 8, 12, 16, 32, 64};
    struct dtype found[12];
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(widths); i++) {
        if (wider ? widths[i] <= t.bits : widths[i] >= t.bits)
            continue;
        if ((widths[i] == 4 || widths[i] == 12) &&
            (d->calls || !gen_chance(d->b, 1, 8)))
            continue;
        found[n++] = dtype_make(t.code, widths[i], 1);
        if (gen_chance(d->b, 1, 4))
            found[n++] =
                dtype_make(t.code == DT_INT ? DT_UINT : DT_INT, widths[i], 1);
    }
    return n == 0 ? DTYPE_VOID : found[gen_below(d->b, n)];
}

int64_t draw_constant(struct draw *d, struct dtype t)
{
    int64_t v = 0;
    switch (gen_below(d->b, 7)) {
    case 0: v = (int64_t)gen_below(d->b, 4); break;
    case 1: v = ints_most(t) - (int64_t)gen_below(d->b, 3); break;
    case 2: v = ints_least(t) + (int64_t)gen_below(d->b, 3); break;
    case 3: {
        unsigned s = (unsigned)gen_below(d->b, t.bits);
        v = (int64_t)((UINT64_C(1) << s) + gen_below(d->b, 3) - 1);
        break;
    }
    case 4: v = (int64_t)gen_below(d->b, 256); break;
    case 5: v = -(int64_t)gen_below(d->b, 130); break;
    default: v = 1 + (int64_t)gen_below(d->b, 20); break;
    }
    return (int64_t)ints_wrap(t, (uint64_t)v);
}

static int64_t draw_positive(struct draw *d, struct dtype t)
{
    int64_t v = draw_constant(d, t);
    if (gen_chance(d->b, 1, 2))
        v = 2 + (int64_t)gen_below(d->b, 8);
    return ints_fits(t, v) && v > 0 ? v : 1;
}

/* ---- slots ----------------------------------------------------------------- */

static bool may_loop(const struct draw *d, struct dtype t)
{
    if (d->symbolic)
        return dtype_equal(t, d->size);
    for (size_t i = 0; i < d->nslots; i++)
        if (d->slots[i].kind == SLOT_LOOP && !dtype_equal(d->slots[i].t, t))
            return false;
    return dtype_is_int(t) && t.bits >= 8;
}

static const struct ix *new_slot(struct draw *d, struct dtype t)
{
    struct slot s = {.t = t};
    uint64_t k = gen_below(d->b, 12);
    bool sized = d->symbolic && dtype_equal(t, d->size);
    bool data = !d->indices || dtype_is_float(t);
    if (d->state && dtype_is_int(t) && d->nslots < 3) {
        d->state = false;
        s.kind = SLOT_STATE;
    } else if (d->in_place && dtype_is_int(t)) {
        d->in_place = false;
        s.kind = SLOT_OUTPUT;
        s.at = d->symbolic || gen_chance(d->b, 2, 3)
                   ? -1
                   : (int64_t)gen_below(d->b, (uint64_t)d->n);
    } else if (sized && k < 2) {
        s.kind = SLOT_SIZE;
    } else if (may_loop(d, t) && (k == 0 || (!data && k < 5)))
        s.kind = SLOT_LOOP;
    else if (!data || (k < 3 && !d->calls))
        s.kind = SLOT_SCALAR;
    else
        s.kind = k == 3 ? SLOT_FIXED : SLOT_ELEMENT;
    if (s.kind == SLOT_FIXED)
        s.at = d->symbolic ? 0 : (int64_t)gen_below(d->b, (uint64_t)d->n);
    d->slots[d->nslots] = s;
    return ix_slot(d->arena, t, (unsigned)d->nslots++);
}

static const struct ix *slot_of(struct draw *d, struct dtype t)
{
    unsigned fit[IX_MAX_SLOTS];
    size_t n = 0;
    for (size_t i = 0; i < d->nslots; i++)
        if (dtype_equal(d->slots[i].t, t) && d->slots[i].kind != SLOT_TABLE)
            fit[n++] = (unsigned)i;
    if (n > 0 && (d->nslots == IX_MAX_SLOTS || gen_chance(d->b, 1, 2)))
        return ix_slot(d->arena, t, fit[gen_below(d->b, n)]);
    if (d->nslots == IX_MAX_SLOTS)
        return NULL;
    return new_slot(d, t);
}

/* The table of the type with so many indices; false: there is room for none. */
static bool table_of(struct draw *d, struct dtype t, unsigned rank,
                     unsigned *slot)
{
    size_t i = 0;
    if (d->calls)
        return false;
    while (i < d->nslots &&
           (d->slots[i].kind != SLOT_TABLE || d->slots[i].at != rank ||
            !dtype_equal(d->slots[i].t, t)))
        i++;
    if (i == IX_MAX_SLOTS)
        return false;
    if (i == d->nslots)
        d->slots[d->nslots++] =
            (struct slot){.kind = SLOT_TABLE, .t = t, .at = rank};
    *slot = (unsigned)i;
    return true;
}

/* ---- operands -------------------------------------------------------------- */

/* An element of a table, at an index that is kept inside in one way or another,
 * or not. */
static const struct ix *table_read(struct draw *d, struct dtype t,
                                   unsigned depth)
{
    struct arena *arena = d->arena;
    unsigned slot;
    struct dtype of = gen_chance(d->b, 1, 2) ? t : draw_type(d);
    if (!table_of(d, t, 1, &slot))
        return NULL;
    const struct ix *at = draw_value(d, of, depth - 1);
    if (at == NULL || !ints_fits(of, d->row))
        return NULL;
    switch (gen_below(d->b, 5)) {
    case 0: break;
    case 1:
        at = ix_binary(arena, IR_FLOORMOD, at, ix_const(arena, of, d->row));
        break;
    case 2:
        at = ix_binary(arena, IR_MAX, at, ix_const(arena, of, 0));
        at = ix_binary(arena, IR_MIN, at, ix_const(arena, of, d->row - 1));
        break;
    default:
        at = ix_binary(arena, IR_BITAND, at, ix_const(arena, of, d->row - 1));
        break;
    }
    return ix_at(arena, t, slot, 1, &at);
}

static const struct ix *ranged(struct draw *d, struct dtype t)
{
    struct arena *arena = d->arena;
    const struct ix *v = slot_of(d, t);
    const struct ix *k = ix_const(arena, t, draw_positive(d, t));
    if (v == NULL)
        return NULL;
    switch (gen_below(d->b, 6)) {
    case 0: return ix_binary(arena, IR_BITAND, v, k);
    case 1: return ix_binary(arena, IR_FLOORMOD, v, k);
    case 2: return ix_binary(arena, IR_MIN, v, k);
    case 3:
        return ix_binary(arena, IR_MAX, v,
                         ix_const(arena, t, draw_constant(d, t)));
    case 4: {
        unsigned s = (unsigned)gen_below(d->b, t.bits);
        return ix_binary(arena, IR_SHR, v, ix_const(arena, t, s));
    }
    default: {
        const struct ix *low = ix_const(arena, t, draw_constant(d, t));
        return ix_binary(arena, IR_MIN, ix_binary(arena, IR_MAX, v, low), k);
    }
    }
}

static const struct ix *small_term(struct draw *d, struct dtype t,
                                   unsigned depth)
{
    static const enum ir_expr_kind ops[] = {
        IR_ADD, IR_SUB,    IR_MUL,   IR_ADD,    IR_SUB, IR_MIN,
        IR_MAX, IR_BITAND, IR_BITOR, IR_BITXOR, IR_SHR};
    const struct ix *a = draw_value(d, t, depth - 1);
    const struct ix *b = gen_chance(d->b, 1, 2)
                             ? ix_const(d->arena, t, draw_constant(d, t))
                             : draw_value(d, t, depth - 1);
    return ix_binary(d->arena, ops[gen_below(d->b, DC_ARRAY_LEN(ops))], a, b);
}

const struct ix *draw_value(struct draw *d, struct dtype t, unsigned depth)
{
    struct dtype narrow;
    if (dtype_is_bool(t))
        return draw_truth(d, depth);
    if (dtype_is_float(t))
        return slot_of(d, t);
    uint64_t k = gen_below(d->b, 10);
    if (k < 2)
        return ranged(d, t);
    if (k == 2 && depth > 0) {
        const struct ix *e = gen_chance(d->b, 1, 3) && !d->indices
                                 ? table_read(d, t, depth)
                                 : NULL;
        return e != NULL ? e : small_term(d, t, depth);
    }
    if (k == 3) {
        narrow = other_width(d, t, false);
        if (narrow.code != DT_VOID)
            return ix_cast(d->arena, t, slot_of(d, narrow));
    }
    return slot_of(d, t);
}

const struct ix *draw_truth(struct draw *d, unsigned depth)
{
    static const enum ir_expr_kind ops[] = {IR_EQ, IR_NE, IR_LT,
                                            IR_LE, IR_GT, IR_GE};
    if (gen_chance(d->b, 1, 4) && !d->indices)
        return slot_of(d, DTYPE_BOOL);
    struct dtype t = d->names.types['T' - 'A'];
    if (!dtype_is_int(t) || gen_chance(d->b, 1, 4))
        t = draw_type(d);
    const struct ix *a = draw_value(d, t, depth > 0 ? depth - 1 : 0);
    const struct ix *b = gen_chance(d->b, 1, 2)
                             ? ix_const(d->arena, t, draw_constant(d, t))
                             : slot_of(d, t);
    return ix_binary(d->arena, ops[gen_below(d->b, DC_ARRAY_LEN(ops))], a, b);
}

/* ---- names of a rule ------------------------------------------------------- */

static void set_type(struct draw *d, char letter, struct dtype t)
{
    d->names.types[letter - 'A'] = t;
}

static void draw_types(struct draw *d, struct dtype t)
{
    set_type(d, 'T', t);
    set_type(d, 'W', other_width(d, t, true));
    set_type(d, 'N', other_width(d, t, false));
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
            !table_of(d, d->names.types['T' - 'A'], i + 1, &d->names.tables[i]))
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
