/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs Relax functions: the subset that is left once a module has been
 * legalised. A call_tir allocates its outputs, runs the PrimFunc with
 * `arguments ++ outputs ++ symbolic sizes` through interp_run and yields the
 * outputs; call_tir_inplace hands over some arguments as outputs. Around that:
 * variables, tuples, shapes, constants, MatchCast, If and calls of other Relax
 * functions. Any other operator means that the module was not legalised.
 *
 * Values live in the run's arena; tensors made by the run are freed at its
 * end, results are copies. A tensor value is shared by all that name it, as in
 * TVM's virtual machine, so an in-place call changes what others see.
 *
 * Symbolic sizes are bound where the types of parameters and match_casts
 * mention a bare variable for the first time, and checked everywhere else.
 */
#include "interp/run/relax.h"

#include "interp/machine/flow.h"
#include "ir/base/limits.h"

#include <string.h>

#define MAX_CALL_DEPTH 32
#define MAX_EVAL_DEPTH 4000 /* expressions, over all nested calls */
/* Expression nodes that one run may evaluate outside of PrimFuncs. */
#define MAX_STEPS_OUTSIDE 10000000u

/* ---- call_tir ------------------------------------------------------------------------ */

static struct rv *eval(struct run *r, const struct rx_expr *e);

/* Fresh outputs for a type; a tuple of them for a tuple type. */
static struct rv *make_output(struct run *r, const struct ir_type *t,
                              struct ir_pos pos)
{
    int64_t dims[DC_MAX_RANK];
    if (t->kind == IR_TYPE_TUPLE) {
        struct rv *v = relax_value(r, RV_TUPLE);
        v->n = t->nfields;
        v->items = ARENA_ARRAY(r->arena, v->n, struct rv *);
        for (size_t i = 0; i < v->n; i++) {
            v->items[i] = make_output(r, t->fields[i], pos);
            if (v->items[i] == NULL)
                return NULL;
        }
        return v;
    }
    size_t n = t->ndim < 0 ? 0 : (size_t)t->ndim;
    if (t->kind != IR_TYPE_TENSOR || t->dtype.code == DT_VOID ||
        n > DC_MAX_RANK)
        return relax_fault(r, INTERP_UNSUPPORTED, pos,
                           "output of unknown type is not supported");
    if (t->has_dims) {
        for (size_t i = 0; i < n; i++)
            if (!relax_size(r, t->dims[i], &dims[i]))
                return NULL;
    } else {
        struct rv *shape =
            t->shape_expr != NULL ? eval(r, t->shape_expr) : NULL;
        if (shape == NULL || shape->kind != RV_SHAPE || shape->n > DC_MAX_RANK)
            return relax_fault(r, INTERP_UNSUPPORTED, pos,
                               "output of unknown shape is not supported");
        n = shape->n;
        memcpy(dims, shape->dims, n * sizeof *dims);
    }
    struct interp_tensor *tensor = relax_fresh(r, t->dtype, n, dims);
    if (tensor == NULL)
        return relax_fault(r, INTERP_BAD_ARGS, pos,
                           "output is larger than the limit on one buffer");
    return relax_tensor(r, tensor, true);
}

struct args {
    struct VEC(struct interp_arg) list;
};

static bool push_value(struct run *r, struct args *args, const struct rv *v,
                       struct ir_pos pos)
{
    struct interp_arg arg = {0};
    if (v->kind == RV_TENSOR) {
        arg.tensor = v->tensor;
    } else if (v->kind == RV_SCALAR) {
        arg.dtype = v->dtype;
        arg.bits = v->bits;
    } else if (v->kind == RV_TUPLE) {
        for (size_t i = 0; i < v->n; i++)
            if (!push_value(r, args, v->items[i], pos))
                return false;
        return true;
    } else {
        relax_fault(
            r, INTERP_UNSUPPORTED, pos,
            "argument that is neither tensor nor scalar is not supported");
        return false;
    }
    vec_push(&args->list, arg);
    return true;
}

