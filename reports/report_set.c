/* SPDX-License-Identifier: Apache-2.0
 *
 * Many reports at once: counts, the worst exit status, the sentence that names
 * what was found. All writers take these from here, so that none counts or words
 * otherwise than another.
 */
#include "reports/screen.h"

#include <string.h>

#define MAX_COLUMNS 100u
#define MAX_NAME    40u /* of a pair, in a row; longer ones push the rest */
#define VERDICT     11
#define TIME        6
#define LEAST_TEXT  24u /* of a sentence, however narrow the terminal */

/* Worst first. Statuses beyond are internal errors. */
static int rank_of(int status)
{
    static const int order[] = {REPORT_EXIT_INTERNAL, REPORT_EXIT_USAGE,
                                REPORT_EXIT_FINDING, REPORT_EXIT_UNDECIDED,
                                REPORT_EXIT_NOTHING};
    for (int i = 0; i < (int)DC_ARRAY_LEN(order); i++) {
        if (order[i] == status)
            return i;
    }
    return 0;
}

int report_exit_worst(int a, int b)
{
    return rank_of(a) <= rank_of(b) ? a : b;
}

int report_exit_of(const struct report_set *set)
{
    int worst = REPORT_EXIT_NOTHING;
    for (size_t i = 0; i < set->n; i++)
        worst = report_exit_worst(worst, set->entries[i].report->exit_code);
    return worst;
}

void report_count(const struct report_set *set, struct report_counts *out)
{
    *out = (struct report_counts){0};
    for (size_t i = 0; i < set->n; i++) {
        const struct report *r = set->entries[i].report;
        if (r->error != NULL) {
            out->errors++;
            out->pairs++;
            continue;
        }
        for (size_t k = 0; k < r->npairs; k++) {
            const struct report_pair *p = &r->pairs[k];
            out->pairs++;
            out->verdict[p->verdict]++;
            if (p->known != NULL)
                out->known++;
            else if (p->exit_code == REPORT_EXIT_NOTHING)
                out->fine++;
            else if (p->exit_code == REPORT_EXIT_UNDECIDED)
                out->undecided++;
            else
                out->findings++;
            out->broken += p->exit_code == REPORT_EXIT_INTERNAL;
        }
    }
}

void report_put_counts(struct buf *out, const struct report_counts *counts)
{
    const char *before = ": ";
    size_t from = out->len;
    buf_printf(out, "%zu pair%s", counts->pairs, counts->pairs == 1 ? "" : "s");
    for (size_t v = REPORT_NVERDICTS; v-- > 0;) {
        if (counts->verdict[v] == 0)
            continue;
        if (out->len - from > MAX_COLUMNS - 24) { /* room for one more */
            buf_puts(out, ",\n ");
            from = out->len;
            before = " ";
        }
        buf_printf(out, "%s%zu %s", before, counts->verdict[v],
                   report_verdict_name((enum report_verdict)v));
        before = ", ";
    }
    if (counts->errors > 0)
        buf_printf(out, "%s%zu not compared", before, counts->errors);
}

static bool is_value(const struct report_value *v)
{
    return v->kind == REPORT_V_BITS || v->kind == REPORT_V_BOX ||
           v->kind == REPORT_V_UNDEFINED;
}

/* A target that makes the pair a finding says more than its verdict. */
static const struct report_target *guilty_target(const struct report_pair *p)
{
    bool finding = p->verdict <= REPORT_PRECISION;
    for (size_t i = 0; i < p->ntargets && !finding; i++) {
        if (p->targets[i].outcome <= REPORT_ERROR &&
            (p->exit_code != REPORT_EXIT_NOTHING || p->known != NULL))
            return &p->targets[i];
    }
    return NULL;
}

