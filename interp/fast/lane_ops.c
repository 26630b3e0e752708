/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations on registers. The common ones have loops of their own or lane
 * kernels; all others go to num.h lane by lane, which is also what the loops
 * have to agree with; so do all of floats where a profile says how single
 * operations round (profile.h). What num.h would report as a fault or as undefined ends
 * the run: the walker then says it in its own words.
 *
 * Taint: a result is inexact where an operand is or where the operation
 * rounded. Where all lanes are inexact already, and the run as a whole, nobody
 * looks whether it did.
 */
#include "interp/fast/vm.h"
#include "ir/num/profile.h"

#include <math.h>
#include <string.h>

/* ---- taint ------------------------------------------------------------------------ */

static uint8_t mask_at(const struct reg *r, uint32_t l)
{
    return r->taint == TAINT_SOME  ? r->mask[l]
           : r->taint == TAINT_ALL ? (uint8_t)INTERP_INEXACT
                                   : 0;
}

/* d's taint is the union of a's, b's and, if rounded, of what mask has. d may
 * be a or b. */
static void join(const struct vm *v, struct reg *d, const struct reg *a,
                 const struct reg *b, const uint8_t *mask, bool rounded,
                 uint32_t lo, uint32_t hi)
{
    uint8_t all = INTERP_INEXACT, any = 0, seen;
    if (v->quiet || a->taint == TAINT_ALL || b->taint == TAINT_ALL) {
        d->taint = TAINT_ALL;
        return;
    }
    if (a->taint == TAINT_NONE && b->taint == TAINT_NONE && !rounded) {
        d->taint = TAINT_NONE;
        return;
    }
    for (uint32_t l = lo; l < hi; l++) {
        uint8_t m = (uint8_t)(mask_at(a, l) | mask_at(b, l));
        if (rounded)
            m |= mask[l - lo];
        d->mask[l] = m;
    }
    v->k->scan(d->mask + lo, hi - lo, &seen, &any);
    all &= seen;
    d->taint = all != 0 ? TAINT_ALL : any != 0 ? TAINT_SOME : TAINT_NONE;
}

/* Whether rounding of an operation on a and b need not be noticed. */
static bool settled(const struct vm *v, const struct reg *a,
                    const struct reg *b)
{
    return v->quiet ||
           (v->inexact && (a->taint == TAINT_ALL || b->taint == TAINT_ALL));
}

/* ---- one lane at a time --------------------------------------------------------------- */

static bool settle(struct vm *v, unsigned flags, bool check_wrap, uint8_t *mask)
{
    if (flags & NUM_NO_RULE)
        return lower_give_up(v->e, "an operation without a rule");
    if (flags & (NUM_DIV_ZERO | NUM_DIV_OVERFLOW))
        return lower_give_up(v->e, "a division fault");
    if (flags & NUM_UNDEFINED)
        return lower_give_up(v->e, "an undefined value");
    if ((flags & NUM_WRAPPED) && check_wrap)
        return lower_give_up(v->e, "an integer that wraps");
    *mask = (uint8_t)(flags & NUM_INEXACT ? INTERP_INEXACT : 0);
    return true;
}

static bool slow_binary(struct vm *v, const struct insn *in, struct reg *d,
                        const struct reg *a, const struct reg *b, uint32_t lo,
                        uint32_t hi)
{
    enum ftype from = (enum ftype)in->from, type = (enum ftype)in->type;
    struct dtype t = fast_ftype_dtype(from);
    uint8_t mask[LANES];
    bool rounded = false;
    for (uint32_t l = lo; l < hi; l++) {
        unsigned flags = 0;
        uint64_t bits = num_profile_binary(v->e->scalar, (enum num_op)in->num,
                                           t, lanes_bits(from, a, l),
                                           lanes_bits(from, b, l), &flags);
        if (!settle(v, flags, in->check_wrap, &mask[l - lo]))
            return false;
        rounded |= mask[l - lo] != 0;
        lanes_set(type, d, l, bits);
    }
    v->inexact |= rounded;
    join(v, d, a, b, mask, rounded, lo, hi);
    return true;
}

