/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax functions: call_tir chains, tuples, symbolic sizes, in-place calls,
 * conditions, nested calls, and what is refused.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <string.h>
#include <unistd.h>

#define DATA "../shared/data/tvm/relax/"

#define HEAD                                             \
    "from tvm.script import ir as I\n"                   \
    "from tvm.script import tir as T\n"                  \
    "from tvm.script import relax as R\n"                \
    "@I.ir_module\n"                                     \
    "class Module:\n"                                    \
    "    @T.prim_func\n"                                 \
    "    def twice(x: T.handle, y: T.handle):\n"         \
    "        n = T.int64()\n"                            \
    "        X = T.match_buffer(x, (n,), \"float32\")\n" \
    "        Y = T.match_buffer(y, (n,), \"float32\")\n" \
    "        for i in range(n):\n"                       \
    "            Y[i] = X[i] * T.float32(2)\n"           \
    "    @T.prim_func\n"                                 \
    "    def both(X: T.Buffer((4,), \"float32\"),\n"     \
    "             P: T.Buffer((4,), \"float32\"),\n"     \
    "             Q: T.Buffer((4,), \"float32\")):\n"    \
    "        for i in range(4):\n"                       \
    "            P[i] = X[i] + T.float32(1)\n"           \
    "            Q[i] = X[i] - T.float32(1)\n"           \
    "    @T.prim_func\n"                                 \
    "    def bump(X: T.Buffer((4,), \"float32\")):\n"    \
    "        for i in range(4):\n"                       \
    "            X[i] = X[i] + T.float32(10)\n"          \
    "    @R.function\n"

static const struct {
    const char *label, *text;
    enum interp_fault_kind fault;
    const char *says; /* in the message */
    size_t noutputs;
    double want[2][4]; /* of inputs 1 2 3 4 */
} cases[] = {
    {"chain",
     HEAD "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
          "        cls = Module\n"
          "        with R.dataflow():\n"
          "            a = R.call_tir(cls.twice, (x,), "
          "out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
          "            b = R.call_tir(cls.twice, (a,), "
          "out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
          "            R.output(b)\n"
          "        return b\n",
     INTERP_OK,
     NULL,
     1,
     {{4, 8, 12, 16}, {0}}},
    {"symbolic size",
     HEAD "    def main(x: R.Tensor((\"n\",), dtype=\"float32\")):\n"
          "        n = T.int64()\n"
          "        cls = Module\n"
          "        a = R.call_tir(cls.twice, (x,), "
          "out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
          "        return a\n",
     INTERP_OK,
     NULL,
     1,
     {{2, 4, 6, 8}, {0}}},
    {"two outputs",
     HEAD "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
          "        cls = Module\n"
          "        t = R.call_tir(cls.both, (x,), "
          "out_sinfo=[R.Tensor((4,), dtype=\"float32\"), "
          "R.Tensor((4,), dtype=\"float32\")])\n"
          "        q = t[1]\n"
          "        p = t[0]\n"
          "        return (q, p)\n",
     INTERP_OK,
     NULL,
     2,
     {{0, 1, 2, 3}, {2, 3, 4, 5}}},
    {"constant size mismatch",
     HEAD "    def main(x: R.Tensor((5,), dtype=\"float32\")):\n"
          "        return x\n",
     INTERP_ASSERT,
     "size of 'x' is 4, expected 5",
     0,
     {{0}, {0}}},
    {"function of the module",
     HEAD "    def inner(y: R.Tensor((\"n\",), dtype=\"float32\")):\n"
          "        n = T.int64()\n"
          "        cls = Module\n"
          "        a = R.call_tir(cls.twice, (y,), "
          "out_sinfo=R.Tensor((n,), dtype=\"float32\"))\n"
          "        return a\n"
          "    @R.function\n"
          "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
          "        cls = Module\n"
          "        a = cls.inner(x)\n"
          "        b: R.Tensor((4,), dtype=\"float32\") = cls.inner(a)\n"
          "        return b\n",
     INTERP_OK,
     NULL,
     1,
     {{4, 8, 12, 16}, {0}}},
    {"function of the module, other size",
     HEAD "    def inner(y: R.Tensor((3,), dtype=\"float32\")):\n"
          "        return y\n"
          "    @R.function\n"
          "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
          "        cls = Module\n"
          "        return cls.inner(x)\n",
     INTERP_ASSERT,
     "size of 'y' is 4, expected 3",
     0,
     {{0}, {0}}},
    {"written and given twice",
     HEAD "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
          "        cls = Module\n"
          "        a = R.call_tir_inplace(cls.twice, (x, x), "
          "out_sinfo=R.Tensor((4,), dtype=\"float32\"), "
          "inplace_indices=[1])\n"
          "        return a\n",
     INTERP_UNSUPPORTED,
     "'twice' writes a tensor that it is given twice",
     0,
     {{0}, {0}}},
    {"scalar of another type",
     "from tvm.script import ir as I\n"
     "from tvm.script import tir as T\n"
     "from tvm.script import relax as R\n"
     "@I.ir_module\n"
     "class Module:\n"
     "    @T.prim_func\n"
     "    def scale(X: T.Buffer((4,), \"float32\"), v: T.float32, n: T.int32, "
     "Y: T.Buffer((4,), \"float32\")):\n"
     "        for i in range(4):\n"
     "            Y[i] = X[i] * v + T.Cast(\"float32\", n)\n"
     "    @R.function\n"
     "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
     "        cls = Module\n"
     "        a = R.call_tir(cls.scale, (x, R.prim_value(T.float64(1.5)), "
     "R.prim_value(T.int64(-1))), "
     "out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
     "        return a\n",
     INTERP_OK,
     NULL,
     1,
     {{0.5, 2, 3.5, 5}, {0}}},
    {"not legalised",
     HEAD "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
          "        a = R.add(x, x)\n"
          "        return a\n",
     INTERP_UNSUPPORTED,
     "LegalizeOps",
     0,
     {{0}, {0}}},
};

