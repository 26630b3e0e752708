/* SPDX-License-Identifier: Apache-2.0
 *
 * Drawings of how both sides combine the terms of one element: the error of each
 * partial result, and the trees side by side. Below each tree a dot for each of
 * its terms shows which one it is: a line from corner to corner is the untuned
 * order.
 */
#include "reports/html/html.h"

#include <math.h>
#include <string.h>

/* ---- growth ----------------------------------------------------------------------- */

#define GROWTH_WIDTH  420.0
#define GROWTH_HEIGHT 180.0
#define GROWTH_LEFT   76.0
#define GROWTH_TOP    28.0

struct scale {
    uint64_t terms; /* at the right end */
    int low, high;  /* powers of 2: the ends of the axis above 0 */
};

static void widen(struct scale *s, const struct report_reduction *r)
{
    for (size_t i = 0; i < r->nsteps; i++) {
        double error = fabs(r->steps[i].error);
        int e = 0;
        s->terms = r->steps[i].at > s->terms ? r->steps[i].at : s->terms;
        if (error == 0)
            continue;
        (void)frexp(error, &e);
        s->low = e - 1 < s->low ? e - 1 : s->low;
        s->high = e > s->high ? e : s->high;
    }
}

static double across(const struct scale *s, uint64_t at)
{
    return GROWTH_LEFT + GROWTH_WIDTH * (double)at / (double)s->terms;
}

/* 0 stands on the line at the bottom, below the axis of powers. */
static double up(const struct scale *s, double error)
{
    double share = error == 0 ? 0
                              : 0.08 + 0.92 * (log2(fabs(error)) - s->low) /
                                           (double)(s->high - s->low);
    return GROWTH_TOP + GROWTH_HEIGHT * (1 - share);
}

static void put_curve(struct buf *out, const char *name, const struct scale *s,
                      const struct report_reduction *r)
{
    buf_printf(out, "<path class=\"%s\" d=\"", name);
    for (size_t i = 0; i < r->nsteps; i++) {
        buf_putc(out, i == 0 ? 'M' : 'L');
        html_put_at(out, across(s, r->steps[i].at));
        buf_putc(out, ' ');
        html_put_at(out, up(s, r->steps[i].error));
    }
    buf_puts(out, "\"/>\n");
}

static void put_growth_axes(struct buf *out, const struct scale *s)
{
    struct buf text = {0};
    double bottom = GROWTH_TOP + GROWTH_HEIGHT;
    double right = GROWTH_LEFT + GROWTH_WIDTH;
    html_put_line(out, "axis", GROWTH_LEFT, bottom, right, bottom);
    html_put_line(out, "axis", GROWTH_LEFT, GROWTH_TOP, GROWTH_LEFT, bottom);
    html_put_label(out, GROWTH_LEFT - 6, bottom + 4, "end", "exact");
    html_put_power(&text, s->low);
    html_put_label(out, GROWTH_LEFT - 6, bottom - 0.08 * GROWTH_HEIGHT + 2,
                   "end", buf_text(&text));
    text.len = 0;
    html_put_power(&text, s->high);
    html_put_label(out, GROWTH_LEFT - 6, GROWTH_TOP + 8, "end",
                   buf_text(&text));
    text.len = 0;
    html_put_count(&text, s->terms);
    html_put_label(out, right, bottom + 18, "end", buf_text(&text));
    html_put_label(out, GROWTH_LEFT, bottom + 18, "start", "0");
    html_put_label(out, GROWTH_LEFT + GROWTH_WIDTH / 2, bottom + 18, "middle",
                   "terms combined");
    html_put_label(out, GROWTH_LEFT, GROWTH_TOP - 10, "start",
                   "|error| of the partial result");
    buf_fini(&text);
}

static void put_last(struct buf *out, const char *side,
                     const struct report_reduction *r)
{
    const struct report_step *last = &r->steps[r->nsteps - 1];
    double most = 0;
    for (size_t i = 0; i < r->nsteps; i++)
        most = fabs(r->steps[i].error) > most ? fabs(r->steps[i].error) : most;
    buf_printf(out, "%s: the result is ", side);
    buf_put_double(out, last->value);
    if (last->error == 0) {
        buf_puts(out, ", exact, ");
    } else {
        buf_puts(out, ", off by ");
        html_put_short(out, last->error);
        buf_puts(out, ", ");
    }
    buf_puts(out, "at most off by ");
    html_put_short(out, most);
    buf_puts(out, " on the way. ");
}

