/* SPDX-License-Identifier: Apache-2.0
 *
 * Every proof re-checks: for each pair of the corpora that is proved, and each
 * labelled pair of ../shared/data where that is there, the certificate is
 * confirmed, its terms enumerated where they can be. PrimFuncs and Relax
 * functions.
 *
 *   test_certificates              pairs and traps of the corpora
 *   test_certificates acceptance   the acceptance table, at its own sizes
 *   test_certificates data         labelled pairs and some of the ResNet-50's
 *   test_certificates -v DIR...    what becomes of each of these pairs
 */
#include "tests/test.h"
#include "verifier/verifier.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

struct tally {
    size_t pairs, proved, confirmed, undecided, enumerated;
    bool verbose;
};

static struct ir_module *module(const char *path)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = NULL;
    if (file_read(path, (size_t)1 << 26, &text, sink))
        m = ir_read(buf_text(&text), text.len, path, sink);
    if (m != NULL)
        ir_host_restore(m, sink);
    if (m != NULL && !ir_wellformed(m, sink)) {
        ir_module_free(m);
        m = NULL;
    }
    buf_fini(&text);
    diag_sink_free(sink);
    return m;
}

/* Two functions that may be one another's: 1 PrimFuncs, 2 Relax, 0 not. */
static int kind_of(const struct ir_func *f, const struct ir_func *g)
{
    if (f == NULL || g == NULL || f->kind != g->kind)
        return 0;
    if (f->kind == IR_FUNC_PRIM)
        return f->prim.body != NULL && g->prim.body != NULL;
    return f->kind == IR_FUNC_RELAX ? 2 : 0;
}

static void check_functions(struct tally *tally, const char *dir,
                            const struct ir_module *t, const struct ir_func *g,
                            const struct ir_module *u, const struct ir_func *f)
{
    struct verifier_options options = {.certificate = ""};
    struct verifier_result r;
    struct verifier_confirmation c;
    (kind_of(f, g) == 2 ? verifier_prove_relax : verifier_prove)(t, g, u, f,
                                                                 &options, &r);
    tally->proved += r.certificate.len > 0;
    if (r.certificate.len > 0) {
        verifier_check_certificate(r.certificate.data, r.certificate.len, t, g,
                                   u, f, &c);
        tally->confirmed += c.outcome == VERIFIER_CONFIRMED;
        tally->undecided += c.outcome == VERIFIER_UNDECIDED;
        if (c.outcome != VERIFIER_CONFIRMED)
            print_error("%s, %s: %s\n", dir, f->name, c.reason);
        else if (tally->verbose)
            print_message("%s: %s\n", dir, c.enumerated);
        tally->enumerated +=
            c.outcome == VERIFIER_CONFIRMED &&
            strncmp(c.enumerated, "terms of ", strlen("terms of ")) == 0;
        verifier_confirmation_fini(&c);
    } else if (tally->verbose) {
        print_message("%s: %s\n", dir, r.reason);
    }
    verifier_result_fini(&r);
}

static void check_paths(struct tally *tally, const char *dir,
                        const char *untuned, const char *tuned)
{
    struct ir_module *u = module(untuned), *t = module(tuned);
    tally->pairs++;
    for (size_t i = 0; u != NULL && t != NULL && i < u->nfuncs; i++) {
        struct ir_func *f = u->funcs[i], *g = ir_module_find(t, f->name);
        if (g == NULL && t->nfuncs == 1)
            g = t->funcs[0];
        if (kind_of(f, g) != 0)
            check_functions(tally, dir, t, g, u, f);
    }
    ir_module_free(u);
    ir_module_free(t);
}

static void check_pair(struct tally *tally, const char *dir, const char *suffix)
{
    struct buf u = {0}, t = {0};
    buf_printf(&u, "%s/untuned.%s", dir, suffix);
    buf_printf(&t, "%s/tuned.%s", dir, suffix);
    check_paths(tally, dir, buf_text(&u), buf_text(&t));
    buf_fini(&u);
    buf_fini(&t);
}

/* ---- the acceptance table --------------------------------------------------- */

/* The value of a line of the file expect (corpora/README.md); "" if none. */
static void expected(const char *dir, const char *key, struct buf *out)
{
    struct buf path = {0}, text = {0};
    struct diag_sink *sink = diag_sink_new();
    size_t n = strlen(key);
    buf_printf(&path, "%s/expect", dir);
    out->len = 0;
    buf_puts(out, "");
    if (file_read(buf_text(&path), 4096, &text, sink)) {
        for (const char *line = buf_text(&text); line != NULL;) {
            const char *end = strchr(line, '\n');
            size_t len = end != NULL ? (size_t)(end - line) : strlen(line);
            if (len > n && strncmp(line, key, n) == 0 && line[n] == ' ')
                buf_append(out, line + n + 1, len - n - 1);
            line = end != NULL ? end + 1 : NULL;
        }
    }
    buf_fini(&path);
    buf_fini(&text);
    diag_sink_free(sink);
}

static bool exists(const char *path)
{
    FILE *f = fopen(path, "r");
    if (f != NULL)
        (void)fclose(f);
    return f != NULL;
}

/* The module of one side: where the case says, in its folder, or in that of the
 * case it is a bug of, which may say, too. */
static void module_path(const char *dir, const char *side, struct buf *out)
{
    struct buf base = {0}, other = {0};
    const char *bug = strstr(dir, "-bug");
    buf_printf(&base, "%.*s", bug != NULL ? (int)(bug - dir) : 999, dir);
    expected(dir, side, &other);
    if (other.len == 0) {
        buf_printf(out, "%s/%s.py", dir, side);
        if (exists(buf_text(out)) || bug == NULL)
            goto done;
        expected(buf_text(&base), side, &other);
    }
    out->len = 0;
    if (other.len > 0)
        buf_printf(out, "corpora/%s", buf_text(&other));
    else
        buf_printf(out, "%s/%s.py", buf_text(&base), side);
done:
    buf_fini(&base);
    buf_fini(&other);
}

