/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole-tile intrinsics: wmma (tvm_*_matrix_sync, tvm_mma_sync) and Metal's
 * simdgroup matrices.
 *
 * A fragment storage holds tiles one after the other; tile `index` lies at
 * index * rows * columns, row-major inside (rule 26). The rows and columns
 * follow from the call's m, n, k and the fragment's scope: matrix_a is m x k,
 * matrix_b k x n, the accumulator m x n. tvm_mma_sync does not repeat m, n, k:
 * they are remembered per storage.
 *
 * The multiplication sums products, which are exact, in ascending k from the
 * accumulator's value, in the accumulator's type. Which lane touches which
 * element in memory is not specified (rule 25): a read counts as that of two
 * different lanes, so that a write of any single one conflicts.
 */
#include "interp/threads/intrin.h"

#include <string.h>

#define MAX_TILE 4096 /* elements of one tile side product */

struct tile {
    struct alloc *alloc;
    int64_t offset; /* bytes of element (0, 0) */
    struct dtype lane;
    int64_t rows, columns;
};

/* ---- fragments ------------------------------------------------------------------ */

static struct tile_shape *shape_slot(struct machine *m, const struct alloc *a)
{
    struct intrin_state *s = intrin_state_get(m);
    if (a->slot >= s->nshapes) {
        size_t n = 2 * (size_t)a->slot + 16;
        struct tile_shape *grown = ARENA_ARRAY(m->arena, n, struct tile_shape);
        if (s->nshapes > 0)
            memcpy(grown, s->shapes, s->nshapes * sizeof *grown);
        s->shapes = grown;
        s->nshapes = n;
    }
    struct tile_shape *shape = &s->shapes[a->slot];
    if (shape->birth != a->birth)
        *shape = (struct tile_shape){.birth = a->birth};
    return shape;
}

static bool shape_fits(struct machine *m, const struct ir_expr *call,
                       const struct tile_shape *s)
{
    if (s->m > 0 && s->n > 0 && s->k > 0 && s->m <= 1024 && s->n <= 1024 &&
        s->k <= 1024 && s->m * s->n <= MAX_TILE && s->m * s->k <= MAX_TILE &&
        s->n * s->k <= MAX_TILE)
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
               "tiles of %lld x %lld x %lld are not supported", (long long)s->m,
               (long long)s->n, (long long)s->k);
    return false;
}

static bool find_tile(struct machine *m, const struct ir_expr *call,
                      const struct pointer *p, const struct tile_shape *s,
                      int64_t index, struct tile *out)
{
    const char *scope = p->alloc->buffer->scope;
    bool a = strstr(scope, "matrix_a") != NULL;
    bool b = strstr(scope, "matrix_b") != NULL;
    out->alloc = p->alloc;
    out->lane = p->alloc->lane;
    out->rows = b ? s->k : s->m;
    out->columns = a ? s->k : s->n;
    int64_t bytes =
        out->rows * out->columns * (int64_t)dtype_lane_bytes(out->lane);
    if (index < 0 || index > ((int64_t)1 << 40) / bytes) {
        exec_fault(m, INTERP_OUT_OF_BOUNDS, p->alloc->buffer, call,
                   "has no tile %lld", (long long)index);
        return false;
    }
    out->offset = p->offset + index * bytes;
    return true;
}

/* Operands frag, m, n, k, index at 0..4. */
static bool fragment_operand(struct machine *m, const struct ir_expr *call,
                             const struct warp *w, struct tile *out)
{
    struct pointer p;
    struct tile_shape s = {.known = true};
    int64_t index;
    if (!warp_pointer(m, call, w, 0, &p) || !warp_index(m, call, w, 1, &s.m) ||
        !warp_index(m, call, w, 2, &s.n) || !warp_index(m, call, w, 3, &s.k) ||
        !warp_index(m, call, w, 4, &index) || !shape_fits(m, call, &s))
        return false;
    s.birth = p.alloc->birth;
    *shape_slot(m, p.alloc) = s;
    return find_tile(m, call, &p, &s, index, out);
}

static int64_t element_at(const struct tile *t, int64_t row, int64_t column)
{
    return t->offset +
           (row * t->columns + column) * (int64_t)dtype_lane_bytes(t->lane);
}

static struct value tile_load(struct machine *m, const struct tile *t,
                              int64_t row, int64_t column)
{
    return private_load(m, t->alloc, element_at(t, row, column), t->lane);
}

static void tile_store(struct machine *m, const struct tile *t, int64_t row,
                       int64_t column, struct value v)
{
    private_store(m, t->alloc, element_at(t, row, column), t->lane, v);
}

