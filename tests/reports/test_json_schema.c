/* SPDX-License-Identifier: Apache-2.0
 *
 * The words that the published schema allows are those of the program: verdicts,
 * evidence, outcomes, exit statuses, rules. What is
 * written is held against the schema by tests/cli/cli_schema.sh.
 */
#include "interp/interp.h"
#include "ir/base/json.h"
#include "reports/reports.h"
#include "tests/test.h"

#include <string.h>

struct words VEC(const char *);

static struct json_doc *schema(void)
{
    static const char file[] = "reports/report.schema.json";
    struct buf text = {0};
    assert_true(file_read(file, 0, &text, NULL));
    struct json_doc *doc = json_parse(buf_text(&text), text.len, file, NULL);
    assert_non_null(doc);
    buf_fini(&text);
    return doc;
}

/* The words of $defs/NAME/enum are these, each once, in this order or in any. */
static void has_words(const char *name, const struct words *want, bool in_order)
{
    struct json_doc *doc = schema();
    const struct json_value *d = json_find(json_root(doc), "$defs");
    const struct json_value *m = json_find(json_find(d, name), "enum");
    size_t n = 0;
    assert_non_null(m);
    assert_int_equal(json_size(m), want->len);
    for (m = json_first(m); m != NULL; m = json_next(m), n++) {
        size_t found = 0;
        for (size_t i = 0; i < want->len; i++)
            found += (!in_order || i == n) &&
                     strcmp(want->items[i], json_string(m)) == 0;
        if (found != 1)
            fail_msg("'%s' of %s is no word of the program", json_string(m),
                     name);
    }
    json_free(doc);
}

static void verdicts(void **state)
{
    (void)state;
    struct words w = {0};
    for (size_t v = 0; v < REPORT_NVERDICTS; v++)
        vec_push(&w, report_verdict_name((enum report_verdict)v));
    has_words("verdict", &w, true);
    vec_fini(&w);
}

static void outcomes(void **state)
{
    (void)state;
    struct words w = {0};
    for (size_t o = 0; o < REPORT_NOUTCOMES; o++)
        vec_push(&w, report_outcome_name((enum report_outcome)o));
    has_words("outcome", &w, true);
    vec_fini(&w);
}

static void kinds_of_evidence(void **state)
{
    (void)state;
    struct words w = {0};
    for (int e = REPORT_NO_EVIDENCE; e <= REPORT_PROOF; e++)
        vec_push(&w, report_evidence_name((enum report_evidence)e));
    has_words("evidence", &w, true);
    vec_fini(&w);
}

static void exit_statuses(void **state)
{
    (void)state;
    struct json_doc *doc = schema();
    const struct json_value *m = json_find(
        json_find(json_find(json_root(doc), "$defs"), "exit"), "enum");
    int64_t want = REPORT_EXIT_NOTHING, got = -1;
    for (m = json_first(m); m != NULL; m = json_next(m), want++) {
        assert_true(json_int(m, &got, NULL));
        assert_int_equal(got, want);
    }
    assert_int_equal(got, REPORT_EXIT_UNDECIDED);
    json_free(doc);
}

static void add_once(struct words *w, const char *word)
{
    for (size_t i = 0; i < w->len; i++)
        if (strcmp(w->items[i], word) == 0)
            return;
    vec_push(w, word);
}

/* Every rule that a pair can get: of each verdict, with each fault, kind of
 * difference and outcome of a target, counted as a finding or left open. */
static void rules(void **state)
{
    (void)state;
    static const char *const kinds[] = {"value", "enclosure", "uninitialised"};
    struct arena *arena = arena_new();
    struct words w = {0};
    struct report_witness x = {0};
    struct report_target t = {.target = "x"};
    struct report_pair p = {.function = "f", .exit_code = REPORT_EXIT_FINDING};
    for (size_t v = 0; v < REPORT_NVERDICTS; v++) {
        p.verdict = (enum report_verdict)v;
        if (p.verdict != REPORT_DIFFERENT) /* which always has a witness */
            add_once(&w, report_rule(arena, &p));
    }
    p.witness = &x;
    p.verdict = REPORT_UNSAFE;
    for (size_t f = 0; f < INTERP_NFAULTS; f++) {
        if (!interp_is_fault((enum interp_fault_kind)f))
            continue;
        x.fault = interp_fault_name((enum interp_fault_kind)f);
        add_once(&w, report_rule(arena, &p));
    }
    p.verdict = REPORT_DIFFERENT;
    for (size_t k = 0; k < DC_ARRAY_LEN(kinds); k++) {
        x.kind = kinds[k];
        add_once(&w, report_rule(arena, &p));
    }
    p = (struct report_pair){.function = "f",
                             .verdict = REPORT_IDENTICAL,
                             .exit_code = REPORT_EXIT_FINDING,
                             .exit_because = "target x",
                             .ntargets = 1,
                             .targets = &t};
    for (size_t o = 0; o < REPORT_NOUTCOMES; o++) {
        t.outcome = (enum report_outcome)o;
        add_once(&w, report_rule(arena, &p));
    }
    p.ntargets = 0;
    p.exit_code = REPORT_EXIT_UNDECIDED;
    add_once(&w, report_rule(arena, &p));
    has_words("rule", &w, false);
    vec_fini(&w);
    arena_free(arena);
}

/* Those of the binding list of what users read. */
static void names_of_rules(void **state)
{
    (void)state;
    static const struct {
        enum interp_fault_kind fault;
        const char *rule;
    } want[] = {
        {INTERP_RACE, "unsafe/race"},
        {INTERP_OUT_OF_BOUNDS, "unsafe/out-of-bounds"},
        {INTERP_UNINITIALISED, "unsafe/uninitialised"},
        {INTERP_INDEX_OVERFLOW, "unsafe/overflow"},
        {INTERP_BARRIER_DIVERGENCE, "unsafe/divergence"},
        {INTERP_ASSERT, "unsafe/assertion"},
    };
    struct arena *arena = arena_new();
    for (size_t i = 0; i < DC_ARRAY_LEN(want); i++)
        assert_string_equal(
            report_fault_rule(arena, interp_fault_name(want[i].fault)),
            want[i].rule);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(kinds_of_evidence),
        cmocka_unit_test(exit_statuses),
        cmocka_unit_test(rules),
        cmocka_unit_test(names_of_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
