/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of operators and functions. T.exp(x) is used where TVM 0.27 builds
 * exactly this call from it: the operator has a function of its name there,
 * the operands are ones that it does not fold or rewrite, and the result type
 * is the one it derives. Everything else is spelt T.call_intrin(dtype, name,
 * …), which says all there is to say.
 */
#include "ir/writers/tvmscript/print_script.h"

#include <string.h>

/* What T.name(operands) gives as result type in TVM 0.27. */
enum result_rule {
    NO_FUNCTION,   /* there is none, or it does something else */
    AS_FLOAT,      /* the first operand's type, a float */
    AS_UNFOLDED,   /* as AS_FLOAT, but constants are folded */
    AS_FIRST,      /* the first operand's type */
    AS_SECOND,     /* the second operand's type */
    AS_POWER,      /* two floats of one type */
    IS_BOOL,       /* bool */
    IS_BOOL_FLOAT, /* bool, of a float that is no constant */
    IS_INT32,
    IS_UINT32,
    IS_VOID,
    IS_HANDLE,
    IS_CHOICE, /* if_then_else */
    IS_GIVEN   /* the type is printed as an operand */
};

static enum result_rule rule_of(enum ir_op op);

static bool is_float_value(const struct ir_expr *e)
{
    return e->dtype.code == DT_FLOAT || e->dtype.code == DT_BFLOAT;
}

static bool is_constant(const struct ir_expr *e)
{
    return e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM;
}

static bool choice_is_plain(const struct ir_expr *e)
{
    return e->nargs == 3 && !is_constant(e->args[0]) &&
           dtype_is_bool(e->args[0]->dtype) &&
           dtype_equal(e->args[1]->dtype, e->args[2]->dtype) &&
           dtype_equal(e->dtype, e->args[1]->dtype) &&
           !dtype_is_handle(e->dtype);
}

static bool one_float_type(const struct ir_expr *e)
{
    for (uint32_t i = 0; i < e->nargs; i++)
        if (!is_float_value(e->args[i]) ||
            !dtype_equal(e->args[i]->dtype, e->dtype))
            return false;
    return e->nargs > 0;
}

/* Whether T.name(operands) is this very call. */
static bool is_plain(const struct ir_expr *e)
{
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    const struct ir_expr *first = e->nargs ? e->args[0] : NULL;
    if ((int)e->nargs < info->min_args ||
        (info->max_args >= 0 && (int)e->nargs > info->max_args))
        return false;
    switch (rule_of(e->u.call.op)) {
    case NO_FUNCTION: return false;
    case AS_FLOAT:
    case AS_POWER: return one_float_type(e);
    case AS_UNFOLDED: return one_float_type(e) && !is_constant(first);
    case AS_FIRST:
        return first && dtype_equal(e->dtype, first->dtype) &&
               !is_constant(first) && !dtype_is_handle(first->dtype);
    case AS_SECOND:
        return e->nargs > 1 && dtype_equal(e->dtype, e->args[1]->dtype) &&
               !dtype_is_handle(e->dtype);
    case IS_BOOL: return dtype_equal(e->dtype, DTYPE_BOOL);
    case IS_BOOL_FLOAT:
        return is_float_value(first) && !is_constant(first) &&
               dtype_equal(e->dtype,
                           dtype_with_lanes(DTYPE_BOOL, first->dtype.lanes)) &&
               !first->dtype.scalable;
    case IS_INT32: return dtype_equal(e->dtype, DTYPE_INT32);
    case IS_UINT32: return dtype_equal(e->dtype, dtype_make(DT_UINT, 32, 1));
    case IS_VOID: return e->dtype.code == DT_VOID;
    case IS_HANDLE: return dtype_is_handle(e->dtype);
    case IS_CHOICE: return choice_is_plain(e);
    case IS_GIVEN: return true;
    }
    return false;
}

