/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading JSON with cJSON, keeping what cJSON loses.
 *
 * cJSON stores every number as a double, knows no NaN or Infinity, takes
 * invalid UTF-8, stops at an embedded NUL and reports errors as a byte offset.
 * So the text first goes through a scanner of our own that checks the whole
 * grammar (with line and column in messages, duplicate keys and nesting depth
 * included) and copies it, with each number token turned into a string that
 * starts with the byte U+0001 ("\u0001" + token). A string of the input that
 * starts with U+0001 itself gets U+0002 put in front. cJSON parses that copy,
 * and the accessors below tell numbers from strings by the first byte.
 *
 * The scanner is iterative (a stack of open containers), so nesting costs no C
 * stack; the depth limit keeps cJSON's own recursion small.
 */
#include "ir/base/json.h"

#include <cjson/cJSON.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 200 /* far above any graph (<= 6) or report of ours */
#define NUMBER_MARK '\x01'
#define STRING_MARK '\x02'

struct json_doc {
    cJSON *root;
    size_t charged; /* bytes that cJSON holds, counted as memory */
};

/* ---- the scanner ------------------------------------------------------------- */

struct level {
    char close;              /* closing bracket */
    struct VEC(char *) keys; /* objects: keys so far, as written */
};

struct scanner {
    const char *text, *end, *p;
    const char *file;
    struct diag_sink *sink;
    struct buf out;
    size_t tree; /* bytes that cJSON will take for what was scanned */
    struct level stack[NESTING_MAX];
    size_t depth;
};

/* What malloc adds to a block, about. */
#define BLOCK_BYTES 16

static bool fail(struct scanner *s, const char *where, const char *message)
{
    uint32_t line = 1;
    const char *start = s->text;
    for (const char *p = s->text; p < where; p++) {
        if (*p == '\n') {
            line++;
            start = p + 1;
        }
    }
    size_t col = (size_t)(where - start) + 1;
    struct diag_loc loc = {.file = s->file,
                           .line = line,
                           .col = col < UINT32_MAX ? (uint32_t)col : 0};
    return diag_error(s->sink, loc, "json.syntax", "%s", message);
}

static size_t string_bytes(size_t len)
{
    return len + 2 + BLOCK_BYTES;
}

static bool no_room(const struct scanner *s)
{
    return diag_error(s->sink, (struct diag_loc){.file = s->file},
                      "json.memory",
                      "this JSON does not fit what '--max-memory' leaves");
}

/* One value, with its text, of the tree. */
static bool count_value(struct scanner *s, size_t text)
{
    s->tree += sizeof(cJSON) + BLOCK_BYTES + text;
    return dc_memory_fits(s->tree) || no_room(s);
}

static void skip_space(struct scanner *s)
{
    while (s->p < s->end &&
           (*s->p == ' ' || *s->p == '\t' || *s->p == '\n' || *s->p == '\r'))
        s->p++;
}

static bool hex4(const char *p, const char *end, unsigned *out)
{
    if (end - p < 4)
        return false;
    unsigned value = 0;
    for (int i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)p[i]))
            return false;
        int c = tolower((unsigned char)p[i]);
        value = value * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *out = value;
    return true;
}

/* Checks \uXXXX (and its low surrogate) with p at the 'u'; *len gets the bytes
 * that belong to it. */
static bool scan_unicode(struct scanner *s, const char *p, size_t *len)
{
    unsigned code, low;
    if (!hex4(p + 1, s->end, &code))
        return fail(s, p, "expected four hexadecimal digits after '\\u'");
    *len = 5;
    if (code == 0)
        return fail(s, p, "a string may not hold U+0000");
    if (code >= 0xdc00 && code <= 0xdfff)
        return fail(s, p, "low surrogate without a high one");
    if (code < 0xd800 || code > 0xdbff)
        return true;
    if (s->end - p < 11 || p[5] != '\\' || p[6] != 'u' ||
        !hex4(p + 7, s->end, &low) || low < 0xdc00 || low > 0xdfff)
        return fail(s, p, "high surrogate without a low one");
    *len = 11;
    return true;
}

