/* SPDX-License-Identifier: Apache-2.0
 *
 * Affine forms: sums of integer multiples of atoms, with an interval that
 * holds the value. An atom is interned: equal definitions are one atom, so
 * equal forms look equal.
 *
 * x mod d is written x - d * floor(x / d), so that the usual pair of a fused
 * loop, (f / d) * d + f mod d, falls together to f again. What is known of a
 * remainder is kept in the interval. In floor(x / d) the terms that d divides
 * come out; what is left vanishes where its interval lies in [0, d).
 */
#include "interp/fast/fast_engine.h"

#include <string.h>

/* Bounds stay below this, so that a sum of two cannot overflow. */
#define BOUND     ((int64_t)1 << 60)
#define MAX_ATOMS 20000u

static bool in_bounds(const struct affine *a)
{
    return a->lo > -BOUND && a->hi < BOUND && a->c > -BOUND && a->c < BOUND;
}

struct affine affine_const(int64_t value)
{
    struct affine a;
    memset(&a, 0, sizeof a);
    a.c = a.lo = a.hi = value;
    return a;
}

struct affine affine_atom(const struct engine *e, uint32_t atom)
{
    struct affine a = affine_const(0);
    a.n = 1;
    a.t[0].atom = atom;
    a.t[0].coef = 1;
    a.lo = e->atoms.items[atom].lo;
    a.hi = e->atoms.items[atom].hi;
    return a;
}

static bool scaled_bounds(int64_t lo, int64_t hi, int64_t factor,
                          int64_t *out_lo, int64_t *out_hi)
{
    int64_t x, y;
    if (__builtin_mul_overflow(lo, factor, &x) ||
        __builtin_mul_overflow(hi, factor, &y))
        return false;
    *out_lo = x < y ? x : y;
    *out_hi = x < y ? y : x;
    return true;
}

/* Narrows the interval to what the terms alone give. */
static void tighten(const struct engine *e, struct affine *a)
{
    int64_t lo = a->c, hi = a->c;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *atom = &e->atoms.items[a->t[i].atom];
        int64_t x, y;
        if (!scaled_bounds(atom->lo, atom->hi, a->t[i].coef, &x, &y) ||
            __builtin_add_overflow(lo, x, &lo) ||
            __builtin_add_overflow(hi, y, &hi))
            return;
    }
    if (lo > a->lo)
        a->lo = lo;
    if (hi < a->hi)
        a->hi = hi;
    if (a->lo > a->hi) /* of an empty loop: any value will do */
        a->hi = a->lo;
}

bool affine_add(const struct engine *e, const struct affine *a,
                const struct affine *b, struct affine *out)
{
    struct affine r = affine_const(a->c + b->c);
    uint32_t i = 0, j = 0;
    r.lo = a->lo + b->lo;
    r.hi = a->hi + b->hi;
    while (i < a->n || j < b->n) {
        struct term t;
        if (j == b->n || (i < a->n && a->t[i].atom < b->t[j].atom)) {
            t = a->t[i++];
        } else if (i == a->n || b->t[j].atom < a->t[i].atom) {
            t = b->t[j++];
        } else {
            t = a->t[i++];
            if (__builtin_add_overflow(t.coef, b->t[j++].coef, &t.coef))
                return false;
            if (t.coef == 0)
                continue;
        }
        if (r.n == AFFINE_TERMS)
            return false;
        r.t[r.n++] = t;
    }
    tighten(e, &r);
    *out = r;
    return in_bounds(&r);
}

bool affine_scale(const struct affine *a, int64_t factor, struct affine *out)
{
    if (factor == 0) {
        *out = affine_const(0);
        return true;
    }
    struct affine r = *a;
    if (__builtin_mul_overflow(a->c, factor, &r.c) ||
        !scaled_bounds(a->lo, a->hi, factor, &r.lo, &r.hi))
        return false;
    for (uint32_t i = 0; i < r.n; i++)
        if (__builtin_mul_overflow(a->t[i].coef, factor, &r.t[i].coef))
            return false;
    *out = r;
    return in_bounds(&r);
}

