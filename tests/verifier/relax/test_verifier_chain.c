/* SPDX-License-Identifier: Apache-2.0
 *
 * Relax functions in the prover: which calls answer to which, how verdicts of
 * callees are put together, and what must not be proved.
 */
#include "tests/test.h"
#include "verifier/verifier.h"

#include <string.h>

#define V8 "R.Tensor((8,), dtype=\"float32\")"
#define HEAD                                                             \
    "from tvm.script import ir as I\n"                                   \
    "from tvm.script import tir as T\n"                                  \
    "from tvm.script import relax as R\n"                                \
    "@I.ir_module\n"                                                     \
    "class Module:\n"                                                    \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def add1(A: T.Buffer((8,), \"float32\"), "                      \
    "C: T.Buffer((8,), \"float32\")):\n"                                 \
    "        for i in range(8):\n"                                       \
    "            C[i] = A[i] + T.float32(1)\n"                           \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def minus(A: T.Buffer((8,), \"float32\"), "                     \
    "B: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")):\n" \
    "        for i in range(8):\n"                                       \
    "            C[i] = A[i] - B[i]\n"                                   \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def pick(A: T.Buffer((8,), \"float32\"), "                      \
    "B: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")):\n" \
    "        for i in range(8):\n"                                       \
    "            C[i] = T.float32(0)\n"                                  \
    "            if A[i] > T.float32(0.5):\n"                            \
    "                C[i] = B[i]\n"                                      \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def bump(A: T.Buffer((8,), \"float32\")):\n"                    \
    "        for i in range(8):\n"                                       \
    "            A[i] = A[i] + T.float32(10)\n"                          \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def first(A: T.Buffer((8,), \"float32\"), "                     \
    "C: T.Buffer((8,), \"float32\")):\n"                                 \
    "        for i in range(7):\n"                                       \
    "            C[i] = A[i]\n"                                          \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def onto(A: T.Buffer((8,), \"float32\"), "                      \
    "C: T.Buffer((8,), \"float32\")):\n"                                 \
    "        for i in range(8):\n"                                       \
    "            C[i] = C[i] + A[i]\n"                                   \
    "    @T.prim_func(private=True, s_tir=True)\n"                       \
    "    def spoil(A: T.Buffer((8,), \"float32\"), "                     \
    "C: T.Buffer((8,), \"float32\")):\n"                                 \
    "        for i in range(8):\n"                                       \
    "            C[i] = A[i] + T.float32(1)\n"                           \
    "            A[i] = T.float32(0)\n"

/* Sums of rows, forwards and backwards; in float16 on the way. */
#define ROWS(name, body)                                  \
    "    @T.prim_func(private=True, s_tir=True)\n"        \
    "    def " name "(A: T.Buffer((8, 4), \"float32\"), " \
    "C: T.Buffer((8,), \"float32\")):\n"                  \
    "        for i in range(8):\n"                        \
    "            C[i] = T.float32(0)\n"                   \
    "            for k in range(4):\n"                    \
    "                C[i] = C[i] + " body "\n"
#define FORWARDS  ROWS("rows", "A[i, k]")
#define BACKWARDS ROWS("rows", "A[i, 3 - k]")
#define HALVED    ROWS("rows", "T.Cast(\"float32\", T.Cast(\"float16\", A[i, k]))")
#define SHORT     ROWS("rows", "A[i, T.min(k, 2)]")

#define MAIN                                                  \
    "    @R.function\n"                                       \
    "    def main(x: " V8 ", y: " V8 ", m: R.Tensor((8, 4), " \
    "dtype=\"float32\")):\n"                                  \
    "        cls = Module\n"
#define CALL(to, callee, args)                                              \
    "        " to " = R.call_tir(cls." callee ", (" args "), out_sinfo=" V8 \
    ")\n"

static const struct {
    const char *label, *tuned, *untuned;
    enum verifier_verdict want;
    const char *says; /* in the reason, or what changes places */
} cases[] = {
    {"the same",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     VERIFIER_IDENTICAL, "same functions"},
    {"order of independent calls, and one made twice",
     HEAD FORWARDS MAIN CALL("b", "add1", "y,") CALL("a", "add1", "x,")
         CALL("c", "minus", "a, b") "        return c\n",
     HEAD FORWARDS MAIN CALL("a", "add1", "x,") CALL("b", "add1", "y,") CALL(
         "d", "add1", "x,") CALL("c", "minus", "d, b") "        return c\n",
     VERIFIER_IDENTICAL, "same functions"},
    {"operands exchanged",
     HEAD FORWARDS MAIN CALL("c", "minus", "y, x") "        return c\n",
     HEAD FORWARDS MAIN CALL("c", "minus", "x, y") "        return c\n",
     VERIFIER_CANDIDATE, "given what 'minus'"},
    {"another result",
     HEAD FORWARDS MAIN CALL("a", "add1", "x,")
         CALL("b", "add1", "y,") "        return a\n",
     HEAD FORWARDS MAIN CALL("a", "add1", "x,")
         CALL("b", "add1", "y,") "        return b\n",
     VERIFIER_CANDIDATE, "result 0"},
    {"order of a sum whose value goes on",
     HEAD BACKWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     VERIFIER_ORDER_ONLY, "in 'rows', the tuned side combines"},
    {"order of a sum that decides",
     HEAD BACKWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "pick", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "pick", "a, x") "        return b\n",
     VERIFIER_UNKNOWN, "differs in rounding"},
    {"a sum that decides, the same",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "pick", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "pick", "a, x") "        return b\n",
     VERIFIER_IDENTICAL, "same functions"},
    {"order of a sum that nothing uses",
     HEAD BACKWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "add1", "x,") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "add1", "x,") "        return b\n",
     VERIFIER_IDENTICAL, "same functions"},
    {"rounded on the way",
     HEAD HALVED MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     VERIFIER_PRECISION, "rounding points"},
    {"a term lost",
     HEAD SHORT MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     VERIFIER_CANDIDATE, "in the call of 'rows'"},
    {"a part of the output left alone",
     HEAD FORWARDS MAIN CALL("a", "first", "x,") "        return a\n",
     HEAD ROWS("first2", "A[i, k]")
         MAIN CALL("a", "add1", "x,") "        return a\n",
     VERIFIER_CANDIDATE, "uninitialised"},
    {"an output that is read first, on both sides of one program's kind",
     HEAD FORWARDS "    @T.prim_func(private=True, s_tir=True)\n"
                   "    def onto2(A: T.Buffer((8,), \"float32\"), "
                   "C: T.Buffer((8,), \"float32\")):\n"
                   "        for i in range(8):\n"
                   "            C[7 - i] = C[7 - i] + A[7 - i]\n" MAIN CALL(
                       "a", "onto2", "x,") "        return a\n",
     HEAD FORWARDS MAIN CALL("a", "onto", "x,") "        return a\n",
     VERIFIER_UNKNOWN, "undefined"},
    {"an argument written over, then used",
     HEAD FORWARDS MAIN CALL("a", "spoil", "x,")
         CALL("b", "minus", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "add1", "x,")
         CALL("b", "minus", "a, x") "        return b\n",
     VERIFIER_CANDIDATE, "in the call of 'spoil'"},
    {"in place, after another call has read it",
     HEAD FORWARDS MAIN CALL(
         "a", "add1", "x,") "        b = R.call_tir_inplace(cls.bump, (x,), "
                            "inplace_indices=[0], "
                            "out_sinfo=[" V8 "])\n" CALL(
                                "c", "minus", "a, x") "        return c\n",
     HEAD FORWARDS MAIN
     "        b = R.call_tir_inplace(cls.bump, (x,), inplace_indices=[0], "
     "out_sinfo=[" V8 "])\n" CALL("a", "add1", "x,")
         CALL("c", "minus", "a, x") "        return c\n",
     VERIFIER_CANDIDATE, "'minus'"},
    {"one function for two",
     HEAD FORWARDS
     "    @T.prim_func(private=True, s_tir=True)\n"
     "    def fused(M: T.Buffer((8, 4), \"float32\"), "
     "X: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")):\n"
     "        S = T.alloc_buffer((1,), \"float32\")\n"
     "        for i in range(8):\n"
     "            S[0] = T.float32(0)\n"
     "            for k in range(4):\n"
     "                S[0] = S[0] + M[i, k]\n"
     "            C[i] = S[0] - X[i]\n" MAIN CALL("b", "fused", "m, x")
         CALL("c", "add1", "b,") "        return c\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,") CALL("b", "minus", "a, x")
         CALL("c", "add1", "b,") "        return c\n",
     VERIFIER_IDENTICAL, "same functions"},
    {"one function for two, with operands exchanged",
     HEAD FORWARDS
     "    @T.prim_func(private=True, s_tir=True)\n"
     "    def fused(M: T.Buffer((8, 4), \"float32\"), "
     "X: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")):\n"
     "        S = T.alloc_buffer((8,), \"float32\")\n"
     "        for i in range(8):\n"
     "            S[i] = T.float32(0)\n"
     "            for k in range(4):\n"
     "                S[i] = S[i] + M[i, k]\n"
     "        for i in range(8):\n"
     "            C[i] = X[i] - S[i]\n" MAIN CALL("b", "fused",
                                                  "m, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     VERIFIER_CANDIDATE, "taken together"},
    {"two functions for one, their sum backwards",
     HEAD BACKWARDS MAIN CALL("a", "rows", "m,")
         CALL("b", "minus", "a, x") "        return b\n",
     HEAD "    @T.prim_func(private=True, s_tir=True)\n"
          "    def fused(M: T.Buffer((8, 4), \"float32\"), "
          "X: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")):\n"
          "        S = T.alloc_buffer((8,), \"float32\")\n"
          "        for i in range(8):\n"
          "            S[i] = T.float32(0)\n"
          "            for k in range(4):\n"
          "                S[i] = S[i] + M[i, k]\n"
          "        for i in range(8):\n"
          "            C[i] = S[i] - X[i]\n" MAIN CALL(
              "b", "fused", "m, x") "        return b\n",
     VERIFIER_ORDER_ONLY, "m[o0, 3] before m[o0, 2]"},
    {"one function for two, given a reordered sum that decides",
     HEAD BACKWARDS
     "    @T.prim_func(private=True, s_tir=True)\n"
     "    def fused(A: T.Buffer((8,), \"float32\"), "
     "B: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")):\n"
     "        for i in range(8):\n"
     "            C[i] = T.float32(1)\n"
     "            if A[i] > T.float32(0.5):\n"
     "                C[i] = B[i] + T.float32(1)\n" MAIN CALL("a", "rows", "m,")
         CALL("b", "fused", "a, x") "        return b\n",
     HEAD FORWARDS MAIN CALL("a", "rows", "m,") CALL("b", "pick", "a, x")
         CALL("c", "add1", "b,") "        return c\n",
     VERIFIER_UNKNOWN, "call of 'fused'"},
    {"an operator that is not legalised",
     HEAD FORWARDS MAIN "        a = R.add(x, y)\n        return a\n",
     HEAD FORWARDS MAIN "        a = R.add(x, y)\n        return a\n",
     VERIFIER_UNKNOWN, "operator"},
};

