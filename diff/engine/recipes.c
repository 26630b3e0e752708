/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs a pair is run on.
 *
 * Exact inputs come first: where no operation rounds, any difference is a
 * fault whatever the order of operations. Boundary and range-stressing inputs
 * find overflow, sign and special-value faults; random ones feed the
 * enclosures. Integer parameters whose values index get ranges under which the
 * untuned module is safe: they are found by running it, from the sizes of the
 * parameters downwards. Where it is safe below 0 and beyond the sizes too (it
 * clamps or tests its indices), two more inputs go there: a lost guard shows
 * nowhere else; and two take anything that the type holds where that is safe
 * (what is compared, or taken modulo a size). Parameters of few elements see
 * few values that way, so further inputs sweep through all of them, the ends
 * first, as far as they are cheap; another first seed goes on where the last
 * one ended. A case too large to run whole computes sampled elements: corners,
 * evenly spaced and scattered ones, or neighbours.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"

#include <string.h>

/* Steps of a sweep that shows every value of every index parameter. */
static uint64_t wanted_sweeps(const struct diff_case *c)
{
    const struct diff_range *ranges = c->near ? c->near : c->ranges;
    uint64_t wanted = 0;
    for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
        const struct interp_param *p = &c->sig[UNTUNED].params[i];
        size_t elements = 1;
        bool indexes = p->indexes || c->sig[TUNED].params[i].indexes;
        if (!dtype_is_int(p->dtype) || !indexes ||
            ranges[i].lo > ranges[i].hi ||
            (p->is_tensor && !diff_param_elements(p, &elements)))
            continue;
        uint64_t n = diff_sweep_windows(&ranges[i], &c->ranges[i], elements);
        wanted = n > wanted ? n : wanted;
    }
    return wanted;
}

/* As many as an eighth of the budget pays for, shared by all sizes. */
static uint64_t paid_sweeps(const struct diff_pair *pair,
                            const struct diff_case *c)
{
    double each = NSIDES * c->whole * (double)pair->ncases;
    double paid = (double)pair->options->budget / 8 / (each > 1 ? each : 1);
    return paid < DIFF_MAX_SWEEPS ? (uint64_t)paid : DIFF_MAX_SWEEPS;
}

static size_t add_sweeps(const struct diff_pair *pair,
                         const struct diff_case *c, struct diff_recipe *out,
                         size_t n, size_t room)
{
    uint64_t steps = wanted_sweeps(c), paid = paid_sweeps(pair, c);
    uint64_t seed = pair->options->seed;
    steps = steps < paid ? steps : paid;
    for (uint64_t k = 0; k < steps && n < room; k++)
        out[n++] = (struct diff_recipe){
            .fill = INTERP_FILL_EXACT,
            .seed = seed + 13 + k,
            .ranges = c->near ? c->near : c->ranges,
            .sweep = 1 + (seed > 0 ? seed - 1 : 0) * steps + k,
            .first = c->ranges};
    return n;
}

size_t diff_recipes(const struct diff_pair *pair, const struct diff_case *c,
                    struct diff_recipe *out, size_t room)
{
    static const struct {
        enum interp_fill fill;
        uint64_t seed; /* added to the first seed */
    } plan[] = {
        {INTERP_FILL_EXACT, 0},    {INTERP_FILL_RANDOM, 1},
        {INTERP_FILL_EXACT, 2},    {INTERP_FILL_UNIT, 3},
        {INTERP_FILL_BOUNDARY, 4}, {INTERP_FILL_EXACT, 5},
        {INTERP_FILL_RANGE, 6},    {INTERP_FILL_RANDOM, 7},
        {INTERP_FILL_BOUNDARY, 8},
    };
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(plan) && n < room; i++) {
        out[n++] =
            (struct diff_recipe){.fill = plan[i].fill,
                                 .seed = pair->options->seed + plan[i].seed,
                                 .ranges = c->ranges};
    }
    const struct diff_range *beyond[] = {c->near, c->near, c->wide, c->wide};
    for (uint64_t k = 0; k < DC_ARRAY_LEN(beyond) && n < room; k++) {
        if (beyond[k])
            out[n++] = (struct diff_recipe){.fill = INTERP_FILL_EXACT,
                                            .seed = pair->options->seed + 9 + k,
                                            .ranges = beyond[k]};
    }
    return c->ranged ? add_sweeps(pair, c, out, n, room) : n;
}

