/* SPDX-License-Identifier: Apache-2.0
 *
 * Obligations with known answers: index maps that are or are not in range,
 * injective, onto; models checked by evaluation; every logged obligation is
 * printed and read back by Z3, which must find it unsatisfiable; random
 * obligations against enumeration.
 */
#include "tests/test.h"
#include "verifier/smt/smt.h"

#include <z3.h>

#include <string.h>

struct fixture {
    struct aff_space *s;
    struct smt *smt;
};

static struct fixture open_fixture(const struct smt_limits *limits)
{
    struct fixture f = {.s = aff_space_new()};
    f.smt = smt_new(f.s, limits);
    return f;
}

static void on_error(Z3_context c, Z3_error_code e)
{
    fail_msg("Z3: %s", Z3_get_error_msg(c, e));
}

/* All of the log, as text, must be unsatisfiable for a fresh Z3. */
static void check_log(const struct fixture *f)
{
    for (size_t i = 0; i < smt_log_size(f->smt); i++) {
        struct buf text = {0};
        smt_print(f->smt, smt_log_at(f->smt, i), &text);
        Z3_config config = Z3_mk_config();
        Z3_context z3 = Z3_mk_context(config);
        Z3_del_config(config);
        Z3_set_error_handler(z3, on_error);
        const char *answer = Z3_eval_smtlib2_string(z3, buf_text(&text));
        if (strcmp(answer, "unsat\n") != 0)
            fail_msg("%s\n%s", answer, buf_text(&text));
        Z3_del_context(z3);
        buf_fini(&text);
    }
}

static void close_fixture(struct fixture *f)
{
    check_log(f);
    smt_free(f->smt);
    aff_space_free(f->s);
}

static const struct aff *var(const struct fixture *f, const char *name,
                             int64_t lo, int64_t hi)
{
    return aff_of_atom(f->s, aff_var_make(f->s, name, lo, hi, NULL, NULL));
}

static const struct aff *lin2(const struct fixture *f, int64_t a,
                              const struct aff *x, int64_t b,
                              const struct aff *y)
{
    return aff_add(f->s, aff_scale(f->s, x, a), aff_scale(f->s, y, b));
}

static const struct form *within(const struct fixture *f, const struct aff *a,
                                 int64_t lo, int64_t hi)
{
    return form_and2(f->s, form_le(f->s, aff_const(f->s, lo), a),
                     form_le(f->s, a, aff_const(f->s, hi)));
}

static enum smt_answer prove(const struct fixture *f, const struct form *ctx,
                             const struct form *goal)
{
    return smt_prove(f->smt, ctx, goal, "a claim", true);
}

/* ---- index maps ------------------------------------------------------------ */

static void test_simple(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct form *top = form_true(f.s);
    const struct aff *x = var(&f, "x", 0, 100), *y = var(&f, "y", 0, 100);
    const struct form *lt = form_lt(f.s, x, y);
    assert_int_equal(prove(&f, top, top), SMT_PROVED);
    assert_int_equal(prove(&f, lt, lt), SMT_PROVED);
    assert_int_equal(smt_queries(f.smt), 0); /* neither needs a solver */
    const struct form *le = form_le(f.s, aff_addc(f.s, x, 1), y);
    assert_int_equal(prove(&f, lt, form_not(f.s, form_eq(f.s, x, y))),
                     SMT_PROVED);
    assert_int_equal(prove(&f, lt, le), SMT_PROVED);
    assert_int_equal(prove(&f, le, form_lt(f.s, aff_addc(f.s, x, 1), y)),
                     SMT_REFUTED);
    int64_t vx = smt_model_aff(f.smt, x), vy = smt_model_aff(f.smt, y);
    assert_int_equal(vx + 1, vy);
    assert_true(vx >= 0 && vy <= 100);
    assert_int_equal(
        smt_unsat(f.smt, form_and2(f.s, lt, form_lt(f.s, y, x)), "never", true),
        SMT_PROVED);
    assert_int_equal(smt_unsat(f.smt, lt, "never", true), SMT_REFUTED);
    assert_true(smt_model_aff(f.smt, x) < smt_model_aff(f.smt, y));
    /* a context that contradicts itself proves anything, also where its
     * conjuncts have nothing to do with the goal */
    const struct aff *z = var(&f, "z", 0, 5), *w = var(&f, "w", 0, 5);
    const struct form *clash =
        form_and2(f.s, form_lt(f.s, z, w), form_lt(f.s, w, z));
    assert_int_equal(prove(&f, clash, form_eq(f.s, x, y)), SMT_PROVED);
    assert_int_equal(smt_log_size(f.smt), 6);
    smt_log_truncate(f.smt, 5);
    assert_int_equal(smt_log_size(f.smt), 5);
    close_fixture(&f);
}

