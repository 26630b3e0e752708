/* SPDX-License-Identifier: Apache-2.0
 *
 * Interval arithmetic of the safety proof (intervals.c) against all members of
 * small intervals: no result of a member lies outside, and where an operation
 * is monotone the ends are results. Then the ends of types, and where bounds
 * are too far out to be told.
 */
#include "tests/test.h"
#include "verifier/safety/safety_private.h"

#define SMALL 9

static bool holds(struct bounds r, int64_t v)
{
    return r.lo <= v && v <= r.hi;
}

static int64_t floor_div(int64_t a, int64_t d)
{
    int64_t q = a / d;
    return q * d > a ? q - 1 : q;
}

/* op over all members of a and b: the results' least and greatest are r. */
enum how { ADD, SUB, MUL, HOWS };
static int64_t result(enum how how, int64_t x, int64_t y)
{
    switch (how) {
    case ADD: return x + y;
    case SUB: return x - y;
    case MUL: return x * y;
    case HOWS: break;
    }
    return 0;
}

static void check_pair(struct bounds a, struct bounds b)
{
    const struct bounds r[HOWS] = {[ADD] = bounds_add(a, b),
                                   [SUB] = bounds_add(a, bounds_neg(b)),
                                   [MUL] = bounds_mul(a, b)};
    for (enum how how = ADD; how < HOWS; how++) {
        int64_t lo = INT64_MAX, hi = INT64_MIN;
        for (int64_t x = a.lo; x <= a.hi; x++)
            for (int64_t y = b.lo; y <= b.hi; y++) {
                int64_t v = result(how, x, y);
                lo = v < lo ? v : lo;
                hi = v > hi ? v : hi;
            }
        assert_int_equal(r[how].lo, lo);
        assert_int_equal(r[how].hi, hi);
    }
    struct bounds both = bounds_union(a, b);
    assert_int_equal(both.lo, a.lo < b.lo ? a.lo : b.lo);
    assert_int_equal(both.hi, a.hi > b.hi ? a.hi : b.hi);
}

static void sums_and_products(void **state)
{
    (void)state;
    for (int64_t i = -4; i <= 4; i++)
        for (int64_t k = i; k <= 4; k++)
            for (int64_t m = -4; m <= 4; m++)
                for (int64_t n = m; n <= 4; n++)
                    check_pair((struct bounds){i, k}, (struct bounds){m, n});
}

/* Remainders of an interval within one multiple of d are exact; else all
 * remainders of that sign may be there. */
static void check_division(struct bounds a, int64_t d)
{
    struct bounds div[] = {bounds_div(a, d, false), bounds_div(a, d, true)};
    struct bounds mod[] = {bounds_mod(a, d, false), bounds_mod(a, d, true)};
    assert_int_equal(div[0].lo, floor_div(a.lo, d));
    assert_int_equal(div[0].hi, floor_div(a.hi, d));
    assert_int_equal(div[1].lo, a.lo / d);
    assert_int_equal(div[1].hi, a.hi / d);
    for (int64_t x = a.lo; x <= a.hi; x++) {
        assert_true(holds(mod[0], x - d * floor_div(x, d)));
        assert_true(holds(mod[1], x % d));
    }
    if (floor_div(a.lo, d) == floor_div(a.hi, d)) {
        assert_int_equal(mod[0].lo, a.lo - d * floor_div(a.lo, d));
        assert_int_equal(mod[0].hi, a.hi - d * floor_div(a.hi, d));
    }
    assert_true(mod[0].lo >= 0 && mod[0].hi < d && mod[1].hi < d);
    assert_true(mod[1].lo >= (a.lo < 0 ? 1 - d : 0));
}

static void quotients(void **state)
{
    (void)state;
    for (int64_t d = 1; d <= 5; d++)
        for (int64_t i = -12; i <= 12; i++)
            for (int64_t k = i; k <= 12; k++)
                check_division((struct bounds){i, k}, d);
}

/* ---- bits -------------------------------------------------------------------- */

