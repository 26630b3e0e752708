/* SPDX-License-Identifier: Apache-2.0
 *
 * An audit as one JSON object (`db` of reports/report.schema.json). Times are the
 * records' own, so that equal runs give equal bytes.
 */
#include "diff/db/db.h"

/* A number; null where it is not known. */
static void put_known(struct json_writer *w, const char *key, double x)
{
    json_put_key(w, key);
    if (x > 0)
        json_put_double(w, x, false);
    else
        json_put_null(w);
}

/* Whether the device can be that fast; null where nobody knows. */
static void put_plausible(struct json_writer *w, enum audit_state state)
{
    json_put_key(w, "plausible");
    if (audit_is_finding(state))
        json_put_bool(w, false);
    else if (state == AUDIT_PLAUSIBLE || state == AUDIT_CONSISTENT)
        json_put_bool(w, true);
    else
        json_put_null(w);
}

static void put_count(struct json_writer *w, const struct audit_count *n)
{
    static const char *const names[AUDIT_NOPS] = {
        "multiplications", "additions", "divisions",
        "comparisons",     "calls",     "conversions"};
    json_put_key(w, "operations");
    if (n->source == AUDIT_NOWHERE) {
        json_put_null(w);
        return;
    }
    json_begin_object(w);
    for (size_t i = 0; i < AUDIT_NOPS; i++) {
        json_put_key(w, names[i]);
        json_put_double(w, n->ops[i], false);
    }
    json_put_key(w, "integers");
    json_put_double(w, n->ints, false);
    json_put_key(w, "saving");
    json_put_double(w, n->saving, false);
    json_end_object(w);
}

static void put_record(struct json_writer *w, const struct db_run *run,
                       size_t i)
{
    const struct audit_record *r = &run->set->records.items[i];
    const struct db_verdict *v = &run->verdicts[i];
    struct buf place = {0};
    db_put_place(&place, r);
    json_begin_object(w);
    json_put_member(w, "record", buf_text(&place));
    json_put_member(w, "format", audit_format_name(r->format));
    json_put_member(w, "log_version", r->version);
    json_put_member(w, "task", r->task);
    json_put_member(w, "key", r->key);
    json_put_member(w, "target", r->target);
    json_put_member(w, "device", r->device_name);
    json_put_member(w, "state", audit_state_name(r->state));
    put_plausible(w, r->state);
    json_put_key(w, "finding");
    json_put_bool(w, audit_is_finding(r->state) || v->finding);
    json_put_member(w, "verdict", v->name);
    json_put_member(w, "says", v->says);
    json_put_key(w, "error");
    json_put_int(w, r->error);
    put_known(w, "seconds", r->time);
    json_put_member(w, "counted", audit_source_name(r->count.source));
    json_put_member(w, "how", r->count.how);
    put_known(w, "flops", r->count.source ? audit_flops(&r->count) : 0);
    put_count(w, &r->count);
    put_known(w, "bytes", r->count.has_bytes ? r->count.bytes : 0);
    json_put_key(w, "exact_bytes");
    json_put_bool(w, r->count.has_bytes && r->count.exact_bytes);
    put_known(w, "gflops", db_gflops(r));
    put_known(w, "gbs", db_gbs(r));
    put_known(w, "peak", r->peak);
    put_known(w, "bandwidth", r->bandwidth);
    json_put_key(w, "steps");
    json_put_uint(w, r->nsteps);
    json_put_member(w, "reason", r->why);
    json_put_member(w, "check", r->check);
    json_end_object(w);
    buf_fini(&place);
}

static void put_paths(const struct db_run *run, struct json_writer *w)
{
    struct report *report = report_new();
    diff_put_options(run->options, report);
    json_put_key(w, "paths");
    json_begin_array(w);
    for (size_t i = 0; i < run->options->noperands; i++)
        json_put_string(w, run->options->operands[i]);
    json_end_array(w);
    json_put_key(w, "options");
    json_begin_array(w);
    for (size_t i = 0; i < report->options.n; i++)
        json_put_string(w, report->options.items[i]);
    json_end_array(w);
    report_free(report);
}

void db_put_json(const struct db_run *run, struct buf *out)
{
    struct json_writer writer = {.out = out, .indent = 2}, *w = &writer;
    struct db_counts n;
    db_sum(run, &n);
    json_begin_object(w);
    report_put_head(w);
    json_put_member(w, "command", "db");
    put_paths(run, w);
    json_put_key(w, "exit");
    json_put_int(w, run->exit_code);
    json_put_key(w, "counts");
    json_begin_object(w);
    for (size_t s = 0; s < AUDIT_NSTATES; s++) {
        json_put_key(w, audit_state_name((enum audit_state)s));
        json_put_uint(w, n.of[s]);
    }
    json_end_object(w);
    json_put_key(w, "records");
    json_begin_array(w);
    for (size_t i = 0; i < run->set->records.len; i++)
        put_record(w, run, run->order[i]);
    json_end_array(w);
    json_put_key(w, "unreadable");
    json_begin_array(w);
    for (size_t i = 0; i < run->set->faults.len; i++) {
        const struct audit_fault *f = &run->set->faults.items[i];
        json_begin_object(w);
        json_put_member(w, "file", f->file);
        json_put_key(w, "line");
        json_put_uint(w, f->line);
        json_put_member(w, "message", f->message);
        json_end_object(w);
    }
    json_end_array(w);
    json_end_object(w);
    buf_putc(out, '\n');
}
