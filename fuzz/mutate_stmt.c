/* SPDX-License-Identifier: Apache-2.0
 *
 * Mutations of statements: loop bounds, initialisations, reductions, stores,
 * order, threads, barriers and storage.
 *
 * A reduction is recognised as a store B[i] = B[i] op x of the buffer that it
 * loads; an initialisation as a block's init or a store of a literal.
 */
#include "fuzz/mutate_private.h"

#include <string.h>

static void say_stmt(struct mutation *mu, const char *what,
                     const struct ir_stmt *s)
{
    if (!mu->where || mu->where->len > 0)
        return;
    struct buf text = {0};
    ir_print_stmt(s, &text);
    const char *line = buf_text(&text);
    size_t n = strcspn(line, "\n");
    buf_printf(mu->where, "%s: %.*s", what, (int)n, line);
    buf_fini(&text);
}

static void make_nothing(struct mutation *mu, struct ir_stmt *s)
{
    *s = *ir_evaluate(mu->m, ir_int(mu->m, DTYPE_INT32, 0));
}

/* ---- loops and launches ---------------------------------------------------- */

static void change_loop(struct mutation *mu, struct ir_stmt *s)
{
    struct ir_module *m = mu->m;
    struct ir_expr *extent = s->u.loop.extent;
    int64_t n = -1;
    bool constant = ir_const_int(extent, &n);
    struct ir_expr *other = NULL;
    bool from_one = false;
    if (s->u.loop.kind == IR_FOR_THREAD || s->u.loop.step)
        return;
    switch ((int)mu->kind) {
    case MUTATE_LOOP_SHORT:
        if (!constant || n > 1)
            other = gen_op_int(m, IR_SUB, extent, 1);
        break;
    case MUTATE_LOOP_LONG: other = gen_op_int(m, IR_ADD, extent, 1); break;
    case MUTATE_LOOP_START:
        from_one = (!constant || n > 1) && ir_is_const_int(s->u.loop.min, 0);
        if (from_one)
            other = gen_op_int(m, IR_SUB, extent, 1);
        break;
    case MUTATE_LOOP_TAIL:
        if (!constant || (n > 1 && n % 2 == 1))
            other =
                gen_op_int(m, IR_MUL, gen_op_int(m, IR_FLOORDIV, extent, 2), 2);
        break;
    case MUTATE_PARALLEL_LOOP:
        if (s->u.loop.kind == IR_FOR_SERIAL && mutate_here(mu)) {
            say_stmt(mu, "parallel", s);
            s->u.loop.kind = IR_FOR_PARALLEL;
        }
        return;
    default: return;
    }
    if (!other || !mutate_here(mu))
        return;
    say_stmt(mu, mutate_name(mu->kind), s);
    s->u.loop.extent = other;
    if (from_one)
        s->u.loop.min = ir_int(m, s->u.loop.min->dtype, 1);
}

static void change_launch(struct mutation *mu, struct ir_stmt *s)
{
    const struct ir_value *node = s->u.attr.node;
    int64_t n;
    if (mu->kind != MUTATE_FEWER_THREADS || !node ||
        node->kind != IR_V_ITER_VAR || !ir_const_int(s->u.attr.value, &n) ||
        n < 2 || !mutate_here(mu))
        return;
    say_stmt(mu, "fewer", s);
    s->u.attr.value = ir_int(mu->m, s->u.attr.value->dtype, n - 1);
    if (node->u.iter_var->has_dom)
        node->u.iter_var->dom.extent = s->u.attr.value;
}

static void change_thread_loop(struct mutation *mu, struct ir_stmt *s)
{
    int64_t n;
    if (mu->kind != MUTATE_FEWER_THREADS || s->u.loop.kind != IR_FOR_THREAD ||
        !ir_const_int(s->u.loop.extent, &n) || n < 2 || !mutate_here(mu))
        return;
    say_stmt(mu, "fewer", s);
    s->u.loop.extent = ir_int(mu->m, s->u.loop.extent->dtype, n - 1);
}

/* ---- stores ---------------------------------------------------------------- */

static bool is_literal(const struct ir_expr *e)
{
    return e->kind == IR_INT_IMM || e->kind == IR_FLOAT_IMM;
}

