/* SPDX-License-Identifier: Apache-2.0
 *
 * Counterexample folders: names, whose a folder is, and which words one may stand
 * for. What is in the files is tests/cli/cli_save.sh.
 */
#include "diff/saved/saved.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char base[] = "/tmp/dc-saved-XXXXXX";

static int make_base(void **state)
{
    (void)state;
    return mkdtemp(base) == NULL;
}

static int remove_base(void **state)
{
    (void)state;
    folder_remove(base);
    return 0;
}

static const char *in_base(struct arena *arena, const char *name)
{
    return arena_printf(arena, "%s/%s", base, name);
}

static void put(struct arena *arena, const char *name, const char *text)
{
    assert_true(file_write(in_base(arena, name), text, strlen(text), NULL));
}

/* ---- one folder or many ------------------------------------------------------- */

static void add(struct saved_folder *f, struct arena *arena, const char *name,
                const char *want)
{
    const char *path = saved_folder_add(f, name, arena, NULL);
    assert_non_null(path);
    assert_string_equal(f->names[f->n - 1], want);
    assert_true(file_write(arena_printf(arena, "%s/finding.json", path),
                           "{\"tool\": \"diffcheck\"}", 21, NULL));
}

static void test_one_is_the_folder(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    for (int round = 0; round < 2; round++) { /* and again over itself */
        struct saved_folder f = {.path = in_base(arena, "one")};
        add(&f, arena, "main", "main");
        assert_true(saved_folder_finish(&f, NULL));
        assert_int_equal(access(in_base(arena, "one/finding.json"), F_OK), 0);
        assert_true(saved_is(f.path));
    }
    arena_free(arena);
}

/* Names that are no file's, twice there, or of files written here. */
static void test_names_of_many(void **state)
{
    struct arena *arena = arena_new();
    struct saved_folder f = {.path = in_base(arena, "many")};
    (void)state;
    add(&f, arena, "main", "main");
    add(&f, arena, "main", "main-2");
    add(&f, arena, "main", "main-3");
    add(&f, arena, "../main", "___main");
    add(&f, arena, "", "_");
    add(&f, arena, "in", "in_");
    add(&f, arena, "f\xc3\xa9@gcc-fma", "f__@gcc-fma");
    assert_true(saved_folder_finish(&f, NULL));
    assert_int_equal(access(in_base(arena, "many/in_/finding.json"), F_OK), 0);
    assert_true(saved_is(f.path));
    assert_true(saved_folder_check(&f, NULL));
    put(arena, "many/main-2/notes.txt", "mine");
    assert_false(saved_folder_check(&f, NULL));
    arena_free(arena);
}

/* What is not put in its place is not there, and what was there stays. */
static void test_dropped(void **state)
{
    struct arena *arena = arena_new();
    struct saved_folder f = {.path = in_base(arena, "dropped")};
    struct stat st;
    (void)state;
    add(&f, arena, "main", "main");
    const char *temp = f.temp;
    assert_int_equal(lstat(temp, &st), 0);
    saved_folder_drop(&f);
    assert_int_not_equal(lstat(temp, &st), 0);
    assert_int_not_equal(lstat(f.path, &st), 0);
    /* somebody else's came in between */
    struct saved_folder g = {.path = in_base(arena, "theirs")};
    add(&g, arena, "main", "main");
    assert_int_equal(mkdir(g.path, 0777), 0);
    put(arena, "theirs/notes.txt", "mine");
    assert_false(saved_folder_finish(&g, NULL));
    assert_int_equal(access(in_base(arena, "theirs/notes.txt"), F_OK), 0);
    assert_int_not_equal(access(in_base(arena, "theirs/finding.json"), F_OK),
                         0);
    arena_free(arena);
}

/* A killed run's folder goes; one of a run that lives, or of another machine,
 * stays. */
