/* SPDX-License-Identifier: Apache-2.0
 *
 * What plots are drawn from, as JSON (docs/verdicts.md): the members "plots" and
 * "sources" of a pair. Sizes are bounded by the constants of reports.h, numbers
 * are finite. report_plots_read.c reads it back.
 */
#include "reports/report_members.h"

static const char *const plot_names[REPORT_NPLOTS] = {
    [REPORT_PLOT_HEAT] = "heat",   [REPORT_PLOT_ULPS] = "ulps",
    [REPORT_PLOT_BOUND] = "bound", [REPORT_PLOT_GROWTH] = "growth",
    [REPORT_PLOT_TREES] = "trees",
};

const char *report_plot_name(enum report_plot plot)
{
    return plot < REPORT_NPLOTS ? plot_names[plot] : "?";
}

static void put_numbers(struct json_writer *w, const char *key, size_t n,
                        const uint64_t *numbers)
{
    json_put_key(w, key);
    json_begin_array(w);
    for (size_t i = 0; i < n; i++)
        json_put_uint(w, numbers[i]);
    json_end_array(w);
}

/* ---- plots ---------------------------------------------------------------------- */

static void put_grid(struct json_writer *w, const char *key,
                     const struct report_grid *g)
{
    json_put_key(w, key);
    json_begin_object(w);
    report_json_put_number(w, "rows", g->rows);
    report_json_put_number(w, "columns", g->columns);
    put_numbers(w, "cells", g->rows * g->columns, g->cells);
    json_end_object(w);
}

static void put_heat(struct json_writer *w, const struct report_heat *h)
{
    json_put_key(w, "heat");
    json_begin_object(w);
    report_json_put_number(w, "down", (uint64_t)h->down);
    report_json_put_number(w, "across", (uint64_t)h->across);
    report_json_put_number(w, "folded", (uint64_t)h->folded);
    put_grid(w, "seen", &h->seen);
    put_grid(w, "ulp", &h->ulp);
    json_end_object(w);
}

static void put_ulps(struct json_writer *w, const struct report_histogram *h)
{
    json_put_key(w, "ulps");
    json_begin_object(w);
    report_json_put_number(w, "equal", h->equal);
    report_json_put_number(w, "odd", h->odd);
    put_numbers(w, "below", REPORT_CLASSES, h->below);
    put_numbers(w, "above", REPORT_CLASSES, h->above);
    json_end_object(w);
}

static void put_bound(struct json_writer *w, const struct report_bound *b)
{
    json_put_key(w, "bound");
    json_begin_object(w);
    json_put_key(w, "left");
    json_put_int(w, b->left);
    json_put_key(w, "bottom");
    json_put_int(w, b->bottom);
    report_json_put_number(w, "step", b->step);
    put_grid(w, "count", &b->count);
    report_json_put_number(w, "elements", b->elements);
    report_json_put_number(w, "equal", b->equal);
    report_json_put_number(w, "beyond", b->beyond);
    report_json_put_number(w, "unbounded", b->unbounded);
    json_end_object(w);
}

static void put_reduction(struct json_writer *w, const char *key,
                          const struct report_reduction *r)
{
    json_put_key(w, key);
    json_begin_object(w);
    report_json_put_text(w, "order", r->order);
    report_json_put_number(w, "terms", r->terms);
    json_put_key(w, "tree");
    json_begin_array(w);
    for (size_t i = 0; i < r->n; i++)
        json_put_int(w, r->tree[i]);
    json_end_array(w);
    json_put_key(w, "steps");
    json_begin_array(w);
    for (size_t i = 0; i < r->nsteps; i++) {
        json_begin_array(w);
        json_put_uint(w, r->steps[i].at);
        json_put_double(w, r->steps[i].value, false);
        json_put_double(w, r->steps[i].error, false);
        json_end_array(w);
    }
    json_end_array(w);
    json_end_object(w);
}

static void put_barriers(struct json_writer *w, const struct report_plots *p)
{
    json_put_key(w, "barriers");
    json_begin_array(w);
    for (size_t i = 0; i < p->nbarriers; i++) {
        json_begin_object(w);
        report_json_put_number(w, "line", p->barriers[i].line);
        report_json_put_text(w, "statement", p->barriers[i].text);
        json_end_object(w);
    }
    json_end_array(w);
}

static void put_plots(struct json_writer *w, const struct report_plots *p)
{
    json_put_key(w, "plots");
    json_begin_object(w);
    json_put_key(w, "absent");
    json_begin_object(w);
    for (int i = 0; i < REPORT_NPLOTS; i++)
        report_json_put_text(w, plot_names[i], p->why[i]);
    json_end_object(w);
    report_json_put_text(w, "output", p->output);
    report_json_put_text(w, "dtype", p->dtype);
    report_json_put_text(w, "input", p->input);
    report_json_put_text(w, "element", p->element);
    report_json_put_text(w, "operation", p->operation);
    if (p->heat != NULL)
        put_heat(w, p->heat);
    if (p->ulps != NULL)
        put_ulps(w, p->ulps);
    if (p->bound != NULL)
        put_bound(w, p->bound);
    if (p->operation != NULL) {
        report_json_put_list(w, "terms", &p->terms);
        put_reduction(w, "untuned", &p->untuned);
        put_reduction(w, "tuned", &p->tuned);
    }
    if (p->nbarriers > 0)
        put_barriers(w, p);
    json_end_object(w);
}

/* ---- sources -------------------------------------------------------------------- */

static void put_source(struct json_writer *w, const char *key,
                       const struct report_source *s)
{
    json_put_key(w, key);
    json_begin_object(w);
    report_json_put_text(w, "file", s->name);
    report_json_put_number(w, "first", s->first);
    report_json_put_list(w, "lines", &s->lines);
    json_put_key(w, "cut");
    json_put_bool(w, s->cut);
    json_end_object(w);
}

void report_put_plots(struct json_writer *w, const struct report_pair *pair)
{
    if (pair->plots != NULL)
        put_plots(w, pair->plots);
    if (pair->sources == NULL)
        return;
    json_put_key(w, "sources");
    json_begin_object(w);
    put_source(w, "untuned", &pair->sources[0]);
    put_source(w, "tuned", &pair->sources[1]);
    json_end_object(w);
}
