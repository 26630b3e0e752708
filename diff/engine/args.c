/* SPDX-License-Identifier: Apache-2.0
 *
 * Arguments of runs.
 *
 * All parameter buffers, outputs too, start with defined contents that are
 * equal on both sides (docs/semantics.md rule 14): an output that one side
 * forgets to initialise then shows as a difference. The contents depend on
 * seed, position and element alone, never on shapes, so a flattened parameter
 * gets the same values as the shaped one.
 */
#include "diff/engine/args.h"

#include <stdlib.h>
#include <string.h>

static bool within(const struct diff_range *range, double value)
{
    return value >= range->least && value <= range->most;
}

/* A value of the type in the range, by the hash: small integers where the fill
 * wants exact runs and there are any, else even steps from end to end. */
static uint64_t float_within(struct dtype t, const struct diff_range *range,
                             enum interp_fill fill, uint64_t h)
{
    double value, span = range->most - range->least;
    unsigned flags = 0;
    int64_t lo = range->lo > -4 ? range->lo : -4;
    int64_t hi = range->hi < 4 ? range->hi : 4;
    if (fill == INTERP_FILL_EXACT && lo <= hi)
        value = (double)(lo + (int64_t)(h % (uint64_t)(hi - lo + 1)));
    else if (fill == INTERP_FILL_BOUNDARY)
        value = h & 1 ? range->least : range->most;
    else
        value = range->least +
                span * ((double)(h >> 40) / (double)(UINT64_C(1) << 24));
    uint64_t bits = num_from_double(t, value, &flags);
    /* rounding may leave the range; then an end, or the middle, is inside */
    const double other[] = {range->least, range->most, range->least + span / 2};
    for (size_t i = 0;
         i < DC_ARRAY_LEN(other) && !within(range, num_to_double(t, bits)); i++)
        bits = num_from_double(t, other[i], &flags);
    return bits;
}

/* Floats outside of a range that was given are chosen anew. */
static void confine(struct interp_tensor *t, const struct diff_range *range,
                    const struct diff_recipe *recipe, size_t param)
{
    struct dtype lane = dtype_scalar(t->dtype);
    uint64_t key = hash_mix(hash_mix(UINT64_C(0x72616e6765), recipe->seed),
                            (uint64_t)param);
    for (size_t i = 0; i < t->elements; i++)
        if (!within(range, num_to_double(lane, interp_tensor_get(t, i))))
            interp_tensor_set(t, i,
                              float_within(lane, range, recipe->fill,
                                           hash_mix(key, (uint64_t)i)));
}

struct diff_range diff_type_range(struct dtype t)
{
    unsigned bits = t.bits == 0 || t.bits > 64 ? 64 : t.bits;
    struct diff_range r = {.lo = 0, .hi = INT64_MAX};
    if (t.code == DT_INT) {
        r.hi = (int64_t)((UINT64_C(1) << (bits - 1)) - 1);
        r.lo = -r.hi - 1;
    } else if (bits < 64) {
        r.hi = (int64_t)((UINT64_C(1) << bits) - 1);
    }
    return r;
}

/* The part of a range that a type holds; its nearer end if there is none. */
static struct diff_range held(const struct diff_range *range, struct dtype t)
{
    const struct diff_range all = diff_type_range(t);
    struct diff_range r = *range;
    r.lo = r.lo < all.lo ? all.lo : r.lo > all.hi ? all.hi : r.lo;
    r.hi = r.hi < all.lo ? all.lo : r.hi > all.hi ? all.hi : r.hi;
    return r;
}

/* ---- sweeps ---------------------------------------------------------------------- */

/* The values of a range in the order of a sweep: the ends of the range that
 * comes first, what lies just beyond them, the ends of all, then the first
 * range, what is below it, and what is above. */
struct order {
    int64_t lo;            /* of all */
    int64_t first_lo;      /* of the first range */
    uint64_t inner, below; /* values in the first range, and below it */
    size_t nends;
    int64_t ends[6];
    uint64_t length;
};

