/* SPDX-License-Identifier: Apache-2.0
 *
 * Atoms of expressions: literals, lists, tuples, dicts and names.
 *
 * A number here is a Python number: it gets a tensor type only where it meets
 * an operand or a place that asks for one. A name is looked up from the
 * innermost scope outwards; what it stands for may be a variable, a buffer, a
 * function or a namespace such as T. Nothing here guesses: an unknown name is
 * an error with its place.
 */
#include "ir/readers/tvmscript/script.h"

#include <stdlib.h>
#include <string.h>

/* ---- literals ----------------------------------------------------------- */

static struct sv *parse_int(struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    struct ir_pos pos = script_pos(s);
    const char *text = s->tokens.text + t->offset;
    bool hex = t->len > 2 && (text[1] == 'x' || text[1] == 'X');
    uint64_t value = 0;
    for (uint32_t i = hex ? 2 : 0; i < t->len; i++) {
        char c = text[i];
        if (c == '_')
            continue;
        unsigned digit = c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' ? (unsigned)(c - 'a') + 10
                                    : (unsigned)(c - 'A') + 10;
        unsigned base = hex ? 16 : 10;
        if (digit >= base)
            return script_fail(s, pos, "script.syntax",
                               "expected a number here");
        if (value > (UINT64_MAX - digit) / base)
            return script_fail(s, pos, "script.type",
                               "this integer does not fit 64 bits");
        value = value * base + digit;
    }
    s->at++;
    struct sv *v = sv_int(s, (int64_t)value, pos);
    v->u.integer.wide = value > INT64_MAX;
    return v;
}

static struct sv *parse_float(struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    struct ir_pos pos = script_pos(s);
    char *text = arena_strndup(s->m->arena, s->tokens.text + t->offset, t->len);
    char *out = text;
    for (const char *in = text; *in; in++) {
        if (*in != '_')
            *out++ = *in;
    }
    *out = 0;
    struct sv *v = sv_make(s, SV_FLOAT, pos);
    v->u.number = strtod(text, NULL);
    s->at++;
    return v;
}

static int hex_digit(int c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The character of that number as UTF-8; of the surrogates those that stand
 * for a byte that is none. */
static bool put_character(struct buf *out, uint32_t c)
{
    if (c == 0 || c > 0x10ffff)
        return false;
    if (c >= 0xdc80 && c <= 0xdcff) {
        buf_putc(out, (char)(c & 0xff));
        return true;
    }
    if (c >= 0xd800 && c <= 0xdfff)
        return false;
    if (c < 0x80) {
        buf_putc(out, (char)c);
        return true;
    }
    int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t lead[] = {0, 0xc0, 0xe0, 0xf0};
    buf_putc(out, (char)(lead[more] | c >> (6 * more)));
    while (more-- > 0)
        buf_putc(out, (char)(0x80 | (c >> (6 * more) & 0x3f)));
    return true;
}

/* One escape after the backslash; *in stands on the letter and is moved past
 * it. False when the escape is none of Python's or gives a NUL. */
static bool put_escape(struct buf *out, const char **in, const char *end)
{
    static const char letters[] = "n\nt\tr\r\\\\''\"\"a\ab\bf\fv\v";
    char c = *(*in)++;
    if (c == '\n')
        return true;
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits) {
        uint32_t value = 0;
        if (end - *in < digits)
            return false;
        for (int i = 0; i < digits; i++) {
            int digit = hex_digit((*in)[i]);
            if (digit < 0)
                return false;
            value = value << 4 | (uint32_t)digit;
        }
        *in += digits;
        return put_character(out, value);
    }
    for (size_t i = 0; letters[i]; i += 2) {
        if (letters[i] == c) {
            buf_putc(out, letters[i + 1]);
            return true;
        }
    }
    if ((c >= '0' && c <= '9') || c == 'N')
        return false;
    buf_putc(out, '\\');
    buf_putc(out, c);
    return true;
}

