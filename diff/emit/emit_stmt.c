/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of one thread, or of host code: each becomes the C statement that
 * does it, with the IR beside it. Vector stores run over their lanes; where the
 * value reads what is stored to, all lanes are evaluated first (R6).
 */
#include "diff/emit/emit_private.h"

#include <string.h>

/* ---- stores ---------------------------------------------------------------------- */

/* Whether a value may read what the buffer's storage holds. */
static bool may_read(const void *buffer, const struct ir_expr *e)
{
    const struct ir_buffer *b = buffer;
    if (e->kind == IR_CALL)
        return !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE);
    return (e->kind == IR_LOAD || e->kind == IR_BUFFER_REF) &&
           (e->u.buffer->data == b->data ||
            emit_place_of(e->u.buffer->scope) == emit_place_of(b->scope));
}

static bool reads_target(const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.store.buffer;
    bool found = ir_expr_any(s->u.store.value, may_read, b);
    for (size_t i = 0; i < s->u.store.nindices; i++)
        found |= ir_expr_any(s->u.store.indices[i], may_read, b);
    return found;
}

static void put_vector_store(struct emitter *em, const struct ir_stmt *s,
                             unsigned lanes)
{
    const struct ir_buffer *b = s->u.store.buffer;
    const struct ir_expr *mask = s->u.store.predicate;
    const char *type = emit_type_name(em, dtype_scalar(b->dtype));
    const char *lane = emit_name_make(em, "lane"), *held = NULL;
    em->lane = lane;
    if (reads_target(s)) {
        held = emit_name_make(em, "value");
        emit_line_ir(em, emit_ir_text_stmt(em, s), "%s %s[%u];", type, held,
                     lanes);
        emit_open_brace(em, "for (int %s = 0; %s < %u; %s++)", lane, lane,
                        lanes, lane);
        emit_line(em, "%s[%s] = %s;", held, lane,
                  emit_expr_text(em, s->u.store.value, PREC_CHOICE));
        emit_close_brace(em);
    } else {
        emit_line_comment(em, "%u lanes: %s", lanes, emit_ir_text_stmt(em, s));
    }
    emit_open_brace(em, "for (int %s = 0; %s < %u; %s++)", lane, lane, lanes,
                    lane);
    if (mask != NULL)
        emit_line(em, "if (%s)", emit_index_text(em, mask, PREC_ANY));
    emit_line(
        em, "%s = %s;",
        emit_element_text(em, b, s->u.store.nindices, s->u.store.indices, lane),
        held != NULL ? emit_text_printf(em, "%s[%s]", held, lane)
                     : emit_expr_text(em, s->u.store.value, PREC_CHOICE));
    emit_close_brace(em);
    em->lane = NULL;
}

static void put_store(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_buffer *b = s->u.store.buffer;
    size_t n = s->u.store.nindices;
    unsigned lanes = b->dtype.lanes;
    if (n > 0)
        lanes *= s->u.store.indices[n - 1]->dtype.lanes;
    if (lanes > 1) {
        put_vector_store(em, s, lanes);
        return;
    }
    const char *lane = em->lane;
    if (s->u.store.value->dtype.lanes > 1)
        em->lane = "0";
    if (s->u.store.predicate != NULL)
        emit_line(em, "if (%s)",
                  emit_index_text(em, s->u.store.predicate, PREC_ANY));
    const char *value = emit_expr_text(em, s->u.store.value, PREC_CHOICE);
    em->lane = lane;
    const char *at = emit_element_text(em, b, n, s->u.store.indices, NULL);
    emit_line_ir(em, emit_ir_text_stmt(em, s), "%s = %s;", at, value);
}

/* ---- definitions ------------------------------------------------------------------- */

