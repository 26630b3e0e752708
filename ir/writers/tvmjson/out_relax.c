/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax expressions and functions. Era D has node types of its own for
 * variables, calls, tuples and scalar values; from 0.26 on these are the nodes
 * of TIR, and a scalar stands where a Relax expression does.
 */
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

static bool info(const struct out *o)
{
    return o->era == IR_ERA_D;
}

/* Span and type, which all Relax expressions have. */
static void begin(struct out *o, const char *key, uint32_t type)
{
    out_node(o, key);
    out_ref(o, info(o) ? "struct_info_" : "ty", type);
}

static uint32_t rx_list(struct out *o, size_t n, struct rx_expr *const *items)
{
    struct out_list list = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&list, out_rx(o, items[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

/* ---- variables and names ------------------------------------------------------- */

static uint32_t new_var(struct out *o, const struct rx_var *var)
{
    const struct ir_type *t = var->type;
    if (!info(o) && t && t->kind == IR_TYPE_PRIM && t->prim_value &&
        t->prim_value->kind == IR_VAR_REF && !var->dataflow)
        return out_var(o, t->prim_value->u.var);
    uint32_t type = out_declared_type(o, t, (struct ir_pos){0});
    uint32_t name = out_string(o, var->name);
    if (info(o)) {
        out_begin(o, "relax.Id");
        out_ref(o, "name_hint", name);
        uint32_t id = out_end_unique(o);
        begin(o, var->dataflow ? "relax.expr.DataflowVar" : "relax.expr.Var",
              type);
        out_ref(o, "vid", id);
    } else {
        begin(o, var->dataflow ? "relax.expr.DataflowVar" : "ir.Var", type);
        out_ref(o, "name", name);
    }
    return out_end_unique(o);
}

static uint32_t rx_var(struct out *o, const struct rx_var *var)
{
    const uint64_t *known = ptr_map_find(&o->rx_vars, var, NULL);
    if (known)
        return (uint32_t)*known;
    uint32_t index = new_var(o, var);
    ptr_map_put(&o->rx_vars, var, NULL, index);
    return index;
}

/* Callers see the type of a function only where Relax calls it. */
uint32_t out_global(struct out *o, const char *name)
{
    const struct ir_func *f = ir_module_find(o->m, name);
    uint32_t type =
        f && o->has_relax ? out_func_type(o, f) : out_rx_type(o, NULL);
    uint32_t text = out_string(o, name);
    begin(o, "ir.GlobalVar", type);
    out_ref(o, "name_hint", text);
    return out_end(o);
}

/* ---- leaves ----------------------------------------------------------------------- */

static uint32_t constant(struct out *o, const struct rx_expr *e, uint32_t type)
{
    uint32_t data = out_tensor(o, e->tensor);
    bool newest = o->era == IR_ERA_F;
    begin(o, newest ? "ir.GenericConst" : "relax.expr.Constant", type);
    out_ref(o, newest ? "value" : "data", data);
    return out_end_unique(o);
}

/* The type of a shape expression is its shape. */
uint32_t out_rx_shape(struct out *o, const struct ir_type *type, size_t n,
                      struct ir_expr *const *dims)
{
    uint32_t values = out_exprs(o, n, dims), shape;
    if (type) {
        shape = out_rx_type(o, type);
    } else {
        out_node(o, info(o) ? "relax.ShapeStructInfo" : "relax.ShapeType");
        out_ref(o, "values", values);
        out_int(o, "ndim", (int64_t)n);
        shape = out_end(o);
    }
    begin(o, "relax.expr.ShapeExpr", shape);
    out_ref(o, "values", values);
    return out_end(o);
}

static uint32_t prim_value(struct out *o, const struct rx_expr *e)
{
    uint32_t value = out_expr(o, e->prim);
    if (!info(o))
        return value;
    out_node(o, "relax.PrimStructInfo");
    out_ref(o, "value", value);
    out_dtype(o, "dtype", e->prim->dtype);
    uint32_t type = out_end(o);
    begin(o, "relax.expr.PrimValue", type);
    out_ref(o, "value", value);
    return out_end(o);
}

static uint32_t string(struct out *o, const struct rx_expr *e, uint32_t type)
{
    if (o->era == IR_ERA_F)
        return out_string_imm(o, e->text);
    uint32_t text = out_string(o, e->text);
    begin(o, "relax.expr.StringImm", type);
    out_ref(o, "value", text);
    return out_end(o);
}

static uint32_t dtype(struct out *o, const struct rx_expr *e, uint32_t type)
{
    if (o->era == IR_ERA_F) {
        uint32_t value = out_leaf_dtype(o, e->dtype);
        begin(o, "ir.GenericConst", type);
        out_ref(o, "value", value);
    } else {
        begin(o, "relax.expr.DataTypeImm", type);
        out_dtype(o, "value", e->dtype);
    }
    return out_end(o);
}

uint32_t out_extern(struct out *o, const char *symbol,
                    const struct ir_value *attrs)
{
    static const struct ir_type any = {.kind = IR_TYPE_OBJECT};
    uint32_t ret = out_rx_type(o, &any);
    uint32_t derive = out_leaf_text(o, "ir.EnvFunc", OUT_DERIVE(o));
    out_node(o, info(o) ? "relax.FuncStructInfo" : "relax.FuncType");
    out_ref(o, "params", o->none);
    out_ref(o, "ret", ret);
    out_ref(o, "derive_func", derive);
    out_bool(o, "purity", false);
    uint32_t type = out_end(o);
    uint32_t dict = out_dict_attrs(o, attrs);
    uint32_t text = out_string(o, symbol);
    begin(o, "relax.expr.ExternFunc", type);
    out_ref(o, "attrs", dict);
    out_ref(o, "global_symbol", text);
    return out_end(o);
}

/* ---- compound ------------------------------------------------------------------------ */

static uint32_t tuple(struct out *o, const struct rx_expr *e, uint32_t type)
{
    uint32_t fields = rx_list(o, e->nitems, e->items);
    begin(o, o->era == IR_ERA_F ? "ir.Tuple" : "relax.expr.Tuple", type);
    out_ref(o, "fields", fields);
    return out_end_unique(o);
}

static uint32_t tuple_get(struct out *o, const struct rx_expr *e, uint32_t type)
{
    uint32_t value = out_rx(o, e->items[0]);
    begin(o, o->era == IR_ERA_F ? "ir.TupleGetItem" : "relax.expr.TupleGetItem",
          type);
    out_ref(o, "tuple_value", value);
    out_int(o, "index", e->index);
    return out_end_unique(o);
}

static uint32_t call(struct out *o, const struct rx_expr *e, uint32_t type)
{
    struct out_list types = {0};
    uint32_t callee = out_rx(o, e->callee);
    uint32_t args = rx_list(o, e->nitems, e->items);
    uint32_t attrs = e->attrs ? out_value(o, e->attrs) : o->none;
    if (e->attrs && e->attrs->kind != IR_V_OBJECT &&
        e->attrs->kind != IR_V_MAP && e->attrs->kind != IR_V_NONE)
        out_fail(o, e->pos, "the attributes of a call are no object");
    for (size_t i = 0; i < e->ntype_args; i++) {
        if (info(o) &&
            (!e->type_args[i] || e->type_args[i]->kind == IR_TYPE_NONE))
            out_fail(o, e->pos,
                     "a type that is not known is no argument in TVM 0.25");
        vec_push(&types, out_declared_type(o, e->type_args[i], e->pos));
    }
    uint32_t list = out_array(o, "ffi.Array", types.len, types.items);
    vec_fini(&types);
    begin(o, info(o) ? "relax.expr.Call" : "ir.Call", type);
    out_ref(o, "op", callee);
    out_ref(o, "args", args);
    out_ref(o, "attrs", attrs);
    out_ref(o, info(o) ? "sinfo_args" : "ty_args", list);
    return out_end_unique(o);
}

static uint32_t branch(struct out *o, const struct rx_expr *e, uint32_t type)
{
    uint32_t cond = out_rx(o, e->items[0]);
    uint32_t yes = out_rx(o, e->items[1]);
    uint32_t no = out_rx(o, e->items[2]);
    begin(o, "relax.expr.If", type);
    out_ref(o, "cond", cond);
    out_ref(o, "true_branch", yes);
    out_ref(o, "false_branch", no);
    return out_end_unique(o);
}

static uint32_t binding(struct out *o, const struct rx_binding *b)
{
    uint32_t value = out_rx(o, b->value);
    uint32_t var = rx_var(o, b->var);
    uint32_t type =
        b->match_type ? out_declared_type(o, b->match_type, b->value->pos) : 0;
    out_begin(o,
              b->match_type ? "relax.expr.MatchCast" : "relax.expr.VarBinding");
    out_span(o);
    out_ref(o, "var", var);
    out_ref(o, "value", value);
    if (b->match_type)
        out_ref(o, info(o) ? "struct_info" : "ty", type);
    return out_end_unique(o);
}

static uint32_t sequence(struct out *o, const struct rx_expr *e, uint32_t type)
{
    struct out_list blocks = {0}, items = {0};
    for (size_t i = 0; i < e->nblocks; i++) {
        items.len = 0;
        for (size_t k = 0; k < e->blocks[i].n; k++)
            vec_push(&items, binding(o, &e->blocks[i].bindings[k]));
        uint32_t list = out_array(o, "ffi.Array", items.len, items.items);
        out_begin(o, e->blocks[i].dataflow ? "relax.expr.DataflowBlock"
                                           : "relax.expr.BindingBlock");
        out_ref(o, "bindings", list);
        out_span(o);
        vec_push(&blocks, out_end_unique(o));
    }
    uint32_t list = out_array(o, "ffi.Array", blocks.len, blocks.items);
    vec_fini(&items);
    vec_fini(&blocks);
    uint32_t body = out_rx(o, e->items[0]);
    begin(o, "relax.expr.SeqExpr", type);
    out_ref(o, "blocks", list);
    out_ref(o, "body", body);
    return out_end_unique(o);
}

uint32_t out_rx_func(struct out *o, const struct rx_func *f,
                     const struct ir_value *attrs)
{
    struct out_list params = {0};
    struct ir_func as_func = {.kind = IR_FUNC_RELAX,
                              .relax = (struct rx_func *)(uintptr_t)f};
    uint32_t type = out_func_type(o, &as_func);
    for (size_t i = 0; i < f->nparams; i++)
        vec_push(&params, rx_var(o, f->params[i]));
    uint32_t list = out_array(o, "ffi.Array", params.len, params.items);
    vec_fini(&params);
    uint32_t ret = out_declared_type(o, f->ret_type, (struct ir_pos){0});
    uint32_t dict = out_dict_attrs(o, attrs);
    uint32_t body = f->body ? out_rx(o, f->body) : o->none;
    begin(o, "relax.expr.Function", type);
    out_ref(o, "attrs", dict);
    out_ref(o, "params", list);
    out_ref(o, "body", body);
    out_ref(o, info(o) ? "ret_struct_info" : "ret_ty", ret);
    out_bool(o, "is_pure", f->pure);
    return out_end_unique(o);
}

/* ---- dispatch ---------------------------------------------------------------------------- */

static uint32_t rx_node(struct out *o, const struct rx_expr *e)
{
    uint32_t type = 0;
    if (e->kind != RX_SHAPE && e->kind != RX_PRIM_VALUE && e->kind != RX_VAR &&
        e->kind != RX_GLOBAL && e->kind != RX_OP)
        type = out_rx_type(o, e->type);
    switch (e->kind) {
    case RX_VAR: return rx_var(o, e->var);
    case RX_CONSTANT: return constant(o, e, type);
    case RX_SHAPE: return out_rx_shape(o, e->type, e->ndims, e->dims);
    case RX_TUPLE: return tuple(o, e, type);
    case RX_TUPLE_GET: return tuple_get(o, e, type);
    case RX_CALL: return call(o, e, type);
    case RX_IF: return branch(o, e, type);
    case RX_SEQ: return sequence(o, e, type);
    case RX_PRIM_VALUE: return prim_value(o, e);
    case RX_STRING: return string(o, e, type);
    case RX_DTYPE: return dtype(o, e, type);
    case RX_GLOBAL: return out_global(o, e->text);
    case RX_EXTERN: return out_extern(o, e->text, NULL);
    case RX_OP: return out_leaf_text(o, "ir.Op", e->text);
    case RX_FUNCTION: return out_rx_func(o, e->func, e->attrs);
    }
    return 0;
}

uint32_t out_rx(struct out *o, const struct rx_expr *e)
{
    const uint64_t *known = ptr_map_find(&o->rx, e, NULL);
    if (known)
        return (uint32_t)*known;
    uint32_t index = rx_node(o, e);
    ptr_map_put(&o->rx, e, NULL, index);
    return index;
}
