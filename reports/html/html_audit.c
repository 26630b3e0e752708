/* SPDX-License-Identifier: Apache-2.0
 *
 * The page of an audit of tuning records: a roofline plot, then a table, the worst
 * first. In the plot a record stands at the operations that it does for each byte
 * that it has to move, and at its speed, both in powers of 2; above the line of its
 * device nothing can be. Findings are crosses, all others dots.
 */
#include "reports/html/html.h"

#include <math.h>
#include <string.h>

#define WIDTH      690
#define HEIGHT     380
#define LEFT       70.0
#define TOP        30.0
#define RIGHT      470.0
#define BOTTOM     330.0
#define MOST_ROWS  10000u
#define MOST_DOTS  4000u
#define MOST_ROOFS 6u
#define LABEL      13.0 /* height of one */

/* Powers of 2 at the ends of the axes. */
struct frame {
    int left, right, bottom, top;
};

static bool has_place(const struct report_claim *c)
{
    return c->flops > 0 && c->bytes > 0 && c->gflops > 0;
}

static double across(const struct frame *f, double x)
{
    return LEFT + (RIGHT - LEFT) * (log2(x) - f->left) / (f->right - f->left);
}

static double up(const struct frame *f, double y)
{
    return BOTTOM -
           (BOTTOM - TOP) * (log2(y) - f->bottom) / (f->top - f->bottom);
}

static void stretch(int *low, int *high, double v)
{
    int from = (int)floor(log2(v)), to = (int)ceil(log2(v));
    *low = from < *low ? from : *low;
    *high = to > *high ? to : *high;
}

/* False: no record has a place. */
static bool frame_of(size_t n, const struct report_claim *claims,
                     struct frame *f)
{
    bool some = false;
    *f = (struct frame){100, -100, 100, -100};
    for (size_t i = 0; i < n; i++) {
        const struct report_claim *c = &claims[i];
        if (!has_place(c))
            continue;
        some = true;
        stretch(&f->left, &f->right, c->flops / c->bytes);
        stretch(&f->bottom, &f->top, c->gflops);
        if (c->peak > 0)
            stretch(&f->bottom, &f->top, c->peak);
    }
    f->right += f->right <= f->left;
    f->top += f->top <= f->bottom;
    return some;
}

/* ---- the plot ---------------------------------------------------------------------- */

/* min(peak, bandwidth * x), as far as it is in the frame. */
static void put_roof(struct buf *out, const struct frame *f,
                     const struct report_claim *c, double label)
{
    double peak = c->peak, lowest = exp2(f->bottom), from = exp2(f->left),
           to = exp2(f->right);
    double ridge = c->bandwidth > 0 ? peak / c->bandwidth : from;
    double start = c->bandwidth > 0 && lowest / c->bandwidth > from
                       ? lowest / c->bandwidth
                       : from;
    if (ridge > start && start < to) {
        double end = ridge < to ? ridge : to;
        html_put_line(out, "limit", across(f, start),
                      up(f, c->bandwidth * start), across(f, end),
                      up(f, c->bandwidth * end));
    }
    if (ridge < to)
        html_put_line(out, "limit", across(f, ridge > from ? ridge : from),
                      up(f, peak), across(f, to), up(f, peak));
    html_put_label(out, RIGHT + 6, label, "start", c->device);
}

/* The devices that there are, each once; how many are left out. */
static size_t put_roofs(struct buf *out, const struct frame *f, size_t n,
                        const struct report_claim *claims)
{
    const struct report_claim *seen[MOST_ROOFS];
    double labels[MOST_ROOFS];
    size_t count = 0, left = 0;
    for (size_t i = 0; i < n; i++) {
        bool known = !has_place(&claims[i]) || claims[i].device == NULL ||
                     claims[i].peak <= 0;
        for (size_t k = 0; k < count && !known; k++)
            known = strcmp(seen[k]->device, claims[i].device) == 0 &&
                    seen[k]->peak == claims[i].peak;
        if (known)
            continue;
        if (count == MOST_ROOFS) {
            left++;
            continue;
        }
        double label = up(f, claims[i].peak) + 4;
        for (size_t k = 0; k < count; k++) /* below those that it would hit */
            if (fabs(labels[k] - label) < LABEL) {
                label = labels[k] + LABEL;
                k = SIZE_MAX; /* from the first again */
            }
        labels[count] = label;
        put_roof(out, f, &claims[i], label);
        seen[count++] = &claims[i];
    }
    return left;
}

static void put_at(struct buf *path, const struct frame *f,
                   const struct report_claim *c)
{
    double x = across(f, c->flops / c->bytes), y = up(f, c->gflops);
    double r = c->finding ? 5 : 2;
    buf_putc(path, 'M');
    html_put_at(path, x - r);
    buf_putc(path, ' ');
    html_put_at(path, c->finding ? y - r : y);
    if (c->finding) {
        buf_printf(path, "l10 10m-10 0l10 -10");
    } else {
        buf_printf(path, "v-2h4v4h-4z");
    }
}

static void put_points(struct buf *out, const struct frame *f, size_t n,
                       const struct report_claim *claims)
{
    struct buf dots = {0}, crosses = {0};
    size_t drawn = 0;
    for (size_t i = 0; i < n; i++)
        if (has_place(&claims[i]) && (claims[i].finding || drawn++ < MOST_DOTS))
            put_at(claims[i].finding ? &crosses : &dots, f, &claims[i]);
    if (dots.len > 0)
        buf_printf(out, "<path class=\"dots\" d=\"%s\"/>\n", buf_text(&dots));
    if (crosses.len > 0)
        buf_printf(out, "<path class=\"cross\" d=\"%s\"/>\n",
                   buf_text(&crosses));
    buf_fini(&dots);
    buf_fini(&crosses);
}