/* 112 = 14 * 8 = 7 * 16 tiles of a convolution: in range, injective, onto. */
static void test_tiles(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct aff *yo[2], *yi[2];
    for (int k = 0; k < 2; k++) {
        yo[k] = var(&f, "yo", 0, 13);
        yi[k] = var(&f, "yi", 0, 7);
    }
    const struct form *same = form_eq(f.s, lin2(&f, 8, yo[0], 1, yi[0]),
                                      lin2(&f, 8, yo[1], 1, yi[1]));
    const struct form *equal =
        form_and2(f.s, form_eq(f.s, yo[0], yo[1]), form_eq(f.s, yi[0], yi[1]));
    assert_int_equal(prove(&f, same, equal), SMT_PROVED);
    /* windows that overlap are not injective */
    const struct form *overlap = form_eq(f.s, lin2(&f, 7, yo[0], 1, yi[0]),
                                         lin2(&f, 7, yo[1], 1, yi[1]));
    assert_int_equal(prove(&f, overlap, equal), SMT_REFUTED);
    assert_int_equal(
        7 * smt_model_aff(f.smt, yo[0]) + smt_model_aff(f.smt, yi[0]),
        7 * smt_model_aff(f.smt, yo[1]) + smt_model_aff(f.smt, yi[1]));
    /* onto, with the inverse given by quotients */
    const struct aff *y = var(&f, "y", 0, 111);
    const struct form *onto =
        form_and2(f.s, within(&f, aff_floordiv(f.s, y, 8), 0, 13),
                  within(&f, aff_mod(f.s, y, 8), 0, 7));
    assert_int_equal(prove(&f, form_true(f.s), onto), SMT_PROVED);
    close_fixture(&f);
}

/* Fetch of a 128 x 32 tile by 256 threads, four at a time: the inverse of the
 * address is in range, and it is the only one. Raw quotients on both sides. */
static void test_fetch(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct aff *t = var(&f, "t", 0, 255), *i = var(&f, "i", 0, 7),
                     *ki = var(&f, "ki", 0, 31), *q2 = var(&f, "q", 0, 3),
                     *t2 = var(&f, "t", 0, 255), *v2 = var(&f, "v", 0, 3);
    const struct aff *row = lin2(&f, 8, aff_floordiv(f.s, t, 16), 1, i);
    const struct aff *e = lin2(&f, 32, row, 1, ki);
    const struct aff *q = aff_floordiv(f.s, e, 1024);
    const struct aff *tw = aff_floordiv(f.s, aff_mod(f.s, e, 1024), 4);
    const struct aff *v = aff_mod(f.s, e, 4);
    const struct form *in[3] = {within(&f, q, 0, 3), within(&f, tw, 0, 255),
                                within(&f, v, 0, 3)};
    const struct form *top = form_true(f.s);
    assert_int_equal(prove(&f, top, form_and(f.s, 3, in)), SMT_PROVED);
    const struct aff *e2 = aff_add(f.s, lin2(&f, 1024, q2, 4, t2), v2);
    const struct form *cell =
        form_and2(f.s, form_eq(f.s, aff_floordiv(f.s, e2, 32), row),
                  form_eq(f.s, aff_mod(f.s, e2, 32), ki));
    const struct form *only[3] = {form_eq(f.s, q2, q), form_eq(f.s, t2, tw),
                                  form_eq(f.s, v2, v)};
    assert_int_equal(prove(&f, cell, form_and(f.s, 3, only)), SMT_PROVED);
    assert_int_equal(prove(&f, cell, form_eq(f.s, aff_addc(f.s, t2, 1), tw)),
                     SMT_REFUTED);
    assert_int_equal(smt_model_aff(f.smt, t2), smt_model_aff(f.smt, tw));
    close_fixture(&f);
}

