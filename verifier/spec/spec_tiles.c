/* SPDX-License-Identifier: Apache-2.0
 *
 * Whole-tile intrinsics: wmma (tvm_*_matrix_sync, tvm_mma_sync) and Metal's
 * simdgroup matrices (R25, R26).
 *
 * Tile `index` of a fragment lies at index * rows * columns, row-major inside;
 * matrix_a is m x k, matrix_b k x n, the accumulator m x n. A warp's fragment
 * is kept once for each of its threads here, and each of them does the whole
 * operation: the same, as the operands must be equal in all lanes. What is
 * accessed element by element as well has one copy for the warp (facts.warp).
 *
 * The multiplication sums exact products in an order that is not stated.
 */
#include "verifier/front/front_lanes.h"

#include <string.h>

struct tile {
    struct fpointer p;
    struct ir_expr *index;
    int64_t m, n, k;
    int64_t rows, columns;
};

/* ---- operands --------------------------------------------------------------------- */

static struct ir_expr *uniform(struct front *f, struct ir_expr *e)
{
    e = front_scalar(f, e);
    if (!OBLIGED_FRONT(f, "lanes give a tile operation the same operands",
                       front_warps_along_x(f) && front_is_uniform(f, e)))
        front_refuse(f, f->stmt->pos,
                     "a tile operation whose operands may differ in a warp");
    return e;
}

static bool uniform_pointer(struct front *f, struct ir_expr *e,
                            struct fpointer *p)
{
    if (!front_pointer(f, e, p))
        return false;
    if (p->offset != NULL &&
        !OBLIGED_FRONT(f, "lanes give a tile operation the same operands",
                       front_warps_along_x(f) &&
                           front_is_uniform(f, p->offset)))
        front_refuse(f, f->stmt->pos,
                     "a tile operation whose operands may differ in a warp");
    return true;
}

static bool has_scope(const struct fpointer *p, const char *part)
{
    return strstr(p->storage->source->scope, part) != NULL;
}

static void set_sides(struct tile *t)
{
    t->rows = has_scope(&t->p, "matrix_b") ? t->k : t->m;
    t->columns = has_scope(&t->p, "matrix_a") ? t->k : t->n;
}

/* The sides of a storage's tiles are those of the calls that name them. */
static bool note_sides(struct front *f, struct tile *t)
{
    int64_t *have =
        t->p.storage->facts != NULL ? t->p.storage->facts->tile : NULL;
    bool fine = have != NULL && t->m > 0 && t->n > 0 && t->k > 0 &&
                t->m <= 1024 && t->n <= 1024 && t->k <= 1024;
    if (fine && have[0] == 0) {
        have[0] = t->m;
        have[1] = t->n;
        have[2] = t->k;
        f->again = true;
    }
    if (fine &&
        OBLIGED_FRONT(f, "a fragment has tiles of one size",
                      have[0] == t->m && have[1] == t->n && have[2] == t->k))
        return true;
    front_refuse(f, f->stmt->pos, "a fragment with tiles of several sizes");
    return false;
}

/* Fragment, m, n, k, index at operands 0 to 4. */
static bool fragment(struct front *f, struct ir_expr *call, struct tile *t)
{
    if (!uniform_pointer(f, call->args[0], &t->p) ||
        !ir_const_int(call->args[1], &t->m) ||
        !ir_const_int(call->args[2], &t->n) ||
        !ir_const_int(call->args[3], &t->k)) {
        front_refuse(f, f->stmt->pos, "a tile of sides that are not constant");
        return false;
    }
    t->index = uniform(f, call->args[4]);
    set_sides(t);
    return note_sides(f, t);
}

/* Metal: fragment, index; sides at `columns` and after it. */
static bool simd_fragment(struct front *f, struct ir_expr *call,
                          uint32_t columns, struct tile *t)
{
    if (!uniform_pointer(f, call->args[0], &t->p) ||
        !ir_const_int(call->args[columns], &t->n) ||
        !ir_const_int(call->args[columns + 1], &t->m))
        return false;
    t->k = t->n;
    t->index = uniform(f, call->args[1]);
    set_sides(t);
    return note_sides(f, t);
}

static bool element(struct front *f, const struct tile *t, struct ir_expr *row,
                    struct ir_expr *column, struct faccess *out)
{
    struct ir_expr *at =
        fx_mul(f, fx_wide(f, t->index), fx_index(f, t->rows * t->columns));
    at = fx_add(f, at,
                fx_add(f, fx_mul(f, fx_wide(f, row), fx_index(f, t->columns)),
                       fx_wide(f, column)));
    return front_access_at(f, &t->p, t->p.storage->scalar, at, out);
}

/* ---- fill, load, store ---------------------------------------------------------------- */