/* Checks a string with s->p at the opening quote; on success s->p is past the
 * closing one and *raw .. *raw_len is what stands between them. */
static bool scan_string(struct scanner *s, const char **raw, size_t *raw_len)
{
    const char *p = s->p + 1;
    *raw = p;
    for (;;) {
        if (p >= s->end)
            return fail(s, s->p, "string is not closed");
        unsigned char c = (unsigned char)*p;
        if (c == '"')
            break;
        if (c < 0x20)
            return fail(s, p, "control character in a string");
        if (c != '\\') {
            p++;
            continue;
        }
        if (++p >= s->end)
            return fail(s, s->p, "string is not closed");
        size_t len = 1;
        if (*p == 'u') {
            if (!scan_unicode(s, p, &len))
                return false;
        } else if (!strchr("\"\\/bfnrt", *p) || !*p) {
            return fail(s, p, "unknown escape in a string");
        }
        p += len;
    }
    *raw_len = (size_t)(p - *raw);
    s->p = p + 1;
    return true;
}

static bool is_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n);
}

static size_t digits(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && p[n] >= '0' && p[n] <= '9')
        n++;
    return n;
}

static bool scan_number(struct scanner *s)
{
    const char *start = s->p, *p = s->p;
    if (*p == '-')
        p++;
    if (is_word(p, s->end, "Infinity")) {
        p += 8;
    } else if (p == start && is_word(p, s->end, "NaN")) {
        p += 3;
    } else {
        size_t n = digits(p, s->end);
        if (!n)
            return fail(s, start, "expected a value");
        if (n > 1 && *p == '0')
            return fail(s, start, "a number may not start with 0");
        p += n;
        if (p < s->end && *p == '.') {
            n = digits(++p, s->end);
            if (!n)
                return fail(s, p, "expected a digit after '.'");
            p += n;
        }
        if (p < s->end && (*p == 'e' || *p == 'E')) {
            p++;
            if (p < s->end && (*p == '+' || *p == '-'))
                p++;
            n = digits(p, s->end);
            if (!n)
                return fail(s, p, "expected a digit in the exponent");
            p += n;
        }
    }
    if (p - start > 400)
        return fail(s, start, "number of more than 400 characters");
    buf_puts(&s->out, "\"\\u0001");
    buf_append(&s->out, start, (size_t)(p - start));
    buf_putc(&s->out, '"');
    s->p = p;
    return count_value(s, string_bytes((size_t)(p - start)));
}

static void put_string(struct scanner *s, const char *raw, size_t len,
                       bool is_key)
{
    buf_putc(&s->out, '"');
    unsigned code;
    if (!is_key && len >= 6 && raw[0] == '\\' && raw[1] == 'u' &&
        hex4(raw + 2, raw + len, &code) && (code == 1 || code == 2))
        buf_puts(&s->out, "\\u0002");
    buf_append(&s->out, raw, len);
    buf_putc(&s->out, '"');
}