void html_put_growth(struct buf *out, size_t pair, const struct report_plots *p)
{
    struct scale s = {0, 3000, -3000};
    struct buf words = {0}, title = {0};
    widen(&s, &p->untuned);
    widen(&s, &p->tuned);
    if (p->untuned.nsteps == 0 || p->tuned.nsteps == 0 || s.low >= s.high)
        return;
    buf_printf(&title, "Growth of the error of %s",
               p->element != NULL ? p->element : "the element");
    put_last(&words, "Tuned (solid)", &p->tuned);
    put_last(&words, "Untuned (dashed)", &p->untuned);
    buf_puts(&words, "Errors are distances from the value over the real "
                     "numbers, in powers of 2.");
    struct html_figure f = {pair, "growth", buf_text(&title),
                            (int)(GROWTH_LEFT + GROWTH_WIDTH) + 90,
                            (int)(GROWTH_TOP + GROWTH_HEIGHT) + 30};
    html_begin_figure(out, &f, buf_text(&words));
    put_growth_axes(out, &s);
    put_curve(out, "untuned", &s, &p->untuned);
    put_curve(out, "tuned", &s, &p->tuned);
    double right = GROWTH_LEFT + GROWTH_WIDTH + 8;
    html_put_line(out, "tuned", right, GROWTH_TOP + 6, right + 24,
                  GROWTH_TOP + 6);
    html_put_label(out, right + 29, GROWTH_TOP + 10, "start", "tuned");
    html_put_line(out, "untuned", right, GROWTH_TOP + 26, right + 24,
                  GROWTH_TOP + 26);
    html_put_label(out, right + 29, GROWTH_TOP + 30, "start", "untuned");
    html_end_figure(out, &f, buf_text(&words));
    buf_fini(&words);
    buf_fini(&title);
}

/* ---- trees ------------------------------------------------------------------------- */

#define TREE_WIDTH  400.0
#define TREE_HEIGHT 170.0
#define DOTS_HEIGHT 90.0
#define LISTED      4u /* terms of one side alone that are named */

struct joint {
    double x;
    unsigned height; /* of the tree below it */
};

struct drawn {
    const struct report_reduction *r;
    const bool *other; /* by term: the other side has it, too */
    size_t nterms;
    double left, top;
    size_t leaves;
    unsigned height; /* of the whole tree */
};

static double leaf_at(const struct drawn *d, size_t leaf)
{
    return d->left + TREE_WIDTH * ((double)leaf + 0.5) / (double)d->leaves;
}

static double joint_at(const struct drawn *d, unsigned height)
{
    return d->top +
           TREE_HEIGHT * (1 - (double)height / (d->height ? d->height : 1));
}

static unsigned height_of(const struct report_reduction *r, size_t *leaves)
{
    unsigned stack[2 * REPORT_LEAVES];
    size_t n = 0;
    *leaves = 0;
    for (size_t i = 0; i < r->n; i++) {
        if (r->tree[i] >= 0) {
            stack[n++] = 0;
            (*leaves)++;
            continue;
        }
        unsigned a = stack[n - 2], b = stack[n - 1];
        stack[--n - 1] = (a > b ? a : b) + 1;
    }
    return n > 0 ? stack[0] : 0;
}

static void put_branch(struct buf *out, const struct drawn *d,
                       const struct joint *a, const struct joint *b,
                       unsigned height)
{
    buf_putc(out, 'M');
    html_put_at(out, a->x);
    buf_putc(out, ' ');
    html_put_at(out, joint_at(d, a->height));
    buf_putc(out, 'V');
    html_put_at(out, joint_at(d, height));
    buf_putc(out, 'H');
    html_put_at(out, b->x);
    buf_putc(out, 'V');
    html_put_at(out, joint_at(d, b->height));
}

static void put_branches(struct buf *out, const struct drawn *d)
{
    struct joint stack[2 * REPORT_LEAVES];
    size_t n = 0, leaf = 0;
    buf_puts(out, "<path class=\"branch\" d=\"");
    for (size_t i = 0; i < d->r->n; i++) {
        if (d->r->tree[i] >= 0) {
            stack[n++] = (struct joint){leaf_at(d, leaf++), 0};
            continue;
        }
        struct joint *a = &stack[n - 2], *b = &stack[n - 1];
        unsigned height = (a->height > b->height ? a->height : b->height) + 1;
        put_branch(out, d, a, b, height);
        *a = (struct joint){(a->x + b->x) / 2, height};
        n--;
    }
    buf_puts(out, "\"/>\n");
}