/* Symbolic sizes: scalars. */
static void push_sizes(struct args *args, const struct rv *sizes)
{
    for (size_t i = 0; i < sizes->n; i++)
        vec_push(&args->list,
                 ((struct interp_arg){.dtype = DTYPE_INT64,
                                      .bits = (uint64_t)sizes->dims[i]}));
}

/* Whether the PrimFunc may store to a tensor that it is given twice: a run of
 * it takes parameters to be apart (rule 14). */
static bool overlaps(struct run *r, const struct ir_func *func,
                     const struct args *args)
{
    size_t n = args->list.len;
    const struct interp_arg *items = args->list.items;
    bool *twice = ARENA_ARRAY(r->arena, n + 1, bool), any = false;
    if (n != func->prim.nparams || n > FLOW_MAX_PARAMS)
        return false; /* the run itself refuses these */
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n && items[i].tensor != NULL; k++)
            twice[i] |= k != i && items[i].tensor == items[k].tensor;
    for (size_t i = 0; i < n; i++)
        any |= twice[i];
    if (!any || func->prim.body == NULL)
        return false;
    struct param_flow flow = {
        .stored = ARENA_ARRAY(r->arena, n, bool),
        .loaded = ARENA_ARRAY(r->arena, n, bool),
        .indexes = ARENA_ARRAY(r->arena, n, bool),
        .views = ARENA_ARRAY(r->arena, n, const struct ir_buffer *)};
    flow_analyse(r->module, func, &flow);
    any = false;
    for (size_t i = 0; i < n; i++)
        any |= twice[i] && flow.stored[i];
    return any;
}

/* Scalars as the types that the callee declares: what is passed is a number of
 * 64 bits, an integer or a float. False where a float stands for an integer. */
static bool convert_scalars(struct run *r, const struct ir_func *func,
                            struct args *args, struct ir_pos pos)
{
    const struct ir_prim_func *prim = &func->prim;
    for (size_t i = 0; i < args->list.len && i < prim->nparams; i++) {
        struct interp_arg *arg = &args->list.items[i];
        struct dtype to = prim->params[i].var->dtype;
        unsigned flags = 0;
        if (arg->tensor != NULL || prim->params[i].buffer != NULL ||
            dtype_is_handle(to) || dtype_equal(arg->dtype, to))
            continue;
        if (dtype_is_float(arg->dtype) && !dtype_is_float(to)) {
            relax_fault(r, INTERP_BAD_ARGS, pos,
                        "argument %zu of '%s' is no integer", i, func->name);
            return false;
        }
        arg->bits = num_cast(arg->dtype, to, arg->bits, &flags);
        arg->dtype = to;
    }
    return true;
}

static void run_prim(struct run *r, const struct ir_func *func,
                     struct args *args, struct ir_pos pos)
{
    struct interp_options options = *r->options;
    if (!convert_scalars(r, func, args, pos))
        return;
    if (overlaps(r, func, args)) {
        relax_fault(r, INTERP_UNSUPPORTED, pos,
                    "'%s' writes a tensor that it is given twice, which is not "
                    "supported",
                    func->name);
        return;
    }
    options.demand = NULL;
    options.terms = NULL;
    options.formula = NULL;
    options.watch = NULL;
    options.wraps = true;
    if (options.max_steps != 0) {
        if (r->result.steps >= options.max_steps) {
            relax_fault(r, INTERP_BUDGET, pos,
                        "budget of %llu steps is used up",
                        (unsigned long long)options.max_steps);
            return;
        }
        options.max_steps -= r->result.steps;
    }
    struct interp_result inner =
        interp_run(r->module, func, args->list.len, args->list.items, &options);
    relax_merge(r, &inner);
}

