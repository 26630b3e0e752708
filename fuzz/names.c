/* SPDX-License-Identifier: Apache-2.0
 *
 * The comparison of emitted programs under two sets of names (names.h). A text
 * is printable ASCII throughout. Its tokens must be those of the other, one by
 * one; identifiers stand for each other both ways: what has a name of the IR in
 * it throughout the text, others within one function. A word that is called, or
 * that the names do not touch, is the same on both sides.
 */
#include "fuzz/names.h"

#include <string.h>

enum token_kind { T_END, T_WORD, T_NUMBER, T_STRING, T_MARK, T_BAD };

struct token {
    enum token_kind kind;
    const char *text;
    size_t len;
};

struct lexer {
    const char *at;
    const char *bad; /* what is wrong at T_BAD */
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- tokens ------------------------------------------------------------------------ */

static struct token bad(struct lexer *l, const char *what)
{
    l->bad = what;
    return (struct token){T_BAD, l->at, 0};
}

static const char *skip_comment(const char *p)
{
    for (p += 2; *p != '\0'; p++) {
        if (p[0] == '*' && p[1] == '/')
            return p + 2;
        if (p[0] == '/' && p[1] == '*')
            return NULL;
    }
    return NULL;
}

/* A literal ends on its line. */
static const char *skip_literal(const char *p)
{
    char quote = *p++;
    for (; *p != '\0' && *p != '\n'; p++) {
        if (*p == quote)
            return p + 1;
        if (*p == '\\' && *++p == '\n')
            return NULL;
    }
    return NULL;
}

static struct token next(struct lexer *l)
{
    while (*l->at == ' ' || *l->at == '\n' ||
           (l->at[0] == '/' && l->at[1] == '*')) {
        const char *end = *l->at == '/' ? skip_comment(l->at) : l->at + 1;
        if (end == NULL)
            return bad(l, "a comment that does not end, or holds another");
        l->at = end;
    }
    const char *p = l->at;
    struct token t = {T_MARK, p, 1};
    if (*p == '\0') {
        t.kind = T_END;
        return t;
    }
    if (is_letter(*p) || is_digit(*p)) {
        t.kind = is_digit(*p) ? T_NUMBER : T_WORD;
        while (is_letter(p[t.len]) || is_digit(p[t.len]) ||
               (t.kind == T_NUMBER &&
                (p[t.len] == '.' || ((p[t.len] == '+' || p[t.len] == '-') &&
                                     strchr("eEpP", p[t.len - 1]) != NULL))))
            t.len++;
    } else if (*p == '"' || *p == '\'') {
        const char *end = skip_literal(p);
        if (end == NULL)
            return bad(l, "a literal that does not end");
        t.kind = T_STRING;
        t.len = (size_t)(end - p);
    } else if (p[0] == '/' && p[1] == '/') {
        return bad(l, "a comment to the end of the line");
    } else if (*p == '\\') {
        return bad(l, "a backslash");
    }
    l->at = p + t.len;
    return t;
}

static bool is_text(const char *text, struct buf *why)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p != '\n' && (*p < 0x20 || *p > 0x7e)) {
            buf_printf(why, "byte %02x in the text",
                       (unsigned)(unsigned char)*p);
            return false;
        }
        if (p[0] == '?' && p[1] == '?') {
            buf_puts(why, "a trigraph in the text");
            return false;
        }
    }
    return true;
}

/* ---- names that stand for each other ---------------------------------------------------- */

struct match {
    const char *a, *b;
};

struct matches {
    struct VEC(struct match) list;
};

static const char *match_of(const struct matches *m, const char *a, bool back)
{
    for (size_t i = m->list.len; i-- > 0;)
        if (strcmp(back ? m->list.items[i].b : m->list.items[i].a, a) == 0)
            return back ? m->list.items[i].a : m->list.items[i].b;
    return NULL;
}

/* False: one of them stands for something else. */
static bool matches_put(struct matches *m, const char *a, const char *b)
{
    const char *there = match_of(m, a, false), *here = match_of(m, b, true);
    if (there == NULL && here == NULL) {
        vec_push(&m->list, ((struct match){a, b}));
        return true;
    }
    return there != NULL && here != NULL && strcmp(there, b) == 0 &&
           strcmp(here, a) == 0;
}

