/* SPDX-License-Identifier: Apache-2.0
 *
 * What all keyed domains have in common: comparisons, choices, conversions, and
 * operations without laws. Operations on known operands only are executed in
 * their type and stay known. keyed_int.c has the laws of integers and bool, a
 * domain file adds those of floats.
 */
#include "interp/keyed/keyed.h"

#include <math.h>
#include <string.h>

#define MAX_OPERANDS 8u

/* ---- types ------------------------------------------------------------------- */

struct dtype keyed_dtype(uint8_t type)
{
    if (type >= 128)
        return dtype_make(type & 64 ? DT_UINT : DT_INT, type & 63u, 1);
    if (type >= 50) {
        unsigned code = DT_COMPLEX + (type - 50u);
        unsigned bits = code >= DT_FLOAT4_E2M1FN   ? 4
                        : code >= DT_FLOAT6_E2M3FN ? 6
                        : code >= DT_FLOAT8_E3M4   ? 8
                                                   : 64;
        return dtype_make((enum dtype_code)code, bits, 1);
    }
    return dtype_make((enum dtype_code)((type - 1u) / 7u),
                      1u << ((type - 1u) % 7u), 1);
}

/* Significant bits, largest exponent, exponent of the smallest subnormal. */
static bool format_of(struct dtype t, int *precision, int *emax, int *emin)
{
    static const struct {
        uint8_t code, bits;
        int precision, emax, emin;
    } table[] = {
        {DT_FLOAT, 16, 11, 15, -24},     {DT_FLOAT, 32, 24, 127, -149},
        {DT_FLOAT, 64, 53, 1023, -1074}, {DT_BFLOAT, 16, 8, 127, -133},
        {DT_FLOAT8_E4M3FN, 8, 4, 8, -9}, {DT_FLOAT8_E5M2, 8, 3, 15, -16},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++)
        if (table[i].code == t.code && table[i].bits == t.bits) {
            *precision = table[i].precision;
            *emax = table[i].emax;
            *emin = table[i].emin;
            return true;
        }
    return false;
}

bool keyed_widens(struct dtype from, struct dtype to)
{
    int p, hi, lo, q, top, bottom;
    if (keyed_type(from) == keyed_type(to))
        return false;
    if (dtype_is_bool(from))
        return dtype_is_int(to) ? to.bits > (to.code == DT_INT ? 1 : 0)
                                : format_of(to, &q, &top, &bottom);
    if (dtype_is_int(from) && dtype_is_int(to))
        return from.code == to.code
                   ? from.bits < to.bits
                   : from.code == DT_UINT && from.bits < to.bits;
    if (!format_of(to, &q, &top, &bottom))
        return false;
    if (dtype_is_int(from)) {
        int bits = from.code == DT_INT ? from.bits - 1 : from.bits;
        return bits <= q && bits <= top;
    }
    return format_of(from, &p, &hi, &lo) && p <= q && hi <= top && lo >= bottom;
}

bool keyed_exact_product(struct dtype from, struct dtype t)
{
    int p, hi, lo, q, top, bottom;
    return format_of(from, &p, &hi, &lo) && format_of(t, &q, &top, &bottom) &&
           2 * p <= q && 2 * hi + 1 <= top && 2 * lo >= bottom;
}

/* ---- values ------------------------------------------------------------------- */

struct keyed_v keyed_embed(struct interp_keyed *k, struct dtype t,
                           uint64_t bits)
{
    if (dtype_is_float(t))
        return k->domain->keyed->embed(k, t, bits);
    if (t.code == DT_INT)
        return keyed_of_int((int64_t)bits);
    if (t.code == DT_UINT)
        return keyed_of_uint(bits);
    struct keyed_v v = {{bits, 0}};
    return keyed_hash(k, KEYED_CONST, t.code, t.bits, 0, 1, &v);
}