static void fill_tile(struct machine *m, const struct ir_expr *call,
                      const struct tile *t, struct dtype from, struct value v)
{
    if (!dtype_equal(from, t->lane))
        v = exec_cast(m, from, t->lane, v);
    (void)call;
    for (int64_t i = 0; i < t->rows && !m->failed; i++)
        for (int64_t j = 0; j < t->columns; j++)
            tile_store(m, t, i, j, v);
}

/* ---- memory ------------------------------------------------------------------------ */

/* A tile in memory: element (i, j) at offset + i * row + j * column bytes. */
struct patch {
    struct alloc *alloc;
    int64_t offset, row, column;
};

static bool find_patch(struct machine *m, const struct ir_expr *call,
                       const struct tile *t, const struct pointer *p,
                       int64_t stride, bool row_major, struct patch *out)
{
    struct dtype lane = intrin_pointer_lane(p);
    int64_t bytes = (int64_t)dtype_lane_bytes(lane);
    if (!dtype_equal(lane, t->lane)) {
        char from[48], to[48];
        exec_fault(m, INTERP_UNSUPPORTED, p->alloc->buffer, call,
                   "of %s moved to or from a fragment of %s is not supported",
                   dtype_name(lane, from), dtype_name(t->lane, to));
        return false;
    }
    if (stride < 0 || stride > (int64_t)1 << 32) {
        exec_fault(m, INTERP_OUT_OF_BOUNDS, p->alloc->buffer, call,
                   "is used with a row stride of %lld", (long long)stride);
        return false;
    }
    out->alloc = p->alloc;
    out->offset = p->offset;
    out->row = row_major ? stride * bytes : bytes;
    out->column = row_major ? bytes : stride * bytes;
    return true;
}

static void move_in(struct machine *m, const struct warp *w,
                    const struct tile *t, const struct patch *p)
{
    size_t bytes = dtype_lane_bytes(t->lane);
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->columns && !m->failed; j++) {
            int64_t at = p->offset + i * p->row + j * p->column;
            struct value v = mem_load(m, p->alloc, at, t->lane);
            if (m->racing && w->n > 1 && !m->failed) {
                thread_switch(m, w->lanes[w->n - 1]);
                exec_race_access(m, p->alloc, (size_t)at, bytes, RACE_READ,
                                 NULL);
                thread_switch(m, w->lanes[0]);
            }
            tile_store(m, t, i, j, v);
        }
    }
}

static void move_out(struct machine *m, const struct warp *w,
                     const struct tile *t, const struct patch *p)
{
    for (int64_t i = 0; i < t->rows; i++) {
        for (int64_t j = 0; j < t->columns && !m->failed; j++) {
            struct value v = tile_load(m, t, i, j);
            /* alternate writers: no thread owns the whole tile */
            if (w->n > 1)
                thread_switch(m, w->lanes[(size_t)(i + j) % w->n]);
            mem_store(m, p->alloc, p->offset + i * p->row + j * p->column,
                      t->lane, v);
        }
    }
    if (w->n > 1)
        thread_switch(m, w->lanes[0]);
}

static bool layout_operand(struct machine *m, const struct ir_expr *call,
                           uint32_t i, bool *row_major)
{
    if (ir_call_layout(call, i, row_major))
        return true;
    exec_fault(m, INTERP_UNSUPPORTED, NULL, call->args[i],
               "layout '%s' is not supported, expected row_major or "
               "col_major",
               ir_call_text(call, i));
    return false;
}

/* ---- filling, loading, storing -------------------------------------------------------- */

/* d, index, …, columns, rows: a tile of rows x columns. */
static bool simd_tile(struct machine *m, const struct ir_expr *call,
                      const struct warp *w, uint32_t columns, struct tile *t)
{
    struct pointer p;
    struct tile_shape s = {.known = true};
    int64_t index;
    if (!warp_pointer(m, call, w, 0, &p) ||
        !warp_index(m, call, w, 1, &index) ||
        !warp_index(m, call, w, columns, &s.n) ||
        !warp_index(m, call, w, columns + 1, &s.m))
        return false;
    s.k = s.n; /* square in practice: 8 x 8 */
    s.birth = p.alloc->birth;
    if (!shape_fits(m, call, &s))
        return false;
    *shape_slot(m, p.alloc) = s;
    return find_tile(m, call, &p, &s, index, t);
}

/* Where an intrinsic has its operands. */
struct form {
    uint32_t columns; /* of Metal's: columns, behind them rows; 0: a fragment */
    uint32_t value;   /* that fills */
    uint32_t pointer, layout; /* behind the pointer the stride */
};
static const struct form wmma_form = {0, 5, 5, 7};
static const struct form simd_fill_form = {3, 2, 0, 0};
static const struct form simd_move_form = {4, 0, 2, 6};

