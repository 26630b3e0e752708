/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX matrix instructions on per-thread registers: mma.sync, ldmatrix, and
 * TVM's mma_fill and mma_store.
 *
 * Fragments follow the PTX manual. With group = lane / 4, part = lane % 4 and
 * e elements of A in 32 bits, element i of a lane is, r = i / e being its
 * register and M / 8 = h the number of row halves,
 *   A (M x K): row group + 8 (r mod h), column part e + i mod e + 4 e (r / h)
 *   B (K x 8): row part e + i mod e + 4 e r, column group
 *   C (M x 8): row group + 8 (i / 2), column 2 part + i mod 2
 * which covers m8n8 and m16n8 for types of 8 bits and more. A is row-major and
 * B column-major, as the hardware has it.
 */
#include "interp/threads/intrin.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 1024 /* of A, B or C */

struct mma_shape {
    int64_t m, n, k;
};

/* "m16n8k16" */
static bool parse_shape(const char *text, struct mma_shape *s)
{
    static const char letters[] = "mnk";
    int64_t value[3];
    for (size_t i = 0; i < 3; i++) {
        value[i] = 0;
        if (*text++ != letters[i])
            return false;
        for (; *text >= '0' && *text <= '9' && value[i] < 1000; text++)
            value[i] = value[i] * 10 + (*text - '0');
    }
    *s = (struct mma_shape){value[0], value[1], value[2]};
    return *text == '\0' && (s->m == 8 || s->m == 16) && s->n == 8 &&
           s->k > 0 && s->k <= 64;
}

static bool parse_type(const struct ir_expr *call, uint32_t operand,
                       struct dtype *out)
{
    return ir_ptx_type(ir_call_text(call, operand), out) && out->bits >= 8 &&
           out->lanes == 1 && dtype_has_arithmetic(*out);
}

/* ---- fragments of registers ------------------------------------------------------ */

/* Where each lane's element 0 of an operand lies. */
struct registers {
    struct alloc *alloc[EXEC_WARP_SIZE];
    int64_t offset[EXEC_WARP_SIZE]; /* bytes */
    struct dtype type;
    int64_t count; /* elements a lane */
};

/* Pointer at operand i, element offset at i + 1. */
static bool find_registers(struct machine *m, const struct ir_expr *call,
                           const struct warp *w, uint32_t i,
                           struct registers *r)
{
    for (size_t l = 0; l < w->n; l++) {
        struct pointer p;
        int64_t at;
        thread_switch(m, w->lanes[l]);
        if (!exec_pointer_get(m, exec_eval(m, call->args[i]), &p) ||
            !exec_eval_index(m, call->args[i + 1], "register offset", &at))
            return false;
        if (!dtype_equal(intrin_pointer_lane(&p), r->type)) {
            char have[48], want[48];
            exec_fault(m, INTERP_UNSUPPORTED, p.alloc->buffer, call,
                       "has registers of %s, expected %s",
                       dtype_name(intrin_pointer_lane(&p), have),
                       dtype_name(r->type, want));
            return false;
        }
        r->alloc[l] = p.alloc;
        r->offset[l] = p.offset + at * (int64_t)dtype_lane_bytes(r->type);
    }
    return true;
}

static struct value register_load(struct machine *m, const struct warp *w,
                                  const struct registers *r, size_t lane,
                                  int64_t i)
{
    thread_switch(m, w->lanes[lane]);
    return mem_load(m, r->alloc[lane],
                    r->offset[lane] + i * (int64_t)dtype_lane_bytes(r->type),
                    r->type);
}

static void place_a(const struct mma_shape *s, struct dtype t, int64_t lane,
                    int64_t i, int64_t *row, int64_t *column)
{
    int64_t e = t.bits >= 32 ? 1 : 32 / t.bits, r = i / e, h = s->m / 8;
    *row = lane / 4 + 8 * (r % h);
    *column = lane % 4 * e + i % e + 4 * e * (r / h);
}

static void place_b(struct dtype t, int64_t lane, int64_t i, int64_t *row,
                    int64_t *column)
{
    int64_t e = t.bits >= 32 ? 1 : 32 / t.bits;
    *row = lane % 4 * e + i % e + 4 * e * (i / e);
    *column = lane / 4;
}

static void place_c(int64_t lane, int64_t i, int64_t *row, int64_t *column)
{
    *row = lane / 4 + 8 * (i / 2);
    *column = 2 * (lane % 4) + i % 2;
}

struct mma {
    struct mma_shape shape;
    struct registers a, b, c;
};

