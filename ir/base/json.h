/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON documents on top of cJSON, without what cJSON loses: integers keep all
 * 64 bits, the tokens NaN, Infinity and -Infinity are numbers, duplicate keys,
 * invalid UTF-8 and embedded NUL are errors with line and column.
 *
 * How: a scanner of our own checks the text token by token, then hands cJSON
 * a copy in which each number token is a marked string, so that the raw token
 * survives.
 */
#ifndef DC_IR_BASE_JSON_H
#define DC_IR_BASE_JSON_H

#include "ir/base/base.h"

enum json_type {
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

struct json_doc;
struct json_value; /* borrowed from its document */

/* Parses one JSON value that fills the text (white space around it is fine).
 * NULL with diagnostics on failure; `file` is for messages. */
struct json_doc *json_parse(const char *text, size_t len, const char *file,
                            struct diag_sink *sink) DC_MUST_USE;
void json_free(struct json_doc *doc);

const struct json_value *json_root(const struct json_doc *doc);
enum json_type json_type(const struct json_value *value);
const char *json_type_name(enum json_type type);

/* Members of objects and elements of arrays, in file order. */
size_t json_size(const struct json_value *value); /* O(n) */
const struct json_value *json_first(const struct json_value *value);
const struct json_value *json_next(const struct json_value *value);
const char *json_key(const struct json_value *member);
/* Member by name, NULL when absent or when value is no object. */
const struct json_value *json_find(const struct json_value *value,
                                   const char *key);

bool json_bool(const struct json_value *value); /* JSON_BOOL only */
/* The number as written. Int: false when not an integer token or out of
 * int64; a value in (INT64_MAX, UINT64_MAX] is given wrapped with
 * *is_unsigned set (may be NULL, then it fails). */
bool json_int(const struct json_value *value, int64_t *out, bool *is_unsigned);
bool json_double(const struct json_value *value, double *out);
const char *json_number_token(const struct json_value *value);
const char *json_string(const struct json_value *value); /* NULL if none */

/* ---- writing: a streaming writer with correct commas and escapes ---------- */

struct json_writer {
    struct buf *out;
    int indent;      /* blanks a level, 0 = compact */
    unsigned depth;  /* private */
    bool need_comma; /* private */
};

void json_begin_object(struct json_writer *w);
void json_end_object(struct json_writer *w);
void json_begin_array(struct json_writer *w);
void json_end_array(struct json_writer *w);
void json_put_key(struct json_writer *w, const char *key);
void json_put_string(struct json_writer *w, const char *text);
void json_put_int(struct json_writer *w, int64_t value);
void json_put_uint(struct json_writer *w, uint64_t value);
/* Shortest round-trip form; non-finite values as NaN, Infinity, -Infinity
 * tokens if tokens is true, else as the strings "nan", "inf", "-inf". */
void json_put_double(struct json_writer *w, double value, bool tokens);
void json_put_bool(struct json_writer *w, bool value);
void json_put_null(struct json_writer *w);
/* Key and string, or null for NULL. */
void json_put_member(struct json_writer *w, const char *key, const char *text);
void json_put_raw(struct json_writer *w, const char *token);

#endif
