/* SPDX-License-Identifier: Apache-2.0
 *
 * The judgement of a set: each record by itself, then against the others, the worst
 * of which stands; in which order they are shown; and how numbers are written.
 */
#include "audit/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void audit_put_number(struct buf *out, double x)
{
    if (x >= 1000)
        buf_printf(out, "%.0f", x);
    else if (x >= 100)
        buf_printf(out, "%.1f", x);
    else
        buf_printf(out, "%.3g", x);
}

void audit_put_time(struct buf *out, double seconds)
{
    const char *unit = seconds < 1e-6   ? "ns"
                       : seconds < 1e-3 ? "us"
                       : seconds < 1    ? "ms"
                                        : "s";
    double scale = *unit == 'n'   ? 1e9
                   : *unit == 'u' ? 1e6
                   : *unit == 'm' ? 1e3
                                  : 1;
    audit_put_number(out, seconds * scale);
    buf_printf(out, " %s", unit);
}

void audit_conclude(struct audit_set *set, struct audit_record *r,
                    enum audit_state state, const char *fmt, ...)
{
    va_list args;
    if (state >= r->state)
        return;
    r->state = state;
    va_start(args, fmt);
    r->why = arena_vprintf(set->arena, fmt, args);
    va_end(args);
}

/* What is to be done about a finding: the numbers alone never say that a kernel
 * computes what it should. */
static const char *what_to_check(const struct audit_record *r)
{
    if (!audit_is_finding(r->state))
        return NULL;
    if (r->state == AUDIT_CONTRADICTORY)
        return "measure it again: one of the two is wrong";
    return r->format == AUDIT_METASCHEDULE && r->workload != NULL
               ? "verify its output before using it: apply its trace, compare "
                 "the module with the workload, and run both on inputs that "
                 "are not zero"
               : "verify its output before using it: build the kernel of this "
                 "record, run it on inputs that are not zero, and compare with "
                 "the untuned one; one that did not run leaves its output as "
                 "it "
                 "was";
}

void audit_judge(struct audit_set *set, const struct audit_options *options)
{
    for (size_t i = 0; i < set->records.len; i++) {
        struct audit_record *r = &set->records.items[i];
        r->state = AUDIT_NSTATES;
        audit_judge_alone(set, r, options);
    }
    audit_judge_others(set);
    for (size_t i = 0; i < set->records.len; i++) {
        struct audit_record *r = &set->records.items[i];
        r->check = what_to_check(r);
    }
}

/* ---- order ----------------------------------------------------------------------- */

struct place {
    enum audit_state state;
    double beyond; /* how far */
    size_t index;
};

static int by_state(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    if (x->beyond != y->beyond)
        return x->beyond > y->beyond ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

size_t *audit_order(const struct audit_set *set)
{
    size_t n = set->records.len;
    struct place *places = dc_alloc((n + 1) * sizeof *places);
    size_t *out = dc_alloc((n + 1) * sizeof *out);
    for (size_t i = 0; i < n; i++) {
        const struct audit_record *r = &set->records.items[i];
        double speed = r->time > 0 ? audit_flops(&r->count) / r->time / 1e9 : 0;
        places[i] = (struct place){
            r->state,
            audit_is_finding(r->state) && r->peak > 0 ? speed / r->peak : 0, i};
    }
    qsort(places, n, sizeof *places, by_state);
    for (size_t i = 0; i < n; i++)
        out[i] = places[i].index;
    dc_release(places);
    return out;
}
