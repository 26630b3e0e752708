/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of node types. The key is the type name without its namespace:
 * "tir.Add", "tirx.Add" and "prim.Add" mean the same thing, and what differs
 * between eras is how fields are spelled, which the accessors hide. Names in
 * foreign namespaces ("arith.…", "meta_schedule.…") match no row.
 *
 * To read a new node type: one row here and one decode function. Types that
 * have no row are kept as they are where a value may be anything
 * (annotations), and are an error elsewhere.
 */
#include "ir/readers/tvmjson/tvmjson.h"

#include <stdlib.h>
#include <string.h>

#define EXPR(name, fn, arg)                                    \
    {                                                          \
        name, TJ_K_EXPR, arg, fn, NULL, NULL, tj_rx_prim, NULL \
    }
#define STMT(name, fn, arg)                              \
    {                                                    \
        name, TJ_K_STMT, arg, NULL, fn, NULL, NULL, NULL \
    }
#define TYPE(name, kind, fn, arg)                   \
    {                                               \
        name, kind, arg, NULL, NULL, fn, NULL, NULL \
    }
#define RELAX(name, fn, arg)                              \
    {                                                     \
        name, TJ_K_RELAX, arg, NULL, NULL, NULL, fn, NULL \
    }
#define LEAF(name, kind)                            \
    {                                               \
        name, kind, 0, NULL, NULL, NULL, NULL, NULL \
    }
#define REFUSED(name, why)                                     \
    {                                                          \
        name, TJ_K_UNSUPPORTED, 0, NULL, NULL, NULL, NULL, why \
    }

