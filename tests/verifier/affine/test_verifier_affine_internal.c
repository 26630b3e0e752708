/* SPDX-License-Identifier: Apache-2.0
 *
 * The affine library against plain integers: random expressions are built
 * twice, as affs and as trees, and both are evaluated at random points. What
 * must be one normal form is compared by pointer. Solutions of equations are
 * checked by evaluation at points that satisfy the equations.
 */
#include "tests/test.h"
#include "verifier/affine/affine.h"

#include <string.h>

/* ---- evaluation ------------------------------------------------------------ */

static uint64_t rng(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t pick(uint64_t *state, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rng(state) % (uint64_t)(hi - lo + 1));
}

static int64_t floor_div(int64_t a, int64_t d)
{
    return a / d - (a % d < 0);
}

/* By definition, with no use of what the library computes. values: of VARs
 * and opaque atoms. */
static int64_t value_of(const struct aff_space *s, const struct aff *a,
                        const int64_t *values)
{
    int64_t sum = a->constant;
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id id = a->terms[i].atom;
        const struct atom *info = aff_atom_info(s, id);
        int64_t v = 0;
        switch (info->kind) {
        case ATOM_VAR:
        case ATOM_OPAQUE: v = values[id]; break;
        case ATOM_FLOOR:
            v = floor_div(value_of(s, info->def, values),
                          info->divisor ? info->divisor
                                        : value_of(s, info->other, values));
            break;
        case ATOM_PRODUCT:
            v = value_of(s, info->def, values) *
                value_of(s, info->other, values);
            break;
        }
        sum += a->terms[i].coef * v;
    }
    return sum;
}

static bool truth_of(const struct aff_space *s, const struct form *f,
                     const int64_t *values)
{
    switch (f->kind) {
    case FORM_TRUE: return true;
    case FORM_FALSE: return false;
    case FORM_GE0: return value_of(s, f->a, values) >= 0;
    case FORM_EQ0: return value_of(s, f->a, values) == 0;
    case FORM_NOT_EQ0: return value_of(s, f->a, values) != 0;
    case FORM_PRED: return (f->key & 1) != f->negated;
    case FORM_AND:
        for (uint32_t i = 0; i < f->n; i++)
            if (!truth_of(s, f->args[i], values))
                return false;
        return true;
    case FORM_OR:
        for (uint32_t i = 0; i < f->n; i++)
            if (truth_of(s, f->args[i], values))
                return true;
        return false;
    }
    return false;
}

static const struct aff *var(struct aff_space *s, const char *name, int64_t lo,
                             int64_t hi)
{
    return aff_of_atom(s, aff_var_make(s, name, lo, hi, NULL, NULL));
}

static atom_id atom_of(const struct aff *a)
{
    return a->terms[0].atom;
}

/* a*x + b*y */
static const struct aff *lin2(struct aff_space *s, int64_t a,
                              const struct aff *x, int64_t b,
                              const struct aff *y)
{
    return aff_add(s, aff_scale(s, x, a), aff_scale(s, y, b));
}

/* ---- random expressions ---------------------------------------------------- */

#define NVARS   5
#define NPOINTS 12

/* One expression and its values at all points, computed without affs. */
struct sample {
    const struct aff *a;
    int64_t at[NPOINTS];
};

static const int64_t divisors[] = {2, 3, 4, 5, 7, 8, 12, 16, 32, 56, 64, 1024};

static struct sample combine(struct aff_space *s, uint64_t *state,
                             const struct sample *x, const struct sample *y)
{
    struct sample r;
    int64_t k = pick(state, -9, 9);
    int64_t d = divisors[rng(state) % DC_ARRAY_LEN(divisors)];
    switch (rng(state) % 8) {
    case 0:
        r.a = aff_add(s, x->a, y->a);
        for (int p = 0; p < NPOINTS; p++)
            r.at[p] = x->at[p] + y->at[p];
        break;
    case 1:
        r.a = aff_sub(s, x->a, y->a);
        for (int p = 0; p < NPOINTS; p++)
            r.at[p] = x->at[p] - y->at[p];
        break;
    case 2:
        k = rng(state) & 1 ? d : k;
        r.a = aff_addc(s, aff_scale(s, x->a, k), 3 * k + 1);
        for (int p = 0; p < NPOINTS; p++)
            r.at[p] = x->at[p] * k + 3 * k + 1;
        break;
    case 3:
        r.a = aff_add(s, aff_scale(s, x->a, d), aff_mod(s, y->a, d));
        for (int p = 0; p < NPOINTS; p++)
            r.at[p] = x->at[p] * d + y->at[p] - d * floor_div(y->at[p], d);
        break;
    case 4:
        r.a = aff_mod(s, x->a, d);
        for (int p = 0; p < NPOINTS; p++)
            r.at[p] = x->at[p] - d * floor_div(x->at[p], d);
        break;
    default:
        r.a = aff_floordiv(s, x->a, d);
        for (int p = 0; p < NPOINTS; p++)
            r.at[p] = floor_div(x->at[p], d);
        break;
    }
    return r;
}

