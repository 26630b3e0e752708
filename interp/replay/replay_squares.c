/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of squares whose first turn is folded away (A18, `squares`).
 *
 * LLVM makes x * x of 0.0 + x * x, which no other product allows it, since a
 * square is never -0. Where it sees the zero, the second turn of the sum is a
 * sum of two products, and it may fuse the first one: fma(x0, x0, x1 * x1).
 *
 * Which turn of a sum a store is, the program finds out as it runs: a buffer
 * that sums squares gets two more beside it. One says what its elements hold,
 * the other has the factor of the squares among them. `B[i] = B[i] + x * x`
 * becomes
 *
 *     p = x
 *     B[i] = B[i] + p * p
 *     P[i] = p
 *     S[i] = SQUARE if S[i] == ZERO else OTHER
 *
 * and replay_contract, whose choice it is, reads B[i] as P[i] * P[i] where S[i]
 * is SQUARE. Until then the bits are the same.
 */
#include "interp/replay/replay.h"

#include <math.h>
#include <string.h>

enum holds { HOLDS_OTHER, HOLDS_ZERO, HOLDS_SQUARE };

/* A buffer into which squares are summed. */
struct summed {
    struct ir_buffer *buffer, *state, *factor;
    bool param, zero, squares; /* what it is, and what is stored there */
    bool drop;
};

struct squares {
    struct replay *r;
    size_t n;
    struct summed b[64];
};

static struct summed *find(struct squares *x, const struct ir_buffer *b)
{
    for (size_t i = 0; i < x->n; i++)
        if (x->b[i].buffer == b)
            return &x->b[i];
    return NULL;
}

/* ---- which buffers ------------------------------------------------------------ */

static bool is_effect(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_CALL &&
           (ir_op_info(e->u.call.op)->flags & IR_OPF_PURE) == 0;
}

bool replay_is_square(const struct ir_expr *e)
{
    return e->kind == IR_MUL && dtype_is_float(e->dtype) &&
           ir_expr_same(e->args[0], e->args[1]) &&
           !ir_expr_any(e->args[0], is_effect, NULL);
}

/* The operand of the sum that is a square, if the other one is the element
 * that the store is to; -1: it is no sum of that kind. */
static int square_of(const struct ir_stmt *s)
{
    const struct ir_expr *e = s->u.store.value;
    if (e->kind != IR_ADD)
        return -1;
    for (int k = 0; k < 2; k++)
        if (replay_is_square(e->args[k]) && e->args[1 - k]->predicate == NULL &&
            replay_is_cell(s, e->args[1 - k]))
            return k;
    return -1;
}

static bool is_zero(const struct ir_expr *e)
{
    return e->kind == IR_FLOAT_IMM && e->u.float_value == 0 &&
           !signbit(e->u.float_value);
}

/* What the elements hold can be followed: scalars of a float type, stored one
 * by one, at places that do not depend on them. */
static bool is_followed(const struct ir_stmt *s)
{
    struct ir_buffer *b = s->u.store.buffer;
    for (size_t i = 0; i < s->u.store.nindices; i++)
        if (ir_loads(s->u.store.indices[i], b))
            return false;
    return s->u.store.predicate == NULL && s->u.store.value->dtype.lanes == 1 &&
           dtype_equal(s->u.store.value->dtype, b->dtype);
}

static void add(struct squares *x, struct ir_buffer *b, bool param)
{
    if (x->n < DC_ARRAY_LEN(x->b) && find(x, b) == NULL &&
        dtype_is_float(b->dtype) && b->dtype.lanes == 1 && !b->dtype.scalable &&
        b->nstrides == 0)
        x->b[x->n++] = (struct summed){.buffer = b, .param = param};
}

static bool collect(void *user, struct ir_stmt *s)
{
    struct squares *x = user;
    if (s->kind == IR_ALLOC)
        add(x, s->u.alloc.buffer, false);
    for (size_t i = 0; s->kind == IR_BLOCK && i < s->u.block->nallocs; i++)
        add(x, s->u.block->allocs[i], false);
    return true;
}

static bool see_store(void *user, struct ir_stmt *s)
{
    struct summed *b =
        s->kind == IR_STORE ? find(user, s->u.store.buffer) : NULL;
    if (b == NULL)
        return true;
    b->drop |= !is_followed(s);
    b->zero |= is_zero(s->u.store.value);
    b->squares |= square_of(s) >= 0;
    return true;
}

/* The buffers that may ever hold a square that was added to a zero. */
static void find_sums(struct squares *x)
{
    struct ir_func *func = x->r->func;
    struct ir_visitor all = {collect, NULL, x}, see = {see_store, NULL, x};
    size_t left = 0;
    for (size_t i = 0; i < func->prim.nparams; i++)
        if (func->prim.params[i].buffer != NULL)
            add(x, func->prim.params[i].buffer, true);
    ir_visit_stmt(&all, x->r->body);
    ir_visit_stmt(&see, x->r->body);
    for (size_t i = 0; i < x->n; i++)
        if (!x->b[i].drop && x->b[i].zero && x->b[i].squares &&
            !replay_has_alias(x->r, x->b[i].buffer))
            x->b[left++] = x->b[i];
    x->n = left;
}

