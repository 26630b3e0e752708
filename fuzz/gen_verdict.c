/* SPDX-License-Identifier: Apache-2.0
 *
 * Verdicts against runs: `diffcheck` may not accept what runs here show to be
 * wrong, nor refuse what is right by construction.
 *
 * A claim is judged as it is printed. Under `finite` and `non-NaN` only
 * elements and inputs count that keep them; where a claim leaves the order of
 * terms open, so it does the sign of a zero, since a unit that is added or not
 * decides it (x + 0). Rounding by another order is told from wrong values by
 * enclosures of the real results, and where the mutation cannot have changed
 * any order, by the bits.
 *
 * `agrees` claims nothing of inputs that were not run: what another input here
 * shows is counted as missed, with the reason why no more was claimed.
 */
#include "diff/diff.h"
#include "fuzz/gen_check.h"

#include <inttypes.h>
#include <string.h>

/* The exit status of a failed self-check (docs/man/diffcheck.1.in). */
#define EXIT_CONTRADICTION 3

/* ---- asking ---------------------------------------------------------------- */

/* What the note of a report says of keyed runs. */
static const char *keyed_note(const struct report_pair *pair)
{
    for (size_t i = 0; i < pair->notes.n; i++)
        if (strstr(pair->notes.items[i], "keyed runs"))
            return pair->notes.items[i];
    return "no note on keyed runs";
}

static unsigned assumptions_of(const struct report_pair *pair)
{
    static const struct {
        const char *word;
        unsigned bit;
    } words[] = {
        {"non-NaN:", INTERP_NON_NAN},
        {"finite:", INTERP_FINITE},
        {"in-range:", INTERP_IN_RANGE},
        {"generic:", INTERP_GENERIC},
    };
    unsigned set = 0;
    for (size_t i = 0; i < pair->assumptions.n; i++)
        for (size_t k = 0; k < DC_ARRAY_LEN(words); k++)
            if (strncmp(pair->assumptions.items[i], words[k].word,
                        strlen(words[k].word)) == 0)
                set |= words[k].bit;
    return set;
}

/* reason and note get why. */
static struct gen_claimed ask(const struct ir_module *tuned,
                              const struct ir_module *untuned, uint64_t budget,
                              bool cross_check, struct buf *reason,
                              struct buf *note)
{
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    struct diff_options options;
    char *argv[] = {arena_strdup(arena, "diffcheck"),
                    arena_strdup(arena, "tuned.json"),
                    arena_strdup(arena, "untuned.json")};
    struct gen_claimed claimed = {REPORT_NVERDICTS, 0, false, false};
    if (!diff_options_parse(3, argv, arena, &options, sink))
        DC_BUG("the command line is not understood");
    options.cross_check = cross_check;
    options.jobs = 1; /* many small ones: threads would cost more */
    if (budget > 0)
        options.budget = budget;
    diff_compare_modules(&options, tuned, untuned, report, sink);
    if (!report_worst(report, &claimed.verdict)) {
        claimed.verdict = REPORT_NVERDICTS;
        buf_puts(reason, report->error ? report->error : "no verdict");
    } else {
        buf_puts(reason, report->pairs[0].reason);
        buf_puts(note, keyed_note(&report->pairs[0]));
        claimed.assumptions = assumptions_of(&report->pairs[0]);
        claimed.contradiction = report->exit_code == EXIT_CONTRADICTION;
        claimed.proved = report->pairs[0].evidence == REPORT_PROOF;
    }
    report_free(report);
    diag_sink_free(sink);
    arena_free(arena);
    return claimed;
}

/* ---- judging --------------------------------------------------------------- */

/* Claims for all inputs. */
static bool accepts(enum report_verdict verdict)
{
    return verdict == REPORT_IDENTICAL || verdict == REPORT_ORDER_ONLY ||
           verdict == REPORT_ALGEBRAIC || verdict == REPORT_PRECISION;
}

static enum gen_level level_of(unsigned assumptions)
{
    if (assumptions & (INTERP_FINITE | INTERP_IN_RANGE))
        return GEN_FINITE;
    return assumptions & INTERP_NON_NAN ? GEN_NUMBERS : GEN_ANY;
}

/* Whether a program with this mutation may have the terms of a sum in another
 * order and be right but for that: statements, indices that exchange or
 * rotate what a sum runs over, and conflicts of threads. */
