/* SPDX-License-Identifier: Apache-2.0
 *
 * Arenas, text, base64 (RFC 4648 vectors), UTF-8, files and diagnostics.
 */
#include "ir/base/base.h"
#include "ir/base/limits.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_arena(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    char *kept[2000];
    for (size_t i = 0; i < DC_ARRAY_LEN(kept); i++) {
        kept[i] = arena_alloc(arena, i);
        assert_int_equal((uintptr_t)kept[i] % _Alignof(max_align_t), 0);
        for (size_t j = 0; j < i; j++)
            assert_int_equal(kept[i][j], 0);
        memset(kept[i], (int)(i & 0x7f), i);
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(kept); i++) {
        for (size_t j = 0; j < i; j++)
            assert_int_equal(kept[i][j], (int)(i & 0x7f));
    }
    assert_string_equal(arena_printf(arena, "%d-%s", 7, "x"), "7-x");
    char *big = arena_alloc(arena, (size_t)3 << 20);
    memset(big, 1, (size_t)3 << 20);
    arena_free(arena);
}

static void test_base64(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < DC_ARRAY_LEN(vectors); i++) {
        struct buf out = {0}, back = {0};
        base64_encode(vectors[i][0], strlen(vectors[i][0]), &out);
        assert_string_equal(buf_text(&out), vectors[i][1]);
        assert_true(base64_decode(buf_text(&out), out.len, &back));
        assert_string_equal(buf_text(&back), vectors[i][0]);
        buf_fini(&out);
        buf_fini(&back);
    }
    static const char *const bad[] = {
        "Z", "Zg=", "Zg=a", "=g==", "Zh==", "Zm9=", "Zm 9", "Zg==Zg=="};
    for (size_t i = 0; i < DC_ARRAY_LEN(bad); i++) {
        struct buf out = {0};
        assert_false(base64_decode(bad[i], strlen(bad[i]), &out));
        buf_fini(&out);
    }
}

static void test_double(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{1, "1.0"},
                 {-0.0, "-0.0"},
                 {0.1, "0.1"},
                 {1e20, "1e+20"},
                 {10, "10.0"},
                 {65500, "65500.0"},
                 {1e-5, "0.00001"},
                 {1.5e-7, "1.5e-07"},
                 {9007199254740993.0, "9007199254740992.0"},
                 {5e-324, "5e-324"},
                 {1.0004882812500002, "1.0004882812500002"}};
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf out = {0};
        buf_put_double(&out, cases[i].value);
        assert_string_equal(out.data, cases[i].text);
        buf_fini(&out);
    }
}

static void test_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool ok;
    } cases[] = {{"a\xc3\xa9", true},
                 {"\xf0\x9f\x98\x80", true},
                 {"\xed\x9f\xbf", true},
                 {"\xed\xa0\x80", false},
                 {"\xf4\x90\x80\x80", false},
                 {"\xe0\x80\x80", false},
                 {"\xc3", false},
                 {"\x80", false}};
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++)
        assert_int_equal(utf8_valid(cases[i].text, strlen(cases[i].text), NULL),
                         cases[i].ok);
}

static void test_cut(void **state)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac"; /* a é € */
    static const size_t want[] = {0, 1, 1, 3, 3, 3, 6, 6};
    (void)state;
    for (size_t most = 0; most < DC_ARRAY_LEN(want); most++)
        assert_int_equal(utf8_cut(text, strlen(text), most), want[most]);
    assert_int_equal(utf8_cut("\x80\x80", 2, 1), 0);
}

static void test_ends(void **state)
{
    (void)state;
    assert_true(text_ends_in("a.zip", ".zip"));
    assert_false(text_ends_in(".zip", ".zip"));
    assert_false(text_ends_in("zip", ".zip"));
    assert_false(text_ends_in("a.zip ", ".zip"));
    assert_string_equal(path_name("a/b.c/d.e"), "d.e");
    assert_string_equal(path_name("d.e"), "d.e");
    assert_string_equal(path_name("/a/"), "");
}

