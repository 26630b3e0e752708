/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on values: lanes are taken apart, undefined operands make
 * undefined results, integers and bool go to num.h, floats to the domain, and
 * what num.h reports becomes a flag of the result (inexact, wrapped,
 * undefined) or a fault (division, rule 9).
 *
 * A comparison of a boxed domain may be undecided (V_MAYBE); And, Or and Not
 * know how to go on with that, every other use is a fault INTERP_UNDECIDED.
 */
#include "interp/machine/arith.h"

bool exec_arith_lanes_fit(struct machine *m, uint32_t n, struct value v)
{
    if (!(v.flags & V_VECTOR) || v.aux == n)
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
               "an operation mixes vectors of %u and %u lanes", v.aux, n);
    return false;
}

bool exec_arith_may_not_wrap(struct dtype t)
{
    return t.code == DT_INT && t.bits >= 32;
}

/* ---- one lane ---------------------------------------------------------------- */

static struct value no_rule(struct machine *m, const char *name, struct dtype t)
{
    char text[48];
    exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
               "operation '%s' on %s is not defined", name,
               dtype_name(dtype_scalar(t), text));
    return exec_value_undefined();
}

static struct value undecided(struct machine *m, const char *what)
{
    exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
               "%s a comparison that the enclosures do not decide", what);
    return exec_value_undefined();
}

/* Turns what num.h reported into a value or a fault. */
static struct value int_result(struct machine *m, enum num_op op,
                               struct dtype t, uint64_t bits, unsigned flags,
                               uint32_t taints)
{
    if (flags & (NUM_DIV_ZERO | NUM_DIV_OVERFLOW)) {
        exec_blame(m, taints);
        exec_fault(m, INTERP_DIVISION, NULL, NULL,
                   flags & NUM_DIV_ZERO
                       ? "integer division by zero"
                       : "integer division of the smallest value by -1");
        return exec_value_undefined();
    }
    if (flags & NUM_NO_RULE)
        return no_rule(m, num_op_name(op), t);
    if (flags & NUM_INEXACT) {
        m->result.inexact = true;
        taints |= V_INEXACT;
    }
    if ((flags & NUM_WRAPPED) && exec_arith_may_not_wrap(t))
        taints |= V_WRAPPED;
    if (flags & NUM_UNDEFINED)
        taints |= V_UNDEF;
    return exec_value_scalar(bits, taints);
}

static struct value finish(struct machine *m, struct value v, uint32_t taints)
{
    if (v.flags & V_INEXACT)
        m->result.inexact = true;
    v.flags |= taints;
    return v;
}

static bool is_logic(enum num_op op)
{
    return op == NUM_AND || op == NUM_OR;
}

/* And, Or with at least one undecided operand. The bits go on as they would
 * in the machine. */
static struct value maybe_logic(enum num_op op, struct value a, struct value b,
                                uint32_t taints)
{
    uint64_t absorbing = op == NUM_OR ? 1 : 0;
    if ((!(a.flags & V_MAYBE) && a.u.bits == absorbing) ||
        (!(b.flags & V_MAYBE) && b.u.bits == absorbing))
        return exec_value_scalar(absorbing, taints);
    uint64_t bits = op == NUM_OR ? a.u.bits | b.u.bits : a.u.bits & b.u.bits;
    return exec_value_scalar(bits, taints | V_MAYBE);
}

/* Pointers can be compared for (in)equality only. */
static struct value pointer_binary(struct machine *m, enum num_op op,
                                   struct value a, struct value b,
                                   uint32_t taints)
{
    bool same = a.u.bits == b.u.bits;
    if (op == NUM_EQ || op == NUM_NE)
        return exec_value_scalar(same == (op == NUM_EQ), taints);
    return no_rule(m, num_op_name(op), DTYPE_HANDLE);
}

static struct value scalar_binary(struct machine *m, enum num_op op,
                                  struct dtype t, struct value a,
                                  struct value b)
{
    uint32_t both = a.flags | b.flags, taints = both & V_TAINTS;
    if (both & V_UNDEF)
        return exec_value_scalar(0, taints);
    if (both & V_POINTER)
        return pointer_binary(m, op, a, b, taints);
    if (both & V_MAYBE)
        return is_logic(op) ? maybe_logic(op, a, b, taints)
                            : undecided(m, "an operation uses");
    if (dtype_is_float(t) || (both & V_BOX))
        return finish(m, m->domain->binary(m, op, t, a, b), taints);
    unsigned flags = 0;
    uint64_t bits = num_binary(op, t, a.u.bits, b.u.bits, &flags);
    return int_result(m, op, t, bits, flags, taints);
}

