/* SPDX-License-Identifier: Apache-2.0
 *
 * The lexer of TVMScript: Python's rules for lines, indentation, comments and
 * literals, restricted to what TVM's printers and script authors write.
 *
 * The whole text becomes one array of tokens first, so that the parser may go
 * back (a lambda is read where it stands and evaluated when its parameters'
 * types are known). Names are interned: equal names have equal symbols, and
 * the keywords have fixed ones.
 *
 * Line structure: a logical line ends in NEWLINE; a deeper indentation gives
 * INDENT, a shallower one as many DEDENTs as it closes blocks. Inside brackets
 * and after a backslash lines are joined; blank and comment lines do not
 * count. A tab goes to the next multiple of 8 columns, as in Python.
 */
#include "ir/readers/tvmscript/script_lexer.h"

#include "ir/base/limits.h"

#include <string.h>

struct open_bracket {
    char close; /* what closes it */
    uint32_t line;
    size_t offset, line_start;
};

struct lexer {
    struct script_tokens *out;
    struct script_symbols *symbols;
    struct diag_sink *sink;
    size_t at;         /* next byte */
    uint32_t line;     /* of that byte, 1-based */
    size_t line_start; /* offset of the line's first byte */
    struct VEC(uint32_t) indents;
    struct VEC(struct open_bracket) brackets; /* still open */
};

static const struct {
    const char *text;
    enum script_op op;
} operators[] = {
    // clang-format off
    /* longest first, so that the first match is the right one */
    {"//=", OP_FLOORDIV_ASSIGN}, {"<<=", OP_SHL_ASSIGN},
    {">>=", OP_SHR_ASSIGN}, {"->", OP_ARROW}, {"**", OP_POWER},
    {"//", OP_FLOORDIV}, {"<<", OP_SHL}, {">>", OP_SHR}, {"<=", OP_LE},
    {">=", OP_GE}, {"==", OP_EQ}, {"!=", OP_NE}, {"+=", OP_ADD_ASSIGN},
    {"-=", OP_SUB_ASSIGN}, {"*=", OP_MUL_ASSIGN}, {"/=", OP_DIV_ASSIGN},
    {"%=", OP_MOD_ASSIGN}, {"&=", OP_AND_ASSIGN}, {"|=", OP_OR_ASSIGN},
    {"^=", OP_XOR_ASSIGN}, {"(", OP_LPAREN}, {")", OP_RPAREN},
    {"[", OP_LBRACKET}, {"]", OP_RBRACKET}, {"{", OP_LBRACE},
    {"}", OP_RBRACE}, {",", OP_COMMA}, {":", OP_COLON}, {".", OP_DOT},
    {";", OP_SEMICOLON}, {"@", OP_AT}, {"=", OP_ASSIGN}, {"+", OP_PLUS},
    {"-", OP_MINUS}, {"*", OP_STAR}, {"/", OP_SLASH}, {"%", OP_PERCENT},
    {"&", OP_AMP}, {"|", OP_PIPE}, {"^", OP_CARET}, {"~", OP_TILDE},
    {"<", OP_LT}, {">", OP_GT},
    // clang-format on
};

const char *script_op_text(enum script_op op)
{
    for (size_t i = 0; i < DC_ARRAY_LEN(operators); i++) {
        if (operators[i].op == op)
            return operators[i].text;
    }
    return "?";
}

/* ---- symbols ------------------------------------------------------------ */

static void table_grow(struct script_symbols *y)
{
    size_t cap = y->cap ? y->cap * 2 : 1024;
    uint32_t *table = dc_alloc(cap * sizeof *table);
    for (size_t s = 0; s < y->names.len; s++) {
        const char *name = y->names.items[s];
        size_t slot = hash_bytes(0, name, strlen(name)) & (cap - 1);
        while (table[slot])
            slot = (slot + 1) & (cap - 1);
        table[slot] = (uint32_t)s + 1;
    }
    dc_release(y->table);
    y->table = table;
    y->cap = cap;
}

