/* SPDX-License-Identifier: Apache-2.0
 *
 * How far the outputs of both sides are apart: where, how far, and against the
 * error bounds. Counts over all elements that both runs computed, put into grids
 * of at most REPORT_CELLS a side.
 */
#include "diff/plots/plots.h"

#include <math.h>
#include <string.h>

/* One element on both sides. */
struct spot {
    bool seen; /* computed on both */
    bool odd;  /* undefined or NaN on one of them */
    uint64_t ulp;
    bool above; /* the tuned value is larger */
};

static struct spot spot_of(const struct interp_tensor *u,
                           const struct interp_tensor *t, size_t i)
{
    struct dtype type = dtype_scalar(u->dtype);
    struct spot s = {0};
    unsigned flags = 0;
    if ((u->state[i] | t->state[i]) & INTERP_SKIPPED)
        return s;
    bool du = u->state[i] & INTERP_DEFINED, dt = t->state[i] & INTERP_DEFINED;
    s.seen = true;
    if (!du || !dt) {
        s.odd = du != dt;
        s.ulp = s.odd ? UINT64_MAX : 0;
        return s;
    }
    uint64_t a = interp_tensor_get(u, i), b = interp_tensor_get(t, i);
    s.ulp = num_same(type, a, b) ? 0 : num_ulp_distance(type, a, b);
    s.odd = s.ulp == UINT64_MAX;
    s.above = s.ulp > 0 && !s.odd && num_binary(NUM_GT, type, b, a, &flags);
    return s;
}

/* ---- where ----------------------------------------------------------------------- */

static struct report_grid grid_new(struct arena *arena, size_t rows,
                                   size_t columns)
{
    return (struct report_grid){
        rows, columns, ARENA_ARRAY(arena, rows * columns + 1, uint64_t)};
}

static size_t cells_of(size_t extent)
{
    return extent < REPORT_CELLS ? extent : REPORT_CELLS;
}

static struct report_heat *heat_new(const struct interp_tensor *u,
                                    struct arena *arena)
{
    struct report_heat *h = ARENA_NEW(arena, struct report_heat);
    size_t across = u->dtype.lanes, down = 1;
    if (u->rank > 0)
        across *= (size_t)u->shape[u->rank - 1];
    if (u->rank > 1)
        down = (size_t)u->shape[u->rank - 2];
    size_t rows = cells_of(down), columns = cells_of(across);
    h->down = (int64_t)down;
    h->across = (int64_t)across;
    h->folded = (int64_t)(u->elements / (down * across));
    h->seen = grid_new(arena, rows, columns);
    h->ulp = grid_new(arena, rows, columns);
    return h;
}

static void heat_add(struct report_heat *h, const struct spot *s, size_t i)
{
    size_t across = (size_t)h->across, down = (size_t)h->down;
    size_t column = i % across * h->seen.columns / across;
    size_t row = i / across % down * h->seen.rows / down;
    size_t cell = row * h->seen.columns + column;
    h->seen.cells[cell] += s->seen;
    if (s->ulp > h->ulp.cells[cell])
        h->ulp.cells[cell] = s->ulp;
}

/* ---- how far --------------------------------------------------------------------- */

static size_t class_of(uint64_t ulp)
{
    size_t k = 0;
    while (k + 1 < REPORT_CLASSES && ulp > (uint64_t)1 << k)
        k++;
    return k;
}

/* Whether it is neither NaN nor undefined on one side alone. */
static bool histogram_add(struct report_histogram *h, const struct spot *s)
{
    if (!s->seen)
        return false;
    if (s->odd)
        h->odd++;
    else if (s->ulp == 0)
        h->equal++;
    else if (s->above)
        h->above[class_of(s->ulp)]++;
    else
        h->below[class_of(s->ulp)]++;
    return !s->odd;
}

void plots_put_differences(const struct plots_shown *x, struct arena *arena,
                           struct report_plots *out)
{
    const struct interp_tensor *u = x->runs[UNTUNED].outputs[x->finding.output];
    const struct interp_tensor *t = x->runs[TUNED].outputs[x->finding.output];
    struct report_histogram *h = ARENA_NEW(arena, struct report_histogram);
    uint64_t counted = 0;
    if (u->elements > 0 && t->elements == u->elements)
        out->heat = heat_new(u, arena);
    else
        out->why[REPORT_PLOT_HEAT] = "the output has no elements";
    for (size_t i = 0; out->heat && i < u->elements; i++) {
        struct spot s = spot_of(u, t, i);
        heat_add(out->heat, &s, i);
        counted += histogram_add(h, &s);
    }
    if (counted > 0)
        out->ulps = h;
    else
        out->why[REPORT_PLOT_ULPS] =
            "every element that was computed is NaN or undefined on one side";
}

