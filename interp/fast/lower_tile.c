/* SPDX-License-Identifier: Apache-2.0
 *
 * Operations of a warp on fragments of wmma (rules 25, 26) into the nest: where
 * the tiles lie, in the fragments' storage and in memory, as affine forms. The
 * tile `index` of a fragment lies at index * rows * columns. Shapes have to be
 * numbers, and one storage has to hold tiles of one shape throughout, which the
 * multiplication does not repeat; intrin_tile.c allows for more.
 */
#include "interp/fast/lower.h"

#include <string.h>

/* ---- pointers --------------------------------------------------------------------------- */

/* Elements behind the start of a storage. */
struct place_form {
    struct store *store;
    struct affine at;
    bool data;
};

static bool count_offset(void *user, struct ir_expr *e)
{
    uint64_t *n = user;
    *n += e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_OFFSET;
    return true;
}

/* Steps of an integer operand; the buffer that buffer_offset names is none. */
static uint64_t operand_cost(const struct ir_expr *e)
{
    uint64_t n = 0;
    struct ir_visitor v = {NULL, count_offset, &n};
    ir_visit_expr(&v, e);
    return lower_expr_cost(e) - n;
}

/* An integer operand; charges its steps, for each thread. */
static bool operand(struct lower *l, const struct ir_expr *e,
                    struct affine *out, bool *data)
{
    bool outer = l->data;
    l->data = false;
    bool ok = lower_affine(l, e, out);
    *data |= l->data;
    l->data = outer;
    lower_cost(l, operand_cost(e));
    return ok ||
           lower_give_up(l->e, "a computed operand of a warp's operation");
}

static bool pointer_var(struct lower *l, const struct ir_expr *e,
                        struct place_form *out)
{
    lower_cost(l, 1);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_BUFFER_DATA &&
        e->nargs == 1 && e->args[0]->kind == IR_BUFFER_REF) {
        lower_cost(l, 1);
        e = e->args[0];
    }
    if (e->kind == IR_BUFFER_REF && lower_view(l, e->u.buffer) == NULL)
        return false;
    const struct ir_var *var = e->kind == IR_VAR_REF      ? e->u.var
                               : e->kind == IR_BUFFER_REF ? e->u.buffer->data
                                                          : NULL;
    const struct binding *b = var != NULL ? lower_binding(l, var) : NULL;
    if (b == NULL || b->kind != BOUND_STORE)
        return lower_give_up(l->e, "a computed pointer");
    out->store = b->store;
    out->at = affine_const(0);
    return true;
}

static bool pointer_access(struct lower *l, const struct ir_expr *e,
                           struct place_form *out)
{
    struct dtype t = e->args[0]->dtype;
    enum ftype type;
    struct affine offset, extent;
    bool unused = false;
    lower_cost(l, 1);
    return pointer_var(l, e->args[1], out) &&
           operand(l, e->args[2], &offset, &out->data) &&
           operand(l, e->args[3], &extent, &unused) &&
           ((fast_ftype_of(dtype_scalar(t), &type) &&
             type == out->store->type && !t.scalable && t.lanes >= 1) ||
            lower_give_up(l->e, "storage under two types")) &&
           (affine_scale(&offset, t.lanes, &out->at) ||
            lower_give_up(l->e, "an address beyond any address"));
}

static bool pointer_address(struct lower *l, const struct ir_expr *e,
                            struct place_form *out)
{
    const struct ir_expr *load = e->args[0];
    struct fast_view *v =
        load->kind == IR_LOAD ? lower_view(l, load->u.buffer) : NULL;
    lower_cost(l, 1);
    if (v == NULL || load->nargs != load->u.buffer->rank)
        return lower_give_up(l->e, "a computed pointer");
    out->store = v->store;
    out->at = v->base;
    for (uint32_t i = 0; i < load->nargs; i++) {
        const struct ir_expr *x = load->args[i];
        struct affine index, part;
        if (!operand(l, x->kind == IR_RAMP ? x->args[0] : x, &index,
                     &out->data))
            return false;
        if (!affine_scale(&index, v->stride[i], &part) ||
            !affine_add(l->e, &out->at, &part, &out->at))
            return lower_give_up(l->e, "an address of too many terms");
    }
    return true;
}

static bool pointer(struct lower *l, const struct ir_expr *e,
                    struct place_form *out)
{
    memset(out, 0, sizeof *out);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_TVM_ACCESS_PTR)
        return pointer_access(l, e, out);
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_ADDRESS_OF)
        return pointer_address(l, e, out);
    return pointer_var(l, e, out);
}

