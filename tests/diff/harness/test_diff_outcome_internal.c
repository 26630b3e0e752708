/* SPDX-License-Identifier: Apache-2.0
 *
 * Exit statuses that outcomes of targets call for: the table of
 * docs/verdicts.md, with what --fail-on and --allow change. The worst of all
 * targets counts, in the order 1, 4, 0.
 */
#include "diff/cli/command.h"
#include "diff/harness/measure.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

struct row {
    const char *label;
    const char *line; /* further arguments, blank-separated */
    size_t n;
    enum report_outcome outcomes[3];
    int status;
};

static const struct row rows[] = {
    {"exact", "", 1, {REPORT_EXACT}, 0},
    {"explained", "", 1, {REPORT_EXPLAINED}, 0},
    {"within-bound", "", 1, {REPORT_WITHIN_BOUND}, 4},
    {"within-bound allowed",
     "--allow within-bound",
     1,
     {REPORT_WITHIN_BOUND},
     0},
    {"a finding beside within-bound",
     "",
     2,
     {REPORT_WITHIN_BOUND, REPORT_UNEXPLAINED},
     1},
    {"skipped", "", 1, {REPORT_SKIPPED}, 0},
    {"wrong", "", 1, {REPORT_WRONG}, 1},
    {"nondeterministic", "", 1, {REPORT_NONDETERMINISTIC}, 1},
    {"nondeterministic allowed",
     "--allow nondeterministic",
     1,
     {REPORT_NONDETERMINISTIC},
     0},
    {"deviates", "", 1, {REPORT_DEVIATES}, 1},
    {"unexplained", "", 1, {REPORT_UNEXPLAINED}, 1},
    {"error", "", 1, {REPORT_ERROR}, 4},
    {"a finding beside an error", "", 2, {REPORT_ERROR, REPORT_WRONG}, 1},
    {"an error beside drift", "", 2, {REPORT_EXPLAINED, REPORT_ERROR}, 4},
    {"drift fails: explained", "--fail-on drift", 1, {REPORT_EXPLAINED}, 1},
    {"drift fails: within-bound",
     "--fail-on drift",
     1,
     {REPORT_WITHIN_BOUND},
     1},
    {"drift fails: exact", "--fail-on drift", 1, {REPORT_EXACT}, 0},
    {"drift fails: skipped", "--fail-on drift", 1, {REPORT_SKIPPED}, 0},
    {"skipped fails", "--fail-on skipped", 1, {REPORT_SKIPPED}, 1},
    {"within-bound fails alone",
     "--fail-on within-bound",
     2,
     {REPORT_EXPLAINED, REPORT_EXACT},
     0},
    {"wrong allowed", "--allow wrong", 1, {REPORT_WRONG}, 0},
    {"error allowed", "--allow error", 1, {REPORT_ERROR}, 0},
    {"error fails", "--fail-on error", 1, {REPORT_ERROR}, 1},
};

static void row_run(void **state)
{
    const struct row *row = *state;
    char line[64], *argv[8] = {NULL};
    char program[] = "diffcheck", a[] = "a.py", b[] = "b.py";
    int argc = 0;
    argv[argc++] = program;
    argv[argc++] = a;
    argv[argc++] = b;
    (void)snprintf(line, sizeof line, "%s", row->line);
    for (char *word = line; *word != '\0';) {
        size_t n = strcspn(word, " ");
        bool last = word[n] == '\0';
        word[n] = '\0';
        argv[argc++] = word;
        word += n + !last;
    }
    struct diff_options options;
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct report_target targets[3];
    memset(targets, 0, sizeof targets);
    assert_true(diff_options_parse(argc, argv, arena, &options, sink));
    for (size_t i = 0; i < row->n; i++)
        targets[i].outcome = row->outcomes[i];
    struct report_pair pair = {.ntargets = row->n, .targets = targets};
    assert_int_equal(diff_exit_of_targets(&options, &pair), row->status);
    diag_sink_free(sink);
    arena_free(arena);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows)] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct row *in;
            void *out;
        } row = {&rows[i]};
        tests[i].name = rows[i].label;
        tests[i].test_func = row_run;
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("outcomes", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