/* inplace_indices: -1 = fresh, k = argument k is the output. */
static struct rv *inplace_outputs(struct run *r, const struct rx_expr *e,
                                  const struct rv *in, struct args *args)
{
    const struct ir_value *list = ir_value_find(e->attrs, "inplace_indices");
    const struct ir_type *type = e->type_args[0];
    bool many = type->kind == IR_TYPE_TUPLE;
    size_t n = many ? type->nfields : 1;
    struct rv *outs = relax_value(r, RV_TUPLE);
    outs->n = n;
    outs->items = ARENA_ARRAY(r->arena, n, struct rv *);
    for (size_t i = 0; i < n; i++) {
        int64_t index = -1;
        if (list != NULL && list->kind == IR_V_ARRAY && i < list->n)
            (void)ir_value_as_int(list->items[i], &index);
        else if (list != NULL && list->kind == IR_V_SHAPE && i < list->n)
            index = list->u.ints[i];
        if (index >= 0 && in->kind == RV_TUPLE && (uint64_t)index < in->n) {
            outs->items[i] = in->items[index];
            continue;
        }
        outs->items[i] = make_output(r, many ? type->fields[i] : type, e->pos);
        if (outs->items[i] == NULL ||
            !push_value(r, args, outs->items[i], e->pos))
            return NULL;
    }
    return many ? outs : outs->items[0];
}

static struct rv *call_tir(struct run *r, const struct rx_expr *e, bool inplace)
{
    if (e->nitems < 2 || e->items[0]->kind != RX_GLOBAL || e->ntype_args < 1)
        return relax_fault(r, INTERP_UNSUPPORTED, e->pos,
                           "call_tir of this form is not supported");
    const struct ir_func *func = ir_module_find(r->module, e->items[0]->text);
    if (func == NULL || func->kind != IR_FUNC_PRIM)
        return relax_fault(
            r, INTERP_UNSUPPORTED, e->pos,
            "call_tir of '%s', which is no PrimFunc of the module, "
            "is not supported",
            e->items[0]->text);
    struct args args = {{0}};
    struct rv *out = NULL, *in = eval(r, e->items[1]);
    struct rv *sizes = e->nitems > 2 ? eval(r, e->items[2]) : NULL;
    if (in == NULL || relax_failed(r) || !push_value(r, &args, in, e->pos))
        goto end;
    if (inplace) {
        out = inplace_outputs(r, e, in, &args);
    } else {
        out = make_output(r, e->type_args[0], e->pos);
        if (out != NULL && !push_value(r, &args, out, e->pos))
            out = NULL;
    }
    if (out == NULL)
        goto end;
    if (sizes != NULL && sizes->kind == RV_SHAPE)
        push_sizes(&args, sizes);
    else if (sizes != NULL && !push_value(r, &args, sizes, e->pos))
        goto end;
    run_prim(r, func, &args, e->pos);
end:
    vec_fini(&args.list);
    return relax_failed(r) ? NULL : out;
}

/* ---- other calls ------------------------------------------------------------------------ */

static struct rv *call_function(struct run *r, const struct rx_func *func,
                                struct scope *outer, size_t n, struct rv **args,
                                const char *name, struct ir_pos pos)
{
    if (func == NULL || func->body == NULL)
        return relax_fault(r, INTERP_UNSUPPORTED, pos,
                           "call of '%s', which has no body, is not supported",
                           name);
    if (func->nparams != n)
        return relax_fault(r, INTERP_BAD_ARGS, pos,
                           "'%s' is given %zu arguments, expected %zu", name, n,
                           func->nparams);
    if (r->depth >= MAX_CALL_DEPTH)
        return relax_fault(r, INTERP_UNSUPPORTED, pos,
                           "calls nested deeper than %d are not supported",
                           MAX_CALL_DEPTH);
    struct scope *caller = r->scope;
    struct rv *out = NULL;
    bool fine = true;
    relax_push(r, outer);
    r->depth++;
    for (size_t i = 0; i < n && fine; i++) {
        relax_set(r, func->params[i], args[i]);
        fine = relax_match(r, func->params[i]->type, args[i],
                           func->params[i]->name);
    }
    if (fine)
        out = eval(r, func->body);
    r->depth--;
    r->scope = caller;
    return out;
}

static struct rv **eval_all(struct run *r, size_t n, struct rx_expr **items)
{
    struct rv **out = ARENA_ARRAY(r->arena, n, struct rv *);
    for (size_t i = 0; i < n; i++) {
        out[i] = eval(r, items[i]);
        if (out[i] == NULL)
            return NULL;
    }
    return out;
}