static void check_sample(struct aff_space *s, const struct sample *x,
                         int64_t values[NPOINTS][NVARS])
{
    int64_t lo, hi;
    aff_range(s, x->a, &lo, &hi);
    for (int p = 0; p < NPOINTS; p++) {
        assert_int_equal(value_of(s, x->a, values[p]), x->at[p]);
        assert_true(lo <= x->at[p] && x->at[p] <= hi);
        const struct form *ge = form_ge0(s, x->a);
        const struct form *eq = form_eq(s, x->a, aff_const(s, 7));
        assert_int_equal(truth_of(s, ge, values[p]), x->at[p] >= 0);
        assert_int_equal(truth_of(s, eq, values[p]), x->at[p] == 7);
        const struct form *both = form_and2(s, form_not(s, ge), eq);
        assert_int_equal(truth_of(s, both, values[p]), 0);
        const struct form *any = form_or2(s, form_not(s, ge), form_not(s, eq));
        assert_int_equal(truth_of(s, form_not(s, any), values[p]),
                         x->at[p] == 7); /* and >= 0 */
    }
}

/* The substitution v0 := pool[3], v1 := pool[4]: evaluated before and after. */
static void check_subst(struct aff_space *s, const struct sample *x,
                        const struct sample *pool,
                        int64_t values[NPOINTS][NVARS])
{
    const struct aff *to[200] = {pool[3].a, pool[4].a};
    /* long maps are looked at in another way than short ones */
    struct aff_map map = {.n = x->a->id & 1 ? NVARS : DC_ARRAY_LEN(to),
                          .to = to};
    const struct aff *image = aff_subst(s, x->a, &map);
    const struct form *f = form_subst(s, form_ge0(s, x->a), &map);
    for (int p = 0; p < NPOINTS; p++) {
        int64_t moved[NVARS];
        memcpy(moved, values[p], sizeof moved);
        moved[0] = pool[3].at[p];
        moved[1] = pool[4].at[p];
        int64_t want = value_of(s, x->a, moved);
        assert_int_equal(value_of(s, image, values[p]), want);
        (void)f; /* ranges of v0 and v1 may not hold for the new values */
    }
}

static void test_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t r = seed * 77;
        struct aff_space *s = aff_space_new();
        struct sample pool[40];
        int64_t values[NPOINTS][NVARS];
        for (int v = 0; v < NVARS; v++) {
            int64_t lo = v < 3 ? 0 : pick(&r, -200, 5);
            int64_t hi = lo + pick(&r, 0, v == 2 ? 5000 : 130);
            pool[v].a = var(s, "v", lo, hi);
            assert_int_equal(atom_of(pool[v].a), v);
            for (int p = 0; p < NPOINTS; p++)
                pool[v].at[p] = values[p][v] = pick(&r, lo, hi);
        }
        size_t n = NVARS;
        while (n < DC_ARRAY_LEN(pool)) {
            const struct sample *x = &pool[rng(&r) % n];
            const struct sample *y = &pool[rng(&r) % n];
            struct sample made = combine(s, &r, x, y);
            bool small = true;
            for (int p = 0; p < NPOINTS; p++)
                small &= made.at[p] < 100000000 && made.at[p] > -100000000;
            if (!small)
                continue;
            pool[n] = made;
            check_sample(s, &pool[n], values);
            check_subst(s, &pool[n], pool, values);
            n++;
        }
        assert_false(aff_overflowed(s));
        aff_space_free(s);
    }
}

/* ---- normal forms ---------------------------------------------------------- */

