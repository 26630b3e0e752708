/* SPDX-License-Identifier: Apache-2.0
 *
 * NVIDIA's mma.sync and ldmatrix. The registers of a warp are a buffer of
 * scope warp, a row a lane; or, of the m16n8k8 family, a matrix of scope
 * m16n8k8.*, whose registers a later pass lays out.
 *
 * Model: python/tvm/s_tir/tensor_intrin/cuda.py. Where an element lies is that
 * of the PTX ISA for A and for sums; of the operand B of float16, and of what
 * is loaded transposed, it is what TVM says (docs/intrinsics.md).
 */
#include "schedule/intrinsics/intrinsics_private.h"

#include <string.h>

enum { MATRIX_B = 1, TRANS_A = 2, TRANS_B = 4, SIMPLE = 8 };

/* ---- where an element lies --------------------------------------------------- */

/* Lane and register of row a, column b. */
struct layout {
    const char *lane, *place;
};
static const struct layout halves = {"4*(a%8)+b%8//2", "4*(b//8)+a//8*2+b%2"};
static const struct layout bytes = {"4*(a%8)+b%16//4", "8*(b//16)+a//8*4+b%4"};
static const struct layout bytes_b = {"a%16//4+4*(b%8)",
                                      "8*(b//8)+a//16*4+a%4"};

static struct ir_expr *lane(struct tensor_making *k, const struct layout *l,
                            struct ir_expr *row, struct ir_expr *col)
{
    struct ir_expr *at[] = {row, col};
    return tensor_formula(k, at, "%s", l->lane);
}

static struct ir_expr *place(struct tensor_making *k, const struct layout *l,
                             struct ir_expr *row, struct ir_expr *col)
{
    struct ir_expr *at[] = {row, col};
    return tensor_formula(k, at, "%s", l->place);
}

static struct ir_expr *from(struct tensor_making *k, struct ir_buffer *b,
                            const struct layout *l, struct ir_expr *row,
                            struct ir_expr *col)
{
    return tensor_load(k, b, lane(k, l, row, col), place(k, l, row, col));
}

static struct ir_stmt *into(struct tensor_making *k, struct ir_buffer *b,
                            const struct layout *l, struct ir_expr *const *at,
                            struct ir_expr *value)
{
    return tensor_store(k, b, lane(k, l, at[0], at[1]),
                        place(k, l, at[0], at[1]), value);
}

static struct tensor_operand warp(const char *name, const char *dtype,
                                  int64_t registers, int factor)
{
    return (struct tensor_operand){name,      dtype,  "warp", 32,
                                   registers, factor, false,  0};
}

static struct ir_stmt *by_lanes(struct tensor_making *k, struct ir_var *tx,
                                struct ir_stmt *body)
{
    return tensor_loop(k, tx, 32, IR_FOR_THREAD, body);
}

/* ---- ldmatrix ---------------------------------------------------------------- */

/* Where a lane's row of eight registers begins; a: stride, b: lane. */
static const char *row_formula(const struct tensor_row *r, bool trans)
{
    if (r->depth == 16)
        return trans ? "a*8*(b//16)+a*(b%8)+8*(b%16//8)" : "a*(b%16)+8*(b//16)";
    if (!(r->flags & MATRIX_B))
        return "a*(b%16)+16*(b//16)";
    return trans ? "a*8*(b//16)+b%8*a+16*(b%16//8)" : "a";
}

static struct ir_stmt *ldmatrix_call(struct tensor_making *k,
                                     struct ir_buffer *registers,
                                     struct ir_expr *offset,
                                     struct ir_buffer *memory,
                                     struct ir_expr *at, bool turns)
{
    struct ir_expr *args[] = {
        ir_int(k->m, DTYPE_BOOL, turns),
        tensor_int32(k, 4),
        ir_string(k->m, ".b16"),
        tensor_data(k, registers),
        offset,
        tensor_address(k, memory, 1),
        at,
    };
    return tensor_call(k, k->row->in, "tirx.ptx_legacy.ldmatrix", 7, args);
}

