/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions. A node declares its result type (dtype before 0.26, `ty`
 * after); it is kept even where it disagrees with the operands, so that the
 * well-formedness check can say so. Calls of the bitwise operators become
 * expression kinds, as TVM 0.27 has them.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmjson/tvmjson.h"

#include <math.h>
#include <string.h>

/* ---- entry points ------------------------------------------------------------ */

static void *decode_expr(struct tj *r, uint32_t node, const struct tj_row *row)
{
    if (!row->expr)
        return tj_mismatch(r, node, NULL, node, "an expression");
    struct ir_expr *e = row->expr(r, node, row);
    if (e)
        e->pos = tj_pos(node);
    return e;
}

struct ir_expr *tj_expr_node(struct tj *r, uint32_t node)
{
    return tj_once(r, node, TJ_EXPR, decode_expr);
}

struct ir_expr *tj_expr(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_ref(r, node, field, "an expression");
    if (r->failed)
        return NULL;
    if (!r->nodes[ref].row->expr)
        return tj_mismatch(r, node, field, ref, "an expression");
    return tj_expr_node(r, ref);
}

struct ir_expr *tj_opt_expr(struct tj *r, uint32_t node, const char *field)
{
    uint32_t ref = tj_opt_ref(r, node, field);
    return r->failed || ref == TJ_NULL ? NULL : tj_expr_node(r, ref);
}

struct ir_expr **tj_exprs(struct tj *r, uint32_t node, const char *field,
                          size_t *n)
{
    uint32_t array;
    const uint32_t *items = tj_array(r, node, field, n, &array);
    struct ir_expr **out = ARENA_ARRAY(r->arena, *n + 1, struct ir_expr *);
    for (size_t i = 0; i < *n && !r->failed; i++) {
        if (items[i] == TJ_NULL)
            tj_fail_at(r, array, i, "expected an expression, found null");
        else
            out[i] = tj_expr_node(r, items[i]);
    }
    return out;
}

/* Declared type of an expression node; false when it declares none. */
static bool tj_expr_dtype(struct tj *r, uint32_t node, struct dtype *out)
{
    if (tj_has(r, node, "dtype")) {
        *out = tj_dtype(r, node, "dtype");
        return !r->failed;
    }
    uint32_t ty = tj_opt_ref(r, node, "ty");
    if (ty == TJ_NULL)
        return false;
    if (tj_kind(r, ty) == TJ_K_PRIM_TYPE) {
        *out = tj_dtype(r, ty, "dtype");
        return !r->failed;
    }
    if (tj_kind(r, ty) == TJ_K_POINTER_TYPE) {
        *out = DTYPE_HANDLE;
        return true;
    }
    return false;
}

/* The built node with the type that the file declares, if it does. */
static struct ir_expr *declared(struct tj *r, uint32_t node, struct ir_expr *e)
{
    struct dtype t;
    if (tj_expr_dtype(r, node, &t))
        e->dtype = t;
    return r->failed ? NULL : e;
}

/* Declared type of a node that cannot do without. */
static struct dtype need_dtype(struct tj *r, uint32_t node)
{
    struct dtype t = DTYPE_VOID;
    if (!tj_expr_dtype(r, node, &t))
        tj_fail(r, node, NULL, "expected a type in this '%s'",
                r->nodes[node].type);
    return t;
}

/* ---- leaves --------------------------------------------------------------------- */

void *tj_expr_int(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    int64_t value = 0;
    struct dtype t = need_dtype(r, node);
    if (r->failed)
        return NULL;
    if (r->era == IR_ERA_F) {
        uint32_t ref = tj_ref(r, node, "value", "an int node");
        if (r->failed)
            return NULL;
        if (tj_kind(r, ref) != TJ_K_INT)
            return tj_mismatch(r, node, "value", ref, "an int node");
        if (!tj_leaf_int(r, ref, &value))
            return tj_fail(r, ref, NULL, "expected a 64-bit integer");
    } else {
        value = tj_int(r, node, "value");
    }
    return r->failed ? NULL : ir_int(r->m, t, value);
}

void *tj_expr_float(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct dtype t = need_dtype(r, node);
    double value = tj_float(r, node, "value");
    return r->failed ? NULL : ir_float(r->m, t, value);
}

void *tj_expr_string(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    const char *text = tj_string(r, node, "value");
    return r->failed ? NULL : ir_string(r->m, text);
}

