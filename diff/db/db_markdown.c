/* SPDX-License-Identifier: Apache-2.0
 *
 * An audit in Markdown, for an issue or a pull request: the counts, a table of
 * findings with their numbers, then how many there are of the rest. Text of logs is
 * escaped.
 */
#include "diff/db/db.h"

/* Rows, so that a comment stays as short as trackers take them. */
#define MOST_ROWS 200u

static bool is_finding(const struct db_run *run, size_t i)
{
    return audit_is_finding(run->set->records.items[i].state) ||
           run->verdicts[i].finding;
}

static void put_row(const struct audit_record *r, const struct db_verdict *v,
                    struct buf *out)
{
    struct buf place = {0};
    db_put_place(&place, r);
    buf_puts(out, "| ");
    report_put_escaped(out, buf_text(&place));
    buf_puts(out, " | ");
    report_put_escaped(out, r->task);
    buf_puts(out, " | ");
    db_put_number(out, audit_flops(&r->count));
    buf_puts(out, " | ");
    db_put_time(out, r->time);
    buf_puts(out, " | ");
    db_put_number(out, db_gflops(r));
    buf_puts(out, " | ");
    db_put_number(out, r->peak);
    buf_printf(out, " | %s | ", audit_state_name(r->state));
    report_put_escaped(out, r->why ? r->why : "");
    if (v->finding) {
        buf_printf(out, "; %s: ", v->name);
        report_put_escaped(out, v->says);
    }
    buf_puts(out, " |\n");
    buf_fini(&place);
}

void db_put_markdown(const struct db_run *run, struct buf *out)
{
    size_t rows = 0, findings = 0, n = run->set->records.len;
    for (size_t i = 0; i < n; i++)
        findings += is_finding(run, i);
    buf_printf(out, "## diffcheck db: %zu finding%s\n\n", findings,
               findings == 1 ? "" : "s");
    db_put_counts(out, run);
    buf_puts(out, run->replayed > 0 ? ".\n" : "");
    db_put_verdicts(out, run);
    buf_puts(out, ".\n");
    for (size_t i = 0; i < n && rows < MOST_ROWS; i++) {
        const struct audit_record *r = &run->set->records.items[run->order[i]];
        if (!is_finding(run, run->order[i]))
            continue;
        if (rows++ == 0)
            buf_puts(out, "\n| record | task | flops | time | GFLOPS | peak | "
                          "plausible | why |\n"
                          "|---|---|---:|---:|---:|---:|---|---|\n");
        put_row(r, &run->verdicts[run->order[i]], out);
    }
    if (findings > rows)
        buf_printf(out, "\nand %zu more.\n", findings - rows);
    if (findings > 0)
        buf_puts(out, "\nVerify the output of these records before using "
                      "them: the numbers say that something is wrong, not "
                      "that the kernels compute what they should.\n");
    for (size_t i = 0; i < run->set->faults.len && i < MOST_ROWS; i++) {
        const struct audit_fault *f = &run->set->faults.items[i];
        buf_puts(out, i == 0 ? "\nSkipped:\n\n- " : "- ");
        report_put_escaped(out, f->file);
        buf_printf(out, ":%u: ", f->line);
        report_put_escaped(out, f->message);
        buf_putc(out, '\n');
    }
}