void report_put_sentence(struct buf *out, const struct report_pair *pair)
{
    const struct report_witness *w = pair->witness;
    const struct report_target *t = guilty_target(pair);
    if (t != NULL) {
        buf_printf(out, "%s on target %s", report_outcome_name(t->outcome),
                   t->target);
        if (t->reason != NULL)
            buf_printf(out, ": %s", t->reason);
    } else if (w != NULL && w->parameter != NULL && is_value(&w->tuned) &&
               is_value(&w->untuned)) {
        buf_puts(out, w->parameter);
        report_put_index(out, w);
        buf_puts(out, w->tuned.kind == REPORT_V_BOX ? " lies in " : " is ");
        report_put_value(out, &w->tuned);
        buf_puts(out, w->untuned.kind == REPORT_V_BOX ? ", should lie in "
                                                      : ", should be ");
        report_put_value(out, &w->untuned);
    } else if (pair->suspect != NULL) {
        buf_puts(out, pair->suspect);
    } else if (pair->reason != NULL) {
        buf_puts(out, pair->reason);
    }
}

/* "index 0 of 'B' is 10, …" for "buffer 'B' index 0 is 10, …", without the
 * thread, which has a place of its own. */
static void put_message(struct buf *out, const char *text, bool thread)
{
    const char *end = thread ? strstr(text, " (in ") : NULL;
    size_t n = end != NULL ? (size_t)(end - text) : strlen(text);
    const char *name = text + 8, *close;
    if (strncmp(text, "buffer '", 8) != 0 ||
        (close = strchr(name, '\'')) == NULL || close - text >= (int64_t)n) {
        buf_append(out, text, n);
        return;
    }
    const char *rest = close + 1;
    size_t digits =
        strncmp(rest, " index ", 7) == 0 ? strspn(rest + 7, "0123456789") : 0;
    if (digits > 0) {
        buf_printf(out, "index %.*s of ", (int)digits, rest + 7);
        rest += 7 + digits;
    }
    buf_append(out, name, (size_t)(close - name));
    buf_append(out, rest, n - (size_t)(rest - text));
}

bool report_put_finding(struct buf *out, const struct report_pair *pair)
{
    const struct report_witness *w = pair->witness;
    const struct report_origin *o = pair->origin;
    const char *cause = o != NULL ? o->cause : NULL;
    if (w == NULL || guilty_target(pair) != NULL) {
        report_put_sentence(out, pair);
        return guilty_target(pair) == NULL;
    }
    if (w->parameter != NULL && is_value(&w->tuned) && is_value(&w->untuned)) {
        report_put_sentence(out, pair);
        if (cause != NULL)
            buf_printf(out, ": %s", cause);
        return true;
    }
    if (w->fault != NULL && (cause != NULL || w->message != NULL)) {
        const char *said = cause == NULL ? w->message : "";
        if (strncmp(said, w->fault, strlen(w->fault)) != 0)
            buf_printf(out, "%s: ", w->fault);
        if (cause != NULL)
            buf_puts(out, cause);
        else
            put_message(out, w->message,
                        o != NULL && o->nplaces > 0 &&
                            o->places[0].thread != NULL);
        return false;
    }
    report_put_sentence(out, pair);
    return false;
}

void report_put_time(struct buf *out, double seconds)
{
    if (seconds < 0.9995)
        buf_printf(out, "%.0f ms", 1000 * seconds);
    else if (seconds < 99.95)
        buf_printf(out, "%.1f s", seconds);
    else
        buf_printf(out, "%.0f s", seconds);
}

size_t report_name_width(const char *name, size_t width)
{
    size_t n = strlen(name);
    n = n > MAX_NAME ? MAX_NAME : n;
    return n > width ? n : width;
}

static void put_padded(struct buf *out, const char *text, size_t width)
{
    size_t from = out->len;
    buf_put_visible(out, text, strlen(text), "");
    while (out->len - from < width)
        buf_putc(out, ' ');
    buf_puts(out, "  ");
}

/* Times stand below each other, so that what is cut does not depend on them; one
 * that is 0 is not known. */
