/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison of two modules: read both, are they well-formed, which function
 * answers to which; then each pair is compared and, if asked for, built and run on
 * targets.
 */
#include "diff/diff.h"
#include "diff/engine/properties.h"
#include "diff/harness/measure.h"
#include "diff/harness/process.h"
#include "diff/input/casefile.h"
#include "diff/input/known_names.h"
#include "diff/plots/plots.h"
#include "diff/saved/saved.h"

#include <string.h>

/* A whole run may take this share of the budget of its pair. */
#define RUNS_PER_BUDGET 12u

/* Functions of one side, which nothing was compared with, on the first pair. */
static void note_alone(struct report *r, struct report_pair *out)
{
    const struct report_list *lists[] = {&r->only_tuned, &r->only_untuned};
    for (size_t k = 0; k < DC_ARRAY_LEN(lists); k++)
        for (size_t i = 0; i < lists[k]->n; i++)
            report_add(r, &out->notes,
                       "function '%s' is in the %s module only: not compared",
                       lists[k]->items[i], k == 0 ? "tuned" : "untuned");
}

static void finish_pair(struct diff_pair *pair, double started)
{
    struct report_pair *out = pair->out;
    if (pair->options->noperands == 1 && !pair->options->casefile)
        out->reason = "one module, with what was recorded of it";
    out->time_s = diff_seconds() - started;
    out->steps = pair->steps;
    out->command = diff_command_line(pair);
    if (pair->options->needs_pair && out == pair->report->pairs)
        note_alone(pair->report, out);
    report_list_sort(&out->assumptions);
    report_list_sort(&out->warnings);
    report_list_sort(&out->notes);
    report_list_sort(&out->holds_for);
}

/* The option, or what else, that the exit status comes from where the verdict
 * alone does not call for it. */
static const char *because_of(struct report *report,
                              const struct diff_options *options,
                              const struct report_pair *out)
{
    int own = diff_exit_of(options, out);
    if (out->exit_code == DIFF_EXIT_NOTHING)
        return options->finding[out->verdict] && diff_allows_wider(options, out)
                   ? "--allow wider"
                   : NULL;
    if (out->exit_code == DIFF_EXIT_INTERNAL)
        return NULL;
    if (own != out->exit_code) {
        const struct report_target *t =
            diff_find_target(options, out, out->exit_code);
        return t ? arena_printf(report->arena, "target %s", t->target) : NULL;
    }
    if (own == DIFF_EXIT_UNDECIDED && out->suspect != NULL)
        return "operands swapped?";
    if (own == DIFF_EXIT_UNDECIDED)
        return out->verdict == REPORT_UNKNOWN
                   ? NULL
                   : arena_printf(report->arena, "--require %s",
                                  report_evidence_name(options->require));
    if (out->verdict <= REPORT_PRECISION)
        return NULL;
    return options->finding[out->verdict] ? "--fail-on" : "--strict-ieee";
}

static void refuse(struct report *report, const struct diag_sink *sink)
{
    report_refuse(report, DIFF_EXIT_USAGE, sink);
}

/* What is left of a pair when it is reported. */
static void fini_pair(struct diff_pair *pair)
{
    diff_given_fini(&pair->given);
    diff_kept_fini(pair);
}

