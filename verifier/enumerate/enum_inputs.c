/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for trials. Each parameter draws the way in which its elements are
 * chosen: small numbers, corners of the type, what the programs compare with
 * and its neighbours, random bits, or a mixture. Everything is a hash of trial,
 * parameter and element, so trial 7 is trial 7 everywhere.
 *
 * The first trials are those that tell most where a program is so large that
 * few can be had. Parameters that addresses depend on are mostly small, since
 * elsewhere the untuned program has a fault and nothing is learnt.
 */
#include "verifier/enumerate/enum_inputs.h"

#include <math.h>

/* RELATED: what another parameter has there, or near it. EDGE: something special
 * at one place of each row or tile, and nothing special elsewhere. */
enum way {
    SMALL,
    INDEX,
    SIGNED,
    UNIT,
    CORNER,
    CONSTANT,
    BITS,
    RELATED,
    EDGE,
    MIXED,
    NWAYS
};

/* ---- what programs mention -------------------------------------------------- */

static void add_int(struct enum_pool *p, int64_t x)
{
    for (size_t i = 0; i < p->nints; i++)
        if (p->ints[i] == x)
            return;
    if (p->nints < ENUM_MAX_CONSTS)
        p->ints[p->nints++] = x;
    if (x > 0 && x <= 4096 && p->nsizes < ENUM_MAX_CONSTS)
        p->sizes[p->nsizes++] = x;
}

static void add_float(struct enum_pool *p, double x)
{
    for (size_t i = 0; i < p->nfloats; i++)
        if (p->floats[i] == x)
            return;
    if (p->nfloats < ENUM_MAX_CONSTS)
        p->floats[p->nfloats++] = x;
}

struct scan {
    struct enum_pool *pool;
    const struct ir_func *func;
};

static void mark_index(const struct scan *s, const struct ir_buffer *b,
                       const struct ir_var *v)
{
    const struct ir_prim_func *f = &s->func->prim;
    for (size_t i = 0; i < f->nparams && i < ENUM_MAX_PARAMS; i++)
        if ((b != NULL && f->params[i].buffer != NULL &&
             f->params[i].buffer->data == b->data) ||
            (b == NULL && f->params[i].buffer == NULL && f->params[i].var == v))
            s->pool->is_index[i] = true;
}

static bool see_in_index(void *user, struct ir_expr *e)
{
    if (e->kind == IR_LOAD)
        mark_index(user, e->u.buffer, NULL);
    if (e->kind == IR_VAR_REF)
        mark_index(user, NULL, e->u.var);
    return true;
}

static void see_index(struct scan *s, struct ir_expr *e)
{
    struct ir_visitor v = {.expr = see_in_index, .user = s};
    if (e != NULL)
        ir_visit_expr(&v, e);
}

static bool see_expr(void *user, struct ir_expr *e)
{
    struct scan *s = user;
    s->pool->nodes++;
    if (e->kind == IR_INT_IMM)
        add_int(s->pool, e->u.int_value);
    if (e->kind == IR_FLOAT_IMM)
        add_float(s->pool, e->u.float_value);
    for (uint32_t i = 0; e->kind == IR_LOAD && i < e->nargs; i++)
        see_index(s, e->args[i]);
    return true;
}

static bool see_stmt(void *user, struct ir_stmt *s)
{
    ((struct scan *)user)->pool->nodes++;
    if (s->kind == IR_STORE)
        for (size_t i = 0; i < s->u.store.nindices; i++)
            see_index(user, s->u.store.indices[i]);
    if (s->kind == IR_FOR)
        see_index(user, s->u.loop.extent);
    return true;
}