/* 7 * 7 * 3 fused, split by 4: divisors that do not divide each other. */
static void test_no_chain(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct aff *ko = var(&f, "ko", 0, 36), *ki = var(&f, "ki", 0, 3);
    const struct aff *k = lin2(&f, 4, ko, 1, ki);
    const struct form *guard = form_lt(f.s, k, aff_const(f.s, 147));
    const struct aff *rc = aff_floordiv(f.s, k, 49);
    const struct aff *ry = aff_mod(f.s, aff_floordiv(f.s, k, 7), 7);
    const struct aff *rx = aff_mod(f.s, k, 7);
    assert_int_equal(prove(&f, guard, within(&f, rc, 0, 2)), SMT_PROVED);
    assert_int_equal(prove(&f, form_true(f.s), within(&f, rc, 0, 2)),
                     SMT_REFUTED);
    assert_int_equal(smt_model_aff(f.smt, ko), 36);
    assert_int_equal(smt_model_aff(f.smt, ki), 3);
    const struct form *box[2] = {within(&f, ry, 0, 6), within(&f, rx, 0, 6)};
    assert_int_equal(prove(&f, guard, form_and(f.s, 2, box)), SMT_PROVED);
    const struct aff *a = var(&f, "a", 0, 2), *b = var(&f, "b", 0, 6),
                     *c = var(&f, "c", 0, 6);
    const struct aff *flat = aff_add(f.s, lin2(&f, 49, a, 7, b), c);
    const struct form *hit = form_and2(f.s, guard, form_eq(f.s, k, flat));
    const struct form *same[3] = {form_eq(f.s, rc, a), form_eq(f.s, ry, b),
                                  form_eq(f.s, rx, c)};
    assert_int_equal(prove(&f, hit, form_and(f.s, 3, same)), SMT_PROVED);
    /* quotients of one variable by 4 and by 6 */
    const struct aff *v = var(&f, "v", -50, 50);
    const struct aff *by4 = aff_floordiv(f.s, v, 4),
                     *by6 = aff_floordiv(f.s, v, 6);
    assert_int_equal(prove(&f, form_eq(f.s, by4, aff_const(f.s, 3)),
                           form_eq(f.s, by6, aff_const(f.s, 2))),
                     SMT_PROVED);
    assert_int_equal(prove(&f, form_eq(f.s, by4, aff_const(f.s, 2)),
                           form_eq(f.s, by6, aff_const(f.s, 1))),
                     SMT_PROVED);
    assert_int_equal(prove(&f, form_eq(f.s, by4, aff_const(f.s, 4)),
                           form_eq(f.s, by6, aff_const(f.s, 2))),
                     SMT_REFUTED);
    assert_int_equal(smt_model_aff(f.smt, by4), 4);
    assert_true(smt_model_aff(f.smt, v) >= 18);
    close_fixture(&f);
}

/* ---- symbols --------------------------------------------------------------- */

