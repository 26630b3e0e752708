/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix units that are used by whole tiles: NVIDIA's wmma and Metal's
 * simdgroup matrices. A fragment is a tile of a matrix of scope wmma.* or
 * metal.simdgroup; an instruction names it by its place in that matrix, which
 * follows from the operand's offset and stride.
 *
 * Model: python/tvm/s_tir/tensor_intrin/cuda.py (get_wmma_*), metal.py.
 */
#include "schedule/intrinsics/intrinsics_private.h"

enum { MATRIX_B = 1, COLUMNS = 2 }; /* columns: tiles of it lie transposed */

/* ---- wmma ------------------------------------------------------------------ */

/* Rows and columns of a tile in memory. */
static void tile_shape(const struct tensor_row *r, int64_t *rows, int64_t *cols)
{
    bool b = (r->flags & MATRIX_B) != 0, turned = (r->flags & COLUMNS) != 0;
    int64_t high = b ? r->depth : r->m, wide = b ? r->n : r->depth;
    *rows = turned ? wide : high;
    *cols = turned ? high : wide;
}

/* A tile goes from one place to another. */
static struct ir_stmt *copied(struct tensor_making *k, struct ir_buffer *from,
                              struct ir_buffer *to, const int64_t *extents,
                              bool turned)
{
    struct tensor_points p;
    tensor_points(k, &p, "SS", extents);
    return tensor_at_points(
        k, &p,
        tensor_store(k, to, p.at[turned], p.at[!turned],
                     tensor_load(k, from, p.at[0], p.at[1])));
}

static struct ir_stmt *filled(struct tensor_making *k, struct ir_buffer *to,
                              const int64_t *extents)
{
    struct tensor_points p;
    tensor_points(k, &p, "SS", extents);
    return tensor_at_points(
        k, &p,
        tensor_store(k, to, p.at[0], p.at[1], tensor_zero(k, k->row->out)));
}

/* C += A B, or A B^T where B lies turned. */
static struct ir_stmt *multiplied(struct tensor_making *k, bool turned)
{
    const struct tensor_row *r = k->row;
    int64_t extents[] = {r->m, r->n, r->depth};
    struct ir_buffer *a = k->operands[0], *b = k->operands[1];
    struct ir_buffer *c = k->operands[2];
    struct tensor_points p;
    tensor_points(k, &p, "SSR", extents);
    struct ir_expr *left =
        tensor_cast(k, r->out, tensor_load(k, a, p.at[0], p.at[2]));
    struct ir_expr *right = tensor_cast(
        k, r->out,
        tensor_load(k, b, p.at[turned ? 1 : 2], p.at[turned ? 2 : 1]));
    struct ir_expr *sum =
        ir_binary(k->m, IR_ADD, tensor_load(k, c, p.at[0], p.at[1]),
                  ir_binary(k->m, IR_MUL, left, right));
    return tensor_at_points(k, &p, tensor_store(k, c, p.at[0], p.at[1], sum));
}

static struct ir_stmt *wmma_fill(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t extents[] = {r->m, r->n};
    struct ir_buffer *c = tensor_operand(
        k, (struct tensor_operand){"C", r->out, "wmma.accumulator", r->m, r->n,
                                   (int)r->n, true, 0});
    if (k->describe)
        return filled(k, c, extents);
    struct ir_expr *args[] = {
        tensor_data(k, c),
        tensor_int32(k, r->m),
        tensor_int32(k, r->n),
        tensor_int32(k, r->depth),
        tensor_tile(k, c, r->m, r->n),
        tensor_zero(k, "float32"),
    };
    return tensor_call(k, NULL, "tirx.tvm_fill_fragment", 6, args);
}

/* Load and store: a fragment and memory. */
static struct ir_stmt *wmma_move(struct tensor_making *k, const char *name,
                                 struct ir_buffer *fragment,
                                 struct ir_buffer *memory, int mask)
{
    const struct tensor_row *r = k->row;
    int64_t rows = 0, cols = 0;
    (void)ir_const_int(fragment->shape[0], &rows);
    (void)ir_const_int(fragment->shape[1], &cols);
    struct ir_expr *args[] = {
        tensor_data(k, fragment),
        tensor_int32(k, r->m),
        tensor_int32(k, r->n),
        tensor_int32(k, r->depth),
        tensor_tile(k, fragment, rows, cols),
        tensor_address(k, memory, mask),
        memory->strides[0],
        ir_string(k->m, r->flags & COLUMNS ? "col_major" : "row_major"),
    };
    return tensor_call(k, NULL, name, 8, args);
}

static struct ir_stmt *wmma_load(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[2];
    tile_shape(r, &size[0], &size[1]);
    struct ir_buffer *a = tensor_operand(
        k, (struct tensor_operand){"A", r->in, r->scope, size[0], size[1],
                                   (int)size[1], true, 0});
    struct ir_buffer *c = tensor_operand(
        k, (struct tensor_operand){"C", r->in,
                                   r->flags & MATRIX_B ? "wmma.matrix_b"
                                                       : "wmma.matrix_a",
                                   size[0], size[1], (int)size[1], true, 0});
    return k->describe ? copied(k, a, c, size, false)
                       : wmma_move(k, "tirx.tvm_load_matrix_sync", c, a, 1);
}

