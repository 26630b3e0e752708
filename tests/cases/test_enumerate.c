/* SPDX-License-Identifier: Apache-2.0
 *
 * The enumeration of terms against the pairs of the corpora, whose verdicts are
 * known for reasons of their own: a claim stronger than the verdict is never
 * found to hold, the verdict itself never to fail. It sees values alone, so
 * pairs that are unsafe, and those whose difference needs large sizes, are
 * left out. The same of elements by themselves, which is how programs are
 * looked at that are too large to be run whole: there no claim that holds may
 * fail, and what fails in the whole fails in one of its elements.
 */
#include "tests/test.h"
#include "verifier/enumerate/enumerate.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static struct ir_module *module(const char *dir, const char *name)
{
    struct buf path = {0}, text = {0};
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = NULL;
    buf_printf(&path, "%s/%s", dir, name);
    if (file_read(buf_text(&path), 1 << 20, &text, sink))
        m = ir_read(buf_text(&text), text.len, buf_text(&path), sink);
    if (m != NULL)
        ir_host_restore(m, sink);
    if (m != NULL && !ir_wellformed(m, sink)) {
        ir_module_free(m);
        m = NULL;
    }
    buf_fini(&path);
    buf_fini(&text);
    diag_sink_free(sink);
    return m;
}

/* 4 identical, 3 order-only, 1 precision, 0 different; -1: not asked. */
static int truth(const char *dir)
{
    static const char *const words[] = {"different", "precision", "",
                                        "order-only", "identical"};
    struct buf path = {0}, text = {0};
    struct diag_sink *sink = diag_sink_new();
    int out = -1;
    buf_printf(&path, "%s/expect", dir);
    if (file_read(buf_text(&path), 4096, &text, sink) &&
        strstr(buf_text(&text), "--assume") == NULL &&
        strstr(dir, "large-sizes-wrong") == NULL)
        for (size_t i = 0; i < DC_ARRAY_LEN(words); i++)
            if (*words[i] != '\0' &&
                strncmp(buf_text(&text), words[i], strlen(words[i])) == 0)
                out = (int)i;
    buf_fini(&path);
    buf_fini(&text);
    diag_sink_free(sink);
    return out;
}

struct tally {
    size_t held, failed, undone;
    size_t sampled, missed; /* elements that show what the whole shows; not */
};

/* More than most outputs of the corpora have elements. */
#define SAMPLES 300u

static const struct {
    enum enumerate_claim claim;
    int strength;
} claims[] = {
    {ENUMERATE_IDENTICAL, 4}, {ENUMERATE_ORDER, 3}, {ENUMERATE_PRECISION, 1}};

/* Whether the claim holds of all functions; the worst of what was said. large:
 * some were too large to be run whole. */
static enum enumerate_outcome ask(const struct ir_module *u,
                                  const struct ir_module *t,
                                  enum enumerate_claim claim, bool finite,
                                  bool sampled, bool *large, struct buf *why)
{
    enum enumerate_outcome worst = ENUMERATE_EQUAL;
    for (size_t i = 0; i < u->nfuncs; i++) {
        struct enumerate_result r;
        const struct ir_func *g = ir_module_find(t, u->funcs[i]->name);
        if (g == NULL)
            g = t->funcs[0];
        if (sampled)
            enumerate_check_samples(u->funcs[i], g, claim, finite, SAMPLES, &r);
        else
            enumerate_check(u->funcs[i], g, claim, finite, 0, &r);
        *large = *large || r.of > 0;
        if (worst != ENUMERATE_UNEQUAL && r.outcome != ENUMERATE_EQUAL)
            worst = r.outcome;
        if (r.why != NULL)
            buf_puts(why, r.why);
        enumerate_fini(&r);
    }
    return worst;
}

/* One claim by elements, after what came of it in the whole. */
static void check_samples(const char *dir, const struct ir_module *u,
                          const struct ir_module *t, size_t i,
                          enum enumerate_outcome whole, struct tally *tally)
{
    struct buf why = {0};
    bool large = false;
    enum enumerate_outcome got =
        ask(u, t, claims[i].claim, claims[i].strength < 4, true, &large, &why);
    if (got == ENUMERATE_UNEQUAL && whole == ENUMERATE_EQUAL)
        fail_msg("%s: claim %d fails by elements alone: %s", dir,
                 claims[i].strength, buf_text(&why));
    if (got == ENUMERATE_EQUAL && whole == ENUMERATE_UNEQUAL &&
        strstr(dir, "t19-one-of-many-wrong") == NULL)
        fail_msg("%s: no element shows that claim %d is wrong", dir,
                 claims[i].strength);
    tally->sampled += got == whole;
    tally->missed += got != whole;
    if (got != whole)
        print_message("%s: claim %d is %s in the whole, by elements: %s\n", dir,
                      claims[i].strength,
                      whole == ENUMERATE_EQUAL ? "right" : "wrong",
                      got == ENUMERATE_EQUAL ? "right" : buf_text(&why));
    buf_fini(&why);
}

/* What is said of a Relax function is not said of those that it calls. */
static bool has_relax(const struct ir_module *m)
{
    bool found = false;
    for (size_t i = 0; i < m->nfuncs; i++)
        found |= m->funcs[i]->kind == IR_FUNC_RELAX;
    return found;
}

static void check_pair(const char *dir, struct tally *tally)
{
    int most = truth(dir);
    struct ir_module *u = most < 0 ? NULL : module(dir, "untuned.py");
    struct ir_module *t = u == NULL ? NULL : module(dir, "tuned.py");
    bool asked = t != NULL && !has_relax(u) && !has_relax(t);
    for (size_t i = 0; asked && i < DC_ARRAY_LEN(claims); i++) {
        struct buf why = {0};
        bool holds = claims[i].strength <= most, large = false;
        enum enumerate_outcome got = ask(
            u, t, claims[i].claim, claims[i].strength < 4, false, &large, &why);
        if ((got == ENUMERATE_EQUAL && !holds) ||
            (got == ENUMERATE_UNEQUAL && holds))
            fail_msg("%s: claim %d of %d: %s", dir, claims[i].strength, most,
                     got == ENUMERATE_EQUAL ? "holds" : buf_text(&why));
        tally->held += got == ENUMERATE_EQUAL;
        tally->failed += got == ENUMERATE_UNEQUAL;
        tally->undone += got == ENUMERATE_NOT_DONE;
        if (got != ENUMERATE_NOT_DONE && !large)
            check_samples(dir, u, t, i, got, tally);
        buf_fini(&why);
    }
    ir_module_free(u);
    ir_module_free(t);
}

static void test_corpora(void **state)
{
    static const char *const roots[] = {"corpora/pairs", "corpora/traps"};
    struct tally tally = {0};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(roots); k++) {
        DIR *dir = opendir(roots[k]);
        assert_non_null(dir);
        for (struct dirent *e; (e = readdir(dir)) != NULL;) {
            struct buf path = {0};
            buf_printf(&path, "%s/%s", roots[k], e->d_name);
            if (e->d_name[0] != '.')
                check_pair(buf_text(&path), &tally);
            buf_fini(&path);
        }
        (void)closedir(dir);
    }
    print_message("%zu claims hold, %zu fail, %zu not decided\n", tally.held,
                  tally.failed, tally.undone);
    assert_true(tally.held >= 100);
    assert_true(tally.failed >= 100);
    print_message("by elements: %zu the same, %zu not\n", tally.sampled,
                  tally.missed);
    assert_true(tally.missed * 20 <= tally.sampled);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpora)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