static struct ir_module *module(const char *label, const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "case.py", sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf said = {0};
        diag_render(sink, false, &said);
        fail_msg("%s: %s\n%s", label, buf_text(&said), text);
        buf_fini(&said);
    }
    diag_sink_free(sink);
    return m;
}

static void test_cases(void **state)
{
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(cases); k++) {
        struct ir_module *t = module(cases[k].label, cases[k].tuned);
        struct ir_module *u = module(cases[k].label, cases[k].untuned);
        struct verifier_options o = {.explain = true};
        struct verifier_result r;
        verifier_prove_relax(t, ir_module_find(t, "main"), u,
                             ir_module_find(u, "main"), &o, &r);
        const char *said = r.swapped != NULL ? r.swapped : r.reason;
        if (r.verdict != cases[k].want)
            fail_msg("%s: verdict %d, wanted %d: %s", cases[k].label,
                     (int)r.verdict, (int)cases[k].want, r.reason);
        if (strstr(said, cases[k].says) == NULL)
            fail_msg("%s: %s", cases[k].label, said);
        verifier_result_fini(&r);
        ir_module_free(t);
        ir_module_free(u);
    }
}

#define SIZED(type, body)                                       \
    "from tvm.script import ir as I\n"                          \
    "from tvm.script import tir as T\n"                         \
    "from tvm.script import relax as R\n"                       \
    "@I.ir_module\n"                                            \
    "class Module:\n"                                           \
    "    @T.prim_func(private=True, s_tir=True)\n"              \
    "    def sum(a: T.handle, c: T.handle):\n"                  \
    "        n = T.int64()\n"                                   \
    "        A = T.match_buffer(a, (n,), \"float32\")\n"        \
    "        C = T.match_buffer(c, (1,), \"float32\")\n"        \
    "        C[0] = T.float32(0)\n"                             \
    "        for i in range(n):\n"                              \
    "            " body "\n"                                    \
    "    @T.prim_func(private=True, s_tir=True)\n"              \
    "    def tail(a: T.handle, c: T.handle):\n"                 \
    "        n = T.int64()\n"                                   \
    "        m = T.int64()\n"                                   \
    "        A = T.match_buffer(a, (n,), \"float32\")\n"        \
    "        C = T.match_buffer(c, (m,), \"float32\")\n"        \
    "        for i in range(m):\n"                              \
    "            C[i] = A[n - m + i]\n"                         \
    "    @R.function\n"                                         \
    "    def main(x: R.Tensor((\"n\",), dtype=\"float32\")):\n" \
    "        n = T.int64()\n"                                   \
    "        cls = Module\n"                                    \
    "        a = R.call_tir(cls.tail, (x,), "                   \
    "out_sinfo=R.Tensor((" type ",), dtype=\"float32\"))\n"     \
    "        b = R.call_tir(cls.sum, (a,), "                    \
    "out_sinfo=R.Tensor((1,), dtype=\"float32\"))\n"            \
    "        return b\n"

