/* SPDX-License-Identifier: Apache-2.0
 *
 * What two runs show, element by element (diff/engine/judge.c): one row a condition.
 * Values and states are given, no program runs.
 */
#include "diff/engine/engine.h"
#include "tests/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    D = INTERP_DEFINED,
    X = INTERP_DEFINED | INTERP_INEXACT,
    S = INTERP_DEFINED | INTERP_SKIPPED,
    U = 0 /* undefined */
};

/* An element of both sides. */
struct pair {
    double u, t;
    unsigned su, st;
};

/* ---- runs --------------------------------------------------------------------------- */

#define MAX_OUTPUTS 2

struct runs {
    struct diff_run run[NSIDES];
    struct interp_tensor *tensor[NSIDES][MAX_OUTPUTS];
    struct diff_case c;
    bool compared[MAX_OUTPUTS];
};

static struct interp_tensor *tensor_of(struct dtype t, const struct pair *e,
                                       size_t n, size_t side)
{
    int64_t shape[1] = {(int64_t)n};
    struct interp_tensor *x = interp_tensor_new(t, 1, shape);
    unsigned flags = 0;
    for (size_t i = 0; i < n; i++) {
        double value = side == UNTUNED ? e[i].u : e[i].t;
        interp_tensor_set(x, i, num_from_double(t, value, &flags));
        x->state[i] = (uint8_t)(side == UNTUNED ? e[i].su : e[i].st);
    }
    return x;
}

/* Outputs of n elements each, all of one type. */
static void runs_init(struct runs *r, struct dtype t, const struct pair *e,
                      size_t n, size_t outputs)
{
    memset(r, 0, sizeof *r);
    for (size_t side = 0; side < NSIDES; side++) {
        for (size_t i = 0; i < outputs; i++)
            r->tensor[side][i] = tensor_of(t, e + i * n, n, side);
        r->run[side].outputs = r->tensor[side];
        r->run[side].noutputs = outputs;
    }
    for (size_t i = 0; i < MAX_OUTPUTS; i++)
        r->compared[i] = true;
    r->c.compared = r->compared;
}

static void runs_fini(struct runs *r)
{
    for (size_t side = 0; side < NSIDES; side++)
        for (size_t i = 0; i < MAX_OUTPUTS; i++)
            interp_tensor_free(r->tensor[side][i]);
}

/* ---- one element ---------------------------------------------------------------------- */

