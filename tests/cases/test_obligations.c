/* SPDX-License-Identifier: Apache-2.0
 *
 * Each obligation of the prover is needed: with those of one name taken as
 * shown (verifier/smt/obligation.h), some pair of the corpora gets a proof that
 * its expected verdict contradicts, so the suite would fail. The tables
 * (obligation_table.h) name all obligations and for each a pair that tells;
 * every name that the sources give to a solver or to OBLIGED must stand there.
 * Where two obligations keep each other's pair, it tells with both left out,
 * and with neither alone.
 *
 * With arguments: test_obligations NAME PAIR... prints what each pair is with
 * obligations of that name left out ("" for none); for making the table.
 */
#include "tests/cases/obligation_table.h"
#include "tests/test.h"
#include "verifier/verifier.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- one pair ------------------------------------------------------------------- */

/* As strong as a verdict is, by its name in `expect`; larger is stronger. */
static int strength(const char *word)
{
    static const char *const order[] = {"precision", "algebraic", "order-only",
                                        "identical"};
    for (size_t i = 0; i < DC_ARRAY_LEN(order); i++)
        if (strcmp(word, order[i]) == 0)
            return (int)i + 1;
    return 0; /* different, unsafe: nothing may be claimed */
}

static int strength_of(enum verifier_verdict v)
{
    switch (v) {
    case VERIFIER_IDENTICAL: return strength("identical");
    case VERIFIER_ORDER_ONLY: return strength("order-only");
    case VERIFIER_PRECISION: return strength("precision");
    case VERIFIER_UNKNOWN:
    case VERIFIER_CANDIDATE: break;
    }
    return 0;
}

/* What the prover may claim of the pair at most: its verdict, or less where a
 * line "prove VERDICT" says so; 9 where the verdict is only what was tried. */
static int truth(const char *dir)
{
    char path[256], word[32] = "";
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    (void)snprintf(path, sizeof path, "%s/expect", dir);
    if (!file_read(path, 4096, &text, sink))
        fail_msg("%s is not there", path);
    const char *line = strstr(buf_text(&text), "\nprove ");
    line = line != NULL ? line + strlen("\nprove ") : buf_text(&text);
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(line, "\n"), line);
    buf_fini(&text);
    diag_sink_free(sink);
    return strcmp(word, "agrees") == 0 ? 9 : strength(word);
}