// clang-format off
static enum result_rule rule_of(enum ir_op op)
{
    /* A table over a few of many operators: those not named have no rule. */
    static const struct { enum ir_op op; enum result_rule rule; } rules[] = {
        {IR_OP_IF_THEN_ELSE, IS_CHOICE},
        {IR_OP_LIKELY, AS_FIRST}, {IR_OP_IGNORE_LOOP_PARTITION, IS_BOOL},
        {IR_OP_THREAD_INVARIANT, AS_FIRST}, {IR_OP_ASSUME, IS_BOOL},
        {IR_OP_UNDEF, IS_INT32}, {IR_OP_REINTERPRET, IS_GIVEN},
        {IR_OP_VSCALE, IS_INT32}, {IR_OP_GET_ACTIVE_LANE_MASK, IS_GIVEN},
        {IR_OP_VECTORLOW, IS_GIVEN}, {IR_OP_VECTORHIGH, IS_GIVEN},
        {IR_OP_VECTORCOMBINE, IS_GIVEN}, {IR_OP_ISNULLPTR, IS_BOOL},
        {IR_OP_POPCOUNT, AS_FIRST}, {IR_OP_CLZ, IS_INT32},
        {IR_OP_Q_MULTIPLY_SHIFT, IS_INT32},
        {IR_OP_Q_MULTIPLY_SHIFT_PER_AXIS, IS_INT32},
        {IR_OP_FABS, AS_UNFOLDED}, {IR_OP_SQRT, AS_FLOAT},
        {IR_OP_RSQRT, AS_FLOAT}, {IR_OP_EXP, AS_FLOAT},
        {IR_OP_EXP2, AS_FLOAT}, {IR_OP_EXP10, AS_FLOAT},
        {IR_OP_LOG, AS_FLOAT}, {IR_OP_LOG2, AS_FLOAT},
        {IR_OP_LOG10, AS_FLOAT}, {IR_OP_LOG1P, AS_FLOAT},
        {IR_OP_SIN, AS_FLOAT}, {IR_OP_COS, AS_FLOAT}, {IR_OP_TAN, AS_FLOAT},
        {IR_OP_SINH, AS_FLOAT}, {IR_OP_COSH, AS_FLOAT},
        {IR_OP_TANH, AS_FLOAT}, {IR_OP_ASIN, AS_FLOAT},
        {IR_OP_ACOS, AS_FLOAT}, {IR_OP_ATAN, AS_FLOAT},
        {IR_OP_ASINH, AS_FLOAT}, {IR_OP_ACOSH, AS_FLOAT},
        {IR_OP_ATANH, AS_FLOAT}, {IR_OP_ERF, AS_FLOAT},
        {IR_OP_SIGMOID, AS_FLOAT}, {IR_OP_FLOOR, AS_UNFOLDED},
        {IR_OP_CEIL, AS_UNFOLDED}, {IR_OP_TRUNC, AS_UNFOLDED},
        {IR_OP_ROUND, AS_UNFOLDED}, {IR_OP_NEARBYINT, AS_UNFOLDED},
        {IR_OP_POW, AS_POWER}, {IR_OP_ATAN2, AS_FLOAT},
        {IR_OP_HYPOT, AS_FLOAT}, {IR_OP_COPYSIGN, AS_FLOAT},
        {IR_OP_NEXTAFTER, AS_FLOAT}, {IR_OP_FMOD, AS_FLOAT},
        {IR_OP_LDEXP, AS_FIRST}, {IR_OP_FMA, AS_FLOAT},
        {IR_OP_ISNAN, IS_BOOL_FLOAT},
        {IR_OP_ADDRESS_OF, IS_HANDLE}, {IR_OP_TVM_ACCESS_PTR, IS_HANDLE},
        {IR_OP_TYPE_ANNOTATION, IS_GIVEN},
        {IR_OP_HANDLE_ADD_BYTE_OFFSET, IS_HANDLE},
        {IR_OP_CALL_EXTERN, IS_GIVEN}, {IR_OP_CALL_PURE_EXTERN, IS_GIVEN},
        {IR_OP_TVM_STACK_ALLOCA, IS_HANDLE},
        {IR_OP_TVM_STACK_MAKE_SHAPE, IS_HANDLE},
        {IR_OP_TVM_STACK_MAKE_ARRAY, IS_HANDLE},
        {IR_OP_TVM_STRUCT_GET, IS_GIVEN}, {IR_OP_TVM_STRUCT_SET, IS_INT32},
        {IR_OP_TVM_TUPLE, IS_VOID}, {IR_OP_THREAD_RETURN, IS_VOID},
        {IR_OP_START_PROFILE, IS_VOID}, {IR_OP_END_PROFILE, IS_VOID},
        {IR_OP_THREAD_ALLREDUCE, IS_VOID},
        {IR_OP_WARP_SHUFFLE, AS_SECOND}, {IR_OP_WARP_SHUFFLE_UP, AS_SECOND},
        {IR_OP_WARP_SHUFFLE_DOWN, AS_SECOND},
        {IR_OP_WARP_SHUFFLE_XOR, AS_SECOND},
        {IR_OP_WARP_ACTIVEMASK, IS_UINT32},
        {IR_OP_FILL_FRAGMENT, IS_VOID}, {IR_OP_LOAD_MATRIX_SYNC, IS_VOID},
        {IR_OP_STORE_MATRIX_SYNC, IS_VOID}, {IR_OP_MMA_SYNC, IS_VOID},
        {IR_OP_BMMA_SYNC, IS_VOID},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rules); i++)
        if (rules[i].op == op)
            return rules[i].rule;
    return NO_FUNCTION;
}
// clang-format on

