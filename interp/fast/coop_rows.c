/* SPDX-License-Identifier: Apache-2.0
 *
 * Integers that differ from thread to thread and are no multiple of the
 * thread's number: digits of it, and what is made of them. Each such atom is a
 * row of numbers, one for each thread, worked out where its scope begins, so
 * that an address is a sum of rows and of one number.
 */
#include "interp/fast/coop_vm.h"

#include <string.h>

static int64_t *row(const struct vm *v, uint32_t vec)
{
    return v->vecs + (size_t)vec * LANES;
}

/* out = sum of a form's terms for the threads [lo, hi). */
static void form_row(const struct vm *v, const struct affine *a, uint32_t lo,
                     uint32_t hi, int64_t *out)
{
    const struct atom *atoms = v->e->atoms.items;
    uint32_t thread = v->lanes->atom;
    int64_t sum = a->c, step = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->t[i].atom == thread)
            step = a->t[i].coef;
        else if (atoms[a->t[i].atom].vec == 0 ||
                 !affine_atom_uses(v->e, a->t[i].atom, thread))
            sum += a->t[i].coef * v->ints[a->t[i].atom];
    for (uint32_t l = lo; l < hi; l++)
        out[l - lo] = sum + step * l;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *x = &atoms[a->t[i].atom];
        if (a->t[i].atom == thread || x->vec == 0 ||
            !affine_atom_uses(v->e, a->t[i].atom, thread))
            continue;
        const int64_t *from = row(v, x->vec - 1) + lo;
        int64_t coef = a->t[i].coef;
        for (uint32_t l = 0; l < hi - lo; l++)
            out[l] += coef * from[l];
    }
}

static void divide_row(int64_t *x, uint32_t n, const struct atom *atom)
{
    int64_t d = atom->divisor, shift = 0;
    if (atom->a.lo < 0)
        shift = (-atom->a.lo + d - 1) / d;
    if (atom->a.lo > INT32_MIN && atom->a.hi < INT32_MAX / 2 && d < INT32_MAX &&
        shift * d < INT32_MAX / 2) {
        uint32_t divisor = (uint32_t)d, up = (uint32_t)(shift * d);
        for (uint32_t i = 0; i < n; i++)
            x[i] = (int64_t)(((uint32_t)x[i] + up) / divisor) - shift;
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        int64_t q = x[i] / d;
        x[i] = q * d > x[i] ? q - 1 : q;
    }
}

static void atom_row(struct vm *v, const struct atom *x, uint32_t lo,
                     uint32_t hi)
{
    int64_t other[LANES];
    int64_t *out = row(v, x->vec - 1) + lo;
    uint32_t n = hi - lo;
    form_row(v, &x->a, lo, hi, out);
    switch (x->kind) {
    case ATOM_FLOORDIV: divide_row(out, n, x); return;
    case ATOM_MIN:
        form_row(v, &x->b, lo, hi, other);
        for (uint32_t i = 0; i < n; i++)
            out[i] = out[i] < other[i] ? out[i] : other[i];
        return;
    case ATOM_MAX:
        form_row(v, &x->b, lo, hi, other);
        for (uint32_t i = 0; i < n; i++)
            out[i] = out[i] > other[i] ? out[i] : other[i];
        return;
    case ATOM_MUL:
        form_row(v, &x->b, lo, hi, other);
        for (uint32_t i = 0; i < n; i++)
            out[i] *= other[i];
        return;
    case ATOM_LOOP:
    case ATOM_SUM: return;
    }
}

void fast_threads_work_out(struct vm *v, const uint32_t *atoms, size_t n,
                           uint32_t lo, uint32_t hi)
{
    for (size_t i = 0; i < n; i++)
        atom_row(v, &v->e->atoms.items[atoms[i]], lo, hi);
}

void fast_threads_values(const struct vm *v, const struct lin *x, uint32_t lo,
                         uint32_t hi, int64_t *out)
{
    int64_t base = fast_lin_value(v, x), step = x->lane;
    for (uint32_t l = lo; l < hi; l++)
        out[l - lo] = base + step * l;
    for (uint32_t i = 0; i < x->nvec; i++) {
        const int64_t *from = row(v, x->vec[i].atom) + lo;
        int64_t coef = x->vec[i].coef;
        for (uint32_t l = 0; l < hi - lo; l++)
            out[l] += coef * from[l];
    }
}

/* ---- guards ----------------------------------------------------------------------- */

static void and_cond(uint8_t *mask, const int64_t *x, uint32_t n,
                     enum cond_kind kind)
{
    for (uint32_t i = 0; i < n; i++)
        mask[i] &=
            (uint8_t)(kind == COND_GE ? x[i] >= 0
                                      : (x[i] == 0) == (kind == COND_EQ));
}

static uint32_t count(const uint8_t *mask, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += mask[i];
    return sum;
}

bool fast_threads_mask(struct vm *v, const struct insn *in, uint32_t lo,
                       uint32_t hi, uint8_t *mask)
{
    const struct guard *g = in->guard;
    uint32_t n = hi - lo;
    int64_t x[LANES];
    memset(mask, 1, n);
    if (g->value != NULL) {
        const struct reg *r = &v->regs[in->a];
        for (uint32_t i = 0; i < n; i++)
            mask[i] = r->u.i[lo + i] != 0;
        return r->taint == TAINT_NONE ||
               lower_give_up(v->e, "a condition that depends on rounding");
    }
    for (size_t i = 0; i < g->n; i++) {
        if (g->conds[i].cost != 0)
            fast_vm_charge(v, g->conds[i].cost, count(mask, n));
        fast_threads_values(v, &in->conds[i], lo, hi, x);
        and_cond(mask, x, n, g->conds[i].kind);
    }
    return true;
}
