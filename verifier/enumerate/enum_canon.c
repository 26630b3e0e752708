/* SPDX-License-Identifier: Apache-2.0
 *
 * The form of a term under the laws of a claim. Operands stand before what is
 * made of them, so that one pass upwards does without recursion: first what is
 * needed is marked from the roots down, sums taken apart on the way, then forms
 * are made from the leaves up.
 *
 * Always: integers in any order, units left out; + and x of floats commute; a
 * +0 added to what never is -0 is dropped. For `order`: floats in any order,
 * units left out. For `precision`: floats of one type, conversions left out.
 */
#include "verifier/enumerate/enum_value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct canon {
    const struct enum_table *from;
    struct enum_table *to;
    const struct enum_laws *laws;
    const struct enum_values *values;
    bool *needed;
    enum_id *form; /* by term */
    struct VEC(enum_id) stack, leaves;
    size_t taken; /* operands of all bags; MAX_TAKEN: too many */
    size_t nsame; /* a power of two */
    struct same { /* by sign; form ENUM_NONE: free */
        uint64_t sign;
        enum_id form;
    } * same;
};

/* x + x of x + x ... is a bag of 2^n operands. */
#define MAX_TAKEN ((size_t)1 << 23)

static const struct enum_term *at(const struct canon *c, enum_id id)
{
    return &c->from->items.items[id];
}

/* Conversions between floats, where the claim leaves them out. */
static enum_id strip(const struct canon *c, enum_id id)
{
    while (c->laws->claim == ENUMERATE_PRECISION) {
        const struct enum_term *x = at(c, id);
        if (x->kind != ENUM_OP || x->op != IR_CAST ||
            !dtype_is_float(x->dtype) ||
            !dtype_is_float(at(c, x->args[0])->dtype))
            break;
        id = x->args[0];
    }
    return id;
}

static struct dtype type_of(const struct canon *c, struct dtype t)
{
    return c->laws->claim == ENUMERATE_PRECISION && dtype_is_float(t)
               ? dtype_make(DT_FLOAT, 64, 1)
               : t;
}

/* Whether operands may stand in any order and grouping. */
static bool is_bag(const struct canon *c, const struct enum_term *x)
{
    if (x->kind != ENUM_OP || x->n < 2)
        return false;
    bool is_float = dtype_is_float(x->dtype);
    switch ((int)x->op) {
    case IR_ADD:
    case IR_MUL:
    case IR_MIN:
    case IR_MAX: return !is_float || c->laws->claim != ENUMERATE_IDENTICAL;
    case IR_AND:
    case IR_OR:
    case IR_BITAND:
    case IR_BITOR:
    case IR_BITXOR: return !is_float;
    default: return false;
    }
}

static bool commutes(const struct enum_term *x)
{
    return x->kind == ENUM_OP && x->n >= 2 &&
           (x->op == IR_ADD || x->op == IR_MUL || x->op == IR_EQ ||
            x->op == IR_NE);
}

/* The operands of a bag: of the whole nest of one operator. Some of them where
 * all bags together have too many. */
static void take_apart(struct canon *c, enum_id id)
{
    const struct enum_term *top = at(c, id);
    struct dtype t = type_of(c, top->dtype);
    c->stack.len = c->leaves.len = 0;
    vec_push(&c->stack, id);
    while (c->stack.len > 0 && c->taken < MAX_TAKEN) {
        enum_id now = strip(c, c->stack.items[--c->stack.len]);
        const struct enum_term *x = at(c, now);
        if (is_bag(c, x) && x->op == top->op &&
            dtype_equal(type_of(c, x->dtype), t)) {
            for (uint32_t i = x->n; i-- > 0;)
                vec_push(&c->stack, x->args[i]);
        } else {
            vec_push(&c->leaves, now);
            c->taken++;
        }
    }
}

static void mark(struct canon *c, size_t last)
{
    for (size_t i = last + 1; i-- > 0;) {
        if (!c->needed[i])
            continue;
        const struct enum_term *x = at(c, (enum_id)i);
        if (is_bag(c, x)) {
            take_apart(c, (enum_id)i);
            for (size_t k = 0; k < c->leaves.len; k++)
                c->needed[c->leaves.items[k]] = true;
            continue;
        }
        for (uint32_t k = 0; k < x->n; k++)
            c->needed[strip(c, x->args[k])] = true;
    }
}

