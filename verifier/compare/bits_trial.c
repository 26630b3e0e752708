/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers before solvers: most values that are not equal differ on one of a few
 * dozen assignments of small numbers, corners of types, and the constants that the
 * values themselves hold. What differs is no more asked, and where it does is a
 * place for a run to look.
 */
#include "verifier/compare/bits_state.h"
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"

#include <string.h>

#define TRIALS        64u
#define MAX_CONSTANTS 24u
#define MAX_STEPS     200000u

/* A value or an integer under one assignment. */
enum outcome { UNSEEN, KNOWN, UNDEFINED, UNKNOWN };
struct number {
    enum outcome outcome;
    uint64_t bits; /* as num.h has them; of an integer itself */
};

struct trial {
    struct bits *b;
    struct vctx *c;
    uint64_t seed;
    unsigned steps;
    struct VEC(struct number) values; /* by value */
    struct VEC(struct number) atoms;  /* by atom */
    size_t nconstants;
    struct {
        struct dtype type;
        uint64_t bits;
    } constants[MAX_CONSTANTS];
};

static struct number number_of(struct trial *t, const struct value *v);
static bool sum_of(struct trial *t, const struct aff *a, int64_t *out);
static enum outcome truth_of(struct trial *t, const struct form *f, bool *out);

static struct number known(uint64_t bits)
{
    return (struct number){KNOWN, bits};
}

static struct number unknown(void)
{
    return (struct number){UNKNOWN, 0};
}

/* ---- data ------------------------------------------------------------------------ */

static uint64_t small_number(struct dtype t, uint64_t h)
{
    unsigned flags = 0;
    int64_t k = (int64_t)(h % 9) - (t.code == DT_UINT ? 0 : 4);
    return dtype_is_float(t)
               ? num_from_double(t, (double)k / (h >> 8 & 1 ? 2 : 1), &flags)
               : num_from_int(t, k, &flags);
}

static uint64_t corner(struct dtype t, uint64_t h)
{
    unsigned flags = 0;
    static const double floats[] = {0.0, -0.0, 1.0, -1.0, 65536.0, 1e-3};
    double zero = 0.0;
    if (dtype_is_float(t)) {
        switch (h % 10) {
        case 0: return num_from_double(t, zero / zero, &flags);
        case 1: return num_from_double(t, 1.0 / zero, &flags);
        case 2: return num_from_double(t, -1.0 / zero, &flags);
        case 3: return num_min_positive(t);
        case 4: return num_max_value(t);
        default: return num_from_double(t, floats[h % 6], &flags);
        }
    }
    unsigned bits = t.bits < 64 ? t.bits : 63;
    int64_t top = (int64_t)1 << (h / 16 % bits);
    switch (h % 4) {
    case 0: return num_max_value(t);
    case 1: return num_min_value(t);
    case 2: return num_from_int(t, top, &flags);
    default: return num_from_int(t, -top, &flags);
    }
}

static uint64_t constant(const struct trial *t, struct dtype type, uint64_t h)
{
    unsigned flags = 0;
    if (t->nconstants == 0)
        return small_number(type, h);
    size_t i = h % t->nconstants;
    int64_t beside = (int64_t)(h / 64 % 3) - 1;
    uint64_t bits =
        num_cast(t->constants[i].type, type, t->constants[i].bits, &flags);
    if (dtype_is_float(type))
        return beside == 0 ? bits : bits + (uint64_t)beside;
    /* Around the ends of 64 bits, too. */
    return num_from_int(
        type, (int64_t)((uint64_t)num_to_int(type, bits) + (uint64_t)beside),
        &flags);
}

static uint64_t datum(const struct trial *t, struct dtype type, uint64_t h)
{
    unsigned flags = 0;
    if (dtype_is_bool(type))
        return h & 1;
    uint64_t bits = hash_mix(h, 77);
    switch (h >> 32 & 3) {
    case 0: return small_number(type, bits);
    case 1: return corner(type, bits);
    case 2: bits = constant(t, type, bits); break;
    default: break;
    }
    if (!dtype_is_float(type))
        return num_from_int(type, (int64_t)bits, &flags);
    return type.bits < 64 ? bits & ((UINT64_C(1) << type.bits) - 1) : bits;
}

