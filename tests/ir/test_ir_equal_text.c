/* SPDX-License-Identifier: Apache-2.0
 *
 * Equality of modules, on pairs of texts that differ in one thing that is
 * easily forgotten: either way round, and by the hash where they are equal.
 */
#include "ir/ir.h"
#include "tests/test.h"

#include <string.h>

#define VLOAD(mask)                                                    \
    "    C[T.Ramp(0, 1, 4)] = A.vload([T.Ramp(0, 1, 4)], predicate=T." \
    "Broadcast(" mask ", 4))\n"
#define VIEW(strides)                                          \
    "    V = T.decl_buffer((2, 2), \"float32\", data=A.data, " \
    "strides=(" strides "))\n    C[0] = V[1, 1]\n"
#define REDUCER(result, identity)                         \
    "    with T.attr(T.comm_reducer(lambda x, y: " result \
    ", [T.float32(" identity ")]), \"reduce_scope\", "    \
    "T.reinterpret(\"handle\", T.uint64(0))):\n        C[0] = A[0]\n"
#define LET(first, second, used)                                             \
    "    x: T.let[T.float32] = " first "\n    y: T.let[T.float32] = " second \
    "\n    C[0] = " used "\n"
#define ANNOTATED(keys) \
    "    for i in T.serial(4, annotations={" keys "}):\n        C[i] = A[i]\n"

static const struct {
    const char *label, *first, *second;
    bool equal;
} rows[] = {
    {"the same predicate", VLOAD("A[0] > T.float32(1)"),
     VLOAD("A[0] > T.float32(1)"), true},
    {"another predicate", VLOAD("A[0] > T.float32(1)"),
     VLOAD("A[0] > T.float32(2)"), false},
    {"no predicate", VLOAD("A[0] > T.float32(1)"),
     "    C[T.Ramp(0, 1, 4)] = A[T.Ramp(0, 1, 4)]\n", false},
    {"the same strides", VIEW("2, 1"), VIEW("2, 1"), true},
    {"another first stride", VIEW("2, 1"), VIEW("1, 1"), false},
    {"another last stride", VIEW("2, 1"), VIEW("2, 2"), false},
    {"the same reducer", REDUCER("x + y", "0"), REDUCER("x + y", "0"), true},
    {"the same by other names", REDUCER("x + y", "0"),
     "    with T.attr(T.comm_reducer(lambda a, b: a + b, [T.float32(0)]), "
     "\"reduce_scope\", T.reinterpret(\"handle\", T.uint64(0))):\n"
     "        C[0] = A[0]\n",
     true},
    {"another result", REDUCER("x + y", "0"), REDUCER("x * y", "0"), false},
    {"results of exchanged operands", REDUCER("x - y", "0"),
     REDUCER("y - x", "0"), false},
    {"another identity", REDUCER("x + y", "0"), REDUCER("x + y", "1"), false},
    {"the first of two variables", LET("A[0]", "A[1]", "x"),
     LET("A[0]", "A[1]", "x"), true},
    {"the other one of two variables", LET("A[0]", "A[1]", "x"),
     LET("A[0]", "A[1]", "y"), false},
    {"the same keys", ANNOTATED("\"a\": 1, \"b\": 2"),
     ANNOTATED("\"b\": 2, \"a\": 1"), true},
    {"a key more", ANNOTATED("\"a\": 1"), ANNOTATED("\"a\": 1, \"b\": 2"),
     false},
    {"another key", ANNOTATED("\"a\": 1"), ANNOTATED("\"b\": 1"), false},
    {"another value", ANNOTATED("\"a\": 1"), ANNOTATED("\"a\": 2"), false},
};

static struct ir_module *read_module(const char *label, const char *body)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&text,
               "from tvm.script import ir as I\n"
               "from tvm.script import tirx as T\n\n"
               "@T.prim_func\n"
               "def main(A: T.Buffer((4,), \"float32\"), "
               "C: T.Buffer((4,), \"float32\")):\n%s",
               body);
    struct ir_module *m = ir_read(buf_text(&text), text.len, "row", sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        fail_msg("%s: %s\n%s", label, buf_text(&out), buf_text(&text));
    }
    diag_sink_free(sink);
    buf_fini(&text);
    return m;
}

static void test_rows(void **state)
{
    static const struct ir_equal_options strict;
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct ir_module *a = read_module(rows[i].label, rows[i].first);
        struct ir_module *b = read_module(rows[i].label, rows[i].second);
        struct buf where = {0};
        bool one = ir_module_equal(a, b, strict, &where);
        bool other = ir_module_equal(b, a, strict, NULL);
        if (one != rows[i].equal || other != rows[i].equal)
            fail_msg("%s: %d and %d: %s", rows[i].label, one, other,
                     buf_text(&where));
        assert_int_equal(one, where.len == 0);
        if (rows[i].equal)
            assert_true(ir_module_hash(a) == ir_module_hash(b));
        buf_fini(&where);
        ir_module_free(a);
        ir_module_free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
