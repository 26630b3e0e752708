/* SPDX-License-Identifier: Apache-2.0
 *
 * What makes a target wrong on exact inputs: elements, their states, and
 * inputs, by hand; and which differences count as infinite.
 */
#include "diff/drift/drift_private.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

enum {
    D = INTERP_DEFINED,
    X = INTERP_DEFINED | INTERP_INEXACT,
    S = INTERP_DEFINED | INTERP_SKIPPED,
    U = 0
};

#define LENGTH 3

static struct interp_tensor *tensor_of(const double *values,
                                       const unsigned *state)
{
    int64_t shape[] = {LENGTH};
    struct interp_tensor *t = interp_tensor_new(DTYPE_FLOAT32, 1, shape);
    unsigned flags = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        interp_tensor_set(t, i,
                          num_from_double(DTYPE_FLOAT32, values[i], &flags));
        t->state[i] = (uint8_t)(state == NULL ? D | INTERP_WRITTEN : state[i]);
    }
    return t;
}

// clang-format off
static const struct row {
    const char *label;
    double want[LENGTH];
    unsigned state[LENGTH];
    double have[LENGTH];
    bool inexact; /* the input */
    const char *says; /* NULL: not wrong */
    size_t worst;
} rows[] = {
    {"the same", {1, 2, 3}, {D, D, D}, {1, 2, 3}, false, NULL, 0},
    {"one differs", {1, 2, 3}, {D, D, D}, {1, 5, 3}, false, "1 of 3", 1},
    {"the larger of two", {1, 2, 3}, {D, D, D}, {2, 2, 9}, false, "2 of 3", 2},
    {"the first of two that are alike", {1, 2, 3}, {D, D, D}, {2, 3, 3}, false, "2 of 3", 0},
    {"NaN is furthest", {1, 2, 3}, {D, D, D}, {99, (double)NAN, 3}, false, "2 of 3", 1},
    {"one that rounded", {1, 2, 3}, {D, X, D}, {1, 5, 3}, false, NULL, 0},
    {"one beside it", {1, 2, 3}, {D, X, D}, {1, 5, 4}, false, "1 of 2", 2},
    {"one that is not computed", {1, 2, 3}, {D, S, D}, {1, 5, 3}, false, NULL, 0},
    {"one that is undefined", {1, 2, 3}, {D, U, D}, {1, 5, 3}, false, NULL, 0},
    {"an input that is not exact", {1, 2, 3}, {D, D, D}, {1, 5, 3}, true, NULL, 0},
};
// clang-format on

static void test_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        const struct row *row = &rows[i];
        struct interp_arg want = {.tensor = tensor_of(row->want, row->state)};
        struct interp_arg have = {.tensor = tensor_of(row->have, NULL)};
        struct drift_case c = {
            .want = &want, .out = &have, .exact = !row->inexact};
        size_t output = 0;
        struct drift_question q = {.nsamples = 0};
        struct drift_study s = {.q = &q,
                                .ncases = 1,
                                .cases = &c,
                                .noutputs = 1,
                                .outputs = &output};
        struct drift_answer a = {.arena = arena_new()};
        bool wrong = drift_judge_exact(&s, &a);
        if (wrong != (row->says != NULL) ||
            (wrong && (a.outcome != DRIFT_WRONG ||
                       strncmp(a.reason, row->says, strlen(row->says)) != 0 ||
                       a.stats.worst_element != row->worst)))
            fail_msg("%s: %s", row->label, wrong ? a.reason : "not wrong");
        arena_free(a.arena);
        interp_tensor_free(want.tensor);
        interp_tensor_free(have.tensor);
    }
}

/* An element among plain numbers is shown, though one among special ones may be
 * further off, wherever these come. */
static void test_plain_first(void **state)
{
    static const double is[LENGTH] = {1, 2, 3};
    static const double plain[LENGTH] = {1, 4, 3};
    static const double odd[LENGTH] = {(double)NAN, 2, 3};
    (void)state;
    for (size_t at = 0; at < 2; at++) {
        struct interp_arg want = {.tensor = tensor_of(is, NULL)};
        struct interp_arg have[2] = {
            {.tensor = tensor_of(at == 0 ? plain : odd, NULL)},
            {.tensor = tensor_of(at == 1 ? plain : odd, NULL)}};
        struct drift_case c[2] = {
            {.want = &want, .out = &have[0], .exact = true},
            {.want = &want, .out = &have[1], .exact = true}};
        struct drift_sample samples[2] = {{.probe = at != 0},
                                          {.probe = at != 1}};
        struct drift_question q = {.nsamples = 2, .samples = samples};
        size_t output = 0;
        struct drift_study s = {.q = &q,
                                .ncases = 2,
                                .cases = c,
                                .noutputs = 1,
                                .outputs = &output};
        struct drift_answer a = {.arena = arena_new()};
        assert_true(drift_judge_exact(&s, &a));
        assert_int_equal(a.stats.worst_sample, at);
        assert_int_equal(a.stats.worst_element, 1);
        arena_free(a.arena);
        interp_tensor_free(want.tensor);
        interp_tensor_free(have[0].tensor);
        interp_tensor_free(have[1].tensor);
    }
}

