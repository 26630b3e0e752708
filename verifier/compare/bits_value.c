/* SPDX-License-Identifier: Apache-2.0
 *
 * Values as terms of a script. What has no form of its own is a variable: a read
 * of a parameter, the result of a reduction, a function that is not computed. Two
 * such variables are one where the values are shown to be equal: reads at equal
 * indices (also where the script itself decides that), reductions that match,
 * calls with the same operands.
 *
 * A value carries whether it is defined. What decides a choice is taken to be:
 * that is shown for each condition of the program by itself (bounds.c).
 */
#include "verifier/compare/bits_state.h"
#include "verifier/smt/obligation.h"
#include "verifier/value/clean.h"

#define MAX_ARGS   4u
#define MAX_LEAVES 48u
#define MAX_FOLDS  8u  /* that are matched inside, of one proof */
#define MAX_CALLS  16u /* that are compared with one another */

static const struct bits_value no_form = {-1, -1, true};

/* ---- leaves -------------------------------------------------------------------- */

static bool is_fold(const struct value *v)
{
    return v->kind == VALUE_REDUCE || v->kind == VALUE_FOLD;
}

static bool same_element(const struct value *x, const struct value *y)
{
    if (x->param != y->param || !vinput_alike(x, y))
        return false;
    for (size_t i = 0; i < x->nindex; i++)
        if (x->index[i] != y->index[i])
            return false;
    return true;
}

/* Whether two values that are no expressions of others are one. */
static bool same_leaf(struct bits *b, const struct value *x,
                      const struct value *y)
{
    struct vctx *c = b->c;
    if (x == y)
        return true;
    if (x->kind != y->kind || !dtype_equal(x->dtype, y->dtype))
        return false;
    if (x->kind == VALUE_INPUT)
        return OBLIGED(c->smt, "bits: one element is read", same_element(x, y));
    if (!is_fold(x) || b->m == NULL || x->op != y->op ||
        !dtype_equal(x->args[0]->dtype, y->args[0]->dtype) ||
        !bits_first_time(c, x, y, b->ctx) || ++c->bits_folds > MAX_FOLDS)
        return false;
    struct match inner = {.c = c,
                          .mode = MATCH_IDENTICAL,
                          .work = b->m->work,
                          .without_bits = true};
    bool same = match_values(&inner, x, y, b->ctx);
    b->m->work = inner.work;
    if (same)
        bits_forget_last(c);
    return same;
}

/* Whether what has no form is defined is not known where something that it comes
 * from may be undefined; the state around a step may be. */
static int leaf_defined(struct bits *b, const struct value *v)
{
    bool always = v->kind != VALUE_HOLE && !vclean_may_be_undefined(b->c, v);
    return OBLIGED(b->c->smt, "bits: a leaf is defined", always)
               ? 0
               : bits_free(b, "Bool");
}

static struct bits_value leaf(struct bits *b, const struct value *v)
{
    char sort[BITS_SORT];
    unsigned e, s;
    if (b->leaves.len >= MAX_LEAVES)
        return no_form;
    while (b->leaf_of.len <= v->id)
        vec_push(&b->leaf_of, 0);
    for (size_t i = 0; i < b->leaves.len; i++) {
        if (!same_leaf(b, b->leaves.items[i].value, v))
            continue;
        b->leaf_of.items[v->id] = (uint32_t)i + 1;
        return (struct bits_value){b->leaves.items[i].term,
                                   b->leaves.items[i].defined, true};
    }
    struct bits_leaf x = {.value = v, .defined = leaf_defined(b, v)};
    if (bits_format(v->dtype, &e, &s)) {
        x.bits = bits_free(b, bits_sort_vector(v->dtype.bits, sort));
        x.term = bits_as_float(b, v->dtype, x.bits);
    } else {
        x.term = bits_free(b, bits_sort(v->dtype, sort));
    }
    vec_push(&b->leaves, x);
    b->leaf_of.items[v->id] = (uint32_t)b->leaves.len;
    return (struct bits_value){x.term, x.defined, true};
}

/* Two reads of one parameter: where their indices are equal, so are they. */
static void bind(struct bits *b, const struct bits_leaf *x,
                 const struct bits_leaf *y)
{
    int all = 0;
    if (x->value->kind != VALUE_INPUT || y->value->kind != VALUE_INPUT ||
        x->value->param != y->value->param || !vinput_alike(x->value, y->value))
        return;
    for (size_t i = 0; i < x->value->nindex && all >= 0; i++) {
        const struct aff *d =
            aff_sub(b->c->space, x->value->index[i], y->value->index[i]);
        int64_t k;
        unsigned width;
        if (aff_is_const(d, &k)) {
            all = k == 0 ? all : -1;
            continue;
        }
        int term = bits_of_aff(b, d, &width);
        all = term < 0 ? -1
                       : bits_and(b, all,
                                  bits_bool(b, "(= t%d t%d)", term,
                                            bits_constant(b, width, 0)));
    }
    if (all > 0 && OBLIGED(b->c->smt, "bits: equal indices", false))
        all = bits_bool(b, "true");
    if (all > 0)
        bits_assert(b, bits_bool(b, "(=> t%d (= t%d t%d))", all,
                                 x->bits > 0 ? x->bits : x->term,
                                 y->bits > 0 ? y->bits : y->term));
}

