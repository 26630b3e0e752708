/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line parser: which lines are understood and how, which are
 * refused with which code, exit status policy, and near misses.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/engine/properties.h"
#include "diff/input/words.h"
#include "tests/test.h"

#include <string.h>

#define MAX_WORDS 10

static const struct {
    const char *words[MAX_WORDS];
    const char *code; /* of the first diagnostic; NULL: accepted */
} lines[] = {
    {{"a", "b"}, NULL},
    {{"compare", "a", "b"}, NULL},
    {{"--seed", "3", "compare", "a", "b"}, NULL},
    {{"a", "--seed=3", "b", "-j4"}, NULL},
    {{"-", "b"}, NULL},
    {{"--", "--odd", "b"}, NULL},
    {{"a", "b", "--assume", "n:-5..7"}, NULL},
    {{"a", "b", "--assume", "x:y:0..0"}, NULL},
    {{"a", "b", "--assume", "x:distinct"}, NULL},
    {{"lint", "m", "--assume", "x:sorted", "--barriers=explicit"}, NULL},
    {{"run", "m", "--assume", "x:permutation"}, NULL},
    {{"prove", "a", "b", "--barriers", "implied"}, NULL},
    {{"a", "b", "--format", "json=-", "--format=text=f"}, NULL},
    {{"a", "b", "--fail-on", "agrees,drift"}, NULL},
    {{"a", "b", "--targets", "all"}, NULL},
    {{"a", "b", "--targets", "gcc-fma,qemu"}, NULL},
    {{"a", "b", "--targets", "none"}, NULL},
    {{"a", "b", "--require-target", "farm", "--runner", "farm=x y"}, NULL},
    {{"a", "b", "--fail-on", "within-bound,explained"}, NULL},
    {{"a", "b", "--allow", "wrong,error"}, NULL},
    {{"targets", "--json", "-j2", "--cache", "d"}, NULL},
    {{"--help"}, NULL},
    {{"show", "m", "--json", "--era", "D"}, NULL},
    {{"a"}, "usage.operands"},
    {{"a", "b", "c"}, "usage.operands"},
    {{"show"}, "usage.operands"},
    {{"-", "-"}, "usage.stdin"},
    {{"a", "b", "--sed", "3"}, "usage.option"},
    {{"a", "b", "--era", "D"}, "usage.option"},
    {{"a", "b", "-x"}, "usage.option"},
    {{"a", "b", "--seed"}, "usage.value"},
    {{"show", "m", "--json=1"}, "usage.value"},
    {{"a", "b", "--seed", "0x3"}, "usage.number"},
    {{"a", "b", "--seed", ""}, "usage.number"},
    {{"a", "b", "--seed", "+3"}, "usage.number"},
    {{"a", "b", "--seed", "18446744073709551616"}, "usage.number"},
    {{"a", "b", "--budget", "0"}, "usage.number"},
    {{"run", "a", "--arithmetic", "half=never"}, "usage.arithmetic"},
    {{"a", "b", "--assume", "n"}, "usage.assume"},
    {{"a", "b", "--assume", "n:1..0"}, "usage.assume"},
    {{"a", "b", "--assume", ":1..2"}, "usage.assume"},
    {{"a", "b", "--assume", "n:1...2"}, "usage.assume"},
    {{"a", "b", "--assume", ":distinct"}, "usage.assume"},
    {{"a", "b", "--assume", "x:unique"}, "usage.assume"},
    {{"a", "b", "--barriers", "none"}, "usage.word"},
    {{"show", "m", "--barriers", "explicit"}, "usage.option"},
    {{"a", "b", "--shape", "n=-1"}, "usage.shape"},
    {{"a", "b", "--shape", "=1"}, "usage.shape"},
    {{"run", "m", "--in", "x"}, "usage.in"},
    {{"a", "b", "--format", "xml"}, "usage.format"},
    {{"a", "b", "--format", "json="}, "usage.format"},
    {{"a", "b", "--fail-on", "agrees,"}, "usage.verdict"},
    {{"a", "b", "--allow", "drift"}, "usage.verdict"},
    {{"a", "b", "--targets", "x86"}, "usage.targets"},
    {{"a", "b", "--targets", "gcc-fma,"}, "usage.targets"},
    {{"a", "b", "--targets", ""}, "usage.targets"},
    {{"a", "b", "--targets", "none,all"}, "usage.targets"},
    {{"a", "b", "--require-target", "farm"}, "usage.targets"},
    {{"a", "b", "--runner", "farm"}, "usage.runner"},
    {{"a", "b", "--runner", "=x"}, "usage.runner"},
    {{"a", "b", "--runner", "f= "}, "usage.runner"},
    {{"a", "b", "--runner", "gcc-fma=x"}, "usage.runner"},
    {{"a", "b", "--runner", "f=x", "--runner", "f=y"}, "usage.runner"},
    {{"a", "b", "--time-limit", "0"}, "usage.number"},
    {{"a", "b", "--cache-size", "0"}, "usage.number"},
    {{"a", "b", "--cache-size", "1G"}, "usage.number"},
    {{"targets", "x"}, "usage.operands"},
    {{"a", "b", "--color", ""}, "usage.word"},
    {{"show", "m", "--era", "A"}, "usage.word"},
};

