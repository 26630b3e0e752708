/* SPDX-License-Identifier: Apache-2.0
 *
 * A record against its device. A time is impossible where the operations that any
 * implementation needs take longer at the peak of their type, or the bytes that
 * have to be moved take longer than memory gives them, with room for clocks above
 * the published ones.
 *
 * Memory: kernels are timed over and over, so that what fits into the caches is
 * there already. Of B bytes at least B - C come from memory, C being all caches of
 * the chip; and where B is more than C a cache that is gone through in order has
 * kept little of it: four times memory's bandwidth is taken for what none exceeds.
 */
#include "audit/judge.h"
#include "audit/record/record.h"

#include <math.h>

#define ROOM       1.25 /* clocks above the published ones */
#define CACHE_GAIN 4.0

/* Of its repeats, all usable ones; *bad: one that is no time. */
static double mean_time(const struct audit_record *r, bool *bad)
{
    double sum = 0;
    for (size_t i = 0; i < r->nseconds; i++) {
        double t = r->seconds[i];
        if (!(t > 0) || t >= AUDIT_NEVER)
            *bad = true;
        sum += t;
    }
    return r->nseconds > 0 ? sum / (double)r->nseconds : 0;
}

static bool was_never_measured(const struct audit_record *r)
{
    for (size_t i = 0; i < r->nseconds; i++)
        if (!(r->seconds[i] >= AUDIT_NEVER))
            return false;
    return true;
}

static const char *error_name(int64_t error)
{
    static const char *const names[] = {"none",
                                        "instantiation",
                                        "compilation on the host",
                                        "compilation for the device",
                                        "run time",
                                        "a wrong answer",
                                        "time out while building",
                                        "time out while running",
                                        "unknown"};
    return error > 0 && error < (int64_t)DC_ARRAY_LEN(names) ? names[error]
                                                             : "unknown";
}

/* Whether it has a time to be judged. */
static bool judge_time(struct audit_set *set, struct audit_record *r)
{
    bool bad = false;
    double mean = mean_time(r, &bad);
    if (r->error != 0 && !was_never_measured(r)) {
        struct buf text = {0};
        audit_put_time(&text, mean);
        audit_conclude(set, r, AUDIT_IMPOSSIBLE,
                       "it failed (error %lld: %s) and has a time all the "
                       "same, %s",
                       (long long)r->error, error_name(r->error),
                       buf_text(&text));
        buf_fini(&text);
        return false;
    }
    if (r->error != 0) {
        audit_conclude(set, r, AUDIT_FAILED, "error %lld: %s",
                       (long long)r->error, error_name(r->error));
        return false;
    }
    if (was_never_measured(r)) {
        audit_conclude(set, r, AUDIT_FAILED, "it was not measured");
        return false;
    }
    if (bad) {
        struct buf text = {0};
        for (size_t i = 0; i < r->nseconds; i++)
            buf_printf(&text, "%s%g", i ? ", " : "", r->seconds[i]);
        audit_conclude(set, r, AUDIT_IMPOSSIBLE,
                       "no kernel takes such a time: %s s", buf_text(&text));
        buf_fini(&text);
        return false;
    }
    r->time = mean;
    return true;
}

/* GFLOPS of the device for the class; 0: not known. */
static double peak_of(const struct audit_record *r, enum audit_class c,
                      int64_t cores)
{
    const struct audit_device *d = r->device;
    if (d == NULL || d->ghz == 0)
        return d ? d->gflops[c] : 0;
    double n = cores > 0      ? (double)cores
               : r->cores > 0 ? (double)r->cores
                              : d->cores;
    return d->gflops[c] * d->ghz * n;
}

/* The class that most of the needed operations are of. */
static enum audit_class main_class(const struct audit_count *count)
{
    enum audit_class best = AUDIT_F32;
    for (size_t c = 0; c < AUDIT_NCLASSES; c++)
        if (count->least[c] > count->least[best])
            best = (enum audit_class)c;
    return best;
}