/* Keyed domains: a value that is not known decides nothing. */
static bool is_known(struct run *r, const struct interp_tensor *t, size_t i,
                     struct ir_pos pos, const char *what)
{
    if (!(t->state[i] & INTERP_SYMBOLIC))
        return true;
    relax_fault(r, INTERP_UNDECIDED, pos,
                "%s depends on data that keyed runs do not know", what);
    return false;
}

/* What overflowed is no condition and no size (rule 9). */
static bool has_fitted(struct run *r, const struct interp_tensor *t, size_t i,
                       struct ir_pos pos, const char *what)
{
    if (t->state[i] & INTERP_WRAPPED)
        relax_fault(r, INTERP_INDEX_OVERFLOW, pos,
                    "%s depends on an integer operation that overflowed", what);
    return !relax_failed(r);
}

/* Truth of a scalar or of the one element of a tensor. */
static bool truth(struct run *r, const struct rv *v, struct ir_pos pos,
                  bool *out)
{
    if (v->kind == RV_SCALAR && !dtype_is_float(v->dtype)) {
        *out = v->bits != 0;
        return true;
    }
    if (v->kind == RV_TENSOR && v->tensor->elements == 1 &&
        !dtype_is_float(v->tensor->dtype)) {
        if ((v->tensor->state[0] & INTERP_DEFINED) == 0) {
            relax_fault(r, INTERP_UNINITIALISED, pos,
                        "condition is an undefined value");
            return false;
        }
        if (!is_known(r, v->tensor, 0, pos, "a condition") ||
            !has_fitted(r, v->tensor, 0, pos, "condition"))
            return false;
        if (v->tensor->state[0] & INTERP_INEXACT)
            r->result.control_inexact = true;
        r->result.data_dependent = true;
        *out = interp_tensor_get(v->tensor, 0) != 0;
        return true;
    }
    relax_fault(r, INTERP_UNSUPPORTED, pos,
                "condition that is no single bool is not supported");
    return false;
}

static struct rv *shape_of(struct run *r, const struct rv *v, struct ir_pos pos)
{
    if (v->kind != RV_TENSOR)
        return relax_fault(r, INTERP_BAD_ARGS, pos, "shape_of needs a tensor");
    struct rv *shape = relax_shape(r, v->tensor->rank);
    memcpy(shape->dims, v->tensor->shape, shape->n * sizeof *shape->dims);
    return shape;
}

static struct rv *shape_to_tensor(struct run *r, const struct rv *v,
                                  struct ir_pos pos)
{
    if (v->kind != RV_SHAPE)
        return relax_fault(r, INTERP_BAD_ARGS, pos,
                           "shape_to_tensor needs a shape");
    int64_t rank1 = (int64_t)v->n;
    struct interp_tensor *t = interp_tensor_new(DTYPE_INT64, 1, &rank1);
    for (size_t i = 0; i < v->n; i++) {
        interp_tensor_set(t, i, (uint64_t)v->dims[i]);
        t->state[i] = INTERP_DEFINED;
    }
    interp_tensor_to_points(t, r->options->domain);
    return relax_tensor(r, t, true);
}

static struct rv *tensor_to_shape(struct run *r, const struct rv *v,
                                  struct ir_pos pos)
{
    if (v->kind != RV_TENSOR || v->tensor->rank != 1 ||
        !dtype_is_int(v->tensor->dtype) || v->tensor->dtype.lanes != 1)
        return relax_fault(r, INTERP_BAD_ARGS, pos,
                           "tensor_to_shape needs a vector of integers");
    struct rv *shape = relax_shape(r, v->tensor->elements);
    for (size_t i = 0; i < shape->n; i++) {
        if ((v->tensor->state[i] & INTERP_DEFINED) == 0)
            return relax_fault(r, INTERP_UNINITIALISED, pos,
                               "size is an undefined value");
        if (!is_known(r, v->tensor, i, pos, "a size") ||
            !has_fitted(r, v->tensor, i, pos, "size"))
            return NULL;
        shape->dims[i] =
            num_to_int(v->tensor->dtype, interp_tensor_get(v->tensor, i));
    }
    r->result.data_dependent = true;
    return shape;
}

