/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers and formulas of affs as terms of a script. An integer is a vector that
 * is wide enough for all that its terms can sum up to, so that nothing wraps.
 */
#include "verifier/compare/bits_state.h"
#include "verifier/value/clean.h"

#include <inttypes.h>
#include <math.h>

/* ---- atoms ---------------------------------------------------------------------- */

static const struct bits_atom no_atom = {-1, 0, false};

/* How large an atom's number can be. */
static double magnitude(const struct atom *t)
{
    double lo = t->lo == AFF_NO_LOWER ? 0x1p63 : fabs((double)t->lo);
    double hi = t->hi == AFF_NO_BOUND ? 0x1p64 : fabs((double)t->hi);
    return lo > hi ? lo : hi;
}

/* Bits of a signed vector for numbers of this magnitude. */
static unsigned width_of(double most)
{
    unsigned width = 2;
    while (width <= BITS_MAX_WIDTH && ldexp(1.0, (int)width - 2) <= most)
        width++;
    return width + 1;
}

static int number(struct bits *b, unsigned width, int64_t k)
{
    char sort[BITS_SORT];
    if (width <= 64)
        return bits_constant(b, width, (uint64_t)k);
    uint64_t size = k < 0 ? -(uint64_t)k : (uint64_t)k;
    (void)bits_sort_vector(width, sort);
    return bits_put(b, sort,
                    k < 0 ? "(bvneg (_ bv%" PRIu64 " %u))"
                          : "(_ bv%" PRIu64 " %u)",
                    size, width);
}

static int wide_aff(struct bits *b, const struct aff *a, unsigned width);

/* A variable of the proof: nothing is known but its range. */
static struct bits_atom variable(struct bits *b, const struct atom *t)
{
    char sort[BITS_SORT];
    unsigned width = width_of(magnitude(t));
    int x = bits_free(b, bits_sort_vector(width, sort));
    if (t->lo != AFF_NO_LOWER)
        bits_assert(
            b, bits_bool(b, "(bvsle t%d t%d)", number(b, width, t->lo), x));
    if (t->hi != AFF_NO_BOUND)
        bits_assert(
            b, bits_bool(b, "(bvsle t%d t%d)", x, number(b, width, t->hi)));
    return (struct bits_atom){x, width, true};
}

static struct bits_atom opaque(struct bits *b, const struct atom *t)
{
    char sort[BITS_SORT];
    const struct value *v = t->user;
    if (v == NULL)
        return variable(b, t);
    struct bits_value x = bits_of_value(b, v);
    if (x.term < 0)
        return no_atom;
    if (dtype_is_bool(v->dtype)) {
        int term = bits_put(b, bits_sort_vector(2, sort), "(ite t%d #b01 #b00)",
                            x.term);
        return (struct bits_atom){term, 2, false};
    }
    if (!dtype_is_int(v->dtype))
        return no_atom;
    return (struct bits_atom){x.term, v->dtype.bits, v->dtype.code == DT_INT};
}

static struct bits_atom choice(struct bits *b, const struct vchoice *k,
                               const struct atom *t)
{
    char sort[BITS_SORT];
    unsigned wx, wy;
    int x = bits_of_aff(b, k->a, &wx), y = bits_of_aff(b, k->b, &wy);
    if (x < 0 || y < 0)
        return no_atom;
    unsigned width = wx > wy ? wx : wy;
    x = bits_resize(b, x, wx, width, true);
    y = bits_resize(b, y, wy, width, true);
    (void)t;
    (void)bits_sort_vector(width, sort);
    if (k->cond == NULL)
        return (struct bits_atom){bits_put(b, sort, "(%s t%d t%d)",
                                           k->kind == IR_BITAND  ? "bvand"
                                           : k->kind == IR_BITOR ? "bvor"
                                                                 : "bvxor",
                                           x, y),
                                  width, true};
    int cond = bits_of_form(b, k->cond);
    if (cond < 0)
        return no_atom;
    return (struct bits_atom){
        bits_put(b, sort, "(ite t%d t%d t%d)", cond, x, y), width, true};
}

/* floor(def / divisor), by a number or by another integer that is at least 1. */
static struct bits_atom quotient(struct bits *b, const struct atom *t)
{
    char sort[BITS_SORT];
    unsigned wx, wy;
    int x = bits_of_aff(b, t->def, &wx), y;
    const struct aff *by =
        t->divisor != 0 ? aff_const(b->c->space, t->divisor) : t->other;
    y = x < 0 ? -1 : bits_of_aff(b, by, &wy);
    if (y < 0)
        return no_atom;
    unsigned width = wx > wy ? wx : wy;
    (void)bits_sort_vector(width, sort);
    x = bits_resize(b, x, wx, width, true);
    y = bits_resize(b, y, wy, width, true);
    if (t->divisor != 0 && (t->divisor & (t->divisor - 1)) == 0) {
        int64_t k = 0;
        while ((INT64_C(1) << k) < t->divisor)
            k++;
        return (struct bits_atom){
            bits_put(b, sort, "(bvashr t%d t%d)", x, number(b, width, k)),
            width, true};
    }
    /* The divisor is positive: one less where the remainder is negative. */
    int whole = bits_put(b, sort, "(bvsdiv t%d t%d)", x, y);
    int rest = bits_put(b, sort, "(bvsrem t%d t%d)", x, y);
    int below = bits_bool(b, "(bvslt t%d t%d)", rest, number(b, width, 0));
    return (struct bits_atom){bits_put(b, sort, "(ite t%d (bvsub t%d t%d) t%d)",
                                       below, whole, number(b, width, 1),
                                       whole),
                              width, true};
}