static bool may_reorder(enum mutate_kind kind)
{
    switch ((int)kind) {
    case MUTATE_SWAP_STATEMENTS:
    case MUTATE_SWAP_INDICES:
    case MUTATE_WRONG_OPERAND: /* x[k] * x[n - k] and x[k] * x[k] in a product */
    case MUTATE_SHIFT_INDEX:
    case MUTATE_WRONG_VARIABLE:
    case MUTATE_WRONG_STRIDE:
    case MUTATE_STALE_HALF: return true;
    default: return mutate_class_of(kind) == MUTATE_RACE;
    }
}

/* Bits of an identical pair that a mutation changes were changed by what it
 * did to values. */
static bool bits_tell(const struct gen_pair *pair,
                      const enum mutate_kind *mutated)
{
    return mutated && pair->tuning.claim == GEN_IDENTICAL &&
           !may_reorder(*mutated);
}

static const char *judge_right(const struct gen_claimed *claimed,
                               const struct gen_pair *pair,
                               const struct gen_truth *truth)
{
    enum report_verdict v = claimed->verdict;
    bool identical = pair->tuning.claim == GEN_IDENTICAL;
    if (v == REPORT_UNSAFE || v == REPORT_DIFFERENT || v == REPORT_PRECISION)
        return "a right pair is refused";
    if (truth->fault || (identical ? truth->bits : truth->exact[GEN_ANY]))
        return "a right pair differs when run here";
    return NULL;
}

bool gen_needs_apart(const struct gen_claimed *claimed,
                     const struct gen_truth *truth)
{
    return truth->values[GEN_ANY] && accepts(claimed->verdict);
}

const char *gen_judge(const struct gen_claimed *claimed,
                      const struct gen_pair *pair,
                      const enum mutate_kind *mutated,
                      const struct gen_truth *truth, bool apart)
{
    enum report_verdict v = claimed->verdict;
    enum gen_level level = level_of(claimed->assumptions);
    const char *wrong = mutated ? NULL : judge_right(claimed, pair, truth);
    if (v == REPORT_NVERDICTS)
        return "no verdict";
    if (claimed->contradiction)
        return "the comparison contradicts itself";
    if (wrong || !accepts(v))
        return wrong;
    if (truth->fault)
        return "unsound: the tuned side faults";
    if (v == REPORT_IDENTICAL)
        return truth->bits ? "unsound: bits differ" : NULL;
    if (truth->exact[level])
        return "unsound: exact results differ";
    if (apart)
        return "unsound: real results differ";
    if (!truth->values[level] || !bits_tell(pair, mutated))
        return NULL;
    if (v == REPORT_ORDER_ONLY)
        return "unsound: more than the order differs";
    if (v == REPORT_ALGEBRAIC && mutate_class_of(*mutated) == MUTATE_PRECISION)
        return "unsound: a rounding differs";
    return NULL;
}

/* ---- counting -------------------------------------------------------------- */

struct reason_count {
    char *text;
    size_t n;
};

enum group {
    RIGHT,   /* right pairs */
    WRONG,   /* mutants that fault or give other exact results */
    ROUNDED, /* … whose bits differ in other ways */
    SAME,    /* the other mutants */
    NGROUPS
};

struct verdict_table {
    size_t found, missed;
    size_t counts[NGROUPS][REPORT_NVERDICTS + 1];
    size_t proved[NGROUPS];
    /* keyed domains asked directly: answers, claims by verdict */
    size_t answers[NGROUPS], claims[NGROUPS][REPORT_NVERDICTS];
    struct VEC(struct reason_count) missed_for; /* by reason */
};

static void count_reason(struct verdict_table *table, const char *text)
{
    for (size_t i = 0; i < table->missed_for.len; i++) {
        if (strcmp(table->missed_for.items[i].text, text) != 0)
            continue;
        table->missed_for.items[i].n++;
        return;
    }
    struct reason_count fresh = {dc_alloc(strlen(text) + 1), 1};
    memcpy(fresh.text, text, strlen(text) + 1);
    vec_push(&table->missed_for, fresh);
}

static const char *name_of(enum report_verdict verdict)
{
    return verdict < REPORT_NVERDICTS ? report_verdict_name(verdict) : "none";
}