static void check_range(struct aff_space *s, const struct aff *a, int64_t lo,
                        int64_t hi)
{
    int64_t have_lo, have_hi;
    aff_range(s, a, &have_lo, &have_hi);
    assert_int_equal(have_lo, lo);
    assert_int_equal(have_hi, hi);
}

static void test_digits(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *v = var(s, "v", 0, 1023);
    const struct aff *q4 = aff_floordiv(s, v, 4);
    const struct aff *q16 = aff_floordiv(s, v, 16);
    /* floor of floor is floor; what split took apart falls together */
    assert_ptr_equal(aff_floordiv(s, q4, 4), q16);
    const struct aff *m16 = aff_mod(s, v, 16);
    assert_ptr_equal(lin2(s, 16, q16, 1, m16), v);
    /* (v mod 16) div 4 = v div 4 - 4 (v div 16); (v mod 16) mod 4 = v mod 4 */
    assert_ptr_equal(aff_floordiv(s, m16, 4), lin2(s, 1, q4, -4, q16));
    assert_ptr_equal(aff_mod(s, m16, 4), aff_mod(s, v, 4));
    assert_ptr_equal(aff_floordiv(s, m16, 32), aff_const(s, 0));
    /* ranges of digits, alone and with strides of their own */
    check_range(s, m16, 0, 15);
    check_range(s, lin2(s, 1, q4, -4, q16), 0, 3);
    check_range(s, lin2(s, 1, aff_mod(s, v, 4), 100, lin2(s, 1, q4, -4, q16)),
                0, 303);
    /* a digit above another variable */
    const struct aff *w = var(s, "w", 0, 99);
    assert_ptr_equal(aff_floordiv(s, lin2(s, 1, m16, 16, w), 32),
                     aff_floordiv(s, w, 2));
    assert_ptr_equal(aff_floordiv(s, lin2(s, 1, m16, 16, w), 16), w);
    assert_ptr_equal(aff_mod(s, lin2(s, 1, m16, 16, w), 16), m16);
    aff_space_free(s);
}

static void test_composite(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *o2 = var(s, "o2", 0, 55), *o3 = var(s, "o3", 0, 55);
    const struct aff *e = lin2(s, 56, o2, 1, o3);
    assert_ptr_equal(aff_floordiv(s, e, 56), o2);
    assert_ptr_equal(aff_mod(s, e, 56), o3);
    check_range(s, aff_mod(s, e, 32), 0, 31);
    check_range(
        s, lin2(s, 1, aff_floordiv(s, e, 8), -4, aff_floordiv(s, e, 32)), 0, 3);
    assert_ptr_equal(aff_floordiv(s, aff_floordiv(s, e, 8), 4),
                     aff_floordiv(s, e, 32));
    /* the remainder is a dividend like any other */
    const struct aff *rest = aff_floordiv(s, aff_mod(s, e, 12), 5);
    check_range(s, rest, 0, 2);
    /* constants move through: (e + 37) div 8 = (e + 5) div 8 + 4 */
    assert_ptr_equal(aff_floordiv(s, aff_addc(s, e, 37), 8),
                     aff_addc(s, aff_floordiv(s, aff_addc(s, e, 5), 8), 4));
    /* (q + 3) div 4 with q = (e + 1) div 8 is one quotient */
    const struct aff *q = aff_floordiv(s, aff_addc(s, e, 1), 8);
    assert_ptr_equal(aff_floordiv(s, aff_addc(s, q, 3), 4),
                     aff_floordiv(s, aff_addc(s, e, 25), 32));
    /* -(x div 4) = ceil(-x / 4) */
    const struct aff *up = aff_floordiv(s, aff_scale(s, e, -1), 3);
    assert_ptr_equal(up,
                     aff_scale(s, aff_floordiv(s, aff_addc(s, e, 2), 3), -1));
    /* a sum of a digit and a carry: 0 or 1 */
    const struct aff *w = var(s, "w", 0, 3);
    check_range(s,
                aff_sub(s, aff_floordiv(s, aff_add(s, e, w), 16),
                        aff_floordiv(s, e, 16)),
                0, 1);
    aff_space_free(s);
}

