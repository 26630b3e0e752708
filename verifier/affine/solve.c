/* SPDX-License-Identifier: Apache-2.0
 *
 * Guesses solutions of equations between affs. Quotients and products that
 * hold unknowns count as unknowns of their own. In rounds, until nothing
 * changes:
 *
 *  - an equation with one unknown gives it;
 *  - a mixed-radix equation falls apart: where the terms below a common
 *    factor g of the others span less than g, they equal the rest modulo g,
 *    and the others its quotient; terms are digits where quotient chains
 *    allow (aff_pieces). The same with a symbol for g;
 *  - a quotient or product that stands alone with coefficient +-1 is
 *    eliminated from the other equations;
 *  - as a last resort an unknown with coefficient +-1 is expressed by others,
 *    which stay free.
 *
 * Callers prove what they need of the result, so a wrong guess costs a
 * verdict, never its truth.
 */
#include "verifier/affine/space.h"

#define MAX_EQUATIONS 200u
#define MAX_ROUNDS    400u

struct solver {
    struct aff_space *s;
    bool *unknown;           /* by atom: asked for, not solved */
    const struct aff **only; /* by atom: NULL but while one is replaced */
    size_t natoms;           /* length of the two */
    uint64_t bloom;          /* of the atoms not solved */
    size_t nask;
    const atom_id *ask;
    const struct aff **out; /* by position in ask; NULL: not solved */
    struct equation {
        const struct aff *a; /* == 0; NULL: used up */
        bool pivot;          /* used to eliminate a quotient */
    } eqs[MAX_EQUATIONS];
    size_t neqs;
    bool contradiction;
    bool wrap; /* digits are taken modulo their range: see aff_solve_wrapped */
};

/* Whether the atom is, or holds, an unknown. */
static bool holds_unknown(const struct solver *v, atom_id a)
{
    if (a < v->natoms && v->unknown[a])
        return true;
    const struct aff_space *s = v->s;
    if (!s->atoms.items[a].atom->def || !(s->atoms.items[a].bloom & v->bloom))
        return false;
    const struct atom *info = s->atoms.items[a].atom;
    for (size_t i = 0; i < v->nask; i++) {
        atom_id u = v->ask[i];
        if (v->unknown[u] && (aff_mentions(s, info->def, u) ||
                              (info->other && aff_mentions(s, info->other, u))))
            return true;
    }
    return false;
}

static bool is_unknown(const struct solver *v, atom_id a)
{
    return a < v->natoms && v->unknown[a];
}

static void equation_add(struct solver *v, const struct aff *a)
{
    if (v->neqs < MAX_EQUATIONS)
        v->eqs[v->neqs++] = (struct equation){.a = a};
}

/* Divides by the common factor; drops 0 == 0, finds contradictions. */
static const struct aff *reduce(struct solver *v, const struct aff *a)
{
    if (a->n == 0) {
        v->contradiction |= a->constant != 0;
        return NULL;
    }
    int64_t g = 0;
    for (uint32_t i = 0; i < a->n && g != 1; i++)
        g = int_gcd(a->terms[i].coef, g);
    if (a->constant % g) {
        v->contradiction = true;
        return NULL;
    }
    return aff_exact_div(v->s, a, g);
}

/* u := value, everywhere. */
static void assign(struct solver *v, atom_id u, const struct aff *value)
{
    v->unknown[u] = false;
    v->bloom = 0;
    for (size_t i = 0; i < v->nask; i++)
        if (v->unknown[v->ask[i]])
            v->bloom |= v->s->atoms.items[v->ask[i]].bloom;
    v->only[u] = value;
    const struct aff_map map = {v->natoms, v->only, 0};
    uint64_t bloom = aff_subst_begin_one(v->s, u);
    for (size_t i = 0; i < v->nask; i++)
        if (v->out[i])
            v->out[i] = aff_subst_within(v->s, v->out[i], &map, bloom);
    for (size_t i = 0; i < v->nask; i++)
        if (v->ask[i] == u)
            v->out[i] = value;
    for (size_t i = 0; i < v->neqs; i++)
        if (v->eqs[i].a)
            v->eqs[i].a =
                reduce(v, aff_subst_within(v->s, v->eqs[i].a, &map, bloom));
    v->only[u] = NULL;
}