size_t diff_more_recipes(const struct diff_pair *pair,
                         const struct diff_case *c, struct diff_recipe *out,
                         size_t room)
{
    static const struct {
        enum interp_fill fill;
        unsigned odd; /* the seed, of those that look at that */
    } plan[] = {{INTERP_FILL_NEGATIVE, 0}, {INTERP_FILL_POSITIVE, 0},
                {INTERP_FILL_LOWEST, 0},   {INTERP_FILL_HIGHEST, 0},
                {INTERP_FILL_SIGNS, 0},    {INTERP_FILL_SIGNS, 1},
                {INTERP_FILL_LOWEST, 1},   {INTERP_FILL_HIGHEST, 1}};
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(plan) && n < room; i++)
        out[n++] =
            (struct diff_recipe){.fill = plan[i].fill,
                                 .seed = 2 * pair->options->seed + plan[i].odd,
                                 .ranges = c->ranges};
    return n;
}

/* ---- ranges of index parameters -------------------------------------------------- */

#define MAX_BOUNDS 12u

static void add_bound(int64_t *bounds, size_t *n, int64_t hi)
{
    size_t at = 0;
    if (hi < 0)
        return;
    while (at < *n && bounds[at] > hi)
        at++;
    if ((at < *n && bounds[at] == hi) || *n == MAX_BOUNDS)
        return;
    memmove(bounds + at + 1, bounds + at, (*n - at) * sizeof *bounds);
    bounds[at] = hi;
    (*n)++;
}

/* Upper bounds worth trying, largest first: every dimension less one. */
static size_t choose_bounds(const struct diff_case *c, int64_t *bounds)
{
    const struct interp_signature *sig = &c->sig[UNTUNED];
    size_t n = 0;
    add_bound(bounds, &n, 1);
    add_bound(bounds, &n, 0);
    for (size_t i = 0; i < sig->nparams; i++) {
        for (size_t d = 0; d < sig->params[i].rank; d++)
            add_bound(bounds, &n, sig->params[i].shape[d] - 1);
    }
    return n;
}

static bool needs_range(const struct diff_pair *pair, const struct diff_case *c,
                        size_t i)
{
    const struct interp_param *p = &c->sig[UNTUNED].params[i];
    const struct interp_param *q = &c->sig[TUNED].params[i];
    if (!dtype_is_int(p->dtype) || !(p->indexes || q->indexes))
        return false;
    if (!p->is_tensor) {
        for (size_t k = 0; k < c->nsymbols[UNTUNED]; k++) {
            if (strcmp(c->symbols[UNTUNED][k].name, p->name) == 0)
                return false; /* a size */
        }
    }
    return !diff_assume_find(pair->options, p->name);
}

/* Whether the untuned module runs without a fault of its own on two inputs
 * that begin with the ends of the ranges, and two others; one of each where a
 * run takes its time. */
static bool ranges_fit(struct diff_pair *pair, const struct diff_case *c)
{
    uint64_t n = c->whole * 8 < (double)pair->full_limit ? 4 : 2;
    for (uint64_t k = 0; k < n; k++) {
        struct diff_recipe recipe = {.fill = INTERP_FILL_EXACT,
                                     .seed = pair->options->seed + k / 2,
                                     .ranges = c->ranges,
                                     .sweep = k % 2 ? 0 : 1 + k / 2,
                                     .first = c->ranges};
        struct diff_run run;
        diff_run(pair, c, UNTUNED, &recipe, INTERP_IEEE, NULL, &run);
        bool fits = !interp_is_fault(run.result.fault) &&
                    run.result.fault != INTERP_BAD_ARGS;
        diff_run_fini(&run);
        if (!fits)
            return false;
    }
    return true;
}

