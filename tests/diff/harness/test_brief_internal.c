/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels made short for emulators: which loops lose iterations, and that tile
 * instructions count as the loops that they are where there are none.
 */
#include "diff/harness/measure.h"
#include "diff/input/input.h"
#include "tests/test.h"

#include <string.h>

#define HEAD                                                            \
    "from tvm.script import ir as I\n"                                  \
    "from tvm.script import tirx as T\n\n"                              \
    "@T.prim_func(s_tir=True)\n"                                        \
    "def main(A: T.Buffer((8, 64), \"float32\"), B: T.Buffer((8, 64), " \
    "\"float32\")):\n"

struct row {
    const char *label, *body;
    double share;
    const char *want[4]; /* lines that the shortened function has */
    bool nothing;        /* there is none to shorten */
};

static const struct row rows[] = {
    {"a loop",
     "    for i, j in T.grid(8, 64):\n"
     "        B[i, j] = A[i, j]\n",
     0.25,
     {"T.grid(2, 64)"},
     false},
    {"two loops",
     "    for i, j in T.grid(8, 64):\n"
     "        B[i, j] = A[i, j]\n",
     1.0 / 64,
     {"T.grid(1, 8)"},
     false},
    {"the last stage alone",
     "    for i, j in T.grid(8, 64):\n"
     "        B[i, j] = A[i, j]\n"
     "    for p, q in T.grid(8, 64):\n"
     "        B[p, q] = B[p, q] + T.float32(1)\n",
     0.25,
     {"T.grid(8, 64)", "T.grid(2, 64)"},
     false},
    {"blocks of a grid, not the threads of a block",
     "    for x in T.thread_binding(8, thread=\"blockIdx.x\"):\n"
     "        for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
     "            B[x, t] = A[x, t]\n",
     1.0 / 64,
     {"thread_binding(1, thread=\"blockIdx.x\")",
      "thread_binding(64, thread=\"threadIdx.x\")"},
     false},
    {"a grid that is launched by an attribute",
     "    with T.launch_thread(\"blockIdx.x\", 8) as x:\n"
     "        t = T.launch_thread(\"threadIdx.x\", 64)\n"
     "        B[x, t] = A[x, t]\n",
     0.25,
     {"launch_thread(\"blockIdx.x\", 2)", "launch_thread(\"threadIdx.x\", 64)"},
     false},
    {"threads alone",
     "    for t in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
     "        B[0, t] = A[0, t]\n",
     0.25,
     {NULL},
     true},
    {"lanes",
     "    for j in T.vectorized(64):\n"
     "        B[0, j] = A[0, j]\n",
     0.25,
     {NULL},
     true},
};

static struct ir_module *read_body(const char *head, const char *body)
{
    struct buf text = {0}, said = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&text, "%s%s", head, body);
    struct ir_module *m = ir_read(buf_text(&text), text.len, "case", sink);
    if (m == NULL) {
        diag_render(sink, false, &said);
        print_error("%s\n%s\n", buf_text(&said), buf_text(&text));
    }
    diag_sink_free(sink);
    buf_fini(&text);
    buf_fini(&said);
    return m;
}

static void row_run(void **state)
{
    const struct row *row = *state;
    struct ir_module *m = read_body(HEAD, row->body);
    assert_non_null(m);
    struct arena *arena = arena_new();
    struct diff_side side = {m, m->funcs[0]};
    double before = diff_work(m, m->funcs[0], NULL, 0);
    struct buf whole = {0}, text = {0}, again = {0};
    ir_print_script(m, &whole);
    bool shorter = diff_shorten(&side, row->share, arena);
    assert_int_equal(shorter, !row->nothing);
    ir_print_script(side.module, &text);
    for (size_t i = 0; i < DC_ARRAY_LEN(row->want) && row->want[i]; i++)
        if (strstr(buf_text(&text), row->want[i]) == NULL)
            fail_msg("no %s in\n%s", row->want[i], buf_text(&text));
    if (shorter)
        assert_true(diff_work(side.module, side.func, NULL, 0) < before);
    ir_print_script(m, &again); /* the module is what it was */
    assert_string_equal(buf_text(&whole), buf_text(&again));
    buf_fini(&whole);
    buf_fini(&text);
    buf_fini(&again);
    arena_free(arena);
    ir_module_free(m);
}

/* A product of 16 x 16 x 16 is a step of the interpreter, and 4096 of whom has
 * no such instruction, for a warp as for a thread that does it alone. */
static void test_tiles(void **state)
{
    static const char *const loops[] = {
        "    for y in range(1):\n",
        "    for y in T.thread_binding(32, thread=\"threadIdx.x\"):\n",
        "    for y in T.thread_binding(1, thread=\"threadIdx.y\"):\n"};
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(loops); i++) {
        struct buf body = {0};
        buf_printf(&body,
                   "%s        T.evaluate(T.call_intrin(\"handle\", "
                   "\"tirx.tvm_mma_sync\", A.data, 0, A.data, 0, B.data, 0, "
                   "A.data, 0))\n",
                   loops[i]);
        struct ir_module *m = read_body(HEAD, buf_text(&body));
        assert_non_null(m);
        double step = diff_work(m, m->funcs[0], NULL, 0);
        double work = diff_scalar_work(m, m->funcs[0], NULL, 0);
        assert_true(step < 1000);
        assert_true(work - step > 4096 && work - step < 30 * 4096);
        buf_fini(&body);
        ir_module_free(m);
    }
}

static void test_is_long(void **state)
{
    static const char nest[] = "    for r in range(%s):\n"
                               "        for i, j in T.grid(8, 64):\n"
                               "            B[i, j] = A[i, j]\n";
    (void)state;
    for (int is_long = 0; is_long < 2; is_long++) {
        struct buf body = {0};
        buf_printf(&body, nest, is_long ? "1000000" : "100");
        struct ir_module *m = read_body(HEAD, buf_text(&body));
        assert_non_null(m);
        struct diff_side sides[NSIDES];
        struct diff_case c;
        memset(&c, 0, sizeof c);
        for (size_t side = 0; side < NSIDES; side++)
            sides[side] = (struct diff_side){m, m->funcs[0]};
        assert_int_equal(diff_is_long(sides, &c), is_long);
        if (is_long)
            assert_true(diff_brief_share(sides, &c) < 0.25);
        buf_fini(&body);
        ir_module_free(m);
    }
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 2] = {
        cmocka_unit_test(test_tiles), cmocka_unit_test(test_is_long)};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const void *in;
            void *out;
        } row = {&rows[i]};
        tests[2 + i] =
            (struct CMUnitTest){rows[i].label, row_run, NULL, NULL, row.out};
    }
    return _cmocka_run_group_tests("brief", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