/* Equal places hold equal data. */
static struct number read_leaf(struct trial *t, const struct value *v)
{
    uint64_t h = hash_mix(t->seed, (uint64_t)(unsigned)v->param + 1);
    if (v->id >= t->b->leaf_of.len || t->b->leaf_of.items[v->id] == 0)
        return unknown();
    if (v->kind != VALUE_INPUT)
        h = hash_mix(h, t->b->leaf_of.items[v->id] + UINT64_C(1000));
    for (size_t i = 0; v->kind == VALUE_INPUT && i < v->nindex; i++) {
        int64_t k;
        if (!sum_of(t, v->index[i], &k))
            return unknown();
        h = hash_mix(h, (uint64_t)k);
    }
    if (v->kind == VALUE_INPUT)
        h = hash_mix(h, v->bits);
    return known(datum(t, v->dtype, hash_mix(h, 5)));
}

static void collect(struct trial *t, struct dtype type, uint64_t bits)
{
    if (t->nconstants == MAX_CONSTANTS || dtype_is_bool(type))
        return;
    t->constants[t->nconstants].type = type;
    t->constants[t->nconstants++].bits = bits;
}

static void collect_form(struct trial *t, const struct form *f)
{
    unsigned flags = 0;
    if (f->a != NULL && f->a->constant != 0)
        collect(t, DTYPE_INT64,
                num_from_int(DTYPE_INT64, -f->a->constant, &flags));
    for (uint32_t i = 0; i < f->n; i++)
        collect_form(t, f->args[i]);
}

static void collect_value(struct trial *t, const struct value *v,
                          unsigned depth)
{
    if (depth > 24 || t->nconstants == MAX_CONSTANTS)
        return;
    if (v->kind == VALUE_CONST)
        collect(t, v->dtype, v->bits);
    if (v->cond != NULL)
        collect_form(t, v->cond);
    for (size_t i = 0; i < v->nargs; i++)
        collect_value(t, v->args[i], depth + 1);
}

/* ---- integers ---------------------------------------------------------------------- */

static bool atom_number(struct trial *t, const struct atom *info, atom_id a,
                        int64_t *out)
{
    int64_t x, y;
    bool yes;
    const struct vchoice *k = info->kind == ATOM_VAR ? info->user : NULL;
    if (k != NULL && k->cond != NULL) {
        if (truth_of(t, k->cond, &yes) != KNOWN)
            return false;
        return sum_of(t, yes ? k->a : k->b, out);
    }
    if (k != NULL) {
        if (!sum_of(t, k->a, &x) || !sum_of(t, k->b, &y))
            return false;
        *out = k->kind == IR_BITAND  ? x & y
               : k->kind == IR_BITOR ? x | y
                                     : x ^ y;
        return true;
    }
    if (info->kind == ATOM_OPAQUE && info->user != NULL) {
        const struct value *v = info->user;
        struct number n = number_of(t, v);
        *out = num_to_int(v->dtype, n.bits);
        return n.outcome == KNOWN &&
               !(v->dtype.code == DT_UINT && v->dtype.bits > 63 && *out < 0);
    }
    if (info->def != NULL) {
        if (!sum_of(t, info->def, &x))
            return false;
        y = info->divisor;
        if (y == 0 && !sum_of(t, info->other, &y))
            return false;
        if (info->kind == ATOM_PRODUCT)
            return !__builtin_mul_overflow(x, y, out);
        if (y <= 0)
            return false;
        *out = x / y - (x % y < 0);
        return true;
    }
    int64_t lo = info->lo < -4096 ? -4096 : info->lo, hi = info->hi;
    uint64_t h = hash_mix(t->seed, a + UINT64_C(400000));
    if (hi > lo + 4096)
        hi = lo + 4096;
    *out = hi <= lo       ? lo
           : (h & 7) == 0 ? lo
           : (h & 7) == 1 ? hi
                          : lo + (int64_t)((h >> 8) % (uint64_t)(hi - lo + 1));
    return true;
}

