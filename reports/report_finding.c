/* SPDX-License-Identifier: Apache-2.0
 *
 * What a finding is known by, from one run to the next: its rule and the
 * fingerprint of its cause. SARIF's services, baselines and `diff` all take them
 * from here.
 *
 * A fingerprint is of function, rule and statement, never of a line or a number
 * of this input: it stays when something else of the file changes, when another
 * element shows the same fault, and when sizes do. Where an output differs, its
 * name and the terms that one side alone has, with every number of them left out,
 * are part of it; what is undecided has its verdict, a target its name
 * and outcome.
 */
#include "reports/reports.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What the pair calls for, accepted or not. */
static int status_of(const struct report_pair *p)
{
    return p->known ? p->known->exit_code : p->exit_code;
}

/* The target whose outcome --fail-on made a finding: the exit status names it. */
static const struct report_target *failed_by_target(const struct report_pair *p)
{
    static const char prefix[] = "target ";
    size_t n = sizeof prefix - 1;
    if (p->exit_because == NULL || strncmp(p->exit_because, prefix, n) != 0 ||
        status_of(p) != REPORT_EXIT_FINDING)
        return NULL;
    for (size_t i = 0; i < p->ntargets; i++)
        if (strcmp(p->targets[i].target, p->exit_because + n) == 0)
            return &p->targets[i];
    return NULL;
}

static const struct report_target *guilty(const struct report_pair *p)
{
    for (size_t i = 0; i < p->ntargets && p->verdict > REPORT_UNKNOWN; i++)
        if (p->targets[i].outcome <= REPORT_ERROR)
            return &p->targets[i];
    return failed_by_target(p);
}

/* Without blanks, which rules have none of. */
static const char *make_rule(struct arena *arena, const char *verdict,
                             const char *kind)
{
    char *rule = arena_printf(arena, "%s/%s", verdict, kind);
    for (char *c = rule; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    return rule;
}

/* Faults whose rule is not their name. */
static const struct {
    const char *fault, *rule;
} shorter[] = {
    {"barrier divergence", "divergence"},
    {"failed assertion", "assertion"},
    {"index overflow", "overflow"},
    {"uninitialised value", "uninitialised"},
};

const char *report_fault_rule(struct arena *arena, const char *fault)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(shorter); i++)
        if (strcmp(shorter[i].fault, fault) == 0)
            return make_rule(arena, "unsafe", shorter[i].rule);
    return make_rule(arena, "unsafe", fault);
}

const char *report_rule(struct arena *arena, const struct report_pair *p)
{
    const struct report_witness *w = p->witness;
    const struct report_target *t = guilty(p);
    if (t != NULL)
        return arena_printf(arena, "target/%s",
                            report_outcome_name(t->outcome));
    if (status_of(p) == REPORT_EXIT_UNDECIDED)
        return "undecided";
    if (p->verdict == REPORT_UNSAFE)
        return report_fault_rule(arena, w && w->fault ? w->fault : "fault");
    if (p->verdict == REPORT_DIFFERENT)
        return make_rule(arena, "different", w && w->kind ? w->kind : "value");
    return report_verdict_name(p->verdict);
}

/* Every number that is no part of a name becomes '#'. */
static void put_masked(struct buf *out, const char *text)
{
    bool in_name = false;
    while (*text) {
        unsigned char c = (unsigned char)*text;
        if (!in_name && isdigit(c)) {
            buf_putc(out, '#');
            while (isalnum((unsigned char)*text) || *text == '.')
                text++;
            continue;
        }
        in_name = isalnum(c) || c == '_' || c >= 0x80;
        buf_putc(out, *text++);
    }
}

/* The kinds of terms of the list, each once, whatever their order. */
static void put_kinds(struct buf *out, const char *sign,
                      const struct report_list *terms)
{
    struct report_list kinds = {0};
    struct report *list = report_new();
    for (size_t i = 0; i < terms->n; i++) {
        struct buf one = {0};
        put_masked(&one, terms->items[i]);
        report_add(list, &kinds, "%s", buf_text(&one));
        buf_fini(&one);
    }
    report_list_sort(&kinds);
    for (size_t i = 0; i < kinds.n; i++)
        buf_printf(out, "%s%s", sign, kinds.items[i]);
    report_free(list);
}

static void put_statements(struct buf *out, const struct report_origin *origin)
{
    for (size_t i = 0; origin != NULL && i < origin->nplaces; i++)
        if (origin->places[i].text != NULL)
            buf_printf(out, " %s", origin->places[i].text);
}

static void put_cause(struct buf *out, const struct report_pair *p)
{
    const struct report_witness *w = p->witness;
    const struct report_target *t = guilty(p);
    if (t != NULL) {
        buf_printf(out, "%s %s", t->target, t->hypothesis ? t->hypothesis : "");
    } else if (w != NULL && w->where != NULL) {
        buf_puts(out, w->where);
    } else if (w != NULL && w->parameter != NULL) {
        buf_puts(out, w->parameter);
        put_statements(out, p->origin);
        put_kinds(out, " - ", &w->missing);
        put_kinds(out, " + ", &w->extra);
    } else if (status_of(p) == REPORT_EXIT_UNDECIDED) {
        buf_puts(out, report_verdict_name(p->verdict));
    }
}

void report_put_hash(struct buf *out, const char *rule, const char *function,
                     const char *cause)
{
    uint64_t hash = hash_bytes(0, rule, strlen(rule));
    hash = hash_bytes(hash, function, strlen(function));
    hash = hash_bytes(hash, cause, strlen(cause));
    buf_printf(out, "%016llx", (unsigned long long)hash);
}

const char *report_fingerprint(struct arena *arena, const struct report_pair *p)
{
    struct buf cause = {0}, text = {0};
    put_cause(&cause, p);
    report_put_hash(&text, report_rule(arena, p), p->function,
                    buf_text(&cause));
    const char *out = arena_strdup(arena, buf_text(&text));
    buf_fini(&cause);
    buf_fini(&text);
    return out;
}

/* ---- races ------------------------------------------------------------------------ */

void report_put_input(struct buf *out, const struct report_witness *w,
                      bool smallest)
{
    if (smallest && w->smallest != NULL)
        buf_puts(out, w->smallest);
    else
        buf_printf(out, "%s, seed %llu", w->input, (unsigned long long)w->seed);
    for (size_t i = 0; i < w->ndims; i++)
        buf_printf(out, ", %s = %lld", w->dims[i].name,
                   (long long)w->dims[i].value);
}

bool report_is_race(const struct report_origin *origin)
{
    return origin != NULL && origin->nplaces >= 2 &&
           origin->places[0].access != NULL && origin->places[1].access != NULL;
}

void report_put_thread(struct buf *out, const char *thread)
{
    size_t before = out->len;
    while (*thread != '\0') {
        size_t n = strcspn(thread, ",");
        if (n < 2 || strncmp(thread + n - 2, " 0", 2) != 0)
            buf_printf(out, "%s%.*s", out->len > before ? ", " : "", (int)n,
                       thread);
        thread += n;
        thread += strspn(thread, ", ");
    }
    if (out->len == before)
        buf_puts(out, "thread 0");
}