static struct ir_stmt *ldmatrix(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    bool b = (r->flags & MATRIX_B) != 0;
    bool trans = (r->flags & (TRANS_A | TRANS_B)) != 0;
    int64_t tall = b == trans ? 16 : r->depth;
    int64_t wide = b == trans ? r->depth : 16, size[] = {tall, wide};
    int64_t registers = r->depth / 2;
    const struct layout *l = r->depth == 16 ? &halves
                             : b && !trans  ? &bytes_b
                                            : &bytes;
    struct ir_buffer *regs =
        tensor_operand(k, warp("warp", r->in, registers, (int)wide));
    struct ir_buffer *memory = tensor_operand(
        k, (struct tensor_operand){"shared", r->in, r->scope, tall, wide,
                                   (int)wide, true, 0});
    struct tensor_points p;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(
            k, &p,
            into(k, regs, l, p.at, tensor_load(k, memory, p.at[0], p.at[1])));
    }
    struct ir_var *tx = tensor_var(k, "tx");
    struct ir_expr *t = ir_var_ref(k->m, tx);
    struct ir_expr *own[] = {regs->elem_offset, t};
    struct ir_expr *at[] = {memory->strides[0], t};
    return by_lanes(
        k, tx,
        ldmatrix_call(
            k, regs, tensor_formula(k, own, "a+%d*b", (int)registers), memory,
            tensor_formula(k, at, "%s", row_formula(r, trans)), b != trans));
}

/* ---- mma --------------------------------------------------------------------- */

/* What PTX, or TVM, calls a type. */
static const char *short_type(const char *dtype)
{
    static const char *const names[][2] = {{"float16", "fp16"},
                                           {"float32", "fp32"},
                                           {"float8_e4m3fn", "e4m3"},
                                           {"float8_e5m2", "e5m2"}};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++)
        if (!strcmp(dtype, names[i][0]))
            return names[i][1];
    return dtype;
}

struct mma_words {
    const char *shape, *in, *out;
};

/* Offsets: of A, B and C. */
static struct ir_stmt *mma_call(struct tensor_making *k, struct mma_words words,
                                struct ir_expr *const *offsets)
{
    struct ir_expr *args[] = {
        ir_string(k->m, words.shape),   ir_string(k->m, "row"),
        ir_string(k->m, "col"),         ir_string(k->m, words.in),
        ir_string(k->m, words.in),      ir_string(k->m, words.out),
        tensor_data(k, k->operands[0]), offsets[0],
        tensor_data(k, k->operands[1]), offsets[1],
        tensor_data(k, k->operands[2]), offsets[2],
        ir_int(k->m, DTYPE_BOOL, 0),
    };
    return tensor_call(k, NULL, "tirx.ptx_legacy.mma", 13, args);
}

static struct ir_expr *own_registers(struct tensor_making *k, size_t operand,
                                     struct ir_expr *lane_of, bool second)
{
    struct ir_buffer *b = k->operands[operand];
    struct ir_expr *vars[] = {b->elem_offset, lane_of};
    int64_t n = 0;
    (void)ir_const_int(b->shape[1], &n);
    return second ? tensor_formula(k, vars, "a+b*%d+%d", (int)n, (int)n / 2)
                  : tensor_formula(k, vars, "a+b*%d", (int)n);
}

/* Both halves of the columns. */
static struct ir_stmt *mma_halves(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    struct ir_var *tx = tensor_var(k, "tx");
    struct ir_stmt *items[2];
    struct mma_words words = {r->depth == 16 ? "m16n8k16" : "m16n8k32",
                              short_type(r->in), short_type(r->out)};
    for (int half = 0; half < 2; half++) {
        struct ir_expr *t = ir_var_ref(k->m, tx);
        struct ir_expr *offsets[] = {own_registers(k, 0, t, false),
                                     own_registers(k, 1, t, half == 1),
                                     own_registers(k, 2, t, half == 1)};
        items[half] = mma_call(k, words, offsets);
    }
    return by_lanes(k, tx, ir_seq(k->m, 2, items));
}

static struct ir_stmt *mma(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    bool turn_a = (r->flags & TRANS_A) != 0, turn_b = (r->flags & TRANS_B) != 0;
    const struct layout *la = r->depth == 16 ? &halves : &bytes;
    const struct layout *lb = r->depth == 16 ? &halves
                              : turn_b       ? &bytes
                                             : &bytes_b;
    int depth = (int)r->depth;
    int64_t size[] = {16, 16, r->depth};
    struct ir_buffer *a =
        tensor_operand(k, warp("A", r->in, depth / 2, turn_a ? 16 : depth));
    struct ir_buffer *b =
        tensor_operand(k, warp("B", r->in, depth / 2, turn_b ? depth : 16));
    struct ir_buffer *c = tensor_operand(k, warp("C", r->out, 8, 16));
    struct tensor_points p;
    if (!k->describe)
        return mma_halves(k);
    tensor_points(k, &p, "SSR", size);
    struct ir_expr *i = p.at[0], *j = p.at[1], *d = p.at[2];
    struct ir_expr *left =
        tensor_cast(k, r->out, from(k, a, la, turn_a ? d : i, turn_a ? i : d));
    struct ir_expr *right =
        tensor_cast(k, r->out, from(k, b, lb, turn_b ? j : d, turn_b ? d : j));
    struct ir_expr *sum = ir_binary(k->m, IR_ADD, from(k, c, &halves, i, j),
                                    ir_binary(k->m, IR_MUL, left, right));
    return tensor_at_points(k, &p, into(k, c, &halves, p.at, sum));
}