/* Without numbers that keep names apart: "sum_1", "bytes_1_1", "abs_". */
static size_t stem(const char *word)
{
    size_t n = strlen(word);
    while (n > 0 && (is_digit(word[n - 1]) || word[n - 1] == '_'))
        n--;
    return n;
}

struct comparison {
    struct arena *arena;
    struct matches all, local;
    bool members;              /* of a union are declared */
    struct names_words called; /* with a '(' behind them in the tame text */
    struct buf *why;
};

static bool is_called(const struct comparison *c, const char *word)
{
    for (size_t i = 0; i < c->called.list.len; i++)
        if (strcmp(c->called.list.items[i], word) == 0)
            return true;
    return false;
}

static bool put_words(struct comparison *c, const char *a, const char *b)
{
    bool ours = strstr(a, "zq") != NULL;
    if (!ours && strcmp(a, b) != 0 &&
        (is_called(c, a) || stem(a) != stem(b) ||
         strncmp(a, b, stem(a)) != 0)) {
        buf_printf(c->why, "'%s' became '%s'", a, b);
        return false;
    }
    if (!matches_put(&c->local, a, b) ||
        (ours && !matches_put(&c->all, a, b))) {
        buf_printf(c->why, "'%s' stands for '%s', and for something else", a,
                   b);
        return false;
    }
    return true;
}

static const char *word_of(struct arena *arena, struct token t)
{
    return arena_strndup(arena, t.text, t.len);
}

/* A literal's text, without its quotes; escapes are those of a program in a
 * string. */
static void decode(struct token t, struct buf *out)
{
    for (size_t i = 1; i + 1 < t.len; i++) {
        if (t.text[i] == '\\') {
            i++;
            buf_putc(out, t.text[i] == 'n' ? '\n' : t.text[i]);
        } else {
            buf_putc(out, t.text[i]);
        }
    }
}

static bool is_mark(struct token t, char c)
{
    return t.kind == T_MARK && t.text[0] == c;
}

static bool compare(struct comparison *c, const char *a, const char *b);

/* Literals side by side: kernels are such a text. Leaves the token behind. */
static bool compare_literals(struct comparison *c, struct lexer l[2],
                             struct token t[2])
{
    struct buf text[2] = {{0}, {0}};
    for (size_t i = 0; i < 2; i++)
        for (; t[i].kind == T_STRING; t[i] = next(&l[i]))
            decode(t[i], &text[i]);
    bool program = strchr(buf_text(&text[0]), '\n') != NULL &&
                   strstr(buf_text(&text[0]), "__kernel") != NULL;
    bool fine = !program || compare(c, buf_text(&text[0]), buf_text(&text[1]));
    buf_fini(&text[0]);
    buf_fini(&text[1]);
    return fine;
}

static bool is_word_of(struct token t, const char *word)
{
    return t.kind == T_WORD && t.len == strlen(word) &&
           memcmp(t.text, word, t.len) == 0;
}

/* The name of a member, or of a directive, is no name of ours. */
static bool compare_token(struct comparison *c, struct token before,
                          struct token a, struct token b)
{
    bool fixed = c->members || is_mark(before, '.') || is_mark(before, '#') ||
                 (is_mark(before, '>') && before.text[-1] == '-') ||
                 (is_mark(before, ':') && before.text[-1] == ':');
    if (a.kind == T_WORD && b.kind == T_WORD && !fixed)
        return put_words(c, word_of(c->arena, a), word_of(c->arena, b));
    if (a.kind == b.kind && a.len == b.len &&
        memcmp(a.text, b.text, a.len) == 0)
        return true;
    buf_printf(c->why, "'%.*s' became '%.*s'", (int)a.len, a.text, (int)b.len,
               b.text);
    return false;
}