static void test_negative(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *v = var(s, "v", -20, 43);
    check_range(s, aff_mod(s, v, 16), 0, 15);
    check_range(s, aff_floordiv(s, v, 16), -2, 2);
    assert_ptr_equal(aff_floordiv(s, aff_floordiv(s, v, 4), 4),
                     aff_floordiv(s, v, 16));
    const struct aff *back =
        lin2(s, 16, aff_floordiv(s, v, 16), 1, aff_mod(s, v, 16));
    assert_ptr_equal(back, v);
    check_range(s, back, -20, 43);
    aff_space_free(s);
}

/* Stable: a divisor that comes later changes no aff that exists. */
static void test_stable(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *v = var(s, "v", 0, 4095);
    const struct aff *q64 = aff_floordiv(s, v, 64), *m = aff_mod(s, v, 64);
    uint32_t n = m->n;
    aff_floordiv(s, v, 8);
    assert_ptr_equal(aff_floordiv(s, v, 64), q64);
    assert_ptr_equal(aff_mod(s, v, 64), m);
    assert_int_equal(m->n, n);
    aff_space_free(s);
}

static void test_symbols(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *n = var(s, "n", 1, AFF_NO_BOUND);
    const struct aff *m = var(s, "m", 1, AFF_NO_BOUND);
    const struct aff *i =
        aff_of_atom(s, aff_var_make(s, "i", 0, AFF_NO_BOUND, NULL, m));
    const struct aff *j =
        aff_of_atom(s, aff_var_make(s, "j", 0, AFF_NO_BOUND, NULL, n));
    assert_ptr_equal(aff_mul(s, i, n), aff_mul(s, n, i));
    assert_ptr_equal(aff_mul(s, aff_mul(s, i, n), m),
                     aff_mul(s, aff_mul(s, m, i), n));
    const struct aff *flat = aff_add(s, aff_mul(s, i, n), j);
    assert_ptr_equal(aff_floordiv_sym(s, flat, n), i);
    assert_ptr_equal(
        aff_sub(s, flat, aff_mul(s, n, aff_floordiv_sym(s, flat, n))), j);
    /* within bounds: 0 <= i*n + j < m*n */
    assert_int_equal(form_ge0(s, flat)->kind, FORM_TRUE);
    assert_int_equal(form_lt(s, flat, aff_mul(s, m, n))->kind, FORM_TRUE);
    assert_int_equal(form_lt(s, flat, aff_addc(s, aff_mul(s, m, n), -1))->kind,
                     FORM_GE0);
    assert_int_equal(form_lt(s, j, n)->kind, FORM_TRUE);
    /* i*n + j + 1 floordiv n is not i: 1 more for the last j */
    assert_ptr_not_equal(aff_floordiv_sym(s, aff_addc(s, flat, 1), n), i);
    aff_space_free(s);
}

static void test_mentions(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *v[70];
    for (int k = 0; k < 70; k++)
        v[k] = var(s, "v", 0, 1000);
    /* 66 shares a bit of the filter with 2 */
    const struct aff *q = aff_floordiv(s, lin2(s, 3, v[2], 1, v[5]), 7);
    const struct aff *p = aff_mul(s, q, v[9]);
    assert_true(aff_mentions(s, p, atom_of(v[2])));
    assert_true(aff_mentions(s, p, atom_of(v[9])));
    assert_true(aff_mentions(s, p, atom_of(q)));
    assert_false(aff_mentions(s, p, atom_of(v[66])));
    assert_false(aff_mentions(s, p, atom_of(v[1])));
    aff_space_free(s);
}

static void test_overflow(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *v = var(s, "v", 0, 10);
    const struct aff *big = aff_scale(s, v, INT64_C(1) << 61);
    assert_false(aff_overflowed(s));
    int64_t lo, hi;
    aff_range(s, big, &lo, &hi);
    assert_int_equal(hi, AFF_NO_BOUND);
    assert_false(aff_overflowed(s)); /* a range is no overflow */
    aff_scale(s, big, 4);
    assert_true(aff_overflowed(s));
    aff_add(s, v, v);
    assert_true(aff_overflowed(s)); /* for good */
    aff_space_free(s);
    s = aff_space_new();
    aff_addc(s, aff_const(s, INT64_MAX / 2), INT64_MAX / 2);
    assert_true(aff_overflowed(s));
    aff_space_free(s);
    /* quotients nested without end */
    s = aff_space_new();
    const struct aff *a = var(s, "v", 0, 1000), *w = var(s, "w", 0, 1000);
    for (int k = 0; k < 400; k++)
        a = lin2(s, 2, aff_floordiv(s, lin2(s, 1, a, 1, w), 3), 1, w);
    assert_true(aff_overflowed(s));
    aff_space_free(s);
}

