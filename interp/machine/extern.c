/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of functions outside of the module: call_extern, packed functions,
 * LLVM intrinsics by number.
 *
 * Such a function runs when the module has a PrimFunc of its name (or global
 * symbol): that is how one is supplied. Its operands are those of the call:
 * numbers, pointers, and for tensors that are passed as DLTensors
 * (tvm_stack_make_array) their data pointers. What has no definition ends the
 * run with a message that names it.
 */
#include "interp/machine/step.h"

/* The operand that stands for a tensor or number. */
static struct ir_expr *operand(struct ir_expr *e)
{
    /* data, shape, strides, dimensions, type, offset */
    return e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_STACK_MAKE_ARRAY &&
                   e->nargs > 0
               ? e->args[0]
               : e;
}

static struct value unknown(struct machine *m, const struct ir_expr *e,
                            const char *what, const char *name)
{
    exec_fault(m, INTERP_UNSUPPORTED, NULL, e,
               "nothing defines the %s '%s': supply a PrimFunc of this name "
               "(or global_symbol) with the parameters of this call, in the "
               "module or with '--extern FILE'",
               what, name);
    return exec_value_undefined_of(m, e->dtype);
}

static struct value run_definition(struct machine *m, const struct ir_expr *e,
                                   const struct ir_func *f)
{
    uint32_t n = e->nargs - 1;
    struct ir_expr call = *e;
    call.u.call.op = IR_OP_GLOBAL;
    call.u.call.name = f->name;
    call.nargs = n;
    call.args = ARENA_ARRAY(m->arena, (size_t)n + 1, struct ir_expr *);
    for (uint32_t i = 0; i < n; i++)
        call.args[i] = operand(e->args[i + 1]);
    for (uint32_t i = 0; i < n && n == f->prim.nparams; i++)
        if (!dtype_equal(call.args[i]->dtype, f->prim.params[i].var->dtype)) {
            exec_fault(m, INTERP_UNSUPPORTED, NULL, e,
                       "'%s' is called with another type of operand %u than "
                       "its definition takes",
                       f->name, (unsigned)i + 1);
            return exec_value_undefined_of(m, e->dtype);
        }
    if (n != f->prim.nparams) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, e,
                   "'%s' is called with %u operands but its definition takes "
                   "%zu",
                   f->name, (unsigned)n, f->prim.nparams);
        return exec_value_undefined_of(m, e->dtype);
    }
    return exec_call_function(m, &call);
}

struct value exec_call_named(struct machine *m, const struct ir_expr *e)
{
    enum ir_op op = e->u.call.op;
    bool packed = op == IR_OP_TVM_CALL_PACKED || op == IR_OP_TVM_CALL_CPACKED ||
                  op == IR_OP_TVM_CALL_TRACE_PACKED;
    bool llvm =
        op == IR_OP_CALL_LLVM_INTRIN || op == IR_OP_CALL_LLVM_PURE_INTRIN;
    int64_t number = -1;
    if (e->nargs == 0 || e->args[0]->kind != IR_STRING_IMM) {
        if (e->nargs > 0)
            (void)ir_const_int(e->args[0], &number);
        exec_fault(
            m, INTERP_UNSUPPORTED, NULL, e,
            "LLVM intrinsic number %lld: its meaning depends on the LLVM "
            "of the TVM that wrote it; give the module as it was before "
            "LowerIntrin",
            (long long)number);
        return exec_value_undefined_of(m, e->dtype);
    }
    const char *name = e->args[0]->u.string.text;
    const struct ir_func *f = llvm ? NULL : ir_definition(m->module, name);
    if (f != NULL)
        return run_definition(m, e, f);
    return unknown(m, e,
                   packed ? "packed function"
                   : llvm ? "LLVM intrinsic"
                          : "external function",
                   name);
}
