/* SPDX-License-Identifier: Apache-2.0
 *
 * Dot products of small vectors: n sums of `depth` products each, all with the
 * same left operand. Instructions of x86, Arm, Hexagon and AMD processors are
 * named by what LLVM calls them; TVM has LLVM's numbers instead, which the
 * readers turn into these names (ir/host/host_llvm.c).
 *
 * Model: python/tvm/s_tir/tensor_intrin/ x86.py, arm_cpu.py, hexagon.py,
 * rocm.py, dot_product_common.py.
 */
#include "schedule/intrinsics/intrinsics_private.h"

#include <string.h>

enum {
    B_INT8 = 1, /* the right operand is of that type; else as the left one */
    B_UINT8 = 2
};

/* ---- operands and description ------------------------------------------------ */

struct dot {
    struct ir_buffer *a, *b, *c;
    const char *b_type;
};

static struct dot operands(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    bool one = r->n == 1; /* a single sum: memory of a GPU */
    struct dot d = {.b_type = r->flags & B_INT8    ? "int8"
                              : r->flags & B_UINT8 ? "uint8"
                                                   : r->in};
    struct tensor_operand what = {
        "A",   r->in,      one ? "shared" : r->scope, r->depth, 0, 1,
        false, one ? 4 : 0};
    d.a = tensor_operand(k, what);
    what.name = "B";
    what.dtype = d.b_type;
    if (!one) {
        what.rows = r->n;
        what.cols = r->depth;
    }
    d.b = tensor_operand(k, what);
    what = (struct tensor_operand){
        "C", r->out, one ? "local" : r->scope, r->n, 0, 1, false, one ? 4 : 0};
    d.c = tensor_operand(k, what);
    return d;
}

static struct ir_stmt *describe(struct tensor_making *k, const struct dot *d)
{
    const struct tensor_row *r = k->row;
    bool one = r->n == 1;
    int64_t size[] = {r->n, r->depth};
    struct tensor_points p;
    tensor_points(k, &p, one ? "R" : "SR", one ? size + 1 : size);
    struct ir_expr *term = p.at[one ? 0 : 1];
    struct ir_expr *i = one ? tensor_index(k, 0) : p.at[0];
    struct ir_expr *left =
        tensor_cast(k, r->out, tensor_load(k, d->a, term, NULL));
    struct ir_expr *right = tensor_cast(
        k, r->out, tensor_load(k, d->b, one ? term : i, one ? NULL : term));
    struct ir_expr *sum = ir_binary(k->m, IR_ADD, tensor_load(k, d->c, i, NULL),
                                    ir_binary(k->m, IR_MUL, left, right));
    return tensor_at_points(k, &p, tensor_store(k, d->c, i, NULL, sum));
}

/* ---- what implementations are made of ------------------------------------------ */

/* Statements in their order. */
struct steps {
    struct tensor_making *k;
    size_t n;
    struct ir_stmt *items[24];
};

static struct ir_expr *reinterpreted(struct steps *s, const char *type,
                                     struct ir_expr *e)
{
    return ir_call(s->k->m, tensor_dtype(type), "tirx.reinterpret", 1, &e);
}

static struct ir_expr *spread(struct steps *s, struct ir_expr *e, int lanes)
{
    return ir_broadcast(s->k->m, e, tensor_int32(s->k, lanes));
}

/* Lanes of a buffer from its first element on. */
static struct ir_expr *lanes_from(struct steps *s, int64_t lanes)
{
    return ir_ramp(s->k->m, tensor_index(s->k, 0), tensor_index(s->k, 1),
                   tensor_int32(s->k, lanes));
}

static struct ir_expr *vector(struct steps *s, struct ir_buffer *b,
                              int64_t lanes)
{
    struct ir_expr *ramp = lanes_from(s, lanes);
    return b->rank == 1 ? tensor_load(s->k, b, ramp, NULL)
                        : tensor_load(s->k, b, tensor_index(s->k, 0), ramp);
}

/* A value that is kept: storage of its own, from which it is read. */
static struct ir_expr *kept(struct steps *s, const char *name,
                            struct ir_expr *value)
{
    struct ir_module *m = s->k->m;
    struct ir_expr *size = tensor_index(s->k, 1);
    struct ir_buffer *b =
        ir_buffer_make(m, name, value->dtype, 1, &size, NULL, "local");
    struct ir_stmt *alloc = ir_stmt_make(m, IR_ALLOC);
    alloc->u.alloc.buffer = b;
    ir_stmt_seal(alloc);
    s->items[s->n++] = alloc;
    s->items[s->n++] =
        tensor_store(s->k, b, tensor_index(s->k, 0), NULL, value);
    return tensor_load(s->k, b, tensor_index(s->k, 0), NULL);
}

/* An LLVM instruction of up to five operands. */
static struct ir_expr *instruction(struct steps *s, const char *type,
                                   const char *name, size_t n,
                                   struct ir_expr *const *operands_)
{
    struct ir_expr *args[6];
    args[0] = ir_string(s->k->m, name);
    memcpy(args + 1, operands_, n * sizeof *args);
    return ir_call(s->k->m, tensor_dtype(type), "tirx.call_llvm_pure_intrin",
                   n + 1, args);
}

