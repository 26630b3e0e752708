/* SPDX-License-Identifier: Apache-2.0
 *
 * Keyed domains: integers and bool, whose laws are the same in all of them
 * (docs/semantics.md F5).
 *
 * Equal polynomials over the integers are equal in any width, so +, - and x of
 * one type are those of the ring. A value that may be undefined (rule 10)
 * stays outside of the ring, where a law could make it vanish. min, max and
 * the operations on bits are AC sums.
 */
#include "interp/keyed/keyed.h"

/* Beyond it, products of integers are keyed: accidents grow with the degree. */
#define MAX_RING_DEGREE 4096u

/* The unit of an AC operation on a type that is no float; false: none. */
static bool unit_of(enum num_op op, struct dtype t, uint64_t *bits)
{
    unsigned flags = 0;
    switch ((int)op) {
    case NUM_MIN: *bits = num_max_value(t); return true;
    case NUM_MAX: *bits = num_min_value(t); return true;
    case NUM_BITAND: *bits = num_from_int(t, -1, &flags); return true;
    case NUM_AND: *bits = 1; return true;
    case NUM_BITOR:
    case NUM_BITXOR:
    case NUM_OR: *bits = 0; return true;
    default: return false;
    }
}

/* False and x, true or x, 0 & x: known whatever x is, if it is something. */
static bool absorbs(enum num_op op, struct value known, struct interp_sym other)
{
    if ((known.flags & V_BOX) || (other.props & KEYED_MAY_BE_UNDEF))
        return false;
    if (op == NUM_AND || op == NUM_BITAND)
        return known.u.bits == 0;
    return op == NUM_OR && known.u.bits == 1;
}

static struct value ac_sum(struct machine *m, enum num_op op, struct dtype t,
                           uint64_t unit, struct value a, struct value b)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    if (absorbs(op, a, y))
        return a;
    if (absorbs(op, b, x))
        return b;
    struct keyed_v r =
        keyed_sum(m->keyed, op, keyed_type(t), keyed_embed(m->keyed, t, unit),
                  keyed_element(x), keyed_element(y));
    unsigned props = (x.props | y.props) & KEYED_MAY_BE_UNDEF;
    return keyed_value(m, keyed_result(m, t, r, props));
}

static struct value ring(struct machine *m, enum num_op op, struct dtype t,
                         struct value a, struct value b)
{
    struct interp_sym x = keyed_sym(m, t, a), y = keyed_sym(m, t, b);
    uint64_t degree = op == NUM_MUL         ? (uint64_t)x.degree + y.degree
                      : x.degree > y.degree ? x.degree
                                            : y.degree;
    if (((x.props | y.props) & KEYED_MAY_BE_UNDEF) ||
        degree > MAX_RING_DEGREE) {
        struct value v[2] = {a, b};
        return op == NUM_SUB
                   ? keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v)
                   : keyed_commutative(m, (uint32_t)op, t, a, b);
    }
    struct keyed_v u = keyed_element(x), v = keyed_element(y);
    struct keyed_v r = op == NUM_ADD   ? keyed_add(u, v)
                       : op == NUM_SUB ? keyed_sub(u, v)
                                       : keyed_mul(u, v);
    struct interp_sym s = keyed_result(m, t, r, 0);
    s.degree = (uint32_t)degree;
    return keyed_value(m, s);
}

/* Faults of data are not decided here; a known divisor that cannot fault is
 * an operation like others. */
static struct value division(struct machine *m, enum num_op op, struct dtype t,
                             struct value a, struct value b)
{
    struct value v[2] = {a, b};
    if (b.flags & V_BOX)
        return exec_undecided(m, "an integer division by data");
    if (b.u.bits == 0 || (t.code == DT_INT && b.u.bits == UINT64_MAX))
        return exec_undecided(m, "an integer division by 0 or -1");
    if (b.u.bits == 1 && (op == NUM_DIV || op == NUM_FLOORDIV))
        return a;
    return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
}

static struct value shift(struct machine *m, enum num_op op, struct dtype t,
                          struct value a, struct value b)
{
    struct value v[2] = {a, b};
    if (b.flags & V_BOX) {
        struct value r = keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
        struct interp_sym s = r.u.box->sym;
        s.props |= KEYED_MAY_BE_UNDEF;
        return keyed_value(m, s);
    }
    if (b.u.bits >= t.bits)
        return exec_value_undefined();
    if (b.u.bits == 0)
        return a;
    if (op == NUM_SHR || b.u.bits >= 63)
        return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
    unsigned flags = 0;
    uint64_t factor = num_from_int(t, (int64_t)1 << b.u.bits, &flags);
    struct value r = ring(m, NUM_MUL, t, a, exec_value_scalar(factor, 0));
    return keyed_value(m,
                       keyed_high_half(a.u.box->sym, b.u.bits, r.u.box->sym));
}

struct value keyed_integer_binary(struct machine *m, enum num_op op,
                                  struct dtype t, struct value a,
                                  struct value b)
{
    uint64_t unit;
    if (op >= NUM_EQ && op <= NUM_GE)
        return keyed_compare(m, op, t, a, b);
    if (op == NUM_DIV || op == NUM_MOD || op == NUM_FLOORDIV ||
        op == NUM_FLOORMOD)
        return division(m, op, t, a, b);
    if (op == NUM_SHL || op == NUM_SHR)
        return shift(m, op, t, a, b);
    if (dtype_is_int(t) && (op == NUM_ADD || op == NUM_SUB || op == NUM_MUL))
        return ring(m, op, t, a, b);
    if (unit_of(op, t, &unit))
        return ac_sum(m, op, t, unit, a, b);
    struct value v[2] = {a, b};
    return keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 2, v);
}

struct value keyed_integer_unary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a)
{
    if (op == NUM_NOT)
        return keyed_not(m, a);
    if (op == NUM_NEG && dtype_is_int(t))
        return ring(m, NUM_SUB, t, exec_value_scalar(0, 0), a);
    if (op == NUM_BITNOT && dtype_is_int(t)) {
        unsigned flags = 0;
        uint64_t ones = num_from_int(t, -1, &flags);
        return ring(m, NUM_SUB, t, exec_value_scalar(ones, 0), a);
    }
    struct value r = keyed_plain(m, KEYED_OP, (uint32_t)op, t, t, 1, &a);
    struct interp_sym s = r.u.box->sym;
    if (op == NUM_CLZ)
        s.props |= KEYED_MAY_BE_UNDEF;
    return keyed_value(m, s);
}