void enum_pool_init(struct enum_pool *p, const struct ir_func *const f[2])
{
    *p = (struct enum_pool){0};
    for (size_t side = 0; side < 2; side++) {
        struct scan s = {p, f[side]};
        struct ir_visitor v = {see_stmt, see_expr, &s};
        for (size_t i = 0; i < f[side]->prim.nparams; i++) {
            const struct ir_buffer *b = f[side]->prim.params[i].buffer;
            for (size_t d = 0; b != NULL && d < b->rank; d++)
                ir_visit_expr(&v, b->shape[d]);
        }
        ir_visit_stmt(&v, f[side]->prim.body);
    }
    p->nparams = f[0]->prim.nparams < ENUM_MAX_PARAMS ? f[0]->prim.nparams
                                                      : ENUM_MAX_PARAMS;
    for (size_t i = 0; i < p->nparams; i++) {
        const struct ir_param *x = &f[0]->prim.params[i];
        p->is_scalar[i] = x->buffer == NULL;
        p->types[i] = x->buffer != NULL ? x->buffer->dtype : x->var->dtype;
    }
    if (p->nints == 0)
        add_int(p, 1);
    if (p->nsizes == 0)
        p->sizes[p->nsizes++] = 1;
    if (p->nfloats == 0)
        add_float(p, 1);
}

/* ---- integers --------------------------------------------------------------- */

static uint64_t wrap(struct dtype t, uint64_t x)
{
    unsigned flags = 0;
    return num_from_int(t, (int64_t)x, &flags);
}

static uint64_t int_corner(struct dtype t, uint64_t h)
{
    uint64_t power = UINT64_C(1) << (h >> 8) % t.bits, low = h >> 16 & 3;
    switch (h % 8) {
    case 0: return wrap(t, num_min_value(t) + low);
    case 1: return wrap(t, num_max_value(t) - low);
    case 2: return wrap(t, low);
    case 3: return wrap(t, 0 - low);
    case 4:
    case 5: return wrap(t, power);
    case 6: return wrap(t, power - 1 - low);
    default: return wrap(t, (h >> 24) % 2 ? power + low : low - power);
    }
}

/* A number of the programs, what stands beside it, and what meets it where the
 * type ends. */
static uint64_t int_constant(const struct enum_pool *p, struct dtype t,
                             uint64_t h)
{
    uint64_t c = (uint64_t)p->ints[(h >> 8) % p->nints];
    uint64_t by = (h >> 32) % 3 - 1;
    switch (h % 8) {
    case 0: return wrap(t, 0 - c + by);
    case 1: return wrap(t, num_max_value(t) - c + by);
    case 2: return wrap(t, num_min_value(t) + c + by);
    case 3: return wrap(t, c + (uint64_t)p->ints[(h >> 40) % p->nints] + by);
    case 4: return wrap(t, c * ((h >> 48) % 7) + by);
    default: return wrap(t, c + by);
    }
}

static uint64_t int_value(const struct enum_inputs *in, enum way way,
                          struct dtype t, uint64_t h)
{
    switch (way) {
    case SMALL: return wrap(t, h % 3);
    case INDEX:
        return wrap(t, (h >> 16) %
                           (uint64_t)in->pool->sizes[h % in->pool->nsizes]);
    case SIGNED: return wrap(t, h % 9 - 4);
    case UNIT: return wrap(t, h % 201 - 100);
    case CORNER: return int_corner(t, h);
    case CONSTANT: return int_constant(in->pool, t, h);
    case BITS:
    case RELATED:
    case EDGE:
    case MIXED:
    case NWAYS: break;
    }
    return wrap(t, h);
}

/* ---- floats ----------------------------------------------------------------- */

static uint64_t literal(struct dtype t, double x)
{
    unsigned flags = 0;
    return num_from_double(t, x, &flags);
}

static uint64_t float_corner(struct dtype t, uint64_t h)
{
    static const double few[] = {0,   -0.0, 1,     -1,      0.5,    -0.5,
                                 2,   127,  128,   255,     256,    32767,
                                 1.5, -1.5, 32768, 65535.5, 255.75, -128.5,
                                 3,   -3,   1e-3,  65504};
    uint64_t sign = (h >> 8) % 2;
    switch (h % 8) {
    case 0: return literal(t, (double)NAN);
    case 1: return literal(t, sign ? -(double)INFINITY : (double)INFINITY);
    case 2: return sign ? num_min_value(t) : num_max_value(t);
    case 3: return num_min_positive(t) + (h >> 16) % 3;
    case 4:
        return literal(t,
                       (sign ? -1 : 1) * ldexp(1, (int)((h >> 16) % 128) - 63));
    case 5: return literal(t, sign ? -0.0 : 0.0);
    default: return literal(t, few[(h >> 16) % DC_ARRAY_LEN(few)]);
    }
}