/* ---- against the bounds ------------------------------------------------------------ */

/* The power of 2 at or below a positive number. */
static int floor_log2(double x)
{
    int e = 0;
    (void)frexp(x, &e);
    return e - 1;
}

struct measure {
    bool placed; /* both numbers are positive and finite */
    bool beyond, equal, unbounded;
    int difference, bound;
};

static bool measure(const struct plots_shown *x, size_t i, struct measure *m)
{
    const struct interp_tensor *u = x->runs[UNTUNED].outputs[x->finding.output];
    const struct interp_tensor *t = x->runs[TUNED].outputs[x->finding.output];
    struct dtype type = dtype_scalar(u->dtype);
    memset(m, 0, sizeof *m);
    if ((u->state[i] | t->state[i]) & INTERP_SKIPPED ||
        !(u->state[i] & t->state[i] & INTERP_DEFINED))
        return false;
    double a = num_to_double(type, u->box[i].bound.bits);
    double b = num_to_double(type, t->box[i].bound.bits);
    double bound = u->box[i].bound.error + t->box[i].bound.error;
    double difference = fabs(a - b);
    m->equal = num_same(type, u->box[i].bound.bits, t->box[i].bound.bits) ||
               difference == 0;
    m->unbounded = !m->equal && (!isfinite(bound) || !isfinite(difference));
    m->beyond = !m->equal && !m->unbounded && difference > bound;
    m->placed = !m->equal && !m->unbounded && bound > 0;
    if (m->placed) {
        m->difference = floor_log2(difference);
        m->bound = floor_log2(bound);
    }
    return true;
}

struct span {
    bool any;
    int low, high;
};

static void widen(struct span *s, int x)
{
    s->low = !s->any || x < s->low ? x : s->low;
    s->high = !s->any || x > s->high ? x : s->high;
    s->any = true;
}

static unsigned step_of(const struct span *a, const struct span *b)
{
    unsigned x = (unsigned)(a->high - a->low), y = (unsigned)(b->high - b->low);
    return (x > y ? x : y) / REPORT_CELLS + 1;
}

void plots_put_bound(const struct plots_shown *x, struct arena *arena,
                     struct report_plots *out)
{
    const struct interp_tensor *u = x->runs[UNTUNED].outputs[x->finding.output];
    const struct interp_tensor *t = x->runs[TUNED].outputs[x->finding.output];
    struct span bounds = {0}, differences = {0};
    struct measure m;
    struct report_bound *b = ARENA_NEW(arena, struct report_bound);
    if (u->box == NULL || t->box == NULL) {
        out->why[REPORT_PLOT_BOUND] = "the run kept no error bounds";
        return;
    }
    for (size_t i = 0; i < u->elements; i++) {
        if (!measure(x, i, &m))
            continue;
        b->elements++;
        b->equal += m.equal;
        b->unbounded += m.unbounded;
        b->beyond += m.beyond;
        if (m.placed) {
            widen(&bounds, m.bound);
            widen(&differences, m.difference);
        }
    }
    if (!bounds.any) {
        out->why[REPORT_PLOT_BOUND] =
            b->beyond > 0 ? "no operation rounds on this input: every bound "
                            "is 0, and what differs is beyond it"
                          : "no element that differs has a finite bound";
        return;
    }
    b->step = step_of(&bounds, &differences);
    b->left = bounds.low;
    b->bottom = differences.low;
    b->count = grid_new(
        arena, (unsigned)(differences.high - differences.low) / b->step + 1,
        (unsigned)(bounds.high - bounds.low) / b->step + 1);
    for (size_t i = 0; i < u->elements; i++)
        if (measure(x, i, &m) && m.placed)
            b->count.cells[(unsigned)(m.difference - b->bottom) / b->step *
                               b->count.columns +
                           (unsigned)(m.bound - b->left) / b->step]++;
    out->bound = b;
}