/* Two calls of one function: where their operands are equal, so are they. */
static void bind_calls(struct bits *b, const struct bits_call *x,
                       const struct bits_call *y)
{
    const struct value *v = x->value, *w = y->value;
    int all = 0;
    if (v->op != w->op || v->call != w->call || v->nargs != w->nargs ||
        v->name != w->name || v->bits != w->bits ||
        !dtype_equal(v->dtype, w->dtype))
        return;
    for (size_t i = 0; i < v->nargs; i++) {
        if (!dtype_equal(v->args[i]->dtype, w->args[i]->dtype))
            return;
        if (x->args[i] != y->args[i])
            all = bits_and(b, all,
                           bits_bool(b, "(= t%d t%d)", x->args[i], y->args[i]));
    }
    if (all > 0)
        bits_assert(
            b, bits_bool(b, "(=> t%d (= t%d t%d))", all, x->term, y->term));
}

void bits_bind_leaves(struct bits *b)
{
    for (size_t i = 0; i < b->calls.len && i < MAX_CALLS; i++)
        for (size_t k = 0; k < i; k++)
            bind_calls(b, &b->calls.items[i], &b->calls.items[k]);
    for (size_t i = 0; i < b->leaves.len; i++) /* indices may add leaves */
        for (size_t k = 0; k < i; k++) {
            const struct bits_leaf x = b->leaves.items[i],
                                   y = b->leaves.items[k];
            bind(b, &x, &y);
        }
}

/* ---- calls ---------------------------------------------------------------------- */

static bool commutes(const struct value *v)
{
    return v->nargs == 2 && (v->op == IR_ADD || v->op == IR_MUL);
}

static bool same_call(const struct bits *b, const struct bits_call *call,
                      const struct value *v, const int *args)
{
    const struct value *o = call->value;
    if (!OBLIGED(b->c->smt, "bits: one function",
                 o->op == v->op && o->call == v->call && o->name == v->name &&
                     o->bits == v->bits) ||
        o->nargs != v->nargs || !dtype_equal(o->dtype, v->dtype))
        return false;
    bool same = true, crossed = commutes(v);
    for (size_t i = 0; i < v->nargs; i++) {
        same = same && call->args[i] == args[i] &&
               dtype_equal(o->args[i]->dtype, v->args[i]->dtype);
        crossed = crossed && call->args[1 - i] == args[i];
    }
    return same || crossed;
}

/* Any result, but one for the same operands; so it is with being defined, where
 * nothing says when that is so. */
static int uncomputed(struct bits *b, const struct value *v, const int *args,
                      int *defined)
{
    char sort[BITS_SORT];
    for (size_t i = 0; i < b->calls.len; i++) {
        if (!same_call(b, &b->calls.items[i], v, args))
            continue;
        *defined = bits_and(b, *defined, b->calls.items[i].defined);
        return b->calls.items[i].term;
    }
    struct bits_call call = {.value = v, .nargs = v->nargs};
    if (*defined == 0 && !vclean_defined_itself(b->c, v))
        call.defined = *defined = bits_free(b, "Bool");
    for (size_t i = 0; i < v->nargs; i++)
        call.args[i] = args[i];
    call.term = bits_free(b, bits_sort(v->dtype, sort));
    vec_push(&b->calls, call);
    return call.term;
}

/* ---- values ----------------------------------------------------------------------- */

static struct bits_value operation(struct bits *b, const struct value *v)
{
    int args[MAX_ARGS], defined = 0, more = 0;
    if (v->nargs > MAX_ARGS)
        return leaf(b, v);
    for (size_t i = 0; i < v->nargs; i++) {
        struct bits_value x = bits_of_value(b, v->args[i]);
        if (x.term < 0)
            return no_form;
        args[i] = x.term;
        defined = bits_and(b, defined, x.defined);
    }
    int term = bits_operation(b, v, args, &more);
    if (term < 0)
        term = uncomputed(b, v, args, &more);
    return (struct bits_value){term, bits_and(b, defined, more), true};
}