static bool sum_of(struct trial *t, const struct aff *a, int64_t *out)
{
    int64_t sum = a->constant, x;
    for (uint32_t i = 0; i < a->n; i++) {
        atom_id id = a->terms[i].atom;
        while (t->atoms.len <= id)
            vec_push(&t->atoms, (struct number){0});
        if (t->atoms.items[id].outcome == UNSEEN) {
            bool fine = ++t->steps < MAX_STEPS &&
                        atom_number(t, aff_atom_info(t->c->space, id), id, &x);
            t->atoms.items[id] = fine ? known((uint64_t)x) : unknown();
        }
        if (t->atoms.items[id].outcome != KNOWN ||
            __builtin_mul_overflow((int64_t)t->atoms.items[id].bits,
                                   a->terms[i].coef, &x) ||
            __builtin_add_overflow(sum, x, &sum))
            return false;
    }
    *out = sum;
    return true;
}

/* ---- clean values ---------------------------------------------------------------------- */

static enum outcome clean_of(struct trial *t, const struct value *v, bool *out)
{
    bool yes = false;
    struct number args[4];
    unsigned flags = 0;
    *out = true;
    if ((!vclean_may_overflow(t->c, v) && !vclean_may_be_undefined(t->c, v)) ||
        ++t->steps > MAX_STEPS)
        return KNOWN;
    if (v->kind == VALUE_ITE)
        return truth_of(t, v->cond, &yes) == KNOWN
                   ? clean_of(t, v->args[yes ? 0 : 1], out)
                   : UNKNOWN;
    if (v->kind != VALUE_OP || v->nargs > 4)
        return UNKNOWN;
    for (size_t i = 0; i < v->nargs && *out; i++)
        if (clean_of(t, v->args[i], out) != KNOWN)
            return UNKNOWN;
    for (size_t i = 0; i < v->nargs && *out; i++) {
        args[i] = number_of(t, v->args[i]);
        if (args[i].outcome != KNOWN)
            return UNKNOWN;
    }
    if (!*out)
        return KNOWN;
    if (number_of(t, v).outcome == UNDEFINED) {
        *out = false;
        return KNOWN;
    }
    bool wide = v->dtype.code == DT_INT && v->dtype.bits >= 32 &&
                v->nargs == 2 && v->op != IR_CALL && v->op != IR_CAST;
    if (wide)
        (void)num_binary(ir_num_op(v->op), v->dtype, args[0].bits, args[1].bits,
                         &flags);
    *out = (flags & NUM_WRAPPED) == 0;
    return wide || v->op == IR_CAST ? KNOWN : UNKNOWN;
}

/* ---- formulas ------------------------------------------------------------------------ */

static enum outcome all_of(struct trial *t, const struct form *f, bool *out)
{
    bool want = f->kind == FORM_AND, gap = false;
    for (uint32_t i = 0; i < f->n; i++) {
        bool x = false;
        enum outcome o = truth_of(t, f->args[i], &x);
        if (o == KNOWN && x != want) {
            *out = !want;
            return KNOWN;
        }
        gap = gap || o != KNOWN;
    }
    *out = want;
    return gap ? UNKNOWN : KNOWN;
}

static enum outcome truth_of(struct trial *t, const struct form *f, bool *out)
{
    int64_t x;
    switch (f->kind) {
    case FORM_TRUE:
    case FORM_FALSE: *out = f->kind == FORM_TRUE; return KNOWN;
    case FORM_GE0:
    case FORM_EQ0:
    case FORM_NOT_EQ0:
        if (!sum_of(t, f->a, &x))
            return UNKNOWN;
        *out = f->kind == FORM_GE0   ? x >= 0
               : f->kind == FORM_EQ0 ? x == 0
                                     : x != 0;
        return KNOWN;
    case FORM_PRED: {
        const struct value *v = vpred_value(t->c, f->key);
        if (vclean_value(t->c, f) != NULL)
            return clean_of(t, vclean_value(t->c, f), out);
        struct number n = v != NULL ? number_of(t, v) : unknown();
        *out = (n.bits != 0) != f->negated;
        return n.outcome;
    }
    case FORM_AND:
    case FORM_OR: break;
    }
    return all_of(t, f, out);
}

/* ---- values ---------------------------------------------------------------------------- */

