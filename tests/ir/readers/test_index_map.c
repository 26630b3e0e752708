/* SPDX-License-Identifier: Apache-2.0
 *
 * Index maps as traces hold them. The texts of 0.25 to 0.27 are what those
 * releases save for lambda i, j: (j, i // 4, i % 4); that of 0.14 is written
 * by the rules of its format.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

/* The first of two nodes of a variable, and its name and type. */
static const char era_a[] =
    "{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}, {\"type_key\": "
    "\"tir.IndexMap\", \"attrs\": {\"final_indices\": \"3\", "
    "\"initial_indices\": \"2\", \"inverse_index_map\": \"0\"}}, "
    "{\"type_key\": \"Array\", \"data\": [4, 5]}, {\"type_key\": \"Array\", "
    "\"data\": [5, 9, 10]}, {\"type_key\": \"tir.Var\", \"attrs\": "
    "{\"dtype\": \"int32\", \"name\": \"6\", \"span\": \"0\", "
    "\"type_annotation\": \"8\"}}, {\"type_key\": \"tir.Var\", \"attrs\": "
    "{\"dtype\": \"int32\", \"name\": \"7\", \"span\": \"0\", "
    "\"type_annotation\": \"8\"}}, {\"type_key\": \"runtime.String\", "
    "\"repr_str\": \"i\"}, {\"type_key\": \"runtime.String\", \"repr_str\": "
    "\"j\"}, {\"type_key\": \"PrimType\", \"attrs\": {\"dtype\": "
    "\"int32\"}}, {\"type_key\": \"tir.FloorDiv\", \"attrs\": {\"a\": \"4\", "
    "\"b\": \"11\", \"dtype\": \"int32\", \"span\": \"0\"}}, {\"type_key\": "
    "\"tir.FloorMod\", \"attrs\": {\"a\": \"4\", \"b\": \"11\", \"dtype\": "
    "\"int32\", \"span\": \"0\"}}, {\"type_key\": \"IntImm\", \"attrs\": "
    "{\"dtype\": \"int32\", \"span\": \"0\", \"value\": \"4\"}}], "
    "\"b64ndarrays\": [], \"attrs\": {\"tvm_version\": \"0.14.0\"}}";

#define STRING(text) "{\"type\":\"ffi.String\",\"data\":\"" text "\"},"
#define INT32_TYPE \
    "{\"type\":\"ir.PrimType\",\"data\":{\"span\":0,\"dtype\":\"int32\"}},"
#define MAP(initial, final)                                              \
    "{\"type\":\"tirx.IndexMap\",\"data\":{\"initial_indices\":" initial \
    ",\"final_indices\":" final ",\"inverse_index_map\":0}}"

static const char era_d[] =
    "{\"root_index\":13,\"nodes\":[{\"type\":\"None\"}," STRING("i") INT32_TYPE
    "{\"type\":\"tirx.Var\",\"data\":{\"span\":0,\"dtype\":\"int32\",\"name\":"
    "1,"
    "\"type_annotation\":2}}," STRING("j") INT32_TYPE
    "{\"type\":\"tirx.Var\",\"data\":{\"span\":0,\"dtype\":\"int32\",\"name\":"
    "4,"
    "\"type_annotation\":5}},{\"type\":\"ffi.Array\",\"data\":[3,6]},"
    "{\"type\":\"ir.IntImm\",\"data\":{\"span\":0,\"dtype\":\"int32\","
    "\"value\":4}},{\"type\":\"tirx.FloorDiv\",\"data\":{\"span\":0,\"dtype\":"
    "\"int32\",\"a\":3,\"b\":8}},{\"type\":\"ir.IntImm\",\"data\":{\"span\":0,"
    "\"dtype\":\"int32\",\"value\":4}},{\"type\":\"tirx.FloorMod\",\"data\":{"
    "\"span\":0,\"dtype\":\"int32\",\"a\":3,\"b\":10}},{\"type\":\"ffi.Array\","
    "\"data\":[6,9,11]}," MAP(
        "7", "12") "],\"metadata\":{\"tvm_version\":\"0.25.0.post1\"}}";