/* A square a term at its number; one that the other side lacks is a cross. */
static void put_dots(struct buf *out, const struct drawn *d)
{
    struct buf dots = {0}, alone = {0};
    double top = d->top + TREE_HEIGHT + 14;
    size_t leaf = 0;
    for (size_t i = 0; i < d->r->n; i++) {
        if (d->r->tree[i] < 0)
            continue;
        size_t term = (size_t)d->r->tree[i];
        double x = leaf_at(d, leaf++);
        double y = top + DOTS_HEIGHT * ((double)term + 0.5) / (double)d->nterms;
        struct buf *path = d->other[term] ? &dots : &alone;
        bool both = d->other[term];
        buf_putc(path, 'M');
        html_put_at(path, both ? x - 1.5 : x - 4);
        buf_putc(path, ' ');
        html_put_at(path, both ? y - 1.5 : y - 4);
        buf_puts(path, both ? "h3v3h-3z" : "l8 8m0-8l-8 8");
    }
    html_put_rect(out, "paper", d->left, top, TREE_WIDTH, DOTS_HEIGHT);
    if (dots.len > 0)
        buf_printf(out, "<path class=\"dots\" d=\"%s\"/>\n", buf_text(&dots));
    if (alone.len > 0)
        buf_printf(out, "<path class=\"cross\" d=\"%s\"/>\n", buf_text(&alone));
    buf_fini(&dots);
    buf_fini(&alone);
}

static void mark(const struct report_reduction *r, bool *has)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->tree[i] >= 0)
            has[r->tree[i]] = true;
}

/* "; in the tuned module alone: A[0], A[1] and 3 more" */
static void put_alone(struct buf *out, const char *side,
                      const struct report_plots *p, const bool *has,
                      const bool *other)
{
    size_t n = 0;
    for (size_t i = 0; i < p->terms.n; i++) {
        if (!has[i] || other[i])
            continue;
        if (n == 0)
            buf_printf(out, " In the %s module alone (crosses): ", side);
        if (n < LISTED)
            buf_printf(out, "%s%s", n > 0 ? "; " : "", p->terms.items[i]);
        n++;
    }
    if (n > LISTED)
        buf_printf(out, " and %zu more", n - LISTED);
    if (n > 0)
        buf_putc(out, '.');
}

static void put_trees_words(struct buf *out, const struct report_plots *p,
                            const bool *tuned, const bool *untuned)
{
    buf_printf(out, "Tuned: a %s of %zu terms, %s. Untuned: of %zu, %s.",
               p->operation, p->tuned.terms,
               p->tuned.order != NULL ? p->tuned.order : "in some order",
               p->untuned.terms,
               p->untuned.order != NULL ? p->untuned.order : "in some order");
    if (p->untuned.terms > 1 && p->untuned.terms <= p->terms.n)
        buf_printf(out,
                   " Below each tree a dot a term: across as this side meets "
                   "it, down as the untuned side does, from %s to %s.",
                   p->terms.items[0], p->terms.items[p->untuned.terms - 1]);
    put_alone(out, "tuned", p, tuned, untuned);
    put_alone(out, "untuned", p, untuned, tuned);
    if (p->tuned.n == p->untuned.n &&
        memcmp(p->tuned.tree, p->untuned.tree,
               p->tuned.n * sizeof *p->tuned.tree) == 0)
        buf_puts(out, " Both trees are the same.");
}

static void put_tree(struct buf *out, const struct report_plots *p,
                     const struct report_reduction *r, const bool *other,
                     double left)
{
    struct drawn d = {
        .r = r, .other = other, .nterms = p->terms.n, .left = left, .top = 24};
    d.height = height_of(r, &d.leaves);
    html_put_label(out, left, 14, "start",
                   r == &p->tuned ? "tuned" : "untuned");
    put_branches(out, &d);
    put_dots(out, &d);
}

void html_put_trees(struct buf *out, size_t pair, const struct report_plots *p)
{
    bool tuned[2 * REPORT_LEAVES] = {false};
    bool untuned[2 * REPORT_LEAVES] = {false};
    struct buf words = {0}, title = {0};
    if (p->tuned.n == 0 || p->untuned.n == 0)
        return;
    mark(&p->tuned, tuned);
    mark(&p->untuned, untuned);
    buf_printf(&title, "How both sides combine the terms of %s",
               p->element != NULL ? p->element : "the element");
    put_trees_words(&words, p, tuned, untuned);
    struct html_figure f = {pair, "trees", buf_text(&title),
                            (int)(2 * TREE_WIDTH) + 40,
                            (int)(TREE_HEIGHT + DOTS_HEIGHT) + 44};
    html_begin_figure(out, &f, buf_text(&words));
    put_tree(out, p, &p->tuned, untuned, 4);
    put_tree(out, p, &p->untuned, tuned, TREE_WIDTH + 36);
    html_end_figure(out, &f, buf_text(&words));
    buf_fini(&words);
    buf_fini(&title);
}
