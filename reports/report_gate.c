/* SPDX-License-Identifier: Apache-2.0
 *
 * The text of a gate and of two reports compared: a head line with counts, a
 * line a finding, and a line of counts of what is new, known and fixed.
 *
 * Lines stand in groups: what could not be compared, what is new, what is
 * undecided, what was accepted, what is gone, modules and functions that one side
 * alone has. A folder that all modules share is left out of their names here; the
 * other formats have it. Long lists that need no action are cut, with how many
 * there are more.
 */
#include "reports/screen.h"

#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 100u
#define WORD        9u /* new, known, removed and two blanks */
#define VERDICT     11u
#define LEAST_NAME  8u
#define LEAST_TEXT  24u
#define SHOWN       20u /* of lists that are cut */

struct page {
    struct buf *out;
    const struct report_set *set;
    struct report_style style;
    size_t columns, width; /* of the names */
    size_t common;         /* bytes of the folder that all names share */
};

void report_put_known(struct buf *out, const struct report_known *known)
{
    if (known->also != NULL) {
        buf_puts(out, known->also);
        return;
    }
    buf_puts(out, "accepted");
    if (known->until != NULL)
        buf_printf(out, " until %s", known->until);
    if (known->reason != NULL && *known->reason)
        buf_printf(out, ": %s", known->reason);
}

void report_put_gone(struct buf *out, const struct report_gone *gone)
{
    buf_puts(out, "was ");
    buf_put_upper(out, report_verdict_name(gone->was));
    buf_printf(out, ", %s", gone->now);
}

static int by_text(const void *a, const void *b)
{
    const struct report_gone *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = strcmp(x->function, y->function);
    if (order == 0)
        order = (int)x->was - (int)y->was;
    return order != 0 ? order : strcmp(x->now, y->now);
}

void report_sort_gone(struct report_gate *gate)
{
    if (gate->ngone > 0)
        qsort(gate->gone, gate->ngone, sizeof *gate->gone, by_text);
}

/* ---- one line ------------------------------------------------------------------ */

static void put_blanks(struct buf *out, size_t n)
{
    while (n-- > 0)
        buf_putc(out, ' ');
}

/* "  new      conv_3    ": gives the columns used. */
static size_t begin_row(const struct page *p, const char *word,
                        const char *name, const char *function)
{
    struct buf text = {0}, shown = {0};
    size_t used, common = strlen(name) > p->common ? p->common : 0;
    buf_puts(&text, name + common);
    if (function != NULL)
        buf_printf(&text, ":%s", function);
    buf_put_visible(&shown, buf_text(&text), text.len, "");
    buf_printf(p->out, "  %-*s", (int)WORD, word);
    buf_puts(p->out, buf_text(&shown));
    used = screen_columns(buf_text(&shown));
    for (; used < p->width; used++)
        buf_putc(p->out, ' ');
    buf_puts(p->out, "  ");
    buf_fini(&text);
    buf_fini(&shown);
    return 2 + WORD + used + 2;
}

static void put_plain(const struct page *p, const char *word, const char *name,
                      const char *text)
{
    size_t used = begin_row(p, word, name, NULL);
    size_t room =
        used + LEAST_TEXT < p->columns ? p->columns - used : LEAST_TEXT;
    (void)screen_put_fit(p->out, text, room);
    while (p->out->len > 0 && p->out->data[p->out->len - 1] == ' ')
        p->out->data[--p->out->len] = '\0';
    buf_putc(p->out, '\n');
}

/* The sentence and, where there is room beside it, the place; else below. */
static void put_told(const struct page *p, size_t used, const char *sentence,
                     const char *place)
{
    size_t at = used, need = *place ? screen_columns(place) + 4 : 0;
    bool below = used + LEAST_TEXT + need > p->columns;
    size_t room =
        used + LEAST_TEXT < p->columns ? p->columns - used : LEAST_TEXT;
    (void)screen_put_fit(p->out, sentence, below ? room : room - need);
    if (*place && below) {
        buf_putc(p->out, '\n');
        put_blanks(p->out, at);
        buf_puts(p->out, place);
    } else if (*place) {
        put_blanks(p->out, 4);
        buf_puts(p->out, place);
    }
    buf_putc(p->out, '\n');
}

