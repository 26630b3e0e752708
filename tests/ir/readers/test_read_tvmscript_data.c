/* SPDX-License-Identifier: Apache-2.0
 *
 * The TVMScript reader over the whole set of real modules: every text must
 * read, and must read equal to the JSON of the same module that lies beside
 * it. Apart are texts that TVM 0.27 itself does not read back equal: with
 * symbolic dimensions, where data types of loop domains are lost; with LLVM
 * intrinsics, which JSON has by number; ill-formed modules with free variables,
 * which correspond by use only. TileLang's texts are not TVM's. A text that
 * lacks something (constants, which TVM prints as metadata, and views under
 * another type) is refused with a message that points to the JSON.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#define DATA "../shared/data"

extern const struct ir_reader read_tvmscript;

/* Parts of paths. */
static const char *const lossy[] = {
    "symbolic_gemm",  /* the data types of loop domains are not in the text */
    "no-fault/sdot_", /* intrinsics by name, in JSON by number */
    "no-fault/vnni_dot_",
};
static const char *const foreign[] = {"/tilelang/"};
static const char *const free_variables[] = {
    "partition_FlattenBuffer", "partition_LoopPartition",
    "transform-block-layout-guard", "transform-layout-permuted-block"};

struct counts {
    size_t read, compared, skipped, refused, bad;
};

static bool has_part(const char *path, const char *const *parts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strstr(path, parts[i]))
            return true;
    }
    return false;
}

/* The text says itself that it does not hold the whole module. */
static bool points_to_json(const struct diag_sink *sink)
{
    const struct diag *first = diag_count(sink) ? diag_at(sink, 0) : NULL;
    return first && strcmp(first->code, "script.unsupported") == 0 &&
           strstr(first->message, "module's JSON") != NULL;
}

static void report(const char *path, struct diag_sink *sink,
                   struct counts *counts)
{
    struct buf text = {0};
    diag_render(sink, false, &text);
    print_error("%s: does not read\n%s", path, buf_text(&text));
    buf_fini(&text);
    counts->bad++;
}

static void compare(const char *path, const struct ir_module *script,
                    struct counts *counts)
{
    struct buf other = {0};
    buf_append(&other, path, strlen(path) - 3);
    buf_puts(&other, ".json");
    struct stat info;
    if (stat(buf_text(&other), &info) == 0) {
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *json = ir_read_file(buf_text(&other), sink);
        struct buf where = {0};
        struct ir_equal_options options = {0};
        options.map_free_vars =
            has_part(path, free_variables, DC_ARRAY_LEN(free_variables));
        if (!json) {
            report(buf_text(&other), sink, counts);
        } else if (has_part(path, lossy, DC_ARRAY_LEN(lossy))) {
            counts->skipped++;
        } else if (!ir_module_equal(script, json, options, &where)) {
            print_error("%s: %s\n", path, buf_text(&where));
            counts->bad++;
        } else {
            counts->compared++;
        }
        buf_fini(&where);
        ir_module_free(json);
        diag_sink_free(sink);
    }
    buf_fini(&other);
}

static void check_text(const char *path, struct counts *counts)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    struct ir_module *m = NULL;
    if (file_read(path, 0, &text, sink)) {
        assert_true(read_tvmscript.detect(text.data, text.len));
        m = read_tvmscript.read(text.data, text.len, path, sink);
    }
    if (m) {
        counts->read++;
        compare(path, m, counts);
    } else if (points_to_json(sink)) {
        counts->refused++;
    } else {
        report(path, sink, counts);
    }
    ir_module_free(m);
    buf_fini(&text);
    diag_sink_free(sink);
}

static void walk(const char *folder, unsigned depth, struct counts *counts)
{
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        struct buf path = {0};
        struct stat info;
        size_t len = strlen(d->d_name);
        buf_printf(&path, "%s/%s", folder, d->d_name);
        bool known = d->d_name[0] != '.' && stat(buf_text(&path), &info) == 0;
        if (known && S_ISDIR(info.st_mode) && depth < 8)
            walk(buf_text(&path), depth + 1, counts);
        else if (known && len > 3 && strcmp(d->d_name + len - 3, ".py") == 0 &&
                 strcmp(d->d_name, "repro.py") != 0 &&
                 !has_part(buf_text(&path), foreign, DC_ARRAY_LEN(foreign)))
            check_text(buf_text(&path), counts);
        buf_fini(&path);
    }
    closedir(dir);
}

static void test_data(void **state)
{
    (void)state;
    struct stat info;
    if (stat(DATA, &info) != 0) {
        print_message("skipped: " DATA " not there\n");
        skip();
    }
    struct counts counts = {0};
    walk(DATA, 0, &counts);
    print_message("%zu texts read, %zu equal to their JSON, %zu say less, %zu "
                  "refused for it\n",
                  counts.read, counts.compared, counts.skipped, counts.refused);
    assert_int_equal(counts.bad, 0);
    assert_true(counts.refused <= 20);
    assert_true(counts.read >= 1200);
    assert_true(counts.compared >= 1200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_data)};
    return cmocka_run_group_tests_name("read_tvmscript_data", tests, NULL,
                                       NULL);
}
