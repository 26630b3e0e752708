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

static int run_compare(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    diff_compare_operands(&options, report, sink);
    int status = report->exit_code;
    if (!diff_write_reports(&options, report, sink))
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
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
        "  diffcheck examples/matmul/tuned.py examples/matmul/untuned.py\n"
        "  diffcheck examples/tail/tuned.py examples/tail/untuned.py  "
        "# exit 1\n"
        "  diffcheck examples/dense/tuned.json examples/dense/untuned.json \\\n"
        "      --allow wider --format json=out.json --format text\n"
        "  diffcheck examples/gather/tuned.py examples/gather/untuned.py \\\n"
        "      --shape n=17 --assume indices:0..9\n"
        "  diffcheck examples/gather.case  # modules, contract, expectation\n\n"
        "--save writes what was found to a folder: inputs, both outputs,\n"
        "modules, and repro.py for an installed TVM. The folder given back\n"
        "runs the comparison on them.\n\n"
        "  diffcheck examples/tail/tuned.py examples/tail/untuned.py \\\n"
        "      --save found  # exit 1\n"
        "  diffcheck found  # exit 1\n\n"
        "What a device gave is judged as a target's outputs are: equal,\n"
        "explained by another arithmetic, or wrong. One module will do.\n\n"
        "  diffcheck examples/conv/tuned.py --in X=examples/conv/X.npy \\\n"
        "      --in W=examples/conv/W.npy --expect Y=examples/conv/Y.npy\n\n"
        "verdicts: unsafe, different, precision (findings, exit 1); unknown\n"
        "(exit 4); agrees, algebraic, order-only, identical (exit 0)\n",
    .takes_case = true,
    .takes_folder = true,
    .takes_recorded = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_compare,
};