/* ---- tiles -------------------------------------------------------------------------------- */

#define MAX_TILE 4096 /* elements, as in intrin_tile.c */

static bool shape_known(struct lower *l, const struct ir_expr *e, int64_t *out)
{
    struct affine a;
    bool data = false;
    if (!operand(l, e, &a, &data))
        return false;
    *out = a.c;
    return (a.n == 0 && !data && a.c > 0 && a.c <= 1024) ||
           lower_give_up(l->e, "a tile's shape");
}

/* The tile `index` behind p, of the side that the storage's scope names. */
static struct access *fragment(struct lower *l, struct tile *t,
                               const struct place_form *p,
                               const struct ir_expr *index, int64_t *rows,
                               int64_t *columns)
{
    const char *scope = p->store->buffer->scope;
    struct access *x = ARENA_NEW(l->e->arena, struct access);
    struct affine at;
    x->data = p->data;
    if (p->store->share != SHARE_WARP) {
        lower_give_up(l->e, "a fragment that is no warp's");
        return NULL;
    }
    if (!operand(l, index, &at, &x->data))
        return NULL;
    *rows = strstr(scope, "matrix_b") != NULL ? t->k : t->m;
    *columns = strstr(scope, "matrix_a") != NULL ? t->k : t->n;
    x->store = p->store;
    x->buffer = p->store->buffer;
    x->span = *rows * *columns - 1;
    if (!affine_scale(&at, *rows * *columns, &at) ||
        !affine_add(l->e, &at, &p->at, &x->offset)) {
        lower_give_up(l->e, "an address of too many terms");
        return NULL;
    }
    lower_check(l, x, &x->offset, p->store->elements - x->span);
    return x;
}

/* Whether the storage holds tiles of one shape throughout. */
static bool shape_keep(struct lower *l, struct store *s, const struct tile *t)
{
    bool same = s->tile[0] == 0 || (s->tile[0] == t->m && s->tile[1] == t->n &&
                                    s->tile[2] == t->k);
    s->tile[0] = t->m;
    s->tile[1] = t->n;
    s->tile[2] = t->k;
    return same || lower_give_up(l->e, "tiles of several shapes");
}

/* Operands 0 to 4 of all but the multiplication. */
static bool tile_fragment(struct lower *l, const struct ir_expr *call,
                          struct tile *t)
{
    struct place_form p;
    if (!pointer(l, call->args[0], &p) ||
        !shape_known(l, call->args[1], &t->m) ||
        !shape_known(l, call->args[2], &t->n) ||
        !shape_known(l, call->args[3], &t->k))
        return false;
    if (t->m * t->n > MAX_TILE || t->m * t->k > MAX_TILE ||
        t->n * t->k > MAX_TILE)
        return lower_give_up(l->e, "a tile's shape");
    t->frag[0] = fragment(l, t, &p, call->args[4], &t->rows, &t->columns);
    return t->frag[0] != NULL && shape_keep(l, p.store, t);
}

static bool tile_fill(struct lower *l, const struct ir_expr *call,
                      struct tile *t)
{
    struct fx *x = lower_expr(l, call->args[5]);
    if (x == NULL)
        return false;
    if (x->kind != X_CONST)
        return lower_give_up(l->e, "a fragment filled with what is computed");
    unsigned flags = 0;
    enum ftype to = t->frag[0]->store->type;
    t->bits = x->type == to ? x->bits
                            : num_cast(fast_ftype_dtype(x->type),
                                       fast_ftype_dtype(to), x->bits, &flags);
    return flags == 0 ||
           lower_give_up(l->e, "a fragment filled with what rounds");
}

static bool tile_memory(struct lower *l, const struct ir_expr *call,
                        struct tile *t)
{
    struct place_form p;
    struct affine stride;
    struct access *x = ARENA_NEW(l->e->arena, struct access);
    bool row_major, data = false;
    bool laid = ir_call_layout(call, 7, &row_major);
    if (!pointer(l, call->args[5], &p) ||
        !operand(l, call->args[6], &stride, &data))
        return false;
    if (!laid || stride.n != 0 || stride.c < 0 || stride.c > INT32_MAX ||
        data || p.store->type != t->frag[0]->store->type)
        return lower_give_up(l->e, "a tile in memory");
    if (t->kind == TILE_STORE && p.store->read_only)
        return lower_give_up(l->e, "a store to a constant");
    if (p.store->share == SHARE_WARP ||
        (p.store->share == SHARE_NOT && p.store->param < 0 &&
         p.store->scope != IR_SCOPE_GLOBAL))
        return lower_give_up(l->e, "a tile in storage that is not shared");
    t->row = row_major ? stride.c : 1;
    t->column = row_major ? 1 : stride.c;
    x->store = p.store;
    x->buffer = p.store->buffer;
    x->offset = p.at;
    x->data = p.data;
    x->span = (t->rows - 1) * t->row + (t->columns - 1) * t->column;
    lower_check(l, x, &x->offset, x->store->elements - x->span);
    t->memory = x;
    return true;
}

