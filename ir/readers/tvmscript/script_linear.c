/* SPDX-License-Identifier: Apache-2.0
 *
 * Differences of index expressions. A slice lo:hi stands for the range of
 * extent hi - lo, and that extent has to come out simplified: A[i:i + 4] has
 * extent 4.
 *
 * An expression is read as a sum of atoms with integer coefficients plus a
 * constant; equal atoms cancel. Expressions of more than MAX_TERMS atoms are
 * left alone, so the cost is bounded.
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

#define MAX_TERMS 32

struct linear {
    size_t n;
    struct ir_expr *atoms[MAX_TERMS];
    int64_t factors[MAX_TERMS];
    int64_t constant;
    unsigned budget; /* atoms may still be compared this often */
};

static bool add_atom(struct linear *x, struct ir_expr *e, int64_t factor)
{
    for (size_t i = 0; i < x->n; i++) {
        if (x->budget == 0)
            return false;
        x->budget--;
        if (ir_expr_same(x->atoms[i], e))
            return !__builtin_add_overflow(x->factors[i], factor,
                                           &x->factors[i]);
    }
    if (x->n == MAX_TERMS)
        return false;
    x->atoms[x->n] = e;
    x->factors[x->n++] = factor;
    return true;
}

/* x += factor * e; false when it grows too large. */
static bool add_linear(struct linear *x, struct ir_expr *e, int64_t factor)
{
    int64_t value;
    if (e->kind == IR_INT_IMM)
        return !__builtin_mul_overflow(e->u.int_value, factor, &value) &&
               !__builtin_add_overflow(x->constant, value, &x->constant);
    if (e->kind == IR_ADD)
        return add_linear(x, e->args[0], factor) &&
               add_linear(x, e->args[1], factor);
    if (e->kind == IR_SUB)
        return factor != INT64_MIN && add_linear(x, e->args[0], factor) &&
               add_linear(x, e->args[1], -factor);
    for (int i = 0; e->kind == IR_MUL && i < 2; i++) {
        if (e->args[i]->kind == IR_INT_IMM)
            return !__builtin_mul_overflow(e->args[i]->u.int_value, factor,
                                           &value) &&
                   add_linear(x, e->args[1 - i], value);
    }
    return add_atom(x, e, factor);
}

static bool subtract(struct linear *x, struct ir_expr *a, struct ir_expr *b)
{
    *x = (struct linear){.budget = 512};
    bool small = a->size < 4096 && b->size < 4096;
    return small && add_linear(x, a, 1) && add_linear(x, b, -1);
}

bool script_const_difference(struct ir_expr *a, struct ir_expr *b, int64_t *out)
{
    struct linear x;
    if (a == b) {
        *out = 0;
        return true;
    }
    if (!subtract(&x, a, b))
        return false;
    for (size_t i = 0; i < x.n; i++) {
        if (x.factors[i] != 0)
            return false;
    }
    *out = x.constant;
    return true;
}

/* sum + factor * atom, or - where that reads better. */
static struct ir_expr *add_term(struct script *s, struct ir_expr *sum,
                                struct ir_expr *atom, int64_t factor,
                                struct dtype t)
{
    struct ir_pos pos = atom->pos;
    bool minus = sum && factor < 0 && factor != INT64_MIN;
    struct ir_expr *by = ir_int(s->m, t, minus ? -factor : factor);
    struct ir_expr *term = script_binary(s, IR_MUL, atom, by, pos);
    return sum ? script_binary(s, minus ? IR_SUB : IR_ADD, sum, term, pos)
               : term;
}

/* The sum as an expression of type t, in the order of TVM's simplifier: what
 * is added, the constant if positive, what is subtracted, the constant if
 * negative. */
static struct ir_expr *rebuild(struct script *s, const struct linear *x,
                               struct dtype t)
{
    struct ir_expr *sum = NULL, *one = ir_int(s->m, t, 1);
    for (size_t i = 0; i < x->n && !s->failed; i++) {
        if (x->factors[i] > 0)
            sum = add_term(s, sum, x->atoms[i], x->factors[i], t);
    }
    if (x->constant > 0)
        sum = add_term(s, sum, one, x->constant, t);
    for (size_t i = 0; i < x->n && !s->failed; i++) {
        if (x->factors[i] < 0)
            sum = add_term(s, sum, x->atoms[i], x->factors[i], t);
    }
    if (x->constant < 0)
        sum = add_term(s, sum, one, x->constant, t);
    return sum ? sum : ir_int(s->m, t, 0);
}

struct ir_expr *script_simplify(struct script *s, struct ir_expr *e)
{
    struct linear x = {.budget = 512};
    if (s->failed || !dtype_is_int(e->dtype) || e->dtype.lanes != 1 ||
        e->dtype.scalable || e->size > 4096 || !add_linear(&x, e, 1))
        return e;
    return rebuild(s, &x, e->dtype);
}

struct ir_expr *script_difference(struct script *s, struct ir_expr *a,
                                  struct ir_expr *b)
{
    struct linear x;
    struct ir_pos pos = a->pos;
    if (!script_match_types(s, &a, &b, pos))
        return NULL;
    if (ir_is_const_int(b, 0) && b->kind == IR_INT_IMM)
        return a;
    if (a->kind == IR_ADD && ir_expr_same(a->args[0], b))
        return a->args[1]; /* as printed: lo:lo + extent */
    if (dtype_is_int(a->dtype) && a->dtype.lanes == 1 && subtract(&x, a, b))
        return rebuild(s, &x, a->dtype);
    return script_binary(s, IR_SUB, a, b, pos);
}
