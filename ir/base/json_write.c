/* SPDX-License-Identifier: Apache-2.0
 *
 * Writing JSON as a stream: the caller opens and closes containers, the writer
 * puts commas, line breaks and escapes. Bytes above 0x7f are passed through
 * when the text is UTF-8 and escaped as U+FFFD where it is not, so that the
 * output is always valid JSON; control characters (C0, DEL, C1) are
 * \u-escaped.
 */
#include "ir/base/json.h"

#include <math.h>
#include <string.h>

static void new_line(struct json_writer *w)
{
    if (!w->indent)
        return;
    buf_putc(w->out, '\n');
    for (unsigned i = 0; i < w->depth * (unsigned)w->indent; i++)
        buf_putc(w->out, ' ');
}

/* Before any value or key: the comma and the line break it needs. */
static void separate(struct json_writer *w)
{
    size_t len = w->out->len;
    bool after_key = len && w->out->data[len - 1] == ':' && !w->need_comma;
    bool after_key_blank = len > 1 && w->indent && !w->need_comma &&
                           w->out->data[len - 1] == ' ' &&
                           w->out->data[len - 2] == ':';
    if (after_key || after_key_blank)
        return;
    if (w->need_comma)
        buf_putc(w->out, ',');
    if (w->depth)
        new_line(w);
}

static void open(struct json_writer *w, char c)
{
    separate(w);
    buf_putc(w->out, c);
    w->depth++;
    w->need_comma = false;
}

static void shut(struct json_writer *w, char c)
{
    bool empty = !w->need_comma;
    w->depth--;
    if (!empty)
        new_line(w);
    buf_putc(w->out, c);
    w->need_comma = true;
}

void json_begin_object(struct json_writer *w)
{
    open(w, '{');
}

void json_end_object(struct json_writer *w)
{
    shut(w, '}');
}

void json_begin_array(struct json_writer *w)
{
    open(w, '[');
}

void json_end_array(struct json_writer *w)
{
    shut(w, ']');
}

void json_put_key(struct json_writer *w, const char *key)
{
    separate(w);
    buf_put_quoted(w->out, key, true);
    buf_puts(w->out, w->indent ? ": " : ":");
    w->need_comma = false;
}

void json_put_string(struct json_writer *w, const char *text)
{
    separate(w);
    buf_put_quoted(w->out, text, true);
    w->need_comma = true;
}

void json_put_int(struct json_writer *w, int64_t value)
{
    separate(w);
    buf_printf(w->out, "%lld", (long long)value);
    w->need_comma = true;
}

void json_put_uint(struct json_writer *w, uint64_t value)
{
    separate(w);
    buf_printf(w->out, "%llu", (unsigned long long)value);
    w->need_comma = true;
}

void json_put_double(struct json_writer *w, double value, bool tokens)
{
    if (isfinite(value)) {
        separate(w);
        buf_put_double(w->out, value);
        w->need_comma = true;
        return;
    }
    if (tokens)
        json_put_raw(w, isnan(value) ? "NaN"
                        : value > 0  ? "Infinity"
                                     : "-Infinity");
    else
        json_put_string(w, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

void json_put_bool(struct json_writer *w, bool value)
{
    json_put_raw(w, value ? "true" : "false");
}

void json_put_member(struct json_writer *w, const char *key, const char *text)
{
    json_put_key(w, key);
    if (text != NULL)
        json_put_string(w, text);
    else
        json_put_null(w);
}

void json_put_null(struct json_writer *w)
{
    json_put_raw(w, "null");
}

void json_put_raw(struct json_writer *w, const char *token)
{
    separate(w);
    buf_puts(w->out, token);
    w->need_comma = true;
}
