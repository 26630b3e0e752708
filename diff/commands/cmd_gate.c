/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck gate`: the modules of two folders or git revisions; what changed is
 * compared, and what is found is held against what was accepted.
 *
 * The steps are those of diff/gate: find, match, run, judge. Here they are put
 * together and what comes of them is made the model of a report.
 */
#include "diff/cli/command.h"
#include "diff/diff.h"
#include "diff/gate/gate.h"
#include "diff/harness/cache.h"
#include "diff/harness/process.h"
#include "diff/input/words.h"

#include <string.h>
#include <time.h>

struct gate {
    const struct diff_options *options;
    struct arena *arena;
    struct diag_sink *sink;
    struct gate_repository repository;
    struct gate_files before, after;
    struct gate_pairs pairs;
    struct gate_store *store;
    struct gate_known_list known;
    size_t n; /* pairs whose sides differ */
    struct gate_pair *changed;
    struct gate_names *names;
    struct gate_result *results;
    struct gate_others others;
    struct report_gate model;
    struct report_shard shard;
    bool sharded;
    bool *elsewhere; /* by pair: another shard has it; NULL: none has */
    bool whole;      /* no interrupt came */
};

/* ---- both sides ---------------------------------------------------------------- */

static bool usage(const struct gate *g, const char *message)
{
    return diag_error(g->sink, (struct diag_loc){0}, "usage.gate", "%s",
                      message);
}

static bool check_sides(const struct gate *g)
{
    const struct diff_options *o = g->options;
    if (o->before != NULL && o->before_rev != NULL)
        return usage(g, "'--before' and '--before-rev' are two of one");
    if (o->before == NULL && o->before_rev == NULL)
        return usage(g, "'gate' needs '--before DIR --after DIR', or "
                        "'--before-rev REV' and paths of the repository");
    if (o->before != NULL && (o->after == NULL || o->after_rev != NULL))
        return usage(g, "'--before DIR' needs '--after DIR'");
    if (o->before_rev != NULL && o->after != NULL)
        return usage(g, "'--before-rev' goes with '--after-rev', or with the "
                        "work tree");
    return true;
}

static bool take_paths(struct gate *g)
{
    const struct diff_options *o = g->options;
    const char **paths = ARENA_ARRAY(g->arena, o->noperands + 1, const char *);
    for (size_t i = 0; i < o->noperands; i++) {
        bool below = *o->operands[i] != '/';
        paths[i] = below ? gate_path(g->arena, "", o->operands[i]) : NULL;
        if (paths[i] == NULL)
            return usage(g, "paths are below both folders: none may begin "
                            "with '/' or lead out of them");
    }
    g->others.paths = paths;
    g->others.npaths = o->noperands;
    return true;
}

static bool find_folders(struct gate *g, bool *there)
{
    const struct diff_options *o = g->options;
    struct gate_side side = {o->before, o->noperands, g->others.paths,
                             o->max_input_bytes};
    if (!gate_find(g->arena, &side, there, &g->before, g->sink))
        return false;
    side.root = o->after;
    return gate_find(g->arena, &side, there, &g->after, g->sink);
}

static bool open_repository(struct gate *g)
{
    const struct diff_options *o = g->options;
    if (!gate_repository_open(g->arena, o->noperands, o->operands,
                              &g->repository, g->sink))
        return false;
    g->others.npaths = g->repository.npaths;
    g->others.paths = g->repository.paths;
    return true;
}

static bool find_revisions(struct gate *g, bool *there)
{
    const struct diff_options *o = g->options;
    struct gate_side side = {.npaths = g->others.npaths,
                             .paths = g->others.paths,
                             .max_bytes = o->max_input_bytes};
    side.root = gate_repository_take(g->arena, &g->repository, o->before_rev,
                                     "before", g->sink);
    if (side.root == NULL ||
        !gate_find(g->arena, &side, there, &g->before, g->sink))
        return false;
    side.root = o->after_rev == NULL
                    ? g->repository.top
                    : gate_repository_take(g->arena, &g->repository,
                                           o->after_rev, "after", g->sink);
    return side.root != NULL &&
           gate_find(g->arena, &side, there, &g->after, g->sink);
}

/* A wrong path must not pass for a clean change. */
static bool find_files(struct gate *g)
{
    bool folders = g->options->before != NULL, fine = true;
    if (!(folders ? take_paths(g) : open_repository(g)))
        return false;
    bool *there = ARENA_ARRAY(g->arena, g->others.npaths + 1, bool);
    if (!(folders ? find_folders(g, there) : find_revisions(g, there)))
        return false;
    for (size_t i = 0; i < g->others.npaths; i++)
        if (!there[i])
            fine = diag_error(g->sink, (struct diag_loc){0}, "gate.none",
                              "'%s' is on neither side", g->others.paths[i]);
    return fine;
}

static bool check_found(const struct gate *g)
{
    return g->pairs.len + g->model.added.n + g->model.removed.n > 0 ||
           diag_error(g->sink, (struct diag_loc){0}, "gate.none",
                      "there is no module on either side");
}

/* ---- names --------------------------------------------------------------------- */

/* As a shell gives it: the file where it lies, or bash's <(git show REV:PATH). */
static const char *word_of(struct gate *g, const char *revision,
                           const struct gate_file *file)
{
    struct buf word = {0}, object = {0};
    if (revision == NULL) {
        diff_put_word(&word, g->repository.at_top ? file->path : file->at);
    } else {
        buf_printf(&object, "%s:%s", revision, file->path);
        buf_puts(&word, "<(git show ");
        diff_put_word(&word, buf_text(&object));
        buf_putc(&word, ')');
    }
    const char *text = arena_strdup(g->arena, buf_text(&word));
    buf_fini(&word);
    buf_fini(&object);
    return text;
}

static void split_pairs(struct gate *g)
{
    struct report list = {.arena = g->arena};
    size_t n = g->pairs.len + 1;
    g->changed = ARENA_ARRAY(g->arena, n, struct gate_pair);
    g->names = ARENA_ARRAY(g->arena, n, struct gate_names);
    g->results = ARENA_ARRAY(g->arena, n, struct gate_result);
    for (size_t i = 0; i < g->pairs.len; i++) {
        const struct gate_pair *p = &g->pairs.items[i];
        bool read = !p->before->unread && !p->after->unread;
        if (read && memcmp(p->before->hash, p->after->hash, GATE_HASH) == 0) {
            report_add(&list, &g->others.same, "%s", p->after->path);
            continue;
        }
        g->names[g->n] =
            (struct gate_names){p->after->path, p->before->path,
                                word_of(g, g->options->after_rev, p->after),
                                word_of(g, g->options->before_rev, p->before)};
        g->changed[g->n++] = *p;
    }
    g->model.kernels = g->pairs.len;
    g->model.unchanged = g->others.same.n;
    g->others.absent = "the module is gone";
}

/* ---- a part of them ------------------------------------------------------------ */

static bool check_shard(const struct gate *g)
{
    const struct diff_options *o = g->options;
    if (o->max_work != UINT64_MAX)
        return usage(g, "'--max-work' is for all pairs: not with '--shard'");
    if (o->write_baseline != NULL)
        return usage(g, "'--write-baseline' is of all pairs: not with "
                        "'--shard'");
    return true;
}

static bool take_shard(struct gate *g)
{
    const struct report_list *lists[] = {&g->others.same, &g->model.added,
                                         &g->model.removed};
    const struct gate_whole whole = {"gate", g->n, g->changed,
                                     DC_ARRAY_LEN(lists), lists};
    struct report_shard *s = &g->shard;
    if (!gate_shard_choose(g->options, &s->index, &s->count, g->sink))
        return false;
    g->sharded = s->count > 0;
    if (!g->sharded)
        return true;
    if (!check_shard(g) || !gate_shard_name(g->options, &whole, s, g->sink))
        return false;
    size_t *of = ARENA_ARRAY(g->arena, g->n + 1, size_t);
    g->elsewhere = ARENA_ARRAY(g->arena, g->n + 1, bool);
    gate_shard_split(g->n, g->changed, s->count, of);
    for (size_t i = 0; i < g->n; i++) {
        g->elsewhere[i] = of[i] != s->index;
        s->own += !g->elsewhere[i];
    }
    s->total = g->n;
    if (s->index > 1) { /* the first shard speaks of what no shard compares */
        g->others.absent = NULL;
        g->others.same.n = 0;
    }
    return true;
}

/* ---- comparing ----------------------------------------------------------------- */

static bool compare(struct gate *g)
{
    const struct diff_options *o = g->options;
    if (g->n > 0 && !o->no_store && gate_may_keep(o) &&
        !gate_store_open(o->store, &g->store, g->sink))
        return false;
    diff_print_diags(g->sink); /* before it takes its time */
    diag_clear(g->sink);
    struct gate_run run = {.options = o,
                           .store = g->store,
                           .n = g->n,
                           .pairs = g->changed,
                           .names = g->names,
                           .others = g->elsewhere,
                           .results = g->results,
                           .sink = g->sink};
    g->whole = gate_run(&run);
    gate_store_close(g->store);
    g->store = NULL;
    for (size_t i = 0; i < g->n; i++) {
        const struct gate_result *r = &g->results[i];
        g->model.stored += r->stored;
        g->model.unchanged += r->stored;
        g->model.unseen += r->unseen;
        g->model.checked += r->report != NULL && !r->stored && !r->unseen;
    }
    return true;
}

/* ---- what comes of it ---------------------------------------------------------- */

static const char *today_of(struct gate *g)
{
    time_t now = time(NULL);
    struct tm day;
    char text[32] = "9999-12-31"; /* without a date nothing stays accepted */
    if (g->options->today != NULL)
        return g->options->today;
    if (gmtime_r(&now, &day) != NULL)
        (void)strftime(text, sizeof text, "%Y-%m-%d", &day);
    return arena_strdup(g->arena, text);
}

/* Findings of this run, and those of the baseline of which nothing is known. */
static bool write_baseline(struct gate *g, size_t n,
                           const struct gate_case *cases)
{
    struct gate_known_list list = {0};
    for (size_t i = 0; i < n; i++)
        if (!cases[i].unseen)
            gate_collect(cases[i].pair, cases[i].report, g->arena, &list);
    for (size_t i = 0; i < g->known.len; i++)
        if (!g->known.items[i].matched && !g->known.items[i].gone)
            vec_push(&list, g->known.items[i]);
    bool fine = gate_baseline_write(g->options->write_baseline, &list, g->sink);
    vec_fini(&list);
    return fine;
}

/* What is to be judged, and the entries of those that are done. Of what another
 * shard has nothing is known here. */
static size_t collect(struct gate *g, struct gate_case *cases,
                      struct report_entry *entries, size_t *done)
{
    size_t *positions = ARENA_ARRAY(g->arena, g->n + 1, size_t), n = 0;
    g->shard.positions = positions;
    *done = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct gate_result *r = &g->results[i];
        bool elsewhere = g->elsewhere != NULL && g->elsewhere[i];
        if (r->report == NULL && !elsewhere)
            continue;
        cases[n++] = (struct gate_case){g->changed[i].after->path, r->report,
                                        r->unseen || elsewhere};
        if (elsewhere)
            continue;
        bool no_time = r->stored || g->options->no_times;
        if (g->options->no_times)
            report_forget_times(r->report);
        positions[*done] = i;
        entries[(*done)++] = (struct report_entry){
            g->changed[i].name, r->report, no_time ? 0 : r->time_s};
    }
    return n;
}

static int conclude(struct gate *g, double started)
{
    size_t done;
    struct gate_case *cases = ARENA_ARRAY(g->arena, g->n + 1, struct gate_case);
    struct report_entry *entries =
        ARENA_ARRAY(g->arena, g->n + 1, struct report_entry);
    size_t n = collect(g, cases, entries, &done);
    gate_judge(&g->known, today_of(g), n, cases);
    if (g->whole)
        gate_collect_gone(&g->known, n, cases, &g->others, g->arena, &g->model);
    bool fine =
        g->options->write_baseline == NULL || write_baseline(g, n, cases);
    for (size_t i = 0; i < g->model.ngone; i++) {
        struct report_gone *gone = &g->model.gone[i];
        gone->name = gate_stem(g->arena, gone->name);
    }
    report_sort_gone(&g->model);
    struct report_set set = {.many = true,
                             .gate = &g->model,
                             .shard = g->sharded ? &g->shard : NULL,
                             .n = done,
                             .entries = entries};
    if (!g->options->no_times)
        set.time_s = diff_seconds() - started;
    int status = report_exit_of(&set);
    fine = diff_write_set(g->options, &set, g->sink) && fine;
    return fine ? status : report_exit_worst(status, DIFF_EXIT_USAGE);
}

static int check_all(struct gate *g)
{
    const struct diff_options *o = g->options;
    double started = diff_seconds();
    if (!check_sides(g) ||
        (o->baseline != NULL &&
         !gate_baseline_read(o->baseline, g->arena, &g->known, g->sink)) ||
        !find_files(g))
        return DIFF_EXIT_USAGE;
    gate_match(g->arena, &g->before, &g->after, &g->pairs);
    gate_alone(g->arena, &g->after, &g->model.added);
    gate_alone(g->arena, &g->before, &g->model.removed);
    split_pairs(g);
    if (!check_found(g) || !take_shard(g) || !compare(g))
        return DIFF_EXIT_USAGE;
    int status = conclude(g, started);
    if (!g->whole) {
        (void)diag_error(g->sink, (struct diag_loc){0}, "batch.interrupted",
                         "interrupted: %zu of %zu pairs were compared",
                         g->model.checked,
                         (g->sharded ? g->shard.own : g->n) - g->model.stored);
        status = report_exit_worst(status, DIFF_EXIT_UNDECIDED);
    }
    return status;
}

static int run_gate(const struct diff_options *given)
{
    struct diff_options options = *given;
    struct gate g = {
        .options = &options, .arena = options.arena, .sink = diag_sink_new()};
    options.one_sided = true;
    diff_folders_tidy();
    int status = check_all(&g);
    gate_repository_close(&g.repository);
    for (size_t i = 0; i < g.n; i++)
        report_free(g.results[i].report);
    vec_fini(&g.before);
    vec_fini(&g.after);
    vec_fini(&g.pairs);
    vec_fini(&g.known);
    diff_print_diags(g.sink);
    diag_sink_free(g.sink);
    return status;
}

const struct diff_command cmd_gate = {
    .name = "gate",
    .operands = "[PATH...]",
    .summary = "compare what changed between two folders or git revisions",
    .about =
        "Pairs the modules of both sides by path, and by content those that\n"
        "were moved; compares those whose bytes changed, after (tuned) with\n"
        "before (untuned), each in a process of its own; and says which "
        "findings\n"
        "are new, which were accepted and which are gone. Modules and "
        "functions\n"
        "on one side alone are named and fail nothing.\n\n"
        "Results are kept under a hash of both files, of this program and of\n"
        "all options that may change them: a pair that was compared before\n"
        "costs nothing. What targets say is not kept.\n\n"
        "A baseline is a JSON file of accepted findings, each with a reason, "
        "an\n"
        "author and the last day on which it holds. One whose cause changes "
        "is a\n"
        "finding again, and so is one whose day has passed.\n\n"
        "  diffcheck gate --before examples/before --after examples/after  "
        "# exit 1\n"
        "  diffcheck gate --before-rev HEAD~1 examples  # against the work "
        "tree\n"
        "  diffcheck gate --before-rev HEAD~1 --after-rev HEAD examples \\\n"
        "      --format github\n"
        "  diffcheck gate --before examples/before --after examples/after \\\n"
        "      --write-baseline accepted.json  # exit 1\n"
        "  diffcheck gate --before examples/before --after examples/after \\\n"
        "      --baseline accepted.json\n\n"
        "'--shard I/N' on N machines, and 'diffcheck merge' of the N JSON "
        "reports,\n"
        "gives the report of one run.\n\n"
        "exit status: 1 for new findings alone; the worst of all (3, 2, 1, 4, "
        "0)\n",
    .takes_many = true,
    .min_operands = 0,
    .max_operands = 100000,
    .run = run_gate,
};
