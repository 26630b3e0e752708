/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on bits, by the rules of semantics.md: integers wrap (R9), what has
 * no result is undefined (R10), max(a, b) is a > b ? a : b (R12), each operation
 * on floats is rounded once, to nearest and even (N1).
 */
#include "verifier/compare/bits_state.h"
#include "verifier/smt/obligation.h"

#include <inttypes.h>

static struct dtype operand_type(const struct value *v)
{
    return v->args[0]->dtype;
}

static bool is_signed(struct dtype t)
{
    return t.code == DT_INT;
}

/* What costs the solver much is computed only when it has to be. */
static bool is_computed(struct bits *b, unsigned cost)
{
    b->left_out += b->exact ? 0 : cost;
    return b->exact;
}

/* A product or a quotient takes much more than a sum, and by a constant less. */
static unsigned float_cost(const struct value *v)
{
    bool constant =
        v->args[0]->kind == VALUE_CONST || v->args[1]->kind == VALUE_CONST;
    bool sum = v->op == IR_ADD || v->op == IR_SUB;
    if (v->dtype.bits <= 16)
        return sum || constant ? 1 : 2;
    return v->dtype.bits > 32 ? 100 : constant ? 1 : sum ? 4 : 8;
}

/* ---- integers ------------------------------------------------------------------ */

static int vector(struct bits *b, struct dtype t, const char *op, int x, int y)
{
    char sort[BITS_SORT];
    return bits_put(b, bits_sort(t, sort), "(%s t%d t%d)", op, x, y);
}

/* The quotient rounded down: one less than the one rounded to zero where a
 * remainder has the other sign than the divisor. Neither wraps; to take the
 * remainder of the floor from the dividend may. */
static int floored(struct bits *b, struct dtype t, int x, int y)
{
    char sort[BITS_SORT];
    int whole = vector(b, t, "bvsdiv", x, y),
        rest = vector(b, t, "bvsrem", x, y);
    int zero = bits_constant(b, t.bits, 0), one = bits_constant(b, t.bits, 1);
    int below =
        bits_bool(b, "(and (distinct t%d t%d) (bvslt (bvxor t%d t%d) t%d))",
                  rest, zero, rest, y, zero);
    return bits_put(b, bits_sort(t, sort), "(ite t%d (bvsub t%d t%d) t%d)",
                    below, whole, one, whole);
}

/* The divisor is not 0, and the quotient fits. */
static int divides(struct bits *b, struct dtype t, int x, int y)
{
    int zero = bits_constant(b, t.bits, 0);
    int fine = bits_bool(b, "(distinct t%d t%d)", y, zero);
    if (!is_signed(t))
        return fine;
    int least = bits_constant(b, t.bits, UINT64_C(1) << (t.bits - 1));
    int minus = bits_constant(b, t.bits, ~UINT64_C(0));
    int fits =
        bits_bool(b, "(not (and (= t%d t%d) (= t%d t%d)))", x, least, y, minus);
    return bits_and(b, fine, fits);
}

static int division(struct bits *b, const struct value *v, int x, int y,
                    int *defined)
{
    struct dtype t = v->dtype;
    bool sign = is_signed(t);
    *defined = divides(b, t, x, y);
    if (v->args[1]->kind != VALUE_CONST && t.bits > 8 &&
        !is_computed(b, t.bits / 16))
        return -1;
    switch (v->op) {
    case IR_DIV: return vector(b, t, sign ? "bvsdiv" : "bvudiv", x, y);
    case IR_MOD: return vector(b, t, sign ? "bvsrem" : "bvurem", x, y);
    case IR_FLOORMOD: return vector(b, t, sign ? "bvsmod" : "bvurem", x, y);
    default: return sign ? floored(b, t, x, y) : vector(b, t, "bvudiv", x, y);
    }
}

static int shift(struct bits *b, const struct value *v, int x, int y,
                 int *defined)
{
    struct dtype t = v->dtype, by = v->args[1]->dtype;
    const char *op = v->op == IR_SHL       ? "bvshl"
                     : is_signed(v->dtype) ? "bvashr"
                                           : "bvlshr";
    if (by.bits != t.bits)
        return -1;
    int width = bits_constant(b, t.bits, t.bits);
    if (!OBLIGED(b->c->smt, "bits: a shift count is below the width", false))
        *defined = bits_bool(b, "(bvult t%d t%d)", y, width);
    return vector(b, t, op, x, y);
}

