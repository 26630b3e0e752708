/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck prove TUNED UNTUNED`: the prover alone. Nothing is run but to
 * replay a counterexample that it proposes.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"

/* The certificates of all pairs, one after the other. */
static bool write_certificates(const struct diff_options *options,
                               const struct report *report,
                               struct diag_sink *sink)
{
    struct buf text = {0};
    bool fine = true;
    for (size_t i = 0; i < report->npairs; i++)
        if (report->pairs[i].certificate)
            buf_puts(&text, report->pairs[i].certificate);
    if (text.len > 0)
        fine = file_write(options->certificate, text.data, text.len, sink);
    buf_fini(&text);
    return fine;
}

static int run_prove(const struct diff_options *options)
{
    struct diff_options only = *options;
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    only.proof_only = true;
    diff_compare_operands(&only, report, sink);
    int status = report->exit_code;
    bool fine = diff_write_reports(&only, report, sink);
    if (only.certificate)
        fine = write_certificates(&only, report, sink) && fine;
    if (!fine)
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
    diff_print_diags(sink);
    report_free(report);
    diag_sink_free(sink);
    return status;
}

const struct diff_command cmd_prove = {
    .name = "prove",
    .operands = "TUNED UNTUNED",
    .summary = "is TUNED proved to compute what UNTUNED does?",
    .about =
        "Reads off both programs what each output element is, as sums over\n"
        "index ranges, and shows with an SMT solver that these are equal, for\n"
        "all inputs and all sizes; that no access is out of bounds, no index\n"
        "overflows and no two threads race is shown on the way. Relax\n"
        "functions are proved call by call. Where a proof fails, a small\n"
        "element at which it does is looked for and both sides are run to see\n"
        "it differ, on an input made 0 but for what that needs. Nothing else\n"
        "is run: what no run shows is unknown.\n\n"
        "  diffcheck prove examples/matmul/tuned.py "
        "examples/matmul/untuned.py\n"
        "  diffcheck prove examples/conv/tuned.py examples/conv/untuned.py "
        "--explain\n"
        "  diffcheck prove examples/conv/tuned.py examples/conv/untuned.py \\\n"
        "      --certificate proof.txt\n"
        "  diffcheck prove examples/tail/tuned.py examples/tail/untuned.py "
        " # exit 1\n\n"
        "verdicts: unsafe, different (shown by a run), precision (findings,\n"
        "exit 1); unknown (exit 4); order-only, identical (exit 0)\n",
    .takes_case = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_prove,
};
