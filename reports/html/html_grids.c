/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawings of how far the outputs are apart: where (a heat map), how far (a
 * histogram of signed distances), and against the error bounds.
 *
 * A cell's square is larger the larger its number, and darker, so that colour is
 * not the only sign of it; what is NaN on one side alone is a cross, what was not
 * computed a dot.
 */
#include "reports/html/html.h"

#include <math.h>
#include <string.h>

#define CLASSES 7

/* Of distances: 1, 2, 3-4, 5-16, 17-256, 257-65536, more. */
static size_t class_of(uint64_t ulp)
{
    static const uint64_t upper[CLASSES - 1] = {1, 2, 4, 16, 256, 65536};
    size_t k = 0;
    while (k < CLASSES - 1 && ulp > upper[k])
        k++;
    return k;
}

static const char *const class_words[CLASSES] = {"1",
                                                 "2",
                                                 "3\xe2\x80\x93"
                                                 "4",
                                                 "5\xe2\x80\x93"
                                                 "16",
                                                 "17\xe2\x80\x93"
                                                 "256",
                                                 "257\xe2\x80\x93"
                                                 "65 536",
                                                 "more"};

/* The square of a class in a cell of that size: 0.45 to 1 of it. */
static double side_of(size_t class)
{
    return 0.45 + 0.55 * (double)class / (CLASSES - 1);
}

struct cells {
    double left, top, width, height; /* of one cell */
};

static void put_square(struct buf *out, const struct cells *at, double column,
                       double row, double share)
{
    double w = at->width * share, h = at->height * share;
    buf_putc(out, 'M');
    html_put_at(out, at->left + column * at->width + (at->width - w) / 2);
    buf_putc(out, ' ');
    html_put_at(out, at->top + row * at->height + (at->height - h) / 2);
    buf_putc(out, 'h');
    html_put_at(out, w);
    buf_putc(out, 'v');
    html_put_at(out, h);
    buf_puts(out, "h-");
    html_put_at(out, w);
    buf_putc(out, 'z');
}

/* A path of the given cells; nothing where there are none. */
static void put_path(struct buf *out, const char *name, size_t class,
                     struct buf *path)
{
    if (path->len > 0) {
        buf_printf(out, "<path class=\"%s%zu\" d=\"", name, class);
        buf_append(out, buf_text(path), path->len);
        buf_puts(out, "\"/>\n");
    }
    buf_fini(path);
}

static void put_legend_entry(struct buf *out, double x, double y, size_t class,
                             const char *text)
{
    struct buf path = {0};
    struct cells at = {x, y, 12, 12};
    put_square(&path, &at, 0, 0, side_of(class));
    put_path(out, "c", class, &path);
    html_put_label(out, x + 17, y + 10, "start", text);
}

/* ---- where ------------------------------------------------------------------------ */

#define HEAT_SIZE 384.0

struct heat {
    const struct report_heat *h;
    size_t seen, differing, odd; /* cells */
    uint64_t worst;
    size_t row, column; /* of the worst */
};

static void look(struct heat *x)
{
    const struct report_grid *g = &x->h->ulp;
    for (size_t i = 0; i < g->rows * g->columns; i++) {
        if (x->h->seen.cells[i] == 0)
            continue;
        x->seen++;
        x->differing += g->cells[i] > 0;
        x->odd += g->cells[i] == UINT64_MAX;
        if (g->cells[i] > x->worst) {
            x->worst = g->cells[i];
            x->row = i / g->columns;
            x->column = i % g->columns;
        }
    }
}

/* "elements 0 to 3" that a cell stands for along an axis. */
static void put_range(struct buf *out, int64_t extent, size_t cells, size_t at)
{
    uint64_t n = (uint64_t)extent;
    uint64_t from = (at * n + cells - 1) / cells;
    uint64_t to = ((at + 1) * n + cells - 1) / cells - 1;
    buf_printf(out, "%llu", (unsigned long long)from);
    if (to > from)
        buf_printf(out, " to %llu", (unsigned long long)to);
}