/* B[…] = B[…] op x */
static bool is_reduction(const struct ir_stmt *s)
{
    const struct ir_expr *v = s->u.store.value;
    return (v->kind == IR_ADD || v->kind == IR_MUL || v->kind == IR_MIN ||
            v->kind == IR_MAX) &&
           v->args[0]->kind == IR_LOAD &&
           v->args[0]->u.buffer == s->u.store.buffer;
}

static struct ir_expr *other_number(struct mutation *mu,
                                    const struct ir_expr *e)
{
    bool zero =
        e->kind == IR_INT_IMM ? e->u.int_value == 0 : e->u.float_value == 0;
    return gen_number(mu->m, e->dtype, zero ? 1 : 0);
}

static void change_indices(struct mutation *mu, struct ir_stmt *s)
{
    for (size_t i = 0; i + 1 < s->u.store.nindices; i++) {
        if (!mutate_here(mu))
            continue;
        say_stmt(mu, "indices", s);
        struct ir_expr *e = s->u.store.indices[i];
        s->u.store.indices[i] = s->u.store.indices[i + 1];
        s->u.store.indices[i + 1] = e;
        return;
    }
}

static void guard_store(struct mutation *mu, struct ir_stmt *s)
{
    if (mu->nloops == 0 || mu->nloops > DC_ARRAY_LEN(mu->loops) ||
        !mutate_here(mu))
        return;
    say_stmt(mu, "partial", s);
    struct ir_var *var = mu->loops[mu->nloops - 1];
    struct ir_stmt *store = ir_stmt_make(mu->m, IR_STORE);
    *store = *s;
    s->kind = IR_IF;
    s->u.if_.cond = ir_binary(mu->m, IR_GT, ir_var_ref(mu->m, var),
                              ir_int(mu->m, var->dtype, 0));
    s->u.if_.then_ = store;
    s->u.if_.else_ = NULL;
}

static struct ir_expr *other_reduction(struct mutation *mu,
                                       const struct ir_stmt *s)
{
    struct ir_expr *v = s->u.store.value;
    switch ((int)mu->kind) {
    case MUTATE_LOST_ACCUMULATE: return v->args[1];
    case MUTATE_DUPLICATE_TERM: return ir_binary(mu->m, v->kind, v, v->args[1]);
    case MUTATE_WRONG_REDUCER:
        return ir_binary(mu->m, v->kind == IR_ADD ? IR_MAX : IR_ADD, v->args[0],
                         v->args[1]);
    default: return NULL;
    }
}

static void change_store(struct mutation *mu, struct ir_stmt *s)
{
    struct ir_expr *v = s->u.store.value;
    switch ((int)mu->kind) {
    case MUTATE_SWAP_INDICES: change_indices(mu, s); return;
    case MUTATE_PARTIAL_STORE: guard_store(mu, s); return;
    case MUTATE_DROP_INIT:
        if (!is_literal(v) || mu->in_init)
            return;
        if (mutate_here(mu)) {
            say_stmt(mu, "dropped", s);
            make_nothing(mu, s);
        }
        return;
    case MUTATE_WRONG_INIT:
        if (is_literal(v) && mutate_here(mu)) {
            s->u.store.value = other_number(mu, v);
            mutate_say_expr(mu, v, s->u.store.value);
        }
        return;
    case MUTATE_DROP_STORE:
        if (mutate_here(mu)) {
            say_stmt(mu, "dropped", s);
            make_nothing(mu, s);
        }
        return;
    case MUTATE_LOST_ACCUMULATE:
    case MUTATE_DUPLICATE_TERM:
    case MUTATE_WRONG_REDUCER:
        if (is_reduction(s) && mutate_here(mu)) {
            s->u.store.value = other_reduction(mu, s);
            mutate_say_expr(mu, v, s->u.store.value);
        }
        return;
    default: return;
    }
}

/* ---- order and barriers ---------------------------------------------------- */

static bool defines(const struct ir_stmt *s)
{
    return s->kind == IR_ALLOC || s->kind == IR_ALLOC_CONST ||
           s->kind == IR_DECL_BUFFER || s->kind == IR_BIND;
}

