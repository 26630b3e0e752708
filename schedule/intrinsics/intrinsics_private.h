/* SPDX-License-Identifier: Apache-2.0
 *
 * How tensor intrinsics are made: a row of a table says which instruction, a
 * function makes the description or the implementation of it.
 *
 * Both are functions of the same operands with one block that says what it
 * reads and writes. A description is a nest of loops with one block; what an
 * implementation does is its family's business. TVM's own are the model,
 * python/tvm/s_tir/tensor_intrin; ours are equal to them in structure
 * (tests/tvm/intrinsics.sh), since a schedule that names one means that.
 */
#ifndef DC_SCHEDULE_INTRINSICS_PRIVATE_H
#define DC_SCHEDULE_INTRINSICS_PRIVATE_H

#include "schedule/schedule_private.h"

struct tensor_making;

struct tensor_row {
    const char *name;
    struct ir_stmt *(*make)(struct tensor_making *k);
    const char *in, *out; /* types of operands and sums */
    const char *scope;    /* of memory, or of what is stored to */
    int64_t m, n, depth;  /* of one tile */
    unsigned flags;       /* the family's */
};
/* Ended by a row without a name. */
extern const struct tensor_row tensor_tile_rows[], tensor_mma_rows[],
    tensor_dot_rows[], tensor_mfma_rows[];

#define TENSOR_MAX_OPERANDS 3u
struct tensor_making {
    struct ir_module *m;
    const struct tensor_row *row;
    struct dtype index; /* of sizes, indices and offsets */
    bool describe;      /* else the implementation */
    bool in_order;      /* it lists what it reads in the order of operands */
    size_t n;
    struct ir_buffer *operands[TENSOR_MAX_OPERANDS];
};

/* ---- operands ------------------------------------------------------------------- */

struct tensor_operand {
    const char *name, *dtype, *scope;
    int64_t rows, cols; /* cols 0: a vector of rows elements */
    int factor;         /* the offset is a multiple of it; 0: it is 0 */
    bool strided;       /* in an implementation: strides are symbols */
    int alignment;      /* 0: 64 bytes */
};
/* The next parameter. */
struct ir_buffer *tensor_operand(struct tensor_making *k,
                                 struct tensor_operand what);
struct dtype tensor_dtype(const char *text);

/* ---- expressions: nothing is folded, as in TVM ------------------------------------- */

struct ir_expr *tensor_index(struct tensor_making *k, int64_t value);
struct ir_expr *tensor_int32(struct tensor_making *k, int64_t value);
struct ir_expr *tensor_zero(struct tensor_making *k, const char *dtype);
/* Index arithmetic by its text: + * // % ( ), numbers, and the letters a, b, …
 * for vars; printed first. */
struct ir_expr *tensor_formula(struct tensor_making *k,
                               struct ir_expr *const *vars, const char *fmt,
                               ...) DC_PRINTF(3, 4);
struct ir_expr *tensor_data(struct tensor_making *k, struct ir_buffer *b);
/* Address of a strided matrix; mask 1: to read, 2: to write. */
struct ir_expr *tensor_address(struct tensor_making *k, struct ir_buffer *b,
                               int mask);
/* Which of the tiles of that size, that a matrix of fragments is made of,
 * begins at the operand's offset. */
struct ir_expr *tensor_tile(struct tensor_making *k, const struct ir_buffer *b,
                            int64_t rows, int64_t cols);
struct ir_stmt *tensor_call(struct tensor_making *k, const char *dtype,
                            const char *name, size_t n,
                            struct ir_expr *const *args);
/* An element; j NULL: of a vector. */
struct ir_expr *tensor_load(struct tensor_making *k, struct ir_buffer *b,
                            struct ir_expr *i, struct ir_expr *j);
struct ir_stmt *tensor_store(struct tensor_making *k, struct ir_buffer *b,
                             struct ir_expr *i, struct ir_expr *j,
                             struct ir_expr *value);
struct ir_expr *tensor_cast(struct tensor_making *k, const char *dtype,
                            struct ir_expr *e);

/* ---- statements ------------------------------------------------------------------- */

/* The points of a description: a loop and an iterator for each letter of
 * types, S or R. */
struct tensor_points {
    size_t n;
    struct ir_var *loops[3];
    struct ir_iter_var iters[3];
    struct ir_expr *at[3]; /* values of the iterators */
};
void tensor_points(struct tensor_making *k, struct tensor_points *p,
                   const char *types, const int64_t *extents);
struct ir_stmt *tensor_at_points(struct tensor_making *k,
                                 const struct tensor_points *p,
                                 struct ir_stmt *store);
/* A loop of a kind of its own: IR_FOR_THREAD is over "threadIdx.x". */
struct ir_stmt *tensor_loop(struct tensor_making *k, struct ir_var *var,
                            int64_t extent, enum ir_for_kind kind,
                            struct ir_stmt *body);
/* The variable of such a loop. */
struct ir_var *tensor_var(struct tensor_making *k, const char *name);

#endif
