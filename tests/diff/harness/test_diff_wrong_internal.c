/* SPDX-License-Identifier: Apache-2.0
 *
 * When a target is wrong, and which of its two kernels counts: tables of
 * samples, what the interpreter has and what the target gave, by the
 * conditions at the head of diff/harness/outcome.c.
 */
#include "diff/harness/measure.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

enum {
    D = INTERP_DEFINED,
    X = INTERP_DEFINED | INTERP_INEXACT,
    S = INTERP_DEFINED | INTERP_SKIPPED,
    U = 0 /* undefined */
};

#define LENGTH 2
#define INPUTS 2

struct sample {
    double want[LENGTH];
    unsigned state[LENGTH];
    double have[LENGTH];
    enum interp_fill fill;
    bool unused;  /* the target has not run it */
    bool control; /* a condition rounded */
};

struct row {
    const char *label;
    const char *type;
    struct sample samples[INPUTS];
    const char *nan;   /* part of what is said of NaN; NULL: nothing */
    const char *wrong; /* part of what is wrong; NULL: nothing */
    bool input;        /* the parameter is not stored to */
    bool unsigned_zeros;
};

#define FREE INTERP_FILL_RANDOM

static const struct row rows[] = {
    {.label = "the same",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, D}, .have = {1, 2}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}},
     .wrong = NULL},
    {.label = "another value",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, D}, .have = {1, 2}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 5}}},
     .wrong = "C[1] is 5"},
    {.label = "another integer",
     .type = "int32",
     .samples = {{.want = {1, 2}, .state = {D, D}, .have = {1, 3}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}},
     .wrong = "C[1] is 3"},
    {.label = "where the interpreter rounded",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, X}, .have = {1, 3}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}}},
    {.label = "where it computed nothing",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, S}, .have = {1, 3}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}}},
    {.label = "where it is undefined",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, U}, .have = {1, 3}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}}},
    {.label = "behind a condition that rounded",
     .type = "float32",
     .samples =
         {{.want = {1, 2}, .state = {D, D}, .have = {1, 3}, .control = true},
          {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}}},
    {.label = "on an input that is not exact",
     .type = "float32",
     .samples =
         {{.want = {1, 2}, .state = {D, D}, .have = {1, 3}, .fill = FREE},
          {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}}},
    {.label = "on an input that the target has not run",
     .type = "float32",
     .samples =
         {{.want = {1, 2}, .state = {D, D}, .have = {1, 3}, .unused = true},
          {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}}},
    {.label = "in a parameter that is only read",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, D}, .have = {1, 3}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}},
     .input = true},
    {.label = "the sign of a zero",
     .type = "float32",
     .samples = {{.want = {1, 0.0}, .state = {D, D}, .have = {1, -0.0}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}},
     .wrong = "C[1] is -0"},
    {.label = "the sign of a zero where none is kept",
     .type = "float32",
     .samples = {{.want = {1, 0.0}, .state = {D, D}, .have = {1, -0.0}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}},
     .unsigned_zeros = true},
    {.label = "a zero for what is none",
     .type = "float32",
     .samples = {{.want = {1, 2}, .state = {D, D}, .have = {1, 0.0}},
                 {.want = {3, 4}, .state = {D, D}, .have = {3, 4}}},
     .unsigned_zeros = true,
     .wrong = "C[1] is 0"},
    {.label = "NaN everywhere",
     .type = "float32",
     .samples = {{.want = {1, 2},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {3, 4},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}},
     .nan = "on all 2 inputs; the interpreter has none on 2"},
    {.label = "NaN everywhere, exact",
     .type = "float32",
     .samples = {{.want = {1, 2},
                  .state = {D, D},
                  .have = {(double)NAN, (double)NAN}},
                 {.want = {3, 4},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN}}},
     .nan = "on all 2 inputs",
     .wrong = "every element of C is NaN"},
    {.label = "NaN on one of the inputs",
     .type = "float32",
     .samples =
         {{.want = {1, 2},
           .state = {X, X},
           .have = {(double)NAN, (double)NAN},
           .fill = FREE},
          {.want = {3, 4}, .state = {X, X}, .have = {3, 4}, .fill = FREE}}},
    {.label = "NaN on the only one that was run",
     .type = "float32",
     .samples = {{.want = {1, 2},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {3, 4},
                  .state = {X, X},
                  .have = {3, 4},
                  .fill = FREE,
                  .unused = true}},
     .nan = "on all 1 inputs; the interpreter has none on 1"},
    {.label = "NaN in one element",
     .type = "float32",
     .samples = {{.want = {1, 2},
                  .state = {X, X},
                  .have = {(double)NAN, 2},
                  .fill = FREE},
                 {.want = {3, 4},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}}},
    {.label = "NaN that the interpreter has, too",
     .type = "float32",
     .samples = {{.want = {(double)NAN, 2},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {(double)NAN, 4},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}}},
    {.label = "NaN that it has on one of them",
     .type = "float32",
     .samples = {{.want = {(double)NAN, 2},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {3, 4},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}},
     .nan = "none on 1 of them"},
    {.label = "NaN that it has where that does not count",
     .type = "float32",
     .samples = {{.want = {(double)NAN, 2},
                  .state = {U, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {3, (double)NAN},
                  .state = {X, S},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}},
     .nan = "none on 2 of them"},
    {.label = "NaN where nothing counts",
     .type = "float32",
     .samples = {{.want = {1, 2},
                  .state = {U, S},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {3, 4},
                  .state = {S, U},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}}},
    {.label = "NaN in a parameter that is only read",
     .type = "float32",
     .samples = {{.want = {1, 2},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE},
                 {.want = {3, 4},
                  .state = {X, X},
                  .have = {(double)NAN, (double)NAN},
                  .fill = FREE}},
     .input = true},
};

