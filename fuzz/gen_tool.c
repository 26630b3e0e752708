/* SPDX-License-Identifier: Apache-2.0
 *
 * diffcheck-gen: generated pairs as files, and the checks that use them.
 *
 *   diffcheck-gen [options] [--mutate] --out DIR
 *     DIR/SEED/untuned.json and tuned.json for K seeds from N on, case.json
 *     with what is known of the pair, and a line each in DIR/labels.txt
 *   diffcheck-gen [options] --schedule --out DIR
 *     the same with a tuned side made by random schedule steps; steps.txt holds
 *     them, refused ones included (schedule/trace.c)
 *   diffcheck-gen [options] --check-engines | --check-schedules
 *   diffcheck-gen [options] --check-verdicts [--mutate] [--mutants M]
 *                 [--cross-check] [--keep DIR]
 *     --mutate: mutants alone; --mutants: so many of each pair; --cross-check:
 *     proofs are held against runs and keyed runs; --keep: what contradicts or
 *     is missed goes to DIR
 *   diffcheck-gen [options] --check-integers [--runs] [--engines] [--lint]
 *                 [--certificates] [--missed] [--only NAME] [--keep DIR]
 *     pairs whose integers may wrap (fuzz/ints), proofs held against their
 *     evaluator; --runs: what runs alone say, too; --engines: the interpreter;
 *     --lint: whether one side is safe; --certificates: each proof's, checked
 *     again; --missed: tell each difference that runs do not find; --only: of
 *     one class or place
 *   diffcheck-gen [options] --check-threads [--lint] [--certificates]
 *                 [--only NAME] [--keep DIR]
 *     pairs whose threads exchange, reduce and copy, whose loops have steps and
 *     whose storage has several types (fuzz/threads), proofs held against runs;
 *     --lint: whether the tuned side is safe; --only: of one kind
 *   diffcheck-gen [options] --threads --out DIR
 *     such pairs: DIR/SEED/untuned.py and tuned.py
 *   diffcheck-gen [options] --hostile --out DIR
 *     modules made to do harm: DIR/SEED-tuned and DIR/SEED-untuned
 *   diffcheck-gen [options] --check-hostile [--program FILE] [--line N]
 *                 [--part N] [--all] [--tell] [--keep DIR]
 *     every command on modules made to do harm (fuzz/hostile); --program: by
 *     that executable, with little address space; --line: one command alone;
 *     --part: on each case one command in N; --all: the slow ones on all
 *     cases; --tell: each case
 *   options: --seed N, --count K, --small: programs of one or two stages of
 *     few elements, for runs over many
 *
 * Exit status: 0 done, nothing found; 1 something contradicts; 2 usage, or a
 * file cannot be written. The same command writes the same bytes.
 */
#include "fuzz/gen_check.h"
#include "fuzz/gen_schedule.h"
#include "fuzz/hostile/hostile.h"
#include "fuzz/ints/ints.h"
#include "fuzz/threads/threads.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct request {
    struct gen_request of;
    bool mutate, engines, verdicts, small;
    bool write_hostile, write_threads;
    bool schedule, schedules; /* write them; check them */
    bool integers;
    struct ints_request ints;
    bool threads;
    struct threads_request thread;
    bool hostiles;
    struct hostile_request hostile;
    const char *out;
};

static int usage(void)
{
    (void)fprintf(
        stderr,
        "usage: diffcheck-gen [options] "
        "[--mutate|--schedule|--threads|--hostile] --out DIR\n"
        "       diffcheck-gen [options] --check-engines|"
        "--check-schedules\n"
        "       diffcheck-gen [options] --check-verdicts [--mutate] "
        "[--mutants M] [--cross-check]\n"
        "                     [--keep DIR]\n"
        "       diffcheck-gen [options] --check-integers [--runs] [--engines] "
        "[--lint]\n"
        "                     [--certificates] [--missed] [--only NAME] "
        "[--keep DIR]\n"
        "       diffcheck-gen [options] --check-threads [--lint] "
        "[--certificates] [--only NAME]\n"
        "                     [--keep DIR]\n"
        "       diffcheck-gen [options] --check-hostile [--program FILE] "
        "[--line N] [--part N]\n"
        "                     [--all] [--tell] [--keep DIR]\n"
        "options: --seed N, --count K, --small\n");
    return 2;
}

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *out = value;
    return errno == 0 && *end == '\0' && text[0] >= '0' && text[0] <= '9';
}

