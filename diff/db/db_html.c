/* SPDX-License-Identifier: Apache-2.0
 *
 * An audit as one page of HTML: the records as claims of the report model, which
 * has the plot and the table.
 */
#include "diff/db/db.h"

void db_put_html(const struct db_run *run, struct buf *out)
{
    size_t n = run->set->records.len, faults = run->set->faults.len;
    struct arena *arena = arena_new();
    struct buf counts = {0};
    struct report_claim *claims =
        ARENA_ARRAY(arena, n + faults + 1, struct report_claim);
    for (size_t i = 0; i < n; i++) {
        const struct audit_record *r = &run->set->records.items[run->order[i]];
        const struct db_verdict *v = &run->verdicts[run->order[i]];
        claims[i] = (struct report_claim){
            .record = arena_printf(arena, "%s:%u", r->file, r->line),
            .task = r->task,
            .state = audit_state_name(r->state),
            .why = v->name ? arena_printf(arena, "%s; against its workload: %s",
                                          r->why ? r->why : "", v->name)
                           : r->why,
            .check = r->check,
            .device = r->device_name,
            .finding = audit_is_finding(r->state) || v->finding,
            .flops = audit_flops(&r->count),
            .seconds = r->time,
            .gflops = db_gflops(r),
            .peak = r->peak,
            .bytes = r->count.has_bytes ? r->count.bytes : 0,
            .bandwidth = r->bandwidth};
    }
    for (size_t i = 0; i < faults; i++) {
        const struct audit_fault *f = &run->set->faults.items[i];
        claims[n + i] = (struct report_claim){
            .record = arena_printf(arena, "%s:%u", f->file, f->line),
            .task = "",
            .state = audit_state_name(AUDIT_UNREADABLE),
            .why = f->message,
            .finding = true};
    }
    db_put_counts(&counts, run);
    buf_puts(&counts, run->replayed > 0 ? "; " : "");
    db_put_verdicts(&counts, run);
    report_put_claims(out, buf_text(&counts), n + faults, claims);
    buf_fini(&counts);
    arena_free(arena);
}