static void check_case(struct tally *tally, const char *dir)
{
    struct buf u = {0}, t = {0}, command = {0};
    expected(dir, "command", &command);
    if (command.len == 0) { /* otherwise it is not the prover's */
        module_path(dir, "untuned", &u);
        module_path(dir, "tuned", &t);
        check_paths(tally, dir, buf_text(&u), buf_text(&t));
    }
    buf_fini(&u);
    buf_fini(&t);
    buf_fini(&command);
}

/* ---- folders ---------------------------------------------------------------- */

struct folders {
    struct VEC(char *) names;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The folders below root, sorted; false: there is no root. */
static bool list(const char *root, struct folders *out)
{
    DIR *dir = opendir(root);
    memset(out, 0, sizeof *out);
    if (dir == NULL)
        return false;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        struct buf path = {0};
        if (e->d_name[0] == '.')
            continue;
        buf_printf(&path, "%s/%s", root, e->d_name);
        char *copy = dc_alloc(path.len + 1);
        memcpy(copy, path.data, path.len);
        vec_push(&out->names, copy);
        buf_fini(&path);
    }
    (void)closedir(dir);
    if (out->names.len > 0)
        qsort(out->names.items, out->names.len, sizeof *out->names.items,
              by_name);
    return true;
}

static void release(struct folders *f)
{
    for (size_t i = 0; i < f->names.len; i++)
        dc_release(f->names.items[i]);
    vec_fini(&f->names);
}

static void report(const struct tally *t)
{
    print_message("%zu pairs, %zu proofs, %zu confirmed, %zu enumerated, %zu "
                  "undecided\n",
                  t->pairs, t->proved, t->confirmed, t->enumerated,
                  t->undecided);
}

static void test_corpora(void **state)
{
    static const char *const roots[] = {"corpora/pairs", "corpora/traps"};
    struct tally tally = {0};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(roots); k++) {
        struct folders f;
        assert_true(list(roots[k], &f));
        for (size_t i = 0; i < f.names.len; i += TEST_ONE_IN(6))
            check_pair(&tally, f.names.items[i], "py");
        release(&f);
    }
    report(&tally);
    assert_true(tally.proved >= 70 / TEST_ONE_IN(6));
    assert_int_equal(tally.confirmed, tally.proved);
    /* few proofs are out of the enumeration's reach */
    assert_true(tally.enumerated * 10 >= tally.proved * 7);
}

/* The real sizes, most of them too large to be run. Bugs are not proved, and
 * their search takes the longest, so these are left to the verdicts' test. */
static void test_acceptance(void **state)
{
    struct tally tally = {0};
    struct folders f;
    (void)state;
    assert_true(list("corpora/acceptance", &f));
    for (size_t i = 0; i < f.names.len; i++)
        if (strstr(f.names.items[i], "-bug") == NULL &&
            strstr(f.names.items[i], "/missed") == NULL)
            check_case(&tally, f.names.items[i]);
    release(&f);
    report(&tally);
    assert_true(tally.proved >= 60);
    assert_int_equal(tally.confirmed, tally.proved);
    assert_true(tally.enumerated * 10 >= tally.proved * 7);
}

/* Nothing is refused; what another solver cannot decide is counted. */
static void test_data(void **state)
{
    static const struct {
        const char *path;
        size_t step; /* every so many */
    } roots[] = {{"../shared/data/tvm/dlight", 1},
                 {"../shared/data/tvm/eras", 1},
                 {"../shared/data/tvm/metaschedule", 1},
                 {"../shared/data/tvm/mutants", 1},
                 {"../shared/data/tvm/passes", 1},
                 {"../shared/data/tvm/relax", 1},
                 {"../shared/data/tvm/schedule", 1},
                 {"../shared/data/tvm/seed0", 1},
                 {"../shared/data/models/resnet50", 60}};
    struct tally tally = {0};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(roots); k++) {
        struct folders f;
        if (!list(roots[k].path, &f))
            continue;
        for (size_t i = 0; i < f.names.len; i += roots[k].step)
            check_pair(&tally, f.names.items[i], "json");
        release(&f);
    }
    if (tally.pairs == 0) {
        print_message("skipped: ../shared/data is not there\n");
        exit(77);
    }
    report(&tally);
    assert_int_equal(tally.confirmed + tally.undecided, tally.proved);
    assert_true(tally.undecided * 20 <= tally.proved);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest corpora[] = {cmocka_unit_test(test_corpora)};
    const struct CMUnitTest acceptance[] = {cmocka_unit_test(test_acceptance)};
    const struct CMUnitTest data[] = {cmocka_unit_test(test_data)};
    if (argc > 2 && strcmp(argv[1], "-v") == 0) {
        struct tally tally = {.verbose = true};
        for (int i = 2; i < argc; i++) {
            struct buf path = {0};
            buf_printf(&path, "%s/untuned.json", argv[i]);
            if (exists(buf_text(&path)))
                check_pair(&tally, argv[i], "json");
            else
                check_case(&tally, argv[i]);
            buf_fini(&path);
        }
        report(&tally);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "acceptance") == 0)
        return cmocka_run_group_tests(acceptance, NULL, NULL);
    if (argc > 1 && strcmp(argv[1], "data") == 0)
        return cmocka_run_group_tests(data, NULL, NULL);
    return cmocka_run_group_tests(corpora, NULL, NULL);
}
