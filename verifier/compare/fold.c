/* SPDX-License-Identifier: Apache-2.0
 *
 * Values as folds: an initial value and terms combined into it one after the
 * other. ((x + t1) + t2) and a reduction over {t1, t2} from x are one fold.
 */
#include "verifier/compare/match.h"
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"

#define MAX_TERMS 2048

bool fold_exact(const struct match *m, enum ir_expr_kind op, struct dtype t)
{
    return value_combines(op, t) && !dtype_is_float(t) && !m->in_order;
}

bool fold_idempotent(enum ir_expr_kind op)
{
    return op == IR_MIN || op == IR_MAX || op == IR_AND || op == IR_OR ||
           op == IR_BITAND || op == IR_BITOR;
}

enum ir_expr_kind fold_op(const struct value *v)
{
    if (v->kind == VALUE_REDUCE)
        return v->op;
    if (v->kind == VALUE_OP && v->nargs == 2 && value_combines(v->op, v->dtype))
        return v->op;
    return IR_NKINDS;
}

/* Infinity, or the lowest number, which takes that none is below it. */
static bool is_end(const struct fold *f, const struct value *v)
{
    struct dtype t = v->dtype;
    uint64_t bits = v->bits;
    if (dtype_is_float(t) && num_is_inf(t, bits))
        return (num_to_double(t, bits) < 0) == (f->op == IR_MAX);
    return bits == (f->op == IR_MAX ? num_min_value(t) : num_max_value(t)) &&
           (!f->strict || !dtype_is_float(t));
}

static bool is_zero(const struct fold *f, const struct value *v)
{
    struct dtype t = v->dtype;
    if (!dtype_is_float(t))
        return v->bits == 0;
    return num_to_double(t, v->bits) == 0.0 && (!f->strict || v->bits != 0);
}

static bool is_unit(const struct fold *f, const struct value *v)
{
    uint64_t bits;
    if (!value_is_const(v, &bits))
        return false;
    struct dtype t = v->dtype;
    bool is_float = dtype_is_float(t);
    unsigned flags = 0;
    switch (f->op) {
    case IR_ADD: return is_zero(f, v);
    case IR_OR:
    case IR_BITOR:
    case IR_BITXOR: return bits == 0;
    case IR_MUL:
        return bits == num_from_double(t, 1.0, &flags) ||
               (!is_float && bits == num_from_int(t, 1, &flags));
    case IR_AND: return bits == 1;
    case IR_BITAND: return !is_float && bits == num_from_int(t, -1, &flags);
    case IR_MAX:
    case IR_MIN: return is_end(f, v);
    default: return false;
    }
}

/* The lowest number is a unit in range only; in a fold without terms it is what it
 * is. */
static void drop_unit(struct match *m, struct fold *f, const struct value *v)
{
    if ((f->op == IR_MAX || f->op == IR_MIN) && dtype_is_float(v->dtype) &&
        !num_is_inf(v->dtype, v->bits))
        m->used_in_range = true;
    f->mixed = f->mixed || (f->dropped && f->unit != v->bits);
    f->dropped = true;
    f->unit = v->bits;
}

/* The terms are a fold's own: those of a value are never changed. */
bool fold_push(struct match *m, struct fold *f, const struct value_part *p,
               unsigned group)
{
    if (f->n >= MAX_TERMS) {
        m->why = "too many terms";
        return false;
    }
    if (f->n == f->cap) {
        size_t cap = f->cap == 0 ? 8 : f->cap * 2;
        struct term *now = ARENA_ARRAY(m->c->arena, cap, struct term);
        for (size_t i = 0; i < f->n; i++)
            now[i] = f->terms[i];
        f->terms = now;
        f->cap = cap;
    }
    f->terms[f->n++] = (struct term){*p, group, false};
    return true;
}

static struct value_part single(struct match *m, const struct value *v)
{
    struct value_part p = {0};
    p.where = form_true(m->c->space);
    p.leaf = v;
    return p;
}

static bool same_fold(const struct value *v, enum ir_expr_kind op,
                      struct dtype t)
{
    return fold_op(v) == op && dtype_equal(v->dtype, t);
}

