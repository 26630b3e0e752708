/* SPDX-License-Identifier: Apache-2.0
 *
 * What a person reads about drift: the answer, the walk of an element, what a
 * tolerance would have hidden.
 */
#include "diff/drift/drift_private.h"

#include <math.h>
#include <string.h>

/* ---- the walk ------------------------------------------------------------------- */

#define TERM_WIDTH 56

static void put_padded(struct buf *out, const char *text, size_t width)
{
    size_t n = strlen(text);
    if (n > width)
        buf_printf(out, "%.*s...", (int)width - 3, text);
    else
        buf_printf(out, "%-*s", (int)width, text);
}

static void put_number(struct buf *out, bool has, struct dtype t, uint64_t bits)
{
    struct buf text = {0};
    if (has)
        num_put(&text, t, bits);
    buf_printf(out, " %14s", buf_text(&text));
    buf_fini(&text);
}

static void put_step(struct buf *out, const struct drift_walk *w, size_t i)
{
    const struct drift_walk_step *s = &w->steps[i];
    bool both = w->right_name != NULL;
    buf_printf(out, "  %c %4zu  ", i == w->diverges && both ? '>' : ' ', i + 1);
    put_padded(out, s->term, TERM_WIDTH);
    put_number(out, s->has_left, s->left_type, s->left);
    if (both)
        put_number(out, s->has_right, s->right_type, s->right);
    if (s->right_term != NULL)
        buf_printf(out, "  (adds %s)", s->right_term);
    if (i == w->diverges && both)
        buf_puts(out, "  <- first difference");
    buf_putc(out, '\n');
}

/* The element term by term, both partial results, the first divergence
 * marked; long walks are cut around it. */
static void drift_put_walk(struct buf *out, const struct drift_walk *w,
                           size_t around)
{
    buf_printf(out, "  element %s%s: ", w->parameter, w->index);
    buf_puts(out, "reference ");
    num_put(out, w->dtype, w->want);
    buf_puts(out, ", target ");
    num_put(out, w->dtype, w->have);
    buf_printf(out, ", %zu terms%s\n", w->n,
               w->truncated ? " (not all are shown)" : "");
    if (w->n > 0)
        buf_printf(out, "           %-*s %14s%s\n", TERM_WIDTH, "adds",
                   "reference", w->right_name != NULL ? "       replayed" : "");
    size_t middle = w->diverges < w->n ? w->diverges : 0;
    bool cut = false;
    for (size_t i = 0; i < w->n; i++) {
        bool near = i + around >= middle && i <= middle + around;
        if (i < 2 || i + 2 >= w->n || near) {
            put_step(out, w, i);
            cut = false;
        } else if (!cut) {
            buf_puts(out, "         ...\n");
            cut = true;
        }
    }
    if (w->suspicion != NULL)
        buf_printf(out, "  %s\n", w->suspicion);
}

/* ---- tolerances ------------------------------------------------------------------ */

void drift_put_tolerance(struct buf *out, const struct drift_tolerance *t)
{
    if (!isfinite(t->atol)) {
        buf_puts(out, "  no tolerance would have passed: a NaN or an infinity "
                      "is on one side alone\n");
        return;
    }
    buf_printf(out, "  allclose would have passed with atol = %.3g", t->atol);
    if (isfinite(t->rtol))
        buf_printf(out, " (or rtol = %.3g)", t->rtol);
    buf_putc(out, '\n');
    if (t->terms > 0)
        buf_printf(out,
                   "  with that atol a dropped term goes unnoticed for %zu of "
                   "%zu terms traced (%.1f %%), in %zu of %zu elements\n",
                   t->hidden, t->terms,
                   100.0 * (double)t->hidden / (double)t->terms, t->hides,
                   t->elements);
}

/* ---- the answer --------------------------------------------------------------------- */