static void fill(struct front *f, const struct tile *t, struct ir_expr *value)
{
    struct faccess a;
    struct ir_expr *i = front_loop(f, "row", t->rows, false);
    struct ir_expr *j = front_loop(f, "column", t->columns, false);
    if (element(f, t, i, j, &a))
        front_store_at(f, &a, fx_cast(f, t->p.storage->scalar, value));
}

static void move(struct front *f, const struct tile *t,
                 const struct fpointer *p, struct ir_expr *stride,
                 bool row_major, bool in)
{
    struct faccess a, b;
    front_assert(f, fx_lt(f, fx_index(f, -1), fx_wide(f, stride)));
    struct ir_expr *i = front_loop(f, "row", t->rows, false);
    struct ir_expr *j = front_loop(f, "column", t->columns, false);
    struct ir_expr *far = row_major ? i : j, *near = row_major ? j : i;
    struct ir_expr *at = fx_add(
        f, fx_mul(f, fx_wide(f, far), fx_wide(f, stride)), fx_wide(f, near));
    struct dtype type = t->p.storage->scalar;
    bool typed = p->elem.code != DT_VOID && !dtype_is_handle(p->elem);
    if (typed && !dtype_equal(dtype_scalar(p->elem), type)) {
        front_refuse(f, f->stmt->pos, "a tile of another type than its memory");
        return;
    }
    if (!element(f, t, i, j, &a) || !front_access_at(f, p, type, at, &b))
        return;
    if (in)
        front_store_at(f, &a, front_load(f, &b));
    else
        front_store_at(f, &b, front_load(f, &a));
}

static bool is_layout(struct front *f, const struct ir_expr *call,
                      bool *row_major)
{
    if (!ir_call_layout(call, 7, row_major))
        front_refuse(f, f->stmt->pos, "a tile of layout '%s'",
                     ir_call_text(call, 7));
    return !front_failed(f);
}

/* ---- multiplication --------------------------------------------------------------------- */

static bool types_multiply(const struct tile t[4])
{
    struct dtype d = t[0].p.storage->scalar;
    struct dtype a = t[1].p.storage->scalar, b = t[2].p.storage->scalar;
    return dtype_equal(d, t[3].p.storage->scalar) && dtype_has_arithmetic(d) &&
           dtype_is_float(a) == dtype_is_float(d) &&
           dtype_is_float(b) == dtype_is_float(d) && a.bits <= d.bits &&
           b.bits <= d.bits;
}

static bool same_tile(const struct tile *a, const struct tile *b)
{
    bool offsets = a->p.offset == NULL || b->p.offset == NULL
                       ? a->p.offset == b->p.offset
                       : fx_same(a->p.offset, b->p.offset);
    return a->p.storage == b->p.storage && offsets &&
           fx_same(a->index, b->index);
}

/* Tiles of one storage with different constant numbers. */
static bool are_apart(const struct tile *a, const struct tile *b)
{
    struct tile other = *b;
    int64_t x, y;
    other.index = a->index;
    return a->p.storage != b->p.storage ||
           (same_tile(a, &other) && ir_const_int(a->index, &x) &&
            ir_const_int(b->index, &y) && x != y);
}

static void multiply(struct front *f, const struct tile t[4])
{
    struct faccess d, a, b, c;
    struct front_mark mark = front_mark(f);
    /* all operands are read before the result is written (R26) */
    if (!OBLIGED_FRONT(
            f, "a product is no tile that it multiplies",
            are_apart(&t[0], &t[1]) && are_apart(&t[0], &t[2]) &&
                (same_tile(&t[0], &t[3]) || are_apart(&t[0], &t[3])))) {
        front_refuse(f, f->stmt->pos,
                     "a product of tiles that may be one of them");
        return;
    }
    if (!same_tile(&t[0], &t[3])) {
        front_part(f, 0);
        struct ir_expr *i = front_loop(f, "row", t[0].rows, false);
        struct ir_expr *j = front_loop(f, "column", t[0].columns, false);
        if (element(f, &t[0], i, j, &d) && element(f, &t[3], i, j, &c))
            front_store_at(f, &d, front_load(f, &c));
        front_reset(f, mark);
    }
    front_part(f, 1);
    struct ir_expr *i = front_loop(f, "row", t[0].rows, false);
    struct ir_expr *j = front_loop(f, "column", t[0].columns, false);
    struct ir_expr *k = front_loop(f, "depth", t[1].columns, true);
    if (!element(f, &t[0], i, j, &d) || !element(f, &t[1], i, k, &a) ||
        !element(f, &t[2], k, j, &b))
        return;
    front_store_at(f, &d,
                   front_multiply_add(f, front_load(f, &a), front_load(f, &b),
                                      front_load(f, &d)));
}

/* A parameter that is one tile: its sides are those of its shape. */
static bool is_one_tile(const struct tile *t, int64_t rows, int64_t columns)
{
    const struct fstorage *s = t->p.storage;
    return s->pub.param >= 0 && s->rank == 2 &&
           ir_is_const_int(s->shape[0], rows) &&
           ir_is_const_int(s->shape[1], columns);
}

