/* SPDX-License-Identifier: Apache-2.0
 *
 * Targets by causes, a table: a row a target, worst first, a column a cause that
 * reproduces some target's bits; then what was measured.
 */
#include "reports/html/html.h"

#include <string.h>

#define MOST_CAUSES 16u

struct causes {
    size_t n;
    const char *items[MOST_CAUSES];
};

static void add(struct causes *c, const char *cause)
{
    if (cause == NULL || *cause == '\0')
        return;
    for (size_t i = 0; i < c->n; i++)
        if (strcmp(c->items[i], cause) == 0)
            return;
    if (c->n < MOST_CAUSES)
        c->items[c->n++] = cause;
}

static bool has_cause(const struct report_target *t, const char *cause)
{
    const char *all[] = {t->hypothesis, t->tuned.hypothesis,
                         t->untuned.hypothesis};
    for (size_t i = 0; i < DC_ARRAY_LEN(all); i++)
        if (all[i] != NULL && strcmp(all[i], cause) == 0)
            return true;
    return false;
}

static const char *class_of(enum report_outcome outcome)
{
    return outcome <= REPORT_UNEXPLAINED                               ? "bad"
           : outcome == REPORT_ERROR || outcome == REPORT_WITHIN_BOUND ? "open"
           : outcome == REPORT_SKIPPED                                 ? "known"
                                                                       : "good";
}

static void put_row(struct buf *out, const struct report_target *t,
                    const struct causes *c)
{
    const struct report_distance *d = &t->between;
    buf_puts(out, "<tr><th scope=\"row\">");
    html_put(out, t->target);
    buf_printf(out, "</th><td class=\"%s\">", class_of(t->outcome));
    html_put_sign(out, class_of(t->outcome));
    html_put(out, report_outcome_name(t->outcome));
    buf_puts(out, "</td>");
    for (size_t i = 0; i < c->n; i++)
        buf_puts(out, has_cause(t, c->items[i])
                          ? "<td class=\"mark\">yes</td>"
                          : "<td class=\"mark\">\xe2\x80\x93</td>");
    buf_puts(out, "<td class=\"number\">");
    if (t->ran) {
        html_put_count(out, d->differing);
        buf_puts(out, " of ");
        html_put_count(out, d->elements);
    }
    buf_puts(out, "</td><td class=\"number\">");
    if (t->ran)
        html_put_count(out, d->max_ulp);
    buf_puts(out, "</td><td class=\"number\">");
    if (t->ran)
        html_put_short(out, d->max_abs);
    buf_puts(out, "</td><td>");
    html_put(out, t->reason != NULL ? t->reason : "");
    buf_puts(out, "</td></tr>\n");
}

void html_put_targets(struct buf *out, const struct report_pair *pair)
{
    struct causes c = {0};
    if (pair->ntargets == 0) {
        html_put_absent(out, "Targets by causes",
                        "the kernels were not run on any target (--targets)");
        return;
    }
    for (size_t i = 0; i < pair->ntargets; i++) {
        add(&c, pair->targets[i].hypothesis);
        add(&c, pair->targets[i].tuned.hypothesis);
        add(&c, pair->targets[i].untuned.hypothesis);
    }
    buf_puts(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
                  "aria-label=\"Targets by causes\"><table class=\"targets\">"
                  "<caption>Targets by causes: which arithmetic reproduces a "
                  "target\xe2\x80\x99s bits, and how far tuned and untuned are "
                  "apart there</caption><thead><tr><th scope=\"col\">target"
                  "</th><th scope=\"col\">outcome</th>");
    for (size_t i = 0; i < c.n; i++) {
        buf_puts(out, "<th scope=\"col\">");
        html_put(out, c.items[i]);
        buf_puts(out, "</th>");
    }
    buf_puts(out, "<th scope=\"col\">elements that differ</th>"
                  "<th scope=\"col\">most, ulp</th>"
                  "<th scope=\"col\">most, absolute</th>"
                  "<th scope=\"col\">why</th></tr></thead><tbody>\n");
    for (int o = 0; o < REPORT_NOUTCOMES; o++)
        for (size_t i = 0; i < pair->ntargets; i++)
            if (pair->targets[i].outcome == (enum report_outcome)o)
                put_row(out, &pair->targets[i], &c);
    buf_puts(out, "</tbody></table></div>\n");
}
