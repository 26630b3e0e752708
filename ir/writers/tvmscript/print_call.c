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
    if (!ir_op_takes(e->u.call.op, e->nargs) || !(info->flags & IR_OPF_SCRIPT))
        return false;
    if (info->flags & IR_OPF_MATH)
        return one_float_type(e) &&
               !((info->flags & IR_OPF_FOLDED) && is_constant(first));
    switch (info->result) {
    case IR_RESULT_FIRST:
        return first && dtype_equal(e->dtype, first->dtype) &&
               !is_constant(first) && !dtype_is_handle(first->dtype);
    case IR_RESULT_SECOND:
        return e->nargs > 1 && dtype_equal(e->dtype, e->args[1]->dtype) &&
               !dtype_is_handle(e->dtype);
    case IR_RESULT_BOOL: return dtype_equal(e->dtype, DTYPE_BOOL);
    case IR_RESULT_BOOL_LANES:
        return is_float_value(first) && !is_constant(first) &&
               dtype_equal(e->dtype,
                           dtype_with_lanes(DTYPE_BOOL, first->dtype.lanes)) &&
               !first->dtype.scalable;
    case IR_RESULT_INT32: return dtype_equal(e->dtype, DTYPE_INT32);
    case IR_RESULT_UINT32:
        return dtype_equal(e->dtype, dtype_make(DT_UINT, 32, 1));
    case IR_RESULT_VOID: return e->dtype.code == DT_VOID;
    case IR_RESULT_HANDLE: return dtype_is_handle(e->dtype);
    case IR_RESULT_CHOICE: return choice_is_plain(e);
    case IR_RESULT_GIVEN: return true;
    }
    return false;
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
    const struct ir_op_info *info = ir_op_info(e->u.call.op);
    if (strncmp(name, "tir", 3) != 0 && strncmp(name, "prim.", 5) != 0 &&
        strchr(name, '.'))
        return name;
    const char *rest = strchr(name, '.');
    rest = rest ? rest + 1 : info->name;
    return arena_printf(p->arena, "%s.%s",
                        info->flags & IR_OPF_PRIM ? "prim" : "tirx", rest);
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
