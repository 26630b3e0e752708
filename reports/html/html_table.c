/* SPDX-License-Identifier: Apache-2.0
 *
 * The table: a row a pair, worst first; what is beyond the first SHOWN rows unfolds.
 * Controls are there for the script, which shows them.
 */
#include "reports/html/html.h"

#include <string.h>

#define SHOWN        500u
#define MOST_TARGETS 64u

/* ---- controls ---------------------------------------------------------------------- */

static void put_verdicts(struct buf *out, size_t n,
                         const struct html_item *items)
{
    size_t count[REPORT_NVERDICTS] = {0}, errors = 0;
    for (size_t i = 0; i < n; i++)
        if (items[i].pair == NULL)
            errors++;
        else
            count[items[i].pair->verdict]++;
    buf_puts(out, "<label for=\"f-verdict\">Verdict</label> "
                  "<select id=\"f-verdict\"><option value=\"\">all</option>");
    if (errors > 0)
        buf_printf(out, "<option value=\"error\">error (%zu)</option>", errors);
    for (int v = 0; v < REPORT_NVERDICTS; v++) {
        const char *name = report_verdict_name((enum report_verdict)v);
        if (count[v] > 0)
            buf_printf(out, "<option value=\"%s\">%s (%zu)</option>", name,
                       name, count[v]);
    }
    buf_puts(out, "</select>\n");
}

struct targets {
    size_t n;
    const char *items[MOST_TARGETS];
};

/* SIZE_MAX: there are too many others. */
static size_t target_number(struct targets *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->items[i], name) == 0)
            return i;
    if (t->n == MOST_TARGETS)
        return SIZE_MAX;
    t->items[t->n] = name;
    return t->n++;
}

static void find_targets(size_t n, const struct html_item *items,
                         struct targets *out)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; items[i].pair != NULL && k < items[i].pair->ntargets;
             k++)
            (void)target_number(out, items[i].pair->targets[k].target);
}

static void put_controls(struct buf *out, size_t n,
                         const struct html_item *items,
                         const struct targets *targets)
{
    buf_puts(out, "<div id=\"controls\" role=\"search\" hidden>"
                  "<label for=\"f-text\">Filter</label> <input id=\"f-text\" "
                  "type=\"search\" autocomplete=\"off\">\n");
    put_verdicts(out, n, items);
    if (targets->n > 0) {
        buf_puts(out, "<label for=\"f-target\">Target</label> <select "
                      "id=\"f-target\"><option value=\"\">all</option>");
        for (size_t i = 0; i < targets->n; i++) {
            buf_printf(out, "<option value=\"%zu\">not exact on ", i);
            html_put(out, targets->items[i]);
            buf_puts(out, "</option>");
        }
        buf_puts(out, "</select>\n");
    }
    buf_puts(out, "<label for=\"f-sort\">Sort</label> <select id=\"f-sort\">"
                  "<option value=\"worst\">worst first</option>"
                  "<option value=\"name\">by name</option>"
                  "<option value=\"time\">slowest first</option></select> "
                  "<output id=\"shown\" for=\"f-text f-verdict f-sort\">"
                  "</output></div>\n");
}

/* ---- rows -------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *name = path_name(path);
    return *name != '\0' ? name : path;
}

static void put_where(struct buf *out, const struct html_item *item)
{
    const struct report *r = item->entry->report;
    const struct report_origin *o = item->pair ? item->pair->origin : NULL;
    const char *file = r->tuned;
    uint32_t line = item->pair != NULL ? report_line(r, item->pair) : 0;
    for (size_t i = 0; o != NULL && i < o->nplaces; i++)
        if (o->places[i].tuned && o->places[i].line > 0) {
            file = o->places[i].file != NULL ? o->places[i].file : file;
            line = o->places[i].line;
            break;
        }
    buf_puts(out, "<td class=\"where\">");
    if (file != NULL && line > 0) {
        buf_puts(out, "<span title=\"");
        html_put(out, file);
        buf_puts(out, "\">");
        html_put(out, base_name(file));
        buf_printf(out, ":%u</span>", line);
    }
    buf_puts(out, "</td>");
}

/* The sentence of what it does not pass for, else what a reader of the table has
 * to know. */
