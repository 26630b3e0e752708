/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts on pairs of integers that may wrap, held against the evaluator.
 *
 * A proof is wrong if the evaluator has an input on which the untuned side is
 * fine and the tuned one is not or leaves something else. If it does not claim
 * equal bits, runs in which an operation rounded excuse other outputs, but no
 * fault; inputs that the printed assumptions leave out do not count. A finding
 * of runs is a false alarm if the sides are equal on all inputs there are.
 * `agrees` on a pair that differs is a miss, counted by class.
 */
#include "diff/diff.h"
#include "fuzz/gen_check.h"
#include "fuzz/ints/ints_private.h"
#include "verifier/verifier.h"

#include <inttypes.h>
#include <string.h>

/* ---- asking ---------------------------------------------------------------- */

static const struct ir_func *main_of(const struct ir_module *m)
{
    return ir_module_find(m, "main");
}

static void prove(const struct ints_pair *pair, bool certificate,
                  struct verifier_result *out)
{
    const struct verifier_options options = {
        .certificate = certificate ? "certificate" : NULL};
    verifier_prove(pair->tuned, main_of(pair->tuned), pair->untuned,
                   main_of(pair->untuned), &options, out);
}

/* The same of the pair as calls; UNKNOWN where it has no such form. */
static enum verifier_verdict prove_calls(const struct ints_pair *pair)
{
    const struct verifier_options options = {.rlimit_query = 0};
    struct verifier_result v;
    struct ir_module *const *m = pair->relax;
    if (m[0] == NULL || m[1] == NULL)
        return VERIFIER_UNKNOWN;
    verifier_prove_relax(m[1], main_of(m[1]), m[0], main_of(m[0]), &options,
                         &v);
    enum verifier_verdict verdict = v.verdict;
    verifier_result_fini(&v);
    return verdict;
}

static bool is_proof(enum verifier_verdict v)
{
    return v == VERIFIER_IDENTICAL || v == VERIFIER_ORDER_ONLY ||
           v == VERIFIER_PRECISION;
}

static const char *proof_name(enum verifier_verdict v)
{
    switch (v) {
    case VERIFIER_UNKNOWN: return "unknown";
    case VERIFIER_IDENTICAL: return "identical";
    case VERIFIER_ORDER_ONLY: return "order-only";
    case VERIFIER_PRECISION: return "precision";
    case VERIFIER_CANDIDATE: break;
    }
    return "candidate";
}

/* The verdict of runs alone; REPORT_NVERDICTS: none. */
static enum report_verdict compare(const struct ints_pair *pair,
                                   struct buf *reason)
{
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    struct diff_options options;
    enum report_verdict verdict = REPORT_NVERDICTS;
    char *argv[] = {
        arena_strdup(arena, "diffcheck"), arena_strdup(arena, "tuned.json"),
        arena_strdup(arena, "untuned.json"), arena_strdup(arena, "--no-proof")};
    if (!diff_options_parse(4, argv, arena, &options, sink))
        DC_BUG("the command line is not understood");
    options.jobs = 1;
    options.budget = GEN_SMALL_BUDGET;
    diff_compare_modules(&options, pair->tuned, pair->untuned, report, sink);
    if (report_worst(report, &verdict))
        buf_puts(reason, report->pairs[0].reason);
    else
        buf_puts(reason, report->error ? report->error : "no verdict");
    if (report->error != NULL)
        verdict = REPORT_NVERDICTS;
    report_free(report);
    diag_sink_free(sink);
    arena_free(arena);
    return verdict;
}

/* ---- counting -------------------------------------------------------------- */

struct counts {
    size_t pairs, equal, differ, unsafe, nothing, unjudged;
    size_t proved, wrong;                     /* of what is proved */
    size_t alarms, doubtful, missed, unknown; /* of runs */
    size_t checked, refused, contradicted;    /* certificates */
    size_t safe, unsound;      /* of one side alone, and those that fault */
    size_t calls, calls_wrong; /* proofs of Relax functions */
    size_t engines;            /* runs that are not the evaluator's */
};

struct table {
    struct counts all, classes[INTS_NCLASSES], places[INTS_NPLACES];
};

static void add(struct table *t, const struct ints_pair *pair, size_t field)
{
    struct counts *rows[] = {&t->all, &t->classes[pair->class],
                             &t->places[pair->place]};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        ++*(size_t *)(void *)((char *)rows[i] + field);
}
#define ADD(t, pair, field) add(t, pair, offsetof(struct counts, field))

