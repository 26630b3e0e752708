/* SPDX-License-Identifier: Apache-2.0
 *
 * Proofs about pairs of threads, held against runs.
 *
 * A proof is wrong if on an input where the untuned side is fine the tuned one
 * faults or leaves other bits; if it leaves the order of terms or roundings open,
 * other bits count where nothing rounded, and where elements keep what the claim
 * takes for granted. A side that lint calls safe does not fault on any input.
 */
#include "fuzz/gen_check.h"
#include "fuzz/threads/threads_private.h"

#include <inttypes.h>
#include <string.h>

/* ---- judging --------------------------------------------------------------- */

static bool is_proof(enum verifier_verdict v)
{
    return v == VERIFIER_IDENTICAL || v == VERIFIER_ORDER_ONLY ||
           v == VERIFIER_PRECISION;
}

static enum gen_level level_of(const struct verifier_result *proof)
{
    enum gen_level level = GEN_ANY;
    for (size_t i = 0; i < proof->nassumptions; i++) {
        const char *a = proof->assumptions[i];
        if (strcmp(a, "finite") == 0 || strcmp(a, "in-range") == 0)
            return GEN_FINITE;
        if (strcmp(a, "non-NaN") == 0)
            level = GEN_NUMBERS;
    }
    return level;
}

const char *threads_judge(const struct verifier_result *proof,
                          const struct threads_truth *truth)
{
    if (!is_proof(proof->verdict))
        return NULL;
    if (truth->fault)
        return "the tuned side faults";
    if (proof->verdict == VERIFIER_IDENTICAL)
        return truth->bits ? "bits differ" : NULL;
    return truth->exact[level_of(proof)] ? "exact results differ" : NULL;
}

/* ---- counting -------------------------------------------------------------- */

struct counts {
    size_t pairs, equal, differ, unsafe, nothing;
    size_t proved, wrong;
    size_t checked, refused, confirmed; /* certificates; of wrong proofs */
    size_t safe, unsound;               /* tuned sides alone */
    size_t engines;
};

struct table {
    struct counts all, kinds[THREADS_NKINDS];
};

static void add(struct table *t, const struct threads_pair *pair, size_t field)
{
    ++*(size_t *)(void *)((char *)&t->all + field);
    ++*(size_t *)(void *)((char *)&t->kinds[pair->kind] + field);
}
#define ADD(t, pair, field) add(t, pair, offsetof(struct counts, field))

static void put_row(const char *name, const struct counts *c)
{
    if (c->pairs > 0)
        (void)printf("%-10s %7zu %7zu %7zu %7zu %6zu | %7zu %5zu | %6zu %5zu "
                     "%5zu | %6zu %5zu | %5zu\n",
                     name, c->pairs, c->equal, c->differ, c->unsafe, c->nothing,
                     c->proved, c->wrong, c->checked, c->refused, c->confirmed,
                     c->safe, c->unsound, c->engines);
}

static void put_table(const struct table *t)
{
    (void)printf("%-10s %7s %7s %7s %7s %6s | %7s %5s | %6s %5s %5s | %6s %5s "
                 "| %5s\n",
                 "", "pairs", "equal", "differ", "unsafe", "empty", "proved",
                 "wrong", "certs", "refus", "wrong", "safe", "wrong", "engin");
    for (unsigned k = 0; k < THREADS_NKINDS; k++)
        put_row(threads_kind_name((enum threads_kind)k), &t->kinds[k]);
    put_row("all", &t->all);
}

static void count_truth(struct table *t, const struct threads_pair *pair,
                        const struct threads_truth *truth)
{
    ADD(t, pair, pairs);
    if (truth->admitted == 0)
        ADD(t, pair, nothing);
    else if (truth->fault)
        ADD(t, pair, unsafe);
    else if (truth->bits)
        ADD(t, pair, differ);
    else
        ADD(t, pair, equal);
}

