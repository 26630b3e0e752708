/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks that need no expected output: several parts of the project are asked
 * about one program, and may not contradict each other.
 *
 * Engines: the sides of a pair must relate as is known of the pair; each way
 * of running in the table below must do to a module what the first one does;
 * and the interval domain must enclose what the ieee domain computes exactly.
 * Verdicts: `diffcheck` may not accept what runs here show to be wrong, nor
 * refuse what is right by construction.
 */
#include "fuzz/gen_check.h"

#include "diff/diff.h"

#include <inttypes.h>
#include <string.h>

static const struct gen_options *defaults(struct gen_options *options)
{
    *options = gen_default_options();
    return options;
}

static void complain(uint64_t seed, const struct gen_pair *pair,
                     const char *what, const char *detail)
{
    struct buf label = {0};
    gen_pair_label(pair, &label);
    (void)printf("seed %" PRIu64 ": %s: %s (%s)\n", seed, what,
                 detail ? detail : "", buf_text(&label));
    (void)fflush(stdout);
    buf_fini(&label);
}

struct ir_module *gen_mutant(const struct gen_pair *pair, uint64_t seed,
                             enum mutate_kind *kind, struct buf *where)
{
    for (unsigned i = 0; i < MUTATE_NKINDS; i++) {
        *kind = (enum mutate_kind)((seed + i) % MUTATE_NKINDS);
        struct ir_module *m =
            mutate_module(pair->tuned, *kind, seed / MUTATE_NKINDS, where);
        if (m)
            return m;
    }
    return NULL;
}

/* ---- engines --------------------------------------------------------------- */

/* Ways to run a module in the ieee domain that must give the same bits, states
 * and faults. The first is what the others are compared with; another engine
 * is one more row. */
static const struct {
    const char *name;
    enum interp_engine engine;
} engines[] = {
    {"walk", INTERP_ENGINE_WALK},
    {"fast", INTERP_ENGINE_FAST},
};

static struct interp_options options_of(size_t engine)
{
    struct interp_options options = interp_default_options();
    options.max_steps = GEN_MAX_STEPS;
    options.engine = engines[engine].engine;
    return options;
}

/* Faults, bits and states of the same module under two engines. Engines count
 * work in their own way, and may refuse what they do not know; what a faulty
 * run leaves in the outputs is not compared. */
static bool engines_differ(const struct gen_run *a, const struct gen_run *b,
                           struct buf *what)
{
    if (b->result.fault == INTERP_UNSUPPORTED ||
        a->result.fault == INTERP_BUDGET || b->result.fault == INTERP_BUDGET)
        return false;
    if (a->result.fault != b->result.fault) {
        buf_printf(what, "%s, not %s", interp_fault_name(b->result.fault),
                   interp_fault_name(a->result.fault));
        return true;
    }
    for (size_t p = 0; a->result.fault == INTERP_OK && p < a->n; p++) {
        const struct interp_tensor *x = a->args[p].tensor;
        const struct interp_tensor *y = b->args[p].tensor;
        struct dtype t = dtype_scalar(x->dtype);
        for (size_t i = 0; i < x->elements; i++) {
            bool defined = x->state[i] & INTERP_DEFINED;
            if (x->state[i] == y->state[i] &&
                (!defined || num_same(t, x->bits[i], y->bits[i])))
                continue;
            buf_printf(what, "parameter %zu, element %zu: ", p, i);
            num_put(what, t, y->bits[i]);
            buf_printf(what, " (state %u), not ", y->state[i]);
            num_put(what, t, x->bits[i]);
            buf_printf(what, " (state %u)", x->state[i]);
            return true;
        }
    }
    return false;
}

static bool is_enclosed(const struct interp_tensor *exact,
                        const struct interp_tensor *box, size_t i)
{
    struct dtype t = dtype_scalar(exact->dtype);
    if (!dtype_is_float(t) || (exact->state[i] & INTERP_INEXACT) ||
        !(exact->state[i] & INTERP_DEFINED))
        return true;
    double value = num_to_double(t, exact->bits[i]);
    if (num_is_nan(t, exact->bits[i]) || num_is_inf(t, exact->bits[i]))
        return true;
    return box->box[i].range.lo <= value && value <= box->box[i].range.hi;
}