/* ---- forms ------------------------------------------------------------------ */

static bool is_zero(const struct enum_table *t, enum_id id)
{
    const struct enum_term *x = &t->items.items[id];
    return x->kind == ENUM_CONST &&
           (dtype_is_float(x->dtype) ? num_to_double(x->dtype, x->bits) == 0
                                     : x->bits == 0);
}

static bool is_unit(const struct enum_table *t, enum ir_expr_kind op,
                    enum_id id)
{
    const struct enum_term *x = &t->items.items[id];
    unsigned flags = 0;
    if (x->kind != ENUM_CONST)
        return false;
    bool is_float = dtype_is_float(x->dtype);
    double v = is_float ? num_to_double(x->dtype, x->bits) : 0;
    switch ((int)op) {
    case IR_ADD:
    case IR_OR:
    case IR_BITOR:
    case IR_BITXOR: return is_zero(t, id);
    case IR_MUL:
        return is_float ? v == 1.0
                        : x->bits == num_from_int(x->dtype, 1, &flags);
    case IR_AND: return x->bits == 1;
    case IR_MAX:
    case IR_MIN:
        if (is_float && num_is_inf(x->dtype, x->bits))
            return (v < 0) == (op == IR_MAX);
        return x->bits == (op == IR_MAX ? num_min_value(x->dtype)
                                        : num_max_value(x->dtype));
    default: return false;
    }
}

static int by_id(const void *a, const void *b)
{
    enum_id x = *(const enum_id *)a, y = *(const enum_id *)b;
    return x < y ? -1 : x > y;
}

/* The lowest and highest finite numbers of every type are one number here. */
static enum_id const_form(struct canon *c, const struct enum_term *x)
{
    struct dtype t = type_of(c, x->dtype);
    unsigned flags = 0;
    if (dtype_equal(t, x->dtype))
        return enum_const(c->to, t, x->bits);
    if (x->bits == num_min_value(x->dtype))
        return enum_const(c->to, t, num_min_value(t));
    if (x->bits == num_max_value(x->dtype))
        return enum_const(c->to, t, num_max_value(t));
    return enum_const(
        c->to, t, num_from_double(t, num_to_double(x->dtype, x->bits), &flags));
}

/* What units alone give. */
static enum_id unit_of(struct enum_table *t, enum ir_expr_kind op,
                       struct dtype d, enum_id any)
{
    unsigned flags = 0;
    if (!dtype_is_float(d) || op == IR_MUL)
        return any;
    if (op == IR_ADD)
        return enum_const(t, d, 0);
    return enum_const(
        t, d,
        num_from_double(d, op == IR_MAX ? -(double)INFINITY : (double)INFINITY,
                        &flags));
}

/* Whether the same operand twice is it once (R32). */
static bool repeats(enum ir_expr_kind op)
{
    return op == IR_MIN || op == IR_MAX || op == IR_AND || op == IR_OR ||
           op == IR_BITAND || op == IR_BITOR;
}

/* Of a sorted list each member once. */
static size_t distinct(enum_id *ids, size_t n)
{
    size_t out = 0;
    for (size_t i = 0; i < n; i++)
        if (out == 0 || ids[out - 1] != ids[i])
            ids[out++] = ids[i];
    return out;
}

static enum_id bag_form(struct canon *c, enum_id id)
{
    const struct enum_term *x = at(c, id);
    struct dtype t = type_of(c, x->dtype);
    take_apart(c, id);
    size_t n = 0;
    enum_id last = ENUM_NONE;
    for (size_t i = 0; i < c->leaves.len; i++) {
        enum_id f = c->form[c->leaves.items[i]];
        if (x->op == IR_MUL && (!dtype_is_float(t) || c->laws->finite) &&
            is_zero(c->to, f))
            return enum_const(c->to, t, 0);
        last = f;
        if (!is_unit(c->to, x->op, f))
            c->leaves.items[n++] = f;
    }
    if (n > 1)
        qsort(c->leaves.items, n, sizeof *c->leaves.items, by_id);
    if (repeats(x->op))
        n = distinct(c->leaves.items, n);
    if (n == 0)
        return unit_of(c->to, x->op, t, last);
    if (n == 1)
        return c->leaves.items[0];
    struct enum_term bag = {.kind = ENUM_BAG,
                            .dtype = t,
                            .op = x->op,
                            .n = (uint32_t)n,
                            .args = c->leaves.items};
    return enum_make(c->to, &bag);
}

