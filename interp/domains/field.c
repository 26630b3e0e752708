/* SPDX-License-Identifier: Apache-2.0
 *
 * The domains of real numbers: equal results are equal as real functions of
 * the inputs. field keeps conversions to narrower floating types as functions
 * of their own; in field-nocast they are the identity.
 *
 * A number is evaluated at a random point of Z/p, p = 2q + 1 a safe prime: two
 * rational functions of degree d that differ agree there with a chance of at
 * most d / p (Schwartz 1980, Zippel 1979). Beside it the same expression is
 * evaluated at a random point of Z/q, and exp(x) is 4 to that power modulo p:
 * 4 generates the squares, a group of order q, so that exp(x + y) is
 * exp(x) exp(y). For exponents linear in the inputs that is sound; beyond, the
 * run says INTERP_GENERIC. Every other function is keyed: a random value in
 * both, of the argument's value.
 *
 *   sigmoid x = 1 / (1 + exp(-x)), tanh x = 1 - 2 / (exp(2x) + 1),
 *   rsqrt x = 1 / sqrt x, log1p x = log(1 + x), powers of whole numbers, and
 *   min, max as AC sums with max(x, x) = x.
 */
#include "interp/keyed/keyed.h"

#include <math.h>
#include <string.h>

#define P KEYED_FIELD_P
#define Q KEYED_FIELD_Q

/* Values of higher degree would make accidents likely. */
#define MAX_DEGREE (1u << 24)
#define MAX_POWER  64

/* ---- Z/p and Z/q ---------------------------------------------------------------- */

struct number { /* one element of each */
    uint64_t v, e;
};

static uint64_t mod_add(uint64_t a, uint64_t b, uint64_t p)
{
    uint64_t s = a + b;
    return s >= p ? s - p : s;
}

static uint64_t mod_pow(uint64_t x, uint64_t n, uint64_t p)
{
    uint64_t r = 1;
    for (; n > 0; n >>= 1, x = keyed_mod_mul(x, x, p))
        if (n & 1)
            r = keyed_mod_mul(r, x, p);
    return r;
}

static struct number add(struct number a, struct number b)
{
    return (struct number){mod_add(a.v, b.v, P), mod_add(a.e, b.e, Q)};
}

static struct number minus(struct number a)
{
    return (struct number){a.v ? P - a.v : 0, a.e ? Q - a.e : 0};
}

static struct number mul(struct number a, struct number b)
{
    return (struct number){keyed_mod_mul(a.v, b.v, P),
                           keyed_mod_mul(a.e, b.e, Q)};
}

/* Of a number that is not 0 in either; else 0, after which nothing fits. */
static struct number inverse(struct number a)
{
    return (struct number){mod_pow(a.v, P - 2, P), mod_pow(a.e, Q - 2, Q)};
}

static struct number of_uint(uint64_t x)
{
    return (struct number){x % P, x % Q};
}

/* m x 2^e exactly. */
static struct number of_double(double d)
{
    int exponent;
    double m = ldexp(frexp(fabs(d), &exponent), 53);
    struct number x = of_uint((uint64_t)m);
    struct number two = {2, 2};
    exponent -= 53;
    if (exponent < 0) {
        two = inverse(two);
        exponent = -exponent;
    }
    x = mul(x, (struct number){mod_pow(two.v, (uint64_t)exponent, P),
                               mod_pow(two.e, (uint64_t)exponent, Q)});
    return d < 0 ? minus(x) : x;
}

/* ---- values ------------------------------------------------------------------------ */

static struct keyed_v field_embed(struct interp_keyed *k, struct dtype t,
                                  uint64_t bits)
{
    double d = num_to_double(t, bits);
    struct keyed_v v = {{d != d ? 2 : d > 0, 0}};
    if (!isfinite(d)) {
        v = keyed_hash(k, KEYED_CONST, DT_FLOAT, 0, 0, 1, &v);
        return (struct keyed_v){{v.lane[0] % P, 0}};
    }
    return (struct keyed_v){{of_double(d).v, 0}};
}