/* D, di, A, ai, B, bi, C, ci. */
static bool tile_multiply(struct lower *l, const struct ir_expr *call,
                          struct tile *t)
{
    struct place_form p[4];
    const struct store *shape = NULL;
    int64_t rows, columns;
    /* the walker goes operand by operand; steps add up to the same */
    for (uint32_t i = 0; i < 4; i++) {
        if (!pointer(l, call->args[2 * i], &p[i]))
            return false;
        if (shape == NULL && p[i].store->tile[0] != 0)
            shape = p[i].store;
    }
    if (shape == NULL)
        return lower_give_up(l->e, "a multiplication before any tile");
    t->m = shape->tile[0];
    t->n = shape->tile[1];
    t->k = shape->tile[2];
    for (uint32_t i = 0; i < 4; i++) {
        t->frag[i] =
            fragment(l, t, &p[i], call->args[2 * i + 1], &rows, &columns);
        if (t->frag[i] == NULL)
            return false;
        int64_t want_rows = i == 2 ? t->k : t->m;
        int64_t want_columns = i == 1 ? t->k : t->n;
        if (rows != want_rows || columns != want_columns)
            return lower_give_up(l->e, "a multiplication of other fragments");
    }
    enum ftype d = p[0].store->type, a = p[1].store->type;
    bool fits = p[3].store->type == d && p[2].store->type == a &&
                ((d == T_F32 && a <= T_BF16) || (d == T_F16 && a == T_F16) ||
                 (d == T_I32 && (a == T_I8 || a == T_U8)));
    t->rows = t->m;
    t->columns = t->n;
    return fits || lower_give_up(l->e, "a multiplication of these types");
}

/* Steps that a warp is charged, exact where warps are whole. */
static void warp_cost(struct lower *l, uint64_t steps)
{
    uint64_t threads = (uint64_t)l->kernel->nthreads;
    if (steps % EXEC_WARP_SIZE == 0 && threads % EXEC_WARP_SIZE == 0)
        lower_cost(l, steps / EXEC_WARP_SIZE);
    else
        lower_group_cost(
            l, steps * ((threads + EXEC_WARP_SIZE - 1) / EXEC_WARP_SIZE));
}

static bool tile(struct lower *l, const struct ir_expr *call,
                 enum tile_kind kind)
{
    struct tile *t = ARENA_NEW(l->e->arena, struct tile);
    t->kind = kind;
    if (!l->kernel->warps)
        return lower_give_up(l->e, "warps of odd threads");
    if (l->e->scalar != NULL)
        return lower_give_up(l->e, "fragments under other arithmetic");
    bool ok = kind == TILE_MULTIPLY ? tile_multiply(l, call, t)
                                    : tile_fragment(l, call, t);
    ok = ok && (kind != TILE_FILL || tile_fill(l, call, t)) &&
         ((kind != TILE_LOAD && kind != TILE_STORE) || tile_memory(l, call, t));
    if (!ok)
        return false;
    warp_cost(l, (uint64_t)(t->rows * t->columns *
                            (kind == TILE_MULTIPLY ? t->k : 1)));
    lower_cost(l, 1); /* where the call's result is looked up */
    lower_node(l, NODE_TILE)->tile = t;
    return true;
}

bool lower_tile(struct lower *l, const struct ir_expr *call, bool *known)
{
    static const struct {
        enum ir_op op;
        enum tile_kind kind;
    } tiles[] = {
        {IR_OP_FILL_FRAGMENT, TILE_FILL},
        {IR_OP_LOAD_MATRIX_SYNC, TILE_LOAD},
        {IR_OP_STORE_MATRIX_SYNC, TILE_STORE},
        {IR_OP_MMA_SYNC, TILE_MULTIPLY},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(tiles); i++)
        if (tiles[i].op == call->u.call.op &&
            call->nargs == (tiles[i].kind == TILE_FILL ? 6u : 8u)) {
            *known = true;
            return tile(l, call, tiles[i].kind);
        }
    return true;
}