static struct interp_tensor *tensor_of(struct dtype t, const double *values,
                                       const unsigned *state)
{
    int64_t shape[1] = {LENGTH};
    struct interp_tensor *x = interp_tensor_new(t, 1, shape);
    unsigned flags = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        interp_tensor_set(x, i, num_from_double(t, values[i], &flags));
        x->state[i] = (uint8_t)(state == NULL ? D : state[i]);
    }
    return x;
}

static void says(const char *text, const char *part)
{
    if (part == NULL) {
        if (text != NULL)
            print_error("said: %s\n", text);
        assert_null(text);
        return;
    }
    assert_non_null(text);
    if (strstr(text, part) == NULL)
        print_error("said: %s\n", text);
    assert_non_null(strstr(text, part));
}

static void row_run(void **state)
{
    const struct row *row = *state;
    int64_t shape[1] = {LENGTH};
    struct dtype t;
    assert_true(dtype_parse(row->type, &t));
    struct interp_param param = {.name = "C",
                                 .is_tensor = true,
                                 .dtype = t,
                                 .rank = 1,
                                 .shape = shape,
                                 .stored = !row->input};
    struct diff_case c = {.sig = {{.nparams = 1, .params = &param},
                                  {.nparams = 1, .params = &param}}};
    struct diff_target target = {.unsigned_zeros = row->unsigned_zeros};
    struct diff_choice choice = {.arithmetic = &target};
    struct diff_sample samples[INPUTS];
    struct interp_arg want[INPUTS], have[INPUTS];
    struct diff_args args[INPUTS];
    bool used[INPUTS];
    memset(samples, 0, sizeof samples);
    memset(want, 0, sizeof want);
    memset(have, 0, sizeof have);
    for (size_t i = 0; i < INPUTS; i++) {
        const struct sample *s = &row->samples[i];
        want[i].tensor = tensor_of(t, s->want, s->state);
        have[i].tensor = tensor_of(t, s->have, NULL);
        args[i] = (struct diff_args){1, &have[i]};
        samples[i].c = &c;
        samples[i].recipe.fill = s->fill;
        samples[i].label = "an input";
        samples[i].want[TUNED] = (struct diff_args){1, &want[i]};
        samples[i].control_inexact[TUNED] = s->control;
        used[i] = !s->unused;
    }
    struct diff_measurement m = {.nsamples = INPUTS, .samples = samples};
    struct diff_measured measured = {
        .m = &m, .choice = &choice, .arena = arena_new(), .used = used};
    measured.have[TUNED] = args;
    says(diff_find_nan(&m, &measured, TUNED), row->nan);
    says(diff_find_wrong(&m, &measured, TUNED), row->wrong);
    arena_free(measured.arena);
    for (size_t i = 0; i < INPUTS; i++) {
        interp_tensor_free(want[i].tensor);
        interp_tensor_free(have[i].tensor);
    }
}

