/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions read at another time or place than where they stand: lambdas, when
 * their parameters are known, and quoted dimensions, from the text of a string.
 */
#include "ir/readers/tvmscript/script.h"

#include <string.h>

/* ---- lambdas ------------------------------------------------------------ */

size_t script_lambda_arity(struct script *s, const struct sv *lambda)
{
    size_t saved = s->at, n = 0;
    s->at = lambda->u.token;
    for (; !script_is_op(s, OP_COLON); s->at++) {
        const struct script_token *t = script_peek(s, 0);
        if (t->kind == TK_END || t->kind == TK_NEWLINE)
            break;
        n += t->kind == TK_NAME;
    }
    s->at = saved;
    return n;
}

struct sv *script_apply_lambda(struct script *s, const struct sv *lambda,
                               size_t nargs, struct sv *const *args)
{
    size_t saved = s->at, mark = script_scope(s);
    s->at = lambda->u.token;
    for (size_t i = 0; !s->failed && !script_is_op(s, OP_COLON); i++) {
        uint32_t symbol;
        if (i && !script_expect_op(s, OP_COMMA))
            break;
        if (!script_expect_name(s, &symbol))
            break;
        if (i >= nargs) {
            script_fail(s, lambda->pos, "script.type",
                        "this lambda takes more than %zu parameters", nargs);
            break;
        }
        script_bind(s, symbol, args[i]);
    }
    struct sv *v = NULL;
    if (script_expect_op(s, OP_COLON))
        v = script_parse_expr(s);
    script_scope_close(s, mark);
    s->at = saved;
    return v;
}

/* ---- quoted expressions ------------------------------------------------- */

/* The data type that the signature or the first lines of the function declare
 * for a quoted dimension: `n: T.int64` or `n = T.int64()` ahead of at. */
static struct dtype declared_dtype(const struct script_tokens *tokens,
                                   size_t at, uint32_t symbol,
                                   const struct script *s,
                                   struct dtype fallback)
{
    struct dtype t;
    size_t end = at + 4096;
    for (; at < end && at + 4 < tokens->list.len; at++) {
        const struct script_token *p = &tokens->list.items[at];
        if (p->kind == TK_NAME && p->symbol == WORD_DEF)
            break;
        bool declares = p->kind == TK_NAME && p->symbol == symbol &&
                        p[1].kind == TK_OP &&
                        (p[1].op == OP_ASSIGN || p[1].op == OP_COLON) &&
                        p[2].kind == TK_NAME && p[3].kind == TK_OP &&
                        p[3].op == OP_DOT && p[4].kind == TK_NAME;
        if (declares &&
            script_dtype_name(script_symbol_text(s, p[4].symbol), &t) &&
            dtype_is_int(t))
            return t;
    }
    return fallback;
}

static void define_quoted(struct script *s, const struct script_tokens *outer,
                          size_t at, struct dtype dtype)
{
    for (size_t i = 0; i < s->tokens.list.len; i++) {
        const struct script_token *t = &s->tokens.list.items[i];
        if (t->kind != TK_NAME || t->symbol < WORD_COUNT)
            continue;
        struct sv *known = script_find(s, t->symbol);
        const char *name = script_symbol_text(s, t->symbol);
        if (known || script_is_namespace(name))
            continue;
        struct ir_pos pos = {t->line, t->col};
        struct ir_var *var = ir_var_make(
            s->m, name, declared_dtype(outer, at, t->symbol, s, dtype));
        script_bind(s, t->symbol, sv_expr(s, ir_var_ref(s->m, var), pos));
        vec_push(&s->quoted, t->symbol);
    }
}

struct sv *script_parse_quoted(struct script *s, const char *text,
                               struct ir_pos pos, bool define,
                               struct dtype dtype)
{
    struct script_tokens outer = s->tokens;
    size_t saved = s->at;
    struct script_tokens inner = {0};
    struct sv *v = NULL;
    if (s->failed || !script_enter(s))
        return NULL;
    if (!script_lex(text, strlen(text), outer.file, &s->symbols, NULL,
                    &inner)) {
        script_fail(s, pos, "script.syntax",
                    "expected an expression in this string");
    } else {
        for (size_t i = 0; i < inner.list.len; i++) {
            inner.list.items[i].line = pos.line;
            inner.list.items[i].col = pos.col;
        }
        s->tokens = inner;
        s->at = 0;
        if (define)
            define_quoted(s, &outer, saved, dtype);
        v = script_parse_expr(s);
        if (v)
            script_expect_line_end(s);
        s->tokens = outer;
        s->at = saved;
    }
    script_tokens_fini(&inner);
    script_leave(s);
    return s->failed ? NULL : v;
}
