/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck batch PATH…`: many pairs of files, each compared in a process of
 * its own.
 *
 * Lines are printed in the order of the pairs, as soon as all before are done,
 * so that they do not depend on the number of processes. What was done when an
 * interrupt came is reported as if it were all.
 *
 * With --resume each result is in the store of diff/gate before its pair counts as
 * done, and a pair that is there is not begun: the same command goes on where it
 * was stopped, by whatever. With --shard the pairs of other machines are taken out
 * first; what is left is a batch as any other.
 */
#include "diff/batch/batch.h"
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/gate/gate.h"
#include "diff/harness/cache.h"
#include "diff/harness/process.h"

#include <string.h>

struct batch {
    const struct diff_options *options;
    struct diag_sink *sink;
    struct batch_jobs jobs;
    struct batch_result *results;
    /* --resume, --shard: jobs as contents; else NULL */
    struct gate_pair *pairs;
    struct gate_keeper keeper;
    unsigned char (*keys)[GATE_HASH];
    size_t asked; /* jobs whose results were looked for, from the first */
    size_t kept;  /* of these, with one */
    struct report_shard shard;
    bool sharded;
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

static void count_done(struct batch *b, size_t i)
{
    int status = b->results[i].report->exit_code;
    b->progress.done++;
    b->progress.findings +=
        status != DIFF_EXIT_NOTHING && status != DIFF_EXIT_UNDECIDED;
    if (b->options->no_times) {
        report_forget_times(b->results[i].report);
        b->results[i].time_s = 0;
    }
    print_rows(b);
}

/* ---- results that are kept ------------------------------------------------------ */

/* The names of a job's files, as its report has them. */
static struct gate_names names_of(const struct batch_job *job,
                                  struct arena *arena)
{
    return gate_names_of(arena, job->tuned,
                         job->untuned ? job->untuned : job->tuned);
}

/* Whether the store has the result, which the job then has. */
static bool recall(struct batch *b, size_t i)
{
    const struct batch_job *job = &b->jobs.items[i];
    struct batch_result *out = &b->results[i];
    struct buf text = {0};
    out->report = gate_keeper_get(&b->keeper, &b->pairs[i], b->keys[i], &text);
    buf_fini(&text);
    if (out->report == NULL)
        return false;
    struct gate_names lying = names_of(job, out->report->arena);
    if (job->untuned != NULL) /* a case stays as it is */
        gate_rename(out->report, &gate_kept_names, &lying);
    for (size_t k = 0; k < out->report->npairs; k++)
        out->time_s += out->report->pairs[k].time_s;
    return true;
}

static void keep(struct batch *b, size_t i)
{
    const struct batch_job *job = &b->jobs.items[i];
    struct report *report = b->results[i].report;
    struct gate_names lying = names_of(job, report->arena);
    struct buf text = {0};
    if (job->untuned != NULL)
        gate_rename(report, &lying, &gate_kept_names);
    gate_keeper_put(&b->keeper, &b->pairs[i], b->keys[i], report, &text);
    if (job->untuned != NULL)
        gate_rename(report, &gate_kept_names, &lying);
    buf_fini(&text);
}

/* May be asked again for a job that no process was to be had for. */
static bool on_wanted(void *user, size_t i)
{
    struct batch *b = user;
    if (i < b->asked || b->keeper.store == NULL)
        return true;
    b->asked = i + 1;
    if (!recall(b, i))
        return true;
    b->kept++;
    count_done(b, i);
    return false;
}

static void on_done(void *user, size_t i)
{
    struct batch *b = user;
    if (b->keeper.store != NULL)
        keep(b, i);
    count_done(b, i);
}

static void on_tick(void *user)
{
    struct batch *b = user;
    batch_progress_show(&b->progress);
}

/* Those that are done, in order. */
static struct report_set done_of(struct batch *b, double started)
{
    struct arena *arena = b->options->arena;
    size_t *positions = ARENA_ARRAY(arena, b->jobs.len + 1, size_t);
    struct report_entry *entries =
        ARENA_ARRAY(arena, b->jobs.len + 1, struct report_entry);
    struct report_set set = {.many = true, .entries = entries};
    for (size_t i = 0; i < b->jobs.len; i++) {
        if (b->results[i].report == NULL)
            continue;
        if (b->sharded)
            positions[set.n] = b->shard.positions[i];
        entries[set.n++] = entry_of(b, i);
    }
    b->shard.positions = positions;
    set.shard = b->sharded ? &b->shard : NULL;
    set.time_s = b->options->no_times ? 0 : diff_seconds() - started;
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
    const struct batch_watch watch = {b, on_wanted, on_done, on_tick};
    double started = diff_seconds();
    for (size_t i = 0; i < b->jobs.len; i++)
        b->width = report_name_width(b->jobs.items[i].name, b->width);
    b->rows = text_on_console(options);
    batch_progress_begin(&b->progress, b->jobs.len, options->quiet);
    bool whole = batch_run(options, &b->jobs, b->results, &watch);
    batch_progress_clear(&b->progress);
    struct report_set set = done_of(b, started);
    int status = report_exit_of(&set);
    if (b->kept > 0 && !options->quiet)
        (void)fprintf(stderr,
                      "diffcheck: %zu of %zu pairs were compared "
                      "before\n",
                      b->kept, b->jobs.len);
    if (b->rows)
        print_rest(b, &set);
    if (whole && !b->sharded && !diff_check_renames(&set, b->sink))
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
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

/* ---- before it begins ------------------------------------------------------------ */

/* The jobs as contents, for keys and costs. */
static void read_jobs(struct batch *b)
{
    struct arena *arena = b->options->arena;
    size_t max = b->options->max_input_bytes;
    struct gate_file *files =
        ARENA_ARRAY(arena, 2 * b->jobs.len + 1, struct gate_file);
    b->pairs = ARENA_ARRAY(arena, b->jobs.len + 1, struct gate_pair);
    for (size_t i = 0; i < b->jobs.len; i++) {
        const struct batch_job *job = &b->jobs.items[i];
        files[2 * i] = gate_file_read(job->tuned, max);
        if (job->untuned != NULL)
            files[2 * i + 1] = gate_file_read(job->untuned, max);
        b->pairs[i] = (struct gate_pair){
            job->name, job->untuned ? &files[2 * i + 1] : NULL, &files[2 * i]};
    }
}

/* Leaves the jobs of this shard. */
static bool take_shard(struct batch *b)
{
    struct arena *arena = b->options->arena;
    const struct gate_whole whole = {"batch", b->jobs.len, b->pairs, 0, NULL};
    struct report_shard *s = &b->shard;
    if (!gate_shard_name(b->options, &whole, s, b->sink))
        return false;
    size_t *of = ARENA_ARRAY(arena, b->jobs.len + 1, size_t);
    size_t *positions = ARENA_ARRAY(arena, b->jobs.len + 1, size_t);
    gate_shard_split(b->jobs.len, b->pairs, s->count, of);
    s->total = b->jobs.len;
    s->positions = positions;
    for (size_t i = 0; i < s->total; i++) {
        if (of[i] != s->index)
            continue;
        positions[s->own] = i;
        b->pairs[s->own] = b->pairs[i];
        b->jobs.items[s->own++] = b->jobs.items[i];
    }
    b->jobs.len = s->own;
    return true;
}

static bool open_store(struct batch *b)
{
    const struct diff_options *o = b->options;
    struct gate_store *store = NULL;
    if (!o->resume && o->store == NULL)
        return true;
    if (!o->resume)
        return diag_error(b->sink, (struct diag_loc){0}, "usage.resume",
                          "'--store' of a batch goes with '--resume'");
    if (!gate_may_keep(o))
        return diag_error(b->sink, (struct diag_loc){0}, "usage.resume",
                          "'--resume' does not go with targets: what they give "
                          "hangs on what is installed and is not kept");
    if (!gate_store_open(o->store, &store, b->sink))
        return false;
    b->keys = dc_alloc((b->jobs.len + 1) * sizeof *b->keys);
    gate_keeper_init(&b->keeper, o, store, b->sink);
    return true;
}

static bool prepare(struct batch *b)
{
    const struct diff_options *o = b->options;
    struct report_shard *s = &b->shard;
    if (!batch_discover(o->arena, o->noperands, o->operands, &b->jobs,
                        b->sink) ||
        !gate_shard_choose(o, &s->index, &s->count, b->sink))
        return false;
    b->sharded = s->count > 0;
    if (b->sharded || o->resume)
        read_jobs(b);
    return (!b->sharded || take_shard(b)) && open_store(b);
}

static int run_batch(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct diag_sink *sink = diag_sink_new();
    struct batch b = {.options = &options, .sink = sink};
    int status = DIFF_EXIT_USAGE;
    options.one_sided = options.needs_pair = true;
    if (prepare(&b)) {
        diff_print_diags(sink); /* half pairs, before it takes its time */
        diag_clear(sink);
        b.results = dc_alloc((b.jobs.len + 1) * sizeof *b.results);
        status = compare_all(&b, &options, sink);
        for (size_t i = 0; i < b.jobs.len; i++)
            report_free(b.results[i].report);
        dc_release(b.results);
        gate_store_close(b.keeper.store);
        dc_release(b.keys);
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
        "Functions are paired by name and by '--pair TUNED=UNTUNED'; those "
        "on\n"
        "one side alone are named and fail nothing, if any is on both.\n\n"
        "One line a finding, as found; -v: a line for each pair. Ctrl-C ends\n"
        "it with the counts of what is done. With '--resume' results are kept "
        "as\n"
        "they come, under a hash of the files, the program and the options: "
        "the\n"
        "same command goes on where it was interrupted or killed.\n\n"
        "'--shard I/N' compares one of N parts, of about the same work, on "
        "each\n"
        "of N machines; in a Slurm array or an indexed job of Kubernetes with\n"
        "DIFFCHECK_SHARDS set, the part is taken from that. 'diffcheck merge' "
        "puts\n"
        "the JSON reports together.\n\n"
        "  diffcheck batch examples  # exit 1: findings\n"
        "  diffcheck batch examples/pairs.txt -v  # exit 1\n"
        "  echo examples/conv/tuned.py examples/conv/untuned.py | "
        "diffcheck batch -\n"
        "  diffcheck batch examples -j 8 --format json=out.json --format "
        "text  # exit 1\n"
        "  diffcheck batch examples --shard 2/4 --resume --format "
        "json=2.json  # exit 1\n\n"
        "exit status: the worst of all pairs (3, 2, 1, 4, 0)\n",
    .takes_many = true,
    .min_operands = 1,
    .max_operands = 100000,
    .run = run_batch,
};
