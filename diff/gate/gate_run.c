/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparisons of a gate: from the store what was compared before, the rest by
 * processes of their own (diff/batch).
 *
 * With --max-work pairs are begun in their order while those before have taken
 * less; since several run at a time, more may have been begun by then. What
 * counts is decided in the order of pairs when all before are done: the others are
 * dropped, and not kept either, so that neither this run nor the next depends on
 * the number of processes. A pair costs its interpreter steps, and a little in any
 * case, since a proof takes none.
 */
#include "diff/batch/batch.h"
#include "diff/gate/gate.h"

#include <string.h>

#define LEAST_WORK UINT64_C(1000000) /* of a pair: about what a proof takes */

/* A report as text, until the last process was forked: each copies the tables of
 * this one's memory, so that the whole would take the square of the number of
 * pairs. */
struct held {
    char *text;
    size_t len;
};

struct comparing {
    struct gate_run *run;
    struct gate_keeper keeper;
    struct batch_jobs jobs;
    unsigned char (*keys)[GATE_HASH]; /* by pair, as the store was asked */
    size_t *pair_of;                  /* of a job */
    struct held *held;                /* by pair */
    struct batch_result *results;
    uint64_t done_work;    /* of all jobs that ended */
    size_t settled;        /* jobs whose fate is known, from the first */
    uint64_t settled_work; /* of these, what counts */
    struct batch_progress progress;
};

static void hold(struct comparing *c, size_t i, const struct buf *text)
{
    struct held *h = &c->held[i];
    h->len = text->len;
    h->text = dc_alloc(text->len + 1);
    memcpy(h->text, buf_text(text), text->len);
}

/* ---- jobs ---------------------------------------------------------------------- */

static uint64_t work_of(const struct report *report)
{
    uint64_t work = 0;
    for (size_t i = 0; i < report->npairs; i++)
        work += report->pairs[i].steps;
    return work > LEAST_WORK ? work : LEAST_WORK;
}

static bool on_wanted(void *user, size_t job)
{
    const struct comparing *c = user;
    (void)job;
    return c->done_work < c->run->options->max_work;
}

static void take(struct comparing *c, size_t job)
{
    size_t i = c->pair_of[job];
    const struct batch_job *j = &c->jobs.items[job];
    struct report *report = c->results[job].report;
    struct buf text = {0};
    c->run->results[i].time_s = c->results[job].time_s;
    c->results[job].report = NULL;
    /* the child knows them by where they lie */
    struct gate_names lying =
        gate_names_of(report->arena, j->tuned, j->untuned);
    gate_rename(report, &lying, &gate_kept_names);
    gate_keeper_put(&c->keeper, &c->run->pairs[i], c->keys[i], report, &text);
    hold(c, i, &text);
    report_free(report);
    buf_fini(&text);
}

/* The report of a pair that was not looked at. */
static struct report *unseen_report(const struct gate_names *names)
{
    struct report *r = report_new();
    r->tuned = names->tuned;
    r->untuned = names->untuned;
    r->exit_code = REPORT_EXIT_UNDECIDED;
    r->npairs = 1;
    r->pairs = ARENA_NEW(r->arena, struct report_pair);
    r->pairs[0].function = "*";
    r->pairs[0].verdict = REPORT_UNKNOWN;
    r->pairs[0].exit_code = REPORT_EXIT_UNDECIDED;
    r->pairs[0].reason = "not looked at: '--max-work' was used up before";
    return r;
}

static void drop(struct comparing *c, size_t job)
{
    struct gate_result *r = &c->run->results[c->pair_of[job]];
    report_free(c->results[job].report);
    c->results[job].report = NULL;
    r->report = unseen_report(&c->run->names[c->pair_of[job]]);
    r->unseen = true;
}

/* Those from the first on that are done. With `all`, those that were not begun,
 * too, unless an interrupt is why. */
static void settle(struct comparing *c, bool all)
{
    for (; c->settled < c->jobs.len; c->settled++) {
        const struct report *r = c->results[c->settled].report;
        bool within = c->settled_work < c->run->options->max_work;
        if (r == NULL && (!all || within))
            return;
        if (within) {
            c->settled_work += work_of(r);
            take(c, c->settled);
        } else {
            drop(c, c->settled);
        }
    }
}

static void on_done(void *user, size_t job)
{
    struct comparing *c = user;
    const struct report *report = c->results[job].report;
    int status = report->exit_code;
    c->done_work += work_of(report);
    c->progress.done++;
    c->progress.findings +=
        status != DIFF_EXIT_NOTHING && status != DIFF_EXIT_UNDECIDED;
    if (c->run->options->max_work == UINT64_MAX)
        take(c, job);
    else
        settle(c, false);
}

static void on_tick(void *user)
{
    struct comparing *c = user;
    batch_progress_show(&c->progress);
}

static void find_jobs(struct comparing *c)
{
    struct gate_run *run = c->run;
    for (size_t i = 0; i < run->n; i++) {
        const struct gate_pair *p = &run->pairs[i];
        struct buf text = {0};
        if (run->others != NULL && run->others[i])
            continue;
        struct report *report =
            gate_keeper_get(&c->keeper, p, c->keys[i], &text);
        run->results[i].stored = report != NULL;
        report_free(report);
        if (run->results[i].stored)
            hold(c, i, &text);
        buf_fini(&text);
        if (run->results[i].stored)
            continue;
        c->pair_of[c->jobs.len] = i;
        vec_push(&c->jobs,
                 ((struct batch_job){p->name, p->after->at, p->before->at}));
    }
}

/* After the last: what an interrupt left is taken as it is, else all is settled. */
static void finish(struct comparing *c, bool whole)
{
    struct gate_run *run = c->run;
    if (whole)
        settle(c, true);
    for (size_t job = 0; job < c->jobs.len; job++)
        if (c->results[job].report != NULL)
            take(c, job);
    for (size_t i = 0; i < run->n; i++) {
        struct held *h = &c->held[i];
        if (h->text == NULL)
            continue;
        run->results[i].report = gate_kept_report(h->text, h->len);
        dc_release(h->text);
        if (run->results[i].report == NULL)
            DC_BUG("a report does not read back");
        gate_rename(run->results[i].report, &gate_kept_names, &run->names[i]);
    }
}

bool gate_run(struct gate_run *run)
{
    struct comparing c = {.run = run};
    const struct batch_watch watch = {&c, on_wanted, on_done, on_tick};
    gate_keeper_init(&c.keeper, run->options, run->store, run->sink);
    c.keys = dc_alloc((run->n + 1) * sizeof *c.keys);
    c.pair_of = dc_alloc((run->n + 1) * sizeof *c.pair_of);
    c.results = dc_alloc((run->n + 1) * sizeof *c.results);
    c.held = dc_alloc((run->n + 1) * sizeof *c.held);
    find_jobs(&c);
    batch_progress_begin(&c.progress, c.jobs.len, run->options->quiet);
    bool whole = batch_run(run->options, &c.jobs, c.results, &watch);
    batch_progress_clear(&c.progress);
    finish(&c, whole);
    vec_fini(&c.jobs);
    dc_release(c.results);
    dc_release(c.held);
    dc_release(c.pair_of);
    dc_release(c.keys);
    return whole;
}
