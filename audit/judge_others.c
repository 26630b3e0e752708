/* SPDX-License-Identifier: Apache-2.0
 *
 * A record against the others, for what no table of devices says:
 *
 *  - the same task, target and steps again with another time: a contradiction where
 *    the times are further apart than measurements are;
 *  - its task on its target: a gap between the fastest ones, a tenth at most, and the
 *    rest. Tuners come closer to the best in small steps, so that a kernel that is
 *    many times faster than the next one has rather not run;
 *  - its target, where that names no device: the speed of a record tells what the
 *    device can do at least. One far beyond all others that compute as much for each
 *    byte (for its bandwidth: as little) is out of line. Only tasks that differ
 *    count.
 *
 * What is impossible by itself accuses no other. Groups are runs of a sorted list,
 * so that this is no more than sorting.
 */
#include "audit/judge.h"

#include <stdlib.h>
#include <string.h>

#define CONTRADICTION 3.0
#define TASK_GAP      10.0
#define TASK_LEAST    5u
#define TARGET_GAP    10.0
#define TARGET_LEAST  5u

struct item {
    struct audit_record *r;
    double x, rate;
};

static int compare_text(const char *a, const char *b)
{
    return a == b ? 0 : strcmp(a, b);
}

static int by_place(const struct audit_record *a, const struct audit_record *b)
{
    return a < b ? -1 : a > b; /* of one array */
}

static int by_steps(const void *a, const void *b)
{
    const struct audit_record *x = ((const struct item *)a)->r,
                              *y = ((const struct item *)b)->r;
    int order = compare_text(x->key, y->key);
    if (order == 0)
        order = compare_text(x->target, y->target);
    if (order == 0)
        order =
            x->steps_hash < y->steps_hash ? -1 : x->steps_hash > y->steps_hash;
    return order ? order : by_place(x, y);
}

static int by_task(const void *a, const void *b)
{
    const struct audit_record *x = ((const struct item *)a)->r,
                              *y = ((const struct item *)b)->r;
    int order = compare_text(x->key, y->key);
    if (order == 0)
        order = compare_text(x->target, y->target);
    if (order == 0)
        order = x->time < y->time ? -1 : x->time > y->time;
    return order ? order : by_place(x, y);
}

static int by_x(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = compare_text(x->r->target, y->r->target);
    if (order == 0)
        order = x->x > y->x ? -1 : x->x < y->x;
    return order ? order : by_place(x->r, y->r);
}

static bool same_task(const struct audit_record *a,
                      const struct audit_record *b)
{
    return strcmp(a->key, b->key) == 0 && strcmp(a->target, b->target) == 0;
}

/* What there was nothing to hold against is consistent, as far as this goes. */
static void agree(struct audit_set *set, struct audit_record *r,
                  const char *with)
{
    if (r->state != AUDIT_UNJUDGED)
        return;
    r->state = AUDIT_CONSISTENT;
    r->why = r->count.source == AUDIT_NOWHERE
                 ? arena_printf(set->arena, "%s; %s", with, r->why)
                 : arena_printf(set->arena,
                                "%s; the target names no device that is known",
                                with);
}

/* ---- contradictions ------------------------------------------------------------- */

static void contradict(struct audit_set *set, struct audit_record *r,
                       const struct audit_record *other)
{
    struct buf text = {0};
    audit_put_time(&text, r->time);
    buf_puts(&text, " here and ");
    audit_put_time(&text, other->time);
    audit_conclude(set, r, AUDIT_CONTRADICTORY,
                   "%s at %s:%u for the same steps of the same task",
                   buf_text(&text), other->file, other->line);
    buf_fini(&text);
}

static void find_contradictions(struct audit_set *set, struct item *items,
                                size_t n)
{
    qsort(items, n, sizeof *items, by_steps);
    for (size_t from = 0, to; from < n; from = to) {
        struct audit_record *first = items[from].r, *fast = first,
                            *slow = first;
        for (to = from; to < n && same_task(first, items[to].r) &&
                        items[to].r->steps_hash == first->steps_hash;
             to++) {
            struct audit_record *r = items[to].r;
            fast = r->time < fast->time ? r : fast;
            slow = r->time > slow->time ? r : slow;
        }
        if (first->nsteps > 0 && slow->time > CONTRADICTION * fast->time) {
            contradict(set, fast, slow);
            contradict(set, slow, fast);
        }
    }
}

