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
    for (uint32_t i = 0; i < x->n; i++)
        h = hash_mix(h, x->args[i]);
    return h;
}

static bool same_term(const struct enum_term *a, const struct enum_term *b)
{
    return a->kind == b->kind && dtype_equal(a->dtype, b->dtype) &&
           a->op == b->op && a->call == b->call && a->bits == b->bits &&
           a->param == b->param && a->n == b->n &&
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

static enum num_op binary_op(enum ir_expr_kind k)
{
    switch ((int)k) {
    case IR_ADD: return NUM_ADD;
    case IR_SUB: return NUM_SUB;
    case IR_MUL: return NUM_MUL;
    case IR_DIV: return NUM_DIV;
    case IR_MOD: return NUM_MOD;
    case IR_FLOORDIV: return NUM_FLOORDIV;
    case IR_FLOORMOD: return NUM_FLOORMOD;
    case IR_MIN: return NUM_MIN;
    case IR_MAX: return NUM_MAX;
    case IR_BITAND: return NUM_BITAND;
    case IR_BITOR: return NUM_BITOR;
    case IR_BITXOR: return NUM_BITXOR;
    case IR_SHL: return NUM_SHL;
    case IR_SHR: return NUM_SHR;
    case IR_EQ: return NUM_EQ;
    case IR_NE: return NUM_NE;
    case IR_LT: return NUM_LT;
    case IR_LE: return NUM_LE;
    case IR_GT: return NUM_GT;
    case IR_GE: return NUM_GE;
    case IR_AND: return NUM_AND;
    case IR_OR: return NUM_OR;
    default: return NUM_NOPS;
    }
}

/* The number that the operator gives; false: it stays an expression. */
static bool fold(struct enum_table *t, const struct ir_expr *e, struct dtype d,
                 uint32_t n, const enum_id *args, enum_id *out, bool *fault)
{
    uint64_t a = 0, b = 0, bits;
    unsigned flags = 0;
    if (n < 1 || n > 2 || !enum_is_const(t, args[0], &a) ||
        !enum_is_const(t, args[n - 1], &b))
        return false;
    struct dtype from = t->items.items[args[0]].dtype;
    if (e->kind == IR_CAST)
        bits = num_cast(from, d, a, &flags);
    else if (e->kind == IR_NOT)
        bits = a == 0;
    else if (e->kind == IR_BITNOT)
        bits = num_unary(NUM_BITNOT, from, a, &flags);
    else if (n == 2 && binary_op(e->kind) != NUM_NOPS)
        bits = num_binary(binary_op(e->kind), from, a, b, &flags);
    else
        return false;
    if (flags & NUM_NO_RULE)
        return false;
    *fault |= (flags & (NUM_DIV_ZERO | NUM_DIV_OVERFLOW)) != 0;
    *out = flags & NUM_UNDEFINED ? enum_undef(t, d) : enum_const(t, d, bits);
    return true;
}

enum_id enum_op(struct enum_table *t, const struct ir_expr *e, struct dtype d,
                uint32_t n, const enum_id *args, bool *fault)
{
    enum_id out;
    for (uint32_t i = 0; i < n; i++)
        if (t->items.items[args[i]].kind == ENUM_UNDEF)
            return enum_undef(t, d);
    if (e->kind == IR_CAST && dtype_equal(t->items.items[args[0]].dtype, d))
        return args[0];
    if (fold(t, e, d, n, args, &out, fault))
        return out;
    struct enum_term x = {
        .kind = ENUM_OP, .dtype = d, .op = e->kind, .n = n, .args = args};
    if (e->kind == IR_CALL)
        x.call = e->u.call.op;
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