/* Exact results are real results, if they are numbers. */
static const char *not_enclosed(const struct ir_module *m,
                                const struct gen_input *input,
                                const struct gen_run *run, struct buf *detail)
{
    struct interp_options options = options_of(0);
    const char *fault = NULL;
    struct gen_run boxes;
    options.domain = INTERP_INTERVAL;
    gen_run_init(&boxes, m, input, &options);
    if (interp_is_fault(boxes.result.fault))
        fault = "the interval domain faults";
    bool judged =
        boxes.result.fault == INTERP_OK && !run->result.control_inexact;
    for (size_t p = 0; judged && p < run->n; p++) {
        const struct interp_tensor *t = run->args[p].tensor;
        const struct interp_tensor *b = boxes.args[p].tensor;
        for (size_t i = 0; i < t->elements && !fault; i++) {
            if (is_enclosed(t, b, i))
                continue;
            fault = "an exact result lies outside its enclosure";
            buf_printf(detail, "%s input, parameter %zu, element %zu: ",
                       interp_fill_name(input->fill), p, i);
            num_put(detail, dtype_scalar(t->dtype), t->bits[i]);
            buf_printf(detail, " not in [%g, %g]", b->box[i].range.lo,
                       b->box[i].range.hi);
        }
    }
    gen_run_fini(&boxes);
    return fault;
}

struct engine_check {
    uint64_t seed;
    const struct gen_pair *pair;
    const char *side;            /* what is being run */
    size_t runs, refused, found; /* refused by engines but the first */
};

static void report_engine(struct engine_check *c, const char *what,
                          const char *detail)
{
    struct buf text = {0};
    buf_printf(&text, "%s: %s", c->side, what);
    c->found++;
    complain(c->seed, c->pair, buf_text(&text), detail);
    buf_fini(&text);
}

/* A module under all engines on one input; run is left to the caller. */
static void check_module(struct engine_check *c, const struct ir_module *m,
                         const struct gen_input *input, struct gen_run *run,
                         bool safe)
{
    struct interp_options options = options_of(0);
    gen_run_init(run, m, input, &options);
    c->runs++;
    if (safe && run->result.fault != INTERP_OK)
        report_engine(c, interp_fault_name(run->result.fault),
                      run->result.message);
    for (size_t e = 1; e < DC_ARRAY_LEN(engines); e++) {
        struct gen_run other;
        options = options_of(e);
        gen_run_init(&other, m, input, &options);
        struct buf what = {0};
        c->refused += other.result.fault == INTERP_UNSUPPORTED;
        if (engines_differ(run, &other, &what)) {
            buf_printf(&what, ", %s input", interp_fill_name(input->fill));
            report_engine(c, engines[e].name, buf_text(&what));
        }
        buf_fini(&what);
        gen_run_fini(&other);
    }
    if (run->result.fault == INTERP_OK) {
        struct buf detail = {0};
        const char *what = not_enclosed(m, input, run, &detail);
        if (what)
            report_engine(c, what, buf_text(&detail));
        buf_fini(&detail);
    }
}

static void check_pair(struct engine_check *c, const struct ir_module *mutant)
{
    for (size_t i = 0; i < GEN_NINPUTS; i++) {
        struct gen_input input = gen_input_at(i);
        struct gen_run untuned, tuned, wrong;
        c->side = "untuned";
        check_module(c, c->pair->untuned, &input, &untuned, true);
        c->side = "tuned";
        check_module(c, c->pair->tuned, &input, &tuned, true);
        c->side = "pair";
        struct gen_difference d = gen_compare(&untuned, &tuned);
        if (c->pair->tuning.claim == GEN_IDENTICAL ? d.bits : d.exact)
            report_engine(c, "the claim is broken",
                          interp_fill_name(input.fill));
        gen_run_fini(&untuned);
        gen_run_fini(&tuned);
        if (!mutant)
            continue;
        c->side = "mutant";
        check_module(c, mutant, &input, &wrong, false);
        gen_run_fini(&wrong);
    }
}