static void put_pair(const struct page *p, const char *word,
                     const struct report_entry *e,
                     const struct report_pair *pair)
{
    struct buf sentence = {0}, place = {0}, file = {0};
    const char *verdict = report_verdict_name(pair->verdict);
    const char *path = e->report->tuned ? e->report->tuned : "";
    size_t used = begin_row(p, word, e->name,
                            e->report->npairs > 1 ? pair->function : NULL);
    buf_put_upper(p->out, verdict);
    put_blanks(p->out, VERDICT - strlen(verdict));
    used += VERDICT;
    if (pair->known != NULL)
        report_put_known(&sentence, pair->known);
    else
        report_put_sentence(&sentence, pair);
    buf_put_visible(&file, path, strlen(path), "");
    if (pair->known == NULL && pair->exit_code != REPORT_EXIT_NOTHING &&
        report_line(e->report, pair) > 0)
        buf_printf(&place, "%s:%u", buf_text(&file),
                   report_line(e->report, pair));
    put_told(p, used, buf_text(&sentence), buf_text(&place));
    if (pair->again != NULL) {
        put_blanks(p->out, used);
        (void)screen_put_fit(p->out, pair->again,
                             used + LEAST_TEXT < p->columns ? p->columns - used
                                                            : LEAST_TEXT);
        buf_putc(p->out, '\n');
    }
    buf_fini(&sentence);
    buf_fini(&place);
    buf_fini(&file);
}

/* ---- groups of lines ----------------------------------------------------------- */

enum state { STATE_NEW, STATE_OPEN, STATE_KNOWN, STATE_FINE };

static enum state state_of(const struct report_pair *pair)
{
    if (pair->known != NULL)
        return STATE_KNOWN;
    if (pair->exit_code == REPORT_EXIT_NOTHING)
        return STATE_FINE;
    return pair->exit_code == REPORT_EXIT_UNDECIDED ? STATE_OPEN : STATE_NEW;
}

static void put_more(const struct page *p, size_t more)
{
    if (more > 0)
        buf_printf(p->out, "  … and %zu more\n", more);
}

static const char *word_of(const char *word, const struct report_pair *pair)
{
    if (pair->again == NULL)
        return word;
    return pair->expired ? "expired" : "changed";
}

static void put_state(const struct page *p, enum state state, const char *word)
{
    size_t shown = 0, more = 0;
    bool cut = state == STATE_OPEN && !p->style.verbose;
    for (size_t i = 0; i < p->set->n; i++) {
        const struct report_entry *e = &p->set->entries[i];
        for (size_t k = 0; k < e->report->npairs && !e->report->error; k++) {
            if (state_of(&e->report->pairs[k]) != state)
                continue;
            if (cut && shown == SHOWN) {
                more++;
            } else {
                put_pair(p, word_of(word, &e->report->pairs[k]), e,
                         &e->report->pairs[k]);
                shown++;
            }
        }
    }
    put_more(p, more);
}

static void put_errors(const struct page *p)
{
    for (size_t i = 0; i < p->set->n; i++)
        if (p->set->entries[i].report->error != NULL)
            put_plain(p, "error", p->set->entries[i].name,
                      p->set->entries[i].report->error);
}

static void put_names(const struct page *p, const char *word,
                      const struct report_list *names)
{
    size_t n = names->n;
    if (n > SHOWN && !p->style.verbose)
        n = SHOWN;
    for (size_t i = 0; i < n; i++)
        put_plain(p, word, names->items[i], "");
    put_more(p, names->n - n);
}

static void put_functions(const struct page *p, const char *word,
                          const struct report_entry *e,
                          const struct report_list *names)
{
    for (size_t i = 0; i < names->n; i++) {
        struct buf text = {0};
        buf_printf(&text, "function %s", names->items[i]);
        put_plain(p, word, e->name, buf_text(&text));
        buf_fini(&text);
    }
}

static void put_one_sided(const struct page *p)
{
    put_names(p, "added", &p->set->gate->added);
    put_names(p, "removed", &p->set->gate->removed);
    for (size_t i = 0; i < p->set->n; i++) {
        const struct report_entry *e = &p->set->entries[i];
        put_functions(p, "added", e, &e->report->only_tuned);
        put_functions(p, "removed", e, &e->report->only_untuned);
    }
}

static void put_all_gone(const struct page *p)
{
    const struct report_gate *gate = p->set->gate;
    for (size_t i = 0; i < gate->ngone; i++) {
        struct buf text = {0};
        report_put_gone(&text, &gate->gone[i]);
        put_plain(p, "fixed", gate->gone[i].name, buf_text(&text));
        buf_fini(&text);
    }
}

/* ---- the whole ----------------------------------------------------------------- */