/* ---- both kernels of a target -------------------------------------------------------- */

struct sum_row {
    enum report_outcome tuned;
    const char *tuned_why;
    enum report_outcome untuned;
    const char *untuned_why;
    enum report_outcome want;
    const char *why;        /* NULL: none */
    const char *hypothesis; /* whose it is */
};

static const struct sum_row sums[] = {
    {REPORT_EXACT, NULL, REPORT_EXACT, NULL, REPORT_EXACT, NULL, "t"},
    {REPORT_WRONG, "a", REPORT_EXACT, NULL, REPORT_WRONG, "tuned module: a",
     "t"},
    {REPORT_EXACT, NULL, REPORT_WRONG, "b", REPORT_WRONG, "untuned module: b",
     "u"},
    {REPORT_EXPLAINED, "a", REPORT_DEVIATES, "b", REPORT_DEVIATES,
     "untuned module: b", "u"},
    {REPORT_UNEXPLAINED, "a", REPORT_ERROR, "b", REPORT_UNEXPLAINED,
     "tuned module: a", "t"},
    {REPORT_ERROR, "a", REPORT_WITHIN_BOUND, "b", REPORT_ERROR,
     "tuned module: a", "t"},
    {REPORT_WITHIN_BOUND, "a", REPORT_EXPLAINED, "b", REPORT_WITHIN_BOUND,
     "tuned module: a", "t"},
    {REPORT_EXPLAINED, "a", REPORT_EXPLAINED, "a", REPORT_EXPLAINED, "a", "t"},
    {REPORT_EXPLAINED, "a", REPORT_EXPLAINED, "b", REPORT_EXPLAINED,
     "tuned module: a", "t"},
    {REPORT_SKIPPED, "a", REPORT_EXACT, NULL, REPORT_EXACT,
     "untuned module; of the other one a", "u"},
    {REPORT_EXACT, NULL, REPORT_SKIPPED, "b", REPORT_EXACT,
     "tuned module; of the other one b", "t"},
    {REPORT_SKIPPED, "a", REPORT_SKIPPED, "a", REPORT_SKIPPED, "a", "t"},
    {REPORT_SKIPPED, "a", REPORT_WRONG, "b", REPORT_WRONG, "untuned module: b",
     "u"},
};

static void test_sums(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(sums); i++) {
        const struct sum_row *row = &sums[i];
        struct arena *arena = arena_new();
        struct report_target t = {.target = "gcc"};
        t.tuned = (struct report_kernel){
            .outcome = row->tuned, .reason = row->tuned_why, .hypothesis = "t"};
        t.untuned = (struct report_kernel){.outcome = row->untuned,
                                           .reason = row->untuned_why,
                                           .hypothesis = "u"};
        diff_sum_up(&t, arena);
        assert_int_equal(t.outcome, row->want);
        if (row->why == NULL)
            assert_null(t.reason);
        else
            assert_string_equal(t.reason, row->why);
        assert_string_equal(t.hypothesis, row->hypothesis);
        arena_free(arena);
    }
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 1] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct row *in;
            void *out;
        } row = {&rows[i]};
        tests[i].name = rows[i].label;
        tests[i].test_func = row_run;
        tests[i].initial_state = row.out;
    }
    tests[DC_ARRAY_LEN(rows)].name = "the worse of two kernels";
    tests[DC_ARRAY_LEN(rows)].test_func = test_sums;
    return _cmocka_run_group_tests("what is wrong", tests, DC_ARRAY_LEN(tests),
                                   NULL, NULL);
}