/* ---- telling --------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text)
{
    struct buf path = {0};
    buf_printf(&path, "%s/%s", folder, name);
    bool done = file_write(buf_text(&path), text, strlen(text), NULL);
    buf_fini(&path);
    return done;
}

bool threads_pair_save(const struct threads_pair *pair, const char *folder)
{
    return gen_make_folder(folder) &&
           write_text(folder, "untuned.py", pair->text[0]) &&
           write_text(folder, "tuned.py", pair->text[1]);
}

static void keep(const char *root, uint64_t seed, const char *what,
                 const struct threads_pair *pair, const char *why)
{
    struct buf folder = {0};
    buf_printf(&folder, "%s/%s-%s-%" PRIu64, root, what,
               threads_kind_name(pair->kind), seed);
    if (!gen_make_folder(root) || !threads_pair_save(pair, buf_text(&folder)) ||
        !write_text(buf_text(&folder), "why.txt", why))
        (void)printf("cannot write to %s\n", buf_text(&folder));
    buf_fini(&folder);
}

static void say(const struct threads_request *r, uint64_t seed,
                const char *what, const struct threads_pair *pair,
                const char *why, const char *witness)
{
    struct buf text = {0};
    buf_printf(&text, "seed %" PRIu64 ": %s: %s (%s): %s", seed, what,
               threads_kind_name(pair->kind), pair->about, why);
    buf_printf(&text, "%s%s\n", witness != NULL ? "; " : "",
               witness != NULL ? witness : "");
    (void)printf("%s", buf_text(&text));
    (void)fflush(stdout);
    if (r->keep != NULL)
        keep(r->keep, seed, what, pair, buf_text(&text));
    buf_fini(&text);
}

/* Of the solver, for a query: what is shown of programs this small is shown
 * with less. */
#define EFFORT 400000u

/* ---- asking ---------------------------------------------------------------- */

static const struct ir_func *main_of(const struct ir_module *m)
{
    return ir_module_find(m, "main");
}

static void prove(const struct threads_pair *pair,
                  const struct verifier_options *options,
                  struct verifier_result *out)
{
    verifier_prove(pair->tuned, main_of(pair->tuned), pair->untuned,
                   main_of(pair->untuned), options, out);
}

static void judge_certificate(const struct threads_request *r, struct table *t,
                              uint64_t seed, const struct threads_pair *pair,
                              const struct verifier_result *v, bool wrong)
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
            say(r, seed, "refused", pair, c.reason, NULL);
    } else if (wrong) {
        ADD(t, pair, confirmed);
    }
    verifier_confirmation_fini(&c);
}

static size_t judge_proof(const struct threads_request *r, struct table *t,
                          uint64_t seed, const struct threads_pair *pair,
                          const struct threads_truth *truth)
{
    const struct verifier_options options = {
        .rlimit_query = EFFORT,
        .rlimit_total = 40 * EFFORT,
        .certificate = r->certificates ? "certificate" : NULL};
    struct verifier_result v;
    (r->prover != NULL ? r->prover : prove)(pair, &options, &v);
    const char *why = threads_judge(&v, truth);
    if (is_proof(v.verdict))
        ADD(t, pair, proved);
    if (why != NULL) {
        ADD(t, pair, wrong);
        say(r, seed, "wrong", pair, why, truth->witness);
    }
    if (r->certificates)
        judge_certificate(r, t, seed, pair, &v, why != NULL);
    verifier_result_fini(&v);
    return why != NULL;
}

static size_t judge_lint(const struct threads_request *r, struct table *t,
                         uint64_t seed, const struct threads_pair *pair,
                         const struct threads_truth *truth)
{
    const struct verifier_options options = {.rlimit_query = EFFORT,
                                             .rlimit_total = 40 * EFFORT};
    struct verifier_lint lint;
    verifier_lint(pair->tuned, main_of(pair->tuned), &options, &lint);
    bool wrong = lint.safe && truth->alone;
    if (lint.safe)
        ADD(t, pair, safe);
    if (wrong) {
        ADD(t, pair, unsound);
        say(r, seed, "lint", pair, "safe, and the tuned side faults",
            truth->witness);
    }
    verifier_lint_fini(&lint);
    return wrong;
}

static size_t check_pair(const struct threads_request *r, struct table *t,
                         uint64_t seed, const struct threads_pair *pair)
{
    struct threads_truth truth = threads_find_truth(pair);
    size_t found = judge_proof(r, t, seed, pair, &truth);
    if (r->lint)
        found += judge_lint(r, t, seed, pair, &truth);
    if (truth.engine != NULL) {
        ADD(t, pair, engines);
        say(r, seed, "engine", pair, truth.engine, NULL);
        found++;
    }
    count_truth(t, pair, &truth);
    threads_truth_fini(&truth);
    return found;
}

size_t threads_check(const struct threads_request *r)
{
    struct table *t = dc_alloc(sizeof *t);
    size_t found = 0;
    for (uint64_t seed = r->seed; seed - r->seed < r->count; seed++) {
        struct threads_pair pair;
        if (threads_pair_init(&pair, NULL, 0, seed) &&
            (r->only == NULL ||
             strcmp(r->only, threads_kind_name(pair.kind)) == 0))
            found += check_pair(r, t, seed, &pair);
        threads_pair_fini(&pair);
    }
    put_table(t);
    dc_release(t);
    return found;
}