/* hi - lo + 1, less where that would not leave room for the ends. */
static uint64_t span_of(int64_t lo, int64_t hi)
{
    uint64_t span = (uint64_t)hi - (uint64_t)lo;
    return span > UINT64_MAX - 8 ? UINT64_MAX - 8 : span + 1;
}

static void add_end(struct order *o, int64_t end, int64_t hi)
{
    for (size_t i = 0; i < o->nends; i++)
        if (o->ends[i] == end)
            return;
    if (end >= o->lo && end <= hi)
        o->ends[o->nends++] = end;
}

static void order_init(struct order *o, const struct diff_range *range,
                       const struct diff_range *first)
{
    bool inside = first->lo >= range->lo && first->hi <= range->hi &&
                  first->lo <= first->hi;
    const struct diff_range *f = inside ? first : range;
    const int64_t ends[] = {f->lo,
                            f->hi,
                            f->lo - (f->lo > range->lo),
                            f->hi + (f->hi < range->hi),
                            range->lo,
                            range->hi};
    o->lo = range->lo;
    o->first_lo = f->lo;
    o->inner = span_of(f->lo, f->hi);
    o->below = (uint64_t)f->lo - (uint64_t)range->lo;
    o->nends = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(ends); i++)
        add_end(o, ends[i], range->hi);
    o->length = o->nends + span_of(range->lo, range->hi);
}

static int64_t order_at(const struct order *o, uint64_t at)
{
    if (at < o->nends)
        return o->ends[at];
    at -= o->nends;
    if (at < o->inner)
        return (int64_t)((uint64_t)o->first_lo + at);
    at -= o->inner;
    if (at >= o->below) /* above the first range */
        at += o->inner;
    return (int64_t)((uint64_t)o->lo + at);
}

/* Windows of so many values each that cover the order. */
static uint64_t windows_of(const struct order *o, size_t elements)
{
    uint64_t n = elements > 0 ? elements : 1;
    return o->length / n + (o->length % n != 0);
}