static bool parse(const char *const *words, struct arena *arena,
                  struct diff_options *out, struct diag_sink *sink)
{
    char *argv[MAX_WORDS + 1];
    int argc = 1;
    argv[0] = arena_strdup(arena, "/bin/diffcheck");
    while (argc <= MAX_WORDS && words[argc - 1]) {
        argv[argc] = arena_strdup(arena, words[argc - 1]);
        argc++;
    }
    return diff_options_parse(argc, argv, arena, out, sink);
}

static void lines_are_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(lines); i++) {
        struct arena *arena = arena_new();
        struct diag_sink *sink = diag_sink_new();
        struct diff_options o;
        bool fine = parse(lines[i].words, arena, &o, sink);
        if (fine != !lines[i].code)
            fail_msg("line %zu (%s …)", i, lines[i].words[0]);
        if (!fine) {
            assert_true(diag_count(sink) > 0);
            assert_string_equal(diag_at(sink, 0)->code, lines[i].code);
        }
        diag_sink_free(sink);
        arena_free(arena);
    }
}

static void values_arrive(void **state)
{
    (void)state;
    static const char *const words[MAX_WORDS] = {
        "t",          "--assume=i:0..9",
        "u",          "--shape",
        "n=17",       "--shape",
        "m=5",        "--seed=18446744073709551615",
        "--budget=7", NULL};
    struct arena *arena = arena_new();
    struct diff_options o;
    assert_true(parse(words, arena, &o, NULL));
    assert_string_equal(o.program, "diffcheck");
    assert_string_equal(o.command->name, "compare");
    assert_false(o.named);
    assert_int_equal(o.noperands, 2);
    assert_string_equal(o.operands[0], "t");
    assert_string_equal(o.operands[1], "u");
    assert_int_equal(o.nassumes, 1);
    assert_string_equal(o.assumes[0].name, "i");
    assert_int_equal(o.assumes[0].lo, 0);
    assert_int_equal(o.assumes[0].hi, 9);
    assert_int_equal(o.nshapes, 2);
    assert_string_equal(o.shapes[1].name, "m");
    assert_int_equal(o.shapes[1].value, 5);
    assert_true(o.seed == UINT64_MAX);
    assert_int_equal(o.budget, 7);
    assert_int_equal(o.nformats, 1);
    assert_string_equal(o.formats[0].writer->name, "text");
    arena_free(arena);
}

static void contracts_arrive(void **state)
{
    (void)state;
    static const char *const words[MAX_WORDS] = {
        "t", "u", "--assume=x:distinct", "--assume=x:sorted",
        "--barriers=explicit"};
    static const char *const last[MAX_WORDS] = {"t", "u", "--barriers=explicit",
                                                "--barriers=implied"};
    struct arena *arena = arena_new();
    struct diff_options o;
    assert_true(parse(words, arena, &o, NULL));
    assert_true(o.explicit_barriers);
    assert_int_equal(o.nproperties, 2);
    assert_string_equal(o.properties[1].name, "x");
    assert_int_equal(diff_property_find(&o, "x"), DIFF_DISTINCT | DIFF_SORTED);
    assert_int_equal(diff_property_find(&o, "y"), 0);
    assert_int_equal(o.nassumes, 0);
    assert_true(parse(last, arena, &o, NULL));
    assert_false(o.explicit_barriers);
    arena_free(arena);
}