static struct value scalar_unary(struct machine *m, enum num_op op,
                                 struct dtype t, struct value a)
{
    uint32_t taints = a.flags & V_TAINTS;
    if (a.flags & V_UNDEF)
        return exec_value_scalar(0, taints);
    if (a.flags & V_POINTER)
        return no_rule(m, num_op_name(op), DTYPE_HANDLE);
    if (a.flags & V_MAYBE)
        return op == NUM_NOT ? exec_value_scalar(!a.u.bits, a.flags)
                             : undecided(m, "an operation uses");
    if (dtype_is_float(t) || (a.flags & V_BOX))
        return finish(m, m->domain->unary(m, op, t, a), taints);
    unsigned flags = 0;
    uint64_t bits = num_unary(op, t, a.u.bits, &flags);
    return int_result(m, op, t, bits, flags, taints);
}

bool exec_arith_open(struct machine *m, const char *what)
{
    exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
               "%s depends on an order of threads that rule 5 leaves open",
               what);
    return false;
}

static struct value scalar_cast(struct machine *m, struct dtype from,
                                struct dtype to, struct value a)
{
    uint32_t taints = a.flags & V_TAINTS;
    if (a.flags & V_UNDEF)
        return exec_value_scalar(0, taints);
    if (dtype_is_handle(from) && dtype_is_handle(to))
        return a;
    if (a.flags & V_POINTER) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL,
                   "casts of pointers are not supported");
        return exec_value_undefined();
    }
    if (a.flags & V_MAYBE) {
        if (dtype_is_bool(to))
            return a;
        if (!dtype_is_float(to))
            return undecided(m, "a cast uses");
        struct value said = m->domain->literal(m, to, a.u.bits ? 1 : 0);
        struct value other = m->domain->literal(m, to, a.u.bits ? 0 : 1);
        return finish(m, m->domain->select(m, to, said, other), taints);
    }
    if (exec_arith_is_open(m, a) && dtype_is_float(to)) {
        (void)exec_arith_open(m, "a float");
        return exec_value_undefined();
    }
    if (dtype_is_float(from) || dtype_is_float(to) || (a.flags & V_BOX))
        return finish(m, m->domain->cast(m, from, to, a), taints);
    unsigned flags = 0;
    uint64_t bits = num_cast(from, to, a.u.bits, &flags);
    return int_result(m, NUM_NOPS, to, bits, flags, taints);
}

/* ---- lanes ------------------------------------------------------------------------ */

struct value exec_unary(struct machine *m, enum num_op op, struct dtype t,
                        struct value a)
{
    if (!(a.flags & V_VECTOR))
        return scalar_unary(m, op, t, a);
    struct value v = exec_value_vector(m, a.aux);
    for (uint32_t i = 0; i < v.aux; i++)
        v.u.lane[i] = scalar_unary(m, op, t, a.u.lane[i]);
    return v;
}

struct value exec_binary(struct machine *m, enum num_op op, struct dtype t,
                         struct value a, struct value b)
{
    if (!((a.flags | b.flags) & V_VECTOR))
        return scalar_binary(m, op, t, a, b);
    uint32_t n = a.flags & V_VECTOR ? a.aux : b.aux;
    if (!exec_arith_lanes_fit(m, n, b))
        return exec_value_undefined();
    struct value v = exec_value_vector(m, n);
    for (uint32_t i = 0; i < n; i++)
        v.u.lane[i] = scalar_binary(m, op, t, exec_value_lane(a, i),
                                    exec_value_lane(b, i));
    return v;
}

static struct value scalar_fma(struct machine *m, struct dtype t,
                               struct value a, struct value b, struct value c)
{
    uint32_t taints = (a.flags | b.flags | c.flags) & V_TAINTS;
    if (taints & V_UNDEF)
        return exec_value_scalar(0, taints);
    if (!dtype_is_float(t))
        return scalar_binary(m, NUM_ADD, t, scalar_binary(m, NUM_MUL, t, a, b),
                             c);
    return finish(m, m->domain->fma(m, t, a, b, c), taints);
}

