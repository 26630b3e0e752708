/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer tensors that are distinct, sorted or a permutation.
 *
 * Whatever filled a tensor, it is then changed as little as the assumption
 * asks for: a sorted one is sorted, of a distinct one the later of two equal
 * elements becomes a value that is free, and the elements of a permutation
 * become their ranks. So both sides get one input, whichever way it was made,
 * and inputs that are made smaller for a report stay admissible.
 */
#include "diff/engine/properties.h"

#include "diff/input/known_names.h"

#include <stdlib.h>
#include <string.h>

unsigned diff_property_find(const struct diff_options *options,
                            const char *name)
{
    unsigned kinds = 0;
    for (size_t i = 0; i < options->nproperties; i++)
        if (strcmp(options->properties[i].name, name) == 0)
            kinds |= options->properties[i].kinds;
    return kinds;
}

static bool has_integers(const struct ir_module *m, const char *name,
                         struct arena *arena)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        struct interp_signature sig;
        if (!interp_signature(m, m->funcs[i], NULL, 0, arena, &sig, NULL))
            continue;
        for (size_t k = 0; k < sig.nparams; k++)
            if (sig.params[k].is_tensor && dtype_is_int(sig.params[k].dtype) &&
                strcmp(sig.params[k].name, name) == 0)
                return true;
    }
    return false;
}

bool diff_property_check(const struct diff_options *options,
                         const struct ir_module *module, struct diag_sink *sink)
{
    struct arena *arena = arena_new();
    bool fine = true;
    for (size_t i = 0; i < options->nproperties; i++) {
        const char *name = options->properties[i].name;
        struct buf kinds = {0}, there = {0};
        if (has_integers(module, name, arena))
            continue;
        diff_property_put(&kinds, options->properties[i].kinds);
        diff_put_known(&there, module);
        fine = diag_error(sink, (struct diag_loc){.file = module->source},
                          "diff.assume",
                          "'%s' is to be %s, and no function has an integer "
                          "tensor of this name%s",
                          name, buf_text(&kinds), buf_text(&there));
        buf_fini(&there);
        buf_fini(&kinds);
    }
    arena_free(arena);
    return fine;
}

/* ---- values --------------------------------------------------------------------- */

/* An element, by value and place. Values of unsigned types are compared as
 * such: the sign bit of their order is turned over. */
struct item {
    int64_t order;
    size_t at;
};

static int64_t order_of(struct dtype t, uint64_t bits)
{
    uint64_t flip = t.code == DT_UINT ? UINT64_C(1) << 63 : 0;
    return (int64_t)(bits ^ flip);
}

static uint64_t bits_of(struct dtype t, int64_t order)
{
    return (uint64_t)order ^ (t.code == DT_UINT ? UINT64_C(1) << 63 : 0);
}

