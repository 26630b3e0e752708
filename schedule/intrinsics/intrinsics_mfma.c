/* SPDX-License-Identifier: Apache-2.0
 *
 * AMD's mfma: matrix products of a wave of 64 lanes, whose registers are a
 * buffer of scope warp, a row a lane.
 *
 * Model: python/tvm/s_tir/tensor_intrin/rocm.py.
 */
#include "schedule/intrinsics/intrinsics_private.h"

#include <string.h>

enum { MATRIX_B = 1 };

/* Lane and register of row a, column b of a matrix. */
static struct ir_expr *lane(struct tensor_making *k, const char *formula,
                            struct ir_expr *row, struct ir_expr *col)
{
    struct ir_expr *at[] = {row, col};
    return tensor_formula(k, at, "%s", formula);
}

/* Sums, and B by fours: columns side by side; A: rows. */
static const char by_columns[] = "b+a//4*16", row_of_four[] = "a%4";
static const char by_rows[] = "a+16*(b//4)", column_of_four[] = "b%4";
static const char thin_a[] = "b*16+a", thin_b[] = "a*16+b", only[] = "0";

struct form {
    const char *lane, *place;
    int64_t registers;
};

/* A operand of depth 16 has four registers, of depth 4 one. */
static struct form form_of(const struct tensor_row *r, bool b)
{
    if (r->depth == 4)
        return (struct form){b ? thin_b : thin_a, only, 1};
    return b ? (struct form){by_columns, row_of_four, 4}
             : (struct form){by_rows, column_of_four, 4};
}

static const struct form sums = {by_columns, row_of_four, 4};

static struct ir_buffer *registers(struct tensor_making *k, const char *name,
                                   const char *dtype, int64_t n, int factor)
{
    return tensor_operand(k, (struct tensor_operand){name, dtype, "warp", 64, n,
                                                     factor, false, 0});
}

static struct ir_expr *from(struct tensor_making *k, struct ir_buffer *b,
                            struct form f, struct ir_expr *row,
                            struct ir_expr *col)
{
    return tensor_load(k, b, lane(k, f.lane, row, col),
                       lane(k, f.place, row, col));
}

static struct ir_stmt *into(struct tensor_making *k, struct ir_buffer *b,
                            struct form f, struct ir_expr *const *at,
                            struct ir_expr *value)
{
    return tensor_store(k, b, lane(k, f.lane, at[0], at[1]),
                        lane(k, f.place, at[0], at[1]), value);
}

/* By an attribute around the body, not by a loop. */
static struct ir_stmt *launched(struct tensor_making *k, struct ir_var *tx,
                                struct ir_stmt *body)
{
    struct ir_stmt *attr = ir_stmt_make(k->m, IR_ATTR);
    struct ir_iter_var *iter = ARENA_NEW(k->m->arena, struct ir_iter_var);
    iter->var = tx;
    iter->has_dom = true;
    iter->dom.min = tensor_index(k, 0);
    iter->dom.extent = tensor_index(k, 64);
    iter->type = IR_ITER_THREAD;
    iter->thread_tag = "threadIdx.x";
    attr->u.attr.node = ir_value_make(k->m, IR_V_ITER_VAR);
    attr->u.attr.node->u.iter_var = iter;
    attr->u.attr.key = "thread_extent";
    attr->u.attr.value = tensor_index(k, 64);
    attr->u.attr.body = body;
    ir_stmt_seal(attr);
    return attr;
}

/* ---- families ---------------------------------------------------------------- */

static struct ir_stmt *mfma_fill(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    static const int64_t size[] = {16, 16};
    struct ir_buffer *c = registers(k, "C_warp", r->out, 4, !k->describe);
    struct tensor_points p;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(k, &p,
                                into(k, c, sums, p.at, tensor_zero(k, r->out)));
    }
    struct ir_var *tx = tensor_var(k, "tx"), *local = tensor_var(k, "local_id");
    struct ir_stmt *store =
        tensor_store(k, c, ir_var_ref(k->m, tx), ir_var_ref(k->m, local),
                     tensor_zero(k, r->out));
    return launched(k, tx, tensor_loop(k, local, 4, IR_FOR_SERIAL, store));
}