static struct rv *call_op(struct run *r, const struct rx_expr *e)
{
    const char *name = e->callee->text;
    if (strcmp(name, "relax.call_tir") == 0 ||
        strcmp(name, "relax.call_tir_with_grad") == 0)
        return call_tir(r, e, false);
    if (strcmp(name, "relax.call_tir_inplace") == 0)
        return call_tir(r, e, true);
    if (strcmp(name, "relax.null_value") == 0 ||
        strcmp(name, "relax.print") == 0)
        return relax_value(r, RV_OTHER);
    bool known = strcmp(name, "relax.hint_on_device") == 0 ||
                 strcmp(name, "relax.to_vdevice") == 0 ||
                 strcmp(name, "relax.shape_of") == 0 ||
                 strcmp(name, "relax.inspect.tensor_shape") == 0 ||
                 strcmp(name, "relax.shape_to_tensor") == 0 ||
                 strcmp(name, "relax.tensor_to_shape") == 0 ||
                 strcmp(name, "relax.assert_op") == 0;
    if (!known || e->nitems == 0)
        return relax_fault(
            r, INTERP_UNSUPPORTED, e->pos,
            "operator '%s' is not supported: run LegalizeOps first", name);
    struct rv *v = eval(r, e->items[0]);
    bool holds;
    if (v == NULL || strcmp(name, "relax.hint_on_device") == 0 ||
        strcmp(name, "relax.to_vdevice") == 0)
        return v;
    if (strcmp(name, "relax.shape_to_tensor") == 0)
        return shape_to_tensor(r, v, e->pos);
    if (strcmp(name, "relax.tensor_to_shape") == 0)
        return tensor_to_shape(r, v, e->pos);
    if (strcmp(name, "relax.assert_op") != 0)
        return shape_of(r, v, e->pos);
    if (!truth(r, v, e->pos, &holds))
        return NULL;
    return holds ? relax_value(r, RV_OTHER)
                 : relax_fault(r, INTERP_ASSERT, e->pos, "assertion fails");
}

static struct rv *call(struct run *r, const struct rx_expr *e)
{
    const struct rx_expr *callee = e->callee;
    if (callee == NULL)
        return relax_fault(r, INTERP_UNSUPPORTED, e->pos,
                           "call without a callee is not supported");
    if (callee->kind == RX_OP)
        return call_op(r, e);
    if (callee->kind == RX_EXTERN)
        return relax_fault(r, INTERP_UNSUPPORTED, e->pos,
                           "call of packed function '%s' is not supported",
                           callee->text);
    struct rv **args = eval_all(r, e->nitems, e->items);
    if (args == NULL)
        return NULL;
    if (callee->kind == RX_GLOBAL) {
        const struct ir_func *f = ir_module_find(r->module, callee->text);
        if (f == NULL || f->kind != IR_FUNC_RELAX)
            return relax_fault(
                r, INTERP_UNSUPPORTED, e->pos,
                "call of '%s', which is no Relax function of the "
                "module, is not supported",
                callee->text);
        return call_function(r, f->relax, NULL, e->nitems, args, callee->text,
                             e->pos);
    }
    struct rv *v = eval(r, callee);
    if (v == NULL)
        return NULL;
    if (v->kind != RV_CLOSURE)
        return relax_fault(r, INTERP_UNSUPPORTED, e->pos,
                           "call of something that is no function");
    return call_function(r, v->func, v->scope, e->nitems, args, "a closure",
                         e->pos);
}

/* ---- expressions --------------------------------------------------------------------------- */

static struct rv *eval_seq(struct run *r, const struct rx_expr *e)
{
    for (size_t i = 0; i < e->nblocks; i++) {
        for (size_t j = 0; j < e->blocks[i].n; j++) {
            const struct rx_binding *b = &e->blocks[i].bindings[j];
            struct rv *v = eval(r, b->value);
            if (v == NULL)
                return NULL;
            if (b->match_type != NULL &&
                !relax_match(r, b->match_type, v,
                             b->var != NULL ? b->var->name : "match_cast"))
                return NULL;
            if (b->var != NULL)
                relax_set(r, b->var, v);
        }
    }
    return eval(r, e->items[0]);
}

