/* SPDX-License-Identifier: Apache-2.0
 *
 * Names run no code: programs emitted under strange names are those under tame
 * ones but for a renaming (fuzz/names.h), and what such a name says is not
 * compiled. The macros and functions of the headers are asked of the compiler
 * that is there.
 */
#include "diff/emit/emit.h"
#include "fuzz/gen.h"
#include "fuzz/names.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GENERATED 24 /* pairs */

static const char *const languages[] = {"C", "OpenCL", "CUDA"};

static struct ir_module *module_of(const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf shown = {0};
    struct ir_module *m =
        ir_read(text, strlen(text), "test.py", sink);
    diag_render(sink, false, &shown);
    if (m == NULL)
        fail_msg("%s", buf_text(&shown));
    buf_fini(&shown);
    diag_sink_free(sink);
    return m;
}

/* All languages, with as many sets of names. Number of texts compared. */
static size_t check(struct ir_module *m, const char *label, size_t rounds)
{
    size_t n = 0;
    for (size_t language = 0; language < DC_ARRAY_LEN(languages); language++) {
        struct buf why = {0};
        n += names_check(m, (enum emit_language)language,
                         hash_bytes(language, label, strlen(label)), rounds,
                         &why);
        if (why.len > 0)
            fail_msg("%s in %s: %s", label, languages[language],
                     buf_text(&why));
        buf_fini(&why);
    }
    return n;
}

/* ---- the same program ------------------------------------------------------------------- */

static const char matmul[] =
    "@T.prim_func\n"
    "def main(A: T.Buffer((16, n), \"float16\"), B: T.Buffer((16, n),\n"
    "         \"float16\"), C: T.Buffer((16,), \"float32\"), flag: T.bool,\n"
    "         s: T.float32, n: T.int32):\n";

static void generated_programs_keep_their_text(void **state)
{
    const struct gen_options options = gen_small_options();
    size_t n = 0;
    (void)state;
    (void)matmul;
    for (uint64_t seed = 0; seed < GENERATED; seed++) {
        struct gen_pair pair;
        char label[32];
        gen_pair_init(&pair, NULL, 0, seed, &options);
        snprintf(label, sizeof label, "pair %d", (int)seed);
        n += check(pair.untuned, label, 10);
        n += check(pair.tuned, label, 10);
        gen_pair_fini(&pair);
    }
    assert_true(n > GENERATED * 6);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static bool is_module(const char *name)
{
    size_t n = strlen(name);
    return (n > 3 && strcmp(name + n - 3, ".py") == 0) ||
           (n > 10 && strcmp(name + n - 10, "tuned.json") == 0);
}

/* Modules of a folder, every so many-th. */
static size_t check_folder(const char *folder, size_t every, size_t *seen)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, NULL, by_name);
    size_t compared = 0;
    for (int i = 0; i < n; i++) {
        struct buf path = {0};
        const char *name = entries[i]->d_name;
        buf_printf(&path, "%s/%s", folder, name);
        struct ir_module *m = NULL;
        if (is_module(name) && (*seen)++ % every == 0)
            m = ir_read_file(buf_text(&path), NULL);
        else if (strchr(name, '.') == NULL) /* a folder */
            compared += check_folder(buf_text(&path), every, seen);
        if (m != NULL)
            compared += check(m, buf_text(&path), 12);
        ir_module_free(m);
        buf_fini(&path);
        free(entries[i]);
    }
    free(entries);
    return compared;
}

static void corpora_keep_their_text(void **state)
{
    size_t seen = 0;
    (void)state;
    assert_true(check_folder("corpora/litmus", 1, &seen) > 300);
    assert_true(check_folder("corpora/pairs", 1, &seen) > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_programs_keep_their_text),
        cmocka_unit_test(corpora_keep_their_text),
    };
    (void)module_of;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