/* Proofs of callees are for sizes of at least 1; n - 1 may be 0. */
static void test_sizes(void **state)
{
    static const struct {
        const char *tuned, *untuned;
        enum verifier_verdict want;
    } sized[] = {
        {SIZED("n", "C[0] = C[0] + A[n - 1 - i]"),
         SIZED("n", "C[0] = C[0] + A[i]"), VERIFIER_ORDER_ONLY},
        {SIZED("n - 1", "C[0] = C[0] + A[n - 1 - i]"),
         SIZED("n - 1", "C[0] = C[0] + A[i]"), VERIFIER_UNKNOWN},
    };
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(sized); k++) {
        struct ir_module *t = module("sizes", sized[k].tuned);
        struct ir_module *u = module("sizes", sized[k].untuned);
        struct verifier_options o = {0};
        struct verifier_result r;
        verifier_prove_relax(t, ir_module_find(t, "main"), u,
                             ir_module_find(u, "main"), &o, &r);
        if (r.verdict != sized[k].want)
            fail_msg("sizes %zu: verdict %d: %s", k, (int)r.verdict, r.reason);
        verifier_result_fini(&r);
        ir_module_free(t);
        ir_module_free(u);
    }
}

#define PEELED(first, from)                                        \
    "from tvm.script import ir as I\n"                             \
    "from tvm.script import tir as T\n"                            \
    "from tvm.script import relax as R\n"                          \
    "@I.ir_module\n"                                               \
    "class Module:\n"                                              \
    "    @T.prim_func(private=True, s_tir=True)\n"                 \
    "    def sum(a: T.handle, c: T.handle):\n"                     \
    "        n = T.int64()\n"                                      \
    "        A = T.match_buffer(a, (n,), \"float32\")\n"           \
    "        C = T.match_buffer(c, (1,), \"float32\")\n"           \
    "        C[0] = " first "\n"                                   \
    "        for i in range(" from ", n):\n"                       \
    "            C[0] = C[0] + A[i]\n"                             \
    "    @R.function\n"                                            \
    "    def main(x: R.Tensor((8,), dtype=\"float32\")):\n"        \
    "        cls = Module\n"                                       \
    "        b = R.call_tir(cls.sum, (R.const(1, \"float32\"),), " \
    "out_sinfo=R.Tensor((1,), dtype=\"float32\"))\n"               \
    "        return b\n"

