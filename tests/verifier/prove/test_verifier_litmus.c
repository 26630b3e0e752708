/* SPDX-License-Identifier: Apache-2.0
 *
 * The prover on the programs of the GPU memory model (corpora/litmus, rules G1
 * to G40 of docs/semantics.md): whichever breaks a rule is not called safe for
 * all inputs, whichever keeps it is.
 */
#include "tests/test.h"
#include "verifier/verifier.h"

#include <dirent.h>
#include <string.h>

/* What keeps its rule and is not shown to, and why. */
static const struct {
    const char *name, *why;
} open[] = {
    {"g08-warp-sync-right", "barriers of one warp are those of no other"},
    {"g09-lockstep-right", "the same"},
    {"g12-returned-right", "a return amid the function"},
    {"g13-trip-count-right", "the product of an element may not fit"},
    {"g14-part-of-warp-right", "barriers are a block's"},
    {"g18-equal-writes-right", "a read of what another thread writes"},
    {"g20-shuffle-source-right", "lanes that take no part"},
    {"g21-shuffle-memory-right", "barriers of one warp are those of no other"},
    {"g35-wmma-store-right", "the same"},
};

/* What the second line says of the program, after "# G… right: ". */
static void litmus_says(const char *path, char *says, size_t room)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    assert_true(file_read(path, 1 << 16, &text, sink));
    const char *line = strchr(buf_text(&text), '\n');
    const char *colon = line != NULL ? strstr(line, ": ") : NULL;
    assert_non_null(colon);
    (void)snprintf(says, room, "%.*s", (int)strcspn(colon + 2, "\n"),
                   colon + 2);
    buf_fini(&text);
    diag_sink_free(sink);
}

static bool litmus_safe(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    struct verifier_options options = {0};
    struct verifier_lint lint;
    assert_non_null(m);
    verifier_lint(m, m->funcs[0], &options, &lint);
    bool safe = lint.safe;
    verifier_lint_fini(&lint);
    ir_module_free(m);
    diag_sink_free(sink);
    return safe;
}

static bool is_left_open(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(open); i++)
        if (strncmp(open[i].name, name, strlen(open[i].name)) == 0)
            return true;
    return false;
}

/* Those that break a rule are not safe; those that keep it are, but for what is
 * left open. */
static void litmus(void **state)
{
    DIR *dir = opendir("corpora/litmus");
    size_t seen = 0, bad = 0;
    (void)state;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[512], says[64];
        if (e->d_name[0] != 'g' || strstr(e->d_name, "-serial") != NULL)
            continue;
        snprintf(path, sizeof path, "corpora/litmus/%s", e->d_name);
        litmus_says(path, says, sizeof says);
        bool right = strcmp(says, "ok") == 0 ||
                     strcmp(says, "order-only") == 0 ||
                     strcmp(says, "different") == 0;
        if (litmus_safe(path) != (right && !is_left_open(e->d_name))) {
            print_error("%s: is '%s', and %s\n", path, says,
                        right ? "not shown" : "called safe");
            bad++;
        }
        seen++;
    }
    closedir(dir);
    assert_int_equal(seen, 80);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(litmus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
