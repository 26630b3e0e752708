/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written reads back, or is refused with a reason: text and JSON of
 * modules with strange names, keys and values. The modules are made of the
 * texts in corpora/fuzz by replacing one thing; what is expected follows from
 * what Python and TVM's JSON can hold, not from what is printed.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

#define NAMES  "corpora/fuzz/tvmjson/names.json"
#define SCRIPT "corpora/fuzz/tvmscript/"

static const struct ir_equal_options same = {.map_free_vars = true};

/* The file with its first occurrence of `from` replaced. */
static struct ir_module *read_with(const char *path, const char *from,
                                   const char *to)
{
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0}, edited = {0};
    assert_true(file_read(path, 0, &text, sink));
    const char *at = from ? strstr(buf_text(&text), from) : NULL;
    if (from) {
        assert_non_null(at);
        buf_append(&edited, text.data, (size_t)(at - text.data));
        buf_puts(&edited, to);
        buf_puts(&edited, at + strlen(from));
    } else {
        buf_append(&edited, text.data, text.len);
    }
    struct ir_module *m =
        ir_read(buf_text(&edited), edited.len, "module", sink);
    if (!m) {
        struct buf errors = {0};
        diag_render(sink, false, &errors);
        fail_msg("%s with '%s': %s", path, to ? to : "", buf_text(&errors));
    }
    buf_fini(&text);
    buf_fini(&edited);
    diag_sink_free(sink);
    return m;
}

static bool write_as(const struct ir_module *m, bool json, struct buf *out,
                     struct diag_sink *sink)
{
    return json ? ir_write_json(m, IR_ERA_F, out, sink)
                : ir_write_script(m, out, sink);
}

/* NULL when what is written reads back equal, else the first message. */
static char *refusal(const struct ir_module *m, bool json)
{
    static char message[300];
    struct diag_sink *sink = diag_sink_new();
    struct buf out = {0};
    char *why = NULL;
    if (write_as(m, json, &out, sink)) {
        struct buf where = {0};
        struct ir_module *again =
            ir_read(buf_text(&out), out.len, "again", sink);
        if (!again || !ir_module_equal(m, again, same, &where))
            fail_msg("does not read back: %s\n%s", buf_text(&where),
                     buf_text(&out));
        assert_true(ir_check_reread(m, &out, true, sink));
        buf_fini(&where);
        ir_module_free(again);
    } else {
        assert_int_equal(out.len, 0);
        assert_int_equal(diag_error_count(sink), 1);
        snprintf(message, sizeof message, "%s: %s", diag_at(sink, 0)->code,
                 diag_at(sink, 0)->message);
        why = message;
    }
    buf_fini(&out);
    diag_sink_free(sink);
    return why;
}

static void expect(const struct ir_module *m, bool json, const char *part,
                   const char *label)
{
    const char *why = refusal(m, json);
    if (part ? !why || !strstr(why, part) : why != NULL)
        fail_msg("%s as %s: wanted '%s', got '%s'", label,
                 json ? "JSON" : "text", part ? part : "no refusal",
                 why ? why : "no refusal");
}

/* ---- one thing replaced in a module -------------------------------------- */

#define OP   "\"ir.Op\",\"data\":\"relax.unknown_op\""
#define FUNC "\"data\":\"add\""

static const struct {
    const char *from, *to;
    const char *text; /* part of the refusal as text; NULL: reads back */
} replaced[] = {
    {OP, "\"ir.Op\",\"data\":\"\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"foo\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.a b\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"x\\\"y\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.vm.x-y\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"\xc3\xa9\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"tir.foo\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.class\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.tuple\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.Tensor\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.prim_value\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.call_tir\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.call_packed\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.Op\"", NULL},
    {OP, "\"ir.Op\",\"data\":\"relax.nn.softmax\"", NULL},
    {FUNC, "\"data\":\"T\"", "would hide"},
    {FUNC, "\"data\":\"R\"", "would hide"},
    {FUNC, "\"data\":\"a b\"", "cannot be the name"},
    {FUNC, "\"data\":\"\"", "cannot be the name"},
    {FUNC, "\"data\":\"class\"", "cannot be the name"},
    {FUNC, "\"data\":\"n\"", NULL},
    {"\"offset_factor\":2", "\"offset_factor\":-1", "offset factor"},
    {"\"data_alignment\":64", "\"data_alignment\":0", "alignment"},
};

