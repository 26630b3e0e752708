/* SPDX-License-Identifier: Apache-2.0
 *
 * The enumeration of terms: rule by rule (enumerate_rules.h); against the pairs
 * of the corpora, whose verdicts are known for reasons of their own; against
 * pairs that were once proved wrongly; and against the programs that keep and
 * break the rules for threads.
 *
 * Of the corpora a claim stronger than the verdict is never found to hold, the
 * verdict itself never to fail. The same of elements by themselves, which is how
 * programs are looked at that are too large to be run whole: there no claim that
 * holds may fail, and what fails in the whole fails in one of its elements,
 * unless these cannot be had.
 */
#include "tests/cases/enumerate_rules.h"
#include "tests/test.h"

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

#define NOT_ASKED (-1)
#define UNSAFE    (-2)

/* 4 identical, 3 order-only, 1 precision, 0 different, or one of the above. The
 * verdict of guard-xor-reversed is what laws show; two terms after +0 are added
 * to the same bits in either order. */
static int truth(const char *dir)
{
    static const char *const words[] = {"different", "precision", "",
                                        "order-only", "identical"};
    /* judged by an option; a barrier that is implied where not all threads come
     * by; what differs at one number of 65536 alone */
    static const char *const unseen[] = {
        "shared-explicit", "implicit-barrier-divergent",
        "signed-compared-wrong", "conversion-of-2-31", "difference-crossed"};
    struct buf path = {0}, text = {0};
    struct diag_sink *sink = diag_sink_new();
    int out = NOT_ASKED;
    buf_printf(&path, "%s/expect", dir);
    bool asked = file_read(buf_text(&path), 4096, &text, sink) &&
                 strstr(buf_text(&text), "--assume") == NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(unseen); i++)
        asked = asked && strstr(dir, unseen[i]) == NULL;
    for (size_t i = 0; asked && i < DC_ARRAY_LEN(words); i++)
        if (*words[i] != '\0' &&
            strncmp(buf_text(&text), words[i], strlen(words[i])) == 0)
            out = (int)i;
    if (asked && strncmp(buf_text(&text), "unsafe", 6) == 0)
        out = UNSAFE;
    if (strstr(dir, "guard-xor-reversed") != NULL)
        out = 4;
    buf_fini(&path);
    buf_fini(&text);
    diag_sink_free(sink);
    return out;
}

struct tally {
    size_t held, failed, undone;
    size_t sampled; /* elements show what the whole shows */
    size_t unknown; /* they cannot be had by themselves */
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
    /* one of many elements, or sizes, that no sample is of */
    if (got == ENUMERATE_EQUAL && whole == ENUMERATE_UNEQUAL &&
        strstr(dir, "t19-one-of-many-wrong") == NULL &&
        strstr(dir, "t19-large-sizes-wrong") == NULL)
        fail_msg("%s: no element shows that claim %d is wrong", dir,
                 claims[i].strength);
    tally->sampled += got == whole;
    tally->unknown += got == ENUMERATE_NOT_DONE;
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
    struct ir_module *u = most == NOT_ASKED ? NULL : module(dir, "untuned.py");
    struct ir_module *t = u == NULL ? NULL : module(dir, "tuned.py");
    bool asked = t != NULL && !has_relax(u) && !has_relax(t);
    /* faults are looked for on all inputs under the strongest claim alone */
    size_t n = most == UNSAFE ? 1 : DC_ARRAY_LEN(claims);
    for (size_t i = 0; asked && i < n; i++) {
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
        if (got != ENUMERATE_NOT_DONE && !large && most != UNSAFE)
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
            if (e->d_name[0] != '.' && test_takes(e->d_name, TEST_ONE_IN(6)))
                check_pair(buf_text(&path), &tally);
            buf_fini(&path);
        }
        (void)closedir(dir);
    }
    print_message("%zu claims hold, %zu fail, %zu not decided\n", tally.held,
                  tally.failed, tally.undone);
    assert_true(tally.held >= 100 / TEST_ONE_IN(12));
    assert_true(tally.failed >= 100 / TEST_ONE_IN(12));
    print_message("by elements: %zu the same, %zu not known\n", tally.sampled,
                  tally.unknown);
    assert_true(tally.unknown * 3 <= tally.sampled);
}

/* ---- rules ------------------------------------------------------------------ */

static struct ir_module *program(const struct enum_row *row, const char *body)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&text, "@T.prim_func(%s)\ndef main(%s):\n%s", row->head,
               row->params, body);
    struct ir_module *m = ir_read(buf_text(&text), text.len, row->name, sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        print_error("%s\n",
                    diag_count(sink) > 0 ? diag_at(sink, 0)->message : "");
        fail_msg("%s: not read:\n%s", row->name, buf_text(&text));
    }
    buf_fini(&text);
    diag_sink_free(sink);
    return m;
}

static bool check_row(const struct enum_row *row)
{
    static const char *const words[] = {"equal", "unequal", "not done"};
    struct ir_module *u = program(row, row->untuned);
    struct ir_module *t = program(row, row->tuned);
    struct enumerate_result r;
    if (strcmp(row->head, SAMPLED_TIR) == 0)
        enumerate_check_samples(u->funcs[0], t->funcs[0], row->claim, false,
                                SAMPLES, &r);
    else
        enumerate_check(u->funcs[0], t->funcs[0], row->claim, false, 0, &r);
    bool fine =
        r.outcome == row->want &&
        (row->why == NULL || (r.why != NULL && strstr(r.why, row->why)));
    if (!fine)
        print_error("%s: %s, wanted %s%s%s: %s\n", row->name, words[r.outcome],
                    words[row->want], row->why != NULL ? ": " : "",
                    row->why != NULL ? row->why : "",
                    r.why != NULL ? r.why : "no reason");
    enumerate_fini(&r);
    ir_module_free(u);
    ir_module_free(t);
    return fine;
}