static int64_t bits_of(enum ir_expr_kind kind, int64_t x, int64_t y)
{
    switch ((int)kind) {
    case IR_BITAND: return x & y;
    case IR_BITOR: return x | y;
    case IR_BITXOR: return x ^ y;
    case IR_SHL: return x * (INT64_C(1) << y);
    case IR_SHR: return floor_div(x, INT64_C(1) << y);
    default: break;
    }
    fail();
    return 0;
}

/* In int8, whose range is where nothing is known. */
static void bits(void **state)
{
    static const enum ir_expr_kind kinds[] = {IR_BITAND, IR_BITOR, IR_BITXOR,
                                              IR_SHL, IR_SHR};
    (void)state;
    for (size_t which = 0; which < DC_ARRAY_LEN(kinds); which++) {
        struct ir_expr e = {.kind = kinds[which],
                            .dtype = dtype_make(DT_INT, 8, 1)};
        bool shift = e.kind == IR_SHL || e.kind == IR_SHR;
        for (int64_t i = -SMALL; i <= SMALL; i++)
            for (int64_t k = i; k <= SMALL; k++)
                for (int64_t m = shift ? 0 : -SMALL; m <= (shift ? 3 : SMALL);
                     m++)
                    for (int64_t n = m; n <= (shift ? 3 : SMALL); n++) {
                        struct bounds a = {i, k}, b = {m, n};
                        struct bounds r = bounds_bits(&e, a, b);
                        for (int64_t x = i; x <= k; x++)
                            for (int64_t y = m; y <= n; y++)
                                assert_true(holds(r, bits_of(e.kind, x, y)));
                    }
    }
}

/* What is known, so that addresses of masks and shifts are shown to fit. */
static void bits_are_known(void **state)
{
    static const struct {
        enum ir_expr_kind kind;
        struct bounds a, b, want;
    } rows[] = {
        {IR_BITAND, {-5, 100}, {7, 7}, {0, 7}},
        {IR_BITAND, {7, 7}, {-5, 100}, {0, 7}},
        {IR_BITAND, {0, 3}, {0, 90}, {0, 3}},
        {IR_BITAND, {0, 90}, {0, 3}, {0, 3}},
        {IR_BITAND, {0, 90}, {-8, -1}, {0, 90}},
        {IR_BITAND, {-1, 3}, {-1, 3}, {-128, 127}},
        {IR_BITOR, {0, 4}, {0, 9}, {0, 15}},
        {IR_BITXOR, {0, 7}, {0, 8}, {0, 15}},
        {IR_BITXOR, {0, 7}, {0, 7}, {0, 7}},
        {IR_BITOR, {-1, 4}, {0, 9}, {-128, 127}},
        {IR_SHL, {-1, 3}, {2, 2}, {-4, 12}},
        {IR_SHL, {-1, 3}, {1, 2}, {-128, 127}},
        {IR_SHR, {-5, 9}, {2, 2}, {-2, 2}},
        {IR_SHR, {-5, 9}, {1, 2}, {-128, 127}},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct ir_expr e = {.kind = rows[i].kind,
                            .dtype = dtype_make(DT_INT, 8, 1)};
        struct bounds r = bounds_bits(&e, rows[i].a, rows[i].b);
        if (r.lo != rows[i].want.lo || r.hi != rows[i].want.hi)
            fail_msg("row %zu: %lld to %lld", i, (long long)r.lo,
                     (long long)r.hi);
    }
}

/* ---- types ------------------------------------------------------------------------ */

