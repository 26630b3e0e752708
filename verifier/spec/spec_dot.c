/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector instructions that multiply and add small integers, lane by lane as
 * their manuals write them, and reinterpretations between lanes of other
 * sizes, which feed them.
 *
 *   x86      VPDPBUSD, VPMADDUBSW, VPMADDWD: Intel 64 and IA-32 Architectures
 *            Software Developer's Manual, volume 2, "Operation"
 *   AArch64  SDOT, UDOT, SMULL, UMULL, SADDLP, UADDLP, ADDP: Arm Architecture
 *            Reference Manual for A-profile, "Operation" of each
 *   AMD      V_DOT4_I32_I8, V_DOT4_U32_U8: "RDNA" instruction set architecture
 *   Hexagon  vrmpy, vdmpy: Qualcomm Hexagon V66 HVX Programmer's Reference Manual
 *   CUDA     __dp4a: CUDA C++ Programming Guide, and PTX ISA, dp4a
 *
 * Sums of integers are exact modulo two to the width of the result, so that
 * their order is no matter; where an instruction saturates, it does so to the
 * exact sum, and that is written with 64 bits.
 *
 * Lanes of another size: a wide lane made of narrow ones is reinterpret(part 0,
 * part 1, …), part k of a wide lane is reinterpret(lane, k): evaluate.c takes the
 * first apart by the second.
 */
#include "verifier/front/front_lanes.h"

#include <string.h>

/* ---- elements of operands ------------------------------------------------------------ */

static struct ir_expr *lane_at(struct front *f, struct ir_expr *e,
                               struct ir_expr *i)
{
    return front_expr(f, e, e->dtype.lanes > 1 ? i : NULL);
}

static struct ir_expr *part_of(struct front *f, struct dtype t,
                               struct ir_expr *lane, int64_t k)
{
    struct ir_expr *args[] = {lane, fx_int(f, DTYPE_INT32, k)};
    return ir_call(f->m, t, "tirx.reinterpret", 2, args);
}

/* Part (i mod n) of lane (i / n), i a constant or an expression. */
static struct ir_expr *narrow(struct front *f, struct ir_expr *e,
                              struct dtype t, struct ir_expr *i, int64_t n)
{
    struct ir_expr *lane =
        lane_at(f, e, fx_floordiv(f, i, fx_int(f, i->dtype, n)));
    struct ir_expr *k = fx_floormod(f, i, fx_int(f, i->dtype, n));
    int64_t known;
    if (ir_const_int(k, &known))
        return part_of(f, t, lane, known);
    struct ir_expr *x = part_of(f, t, lane, n - 1);
    for (int64_t p = n - 1; p-- > 0;)
        x = fx_choose(f, fx_eq(f, k, fx_int(f, k->dtype, p)),
                      part_of(f, t, lane, p), x);
    return x;
}

/* Element i of the bits of e, taken as elements of type t. NULL: sizes that do
 * not go into each other. */
static struct ir_expr *element(struct front *f, struct ir_expr *e,
                               struct dtype t, struct ir_expr *i)
{
    struct dtype s = dtype_scalar(e->dtype);
    struct ir_expr *parts[8];
    if (dtype_is_bool(s) || dtype_is_bool(t) || s.bits % 8 != 0 ||
        t.bits % 8 != 0 || dtype_is_handle(s) || dtype_is_handle(t))
        return NULL;
    if (dtype_equal(s, t))
        return lane_at(f, e, i);
    if (s.bits == t.bits) {
        parts[0] = lane_at(f, e, i);
        return ir_call(f->m, t, "tirx.reinterpret", 1, parts);
    }
    if (s.bits > t.bits)
        return s.bits % t.bits != 0 ? NULL
                                    : narrow(f, e, t, i, s.bits / t.bits);
    int64_t n = t.bits / s.bits;
    if (t.bits % s.bits != 0 || n > (int64_t)DC_ARRAY_LEN(parts))
        return NULL;
    struct ir_expr *first = fx_mul(f, i, fx_int(f, i->dtype, n));
    for (int64_t k = 0; k < n; k++)
        parts[k] = lane_at(f, e, fx_add(f, first, fx_int(f, i->dtype, k)));
    return ir_call(f->m, t, "tirx.reinterpret", (uint32_t)n, parts);
}