/* [lo, hi], or as much more as the parameter needs to be what is assumed of it:
 * distinct elements have as many values. */
static struct diff_range range_up_to(const struct diff_case *c, size_t i,
                                     int64_t lo, int64_t hi)
{
    size_t n = 0;
    if (c->properties[i] & DIFF_DISTINCT &&
        diff_param_elements(&c->sig[UNTUNED].params[i], &n) && n > 0 &&
        hi < lo + (int64_t)n - 1)
        hi = lo + (int64_t)n - 1;
    return (struct diff_range){.lo = lo, .hi = hi > lo ? hi : lo};
}

/* Ranges of one parameter after the other, the others as they are. */
static void find_one_by_one(struct diff_pair *pair, struct diff_case *c,
                            const bool *needs, int64_t lo,
                            const int64_t *bounds, size_t nbounds)
{
    size_t n = c->sig[UNTUNED].nparams;
    for (size_t i = 0; i < n; i++) {
        if (!needs[i])
            continue;
        for (size_t b = 0; b < nbounds; b++) {
            c->ranges[i] = range_up_to(c, i, lo, bounds[b]);
            if (bounds[b] <= lo || ranges_fit(pair, c))
                break;
        }
    }
}

/* Ranges from `lo` on that fit, all parameters together as far as they do;
 * false: none does. */
static bool find_from(struct diff_pair *pair, struct diff_case *c,
                      const bool *needs, int64_t lo, const int64_t *bounds,
                      size_t nbounds)
{
    for (size_t b = 0; b < nbounds; b++) {
        if (bounds[b] < lo)
            continue;
        for (size_t i = 0; i < c->sig[UNTUNED].nparams; i++) {
            if (needs[i])
                c->ranges[i] = range_up_to(c, i, lo, bounds[b]);
        }
        if (!ranges_fit(pair, c))
            continue;
        if (b > 0)
            find_one_by_one(pair, c, needs, lo, bounds, nbounds);
        return true;
    }
    return false;
}

/* The range of one parameter, both ends at once or one of them; false: the
 * untuned module bears none of it. */
static bool widen(struct diff_pair *pair, struct diff_case *c, size_t i,
                  int64_t lo, int64_t hi)
{
    struct diff_range *range = &c->ranges[i], kept = *range;
    const int64_t ends[][2] = {{lo, hi}, {kept.lo, hi}, {lo, kept.hi}};
    for (size_t k = 0; k < DC_ARRAY_LEN(ends); k++) {
        range->lo = ends[k][0];
        range->hi = ends[k][1];
        if (ranges_fit(pair, c))
            return true;
    }
    *range = kept;
    return false;
}

/* Ranges beyond `from`, for the parameters that admit them: somewhat beyond,
 * or all that the type holds. NULL if none does. */
static struct diff_range *find_beyond(struct diff_pair *pair,
                                      struct diff_case *c, const bool *needs,
                                      const struct diff_range *from, bool all)
{
    size_t n = c->sig[UNTUNED].nparams;
    struct diff_range *found = c->ranges;
    struct diff_range *beyond =
        ARENA_ARRAY(pair->arena, n + 1, struct diff_range);
    bool any = false;
    memcpy(beyond, from, n * sizeof *beyond);
    c->ranges = beyond;
    for (size_t i = 0; i < n; i++) {
        struct diff_range type =
            diff_type_range(dtype_scalar(c->sig[UNTUNED].params[i].dtype));
        if (!needs[i])
            continue;
        int64_t hi = found[i].hi, lo = -hi - 2, most = 2 * hi + 2;
        lo = all || lo < type.lo ? type.lo : lo;
        most = all || most > type.hi ? type.hi : most;
        any |= widen(pair, c, i, lo, most);
    }
    c->ranges = found;
    return any ? beyond : NULL;
}

