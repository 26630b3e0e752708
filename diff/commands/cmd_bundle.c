/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck bundle TUNED UNTUNED --out DIR`: the comparison, and what it finds as a
 * folder, or an archive of it, for somebody who maintains TVM and has no diffcheck.
 *
 * The folder is that of `--save` with a report and a script beside
 * (diff/saved/README.md); a folder of `--save` can stand for both modules.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"

#include <string.h>

/* Words between commas that the tracker can have: no brackets, no controls. */
static bool is_component(const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
        "VWXYZ0123456789_-./ ";
    for (;; text++) {
        size_t n = strspn(text, plain);
        if (n == 0 || (text[n] != ',' && text[n] != '\0'))
            return false;
        if (text[n] == '\0')
            return true;
        text += n;
    }
}

static bool check_options(const struct diff_options *o, struct diag_sink *sink)
{
    const struct diag_loc nowhere = {0};
    if (!o->out)
        return diag_error(sink, nowhere, "usage.option",
                          "'bundle' needs '--out DIR', the folder to write, "
                          "or '--out NAME.zip'");
    if (o->component && !is_component(o->component))
        return diag_error(sink, nowhere, "usage.value",
                          "'--component' needs words such as 'TIR,Schedule', "
                          "got '%s'",
                          o->component);
    return true;
}

static int run_bundle(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct diag_sink *sink = diag_sink_new();
    int status = DIFF_EXIT_USAGE;
    if (check_options(&options, sink)) {
        struct report *report = report_new();
        options.save = options.out;
        options.bundle = true;
        diff_compare_operands(&options, report, sink);
        status = report->exit_code;
        if (!diff_write_reports(&options, report, sink))
            status = report_exit_worst(status, DIFF_EXIT_USAGE);
        report_free(report);
    }
    diff_print_diags(sink);
    diag_sink_free(sink);
    return status;
}

const struct diff_command cmd_bundle = {
    .name = "bundle",
    .operands = "TUNED UNTUNED",
    .summary = "what is found, as a folder or zip for a maintainer of TVM",
    .about =
        "Compares as compare does, and writes what it finds to the folder of\n"
        "--out: report.md, a text for TVM's tracker; reproduce.py, which "
        "needs\n"
        "TVM only and ends with status 1 where the fault is, 0 where it is\n"
        "not, 2 where it cannot be told, 3 where it is a GPU kernel and there\n"
        "is no GPU; reproduce.sh, which runs it;\n"
        "environment.txt; and what --save writes, with the functions at fault\n"
        "alone. No path or name of this machine is in it. The exit status is\n"
        "that of the comparison; without a finding nothing is written. A\n"
        "folder that --save has written can stand for both modules. Where\n"
        "the name ends in .zip it is an archive of the folder.\n\n"
        "  diffcheck bundle examples/tail/tuned.py "
        "examples/tail/untuned.py \\\n"
        "      --out report  # exit 1\n"
        "  diffcheck examples/tail/tuned.py examples/tail/untuned.py \\\n"
        "      --save found  # exit 1\n"
        "  diffcheck bundle found --out report.zip  # exit 1\n"
        "  diffcheck bundle examples/tail/tuned.py "
        "examples/tail/untuned.py \\\n"
        "      --out report --tvm-version 0.27.0 \\\n"
        "      --step 'sch.split(k, [None, 4])'  # exit 1\n\n"
        "--component says what stands in brackets before the title; without "
        "it\n"
        "that is what is known: TIR, Relax, with --step TIR and Schedule, of "
        "a\n"
        "target its own name, or Codegen where that is TVM's.\n",
    .like = "compare",
    .takes_case = true,
    .takes_folder = true,
    .takes_recorded = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run_bundle,
};
