/* SPDX-License-Identifier: Apache-2.0
 *
 * Edits of a module in memory: its places, and what is put where an expression
 * stood. Nodes are changed where they are: a module that is only written out and
 * freed needs no sizes.
 */
#include "fuzz/hostile/hostile_private.h"

#include <string.h>

/* ---- places ------------------------------------------------------------------------------ */

/* A tree is walked; a module that shares much has no more places than this. */
#define MAX_PLACES 4000u

static void add_expr(struct hostile_places *p, struct ir_expr **at,
                     struct ir_stmt **holder)
{
    if (*at == NULL || p->slots.len >= MAX_PLACES)
        return;
    vec_push(&p->slots, ((struct hostile_slot){at, holder}));
    for (size_t i = 0; i < (*at)->nargs; i++)
        add_expr(p, &(*at)->args[i], holder);
    add_expr(p, &(*at)->predicate, holder);
}

static void add_exprs(struct hostile_places *p, size_t n, struct ir_expr **list,
                      struct ir_stmt **holder)
{
    for (size_t i = 0; i < n; i++)
        add_expr(p, &list[i], holder);
}

static void add_buffer(struct hostile_places *p, struct ir_buffer *b,
                       struct ir_stmt **holder)
{
    if (b == NULL)
        return;
    for (size_t i = 0; i < p->buffers.len; i++)
        if (p->buffers.items[i] == b)
            return;
    vec_push(&p->buffers, b);
    if (b->data != NULL)
        vec_push(&p->vars, b->data);
    add_exprs(p, b->rank, b->shape, holder);
    add_exprs(p, b->nstrides, b->strides, holder);
    add_expr(p, &b->elem_offset, holder);
}

struct holder {
    struct hostile_places *p;
    struct ir_stmt **at;
};

static void add_own(void *user, struct ir_expr **at)
{
    const struct holder *x = user;
    add_expr(x->p, at, x->at);
}

static void add_stmt(struct hostile_places *p, struct ir_stmt **at);

static void add_below(void *user, struct ir_stmt **at)
{
    add_stmt(((struct holder *)user)->p, at);
}

static void add_block(struct hostile_places *p, const struct ir_block *b,
                      struct ir_stmt **at)
{
    for (size_t i = 0; i < b->niters; i++)
        vec_push(&p->vars, b->iters[i].var);
    for (size_t i = 0; i < b->nallocs; i++)
        add_buffer(p, b->allocs[i], at);
    for (size_t i = 0; i < b->nmatches; i++)
        add_buffer(p, b->matches[i].buffer, at);
}

static void add_stmt(struct hostile_places *p, struct ir_stmt **at)
{
    struct ir_stmt *s = *at;
    struct holder x = {p, at};
    struct ir_parts parts = {
        .stmt = add_below, .expr = add_own, .user = &x, .claims = true};
    if (p->stmts.len >= MAX_PLACES)
        return;
    vec_push(&p->stmts, at);
    if (s->kind == IR_FOR)
        vec_push(&p->vars, s->u.loop.var);
    else if (s->kind == IR_BIND)
        vec_push(&p->vars, s->u.bind.var);
    else if (s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST)
        add_buffer(p, s->u.alloc.buffer, at);
    else if (s->kind == IR_DECL_BUFFER)
        add_buffer(p, s->u.decl.buffer, at);
    else if (s->kind == IR_BLOCK)
        add_block(p, s->u.block, at);
    ir_stmt_parts(&parts, s);
}

void hostile_places_find(struct hostile_places *p, struct ir_func *f)
{
    *p = (struct hostile_places){{0}, {0}, {0}, {0}};
    for (size_t i = 0; i < f->prim.nparams; i++) {
        vec_push(&p->vars, f->prim.params[i].var);
        add_buffer(p, f->prim.params[i].buffer, &f->prim.body);
    }
    if (f->prim.body != NULL)
        add_stmt(p, &f->prim.body);
}

void hostile_places_fini(struct hostile_places *p)
{
    vec_fini(&p->slots);
    vec_fini(&p->stmts);
    vec_fini(&p->buffers);
    vec_fini(&p->vars);
}

