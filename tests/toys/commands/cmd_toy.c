/* SPDX-License-Identifier: Apache-2.0
 *
 * A command of one file: it prints its operand.
 */
#include "diff/cli/command.h"

static int run_toy(const struct diff_options *options)
{
    struct buf text = {0};
    buf_printf(&text, "toy %s\n", options->operands[0]);
    diff_print(&text);
    buf_fini(&text);
    return DIFF_EXIT_NOTHING;
}

extern const struct diff_command cmd_toy;
const struct diff_command cmd_toy = {
    .name = "toy",
    .operands = "WORD",
    .summary = "print a word",
    .about = "WORD is printed.\n",
    .min_operands = 1,
    .max_operands = 1,
    .run = run_toy,
};
