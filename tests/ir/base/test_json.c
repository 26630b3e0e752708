/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON layer: grammar and messages (RFC 8259), numbers that cJSON would
 * lose, and the writer.
 */
#include "ir/base/json.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

static const struct bad {
    const char *label, *text, *message;
    uint32_t line, col;
} bad_cases[] = {
    {"empty", "", "expected a value, found the end of the text", 1, 1},
    {"open array", "[1, 2", "text ends inside an array", 1, 6},
    {"open object", "{\"a\": 1", "text ends inside an object", 1, 8},
    {"no colon", "{\"a\" 1}", "expected ':' after the key", 1, 6},
    {"bare key", "{a: 1}", "expected a key in double quotes", 1, 2},
    {"trailing comma", "[1,]", "expected a value", 1, 4},
    {"second value", "1\n2", "text goes on after the value", 2, 1},
    {"leading zero", "[01]", "a number may not start with 0", 1, 2},
    {"lone minus", "-", "expected a value", 1, 1},
    {"dot", "1.", "expected a digit after '.'", 1, 3},
    {"exponent", "1e+", "expected a digit in the exponent", 1, 4},
    {"word", "nul", "expected a value", 1, 1},
    {"open string", "[\"ab", "string is not closed", 1, 2},
    {"control", "\"a\tb\"", "control character in a string", 1, 3},
    {"escape", "\"\\q\"", "unknown escape in a string", 1, 3},
    {"short unicode", "\"\\u12\"",
     "expected four hexadecimal digits after '\\u'", 1, 3},
    {"nul", "\"\\u0000\"", "a string may not hold U+0000", 1, 3},
    {"low surrogate", "\"\\udc00\"", "low surrogate without a high one", 1, 3},
    {"high surrogate", "\"\\ud800x\"", "high surrogate without a low one", 1,
     3},
    {"utf8", "[\"\xff\"]", "invalid UTF-8", 1, 3},
    {"overlong", "\"\xc0\x80\"", "invalid UTF-8", 1, 2},
    {"duplicate", "{\"a\": 1,\n \"a\": 2}", "duplicate key 'a' in this object",
     2, 8},
    {"mismatched", "[1}", "expected ',' or ']'", 1, 3},
};

static void test_bad(void **state)
{
    const struct bad *c = *state;
    struct diag_sink *sink = diag_sink_new();
    assert_null(json_parse(c->text, strlen(c->text), "t.json", sink));
    assert_int_equal(diag_count(sink), 1);
    assert_string_equal(diag_at(sink, 0)->message, c->message);
    assert_int_equal(diag_at(sink, 0)->line, c->line);
    assert_int_equal(diag_at(sink, 0)->col, c->col);
    diag_sink_free(sink);
}

static struct json_doc *parse(const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct json_doc *doc = json_parse(text, strlen(text), "t.json", sink);
    assert_int_equal(diag_count(sink), 0);
    diag_sink_free(sink);
    assert_non_null(doc);
    return doc;
}

static void test_numbers(void **state)
{
    (void)state;
    struct json_doc *doc = parse("[9223372036854775807, -9223372036854775808,"
                                 " 18446744073709551615, 1.5, NaN, Infinity,"
                                 " -Infinity, 9007199254740993, 1e400]");
    const struct json_value *v = json_first(json_root(doc));
    int64_t n;
    double d;
    bool is_unsigned;
    assert_true(json_int(v, &n, NULL) && n == INT64_MAX);
    v = json_next(v);
    assert_true(json_int(v, &n, NULL) && n == INT64_MIN);
    v = json_next(v);
    assert_false(json_int(v, &n, NULL));
    assert_true(json_int(v, &n, &is_unsigned) && is_unsigned);
    assert_true((uint64_t)n == UINT64_MAX);
    v = json_next(v);
    assert_false(json_int(v, &n, &is_unsigned));
    assert_true(json_double(v, &d) && d > 1.25 && d < 1.75);
    v = json_next(v);
    assert_int_equal(json_type(v), JSON_NUMBER);
    assert_true(json_double(v, &d) && isnan(d));
    v = json_next(v);
    assert_true(json_double(v, &d) && isinf(d) && d > 0);
    v = json_next(v);
    assert_true(json_double(v, &d) && isinf(d) && d < 0);
    v = json_next(v);
    assert_true(json_int(v, &n, NULL) && n == INT64_C(9007199254740993));
    v = json_next(v);
    assert_true(json_double(v, &d) && isinf(d));
    assert_null(json_next(v));
    json_free(doc);
}