static void put_heat_words(struct buf *out, const struct heat *x)
{
    const struct report_heat *h = x->h;
    html_put_count(out, x->differing);
    buf_puts(out, " of ");
    html_put_count(out, x->seen);
    buf_puts(out, x->seen == 1 ? " cell has" : " cells have");
    buf_puts(out, " an element that differs");
    if (x->differing > 0) {
        buf_puts(out, "; the most, ");
        if (x->worst == UINT64_MAX) {
            buf_puts(out, "NaN or undefined on one side,");
        } else {
            html_put_count(out, x->worst);
            buf_puts(out, " ulp,");
        }
        buf_puts(out, " in row ");
        put_range(out, h->down, h->ulp.rows, x->row);
        buf_puts(out, ", column ");
        put_range(out, h->across, h->ulp.columns, x->column);
    }
    buf_puts(out, ". Rows and columns are the last two axes (");
    html_put_count(out, (uint64_t)h->down);
    buf_puts(out, " by ");
    html_put_count(out, (uint64_t)h->across);
    buf_puts(out, " elements)");
    if (h->folded > 1) {
        buf_puts(out, "; of the ");
        html_put_count(out, (uint64_t)h->folded);
        buf_puts(out, " places of the other axes a cell shows the worst");
    }
    buf_puts(out, ". Distances in ulp (units in the last place), classes grow "
                  "as powers of 2.");
}

static void put_cells(struct buf *out, const struct report_heat *h,
                      const struct cells *at)
{
    struct buf paths[CLASSES] = {{0}}, odd = {0}, unseen = {0};
    const struct report_grid *g = &h->ulp;
    for (size_t i = 0; i < g->rows * g->columns; i++) {
        size_t across = i % g->columns, down = i / g->columns;
        double column = (double)across, row = (double)down;
        if (h->seen.cells[i] == 0)
            put_square(&unseen, at, column, row, 0.2);
        else if (g->cells[i] == UINT64_MAX)
            put_square(&odd, at, column, row, 1);
        else if (g->cells[i] > 0)
            put_square(&paths[class_of(g->cells[i])], at, column, row,
                       side_of(class_of(g->cells[i])));
    }
    for (size_t k = 0; k < CLASSES; k++)
        put_path(out, "c", k, &paths[k]);
    put_path(out, "odd", 0, &odd);
    put_path(out, "unseen", 0, &unseen);
}

static void put_heat_axes(struct buf *out, const struct report_heat *h,
                          const struct cells *at)
{
    struct buf text = {0};
    double bottom = at->top + at->height * (double)h->ulp.rows;
    double right = at->left + at->width * (double)h->ulp.columns;
    html_put_label(out, at->left, at->top - 8, "start", "0");
    html_put_label(out, at->left - 6, at->top + 10, "end", "0");
    html_put_count(&text, (uint64_t)h->across - 1);
    if (h->across > 1)
        html_put_label(out, right, at->top - 8, "end", buf_text(&text));
    text.len = 0;
    html_put_count(&text, (uint64_t)h->down - 1);
    if (h->down > 1)
        html_put_label(out, at->left - 6, bottom, "end", buf_text(&text));
    html_put_label(out, (at->left + right) / 2, at->top - 8, "middle",
                   "last axis \xe2\x86\x92");
    if (h->down > 1 && bottom - at->top > 60)
        html_put_label(out, at->left - 6, (at->top + bottom) / 2, "end",
                       "last but one \xe2\x86\x93");
    buf_fini(&text);
}

/* Square cells where both axes are alike; long thin outputs are stretched, so
 * that they can be seen. */
static struct cells cells_of(const struct report_heat *h)
{
    double rows = (double)h->ulp.rows, columns = (double)h->ulp.columns;
    double size = HEAT_SIZE / (rows > columns ? rows : columns);
    struct cells at = {92, 26, size < 40 ? size : 40, size < 40 ? size : 40};
    if (rows * at.height < 24)
        at.height = 24 / rows;
    if (columns * at.width < 24)
        at.width = 24 / columns;
    return at;
}