/* Up to 60 bits the very values; above, nothing but the sign. */
static void types(void **state)
{
    (void)state;
    for (unsigned n = 1; n <= 64; n++) {
        struct dtype s = dtype_make(DT_INT, n, 1),
                     u = dtype_make(DT_UINT, n, 1);
        struct bounds i = bounds_of_type(s), k = bounds_of_type(u);
        assert_int_equal(k.lo, 0);
        if (n > 60) {
            assert_true(bounds_open(i) && i.lo == -i.hi);
            assert_int_equal(k.hi, i.hi);
            assert_false(bounds_fit(s, i));
            assert_false(bounds_fit(u, k));
            assert_true(bounds_fit(s, (struct bounds){i.lo + 1, i.hi - 1}));
            assert_false(bounds_fit(s, (struct bounds){i.lo + 1, i.hi}));
            assert_false(bounds_fit(s, (struct bounds){i.lo, i.hi - 1}));
            assert_true(bounds_fit(u, (struct bounds){0, i.hi - 1}));
            assert_false(bounds_fit(u, (struct bounds){-1, 5}));
            continue;
        }
        int64_t least = -(INT64_C(1) << (n - 1)), most = (INT64_C(1) << n) - 1;
        assert_int_equal(i.lo, least);
        assert_int_equal(i.hi, -least - 1);
        assert_int_equal(k.hi, most);
        assert_true(bounds_fit(s, i));
        assert_true(bounds_fit(u, k));
        assert_false(bounds_fit(s, (struct bounds){i.lo - 1, i.hi}));
        assert_false(bounds_fit(s, (struct bounds){i.lo, i.hi + 1}));
        assert_false(bounds_fit(u, (struct bounds){-1, most}));
        assert_false(bounds_fit(u, (struct bounds){0, most + 1}));
    }
    struct bounds truth = bounds_of_type(DTYPE_BOOL);
    assert_int_equal(truth.lo, 0);
    assert_int_equal(truth.hi, 1);
}

/* ---- far out ------------------------------------------------------------------------ */

/* An end that was cut off says nothing, whatever is done with it. */
static void open_ends(void **state)
{
    const struct bounds most = {0, SPAN_END}, least = {-SPAN_END, 0};
    const struct bounds back = {-5, -5}, one = {1, 1};
    const struct bounds big = {SPAN_END / 2, SPAN_END / 2 + 1};
    (void)state;
    assert_int_equal(bounds_end(SPAN_END + 1), SPAN_END);
    assert_int_equal(bounds_end(-SPAN_END - 1), -SPAN_END);
    assert_int_equal(bounds_end(SPAN_END - 1), SPAN_END - 1);
    assert_int_equal(bounds_end(1 - SPAN_END), 1 - SPAN_END);
    assert_true(bounds_open(most) && bounds_open(least));
    assert_false(bounds_open((struct bounds){1 - SPAN_END, SPAN_END - 1}));
    assert_int_equal(bounds_add(most, back).hi, SPAN_END);
    assert_int_equal(bounds_add(back, most).hi, SPAN_END);
    assert_int_equal(bounds_add(least, one).lo, -SPAN_END);
    assert_int_equal(bounds_add(one, least).lo, -SPAN_END);
    assert_int_equal(bounds_add(big, big).hi, SPAN_END);
    assert_int_equal(bounds_neg(most).lo, -SPAN_END);
    struct bounds r = bounds_mul(most, (struct bounds){0, 0});
    assert_true(r.lo == -SPAN_END && r.hi == SPAN_END);
    r = bounds_mul((struct bounds){0, 0}, least);
    assert_true(r.lo == -SPAN_END && r.hi == SPAN_END);
    r = bounds_mul(big, (struct bounds){1, 4}); /* more than int64 holds */
    assert_int_equal(r.hi, SPAN_END);
    r = bounds_mul(big, big);
    assert_int_equal(r.hi, SPAN_END);
    struct ir_expr e = {.kind = IR_SHL, .dtype = dtype_make(DT_INT, 64, 1)};
    assert_true(bounds_open(bounds_bits(&e, big, (struct bounds){3, 3})));
    e.kind = IR_SHR;
    assert_true(bounds_open(bounds_bits(&e, most, one)));
    e.kind = IR_BITOR;
    assert_true(bounds_open(bounds_bits(&e, most, one)));
    assert_true(bounds_open(bounds_bits(&e, one, most)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products),
        cmocka_unit_test(quotients),
        cmocka_unit_test(bits),
        cmocka_unit_test(bits_are_known),
        cmocka_unit_test(types),
        cmocka_unit_test(open_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
