/* SPDX-License-Identifier: Apache-2.0
 *
 * What the evaluator says of a pair, over many inputs.
 *
 * Inputs are drawn from values at the ends of their types, from the programs'
 * constants and what is next to them, and at random; values that belong to one
 * trip of the loop are also drawn in relation to each other, since comparisons
 * turn there. Where the untuned side faults on an input, the values of one trip
 * are tried in all trips: one bad element must not hide the others. If the
 * values of a trip have few bits together, all of them are tried.
 */
#include "fuzz/ints/ints_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define POOL     96u
#define ALL_BITS 16u

struct search {
    const struct ints_pair *pair;
    struct gen_bytes bytes;
    struct ints_machine *machines[2]; /* by side */
    size_t nparams;
    const struct ints_param *params[INTS_MAX_PARAMS];
    uint64_t *values[INTS_MAX_PARAMS];
    size_t npool; /* constants of both programs */
    int64_t pool[POOL];
    unsigned without;
    int64_t size; /* of symbols */
    struct ints_truth *out;
};

/* ---- values ---------------------------------------------------------------- */

static bool see_constant(void *user, struct ir_expr *e)
{
    struct search *s = user;
    if (e->kind != IR_INT_IMM || s->npool + 1 >= POOL)
        return true;
    for (size_t i = 0; i < s->npool; i++)
        if (s->pool[i] == e->u.int_value)
            return true;
    s->pool[s->npool++] = e->u.int_value;
    return true;
}

static void collect_constants(struct search *s, const struct ir_module *m)
{
    struct ir_visitor v = {.expr = see_constant, .user = s};
    ir_visit_stmt(&v, m->funcs[0]->prim.body);
}

static int64_t random_word(struct search *s)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++)
        v = v << 8 | gen_below(&s->bytes, 256);
    return (int64_t)v;
}

static uint64_t corner_float(struct search *s, struct dtype t)
{
    static const double corners[] = {0,
                                     -0.0,
                                     1,
                                     -1,
                                     0.5,
                                     -0.5,
                                     0.99,
                                     127,
                                     127.5,
                                     128,
                                     -128,
                                     255,
                                     255.9,
                                     256,
                                     -129,
                                     32768,
                                     2147483520,
                                     2147483648.0,
                                     -2147483648.0,
                                     9.3e18,
                                     -9.3e18,
                                     1e30,
                                     16777216,
                                     16777217,
                                     3.7,
                                     -3.7};
    uint64_t k = gen_below(&s->bytes, DC_ARRAY_LEN(corners) + 8);
    /* much that is exact */
    if ((s->without & INTS_INEXACT) && gen_chance(&s->bytes, 3, 4))
        return ints_of_double(t, (double)gen_below(&s->bytes, 64) - 16).bits;
    double v = k < DC_ARRAY_LEN(corners)        ? corners[k]
               : k == DC_ARRAY_LEN(corners)     ? (double)NAN
               : k == DC_ARRAY_LEN(corners) + 1 ? (double)INFINITY
               : k == DC_ARRAY_LEN(corners) + 2 ? -(double)INFINITY
               : s->npool > 0 ? (double)s->pool[gen_below(&s->bytes, s->npool)]
                              : 2;
    if ((isnan(v) && (s->without & INTS_NO_NAN)) ||
        (isinf(v) && (s->without & INTS_NO_INFINITY)))
        v = 1;
    if (v == 0 && (s->without & INTS_INEXACT))
        v = 0; /* no -0 */
    return ints_of_double(t, v).bits;
}

static uint64_t corner(struct search *s, struct dtype t)
{
    int64_t delta = (int64_t)gen_below(&s->bytes, 5) - 2;
    if (dtype_is_bool(t))
        return gen_below(&s->bytes, 2);
    if (dtype_is_float(t))
        return corner_float(s, t);
    int64_t v;
    switch (gen_below(&s->bytes, 6)) {
    case 0: v = ints_least(t); break;
    case 1: v = ints_most(t); break;
    case 2: v = 0; break;
    case 3: v = (int64_t)(UINT64_C(1) << gen_below(&s->bytes, t.bits)); break;
    default:
        v = s->npool > 0 ? s->pool[gen_below(&s->bytes, s->npool)] : 1;
        if (gen_chance(&s->bytes, 1, 4))
            v = (int64_t)(0 - (uint64_t)v);
        if (gen_chance(&s->bytes, 1, 6) && s->npool > 0)
            v = (int64_t)((uint64_t)v +
                          (uint64_t)s->pool[gen_below(&s->bytes, s->npool)]);
        break;
    }
    return ints_wrap(t, (uint64_t)v + (uint64_t)delta);
}