static struct ir_stmt *wmma_store(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n};
    struct ir_buffer *a = tensor_operand(
        k, (struct tensor_operand){"A", r->out, "wmma.accumulator", r->m, r->n,
                                   (int)r->n, true, 0});
    struct ir_buffer *c =
        tensor_operand(k, (struct tensor_operand){"C", r->out, r->scope, r->m,
                                                  r->n, (int)r->n, true, 0});
    return k->describe ? copied(k, a, c, size, false)
                       : wmma_move(k, "tirx.tvm_store_matrix_sync", a, c, 2);
}

static struct ir_expr *tile_of(struct tensor_making *k, struct ir_buffer *b)
{
    int64_t rows = 0, cols = 0;
    (void)ir_const_int(b->shape[0], &rows);
    (void)ir_const_int(b->shape[1], &cols);
    return tensor_tile(k, b, rows, cols);
}

static struct ir_stmt *multiply_call(struct tensor_making *k, const char *name)
{
    struct ir_buffer *a = k->operands[0], *b = k->operands[1];
    struct ir_buffer *c = k->operands[2];
    struct ir_expr *args[] = {
        tensor_data(k, c), tile_of(k, c), tensor_data(k, a), tile_of(k, a),
        tensor_data(k, b), tile_of(k, b), tensor_data(k, c), tile_of(k, c),
    };
    return tensor_call(k, NULL, name, 8, args);
}

static struct ir_stmt *wmma_sync(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    bool turned = (r->flags & COLUMNS) != 0;
    int64_t rows = turned ? r->n : r->depth, cols = turned ? r->depth : r->n;
    (void)tensor_operand(k, (struct tensor_operand){"A", r->in, "wmma.matrix_a",
                                                    r->m, r->depth,
                                                    (int)r->depth, true, 0});
    (void)tensor_operand(k, (struct tensor_operand){"B", r->in, "wmma.matrix_b",
                                                    rows, cols, (int)cols, true,
                                                    0});
    (void)tensor_operand(k, (struct tensor_operand){"C", r->out,
                                                    "wmma.accumulator", r->m,
                                                    r->n, (int)r->n, true, 0});
    return k->describe ? multiplied(k, turned)
                       : multiply_call(k, "tirx.tvm_mma_sync");
}

/* ---- simdgroup ------------------------------------------------------------- */

static struct tensor_operand simd_tile(const struct tensor_row *r,
                                       const char *name, const char *scope)
{
    return (struct tensor_operand){name, r->out, scope, r->m, r->n, 1, true, 0};
}

static struct ir_stmt *simd_fill(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n};
    struct ir_buffer *a =
        tensor_operand(k, simd_tile(r, "A", "metal.simdgroup"));
    if (k->describe)
        return filled(k, a, size);
    struct ir_expr *args[] = {tensor_data(k, a), tile_of(k, a),
                              tensor_zero(k, "float32"), tensor_int32(k, r->n),
                              tensor_int32(k, r->m)};
    return tensor_call(k, NULL, "tirx.make_filled_simdgroup_matrix", 5, args);
}

static struct ir_stmt *simd_move(struct tensor_making *k, const char *name,
                                 struct ir_buffer *fragment,
                                 struct ir_buffer *memory, int mask)
{
    const struct tensor_row *r = k->row;
    struct ir_expr *args[] = {
        tensor_data(k, fragment),
        tile_of(k, fragment),
        tensor_address(k, memory, mask),
        memory->strides[0],
        tensor_int32(k, r->n),
        tensor_int32(k, r->m),
        ir_int(k->m, DTYPE_BOOL, (r->flags & COLUMNS) != 0),
    };
    return tensor_call(k, NULL, name, 7, args);
}

static struct ir_stmt *simd_load(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n};
    struct ir_buffer *a = tensor_operand(k, simd_tile(r, "A", r->scope));
    struct ir_buffer *c =
        tensor_operand(k, simd_tile(r, "C", "metal.simdgroup"));
    return k->describe ? copied(k, a, c, size, (r->flags & COLUMNS) != 0)
                       : simd_move(k, "tirx.simdgroup_load", c, a, 1);
}

static struct ir_stmt *simd_store(struct tensor_making *k)
{
    const struct tensor_row *r = k->row;
    int64_t size[] = {r->m, r->n};
    struct ir_buffer *a =
        tensor_operand(k, simd_tile(r, "A", "metal.simdgroup"));
    struct ir_buffer *c = tensor_operand(k, simd_tile(r, "C", r->scope));
    return k->describe ? copied(k, a, c, size, false)
                       : simd_move(k, "tirx.simdgroup_store", a, c, 2);
}

