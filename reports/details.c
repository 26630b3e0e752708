/* SPDX-License-Identifier: Apache-2.0
 *
 * All that a report knows of a pair, one fact a line: what `-v` adds to the
 * first screen. Lines are as long as their facts, for search and for scripts.
 */
#include "reports/screen.h"

#include <string.h>

#define LABEL_WIDTH  10
#define TARGET_WIDTH 17

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
    report_put_input(&line, w, false);
    put_row(out, "input", buf_text(&line));
    buf_fini(&line);
    if (w->smallest)
        put_row(out, "smallest", w->smallest);
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

static void put_terms(struct buf *out, const struct report_witness *w)
{
    if (!w->traced)
        return;
    struct buf line = {0};
    buf_printf(&line, "%zu untuned, %zu tuned%s", w->terms_untuned,
               w->terms_tuned, w->trace_truncated ? " (list cut)" : "");
    put_row(out, "terms", buf_text(&line));
    buf_fini(&line);
    put_rows(out, "missing", &w->missing);
    put_rows(out, "extra", &w->extra);
    if (w->order)
        put_row(out, "order", w->order);
}

static void put_target(struct buf *out, const char *label,
                       const struct report_target *t, bool colour)
{
    const char *name = report_outcome_name(t->outcome);
    buf_printf(out, "  %-*s%-*s  %s%-12s%s", LABEL_WIDTH, label, TARGET_WIDTH,
               t->target, colour ? screen_outcome_colour(t->outcome) : "", name,
               colour ? "\033[0m" : "");
    if (t->reason) {
        buf_puts(out, "  ");
        put_clean(out, t->reason);
    }
    while (out->len > 0 && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    buf_putc(out, '\n');
    struct buf lines[SCREEN_DISTANCES] = {{0}};
    size_t n = screen_list_distances(t, lines);
    for (size_t i = 0; i < n; i++) {
        buf_printf(out, "  %-*s  %-*s%s\n", LABEL_WIDTH, "", TARGET_WIDTH, "",
                   buf_text(&lines[i]));
        buf_fini(&lines[i]);
    }
}

/* All in a table, then more of the first of the worst. */
static void put_targets(struct buf *out, const struct report_pair *pair,
                        bool colour)
{
    const struct report_target *worst = screen_worst_target(pair);
    for (size_t i = 0; i < pair->ntargets; i++)
        put_target(out, i == 0 ? "targets" : "", &pair->targets[i], colour);
    if (worst) {
        put_row(out, "on target", worst->target);
        put_lines(out, "", worst->detail);
    }
}

/* From where each statement is: "tuned.py:18  B[vx] = …  vx = 0". */
static void put_places(struct buf *out, const struct report_origin *o)
{
    for (size_t i = 0; o != NULL && i < o->nplaces; i++) {
        const struct report_place *p = &o->places[i];
        struct buf line = {0};
        buf_printf(&line, "%s%s%s", p->tuned ? "tuned" : "untuned",
                   p->access ? " " : "", p->access ? p->access : "");
        if (p->line > 0)
            buf_printf(&line, " %s:%u", p->file ? p->file : "(show)", p->line);
        buf_printf(&line, "  %s  %s%s%s", p->text ? p->text : "",
                   p->vars ? p->vars : "", p->thread ? "  in " : "",
                   p->thread ? p->thread : "");
        put_row(out, i == 0 ? "places" : "", buf_text(&line));
        buf_fini(&line);
    }
}

static void put_origin(struct buf *out, const struct report_origin *o)
{
    put_places(out, o);
    if (o != NULL && o->cause)
        put_row(out, "cause", o->cause);
    if (o != NULL && o->formula_tuned)
        put_row(out, "tuned", o->formula_tuned);
    if (o != NULL && o->formula_untuned)
        put_row(out, "untuned", o->formula_untuned);
}

void screen_put_details(struct screen *s, const struct report_pair *pair)
{
    const struct report_witness *w = pair->witness;
    struct buf *out = s->out;
    if (out->len < 2 || out->data[out->len - 2] != '\n')
        buf_putc(out, '\n');
    put_row(out, "reason", pair->reason ? pair->reason : "");
    if (w) {
        put_element(out, w);
        put_extent(out, w);
        if (w->where)
            put_row(out, "at", w->where);
        put_input(out, w);
    }
    put_origin(out, pair->origin);
    if (w)
        put_terms(out, w);
    put_rows(out, "drift", &pair->drift);
    put_targets(out, pair, s->style.colour);
    if (pair->suspect)
        put_row(out, "suspect", pair->suspect);
    if (pair->rounding)
        put_row(out, pair->rounding->wider ? "wider" : "not wider",
                pair->rounding->reason);
    put_rows(out, "warning", &pair->warnings);
    put_rows(out, "holds for", &pair->holds_for);
    put_rows(out, "assumes", &pair->assumptions);
    put_rows(out, "note", &pair->notes);
    put_lines(out, "proof", pair->explanation);
    if (pair->command)
        put_row(out, "reproduce", pair->command);
}