static uint64_t float_constant(const struct enum_pool *p, struct dtype t,
                               uint64_t h)
{
    double c = h % 4 == 0 ? (double)p->ints[(h >> 8) % p->nints]
                          : p->floats[(h >> 8) % p->nfloats];
    uint64_t bits = literal(t, (h >> 16) % 4 == 0 ? -c : c);
    switch ((h >> 24) % 6) {
    case 0: bits++; break; /* the next one away from 0 */
    case 1: bits -= bits > 0; break;
    case 2: bits = literal(t, c + 1); break;
    case 3: bits = literal(t, c - 1); break;
    default: break;
    }
    return bits;
}

/* As stored in the type, NaN as the one that operations give. */
static uint64_t settle(struct dtype t, uint64_t bits)
{
    unsigned char bytes[8] = {0};
    num_store(t, bytes, bits);
    bits = num_load(t, bytes);
    if (t.bits < 8)
        bits &= (UINT64_C(1) << t.bits) - 1;
    return num_is_nan(t, bits) ? literal(t, (double)NAN) : bits;
}

static uint64_t float_value(const struct enum_inputs *in, enum way way,
                            struct dtype t, uint64_t h)
{
    switch (way) {
    case SMALL: return literal(t, (double)(h % 7) - 3);
    case INDEX: return literal(t, (double)(h % 5));
    case SIGNED: return literal(t, ((double)(h % 33) - 16) / 4);
    case UNIT: return literal(t, ldexp((double)(int64_t)h, -63));
    case CORNER: return settle(t, float_corner(t, h));
    case CONSTANT: return settle(t, float_constant(in->pool, t, h));
    case BITS:
    case RELATED:
    case EDGE:
    case MIXED:
    case NWAYS: break;
    }
    return settle(t, h);
}

/* ---- ways ------------------------------------------------------------------- */

/* How the elements of a parameter are chosen in a trial. */
static enum way way_of(const struct enum_inputs *in, size_t param,
                       struct dtype t, uint64_t h)
{
    static const enum way floats[] = {UNIT,  UNIT,   MIXED,    MIXED,
                                      SMALL, CORNER, CONSTANT, BITS,
                                      UNIT,  EDGE,   EDGE,     INDEX};
    static const enum way ints[] = {
        MIXED, SMALL, INDEX,    CORNER, CONSTANT, BITS, SIGNED, INDEX,
        UNIT,  MIXED, CONSTANT, INDEX,  RELATED,  EDGE, CORNER, BITS};
    static const enum way joint[] = {CORNER,   CONSTANT, CORNER, MIXED,
                                     CONSTANT, BITS,     SMALL,  EDGE};
    static const enum way exact[] = {SIGNED, SMALL, INDEX};
    static const enum way index[] = {INDEX, SMALL, INDEX, CONSTANT, INDEX};
    bool is_index = param < ENUM_MAX_PARAMS && in->pool->is_index[param];
    unsigned n = in->trial;
    if (dtype_is_float(t) && in->care == ENUM_EXACT)
        return exact[(n < 3 ? n : h) % DC_ARRAY_LEN(exact)];
    if (dtype_is_float(t))
        return floats[(n < 8 ? n : h) % DC_ARRAY_LEN(floats)];
    /* now and then all parameters the same way: corners meet */
    if (n >= 8 && n % 3 == 0)
        return joint[hash_mix(n, 5) % DC_ARRAY_LEN(joint)];
    if (is_index && (n < 4 || h % 8 < 4))
        return index[(n < 4 ? n : h >> 8) % DC_ARRAY_LEN(index)];
    return ints[(n < 8 ? n : h) % DC_ARRAY_LEN(ints)];
}

/* Trials in which all elements of a parameter are one special number, each in its
 * turn: what a maximum starts from shows only there. */
static bool is_uniform(const struct enum_inputs *in)
{
    return in->trial >= 8 && in->trial % 8 == 7 && in->care == ENUM_ANY;
}

static uint64_t special(const struct enum_inputs *in, size_t param,
                        struct dtype t)
{
    static const double floats[] = {
        -(double)INFINITY, (double)INFINITY, -0.0, (double)NAN, 0.0, -1.0};
    uint64_t turn = in->trial / 8;
    if (turn % 2 == 0 || !is_uniform(in)) /* not the same for all */
        turn = hash_mix(in->trial, param) >> 16;
    switch (turn / 2 % 8) {
    case 6: return num_min_value(t);
    case 7: return num_max_value(t);
    default: break;
    }
    return dtype_is_float(t)
               ? literal(t, floats[turn / 2 % 8 % DC_ARRAY_LEN(floats)])
               : int_corner(t, hash_mix(turn, 7));
}