static enum num_op unary_call(enum ir_op op)
{
    switch ((int)op) {
    case IR_OP_ABS:
    case IR_OP_FABS: return NUM_ABS;
    case IR_OP_FLOOR: return NUM_FLOOR;
    case IR_OP_CEIL: return NUM_CEIL;
    case IR_OP_TRUNC: return NUM_TRUNC;
    case IR_OP_SQRT: return NUM_SQRT;
    case IR_OP_CLZ: return NUM_CLZ;
    case IR_OP_POPCOUNT: return NUM_POPCOUNT;
    case IR_OP_ISNAN: return NUM_ISNAN;
    case IR_OP_ISINF: return NUM_ISINF;
    case IR_OP_ISFINITE: return NUM_ISFINITE;
    default: return NUM_NOPS;
    }
}

/* A function that is not computed: any result, one for equal operands. */
static struct number any_result(const struct trial *t, const struct value *v,
                                const uint64_t *args)
{
    uint64_t h = hash_mix(t->seed, (uint64_t)v->op << 16 | (uint64_t)v->call);
    for (size_t i = 0; i < v->nargs; i++)
        h = hash_mix(h, args[i] + i);
    return known(datum(t, v->dtype, h));
}

static struct number outcome_of(unsigned flags, uint64_t bits)
{
    if (flags & NUM_NO_RULE)
        return unknown();
    if (flags & (NUM_UNDEFINED | NUM_DIV_ZERO | NUM_DIV_OVERFLOW))
        return (struct number){UNDEFINED, 0};
    return known(bits);
}

static struct number parts_of(const struct value *v, const uint64_t *args)
{
    unsigned from = v->args[0]->dtype.bits, to = v->dtype.bits, at = 0;
    unsigned flags = 0;
    uint64_t all = args[0];
    if (v->nargs == 2 && from > to && v->args[1]->kind == VALUE_CONST) {
        all = args[0] >> (args[1] * to & 63);
    } else {
        for (size_t i = 0; i < v->nargs; i++) {
            unsigned n = v->args[i]->dtype.bits;
            uint64_t part =
                n < 64 ? args[i] & ((UINT64_C(1) << n) - 1) : args[i];
            all = i == 0 ? part : all | part << (at & 63);
            at += n;
        }
        if (at != to)
            return unknown();
    }
    if (to < 64)
        all &= (UINT64_C(1) << to) - 1;
    if (dtype_is_int(v->dtype))
        all = num_from_int(v->dtype, (int64_t)all, &flags);
    return known(all);
}

static struct number operation(struct trial *t, const struct value *v)
{
    uint64_t args[4], bits;
    unsigned flags = 0;
    if (v->nargs > 4 || v->nargs == 0)
        return unknown();
    for (size_t i = 0; i < v->nargs; i++) {
        struct number x = number_of(t, v->args[i]);
        if (x.outcome != KNOWN)
            return x;
        args[i] = x.bits;
    }
    struct dtype of = v->args[0]->dtype;
    if (v->op == IR_CAST) {
        bits = num_cast(of, v->dtype, args[0], &flags);
        return outcome_of(flags, bits);
    }
    if (v->op == IR_CALL && v->call == IR_OP_REINTERPRET)
        return parts_of(v, args);
    enum num_op op = v->op == IR_CALL ? unary_call(v->call) : ir_num_op(v->op);
    if (op == NUM_NOPS)
        return any_result(t, v, args);
    if (v->nargs == 1)
        bits = num_unary(op, of, args[0], &flags);
    else
        bits = num_binary(op, of, args[0], args[1], &flags);
    return outcome_of(flags, bits);
}

static struct number make(struct trial *t, const struct value *v)
{
    bool yes = false;
    int64_t k;
    unsigned flags = 0;
    switch (v->kind) {
    case VALUE_CONST: return known(v->bits);
    case VALUE_INDEX:
        return sum_of(t, v->index[0], &k)
                   ? known(num_from_int(v->dtype, k, &flags))
                   : unknown();
    case VALUE_OP: return operation(t, v);
    case VALUE_ITE: {
        enum outcome o = truth_of(t, v->cond, &yes);
        return o == KNOWN ? number_of(t, v->args[yes ? 0 : 1])
                          : (struct number){o, 0};
    }
    case VALUE_INPUT:
    case VALUE_SCALAR:
    case VALUE_REDUCE:
    case VALUE_FOLD:
    case VALUE_HOLE: return read_leaf(t, v);
    case VALUE_TUPLE:
    case VALUE_UNDEF: break;
    }
    return unknown();
}