/* float32 and float16 functions all lanes at once. */
static bool unary_array(struct vm *v, const struct insn *in, uint32_t lo,
                        uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a];
    enum num_op op = (enum num_op)in->num;
    uint32_t n = hi - lo;
    uint8_t mask[LANES], all, any;
    uint16_t half[LANES];
    if ((in->type != T_F32 && in->type != T_F16) || op == NUM_BITNOT ||
        op == NUM_NOT || op > NUM_SIGMOID)
        return false;
    if (in->type == T_F32) {
        num_unary_f32_array(op, &a->u.f[lo], &d->u.f[lo], mask, n);
    } else {
        v->k->store[T_F16](half, &a->u.f[lo], n);
        num_unary_f16_array(op, half, half, mask, n);
        v->k->load[T_F16](&d->u.f[lo], half, n);
    }
    v->k->scan(mask, n, &all, &any);
    for (uint32_t i = 0; i < n && any != 0; i++)
        mask[i] = mask[i] != 0 ? INTERP_INEXACT : 0;
    v->inexact |= any != 0;
    join(v, d, a, a, mask, any != 0, lo, hi);
    return true;
}

bool lanes_unary(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    if (v->e->scalar == NULL && unary_array(v, in, lo, hi))
        return true;
    enum ftype from = (enum ftype)in->from, type = (enum ftype)in->type;
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a];
    struct dtype t = fast_ftype_dtype(from);
    uint8_t mask[LANES];
    bool rounded = false;
    for (uint32_t l = lo; l < hi; l++) {
        unsigned flags = 0;
        uint64_t bits = num_profile_unary(v->e->scalar, (enum num_op)in->num, t,
                                          lanes_bits(from, a, l), &flags);
        if (!settle(v, flags, in->check_wrap, &mask[l - lo]))
            return false;
        rounded |= mask[l - lo] != 0;
        lanes_set(type, d, l, bits);
    }
    v->inexact |= rounded;
    join(v, d, a, a, mask, rounded, lo, hi);
    return true;
}

/* Which lanes of a fused operation rounded: its exact result, where it is none
 * of the type, was rounded to odd and so differs from d. */
static bool fused_inexact(const float *d, const double *odd, uint32_t n,
                          uint8_t *mask)
{
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        bool moved = isfinite(odd[i]) && (double)d[i] != odd[i];
        mask[i] = moved ? INTERP_INEXACT : 0;
        any |= moved;
    }
    return any;
}

bool lanes_fma(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    enum ftype type = (enum ftype)in->type;
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a], *b = &v->regs[in->b];
    const struct reg *c = &v->regs[in->c];
    struct dtype t = fast_ftype_dtype(type);
    uint8_t mask[LANES];
    if ((type == T_F32 || type == T_F16) && v->e->scalar == NULL) {
        double odd[LANES];
        v->k->fused[type](&d->u.f[lo], lanes_floats(a, lo), lanes_floats(b, lo),
                          lanes_floats(c, lo), odd, hi - lo);
        if (v->quiet) {
            d->taint = TAINT_ALL;
            return true;
        }
        v->inexact |= fused_inexact(&d->u.f[lo], odd, hi - lo, mask);
        for (uint32_t l = lo; l < hi; l++)
            mask[l - lo] |= mask_at(c, l);
        join(v, d, a, b, mask, true, lo, hi);
        return true;
    }
    for (uint32_t l = lo; l < hi; l++) {
        unsigned flags = 0;
        uint64_t bits = num_profile_fma(v->e->scalar, t, lanes_bits(type, a, l),
                                        lanes_bits(type, b, l),
                                        lanes_bits(type, c, l), &flags);
        if (!settle(v, flags, in->check_wrap, &mask[l - lo]))
            return false;
        v->inexact |= mask[l - lo] != 0;
        mask[l - lo] |= mask_at(c, l);
        lanes_set(type, d, l, bits);
    }
    join(v, d, a, b, mask, true, lo, hi);
    return true;
}

/* ---- floats ----------------------------------------------------------------------------- */

/* A product or quotient of bfloat16 that is a subnormal bfloat16 was rounded
 * twice; it is done again. */
static bool near_zero(const float *d, uint32_t n)
{
    int bad = 0;
    for (uint32_t i = 0; i < n; i++)
        bad |= (d[i] > -0x1p-125f) & (d[i] < 0x1p-125f);
    return bad != 0;
}

