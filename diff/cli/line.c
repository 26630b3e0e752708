/* SPDX-License-Identifier: Apache-2.0
 *
 * One command line in this process: parsing, help, and the command itself, on a
 * large stack and within its memory.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "ir/num/num.h"

#include <sys/resource.h>

void diff_print_errors(const struct diag_sink *sink, int status)
{
    const struct report_writer *json = report_writer_find("json", 4);
    struct report_style plain = {0};
    struct buf text = {0};
    struct report *report = report_new();
    report_refuse(report, status, sink);
    if (json)
        report_write_one(json, report, plain, &text);
    diff_print(&text);
    buf_fini(&text);
    report_free(report);
}

size_t diff_memory_limit(const struct diff_options *options)
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
        diff_print_errors(sink, DIFF_EXIT_USAGE);
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

int diff_line(int argc, char *const *argv)
{
    bool json = diff_options_want_json(argc, argv);
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
        status = usage_error(sink, json);
    } else if (options.help || options.version) {
        status = answer_help(&options);
    } else {
        dc_memory_limit(diff_memory_limit(&options));
        struct command_call call = {&options, DIFF_EXIT_INTERNAL};
        if (!dc_roomy(run_command, &call))
            dc_memory_out("the stack");
        status = call.status;
        dc_memory_limit(0);
    }
    diag_sink_free(sink);
    arena_free(arena);
    return status;
}
