/* SPDX-License-Identifier: Apache-2.0
 *
 * What plots are drawn from, read back. Nothing is trusted: grids have as many
 * cells as they say, trees are trees over terms that there are, and all is as
 * small as the constants of reports.h have it, so that a page can be drawn
 * without a look at what it is made of.
 */
#include "reports/reports.h"

#include <math.h>
#include <string.h>

struct reading {
    struct arena *arena;
    bool failed;
};

/* The member of the type; NULL: there is none, or it is of another one. */
static const struct json_value *member(struct reading *r,
                                       const struct json_value *v,
                                       const char *key, enum json_type type)
{
    const struct json_value *m = json_find(v, key);
    if (m == NULL || json_type(m) == JSON_NULL)
        return NULL;
    if (json_type(m) == type)
        return m;
    r->failed = true;
    return NULL;
}

static const char *text_of(struct reading *r, const struct json_value *v,
                           const char *key)
{
    const struct json_value *m = member(r, v, key, JSON_STRING);
    return m == NULL ? NULL : arena_strdup(r->arena, json_string(m));
}

static uint64_t whole(struct reading *r, const struct json_value *m,
                      uint64_t most)
{
    int64_t n = 0;
    bool high = false;
    if (m == NULL || json_type(m) != JSON_NUMBER || !json_int(m, &n, &high) ||
        (n < 0 && !high) || (uint64_t)n > most) {
        r->failed = true;
        return 0;
    }
    return (uint64_t)n;
}

static uint64_t whole_of(struct reading *r, const struct json_value *v,
                         const char *key, uint64_t most)
{
    return whole(r, json_find(v, key), most);
}

static int exponent_of(struct reading *r, const struct json_value *v,
                       const char *key)
{
    const struct json_value *m = member(r, v, key, JSON_NUMBER);
    int64_t n = 0;
    if (m == NULL || !json_int(m, &n, NULL) || n < -2000 || n > 2000)
        r->failed = true;
    return r->failed ? 0 : (int)n;
}

static double finite_of(struct reading *r, const struct json_value *m)
{
    double x = 0;
    if (m == NULL || json_type(m) != JSON_NUMBER || !json_double(m, &x) ||
        !isfinite(x))
        r->failed = true;
    return r->failed ? 0 : x;
}

static void list_of(struct reading *r, const struct json_value *v,
                    const char *key, size_t most, struct report_list *out)
{
    const struct json_value *m = member(r, v, key, JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0;
    if (n > most) {
        r->failed = true;
        return;
    }
    out->items = ARENA_ARRAY(r->arena, n + 1, const char *);
    out->cap = n;
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        if (json_type(m) != JSON_STRING) {
            r->failed = true;
            return;
        }
        out->items[out->n++] = arena_strdup(r->arena, json_string(m));
    }
}

static void numbers_of(struct reading *r, const struct json_value *v,
                       const char *key, size_t n, uint64_t *out)
{
    const struct json_value *m = member(r, v, key, JSON_ARRAY);
    size_t i = 0;
    for (m = m != NULL ? json_first(m) : NULL; m != NULL && i < n;
         m = json_next(m))
        out[i++] = whole(r, m, UINT64_MAX);
    if (i != n || m != NULL)
        r->failed = true;
}

/* ---- plots ---------------------------------------------------------------------- */

static void grid_of(struct reading *r, const struct json_value *v,
                    const char *key, struct report_grid *g)
{
    const struct json_value *m = member(r, v, key, JSON_OBJECT);
    if (m == NULL) {
        r->failed = true;
        return;
    }
    g->rows = (size_t)whole_of(r, m, "rows", REPORT_CELLS);
    g->columns = (size_t)whole_of(r, m, "columns", REPORT_CELLS);
    g->cells = ARENA_ARRAY(r->arena, g->rows * g->columns + 1, uint64_t);
    numbers_of(r, m, "cells", g->rows * g->columns, g->cells);
}