static void put_table(const struct verdict_table *table)
{
    static const char *const names[NGROUPS] = {
        "right pairs", "mutants that fault or differ exactly",
        "mutants whose bits differ otherwise",
        "mutants without an effect seen here"};
    for (unsigned g = 0; g < NGROUPS; g++) {
        size_t all = 0;
        for (unsigned v = 0; v <= REPORT_NVERDICTS; v++)
            all += table->counts[g][v];
        (void)printf("%s: %zu:", names[g], all);
        for (unsigned v = 0; v <= REPORT_NVERDICTS; v++)
            if (table->counts[g][v] > 0)
                (void)printf(" %s %zu", name_of((enum report_verdict)v),
                             table->counts[g][v]);
        (void)printf("; by proof %zu\n", table->proved[g]);
    }
    for (unsigned g = WRONG; g < NGROUPS; g++) {
        (void)printf("keyed domains on %s: %zu answers;", names[g],
                     table->answers[g]);
        for (unsigned v = 0; v < REPORT_NVERDICTS; v++)
            if (table->claims[g][v] > 0)
                (void)printf(" %s %zu", name_of((enum report_verdict)v),
                             table->claims[g][v]);
        (void)printf("\n");
    }
    for (size_t i = 0; i < table->missed_for.len; i++)
        (void)printf("missed %zu: %s\n", table->missed_for.items[i].n,
                     table->missed_for.items[i].text);
}

/* ---- one module ------------------------------------------------------------ */

struct subject {
    uint64_t seed;
    const struct gen_pair *pair;
    const struct gen_reference *reference; /* of the untuned side, */
    const struct gen_keyed *keyed;         /* and in keyed domains */
    const struct ir_module *tuned;
    const enum mutate_kind *mutated;
    const char *where; /* what the mutation did */
    const char *keep;
    uint64_t budget;
    bool cross_check;
    bool tell_missed;
};

static void report_subject(const struct subject *s, const char *fault,
                           const struct gen_claimed *claimed, const char *why)
{
    struct buf what = {0};
    if (s->mutated)
        buf_printf(&what, "%s (%s): ", mutate_name(*s->mutated), s->where);
    buf_printf(&what, "%s: verdict %s", fault, name_of(claimed->verdict));
    gen_complain(s->seed, s->pair, buf_text(&what), why);
    what.len = 0;
    if (s->keep) {
        buf_printf(&what, "%s/%" PRIu64 "-%s", s->keep, s->seed,
                   s->mutated ? mutate_name(*s->mutated) : "right");
        if (!gen_make_folder(s->keep) ||
            !gen_save_pair(buf_text(&what), s->pair->untuned, s->tuned))
            (void)printf("cannot write to %s\n", buf_text(&what));
    }
    buf_fini(&what);
}

/* Enclosures, where they matter, once for all claims about the subject. */
struct apart {
    bool known, found;
};

static const char *judge(const struct subject *s,
                         const struct gen_claimed *claimed,
                         const struct gen_truth *truth, struct apart *apart)
{
    if (gen_needs_apart(claimed, truth) && !apart->known) {
        apart->known = true;
        apart->found = gen_find_apart(s->reference, s->tuned);
    }
    return gen_judge(claimed, s->pair, s->mutated, truth, apart->found);
}

/* Number of false claims of the keyed domains. */
static size_t check_keyed(struct verdict_table *table, const struct subject *s,
                          const struct gen_truth *truth, enum group group,
                          struct apart *apart)
{
    struct gen_claimed claims[GEN_NKEYED];
    size_t answers, found = 0;
    size_t n = gen_keyed_claims(s->keyed, s->tuned, claims, &answers);
    table->answers[group] += answers;
    for (size_t i = 0; i < n; i++) {
        table->claims[group][claims[i].verdict]++;
        const char *fault = judge(s, &claims[i], truth, apart);
        found += fault != NULL;
        if (fault)
            report_subject(s, fault, &claims[i], "by a keyed domain alone");
    }
    return found;
}

