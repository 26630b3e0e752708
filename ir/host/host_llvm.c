/* SPDX-License-Identifier: Apache-2.0
 *
 * LLVM intrinsics by number.
 *
 * TVM >= 0.25 names an LLVM intrinsic by its number alone, and the numbers
 * change with every LLVM. The packages of 0.25, 0.26 and 0.27 are built with
 * LLVM 22; these are its numbers, as TVM's target.llvm_lookup_intrinsic_id
 * gives them in all three. Calls with these numbers become calls of the
 * operators that they came from, or name the instruction that they are. A module of another version keeps its
 * numbers, and the engines refuse them.
 *
 * llvm.fmuladd leaves open whether the product is rounded. It is read as fma,
 * one rounding: what the processor does that TVM emits it for.
 */
#include "ir/host/host_private.h"

#include <string.h>

struct intrinsic {
    int64_t number;
    const char *name;
    uint32_t nargs;
};

static const struct intrinsic intrinsics[] = {
    {26, "tirx.ceil", 1},       {32, "tirx.copysign", 2},
    {70, "tirx.cos", 1},        {73, "tirx.popcount", 1},
    {95, "tirx.exp", 1},        {96, "tirx.exp10", 1},
    {97, "tirx.exp2", 1},       {178, "tirx.fabs", 1},
    {180, "tirx.floor", 1},     {181, "tirx.fma", 3},
    {182, "tirx.fma", 3},       {217, "tirx.ldexp", 2},
    {226, "tirx.log", 1},       {227, "tirx.log10", 1},
    {228, "tirx.log2", 1},      {260, "tirx.nearbyint", 1},
    {295, "tirx.pow", 2},       {297, "tirx.prefetch", 4},
    {321, "tirx.nearbyint", 1}, /* rint */
    {323, "tirx.nearbyint", 1}, /* roundeven */
    {338, "tirx.sin", 1},       {348, "tirx.sqrt", 1},
    {362, "tirx.tan", 1},       {369, "tirx.trunc", 1},
};

/* Vector instructions of processors: the call stays, with a name in it. */
static const struct {
    int64_t number;
    const char *name;
} instructions[] = {
    {594, "llvm.aarch64.neon.addp"},
    {685, "llvm.aarch64.neon.saddlp"},
    {691, "llvm.aarch64.neon.sdot"},
    {702, "llvm.aarch64.neon.smull"},
    {750, "llvm.aarch64.neon.uaddlp"},
    {753, "llvm.aarch64.neon.udot"},
    {763, "llvm.aarch64.neon.umull"},
    {3282, "llvm.amdgcn.mfma.f32.16x16x16f16"},
    {3293, "llvm.amdgcn.mfma.f32.16x16x4f32"},
    {3317, "llvm.amdgcn.mfma.i32.16x16x16i8"},
    {3484, "llvm.amdgcn.sdot4"},
    {3609, "llvm.amdgcn.udot4"},
    {5679, "llvm.hexagon.V6.vdmpyhvsat.acc.128B"},
    {6153, "llvm.hexagon.V6.vrmpybusv.acc.128B"},
    {6161, "llvm.hexagon.V6.vrmpyub.acc.128B"},
    {14766, "llvm.x86.avx2.pmadd.ub.sw"},
    {14767, "llvm.x86.avx2.pmadd.wd"},
    {15223, "llvm.x86.avx512.pmaddubs.w.512"},
    {15224, "llvm.x86.avx512.pmaddw.d.512"},
    {15346, "llvm.x86.avx512.vpdpbusd.128"},
    {15347, "llvm.x86.avx512.vpdpbusd.256"},
    {15348, "llvm.x86.avx512.vpdpbusd.512"},
};

static void name_instruction(struct ir_module *m, struct ir_expr *e,
                             int64_t number)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(instructions); i++)
        if (instructions[i].number == number)
            e->args[0] = ir_string(m, instructions[i].name);
}

static bool name_intrinsic(void *user, struct ir_expr *e)
{
    int64_t number;
    struct ir_module *m = user;
    if ((!host_is_call(e, IR_OP_CALL_LLVM_PURE_INTRIN) &&
         !host_is_call(e, IR_OP_CALL_LLVM_INTRIN)) ||
        e->nargs == 0 || !ir_const_int(e->args[0], &number))
        return true;
    for (size_t i = 0; i < DC_ARRAY_LEN(intrinsics); i++) {
        const struct intrinsic *x = &intrinsics[i];
        if (x->number != number || e->nargs != x->nargs + 1)
            continue;
        e->u.call.name = x->name;
        e->u.call.op = ir_op_find(x->name);
        e->args++;
        e->nargs--;
        return true;
    }
    name_instruction(m, e, number);
    return true;
}

void host_name_intrinsics(struct ir_module *m)
{
    static const char *const versions[] = {"0.25.", "0.26.", "0.27."};
    struct ir_visitor v = {NULL, name_intrinsic, m};
    bool known = false;
    for (size_t i = 0; m->tvm_version != NULL && i < DC_ARRAY_LEN(versions);
         i++)
        known = known || strncmp(m->tvm_version, versions[i], 5) == 0;
    for (size_t i = 0; known && i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_PRIM && m->funcs[i]->prim.body != NULL)
            ir_visit_stmt(&v, m->funcs[i]->prim.body);
}
