/* SPDX-License-Identifier: Apache-2.0
 *
 * Accumulation trees of C functions whose order of additions is written out
 * here, recovered by masked inputs; and what the order of a sum may do to it.
 */
#include "diff/drift/drift.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

/* ---- sums with known trees --------------------------------------------------------- */

static float forwards(const float *a, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++)
        s = s + a[i];
    return s;
}

static float backwards(const float *a, size_t n)
{
    float s = 0;
    for (size_t i = n; i-- > 0;)
        s = s + a[i];
    return s;
}

static float halves(const float *a, size_t n)
{
    return n == 1 ? a[0] : halves(a, n / 2) + halves(a + n / 2, n - n / 2);
}

/* Four lanes, joined crosswise, the rest one by one. */
static float four_lanes(const float *a, size_t n)
{
    float l[4] = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t k = 0; k < 4; k++)
            l[k] = l[k] + a[i + k];
    float s = (l[0] + l[2]) + (l[1] + l[3]);
    for (; i < n; i++)
        s = s + a[i];
    return s;
}

/* Two vectors of four lanes, added, then neighbours. */
static float two_vectors(const float *a, size_t n)
{
    float l[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    size_t i = 0;
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            l[k] = l[k] + a[i + k];
    for (size_t k = 0; k < 4; k++)
        l[k] = l[k] + l[k + 4];
    float s = (l[0] + l[1]) + (l[2] + l[3]);
    for (; i < n; i++)
        s = s + a[i];
    return s;
}

static float fused(const float *a, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++)
        s = fmaf(a[i], 1.0f, s);
    return s;
}

/* As numpy's documentation describes its sum of contiguous numbers. */
static float numpy_like(const float *a, size_t n)
{
    if (n < 8)
        return forwards(a, n);
    if (n > 128) {
        size_t m = n / 2 - n / 2 % 8;
        return numpy_like(a, m) + numpy_like(a + m, n - m);
    }
    float r[8];
    size_t i;
    for (i = 0; i < 8; i++)
        r[i] = a[i];
    for (; i + 8 <= n; i += 8)
        for (size_t k = 0; k < 8; k++)
            r[k] += a[i + k];
    float s = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; i++)
        s += a[i];
    return s;
}

/* Three terms at a time in one addition, as a matrix unit does: the numbers
 * are cut to multiples of an eighth of the ulp of the largest. */
static float three_at_once(const float *a, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i += 2) {
        double x[3] = {s, (double)a[i], i + 1 < n ? (double)a[i + 1] : 0};
        double most = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2])));
        double unit = most > 0 ? ldexp(1, ilogb(most) - 26) : 1;
        s = 0;
        for (int k = 0; k < 3; k++)
            s += trunc(x[k] / unit) * unit;
        s = (double)(float)s;
    }
    return (float)s;
}

static float product(const float *a, size_t n)
{
    float s = 1;
    for (size_t i = 0; i < n; i++)
        s = s * a[i];
    return s;
}

static float random_order(const float *a, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++)
        s = s + a[(i * 5 + 3) % n];
    return s;
}

struct tree_row {
    const char *label;
    float (*sum)(const float *a, size_t n);
    size_t n;
    const char *tree;  /* NULL: too long to write */
    const char *named; /* part of the description; NULL: no tree */
};

static const struct tree_row tree_rows[] = {
    {"one term", forwards, 1, "0", NULL},
    {"forwards", forwards, 5, "((((0 1) 2) 3) 4)", "one after the other"},
    {"backwards", backwards, 5, "(0 (1 (2 (3 4))))", "backwards"},
    {"fma chain", fused, 4, "(((0 1) 2) 3)", "one after the other"},
    {"by halves", halves, 7, "((0 (1 2)) ((3 4) (5 6)))", "by halves"},
    {"four lanes", four_lanes, 10, "(((((0 4) (2 6)) ((1 5) (3 7))) 8) 9)",
     "4 lanes; lanes are combined by"},
    {"four lanes of 100 terms", four_lanes, 103, NULL, "4 lanes"},
    {"two vectors", two_vectors, 17,
     "(((((0 8) (4 12)) ((1 9) (5 13))) (((2 10) (6 14)) ((3 11) (7 15)))) "
     "16)",
     "4 lanes in 2 vectors"},
    {"numpy, small", numpy_like, 20, NULL,
     "8 lanes; lanes are combined in "
     "neighbouring"},
    {"numpy, blocks", numpy_like, 300, NULL, "(numpy)"},
    /* 3, 2, 1, 0, 5, 4 */
    {"another order", random_order, 6, "(((0 (1 (2 3))) 5) 4)", "no known"},
    {"three at once", three_at_once, 6, "(((0 1) 2 3) 4 5)",
     "up to 3 operands"},
    {"a product", product, 6, NULL, NULL},
};

