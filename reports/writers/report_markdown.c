/* SPDX-License-Identifier: Apache-2.0
 *
 * Markdown for a pull request or a job summary: the counts, a table of what was
 * found, and the text report of each, folded. GitHub takes 65 536 characters of a
 * comment: what does not fit is counted.
 *
 * Names and sentences come from the input: what Markdown or HTML would take for
 * its own is escaped, and code stands in fences longer than any run of backticks
 * in it.
 */
#include "reports/reports.h"

#include <string.h>

#define MOST_BYTES  60000u
#define TABLE_BYTES 30000u /* of them for the table */

static void put_cell(struct buf *out, const char *text)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "");
    for (const char *c = buf_text(&clean); *c; c++) {
        if (*c == '<')
            buf_puts(out, "&lt;");
        else if (*c == '&')
            buf_puts(out, "&amp;");
        else if (*c == '@') /* calls nobody */
            buf_puts(out, "@\xe2\x80\x8b");
        else if (strchr("\\`*_[]#|~>", *c) != NULL)
            buf_printf(out, "\\%c", *c);
        else
            buf_putc(out, *c);
    }
    buf_fini(&clean);
}

static void put_name(struct buf *out, const struct report_entry *e,
                     const struct report_pair *p)
{
    put_cell(out, e->name);
    if (p != NULL && e->report->npairs > 1) {
        buf_putc(out, ':');
        put_cell(out, p->function);
    }
}

static void put_line(struct buf *out, const struct report_entry *e,
                     const struct report_pair *p)
{
    uint32_t line = report_line(e->report, p);
    if (line == 0 || e->report->tuned == NULL)
        return;
    put_cell(out, e->report->tuned);
    buf_printf(out, ":%u", line);
}

static void put_row(struct buf *out, const struct report_entry *e,
                    const struct report_pair *p)
{
    struct buf sentence = {0};
    buf_puts(out, "| ");
    put_name(out, e, p);
    buf_printf(out, " | %s | ", p ? report_verdict_name(p->verdict) : "error");
    if (p != NULL)
        report_put_sentence(&sentence, p);
    put_cell(out, p ? buf_text(&sentence) : e->report->error);
    buf_puts(out, " | ");
    put_line(out, e, p);
    buf_puts(out, " |\n");
    buf_fini(&sentence);
}

static size_t longest_fence(const char *text)
{
    size_t longest = 2, run = 0;
    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest + 1;
}

static void put_fence(struct buf *out, size_t n)
{
    while (n-- > 0)
        buf_putc(out, '`');
    buf_putc(out, '\n');
}

static void put_details(struct buf *out, const struct report_entry *e,
                        struct report_pair *p)
{
    struct buf text = {0};
    report_put_screen(&text, e->report, p);
    size_t fence = longest_fence(buf_text(&text));
    buf_puts(out, "\n<details><summary>");
    put_name(out, e, p);
    buf_puts(out, "</summary>\n\n");
    put_fence(out, fence);
    buf_append(out, buf_text(&text), text.len);
    put_fence(out, fence);
    buf_puts(out, "\n</details>\n");
    buf_fini(&text);
}

/* Calls `put` for each pair that is no success; those that do not fit below
 * `most` bytes are counted. */
static size_t put_findings(struct buf *out, const struct report_set *set,
                           size_t most, bool details)
{
    size_t left = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct report_entry *e = &set->entries[i];
        size_t n = e->report->error ? 1 : e->report->npairs;
        for (size_t k = 0; k < n; k++) {
            struct report_pair *p =
                e->report->error ? NULL : &e->report->pairs[k];
            struct buf part = {0};
            if (p != NULL && p->exit_code == REPORT_EXIT_NOTHING)
                continue;
            if (!details)
                put_row(&part, e, p);
            else if (p != NULL)
                put_details(&part, e, p);
            if (out->len + part.len <= most)
                buf_append(out, buf_text(&part), part.len);
            else
                left++;
            buf_fini(&part);
        }
    }
    return left;
}

static void write_markdown(const struct report_set *set,
                           struct report_style style, struct buf *out)
{
    struct report_counts c;
    size_t left;
    (void)style;
    report_count(set, &c);
    buf_puts(out, "### diffcheck: ");
    if (c.findings + c.errors > 0)
        buf_printf(out, "%zu of %zu failed", c.findings + c.errors, c.pairs);
    else
        buf_printf(out, "%zu passed", c.fine);
    buf_puts(out, "\n\n");
    report_put_counts(out, &c);
    buf_puts(out, ".\n");
    if (c.findings + c.errors + c.undecided == 0)
        return;
    buf_puts(out, "\n| pair | verdict | what | where |\n|---|---|---|---|\n");
    left = put_findings(out, set, TABLE_BYTES, false);
    if (left > 0)
        buf_printf(out, "\n… and %zu more\n", left);
    left = put_findings(out, set, MOST_BYTES, true);
    if (left > 0)
        buf_printf(out, "\n… and %zu more reports that do not fit here\n",
                   left);
}

const struct report_writer report_markdown = {
    .name = "markdown",
    .summary = "a summary for pull requests",
    .machine = true,
    .write = write_markdown,
};