/* Of pairs of values: whether NaN or infinity is on one side alone, and whether
 * no tolerance lets the difference pass. */
static void test_infinite(void **state)
{
    static const struct {
        double want, have;
        size_t nan, inf;
        bool endless;
    } pairs[] = {
        {1, 2, 0, 0, false},
        {1, (double)NAN, 1, 0, true},
        {(double)NAN, 1, 1, 0, true},
        {1, (double)INFINITY, 0, 1, true},
        {-(double)INFINITY, 1, 0, 1, true},
        {(double)INFINITY, -(double)INFINITY, 0, 0, true},
        {(double)INFINITY, (double)NAN, 1, 0, true},
        {(double)INFINITY, (double)INFINITY, 0, 0, false},
        {(double)NAN, (double)NAN, 0, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(pairs); i++) {
        double want[LENGTH] = {1, pairs[i].want, 1};
        double have[LENGTH] = {1, pairs[i].have, 1};
        struct interp_tensor *w = tensor_of(want, NULL);
        struct interp_tensor *h = tensor_of(have, NULL);
        struct drift_stats s;
        memset(&s, 0, sizeof s);
        drift_stats_add(&s, 0, 0, w, h);
        bool both = isinf(pairs[i].want) && isinf(pairs[i].have);
        if (s.nan_one_side != pairs[i].nan ||
            (!both && s.inf_one_side != pairs[i].inf) ||
            isinf(s.atol) != pairs[i].endless ||
            s.ulp[DRIFT_NULP - 1] != pairs[i].endless || !isfinite(s.max_abs))
            fail_msg("pair %zu: %zu, %zu, %g", i, s.nan_one_side,
                     s.inf_one_side, s.atol);
        interp_tensor_free(w);
        interp_tensor_free(h);
    }
}

/* Below the smallest normal number, where the target says that it flushes. */
static void test_flushed(void **state)
{
    static const struct {
        const char *label;
        unsigned bits, may, base; /* the width of the toggle; 0: none */
        double want, have;
        bool flushed;
    } cases[] = {
        {"as a choice", 32, 32, 0, 0x1p-127, 0, true},
        {"always", 32, 0, 32, 0x1p-127, 0, true},
        {"not declared", 32, 0, 0, 0x1p-127, 0, false},
        {"of the other width alone", 32, 16, 16, 0x1p-127, 0, false},
        {"the largest subnormal number", 32, 32, 0, 0x1.fffffcp-127, 0, true},
        {"the smallest normal number", 32, 32, 0, 0x1p-126, 0, false},
        {"negative", 32, 32, 0, -0x1p-149, -0.0, true},
        {"not to zero", 32, 32, 0, 0x1p-127, 0x1p-128, false},
        {"half", 16, 16, 0, 0x1.ff8p-15, 0, true},
        {"the smallest normal half", 16, 16, 0, 0x1p-14, 0, false},
        {"half under the other toggle", 16, 32, 32, 0x1p-15, 0, false},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct drift_declared d = {0};
        struct dtype t =
            cases[i].bits == 16 ? dtype_make(DT_FLOAT, 16, 1) : DTYPE_FLOAT32;
        unsigned flags = 0;
        uint64_t want = num_from_double(t, cases[i].want, &flags);
        uint64_t have = num_from_double(t, cases[i].have, &flags);
        assert_false(flags & NUM_INEXACT);
        d.may[NUM_T_FLUSH_HALF] = cases[i].may == 16;
        d.may[NUM_T_FLUSH_SINGLE] = cases[i].may == 32;
        d.base.set[NUM_T_FLUSH_HALF] = cases[i].base == 16;
        d.base.set[NUM_T_FLUSH_SINGLE] = cases[i].base == 32;
        if (drift_is_flushed(&d, t, want, have) != cases[i].flushed)
            fail_msg("%s", cases[i].label);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_plain_first),
        cmocka_unit_test(test_infinite),
        cmocka_unit_test(test_flushed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
