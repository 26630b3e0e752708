/* SPDX-License-Identifier: Apache-2.0
 *
 * The TVM JSON writer. What we write is read back as the module it was written
 * from, in its own era and in the others; the same modules as saved by three
 * versions of TVM are each other's expectation. Whether TVM agrees is checked
 * by tests/tvm.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

#define ERAS "../shared/data/tvm/eras/"

static const char *const names[] = {
    "argmax_plain",  "bool_mask",     "conv_cache_write",   "gemm_bind",
    "gemm_f16_swap", "gemm_tiled",    "inline_transpose",   "int8_gemm",
    "pad_layout",    "softmax_plain", "stencil_compute_at", "sum_rfactor",
    "symbolic_gemm", "take"};

static struct ir_module *must_read(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (!m)
        fail_msg("%s: %s", path, diag_at(sink, 0)->message);
    diag_sink_free(sink);
    return m;
}

static void must_write(const struct ir_module *m, enum ir_era era,
                       struct buf *out)
{
    struct diag_sink *sink = diag_sink_new();
    if (!ir_write_json(m, era, out, sink))
        fail_msg("%s: %s", m->source, diag_at(sink, 0)->message);
    diag_sink_free(sink);
}

static void must_equal(const struct ir_module *a, const struct ir_module *b)
{
    struct buf where = {0};
    if (!ir_module_equal(a, b, (struct ir_equal_options){0}, &where))
        fail_msg("%s and %s: %s", a->source, b->source, buf_text(&where));
    buf_fini(&where);
}

/* m written as `era` is read as the sibling that TVM of that era saved. */
static void convert(const struct ir_module *m, enum ir_era era,
                    const struct ir_module *sibling)
{
    struct buf text = {0};
    must_write(m, era, &text);
    struct ir_module *back =
        ir_read(buf_text(&text), text.len, "written.json", NULL);
    assert_non_null(back);
    assert_int_equal(back->era, era);
    must_equal(back, sibling);
    must_equal(back, m);
    ir_module_free(back);
    buf_fini(&text);
}

static void test_between_eras(void **state)
{
    const char *name = *state;
    static const char *const sides[] = {"untuned", "tuned"};
    static const char *const suffixes[] = {"_0.25", "_0.26", ""};
    struct stat info;
    if (stat(ERAS, &info) != 0) {
        print_message("skipped: " ERAS " not there\n");
        skip();
    }
    for (size_t s = 0; s < 2; s++) {
        struct ir_module *m[3];
        for (size_t i = 0; i < 3; i++) {
            struct buf path = {0};
            buf_printf(&path, ERAS "%s/%s%s.json", name, sides[s], suffixes[i]);
            m[i] = must_read(buf_text(&path));
            buf_fini(&path);
        }
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < 3; k++)
                convert(m[i], (enum ir_era)(IR_ERA_D + k), m[k]);
        for (size_t i = 0; i < 3; i++)
            ir_module_free(m[i]);
    }
}

static void test_same_bytes(void **state)
{
    (void)state;
    struct buf first = {0}, second = {0};
    struct ir_module *a = must_read("corpora/eras/blocks_a.json");
    struct ir_module *b = must_read("corpora/eras/blocks_a.json");
    must_write(a, IR_ERA_F, &first);
    must_write(b, IR_ERA_F, &second);
    assert_string_equal(buf_text(&first), buf_text(&second));
    assert_null(strchr(buf_text(&first), '\n')); /* compact, one line */
    ir_module_free(a);
    ir_module_free(b);
    buf_fini(&first);
    buf_fini(&second);
}

/* Old eras are upgraded: names, attributes, node types. */
static void test_upgrade(void **state)
{
    (void)state;
    static const struct {
        enum ir_era era;
        const char *has[4], *lacks[3];
    } cases[] = {
        {IR_ERA_D,
         {"\"tirx.SBlock\"", "\"tirx.Buffer\"", "tirx.noalias", "0.25.0"},
         {"\"tir.", "prim.", "ir.Var"}},
        {IR_ERA_E,
         {"\"tirx.SBlock\"", "\"tirx.BufferType\"", "\"tirx.Add\"", "0.26.0"},
         {"\"tir.", "prim.", "\"tirx.Buffer\""}},
        {IR_ERA_F,
         {"\"s_tir.SBlock\"", "\"ir.TensorLoad\"", "\"prim.Add\"", "0.27.0"},
         {"\"tir.", "\"tirx.SBlock", "\"tirx.Buffer\""}},
    };
    struct ir_module *m = must_read("corpora/eras/blocks_a.json");
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf text = {0};
        must_write(m, cases[i].era, &text);
        for (size_t k = 0; k < DC_ARRAY_LEN(cases[i].has); k++)
            assert_non_null(strstr(buf_text(&text), cases[i].has[k]));
        for (size_t k = 0; k < DC_ARRAY_LEN(cases[i].lacks); k++)
            assert_null(strstr(buf_text(&text), cases[i].lacks[k]));
        convert(m, cases[i].era, m);
        buf_fini(&text);
    }
    ir_module_free(m);
}

/* What an era cannot express is refused, with the place. */
static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        enum ir_era era;
        const char *message;
    } cases[] = {
        {"corpora/eras/blocks_a.json", IR_ERA_A, "only D, E and F"},
        {"corpora/eras/blocks_a.json", IR_ERA_C, "only D, E and F"},
        {"corpora/eras/blocks_a.json", IR_ERA_NONE, "only D, E and F"},
        {"corpora/eras/lowered_c.json", IR_ERA_D, "constant allocation"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf text = {0};
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *m = must_read(cases[i].file);
        assert_false(ir_write_json(m, cases[i].era, &text, sink));
        assert_int_equal(text.len, 0);
        assert_int_equal(diag_error_count(sink), 1);
        assert_non_null(strstr(diag_at(sink, 0)->message, cases[i].message));
        ir_module_free(m);
        diag_sink_free(sink);
        buf_fini(&text);
    }
}