static bool float_arith(struct vm *v, const struct insn *in, struct reg *d,
                        const struct reg *a, const struct reg *b, uint32_t lo,
                        uint32_t hi)
{
    static const uint8_t ops[] = {K_ADD, K_SUB, K_MUL, K_DIV};
    unsigned op = ops[in->num - NUM_ADD];
    uint32_t n = hi - lo;
    uint8_t mask[LANES];
    const float *x = lanes_floats(a, lo), *y = lanes_floats(b, lo);
    bool twice = in->type == T_BF16 && op >= K_MUL, rounded = false;
    struct reg *out = twice ? &v->regs[v->e->nregs + 1] : d;
    if (settled(v, a, b)) {
        v->k->quiet[in->type][op](&out->u.f[lo], x, y, n);
    } else {
        rounded = v->k->checked[in->type][op](&out->u.f[lo], x, y, n, mask);
    }
    if (twice) {
        if (near_zero(&out->u.f[lo], n))
            return slow_binary(v, in, d, a, b, lo, hi);
        memcpy(&d->u.f[lo], &out->u.f[lo], n * sizeof(float));
    }
    v->inexact |= rounded;
    join(v, d, a, b, mask, rounded, lo, hi);
    return true;
}

static bool double_arith(struct vm *v, const struct insn *in, struct reg *d,
                         const struct reg *a, const struct reg *b, uint32_t lo,
                         uint32_t hi)
{
    const double *x = &a->u.d[lo], *y = &b->u.d[lo];
    uint32_t n = hi - lo;
    bool quiet = settled(v, a, b), may;
    struct reg *out = quiet ? d : &v->regs[v->e->nregs + 1];
    double *r = &out->u.d[lo];
    switch (in->num) {
    case NUM_ADD: may = v->k->dadd(r, x, y, n); break;
    case NUM_MUL: may = v->k->dmul(r, x, y, n); break;
    case NUM_SUB:
        may = true;
        for (uint32_t i = 0; i < n; i++)
            r[i] = x[i] - y[i];
        break;
    default:
        may = true;
        for (uint32_t i = 0; i < n; i++)
            r[i] = x[i] / y[i];
        break;
    }
    if (!quiet && may)
        return slow_binary(v, in, d, a, b, lo, hi);
    if (!quiet)
        memcpy(&d->u.d[lo], r, n * sizeof *r);
    join(v, d, a, b, NULL, false, lo, hi);
    return true;
}

#define COMPARE(member)                                                   \
    for (uint32_t l = lo; l < hi; l++) {                                  \
        switch (in->num) {                                                \
        case NUM_EQ: d->u.i[l] = a->u.member[l] == b->u.member[l]; break; \
        case NUM_NE: d->u.i[l] = a->u.member[l] != b->u.member[l]; break; \
        case NUM_LT: d->u.i[l] = a->u.member[l] < b->u.member[l]; break;  \
        case NUM_LE: d->u.i[l] = a->u.member[l] <= b->u.member[l]; break; \
        case NUM_GT: d->u.i[l] = a->u.member[l] > b->u.member[l]; break;  \
        default: d->u.i[l] = a->u.member[l] >= b->u.member[l]; break;     \
        }                                                                 \
    }
/* Rule 12: b where the comparison fails. */
#define EXTREME(member)                                                        \
    if (in->num == NUM_MIN)                                                    \
        for (uint32_t l = lo; l < hi; l++)                                     \
            d->u.member[l] = a->u.member[l] < b->u.member[l] ? a->u.member[l]  \
                                                             : b->u.member[l]; \
    else                                                                       \
        for (uint32_t l = lo; l < hi; l++)                                     \
            d->u.member[l] = a->u.member[l] > b->u.member[l] ? a->u.member[l]  \
                                                             : b->u.member[l];

static void ordered(const struct insn *in, struct reg *d, const struct reg *a,
                    const struct reg *b, uint32_t lo, uint32_t hi)
{
    enum fclass class = fast_ftype_class((enum ftype)in->from);
    bool compares = in->num >= NUM_EQ && in->num <= NUM_GE;
    if (compares && class == C_FLOAT) {
        COMPARE(f)
    } else if (compares && class == C_DOUBLE) {
        COMPARE(d)
    } else if (compares && class == C_INT) {
        COMPARE(i)
    } else if (compares) {
        COMPARE(q)
    } else if (class == C_FLOAT) {
        EXTREME(f)
    } else if (class == C_DOUBLE) {
        EXTREME(d)
    } else if (class == C_INT) {
        EXTREME(i)
    } else {
        EXTREME(q)
    }
}

/* ---- integers ------------------------------------------------------------------------------ */

static int32_t narrow(enum ftype type, uint32_t x)
{
    switch (type) {
    case T_I8: return (int8_t)(uint8_t)x;
    case T_I16: return (int16_t)(uint16_t)x;
    case T_U8: return (uint8_t)x;
    case T_U16: return (uint16_t)x;
    default: return (int32_t)x;
    }
}