static void test_strings(void **state)
{
    (void)state;
    struct json_doc *doc =
        parse("{\"a\": \"x\\n\\u00e9\\ud83d\\ude00\", \"b\": \"\\u00012\","
              " \"c\": \"\\u0002\", \"d\": {\"a\": null}}");
    const struct json_value *root = json_root(doc);
    assert_string_equal(json_string(json_find(root, "a")),
                        "x\n\xc3\xa9\xf0\x9f\x98\x80");
    /* A string that starts like the internal number mark stays a string. */
    assert_int_equal(json_type(json_find(root, "b")), JSON_STRING);
    assert_string_equal(json_string(json_find(root, "b")), "\x01"
                                                           "2");
    assert_string_equal(json_string(json_find(root, "c")), "\x02");
    assert_null(json_find(root, "e"));
    assert_int_equal(json_size(root), 4);
    assert_int_equal(json_type(json_find(json_find(root, "d"), "a")),
                     JSON_NULL);
    json_free(doc);
}

static void test_deep(void **state)
{
    (void)state;
    struct buf text = {0};
    for (int i = 0; i < 10000; i++)
        buf_putc(&text, '[');
    struct diag_sink *sink = diag_sink_new();
    assert_null(json_parse(text.data, text.len, "t.json", sink));
    assert_string_equal(diag_at(sink, 0)->message,
                        "nested more than 200 levels deep");
    diag_sink_free(sink);
    buf_fini(&text);
}

static void test_writer(void **state)
{
    (void)state;
    struct buf out = {0};
    struct json_writer w = {.out = &out};
    json_begin_object(&w);
    json_put_key(&w, "a");
    json_begin_array(&w);
    json_put_int(&w, INT64_MIN);
    json_put_uint(&w, UINT64_MAX);
    json_put_double(&w, 0.1, true);
    json_put_double(&w, 1, true);
    json_put_double(&w, (double)NAN, true);
    json_put_double(&w, -(double)INFINITY, false);
    json_end_array(&w);
    json_put_key(&w, "b\"");
    json_put_string(&w, "x:\n\x01");
    json_put_key(&w, "c");
    json_begin_object(&w);
    json_end_object(&w);
    json_put_key(&w, "d");
    json_put_bool(&w, false);
    json_end_object(&w);
    assert_string_equal(
        out.data, "{\"a\":[-9223372036854775808,18446744073709551615,0.1,1.0,"
                  "NaN,\"-inf\"],\"b\\\"\":\"x:\\n\\u0001\",\"c\":{},"
                  "\"d\":false}");
    buf_fini(&out);
    w = (struct json_writer){.out = &out, .indent = 2};
    json_begin_array(&w);
    json_put_null(&w);
    json_begin_object(&w);
    json_put_key(&w, "k");
    json_put_int(&w, 1);
    json_end_object(&w);
    json_end_array(&w);
    assert_string_equal(out.data, "[\n  null,\n  {\n    \"k\": 1\n  }\n]");
    buf_fini(&out);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(bad_cases) + 4];
    size_t n = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(bad_cases); i++)
        tests[n++] = (struct CMUnitTest){.name = bad_cases[i].label,
                                         .test_func = test_bad,
                                         .initial_state =
                                             (void *)(uintptr_t)&bad_cases[i]};
    const struct CMUnitTest rest[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_strings),
        cmocka_unit_test(test_deep), cmocka_unit_test(test_writer)};
    memcpy(tests + n, rest, sizeof rest);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
