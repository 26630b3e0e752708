/* SPDX-License-Identifier: Apache-2.0
 *
 * Ranges of affs. Three ways, whose results are intersected:
 *
 *  - Pieces. An aff that holds x and floor(x / c) is rewritten with the digit
 *    x - c * floor(x / c), which lies in [0, c). Quotients by a chain of
 *    divisors give one digit for each link, floor(x / c1) - (c2 / c1) *
 *    floor(x / c2) in [0, c2 / c1). The same holds for any dividend: what
 *    links two quotients P = floor(p / c1) and Q = floor(q / c2), c1 | c2, is
 *    that q - p has coefficients divisible by c1.
 *  - Expansion. c * (m * floor(b / c) + r) = m * (b - rem) + c * r with rem
 *    in [0, c): what b and r have in common cancels.
 *  - Symbolic bounds. A variable below a symbolic size is replaced by that
 *    size less one where that can only lower (raise) the value, also inside
 *    products with factors that are not negative.
 *
 * All are sound on their own. Ranges of affs without nested computations are
 * remembered.
 */
#include "verifier/affine/space.h"

#define MAX_RANGE_DEPTH 3u

/* ---- intervals ------------------------------------------------------------- */

static int64_t clip_lo(int64_t lo)
{
    return lo < -COEF_MAX ? AFF_NO_LOWER : lo;
}

static int64_t clip_hi(int64_t hi)
{
    return hi > COEF_MAX ? AFF_NO_BOUND : hi;
}

bool span_is_finite(struct span a)
{
    return a.lo != AFF_NO_LOWER && a.hi != AFF_NO_BOUND;
}

/* A sum of ends; both are within 2^62, so that only its sign may be lost. */
static int64_t end_add(int64_t x, int64_t y)
{
    int64_t sum;
    if (!__builtin_add_overflow(x, y, &sum))
        return sum;
    return x > 0 ? INT64_MAX : INT64_MIN;
}

struct span span_add(struct span a, struct span b)
{
    struct span sum = {AFF_NO_LOWER, AFF_NO_BOUND};
    if (a.lo != AFF_NO_LOWER && b.lo != AFF_NO_LOWER) {
        int64_t lo = end_add(a.lo, b.lo);
        sum.lo = lo > COEF_MAX ? COEF_MAX : clip_lo(lo);
    }
    if (a.hi != AFF_NO_BOUND && b.hi != AFF_NO_BOUND) {
        int64_t hi = end_add(a.hi, b.hi);
        sum.hi = hi < -COEF_MAX ? -COEF_MAX : clip_hi(hi);
    }
    return sum;
}

/* Product of two ends; dir says which way is outwards (-1: a lower end). An
 * infinite end times zero is zero. */
static int64_t end_mul(int64_t x, int64_t y, int dir)
{
    int64_t product;
    bool infinite = x == AFF_NO_LOWER || x == AFF_NO_BOUND ||
                    y == AFF_NO_LOWER || y == AFF_NO_BOUND;
    if (x == 0 || y == 0)
        return 0;
    bool negative = (x < 0) != (y < 0);
    if (infinite || __builtin_mul_overflow(x, y, &product) ||
        product > COEF_MAX || product < -COEF_MAX) {
        if (dir < 0)
            return negative ? AFF_NO_LOWER : COEF_MAX;
        return negative ? -COEF_MAX : AFF_NO_BOUND;
    }
    return product;
}

struct span span_scale(struct span a, int64_t k)
{
    struct span r;
    if (k >= 0) {
        r.lo = end_mul(a.lo, k, -1);
        r.hi = end_mul(a.hi, k, 1);
    } else {
        r.lo = end_mul(a.hi, k, -1);
        r.hi = end_mul(a.lo, k, 1);
    }
    return r;
}

struct span span_mul(struct span a, struct span b)
{
    const int64_t x[2] = {a.lo, a.hi}, y[2] = {b.lo, b.hi};
    struct span r = {AFF_NO_BOUND, AFF_NO_LOWER};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            int64_t lo = end_mul(x[i], y[j], -1), hi = end_mul(x[i], y[j], 1);
            if (lo < r.lo)
                r.lo = lo;
            if (hi > r.hi)
                r.hi = hi;
        }
    return r;
}

static struct span span_meet(struct span a, struct span b)
{
    if (b.lo > a.lo)
        a.lo = b.lo;
    if (b.hi < a.hi)
        a.hi = b.hi;
    return a;
}

struct span span_floordiv(struct span a, int64_t d)
{
    if (a.lo != AFF_NO_LOWER)
        a.lo = int_floor_div(a.lo, d);
    if (a.hi != AFF_NO_BOUND)
        a.hi = int_floor_div(a.hi, d);
    return a;
}