static struct ir_expr *reinterpreted(struct front *f, struct ir_expr *call,
                                     struct ir_expr *lane)
{
    struct ir_expr *e = call->args[0];
    if (call->nargs != 1 || e->dtype.lanes == call->dtype.lanes ||
        dtype_is_handle(e->dtype) || dtype_is_handle(call->dtype) ||
        (int64_t)e->dtype.lanes * e->dtype.bits !=
            (int64_t)call->dtype.lanes * call->dtype.bits)
        return NULL;
    if (lane == NULL)
        lane = fx_int(f, DTYPE_INT32, 0);
    return element(f, e, dtype_scalar(call->dtype), lane);
}

/* ---- sums of products ------------------------------------------------------------------- */

struct operands {
    struct ir_expr **args;
    struct dtype type; /* of a lane of the result */
    struct ir_expr *lane;
};

/* Element k of each group of `group`, as a lane of type t. */
static struct ir_expr *factor(struct front *f, const struct operands *o,
                              uint32_t arg, const char *elements, int64_t group,
                              int64_t k, struct dtype t)
{
    struct dtype s;
    if (!dtype_parse(elements, &s))
        return NULL;
    struct ir_expr *at = fx_int(f, o->lane->dtype, k);
    if (group > 0)
        at =
            fx_add(f, fx_mul(f, o->lane, fx_int(f, o->lane->dtype, group)), at);
    struct ir_expr *x = element(f, o->args[arg], s, at);
    return x == NULL ? NULL : fx_cast(f, t, x);
}

/* acc + sum over k < n of a[n lane + k] b[n lane + k]; shared: b[k]. */
static struct ir_expr *products(struct front *f, const struct operands *o,
                                struct ir_expr *sum, int64_t n, uint32_t a,
                                const char *as, uint32_t b, const char *bs,
                                bool shared, struct dtype t)
{
    for (int64_t k = 0; k < n; k++) {
        struct ir_expr *x = factor(f, o, a, as, n, k, t);
        struct ir_expr *y = factor(f, o, b, bs, shared ? 0 : n, k, t);
        if (x == NULL || y == NULL)
            return NULL;
        x = ir_binary(f->m, IR_MUL, x, y);
        sum = sum == NULL ? x : ir_binary(f->m, IR_ADD, sum, x);
    }
    return sum;
}

/* To the type of the result, saturated. */
static struct ir_expr *saturated(struct front *f, const struct operands *o,
                                 struct ir_expr *sum)
{
    int64_t top = (INT64_C(1) << (o->type.bits - 1)) - 1;
    if (sum == NULL)
        return NULL;
    sum = ir_binary(f->m, IR_MIN, sum, fx_int(f, sum->dtype, top));
    sum = ir_binary(f->m, IR_MAX, sum, fx_int(f, sum->dtype, -top - 1));
    return fx_cast(f, o->type, sum);
}

static struct ir_expr *accumulator(struct front *f, const struct operands *o,
                                   uint32_t arg, struct dtype t)
{
    struct ir_expr *x = element(f, o->args[arg], o->type, o->lane);
    return x == NULL ? NULL : fx_cast(f, t, x);
}

/* acc + (dot of `n` elements): integers, so that this is the sum in any order */
static struct ir_expr *dot(struct front *f, const struct operands *o,
                           uint32_t acc, int64_t n, uint32_t a, const char *as,
                           uint32_t b, const char *bs, bool shared)
{
    struct ir_expr *c = accumulator(f, o, acc, o->type);
    struct ir_expr *x = products(f, o, NULL, n, a, as, b, bs, shared, o->type);
    return c == NULL || x == NULL ? NULL : ir_binary(f->m, IR_ADD, c, x);
}

/* ---- the instructions -------------------------------------------------------------------- */

static struct ir_expr *vpdpbusd(struct front *f, const struct operands *o)
{
    return dot(f, o, 0, 4, 1, "uint8", 2, "int8", false);
}

static struct ir_expr *vpmaddubsw(struct front *f, const struct operands *o)
{
    return saturated(
        f, o,
        products(f, o, NULL, 2, 0, "uint8", 1, "int8", false, DTYPE_INT32));
}

static struct ir_expr *vpmaddwd(struct front *f, const struct operands *o)
{
    return products(f, o, NULL, 2, 0, "int16", 1, "int16", false, o->type);
}

static struct ir_expr *sdot(struct front *f, const struct operands *o)
{
    return dot(f, o, 0, 4, 1, "int8", 2, "int8", false);
}

static struct ir_expr *udot(struct front *f, const struct operands *o)
{
    return dot(f, o, 0, 4, 1, "uint8", 2, "uint8", false);
}

static struct ir_expr *smull(struct front *f, const struct operands *o)
{
    struct ir_expr *x =
        products(f, o, NULL, 1, 0, "int8", 1, "int8", false, DTYPE_INT32);
    return x == NULL ? NULL : fx_cast(f, o->type, x);
}

