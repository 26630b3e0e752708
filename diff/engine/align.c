/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameter lists that differ by sizes only.
 *
 * One lowering stage takes a size as an integer parameter, another has it from
 * the shape of a buffer, and either may put it elsewhere in the list. Where
 * the lists do not match as they are, sizes that a side's own buffers tell
 * leave its list; else the other side gets them as parameters, if its buffers
 * have a variable for them. A size answers to the one that stands at the same
 * dimension of the same buffer, or has the same name. That the caller passes
 * the size that the shapes have is then a printed assumption.
 *
 * Functions are copied for that; modules stay as they are.
 */
#include "diff/engine/engine.h"

#include <string.h>

/* A side's function with its signature, no values given. */
struct aligned {
    const struct ir_func *func;
    struct interp_signature sig;
};

static bool describe(const struct diff_pair *pair, size_t side,
                     const struct ir_func *func, struct aligned *out)
{
    out->func = func;
    return func->kind == IR_FUNC_PRIM &&
           interp_signature(pair->side[side].module, func, NULL, 0, pair->arena,
                            &out->sig, NULL);
}

static bool fits(const struct aligned *u, const struct aligned *t)
{
    bool fine = u->sig.nparams == t->sig.nparams;
    for (size_t i = 0; fine && i < u->sig.nparams; i++)
        fine = diff_same_param(&u->sig.params[i], &t->sig.params[i]);
    return fine;
}

static const struct ir_func *with_params(const struct diff_pair *pair,
                                         const struct ir_func *func,
                                         struct ir_param *params, size_t n)
{
    struct ir_func *copy = ARENA_NEW(pair->arena, struct ir_func);
    *copy = *func;
    copy->prim.params = params;
    copy->prim.nparams = n;
    return copy;
}

static bool is_scalar(const struct interp_param *p)
{
    return !p->is_tensor && dtype_is_int(p->dtype) &&
           !dtype_is_bool(dtype_scalar(p->dtype));
}

/* Whether some buffer parameter has the variable as a dimension. */
static bool is_told(const struct ir_prim_func *prim, const struct ir_var *var)
{
    for (size_t i = 0; i < prim->nparams; i++) {
        const struct ir_buffer *b = prim->params[i].buffer;
        for (size_t d = 0; b && d < b->rank; d++)
            if (b->shape[d]->kind == IR_VAR_REF && b->shape[d]->u.var == var)
                return true;
    }
    return false;
}

/* The side without the sizes that its own buffers tell; false if it has no
 * such parameter. */
static bool drop_sizes(const struct diff_pair *pair, size_t side,
                       const struct aligned *from, struct aligned *out)
{
    const struct ir_prim_func *prim = &from->func->prim;
    struct ir_param *params =
        ARENA_ARRAY(pair->arena, prim->nparams + 1, struct ir_param);
    size_t n = 0;
    for (size_t i = 0; i < prim->nparams; i++)
        if (!is_scalar(&from->sig.params[i]) ||
            !is_told(prim, prim->params[i].var))
            params[n++] = prim->params[i];
    return n < prim->nparams &&
           describe(pair, side, with_params(pair, from->func, params, n), out);
}

/* ---- sizes that a side lacks ------------------------------------------------------ */

static struct ir_var *dimension(const struct ir_param *p, size_t d)
{
    const struct ir_buffer *b = p->buffer;
    return b && d < b->rank && b->shape[d]->kind == IR_VAR_REF
               ? b->shape[d]->u.var
               : NULL;
}

/* The k-th parameter that is a tensor; nparams if there are not so many. */
static size_t nth_tensor(const struct interp_signature *sig, size_t k)
{
    size_t i = 0;
    for (; i < sig->nparams; i++)
        if (sig->params[i].is_tensor && k-- == 0)
            break;
    return i;
}

/* The variable of `to` for the size `name` of `from`: at the same dimension of
 * a buffer, or of the same name. NULL if there is none. */
