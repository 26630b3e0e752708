/* SPDX-License-Identifier: Apache-2.0
 *
 * `diffcheck diff OLD.json NEW.json`: two reports compared. Findings of the new
 * one that the old one has, with the same cause in the same place, are known;
 * the others are new, or changed where the place had another one; those of the
 * old one that are not found any more are fixed.
 */
#include "diff/cli/command.h"
#include "diff/gate/gate.h"

#define MAX_REPORT ((size_t)1 << 31)

static bool read_reports(const char *file, struct report_read_set *out,
                         struct diag_sink *sink)
{
    struct buf text = {0};
    bool fine = file_read(file, MAX_REPORT, &text, sink) &&
                report_set_read(buf_text(&text), text.len, file, out, sink);
    buf_fini(&text);
    return fine;
}

/* A report of one comparison is named by its tuned file; two of them are of one
 * pair, whatever the files are called. */
static void name_reports(struct report_read_set *sets)
{
    bool single = true;
    for (size_t s = 0; s < 2; s++)
        single = single && sets[s].len == 1 && sets[s].items[0].name == NULL;
    const char *both = single ? sets[1].items[0].report->tuned : NULL;
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < sets[s].len; i++) {
            struct report_named *r = &sets[s].items[i];
            if (single)
                r->name = both ? both : "";
            else if (r->name == NULL)
                r->name = r->report->tuned ? r->report->tuned : "";
        }
}

static void put_counts(struct buf *out, const char *file,
                       const struct report_set *set)
{
    struct report_counts c;
    report_count(set, &c);
    buf_printf(out, "%s: %zu pair%s, %zu finding%s", file, c.pairs,
               c.pairs == 1 ? "" : "s", c.findings + c.known,
               c.findings + c.known == 1 ? "" : "s");
}

static struct report_set set_of(const struct report_read_set *reports,
                                struct arena *arena)
{
    struct report_entry *entries =
        ARENA_ARRAY(arena, reports->len + 1, struct report_entry);
    struct report_set set = {
        .many = true, .n = reports->len, .entries = entries};
    for (size_t i = 0; i < reports->len; i++) {
        const struct report_named *r = &reports->items[i];
        entries[i] = (struct report_entry){r->name, r->report, 0};
        for (size_t k = 0; k < r->report->npairs; k++)
            entries[i].time_s += r->report->pairs[k].time_s;
        set.time_s += entries[i].time_s;
    }
    return set;
}

/* Accepted once does not matter here: that the old report has it does. */
static void collect_old(const struct report_read_set *old, const char *file,
                        struct arena *arena, struct gate_known_list *out)
{
    for (size_t i = 0; i < old->len; i++)
        gate_collect(old->items[i].name, old->items[i].report, arena, out);
    for (size_t i = 0; i < out->len; i++) {
        out->items[i].until = out->items[i].reason = NULL;
        out->items[i].also = arena_printf(arena, "in %s, too", file);
    }
}

static int compare(const struct diff_options *o,
                   const struct report_read_set *sets, struct diag_sink *sink)
{
    const struct gate_others others = {
        .absent = arena_printf(o->arena, "not in %s", o->operands[1])};
    struct gate_known_list known = {0};
    struct report_gate model = {0};
    struct report_set old = set_of(&sets[0], o->arena);
    struct report_set new = set_of(&sets[1], o->arena);
    struct gate_case *cases =
        ARENA_ARRAY(o->arena, new.n + 1, struct gate_case);
    struct buf head = {0};
    put_counts(&head, o->operands[0], &old);
    buf_puts(&head, "; ");
    put_counts(&head, o->operands[1], &new);
    model.before = arena_strdup(o->arena, buf_text(&head));
    buf_fini(&head);
    collect_old(&sets[0], o->operands[0], o->arena, &known);
    for (size_t i = 0; i < new.n; i++)
        cases[i] = (struct gate_case){sets[1].items[i].name,
                                      sets[1].items[i].report, false};
    gate_judge(&known, "", new.n, cases);
    gate_collect_gone(&known, new.n, cases, &others, o->arena, &model);
    vec_fini(&known);
    new.gate = &model;
    int status = report_exit_of(&new);
    return diff_write_set(o, &new, sink)
               ? status
               : report_exit_worst(status, DIFF_EXIT_USAGE);
}

static int run_diff(const struct diff_options *options)
{
    struct diag_sink *sink = diag_sink_new();
    struct report_read_set sets[2] = {{0}};
    int status = DIFF_EXIT_USAGE;
    bool fine = read_reports(options->operands[0], &sets[0], sink);
    if (read_reports(options->operands[1], &sets[1], sink) && fine) {
        name_reports(sets);
        status = compare(options, sets, sink);
    }
    report_set_fini(&sets[0]);
    report_set_fini(&sets[1]);
    diff_print_diags(sink);
    diag_sink_free(sink);
    return status;
}

const struct diff_command cmd_diff = {
    .name = "diff",
    .operands = "OLD.json NEW.json",
    .summary = "which findings of a JSON report are new, which are fixed?",
    .about =
        "Compares two JSON reports, of compare, batch or gate. A finding is "
        "the\n"
        "same if pair, function, rule and statement are, whatever its line "
        "or\n"
        "element; in the same place with another cause it is changed, which\n"
        "counts as new. One file may be '-', standard input.\n\n"
        "  diffcheck batch examples/pairs.txt --format json=old.json  # "
        "exit 1\n"
        "  diffcheck batch examples --format json=new.json  # exit 1\n"
        "  diffcheck diff old.json new.json  # exit 1: new ones\n"
        "  diffcheck diff old.json new.json --format markdown  # exit 1\n"
        "  diffcheck diff new.json old.json  # gone ones alone\n\n"
        "exit status: 1 for new findings, and as the new report has it for "
        "what\n"
        "is undecided (4) or could not be compared (2, 3)\n",
    .min_operands = 2,
    .max_operands = 2,
    .run = run_diff,
};
