/* SPDX-License-Identifier: Apache-2.0
 *
 * Growth of the error along a reduction: each partial result as the program
 * computed it, against the same over the real numbers. What is no sum, product,
 * quotient or extremum counts as the program computed it.
 *
 * Real numbers are pairs of doubles whose sum they are, to about 100 bits
 * (Dekker 1971, Knuth 4.2.2: the error of one addition or multiplication of
 * doubles is a double): far more than any type that is reduced here holds.
 */
#include "diff/plots/plots.h"
#include "diff/why/why.h"

#include <math.h>

#define MAX_DEPTH 60u      /* of a term */
#define MAX_LOOKS 1000000u /* forms, of all terms of a side */

struct real {
    double hi, lo;
};

static const struct real unknown = {(double)NAN, 0};

static struct real sum_of(double a, double b)
{
    double s = a + b, c = s - a;
    return (struct real){s, (a - (s - c)) + (b - c)};
}

static struct real add(struct real a, struct real b)
{
    struct real s = sum_of(a.hi, b.hi);
    return sum_of(s.hi, s.lo + (a.lo + b.lo));
}

static struct real negate(struct real a)
{
    return (struct real){-a.hi, -a.lo};
}

static struct real multiply(struct real a, struct real b)
{
    double p = a.hi * b.hi;
    double e = fma(a.hi, b.hi, -p) + (a.hi * b.lo + a.lo * b.hi);
    return sum_of(p, e);
}

static struct real divide(struct real a, struct real b)
{
    double q = a.hi / b.hi;
    struct real rest = add(a, negate(multiply((struct real){q, 0}, b)));
    return sum_of(q, rest.hi / b.hi);
}

static bool is_less(struct real a, struct real b)
{
    return a.hi < b.hi || (a.hi == b.hi && a.lo < b.lo);
}

static struct real combine(enum ir_expr_kind op, struct real a, struct real b)
{
    if (isnan(a.hi) || isnan(b.hi))
        return unknown;
    if (op == IR_ADD)
        return add(a, b);
    if (op == IR_SUB)
        return add(a, negate(b));
    if (op == IR_MUL)
        return multiply(a, b);
    if (op == IR_DIV)
        return divide(a, b);
    if (op == IR_MIN || op == IR_MAX)
        return is_less(a, b) == (op == IR_MIN) ? a : b;
    return unknown;
}

/* ---- values ---------------------------------------------------------------------- */

/* What is followed: forms share their parts, so that the ways through one may be
 * exponentially many. */
struct walk {
    const struct diff_args *in;
    size_t left; /* forms that may still be looked at */
};

static bool take_look(struct walk *w)
{
    if (w->left == 0)
        return false;
    w->left--;
    return true;
}

/* The operations that are followed; NUM_NOPS: it is none. */
static enum num_op machine_op(enum ir_expr_kind op)
{
    switch ((int)op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL:
    case IR_DIV:
    case IR_MIN:
    case IR_MAX: return ir_num_op(op);
    default: return NUM_NOPS;
    }
}

/* What the parameter's element held before the run. */
static bool input_bits(const struct diff_args *in, const struct interp_form *f,
                       uint64_t *out)
{
    if (f->param >= in->n)
        return false;
    const struct interp_arg *a = &in->args[f->param];
    if (a->tensor != NULL && f->element >= a->tensor->elements)
        return false;
    *out =
        a->tensor != NULL ? interp_tensor_get(a->tensor, f->element) : a->bits;
    return true;
}

/* The bits of the value as the program has it; what no statement stored is
 * computed once more. False: it is not known. */
static bool bits_of(struct walk *w, const struct interp_form *f, unsigned depth,
                    uint64_t *out)
{
    uint64_t a, b;
    unsigned flags = 0;
    enum num_op op = machine_op(f->op);
    if (f->kind == INTERP_FORM_UNDEFINED || depth > MAX_DEPTH || !take_look(w))
        return false;
    if (f->kind == INTERP_FORM_ATOM)
        return input_bits(w->in, f, out);
    *out = f->bits;
    if (f->kind != INTERP_FORM_OP || f->made != NULL)
        return true;
    if (f->op == IR_CAST && f->nargs == 1) {
        if (!bits_of(w, f->args[0], depth + 1, &a))
            return false;
        *out = num_cast(dtype_scalar(f->args[0]->dtype), dtype_scalar(f->dtype),
                        a, &flags);
        return (flags & (NUM_UNDEFINED | NUM_NO_RULE)) == 0;
    }
    if (f->nargs != 2 || op == NUM_NOPS ||
        !bits_of(w, f->args[0], depth + 1, &a) ||
        !bits_of(w, f->args[1], depth + 1, &b))
        return false;
    *out = num_binary(op, dtype_scalar(f->dtype), a, b, &flags);
    return (flags & ~(unsigned)(NUM_INEXACT | NUM_WRAPPED)) == 0;
}