static bool compare(struct comparison *c, const char *a, const char *b)
{
    struct lexer l[2] = {{a, NULL}, {b, NULL}};
    struct token t[2] = {next(&l[0]), next(&l[1])};
    struct token before = {T_END, a, 0};
    const char *line_end = NULL; /* of a directive */
    size_t depth = 0;
    if (!is_text(a, c->why) || !is_text(b, c->why))
        return false;
    while (t[0].kind != T_END || t[1].kind != T_END) {
        for (size_t i = 0; i < 2; i++)
            if (t[i].kind == T_BAD) {
                buf_puts(c->why, l[i].bad);
                return false;
            }
        if (t[0].kind == T_STRING && t[1].kind == T_STRING) {
            if (!compare_literals(c, l, t))
                return false;
            continue;
        }
        if (line_end != NULL && t[0].text > line_end) {
            c->local.list.len = 0;
            line_end = NULL;
        }
        if (!compare_token(c, before, t[0], t[1]))
            return false;
        c->members =
            c->members ? !is_mark(t[0], '}') : is_word_of(t[0], "union");
        if (is_mark(t[0], '#') && depth == 0)
            line_end = strchr(t[0].text, '\n');
        depth += is_mark(t[0], '{') ? 1 : 0;
        depth -= is_mark(t[0], '}') && depth > 0 ? 1 : 0;
        if (depth == 0 && (is_mark(t[0], '}') || is_mark(t[0], ';')))
            c->local.list.len = 0;
        before = t[0];
        t[0] = next(&l[0]);
        t[1] = next(&l[1]);
    }
    return true;
}

static void add_word(struct names_words *words, const char *word)
{
    for (size_t i = 0; i < words->list.len; i++)
        if (strcmp(words->list.items[i], word) == 0)
            return;
    vec_push(&words->list, word);
}

/* Words of a text and of the programs in its literals. */
static void collect(const char *text, struct arena *arena, bool calls,
                    struct names_words *words)
{
    struct lexer l = {text, NULL};
    struct token t = next(&l);
    struct buf inside = {0};
    while (t.kind != T_END && t.kind != T_BAD) {
        struct token then = next(&l);
        if (t.kind == T_STRING)
            decode(t, &inside);
        const char *word = t.kind == T_WORD ? word_of(arena, t) : NULL;
        if (word != NULL && strstr(word, "zq") == NULL &&
            (!calls || is_mark(then, '(')))
            add_word(words, word);
        t = then;
    }
    if (inside.len > 0 && strstr(inside.data, "__kernel") != NULL)
        collect(inside.data, arena, calls, words);
    buf_fini(&inside);
}

void names_collect(const char *text, struct arena *arena,
                   struct names_words *words)
{
    collect(text, arena, false, words);
}

bool names_same_program(const char *tame, const char *other, struct buf *why)
{
    struct comparison c = {.arena = arena_new(), .why = why};
    collect(tame, c.arena, true, &c.called);
    bool same = compare(&c, tame, other);
    vec_fini(&c.all.list);
    vec_fini(&c.local.list);
    vec_fini(&c.called.list);
    arena_free(c.arena);
    return same;
}

/* ---- check -------------------------------------------------------------------------------- */

/* NULL: refused. */
static char *emitted(const struct ir_module *m, size_t i,
                     enum emit_language language, struct diag_sink *sink)
{
    struct emit_options options = {.main_program = true, .language = language};
    struct buf text = {0};
    if (emit_c(m, m->funcs[i], &options, &text, sink))
        return text.data;
    buf_fini(&text);
    return NULL;
}

size_t names_check(struct ir_module *m, enum emit_language language,
                   uint64_t seed, size_t rounds, struct buf *why)
{
    struct arena *arena = arena_new();
    size_t compared = 0;
    for (size_t i = 0; i < m->nfuncs && why->len == 0; i++) {
        struct names_words words = {0};
        names_set(m, names_tame, NULL);
        struct diag_sink *sink = diag_sink_new();
        char *tame = emitted(m, i, language, sink);
        if (tame != NULL)
            names_collect(tame, arena, &words);
        for (size_t k = 0; k < rounds && why->len == 0; k++) {
            struct names_wild wild = {hash_mix(seed, k), words.list.items,
                                      words.list.len};
            names_set(m, names_wild, &wild);
            char *other = emitted(m, i, language, sink);
            if ((tame == NULL) != (other == NULL))
                buf_printf(why, "refused under one of two sets of names: %s",
                           diag_at(sink, 0)->message);
            else if (tame != NULL && names_same_program(tame, other, why))
                compared++;
            dc_release(other);
            if (tame != NULL)
                diag_clear(sink);
        }
        diag_sink_free(sink);
        dc_release(tame);
        vec_fini(&words.list);
    }
    arena_free(arena);
    return compared;
}