static uint64_t small(struct search *s, struct dtype t)
{
    int64_t v = (int64_t)gen_below(&s->bytes, 16) - 3;
    if (dtype_is_bool(t))
        return gen_below(&s->bytes, 2);
    if (dtype_is_float(t))
        return ints_of_double(t, (double)v / 2).bits;
    return ints_wrap(t, (uint64_t)v);
}

/* The bits as a value of the type; NaNs are one (N4). */
static uint64_t as_value(struct dtype t, uint64_t bits)
{
    const struct ints_cell c = {bits, 0};
    return dtype_is_float(t) ? ints_cast(t, t, c).bits : ints_wrap(t, bits);
}

static uint64_t any(struct search *s, struct dtype t)
{
    bool whole = (s->without & ~INTS_ENGINES) == 0;
    if (dtype_is_bool(t) ||
        (dtype_is_float(t) && !(whole && gen_chance(&s->bytes, 1, 2))))
        return corner(s, t);
    return as_value(t, (uint64_t)random_word(s));
}

/* A value of the type in relation to another one. */
static uint64_t related(struct search *s, struct dtype t, uint64_t to)
{
    int64_t delta = (int64_t)gen_below(&s->bytes, 5) - 2;
    if (!dtype_is_int(t))
        return corner(s, t);
    switch (gen_below(&s->bytes, 4)) {
    case 0: to = 0 - to; break;
    case 1: to = ~to; break;
    default: break;
    }
    return ints_wrap(t, to + (uint64_t)delta);
}

enum style { CORNERS, ANY, SMALL, RELATED, MOSTLY_SMALL, NSTYLES };

static uint64_t draw_of(struct search *s, struct dtype t, enum style style,
                        uint64_t *last)
{
    uint64_t v;
    switch (style) {
    case ANY: v = any(s, t); break;
    case SMALL: v = small(s, t); break;
    case MOSTLY_SMALL:
        v = gen_chance(&s->bytes, 1, 6) ? corner(s, t) : small(s, t);
        break;
    case RELATED:
        v = gen_chance(&s->bytes, 1, 2) ? related(s, t, *last) : corner(s, t);
        break;
    case CORNERS:
    case NSTYLES:
    default: v = corner(s, t); break;
    }
    if (dtype_is_int(t))
        *last = v;
    return v;
}

/* All parameters: trip by trip, so that what belongs together is related. */
static void fill(struct search *s, enum style style)
{
    uint64_t last = 0;
    size_t most = 0;
    for (size_t p = 0; p < s->nparams; p++)
        most = s->params[p]->n > most ? s->params[p]->n : most;
    for (size_t i = 0; i < most; i++)
        for (size_t p = 0; p < s->nparams; p++)
            if (i < s->params[p]->n)
                s->values[p][i] = draw_of(
                    s, s->params[p]->dtype,
                    s->pair->roles[p] == INTS_ROLE_OTHER ? ANY : style, &last);
}

/* The values of this trip in all trips. */
static void repeat(struct search *s, size_t trip)
{
    for (size_t p = 0; p < s->nparams; p++)
        for (size_t i = 0;
             s->pair->roles[p] == INTS_ROLE_ELEMENT && i < s->params[p]->n; i++)
            s->values[p][i] = s->values[p][trip];
}

/* ---- one input ------------------------------------------------------------- */

enum outcome { OUTSIDE, SAME, OTHER, FAULT, UNKNOWN };

static enum outcome run_pair(struct search *s, const char **why)
{
    struct ints_machine **m = s->machines;
    const uint64_t *const *values = (const uint64_t *const *)s->values;
    enum ints_stop stop = ints_machine_run(m[0], values, why);
    if (stop != INTS_GOES)
        return stop == INTS_FAULTS ? OUTSIDE : UNKNOWN;
    stop = ints_machine_run(m[1], values, why);
    if (stop == INTS_STUCK)
        return UNKNOWN;
    struct ints_compared c = ints_machine_compare(m[0], m[1]);
    if (c.undefined) {
        *why = ""; /* no fault */
        return OUTSIDE;
    }
    if (stop == INTS_FAULTS)
        return FAULT;
    if (c.lost) {
        *why = "an output is undefined";
        return FAULT;
    }
    bool excused = (s->without & INTS_INEXACT) &&
                   (ints_machine_rounded(m[0]) || ints_machine_rounded(m[1]));
    return c.same || excused ? SAME : OTHER;
}

