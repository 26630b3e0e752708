/* SPDX-License-Identifier: Apache-2.0
 *
 * Python expressions of scripts, by recursive descent, evaluated as they are
 * read. The grammar rule stands above each function.
 *
 * A lambda is skipped where it stands and read again when it is applied,
 * because the types of its parameters come from arguments that follow it. A
 * quoted dimension ("n", "n + 1") is lexed and read as an expression of its
 * own.
 */
#include "ir/base/limits.h"
#include "ir/readers/tvmscript/script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct sv *parse_postfix(struct script *s);

/* ---- calls, subscripts, attributes -------------------------------------- */

/* More keywords than any function has; bounds the search for a repeated one. */
#define MAX_KEYWORDS 256u

static bool new_keyword(struct script *s, const char *const *keys, size_t n,
                        const char *key, struct ir_pos pos)
{
    if (n >= MAX_KEYWORDS) {
        script_fail(s, pos, "script.limit",
                    "a call has at most %u arguments given by name",
                    MAX_KEYWORDS);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (strcmp(keys[i], key) == 0) {
            script_fail(s, pos, "script.syntax", "argument '%s' is given twice",
                        key);
            return false;
        }
    }
    return true;
}

/* args := "(" [arg ("," arg)* [","]] ")";  arg := ["*"] expr | NAME "=" expr */
static bool parse_args(struct script *s, struct sv_call *call)
{
    struct sv_list args = {0}, values = {0};
    struct VEC(const char *) keys = {0};
    s->at++;
    while (!s->failed && !script_is_op(s, OP_RPAREN)) {
        const struct script_token *next = script_peek(s, 1);
        bool keyword = script_peek(s, 0)->kind == TK_NAME &&
                       next->kind == TK_OP && next->op == OP_ASSIGN;
        if (keyword) {
            struct ir_pos pos = script_pos(s);
            const char *key = script_expect_name(s, NULL);
            if (!key || !new_keyword(s, keys.items, keys.len, key, pos))
                break;
            s->at++;
            struct sv *value = key ? script_parse_expr(s) : NULL;
            if (!value)
                break;
            vec_push(&keys, key);
            vec_push(&values.list, value);
        } else if (!script_push_item(s, &args)) {
            break;
        }
        if (!script_take_op(s, OP_COMMA))
            break;
    }
    script_expect_op(s, OP_RPAREN);
    struct arena *arena = s->m->arena;
    call->nargs = args.list.len;
    call->args = arena_memdup(arena, args.list.items,
                              args.list.len * sizeof *args.list.items);
    call->nkw = keys.len;
    call->kw = arena_memdup(arena, keys.items, keys.len * sizeof *keys.items);
    call->kwargs = arena_memdup(arena, values.list.items,
                                values.list.len * sizeof *values.list.items);
    vec_fini(&args.list);
    vec_fini(&values.list);
    vec_fini(&keys);
    return !s->failed;
}

static struct sv *parse_call(struct script *s, struct sv *callee)
{
    struct sv_call *call = ARENA_NEW(s->m->arena, struct sv_call);
    call->pos = callee->pos;
    if (!parse_args(s, call))
        return NULL;
    if (callee->kind == SV_PATH) {
        call->name = callee->u.string;
        return script_call(s, call);
    }
    if (callee->kind == SV_METHOD)
        return script_call_method(s, callee, call);
    if (callee->kind == SV_GLOBAL) {
        call->name = callee->u.string;
        return s->relax != NULL ? script_relax_function_call(s, callee, call)
                                : script_generic_call(s, call, NULL);
    }
    if (callee->kind == SV_RELAX)
        return script_relax_function_call(s, callee, call);
    return script_fail(s, callee->pos, "script.type", "%s cannot be called",
                       sv_kind_name(callee));
}

/* slice := [expr] ":" [expr] [":" [expr]] | expr */
static struct sv *parse_slice(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    struct sv *lo = NULL, *hi = NULL, *step = NULL;
    if (!script_is_op(s, OP_COLON)) {
        lo = script_parse_expr(s);
        if (!lo || !script_is_op(s, OP_COLON))
            return lo;
    }
    s->at++;
    bool more = !script_is_op(s, OP_COMMA) && !script_is_op(s, OP_RBRACKET);
    if (more && !script_is_op(s, OP_COLON)) {
        hi = script_parse_expr(s);
        if (!hi)
            return NULL;
    }
    if (script_take_op(s, OP_COLON) && !script_is_op(s, OP_COMMA) &&
        !script_is_op(s, OP_RBRACKET)) {
        step = script_parse_expr(s);
        if (!step)
            return NULL;
    }
    if (s->failed)
        return NULL;
    struct sv *v = sv_make(s, SV_SLICE, pos);
    v->u.slice = (struct sv_slice){lo, hi, step};
    return v;
}