static struct rv *eval_prim(struct run *r, const struct rx_expr *e)
{
    if (e->prim == NULL)
        return relax_fault(r, INTERP_UNSUPPORTED, e->pos,
                           "scalar without a value is not supported");
    struct dtype t = e->prim->dtype;
    unsigned flags = 0;
    int64_t value;
    if (e->prim->kind == IR_FLOAT_IMM)
        return relax_scalar(r, t,
                            num_from_double(t, e->prim->u.float_value, &flags));
    if (!relax_size(r, e->prim, &value))
        return NULL;
    return relax_scalar(r, t, num_from_int(t, value, &flags));
}

static struct rv *eval_shape(struct run *r, const struct rx_expr *e)
{
    struct rv *v = relax_shape(r, e->ndims);
    for (size_t i = 0; i < v->n; i++)
        if (!relax_size(r, e->dims[i], &v->dims[i]))
            return NULL;
    return v;
}

static struct rv *eval_tuple_get(struct run *r, const struct rx_expr *e)
{
    struct rv *v = eval(r, e->items[0]);
    if (v == NULL)
        return NULL;
    if (v->kind != RV_TUPLE || e->index < 0 || (uint64_t)e->index >= v->n)
        return relax_fault(r, INTERP_BAD_ARGS, e->pos,
                           "tuple has no element %lld", (long long)e->index);
    return v->items[e->index];
}

static struct rv *eval_if(struct run *r, const struct rx_expr *e)
{
    struct rv *cond = eval(r, e->items[0]);
    bool holds;
    if (cond == NULL || !truth(r, cond, e->pos, &holds))
        return NULL;
    return eval(r, e->items[holds ? 1 : 2]);
}

static struct rv *eval_kind(struct run *r, const struct rx_expr *e)
{
    struct rv *v;
    switch (e->kind) {
    case RX_VAR: return relax_get(r, e);
    case RX_CONSTANT: return relax_constant(r, e);
    case RX_SHAPE: return eval_shape(r, e);
    case RX_TUPLE:
        v = relax_value(r, RV_TUPLE);
        v->n = e->nitems;
        v->items = eval_all(r, e->nitems, e->items);
        return v->items != NULL ? v : NULL;
    case RX_TUPLE_GET: return eval_tuple_get(r, e);
    case RX_CALL: return call(r, e);
    case RX_IF: return eval_if(r, e);
    case RX_SEQ: return eval_seq(r, e);
    case RX_PRIM_VALUE: return eval_prim(r, e);
    case RX_FUNCTION:
        v = relax_value(r, RV_CLOSURE);
        v->func = e->func;
        v->scope = r->scope;
        return v;
    case RX_STRING:
    case RX_DTYPE:
    case RX_GLOBAL:
    case RX_EXTERN:
    case RX_OP: return relax_value(r, RV_OTHER);
    }
    return NULL;
}

static struct rv *eval(struct run *r, const struct rx_expr *e)
{
    if (relax_failed(r))
        return NULL;
    if (++r->work > MAX_STEPS_OUTSIDE)
        return relax_fault(r, INTERP_BUDGET, e->pos,
                           "Relax expressions use up the budget");
    if (r->nested >= MAX_EVAL_DEPTH)
        return relax_fault(
            r, INTERP_UNSUPPORTED, e->pos,
            "expressions nested deeper than %d are not supported",
            MAX_EVAL_DEPTH);
    r->nested++;
    struct rv *v = eval_kind(r, e);
    r->nested--;
    return v;
}

/* ---- entry ----------------------------------------------------------------------------------- */

