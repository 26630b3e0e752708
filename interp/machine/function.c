/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames, and calls of another function of the module. A callee gets a frame
 * of its own; its buffers are views of the caller's storage, through pointers
 * (data variables, access_ptr, address_of). Symbolic shapes of its parameters
 * cannot be learnt from a pointer: they must be among the scalar parameters.
 */
#include "interp/machine/step.h"
#include "ir/base/limits.h"

#define CALL_STEPS     16                  /* a frame, beside what is in it */
#define MAX_CALL_DEPTH (3u * DC_MAX_DEPTH) /* of statements, all frames */

struct ir_plan *exec_plan_get(struct machine *m, const struct ir_func *func)
{
    for (size_t i = 0; i < m->plans.len; i++)
        if (m->plans.items[i]->func == func)
            return m->plans.items[i];
    struct ir_plan *plan =
        ir_plan_make(m->module, func, m->options.explicit_barriers, m->arena);
    vec_push(&m->plans, plan);
    return plan;
}

struct frame *exec_frame_new(struct machine *m, const struct ir_func *func)
{
    struct frame *f = dc_alloc(sizeof *f);
    f->plan = exec_plan_get(m, func);
    f->caller = m->frame;
    size_t n = f->plan->nvars;
    f->vars = dc_alloc((n + 1) * sizeof *f->vars);
    for (size_t i = 0; i < n; i++)
        f->vars[i].flags = V_UNBOUND;
    if (m->boxed || m->keyed != NULL)
        f->boxes = dc_alloc((n + 1) * sizeof *f->boxes);
    f->views = dc_alloc((f->plan->nbuffers + 1) * sizeof *f->views);
    return f;
}

void exec_frame_free(struct machine *m, struct frame *f)
{
    (void)m;
    for (size_t i = 0; i < f->plan->nvars; i++)
        if (f->vars[i].flags & V_OWNED)
            dc_release(f->vars[i].u.lane);
    for (size_t i = 0; i < f->plan->nbuffers; i++)
        dc_release(f->views[i]);
    dc_release(f->vars);
    dc_release(f->boxes);
    dc_release(f->views);
    dc_release(f);
}

/* In the callee's frame. */
static bool bind_param(struct machine *m, const struct ir_param *p,
                       struct value v)
{
    var_set(m, p->var, v);
    if (p->buffer == NULL)
        return true;
    struct pointer at;
    if (!exec_pointer_get(m, v, &at))
        return false;
    var_set(m, p->buffer->data, v);
    const struct ir_expr *e = p->buffer->elem_offset;
    if (e != NULL && e->kind == IR_VAR_REF)
        var_set(m, e->u.var, exec_value_scalar(0, 0));
    struct view *view = view_make(m, p->buffer, at.alloc, v.u.bits);
    if (view != NULL)
        view->base += at.offset;
    return view != NULL;
}

static bool bind_params(struct machine *m, const struct ir_prim_func *f,
                        const struct value *args)
{
    /* scalars first: shapes may use them */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < f->nparams; i++)
            if ((f->params[i].buffer != NULL) == (pass == 1) &&
                !bind_param(m, &f->params[i], args[i]))
                return false;
    return true;
}

struct value exec_call_function(struct machine *m, const struct ir_expr *e)
{
    const struct ir_func *func = ir_module_find(m->module, e->u.call.name);
    if (func == NULL || func->kind != IR_FUNC_PRIM || func->prim.body == NULL)
        return exec_unsupported(m, e, "has no body to run");
    if (func->prim.nparams != e->nargs)
        return exec_unsupported(m, e, "has the wrong number of arguments");
    uint32_t depth = m->depth + func->prim.body->depth + 1u;
    if (depth > MAX_CALL_DEPTH)
        return exec_unsupported(m, e, "nests too deeply");
    struct value *args = exec_scratch_alloc(m, (e->nargs + 1) * sizeof *args);
    for (uint32_t i = 0; i < e->nargs; i++)
        args[i] = exec_eval(m, e->args[i]);
    if (m->failed)
        return exec_value_undefined_of(m, e->dtype);
    struct frame *outer = m->frame, *f = exec_frame_new(m, func);
    m->result.steps += CALL_STEPS + f->plan->nvars + f->plan->nbuffers;
    uint32_t outer_depth = m->depth;
    const struct ir_stmt *stmt = m->stmt;
    m->depth = depth;
    m->frame = m->thread->frame = f;
    if (bind_params(m, &func->prim, args))
        (void)exec_stmt(m, func->prim.body);
    struct value result = f->result;
    m->frame = m->thread->frame = outer;
    m->depth = outer_depth;
    m->stmt = stmt;
    exec_frame_free(m, f);
    return m->failed ? exec_value_undefined_of(m, e->dtype) : result;
}
