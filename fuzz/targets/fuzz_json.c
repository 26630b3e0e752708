/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes through the JSON parser of ir/base. What it accepts is walked with
 * every getter, written again, parsed again, and must come out the same: same
 * types, keys, order, strings and raw number tokens. Keys are unique in what
 * it accepts, since it refuses duplicates.
 *
 * The walk is as deep as the parser's own depth limit allows.
 */
#include "fuzz/fuzz.h"
#include "ir/base/json.h"

#include <string.h>

static void write_value(struct json_writer *w, const struct json_value *value)
{
    const struct json_value *item = json_first(value);

    switch (json_type(value)) {
    case JSON_NULL: json_put_null(w); return;
    case JSON_BOOL: json_put_bool(w, json_bool(value)); return;
    case JSON_NUMBER: json_put_raw(w, json_number_token(value)); return;
    case JSON_STRING: json_put_string(w, json_string(value)); return;
    case JSON_ARRAY:
        json_begin_array(w);
        for (; item; item = json_next(item))
            write_value(w, item);
        json_end_array(w);
        return;
    case JSON_OBJECT:
        json_begin_object(w);
        for (; item; item = json_next(item)) {
            json_put_key(w, json_key(item));
            write_value(w, item);
        }
        json_end_object(w);
        return;
    }
}

static void check_number(const struct json_value *value)
{
    int64_t integer = 0;
    double real = 0;
    bool is_unsigned = false;
    bool whole = json_int(value, &integer, &is_unsigned);

    if (!json_double(value, &real))
        DC_BUG("a number without a value: %s", json_number_token(value));
    if (whole && !is_unsigned && real != (double)integer)
        DC_BUG("integer and double differ: %s", json_number_token(value));
}

static void check_same(const struct json_value *a, const struct json_value *b)
{
    const struct json_value *x = json_first(a), *y = json_first(b);

    if (json_type(a) != json_type(b) || json_size(a) != json_size(b))
        DC_BUG("read back as %s of %zu, was %s of %zu",
               json_type_name(json_type(b)), json_size(b),
               json_type_name(json_type(a)), json_size(a));
    if (json_type(a) == JSON_NUMBER) {
        check_number(a);
        if (strcmp(json_number_token(a), json_number_token(b)) != 0)
            DC_BUG("number token changed: %s", json_number_token(a));
    }
    if (json_type(a) == JSON_STRING &&
        strcmp(json_string(a), json_string(b)) != 0)
        DC_BUG("string changed: %s", json_string(a));
    if (json_type(a) == JSON_BOOL && json_bool(a) != json_bool(b))
        DC_BUG("truth value changed");
    for (; x && y; x = json_next(x), y = json_next(y)) {
        if (json_type(a) == JSON_OBJECT) {
            if (strcmp(json_key(x), json_key(y)) != 0)
                DC_BUG("key changed: %s", json_key(x));
            /* cost: quadratic in the members, so only small objects */
            if (json_size(a) < 64 && json_find(a, json_key(x)) != x)
                DC_BUG("key finds another member: %s", json_key(x));
        }
        check_same(x, y);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc = json_parse((const char *)data, size, "input", sink);

    if (doc) {
        struct buf text = {0};
        struct json_writer w = {.out = &text};
        struct json_doc *again;

        write_value(&w, json_root(doc));
        again = json_parse(buf_text(&text), text.len, "again", sink);
        if (!again)
            DC_BUG("what was written does not parse: %s", buf_text(&text));
        check_same(json_root(doc), json_root(again));
        json_free(again);
        buf_fini(&text);
    } else if (diag_error_count(sink) == 0) {
        DC_BUG("the parser refuses its input without an error");
    }
    json_free(doc);
    diag_sink_free(sink);
    return 0;
}
