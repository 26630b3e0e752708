/* SPDX-License-Identifier: Apache-2.0
 *
 * One faulty term of a reduction is found, whatever combines the terms,
 * however many there are, and wherever it stands (reduction_pair.h): by runs
 * alone, the prover left out, with default settings.
 *
 * With arguments: test_reductions COUNT [FIRST] runs so many pairs and prints
 * the share found by operation, fault, form and number of terms, and the pairs
 * that were missed; SEED: as "show SEED" prints both programs of one pair.
 */
#include "diff/diff.h"
#include "tests/cases/reduction_pair.h"

#include <stdlib.h>

#define SAMPLE (150u / TEST_ONE_IN(6))

static struct ir_module *red_module(const struct red_pair *p, bool tuned)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    red_put(p, tuned, &text);
    struct ir_module *m =
        ir_read(buf_text(&text), text.len, tuned ? "tuned" : "untuned", sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        print_error("%s\n%s\n", buf_text(&said), buf_text(&text));
        buf_fini(&said);
        exit(2);
    }
    buf_fini(&text);
    diag_sink_free(sink);
    return m;
}

static enum report_verdict verdict_of(const struct red_pair *p, bool proof)
{
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *t = red_module(p, true), *u = red_module(p, false);
    struct report *report = report_new();
    struct diff_options o;
    enum report_verdict worst = REPORT_UNKNOWN;
    char *argv[4];
    argv[0] = arena_strdup(arena, "diffcheck");
    argv[1] = arena_strdup(arena, "t.py");
    argv[2] = arena_strdup(arena, "u.py");
    argv[3] = arena_strdup(arena, "--no-proof");
    assert_true(diff_options_parse(proof ? 3 : 4, argv, arena, &o, NULL));
    diff_compare_modules(&o, t, u, report, sink);
    assert_true(report_worst(report, &worst));
    report_free(report);
    ir_module_free(t);
    ir_module_free(u);
    diag_sink_free(sink);
    arena_free(arena);
    return worst;
}

static bool is_found(enum report_verdict v)
{
    return v == REPORT_DIFFERENT || v == REPORT_UNSAFE;
}

/* Seeds 1 to SAMPLE; the same on every machine. */
static void faults_are_found(void **state)
{
    (void)state;
    unsigned missed = 0;
    for (uint64_t seed = 1; seed <= SAMPLE; seed++) {
        struct red_pair p = red_pair_of(seed);
        enum report_verdict v = verdict_of(&p, false);
        if (is_found(v))
            continue;
        struct buf text = {0};
        red_describe(&p, &text);
        print_error("%s: %s\n", buf_text(&text), report_verdict_name(v));
        buf_fini(&text);
        missed++;
    }
    assert_int_equal(missed, 0);
}

/* The same reductions without a fault: nothing is found. */
static void nothing_is_found_without_a_fault(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SAMPLE; seed++) {
        struct red_pair p = red_pair_of(seed);
        p.fault = RED_NONE;
        enum report_verdict v = verdict_of(&p, false);
        if (is_found(v) || v == REPORT_PRECISION) {
            struct buf text = {0};
            red_describe(&p, &text);
            fail_msg("%s: %s", buf_text(&text), report_verdict_name(v));
        }
    }
}

/* ---- by hand -------------------------------------------------------------------- */

struct share {
    unsigned found, all;
};

static void count(struct share *s, bool found)
{
    s->all++;
    s->found += found;
}

static void print_shares(const char *what, size_t n, const char *const *names,
                         const struct share *s)
{
    printf("%s\n", what);
    for (size_t i = 0; i < n; i++)
        if (s[i].all > 0)
            printf("  %-10s %6u of %6u  %6.2f %%\n", names[i], s[i].found,
                   s[i].all, 100.0 * s[i].found / s[i].all);
}

static int measure(uint64_t n, uint64_t first, bool proof)
{
    static const char *const sizes[] = {"4-15", "16-63", "64-255", "256-1023",
                                        "1024-4096"};
    struct share op[RED_NOPS] = {{0}}, form[RED_NFORMS] = {{0}};
    struct share fault[RED_NFAULTS] = {{0}}, size[5] = {{0}}, all = {0};
    for (uint64_t seed = first; seed < first + n; seed++) {
        struct red_pair p = red_pair_of(seed);
        enum report_verdict v = verdict_of(&p, proof);
        bool found = is_found(v);
        size_t s = p.terms < 16     ? 0
                   : p.terms < 64   ? 1
                   : p.terms < 256  ? 2
                   : p.terms < 1024 ? 3
                                    : 4;
        count(&op[p.op], found);
        count(&form[p.form], found);
        count(&fault[p.fault], found);
        count(&size[s], found);
        count(&all, found);
        if (!found) {
            struct buf text = {0};
            red_describe(&p, &text);
            printf("missed %s: %s\n", buf_text(&text), report_verdict_name(v));
            buf_fini(&text);
        }
    }
    print_shares("by operation", RED_NOPS, red_op_names, op);
    print_shares("by form", RED_NFORMS, red_form_names, form);
    print_shares("by fault", RED_NFAULTS, red_fault_names, fault);
    print_shares("by number of terms", DC_ARRAY_LEN(sizes), sizes, size);
    printf("all %u of %u, %.2f %%\n", all.found, all.all,
           100.0 * all.found / all.all);
    return 0;
}

static int show(uint64_t seed)
{
    struct red_pair p = red_pair_of(seed);
    struct buf text = {0};
    red_put(&p, true, &text);
    printf("%s", buf_text(&text));
    buf_fini(&text);
    red_put(&p, false, &text);
    printf("%s", buf_text(&text));
    buf_fini(&text);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_are_found),
        cmocka_unit_test(nothing_is_found_without_a_fault),
    };
    if (argc == 3 && strcmp(argv[1], "show") == 0)
        return show(strtoull(argv[2], NULL, 10));
    if (argc > 1)
        return measure(strtoull(argv[1], NULL, 10),
                       argc > 2 ? strtoull(argv[2], NULL, 10) : 1, argc > 3);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
