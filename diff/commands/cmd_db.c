/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck db PATH...`: what tuning logs and databases claim, and whether it can
 * be. Records are read, their operations counted, and each judged by its device and
 * by the others.
 */
#include "diff/cli/command.h"
#include "diff/db/db.h"

#include <string.h>

static int status_of(const struct db_run *run)
{
    struct db_counts n;
    struct db_verdicts verdicts;
    size_t findings = 0, judged = 0;
    db_sum(run, &n);
    for (size_t s = 0; s < AUDIT_NSTATES; s++) {
        findings += audit_is_finding((enum audit_state)s) ? n.of[s] : 0;
        judged += s == AUDIT_UNJUDGED || s == AUDIT_UNREADABLE ? 0 : n.of[s];
    }
    db_sum_verdicts(run, &verdicts);
    if (run->unread || n.of[AUDIT_UNREADABLE] > 0)
        return DIFF_EXIT_USAGE;
    if (findings + verdicts.findings > 0)
        return DIFF_EXIT_FINDING;
    return (judged == 0 && n.records > 0) || verdicts.undecided > 0 ||
                   run->interrupted
               ? DIFF_EXIT_UNDECIDED
               : DIFF_EXIT_NOTHING;
}

static void put_format(const struct db_run *run, const char *format,
                       struct report_style style, struct buf *out)
{
    if (strcmp(format, "json") == 0)
        db_put_json(run, out);
    else if (strcmp(format, "markdown") == 0)
        db_put_markdown(run, out);
    else if (strcmp(format, "html") == 0)
        db_put_html(run, out);
    else
        db_put_text(run, style, out);
}

/* The formats asked for, on standard output or to files. */
static bool write_all(const struct db_run *run)
{
    bool fine = true;
    for (size_t i = 0; i < run->options->nformats; i++) {
        const struct diff_format *f = &run->options->formats[i];
        bool console = strcmp(f->file, "-") == 0;
        struct report_style style = diff_style(run->options, console);
        struct buf out = {0};
        put_format(run, f->writer->name, style, &out);
        if (console && style.colour && !f->writer->machine)
            (void)fwrite(buf_text(&out), 1, out.len, stdout);
        else if (console)
            diff_print(&out);
        else
            fine =
                file_write(f->file, buf_text(&out), out.len, run->sink) && fine;
        buf_fini(&out);
    }
    return fine;
}

/* Nothing at all was read: the JSON object of what is wrong, if asked for. */
static void write_errors(const struct db_run *run)
{
    struct report *report = report_new();
    diff_put_options(run->options, report);
    report_refuse(report, DIFF_EXIT_USAGE, run->sink);
    if (!diff_write_reports(run->options, report, run->sink))
        report->exit_code = DIFF_EXIT_USAGE; /* as it is, and told */
    report_free(report);
}

static int run_db(const struct diff_options *options)
{
    struct db_run run = {
        .options = options, .sink = diag_sink_new(), .set = audit_set_new()};
    struct audit_options judge = {options->peak, options->peak_bandwidth};
    db_read(&run);
    bool some = run.set->records.len + run.set->faults.len > 0;
    if (!some && !run.unread)
        run.unread = !diag_error(run.sink, (struct diag_loc){0}, "db.none",
                                 "no records of tuning: no file of the %zu "
                                 "looked at has any",
                                 run.passed + run.set->files.len);
    if (some) {
        db_count(&run);
        audit_judge(run.set, &judge);
        run.order = audit_order(run.set);
        db_replay(&run);
        run.exit_code = status_of(&run);
        if (!write_all(&run))
            run.exit_code = DIFF_EXIT_USAGE;
    } else {
        run.exit_code = DIFF_EXIT_USAGE;
        write_errors(&run);
    }
    int status = run.exit_code;
    diff_print_diags(run.sink);
    dc_release(run.order);
    dc_release(run.verdicts);
    audit_set_free(run.set);
    diag_sink_free(run.sink);
    return status;
}

const struct diff_command cmd_db = {
    .name = "db",
    .operands = "PATH...",
    .summary = "audit tuning logs and databases: which records cannot be true?",
    .about =
        "Reads databases of MetaSchedule, logs of Ansor and of AutoTVM, and\n"
        "what Ansor prints of its tasks; a folder is searched for files that\n"
        "end in .json, .jsonl, .log or .txt. Counts what each record computed\n"
        "and has to move, and judges its time by what the device that its\n"
        "target names can do, and by the other records. A row a record, the\n"
        "worst first; a line that is no record is told and skipped.\n\n"
        "impossible     faster than the device's peak or memory, no time at "
        "all,\n"
        "               or failed and fast all the same\n"
        "contradictory  the same steps again, with another time\n"
        "outlier        far faster than what it can be held against\n"
        "consistent     the target names no device; in line with the others\n"
        "unjudged       nothing is known to hold it against\n\n"
        "Of a record of MetaSchedule the trace is replayed on its workload, "
        "and\n"
        "what it makes is compared with that; results are kept.\n\n"
        "A finding says what to check: numbers alone never tell that a kernel\n"
        "computes what it should, nor does a plausible one.\n\n"
        "  diffcheck db examples/tuning   # exit 1\n"
        "  diffcheck db examples/tuning --format html=audit.html   # exit 1\n"
        "  diffcheck db examples/tuning --peak 690,34.1 -v   # exit 1\n\n"
        "exit status: 1 a finding, 2 something could not be read, 4 nothing\n"
        "could be judged\n",
    .formats = "html json markdown text",
    .takes_many = true,
    .min_operands = 1,
    .max_operands = 100000,
    .run = run_db,
};