static void test_forms(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *x = var(s, "x", 0, 9), *y = var(s, "y", 0, 9);
    assert_int_equal(form_lt(s, x, aff_const(s, 10))->kind, FORM_TRUE);
    assert_int_equal(form_lt(s, x, aff_const(s, 0))->kind, FORM_FALSE);
    assert_int_equal(form_eq(s, x, aff_const(s, 10))->kind, FORM_FALSE);
    /* 2x == 2y + 1 has no solution; 2x >= 3 is x >= 2 */
    assert_int_equal(
        form_eq(s, aff_scale(s, x, 2), aff_addc(s, aff_scale(s, y, 2), 1))
            ->kind,
        FORM_FALSE);
    assert_ptr_equal(form_ge0(s, aff_addc(s, aff_scale(s, x, 2), -3)),
                     form_ge0(s, aff_addc(s, x, -2)));
    const struct form *a = form_lt(s, x, y), *b = form_eq(s, y, x);
    assert_ptr_equal(form_eq(s, x, y), b);
    assert_ptr_equal(form_and2(s, a, b), form_and2(s, b, a));
    assert_ptr_equal(form_and2(s, a, form_true(s)), a);
    assert_int_equal(form_and2(s, a, form_not(s, a))->kind, FORM_FALSE);
    assert_int_equal(form_or2(s, form_not(s, b), b)->kind, FORM_TRUE);
    assert_ptr_equal(form_not(s, form_not(s, form_and2(s, a, b))),
                     form_and2(s, a, b));
    const struct form *p = form_pred(s, 5);
    assert_ptr_equal(form_pred(s, 5), p);
    assert_ptr_not_equal(form_not(s, p), p);
    assert_int_equal(form_and2(s, p, form_not(s, p))->kind, FORM_FALSE);
    struct buf text = {0};
    form_print(s, form_and2(s, a, form_not(s, b)), &text);
    assert_string_equal(buf_text(&text), "-x + y - 1 >= 0 and x - y != 0");
    buf_fini(&text);
    aff_print(s, lin2(s, 4, x, 1, aff_addc(s, aff_floordiv(s, y, 3), -1)),
              &text);
    assert_string_equal(buf_text(&text), "4*x + (y floordiv 3) - 1");
    buf_fini(&text);
    aff_space_free(s);
}

/* Equations in mixed radix are one for each digit; what a digit cannot change
 * about an inequality is not in it. */
static void test_form_digits(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *a = var(s, "a", 0, 31), *b = var(s, "b", 0, 31);
    const struct aff *c = var(s, "c", 0, 6), *d = var(s, "d", 0, 6);
    const struct aff *x = lin2(s, 14, a, 1, c), *y = lin2(s, 14, b, 1, d);
    const struct form *both = form_and2(s, form_eq(s, a, b), form_eq(s, c, d));
    assert_ptr_equal(form_eq(s, x, y), both);
    assert_ptr_equal(form_not(s, form_eq(s, x, y)), form_not(s, both));
    /* 14a + c == 14b + d + 7: c - d would have to be 7 or -7 */
    assert_int_equal(form_eq(s, x, aff_addc(s, y, 7))->kind, FORM_FALSE);
    assert_ptr_equal(
        form_eq(s, x, aff_addc(s, y, 28)),
        form_and2(s, form_eq(s, a, aff_addc(s, b, 2)), form_eq(s, c, d)));
    /* with 13 for 14, c - d may be 0 or +-13: not within [-6, 6] but 0; with 5
     * both 0 and +-5 are, and the equation stays whole */
    assert_int_equal(
        form_eq(s, lin2(s, 13, a, 1, c), lin2(s, 13, b, 1, d))->kind, FORM_AND);
    assert_int_equal(form_eq(s, lin2(s, 5, a, 1, c), lin2(s, 5, b, 1, d))->kind,
                     FORM_EQ0);
    assert_ptr_equal(form_ge0(s, aff_addc(s, x, -70)),
                     form_ge0(s, aff_addc(s, a, -5)));
    assert_ptr_equal(form_lt(s, x, aff_const(s, 70)),
                     form_lt(s, a, aff_const(s, 5)));
    aff_space_free(s);
}