static int lesser(struct bits *b, const struct value *v, int x, int y)
{
    char sort[BITS_SORT];
    const char *op = is_signed(v->dtype) ? "bvsgt" : "bvugt";
    bool max = v->op == IR_MAX;
    return bits_put(b, bits_sort(v->dtype, sort), "(ite (%s t%d t%d) t%d t%d)",
                    op, x, y, max ? x : y, max ? y : x);
}

static int on_integers(struct bits *b, const struct value *v, const int *args,
                       int *defined)
{
    struct dtype t = v->dtype;
    int x = args[0], y = v->nargs > 1 ? args[1] : 0;
    char sort[BITS_SORT];
    switch ((int)v->op) {
    case IR_ADD: return vector(b, t, "bvadd", x, y);
    case IR_SUB: return vector(b, t, "bvsub", x, y);
    case IR_MUL:
        return v->args[0]->kind == VALUE_CONST ||
                       v->args[1]->kind == VALUE_CONST || t.bits <= 16 ||
                       is_computed(b, t.bits / 16)
                   ? vector(b, t, "bvmul", x, y)
                   : -1;
    case IR_BITAND: return vector(b, t, "bvand", x, y);
    case IR_BITOR: return vector(b, t, "bvor", x, y);
    case IR_BITXOR: return vector(b, t, "bvxor", x, y);
    case IR_BITNOT: return bits_put(b, bits_sort(t, sort), "(bvnot t%d)", x);
    case IR_DIV:
    case IR_MOD:
    case IR_FLOORDIV:
    case IR_FLOORMOD: return division(b, v, x, y, defined);
    case IR_SHL:
    case IR_SHR: return shift(b, v, x, y, defined);
    case IR_MIN:
    case IR_MAX: return lesser(b, v, x, y);
    default: return -1;
    }
}

/* ---- floats ---------------------------------------------------------------------- */

static int on_floats(struct bits *b, const struct value *v, const int *args)
{
    char sort[BITS_SORT];
    int x = args[0], y = v->nargs > 1 ? args[1] : 0;
    const char *op = v->op == IR_ADD   ? "fp.add"
                     : v->op == IR_SUB ? "fp.sub"
                     : v->op == IR_MUL ? "fp.mul"
                     : v->op == IR_DIV ? "fp.div"
                                       : NULL;
    (void)bits_sort(v->dtype, sort);
    if (v->op == IR_MAX || v->op == IR_MIN)
        return bits_put(b, sort, "(ite (%s t%d t%d) t%d t%d)",
                        v->op == IR_MAX ? "fp.gt" : "fp.lt", x, y, x, y);
    if (op == NULL)
        return -1;
    if (!is_computed(b, float_cost(v)))
        return -1;
    return bits_put(b, sort, "(%s RNE t%d t%d)", op, x, y);
}

/* ---- comparisons ------------------------------------------------------------------- */

static const char *relation(enum ir_expr_kind op, struct dtype t)
{
    bool is_float = dtype_is_float(t), sign = is_signed(t);
    switch ((int)op) {
    case IR_LT: return is_float ? "fp.lt" : sign ? "bvslt" : "bvult";
    case IR_LE: return is_float ? "fp.leq" : sign ? "bvsle" : "bvule";
    case IR_GT: return is_float ? "fp.gt" : sign ? "bvsgt" : "bvugt";
    case IR_GE: return is_float ? "fp.geq" : sign ? "bvsge" : "bvuge";
    default: return is_float ? "fp.eq" : "=";
    }
}

static int comparison(struct bits *b, const struct value *v, const int *args)
{
    unsigned e, s;
    struct dtype t = operand_type(v);
    bool ordered = v->op != IR_EQ && v->op != IR_NE;
    if ((dtype_is_float(t) && !bits_format(t, &e, &s)) ||
        (dtype_is_bool(t) && ordered))
        return -1;
    return bits_bool(b, v->op == IR_NE ? "(not (%s t%d t%d))" : "(%s t%d t%d)",
                     relation(v->op, t), args[0], args[1]);
}

/* ---- conversions --------------------------------------------------------------------- */

