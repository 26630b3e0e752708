/* SPDX-License-Identifier: Apache-2.0
 *
 * GitHub's workflow commands: an annotation a finding, at the statement where
 * the file has lines. An error for a finding, a warning for what is undecided, a
 * notice for what a gate has accepted.
 *
 * The runner reads a command from each line of standard output that begins with
 * "::"; values escape %, CR and LF, those of properties : and , too.
 */
#include "reports/reports.h"

#include <string.h>

static void put_escaped(struct buf *out, const char *text, bool property)
{
    struct buf clean = {0};
    buf_put_visible(&clean, text, strlen(text), "\n");
    for (const char *c = buf_text(&clean); *c; c++) {
        if (*c == '%' || *c == '\n' || (property && (*c == ':' || *c == ',')))
            buf_printf(out, "%%%02X", (unsigned)(unsigned char)*c);
        else
            buf_putc(out, *c);
    }
    buf_fini(&clean);
}

static void put_command(struct buf *out, const char *kind, const char *file,
                        uint32_t line, const char *title, const char *text)
{
    const char *before = " ";
    buf_printf(out, "::%s", kind);
    if (file != NULL && strcmp(file, "-") != 0) {
        buf_printf(out, "%sfile=", before);
        put_escaped(out, file, true);
        before = ",";
        if (line > 0)
            buf_printf(out, ",line=%u", line);
    }
    buf_printf(out, "%stitle=", before);
    put_escaped(out, title, true);
    buf_puts(out, "::");
    put_escaped(out, text, false);
    buf_putc(out, '\n');
}

static void put_pair(struct buf *out, const struct report_entry *e,
                     const struct report_pair *p)
{
    struct buf title = {0}, text = {0};
    if (p->exit_code == REPORT_EXIT_NOTHING && p->known == NULL)
        return;
    buf_printf(&title, "diffcheck: %s", report_verdict_name(p->verdict));
    buf_printf(&text, "%s: ", e->report->npairs > 1 ? p->function : e->name);
    (void)report_put_finding(&text, p);
    if (p->again != NULL)
        buf_printf(&text, " (%s)", p->again);
    if (p->known != NULL) {
        buf_puts(&text, " (");
        report_put_known(&text, p->known);
        buf_putc(&text, ')');
    }
    put_command(out,
                p->known != NULL                        ? "notice"
                : p->exit_code == REPORT_EXIT_UNDECIDED ? "warning"
                                                        : "error",
                e->report->tuned, report_line(e->report, p), buf_text(&title),
                buf_text(&text));
    buf_fini(&title);
    buf_fini(&text);
}

/* At the first of its places. */
static void put_error(struct buf *out, const struct report *r)
{
    const struct report_error *at = r->nerrors > 0 ? &r->errors[0] : NULL;
    bool placed = at != NULL && at->file != NULL;
    put_command(out, "error", placed ? at->file : r->tuned,
                placed ? at->line : 0, "diffcheck: not compared", r->error);
}

static void write_github(const struct report_set *set,
                         struct report_style style, struct buf *out)
{
    (void)style;
    for (size_t i = 0; i < set->n; i++) {
        const struct report_entry *e = &set->entries[i];
        if (e->report->error != NULL)
            put_error(out, e->report);
        for (size_t k = 0; k < e->report->npairs && !e->report->error; k++)
            put_pair(out, e, &e->report->pairs[k]);
    }
}

const struct report_writer report_github = {
    .name = "github",
    .summary = "annotations for GitHub Actions",
    .machine = true,
    .write = write_github,
};