static int compare_keys(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

static void level_fini(struct level *level)
{
    for (size_t i = 0; i < level->keys.len; i++)
        dc_release(level->keys.items[i]);
    vec_fini(&level->keys);
}

/* Checks that the keys of a finished object differ (as written). */
static bool check_keys(struct scanner *s, struct level *level)
{
    if (level->keys.len > 1)
        qsort(level->keys.items, level->keys.len, sizeof(char *), compare_keys);
    for (size_t i = 1; i < level->keys.len; i++) {
        if (strcmp(level->keys.items[i - 1], level->keys.items[i]) != 0)
            continue;
        struct buf text = {0};
        buf_printf(&text, "duplicate key '%.60s' in this object",
                   level->keys.items[i]);
        fail(s, s->p - 1, buf_text(&text));
        buf_fini(&text);
        return false;
    }
    return true;
}

static bool scan_key(struct scanner *s)
{
    struct level *level = &s->stack[s->depth - 1];
    skip_space(s);
    if (s->p >= s->end || *s->p != '"')
        return fail(s, s->p, "expected a key in double quotes");
    const char *raw;
    size_t len;
    if (!scan_string(s, &raw, &len))
        return false;
    char *key = dc_alloc(len + 1);
    memcpy(key, raw, len);
    vec_push(&level->keys, key);
    put_string(s, raw, len, true);
    s->tree += string_bytes(len);
    skip_space(s);
    if (s->p >= s->end || *s->p != ':')
        return fail(s, s->p, "expected ':' after the key");
    buf_putc(&s->out, *s->p++);
    return true;
}

static bool open_container(struct scanner *s, bool *value_follows)
{
    if (s->depth >= NESTING_MAX)
        return fail(s, s->p, "nested more than 200 levels deep");
    struct level *level = &s->stack[s->depth++];
    *level = (struct level){.close = *s->p == '{' ? '}' : ']'};
    buf_putc(&s->out, *s->p++);
    if (!count_value(s, 0))
        return false;
    skip_space(s);
    *value_follows = !(s->p < s->end && *s->p == level->close);
    return !*value_follows || level->close == ']' || scan_key(s);
}

/* After a value: closes containers until a comma asks for the next value or
 * nothing is open. *more tells which. */
static bool after_value(struct scanner *s, bool *more)
{
    *more = false;
    while (s->depth) {
        struct level *level = &s->stack[s->depth - 1];
        skip_space(s);
        if (s->p >= s->end)
            return fail(s, s->p,
                        level->close == '}' ? "text ends inside an object"
                                            : "text ends inside an array");
        char c = *s->p;
        if (c == ',') {
            buf_putc(&s->out, c);
            s->p++;
            *more = true;
            return level->close == ']' || scan_key(s);
        }
        if (c != level->close)
            return fail(s, s->p,
                        level->close == '}' ? "expected ',' or '}'"
                                            : "expected ',' or ']'");
        buf_putc(&s->out, c);
        s->p++;
        bool ok = check_keys(s, level);
        level_fini(level);
        s->depth--;
        if (!ok)
            return false;
    }
    return true;
}

static bool scan_scalar(struct scanner *s)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < DC_ARRAY_LEN(words); i++) {
        if (is_word(s->p, s->end, words[i])) {
            buf_puts(&s->out, words[i]);
            s->p += strlen(words[i]);
            return count_value(s, 0);
        }
    }
    if (*s->p != '"')
        return scan_number(s);
    const char *raw;
    size_t len;
    if (!scan_string(s, &raw, &len))
        return false;
    put_string(s, raw, len, false);
    return count_value(s, string_bytes(len));
}

static bool scan(struct scanner *s)
{
    bool more = true;
    while (more) {
        skip_space(s);
        if (s->p >= s->end)
            return fail(s, s->p, "expected a value, found the end of the text");
        if (*s->p == '{' || *s->p == '[') {
            bool value_follows = false;
            if (!open_container(s, &value_follows))
                return false;
            if (value_follows)
                continue;
        } else if (!scan_scalar(s)) {
            return false;
        }
        if (!after_value(s, &more))
            return false;
    }
    skip_space(s);
    if (s->p < s->end)
        return fail(s, s->p, "text goes on after the value");
    return true;
}

struct json_doc *json_parse(const char *text, size_t len, const char *file,
                            struct diag_sink *sink)
{
    struct scanner *s = dc_alloc(sizeof *s);
    *s = (struct scanner){
        .text = text, .end = text + len, .p = text, .file = file, .sink = sink};
    struct json_doc *doc = NULL;
    size_t bad;
    bool ok =
        utf8_valid(text, len, &bad) || fail(s, text + bad, "invalid UTF-8");
    if (ok && scan(s) && (dc_memory_charge(s->tree) || no_room(s))) {
        doc = dc_alloc(sizeof *doc);
        doc->charged = s->tree;
        doc->root = cJSON_ParseWithLength(s->out.data, s->out.len + 1);
        if (!doc->root) { /* the scanner took the text */
            (void)no_room(s);
            json_free(doc);
            doc = NULL;
        }
    }
    for (size_t i = 0; i < s->depth; i++)
        level_fini(&s->stack[i]);
    buf_fini(&s->out);
    dc_release(s);
    return doc;
}