static bool gather(struct match *m, const struct value *v, struct fold *f,
                   unsigned *group, unsigned depth)
{
    if (depth > 3000 || !same_fold(v, f->op, f->dtype)) {
        f->init = v;
        return true;
    }
    if (!gather(m, v->args[0], f, group, depth + 1))
        return false;
    ++*group;
    if (v->kind == VALUE_REDUCE) {
        for (size_t i = 0; i < v->nparts; i++) {
            if (!fold_push(m, f, &v->parts[i], *group))
                return false;
            f->terms[f->n - 1].swapped = v->swapped;
        }
        return true;
    }
    struct value_part p = single(m, v->args[1]);
    return fold_push(m, f, &p, *group);
}

bool fold_of(struct match *m, const struct value *v, enum ir_expr_kind op,
             struct fold *out)
{
    *out = (struct fold){.op = op, .dtype = v->dtype};
    if (fold_op(v) != op)
        return false;
    unsigned group = 0;
    return gather(m, v, out, &group, 0);
}

/* ---- flattening ------------------------------------------------------------- */

static bool zero_const(const struct value *v)
{
    uint64_t bits;
    return value_is_const(v, &bits) &&
           (dtype_is_float(v->dtype) ? num_to_double(v->dtype, bits) == 0.0
                                     : bits == 0);
}

/* Whether 0 * w may be dropped, finite w or not: 0 times what is undefined is
 * undefined (R10). Of the state around it nothing is known. */
static bool may_be_dropped(struct match *m, const struct value *w)
{
    return OBLIGED(m->c->smt, "a dropped factor is defined",
                   !w->has_hole && !vclean_may_be_undefined(m->c, w));
}

/* A product with a factor (c ? a : 0): c ? a * w : 0, where dropping 0 * w
 * assumes a finite w. Through conversions too. NULL: not of that kind. */
static const struct value *lift(struct match *m, const struct value *v)
{
    struct vctx *c = m->c;
    if (v->kind != VALUE_OP)
        return NULL;
    bool product = v->op == IR_MUL && v->nargs == 2;
    bool cast = v->op == IR_CAST && v->nargs == 1;
    if (!product && !cast)
        return NULL;
    for (size_t i = 0; i < v->nargs; i++) {
        const struct value *a = v->args[i];
        if (a->kind != VALUE_ITE) {
            const struct value *up = lift(m, a);
            if (up == NULL)
                continue;
            a = up;
        }
        bool zero_else = zero_const(a->args[1]),
             zero_then = zero_const(a->args[0]);
        if ((!zero_else && !zero_then) ||
            (product && !may_be_dropped(m, v->args[1 - i])))
            continue;
        const struct value *args[2] = {v->args[0],
                                       v->nargs > 1 ? v->args[1] : NULL};
        struct value proto = *v;
        proto.args = args;
        args[i] = a->args[zero_else ? 0 : 1];
        const struct value *some = value_make(c, &proto);
        const struct value *none = value_const(c, v->dtype, 0);
        if (product && dtype_is_float(v->dtype) && !zero_const(v->args[1 - i]))
            m->used_finite = true;
        return zero_else ? value_ite(c, a->cond, some, none)
                         : value_ite(c, a->cond, none, some);
    }
    return NULL;
}

static struct value_part restrict_part(struct match *m,
                                       const struct value_part *p,
                                       const struct form *cond,
                                       const struct value *leaf)
{
    struct value_part out = *p;
    out.where = form_and2(m->c->space, p->where, cond);
    out.leaf = leaf;
    return out;
}

/* A term that is a reduction of the same operator: its terms, each under both
 * domains. Time is lost: only for comparisons modulo order. */
static struct value_part nest(struct match *m, const struct value_part *outer,
                              const struct value_part *inner)
{
    struct value_part out = *inner;
    out.nbinders = outer->nbinders + inner->nbinders;
    out.binders = ARENA_ARRAY(m->c->arena, out.nbinders + 1, atom_id);
    for (size_t i = 0; i < outer->nbinders; i++)
        out.binders[i] = outer->binders[i];
    for (size_t i = 0; i < inner->nbinders; i++)
        out.binders[outer->nbinders + i] = inner->binders[i];
    out.where = form_and2(m->c->space, outer->where, inner->where);
    return out;
}