void emit_bind(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_var *v = s->u.bind.var;
    const struct ir_expr *value = s->u.bind.value;
    const char *ir = emit_ir_text_stmt(em, s);
    if (dtype_is_handle(v->dtype)) {
        em->pointee[v->id] = DTYPE_VOID;
        em->elem[v->id] = emit_pointer_elem(em, value);
        const char *type =
            emit_text_printf(em, "%svoid *", emit_space_of(em, value));
        em->space[v->id] = emit_space_of(em, value);
        if (em->device != NULL && !emit_on_device(em)) /* nothing to compute */
            em->var[v->id] = emit_pointer_text(em, value);
        else
            em->var[v->id] = emit_define_value(
                em, type, v->name, emit_pointer_text(em, value), true, ir);
        return;
    }
    if (v->dtype.lanes <= 1) {
        em->var[v->id] = emit_define_value(
            em, emit_type_name(em, v->dtype), v->name,
            emit_expr_text(em, value, PREC_ANY), em->varying[v->id], ir);
        return;
    }
    if (em->kernel != NULL && !em->kernel->in_thread) {
        emit_refuse(em, "a vector variable that lives across a barrier");
        return;
    }
    const char *name = emit_name_make(em, v->name),
               *lane = emit_name_make(em, "lane");
    emit_line_ir(em, ir, "%s %s[%u];",
                 emit_type_name(em, dtype_scalar(v->dtype)), name,
                 (unsigned)v->dtype.lanes);
    em->lane = lane;
    emit_open_brace(em, "for (int %s = 0; %s < %u; %s++)", lane, lane,
                    (unsigned)v->dtype.lanes, lane);
    emit_line(em, "%s[%s] = %s;", name, lane,
              emit_expr_text(em, value, PREC_ANY));
    emit_close_brace(em);
    em->lane = NULL;
    em->var[v->id] = name;
}

/* ---- loops ---------------------------------------------------------------------------- */

static bool is_memory(const void *user, const struct ir_expr *e)
{
    (void)user;
    return e->kind == IR_LOAD ||
           (e->kind == IR_CALL &&
            !(ir_op_info(e->u.call.op)->flags & IR_OPF_PURE));
}

/* Loop bounds are evaluated once (R7): what reads memory gets a variable. */
static const char *bound_text(struct emitter *em, const struct ir_expr *e,
                              struct dtype t, const char *hint)
{
    const char *text = emit_index_text(em, e, PREC_ADD);
    if (!ir_expr_any(e, is_memory, NULL))
        return text;
    const char *name = emit_name_make(em, hint);
    emit_line(em, "const %s %s = %s;", emit_type_name(em, t), name, text);
    return name;
}

static const char *loop_ir(struct emitter *em, const struct ir_stmt *s)
{
    return emit_text_printf(em, "for %s in %s(%s, %s)", s->u.loop.var->name,
                            ir_for_kind_name(s->u.loop.kind),
                            emit_ir_text_expr(em, s->u.loop.min),
                            emit_ir_text_expr(em, s->u.loop.extent));
}

const char *emit_loop_header(struct emitter *em, const struct ir_stmt *s,
                             const char *var)
{
    struct dtype t = s->u.loop.var->dtype;
    int64_t min, extent, end;
    const char *from = bound_text(em, s->u.loop.min, t, "from");
    const char *count = bound_text(em, s->u.loop.extent, t, "extent");
    const char *step = s->u.loop.step == NULL
                           ? NULL
                           : bound_text(em, s->u.loop.step, t, "step");
    const char *to;
    if (ir_const_int(s->u.loop.min, &min) && min == 0)
        to = count;
    else if (ir_const_int(s->u.loop.min, &min) &&
             ir_const_int(s->u.loop.extent, &extent) &&
             !__builtin_add_overflow(min, extent, &end))
        to = emit_text_printf(em, "%lld", (long long)end);
    else
        to = emit_text_printf(em, "%s + %s", from, count);
    const char *type = emit_type_name(em, t);
    if (t.bits < 32)
        type = "int";
    return step == NULL
               ? emit_text_printf(em, "for (%s %s = %s; %s < %s; %s++)", type,
                                  var, from, var, to, var)
               : emit_text_printf(em, "for (%s %s = %s; %s < %s; %s += %s)",
                                  type, var, from, var, to, var, step);
}

/* Statements that OpenMP forbids inside of a parallel loop. */
static bool is_exit(const void *user, const struct ir_stmt *s)
{
    (void)user;
    return s->kind == IR_BREAK || s->kind == IR_RETURN;
}

static bool may_be_parallel(const struct ir_stmt *s)
{
    return !ir_stmt_any(s->u.loop.body, is_exit, NULL, NULL);
}

static void put_for(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_plan_info *facts = emit_plan_info(em, s);
    const char *name = emit_name_make(em, s->u.loop.var->name);
    const char *header = emit_loop_header(em, s, name);
    emit_line_comment(em, "%s", loop_ir(em, s));
    if (em->o->openmp && s->u.loop.kind == IR_FOR_PARALLEL &&
        may_be_parallel(s))
        emit_line(em, "#pragma omp parallel for");
    emit_open_brace(em, "%s", header);
    em->var[s->u.loop.var->id] = name;
    for (size_t i = 0; facts != NULL && i < facts->nmoved; i++)
        emit_storage(em, facts->moved[i], 1, NULL);
    if (em->kernel != NULL)
        em->kernel->inner_loops++;
    emit_stmt(em, s->u.loop.body);
    if (em->kernel != NULL)
        em->kernel->inner_loops--;
    emit_close_brace(em);
}

