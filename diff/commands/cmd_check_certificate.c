/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck check-certificate CERTIFICATE TUNED UNTUNED`: whether what
 * `prove --certificate` wrote holds of these modules.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"

static int run_check(const struct diff_options *options)
{
    struct diff_options only = *options;
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    struct buf text = {0};
    int status = DIFF_EXIT_USAGE;
    bool fine = true;
    if (file_read(options->operands[0], options->max_input_bytes, &text,
                  sink)) {
        only.check = &text;
        only.check_file = options->operands[0];
        only.proof_only = true;
        only.operands = options->operands + 1;
        only.noperands = options->noperands - 1;
        diff_compare(&only, report, sink);
        status = report->exit_code;
    } else {
        report_refuse(report, status, sink);
    }
    fine = diff_write_reports(&only, report, sink);
    if (!fine)
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
    diff_print_diags(sink);
    buf_fini(&text);
    report_free(report);
    diag_sink_free(sink);
    return status;
}

const struct diff_command cmd_check_certificate = {
    .name = "check-certificate",
    .operands = "CERTIFICATE TUNED UNTUNED",
    .summary = "does a certificate written by prove hold?",
    .about =
        "The claim is derived again from the modules, with the solver in\n"
        "another configuration, and must give the certificate's text byte for\n"
        "byte. Each obligation is then solved again as the certificate spells\n"
        "it, the terms of both modules are enumerated at small sizes by code\n"
        "of its own (the report says where that cannot be), and both modules\n"
        "are run on a few inputs.\n\n"
        "  diffcheck prove examples/conv/tuned.py examples/conv/untuned.py \\\n"
        "      --certificate proof.txt\n"
        "  diffcheck check-certificate proof.txt examples/conv/tuned.py \\\n"
        "      examples/conv/untuned.py\n\n"
        "exit status: 0 confirmed, with the verdict; 1 refused; 4 not\n"
        "confirmed\n",
    .min_operands = 3,
    .max_operands = 3,
    .run = run_check,
};
