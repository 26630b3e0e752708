/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs of parts: what is the same in all kernels of a target is compiled
 * once, and a program never holds one that is of another text, other flags or
 * another compiler, whatever became of the cache. The compiler is a script that
 * notes each call; its objects and programs are the texts that they are made of.
 */
#include "diff/harness/harness.h"
#include "tests/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char compiler[] =
    "#!/bin/sh\n"
    "echo \"$*\" >>\"${0%/*}/calls\"\n"
    "case \" $* \" in\n"
    "*' -c '*)\n"
    "    if grep broken kernel.c >&2; then exit 1; fi\n"
    "    { echo \"object $1\"; cat kernel.c; } >program ;;\n"
    "*)\n"
    "    cat kernel.c >program\n"
    "    for a; do case $a in *.o) cat \"$a\" >>program || exit 1 ;; esac; "
    "done\n"
    "esac\n";

struct bench {
    struct arena *arena;
    char *folder;      /* of the compiler and what it notes */
    const char *where; /* the cache */
    struct diff_cache *cache;
    const char *runtime[3], *flags[2];
    struct diff_target target;
    struct diff_toolchain tools;
    struct buf why;
};

static int set_up(void **state)
{
    struct bench *b = dc_alloc(sizeof *b);
    b->arena = arena_new();
    b->folder = diff_folder_new(b->arena, &b->why);
    assert_non_null(b->folder);
    const char *path = arena_printf(b->arena, "%s/cc", b->folder);
    assert_true(file_write(path, compiler, strlen(compiler), NULL));
    assert_int_equal(chmod(path, 0700), 0);
    b->where = arena_printf(b->arena, "%s/cache", b->folder);
    b->cache = diff_cache_new(b->where, 1 << 24);
    b->runtime[0] = "declared\n";
    b->runtime[1] = "defined\n";
    b->flags[0] = "-O2";
    b->target = (struct diff_target){
        .name = "a", .flags = b->flags, .runtime = b->runtime};
    b->tools = (struct diff_toolchain){
        .target = &b->target, .compiler = path, .identity = "cc 1"};
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    diff_cache_free(b->cache);
    folder_remove(b->folder);
    buf_fini(&b->why);
    arena_free(b->arena);
    dc_release(b);
    return 0;
}

/* The number that a script prints. */
static unsigned long ask(struct bench *b, const char *script)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    struct diff_process p = {
        .argv = argv, .folder = b->folder, .limits = {.wall_s = 60}};
    struct diff_ended ended;
    diff_process_run(&p, &ended);
    unsigned long n = strtoul(buf_text(&ended.text), NULL, 10);
    diff_ended_fini(&ended);
    return n;
}

static void expect_calls(struct bench *b, unsigned long parts,
                         unsigned long programs)
{
    assert_int_equal(ask(b, "grep -c -e ' -c ' calls"), parts);
    assert_int_equal(ask(b, "grep -vc -e ' -c ' calls"), programs);
    assert_int_equal(ask(b, "find cache -name '*.o' | wc -l"), 0);
    assert_int_equal(ask(b, "ls cache | grep -c tmp"), 0);
}

static void expect_text(const char *path, const char *want)
{
    struct buf text = {0};
    assert_non_null(path);
    assert_true(file_read(path, 0, &text, NULL));
    assert_string_equal(buf_text(&text), want);
    buf_fini(&text);
}

/* Builds a program, which must hold the parts as they are now. */
static void expect_program(struct bench *b, const char *source)
{
    const char *path = diff_toolchain_build(&b->tools, b->cache, source, 60,
                                            b->arena, &b->why);
    assert_string_equal(buf_text(&b->why), "");
    expect_text(path, arena_printf(b->arena, "%s%sobject %s\n%s%s",
                                   b->runtime[0], source, b->flags[0],
                                   b->runtime[0], b->runtime[1]));
}

static void test_once(void **state)
{
    struct bench *b = *state;
    expect_program(b, "a\n");
    expect_calls(b, 1, 1);
    expect_program(b, "b\n");
    expect_program(b, "c\n");
    expect_calls(b, 1, 3);
    expect_program(b, "a\n");
    expect_calls(b, 1, 3);
}

/* With each thing that an object is made of changed, and changed back. */
static void test_other_part(void **state)
{
    struct bench *b = *state;
    expect_program(b, "a\n");
    b->runtime[1] = "defined otherwise\n";
    expect_program(b, "a\n");
    expect_calls(b, 2, 2);
    b->runtime[0] = "declared otherwise\n";
    expect_program(b, "a\n");
    expect_calls(b, 3, 3);
    b->flags[0] = "-O3";
    expect_program(b, "a\n");
    expect_calls(b, 4, 4);
    b->tools.identity = "cc 2";
    expect_program(b, "a\n");
    expect_calls(b, 5, 5);
    b->runtime[0] = "declared\n";
    b->runtime[1] = "defined\n";
    b->flags[0] = "-O2";
    b->tools.identity = "cc 1";
    expect_program(b, "a\n");
    expect_calls(b, 5, 5);
}