static bool decode_string(struct script *s, const struct script_token *t,
                          struct buf *out)
{
    const char *in = s->tokens.text + t->offset;
    const char *end = in + t->len;
    bool raw = false;
    while (*in != '"' && *in != '\'')
        raw |= (*in == 'r' || *in == 'R'), in++;
    bool triple = end - in >= 6 && in[1] == in[0] && in[2] == in[0];
    in += triple ? 3 : 1;
    end -= triple ? 3 : 1;
    while (in < end) {
        char c = *in++;
        if (c == 0)
            return false;
        if (c != '\\' || raw || in == end)
            buf_putc(out, c);
        else if (!put_escape(out, &in, end))
            return false;
    }
    return true;
}

/* string := STRING+ */
const char *script_parse_string(struct script *s)
{
    struct buf text = {0};
    struct ir_pos pos = script_pos(s);
    if (script_peek(s, 0)->kind != TK_STRING) {
        char what[64];
        return script_fail(s, pos, "script.syntax", "expected a string, not %s",
                           script_describe(s, what));
    }
    bool ok = true;
    for (; ok && script_peek(s, 0)->kind == TK_STRING; s->at++)
        ok = decode_string(s, script_peek(s, 0), &text);
    const char *result =
        ok ? arena_strdup(s->m->arena, buf_text(&text))
           : script_fail(s, pos, "script.syntax",
                         "this string has an escape that is not supported");
    buf_fini(&text);
    return result;
}

/* ---- lists, tuples, dicts ----------------------------------------------- */

struct sv *script_finish_list(struct script *s, enum sv_kind kind,
                              struct sv_list *items, struct ir_pos pos)
{
    struct sv *v = NULL;
    if (!s->failed) {
        v = sv_make(s, kind, pos);
        v->u.list.n = items->list.len;
        v->u.list.items =
            arena_memdup(s->m->arena, items->list.items,
                         items->list.len * sizeof *items->list.items);
    }
    vec_fini(&items->list);
    return v;
}

/* Pushes an item; "*list" pushes its items. */
bool script_push_item(struct script *s, struct sv_list *items)
{
    struct ir_pos pos = script_pos(s);
    bool star = script_take_op(s, OP_STAR);
    struct sv *v = script_parse_expr(s);
    if (!v)
        return false;
    struct sv *const *inner;
    size_t n = star ? script_items(v, &inner) : 0;
    if (!star) {
        vec_push(&items->list, v);
        return true;
    }
    if (n == SIZE_MAX) {
        script_fail(s, pos, "script.type", "'*' needs a list or a tuple");
        return false;
    }
    if (items->list.len + n > 1u << 20) {
        script_fail(s, pos, "script.limit", "this list is too long");
        return false;
    }
    for (size_t i = 0; i < n; i++)
        vec_push(&items->list, inner[i]);
    return true;
}

/* paren := "(" [expr ("," expr)* [","]] ")" */
static struct sv *parse_paren(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    struct sv_list items = {0};
    bool comma = false;
    s->at++;
    while (!s->failed && !script_is_op(s, OP_RPAREN)) {
        if (!script_push_item(s, &items))
            break;
        if (!script_take_op(s, OP_COMMA))
            break;
        comma = true;
    }
    script_expect_op(s, OP_RPAREN);
    if (!s->failed && items.list.len == 1 && !comma) {
        struct sv *v = items.list.items[0];
        vec_fini(&items.list);
        return v;
    }
    return script_finish_list(s, SV_TUPLE, &items, pos);
}

/* list := "[" [expr ("," expr)* [","]] "]" */
static struct sv *parse_list(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    struct sv_list items = {0};
    s->at++;
    while (!s->failed && !script_is_op(s, OP_RBRACKET)) {
        if (!script_push_item(s, &items) || !script_take_op(s, OP_COMMA))
            break;
    }
    script_expect_op(s, OP_RBRACKET);
    return script_finish_list(s, SV_LIST, &items, pos);
}

/* dict := "{" [expr ":" expr ("," expr ":" expr)* [","]] "}" */
static struct sv *parse_dict(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    struct sv_list items = {0};
    s->at++;
    while (!s->failed && !script_is_op(s, OP_RBRACE)) {
        struct sv *key = script_parse_expr(s);
        if (!key || !script_expect_op(s, OP_COLON))
            break;
        struct sv *value = script_parse_expr(s);
        if (!value)
            break;
        vec_push(&items.list, key);
        vec_push(&items.list, value);
        if (!script_take_op(s, OP_COMMA))
            break;
    }
    script_expect_op(s, OP_RBRACE);
    return script_finish_list(s, SV_DICT, &items, pos);
}