/* Sorted by name (strcmp order): looked up by binary search. */
// clang-format off
static const struct tj_row rows[] = {
    LEAF("", TJ_K_NONE),
    EXPR("Add", tj_expr_binary, IR_ADD),
    STMT("AllocBuffer", tj_stmt_flat, TJ_ALLOC),
    STMT("Allocate", tj_stmt_flat, TJ_ALLOCATE),
    STMT("AllocateConst", tj_stmt_flat, TJ_ALLOC_CONST),
    EXPR("And", tj_expr_binary, IR_AND),
    REFUSED("Any", "anonymous dimensions have no meaning of their own"),
    TYPE("AnyType", TJ_K_TYPE, tj_type_plain, IR_TYPE_OBJECT),
    LEAF("Array", TJ_K_ARRAY),
    STMT("AssertStmt", tj_stmt_flat, TJ_ASSERT),
    STMT("AttrStmt", tj_stmt_attr, 0),
    STMT("Bind", tj_stmt_flat, TJ_BIND),
    EXPR("BitwiseAnd", tj_expr_binary, IR_BITAND),
    EXPR("BitwiseNot", tj_expr_unary, IR_BITNOT),
    EXPR("BitwiseOr", tj_expr_binary, IR_BITOR),
    EXPR("BitwiseXor", tj_expr_binary, IR_BITXOR),
    REFUSED("Block", "a block without its realize"),
    STMT("BlockRealize", tj_stmt_realize, 0),
    LEAF("BoxBool", TJ_K_BOOL),
    LEAF("BoxFloat", TJ_K_FLOAT),
    LEAF("BoxInt", TJ_K_INT),
    STMT("Break", tj_stmt_jump, IR_BREAK),
    EXPR("Broadcast", tj_expr_broadcast, IR_BROADCAST),
    {"Buffer", TJ_K_BUFFER, 0, tj_expr_buffer, NULL, NULL, NULL, NULL},
    EXPR("BufferLoad", tj_expr_load, 0),
    REFUSED("BufferRealize", "flatten the storage with TVM first"),
    LEAF("BufferRegion", TJ_K_REGION),
    STMT("BufferStore", tj_stmt_store, 0),
    LEAF("BufferType", TJ_K_BUFFER_TYPE),
    {"Call", TJ_K_CALL, 0, tj_expr_call, NULL, NULL, tj_rx_call, NULL},
    EXPR("Cast", tj_expr_unary, IR_CAST),
    LEAF("CommReducer", TJ_K_REDUCER),
    RELAX("Constant", tj_rx_constant, 0),
    STMT("Continue", tj_stmt_jump, IR_CONTINUE),
    LEAF("DataType", TJ_K_DTYPE),
    RELAX("DataTypeImm", tj_rx_dtype, 0),
    {"DataflowVar", TJ_K_RELAX_VAR, 1, NULL, NULL, NULL, tj_rx_var, NULL},
    STMT("DeclBuffer", tj_stmt_flat, TJ_DECL),
    LEAF("Device", TJ_K_DEVICE),
    LEAF("Dict", TJ_K_DICT),
    LEAF("DictAttrs", TJ_K_DICT_ATTRS),
    EXPR("Div", tj_expr_binary, IR_DIV),
    EXPR("EQ", tj_expr_binary, IR_EQ),
    STMT("Evaluate", tj_stmt_evaluate, 0),
    {"ExternFunc", TJ_K_EXTERN_FUNC, RX_EXTERN, NULL, NULL, NULL, tj_rx_named, NULL},
    EXPR("FloatImm", tj_expr_float, 0),
    EXPR("FloorDiv", tj_expr_binary, IR_FLOORDIV),
    EXPR("FloorMod", tj_expr_binary, IR_FLOORMOD),
    STMT("For", tj_stmt_for, 0),
    TYPE("FuncStructInfo", TJ_K_TYPE, tj_type_func, 0),
    TYPE("FuncType", TJ_K_TYPE, tj_type_func, 0),
    {"Function", TJ_K_RELAX_FUNC, 0, NULL, NULL, NULL, tj_rx_function, NULL},
    EXPR("GE", tj_expr_binary, IR_GE),
    EXPR("GT", tj_expr_binary, IR_GT),
    RELAX("GenericConst", tj_rx_constant, 0),
    {"GlobalVar", TJ_K_GLOBAL_VAR, RX_GLOBAL, NULL, NULL, NULL, tj_rx_named, NULL},
    LEAF("IRModule", TJ_K_MODULE),
    RELAX("If", tj_rx_if, 0),
    STMT("IfThenElse", tj_stmt_if, 0),
    {"IntImm", TJ_K_INT_IMM, 0, tj_expr_int, NULL, NULL, tj_rx_prim, NULL},
    LEAF("IterVar", TJ_K_ITER_VAR),
    EXPR("LE", tj_expr_binary, IR_LE),
    EXPR("LShift", tj_expr_binary, IR_SHL),
    EXPR("LT", tj_expr_binary, IR_LT),
    EXPR("Let", tj_expr_let, 0),
    STMT("LetStmt", tj_stmt_flat, TJ_BIND),
    LEAF("List", TJ_K_LIST),
    REFUSED("Load", "save the module with TVM 0.9 or newer"),
    LEAF("Map", TJ_K_MAP),
    EXPR("Max", tj_expr_binary, IR_MAX),
    EXPR("Min", tj_expr_binary, IR_MIN),
    EXPR("Mod", tj_expr_binary, IR_MOD),
    EXPR("Mul", tj_expr_binary, IR_MUL),
    LEAF("NDArray", TJ_K_TENSOR),
    EXPR("NE", tj_expr_binary, IR_NE),
    LEAF("None", TJ_K_NONE),
    EXPR("Not", tj_expr_unary, IR_NOT),
    TYPE("ObjectStructInfo", TJ_K_TYPE, tj_type_plain, IR_TYPE_OBJECT),
    {"Op", TJ_K_OP, RX_OP, NULL, NULL, NULL, tj_rx_named, NULL},
    EXPR("Or", tj_expr_binary, IR_OR),
    TYPE("PointerType", TJ_K_POINTER_TYPE, tj_type_pointer, 0),
    REFUSED("Prefetch", "lower the module with TVM first"),
    LEAF("PrimFunc", TJ_K_PRIM_FUNC),
    TYPE("PrimStructInfo", TJ_K_PRIM_TYPE, tj_type_prim, 0),
    TYPE("PrimType", TJ_K_PRIM_TYPE, tj_type_prim, 0),
    RELAX("PrimValue", tj_rx_prim, 0),
    REFUSED("ProducerLoad", "a tensor expression: lower it with TVM first"),
    REFUSED("ProducerRealize", "a tensor expression: lower it with TVM first"),
    REFUSED("ProducerStore", "a tensor expression: lower it with TVM first"),
    EXPR("RShift", tj_expr_binary, IR_SHR),
    EXPR("Ramp", tj_expr_ramp, IR_RAMP),
    LEAF("Range", TJ_K_RANGE),
    REFUSED("Reduce", "a tensor expression: lower it with TVM first"),
    STMT("Return", tj_stmt_return, 0),
    REFUSED("SBlock", "a block without its realize"),
    STMT("SBlockRealize", tj_stmt_realize, 0),
    REFUSED("ScopeIdDefStmt", "the kernel dialect is not read"),
    EXPR("Select", tj_expr_select, 0),
    RELAX("SeqExpr", tj_rx_seq, 0),
    STMT("SeqStmt", tj_stmt_seq, 0),
    LEAF("Shape", TJ_K_SHAPE),
    {"ShapeExpr", TJ_K_SHAPE_EXPR, 0, NULL, NULL, NULL, tj_rx_shape, NULL},
    TYPE("ShapeStructInfo", TJ_K_TYPE, tj_type_shape, 0),
    LEAF("ShapeTuple", TJ_K_SHAPE),
    TYPE("ShapeType", TJ_K_TYPE, tj_type_shape, 0),
    EXPR("Shuffle", tj_expr_shuffle, 0),
    {"SizeVar", TJ_K_VAR, 1, tj_expr_var, NULL, NULL, tj_rx_prim, NULL},
    REFUSED("Store", "save the module with TVM 0.9 or newer"),
    LEAF("String", TJ_K_STRING),
    {"StringImm", TJ_K_EXPR, 0, tj_expr_string, NULL, NULL, tj_rx_string, NULL},
    TYPE("StringType", TJ_K_TYPE, tj_type_plain, IR_TYPE_STRING),
    EXPR("Sub", tj_expr_binary, IR_SUB),
    LEAF("Tensor", TJ_K_TENSOR),
    EXPR("TensorLoad", tj_expr_load, 0),
    LEAF("TensorRegion", TJ_K_REGION),
    TYPE("TensorStructInfo", TJ_K_TYPE, tj_type_tensor, 0),
    TYPE("TensorType", TJ_K_TYPE, tj_type_tensor, 0),
    REFUSED("TilePrimitiveCall", "the kernel dialect is not read"),
    RELAX("Tuple", tj_rx_tuple, 0),
    RELAX("TupleGetItem", tj_rx_tuple_get, 0),
    TYPE("TupleStructInfo", TJ_K_TYPE, tj_type_tuple, 0),
    TYPE("TupleType", TJ_K_TYPE, tj_type_tuple, 0),
    TYPE("Type", TJ_K_NO_TYPE, tj_type_plain, IR_TYPE_NONE),
    {"Var", TJ_K_VAR, 0, tj_expr_var, NULL, NULL, tj_rx_var, NULL},
    STMT("While", tj_stmt_while, 0),
    LEAF("bool", TJ_K_BOOL),
    LEAF("float", TJ_K_FLOAT),
    LEAF("int", TJ_K_INT),
};