// clang-format off
static const struct row {
    const char *label;
    const char *type;
    struct pair e;
    bool nonzero;              /* no input is a zero */
    bool control[NSIDES];      /* rounded */
    enum diff_finding_kind kind;
    uint64_t elements, equal, differing, sided, zeros, undefined;
    bool sided_exact, sided_finite; /* of the first that is sided */
} rows[] = {
    {"equal", "float32", {1, 1, D, D}, false, {false, false}, DIFF_NOTHING, 1,
     1, 0, 0, 0, 0, false, false},
    {"equal, but rounded untuned", "float32", {1, 1, X, D}, false,
     {false, false}, DIFF_NOTHING, 1, 0, 0, 0, 0, 0, false, false},
    {"equal, but rounded tuned", "float32", {1, 1, D, X}, false,
     {false, false}, DIFF_NOTHING, 1, 0, 0, 0, 0, 0, false, false},
    {"different", "float32", {1, 2, D, D}, false, {false, false}, DIFF_VALUE, 1,
     0, 0, 0, 0, 0, false, false},
    {"different integers", "int32", {1, 2, D, D}, false, {false, false},
     DIFF_VALUE, 1, 0, 0, 0, 0, 0, false, false},
    {"different, rounded untuned", "float32", {1, 2, X, D}, false,
     {false, false}, DIFF_NOTHING, 1, 0, 1, 0, 0, 0, false, false},
    {"different, rounded tuned", "float32", {1, 2, D, X}, false, {false, false},
     DIFF_NOTHING, 1, 0, 1, 0, 0, 0, false, false},
    {"different, control rounded untuned", "float32", {1, 2, D, D}, false,
     {true, false}, DIFF_NOTHING, 1, 0, 1, 0, 0, 0, false, false},
    {"different, control rounded tuned", "int32", {1, 2, D, D}, false,
     {false, true}, DIFF_NOTHING, 1, 0, 1, 0, 0, 0, false, false},
    {"not computed untuned", "float32", {1, 2, S, D}, false, {false, false},
     DIFF_NOTHING, 0, 0, 0, 0, 0, 0, false, false},
    {"not computed tuned", "float32", {1, 2, D, S}, false, {false, false},
     DIFF_NOTHING, 0, 0, 0, 0, 0, 0, false, false},
    {"not computed, undefined tuned", "float32", {1, 2, S, U}, false,
     {false, false}, DIFF_NOTHING, 0, 0, 0, 0, 0, 0, false, false},
    {"undefined untuned", "float32", {1, 2, U, D}, false, {false, false},
     DIFF_NOTHING, 0, 0, 0, 0, 0, 1, false, false},
    {"undefined on both sides", "float32", {1, 2, U, U}, false, {false, false},
     DIFF_NOTHING, 0, 0, 0, 0, 0, 1, false, false},
    {"undefined tuned", "float32", {1, 1, D, U}, false, {false, false},
     DIFF_UNDEFINED, 0, 0, 0, 0, 0, 0, false, false},
    {"undefined tuned, rounded untuned", "float32", {1, 1, X, U}, false,
     {false, false}, DIFF_UNDEFINED, 0, 0, 0, 0, 0, 0, false, false},
    {"NaN on both sides", "float32", {(double)NAN, (double)NAN, D, D}, false, {false, false},
     DIFF_NOTHING, 1, 1, 0, 0, 0, 0, false, false},
    {"NaN tuned", "float32", {1, (double)NAN, D, D}, true, {false, false}, DIFF_NOTHING,
     1, 0, 0, 1, 0, 0, true, true},
    {"NaN untuned, rounded", "float32", {(double)NAN, 1, X, D}, true, {false, false},
     DIFF_NOTHING, 1, 0, 0, 1, 0, 0, false, true},
    {"NaN against infinity", "float32", {(double)NAN, (double)INFINITY, D, D}, true,
     {false, false}, DIFF_NOTHING, 1, 0, 0, 1, 0, 0, true, false},
    {"infinity tuned, no zero in the input", "float32", {1, (double)INFINITY, D, D},
     true, {false, false}, DIFF_VALUE, 1, 0, 0, 0, 0, 0, false, false},
    {"infinity tuned, zeros in the input", "float32", {1, (double)INFINITY, D, D},
     false, {false, false}, DIFF_NOTHING, 1, 0, 0, 1, 0, 0, true, true},
    {"infinity tuned, rounded", "float32", {1, (double)INFINITY, D, X}, true,
     {false, false}, DIFF_NOTHING, 1, 0, 0, 1, 0, 0, false, true},
    {"zeros of two signs", "float32", {0.0, -0.0, D, D}, true, {false, false},
     DIFF_NOTHING, 1, 0, 0, 0, 1, 0, false, false},
    {"zero against the least", "float32", {0.0, 0x1p-149, D, D}, true,
     {false, false}, DIFF_VALUE, 1, 0, 0, 0, 0, 0, false, false},
};
// clang-format on

static struct dtype type_of(const char *text)
{
    struct dtype t;
    assert_true(dtype_parse(text, &t));
    return t;
}

static void row_run(void **state)
{
    const struct row *row = *state;
    struct runs r;
    struct diff_tally t = {0};
    runs_init(&r, type_of(row->type), &row->e, 1, 1);
    for (size_t side = 0; side < NSIDES; side++)
        r.run[side].result.control_inexact = row->control[side];
    struct diff_judgement j = diff_judge_bits(&t, &r.c, r.run, row->nonzero);
    assert_int_equal(j.kind, row->kind);
    assert_int_equal(t.elements, row->elements);
    assert_int_equal(t.exact_equal, row->equal);
    assert_int_equal(t.differing, row->differing);
    assert_int_equal(t.one_sided, row->sided);
    assert_int_equal(t.zero_signs, row->zeros);
    assert_int_equal(t.undefined, row->undefined);
    assert_int_equal(j.nsided, row->sided);
    assert_int_equal(j.rounding, row->differing > 0);
    if (row->sided > 0) {
        assert_int_equal(j.sided[0].exact, row->sided_exact);
        assert_int_equal(j.sided[0].finite, row->sided_finite);
    }
    assert_int_equal(diff_judge_one(r.run, row->nonzero, 0, 0), row->kind);
    runs_fini(&r);
}

