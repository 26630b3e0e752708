/* SPDX-License-Identifier: Apache-2.0
 *
 * The lines of a program, its comments and its string literals.
 *
 * A module is other people's text: its names, strings and printed statements
 * hold any bytes. They get into a program in three ways only, and in none of
 * them as code: as identifiers (emit_names.c), in comments and in string
 * literals (here). tests/style/emit.sh refuses a comment or a quoted word that
 * is written elsewhere.
 */
#include "diff/emit/emit_private.h"

#include <string.h>

#define COMMENT_COLUMN 64  /* shorter lines have their comment beside them */
#define BESIDE_MAX     200 /* bytes of a comment beside a line */
#define ALONE_MAX      400 /* of one on a line of its own */
#define MESSAGE_MAX    400 /* of a message in a string literal */

const char *emit_text_printf(struct emitter *em, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *out = arena_vprintf(em->arena, fmt, args);
    va_end(args);
    return out;
}

/* ---- what is no code ------------------------------------------------------------ */

/* Ends no line, begins no escape sequence of a terminal, is a character in
 * every encoding, and is no part of a trigraph. */
static bool is_tame(char c)
{
    return c >= 0x20 && c <= 0x7e && c != '?';
}

void emit_comment(struct buf *out, const char *text, size_t most)
{
    buf_puts(out, "/* ");
    size_t start = out->len;
    const char *p = text;
    for (; *p != '\0' && out->len - start < most; p++) {
        if ((p[0] == '*' && p[1] == '/') || (p[0] == '/' && p[1] == '*'))
            buf_printf(out, "%c ", *p);
        else if (*p == '\n') /* statements are printed on several lines */
            buf_putc(out, ' ');
        else if (is_tame(*p))
            buf_putc(out, *p);
        else
            buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*p);
    }
    buf_puts(out, *p != '\0' ? " ... */" : " */");
}

/* Characters of a literal that stand for one of text's. */
static void put_literal_char(struct buf *out, char c)
{
    if (c == '"' || c == '\\')
        buf_putc(out, '\\');
    buf_putc(out, c);
}

const char *emit_quoted(struct emitter *em, const char *text)
{
    struct buf out = {0};
    const char *p = text;
    buf_putc(&out, '"');
    for (; *p != '\0' && out.len < MESSAGE_MAX; p++) {
        if (is_tame(*p))
            put_literal_char(&out, *p);
        else if (*p == '?')
            buf_puts(&out, "\\?");
        else /* shown so, too: the message may go to a terminal */
            buf_printf(&out, "\\\\x%02x", (unsigned)(unsigned char)*p);
    }
    buf_puts(&out, *p != '\0' ? " ...\"" : "\"");
    const char *result = arena_strdup(em->arena, buf_text(&out));
    buf_fini(&out);
    return result;
}

void emit_quoted_lines(struct buf *out, const char *program)
{
    for (const char *p = program; *p;) {
        buf_puts(out, "    \"");
        for (; *p && *p != '\n'; p++)
            put_literal_char(out, *p);
        buf_puts(out, *p ? "\\n\"\n" : "\"\n");
        p += *p ? 1 : 0;
    }
}

/* ---- lines -------------------------------------------------------------------------- */

static void put_indent(struct emitter *em)
{
    for (unsigned i = 0; i < em->indent; i++)
        buf_puts(em->out, "    ");
}

void emit_line(struct emitter *em, const char *fmt, ...)
{
    va_list args;
    put_indent(em);
    va_start(args, fmt);
    buf_vprintf(em->out, fmt, args);
    va_end(args);
    buf_putc(em->out, '\n');
}

void emit_open_brace(struct emitter *em, const char *fmt, ...)
{
    va_list args;
    put_indent(em);
    va_start(args, fmt);
    buf_vprintf(em->out, fmt, args);
    va_end(args);
    buf_puts(em->out, " {\n");
    em->indent++;
}

void emit_close_brace(struct emitter *em)
{
    em->indent--;
    emit_line(em, "}");
}

void emit_line_comment(struct emitter *em, const char *fmt, ...)
{
    struct buf text = {0};
    va_list args;
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    put_indent(em);
    emit_comment(em->out, buf_text(&text), ALONE_MAX);
    buf_putc(em->out, '\n');
    buf_fini(&text);
}

/* Whether a line is the IR but for "const T " in front and ";" behind. */
static bool says_the_same(const char *line, const char *ir)
{
    size_t n = strlen(line), k = strlen(ir);
    return n > k && strncmp(line + n - k - 1, ir, k) == 0 && line[n - 1] == ';';
}

void emit_line_ir(struct emitter *em, const char *ir, const char *fmt, ...)
{
    va_list args;
    struct buf text = {0};
    va_start(args, fmt);
    buf_vprintf(&text, fmt, args);
    va_end(args);
    if (ir != NULL && says_the_same(buf_text(&text), ir))
        ir = NULL;
    if (ir != NULL && text.len > COMMENT_COLUMN) {
        put_indent(em);
        emit_comment(em->out, ir, BESIDE_MAX);
        buf_putc(em->out, '\n');
    }
    put_indent(em);
    buf_puts(em->out, buf_text(&text));
    if (ir != NULL && text.len <= COMMENT_COLUMN) {
        buf_puts(em->out, "  ");
        emit_comment(em->out, ir, BESIDE_MAX);
    }
    buf_putc(em->out, '\n');
    buf_fini(&text);
}

/* ---- the IR as it is printed ------------------------------------------------------- */

const char *emit_ir_text_expr(struct emitter *em, const struct ir_expr *e)
{
    struct buf text = {0};
    ir_print_expr(e, &text);
    const char *out = arena_strdup(em->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}

const char *emit_ir_text_stmt(struct emitter *em, const struct ir_stmt *s)
{
    struct buf text = {0};
    ir_print_stmt(s, &text);
    while (text.len > 0 && text.data[text.len - 1] == '\n')
        text.data[--text.len] = '\0';
    const char *out = arena_strdup(em->arena, buf_text(&text));
    buf_fini(&text);
    return out;
}
