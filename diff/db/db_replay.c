/* SPDX-License-Identifier: Apache-2.0
 *
 * Records of MetaSchedule against their workloads: what the trace of each makes of
 * its workload is compared with it as any pair is, each in a process of its own, the
 * lines being the operands (diff/input/record.c). Results are kept in the store of
 * the gate, under a hash of both modules, the program and the options, so that a
 * database that grew costs what was added.
 *
 * Whether a trace may be replayed is for schedule/ to say; one that is refused is
 * no finding: its conditions are stricter than TVM's, and what it does not handle
 * says nothing of the record.
 */
#include "diff/batch/batch.h"
#include "diff/db/db.h"
#include "diff/gate/gate.h"
#include "ir/base/base.h"

#include <string.h>

#define WORKLOADS "database_workload.json"

struct replay {
    struct db_run *run;
    struct batch_jobs jobs;
    struct VEC(size_t) records; /* of each job */
    struct batch_result *results;
    struct gate_keeper keeper;
    struct gate_file *files; /* two a job */
    unsigned char (*keys)[GATE_HASH];
    size_t asked;
    struct batch_progress progress;
};

/* ---- which ------------------------------------------------------------------------ */

/* A record is replayed where its workload stands in the file beside it, where the
 * operand FILE:LINE looks for it. */
static bool is_replayed(struct arena *arena, const struct audit_record *r)
{
    return r->format == AUDIT_METASCHEDULE && r->workload != NULL &&
           strcmp(r->file, "-") != 0 &&
           strcmp(path_beside(arena, r->file, WORKLOADS), r->workload->file) ==
               0;
}

static void list_jobs(struct replay *p)
{
    struct arena *arena = p->run->options->arena;
    for (size_t i = 0; i < p->run->set->records.len; i++) {
        const struct audit_record *r = &p->run->set->records.items[i];
        if (!is_replayed(arena, r))
            continue;
        const char *tuned = arena_printf(arena, "%s:%u", r->file, r->line);
        const char *untuned =
            arena_printf(arena, "%s:%u", r->workload->file, r->workload->line);
        vec_push(&p->jobs, ((struct batch_job){tuned, tuned, untuned}));
        vec_push(&p->records, i);
    }
}

/* ---- what comes of it ---------------------------------------------------------------- */

static void take(struct replay *p, size_t job)
{
    struct arena *arena = p->run->options->arena;
    const struct report *report = p->results[job].report;
    struct db_verdict *v = &p->run->verdicts[p->records.items[job]];
    enum report_verdict worst;
    struct buf text = {0};
    if (report->error != NULL || !report_worst(report, &worst)) {
        v->name = "refused";
        v->says = arena_strdup(arena, report->error ? report->error
                                                    : "nothing to compare");
        return;
    }
    v->name = report_verdict_name(worst);
    v->finding = report->exit_code == DIFF_EXIT_FINDING;
    v->undecided = report->exit_code == DIFF_EXIT_UNDECIDED;
    for (size_t i = 0; i < report->npairs; i++)
        if (report->pairs[i].verdict == worst) {
            report_put_sentence(&text, &report->pairs[i]);
            break;
        }
    v->says = arena_strdup(arena, buf_text(&text));
    buf_fini(&text);
}

static struct gate_pair pair_of(const struct replay *p, size_t job)
{
    return (struct gate_pair){p->jobs.items[job].name, &p->files[2 * job + 1],
                              &p->files[2 * job]};
}

static void done(struct replay *p, size_t job)
{
    take(p, job);
    p->progress.done++;
    p->progress.findings += p->run->verdicts[p->records.items[job]].finding;
}

/* Asked once for each job, in order; a job that the store has is done. */
static bool on_wanted(void *user, size_t job)
{
    struct replay *p = user;
    struct buf text = {0};
    if (job < p->asked || p->keeper.store == NULL)
        return true;
    p->asked = job + 1;
    size_t max = p->run->options->max_input_bytes;
    p->files[2 * job] = gate_file_read(p->jobs.items[job].tuned, max);
    p->files[2 * job + 1] = gate_file_read(p->jobs.items[job].untuned, max);
    struct gate_pair pair = pair_of(p, job);
    p->results[job].report =
        gate_keeper_get(&p->keeper, &pair, p->keys[job], &text);
    buf_fini(&text);
    if (p->results[job].report == NULL)
        return true;
    done(p, job);
    return false;
}

static void on_done(void *user, size_t job)
{
    struct replay *p = user;
    struct report *report = p->results[job].report;
    if (p->keeper.store != NULL) {
        const struct batch_job *j = &p->jobs.items[job];
        struct gate_names lying =
            gate_names_of(report->arena, j->tuned, j->untuned);
        struct gate_pair pair = pair_of(p, job);
        struct buf text = {0};
        gate_rename(report, &lying, &gate_kept_names);
        gate_keeper_put(&p->keeper, &pair, p->keys[job], report, &text);
        gate_rename(report, &gate_kept_names, &lying);
        buf_fini(&text);
    }
    done(p, job);
}

static void on_tick(void *user)
{
    struct replay *p = user;
    batch_progress_show(&p->progress);
}

/* ---- all of them --------------------------------------------------------------------- */

static void run_jobs(struct replay *p)
{
    struct diff_options options = *p->run->options;
    const struct batch_watch watch = {p, on_wanted, on_done, on_tick};
    size_t n = p->jobs.len;
    struct gate_store *store = NULL;
    options.one_sided = true;
    p->results = dc_alloc((n + 1) * sizeof *p->results);
    p->files = dc_alloc((2 * n + 1) * sizeof *p->files);
    p->keys = dc_alloc((n + 1) * sizeof *p->keys);
    if (!options.no_store && gate_may_keep(&options) &&
        !gate_store_open(options.store, &store, p->run->sink))
        p->run->unread = true;
    gate_keeper_init(&p->keeper, &options, store, p->run->sink);
    batch_progress_begin(&p->progress, n, options.quiet);
    p->progress.what = "records compared";
    if (!batch_run(&options, &p->jobs, p->results, &watch))
        p->run->interrupted = true;
    batch_progress_clear(&p->progress);
    gate_store_close(store);
    for (size_t i = 0; i < n; i++)
        report_free(p->results[i].report);
    dc_release(p->results);
    dc_release(p->files);
    dc_release(p->keys);
}

void db_replay(struct db_run *run)
{
    struct replay p = {.run = run};
    run->verdicts =
        dc_alloc((run->set->records.len + 1) * sizeof *run->verdicts);
    if (!run->options->no_replay)
        list_jobs(&p);
    run->replayed = p.jobs.len;
    if (p.jobs.len > 0)
        run_jobs(&p);
    vec_fini(&p.jobs);
    vec_fini(&p.records);
}

void db_sum_verdicts(const struct db_run *run, struct db_verdicts *out)
{
    *out = (struct db_verdicts){0};
    for (size_t i = 0; i < run->set->records.len; i++) {
        const struct db_verdict *v = &run->verdicts[i];
        enum report_verdict known;
        if (v->name == NULL)
            continue;
        if (report_verdict_parse(v->name, strlen(v->name), &known))
            out->of[known]++;
        else
            out->refused++;
        out->findings += v->finding;
        out->undecided += v->undecided;
    }
}