/* ---- one unknown ------------------------------------------------------------- */

/* c * u + rest == 0 with rest known gives u = floor(-rest / c). */
static bool solve_single(struct solver *v, struct equation *eq)
{
    const struct aff *a = eq->a;
    const struct aff_term *only = NULL;
    for (uint32_t i = 0; i < a->n; i++) {
        if (!holds_unknown(v, a->terms[i].atom))
            continue;
        if (only)
            return false;
        only = &a->terms[i];
    }
    if (!only) { /* nothing to solve: the caller's proof covers it */
        eq->a = NULL;
        return true;
    }
    if (!is_unknown(v, only->atom))
        return false;
    atom_id u = only->atom;
    int64_t c = only->coef;
    const struct aff *rest = aff_axpy(v->s, a, -c, aff_of_atom(v->s, u));
    if (c > 0)
        rest = aff_scale(v->s, rest, -1);
    eq->a = NULL;
    rest = aff_floordiv(v->s, rest, c < 0 ? -c : c);
    struct span range = aff_span(v->s, aff_of_atom(v->s, u));
    if (v->wrap && range.lo == 0 && span_is_finite(range))
        rest = aff_mod(v->s, rest, range.hi + 1);
    assign(v, u, rest);
    return true;
}

static int64_t magnitude(int64_t c)
{
    return c < 0 ? -c : c;
}

/* ---- mixed radix --------------------------------------------------------------- */

/* The sum of the terms that hold unknowns. */
static const struct aff *unknown_part(struct solver *v, const struct aff *a)
{
    const struct aff *sum = aff_const(v->s, 0);
    for (uint32_t i = 0; i < a->n; i++)
        if (holds_unknown(v, a->terms[i].atom))
            sum = aff_axpy(v->s, sum, a->terms[i].coef,
                           aff_of_atom(v->s, a->terms[i].atom));
    return sum;
}

/* k * digit == value, the digit one of a quotient chain: without k. */
static const struct aff *one_digit(struct solver *v, const struct aff *digit,
                                   struct span span, int64_t k,
                                   const struct aff *value)
{
    struct aff_space *s = v->s;
    const struct aff *q = aff_floordiv(s, value, k);
    if (v->wrap && span.lo == 0 && span_is_finite(span))
        q = aff_mod(s, q, span.hi + 1);
    return reduce(v, aff_sub(s, digit, q));
}

/* low + g * high == value, low's range shorter than g: two equations; only: the
 * piece that low is, if it is one. */
static void split(struct solver *v, struct equation *eq, const struct aff *low,
                  struct span low_span, const struct piece *only, int64_t g,
                  const struct aff *high, const struct aff *value)
{
    struct aff_space *s = v->s;
    value = aff_addc(s, value, -low_span.lo);
    eq->a = NULL;
    const struct aff *q = aff_floordiv(s, value, g);
    const struct aff *m = aff_axpy(s, value, -g, q);
    m = aff_addc(s, m, low_span.lo);
    const struct aff *e = only != NULL && only->coef > 1 && only->e->n > 1
                              ? one_digit(v, only->e, only->span, only->coef, m)
                              : reduce(v, aff_sub(s, low, m));
    if (e)
        equation_add(v, e);
    struct span range = aff_span(s, high);
    if (v->wrap && range.lo == 0 && span_is_finite(range))
        q = aff_mod(s, q, range.hi + 1);
    e = reduce(v, aff_sub(s, high, q));
    if (e)
        equation_add(v, e);
}

/* Splits by the pieces of the unknown part whose coefficient some g does not
 * divide; g runs through the running common factors from the large end. */
