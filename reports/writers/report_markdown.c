/* SPDX-License-Identifier: Apache-2.0
 *
 * Markdown for a pull request or a job summary: the counts, a table of what was
 * found, what a gate has accepted and what of it is gone, and the text report of
 * each finding, folded. GitHub takes 65 536 characters of a
 * comment: what does not fit is counted.
 *
 * Names and sentences come from the input: what Markdown or HTML would take for
 * its own is escaped, and code stands in fences longer than any run of backticks
 * in it.
 */
#include "reports/reports.h"

#include <string.h>

#define MOST_BYTES  60000u /* less than these in all */
#define LAST_BYTES  100u   /* of them for the line that counts what is left */
#define TABLE_BYTES 30000u /* of them for the table */
#define LIST_BYTES  40000u /* and for table and list of a gate */

static void put_name(struct buf *out, const struct report_entry *e,
                     const struct report_pair *p)
{
    report_put_escaped(out, e->name);
    if (p != NULL && e->report->npairs > 1) {
        buf_putc(out, ':');
        report_put_escaped(out, p->function);
    }
}

static void put_line(struct buf *out, const struct report_entry *e,
                     const struct report_pair *p)
{
    uint32_t line = report_line(e->report, p);
    if (line == 0 || e->report->tuned == NULL)
        return;
    report_put_escaped(out, e->report->tuned);
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
    report_put_escaped(out, p ? buf_text(&sentence) : e->report->error);
    if (p != NULL && p->again != NULL) {
        buf_puts(out, " (");
        report_put_escaped(out, p->again);
        buf_putc(out, ')');
    }
    buf_puts(out, " | ");
    put_line(out, e, p);
    buf_puts(out, " |\n");
    buf_fini(&sentence);
}

static void put_details(struct buf *out, const struct report_entry *e,
                        struct report_pair *p)
{
    struct buf text = {0};
    report_put_screen(&text, e->report, p);
    buf_puts(out, "\n<details><summary>");
    put_name(out, e, p);
    buf_puts(out, "</summary>\n\n");
    report_put_fenced(out, "", buf_text(&text));
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
                continue; /* what a gate has accepted is listed below */
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

static void put_head(struct buf *out, const struct report_set *set,
                     const struct report_counts *c)
{
    buf_puts(out, "### diffcheck: ");
    if (set->gate != NULL)
        report_put_gate_counts(out, set);
    else if (c->findings + c->errors > 0)
        buf_printf(out, "%zu of %zu failed", c->findings + c->errors, c->pairs);
    else
        buf_printf(out, "%zu passed", c->fine);
    buf_puts(out, "\n\n");
    if (set->gate != NULL)
        report_put_gate_head(out, set);
    else
        report_put_counts(out, c);
    buf_puts(out, ".\n");
}

/* One of several items of a list, if it fits; else it is counted. */
static void put_item(struct buf *out, struct buf *item, size_t *left)
{
    if (out->len + item->len <= LIST_BYTES)
        buf_append(out, buf_text(item), item->len);
    else
        (*left)++;
    buf_fini(item);
}

static void put_known_item(struct buf *out, const struct report_entry *e,
                           const struct report_pair *p, size_t *left)
{
    struct buf item = {0}, text = {0};
    buf_puts(&item, "- known: ");
    put_name(&item, e, p);
    buf_printf(&item, ", %s, ", report_verdict_name(p->verdict));
    report_put_known(&text, p->known);
    report_put_escaped(&item, buf_text(&text));
    buf_putc(&item, '\n');
    put_item(out, &item, left);
    buf_fini(&text);
}

static void put_gone_item(struct buf *out, const struct report_gone *gone,
                          size_t *left)
{
    struct buf item = {0}, text = {0};
    buf_puts(&item, "- fixed: ");
    report_put_escaped(&item, gone->name);
    buf_puts(&item, ", ");
    report_put_gone(&text, gone);
    report_put_escaped(&item, buf_text(&text));
    buf_putc(&item, '\n');
    put_item(out, &item, left);
    buf_fini(&text);
}

/* What a gate has accepted, and what of it is gone. */
static void put_accepted(struct buf *out, const struct report_set *set)
{
    size_t left = 0, from = out->len;
    if (set->gate == NULL)
        return;
    buf_putc(out, '\n');
    for (size_t i = 0; i < set->n; i++) {
        const struct report_entry *e = &set->entries[i];
        for (size_t k = 0; k < e->report->npairs && !e->report->error; k++)
            if (e->report->pairs[k].known != NULL)
                put_known_item(out, e, &e->report->pairs[k], &left);
    }
    for (size_t i = 0; i < set->gate->ngone; i++)
        put_gone_item(out, &set->gate->gone[i], &left);
    if (left > 0)
        buf_printf(out, "\n… and %zu more known or fixed\n", left);
    if (out->len == from + 1)
        out->data[--out->len] = '\0';
}

static void write_markdown(const struct report_set *set,
                           struct report_style style, struct buf *out)
{
    struct report_counts c;
    size_t left;
    (void)style;
    report_count(set, &c);
    put_head(out, set, &c);
    if (c.findings + c.errors + c.undecided == 0) {
        put_accepted(out, set);
        return;
    }
    buf_puts(out, "\n| pair | verdict | what | where |\n|---|---|---|---|\n");
    left = put_findings(out, set, TABLE_BYTES, false);
    if (left > 0)
        buf_printf(out, "\n… and %zu more\n", left);
    put_accepted(out, set);
    left = put_findings(out, set, MOST_BYTES - LAST_BYTES, true);
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