static bool flatten_part(struct match *m, struct fold *out,
                         const struct value_part *p, unsigned group,
                         unsigned depth)
{
    struct vctx *c = m->c;
    const struct value *v = p->leaf;
    if (depth > 64 || p->where->kind == FORM_FALSE || !vctx_step(c, 4))
        return p->where->kind == FORM_FALSE;
    if (is_unit(out, v)) {
        drop_unit(m, out, v);
        return true;
    }
    if (v->kind == VALUE_ITE) {
        struct value_part a = restrict_part(m, p, v->cond, v->args[0]);
        struct value_part b =
            restrict_part(m, p, form_not(c->space, v->cond), v->args[1]);
        bool splits = is_unit(out, v->args[0]) || is_unit(out, v->args[1]) ||
                      same_fold(v->args[0], out->op, out->dtype) ||
                      same_fold(v->args[1], out->op, out->dtype);
        if (splits)
            return flatten_part(m, out, &a, group, depth + 1) &&
                   flatten_part(m, out, &b, group, depth + 1);
    }
    if (same_fold(v, out->op, out->dtype)) {
        struct fold inner;
        if (!fold_of(m, v, out->op, &inner))
            return false;
        if (inner.init != NULL) {
            struct value_part s =
                restrict_part(m, p, form_true(c->space), inner.init);
            if (!flatten_part(m, out, &s, group, depth + 1))
                return false;
        }
        for (size_t i = 0; i < inner.n; i++) {
            struct value_part s = nest(m, p, &inner.terms[i].part);
            if (!flatten_part(m, out, &s, group, depth + 1))
                return false;
        }
        return true;
    }
    if (m->lift_zeros && out->op == IR_ADD) {
        const struct value *up = lift(m, v);
        if (up != NULL) {
            struct value_part s = *p;
            s.leaf = up;
            return flatten_part(m, out, &s, group, depth + 1);
        }
    }
    return fold_push(m, out, p, group);
}

static bool flatten(struct match *m, struct fold *f, bool strict)
{
    struct fold out = {.op = f->op, .dtype = f->dtype, .strict = strict};
    if (f->init != NULL) {
        struct value_part p = single(m, f->init);
        if (!flatten_part(m, &out, &p, 0, 0))
            return false;
    }
    for (size_t i = 0; i < f->n; i++)
        if (!flatten_part(m, &out, &f->terms[i].part, f->terms[i].group, 0))
            return false;
    *f = out;
    return true;
}

/* Whether it makes no difference which units were dropped: each side has some term
 * or unit, so that with no term left both are the one unit there is. */
static bool units_agree(struct match *m, const struct fold *p,
                        const struct fold *q, const struct form *ctx)
{
    if (!p->mixed && !q->mixed &&
        (!p->dropped || !q->dropped || p->unit == q->unit))
        return true;
    const struct form *some =
        form_or2(m->c->space, fold_has_term(m->c, p), fold_has_term(m->c, q));
    return vctx_proves(m->c, ctx, some, "a term is left");
}

bool fold_flatten(struct match *m, struct fold *p, struct fold *q,
                  const struct form *ctx)
{
    struct fold fp = *p, fq = *q;
    bool in_range = m->used_in_range;
    if (!flatten(m, &fp, false) || !flatten(m, &fq, false))
        return false;
    if (units_agree(m, &fp, &fq, ctx)) {
        *p = fp;
        *q = fq;
        return true;
    }
    m->used_in_range = in_range;
    return flatten(m, p, true) && flatten(m, q, true);
}

/* ---- exact zeros ------------------------------------------------------------ */

static bool plus_zero(const struct value *v)
{
    return v->kind == VALUE_CONST && dtype_is_float(v->dtype) && v->bits == 0;
}

