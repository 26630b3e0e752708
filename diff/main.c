/* SPDX-License-Identifier: Apache-2.0
 *
 * diffcheck: the command line.
 *
 * Parses the line, runs the command, and makes sure of the exit status: 0
 * nothing found, 1 a finding, 2 usage, unreadable input or no memory left, 3
 * internal error, 4 undecided. Anything that breaks an invariant of ours ends here through the
 * bug handler with status 3, and a caller that asked for JSON gets its object
 * then, too.
 */
#include "diff/command.h"
#include "ir/num/num.h"

#include <fenv.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The one mutable object of the program: the bug handler takes no argument
 * by which it could learn whether JSON is due. Set once, before any work. */
static volatile sig_atomic_t json_due;

static void print_json_error(const char *message, int status)
{
    const struct report_writer *json = report_writer_find("json", 4);
    struct report_style plain = {false};
    struct buf text = {0};
    struct report *report = report_new();
    report->error = message;
    report->exit_code = status;
    if (json)
        json->write(report, plain, &text);
    diff_print(&text);
    buf_fini(&text);
    report_free(report);
}

static void on_bug(const char *message)
{
    bool json = json_due;
    json_due = 0; /* a bug on the way out must not come back here */
    fputs("diffcheck: internal error: ", stderr);
    for (const char *p = message; *p;) { /* without memory: there may be none */
        size_t n = text_visible(p, strlen(p), "");
        (void)fwrite(p, 1, n, stderr);
        p += n;
        if (*p)
            fprintf(stderr, "\\x%02x", (unsigned)(unsigned char)*p++);
    }
    fputc('\n', stderr);
    if (json)
        print_json_error(message, DIFF_EXIT_INTERNAL);
    (void)fflush(stdout);
    _Exit(DIFF_EXIT_INTERNAL);
}

/* Other threads may come here, too, and more than once: the first one ends the
 * process, and what it needs for that is no longer counted. */
static void on_exhausted(const char *message)
{
    static atomic_flag taken = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&taken))
        (void)pause();
    bool json = json_due;
    json_due = 0;
    dc_set_memory_handler(NULL);
    dc_memory_limit(0);
    fprintf(stderr, "diffcheck: error: %s\n", message);
    if (json)
        print_json_error(message, DIFF_EXIT_USAGE);
    (void)fflush(stdout);
    _Exit(DIFF_EXIT_USAGE);
}

/* What the option says, or the default: less where the system gives less, with
 * room for what is not counted, so that work ends before it fails. */
static size_t memory_limit(const struct diff_options *options)
{
    struct rlimit r;
    size_t most = options->max_memory;
    if (options->given[DIFF_OPT_MAX_MEMORY] || getrlimit(RLIMIT_AS, &r) != 0 ||
        r.rlim_cur == RLIM_INFINITY || r.rlim_cur / 8 * 5 >= most)
        return most;
    return r.rlim_cur / 8 * 5;
}

static int usage_error(const struct diag_sink *sink, bool json)
{
    diff_print_diags(sink);
    if (json)
        print_json_error(diag_count(sink) > 0 ? diag_at(sink, 0)->message
                                              : "wrong usage",
                         DIFF_EXIT_USAGE);
    return DIFF_EXIT_USAGE;
}

static int answer_help(const struct diff_options *options)
{
    struct buf text = {0};
    if (options->version)
        buf_puts(&text, "diffcheck " DC_VERSION "\n");
    else if (!options->named && options->noperands == 0)
        diff_help(&text);
    else
        diff_help_command(options->command, &text);
    diff_print(&text);
    buf_fini(&text);
    return DIFF_EXIT_NOTHING;
}

struct command_call {
    const struct diff_options *options;
    int status;
};

static void run_command(void *user, unsigned part)
{
    struct command_call *call = user;
    (void)part;
    call->status = call->options->command->run(call->options);
    num_release_caches(); /* of this thread, which ends here */
}

int main(int argc, char **argv)
{
    dc_set_bug_handler(on_bug);
    /* a library that was loaded first may have set other roundings, or that
     * subnormal numbers are zeros (crtfastmath does) */
    (void)fesetenv(FE_DFL_ENV);
    dc_set_memory_handler(on_exhausted);
    (void)signal(SIGXFSZ, SIG_IGN); /* a file too large is an error to tell */
    json_due = diff_options_want_json(argc, argv);
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct diff_options options;
    int status;
    if (argc < 2) {
        struct buf text = {0};
        diff_help(&text);
        (void)fwrite(text.data, 1, text.len, stderr);
        buf_fini(&text);
        status = DIFF_EXIT_USAGE;
    } else if (!diff_options_parse(argc, argv, arena, &options, sink)) {
        status = usage_error(sink, json_due);
    } else if (options.help || options.version) {
        status = answer_help(&options);
    } else {
        dc_memory_limit(memory_limit(&options));
        struct command_call call = {&options, DIFF_EXIT_INTERNAL};
        dc_roomy(run_command, &call);
        status = call.status;
        dc_memory_limit(0);
    }
    diag_sink_free(sink);
    arena_free(arena);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "diffcheck: error: cannot write standard output\n");
        status = DIFF_EXIT_USAGE;
    }
    return status;
}