/* ---- the program that follows them ---------------------------------------------- */

static struct ir_expr *holds(struct ir_module *m, enum holds what)
{
    return ir_int(m, DTYPE_INT32, what);
}

/* "C_factor": of what stands beside C. */
static const char *name_of(struct ir_module *m, const struct summed *b,
                           const char *what)
{
    return arena_printf(m->arena, "%s_%s", b->buffer->name, what);
}

/* What is stored beside a store: the factor and what the element holds. */
static struct ir_stmt *put_beside(struct squares *x, const struct summed *b,
                                  size_t n, struct ir_expr **at,
                                  struct ir_expr *factor, struct ir_expr *state)
{
    struct ir_module *m = x->r->m;
    return replay_seq(m, ir_store(m, b->factor, factor, n, at, NULL),
                      ir_store(m, b->state, state, n, at, NULL));
}

/* The sum of a square: the factor gets a name, and a row of r->squares. */
static struct ir_stmt *follow_sum(struct squares *x, const struct summed *b,
                                  struct ir_stmt *s, int which)
{
    struct ir_module *m = x->r->m;
    size_t n = s->u.store.nindices;
    struct ir_expr **at = s->u.store.indices;
    struct ir_expr *sum = s->u.store.value, *factor = sum->args[which]->args[0];
    struct ir_var *p = ir_var_make(m, name_of(m, b, "term"), factor->dtype);
    struct ir_stmt *name = ir_stmt_make(m, IR_BIND);
    name->u.bind.var = p;
    name->u.bind.value = factor;
    ir_stmt_seal(name);
    x->r->squares[x->r->nsquares].name = p;
    x->r->squares[x->r->nsquares].state = b->state;
    x->r->squares[x->r->nsquares++].factor = b->factor;
    struct ir_expr *args[2] = {sum->args[0], sum->args[1]};
    args[which] = ir_binary(m, IR_MUL, ir_var_ref(m, p), ir_var_ref(m, p));
    struct ir_expr *was_zero = ir_binary(
        m, IR_EQ, ir_load(m, b->state, n, at, NULL), holds(m, HOLDS_ZERO));
    struct ir_expr *now =
        ir_select(m, was_zero, holds(m, HOLDS_SQUARE), holds(m, HOLDS_OTHER));
    struct ir_stmt *items[3] = {
        name,
        ir_store(m, s->u.store.buffer, ir_rebuild(m, sum, args, sum->predicate),
                 n, at, NULL),
        put_beside(x, b, n, at, ir_var_ref(m, p), now)};
    return ir_seq(m, 3, items);
}

static struct ir_stmt *follow_store(struct squares *x, const struct summed *b,
                                    struct ir_stmt *s)
{
    struct ir_module *m = x->r->m;
    int which = square_of(s);
    if (which >= 0 && x->r->nsquares < DC_ARRAY_LEN(x->r->squares))
        return follow_sum(x, b, s, which);
    enum holds what = is_zero(s->u.store.value) ? HOLDS_ZERO : HOLDS_OTHER;
    return replay_seq(m, s,
                      put_beside(x, b, s->u.store.nindices, s->u.store.indices,
                                 ir_float(m, b->factor->dtype, 0),
                                 holds(m, what)));
}

static struct ir_stmt *alloc_of(struct ir_module *m, struct ir_buffer *b)
{
    struct ir_stmt *alloc = ir_stmt_make(m, IR_ALLOC);
    alloc->u.alloc.buffer = b;
    ir_stmt_seal(alloc);
    return alloc;
}

static struct ir_stmt *follow_stmt(void *user, struct ir_stmt *s);

static struct ir_stmt *follow_seq(struct squares *x, struct ir_stmt *s)
{
    struct ir_module *m = x->r->m;
    struct ir_stmt **items =
        ARENA_ARRAY(m->arena, 3 * s->u.seq.n + 1, struct ir_stmt *);
    size_t n = 0;
    for (size_t i = 0; i < s->u.seq.n; i++) {
        struct ir_stmt *item = s->u.seq.items[i];
        const struct summed *b =
            item->kind == IR_ALLOC ? find(x, item->u.alloc.buffer) : NULL;
        if (b != NULL) {
            items[n++] = alloc_of(m, b->state);
            items[n++] = alloc_of(m, b->factor);
        }
        items[n++] = item;
    }
    if (n == s->u.seq.n)
        return NULL;
    struct ir_map map = {.m = m, .user = x, .stmt = follow_stmt, .fresh = true};
    return ir_map_below(&map, ir_seq(m, n, items));
}

