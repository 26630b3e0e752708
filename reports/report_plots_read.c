/* SPDX-License-Identifier: Apache-2.0
 *
 * What plots are drawn from, read back. Nothing is trusted: grids have as many
 * cells as they say, trees are trees over terms that there are, and all is as
 * small as the constants of reports.h have it, so that a page can be drawn
 * without a look at what it is made of.
 */
#include "reports/report_members.h"

#include <math.h>
#include <string.h>

/* Of the output: a page multiplies it by a row or column of the map. */
#define MOST_EXTENT (INT64_MAX / REPORT_CELLS)

static int exponent_of(struct report_reading *r, const struct json_value *v,
                       const char *key)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_NUMBER);
    int64_t n = 0;
    if (m == NULL || !json_int(m, &n, NULL) || n < -2000 || n > 2000)
        report_json_refuse(r, key, "an exponent");
    return r->failed ? 0 : (int)n;
}

static double finite_of(struct report_reading *r, const struct json_value *m)
{
    double x = 0;
    if (m == NULL || json_type(m) != JSON_NUMBER || !json_double(m, &x) ||
        !isfinite(x))
        report_json_refuse(r, "steps", "made of numbers");
    return r->failed ? 0 : x;
}

static void numbers_of(struct report_reading *r, const struct json_value *v,
                       const char *key, size_t n, uint64_t *out)
{
    const struct json_value *m = report_json_member(r, v, key, JSON_ARRAY);
    size_t i = 0;
    bool fine = true;
    for (m = m != NULL ? json_first(m) : NULL; m != NULL && i < n && fine;
         m = json_next(m))
        fine = fine && report_json_is_whole(m, UINT64_MAX, &out[i++]);
    if (!fine || i != n || m != NULL)
        report_json_refuse(r, key,
                           "a list of as many whole numbers as it says");
}

/* ---- plots ---------------------------------------------------------------------- */

static void grid_of(struct report_reading *r, const struct json_value *v,
                    const char *key, struct report_grid *g)
{
    const struct json_value *m = report_json_need(r, v, key, JSON_OBJECT);
    if (m == NULL)
        return;
    g->rows = (size_t)report_json_need_whole(r, m, "rows", REPORT_CELLS);
    g->columns = (size_t)report_json_need_whole(r, m, "columns", REPORT_CELLS);
    g->cells = ARENA_ARRAY(r->arena, g->rows * g->columns + 1, uint64_t);
    numbers_of(r, m, "cells", g->rows * g->columns, g->cells);
}