static void test_visible(void **state)
{
    (void)state;
    static const struct {
        const char *text, *keep, *shown;
    } rows[] = {
        {"", "", ""},
        {"a \xc3\xa9 \xe2\x82\xac ~", "", "a \xc3\xa9 \xe2\x82\xac ~"},
        {"\x1b[31mred\x7f", "", "\\x1b[31mred\\x7f"},
        {"a\nb\tc\r", "", "a\\x0ab\\x09c\\x0d"},
        {"a\nb\tc\r", "\n\t", "a\nb\tc\\x0d"},
        {"\xc2\x80\xc2\x9b\xc2\x9f\xc2\xa0", "",
         "\\xc2\\x80\\xc2\\x9b\\xc2\\x9f\xc2\xa0"},
        {"\x9b"
         "31m\xff\xc3",
         "", "\\x9b31m\\xff\\xc3"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct buf out = {0};
        const char *text = rows[i].text;
        buf_put_visible(&out, text, strlen(text), rows[i].keep);
        assert_string_equal(buf_text(&out), rows[i].shown);
        assert_int_equal(text_visible(text, strlen(text), rows[i].keep) ==
                             strlen(text),
                         strcmp(text, rows[i].shown) == 0);
        buf_fini(&out);
    }
}

/* What a message, a place or a source line holds of the input. */
static void test_render_controls(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    const char *text = "a\x1b[1m\xc2\x9b b\n";
    struct diag_loc loc = {"f\x1b.py", 1, 3, "/a\x1b"};
    struct buf out = {0};
    diag_set_source(sink, loc.file, text, strlen(text));
    assert_false(diag_error(sink, loc, "t.code", "bad '\x1b]0;\n\xff'"));
    diag_render(sink, false, &out);
    assert_string_equal(out.data,
                        "f\\x1b.py:1:3: error: bad '\\x1b]0;\\x0a\\xff' (at "
                        "/a\\x1b) [t.code]\n"
                        "    a?[1m?? b\n"
                        "      ^\n");
    buf_fini(&out);
    diag_sink_free(sink);
}

static void test_memory(void **state)
{
    (void)state;
    size_t before = dc_memory_used();
    char *block = dc_alloc(1000);
    size_t one = dc_memory_used() - before;
    assert_in_range(one, 1000, 1064);
    block = dc_realloc(block, 100000);
    assert_in_range(dc_memory_used() - before, 100000, 100064);
    block = dc_realloc(block, 1000);
    assert_int_equal(dc_memory_used() - before, one);
    struct arena *arena = arena_new();
    (void)arena_alloc(arena, 5000000);
    assert_in_range(dc_memory_used() - before, 5000000, 5100000);
    arena_free(arena);
    dc_release(block);
    assert_int_equal(dc_memory_used(), before);

    assert_true(dc_memory_fits(SIZE_MAX)); /* no limit */
    assert_false(dc_memory_low());
    dc_memory_limit(before + 8000000);
    assert_true(dc_memory_fits(8000000));
    assert_false(dc_memory_fits(8000001));
    assert_false(dc_memory_charge(8000001));
    assert_int_equal(dc_memory_used(), before);
    assert_true(dc_memory_charge(7900000));
    assert_true(dc_memory_low());
    dc_memory_return(7900000);
    assert_false(dc_memory_low());

    /* of others: engines end in time, and blocks of ours are had */
    assert_int_equal(dc_memory_left(), 8000000);
    dc_memory_outside(7900000);
    assert_int_equal(dc_memory_left(), 100000);
    assert_true(dc_memory_low());
    assert_false(dc_memory_fits(200000));
    assert_true(dc_memory_charge(200000));
    dc_memory_return(200000);
    dc_memory_outside(9000000);
    assert_int_equal(dc_memory_left(), 0);
    dc_memory_outside(0);
    assert_false(dc_memory_low());
    dc_memory_limit(0);
    assert_true(dc_memory_left() == SIZE_MAX);
}

/* A file of this name in the folder. */
static char *put_empty(const char *dir, const char *name, struct arena *arena)
{
    char *path = arena_printf(arena, "%s/%s", dir, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* What runs that were killed left goes with the next write beside it; what is of
 * others, or of a run that goes on, stays. */
static void test_abandoned(void **state)
{
    (void)state;
    struct arena *arena = arena_new();
    char dir[] = "/tmp/dc-base-XXXXXX";
    assert_non_null(mkdtemp(dir));
    pid_t gone = fork();
    if (gone == 0)
        _exit(0);
    assert_int_equal(waitpid(gone, NULL, 0), gone);
    unsigned long here = file_machine();
    const struct {
        unsigned long machine;
        long process;
        const char *format_end;
        bool goes;
    } rows[] = {
        {here, (long)gone, "0.tmp", true},
        {here, (long)gone, "7.tmp", true},
        {here, (long)gone, "0.json", false},
        {here ^ 1, (long)gone, "0.tmp", false}, /* another machine's */
        {here, (long)getpid(), "0.tmp", false},
        {here, (long)getppid(), "0.tmp", false},
        {here, 1, "0.tmp", false},
    };
    char *paths[DC_ARRAY_LEN(rows)];
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        paths[i] = put_empty(dir,
                             arena_printf(arena, ".diffcheck.%08lx.%ld.%s",
                                          rows[i].machine, rows[i].process,
                                          rows[i].format_end),
                             arena);
    char *old = put_empty(dir, ".diffcheck.1.0.tmp", arena);
    char *mine = put_empty(dir, "my.tmp", arena);
    char *folder = arena_printf(arena, "%s/.diffcheck.%08lx.%ld.8.tmp", dir,
                                here, (long)gone);
    char *link = arena_printf(arena, "%s/.diffcheck.%08lx.%ld.9.tmp", dir, here,
                              (long)gone);
    assert_int_equal(mkdir(folder, 0700), 0);
    assert_int_equal(symlink(mine, link), 0);

    char *path = arena_printf(arena, "%s/f", dir);
    assert_true(file_write_one(path, "text", 4, NULL));
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        assert_int_equal(access(paths[i], F_OK), 0);
    assert_true(file_write(path, "text", 4, NULL));
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        bool there = access(paths[i], F_OK) == 0;
        assert_int_equal(there, !rows[i].goes);
        (void)unlink(paths[i]);
    }
    assert_int_equal(unlink(old), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_int_equal(unlink(link), 0); /* no regular file, not ours */
    assert_int_equal(unlink(mine), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(dir), 0);
    arena_free(arena);
}

static void test_file(void **state)
{
    (void)state;
    char dir[] = "/tmp/dc-base-XXXXXX";
    assert_non_null(mkdtemp(dir));
    struct buf path = {0}, text = {0};
    buf_printf(&path, "%s/f", dir);
    struct diag_sink *sink = diag_sink_new();
    assert_true(file_write(path.data, "first", 5, sink));
    assert_true(file_write(path.data, "second", 6, sink));
    assert_true(file_read(path.data, 0, &text, sink));
    assert_string_equal(text.data, "second");
    assert_int_equal(diag_count(sink), 0);
    assert_false(file_read(path.data, 3, &text, sink));
    assert_string_equal(diag_at(sink, 0)->code, "file.size");
    assert_false(file_read(dir, 0, &text, sink));
    assert_false(file_write("/no/such/dir/f", "x", 1, sink));
    diag_sink_free(sink);
    unlink(path.data);
    rmdir(dir);
    buf_fini(&path);
    buf_fini(&text);
}

static void test_render(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    const char *text = "one\n\ttwo three\n";
    diag_set_source(sink, "f.py", text, strlen(text));
    struct diag_loc loc = {.file = "f.py", .line = 2, .col = 6};
    assert_false(diag_error(sink, loc, "t.code", "bad '%s'", "three"));
    struct diag_loc json = {.file = "g.json", .path = "/nodes/3"};
    diag_warn(sink, json, "t.warn", "odd");
    struct buf out = {0};
    diag_render(sink, false, &out);
    assert_string_equal(out.data, "f.py:2:6: error: bad 'three' [t.code]\n"
                                  "    \ttwo three\n"
                                  "    \t    ^\n"
                                  "g.json: warning: odd (at /nodes/3)"
                                  " [t.warn]\n");
    assert_int_equal(diag_error_count(sink), 1);
    for (unsigned i = 0; i < DC_MAX_DIAGS + 5; i++)
        diag_error(sink, json, "t.many", "again");
    assert_int_equal(diag_count(sink), DC_MAX_DIAGS);
    buf_fini(&out);
    diag_sink_free(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena),   cmocka_unit_test(test_base64),
        cmocka_unit_test(test_double),  cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_ends),
        cmocka_unit_test(test_visible), cmocka_unit_test(test_render_controls),
        cmocka_unit_test(test_file),    cmocka_unit_test(test_render),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_abandoned)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