static int by_value(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

/* All elements, in ascending order. */
static struct item *ascending(const struct interp_tensor *t)
{
    struct item *items = dc_alloc((t->elements + 1) * sizeof *items);
    for (size_t i = 0; i < t->elements; i++)
        items[i] = (struct item){
            order_of(dtype_scalar(t->dtype), interp_tensor_get(t, i)), i};
    qsort(items, t->elements, sizeof *items, by_value);
    return items;
}

bool diff_property_holds(const struct interp_tensor *t, unsigned kinds)
{
    struct dtype type = dtype_scalar(t->dtype);
    struct item *items = ascending(t);
    bool fine = true;
    for (size_t i = 0; i < t->elements && fine; i++) {
        if (kinds & DIFF_SORTED)
            fine = items[i].at == i ||
                   items[i].order == order_of(type, interp_tensor_get(t, i));
        if (kinds & DIFF_DISTINCT && i > 0)
            fine = fine && items[i].order != items[i - 1].order;
        if (kinds & DIFF_PERMUTATION)
            fine = fine && bits_of(type, items[i].order) == i;
    }
    dc_release(items);
    return fine;
}

/* ---- making them ------------------------------------------------------------------- */

/* The type's values in the order above, where the range has any of them. */
static bool limits(struct dtype t, const struct diff_range *range, int64_t *lo,
                   int64_t *hi)
{
    unsigned bits = t.bits == 0 || t.bits > 64 ? 64 : t.bits;
    struct diff_range all = diff_type_range(t);
    bool ranged = range != NULL && range->lo <= range->hi;
    if (ranged && (range->lo > all.hi || range->hi < all.lo))
        return false;
    *lo = ranged && range->lo > all.lo ? range->lo : all.lo;
    *hi = ranged && range->hi < all.hi ? range->hi : all.hi;
    *lo = order_of(t, (uint64_t)*lo);
    *hi = order_of(t, (uint64_t)*hi);
    if (!ranged && t.code == DT_UINT && bits == 64)
        *hi = INT64_MAX;
    return true;
}

/* The later of equal elements become values that are free, the lowest first,
 * so that they are near the others. */
static bool make_distinct(struct interp_tensor *t,
                          const struct diff_range *range)
{
    struct dtype type = dtype_scalar(t->dtype);
    struct item *items = ascending(t);
    int64_t next, hi;
    size_t below = 0; /* items before it are below `next` */
    bool fine = limits(type, range, &next, &hi);
    for (size_t i = 1; i < t->elements && fine; i++) {
        if (items[i].order != items[i - 1].order)
            continue;
        while (fine) { /* to a value that nobody has */
            while (below < t->elements && items[below].order < next)
                below++;
            if (below == t->elements || items[below].order != next)
                break;
            fine = next < hi;
            next += fine ? 1 : 0;
        }
        fine = fine && next <= hi;
        if (!fine)
            break;
        interp_tensor_set(t, items[i].at, bits_of(type, next));
        if (next == hi) /* used up: whoever comes next finds none */
            hi = INT64_MIN;
        else
            next++;
    }
    dc_release(items);
    return fine;
}

static void make_sorted(struct interp_tensor *t)
{
    struct item *items = ascending(t);
    for (size_t i = 0; i < t->elements; i++)
        interp_tensor_set(t, i,
                          bits_of(dtype_scalar(t->dtype), items[i].order));
    dc_release(items);
}

/* Each element becomes the number of those that are below it. Equal ones would
 * come in their places' order, and a tensor of few values to a sorted one:
 * which of them is first goes by hash. */
static void make_permutation(struct interp_tensor *t)
{
    struct item *items = ascending(t);
    for (size_t from = 0, to; from < t->elements; from = to) {
        for (to = from;
             to < t->elements && items[to].order == items[from].order;)
            to++;
        for (size_t i = to - 1; i > from; i--) {
            size_t k = from + hash_mix(to, i) % (i - from + 1);
            size_t at = items[i].at;
            items[i].at = items[k].at;
            items[k].at = at;
        }
    }
    for (size_t i = 0; i < t->elements; i++)
        interp_tensor_set(t, items[i].at, i);
    dc_release(items);
}

bool diff_property_make(struct interp_tensor *t, unsigned kinds,
                        const struct diff_range *range)
{
    for (size_t i = 0; i < t->elements; i++)
        t->state[i] = INTERP_DEFINED;
    if (diff_property_holds(t, kinds))
        return true;
    int64_t last = (int64_t)t->elements - 1;
    bool given = range != NULL && range->text != NULL && range->lo <= range->hi;
    if (kinds & DIFF_PERMUTATION &&
        (last > diff_type_range(dtype_scalar(t->dtype)).hi ||
         (given && (range->lo > 0 || range->hi < last))))
        return false;
    if (kinds & DIFF_PERMUTATION)
        make_permutation(t);
    else if (kinds & DIFF_DISTINCT && !make_distinct(t, range))
        return false;
    if (kinds & DIFF_SORTED)
        make_sorted(t);
    return diff_property_holds(t, kinds);
}

bool diff_properties_make(struct diff_args *args, const unsigned *kinds,
                          const struct diff_range *ranges)
{
    bool fine = true;
    for (size_t i = 0; i < args->n && kinds != NULL; i++)
        if (kinds[i] != 0 && args->args[i].tensor != NULL)
            fine = diff_property_make(args->args[i].tensor, kinds[i],
                                      ranges != NULL ? &ranges[i] : NULL) &&
                   fine;
    return fine;
}