uint32_t script_intern(struct script_symbols *y, const char *name, size_t len)
{
    if (y->names.len * 2 >= y->cap)
        table_grow(y);
    size_t slot = hash_bytes(0, name, len) & (y->cap - 1);
    for (; y->table[slot]; slot = (slot + 1) & (y->cap - 1)) {
        const char *known = y->names.items[y->table[slot] - 1];
        if (strncmp(known, name, len) == 0 && known[len] == 0)
            return y->table[slot] - 1;
    }
    vec_push(&y->names, arena_strndup(y->arena, name, len));
    y->table[slot] = (uint32_t)y->names.len;
    return y->table[slot] - 1;
}

void script_symbols_init(struct script_symbols *symbols, struct arena *arena)
{
    static const char *const words[] = {
#define SCRIPT_WORD(id, text) text,
        SCRIPT_WORDS(SCRIPT_WORD)
#undef SCRIPT_WORD
    };
    *symbols = (struct script_symbols){.arena = arena};
    for (size_t i = 0; i < DC_ARRAY_LEN(words); i++)
        script_intern(symbols, words[i], strlen(words[i]));
}

void script_symbols_fini(struct script_symbols *symbols)
{
    vec_fini(&symbols->names);
    dc_release(symbols->table);
    symbols->table = NULL;
    symbols->cap = 0;
}

/* ---- tokens ------------------------------------------------------------- */

DC_PRINTF(3, 4)
static bool lex_error(struct lexer *x, size_t offset, const char *fmt, ...)
{
    size_t col = offset >= x->line_start ? offset - x->line_start + 1 : 1;
    struct diag_loc loc = {x->out->file, x->line,
                           col > UINT32_MAX ? UINT32_MAX : (uint32_t)col, NULL};
    va_list args;
    va_start(args, fmt);
    diag_report(x->sink, DIAG_ERROR, loc, "script.syntax", fmt, args);
    va_end(args);
    return false;
}

static int peek(const struct lexer *x, size_t ahead)
{
    size_t at = x->at + ahead;
    return at < x->out->len ? (unsigned char)x->out->text[at] : -1;
}