static bool mma_types(struct machine *m, const struct ir_expr *call,
                      struct mma *x)
{
    bool fine = parse_shape(ir_call_text(call, 0), &x->shape) &&
                strncmp(ir_call_text(call, 1), "row", 3) == 0 &&
                strncmp(ir_call_text(call, 2), "col", 3) == 0 &&
                parse_type(call, 3, &x->a.type) &&
                parse_type(call, 4, &x->b.type) &&
                parse_type(call, 5, &x->c.type) && call->nargs == 13 &&
                x->a.type.bits == x->b.type.bits &&
                dtype_is_float(x->a.type) == dtype_is_float(x->c.type) &&
                dtype_is_float(x->b.type) == dtype_is_float(x->c.type) &&
                x->a.type.bits <= x->c.type.bits;
    if (fine) {
        x->a.count = x->shape.m * x->shape.k / EXEC_WARP_SIZE;
        x->b.count = x->shape.k * 8 / EXEC_WARP_SIZE;
        x->c.count = x->shape.m * 8 / EXEC_WARP_SIZE;
        int64_t e = x->a.type.bits >= 32 ? 1 : 32 / x->a.type.bits;
        fine = x->shape.k % (4 * e) == 0;
    }
    if (!fine)
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                   "mma of shape '%s' on %s, %s and %s is not supported",
                   ir_call_text(call, 0), ir_call_text(call, 3),
                   ir_call_text(call, 4), ir_call_text(call, 5));
    return fine;
}

static void mma_load(struct machine *m, const struct warp *w,
                     const struct mma *x, struct value *a, struct value *b,
                     struct value *c)
{
    int64_t row, column;
    for (size_t l = 0; l < w->n && !m->failed; l++) {
        for (int64_t i = 0; i < x->a.count; i++) {
            place_a(&x->shape, x->a.type, (int64_t)l, i, &row, &column);
            a[row * x->shape.k + column] = register_load(m, w, &x->a, l, i);
        }
        for (int64_t i = 0; i < x->b.count; i++) {
            place_b(x->b.type, (int64_t)l, i, &row, &column);
            b[row * 8 + column] = register_load(m, w, &x->b, l, i);
        }
        for (int64_t i = 0; i < x->c.count; i++) {
            place_c((int64_t)l, i, &row, &column);
            c[row * 8 + column] = register_load(m, w, &x->c, l, i);
        }
    }
}

static void mma_warp(struct machine *m, const struct warp *w,
                     const struct mma *x)
{
    const struct mma_shape *s = &x->shape;
    size_t size = MAX_ELEMENTS * sizeof(struct value);
    struct value *a = exec_scratch_alloc(m, size),
                 *b = exec_scratch_alloc(m, size);
    struct value *c = exec_scratch_alloc(m, size);
    const struct dot_types t = {x->c.type, x->a.type, x->b.type,
                                dtype_equal(x->a.type, x->b.type) ? x->a.type
                                                                  : x->c.type};
    mma_load(m, w, x, a, b, c);
    if (!intrin_charge(m, (uint64_t)(s->m * 8 * s->k)))
        return;
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < 8; j++)
            c[i * 8 + j] = intrin_dot(m, &t, s->k, a + i * s->k, 1, b + j, 8,
                                      c[i * 8 + j]);
    for (size_t l = 0; l < w->n && !m->failed; l++) {
        thread_switch(m, w->lanes[l]);
        for (int64_t i = 0; i < x->c.count; i++) {
            int64_t row, column;
            place_c((int64_t)l, i, &row, &column);
            mem_store(m, x->c.alloc[l],
                      x->c.offset[l] + i * (int64_t)dtype_lane_bytes(x->c.type),
                      x->c.type,
                      exec_settle(m, x->c.type, c[row * 8 + column]));
        }
    }
}

static bool full_warp(struct machine *m, const struct ir_expr *call,
                      const struct warp *w)
{
    if (!warp_is_whole(m, call, w))
        return false;
    if (m->kernel != NULL && w->n == EXEC_WARP_SIZE)
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
               "'%s' by %zu lanes is not supported, expected a warp of %d",
               call->u.call.name, w->n, EXEC_WARP_SIZE);
    return false;
}

static void ptx_mma(struct machine *m, const struct ir_expr *call,
                    const struct group *g, struct value *results)
{
    struct warp w;
    (void)results;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        struct mma x = {.shape = {0, 0, 0}};
        if (!full_warp(m, call, &w) || !mma_types(m, call, &x) ||
            !find_registers(m, call, &w, 6, &x.a) ||
            !find_registers(m, call, &w, 8, &x.b) ||
            !find_registers(m, call, &w, 10, &x.c))
            return;
        mma_warp(m, &w, &x);
    }
}

/* ---- ldmatrix: trans, num, type, local, offset, shared, offset --------------------- */

struct row_source {
    struct pointer pointer;
    int64_t offset; /* bytes */
};

