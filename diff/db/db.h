/* SPDX-License-Identifier: Apache-2.0
 *
 * An audit of tuning logs: finding the files, counting on all processors, and what
 * is printed. Private to diff/.
 */
#ifndef DC_DIFF_DB_DB_H
#define DC_DIFF_DB_DB_H

#include "audit/audit.h"
#include "diff/input/options.h"
#include "reports/reports.h"

/* What a comparison of a record with its workload says. */
struct db_verdict {
    const char *name; /* of the verdict, or "refused"; NULL: not compared */
    const char *says; /* in a sentence */
    bool finding, undecided;
};

struct db_run {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct audit_set *set;
    size_t passed; /* files of folders that are no logs */
    bool unread;   /* some operand could not be read */
    size_t *order; /* of the records, worst first */
    struct db_verdict
        *verdicts; /* one a record, db_replay; in the options' arena */
    size_t replayed;
    bool interrupted;
    int exit_code;
};

/* Reads all that the operands name: files, "-", and folders, searched all the way
 * down for files that end in .json, .jsonl, .log or .txt; beside a file of
 * MetaSchedule's records its workloads. What cannot be read is told, and the rest
 * read. */
void db_read(struct db_run *run);
/* Counts all records. */
void db_count(struct db_run *run);

/* Compares what the trace of each record of MetaSchedule makes of its workload with
 * that, unless --no-replay. The caller releases run->verdicts. */
void db_replay(struct db_run *run);

struct db_verdicts {
    size_t of[REPORT_NVERDICTS], refused, findings, undecided;
};
void db_sum_verdicts(const struct db_run *run, struct db_verdicts *out);

/* How many are of each state. */
struct db_counts {
    size_t of[AUDIT_NSTATES], records;
};
void db_sum(const struct db_run *run, struct db_counts *out);
/* "7 records in 2 files: 5 plausible, 1 failed, 1 impossible" */
void db_put_counts(struct buf *out, const struct db_run *run);
/* "5 compared with their workloads: 4 identical, 1 refused"; nothing where none
 * was. */
void db_put_verdicts(struct buf *out, const struct db_run *run);
/* "tune.json:44" */
void db_put_place(struct buf *out, const struct audit_record *r);
/* GFLOPS and GB/s; 0: not known. */
double db_gflops(const struct audit_record *r);
double db_gbs(const struct audit_record *r);
/* "2.09e+08", "7122"; "-" for 0. */
void db_put_number(struct buf *out, double x);
void db_put_time(struct buf *out, double seconds);

void db_put_text(const struct db_run *run, struct report_style style,
                 struct buf *out);
void db_put_json(const struct db_run *run, struct buf *out);
void db_put_markdown(const struct db_run *run, struct buf *out);
void db_put_html(const struct db_run *run, struct buf *out);

#endif