static void test_tidies(void **state)
{
    struct arena *arena = arena_new();
    struct saved_folder f = {.path = in_base(arena, "tidy")};
    struct stat st;
    (void)state;
    /* no process has that number: the largest is far below */
    const char *dead = arena_printf(arena, "%s/.diffcheck-save.%08lx.%d.0",
                                    base, file_machine(), 2000000000);
    const char *alive = arena_printf(arena, "%s/.diffcheck-save.%08lx.%d.0",
                                     base, file_machine(), 1);
    const char *far = arena_printf(arena, "%s/.diffcheck-save.%08lx.%d.0", base,
                                   file_machine() ^ 1, 2000000000);
    assert_int_equal(mkdir(dead, 0777), 0);
    assert_int_equal(mkdir(alive, 0777), 0);
    assert_int_equal(mkdir(far, 0777), 0);
    add(&f, arena, "main", "main");
    assert_int_not_equal(lstat(dead, &st), 0);
    assert_int_equal(lstat(alive, &st), 0);
    assert_int_equal(lstat(far, &st), 0);
    saved_folder_drop(&f);
    arena_free(arena);
}

/* ---- words ---------------------------------------------------------------------- */

#define HEAD "{\"tool\": \"diffcheck\", \"command\": \"compare\", "
#define TWO                                                       \
    "\"modules\": [{\"file\": \"tuned.json\", \"given\": null}, " \
    "{\"file\": \"untuned.json\", \"given\": \"given/untuned.py\"}], "

static char **words_of(struct arena *arena, const char *text,
                       const char *command)
{
    char jobs[] = "-j", two[] = "2", *rest[] = {jobs, two};
    const char *folder = in_base(arena, "words");
    (void)mkdir(folder, 0777);
    put(arena, "words/finding.json", text);
    return saved_words(folder, "diffcheck", command, 2, rest, arena, NULL);
}

static void test_words(void **state)
{
    struct arena *arena = arena_new();
    (void)state;
    char **w = words_of(arena,
                        HEAD TWO "\"replay\": [\"--seed\", \"3\", \"--in\", "
                                 "\"A=in/A.npy\", \"--extern\", "
                                 "\"extern/0\"]}",
                        NULL);
    assert_non_null(w);
    const char *const want[] = {
        "diffcheck",
        "compare",
        in_base(arena, "words/tuned.json"),
        in_base(arena, "words/given/untuned.py"),
        "--seed",
        "3",
        "--in",
        arena_printf(arena, "A=%s/words/in/A.npy", base),
        "--extern",
        in_base(arena, "words/extern/0"),
        "-j",
        "2"};
    for (size_t i = 0; i < DC_ARRAY_LEN(want); i++)
        assert_string_equal(w[i], want[i]);
    assert_null(w[DC_ARRAY_LEN(want)]);
    w = words_of(arena, HEAD TWO "\"replay\": []}", "prove");
    assert_string_equal(w[1], "prove");
    arena_free(arena);
}

static void test_refused_words(void **state)
{
    static const char *const bad[] = {
        "",
        "[]",
        "{\"tool\": \"diffcheck\", \"command\": \"run\"}",
        HEAD "\"replay\": []}",
        HEAD "\"modules\": [], \"replay\": []}",
        HEAD "\"modules\": [{\"file\": 3}], \"replay\": []}",
        HEAD "\"modules\": [{\"file\": \"/etc/passwd\"}], \"replay\": []}",
        HEAD "\"modules\": [{\"file\": \"--runner\"}], \"replay\": []}",
        HEAD TWO "\"replay\": 3}",
        HEAD TWO "\"replay\": [\"--seed\"]}",
        HEAD TWO "\"replay\": [\"--seed\", 3]}",
        HEAD TWO "\"replay\": [\"--python\", \"x\"]}",
        HEAD TWO "\"replay\": [\"--save\", \"x\"]}",
        HEAD TWO "\"replay\": [\"x\", \"y\"]}",
        HEAD TWO "\"replay\": [\"--in\", \"A\"]}",
        HEAD TWO "\"replay\": [\"--in\", \"A=\"]}",
        HEAD TWO "\"replay\": [\"--in\", \"A=..\"]}",
        HEAD TWO "\"replay\": [\"--in\", \"A=in/../../x\"]}",
        HEAD TWO "\"replay\": [\"--expect\", \"A=/x\"]}",
        HEAD TWO "\"replay\": [\"--extern\", \"..\"]}",
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(bad); i++) {
        struct arena *arena = arena_new();
        if (words_of(arena, bad[i], NULL) != NULL)
            fail_msg("taken: %s", bad[i]);
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_is_the_folder),
        cmocka_unit_test(test_names_of_many),
        cmocka_unit_test(test_dropped),
        cmocka_unit_test(test_tidies),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_refused_words),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