static void put_row(const char *name, const struct counts *c)
{
    if (c->pairs == 0)
        return;
    (void)printf(
        "%-16s %7zu %7zu %7zu %7zu %6zu %6zu | %7zu %5zu | %5zu "
        "%5zu %6zu %6zu | %5zu %5zu %5zu | %6zu %5zu | %6zu %5zu | %5zu\n",
        name, c->pairs, c->equal, c->differ, c->unsafe, c->nothing, c->unjudged,
        c->proved, c->wrong, c->alarms, c->doubtful, c->missed, c->unknown,
        c->checked, c->refused, c->contradicted, c->safe, c->unsound, c->calls,
        c->calls_wrong, c->engines);
}

static void put_table(const struct table *t)
{
    (void)printf("%-16s %7s %7s %7s %7s %6s %6s | %7s %5s | %5s %5s %6s "
                 "%6s | %5s %5s %5s | %6s %5s | %6s %5s | %5s\n",
                 "", "pairs", "equal", "differ", "unsafe", "empty", "unread",
                 "proved", "wrong", "alarm", "doubt", "missed", "unkn.",
                 "certs", "refus", "wrong", "safe", "wrong", "calls", "wrong",
                 "engin");
    for (unsigned i = 0; i < INTS_NCLASSES; i++)
        put_row(ints_class_name((enum ints_class)i), &t->classes[i]);
    for (unsigned i = 0; i < INTS_NPLACES; i++)
        put_row(ints_place_name((enum ints_place)i), &t->places[i]);
    put_row("all", &t->all);
}

/* ---- one pair -------------------------------------------------------------- */

static const char *truth_name(const struct ints_truth *t)
{
    switch (t->kind) {
    case INTS_EQUAL: return t->all ? "equal on all inputs" : "equal";
    case INTS_DIFFERS: return "outputs differ";
    case INTS_UNSAFE: return "the tuned side faults";
    case INTS_NOTHING: break;
    }
    return "no input is admitted";
}

static void write_text(const char *folder, const char *name, const char *text,
                       size_t n)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", folder, name);
    if (!file_write(buf_text(&path), text, n, NULL))
        (void)printf("cannot write %s\n", buf_text(&path));
    buf_fini(&path);
}

static void keep(const char *root, uint64_t seed, const char *what,
                 const struct ints_pair *pair, const struct buf *about)
{
    struct buf folder = {0}, text = {0};
    buf_printf(&folder, "%s/%s-%s-%s-%" PRIu64, root, what,
               ints_class_name(pair->class), ints_place_name(pair->place),
               seed);
    if (!gen_make_folder(root) ||
        !gen_save_pair(buf_text(&folder), pair->untuned, pair->tuned))
        (void)printf("cannot write to %s\n", buf_text(&folder));
    if (pair->relax[0] != NULL && pair->relax[1] != NULL &&
        strcmp(what, "calls") == 0) {
        ir_print_script(pair->relax[0], &text);
        write_text(buf_text(&folder), "untuned_calls.py", text.data, text.len);
        text.len = 0;
        ir_print_script(pair->relax[1], &text);
        write_text(buf_text(&folder), "tuned_calls.py", text.data, text.len);
        text.len = 0;
    }
    ir_print_script(pair->untuned, &text);
    write_text(buf_text(&folder), "untuned.py", text.data, text.len);
    text.len = 0;
    ir_print_script(pair->tuned, &text);
    write_text(buf_text(&folder), "tuned.py", text.data, text.len);
    write_text(buf_text(&folder), "why.txt", buf_text(about), about->len);
    buf_fini(&folder);
    buf_fini(&text);
}

static void tell(const struct ints_request *r, uint64_t seed, const char *what,
                 const struct ints_pair *pair, const struct ints_truth *truth,
                 const char *verdict)
{
    struct buf text = {0};
    buf_printf(&text, "seed %" PRIu64 ": %s: %s in %s%s: %s\n  verdict %s; %s",
               seed, what, ints_class_name(pair->class),
               ints_place_name(pair->place),
               pair->memory ? " through memory" : "", pair->about, verdict,
               truth_name(truth));
    if (truth->witness != NULL)
        buf_printf(&text, ": %s", truth->witness);
    buf_putc(&text, '\n');
    (void)printf("%s", buf_text(&text));
    (void)fflush(stdout); /* a fuzz target ends the process next */
    if (r->keep != NULL)
        keep(r->keep, seed, what, pair, &text);
    buf_fini(&text);
}

bool ints_refutes(const struct ints_truth *truth)
{
    return truth->kind == INTS_DIFFERS || truth->kind == INTS_UNSAFE;
}

/* The truth with more effort where a verdict hangs on it. */
static void look_again(const struct ints_pair *pair, uint64_t seed,
                       struct ints_truth *truth)
{
    if (!truth->judged || truth->all || ints_refutes(truth))
        return;
    ints_truth_fini(truth);
    *truth = ints_find_truth(pair, seed, 3, 0);
}