static bool matrix_rows(struct machine *m, const struct ir_expr *call,
                        const struct warp *w, struct row_source *rows)
{
    for (size_t l = 0; l < w->n; l++) {
        int64_t at;
        thread_switch(m, w->lanes[l]);
        if (!exec_pointer_get(m, exec_eval(m, call->args[5]),
                              &rows[l].pointer) ||
            !exec_eval_index(m, call->args[6], "shared offset", &at))
            return false;
        rows[l].offset = rows[l].pointer.offset +
                         at * (int64_t)dtype_lane_bytes(
                                  intrin_pointer_lane(&rows[l].pointer));
    }
    return true;
}

/* Lane l gets two 16-bit units of matrix j: row l / 4, units 2 (l mod 4) and
 * the next; transposed: column l / 4. Row i of matrix j is at lane 8 j + i's
 * address. */
static void ldmatrix_lane(struct machine *m, const struct ir_expr *call,
                          const struct warp *w, const struct row_source *rows,
                          size_t l, int64_t matrices, bool transposed)
{
    struct pointer to;
    int64_t at;
    thread_switch(m, w->lanes[l]);
    if (!exec_pointer_get(m, exec_eval(m, call->args[3]), &to) ||
        !exec_eval_index(m, call->args[4], "register offset", &at))
        return;
    struct dtype lane = intrin_pointer_lane(&to);
    int64_t bytes = (int64_t)dtype_lane_bytes(lane), per = 2 / bytes;
    int64_t target = to.offset + at * bytes;
    for (int64_t u = 0; u < 2 * matrices; u++) {
        int64_t j = u / 2, row = (int64_t)l / 4;
        int64_t unit = 2 * ((int64_t)l % 4) + u % 2;
        if (transposed) {
            int64_t swap = row;
            row = unit;
            unit = swap;
        }
        const struct row_source *from = &rows[8 * j + row];
        for (int64_t b = 0; b < per && !m->failed; b++) {
            int64_t place = from->offset + 2 * unit + b * bytes;
            struct value v = mem_load(m, from->pointer.alloc, place, lane);
            /* or read by the lane that points to the row: nobody says */
            if (m->racing && !m->failed) {
                thread_switch(m, w->lanes[8 * j + row]);
                exec_race_access(m, from->pointer.alloc, (size_t)place,
                                 (size_t)bytes, RACE_READ, NULL);
                thread_switch(m, w->lanes[l]);
            }
            mem_store(m, to.alloc, target + 2 * u + b * bytes, lane, v);
        }
    }
}

/* A transposed matrix of 8-bit elements, which the instruction cannot load:
 * TVM emits 16 loads a lane in its place, and the last operand is the row
 * stride. Element i of lane l is row 16 (i mod 8 / 4) + 4 (l mod 4) + i mod 4,
 * column l / 4 + 8 (i / 8) of the 32 x 16 tile at the pointer. */
static void load_bytes_lane(struct machine *m, const struct ir_expr *call,
                            const struct warp *w, size_t l)
{
    struct pointer to, from;
    int64_t at, stride;
    thread_switch(m, w->lanes[l]);
    if (!exec_pointer_get(m, exec_eval(m, call->args[3]), &to) ||
        !exec_eval_index(m, call->args[4], "register offset", &at) ||
        !exec_pointer_get(m, exec_eval(m, call->args[5]), &from) ||
        !exec_eval_index(m, call->args[6], "row stride", &stride))
        return;
    struct dtype lane = intrin_pointer_lane(&to);
    if (llabs(stride) > INT64_C(1) << 32) {
        exec_fault(m, INTERP_OUT_OF_BOUNDS, from.alloc->buffer, call,
                   "row stride %lld", (long long)stride);
        return;
    }
    for (int64_t i = 0; i < 16 && !m->failed; i++) {
        int64_t row = 16 * (i % 8 / 4) + 4 * ((int64_t)l % 4) + i % 4;
        int64_t column = (int64_t)l / 4 + 8 * (i / 8);
        struct value v =
            mem_load(m, from.alloc, from.offset + row * stride + column, lane);
        mem_store(m, to.alloc, to.offset + at + i, lane, v);
    }
}

static void ldmatrix(struct machine *m, const struct ir_expr *call,
                     const struct group *g, struct value *results)
{
    struct warp w;
    (void)results;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        struct row_source rows[EXEC_WARP_SIZE];
        int64_t transposed, matrices;
        struct pointer p;
        if (!full_warp(m, call, &w) ||
            !warp_index(m, call, &w, 0, &transposed) ||
            !warp_index(m, call, &w, 1, &matrices) ||
            !exec_pointer_get(m, exec_eval(m, call->args[3]), &p))
            return;
        size_t bytes = dtype_lane_bytes(intrin_pointer_lane(&p));
        bool spread = bytes == 1 && transposed != 0;
        bool fine = (matrices == 1 || matrices == 2 || matrices == 4) &&
                    strcmp(ir_call_text(call, 2), ".b16") == 0 &&
                    (bytes == 1 || bytes == 2) && (!spread || matrices == 4);
        if (!fine) {
            exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                       "ldmatrix of this form is not supported");
            return;
        }
        for (size_t l = 0; spread && l < w.n && !m->failed; l++)
            load_bytes_lane(m, call, &w, l);
        if (spread || !matrix_rows(m, call, &w, rows))
            continue;
        for (size_t l = 0; l < w.n && !m->failed; l++)
            ldmatrix_lane(m, call, &w, rows, l, matrices, transposed != 0);
    }
}