/* True if the verdict is as it should be. */
static bool check(struct verdict_table *table, const struct subject *s)
{
    struct buf why = {0}, note = {0};
    struct apart apart = {false, false};
    struct gen_truth truth = gen_find_truth(s->reference, s->tuned);
    struct gen_claimed claimed =
        ask(s->tuned, s->pair->untuned, s->budget, s->cross_check, &why, &note);
    const char *fault = judge(s, &claimed, &truth, &apart);
    bool wrong = truth.fault || truth.exact[GEN_ANY];
    bool missed = s->mutated && wrong && claimed.verdict == REPORT_AGREES;
    enum group group = !s->mutated  ? RIGHT
                       : wrong      ? WRONG
                       : truth.bits ? ROUNDED
                                    : SAME;
    table->counts[group][claimed.verdict]++;
    table->proved[group] += claimed.proved;
    table->missed += missed;
    if (missed)
        count_reason(table, buf_text(&note));
    if (fault || (missed && s->tell_missed))
        report_subject(s, fault ? fault : "missed: another input shows it",
                       &claimed, buf_text(&why));
    size_t found = fault != NULL;
    if (s->mutated)
        found += check_keyed(table, s, &truth, group, &apart);
    table->found += found;
    buf_fini(&why);
    buf_fini(&note);
    return found == 0;
}

static void fini_table(struct verdict_table *table)
{
    for (size_t i = 0; i < table->missed_for.len; i++)
        dc_release(table->missed_for.items[i].text);
    vec_fini(&table->missed_for);
}

bool gen_check_verdict(uint64_t seed, const struct gen_pair *pair,
                       const struct ir_module *tuned,
                       const enum mutate_kind *mutated, uint64_t budget)
{
    struct verdict_table table = {0};
    struct gen_reference reference;
    struct gen_keyed keyed;
    gen_reference_init(&reference, pair->untuned);
    gen_keyed_init(&keyed, pair);
    struct subject s = {.seed = seed,
                        .pair = pair,
                        .reference = &reference,
                        .keyed = &keyed,
                        .tuned = tuned,
                        .mutated = mutated,
                        .where = "",
                        .budget = budget,
                        .cross_check = true};
    bool fine = check(&table, &s);
    gen_keyed_fini(&keyed);
    gen_reference_fini(&reference);
    fini_table(&table);
    return fine;
}

/* ---- many ------------------------------------------------------------------ */

struct hashes {
    struct VEC(uint64_t) of;
};

/* Each mutant once: few places give the same one again. */
static bool is_new(struct hashes *seen, uint64_t hash)
{
    for (size_t i = 0; i < seen->of.len; i++)
        if (seen->of.items[i] == hash)
            return false;
    vec_push(&seen->of, hash);
    return true;
}

static void check_seed(struct verdict_table *table, uint64_t seed,
                       const struct gen_request *r)
{
    struct gen_pair pair;
    struct gen_reference reference;
    struct gen_keyed keyed;
    struct gen_mutation mutation = {0};
    gen_pair_init(&pair, NULL, 0, seed, &r->options);
    gen_reference_init(&reference, pair.untuned);
    gen_keyed_init(&keyed, &pair);
    struct subject s = {.seed = seed,
                        .pair = &pair,
                        .reference = &reference,
                        .keyed = &keyed,
                        .tuned = pair.tuned,
                        .where = "",
                        .keep = r->keep,
                        .budget = r->budget,
                        .cross_check = r->cross_check,
                        .tell_missed = true};
    if (!r->mutants_only)
        (void)check(table, &s);
    struct hashes seen = {{0}};
    s.mutated = &mutation.kind;
    for (bool more = true; more && seen.of.len < r->mutants;) {
        struct buf where = {0};
        struct ir_module *mutant =
            gen_next_mutant(&pair, seed, &mutation, &where);
        s.tuned = mutant;
        s.where = buf_text(&where);
        more = mutant != NULL;
        if (mutant && is_new(&seen, ir_module_hash(mutant)))
            (void)check(table, &s);
        ir_module_free(mutant);
        buf_fini(&where);
    }
    vec_fini(&seen.of);
    gen_keyed_fini(&keyed);
    gen_reference_fini(&reference);
    gen_pair_fini(&pair);
}

size_t gen_check_verdicts(const struct gen_request *r)
{
    struct verdict_table table = {0};
    for (uint64_t seed = r->seed; seed - r->seed < r->count; seed++)
        check_seed(&table, seed, r);
    put_table(&table);
    (void)printf("%" PRIu64 " seeds: %zu missed, %zu contradictions\n",
                 r->count, table.missed, table.found);
    size_t found = table.found;
    fini_table(&table);
    return found;
}
