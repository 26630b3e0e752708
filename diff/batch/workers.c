/* SPDX-License-Identifier: Apache-2.0
 *
 * Comparisons in processes of their own: a job is forked, compares, writes its
 * report as JSON into a pipe and ends. The parent reads the pipes, and makes of
 * what it got the report again, so that nothing of a job outlives it but that.
 *
 * What ends otherwise (a signal, a status that is none of a report, no object
 * in the pipe) is the report of an error with exit status 3, and the other jobs
 * go on. Time and memory of a job are bounded by its own budgets.
 *
 * An interrupt is a flag that the loop looks at: jobs that run are ended by
 * SIGTERM, those that are done are kept.
 */
#define _XOPEN_SOURCE 700 /* sigaction */
#include "diff/batch/batch.h"
#include "diff/diff.h"
#include "diff/harness/process.h"
#include "ir/base/json.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#define MAX_WORKERS      256u
#define MAX_REPORT_BYTES ((size_t)256 << 20)
#define TICK_MS          200

static volatile sig_atomic_t interrupted;

static void on_interrupt(int sig)
{
    (void)sig;
    interrupted = 1;
}

struct worker {
    pid_t pid; /* 0: none */
    int fd;
    size_t job;
    double started;
    struct buf text;
};

struct running {
    const struct diff_options *options;
    const struct batch_jobs *jobs;
    struct batch_result *results;
    size_t next, nworkers, active;
    struct worker *workers;
};

/* ---- the job ------------------------------------------------------------------- */

/* In the child, whose standard output is the pipe: so that what the handlers of
 * main.c say in JSON arrives, too. Diagnostics go into the report. */
static void compare_job(const struct running *r, const struct batch_job *job)
{
    const char *operands[2] = {job->tuned, job->untuned};
    struct diff_options options = *r->options;
    struct diag_sink *sink = diag_sink_new();
    struct report *report = report_new();
    struct buf text = {0};
    struct json_writer w = {.out = &text};
    options.operands = operands;
    options.noperands = job->untuned ? 2 : 1;
    options.jobs = 1;
    options.many = true;
    diff_compare_operands(&options, report, sink);
    report_put_object(&w, report);
    bool fine = fwrite(buf_text(&text), 1, text.len, stdout) == text.len &&
                fflush(stdout) == 0;
    _exit(fine ? DIFF_EXIT_NOTHING : DIFF_EXIT_INTERNAL);
}

/* A job that nobody waits for any more, since this process was killed, ends. */
static void end_with(pid_t parent)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL);
    if (getppid() != parent)
        _exit(DIFF_EXIT_INTERNAL);
#else
    (void)parent;
#endif
}

/* False, with errno, where no process is to be had. */
static bool start(struct running *r, struct worker *w)
{
    int ends[2];
    w->job = r->next;
    if (pipe(ends) != 0)
        return false;
    (void)fflush(stdout);
    pid_t parent = getpid();
    w->pid = fork();
    if (w->pid == 0) {
        end_with(parent);
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGTERM, SIG_DFL);
        for (size_t i = 0; i < r->nworkers; i++)
            if (r->workers[i].pid > 0 && &r->workers[i] != w)
                (void)close(r->workers[i].fd);
        (void)close(ends[0]);
        if (dup2(ends[1], STDOUT_FILENO) < 0)
            _exit(DIFF_EXIT_INTERNAL);
        (void)close(ends[1]);
        compare_job(r, &r->jobs->items[w->job]);
    }
    int why = errno;
    (void)close(ends[1]);
    if (w->pid < 0) {
        w->pid = 0;
        (void)close(ends[0]);
        errno = why;
        return false;
    }
    w->fd = ends[0];
    w->started = diff_seconds();
    r->next++;
    r->active++;
    return true;
}

/* ---- what came of it ----------------------------------------------------------- */

static struct report *error_report(const struct running *r,
                                   const struct batch_job *job, int exit_code,
                                   const char *what)
{
    struct report *report = report_new();
    report->tuned = job->tuned;
    report->untuned = job->untuned ? job->untuned : job->tuned;
    diff_put_options(r->options, report);
    report_fail(report, exit_code, "batch.ended", what);
    return report;
}

static struct report *read_report(const struct batch_job *job,
                                  const struct buf *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc =
        json_parse(buf_text(text), text->len, job->name, sink);
    struct report *report =
        doc ? report_read(json_root(doc), job->name, sink) : NULL;
    json_free(doc);
    diag_sink_free(sink);
    return report;
}