struct black_box {
    const struct tree_row *row;
    float terms[512];
};

static bool run_box(void *user, const double *terms, double *sum)
{
    struct black_box *b = user;
    for (size_t i = 0; i < b->row->n; i++)
        b->terms[i] = (float)terms[i];
    *sum = (double)b->row->sum(b->terms, b->row->n);
    return true;
}

static void tree_row_run(void **state)
{
    const struct tree_row *row = *state;
    struct black_box box = {.row = row};
    struct drift_summation s = {
        .dtype = DTYPE_FLOAT32, .n = row->n, .run = run_box, .user = &box};
    struct arena *arena = arena_new();
    struct drift_tree tree;
    const char *why = NULL;
    struct buf text = {0}, name = {0};
    bool found = drift_tree_find(&s, arena, &tree, &why);
    if (row->tree == NULL && row->named == NULL) {
        assert_false(found);
        assert_non_null(why);
    } else {
        if (!found)
            fail_msg("%s: %s", row->label, why);
        drift_tree_text(&text, &tree);
        drift_tree_describe(&name, &tree);
        if (row->tree != NULL)
            assert_string_equal(buf_text(&text), row->tree);
        if (row->named != NULL && strstr(buf_text(&name), row->named) == NULL)
            fail_msg("%s: called '%s'", row->label, buf_text(&name));
    }
    buf_fini(&text);
    buf_fini(&name);
    arena_free(arena);
}

/* ---- other types, by their own masks ---------------------------------------------------- */

struct half_box {
    bool wide; /* the accumulator is a float32 */
    size_t n;
};

/* float16 terms by num.h; the accumulator too, or a float. */
static bool run_half(void *user, const double *terms, double *sum)
{
    const struct half_box *b = user;
    struct dtype half = dtype_make(DT_FLOAT, 16, 1);
    unsigned flags = 0;
    uint64_t s = 0;
    float w = 0;
    for (size_t i = 0; i < b->n; i++) {
        uint64_t t = num_from_double(half, terms[i], &flags);
        s = num_binary(NUM_ADD, half, s, t, &flags);
        w = w + (float)num_to_double(half, t);
    }
    *sum = b->wide
               ? num_to_double(half, num_from_double(half, (double)w, &flags))
               : num_to_double(half, s);
    return true;
}

static void test_half(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        struct half_box box = {wide != 0, 40};
        struct drift_summation s = {.dtype = dtype_make(DT_FLOAT, 16, 1),
                                    .n = 40,
                                    .run = run_half,
                                    .user = &box};
        struct arena *arena = arena_new();
        struct drift_tree tree;
        const char *why = NULL;
        struct buf name = {0};
        assert_true(drift_tree_find(&s, arena, &tree, &why));
        drift_tree_describe(&name, &tree);
        assert_string_equal(buf_text(&name), "one after the other");
        assert_true(tree.runs <= 2 * 40 + 8); /* no more than a chain needs */
        buf_fini(&name);
        arena_free(arena);
    }
}