/* ---- fill and store ---------------------------------------------------------- */

static struct ir_stmt *mma_fill(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    static const int64_t size[] = {16, 16};
    struct ir_buffer *c =
        tensor_operand(k, warp("C_warp", r->out, 8, k->describe ? 0 : 1));
    struct tensor_points p;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(
            k, &p, into(k, c, &halves, p.at, tensor_zero(k, r->out)));
    }
    struct ir_expr *args[] = {tensor_int32(k, 8), tensor_data(k, c),
                              c->elem_offset};
    return by_lanes(k, tensor_var(k, "tx"),
                    tensor_call(k, r->out, "tirx.mma_fill_legacy", 3, args));
}

static struct ir_stmt *store_simple(struct tensor_making *k,
                                    struct ir_buffer *regs,
                                    struct ir_buffer *memory)
{
    struct ir_var *tx = tensor_var(k, "tx"), *local = tensor_var(k, "local_id");
    struct ir_expr *at[] = {ir_var_ref(k->m, tx), ir_var_ref(k->m, local)};
    struct ir_expr *row = tensor_formula(k, at, "8*(b%%4//2)+a//4");
    struct ir_expr *col = tensor_formula(k, at, "8*(b//4)+a%%4*2+b%%2");
    struct ir_stmt *store =
        tensor_store(k, memory, row, col, tensor_load(k, regs, at[0], at[1]));
    return by_lanes(k, tx, tensor_loop(k, local, 8, IR_FOR_SERIAL, store));
}

static struct ir_stmt *mma_store(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    static const int64_t size[] = {16, 16};
    int factor = k->describe ? 0 : 1;
    struct ir_buffer *regs =
        tensor_operand(k, warp("C_warp", r->out, 8, factor));
    struct ir_buffer *memory =
        tensor_operand(k, (struct tensor_operand){"C", r->out, r->scope, 16, 16,
                                                  factor, true, 0});
    struct tensor_points p;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(
            k, &p,
            tensor_store(k, memory, p.at[0], p.at[1],
                         from(k, regs, &halves, p.at[0], p.at[1])));
    }
    if (r->flags & SIMPLE)
        return store_simple(k, regs, memory);
    struct ir_expr *args[] = {
        tensor_int32(k, 16),  tensor_int32(k, 16), tensor_address(k, memory, 2),
        tensor_data(k, regs), regs->elem_offset,   memory->strides[0]};
    return by_lanes(k, tensor_var(k, "tx"),
                    tensor_call(k, r->out, "tirx.mma_store_legacy", 6, args));
}

/* ---- m16n8k8 ----------------------------------------------------------------- */

static struct tensor_operand tile(const char *name, const char *dtype,
                                  const char *scope, int64_t rows, int64_t cols)
{
    return (struct tensor_operand){name, dtype, scope, rows, cols, 1, true, 0};
}

static struct ir_stmt *small_init(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n};
    struct tensor_operand what =
        tile("dst", r->out, "m16n8k8.matrixC", r->m, r->n);
    what.strided = false;
    struct ir_buffer *c = tensor_operand(k, what);
    struct tensor_points p;
    if (k->describe) {
        tensor_points(k, &p, "SS", size);
        return tensor_at_points(
            k, &p,
            tensor_store(k, c, p.at[0], p.at[1], tensor_zero(k, r->out)));
    }
    struct ir_var *tx = tensor_var(k, "tx"), *b = tensor_var(k, "b");
    struct ir_var *v = tensor_var(k, "v");
    struct ir_expr *at[] = {ir_var_ref(k->m, tx), ir_var_ref(k->m, b),
                            ir_var_ref(k->m, v)};
    struct ir_stmt *store =
        tensor_store(k, c, tensor_formula(k, at, "b*8+a//4"),
                     tensor_formula(k, at, "a%%4*%d+c", (int)r->n / 4),
                     tensor_zero(k, r->out));
    store = tensor_loop(k, v, r->n / 4, IR_FOR_VECTORIZED, store);
    return by_lanes(k, tx, tensor_loop(k, b, r->m / 8, IR_FOR_SERIAL, store));
}

