/* SPDX-License-Identifier: Apache-2.0
 *
 * The dependence test: may the iterations of a loop run in any order, or side
 * by side? Yes, if no element that one iteration stores to is touched by
 * another one. What is not plainly so counts as dependent.
 *
 * For each storage that the body stores to, and that is not made anew in each
 * iteration, look at each dimension d of the buffer. The index of an access is
 *     g(l) + outer + inner
 * with g what depends on the loop's own variable l alone, outer what depends on
 * loops around it only, inner the rest, which lies in a known interval.
 * Dimension d separates iterations l, l' if all accesses agree on g and outer
 * and |g(l) - g(l')| exceeds the width of all the intervals together: then no
 * index of the one is an index of the other. g = c * l does so for all pairs
 * when |c| exceeds the width. Otherwise, as for the digits l / 7 and l % 7 of a
 * fused loop, all values of g are computed: where their differences are
 * multiples of something greater than the width, d separates all l of different
 * g(l), and it is enough that several such dimensions tell any two iterations
 * apart. The flat address counts as one more dimension, and so does each of its
 * digits: for numbers M < N such that no sum of terms carries, the multiple of M
 * in address mod N. Lowered functions need that, whose dimensions are gone; M
 * and N are taken from the coefficients and constants that occur.
 */
#include "interp/fast/fast_engine.h"

#include <stdlib.h>
#include <string.h>

#define MAX_TRIPS  ((int64_t)1 << 16) /* iterations that are looked at singly */
#define MAX_STORES 64
#define MAX_WORK   ((size_t)1 << 21) /* accesses looked at for digits */

/* ---- visiting ------------------------------------------------------------------ */

static bool guard_accesses(const struct guard *g, access_visit *visit,
                           void *user);

static bool fx_accesses(const struct fx *x, access_visit *visit, void *user)
{
    if (x == NULL || x->kind == X_SLOT)
        return true;
    if (x->kind == X_LOAD) {
        struct access *a = x->access;
        for (size_t d = 0; a->gather && d < a->rank; d++)
            if (!fx_accesses(a->index_fx[d], visit, user))
                return false;
        return visit(user, a, false);
    }
    if (x->kind == X_GUARD && !guard_accesses(x->guard, visit, user))
        return false;
    return fx_accesses(x->a, visit, user) && fx_accesses(x->b, visit, user) &&
           fx_accesses(x->c, visit, user);
}

static bool guard_accesses(const struct guard *g, access_visit *visit,
                           void *user)
{
    return fx_accesses(g->value, visit, user);
}

static bool tile_accesses(const struct tile *t, access_visit *visit, void *user)
{
    bool first_is_target = t->kind != TILE_STORE;
    for (size_t i = 0; i < DC_ARRAY_LEN(t->frag) && t->frag[i] != NULL; i++)
        if (!visit(user, t->frag[i], i == 0 && first_is_target))
            return false;
    return t->memory == NULL || visit(user, t->memory, t->kind == TILE_STORE);
}

bool fast_nodes_accesses(struct node *list, access_visit *visit, void *user)
{
    for (struct node *n = list; n != NULL; n = n->next) {
        if (n->kind == NODE_STORE && !visit(user, n->access, true))
            return false;
        if (n->kind == NODE_TILE && !tile_accesses(n->tile, visit, user))
            return false;
        if (!fx_accesses(n->value, visit, user) ||
            (n->kind == NODE_IF && !guard_accesses(&n->guard, visit, user)) ||
            !fast_nodes_accesses(n->body, visit, user) ||
            !fast_nodes_accesses(n->other, visit, user))
            return false;
    }
    return true;
}

/* ---- one storage ----------------------------------------------------------------- */

struct suspect {
    const struct engine *e;
    const struct node *loop;
    const struct node *threads; /* iterations are those of all of these threads
                                   together; NULL: of one place in the program */
    const struct store *store;
    struct access *first;
    size_t rank;
    size_t accesses; /* in the loop's body, to any storage */
    bool same_view;  /* all accesses through one buffer */
    bool failed;
    /* for the dimension under test: what all agree on, and the width */
    size_t dim; /* rank: the flat address */
    bool seen, agree;
    struct affine shared; /* g + outer */
    int64_t lo, hi;
};

static bool inside(const struct node *n, const struct node *loop)
{
    while (n != NULL && n->depth > loop->depth)
        n = n->parent;
    return n == loop;
}

/* Whether an atom takes other values within one iteration. */
static bool is_inner(const struct suspect *s, uint32_t atom)
{
    const struct node *scope = s->e->atoms.items[atom].scope;
    return (scope != NULL && scope != s->loop && inside(scope, s->loop)) ||
           (s->threads != NULL &&
            affine_atom_uses(s->e, atom, s->threads->atom));
}

