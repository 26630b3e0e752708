/* SPDX-License-Identifier: Apache-2.0
 *
 * One page of HTML: no other file and no network is needed, and without scripts
 * all of it can be read; the script only filters, sorts, folds and copies.
 *
 * Pairs stand worst first. A page stays usable with ten thousand of them: rows
 * beyond the first 500 unfold, plots and programs stop when they have taken
 * PLOT_BYTES, first screens when the page has SCREEN_BYTES, and it says so.
 *
 * The page allows itself no other script, style or connection than the two that
 * stand in it, which it names by their hashes.
 */
#include "reports/html/html.h"

#include <stdlib.h>
#include <string.h>

#define PLOT_BYTES   ((size_t)8 << 20)
#define SCREEN_BYTES ((size_t)16 << 20)
#define OPEN         3u /* sections that are unfolded at first */

struct page {
    const struct report_set *set;
    struct report_counts counts;
    size_t n;
    struct html_item *items;
};

/* ---- pairs, worst first ------------------------------------------------------------- */

static int by_rank(const void *x, const void *y)
{
    const struct html_item *a = x, *b = y;
    int ra = html_pair_rank(a), rb = html_pair_rank(b);
    if (ra != rb)
        return ra < rb ? -1 : 1;
    if (a->pair != NULL && b->pair != NULL &&
        a->pair->verdict != b->pair->verdict)
        return a->pair->verdict < b->pair->verdict ? -1 : 1;
    return a->number < b->number ? -1 : 1; /* in the order of the run */
}

static void list_items(struct page *page)
{
    const struct report_set *set = page->set;
    size_t room = 0;
    for (size_t i = 0; i < set->n; i++)
        room += set->entries[i].report->npairs + 1;
    page->items = dc_alloc((room + 1) * sizeof *page->items);
    for (size_t i = 0; i < set->n; i++) {
        const struct report_entry *e = &set->entries[i];
        size_t n = e->report->error != NULL ? 1 : e->report->npairs;
        for (size_t k = 0; k < n; k++) {
            struct report_pair *p =
                e->report->error != NULL ? NULL : &e->report->pairs[k];
            page->items[page->n] = (struct html_item){e, p, page->n};
            page->n++;
        }
    }
    qsort(page->items, page->n, sizeof *page->items, by_rank);
    for (size_t i = 0; i < page->n; i++)
        page->items[i].number = i + 1;
}

/* ---- head ---------------------------------------------------------------------------- */

static void put_head(struct buf *out, const struct page *page)
{
    const struct report_counts *c = &page->counts;
    struct buf title = {0};
    if (page->n == 1 && page->items[0].pair != NULL)
        buf_printf(&title, "diffcheck: %s %s",
                   report_verdict_name(page->items[0].pair->verdict),
                   page->items[0].pair->function);
    else
        buf_printf(&title, "diffcheck: %zu pair%s, %zu finding%s", c->pairs,
                   c->pairs == 1 ? "" : "s", c->findings + c->errors,
                   c->findings + c->errors == 1 ? "" : "s");
    html_begin_page(out, buf_text(&title));
    buf_fini(&title);
}

static void put_chip(struct buf *out, const char *name, size_t n,
                     const char *word)
{
    if (n == 0)
        return;
    buf_printf(out, "<li class=\"%s\">", name);
    html_put_sign(out, name);
    html_put_count(out, n);
    buf_printf(out, " %s</li>\n", word);
}

static void put_chips(struct buf *out, const struct page *page)
{
    const struct report_counts *c = &page->counts;
    buf_puts(out, "<ul class=\"chips\">\n");
    put_chip(out, "bad", c->errors, c->errors == 1 ? "error" : "errors");
    put_chip(out, "bad", c->findings,
             c->findings == 1 ? "finding" : "findings");
    put_chip(out, "open", c->undecided, "undecided");
    put_chip(out, "known", c->known, "known");
    put_chip(out, "good", c->fine, "passed");
    buf_puts(out, "</ul>\n");
}

static void put_counts(struct buf *out, const struct page *page)
{
    const struct report_set *set = page->set;
    struct buf text = {0};
    if (set->gate != NULL) {
        report_put_gate_head(&text, set);
        buf_puts(&text, ": ");
        report_put_gate_counts(&text, set);
    } else {
        report_put_counts(&text, &page->counts);
    }
    if (set->time_s > 0) {
        buf_puts(&text, "; ");
        report_put_time(&text, set->time_s);
    }
    html_put_element(out, "p", NULL, buf_text(&text));
    buf_putc(out, '\n');
    buf_fini(&text);
}

static void put_files(struct buf *out, const struct page *page)
{
    const struct report *r =
        page->set->n == 1 ? page->set->entries[0].report : NULL;
    if (r == NULL || r->tuned == NULL || r->untuned == NULL)
        return;
    buf_puts(out, "<p>");
    html_put_element(out, "code", NULL, r->tuned);
    buf_puts(out, " (tuned) against ");
    html_put_element(out, "code", NULL, r->untuned);
    buf_puts(out, " (untuned)</p>\n");
}