static void test_rules(void **state)
{
    size_t wrong = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(enum_rows); i++)
        wrong += !check_row(&enum_rows[i]);
    assert_int_equal(wrong, 0);
}

/* ---- what numbers decide ---------------------------------------------------- */

/* How many elements are equal by numbers alone is said. */
static void test_counts(void **state)
{
    static const struct {
        const char *name;
        size_t elements, by_numbers;
    } rows[] = {
        {"R12: max(NaN, x) is x", 4, 4},
        {"rows apart", 12, 0},
        {"a scatter by data", 8, 8},
        {"terms of other forms, by elements", 4, 4},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        const struct enum_row *row = NULL;
        struct enumerate_result r;
        for (size_t k = 0; k < DC_ARRAY_LEN(enum_rows) && row == NULL; k++)
            if (strcmp(enum_rows[k].name, rows[i].name) == 0)
                row = &enum_rows[k];
        assert_non_null(row);
        struct ir_module *u = program(row, row->untuned);
        struct ir_module *t = program(row, row->tuned);
        enumerate_check(u->funcs[0], t->funcs[0], row->claim, false, 0, &r);
        assert_int_equal(r.outcome, ENUMERATE_EQUAL);
        assert_int_equal(r.elements, rows[i].elements);
        assert_int_equal(r.by_numbers, rows[i].by_numbers);
        enumerate_fini(&r);
        ir_module_free(u);
        ir_module_free(t);
    }
}

/* Pairs that a prover has once claimed to be identical, wrongly: each is refused
 * by the enumeration alone. */
static void test_refuted(void **state)
{
    DIR *dir = opendir("corpora/refuted");
    size_t n = 0, wrong = 0;
    (void)state;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        struct buf path = {0}, why = {0};
        bool large = false;
        buf_printf(&path, "corpora/refuted/%s", e->d_name);
        struct ir_module *u =
            e->d_name[0] == '.' ? NULL : module(buf_text(&path), "untuned.py");
        struct ir_module *t =
            u == NULL ? NULL : module(buf_text(&path), "tuned.py");
        if (e->d_name[0] != '.') {
            n++;
            assert_non_null(t);
            bool refused = ask(u, t, ENUMERATE_IDENTICAL, false, false, &large,
                               &why) == ENUMERATE_UNEQUAL;
            wrong += !refused;
            if (!refused)
                print_error("%s: not refused: %s\n", buf_text(&path),
                            buf_text(&why));
        }
        ir_module_free(u);
        ir_module_free(t);
        buf_fini(&path);
        buf_fini(&why);
    }
    (void)closedir(dir);
    assert_true(n >= 90);
    assert_int_equal(wrong, 0);
}

/* ---- threads ---------------------------------------------------------------- */

/* Whether the enumeration knows what a program of the litmus corpus has. */
static bool is_known(const char *name)
{
    static const char *const unknown[] = {
        "g12-", "g19-", "g20-", "g21-", "g22-", "g23-", "g24-", "g25-",
        "g26-", "g27-", "g28-", "g31-", "g37-", "g38-", "g39-", "g40-"};
    for (size_t i = 0; i < DC_ARRAY_LEN(unknown); i++)
        if (strncmp(name, unknown[i], strlen(unknown[i])) == 0)
            return false;
    return true;
}

/* The right program of each rule has no fault, the wrong one is told from it:
 * by a race, a barrier, what is undefined, or its values. */
static void check_litmus(const char *name, size_t *known)
{
    struct buf wrong = {0}, why = {0};
    size_t n = strlen(name) - strlen("right.py");
    bool large = false;
    struct ir_module *r = module("corpora/litmus", name);
    buf_printf(&wrong, "%.*swrong.py", (int)n, name);
    struct ir_module *w = module("corpora/litmus", buf_text(&wrong));
    assert_non_null(r);
    assert_non_null(w);
    enum enumerate_outcome itself =
        ask(r, r, ENUMERATE_IDENTICAL, false, false, &large, &why);
    if (itself != (is_known(name) ? ENUMERATE_EQUAL : ENUMERATE_NOT_DONE))
        fail_msg("%s against itself: %s", name, buf_text(&why));
    if (ask(r, w, ENUMERATE_IDENTICAL, false, false, &large, &why) !=
        (is_known(name) ? ENUMERATE_UNEQUAL : ENUMERATE_NOT_DONE))
        fail_msg("%s: not told from the right one: %s", buf_text(&wrong),
                 buf_text(&why));
    *known += is_known(name);
    ir_module_free(r);
    ir_module_free(w);
    buf_fini(&wrong);
    buf_fini(&why);
}

static void test_litmus(void **state)
{
    DIR *dir = opendir("corpora/litmus");
    size_t known = 0;
    (void)state;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        if (strstr(e->d_name, "-right.py") != NULL)
            check_litmus(e->d_name, &known);
    (void)closedir(dir);
    assert_true(known >= 24);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),   cmocka_unit_test(test_counts),
        cmocka_unit_test(test_refuted), cmocka_unit_test(test_litmus),
        cmocka_unit_test(test_corpora),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
