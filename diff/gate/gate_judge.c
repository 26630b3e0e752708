/* SPDX-License-Identifier: Apache-2.0
 *
 * What was accepted, or found before, against what is found now.
 *
 * A finding has a place, the pair and the function, and a cause, the fingerprint
 * (reports/report_finding.c). The same cause in the same place is the same
 * finding; another cause there is a finding again, whatever was accepted. Of what
 * the list has and no finding is at its place for, the outcome now is told.
 *
 * The list is sorted by place, so that each look takes the logarithm of its
 * length.
 */
#include "diff/gate/gate.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const struct gate_known *a, const char *pair,
                    const char *function)
{
    int order = strcmp(a->pair, pair);
    return order != 0 ? order : strcmp(a->function, function);
}

static int by_all(const void *a, const void *b)
{
    const struct gate_known *x = a, *y = b;
    int order = by_place(x, y->pair, y->function);
    return order != 0 ? order : strcmp(x->fingerprint, y->fingerprint);
}

/* The first of the place; list->len if there is none. */
static size_t find_place(const struct gate_known_list *list, const char *pair,
                         const char *function)
{
    size_t lo = 0, hi = list->len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (by_place(&list->items[mid], pair, function) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < list->len && by_place(&list->items[lo], pair, function) == 0
               ? lo
               : list->len;
}

/* Accepted or not. */
static bool is_finding(const struct report_pair *p)
{
    return p->known != NULL || p->exit_code == REPORT_EXIT_FINDING ||
           p->exit_code == REPORT_EXIT_UNDECIDED;
}

/* Accepted, or why it is not any more. */
static void accept(const struct gate_known *k, const char *today,
                   struct report *r, struct report_pair *p)
{
    struct report_known *known = ARENA_NEW(r->arena, struct report_known);
    *known = (struct report_known){k->reason, k->author, k->until, k->also,
                                   p->exit_code};
    if (k->until != NULL && strcmp(k->until, today) < 0) {
        p->again = arena_printf(r->arena, "accepted until %s, which has passed",
                                k->until);
        p->expired = true;
        p->lapsed = known;
        return;
    }
    p->known = known;
    p->exit_code = REPORT_EXIT_NOTHING;
}

static void judge_pair(struct gate_known_list *list, const char *today,
                       const char *name, struct report *r,
                       struct report_pair *p)
{
    size_t at = find_place(list, name, p->function), i = at;
    const struct gate_known *same = NULL;
    if (at == list->len || !is_finding(p))
        return;
    const char *print = report_fingerprint(r->arena, p);
    for (; i < list->len && by_place(&list->items[i], name, p->function) == 0;
         i++) {
        list->items[i].matched = true;
        if (strcmp(list->items[i].fingerprint, print) == 0)
            same = &list->items[i];
    }
    if (p->known != NULL) /* accepted by the run that it is of */
        return;
    if (same != NULL)
        accept(same, today, r, p);
    else if (list->items[at].what != NULL && *list->items[at].what)
        p->again = arena_printf(r->arena, "known for another cause: %s",
                                list->items[at].what);
    else
        p->again = arena_printf(r->arena, "known for another cause, %s",
                                list->items[at].rule);
}

void gate_judge(struct gate_known_list *known, const char *today, size_t n,
                struct gate_case *cases)
{
    if (known->len > 0)
        qsort(known->items, known->len, sizeof *known->items, by_all);
    for (size_t i = 0; i < n; i++) {
        struct report *r = cases[i].report;
        if (cases[i].unseen || r->error != NULL)
            continue;
        r->exit_code = REPORT_EXIT_NOTHING;
        for (size_t k = 0; k < r->npairs; k++) {
            judge_pair(known, today, cases[i].pair, r, &r->pairs[k]);
            r->exit_code =
                report_exit_worst(r->exit_code, r->pairs[k].exit_code);
        }
    }
}

/* ---- what is gone ---------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int by_case(const void *a, const void *b)
{
    const struct gate_case *x = a, *y = b;
    return strcmp(x->pair, y->pair);
}

/* "now IDENTICAL"; NULL where nothing is known. */
static const char *outcome(const struct gate_known *k,
                           const struct gate_case *c, struct arena *arena)
{
    if (c->unseen || c->report->error != NULL)
        return NULL;
    for (size_t i = 0; i < c->report->npairs; i++) {
        const struct report_pair *p = &c->report->pairs[i];
        if (strcmp(p->function, k->function) != 0)
            continue;
        if (p->exit_code == REPORT_EXIT_INTERNAL)
            return NULL;
        if (p->verdict == k->verdict)
            return "no finding by the options of this run";
        struct buf word = {0};
        buf_puts(&word, "now ");
        buf_put_upper(&word, report_verdict_name(p->verdict));
        const char *kept = arena_strdup(arena, buf_text(&word));
        buf_fini(&word);
        return kept;
    }
    return "the function is gone";
}

static bool is_below(const char *name, const char *path)
{
    size_t n = strlen(path);
    return n == 0 ||
           (strncmp(name, path, n) == 0 && (name[n] == '/' || name[n] == '\0'));
}

/* What is said of a module that is no case; NULL: it was not looked at. */
static const char *absent(const struct gate_others *others, const char *name)
{
    bool looked = others->npaths == 0;
    for (size_t i = 0; i < others->npaths && !looked; i++)
        looked = is_below(name, others->paths[i]);
    return looked ? others->absent : NULL;
}

void gate_collect_gone(struct gate_known_list *known, size_t n,
                       const struct gate_case *cases,
                       const struct gate_others *others, struct arena *arena,
                       struct report_gate *out)
{
    struct gate_case *sorted = ARENA_ARRAY(arena, n + 1, struct gate_case);
    struct report_gone *gone =
        ARENA_ARRAY(arena, known->len + 1, struct report_gone);
    if (n > 0) {
        memcpy(sorted, cases, n * sizeof *sorted);
        qsort(sorted, n, sizeof *sorted, by_case);
    }
    for (size_t i = 0; i < known->len; i++) {
        struct gate_known *k = &known->items[i];
        const struct gate_case want = {.pair = k->pair};
        const struct gate_case *c =
            n ? bsearch(&want, sorted, n, sizeof *sorted, by_case) : NULL;
        const char *now = absent(others, k->pair);
        if (k->matched)
            continue;
        if (c != NULL)
            now = outcome(k, c, arena);
        else if (others->same.n > 0 &&
                 bsearch(&k->pair, others->same.items, others->same.n,
                         sizeof *others->same.items, by_name))
            now = "both sides are the same now";
        k->gone = now != NULL;
        if (now != NULL)
            gone[out->ngone++] =
                (struct report_gone){k->pair, k->function, k->verdict, now};
    }
    out->gone = gone;
}

/* ---- findings as a list ------------------------------------------------------------ */

void gate_collect(const char *pair, const struct report *report,
                  struct arena *arena, struct gate_known_list *out)
{
    for (size_t i = 0; i < report->npairs && report->error == NULL; i++) {
        const struct report_pair *p = &report->pairs[i];
        struct buf what = {0};
        const struct report_known *known = p->known ? p->known : p->lapsed;
        if (!is_finding(p))
            continue;
        report_put_sentence(&what, p);
        vec_push(out, ((struct gate_known){
                          .pair = arena_strdup(arena, pair),
                          .function = arena_strdup(arena, p->function),
                          .rule = arena_strdup(arena, report_rule(arena, p)),
                          .fingerprint = report_fingerprint(arena, p),
                          .what = arena_strdup(arena, buf_text(&what)),
                          .verdict = p->verdict,
                          .reason = known ? known->reason : NULL,
                          .author = known ? known->author : NULL,
                          .until = known ? known->until : NULL}));
        buf_fini(&what);
    }
}