static struct number number_of(struct trial *t, const struct value *v)
{
    while (t->values.len <= v->id)
        vec_push(&t->values, (struct number){0});
    if (t->values.items[v->id].outcome != UNSEEN)
        return t->values.items[v->id];
    struct number n = ++t->steps < MAX_STEPS ? make(t, v) : unknown();
    while (t->values.len <= v->id)
        vec_push(&t->values, (struct number){0});
    t->values.items[v->id] = n;
    return n;
}

/* ---- all ------------------------------------------------------------------------------------ */

static void keep_witness(struct trial *t)
{
    struct vctx *c = t->c;
    c->nwitness = 0;
    for (size_t i = 0; i < t->b->leaves.len && c->nwitness < VCTX_WITNESS;
         i++) {
        const struct value *v = t->b->leaves.items[i].value;
        struct vdatum *d = &c->witness[c->nwitness];
        struct number n = number_of(t, v);
        if (v->kind != VALUE_INPUT || n.outcome != KNOWN ||
            v->nindex > VCTX_WITNESS_RANK)
            continue;
        bool fine = true;
        for (size_t k = 0; k < v->nindex && fine; k++)
            fine = sum_of(t, v->index[k], &d->index[k]);
        d->param = v->param;
        d->rank = v->nindex;
        d->bits = n.bits;
        c->nwitness += fine;
    }
}

/* One assignment: whether it tells the two apart. *met: it could have. */
static bool apart(struct trial *t, const struct value *p, const struct value *q,
                  const struct form *known_too, bool *met)
{
    bool holds = false;
    t->values.len = t->atoms.len = 0;
    if ((truth_of(t, t->b->ctx, &holds) == KNOWN && !holds) ||
        (truth_of(t, known_too, &holds) == KNOWN && !holds))
        return false;
    struct number x = number_of(t, p), y = number_of(t, q);
    if (x.outcome != KNOWN || y.outcome == UNKNOWN)
        return false;
    *met = true;
    return y.outcome == UNDEFINED || !num_same(p->dtype, x.bits, y.bits);
}

bool bits_refuted(struct bits *b, const struct value *p, const struct value *q,
                  const struct form *known_too, bool *met)
{
    struct trial t = {.b = b, .c = b->c};
    bool found = false;
    *met = true;
#ifdef DC_TEST_OBLIGATIONS
    if (smt_leaves_out_bits(b->c->smt))
        return false;
#endif
    *met = false;
    collect_value(&t, p, 0);
    collect_value(&t, q, 0);
    for (unsigned i = 0; i < TRIALS && !found && t.steps < MAX_STEPS; i++) {
        t.seed = hash_mix(UINT64_C(0x5eed), i);
        found = apart(&t, p, q, known_too, met);
    }
    if (found)
        keep_witness(&t);
    vec_fini(&t.values);
    vec_fini(&t.atoms);
    return found;
}

bool bits_refuted_form(struct bits *b, const struct form *goal)
{
    struct trial t = {.b = b, .c = b->c};
    bool found = false;
#ifdef DC_TEST_OBLIGATIONS
    if (smt_leaves_out_bits(b->c->smt))
        return false;
#endif
    collect_form(&t, goal);
    collect_form(&t, b->ctx);
    for (unsigned i = 0; i < TRIALS && !found && t.steps < MAX_STEPS; i++) {
        bool ctx = false, holds = true;
        t.seed = hash_mix(UINT64_C(0x5eed), i);
        t.values.len = t.atoms.len = 0;
        found = truth_of(&t, b->ctx, &ctx) == KNOWN && ctx &&
                truth_of(&t, goal, &holds) == KNOWN && !holds;
    }
    vec_fini(&t.values);
    vec_fini(&t.atoms);
    return found;
}
