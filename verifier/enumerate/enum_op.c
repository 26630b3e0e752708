/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on numbers. Everything is computed by ir/num in the type of the
 * operands. Undefined operands make undefined results, but for a choice, which
 * is what the chosen arm is; a fault in any operand is one (R8).
 *
 * What an operator does that is not known here (a C function by name) is
 * taken for a function of its operands that has no laws: equal operands, equal
 * results. Such results are marked, since nothing follows from their being
 * unequal.
 */
#include "verifier/enumerate/enum_op.h"

static bool is_division(enum ir_expr_kind k)
{
    return k == IR_DIV || k == IR_MOD || k == IR_FLOORDIV || k == IR_FLOORMOD;
}

/* Some value of the type that nothing but the operands decides. */
static struct enum_number keyed(const struct enum_operator *o, uint32_t n,
                                const struct enum_number *args, unsigned marks)
{
    uint64_t h = hash_mix((uint64_t)o->kind << 32 | (uint64_t)o->call,
                          (uint64_t)o->dtype.code << 32 | o->dtype.bits);
    unsigned flags = 0;
    for (uint32_t i = 0; i < n; i++)
        h = hash_mix(h, args[i].bits);
    struct enum_number out = {h, marks | ENUM_UNKNOWN};
    if (dtype_is_float(o->dtype))
        out.bits =
            num_from_double(o->dtype, (double)(h % 4001) / 8 - 250, &flags);
    else
        out.bits = num_from_int(o->dtype, (int64_t)h, &flags);
    return out;
}

static bool is_real(struct dtype t, uint64_t bits)
{
    return !num_is_nan(t, bits) && !num_is_inf(t, bits);
}

/* What ir/num reported about an operation on operands of type t. */
static struct enum_number finish(const struct enum_operator *o, uint32_t n,
                                 struct dtype t, const struct enum_number *args,
                                 uint64_t bits, unsigned flags, unsigned marks)
{
    if (flags & NUM_NO_RULE)
        return keyed(o, n, args, marks);
    if (flags & (NUM_DIV_ZERO | NUM_DIV_OVERFLOW))
        return (struct enum_number){0, marks | ENUM_TRAPPED};
    if (flags & NUM_UNDEFINED)
        return (struct enum_number){0, marks | ENUM_UNDEFINED};
    if ((flags & NUM_WRAPPED) && t.code == DT_INT && t.bits >= 32)
        marks |= ENUM_OVERFLOWED;
    if ((flags & NUM_INEXACT) ||
        (dtype_is_float(o->dtype) && !is_real(o->dtype, bits)))
        marks |= ENUM_ROUNDED;
    return (struct enum_number){bits, marks};
}

/* The same bits as another type of that size. */
static struct enum_number reinterpret(const struct enum_operator *o,
                                      struct dtype from,
                                      const struct enum_number *a)
{
    unsigned char bytes[8] = {0};
    size_t size = dtype_lane_bytes(from);
    if (size > sizeof bytes || size != dtype_lane_bytes(o->dtype) ||
        dtype_is_handle(from) || dtype_is_handle(o->dtype))
        return keyed(o, 1, a, a->marks);
    num_store(from, bytes, a->bits);
    if (dtype_is_bool(o->dtype) && bytes[0] > 1)
        return (struct enum_number){0, a->marks | ENUM_UNDEFINED};
    return (struct enum_number){num_load(o->dtype, bytes), a->marks};
}

/* Counts of bits have a type of their own. */
static struct enum_number unary(const struct enum_operator *o, enum num_op op,
                                struct dtype t, const struct enum_number *a)
{
    unsigned flags = 0;
    uint64_t bits = num_unary(op, t, a->bits, &flags);
    if ((op == NUM_CLZ || op == NUM_POPCOUNT) && flags == 0)
        bits = num_cast(t, o->dtype, bits, &flags);
    return finish(o, 1, t, a, bits, flags, a->marks);
}

/* A sum of many operands in no order (a product of tiles): known where it does
 * not matter. */
