/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax functions: bindings in blocks over calls of other functions. Types are
 * "struct info" before TVM 0.26 and types like any other after. From 0.26 on
 * variables, calls and tuples are the nodes that TIR uses too; what is a Relax
 * expression and what a scalar one is told by the operator and the type.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <string.h>

static void *decode_rx(struct tj *r, uint32_t node, const struct tj_row *row)
{
    if (row->kind == TJ_K_UNSUPPORTED)
        return tj_fail(r, node, NULL, "'%s' is not supported: %s",
                       r->nodes[node].type, row->why);
    if (!row->rx)
        return tj_fail(r, node, NULL, "expected a Relax expression, found '%s'",
                       r->nodes[node].type);
    struct rx_expr *e = row->rx(r, node, row);
    if (!e || r->failed)
        return NULL;
    e->pos = tj_pos(node);
    if (!e->type && e->kind != RX_PRIM_VALUE)
        e->type =
            tj_opt_type(r, node, tj_has(r, node, "ty") ? "ty" : "struct_info_");
    rx_expr_seal(e);
    return e;
}

struct rx_expr *tj_rx_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_RX, decode_rx);
}

static struct rx_expr *rx(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_ref(r, node, field, "a Relax expression");
    return r->failed ? NULL : tj_rx_node(r, ref);
}

/* items: the expressions in an array field. */
static void rx_items(struct tj *r, uint32_t node, const char *field,
                     struct rx_expr *e)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, field, &e->nitems, &array);
    e->items = ARENA_ARRAY(r->arena, e->nitems + 1, struct rx_expr *);
    for (size_t i = 0; i < e->nitems && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a Relax expression, found null");
        else
            e->items[i] = tj_rx_node(r, items[i]);
    }
}

/* items: the expressions in n fields. */
static void rx_fields(struct tj *r, uint32_t node, struct rx_expr *e, size_t n,
                      const char *const *fields)
{
    e->items = ARENA_ARRAY(r->arena, n + 1, struct rx_expr *);
    e->nitems = n;
    for (size_t i = 0; i < n && !r->failed; i++)
        e->items[i] = rx(r, node, fields[i]);
}

/* ---- variables ------------------------------------------------------------------- */

static bool is_prim_var(struct tj *r, uint32_t node)
{
    uint32_t ty = r->era >= IR_ERA_E ? tj_opt_ref(r, node, "ty") : TJ_NULL;
    return tj_kind(r, node) == TJ_K_VAR && ty != TJ_NULL &&
           tj_kind(r, ty) == TJ_K_PRIM_TYPE;
}

/* A scalar variable of TVM >= 0.26 that is a Relax parameter: its value is the
 * scalar variable of that node, as PrimStructInfo says before. */
static const struct ir_type *prim_var_type(struct tj *r, uint32_t node)
{
    struct ir_var *var = tj_var_node(r, node);
    if (!var)
        return NULL;
    struct ir_type *type = ir_type_make(r->m, IR_TYPE_PRIM);
    type->dtype = var->dtype;
    type->prim_value = ir_var_ref(r->m, var);
    return type;
}

static void *decode_rx_var(struct tj *r, uint32_t node,
                           const struct tj_row *row)
{
    const char *name;
    const struct ir_type *type;
    if (row->kind != TJ_K_VAR && row->kind != TJ_K_RELAX_VAR)
        return tj_fail(r, node, NULL, "expected a variable, found '%s'",
                       r->nodes[node].type);
    if (tj_has(r, node, "vid")) { /* <= 0.25 */
        uint32_t id = tj_ref(r, node, "vid", "the identity of a variable");
        name = r->failed ? "" : tj_string(r, id, "name_hint");
        type = tj_opt_type(r, node, "struct_info_");
    } else {
        name =
            tj_string(r, node, tj_has(r, node, "name") ? "name" : "name_hint");
        type = is_prim_var(r, node) ? prim_var_type(r, node)
                                    : tj_opt_type(r, node, "ty");
    }
    if (r->failed)
        return NULL;
    return rx_var_make(r->m, name, type, row->arg == 1);
}

static struct rx_var *rx_var(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_RX_VAR, decode_rx_var);
}

