/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's work, in a process that was forked for it. Here an internal
 * error or want of memory may end the process, as in the program: the handlers
 * send an answer that says so, and what sends none, a fault or a kill, the host
 * sees by how the process ended (library.c).
 *
 * The host may have threads, which are not here. glibc makes malloc and stdio
 * usable again after a fork, and locks of our own are never held by the host,
 * which runs none of this code.
 */
#define _XOPEN_SOURCE 700 /* sigaction */
#include "diff/api/contained.h"

#include "diff/api/diffcheck.h"
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/input/input.h"
#include "ir/num/num.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

/* The descriptor that answers go to, by a number of its own: handlers have no
 * argument by which they could learn it. */
#define ANSWER_FD 3
/* Descriptors of the host above it are closed up to here. */
#define MANY_FDS 1024

_Static_assert((int)DIFFCHECK_UNSAFE == (int)REPORT_UNSAFE &&
                   (int)DIFFCHECK_UNKNOWN == (int)REPORT_UNKNOWN &&
                   (int)DIFFCHECK_IDENTICAL == (int)REPORT_IDENTICAL &&
                   (int)REPORT_NVERDICTS == (int)DIFFCHECK_IDENTICAL + 1,
               "the library's verdicts are the report's");

/* ---- the answer ----------------------------------------------------------------- */

static void send_all(const void *data, size_t len)
{
    const char *p = data;
    while (len > 0) {
        ssize_t n = write(ANSWER_FD, p, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _Exit(DIFF_EXIT_INTERNAL);
        p += n;
        len -= (size_t)n;
    }
}

/* Ends the process. Of several threads the first to come here answers. */
DC_NORETURN static void answer(int status, int verdict, const char *error,
                               const char *text, const char *json)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&taken))
        (void)sleep(1);
    struct contained_answer a = {.magic = CONTAINED_MAGIC,
                                 .status = status,
                                 .verdict = verdict,
                                 .error = strlen(error) + 1,
                                 .text = strlen(text) + 1,
                                 .json = strlen(json) + 1};
    send_all(&a, sizeof a);
    send_all(error, a.error);
    send_all(text, a.text);
    send_all(json, a.json);
    _Exit(DIFF_EXIT_NOTHING);
}

static void on_bug(const char *message)
{
    char text[1200];
    (void)snprintf(text, sizeof text, "internal error: %s", message);
    answer(DIFF_EXIT_INTERNAL, -1, text, "", "");
}

static void on_exhausted(const char *message)
{
    answer(DIFF_EXIT_USAGE, -1, message, "", "");
}

/* ---- the process ---------------------------------------------------------------- */

/* The host's handlers are not called here, nor are its streams written to. */
static void leave_host(int fd)
{
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigset_t none;
    int nothing;
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
    (void)sigemptyset(&plain.sa_mask);
    (void)sigemptyset(&none);
    for (int sig = 1; sig < 32; sig++)
        (void)sigaction(sig, &plain, NULL);
    (void)signal(SIGXFSZ, SIG_IGN);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    if (fd != ANSWER_FD && dup2(fd, ANSWER_FD) < 0)
        _Exit(DIFF_EXIT_INTERNAL);
    nothing = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3 && nothing >= 0; stream++)
        if (nothing != stream)
            (void)dup2(nothing, stream);
    for (int other = ANSWER_FD + 1; other < MANY_FDS; other++)
        (void)close(other);
    (void)fcntl(ANSWER_FD, F_SETFD, FD_CLOEXEC);
    (void)fesetenv(FE_DFL_ENV);
    dc_set_bug_handler(on_bug);
    dc_set_memory_handler(on_exhausted);
    num_set_memory();
}

/* ---- the work -------------------------------------------------------------------- */