static void put_row(struct buf *out, const char *name, size_t width,
                    const char *word, const char *sentence, double time_s,
                    unsigned columns)
{
    struct buf time = {0};
    size_t from = out->len;
    report_put_time(&time, time_s);
    put_padded(out, name, width);
    buf_put_upper(out, word);
    for (size_t n = strlen(word); n < VERDICT; n++)
        buf_putc(out, ' ');
    size_t used = out->len - from + 2 + TIME, room = LEAST_TEXT;
    if (used + LEAST_TEXT < columns)
        room = columns - used;
    for (size_t n = screen_put_fit(out, sentence, room); n < room; n++)
        buf_putc(out, ' ');
    if (time_s > 0)
        buf_printf(out, "  %*s", TIME, buf_text(&time));
    while (out->len > from && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    buf_putc(out, '\n');
    buf_fini(&time);
}

void report_put_rows(struct buf *out, const struct report_entry *entry,
                     size_t width, struct report_style style)
{
    const struct report *r = entry->report;
    unsigned columns = style.columns > 0 ? style.columns : MAX_COLUMNS;
    columns = columns > MAX_COLUMNS ? MAX_COLUMNS : columns;
    if (r->error != NULL)
        put_row(out, entry->name, width, "error", r->error, entry->time_s,
                columns);
    for (size_t i = 0; i < r->npairs && r->error == NULL; i++) {
        const struct report_pair *p = &r->pairs[i];
        struct buf name = {0}, text = {0};
        if (p->exit_code == REPORT_EXIT_NOTHING && !style.verbose)
            continue;
        buf_puts(&name, entry->name);
        if (r->npairs > 1)
            buf_printf(&name, ":%s", p->function);
        report_put_sentence(&text, p);
        put_row(out, buf_text(&name), width, report_verdict_name(p->verdict),
                buf_text(&text), r->npairs > 1 ? p->time_s : entry->time_s,
                columns);
        buf_fini(&text);
        buf_fini(&name);
    }
}

/* Functions that nothing was compared with: nobody is to take them for checked. */
static void put_alone(struct buf *out, const struct report_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->n; i++) {
        const struct report *r = set->entries[i].report;
        n += r->only_tuned.n + r->only_untuned.n;
    }
    if (n > 0)
        buf_printf(out, ", %zu function%s on one side alone", n,
                   n == 1 ? "" : "s");
}

void report_put_shard(struct buf *out, const struct report_set *set)
{
    const struct report_shard *s = set->shard;
    if (s != NULL)
        buf_printf(out, "shard %zu of %zu: %zu of %zu pairs\n", s->index,
                   s->count, set->n, s->total);
}

void report_put_closing(struct buf *out, const struct report_set *set)
{
    struct report_counts c;
    report_count(set, &c);
    report_put_counts(out, &c);
    if (set->time_s > 0) {
        buf_puts(out, "  ");
        report_put_time(out, set->time_s);
    }
    buf_printf(out, "\n%zu passed, %zu failed", c.fine, c.findings + c.errors);
    if (c.undecided > 0)
        buf_printf(out, ", %zu undecided", c.undecided);
    put_alone(out, set);
    buf_putc(out, '\n');
    report_put_shard(out, set);
}

struct report_set report_set_of_one(const struct report *report,
                                    struct report_entry *entry)
{
    *entry = (struct report_entry){.name = report->tuned ? report->tuned : "",
                                   .report = report};
    for (size_t i = 0; i < report->npairs && report->error == NULL; i++)
        entry->time_s += report->pairs[i].time_s;
    return (struct report_set){
        .n = 1, .entries = entry, .time_s = entry->time_s};
}

void report_write_one(const struct report_writer *writer,
                      const struct report *report, struct report_style style,
                      struct buf *out)
{
    struct report_entry entry;
    struct report_set set = report_set_of_one(report, &entry);
    writer->write(&set, style, out);
}

void report_put_screen(struct buf *out, const struct report *report,
                       struct report_pair *pair)
{
    struct report_style plain = {0};
    struct report one = *report;
    one.pairs = pair;
    one.npairs = 1;
    report_write_one(report_writer_find("text", 4), &one, plain, out);
}
