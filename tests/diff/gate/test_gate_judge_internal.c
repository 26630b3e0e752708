/* SPDX-License-Identifier: Apache-2.0
 *
 * What was accepted against what is found: places, causes, days, what is gone; and
 * which modules of two sides are one.
 */
#include "diff/gate/gate.h"
#include "tests/test.h"

#include <string.h>

static const char *rule_where(enum report_verdict verdict, const char *where,
                              struct report *r)
{
    struct report_witness *w = ARENA_NEW(r->arena, struct report_witness);
    *w = (struct report_witness){
        .kind = "fault", .fault = "race", .where = where, .line = 7};
    r->pairs = ARENA_NEW(r->arena, struct report_pair);
    r->pairs[0] = (struct report_pair){.function = "main",
                                       .verdict = verdict,
                                       .exit_code = REPORT_EXIT_FINDING,
                                       .reason = "because",
                                       .witness = w};
    r->npairs = 1;
    return report_fingerprint(r->arena, &r->pairs[0]);
}

static struct report *finding(enum report_verdict verdict, const char *where)
{
    struct report *r = report_new();
    (void)rule_where(verdict, where, r);
    r->exit_code = REPORT_EXIT_FINDING;
    return r;
}

/* One entry for the finding of r in "k/a.py". */
static struct gate_known entry_of(const struct report *r, const char *until)
{
    return (struct gate_known){.pair = "k/a.py",
                               .function = "main",
                               .rule = report_rule(r->arena, &r->pairs[0]),
                               .fingerprint =
                                   report_fingerprint(r->arena, &r->pairs[0]),
                               .verdict = r->pairs[0].verdict,
                               .reason = "so be it",
                               .until = until};
}

/* Judges `now` by an entry made of `then`. */
static void judge(const struct report *then, struct report *now,
                  const char *name, const char *until, const char *today,
                  bool unseen)
{
    struct gate_known_list known = {0};
    struct gate_case one = {name, now, unseen};
    vec_push(&known, entry_of(then, until));
    gate_judge(&known, today, 1, &one);
    vec_fini(&known);
}

static void same_cause_is_known(void **state)
{
    (void)state;
    struct report *then = finding(REPORT_UNSAFE, "B[i] = 0");
    struct report *now = finding(REPORT_UNSAFE, "B[i] = 0");
    now->pairs[0].witness->line = 99; /* elsewhere in the file */
    judge(then, now, "k/a.py", NULL, "2030-01-01", false);
    assert_non_null(now->pairs[0].known);
    assert_string_equal(now->pairs[0].known->reason, "so be it");
    assert_int_equal(now->pairs[0].exit_code, REPORT_EXIT_NOTHING);
    assert_int_equal(now->exit_code, REPORT_EXIT_NOTHING);
    /* what it is known by does not hang on being known */
    assert_string_equal(report_fingerprint(now->arena, &now->pairs[0]),
                        report_fingerprint(then->arena, &then->pairs[0]));
    report_free(then);
    report_free(now);
}

static void another_cause_or_place_is_not(void **state)
{
    (void)state;
    struct report *then = finding(REPORT_UNSAFE, "B[i] = 0");
    struct report *now = finding(REPORT_UNSAFE, "C[i] = 0");
    judge(then, now, "k/a.py", NULL, "2030-01-01", false);
    assert_null(now->pairs[0].known);
    assert_non_null(now->pairs[0].again);
    assert_false(now->pairs[0].expired);
    assert_int_equal(now->exit_code, REPORT_EXIT_FINDING);
    report_free(now);
    now = finding(REPORT_DIFFERENT, "B[i] = 0"); /* another rule */
    judge(then, now, "k/a.py", NULL, "2030-01-01", false);
    assert_non_null(now->pairs[0].again);
    report_free(now);
    now = finding(REPORT_UNSAFE, "B[i] = 0"); /* another module */
    judge(then, now, "k/b.py", NULL, "2030-01-01", false);
    assert_null(now->pairs[0].known);
    assert_null(now->pairs[0].again);
    assert_int_equal(now->exit_code, REPORT_EXIT_FINDING);
    report_free(now);
    now = finding(REPORT_UNSAFE, "B[i] = 0"); /* not looked at, or broken */
    judge(then, now, "k/a.py", NULL, "2030-01-01", true);
    assert_null(now->pairs[0].known);
    now->pairs[0].exit_code = now->exit_code = REPORT_EXIT_INTERNAL;
    judge(then, now, "k/a.py", NULL, "2030-01-01", false);
    assert_null(now->pairs[0].known);
    assert_int_equal(now->exit_code, REPORT_EXIT_INTERNAL);
    report_free(now);
    report_free(then);
}

