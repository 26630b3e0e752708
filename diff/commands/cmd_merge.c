/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck merge SHARD.json...`: the reports of shards as the report of one run
 * over all pairs.
 *
 * What comes out hangs on the set of reports alone, not on their order or number:
 * files are sorted by shard, then by content, and of a pair that is there twice
 * one is taken, since both say the same. A pair that could not be compared on one
 * machine (its process was killed, say) and was on another counts as compared.
 * Nothing is left out in silence: what is missing is an error that names it.
 */
#include "diff/cli/command.h"
#include "diff/gate/gate.h"

#include <stdlib.h>
#include <string.h>

#define MAX_REPORT ((size_t)1 << 31)
#define MOST_NAMED 20u /* missing shards */

struct shard {
    const char *file;
    unsigned char hash[GATE_HASH]; /* of its text: for the order */
    struct report_shard_file in;
};

struct merge {
    const struct diff_options *options;
    struct arena *arena;
    struct diag_sink *sink;
    size_t n;
    struct shard *shards;
    size_t total;
    struct report_entry *entries; /* by position; report NULL: missing */
    const struct shard **from;    /* that each is from */
    struct report_gate gate;
    double time_s;
};

/* ---- reading --------------------------------------------------------------------- */

static bool read_shard(struct merge *m, const char *file, struct shard *out)
{
    struct buf text = {0};
    out->file = file;
    bool fine = file_read(file, MAX_REPORT, &text, m->sink) &&
                report_shard_read(buf_text(&text), text.len, file, m->arena,
                                  &out->in, m->sink);
    gate_hash(buf_text(&text), text.len, out->hash);
    buf_fini(&text);
    return fine;
}

static int by_shard(const void *a, const void *b)
{
    const struct shard *x = a, *y = b;
    size_t i = x->in.shard.index, k = y->in.shard.index;
    if (i != k)
        return i < k ? -1 : 1;
    return memcmp(x->hash, y->hash, GATE_HASH);
}

/* Whether both are of one whole. */
static bool check_whole(const struct merge *m, const struct shard *a,
                        const struct shard *b)
{
    const struct report_shard *x = &a->in.shard, *y = &b->in.shard;
    const char *what = NULL;
    if (strcmp(x->program, y->program) != 0)
        what = "another build or version of diffcheck, another solver or "
               "limit of memory";
    else if (strcmp(x->options, y->options) != 0)
        what = "other options";
    else if (strcmp(x->set, y->set) != 0)
        what = "other pairs, or other contents of them";
    else if (x->count != y->count)
        what = "another number of shards";
    else if (x->total != y->total || a->in.gated != b->in.gated ||
             (x->index == y->index && x->own != y->own))
        what = "another number of pairs";
    return what == NULL ||
           diag_error(m->sink, (struct diag_loc){.file = b->file},
                      "merge.shard", "is of another run than %s: %s", a->file,
                      what);
}

static bool read_all(struct merge *m)
{
    const struct diff_options *o = m->options;
    bool fine = true;
    m->shards = ARENA_ARRAY(m->arena, o->noperands + 1, struct shard);
    for (size_t i = 0; i < o->noperands; i++)
        fine = read_shard(m, o->operands[i], &m->shards[m->n++]) && fine;
    if (fine) /* files of one shard are neighbours then */
        qsort(m->shards, m->n, sizeof *m->shards, by_shard);
    for (size_t i = 1; fine && i < m->n; i++)
        fine = check_whole(m, &m->shards[i - 1], &m->shards[i]);
    return fine;
}

/* ---- one whole ------------------------------------------------------------------- */

/* They are there if a page was asked for, and say nothing of what was found. */
static void forget_plots(struct report *report)
{
    report->environment.n = 0;
    for (size_t i = 0; i < report->npairs; i++) {
        report->pairs[i].plots = NULL;
        report->pairs[i].sources = NULL;
    }
}

/* The report's text without what the clock gave, and without plots. */
static void put_timeless(struct buf *out, const struct report *report)
{
    struct buf text = {0};
    struct json_writer w = {.out = &text}, plain = {.out = out};
    report_put_object(&w, report);
    struct report *copy = gate_kept_report(buf_text(&text), text.len);
    buf_fini(&text);
    if (copy != NULL) {
        report_forget_times(copy);
        forget_plots(copy);
        report_put_object(&plain, copy);
        report_free(copy);
        return;
    }
    DC_BUG("a report does not read back");
}

static bool is_same(const struct report *a, const struct report *b)
{
    struct buf x = {0}, y = {0};
    put_timeless(&x, a);
    put_timeless(&y, b);
    bool same = x.len == y.len && memcmp(x.data, y.data, x.len) == 0;
    buf_fini(&x);
    buf_fini(&y);
    return same;
}

/* The pair is there already, from another file of the same shard. */
static bool take_again(struct merge *m, size_t at, const struct report_entry *e,
                       const struct shard *s)
{
    struct report_entry *have = &m->entries[at];
    if (m->from[at]->in.shard.index != s->in.shard.index ||
        strcmp(have->name, e->name) != 0)
        return diag_error(m->sink, (struct diag_loc){.file = s->file},
                          "merge.shard", "has the place of a pair of %s",
                          m->from[at]->file);
    if (have->report->error != NULL && e->report->error == NULL) {
        *have = *e;
        m->from[at] = s;
        return true;
    }
    return e->report->error != NULL || is_same(have->report, e->report) ||
           diag_error(m->sink, (struct diag_loc){.file = s->file},
                      "merge.shard",
                      "says something else of the pair '%s' than %s", e->name,
                      m->from[at]->file);
}

static bool take_pairs(struct merge *m)
{
    m->total = m->shards[0].in.shard.total;
    m->entries = ARENA_ARRAY(m->arena, m->total + 1, struct report_entry);
    m->from = ARENA_ARRAY(m->arena, m->total + 1, const struct shard *);
    for (size_t i = 0; i < m->n; i++) {
        const struct shard *s = &m->shards[i];
        for (size_t k = 0; k < s->in.reports.len; k++) {
            size_t at = s->in.shard.positions[k];
            const struct report_named *r = &s->in.reports.items[k];
            const struct report_entry e = {r->name ? r->name : "", r->report,
                                           r->time_s};
            if (m->entries[at].report == NULL) {
                m->entries[at] = e;
                m->from[at] = s;
            } else if (!take_again(m, at, &e, s)) {
                return false;
            }
        }
    }
    return true;
}

/* The file of each shard that has the most pairs: what it says of itself is taken.
 * The end of the files of that shard in *end. */
static const struct shard *fullest(const struct merge *m, size_t from,
                                   size_t *end)
{
    const struct shard *best = &m->shards[from];
    for (*end = from;
         *end < m->n && m->shards[*end].in.shard.index == best->in.shard.index;
         (*end)++)
        if (m->shards[*end].in.reports.len > best->in.reports.len)
            best = &m->shards[*end];
    return best;
}

/* Counts of what the shards did are added; what all say is said once. */
static void merge_selves(struct merge *m)
{
    const struct report_gate *first = &m->shards[0].in.gate;
    size_t most = 0;
    for (size_t i = 0; i < m->n; i++)
        most += m->shards[i].in.gate.ngone;
    m->gate = *first;
    m->gate.unchanged = first->unchanged - first->stored;
    m->gate.stored = m->gate.checked = m->gate.ngone = 0;
    m->gate.gone = ARENA_ARRAY(m->arena, most + 1, struct report_gone);
    for (size_t i = 0, end; i < m->n; i = end) {
        const struct report_shard_file *f = &fullest(m, i, &end)->in;
        m->time_s += f->time_s;
        m->gate.stored += f->gate.stored;
        m->gate.checked += f->gate.checked;
        for (size_t k = 0; k < f->gate.ngone; k++)
            m->gate.gone[m->gate.ngone++] = f->gate.gone[k];
    }
    m->gate.unchanged += m->gate.stored;
    report_sort_gone(&m->gate);
}

/* ---- what is missing ------------------------------------------------------------- */

DC_PRINTF(3, 4)
static void tell(const struct merge *m, const char *file, const char *fmt, ...)
{
    struct diag_loc loc = {.file = file};
    va_list args;
    va_start(args, fmt);
    (void)diag_report(m->sink, m->options->partial ? DIAG_WARNING : DIAG_ERROR,
                      loc, "merge.missing", fmt, args);
    va_end(args);
}

/* Shards that no file is of. */
static bool check_absent(const struct merge *m)
{
    size_t count = m->shards[0].in.shard.count, n = 0, at = 0;
    struct buf names = {0};
    for (size_t k = 1; k <= count; k++) {
        while (at < m->n && m->shards[at].in.shard.index < k)
            at++;
        if (at < m->n && m->shards[at].in.shard.index == k)
            continue;
        if (n++ < MOST_NAMED)
            buf_printf(&names, "%s%zu", n > 1 ? ", " : "", k);
    }
    if (n > MOST_NAMED)
        buf_printf(&names, " and %zu more", n - MOST_NAMED);
    if (n > 0)
        tell(m, NULL, "no report of shard%s %s of %zu", n == 1 ? "" : "s",
             buf_text(&names), count);
    buf_fini(&names);
    return n == 0;
}

/* The pairs that all files of a shard together have, by its first file. */
static size_t *count_pairs(const struct merge *m)
{
    size_t *have = dc_alloc((m->n + 1) * sizeof *have);
    for (size_t at = 0; at < m->total; at++)
        if (m->from[at] != NULL) {
            size_t i = (size_t)(m->from[at] - m->shards);
            while (i > 0 && m->shards[i - 1].in.shard.index ==
                                m->from[at]->in.shard.index)
                i--;
            have[i]++;
        }
    return have;
}

/* Files of one shard have the same number of pairs as their own, and no more of
 * them together. */
static bool check_most(const struct merge *m)
{
    bool fine = true;
    size_t *have = count_pairs(m);
    for (size_t i = 0; i < m->n; i++) {
        const struct report_shard *s = &m->shards[i].in.shard;
        if (have[i] > s->own)
            fine = diag_error(
                m->sink, (struct diag_loc){.file = m->shards[i].file},
                "merge.shard",
                "shard %zu of %zu has %zu pairs, and all files of "
                "it together have %zu: they contradict each other",
                s->index, s->count, s->own, have[i]);
    }
    dc_release(have);
    return fine;
}

/* Pairs that all files of a shard together lack: it was interrupted. */
static bool check_short(const struct merge *m)
{
    bool fine = true;
    size_t *have = count_pairs(m);
    for (size_t i = 0, end; i < m->n; i = end) {
        const struct shard *s = fullest(m, i, &end);
        if (have[i] == s->in.shard.own)
            continue;
        fine = false;
        tell(m, s->file, "shard %zu of %zu lacks %zu of its %zu pairs",
             s->in.shard.index, s->in.shard.count, s->in.shard.own - have[i],
             s->in.shard.own);
    }
    dc_release(have);
    return fine;
}

static bool check_missing(const struct merge *m)
{
    bool all = check_absent(m);
    all = check_short(m) && all;
    for (size_t at = 0; all && at < m->total; at++)
        if (m->entries[at].report == NULL) {
            tell(m, NULL, "a pair is in none of the shards");
            return false;
        }
    return all;
}

/* ---- the report ------------------------------------------------------------------ */

static int write_whole(struct merge *m, bool all)
{
    const struct diff_options *o = m->options;
    size_t n = 0;
    for (size_t at = 0; at < m->total; at++) {
        struct report_entry *e = &m->entries[at];
        if (e->report == NULL)
            continue;
        m->entries[n] = *e;
        if (o->no_times)
            m->entries[n].time_s = 0;
        n++;
    }
    for (size_t i = 0; i < m->n && o->no_times; i++)
        for (size_t k = 0; k < m->shards[i].in.reports.len; k++)
            report_forget_times(m->shards[i].in.reports.items[k].report);
    merge_selves(m);
    struct report_set set = {.many = true,
                             .n = n,
                             .entries = m->entries,
                             .time_s = o->no_times ? 0 : m->time_s,
                             .gate = m->shards[0].in.gated ? &m->gate : NULL};
    int status = report_exit_of(&set);
    if (!all)
        status = report_exit_worst(status, DIFF_EXIT_UNDECIDED);
    else if (set.gate == NULL && !diff_check_renames(&set, m->sink))
        status = report_exit_worst(status, DIFF_EXIT_USAGE);
    return diff_write_set(o, &set, m->sink)
               ? status
               : report_exit_worst(status, DIFF_EXIT_USAGE);
}

static int run_merge(const struct diff_options *options)
{
    struct merge m = {
        .options = options, .arena = options->arena, .sink = diag_sink_new()};
    int status = DIFF_EXIT_USAGE;
    if (read_all(&m) && take_pairs(&m) && check_most(&m)) {
        bool all = check_missing(&m);
        if (all || options->partial)
            status = write_whole(&m, all);
    }
    for (size_t i = 0; i < m.n; i++)
        report_set_fini(&m.shards[i].in.reports);
    diff_print_diags(m.sink);
    diag_sink_free(m.sink);
    return status;
}

const struct diff_command cmd_merge = {
    .name = "merge",
    .operands = "SHARD.json...",
    .summary = "one report from those of the shards of a batch or gate",
    .about =
        "Puts together the JSON reports of 'diffcheck batch --shard I/N' or\n"
        "'diffcheck gate --shard I/N': the report is that of one run over all\n"
        "pairs, in any format, and so is the exit status. The order of the "
        "files\n"
        "does not matter, nor does a shard that is there twice. Shards of "
        "other\n"
        "pairs, options or programs are refused, and so is a set that lacks\n"
        "some; '--partial' reports what is there.\n\n"
        "Times are as measured, those of the whole the sum over the shards; "
        "with\n"
        "'--no-times' there are none, and the bytes are those of a single run "
        "with\n"
        "'--no-times'.\n\n"
        "A page of '--format html' has plots where the shards have them: "
        "those\n"
        "that were run with '--format html=FILE' beside the JSON. Others have "
        "none\n"
        "on the page.\n\n"
        "  diffcheck batch examples --shard 1/2 --format json=1.json  # "
        "exit 1\n"
        "  diffcheck batch examples --shard 2/2 --format json=2.json  # "
        "exit 1\n"
        "  diffcheck merge 1.json 2.json --format markdown  # exit 1\n\n"
        "exit status: as of one run; 2 if something is missing or refused, 4\n"
        "with '--partial' and something is missing\n",
    .min_operands = 1,
    .max_operands = 100000,
    .run = run_merge,
};