/* ---- names -------------------------------------------------------------- */

/* Names that start a dotted path when nothing else is bound to them. */
bool script_is_namespace(const char *name)
{
    static const char *const names[] = {
        "T",      "I",       "R",        "Tx",     "tvm",   "tir",  "tirx",
        "relax",  "range",   "float",    "int",    "bool",  "np",   "ir",
        "script", "TypeVar", "metadata", "typing", "s_tir", "Axis", "list",
        "tuple",  "len",     "min",      "max"};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) == 0)
            return true;
    }
    return false;
}

static struct sv *parse_name(struct script *s)
{
    struct ir_pos pos = script_pos(s);
    uint32_t symbol;
    const char *name = script_expect_name(s, &symbol);
    if (!name)
        return NULL;
    struct sv *v = script_find(s, symbol);
    if (v && v->kind == SV_TYPEVAR)
        return sv_expr(s, ir_var_ref(s->m, script_typevar(s, v)), pos);
    if (v) {
        /* The same value at another place: messages point at the use. */
        struct sv *use = sv_make(s, v->kind, pos);
        use->u = v->u;
        return use;
    }
    if (script_is_namespace(name)) {
        v = sv_make(s, SV_PATH, pos);
        v->u.string = name;
        return v;
    }
    return script_fail(s, pos, "script.name", "the name '%s' is not defined",
                       name);
}

/* lambda := "lambda" [NAME ("," NAME)*] ":" expr; skipped */
static struct sv *parse_lambda(struct script *s)
{
    struct sv *v = sv_make(s, SV_LAMBDA, script_pos(s));
    s->at++;
    v->u.token = s->at;
    unsigned nesting = 0;
    bool in_body = false;
    for (;; s->at++) {
        const struct script_token *t = script_peek(s, 0);
        if (t->kind == TK_END || t->kind == TK_NEWLINE)
            break;
        if (t->kind != TK_OP)
            continue;
        bool opens =
            t->op == OP_LPAREN || t->op == OP_LBRACKET || t->op == OP_LBRACE;
        bool closes =
            t->op == OP_RPAREN || t->op == OP_RBRACKET || t->op == OP_RBRACE;
        if (closes && nesting == 0)
            break;
        if (t->op == OP_COMMA && nesting == 0 && in_body)
            break;
        in_body |= t->op == OP_COLON && nesting == 0;
        nesting = opens ? nesting + 1 : closes ? nesting - 1 : nesting;
    }
    return v;
}

/* atom := INT | FLOAT | STRING+ | "True" | "False" | "None" | NAME | paren
 *       | list | dict | lambda */
struct sv *script_parse_atom(struct script *s)
{
    const struct script_token *t = script_peek(s, 0);
    struct ir_pos pos = script_pos(s);
    if (t->kind == TK_INT)
        return parse_int(s);
    if (t->kind == TK_FLOAT)
        return parse_float(s);
    if (t->kind == TK_STRING) {
        struct sv *v = sv_make(s, SV_STRING, pos);
        v->u.string = script_parse_string(s);
        return v->u.string ? v : NULL;
    }
    if (script_is_op(s, OP_LPAREN))
        return parse_paren(s);
    if (script_is_op(s, OP_LBRACKET))
        return parse_list(s);
    if (script_is_op(s, OP_LBRACE))
        return parse_dict(s);
    if (script_is_word(s, WORD_LAMBDA))
        return parse_lambda(s);
    if (script_take_word(s, WORD_NONE))
        return sv_make(s, SV_NONE, pos);
    bool is_true = script_is_word(s, WORD_TRUE);
    if (is_true || script_is_word(s, WORD_FALSE)) {
        s->at++;
        struct sv *v = sv_make(s, SV_BOOL, pos);
        v->u.boolean = is_true;
        return v;
    }
    if (t->kind == TK_NAME && t->symbol >= WORD_COUNT)
        return parse_name(s);
    char text[64];
    return script_fail(s, pos, "script.syntax",
                       "expected an expression, not %s",
                       script_describe(s, text));
}