static struct ir_expr *umull(struct front *f, const struct operands *o)
{
    struct ir_expr *x =
        products(f, o, NULL, 1, 0, "uint8", 1, "uint8", false, DTYPE_INT32);
    return x == NULL ? NULL : fx_cast(f, o->type, x);
}

static struct ir_expr *addlp(struct front *f, const struct operands *o,
                             const char *elements)
{
    struct ir_expr *x = factor(f, o, 0, elements, 2, 0, o->type);
    struct ir_expr *y = factor(f, o, 0, elements, 2, 1, o->type);
    return x == NULL || y == NULL ? NULL : ir_binary(f->m, IR_ADD, x, y);
}

static struct ir_expr *saddlp(struct front *f, const struct operands *o)
{
    return addlp(f, o, "int16");
}

static struct ir_expr *uaddlp(struct front *f, const struct operands *o)
{
    return addlp(f, o, "uint16");
}

/* Neighbours of a vector that is the first operand and then the second. */
static struct ir_expr *addp(struct front *f, const struct operands *o)
{
    struct ir_expr *pair[2];
    struct dtype t = o->lane->dtype;
    if (!dtype_equal(dtype_scalar(o->args[0]->dtype), o->type) ||
        !dtype_equal(o->args[0]->dtype, o->args[1]->dtype))
        return NULL;
    struct ir_expr *n = fx_int(f, t, o->args[0]->dtype.lanes);
    for (int64_t k = 0; k < 2; k++) {
        struct ir_expr *at =
            fx_add(f, fx_mul(f, o->lane, fx_int(f, t, 2)), fx_int(f, t, k));
        pair[k] = fx_choose(f, fx_lt(f, at, n), lane_at(f, o->args[0], at),
                            lane_at(f, o->args[1], fx_sub(f, at, n)));
    }
    return ir_binary(f->m, IR_ADD, pair[0], pair[1]);
}

/* a, b, c, clamp: the sum is clamped to 32 bits where asked for. Of four
 * products of bytes alone it is in range. */
static struct ir_expr *dot4(struct front *f, const struct operands *o,
                            const char *elements)
{
    int64_t clamp = 1, c = 1;
    if (!ir_const_int(o->args[3], &clamp) ||
        (clamp != 0 && !(ir_const_int(o->args[2], &c) && c == 0)))
        return NULL;
    return dot(f, o, 2, 4, 0, elements, 1, elements, false);
}

static struct ir_expr *sdot4(struct front *f, const struct operands *o)
{
    return dot4(f, o, "int8");
}

static struct ir_expr *udot4(struct front *f, const struct operands *o)
{
    return dot4(f, o, "uint8");
}

/* Each word's bytes by the four of one scalar register. */
static struct ir_expr *vrmpyub(struct front *f, const struct operands *o)
{
    return dot(f, o, 0, 4, 1, "uint8", 2, "uint8", true);
}

static struct ir_expr *vrmpybusv(struct front *f, const struct operands *o)
{
    return dot(f, o, 0, 4, 1, "uint8", 2, "int8", false);
}

static struct ir_expr *vdmpyhvsat(struct front *f, const struct operands *o)
{
    struct ir_expr *c = accumulator(f, o, 0, DTYPE_INT64);
    return c == NULL ? NULL
                     : saturated(f, o,
                                 products(f, o, c, 2, 1, "int16", 2, "int16",
                                          false, DTYPE_INT64));
}

/* One form for signed bytes, one for unsigned ones, none for both. */
static struct ir_expr *cuda_dp4a(struct front *f, const struct operands *o)
{
    struct dtype a = o->args[0]->dtype, b = o->args[1]->dtype;
    if (a.code != b.code || a.code != o->type.code)
        return NULL;
    return a.code == DT_INT ? dot(f, o, 2, 4, 0, "int8", 1, "int8", false)
                            : dot(f, o, 2, 4, 0, "uint8", 1, "uint8", false);
}

