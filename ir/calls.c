/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call says in words: the operator behind its name, the texts among its
 * operands, the function that it runs. Spellings only; what they mean is for
 * each reader of them to say.
 */
#include "ir/ir.h"

#include <string.h>

const char *ir_call_text(const struct ir_expr *call, uint32_t operand)
{
    return operand < call->nargs && call->args[operand]->kind == IR_STRING_IMM
               ? call->args[operand]->u.string.text
               : "";
}

bool ir_is_identity(const struct ir_expr *e)
{
    return e->kind == IR_CALL && e->nargs == 1 &&
           (ir_op_info(e->u.call.op)->flags & IR_OPF_IDENTITY) != 0;
}

const char *ir_callee(const struct ir_expr *call)
{
    if (call->u.call.op == IR_OP_GLOBAL)
        return call->u.call.name;
    return (ir_op_info(call->u.call.op)->flags & IR_OPF_NAMED) &&
                   call->nargs > 0 && call->args[0]->kind == IR_STRING_IMM
               ? call->args[0]->u.string.text
               : NULL;
}

const struct ir_func *ir_definition(const struct ir_module *m, const char *name)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        const struct ir_func *f = m->funcs[i];
        const char *symbol =
            ir_value_as_string(ir_attr_find(f->attrs, "global_symbol"));
        if (f->kind == IR_FUNC_PRIM && f->prim.body &&
            (!strcmp(f->name, name) || (symbol && !strcmp(symbol, name))))
            return f;
    }
    return NULL;
}

bool ir_call_layout(const struct ir_expr *call, uint32_t operand,
                    bool *row_major)
{
    const char *text = ir_call_text(call, operand);
    *row_major = !strcmp(text, "row_major");
    return *row_major || !strcmp(text, "col_major");
}

bool ir_ptx_type(const char *text, struct dtype *out)
{
    static const struct {
        const char *name, *type;
    } table[] = {
        {"fp16", "float16"},     {"f16", "float16"},  {"bf16", "bfloat16"},
        {"tf32", "float32"},     {"fp32", "float32"}, {"f32", "float32"},
        {"fp64", "float64"},     {"f64", "float64"},  {"s8", "int8"},
        {"u8", "uint8"},         {"s32", "int32"},    {"e4m3", "float8_e4m3fn"},
        {"e5m2", "float8_e5m2"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(table); i++)
        if (!strcmp(table[i].name, text))
            text = table[i].type;
    return dtype_parse(text, out);
}
