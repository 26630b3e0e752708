/* SPDX-License-Identifier: Apache-2.0
 *
 * Concrete values for symbolic sizes.
 *
 * A claim about symbolic shapes that rests on runs holds for the sizes tried
 * and no others, so these are chosen to break what breaks: sizes that no tile
 * divides, 1, a whole tile, and sizes beyond one or two tiles. Each set gives
 * different primes or odd numbers to different symbols, so that exchanged
 * dimensions show. The tuned side's symbols get their values from the untuned
 * side's shapes, position by position, because names may differ.
 */
#include "diff/engine/engine.h"
#include "diff/engine/properties.h"
#include "diff/input/known_names.h"

#include <math.h>
#include <string.h>

#define MAX_CASES    8u
#define MAX_ELEMENTS ((size_t)48 << 20) /* of all parameters of one side */

/* Value of the i-th symbol in set k; 0 ends the sets. */
static int64_t size_of(size_t k, size_t i)
{
    static const int64_t primes[] = {7, 5, 3, 11, 2, 13};
    switch (k) {
    case 0: return primes[i % DC_ARRAY_LEN(primes)];
    case 1: return 1;
    case 2: return 16;
    case 3: return 33 + 2 * (int64_t)i;
    case 4: return 64;
    case 5: return 131 + 2 * (int64_t)i;
    default: return 0;
    }
}

/* Whether the symbol is a size: a dimension, or an integer scalar whose value
 * matters to control. Other scalars are data. */
static bool is_size(const struct interp_signature *sig, const char *name)
{
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *p = &sig->params[i];
        for (size_t d = 0; d < p->rank; d++) {
            if (p->dim_names[d] && strcmp(p->dim_names[d], name) == 0)
                return true;
        }
        if (!p->is_tensor && strcmp(p->name, name) == 0)
            return dtype_is_int(p->dtype) && p->indexes;
    }
    return true; /* occurs inside a dimension's expression */
}

/* Symbols of the untuned side in set k, or the values given, one a symbol.
 * Returns whether any is free, that is, whether another set would give another
 * value. */
static bool choose_untuned(const struct diff_pair *pair,
                           const struct interp_signature *sig, size_t k,
                           const int64_t *values, struct diff_case *c)
{
    const struct diff_options *o = pair->options;
    bool any = false;
    c->symbols[UNTUNED] =
        ARENA_ARRAY(pair->arena, sig->nsymbols + 1, struct interp_symbol);
    for (size_t i = 0; i < sig->nsymbols; i++) {
        struct interp_symbol *s = &c->symbols[UNTUNED][c->nsymbols[UNTUNED]];
        const struct diff_range *range;
        if (!is_size(sig, sig->symbols[i]))
            continue;
        s->name = sig->symbols[i];
        c->nsymbols[UNTUNED]++;
        if (diff_shape_find(o, s->name, &s->value))
            continue;
        s->value = values != NULL ? values[i] : size_of(k, i);
        range = diff_assume_find(o, s->name);
        if (range && range->lo <= 0 && values == NULL && k == 4)
            s->value = 0; /* which is no size unless it is admitted (R16) */
        if (range && s->value < range->lo)
            s->value = range->lo;
        if (range && s->value > range->hi)
            s->value = range->hi;
        any = true;
    }
    return any;
}

static void add_symbol(struct diff_case *c, const char *name, int64_t value,
                       size_t room)
{
    size_t n = c->nsymbols[TUNED];
    for (size_t i = 0; i < n; i++) {
        if (strcmp(c->symbols[TUNED][i].name, name) == 0)
            return;
    }
    if (n >= room)
        return;
    c->symbols[TUNED][n].name = name;
    c->symbols[TUNED][n].value = value;
    c->nsymbols[TUNED]++;
}

/* Symbols of the tuned side: from shapes by position, scalars by position,
 * the rest by name. `sig` is the tuned signature without values. */
static void derive_tuned(const struct diff_pair *pair,
                         const struct interp_signature *sig,
                         struct diff_case *c)
{
    const struct interp_signature *u = &c->sig[UNTUNED];
    size_t room = sig->nsymbols + c->nsymbols[UNTUNED];
    c->symbols[TUNED] =
        ARENA_ARRAY(pair->arena, room + 1, struct interp_symbol);
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *p = &sig->params[i], *q = &u->params[i];
        for (size_t d = 0; p->rank == q->rank && d < p->rank; d++) {
            if (p->dim_names[d])
                add_symbol(c, p->dim_names[d], q->shape[d], room);
        }
    }
    for (size_t k = 0; k < c->nsymbols[UNTUNED]; k++) {
        const struct interp_symbol *s = &c->symbols[UNTUNED][k];
        for (size_t i = 0; i < sig->nparams; i++) {
            if (!sig->params[i].is_tensor &&
                strcmp(u->params[i].name, s->name) == 0)
                add_symbol(c, sig->params[i].name, s->value, room);
        }
        add_symbol(c, s->name, s->value, room);
    }
}

