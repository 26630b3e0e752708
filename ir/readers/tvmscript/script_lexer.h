/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens of TVMScript, a subset of Python: names, literals, operators, and the
 * NEWLINE, INDENT and DEDENT tokens that stand for line structure. Private to
 * the TVMScript reader.
 */
#ifndef DC_IR_READERS_SCRIPT_LEXER_H
#define DC_IR_READERS_SCRIPT_LEXER_H

#include "ir/base/base.h"

enum script_token_kind {
    TK_END,
    TK_NEWLINE,
    TK_INDENT,
    TK_DEDENT,
    TK_NAME, /* symbol: index of the interned text; keywords come first */
    TK_INT,
    TK_FLOAT,
    TK_STRING, /* one literal with prefix and quotes; adjacent ones follow */
    TK_OP
};

/* Keywords and the words that the parser tests for, interned first and in
 * this order. */
#define SCRIPT_WORDS(W)     \
    W(AND, "and")           \
    W(AS, "as")             \
    W(ASSERT, "assert")     \
    W(BREAK, "break")       \
    W(CLASS, "class")       \
    W(CONTINUE, "continue") \
    W(DEF, "def")           \
    W(DEL, "del")           \
    W(ELIF, "elif")         \
    W(ELSE, "else")         \
    W(FALSE, "False")       \
    W(FOR, "for")           \
    W(FROM, "from")         \
    W(IF, "if")             \
    W(IMPORT, "import")     \
    W(IN, "in")             \
    W(IS, "is")             \
    W(LAMBDA, "lambda")     \
    W(NONE, "None")         \
    W(NOT, "not")           \
    W(OR, "or")             \
    W(PASS, "pass")         \
    W(RETURN, "return")     \
    W(TRUE, "True")         \
    W(WHILE, "while")       \
    W(WITH, "with")

enum script_word {
#define SCRIPT_WORD(id, text) WORD_##id,
    SCRIPT_WORDS(SCRIPT_WORD)
#undef SCRIPT_WORD
        WORD_COUNT
};

enum script_op {
    OP_LPAREN,
    OP_RPAREN,
    OP_LBRACKET,
    OP_RBRACKET,
    OP_LBRACE,
    OP_RBRACE,
    OP_COMMA,
    OP_COLON,
    OP_DOT,
    OP_SEMICOLON,
    OP_AT,
    OP_ASSIGN,
    OP_ARROW,
    OP_PLUS,
    OP_MINUS,
    OP_STAR,
    OP_POWER,
    OP_SLASH,
    OP_FLOORDIV,
    OP_PERCENT,
    OP_AMP,
    OP_PIPE,
    OP_CARET,
    OP_TILDE,
    OP_SHL,
    OP_SHR,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_EQ,
    OP_NE,
    OP_ADD_ASSIGN,
    OP_SUB_ASSIGN,
    OP_MUL_ASSIGN,
    OP_DIV_ASSIGN,
    OP_FLOORDIV_ASSIGN,
    OP_MOD_ASSIGN,
    OP_AND_ASSIGN,
    OP_OR_ASSIGN,
    OP_XOR_ASSIGN,
    OP_SHL_ASSIGN,
    OP_SHR_ASSIGN,
    OP_COUNT
};

struct script_token {
    uint8_t kind; /* enum script_token_kind */
    uint8_t op;   /* enum script_op, of TK_OP */
    uint32_t line, col;
    uint32_t offset, len; /* bytes of the source text */
    uint32_t symbol;      /* of TK_NAME */
};

/* Interned names: a symbol is an index into names. */
struct script_symbols {
    struct arena *arena; /* of the texts */
    struct VEC(const char *) names;
    uint32_t *table; /* open hash table: symbol + 1, or 0 */
    size_t cap;
};

/* Interns the words; release with script_symbols_fini. */
void script_symbols_init(struct script_symbols *symbols, struct arena *arena);
void script_symbols_fini(struct script_symbols *symbols);
uint32_t script_intern(struct script_symbols *symbols, const char *name,
                       size_t len);

struct script_tokens {
    const char *text;
    size_t len;
    const char *file;
    struct VEC(struct script_token) list; /* ends in TK_END */
};

/* Fills `out` (zeroed by the caller, released with script_tokens_fini also on
 * failure). The source text is borrowed. */
DC_MUST_USE bool script_lex(const char *text, size_t len, const char *file,
                            struct script_symbols *symbols,
                            struct diag_sink *sink, struct script_tokens *out);
void script_tokens_fini(struct script_tokens *tokens);
/* Spelling of an operator: "//". */
const char *script_op_text(enum script_op op);

#endif