/* Row and column of a lane's register in memory; a: lane, b: register. */
static void place_of(struct tensor_making *k, bool b, struct ir_expr *const *at,
                     struct ir_expr **row, struct ir_expr **col)
{
    bool thin = k->row->depth == 4;
    if (b) {
        *row = tensor_formula(k, at, "%s", thin ? "a//16" : "b+a//16*4");
        *col = tensor_formula(k, at, "%s", thin ? "a%16+b" : "a%16");
    } else {
        *row = tensor_formula(k, at, "a%%16");
        *col = tensor_formula(k, at, "%s", thin ? "a//16+b" : "a//16*4+b");
    }
}

static struct ir_stmt *mfma_load(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    bool b = (r->flags & MATRIX_B) != 0;
    struct form f = form_of(r, b);
    int64_t size[] = {b ? r->depth : 16, b ? 16 : r->depth};
    struct ir_buffer *reg = registers(k, "reg", r->in, f.registers, 1);
    struct ir_buffer *memory = tensor_operand(
        k, (struct tensor_operand){"memory", r->in, "shared", size[0], size[1],
                                   1, true, 0});
    struct tensor_points p;
    struct ir_expr *row, *col;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(
            k, &p,
            into(k, reg, f, p.at, tensor_load(k, memory, p.at[0], p.at[1])));
    }
    struct ir_var *tx = tensor_var(k, "tx"), *local = tensor_var(k, "local_id");
    struct ir_expr *at[] = {ir_var_ref(k->m, tx), ir_var_ref(k->m, local)};
    place_of(k, b, at, &row, &col);
    struct ir_stmt *store =
        tensor_store(k, reg, at[0], at[1], tensor_load(k, memory, row, col));
    return tensor_loop(k, local, f.registers, IR_FOR_SERIAL,
                       launched(k, tx, store));
}

static struct ir_stmt *mfma_store(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    static const int64_t size[] = {16, 16};
    struct ir_buffer *reg = registers(k, "C_warp", r->out, 4, !k->describe);
    struct ir_buffer *memory =
        tensor_operand(k, (struct tensor_operand){"C", r->out, r->scope, 16, 16,
                                                  !k->describe, true, 0});
    struct tensor_points p;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(
            k, &p,
            tensor_store(k, memory, p.at[0], p.at[1],
                         from(k, reg, sums, p.at[0], p.at[1])));
    }
    struct ir_var *tx = tensor_var(k, "tx"), *i = tensor_var(k, "i");
    struct ir_expr *at[] = {ir_var_ref(k->m, tx), ir_var_ref(k->m, i)};
    struct ir_stmt *store = tensor_store(
        k, memory, tensor_formula(k, at, "a//16*4+b"),
        tensor_formula(k, at, "a%%16"), tensor_load(k, reg, at[0], at[1]));
    return launched(k, tx, tensor_loop(k, i, 4, IR_FOR_SERIAL, store));
}

/* A lane's registers, as the instruction takes them. */
static struct ir_expr *own(struct tensor_making *k, struct ir_buffer *b,
                           struct ir_var *tx)
{
    int64_t n = 0;
    (void)ir_const_int(b->shape[1], &n);
    struct ir_expr *at = n == 1
                             ? tensor_index(k, 0)
                             : ir_ramp(k->m, tensor_index(k, 0),
                                       tensor_index(k, 1), tensor_int32(k, n));
    struct ir_expr *e = tensor_load(k, b, ir_var_ref(k->m, tx), at);
    return b->dtype.bits == 8
               ? ir_call(k->m, DTYPE_INT32, "tirx.reinterpret", 1, &e)
               : e;
}

