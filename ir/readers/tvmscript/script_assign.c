/* SPDX-License-Identifier: Apache-2.0
 *
 * Simple statements: expressions for their effect, and assignments.
 *
 * What an assignment means depends on its right side: a call such as
 * T.alloc_buffer declares, T.axis.* binds iterators, a subscript on the left
 * stores, an annotation makes a let, and anything else names a value for the
 * rest of the scope. A target that is a tuple takes the items one by one. An
 * expression that stands alone is evaluated for its effect when it can have
 * one.
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- expression statements ---------------------------------------------- */

/* An expression that stands alone: evaluated for its effect. */
static bool emit_value(struct script *s, struct script_body *body, struct sv *v,
                       struct ir_pos pos)
{
    if (v->kind == SV_STRING || v->kind == SV_NONE || v->kind == SV_BUFFER ||
        v->kind == SV_TYPE)
        return true;
    struct ir_expr *e = script_expr_of(s, v);
    if (!e)
        return false;
    struct ir_stmt *stmt = NULL;
    if (e->kind == IR_CALL) {
        if (e->u.call.op == IR_OP_RET) {
            stmt = ir_stmt_make(s->m, IR_RETURN);
            stmt->u.value = e->nargs ? e->args[0] : NULL;
        } else if (e->u.call.op == IR_OP_BREAK_LOOP) {
            stmt = ir_stmt_make(s->m, IR_BREAK);
        } else if (e->u.call.op == IR_OP_CONTINUE_LOOP) {
            stmt = ir_stmt_make(s->m, IR_CONTINUE);
        }
    }
    script_emit(s, body, stmt ? stmt : ir_evaluate(s->m, e), pos);
    return !s->failed;
}

static bool expr_stmt(struct script *s, struct script_body *body, struct sv *v,
                      struct ir_pos pos)
{
    if (v->kind != SV_CALL)
        return emit_value(s, body, v, pos);
    if (strncmp(v->u.call->name, "axis.", 5) == 0)
        return script_axis(s, v->u.call, 0, NULL) != NULL;
    return script_frame_stmt(s, body, v->u.call, UINT32_MAX);
}

/* ---- assignment --------------------------------------------------------- */

/* The one-element buffer that a name stands for as a mutable scalar, or
 * NULL. */
static struct ir_buffer *scalar_buffer(const struct sv *v)
{
    struct ir_buffer *b = NULL;
    if (v && v->kind == SV_BUFFER)
        b = v->u.buffer;
    else if (v && v->kind == SV_EXPR && v->u.expr->kind == IR_LOAD)
        b = v->u.expr->u.buffer;
    return b && b->rank == 1 && ir_is_const_int(b->shape[0], 1) ? b : NULL;
}

static bool store_scalar(struct script *s, struct script_body *body,
                         struct ir_buffer *b, const struct sv *v,
                         struct ir_pos pos)
{
    struct ir_expr *zero = ir_int(s->m, DTYPE_INT32, 0);
    return script_store(s, body, b, 1, &zero, v, NULL, pos);
}

static bool emit_let(struct script *s, struct script_body *body,
                     uint32_t symbol, struct ir_var *var, struct ir_expr *value,
                     struct ir_pos pos)
{
    if (!script_has_value(s, value, pos))
        return false;
    struct ir_stmt *bind = ir_stmt_make(s->m, IR_BIND);
    bind->u.bind.var = var;
    bind->u.bind.value = value;
    script_emit(s, body, bind, pos);
    script_bind(s, symbol, sv_expr(s, ir_var_ref(s->m, var), pos));
    return !s->failed;
}

/* x: T.int32 [= e] since TVM 0.25: a mutable scalar. */
static bool declare_scalar(struct script *s, struct script_body *body,
                           uint32_t symbol, struct dtype t,
                           const struct sv *value, struct ir_pos pos)
{
    struct ir_expr *one = ir_int(s->m, DTYPE_INT32, 1);
    struct ir_buffer *b = ir_buffer_make(s->m, script_symbol_text(s, symbol), t,
                                         1, &one, NULL, "local");
    struct ir_stmt *alloc = ir_stmt_make(s->m, IR_ALLOC);
    alloc->u.alloc.buffer = b;
    script_emit(s, body, alloc, pos);
    if (value && !store_scalar(s, body, b, value, pos))
        return false;
    struct ir_expr *zero = ir_int(s->m, DTYPE_INT32, 0);
    script_bind(s, symbol, sv_expr(s, ir_load(s->m, b, 1, &zero, NULL), pos));
    return !s->failed;
}

static bool is_number(const struct sv *v)
{
    return v->kind == SV_INT || v->kind == SV_FLOAT || v->kind == SV_BOOL;
}

