/* SPDX-License-Identifier: Apache-2.0
 *
 * What a value comes from, for R9 and R10: an int32 or int64 operation that did
 * not fit, and an undefined value, are faults where they reach an address, an
 * extent or a condition, through memory too.
 *
 * A value is clean where nothing that it comes from can be either. Where that
 * cannot be told from the ranges of its operands, that it is clean is a predicate
 * of the value: the untuned program's word may show it for equal values in the
 * tuned program. What was never stored is looked for elsewhere (control.c).
 * Conditions and indices inside the value are not looked at: they
 * are conditions and addresses of some statement, where they are shown to be
 * clean by themselves.
 */
#include "verifier/value/clean.h"

#include <string.h>

/* A call that no program can make. */
static const char clean_name[] = "is clean";
static const char fits_name[] = "fits its type";

enum { LOOKED = 1, OVERFLOWS = 2, UNDEFINED = 4 };

static unsigned look(struct vctx *c, const struct value *v, unsigned depth);

/* ---- one operation -------------------------------------------------------------- */

static bool is_wide(struct dtype t)
{
    return t.code == DT_INT && t.bits >= 32;
}

static unsigned of_shift(struct vctx *c, const struct value *v)
{
    int64_t lo, hi;
    bool inside = v->nargs == 2 && value_span(c, v->args[1], &lo, &hi) &&
                  lo >= 0 && hi < v->dtype.bits;
    return inside ? 0 : UNDEFINED;
}

static unsigned of_call(const struct value *v)
{
    if (v->name == fits_name)
        return OVERFLOWS;
    if (v->call == IR_OP_CLZ || v->call == IR_OP_UNDEF)
        return UNDEFINED;
    if (v->call == IR_OP_ABS || v->call == IR_OP_Q_MULTIPLY_SHIFT ||
        v->call == IR_OP_Q_MULTIPLY_SHIFT_PER_AXIS)
        return is_wide(v->dtype) ? OVERFLOWS : 0;
    return 0;
}

static unsigned of_op(struct vctx *c, const struct value *v)
{
    switch (v->op) {
    case IR_ADD:
    case IR_SUB:
    case IR_MUL: return is_wide(v->dtype) && !value_fits(c, v) ? OVERFLOWS : 0;
    case IR_SHL:
        return (is_wide(v->dtype) && !value_fits(c, v) ? OVERFLOWS : 0u) |
               of_shift(c, v);
    case IR_SHR: return of_shift(c, v);
    case IR_CAST:
        return dtype_is_float(v->args[0]->dtype) && dtype_is_int(v->dtype)
                   ? UNDEFINED
                   : 0;
    case IR_CALL: return of_call(v);
    default: return 0;
    }
}

/* ---- all below ------------------------------------------------------------------- */

static unsigned look_below(struct vctx *c, const struct value *v,
                           unsigned depth)
{
    unsigned found = 0;
    if (v->kind == VALUE_OP)
        found = of_op(c, v);
    if (v->kind == VALUE_REDUCE && (v->op == IR_ADD || v->op == IR_MUL) &&
        is_wide(v->dtype) && !value_fits(c, v))
        found |= OVERFLOWS;
    for (size_t i = 0; i < v->nargs; i++)
        found |= look(c, v->args[i], depth + 1);
    for (size_t i = 0; i < v->nparts; i++)
        found |= look(c, v->parts[i].leaf, depth + 1);
    return found;
}

static unsigned look(struct vctx *c, const struct value *v, unsigned depth)
{
    if (depth > 2000)
        return OVERFLOWS | UNDEFINED;
    while (c->clean.len <= v->id)
        vec_push(&c->clean, 0);
    if (c->clean.items[v->id] == 0) {
        unsigned found = look_below(c, v, depth) | LOOKED;
        while (c->clean.len <= v->id)
            vec_push(&c->clean, 0);
        c->clean.items[v->id] = (uint8_t)found;
    }
    return c->clean.items[v->id];
}

bool vclean_may_overflow(struct vctx *c, const struct value *v)
{
    return (look(c, v, 0) & OVERFLOWS) != 0;
}

bool vclean_may_be_undefined(struct vctx *c, const struct value *v)
{
    return (look(c, v, 0) & UNDEFINED) != 0;
}

bool vclean_by_itself(struct vctx *c, const struct value *v)
{
    return v->kind == VALUE_OP && of_op(c, v) == 0;
}

bool vclean_defined_itself(struct vctx *c, const struct value *v)
{
    return v->kind == VALUE_OP && (of_op(c, v) & UNDEFINED) == 0;
}

/* ---- predicates ------------------------------------------------------------------- */

static const struct value *call_of(struct vctx *c, const char *name,
                                   struct dtype t, const struct value *v)
{
    struct value call = {.kind = VALUE_OP,
                         .dtype = t,
                         .op = IR_CALL,
                         .call = IR_OP_UNKNOWN,
                         .name = name,
                         .nargs = 1,
                         .args = &v};
    return value_make(c, &call);
}

const struct form *vclean_form(struct vctx *c, const struct value *v)
{
    if ((look(c, v, 0) & (OVERFLOWS | UNDEFINED)) == 0)
        return form_true(c->space);
    return vpred_of(c, call_of(c, clean_name, DTYPE_BOOL, v));
}

const struct value *vclean_index(struct vctx *c, struct dtype t,
                                 const struct aff *a)
{
    struct value index = {
        .kind = VALUE_INDEX, .dtype = t, .nindex = 1, .index = &a};
    return call_of(c, fits_name, t, value_make(c, &index));
}

const struct aff *vclean_fitting(const struct value *v)
{
    return v->kind == VALUE_OP && v->name == fits_name ? v->args[0]->index[0]
                                                       : NULL;
}

const struct value *vclean_value(const struct vctx *c, const struct form *f)
{
    const struct value *v =
        f->kind == FORM_PRED && !f->negated ? vpred_value(c, f->key) : NULL;
    return v != NULL && v->kind == VALUE_OP && v->name == clean_name
               ? v->args[0]
               : NULL;
}
