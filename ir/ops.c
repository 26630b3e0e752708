/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in the operator table (ops.def) and names of node kinds.
 *
 * TVM has moved operators between namespaces from release to release
 * (tir.exp, tirx.exp, prim.ceil, tirx.ptx.mma): an operator is known by the
 * last component of its name, except that the CUDA instructions of 0.25 and
 * later ("ptx.mma", "ptx_legacy.mma", "cuda.atomic_add", "ptx.cp.async") are
 * translated by a table of aliases first.
 */
#include "ir/ir.h"

#include <string.h>

static const struct ir_op_info infos[] = {
#define OP(id, name, min_args, max_args, flags, text) \
    {name, min_args, max_args, flags, text},
#include "ir/ops.def"
#undef OP
};

static const struct {
    const char *suffix; /* after the first namespace */
    enum ir_op op;
} aliases[] = {
    {"ptx.mma", IR_OP_PTX_MMA},
    {"ptx.mma_sp", IR_OP_PTX_MMA_SP},
    {"ptx.ldmatrix", IR_OP_PTX_LDMATRIX},
    {"ptx_legacy.mma", IR_OP_PTX_MMA},
    {"ptx_legacy.mma_sp", IR_OP_PTX_MMA_SP},
    {"ptx_legacy.ldmatrix", IR_OP_PTX_LDMATRIX},
    {"ptx_legacy.mma_fill", IR_OP_MMA_FILL},
    {"ptx_legacy.mma_store", IR_OP_MMA_STORE},
    {"mma_fill_legacy", IR_OP_MMA_FILL},
    {"mma_store_legacy", IR_OP_MMA_STORE},
    {"ptx.cp_async", IR_OP_PTX_CP_ASYNC},
    {"ptx.cp.async", IR_OP_PTX_CP_ASYNC},
    {"cp_async_raw", IR_OP_PTX_CP_ASYNC},
    {"s_tir.cp_async_raw", IR_OP_PTX_CP_ASYNC},
    {"ptx.cp.async.commit_group", IR_OP_PTX_COMMIT_GROUP},
    {"ptx.commit_group", IR_OP_PTX_COMMIT_GROUP},
    {"ptx.cp.async.wait_group", IR_OP_PTX_WAIT_GROUP},
    {"ptx.wait_group", IR_OP_PTX_WAIT_GROUP},
    {"cuda.atomic_add", IR_OP_ATOMIC_ADD},
    {"cuda.warp_sync", IR_OP_WARP_SYNC},
    {"access_ptr", IR_OP_TVM_ACCESS_PTR},
};

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), k = strlen(suffix);
    return n >= k && !strcmp(name + n - k, suffix) &&
           (n == k || name[n - k - 1] == '.');
}

enum ir_op ir_op_find(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(aliases); i++) {
        if (strchr(aliases[i].suffix, '.') &&
            ends_with(name, aliases[i].suffix))
            return aliases[i].op;
    }
    const char *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    if (!*last)
        return IR_OP_UNKNOWN;
    for (size_t i = 0; i < DC_ARRAY_LEN(infos); i++) {
        if (!strcmp(infos[i].name, last))
            return (enum ir_op)i;
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(aliases); i++) {
        if (!strcmp(aliases[i].suffix, last))
            return aliases[i].op;
    }
    return IR_OP_UNKNOWN;
}

const struct ir_op_info *ir_op_info(enum ir_op op)
{
    return &infos[(unsigned)op < IR_NOPS ? op : IR_OP_UNKNOWN];
}

const char *ir_expr_kind_name(enum ir_expr_kind kind)
{
    static const char *const names[IR_NKINDS] = {
        [IR_INT_IMM] = "IntImm",
        [IR_FLOAT_IMM] = "FloatImm",
        [IR_STRING_IMM] = "StringImm",
        [IR_VAR_REF] = "Var",
        [IR_BUFFER_REF] = "Buffer",
        [IR_ADD] = "Add",
        [IR_SUB] = "Sub",
        [IR_MUL] = "Mul",
        [IR_DIV] = "Div",
        [IR_MOD] = "Mod",
        [IR_FLOORDIV] = "FloorDiv",
        [IR_FLOORMOD] = "FloorMod",
        [IR_MIN] = "Min",
        [IR_MAX] = "Max",
        [IR_BITAND] = "BitwiseAnd",
        [IR_BITOR] = "BitwiseOr",
        [IR_BITXOR] = "BitwiseXor",
        [IR_SHL] = "LShift",
        [IR_SHR] = "RShift",
        [IR_EQ] = "EQ",
        [IR_NE] = "NE",
        [IR_LT] = "LT",
        [IR_LE] = "LE",
        [IR_GT] = "GT",
        [IR_GE] = "GE",
        [IR_AND] = "And",
        [IR_OR] = "Or",
        [IR_NOT] = "Not",
        [IR_BITNOT] = "BitwiseNot",
        [IR_CAST] = "Cast",
        [IR_SELECT] = "Select",
        [IR_RAMP] = "Ramp",
        [IR_BROADCAST] = "Broadcast",
        [IR_SHUFFLE] = "Shuffle",
        [IR_LOAD] = "BufferLoad",
        [IR_CALL] = "Call",
        [IR_LET] = "Let",
    };
    return (unsigned)kind < IR_NKINDS ? names[kind] : "?";
}

const char *ir_stmt_kind_name(enum ir_stmt_kind kind)
{
    static const char *const names[IR_NSTMTS] = {
        [IR_SEQ] = "SeqStmt",
        [IR_FOR] = "For",
        [IR_WHILE] = "While",
        [IR_IF] = "IfThenElse",
        [IR_BIND] = "Bind",
        [IR_ALLOC] = "AllocBuffer",
        [IR_ALLOC_CONST] = "AllocateConst",
        [IR_DECL_BUFFER] = "DeclBuffer",
        [IR_ATTR] = "AttrStmt",
        [IR_ASSERT] = "AssertStmt",
        [IR_EVALUATE] = "Evaluate",
        [IR_STORE] = "BufferStore",
        [IR_BLOCK] = "SBlock",
        [IR_BREAK] = "Break",
        [IR_CONTINUE] = "Continue",
        [IR_RETURN] = "Return",
    };
    return (unsigned)kind < IR_NSTMTS ? names[kind] : "?";
}

const char *ir_for_kind_name(enum ir_for_kind kind)
{
    switch (kind) {
    case IR_FOR_SERIAL: return "serial";
    case IR_FOR_PARALLEL: return "parallel";
    case IR_FOR_VECTORIZED: return "vectorized";
    case IR_FOR_UNROLLED: return "unroll";
    case IR_FOR_THREAD: return "thread_binding";
    }
    return "?";
}

const char *ir_era_name(enum ir_era era)
{
    switch (era) {
    case IR_ERA_NONE: return "none";
    case IR_ERA_A: return "A";
    case IR_ERA_B: return "B";
    case IR_ERA_C: return "C";
    case IR_ERA_D: return "D";
    case IR_ERA_E: return "E";
    case IR_ERA_F: return "F";
    }
    return "?";
}