/* x = e with e an expression */
static bool assign_expr(struct script *s, struct script_body *body,
                        uint32_t symbol, const struct sv *v, struct ir_pos pos)
{
    struct ir_buffer *scalar = scalar_buffer(script_find(s, symbol));
    if (scalar && s->func->s_tir)
        return store_scalar(s, body, scalar, v, pos);
    struct ir_expr *e = script_expr_of(s, v);
    if (!e)
        return false;
    bool number = dtype_is_int(e->dtype) || dtype_is_float(e->dtype) ||
                  dtype_is_bool(e->dtype);
    if (s->func->s_tir && number && e->dtype.lanes == 1)
        return declare_scalar(s, body, symbol, e->dtype, v, pos);
    struct ir_var *var =
        ir_var_make(s->m, script_symbol_text(s, symbol), e->dtype);
    return emit_let(s, body, symbol, var, e, pos);
}

/* n = T.int32(): a variable that nothing defines yet; a dimension that the
 * signature introduced keeps its variable. */
static bool assign_declaration(struct script *s, uint32_t symbol,
                               const struct sv *v, struct ir_pos pos)
{
    struct sv *known = script_find(s, symbol);
    for (size_t i = 0; known && i < s->quoted.len; i++) {
        bool same = s->quoted.items[i] == symbol && known->kind == SV_EXPR &&
                    dtype_equal(known->u.expr->dtype, v->u.type.type->dtype);
        if (same)
            return true;
    }
    return script_declare_name(s, symbol, &v->u.type, pos);
}

static bool assign_name(struct script *s, struct script_body *body,
                        uint32_t symbol, struct sv *v, struct ir_pos pos)
{
    if (v->kind == SV_CALL) {
        if (strncmp(v->u.call->name, "axis.", 5) == 0)
            return script_axis(s, v->u.call, 1, &symbol) != NULL;
        return script_frame_stmt(s, body, v->u.call, symbol);
    }
    if (v->kind == SV_TYPE && v->u.type.called)
        return assign_declaration(s, symbol, v, pos);
    if (v->kind == SV_BUFFER && !*v->u.buffer->name) {
        struct ir_buffer *b = v->u.buffer;
        b->name = script_symbol_text(s, symbol);
        if (b->data->implicit_data)
            b->data->name = b->name;
    }
    if (v->kind == SV_EXPR || is_number(v) || v->kind == SV_REGION) {
        bool meta = v->meta || v->kind == SV_REGION;
        if (!meta)
            return assign_expr(s, body, symbol, v, pos);
    }
    if (v->kind == SV_LAMBDA || v->kind == SV_METHOD) {
        script_fail(s, v->pos, "script.unsupported",
                    "%s cannot be given a name", sv_kind_name(v));
        return false;
    }
    script_bind(s, symbol, v);
    return true;
}

/* NAME ":" annotation ["=" expr] */
static bool assign_annotated(struct script *s, struct script_body *body,
                             uint32_t symbol, struct ir_pos pos)
{
    s->at++;
    struct sv *annotation = script_parse_expr(s);
    const struct sv_type *type =
        annotation ? script_type_of(s, annotation) : NULL;
    struct sv *value = NULL;
    if (type && script_take_op(s, OP_ASSIGN)) {
        value = script_parse_expr_list(s);
        if (!value)
            return false;
    }
    if (!type || s->failed)
        return false;
    bool scalar = !type->is_let && s->func->s_tir &&
                  type->type->kind == IR_TYPE_PRIM &&
                  !dtype_is_handle(type->type->dtype) &&
                  type->type->dtype.code != DT_VOID;
    if (scalar)
        return declare_scalar(s, body, symbol, type->type->dtype, value, pos);
    if (!value) {
        script_fail(s, pos, "script.syntax",
                    "expected '=' and the value to bind");
        return false;
    }
    struct ir_expr *e = type->open
                            ? script_expr_of(s, value)
                            : script_expr_as(s, value, type->type->dtype);
    if (!e)
        return false;
    struct sv *var;
    if (type->open)
        var = sv_expr(
            s,
            ir_var_ref(s->m, ir_var_make(s->m, script_symbol_text(s, symbol),
                                         e->dtype)),
            pos);
    else
        var = script_declare(s, type, script_symbol_text(s, symbol), pos);
    if (!var)
        return false;
    return emit_let(s, body, symbol, var->u.expr->u.var, e, pos);
}

/* Counts NAME ("," NAME)* [","] "=" ahead; 0 if it is something else. */
static size_t name_targets(const struct script *s)
{
    size_t at = 0, n = 0;
    for (;;) {
        const struct script_token *t = script_peek(s, at);
        const struct script_token *next = script_peek(s, at + 1);
        if (t->kind == TK_OP && t->op == OP_ASSIGN && n > 1)
            return n; /* after a trailing comma */
        if (t->kind != TK_NAME || t->symbol < WORD_COUNT || next->kind != TK_OP)
            return 0;
        n++;
        if (next->op == OP_ASSIGN)
            return n;
        if (next->op != OP_COMMA)
            return 0;
        at += 2;
    }
}