/* subscript := "[" slice ("," slice)* [","] "]" */
static struct sv *parse_subscript(struct script *s, struct sv *object)
{
    struct ir_pos pos = script_pos(s);
    struct sv_list items = {0};
    bool comma = false;
    s->at++;
    while (!s->failed && !script_is_op(s, OP_RBRACKET)) {
        struct sv *v = parse_slice(s);
        if (!v)
            break;
        vec_push(&items.list, v);
        if (!script_take_op(s, OP_COMMA))
            break;
        comma = true;
    }
    script_expect_op(s, OP_RBRACKET);
    if (!s->failed && !items.list.len)
        script_fail(s, pos, "script.syntax", "expected an index");
    struct sv *index;
    if (!s->failed && items.list.len == 1 && !comma) {
        index = items.list.items[0];
        vec_fini(&items.list);
    } else {
        index = script_finish_list(s, SV_TUPLE, &items, pos);
    }
    return index ? script_subscript(s, object, index, object->pos) : NULL;
}

static struct sv *parse_attribute(struct script *s, struct sv *object)
{
    s->at++;
    const struct script_token *t = script_peek(s, 0);
    struct ir_pos pos = script_pos(s);
    if (t->kind != TK_NAME) {
        char text[64];
        return script_fail(s, pos, "script.syntax", "expected a name, not %s",
                           script_describe(s, text));
    }
    s->at++;
    const char *name = script_symbol_text(s, t->symbol);
    if (object->kind == SV_PATH) {
        if (strlen(object->u.string) > 200)
            return script_fail(s, pos, "script.name",
                               "this dotted name is too long");
        struct sv *v = sv_make(s, SV_PATH, object->pos);
        v->u.string =
            arena_printf(s->m->arena, "%s.%s", object->u.string, name);
        return v;
    }
    return script_attribute(s, object, name, pos);
}

/* postfix := atom (args | subscript | "." NAME)* */
static struct sv *parse_postfix(struct script *s)
{
    struct sv *v = script_parse_atom(s);
    while (v && !s->failed) {
        if (script_is_op(s, OP_LPAREN))
            v = parse_call(s, v);
        else if (script_is_op(s, OP_LBRACKET))
            v = parse_subscript(s, v);
        else if (script_is_op(s, OP_DOT))
            v = parse_attribute(s, v);
        else
            break;
    }
    return s->failed ? NULL : v;
}

/* ---- operators ---------------------------------------------------------- */

static struct sv *parse_unary(struct script *s);

/* power := postfix ["**" unary] */
static struct sv *parse_power(struct script *s)
{
    struct sv *v = parse_postfix(s);
    struct ir_pos pos = script_pos(s);
    if (!v || !script_take_op(s, OP_POWER))
        return v;
    struct sv *exponent = parse_unary(s);
    return exponent ? script_operate(s, OP_POWER, v, exponent, pos) : NULL;
}

/* unary := ("-" | "+" | "~") unary | power */
static struct sv *parse_unary(struct script *s)
{
    bool sign = script_is_op(s, OP_MINUS) || script_is_op(s, OP_PLUS) ||
                script_is_op(s, OP_TILDE);
    if (!sign)
        return parse_power(s);
    struct ir_pos pos = script_pos(s);
    enum script_op op = (enum script_op)script_peek(s, 0)->op;
    s->at++;
    if (!script_enter(s))
        return NULL;
    struct sv *v = parse_unary(s);
    script_leave(s);
    return v ? script_unary(s, op, v, pos) : NULL;
}

/* How tightly a binary operator binds; 0 if it is none. */
static int precedence(const struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    if (t->kind != TK_OP)
        return 0;
    switch ((int)t->op) {
    case OP_PIPE: return 1;
    case OP_CARET: return 2;
    case OP_AMP: return 3;
    case OP_SHL:
    case OP_SHR: return 4;
    case OP_PLUS:
    case OP_MINUS: return 5;
    case OP_STAR:
    case OP_SLASH:
    case OP_FLOORDIV:
    case OP_PERCENT: return 6;
    default: return 0;
    }
}

/* binary := unary (OP unary)*, by precedence; all are left associative */
static struct sv *parse_binary(struct script *s, int least)
{
    struct sv *left = parse_unary(s);
    for (int p = precedence(s); left && p >= least; p = precedence(s)) {
        struct ir_pos pos = script_pos(s);
        enum script_op op = (enum script_op)script_peek(s, 0)->op;
        s->at++;
        struct sv *right = parse_binary(s, p + 1);
        left = right ? script_operate(s, op, left, right, pos) : NULL;
    }
    return s->failed ? NULL : left;
}

static bool is_comparison(const struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    return t->kind == TK_OP && t->op >= OP_LT && t->op <= OP_NE;
}