/* Registers of a tile; a: offset, b: stride. */
static const char small_a[] = "(a//b//32*(b//8)+a%%b//8)*8+a//b%%32//16*4";
static const char small_b[] = "(a//b//8*(b//32)+a%%b//32)*8+a%%b%%32//8*2";
static const char small_c[] = "(a//b//8//2*2*(b//8)+a//b//8%%2+a%%b//8*2)*2";

static struct ir_expr *small_index(struct tensor_making *k,
                                   const struct ir_buffer *b, int matrix)
{
    struct ir_expr *vars[] = {b->elem_offset, b->strides[0]};
    switch (matrix) {
    case 0: return tensor_formula(k, vars, small_a);
    case 1: return tensor_formula(k, vars, small_b);
    default: return tensor_formula(k, vars, small_c);
    }
}

static struct ir_stmt *moved(struct tensor_making *k, const int64_t *size)
{
    struct tensor_points p;
    tensor_points(k, &p, "SS", size);
    return tensor_at_points(
        k, &p,
        tensor_store(k, k->operands[1], p.at[0], p.at[1],
                     tensor_load(k, k->operands[0], p.at[0], p.at[1])));
}

static struct ir_stmt *small_load(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    bool b = (r->flags & MATRIX_B) != 0;
    int64_t size[] = {b ? r->depth : r->m, b ? r->n : r->depth};
    struct ir_buffer *memory =
        tensor_operand(k, tile("src", r->in, r->scope, size[0], size[1]));
    struct ir_buffer *regs = tensor_operand(
        k, tile("dst", r->in, b ? "m16n8k8.matrixB" : "m16n8k8.matrixA",
                size[0], size[1]));
    if (k->describe)
        return moved(k, size);
    struct ir_var *tx = tensor_var(k, "tx");
    struct ir_expr *at[] = {memory->strides[0], ir_var_ref(k->m, tx)};
    struct ir_expr *row = b ? tensor_formula(k, at, "b%%8*a+b//8*8")
                            : tensor_formula(k, at, "b*a");
    return by_lanes(
        k, tx, ldmatrix_call(k, regs, small_index(k, regs, b), memory, row, b));
}

static struct ir_stmt *small_sync(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n, r->depth};
    struct ir_buffer *a =
        tensor_operand(k, tile("A", r->in, "m16n8k8.matrixA", r->m, r->depth));
    struct ir_buffer *b =
        tensor_operand(k, tile("B", r->in, "m16n8k8.matrixB", r->depth, r->n));
    struct ir_buffer *c =
        tensor_operand(k, tile("C", r->out, "m16n8k8.matrixC", r->m, r->n));
    struct tensor_points p;
    if (!k->describe) {
        struct ir_expr *offsets[] = {small_index(k, a, 0), small_index(k, b, 1),
                                     small_index(k, c, 2)};
        return mma_call(k, (struct mma_words){"m16n8k8", r->in, r->out},
                        offsets);
    }
    tensor_points(k, &p, "SSR", size);
    struct ir_expr *left =
        tensor_cast(k, r->out, tensor_load(k, a, p.at[0], p.at[2]));
    struct ir_expr *right =
        tensor_cast(k, r->out, tensor_load(k, b, p.at[2], p.at[1]));
    struct ir_expr *sum =
        ir_binary(k->m, IR_ADD, tensor_load(k, c, p.at[0], p.at[1]),
                  ir_binary(k->m, IR_MUL, left, right));
    return tensor_at_points(k, &p, tensor_store(k, c, p.at[0], p.at[1], sum));
}

/* TVM has no instruction for it yet: it is its own description. */
static struct ir_stmt *small_store(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n};
    struct tensor_operand from_ =
        tile("src", r->out, "m16n8k8.matrixC", r->m, r->n);
    struct tensor_operand to = tile("dst", r->out, "shared.dyn", r->m, r->n);
    from_.strided = to.strided = false;
    (void)tensor_operand(k, from_);
    (void)tensor_operand(k, to);
    return moved(k, size);
}

/* ---- table ------------------------------------------------------------------- */