bool affine_sub(const struct engine *e, const struct affine *a,
                const struct affine *b, struct affine *out)
{
    struct affine minus;
    return affine_scale(b, -1, &minus) && affine_add(e, a, &minus, out);
}

/* ---- atoms --------------------------------------------------------------------- */

bool affine_same(const struct affine *a, const struct affine *b)
{
    if (a->c != b->c || a->n != b->n)
        return false;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->t[i].atom != b->t[i].atom || a->t[i].coef != b->t[i].coef)
            return false;
    return true;
}

static size_t scope_depth(const struct node *scope)
{
    return scope == NULL ? 0 : scope->depth + 1;
}

/* What an atom made of a form depends on. */
static void see_form(const struct engine *e, const struct affine *a,
                     struct atom *out)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *x = &e->atoms.items[a->t[i].atom];
        if (scope_depth(x->scope) > scope_depth(out->scope))
            out->scope = x->scope;
        out->loops |= x->loops;
        if (x->level >= out->level)
            out->level = x->level + 1;
    }
}

static uint64_t form_hash(uint64_t hash, const struct affine *a)
{
    hash = hash_mix(hash, (uint64_t)a->c);
    for (uint32_t i = 0; i < a->n; i++) {
        hash = hash_mix(hash, a->t[i].atom);
        hash = hash_mix(hash, (uint64_t)a->t[i].coef);
    }
    return hash;
}

/* Where x stands in the table of atoms, or would. The table holds index + 1. */
static size_t atom_slot(const struct engine *e, const struct atom *x)
{
    size_t mask = e->atom_cap - 1;
    uint64_t hash = hash_mix((uint64_t)x->kind, (uint64_t)x->divisor);
    size_t i = (size_t)form_hash(form_hash(hash, &x->a), &x->b) & mask;
    for (; e->atom_table[i] != 0; i = (i + 1) & mask) {
        const struct atom *y = &e->atoms.items[e->atom_table[i] - 1];
        if (y->kind == x->kind && y->divisor == x->divisor &&
            affine_same(&y->a, &x->a) && affine_same(&y->b, &x->b))
            break;
    }
    return i;
}

static void table_grow(struct engine *e)
{
    const uint32_t *old = e->atom_table;
    size_t cap = e->atom_cap;
    e->atom_cap = cap == 0 ? 64 : 2 * cap;
    e->atom_table = ARENA_ARRAY(e->arena, e->atom_cap, uint32_t);
    for (size_t i = 0; i < cap; i++)
        if (old[i] != 0)
            e->atom_table[atom_slot(e, &e->atoms.items[old[i] - 1])] = old[i];
}

static uint32_t atom_make(struct engine *e, struct atom *x)
{
    if (x->kind != ATOM_LOOP) {
        if (2 * (e->atoms.len + 1) > e->atom_cap)
            table_grow(e);
        size_t slot = atom_slot(e, x);
        if (e->atom_table[slot] != 0)
            return e->atom_table[slot] - 1;
        e->atom_table[slot] = (uint32_t)e->atoms.len + 1;
        see_form(e, &x->a, x);
        see_form(e, &x->b, x);
    }
    vec_push(&e->atoms, *x);
    return (uint32_t)(e->atoms.len - 1);
}

static struct atom atom_of(enum atom_kind kind, const struct affine *a)
{
    struct atom x;
    memset(&x, 0, sizeof x);
    x.kind = kind;
    x.a = *a;
    x.lo = a->lo;
    x.hi = a->hi;
    return x;
}

uint32_t affine_atom_loop(struct engine *e, struct node *loop, int64_t lo,
                          int64_t hi)
{
    struct affine zero = affine_const(0);
    struct atom x = atom_of(ATOM_LOOP, &zero);
    x.lo = lo;
    x.hi = hi < lo ? lo : hi;
    x.scope = loop;
    x.loops = (uint64_t)1 << loop->depth;
    return atom_make(e, &x);
}

uint32_t affine_atom_sum(struct engine *e, const struct affine *a)
{
    struct atom x = atom_of(ATOM_SUM, a);
    return atom_make(e, &x);
}