static struct number number_of(struct machine *m, struct dtype t,
                               struct value v)
{
    if (v.flags & V_BOX)
        return (struct number){v.u.box->sym.lane[0], v.u.box->sym.lane[1]};
    double d = num_to_double(t, v.u.bits);
    if (isfinite(d))
        return of_double(d);
    uint64_t x = field_embed(m->keyed, t, v.u.bits).lane[0];
    return (struct number){x, x % Q};
}

static struct value give(struct machine *m, struct dtype t, struct number x,
                         unsigned props, uint64_t degree)
{
    struct keyed_v v = {{x.v, x.e}};
    struct interp_sym s = keyed_result(m, t, v, props);
    if (degree > MAX_DEGREE)
        return exec_undecided(m, "an expression of so high a degree");
    s.degree = (uint32_t)degree;
    return keyed_value(m, s);
}

/* What every result of these operands keeps. */
static unsigned kept(struct interp_sym a, struct interp_sym b)
{
    return (a.props | b.props) &
           (KEYED_MAY_BE_UNDEF | KEYED_RATIONAL | KEYED_CURVED);
}

static struct value constant(struct dtype t, double value)
{
    unsigned flags = 0;
    return exec_value_scalar(num_from_double(t, value, &flags), 0);
}

/* ---- + - x / ----------------------------------------------------------------------- */

static struct value field_add(struct machine *m, struct dtype t, struct value a,
                              struct value b, bool subtract)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    struct number u = number_of(m, t, a), v = number_of(m, t, b);
    uint64_t degree = x.degree > y.degree ? x.degree : y.degree;
    if ((x.props | y.props) & KEYED_RATIONAL)
        degree = (uint64_t)x.degree + y.degree;
    return give(m, t, add(u, subtract ? minus(v) : v), kept(x, y), degree);
}

static struct value field_mul(struct machine *m, struct dtype t, struct value a,
                              struct value b)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    unsigned props = kept(x, y);
    if (x.degree > 0 && y.degree > 0)
        props |= KEYED_CURVED;
    return give(m, t, mul(number_of(m, t, a), number_of(m, t, b)), props,
                (uint64_t)x.degree + y.degree);
}

static struct value field_div(struct machine *m, struct dtype t, struct value a,
                              struct value b)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    struct number v = number_of(m, t, b);
    if (v.v == 0 || v.e == 0)
        return exec_undecided(m, "a division by 0");
    unsigned props = kept(x, y);
    if (y.degree > 0)
        props |= KEYED_RATIONAL | KEYED_CURVED;
    return give(m, t, mul(number_of(m, t, a), inverse(v)), props,
                (uint64_t)x.degree + y.degree);
}

/* ---- functions --------------------------------------------------------------------------- */

/* 4^e for exp(x); its own value modulo q is a random one. */
static struct value field_exp(struct machine *m, struct dtype t, struct value a)
{
    struct interp_sym x = keyed_sym(m, t, a);
    struct number u = number_of(m, t, a);
    if (x.props & KEYED_CURVED)
        m->keyed->assumptions |= INTERP_GENERIC;
    struct keyed_v v = {{mod_pow(4, u.e, P), 0}};
    struct keyed_v e = keyed_hash(m->keyed, KEYED_OP, NUM_EXP, 0, 0, 1, &v);
    return give(m, t, (struct number){v.lane[0], e.lane[1] % Q},
                (x.props & KEYED_MAY_BE_UNDEF) | KEYED_CURVED,
                x.degree > 0 ? x.degree : 1);
}

/* The logarithm of a base: one random number wherever it stands. */
static struct value exp_of_base(struct machine *m, struct dtype t,
                                enum num_op op, struct value a)
{
    struct interp_sym x = keyed_sym(m, t, a);
    struct keyed_v h =
        keyed_hash(m->keyed, KEYED_CONST, (uint32_t)op, 1, 0, 0, NULL);
    struct number base = {h.lane[0] % P, h.lane[1] % Q};
    struct value scaled =
        give(m, t, mul(number_of(m, t, a), base),
             x.props & (KEYED_MAY_BE_UNDEF | KEYED_RATIONAL | KEYED_CURVED),
             x.degree);
    return field_exp(m, t, scaled);
}