/* The span of x where that of d * x is a: ends rounded inwards. */
static struct span span_exact_div(struct span a, int64_t d)
{
    if (a.lo != AFF_NO_LOWER)
        a.lo = -int_floor_div(-a.lo, d);
    if (a.hi != AFF_NO_BOUND)
        a.hi = int_floor_div(a.hi, d);
    return a;
}

static struct span atom_span(const struct aff_space *s, atom_id a)
{
    const struct atom *info = s->atoms.items[a].atom;
    return (struct span){
        info->lo < -COEF_MAX ? AFF_NO_LOWER : info->lo,
        info->hi > COEF_MAX ? AFF_NO_BOUND : info->hi,
    };
}

static struct span plain_span(const struct aff_space *s, const struct aff *a)
{
    struct span sum = {a->constant, a->constant};
    for (uint32_t i = 0; i < a->n; i++)
        sum = span_add(
            sum, span_scale(atom_span(s, a->terms[i].atom), a->terms[i].coef));
    return sum;
}

/* Whether a is not wider than b: first by infinite ends, then by length. */
static bool span_not_wider(struct span a, struct span b)
{
    int na = (a.lo == AFF_NO_LOWER) + (a.hi == AFF_NO_BOUND);
    int nb = (b.lo == AFF_NO_LOWER) + (b.hi == AFF_NO_BOUND);
    if (na != nb)
        return na < nb;
    if (na)
        return na == 1 && (a.lo == AFF_NO_LOWER) == (b.lo == AFF_NO_LOWER) &&
               (a.lo == AFF_NO_LOWER ? a.hi <= b.hi : a.lo >= b.lo);
    return (uint64_t)a.hi - (uint64_t)a.lo <= (uint64_t)b.hi - (uint64_t)b.lo;
}

/* ---- pieces ---------------------------------------------------------------- */

static const struct atom *floor_info(const struct aff_space *s, atom_id a)
{
    const struct atom *info = s->atoms.items[a].atom;
    return info->kind == ATOM_FLOOR && info->divisor ? info : NULL;
}

/* Whether all coefficients and the constant of a - b are divisible by c. */
static bool congruent(struct aff_space *s, const struct aff *a,
                      const struct aff *b, int64_t c, const struct aff **diff)
{
    *diff = aff_sub(s, a, b);
    if ((*diff)->constant % c)
        return false;
    for (uint32_t i = 0; i < (*diff)->n; i++)
        if ((*diff)->terms[i].coef % c)
            return false;
    return true;
}

/* A digit that ends in -k * q, q the given quotient: of the quotient in work
 * with the largest divisor that links to q, else of its dividend. coef gets
 * the multiple of the digit that work holds. False if there is none. */
static bool find_digit(struct aff_space *s, const struct aff *work, atom_id q,
                       struct piece *out)
{
    const struct atom *info = floor_info(s, q), *best = NULL;
    const struct aff *diff, *shift = NULL;
    atom_id link = 0;
    for (uint32_t i = 0; i < work->n; i++) {
        const struct atom *p = floor_info(s, work->terms[i].atom);
        if (p && p->divisor < info->divisor &&
            info->divisor % p->divisor == 0 &&
            (!best || p->divisor > best->divisor) &&
            congruent(s, info->def, p->def, p->divisor, &diff)) {
            best = p;
            link = work->terms[i].atom;
            shift = diff;
        }
    }
    if (best) {
        int64_t c = best->divisor;
        const struct aff *e =
            aff_add(s, aff_of_atom(s, link), aff_exact_div(s, shift, c));
        out->e = aff_axpy(s, e, -(info->divisor / c), aff_of_atom(s, q));
        out->coef = aff_coef(work, link);
        out->span = (struct span){0, info->divisor / c - 1};
        return true;
    }
    out->e = aff_axpy(s, info->def, -info->divisor, aff_of_atom(s, q));
    out->span = (struct span){0, info->divisor - 1};
    out->coef = 0;
    size_t fewest = SIZE_MAX;
    int64_t tried = 0;
    for (uint32_t i = 0; i < info->def->n; i++) {
        int64_t have = aff_coef(work, info->def->terms[i].atom);
        if (!have || have % info->def->terms[i].coef)
            continue;
        int64_t k = have / info->def->terms[i].coef;
        if (k == tried)
            continue;
        tried = k;
        const struct aff *rest = aff_axpy(s, work, -k, out->e);
        if (rest->n < fewest) {
            fewest = rest->n;
            out->coef = k;
        }
    }
    return out->coef != 0;
}

