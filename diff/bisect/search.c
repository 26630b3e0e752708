/* SPDX-License-Identifier: Apache-2.0
 *
 * Halving between a point that is as the first and one that is not. A point of
 * which nothing is decided says nothing: the next ones are asked, upwards and
 * then downwards. Each point is compared with the first, not with the one before:
 * a chain of small steps need not be shown step by step, and a step that mends
 * what an earlier one broke would mislead otherwise.
 */
#include "diff/bisect/bisect.h"

/* The verdict on point i against the first, made once; the worst of all pairs.
 * False where they cannot be compared, of which the sink is told. */
static bool ask(struct bisect *b, size_t i, enum report_verdict *out)
{
    struct bisect_point *p = &b->points.items[i];
    if (i == 0) {
        *out = REPORT_IDENTICAL;
        return true;
    }
    if (!p->report) {
        p->report = report_new();
        diff_compare_modules(b->options, p->module, b->points.items[0].module,
                             p->report, b->sink);
    }
    return report_worst(p->report, out);
}

/* Between order-only, algebraic and agrees there is nothing to choose: a step
 * made the relation weaker. */
static bool is_bad(enum report_verdict v, enum report_verdict last)
{
    return last <= REPORT_PRECISION ? v <= REPORT_PRECISION : v <= last;
}

static bool is_open(enum report_verdict v, enum report_verdict last)
{
    return v == REPORT_UNKNOWN && last != REPORT_UNKNOWN;
}

struct search {
    struct bisect *b;
    struct bisect_found *f;
    bool failed;
};

/* Narrows by point i, if it is decided. */
static bool narrow(struct search *s, size_t i)
{
    enum report_verdict v;
    if (!ask(s->b, i, &v)) {
        s->failed = true;
        return true;
    }
    if (is_open(v, s->f->last))
        return false;
    if (is_bad(v, s->f->last)) {
        s->f->bad = i;
        s->f->is = v;
    } else {
        s->f->good = i;
        s->f->was = v;
    }
    return true;
}

static bool halve(struct search *s)
{
    size_t low = s->f->good, high = s->f->bad;
    size_t middle = low + (high - low) / 2;
    for (size_t i = middle; i < high; i++)
        if (narrow(s, i))
            return true;
    for (size_t i = middle; i-- > low + 1;)
        if (narrow(s, i))
            return true;
    return false;
}

struct bisect_found bisect_search(struct bisect *b)
{
    struct bisect_found f = {.answer = BISECT_ERROR, .bad = b->points.len - 1};
    struct search s = {b, &f, false};
    bool narrowed = true;
    f.was = REPORT_IDENTICAL;
    if (!ask(b, b->points.len - 1, &f.last))
        return f;
    f.is = f.last;
    if (f.last == REPORT_IDENTICAL) {
        f.answer = BISECT_NOTHING;
        return f;
    }
    while (f.bad - f.good > 1 && narrowed && !s.failed)
        narrowed = halve(&s);
    if (!s.failed)
        f.answer = f.bad - f.good > 1 ? BISECT_BETWEEN : BISECT_FOUND;
    return f;
}

bool bisect_judge(struct bisect *b, struct report **report,
                  enum report_verdict *out)
{
    *report = report_new();
    diff_compare_modules(b->options, b->tuned, b->points.items[0].module,
                         *report, b->sink);
    return report_worst(*report, out);
}

size_t bisect_blame(const struct bisect *b)
{
    for (size_t i = 1; i < b->points.len; i++)
        if (b->points.items[i].fault)
            return i;
    for (size_t i = 1; i < b->points.len; i++)
        if (b->points.items[i].illegal)
            return i;
    return b->points.len == 2 && !b->stopped ? 1 : 0;
}