void *tj_rx_var(struct tj *r, uint32_t node, const struct tj_row *row)
{
    if (is_prim_var(r, node) && !tj_seen(r, node, TJ_RX_VAR))
        return tj_rx_prim(r, node, row);
    struct rx_expr *e = rx_expr_make(r->m, RX_VAR);
    e->var = rx_var(r, node);
    if (e->var)
        e->type = e->var->type;
    return e->var ? e : NULL;
}

/* ---- leaves ------------------------------------------------------------------------ */

static struct rx_expr *dtype_constant(struct tj *r, struct dtype t)
{
    struct rx_expr *e = rx_expr_make(r->m, RX_DTYPE);
    e->dtype = t;
    return e;
}

void *tj_rx_constant(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    const char *field = tj_has(r, node, "data") ? "data" : "value";
    struct rx_expr *e = rx_expr_make(r->m, RX_CONSTANT);
    if (r->era != IR_ERA_A) {
        uint32_t ref = tj_ref(r, node, field, "a tensor");
        if (r->failed)
            return NULL;
        if (tj_kind(r, ref) == TJ_K_DTYPE) { /* 0.27: any constant */
            const struct ir_value *v = tj_value_node(r, ref);
            return v ? dtype_constant(r, v->u.dtype) : NULL;
        }
    }
    e->tensor = tj_tensor(r, node, field);
    return e->tensor ? e : NULL;
}

void *tj_rx_shape(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct rx_expr *e = rx_expr_make(r->m, RX_SHAPE);
    e->dims = tj_exprs(r, node, "values", &e->ndims);
    return r->failed ? NULL : e;
}

/* PrimValue, or a scalar expression itself (TVM >= 0.26). */
void *tj_rx_prim(struct tj *r, uint32_t node, const struct tj_row *row)
{
    struct rx_expr *e = rx_expr_make(r->m, RX_PRIM_VALUE);
    e->prim = row->expr ? tj_expr_node(r, node) : tj_expr(r, node, "value");
    return r->failed ? NULL : e;
}

void *tj_rx_string(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct rx_expr *e = rx_expr_make(r->m, RX_STRING);
    e->text = tj_string(r, node, "value");
    return r->failed ? NULL : e;
}

void *tj_rx_dtype(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct dtype t = tj_dtype(r, node, "value");
    return r->failed ? NULL : dtype_constant(r, t);
}

/* Op, GlobalVar, ExternFunc: a name. */
void *tj_rx_named(struct tj *r, uint32_t node, const struct tj_row *row)
{
    struct rx_expr *e = rx_expr_make(r->m, (enum rx_kind)row->arg);
    if (row->kind == TJ_K_OP)
        e->text = tj_node_text(r, node);
    else
        e->text = tj_string(r, node,
                            row->kind == TJ_K_GLOBAL_VAR ? "name_hint"
                                                         : "global_symbol");
    return r->failed ? NULL : e;
}

/* ---- compound -------------------------------------------------------------------------- */

void *tj_rx_tuple(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct rx_expr *e = rx_expr_make(r->m, RX_TUPLE);
    rx_items(r, node, "fields", e);
    return r->failed ? NULL : e;
}

void *tj_rx_tuple_get(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    static const char *const fields[] = {"tuple_value"};
    struct rx_expr *e = rx_expr_make(r->m, RX_TUPLE_GET);
    rx_fields(r, node, e, 1, fields);
    e->index = tj_int(r, node, "index");
    if (e->index < 0)
        return tj_fail(r, node, "index", "negative index");
    return r->failed ? NULL : e;
}

/* A call of a scalar operator, in the node type that both share. */
static bool is_prim_call(struct tj *r, uint32_t node, uint32_t op)
{
    uint32_t ty = tj_opt_ref(r, node, "ty");
    return r->era >= IR_ERA_E && tj_kind(r, op) == TJ_K_OP &&
           strncmp(tj_node_text(r, op), "relax.", 6) != 0 && ty != TJ_NULL &&
           tj_kind(r, ty) == TJ_K_PRIM_TYPE;
}

