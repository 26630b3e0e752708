/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a page of HTML. Private to reports/: the page itself is
 * writers/report_html.c.
 *
 * Text of the model reaches the page through html_put alone, in elements and in
 * attributes, SVG included. Nothing of it is ever part of the script or the style
 * sheet, which are files of this folder; the page allows no others.
 */
#ifndef DC_REPORTS_HTML_HTML_H
#define DC_REPORTS_HTML_HTML_H

#include "reports/reports.h"

/* ---- html_text.c ---- */

/* The text escaped for an element or a quoted attribute: markup, control
 * characters, bytes that are no UTF-8, and marks that turn the order of text
 * round, which are shown as "U+202E". */
void html_put(struct buf *out, const char *text);
/* <tag class="name">text</tag>; name may be NULL. */
void html_put_element(struct buf *out, const char *tag, const char *name,
                      const char *text);
/* "12 345" with narrow blanks for people. */
void html_put_count(struct buf *out, uint64_t n);
/* A number with at most four digits, for axes: "1.5", "2.4e-07". */
void html_put_short(struct buf *out, double x);

/* ---- html_page.c: what all pages have ---- */

/* Up to <body>, and from behind the last of it on. */
void html_begin_page(struct buf *out, const char *title);
void html_end_page(struct buf *out);

/* ---- html_plot.c: a figure ---- */

/* A drawing: its title, what it says in words, its size in its own units. The
 * number of the pair makes names in the page unique. */
struct html_figure {
    size_t pair;
    const char *name;  /* of this plot in the pair: "heat" */
    const char *title; /* "Where D differs" */
    int width, height;
};
/* `words` is the text equivalent, which stands below the drawing, too. */
void html_begin_figure(struct buf *out, const struct html_figure *f,
                       const char *words);
void html_end_figure(struct buf *out, const struct html_figure *f,
                     const char *words);
/* Why there is none: a sentence in its place. */
void html_put_absent(struct buf *out, const char *title, const char *why);
/* anchor: "start", "middle", "end". */
void html_put_label(struct buf *out, double x, double y, const char *anchor,
                    const char *text);
void html_put_line(struct buf *out, const char *name, double x1, double y1,
                   double x2, double y2);
void html_put_rect(struct buf *out, const char *name, double x, double y,
                   double width, double height);
/* "2^k", as people read it: "1", "16", "1e-06". */
void html_put_power(struct buf *out, int exponent);
/* A coordinate, to a tenth. */
void html_put_at(struct buf *out, double x);

/* ---- the plots; each says so where it has nothing to draw ---- */

void html_put_heat(struct buf *out, size_t pair, const struct report_plots *p);
void html_put_ulps(struct buf *out, size_t pair, const struct report_plots *p);
void html_put_bound(struct buf *out, size_t pair, const struct report_plots *p);
void html_put_growth(struct buf *out, size_t pair,
                     const struct report_plots *p);
void html_put_trees(struct buf *out, size_t pair, const struct report_plots *p);
/* Nothing where the pair is no race. */
void html_put_race(struct buf *out, size_t number,
                   const struct report_pair *pair);
void html_put_targets(struct buf *out, const struct report_pair *pair);

/* ---- html_program.c: both programs side by side ---- */
void html_put_programs(struct buf *out, size_t number,
                       const struct report_pair *pair);

/* ---- html_pair.c: all of one pair ---- */
struct html_item {
    const struct report_entry *entry;
    struct report_pair *pair; /* NULL: the files could not be compared */
    size_t number;            /* on the page, from 1 */
};
/* full: with programs and plots; else the first screen alone. */
void html_put_pair(struct buf *out, const struct report_set *set,
                   const struct html_item *item, bool full, bool open);
const char *html_pair_word(const struct html_item *item); /* "DIFFERENT" */
/* 0: could not be compared or broke, 1: finding, 2: undecided, 3: known, 4: fine.
 * The worst stand first. */
int html_pair_rank(const struct html_item *item);
/* "bad", "open", "good", "known": class and sign of its rank. */
const char *html_pair_class(const struct html_item *item);
void html_put_sign(struct buf *out, const char *name);
/* The name of the pair, with the function where there are several. */
void html_put_name(struct buf *out, const struct report_set *set,
                   const struct html_item *item);

/* ---- html_table.c: a row a pair ---- */
void html_put_table(struct buf *out, const struct report_set *set, size_t n,
                    const struct html_item *items, size_t sections);

#endif