static bool split_pieces(struct solver *v, struct equation *eq,
                         const struct aff *part, const struct pieces *p)
{
    struct aff_space *s = v->s;
    int64_t g = 0, below = INT64_MAX;
    for (;;) {
        int64_t next = 0; /* the next smaller coefficient */
        for (size_t i = 0; i < p->n; i++) {
            int64_t c = magnitude(p->items[i].coef);
            if (c < below && c > next)
                next = c;
        }
        if (!next)
            return false;
        below = next;
        g = int_gcd(g, next);
        if (g == 1)
            return false;
        struct span span = {0, 0};
        const struct aff *low = aff_const(s, 0), *high = aff_const(s, 0);
        const struct piece *only = NULL;
        size_t nlow = 0;
        for (size_t i = 0; i < p->n; i++) {
            const struct piece *item = &p->items[i];
            if (item->coef % g == 0) {
                high = aff_axpy(s, high, item->coef / g, item->e);
                continue;
            }
            low = aff_axpy(s, low, item->coef, item->e);
            only = nlow++ == 0 ? item : NULL;
            span = span_add(span, span_scale(item->span, item->coef));
        }
        if (high->n == 0 || low->n == 0 || !span_is_finite(span) ||
            span.hi - span.lo >= g)
            continue;
        /* part + known == 0: low + g * high + p->constant == -known */
        const struct aff *value = aff_sub(s, part, eq->a);
        split(v, eq, low, span, only, g, high,
              aff_addc(s, value, -p->constant));
        return true;
    }
}

/* b * high + low == value for a known symbol b, low in [0, b). */
static bool split_symbol(struct solver *v, struct equation *eq,
                         const struct aff *part)
{
    struct aff_space *s = v->s;
    for (uint32_t i = 0; i < part->n; i++) {
        atom_id f[AFF_MAX_FACTORS];
        size_t n = aff_factors(s, part->terms[i].atom, f, AFF_MAX_FACTORS);
        const struct aff *b = aff_const(s, part->terms[i].coef), *u = NULL;
        for (size_t j = 0; j < n; j++) {
            if (holds_unknown(v, f[j]) && !u)
                u = aff_of_atom(s, f[j]);
            else
                b = aff_mul(s, b, aff_of_atom(s, f[j]));
        }
        if (n < 2 || !u || part->terms[i].coef < 0)
            continue;
        const struct aff *term =
            aff_axpy(s, aff_const(s, 0), part->terms[i].coef,
                     aff_of_atom(s, part->terms[i].atom));
        const struct aff *low = aff_sub(s, part, term);
        struct span room = aff_span(s, aff_addc(s, aff_sub(s, b, low), -1));
        if (aff_span(s, low).lo < 0 || room.lo < 0)
            continue;
        const struct aff *value = aff_sub(s, part, eq->a);
        const struct aff *q = aff_floordiv_sym(s, value, b);
        eq->a = NULL;
        equation_add(v, aff_sub(s, u, q));
        const struct aff *e =
            reduce(v, aff_sub(s, low, aff_sub(s, value, aff_mul(s, b, q))));
        if (e)
            equation_add(v, e);
        return true;
    }
    return false;
}

static bool solve_radix(struct solver *v, struct equation *eq)
{
    const struct aff *part = unknown_part(v, eq->a);
    if (part->n < 2)
        return false;
    const struct pieces *p = aff_pieces(v->s, part);
    if (split_pieces(v, eq, part, p))
        return true;
    if (p->digits && split_pieces(v, eq, part, aff_whole_pieces(v->s, part)))
        return true;
    return split_symbol(v, eq, part);
}

/* ---- elimination --------------------------------------------------------------- */

/* Uses an equation to eliminate a quotient or product with coefficient +-1
 * from the others, once for each equation. */
