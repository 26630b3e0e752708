/* SPDX-License-Identifier: Apache-2.0
 *
 * Look-ups in the operator table (ops.def) and names of node kinds.
 *
 * TVM has moved operators between namespaces from release to release
 * (tir.exp, tirx.exp, prim.ceil, tirx.ptx.mma): an operator is known by the
 * last component of its name, except that the CUDA instructions of 0.25 and
 * later ("ptx.mma", "ptx_legacy.mma", "cuda.atomic_add", "ptx.cp.async") are
 * looked for among the spellings first.
 */
#include "ir/ir.h"

#include <string.h>

static const struct ir_op_info infos[] = {
#define OP(id, name, spellings, min_args, max_args, operands, flags, result, \
           num, who, text)                                                   \
    {name,  spellings,          min_args,  max_args,     operands,           \
     flags, IR_RESULT_##result, NUM_##num, IR_WHO_##who, text},
#include "ir/ops.def"
#undef OP
};

static bool ends_with(const char *name, const char *suffix, size_t k)
{
    size_t n = strlen(name);
    return n >= k && !memcmp(name + n - k, suffix, k) &&
           (n == k || name[n - k - 1] == '.');
}

/* The row that has the spelling: dotted ones are ends of the name, of others
 * the last component is one. cuda: those after a ~, which are no others. */
static enum ir_op find_spelling(const char *name, bool dotted, bool cuda)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(infos); i++) {
        const char *at = infos[i].spellings;
        for (size_t n; *at; at += n + (at[n] == ' ')) {
            n = strcspn(at, " ");
            bool tilde = *at == '~';
            if (tilde == cuda && (memchr(at, '.', n) != NULL) == dotted &&
                ends_with(name, at + tilde, n - tilde))
                return (enum ir_op)i;
        }
    }
    return IR_OP_UNKNOWN;
}

enum ir_op ir_op_find(const char *name)
{
    enum ir_op op = find_spelling(name, true, false);
    const char *dot = strrchr(name, '.');
    const char *last = dot ? dot + 1 : name;
    if (op != IR_OP_UNKNOWN || !*last)
        return op;
    for (size_t i = 0; i < DC_ARRAY_LEN(infos); i++) {
        if (!strcmp(infos[i].name, last))
            return (enum ir_op)i;
    }
    return find_spelling(last, false, false);
}

enum ir_op ir_call_op(const struct ir_expr *call)
{
    enum ir_op op = call->u.call.op;
    return op == IR_OP_UNKNOWN && call->u.call.name
               ? find_spelling(call->u.call.name, true, true)
               : op;
}

bool ir_is_collective(const struct ir_expr *e)
{
    return e->kind == IR_CALL &&
           ir_op_info(ir_call_op(e))->who != IR_WHO_THREAD;
}

bool ir_op_takes(enum ir_op op, size_t nargs)
{
    const struct ir_op_info *info = ir_op_info(op);
    return nargs >= (size_t)info->min_args &&
           (info->max_args < 0 || nargs <= (size_t)info->max_args);
}

enum ir_op ir_function_op(const char *name)
{
    bool llvm = !strncmp(name, "llvm.", 5);
    name += llvm ? 5 : 0;
    size_t n = llvm ? strcspn(name, ".") : strlen(name);
    if (!llvm && n > 1 && name[n - 1] == 'f' && strcmp(name, "erf") != 0)
        n--;
    static const struct {
        const char *name;
        enum ir_op op;
    } others[] = {{"rint", IR_OP_NEARBYINT},
                  {"roundeven", IR_OP_NEARBYINT},
                  {"fmuladd", IR_OP_FMA},
                  {"ldexp", IR_OP_LDEXP}};
    for (size_t i = 0; i < DC_ARRAY_LEN(others); i++)
        if (strlen(others[i].name) == n && !memcmp(others[i].name, name, n))
            return others[i].op;
    for (size_t i = 0; i < DC_ARRAY_LEN(infos); i++)
        if ((infos[i].flags & IR_OPF_MATH) && strlen(infos[i].name) == n &&
            !memcmp(infos[i].name, name, n))
            return (enum ir_op)i;
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