static const char *unknown_size(const struct diff_pair *pair,
                                const struct interp_signature *sig)
{
    size_t total = 0, n;
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *p = &sig->params[i];
        if (!p->is_tensor)
            continue;
        for (size_t d = 0; d < p->rank; d++) {
            if (p->shape[d] < 0)
                return arena_printf(pair->arena,
                                    "dimension %zu of parameter '%s' cannot "
                                    "be computed from the sizes chosen",
                                    d, p->name);
        }
        if (!diff_param_elements(p, &n) || (total += n) > MAX_ELEMENTS)
            return arena_printf(pair->arena,
                                "the parameters have more than "
                                "%zu elements",
                                MAX_ELEMENTS);
    }
    return diff_inputs_too_large(pair->options, sig, pair->arena);
}

double diff_speed(const struct diff_pair *pair, const struct diff_case *c,
                  size_t side)
{
    struct interp_options options = interp_default_options();
    const struct diff_recipe recipe = {.fill = INTERP_FILL_ZERO,
                                       .seed = 1,
                                       .ranges = c->ranges,
                                       .no_contents = true};
    struct diff_args args;
    if (pair->relax)
        return 1;
    diff_args_make(&args, &c->sig[side], c->symbols[side], c->nsymbols[side],
                   &recipe);
    double speed = interp_speed(pair->side[side].module, pair->side[side].func,
                                args.n, args.args, &options);
    diff_args_fini(&args);
    return speed;
}

/* The same, asked only where it may matter. */
static double speed_of(const struct diff_pair *pair, const struct diff_case *c,
                       size_t side, double work)
{
    return work * 64 < (double)pair->full_limit ? 1 : diff_speed(pair, c, side);
}

static void finish_case(struct diff_pair *pair, struct diff_case *c)
{
    size_t n = c->sig[UNTUNED].nparams;
    c->ranges = ARENA_ARRAY(pair->arena, n + 1, struct diff_range);
    c->compared = ARENA_ARRAY(pair->arena, n + 1, bool);
    c->properties = ARENA_ARRAY(pair->arena, n + 1, unsigned);
    for (size_t i = 0; i < n; i++) {
        size_t elements = 0;
        c->ranges[i] = (struct diff_range){.lo = 1, .hi = 0};
        c->properties[i] =
            diff_property_find(pair->options, c->sig[UNTUNED].params[i].name);
        c->compared[i] = c->sig[UNTUNED].params[i].is_tensor &&
                         (c->sig[UNTUNED].params[i].stored ||
                          c->sig[TUNED].params[i].stored);
        if (c->sig[UNTUNED].params[i].is_tensor &&
            diff_param_elements(&c->sig[UNTUNED].params[i], &elements))
            c->elements += elements;
    }
    for (size_t side = 0; side < NSIDES; side++) {
        c->side_work[side] =
            diff_work(pair->side[side].module, pair->side[side].func,
                      c->symbols[side], c->nsymbols[side]);
        if (c->side_work[side] > c->work)
            c->work = c->side_work[side];
    }
}

static void cost_case(const struct diff_pair *pair, struct diff_case *c)
{
    for (size_t side = 0; side < NSIDES && !c->costed; side++) {
        double work = c->side_work[side];
        double whole = work / speed_of(pair, c, side, work);
        if (whole > c->whole)
            c->whole = whole;
    }
    c->costed = true;
}

void diff_cost_cases(struct diff_pair *pair)
{
    for (size_t i = 0; i < pair->ncases + pair->nextra; i++)
        cost_case(pair, &pair->cases[i]);
}

/* One case; *why is set where it cannot be used. */
static bool plan_case(struct diff_pair *pair,
                      const struct interp_signature plain[NSIDES], size_t k,
                      const int64_t *values, struct diff_case *c, bool *more,
                      struct diag_sink *sink, const char **why)
{
    *more = choose_untuned(pair, &plain[UNTUNED], k, values, c);
    if (!interp_signature(pair->side[UNTUNED].module, pair->side[UNTUNED].func,
                          c->symbols[UNTUNED], c->nsymbols[UNTUNED],
                          pair->arena, &c->sig[UNTUNED], sink))
        return false;
    *why = unknown_size(pair, &c->sig[UNTUNED]);
    if (*why)
        return true;
    derive_tuned(pair, &plain[TUNED], c);
    if (!interp_signature(pair->side[TUNED].module, pair->side[TUNED].func,
                          c->symbols[TUNED], c->nsymbols[TUNED], pair->arena,
                          &c->sig[TUNED], sink) ||
        !diff_match_params(pair, &c->sig[UNTUNED], &c->sig[TUNED], sink))
        return false;
    *why = unknown_size(pair, &c->sig[TUNED]);
    if (!*why)
        finish_case(pair, c);
    return true;
}