static void change_seq(struct mutation *mu, struct ir_stmt *s)
{
    if (mu->kind != MUTATE_SWAP_STATEMENTS)
        return;
    for (size_t i = 0; i + 1 < s->u.seq.n; i++) {
        struct ir_stmt **at = &s->u.seq.items[i];
        if (defines(at[0]) || defines(at[1]) || !mutate_here(mu))
            continue;
        say_stmt(mu, "swapped", at[0]);
        struct ir_stmt *first = at[0];
        at[0] = at[1];
        at[1] = first;
        return;
    }
}

static void change_evaluate(struct mutation *mu, struct ir_stmt *s)
{
    const struct ir_expr *e = s->u.value;
    if (mu->kind == MUTATE_MISSING_BARRIER && e->kind == IR_CALL &&
        e->u.call.op == IR_OP_STORAGE_SYNC && mutate_here(mu)) {
        say_stmt(mu, "dropped", s);
        make_nothing(mu, s);
    }
}

static void change_if(struct mutation *mu, struct ir_stmt *s)
{
    if (mu->kind == MUTATE_DROP_PREDICATE && mutate_here(mu)) {
        say_stmt(mu, "condition", s);
        s->u.if_.cond = ir_int(mu->m, DTYPE_BOOL, 1);
    }
}

/* ---- storage --------------------------------------------------------------- */

/* The pointer's type follows the buffer's. */
static void retype(struct mutation *mu, struct ir_buffer *b)
{
    struct ir_var *fresh =
        ir_pointer_make(mu->m, "", dtype_scalar(b->dtype), b->scope);
    b->data->type = fresh->type;
}

static void change_buffer(struct mutation *mu, struct ir_buffer *b)
{
    if (mu->kind == MUTATE_WRONG_SCOPE) {
        bool shared = strcmp(b->scope, "shared") == 0;
        if ((!shared && strcmp(b->scope, "local") != 0) || !mutate_here(mu))
            return;
        b->scope = shared ? "local" : "shared";
        retype(mu, b);
        mutate_say(mu, b->name);
    } else if (mu->kind == MUTATE_NARROW_BUFFER) {
        struct dtype t = mutate_narrow_type(b->dtype);
        if (dtype_equal(t, b->dtype) || !mutate_here(mu))
            return;
        mu->narrowed = b;
        mu->wide = b->dtype;
        b->dtype = t;
        retype(mu, b);
        mutate_say(mu, b->name);
    }
}

void mutate_rewrite_store(struct mutation *mu, struct ir_stmt *s)
{
    if (s->u.store.buffer != mu->narrowed)
        return;
    struct dtype t = mu->narrowed->dtype;
    s->u.store.value =
        ir_cast(mu->m, dtype_with_lanes(t, s->u.store.value->dtype.lanes),
                s->u.store.value);
}

static void change_block(struct mutation *mu, struct ir_stmt *s)
{
    struct ir_block *b = s->u.block;
    for (size_t i = 0; i < b->nallocs; i++)
        change_buffer(mu, b->allocs[i]);
    if (mu->kind == MUTATE_DROP_PREDICATE && !ir_is_true(b->predicate) &&
        mutate_here(mu)) {
        mutate_say_expr(mu, b->predicate, ir_int(mu->m, DTYPE_BOOL, 1));
        b->predicate = ir_int(mu->m, DTYPE_BOOL, 1);
    }
    if (mu->kind == MUTATE_DROP_INIT && b->init && mutate_here(mu)) {
        say_stmt(mu, "dropped", b->init);
        b->init = NULL;
    }
}

void mutate_stmt(struct mutation *mu, struct ir_stmt *s)
{
    switch (s->kind) {
    case IR_SEQ: change_seq(mu, s); break;
    case IR_FOR:
        change_thread_loop(mu, s);
        change_loop(mu, s);
        break;
    case IR_IF: change_if(mu, s); break;
    case IR_ATTR: change_launch(mu, s); break;
    case IR_STORE: change_store(mu, s); break;
    case IR_EVALUATE: change_evaluate(mu, s); break;
    case IR_BLOCK: change_block(mu, s); break;
    case IR_ALLOC: change_buffer(mu, s->u.alloc.buffer); break;
    case IR_WHILE:
    case IR_BIND:
    case IR_ALLOC_CONST:
    case IR_DECL_BUFFER:
    case IR_ASSERT:
    case IR_BREAK:
    case IR_CONTINUE:
    case IR_RETURN:
    case IR_NSTMTS: break;
    }
}
