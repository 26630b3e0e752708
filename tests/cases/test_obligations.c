/* SPDX-License-Identifier: Apache-2.0
 *
 * Each obligation of the prover is needed: with those of one name taken as
 * shown (verifier/obligation.h), some pair of the corpora gets a proof that
 * its expected verdict contradicts, so the suite would fail. The table names
 * all obligations and for each the pairs that tell; every name that the
 * sources give to a solver or to OBLIGED must stand in it. An obligation that
 * no pair can tell is listed with the reason why nothing depends on it.
 *
 * With arguments: test_obligations NAME PAIR... prints what each pair is with
 * obligations of that name left out ("" for none); for making the table.
 */
#include "tests/test.h"
#include "verifier/verifier.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

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

/* What the prover claims of all functions of the pair; the
 * functions answer to each other by name, or are the only ones. -1: not read
 * (an undefined variable, a Relax function). */
static int prove_with(const char *dir, const struct verifier_options *options,
                      struct buf *said)
{
    struct ir_module *u = module(dir, "untuned.py");
    struct ir_module *t = module(dir, "tuned.py");
    int least = -1;
    for (size_t i = 0; u != NULL && i < u->nfuncs; i++)
        if (u->funcs[i]->kind == IR_FUNC_RELAX) {
            ir_module_free(u);
            ir_module_free(t);
            return -1;
        }
    for (size_t i = 0; u != NULL && t != NULL && i < u->nfuncs; i++) {
        struct ir_func *f = u->funcs[i], *g = ir_module_find(t, f->name);
        if (g == NULL && t->nfuncs == 1)
            g = t->funcs[0];
        if (g == NULL || f->kind != IR_FUNC_PRIM || g->kind != IR_FUNC_PRIM ||
            f->prim.body == NULL || g->prim.body == NULL)
            continue;
        struct verifier_result r;
        verifier_prove(t, g, u, f, options, &r);
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

static int prove(const char *dir, const char *leave_out, struct buf *said)
{
    struct verifier_options options = {.leave_out = leave_out};
    return prove_with(dir, &options, said);
}

/* ---- the table -------------------------------------------------------------------- */

struct obligation {
    const char *what;
    const char *pair; /* below corpora/: proved wrongly without it; NULL: none
                         is, of all pairs */
    const char *why;  /* why then nothing depends on it */
};

// clang-format off
static const struct obligation table[] = {
    {"same parameter", "traps/t07-difference-wrong", NULL},
    {"same type", "traps/t08-other-half-wrong", NULL},
    {"same constant", "pairs/max-identity-zero", NULL},
    {"same operator", "traps/t18-two-quotients-wrong", NULL},
    {"same function called", "traps/t18-two-functions-wrong", NULL},
    {"same element read", "traps/t15-gather-other-wrong", NULL},
    {"same integer", "traps/t18-two-numbers-wrong", NULL},
    {"same initial value", "traps/t04-negative-zero-wrong", NULL},
    {"choice", "pairs/conv-pad-guard-off", NULL},
    {"choice decided", "traps/last-store-cell-wrong", NULL},
    {"the operator commutes", "traps/t07-difference-wrong", NULL},
    {"minima keep their operands' order", "traps/t07-max-operands-wrong", NULL},
    {"the sum begins at +0", "traps/t04-padded-from-minus-zero-wrong", NULL},
    {"each term has a partner", "traps/t05-dropped-products-wrong", NULL},
    {"one partner only", "traps/t17-overlapping-parts-wrong", NULL},
    {"onto: each term is reached", "traps/t16-bounded-terms-wrong", NULL},
    {"reached once", "traps/t17-overlapping-tiles-wrong", NULL},
    {"the partner is in range", "traps/t16-fewer-terms-wrong", NULL},
    {"the partner is a term", "traps/t16-bounded-terms-wrong", NULL},
    {"the maps are inverse", "traps/t17-copies-wrong", NULL},
    {"partners are equal", "traps/t15-gather-other-wrong", NULL},
    {"order kept", "pairs/sum-reversed-float64", NULL},
    {"the order is stated", "pairs/allreduce", NULL},
    {"the last store runs", "traps/t03-read-before-write-wrong", NULL},
    {"the last store's cell", "traps/last-store-cell-wrong", NULL},
    {"the last store comes before", "traps/t03-read-before-write-wrong", NULL},
    {"the last store's condition", "traps/t03-stale-accumulator-wrong", NULL},
    {"no store in between", "traps/store-in-between-wrong", NULL},
    {"no store before", "traps/store-before-wrong", NULL},
    {"no such term", "traps/t03-stale-accumulator-wrong", NULL},
    {"the domain of terms", "traps/t16-bounded-terms-wrong", NULL},
    {"the cell determines these loops", "pairs/circular-window-twice", NULL},
    {"a term's condition", "traps/t16-bounded-terms-wrong", NULL},
    {"the cell determines these loops", "pairs/circular-window-twice", NULL},
    {"some store runs", "traps/window-short-wrong", NULL},
    {"a term's cell", "traps/term-cell-wrong", NULL},
    {"a term comes before the reader", "traps/term-before-reader-wrong", NULL},
    {"a term comes after the last store", "pairs/two-reduce-iters-init", NULL},
    {"one operator updates", "traps/two-operators-wrong", NULL},
    {"integer fits its type", "traps/t01-value-wraps-wrong", NULL},
    {"dividend >= 0", "traps/t02-truncating-index-wrong", NULL},
    {"the tuned side's outputs", "pairs/extra-output-write", NULL},
    {"the untuned result is defined", "traps/t03-untuned-undefined-wrong", NULL},
    {"the tuned result is defined", "traps/t03-times-zero-wrong", NULL},
    {"control is defined", "traps/t03-undefined-condition-wrong", NULL},
    {"possible: an output", "traps/t19-no-output-wrong", NULL},
    {"possible: an element", "traps/t19-vacuous-product-wrong", NULL},
    {"possible: facts of the untuned program", "traps/t19-vacuous-index-wrong", NULL},
    {"safety: integer fits its type", "traps/t01-index-wraps-wrong", NULL},
    {"safety: divisor is not zero", "pairs/div-by-zero-only-tuned", NULL},
    {"safety: access in bounds", "traps/t06-select-wrong", NULL},
    {"safety: assertion", "pairs/view-beyond-dimension", NULL},
    {"safety: no race", "pairs/gemm-parallel-k", NULL},
    {"safety: iterations do not race", "traps/t11-parallel-other-wrong", NULL},
    {"safety: blocks do not race", "pairs/block-second-value", NULL},
    {"safety: threads do not race", "pairs/shared-missing", NULL},
    {"safety: implicit barriers are met", "traps/implicit-barrier-divergent-wrong", NULL},
    {"safety: writers store one value", "traps/t11-parallel-other-wrong", NULL},
    {"safety: instances that write one cell", "traps/t11-parallel-other-wrong", NULL},
    {"safety: barrier is reached by all threads", "pairs/barrier-divergent", NULL},
    {"safety: the untuned program reads this", "traps/t15-gather-more-wrong", NULL},
    {"the same combiner", "pairs/argmax-tie-changed", NULL},
    {"the combiner is commutative", "pairs/argmax-first-reversed", NULL},
    {"the combiner is associative", "pairs/argmax-loser-index", NULL},
    {"safety: copy is complete", "traps/copy-not-waited-wrong", NULL},
    {"a step reads what stands before it", "pairs/recurrence-read-before-reset", NULL},
    {"steps come one after the other", "pairs/recurrence-read-once", NULL},
    /* What only guides the search, or is guarded twice. */
    {"part of an index in its range", NULL, "where a part is beyond its range, so is the padded read, and that is refused first"},
    {"terms covered", NULL, "ends the search for partners; \"each term has a partner\" decides"},
    {"all terms covered", NULL, "ends the search for partners; \"each term has a partner\" decides"},
    {"no common terms", NULL, "leaves a pair of parts out; a term that it loses has no partner"},
    {"guess", NULL, "leaves a guessed store out; then another one must be found"},
    {"swapped", NULL, "finds the pair of terms that a report names"},
    {"the combiner keeps the initial state", NULL, "combiners that pass the other laws here choose one of two states, and f(e, e) = e for those"},
    {"each component takes this step", NULL, "\"a step reads what stands before it\" asks the same of every component that a step reads"},
    {"no component takes another step", NULL, "\"a step reads what stands before it\" asks the same of every component that a step reads"},
    {"candidate", NULL, "finds an element for a run to look at"},
    {"law", NULL, "finds an instance at which a law of a combiner fails, for the message"},
    {"a term does not read what is summed", NULL, "a term's reads are resolved at its own time, so it would be right; keeps recurrences from unfolding"},
    {"as many elements", NULL, "diff refuses pairs of other shapes first; here for other callers"},
    {"safety: a fact keeps its conditions", NULL, "\"control is defined\" refuses guards without a form first"},
};
// clang-format on

/* ---- the sources name no others ----------------------------------------------------- */

static bool known(const char *what, size_t len)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++)
        if (strlen(table[i].what) == len &&
            memcmp(table[i].what, what, len) == 0)
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
        "vctx_proves(", "vctx_unsat(",   "smt_prove(",
        "smt_unsat(",   "safety_ask(",   "safety_oblige(",
        "OBLIGED(",     "OBLIGED_FORM(", "reaching_remaining("};
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

