/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck help [COMMAND]`: the overview, or the page that `COMMAND --help`
 * prints. An unknown name is answered with the nearest command.
 */
#include "diff/cli/command.h"
#include "diff/input/words.h"

static int no_such_command(const char *name)
{
    const char *names[32];
    size_t n = 0;
    for (size_t i = 0; diff_commands[i] && n < DC_ARRAY_LEN(names); i++) {
        if (!diff_commands[i]->hidden)
            names[n++] = diff_commands[i]->name;
    }
    const char *near = diff_nearest(name, n, names);
    struct diag_sink *sink = diag_sink_new();
    struct diag_loc nowhere = {0};
    if (near)
        (void)diag_error(sink, nowhere, "usage.command",
                         "no command '%s', did you mean '%s'?", name, near);
    else
        (void)diag_error(sink, nowhere, "usage.command", "no command '%s'",
                         name);
    diff_print_diags(sink);
    diag_sink_free(sink);
    return DIFF_EXIT_USAGE;
}

extern const char diff_json_schema[];

static int run_help(const struct diff_options *options)
{
    struct buf text = {0};
    if (options->man) {
        diff_man(&text);
    } else if (options->json_schema) {
        buf_puts(&text, diff_json_schema);
    } else if (options->noperands == 0) {
        diff_help(&text);
    } else {
        const struct diff_command *c = diff_command_find(options->operands[0]);
        if (!c)
            return no_such_command(options->operands[0]);
        diff_help_command(c, &text);
    }
    diff_print(&text);
    buf_fini(&text);
    return DIFF_EXIT_NOTHING;
}

const struct diff_command cmd_help = {
    .name = "help",
    .operands = "[COMMAND]",
    .summary = "explain a command",
    .about = "Without COMMAND, the list of commands.\n\n"
             "  diffcheck help --man | man -l -\n"
             "  diffcheck help --json-schema >report.schema.json\n",
    .min_operands = 0,
    .max_operands = 1,
    .run = run_help,
};