/* The operators that TVM 0.27 registers as prim.x; the rest are tirx.x. */
static bool in_prim(enum ir_op op)
{
    return op == IR_OP_IF_THEN_ELSE || op == IR_OP_LIKELY ||
           op == IR_OP_VSCALE || op == IR_OP_CLZ || op == IR_OP_LOG2 ||
           op == IR_OP_CEIL;
}

/* The full name of an operator in the newest dialect. */
static const char *full_name(struct print_state *p, const struct ir_expr *e)
{
    const char *name = e->u.call.name;
    if (e->u.call.op == IR_OP_UNKNOWN) {
        if (strncmp(name, "tir.", 4) == 0)
            return arena_printf(p->arena, "tirx.%s", name + 4);
        return name;
    }
    const char *bare = ir_op_info(e->u.call.op)->name;
    if (strncmp(name, "tir", 3) != 0 && strncmp(name, "prim.", 5) != 0 &&
        strchr(name, '.'))
        return name;
    const char *rest = strchr(name, '.');
    rest = rest ? rest + 1 : bare;
    return arena_printf(p->arena, "%s.%s",
                        in_prim(e->u.call.op) ? "prim" : "tirx", rest);
}

static void put_attributed(struct print_state *p, const struct ir_expr *e)
{
    buf_puts(p->out, "T.Call(");
    print_put_string(p->out, full_name(p, e));
    buf_puts(p->out, ", [");
    print_put_exprs(p, e->nargs, e->args);
    buf_puts(p->out, "], attrs=");
    print_put_value(p, e->u.call.attrs);
    buf_puts(p->out, ", ret_ty=");
    print_put_dtype(p->out, e->dtype);
    buf_putc(p->out, ')');
}

static void put_plain(struct print_state *p, const struct ir_expr *e)
{
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    buf_printf(p->out, "T.%s(", info->name);
    bool comma = false;
    if (info->flags & IR_OPF_DTYPE_FIRST) {
        print_put_dtype(p->out, e->dtype);
        comma = true;
    }
    for (uint32_t i = 0; i < e->nargs; i++) {
        buf_puts(p->out, comma ? ", " : "");
        print_put_expr(p, e->args[i]);
        comma = true;
    }
    if (info->flags & IR_OPF_DTYPE_LAST) {
        buf_puts(p->out, comma ? ", " : "");
        print_put_dtype(p->out, e->dtype);
    }
    buf_putc(p->out, ')');
}

static void put_intrin(struct print_state *p, const struct ir_expr *e)
{
    buf_puts(p->out, "T.call_intrin(");
    print_put_dtype(p->out, e->dtype);
    buf_puts(p->out, ", ");
    print_put_string(p->out, full_name(p, e));
    for (uint32_t i = 0; i < e->nargs; i++) {
        buf_puts(p->out, ", ");
        print_put_expr(p, e->args[i]);
    }
    buf_putc(p->out, ')');
}

void print_put_call(struct print_state *p, const struct ir_expr *e)
{
    const struct ir_value *attrs = e->u.call.attrs;
    if (e->u.call.op == IR_OP_BUFFER_DATA && e->nargs == 1 &&
        e->args[0]->kind == IR_BUFFER_REF) {
        buf_printf(p->out, "%s.data", print_buffer(p, e->args[0]->u.buffer));
    } else if (attrs && attrs->n > 0 && !p->loose) {
        put_attributed(p, e);
    } else if (e->u.call.op == IR_OP_GLOBAL) {
        if (p->module_name)
            buf_printf(p->out, "%s.", p->module_name);
        buf_printf(p->out, "%s(", print_function_name(p, e->u.call.name));
        print_put_exprs(p, e->nargs, e->args);
        buf_putc(p->out, ')');
    } else if (e->u.call.op != IR_OP_UNKNOWN && (p->loose || is_plain(e))) {
        put_plain(p, e);
    } else {
        put_intrin(p, e);
    }
}
