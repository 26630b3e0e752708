/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of terms, and operators on them: what is a number is computed in
 * its type, what holds an input stays an expression.
 */
#include "verifier/enumerate/enum_terms.h"

#include <string.h>

void enum_table_init(struct enum_table *t)
{
    memset(t, 0, sizeof *t);
    t->arena = arena_new();
}

void enum_table_fini(struct enum_table *t)
{
    vec_fini(&t->items);
    dc_release(t->slots);
    arena_free(t->arena);
}

static uint64_t hash_term(const struct enum_term *x)
{
    uint64_t h = hash_mix((uint64_t)x->kind << 32 | (uint64_t)x->op, x->bits);
    h = hash_mix(h, (uint64_t)x->dtype.code << 32 | x->dtype.bits);
    h = hash_mix(h, (uint64_t)(unsigned)x->param << 32 | (unsigned)x->call);
    h = hash_mix(h, x->marks);
    for (uint32_t i = 0; i < x->n; i++)
        h = hash_mix(h, x->args[i]);
    return h;
}

static bool same_term(const struct enum_term *a, const struct enum_term *b)
{
    return a->kind == b->kind && dtype_equal(a->dtype, b->dtype) &&
           a->op == b->op && a->call == b->call && a->bits == b->bits &&
           a->marks == b->marks && a->param == b->param && a->n == b->n &&
           (a->n == 0 || memcmp(a->args, b->args, a->n * sizeof *a->args) == 0);
}

static void grow(struct enum_table *t)
{
    dc_release(t->slots);
    t->cap = t->cap == 0 ? 1024 : 2 * t->cap;
    t->slots = dc_alloc(t->cap * sizeof *t->slots);
    for (size_t i = 0; i < t->cap; i++)
        t->slots[i] = ENUM_NONE;
    for (size_t i = 0; i < t->items.len; i++) {
        size_t k = (size_t)hash_term(&t->items.items[i]) & (t->cap - 1);
        while (t->slots[k] != ENUM_NONE)
            k = (k + 1) & (t->cap - 1);
        t->slots[k] = (enum_id)i;
    }
}

enum_id enum_make(struct enum_table *t, const struct enum_term *proto)
{
    if (2 * (t->items.len + 1) > t->cap)
        grow(t);
    size_t k = (size_t)hash_term(proto) & (t->cap - 1);
    for (; t->slots[k] != ENUM_NONE; k = (k + 1) & (t->cap - 1))
        if (same_term(&t->items.items[t->slots[k]], proto))
            return t->slots[k];
    struct enum_term made = *proto;
    if (made.n > 0)
        made.args =
            arena_memdup(t->arena, proto->args, proto->n * sizeof *made.args);
    t->slots[k] = (enum_id)t->items.len;
    vec_push(&t->items, made);
    return t->slots[k];
}

enum_id enum_const(struct enum_table *t, struct dtype d, uint64_t bits)
{
    struct enum_term x = {.kind = ENUM_CONST, .dtype = d, .bits = bits};
    return enum_make(t, &x);
}

/* What an operation gave, undefined if it is. */
static enum_id enum_result(struct enum_table *t, struct dtype d,
                           struct enum_number n)
{
    struct enum_term x = {.kind = ENUM_CONST,
                          .dtype = d,
                          .bits = n.bits,
                          .marks = n.marks & (ENUM_OVERFLOWED | ENUM_ROUNDED)};
    return n.marks & ENUM_UNDEFINED ? enum_undef(t, d) : enum_make(t, &x);
}

enum_id enum_undef(struct enum_table *t, struct dtype d)
{
    struct enum_term x = {.kind = ENUM_UNDEF, .dtype = d};
    return enum_make(t, &x);
}

bool enum_is_const(const struct enum_table *t, enum_id id, uint64_t *bits)
{
    const struct enum_term *x = &t->items.items[id];
    *bits = x->bits;
    return x->kind == ENUM_CONST;
}

/* ---- operators -------------------------------------------------------------- */

/* What kind of operator e is. */
static struct enum_operator enum_operator_of(const struct ir_expr *e,
                                             struct dtype d)
{
    return (struct enum_operator){
        e->kind, e->kind == IR_CALL ? e->u.call.op : IR_OP_UNKNOWN, d};
}

#define MAX_OPERANDS 128u /* of what is folded */

