/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict when no input has shown a finding (diff/engine/conclude.c), and when a
 * proof and runs contradict each other (diff/engine/proof.c): one row a condition.
 * Counts and what keyed runs said are given, no program runs.
 */
#include "diff/engine/engine.h"
#include "tests/test.h"

#include <string.h>

/* ---- a pair of nothing but counts ------------------------------------------------ */

struct made {
    struct arena *arena;
    struct report *report;
    struct diff_options options;
    struct report_pair out;
    struct diff_pair pair;
};

static void made_init(struct made *m, const struct diff_tally *tally)
{
    char program[] = "diffcheck", a[] = "t", b[] = "u";
    char *argv[] = {program, a, b};
    memset(m, 0, sizeof *m);
    m->arena = arena_new();
    m->report = report_new();
    assert_true(diff_options_parse(3, argv, m->arena, &m->options, NULL));
    m->out.function = "main";
    m->pair.options = &m->options;
    m->pair.report = m->report;
    m->pair.out = &m->out;
    m->pair.arena = m->report->arena;
    m->pair.tally = *tally;
}

static void made_fini(struct made *m)
{
    report_free(m->report);
    arena_free(m->arena);
}

static bool list_says(const struct report_list *list, const char *text)
{
    for (size_t i = 0; i < list->n; i++)
        if (strstr(list->items[i], text))
            return true;
    return false;
}

/* ---- verdicts ---------------------------------------------------------------------- */

// clang-format off
#define NONE {.elements = 0}
#define RUN      .inputs = {[INTERP_FILL_EXACT] = 3}
#define KEYED(v) .verdict = v, .log2_error = -60