/* NAME ("," NAME)+ "=" expr_list */
static bool assign_tuple(struct script *s, struct script_body *body, size_t n)
{
    uint32_t *names = ARENA_ARRAY(s->m->arena, n, uint32_t);
    struct ir_pos pos = script_pos(s);
    for (size_t i = 0; i < n; i++) {
        script_expect_name(s, &names[i]);
        script_take_op(s, OP_COMMA);
    }
    script_take_op(s, OP_ASSIGN);
    struct sv *v = script_parse_expr_list(s);
    if (!v)
        return false;
    if (v->kind == SV_CALL && strncmp(v->u.call->name, "axis.", 5) == 0) {
        struct sv *axes = script_axis(s, v->u.call, n, names);
        struct sv *const *items;
        if (axes && script_items(axes, &items) != n)
            script_fail(s, pos, "script.type",
                        "%zu names do not match these iterators", n);
        return !s->failed;
    }
    struct sv *const *items;
    if (script_items(v, &items) != n) {
        script_fail(s, pos, "script.type",
                    "%zu names need a tuple of %zu values", n, n);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!assign_name(s, body, names[i], items[i], pos))
            return false;
    }
    return true;
}

/* The buffer and indices of a target such as A[i, 0:4]. */
static bool store_target(struct script *s, struct sv *target,
                         struct ir_buffer **buffer, size_t *n,
                         struct ir_expr ***indices)
{
    if (target->kind == SV_REGION) {
        *buffer = target->u.region.buffer;
        *n = target->u.region.n;
        return script_region_indices(s, target, indices);
    }
    if (target->kind == SV_EXPR && target->u.expr->kind == IR_LOAD) {
        *buffer = target->u.expr->u.buffer;
        *n = target->u.expr->nargs;
        *indices = target->u.expr->args;
        return true;
    }
    script_fail(s, target->pos, "script.syntax", "%s cannot be assigned to",
                sv_kind_name(target));
    return false;
}

static bool assign_op(const struct script *s, enum script_op *out)
{
    static const struct {
        enum script_op assign, op;
    } ops[] = {{OP_ADD_ASSIGN, OP_PLUS},    {OP_SUB_ASSIGN, OP_MINUS},
               {OP_MUL_ASSIGN, OP_STAR},    {OP_DIV_ASSIGN, OP_SLASH},
               {OP_MOD_ASSIGN, OP_PERCENT}, {OP_FLOORDIV_ASSIGN, OP_FLOORDIV},
               {OP_AND_ASSIGN, OP_AMP},     {OP_OR_ASSIGN, OP_PIPE},
               {OP_XOR_ASSIGN, OP_CARET},   {OP_SHL_ASSIGN, OP_SHL},
               {OP_SHR_ASSIGN, OP_SHR}};
    for (size_t i = 0; i < DC_ARRAY_LEN(ops); i++) {
        if (script_is_op(s, ops[i].assign)) {
            *out = ops[i].op;
            return true;
        }
    }
    return false;
}

/* target ("=" | "+=" | …) expr_list */
static bool assign_target(struct script *s, struct script_body *body,
                          struct sv *target, struct ir_pos pos)
{
    enum script_op op;
    bool update = assign_op(s, &op);
    struct ir_buffer *buffer;
    size_t n;
    struct ir_expr **indices;
    s->at++;
    struct sv *value = script_parse_expr_list(s);
    if (!value)
        return false;
    if (update)
        value = script_operate(s, op, target, value, pos);
    return value && store_target(s, target, &buffer, &n, &indices) &&
           script_store(s, body, buffer, n, indices, value, NULL, pos);
}

/* simple := targets "=" expr_list | NAME ":" annotation ["=" expr]
 *         | target op "=" expr | expr_list */
bool script_simple_stmt(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    size_t n = name_targets(s);
    if (n > 1)
        return assign_tuple(s, body, n);
    const struct script_token *t = script_peek(s, 0);
    const struct script_token *next = script_peek(s, 1);
    bool name = t->kind == TK_NAME && t->symbol >= WORD_COUNT;
    if (name && next->kind == TK_OP && next->op == OP_COLON) {
        s->at++;
        return assign_annotated(s, body, t->symbol, pos);
    }
    if (n == 1) {
        s->at += 2;
        struct sv *v = script_parse_expr_list(s);
        return v && assign_name(s, body, t->symbol, v, pos);
    }
    struct sv *v = script_parse_expr_list(s);
    if (!v)
        return false;
    enum script_op op;
    if (script_is_op(s, OP_ASSIGN) || assign_op(s, &op))
        return assign_target(s, body, v, pos);
    return expr_stmt(s, body, v, pos);
}