/* ---- towers ------------------------------------------------------------------------------- */

/* Something made of a value twice. */
static struct ir_expr *twice(struct ir_module *m, struct gen_bytes *b,
                             uint64_t how, struct ir_expr *v)
{
    static const enum ir_expr_kind kinds[] = {
        IR_ADD,      IR_MUL,      IR_SUB, IR_MIN, IR_MAX,    IR_BITXOR,
        IR_FLOORMOD, IR_FLOORDIV, IR_DIV, IR_SHL, IR_BITAND, IR_SHR};
    if (dtype_is_bool(v->dtype))
        return how % 2 == 0 ? ir_binary(m, IR_AND, v, ir_not(m, v))
                            : ir_binary(m, IR_OR, v, v);
    if (dtype_is_handle(v->dtype) || v->dtype.code == DT_VOID)
        return v;
    if (how == 12)
        return ir_select(m, ir_binary(m, IR_LT, v, v), v,
                         ir_binary(m, IR_ADD, v, v));
    if (how == 13)
        return ir_cast(m, v->dtype,
                       ir_cast(m, dtype_make(DT_INT, 64, v->dtype.lanes), v));
    if (how == 14 && v->dtype.lanes == 1 && dtype_is_int(v->dtype))
        return ir_binary(m, IR_FLOORMOD, ir_binary(m, IR_MUL, v, v),
                         ir_int(m, v->dtype, 1 + (int64_t)gen_below(b, 8)));
    return ir_binary(m, kinds[how % DC_ARRAY_LEN(kinds)], v, v);
}

/* v0 = what stood there, v1 = v0 + v0, … before the statement. */
static void tower_of_bindings(struct hostile_edit *e,
                              const struct hostile_slot *slot)
{
    size_t n = hostile_count(e->bytes, 400), k = 0;
    uint64_t how = gen_below(e->bytes, 15);
    struct ir_stmt **items = ARENA_ARRAY(e->m->arena, n + 2, struct ir_stmt *);
    struct ir_expr *value = *slot->at;
    if (slot->holder == NULL || *slot->holder == NULL)
        return;
    for (; k <= n; k++) {
        struct ir_var *v = ir_var_make(e->m, "v", value->dtype);
        items[k] = ir_stmt_make(e->m, IR_BIND);
        items[k]->u.bind.var = v;
        items[k]->u.bind.value = value;
        value = twice(e->m, e->bytes, how, ir_var_ref(e->m, v));
    }
    items[k++] = *slot->holder;
    *slot->at = value;
    *slot->holder = ir_seq(e->m, k, items);
    buf_printf(e->label, "tower of %zu bindings; ", n);
}

/* The same in one expression. */
static void tower_of_lets(struct hostile_edit *e,
                          const struct hostile_slot *slot)
{
    size_t n = hostile_count(e->bytes, 1010);
    uint64_t how = gen_below(e->bytes, 15);
    struct ir_expr *first = *slot->at;
    struct ir_var *v = ir_var_make(e->m, "v", first->dtype);
    struct ir_expr *value = twice(e->m, e->bytes, how, ir_var_ref(e->m, v));
    for (size_t k = 0; k < n; k++) {
        struct ir_var *below = ir_var_make(e->m, "v", first->dtype);
        value =
            ir_let(e->m, v, twice(e->m, e->bytes, how, ir_var_ref(e->m, below)),
                   value);
        v = below;
    }
    *slot->at = ir_let(e->m, v, first, value);
    buf_printf(e->label, "tower of %zu lets; ", n);
}

/* One node for both operands, all the way down: JSON keeps it so. Few of them,
 * since text does not: hostile_graph.c has the high ones. */
static void tower_of_nodes(struct hostile_edit *e,
                           const struct hostile_slot *slot)
{
    size_t n = 2 + (size_t)gen_below(e->bytes, e->repeated ? 2 : 7);
    uint64_t how = gen_below(e->bytes, 15);
    for (size_t k = 0; k < n; k++)
        *slot->at = twice(e->m, e->bytes, how, *slot->at);
    e->repeated = true;
    buf_printf(e->label, "tower of %zu nodes; ", n);
}