size_t gen_check_engines(uint64_t seed, uint64_t count)
{
    size_t runs = 0, refused = 0, found = 0;
    struct gen_options options;
    for (uint64_t k = 0; k < count; k++) {
        struct gen_pair pair;
        enum mutate_kind kind;
        gen_pair_init(&pair, NULL, 0, seed + k, defaults(&options));
        struct ir_module *mutant = gen_mutant(&pair, seed + k, &kind, NULL);
        struct engine_check c = {seed + k, &pair, "", 0, 0, 0};
        check_pair(&c, mutant);
        runs += c.runs;
        refused += c.refused;
        found += c.found;
        ir_module_free(mutant);
        gen_pair_fini(&pair);
    }
    (void)printf("%" PRIu64 " pairs, %zu runs on %zu engines, %zu refused: "
                 "%zu contradictions\n",
                 count, runs, DC_ARRAY_LEN(engines), refused, found);
    return found;
}

/* ---- verdicts -------------------------------------------------------------- */

struct gen_truth gen_find_truth(const struct ir_module *untuned,
                                const struct ir_module *tuned)
{
    struct gen_truth truth = {false, false, false};
    const struct interp_options options = options_of(0);
    for (size_t i = 0; i < GEN_NINPUTS; i++) {
        struct gen_input input = gen_input_at(i);
        struct gen_run a, b;
        gen_run_init(&a, untuned, &input, &options);
        gen_run_init(&b, tuned, &input, &options);
        if (a.result.fault == INTERP_OK) {
            truth.fault |= interp_is_fault(b.result.fault);
            if (b.result.fault == INTERP_OK) {
                struct gen_difference d = gen_compare(&a, &b);
                truth.exact |= d.exact;
                truth.bits |= d.bits;
            }
        }
        gen_run_fini(&a);
        gen_run_fini(&b);
    }
    return truth;
}

/* REPORT_NVERDICTS: no verdict, *why says why. */
static enum report_verdict verdict_of(const struct ir_module *tuned,
                                      const struct ir_module *untuned,
                                      struct buf *why)
{
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    struct diff_options options;
    char *argv[] = {arena_strdup(arena, "diffcheck"),
                    arena_strdup(arena, "tuned.json"),
                    arena_strdup(arena, "untuned.json")};
    enum report_verdict verdict = REPORT_NVERDICTS;
    if (!diff_options_parse(3, argv, arena, &options, sink))
        DC_BUG("the command line is not understood");
    diff_compare_modules(&options, tuned, untuned, report, sink);
    if (!report_worst(report, &verdict)) {
        verdict = REPORT_NVERDICTS;
        buf_puts(why, report->error ? report->error : "no verdict");
    } else {
        buf_puts(why, report->pairs[0].reason);
    }
    report_free(report);
    diag_sink_free(sink);
    arena_free(arena);
    return verdict;
}

/* Claims for all inputs. */
static bool accepts(enum report_verdict verdict)
{
    return verdict == REPORT_IDENTICAL || verdict == REPORT_ORDER_ONLY ||
           verdict == REPORT_ALGEBRAIC || verdict == REPORT_PRECISION;
}

