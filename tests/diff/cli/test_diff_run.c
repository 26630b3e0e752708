/* SPDX-License-Identifier: Apache-2.0
 *
 * Command lines run in this process: what `run --out` leaves in its folder.
 */
#include "diff/diff.h"
#include "tests/test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a run that was killed left beside the outputs goes with the next. */
static void test_tidy(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    char dir[] = "/tmp/dc-run-XXXXXX", module[] = "tests/cli/data/plus_one.py";
    assert_non_null(mkdtemp(dir));
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    const char *left = arena_printf(arena, "%s/.diffcheck.%08lx.%ld.0.tmp", dir,
                                    file_machine(), (long)gone);
    FILE *file = fopen(left, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    char name[] = "diffcheck", run[] = "run", out[] = "--out";
    char *const argv[] = {name, run, module, out, dir, NULL};
    assert_int_equal(diff_line(5, argv), 0);
    assert_int_equal(access(arena_printf(arena, "%s/B.npy", dir), F_OK), 0);
    assert_int_not_equal(access(left, F_OK), 0);
    folder_remove(dir);
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tidy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