static void compare_modules(const struct diff_options *options,
                            const struct ir_module *tuned,
                            const struct ir_module *untuned,
                            struct saver *saver, struct report *report,
                            struct diag_sink *sink)
{
    struct diff_match *matches;
    size_t n;
    uint64_t full_limit = options->budget / RUNS_PER_BUDGET + 1;
    if (!diff_harness_allowed(options, sink) ||
        !diff_match_functions(options, tuned, untuned, report->arena, &matches,
                              &n, sink) ||
        (!options->proof_only &&
         !diff_match_parts(options, tuned, untuned,
                           DIFF_TOO_LONG * (double)full_limit, report->arena,
                           &matches, &n, sink))) {
        refuse(report, sink);
        return;
    }
    diff_match_rest(options, tuned, untuned, matches, n, report);
    if (plots_wanted(options))
        plots_fill_environment(report);
    report->pairs = ARENA_ARRAY(report->arena, n + 1, struct report_pair);
    struct diff_harness *harness = diff_harness_new(options);
    struct plots_files files = {0};
    if (saver)
        saver->harness = harness;
    for (size_t i = 0; i < n; i++) {
        struct diff_pair pair = {
            .options = options,
            .report = report,
            .out = &report->pairs[i],
            .arena = report->arena,
            .side = {{untuned, matches[i].untuned}, {tuned, matches[i].tuned}},
            .relax = matches[i].untuned->kind == IR_FUNC_RELAX,
            .steps_left = options->budget,
            .full_limit = full_limit,
            .caller = matches[i].caller,
        };
        double started = diff_seconds();
        pair.out->function =
            arena_strdup(report->arena, matches[i].untuned->name);
        if (strcmp(matches[i].untuned->name, matches[i].tuned->name) != 0)
            pair.out->tuned_function =
                arena_strdup(report->arena, matches[i].tuned->name);
        if (!diff_compare_pair(&pair, sink)) {
            fini_pair(&pair);
            refuse(report, sink);
            break;
        }
        if (harness)
            diff_measure(&pair, harness);
        finish_pair(&pair, started);
        report->npairs = i + 1;
        pair.out->exit_code =
            report_exit_worst(pair.contradiction ? DIFF_EXIT_INTERNAL
                              : pair.refused     ? DIFF_EXIT_FINDING
                                             : diff_exit_of(options, pair.out),
                              diff_exit_of_targets(options, pair.out));
        pair.out->exit_because = because_of(report, options, pair.out);
        report->exit_code =
            report_exit_worst(report->exit_code, pair.out->exit_code);
        if (plots_wanted(options))
            plots_fill(&pair, &files);
        if (saver && !saved_pair(saver, &pair, sink))
            report->exit_code =
                report_exit_worst(report->exit_code, DIFF_EXIT_USAGE);
        fini_pair(&pair);
    }
    diff_harness_free(harness);
    plots_files_fini(&files);
}

void diff_compare_modules(const struct diff_options *options,
                          const struct ir_module *tuned,
                          const struct ir_module *untuned,
                          struct report *report, struct diag_sink *sink)
{
    compare_modules(options, tuned, untuned, NULL, report, sink);
}

/* The same, and what --save asks for: nothing is compared where its folder cannot
 * be had, and what fails on the way is told and leaves none. */
static void compare_and_save(const struct diff_options *options,
                             const struct ir_module *tuned,
                             const struct ir_module *untuned,
                             struct report *report, struct diag_sink *sink)
{
    struct saver *saver = saved_new(options, sink);
    size_t errors = diag_error_count(sink);
    if (options->save && !saver) {
        refuse(report, sink);
        return;
    }
    compare_modules(options, tuned, untuned, saver, report, sink);
    if (saver &&
        (diag_error_count(sink) > errors || !saved_finish(saver, sink)))
        report->exit_code =
            report_exit_worst(report->exit_code, DIFF_EXIT_USAGE);
    saved_free(saver);
}

/* Names of --assume, --in and --expect are those of the untuned module; of many
 * pairs each has some of them. */
static bool check_names(const struct diff_options *options,
                        const struct ir_module *untuned, struct diag_sink *sink)
{
    const struct diff_casefile *c = options->casefile; /* checked by itself */
    struct arena *arena = arena_new();
    struct buf there = {0};
    bool fine =
        options->many || diff_names_check(options, untuned, c ? c->nassumes : 0,
                                          options->nshapes, sink);
    for (size_t i = 0; i < options->nexpects + options->nelements; i++) {
        bool expect = i < options->nexpects;
        const char *text = expect ? options->expects[i].name
                                  : options->elements[i - options->nexpects];
        const char *name = arena_strndup(arena, text, strcspn(text, "["));
        struct diag_loc loc = {.file = untuned->source};
        if (!expect && options->nins == 0)
            fine = diag_error(sink, (struct diag_loc){0}, "run.element",
                              "'--element' needs the input of '--in'");
        else if (!diff_is_named(untuned, expect ? text : name, arena)) {
            there.len = 0;
            diff_put_known(&there, untuned);
            fine = diag_error(sink, loc, expect ? "run.input" : "run.element",
                              "no function has a parameter '%s' (--%s)%s",
                              expect ? text : name,
                              expect ? "expect" : "element", buf_text(&there));
        }
    }
    buf_fini(&there);
    arena_free(arena);
    return fine;
}

