/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of an audit for people: a row a record, the worst first, below a
 * finding what is wrong and what is to be done; then the lines that are no records,
 * and the counts. Numbers that are not known are dashes.
 */
#include "diff/db/db.h"

#include <string.h>

#define WIDTH  100u
#define RECORD 34u
#define TASK   14u
#define STATE  13u /* "contradictory" */

double db_gflops(const struct audit_record *r)
{
    return r->time > 0 ? audit_flops(&r->count) / r->time / 1e9 : 0;
}

double db_gbs(const struct audit_record *r)
{
    return r->time > 0 && r->count.has_bytes ? r->count.bytes / r->time / 1e9
                                             : 0;
}

void db_put_place(struct buf *out, const struct audit_record *r)
{
    buf_printf(out, "%s:%u", r->file, r->line);
}

void db_put_number(struct buf *out, double x)
{
    if (!(x > 0))
        buf_putc(out, '-');
    else if (x >= 100 && x < 1e6)
        buf_printf(out, "%.0f", x);
    else
        buf_printf(out, "%.3g", x);
}

void db_put_time(struct buf *out, double seconds)
{
    double scale = seconds < 1e-6   ? 1e9
                   : seconds < 1e-3 ? 1e6
                   : seconds < 1    ? 1e3
                                    : 1;
    if (!(seconds > 0)) {
        buf_putc(out, '-');
        return;
    }
    db_put_number(out, seconds * scale);
    buf_puts(out, scale >= 1e9   ? " ns"
                  : scale >= 1e6 ? " us"
                  : scale >= 1e3 ? " ms"
                                 : " s");
}

void db_sum(const struct db_run *run, struct db_counts *out)
{
    *out = (struct db_counts){.records = run->set->records.len};
    for (size_t i = 0; i < run->set->records.len; i++)
        out->of[run->set->records.items[i].state]++;
    out->of[AUDIT_UNREADABLE] = run->set->faults.len;
}

void db_put_counts(struct buf *out, const struct db_run *run)
{
    struct db_counts n;
    size_t files = run->set->files.len;
    const char *between = ": ";
    db_sum(run, &n);
    buf_printf(out, "%zu record%s in %zu file%s", n.records,
               n.records == 1 ? "" : "s", files, files == 1 ? "" : "s");
    for (size_t s = AUDIT_NSTATES; s-- > 0;)
        if (n.of[s] > 0) {
            buf_printf(out, "%s%zu %s", between, n.of[s],
                       audit_state_name((enum audit_state)s));
            between = ", ";
        }
}

void db_put_verdicts(struct buf *out, const struct db_run *run)
{
    struct db_verdicts n;
    const char *between = ": ";
    if (run->replayed == 0)
        return;
    db_sum_verdicts(run, &n);
    buf_printf(out, "%zu compared with %s workload%s", run->replayed,
               run->replayed == 1 ? "its" : "their",
               run->replayed == 1 ? "" : "s");
    for (size_t v = 0; v < REPORT_NVERDICTS; v++)
        if (n.of[v] > 0) {
            buf_printf(out, "%s%zu %s", between, n.of[v],
                       report_verdict_name((enum report_verdict)v));
            between = ", ";
        }
    if (n.refused > 0)
        buf_printf(out, "%s%zu refused", between, n.refused);
    if (run->interrupted)
        buf_puts(out, "; interrupted");
}

/* ---- cells ---------------------------------------------------------------------- */

/* Of at most so many columns, the end of what is longer. */
static void put_end(struct buf *out, const char *text, size_t columns)
{
    size_t n = strlen(text);
    if (n <= columns)
        buf_printf(out, "%-*s", (int)columns, text);
    else
        buf_printf(out, "...%s", text + n - (columns - 3));
}

/* The same, its beginning. */
static void put_begin(struct buf *out, const char *text, size_t columns)
{
    size_t n = strlen(text);
    if (n <= columns)
        buf_printf(out, "%-*s", (int)columns, text);
    else
        buf_printf(out, "%.*s..", (int)columns - 2, text);
}

static void put_cell(struct buf *out, double x,
                     void (*put)(struct buf *out, double x))
{
    struct buf cell = {0};
    put(&cell, x);
    buf_printf(out, " %8s", buf_text(&cell));
    buf_fini(&cell);
}

/* Words, broken at blanks, each line behind `indent` blanks. */
static void put_words(struct buf *out, const char *text, size_t indent,
                      struct report_style style)
{
    size_t at = indent, width = WIDTH;
    if (style.columns > 0 && style.columns < width)
        width = style.columns > 40 ? style.columns : 40;
    buf_printf(out, "%*s", (int)indent, "");
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, " ");
        if (at > indent && at + 1 + n > width) {
            buf_printf(out, "\n%*s", (int)indent, "");
            at = indent;
        } else if (at > indent) {
            buf_putc(out, ' ');
            at++;
        }
        buf_append(out, p, n);
        at += n;
        p += n;
        p += strspn(p, " ");
    }
    buf_putc(out, '\n');
}

