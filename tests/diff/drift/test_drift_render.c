/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers and bars of drift, from arrays made by hand.
 */
#include "diff/drift/drift.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

static struct interp_tensor *tensor_of(size_t rank, const int64_t *shape,
                                       const float *values)
{
    struct interp_tensor *t = interp_tensor_new(DTYPE_FLOAT32, rank, shape);
    for (size_t i = 0; i < t->elements; i++) {
        uint32_t u;
        memcpy(&u, &values[i], sizeof u);
        interp_tensor_set(t, i, u);
        t->state[i] = INTERP_DEFINED | INTERP_WRITTEN;
    }
    return t;
}

/* 0, 1, 2 and 3 ulp above 1, a NaN, and an element that nobody computed. */
static void test_numbers(void **state)
{
    static const int64_t shape[] = {6};
    float ulp = 0x1p-23f;
    float want[] = {1, 1, 1, 1, 1, 1};
    float have[] = {1, 1 + ulp, 1 + 2 * ulp, 1 + 3 * ulp, 7, 1};
    struct interp_tensor *w = tensor_of(1, shape, want);
    struct interp_tensor *h = tensor_of(1, shape, have);
    struct drift_stats s;
    struct buf text = {0};
    (void)state;
    memset(&s, 0, sizeof s);
    w->state[4] = 0;
    drift_stats_add(&s, 3, 2, w, h);
    assert_int_equal(s.elements, 5);
    assert_int_equal(s.differ, 3);
    assert_int_equal(s.ulp[0], 2);
    assert_int_equal(s.ulp[1], 1);
    assert_int_equal(s.ulp[2], 1);
    assert_int_equal(s.ulp[3], 1);
    assert_int_equal(s.max_ulp, 3);
    assert_true(s.max_abs == 3 * 0x1p-23 && s.mean_abs == 6 * 0x1p-23 / 5);
    assert_true(s.atol == 3 * 0x1p-23 && s.rtol == 3 * 0x1p-23);
    assert_true(s.worst_sample == 3 && s.worst_param == 2);
    assert_int_equal(s.worst_element, 3);
    drift_put_histogram(&text, &s);
    assert_non_null(strstr(buf_text(&text), "equal ulp |#############"));
    assert_non_null(strstr(buf_text(&text), "          2   40.0 %"));
    have[5] = NAN;
    interp_tensor_free(h);
    h = tensor_of(1, shape, have);
    drift_stats_add(&s, 4, 2, w, h);
    assert_int_equal(s.nan_one_side, 1);
    assert_true(s.worst_sample == 4 && s.worst_element == 5);
    assert_true(isinf(s.atol));
    buf_fini(&text);
    interp_tensor_free(w);
    interp_tensor_free(h);
}

/* Every fourth column of the last axis is off: a comb; the rows are alike. */
static void test_axes(void **state)
{
    static const int64_t shape[] = {3, 8};
    float want[24] = {0}, have[24] = {0};
    struct buf text = {0};
    (void)state;
    for (size_t i = 0; i < 24; i++)
        have[i] = i % 4 == 3 ? 0.5f : 0;
    struct interp_tensor *w = tensor_of(2, shape, want);
    struct interp_tensor *h = tensor_of(2, shape, have);
    drift_put_profile(&text, w, h, 40);
    assert_string_equal(buf_text(&text),
                        "  axis 0  mean |@@@| up to 0.125, 3 of them\n"
                        "          max |@@@| up to 0.5\n"
                        "  axis 1  mean |   @   @| up to 0.5, 8 of them\n"
                        "          max |   @   @| up to 0.5\n");
    buf_fini(&text);
    interp_tensor_free(w);
    interp_tensor_free(h);
}

static void test_tolerance(void **state)
{
    struct drift_tolerance t = {0.25, 0.125, 4, 3, 40, 10};
    struct buf text = {0};
    (void)state;
    drift_put_tolerance(&text, &t);
    assert_string_equal(
        buf_text(&text),
        "  allclose would have passed with atol = 0.25 (or rtol = 0.125)\n"
        "  with that atol a dropped term goes unnoticed for 10 of 40 terms "
        "traced (25.0 %), in 3 of 4 elements\n");
    text.len = 0;
    t.atol = HUGE_VAL;
    drift_put_tolerance(&text, &t);
    assert_non_null(strstr(buf_text(&text), "no tolerance would have passed"));
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_axes),
        cmocka_unit_test(test_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
