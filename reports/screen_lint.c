/* SPDX-License-Identifier: Apache-2.0
 *
 * The first screen of one function by itself, in the order of that of a pair:
 * head, what, where, what is taken for granted, a command.
 */
#include "reports/screen.h"

#include <string.h>

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
    screen_put_judged(&s, l->state, l->function, l->exit_code);
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