static bool eliminate(struct solver *v, size_t at)
{
    struct aff_space *s = v->s;
    struct equation *eq = &v->eqs[at];
    const struct aff *a = eq->a;
    bool changed = false;
    for (uint32_t i = 0; i < a->n && !eq->pivot; i++) {
        atom_id q = a->terms[i].atom;
        int64_t c = a->terms[i].coef;
        if ((c != 1 && c != -1) || is_unknown(v, q) || !holds_unknown(v, q))
            continue;
        for (size_t j = 0; j < v->neqs; j++) {
            const struct aff *b = v->eqs[j].a;
            int64_t k = j == at || !b ? 0 : aff_coef(b, q);
            if (!k)
                continue;
            v->eqs[j].a = reduce(v, aff_axpy(s, b, -k * c, a));
            v->eqs[j].pivot = false;
            changed = true;
        }
        eq->pivot = true;
    }
    return changed;
}

/* The last resort: an unknown with coefficient +-1 by the others. */
static bool solve_free(struct solver *v, struct equation *eq)
{
    const struct aff *a = eq->a;
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id u = a->terms[i].atom;
        int64_t c = a->terms[i].coef;
        if ((c != 1 && c != -1) || !is_unknown(v, u))
            continue;
        const struct aff *rest = aff_axpy(v->s, a, -c, aff_of_atom(v->s, u));
        if (aff_mentions(v->s, rest, u))
            continue;
        eq->a = NULL;
        assign(v, u, aff_scale(v->s, rest, -c));
        return true;
    }
    return false;
}

static bool step(struct solver *v)
{
    for (size_t i = 0; i < v->neqs; i++)
        if (v->eqs[i].a && solve_single(v, &v->eqs[i]))
            return true;
    for (size_t i = 0; i < v->neqs; i++)
        if (v->eqs[i].a && solve_radix(v, &v->eqs[i]))
            return true;
    for (size_t i = 0; i < v->neqs; i++)
        if (v->eqs[i].a && eliminate(v, i))
            return true;
    for (size_t i = 0; i < v->neqs; i++)
        if (v->eqs[i].a && solve_free(v, &v->eqs[i]))
            return true;
    return false;
}

/* Rounds until all is solved or nothing changes; false if that was cut short. */
static bool run(struct solver *v, bool overflow)
{
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        if (v->contradiction || (v->s->overflow && !overflow))
            return false;
        if (v->neqs == MAX_EQUATIONS)
            return false;
        if (!step(v))
            return !v->contradiction;
    }
    return false;
}

static bool solve(struct aff_space *s, size_t neqs,
                  const struct aff *const *eqs, size_t nunknown,
                  const atom_id *unknown, const struct aff **out, bool wrap)
{
    bool overflow = s->overflow;
    struct solver *v = dc_alloc(sizeof *v);
    v->s = s;
    v->natoms = s->atoms.len;
    v->nask = nunknown;
    v->ask = unknown;
    v->wrap = wrap;
    v->out = out;
    v->unknown = dc_alloc(v->natoms * sizeof *v->unknown + 1);
    v->only = dc_alloc((v->natoms + 1) * sizeof *v->only);
    for (size_t i = 0; i < nunknown; i++) {
        v->unknown[unknown[i]] = true;
        v->bloom |= s->atoms.items[unknown[i]].bloom;
        out[i] = NULL;
    }
    for (size_t i = 0; i < neqs; i++) {
        const struct aff *a = reduce(v, eqs[i]);
        if (a)
            equation_add(v, a);
    }
    bool complete = run(v, overflow);
    if (v->contradiction || (s->overflow && !overflow))
        for (size_t i = 0; i < nunknown; i++)
            out[i] = NULL;
    for (size_t i = 0; i < v->neqs; i++)
        complete &= !v->eqs[i].a;
    s->overflow = overflow; /* a guess proves nothing */
    dc_release(v->unknown);
    dc_release(v->only);
    dc_release(v);
    return complete;
}

bool aff_solve(struct aff_space *s, size_t neqs, const struct aff *const *eqs,
               size_t nunknown, const atom_id *unknown, const struct aff **out)
{
    return solve(s, neqs, eqs, nunknown, unknown, out, false);
}

bool aff_solve_wrapped(struct aff_space *s, size_t neqs,
                       const struct aff *const *eqs, size_t nunknown,
                       const atom_id *unknown, const struct aff **out)
{
    return solve(s, neqs, eqs, nunknown, unknown, out, true);
}
