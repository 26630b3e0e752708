/* SPDX-License-Identifier: Apache-2.0
 *
 * Quotients: floor(a / d) in a normal form. In turn, until nothing changes:
 * multiples of d come out; common factors of the coefficients and d cancel;
 * a dividend within one cell [k d, k d + d) is k; a part of the dividend that
 * lies within one cell of a common factor g of d and the other coefficients
 * is dropped, floor((g x + small) / d) = floor(x / (d / g)); a quotient with
 * coefficient +-1 merges, floor((floor(b / c) + r) / d) =
 * floor((b + c r) / (c d)). What remains is an atom.
 *
 * All steps are identities of the integers, for negative values too. The
 * result depends on the dividend and d alone, and is remembered.
 */
#include "verifier/affine/space.h"

#define MAX_DIV_STEPS 64

/* a = d * quotient + rest, the rest with no multiples of d in it and its
 * constant in [0, d). */
static const struct aff *take_multiples(struct aff_space *s,
                                        const struct aff *a, int64_t d,
                                        const struct aff **rest)
{
    s->scratch.len = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].coef % d == 0) {
            struct aff_term term = {a->terms[i].atom, a->terms[i].coef / d};
            vec_push(&s->scratch, term);
        }
    const struct aff *q = aff_intern(s, int_floor_div(a->constant, d),
                                     s->scratch.len, s->scratch.items);
    *rest = aff_axpy(s, a, -d, q);
    return q;
}

static int64_t coef_gcd(const struct aff *a, int64_t g)
{
    for (uint32_t i = 0; i < a->n && g != 1; i++)
        g = int_gcd(a->terms[i].coef, g);
    return g;
}

/* Drops the pieces whose coefficient g does not divide, if they keep within
 * one cell of g. */
static bool drop_below(struct aff_space *s, const struct pieces *p, int64_t g,
                       const struct aff **a)
{
    struct span small = {p->constant, p->constant};
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].coef % g)
            small =
                span_add(small, span_scale(p->items[i].span, p->items[i].coef));
    small = span_floordiv(small, g);
    if (!span_is_finite(small) || small.lo != small.hi)
        return false;
    const struct aff *big = aff_const(s, small.lo);
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].coef % g == 0)
            big = aff_axpy(s, big, p->items[i].coef / g, p->items[i].e);
    *a = big;
    return true;
}

/* Tries the common factors of d and the coefficients, largest first, alone
 * and running. */
static bool drop_small(struct aff_space *s, const struct pieces *p,
                       const struct aff **a, int64_t *d)
{
    int64_t below = INT64_MAX;
    for (;;) {
        int64_t g = 1, running = 0;
        for (size_t i = 0; i < p->n; i++) {
            int64_t own = int_gcd(p->items[i].coef, *d);
            if (own < below && own > g)
                g = own;
        }
        if (g == 1)
            return false;
        for (size_t i = 0; i < p->n; i++)
            if (int_gcd(p->items[i].coef, *d) >= g)
                running = int_gcd(p->items[i].coef, running);
        running = int_gcd(running, *d);
        if (drop_below(s, p, g, a)) {
            *d /= g;
            return true;
        }
        if (running > 1 && running != g && drop_below(s, p, running, a)) {
            *d /= running;
            return true;
        }
        below = g;
    }
}

static bool drop(struct aff_space *s, const struct aff **a, int64_t *d)
{
    const struct pieces *p = aff_pieces(s, *a);
    if (drop_small(s, p, a, d))
        return true;
    return p->digits && drop_small(s, aff_whole_pieces(s, *a), a, d);
}

/* Merges the oldest quotient with coefficient +-1 into the division. */
static bool flatten(struct aff_space *s, const struct aff **a, int64_t *d)
{
    for (uint32_t i = 0; i < (*a)->n; i++) {
        const struct aff_term *term = &(*a)->terms[i];
        const struct atom *info = s->atoms.items[term->atom].atom;
        int64_t product, c = info->divisor;
        if (info->kind != ATOM_FLOOR || c == 0 ||
            (term->coef != 1 && term->coef != -1) ||
            __builtin_mul_overflow(c, *d, &product) || product > COEF_MAX)
            continue;
        bool overflow = s->overflow;
        const struct aff *rest =
            aff_axpy(s, *a, -term->coef, aff_of_atom(s, term->atom));
        /* -floor(b / c) = floor((-b + c - 1) / c) */
        const struct aff *b = info->def;
        if (term->coef < 0)
            b = aff_addc(s, aff_scale(s, b, -1), c - 1);
        const struct aff *merged = aff_axpy(s, b, c, rest);
        if (s->overflow && !overflow) {
            s->overflow = false;
            continue;
        }
        *a = merged;
        *d = product;
        return true;
    }
    return false;
}

