/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operation of num.h an expression kind or an operator is: one answer for
 * all who execute or fold expressions. What is no arithmetic (loads, choices,
 * lets) has none.
 */
#include "ir/ir.h"

enum num_op ir_num_op(enum ir_expr_kind kind)
{
    static const uint8_t table[IR_NKINDS] = {
        [IR_ADD] = NUM_ADD,
        [IR_SUB] = NUM_SUB,
        [IR_MUL] = NUM_MUL,
        [IR_DIV] = NUM_DIV,
        [IR_MOD] = NUM_MOD,
        [IR_FLOORDIV] = NUM_FLOORDIV,
        [IR_FLOORMOD] = NUM_FLOORMOD,
        [IR_MIN] = NUM_MIN,
        [IR_MAX] = NUM_MAX,
        [IR_BITAND] = NUM_BITAND,
        [IR_BITOR] = NUM_BITOR,
        [IR_BITXOR] = NUM_BITXOR,
        [IR_BITNOT] = NUM_BITNOT,
        [IR_SHL] = NUM_SHL,
        [IR_SHR] = NUM_SHR,
        [IR_EQ] = NUM_EQ,
        [IR_NE] = NUM_NE,
        [IR_LT] = NUM_LT,
        [IR_LE] = NUM_LE,
        [IR_GT] = NUM_GT,
        [IR_GE] = NUM_GE,
        [IR_AND] = NUM_AND,
        [IR_OR] = NUM_OR,
        [IR_NOT] = NUM_NOT,
    };
    /* 0 is an operation, but of no kind */
    return table[kind] != 0 ? (enum num_op)table[kind] : NUM_NOPS;
}

const struct ir_infix *ir_infix_of(enum ir_expr_kind kind)
{
    static const struct ir_infix table[IR_NKINDS] = {
        [IR_OR] = {" or ", 1},       [IR_AND] = {" and ", 2},
        [IR_EQ] = {" == ", 3},       [IR_NE] = {" != ", 3},
        [IR_LT] = {" < ", 3},        [IR_LE] = {" <= ", 3},
        [IR_GT] = {" > ", 3},        [IR_GE] = {" >= ", 3},
        [IR_BITOR] = {" | ", 4},     [IR_BITXOR] = {" ^ ", 5},
        [IR_BITAND] = {" & ", 6},    [IR_SHL] = {" << ", 7},
        [IR_SHR] = {" >> ", 7},      [IR_ADD] = {" + ", 8},
        [IR_SUB] = {" - ", 8},       [IR_MUL] = {" * ", 9},
        [IR_DIV] = {" / ", 9},       [IR_MOD] = {" % ", 9},
        [IR_FLOORDIV] = {" // ", 9}, [IR_FLOORMOD] = {" % ", 9},
    };
    return table[kind].text != NULL ? &table[kind] : NULL;
}

enum num_op ir_call_num(enum ir_op op, size_t nargs)
{
    const struct ir_op_info *info = ir_op_info(op);
    return (size_t)info->min_args == nargs ? info->num : NUM_NOPS;
}
