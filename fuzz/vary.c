/* SPDX-License-Identifier: Apache-2.0
 *
 * Variants of a text; see vary.h. The strange values are the ones that a
 * printer has to take care of: what is no name, what is a name of something
 * else, what needs an escape, what is at the edge of a type. Quotes and
 * backslashes are written with the escapes that JSON and Python share.
 *
 * Random variants are counter-based: each draw hashes the seed, the index and
 * the number of the draw, so no variant depends on another one.
 */
#include "fuzz/vary.h"

#include <string.h>

enum token_kind { SPACE, STRING, NUMBER, WORD, SIGN };

struct token {
    enum token_kind kind;
    size_t at, len;
    size_t close; /* index of the bracket that closes this one, or its own */
};

struct vary {
    const char *text;
    size_t len;
    struct VEC(struct token) tokens;
    struct VEC(size_t) strings; /* the first token of each distinct string */
    struct VEC(size_t) places;  /* strings, numbers and words */
};

// clang-format off
#define LONG_NAME "a_long_name_a_long_name_a_long_name_"
static const char *const strings[] = {
    "", " ", "a b", "x\\\"y", "x'y", "x\\\\", "\\n", "\\t", "a\\rb", "\\u0000",
    "\\u0007", "\\u00e9", "\\ud83d\\ude00", "\\ud800", "\xc3\xa9", "\xff",
    "\xc2\x80", "a.b", ".", ".a", "a.", "a..b", "-", "x-y", "0", "1a", "7",
    "_", "__x", "class", "None", "True", "lambda", "T", "R", "I", "Tx", "cls",
    "self", "Module", "main", "range", "float", "TypeVar", "x", "n", "A",
    "root", "data", "type", "attrs", "args", "op", "ty_args", "sinfo_args",
    "out_ty", "out_sinfo", "tir_vars", "inplace_indices", "dtype", "shape",
    "span", "name", "value", "list", "global_symbol", "s_tir", "tirx.s_tir",
    "tir.noalias", "tirx.noalias", "persistent", "tirx.persistent_kernel",
    "tir", "tir.", "tir.foo", "tirx.", "tirx.foo", "tirx.exp", "tirx.ret",
    "prim.foo", "prim.if_then_else", "my.op", "foo", "relax", "relax.",
    "relax.foo", "relax.a b", "relax.class", "relax..x", "relax.vm.x",
    "relax.tuple", "relax.Tuple", "relax.Tensor", "relax.Shape",
    "relax.shape", "relax.Prim", "relax.prim_value", "relax.str",
    "relax.const", "relax.dtype", "relax.Callable", "relax.Object",
    "relax.Any", "relax.dataflow", "relax.output", "relax.func_attr",
    "relax.match_cast", "relax.function", "relax.call_tir",
    "relax.call_tir_inplace", "relax.call_tir_foo", "relax.call_packed",
    "relax.call_pure_packed", "relax.call_dps_packed", "relax.ExternFunc",
    "relax.Op", "relax.softmax", "relax.attrs.SoftmaxAttrs", "R.tuple",
    "ir.VDevice", "relax.VDevice", "target.Target", "tirx.IndexMap",
    "IndexMap", "ir.DictAttrs", "nan", "inf", "-inf", "int32", "int64",
    "uint1", "bool", "int4", "uint64", "float16", "float64", "bfloat16",
    "float8_e4m3fn", "float32x4", "int32xvscalex4", "boolx4", "void",
    "handle", "complex64", "custom[x]", "vthread", "threadIdx.x",
    "blockIdx.y", "thread_extent", "virtual_thread", "local", "shared.dyn",
    "global", "cuda",
    LONG_NAME LONG_NAME LONG_NAME LONG_NAME,
};

static const char *const numbers[] = {
    "0", "1", "-1", "2", "3", "4", "7", "64", "255", "-128", "65536",
    "2147483647", "2147483648", "-2147483648", "-2147483649", "4294967295",
    "4294967296", "9223372036854775807", "9223372036854775808",
    "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
    "18446744073709551616", "0.0", "-0.0", "0.1", "1.0", "2.5", "1e300",
    "1e400", "5e-324", "16777217.0", "true", "null", "\"x\"", "[]", "{}",
};

static const char *const words[] = {
    "true", "false", "null", "0", "1", "\"x\"", "None", "True", "False", "T",
    "R", "I", "x", "n", "A", "i", "cls", "Module", "main", "class", "_",
    "__x", "T.int32", "T.int64", "T.float32", "T.bool", "T.handle",
    "T.uint8", "T.float16", "R.Object", "R.Tensor", "float32", "Buffer",
    "match_buffer", "prim_func", "spatial", "reduce", "opaque", "serial",
    "parallel", "unroll", "vectorized", "min", "max", "Select", "Cast",
    "call_extern", "call_intrin", "Broadcast", "Ramp", "if_then_else",
    "\xc3\xa9", "(", ")", "[]", "-1", "lambda x: x",
};
// clang-format on