/* Parts of an index: *shared = g + outer without constant, [lo, hi] the rest.
 * False where an atom mixes the loop's variable with an inner one. */
static bool take_apart(const struct suspect *s, const struct affine *a,
                       struct affine *shared, int64_t *lo, int64_t *hi)
{
    const struct engine *e = s->e;
    struct affine rest = affine_const(a->c);
    *shared = affine_const(0);
    for (uint32_t i = 0; i < a->n; i++) {
        if (!is_inner(s, a->t[i].atom))
            shared->t[shared->n++] = a->t[i];
        else if (affine_atom_uses(e, a->t[i].atom, s->loop->atom))
            return false;
        else {
            struct affine part = affine_atom(e, a->t[i].atom);
            if (!affine_scale(&part, a->t[i].coef, &part) ||
                !affine_add(e, &rest, &part, &rest))
                return false;
        }
    }
    *lo = rest.lo;
    *hi = rest.hi;
    return true;
}

static bool visit_dim(void *user, struct access *a, bool stored)
{
    struct suspect *s = user;
    struct affine shared;
    int64_t lo, hi;
    (void)stored;
    if (a->store != s->store)
        return true;
    if (!take_apart(s, s->dim == s->rank ? &a->offset : &a->index[s->dim],
                    &shared, &lo, &hi)) {
        s->agree = false;
        return false;
    }
    if (!s->seen) {
        s->seen = true;
        s->shared = shared;
        s->lo = lo;
        s->hi = hi;
        return true;
    }
    s->lo = lo < s->lo ? lo : s->lo;
    s->hi = hi > s->hi ? hi : s->hi;
    s->agree = shared.n == s->shared.n;
    for (uint32_t i = 0; i < shared.n && s->agree; i++)
        s->agree = shared.t[i].atom == s->shared.t[i].atom &&
                   shared.t[i].coef == s->shared.t[i].coef;
    return s->agree;
}

/* Keeps of the shared part what depends on the loop's variable; false if an
 * atom of it depends on outer loops too, so that it cannot be computed. */
static bool own_part(struct suspect *s)
{
    const struct engine *e = s->e;
    uint64_t outer = ((uint64_t)1 << s->loop->depth) - 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->shared.n; i++) {
        const struct atom *x = &e->atoms.items[s->shared.t[i].atom];
        if (!affine_atom_uses(e, s->shared.t[i].atom, s->loop->atom))
            continue;
        if (x->loops & outer && x->kind != ATOM_LOOP)
            return false;
        s->shared.t[n++] = s->shared.t[i];
    }
    s->shared.n = n;
    return n > 0;
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The iterations of a loop by what tells them apart: key says which of the
 * `range` classes seen so far an iteration falls into. */
struct keys {
    int64_t n;
    int64_t *key, *digit, *part, *sorted;
    int64_t range;
};

/* Numbers the distinct keys from 0. */
static void renumber(struct keys *k)
{
    memcpy(k->sorted, k->key, (size_t)k->n * sizeof *k->key);
    qsort(k->sorted, (size_t)k->n, sizeof *k->sorted, by_value);
    k->range = 0;
    for (int64_t i = 0; i < k->n; i++)
        if (i == 0 || k->sorted[i] != k->sorted[k->range - 1])
            k->sorted[k->range++] = k->sorted[i];
    for (int64_t i = 0; i < k->n; i++) {
        const int64_t *at = bsearch(&k->key[i], k->sorted, (size_t)k->range,
                                    sizeof *k->sorted, by_value);
        k->key[i] = at - k->sorted;
    }
}

/* Adds k->digit to the keys, key * range + digit, if it separates: its
 * differences are multiples of something greater than width. */
static bool add_digit(struct keys *k, const int64_t *digit, int64_t width)
{
    int64_t lo = INT64_MAX, hi = INT64_MIN, g = 0;
    for (int64_t i = 0; i < k->n; i++) {
        lo = digit[i] < lo ? digit[i] : lo;
        hi = digit[i] > hi ? digit[i] : hi;
        g = int_gcd(g, digit[i] - digit[0]);
    }
    if (g <= width || hi - lo >= INT32_MAX)
        return false;
    for (int64_t i = 0; i < k->n; i++)
        k->key[i] = k->key[i] * (hi - lo + 1) + (digit[i] - lo);
    renumber(k);
    return true;
}

/* g of each iteration. */
static void values_of(const struct suspect *s, struct keys *k)
{
    const struct node *loop = s->loop;
    for (int64_t i = 0; i < k->n; i++) {
        int64_t ints[1] = {0};
        k->digit[i] = affine_value_at(s->e->atoms.items, &s->shared, ints,
                                      loop->atom, loop->min.c + i * loop->step);
    }
}