static void put_axes(struct buf *out, const struct frame *f)
{
    struct buf ends[4] = {{0}};
    html_put_power(&ends[0], f->left);
    html_put_power(&ends[1], f->right);
    html_put_power(&ends[2], f->bottom);
    html_put_power(&ends[3], f->top);
    html_put_label(out, LEFT, BOTTOM + 16, "start", buf_text(&ends[0]));
    html_put_label(out, RIGHT, BOTTOM + 16, "end", buf_text(&ends[1]));
    html_put_label(out, LEFT - 6, BOTTOM, "end", buf_text(&ends[2]));
    html_put_label(out, LEFT - 6, TOP + 10, "end", buf_text(&ends[3]));
    html_put_label(out, LEFT, BOTTOM + 34, "start",
                   "operations a byte \xe2\x86\x92");
    html_put_label(out, LEFT, TOP - 10, "start", "\xe2\x86\x91 GFLOPS");
    for (size_t i = 0; i < 4; i++)
        buf_fini(&ends[i]);
}

static void put_roofline(struct buf *out, size_t n,
                         const struct report_claim *claims)
{
    static const char title[] = "Roofline of all records";
    struct frame f;
    struct buf words = {0}, roofs = {0};
    size_t placed = 0, crosses = 0;
    if (!frame_of(n, claims, &f)) {
        html_put_absent(out, title, "no record has both operations and bytes");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        placed += has_place(&claims[i]);
        crosses += has_place(&claims[i]) && claims[i].finding;
    }
    size_t left = put_roofs(&roofs, &f, n, claims);
    buf_printf(&words,
               "%zu of %zu records have a place; %zu of them are findings "
               "(crosses). Dashed: what a device can do at most%s. Both axes "
               "are in powers of 2.",
               placed, n, crosses, left > 0 ? ", of the first six" : "");
    struct html_figure figure = {0, "roofline", title, WIDTH, HEIGHT};
    html_begin_figure(out, &figure, buf_text(&words));
    html_put_rect(out, "paper", LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP);
    buf_append(out, buf_text(&roofs), roofs.len);
    put_points(out, &f, n, claims);
    put_axes(out, &f);
    html_end_figure(out, &figure, buf_text(&words));
    buf_fini(&words);
    buf_fini(&roofs);
}

/* ---- the table ----------------------------------------------------------------------- */

static void put_number(struct buf *out, double x)
{
    buf_puts(out, "<td class=\"number\">");
    if (x > 0)
        html_put_short(out, x);
    else
        buf_puts(out, "\xe2\x80\x93");
    buf_puts(out, "</td>");
}

static void put_row(struct buf *out, const struct report_claim *c)
{
    buf_printf(out, "<tr data-v=\"%s\"><td class=\"kernel\">", c->state);
    html_put(out, c->record);
    buf_puts(out, "</td><td>");
    html_put(out, c->task);
    buf_puts(out, "</td>");
    put_number(out, c->flops);
    put_number(out, c->seconds * 1e6);
    put_number(out, c->gflops);
    put_number(out, c->peak);
    buf_printf(out, "<td class=\"%s\">", c->finding ? "bad" : "good");
    html_put_sign(out, c->finding ? "bad" : "good");
    html_put_element(out, "span", "word", c->state);
    buf_puts(out, "</td><td class=\"what\">");
    html_put(out, c->why);
    if (c->check != NULL) {
        buf_puts(out, "<br>");
        html_put_element(out, "b", NULL, c->check);
    }
    buf_puts(out, "</td></tr>\n");
}

void report_put_claims(struct buf *out, const char *counts, size_t n,
                       const struct report_claim *claims)
{
    size_t rows = n < MOST_ROWS ? n : MOST_ROWS;
    html_begin_page(out, "diffcheck: tuning records");
    buf_puts(out, "<a class=\"skip\" href=\"#records\">To the records</a>\n"
                  "<header><h1>diffcheck db</h1>\n");
    html_put_element(out, "p", NULL, counts);
    buf_puts(out, "\n</header>\n<main>\n");
    put_roofline(out, n, claims);
    buf_puts(out,
             "<section id=\"records\" aria-labelledby=\"records-h\"><h2 "
             "id=\"records-h\">Records</h2>\n<div class=\"scroll\"><table "
             "class=\"pairs\"><thead><tr><th scope=\"col\">record</th><th "
             "scope=\"col\">task</th><th scope=\"col\">flops</th><th "
             "scope=\"col\">\xc2\xb5s</th><th scope=\"col\">GFLOPS</th><th "
             "scope=\"col\">peak</th><th scope=\"col\">plausible</th><th "
             "scope=\"col\">why</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++)
        put_row(out, &claims[i]);
    buf_puts(out, "</tbody></table></div>\n");
    if (n > rows)
        buf_printf(out, "<p class=\"absent\">%zu more have no row.</p>\n",
                   n - rows);
    buf_printf(out,
               "</section>\n</main>\n<footer><p>page written by diffcheck "
               "%s</p></footer>\n",
               DC_VERSION);
    html_end_page(out);
}