/* The float 2^k of the type; -1: it has none. */
static int power(struct bits *b, struct dtype t, unsigned k, bool negative)
{
    char sort[BITS_SORT];
    unsigned e, s;
    if (!bits_format(t, &e, &s) || k > (1u << (e - 1)) - 1)
        return -1;
    return bits_put(b, bits_sort(t, sort),
                    negative ? "((_ to_fp %u %u) RNE (- %" PRIu64 ".0))"
                             : "((_ to_fp %u %u) RNE %" PRIu64 ".0)",
                    e, s, UINT64_C(1) << k);
}

static int from_float(struct bits *b, const struct value *v, int x,
                      int *defined)
{
    struct dtype from = operand_type(v), to = v->dtype;
    char sort[BITS_SORT];
    unsigned e, s, top = is_signed(to) ? to.bits - 1u : to.bits;
    if (!bits_format(from, &e, &s) || to.bits > 63)
        return -1;
    int whole =
        bits_put(b, bits_sort(from, sort), "(fp.roundToIntegral RTZ t%d)", x);
    int all =
        bits_bool(b, "(not (or (fp.isNaN t%d) (fp.isInfinite t%d)))", x, x);
    int hi = power(b, from, top, false);
    if (hi > 0)
        all = bits_and(b, all, bits_bool(b, "(fp.lt t%d t%d)", whole, hi));
    int lo = is_signed(to) ? power(b, from, top, true) : 0;
    if (lo > 0)
        all = bits_and(b, all, bits_bool(b, "(fp.geq t%d t%d)", whole, lo));
    if (!is_signed(to))
        all = bits_and(b, all,
                       bits_bool(b, "(or (fp.isZero t%d) (fp.isPositive t%d))",
                                 whole, whole));
    if (!OBLIGED(b->c->smt, "bits: a float is in range", false))
        *defined = all;
    return bits_put(b, bits_sort(to, sort), "((_ %s %u) RTZ t%d)",
                    is_signed(to) ? "fp.to_sbv" : "fp.to_ubv", to.bits, x);
}

static int to_float(struct bits *b, const struct value *v, int x)
{
    struct dtype from = operand_type(v);
    char sort[BITS_SORT];
    unsigned e, s, e0, s0;
    if (!bits_format(v->dtype, &e, &s))
        return -1;
    (void)bits_sort(v->dtype, sort);
    if (dtype_is_bool(from)) {
        char vec[BITS_SORT];
        x = bits_put(b, bits_sort_vector(2, vec), "(ite t%d #b01 #b00)", x);
        return bits_put(b, sort, "((_ to_fp_unsigned %u %u) RNE t%d)", e, s, x);
    }
    if (dtype_is_float(from))
        return bits_format(from, &e0, &s0)
                   ? bits_put(b, sort, "((_ to_fp %u %u) RNE t%d)", e, s, x)
                   : -1;
    return bits_put(b, sort,
                    is_signed(from) ? "((_ to_fp %u %u) RNE t%d)"
                                    : "((_ to_fp_unsigned %u %u) RNE t%d)",
                    e, s, x);
}

static int to_bool(struct bits *b, const struct value *v, int x)
{
    struct dtype from = operand_type(v);
    unsigned e, s;
    if (dtype_is_bool(from))
        return x;
    if (dtype_is_float(from))
        return bits_format(from, &e, &s)
                   ? bits_bool(b, "(not (fp.isZero t%d))", x)
                   : -1;
    return bits_bool(b, "(distinct t%d t%d)", x,
                     bits_constant(b, from.bits, 0));
}

static int conversion(struct bits *b, const struct value *v, int x,
                      int *defined)
{
    struct dtype from = operand_type(v), to = v->dtype;
    char sort[BITS_SORT];
    if (dtype_is_bool(to))
        return to_bool(b, v, x);
    if (dtype_is_float(to))
        return to_float(b, v, x);
    if (dtype_is_float(from))
        return from_float(b, v, x, defined);
    if (dtype_is_bool(from))
        return bits_put(b, bits_sort(to, sort), "(ite t%d t%d t%d)", x,
                        bits_constant(b, to.bits, 1),
                        bits_constant(b, to.bits, 0));
    return bits_resize(b, x, from.bits, to.bits, is_signed(from));
}

/* ---- calls ------------------------------------------------------------------------------ */