void html_put_heat(struct buf *out, size_t pair, const struct report_plots *p)
{
    struct buf words = {0}, title = {0};
    buf_printf(&title, "Where %s differs (ulp)",
               p->output != NULL ? p->output : "the output");
    if (p->heat == NULL) {
        buf_fini(&title);
        return;
    }
    struct heat x = {.h = p->heat};
    look(&x);
    put_heat_words(&words, &x);
    struct cells at = cells_of(p->heat);
    double bottom = at.top + at.height * (double)p->heat->ulp.rows;
    double right = at.left + at.width * (double)p->heat->ulp.columns;
    double tall = bottom > at.top + 150 ? bottom : at.top + 150;
    struct html_figure f = {pair, "heat", buf_text(&title), (int)right + 106,
                            (int)tall + 12};
    html_begin_figure(out, &f, buf_text(&words));
    html_put_rect(out, "paper", at.left, at.top, right - at.left,
                  bottom - at.top);
    put_cells(out, p->heat, &at);
    put_heat_axes(out, p->heat, &at);
    html_put_label(out, right + 16, at.top + 6, "start", "ulp");
    for (size_t k = 0; k < CLASSES; k++)
        put_legend_entry(out, right + 16, at.top + 14 + 17 * (double)k, k,
                         class_words[k]);
    if (x.odd > 0)
        html_put_label(out, right + 16, at.top + 146, "start", "outlined: NaN");
    html_end_figure(out, &f, buf_text(&words));
    buf_fini(&words);
    buf_fini(&title);
}

/* ---- how far ----------------------------------------------------------------------- */

#define BAR_HEIGHT 150.0

#define GAP        1000 /* in place of classes without elements */

struct bars {
    size_t n;
    int classes[2 * REPORT_CLASSES + 1]; /* -3 .. 4, 0 is equal; or GAP */
    uint64_t most;
};

static uint64_t count_of(const struct report_histogram *h, int k)
{
    return k == 0 ? h->equal : k < 0 ? h->below[-k - 1] : h->above[k - 1];
}

/* Those with elements and that of equal ones; of three or more in a row that
 * have none a gap. */
static struct bars bars_of(const struct report_histogram *h)
{
    struct bars b = {0};
    int empty = 0; /* classes before this one */
    for (int k = -(int)REPORT_CLASSES; k <= (int)REPORT_CLASSES; k++) {
        uint64_t n = count_of(h, k);
        if (n == 0 && k != 0) {
            empty++;
            continue;
        }
        if (b.n > 0 && empty > 2)
            b.classes[b.n++] = GAP;
        for (int i = k - empty; b.n > 0 && empty <= 2 && i < k; i++)
            b.classes[b.n++] = i;
        b.classes[b.n++] = k;
        b.most = n > b.most ? n : b.most;
        empty = 0;
    }
    return b;
}

/* The largest distance of the class: "-16", "+2K", ">". */
static void put_class(struct buf *out, int k)
{
    static const char units[] = " KMGT";
    int size = k < 0 ? -k : k;
    unsigned e = size > 0 ? (unsigned)size - 1 : 0;
    buf_puts(out, k < 0 ? "\xe2\x88\x92" : k > 0 ? "+" : "");
    if (size == 0)
        buf_putc(out, '0');
    else if (size == (int)REPORT_CLASSES)
        buf_puts(out, "more");
    else if (e < 10)
        buf_printf(out, "%u", 1u << e);
    else
        buf_printf(out, "%u%c", 1u << e % 10, units[e / 10]);
}

/* "38", "12k", "1.2M". */
static void put_compact(struct buf *out, uint64_t n)
{
    static const char units[] = " kMGTPE";
    double x = (double)n;
    size_t k = 0;
    for (; x >= 999.5 && k < sizeof units - 2; k++)
        x /= 1000;
    if (k == 0)
        buf_printf(out, "%llu", (unsigned long long)n);
    else
        buf_printf(out, x < 9.95 ? "%.1f%c" : "%.0f%c", x, units[k]);
}