void json_free(struct json_doc *doc)
{
    if (!doc)
        return;
    cJSON_Delete(doc->root);
    dc_memory_return(doc->charged);
    dc_release(doc);
}

/* ---- accessors --------------------------------------------------------------------- */

static const cJSON *node(const struct json_value *value)
{
    return (const cJSON *)(const void *)value;
}

static const struct json_value *wrap(const cJSON *item)
{
    return (const struct json_value *)(const void *)item;
}

const struct json_value *json_root(const struct json_doc *doc)
{
    return wrap(doc->root);
}

enum json_type json_type(const struct json_value *value)
{
    const cJSON *n = node(value);
    if (cJSON_IsString(n))
        return n->valuestring[0] == NUMBER_MARK ? JSON_NUMBER : JSON_STRING;
    if (cJSON_IsArray(n))
        return JSON_ARRAY;
    if (cJSON_IsObject(n))
        return JSON_OBJECT;
    return cJSON_IsBool(n) ? JSON_BOOL : JSON_NULL;
}

const char *json_type_name(enum json_type type)
{
    switch (type) {
    case JSON_NULL: return "null";
    case JSON_BOOL: return "boolean";
    case JSON_NUMBER: return "number";
    case JSON_STRING: return "string";
    case JSON_ARRAY: return "array";
    case JSON_OBJECT: return "object";
    }
    return "?";
}

size_t json_size(const struct json_value *value)
{
    size_t n = 0;
    for (const struct json_value *v = json_first(value); v; v = json_next(v))
        n++;
    return n;
}

const struct json_value *json_first(const struct json_value *value)
{
    return wrap(node(value)->child);
}

const struct json_value *json_next(const struct json_value *value)
{
    return wrap(node(value)->next);
}

const char *json_key(const struct json_value *member)
{
    return node(member)->string;
}

const struct json_value *json_find(const struct json_value *value,
                                   const char *key)
{
    if (!value || !cJSON_IsObject(node(value)))
        return NULL;
    return wrap(cJSON_GetObjectItemCaseSensitive(node(value), key));
}

bool json_bool(const struct json_value *value)
{
    return cJSON_IsTrue(node(value));
}

const char *json_number_token(const struct json_value *value)
{
    if (json_type(value) != JSON_NUMBER)
        return NULL;
    return node(value)->valuestring + 1;
}

bool json_int(const struct json_value *value, int64_t *out, bool *is_unsigned)
{
    const char *token = json_number_token(value);
    if (is_unsigned)
        *is_unsigned = false;
    if (!token || token[strspn(token, "-0123456789")])
        return false;
    errno = 0;
    char *end;
    long long number = strtoll(token, &end, 10);
    if (!errno && !*end) {
        *out = number;
        return true;
    }
    if (!is_unsigned || token[0] == '-')
        return false;
    errno = 0;
    unsigned long long wide = strtoull(token, &end, 10);
    if (errno || *end)
        return false;
    *is_unsigned = true;
    *out = (int64_t)wide;
    return true;
}

bool json_double(const struct json_value *value, double *out)
{
    const char *token = json_number_token(value);
    if (!token)
        return false;
    if (!strcmp(token, "NaN"))
        *out = (double)NAN;
    else if (!strcmp(token, "Infinity"))
        *out = (double)INFINITY;
    else if (!strcmp(token, "-Infinity"))
        *out = -(double)INFINITY;
    else
        *out = strtod(token, NULL);
    return true;
}

const char *json_string(const struct json_value *value)
{
    if (json_type(value) != JSON_STRING)
        return NULL;
    const char *text = node(value)->valuestring;
    return text[0] == STRING_MARK ? text + 1 : text;
}