/* The verdict on what the trace makes beside it, where there are any. */
static void put_state(struct buf *out, enum audit_state state,
                      const struct db_verdict *v, bool verdicts, bool colour)
{
    static const char on[] = "\033[1;31m", off[] = "\033[0m";
    bool red = colour && audit_is_finding(state);
    bool wrong = colour && v->finding;
    buf_printf(out, "  %s%s%s", red ? on : "", audit_state_name(state),
               red ? off : "");
    if (verdicts && v->name != NULL)
        buf_printf(out, "%*s  %s%s%s",
                   (int)(STATE - strlen(audit_state_name(state))), "",
                   wrong ? on : "", v->name, wrong ? off : "");
    buf_putc(out, '\n');
}

/* ---- rows ------------------------------------------------------------------------ */

static void put_details(struct buf *out, const struct audit_record *r,
                        struct report_style style)
{
    struct buf line = {0};
    if (*r->target) {
        buf_printf(&line, "target %s", r->target);
        put_words(out, buf_text(&line), 4, style);
    }
    line.len = 0;
    buf_printf(&line, "counted from its %s: %s",
               audit_source_name(r->count.source),
               r->count.how ? r->count.how : "");
    if (r->count.source != AUDIT_NOWHERE)
        put_words(out, buf_text(&line), 4, style);
    line.len = 0;
    if (r->count.has_bytes && r->time > 0) {
        buf_printf(&line, "%.0f bytes moved at least once%s: ", r->count.bytes,
                   r->count.exact_bytes ? "" : ", maybe more");
        db_put_number(&line, db_gbs(r));
        buf_puts(&line, " GB/s");
        put_words(out, buf_text(&line), 4, style);
    }
    buf_fini(&line);
    audit_put_steps(out, r, 6);
}

static void put_row(const struct db_run *run, size_t i,
                    struct report_style style, struct buf *out)
{
    const struct audit_record *r = &run->set->records.items[i];
    const struct db_verdict *v = &run->verdicts[i];
    struct buf place = {0};
    db_put_place(&place, r);
    put_end(out, buf_text(&place), RECORD);
    buf_putc(out, ' ');
    put_begin(out, r->task, TASK);
    put_cell(out, audit_flops(&r->count), db_put_number);
    put_cell(out, r->time, db_put_time);
    put_cell(out, db_gflops(r), db_put_number);
    put_cell(out, r->peak, db_put_number);
    put_state(out, r->state, v, run->replayed > 0, style.colour);
    if (v->name != NULL && (v->finding || v->undecided || style.verbose ||
                            strcmp(v->name, "refused") == 0)) {
        struct buf line = {0};
        buf_printf(&line, "%s: %s", v->name, v->says);
        put_words(out, buf_text(&line), 4, style);
        buf_fini(&line);
    }
    if (audit_is_finding(r->state) || style.verbose)
        put_words(out, r->why, 4, style);
    if (r->check != NULL)
        put_words(out, r->check, 4, style);
    if (style.verbose)
        put_details(out, r, style);
    buf_fini(&place);
}

static void put_faults(const struct db_run *run, struct report_style style,
                       struct buf *out)
{
    for (size_t i = 0; i < run->set->faults.len; i++) {
        const struct audit_fault *f = &run->set->faults.items[i];
        struct buf line = {0};
        buf_printf(&line, "%s:%u: %s; skipped", f->file, f->line, f->message);
        put_words(out, buf_text(&line), 0, style);
        buf_fini(&line);
    }
}

/* Of the worst finding, so that who looks at the end of a long table sees it. */
static void put_worst(const struct db_run *run, struct report_style style,
                      struct buf *out)
{
    struct buf line = {0};
    if (run->set->records.len == 0)
        return;
    const struct audit_record *r = &run->set->records.items[run->order[0]];
    if (!audit_is_finding(r->state))
        return;
    db_put_place(&line, r);
    buf_printf(&line, " says %s", r->why);
    put_words(out, buf_text(&line), 0, style);
    put_words(out, r->check, 0, style);
    buf_fini(&line);
}

void db_put_text(const struct db_run *run, struct report_style style,
                 struct buf *out)
{
    size_t n = run->set->records.len;
    if (n > 0)
        buf_printf(out, "%-*s %-*s %8s %8s %8s %8s  %s\n", (int)RECORD,
                   "record", (int)TASK, "task", "flops", "time", "GFLOPS",
                   "peak",
                   run->replayed > 0 ? "plausible      verdict" : "plausible");
    for (size_t i = 0; i < n; i++)
        put_row(run, run->order[i], style, out);
    put_faults(run, style, out);
    db_put_counts(out, run);
    buf_putc(out, '\n');
    db_put_verdicts(out, run);
    buf_puts(out, run->replayed > 0 ? "\n" : "");
    put_worst(run, style, out);
}