void *tj_expr_var(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    if (tj_is_buffer(r, node))
        return tj_expr_buffer(r, node, row);
    struct ir_var *var = tj_var_node(r, node);
    return var ? ir_var_ref(r->m, var) : NULL;
}

void *tj_expr_buffer(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_buffer *buffer = tj_buffer_node(r, node);
    return buffer ? ir_buffer_ref(r->m, buffer) : NULL;
}

/* ---- operators -------------------------------------------------------------------- */

void *tj_expr_binary(struct tj *r, uint32_t node, const struct tj_row *row)
{
    struct ir_expr *a = tj_expr(r, node, "a");
    struct ir_expr *b = tj_expr(r, node, "b");
    if (r->failed)
        return NULL;
    return declared(r, node,
                    ir_binary(r->m, (enum ir_expr_kind)row->arg, a, b));
}

void *tj_expr_unary(struct tj *r, uint32_t node, const struct tj_row *row)
{
    struct ir_expr *a = tj_expr(r, node, row->arg == IR_CAST ? "value" : "a");
    if (r->failed)
        return NULL;
    if (row->arg == IR_CAST) {
        struct dtype t = need_dtype(r, node);
        return r->failed ? NULL : ir_cast(r->m, t, a);
    }
    return declared(r, node,
                    row->arg == IR_NOT ? ir_not(r->m, a) : ir_bitnot(r->m, a));
}

void *tj_expr_select(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_expr *cond = tj_expr(r, node, "condition");
    struct ir_expr *t = tj_expr(r, node, "true_value");
    struct ir_expr *f = tj_expr(r, node, "false_value");
    return r->failed ? NULL : declared(r, node, ir_select(r->m, cond, t, f));
}

void *tj_expr_let(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_var *var = tj_var(r, node, "var");
    struct ir_expr *value = tj_expr(r, node, "value");
    struct ir_expr *body = tj_expr(r, node, "body");
    return r->failed ? NULL : declared(r, node, ir_let(r->m, var, value, body));
}

/* lanes is an expression from 0.16 on, a plain number before. Constant lanes
 * must be those of a vector. */
static struct ir_expr *lanes(struct tj *r, uint32_t node)
{
    struct ir_expr *e = NULL;
    int64_t n;
    struct dtype t;
    if (r->era == IR_ERA_A && tj_expr_dtype(r, node, &t) && !t.scalable) {
        /* The number and the index look the same; the type tells. */
        n = tj_int(r, node, "lanes");
        bool index = n > 0 && (uint64_t)n < r->nnodes &&
                     tj_kind(r, (uint32_t)n) == TJ_K_INT_IMM &&
                     tj_int(r, (uint32_t)n, "value") == t.lanes;
        e = index ? tj_expr_node(r, (uint32_t)n) : ir_int(r->m, DTYPE_INT32, n);
    } else {
        e = tj_expr(r, node, "lanes");
    }
    if (r->failed)
        return NULL;
    if (ir_const_int(e, &n) && (n < 1 || n > DC_MAX_LANES))
        return tj_fail(r, node, "lanes", "%lld lanes: expected 1 to %u",
                       (long long)n, DC_MAX_LANES);
    return e;
}

void *tj_expr_ramp(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_expr *base = tj_expr(r, node, "base");
    struct ir_expr *stride = tj_expr(r, node, "stride");
    struct ir_expr *n = lanes(r, node);
    return r->failed ? NULL : declared(r, node, ir_ramp(r->m, base, stride, n));
}

void *tj_expr_broadcast(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    struct ir_expr *value = tj_expr(r, node, "value");
    struct ir_expr *n = lanes(r, node);
    return r->failed ? NULL : declared(r, node, ir_broadcast(r->m, value, n));
}

void *tj_expr_shuffle(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    size_t nvectors, nindices;
    struct ir_expr **vectors = tj_exprs(r, node, "vectors", &nvectors);
    struct ir_expr **indices = tj_exprs(r, node, "indices", &nindices);
    if (r->failed)
        return NULL;
    if (nvectors == 0 || nindices == 0)
        return tj_fail(r, node, NULL, "a shuffle of no vectors or indices");
    if (nindices > DC_MAX_LANES)
        return tj_fail(r, node, "indices", "more than %u lanes", DC_MAX_LANES);
    return declared(r, node,
                    ir_shuffle(r->m, nvectors, vectors, nindices, indices));
}