/* Gives the first call of main a vector as its constant. */
static void set_constant(struct ir_module *m, struct ir_tensor *tensor)
{
    const struct rx_expr *body = ir_module_find(m, "main")->relax->body;
    assert_int_equal(body->kind, RX_SEQ);
    struct rx_expr *args = body->blocks[0].bindings[0].value->items[1];
    assert_int_equal(args->items[0]->kind, RX_CONSTANT);
    args->items[0]->tensor = tensor;
}

/* A vector of no elements has no first one; text holds no such constants. */
static void test_empty_constant(void **state)
{
    static const float numbers[2] = {1, 2};
    static int64_t sizes[2] = {0, 2};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        struct ir_tensor tensor = {.dtype = DTYPE_FLOAT32,
                                   .rank = 1,
                                   .shape = &sizes[k],
                                   .data = (const void *)numbers,
                                   .bytes = k == 0 ? 0 : sizeof numbers};
        struct ir_module *t =
            module("peeled", PEELED("T.float32(0) + A[0]", "1"));
        struct ir_module *u = module("whole", PEELED("T.float32(0)", "0"));
        set_constant(t, &tensor);
        set_constant(u, &tensor);
        struct verifier_options o = {0};
        struct verifier_result r;
        verifier_prove_relax(t, ir_module_find(t, "main"), u,
                             ir_module_find(u, "main"), &o, &r);
        if (r.verdict != (k == 0 ? VERIFIER_UNKNOWN : VERIFIER_ORDER_ONLY))
            fail_msg("%d elements: verdict %d: %s", (int)sizes[k],
                     (int)r.verdict, r.reason);
        verifier_result_fini(&r);
        ir_module_free(t);
        ir_module_free(u);
    }
}