static struct interp_tensor *ramp(void)
{
    int64_t four = 4;
    unsigned flags = 0;
    struct interp_tensor *t = interp_tensor_new(DTYPE_FLOAT32, 1, &four);
    for (size_t i = 0; i < 4; i++) {
        interp_tensor_set(
            t, i, num_from_double(DTYPE_FLOAT32, (double)(i + 1), &flags));
        t->state[i] = INTERP_DEFINED;
    }
    return t;
}

static struct ir_module *read_text(const char *label, const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "m.py", sink);
    struct buf why = {0};
    diag_render(sink, false, &why);
    if (m == NULL)
        fail_msg("%s: %s", label, buf_text(&why));
    buf_fini(&why);
    diag_sink_free(sink);
    return m;
}

static void check_values(size_t k, struct interp_tensor **outputs)
{
    for (size_t o = 0; o < cases[k].noutputs; o++) {
        assert_int_equal(outputs[o]->elements, 4);
        for (size_t i = 0; i < 4; i++) {
            double v =
                num_to_double(DTYPE_FLOAT32, interp_tensor_get(outputs[o], i));
            assert_true(outputs[o]->state[i] & INTERP_DEFINED);
            if (v != cases[k].want[o][i])
                fail_msg("%s: output %zu element %zu is %g", cases[k].label, o,
                         i, v);
        }
    }
}

static void free_all(struct interp_tensor **outputs, size_t n)
{
    for (size_t i = 0; i < n; i++)
        interp_tensor_free(outputs[i]);
    dc_release(outputs);
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(cases); k++) {
        struct ir_module *m = read_text(cases[k].label, cases[k].text);
        struct interp_arg arg = {.tensor = ramp()};
        struct interp_options o = interp_default_options();
        struct interp_tensor **outputs;
        size_t n;
        struct interp_result r = interp_run_relax(m, ir_module_find(m, "main"),
                                                  1, &arg, &o, &outputs, &n);
        if (r.fault != cases[k].fault)
            fail_msg("%s: %s: %s", cases[k].label, interp_fault_name(r.fault),
                     r.message);
        assert_int_equal(n, cases[k].noutputs);
        if (cases[k].says != NULL && strstr(r.message, cases[k].says) == NULL)
            fail_msg("%s: %s", cases[k].label, r.message);
        check_values(k, outputs);
        free_all(outputs, n);
        interp_tensor_free(arg.tensor);
        interp_result_fini(&r);
        ir_module_free(m);
    }
}