static char *witness(const struct search *s, const char *what)
{
    struct buf text = {0};
    for (size_t p = 0; p < s->nparams; p++) {
        if (s->pair->roles[p] == INTS_ROLE_OTHER && s->params[p]->n > 8)
            continue;
        buf_printf(&text, "%s%s =", p > 0 ? "; " : "",
                   s->pair->untuned->funcs[0]->prim.params[p].var->name);
        for (size_t i = 0; i < s->params[p]->n && i < 64; i++)
            if (dtype_is_float(s->params[p]->dtype))
                buf_printf(&text, " 0x%" PRIx64, s->values[p][i]);
            else
                buf_printf(&text, " %" PRId64, (int64_t)s->values[p][i]);
    }
    buf_printf(&text, ": %s", what);
    return text.data;
}

static void note(struct search *s, enum outcome seen, const char *why)
{
    struct ints_truth *out = s->out;
    out->kind = seen == FAULT ? INTS_UNSAFE : INTS_DIFFERS;
    out->witness = witness(s, seen == FAULT ? why : "outputs differ");
}

/* Both sides through both engines. */
static void try_engines(struct search *s)
{
    const struct ir_module *modules[] = {s->pair->untuned, s->pair->tuned};
    const uint64_t *const *values = (const uint64_t *const *)s->values;
    for (unsigned k = 0; k < 4 && s->out->engine == NULL; k++) {
        struct ints_machine *m = s->machines[k % 2];
        char *wrong =
            ints_check_engine(modules[k % 2], m, values, s->size, k >= 2);
        if (wrong == NULL)
            continue;
        struct buf text = {0};
        const char *why;
        (void)ints_machine_run(m, values, &why);
        buf_printf(&text, "%s side: %s; the evaluator: %s",
                   k % 2 == 0 ? "untuned" : "tuned", wrong,
                   why[0] != '\0' ? why : "fine");
        s->out->engine = witness(s, buf_text(&text));
        buf_fini(&text);
        dc_release(wrong);
    }
}

/* False: nothing more to find out. */
static bool try_input(struct search *s, bool *outside)
{
    const char *why = "";
    enum outcome seen = run_pair(s, &why);
    s->out->tried++;
    if ((s->without & INTS_ENGINES) && seen != UNKNOWN && s->size < 100 &&
        s->out->tried % 8 == 1)
        try_engines(s);
    *outside = seen == OUTSIDE;
    switch (seen) {
    case OUTSIDE:
        s->out->outside = true;
        if (s->out->fault == NULL && why[0] != '\0')
            s->out->fault = witness(s, why);
        return true;
    case UNKNOWN: s->out->judged = false; return false;
    case SAME:
        s->out->admitted++;
        if (s->out->kind == INTS_NOTHING)
            s->out->kind = INTS_EQUAL;
        return true;
    case OTHER:
    case FAULT: break;
    }
    s->out->admitted++;
    note(s, seen, why);
    return false;
}

/* ---- all inputs ------------------------------------------------------------ */

struct odometer {
    size_t n;
    unsigned param[INTS_MAX_PARAMS], bits[INTS_MAX_PARAMS];
    unsigned total, ones; /* bits of all, and of those that are one value */
};

static unsigned bits_of(struct dtype t)
{
    return dtype_is_bool(t) ? 1 : t.bits;
}

static struct odometer odometer_of(const struct search *s)
{
    struct odometer o = {0};
    for (unsigned pass = 0; pass < 2; pass++)
        for (size_t p = 0; p < s->nparams; p++) {
            enum ints_role want = pass == 0 ? INTS_ROLE_ELEMENT : INTS_ROLE_ONE;
            if (s->pair->roles[p] != want)
                continue;
            o.param[o.n] = (unsigned)p;
            o.bits[o.n] = bits_of(s->params[p]->dtype);
            o.total += o.bits[o.n];
            o.ones += want == INTS_ROLE_ONE ? o.bits[o.n] : 0;
            o.n++;
        }
    return o;
}

static void set_trip(struct search *s, const struct odometer *o, uint64_t at,
                     size_t trip)
{
    for (size_t i = 0; i < o->n; i++) {
        unsigned p = o->param[i];
        uint64_t v = at & ((UINT64_C(1) << o->bits[i]) - 1);
        at >>= o->bits[i];
        v = as_value(s->params[p]->dtype, v);
        if (s->pair->roles[p] == INTS_ROLE_ELEMENT)
            s->values[p][trip < s->params[p]->n ? trip : 0] = v;
        else
            for (size_t k = 0; k < s->params[p]->n; k++)
                s->values[p][k] = v;
    }
}

static size_t trips_of(const struct search *s)
{
    for (size_t p = 0; p < s->nparams; p++)
        if (s->pair->roles[p] == INTS_ROLE_ELEMENT)
            return s->params[p]->n;
    return 1;
}