struct interp_sym keyed_sym(struct machine *m, struct dtype t, struct value v)
{
    if (v.flags & V_BOX)
        return v.u.box->sym;
    struct interp_sym s = {0};
    struct keyed_v e = keyed_embed(m->keyed, t, v.u.bits);
    memcpy(s.lane, e.lane, sizeof s.lane);
    s.type = s.narrow = keyed_type(t);
    if (dtype_is_float(t)) {
        double d = num_to_double(t, v.u.bits);
        if (!(d == 0 && signbit(d)))
            s.props |= KEYED_NOT_NEG_ZERO;
        if (m->domain->keyed->field)
            s.props |= KEYED_FIELD;
    }
    return s;
}

struct interp_sym keyed_result(struct machine *m, struct dtype t,
                               struct keyed_v v, unsigned props)
{
    struct interp_sym s = {0};
    memcpy(s.lane, v.lane, sizeof s.lane);
    s.type = s.narrow = keyed_type(t);
    s.props = (uint8_t)props;
    s.degree = 1;
    m->keyed->ops++;
    if (m->domain->keyed->field && dtype_is_float(t)) {
        s.lane[0] %= KEYED_FIELD_P;
        s.lane[1] %= KEYED_FIELD_Q;
        s.props |= KEYED_FIELD;
    }
    return s;
}

struct value keyed_value(struct machine *m, struct interp_sym s)
{
    if (s.degree > m->keyed->degree)
        m->keyed->degree = s.degree;
    return exec_value_sym(m, s);
}

/* Real numbers have no type. */
static uint32_t type_word(const struct machine *m, struct dtype t)
{
    return m->domain->keyed->field && dtype_is_float(t) ? KEYED_NO_TYPE
                                                        : keyed_type(t);
}

struct value keyed_plain(struct machine *m, enum keyed_tag tag, uint32_t op,
                         struct dtype t, struct dtype result, size_t n,
                         const struct value *operand)
{
    struct keyed_v v[MAX_OPERANDS];
    unsigned props = 0;
    if (n > MAX_OPERANDS)
        return exec_undecided(m, "an operation of so many operands");
    for (size_t i = 0; i < n; i++) {
        struct interp_sym s = keyed_sym(m, t, operand[i]);
        v[i] = keyed_element(s);
        props |= s.props & KEYED_MAY_BE_UNDEF;
    }
    struct keyed_v r = keyed_hash(m->keyed, tag, op, type_word(m, t),
                                  type_word(m, result), n, v);
    return keyed_value(m, keyed_result(m, result, r, props));
}

static struct value unsettled(struct machine *m, struct value v)
{
    struct interp_sym s = v.u.box->sym;
    s.props |= KEYED_UNSETTLED;
    return keyed_value(m, s);
}

struct value keyed_loose(struct machine *m, uint32_t op, struct dtype t,
                         size_t n, const struct value *operand)
{
    op |= (uint32_t)m->unordered << 8;
    return unsettled(m, keyed_plain(m, KEYED_LOOSE, op, t, t, n, operand));
}

struct value keyed_settle(struct machine *m, struct dtype t, struct value v)
{
    if (m->keyed == NULL || !(v.flags & V_BOX) ||
        !(v.u.box->sym.props & KEYED_UNSETTLED))
        return v;
    return keyed_plain(m, KEYED_LOOSE, UINT32_MAX, t, t, 1, &v);
}

struct value keyed_commutative(struct machine *m, uint32_t op, struct dtype t,
                               struct value a, struct value b)
{
    struct value v[2] = {a, b};
    if (keyed_less(keyed_element(keyed_sym(m, t, b)),
                   keyed_element(keyed_sym(m, t, a)))) {
        v[0] = b;
        v[1] = a;
    }
    return keyed_plain(m, KEYED_OP, op, t, t, 2, v);
}

bool keyed_is_const(struct dtype t, struct value v, double value)
{
    if (v.flags & V_BOX)
        return false;
    double have = num_to_double(t, v.u.bits);
    return have == value && !signbit(have) == !signbit(value);
}

