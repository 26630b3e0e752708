/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck library-job`: what libdiffcheck starts the program with, a job on
 * standard input (diff/api). Of no use on a command line, and not listed.
 */
#include "diff/api/contained.h"
#include "diff/cli/command.h"

static int run_library_job(const struct diff_options *options)
{
    (void)options;
    return diff_contained();
}

const struct diff_command cmd_library_job = {
    .name = "library-job",
    .operands = "",
    .summary = "answer libdiffcheck",
    .about = "Started by libdiffcheck.\n",
    .hidden = true,
    .run = run_library_job,
};
