/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparisons of a gate: from the store what was compared before, the rest by
 * processes of their own (diff/batch).
 *
 * What is kept is the JSON object of a report with its files called TUNED and
 * UNTUNED; those who read it put in the names of their run. An error is never
 * kept: it may be of this machine at this time.
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
#include "diff/input/words.h"
#include "ir/base/json.h"

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
    bool keyed; /* the store is asked */
    unsigned char common[GATE_HASH];
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

/* ---- names --------------------------------------------------------------------- */

static const struct gate_names kept_names = {"TUNED", "UNTUNED", "TUNED",
                                             "UNTUNED"};

static void put_command(struct buf *out, const struct gate_names *names)
{
    buf_printf(out, "diffcheck %s %s", names->tuned_word, names->untuned_word);
}

static void rename_places(struct report_origin *origin,
                          const struct gate_names *from,
                          const struct gate_names *to)
{
    for (size_t i = 0; origin != NULL && i < origin->nplaces; i++) {
        struct report_place *p = &origin->places[i];
        const char *old = p->tuned ? from->tuned : from->untuned;
        if (p->file != NULL && strcmp(p->file, old) == 0)
            p->file = p->tuned ? to->tuned : to->untuned;
    }
}

static void rename_errors(struct report *r, const struct gate_names *from,
                          const struct gate_names *to)
{
    for (size_t i = 0; i < r->nerrors; i++) {
        struct report_error *e = &r->errors[i];
        if (e->file != NULL && strcmp(e->file, from->tuned) == 0)
            e->file = to->tuned;
        else if (e->file != NULL && strcmp(e->file, from->untuned) == 0)
            e->file = to->untuned;
    }
}

/* Gives the files of the report, which are `from`, other names. */
static void rename_files(struct report *r, const struct gate_names *from,
                         const struct gate_names *to)
{
    struct buf old = {0}, new = {0};
    put_command(&old, from);
    put_command(&new, to);
    r->tuned = to->tuned;
    r->untuned = to->untuned;
    rename_errors(r, from, to);
    for (size_t i = 0; i < r->npairs; i++) {
        const char *c = r->pairs[i].command;
        rename_places(r->pairs[i].origin, from, to);
        if (c != NULL && strncmp(c, buf_text(&old), old.len) == 0)
            r->pairs[i].command =
                arena_printf(r->arena, "%s%s", buf_text(&new), c + old.len);
    }
    buf_fini(&old);
    buf_fini(&new);
}

/* ---- the store ----------------------------------------------------------------- */

static bool may_keep(const struct comparing *c, const struct gate_pair *pair)
{
    return c->keyed && !pair->before->unread && !pair->after->unread;
}

static struct report *read_text(const char *text, size_t len)
{
    struct json_doc *doc = json_parse(text, len, "a result", NULL);
    struct report *report =
        doc ? report_read(json_root(doc), "a result", NULL) : NULL;
    json_free(doc);
    return report;
}

static void hold(struct comparing *c, size_t i, const struct buf *text)
{
    struct held *h = &c->held[i];
    h->len = text->len;
    h->text = dc_alloc(text->len + 1);
    memcpy(h->text, buf_text(text), text->len);
}

/* Whether the store has the result, which is held then. */
static bool recall(struct comparing *c, size_t i)
{
    struct gate_run *run = c->run;
    struct buf text = {0};
    struct report *report = NULL;
    if (!may_keep(c, &run->pairs[i]))
        return false;
    gate_key(c->common, &run->pairs[i], c->keys[i]);
    if (gate_store_get(run->store, c->keys[i], &text, run->sink))
        report = read_text(buf_text(&text), text.len);
    if (report != NULL)
        hold(c, i, &text);
    report_free(report);
    buf_fini(&text);
    return report != NULL;
}

/* Whether all that the key is of is still what it was: the comparison has read
 * it since. */
static bool is_unchanged(const struct comparing *c, size_t i)
{
    const struct gate_run *run = c->run;
    const struct gate_pair *pair = &run->pairs[i];
    size_t max = run->options->max_input_bytes;
    unsigned char common[GATE_HASH], key[GATE_HASH];
    if (!gate_key_common(run->options, common))
        return false;
    gate_key(common, pair, key);
    return memcmp(key, c->keys[i], GATE_HASH) == 0 &&
           gate_is_same(pair->before, max) && gate_is_same(pair->after, max);
}

/* Holds the report, and keeps it. */
static void keep(struct comparing *c, size_t i, const struct report *report)
{
    struct gate_run *run = c->run;
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    bool sound = report->error == NULL;
    for (size_t k = 0; k < report->npairs; k++)
        sound = sound && report->pairs[k].exit_code != REPORT_EXIT_INTERNAL;
    report_put_object(&w, report);
    hold(c, i, &text);
    if (sound && may_keep(c, &run->pairs[i]) && is_unchanged(c, i))
        gate_store_put(run->store, c->keys[i], &text, run->sink);
    buf_fini(&text);
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
    struct buf tuned = {0}, untuned = {0};
    c->run->results[i].time_s = c->results[job].time_s;
    c->results[job].report = NULL;
    diff_put_word(&tuned,
                  j->tuned); /* the child knows them by where they lie */
    diff_put_word(&untuned, j->untuned);
    struct gate_names lying = {j->tuned, j->untuned, buf_text(&tuned),
                               buf_text(&untuned)};
    rename_files(report, &lying, &kept_names);
    keep(c, i, report);
    report_free(report);
    buf_fini(&tuned);
    buf_fini(&untuned);
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
        run->results[i].stored = recall(c, i);
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
        run->results[i].report = read_text(h->text, h->len);
        dc_release(h->text);
        if (run->results[i].report == NULL)
            DC_BUG("a report does not read back");
        rename_files(run->results[i].report, &kept_names, &run->names[i]);
    }
}

bool gate_run(struct gate_run *run)
{
    struct comparing c = {.run = run};
    const struct batch_watch watch = {&c, on_wanted, on_done, on_tick};
    c.keyed = run->store != NULL && gate_key_common(run->options, c.common);
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