/* Takes out the multiples of d next to each coefficient, where what is left
 * then simplifies or is one atom; else leaves a as it is, for parts such as x - 16 * floor(x
 * / 16) say more in one piece. */
static bool reduce(struct aff_space *s, const struct aff **a, int64_t *d,
                   const struct aff **out)
{
    s->scratch.len = 0;
    for (uint32_t i = 0; i < (*a)->n; i++) {
        int64_t c = (*a)->terms[i].coef, q = c / *d, r = c % *d;
        if (r > *d / 2)
            q++;
        else if (r < -((*d - 1) / 2)) /* of the two halves the positive one */
            q--;
        struct aff_term term = {(*a)->terms[i].atom, q};
        if (q)
            vec_push(&s->scratch, term);
    }
    if (!s->scratch.len)
        return false;
    const struct aff *q = aff_intern(s, 0, s->scratch.len, s->scratch.items);
    const struct aff *rest = aff_axpy(s, *a, -*d, q);
    struct span cell = span_floordiv(aff_span(s, rest), *d);
    if (span_is_finite(cell) && cell.lo == cell.hi)
        rest = aff_const(s, cell.lo * *d);
    else if (!(rest->n == 1 && rest->terms[0].coef == 1) && !drop(s, &rest, d))
        return false;
    *a = rest;
    *out = aff_add(s, *out, q);
    return true;
}

static bool all_negative(const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++)
        if (a->terms[i].coef > 0)
            return false;
    return a->n > 0;
}

static const struct aff *divide(struct aff_space *s, const struct aff *a,
                                int64_t d)
{
    const struct aff *out = aff_const(s, 0);
    for (int step = 0; step < MAX_DIV_STEPS; step++) {
        if (d == 1)
            return aff_add(s, out, a);
        out = aff_add(s, out, take_multiples(s, a, d, &a));
        if (a->n == 0 || s->overflow)
            return out;
        int64_t g = coef_gcd(a, d);
        if (g > 1) {
            a = aff_exact_div(s, a, g);
            d /= g;
            continue;
        }
        struct span cell = span_floordiv(aff_span(s, a), d);
        if (span_is_finite(cell) && cell.lo == cell.hi)
            return aff_addc(s, out, cell.lo);
        if (drop(s, &a, &d) || reduce(s, &a, &d, &out))
            continue;
        if (!flatten(s, &a, &d))
            break;
    }
    if (all_negative(a)) { /* floor(-x / d) = -floor((x + d - 1) / d) */
        a = aff_addc(s, aff_scale(s, a, -1), d - 1);
        return aff_sub(s, out, aff_floordiv(s, a, d));
    }
    return aff_add(
        s, out,
        aff_floor_atom(s, a, d, NULL, span_floordiv(aff_span(s, a), d)));
}

const struct aff *aff_floordiv(struct aff_space *s, const struct aff *a,
                               int64_t d)
{
    if (d <= 0)
        DC_BUG("division of an aff by %lld", (long long)d);
    if (d == 1)
        return a;
    if (a->n == 0)
        return aff_const(s, int_floor_div(a->constant, d));
    if (d > COEF_MAX) {
        s->overflow = true;
        return aff_const(s, 0);
    }
    uint64_t hash = hash_mix(a->id, (uint64_t)d);
    size_t pos = table_first(&s->div_table, hash);
    uint32_t id;
    while (table_next(&s->div_table, hash, &pos, &id))
        if (s->divs.items[id].a == a && s->divs.items[id].d == d)
            return s->divs.items[id].result;
    struct div_memo memo = {a, d, divide(s, a, d)};
    if (!s->overflow) {
        table_add(&s->div_table, hash, (uint32_t)s->divs.len);
        vec_push(&s->divs, memo);
    }
    return memo.result;
}