uint64_t diff_sweep_windows(const struct diff_range *range,
                            const struct diff_range *first, size_t elements)
{
    struct order o;
    order_init(&o, range, first);
    return windows_of(&o, elements);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The window of a step, of n: those with the ends first, the others by a
 * stride of the parameter's own, so that two parameters meet in many
 * combinations. */
static uint64_t window_at(uint64_t step, uint64_t n, uint64_t ends,
                          size_t param)
{
    static const uint64_t strides[] = {1, 3, 5, 7, 11, 13};
    uint64_t others = n - ends;
    if (step < ends || others == 0)
        return step;
    uint64_t stride = strides[param % DC_ARRAY_LEN(strides)];
    while (common_divisor(stride, others) != 1)
        stride++;
    uint64_t k = step - ends;
    /* no product of large numbers: so many steps are never made */
    return ends + (others > UINT32_MAX ? k : k * (stride % others) % others);
}

/* Consecutive elements take consecutive values of the order, step by step
 * another window of it; after all windows, elements and values are matched
 * anew. */
static void sweep(struct interp_tensor *t, const struct diff_range *range,
                  const struct diff_recipe *recipe, size_t param)
{
    const struct diff_range all = held(range, dtype_scalar(t->dtype));
    struct order o;
    order_init(&o, &all, &recipe->first[param]);
    uint64_t elements = t->elements > 0 ? t->elements : 1;
    uint64_t n = windows_of(&o, t->elements), step = recipe->sweep - 1;
    uint64_t ends = (o.nends + elements - 1) / elements, turn = step / n;
    uint64_t window = window_at(step % n, n, ends, param);
    for (size_t i = 0; i < t->elements; i++) {
        unsigned flags = 0;
        uint64_t at = (window * elements + i + turn) % o.length;
        interp_tensor_set(
            t, i,
            num_from_int(dtype_scalar(t->dtype), order_at(&o, at), &flags));
        t->state[i] = INTERP_DEFINED;
    }
}

/* ---- contents -------------------------------------------------------------------- */

static uint64_t number(struct dtype t, int64_t value)
{
    unsigned flags = 0;
    return dtype_is_bool(t)    ? value != 0
           : dtype_is_float(t) ? num_from_double(t, (double)value, &flags)
                               : num_from_int(t, value, &flags);
}

static void put_all(struct interp_tensor *t, int64_t value)
{
    uint64_t bits = number(dtype_scalar(t->dtype), value);
    for (size_t i = 0; i < t->elements; i++) {
        interp_tensor_set(t, i, bits);
        t->state[i] = INTERP_DEFINED;
    }
}

/* The background and what stands out of it: the ends of the range, if there is
 * one. */
static void spike_values(struct dtype t, const struct diff_range *range,
                         enum diff_spike spike, uint64_t *ground,
                         uint64_t *peak)
{
    bool above = spike != DIFF_SPIKE_BELOW;
    bool limited = dtype_is_int(t) && range->lo <= range->hi;
    *ground = number(t, above ? -1 : 0);
    *peak = dtype_is_bool(t) ? !above : number(t, above ? 5 : -5);
    if (spike == DIFF_SPIKE_FAR && dtype_is_float(t))
        *peak = number(t, 8192);
    if (spike == DIFF_SPIKE_FAR && num_is_inf(t, *peak))
        *peak = num_max_value(t);
    if (!limited || dtype_is_bool(t))
        return;
    const struct diff_range all = diff_type_range(t), in = held(range, t);
    if (t.code == DT_INT ? in.lo > -5 || in.hi < 5
                         : in.lo > all.lo || in.hi < all.hi) {
        *ground = number(t, above ? in.lo : in.hi);
        *peak = number(t, above ? in.hi : in.lo);
    }
}

static void put_spike(struct interp_tensor *t, const struct diff_recipe *recipe,
                      size_t param, const struct diff_range *range)
{
    struct dtype type = dtype_scalar(t->dtype);
    uint64_t ground, peak;
    spike_values(type, range, recipe->spike, &ground, &peak);
    for (size_t i = 0; i < t->elements; i++) {
        bool here = param == recipe->spike_param && i == recipe->spike_element;
        interp_tensor_set(t, i, here ? peak : ground);
        t->state[i] = INTERP_DEFINED;
    }
}

/* Whole numbers in a row, as far as the type or the range has any. */
static void put_ramp(struct interp_tensor *t, bool up,
                     const struct diff_range *range)
{
    struct dtype type = dtype_scalar(t->dtype);
    bool limited = dtype_is_int(type) && range->lo <= range->hi;
    const struct diff_range all = diff_type_range(type);
    const struct diff_range in = limited ? held(range, type) : all;
    int64_t n = (int64_t)t->elements, from = -n / 2;
    if (dtype_is_int(type))
        from = in.lo > from || in.hi < n - n / 2 ? in.lo : from;
    for (int64_t i = 0; i < n; i++) {
        int64_t value = from + (up ? i : n - 1 - i);
        if (dtype_is_int(type) && value > in.hi)
            value = in.hi;
        interp_tensor_set(t, (size_t)i, number(type, value));
        t->state[i] = INTERP_DEFINED;
    }
}

bool diff_may_be_address(struct dtype t, bool indexes,
                         const struct diff_range *range)
{
    const struct diff_range all = diff_type_range(t);
    if (!dtype_is_int(t))
        return false;
    if (range->lo > range->hi)
        return indexes;
    return range->text != NULL || range->lo > all.lo || range->hi < all.hi;
}

/* Whether the elements of another parameter than the one with the spike are to
 * be 1. */
static bool may_be_one(struct dtype t, const struct diff_recipe *recipe,
                       bool indexes, const struct diff_range *range)
{
    bool limited = dtype_is_int(t) && range->lo <= range->hi;
    if (limited && (range->lo > 1 || range->hi < 1))
        return false;
    return (recipe->ones && (limited || !indexes)) ||
           !diff_may_be_address(t, indexes, range);
}

/* True: it is filled. */
static bool fill_by_pattern(struct interp_tensor *t,
                            const struct diff_recipe *recipe, size_t param,
                            bool indexes, const struct diff_range *range)
{
    bool one = may_be_one(dtype_scalar(t->dtype), recipe, indexes, range);
    switch (recipe->spike) {
    case DIFF_NO_SPIKE: return false;
    case DIFF_SPIKE_ABOVE:
    case DIFF_SPIKE_BELOW:
    case DIFF_SPIKE_FAR:
        if (param == recipe->spike_param)
            put_spike(t, recipe, param, range);
        else if (!one)
            return false;
        else
            put_all(t, 1);
        return true;
    case DIFF_RAMP_UP:
    case DIFF_RAMP_DOWN:
        if (param == recipe->spike_param)
            put_ramp(t, recipe->spike == DIFF_RAMP_UP, range);
        else if (!one)
            return false;
        else
            put_all(t, 1);
        return true;
    case DIFF_ALONE:
        if (param == recipe->spike_param || !one)
            return false;
        put_all(t, 1);
        return true;
    }
    return false;
}

static void fill_plain(struct interp_tensor *t,
                       const struct diff_recipe *recipe, size_t param,
                       bool indexes, const struct diff_range *range)
{
    if (!dtype_is_handle(t->dtype) &&
        fill_by_pattern(t, recipe, param, indexes, range))
        return;
    bool ranged = indexes && range->lo <= range->hi;
    if (!dtype_is_int(t->dtype))
        interp_fill_tensor(t, recipe->fill, recipe->seed, param, 1, 0);
    else if (recipe->sweep > 0 && ranged &&
             !dtype_is_bool(dtype_scalar(t->dtype)))
        sweep(t, range, recipe, param);
    else
        interp_fill_tensor(t, ranged ? INTERP_FILL_INDEX : recipe->fill,
                           recipe->seed, param, range->lo, range->hi);
}

static void fill(struct interp_tensor *t, const struct diff_recipe *recipe,
                 size_t param, bool indexes)
{
    struct diff_range range = {NULL, 1, 0, NULL, 0, 0};
    if (recipe->ranges)
        range = recipe->ranges[param];
    fill_plain(t, recipe, param, indexes, &range);
    if (recipe->spice.kind != DIFF_PLAIN &&
        (recipe->spike != DIFF_ALONE || param == recipe->spike_param))
        diff_spice_tensor(t, recipe, param, &range);
    if (range.text && dtype_is_float(t->dtype))
        confine(t, &range, recipe, param);
}

static uint64_t scalar(const struct interp_param *param, size_t position,
                       const struct interp_symbol *symbols, size_t nsymbols,
                       const struct diff_recipe *recipe)
{
    int64_t one = 1;
    unsigned flags = 0;
    for (size_t i = 0; i < nsymbols; i++) {
        if (strcmp(symbols[i].name, param->name) == 0 &&
            !dtype_is_float(param->dtype))
            return num_from_int(param->dtype, symbols[i].value, &flags);
    }
    struct interp_tensor *t =
        interp_tensor_new(dtype_scalar(param->dtype), 1, &one);
    fill(t, recipe, position, param->indexes);
    uint64_t bits = interp_tensor_get(t, 0);
    interp_tensor_free(t);
    return bits;
}

static int diff_sparse_value(unsigned state)
{
    static const int values[DIFF_SPARSE_VALUES] = {1, -1, 2, 4, 8, 16, 32, 64};
    return state >= DIFF_SET && state < DIFF_SET + DIFF_SPARSE_VALUES
               ? values[state - DIFF_SET]
               : 0;
}

static void thin_out(struct interp_tensor *t, const uint8_t *state)
{
    struct dtype type = dtype_scalar(t->dtype);
    unsigned flags = 0;
    for (size_t i = 0; i < t->elements; i++) {
        if (state[i] == DIFF_AS_FILLED)
            continue;
        int value = diff_sparse_value(state[i]);
        if (value < 0 && type.code == DT_UINT)
            value = 1;
        interp_tensor_set(t, i, num_from_double(type, value, &flags));
        t->state[i] = INTERP_DEFINED;
    }
}

static void take_given(struct interp_arg *arg, const struct interp_tensor *in)
{
    if (!arg->tensor) {
        arg->bits = interp_tensor_get(in, 0);
        return;
    }
    interp_tensor_copy(arg->tensor, in);
    memset(arg->tensor->state, INTERP_DEFINED,
           arg->tensor->elements * sizeof *arg->tensor->state);
}

void diff_args_make(struct diff_args *out, const struct interp_signature *sig,
                    const struct interp_symbol *symbols, size_t nsymbols,
                    const struct diff_recipe *recipe)
{
    out->n = sig->nparams;
    out->args = dc_alloc((sig->nparams + 1) * sizeof *out->args);
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *param = &sig->params[i];
        struct interp_arg *arg = &out->args[i];
        const struct interp_tensor *given =
            recipe->given ? recipe->given[i] : NULL;
        arg->dtype = param->dtype;
        if (!param->is_tensor && given) {
            take_given(arg, given);
            continue;
        }
        if (!param->is_tensor) {
            arg->bits = scalar(param, i, symbols, nsymbols, recipe);
            continue;
        }
        arg->tensor =
            interp_tensor_new(param->dtype, param->rank, param->shape);
        if (recipe->no_contents)
            continue;
        if (given) {
            take_given(arg, given);
            continue;
        }
        fill(arg->tensor, recipe, i, param->indexes);
        if (recipe->sparse && recipe->sparse->state[i])
            thin_out(arg->tensor, recipe->sparse->state[i]);
    }
}