/* ---- tokens ---------------------------------------------------------------- */

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Past the end of a string that starts at i, or of the text. */
static size_t skip_string(const char *text, size_t len, size_t i)
{
    char quote = text[i++];

    for (; i < len && text[i] != quote && text[i] != '\n'; i++)
        if (text[i] == '\\' && i + 1 < len)
            i++;
    return i < len ? i + 1 : len;
}

static struct token cut(const char *text, size_t len, size_t at)
{
    struct token t = {.kind = SIGN, .at = at};
    size_t i = at + 1;
    bool minus = text[at] == '-' && i < len && is_digit(text[i]);

    if (text[at] == '"' || text[at] == '\'') {
        t.kind = STRING;
        i = skip_string(text, len, at);
    } else if (is_digit(text[at]) || minus) {
        t.kind = NUMBER;
        while (i < len && (is_word_byte(text[i]) || text[i] == '.' ||
                           ((text[i] == '-' || text[i] == '+') &&
                            (text[i - 1] == 'e' || text[i - 1] == 'E'))))
            i++;
    } else if (is_word_byte(text[at])) {
        t.kind = WORD;
        while (i < len && is_word_byte(text[i]))
            i++;
    } else if (strchr(" \t\r\n", text[at]) && text[at]) {
        t.kind = SPACE;
        while (i < len && text[i] && strchr(" \t\r\n", text[i]))
            i++;
    }
    t.len = i - at;
    return t;
}

static bool same_token(const struct vary *v, size_t a, size_t b)
{
    const struct token *x = &v->tokens.items[a], *y = &v->tokens.items[b];

    return x->len == y->len &&
           memcmp(v->text + x->at, v->text + y->at, x->len) == 0;
}

/* Texts with many distinct strings contribute the first of them. */
#define MAX_STRINGS 100u

static void note_token(struct vary *v, size_t index)
{
    const struct token *t = &v->tokens.items[index];

    if (t->kind == STRING || t->kind == NUMBER || t->kind == WORD)
        vec_push(&v->places, index);
    if (t->kind != STRING || v->strings.len >= MAX_STRINGS)
        return;
    for (size_t i = 0; i < v->strings.len; i++)
        if (same_token(v, v->strings.items[i], index))
            return;
    vec_push(&v->strings, index);
}

static void match_brackets(struct vary *v)
{
    struct VEC(size_t) open = {0};

    for (size_t i = 0; i < v->tokens.len; i++) {
        struct token *t = &v->tokens.items[i];
        char c = v->text[t->at];

        t->close = i;
        if (t->kind != SIGN)
            continue;
        if (c == '(' || c == '[' || c == '{') {
            vec_push(&open, i);
        } else if ((c == ')' || c == ']' || c == '}') && open.len > 0) {
            v->tokens.items[open.items[--open.len]].close = i;
        }
    }
    vec_fini(&open);
}

struct vary *vary_new(const uint8_t *data, size_t size)
{
    struct vary *v = dc_alloc(sizeof *v);

    v->text = (const char *)data;
    v->len = size;
    for (size_t at = 0; at < size;) {
        struct token t = cut(v->text, size, at);

        vec_push(&v->tokens, t);
        note_token(v, v->tokens.len - 1);
        at += t.len;
    }
    match_brackets(v);
    return v;
}

void vary_free(struct vary *v)
{
    if (!v)
        return;
    vec_fini(&v->tokens);
    vec_fini(&v->strings);
    vec_fini(&v->places);
    dc_release(v);
}

/* ---- replacements ---------------------------------------------------------- */

static size_t choices(const struct vary *v, size_t token)
{
    switch (v->tokens.items[token].kind) {
    case STRING: return DC_ARRAY_LEN(strings) + v->strings.len;
    case NUMBER: return DC_ARRAY_LEN(numbers);
    case WORD: return DC_ARRAY_LEN(words);
    case SPACE:
    case SIGN: return 0;
    }
    return 0;
}

static void put_token(const struct vary *v, size_t token, struct buf *out)
{
    const struct token *t = &v->tokens.items[token];

    buf_append(out, v->text + t->at, t->len);
}

static void put_choice(const struct vary *v, size_t token, size_t choice,
                       struct buf *out)
{
    const struct token *t = &v->tokens.items[token];