static struct ir_stmt *mfma_call(struct tensor_making *k)
{
    struct ir_var *tx = tensor_var(k, "tx");
    struct ir_buffer *c = k->operands[2];
    struct ir_expr *ramp = ir_ramp(k->m, tensor_index(k, 0), tensor_index(k, 1),
                                   tensor_int32(k, 4));
    struct ir_expr *args[] = {
        ir_string(k->m, k->row->scope), /* the instruction */
        own(k, k->operands[0], tx),
        own(k, k->operands[1], tx),
        own(k, c, tx),
        tensor_int32(k, 0),
        tensor_int32(k, 0),
        tensor_int32(k, 0)};
    struct ir_expr *value = ir_call(k->m, dtype_with_lanes(c->dtype, 4),
                                    "tirx.call_llvm_pure_intrin", 7, args);
    return launched(k, tx,
                    tensor_store(k, c, ir_var_ref(k->m, tx), ramp, value));
}

static struct ir_stmt *mfma(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    struct form fa = form_of(r, false), fb = form_of(r, true);
    int64_t size[] = {16, 16, r->depth};
    struct ir_buffer *a = registers(k, "A", r->in, fa.registers, 1);
    struct ir_buffer *b = registers(k, "B", r->in, fb.registers, 1);
    struct ir_buffer *c = registers(k, "C", r->out, 4, 1);
    struct tensor_points p;
    k->in_order = !k->describe;
    if (!k->describe)
        return mfma_call(k);
    tensor_points(k, &p, "SSR", size);
    struct ir_expr *left =
        tensor_cast(k, r->out, from(k, a, fa, p.at[0], p.at[2]));
    struct ir_expr *right =
        tensor_cast(k, r->out, from(k, b, fb, p.at[2], p.at[1]));
    struct ir_expr *sum =
        ir_binary(k->m, IR_ADD, from(k, c, sums, p.at[0], p.at[1]),
                  ir_binary(k->m, IR_MUL, left, right));
    return tensor_at_points(k, &p, into(k, c, sums, p.at, sum));
}

/* ---- table ------------------------------------------------------------------- */

// clang-format off
#define PLAIN(name, make, type, scope, depth, flags) \
    {name, make, type, type, scope, 16, 16, depth, flags}
#define PRODUCT(words, in, out, instruction, depth) \
    {"rocm_mfma_" words, mfma, in, out, instruction, 16, 16, depth, 0}

const struct tensor_row tensor_mfma_rows[] = {
    PLAIN("ROCM_mfma_fill_16x16_f32", mfma_fill, "float32", NULL, 0, 0),
    PLAIN("ROCM_mfma_fill_16x16_i32", mfma_fill, "int32", NULL, 0, 0),
    PLAIN("rocm_mfma_load_16x16_a_shared_s8", mfma_load, "int8", NULL, 16, 0),
    PLAIN("rocm_mfma_load_b_16x16_shared_s8", mfma_load, "int8", NULL, 16,
          MATRIX_B),
    PLAIN("rocm_mfma_load_16x16_a_shared_f16", mfma_load, "float16", NULL, 16,
          0),
    PLAIN("rocm_mfma_load_b_16x16_shared_f16", mfma_load, "float16", NULL, 16,
          MATRIX_B),
    PLAIN("rocm_mfma_load_16x4_a_shared_f32", mfma_load, "float32", NULL, 4,
          0),
    PLAIN("rocm_mfma_load_b_16x4_shared_f32", mfma_load, "float32", NULL, 4,
          MATRIX_B),
    PRODUCT("f32f32f32", "float32", "float32",
            "llvm.amdgcn.mfma.f32.16x16x4f32", 4),
    PRODUCT("f16f16f32", "float16", "float32",
            "llvm.amdgcn.mfma.f32.16x16x16f16", 16),
    PRODUCT("s8s8s32", "int8", "int32", "llvm.amdgcn.mfma.i32.16x16x16i8", 16),
    PLAIN("rocm_mfma_store_16x16_s32", mfma_store, "int32", "global", 0, 0),
    PLAIN("rocm_mfma_store_16x16_f32", mfma_store, "float32", "global", 0, 0),
    {NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0},
};
// clang-format on
