/* SPDX-License-Identifier: Apache-2.0
 *
 * Statements of TVMScript functions. The grammar rule stands above each
 * function.
 *
 * Assignments mean many things: a declaration (n = T.int32()), a buffer
 * (B = T.alloc_buffer(…)), iterators of a block, a store (A[i] = e), a let
 * binding (x: T.let[T.int32] = e; x: T.int32 = e before TVM 0.25), or, since
 * 0.25, a mutable scalar, which is a buffer of one element.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- sequences ---------------------------------------------------------- */

/* TVM drops statements that do nothing and flattens sequences. */
void script_emit(struct script *s, struct script_body *body,
                 struct ir_stmt *stmt, struct ir_pos pos)
{
    if (!stmt || s->failed)
        return;
    if (stmt->kind == IR_SEQ) {
        for (size_t i = 0; i < stmt->u.seq.n; i++)
            vec_push(&body->list, stmt->u.seq.items[i]);
        return;
    }
    if (stmt->kind == IR_EVALUATE && ir_is_const_int(stmt->u.value, 0))
        return;
    if (!script_checked_stmt(s, stmt, pos))
        return;
    vec_push(&body->list, stmt);
}

struct ir_stmt *script_body_finish(struct script *s, struct script_body *body)
{
    if (s->failed)
        return NULL;
    if (body->list.len == 0)
        return ir_evaluate(s->m, ir_int(s->m, DTYPE_INT32, 0));
    if (body->list.len == 1)
        return body->list.items[0];
    struct ir_stmt *seq = ir_seq(s->m, body->list.len, body->list.items);
    return script_checked_stmt(s, seq, body->list.items[0]->pos);
}

/* ---- compound statements ------------------------------------------------ */

static struct ir_stmt *script_parse_stmts(struct script *s);

/* suite := ":" (NEWLINE INDENT statement+ DEDENT | simple NEWLINE) */
struct ir_stmt *script_parse_suite(struct script *s)
{
    if (!script_expect_op(s, OP_COLON) || !script_enter(s))
        return NULL;
    size_t mark = script_scope(s);
    struct ir_stmt *result = NULL;
    if (script_peek(s, 0)->kind == TK_NEWLINE) {
        s->at++;
        result = script_expect_indent(s) ? script_parse_stmts(s) : NULL;
        if (result && script_peek(s, 0)->kind == TK_DEDENT)
            s->at++;
    } else {
        struct script_body body = {0};
        if (script_take_word(s, WORD_PASS) || script_simple_stmt(s, &body))
            script_expect_line_end(s);
        result = script_body_finish(s, &body);
        vec_fini(&body.list);
    }
    script_scope_close(s, mark);
    script_leave(s);
    return result;
}

/* if := "if" expr suite ("elif" expr suite)* ["else" suite]. A condition that
 * is a plain bool of Python decides in the spelling of TVM >= 0.24. */
static bool parse_if(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    s->at++;
    if (!script_enter(s))
        return false;
    struct sv *v = script_parse_expr(s);
    bool decided = v && v->kind == SV_BOOL && s->tirx;
    struct ir_expr *cond = v && !decided ? script_expr_of(s, v) : NULL;
    struct ir_stmt *then_ = v ? script_parse_suite(s) : NULL;
    struct ir_stmt *else_ = NULL;
    if (then_ && script_is_word(s, WORD_ELIF)) {
        struct script_body inner = {0};
        if (parse_if(s, &inner))
            else_ = script_body_finish(s, &inner);
        vec_fini(&inner.list);
    } else if (then_ && script_take_word(s, WORD_ELSE)) {
        else_ = script_parse_suite(s);
    }
    script_leave(s);
    if (s->failed)
        return false;
    if (decided) {
        script_emit(s, body, v->u.boolean ? then_ : else_, pos);
        return !s->failed;
    }
    if (!dtype_is_bool(cond->dtype) && !dtype_is_int(cond->dtype)) {
        script_fail(s, v->pos, "script.type", "expected a condition");
        return false;
    }
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_IF);
    stmt->u.if_.cond = cond;
    stmt->u.if_.then_ = then_;
    stmt->u.if_.else_ = else_;
    script_emit(s, body, stmt, pos);
    return !s->failed;
}

/* for := "for" NAME ("," NAME)* "in" call suite */
static bool parse_for(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    struct VEC(uint32_t) targets = {0};
    s->at++;
    bool paren = script_take_op(s, OP_LPAREN);
    do {
        uint32_t symbol;
        if (script_is_op(s, OP_RPAREN) || script_is_word(s, WORD_IN) ||
            !script_expect_name(s, &symbol))
            break;
        vec_push(&targets, symbol);
    } while (script_take_op(s, OP_COMMA));
    if (paren)
        script_expect_op(s, OP_RPAREN);
    if (!s->failed && !script_take_word(s, WORD_IN)) {
        char text[64];
        script_fail(s, script_pos(s), "script.syntax", "expected 'in', not %s",
                    script_describe(s, text));
    }
    struct sv *iter = script_parse_expr(s);
    if (iter && iter->kind != SV_CALL)
        script_fail(s, iter->pos, "script.unsupported",
                    "expected a loop such as 'range' or 'T.grid', not %s",
                    sv_kind_name(iter));
    if (!s->failed && iter)
        script_emit(s, body,
                    script_for(s, targets.len, targets.items, iter->u.call),
                    pos);
    vec_fini(&targets);
    return !s->failed;
}

