/* SPDX-License-Identifier: Apache-2.0
 *
 * The first screen of one function by itself, in the order of that of a pair:
 * head, what, where, what is taken for granted, a command.
 */
#include "reports/screen.h"

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
    screen_put_head(s, colour, l->state, buf_text(&left), right);
    buf_fini(&left);
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

void report_put_lint(struct buf *out, const struct report_lint *l,
                     struct report_style style)
{
    struct screen s = screen_make(out, style);
    put_head(&s, l);
    /* one that begins with an element keeps its name */
    screen_put_sentence(&s, l->reason,
                        l->reason[strcspn(l->reason, " [")] == '[');
    put_where(&s, l);
    screen_put_list(&s, "Note", &l->notes, l->notes.n);
    screen_put_list(&s, "Assumes", &l->assumes, l->assumes.n);
    screen_put_list(&s, "Barriers", &l->barriers, l->barriers.n);
    if (l->command != NULL)
        screen_put_command(&s, "Reproduce", l->command);
}