static struct ir_module *read_source(const struct contained_source *source,
                                     size_t max, struct diag_sink *sink)
{
    struct ir_module *m = NULL;
    if (max && source->len > max)
        (void)diag_error(sink, (struct diag_loc){.file = source->name},
                         "file.size", "larger than %zu bytes", max);
    else
        m = ir_read(source->text, source->len, source->name, sink);
    if (m)
        ir_host_restore(m, sink);
    return m;
}

DC_NORETURN static void answer_diags(const struct diag_sink *sink)
{
    struct buf text = {0};
    diag_render(sink, false, &text);
    answer(DIFF_EXIT_USAGE, -1, buf_text(&text), "", "");
}

/* What the sink and the report say, as the commands print it. */
DC_NORETURN static void answer_report(const struct report *report,
                                      const struct diag_sink *sink)
{
    struct report_style plain = {0};
    struct buf error = {0}, text = {0}, json = {0};
    enum report_verdict verdict;
    const struct report_writer *to_json = report_writer_find("json", 4);
    const struct report_writer *to_text = report_writer_find("text", 4);
    if (!to_json || !to_text)
        DC_BUG("a report writer is missing");
    bool fine = !report->error && report_worst(report, &verdict);
    report_write_one(to_json, report, plain, &json);
    if (fine)
        report_write_one(to_text, report, plain, &text);
    else
        diag_render(sink, false, &error);
    if (!fine && error.len == 0)
        buf_puts(&error, report->error ? report->error : "nothing to compare");
    diff_make_visible(&text);
    diff_make_visible(&error);
    answer(report->exit_code, fine ? (int)verdict : -1, buf_text(&error),
           buf_text(&text), buf_text(&json));
}

DC_NORETURN static void compare(const struct contained_job *job,
                                struct diff_options *options,
                                struct diag_sink *sink)
{
    struct report *report = report_new();
    struct ir_module *untuned =
        read_source(&job->untuned, options->max_input_bytes, sink);
    struct ir_module *tuned =
        read_source(&job->tuned, options->max_input_bytes, sink);
    diff_compare_read(options, diff_module_complete(options, tuned, sink),
                      diff_module_complete(options, untuned, sink), report,
                      sink);
    answer_report(report, sink);
}

/* The options given, with both names as the operands. */
static bool parse(const struct contained_job *job, struct arena *arena,
                  struct diff_options *options, struct diag_sink *sink)
{
    size_t n = 0, at = 0;
    while (job->options && job->options[n])
        n++;
    char **line = ARENA_ARRAY(arena, n + 6, char *);
    line[at++] = arena_strdup(arena, "diffcheck");
    line[at++] = arena_strdup(arena, "compare");
    for (size_t i = 0; i < n; i++)
        line[at++] = arena_strdup(arena, job->options[i]);
    line[at++] = arena_strdup(arena, "--");
    line[at++] = arena_strdup(arena, job->tuned.name);
    line[at++] = arena_strdup(arena, job->untuned.name);
    if (!diff_options_parse((int)at, line, arena, options, sink))
        return false;
    if (options->help || options->version || options->given[DIFF_OPT_FORMAT])
        return diag_error(sink, (struct diag_loc){0}, "usage.option",
                          "the library has no option '--help', '--version' or "
                          "'--format'");
    return true;
}

static void work(void *user, unsigned part)
{
    const struct contained_job *job = user;
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct diff_options options;
    (void)part;
    if (job->compare) {
        if (!parse(job, arena, &options, sink))
            answer_diags(sink);
        dc_memory_limit(diff_memory_limit(&options));
        compare(job, &options, sink);
    }
    dc_memory_limit(DIFF_DEFAULT_MEMORY);
    if (!read_source(&job->tuned, 0, sink))
        answer_diags(sink);
    answer(DIFF_EXIT_NOTHING, -1, "", "", "");
}

void diff_contained(const struct contained_job *job, int fd)
{
    struct contained_job copy = *job;
    leave_host(fd);
    if (!dc_roomy(work, &copy))
        dc_memory_out("the stack");
    _Exit(DIFF_EXIT_INTERNAL);
}
