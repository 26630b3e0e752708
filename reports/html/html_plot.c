/* SPDX-License-Identifier: Apache-2.0
 *
 * What all drawings have: a figure with a title, a drawing that a screen reader
 * reads as its words, and the same words for everybody below. Numbers have one
 * digit behind the point, so that the page is the same on every machine.
 */
#include "reports/html/html.h"

#include <math.h>

void html_put_at(struct buf *out, double x)
{
    long long tenths = (long long)floor(x * 10 + 0.5);
    long long size = tenths < 0 ? -tenths : tenths;
    buf_printf(out, "%s%lld", tenths < 0 ? "-" : "", size / 10);
    if (size % 10 != 0)
        buf_printf(out, ".%lld", size % 10);
}

void html_begin_figure(struct buf *out, const struct html_figure *f,
                       const char *words)
{
    buf_printf(out,
               "<figure class=\"plot %s\"><svg role=\"img\" width=\"%d\" "
               "height=\"%d\" viewBox=\"0 0 %d %d\" "
               "aria-describedby=\"p%zu-%s-d\"><title>",
               f->name, f->width, f->height, f->width, f->height, f->pair,
               f->name);
    html_put(out, f->title);
    buf_printf(out, "</title><desc id=\"p%zu-%s-d\">", f->pair, f->name);
    html_put(out, words);
    buf_puts(out, "</desc>\n");
}

void html_end_figure(struct buf *out, const struct html_figure *f,
                     const char *words)
{
    buf_puts(out, "</svg>\n<figcaption>");
    html_put_element(out, "b", NULL, f->title);
    buf_putc(out, ' ');
    html_put(out, words);
    buf_puts(out, "</figcaption></figure>\n");
}

void html_put_absent(struct buf *out, const char *title, const char *why)
{
    buf_puts(out, "<p class=\"absent\">");
    html_put_element(out, "b", NULL, title);
    buf_puts(out, " is not drawn: ");
    html_put(out, why);
    buf_puts(out, ".</p>\n");
}

void html_put_label(struct buf *out, double x, double y, const char *anchor,
                    const char *text)
{
    buf_puts(out, "<text x=\"");
    html_put_at(out, x);
    buf_puts(out, "\" y=\"");
    html_put_at(out, y);
    buf_printf(out, "\" text-anchor=\"%s\">", anchor);
    html_put(out, text);
    buf_puts(out, "</text>\n");
}

void html_put_line(struct buf *out, const char *name, double x1, double y1,
                   double x2, double y2)
{
    buf_printf(out, "<path class=\"%s\" d=\"M", name);
    html_put_at(out, x1);
    buf_putc(out, ' ');
    html_put_at(out, y1);
    buf_putc(out, 'L');
    html_put_at(out, x2);
    buf_putc(out, ' ');
    html_put_at(out, y2);
    buf_puts(out, "\"/>\n");
}

void html_put_rect(struct buf *out, const char *name, double x, double y,
                   double width, double height)
{
    buf_printf(out, "<rect class=\"%s\" x=\"", name);
    html_put_at(out, x);
    buf_puts(out, "\" y=\"");
    html_put_at(out, y);
    buf_puts(out, "\" width=\"");
    html_put_at(out, width);
    buf_puts(out, "\" height=\"");
    html_put_at(out, height);
    buf_puts(out, "\"/>\n");
}

void html_put_power(struct buf *out, int exponent)
{
    html_put_short(out, ldexp(1, exponent));
}
