/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of verdicts can fail: verdicts are put into its hands, wrong ones
 * among them, and it must tell them apart.
 *
 * A row is an untuned and a tuned value of one element, and a verdict with its
 * assumptions. What is expected follows from what the verdict claims (docs/
 * verdicts.md): 0 * w is 0 only for finite w, x + 0 loses the sign of a zero,
 * max(a, b) is not max(b, a) for a NaN, another rounding is no other order.
 */
#include "fuzz/gen_check.h"
#include "tests/test.h"

#include <string.h>

#define CUBE "A[i] * A[i] * A[i]"

static const struct row {
    const char *label, *untuned, *tuned;
    enum mutate_kind kind;
    enum report_verdict verdict;
    unsigned assumptions;
    bool wrong;
} rows[] = {
    {"0 * w under finite", "B[i] + T.Mul(" CUBE ", T.float32(0))", "B[i]",
     MUTATE_DROP_TERM, REPORT_ORDER_ONLY, INTERP_FINITE, false},
    {"0 * w without it", "B[i] + T.Mul(" CUBE ", T.float32(0))", "B[i]",
     MUTATE_DROP_TERM, REPORT_ORDER_ONLY, 0, true},
    {"0 * w under non-NaN alone", "B[i] + T.Mul(" CUBE ", T.float32(0))",
     "B[i]", MUTATE_DROP_TERM, REPORT_ORDER_ONLY, INTERP_NON_NAN, false},
    {"0 * w as identical", "B[i] + T.Mul(" CUBE ", T.float32(0))", "B[i]",
     MUTATE_DROP_TERM, REPORT_IDENTICAL, INTERP_FINITE, true},
    {"x + 0 in another order", "A[i]", "T.Add(A[i], T.float32(0))",
     MUTATE_DROP_PREDICATE, REPORT_ORDER_ONLY, 0, false},
    {"x + 0 as identical", "A[i]", "T.Add(A[i], T.float32(0))",
     MUTATE_DROP_PREDICATE, REPORT_IDENTICAL, 0, true},
    {"max of a NaN under non-NaN", "T.max(" CUBE " - " CUBE ", B[i])",
     "T.max(B[i], " CUBE " - " CUBE ")", MUTATE_DROP_PREDICATE,
     REPORT_ORDER_ONLY, INTERP_NON_NAN, false},
    {"max of a NaN without it", "T.max(" CUBE " - " CUBE ", B[i])",
     "T.max(B[i], " CUBE " - " CUBE ")", MUTATE_DROP_PREDICATE,
     REPORT_ORDER_ONLY, 0, true},
    {"another value as identical", "A[i]", "A[i] + T.float32(1)",
     MUTATE_SIGN_FLIP, REPORT_IDENTICAL, 0, true},
    {"another value as order-only", "A[i]", "A[i] + T.float32(1)",
     MUTATE_SIGN_FLIP, REPORT_ORDER_ONLY, 0, true},
    {"another value under everything", "A[i]", "A[i] + T.float32(1)",
     MUTATE_SIGN_FLIP, REPORT_ORDER_ONLY,
     INTERP_FINITE | INTERP_NON_NAN | INTERP_IN_RANGE, true},
    {"another value as algebraic", "A[i]", "A[i] + T.float32(1)",
     MUTATE_SIGN_FLIP, REPORT_ALGEBRAIC, INTERP_FINITE, true},
    {"another value as precision", "A[i]", "A[i] + T.float32(1)",
     MUTATE_SIGN_FLIP, REPORT_PRECISION, INTERP_FINITE, true},
    {"a run may miss it", "A[i]", "A[i] + T.float32(1)", MUTATE_SIGN_FLIP,
     REPORT_AGREES, 0, false},
    {"a finding is no claim of equality", "A[i]", "A[i] + T.float32(1)",
     MUTATE_SIGN_FLIP, REPORT_DIFFERENT, 0, false},
    {"terms in another order, indices changed", "(A[i] + B[i]) + A[0]",
     "A[i] + (B[i] + A[0])", MUTATE_SWAP_INDICES, REPORT_ORDER_ONLY, 0, false},
    {"terms in another order, though no order was changed",
     "(A[i] + B[i]) + A[0]", "A[i] + (B[i] + A[0])", MUTATE_DROP_PREDICATE,
     REPORT_ORDER_ONLY, 0, true},
    {"a narrow value as precision", "A[i]",
     "T.Cast(\"float32\", T.Cast(\"float16\", A[i]))", MUTATE_NARROW_VALUE,
     REPORT_PRECISION, 0, false},
    {"a narrow value as order-only", "A[i]",
     "T.Cast(\"float32\", T.Cast(\"float16\", A[i]))", MUTATE_NARROW_VALUE,
     REPORT_ORDER_ONLY, 0, true},
    {"a narrow value as algebraic", "A[i]",
     "T.Cast(\"float32\", T.Cast(\"float16\", A[i]))", MUTATE_NARROW_VALUE,
     REPORT_ALGEBRAIC, 0, true},
    {"another real function that rounds", "T.exp(A[i])",
     "T.exp(A[i]) * T.float32(1.001)", MUTATE_SWAP_INDICES, REPORT_ALGEBRAIC,
     INTERP_FINITE, true},
    {"a fault", "A[i]", "A[i + 1]", MUTATE_SHIFT_INDEX, REPORT_ORDER_ONLY,
     INTERP_FINITE, true},
    {"no verdict", "A[i]", "A[i]", MUTATE_SHIFT_INDEX, REPORT_NVERDICTS, 0,
     true},
};

