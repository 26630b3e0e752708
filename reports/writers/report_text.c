/* SPDX-License-Identifier: Apache-2.0
 *
 * The text report: for a person at a terminal.
 *
 * The verdict and the reason come first, then the input that shows it, the
 * terms on one side only, what the claim assumes, and the command that gives
 * the same result again. Labels stand in one column; long lists are cut with
 * their length named, the JSON report has them whole.
 */
#include "reports/reports.h"

#include <string.h>

#define LABEL_WIDTH   10
#define TARGET_WIDTH  17
#define OUTCOME_WIDTH 12
#define SHOWN_TERMS   6 /* terms listed a side */

static const char *colour_of(enum report_verdict verdict)
{
    switch (verdict) {
    case REPORT_UNSAFE:
    case REPORT_DIFFERENT: return "\033[1;31m";
    case REPORT_PRECISION:
    case REPORT_UNKNOWN: return "\033[1;33m";
    case REPORT_AGREES:
    case REPORT_ALGEBRAIC:
    case REPORT_ORDER_ONLY:
    case REPORT_IDENTICAL: return "\033[1;32m";
    case REPORT_NVERDICTS: break;
    }
    return "";
}

/* Control characters of names would reach the terminal. */
static void put_clean(struct buf *out, const char *text)
{
    buf_put_visible(out, text, strlen(text), "");
}

static void put_row(struct buf *out, const char *label, const char *text)
{
    buf_printf(out, "  %-*s", LABEL_WIDTH, label);
    put_clean(out, text);
    buf_putc(out, '\n');
}

static void put_rows(struct buf *out, const char *label,
                     const struct report_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        put_row(out, i == 0 ? label : "", list->items[i]);
}

/* Several lines, as they are. */
static void put_lines(struct buf *out, const char *label, const char *text)
{
    for (size_t i = 0; text != NULL && *text; i++) {
        size_t len = strcspn(text, "\n");
        struct buf line = {0};
        buf_append(&line, text, len);
        put_row(out, i == 0 ? label : "", buf_text(&line));
        buf_fini(&line);
        text += len + (text[len] ? 1 : 0);
    }
}

static void put_input(struct buf *out, const struct report_witness *w)
{
    if (!w->input)
        return;
    struct buf line = {0};
    buf_printf(&line, "%s, seed %llu", w->input, (unsigned long long)w->seed);
    for (size_t i = 0; i < w->ndims; i++)
        buf_printf(&line, ", %s = %lld", w->dims[i].name,
                   (long long)w->dims[i].value);
    put_row(out, "input", buf_text(&line));
    buf_fini(&line);
}

static void put_element(struct buf *out, const struct report_witness *w)
{
    if (!w->parameter)
        return;
    struct buf line = {0};
    buf_printf(&line, "%s", w->parameter);
    report_put_index(&line, w);
    buf_puts(&line, "   untuned ");
    report_put_value(&line, &w->untuned);
    buf_puts(&line, "   tuned ");
    report_put_value(&line, &w->tuned);
    put_row(out, "element", buf_text(&line));
    buf_fini(&line);
}

static void put_extent(struct buf *out, const struct report_witness *w)
{
    struct buf line = {0};
    if (report_put_extent(&line, w))
        put_row(out, "extent", buf_text(&line));
    buf_fini(&line);
}

static void put_one_sided(struct buf *out, const char *label,
                          const struct report_list *list)
{
    for (size_t i = 0; i < list->n && i < SHOWN_TERMS; i++)
        put_row(out, i == 0 ? label : "", list->items[i]);
    if (list->n > SHOWN_TERMS)
        buf_printf(out, "  %-*s… and %zu more\n", LABEL_WIDTH, "",
                   list->n - SHOWN_TERMS);
}

static void put_terms(struct buf *out, const struct report_witness *w)
{
    if (!w->traced)
        return;
    struct buf line = {0};
    buf_printf(&line, "%zu untuned, %zu tuned%s", w->terms_untuned,
               w->terms_tuned, w->trace_truncated ? " (list cut)" : "");
    put_row(out, "terms", buf_text(&line));
    buf_fini(&line);
    put_one_sided(out, "missing", &w->missing);
    put_one_sided(out, "extra", &w->extra);
    if (w->order)
        put_row(out, "order", w->order);
}

