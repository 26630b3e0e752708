/* SPDX-License-Identifier: Apache-2.0
 *
 * How TVM calls a function that was compared under another list of parameters: which
 * of them its own are, sizes that it takes as numbers, and what it returns.
 */
#include "diff/input/input.h"
#include "diff/saved/saved.h"

const char *saved_function(const struct saved_finding *f, size_t k)
{
    return f->tuned_function && k == 0 && f->nmodules > 1 ? f->tuned_function
                                                          : f->function;
}

/* The length of the list if it has no such parameter. */
static size_t position_of(const struct ir_prim_func *prim,
                          const struct ir_var *var)
{
    size_t i = 0;
    while (i < prim->nparams && prim->params[i].var != var)
        i++;
    return i;
}

/* The size that the arrays have where the shape of a parameter is the variable. */
static bool find_size(const struct saved_finding *f,
                      const struct ir_prim_func *run, const struct ir_var *var,
                      int64_t *size)
{
    for (size_t i = 0; i < run->nparams && i < f->in->n; i++) {
        const struct ir_buffer *b = run->params[i].buffer;
        const struct interp_tensor *t = f->in->args[i].tensor;
        for (size_t d = 0; b && t && d < b->rank && d < t->rank; d++)
            if (b->shape[d]->kind == IR_VAR_REF && b->shape[d]->u.var == var) {
                *size = t->shape[d];
                return true;
            }
    }
    return false;
}

/* False where a size is not to be had. */
static bool put_argument(const struct saved_finding *f,
                         const struct ir_prim_func *run,
                         const struct ir_param *p, struct saved_call *call)
{
    struct saved_argument *a = &call->args[call->n];
    a->position = position_of(run, p->var);
    if (diff_is_returned(p)) {
        call->returns = true;
        call->returned = a->position;
        return a->position < run->nparams;
    }
    a->is_number = a->position == run->nparams;
    call->n++;
    return !a->is_number || find_size(f, run, p->var, &a->number);
}

const struct saved_call *saved_call_make(const struct saved_finding *f,
                                         size_t k, struct arena *arena)
{
    const struct ir_func *own =
        ir_module_find(f->modules[k].module, saved_function(f, k));
    const struct ir_func *run = f->funcs[k];
    struct saved_call *call = ARENA_NEW(arena, struct saved_call);
    bool plain = true;
    if (!f->sig || !own || !run || own->kind != IR_FUNC_PRIM ||
        run->kind != IR_FUNC_PRIM)
        return NULL;
    call->args =
        ARENA_ARRAY(arena, own->prim.nparams + 1, struct saved_argument);
    for (size_t i = 0; i < own->prim.nparams; i++) {
        if (!put_argument(f, &run->prim, &own->prim.params[i], call))
            return NULL;
        plain = plain && call->n == i + 1 && !call->args[i].is_number &&
                call->args[i].position == i;
    }
    return plain && call->n == run->prim.nparams ? NULL : call;
}
