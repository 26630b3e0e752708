/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that a device compiled, kept beside a program: what comes back is all
 * that was there, or nothing.
 */
#include "diff/harness/cache.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
    struct arena *arena;
    const char *folder, *program, *kept, *from, *to;
};

static int set_up(void **state)
{
    struct work *w = *state = dc_alloc(sizeof *w);
    struct buf why = {0};
    w->arena = arena_new();
    w->folder = diff_folder_new(w->arena, &why);
    assert_non_null(w->folder);
    w->program = arena_printf(w->arena, "%s/program", w->folder);
    w->kept = arena_printf(w->arena, "%s/kernels", w->folder);
    w->from = arena_printf(w->arena, "%s/from", w->folder);
    w->to = arena_printf(w->arena, "%s/to", w->folder);
    assert_int_equal(mkdir(w->from, 0777), 0);
    buf_fini(&why);
    return 0;
}

static int tear_down(void **state)
{
    struct work *w = *state;
    folder_remove(w->folder);
    arena_free(w->arena);
    dc_release(w);
    return 0;
}

static void put(struct work *w, const char *path, const char *text)
{
    char *whole = arena_printf(w->arena, "%s/%s", w->from, path);
    for (char *p = whole + strlen(w->from) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        (void)mkdir(whole, 0777);
        *p = '/';
    }
    assert_true(file_write(whole, text, strlen(text), NULL));
}

/* The text of a file that came back; NULL: there is none. */
static const char *got(struct work *w, const char *path)
{
    struct buf text = {0};
    const char *copy = NULL;
    if (file_read(arena_printf(w->arena, "%s/%s", w->to, path), 0, &text, NULL))
        copy = arena_strndup(w->arena, buf_text(&text), text.len);
    buf_fini(&text);
    return copy;
}

static void fetch_anew(struct work *w)
{
    folder_remove(w->to);
    diff_compiled_fetch(w->program, w->to);
}

static void put_usual(struct work *w)
{
    put(w, "AB/CDE/kernel/1-1-1/kernel.so", "code\nof a kernel");
    put(w, "AB/CDE/program.bc", "");
    put(w, "ZZ/F/program.bc", "other");
}

static void test_round(void **state)
{
    struct work *w = *state;
    fetch_anew(w); /* nothing was kept */
    assert_int_not_equal(access(w->to, F_OK), 0);
    put_usual(w);
    put(w, "tempfile_x", "half of it");
    diff_compiled_keep(w->program, w->from);
    fetch_anew(w);
    assert_string_equal(got(w, "AB/CDE/kernel/1-1-1/kernel.so"),
                        "code\nof a kernel");
    assert_string_equal(got(w, "AB/CDE/program.bc"), "");
    assert_string_equal(got(w, "ZZ/F/program.bc"), "other");
    assert_null(got(w, "tempfile_x"));
}

/* Files of the same names are the same; what is new is kept, too. */
static void test_kept_once(void **state)
{
    struct work *w = *state;
    struct stat first, second;
    put_usual(w);
    diff_compiled_keep(w->program, w->from);
    assert_int_equal(stat(w->kept, &first), 0);
    diff_compiled_keep(w->program, w->from);
    assert_int_equal(stat(w->kept, &second), 0);
    assert_true(first.st_ino == second.st_ino);
    put(w, "ZZ/G/program.bc", "more");
    diff_compiled_keep(w->program, w->from);
    fetch_anew(w);
    assert_string_equal(got(w, "ZZ/G/program.bc"), "more");
    assert_string_equal(got(w, "ZZ/F/program.bc"), "other");
}

/* Cut anywhere, or with any byte changed, nothing comes back; the next run puts
 * it right. */
static void test_damaged(void **state)
{
    struct work *w = *state;
    struct buf whole = {0};
    put_usual(w);
    diff_compiled_keep(w->program, w->from);
    assert_true(file_read(w->kept, 0, &whole, NULL));
    for (size_t n = 0; n < 2 * whole.len; n++) {
        bool cut = n < whole.len;
        char *text = arena_memdup(w->arena, buf_text(&whole), whole.len);
        text[n % whole.len] ^= cut ? 0 : 1;
        assert_true(file_write(w->kept, text, cut ? n : whole.len, NULL));
        fetch_anew(w);
        assert_int_not_equal(access(w->to, F_OK), 0);
    }
    diff_compiled_keep(w->program, w->from);
    fetch_anew(w);
    assert_non_null(got(w, "ZZ/F/program.bc"));
    buf_fini(&whole);
}

/* Names that lead out of the folder make nothing. */
static void test_forged(void **state)
{
    static const char *const names[] = {
        "../out", "/tmp/diffcheck-out", "a/../../out", "a//b", "./a", ""};
    struct work *w = *state;
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        struct buf text = {0};
        buf_puts(&text, "diffcheck kernels 1\n");
        buf_printf(&text, "%s 1 %016llx\nxwhole\n", names[i],
                   (unsigned long long)hash_bytes(
                       hash_bytes(2, names[i], strlen(names[i])), "x", 1));
        assert_true(file_write(w->kept, buf_text(&text), text.len, NULL));
        fetch_anew(w);
        assert_int_equal(access(w->to, F_OK) == 0,
                         strcmp(names[i], "a/b") == 0);
        assert_int_not_equal(
            access(arena_printf(w->arena, "%s/out", w->folder), F_OK), 0);
        buf_fini(&text);
    }
    assert_int_not_equal(access("/tmp/diffcheck-out", F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_kept_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_damaged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_forged, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
