/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands: one file each in diff/commands, registered by the build under the
 * name in its descriptor. Private to diff/.
 */
#ifndef DC_DIFF_CLI_COMMAND_H
#define DC_DIFF_CLI_COMMAND_H

#include "diff/input/options.h"

struct diff_command {
    const char *name;
    const char *operands; /* as in the usage line: "TUNED UNTUNED" */
    const char *summary;  /* one line */
    const char *about;    /* paragraphs and examples for --help */
    const char *formats;  /* of reports that it writes; NULL: all */
    const char *like; /* takes the options of that command, too, but --save */
    size_t min_operands, max_operands;
    bool hidden;         /* not in the list of commands */
    bool takes_case;     /* one case file in place of all operands */
    bool takes_folder;   /* one folder of --save in place of all operands */
    bool takes_recorded; /* one module, with --expect */
    bool takes_many;     /* operands of any kind and number */
    bool one_function;   /* --function may be given once */
    int (*run)(const struct diff_options *options);
};
extern const struct diff_command *const diff_commands[]; /* NULL at end */
const struct diff_command *diff_command_find(const char *name);
/* The command meant when none is named. */
const struct diff_command *diff_command_default(void);

/* help.c */
void diff_help(struct buf *out); /* the overview */
void diff_help_command(const struct diff_command *command, struct buf *out);

/* man.c: the manual page of all commands and options, in mdoc. */
void diff_man(struct buf *out);

/* complete.c: what a shell may put for the last of the words of a line, which
 * stand behind the program's name; n >= 1. Its form is described there. */
void diff_complete(size_t n, const char *const *words, struct buf *out);

/* line.c: the limit of memory for a command: what the option says, or the
 * default, less where the system gives less, with room for what is not counted,
 * so that work ends before it fails. */
size_t diff_memory_limit(const struct diff_options *options);

/* command.c: a module as TVMScript, or as JSON of a generation (--json,
 * --era); not given unless it reads back. */
DC_MUST_USE bool diff_put_module(const struct ir_module *module,
                                 const struct diff_options *options,
                                 struct buf *out, struct diag_sink *sink);

/* command.c: where commands print. */
/* Text for people without escape sequences: what holds control characters of
 * the input shows them. JSON and TVMScript have none. */
void diff_make_visible(struct buf *text);
/* To standard output, made visible. */
void diff_print(struct buf *text);
/* The same of a screen, which has made visible what is not ours where the style
 * has colours. */
void diff_print_styled(struct buf *text, struct report_style style);
/* line.c: the JSON object of a report that is an error, to standard output. */
void diff_print_errors(const struct diag_sink *sink, int status);
/* Diagnostics to standard error, coloured when it is a terminal. */
void diff_print_diags(const struct diag_sink *sink);
bool diff_write_set(const struct diff_options *options,
                    const struct report_set *set, struct diag_sink *sink);
/* False with diagnostics (diff.function) where no report of the set, which is of
 * all pairs, has a function that --pair names: a slip. */
bool diff_check_renames(const struct report_set *set, struct diag_sink *sink);
/* How reports look on standard output, or in a file. */
struct report_style diff_style(const struct diff_options *options,
                               bool console);
/* The reports that --format asks for; false when a file cannot be written. */
bool diff_write_reports(const struct diff_options *options,
                        const struct report *report, struct diag_sink *sink);

#endif