/* Functions that call the next one twice: 2^28 calls if nothing ended it. */
static void test_steps(void **state)
{
    struct buf text = {0};
    (void)state;
    buf_puts(&text, HEAD);
    for (int k = 0; k < 29; k++) {
        buf_printf(&text,
                   "    @R.function(private=True)\n"
                   "    def f%d(x: " V8 "):\n"
                   "        cls = Module\n",
                   k);
        if (k < 28)
            buf_printf(&text,
                       "        a = cls.f%d(x)\n"
                       "        b = cls.f%d(a)\n"
                       "        return b\n",
                       k + 1, k + 1);
        else
            buf_puts(&text, "        return x\n");
    }
    buf_puts(&text, "    @R.function\n"
                    "    def main(x: " V8 "):\n"
                    "        cls = Module\n"
                    "        a = cls.f0(x)\n"
                    "        return a\n");
    struct ir_module *m = module("doubled", buf_text(&text));
    struct verifier_options o = {0};
    struct verifier_result r;
    verifier_prove_relax(m, ir_module_find(m, "main"), m,
                         ir_module_find(m, "main"), &o, &r);
    assert_int_equal(r.verdict, VERIFIER_UNKNOWN);
    assert_non_null(strstr(r.reason, "more than 1000000 steps"));
    verifier_result_fini(&r);
    ir_module_free(m);
    buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_empty_constant),
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