// clang-format off
#define LD(word, type, depth, matrix, scope, flags) \
    {"mma_ldmatrix_" word "_" matrix, ldmatrix, type, NULL, scope, 16, 16, \
     depth, flags}
#define LD_BYTES(word, type) \
    LD(word, type, 32, "a", "shared", 0), \
    LD(word, type, 32, "b", "shared", MATRIX_B), \
    LD(word, type, 32, "b_trans", "shared", MATRIX_B | TRANS_B)
#define MMA(words, in, out, depth, flags) \
    {"mma_" words, mma, in, out, NULL, 16, 16, depth, flags}
#define MMA_HALVES(words, out) \
    MMA(words, "float16", out, 16, 0), \
    MMA(words "_trans_a", "float16", out, 16, TRANS_A), \
    MMA(words "_trans_b", "float16", out, 16, TRANS_B), \
    MMA(words "_trans_a_trans_b", "float16", out, 16, TRANS_A | TRANS_B)
#define MMA_BYTES(words, in, out) \
    MMA(words, in, out, 32, 0), MMA(words "_trans_b", in, out, 32, TRANS_B)
#define STORE(words, type, scope, flags) \
    {"mma_store_16x16_" words, mma_store, NULL, type, scope, 16, 16, 0, flags}

const struct tensor_row tensor_mma_rows[] = {
    LD("f16", "float16", 16, "a", "shared", 0),
    LD("f16", "float16", 16, "a_trans", "shared", TRANS_A),
    LD("f16", "float16", 16, "b", "shared", MATRIX_B),
    LD("f16", "float16", 16, "b_trans", "shared", MATRIX_B | TRANS_B),
    LD("f16", "float16", 16, "a_dyn", "shared.dyn", 0),
    LD("f16", "float16", 16, "a_trans_dyn", "shared.dyn", TRANS_A),
    LD("f16", "float16", 16, "b_dyn", "shared.dyn", MATRIX_B),
    LD("f16", "float16", 16, "b_trans_dyn", "shared.dyn", MATRIX_B | TRANS_B),
    LD_BYTES("i8", "int8"),
    LD_BYTES("e4m3", "float8_e4m3fn"),
    LD_BYTES("e5m2", "float8_e5m2"),
    MMA_HALVES("f16f16f16", "float16"),
    MMA_HALVES("f16f16f32", "float32"),
    MMA_BYTES("i8i8i32", "int8", "int32"),
    MMA_BYTES("e4m3e4m3f32", "float8_e4m3fn", "float32"),
    MMA_BYTES("e5m2e5m2f32", "float8_e5m2", "float32"),
    {"mma_fill_16x16_f16", mma_fill, NULL, "float16", NULL, 16, 16, 0, 0},
    {"mma_fill_16x16_f32", mma_fill, NULL, "float32", NULL, 16, 16, 0, 0},
    {"mma_fill_16x16_i32", mma_fill, NULL, "int32", NULL, 16, 16, 0, 0},
    STORE("f16_global_", "float16", "global", 0),
    STORE("f32_global_", "float32", "global", 0),
    STORE("i32_global_", "int32", "global", 0),
    STORE("f32_shared_dyn_", "float32", "shared.dyn", 0),
    STORE("f16_shared_dyn_simple_", "float16", "shared.dyn", SIMPLE),
    STORE("f32_shared_dyn_simple_", "float32", "shared.dyn", SIMPLE),
    {"mma_init_m16n8k8_f16", small_init, NULL, "float16", NULL, 16, 8, 8, 0},
    {"mma_init_m16n8k8_f32", small_init, NULL, "float32", NULL, 16, 8, 8, 0},
    {"mma_load_m16n8k8_f16_A_shared_dyn", small_load, "float16", NULL,
     "shared.dyn", 32, 32, 8, 0},
    {"mma_load_m16n8k8_f16_B_shared_dyn", small_load, "float16", NULL,
     "shared.dyn", 32, 32, 8, MATRIX_B},
    {"mma_store_m16n8k8_f16_global", small_store, NULL, "float16", NULL, 16,
     8, 8, 0},
    {"mma_store_m16n8k8_f32_global", small_store, NULL, "float32", NULL, 16,
     8, 8, 0},
    {"mma_sync_m16n8k8_f16f16f16", small_sync, "float16", "float16", NULL, 16,
     8, 8, 0},
    {"mma_sync_m16n8k8_f16f16f32", small_sync, "float16", "float32", NULL, 16,
     8, 8, 0},
    {NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0},
};
// clang-format on