static void its_day_is_its_last(void **state)
{
    (void)state;
    static const struct {
        const char *today;
        bool known;
    } rows[] = {{"2026-12-31", true},
                {"2027-01-31", true},
                {"2027-02-01", true},
                {"2027-02-02", false},
                {"2028-01-01", false}};
    struct report *then = finding(REPORT_UNSAFE, "B[i] = 0");
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct report *now = finding(REPORT_UNSAFE, "B[i] = 0");
        judge(then, now, "k/a.py", "2027-02-01", rows[i].today, false);
        assert_int_equal(now->pairs[0].known != NULL, rows[i].known);
        assert_int_equal(now->pairs[0].expired, !rows[i].known);
        assert_int_equal(now->exit_code, rows[i].known ? REPORT_EXIT_NOTHING
                                                       : REPORT_EXIT_FINDING);
        report_free(now);
    }
    report_free(then);
}

static const char *gone(const struct report *then, struct gate_case *now,
                        const struct gate_others *others, struct arena *arena)
{
    struct gate_known_list known = {0};
    struct report_gate model = {0};
    vec_push(&known, entry_of(then, NULL));
    gate_judge(&known, "2030-01-01", 1, now);
    gate_collect_gone(&known, 1, now, others, arena, &model);
    assert_int_equal(known.items[0].gone, model.ngone > 0);
    vec_fini(&known);
    return model.ngone > 0 ? model.gone[0].now : NULL;
}

static void what_is_gone_is_told(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct gate_others others = {.absent = "the module is gone"};
    struct report *then = finding(REPORT_UNSAFE, "B[i] = 0");
    struct report *now = finding(REPORT_IDENTICAL, "B[i] = 0");
    struct gate_case one = {"k/a.py", now, false};
    now->pairs[0].exit_code = REPORT_EXIT_NOTHING;
    assert_string_equal(gone(then, &one, &others, arena), "now IDENTICAL");
    now->pairs[0].function = "other";
    assert_string_equal(gone(then, &one, &others, arena),
                        "the function is gone");
    one.unseen = true;
    assert_null(gone(then, &one, &others, arena));
    one.unseen = false;
    now->error = "unreadable";
    assert_null(gone(then, &one, &others, arena));
    now->error = NULL;
    one.pair = "k/b.py";
    assert_string_equal(gone(then, &one, &others, arena), "the module is gone");
    const char *same[] = {"j.py", "k/a.py"};
    others.same = (struct report_list){2, 2, same};
    assert_string_equal(gone(then, &one, &others, arena),
                        "both sides are the same now");
    report_free(now);
    now = finding(REPORT_UNSAFE, "C[i] = 0"); /* changed, not gone */
    one = (struct gate_case){"k/a.py", now, false};
    assert_null(gone(then, &one, &others, arena));
    report_free(now);
    report_free(then);
    arena_free(arena);
}

/* ---- which modules are one ------------------------------------------------------- */

static struct gate_file file(const char *path, unsigned char content)
{
    return (struct gate_file){
        .path = path, .at = path, .hash = {content}, .is_module = true};
}

static void modules_are_paired(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    struct gate_file left[] = {file("a.json", 1), file("a.py", 2),
                               file("b.py", 3),   file("k/c.py", 4),
                               file("k/d.py", 4), file("z.py", 5)};
    struct gate_file right[] = {file("a.json", 1), file("a.py", 9),
                                file("e.py", 4),   file("k/n.py", 8),
                                file("m.py", 3),   file("z.py", 5)};
    left[5].is_module = false; /* it became one: it is new */
    struct gate_files before = {left, 6, 6}, after = {right, 6, 6};
    struct gate_pairs pairs = {0};
    struct report_list added = {0}, removed = {0};
    gate_match(arena, &before, &after, &pairs);
    static const char *const want[][3] = {{"a.json", "a.json", "a.json"},
                                          {"a.py", "a.py", "a.py"},
                                          {"e", "k/c.py", "e.py"},
                                          {"m", "b.py", "m.py"}};
    assert_int_equal(pairs.len, DC_ARRAY_LEN(want));
    for (size_t i = 0; i < pairs.len; i++) {
        assert_string_equal(pairs.items[i].name, want[i][0]);
        assert_string_equal(pairs.items[i].before->path, want[i][1]);
        assert_string_equal(pairs.items[i].after->path, want[i][2]);
    }
    gate_alone(arena, &after, &added);
    gate_alone(arena, &before, &removed);
    assert_int_equal(added.n, 2);
    assert_string_equal(added.items[0], "k/n.py");
    assert_string_equal(added.items[1], "z.py");
    assert_int_equal(removed.n, 1);
    assert_string_equal(removed.items[0], "k/d.py");
    vec_fini(&pairs);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_cause_is_known),
        cmocka_unit_test(another_cause_or_place_is_not),
        cmocka_unit_test(its_day_is_its_last),
        cmocka_unit_test(what_is_gone_is_told),
        cmocka_unit_test(modules_are_paired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