static void test_symbolic(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct aff *n = var(&f, "n", 1, AFF_NO_BOUND);
    const struct aff *k =
        aff_of_atom(f.s, aff_var_make(f.s, "k", 0, AFF_NO_BOUND, NULL, n));
    /* 8 * ko + ki covers [0, n), ko below ceil(n / 8) */
    const struct aff *ko = aff_floordiv(f.s, k, 8);
    const struct aff *tiles = aff_floordiv(f.s, aff_addc(f.s, n, 7), 8);
    assert_int_equal(prove(&f, form_true(f.s), form_lt(f.s, ko, tiles)),
                     SMT_PROVED);
    /* with the tail dropped it does not */
    const struct aff *whole = aff_floordiv(f.s, n, 8);
    assert_int_equal(prove(&f, form_true(f.s), form_lt(f.s, ko, whole)),
                     SMT_REFUTED);
    const atom_id atoms[2] = {n->terms[0].atom, k->terms[0].atom};
    smt_minimise(f.smt, 2, atoms, 40);
    assert_int_equal(smt_model_aff(f.smt, n), 1);
    assert_int_equal(smt_model_aff(f.smt, k), 0);
    /* rows and columns of a matrix with symbolic stride */
    const struct aff *m = var(&f, "m", 1, AFF_NO_BOUND);
    const struct aff *i =
        aff_of_atom(f.s, aff_var_make(f.s, "i", 0, AFF_NO_BOUND, NULL, m));
    const struct aff *flat = aff_add(f.s, aff_mul(f.s, i, n), k);
    assert_int_equal(
        prove(&f, form_true(f.s), form_lt(f.s, flat, aff_mul(f.s, m, n))),
        SMT_PROVED);
    /* i known to be positive by a guard: i * n >= n */
    const struct form *guard = form_ge0(f.s, aff_addc(f.s, i, -1));
    assert_int_equal(
        prove(&f,
              form_and2(f.s, guard,
                        form_le(f.s, aff_mul(f.s, i, n), aff_const(f.s, 5))),
              form_le(f.s, i, aff_const(f.s, 5))),
        SMT_PROVED);
    close_fixture(&f);
}

static void test_data(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct form *p = form_pred(f.s, 17), *q = form_pred(f.s, 18);
    assert_int_equal(prove(&f, form_and2(f.s, p, q), p), SMT_PROVED);
    assert_int_equal(prove(&f, p, q), SMT_REFUTED);
    assert_int_equal(
        prove(&f, form_or2(f.s, p, q),
              form_or2(f.s, q, form_and2(f.s, p, form_not(f.s, q)))),
        SMT_PROVED);
    const struct aff *d =
        aff_of_atom(f.s, aff_opaque_make(f.s, 99, "idx", 0, 9));
    assert_ptr_equal(d,
                     aff_of_atom(f.s, aff_opaque_make(f.s, 99, "idx", 0, 9)));
    assert_int_equal(
        prove(&f, form_true(f.s), form_lt(f.s, d, aff_const(f.s, 10))),
        SMT_PROVED);
    assert_int_equal(prove(&f,
                           form_not(f.s, form_eq(f.s, d, aff_const(f.s, 9))),
                           form_lt(f.s, d, aff_const(f.s, 9))),
                     SMT_PROVED);
    close_fixture(&f);
}

/* ---- budgets, models, determinism ------------------------------------------- */

/* A knapsack that takes work: sum of odd multiples, no solution by parity of
 * products with a disjunction. */
static const struct form *hard_goal(const struct fixture *f)
{
    const struct aff *sum = aff_const(f->s, 0);
    for (int k = 0; k < 24; k++)
        sum = aff_add(f->s, sum,
                      aff_scale(f->s, var(f, "x", 0, 40), 1009 + 37 * k * k));
    return form_not(f->s, form_eq(f->s, sum, aff_const(f->s, 123457)));
}

static void test_budget(void **state)
{
    (void)state;
    const struct smt_limits tiny = {.rlimit_query = 2000};
    struct fixture f = open_fixture(&tiny);
    assert_int_equal(prove(&f, form_true(f.s), hard_goal(&f)), SMT_UNKNOWN);
    assert_int_equal(smt_log_size(f.smt), 0);
    assert_false(smt_exhausted(f.smt));
    /* the next query has a budget of its own */
    const struct aff *x = var(&f, "x", 0, 9), *y = var(&f, "y", 0, 9);
    assert_int_equal(
        smt_unsat(f.smt, form_and2(f.s, form_lt(f.s, x, y), form_lt(f.s, y, x)),
                  "never", true),
        SMT_PROVED);
    close_fixture(&f);

    const struct smt_limits total = {.rlimit_total = 100};
    f = open_fixture(&total);
    prove(&f, form_true(f.s), hard_goal(&f));
    assert_true(smt_exhausted(f.smt));
    /* what needs no solver is still answered, the rest is not */
    const struct form *top = form_true(f.s);
    assert_int_equal(prove(&f, top, top), SMT_PROVED);
    assert_int_equal(prove(&f, top, hard_goal(&f)), SMT_UNKNOWN);
    close_fixture(&f);
}