/* Whether a float is never -0: of two numbers added only -0 and -0 give -0. */
static bool never_minus_zero(const struct enum_table *t, enum_id id)
{
    for (unsigned steps = 0; steps < 100000; steps++) {
        const struct enum_term *x = &t->items.items[id];
        if (x->kind == ENUM_CONST)
            return num_to_double(x->dtype, x->bits) != 0 || x->bits == 0;
        if (x->kind != ENUM_OP || x->op != IR_ADD)
            return false;
        /* sums grow by their older operand */
        if (t->items.items[x->args[0]].kind == ENUM_CONST &&
            never_minus_zero(t, x->args[0]))
            return true;
        if (t->items.items[x->args[1]].kind == ENUM_CONST &&
            never_minus_zero(t, x->args[1]))
            return true;
        bool first = t->items.items[x->args[0]].op == IR_ADD &&
                     t->items.items[x->args[0]].kind == ENUM_OP;
        id = x->args[first ? 0 : 1];
    }
    return false;
}

/* Whether the result hangs on more than the numbers: on formats, which are told
 * apart though conversions are left out. */
static bool hangs_on_format(const struct canon *c, const struct enum_term *x)
{
    bool floats = dtype_is_float(x->dtype);
    if (c->laws->claim != ENUMERATE_PRECISION || x->op != IR_CALL ||
        x->call == IR_OP_IF_THEN_ELSE)
        return false;
    for (uint32_t i = 0; i < x->n; i++)
        floats = floats || dtype_is_float(at(c, x->args[i])->dtype);
    return floats && (x->call == IR_OP_NEXTAFTER ||
                      (ir_op_info(x->call)->flags & IR_OPF_MATH) == 0);
}

static enum_id format_of(const struct canon *c, struct dtype t)
{
    return enum_const(c->to, DTYPE_INT32,
                      (uint64_t)t.code * 65536u + t.bits * 256u + t.lanes);
}

/* The operation, with the formats of what it makes and takes as operands. */
static enum_id form_by_format(struct canon *c, const struct enum_term *x)
{
    enum_id *args = ARENA_ARRAY(c->to->arena, 2 * x->n + 1, enum_id);
    struct enum_term y = *x;
    y.n = 2 * x->n + 1;
    y.args = args;
    y.dtype = type_of(c, x->dtype);
    for (uint32_t i = 0; i < x->n; i++) {
        args[2 * i] = c->form[x->args[i]];
        args[2 * i + 1] = format_of(c, at(c, x->args[i])->dtype);
    }
    args[2 * x->n] = format_of(c, x->dtype);
    return enum_make(c->to, &y);
}

static enum_id op_form(struct canon *c, const struct enum_term *x)
{
    enum_id few[8], *args = few;
    if (hangs_on_format(c, x))
        return form_by_format(c, x);
    if (x->n > DC_ARRAY_LEN(few))
        args = ARENA_ARRAY(c->to->arena, x->n, enum_id);
    for (uint32_t i = 0; i < x->n; i++)
        args[i] = c->form[strip(c, x->args[i])];
    if (commutes(x))
        qsort(args, x->n, sizeof *args, by_id);
    if (x->op == IR_ADD && x->n == 2 && dtype_is_float(x->dtype)) {
        for (uint32_t i = 0; i < 2; i++) {
            const struct enum_term *z = &c->to->items.items[args[i]];
            if (z->kind == ENUM_CONST && z->bits == 0 &&
                never_minus_zero(c->to, args[1 - i]))
                return args[1 - i];
        }
    }
    /* a conversion of what became a number */
    uint64_t bits;
    unsigned flags = 0;
    struct dtype t = type_of(c, x->dtype);
    if (x->op == IR_CAST && enum_is_const(c->to, args[0], &bits)) {
        uint64_t made =
            num_cast(c->to->items.items[args[0]].dtype, t, bits, &flags);
        if (!(flags & (NUM_UNDEFINED | NUM_NO_RULE)))
            return enum_const(c->to, t, made);
    }
    struct enum_term y = *x;
    y.dtype = t;
    y.args = args;
    return enum_make(c->to, &y);
}