/* ---- several elements ------------------------------------------------------------------- */

// clang-format off
static const struct many {
    const char *label;
    struct pair e[4]; /* two outputs of two */
    bool second_only; /* the first output is not compared */
    enum diff_finding_kind kind;
    size_t output, element;
} manies[] = {
    {"the first of two differences",
     {{1, 1, D, D}, {1, 2, D, D}, {1, 2, D, D}, {1, 1, D, D}},
     false, DIFF_VALUE, 0, 1},
    {"an undefined element after a difference",
     {{1, 2, D, D}, {1, 1, D, U}, {1, 1, D, D}, {1, 1, D, D}},
     false, DIFF_UNDEFINED, 0, 1},
    {"an undefined element of another output",
     {{1, 2, D, D}, {1, 1, D, D}, {1, 1, D, D}, {1, 1, D, U}},
     false, DIFF_UNDEFINED, 1, 1},
    {"a skipped element after a difference",
     {{1, 2, D, D}, {1, 1, S, U}, {1, 1, D, D}, {1, 1, D, D}},
     false, DIFF_VALUE, 0, 0},
    {"undefined on both sides after a difference",
     {{1, 2, D, D}, {1, 1, U, U}, {1, 1, D, D}, {1, 1, D, D}},
     false, DIFF_VALUE, 0, 0},
    {"a difference behind rounding",
     {{1, 2, X, X}, {1, 1, D, D}, {1, 2, D, D}, {1, 1, D, D}},
     false, DIFF_VALUE, 1, 0},
    {"the first rounding difference",
     {{1, 1, X, X}, {1, 2, X, X}, {1, 3, X, X}, {1, 1, D, D}},
     false, DIFF_NOTHING, 0, 1},
    {"an output that nothing stores to",
     {{1, 2, D, D}, {1, 1, D, U}, {1, 1, D, D}, {1, 1, D, D}},
     true, DIFF_NOTHING, 0, 0},
};
// clang-format on

static void many_run(void **state)
{
    const struct many *row = *state;
    struct runs r;
    struct diff_tally t = {0};
    runs_init(&r, DTYPE_FLOAT32, row->e, 2, 2);
    r.compared[0] = !row->second_only;
    struct diff_judgement j = diff_judge_bits(&t, &r.c, r.run, true);
    assert_int_equal(j.kind, row->kind);
    if (j.kind != DIFF_NOTHING || j.rounding) {
        assert_int_equal(j.output, row->output);
        assert_int_equal(j.element, row->element);
    }
    runs_fini(&r);
}

static void exact_runs_are_counted(void **state)
{
    (void)state;
    const struct pair exact[2] = {{1, 1, D, D}, {2, 2, D, D}};
    const struct pair rounded[2] = {{1, 1, D, D}, {2, 2, D, X}};
    struct runs r;
    struct diff_tally t = {0};
    runs_init(&r, DTYPE_FLOAT32, exact, 2, 1);
    assert_false(diff_judge_bits(&t, &r.c, r.run, true).inexact);
    assert_int_equal(t.exact_runs, 1);
    runs_fini(&r);
    runs_init(&r, DTYPE_FLOAT32, rounded, 2, 1);
    assert_true(diff_judge_bits(&t, &r.c, r.run, true).inexact);
    assert_int_equal(t.exact_runs, 1);
    runs_fini(&r);
}

static void the_largest_distance_is_kept(void **state)
{
    (void)state;
    const struct pair e[2] = {{1, 1 + 0x1p-21, X, X}, {1, 1 + 0x1p-23, X, X}};
    struct runs r;
    struct diff_tally t = {0};
    runs_init(&r, DTYPE_FLOAT32, e, 2, 1);
    (void)diff_judge_bits(&t, &r.c, r.run, true);
    assert_int_equal(t.max_ulp, 4);
    runs_fini(&r);
}