/* Whether taking the digit out of work pays: always along chains, from a
 * dividend of one term and where the dividend goes away with it, else where the
 * interval does not grow. */
static bool digit_pays(const struct aff_space *s, const struct aff *work,
                       const struct aff *rest, const struct piece *digit)
{
    if (digit->e->n <= 2 || rest->n + digit->e->n - 1 <= work->n)
        return true;
    struct span with =
        span_add(plain_span(s, rest), span_scale(digit->span, digit->coef));
    return span_not_wider(with, plain_span(s, work));
}

/* Quotients of a in ascending order of divisor, then of age. */
static size_t sorted_floors(const struct aff_space *s, const struct aff *a,
                            atom_id *out)
{
    size_t n = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *info = floor_info(s, a->terms[i].atom);
        if (!info)
            continue;
        size_t j = n++;
        while (j > 0 && floor_info(s, out[j - 1])->divisor > info->divisor) {
            out[j] = out[j - 1];
            j--;
        }
        out[j] = a->terms[i].atom;
    }
    return n;
}

static const struct pieces *pieces_make(struct aff_space *s,
                                        const struct aff *a)
{
    bool overflow = s->overflow;
    struct pieces *p = ARENA_NEW(s->arena, struct pieces);
    atom_id *floors = ARENA_ARRAY(s->arena, a->n, atom_id);
    size_t nfloors = sorted_floors(s, a, floors);
    p->items = ARENA_ARRAY(s->arena, a->n + nfloors, struct piece);
    const struct aff *work = a;
    for (size_t i = 0; i < nfloors && !s->overflow; i++) {
        struct piece digit;
        if (!find_digit(s, work, floors[i], &digit) || s->overflow)
            continue;
        const struct aff *rest = aff_axpy(s, work, -digit.coef, digit.e);
        if (s->overflow || rest->n > a->n || !digit_pays(s, work, rest, &digit))
            continue;
        work = rest;
        p->items[p->n++] = digit;
        p->digits = true;
    }
    if (s->overflow && !overflow) { /* only of this attempt: as it stands */
        s->overflow = false;
        p->n = 0;
        p->digits = false;
        work = a;
    }
    p->constant = work->constant;
    for (uint32_t i = 0; i < work->n; i++) {
        struct piece *item = &p->items[p->n++];
        item->coef = work->terms[i].coef;
        item->e = aff_of_atom(s, work->terms[i].atom);
        item->span = atom_span(s, work->terms[i].atom);
    }
    return p;
}

const struct pieces *aff_pieces(struct aff_space *s, const struct aff *a)
{
    const struct pieces *p = s->affs.items[a->id].pieces;
    if (!p) {
        p = pieces_make(s, a);
        s->affs.items[a->id].pieces = p;
    }
    return p;
}

const struct pieces *aff_whole_pieces(struct aff_space *s, const struct aff *a)
{
    struct pieces *p = ARENA_NEW(s->arena, struct pieces);
    p->constant = a->constant;
    p->n = a->n;
    p->items = ARENA_ARRAY(s->arena, a->n, struct piece);
    for (uint32_t i = 0; i < a->n; i++) {
        const struct aff *e = aff_of_atom(s, a->terms[i].atom);
        p->items[i] = (struct piece){a->terms[i].coef, e, aff_span(s, e)};
    }
    return p;
}

static struct span pieces_span(const struct pieces *p)
{
    struct span sum = {p->constant, p->constant};
    for (size_t i = 0; i < p->n; i++)
        sum = span_add(sum, span_scale(p->items[i].span, p->items[i].coef));
    return sum;
}

/* ---- expansion ------------------------------------------------------------- */

/* The range of a by expanding its term m * floor(b / c). */
static struct span expand_floor(struct aff_space *s, const struct aff *a,
                                const struct aff_term *term)
{
    struct span all = {AFF_NO_LOWER, AFF_NO_BOUND};
    const struct atom *info = floor_info(s, term->atom);
    int64_t c = info->divisor, m = term->coef;
    bool overflow = s->overflow;
    int64_t g = int_gcd(c, m);
    const struct aff *rest = aff_axpy(s, a, -m, aff_of_atom(s, term->atom));
    /* (c / g) * a = (m / g) * (b - rem) + (c / g) * rest */
    const struct aff *sum =
        aff_axpy(s, aff_scale(s, rest, c / g), m / g, info->def);
    if (s->overflow) {
        s->overflow = overflow;
        return all;
    }
    struct span rem = span_scale((struct span){0, c - 1}, -(m / g));
    return span_exact_div(span_add(aff_span(s, sum), rem), c / g);
}