/* Bytes of the folder, with its last slash, in which all modules are. */
static size_t common_folder(const struct report_set *set)
{
    const struct report_gate *g = set->gate;
    const char *first = NULL;
    size_t n = 0, total = set->n + g->added.n + g->removed.n + g->ngone;
    for (size_t i = 0; i < total; i++) {
        size_t k = i;
        const char *name = k < set->n                   ? set->entries[k].name
                           : (k -= set->n) < g->added.n ? g->added.items[k]
                           : (k -= g->added.n) < g->removed.n
                               ? g->removed.items[k]
                               : g->gone[k - g->removed.n].name;
        if (first == NULL) {
            first = name;
            n = strlen(name);
        }
        for (size_t at = 0; at < n; at++)
            if (name[at] != first[at])
                n = at;
    }
    while (n > 0 && first[n - 1] != '/')
        n--;
    return n;
}

/* Of the names that get a line. */
static size_t widest(const struct page *p)
{
    const struct report_gate *g = p->set->gate;
    size_t width = LEAST_NAME;
    for (size_t i = 0; i < p->set->n; i++) {
        const struct report_entry *e = &p->set->entries[i];
        bool shown = e->report->error != NULL || p->style.verbose ||
                     e->report->only_tuned.n + e->report->only_untuned.n > 0;
        for (size_t k = 0; k < e->report->npairs && !shown; k++)
            shown = state_of(&e->report->pairs[k]) != STATE_FINE;
        if (shown)
            width = report_name_width(e->name + p->common, width);
    }
    for (size_t i = 0; i < g->ngone; i++)
        width = report_name_width(g->gone[i].name + p->common, width);
    return width;
}

void report_put_gate_head(struct buf *out, const struct report_set *set)
{
    const struct report_gate *g = set->gate;
    if (g->before != NULL) {
        buf_put_visible(out, g->before, strlen(g->before), "");
        return;
    }
    buf_printf(out, "%zu kernel%s, %zu unchanged", g->kernels,
               g->kernels == 1 ? "" : "s", g->unchanged);
    if (g->stored > 0 && g->stored == g->unchanged)
        buf_puts(out, " (stored)");
    else if (g->stored > 0)
        buf_printf(out, " (%zu stored)", g->stored);
    buf_printf(out, ", %zu checked", g->checked);
    if (g->unseen > 0)
        buf_printf(out, ", %zu not looked at", g->unseen);
    if (g->added.n > 0)
        buf_printf(out, ", %zu added", g->added.n);
    if (g->removed.n > 0)
        buf_printf(out, ", %zu removed", g->removed.n);
}

void report_put_gate_counts(struct buf *out, const struct report_set *set)
{
    struct report_counts c;
    size_t expired = 0, changed = 0;
    report_count(set, &c);
    for (size_t i = 0; i < set->n; i++)
        for (size_t k = 0; k < set->entries[i].report->npairs; k++) {
            const struct report_pair *p = &set->entries[i].report->pairs[k];
            expired += p->again != NULL && p->expired;
            changed += p->again != NULL && !p->expired;
        }
    buf_printf(out, "%zu new finding%s", c.findings,
               c.findings == 1 ? "" : "s");
    if (changed + expired > 0)
        buf_printf(out, " (%zu changed, %zu expired)", changed, expired);
    buf_printf(out, ", %zu known, %zu fixed", c.known, set->gate->ngone);
    if (c.undecided > 0)
        buf_printf(out, ", %zu undecided", c.undecided);
    if (c.errors > 0)
        buf_printf(out, ", %zu not compared", c.errors);
}

void report_put_gate(struct buf *out, const struct report_set *set,
                     struct report_style style)
{
    struct page p = {.out = out, .set = set, .style = style};
    p.columns = style.columns > 0 && style.columns < MAX_COLUMNS ? style.columns
                                                                 : MAX_COLUMNS;
    p.common = common_folder(set);
    p.width = widest(&p);
    report_put_gate_head(out, set);
    if (set->gate->before == NULL && set->time_s > 0) {
        buf_puts(out, ", ");
        report_put_time(out, set->time_s);
    }
    buf_putc(out, '\n');
    put_errors(&p);
    put_state(&p, STATE_NEW, "new");
    put_state(&p, STATE_OPEN, "open");
    put_state(&p, STATE_KNOWN, "known");
    put_all_gone(&p);
    put_one_sided(&p);
    if (style.verbose)
        put_state(&p, STATE_FINE, "fine");
    report_put_gate_counts(out, set);
    buf_putc(out, '\n');
    report_put_shard(out, set);
}