/* False for what an interrupt ended: a terminal sends it to all processes. */
static bool finish(struct running *r, struct worker *w)
{
    const struct batch_job *job = &r->jobs->items[w->job];
    struct batch_result *result = &r->results[w->job];
    char what[96];
    int status = 0;
    (void)close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR) {
    }
    result->time_s = diff_seconds() - w->started;
    /* one that the interrupt reached before it reached this process, too */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
        interrupted = 1;
    if (interrupted && WIFSIGNALED(status)) {
        result->report = NULL;
    } else if (WIFSIGNALED(status)) {
        (void)snprintf(what, sizeof what,
                       "the comparison was ended by signal %d",
                       WTERMSIG(status));
        result->report = error_report(r, job, DIFF_EXIT_INTERNAL, what);
    } else {
        bool memory = WEXITSTATUS(status) == DIFF_EXIT_USAGE;
        (void)snprintf(what, sizeof what,
                       memory ? "no memory was left for it"
                              : "the comparison ended with status %d and no "
                                "report",
                       WEXITSTATUS(status));
        result->report = read_report(job, &w->text);
        if (result->report == NULL)
            result->report = error_report(
                r, job, memory ? DIFF_EXIT_USAGE : DIFF_EXIT_INTERNAL, what);
    }
    buf_fini(&w->text);
    w->text = (struct buf){0};
    w->pid = 0;
    r->active--;
    return result->report != NULL;
}

/* Reads what is there; true when the job is done. */
static bool take(struct worker *w)
{
    char part[16384];
    ssize_t n = read(w->fd, part, sizeof part);
    if (n < 0)
        return errno != EINTR && errno != EAGAIN;
    buf_append(&w->text, part, (size_t)n);
    if (w->text.len > MAX_REPORT_BYTES)
        (void)kill(w->pid, SIGKILL);
    return n == 0;
}

static void wait_for_some(struct running *r, const struct batch_watch *watch)
{
    struct pollfd fds[MAX_WORKERS];
    struct worker *whose[MAX_WORKERS];
    nfds_t n = 0;
    for (size_t i = 0; i < r->nworkers; i++) {
        if (r->workers[i].pid == 0)
            continue;
        whose[n] = &r->workers[i];
        fds[n++] = (struct pollfd){.fd = r->workers[i].fd, .events = POLLIN};
    }
    if (poll(fds, n, TICK_MS) > 0) {
        for (nfds_t i = 0; i < n; i++) {
            if (fds[i].revents == 0 || !take(whose[i]))
                continue;
            if (finish(r, whose[i]))
                watch->done(watch->user, whose[i]->job);
        }
    }
    watch->tick(watch->user);
}

/* The next job, for which there is no process though none runs. */
static void give_up(struct running *r, const struct batch_watch *watch)
{
    char what[128];
    (void)snprintf(what, sizeof what, "no process can be started for it: %s",
                   strerror(errno));
    r->results[r->next].report =
        error_report(r, &r->jobs->items[r->next], DIFF_EXIT_USAGE, what);
    watch->done(watch->user, r->next++);
}

static void end_all(struct running *r)
{
    for (size_t i = 0; i < r->nworkers; i++) {
        struct worker *w = &r->workers[i];
        if (w->pid == 0)
            continue;
        (void)kill(w->pid, SIGTERM);
        (void)close(w->fd);
        while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR) {
        }
        buf_fini(&w->text);
    }
}

static void skip_unwanted(struct running *r, const struct batch_watch *watch)
{
    while (r->next < r->jobs->len && watch->wanted != NULL &&
           !watch->wanted(watch->user, r->next))
        r->next++;
}

bool batch_run(const struct diff_options *options,
               const struct batch_jobs *jobs, struct batch_result *results,
               const struct batch_watch *watch)
{
    struct sigaction on = {.sa_handler = on_interrupt}, was_int, was_term;
    size_t n = options->jobs > 0 ? options->jobs : dc_cpus();
    n = n < jobs->len ? n : jobs->len;
    n = n < MAX_WORKERS ? n : MAX_WORKERS;
    struct running r = {.options = options,
                        .jobs = jobs,
                        .results = results,
                        .nworkers = n ? n : 1};
    r.workers = dc_alloc(r.nworkers * sizeof *r.workers);
    interrupted = 0;
    (void)sigemptyset(&on.sa_mask);
    (void)sigaction(SIGINT, &on, &was_int);
    (void)sigaction(SIGTERM, &on, &was_term);
    while (!interrupted && (r.next < jobs->len || r.active > 0)) {
        bool started = true;
        skip_unwanted(&r, watch);
        for (size_t i = 0; i < r.nworkers && r.next < jobs->len && started; i++)
            if (r.workers[i].pid == 0) {
                started = start(&r, &r.workers[i]);
                skip_unwanted(&r, watch);
            }
        if (r.active > 0) /* else tried again when another has ended */
            wait_for_some(&r, watch);
        else if (!started && r.next < jobs->len)
            give_up(&r, watch);
    }
    end_all(&r);
    (void)sigaction(SIGINT, &was_int, NULL);
    (void)sigaction(SIGTERM, &was_term, NULL);
    dc_release(r.workers);
    return !interrupted;
}
