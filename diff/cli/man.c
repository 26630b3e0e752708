/* SPDX-License-Identifier: Apache-2.0
 *
 * The manual page, in mdoc. Which commands and options there are, what they are
 * called and which option goes with which command comes from the tables; what
 * is said of them is prose of docs/man/diffcheck.1.in, which the program
 * carries with it. So the page cannot lack what the tables have: where there
 * is no prose the line of --help stands in for it.
 *
 * The prose is a page of mdoc with lines of its own:
 *   @synopsis, @commands, @options   the list goes here
 *   @command NAME, @option NAME      prose of one entry, up to the next line
 *                                    that begins with '@' or '.Sh'
 */
#include "diff/cli/command.h"

#include <string.h>

extern const char diff_man_prose[];

static const char *next_line(const char *line)
{
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

static bool starts(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

/* Whether the line is "@kind name". */
static bool is_entry(const char *line, const char *kind, const char *name)
{
    size_t n = strlen(kind), m = strlen(name);
    return line[0] == '@' && strncmp(line + 1, kind, n) == 0 &&
           line[1 + n] == ' ' && strncmp(line + n + 2, name, m) == 0 &&
           line[n + 2 + m] == '\n';
}

static bool is_end_of_entry(const char *line)
{
    return !*line || *line == '@' || starts(line, ".Sh ");
}

/* One line of help as a sentence of mdoc. */
static void put_sentence(const char *help, struct buf *out)
{
    if (*help == '.' || *help == '\'')
        buf_puts(out, "\\&");
    for (const char *p = help; *p; p++) {
        char c =
            p == help && *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
        if (c == '\\')
            buf_puts(out, "\\e");
        else if (c == '-')
            buf_puts(out, "\\-");
        else if (starts(p, "…")) {
            buf_puts(out, "...");
            p += strlen("…") - 1;
        } else
            buf_putc(out, c);
    }
    buf_puts(out, ".\n");
}

static void put_prose(const char *kind, const char *name, const char *help,
                      struct buf *out)
{
    const char *line = diff_man_prose;
    while (*line && !is_entry(line, kind, name))
        line = next_line(line);
    if (!*line) {
        put_sentence(help, out);
        return;
    }
    for (line = next_line(line); !is_end_of_entry(line); line = next_line(line))
        buf_append(out, line, (size_t)(next_line(line) - line));
}

/* The i-th command of the page, the default one first; NULL behind the last. */
static const struct diff_command *command_at(size_t i)
{
    if (i == 0)
        return diff_command_default();
    for (size_t k = 0; diff_commands[k]; k++)
        if (!diff_commands[k]->hidden &&
            diff_commands[k] != diff_command_default() && --i == 0)
            return diff_commands[k];
    return NULL;
}

static void put_operands(const struct diff_command *c, struct buf *out)
{
    if (*c->operands)
        buf_printf(out, " %s%s", c->operands,
                   c->takes_case ? " | NAME.case" : "");
}

static void put_synopsis(struct buf *out)
{
    const struct diff_command *c;
    for (size_t i = 0; (c = command_at(i)); i++) {
        bool plain = c == diff_command_default();
        buf_printf(out, ".Nm diffcheck\n%s %s\n.Op Ar options\n",
                   plain ? ".Op Cm" : ".Cm", c->name);
        if (*c->operands) {
            buf_puts(out, ".Ar");
            put_operands(c, out);
            buf_putc(out, '\n');
        }
    }
}

static void put_commands(struct buf *out)
{
    const struct diff_command *c;
    buf_puts(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; (c = command_at(i)); i++) {
        buf_printf(out, ".It Cm %s%s", c->name, *c->operands ? " Ar" : "");
        put_operands(c, out);
        buf_putc(out, '\n');
        put_prose("command", c->name, c->summary, out);
    }
    buf_puts(out, ".El\n");
}

/* ".Pq Cm compare , batch": the commands that take the option. */
static void put_takers(const struct diff_option *o, struct buf *out)
{
    const struct diff_command *c;
    bool first = true;
    if (strcmp(o->commands, "*") == 0)
        return;
    for (size_t i = 0; (c = command_at(i)); i++) {
        if (!diff_option_applies(o, c))
            continue;
        buf_printf(out, "%s %s", first ? ".Pq Cm" : " ,", c->name);
        first = false;
    }
    if (!first)
        buf_putc(out, '\n');
}

static void put_options(struct buf *out)
{
    buf_puts(out, ".Bl -tag -width Ds\n");
    for (size_t i = 0; i < DIFF_NOPTIONS; i++) {
        const struct diff_option *o = &diff_option_table[i];
        buf_puts(out, ".It Fl");
        if (o->letter)
            buf_printf(out, " %c , Fl", o->letter);
        buf_printf(out, " -%s%s%s\n", o->name, o->arg ? " Ar " : "",
                   o->arg ? o->arg : "");
        put_takers(o, out);
        put_prose("option", o->name, o->help, out);
    }
    buf_puts(out, ".El\n");
}

void diff_man(struct buf *out)
{
    bool entry = false;
    for (const char *line = diff_man_prose; *line; line = next_line(line)) {
        if (*line == '@' || starts(line, ".Sh "))
            entry = starts(line, "@command ") || starts(line, "@option ");
        if (starts(line, "@synopsis\n"))
            put_synopsis(out);
        else if (starts(line, "@commands\n"))
            put_commands(out);
        else if (starts(line, "@options\n"))
            put_options(out);
        else if (!entry)
            buf_append(out, line, (size_t)(next_line(line) - line));
    }
}