static const char *outcome_colour(enum report_outcome outcome)
{
    switch (outcome) {
    case REPORT_WRONG:
    case REPORT_NONDETERMINISTIC:
    case REPORT_DEVIATES:
    case REPORT_UNEXPLAINED: return "\033[1;31m";
    case REPORT_ERROR:
    case REPORT_WITHIN_BOUND: return "\033[1;33m";
    case REPORT_EXPLAINED:
    case REPORT_EXACT: return "\033[1;32m";
    case REPORT_SKIPPED:
    case REPORT_NOUTCOMES: break;
    }
    return "";
}

/* "differ on 28.1 %, max 0.375 (12 ulp), mean 0.059" */
static void put_distance(struct buf *out, const char *what,
                         const struct report_distance *d)
{
    double share =
        d->elements ? 100.0 * (double)d->differing / (double)d->elements : 0;
    if (d->differing == 0)
        return;
    buf_printf(out, "  %-*s  %-*s%s on %.3g %% of %llu elements, max %.3g (",
               LABEL_WIDTH, "", TARGET_WIDTH, "", what, share,
               (unsigned long long)d->elements, d->max_abs);
    if (d->max_ulp == UINT64_MAX)
        buf_puts(out, "NaN on one side");
    else
        buf_printf(out, "%llu ulp", (unsigned long long)d->max_ulp);
    buf_printf(out, "), mean %.3g\n", d->mean_abs);
}

static bool is_same(const struct report_distance *a,
                    const struct report_distance *b)
{
    return a->differing == b->differing && a->max_abs == b->max_abs &&
           a->mean_abs == b->mean_abs && a->max_ulp == b->max_ulp;
}

