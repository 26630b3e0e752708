/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck completion bash`: a completion script for bash, written from the
 * command and option tables; the build installs its output. `completion list`
 * prints the options one a line ("command --name ARG"), for the test that
 * holds the man page against the table.
 */
#include "diff/cli/command.h"

#include <string.h>

static void put_commands(struct buf *out)
{
    bool first = true;
    for (size_t i = 0; diff_commands[i]; i++) {
        if (diff_commands[i]->hidden)
            continue;
        buf_printf(out, "%s%s", first ? "" : " ", diff_commands[i]->name);
        first = false;
    }
}

static void put_options(const struct diff_command *command, struct buf *out)
{
    for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
        if (diff_option_applies(&diff_option_table[i], command))
            buf_printf(out, " --%s", diff_option_table[i].name);
    }
}

static void put_words(struct buf *out, const struct diff_option *o)
{
    struct buf words = {0};
    diff_option_words(o, &words);
    buf_printf(out,
               ") COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); return ;;\n",
               buf_text(&words));
    buf_fini(&words);
}

/* case arms that complete the value of the option before the cursor. */
static void put_values(struct buf *out)
{
    for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
        const struct diff_option *o = &diff_option_table[i];
        if (!o->arg)
            continue;
        buf_printf(out, "    --%s", o->name);
        if (o->letter)
            buf_printf(out, "|-%c", o->letter);
        if (strcmp(o->words, "@file") == 0)
            buf_puts(out, ") COMPREPLY=($(compgen -f -- \"$cur\")); "
                          "return ;;\n");
        else if (strcmp(o->words, "@dir") == 0)
            buf_puts(out, ") COMPREPLY=($(compgen -d -- \"$cur\")); "
                          "return ;;\n");
        else
            put_words(out, o);
    }
}

static void put_bash(struct buf *out)
{
    buf_puts(out, "# bash completion for diffcheck; generated, do not edit\n"
                  "_diffcheck()\n{\n"
                  "    local cur=${COMP_WORDS[COMP_CWORD]}\n"
                  "    local prev=${COMP_WORDS[COMP_CWORD-1]}\n"
                  "    local command=compare word options\n"
                  "    COMPREPLY=()\n"
                  "    case $prev in\n");
    put_values(out);
    buf_puts(out, "    esac\n"
                  "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
                  "        case \" ");
    put_commands(out);
    buf_puts(out, " \" in *\" $word \"*) command=$word; break ;; esac\n"
                  "    done\n"
                  "    case $command in\n");
    for (size_t i = 0; diff_commands[i]; i++) {
        if (diff_commands[i]->hidden)
            continue;
        buf_printf(out, "    %s) options=\"", diff_commands[i]->name);
        put_options(diff_commands[i], out);
        buf_puts(out, "\" ;;\n");
    }
    buf_puts(out, "    esac\n"
                  "    if [[ $cur == -* ]]; then\n"
                  "        COMPREPLY=($(compgen -W \"$options\" -- "
                  "\"$cur\"))\n"
                  "        return\n"
                  "    fi\n"
                  "    COMPREPLY=($(compgen -f -- \"$cur\"))\n"
                  "    if ((COMP_CWORD == 1)); then\n"
                  "        COMPREPLY+=($(compgen -W \"");
    put_commands(out);
    buf_puts(out, "\" -- \"$cur\"))\n"
                  "    fi\n"
                  "}\n"
                  "complete -o filenames -F _diffcheck diffcheck\n");
}

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

static int run_completion(const struct diff_options *options)
{
    struct buf text = {0};
    if (strcmp(options->operands[0], "bash") == 0) {
        put_bash(&text);
    } else if (strcmp(options->operands[0], "list") == 0) {
        put_list(&text);
    } else {
        struct diag_sink *sink = diag_sink_new();
        struct diag_loc nowhere = {0};
        (void)diag_error(sink, nowhere, "usage.completion",
                         "no completion for '%s', expected bash",
                         options->operands[0]);
        diff_print_diags(sink);
        diag_sink_free(sink);
        return DIFF_EXIT_USAGE;
    }
    diff_print(&text);
    buf_fini(&text);
    return DIFF_EXIT_NOTHING;
}

const struct diff_command cmd_completion = {
    .name = "completion",
    .operands = "bash",
    .summary = "print a completion script",
    .about = "Put this into ~/.bashrc:\n\n"
             "  eval \"$(diffcheck completion bash)\"\n",
    .min_operands = 1,
    .max_operands = 1,
    .hidden = true,
    .run = run_completion,
};
