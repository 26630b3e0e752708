/* SPDX-License-Identifier: Apache-2.0
 *
 * The first screen of one function by itself, in the order of that of a pair:
 * head, what, where, what is taken for granted, a command.
 */
#include "reports/screen.h"

#include <ctype.h>
#include <string.h>

static void put_head(struct screen *s, const struct report_lint *l)
{
    struct buf left = {0};
    const char *right =
        l->exit_code == REPORT_EXIT_NOTHING   ? "no finding, exit 0"
        : l->exit_code == REPORT_EXIT_FINDING ? "finding, exit status 1"
                                              : "exit status 4";
    const char *colour = l->exit_code == REPORT_EXIT_NOTHING   ? SCREEN_GREEN
                         : l->exit_code == REPORT_EXIT_FINDING ? SCREEN_RED
                                                               : SCREEN_YELLOW;
    buf_puts(&left, "  ");
    buf_put_visible(&left, l->function, strlen(l->function), "");
    size_t used = strlen(l->state) + screen_columns(buf_text(&left));
    buf_printf(s->out, "%s%s%s%s", s->style.colour ? colour : "", l->state,
               s->style.colour ? "\033[0m" : "", buf_text(&left));
    if (used + 2 + strlen(right) <= s->width)
        for (; used + strlen(right) < s->width; used++)
            buf_putc(s->out, ' ');
    else
        buf_puts(s->out, "\n  ");
    buf_printf(s->out, "%s\n", right);
    buf_fini(&left);
}

/* The reason as a sentence; one that begins with an element keeps its name. */
static void put_reason(struct screen *s, const struct report_lint *l)
{
    struct buf line = {0};
    size_t n = strlen(l->reason);
    if (n == 0)
        return;
    buf_append(&line, l->reason, n);
    if (line.data[strcspn(line.data, " [")] != '[')
        line.data[0] = (char)toupper((unsigned char)line.data[0]);
    if (l->reason[n - 1] != '.')
        buf_putc(&line, '.');
    screen_put(s, "", 0, buf_text(&line));
    buf_fini(&line);
}

static void put_where(struct screen *s, const struct report_lint *l)
{
    struct buf at = {0};
    if (l->where == NULL)
        return;
    buf_puts(&at, "  ");
    if (l->line > 0) {
        const char *name = l->file != NULL ? path_name(l->file) : "";
        buf_put_visible(&at, name, strlen(name), "");
        buf_printf(&at, ":%u  ", l->line);
    } else {
        buf_puts(&at, "at  ");
    }
    screen_put_cut(s, buf_text(&at), screen_columns(buf_text(&at)), l->where);
    buf_fini(&at);
}

static void put_list(struct screen *s, const char *label,
                     const struct report_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        screen_put(s, i == 0 ? label : "", SCREEN_LABEL, list->items[i]);
}

void report_put_lint(struct buf *out, const struct report_lint *l,
                     struct report_style style)
{
    struct screen s = screen_make(out, style);
    put_head(&s, l);
    put_reason(&s, l);
    put_where(&s, l);
    put_list(&s, "Note", &l->notes);
    put_list(&s, "Assumes", &l->assumes);
    put_list(&s, "Barriers", &l->barriers);
    if (l->command != NULL)
        screen_put_command(&s, "Reproduce", l->command);
}