static void deep_chain(struct hostile_edit *e, const struct hostile_slot *slot)
{
    size_t n = hostile_count(e->bytes, 3000);
    uint64_t how = gen_below(e->bytes, 5);
    struct ir_expr *one = NULL;
    if ((*slot->at)->dtype.lanes != 1 || dtype_is_handle((*slot->at)->dtype))
        return;
    if (dtype_is_int((*slot->at)->dtype))
        one = ir_int(e->m, (*slot->at)->dtype, 1);
    else if (dtype_is_float((*slot->at)->dtype))
        one = ir_float(e->m, (*slot->at)->dtype, 1.0);
    for (size_t k = 0; k < n && one != NULL; k++) {
        struct ir_expr *v = *slot->at;
        *slot->at =
            how == 0   ? ir_binary(e->m, IR_ADD, v, one)
            : how == 1 ? ir_binary(e->m, IR_SUB, one, v)
            : how == 2
                ? ir_select(e->m, ir_binary(e->m, IR_GT, one, one), v, one)
            : how == 3 ? ir_binary(e->m, IR_MAX, one, v)
                       : ir_binary(e->m, IR_MUL, v, one);
    }
    buf_printf(e->label, "chain of %zu; ", n);
}

/* ---- single expressions ------------------------------------------------------------------- */

static void extreme_literal(struct hostile_edit *e,
                            const struct hostile_slot *slot)
{
    static const double floats[] = {0.0,    -0.0,   1e308,  -1e308, 1e-320,
                                    65504., 65520., 3.4e38, 3.5e38, 1e300};
    struct dtype t = dtype_scalar((*slot->at)->dtype);
    int64_t n = hostile_number(e->bytes);
    if (dtype_is_float(t))
        *slot->at = ir_float(e->m, t, hostile_pick(e->bytes, floats));
    else if (dtype_is_int(t) || dtype_is_bool(t))
        *slot->at = ir_int(e->m, t, n);
    buf_printf(e->label, "literal %lld; ", (long long)n);
}

static struct ir_expr *some_leaf(struct hostile_edit *e)
{
    size_t n = e->places->slots.len;
    for (int i = 0; i < 20; i++) {
        struct ir_expr *x = *e->places->slots.items[gen_below(e->bytes, n)].at;
        if (x->nargs == 0 && x->predicate == NULL)
            return x;
    }
    return ir_int(e->m, DTYPE_INT32, hostile_number(e->bytes));
}

static void other_leaf(struct hostile_edit *e, const struct hostile_slot *slot)
{
    *slot->at = some_leaf(e);
    buf_puts(e->label, "another operand; ");
}

/* An operator of the table with any operands. */
static void any_call(struct hostile_edit *e, const struct hostile_slot *slot)
{
    static const char *const odd[] = {"tirx.no_such",
                                      "main",
                                      "",
                                      "tirx.",
                                      "tirx.vscale",
                                      "tirx.q_multiply_shift",
                                      "tirx.tvm_call_packed"};
    struct ir_expr *args[6];
    size_t n = (size_t)gen_below(e->bytes, DC_ARRAY_LEN(args) + 1);
    enum ir_op op = (enum ir_op)gen_below(e->bytes, IR_NOPS);
    struct buf name = {0};
    for (size_t i = 0; i < n; i++)
        args[i] =
            i == 0 && gen_chance(e->bytes, 1, 2) ? *slot->at : some_leaf(e);
    if (gen_chance(e->bytes, 1, 8))
        buf_puts(&name, hostile_pick(e->bytes, odd));
    else
        buf_printf(&name, "tirx.%s", ir_op_info(op)->name);
    *slot->at = ir_call(e->m, (*slot->at)->dtype, buf_text(&name), n, args);
    buf_printf(e->label, "call of '%s' with %zu; ", buf_text(&name), n);
    buf_fini(&name);
}