static void test_overflow(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct aff *x = var(&f, "x", 0, 9);
    const struct form *lt = form_lt(f.s, x, aff_const(f.s, 3));
    aff_scale(f.s, aff_scale(f.s, x, INT64_C(1) << 61), 8);
    assert_int_equal(prove(&f, lt, lt), SMT_UNKNOWN);
    assert_int_equal(smt_unsat(f.smt, form_false(f.s), "never", true),
                     SMT_UNKNOWN);
    close_fixture(&f);
}

static void test_minimise(void **state)
{
    (void)state;
    struct fixture f = open_fixture(NULL);
    const struct aff *x = var(&f, "x", -500, 500), *y = var(&f, "y", 3, 900);
    const struct form *ctx =
        form_and2(f.s, form_le(f.s, aff_const(f.s, 70), aff_add(f.s, x, y)),
                  form_not(f.s, form_eq(f.s, x, aff_const(f.s, 0))));
    assert_int_equal(smt_unsat(f.smt, ctx, "never", false), SMT_REFUTED);
    const atom_id atoms[2] = {x->terms[0].atom, y->terms[0].atom};
    smt_minimise(f.smt, 2, atoms, 60);
    int64_t vx = smt_model_aff(f.smt, x), vy = smt_model_aff(f.smt, y);
    assert_true(vx == 1 || vx == -1);
    assert_int_equal(vx + vy, 70);
    close_fixture(&f);
}

static uint64_t rng(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static int64_t floor_div(int64_t a, int64_t d)
{
    return a / d - (a % d < 0);
}

static int64_t value_of(const struct aff_space *s, const struct aff *a,
                        const int64_t *values)
{
    int64_t sum = a->constant;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct atom *info = aff_atom_info(s, a->terms[i].atom);
        int64_t v =
            info->kind == ATOM_VAR
                ? values[a->terms[i].atom]
                : floor_div(value_of(s, info->def, values), info->divisor);
        sum += a->terms[i].coef * v;
    }
    return sum;
}

static bool truth_of(const struct aff_space *s, const struct form *f,
                     const int64_t *values)
{
    bool all = f->kind == FORM_AND;
    switch (f->kind) {
    case FORM_TRUE: return true;
    case FORM_GE0: return value_of(s, f->a, values) >= 0;
    case FORM_EQ0: return value_of(s, f->a, values) == 0;
    case FORM_NOT_EQ0: return value_of(s, f->a, values) != 0;
    case FORM_AND:
    case FORM_OR:
        for (uint32_t i = 0; i < f->n; i++)
            if (truth_of(s, f->args[i], values) != all)
                return !all;
        return all;
    case FORM_FALSE:
    case FORM_PRED: break;
    }
    return false;
}

static const struct aff *random_aff(const struct fixture *f, uint64_t *r,
                                    const struct aff *const *v)
{
    static const int64_t divisors[] = {2, 3, 4, 6, 8};
    const struct aff *a = v[rng(r) % 3];
    for (uint64_t k = rng(r) % 4; k > 0; k--) {
        int64_t d = divisors[rng(r) % DC_ARRAY_LEN(divisors)];
        switch (rng(r) % 4) {
        case 0:
            a = lin2(f, 1, a, (int64_t)(rng(r) % 7) - 3, v[rng(r) % 3]);
            break;
        case 1: a = aff_mod(f->s, a, d); break;
        case 2: a = aff_addc(f->s, a, (int64_t)(rng(r) % 9) - 4); break;
        default: a = aff_floordiv(f->s, a, d); break;
        }
    }
    return a;
}

