/* SPDX-License-Identifier: Apache-2.0
 *
 * JUnit XML: a test suite, a test case a pair of functions, as CI systems read it.
 *
 * A finding is a failure of the verdict's name, what could not be compared an
 * error, what is undecided is skipped; each holds the text report of its pair.
 * What a gate has accepted is skipped, too, with the reason.
 * `classname` is the folder of the pair's name, so that viewers group by it.
 */
#include "reports/reports.h"

#include <string.h>

/* Text in content and attributes. XML 1.0 has no control characters at all: they
 * are shown, as for a terminal. */
static void put_xml(struct buf *out, const char *text)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "\n\t");
    for (const char *c = buf_text(&clean); *c; c++) {
        switch (*c) {
        case '&': buf_puts(out, "&amp;"); break;
        case '<': buf_puts(out, "&lt;"); break;
        case '>': buf_puts(out, "&gt;"); break;
        case '"': buf_puts(out, "&quot;"); break;
        case '\n': buf_puts(out, "&#10;"); break;
        case '\t': buf_puts(out, "&#9;"); break;
        default: buf_putc(out, *c); break;
        }
    }
    buf_fini(&clean);
}

static void put_attribute(struct buf *out, const char *name, const char *text)
{
    buf_printf(out, " %s=\"", name);
    put_xml(out, text);
    buf_putc(out, '"');
}

static void open_case(struct buf *out, const struct report_entry *e,
                      const char *function, double time_s)
{
    const char *last = path_name(e->name);
    struct buf folder = {0}, name = {0};
    if (last > e->name)
        buf_append(&folder, e->name, (size_t)(last - e->name) - 1);
    buf_puts(&name, last);
    if (function != NULL)
        buf_printf(&name, ":%s", function);
    buf_puts(out, "    <testcase");
    put_attribute(out, "classname",
                  folder.len > 0 ? buf_text(&folder) : "diffcheck");
    put_attribute(out, "name", buf_text(&name));
    buf_printf(out, " time=\"%.3f\"", time_s);
    buf_fini(&folder);
    buf_fini(&name);
}

/* <KIND type= message=>TEXT</KIND> */
static void put_result(struct buf *out, const char *kind, const char *type,
                       const char *message, const char *text)
{
    buf_printf(out, ">\n      <%s", kind);
    put_attribute(out, "type", type);
    put_attribute(out, "message", message);
    buf_putc(out, '>');
    put_xml(out, text);
    buf_printf(out, "</%s>\n    </testcase>\n", kind);
}

static void put_pair(struct buf *out, const struct report_entry *e,
                     struct report_pair *p)
{
    struct buf sentence = {0}, text = {0};
    open_case(out, e, e->report->npairs > 1 ? p->function : NULL, p->time_s);
    if (p->known != NULL) {
        report_put_known(&text, p->known);
        buf_puts(out, ">\n      <skipped");
        put_attribute(out, "message", buf_text(&text));
        buf_puts(out, "/>\n    </testcase>\n");
        buf_fini(&text);
        return;
    }
    if (p->exit_code == REPORT_EXIT_NOTHING) {
        buf_puts(out, "/>\n");
        return;
    }
    report_put_sentence(&sentence, p);
    report_put_screen(&text, e->report, p);
    if (p->exit_code == REPORT_EXIT_UNDECIDED) {
        buf_puts(out, ">\n      <skipped");
        put_attribute(out, "message", buf_text(&sentence));
        buf_puts(out, "/>\n      <system-out>");
        put_xml(out, buf_text(&text));
        buf_puts(out, "</system-out>\n    </testcase>\n");
    } else {
        put_result(out,
                   p->exit_code == REPORT_EXIT_FINDING ? "failure" : "error",
                   report_verdict_name(p->verdict), buf_text(&sentence),
                   buf_text(&text));
    }
    buf_fini(&sentence);
    buf_fini(&text);
}

/* `testsuites` has no count of what was skipped: schemas refuse it there. */
static void put_totals(struct buf *out, const struct report_counts *c,
                       double time_s, bool suite)
{
    buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"", c->pairs,
               c->findings - c->broken, c->errors + c->broken);
    if (suite)
        buf_printf(out, " skipped=\"%zu\"", c->undecided + c->known);
    buf_printf(out, " time=\"%.3f\">\n", time_s);
}

static void write_junit(const struct report_set *set, struct report_style style,
                        struct buf *out)
{
    struct report_counts c;
    (void)style;
    report_count(set, &c);
    buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
    put_totals(out, &c, set->time_s, false);
    buf_puts(out, "  <testsuite name=\"diffcheck\"");
    put_totals(out, &c, set->time_s, true);
    for (size_t i = 0; i < set->n; i++) {
        const struct report_entry *e = &set->entries[i];
        if (e->report->error != NULL) {
            struct buf all = {0};
            report_put_errors(&all, e->report);
            open_case(out, e, NULL, e->time_s);
            put_result(out, "error", "input", e->report->error,
                       all.len > 0 ? buf_text(&all) : e->report->error);
            buf_fini(&all);
            continue;
        }
        for (size_t k = 0; k < e->report->npairs; k++)
            put_pair(out, e, &e->report->pairs[k]);
    }
    buf_puts(out, "  </testsuite>\n</testsuites>\n");
}

const struct report_writer report_junit = {
    .name = "junit",
    .summary = "JUnit XML for CI systems",
    .machine = true,
    .write = write_junit,
};