static const struct {
    const char *words[MAX_WORDS];
    enum report_verdict verdict;
    enum report_evidence evidence;
    int exit;
} policies[] = {
    {{"t", "u"}, REPORT_UNSAFE, REPORT_RUN, 1},
    {{"t", "u"}, REPORT_DIFFERENT, REPORT_RUN, 1},
    {{"t", "u"}, REPORT_PRECISION, REPORT_PROOF, 1},
    {{"t", "u"}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE, 4},
    {{"t", "u"}, REPORT_AGREES, REPORT_RUN, 0},
    {{"t", "u"}, REPORT_ORDER_ONLY, REPORT_PROOF, 0},
    {{"t", "u"}, REPORT_IDENTICAL, REPORT_PROOF, 0},
    {{"t", "u", "--allow", "precision"}, REPORT_PRECISION, REPORT_PROOF, 0},
    {{"t", "u", "--allow", "unknown"}, REPORT_UNKNOWN, REPORT_NO_EVIDENCE, 0},
    {{"t", "u", "--fail-on", "agrees"}, REPORT_AGREES, REPORT_RUN, 1},
    {{"t", "u", "--require", "proof"}, REPORT_AGREES, REPORT_RUN, 4},
    {{"t", "u", "--require", "proof"}, REPORT_IDENTICAL, REPORT_PROOF, 0},
    {{"t", "u", "--require", "run"}, REPORT_AGREES, REPORT_RUN, 0},
    {{"t", "u", "--require", "proof"}, REPORT_UNSAFE, REPORT_RUN, 1},
};

static void policy_sets_the_exit(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(policies); i++) {
        struct arena *arena = arena_new();
        struct diff_options o;
        struct report_pair pair = {.verdict = policies[i].verdict,
                                   .evidence = policies[i].evidence};
        assert_true(parse(policies[i].words, arena, &o, NULL));
        if (diff_exit_of(&o, &pair) != policies[i].exit)
            fail_msg("policy %zu: exit %d, wanted %d", i,
                     diff_exit_of(&o, &pair), policies[i].exit);
        arena_free(arena);
    }
}

static void strict_ieee_minds_assumptions(void **state)
{
    (void)state;
    static const char *const words[MAX_WORDS] = {"t", "u", "--strict-ieee"};
    struct arena *arena = arena_new();
    struct report *r = report_new();
    struct diff_options o;
    struct report_pair pair = {.verdict = REPORT_ORDER_ONLY,
                               .evidence = REPORT_PROOF};
    assert_true(parse(words, arena, &o, NULL));
    assert_int_equal(diff_exit_of(&o, &pair), 0);
    report_add(r, &pair.assumptions, "non-NaN");
    assert_int_equal(diff_exit_of(&o, &pair), 1);
    report_free(r);
    arena_free(arena);
}

static void exits_rank(void **state)
{
    (void)state;
    static const int order[] = {0, 4, 1, 2, 3}; /* better to worse */
    for (size_t i = 0; i < DC_ARRAY_LEN(order); i++) {
        for (size_t k = 0; k < DC_ARRAY_LEN(order); k++)
            assert_int_equal(report_exit_worst(order[i], order[k]),
                             order[i > k ? i : k]);
    }
}

static void near_names(void **state)
{
    (void)state;
    static const char *const names[] = {"budget", "seed", "shape"};
    assert_string_equal(diff_nearest("buget", 3, names), "budget");
    assert_string_equal(diff_nearest("shpae", 3, names), "shape");
    assert_null(diff_nearest("verbose", 3, names));
}

static void json_is_seen_on_any_line(void **state)
{
    (void)state;
    char a[] = "x", b[] = "--format", c[] = "json", d[] = "--format=json",
         e[] = "--", f[] = "json=f";
    char *yes1[] = {a, b, c}, *yes2[] = {a, d}, *no1[] = {a, e, d},
         *no2[] = {a, b, f}, *no3[] = {a, b};
    assert_true(diff_options_want_json(3, yes1));
    assert_true(diff_options_want_json(2, yes2));
    assert_false(diff_options_want_json(3, no1));
    assert_false(diff_options_want_json(3, no2));
    assert_false(diff_options_want_json(2, no3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_judged),
        cmocka_unit_test(values_arrive),
        cmocka_unit_test(contracts_arrive),
        cmocka_unit_test(policy_sets_the_exit),
        cmocka_unit_test(strict_ieee_minds_assumptions),
        cmocka_unit_test(exits_rank),
        cmocka_unit_test(near_names),
        cmocka_unit_test(json_is_seen_on_any_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