static const struct form *random_form(const struct fixture *f, uint64_t *r,
                                      const struct aff *const *v, int depth)
{
    uint64_t kind = rng(r) % (depth ? 5 : 3);
    if (kind < 3) {
        const struct aff *a = random_aff(f, r, v), *b = random_aff(f, r, v);
        return kind == 0   ? form_lt(f->s, a, b)
               : kind == 1 ? form_eq(f->s, a, b)
                           : form_not(f->s, form_eq(f->s, a, b));
    }
    const struct form *x = random_form(f, r, v, depth - 1);
    const struct form *y = random_form(f, r, v, depth - 1);
    return kind == 3 ? form_and2(f->s, x, y) : form_or2(f->s, x, y);
}

/* Answers against all points of a small box; models against the formulas. */
static void test_random(void **state)
{
    (void)state;
    size_t proved = 0, refuted = 0;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        struct fixture f = open_fixture(NULL);
        uint64_t r = seed * 1000;
        const struct aff *v[3] = {var(&f, "a", 0, 17), var(&f, "b", -6, 6),
                                  var(&f, "c", 0, 9)};
        for (int k = 0; k < 6; k++) {
            const struct form *ctx = random_form(&f, &r, v, 2);
            const struct form *goal = random_form(&f, &r, v, 2);
            bool holds = true;
            int64_t at[3];
            for (at[0] = 0; at[0] <= 17; at[0]++)
                for (at[1] = -6; at[1] <= 6; at[1]++)
                    for (at[2] = 0; at[2] <= 9; at[2]++)
                        holds &=
                            !truth_of(f.s, ctx, at) || truth_of(f.s, goal, at);
            enum smt_answer answer = prove(&f, ctx, goal);
            assert_int_equal(answer, holds ? SMT_PROVED : SMT_REFUTED);
            proved += holds;
            refuted += !holds;
            if (holds)
                continue;
            for (int i = 0; i < 3; i++)
                at[i] = smt_model_aff(f.smt, v[i]);
            assert_true(truth_of(f.s, ctx, at));
            assert_false(truth_of(f.s, goal, at));
        }
        close_fixture(&f);
    }
    assert_true(proved > 50 && refuted > 50); /* neither is rare */
}

/* The same calls give the same work, answers and text. */
static void test_same(void **state)
{
    (void)state;
    struct buf text[2] = {{0}, {0}};
    uint64_t resources[2];
    for (int run = 0; run < 2; run++) {
        struct fixture f = open_fixture(NULL);
        uint64_t r = 5;
        const struct aff *v[3] = {var(&f, "a", 0, 17), var(&f, "b", -6, 6),
                                  var(&f, "c", 0, 9)};
        for (int k = 0; k < 40; k++) {
            const struct form *ctx = random_form(&f, &r, v, 2);
            const struct form *goal = random_form(&f, &r, v, 2);
            if (prove(&f, ctx, goal) == SMT_REFUTED)
                buf_printf(&text[run], "%lld %lld\n",
                           (long long)smt_model_aff(f.smt, v[0]),
                           (long long)smt_model_aff(f.smt, v[1]));
        }
        for (size_t i = 0; i < smt_log_size(f.smt); i++)
            smt_print(f.smt, smt_log_at(f.smt, i), &text[run]);
        resources[run] = smt_resources(f.smt);
        close_fixture(&f);
    }
    assert_string_equal(buf_text(&text[0]), buf_text(&text[1]));
    assert_true(resources[0] > 0 && resources[0] == resources[1]);
    buf_fini(&text[0]);
    buf_fini(&text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_simple),   cmocka_unit_test(test_tiles),
        cmocka_unit_test(test_fetch),    cmocka_unit_test(test_no_chain),
        cmocka_unit_test(test_symbolic), cmocka_unit_test(test_data),
        cmocka_unit_test(test_budget),   cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_minimise), cmocka_unit_test(test_random),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