static void try_all(struct search *s, const struct odometer *o)
{
    size_t trips = trips_of(s);
    uint64_t all = UINT64_C(1) << o->total,
             step = s->pair->numbered ? 1 : trips;
    bool outside, going = true;
    fill(s, ANY); /* tables, outputs */
    for (uint64_t at = 0; at < all && going; at += step) {
        for (size_t t = 0; t < trips; t++)
            set_trip(s, o, step == 1 ? at : (at + t) % all, t);
        going = try_input(s, &outside);
        for (size_t t = 0; t < trips && outside && step > 1 && going; t++) {
            bool again;
            for (size_t k = 0; k < trips; k++)
                set_trip(s, o, (at + t) % all, k);
            going = try_input(s, &again);
        }
    }
    s->out->all = going;
}

/* ---- search ---------------------------------------------------------------- */

static bool few_inputs(const struct search *s, const struct odometer *o)
{
    /* trips that share a packed run must share what is one value for all */
    unsigned inner = o->total - o->ones;
    for (size_t p = 0; p < s->nparams; p++)
        if (s->pair->roles[p] == INTS_ROLE_TABLE)
            return false;
    return s->pair->pointwise && o->total <= ALL_BITS && o->n > 0 &&
           (inner >= 3 || trips_of(s) == 1);
}

static bool start(struct search *s)
{
    for (size_t i = 0; i < 2; i++) {
        s->machines[i] = ints_machine_new(
            i == 0 ? s->pair->untuned : s->pair->tuned, s->size);
        if (s->machines[i] == NULL)
            return false;
    }
    s->nparams = ints_machine_nparams(s->machines[0]);
    if (s->nparams > INTS_MAX_PARAMS ||
        s->nparams != ints_machine_nparams(s->machines[1]))
        return false;
    for (size_t p = 0; p < s->nparams; p++) {
        s->params[p] = ints_machine_param(s->machines[0], p);
        if (s->params[p]->n != ints_machine_param(s->machines[1], p)->n)
            return false;
        s->values[p] = dc_alloc((s->params[p]->n + 1) * sizeof(uint64_t));
    }
    collect_constants(s, s->pair->untuned);
    collect_constants(s, s->pair->tuned);
    return true;
}

static void finish(struct search *s)
{
    for (size_t i = 0; i < 2; i++)
        ints_machine_free(s->machines[i]);
    for (size_t p = 0; p < s->nparams && p < INTS_MAX_PARAMS; p++)
        dc_release(s->values[p]);
}

/* So many inputs; false: nothing more to find out. */
static bool try_some(struct search *s, unsigned runs)
{
    bool going = true, outside;
    for (unsigned i = 0; i < runs && going; i++) {
        fill(s, (enum style)(i % NSTYLES));
        going = try_input(s, &outside);
        if (outside && going && s->pair->pointwise) {
            repeat(s, gen_below(&s->bytes, trips_of(s)));
            going = try_input(s, &outside);
        }
    }
    return going;
}

/* One size of the symbol, if there is one. */
static bool search_at(const struct ints_pair *pair, struct search *s,
                      unsigned runs, bool whole)
{
    bool going = false;
    s->npool = s->nparams = 0;
    memset((void *)s->machines, 0, sizeof s->machines);
    if (start(s)) {
        struct odometer o = odometer_of(s);
        if (!pair->symbolic && few_inputs(s, &o) && (whole || o.total <= 8)) {
            try_all(s, &o);
            going = false;
        } else {
            going = try_some(s, runs);
        }
    } else {
        s->out->judged = false;
    }
    finish(s);
    return going;
}

struct ints_truth ints_find_truth(const struct ints_pair *pair, uint64_t seed,
                                  unsigned effort, unsigned without)
{
    struct ints_truth out = {.kind = INTS_NOTHING, .judged = true};
    struct search s = {.pair = pair, .without = without, .out = &out};
    static const unsigned runs[] = {40, 200, 1500};
    static const int64_t sizes[] = {3, 1, 2, 5, 8, 4, 7, 16, 17, 46341, 65537};
    static const size_t used[] = {5, 9, DC_ARRAY_LEN(sizes)};
    gen_bytes_init(&s.bytes, NULL, 0, hash_mix(seed, effort));
    if (!pair->symbolic) {
        (void)search_at(pair, &s, runs[effort - 1], effort >= 3);
        return out;
    }
    bool going = true;
    for (size_t i = 0; i < used[effort - 1] && going; i++) {
        s.size = sizes[i];
        going = search_at(pair, &s, sizes[i] > 1000 ? 4 : runs[effort - 1] / 8,
                          false);
    }
    return out;
}

void ints_truth_fini(struct ints_truth *truth)
{
    dc_release(truth->witness);
    dc_release(truth->fault);
    dc_release(truth->engine);
    truth->witness = truth->fault = truth->engine = NULL;
}