/* ---- solving --------------------------------------------------------------- */

/* Whether with the solutions put in, every equation is 0 == 0. */
static void check_solved(struct aff_space *s, size_t neqs,
                         const struct aff *const *eqs, size_t n,
                         const atom_id *unknown, const struct aff **out)
{
    const struct aff *to[200] = {0};
    assert_true(aff_natoms(s) < DC_ARRAY_LEN(to));
    for (size_t i = 0; i < n; i++)
        to[unknown[i]] = out[i];
    struct aff_map map = {.n = DC_ARRAY_LEN(to), .to = to};
    for (size_t i = 0; i < neqs; i++)
        assert_ptr_equal(aff_subst(s, eqs[i], &map), aff_const(s, 0));
}

static void test_solve_radix(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *i0 = var(s, "i0", 0, 7), *i1 = var(s, "i1", 0, 15);
    const struct aff *r = var(s, "r", 0, 127), *out[3];
    const struct aff *eq = aff_sub(s, lin2(s, 16, i0, 1, i1), r);
    const atom_id unknown[2] = {atom_of(i0), atom_of(i1)};
    assert_true(aff_solve(s, 1, &eq, 2, unknown, out));
    assert_ptr_equal(out[0], aff_floordiv(s, r, 16));
    assert_ptr_equal(out[1], aff_mod(s, r, 16));
    check_solved(s, 1, &eq, 2, unknown, out);
    aff_space_free(s);

    /* rc*9 + ry*3 + rx == 9a + b, where b's digits stay one */
    s = aff_space_new();
    const struct aff *rc = var(s, "rc", 0, 63), *ry = var(s, "ry", 0, 2),
                     *rx = var(s, "rx", 0, 2), *a = var(s, "a", 0, 63),
                     *b = var(s, "b", 0, 8);
    eq = aff_sub(s, aff_add(s, lin2(s, 9, rc, 3, ry), rx), lin2(s, 9, a, 1, b));
    const atom_id three[3] = {atom_of(rc), atom_of(ry), atom_of(rx)};
    assert_true(aff_solve(s, 1, &eq, 3, three, out));
    assert_ptr_equal(out[0], a);
    assert_ptr_equal(out[1], aff_floordiv(s, b, 3));
    assert_ptr_equal(out[2], aff_mod(s, b, 3));
    aff_space_free(s);
}

static void test_solve_quotients(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *a = var(s, "a", 0, 97), *b = var(s, "b", 0, 7),
                     *c = var(s, "c", 0, 3), *o2 = var(s, "o2", 0, 55),
                     *o3 = var(s, "o3", 0, 55), *out[3];
    const struct aff *v = aff_add(s, lin2(s, 32, a, 4, b), c);
    const struct aff *eqs[2] = {
        aff_sub(s, aff_floordiv(s, v, 56), o2),
        aff_sub(s, aff_mod(s, v, 56), o3),
    };
    const atom_id unknown[3] = {atom_of(a), atom_of(b), atom_of(c)};
    assert_true(aff_solve(s, 2, eqs, 3, unknown, out));
    const struct aff *e = lin2(s, 56, o2, 1, o3);
    assert_ptr_equal(out[0], aff_floordiv(s, e, 32));
    assert_ptr_equal(out[2], aff_mod(s, e, 4));
    check_solved(s, 2, eqs, 3, unknown, out);
    aff_space_free(s);

    /* one address made of the digits of one variable, in another order */
    s = aff_space_new();
    v = var(s, "v", 0, 255);
    const struct aff *r = var(s, "r", 0, 255);
    const struct aff *q4 = aff_floordiv(s, v, 4), *q16 = aff_floordiv(s, v, 16);
    const struct aff *eq =
        aff_add(s, aff_scale(s, aff_mod(s, v, 4), 16),
                aff_add(s, aff_scale(s, lin2(s, 1, q4, -4, q16), 64), q16));
    eq = aff_sub(s, eq, r);
    atom_id one = atom_of(v);
    assert_true(aff_solve(s, 1, &eq, 1, &one, out));
    check_solved(s, 1, &eq, 1, &one, out);
    aff_space_free(s);
}