const struct aff *aff_mod(struct aff_space *s, const struct aff *a, int64_t d)
{
    return aff_axpy(s, a, -d, aff_floordiv(s, a, d));
}

/* ---- by a symbol ----------------------------------------------------------- */

/* a less one occurrence of the factor f, where it is one of a's. */
static const struct aff *without_factor(struct aff_space *s, atom_id a,
                                        atom_id f)
{
    atom_id factors[AFF_MAX_FACTORS];
    size_t n = aff_factors(s, a, factors, AFF_MAX_FACTORS), at = 0;
    while (at < n && factors[at] != f)
        at++;
    if (at == n)
        return NULL;
    const struct aff *product = aff_const(s, 1);
    for (size_t i = 0; i < n; i++)
        if (i != at)
            product = aff_mul(s, product, aff_of_atom(s, factors[i]));
    return product;
}

/* Moves multiples of the atom b out of *rest and returns their sum over b. */
static const struct aff *take_symbol(struct aff_space *s, atom_id b,
                                     const struct aff **rest)
{
    const struct aff *q = aff_const(s, 0), *a = *rest;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct aff *k = without_factor(s, a->terms[i].atom, b);
        if (k)
            q = aff_axpy(s, q, a->terms[i].coef, k);
    }
    *rest = aff_sub(s, a, aff_mul(s, q, aff_of_atom(s, b)));
    return q;
}

/* floor(a / b) for an atom b: multiples out, then zero or an atom. */
static const struct aff *divide_by_atom(struct aff_space *s,
                                        const struct aff *a, atom_id b)
{
    const struct aff *symbol = aff_of_atom(s, b);
    const struct aff *q = take_symbol(s, b, &a);
    struct span rest = aff_span(s, a), size = aff_span(s, symbol);
    struct span room = aff_span(s, aff_addc(s, aff_sub(s, symbol, a), -1));
    if (rest.lo >= 0 && room.lo >= 0)
        return q;
    if (rest.hi < 0) { /* whole multiples of b below zero? */
        struct span back = aff_span(s, aff_add(s, symbol, a));
        if (back.lo >= 0)
            return aff_addc(s, q, -1);
    }
    struct span span = {AFF_NO_LOWER, AFF_NO_BOUND};
    if (size.lo >= 1) {
        if (rest.lo != AFF_NO_LOWER)
            span.lo = rest.lo >= 0 ? 0 : int_floor_div(rest.lo, size.lo);
        if (rest.hi != AFF_NO_BOUND)
            span.hi = rest.hi >= 0 ? int_floor_div(rest.hi, size.lo) : -1;
    }
    return aff_add(s, q, aff_floor_atom(s, a, 0, symbol, span));
}

const struct aff *aff_floordiv_sym(struct aff_space *s, const struct aff *a,
                                   const struct aff *b)
{
    if (b->n == 0)
        return aff_floordiv(s, a, b->constant);
    if (a == b)
        return aff_const(s, 1);
    /* c * x * y: by x, then y, then c; floors of positive divisors nest. */
    if (b->n == 1 && b->constant == 0 && b->terms[0].coef > 0) {
        atom_id f[AFF_MAX_FACTORS];
        size_t n = aff_factors(s, b->terms[0].atom, f, AFF_MAX_FACTORS);
        bool positive = true;
        for (size_t i = 0; i < n; i++)
            positive &= s->atoms.items[f[i]].atom->lo >= 1;
        if (positive) {
            for (size_t i = n; i-- > 0;)
                a = divide_by_atom(s, a, f[i]);
            return aff_floordiv(s, a, b->terms[0].coef);
        }
    }
    struct span rest = aff_span(s, a);
    struct span room = aff_span(s, aff_addc(s, aff_sub(s, b, a), -1));
    if (rest.lo >= 0 && room.lo >= 0)
        return aff_const(s, 0);
    struct span span = {AFF_NO_LOWER, AFF_NO_BOUND};
    if (rest.lo >= 0)
        span = (struct span){0, rest.hi};
    return aff_floor_atom(s, a, 0, b, span);
}