/* ---- blocks ------------------------------------------------------------------------------- */

/* "vk == 0 && …"; NULL: init always runs. */
const char *emit_block_init_cond(struct emitter *em, const struct ir_block *b)
{
    struct buf text = {0};
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_iter_var *v = &b->iters[i];
        if (v->type == IR_ITER_REDUCE && v->has_dom)
            buf_printf(&text, "%s%s == %s", text.len > 0 ? " && " : "",
                       em->var[v->var->id],
                       emit_index_text(em, v->dom.min, PREC_LESS));
    }
    const char *out =
        text.len > 0 ? arena_strdup(em->arena, buf_text(&text)) : NULL;
    buf_fini(&text);
    return out;
}

static void put_block_body(struct emitter *em, const struct ir_block *b)
{
    for (size_t i = 0; i < b->nallocs; i++)
        if (!em->plan->moved[b->allocs[i]->id])
            emit_storage(em, b->allocs[i], 1, NULL);
    for (size_t i = 0; i < b->nmatches; i++)
        emit_match(em, &b->matches[i]);
    const char *at_init = b->init != NULL ? emit_block_init_cond(em, b) : NULL;
    if (at_init != NULL)
        emit_open_brace(em, "if (%s)", at_init);
    if (b->init != NULL)
        emit_stmt(em, b->init);
    if (at_init != NULL)
        emit_close_brace(em);
    emit_stmt(em, b->body);
}

