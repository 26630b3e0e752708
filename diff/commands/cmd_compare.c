/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck [compare] TUNED UNTUNED`: the comparison and its reports.
 *
 * Reports go where --format says, text to standard output by default. Reports
 * for machines are written for unreadable input, too, with the error in place
 * of a verdict.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/input/casefile.h"

/* What a case expects, of the worst of all pairs. A miss is a finding. */
static int check_expected(const struct diff_options *options,
                          const struct report *report, struct diag_sink *sink)
{
    const struct diff_casefile *c = options->casefile;
    enum report_verdict got;
    if (!c || c->expect_line == 0 || !report_worst(report, &got))
        return report->exit_code;
    struct diag_loc loc = {.file = c->path, .line = c->expect_line};
    if (got == c->expect)
        return report->exit_code;
    (void)diag_error(sink, loc, "case.expect", "expected '%s', found '%s'",
                     report_verdict_name(c->expect), report_verdict_name(got));
    return diff_exit_worst(report->exit_code, DIFF_EXIT_FINDING);
}

static int run_compare(const struct diff_options *given)
{
    struct diff_options copy = *given;
    const struct diff_options *options = &copy;
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    if (!diff_casefile_is(copy.operands[0]) || diff_casefile_load(&copy, sink))
        diff_compare(options, report, sink);
    else
        diff_refuse(report, sink);
    int status = check_expected(options, report, sink);
    if (!diff_write_reports(options, report, sink))
        status = diff_exit_worst(status, DIFF_EXIT_USAGE);
    diff_print_diags(sink);
    report_free(report);
    diag_sink_free(sink);
    return status;
}

const struct diff_command cmd_compare = {
    .name = "compare",
    .operands = "TUNED UNTUNED",
    .summary = "does TUNED still compute what UNTUNED did? (the default)",
    .about =
        "Runs both modules in the reference interpreter on inputs chosen so\n"
        "that a difference proves something: on exact inputs no operation\n"
        "rounds, on others outward-rounded enclosures of the real results are\n"
        "compared. No tolerance appears anywhere. Faults (out of bounds,\n"
        "races, uninitialised values, ...) of the tuned module are found on\n"
        "the way. Where nothing is found, keyed runs (evidence fingerprint)\n"
        "show what is equal on every input. Before any run the prover is\n"
        "asked: where it shows the sides equal (evidence proof), for all\n"
        "inputs and sizes, nothing is run. One file may be '-', standard\n"
        "input.\n\n"
        "  diffcheck tuned.json untuned.json\n"
        "  diffcheck tuned.py untuned.py --format json\n"
        "  diffcheck t.json u.json --shape n=17 --assume indices:0..9\n"
        "  diffcheck t.json u.json --format json=out.json --format text\n"
        "  diffcheck found.case        (both modules, contract, "
        "expectation)\n\n"
        "verdicts: unsafe, different, precision (findings, exit 1); unknown\n"
        "(exit 4); agrees, algebraic, order-only, identical (exit 0)\n",
    .takes_case = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_compare,
};