static struct enum_number sum(const struct enum_operator *o, uint32_t n,
                              const struct dtype *types,
                              const struct enum_number *args, unsigned marks)
{
    unsigned flags = 0;
    uint64_t bits = args[0].bits;
    for (uint32_t i = 1; i < n; i++)
        bits = num_binary(NUM_ADD, types[0], bits, args[i].bits, &flags);
    if (dtype_is_float(types[0]) && (flags & NUM_INEXACT))
        marks |= ENUM_UNKNOWN;
    return finish(o, n, types[0], args, bits, flags, marks);
}

static struct enum_number call(const struct enum_operator *o, uint32_t n,
                               const struct dtype *types,
                               const struct enum_number *args, unsigned marks)
{
    enum num_op op = ir_call_num(o->call, n);
    unsigned flags = 0;
    uint64_t bits;
    if (n == 1 && op != NUM_NOPS)
        return unary(o, op, types[0], args);
    if (n == 2 && op != NUM_NOPS) {
        bits = num_binary(op, types[0], args[0].bits, args[1].bits, &flags);
        return finish(o, n, types[0], args, bits, flags, marks);
    }
    if (o->call == IR_OP_FMA && n == 3 && dtype_is_float(o->dtype)) {
        bits =
            num_fma(o->dtype, args[0].bits, args[1].bits, args[2].bits, &flags);
        return finish(o, n, o->dtype, args, bits, flags, marks);
    }
    if (o->call == IR_OP_REINTERPRET && n == 1)
        return reinterpret(o, types[0], args);
    if (o->call == IR_OP_LARGE_UINT_IMM && n == 2) {
        bits = args[1].bits << 32 | (args[0].bits & 0xffffffffu);
        bits = num_from_int(o->dtype, (int64_t)bits, &flags);
        return (struct enum_number){bits, marks};
    }
    return keyed(o, n, args, marks);
}

/* A condition that overflowed is a fault; what it chooses depends on it. */
static struct enum_number choose(const struct enum_number *args)
{
    struct enum_number out = args[args[0].bits != 0 ? 1 : 2];
    unsigned trapped =
        (args[0].marks | args[1].marks | args[2].marks) & ENUM_TRAPPED;
    if (args[0].marks & ENUM_OVERFLOWED)
        trapped |= ENUM_TRAPPED;
    if (args[0].marks & ENUM_UNDEFINED)
        out = (struct enum_number){0, ENUM_UNDEFINED};
    out.marks |= trapped | args[0].marks;
    return out;
}

struct enum_number enum_apply(const struct enum_operator *o, uint32_t n,
                              const struct dtype *types,
                              const struct enum_number *args)
{
    enum num_op op = ir_num_op(o->kind);
    unsigned marks = 0, flags = 0;
    uint64_t bits;
    if (o->kind == IR_SELECT && n == 3)
        return choose(args);
    for (uint32_t i = 0; i < n; i++)
        marks |= args[i].marks;
    if (marks & (ENUM_UNDEFINED | ENUM_TRAPPED))
        return (struct enum_number){0, marks};
    if (o->kind == IR_CALL)
        return call(o, n, types, args, marks);
    if (o->kind == IR_ADD && n > 2)
        return sum(o, n, types, args, marks);
    if (o->kind == IR_CAST && n == 1)
        bits = num_cast(types[0], o->dtype, args[0].bits, &flags);
    else if (n == 1 && op != NUM_NOPS)
        return unary(o, op, types[0], args);
    else if (n == 2 && op != NUM_NOPS)
        bits = num_binary(op, types[0], args[0].bits, args[1].bits, &flags);
    else
        return keyed(o, n, args, marks);
    return finish(o, n, types[0], args, bits, flags, marks);
}

bool enum_decides(const struct enum_operator *o, uint32_t operand,
                  struct dtype type, uint64_t bits, unsigned *marks)
{
    bool shift = o->kind == IR_SHL || o->kind == IR_SHR ||
                 (o->kind == IR_CALL && (o->call == IR_OP_SHIFT_LEFT ||
                                         o->call == IR_OP_SHIFT_RIGHT));
    *marks = is_division(o->kind) ? ENUM_TRAPPED : ENUM_UNDEFINED;
    if (operand != 1 || !dtype_is_int(type))
        return false;
    return is_division(o->kind) ? bits == 0 : shift && bits >= type.bits;
}