static enum_id form_of(struct canon *c, enum_id id)
{
    const struct enum_term *x = at(c, id);
    struct enum_term leaf = *x;
    switch (x->kind) {
    case ENUM_CONST: return const_form(c, x);
    case ENUM_OP: return is_bag(c, x) ? bag_form(c, id) : op_form(c, x);
    case ENUM_INPUT:
    case ENUM_UNDEF:
    case ENUM_HOLE:
    case ENUM_BAG: break;
    }
    leaf.dtype = type_of(c, x->dtype);
    return enum_make(c->to, &leaf);
}

/* The form of the first term that had the same values. */
static enum_id shared_form(struct canon *c, enum_id id, enum_id form)
{
    uint64_t sign = enum_sign(c->values, id);
    size_t k = (size_t)sign & (c->nsame - 1);
    while (c->same[k].form != ENUM_NONE && c->same[k].sign != sign)
        k = (k + 1) & (c->nsame - 1);
    if (c->same[k].form == ENUM_NONE)
        c->same[k] = (struct same){sign, form};
    return c->same[k].form;
}

static void make_room(struct canon *c, size_t terms)
{
    for (c->nsame = 64; c->nsame < 2 * terms;)
        c->nsame *= 2;
    c->same = dc_alloc(c->nsame * sizeof *c->same);
    for (size_t i = 0; i < c->nsame; i++)
        c->same[i].form = ENUM_NONE;
}

bool enum_canon(const struct enum_table *from, struct enum_table *to,
                const struct enum_laws *laws, const struct enum_values *values,
                size_t n, const enum_id *roots, enum_id *out)
{
    struct canon c = {.from = from, .to = to, .laws = laws, .values = values};
    size_t count = from->items.len, last = 0;
    c.needed = dc_alloc(count + 1);
    c.form = dc_alloc((count + 1) * sizeof *c.form);
    for (size_t i = 0; i < n; i++) {
        enum_id root = strip(&c, roots[i]);
        c.needed[root] = true;
        last = root > last ? root : last;
    }
    if (n > 0)
        mark(&c, last);
    if (values != NULL)
        make_room(&c, values->n);
    c.taken = c.taken < MAX_TAKEN ? 0 : MAX_TAKEN; /* once more for the forms */
    for (size_t i = 0; n > 0 && i <= last && c.taken < MAX_TAKEN; i++) {
        if (!c.needed[i])
            continue;
        c.form[i] = form_of(&c, (enum_id)i);
        if (values != NULL && enum_is_small(values, (enum_id)i))
            c.form[i] = shared_form(&c, (enum_id)i, c.form[i]);
    }
    for (size_t i = 0; i < n; i++)
        out[i] = c.form[strip(&c, roots[i])];
    dc_release(c.needed);
    dc_release(c.form);
    dc_release(c.same);
    vec_fini(&c.stack);
    vec_fini(&c.leaves);
    return c.taken < MAX_TAKEN;
}

/* ---- what is not decided ---------------------------------------------------- */

static bool opens(const struct enum_term *x)
{
    if (x->kind == ENUM_BAG)
        return dtype_is_bool(x->dtype);
    if (x->kind != ENUM_OP)
        return false;
    switch ((int)x->op) {
    case IR_SELECT:
    case IR_COMPARE_KINDS:
    case IR_NOT: return true;
    case IR_SUB: return !dtype_is_float(x->dtype);
    case IR_CAST: return !dtype_is_float(x->dtype);
    case IR_CALL: return x->call == IR_OP_IF_THEN_ELSE;
    default: return false;
    }
}

bool enum_is_open(const struct enum_table *t, enum_id id)
{
    bool *below = dc_alloc((size_t)id + 1);
    bool open = false;
    below[id] = true;
    for (size_t i = (size_t)id + 1; i-- > 0 && !open;) {
        const struct enum_term *x = &t->items.items[i];
        if (!below[i])
            continue;
        open = opens(x);
        for (uint32_t k = 0; k < x->n; k++)
            below[x->args[k]] = true;
    }
    dc_release(below);
    return open;
}