struct value exec_fma(struct machine *m, struct dtype t, struct value a,
                      struct value b, struct value c)
{
    uint32_t n = exec_value_lanes(a);
    if (exec_value_lanes(b) > n)
        n = exec_value_lanes(b);
    if (exec_value_lanes(c) > n)
        n = exec_value_lanes(c);
    if (n == 1)
        return scalar_fma(m, t, a, b, c);
    if (!exec_arith_lanes_fit(m, n, a) || !exec_arith_lanes_fit(m, n, b) ||
        !exec_arith_lanes_fit(m, n, c))
        return exec_value_undefined();
    struct value v = exec_value_vector(m, n);
    for (uint32_t i = 0; i < n; i++)
        v.u.lane[i] = scalar_fma(m, t, exec_value_lane(a, i),
                                 exec_value_lane(b, i), exec_value_lane(c, i));
    return v;
}

struct value exec_cast(struct machine *m, struct dtype from, struct dtype to,
                       struct value a)
{
    if (!(a.flags & V_VECTOR)) {
        bool widens = from.code == DT_INT && to.code == DT_INT &&
                      from.bits <= to.bits && !(a.flags & (V_MAYBE | V_BOX));
        return widens ? a : scalar_cast(m, from, to, a);
    }
    struct value v = exec_value_vector(m, a.aux);
    for (uint32_t i = 0; i < v.aux; i++)
        v.u.lane[i] = scalar_cast(m, from, to, a.u.lane[i]);
    return v;
}

struct value exec_literal(struct machine *m, struct dtype t, double value)
{
    return m->domain->literal(m, t, value);
}

/* ---- uses that need a decided value --------------------------------------------------- */

/* Common part: false after a fault. */
static bool usable(struct machine *m, struct value v, const char *what)
{
    if (m->failed)
        return false;
    if (exec_arith_is_open(m, v))
        return exec_arith_open(m, what);
    if (v.flags & V_UNDEF)
        exec_fault(m, INTERP_UNINITIALISED, NULL, NULL,
                   "%s is an undefined value", what);
    else if (v.flags & V_WRAPPED)
        exec_fault(m, INTERP_INDEX_OVERFLOW, NULL, NULL,
                   "%s depends on an integer operation that overflowed", what);
    else if (v.flags & V_MAYBE)
        exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
                   "%s is not decided by the enclosures", what);
    else if (m->keyed != NULL && (v.flags & V_BOX))
        exec_fault(m, INTERP_UNDECIDED, NULL, NULL,
                   "%s depends on data that keyed runs do not know", what);
    else if (v.flags & (V_VECTOR | V_BOX))
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL, "%s is no integer scalar",
                   what);
    if (v.flags & V_INEXACT)
        m->result.control_inexact = m->control_tainted = true;
    if (v.flags & V_DATA)
        m->result.data_dependent = true;
    return !m->failed;
}

bool exec_index(struct machine *m, struct value v, const char *what,
                int64_t *out)
{
    if (!usable(m, v, what))
        return false;
    if (v.flags & V_POINTER) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, NULL, "%s is a pointer", what);
        return false;
    }
    *out = (int64_t)v.u.bits;
    return true;
}

bool exec_condition(struct machine *m, struct value v, bool *out)
{
    if (!usable(m, v, "a condition"))
        return false;
    *out = v.u.bits != 0;
    return true;
}

bool exec_index_of(struct machine *m, const struct ir_expr *e, struct value v,
                   const char *what, int64_t *out)
{
    if (!exec_index(m, v, what, out))
        return false;
    if (!exec_arith_is_huge(e->dtype, v.u.bits))
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, e, "%s is %llu", what,
               (unsigned long long)v.u.bits);
    return false;
}

bool exec_eval_index(struct machine *m, const struct ir_expr *e,
                     const char *what, int64_t *out)
{
    return exec_index_of(m, e, exec_eval(m, e), what, out);
}

bool exec_eval_condition(struct machine *m, const struct ir_expr *e, bool *out)
{
    return exec_condition(m, exec_eval(m, e), out);
}