static struct value negative(struct machine *m, struct dtype t, struct value a)
{
    return field_add(m, t, exec_value_scalar(0, 0), a, true);
}

static struct value keyed_function(struct machine *m, enum num_op op,
                                   struct dtype t, struct value a)
{
    return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 1, &a);
}

static struct value field_unary(struct machine *m, enum num_op op,
                                struct dtype t, struct value a)
{
    struct value one = constant(t, 1), two = constant(t, 2), x;
    switch ((int)op) {
    case NUM_EXP: return field_exp(m, t, a);
    case NUM_EXP2:
    case NUM_EXP10: return exp_of_base(m, t, op, a);
    case NUM_SIGMOID:
        x = field_exp(m, t, negative(m, t, a));
        return field_div(m, t, one, field_add(m, t, one, x, false));
    case NUM_TANH:
        x = field_exp(m, t, field_mul(m, t, two, a));
        x = field_div(m, t, two, field_add(m, t, x, one, false));
        return field_add(m, t, one, x, true);
    case NUM_RSQRT:
        return field_div(m, t, one, keyed_function(m, NUM_SQRT, t, a));
    case NUM_LOG1P:
        return keyed_function(m, NUM_LOG, t, field_add(m, t, one, a, false));
    default: return keyed_function(m, op, t, a);
    }
}

/* x^n for a known whole n of moderate size. */
static bool whole_power(struct machine *m, struct dtype t, struct value a,
                        struct value b, struct value *out)
{
    if ((b.flags & V_BOX) || !(a.flags & V_BOX))
        return false;
    double d = num_to_double(t, b.u.bits);
    if (!(fabs(d) <= MAX_POWER) || d != floor(d))
        return false;
    struct value r = constant(t, 1);
    for (int i = 0; i < (int)fabs(d); i++)
        r = field_mul(m, t, r, a);
    *out = d < 0 ? field_div(m, t, constant(t, 1), r) : r;
    return !m->failed;
}

/* ---- min and max ---------------------------------------------------------------------------- */

static uint64_t under(struct machine *m, enum num_op op, uint64_t x,
                      bool forward)
{
    return keyed_permute_below(m->keyed, KEYED_SUM, (uint32_t)op, 0, x, P,
                               forward);
}

/* The lowest finite value counts as a unit of max, and the run says so. */
static bool is_unit(struct machine *m, struct dtype t, bool high,
                    struct value v)
{
    if (v.flags & V_BOX)
        return false;
    if (v.u.bits == keyed_extreme(t, high))
        return true;
    if (v.u.bits != (high ? num_max_value(t) : num_min_value(t)))
        return false;
    m->keyed->assumptions |= INTERP_IN_RANGE;
    return true;
}

static struct value field_extreme(struct machine *m, enum num_op op,
                                  struct dtype t, struct value a,
                                  struct value b)
{
    bool high = op == NUM_MIN;
    if (is_unit(m, t, high, a))
        return b;
    if (is_unit(m, t, high, b))
        return a;
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    uint64_t u = number_of(m, t, a).v, v = number_of(m, t, b).v;
    if (u == v)
        return a.flags & V_BOX ? a : b;
    uint64_t unit = field_embed(m->keyed, t, keyed_extreme(t, high)).lane[0];
    u = mod_add(under(m, op, u, true), under(m, op, v, true), P);
    u = mod_add(u, P - under(m, op, unit, true), P);
    struct keyed_v r = {{under(m, op, u, false), 0}};
    struct keyed_v e =
        keyed_hash(m->keyed, KEYED_SUM, (uint32_t)op, 1, 0, 1, &r);
    return give(m, t, (struct number){r.lane[0], e.lane[1] % Q},
                (x.props | y.props) & KEYED_MAY_BE_UNDEF, 1);
}

/* ---- the rules ----------------------------------------------------------------------------------- */