static bool is_name_start(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool push_token(struct lexer *x, enum script_token_kind kind,
                       size_t start, size_t len)
{
    if (x->out->list.len >= DC_MAX_JSON_NODES)
        return lex_error(x, start, "the text has more than %u tokens",
                         DC_MAX_JSON_NODES);
    struct script_token t = {
        .kind = (uint8_t)kind,
        .line = x->line,
        .col =
            (uint32_t)(start >= x->line_start ? start - x->line_start + 1 : 1),
        .offset = (uint32_t)start,
        .len = (uint32_t)len,
    };
    vec_push(&x->out->list, t);
    return true;
}

static bool lex_name(struct lexer *x)
{
    size_t start = x->at;
    while (is_name_start(peek(x, 0)) || is_digit(peek(x, 0)))
        x->at++;
    if (!push_token(x, TK_NAME, start, x->at - start))
        return false;
    x->out->list.items[x->out->list.len - 1].symbol =
        script_intern(x->symbols, x->out->text + start, x->at - start);
    return true;
}

/* number := decimal | "0x" hex | float */
static bool lex_number(struct lexer *x)
{
    size_t start = x->at;
    bool is_float = false;
    if (peek(x, 0) == '0' && (peek(x, 1) == 'x' || peek(x, 1) == 'X')) {
        x->at += 2;
        while (is_name_start(peek(x, 0)) || is_digit(peek(x, 0)))
            x->at++;
        return push_token(x, TK_INT, start, x->at - start);
    }
    while (is_digit(peek(x, 0)) || peek(x, 0) == '_')
        x->at++;
    if (peek(x, 0) == '.') {
        is_float = true;
        x->at++;
        while (is_digit(peek(x, 0)))
            x->at++;
    }
    int sign = peek(x, 1) == '+' || peek(x, 1) == '-';
    if ((peek(x, 0) == 'e' || peek(x, 0) == 'E') &&
        is_digit(peek(x, 1 + (size_t)sign))) {
        is_float = true;
        x->at += 1 + (size_t)sign;
        while (is_digit(peek(x, 0)))
            x->at++;
    }
    if (is_name_start(peek(x, 0)))
        return lex_error(x, start, "expected a number, not '%.*s…'",
                         (int)(x->at - start < 40 ? x->at - start + 1 : 40),
                         x->out->text + start);
    return push_token(x, is_float ? TK_FLOAT : TK_INT, start, x->at - start);
}

/* Length of the prefix letters when a string literal stands here, else -1. */
static int string_prefix(const struct lexer *x)
{
    if (peek(x, 0) == '"' || peek(x, 0) == '\'')
        return 0;
    int c = peek(x, 0);
    bool quote = peek(x, 1) == '"' || peek(x, 1) == '\'';
    return (c == 'r' || c == 'R' || c == 'u' || c == 'U') && quote ? 1 : -1;
}

/* string := ["r" | "u"] (quote … quote | triple … triple) */
static bool lex_string(struct lexer *x, int prefix)
{
    size_t start = x->at;
    uint32_t line = x->line;
    size_t line_start = x->line_start;
    x->at += (size_t)prefix;
    int quote = peek(x, 0);
    bool triple = peek(x, 1) == quote && peek(x, 2) == quote;
    x->at += triple ? 3 : 1;
    for (;;) {
        int c = peek(x, 0);
        bool end_of_line = c == '\n' && !triple;
        if (c < 0 || end_of_line) {
            x->line = line;
            x->line_start = line_start;
            return lex_error(x, start, "this string is never closed");
        }
        if (c == '\\' && peek(x, 1) >= 0) {
            x->at++; /* the escaped character is skipped below */
            c = peek(x, 0);
        } else if (c == quote &&
                   (!triple || (peek(x, 1) == quote && peek(x, 2) == quote))) {
            x->at += triple ? 3 : 1;
            break;
        }
        x->at++;
        if (c == '\n') {
            x->line++;
            x->line_start = x->at;
        }
    }
    uint32_t end_line = x->line;
    size_t end_start = x->line_start;
    x->line = line;
    x->line_start = line_start;
    bool ok = push_token(x, TK_STRING, start, x->at - start);
    x->line = end_line;
    x->line_start = end_start;
    return ok;
}

static bool track_bracket(struct lexer *x, enum script_op op, size_t start)
{
    static const char closing[] = {
        [OP_LPAREN] = ')',   [OP_RPAREN] = ')', [OP_LBRACKET] = ']',
        [OP_RBRACKET] = ']', [OP_LBRACE] = '}', [OP_RBRACE] = '}'};
    if (op > OP_RBRACE)
        return true;
    if (op == OP_LPAREN || op == OP_LBRACKET || op == OP_LBRACE) {
        if (x->brackets.len >= DC_MAX_DEPTH)
            return lex_error(x, start, "brackets nest deeper than %u",
                             DC_MAX_DEPTH);
        struct open_bracket open = {closing[op], x->line, start, x->line_start};
        vec_push(&x->brackets, open);
        return true;
    }
    if (!x->brackets.len)
        return lex_error(x, start, "'%c' closes nothing", closing[op]);
    char want = x->brackets.items[--x->brackets.len].close;
    if (want != closing[op])
        return lex_error(x, start, "expected '%c', not '%c'", want,
                         closing[op]);
    return true;
}

static bool lex_operator(struct lexer *x)
{
    const char *at = x->out->text + x->at;
    size_t left = x->out->len - x->at;
    for (size_t i = 0; i < DC_ARRAY_LEN(operators); i++) {
        if (operators[i].text[0] != *at)
            continue;
        size_t len = strlen(operators[i].text);
        if (len > left || memcmp(at, operators[i].text, len) != 0)
            continue;
        if (!track_bracket(x, operators[i].op, x->at) ||
            !push_token(x, TK_OP, x->at, len))
            return false;
        x->out->list.items[x->out->list.len - 1].op = (uint8_t)operators[i].op;
        x->at += len;
        return true;
    }
    unsigned char c = (unsigned char)*at;
    if (c >= 0x20 && c < 0x7f)
        return lex_error(x, x->at, "'%c' means nothing here", c);
    return lex_error(x, x->at, "byte 0x%02x means nothing here", c);
}

/* Measures the indentation of the line at x->at; leaves x->at on its first
 * character. */
static uint32_t measure_indent(struct lexer *x)
{
    uint32_t width = 0;
    for (;; x->at++) {
        int c = peek(x, 0);
        if (c == ' ')
            width++;
        else if (c == '\t')
            width = (width / 8 + 1) * 8;
        else if (c == '\f')
            width = 0;
        else
            return width;
    }
}

static bool apply_indent(struct lexer *x, uint32_t width)
{
    uint32_t top = x->indents.items[x->indents.len - 1];
    if (width > top) {
        if (x->indents.len > DC_MAX_DEPTH)
            return lex_error(x, x->at, "blocks nest deeper than %u",
                             DC_MAX_DEPTH);
        vec_push(&x->indents, width);
        return push_token(x, TK_INDENT, x->at, 0);
    }
    while (width < x->indents.items[x->indents.len - 1]) {
        x->indents.len--;
        if (!push_token(x, TK_DEDENT, x->at, 0))
            return false;
    }
    if (width != x->indents.items[x->indents.len - 1])
        return lex_error(x, x->at,
                         "this indentation matches no enclosing block");
    return true;
}

static void skip_comment(struct lexer *x)
{
    while (peek(x, 0) >= 0 && peek(x, 0) != '\n')
        x->at++;
}

static void next_line(struct lexer *x)
{
    x->at++;
    x->line++;
    x->line_start = x->at;
}

/* One token of a logical line; *ended when the line is over. */
static bool lex_token(struct lexer *x, bool *ended)
{
    int c = peek(x, 0);
    if (c == ' ' || c == '\t' || c == '\r' || c == '\f') {
        x->at++;
        return true;
    }
    if (c == '#') {
        skip_comment(x);
        return true;
    }
    if (c == '\\' &&
        (peek(x, 1) == '\n' || (peek(x, 1) == '\r' && peek(x, 2) == '\n'))) {
        x->at += peek(x, 1) == '\r' ? 2 : 1;
        next_line(x);
        return true;
    }
    if (c == '\n') {
        *ended = !x->brackets.len;
        if (*ended && !push_token(x, TK_NEWLINE, x->at, 0))
            return false;
        next_line(x);
        return true;
    }
    int prefix = string_prefix(x);
    if (prefix >= 0)
        return lex_string(x, prefix);
    if (is_name_start(c))
        return lex_name(x);
    if (is_digit(c) || (c == '.' && is_digit(peek(x, 1))))
        return lex_number(x);
    return lex_operator(x);
}

/* One logical line, or one blank or comment line. */
static bool lex_line(struct lexer *x)
{
    uint32_t width = measure_indent(x);
    int c = peek(x, 0);
    if (c == '\r' && peek(x, 1) == '\n') {
        x->at++;
        c = '\n';
    }
    if (c < 0)
        return true;
    if (c == '#') {
        skip_comment(x);
        c = peek(x, 0);
    }
    if (c == '\n') {
        next_line(x);
        return true;
    }
    if (c < 0)
        return true;
    if (!apply_indent(x, width))
        return false;
    bool ended = false;
    while (!ended && peek(x, 0) >= 0) {
        if (!lex_token(x, &ended))
            return false;
    }
    if (x->brackets.len) {
        struct open_bracket open = x->brackets.items[x->brackets.len - 1];
        x->line = open.line;
        x->line_start = open.line_start;
        return lex_error(x, open.offset, "this bracket is never closed");
    }
    return ended || push_token(x, TK_NEWLINE, x->at, 0);
}

static bool lex_all(struct lexer *x)
{
    vec_push(&x->indents, 0);
    if (x->out->len >= UINT32_MAX)
        return lex_error(x, 0, "the text is too long");
    if (x->out->len >= 3 && memcmp(x->out->text, "\xef\xbb\xbf", 3) == 0)
        x->at = x->line_start = 3;
    while (x->at < x->out->len) {
        if (!lex_line(x))
            return false;
    }
    while (x->indents.len > 1) {
        x->indents.len--;
        if (!push_token(x, TK_DEDENT, x->at, 0))
            return false;
    }
    return push_token(x, TK_END, x->at, 0);
}

bool script_lex(const char *text, size_t len, const char *file,
                struct script_symbols *symbols, struct diag_sink *sink,
                struct script_tokens *out)
{
    out->text = text;
    out->len = len;
    out->file = file;
    struct lexer x = {.out = out, .symbols = symbols, .sink = sink, .line = 1};
    bool ok = lex_all(&x);
    vec_fini(&x.indents);
    vec_fini(&x.brackets);
    return ok;
}

void script_tokens_fini(struct script_tokens *tokens)
{
    vec_fini(&tokens->list);
}