/* Forms are evaluated atom by atom: deep ones would take exponential time. */
static bool too_deep(const struct engine *e, const struct affine *a)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (e->atoms.items[a->t[i].atom].level >= ATOM_LEVEL)
            return true;
    return e->atoms.len > MAX_ATOMS;
}

/* floor((g q + s) / d) is floor(q / (d / g)) where g divides d and s lies in
 * [0, g). Takes the greatest such g that is a coefficient's common divisor with
 * d; *out is q then. 0: there is none. */
static int64_t drop_remainder(const struct engine *e, const struct affine *a,
                              int64_t divisor, struct affine *out)
{
    int64_t best = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        int64_t g = int_gcd(a->t[i].coef, divisor);
        struct affine big = affine_const(int_floor_div(a->c, g));
        struct affine small = affine_const(a->c - g * big.c);
        small.lo = big.lo = -BOUND + 1;
        small.hi = big.hi = BOUND - 1;
        for (uint32_t k = 0; k < a->n; k++) {
            struct affine *to = a->t[k].coef % g == 0 ? &big : &small;
            to->t[to->n] = a->t[k];
            to->t[to->n++].coef /= to == &big ? g : 1;
        }
        if (g <= best || g <= 1)
            continue;
        tighten(e, &small);
        tighten(e, &big);
        if (small.lo < 0 || small.hi >= g || !in_bounds(&big))
            continue;
        best = g;
        *out = big;
    }
    return best;
}

bool affine_floordiv(struct engine *e, const struct affine *a, int64_t divisor,
                     struct affine *out)
{
    if (divisor <= 0)
        return false;
    if (divisor == 1) {
        *out = *a;
        return true;
    }
    int64_t lo = int_floor_div(a->lo, divisor),
            hi = int_floor_div(a->hi, divisor);
    if (lo == hi) {
        *out = affine_const(lo);
        return true;
    }
    struct affine whole = affine_const(0), rest = *a, scaled;
    whole.c = int_floor_div(a->c, divisor);
    for (uint32_t i = 0; i < a->n; i++)
        if (a->t[i].coef % divisor == 0) {
            whole.t[whole.n] = a->t[i];
            whole.t[whole.n++].coef /= divisor;
        }
    whole.lo = -BOUND + 1;
    whole.hi = BOUND - 1;
    tighten(e, &whole);
    if (!affine_scale(&whole, divisor, &scaled) ||
        !affine_sub(e, a, &scaled, &rest))
        return false;
    /* rest has the terms that are left and their interval, but for what a's
     * own interval knew */
    struct affine quotient;
    int64_t rest_lo = int_floor_div(rest.lo, divisor);
    struct affine reduced;
    int64_t g;
    if (rest_lo == int_floor_div(rest.hi, divisor)) {
        quotient = affine_const(rest_lo);
    } else if ((g = drop_remainder(e, &rest, divisor, &reduced)) != 0) {
        if (!affine_floordiv(e, &reduced, divisor / g, &quotient))
            return false;
    } else {
        struct atom x = atom_of(ATOM_FLOORDIV, &rest);
        x.divisor = divisor;
        x.lo = rest_lo;
        x.hi = int_floor_div(rest.hi, divisor);
        if (too_deep(e, &rest))
            return false;
        quotient = affine_atom(e, atom_make(e, &x));
    }
    if (!affine_add(e, &whole, &quotient, out))
        return false;
    if (lo > out->lo)
        out->lo = lo;
    if (hi < out->hi)
        out->hi = hi;
    return true;
}

bool affine_floormod(struct engine *e, const struct affine *a, int64_t divisor,
                     struct affine *out)
{
    struct affine q, whole;
    if (!affine_floordiv(e, a, divisor, &q) ||
        !affine_scale(&q, divisor, &whole) || !affine_sub(e, a, &whole, out))
        return false;
    if (out->lo < 0)
        out->lo = 0;
    if (out->hi > divisor - 1)
        out->hi = divisor - 1;
    return true;
}