/* + - * that may wrap unnoticed. */
static bool int_arith(const struct insn *in, struct reg *d, const struct reg *a,
                      const struct reg *b, uint32_t lo, uint32_t hi)
{
    enum ftype type = (enum ftype)in->type;
    if (in->check_wrap || type == T_BOOL || in->num > NUM_MUL)
        return false;
    if (fast_ftype_class(type) == C_INT) {
        const int32_t *x = a->u.i, *y = b->u.i;
        int32_t *r = d->u.i;
        if (in->num == NUM_ADD)
            for (uint32_t l = lo; l < hi; l++)
                r[l] = (int32_t)((uint32_t)x[l] + (uint32_t)y[l]);
        else if (in->num == NUM_SUB)
            for (uint32_t l = lo; l < hi; l++)
                r[l] = (int32_t)((uint32_t)x[l] - (uint32_t)y[l]);
        else
            for (uint32_t l = lo; l < hi; l++)
                r[l] = (int32_t)((uint32_t)x[l] * (uint32_t)y[l]);
        for (uint32_t l = lo; l < hi && type != T_I32; l++)
            r[l] = narrow(type, (uint32_t)r[l]);
        return true;
    }
    uint64_t cut = type == T_U32 ? 0xffffffffu : UINT64_MAX;
    for (uint32_t l = lo; l < hi; l++) {
        uint64_t x = (uint64_t)a->u.q[l], y = (uint64_t)b->u.q[l];
        uint64_t r = in->num == NUM_ADD   ? x + y
                     : in->num == NUM_SUB ? x - y
                                          : x * y;
        d->u.q[l] = (int64_t)(r & cut);
    }
    return true;
}

/* + - * of int32 where none may wrap; false: one does. */
static bool int32_checked(const struct insn *in, struct reg *d,
                          const struct reg *a, const struct reg *b, uint32_t lo,
                          uint32_t hi)
{
    int64_t lost = 0;
    for (uint32_t l = lo; l < hi; l++) {
        int64_t x = a->u.i[l], y = b->u.i[l];
        int64_t r = in->num == NUM_ADD   ? x + y
                    : in->num == NUM_SUB ? x - y
                                         : x * y;
        d->u.i[l] = (int32_t)(uint32_t)(uint64_t)r;
        lost |= r ^ d->u.i[l];
    }
    return lost == 0;
}

bool lanes_binary(struct vm *v, const struct insn *in, struct reg *d,
                  const struct reg *a, const struct reg *b, uint32_t lo,
                  uint32_t hi)
{
    enum ftype from = (enum ftype)in->from;
    if (v->e->scalar != NULL && fast_ftype_is_float(from))
        return slow_binary(v, in, d, a, b, lo, hi);
    bool arith = in->num >= NUM_ADD && in->num <= NUM_DIV;
    if (arith && from <= T_BF16)
        return float_arith(v, in, d, a, b, lo, hi);
    if (arith && from == T_F64)
        return double_arith(v, in, d, a, b, lo, hi);
    bool order = in->num == NUM_MIN || in->num == NUM_MAX ||
                 (in->num >= NUM_EQ && in->num <= NUM_GE);
    if (order && from != T_U64 && (from != T_BOOL || in->num >= NUM_EQ)) {
        ordered(in, d, a, b, lo, hi);
        join(v, d, a, b, NULL, false, lo, hi);
        return true;
    }
    if (in->check_wrap && from == T_I32 && in->num <= NUM_MUL && arith) {
        join(v, d, a, b, NULL, false, lo, hi);
        return int32_checked(in, d, a, b, lo, hi) ||
               lower_give_up(v->e, "an integer that wraps");
    }
    if (arith && int_arith(in, d, a, b, lo, hi)) {
        join(v, d, a, b, NULL, false, lo, hi);
        return true;
    }
    return slow_binary(v, in, d, a, b, lo, hi);
}

/* ---- casts ------------------------------------------------------------------------------------ */

static bool slow_cast(struct vm *v, const struct insn *in, uint32_t lo,
                      uint32_t hi)
{
    enum ftype from = (enum ftype)in->from, type = (enum ftype)in->type;
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a];
    struct dtype f = fast_ftype_dtype(from), t = fast_ftype_dtype(type);
    uint8_t mask[LANES];
    bool rounded = false;
    for (uint32_t l = lo; l < hi; l++) {
        unsigned flags = 0;
        uint64_t bits = num_profile_cast(v->e->scalar, f, t,
                                         lanes_bits(from, a, l), &flags);
        if (!settle(v, flags, in->check_wrap, &mask[l - lo]))
            return false;
        rounded |= mask[l - lo] != 0;
        lanes_set(type, d, l, bits);
    }
    v->inexact |= rounded;
    join(v, d, a, a, mask, rounded, lo, hi);
    return true;
}