static void test_mathematics(void **state)
{
    struct bench *b = *state;
    b->target.runtime = NULL;
    b->target.own_math = true;
    static const char *const sources[] = {"a\n", "diffcheck_math1\n",
                                          "b diffcheck_math2\n"};
    static const bool with[] = {false, true, true};
    for (size_t i = 0; i < DC_ARRAY_LEN(sources); i++) {
        struct buf text = {0};
        const char *path = diff_toolchain_build(&b->tools, b->cache, sources[i],
                                                60, b->arena, &b->why);
        assert_non_null(path);
        assert_true(file_read(path, 0, &text, NULL));
        const char *object = strstr(buf_text(&text), "object -O2\n");
        assert_int_equal(object != NULL, with[i]);
        assert_int_equal(
            object && strstr(object, "\nuint64_t diffcheck_math1("), with[i]);
        buf_fini(&text);
    }
    expect_calls(b, 1, 3);
}

/* The entry of the object is spoilt, or gone. A program that is there needs
 * none; the next one that is made gets what the text says. */
static void test_spoilt(void **state)
{
    static const char *const ways[] = {
        "echo object of another >$d/program", ": >$d/program",
        "echo more >>$d/kernel.c", "rm $d/program", "rm -r $d"};
    struct bench *b = *state;
    expect_program(b, "a\n");
    for (unsigned i = 0; i < DC_ARRAY_LEN(ways); i++) {
        assert_int_equal(
            ask(b, arena_printf(b->arena,
                                "d=$(dirname $(grep -l '^object' "
                                "cache/*/program | xargs grep -L '^[a-f]$'))\n"
                                "%s && echo 1",
                                ways[i])),
            1);
        expect_program(b, "a\n");
        assert_int_equal(ask(b, "grep -c -e ' -c ' calls"), i + 1);
        expect_program(b, arena_printf(b->arena, "%c\n", 'b' + (int)i));
        expect_calls(b, i + 2, i + 2);
    }
}

static void test_refused(void **state)
{
    struct bench *b = *state;
    b->runtime[1] = "broken\n";
    assert_null(diff_toolchain_build(&b->tools, b->cache, "a\n", 60, b->arena,
                                     &b->why));
    assert_string_equal(buf_text(&b->why),
                        "the runtime: cc: exit status 1: broken");
    assert_int_equal(ask(b, "ls cache | wc -l"), 0);
    buf_fini(&b->why);
    b->why = (struct buf){0};
    b->runtime[1] = "mended\n";
    expect_program(b, "a\n");
}

static void test_moved(void **state)
{
    struct bench *b = *state;
    expect_program(b, "a\n");
    assert_int_equal(ask(b, "mv cache other && mkdir cache && echo 1"), 1);
    diff_cache_free(b->cache);
    b->cache =
        diff_cache_new(arena_printf(b->arena, "%s/other", b->folder), 1 << 24);
    expect_program(b, "a\n");
    expect_calls(b, 1, 1);
    expect_program(b, "b\n");
    expect_calls(b, 1, 2);
}

/* Many threads, each with a kernel of its own and no object yet. */
struct crowd {
    struct bench *b;
    char *paths[16];
};

static void crowd_member(void *user, size_t i)
{
    struct crowd *c = user;
    struct arena *arena = arena_new();
    struct buf why = {0};
    const char *path =
        diff_toolchain_build(&c->b->tools, c->b->cache,
                             arena_printf(arena, "%zu\n", i), 60, arena, &why);
    c->paths[i] = path ? strdup(path) : NULL;
    buf_fini(&why);
    arena_free(arena);
}

static void test_crowd(void **state)
{
    struct crowd c = {.b = *state};
    diff_share(8, DC_ARRAY_LEN(c.paths), crowd_member, &c);
    for (size_t i = 0; i < DC_ARRAY_LEN(c.paths); i++) {
        expect_text(c.paths[i],
                    arena_printf(c.b->arena,
                                 "declared\n%zu\nobject -O2\ndeclared\n"
                                 "defined\n",
                                 i));
        free(c.paths[i]);
    }
    assert_int_equal(ask(c.b, "ls cache | wc -l"), DC_ARRAY_LEN(c.paths) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_other_part, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_mathematics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_spoilt, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_moved, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_crowd, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