static struct value field_binary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a, struct value b)
{
    struct value v[2] = {a, b}, power;
    switch ((int)op) {
    case NUM_ADD: return field_add(m, t, a, b, false);
    case NUM_SUB: return field_add(m, t, a, b, true);
    case NUM_MUL: return field_mul(m, t, a, b);
    case NUM_DIV: return field_div(m, t, a, b);
    case NUM_MIN:
    case NUM_MAX: return field_extreme(m, op, t, a, b);
    case NUM_POW:
        if (whole_power(m, t, a, b, &power))
            return power;
        if (keyed_is_const(t, b, 0.5))
            return keyed_function(m, NUM_SQRT, t, a);
        break;
    default: break;
    }
    return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
}

static struct value field_fma(struct machine *m, struct dtype t, struct value a,
                              struct value b, struct value c)
{
    struct value p = keyed_domain_binary(m, NUM_MUL, t, a, b);
    return keyed_domain_binary(m, NUM_ADD, t, p, c);
}

/* The same number under another type. */
static struct value retype(struct machine *m, struct dtype to, struct value a,
                           uint8_t narrow)
{
    struct interp_sym s = a.u.box->sym;
    s.type = keyed_type(to);
    s.narrow = narrow;
    s.exact = KEYED_NO_TYPE;
    return keyed_value(m, s);
}

/* Between floats. An operation of a narrow type and the same of a wide one are
 * one function of reals, so that conversions must tell them apart: each is a
 * function of its own. Widening and narrowing again is the identity. */
static struct value float_cast(struct machine *m, struct dtype to,
                               struct value a)
{
    struct interp_sym s = a.u.box->sym;
    uint8_t type = keyed_type(to), from = s.narrow;
    uint64_t v = s.lane[0];
    if (from != s.type)
        v = keyed_permute_below(m->keyed, KEYED_WIDEN, from, s.type, v, P,
                                false);
    bool widens = type == from || keyed_widens(keyed_dtype(from), to);
    struct keyed_v x = {{v, 0}}, e;
    if (type == from)
        ;
    else if (widens)
        x.lane[0] =
            keyed_permute_below(m->keyed, KEYED_WIDEN, from, type, v, P, true);
    else
        x.lane[0] =
            keyed_hash(m->keyed, KEYED_CAST, from, type, 0, 1, &x).lane[0] % P;
    e = keyed_hash(m->keyed, KEYED_CAST, from, type, 1, 1, &x);
    struct value out = give(m, to, (struct number){x.lane[0], e.lane[1] % Q},
                            s.props & KEYED_MAY_BE_UNDEF, 1);
    return widens && !m->failed ? retype(m, to, out, from) : out;
}

static struct value field_cast(struct machine *m, struct dtype from,
                               struct dtype to, struct value a)
{
    if (!dtype_is_float(from) || !dtype_is_float(to)) {
        struct interp_sym s = keyed_sym(m, from, a);
        struct keyed_v x = keyed_element(s);
        unsigned props = s.props & KEYED_MAY_BE_UNDEF;
        if (!dtype_is_float(to))
            props |= KEYED_MAY_BE_UNDEF;
        /* an integer is one real number in any floating type that holds it */
        uint32_t into = keyed_widens(from, to) ? 0 : keyed_type(to);
        uint32_t out_of = dtype_is_float(from) ? 0 : keyed_type(from);
        x = keyed_hash(m->keyed, KEYED_CAST, out_of, into, 0, 1, &x);
        return keyed_value(m, keyed_result(m, to, x, props));
    }
    if (m->domain->kind == INTERP_FIELD_NOCAST)
        return retype(m, to, a, keyed_type(to));
    return float_cast(m, to, a);
}

static bool field_choose(struct machine *m, struct dtype t, struct value c,
                         struct value a, struct value b, struct value *out)
{
    enum num_op op;
    if (!keyed_is_extreme(m, t, c, a, b, &op))
        return false;
    *out = field_extreme(m, op, t, a, b);
    return true;
}

const struct keyed_rules field_rules = {
    .embed = field_embed,
    .unary = field_unary,
    .binary = field_binary,
    .fma = field_fma,
    .cast = field_cast,
    .choose = field_choose,
    .field = true,
};

extern const struct interp_domain field;
const struct interp_domain field = {
    .name = "field",
    .kind = INTERP_FIELD,
    .keyed = &field_rules,
    KEYED_DOMAIN,
};
