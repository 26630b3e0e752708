/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes, types and constants of two Relax functions: when they are the same.
 *
 * A size is an expression over variables that the types of parameters bind. A
 * variable of the tuned function is one of the untuned function where both
 * stand at the same place in the parameters' types; nothing else is known of
 * them, so two sizes are the same where they are one expression.
 */
#include "verifier/relax/chain.h"

#include <string.h>

static bool same_var(const struct chain_symbols *symbols,
                     const struct ir_var *tuned, const struct ir_var *untuned)
{
    if (symbols == NULL)
        return tuned == untuned;
    for (size_t i = 0; i < symbols->n; i++)
        if (symbols->items[i].tuned == tuned)
            return symbols->items[i].untuned == untuned;
    return false;
}

bool chain_same_size(const struct chain_symbols *symbols,
                     const struct ir_expr *tuned, const struct ir_expr *untuned)
{
    int64_t a, b;
    if (ir_const_int(tuned, &a) && ir_const_int(untuned, &b))
        return a == b && dtype_is_int(tuned->dtype) &&
               dtype_is_int(untuned->dtype);
    if (tuned->kind != untuned->kind || tuned->nargs != untuned->nargs ||
        !dtype_equal(tuned->dtype, untuned->dtype))
        return false;
    if (tuned->kind == IR_VAR_REF)
        return same_var(symbols, tuned->u.var, untuned->u.var);
    if (tuned->kind == IR_FLOAT_IMM)
        return memcmp(&tuned->u.float_value, &untuned->u.float_value,
                      sizeof tuned->u.float_value) == 0;
    bool fine = (tuned->kind >= IR_ADD && tuned->kind <= IR_MAX) ||
                tuned->kind == IR_CAST;
    for (uint32_t i = 0; fine && i < tuned->nargs; i++)
        fine = chain_same_size(symbols, tuned->args[i], untuned->args[i]);
    return fine;
}

bool chain_same_type(const struct chain_symbols *symbols,
                     const struct ir_type *tuned, const struct ir_type *untuned)
{
    bool fine = tuned->kind == IR_TYPE_TENSOR && tuned->kind == untuned->kind &&
                tuned->has_dims && untuned->has_dims &&
                tuned->ndim == untuned->ndim &&
                dtype_equal(tuned->dtype, untuned->dtype);
    for (int i = 0; fine && i < tuned->ndim; i++)
        fine = chain_same_size(symbols, tuned->dims[i], untuned->dims[i]);
    return fine;
}

void chain_add_symbol(struct chain_symbols *symbols, const struct ir_var *tuned,
                      const struct ir_var *untuned)
{
    for (size_t i = 0; i < symbols->n; i++)
        if (symbols->items[i].tuned == tuned ||
            symbols->items[i].untuned == untuned)
            return;
    symbols->items = dc_vec_grow(symbols->items, &symbols->cap, symbols->n + 1,
                                 sizeof *symbols->items);
    symbols->items[symbols->n++] = (struct chain_symbol){tuned, untuned};
}

/* Types of two parameters; sizes seen for the first time answer to each other
 * by position. */
bool chain_match_param(struct chain_symbols *symbols, const struct ir_type *t,
                       const struct ir_type *u)
{
    if (t == NULL || u == NULL || t->kind != u->kind)
        return false;
    if (t->kind == IR_TYPE_TUPLE) {
        bool fine = t->nfields == u->nfields;
        for (size_t i = 0; fine && i < t->nfields; i++)
            fine = chain_match_param(symbols, t->fields[i], u->fields[i]);
        return fine;
    }
    if ((t->kind != IR_TYPE_TENSOR && t->kind != IR_TYPE_SHAPE) ||
        !t->has_dims || !u->has_dims || t->ndim != u->ndim ||
        (t->kind == IR_TYPE_TENSOR && !dtype_equal(t->dtype, u->dtype)))
        return false;
    for (int i = 0; i < t->ndim; i++) {
        if (t->dims[i]->kind == IR_VAR_REF && u->dims[i]->kind == IR_VAR_REF)
            chain_add_symbol(symbols, t->dims[i]->u.var, u->dims[i]->u.var);
        if (!chain_same_size(symbols, t->dims[i], u->dims[i]))
            return false;
    }
    return true;
}

/* At least 1 wherever the function's own sizes are (R16). */
bool chain_is_positive(const struct ir_expr *e)
{
    int64_t value;
    if (ir_const_int(e, &value))
        return value >= 1;
    if (e->kind == IR_VAR_REF)
        return true;
    if (e->kind == IR_ADD || e->kind == IR_MUL || e->kind == IR_MIN ||
        e->kind == IR_MAX)
        return chain_is_positive(e->args[0]) && chain_is_positive(e->args[1]);
    return e->kind == IR_CAST && e->dtype.bits >= e->args[0]->dtype.bits &&
           chain_is_positive(e->args[0]);
}

bool chain_same_constant(const struct ir_tensor *a, const struct ir_tensor *b)
{
    bool fine = dtype_equal(a->dtype, b->dtype) && a->rank == b->rank &&
                a->bytes == b->bytes;
    for (size_t d = 0; fine && d < a->rank; d++)
        fine = a->shape[d] == b->shape[d];
    return fine && (a->bytes == 0 || memcmp(a->data, b->data, a->bytes) == 0);
}
