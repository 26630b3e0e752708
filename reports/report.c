/* SPDX-License-Identifier: Apache-2.0
 *
 * The report model: names of verdicts and evidence, lists, values as text.
 *
 * Nothing here decides anything: verdicts come from the engine, the exit
 * status from the policy in diff/. Lists are sorted before they are written so
 * that the same findings give the same bytes whatever order they came in.
 */
#include "reports/reports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *meaning;
} verdicts[REPORT_NVERDICTS] = {
    [REPORT_UNSAFE] = {"unsafe", "the tuned module has a fault that the "
                                 "untuned one has not"},
    [REPORT_DIFFERENT] = {"different", "the modules compute different values"},
    [REPORT_PRECISION] = {"precision", "equal but for the types or places of "
                                       "rounding"},
    [REPORT_UNKNOWN] = {"unknown", "not decided"},
    [REPORT_AGREES] = {"agrees", "no difference on any input tried"},
    [REPORT_ALGEBRAIC] = {"algebraic", "equal as real functions"},
    [REPORT_ORDER_ONLY] = {"order-only", "equal but for the order in which "
                                         "terms are combined"},
    [REPORT_IDENTICAL] = {"identical", "the same bits on every input"},
};

const char *report_verdict_name(enum report_verdict verdict)
{
    return verdict < REPORT_NVERDICTS ? verdicts[verdict].name : "?";
}

const char *report_verdict_meaning(enum report_verdict verdict)
{
    return verdict < REPORT_NVERDICTS ? verdicts[verdict].meaning : "?";
}

bool report_verdict_parse(const char *text, size_t len,
                          enum report_verdict *out)
{
    for (size_t i = 0; i < REPORT_NVERDICTS; i++) {
        if (strlen(verdicts[i].name) == len &&
            memcmp(verdicts[i].name, text, len) == 0) {
            *out = (enum report_verdict)i;
            return true;
        }
    }
    return false;
}

static const char *const outcomes[REPORT_NOUTCOMES] = {
    [REPORT_WRONG] = "wrong",
    [REPORT_NONDETERMINISTIC] = "nondeterministic",
    [REPORT_DEVIATES] = "deviates",
    [REPORT_UNEXPLAINED] = "unexplained",
    [REPORT_ERROR] = "error",
    [REPORT_WITHIN_BOUND] = "within-bound",
    [REPORT_EXPLAINED] = "explained",
    [REPORT_SKIPPED] = "skipped",
    [REPORT_EXACT] = "exact",
};

const char *report_outcome_name(enum report_outcome outcome)
{
    return outcome < REPORT_NOUTCOMES ? outcomes[outcome] : "?";
}

bool report_outcome_parse(const char *text, size_t len,
                          enum report_outcome *out)
{
    for (size_t i = 0; i < REPORT_NOUTCOMES; i++) {
        if (strlen(outcomes[i]) == len && memcmp(outcomes[i], text, len) == 0) {
            *out = (enum report_outcome)i;
            return true;
        }
    }
    return false;
}

/* mean_abs holds the sum while elements are added one by one: kept as a mean
 * by the running formula, so that it is right at any time. */
void report_distance_add(struct report_distance *d, struct dtype t,
                         uint64_t want, uint64_t have)
{
    double difference = 0;
    d->elements++;
    if (!num_same(t, want, have)) {
        uint64_t ulp = num_ulp_distance(t, want, have);
        d->differing++;
        d->max_ulp = ulp > d->max_ulp ? ulp : d->max_ulp;
        difference = fabs(num_to_double(t, want) - num_to_double(t, have));
        if (!(difference < HUGE_VAL)) /* infinities and NaN */
            difference = 0;
        d->max_abs = difference > d->max_abs ? difference : d->max_abs;
    }
    d->mean_abs += (difference - d->mean_abs) / (double)d->elements;
}

const char *report_evidence_name(enum report_evidence evidence)
{
    switch (evidence) {
    case REPORT_NO_EVIDENCE: return "none";
    case REPORT_RUN: return "run";
    case REPORT_FINGERPRINT: return "fingerprint";
    case REPORT_PROOF: return "proof";
    }
    return "?";
}

struct report *report_new(void)
{
    struct arena *arena = arena_new();
    struct report *report = ARENA_NEW(arena, struct report);
    report->arena = arena;
    return report;
}

void report_free(struct report *report)
{
    if (report)
        arena_free(report->arena);
}

void report_add(struct report *report, struct report_list *list,
                const char *fmt, ...)
{
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 8;
        const char **items = ARENA_ARRAY(report->arena, cap, const char *);
        if (list->n > 0)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
        list->cap = cap;
    }
    va_list args;
    va_start(args, fmt);
    list->items[list->n++] = arena_vprintf(report->arena, fmt, args);
    va_end(args);
}

void report_fail(struct report *report, int exit_code, const char *code,
                 const char *message)
{
    struct report_error *e = ARENA_NEW(report->arena, struct report_error);
    e->code = arena_strdup(report->arena, code);
    e->message = arena_strdup(report->arena, message);
    report->error = e->message;
    report->errors = e;
    report->nerrors = 1;
    report->exit_code = exit_code;
}