/* with_item := call ["as" NAME]; more items nest */
static struct ir_stmt *parse_with_items(struct script *s)
{
    struct sv *v = script_parse_expr(s);
    uint32_t symbol = UINT32_MAX;
    if (!v)
        return NULL;
    if (v->kind != SV_CALL)
        return script_fail(s, v->pos, "script.syntax",
                           "%s cannot stand in a 'with' statement",
                           sv_kind_name(v));
    if (script_take_word(s, WORD_AS) && !script_expect_name(s, &symbol))
        return NULL;
    if (script_is_op(s, OP_COMMA))
        return script_fail(s, script_pos(s), "script.unsupported",
                           "one 'with' statement opens one scope here");
    return script_frame_with(s, v->u.call, symbol);
}

/* with := "with" with_item suite */
static bool parse_with(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    size_t mark = script_scope(s);
    s->at++;
    struct ir_stmt *stmt = parse_with_items(s);
    script_scope_close(s, mark);
    script_emit(s, body, stmt, pos);
    return !s->failed;
}

/* while := "while" expr suite */
static bool parse_while(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    s->at++;
    struct sv *v = script_parse_expr(s);
    struct ir_expr *cond = v ? script_expr_of(s, v) : NULL;
    struct ir_stmt *inner = cond ? script_parse_suite(s) : NULL;
    if (!inner)
        return false;
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_WHILE);
    stmt->u.while_.cond = cond;
    stmt->u.while_.body = inner;
    script_emit(s, body, stmt, pos);
    return !s->failed;
}

/* assert := "assert" expr ["," (expr | "(" kind "," "[" parts "]" ")")] */
static bool parse_assert(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    s->at++;
    struct sv *cond = script_parse_expr(s);
    struct sv *message = NULL, *kind = NULL;
    if (cond && script_take_op(s, OP_COMMA)) {
        message = script_parse_expr(s);
        if (!message)
            return false;
    }
    if (!cond)
        return false;
    if (!message) {
        message = sv_make(s, SV_STRING, pos);
        message->u.string = "";
    }
    struct sv *const *items;
    size_t n = script_items(message, &items);
    if (message->kind == SV_TUPLE && n == 2) {
        kind = items[0];
        message = items[1];
    }
    struct sv *args[] = {cond, message, kind};
    struct sv_call call = {
        .name = "Assert", .pos = pos, .nargs = kind ? 3 : 2, .args = args};
    return script_frame_stmt(s, body, &call, UINT32_MAX);
}

/* return := "return" [expr_list] */
static bool parse_return(struct script *s, struct script_body *body)
{
    struct ir_pos pos = script_pos(s);
    s->at++;
    struct ir_stmt *stmt = ir_stmt_make(s->m, IR_RETURN);
    const struct script_token *t = script_peek(s, 0);
    if (t->kind != TK_NEWLINE && t->kind != TK_END) {
        struct sv *v = script_parse_expr_list(s);
        stmt->u.value = v ? script_expr_of(s, v) : NULL;
    }
    script_emit(s, body, stmt, pos);
    return !s->failed;
}

/* One statement; *compound tells that it ended with a suite. */
static bool parse_stmt(struct script *s, struct script_body *body,
                       bool *compound)
{
    struct ir_pos pos = script_pos(s);
    const struct script_token *t = script_peek(s, 0);
    uint32_t word = t->kind == TK_NAME ? t->symbol : UINT32_MAX;
    *compound = true;
    switch (word) {
    case WORD_IF: return parse_if(s, body);
    case WORD_FOR: return parse_for(s, body);
    case WORD_WITH: return parse_with(s, body);
    case WORD_WHILE: return parse_while(s, body);
    case WORD_DEF:
    case WORD_CLASS:
    case WORD_IMPORT:
    case WORD_FROM:
    case WORD_DEL:
        script_fail(s, pos, "script.unsupported",
                    "'%s' is not supported inside of a function",
                    script_symbol_text(s, word));
        return false;
    default: break;
    }
    *compound = false;
    if (script_take_word(s, WORD_PASS))
        return true;
    if (word == WORD_ASSERT)
        return parse_assert(s, body);
    if (word == WORD_RETURN)
        return parse_return(s, body);
    if (word == WORD_BREAK || word == WORD_CONTINUE) {
        s->at++;
        script_emit(
            s, body,
            ir_stmt_make(s->m, word == WORD_BREAK ? IR_BREAK : IR_CONTINUE),
            pos);
        return !s->failed;
    }
    return script_simple_stmt(s, body);
}

static bool at_block_end(const struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    return t->kind == TK_DEDENT || t->kind == TK_END;
}

/* statements := statement* */
static struct ir_stmt *script_parse_stmts(struct script *s)
{
    struct script_body body = {0};
    while (!s->failed && !at_block_end(s)) {
        bool compound;
        size_t before = s->at;
        if (!parse_stmt(s, &body, &compound))
            break;
        /* A scope opened by a plain statement has read the whole rest. */
        if (compound || at_block_end(s))
            continue;
        script_expect_line_end(s);
        if (s->at == before && !s->failed)
            script_fail(s, script_pos(s), "script.syntax",
                        "expected a statement");
    }
    struct ir_stmt *result = script_body_finish(s, &body);
    vec_fini(&body.list);
    return result;
}

struct ir_stmt *script_parse_rest(struct script *s)
{
    if (!script_enter(s))
        return NULL;
    struct ir_stmt *result = script_parse_stmts(s);
    script_leave(s);
    return result;
}
