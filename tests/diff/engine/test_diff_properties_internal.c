/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer tensors that are distinct, sorted or a permutation: what is made is,
 * by definitions that compare every two elements; what need not change does
 * not; what cannot be is refused.
 */
#include "diff/engine/properties.h"
#include "tests/test.h"

#define MOST 9

static const struct row {
    const char *label;
    enum dtype_code code;
    unsigned bits, kinds;
    int64_t lo, hi; /* lo > hi: no range */
    size_t n;
    int64_t from[MOST];
    bool made;
    int64_t to[MOST]; /* checked where `exact` */
    bool exact;
} rows[] = {
    {"as it is",
     DT_INT,
     32,
     DIFF_DISTINCT,
     0,
     7,
     4,
     {3, 0, 7, 1},
     true,
     {3, 0, 7, 1},
     true},
    {"later ones change",
     DT_INT,
     32,
     DIFF_DISTINCT,
     0,
     7,
     4,
     {3, 3, 0, 3},
     true,
     {3, 1, 0, 2},
     true},
    {"just enough values",
     DT_INT,
     32,
     DIFF_DISTINCT,
     2,
     5,
     4,
     {5, 5, 5, 5},
     true,
     {0},
     false},
    {"one value too few",
     DT_INT,
     32,
     DIFF_DISTINCT,
     2,
     4,
     4,
     {2, 2, 2, 2},
     false,
     {0},
     false},
    {"one outside of the range",
     DT_INT,
     32,
     DIFF_DISTINCT,
     2,
     4,
     4,
     {9, 2, 2, 2},
     true,
     {9, 2, 3, 4},
     true},
    {"no range",
     DT_INT,
     8,
     DIFF_DISTINCT,
     1,
     0,
     3,
     {-128, -128, 127},
     true,
     {-128, -127, 127},
     true},
    {"at the top",
     DT_INT,
     64,
     DIFF_DISTINCT,
     INT64_MAX - 1,
     INT64_MAX,
     2,
     {INT64_MAX, INT64_MAX},
     true,
     {INT64_MAX, INT64_MAX - 1},
     true},
    {"unsigned order",
     DT_UINT,
     64,
     DIFF_SORTED,
     1,
     0,
     3,
     {-1, 5, 0},
     true,
     {0, 5, -1},
     true},
    {"signed order",
     DT_INT,
     64,
     DIFF_SORTED,
     1,
     0,
     3,
     {-1, 5, 0},
     true,
     {-1, 0, 5},
     true},
    {"sorted, equal ones stay",
     DT_INT,
     16,
     DIFF_SORTED,
     1,
     0,
     4,
     {4, 2, 4, 2},
     true,
     {2, 2, 4, 4},
     true},
    {"both",
     DT_INT,
     32,
     DIFF_SORTED | DIFF_DISTINCT,
     0,
     9,
     4,
     {4, 2, 4, 2},
     true,
     {0},
     false},
    {"ranks",
     DT_INT,
     32,
     DIFF_PERMUTATION,
     0,
     9,
     4,
     {40, 20, 30, 10},
     true,
     {3, 1, 2, 0},
     true},
    {"of equal ones",
     DT_INT,
     32,
     DIFF_PERMUTATION,
     0,
     9,
     6,
     {7, 7, 7, 7, 7, 7},
     true,
     {0},
     false},
    {"the permutation that is sorted",
     DT_INT,
     32,
     DIFF_PERMUTATION | DIFF_SORTED,
     0,
     9,
     3,
     {9, 1, 4},
     true,
     {0, 1, 2},
     true},
    {"too many for the type",
     DT_INT,
     4,
     DIFF_PERMUTATION,
     1,
     0,
     9,
     {0, 1, 2, 3, 4, 5, 6, 7, 1},
     false,
     {0},
     false},
    {"nothing",
     DT_INT,
     32,
     DIFF_DISTINCT | DIFF_SORTED,
     0,
     3,
     0,
     {0},
     true,
     {0},
     true},
};