static void test_replaced(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(replaced); i++) {
        struct ir_module *m =
            read_with(NAMES, replaced[i].from, replaced[i].to);
        expect(m, false, replaced[i].text, replaced[i].to);
        expect(m, true, NULL, replaced[i].to);
        ir_module_free(m);
    }
}

/* Keys of attributes, in place of the key "k" of the unknown operator. */
static void test_attribute_keys(void **state)
{
    static const char *const keys[] = {
        "",        "a b",  "x\\\"y", "class",      "\xc3\xa9", "a.b",
        "ty_args", "span", "attrs",  "sinfo_args", "\\u0007",  "relax.str"};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(keys); i++) {
        struct buf to = {0};
        buf_printf(&to, "k=\"v\", attrs={\"%s\": 1}", keys[i]);
        struct ir_module *m =
            read_with(SCRIPT "names.py", "k=\"v\", b=[1, 2.5]",
                      buf_text(&to) + strlen("k=\"v\", "));
        expect(m, false, NULL, keys[i]);
        expect(m, true, NULL, keys[i]);
        ir_module_free(m);
        buf_fini(&to);
    }
}

/* ---- kept findings ------------------------------------------------------- */

static const struct {
    const char *file;
    const char *json; /* part of the refusal as JSON; NULL: reads back */
} kept[] = {
    {"found_operator_names.py", NULL},
    {"found_attribute_keys.py", "attributes of a call are no object"},
    {"found_callable_symbols.py", NULL},
    {"found_scalars_as_symbols.py", NULL},
    {"found_values_of_types.py", "states its value"},
    {"found_bytes_of_strings.py", "not UTF-8"},
    {"names.py", NULL},
};

static void test_kept(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(kept); i++) {
        struct buf path = {0};
        buf_printf(&path, SCRIPT "%s", kept[i].file);
        struct ir_module *m = read_with(buf_text(&path), NULL, NULL);
        expect(m, false, NULL, kept[i].file);
        expect(m, true, kept[i].json, kept[i].file);
        ir_module_free(m);
        buf_fini(&path);
    }
}

/* Python: "\xff" is the character U+00FF, not a byte; a byte that is no UTF-8
 * is one of the surrogates that stand for it. */
static void test_bytes(void **state)
{
    static const struct {
        const char *text, *bytes;
    } cases[] = {{"\\xff", "\xc3\xbf"},
                 {"\\x9b", "\xc2\x9b"},
                 {"\\u20ac", "\xe2\x82\xac"},
                 {"\\U0001f600", "\xf0\x9f\x98\x80"},
                 {"\\udcff", "\xff"}};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf source = {0};
        struct diag_sink *sink = diag_sink_new();
        buf_printf(&source,
                   "@T.prim_func\ndef f():\n    T.func_attr({\"a\": \"%s\"})\n"
                   "    T.evaluate(1)\n",
                   cases[i].text);
        struct ir_module *m = ir_read(buf_text(&source), source.len, "f", sink);
        assert_non_null(m);
        assert_string_equal(
            ir_value_as_string(ir_value_find(m->funcs[0]->attrs, "a")),
            cases[i].bytes);
        expect(m, false, NULL, cases[i].text);
        ir_module_free(m);
        diag_sink_free(sink);
        buf_fini(&source);
    }
}

/* The check itself: of a text that is of another module, or of none. */
static void test_check(void **state)
{
    static const char *const texts[] = {
        "@T.prim_func\ndef f():\n    T.evaluate(2)\n",
        "@T.prim_func\ndef f():\n    T.evaluate(x)\n"};
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    static const char source[] = "@T.prim_func\ndef f():\n    T.evaluate(1)\n";
    struct ir_module *m = ir_read(source, strlen(source), "f", sink);
    assert_non_null(m);
    for (size_t i = 0; i < DC_ARRAY_LEN(texts); i++) {
        struct buf text = {0};
        buf_puts(&text, texts[i]);
        diag_clear(sink);
        assert_false(ir_check_reread(m, &text, true, sink));
        assert_int_equal(diag_error_count(sink), 1);
        assert_string_equal(diag_at(sink, 0)->code, "write.reread");
        buf_fini(&text);
    }
    ir_module_free(m);
    diag_sink_free(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaced), cmocka_unit_test(test_attribute_keys),
        cmocka_unit_test(test_kept),     cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