/* Outputs of Relax functions are the module's own. */
static void outputs_of_another_kind_differ(void **state)
{
    (void)state;
    const struct pair e[4] = {
        {1, 1, D, D}, {1, 1, D, D}, {1, 1, D, D}, {1, 1, D, D}};
    for (unsigned k = 0; k < 4; k++) {
        struct runs r;
        struct diff_tally t = {0};
        size_t at;
        runs_init(&r, DTYPE_FLOAT32, e, 2, 2);
        r.run[UNTUNED].relax = r.run[TUNED].relax = true;
        assert_true(diff_same_outputs(r.run, &at));
        if (k == 0)
            r.run[TUNED].noutputs = 1;
        if (k == 1)
            r.run[TUNED].outputs[1]->dtype = DTYPE_INT32;
        if (k == 2)
            r.run[TUNED].outputs[1]->shape[0] = 3;
        if (k == 3)
            r.run[TUNED].outputs[1]->elements = 1;
        assert_false(diff_same_outputs(r.run, &at));
        assert_int_equal(at, 1);
        assert_int_equal(diff_judge_bits(&t, &r.c, r.run, true).kind,
                         DIFF_VALUE);
        runs_fini(&r);
    }
}

/* ---- inputs with NaN and infinities ------------------------------------------------------ */

// clang-format off
static const struct odd {
    const char *label;
    struct pair ieee, lenient;
    bool sided; /* may count */
    enum diff_finding_kind kind;
    bool apart; /* in ieee at all */
} odds[] = {
    {"a difference both times", {1, (double)NAN, D, D}, {2, (double)NAN, D, D}, false,
     DIFF_VALUE, true},
    {"numbers that differ both times", {1, 2, D, D}, {1, 2, D, D}, false,
     DIFF_VALUE, true},
    {"none where NaN obeys the laws", {1, (double)NAN, D, D}, {1, 1, D, D}, true,
     DIFF_NOTHING, true},
    {"none on numbers", {1, 1, D, D}, {1, 2, D, D}, true, DIFF_NOTHING, false},
    {"rounded", {1, 2, X, D}, {1, 2, D, D}, true, DIFF_NOTHING, true},
    {"rounded there", {1, 2, D, D}, {1, 2, D, X}, true, DIFF_NOTHING, true},
    {"zeros of two signs", {0.0, -0.0, D, D}, {0.0, -0.0, D, D}, true,
     DIFF_NOTHING, false},
    {"one side a number, rounded", {1, (double)NAN, X, D}, {1, (double)NAN, X, D}, true,
     DIFF_SIDED, true},
    {"one side a number, which may not count", {1, (double)NAN, X, D}, {1, (double)NAN, X, D},
     false, DIFF_NOTHING, true},
    {"one side a number, but not there", {1, (double)NAN, X, D}, {1, 1, X, D}, true,
     DIFF_NOTHING, true},
    {"NaN against infinity, rounded", {(double)INFINITY, (double)NAN, X, D},
     {(double)INFINITY, (double)NAN, X, D}, true, DIFF_NOTHING, true},
    {"not computed", {1, (double)NAN, S, D}, {1, (double)NAN, S, D}, true, DIFF_NOTHING, false},
    {"undefined untuned", {1, (double)NAN, U, D}, {1, (double)NAN, U, D}, true, DIFF_NOTHING,
     false},
};
// clang-format on

static void odd_run(void **state)
{
    const struct odd *row = *state;
    struct runs a, b;
    size_t output, element;
    runs_init(&a, DTYPE_FLOAT32, &row->ieee, 1, 1);
    runs_init(&b, DTYPE_FLOAT32, &row->lenient, 1, 1);
    assert_int_equal(diff_any_apart(&a.c, a.run), row->apart);
    assert_int_equal(
        diff_judge_lenient(&a.c, a.run, b.run, row->sided, &output, &element),
        row->kind);
    a.run[TUNED].result.control_inexact = true;
    if (row->kind == DIFF_VALUE) /* rounding reached control */
        assert_int_equal(
            diff_judge_lenient(&a.c, a.run, b.run, false, &output, &element),
            DIFF_NOTHING);
    a.compared[0] = false;
    assert_false(diff_any_apart(&a.c, a.run));
    assert_int_equal(
        diff_judge_lenient(&a.c, a.run, b.run, row->sided, &output, &element),
        DIFF_NOTHING);
    runs_fini(&a);
    runs_fini(&b);
}

/* ---- enclosures ---------------------------------------------------------------------------- */