/* The number that the operator gives; false: it stays an expression. */
static bool fold(const struct enum_table *t, const struct enum_operator *o,
                 uint32_t n, const enum_id *args, struct enum_number *out)
{
    struct enum_number numbers[MAX_OPERANDS];
    struct dtype types[MAX_OPERANDS];
    if (n < 1 || n > MAX_OPERANDS)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const struct enum_term *x = &t->items.items[args[i]];
        if (x->kind != ENUM_CONST)
            return false;
        types[i] = x->dtype;
        numbers[i] = (struct enum_number){x->bits, x->marks};
    }
    *out = enum_apply(o, n, types, numbers);
    return (out->marks & ENUM_UNKNOWN) == 0;
}

/* Whether one operand alone says what happens. */
static bool decides(const struct enum_table *t, const struct enum_operator *o,
                    uint32_t n, const enum_id *args, struct enum_number *out)
{
    *out = (struct enum_number){0, 0};
    for (uint32_t i = 0; i < n; i++) {
        const struct enum_term *x = &t->items.items[args[i]];
        if (x->kind == ENUM_CONST &&
            enum_decides(o, i, x->dtype, x->bits, &out->marks))
            return true;
    }
    return false;
}

/* A choice whose condition is a number: the arm, which need not be one. */
static bool choose(struct enum_table *t, const struct enum_operator *o,
                   uint32_t n, const enum_id *args, enum_id *out, bool *fault)
{
    const struct enum_term *c = &t->items.items[args[0]];
    if (o->kind != IR_SELECT || n != 3 ||
        (c->kind != ENUM_CONST && c->kind != ENUM_UNDEF))
        return false;
    struct enum_term arm = t->items.items[args[c->bits != 0 ? 1 : 2]];
    *fault |= (c->marks & ENUM_OVERFLOWED) != 0;
    *out = c->kind == ENUM_UNDEF ? enum_undef(t, o->dtype)
                                 : args[c->bits != 0 ? 1 : 2];
    if (c->kind == ENUM_CONST && arm.kind == ENUM_CONST)
        *out = enum_result(
            t, arm.dtype, (struct enum_number){arm.bits, arm.marks | c->marks});
    return true;
}

enum_id enum_op(struct enum_table *t, const struct ir_expr *e, struct dtype d,
                uint32_t n, const enum_id *args, bool *fault)
{
    struct enum_operator o = enum_operator_of(e, d);
    struct enum_number number;
    enum_id out;
    if (choose(t, &o, n, args, &out, fault))
        return out;
    for (uint32_t i = 0; i < n && o.kind != IR_SELECT; i++)
        if (t->items.items[args[i]].kind == ENUM_UNDEF)
            return enum_undef(t, d);
    if (e->kind == IR_CAST && dtype_equal(t->items.items[args[0]].dtype, d))
        return args[0];
    if (fold(t, &o, n, args, &number) || decides(t, &o, n, args, &number)) {
        *fault |= (number.marks & ENUM_TRAPPED) != 0;
        return number.marks & ENUM_TRAPPED ? enum_undef(t, d)
                                           : enum_result(t, d, number);
    }
    struct enum_term x = {.kind = ENUM_OP,
                          .dtype = d,
                          .op = o.kind,
                          .call = o.call,
                          .n = n,
                          .args = args};
    return enum_make(t, &x);
}

/* ---- printing --------------------------------------------------------------- */

#define MAX_TEXT 300u

static void print(const struct enum_table *t, enum_id id, struct buf *out,
                  unsigned depth)
{
    const struct enum_term *x = &t->items.items[id];
    if (out->len > MAX_TEXT || depth > 40)
        return;
    switch (x->kind) {
    case ENUM_CONST: num_put(out, x->dtype, x->bits); return;
    case ENUM_INPUT:
        buf_printf(out, "p%d[%llu]", x->param, (unsigned long long)x->bits);
        return;
    case ENUM_UNDEF: buf_puts(out, "undefined"); return;
    case ENUM_HOLE: buf_puts(out, "?"); return;
    case ENUM_OP:
    case ENUM_BAG: break;
    }
    buf_printf(out, "%s(",
               x->op == IR_CALL ? ir_op_info(x->call)->name
                                : ir_expr_kind_name(x->op));
    for (uint32_t i = 0; i < x->n && out->len <= MAX_TEXT; i++) {
        buf_puts(out, i > 0 ? ", " : "");
        print(t, x->args[i], out, depth + 1);
    }
    buf_puts(out, ")");
}

void enum_print(const struct enum_table *t, enum_id id, struct buf *out)
{
    struct buf text = {0};
    print(t, id, &text, 0);
    buf_printf(out, "%.*s%s", (int)MAX_TEXT, buf_text(&text),
               text.len > MAX_TEXT ? " ..." : "");
    buf_fini(&text);
}