static struct ir_module *module(const char *dir, const char *name)
{
    char path[256];
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    struct ir_module *m = NULL;
    if (file_read(path, 1 << 20, &text, sink))
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

/* Whether the pair is about these two: of modules with Relax functions their
 * `main`, else all PrimFuncs. */
static bool is_compared(const struct ir_module *u, const struct ir_func *f,
                        const struct ir_func *g)
{
    bool relax = false;
    for (size_t i = 0; i < u->nfuncs; i++)
        relax |= u->funcs[i]->kind == IR_FUNC_RELAX;
    if (g == NULL || f->kind != g->kind)
        return false;
    if (relax)
        return f->kind == IR_FUNC_RELAX && strcmp(f->name, "main") == 0;
    return f->kind == IR_FUNC_PRIM && f->prim.body != NULL &&
           g->prim.body != NULL;
}

/* What the prover claims of all functions of the pair; the functions answer to
 * each other by name, or are the only ones. -1: not read (an undefined
 * variable). */
static int prove_with(const char *dir, const struct verifier_options *options,
                      struct buf *said)
{
    struct ir_module *u = module(dir, "untuned.py");
    struct ir_module *t = module(dir, "tuned.py");
    int least = -1;
    for (size_t i = 0; u != NULL && t != NULL && i < u->nfuncs; i++) {
        struct ir_func *f = u->funcs[i], *g = ir_module_find(t, f->name);
        if (g == NULL && t->nfuncs == 1)
            g = t->funcs[0];
        if (!is_compared(u, f, g))
            continue;
        struct verifier_result r;
        (f->kind == IR_FUNC_RELAX ? verifier_prove_relax
                                  : verifier_prove)(t, g, u, f, options, &r);
        if (least < 0 || strength_of(r.verdict) < least)
            least = strength_of(r.verdict);
        if (said != NULL)
            buf_printf(said, "%s", r.reason != NULL ? r.reason : "");
        verifier_result_fini(&r);
    }
    ir_module_free(u);
    ir_module_free(t);
    return least;
}

/* ---- the options of a pair ------------------------------------------------------- */

#define MAX_PARAMS 8

/* "--assume NAME:WHAT" of the parameter of that name, if it is one. */
static void take_assumption(const char *line, const struct ir_func *f,
                            struct verifier_given *given)
{
    char name[32], what[32];
    long lo, hi;
    if (sscanf(line, "--assume %31[^:]:%31s", name, what) != 2)
        return;
    for (size_t i = 0; i < f->prim.nparams && i < MAX_PARAMS; i++) {
        const struct ir_buffer *b = f->prim.params[i].buffer;
        if (b == NULL || strcmp(b->name, name) != 0)
            continue;
        if (strcmp(what, "distinct") == 0)
            given[i].properties |= VERIFIER_DISTINCT;
        else if (strcmp(what, "sorted") == 0)
            given[i].properties |= VERIFIER_SORTED;
        else if (strcmp(what, "permutation") == 0)
            given[i].properties |= VERIFIER_PERMUTATION;
        else if (sscanf(what, "%ld..%ld", &lo, &hi) == 2)
            given[i] =
                (struct verifier_given){given[i].properties, true, lo, hi};
        else
            fail_msg("%s is not understood", line);
    }
}

/* What the pair's `expect` says of barriers, as they are written, and of the
 * untuned function's inputs. */
static int prove_as_said(const char *dir, struct verifier_options options,
                         struct buf *said)
{
    struct verifier_given given[MAX_PARAMS] = {0};
    struct buf path = {0}, expect = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&path, "%s/expect", dir);
    if (!file_read(buf_text(&path), 4096, &expect, sink))
        fail_msg("%s is not there", buf_text(&path));
    const char *line = strstr(buf_text(&expect), "--assume ");
    struct ir_module *u = line != NULL ? module(dir, "untuned.py") : NULL;
    for (; line != NULL && u != NULL; line = strstr(line + 1, "--assume "))
        take_assumption(line, u->funcs[0], given);
    options.given = u != NULL ? given : NULL;
    options.explicit_barriers =
        strstr(buf_text(&expect), "--barriers explicit") != NULL;
    int got = prove_with(dir, &options, said);
    ir_module_free(u);
    buf_fini(&path);
    buf_fini(&expect);
    diag_sink_free(sink);
    return got;
}

static int prove(const char *dir, const char *leave_out, struct buf *said)
{
    struct verifier_options options = {.leave_out = leave_out};
    return prove_as_said(dir, options, said);
}

/* ---- the sources name no others ----------------------------------------------------- */

static bool is_name(const char *name, const char *what, size_t len)
{
    return name != NULL && strlen(name) == len && memcmp(name, what, len) == 0;
}

static bool known(const char *what, size_t len)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++)
        if (is_name(table[i].what, what, len) ||
            is_name(table[i].also, what, len))
            return true;
    for (size_t i = 0; i < DC_ARRAY_LEN(lint_table); i++)
        if (is_name(lint_table[i].what, what, len))
            return true;
    for (size_t i = 0; i < DC_ARRAY_LEN(guides); i++)
        if (is_name(guides[i].what, what, len))
            return true;
    return false;
}

/* The string literals that are operands of the call whose parenthesis opens at
 * p, not of calls within it. */
static size_t check_call(const char *file, const char *p)
{
    size_t depth = 0, found = 0;
    for (; *p != '\0'; p++) {
        if (*p == '(') {
            depth++;
        } else if (*p == ')' && --depth == 0) {
            break;
        } else if (*p == '"') {
            const char *start = ++p;
            while (*p != '"' && *p != '\0')
                p += *p == '\\' ? 2 : 1;
            if (depth == 1 && !known(start, (size_t)(p - start)))
                fail_msg("%s: the obligation '%.*s' is not in the table", file,
                         (int)(p - start), start);
            found += depth == 1;
        }
    }
    return found;
}

