/* SPDX-License-Identifier: Apache-2.0
 *
 * One operator on numbers, as rules 8 to 13 have it: integers wrap at the width
 * of their type, wherever the result goes. What happened on the way goes on with
 * the number. Private to verifier/enumerate/.
 */
#ifndef DC_VERIFIER_ENUMERATE_ENUM_OP_H
#define DC_VERIFIER_ENUMERATE_ENUM_OP_H

#include "ir/ir.h"

enum enum_mark {
    /* it comes from an int32 or int64 operation that did not fit: a fault where
     * it reaches an address, an extent or a condition (R9) */
    ENUM_OVERFLOWED = 1,
    /* it comes from an operation that rounded, or gave no real number */
    ENUM_ROUNDED = 2,
    ENUM_UNDEFINED = 4, /* it has no value (R10); the bits are 0 */
    ENUM_TRAPPED = 8,   /* a fault on the way (R8, R9); the bits are 0 */
    /* it comes from an operator that is not known here: its bits are those of
     * some function of the operands */
    ENUM_UNKNOWN = 16
};

struct enum_number {
    uint64_t bits;
    unsigned marks;
};

struct enum_operator {
    enum ir_expr_kind kind;
    enum ir_op call; /* of IR_CALL */
    struct dtype dtype;
};

/* types: of the operands. */
struct enum_number enum_apply(const struct enum_operator *o, uint32_t n,
                              const struct dtype *types,
                              const struct enum_number *args);
/* Whether an operand makes the result undefined, or a fault, whatever the
 * others are: a shift count, a divisor. marks: those of the result. */
bool enum_decides(const struct enum_operator *o, uint32_t operand,
                  struct dtype type, uint64_t bits, unsigned *marks);

#endif