static struct ir_module *module_of(const char *value)
{
    struct buf text = {0};
    buf_printf(&text,
               "@T.prim_func(s_tir=True)\n"
               "def main(A: T.Buffer((32,), \"float32\"), B: T.Buffer((32,), "
               "\"float32\"), C: T.Buffer((32,), \"float32\")):\n"
               "    for i in range(32):\n"
               "        C[i] = %s\n",
               value);
    struct ir_module *m = ir_read(buf_text(&text), text.len, "row", NULL);
    if (!m || !ir_wellformed(m, NULL))
        fail_msg("not read: %s", value);
    buf_fini(&text);
    return m;
}

static void pair_init(struct gen_pair *pair, const char *untuned,
                      const char *tuned)
{
    memset(pair, 0, sizeof *pair);
    pair->untuned = module_of(untuned);
    pair->tuned = module_of(tuned);
}

static const char *judge(const struct gen_pair *pair,
                         const enum mutate_kind *kind,
                         const struct gen_claimed *claimed)
{
    struct gen_reference reference;
    gen_reference_init(&reference, pair->untuned);
    struct gen_truth truth = gen_find_truth(&reference, pair->tuned);
    bool apart = gen_needs_apart(claimed, &truth) &&
                 gen_find_apart(&reference, pair->tuned);
    gen_reference_fini(&reference);
    return gen_judge(claimed, pair, kind, &truth, apart);
}

static void mutants_are_judged(void **state)
{
    const struct row *row = *state;
    const struct gen_claimed claimed = {row->verdict, row->assumptions, false,
                                        false};
    struct gen_pair pair;
    pair_init(&pair, row->untuned, row->tuned);
    const char *fault = judge(&pair, &row->kind, &claimed);
    if ((fault != NULL) != row->wrong)
        fail_msg("%s", fault ? fault : "nothing is found");
    gen_pair_fini(&pair);
}

/* Right pairs: a refusal is wrong, and so is a pair that differs. */
static void right_pairs_are_judged(void **state)
{
    (void)state;
    static const struct {
        const char *tuned;
        enum report_verdict verdict;
        bool contradiction, wrong;
    } cases[] = {
        {"B[i] + A[i]", REPORT_IDENTICAL, false, false},
        {"B[i] + A[i]", REPORT_AGREES, false, false},
        {"B[i] + A[i]", REPORT_UNKNOWN, false, false},
        {"B[i] + A[i]", REPORT_UNKNOWN, true, true},
        {"B[i] + A[i]", REPORT_DIFFERENT, false, true},
        {"B[i] + A[i]", REPORT_UNSAFE, false, true},
        {"B[i] + A[i]", REPORT_PRECISION, false, true},
        {"B[i] - A[i]", REPORT_AGREES, false, true},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        const struct gen_claimed claimed = {cases[i].verdict, 0,
                                            cases[i].contradiction, false};
        struct gen_pair pair;
        pair_init(&pair, "A[i] + B[i]", cases[i].tuned);
        const char *fault = judge(&pair, NULL, &claimed);
        if ((fault != NULL) != cases[i].wrong)
            fail_msg("row %zu: %s", i, fault ? fault : "nothing is found");
        gen_pair_fini(&pair);
    }
}

/* From the modules to the judgement, with the verdict that there is. */
static void verdicts_are_asked_for(void **state)
{
    (void)state;
    enum mutate_kind kind = MUTATE_SIGN_FLIP;
    struct gen_pair pair;
    pair_init(&pair, "A[i] + B[i]", "A[i] - B[i]");
    assert_true(gen_check_verdict(0, &pair, pair.tuned, &kind, 0));
    assert_false(gen_check_verdict(0, &pair, pair.tuned, NULL, 0));
    gen_pair_fini(&pair);
}

/* Keyed domains asked directly, whatever runs say. */
static void keyed_domains_are_asked(void **state)
{
    (void)state;
    static const struct {
        const char *untuned, *tuned;
        size_t claims;
        bool identical, answers;
    } cases[] = {
        {"A[i] + B[i]", "B[i] + A[i]", GEN_NKEYED, true, true},
        {"(A[i] + B[i]) + A[0]", "A[i] + (B[i] + A[0])", GEN_NKEYED - 1, false,
         true},
        {"A[i] + B[i]", "A[i] - B[i]", 0, false, true},
        /* equality would be claimed for these addresses alone */
        {"A[T.Cast(\"int32\", B[i]) % 32]", "A[T.Cast(\"int32\", B[i]) % 32]",
         0, false, false},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct gen_claimed claims[GEN_NKEYED];
        struct gen_keyed keyed;
        struct gen_pair pair;
        size_t answers;
        pair_init(&pair, cases[i].untuned, cases[i].tuned);
        gen_keyed_init(&keyed, &pair);
        size_t n = gen_keyed_claims(&keyed, pair.tuned, claims, &answers);
        assert_int_equal(n, cases[i].claims);
        assert_int_equal(answers > 0, cases[i].answers);
        assert_int_equal(n > 0 && claims[0].verdict == REPORT_IDENTICAL,
                         cases[i].identical);
        gen_keyed_fini(&keyed);
        gen_pair_fini(&pair);
    }
}

#define NROWS DC_ARRAY_LEN(rows)

int main(void)
{
    struct CMUnitTest tests[NROWS + 3] = {
        cmocka_unit_test(right_pairs_are_judged),
        cmocka_unit_test(verdicts_are_asked_for),
        cmocka_unit_test(keyed_domains_are_asked),
    };
    for (size_t i = 0; i < NROWS; i++) {
        tests[i + 3].name = rows[i].label;
        tests[i + 3].test_func = mutants_are_judged;
        tests[i + 3].initial_state = (void *)(uintptr_t)&rows[i];
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
