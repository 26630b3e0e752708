/* SPDX-License-Identifier: Apache-2.0
 *
 * What an address can be while loops are open (enum_span.h). What grows beyond
 * LIMIT, or has no form here, is any integer.
 */
#include "verifier/enumerate/enum_span.h"

#define LIMIT (INT64_C(1) << 60)
#define TRIES 64u

struct enum_span enum_span_any(void)
{
    return (struct enum_span){.any = true};
}

struct enum_span enum_span_number(int64_t value)
{
    if (value > -LIMIT && value < LIMIT)
        return (struct enum_span){.base = value};
    return enum_span_any();
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The product of two numbers that are not negative, or LIMIT. */
static int64_t times(int64_t a, int64_t b)
{
    return a != 0 && b > LIMIT / a ? LIMIT : least(a * b, LIMIT);
}

/* The two steps become one that reaches what both did. */
static struct enum_span_step merged(struct enum_span_step a,
                                    struct enum_span_step b)
{
    int64_t stride = int_gcd(a.stride, b.stride);
    int64_t far = times(a.stride, a.count) + times(b.stride, b.count);
    return (struct enum_span_step){stride, far / stride};
}

static void drop_step(struct enum_span *s, unsigned i)
{
    for (s->n--; i < s->n; i++)
        s->steps[i] = s->steps[i + 1];
}

static void put_step(struct enum_span *s, struct enum_span_step step)
{
    if (step.count <= 0 || s->any)
        return;
    if (times(step.stride, step.count) >= LIMIT) {
        *s = enum_span_any();
        return;
    }
    for (unsigned i = 0; i < s->n; i++) {
        if (s->steps[i].stride == step.stride) {
            step.count += s->steps[i].count;
            drop_step(s, i);
            put_step(s, step);
            return;
        }
    }
    if (s->n == ENUM_SPAN_STEPS) {
        step = merged(s->steps[s->n - 1], step);
        s->n--;
        put_step(s, step);
        return;
    }
    unsigned at = s->n++;
    for (; at > 0 && s->steps[at - 1].stride < step.stride; at--)
        s->steps[at] = s->steps[at - 1];
    s->steps[at] = step;
}

struct enum_span enum_span_range(int64_t lo, int64_t hi, int64_t step)
{
    struct enum_span s = enum_span_number(lo);
    if (hi >= LIMIT || hi <= -LIMIT)
        return enum_span_any();
    put_step(&s, (struct enum_span_step){step, (hi - lo) / step});
    return s;
}

bool enum_span_bounds(const struct enum_span *a, int64_t *lo, int64_t *hi)
{
    *lo = *hi = a->base;
    for (unsigned i = 0; i < a->n && !a->any && *hi < LIMIT; i++)
        *hi += times(a->steps[i].stride, a->steps[i].count);
    return !a->any && *hi < LIMIT;
}

bool enum_span_is_number(const struct enum_span *a, int64_t *value)
{
    *value = a->base;
    return !a->any && a->n == 0;
}

struct enum_span enum_span_add(const struct enum_span *a,
                               const struct enum_span *b)
{
    struct enum_span s = *a;
    int64_t base = a->base + b->base;
    if (a->any || b->any || base >= LIMIT || base <= -LIMIT)
        return enum_span_any();
    s.base = base;
    for (unsigned i = 0; i < b->n; i++)
        put_step(&s, b->steps[i]);
    return s;
}

struct enum_span enum_span_scale(const struct enum_span *a, int64_t by)
{
    int64_t lo, hi, size = by < 0 ? -by : by;
    struct enum_span s;
    if (by == 0)
        return enum_span_number(0);
    if (by <= -LIMIT || by >= LIMIT || !enum_span_bounds(a, &lo, &hi) ||
        times(lo < 0 ? -lo : lo, size) >= LIMIT ||
        times(hi < 0 ? -hi : hi, size) >= LIMIT)
        return enum_span_any();
    /* below zero the far end comes first */
    s = enum_span_number((by < 0 ? hi : lo) * by);
    for (unsigned i = 0; i < a->n; i++)
        put_step(&s, (struct enum_span_step){a->steps[i].stride * size,
                                             a->steps[i].count});
    return s;
}

/* a as by * (what divides) + rest: the rest, in *q the other over by. */
static struct enum_span rest_of(const struct enum_span *a, int64_t by,
                                struct enum_span *q)
{
    *q = enum_span_number(int_floor_div(a->base, by));
    struct enum_span rest = enum_span_number(a->base - by * q->base);
    for (unsigned i = 0; i < a->n; i++) {
        struct enum_span_step step = a->steps[i];
        bool whole = step.stride % by == 0;
        if (whole)
            step.stride /= by;
        put_step(whole ? q : &rest, step);
    }
    return rest;
}

struct enum_span enum_span_div(const struct enum_span *a, int64_t by)
{
    int64_t lo, hi;
    struct enum_span q;
    if (!enum_span_bounds(a, &lo, &hi))
        return enum_span_any();
    struct enum_span rest = rest_of(a, by, &q);
    if (!enum_span_bounds(&rest, &lo, &hi))
        return enum_span_any();
    put_step(&q, (struct enum_span_step){1, hi / by});
    return q;
}

struct enum_span enum_span_mod(const struct enum_span *a, int64_t by)
{
    int64_t lo, hi, stride = by;
    struct enum_span q;
    if (!enum_span_bounds(a, &lo, &hi))
        return enum_span_range(0, by - 1, 1);
    struct enum_span rest = rest_of(a, by, &q);
    if (enum_span_bounds(&rest, &lo, &hi) && hi < by)
        return rest;
    for (unsigned i = 0; i < rest.n; i++)
        stride = int_gcd(stride, rest.steps[i].stride);
    return enum_span_range(rest.base % stride, by - 1, stride);
}

struct enum_span enum_span_hull(const struct enum_span *a,
                                const struct enum_span *b)
{
    int64_t alo, ahi, blo, bhi;
    if (!enum_span_bounds(a, &alo, &ahi) || !enum_span_bounds(b, &blo, &bhi))
        return enum_span_any();
    return enum_span_range(least(alo, blo), -least(-ahi, -bhi), 1);
}

/* Whether x is a sum of the steps from i on. */
static bool is_sum(const struct enum_span *a, unsigned i, int64_t x,
                   unsigned *tries)
{
    int64_t below = 0;
    if (x < 0 || i == a->n)
        return x == 0;
    for (unsigned k = i + 1; k < a->n; k++)
        below += a->steps[k].stride * a->steps[k].count;
    int64_t stride = a->steps[i].stride;
    int64_t last = least(x / stride, a->steps[i].count);
    int64_t first = x <= below ? 0 : (x - below + stride - 1) / stride;
    for (int64_t t = last; t >= first; t--) {
        if (++*tries > TRIES)
            return true;
        if (is_sum(a, i + 1, x - t * stride, tries))
            return true;
    }
    return false;
}

bool enum_span_has(const struct enum_span *a, int64_t x)
{
    int64_t lo, hi;
    unsigned tries = 0;
    if (!enum_span_bounds(a, &lo, &hi))
        return true;
    return x >= lo && x <= hi && is_sum(a, 0, x - lo, &tries);
}