static void put_block(struct emitter *em, const struct ir_block *b)
{
    if (em->reduction != NULL && em->reduction->plan->block == b) {
        emit_partial_block(em, b);
        return;
    }
    if (b->niters > 0 || b->nallocs > 0)
        emit_line_comment(
            em, "block %s",
            emit_name_make(em, emit_text_printf(em, "block_%s", b->name)) + 6);
    for (size_t i = 0; i < b->niters; i++) {
        const struct ir_var *v = b->iters[i].var;
        const char *ir = emit_text_printf(
            em, "%s = %s%s", v->name, emit_ir_text_expr(em, b->iter_values[i]),
            b->iters[i].type == IR_ITER_REDUCE ? " (reduction)" : "");
        em->var[v->id] =
            emit_define_value(em, emit_type_name(em, v->dtype), v->name,
                              emit_index_text(em, b->iter_values[i], PREC_ANY),
                              em->varying[v->id], ir);
    }
    bool guarded = !ir_is_true(b->predicate);
    if (guarded)
        emit_open_brace(em, "if (%s)",
                        emit_index_text(em, b->predicate, PREC_ANY));
    put_block_body(em, b);
    if (guarded)
        emit_close_brace(em);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void put_assert(struct emitter *em, const struct ir_stmt *s)
{
    struct buf text = {0};
    if (!emit_on_device(em))
        emit_need(em, "fail");
    buf_puts(&text, "assertion failed: ");
    for (size_t i = 0; i < s->u.assert_.nparts; i++)
        if (s->u.assert_.parts[i]->kind == IR_STRING_IMM)
            buf_puts(&text, s->u.assert_.parts[i]->u.string.text);
    emit_line_ir(em, emit_ir_text_stmt(em, s), "if (!(%s))",
                 emit_index_text(em, s->u.assert_.cond, PREC_ANY));
    if (emit_on_device(em))
        emit_line(em, "    *failure = %zu;",
                  emit_device_message(
                      em, emit_text_printf(em, "%s", buf_text(&text))));
    else
        emit_line(em, "    fail(%s);", emit_quoted(em, buf_text(&text)));
    buf_fini(&text);
}

static void put_return(struct emitter *em, const struct ir_stmt *s)
{
    if (s != NULL && s->kind == IR_RETURN && s->u.value != NULL &&
        s->u.value->kind != IR_INT_IMM)
        emit_refuse(em, "a function that returns a value");
    if (em->kernel == NULL) {
        emit_line(em, "return;");
    } else if (em->device != NULL) { /* nothing that waits for it follows */
        em->kernel->leaves = true;
        emit_line(em, "return;");
    } else {
        em->kernel->leaves = true;
        emit_line(em, "goto left_%u;", em->kernel->loops);
    }
}

static void put_evaluate(struct emitter *em, const struct ir_stmt *s)
{
    const struct ir_expr *e = s->u.value;
    if (e->kind == IR_CALL && e->u.call.op == IR_OP_THREAD_RETURN) {
        put_return(em, NULL);
        return;
    }
    if (e->kind == IR_INT_IMM || emit_stand_in_of(em, e) != NULL)
        return;
    if (e->dtype.lanes > 1)
        em->lane = "0";
    emit_line_ir(em, emit_ir_text_stmt(em, s), "(void)%s;",
                 emit_expr_text(em, e, PREC_UNARY));
    em->lane = NULL;
}

/* Warp- and block-wide calls on the host: one thread is all there are. */
static void collect_on_host(struct emitter *em, const struct ir_stmt *s)
{
    if (em->kernel != NULL)
        return;
    if (s->kind == IR_STORE)
        emit_collectives(em, s->u.store.value);
    else if (s->kind == IR_BIND)
        emit_collectives(em, s->u.bind.value);
    else if (s->kind == IR_EVALUATE)
        emit_collectives(em, s->u.value);
}

static void put_while(struct emitter *em, const struct ir_stmt *s)
{
    emit_open_brace(em, "while (%s)",
                    emit_index_text(em, s->u.while_.cond, PREC_ANY));
    if (em->kernel != NULL)
        em->kernel->inner_loops++;
    emit_stmt(em, s->u.while_.body);
    if (em->kernel != NULL)
        em->kernel->inner_loops--;
    emit_close_brace(em);
}

/* A jump within a loop of the present thread. */
static void put_jump(struct emitter *em, const char *what)
{
    if (em->kernel != NULL && em->kernel->inner_loops == 0)
        emit_refuse(em, "'%s' out of a loop that threads go through together",
                    what);
    emit_line(em, "%s;", what);
}

static void put_if(struct emitter *em, const struct ir_stmt *s)
{
    emit_open_brace(em, "if (%s)",
                    emit_index_text(em, s->u.if_.cond, PREC_ANY));
    emit_stmt(em, s->u.if_.then_);
    if (s->u.if_.else_ != NULL) {
        em->indent--;
        emit_line(em, "} else {");
        em->indent++;
        emit_stmt(em, s->u.if_.else_);
    }
    emit_close_brace(em);
}

static void put_attr(struct emitter *em, const struct ir_stmt *s)
{
    if (ir_thread_axis(s, NULL)) {
        emit_thread_stmt(em, s);
        return;
    }
    emit_queue(em, s, false, false);
    emit_stmt(em, s->u.attr.body);
    emit_queue(em, s, true, false);
}

static void put_leaf(struct emitter *em, const struct ir_stmt *s)
{
    size_t stand_ins = em->stand_ins.len;
    collect_on_host(em, s);
    if (s->kind == IR_STORE)
        put_store(em, s);
    else if (s->kind == IR_BIND)
        emit_bind(em, s);
    else
        put_evaluate(em, s);
    em->stand_ins.len = stand_ins;
}

void emit_stmt(struct emitter *em, const struct ir_stmt *s)
{
    if (em->failed)
        return;
    if (s->pos.line != 0 || s->pos.col != 0)
        em->stmt = s;
    if (em->kernel == NULL && emit_is_launch(em, s)) {
        emit_thread_stmt(em, s);
        return;
    }
    switch (s->kind) {
    case IR_SEQ:
        for (size_t i = 0; i < s->u.seq.n; i++)
            emit_stmt(em, s->u.seq.items[i]);
        return;
    case IR_FOR:
        if (s->u.loop.kind == IR_FOR_THREAD)
            emit_thread_stmt(em, s);
        else
            put_for(em, s);
        return;
    case IR_WHILE: put_while(em, s); return;
    case IR_IF: put_if(em, s); return;
    case IR_ALLOC: emit_storage(em, s->u.alloc.buffer, 1, NULL); return;
    case IR_ALLOC_CONST: emit_alloc_const(em, s); return;
    case IR_DECL_BUFFER: emit_decl(em, s); return;
    case IR_ATTR: put_attr(em, s); return;
    case IR_ASSERT: put_assert(em, s); return;
    case IR_BLOCK: put_block(em, s->u.block); return;
    case IR_BREAK: put_jump(em, "break"); return;
    case IR_CONTINUE: put_jump(em, "continue"); return;
    case IR_RETURN: put_return(em, s); return;
    case IR_BIND:
    case IR_EVALUATE:
    case IR_STORE: put_leaf(em, s); return;
    case IR_NSTMTS: return;
    }
}