void report_refuse(struct report *report, int exit_code,
                   const struct diag_sink *sink)
{
    struct arena *a = report->arena;
    size_t n = diag_count(sink), errors = 0;
    struct report_error *all = ARENA_ARRAY(a, n + 1, struct report_error);
    for (size_t i = 0; i < n; i++) {
        const struct diag *d = diag_at(sink, i);
        if (d->severity != DIAG_ERROR)
            continue;
        all[errors++] = (struct report_error){
            .code = arena_strdup(a, d->code),
            .message = arena_strdup(a, d->message),
            .file = d->file ? arena_strdup(a, d->file) : NULL,
            .line = d->line,
            .col = d->line > 0 ? d->col : 0,
            .path = d->path ? arena_strdup(a, d->path) : NULL};
    }
    report_fail(report, exit_code, "input", "the input could not be read");
    if (errors == 0)
        return;
    report->error = all[0].message;
    report->errors = all;
    report->nerrors = errors;
}

void report_put_errors(struct buf *out, const struct report *report)
{
    for (size_t i = 0; i < report->nerrors; i++) {
        const struct report_error *e = &report->errors[i];
        buf_puts(out, e->file ? e->file : "");
        if (e->line > 0)
            buf_printf(out, ":%u", e->line);
        if (e->col > 0)
            buf_printf(out, ":%u", e->col);
        buf_printf(out, "%s%s [%s]", e->file ? ": " : "", e->message, e->code);
        if (e->path != NULL)
            buf_printf(out, " (at %s)", e->path);
        buf_putc(out, '\n');
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void report_forget_times(struct report *report)
{
    for (size_t i = 0; i < report->npairs; i++) {
        struct report_pair *p = &report->pairs[i];
        p->time_s = 0;
        for (size_t k = 0; k < p->ntargets; k++)
            p->targets[k].time_s = 0;
    }
}

void report_list_sort(struct report_list *list)
{
    if (list->n == 0)
        return;
    qsort(list->items, list->n, sizeof *list->items, by_text);
    size_t kept = 1;
    for (size_t i = 1; i < list->n; i++) {
        if (strcmp(list->items[i], list->items[kept - 1]) != 0)
            list->items[kept++] = list->items[i];
    }
    list->n = kept;
}

bool report_worst(const struct report *report, enum report_verdict *out)
{
    if (report->error || report->npairs == 0)
        return false;
    *out = report->pairs[0].verdict;
    for (size_t i = 1; i < report->npairs; i++) {
        if (report->pairs[i].verdict < *out)
            *out = report->pairs[i].verdict;
    }
    return true;
}

void report_put_value(struct buf *out, const struct report_value *value)
{
    switch (value->kind) {
    case REPORT_V_NONE: buf_puts(out, "not known"); return;
    case REPORT_V_UNDEFINED: buf_puts(out, "undefined"); return;
    case REPORT_V_NOTHING: buf_puts(out, "no real number"); return;
    case REPORT_V_BITS:
        num_put(out, dtype_scalar(value->dtype), value->bits);
        return;
    case REPORT_V_BOX:
        buf_putc(out, '[');
        buf_put_double(out, value->lo);
        buf_puts(out, ", ");
        buf_put_double(out, value->hi);
        buf_putc(out, ']');
        return;
    }
}

static void put_region(struct buf *out, const struct report_witness *w)
{
    buf_printf(out, "%s[", w->parameter);
    for (size_t i = 0; i < w->nindex; i++) {
        buf_printf(out, "%s%lld", i ? ", " : "", (long long)w->from[i]);
        if (w->to[i] > w->from[i])
            buf_printf(out, "..%lld", (long long)w->to[i]);
    }
    buf_putc(out, ']');
}

bool report_put_extent(struct buf *out, const struct report_witness *w)
{
    if (w->compared == 0 || w->differing == 0 || w->parameter == NULL)
        return false;
    buf_printf(out, "%zu of %zu elements of %s %s on this input", w->differing,
               w->compared, w->parameter,
               w->differing == 1 ? "differs" : "differ");
    if (w->from != NULL && w->nindex > 0 && w->differing < w->compared &&
        w->differing > 1) {
        buf_puts(out, ", all in ");
        put_region(out, w);
    }
    if (w->before_differing > w->differing)
        buf_printf(out, "; %zu on the larger one that it was made from",
                   w->before_differing);
    return true;
}

void report_put_index(struct buf *out, const struct report_witness *w)
{
    buf_putc(out, '[');
    for (size_t i = 0; i < w->nindex; i++)
        buf_printf(out, "%s%lld", i ? ", " : "", (long long)w->index[i]);
    buf_putc(out, ']');
}

uint32_t report_line(const struct report *report,
                     const struct report_pair *pair)
{
    const struct report_origin *o = pair != NULL ? pair->origin : NULL;
    for (size_t i = 0; o != NULL && i < o->nplaces; i++) {
        const struct report_place *p = &o->places[i];
        if (p->tuned && p->file != NULL && report->tuned != NULL &&
            strcmp(p->file, report->tuned) == 0)
            return p->line;
    }
    return pair != NULL && pair->witness != NULL ? pair->witness->line : 0;
}

const struct report_writer *report_writer_find(const char *name, size_t len)
{
    for (size_t i = 0; report_writers[i]; i++) {
        if (strlen(report_writers[i]->name) == len &&
            memcmp(report_writers[i]->name, name, len) == 0)
            return report_writers[i];
    }
    return NULL;
}