static void test_solve_windows(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *y = var(s, "y", 0, 6), *ax = var(s, "ax", 0, 9),
                     *r = var(s, "r", 0, 57), *k = var(s, "k", 0, 6), *out[2];
    const struct aff *eqs[2] = {aff_sub(s, lin2(s, 8, y, 1, ax), r),
                                aff_sub(s, y, k)};
    const atom_id unknown[2] = {atom_of(y), atom_of(ax)};
    assert_true(aff_solve(s, 2, eqs, 2, unknown, out));
    assert_ptr_equal(out[0], k);
    assert_ptr_equal(out[1], lin2(s, 1, r, -8, k));
    /* y free: ax in terms of it */
    assert_true(aff_solve(s, 1, eqs, 2, unknown, out));
    assert_null(out[0]);
    assert_ptr_equal(out[1], lin2(s, 1, r, -8, y));
    /* contradictions */
    const struct aff *clash[2] = {aff_sub(s, y, k),
                                  aff_addc(s, aff_sub(s, y, k), 1)};
    assert_false(aff_solve(s, 2, clash, 2, unknown, out));
    aff_space_free(s);
}

static void test_solve_symbols(void **state)
{
    (void)state;
    struct aff_space *s = aff_space_new();
    const struct aff *n = var(s, "n", 1, AFF_NO_BOUND);
    const struct aff *v[4];
    for (int k = 0; k < 4; k++)
        v[k] = aff_of_atom(s, aff_var_make(s, "v", 0, k & 1 ? AFF_NO_BOUND : 99,
                                           NULL, k & 1 ? n : NULL));
    const struct aff *out[2];
    const struct aff *eq = aff_sub(s, aff_add(s, aff_mul(s, v[0], n), v[1]),
                                   aff_add(s, aff_mul(s, v[2], n), v[3]));
    const atom_id unknown[2] = {atom_of(v[0]), atom_of(v[1])};
    assert_true(aff_solve(s, 1, &eq, 2, unknown, out));
    assert_ptr_equal(out[0], v[2]);
    assert_ptr_equal(out[1], v[3]);
    aff_space_free(s);
}

/* Random mixed-radix systems: a tile order written in another tile order. */
static void test_solve_random(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        uint64_t r = seed;
        struct aff_space *s = aff_space_new();
        const struct aff *eqs[4], *out[12];
        atom_id unknown[12];
        size_t nunknown = 0;
        size_t neqs = (size_t)pick(&r, 1, 4);
        for (size_t e = 0; e < neqs; e++) {
            const struct aff *sum = aff_const(s, 0);
            int64_t size = 1;
            for (int64_t k = pick(&r, 1, 3); k > 0; k--) {
                int64_t extent = pick(&r, 2, 9), lo = pick(&r, -1, 1) * 3;
                const struct aff *u = var(s, "u", lo, lo + extent - 1);
                unknown[nunknown++] = atom_of(u);
                sum = aff_add(s, sum, aff_scale(s, u, size));
                size *= extent;
            }
            int64_t lo, hi;
            aff_range(s, sum, &lo, &hi);
            eqs[e] = aff_sub(s, sum, var(s, "r", lo, hi));
        }
        /* equations mixed by unimodular steps */
        for (size_t e = 1; e < neqs; e++)
            if (rng(&r) & 1)
                eqs[e] = aff_add(s, eqs[e], eqs[e - 1]);
        bool all = aff_solve(s, neqs, eqs, nunknown, unknown, out);
        assert_true(all);
        for (size_t i = 0; i < nunknown; i++)
            assert_non_null(out[i]);
        check_solved(s, neqs, eqs, nunknown, unknown, out);
        assert_false(aff_overflowed(s));
        aff_space_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_digits),
        cmocka_unit_test(test_composite),
        cmocka_unit_test(test_negative),
        cmocka_unit_test(test_stable),
        cmocka_unit_test(test_symbols),
        cmocka_unit_test(test_mentions),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_form_digits),
        cmocka_unit_test(test_solve_radix),
        cmocka_unit_test(test_solve_quotients),
        cmocka_unit_test(test_solve_windows),
        cmocka_unit_test(test_solve_symbols),
        cmocka_unit_test(test_solve_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