static bool below(struct dtype t, uint64_t a, uint64_t b)
{
    return t.code == DT_UINT ? a < b : (int64_t)a < (int64_t)b;
}

/* By definition. */
static bool is_so(const struct interp_tensor *t, unsigned kinds)
{
    bool fine = true;
    for (size_t i = 0; i < t->elements; i++) {
        uint64_t x = interp_tensor_get(t, i);
        bool found = false;
        for (size_t k = 0; k < t->elements; k++) {
            uint64_t y = interp_tensor_get(t, k);
            found = found || y == i;
            if (kinds & DIFF_DISTINCT && i != k)
                fine = fine && x != y;
            if (kinds & DIFF_SORTED && i < k)
                fine = fine && !below(t->dtype, y, x);
        }
        if (kinds & DIFF_PERMUTATION)
            fine = fine && found;
    }
    return fine;
}

static void tensors_are_made(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        const struct row *r = &rows[i];
        struct dtype type = dtype_make(r->code, r->bits, 1);
        int64_t shape[1] = {(int64_t)r->n};
        const struct diff_range range = {.lo = r->lo, .hi = r->hi};
        struct interp_tensor *t = interp_tensor_new(type, 1, shape);
        for (size_t k = 0; k < r->n; k++)
            interp_tensor_set(t, k, (uint64_t)r->from[k]);
        bool was = is_so(t, r->kinds);
        if (diff_property_holds(t, r->kinds) != was)
            fail_msg("%s: holds is wrong before", r->label);
        if (diff_property_make(t, r->kinds, &range) != r->made)
            fail_msg("%s: made %d", r->label, !r->made);
        if (r->made != is_so(t, r->kinds) ||
            diff_property_holds(t, r->kinds) != r->made)
            fail_msg("%s: is not what it is said to be", r->label);
        for (size_t k = 0; k < r->n && r->exact; k++)
            if (interp_tensor_get(t, k) != (uint64_t)r->to[k])
                fail_msg("%s: element %zu", r->label, k);
        for (size_t k = 0; k < r->n && r->made && range.lo <= range.hi; k++) {
            int64_t x = (int64_t)interp_tensor_get(t, k);
            bool kept = x == r->from[k];
            if (!kept && !(r->kinds & DIFF_SORTED) &&
                (x < range.lo || x > range.hi))
                fail_msg("%s: element %zu left the range", r->label, k);
        }
        interp_tensor_free(t);
    }
}

/* All permutations of three equal elements' places are not one and the same. */
static void equal_elements_are_mixed(void **state)
{
    (void)state;
    int64_t shape[1] = {64};
    bool ascending = true;
    struct interp_tensor *t = interp_tensor_new(DTYPE_INT32, 1, shape);
    assert_true(diff_property_make(t, DIFF_PERMUTATION, NULL));
    for (size_t i = 1; i < 64; i++)
        ascending =
            ascending && interp_tensor_get(t, i - 1) < interp_tensor_get(t, i);
    assert_false(ascending);
    interp_tensor_free(t);
}

static void words_are_read(void **state)
{
    (void)state;
    struct buf text = {0};
    struct arena *arena = arena_new();
    struct diff_property p;
    assert_true(diff_contract_property(arena, "A:distinct", &p));
    assert_string_equal(p.name, "A");
    assert_int_equal(p.kinds, DIFF_DISTINCT);
    assert_true(diff_contract_property(arena, "A:sorted", &p));
    assert_int_equal(p.kinds, DIFF_SORTED);
    assert_true(diff_contract_property(arena, "A:permutation", &p));
    assert_int_equal(p.kinds, DIFF_PERMUTATION);
    assert_false(diff_contract_property(arena, "A:sort", &p));
    arena_free(arena);
    assert_string_equal(diff_property_word(DIFF_SORTED), "sorted");
    diff_property_put(&text, DIFF_DISTINCT | DIFF_PERMUTATION);
    assert_string_equal(buf_text(&text), "distinct and a permutation");
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_are_made),
        cmocka_unit_test(equal_elements_are_mixed),
        cmocka_unit_test(words_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