/* What the claim takes for granted of floats, and leaves open: another order and
 * other rounding points make no difference where nothing rounds. */
static unsigned without(const struct verifier_result *v)
{
    unsigned set = v->verdict != VERIFIER_IDENTICAL ? INTS_INEXACT : 0;
    for (size_t i = 0; i < v->nassumptions; i++) {
        if (strcmp(v->assumptions[i], "non-NaN") == 0)
            set |= INTS_NO_NAN;
        if (strcmp(v->assumptions[i], "finite") == 0)
            set |= INTS_NO_NAN | INTS_NO_INFINITY | INTS_INEXACT;
        if (strcmp(v->assumptions[i], "in-range") == 0)
            set |= INTS_NO_INFINITY;
    }
    return set;
}

/* *wrong: the proof is. */
static size_t judge_proof(const struct ints_request *r, struct table *t,
                          uint64_t seed, const struct ints_pair *pair,
                          const struct verifier_result *v,
                          struct ints_truth *truth, bool *wrong)
{
    struct ints_truth less = {.kind = INTS_NOTHING};
    const struct ints_truth *claim = truth;
    *wrong = false;
    if (!is_proof(v->verdict))
        return 0;
    ADD(t, pair, proved);
    look_again(pair, seed, truth);
    if (ints_refutes(truth) && without(v) != 0) {
        less = ints_find_truth(pair, seed, 3, without(v));
        claim = &less;
    }
    *wrong = ints_refutes(claim);
    if (*wrong) {
        ADD(t, pair, wrong);
        tell(r, seed, "wrong", pair, claim, proof_name(v->verdict));
    }
    ints_truth_fini(&less);
    return *wrong;
}

/* Proofs of calls that claim equal bits. */
static size_t judge_calls(const struct ints_request *r, struct table *t,
                          uint64_t seed, const struct ints_pair *pair,
                          struct ints_truth *truth)
{
    enum verifier_verdict v = prove_calls(pair);
    if (v != VERIFIER_IDENTICAL)
        return 0;
    ADD(t, pair, calls);
    look_again(pair, seed, truth);
    if (!ints_refutes(truth))
        return 0;
    ADD(t, pair, calls_wrong);
    tell(r, seed, "calls", pair, truth, proof_name(v));
    return 1;
}

/* A proof's certificate: by what shares nothing with its derivation, too. One
 * that is refused claims nothing, and is told. */
static void judge_certificate(const struct ints_request *r, struct table *t,
                              uint64_t seed, const struct ints_pair *pair,
                              const struct verifier_result *v,
                              const struct ints_truth *truth, bool wrong)
{
    struct verifier_confirmation c;
    if (!is_proof(v->verdict) || v->certificate.len == 0)
        return;
    verifier_check_certificate(v->certificate.data, v->certificate.len,
                               pair->tuned, main_of(pair->tuned), pair->untuned,
                               main_of(pair->untuned), &c);
    ADD(t, pair, checked);
    if (c.outcome == VERIFIER_REFUSED) {
        ADD(t, pair, refused);
        if (!wrong)
            tell(r, seed, "refused", pair, truth, c.reason);
    } else if (wrong) {
        ADD(t, pair, contradicted);
    }
    verifier_confirmation_fini(&c);
}

static size_t judge_runs(const struct ints_request *r, struct table *t,
                         uint64_t seed, const struct ints_pair *pair,
                         struct ints_truth *truth)
{
    struct buf reason = {0};
    enum report_verdict v = compare(pair, &reason);
    size_t found = 0;
    if (v == REPORT_NVERDICTS || v == REPORT_UNKNOWN) {
        ADD(t, pair, unknown);
    } else if (v == REPORT_UNSAFE || v == REPORT_DIFFERENT) {
        look_again(pair, seed, truth);
        /* without an admitted input there is nothing to be equal on */
        if (truth->judged && truth->kind == INTS_EQUAL) {
            if (truth->all)
                ADD(t, pair, alarms);
            else
                ADD(t, pair, doubtful);
            found = truth->all;
            tell(r, seed, truth->all ? "alarm" : "doubtful", pair, truth,
                 buf_text(&reason));
        }
    } else if (truth->judged && ints_refutes(truth)) {
        ADD(t, pair, missed);
        if (r->tell_missed)
            tell(r, seed, "missed", pair, truth, buf_text(&reason));
    }
    buf_fini(&reason);
    return found;
}

/* A fault that the printed assumptions of lint leave out. */
static bool assumed_away(const struct verifier_lint *lint, const char *fault)
{
    bool asserts = strstr(fault, "an assertion") != NULL;
    for (size_t i = 0; i < lint->nassumptions; i++)
        if (asserts && strstr(lint->assumptions[i], "assertions") != NULL)
            return true;
    return false;
}