static void put_numbers(struct buf *out, const struct drift_answer *a)
{
    const struct drift_stats *s = &a->stats;
    double share =
        s->elements > 0 ? 100.0 * (double)s->differ / (double)s->elements : 0;
    buf_printf(out,
               "  %zu of %zu elements differ (%.1f %%), max |d| %.4g (%llu "
               "ulp), mean |d| %.4g",
               s->differ, s->elements, share, s->max_abs,
               (unsigned long long)s->max_ulp, s->mean_abs);
    if (s->max_scaled >= 0)
        buf_printf(out, ", max |d|/(u*sum|terms|) %.3g", s->max_scaled);
    if (a->explained > 0 || a->outcome == DRIFT_WITHIN_BOUND ||
        a->outcome == DRIFT_UNEXPLAINED)
        buf_printf(out, "; %zu of %zu explained", a->explained, s->differ);
    buf_putc(out, '\n');
    if (s->nan_one_side + s->inf_one_side > 0)
        buf_printf(out, "  NaN on one side alone: %zu, infinity: %zu\n",
                   s->nan_one_side, s->inf_one_side);
}

static void put_share(struct buf *out, const struct drift_trial *t)
{
    buf_printf(out, "%5.1f %%  ",
               t->compared > 0 ? 100.0 * (double)t->equal / (double)t->compared
                               : 0.0);
    num_profile_put(out, &t->profile);
    if (t->confirmed)
        buf_printf(out, "  (%zu elements%s%s)", t->compared,
                   t->everywhere ? ", all" : ", sampled",
                   t->declared ? "" : ", not declared");
    buf_putc(out, '\n');
}

/* Explanations, then the nearest misses. */
#define MISSES 4u
static void put_trials(struct buf *out, const struct drift_answer *a)
{
    size_t misses = 0;
    for (size_t i = 0; i < a->ntrials && misses < MISSES; i++) {
        bool minimal = i < a->nminimal;
        if (!minimal && a->trials[i].confirmed)
            continue; /* holds more than it needs */
        buf_printf(out, "  %s ", minimal ? (i == 0 ? "by  " : "or  ") : "not ");
        put_share(out, &a->trials[i]);
        misses += !minimal;
    }
}

/* Measured orders of summation; ways beyond the first few are alike. */
#define SHOWN_WAYS 2u
#define TREE_LINES 24u
static void put_ways(struct buf *out, const struct drift_answer *a)
{
    if (!a->by_ways && a->scheme == NULL && a->no_tree != NULL &&
        a->outcome != DRIFT_WRONG && a->nmixed == 0 &&
        a->outcome != DRIFT_EXPLAINED && a->outcome != DRIFT_DEVIATES)
        buf_printf(out, "  no order of summation explains it: %s\n",
                   a->no_tree);
    for (size_t i = 0; i < a->nways && i < SHOWN_WAYS; i++)
        drift_put_way(out, &a->ways[i], TREE_LINES);
    if (a->nways > SHOWN_WAYS)
        buf_printf(out, "  and %zu more ways\n", a->nways - SHOWN_WAYS);
}

/* Profiles that each give some elements. */
static void put_mixed(struct buf *out, const struct drift_answer *a)
{
    for (size_t i = 0; i < a->nmixed; i++) {
        buf_printf(out, "  %zu elements by ", a->mixed[i].elements);
        num_profile_put(out, &a->mixed[i].profile);
        buf_putc(out, '\n');
    }
}

void drift_put_answer(struct buf *out, const struct drift_answer *a)
{
    buf_printf(out, "%s: %s\n", drift_outcome_name(a->outcome), a->reason);
    if (a->outcome == DRIFT_ERROR || a->outcome == DRIFT_EXACT)
        return;
    put_numbers(out, a);
    put_mixed(out, a);
    if (a->by_ways)
        put_ways(out, a);
    put_trials(out, a);
    if (!a->by_ways)
        put_ways(out, a);
    drift_put_histogram(out, &a->stats);
    if (a->profile != NULL)
        buf_puts(out, a->profile);
    if (a->tolerance.elements > 0)
        drift_put_tolerance(out, &a->tolerance);
    if (a->walk != NULL)
        drift_put_walk(out, a->walk, 2);
}