/* ---- mma_fill(n, registers, offset) ------------------------------------------------- */

/* Until LowerWarpMemory has run, registers are `warp` storage that holds those
 * of all lanes one after the other, and mma_fill and mma_store name the first
 * lane's: elements from there to the current lane's, n a lane. */
static int64_t lane_start(const struct machine *m, const struct pointer *p,
                          int64_t n)
{
    return p->alloc->scope == IR_SCOPE_WARP && m->kernel != NULL
               ? (int64_t)(m->thread->lane % EXEC_WARP_SIZE) * n
               : 0;
}

static struct value mma_fill(struct machine *m, const struct ir_expr *call)
{
    struct pointer p;
    int64_t n, at;
    if (!exec_eval_index(m, call->args[0], "number of registers", &n) ||
        !exec_pointer_get(m, exec_eval(m, call->args[1]), &p) ||
        !exec_eval_index(m, call->args[2], "register offset", &at))
        return exec_value_scalar(0, 0);
    struct dtype lane = intrin_pointer_lane(&p);
    if (n < 0 || n > MAX_ELEMENTS) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                   "mma_fill of %lld registers is not supported", (long long)n);
        return exec_value_scalar(0, 0);
    }
    at += lane_start(m, &p, n);
    struct value zero = dtype_is_float(lane) ? exec_literal(m, lane, 0.0)
                                             : exec_value_scalar(0, 0);
    for (int64_t i = 0; i < n && !m->failed; i++)
        mem_store(m, p.alloc,
                  p.offset + (at + i) * (int64_t)dtype_lane_bytes(lane), lane,
                  zero);
    return exec_value_scalar(0, 0);
}

/* ---- mma_store(16, 16, target, registers, offset, stride) ---------------------------- */

/* Element i of lane l belongs at row 8 (i mod 4 / 2) + l / 4, column
 * 8 (i / 4) + 2 (l mod 4) + i mod 2 of a 16 x 16 tile. */
static void mma_store_lane(struct machine *m, const struct ir_expr *call,
                           int64_t l)
{
    struct pointer to, from;
    int64_t rows, columns, at, stride;
    if (!exec_eval_index(m, call->args[0], "rows", &rows) ||
        !exec_eval_index(m, call->args[1], "columns", &columns) ||
        !exec_pointer_get(m, exec_eval(m, call->args[2]), &to) ||
        !exec_pointer_get(m, exec_eval(m, call->args[3]), &from) ||
        !exec_eval_index(m, call->args[4], "register offset", &at) ||
        !exec_eval_index(m, call->args[5], "stride", &stride))
        return;
    struct dtype lane = intrin_pointer_lane(&from);
    int64_t bytes = (int64_t)dtype_lane_bytes(lane);
    if (rows != 16 || columns != 16 ||
        !dtype_equal(lane, intrin_pointer_lane(&to)) ||
        llabs(stride) > INT64_C(1) << 32) {
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                   "mma_store of this form is not supported");
        return;
    }
    at += lane_start(m, &from, 8);
    for (int64_t i = 0; i < 8 && !m->failed; i++) {
        int64_t row = 8 * (i % 4 / 2) + l / 4;
        int64_t column = 8 * (i / 4) + 2 * (l % 4) + i % 2;
        struct value v =
            mem_load(m, from.alloc, from.offset + (at + i) * bytes, lane);
        mem_store(m, to.alloc, to.offset + (row * stride + column) * bytes,
                  lane, v);
    }
}

static void mma_store(struct machine *m, const struct ir_expr *call,
                      const struct group *g, struct value *results)
{
    struct warp w;
    (void)results;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        if (!full_warp(m, call, &w))
            return;
        for (size_t l = 0; l < w.n && !m->failed; l++) {
            thread_switch(m, w.lanes[l]);
            mma_store_lane(m, call, (int64_t)l);
        }
    }
}

const struct intrin intrin_ptx_mma = {.collective = ptx_mma};
const struct intrin intrin_ldmatrix = {.collective = ldmatrix};
const struct intrin intrin_mma_fill = {.eval = mma_fill};
const struct intrin intrin_mma_store = {.collective = mma_store};