static void put_target(struct buf *out, const char *label,
                       const struct report_target *t, bool colour)
{
    const char *name = report_outcome_name(t->outcome);
    buf_printf(out, "  %-*s%-*s  %s%-12s%s", LABEL_WIDTH, label, TARGET_WIDTH,
               t->target, colour ? outcome_colour(t->outcome) : "", name,
               colour ? "\033[0m" : "");
    if (t->reason) {
        buf_puts(out, "  ");
        put_clean(out, t->reason);
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    buf_putc(out, '\n');
    if (!t->ran)
        return;
    if (is_same(&t->tuned.from_reference, &t->untuned.from_reference)) {
        put_distance(out, "both differ from the interpreter",
                     &t->tuned.from_reference);
    } else {
        put_distance(out, "tuned differs from the interpreter",
                     &t->tuned.from_reference);
        put_distance(out, "untuned differs from the interpreter",
                     &t->untuned.from_reference);
    }
    put_distance(out, "tuned differs from untuned", &t->between);
}

/* Worse, or as bad on more outputs. */
static bool tells_more(const struct report_target *a,
                       const struct report_target *b)
{
    return a->outcome != b->outcome ? a->outcome < b->outcome
                                    : a->between.elements > b->between.elements;
}

/* All in a table, then more of the first of the worst. */
static void put_targets(struct buf *out, const struct report_pair *pair,
                        bool colour)
{
    const struct report_target *worst = NULL;
    for (size_t i = 0; i < pair->ntargets; i++) {
        const struct report_target *t = &pair->targets[i];
        put_target(out, i == 0 ? "targets" : "", t, colour);
        if (t->detail && (!worst || tells_more(t, worst)))
            worst = t;
    }
    if (worst) {
        put_row(out, "on target", worst->target);
        put_lines(out, "", worst->detail);
    }
}

static void put_pair(struct buf *out, const struct report_pair *pair,
                     bool colour)
{
    const struct report_witness *w = pair->witness;
    const char *name = report_verdict_name(pair->verdict);
    if (colour)
        buf_printf(out, "%s%s\033[0m  ", colour_of(pair->verdict), name);
    else
        buf_printf(out, "%s  ", name);
    put_clean(out, pair->function);
    if (pair->tuned_function) {
        buf_puts(out, " (tuned: ");
        put_clean(out, pair->tuned_function);
        buf_putc(out, ')');
    }
    buf_printf(out, "  -- %s\n", report_verdict_meaning(pair->verdict));
    put_row(out, "reason", pair->reason ? pair->reason : "");
    if (w) {
        put_element(out, w);
        put_extent(out, w);
        if (w->where)
            put_row(out, "at", w->where);
        put_input(out, w);
        put_terms(out, w);
    }
    put_rows(out, "drift", &pair->drift);
    put_targets(out, pair, colour);
    put_rows(out, "warning", &pair->warnings);
    put_rows(out, "holds for", &pair->holds_for);
    put_rows(out, "assumes", &pair->assumptions);
    put_rows(out, "note", &pair->notes);
    put_lines(out, "proof", pair->explanation);
    if (pair->command)
        put_row(out, "again", pair->command);
}

/* ---- all pairs on all targets -------------------------------------------------- */

#define NAME_WIDTH 28u /* of a function, in the matrix */

/* Every pair has the targets that the command line chose, in one order. */
static void put_matrix_row(struct buf *out, const struct report_pair *pair,
                           bool colour)
{
    struct buf name = {0};
    put_clean(&name, pair->function);
    if (name.len > NAME_WIDTH) {
        name.len = text_visible(name.data, NAME_WIDTH - 3, "");
        name.data[name.len] = '\0';
        buf_puts(&name, "...");
    }
    buf_printf(out, "  %-*s  %-10s", (int)NAME_WIDTH, buf_text(&name),
               report_verdict_name(pair->verdict));
    for (size_t i = 0; i < pair->ntargets; i++) {
        enum report_outcome o = pair->targets[i].outcome;
        int width = (int)strlen(pair->targets[i].target);
        bool last = i + 1 == pair->ntargets;
        buf_printf(out, "  %s%s%s", colour ? outcome_colour(o) : "",
                   report_outcome_name(o), colour ? "\033[0m" : "");
        int used = (int)strlen(report_outcome_name(o));
        width = width < OUTCOME_WIDTH ? OUTCOME_WIDTH : width;
        for (; !last && used < width; used++)
            buf_putc(out, ' ');
    }
    buf_putc(out, '\n');
    buf_fini(&name);
}

static void put_matrix(struct buf *out, const struct report *report,
                       bool colour)
{
    const struct report_pair *first = &report->pairs[0];
    if (report->npairs < 2 || first->ntargets == 0)
        return;
    buf_printf(out, "\n  %-*s  %-10s", (int)NAME_WIDTH, "pair", "verdict");
    for (size_t i = 0; i < first->ntargets; i++)
        buf_printf(out, "  %-*s", i + 1 < first->ntargets ? OUTCOME_WIDTH : 0,
                   first->targets[i].target);
    buf_putc(out, '\n');
    for (size_t i = 0; i < report->npairs; i++)
        put_matrix_row(out, &report->pairs[i], colour);
}

static void write_one(const struct report *report, struct report_style style,
                      struct buf *out)
{
    enum report_verdict worst;
    if (!report_worst(report, &worst))
        return; /* the diagnostics have said it on standard error */
    for (size_t i = 0; i < report->npairs; i++) {
        if (i > 0)
            buf_putc(out, '\n');
        put_pair(out, &report->pairs[i], style.colour);
    }
    put_matrix(out, report, style.colour);
    if (report->npairs > 1)
        buf_printf(out, "\n%zu pairs, worst: %s\n", report->npairs,
                   report_verdict_name(worst));
}

static void write_text(const struct report_set *set, struct report_style style,
                       struct buf *out)
{
    size_t width = 0;
    if (!set->many && set->n == 1) {
        write_one(set->entries[0].report, style, out);
        return;
    }
    for (size_t i = 0; i < set->n; i++)
        width = report_name_width(set->entries[i].name, width);
    for (size_t i = 0; i < set->n; i++)
        report_put_rows(out, &set->entries[i], width, style);
    report_put_closing(out, set);
}

const struct report_writer report_text = {
    .name = "text",
    .summary = "for people (the default)",
    .machine = false,
    .write = write_text,
};