bool affine_minmax(struct engine *e, bool max, const struct affine *a,
                   const struct affine *b, struct affine *out)
{
    if (a->hi <= b->lo || b->hi <= a->lo) {
        *out = (a->hi <= b->lo) == max ? *b : *a;
        return true;
    }
    if (too_deep(e, a) || too_deep(e, b))
        return false;
    struct atom x = atom_of(max ? ATOM_MAX : ATOM_MIN, a);
    x.b = *b;
    x.lo = (a->lo > b->lo) == max ? a->lo : b->lo;
    x.hi = (a->hi > b->hi) == max ? a->hi : b->hi;
    *out = affine_atom(e, atom_make(e, &x));
    return true;
}

bool affine_mul(struct engine *e, const struct affine *a,
                const struct affine *b, struct affine *out)
{
    if (a->n == 0)
        return affine_scale(b, a->c, out);
    if (b->n == 0)
        return affine_scale(a, b->c, out);
    if (too_deep(e, a) || too_deep(e, b))
        return false;
    struct atom x = atom_of(ATOM_MUL, a);
    int64_t p, q, r, s;
    if (!scaled_bounds(a->lo, a->hi, b->lo, &p, &q) ||
        !scaled_bounds(a->lo, a->hi, b->hi, &r, &s))
        return false;
    x.b = *b;
    x.lo = p < r ? p : r;
    x.hi = q > s ? q : s;
    if (x.lo <= -BOUND || x.hi >= BOUND)
        return false;
    *out = affine_atom(e, atom_make(e, &x));
    return true;
}

/* ---- questions ------------------------------------------------------------------- */

bool affine_atom_uses(const struct engine *e, uint32_t atom, uint32_t loop_atom)
{
    const struct atom *x = &e->atoms.items[atom];
    const struct node *loop = e->atoms.items[loop_atom].scope;
    const struct node *at = x->scope;
    if (!(x->loops >> loop->depth & 1))
        return false;
    while (at != NULL && at->depth > loop->depth)
        at = at->parent;
    return at == loop;
}

bool affine_uses(const struct engine *e, const struct affine *a,
                 uint32_t loop_atom)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (affine_atom_uses(e, a->t[i].atom, loop_atom))
            return true;
    return false;
}

bool affine_linear(const struct engine *e, const struct affine *a,
                   uint32_t loop_atom, int64_t *coef)
{
    *coef = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->t[i].atom == loop_atom)
            *coef = a->t[i].coef;
        else if (affine_atom_uses(e, a->t[i].atom, loop_atom))
            return false;
    return true;
}

/* ---- values ------------------------------------------------------------------------ */

int64_t affine_atom_value(const struct atom *x, const int64_t *ints)
{
    int64_t a = affine_value(&x->a, ints), b;
    switch (x->kind) {
    case ATOM_FLOORDIV: return int_floor_div(a, x->divisor);
    case ATOM_MIN: b = affine_value(&x->b, ints); return a < b ? a : b;
    case ATOM_MAX: b = affine_value(&x->b, ints); return a > b ? a : b;
    case ATOM_MUL: return a * affine_value(&x->b, ints);
    case ATOM_LOOP:
    case ATOM_SUM: break;
    }
    return a;
}

static int64_t atom_value_at(const struct atom *atoms, uint32_t atom,
                             const int64_t *ints, uint32_t loop_atom,
                             int64_t value)
{
    const struct atom *x = &atoms[atom];
    if (atom == loop_atom)
        return value;
    if (x->kind == ATOM_LOOP)
        return ints[atom];
    int64_t a = affine_value_at(atoms, &x->a, ints, loop_atom, value);
    if (x->kind == ATOM_FLOORDIV)
        return int_floor_div(a, x->divisor);
    if (x->kind == ATOM_SUM)
        return a;
    int64_t b = affine_value_at(atoms, &x->b, ints, loop_atom, value);
    if (x->kind == ATOM_MUL)
        return a * b;
    return (a < b) == (x->kind == ATOM_MIN) ? a : b;
}

int64_t affine_value_at(const struct atom *atoms, const struct affine *a,
                        const int64_t *ints, uint32_t loop_atom, int64_t value)
{
    int64_t sum = a->c;
    for (uint32_t i = 0; i < a->n; i++)
        sum += a->t[i].coef *
               atom_value_at(atoms, a->t[i].atom, ints, loop_atom, value);
    return sum;
}
