/* SPDX-License-Identifier: Apache-2.0
 *
 * Partial results in unspecified order. Which orders could matter is found
 * step by step: where exchanging the accumulator with the partial gives another
 * value (ties of an argmax), that partial is tried as the first of all. So an
 * input on which no order counts is not mistaken for one, and a tie that a
 * larger value hides does not count.
 *
 * In the interval domain a float becomes the enclosure of the results of all
 * orders tried, and an integer is marked: nothing else there ever is inexact,
 * and what would be decided by such an integer is not (arith_is_open).
 */
#include "interp/threads/unordered.h"

#include <string.h>

#define MAX_LEADS 16

static bool same_range(struct num_interval a, struct num_interval b)
{
    return a.nan == b.nan && !(a.lo < b.lo) && !(b.lo < a.lo) &&
           !(a.hi < b.hi) && !(b.hi < a.hi);
}

static bool same_bits(struct value a, struct value b)
{
    if ((a.flags | b.flags) & (V_UNDEF | V_VECTOR))
        return true;
    if ((a.flags & b.flags) & V_BOX)
        return same_range(a.u.box->range, b.u.box->range);
    return a.u.bits == b.u.bits;
}

/* Partials that may count as the first. */
struct leads {
    size_t n, at[MAX_LEADS];
};

static void see_step(struct machine *m, const struct unordered *u, size_t i,
                     const struct value *acc, const struct value *part,
                     const struct value *sum, struct leads *leads)
{
    struct value other[UNORDERED_PARTS];
    u->combine(m, u->user, part, acc, other);
    for (size_t k = 0; k < u->nparts && leads->n < MAX_LEADS; k++)
        if (!same_bits(sum[k], other[k])) {
            leads->at[leads->n++] = i;
            break;
        }
}

/* All partials but `first`, after it, in ascending order, or in descending. */
static void fold(struct machine *m, const struct unordered *u, size_t first,
                 bool descending, struct leads *leads, struct value *out)
{
    struct value acc[UNORDERED_PARTS], part[UNORDERED_PARTS];
    u->get(m, u->user, first, acc);
    for (size_t k = 0; k < u->n && !m->failed; k++) {
        size_t i = descending ? u->n - 1 - k : k;
        if (i == first)
            continue;
        u->get(m, u->user, i, part);
        u->combine(m, u->user, acc, part, out);
        if (leads != NULL)
            see_step(m, u, i, acc, part, out, leads);
        memcpy(acc, out, u->nparts * sizeof *acc);
    }
    memcpy(out, acc, u->nparts * sizeof *out);
}

static void compare(struct machine *m, const struct unordered *u,
                    struct value *out, const struct value *other)
{
    for (size_t k = 0; k < u->nparts; k++) {
        if (same_bits(out[k], other[k]))
            continue;
        if (out[k].flags & V_BOX) {
            out[k] = exec_value_range(
                m,
                num_interval_hull(out[k].u.box->range, other[k].u.box->range),
                (out[k].flags | other[k].flags) & V_TAINTS);
            continue;
        }
        if (!((out[k].flags | other[k].flags) & V_INEXACT))
            m->result.order_open = true;
        out[k].flags |= V_INEXACT;
        m->result.inexact = true;
    }
}

void unordered_fold(struct machine *m, const struct unordered *u,
                    struct value *out)
{
    struct value other[UNORDERED_PARTS];
    struct leads leads = {0};
    bool plain = (!m->boxed || m->domain->kind == INTERP_INTERVAL) &&
                 m->keyed == NULL && u->n > 1;
    m->unordered = u->kind;
    fold(m, u, 0, false, plain ? &leads : NULL, out);
    if (plain) {
        fold(m, u, u->n - 1, true, NULL, other);
        compare(m, u, out, other);
    }
    for (size_t i = 0; i < leads.n && !m->failed; i++) {
        fold(m, u, leads.at[i], false, NULL, other);
        compare(m, u, out, other);
    }
    m->unordered = EXEC_ORDERED;
}
