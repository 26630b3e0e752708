/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of summation on request: nothing is compared or explained, the target
 * is asked how it adds chosen elements.
 */
#include "diff/drift/drift_tree_private.h"

#include <string.h>

static void start(struct drift_study *s, const struct drift_question *q)
{
    memset(s, 0, sizeof *s);
    s->q = q;
    s->func = q->func;
    s->arena = arena_new();
    s->max_steps = q->max_steps > 0 ? q->max_steps : UINT64_C(2000000000);
    s->outputs = ARENA_ARRAY(s->arena, q->nargs + 1, size_t);
    for (size_t i = 0; i < q->nargs; i++)
        if (q->is_output[i])
            s->outputs[s->noutputs++] = i;
}

/* The ways of all elements that are sums. */
static size_t measure(struct sums *x, size_t n, struct arena *arena,
                      struct drift_way *ways, const char **why)
{
    size_t *which = ARENA_ARRAY(x->s->arena, n + 1, size_t), count = 0;
    struct sum_way *found = ARENA_ARRAY(x->s->arena, n + 1, struct sum_way);
    const char **failed = ARENA_ARRAY(x->s->arena, n + 1, const char *);
    size_t good = 0;
    for (size_t i = 0; i < n; i++) {
        why[i] = x->elements[i].why;
        if (why[i] == NULL)
            which[count++] = i;
    }
    (void)sums_find_ways(x, count, which, found, failed);
    for (size_t i = 0; i < count; i++) {
        size_t at = which[i];
        if (found[i].n == 0 || x->failed) {
            why[at] = failed[i] != NULL ? failed[i] : "the target failed";
            continue;
        }
        sums_show(x, &x->elements[at], &found[i], x->cell, arena, &ways[at]);
        ways[at].elements = 1;
        good++;
    }
    return good;
}

bool drift_measure(const struct drift_question *question, size_t param,
                   size_t n, const size_t *elements, struct arena *arena,
                   struct drift_way *ways, const char **why, size_t *runs)
{
    struct drift_study s;
    struct sums x;
    const char *failed = "it is no sum";
    size_t good = 0;
    start(&s, question);
    memset(ways, 0, n * sizeof *ways);
    for (size_t i = 0; i < n; i++)
        why[i] = NULL;
    bool fine = sums_trace(&s, param, n, elements, &x, &failed) &&
                sums_add_former(&x, &failed);
    if (fine)
        good = measure(&x, n, arena, ways, why);
    for (size_t i = 0; i < n; i++) {
        if (!fine)
            why[i] = failed;
        if (why[i] != NULL)
            why[i] = arena_strdup(arena, why[i]);
    }
    *runs = x.runs;
    arena_free(s.arena);
    return good > 0;
}