static struct bits_atom product(struct bits *b, const struct atom *t)
{
    char sort[BITS_SORT];
    unsigned wx, wy;
    int x = bits_of_aff(b, t->def, &wx);
    int y = x < 0 ? -1 : bits_of_aff(b, t->other, &wy);
    if (y < 0 || wx + wy > BITS_MAX_WIDTH)
        return no_atom;
    x = bits_resize(b, x, wx, wx + wy, true);
    y = bits_resize(b, y, wy, wx + wy, true);
    return (struct bits_atom){
        bits_put(b, bits_sort_vector(wx + wy, sort), "(bvmul t%d t%d)", x, y),
        wx + wy, true};
}

static struct bits_atom atom_make(struct bits *b, const struct atom *t)
{
    switch (t->kind) {
    case ATOM_VAR:
        return t->user != NULL ? choice(b, t->user, t) : variable(b, t);
    case ATOM_OPAQUE: return opaque(b, t);
    case ATOM_FLOOR: return quotient(b, t);
    case ATOM_PRODUCT: break;
    }
    return product(b, t);
}

static struct bits_atom bits_of_atom(struct bits *b, atom_id a)
{
    while (b->atoms.len <= a)
        vec_push(&b->atoms, (struct bits_atom){0});
    if (b->atoms.items[a].term != 0)
        return b->atoms.items[a];
    if (++b->nodes > BITS_MAX_NODES)
        return no_atom;
    struct bits_atom x = atom_make(b, aff_atom_info(b->c->space, a));
    b->atoms.items[a] = x;
    return x;
}

/* ---- sums ------------------------------------------------------------------------- */

/* a in a vector of this width, which all partial sums fit. */
static int wide_aff(struct bits *b, const struct aff *a, unsigned width)
{
    char sort[BITS_SORT];
    int sum = number(b, width, a->constant);
    (void)bits_sort_vector(width, sort);
    for (uint32_t i = 0; i < a->n; i++) {
        struct bits_atom x = bits_of_atom(b, a->terms[i].atom);
        if (x.term < 0)
            return -1;
        int term = bits_resize(b, x.term, x.width, width, x.is_signed);
        if (a->terms[i].coef != 1)
            term = bits_put(b, sort, "(bvmul t%d t%d)", term,
                            number(b, width, a->terms[i].coef));
        sum = bits_put(b, sort, "(bvadd t%d t%d)", sum, term);
    }
    return sum;
}

int bits_of_aff(struct bits *b, const struct aff *a, unsigned *width)
{
    double most = fabs((double)a->constant) + 1;
    unsigned least = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *t = aff_atom_info(b->c->space, a->terms[i].atom);
        struct bits_atom x = bits_of_atom(b, a->terms[i].atom);
        /* the range of an atom holds, but a vector that is cut would say so
         * only under it */
        double size = fmin(magnitude(t), ldexp(1.0, (int)x.width));
        if (x.term < 0)
            return -1;
        most += fabs((double)a->terms[i].coef) * size;
        least = x.width + 1 > least ? x.width + 1 : least;
    }
    *width = width_of(most);
    if (*width < least)
        *width = least;
    return *width > BITS_MAX_WIDTH ? -1 : wide_aff(b, a, *width);
}

/* ---- formulas ------------------------------------------------------------------------ */

static int predicate(struct bits *b, const struct form *f)
{
    const struct value *v = vpred_value(b->c, f->key);
    const struct value *clean = vclean_value(b->c, f);
    int term;
    if (v == NULL)
        return -1;
    if (clean != NULL) {
        term = bits_clean(b, clean);
        return term == 0 ? bits_bool(b, "true") : term;
    }
    struct bits_value x = bits_of_value(b, v);
    if (x.term < 0)
        return -1;
    term = x.term;
    if (!dtype_is_bool(v->dtype)) {
        if (!dtype_is_int(v->dtype))
            return -1;
        term = bits_bool(b, "(distinct t%d t%d)", x.term,
                         bits_constant(b, v->dtype.bits, 0));
    }
    return f->negated ? bits_bool(b, "(not t%d)", term) : term;
}

static int comparison(struct bits *b, const struct form *f)
{
    unsigned width;
    int x = bits_of_aff(b, f->a, &width);
    if (x < 0)
        return -1;
    int zero = number(b, width, 0);
    return bits_bool(b,
                     f->kind == FORM_GE0   ? "(bvsge t%d t%d)"
                     : f->kind == FORM_EQ0 ? "(= t%d t%d)"
                                           : "(distinct t%d t%d)",
                     x, zero);
}

static int form_make(struct bits *b, const struct form *f)
{
    switch (f->kind) {
    case FORM_TRUE: return bits_bool(b, "true");
    case FORM_FALSE: return bits_bool(b, "false");
    case FORM_GE0:
    case FORM_EQ0:
    case FORM_NOT_EQ0: return comparison(b, f);
    case FORM_PRED: return predicate(b, f);
    case FORM_AND:
    case FORM_OR: break;
    }
    int all = 0;
    for (uint32_t i = 0; i < f->n; i++) {
        int x = bits_of_form(b, f->args[i]);
        if (x < 0)
            return -1;
        all = i == 0 ? x
                     : bits_bool(b,
                                 f->kind == FORM_AND ? "(and t%d t%d)"
                                                     : "(or t%d t%d)",
                                 all, x);
    }
    return all;
}

int bits_of_form(struct bits *b, const struct form *f)
{
    while (b->forms.len <= f->id)
        vec_push(&b->forms, 0);
    if (b->forms.items[f->id] != 0)
        return b->forms.items[f->id];
    if (++b->nodes > BITS_MAX_NODES)
        return -1;
    int term = form_make(b, f);
    while (b->forms.len <= f->id)
        vec_push(&b->forms, 0);
    b->forms.items[f->id] = term;
    return term;
}