/* The bits of a float: NaN has those of the quiet one (N4). */
static int float_bits(struct bits *b, const struct value *v, int x)
{
    struct dtype t = v->dtype;
    char sort[BITS_SORT];
    unsigned e, s, flags = 0;
    uint64_t bits;
    if (value_is_const(v, &bits))
        return bits_constant(b, t.bits, bits);
    for (size_t i = 0; i < b->leaves.len; i++)
        if (b->leaves.items[i].term == x && b->leaves.items[i].bits > 0)
            return b->leaves.items[i].bits;
    if (!bits_format(t, &e, &s))
        return v->kind == VALUE_INPUT ? x : -1;
    int y = bits_free(b, bits_sort_vector(t.bits, sort));
    double zero = 0.0;
    int nan = bits_constant(b, t.bits, num_from_double(t, zero / zero, &flags));
    bits_assert(b, bits_bool(b, "(= ((_ to_fp %u %u) t%d) t%d)", e, s, y, x));
    bits_assert(b, bits_bool(b, "(=> (fp.isNaN t%d) (= t%d t%d))", x, y, nan));
    return y;
}

static int as_vector(struct bits *b, const struct value *v, int x)
{
    return dtype_is_float(v->dtype)  ? float_bits(b, v, x)
           : dtype_is_bool(v->dtype) ? -1
                                     : x;
}

/* One operand: its bits under another type. Several: parts put together, the
 * first lowest; a lane and a number: that part of it (value_int.c). */
static int reinterpretation(struct bits *b, const struct value *v,
                            const int *args)
{
    char sort[BITS_SORT];
    uint64_t k;
    unsigned from = operand_type(v).bits, to = v->dtype.bits;
    int x = as_vector(b, v->args[0], args[0]);
    if (x < 0 || dtype_is_bool(v->dtype))
        return -1;
    if (v->nargs == 2 && from > to && value_is_const(v->args[1], &k)) {
        unsigned at = (unsigned)(k & 63) * to;
        if (at + to > from)
            return -1;
        x = bits_put(b, bits_sort_vector(to, sort), "((_ extract %u %u) t%d)",
                     at + to - 1, at, x);
        from = to;
    } else {
        for (size_t i = 1; i < v->nargs; i++) {
            int y = as_vector(b, v->args[i], args[i]);
            if (y < 0)
                return -1;
            from += v->args[i]->dtype.bits;
            x = bits_put(b, bits_sort_vector(from, sort), "(concat t%d t%d)", y,
                         x);
        }
    }
    return from == to ? bits_as_float(b, v->dtype, x) : -1;
}

static int count_zeros(struct bits *b, const struct value *v, int x,
                       int *defined)
{
    struct dtype from = operand_type(v);
    char sort[BITS_SORT];
    if (from.bits > 64)
        return -1;
    *defined =
        bits_bool(b, "(distinct t%d t%d)", x, bits_constant(b, from.bits, 0));
    int n = bits_constant(b, v->dtype.bits, from.bits);
    for (unsigned i = 0; i < from.bits; i++)
        n = bits_put(b, bits_sort(v->dtype, sort),
                     "(ite (= ((_ extract %u %u) t%d) #b1) t%d t%d)", i, i, x,
                     bits_constant(b, v->dtype.bits, from.bits - 1u - i), n);
    return n;
}

static int count_ones(struct bits *b, const struct value *v, int x)
{
    struct dtype from = operand_type(v);
    char sort[BITS_SORT];
    int n = bits_constant(b, v->dtype.bits, 0);
    for (unsigned i = 0; i < from.bits; i++)
        n = bits_put(b, bits_sort(v->dtype, sort),
                     "(ite (= ((_ extract %u %u) t%d) #b1) (bvadd t%d t%d) "
                     "t%d)",
                     i, i, x, n, bits_constant(b, v->dtype.bits, 1), n);
    return n;
}