/* `a and b`, `a or b`: plain bools are decided, the rest becomes And, Or. */
static struct sv *logical(struct script *s, enum ir_expr_kind kind,
                          struct sv *a, struct sv *b, struct ir_pos pos)
{
    if (!a || !b)
        return NULL;
    if (a->kind == SV_BOOL && b->kind == SV_BOOL) {
        struct sv *v = sv_make(s, SV_BOOL, pos);
        v->u.boolean = kind == IR_AND ? a->u.boolean && b->u.boolean
                                      : a->u.boolean || b->u.boolean;
        return v;
    }
    struct ir_expr *ea = script_expr_of(s, a);
    struct ir_expr *eb = script_expr_of(s, b);
    return ea && eb ? sv_expr(s, script_node(s, kind, ea, eb, pos), pos) : NULL;
}

/* comparison := binary (("<" | "<=" | ">" | ">=" | "==" | "!=") binary)* */
static struct sv *parse_comparison(struct script *s)
{
    struct sv *left = parse_binary(s, 1);
    struct sv *result = NULL;
    while (left && !s->failed && is_comparison(s)) {
        struct ir_pos pos = script_pos(s);
        enum script_op op = (enum script_op)script_peek(s, 0)->op;
        s->at++;
        struct sv *right = parse_binary(s, 1);
        struct sv *one = script_operate(s, op, left, right, pos);
        result = result ? logical(s, IR_AND, result, one, pos) : one;
        left = right;
    }
    if (s->failed)
        return NULL;
    return result ? result : left;
}

/* not := "not" not | comparison */
static struct sv *parse_not(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    if (!script_take_word(s, WORD_NOT))
        return parse_comparison(s);
    if (!script_enter(s))
        return NULL;
    struct sv *v = parse_not(s);
    script_leave(s);
    if (!v)
        return NULL;
    if (v->kind == SV_BOOL) {
        struct sv *result = sv_make(s, SV_BOOL, pos);
        result->u.boolean = !v->u.boolean;
        return result;
    }
    struct ir_expr *e = script_expr_of(s, v);
    if (!e)
        return NULL;
    if (!dtype_is_bool(e->dtype))
        return script_fail(s, pos, "script.type",
                           "'not' needs an operand of type bool");
    return sv_expr(s, script_checked(s, ir_not(s->m, e), pos), pos);
}

/* and := not ("and" not)* */
static struct sv *parse_and(struct script *s)
{
    struct sv *left = parse_not(s);
    struct ir_pos pos = script_pos(s);
    while (left && script_take_word(s, WORD_AND)) {
        left = logical(s, IR_AND, left, parse_not(s), pos);
        pos = script_pos(s);
    }
    return left;
}

/* or := and ("or" and)* */
static struct sv *parse_or(struct script *s)
{
    struct sv *left = parse_and(s);
    struct ir_pos pos = script_pos(s);
    while (left && script_take_word(s, WORD_OR)) {
        left = logical(s, IR_OR, left, parse_and(s), pos);
        pos = script_pos(s);
    }
    return left;
}

/* expr := or ["if" or "else" expr] */
struct sv *script_parse_expr(struct script *s)
{
    if (s->failed || !script_enter(s))
        return NULL;
    struct sv *v = parse_or(s);
    struct ir_pos pos = script_pos(s);
    if (v && script_take_word(s, WORD_IF)) {
        struct sv *cond = parse_or(s);
        struct sv *other = NULL;
        if (cond && !script_take_word(s, WORD_ELSE))
            script_fail(s, script_pos(s), "script.syntax",
                        "expected 'else' of a conditional expression");
        if (cond)
            other = script_parse_expr(s);
        if (cond && cond->kind != SV_BOOL)
            script_fail(s, pos, "script.unsupported",
                        "a condition that is known only at run time needs "
                        "T.if_then_else or T.Select");
        v = s->failed || !other ? NULL : cond->u.boolean ? v : other;
    }
    script_leave(s);
    return v;
}

/* expr_list := expr ("," expr)* [","] */
struct sv *script_parse_expr_list(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    struct sv *first = script_is_op(s, OP_STAR) ? NULL : script_parse_expr(s);
    if (s->failed || (first && !script_is_op(s, OP_COMMA)))
        return first;
    struct sv_list items = {0};
    if (first)
        vec_push(&items.list, first);
    while (!s->failed && (!first || script_take_op(s, OP_COMMA))) {
        const struct script_token *t = script_peek(s, 0);
        bool ends = t->kind == TK_NEWLINE || t->kind == TK_END ||
                    script_is_op(s, OP_ASSIGN);
        if (ends || !script_push_item(s, &items))
            break;
        first = items.list.items[0];
    }
    return script_finish_list(s, SV_TUPLE, &items, pos);
}