static bool try_dim(struct suspect *s, struct keys *k, size_t dim)
{
    s->dim = dim;
    s->seen = false;
    s->agree = true;
    (void)fast_nodes_accesses(s->loop->body, visit_dim, s);
    s->agree = s->agree && own_part(s);
    if (!s->agree)
        return false;
    values_of(s, k);
    return add_digit(k, k->digit, s->hi - s->lo);
}

/* ---- digits of the flat address ----------------------------------------------------- */

static int64_t floor_to(int64_t x, int64_t m)
{
    int64_t r = x % m;
    return r < 0 ? x - r - m : x - r;
}

struct span {
    int64_t lo, hi;
};

struct radix {
    struct suspect *s;
    int64_t m, n;                /* m < n */
    struct span low, mid, whole; /* of what is not g: below m; multiples of m
                                    that are none of n; both */
    bool ok;
};

static void widen(struct span *s, int64_t lo, int64_t hi)
{
    s->lo = lo < s->lo ? lo : s->lo;
    s->hi = hi > s->hi ? hi : s->hi;
}

/* Sorts the terms other than g of one address. */
static bool visit_radix(void *user, struct access *a, bool stored)
{
    struct radix *r = user;
    const struct engine *e = r->s->e;
    int64_t rest = a->offset.c - floor_to(a->offset.c, r->n);
    int64_t upper = floor_to(rest, r->m);
    struct affine low = affine_const(rest - upper), mid = affine_const(upper);
    (void)stored;
    if (a->store != r->s->store)
        return true;
    for (uint32_t i = 0; i < a->offset.n && r->ok; i++) {
        struct term t = a->offset.t[i];
        if (t.coef % r->n == 0 || affine_atom_uses(e, t.atom, r->s->loop->atom))
            continue;
        struct affine part = affine_atom(e, t.atom);
        struct affine *to = t.coef % r->m == 0 ? &mid : &low;
        r->ok =
            affine_scale(&part, t.coef, &part) && affine_add(e, to, &part, to);
    }
    widen(&r->low, low.lo, low.hi);
    widen(&r->mid, mid.lo, mid.hi);
    widen(&r->whole, low.lo + mid.lo, low.hi + mid.hi);
    return r->ok;
}

/* The digit of all addresses between m and n. That they have the same g was
 * seen before; what comes from outer loops counts as if it varied. */
static bool try_radix(struct suspect *s, struct keys *k, int64_t m, int64_t n)
{
    const struct span none = {INT64_MAX, INT64_MIN};
    struct radix r = {s, m, n, none, none, none, true};
    (void)fast_nodes_accesses(s->loop->body, visit_radix, &r);
    for (int64_t i = 0; i < k->n && r.ok; i++) {
        int64_t rest = k->digit[i] - floor_to(k->digit[i], n);
        int64_t mid = floor_to(rest, m);
        r.ok = rest - mid + r.low.lo >= 0 && rest - mid + r.low.hi < m &&
               rest + r.whole.lo >= 0 && rest + r.whole.hi < n;
        k->part[i] = mid;
    }
    return r.ok && add_digit(k, k->part, r.mid.hi - r.mid.lo);
}

#define MAX_BASES 16
#define TOP       ((int64_t)1 << 50) /* above all addresses */

struct bases {
    const struct store *store;
    int64_t list[MAX_BASES];
    size_t n;
};

static void base_add(struct bases *b, int64_t x)
{
    x = x < 0 ? -x : x;
    for (size_t i = 0; i < b->n; i++)
        if (b->list[i] == x)
            return;
    if (x > 0 && x < TOP && b->n < MAX_BASES)
        b->list[b->n++] = x;
}

static bool visit_base(void *user, struct access *a, bool stored)
{
    struct bases *b = user;
    (void)stored;
    if (a->store == b->store) {
        for (uint32_t i = 0; i < a->offset.n; i++)
            base_add(b, a->offset.t[i].coef);
        base_add(b, a->offset.c);
    }
    return b->n < MAX_BASES;
}

/* Digits by all pairs of bases; k->digit is g of the flat address. */
static bool try_digits(struct suspect *s, struct keys *k)
{
    struct bases b = {s->store, {1, TOP}, 2};
    size_t work = 0;
    bool any = false;
    (void)fast_nodes_accesses(s->loop->body, visit_base, &b);
    for (size_t i = 0; i < b.n; i++)
        for (size_t j = 0; j < b.n; j++)
            if (b.list[i] < b.list[j] && k->range < k->n &&
                (work += s->accesses) < MAX_WORK)
                any |= try_radix(s, k, b.list[i], b.list[j]);
    return any;
}