static struct ir_stmt *simd_multiply(struct tensor_making *k)
{
    static const char *const names[] = {"A", "B", "C"};
    for (size_t i = 0; i < 3; i++)
        (void)tensor_operand(k, simd_tile(k->row, names[i], "metal.simdgroup"));
    return k->describe ? multiplied(k, false)
                       : multiply_call(k, "tirx.simdgroup_multiply_accumulate");
}

/* ---- table ----------------------------------------------------------------- */

// clang-format off
#define CUBE 16, 16, 16
#define THIN 8, 8, 32
#define LOADS(word, type, matrix, trans, flags) \
    {"wmma_load_16x16x16_" word "_" matrix trans "_shared", wmma_load, \
     type, NULL, "shared", CUBE, flags}, \
    {"wmma_load_16x16x16_" word "_" matrix trans "_shared_dyn", wmma_load, \
     type, NULL, "shared.dyn", CUBE, flags}
#define STORES(shape, size, word, type) \
    {"wmma_store_" shape "_" word "_global", wmma_store, NULL, type, \
     "global", size, 0}, \
    {"wmma_store_" shape "_" word "_shared", wmma_store, NULL, type, \
     "shared", size, 0}, \
    {"wmma_store_" shape "_" word "_shared_dyn", wmma_store, NULL, type, \
     "shared.dyn", size, 0}
#define SYNCS(words, in, out) \
    {"wmma_sync_16x16x16_" words, wmma_sync, in, out, NULL, CUBE, 0}, \
    {"wmma_sync_16x16x16_" words "_trans", wmma_sync, in, out, NULL, CUBE, \
     COLUMNS}
#define SIMD(name, make, type, scope, flags) \
    {name, make, NULL, type, scope, 8, 8, 8, flags}

const struct tensor_row tensor_tile_rows[] = {
    {"wmma_fill_16x16x16_f16", wmma_fill, NULL, "float16", NULL, CUBE, 0},
    {"wmma_fill_16x16x16_f32", wmma_fill, NULL, "float32", NULL, CUBE, 0},
    {"wmma_fill_16x16x16_s32", wmma_fill, NULL, "int32", NULL, CUBE, 0},
    {"wmma_fill_8x8x32_s32", wmma_fill, NULL, "int32", NULL, THIN, 0},
    LOADS("f16", "float16", "a", "", 0),
    LOADS("f16", "float16", "a", "_trans", COLUMNS),
    LOADS("f16", "float16", "b", "", MATRIX_B),
    LOADS("f16", "float16", "b", "_trans", MATRIX_B | COLUMNS),
    LOADS("s8", "int8", "a", "", 0),
    LOADS("s8", "int8", "a", "_trans", COLUMNS),
    LOADS("s8", "int8", "b", "", MATRIX_B),
    LOADS("s8", "int8", "b", "_trans", MATRIX_B | COLUMNS),
    {"wmma_load_8x8x32_s4_a_shared", wmma_load, "int4", NULL, "shared", THIN,
     0},
    {"wmma_load_8x8x32_s4_a_shared_dyn", wmma_load, "int4", NULL,
     "shared.dyn", THIN, 0},
    {"wmma_load_8x8x32_s4_b_trans_shared", wmma_load, "int4", NULL, "shared",
     THIN, MATRIX_B | COLUMNS},
    {"wmma_load_8x8x32_s4_b_trans_shared_dyn", wmma_load, "int4", NULL,
     "shared.dyn", THIN, MATRIX_B | COLUMNS},
    STORES("16x16x16", CUBE, "f16", "float16"),
    STORES("16x16x16", CUBE, "f32", "float32"),
    STORES("16x16x16", CUBE, "s32", "int32"),
    STORES("8x8x32", THIN, "s32", "int32"),
    SYNCS("f16f16f16", "float16", "float16"),
    SYNCS("f16f16f32", "float16", "float32"),
    SYNCS("s8s8s32", "int8", "int32"),
    {"wmma_sync_8x8x32_s4s4s32_trans", wmma_sync, "int4", "int32", NULL, THIN,
     COLUMNS},
    SIMD("simdgroup_make_filled_8x8x8_f16", simd_fill, "float16", NULL, 0),
    SIMD("simdgroup_fill_8x8x8_f32", simd_fill, "float32", NULL, 0),
    SIMD("simdgroup_fill_8x8x8_bf16", simd_fill, "bfloat16", NULL, 0),
    SIMD("simdgroup_load_8x8x8_f16_shared", simd_load, "float16", "shared",
         0),
    SIMD("simdgroup_load_8x8x8_f16_shared_trans", simd_load, "float16",
         "shared", COLUMNS),
    SIMD("simdgroup_store_8x8x8_f16_global", simd_store, "float16", "global",
         0),
    SIMD("simdgroup_store_8x8x8_f16_shared", simd_store, "float16", "shared",
         0),
    SIMD("simdgroup_multiply_accumulate_8x8x8_f16", simd_multiply, "float16",
         NULL, 0),
    {NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0},
};
// clang-format on