static const struct row {
    const char *label;
    struct diff_tally tally;
    struct diff_prints prints;
    enum report_verdict verdict;
    enum report_evidence evidence;
    const char *says; /* in the reason */
    const char *also; /* in a warning, a note or an assumption; NULL: nothing */
    bool contradiction;
} rows[] = {
    {"nothing was run", NONE, {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN,
     REPORT_NO_EVIDENCE, "no input could be run", NULL, false},
    {"nothing ended",
     {.unfinished = "the budget is used up", .fault = "a fault"},
     {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "the budget is used up", NULL, false},
    {"nothing is admissible", {.inadmissible = 5, .fault = "division by zero"},
     {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "faults on all 5 tried; division by zero", NULL, false},
    {"nothing but one number everywhere",
     {.inputs = {[INTERP_FILL_LOWEST] = 2}, .inadmissible = 5, .fault = "race"},
     {KEYED(REPORT_IDENTICAL)}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE, "race",
     NULL, false},
    {"nothing but special values",
     {.corners = 2, .spikes = 3, .inadmissible = 5, .fault = "race"},
     {KEYED(REPORT_IDENTICAL)}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE, "race",
     NULL, false},
    {"a fault in a keyed run", {RUN},
     {KEYED(REPORT_IDENTICAL), .fault = true, .refused = "race here"},
     REPORT_UNKNOWN, REPORT_NO_EVIDENCE, "race here", NULL, false},
    {"the same bits", {RUN}, {KEYED(REPORT_IDENTICAL)}, REPORT_IDENTICAL,
     REPORT_FINGERPRINT, "laws that hold bit for bit", NULL, false},
    {"the same bits, but for what was run", {RUN},
     {KEYED(REPORT_IDENTICAL), .restricted = "sizes are symbolic"},
     REPORT_AGREES, REPORT_RUN, "3 inputs (3 exact): equal bits",
     "sizes are symbolic", false},
    {"the same bits, and bits differ", {RUN, .differing = 1},
     {KEYED(REPORT_IDENTICAL)}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "internal contradiction", NULL, true},
    {"the same bits, and one is NaN", {RUN, .one_sided = 1},
     {KEYED(REPORT_IDENTICAL)}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "internal contradiction", "NaN or infinity on one side alone", true},
    {"the same bits, and zeros differ", {RUN, .zero_signs = 1},
     {KEYED(REPORT_IDENTICAL)}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "internal contradiction", "zeros of different sign", true},
    {"another order", {RUN, .differing = 4, .elements = 9, .max_ulp = 2},
     {KEYED(REPORT_ORDER_ONLY), .assumptions = INTERP_NON_NAN},
     REPORT_ORDER_ONLY, REPORT_FINGERPRINT,
     "bits differ on 4 of 9 elements, by rounding (at most 2 ulp)", "non-NaN",
     false},
    {"another order, one side NaN", {RUN, .one_sided = 1},
     {KEYED(REPORT_ORDER_ONLY)}, REPORT_ORDER_ONLY, REPORT_FINGERPRINT,
     "the order in which", "NaN or infinity on one side alone", false},
    {"another order, undecided by enclosures", {RUN, .undecided_diff = 1},
     {KEYED(REPORT_ORDER_ONLY)}, REPORT_ORDER_ONLY, REPORT_FINGERPRINT,
     "the order in which", NULL, false},
    {"another order, but for what was run", {RUN},
     {KEYED(REPORT_ORDER_ONLY), .restricted = "sizes are symbolic"},
     REPORT_AGREES, REPORT_RUN, "equal bits on all of them",
     "sizes are symbolic", false},
    {"the same real functions", {RUN}, {KEYED(REPORT_ALGEBRAIC)},
     REPORT_ALGEBRAIC, REPORT_FINGERPRINT, "as real functions", NULL, false},
    {"other types", {RUN}, {KEYED(REPORT_PRECISION)}, REPORT_PRECISION,
     REPORT_FINGERPRINT, "conversions between floating types are left out",
     NULL, false},
    {"other types, for what was run", {RUN},
     {KEYED(REPORT_PRECISION), .restricted = "sizes are symbolic"},
     REPORT_PRECISION, REPORT_FINGERPRINT, "conversions between floating types",
     NULL, false},
    {"nothing by keyed runs", {RUN}, {.verdict = REPORT_UNKNOWN}, REPORT_AGREES,
     REPORT_RUN, "equal bits on all of them", "keyed runs show no equality",
     false},
    {"no keyed runs", {RUN},
     {.verdict = REPORT_UNKNOWN, .refused = "a call of 'f'"}, REPORT_AGREES,
     REPORT_RUN, "equal bits", "no keyed runs: a call of 'f'", false},
    {"bits that enclosures do not judge, on one input",
     {RUN, .undecided_diff = 1, .max_ulp = 7, .no_interval = "no intervals"},
     {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "(at most 7 ulp) on 1 inputs", "no intervals", false},
    {"NaN on one side of one input that nothing explains",
     {RUN, .unexplained = 1}, {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN,
     REPORT_NO_EVIDENCE, "NaN or infinity on one side alone on 1 inputs", NULL,
     false},
    {"bits that enclosures do not judge",
     {RUN, .undecided_diff = 2, .max_ulp = 7, .no_interval = "no intervals"},
     {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "(at most 7 ulp) on 2 inputs", "no intervals", false},
    {"NaN on one side that nothing explains", {RUN, .unexplained = 2},
     {.verdict = REPORT_UNKNOWN}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE,
     "NaN or infinity on one side alone on 2 inputs", NULL, false},
    {"bits that differ by rounding", {RUN, .differing = 1, .elements = 5},
     {.verdict = REPORT_UNKNOWN}, REPORT_AGREES, REPORT_RUN,
     "1 of 5 elements, by rounding", NULL, false},
    {"NaN on one side, far from there", {RUN, .one_sided = 1},
     {.verdict = REPORT_UNKNOWN}, REPORT_AGREES, REPORT_RUN,
     "equal bits but for the warnings below",
     "NaN or infinity on one side alone in 1 elements", false},
    {"NaN where its laws fail", {RUN, .corners = 1, .odd = 1},
     {.verdict = REPORT_UNKNOWN}, REPORT_AGREES, REPORT_RUN,
     "4 inputs (3 exact, 1 with special values)",
     "on 1 input with NaN or infinities results differ", false},
    {"what atomics leave open", {RUN, .unsettled = 6, .atomics = true},
     {.verdict = REPORT_UNKNOWN}, REPORT_AGREES, REPORT_RUN, "3 inputs",
     "6 output elements hang on the order of atomic updates", false},
};
// clang-format on

static void row_run(void **state)
{
    const struct row *row = *state;
    struct made m;
    made_init(&m, &row->tally);
    diff_conclude(&m.pair, &row->prints);
    if (m.out.verdict != row->verdict || m.out.evidence != row->evidence ||
        !strstr(m.out.reason, row->says))
        fail_msg("%s: %s", report_verdict_name(m.out.verdict), m.out.reason);
    assert_int_equal(m.pair.contradiction, row->contradiction);
    if (row->also != NULL)
        assert_true(list_says(&m.out.warnings, row->also) ||
                    list_says(&m.out.notes, row->also) ||
                    list_says(&m.out.assumptions, row->also));
    made_fini(&m);
}

/* What an equality of bits takes for granted is nothing. */
static void assumptions_go_with_the_claim(void **state)
{
    static const struct {
        enum report_verdict verdict;
        unsigned assumptions;
        size_t n;
    } table[] = {
        {REPORT_IDENTICAL, INTERP_NON_NAN, 0},
        {REPORT_ORDER_ONLY, INTERP_NON_NAN, 1},
        {REPORT_ORDER_ONLY, INTERP_NON_NAN | INTERP_FINITE | INTERP_IN_RANGE,
         3},
        {REPORT_ALGEBRAIC, INTERP_GENERIC, 1},
        {REPORT_PRECISION, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        const struct diff_tally tally = {RUN};
        const struct diff_prints prints = {KEYED(table[i].verdict),
                                           .assumptions = table[i].assumptions};
        struct made m;
        made_init(&m, &tally);
        diff_conclude(&m.pair, &prints);
        assert_int_equal(m.out.assumptions.n, table[i].n);
        made_fini(&m);
    }
}

static void only_usual_inputs_count_as_run(void **state)
{
    static const bool usual[INTERP_FILL_INDEX + 1] = {
        [INTERP_FILL_EXACT] = true, [INTERP_FILL_RANDOM] = true,
        [INTERP_FILL_UNIT] = true,  [INTERP_FILL_BOUNDARY] = true,
        [INTERP_FILL_RANGE] = true, [INTERP_FILL_INDEX] = true};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(usual); i++) {
        struct diff_tally tally = {.corners = 1, .spikes = 1};
        struct made m;
        tally.inputs[i] = 1;
        made_init(&m, &tally);
        assert_int_equal(diff_was_run(&m.pair), usual[i]);
        made_fini(&m);
    }
}

/* ---- proofs against runs --------------------------------------------------------------- */

// clang-format off
static const struct contradiction {
    const char *label;
    enum verifier_verdict proof;
    enum diff_finding_kind kind;
    struct diff_tally tally;
    bool contradicts;
} contradictions[] = {
    {"identical, nothing", VERIFIER_IDENTICAL, DIFF_NOTHING, NONE, false},
    {"identical, a value", VERIFIER_IDENTICAL, DIFF_VALUE, NONE, true},
    {"identical, an enclosure", VERIFIER_IDENTICAL, DIFF_ENCLOSURE, NONE, true},
    {"identical, one side NaN", VERIFIER_IDENTICAL, DIFF_SIDED, NONE, true},
    {"identical, undefined", VERIFIER_IDENTICAL, DIFF_UNDEFINED, NONE, true},
    {"identical, a fault", VERIFIER_IDENTICAL, DIFF_FAULT, NONE, true},
    {"identical, rounding", VERIFIER_IDENTICAL, DIFF_NOTHING, {.differing = 1},
     true},
    {"identical, NaN", VERIFIER_IDENTICAL, DIFF_NOTHING, {.one_sided = 1},
     true},
    {"identical, zeros", VERIFIER_IDENTICAL, DIFF_NOTHING, {.zero_signs = 1},
     true},
    {"order-only, nothing", VERIFIER_ORDER_ONLY, DIFF_NOTHING, NONE, false},
    {"order-only, rounding", VERIFIER_ORDER_ONLY, DIFF_NOTHING,
     {.differing = 1, .one_sided = 1, .zero_signs = 1}, false},
    {"order-only, a value", VERIFIER_ORDER_ONLY, DIFF_VALUE, NONE, true},
    {"order-only, an enclosure", VERIFIER_ORDER_ONLY, DIFF_ENCLOSURE, NONE,
     true},
    {"order-only, one side NaN", VERIFIER_ORDER_ONLY, DIFF_SIDED, NONE, false},
    {"order-only, undefined", VERIFIER_ORDER_ONLY, DIFF_UNDEFINED, NONE, true},
    {"order-only, a fault", VERIFIER_ORDER_ONLY, DIFF_FAULT, NONE, true},
    {"precision, a value", VERIFIER_PRECISION, DIFF_VALUE, NONE, true},
    {"precision, one side NaN", VERIFIER_PRECISION, DIFF_SIDED, NONE, false},
};
// clang-format on

static void contradiction_run(void **state)
{
    const struct contradiction *row = *state;
    const struct verifier_result proof = {.verdict = row->proof,
                                          .reason = "proved"};
    const struct diff_finding finding = {.kind = row->kind};
    struct made m;
    made_init(&m, &row->tally);
    assert_int_equal(diff_contradicts(&m.pair, &proof, &finding),
                     row->contradicts);
    m.out.reason = "the runs' own";
    diff_give_contradiction(&m.pair, &proof);
    assert_true(m.pair.contradiction);
    assert_int_equal(m.out.verdict, REPORT_UNKNOWN);
    assert_int_equal(m.out.evidence, REPORT_NO_EVIDENCE);
    assert_true(list_says(&m.out.notes, "the runs' own"));
    assert_true(list_says(&m.out.notes, "proved"));
    made_fini(&m);
}

/* What comes first of the kinds of findings. */
static void faults_come_before_differences(void **state)
{
    (void)state;
    assert_true(diff_is_unsafe(DIFF_FAULT));
    assert_true(diff_is_unsafe(DIFF_UNDEFINED));
    assert_false(diff_is_unsafe(DIFF_VALUE));
    assert_false(diff_is_unsafe(DIFF_ENCLOSURE));
    assert_false(diff_is_unsafe(DIFF_SIDED));
    assert_false(diff_is_unsafe(DIFF_NOTHING));
}

#define ADD(list, function)                                                   \
    for (size_t i = 0; i < DC_ARRAY_LEN(list); i++) {                         \
        tests[n].name = list[i].label;                                        \
        tests[n].test_func = function;                                        \
        tests[n++].initial_state = (void *)(uintptr_t)(const void *)&list[i]; \
    }

int main(void)
{
    struct CMUnitTest
        tests[DC_ARRAY_LEN(rows) + DC_ARRAY_LEN(contradictions) + 3] = {
            cmocka_unit_test(assumptions_go_with_the_claim),
            cmocka_unit_test(only_usual_inputs_count_as_run),
            cmocka_unit_test(faults_come_before_differences),
        };
    size_t n = 3;
    ADD(rows, row_run)
    ADD(contradictions, contradiction_run)
    return _cmocka_run_group_tests("conclude", tests, n, NULL, NULL);
}