/* Tries the youngest two quotients that share variables with the rest. */
static struct span expanded_span(struct aff_space *s, const struct aff *a,
                                 struct span span)
{
    unsigned tries = 0;
    for (uint32_t i = a->n; i-- > 0 && tries < 2;) {
        const struct aff_term *term = &a->terms[i];
        const struct atom *info = floor_info(s, term->atom);
        if (!info)
            continue;
        uint64_t bloom = 0;
        for (uint32_t j = 0; j < a->n; j++)
            if (j != i)
                bloom |= s->atoms.items[a->terms[j].atom].bloom;
        if (!(bloom & aff_bloom(s, info->def)))
            continue;
        tries++;
        span = span_meet(span, expand_floor(s, a, term));
    }
    return span;
}

/* ---- symbolic bounds --------------------------------------------------------- */

/* What bounds m * atom from below (dir < 0) or above by its symbolic bounds;
 * with `constants`, a product also by the least value of its youngest factor.
 * NULL if there is none. */
static const struct aff *bound_term(struct aff_space *s,
                                    const struct aff_term *term, int dir,
                                    bool constants)
{
    atom_id f[AFF_MAX_FACTORS];
    size_t n = aff_factors(s, term->atom, f, AFF_MAX_FACTORS);
    bool want_upper = (term->coef > 0) == (dir > 0);
    for (size_t i = n; i-- > 0;) {
        const struct atom *info = s->atoms.items[f[i]].atom;
        if (info->kind != ATOM_VAR)
            continue;
        const struct aff *bound = NULL;
        if (want_upper && info->upper)
            bound = aff_addc(s, info->upper, -1);
        else if (!want_upper && info->lower)
            bound = info->lower;
        else if (constants && n > 1 && !want_upper &&
                 info->lo != AFF_NO_LOWER && i == n - 1)
            bound = aff_const(s, info->lo);
        if (!bound)
            continue;
        bool ok = true;
        for (size_t j = 0; j < n && ok; j++)
            ok = j == i || s->atoms.items[f[j]].atom->lo >= 0;
        if (!ok)
            continue;
        for (size_t j = 0; j < n; j++)
            if (j != i)
                bound = aff_mul(s, bound, aff_of_atom(s, f[j]));
        return aff_scale(s, bound, term->coef);
    }
    return NULL;
}

/* The range on one side after replacing each term that has a symbolic bound
 * on that side; where none has, by constants. */
static int64_t symbolic_end(struct aff_space *s, const struct aff *a, int dir,
                            int64_t end)
{
    bool overflow = s->overflow;
    const struct aff *sum = a;
    for (int constants = 0; constants < 2 && sum == a; constants++)
        for (uint32_t i = a->n; i-- > 0 && !s->overflow;) {
            const struct aff *bound =
                bound_term(s, &a->terms[i], dir, constants);
            if (!bound || s->overflow)
                continue;
            sum = aff_axpy(s, sum, -a->terms[i].coef,
                           aff_of_atom(s, a->terms[i].atom));
            sum = aff_add(s, sum, bound);
            if (s->overflow)
                break;
            struct span span = aff_span(s, sum);
            if (dir < 0 && span.lo > end)
                end = span.lo;
            if (dir > 0 && span.hi < end)
                end = span.hi;
        }
    if (s->overflow && !overflow)
        s->overflow = false;
    return end;
}

static bool has_symbolic_bounds(const struct aff_space *s, const struct aff *a)
{
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *info = s->atoms.items[a->terms[i].atom].atom;
        if (info->lower || info->upper || info->kind == ATOM_PRODUCT)
            return true;
    }
    return false;
}

/* ---- ranges ---------------------------------------------------------------- */

struct span aff_span(struct aff_space *s, const struct aff *a)
{
    const struct aff_meta *meta = &s->affs.items[a->id];
    if (meta->ranged)
        return meta->span;
    struct span span = plain_span(s, a);
    if (a->n > 1) {
        const struct pieces *p = aff_pieces(s, a);
        if (p->digits)
            span = span_meet(span, pieces_span(p));
        if (s->range_depth < MAX_RANGE_DEPTH) {
            s->range_depth++;
            span = expanded_span(s, a, span);
            if (has_symbolic_bounds(s, a)) {
                span.lo = symbolic_end(s, a, -1, span.lo);
                span.hi = symbolic_end(s, a, 1, span.hi);
            }
            s->range_depth--;
        }
    }
    if (s->range_depth == 0 || a->n <= 1) {
        s->affs.items[a->id].span = span;
        s->affs.items[a->id].ranged = true;
    }
    return span;
}

void aff_range(struct aff_space *s, const struct aff *a, int64_t *lo,
               int64_t *hi)
{
    struct span span = aff_span(s, a);
    *lo = span.lo;
    *hi = span.hi;
}