bool keyed_inverse(struct dtype t, struct value b, struct value *out)
{
    if (b.flags & V_BOX)
        return false;
    double d = num_to_double(t, b.u.bits);
    int exponent;
    if (!isfinite(d) || d == 0 || fabs(frexp(d, &exponent)) != 0.5)
        return false;
    unsigned flags = 0;
    uint64_t bits = num_from_double(t, 1.0 / d, &flags);
    *out = exec_value_scalar(bits, b.flags);
    return !(flags & NUM_INEXACT) && num_to_double(t, bits) * d == 1.0;
}

/* ---- widening -------------------------------------------------------------------- */

struct keyed_v keyed_source(struct machine *m, struct interp_sym s,
                            struct dtype *from)
{
    *from = keyed_dtype(s.narrow);
    if (s.narrow == s.type)
        return keyed_element(s);
    return keyed_unpermute(m->keyed, KEYED_WIDEN, s.narrow, s.type,
                           keyed_element(s));
}

static bool fits(struct dtype t, struct dtype into, uint64_t bits)
{
    unsigned flags = 0;
    uint64_t narrow = num_cast(t, into, bits, &flags), wide;
    if (flags & (NUM_INEXACT | NUM_UNDEFINED | NUM_NO_RULE))
        return false;
    wide = num_cast(into, t, narrow, &flags);
    return num_same(t, wide, bits);
}

bool keyed_common_source(struct machine *m, struct dtype t, struct value a,
                         struct value b, struct dtype *from)
{
    (void)m;
    bool ka = !(a.flags & V_BOX), kb = !(b.flags & V_BOX);
    if (ka && kb)
        return false;
    if (ka || kb) {
        *from = keyed_dtype((ka ? b : a).u.box->sym.narrow);
        return dtype_is_float(*from) && (keyed_type(*from) == keyed_type(t) ||
                                         fits(t, *from, (ka ? a : b).u.bits));
    }
    struct dtype x = keyed_dtype(a.u.box->sym.narrow);
    struct dtype y = keyed_dtype(b.u.box->sym.narrow);
    *from = x;
    if (!dtype_is_float(x) || !dtype_is_float(y))
        return false;
    if (keyed_type(x) == keyed_type(y) || keyed_widens(y, x))
        return true;
    *from = y;
    return keyed_widens(x, y);
}

/* Conversion by widening and forgetting it again; false: not such a one. */
static bool keyed_exact_cast(struct machine *m, struct dtype from,
                             struct dtype to, struct value a, struct value *out)
{
    struct interp_sym s = keyed_sym(m, from, a);
    struct dtype source;
    uint8_t type = keyed_type(to);
    if (type != s.narrow && !keyed_widens(keyed_dtype(s.narrow), to))
        return false;
    struct keyed_v v = keyed_source(m, s, &source);
    if (type != s.narrow)
        v = keyed_permute(m->keyed, KEYED_WIDEN, s.narrow, type, v);
    memcpy(s.lane, v.lane, sizeof s.lane);
    if (!dtype_is_float(source) && dtype_is_float(to))
        s.props |= KEYED_NOT_NEG_ZERO;
    s.type = type;
    if (!(s.props & KEYED_FLOAT_BITS))
        s.exact = KEYED_NO_TYPE;
    s.degree = 1;
    *out = keyed_value(m, s);
    return true;
}

struct value keyed_cast(struct machine *m, struct dtype from, struct dtype to,
                        struct value a)
{
    struct value v;
    if (keyed_exact_cast(m, from, to, a, &v))
        return v;
    struct interp_sym s = keyed_sym(m, from, a);
    struct keyed_v x = keyed_source(m, s, &from);
    unsigned props = s.props & KEYED_MAY_BE_UNDEF;
    if (dtype_is_float(from) && !dtype_is_float(to))
        props |= KEYED_MAY_BE_UNDEF;
    if (!dtype_is_float(from) && dtype_is_float(to))
        props |= KEYED_NOT_NEG_ZERO;
    x = keyed_hash(m->keyed, KEYED_CAST, keyed_type(from), keyed_type(to), 0, 1,
                   &x);
    return keyed_value(m, keyed_result(m, to, x, props));
}

/* ---- negation ----------------------------------------------------------------------- */