/* A call of one float, as SMT-LIB has it; NULL: not so. */
static const char *unary_float(const struct bits *b, enum ir_op op)
{
    switch ((int)op) {
    case IR_OP_ABS:
    case IR_OP_FABS: return "fp.abs";
    case IR_OP_FLOOR: return "fp.roundToIntegral RTN";
    case IR_OP_CEIL: return "fp.roundToIntegral RTP";
    case IR_OP_TRUNC: return "fp.roundToIntegral RTZ";
    case IR_OP_ROUND:
    case IR_OP_NEARBYINT: return "fp.roundToIntegral RNE";
    case IR_OP_ISNAN: return "fp.isNaN";
    case IR_OP_ISINF: return "fp.isInfinite";
    case IR_OP_SQRT: return b->exact ? "fp.sqrt RNE" : NULL;
    default: return NULL;
    }
}

static int call(struct bits *b, const struct value *v, const int *args,
                int *defined)
{
    struct dtype t = v->nargs > 0 ? operand_type(v) : v->dtype;
    char sort[BITS_SORT];
    unsigned e, s;
    if (v->call == IR_OP_REINTERPRET)
        return reinterpretation(b, v, args);
    if (v->nargs == 1 && dtype_is_int(t)) {
        if (v->call == IR_OP_CLZ)
            return count_zeros(b, v, args[0], defined);
        if (v->call == IR_OP_POPCOUNT && dtype_equal(t, v->dtype))
            return count_ones(b, v, args[0]);
        if (v->call == IR_OP_ABS && is_signed(t))
            return bits_put(b, bits_sort(t, sort),
                            "(ite (bvslt t%d t%d) (bvneg t%d) t%d)", args[0],
                            bits_constant(b, t.bits, 0), args[0], args[0]);
        return -1;
    }
    if (v->nargs != 1 || !bits_format(t, &e, &s))
        return -1;
    if (v->call == IR_OP_ISFINITE)
        return bits_bool(b, "(not (or (fp.isNaN t%d) (fp.isInfinite t%d)))",
                         args[0], args[0]);
    const char *op = unary_float(b, v->call);
    return op == NULL ? -1
                      : bits_put(b, bits_sort(v->dtype, sort), "(%s t%d)", op,
                                 args[0]);
}

/* ---- all ---------------------------------------------------------------------------------- */

int bits_operation(struct bits *b, const struct value *v, const int *args,
                   int *defined)
{
    unsigned e, s;
    *defined = 0;
    switch ((int)v->op) {
    case IR_COMPARE_KINDS: return comparison(b, v, args);
    case IR_AND: return bits_bool(b, "(and t%d t%d)", args[0], args[1]);
    case IR_OR: return bits_bool(b, "(or t%d t%d)", args[0], args[1]);
    case IR_NOT: return bits_bool(b, "(not t%d)", args[0]);
    case IR_CAST: return conversion(b, v, args[0], defined);
    case IR_CALL: return call(b, v, args, defined);
    default: break;
    }
    if (v->nargs == 0 || !dtype_equal(operand_type(v), v->dtype))
        return -1;
    if (dtype_is_int(v->dtype))
        return on_integers(b, v, args, defined);
    return bits_format(v->dtype, &e, &s) && v->nargs == 2
               ? on_floats(b, v, args)
               : -1;
}

int bits_fits(struct bits *b, const struct value *v, const int *args)
{
    struct dtype t = v->dtype;
    unsigned wide = t.bits * 2u;
    char sort[BITS_SORT];
    const char *op = v->op == IR_ADD   ? "bvadd"
                     : v->op == IR_SUB ? "bvsub"
                     : v->op == IR_MUL ? "bvmul"
                                       : "bvshl";
    if (!is_signed(t) || t.bits < 32 ||
        OBLIGED(b->c->smt, "bits: an operation fits", false))
        return 0;
    if (v->op == IR_CALL && v->call == IR_OP_ABS)
        return bits_bool(b, "(distinct t%d t%d)", args[0],
                         bits_constant(b, t.bits, UINT64_C(1) << (t.bits - 1)));
    if (v->op != IR_ADD && v->op != IR_SUB && v->op != IR_MUL &&
        v->op != IR_SHL)
        return 0;
    int x = bits_resize(b, args[0], t.bits, wide, true);
    int y = bits_resize(b, args[1], t.bits, wide, v->op != IR_SHL);
    int full =
        bits_put(b, bits_sort_vector(wide, sort), "(%s t%d t%d)", op, x, y);
    int cut = bits_resize(b, bits_resize(b, full, wide, t.bits, true), t.bits,
                          wide, true);
    return bits_bool(b, "(= t%d t%d)", full, cut);
}