static size_t check_source(const char *path)
{
    static const char *const calls[] = {
        "vctx_proves(",   "vctx_unsat(",         "smt_prove(",
        "smt_unsat(",     "safety_ask(",         "safety_oblige(",
        "OBLIGED(",       "OBLIGED_FORM(",       "OBLIGED_FRONT(",
        "OBLIGED_CHAIN(", "reaching_remaining(", "unsatisfiable("};
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    size_t found = 0;
    if (!file_read(path, 1 << 20, &text, sink))
        fail_msg("%s cannot be read", path);
    for (size_t i = 0; i < DC_ARRAY_LEN(calls); i++)
        for (const char *at = buf_text(&text);
             (at = strstr(at, calls[i])) != NULL; at++)
            found += check_call(path, at + strlen(calls[i]) - 1);
    buf_fini(&text);
    diag_sink_free(sink);
    return found;
}

/* The folder's sources, and those of its rooms. */
static size_t check_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t found = 0;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[512];
        struct stat st;
        size_t len = strlen(e->d_name);
        (void)snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (e->d_name[0] != '.' && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
            found += check_folder(path);
        else if (len >= 3 && strcmp(e->d_name + len - 2, ".c") == 0)
            found += check_source(path);
    }
    (void)closedir(dir);
    return found;
}

static void test_sources(void **state)
{
    (void)state;
    size_t found = check_folder("verifier");
    if (found < DC_ARRAY_LEN(table))
        fail_msg("%zu names found, the table has %zu", found,
                 DC_ARRAY_LEN(table));
}

/* ---- the pairs -------------------------------------------------------------------- */

struct folders {
    struct VEC(char *) dirs;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All pairs but those whose options make them about something else. */
static void list_pairs(struct folders *f, const char *root)
{
    DIR *dir = opendir(root);
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        struct buf path = {0}, expect = {0};
        struct diag_sink *sink = diag_sink_new();
        buf_printf(&path, "%s/%s/expect", root, e->d_name);
        bool is_pair = e->d_name[0] != '.' &&
                       file_read(buf_text(&path), 4096, &expect, sink) &&
                       strstr(buf_text(&expect), "--assume overlap") == NULL;
        if (is_pair) {
            path.len -= strlen("/expect");
            char *copy = dc_alloc(path.len + 1);
            memcpy(copy, path.data, path.len);
            vec_push(&f->dirs, copy);
        }
        buf_fini(&path);
        buf_fini(&expect);
        diag_sink_free(sink);
    }
    (void)closedir(dir);
}

static int set_up(void **state)
{
    static const char *const roots[] = {"corpora/pairs", "corpora/traps"};
    struct folders *f = dc_alloc(sizeof *f);
    for (size_t i = 0; i < DC_ARRAY_LEN(roots); i++)
        list_pairs(f, roots[i]);
    qsort(f->dirs.items, f->dirs.len, sizeof *f->dirs.items, by_name);
    *state = f;
    return f->dirs.len == 0;
}

static int tear_down(void **state)
{
    struct folders *f = *state;
    for (size_t i = 0; i < f->dirs.len; i++)
        dc_release(f->dirs.items[i]);
    vec_fini(&f->dirs);
    dc_release(f);
    return 0;
}

/* With all obligations nothing is proved wrongly, and much is proved. */
static void test_all(void **state)
{
    const struct folders *f = *state;
    size_t proved = 0;
    for (size_t i = 0; i < f->dirs.len; i++) {
        int got = prove(f->dirs.items[i], NULL, NULL);
        if (got > truth(f->dirs.items[i]))
            fail_msg("%s is proved wrongly", f->dirs.items[i]);
        proved += got > 0;
    }
    if (proved * 4 < f->dirs.len)
        fail_msg("only %zu of %zu pairs are proved", proved, f->dirs.len);
}

/* Both names of a row, as a set; one of them where the other is NULL. */
static const char *set_of(const struct obligation *o, char *room, size_t size)
{
    (void)snprintf(room, size, "%s%s%s", o->what, o->also != NULL ? "|" : "",
                   o->also != NULL ? o->also : "");
    return room;
}

static size_t expect_proved(const char *dir, const char *names, bool wrongly)
{
    struct buf said = {0};
    bool is = prove(dir, names, &said) > truth(dir);
    if (is != wrongly)
        print_error("without '%s' %s is %s: %s\n", names, dir,
                    is ? "proved" : "still not proved", buf_text(&said));
    buf_fini(&said);
    return is != wrongly;
}

