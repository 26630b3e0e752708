/* SPDX-License-Identifier: Apache-2.0
 *
 * Scalar expressions. An expression that the module shares is written once.
 * Operator names keep their namespace when the module was read from a file of
 * the era that is written; else they get the era's own: "tirx.", or "prim."
 * for the few that TVM 0.27 registers there.
 */
#include "ir/writers/tvmjson/jsonout.h"

#include <string.h>

uint32_t out_opt_expr(struct out *o, const struct ir_expr *e)
{
    return e ? out_expr(o, e) : o->none;
}

uint32_t out_exprs(struct out *o, size_t n, struct ir_expr *const *items)
{
    struct out_list list = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&list, out_expr(o, items[i]));
    uint32_t array = out_array(o, "ffi.Array", list.len, list.items);
    vec_fini(&list);
    return array;
}

/* ---- leaves -------------------------------------------------------------------- */

uint32_t out_int_imm(struct out *o, struct dtype t, int64_t value)
{
    uint32_t type = out_result_type(o, t);
    uint32_t leaf = o->era == IR_ERA_F ? out_leaf_int(o, value) : 0;
    out_node(o, "ir.IntImm");
    out_type_field(o, t, type);
    if (o->era == IR_ERA_F)
        out_ref(o, "value", leaf);
    else
        out_int(o, "value", value);
    return out_end(o);
}

static uint32_t float_imm(struct out *o, const struct ir_expr *e)
{
    uint32_t type = out_result_type(o, e->dtype);
    out_node(o, "ir.FloatImm");
    out_type_field(o, e->dtype, type);
    out_double(o, "value", e->u.float_value);
    return out_end(o);
}

/* A text is a handle in era D, of type void in E, of its own type in F. */
uint32_t out_string_imm(struct out *o, const char *text)
{
    uint32_t type = 0;
    if (o->era == IR_ERA_E) {
        type = out_prim_type(o, DTYPE_VOID);
    } else if (o->era == IR_ERA_F) {
        out_node(o, "ir.StringType");
        type = out_end(o);
    }
    uint32_t value = out_string(o, text);
    out_node(o, o->era == IR_ERA_F ? "ir.StringImm" : "tirx.StringImm");
    out_type_field(o, DTYPE_HANDLE, type);
    out_ref(o, "value", value);
    return out_end(o);
}

/* ---- operators -------------------------------------------------------------------- */

/* Type name without namespace and names of the operands. */
static const struct {
    const char *name;
    const char *operands[3];
} shapes[IR_NKINDS] = {
    [IR_ADD] = {"Add", {"a", "b"}},
    [IR_SUB] = {"Sub", {"a", "b"}},
    [IR_MUL] = {"Mul", {"a", "b"}},
    [IR_DIV] = {"Div", {"a", "b"}},
    [IR_MOD] = {"Mod", {"a", "b"}},
    [IR_FLOORDIV] = {"FloorDiv", {"a", "b"}},
    [IR_FLOORMOD] = {"FloorMod", {"a", "b"}},
    [IR_MIN] = {"Min", {"a", "b"}},
    [IR_MAX] = {"Max", {"a", "b"}},
    [IR_BITAND] = {"BitwiseAnd", {"a", "b"}},
    [IR_BITOR] = {"BitwiseOr", {"a", "b"}},
    [IR_BITXOR] = {"BitwiseXor", {"a", "b"}},
    [IR_SHL] = {"LShift", {"a", "b"}},
    [IR_SHR] = {"RShift", {"a", "b"}},
    [IR_EQ] = {"EQ", {"a", "b"}},
    [IR_NE] = {"NE", {"a", "b"}},
    [IR_LT] = {"LT", {"a", "b"}},
    [IR_LE] = {"LE", {"a", "b"}},
    [IR_GT] = {"GT", {"a", "b"}},
    [IR_GE] = {"GE", {"a", "b"}},
    [IR_AND] = {"And", {"a", "b"}},
    [IR_OR] = {"Or", {"a", "b"}},
    [IR_NOT] = {"Not", {"a"}},
    [IR_BITNOT] = {"BitwiseNot", {"a"}},
    [IR_CAST] = {"Cast", {"value"}},
    [IR_SELECT] = {"Select", {"condition", "true_value", "false_value"}},
    [IR_RAMP] = {"Ramp", {"base", "stride", "lanes"}},
    [IR_BROADCAST] = {"Broadcast", {"value", "lanes"}},
};

static void begin_expr(struct out *o, const char *name, struct dtype t,
                       uint32_t type)
{
    char key[32];
    snprintf(key, sizeof key, "%s%s", o->era == IR_ERA_F ? "prim." : "tirx.",
             name);
    out_node(o, key);
    out_type_field(o, t, type);
}