/* Safe for all inputs is a claim of its own. */
static size_t judge_lint(const struct ints_request *r, struct table *t,
                         uint64_t seed, const struct ints_pair *pair,
                         struct ints_truth *truth)
{
    const struct verifier_options options = {.rlimit_query = 0};
    struct verifier_lint lint;
    size_t found = 0;
    verifier_lint(pair->untuned, main_of(pair->untuned), &options, &lint);
    if (lint.safe) {
        ADD(t, pair, safe);
        if (truth->fault != NULL && !assumed_away(&lint, truth->fault)) {
            ADD(t, pair, unsound);
            dc_release(truth->witness);
            truth->witness = truth->fault;
            truth->fault = NULL;
            tell(r, seed, "lint", pair, truth, "safe");
            found = 1;
        }
    }
    verifier_lint_fini(&lint);
    return found;
}

static size_t judge_engine(const struct ints_request *r, struct table *t,
                           uint64_t seed, const struct ints_pair *pair,
                           const struct ints_truth *truth)
{
    struct ints_truth told = *truth;
    if (truth->engine == NULL)
        return 0;
    ADD(t, pair, engines);
    told.witness = truth->engine;
    tell(r, seed, "engine", pair, &told, "of an engine");
    return 1;
}

static void count_truth(struct table *t, const struct ints_pair *pair,
                        const struct ints_truth *truth)
{
    ADD(t, pair, pairs);
    if (!truth->judged) {
        ADD(t, pair, unjudged);
        return;
    }
    switch (truth->kind) {
    case INTS_EQUAL: ADD(t, pair, equal); return;
    case INTS_DIFFERS: ADD(t, pair, differ); return;
    case INTS_UNSAFE: ADD(t, pair, unsafe); return;
    case INTS_NOTHING: break;
    }
    ADD(t, pair, nothing);
}

static void check_formed(const struct ints_pair *pair, uint64_t seed)
{
    struct diag_sink *sink = diag_sink_new();
    if (!ir_wellformed(pair->untuned, sink) ||
        !ir_wellformed(pair->tuned, sink)) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        ir_print_script(pair->untuned, &text);
        ir_print_script(pair->tuned, &text);
        DC_BUG("seed %" PRIu64 ": %s: %s", seed, pair->about, buf_text(&text));
    }
    diag_sink_free(sink);
}

static size_t check_pair(const struct ints_request *r, struct table *t,
                         uint64_t seed, const struct ints_pair *pair)
{
    struct verifier_result v;
    size_t found;
    bool wrong;
    check_formed(pair, seed);
    struct ints_truth truth =
        ints_find_truth(pair, seed, 1, r->engines ? INTS_ENGINES : 0);
    found = judge_engine(r, t, seed, pair, &truth);
    prove(pair, r->certificates, &v);
    found += judge_proof(r, t, seed, pair, &v, &truth, &wrong);
    if (pair->relax[0] != NULL)
        found += judge_calls(r, t, seed, pair, &truth);
    if (r->certificates)
        judge_certificate(r, t, seed, pair, &v, &truth, wrong);
    if (r->runs)
        found += judge_runs(r, t, seed, pair, &truth);
    count_truth(t, pair, &truth);
    if (r->lint)
        found += judge_lint(r, t, seed, pair, &truth);
    verifier_result_fini(&v);
    ints_truth_fini(&truth);
    return found;
}

/* ---- many ------------------------------------------------------------------ */

static bool wanted(const struct ints_request *r, const struct ints_pair *pair)
{
    return r->only == NULL ||
           strcmp(r->only, ints_class_name(pair->class)) == 0 ||
           strcmp(r->only, ints_place_name(pair->place)) == 0;
}

size_t ints_check(const struct ints_request *r)
{
    struct table *t = dc_alloc(sizeof *t);
    size_t found = 0;
    for (uint64_t seed = r->seed; t->all.pairs < r->count; seed++) {
        struct ints_pair pair;
        if (!ints_pair_init(&pair, NULL, 0, seed))
            continue;
        if (wanted(r, &pair))
            found += check_pair(r, t, seed, &pair);
        ints_pair_fini(&pair);
    }
    put_table(t);
    dc_release(t);
    return found;
}

bool ints_check_bytes(const uint8_t *data, size_t n)
{
    struct ints_request r = {.runs = true, .certificates = true};
    struct ints_pair pair;
    struct table *t = dc_alloc(sizeof *t);
    size_t found = 0;
    if (ints_pair_init(&pair, data, n, 0)) {
        found = check_pair(&r, t, 0, &pair);
        ints_pair_fini(&pair);
    }
    dc_release(t);
    return found == 0;
}