/* Without one kind of them something is; where two keep the pair, not without
 * one of them. */
static void test_needed(void **state)
{
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        char dir[256], names[256];
        (void)snprintf(dir, sizeof dir, "corpora/%s", table[i].pair);
        bad += expect_proved(dir, set_of(&table[i], names, sizeof names), true);
        if (table[i].also == NULL)
            continue;
        bad += expect_proved(dir, table[i].what, false);
        bad += expect_proved(dir, table[i].also, false);
    }
    assert_int_equal(bad, 0);
}

static bool called_safe(const char *dir, const char *names)
{
    struct verifier_options options = {.leave_out = names};
    struct verifier_lint lint;
    struct ir_module *m = module(dir, "tuned.py");
    assert_non_null(m);
    verifier_lint(m, m->funcs[0], &options, &lint);
    bool safe = lint.safe;
    verifier_lint_fini(&lint);
    ir_module_free(m);
    return safe;
}

static void test_lint(void **state)
{
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(lint_table); i++) {
        char dir[256], names[256];
        (void)snprintf(dir, sizeof dir, "corpora/%s", lint_table[i].pair);
        const char *set = set_of(&lint_table[i], names, sizeof names);
        bool safe = called_safe(dir, NULL), without = called_safe(dir, set);
        if (safe || !without)
            print_error("%s is %s, and without '%s' %s\n", dir,
                        safe ? "safe" : "not safe", set,
                        without ? "safe" : "not");
        bad += safe || !without;
    }
    assert_int_equal(bad, 0);
}

static bool in_table(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++)
        if (strcmp(table[i].what, name) == 0)
            return true;
    return false;
}

/* What is listed as a guide is one for every pair: else it has found the pair
 * that makes it an obligation. */
static void test_guides(void **state)
{
    const struct folders *f = *state;
    size_t bad = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(guides); i++) {
        assert_true(guides[i].again == NULL || in_table(guides[i].again));
        for (size_t k = i % TEST_ONE_IN(8); k < f->dirs.len;
             k += TEST_ONE_IN(8)) {
            const char *dir = f->dirs.items[k];
            if (prove(dir, guides[i].what, NULL) <= truth(dir))
                continue;
            print_error("without '%s' %s is proved: name it in the table\n",
                        guides[i].what, dir);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* Trap 20: a solver that gives up proves nothing. With hardly any work allowed a
 * query, and in all, no claim is stronger, and most need the solver. */
static void test_limits(void **state)
{
    static const struct verifier_options tiny[] = {{.rlimit_query = 1},
                                                   {.rlimit_total = 1}};
    const struct folders *f = *state;
    for (size_t k = 0; k < DC_ARRAY_LEN(tiny); k++) {
        size_t lost = 0, kept = 0;
        for (size_t i = 0; i < f->dirs.len; i += TEST_ONE_IN(4)) {
            const char *dir = f->dirs.items[i];
            int usual = prove(dir, NULL, NULL);
            int got = prove_as_said(dir, tiny[k], NULL);
            if (got > usual)
                fail_msg("%s: a claim by giving up", dir);
            lost += got < usual;
            kept += usual > 0 && got == usual;
        }
        if (lost <= 10 / TEST_ONE_IN(4))
            fail_msg("only %zu proofs are lost, %zu are not", lost, kept);
    }
}

static int print_all(int n, char **dirs, const char *what)
{
    for (int i = 0; i < n; i++) {
        struct buf said = {0};
        int got = prove(dirs[i], what, &said), most = truth(dirs[i]);
        if (got > most || *what == '\0' || n == 1)
            printf("%s %s: %d of %d %.100s\n", got > most ? "WRONG" : "fine",
                   dirs[i], got, most, buf_text(&said));
        buf_fini(&said);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sources), cmocka_unit_test(test_all),
        cmocka_unit_test(test_needed),  cmocka_unit_test(test_lint),
        cmocka_unit_test(test_guides),  cmocka_unit_test(test_limits)};
    if (argc >= 3)
        return print_all(argc - 2, argv + 2, argv[1]);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