static struct report_heat *heat_of(struct reading *r,
                                   const struct json_value *v)
{
    const struct json_value *m = member(r, v, "heat", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_heat *h = ARENA_NEW(r->arena, struct report_heat);
    h->down = (int64_t)whole_of(r, m, "down", INT64_MAX);
    h->across = (int64_t)whole_of(r, m, "across", INT64_MAX);
    h->folded = (int64_t)whole_of(r, m, "folded", INT64_MAX);
    grid_of(r, m, "seen", &h->seen);
    grid_of(r, m, "ulp", &h->ulp);
    if (h->seen.rows != h->ulp.rows || h->seen.columns != h->ulp.columns ||
        h->ulp.rows * h->ulp.columns == 0 || (uint64_t)h->down < h->ulp.rows ||
        (uint64_t)h->across < h->ulp.columns)
        r->failed = true;
    return h;
}

static struct report_histogram *ulps_of(struct reading *r,
                                        const struct json_value *v)
{
    const struct json_value *m = member(r, v, "ulps", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_histogram *h = ARENA_NEW(r->arena, struct report_histogram);
    h->equal = whole_of(r, m, "equal", UINT64_MAX);
    h->odd = whole_of(r, m, "odd", UINT64_MAX);
    numbers_of(r, m, "below", REPORT_CLASSES, h->below);
    numbers_of(r, m, "above", REPORT_CLASSES, h->above);
    return h;
}

static struct report_bound *bound_of(struct reading *r,
                                     const struct json_value *v)
{
    const struct json_value *m = member(r, v, "bound", JSON_OBJECT);
    if (m == NULL)
        return NULL;
    struct report_bound *b = ARENA_NEW(r->arena, struct report_bound);
    b->left = exponent_of(r, m, "left");
    b->bottom = exponent_of(r, m, "bottom");
    b->step = (unsigned)whole_of(r, m, "step", 1000);
    grid_of(r, m, "count", &b->count);
    b->elements = whole_of(r, m, "elements", UINT64_MAX);
    b->equal = whole_of(r, m, "equal", UINT64_MAX);
    b->beyond = whole_of(r, m, "beyond", UINT64_MAX);
    b->unbounded = whole_of(r, m, "unbounded", UINT64_MAX);
    if (b->step == 0 || b->count.rows * b->count.columns == 0)
        r->failed = true;
    return b;
}

/* The tree's numbers: what is combined is there, and one is left. */
static void tree_of(struct reading *r, const struct json_value *v,
                    size_t nterms, struct report_reduction *out)
{
    const struct json_value *m = member(r, v, "tree", JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0, depth = 0;
    if (n > 2 * REPORT_LEAVES) {
        r->failed = true;
        return;
    }
    out->tree = ARENA_ARRAY(r->arena, n + 1, int64_t);
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        int64_t x = 0;
        bool fine = json_type(m) == JSON_NUMBER && json_int(m, &x, NULL) &&
                    (x < 0 ? x == -1 && depth > 1 : (uint64_t)x < nterms);
        if (!fine) {
            r->failed = true;
            return;
        }
        depth += x < 0 ? (size_t)-1 : 1;
        out->tree[out->n++] = x;
    }
    if (n > 0 && depth != 1)
        r->failed = true;
}

static void steps_of(struct reading *r, const struct json_value *v,
                     struct report_reduction *out)
{
    const struct json_value *m = member(r, v, "steps", JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0;
    if (n > REPORT_STEPS) {
        r->failed = true;
        return;
    }
    out->steps = ARENA_ARRAY(r->arena, n + 1, struct report_step);
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        struct report_step *s = &out->steps[out->nsteps++];
        const struct json_value *at = json_first(m);
        const struct json_value *value = at != NULL ? json_next(at) : NULL;
        s->at = whole(r, at, UINT64_MAX);
        s->value = finite_of(r, value);
        s->error = finite_of(r, value != NULL ? json_next(value) : NULL);
        if (r->failed)
            return;
    }
}

static void reduction_of(struct reading *r, const struct json_value *v,
                         const char *key, size_t nterms,
                         struct report_reduction *out)
{
    const struct json_value *m = member(r, v, key, JSON_OBJECT);
    if (m == NULL) {
        r->failed = true;
        return;
    }
    out->order = text_of(r, m, "order");
    out->terms = (size_t)whole_of(r, m, "terms", SIZE_MAX);
    tree_of(r, m, nterms, out);
    steps_of(r, m, out);
}

static void barriers_of(struct reading *r, const struct json_value *v,
                        struct report_plots *out)
{
    const struct json_value *m = member(r, v, "barriers", JSON_ARRAY);
    size_t n = m != NULL ? json_size(m) : 0;
    if (n > REPORT_LINES) {
        r->failed = true;
        return;
    }
    out->barriers = ARENA_ARRAY(r->arena, n + 1, struct report_barrier);
    for (m = m != NULL ? json_first(m) : NULL; m != NULL; m = json_next(m)) {
        struct report_barrier *b = &out->barriers[out->nbarriers++];
        b->line = (uint32_t)whole_of(r, m, "line", UINT32_MAX);
        b->text = text_of(r, m, "statement");
        if (b->text == NULL)
            r->failed = true;
    }
}

static void plots_of(struct reading *r, const struct json_value *m,
                     struct report_plots *p)
{
    const struct json_value *absent = member(r, m, "absent", JSON_OBJECT);
    for (int i = 0; i < REPORT_NPLOTS && absent != NULL; i++)
        p->why[i] = text_of(r, absent, report_plot_name((enum report_plot)i));
    p->output = text_of(r, m, "output");
    p->dtype = text_of(r, m, "dtype");
    p->input = text_of(r, m, "input");
    p->element = text_of(r, m, "element");
    p->operation = text_of(r, m, "operation");
    p->heat = heat_of(r, m);
    p->ulps = ulps_of(r, m);
    p->bound = bound_of(r, m);
    if (p->operation != NULL) {
        list_of(r, m, "terms", (size_t)2 * REPORT_LEAVES, &p->terms);
        reduction_of(r, m, "untuned", p->terms.n, &p->untuned);
        reduction_of(r, m, "tuned", p->terms.n, &p->tuned);
    }
    barriers_of(r, m, p);
}

static void source_of(struct reading *r, const struct json_value *v,
                      const char *key, struct report_source *s)
{
    const struct json_value *m = member(r, v, key, JSON_OBJECT);
    const struct json_value *cut =
        m != NULL ? member(r, m, "cut", JSON_BOOL) : NULL;
    if (m == NULL) {
        r->failed = true;
        return;
    }
    s->name = text_of(r, m, "file");
    s->first = (uint32_t)whole_of(r, m, "first", UINT32_MAX);
    s->cut = cut != NULL && json_bool(cut);
    list_of(r, m, "lines", REPORT_LINES, &s->lines);
}

bool report_plots_read(const struct json_value *pair, struct arena *arena,
                       struct report_pair *out)
{
    struct reading r = {arena, false};
    const struct json_value *plots = member(&r, pair, "plots", JSON_OBJECT);
    const struct json_value *sources = member(&r, pair, "sources", JSON_OBJECT);
    if (plots != NULL) {
        out->plots = ARENA_NEW(arena, struct report_plots);
        plots_of(&r, plots, out->plots);
    }
    if (sources != NULL) {
        out->sources = ARENA_ARRAY(arena, 2, struct report_source);
        source_of(&r, sources, "untuned", &out->sources[0]);
        source_of(&r, sources, "tuned", &out->sources[1]);
    }
    return !r.failed;
}