void fold_drop_zeros(struct match *m, struct fold *f)
{
    if (f->op != IR_ADD ||
        !OBLIGED(m->c->smt, "the sum begins at +0", plus_zero(f->init)))
        return;
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        struct term t = f->terms[i];
        while (t.part.leaf->kind == VALUE_ITE &&
               (plus_zero(t.part.leaf->args[0]) ||
                plus_zero(t.part.leaf->args[1]))) {
            const struct value *v = t.part.leaf;
            bool first = plus_zero(v->args[0]);
            t.part = restrict_part(
                m, &t.part, first ? form_not(m->c->space, v->cond) : v->cond,
                v->args[first ? 1 : 0]);
        }
        if (!plus_zero(t.part.leaf) && t.part.where->kind != FORM_FALSE)
            f->terms[n++] = t;
    }
    f->n = n;
    /* +0 + s is s for a sum s that began at +0 as well */
    struct fold inner;
    if (n == 1 && f->terms[0].part.nbinders == 0 &&
        f->terms[0].part.where->kind == FORM_TRUE &&
        same_fold(f->terms[0].part.leaf, f->op, f->dtype) &&
        fold_of(m, f->terms[0].part.leaf, f->op, &inner) &&
        plus_zero(inner.init)) {
        *f = inner;
        fold_drop_zeros(m, f);
    }
}

/* ---- without conversions ---------------------------------------------------- */

static struct dtype widest(struct dtype t)
{
    return dtype_is_float(t) ? dtype_make(DT_FLOAT, 64, 1) : t;
}

/* Calls that mean a function of real numbers, whatever types hold these. */
static bool of_numbers(enum ir_op op)
{
    return op == IR_OP_ABS || op == IR_OP_LDEXP ||
           ((ir_op_info(op)->flags & IR_OPF_MATH) != 0 &&
            op != IR_OP_NEXTAFTER);
}

/* Whether v asks for more of a float than its number: its bits, its neighbours,
 * whether its type holds the number at all; of functions that are not known,
 * anything. */
static bool hangs_on_format(const struct value *v)
{
    bool floats = dtype_is_float(v->dtype);
    if (v->kind != VALUE_OP || v->op != IR_CALL || of_numbers(v->call))
        return false;
    for (size_t i = 0; i < v->nargs; i++)
        floats = floats || dtype_is_float(v->args[i]->dtype);
    return floats;
}

static const struct value *without_casts(struct vctx *c, const struct value *v)
{
    struct value proto = *v;
    if (!OBLIGED(c->smt, "a function of numbers", !hangs_on_format(v)))
        /* the state around it is another one without conversions */
        return v->has_hole ? value_undef(c, v->dtype) : v;
    proto.dtype = widest(v->dtype);
    if (v->kind == VALUE_CONST) {
        unsigned flags = 0;
        if (dtype_is_float(v->dtype))
            proto.bits = num_from_double(
                proto.dtype, num_to_double(v->dtype, v->bits), &flags);
        return value_make(c, &proto);
    }
    if (v->kind == VALUE_OP && v->op == IR_CAST && dtype_is_float(v->dtype) &&
        dtype_is_float(v->args[0]->dtype))
        return match_value_without_casts(c, v->args[0]);
    if (v->nargs > 0) {
        proto.args = ARENA_ARRAY(c->arena, v->nargs, const struct value *);
        for (size_t i = 0; i < v->nargs; i++)
            proto.args[i] = match_value_without_casts(c, v->args[i]);
    }
    if (v->nparts > 0) {
        struct value_part *parts =
            ARENA_ARRAY(c->arena, v->nparts, struct value_part);
        for (size_t i = 0; i < v->nparts; i++) {
            parts[i] = v->parts[i];
            parts[i].leaf = match_value_without_casts(c, v->parts[i].leaf);
        }
        proto.parts = parts;
    }
    return value_make(c, &proto);
}

const struct value *match_value_without_casts(struct vctx *c,
                                              const struct value *v)
{
    if (v->uncast == NULL) {
        const struct value *out = without_casts(c, v);
        value_keep_uncast(v, out);
    }
    return v->uncast;
}