static struct ir_var *answer_to(const struct aligned *from, const char *name,
                                const struct aligned *to)
{
    const struct ir_prim_func *prim = &to->func->prim;
    size_t tensor = 0;
    for (size_t i = 0; i < from->sig.nparams; i++) {
        const struct interp_param *p = &from->sig.params[i];
        if (!p->is_tensor)
            continue;
        size_t at = nth_tensor(&to->sig, tensor++);
        for (size_t d = 0; at < to->sig.nparams && d < p->rank; d++) {
            struct ir_var *v = dimension(&prim->params[at], d);
            if (v && p->rank == to->sig.params[at].rank && p->dim_names[d] &&
                strcmp(p->dim_names[d], name) == 0)
                return v;
        }
    }
    for (size_t i = 0; i < prim->nparams; i++) {
        const struct ir_buffer *b = prim->params[i].buffer;
        for (size_t d = 0; b && d < b->rank; d++) {
            struct ir_var *v = dimension(&prim->params[i], d);
            if (v && strcmp(v->name, name) == 0)
                return v;
        }
    }
    return NULL;
}

/* `to` with a parameter for each size that `from` takes where `to` has
 * another parameter or none; false if some are not told by its buffers. */
static bool add_sizes(const struct diff_pair *pair, size_t side,
                      const struct aligned *from, const struct aligned *to,
                      struct aligned *out)
{
    const struct ir_prim_func *prim = &to->func->prim;
    size_t n = from->sig.nparams, at = 0;
    struct ir_param *params = ARENA_ARRAY(pair->arena, n + 1, struct ir_param);
    for (size_t i = 0; i < n; i++) {
        const struct interp_param *p = &from->sig.params[i];
        if (at < prim->nparams && diff_same_param(p, &to->sig.params[at])) {
            params[i] = prim->params[at++];
            continue;
        }
        struct ir_var *v = is_scalar(p) ? answer_to(from, p->name, to) : NULL;
        if (!v || !dtype_equal(v->dtype, p->dtype))
            return false;
        params[i].var = v;
    }
    return at == prim->nparams &&
           describe(pair, side, with_params(pair, to->func, params, n), out);
}

/* ---- both sides ------------------------------------------------------------------- */

static bool has_param(const struct ir_prim_func *prim, const struct ir_var *v)
{
    for (size_t i = 0; i < prim->nparams; i++)
        if (prim->params[i].var == v)
            return true;
    return false;
}

static void assume(struct diff_pair *pair, size_t side, const char *name)
{
    report_add(pair->report, &pair->out->assumptions,
               "'%s' of the %s module is the size that the shapes have", name,
               diff_side_name(side));
}

/* Parameters that a side loses were its own, those that it gets are the
 * other's at that place. */
static void settle(struct diff_pair *pair, const struct aligned now[NSIDES])
{
    for (size_t side = 0; side < NSIDES; side++) {
        const struct ir_prim_func *old = &pair->side[side].func->prim;
        const struct ir_prim_func *fresh = &now[side].func->prim;
        for (size_t i = 0; i < old->nparams; i++)
            if (!has_param(fresh, old->params[i].var))
                assume(pair, side, old->params[i].var->name);
        for (size_t i = 0; i < fresh->nparams; i++)
            if (!has_param(old, fresh->params[i].var))
                assume(pair, 1 - side,
                       now[1 - side].func->prim.params[i].var->name);
    }
    for (size_t side = 0; side < NSIDES; side++)
        pair->side[side].func = now[side].func;
}

void diff_align_params(struct diff_pair *pair)
{
    struct aligned plain[NSIDES], fewer[NSIDES], now[NSIDES];
    bool told[NSIDES];
    for (size_t side = 0; side < NSIDES; side++)
        if (!describe(pair, side, pair->side[side].func, &plain[side]))
            return;
    if (fits(&plain[UNTUNED], &plain[TUNED]))
        return;
    for (size_t side = 0; side < NSIDES; side++)
        told[side] = drop_sizes(pair, side, &plain[side], &fewer[side]);
    /* one side's sizes, the other's, both */
    for (unsigned choice = 1; choice <= 3; choice++) {
        bool possible = true;
        for (size_t side = 0; side < NSIDES; side++) {
            bool drop = choice >> side & 1;
            possible = possible && (told[side] || !drop);
            now[side] = drop ? fewer[side] : plain[side];
        }
        if (possible && fits(&now[UNTUNED], &now[TUNED])) {
            settle(pair, now);
            return;
        }
    }
    for (size_t side = 0; side < NSIDES; side++) {
        now[side] = plain[side];
        if (add_sizes(pair, 1 - side, &plain[side], &plain[1 - side],
                      &now[1 - side])) {
            settle(pair, now);
            return;
        }
    }
}