static bool tile_operand(struct machine *m, const struct ir_expr *call,
                         const struct warp *w, const struct form *f,
                         struct tile *t)
{
    return warp_is_whole(m, call, w) &&
           (f->columns > 0 ? simd_tile(m, call, w, f->columns, t)
                           : fragment_operand(m, call, w, t));
}

static void fill(struct machine *m, const struct ir_expr *call,
                 const struct group *g, const struct form *f)
{
    struct warp w;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        struct tile t;
        struct value v;
        if (!tile_operand(m, call, &w, f, &t) ||
            !warp_operand(m, call, &w, f->value, &v) ||
            !intrin_charge(m, (uint64_t)(t.rows * t.columns)))
            return;
        fill_tile(m, call, &t, dtype_scalar(call->args[f->value]->dtype), v);
    }
}

/* Metal has a number that says whether memory is transposed. */
static bool is_row_major(struct machine *m, const struct ir_expr *call,
                         const struct warp *w, const struct form *f,
                         bool *row_major)
{
    int64_t transpose;
    if (f->columns == 0)
        return layout_operand(m, call, f->layout, row_major);
    if (!warp_index(m, call, w, f->layout, &transpose))
        return false;
    *row_major = transpose == 0;
    return true;
}

static void move(struct machine *m, const struct ir_expr *call,
                 const struct group *g, const struct form *f, bool in)
{
    struct warp w;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        struct tile t;
        struct pointer p;
        struct patch patch;
        int64_t stride;
        bool row_major;
        if (!tile_operand(m, call, &w, f, &t) ||
            !warp_pointer(m, call, &w, f->pointer, &p) ||
            !warp_index(m, call, &w, f->pointer + 1, &stride) ||
            !is_row_major(m, call, &w, f, &row_major) ||
            !find_patch(m, call, &t, &p, stride, row_major, &patch) ||
            !intrin_charge(m, (uint64_t)(t.rows * t.columns)))
            return;
        if (in)
            move_in(m, &w, &t, &patch);
        else
            move_out(m, &w, &t, &patch);
    }
}

#define COLLECTIVE(NAME, CALL)                                      \
    static void NAME(struct machine *m, const struct ir_expr *call, \
                     const struct group *g, struct value *results)  \
    {                                                               \
        (void)results;                                              \
        CALL;                                                       \
    }
COLLECTIVE(fill_fragment, fill(m, call, g, &wmma_form))
COLLECTIVE(load_matrix, move(m, call, g, &wmma_form, true))
COLLECTIVE(store_matrix, move(m, call, g, &wmma_form, false))
COLLECTIVE(simdgroup_fill, fill(m, call, g, &simd_fill_form))
COLLECTIVE(simdgroup_load, move(m, call, g, &simd_move_form, true))
COLLECTIVE(simdgroup_store, move(m, call, g, &simd_move_form, false))
#undef COLLECTIVE

/* ---- wmma ------------------------------------------------------------------------------ */

/* All elements of a tile, loaded once and converted (exactly: `to` is no
 * narrower). */
static struct value *tile_values(struct machine *m, const struct tile *t,
                                 struct dtype to)
{
    bool same = dtype_equal(t->lane, to);
    struct value *v =
        exec_scratch_alloc(m, (size_t)(t->rows * t->columns) * sizeof *v);
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t j = 0; j < t->columns; j++)
            v[i * t->columns + j] = tile_load(m, t, i, j);
    for (int64_t i = 0; i < t->rows * t->columns && !same; i++)
        v[i] = exec_cast(m, t->lane, to, v[i]);
    return v;
}

/* With terms to record, loads come right before the store they go into. */
static void multiply_traced(struct machine *m, const struct tile *d,
                            const struct tile *a, const struct tile *b,
                            const struct tile *c)
{
    for (int64_t i = 0; i < d->rows; i++) {
        for (int64_t j = 0; j < d->columns && !m->failed; j++) {
            struct value sum = tile_load(m, c, i, j);
            for (int64_t k = 0; k < a->columns; k++)
                sum = intrin_mac(m, d->lane, a->lane, b->lane,
                                 tile_load(m, a, i, k), tile_load(m, b, k, j),
                                 sum);
            tile_store(m, d, i, j, exec_settle(m, d->lane, sum));
        }
    }
}

static void multiply(struct machine *m, const struct tile *d,
                     const struct tile *a, const struct tile *b,
                     const struct tile *c)
{
    if (m->hooks.loaded != NULL) {
        multiply_traced(m, d, a, b, c);
        return;
    }
    int64_t depth = a->columns;
    const struct dot_types t = {d->lane, d->lane, d->lane,
                                dtype_equal(a->lane, b->lane) ? a->lane
                                                              : d->lane};
    const struct value *x = tile_values(m, a, d->lane);
    const struct value *y = tile_values(m, b, d->lane);
    for (int64_t i = 0; i < d->rows; i++) {
        for (int64_t j = 0; j < d->columns && !m->failed; j++) {
            struct value sum = intrin_dot(m, &t, depth, x + i * depth, 1, y + j,
                                          b->columns, tile_load(m, c, i, j));
            tile_store(m, d, i, j, exec_settle(m, d->lane, sum));
        }
    }
}