static uint32_t operator_node(struct out *o, const struct ir_expr *e)
{
    uint32_t args[3] = {0};
    for (uint32_t i = 0; i < e->nargs && i < 3; i++)
        args[i] = out_expr(o, e->args[i]);
    uint32_t type = out_result_type(o, e->dtype);
    begin_expr(o, shapes[e->kind].name, e->dtype, type);
    for (uint32_t i = 0; i < e->nargs && i < 3; i++)
        out_ref(o, shapes[e->kind].operands[i], args[i]);
    return out_end(o);
}

static uint32_t shuffle(struct out *o, const struct ir_expr *e)
{
    size_t n = e->u.nvectors;
    uint32_t vectors = out_exprs(o, n, e->args);
    uint32_t indices = out_exprs(o, e->nargs - n, e->args + n);
    uint32_t type = out_result_type(o, e->dtype);
    begin_expr(o, "Shuffle", e->dtype, type);
    out_ref(o, "vectors", vectors);
    out_ref(o, "indices", indices);
    return out_end(o);
}

static uint32_t let(struct out *o, const struct ir_expr *e)
{
    uint32_t var = out_var(o, e->u.var);
    uint32_t value = out_expr(o, e->args[0]);
    uint32_t body = out_expr(o, e->args[1]);
    uint32_t type = out_result_type(o, e->dtype);
    begin_expr(o, "Let", e->dtype, type);
    out_ref(o, "var", var);
    out_ref(o, "value", value);
    out_ref(o, "body", body);
    return out_end(o);
}

static uint32_t load(struct out *o, const struct ir_expr *e)
{
    bool newest = o->era == IR_ERA_F;
    if (newest && e->predicate)
        return out_fail(o, e->pos,
                        "a load with a predicate cannot be written for TVM "
                        "0.27");
    uint32_t buffer = out_buffer(o, e->u.buffer);
    uint32_t indices = out_exprs(o, e->nargs, e->args);
    uint32_t predicate = out_opt_expr(o, e->predicate);
    uint32_t type = out_result_type(o, e->dtype);
    out_node(o, newest ? "ir.TensorLoad" : "tirx.BufferLoad");
    out_type_field(o, e->dtype, type);
    out_ref(o, newest ? "source" : "buffer", buffer);
    out_ref(o, "indices", indices);
    if (!newest)
        out_ref(o, "predicate", predicate);
    return out_end(o);
}

/* ---- calls --------------------------------------------------------------------------- */

static const char *strip(const char *name)
{
    static const char *const prefixes[] = {"tir.", "tirx.", "prim."};
    for (size_t i = 0; i < DC_ARRAY_LEN(prefixes); i++) {
        size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0)
            return name + len;
    }
    return name;
}

static uint32_t out_op(struct out *o, const char *name)
{
    static const char *const prim[] = {"ceil",   "clz",  "if_then_else",
                                       "likely", "log2", "vscale"};
    if (o->m->era == o->era || strncmp(name, "relax.", 6) == 0)
        return out_leaf_text(o, "ir.Op", name);
    const char *base = strip(name), *space = "tirx.";
    if (o->era == IR_ERA_F)
        for (size_t i = 0; i < DC_ARRAY_LEN(prim); i++)
            if (strcmp(prim[i], base) == 0)
                space = "prim.";
    o->text.len = 0;
    buf_printf(&o->text, "%s%s", space, base);
    return out_leaf_text(o, "ir.Op", buf_text(&o->text));
}

uint32_t out_call(struct out *o, uint32_t op, uint32_t args, uint32_t attrs,
                  struct dtype t, uint32_t type)
{
    bool old = o->era == IR_ERA_D;
    uint32_t none = old ? 0 : out_array(o, "ffi.Array", 0, NULL);
    out_node(o, old ? "tirx.Call" : "ir.Call");
    out_type_field(o, t, type);
    out_ref(o, "op", op);
    out_ref(o, "args", args);
    out_ref(o, "attrs", attrs);
    if (!old)
        out_ref(o, "ty_args", none);
    return out_end(o);
}

uint32_t out_data_pointer(struct out *o, const struct ir_buffer *buffer)
{
    if (o->era == IR_ERA_D) {
        out_buffer(o, buffer); /* writes the variable too */
        return out_var(o, buffer->data);
    }
    uint32_t arg = out_buffer(o, buffer);
    uint32_t args = out_array(o, "ffi.Array", 1, &arg);
    uint32_t op = out_leaf_text(o, "ir.Op", "tirx.buffer_data");
    uint32_t type = out_pointer_type(o, buffer->dtype, buffer->scope);
    return out_call(o, op, args, o->none, DTYPE_HANDLE, type);
}

