/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's work, in the program, which the library starts for each call
 * (library.c): the job is read from standard input, a socket, to its end, and
 * the answer goes back the same way.
 *
 * An internal error or want of memory ends the process, as in any other use of
 * the program; the handlers send an answer that says so. What sends none, a
 * fault or a kill, the library sees by how the process ended.
 */
#define _XOPEN_SOURCE 700 /* sigaction */
#include "diff/api/contained.h"

#include "diff/api/diffcheck.h"
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/input/input.h"
#include "ir/num/num.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/socket.h>
#include <unistd.h>

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
        ssize_t n = send(STDIN_FILENO, p, len, MSG_NOSIGNAL);
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

/* ---- the job -------------------------------------------------------------------- */

/* What is left of the bytes of the job. */
struct rest {
    const char *at;
    size_t len;
};

DC_NORETURN static void refuse_job(void)
{
    answer(DIFF_EXIT_INTERNAL, -1, "internal error: no job of a library", "",
           "");
}

/* A text of so many bytes, of which the last is a zero. */
static const char *take(struct rest *rest, uint64_t len)
{
    const char *text = rest->at;
    if (len == 0 || len > rest->len || text[len - 1] != '\0')
        refuse_job();
    rest->at += len;
    rest->len -= (size_t)len;
    return text;
}

/* The words, one behind the other, as a list. */
static const char **take_words(struct rest *rest, uint64_t len,
                               struct arena *arena)
{
    size_t n = 0, at = 0;
    const char *text = take(rest, len);
    for (uint64_t i = 0; i < len; i++)
        n += text[i] == '\0';
    const char **words = ARENA_ARRAY(arena, n + 1, const char *);
    for (const char *w = text; at + 1 < n; w += strlen(w) + 1)
        words[at++] = w;
    return words;
}

struct job {
    bool compare;
    struct contained_source tuned, untuned;
    const char **options;
};

static void read_job(struct buf *bytes)
{
    char part[1 << 14];
    ssize_t n;
    while ((n = read(STDIN_FILENO, part, sizeof part)) != 0) {
        if (n > 0)
            buf_append(bytes, part, (size_t)n);
        else if (errno != EINTR)
            refuse_job();
    }
}

static struct job parse_job(const struct buf *bytes, struct arena *arena)
{
    struct contained_job head;
    struct job job = {0};
    if (bytes->len < sizeof head)
        refuse_job();
    memcpy(&head, bytes->data, sizeof head);
    struct rest rest = {bytes->data + sizeof head, bytes->len - sizeof head};
    if (head.magic != CONTAINED_MAGIC)
        refuse_job();
    const char *version = take(&rest, head.version);
    if (strcmp(version, DC_VERSION) != 0)
        answer(DIFF_EXIT_INTERNAL, -1,
               arena_printf(arena,
                            "the library is of version %s, the program that "
                            "it found of " DC_VERSION,
                            version),
               "", "");
    job.compare = head.untuned > 0;
    job.options = take_words(&rest, head.options, arena);
    job.tuned.name = take(&rest, head.tuned_name);
    job.tuned.text = take(&rest, head.tuned);
    job.tuned.len = (size_t)head.tuned - 1;
    if (!job.compare)
        return job;
    job.untuned.name = take(&rest, head.untuned_name);
    job.untuned.text = take(&rest, head.untuned);
    job.untuned.len = (size_t)head.untuned - 1;
    return job;
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

DC_NORETURN static void compare(const struct job *job,
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
static bool parse(const struct job *job, struct arena *arena,
                  struct diff_options *options, struct diag_sink *sink)
{
    size_t n = 0, at = 0;
    while (job->options[n])
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

int diff_contained(void)
{
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct diff_options options = {.max_memory = DIFF_DEFAULT_MEMORY};
    struct buf bytes = {0};
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
#endif
    dc_set_bug_handler(on_bug);
    dc_set_memory_handler(on_exhausted);
    read_job(&bytes);
    struct job job = parse_job(&bytes, arena);
    dc_memory_limit(diff_memory_limit(&options));
    if (job.compare) {
        if (!parse(&job, arena, &options, sink))
            answer_diags(sink);
        dc_memory_limit(diff_memory_limit(&options));
        compare(&job, &options, sink);
    }
    if (!read_source(&job.tuned, 0, sink))
        answer_diags(sink);
    answer(DIFF_EXIT_NOTHING, -1, "", "", "");
}
