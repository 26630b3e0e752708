/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck completion SHELL`: the completion script of a shell, which asks
 * `completion words` what there is to complete (complete.c); the scripts are
 * those of packaging/completions. `completion list` prints the options one a
 * line ("command --name ARG"), for the tests that hold the manual page and
 * completions against the table.
 */
#include "diff/cli/command.h"

#include <string.h>

extern const char diff_completion_bash[];
extern const char diff_completion_zsh[];
extern const char diff_completion_fish[];

static void put_list(struct buf *out)
{
    for (size_t c = 0; diff_commands[c]; c++) {
        if (diff_commands[c]->hidden)
            continue;
        for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
            const struct diff_option *o = &diff_option_table[i];
            if (diff_option_applies(o, diff_commands[c]))
                buf_printf(out, "%s --%s%s%s\n", diff_commands[c]->name,
                           o->name, o->arg ? " " : "", o->arg ? o->arg : "");
        }
    }
}

static const char *script_of(const char *shell)
{
    return strcmp(shell, "bash") == 0   ? diff_completion_bash
           : strcmp(shell, "zsh") == 0  ? diff_completion_zsh
           : strcmp(shell, "fish") == 0 ? diff_completion_fish
                                        : NULL;
}

static int refuse(const char *what)
{
    struct diag_sink *sink = diag_sink_new();
    (void)diag_error(sink, (struct diag_loc){0}, "usage.completion",
                     "no completion for '%s', expected one of bash zsh fish",
                     what);
    diff_print_diags(sink);
    diag_sink_free(sink);
    return DIFF_EXIT_USAGE;
}

static int run_completion(const struct diff_options *options)
{
    const char *what = options->operands[0];
    bool words = strcmp(what, "words") == 0;
    struct buf text = {0};
    if (words)
        diff_complete(options->noperands - 1, options->operands + 1, &text);
    else if (options->noperands > 1)
        return refuse(options->operands[1]);
    else if (strcmp(what, "list") == 0)
        put_list(&text);
    else if (script_of(what))
        buf_puts(&text, script_of(what));
    else
        return refuse(what);
    diff_print(&text);
    buf_fini(&text);
    return DIFF_EXIT_NOTHING;
}

const struct diff_command cmd_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "print a completion script",
    .about = "What packages install. Without them, for the shell that reads "
             "it:\n\n"
             "  eval \"$(diffcheck completion bash)\"  # in ~/.bashrc\n"
             "  eval \"$(diffcheck completion zsh)\"  # in ~/.zshrc, after "
             "compinit\n"
             "  diffcheck completion fish | source  # in config.fish\n",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .hidden = true,
    .takes_many = true,
    .run = run_completion,
};