static void put_ulps_words(struct buf *out, const struct report_histogram *h)
{
    uint64_t below = 0, above = 0;
    for (size_t k = 0; k < REPORT_CLASSES; k++) {
        below += h->below[k];
        above += h->above[k];
    }
    html_put_count(out, h->equal);
    buf_puts(out, " elements are equal, ");
    html_put_count(out, below);
    buf_puts(out, " smaller and ");
    html_put_count(out, above);
    buf_puts(out, " larger in the tuned module");
    if (h->odd > 0) {
        buf_puts(out, ", ");
        html_put_count(out, h->odd);
        buf_puts(out, " NaN or undefined on one side (not drawn)");
    }
    buf_puts(out, ". Across: tuned minus untuned in ulp, in classes named "
                  "by their largest (K: 1024); up: elements, on a log scale, "
                  "the number above each bar.");
}

static void put_bars(struct buf *out, const struct report_histogram *h,
                     const struct bars *b, double bar)
{
    struct buf text = {0};
    double top = log2((double)b->most + 1);
    for (size_t i = 0; i < b->n; i++) {
        int k = b->classes[i];
        if (k == GAP) {
            html_put_label(out, 20 + bar * ((double)i + 0.5), 40 + BAR_HEIGHT,
                           "middle", "\xe2\x80\xa6");
            continue;
        }
        uint64_t n = count_of(h, k);
        double x = 20 + bar * (double)i;
        double height =
            n == 0 || top <= 0
                ? 0
                : BAR_HEIGHT * (0.06 + 0.94 * log2((double)n + 1) / top);
        if (n > 0)
            html_put_rect(out, k == 0 ? "bar equal" : "bar", x + bar * 0.12,
                          24 + BAR_HEIGHT - height, bar * 0.76, height);
        text.len = 0;
        put_compact(&text, n);
        if (n > 0)
            html_put_label(out, x + bar / 2, 20 + BAR_HEIGHT - height, "middle",
                           buf_text(&text));
        text.len = 0;
        put_class(&text, k);
        html_put_label(out, x + bar / 2, 40 + BAR_HEIGHT, "middle",
                       buf_text(&text));
    }
    buf_fini(&text);
}

void html_put_ulps(struct buf *out, size_t pair, const struct report_plots *p)
{
    static const char title[] = "Signed distance (ulp)";
    struct buf words = {0};
    if (p->ulps == NULL)
        return;
    struct bars b = bars_of(p->ulps);
    if (b.most == 0)
        return;
    int n = (int)b.n;
    double bar = n * 48 > 1040 ? 1040.0 / n : 48;
    struct html_figure f = {pair, "ulps", title,
                            (int)(bar * n) + 40 > 260 ? (int)(bar * n) + 40
                                                      : 260,
                            (int)BAR_HEIGHT + 64};
    put_ulps_words(&words, p->ulps);
    html_begin_figure(out, &f, buf_text(&words));
    put_bars(out, p->ulps, &b, bar);
    html_put_line(out, "axis", 14, 24 + BAR_HEIGHT, 26 + bar * n,
                  24 + BAR_HEIGHT);
    html_put_label(out, 20 + bar * n / 2, 58 + BAR_HEIGHT, "middle",
                   "tuned \xe2\x88\x92 untuned, ulp");
    html_end_figure(out, &f, buf_text(&words));
    buf_fini(&words);
}

/* ---- against the bounds --------------------------------------------------------------- */

#define BOUND_SIZE 300.0