    if (t->kind == NUMBER) {
        buf_puts(out, numbers[choice]);
    } else if (t->kind == WORD) {
        buf_puts(out, words[choice]);
    } else if (choice < DC_ARRAY_LEN(strings)) {
        buf_putc(out, v->text[t->at]);
        buf_puts(out, strings[choice]);
        buf_putc(out, v->text[t->at]);
    } else {
        put_token(v, v->strings.items[choice - DC_ARRAY_LEN(strings)], out);
    }
}

size_t vary_count(const struct vary *v)
{
    size_t n = 0;

    for (size_t i = 0; i < v->places.len; i++)
        n += choices(v, v->places.items[i]);
    return n;
}

void vary_single(const struct vary *v, size_t k, struct buf *out)
{
    size_t place = 0;

    while (place < v->places.len && k >= choices(v, v->places.items[place]))
        k -= choices(v, v->places.items[place++]);
    out->len = 0;
    for (size_t i = 0; i < v->tokens.len; i++)
        if (place < v->places.len && i == v->places.items[place])
            put_choice(v, i, k, out);
        else
            put_token(v, i, out);
}

/* ---- random variants ------------------------------------------------------- */

struct draws {
    uint64_t state, n;
};

static size_t below(struct draws *d, size_t n)
{
    return n ? (size_t)(hash_mix(d->state, d->n++) % n) : 0;
}

enum edit_kind { REPLACE, NUMBER_OF_TEXT, REMOVE, DOUBLE, COPY, BYTE, EDITS };

struct edit {
    enum edit_kind kind;
    size_t at, end;  /* tokens [at, end) go */
    size_t from, to; /* COPY: tokens [from, to) come */
    size_t choice;
};

/* A token, or the bracket that it opens. */
static void draw_unit(const struct vary *v, struct draws *d, size_t *at,
                      size_t *end)
{
    *at = below(d, v->tokens.len);
    while (*at + 1 < v->tokens.len && v->tokens.items[*at].kind == SPACE)
        ++*at;
    *end = v->tokens.items[*at].close + 1;
}

static struct edit draw_edit(const struct vary *v, struct draws *d)
{
    static const enum edit_kind odds[] = {
        REPLACE, REPLACE, REPLACE, REPLACE, NUMBER_OF_TEXT, NUMBER_OF_TEXT,
        REMOVE,  DOUBLE,  COPY,    COPY,    COPY,           BYTE};
    struct edit e = {.kind = odds[below(d, DC_ARRAY_LEN(odds))]};

    draw_unit(v, d, &e.at, &e.end);
    if ((e.kind == REPLACE || e.kind == NUMBER_OF_TEXT) && v->places.len) {
        e.at = v->places.items[below(d, v->places.len)];
        e.end = e.at + 1;
        e.choice = below(d, choices(v, e.at));
    }
    if (e.kind == NUMBER_OF_TEXT || e.kind == COPY)
        draw_unit(v, d, &e.from, &e.to);
    if (e.kind == BYTE)
        e.choice = below(d, 256);
    return e;
}

/* NUMBER_OF_TEXT: a small number in place of a number, another node of a graph
 * where a node has about 16 tokens. */
static void put_edit(const struct vary *v, const struct edit *e,
                     struct buf *out)
{
    bool number = v->tokens.items[e->at].kind == NUMBER;

    switch (e->kind) {
    case REPLACE:
        if (choices(v, e->at))
            put_choice(v, e->at, e->choice, out);
        break;
    case NUMBER_OF_TEXT:
        if (number)
            buf_printf(out, "%zu", e->from % (v->tokens.len / 16 + 4));
        else
            put_token(v, e->from, out);
        break;
    case REMOVE: break;
    case DOUBLE:
        for (int twice = 0; twice < 2; twice++)
            for (size_t i = e->at; i < e->end; i++)
                put_token(v, i, out);
        break;
    case COPY:
        for (size_t i = e->from; i < e->to; i++)
            put_token(v, i, out);
        break;
    case BYTE: buf_putc(out, (char)e->choice); break;
    case EDITS: break;
    }
}

void vary_random(const struct vary *v, uint64_t seed, uint64_t k,
                 struct buf *out)
{
    struct draws d = {.state = hash_mix(hash_mix(0x76617279, seed), k)};
    struct edit edits[4];
    size_t n = 1 + below(&d, DC_ARRAY_LEN(edits));

    out->len = 0;
    if (!v->tokens.len)
        return;
    for (size_t i = 0; i < n; i++)
        edits[i] = draw_edit(v, &d);
    for (size_t i = 0; i < v->tokens.len;) {
        const struct edit *e = NULL;

        for (size_t j = 0; j < n && !e; j++)
            if (edits[j].at == i)
                e = &edits[j];
        if (e)
            put_edit(v, e, out);
        else
            put_token(v, i, out);
        i = e && e->end > i ? e->end : i + 1;
    }
}