static bool sides_of_shapes(const struct tile t[4], int64_t sides[3])
{
    const struct fstorage *a = t[1].p.storage, *b = t[2].p.storage;
    return a->rank == 2 && b->rank == 2 &&
           ir_const_int(a->shape[0], &sides[0]) &&
           ir_const_int(b->shape[1], &sides[1]) &&
           ir_const_int(a->shape[1], &sides[2]) &&
           is_one_tile(&t[0], sides[0], sides[1]) &&
           is_one_tile(&t[1], sides[0], sides[2]) &&
           is_one_tile(&t[2], sides[2], sides[1]) &&
           is_one_tile(&t[3], sides[0], sides[1]);
}

/* D, di, A, ai, B, bi, C, ci. */
static void mma(struct front *f, struct ir_expr *call)
{
    struct tile t[4];
    const int64_t *sides = NULL;
    int64_t shapes[3];
    memset(t, 0, sizeof t);
    for (uint32_t i = 0; i < 4; i++) {
        if (!uniform_pointer(f, call->args[2 * i], &t[i].p))
            return;
        t[i].index = uniform(f, call->args[2 * i + 1]);
        const struct facts *x = t[i].p.storage->facts;
        if (sides == NULL && x != NULL && x->tile[0] != 0)
            sides = x->tile;
    }
    if (sides == NULL && sides_of_shapes(t, shapes))
        sides = shapes;
    if (sides == NULL || !types_multiply(t)) {
        front_refuse(f, f->stmt->pos,
                     sides == NULL ? "a product of tiles of unknown size"
                                   : "a product of tiles of these types");
        return;
    }
    for (size_t i = 0; i < 4; i++) {
        t[i].m = sides[0];
        t[i].n = sides[1];
        t[i].k = sides[2];
    }
    t[0].rows = t[3].rows = t[1].rows = sides[0];
    t[0].columns = t[3].columns = t[2].columns = sides[1];
    t[1].columns = t[2].rows = sides[2];
    for (size_t i = 0; i < 4; i++)
        if (!note_sides(f, &t[i]))
            return;
    multiply(f, t);
}

/* ---- dispatch ------------------------------------------------------------------------------ */

static bool wmma_move(struct front *f, struct ir_expr *call, bool in)
{
    struct tile t = {.m = 0};
    struct fpointer p;
    bool row_major;
    if (fragment(f, call, &t) && uniform_pointer(f, call->args[5], &p) &&
        is_layout(f, call, &row_major))
        move(f, &t, &p, uniform(f, call->args[6]), row_major, in);
    return true;
}

/* fragment, index, pointer, stride, columns, rows, transposed. */
static bool simd_move(struct front *f, struct ir_expr *call, bool in)
{
    struct tile t = {.m = 0};
    struct fpointer p;
    int64_t transposed = 0;
    if (!simd_fragment(f, call, 4, &t) ||
        !uniform_pointer(f, call->args[2], &p) ||
        !ir_const_int(call->args[6], &transposed))
        front_refuse(f, f->stmt->pos, "a simdgroup operation of this form");
    else
        move(f, &t, &p, uniform(f, call->args[3]), transposed == 0, in);
    return true;
}

static bool tiles(struct front *f, struct ir_expr *call)
{
    struct tile t = {.m = 0};
    const struct ir_op_info *info = ir_op_info(call->u.call.op);
    if (call->u.call.op < IR_OP_FILL_FRAGMENT ||
        call->nargs != (uint32_t)info->min_args)
        return false;
    if (f->launch != NULL &&
        !OBLIGED_FRONT(f, "all lanes reach a tile operation", /* G32 */
                       front_lanes_together(f))) {
        front_refuse(
            f, f->stmt->pos,
            "a tile operation that some lanes of a warp may not reach");
        return true;
    }
    switch ((int)call->u.call.op) {
    case IR_OP_FILL_FRAGMENT:
        if (fragment(f, call, &t))
            fill(f, &t, uniform(f, call->args[5]));
        return true;
    case IR_OP_LOAD_MATRIX_SYNC: return wmma_move(f, call, true);
    case IR_OP_STORE_MATRIX_SYNC: return wmma_move(f, call, false);
    case IR_OP_MMA_SYNC:
    case IR_OP_SIMDGROUP_MULTIPLY_ACCUMULATE: mma(f, call); return true;
    case IR_OP_MAKE_FILLED_SIMDGROUP:
        if (simd_fragment(f, call, 3, &t))
            fill(f, &t, uniform(f, call->args[2]));
        return true;
    case IR_OP_SIMDGROUP_LOAD: return simd_move(f, call, true);
    case IR_OP_SIMDGROUP_STORE: return simd_move(f, call, false);
    default: return false;
    }
}

const struct vspec spec_tiles = {
    .name = "tiles",
    .summary = "wmma and simdgroup operations on whole tiles",
    .stmt = tiles};
