/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck batch PATH…`: many pairs of files, each compared in a process of
 * its own.
 *
 * Lines are printed in the order of the pairs, as soon as all before are done,
 * so that they do not depend on the number of processes. What was done when an
 * interrupt came is reported as if it were all.
 */
#include "diff/batch/batch.h"
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/harness/process.h"

#include <string.h>

struct batch {
    const struct diff_options *options;
    struct batch_jobs jobs;
    struct batch_result *results;
    struct batch_progress progress;
    bool rows; /* on standard output, as they come */
    size_t width, printed;
};

static struct report_entry entry_of(const struct batch *b, size_t i)
{
    return (struct report_entry){.name = b->jobs.items[i].name,
                                 .report = b->results[i].report,
                                 .time_s = b->results[i].time_s};
}

static void print_rows(struct batch *b)
{
    struct buf text = {0};
    struct report_style style = diff_style(b->options, true);
    for (; b->printed < b->jobs.len && b->results[b->printed].report != NULL;
         b->printed++) {
        struct report_entry e = entry_of(b, b->printed);
        report_put_rows(&text, &e, b->width, style);
    }
    if (b->rows && text.len > 0) {
        batch_progress_clear(&b->progress);
        diff_print(&text);
        (void)fflush(stdout);
    }
    buf_fini(&text);
}

static void on_done(void *user, size_t i)
{
    struct batch *b = user;
    int status = b->results[i].report->exit_code;
    b->progress.done++;
    b->progress.findings +=
        status != DIFF_EXIT_NOTHING && status != DIFF_EXIT_UNDECIDED;
    print_rows(b);
}

static void on_tick(void *user)
{
    struct batch *b = user;
    batch_progress_show(&b->progress);
}

/* Those that are done, in order. */
static struct report_set done_of(const struct batch *b, double started)
{
    struct report_entry *entries =
        ARENA_ARRAY(b->options->arena, b->jobs.len + 1, struct report_entry);
    struct report_set set = {.many = true, .entries = entries};
    for (size_t i = 0; i < b->jobs.len; i++)
        if (b->results[i].report != NULL)
            entries[set.n++] = entry_of(b, i);
    set.time_s = diff_seconds() - started;
    return set;
}

/* The text on standard output is there but for rows after a pair that was not
 * done, and the closing lines. */
static void print_rest(struct batch *b, const struct report_set *set)
{
    struct buf text = {0};
    struct report_style style = diff_style(b->options, true);
    for (; b->printed < b->jobs.len; b->printed++) {
        struct report_entry e = entry_of(b, b->printed);
        if (e.report != NULL)
            report_put_rows(&text, &e, b->width, style);
    }
    report_put_closing(&text, set);
    diff_print(&text);
    buf_fini(&text);
}

/* Whether the text report goes to standard output; the formats without it. */
static bool text_on_console(struct diff_options *options)
{
    size_t kept = 0;
    bool found = false;
    struct diff_format *formats =
        ARENA_ARRAY(options->arena, options->nformats + 1, struct diff_format);
    for (size_t i = 0; i < options->nformats; i++) {
        const struct diff_format *f = &options->formats[i];
        if (strcmp(f->file, "-") == 0 && strcmp(f->writer->name, "text") == 0)
            found = true;
        else
            formats[kept++] = *f;
    }
    options->formats = formats;
    options->nformats = kept;
    return found;
}

static int compare_all(struct batch *b, struct diff_options *options,
                       struct diag_sink *sink)
{
    const struct batch_watch watch = {b, NULL, on_done, on_tick};
    double started = diff_seconds();
    for (size_t i = 0; i < b->jobs.len; i++)
        b->width = report_name_width(b->jobs.items[i].name, b->width);
    b->rows = text_on_console(options);
    batch_progress_begin(&b->progress, b->jobs.len, options->quiet);
    bool whole = batch_run(options, &b->jobs, b->results, &watch);
    batch_progress_clear(&b->progress);
    struct report_set set = done_of(b, started);
    int status = report_exit_of(&set);
    if (b->rows)
        print_rest(b, &set);
    if (!diff_write_set(options, &set, sink))
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
    if (!whole) {
        struct diag_loc loc = {0};
        (void)diag_error(sink, loc, "batch.interrupted",
                         "interrupted: %zu of %zu pairs were compared", set.n,
                         b->jobs.len);
        status = report_exit_worst(status, DIFF_EXIT_UNDECIDED);
    }
    return status;
}

static int run_batch(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct diag_sink *sink = diag_sink_new();
    struct batch b = {.options = &options};
    int status = DIFF_EXIT_USAGE;
    if (batch_discover(options.arena, options.noperands, options.operands,
                       &b.jobs, sink)) {
        diff_print_diags(sink); /* half pairs, before it takes its time */
        diag_clear(sink);
        b.results = dc_alloc((b.jobs.len + 1) * sizeof *b.results);
        status = compare_all(&b, &options, sink);
        for (size_t i = 0; i < b.jobs.len; i++)
            report_free(b.results[i].report);
        dc_release(b.results);
    }
    vec_fini(&b.jobs);
    diff_print_diags(sink);
    diag_sink_free(sink);
    return status;
}

const struct diff_command cmd_batch = {
    .name = "batch",
    .operands = "PATH...",
    .summary = "compare many pairs of files",
    .about =
        "Searches folders for pairs: tuned.* beside untuned.*, NAME.after.*\n"
        "beside NAME.before.* (after is the tuned side), and NAME.case. Other\n"
        "files are lists of pairs, one a line: TUNED UNTUNED [NAME], "
        "separated\n"
        "by blanks or tabs, relative to the list's folder; '-' is a list on\n"
        "standard input. Each pair is compared as 'diffcheck compare' does, "
        "in\n"
        "a process of its own: one that crashes is an error of that pair.\n\n"
        "One line a finding, as found; -v: a line for each pair. Ctrl-C ends\n"
        "it with the counts of what is done.\n\n"
        "  diffcheck batch kernels/\n"
        "  diffcheck batch kernels/ -j 8 --format json=out.json --format text\n"
        "  diffcheck batch - <pairs.txt\n\n"
        "exit status: the worst of all pairs (3, 2, 1, 4, 0)\n",
    .takes_many = true,
    .min_operands = 1,
    .max_operands = 100000,
    .run = run_batch,
};