/* The value of one argument; a shape comes as an int64 vector. */
static struct rv *from_arg(struct run *r, const struct rx_var *param,
                           const struct interp_arg *arg)
{
    if (arg->box != NULL)
        return relax_fault(r, INTERP_UNDECIDED, (struct ir_pos){0, 0},
                           "a scalar argument that is not known");
    if (arg->tensor == NULL)
        return relax_scalar(r, arg->dtype, arg->bits);
    struct rv *v = relax_tensor(r, arg->tensor, false);
    if (param->type != NULL && param->type->kind == IR_TYPE_SHAPE) {
        bool data = r->result.data_dependent;
        v = tensor_to_shape(r, v, (struct ir_pos){0, 0});
        r->result.data_dependent = data;
    }
    return v;
}

struct outputs {
    struct VEC(struct interp_tensor *) list;
};

/* Between calls it matters what overflowed; a result that did is one. */
static void forget_wraps(struct interp_tensor *t)
{
    for (size_t i = 0; i < t->elements; i++)
        t->state[i] &= (uint8_t)~INTERP_WRAPPED;
}

/* Copies of the tensors in a value, tuples flattened. */
static bool collect(struct run *r, struct rv *v, struct outputs *out)
{
    struct interp_tensor *t = NULL;
    struct ir_pos pos = {0, 0};
    if (v->kind == RV_TUPLE) {
        for (size_t i = 0; i < v->n; i++)
            if (!collect(r, v->items[i], out))
                return false;
        return true;
    }
    if (v->kind == RV_SHAPE)
        v = shape_to_tensor(r, v, pos);
    if (v->kind == RV_TENSOR) {
        t = interp_tensor_clone(v->tensor);
        forget_wraps(t);
    } else if (v->kind == RV_SCALAR) {
        t = relax_fresh(r, v->dtype, 0, NULL);
        interp_tensor_set(t, 0, v->bits);
        t->state[0] = INTERP_DEFINED;
        interp_tensor_to_points(t, r->options->domain);
    } else {
        relax_fault(r, INTERP_UNSUPPORTED, pos,
                    "result that is no tensor is not supported");
        return false;
    }
    vec_push(&out->list, t);
    return true;
}

static void release(struct run *r)
{
    for (size_t i = 0; i < r->owned.len; i++)
        interp_tensor_free(r->owned.items[i]);
    for (size_t i = 0; i < r->scopes.len; i++) {
        vec_fini(&r->scopes.items[i]->values);
        vec_fini(&r->scopes.items[i]->sizes);
        vec_fini(&r->scopes.items[i]->known);
    }
    vec_fini(&r->owned);
    vec_fini(&r->scopes);
    arena_free(r->arena);
}

struct interp_result interp_run_relax(const struct ir_module *module,
                                      const struct ir_func *func, size_t nargs,
                                      struct interp_arg *args,
                                      const struct interp_options *options,
                                      struct interp_tensor ***outputs,
                                      size_t *noutputs)
{
    struct run r = {.module = module, .options = options, .arena = arena_new()};
    struct outputs out = {{0}};
    struct rv *v = NULL;
    *outputs = NULL;
    *noutputs = 0;
    if (func->kind != IR_FUNC_RELAX || func->relax == NULL) {
        relax_fault(&r, INTERP_BAD_ARGS, func->pos, "'%s' is no Relax function",
                    func->name);
    } else if (func->relax->nparams != nargs) {
        relax_fault(&r, INTERP_BAD_ARGS, func->pos,
                    "'%s' is given %zu arguments, expected %zu", func->name,
                    nargs, func->relax->nparams);
    } else {
        struct rv **in = ARENA_ARRAY(r.arena, nargs, struct rv *);
        for (size_t i = 0; i < nargs && !relax_failed(&r); i++)
            in[i] = from_arg(&r, func->relax->params[i], &args[i]);
        if (!relax_failed(&r))
            v = call_function(&r, func->relax, NULL, nargs, in, func->name,
                              func->pos);
    }
    if (v != NULL && !relax_failed(&r) && collect(&r, v, &out)) {
        *outputs = out.list.items;
        *noutputs = out.list.len;
    } else {
        for (size_t i = 0; i < out.list.len; i++)
            interp_tensor_free(out.list.items[i]);
        vec_fini(&out.list);
    }
    for (size_t i = 0; i < nargs; i++)
        if (args[i].tensor != NULL)
            forget_wraps(args[i].tensor);
    release(&r);
    return r.result;
}