/* ---- what is no pair ------------------------------------------------------------------ */

static void put_names(struct buf *out, const char *title,
                      const struct report_list *list)
{
    if (list->n == 0)
        return;
    buf_printf(out, "<details class=\"names\"><summary>%s: ", title);
    html_put_count(out, list->n);
    buf_puts(out, "</summary><ul>\n");
    for (size_t i = 0; i < list->n; i++)
        html_put_element(out, "li", NULL, list->items[i]);
    buf_puts(out, "</ul></details>\n");
}

static void put_gone(struct buf *out, const struct report_gate *gate)
{
    struct buf text = {0};
    if (gate->ngone == 0)
        return;
    buf_printf(out,
               "<details class=\"names\"><summary>Fixed, or gone: %zu"
               "</summary><ul>\n",
               gate->ngone);
    for (size_t i = 0; i < gate->ngone; i++) {
        text.len = 0;
        buf_printf(&text, "%s, ", gate->gone[i].name);
        report_put_gone(&text, &gate->gone[i]);
        html_put_element(out, "li", NULL, buf_text(&text));
    }
    buf_puts(out, "</ul></details>\n");
    buf_fini(&text);
}

static void put_rest(struct buf *out, const struct page *page)
{
    const struct report_gate *gate = page->set->gate;
    for (size_t i = 0; i < page->set->n; i++) {
        const struct report *r = page->set->entries[i].report;
        put_names(out, "Functions of the tuned module alone", &r->only_tuned);
        put_names(out, "Functions of the untuned module alone",
                  &r->only_untuned);
    }
    if (gate == NULL)
        return;
    put_gone(out, gate);
    put_names(out, "New modules", &gate->added);
    put_names(out, "Modules that are gone", &gate->removed);
}

static void put_environment(struct buf *out, const struct page *page)
{
    const struct report_list *list = NULL;
    for (size_t i = 0; i < page->set->n && list == NULL; i++)
        if (page->set->entries[i].report->environment.n > 0)
            list = &page->set->entries[i].report->environment;
    buf_puts(out, "<footer><h2>Environment</h2>\n<ul>\n");
    for (size_t i = 0; list != NULL && i < list->n; i++)
        html_put_element(out, "li", NULL, list->items[i]);
    buf_printf(out, "<li>page written by diffcheck %s%s</li>\n", DC_VERSION,
               list == NULL ? "; the results do not say which version and "
                              "solver they are from"
                            : "");
    buf_puts(out, "<li>the options of each pair stand in its command under "
                  "\xe2\x80\x98Reproduce\xe2\x80\x99</li>\n</ul>"
                  "</footer>\n");
}

/* ---- all ------------------------------------------------------------------------------ */

/* Sections below the table; how many pairs have one. */
static size_t put_sections(struct buf *out, const struct page *page)
{
    size_t plots = 0, n = 0, before = out->len;
    for (; n < page->n && out->len - before < SCREEN_BYTES; n++) {
        const struct html_item *item = &page->items[n];
        size_t from = out->len;
        bool full = plots < PLOT_BYTES;
        html_put_pair(out, page->set, item, full,
                      n < OPEN && (page->n == 1 || html_pair_rank(item) < 3));
        if (full)
            plots += out->len - from;
    }
    return n;
}

static void write_html(const struct report_set *set, struct report_style style,
                       struct buf *out)
{
    struct page page = {.set = set};
    struct buf sections = {0};
    (void)style;
    report_count(set, &page.counts);
    list_items(&page);
    size_t n = put_sections(&sections, &page);
    put_head(out, &page);
    buf_puts(out, "<a class=\"skip\" href=\"#pairs\">To the pairs</a>\n"
                  "<header><h1>diffcheck</h1>\n");
    put_counts(out, &page);
    put_files(out, &page);
    put_chips(out, &page);
    buf_puts(out,
             "</header>\n<main>\n<section id=\"pairs\" "
             "aria-labelledby=\"pairs-h\"><h2 id=\"pairs-h\">Pairs</h2>\n");
    html_put_table(out, set, page.n, page.items, n);
    put_rest(out, &page);
    buf_puts(out, "</section>\n<section aria-labelledby=\"each-h\">"
                  "<h2 id=\"each-h\">Each pair</h2>\n");
    buf_append(out, buf_text(&sections), sections.len);
    if (n < page.n)
        buf_printf(out,
                   "<p class=\"absent\">The other %zu pairs have a row in the "
                   "table alone, to keep the page small.</p>\n",
                   page.n - n);
    buf_puts(out, "</section>\n</main>\n");
    put_environment(out, &page);
    html_end_page(out);
    buf_fini(&sections);
    dc_release(page.items);
}

const struct report_writer report_html = {
    .name = "html",
    .summary = "one page for a browser, with plots",
    .machine = true,
    .plots = true,
    .write = write_html,
};