static void judge_peak(struct audit_set *set, struct audit_record *r,
                       enum audit_class c)
{
    const struct audit_count *n = &r->count;
    double needed = n->least[c];
    if (r->peak <= 0 || needed <= 0 ||
        needed / (r->peak * 1e9) <= r->time * ROOM)
        return;
    struct buf text = {0};
    if (r->said_gflops > 0) {
        audit_put_number(&text, r->said_gflops);
        buf_puts(&text, " GFLOPS in its table, counted here ");
    }
    audit_put_number(&text, audit_flops(n) / r->time / 1e9);
    buf_printf(&text, " GFLOPS (%.0f operations in ", audit_flops(n));
    audit_put_time(&text, r->time);
    buf_printf(&text, "), the peak of %s is ", r->device_name);
    audit_put_number(&text, r->peak);
    buf_printf(&text, " in %s", audit_class_name(c));
    if (n->saving > 1)
        buf_printf(&text, "; Winograd saves a factor of %.2f at most",
                   n->saving);
    audit_conclude(set, r, AUDIT_IMPOSSIBLE, "%s", buf_text(&text));
    buf_fini(&text);
}

static void judge_memory(struct audit_set *set, struct audit_record *r)
{
    double bytes = r->count.bytes,
           cache = r->device ? r->device->cache * 1048576 : 0,
           rate = r->bandwidth * 1e9;
    if (!r->count.has_bytes || bytes <= cache || rate <= 0 || r->time <= 0)
        return;
    bool beyond = (bytes - cache) / rate > r->time * ROOM ||
                  bytes / rate > r->time * CACHE_GAIN;
    if (!beyond)
        return;
    struct buf text = {0};
    audit_put_number(&text, bytes / r->time / 1e9);
    buf_printf(&text, " GB/s (%.0f bytes to move at least once in ", bytes);
    audit_put_time(&text, r->time);
    buf_printf(&text, "), the memory of %s gives ", r->device_name);
    audit_put_number(&text, r->bandwidth);
    if (cache > 0)
        buf_printf(&text, " and its caches hold %g MB", r->device->cache);
    if (r->state == AUDIT_IMPOSSIBLE)
        r->why =
            arena_printf(set->arena, "%s; and %s", r->why, buf_text(&text));
    else
        audit_conclude(set, r, AUDIT_IMPOSSIBLE, "%s", buf_text(&text));
    buf_fini(&text);
}

static void find_device(struct audit_record *r,
                        const struct audit_options *options)
{
    int64_t cores = 0;
    enum audit_class c = main_class(&r->count);
    r->device = audit_device_find(r->target, &cores);
    r->device_name = r->device ? r->device->name : NULL;
    r->peak = peak_of(r, c, cores);
    r->bandwidth = r->device ? r->device->gbs : 0;
    if (options->peak > 0) {
        r->peak = options->peak;
        r->device = NULL;
        r->device_name = "--peak";
        r->bandwidth = options->bandwidth;
    }
}

void audit_judge_alone(struct audit_set *set, struct audit_record *r,
                       const struct audit_options *options)
{
    find_device(r, options);
    if (!judge_time(set, r))
        return;
    if (r->count.source == AUDIT_NOWHERE) {
        audit_conclude(set, r, AUDIT_UNJUDGED, "not counted: %s",
                       r->count.how ? r->count.how : "unknown");
        return;
    }
    if (r->device_name == NULL) {
        audit_conclude(set, r, AUDIT_UNJUDGED,
                       "the target names no device that is known (--peak "
                       "says what it can do), and there is nothing to hold it "
                       "against");
        return;
    }
    judge_peak(set, r, main_class(&r->count));
    judge_memory(set, r);
    if (r->peak <= 0)
        audit_conclude(set, r, AUDIT_UNJUDGED,
                       "the peak of %s in %s is not known", r->device_name,
                       audit_class_name(main_class(&r->count)));
    else
        audit_conclude(set, r, AUDIT_PLAUSIBLE, "within what %s can do",
                       r->device_name);
}