/* Storage scope behind a pointer expression. */
static const char *pointer_scope(const struct ir_expr *e)
{
    const struct ir_type *type = NULL;
    if (e->kind == IR_VAR_REF) {
        if (e->u.var->owner)
            return e->u.var->owner->scope;
        type = e->u.var->type;
    } else if (e->kind == IR_CALL) {
        if (e->u.call.op == IR_OP_BUFFER_DATA && e->nargs > 0 &&
            e->args[0]->kind == IR_BUFFER_REF)
            return e->args[0]->u.buffer->scope;
        type = e->u.call.type;
    }
    return type && type->kind == IR_TYPE_POINTER && type->scope && *type->scope
               ? type->scope
               : "global";
}

/* Type of a pointer that a call gives, for modules of eras that do not say. */
static uint32_t call_type(struct out *o, const struct ir_expr *e)
{
    if (o->era == IR_ERA_D)
        return 0;
    if (e->u.call.type)
        return out_type(o, e->u.call.type);
    if (e->dtype.code != DT_HANDLE || e->nargs == 0)
        return out_result_type(o, e->dtype);
    const struct ir_expr *first = e->args[0];
    if (e->u.call.op == IR_OP_ADDRESS_OF && first->kind == IR_LOAD)
        return out_pointer_type(o, first->u.buffer->dtype,
                                first->u.buffer->scope);
    if (e->u.call.op == IR_OP_BUFFER_DATA && first->kind == IR_BUFFER_REF)
        return out_pointer_type(o, first->u.buffer->dtype,
                                first->u.buffer->scope);
    if (e->u.call.op == IR_OP_TVM_ACCESS_PTR && e->nargs > 1)
        return out_pointer_type(o, first->dtype, pointer_scope(e->args[1]));
    return out_result_type(o, e->dtype);
}

static uint32_t call(struct out *o, const struct ir_expr *e)
{
    if (o->era == IR_ERA_D && e->u.call.op == IR_OP_BUFFER_DATA &&
        e->nargs == 1 && e->args[0]->kind == IR_BUFFER_REF)
        return out_data_pointer(o, e->args[0]->u.buffer);
    uint32_t op = e->u.call.op == IR_OP_GLOBAL ? out_global(o, e->u.call.name)
                                               : out_op(o, e->u.call.name);
    uint32_t args = out_exprs(o, e->nargs, e->args);
    uint32_t attrs = e->u.call.attrs ? out_value(o, e->u.call.attrs) : o->none;
    uint32_t type = call_type(o, e);
    return out_call(o, op, args, attrs, e->dtype, type);
}

/* Bitwise operators are calls before 0.27. */
static uint32_t bitwise(struct out *o, const struct ir_expr *e)
{
    static const char *const names[] = {
        [IR_BITAND] = "tirx.bitwise_and", [IR_BITOR] = "tirx.bitwise_or",
        [IR_BITXOR] = "tirx.bitwise_xor", [IR_SHL] = "tirx.shift_left",
        [IR_SHR] = "tirx.shift_right",    [IR_BITNOT] = "tirx.bitwise_not"};
    if (o->era == IR_ERA_F)
        return operator_node(o, e);
    uint32_t op = out_leaf_text(o, "ir.Op", names[e->kind]);
    uint32_t args = out_exprs(o, e->nargs, e->args);
    uint32_t type = out_result_type(o, e->dtype);
    return out_call(o, op, args, o->none, e->dtype, type);
}

/* ---- dispatch ----------------------------------------------------------------------------- */

static uint32_t var_ref(struct out *o, const struct ir_expr *e)
{
    const struct ir_var *var = e->u.var;
    if (var->owner && (o->era != IR_ERA_D || var->implicit_data))
        return out_data_pointer(o, var->owner);
    return out_var(o, var);
}

static uint32_t expr_node(struct out *o, const struct ir_expr *e)
{
    switch (e->kind) {
    case IR_INT_IMM: return out_int_imm(o, e->dtype, e->u.int_value);
    case IR_FLOAT_IMM: return float_imm(o, e);
    case IR_STRING_IMM: return out_string_imm(o, e->u.string.text);
    case IR_VAR_REF: return var_ref(o, e);
    case IR_BUFFER_REF: return out_buffer(o, e->u.buffer);
    case IR_ARITHMETIC_KINDS:
    case IR_COMPARE_KINDS:
    case IR_AND:
    case IR_OR:
    case IR_NOT:
    case IR_CAST:
    case IR_SELECT:
    case IR_RAMP:
    case IR_BROADCAST: return operator_node(o, e);
    case IR_BITWISE_KINDS:
    case IR_BITNOT: return bitwise(o, e);
    case IR_SHUFFLE: return shuffle(o, e);
    case IR_LOAD: return load(o, e);
    case IR_CALL: return call(o, e);
    case IR_LET: return let(o, e);
    case IR_NKINDS: break;
    }
    return 0;
}

uint32_t out_expr(struct out *o, const struct ir_expr *e)
{
    const uint64_t *known = ptr_map_find(&o->exprs, e, NULL);
    if (known)
        return (uint32_t)*known;
    uint32_t index = expr_node(o, e);
    ptr_map_put(&o->exprs, e, NULL, index);
    return index;
}