static struct report_heat *heat_of(struct report_reading *r,
                                   const struct json_value *v)
{
    const struct json_value *m = report_json_member(r, v, "heat", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_heat *h = ARENA_NEW(r->arena, struct report_heat);
    h->down = (int64_t)report_json_need_whole(r, m, "down", MOST_EXTENT);
    h->across = (int64_t)report_json_need_whole(r, m, "across", MOST_EXTENT);
    h->folded = (int64_t)report_json_need_whole(r, m, "folded", MOST_EXTENT);
    grid_of(r, m, "seen", &h->seen);
    grid_of(r, m, "ulp", &h->ulp);
    if (h->seen.rows != h->ulp.rows || h->seen.columns != h->ulp.columns ||
        h->ulp.rows * h->ulp.columns == 0 || (uint64_t)h->down < h->ulp.rows ||
        (uint64_t)h->across < h->ulp.columns)
        report_json_refuse(r, "heat", "a map of its output");
    return h;
}

static struct report_histogram *ulps_of(struct report_reading *r,
                                        const struct json_value *v)
{
    const struct json_value *m = report_json_member(r, v, "ulps", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_histogram *h = ARENA_NEW(r->arena, struct report_histogram);
    h->equal = report_json_need_whole(r, m, "equal", UINT64_MAX);
    h->odd = report_json_need_whole(r, m, "odd", UINT64_MAX);
    numbers_of(r, m, "below", REPORT_CLASSES, h->below);
    numbers_of(r, m, "above", REPORT_CLASSES, h->above);
    return h;
}

static struct report_bound *bound_of(struct report_reading *r,
                                     const struct json_value *v)
{
    const struct json_value *m = report_json_member(r, v, "bound", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_bound *b = ARENA_NEW(r->arena, struct report_bound);
    b->left = exponent_of(r, m, "left");
    b->bottom = exponent_of(r, m, "bottom");
    b->step = (unsigned)report_json_need_whole(r, m, "step", 1000);
    grid_of(r, m, "count", &b->count);
    b->elements = report_json_need_whole(r, m, "elements", UINT64_MAX);
    b->equal = report_json_need_whole(r, m, "equal", UINT64_MAX);
    b->beyond = report_json_need_whole(r, m, "beyond", UINT64_MAX);
    b->unbounded = report_json_need_whole(r, m, "unbounded", UINT64_MAX);
    if (b->step == 0 || b->count.rows * b->count.columns == 0)
        report_json_refuse(r, "bound", "a grid");
    return b;
}

/* The tree's numbers: what is combined is there, and one is left. */
static void tree_of(struct report_reading *r, const struct json_value *v,
                    size_t nterms, struct report_reduction *out)
{
    const struct json_value *m = report_json_member(r, v, "tree", JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0, depth = 0;
    if (n > 2 * REPORT_LEAVES) {
        report_json_refuse(r, "tree", "as small as a tree is kept");
        return;
    }
    out->tree = ARENA_ARRAY(r->arena, n + 1, int64_t);
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        int64_t x = 0;
        bool fine = json_type(m) == JSON_NUMBER && json_int(m, &x, NULL) &&
                    (x < 0 ? x == -1 && depth > 1 : (uint64_t)x < nterms);
        if (!fine) {
            report_json_refuse(r, "tree", "a tree over the terms");
            return;
        }
        depth += x < 0 ? (size_t)-1 : 1;
        out->tree[out->n++] = x;
    }
    if (n > 0 && depth != 1)
        report_json_refuse(r, "tree", "one tree");
}

static void steps_of(struct report_reading *r, const struct json_value *v,
                     struct report_reduction *out)
{
    const struct json_value *m = report_json_member(r, v, "steps", JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0;
    if (n > REPORT_STEPS) {
        report_json_refuse(r, "steps", "as short as steps are kept");
        return;
    }
    out->steps = ARENA_ARRAY(r->arena, n + 1, struct report_step);
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        struct report_step *s = &out->steps[out->nsteps++];
        const struct json_value *at = json_first(m);
        const struct json_value *value = at != NULL ? json_next(at) : NULL;
        if (!report_json_is_whole(at, UINT64_MAX, &s->at) || s->at == 0)
            report_json_refuse(r, "steps", "made of numbers");
        s->value = finite_of(r, value);
        s->error = finite_of(r, value != NULL ? json_next(value) : NULL);
        if (r->failed)
            return;
    }
}

static void reduction_of(struct report_reading *r, const struct json_value *v,
                         const char *key, size_t nterms,
                         struct report_reduction *out)
{
    const struct json_value *m = report_json_need(r, v, key, JSON_OBJECT);
    if (m == NULL)
        return;
    out->order = report_json_text(r, m, "order");
    out->terms = (size_t)report_json_need_whole(r, m, "terms", SIZE_MAX);
    tree_of(r, m, nterms, out);
    steps_of(r, m, out);
}

static void barriers_of(struct report_reading *r, const struct json_value *v,
                        struct report_plots *out)
{
    const struct json_value *m =
        report_json_member(r, v, "barriers", JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0;
    if (n > REPORT_LINES) {
        report_json_refuse(r, "barriers", "as short as a program");
        return;
    }
    out->barriers = ARENA_ARRAY(r->arena, n + 1, struct report_barrier);
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        struct report_barrier *b = &out->barriers[out->nbarriers++];
        b->line = (uint32_t)report_json_need_whole(r, m, "line", UINT32_MAX);
        b->text = report_json_need_text(r, m, "statement");
    }
}

static void plots_of(struct report_reading *r, const struct json_value *m,
                     struct report_plots *p)
{
    const struct json_value *absent =
        report_json_member(r, m, "absent", JSON_OBJECT);
    for (int i = 0; i < REPORT_NPLOTS && absent != NULL; i++)
        p->why[i] =
            report_json_text(r, absent, report_plot_name((enum report_plot)i));
    p->output = report_json_text(r, m, "output");
    p->dtype = report_json_text(r, m, "dtype");
    p->input = report_json_text(r, m, "input");
    p->element = report_json_text(r, m, "element");
    p->operation = report_json_text(r, m, "operation");
    p->heat = heat_of(r, m);
    p->ulps = ulps_of(r, m);
    p->bound = bound_of(r, m);
    if (p->operation != NULL) {
        report_json_list(r, m, "terms", (size_t)2 * REPORT_LEAVES, &p->terms);
        reduction_of(r, m, "untuned", p->terms.n, &p->untuned);
        reduction_of(r, m, "tuned", p->terms.n, &p->tuned);
    }
    barriers_of(r, m, p);
}

static void source_of(struct report_reading *r, const struct json_value *v,
                      const char *key, struct report_source *s)
{
    const struct json_value *m = report_json_need(r, v, key, JSON_OBJECT);
    if (m == NULL)
        return;
    s->name = report_json_text(r, m, "file");
    s->first = (uint32_t)report_json_need_whole(r, m, "first", UINT32_MAX);
    s->cut = report_json_flag(r, m, "cut");
    report_json_list(r, m, "lines", REPORT_LINES, &s->lines);
}

void report_json_plots(struct report_reading *r, const struct json_value *pair,
                       struct report_pair *out)
{
    const struct json_value *plots =
        report_json_member(r, pair, "plots", JSON_OBJECT);
    const struct json_value *sources =
        report_json_member(r, pair, "sources", JSON_OBJECT);
    if (plots != NULL) {
        out->plots = ARENA_NEW(r->arena, struct report_plots);
        plots_of(r, plots, out->plots);
    }
    if (sources != NULL) {
        out->sources = ARENA_ARRAY(r->arena, 2, struct report_source);
        source_of(r, sources, "untuned", &out->sources[0]);
        source_of(r, sources, "tuned", &out->sources[1]);
    }
}