static void odd_type(struct hostile_edit *e, const struct hostile_slot *slot)
{
    static const unsigned bits[] = {0, 1, 2, 4, 7, 8, 16, 32, 64, 128, 255};
    static const unsigned lanes[] = {1, 2, 4, 3, 16, 255, 65535, 0};
    struct dtype t = dtype_make(
        (enum dtype_code)gen_below(e->bytes, 6), hostile_pick(e->bytes, bits),
        gen_chance(e->bytes, 2, 3) ? 1 : hostile_pick(e->bytes, lanes));
    if (gen_chance(e->bytes, 1, 2))
        *slot->at = ir_cast(e->m, t, *slot->at);
    else
        (*slot->at)->dtype = t;
    buf_puts(e->label, "odd type; ");
}

static void odd_lanes(struct hostile_edit *e, const struct hostile_slot *slot)
{
    static const int64_t lanes[] = {0, 1, 2, 4, 65535, 65536, -1, INT32_MAX};
    struct ir_expr *n =
        ir_int(e->m, DTYPE_INT32, hostile_pick(e->bytes, lanes));
    *slot->at = gen_chance(e->bytes, 1, 2)
                    ? ir_broadcast(e->m, *slot->at, n)
                    : ir_ramp(e->m, *slot->at, some_leaf(e), n);
    buf_puts(e->label, "odd lanes; ");
}

static void undeclared(struct hostile_edit *e, const struct hostile_slot *slot)
{
    *slot->at =
        ir_var_ref(e->m, ir_var_make(e->m, "nobody", (*slot->at)->dtype));
    buf_puts(e->label, "undeclared; ");
}

static void through_memory(struct hostile_edit *e,
                           const struct hostile_slot *slot)
{
    size_t n = e->places->buffers.len;
    if (n == 0)
        return;
    struct ir_buffer *b = e->places->buffers.items[gen_below(e->bytes, n)];
    struct ir_expr *indices[4];
    size_t rank =
        gen_chance(e->bytes, 5, 6) ? b->rank : (size_t)gen_below(e->bytes, 4);
    if (rank > DC_ARRAY_LEN(indices))
        return;
    for (size_t i = 0; i < rank; i++)
        indices[i] = gen_chance(e->bytes, 1, 2) ? *slot->at : some_leaf(e);
    *slot->at = ir_load(e->m, b, rank, indices, NULL);
    buf_puts(e->label, "through memory; ");
}

/* ---- all ------------------------------------------------------------------------------------ */

static void edit_expr(struct hostile_edit *e)
{
    static void (*const edits[])(struct hostile_edit *,
                                 const struct hostile_slot *) = {
        tower_of_bindings, tower_of_bindings, tower_of_bindings,
        tower_of_lets,     tower_of_nodes,    deep_chain,
        extreme_literal,   extreme_literal,   extreme_literal,
        other_leaf,        other_leaf,        any_call,
        any_call,          any_call,          odd_type,
        odd_lanes,         undeclared,        through_memory};
    size_t n = e->places->slots.len;
    if (n > 0)
        hostile_pick(e->bytes,
                     edits)(e, &e->places->slots.items[gen_below(e->bytes, n)]);
}

void hostile_edit_module(struct ir_module *m, struct gen_bytes *bytes,
                         struct buf *label)
{
    uint64_t n = 1 + gen_below(bytes, 4);
    uint64_t which = gen_below(bytes, 1000);
    struct ir_func *f = NULL;
    for (size_t i = 0; i < m->nfuncs && f == NULL; i++)
        f = m->funcs[(which + i) % m->nfuncs]->kind == IR_FUNC_PRIM
                ? m->funcs[(which + i) % m->nfuncs]
                : NULL;
    if (f == NULL || f->prim.body == NULL)
        return;
    struct hostile_places places;
    struct hostile_edit e = {m, f, &places, bytes, label, false};
    hostile_places_find(&places, f);
    for (uint64_t i = 0; i < n; i++) {
        if (gen_chance(bytes, 3, 5))
            edit_expr(&e);
        else
            hostile_stmt_edit(&e,
                              (size_t)gen_below(bytes, hostile_nstmt_edits()));
    }
    hostile_places_fini(&places);
}