/* An involution in no relation to sums: x -> P'(c - P(x)). */
struct value keyed_negate(struct machine *m, struct dtype t, struct value a)
{
    struct interp_keyed *k = m->keyed;
    if (!(a.flags & V_BOX))
        return m->plain->unary(m, NUM_NEG, t, a);
    struct interp_sym s = a.u.box->sym;
    struct dtype from;
    struct keyed_v v = keyed_source(m, s, &from);
    if (!dtype_is_float(from)) { /* -0 is no integer: negate here */
        v = keyed_element(s);
        s.narrow = s.type;
    }
    uint32_t type = s.narrow;
    struct keyed_v c = keyed_hash(k, KEYED_NEG, type, 1, 0, 0, NULL);
    v = keyed_permute(k, KEYED_NEG, type, 0, v);
    v = keyed_unpermute(k, KEYED_NEG, type, 0, keyed_sub(c, v));
    if (s.narrow != s.type)
        v = keyed_permute(k, KEYED_WIDEN, s.narrow, s.type, v);
    memcpy(s.lane, v.lane, sizeof s.lane);
    s.exact = KEYED_NO_TYPE;
    s.props &= KEYED_MAY_BE_UNDEF;
    s.degree = 1;
    k->ops++;
    return keyed_value(m, s);
}

/* Bools meet no sums, so that a plain reflection will do. */
static struct keyed_v negation(const struct interp_keyed *k, struct keyed_v v)
{
    return keyed_sub(keyed_hash(k, KEYED_NOT, 0, 0, 0, 0, NULL), v);
}

struct value keyed_not(struct machine *m, struct value a)
{
    if (!(a.flags & V_BOX))
        return exec_value_scalar(!a.u.bits, a.flags & V_TAINTS);
    struct interp_sym s = a.u.box->sym;
    struct keyed_v v = negation(m->keyed, keyed_element(s));
    memcpy(s.lane, v.lane, sizeof s.lane);
    return keyed_value(m, s);
}

/* ---- comparisons and choices ----------------------------------------------------------- */

struct value keyed_compare(struct machine *m, enum num_op op, struct dtype t,
                           struct value a, struct value b)
{
    if (op == NUM_GT || op == NUM_GE) {
        struct value swap = a;
        a = b;
        b = swap;
        op = op == NUM_GT ? NUM_LT : NUM_LE;
    }
    /* NaN: a float has no total order */
    if (op == NUM_LE && !dtype_is_float(t))
        return keyed_not(m, keyed_compare(m, NUM_LT, t, b, a));
    if (op == NUM_NE)
        return keyed_not(m, keyed_compare(m, NUM_EQ, t, a, b));
    struct value v[2] = {a, b};
    if (op == NUM_EQ && keyed_less(keyed_element(keyed_sym(m, t, b)),
                                   keyed_element(keyed_sym(m, t, a)))) {
        v[0] = b;
        v[1] = a;
    }
    return keyed_plain(m, KEYED_OP, (uint32_t)op, t, DTYPE_BOOL, 2, v);
}

uint64_t keyed_extreme(struct dtype t, bool high)
{
    unsigned flags = 0;
    uint64_t bits = num_from_double(t, high ? HUGE_VAL : -HUGE_VAL, &flags);
    if (num_is_inf(t, bits))
        return bits;
    return high ? num_max_value(t) : num_min_value(t);
}

bool keyed_is_extreme(struct machine *m, struct dtype t, struct value c,
                      struct value a, struct value b, enum num_op *op)
{
    if (!dtype_is_float(t) || !((a.flags | b.flags) & V_BOX))
        return false;
    struct keyed_v have = keyed_element(c.u.box->sym);
    for (int i = 0; i < 2; i++) {
        struct value law = keyed_compare(m, i == 0 ? NUM_GT : NUM_LT, t, a, b);
        *op = i == 0 ? NUM_MAX : NUM_MIN;
        if ((law.flags & V_BOX) &&
            keyed_equal(have, keyed_element(law.u.box->sym)))
            return true;
    }
    return false;
}