static void put_bound_words(struct buf *out, const struct report_bound *b)
{
    buf_puts(out, "Of ");
    html_put_count(out, b->elements);
    buf_puts(out, " elements");
    buf_puts(out, b->beyond == 0 ? " none differs" : " ");
    if (b->beyond == 0) {
        buf_puts(out, " by more than rounding can explain");
    } else {
        html_put_count(out, b->beyond);
        buf_puts(out, b->beyond == 1 ? " differs" : " differ");
        buf_puts(out, " by more than the bound, which rounding cannot explain");
    }
    buf_puts(out, ". Each square is a group of elements, larger the more they "
                  "are; above the line the difference is beyond the bound. ");
    html_put_count(out, b->equal);
    buf_puts(out, " equal ones are not drawn");
    if (b->unbounded > 0) {
        buf_puts(out, ", nor ");
        html_put_count(out, b->unbounded);
        buf_puts(out, " without a finite bound");
    }
    buf_puts(out, ". Both axes are absolute, in powers of 2.");
}

/* Both axes have one range, so that the line on which both are equal is seen: n
 * steps from 2^low. */
struct square {
    const struct report_bound *b;
    int low;
    unsigned n;
    struct cells at;
};

static struct square square_of(const struct report_bound *b)
{
    int step = (int)b->step;
    int right = b->left + step * (int)b->count.columns;
    int top = b->bottom + step * (int)b->count.rows;
    struct square s = {.b = b,
                       .low = b->left < b->bottom ? b->left : b->bottom};
    int high = right > top ? right : top;
    s.n = (unsigned)((high - s.low + step - 1) / step);
    double size = BOUND_SIZE / s.n < 26 ? BOUND_SIZE / s.n : 26;
    s.at = (struct cells){76, 26, size, size};
    return s;
}

static void put_groups(struct buf *out, const struct square *s)
{
    struct buf paths[CLASSES] = {{0}};
    const struct report_grid *g = &s->b->count;
    double right = (double)(s->b->left - s->low) / s->b->step;
    double up = (double)(s->b->bottom - s->low) / s->b->step;
    for (size_t i = 0; i < g->rows * g->columns; i++) {
        size_t class = class_of(g->cells[i]);
        size_t across = i % g->columns, above = i / g->columns;
        if (g->cells[i] > 0)
            put_square(&paths[class], &s->at, right + (double)across,
                       s->n - 1 - up - (double)above, side_of(class));
    }
    for (size_t k = 0; k < CLASSES; k++)
        put_path(out, "c", k, &paths[k]);
}

static void put_bound_axes(struct buf *out, const struct square *s)
{
    struct buf low = {0}, high = {0};
    double size = s->n * s->at.width, right = s->at.left + size;
    double bottom = s->at.top + size;
    html_put_power(&low, s->low);
    html_put_power(&high, s->low + (int)(s->n * s->b->step));
    html_put_label(out, s->at.left, bottom + 16, "start", buf_text(&low));
    html_put_label(out, right, bottom + 16, "end", buf_text(&high));
    html_put_label(out, s->at.left - 6, bottom, "end", buf_text(&low));
    html_put_label(out, s->at.left - 6, s->at.top + 10, "end", buf_text(&high));
    html_put_label(out, s->at.left, bottom + 34, "start",
                   "error bound of both sides \xe2\x86\x92");
    html_put_label(out, s->at.left, s->at.top - 9, "start",
                   "\xe2\x86\x91 |difference|");
    html_put_line(out, "limit", s->at.left, bottom, right, s->at.top);
    html_put_label(out, right + 6, s->at.top + 10, "start", "equal");
    buf_fini(&low);
    buf_fini(&high);
}

void html_put_bound(struct buf *out, size_t pair, const struct report_plots *p)
{
    static const char title[] = "|difference| against the error bound";
    const struct report_bound *b = p->bound;
    struct buf words = {0};
    if (b == NULL)
        return;
    struct square s = square_of(b);
    int size = (int)(s.n * s.at.width);
    struct html_figure f = {pair, "bound", title,
                            size + 130 < 330 ? 330 : size + 130, size + 68};
    put_bound_words(&words, b);
    html_begin_figure(out, &f, buf_text(&words));
    html_put_rect(out, "paper", s.at.left, s.at.top, size, size);
    put_groups(out, &s);
    put_bound_axes(out, &s);
    html_end_figure(out, &f, buf_text(&words));
    buf_fini(&words);
}