/* depth: of parameters that are related to others. */
static uint64_t input(const struct enum_inputs *in, size_t param,
                      uint64_t element, struct dtype t, unsigned depth);

/* Another parameter's element there, up to one, doubled, or with the other
 * sign. */
static uint64_t related(const struct enum_inputs *in, size_t param,
                        uint64_t element, struct dtype t, uint64_t h,
                        unsigned depth)
{
    const struct enum_pool *p = in->pool;
    size_t other = (size_t)(h >> 8) % p->nparams;
    if (other == param || depth > 2 || dtype_is_float(p->types[other]) ||
        dtype_is_float(t))
        return int_value(in, BITS, t, h);
    uint64_t x = input(in, other, p->is_scalar[other] ? 0 : element,
                       p->types[other], depth + 1);
    uint64_t by = (h >> 32) % 3 - 1;
    switch (h % 6) {
    case 0: return wrap(t, 2 * x + by);
    case 1: return wrap(t, 0 - x + by);
    case 2: return wrap(t, ~x);
    default: return wrap(t, x + by);
    }
}

/* Whether an element is the one of its row or tile that is special. */
static bool is_edge(const struct enum_inputs *in, uint64_t whole,
                    uint64_t element)
{
    const struct enum_pool *p = in->pool;
    uint64_t side = (uint64_t)p->sizes[(whole >> 12) % p->nsizes];
    const uint64_t places[] = {0,        side - 1,    1,
                               side / 2, whole >> 24, whole >> 32};
    uint64_t place = places[(whole >> 40) % DC_ARRAY_LEN(places)];
    return element % side == place % side;
}

static uint64_t edge(const struct enum_inputs *in, size_t param,
                     uint64_t element, struct dtype t, uint64_t h)
{
    uint64_t whole = hash_mix(hash_mix(1 + in->trial, param), 23);
    bool is = is_edge(in, whole, element);
    if (dtype_is_bool(t))
        return (whole & 1) ^ (uint64_t)is;
    if (is)
        return special(in, param, t);
    if (dtype_is_float(t))
        return float_value(in, UNIT, t, h);
    return whole % 3 == 0 ? int_value(in, UNIT, t, h)
                          : wrap(t, whole % 3 == 1 ? 0 : UINT64_MAX);
}

static uint64_t input(const struct enum_inputs *in, size_t param,
                      uint64_t element, struct dtype t, unsigned depth)
{
    uint64_t whole = hash_mix(hash_mix(1 + in->trial, param), 17);
    uint64_t h = hash_mix(whole, element + 1);
    enum way way = way_of(in, param, t, whole >> 20);
    /* all elements alike, now and then */
    if (in->trial >= 8 && (whole >> 8) % 8 == 0)
        h = hash_mix(whole, 0);
    if (way == MIXED)
        way = (enum way)((h >> 56) % MIXED);
    h = hash_mix(h, 3);
    if (dtype_is_bool(t))
        return way == EDGE ? edge(in, param, element, t, h) : h & 1;
    if (!dtype_is_float(t))
        return way == EDGE      ? edge(in, param, element, t, h)
               : is_uniform(in) ? special(in, param, t)
               : way == RELATED ? related(in, param, element, t, h, depth)
                                : int_value(in, way, t, h);
    if (in->care == ENUM_EXACT)
        return float_value(in, way == SMALL || way == INDEX ? way : SIGNED, t,
                           h);
    uint64_t bits = way == EDGE      ? edge(in, param, element, t, h)
                    : is_uniform(in) ? special(in, param, t)
                                     : float_value(in, way, t, h);
    return in->care == ENUM_FINITE &&
                   (num_is_nan(t, bits) || num_is_inf(t, bits))
               ? float_value(in, SIGNED, t, h)
               : bits;
}

uint64_t enum_input(const struct enum_inputs *in, size_t param,
                    uint64_t element, struct dtype t)
{
    return input(in, param, element, t, 0);
}