struct value keyed_domain_choose(struct machine *m, struct dtype t,
                                 struct value c, struct value a, struct value b)
{
    struct value law;
    struct interp_sym condition = c.u.box->sym;
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    bool defined = !(condition.props & KEYED_MAY_BE_UNDEF);
    if (defined && keyed_equal(keyed_element(x), keyed_element(y)))
        return a.flags & V_BOX ? a : b;
    const struct keyed_rules *rules = m->domain->keyed;
    if (rules->choose != NULL && rules->choose(m, t, c, a, b, &law))
        return law;
    struct keyed_v v[3] = {keyed_element(condition), keyed_element(x),
                           keyed_element(y)};
    struct keyed_v other = negation(m->keyed, v[0]);
    if (keyed_less(other, v[0])) { /* c ? a : b is !c ? b : a */
        v[0] = other;
        v[1] = keyed_element(y);
        v[2] = keyed_element(x);
    }
    unsigned props =
        (x.props & y.props & KEYED_NOT_NEG_ZERO) |
        ((x.props | y.props | condition.props) & KEYED_MAY_BE_UNDEF);
    /* a reducer's choices are made in hardware's own order */
    enum keyed_tag tag = m->unordered ? KEYED_LOOSE : KEYED_CHOICE;
    struct keyed_v r = keyed_hash(m->keyed, tag, type_word(m, t),
                                  (uint32_t)m->unordered << 8, 0, 3, v);
    struct value chosen = keyed_value(m, keyed_result(m, t, r, props));
    return m->unordered ? unsettled(m, chosen) : chosen;
}

/* ---- the domain's members -------------------------------------------------------------------- */

struct value keyed_domain_literal(struct machine *m, struct dtype t,
                                  double value)
{
    return m->plain->literal(m, t, value);
}

struct value keyed_domain_unary(struct machine *m, enum num_op op,
                                struct dtype t, struct value a)
{
    if (!(a.flags & V_BOX))
        return m->plain->unary(m, op, t, a);
    if (!dtype_is_float(t))
        return keyed_integer_unary(m, op, t, a);
    if (op == NUM_ISNAN || op == NUM_ISINF || op == NUM_ISFINITE)
        return keyed_plain(m, KEYED_OP, (uint32_t)op, t, DTYPE_BOOL, 1, &a);
    if (op == NUM_NEG)
        return keyed_negate(m, t, a);
    return m->domain->keyed->unary(m, op, t, a);
}

struct value keyed_domain_binary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a, struct value b)
{
    if (!((a.flags | b.flags) & V_BOX))
        return m->plain->binary(m, op, t, a, b);
    if (!dtype_is_float(t))
        return keyed_integer_binary(m, op, t, a, b);
    if (op >= NUM_EQ && op <= NUM_GE)
        return keyed_compare(m, op, t, a, b);
    if (op == NUM_LDEXP) /* its second operand is an integer */
        return exec_undecided(m, "ldexp of data");
    return m->domain->keyed->binary(m, op, t, a, b);
}

struct value keyed_domain_fma(struct machine *m, struct dtype t, struct value a,
                              struct value b, struct value c)
{
    if (!((a.flags | b.flags | c.flags) & V_BOX))
        return m->plain->fma(m, t, a, b, c);
    return m->domain->keyed->fma(m, t, a, b, c);
}

struct value keyed_domain_cast(struct machine *m, struct dtype from,
                               struct dtype to, struct value a)
{
    if (!(a.flags & V_BOX))
        return m->plain->cast(m, from, to, a);
    if (keyed_type(from) == keyed_type(to))
        return a;
    if (dtype_is_bool(to)) /* x != 0 (rule 11) */
        return keyed_compare(m, NUM_NE, from, a, exec_value_scalar(0, 0));
    if (dtype_is_float(from) || dtype_is_float(to))
        return m->domain->keyed->cast(m, from, to, a);
    return keyed_cast(m, from, to, a);
}

/* Nothing is undecided here: what is not known is in a box. */
struct value keyed_domain_select(struct machine *m, struct dtype t,
                                 struct value a, struct value b)
{
    (void)t, (void)b;
    (void)exec_undecided(m, "an undecided condition");
    return a;
}