/* A function whose parameters cannot be bound is beyond us, not bad input. */
static const char *unbindable(const struct diff_pair *pair,
                              const struct diag_sink *sink, size_t side)
{
    return arena_printf(pair->arena,
                        "the parameters of the %s function cannot be bound: "
                        "%s",
                        diff_side_name(side),
                        diag_count(sink) > 0
                            ? diag_at(sink, diag_count(sink) - 1)->message
                            : "no reason given");
}

static bool check_shape_options(const struct diff_pair *pair,
                                const struct interp_signature *sig,
                                struct diag_sink *sink)
{
    for (size_t i = 0; i < pair->options->nshapes; i++) {
        const char *name = pair->options->shapes[i].name;
        struct buf there = {0};
        if (diff_is_symbol(sig, name))
            continue;
        diff_put_known_of(&there, sig, true);
        (void)diag_error(sink, (struct diag_loc){0}, "diff.shape",
                         "no symbolic size '%s' in '%s'%s", name,
                         pair->out->function, buf_text(&there));
        buf_fini(&there);
        return false;
    }
    return true;
}

/* Too costly for a further size: leave budget for the inputs of all cases. */
static bool too_long(const struct diff_pair *pair, struct diff_case *c)
{
    cost_case(pair, c);
    return c->whole * 4 > (double)pair->full_limit;
}

static enum diff_plan plan_sets(struct diff_pair *pair,
                                const struct interp_signature *plain,
                                struct diag_sink *sink, const char **why)
{
    bool more = true;
    pair->cases =
        ARENA_ARRAY(pair->arena, MAX_CASES + DIFF_MAX_EXTRA, struct diff_case);
    for (size_t k = 0; more && k < MAX_CASES && size_of(k, 0) > 0; k++) {
        struct diff_case *c = &pair->cases[pair->ncases];
        memset(c, 0, sizeof *c);
        if (!plan_case(pair, plain, k, NULL, c, &more, sink, why))
            return DIFF_PLAN_BAD_INPUT;
        if (*why && pair->ncases == 0)
            return DIFF_PLAN_UNKNOWN;
        if (*why || (pair->ncases > 0 && too_long(pair, c)))
            break;
        pair->ncases++;
    }
    *why = NULL;
    return DIFF_PLAN_OK;
}

enum diff_plan diff_plan_cases(struct diff_pair *pair, struct diag_sink *sink,
                               const char **why)
{
    struct interp_signature *plain = pair->plain;
    struct diag_sink *found = diag_sink_new();
    for (size_t side = 0; side < NSIDES; side++) {
        if (!interp_signature(pair->side[side].module, pair->side[side].func,
                              NULL, 0, pair->arena, &plain[side], found)) {
            *why = unbindable(pair, found, side);
            diag_sink_free(found);
            return DIFF_PLAN_UNKNOWN;
        }
    }
    diag_sink_free(found);
    if (!diff_match_params(pair, &plain[UNTUNED], &plain[TUNED], sink) ||
        !check_shape_options(pair, &plain[UNTUNED], sink))
        return DIFF_PLAN_BAD_INPUT;
    return plan_sets(pair, plain, sink, why);
}

/* ---- further sizes ------------------------------------------------------------------ */

struct diff_case *diff_add_case(struct diff_pair *pair,
                                const struct interp_symbol *sizes, size_t n)
{
    const struct interp_signature *plain = pair->plain;
    struct diff_case *c = &pair->cases[pair->ncases + pair->nextra];
    int64_t *values =
        ARENA_ARRAY(pair->arena, plain[UNTUNED].nsymbols + 1, int64_t);
    struct diag_sink *sink = diag_sink_new();
    const char *why = NULL;
    bool more, fine = pair->ncases > 0 && pair->nextra < DIFF_MAX_EXTRA;
    for (size_t i = 0; i < plain[UNTUNED].nsymbols; i++) {
        values[i] = size_of(0, i);
        for (size_t k = 0; k < n; k++)
            if (strcmp(plain[UNTUNED].symbols[i], sizes[k].name) == 0)
                values[i] = sizes[k].value;
    }
    if (fine) {
        memset(c, 0, sizeof *c);
        fine = plan_case(pair, plain, 0, values, c, &more, sink, &why) && !why;
    }
    if (fine)
        cost_case(pair, c);
    pair->nextra += fine ? 1 : 0;
    diag_sink_free(sink);
    return fine ? c : NULL;
}