static void put_what(struct buf *out, const struct html_item *item)
{
    struct buf text = {0};
    buf_puts(out, "<td class=\"what\">");
    if (item->pair == NULL)
        buf_puts(&text, item->entry->report->error);
    else
        report_put_sentence(&text, item->pair);
    html_put(out, buf_text(&text));
    if (item->pair != NULL && item->pair->known != NULL) {
        text.len = 0;
        report_put_known(&text, item->pair->known);
        buf_puts(out, "<br><small>");
        html_put(out, buf_text(&text));
        buf_puts(out, "</small>");
    }
    if (item->pair != NULL && item->pair->again != NULL) {
        buf_puts(out, "<br><small>");
        html_put(out, item->pair->again);
        buf_puts(out, "</small>");
    }
    buf_puts(out, "</td>");
    buf_fini(&text);
}

/* Numbers of the targets on which it is not exact. */
static void put_row_targets(struct buf *out, const struct html_item *item,
                            struct targets *targets)
{
    bool any = false;
    for (size_t k = 0; item->pair != NULL && k < item->pair->ntargets; k++) {
        const struct report_target *t = &item->pair->targets[k];
        if (t->outcome == REPORT_EXACT || t->outcome == REPORT_SKIPPED)
            continue;
        size_t number = target_number(targets, t->target);
        if (number == SIZE_MAX)
            continue;
        buf_printf(out, "%s%zu", any ? " " : " data-t=\"", number);
        any = true;
    }
    if (any)
        buf_putc(out, '"');
}

static void put_row(struct buf *out, const struct report_set *set,
                    const struct html_item *item, bool section,
                    struct targets *targets)
{
    const char *name = html_pair_class(item);
    double seconds =
        item->pair != NULL && (item->entry->report->npairs > 1 || !set->many)
            ? item->pair->time_s
            : item->entry->time_s;
    buf_printf(out, "<tr id=\"r%zu\" data-v=\"%s\" data-ms=\"%.0f\"",
               item->number, html_pair_word(item), seconds * 1000);
    put_row_targets(out, item, targets);
    buf_puts(out, "><td class=\"kernel\">");
    if (section)
        buf_printf(out, "<a href=\"#pair-%zu\">", item->number);
    html_put_name(out, set, item);
    buf_printf(out, "%s</td><td class=\"word %s\">", section ? "</a>" : "",
               name);
    html_put_sign(out, name);
    html_put(out, html_pair_word(item));
    buf_puts(out, "</td>");
    put_what(out, item);
    put_where(out, item);
    buf_puts(out, "<td class=\"number\">");
    if (seconds > 0)
        report_put_time(out, seconds);
    buf_puts(out, "</td></tr>\n");
}

static void begin_table(struct buf *out, const char *id, const char *caption)
{
    buf_printf(out,
               "<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
               "aria-label=\"%s\"><table class=\"pairs\"><caption class="
               "\"vh\">%s</caption><thead><tr><th scope=\"col\">kernel</th>"
               "<th scope=\"col\">verdict</th><th scope=\"col\">what</th>"
               "<th scope=\"col\">where</th><th scope=\"col\">time</th></tr>"
               "</thead><tbody id=\"%s\">\n",
               caption, caption, id);
}

void html_put_table(struct buf *out, const struct report_set *set, size_t n,
                    const struct html_item *items, size_t sections)
{
    struct targets targets = {0};
    find_targets(n, items, &targets);
    if (n > 1)
        put_controls(out, n, items, &targets);
    begin_table(out, "rows", "Pairs, worst first");
    for (size_t i = 0; i < n && i < SHOWN; i++)
        put_row(out, set, &items[i], i < sections, &targets);
    buf_puts(out, "</tbody></table></div>\n");
    if (n <= SHOWN)
        return;
    buf_puts(out, "<details id=\"more\"><summary><span id=\"more-n\">");
    html_put_count(out, n - SHOWN);
    buf_puts(out, "</span> more pairs</summary>\n");
    begin_table(out, "more-rows", "More pairs");
    for (size_t i = SHOWN; i < n; i++)
        put_row(out, set, &items[i], i < sections, &targets);
    buf_puts(out, "</tbody></table></div></details>\n");
}