#define IJ                                                                     \
    "[{\"type\":\"None\"}," INT32_TYPE STRING(                                 \
        "i") "{\"type\":\"ir.Var\",\"data\":{\"span\":0,\"ty\":1,\"name\":2}}" \
             "," STRING("j") "{\"type\":\"ir.Var\",\"data\":{\"span\":0,"      \
                             "\"ty\":1,\"name\":4}},"                          \
                             "{\"type\":\"ffi.Array\",\"data\":[3,5]},"

static const char era_e[] =
    "{\"root_index\":12,\"nodes\":" IJ
    "{\"type\":\"ir.IntImm\",\"data\":{\"span\":0,\"ty\":1,\"value\":4}},"
    "{\"type\":\"tirx.FloorDiv\",\"data\":{\"span\":0,\"ty\":1,\"a\":3,\"b\":7}"
    "},"
    "{\"type\":\"ir.IntImm\",\"data\":{\"span\":0,\"ty\":1,\"value\":4}},"
    "{\"type\":\"tirx.FloorMod\",\"data\":{\"span\":0,\"ty\":1,\"a\":3,\"b\":9}"
    "},"
    "{\"type\":\"ffi.Array\",\"data\":[5,8,10]}," MAP(
        "6", "11") "],\"metadata\":{\"tvm_version\":\"0.26.0\"}}";

static const char era_f[] =
    "{\"root_index\":13,\"nodes\":" IJ "{\"type\":\"int\",\"data\":4},"
    "{\"type\":\"ir.IntImm\",\"data\":{\"span\":0,\"ty\":1,\"value\":7}},"
    "{\"type\":\"prim.FloorDiv\",\"data\":{\"span\":0,\"ty\":1,\"a\":3,\"b\":8}"
    "},"
    "{\"type\":\"ir.IntImm\",\"data\":{\"span\":0,\"ty\":1,\"value\":7}},"
    "{\"type\":\"prim.FloorMod\",\"data\":{\"span\":0,\"ty\":1,\"a\":3,\"b\":"
    "10}},"
    "{\"type\":\"ffi.Array\",\"data\":[5,9,11]}," MAP(
        "6", "12") "],\"metadata\":{\"tvm_version\":\"0.27.0.post1\"}}";

static const char lambda[] = "lambda i, j: (j, i // 4, i % 4)";

/* ---- reading --------------------------------------------------------------- */

static void check_map(const char *text, const char *want)
{
    struct ir_module *m = ir_module_new();
    struct diag_sink *sink = diag_sink_new();
    struct ir_index_map map;
    struct buf out = {0};
    if (!ir_read_index_map(m, text, strlen(text), "map", sink, &map)) {
        diag_render(sink, false, &out);
        print_error("%s", buf_text(&out));
        fail();
    }
    assert_int_equal(map.nvars, 2);
    assert_int_equal(map.nout, 3);
    assert_string_equal(map.vars[0]->name, "i");
    for (size_t i = 0; i < map.nout; i++) {
        buf_puts(&out, i > 0 ? ", " : "");
        ir_print_expr(map.out[i], &out);
    }
    assert_string_equal(buf_text(&out), want);
    assert_ptr_equal(map.out[0]->u.var, map.vars[1]);
    assert_int_equal(m->era, IR_ERA_NONE);
    assert_null(m->tvm_version);
    buf_fini(&out);
    diag_sink_free(sink);
    ir_module_free(m);
}

static void reads_every_era(void **state)
{
    static const char *const texts[] = {era_a, era_d, era_e, era_f};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(texts); i++)
        check_map(texts[i], "j, i // 4, i % 4");
    check_map(lambda, "j, i // T.int64(4), i % T.int64(4)");
}