/* The sums, as they are or with something added. */
static struct ir_stmt *finish(struct steps *s, struct ir_buffer *c, bool added,
                              struct ir_expr *value)
{
    int64_t lanes = s->k->row->n;
    if (added)
        value = ir_binary(s->k->m, IR_ADD, vector(s, c, lanes), value);
    s->items[s->n++] = tensor_store(s->k, c, lanes_from(s, lanes), NULL, value);
    return ir_seq(s->k->m, s->n, s->items);
}

static const char *type_of(struct steps *s, const char *scalar, int lanes)
{
    return arena_printf(s->k->m->arena, "%sx%d", scalar, lanes);
}

/* The left operand, four bytes or two halves, as one 32-bit word. */
static struct ir_expr *word_of(struct steps *s, const struct dot *d)
{
    struct ir_expr *bytes =
        kept(s, "A_bytes", vector(s, d->a, s->k->row->depth));
    return kept(s, "A_word", reinterpreted(s, "int32", bytes));
}

/* ---- x86 ----------------------------------------------------------------------- */

static struct ir_stmt *vnni(struct tensor_making *k)
{
    struct dot d = operands(k);
    struct steps s = {.k = k};
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *a = word_of(&s, &d);
    struct ir_expr *b = kept(&s, "B_bytes", vector(&s, d.b, 64));
    b = kept(&s, "B_words", reinterpreted(&s, "int32x16", b));
    struct ir_expr *c = kept(&s, "C_words", vector(&s, d.c, 16));
    struct ir_expr *args[] = {c, spread(&s, a, 16), b};
    return finish(
        &s, d.c, false,
        instruction(&s, "int32x16", "llvm.x86.avx512.vpdpbusd.512", 3, args));
}

static struct ir_stmt *avx512(struct tensor_making *k)
{
    struct dot d = operands(k);
    struct steps s = {.k = k};
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *a = kept(&s, "A_words", spread(&s, word_of(&s, &d), 16));
    a = kept(&s, "A_all", reinterpreted(&s, "uint8x64", a));
    struct ir_expr *b = kept(&s, "B_bytes", vector(&s, d.b, 64));
    struct ir_expr *pairs[] = {a, b};
    struct ir_expr *sums =
        kept(&s, "pairs",
             instruction(&s, "int16x32", "llvm.x86.avx512.pmaddubs.w.512", 2,
                         pairs));
    struct ir_expr *one = ir_int(k->m, tensor_dtype("int16"), 1);
    struct ir_expr *args[] = {sums, spread(&s, one, 32)};
    return finish(
        &s, d.c, true,
        instruction(&s, "int32x16", "llvm.x86.avx512.pmaddw.d.512", 2, args));
}

/* ---- Arm ----------------------------------------------------------------------- */

static struct ir_stmt *arm_dot(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    struct dot d = operands(k);
    struct steps s = {.k = k};
    bool is_unsigned = !strcmp(r->in, "uint8");
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *bytes = kept(&s, "A_bytes", vector(&s, d.a, 4));
    struct ir_expr *a = kept(&s, "A_word", reinterpreted(&s, r->out, bytes));
    a = kept(&s, "A_words", spread(&s, a, 4));
    a = kept(&s, "A_all", reinterpreted(&s, type_of(&s, r->in, 16), a));
    struct ir_expr *b = kept(&s, "B_bytes", vector(&s, d.b, 16));
    struct ir_expr *c = kept(&s, "C_words", vector(&s, d.c, 4));
    struct ir_expr *args[] = {c, a, b};
    return finish(&s, d.c, false,
                  instruction(&s, type_of(&s, r->out, 4),
                              is_unsigned ? "llvm.aarch64.neon.udot"
                                          : "llvm.aarch64.neon.sdot",
                              3, args));
}

/* Products of half the bytes of B, added in pairs. */
static struct ir_expr *neon_half(struct steps *s, struct ir_expr *a,
                                 struct ir_expr *b, const char *which,
                                 const char *name)
{
    struct ir_module *m = s->k->m;
    struct ir_expr *half =
        kept(s, arena_printf(m->arena, "B_%s", name),
             ir_call(m, tensor_dtype("int8x8"), which, 1, &b));
    struct ir_expr *args[] = {a, half};
    struct ir_expr *products =
        kept(s, arena_printf(m->arena, "products_%s", name),
             instruction(s, "int16x8", "llvm.aarch64.neon.smull", 2, args));
    return kept(
        s, arena_printf(m->arena, "pairs_%s", name),
        instruction(s, "int32x4", "llvm.aarch64.neon.saddlp", 1, &products));
}

static struct ir_stmt *neon(struct tensor_making *k)
{
    struct dot d = operands(k);
    struct steps s = {.k = k};
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *a = kept(&s, "A_words", spread(&s, word_of(&s, &d), 2));
    a = kept(&s, "A_all", reinterpreted(&s, "int8x8", a));
    struct ir_expr *b = kept(&s, "B_bytes", vector(&s, d.b, 16));
    struct ir_expr *args[2];
    args[0] = neon_half(&s, a, b, "tirx.vectorlow", "low");
    args[1] = neon_half(&s, a, b, "tirx.vectorhigh", "high");
    return finish(
        &s, d.c, true,
        instruction(&s, "int32x4", "llvm.aarch64.neon.addp", 2, args));
}