/* Modules built in memory, as the other readers and the fuzzer do. */
static struct ir_module *built(struct ir_stmt *(*body)(struct ir_module *,
                                                       struct ir_buffer *))
{
    struct ir_module *m = ir_module_new();
    struct ir_func *f = ARENA_NEW(m->arena, struct ir_func);
    struct ir_expr *four = ir_int(m, DTYPE_INT32, 4);
    f->name = "main";
    f->prim.params = ARENA_NEW(m->arena, struct ir_param);
    f->prim.nparams = 1;
    f->prim.params->var = ir_var_make(m, "a", DTYPE_HANDLE);
    f->prim.params->buffer =
        ir_buffer_make(m, "A", DTYPE_FLOAT32, 1, &four, NULL, "global");
    f->prim.body = body(m, f->prim.params->buffer);
    m->source = "built";
    assert_true(ir_module_add(m, f));
    return m;
}

static struct ir_stmt *store_numbers(struct ir_module *m, struct ir_buffer *a)
{
    struct ir_expr *zero = ir_int(m, DTYPE_INT32, 0);
    struct ir_expr *nan = ir_float(m, DTYPE_FLOAT32, (double)NAN);
    struct ir_expr *big = ir_int(m, DTYPE_INT64, INT64_MIN);
    struct ir_stmt *items[] = {ir_store(m, a, nan, 1, &zero, NULL),
                               ir_evaluate(m, big)};
    return ir_seq(m, 2, items);
}

static struct ir_stmt *store_masked(struct ir_module *m, struct ir_buffer *a)
{
    struct ir_expr *zero = ir_int(m, DTYPE_INT32, 0);
    struct ir_expr *value = ir_float(m, DTYPE_FLOAT32, 1.0);
    return ir_store(m, a, value, 1, &zero, ir_int(m, DTYPE_BOOL, 1));
}

static struct ir_stmt *call_op(struct ir_module *m, struct ir_buffer *a)
{
    (void)a;
    struct ir_expr *x = ir_float(m, DTYPE_FLOAT32, 2.0);
    struct ir_expr *one = ir_int(m, DTYPE_INT32, 1);
    struct ir_stmt *items[] = {
        ir_evaluate(m, ir_call(m, DTYPE_FLOAT32, "log2", 1, &x)),
        ir_evaluate(m, ir_call(m, DTYPE_FLOAT32, "exp", 1, &x)),
        ir_evaluate(m, ir_binary(m, IR_BITXOR, one, one))};
    return ir_seq(m, 3, items);
}

static void test_numbers_survive(void **state)
{
    (void)state;
    struct ir_module *m = built(store_numbers);
    struct buf text = {0};
    must_write(m, IR_ERA_E, &text);
    assert_non_null(strstr(buf_text(&text), ":NaN"));
    assert_non_null(strstr(buf_text(&text), "-9223372036854775808"));
    convert(m, IR_ERA_D, m);
    convert(m, IR_ERA_E, m);
    convert(m, IR_ERA_F, m);
    ir_module_free(m);
    buf_fini(&text);
}

static void test_predicate(void **state)
{
    (void)state;
    struct ir_module *m = built(store_masked);
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    convert(m, IR_ERA_D, m);
    convert(m, IR_ERA_E, m);
    assert_false(ir_write_json(m, IR_ERA_F, &text, sink));
    assert_non_null(strstr(diag_at(sink, 0)->message, "predicate"));
    diag_sink_free(sink);
    buf_fini(&text);
    ir_module_free(m);
}

/* The namespaces that tvm.ir.Op.list_op_names() of each version shows. */
static void test_operator_names(void **state)
{
    (void)state;
    static const struct {
        enum ir_era era;
        const char *names[3];
    } cases[] = {
        {IR_ERA_D, {"\"tirx.log2\"", "\"tirx.exp\"", "\"tirx.bitwise_xor\""}},
        {IR_ERA_E, {"\"tirx.log2\"", "\"tirx.exp\"", "\"tirx.bitwise_xor\""}},
        {IR_ERA_F, {"\"prim.log2\"", "\"tirx.exp\"", "\"prim.BitwiseXor\""}},
    };
    struct ir_module *m = built(call_op);
    for (size_t i = 0; i < DC_ARRAY_LEN(cases); i++) {
        struct buf text = {0};
        must_write(m, cases[i].era, &text);
        for (size_t k = 0; k < 3; k++)
            assert_non_null(strstr(buf_text(&text), cases[i].names[k]));
        convert(m, cases[i].era, m);
        buf_fini(&text);
    }
    ir_module_free(m);
}

int main(void)
{
    const struct CMUnitTest fixed[] = {
        cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_upgrade),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_numbers_survive),
        cmocka_unit_test(test_predicate),
        cmocka_unit_test(test_operator_names),
    };
    struct CMUnitTest rows[DC_ARRAY_LEN(names)] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(names); i++) {
        rows[i].name = names[i];
        rows[i].test_func = test_between_eras;
        rows[i].initial_state = (void *)(uintptr_t)names[i];
    }
    int failed = cmocka_run_group_tests(fixed, NULL, NULL);
    return failed +
           cmocka_run_group_tests_name("between eras", rows, NULL, NULL);
}