#define NOTHING                                   \
    {                                             \
        (double)INFINITY, -(double)INFINITY, true \
    }
// clang-format off
static const struct box {
    const char *label;
    struct num_interval u, t;
    unsigned su, st;
    const char *type;
    bool apart, bounded; /* else nothing is counted as shown */
} boxes[] = {
    {"apart", {1, 2, false}, {3, 4, false}, D, D, "float32", true, true},
    {"apart the other way", {3, 4, false}, {1, 2, false}, D, D, "float32", true,
     true},
    {"one number in common", {1, 3, false}, {3, 4, false}, D, D, "float32",
     false, true},
    {"one in the other", {1, 4, false}, {2, 3, false}, D, D, "float32", false,
     true},
    {"apart, rounded", {1, 2, false}, {3, 4, false}, X, X, "float32", true,
     true},
    {"no number untuned", NOTHING, {3, 4, false}, D, D, "float32", true, true},
    {"no number tuned", {3, 4, false}, NOTHING, D, D, "float32", true, true},
    {"no number on both sides", NOTHING, NOTHING, D, D, "float32", false,
     false},
    {"no number, or perhaps none", NOTHING, {3, 4, true}, D, D, "float32",
     false, false},
    {"not bounded", {-(double)INFINITY, 2, false}, {1, 3, false}, D, D, "float32",
     false, false},
    {"not bounded tuned", {1, 3, false}, {1, (double)INFINITY, false}, D, D, "float32",
     false, false},
};
// clang-format on

static void box_run(void **state)
{
    const struct box *row = *state;
    const struct pair e = {1, 1, row->su, row->st};
    const struct diff_judgement bits = {.nsided = 1};
    struct runs r;
    struct diff_tally t = {0};
    runs_init(&r, type_of(row->type), &e, 1, 1);
    for (size_t side = 0; side < NSIDES; side++) {
        interp_tensor_to_box(r.tensor[side][0]);
        r.tensor[side][0]->box[0].range = side == UNTUNED ? row->u : row->t;
    }
    struct diff_judgement j = diff_judge_boxes(&t, &r.c, r.run, &bits);
    assert_int_equal(j.kind, row->apart ? DIFF_ENCLOSURE : DIFF_NOTHING);
    assert_int_equal(diff_boxes_apart(r.run, 0, 0), row->apart);
    assert_int_equal(t.enclosed, row->apart ? 0 : 1);
    assert_int_equal(t.unbounded, row->apart || row->bounded ? 0 : 1);
    /* what has no bounds does not explain NaN on one side alone */
    bool nothing = row->u.lo > row->u.hi || row->t.lo > row->t.hi;
    if (!nothing)
        assert_int_equal(j.unexplained, !row->bounded);
    for (unsigned k = 0; k < 3; k++) {
        if (k < 2)
            r.tensor[k][0]->state[0] = k == 0 ? S : U;
        else
            r.compared[0] = false;
        t = (struct diff_tally){0};
        assert_int_equal(diff_judge_boxes(&t, &r.c, r.run, &bits).kind,
                         DIFF_NOTHING);
        assert_int_equal(t.enclosed, 0);
        if (k < 2)
            assert_false(diff_boxes_apart(r.run, 0, 0));
        if (k < 2)
            r.tensor[k][0]->state[0] = D;
    }
    runs_fini(&r);
}

#define ADD(list, function)                                                   \
    for (size_t i = 0; i < DC_ARRAY_LEN(list); i++) {                         \
        tests[n].name = list[i].label;                                        \
        tests[n].test_func = function;                                        \
        tests[n++].initial_state = (void *)(uintptr_t)(const void *)&list[i]; \
    }

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + DC_ARRAY_LEN(manies) +
                            DC_ARRAY_LEN(odds) + DC_ARRAY_LEN(boxes) + 3] = {
        cmocka_unit_test(exact_runs_are_counted),
        cmocka_unit_test(the_largest_distance_is_kept),
        cmocka_unit_test(outputs_of_another_kind_differ),
    };
    size_t n = 3;
    ADD(rows, row_run)
    ADD(manies, many_run)
    ADD(odds, odd_run)
    ADD(boxes, box_run)
    return _cmocka_run_group_tests("judge", tests, n, NULL, NULL);
}