static struct real as_computed(struct walk *w, const struct interp_form *f)
{
    uint64_t bits;
    return bits_of(w, f, 0, &bits)
               ? (struct real){num_to_double(dtype_scalar(f->dtype), bits), 0}
               : unknown;
}

static struct real real_of(struct walk *w, const struct interp_form *f,
                           unsigned depth)
{
    if (!take_look(w))
        return unknown;
    f = why_bare(f);
    if (f->kind != INTERP_FORM_OP || depth > MAX_DEPTH)
        return as_computed(w, f);
    if (f->op == IR_CAST && f->nargs == 1 &&
        dtype_is_float(dtype_scalar(f->dtype)) &&
        dtype_is_float(dtype_scalar(f->args[0]->dtype)))
        return real_of(w, f->args[0], depth + 1);
    if (f->nargs == 2 && machine_op(f->op) != NUM_NOPS &&
        dtype_is_float(dtype_scalar(f->dtype)))
        return combine(f->op, real_of(w, f->args[0], depth + 1),
                       real_of(w, f->args[1], depth + 1));
    return as_computed(w, f);
}

/* ---- steps ----------------------------------------------------------------------- */

struct partial {
    struct real real;
    uint64_t bits;
    bool known;
};

/* Of all nodes, what is combined before what it makes. */
static void compute(struct walk *w, size_t n, const struct plots_node *nodes,
                    struct partial *out)
{
    for (size_t i = 0; i < n; i++) {
        const struct plots_node *node = &nodes[i];
        struct partial *p = &out[i];
        enum num_op op = machine_op(node->form->op);
        unsigned flags = 0;
        if (node->left == SIZE_MAX) {
            p->real = real_of(w, node->form, 0);
            p->known = bits_of(w, node->form, 0, &p->bits);
            continue;
        }
        const struct partial *a = &out[node->left], *b = &out[node->right];
        p->real = combine(node->form->op, a->real, b->real);
        p->known = a->known && b->known;
        p->bits = node->form->bits;
        if (node->form->made == NULL && p->known && op != NUM_NOPS)
            p->bits = num_binary(op, dtype_scalar(node->form->dtype), a->bits,
                                 b->bits, &flags);
        p->known = p->known && !isnan(p->real.hi);
    }
}

/* The way from the root down the larger operands, backwards. */
static size_t spine_of(size_t n, const struct plots_node *nodes, size_t *out)
{
    size_t length = 0;
    for (size_t i = n - 1; nodes[i].left != SIZE_MAX;) {
        const struct plots_node *node = &nodes[i];
        out[length++] = i;
        i = nodes[node->right].size > nodes[node->left].size ? node->right
                                                             : node->left;
    }
    return length;
}

const char *plots_put_steps(struct arena *arena, const struct diff_args *in,
                            size_t n, const struct plots_node *nodes,
                            struct report_reduction *out)
{
    struct dtype t = dtype_scalar(nodes[n - 1].form->dtype);
    struct walk walk = {in, MAX_LOOKS};
    const char *why = NULL;
    struct partial *parts = dc_alloc((n + 1) * sizeof *parts);
    size_t *spine = dc_alloc((n + 1) * sizeof *spine);
    compute(&walk, n, nodes, parts);
    size_t length = spine_of(n, nodes, spine);
    size_t kept = length < REPORT_STEPS ? length : REPORT_STEPS;
    out->steps = ARENA_ARRAY(arena, kept + 1, struct report_step);
    for (size_t i = 0; i < kept && why == NULL; i++) {
        size_t at = kept > 1 ? i * (length - 1) / (kept - 1) : 0;
        const struct plots_node *node = &nodes[spine[length - 1 - at]];
        const struct partial *p = &parts[spine[length - 1 - at]];
        double value = num_to_double(t, p->bits);
        double error = (value - p->real.hi) - p->real.lo;
        if (!p->known)
            why = walk.left == 0 ? "the terms are too large to be followed"
                                 : "a term is computed by an operation that "
                                   "is not followed";
        else if (!isfinite(value) || !isfinite(error))
            why = "a partial result is infinite or NaN";
        else
            out->steps[out->nsteps++] =
                (struct report_step){node->size, value, error};
    }
    if (why != NULL)
        out->nsteps = 0;
    dc_release(spine);
    dc_release(parts);
    return why;
}