/* Between float types that share a register form. */
static void float_cast(struct vm *v, const struct insn *in, uint32_t lo,
                       uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a];
    uint8_t mask[LANES];
    bool rounded = false;
    if (settled(v, a, a))
        v->k->round[in->type](&d->u.f[lo], &a->u.f[lo], hi - lo);
    else
        rounded =
            v->k->narrow[in->type](&d->u.f[lo], &a->u.f[lo], hi - lo, mask);
    v->inexact |= rounded;
    join(v, d, a, a, mask, rounded, lo, hi);
}

/* Integers whose registers hold them widened already. */
static bool int_cast(const struct insn *in, struct reg *d, const struct reg *a,
                     uint32_t lo, uint32_t hi)
{
    enum ftype from = (enum ftype)in->from, type = (enum ftype)in->type;
    enum fclass source = fast_ftype_class(from),
                target = fast_ftype_class(type);
    if (fast_ftype_is_float(from) || fast_ftype_is_float(type) ||
        type == T_BOOL)
        return false;
    for (uint32_t l = lo; l < hi; l++) {
        int64_t x = source == C_INT ? a->u.i[l] : a->u.q[l];
        if (target == C_INT)
            d->u.i[l] = narrow(type, (uint32_t)(uint64_t)x);
        else
            d->u.q[l] = type == T_U32 ? (int64_t)(uint32_t)(uint64_t)x : x;
    }
    return true;
}

/* int32 and narrower into float32, exact or not. */
static void int_to_float(struct vm *v, const struct insn *in, uint32_t lo,
                         uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a];
    uint8_t mask[LANES];
    bool rounded = false;
    for (uint32_t l = lo; l < hi; l++) {
        int32_t x = a->u.i[l];
        float y = (float)x;
        bool bad = (double)y != (double)x;
        mask[l - lo] = bad ? INTERP_INEXACT : 0;
        rounded |= bad;
        d->u.f[l] = y;
    }
    v->inexact |= rounded;
    join(v, d, a, a, mask, rounded, lo, hi);
}

bool lanes_cast(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    enum ftype from = (enum ftype)in->from, type = (enum ftype)in->type;
    struct reg *d = &v->regs[in->d];
    const struct reg *a = &v->regs[in->a];
    if (v->e->scalar != NULL &&
        (fast_ftype_is_float(from) || fast_ftype_is_float(type)))
        return slow_cast(v, in, lo, hi);
    if (from <= T_BF16 && type <= T_BF16) {
        float_cast(v, in, lo, hi);
        return true;
    }
    if (int_cast(in, d, a, lo, hi)) {
        join(v, d, a, a, NULL, false, lo, hi);
        return true;
    }
    if (fast_ftype_class(from) == C_INT && type == T_F32) {
        int_to_float(v, in, lo, hi);
        return true;
    }
    return slow_cast(v, in, lo, hi);
}

/* ---- select ------------------------------------------------------------------------------------- */

void lanes_select(struct vm *v, const struct insn *in, uint32_t lo, uint32_t hi)
{
    struct reg *d = &v->regs[in->d];
    const struct reg *c = &v->regs[in->a], *a = &v->regs[in->b];
    const struct reg *b = &v->regs[in->c];
    enum fclass class = fast_ftype_class((enum ftype)in->type);
    uint8_t any = 0, all = INTERP_INEXACT;
    if (class == C_FLOAT || class == C_INT)
        for (uint32_t l = lo; l < hi; l++)
            d->u.i[l] = c->u.i[l] ? a->u.i[l] : b->u.i[l];
    else
        for (uint32_t l = lo; l < hi; l++)
            d->u.q[l] = c->u.i[l] ? a->u.q[l] : b->u.q[l];
    d->taint = TAINT_NONE;
    if (c->taint == TAINT_NONE && a->taint == TAINT_NONE &&
        b->taint == TAINT_NONE)
        return;
    for (uint32_t l = lo; l < hi; l++) {
        uint8_t m = (uint8_t)(mask_at(c, l) |
                              (c->u.i[l] ? mask_at(a, l) : mask_at(b, l)));
        d->mask[l] = m;
        any |= m;
        all &= m;
    }
    d->taint = all != 0 ? TAINT_ALL : any != 0 ? TAINT_SOME : TAINT_NONE;
}