void *tj_expr_load(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    size_t n;
    const char *field = tj_has(r, node, "source") ? "source" : "buffer";
    struct ir_buffer *buffer = tj_buffer(r, node, field);
    struct ir_expr **indices = tj_exprs(r, node, "indices", &n);
    struct ir_expr *predicate = tj_opt_expr(r, node, "predicate");
    if (r->failed)
        return NULL;
    return declared(r, node, ir_load(r->m, buffer, n, indices, predicate));
}

/* ---- calls ---------------------------------------------------------------------------- */

struct ir_value *tj_call_attrs(struct tj *r, uint32_t node)
{
    uint32_t ref = tj_opt_ref(r, node, "attrs");
    if (r->failed || ref == TJ_NULL)
        return NULL;
    struct ir_value *attrs = tj_value_node(r, ref);
    if (attrs && attrs->kind != IR_V_OBJECT && attrs->kind != IR_V_MAP)
        return tj_fail(r, node, "attrs", "expected attributes, found '%s'",
                       r->nodes[ref].type);
    /* DictAttrs without entries differ from no attributes at all. */
    return attrs;
}

/* Expression kind of an operator that calls spell before TVM 0.27. */
static bool operator_kind(enum ir_op op, enum ir_expr_kind *kind)
{
    static const struct {
        enum ir_op op;
        enum ir_expr_kind kind;
    } table[] = {
        {IR_OP_BITWISE_AND, IR_BITAND}, {IR_OP_BITWISE_OR, IR_BITOR},
        {IR_OP_BITWISE_XOR, IR_BITXOR}, {IR_OP_SHIFT_LEFT, IR_SHL},
        {IR_OP_SHIFT_RIGHT, IR_SHR},    {IR_OP_BITWISE_NOT, IR_BITNOT}};
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++) {
        if (table[i].op == op) {
            *kind = table[i].kind;
            return true;
        }
    }
    return false;
}

static struct ir_expr *build_call(struct tj *r, uint32_t node, uint32_t op,
                                  size_t n, struct ir_expr **args)
{
    bool global = tj_kind(r, op) == TJ_K_GLOBAL_VAR;
    const char *name =
        global ? tj_string(r, op, "name_hint") : tj_node_text(r, op);
    if (r->failed)
        return NULL;
    enum ir_expr_kind kind = IR_CALL;
    if (!global && operator_kind(ir_op_find(name), &kind) &&
        n == (kind == IR_BITNOT ? 1 : 2))
        return declared(r, node,
                        n == 1 ? ir_bitnot(r->m, args[0])
                               : ir_binary(r->m, kind, args[0], args[1]));
    struct dtype t = DTYPE_VOID;
    tj_expr_dtype(r, node, &t);
    if (r->failed)
        return NULL;
    struct ir_expr *e = ir_call(r->m, t, name, n, args);
    if (global)
        e->u.call.op = IR_OP_GLOBAL;
    return e;
}

/* Result types that dtype alone does not say: typed pointers. */
static void call_type(struct tj *r, uint32_t node, struct ir_expr *e)
{
    uint32_t ty = tj_opt_ref(r, node, "ty");
    if (ty == TJ_NULL || tj_kind(r, ty) == TJ_K_PRIM_TYPE)
        return;
    const struct ir_type *type = tj_type_node(r, ty);
    if (type && !tj_is_untyped_pointer(type))
        e->u.call.type = type;
}

void *tj_expr_call(struct tj *r, uint32_t node, const struct tj_row *row)
{
    (void)row;
    size_t n;
    uint32_t op = tj_ref(r, node, "op", "an operator");
    if (r->failed)
        return NULL;
    if (tj_kind(r, op) != TJ_K_OP && tj_kind(r, op) != TJ_K_GLOBAL_VAR)
        return tj_fail(r, node, "op",
                       "expected an operator or a function, found '%s'",
                       r->nodes[op].type);
    struct ir_expr **args = tj_exprs(r, node, "args", &n);
    struct ir_value *attrs = tj_call_attrs(r, node);
    if (r->failed)
        return NULL;
    struct ir_expr *e = build_call(r, node, op, n, args);
    if (e && e->kind == IR_CALL) {
        e->u.call.attrs = attrs;
        call_type(r, node, e);
    }
    return r->failed ? NULL : e;
}