static struct ir_stmt *follow_block(struct squares *x, struct ir_stmt *s)
{
    struct arena *arena = x->r->m->arena;
    const struct ir_block *old = s->u.block;
    struct ir_buffer **allocs =
        ARENA_ARRAY(arena, 3 * old->nallocs + 1, struct ir_buffer *);
    size_t n = 0;
    for (size_t i = 0; i < old->nallocs; i++) {
        const struct summed *b = find(x, old->allocs[i]);
        allocs[n++] = old->allocs[i];
        if (b != NULL) {
            allocs[n++] = b->state;
            allocs[n++] = b->factor;
        }
    }
    if (n == old->nallocs)
        return NULL;
    struct ir_stmt *copy = arena_memdup(arena, s, sizeof *s);
    copy->u.block = arena_memdup(arena, old, sizeof *old);
    copy->u.block->allocs = allocs;
    copy->u.block->nallocs = n;
    struct ir_map map = {
        .m = x->r->m, .user = x, .stmt = follow_stmt, .fresh = true};
    return ir_map_below(&map, copy);
}

static struct ir_stmt *follow_stmt(void *user, struct ir_stmt *s)
{
    struct squares *x = user;
    const struct summed *b =
        s->kind == IR_STORE ? find(x, s->u.store.buffer) : NULL;
    if (b != NULL)
        return follow_store(x, b, s);
    if (s->kind == IR_SEQ)
        return follow_seq(x, s);
    return s->kind == IR_BLOCK ? follow_block(x, s) : NULL;
}

/* A parameter holds nothing that was stored here, to begin with. */
static struct ir_stmt *start_param(struct squares *x, const struct summed *b,
                                   struct ir_stmt *body)
{
    struct ir_module *m = x->r->m;
    size_t n = b->buffer->rank;
    struct ir_expr **at = ARENA_ARRAY(m->arena, n + 1, struct ir_expr *);
    struct ir_var **vars = ARENA_ARRAY(m->arena, n + 1, struct ir_var *);
    for (size_t i = 0; i < n; i++) {
        vars[i] = ir_var_make(m, "i", b->buffer->shape[i]->dtype);
        at[i] = ir_var_ref(m, vars[i]);
    }
    struct ir_stmt *s = put_beside(
        x, b, n, at, ir_float(m, b->factor->dtype, 0), holds(m, HOLDS_OTHER));
    for (size_t i = n; i-- > 0;) {
        s = replay_for(m, vars[i], ir_int(m, vars[i]->dtype, 0), 1, s);
        s->u.loop.extent = b->buffer->shape[i];
        ir_stmt_seal(s);
    }
    struct ir_stmt *items[4] = {alloc_of(m, b->state), alloc_of(m, b->factor),
                                s, body};
    return ir_seq(m, 4, items);
}

void replay_squares(struct replay *r)
{
    struct ir_module *m = r->m;
    struct squares *x = ARENA_NEW(m->arena, struct squares);
    memset(x, 0, sizeof *x);
    x->r = r;
    find_sums(x);
    if (x->n == 0)
        return;
    for (size_t i = 0; i < x->n; i++) {
        struct summed *b = &x->b[i];
        const struct ir_buffer *of = b->buffer;
        const char *scope = b->param ? "global" : of->scope;
        b->state = ir_buffer_make(m, name_of(m, b, "holds"), DTYPE_INT32,
                                  of->rank, of->shape, NULL, scope);
        b->factor = ir_buffer_make(m, name_of(m, b, "factor"), of->dtype,
                                   of->rank, of->shape, NULL, scope);
    }
    struct ir_map map = {.m = m, .user = x, .stmt = follow_stmt, .fresh = true};
    r->body = ir_map_stmt(&map, r->body);
    for (size_t i = 0; i < x->n; i++)
        if (x->b[i].param)
            r->body = start_param(x, &x->b[i], r->body);
}

static struct ir_expr *fma_of(struct ir_module *m, struct ir_expr *factor,
                              struct ir_expr *other)
{
    struct ir_expr *args[3] = {factor, factor, other};
    return ir_call(m, other->dtype, "tir.fma", 3, args);
}

struct ir_expr *replay_square(struct replay *r, const struct ir_expr *e,
                              bool left)
{
    struct ir_module *m = r->m;
    struct ir_expr *sum = e->args[left ? 0 : 1];
    struct ir_expr *square = e->args[left ? 1 : 0];
    const struct replay_square *row = NULL;
    if (e->kind != IR_ADD || sum->kind != IR_LOAD || square->kind != IR_MUL ||
        square->args[0]->kind != IR_VAR_REF)
        return NULL;
    for (size_t i = 0; i < r->nsquares; i++)
        if (r->squares[i].name == square->args[0]->u.var)
            row = &r->squares[i];
    if (row == NULL)
        return NULL;
    r->used_squares = true;
    struct ir_expr *state = ir_load(m, row->state, sum->nargs, sum->args, NULL);
    struct ir_expr *factor =
        ir_load(m, row->factor, sum->nargs, sum->args, NULL);
    struct ir_expr *out =
        ir_select(m, ir_binary(m, IR_EQ, state, holds(m, HOLDS_SQUARE)),
                  fma_of(m, factor, square), fma_of(m, square->args[0], sum));
    out->pos = e->pos;
    return out;
}