/* ---- outliers of a task ----------------------------------------------------------- */

static void find_outliers(struct audit_set *set, struct item *items, size_t n)
{
    qsort(items, n, sizeof *items, by_task);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && same_task(items[from].r, items[to].r); to++)
            ;
        size_t len = to - from, beyond = 0;
        for (size_t i = 0; len >= TASK_LEAST && i < (len + 9) / 10; i++)
            if (items[from + i + 1].r->time >
                TASK_GAP * items[from + i].r->time)
                beyond = i + 1;
        for (size_t i = 0; i < beyond; i++) {
            struct audit_record *r = items[from + i].r;
            audit_conclude(set, r, AUDIT_OUTLIER,
                           "%.1f times faster than the next of the %zu "
                           "records of its task",
                           items[from + beyond].r->time / r->time, len);
        }
        for (size_t i = from; i < to && len > 1; i++)
            agree(set, items[i].r,
                  "its time is in line with those of its task");
    }
}

/* ---- outliers of a target ----------------------------------------------------------- */

/* The two highest rates among the first ones, of different tasks. */
struct best {
    double rate[2];
    const char *key[2];
};

static void take(struct best *b, const struct item *it)
{
    if (it->rate > b->rate[0]) {
        if (b->key[0] == NULL || strcmp(b->key[0], it->r->key) != 0) {
            b->rate[1] = b->rate[0];
            b->key[1] = b->key[0];
        }
        b->rate[0] = it->rate;
        b->key[0] = it->r->key;
    } else if (it->rate > b->rate[1] && strcmp(b->key[0], it->r->key) != 0) {
        b->rate[1] = it->rate;
        b->key[1] = it->r->key;
    }
}

/* Records of one target in the order of x, the largest first: each against those
 * with at least half of its x. */
static void compare_run(struct audit_set *set, const struct item *items,
                        size_t n, const char *unit)
{
    struct best best = {{0, 0}, {NULL, NULL}};
    size_t upto = 0;
    for (size_t i = 0; i < n; i++) {
        struct audit_record *r = items[i].r;
        while (upto < n && items[upto].x >= items[i].x / 2)
            take(&best, &items[upto++]);
        bool own = best.key[0] && strcmp(best.key[0], r->key) == 0;
        double other = best.rate[own ? 1 : 0];
        if (other <= 0 || upto < TARGET_LEAST)
            continue;
        if (items[i].rate > TARGET_GAP * other)
            audit_conclude(set, r, AUDIT_OUTLIER,
                           "%.1f %s, %.1f times what the other records of its "
                           "target reach; it names no device",
                           items[i].rate / 1e9, unit, items[i].rate / other);
        else
            agree(set, r, "its speed is in line with others of its target");
    }
}

static void compare_targets(struct audit_set *set, struct item *items, size_t n,
                            const char *unit)
{
    qsort(items, n, sizeof *items, by_x);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && compare_text(items[from].r->target,
                                               items[to].r->target) == 0;
             to++)
            ;
        compare_run(set, &items[from], to - from, unit);
    }
}

/* Operations by bytes, and operations a second; or the opposite. */
static size_t choose(struct audit_set *set, struct item *out, bool bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < set->records.len; i++) {
        struct audit_record *r = &set->records.items[i];
        double flops = audit_flops(&r->count), moved = r->count.bytes;
        if (!(r->time > 0) || r->state == AUDIT_IMPOSSIBLE ||
            r->device_name != NULL || !(moved > 0) || !(flops > 0 || bytes))
            continue;
        out[n].r = r;
        out[n].x = bytes ? moved / (flops + 1) : flops / moved;
        out[n++].rate = (bytes ? moved : flops) / r->time;
    }
    return n;
}

void audit_judge_others(struct audit_set *set)
{
    struct item *items = dc_alloc((set->records.len + 1) * sizeof *items);
    size_t n = 0;
    for (size_t i = 0; i < set->records.len; i++)
        if (set->records.items[i].time > 0 &&
            set->records.items[i].state != AUDIT_IMPOSSIBLE)
            items[n++].r = &set->records.items[i];
    find_contradictions(set, items, n);
    find_outliers(set, items, n);
    n = choose(set, items, false);
    compare_targets(set, items, n, "GFLOPS");
    n = choose(set, items, true);
    compare_targets(set, items, n, "GB/s");
    dc_release(items);
}