static bool parse_flag(const char *word, struct request *r)
{
    if (strcmp(word, "--mutate") == 0)
        r->mutate = true;
    else if (strcmp(word, "--cross-check") == 0)
        r->of.cross_check = true;
    else if (strcmp(word, "--check-engines") == 0)
        r->engines = true;
    else if (strcmp(word, "--check-verdicts") == 0)
        r->verdicts = true;
    else if (strcmp(word, "--schedule") == 0)
        r->schedule = true;
    else if (strcmp(word, "--check-schedules") == 0)
        r->schedules = true;
    else if (strcmp(word, "--small") == 0)
        r->small = true;
    else if (strcmp(word, "--check-integers") == 0)
        r->integers = true;
    else if (strcmp(word, "--runs") == 0)
        r->ints.runs = true;
    else if (strcmp(word, "--certificates") == 0)
        r->ints.certificates = true;
    else if (strcmp(word, "--engines") == 0)
        r->ints.engines = true;
    else if (strcmp(word, "--lint") == 0)
        r->ints.lint = true;
    else if (strcmp(word, "--check-threads") == 0)
        r->threads = true;
    else if (strcmp(word, "--threads") == 0)
        r->write_threads = true;
    else if (strcmp(word, "--hostile") == 0)
        r->write_hostile = true;
    else if (strcmp(word, "--check-hostile") == 0)
        r->hostiles = true;
    else if (strcmp(word, "--tell") == 0)
        r->hostile.tell = true;
    else if (strcmp(word, "--all") == 0)
        r->hostile.all = true;
    else if (strcmp(word, "--missed") == 0)
        r->ints.tell_missed = true;
    else
        return false;
    return true;
}

static bool parse_value(const char *word, const char *value, struct request *r)
{
    uint64_t n;
    if (strcmp(word, "--out") == 0) {
        r->out = value;
        return true;
    }
    if (strcmp(word, "--keep") == 0) {
        r->of.keep = value;
        return true;
    }
    if (strcmp(word, "--only") == 0) {
        r->ints.only = value;
        return true;
    }
    if (strcmp(word, "--program") == 0) {
        r->hostile.program = value;
        return true;
    }
    if (!number(value, &n))
        return false;
    if (strcmp(word, "--seed") == 0)
        r->of.seed = n;
    else if (strcmp(word, "--count") == 0)
        r->of.count = n;
    else if (strcmp(word, "--mutants") == 0)
        r->of.mutants = n > 1000 ? 1000 : (unsigned)n;
    else if (strcmp(word, "--line") == 0)
        r->hostile.line = n;
    else if (strcmp(word, "--part") == 0)
        r->hostile.part = n;
    else
        return false;
    return true;
}

static bool parse(int argc, char **argv, struct request *r)
{
    for (int i = 1; i < argc; i++) {
        if (parse_flag(argv[i], r))
            continue;
        if (i + 1 >= argc || !parse_value(argv[i], argv[i + 1], r))
            return false;
        i++;
    }
    r->of.mutants_only = r->mutate;
    r->of.options = r->small ? gen_small_options() : gen_default_options();
    r->of.budget = r->small ? GEN_SMALL_BUDGET : 0;
    r->ints.seed = r->of.seed;
    r->ints.count = r->of.count;
    r->ints.keep = r->of.keep;
    r->thread = (struct threads_request){.seed = r->of.seed,
                                         .count = r->of.count,
                                         .keep = r->of.keep,
                                         .only = r->ints.only,
                                         .lint = r->ints.lint,
                                         .certificates = r->ints.certificates};
    r->hostile.seed = r->of.seed;
    r->hostile.count = r->of.count;
    r->hostile.keep = r->of.keep;
    return r->hostiles || r->engines || r->verdicts || r->schedules ||
           r->integers || r->threads || r->out;
}

/* ---- files ----------------------------------------------------------------- */

/* What a comparison should say, where it is known; else NULL. */
static const char *expectation(const struct gen_pair *pair,
                               const struct ir_module *mutant)
{
    if (!mutant)
        return gen_claim_name(pair->tuning.claim);
    struct gen_reference reference;
    gen_reference_init(&reference, pair->untuned);
    struct gen_truth truth = gen_find_truth(&reference, mutant);
    gen_reference_fini(&reference);
    return truth.fault ? "unsafe" : truth.exact[GEN_ANY] ? "different" : NULL;
}

static bool write_case(const char *folder, const char *expect,
                       const char *label)
{
    struct buf path = {0}, text = {0};
    buf_printf(&path, "%s/case.json", folder);
    buf_puts(&text, "{\n");
    if (expect)
        buf_printf(&text, " \"expect\": \"%s\",\n", expect);
    buf_printf(&text, " \"label\": \"%s\"\n}\n", label);
    bool done = file_write(buf_text(&path), text.data, text.len, NULL);
    buf_fini(&path);
    buf_fini(&text);
    return done;
}

