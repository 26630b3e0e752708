/* SPDX-License-Identifier: Apache-2.0
 *
 * Help texts: the overview and the page of one command, put together from the
 * command descriptors and the option table so that they cannot fall behind.
 */
#include "diff/cli/command.h"

#include <string.h>

#define HELP_COLUMN 26u

void diff_help(struct buf *out)
{
    buf_puts(out,
             "diffcheck tells whether a tuned kernel still computes what the "
             "untuned one did.\n\n"
             "usage: diffcheck [compare] TUNED UNTUNED [options]\n"
             "       diffcheck COMMAND [operands] [options]\n\n"
             "commands:\n");
    for (size_t i = 0; diff_commands[i]; i++) {
        if (!diff_commands[i]->hidden)
            buf_printf(out, "  %-19s%s\n", diff_commands[i]->name,
                       diff_commands[i]->summary);
    }
    buf_puts(out,
             "\nexit status: 0 nothing found, 1 a finding, 2 wrong usage or "
             "unreadable\ninput, 3 internal error, 4 undecided\n\n"
             "try, with the folder examples/ of the sources or of "
             "share/doc/diffcheck:\n\n"
             "  diffcheck examples/tail/tuned.py examples/tail/untuned.py  "
             "# exit 1\n"
             "  diffcheck compare --help\n");
}

static void put_option(const struct diff_option *option, struct buf *out)
{
    struct buf left = {0};
    if (option->letter)
        buf_printf(&left, "-%c, ", option->letter);
    buf_printf(&left, "--%s", option->name);
    if (option->arg)
        buf_printf(&left, " %s", option->arg);
    buf_printf(out, "  %-*s", (int)HELP_COLUMN, buf_text(&left));
    if (left.len >= HELP_COLUMN)
        buf_printf(out, "\n  %-*s", (int)HELP_COLUMN, "");
    buf_printf(out, "%s\n", option->help);
    buf_fini(&left);
}

void diff_help_command(const struct diff_command *command, struct buf *out)
{
    buf_printf(out, "diffcheck %s: %s\n\nusage: diffcheck %s %s%s[options]\n",
               command->name, command->summary, command->name,
               command->operands, *command->operands ? " " : "");
    if (command->about)
        buf_printf(out, "\n%s", command->about);
    buf_puts(out, "\noptions:\n");
    for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
        if (diff_option_applies(&diff_option_table[i], command))
            put_option(&diff_option_table[i], out);
    }
}