static void find_wide(struct diff_pair *pair, struct diff_case *c,
                      const bool *needs)
{
    c->near = find_beyond(pair, c, needs, c->ranges, false);
    c->wide = find_beyond(pair, c, needs, c->near ? c->near : c->ranges, true);
}

const struct diff_range *diff_widest(const struct diff_case *c)
{
    return c->wide ? c->wide : c->near ? c->near : c->ranges;
}

void diff_find_ranges(struct diff_pair *pair, struct diff_case *c)
{
    size_t n = c->sig[UNTUNED].nparams;
    bool *needs = ARENA_ARRAY(pair->arena, n + 1, bool);
    int64_t bounds[MAX_BOUNDS];
    if (c->ranges_found) /* a finding is replayed with those it was found with */
        return;
    c->ranges_found = true;
    size_t nbounds = choose_bounds(c, bounds);
    for (size_t i = 0; i < n; i++) {
        const struct diff_range *given =
            diff_assume_find(pair->options, c->sig[UNTUNED].params[i].name);
        if (given) {
            c->ranges[i] = *given;
            c->ranged = true;
        }
        size_t elements = 0;
        needs[i] = needs_range(pair, c, i);
        if (needs[i] && c->properties[i] & DIFF_PERMUTATION &&
            diff_param_elements(&c->sig[UNTUNED].params[i], &elements)) {
            c->ranges[i] =
                (struct diff_range){.lo = 0, .hi = (int64_t)elements - 1};
            needs[i] = false;
            c->ranged = true;
        }
    }
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any = any || needs[i];
    if (!any)
        return;
    c->ranged = true;
    /* from 1 on, where something is divided by them */
    if (find_from(pair, c, needs, 0, bounds, nbounds) ||
        find_from(pair, c, needs, 1, bounds, nbounds)) {
        find_wide(pair, c, needs);
        return;
    }
    for (size_t i = 0; i < n; i++) /* as before: the last that was tried */
        if (needs[i])
            c->ranges[i] = (struct diff_range){.lo = 0, .hi = 0};
}

/* ---- samples --------------------------------------------------------------------------- */

/* The k-th of `wanted` elements of an output of n: the two ends, then evenly
 * spaced and scattered ones in turn. */
static size_t pick(size_t k, size_t wanted, size_t n, uint64_t salt)
{
    if (k == 0)
        return 0;
    if (k == 1)
        return n - 1;
    if (k % 2 == 0)
        return (size_t)((double)k / (double)wanted * (double)(n - 1));
    return (size_t)(hash_mix(hash_mix(0, salt), k) % n);
}

void diff_choose_samples(const struct diff_pair *pair, struct diff_case *c,
                         size_t wanted, bool cluster)
{
    size_t n = c->sig[UNTUNED].nparams, outputs = 0;
    c->samples = c->outputs = 0;
    c->demand = ARENA_ARRAY(pair->arena, n + 1, const uint8_t *);
    for (size_t i = 0; i < n; i++)
        outputs += c->compared[i] ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        size_t elements;
        if (!c->compared[i] ||
            !diff_param_elements(&c->sig[UNTUNED].params[i], &elements) ||
            elements == 0)
            continue;
        uint8_t *marks = ARENA_ARRAY(pair->arena, elements, uint8_t);
        size_t share = wanted / outputs > 2 ? wanted / outputs : 2;
        for (size_t k = 0; k < share; k++) {
            size_t at = cluster ? (elements / 2 + k) % elements
                                : pick(k, share, elements, i + 1);
            c->samples += marks[at] ? 0 : 1;
            marks[at] = 1;
        }
        c->outputs += elements;
        c->demand[i] = marks;
    }
}