static bool write_pair(const struct request *r, uint64_t seed,
                       struct buf *labels)
{
    struct gen_pair pair;
    struct buf folder = {0}, label = {0};
    struct gen_mutation mutation = {0};
    gen_pair_init(&pair, NULL, 0, seed, &r->of.options);
    struct ir_module *mutant =
        r->mutate ? gen_next_mutant(&pair, seed, &mutation, NULL) : NULL;
    buf_printf(&folder, "%s/%" PRIu64, r->out, seed);
    if (mutant)
        buf_printf(&label, "mutation=%s class=%s of ",
                   mutate_name(mutation.kind),
                   mutate_class_name(mutate_class_of(mutation.kind)));
    gen_pair_label(&pair, &label);
    buf_printf(labels, "%" PRIu64 " %s\n", seed, buf_text(&label));
    bool done = gen_save_pair(buf_text(&folder), pair.untuned,
                              mutant ? mutant : pair.tuned) &&
                write_case(buf_text(&folder), expectation(&pair, mutant),
                           buf_text(&label));
    ir_module_free(mutant);
    gen_pair_fini(&pair);
    buf_fini(&folder);
    buf_fini(&label);
    return done;
}

static bool write_steps(const char *folder, const struct buf *steps)
{
    struct buf path = {0};
    buf_printf(&path, "%s/steps.txt", folder);
    bool done = file_write(buf_text(&path), buf_text(steps), steps->len, NULL);
    buf_fini(&path);
    return done;
}

static bool write_schedule(const struct request *r, uint64_t seed,
                           struct buf *labels)
{
    struct gen_schedule g;
    struct buf folder = {0}, label = {0};
    bool done = true;
    if (gen_schedule_init(&g, NULL, 0, seed, &r->of.options)) {
        buf_printf(&folder, "%s/%" PRIu64, r->out, seed);
        buf_printf(&label, "%s done=%zu refused=%zu", gen_claim_name(g.claim),
                   g.done, g.refused);
        buf_printf(labels, "%" PRIu64 " %s\n", seed, buf_text(&label));
        done = gen_save_pair(buf_text(&folder), g.untuned,
                             schedule_module(g.schedule)) &&
               write_steps(buf_text(&folder), &g.steps) &&
               write_case(buf_text(&folder), gen_claim_name(g.claim),
                          buf_text(&label));
    }
    gen_schedule_fini(&g);
    buf_fini(&folder);
    buf_fini(&label);
    return done;
}

static bool write_hostile(const struct request *r)
{
    struct hostile_seeds seeds;
    bool done = gen_make_folder(r->out);
    hostile_seeds_init(&seeds, "corpora");
    for (uint64_t k = 0; k < r->of.count && done; k++) {
        struct hostile_case c;
        hostile_case_init(&c, NULL, 0, r->of.seed + k, &seeds);
        done = hostile_case_save(&c, r->out, r->of.seed + k);
        hostile_case_fini(&c);
    }
    hostile_seeds_fini(&seeds);
    return done;
}

static bool write_threads(const struct request *r)
{
    bool done = gen_make_folder(r->out);
    for (uint64_t seed = r->of.seed; seed - r->of.seed < r->of.count && done;
         seed++) {
        struct threads_pair pair;
        struct buf folder = {0};
        buf_printf(&folder, "%s/%" PRIu64, r->out, seed);
        if (threads_pair_init(&pair, NULL, 0, seed))
            done = threads_pair_save(&pair, buf_text(&folder));
        threads_pair_fini(&pair);
        buf_fini(&folder);
    }
    return done;
}

static bool write_pairs(const struct request *r)
{
    struct buf labels = {0}, path = {0};
    bool done = gen_make_folder(r->out);
    for (uint64_t k = 0; k < r->of.count && done; k++)
        done = r->schedule ? write_schedule(r, r->of.seed + k, &labels)
                           : write_pair(r, r->of.seed + k, &labels);
    buf_printf(&path, "%s/labels.txt", r->out);
    done = done &&
           file_write(buf_text(&path), buf_text(&labels), labels.len, NULL);
    buf_fini(&labels);
    buf_fini(&path);
    return done;
}

int main(int argc, char **argv)
{
    struct request r = {.of = {.count = 1, .mutants = 1}};
    size_t found = 0;
    if (!parse(argc, argv, &r))
        return usage();
    if (r.out && !(r.write_hostile   ? write_hostile(&r)
                   : r.write_threads ? write_threads(&r)
                                     : write_pairs(&r))) {
        (void)fprintf(stderr, "diffcheck-gen: cannot write below '%s'\n",
                      r.out);
        return 2;
    }
    if (r.engines)
        found += gen_check_engines(&r.of);
    if (r.verdicts)
        found += gen_check_verdicts(&r.of);
    if (r.integers)
        found += ints_check(&r.ints);
    if (r.threads)
        found += threads_check(&r.thread);
    if (r.hostiles) {
        bool again;
        found += hostile_check(&r.hostile, &again);
        if (again)
            return 0;
    }
    if (r.schedules)
        found += gen_check_schedules(r.of.seed, r.of.count, &r.of.options);
    return found > 0;
}