static void test_sources(void **state)
{
    DIR *dir = opendir("verifier");
    size_t found = 0;
    (void)state;
    assert_non_null(dir);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[512];
        size_t len = strlen(e->d_name);
        if (len < 3 || strcmp(e->d_name + len - 2, ".c") != 0)
            continue;
        (void)snprintf(path, sizeof path, "verifier/%s", e->d_name);
        found += check_source(path);
    }
    (void)closedir(dir);
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
                       strstr(buf_text(&expect), "--assume") == NULL;
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

/* Without one kind of them something is. */
static void test_needed(void **state)
{
    size_t bad = 0;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        char dir[256];
        struct buf said = {0};
        if (table[i].pair == NULL)
            continue;
        (void)snprintf(dir, sizeof dir, "corpora/%s", table[i].pair);
        if (prove(dir, table[i].what, &said) <= truth(dir)) {
            print_error("without '%s' %s is still not proved: %s\n",
                        table[i].what, dir, buf_text(&said));
            bad++;
        }
        buf_fini(&said);
    }
    assert_int_equal(bad, 0);
}

/* What is listed as a guide or as guarded twice is so for every pair: else it
 * has found the pair that its row lacks. */
static void test_guides(void **state)
{
    const struct folders *f = *state;
    size_t bad = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        if (table[i].pair != NULL)
            continue;
        assert_non_null(table[i].why);
        for (size_t k = 0; k < f->dirs.len; k++) {
            const char *dir = f->dirs.items[k];
            if (prove(dir, table[i].what, NULL) <= truth(dir))
                continue;
            print_error("without '%s' %s is proved: name it in the table\n",
                        table[i].what, dir);
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
        for (size_t i = 0; i < f->dirs.len; i++) {
            const char *dir = f->dirs.items[i];
            int usual = prove(dir, NULL, NULL);
            int got = prove_with(dir, &tiny[k], NULL);
            if (got > usual)
                fail_msg("%s: a claim by giving up", dir);
            lost += got < usual;
            kept += usual > 0 && got == usual;
        }
        if (lost <= 10)
            fail_msg("only %zu proofs are lost, %zu are not", lost, kept);
    }
}

static int print_all(int n, char **dirs, const char *what)
{
    for (int i = 0; i < n; i++) {
        struct buf said = {0};
        int got = prove(dirs[i], what, &said), most = truth(dirs[i]);
        if (got > most || *what == '\0')
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
        cmocka_unit_test(test_needed), cmocka_unit_test(test_guides),
        cmocka_unit_test(test_limits)};
    if (argc >= 3)
        return print_all(argc - 2, argv + 2, argv[1]);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
