/* SPDX-License-Identifier: Apache-2.0
 *
 * Every proof re-checks: for each pair of the corpora that is proved, and each
 * labelled pair of ../shared/data where that is there, the certificate is
 * confirmed, its terms enumerated at small sizes where they can be.
 *
 *   test_certificates              the corpora
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

static struct ir_module *module(const char *dir, const char *name,
                                const char *suffix)
{
    char path[512];
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = NULL;
    (void)snprintf(path, sizeof path, "%s/%s.%s", dir, name, suffix);
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

static bool is_prim(const struct ir_func *f)
{
    return f != NULL && f->kind == IR_FUNC_PRIM && f->prim.body != NULL;
}

static void check_functions(struct tally *tally, const char *dir,
                            const struct ir_module *t, const struct ir_func *g,
                            const struct ir_module *u, const struct ir_func *f)
{
    struct verifier_options options = {.certificate = ""};
    struct verifier_result r;
    struct verifier_confirmation c;
    verifier_prove(t, g, u, f, &options, &r);
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

static void check_pair(struct tally *tally, const char *dir, const char *suffix)
{
    struct ir_module *u = module(dir, "untuned", suffix);
    struct ir_module *t = module(dir, "tuned", suffix);
    tally->pairs++;
    for (size_t i = 0; u != NULL && t != NULL && i < u->nfuncs; i++) {
        struct ir_func *f = u->funcs[i], *g = ir_module_find(t, f->name);
        if (g == NULL && t->nfuncs == 1)
            g = t->funcs[0];
        if (is_prim(f) && is_prim(g))
            check_functions(tally, dir, t, g, u, f);
    }
    ir_module_free(u);
    ir_module_free(t);
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
        for (size_t i = 0; i < f.names.len; i++)
            check_pair(&tally, f.names.items[i], "py");
        release(&f);
    }
    report(&tally);
    assert_true(tally.proved >= 70);
    assert_int_equal(tally.confirmed, tally.proved);
    /* few proofs are out of the enumeration's reach */
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
    const struct CMUnitTest data[] = {cmocka_unit_test(test_data)};
    if (argc > 2 && strcmp(argv[1], "-v") == 0) {
        struct tally tally = {.verbose = true};
        for (int i = 2; i < argc; i++) {
            char path[512];
            (void)snprintf(path, sizeof path, "%s/untuned.py", argv[i]);
            FILE *text = fopen(path, "r");
            check_pair(&tally, argv[i], text != NULL ? "py" : "json");
            if (text != NULL)
                (void)fclose(text);
        }
        report(&tally);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "data") == 0)
        return cmocka_run_group_tests(data, NULL, NULL);
    return cmocka_run_group_tests(corpora, NULL, NULL);
}