static bool types_multiply(struct machine *m, const struct ir_expr *call,
                           const struct tile *t)
{
    const struct dtype d = t[0].lane;
    bool fits = dtype_equal(d, t[3].lane) && dtype_has_arithmetic(d) &&
                dtype_is_float(t[1].lane) == dtype_is_float(d) &&
                dtype_is_float(t[2].lane) == dtype_is_float(d) &&
                t[1].lane.bits <= d.bits && t[2].lane.bits <= d.bits;
    if (!fits)
        exec_fault(m, INTERP_UNSUPPORTED, NULL, call,
                   "'%s' on fragments of these types is not supported",
                   call->u.call.name);
    return fits;
}

/* A parameter that is one tile has its sides in its shape (rule 26). */
static bool shapes_of_parameters(const struct pointer p[4],
                                 struct tile_shape *s)
{
    int64_t side[4][2];
    for (size_t i = 0; i < 4; i++) {
        const struct ir_buffer *b = p[i].alloc->buffer;
        if (p[i].alloc->param < 0 || b->rank != 2 ||
            !ir_const_int(b->shape[0], &side[i][0]) ||
            !ir_const_int(b->shape[1], &side[i][1]))
            return false;
    }
    *s = (struct tile_shape){
        .known = true, .m = side[1][0], .n = side[2][1], .k = side[1][1]};
    s->known = side[2][0] == s->k && side[0][0] == s->m && side[0][1] == s->n &&
               side[3][0] == s->m && side[3][1] == s->n;
    return s->known;
}

/* D, di, A, ai, B, bi, C, ci. */
static bool multiply_operands(struct machine *m, const struct ir_expr *call,
                              const struct warp *w, struct tile t[4])
{
    struct pointer p[4];
    int64_t index[4];
    struct tile_shape s = {.known = false};
    for (uint32_t i = 0; i < 4; i++) {
        if (!warp_pointer(m, call, w, 2 * i, &p[i]) ||
            !warp_index(m, call, w, 2 * i + 1, &index[i]))
            return false;
        if (!s.known)
            s = *shape_slot(m, p[i].alloc);
    }
    if (!s.known && shapes_of_parameters(p, &s) && !shape_fits(m, call, &s))
        return false;
    bool parameters = true;
    for (size_t i = 0; i < 4; i++)
        parameters = parameters && p[i].alloc->param >= 0;
    if (!s.known && parameters) {
        exec_fault(m, INTERP_UNSUPPORTED, p[1].alloc->buffer, call,
                   "is a parameter that is no tile which this product has");
        return false;
    }
    if (!s.known) {
        exec_fault(m, INTERP_UNINITIALISED, p[1].alloc->buffer, call,
                   "is multiplied before any tile was loaded");
        return false;
    }
    for (size_t i = 0; i < 4; i++)
        if (!find_tile(m, call, &p[i], &s, index[i], &t[i]))
            return false;
    t[0].rows = t[3].rows = t[1].rows = s.m;
    t[0].columns = t[3].columns = t[2].columns = s.n;
    t[1].columns = t[2].rows = s.k;
    return types_multiply(m, call, t);
}

static void mma_sync(struct machine *m, const struct ir_expr *call,
                     const struct group *g, struct value *results)
{
    struct warp w;
    (void)results;
    for (size_t at = 0; warp_next(m, g, &at, &w);) {
        struct tile t[4];
        if (!warp_is_whole(m, call, &w) || !multiply_operands(m, call, &w, t) ||
            !intrin_charge(m,
                           (uint64_t)(t[0].rows * t[0].columns * t[1].columns)))
            return;
        multiply(m, &t[0], &t[1], &t[2], &t[3]);
    }
}

const struct intrin intrin_fill_fragment = {.collective = fill_fragment};
const struct intrin intrin_load_matrix = {.collective = load_matrix};
const struct intrin intrin_store_matrix = {.collective = store_matrix};
const struct intrin intrin_mma_sync = {.collective = mma_sync};
const struct intrin intrin_simdgroup_fill = {.collective = simdgroup_fill};
const struct intrin intrin_simdgroup_load = {.collective = simdgroup_load};
const struct intrin intrin_simdgroup_store = {.collective = simdgroup_store};
const struct intrin intrin_simdgroup_mma = {.collective = mma_sync};