/* The argument itself is the output. */
static void test_in_place(void **state)
{
    static const char text[] =
        HEAD "    def main(x: R.Tensor((4,), dtype=\"float32\")):\n"
             "        cls = Module\n"
             "        a = R.call_tir_inplace(cls.bump, (x,), "
             "inplace_indices=[0], "
             "out_sinfo=R.Tensor((4,), dtype=\"float32\"))\n"
             "        return a\n";
    struct ir_module *m = read_text("in place", text);
    struct interp_arg arg = {.tensor = ramp()};
    struct interp_options o = interp_default_options();
    struct interp_tensor **outputs;
    size_t n;
    (void)state;
    struct interp_result r = interp_run_relax(m, ir_module_find(m, "main"), 1,
                                              &arg, &o, &outputs, &n);
    if (r.fault != INTERP_OK)
        fail_msg("%s", r.message);
    assert_int_equal(n, 1);
    for (size_t i = 0; i < 4; i++) {
        assert_true(
            num_to_double(DTYPE_FLOAT32, interp_tensor_get(outputs[0], i)) ==
            (double)(i + 11));
        assert_int_equal(interp_tensor_get(arg.tensor, i),
                         interp_tensor_get(outputs[0], i));
    }
    free_all(outputs, n);
    interp_tensor_free(arg.tensor);
    interp_result_fini(&r);
    ir_module_free(m);
}

/* ---- an overflow, from call to call ------------------------------------------------ */

#define INT_FUNC(name, body)                           \
    "    @T.prim_func\n"                               \
    "    def " name "(A: T.Buffer((4,), \"int32\"),\n" \
    "            C: T.Buffer((4,), \"int32\")):\n"     \
    "        for i in range(4):\n"                     \
    "            " body "\n"
#define INT_CALL(to, name, of)                              \
    "        " to " = R.call_tir(cls." name ", (" of ",), " \
    "out_sinfo=R.Tensor((4,), dtype=\"int32\"))\n"
#define INT_MAIN(calls)                                                   \
    HEAD "    def main(x: R.Tensor((4,), dtype=\"int32\")):\n"            \
         "        cls = Module\n" calls                                   \
         "        return z\n" INT_FUNC("square", "C[i] = A[i] * A[i]")    \
             INT_FUNC("copy", "C[i] = A[i]")                              \
                 INT_FUNC("choose", "C[i] = T.Select(A[i] > 0, A[i], 0)") \
                     INT_FUNC("forget", "C[i] = T.if_then_else(i > 1, "   \
                                        "T.Select(A[i] > 0, A[i], 0), i)")

static const struct {
    const char *label, *text;
    enum interp_fault_kind fault;
} carried[] = {
    {"kept", INT_MAIN(INT_CALL("y", "square", "x") INT_CALL("z", "copy", "y")),
     INTERP_OK},
    {"chosen by",
     INT_MAIN(INT_CALL("y", "square", "x") INT_CALL("z", "choose", "y")),
     INTERP_INDEX_OVERFLOW},
    {"copied",
     INT_MAIN(INT_CALL("y", "square", "x") INT_CALL("w", "copy", "y")
                  INT_CALL("z", "choose", "w")),
     INTERP_INDEX_OVERFLOW},
    {"not looked at",
     INT_MAIN(INT_CALL("y", "square", "x") INT_CALL("z", "forget", "y")),
     INTERP_OK},
    {"as it came", INT_MAIN(INT_CALL("z", "choose", "x")), INTERP_OK},
};

/* 65536, whose square overflows, and three small numbers; nothing of it is left
 * in the states of results. */