static bool separate_by_value(struct suspect *s, struct node *loop)
{
    struct keys k = {loop->trips, NULL, NULL, NULL, NULL, 1};
    if (loop->trips < 0 || loop->trips > MAX_TRIPS || loop->min.n != 0)
        return false;
    k.key = dc_alloc((size_t)k.n * sizeof *k.key);
    k.digit = dc_alloc((size_t)k.n * sizeof *k.digit);
    k.part = dc_alloc((size_t)k.n * sizeof *k.part);
    k.sorted = dc_alloc((size_t)k.n * sizeof *k.sorted);
    bool any = false;
    for (size_t d = s->same_view ? 0 : s->rank; d <= s->rank; d++)
        any |= try_dim(s, &k, d);
    /* the flat address came last: its g is still there, if it has one */
    if (s->agree)
        any |= try_digits(s, &k);
    bool ok = any && k.range == k.n;
    dc_release(k.key);
    dc_release(k.digit);
    dc_release(k.part);
    dc_release(k.sorted);
    return ok;
}

static bool separate_linear(struct suspect *s, struct node *loop)
{
    for (s->dim = s->same_view ? 0 : s->rank; s->dim <= s->rank; s->dim++) {
        int64_t c;
        s->seen = false;
        s->agree = true;
        (void)fast_nodes_accesses(loop->body, visit_dim, s);
        if (!s->agree || !affine_linear(s->e, &s->shared, loop->atom, &c) ||
            c == 0)
            continue;
        c = c < 0 ? -c : c;
        if (__builtin_mul_overflow(c, loop->step, &c) || c > s->hi - s->lo)
            return true;
    }
    return false;
}

static bool visit_shape(void *user, struct access *a, bool stored)
{
    struct suspect *s = user;
    (void)stored;
    s->accesses++;
    if (a->store != s->store)
        return true;
    if (s->first == NULL) {
        s->first = a;
        s->rank = a->rank;
    }
    s->same_view &= a->buffer == s->first->buffer && a->distinct;
    s->failed |= a->gather;
    return !s->failed;
}

static bool store_separate(const struct engine *e, struct node *loop,
                           const struct node *threads,
                           const struct store *store)
{
    struct suspect s;
    memset(&s, 0, sizeof s);
    s.e = e;
    s.loop = loop;
    s.threads = threads;
    s.store = store;
    s.same_view = true;
    (void)fast_nodes_accesses(loop->body, visit_shape, &s);
    if (s.failed || s.first == NULL)
        return false;
    /* the flat address comes after the dimensions; views of one storage may
     * have other ranks */
    return separate_linear(&s, loop) || separate_by_value(&s, loop);
}

/* ---- a loop ------------------------------------------------------------------------- */

struct stored {
    const struct node *loop;
    const struct store *list[MAX_STORES];
    size_t n;
    bool overflow;
};

static bool visit_stored(void *user, struct access *a, bool stored)
{
    struct stored *s = user;
    if (!stored || (a->store->home != NULL && inside(a->store->home, s->loop)))
        return true;
    for (size_t i = 0; i < s->n; i++)
        if (s->list[i] == a->store)
            return true;
    if (s->n == MAX_STORES) {
        s->overflow = true;
        return false;
    }
    s->list[s->n++] = a->store;
    return true;
}

bool fast_store_is_fresh(struct engine *e, const struct node *threads,
                         const struct store *store)
{
    for (struct node *n = store->home; n != NULL && n != threads; n = n->parent)
        if (n->most > 1 && !store_separate(e, n, threads, store))
            return false;
    return true;
}

bool fast_loop_independent(struct engine *e, struct node *loop)
{
    struct stored stored;
    if (loop->independent != 0)
        return loop->independent > 0;
    memset(&stored, 0, sizeof stored);
    stored.loop = loop;
    (void)fast_nodes_accesses(loop->body, visit_stored, &stored);
    bool ok = !stored.overflow;
    for (size_t i = 0; i < stored.n && ok && loop->most > 1; i++)
        ok = store_separate(e, loop, NULL, stored.list[i]);
    loop->independent = ok ? 1 : -1;
    return ok;
}

static bool look_at(void *user, struct access *a, bool stored)
{
    (void)stored;
    if (a->store == user)
        a->look = RACE_LOOK_ALL;
    return true;
}

bool fast_loop_look(struct engine *e, struct node *loop)
{
    struct stored stored;
    memset(&stored, 0, sizeof stored);
    stored.loop = loop;
    (void)fast_nodes_accesses(loop->body, visit_stored, &stored);
    for (size_t i = 0; i < stored.n; i++) {
        union {
            const struct store *in;
            struct store *out;
        } store = {stored.list[i]};
        if (!store_separate(e, loop, NULL, store.in))
            (void)fast_nodes_accesses(loop->body, look_at, store.out);
    }
    return !stored.overflow;
}
