/* SPDX-License-Identifier: Apache-2.0
 *
 * Finding commands by name, and printing: commands write their results to
 * standard output and what went wrong to standard error, nothing else does.
 */
#include "diff/cli/command.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct diff_command *diff_command_find(const char *name)
{
    for (size_t i = 0; diff_commands[i]; i++) {
        if (strcmp(diff_commands[i]->name, name) == 0)
            return diff_commands[i];
    }
    return NULL;
}

const struct diff_command *diff_command_default(void)
{
    const struct diff_command *command = diff_command_find("compare");
    if (!command)
        DC_BUG("the command 'compare' is not registered");
    return command;
}

void diff_make_visible(struct buf *text)
{
    struct buf clean = {0};
    if (text_visible(buf_text(text), text->len, "\n\t") == text->len)
        return;
    buf_put_visible(&clean, text->data, text->len, "\n\t");
    buf_fini(text);
    *text = clean;
}

void diff_print(struct buf *text)
{
    diff_make_visible(text);
    if (text->len > 0)
        (void)fwrite(text->data, 1, text->len, stdout);
}

void diff_print_styled(struct buf *text, struct report_style style)
{
    if (!style.colour)
        diff_print(text);
    else if (text->len > 0)
        (void)fwrite(text->data, 1, text->len, stdout);
}

static bool no_color(void)
{
    const char *value = getenv("NO_COLOR");
    return value && *value;
}

void diff_print_diags(const struct diag_sink *sink)
{
    struct buf text = {0};
    diag_render(sink, diag_has_escapes(STDERR_FILENO) && !no_color(), &text);
    if (text.len > 0)
        (void)fwrite(text.data, 1, text.len, stderr);
    buf_fini(&text);
}

/* Whether `color` means colour on standard output. */
static bool diff_colour_wanted(enum diff_color color)
{
    switch (color) {
    case DIFF_COLOR_ALWAYS: return true;
    case DIFF_COLOR_NEVER: return false;
    case DIFF_COLOR_AUTO: break;
    }
    return diag_has_escapes(STDOUT_FILENO) && !no_color();
}

/* Of the terminal that standard output is; 0: it is none. */
static unsigned columns(void)
{
    struct winsize size;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0
               ? size.ws_col
               : 0;
}

struct report_style diff_style(const struct diff_options *options, bool console)
{
    return (struct report_style){
        .colour = options->color == DIFF_COLOR_ALWAYS ||
                  (console && diff_colour_wanted(options->color)),
        .verbose = options->verbose,
        .columns = console ? columns() : 0};
}

bool diff_write_set(const struct diff_options *options,
                    const struct report_set *set, struct diag_sink *sink)
{
    bool error = !set->many && set->n == 1 && set->entries[0].report->error;
    bool fine = true;
    for (size_t i = 0; i < options->nformats; i++) {
        const struct diff_format *f = &options->formats[i];
        bool console = strcmp(f->file, "-") == 0;
        struct report_style style = diff_style(options, console);
        struct buf text = {0};
        if (!error || f->writer->machine)
            f->writer->write(set, style, &text);
        if (console)
            diff_print_styled(&text, style);
        else if (!error || f->writer->machine)
            fine = file_write(f->file, buf_text(&text), text.len, sink) && fine;
        buf_fini(&text);
    }
    return fine;
}

bool diff_write_reports(const struct diff_options *options,
                        const struct report *report, struct diag_sink *sink)
{
    struct report_entry entry;
    struct report_set set = report_set_of_one(report, &entry);
    return diff_write_set(options, &set, sink);
}

/* ---- names of --pair --------------------------------------------------------- */

static bool has_function(const struct report_set *set, const char *untuned)
{
    for (size_t e = 0; e < set->n; e++)
        for (size_t k = 0; k < set->entries[e].report->npairs; k++)
            if (strcmp(set->entries[e].report->pairs[k].function, untuned) == 0)
                return true;
    return false;
}

bool diff_check_renames(const struct report_set *set, struct diag_sink *sink)
{
    static const char option[] = "--pair=";
    bool fine = true;
    for (size_t e = 0; e < set->n; e++)
        if (set->entries[e].report->error != NULL)
            return true; /* its functions are not known */
    const struct report_list *said =
        set->n > 0 ? &set->entries[0].report->options : NULL;
    for (size_t i = 0; said != NULL && i < said->n; i++) {
        const char *tuned = said->items[i] + sizeof option - 1;
        if (strncmp(said->items[i], option, sizeof option - 1) != 0)
            continue;
        size_t n = strcspn(tuned, "=");
        const char *untuned = tuned[n] == '=' ? tuned + n + 1 : tuned + n;
        if (!has_function(set, untuned))
            fine = diag_error(sink, (struct diag_loc){0}, "diff.function",
                              "no pair of files has functions '%.*s' and '%s' "
                              "(--pair)",
                              (int)n, tuned, untuned);
    }
    return fine;
}

/* JSON of another era may have another form for a thing. */
bool diff_put_module(const struct ir_module *module,
                     const struct diff_options *options, struct buf *out,
                     struct diag_sink *sink)
{
    bool same =
        !options->json || options->era != IR_ERA_D || module->era == IR_ERA_D;
    bool fine = options->json ? ir_write_json(module, options->era, out, sink)
                              : ir_write_script(module, out, sink);
    return fine && ir_check_reread(module, out, same, sink);
}