static void test_overflow(void **state)
{
    static const int32_t values[] = {65536, 2, 3, 4};
    static const enum interp_engine engines[] = {INTERP_ENGINE_AUTO,
                                                 INTERP_ENGINE_WALK};
    (void)state;
    for (size_t k = 0; k < 2 * DC_ARRAY_LEN(carried); k++) {
        size_t at = k / 2;
        struct ir_module *m = read_text(carried[at].label, carried[at].text);
        struct interp_options o = interp_default_options();
        struct interp_tensor **outputs;
        int64_t four = 4;
        size_t n;
        struct interp_arg arg = {.tensor =
                                     interp_tensor_new(DTYPE_INT32, 1, &four)};
        for (size_t i = 0; i < 4; i++) {
            interp_tensor_set(arg.tensor, i, (uint64_t)values[i]);
            arg.tensor->state[i] = INTERP_DEFINED;
        }
        o.engine = engines[k % 2];
        struct interp_result r = interp_run_relax(m, ir_module_find(m, "main"),
                                                  1, &arg, &o, &outputs, &n);
        if (r.fault != carried[at].fault)
            fail_msg("%s: %s: %s", carried[at].label,
                     interp_fault_name(r.fault), r.message);
        for (size_t i = 0; i < 4 && n > 0; i++)
            assert_int_equal(outputs[0]->state[i] & INTERP_WRAPPED, 0);
        free_all(outputs, n);
        interp_tensor_free(arg.tensor);
        interp_result_fini(&r);
        ir_module_free(m);
    }
}

/* ---- modules made by TVM: a tuned copy gives what the untuned one does ------------ */

static size_t run_file(const char *path, struct interp_tensor ***outputs)
{
    struct ir_module *m = ir_read_file(path, NULL);
    struct arena *arena = arena_new();
    struct interp_signature s;
    struct interp_arg args[32] = {{0}};
    size_t n = 0;
    assert_non_null(m);
    const struct ir_func *f = NULL;
    for (size_t i = 0; i < m->nfuncs; i++)
        if (m->funcs[i]->kind == IR_FUNC_RELAX)
            f = m->funcs[i];
    assert_non_null(f);
    assert_true(interp_signature(m, f, NULL, 0, arena, &s, NULL));
    assert_true(s.nparams <= DC_ARRAY_LEN(args));
    for (size_t i = 0; i < s.nparams; i++) {
        args[i].tensor = interp_tensor_new(s.params[i].dtype, s.params[i].rank,
                                           s.params[i].shape);
        interp_fill_tensor(args[i].tensor, INTERP_FILL_EXACT, 2, i, 1, 0);
    }
    struct interp_options o = interp_default_options();
    struct interp_result r =
        interp_run_relax(m, f, s.nparams, args, &o, outputs, &n);
    if (r.fault != INTERP_OK)
        fail_msg("%s: %s", path, r.message);
    assert_false(r.inexact);
    for (size_t i = 0; i < s.nparams; i++)
        interp_tensor_free(args[i].tensor);
    interp_result_fini(&r);
    arena_free(arena);
    ir_module_free(m);
    return n;
}

static void test_whole_modules(void **state)
{
    static const struct {
        const char *name;
        bool equal;
    } rows[] = {{"cnn_parallel", true},  {"cnn_reduction", true},
                {"mlp_parallel", true},  {"mlp_reduction", true},
                {"cnn_wrong_op", false}, {"mlp_wrong_op", false}};
    (void)state;
    if (access(DATA, R_OK) != 0) {
        print_message("skipped: " DATA " not there\n");
        skip();
    }
    for (size_t k = 0; k < DC_ARRAY_LEN(rows); k++) {
        struct interp_tensor **a, **b;
        char path[200];
        snprintf(path, sizeof path, DATA "%s/untuned.json", rows[k].name);
        size_t n = run_file(path, &a);
        snprintf(path, sizeof path, DATA "%s/tuned.json", rows[k].name);
        assert_int_equal(run_file(path, &b), n);
        bool equal = true;
        for (size_t i = 0; i < n; i++)
            equal = equal && a[i]->elements == b[i]->elements &&
                    memcmp(a[i]->cells, b[i]->cells,
                           a[i]->elements * interp_cell_bytes(a[i]->cell)) == 0;
        if (equal != rows[k].equal)
            fail_msg("%s: expected %s", rows[k].name,
                     rows[k].equal ? "equal outputs" : "a difference");
        free_all(a, n);
        free_all(b, n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_overflow),
        cmocka_unit_test(test_whole_modules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