static const struct instruction {
    const char *name; /* what follows may be a dot and types */
    uint32_t nargs;
    const char *result; /* type of its lanes; NULL: any of its size */
    struct ir_expr *(*lane)(struct front *f, const struct operands *o);
} instructions[] = {
    {"__dp4a", 3, NULL, cuda_dp4a},
    {"llvm.aarch64.neon.addp", 2, "int32", addp},
    {"llvm.aarch64.neon.saddlp", 1, "int32", saddlp},
    {"llvm.aarch64.neon.sdot", 3, "int32", sdot},
    {"llvm.aarch64.neon.smull", 2, "int16", smull},
    {"llvm.aarch64.neon.uaddlp", 1, NULL, uaddlp},
    {"llvm.aarch64.neon.udot", 3, NULL, udot},
    {"llvm.aarch64.neon.umull", 2, "uint16", umull},
    {"llvm.amdgcn.sdot4", 4, "int32", sdot4},
    {"llvm.amdgcn.udot4", 4, NULL, udot4},
    {"llvm.hexagon.V6.vdmpyhvsat.acc", 3, "int32", vdmpyhvsat},
    {"llvm.hexagon.V6.vrmpybusv.acc", 3, "int32", vrmpybusv},
    {"llvm.hexagon.V6.vrmpyub.acc", 3, NULL, vrmpyub},
    {"llvm.x86.avx2.pmadd.ub.sw", 2, "int16", vpmaddubsw},
    {"llvm.x86.avx2.pmadd.wd", 2, "int32", vpmaddwd},
    {"llvm.x86.avx512.pmaddubs.w", 2, "int16", vpmaddubsw},
    {"llvm.x86.avx512.pmaddw.d", 2, "int32", vpmaddwd},
    {"llvm.x86.avx512.vpdpbusd", 3, "int32", vpdpbusd},
};

static const struct instruction *find(const char *name)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(instructions); i++) {
        size_t n = strlen(instructions[i].name);
        if (strncmp(instructions[i].name, name, n) == 0 &&
            (name[n] == '\0' || name[n] == '.'))
            return &instructions[i];
    }
    return NULL;
}

/* Bits of the operands that are no single lanes are as many as the result
 * wants; those of a wrong form are refused by name later. */
static bool has_form(const struct instruction *x, const struct ir_expr *call,
                     uint32_t first)
{
    struct dtype t;
    if (call->nargs != x->nargs + first || call->dtype.scalable ||
        !dtype_is_int(call->dtype) || call->dtype.bits > 32 ||
        call->dtype.bits < 16)
        return false;
    if (x->result != NULL && (!dtype_parse(x->result, &t) ||
                              !dtype_equal(t, dtype_scalar(call->dtype))))
        return false;
    int64_t bits = (int64_t)call->dtype.bits * call->dtype.lanes;
    for (uint32_t i = first; i < call->nargs; i++) {
        struct dtype a = call->args[i]->dtype;
        int64_t n = (int64_t)a.bits * a.lanes;
        bool half = strncmp(x->name, "llvm.aarch64.neon.", 18) == 0 &&
                    strstr(x->name, "mull") != NULL;
        bool scalar = a.lanes == 1 && call->args[i]->kind == IR_INT_IMM;
        bool one = strstr(x->name, "vrmpyub.") != NULL &&
                   i + 1 == call->nargs && n == 32;
        if (!dtype_is_int(a) && !dtype_is_bool(a))
            return false;
        if (!scalar && !one && n != (half ? bits / 2 : bits) &&
            !(dtype_is_bool(a) && i + 1 == call->nargs))
            return false;
    }
    return true;
}

static struct ir_expr *instruction(struct front *f, struct ir_expr *call,
                                   struct ir_expr *lane)
{
    enum ir_op op = call->u.call.op;
    if (op == IR_OP_REINTERPRET)
        return reinterpreted(f, call, lane);
    bool named =
        (ir_op_info(op)->flags & (IR_OPF_NAMED | IR_OPF_HOST)) == IR_OPF_NAMED;
    const char *name = op == IR_OP_DP4A ? "__dp4a" /* as an operator */
                       : named          ? ir_call_text(call, 0)
                                        : "";
    const struct instruction *x = find(name);
    if (x == NULL)
        return NULL;
    uint32_t first = op == IR_OP_DP4A ? 0 : call->nargs == x->nargs + 2 ? 2 : 1;
    struct operands o = {.args = call->args + first,
                         .type = dtype_scalar(call->dtype),
                         .lane =
                             lane != NULL ? lane : fx_int(f, DTYPE_INT32, 0)};
    struct ir_expr *e = has_form(x, call, first) ? x->lane(f, &o) : NULL;
    if (e != NULL && !dtype_equal(e->dtype, o.type))
        e = fx_cast(f, o.type, e);
    if (e == NULL)
        front_refuse(f, f->stmt->pos, "'%s' on operands that it does not have",
                     x->name);
    return e;
}

const struct vspec spec_dot = {
    .name = "dot",
    .summary = "vector instructions that sum products of small integers",
    .value = instruction};