void diff_args_copy(struct diff_args *out, const struct interp_signature *sig,
                    const struct diff_args *from)
{
    out->n = from->n;
    out->args = dc_alloc((from->n + 1) * sizeof *out->args);
    for (size_t i = 0; i < from->n; i++) {
        const struct interp_param *param = &sig->params[i];
        const struct interp_tensor *source = from->args[i].tensor;
        struct interp_arg *arg = &out->args[i];
        arg->dtype = param->dtype;
        arg->bits = from->args[i].bits;
        if (!source)
            continue;
        struct interp_tensor *t =
            interp_tensor_new(param->dtype, param->rank, param->shape);
        if (t->elements != source->elements)
            DC_BUG("parameter %zu has %zu elements on one side and %zu on "
                   "the other",
                   i, source->elements, t->elements);
        interp_tensor_copy(t, source);
        memcpy(t->state, source->state, t->elements * sizeof *t->state);
        if (source->box)
            interp_tensor_to_box(t);
        arg->tensor = t;
    }
}

void diff_args_to_boxes(struct diff_args *args)
{
    for (size_t i = 0; i < args->n; i++) {
        if (args->args[i].tensor)
            interp_tensor_to_box(args->args[i].tensor);
    }
}

void diff_args_fini(struct diff_args *args)
{
    for (size_t i = 0; i < args->n && args->args; i++)
        interp_tensor_free(args->args[i].tensor);
    dc_release(args->args);
    args->args = NULL;
    args->n = 0;
}

bool diff_element_find(const struct interp_param *param, const char *indices,
                       size_t *element)
{
    const char *p = indices;
    size_t n = 0;
    *element = 0;
    for (; *p && *p != ']' && n < param->rank; n++) {
        char *end;
        long long index = strtoll(p + 1, &end, 10);
        if (end == p + 1 || index < 0 || index >= param->shape[n])
            break;
        *element = *element * (size_t)param->shape[n] + (size_t)index;
        p = end + strspn(end, " ");
        if (*p != ',' && *p != ']')
            break;
    }
    *element *= param->dtype.lanes;
    return !*indices || (n == param->rank && strcmp(p, "]") == 0);
}