static void reads_a_scalar(void **state)
{
    static const char text[] = "lambda i: T.float32(2)";
    struct ir_module *m = ir_module_new();
    struct ir_index_map map;
    (void)state;
    assert_true(ir_read_index_map(m, text, strlen(text), "map", NULL, &map));
    assert_int_equal(map.nvars, 1);
    assert_int_equal(map.nout, 1);
    assert_true(dtype_equal(map.out[0]->dtype, DTYPE_FLOAT32));
    assert_true(dtype_equal(map.vars[0]->dtype, DTYPE_INT64));
    ir_module_free(m);
}

/* ---- what is none ---------------------------------------------------------- */

static const struct {
    const char *text, *message;
} wrong[] = {
    {"", "expected a value"},
    {"[1]", "no 'root_index'"},
    {"{\"root_index\":0,\"nodes\":[{\"type\":\"None\"}]}",
     "expected an index map at the root, found 'None'"},
    {"{\"root_index\":1,\"nodes\":[{\"type\":\"None\"},"
     "{\"type\":\"my.IndexMap\",\"data\":{}}]}",
     "expected an index map at the root, found 'my.IndexMap'"},
    {"{\"root_index\":7,\"nodes\":" IJ MAP("1", "6") "]}",
     "expected an array, found 'ir.PrimType'"},
    {"{\"root_index\":8,\"nodes\":" IJ
     "{\"type\":\"ffi.Array\",\"data\":[3,3]}," MAP("7", "6") "]}",
     "variable 'i' occurs twice"},
    {"{\"root_index\":8,\"nodes\":" IJ
     "{\"type\":\"ffi.Array\",\"data\":[3,0]}," MAP("7", "6") "]}",
     "expected a variable"},
    {"{\"root_index\":8,\"nodes\":" IJ
     "{\"type\":\"ffi.Array\",\"data\":[3,0]}," MAP("6", "7") "]}",
     "expected an expression"},
    {"lambda i, i: i", "two parameters are called 'i'"},
    {"lambda i: k", "'k' is not defined"},
    {"lambda i: (i, ", ""},
    {"lambda i: i)", "closes nothing"},
    {"lambda i j: i", "expected"},
    {"lambda i", "expected"},
    {"lambdas", "'lambdas' is not defined"},
};

static void refuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(wrong); i++) {
        struct ir_module *m = ir_module_new();
        struct diag_sink *sink = diag_sink_new();
        struct ir_index_map map;
        const char *text = wrong[i].text;
        bool read = ir_read_index_map(m, text, strlen(text), "map", sink, &map);
        const struct diag *first = diag_at(sink, 0);
        if (read || !first || !strstr(first->message, wrong[i].message)) {
            print_error("%s: %s\n", text, first ? first->message : "read");
            fail();
        }
        diag_sink_free(sink);
        ir_module_free(m);
    }
}

/* Any bytes: what is read is a map of its form, or nothing. */
static void try_bytes(const char *text, size_t len)
{
    struct ir_module *m = ir_module_new();
    struct diag_sink *sink = diag_sink_new();
    struct ir_index_map map;
    if (ir_read_index_map(m, text, len, "map", sink, &map)) {
        for (size_t i = 0; i < map.nvars; i++)
            assert_non_null(map.vars[i]);
        for (size_t i = 0; i < map.nout; i++)
            assert_non_null(map.out[i]);
    } else {
        assert_true(diag_error_count(sink) > 0);
    }
    diag_sink_free(sink);
    ir_module_free(m);
}

static void takes_any_bytes(void **state)
{
    static const char *const texts[] = {era_a, era_e, era_f, lambda};
    static const char odd[] = {'0', '9', '\0', '"', '[', '}', ',', '\x80'};
    char changed[2048];
    (void)state;
    for (size_t t = 0; t < DC_ARRAY_LEN(texts); t++) {
        size_t len = strlen(texts[t]);
        assert_true(len < sizeof changed);
        for (size_t at = 0; at < len; at++) {
            try_bytes(texts[t], at);
            memcpy(changed, texts[t], len);
            changed[at] = odd[at % sizeof odd];
            try_bytes(changed, len);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_era),
        cmocka_unit_test(reads_a_scalar),
        cmocka_unit_test(refuses),
        cmocka_unit_test(takes_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