void *tj_rx_call(struct tj *r, uint32_t node, const struct tj_row *row)
{
    uint32_t op = tj_ref(r, node, "op", "what is called");
    if (r->failed)
        return NULL;
    if (is_prim_call(r, node, op))
        return tj_rx_prim(r, node, row);
    struct rx_expr *e = rx_expr_make(r->m, RX_CALL);
    e->callee = tj_rx_node(r, op);
    rx_items(r, node, "args", e);
    e->attrs = tj_call_attrs(r, node);
    const char *types = tj_has(r, node, "ty_args") ? "ty_args" : "sinfo_args";
    e->type_args = tj_types(r, node, types, &e->ntype_args);
    return r->failed ? NULL : e;
}

void *tj_rx_if(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    static const char *const fields[] = {"cond", "true_branch", "false_branch"};
    struct rx_expr *e = rx_expr_make(r->m, RX_IF);
    rx_fields(r, node, e, 3, fields);
    return r->failed ? NULL : e;
}

/* ---- bindings ---------------------------------------------------------------------------- */

static void binding(struct tj *r, uint32_t node, struct rx_binding *b)
{
    const char *type = r->nodes[node].type;
    bool match = text_ends_in(type, ".MatchCast");
    if (!match && !text_ends_in(type, ".VarBinding")) {
        tj_fail(r, node, NULL, "expected a binding, found '%s'", type);
        return;
    }
    /* The value first: it cannot use the variable it defines. */
    b->value = rx(r, node, "value");
    uint32_t var = tj_ref(r, node, "var", "a variable");
    if (r->failed)
        return;
    b->var = rx_var(r, var);
    if (!match)
        return;
    const char *field = tj_has(r, node, "ty") ? "ty" : "struct_info";
    b->match_type = tj_opt_type(r, node, field);
    if (!b->match_type)
        tj_fail(r, node, field, "expected a type, found null");
}

static void rx_block(struct tj *r, uint32_t node, struct rx_block *block)
{
    uint32_t array;
    const char *type = r->nodes[node].type;
    block->dataflow = text_ends_in(type, ".DataflowBlock");
    if (!block->dataflow && !text_ends_in(type, ".BindingBlock")) {
        tj_fail(r, node, NULL, "expected a block of bindings, found '%s'",
                type);
        return;
    }
    const uint32_t *items = tj_array(r, node, "bindings", &block->n, &array);
    block->bindings = ARENA_ARRAY(r->arena, block->n + 1, struct rx_binding);
    for (size_t i = 0; i < block->n && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a binding, found null");
        else
            binding(r, items[i], &block->bindings[i]);
    }
}

void *tj_rx_seq(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    static const char *const fields[] = {"body"};
    uint32_t array;
    struct rx_expr *e = rx_expr_make(r->m, RX_SEQ);
    const uint32_t *items = tj_array(r, node, "blocks", &e->nblocks, &array);
    e->blocks = ARENA_ARRAY(r->arena, e->nblocks + 1, struct rx_block);
    for (size_t i = 0; i < e->nblocks && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a block, found null");
        else
            rx_block(r, items[i], &e->blocks[i]);
    }
    rx_fields(r, node, e, 1, fields);
    return r->failed ? NULL : e;
}

/* ---- functions ------------------------------------------------------------------------------ */

struct rx_func *tj_rx_func(struct tj *r, uint32_t node)
{
    uint32_t array;
    struct rx_func *f = ARENA_NEW(r->arena, struct rx_func);
    const uint32_t *items = tj_array(r, node, "params", &f->nparams, &array);
    f->params = ARENA_ARRAY(r->arena, f->nparams + 1, struct rx_var *);
    for (size_t i = 0; i < f->nparams && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected a variable, found null");
        else
            f->params[i] = rx_var(r, items[i]);
    }
    f->ret_type = tj_opt_type(
        r, node, tj_has(r, node, "ret_ty") ? "ret_ty" : "ret_struct_info");
    f->pure = tj_has(r, node, "is_pure") ? tj_bool(r, node, "is_pure") : true;
    uint32_t body = tj_opt_ref(r, node, "body");
    if (body != TJ_NULL)
        f->body = tj_rx_node(r, body);
    return r->failed ? NULL : f;
}

void *tj_rx_function(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct rx_expr *e = rx_expr_make(r->m, RX_FUNCTION);
    e->func = tj_rx_func(r, node);
    e->attrs = tj_dict_attrs(r, node, "attrs");
    return r->failed ? NULL : e;
}