/* What is wrong with the verdict; NULL if nothing. */
static const char *judge(enum report_verdict verdict,
                         const struct gen_pair *pair,
                         const enum mutate_kind *mutated,
                         struct gen_truth truth)
{
    if (verdict == REPORT_NVERDICTS)
        return "no verdict";
    if (!mutated && (verdict == REPORT_UNSAFE || verdict == REPORT_DIFFERENT ||
                     verdict == REPORT_PRECISION))
        return "a right pair is refused";
    bool broken =
        pair->tuning.claim == GEN_IDENTICAL ? truth.bits : truth.exact;
    if (!mutated && (truth.fault || broken))
        return "a right pair differs when run here";
    if (verdict == REPORT_IDENTICAL && truth.bits)
        return "unsound: bits differ";
    /* Bits of an identical pair that a mutation changes were not changed by
     * another order of terms. */
    if (mutated && truth.bits && pair->tuning.claim == GEN_IDENTICAL &&
        mutate_class_of(*mutated) != MUTATE_RACE &&
        (verdict == REPORT_ORDER_ONLY || verdict == REPORT_ALGEBRAIC))
        return "unsound: more than the order differs";
    if (accepts(verdict) && truth.fault)
        return "unsound: the tuned side faults";
    if (accepts(verdict) && truth.exact)
        return "unsound: exact results differ";
    return NULL;
}

struct verdict_table {
    size_t found, missed;
    size_t right[REPORT_NVERDICTS + 1];
    size_t wrong[REPORT_NVERDICTS + 1]; /* mutants that a run here shows */
    size_t void_[REPORT_NVERDICTS + 1]; /* the others */
};

static void check_verdict(struct verdict_table *table, uint64_t seed,
                          const struct gen_pair *pair,
                          const struct ir_module *tuned,
                          const enum mutate_kind *kind, const char *mutation)
{
    struct buf why = {0}, what = {0};
    struct gen_truth truth = gen_find_truth(pair->untuned, tuned);
    enum report_verdict verdict = verdict_of(tuned, pair->untuned, &why);
    const char *fault = judge(verdict, pair, kind, truth);
    if (!mutation)
        table->right[verdict]++;
    else if (truth.fault || truth.exact)
        table->wrong[verdict]++;
    else
        table->void_[verdict]++;
    /* `agrees` says nothing about other inputs, so this is no false claim. */
    bool missed =
        verdict == REPORT_AGREES && (truth.fault || truth.exact) && !fault;
    table->missed += missed;
    table->found += fault != NULL;
    if (missed)
        fault = "missed: another input shows it";
    if (fault) {
        buf_printf(&what, "%s%s%s: verdict %s", mutation ? mutation : "",
                   mutation ? ": " : "", fault,
                   verdict < REPORT_NVERDICTS ? report_verdict_name(verdict)
                                              : "none");
        complain(seed, pair, buf_text(&what), buf_text(&why));
    }
    buf_fini(&why);
    buf_fini(&what);
}

static void put_row(const char *name, const size_t *counts)
{
    (void)printf("%s:", name);
    for (size_t v = 0; v <= REPORT_NVERDICTS; v++)
        if (counts[v] > 0)
            (void)printf(" %s %zu",
                         v < REPORT_NVERDICTS
                             ? report_verdict_name((enum report_verdict)v)
                             : "none",
                         counts[v]);
    (void)printf("\n");
}

size_t gen_check_verdicts(uint64_t seed, uint64_t count)
{
    struct verdict_table table = {0};
    struct gen_options options;
    for (uint64_t k = 0; k < count; k++) {
        struct gen_pair pair;
        enum mutate_kind kind;
        struct buf mutation = {0}, where = {0};
        gen_pair_init(&pair, NULL, 0, seed + k, defaults(&options));
        check_verdict(&table, seed + k, &pair, pair.tuned, NULL, NULL);
        struct ir_module *mutant = gen_mutant(&pair, seed + k, &kind, &where);
        if (mutant) {
            buf_printf(&mutation, "%s (%s)", mutate_name(kind),
                       buf_text(&where));
            check_verdict(&table, seed + k, &pair, mutant, &kind,
                          buf_text(&mutation));
        }
        buf_fini(&mutation);
        buf_fini(&where);
        ir_module_free(mutant);
        gen_pair_fini(&pair);
    }
    put_row("right pairs", table.right);
    put_row("wrong pairs", table.wrong);
    put_row("mutants without an effect seen here", table.void_);
    (void)printf("%" PRIu64 " seeds: %zu missed, %zu contradictions\n", count,
                 table.missed, table.found);
    return table.found;
}
