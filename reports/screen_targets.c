/* SPDX-License-Identifier: Apache-2.0
 *
 * What both texts, the first screen and the details, say of targets: how far
 * results are from each other, and which of several targets tells most.
 */
#include "reports/screen.h"

/* "tuned differs from untuned on 28.1 % of 64 elements, max 0.375 (12 ulp), mean
 * 0.059"; nothing where none differs. */
static bool put_distance(struct buf *out, const char *what,
                         const struct report_distance *d)
{
    double share =
        d->elements ? 100.0 * (double)d->differing / (double)d->elements : 0;
    if (d->differing == 0)
        return false;
    buf_printf(out, "%s on %.3g %% of %llu elements, max %.3g (", what, share,
               (unsigned long long)d->elements, d->max_abs);
    if (d->max_ulp == UINT64_MAX)
        buf_puts(out, "NaN on one side");
    else
        buf_printf(out, "%llu ulp", (unsigned long long)d->max_ulp);
    buf_printf(out, "), mean %.3g", d->mean_abs);
    return true;
}

bool screen_same_distance(const struct report_distance *a,
                          const struct report_distance *b)
{
    return a->differing == b->differing && a->elements == b->elements &&
           a->max_abs == b->max_abs && a->mean_abs == b->mean_abs &&
           a->max_ulp == b->max_ulp;
}

size_t screen_list_distances(const struct report_target *t,
                             struct buf out[SCREEN_DISTANCES])
{
    const struct report_distance *tuned = &t->tuned.from_reference;
    const struct report_distance *untuned = &t->untuned.from_reference;
    size_t n = 0;
    if (!t->ran)
        return 0;
    if (screen_same_distance(tuned, untuned)) {
        n += put_distance(&out[n], "both differ from the interpreter", tuned);
    } else {
        n += put_distance(&out[n], "tuned differs from the interpreter", tuned);
        n += put_distance(&out[n], "untuned differs from the interpreter",
                          untuned);
    }
    n += put_distance(&out[n], "tuned differs from untuned", &t->between);
    return n;
}

const struct report_target *screen_worst_target(const struct report_pair *pair)
{
    const struct report_target *worst = NULL;
    for (size_t i = 0; i < pair->ntargets; i++) {
        const struct report_target *t = &pair->targets[i];
        if (t->detail == NULL)
            continue;
        if (worst == NULL || t->outcome < worst->outcome ||
            (t->outcome == worst->outcome &&
             t->between.elements > worst->between.elements))
            worst = t;
    }
    return worst;
}

const char *screen_outcome_colour(enum report_outcome outcome)
{
    switch (outcome) {
    case REPORT_WRONG:
    case REPORT_NONDETERMINISTIC:
    case REPORT_DEVIATES:
    case REPORT_UNEXPLAINED: return SCREEN_RED;
    case REPORT_ERROR:
    case REPORT_WITHIN_BOUND: return SCREEN_YELLOW;
    case REPORT_EXPLAINED:
    case REPORT_EXACT: return SCREEN_GREEN;
    case REPORT_SKIPPED:
    case REPORT_NOUTCOMES: break;
    }
    return "";
}
