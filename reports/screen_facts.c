/* SPDX-License-Identifier: Apache-2.0
 *
 * The screen of what is no comparison of a pair, a schedule or a search for a step:
 * the head, then facts behind their labels.
 */
#include "reports/screen.h"

#include <string.h>

static void put_cut_lines(struct screen *s, const char *text)
{
    while (*text != '\0') {
        size_t n = strcspn(text, "\n");
        struct buf line = {0};
        buf_append(&line, text, n);
        screen_put_cut(s, "", 0, buf_text(&line));
        buf_fini(&line);
        text += n + (text[n] == '\n');
    }
}

void report_put_facts(struct buf *out, const struct report_facts *f,
                      struct report_style style)
{
    struct screen s = screen_make(out, style);
    screen_put_judged(&s, f->verdict, f->about, f->exit_code);
    for (size_t i = 0; i < f->items.len; i++) {
        const struct report_fact *fact = &f->items.items[i];
        if (fact->form == REPORT_FACT_TEXT) {
            screen_put(&s, fact->label, SCREEN_LABEL, fact->text);
            continue;
        }
        screen_put(&s, fact->label, SCREEN_LABEL, "");
        put_cut_lines(&s, fact->text);
    }
}