static void test_drawing(void **state)
{
    (void)state;
    struct tree_row row = {"", four_lanes, 22, NULL, NULL};
    struct black_box box = {.row = &row};
    struct drift_summation s = {
        .dtype = DTYPE_FLOAT32, .n = row.n, .run = run_box, .user = &box};
    struct arena *arena = arena_new();
    struct drift_tree tree;
    const char *why = NULL;
    struct buf text = {0};
    assert_true(drift_tree_find(&s, arena, &tree, &why));
    drift_put_tree(&text, &tree, NULL, NULL, 40);
    assert_string_equal(buf_text(&text), "  sum of 22 terms\n"
                                         "  |- sum of 21 terms\n"
                                         "  |  |- sum of 20 terms\n"
                                         "  |  |  |- sum of 10 terms\n"
                                         "  |  |  |  |- 0 + 4 + 8 + 12 + 16\n"
                                         "  |  |  |  `- 2 + 6 + 10 + 14 + 18\n"
                                         "  |  |  `- sum of 10 terms\n"
                                         "  |  |     |- 1 + 5 + 9 + 13 + 17\n"
                                         "  |  |     `- 3 + 7 + 11 + 15 + 19\n"
                                         "  |  `- 20\n"
                                         "  `- 21\n");
    text.len = 0;
    drift_put_tree(&text, &tree, NULL, NULL, 3);
    assert_non_null(strstr(buf_text(&text), "..."));
    buf_fini(&text);
    arena_free(arena);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* 4096 ones in float16: one after the other they stop at 2048. */
static void test_stagnation(void **state)
{
    (void)state;
    double ones[4096];
    for (size_t i = 0; i < DC_ARRAY_LEN(ones); i++)
        ones[i] = 1;
    struct drift_order o =
        drift_order_of(dtype_make(DT_FLOAT, 16, 1), DC_ARRAY_LEN(ones), ones);
    assert_true(o.some_stagnate && !o.all_stagnate && !o.some_overflow);
    assert_true(o.low == 2048 && o.high == 4096);
    assert_string_equal(o.stagnate_order, "as written");
    assert_string_equal(o.safe_order, "pairwise");
    assert_true(o.bound >= 2048);
    o = drift_order_of(DTYPE_FLOAT32, DC_ARRAY_LEN(ones), ones);
    assert_true(!o.some_stagnate && o.low == 4096 && o.high == 4096);
}

/* Positive terms first pass 65504, by turns they do not. */
static void test_overflow(void **state)
{
    (void)state;
    double terms[8];
    for (size_t i = 0; i < 8; i++)
        terms[i] = i % 2 == 0 ? 30000 : -30000;
    struct drift_order o =
        drift_order_of(dtype_make(DT_FLOAT, 16, 1), 8, terms);
    assert_true(o.some_overflow && !o.all_overflow);
    assert_string_equal(o.overflow_order, "positive terms first");
    assert_string_equal(o.safe_order, "as written");
    /* in pairs the second half does, that is in the last order tried */
    for (size_t i = 0; i < 8; i++)
        terms[i] = i < 4 ? -15000 : 20000;
    o = drift_order_of(dtype_make(DT_FLOAT, 16, 1), 8, terms);
    assert_true(o.some_overflow && !o.all_overflow);
    assert_string_equal(o.safe_order, "as written");
    o = drift_order_range(dtype_make(DT_FLOAT, 16, 1), 147, -1, 1);
    assert_false(o.some_overflow);
    o = drift_order_range(dtype_make(DT_FLOAT, 16, 1), 147, -1000, 1000);
    assert_true(o.some_overflow);
}

/* No two of many orders differ by more than the bound, and it is not void. */
static void test_order_bound(void **state)
{
    (void)state;
    uint64_t seed = 5;
    struct dtype half = dtype_make(DT_FLOAT, 16, 1);
    for (int round = 0; round < 50; round++) {
        double terms[60], low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < 60; i++) {
            unsigned flags = 0;
            seed = hash_mix(seed, i);
            double x = (double)(seed >> 40) / 0x1p24 - 0.3;
            terms[i] = num_to_double(half, num_from_double(half, x, &flags));
        }
        struct drift_order o = drift_order_of(half, 60, terms);
        for (int order = 0; order < 20; order++) {
            uint64_t s = 0;
            for (size_t i = 0; i < 60; i++) {
                size_t at = (i * (size_t)(2 * order + 7) + (size_t)order) % 60;
                unsigned flags = 0;
                if ((2 * order + 7) % 3 == 0 || (2 * order + 7) % 5 == 0)
                    at = (i + (size_t)order) % 60;
                s = num_binary(NUM_ADD, half, s,
                               num_from_double(half, terms[at], &flags),
                               &flags);
            }
            double r = num_to_double(half, s);
            low = fmin(low, r);
            high = fmax(high, r);
        }
        assert_true(high - low <= o.bound);
        assert_true(o.high - o.low <= o.bound);
        assert_true(o.bound <= 0.06 * o.magnitude);
    }
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(tree_rows) + 5] = {
        cmocka_unit_test(test_half), cmocka_unit_test(test_drawing),
        cmocka_unit_test(test_stagnation), cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_order_bound)};
    for (size_t i = 0; i < DC_ARRAY_LEN(tree_rows); i++) {
        union {
            const struct tree_row *in;
            void *out;
        } row = {&tree_rows[i]};
        tests[5 + i].name = tree_rows[i].label;
        tests[5 + i].test_func = tree_row_run;
        tests[5 + i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("drift_tree", tests, DC_ARRAY_LEN(tests),
                                   NULL, NULL);
}