// clang-format on

static const struct tj_row other = {"?",  TJ_K_OTHER, 0,    NULL,
                                    NULL, NULL,       NULL, NULL};

/* Last dotted component; *prefix gets the length of what stands before. */
static const char *base_name(const char *type, size_t *prefix)
{
    const char *dot = strrchr(type, '.');
    *prefix = dot ? (size_t)(dot - type) : 0;
    return dot ? dot + 1 : type;
}

static bool known_namespace(const char *type, size_t len)
{
    static const char *const names[] = {"",        "ir",    "tir",       "tirx",
                                        "s_tir",   "prim",  "te",        "ffi",
                                        "runtime", "relax", "relax.expr"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (strlen(names[i]) == len && strncmp(type, names[i], len) == 0)
            return true;
    return false;
}

static int compare_row(const void *key, const void *row)
{
    return strcmp(key, ((const struct tj_row *)row)->name);
}

const struct tj_row *tj_row_find(const char *type)
{
    size_t prefix;
    const char *base = base_name(type, &prefix);
    if (!known_namespace(type, prefix))
        return &other;
    /* Same last component, another thing. */
    if (strcmp(type, "te.Tensor") == 0 || strcmp(type, "ffi.Function") == 0)
        return &other;
    const struct tj_row *row =
        bsearch(base, rows, DC_ARRAY_LEN(rows), sizeof rows[0], compare_row);
    return row ? row : &other;
}

bool ir_json_is_object(const char *type)
{
    switch (tj_row_find(type)->kind) {
    case TJ_OBJECT_KINDS: return true;
    case TJ_DATA_KINDS:
    case TJ_NODE_KINDS:
    case TJ_NO_VALUE_KINDS: return false;
    }
    return false;
}