static struct bits_value choice(struct bits *b, const struct value *v)
{
    char sort[BITS_SORT];
    int cond = bits_of_form(b, v->cond);
    if (cond < 0)
        return leaf(b, v);
    struct bits_value x = bits_of_value(b, v->args[0]);
    struct bits_value y = bits_of_value(b, v->args[1]);
    if (x.term < 0 || y.term < 0)
        return no_form;
    int term = bits_put(b, bits_sort(v->dtype, sort), "(ite t%d t%d t%d)", cond,
                        x.term, y.term);
    return (struct bits_value){term, bits_choose(b, cond, x.defined, y.defined),
                               true};
}

static struct bits_value constant(struct bits *b, const struct value *v)
{
    if (dtype_is_bool(v->dtype))
        return (struct bits_value){
            bits_bool(b, v->bits != 0 ? "true" : "false"), 0, true};
    return (struct bits_value){
        bits_as_float(b, v->dtype, bits_constant(b, v->dtype.bits, v->bits)), 0,
        true};
}

static struct bits_value index_value(struct bits *b, const struct value *v)
{
    unsigned width;
    if (!dtype_is_int(v->dtype))
        return no_form;
    int term = bits_of_aff(b, v->index[0], &width);
    return term < 0
               ? leaf(b, v)
               : (struct bits_value){
                     bits_resize(b, term, width, v->dtype.bits, true), 0, true};
}

static struct bits_value make(struct bits *b, const struct value *v)
{
    switch (v->kind) {
    case VALUE_CONST: return constant(b, v);
    case VALUE_INDEX: return index_value(b, v);
    case VALUE_OP: return operation(b, v);
    case VALUE_ITE: return choice(b, v);
    case VALUE_INPUT:
    case VALUE_SCALAR:
    case VALUE_REDUCE:
    case VALUE_FOLD:
    case VALUE_HOLE: return leaf(b, v);
    case VALUE_TUPLE:
    case VALUE_UNDEF: break;
    }
    return no_form;
}

struct bits_value bits_of_value(struct bits *b, const struct value *v)
{
    while (b->values.len <= v->id)
        vec_push(&b->values, (struct bits_value){0});
    if (b->values.items[v->id].done)
        return b->values.items[v->id];
    if (++b->nodes > BITS_MAX_NODES || v->dtype.bits > 64 || v->has_undef)
        return no_form;
    struct bits_value x = make(b, v);
    x.done = true;
    while (b->values.len <= v->id)
        vec_push(&b->values, (struct bits_value){0});
    b->values.items[v->id] = x;
    return x;
}

/* ---- clean values ------------------------------------------------------------------- */

/* That the integer is one of 64 bits. */
static int fits_64(struct bits *b, const struct aff *a)
{
    unsigned width;
    int x = bits_of_aff(b, a, &width);
    if (x < 0 || width <= 64)
        return x < 0 ? -1 : 0;
    int cut = bits_resize(b, x, width, 64, true);
    return bits_bool(b, "(= t%d t%d)", x, bits_resize(b, cut, 64, width, true));
}

static int fits_below(struct bits *b, const struct value *v)
{
    int args[MAX_ARGS], all = 0;
    if (v->kind == VALUE_ITE) {
        int cond = bits_of_form(b, v->cond);
        return cond < 0 ? -1
                        : bits_choose(b, cond, bits_clean(b, v->args[0]),
                                      bits_clean(b, v->args[1]));
    }
    if (v->kind != VALUE_OP || v->nargs > MAX_ARGS)
        return -1;
    if (vclean_fitting(v) != NULL)
        return fits_64(b, vclean_fitting(v));
    for (size_t i = 0; i < v->nargs; i++) {
        struct bits_value x = bits_of_value(b, v->args[i]);
        args[i] = x.term;
        all = x.term < 0 ? -1 : bits_and(b, all, bits_clean(b, v->args[i]));
        if (all < 0)
            return -1;
    }
    /* what is not computed may be undefined or overflow where clean.c says so */
    int more = 0;
    bool computed = bits_operation(b, v, args, &more) >= 0;
    int fit = bits_fits(b, v, args);
    if (!computed && fit == 0 && more == 0 && !vclean_by_itself(b->c, v))
        return -1;
    return bits_and(b, bits_and(b, all, more), fit);
}

int bits_clean(struct bits *b, const struct value *v)
{
    if (!vclean_may_overflow(b->c, v) && !vclean_may_be_undefined(b->c, v))
        return 0;
    while (b->fits.len <= v->id)
        vec_push(&b->fits, (struct bits_value){0});
    if (b->fits.items[v->id].done)
        return b->fits.items[v->id].term;
    if (++b->nodes > BITS_MAX_NODES)
        return -1;
    int term = fits_below(b, v);
    while (b->fits.len <= v->id)
        vec_push(&b->fits, (struct bits_value){0});
    b->fits.items[v->id] = (struct bits_value){term, 0, true};
    return term;
}
