/* SPDX-License-Identifier: Apache-2.0
 *
 * The check of hostile modules can fail: programs stand for diffcheck that do
 * what it must not, and each must be told by its name; cases are the same for
 * the same draws.
 */
#include "fuzz/hostile/hostile.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHOW 0u
#define LINT 8u

static const struct row {
    const char *label, *script;
    size_t line;
    const char *why; /* in what is told; NULL: nothing is */
} rows[] = {
    {"nothing to tell", "echo text", SHOW, NULL},
    {"a refusal", "echo 'x.py: error: no module' >&2; exit 2", SHOW, NULL},
    {"an internal error", "exit 3", LINT, "status 3"},
    {"a status of another command", "exit 1", SHOW, "status 1"},
    {"a status of nobody", "exit 77", LINT, "status 77"},
    {"no message", "exit 2", LINT, "without a message"},
    {"a message without the status", "echo 'error: x' >&2", LINT,
     "without status 2"},
    {"half a result", "echo half; echo 'error: x' >&2; exit 2", SHOW, "half"},
    {"an escape on standard output", "printf 'a\\033[31m'", SHOW, "byte 1b"},
    {"C1 on standard error", "printf 'a\\302\\233' >&2", LINT, "byte c2"},
    {"no UTF-8", "printf 'a\\377'", SHOW, "byte ff"},
    {"a file in the current folder", "echo x >canary", SHOW, "touched"},
    {"a file at home", "echo x >$HOME/canary", LINT, "touched"},
    {"a file in the cache", "mkdir -p $XDG_CACHE_HOME/a/b", LINT, "touched"},
    {"a crash", "kill -SEGV $$", LINT, "signal 11 (crash)"},
    {"out of time", "kill -XCPU $$", LINT, "time-out"},
    {"little address space", "[ $(ulimit -v) = 2097152 ] || exit 5", LINT,
     NULL},
};

static void programs_are_told(void **state)
{
    const struct row *row = *state;
    char folder[] = "/tmp/diffcheck-test-XXXXXX";
    struct buf script = {0}, path = {0}, why = {0};
    struct hostile_case c = {.symbolic = false};
    int status;
    assert_non_null(mkdtemp(folder));
    buf_printf(&path, "%s/program", folder);
    buf_printf(&script, "#!/bin/sh\n%s\n", row->script);
    assert_true(file_write(buf_text(&path), script.data, script.len, NULL));
    assert_int_equal(chmod(buf_text(&path), 0700), 0);
    struct hostile_room room = {.folder = folder, .program = buf_text(&path)};
    buf_puts(&c.text[0], "a");
    buf_puts(&c.text[1], "b");
    assert_true(hostile_room_fill(&room, &c));
    bool fine = hostile_room_run(&room, &c, row->line, &status, &why);
#if defined(__SANITIZE_ADDRESS__)
    if (strcmp(row->label, "little address space") == 0)
        fine = true; /* sanitizers need more */
#endif
    if (fine != (row->why == NULL) ||
        (!fine && strstr(buf_text(&why), row->why) == NULL))
        fail_msg("%s: '%s'", row->label, buf_text(&why));
    hostile_room_clear(&room);
    hostile_case_fini(&c);
    buf_fini(&script);
    buf_fini(&path);
    buf_fini(&why);
}

static void cases_are_the_same(void **state)
{
    (void)state;
    size_t told = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct hostile_case a, b;
        hostile_case_init(&a, NULL, 0, seed, NULL);
        hostile_case_init(&b, NULL, 0, seed, NULL);
        for (size_t i = 0; i < 2; i++)
            assert_string_equal(buf_text(&a.text[i]), buf_text(&b.text[i]));
        told += strlen(buf_text(&a.label)) > 0;
        hostile_case_fini(&a);
        hostile_case_fini(&b);
    }
    assert_true(told >= 55);
}

/* In this process: what is read is what is printed. */
static void lines_run_here(void **state)
{
    (void)state;
    char folder[] = "/tmp/diffcheck-test-XXXXXX";
    struct hostile_case c = {.symbolic = false};
    struct buf why = {0};
    assert_non_null(mkdtemp(folder));
    struct hostile_room room = {.folder = folder};
    buf_puts(&c.text[0], "@T.prim_func(s_tir=True)\n"
                         "def main(B: T.Buffer((8,), \"int32\")):\n"
                         "    B[0] = 1\n");
    buf_puts(&c.text[1], "no module");
    assert_true(hostile_room_fill(&room, &c));
    for (size_t line = 0; line < hostile_nlines(); line++) {
        const char *text = hostile_line(line);
        int status = -1;
        if (strstr(text, "gcc-") != NULL)
            continue;
        if (!hostile_room_run(&room, &c, line, &status, &why))
            fail_msg("%s: %s", text, buf_text(&why));
        bool alone = strstr(text, "%t") != NULL && strstr(text, "%u") == NULL;
        if (strncmp(text, "tree", 4) != 0) /* has no floats to look at */
            assert_int_equal(status == 2, !alone);
    }
    hostile_room_clear(&room);
    hostile_case_fini(&c);
    buf_fini(&why);
}

#define NROWS DC_ARRAY_LEN(rows)

int main(void)
{
    struct CMUnitTest tests[NROWS + 2] = {
        cmocka_unit_test(cases_are_the_same),
        cmocka_unit_test(lines_run_here),
    };
    for (size_t i = 0; i < NROWS; i++) {
        tests[i + 2].name = rows[i].label;
        tests[i + 2].test_func = programs_are_told;
        tests[i + 2].initial_state = (void *)(uintptr_t)&rows[i];
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