/* Whether the only errors are undefined variables (the tuned module then is
 * `unsafe`, by name). Other errors are copied to the sink. */
static bool tuned_wellformed(const struct ir_module *tuned,
                             struct diag_sink *sink)
{
    struct diag_sink *found = diag_sink_new();
    bool fine = true;
    if (!ir_wellformed(tuned, found)) {
        for (size_t i = 0; i < diag_count(found); i++) {
            const struct diag *d = diag_at(found, i);
            struct diag_loc loc = {d->file, d->line, d->col, d->path};
            if (d->severity != DIAG_ERROR ||
                strcmp(d->code, "ir.undefined-variable") == 0)
                continue;
            fine = diag_error(sink, loc, d->code, "%s", d->message);
        }
    }
    diag_sink_free(found);
    return fine;
}

/* What a case expects, of the worst of all pairs, runs included. A miss is a
 * finding. */
static void check_expected(const struct diff_options *options,
                           struct report *report, struct diag_sink *sink)
{
    const struct diff_casefile *c = options->casefile;
    enum report_verdict got;
    if (!c || options->proof_only || c->expect_line == 0 ||
        !report_worst(report, &got) || got == c->expect)
        return;
    struct diag_loc loc = {.file = c->path, .line = c->expect_line};
    (void)diag_error(sink, loc, "case.expect", "expected '%s', found '%s'",
                     report_verdict_name(c->expect), report_verdict_name(got));
    report->exit_code = report_exit_worst(report->exit_code, DIFF_EXIT_FINDING);
    for (size_t i = 0; i < report->npairs; i++) {
        struct report_pair *p = &report->pairs[i];
        if (p->verdict != got)
            continue;
        p->exit_code = report_exit_worst(p->exit_code, DIFF_EXIT_FINDING);
        report_add(report, &p->warnings, "the case expects '%s'",
                   report_verdict_name(c->expect));
    }
}

void diff_compare_operands(struct diff_options *options, struct report *report,
                           struct diag_sink *sink)
{
    if (diff_casefile_is(options->operands[0]) &&
        !diff_casefile_load(options, sink)) {
        report->tuned = report->untuned = options->operands[0];
        diff_put_options(options, report);
        refuse(report, sink);
        return;
    }
    diff_compare(options, report, sink);
    check_expected(options, report, sink);
}

void diff_compare(const struct diff_options *options, struct report *report,
                  struct diag_sink *sink)
{
    const struct diff_casefile *c = options->casefile;
    bool one = c || options->noperands == 1; /* with what a device gave */
    struct ir_module *untuned =
        c ? diff_casefile_module(options, &c->module, sink)
          : diff_module_load(options, options->operands[one ? 0 : 1], sink);
    struct ir_module *tuned =
        c ? diff_casefile_module(options, &c->transformed, sink)
          : diff_module_load(options, options->operands[0], sink);
    diff_compare_read(options, tuned, untuned, report, sink);
}

void diff_compare_read(const struct diff_options *options,
                       struct ir_module *tuned, struct ir_module *untuned,
                       struct report *report, struct diag_sink *sink)
{
    report->tuned = options->operands[0];
    bool one = options->casefile || options->noperands == 1;
    report->untuned = options->operands[one ? 0 : 1];
    diff_put_options(options, report);
    bool fine = tuned && untuned;
    if (fine)
        fine = ir_wellformed(untuned, sink) &&
               diff_property_check(options, untuned, sink) &&
               check_names(options, untuned, sink);
    if (tuned && untuned)
        fine = tuned_wellformed(tuned, sink) && fine;
    if (fine)
        compare_and_save(options, tuned, untuned, report, sink);
    else
        refuse(report, sink);
    ir_module_free(tuned);
    ir_module_free(untuned);
}