/* ---- Hexagon ------------------------------------------------------------------- */

static struct ir_stmt *hexagon(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    struct dot d = operands(k);
    struct steps s = {.k = k};
    bool halves = r->depth == 2;
    bool same = !halves && !strcmp(d.b_type, "uint8");
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *a = word_of(&s, &d);
    struct ir_expr *b = kept(&s, "B_all", vector(&s, d.b, r->n * r->depth));
    b = kept(&s, "B_words", reinterpreted(&s, "int32x32", b));
    struct ir_expr *args[] = {vector(&s, d.c, r->n), b, a};
    if (!same) {
        args[1] = spread(&s, a, 32);
        args[2] = b;
    }
    const char *name = halves ? "llvm.hexagon.V6.vdmpyhvsat.acc.128B"
                       : same ? "llvm.hexagon.V6.vrmpyub.acc.128B"
                              : "llvm.hexagon.V6.vrmpybusv.acc.128B";
    return finish(&s, d.c, false, instruction(&s, "int32x32", name, 3, args));
}

/* ---- GPUs ---------------------------------------------------------------------- */

static struct ir_stmt *one_sum(struct steps *s, struct ir_buffer *c,
                               struct ir_expr *dot)
{
    struct tensor_making *k = s->k;
    struct ir_expr *value = ir_binary(
        k->m, IR_ADD, tensor_load(k, c, tensor_index(k, 0), NULL), dot);
    return tensor_store(k, c, tensor_index(k, 0), NULL, value);
}

static struct ir_stmt *dp4a(struct tensor_making *k)
{
    struct dot d = operands(k);
    struct steps s = {.k = k};
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *args[] = {ir_string(k->m, "__dp4a"), vector(&s, d.a, 4),
                              vector(&s, d.b, 4), tensor_zero(k, k->row->out)};
    return one_sum(&s, d.c,
                   ir_call(k->m, tensor_dtype(k->row->out),
                           "tirx.call_pure_extern", 4, args));
}

static struct ir_stmt *amd_sdot4(struct tensor_making *k)
{
    struct dot d = operands(k);
    struct steps s = {.k = k};
    if (k->describe)
        return describe(k, &d);
    struct ir_expr *args[] = {reinterpreted(&s, "int32", vector(&s, d.a, 4)),
                              reinterpreted(&s, "int32", vector(&s, d.b, 4)),
                              tensor_int32(k, 0), ir_int(k->m, DTYPE_BOOL, 1)};
    return one_sum(&s, d.c,
                   instruction(&s, "int32", "llvm.amdgcn.sdot4", 4, args));
}

/* ---- table --------------------------------------------------------------------- */

// clang-format off
#define VTCM "global.vtcm"
const struct tensor_row tensor_dot_rows[] = {
    {"dot_16x4_vnni", vnni, "uint8", "int32", "global", 1, 16, 4, B_INT8},
    {"dot_16x4_avx512", avx512, "uint8", "int32", "global", 1, 16, 4, B_INT8},
    {"dot_4x4_i8i8s32_neon", neon, "int8", "int32", "global", 1, 4, 4, 0},
    {"dot_4x4_i8i8s32_sdot", arm_dot, "int8", "int32", "global", 1, 4, 4, 0},
    {"dot_4x4_u8u8u32_udot", arm_dot, "uint8", "uint32", "global", 1, 4, 4, 0},
    {"dot_4x4_u8u8i32_hdot", arm_dot, "uint8", "int32", "global", 1, 4, 4, 0},
    {"dot_32x4_u8u8i32_vrmpy", hexagon, "uint8", "int32", "global", 1, 32, 4,
     0},
    {"dot_32x4_u8i8i32_vrmpy", hexagon, "uint8", "int32", "global", 1, 32, 4,
     B_INT8},
    {"dot_product_32x2_i16i16i32_vdmpy", hexagon, "int16", "int32", "global",
     1, 32, 2, 0},
    {"dot_32x4_u8u8i32_vtcm_vrmpy", hexagon, "uint8", "int32", VTCM, 1, 32, 4,
     0},
    {"dot_32x4_u8i8i32_vtcm_vrmpy", hexagon, "uint8", "int32", VTCM, 1, 32, 4,
     B_INT8},
    {"dp4a_s8s8s32", dp4a, "int8", "int32", NULL, 1, 1, 4, 0},
    {"dp4a_s8u8s32", dp4a, "int8", "int32", NULL, 1, 1, 4, B_UINT8},
    {"dp4a_u8s8s32", dp4a, "uint8", "int32", NULL, 1, 1, 4, B_INT8},
    {"dp4a_u8u8u32", dp4a, "uint8", "uint32", NULL, 1, 1, 4, 0},
    {"sdot4", amd_sdot4, "int8", "int32", NULL, 1, 1, 4, 0},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0},
};
// clang-format on
