/* SPDX-License-Identifier: Apache-2.0
 *
 * What a report claims, and for what: pairs of texts, options, and parts of
 * the report in JSON that must be there, or must not. Verdicts and what is
 * assumed follow from docs/verdicts.md.
 */
#include "diff/diff.h"
#include "diff/engine/barriers.h"
#include "tests/test.h"

#include <stdio.h>
#include <string.h>

#define HEADER                         \
    "from tvm.script import ir as I\n" \
    "from tvm.script import tirx as T\n\n"
#define MAIN HEADER "@T.prim_func(s_tir=True)\ndef main("

/* A and B of a shape, with strides. */
#define BOTH(strides)                                           \
    "A: T.Buffer((4, 4), \"float32\", strides=(" strides ")), " \
    "B: T.Buffer((4, 4), \"float32\", strides=(" strides ")))"  \
    ":\n"                                                       \
    "    for i, j in T.grid(4, 4):\n"
#define COPIED  "        B[i, j] = A[i, j]\n"
#define COPIED2 "        B[3 - i, j] = A[3 - i, j]\n"
#define SIZED                                         \
    "a: T.handle, b: T.handle):\n    n = T.int32()\n" \
    "    A = T.match_buffer(a, (n,), \"float32\")\n"  \
    "    B = T.match_buffer(b, (n,), \"float32\")\n"
#define SIZED2(x, y)                                                         \
    "a: T.handle, b: T.handle):\n    " x " = T.int32()\n    " y              \
    " = T.int32()\n    A = T.match_buffer(a, (" x ", " y "), \"float32\")\n" \
    "    B = T.match_buffer(b, (" x ", " y "), \"float32\")\n"
#define GATHER(type, at)                                                   \
    "A: T.Buffer((8,), \"float32\"), I: T.Buffer((16,), \"" type "\"), "   \
    "B: T.Buffer((16,), \"float32\")):\n    for i in range(16):\n        " \
    "B[" at "] = A[I[" at "]]\n"
#define VECTORS                        \
    "A: T.Buffer((4,), \"float32\"), " \
    "B: T.Buffer((4,), \"float32\")):\n"

#define LONGER                         \
    "A: T.Buffer((4,), \"float32\"), " \
    "B: T.Buffer((8,), \"float32\")):\n"
#define SUM                            \
    "A: T.Buffer((4,), \"float32\"), " \
    "B: T.Buffer((1,), \"float32\")):\n"

#define PARTS 3

struct row {
    const char *label;
    const char *untuned, *tuned; /* from the parameters on */
    const char *options[PARTS];  /* NULL at the end */
    int exit;
    const char *says[PARTS];  /* all of them are in the report */
    const char *never[PARTS]; /* none is */
};

// clang-format off
static const struct row rows[] = {
    {"other strides of the first dimension", BOTH("8, 1") COPIED,
     BOTH("16, 1") COPIED2, {NULL}, 2, {"other strides on each side"}, {NULL}},
    {"other strides of the last dimension", BOTH("16, 1") COPIED,
     BOTH("16, 2") COPIED2, {NULL}, 2, {"other strides on each side"}, {NULL}},
    {"the same strides", BOTH("16, 2") COPIED, BOTH("16, 2") COPIED2,
     {"--no-proof"}, 0, {"\"verdict\": \"identical\""}, {NULL}},
    {"sizes that were run are said", SIZED "    for i in range(n):\n"
     "        B[i] = A[i] * A[i]\n", SIZED "    for i in range(n):\n"
     "        B[n - 1 - i] = A[n - 1 - i] * A[n - 1 - i]\n", {"--no-proof"}, 0,
     {"sizes n = 7\"", "sizes n = 1\"", "sizes n = 16\""}, {NULL}},
    {"a size of 1", SIZED "    for i in range(n):\n        B[i] = A[i]\n",
     SIZED "    for i in range(n):\n"
     "        B[i] = T.if_then_else(n > 1, A[i], A[i] + T.float32(1))\n",
     {"--no-proof"}, 1, {"\"verdict\": \"different\""}, {NULL}},
    {"a size of 1 that is not asked about",
     SIZED "    for i in range(n):\n        B[i] = A[i]\n",
     SIZED "    for i in range(n):\n"
     "        B[i] = T.if_then_else(n > 1, A[i], A[i] + T.float32(1))\n",
     {"--no-proof", "--assume=n:4..9"}, 0, {NULL}, {"\"different\""}},
    {"a size above what is assumed",
     SIZED "    for i in range(n):\n        B[i] = A[i]\n",
     SIZED "    for i in range(n):\n"
     "        B[i] = T.if_then_else(n < 10, A[i], A[i] + T.float32(1))\n",
     {"--no-proof", "--assume=n:4..9"}, 0, {NULL}, {"\"different\""}},
    {"sizes of two dimensions, by other names", SIZED2("n", "m")
     "    for i, j in T.grid(n, m):\n        B[i, j] = A[i, j]\n",
     SIZED2("p", "q")
     "    for j, i in T.grid(q, p):\n        B[i, j] = A[i, j]\n",
     {"--no-proof"}, 0, {"\"verdict\": \"agrees\""}, {"unsafe"}},
    {"the range of an index is that of its dimension",
     GATHER("int32", "i"), GATHER("int32", "15 - i"),
     {"--no-proof"}, 0, {"I in 0..7\""}, {NULL}},
    {"a given range", GATHER("uint8", "i"), GATHER("uint8", "15 - i"),
     {"--no-proof", "--assume=I:0..5"}, 0, {"I in 0..5\""}, {NULL}},
    {"a range that ends below the type's end alone", GATHER("uint8", "i"),
     GATHER("uint8", "15 - i"), {"--no-proof"}, 0, {"I in 0..7\""}, {NULL}},
    {"a sum from -0: keyed runs show more than the proof",
     SUM "    B[0] = T.float32(-0.0)\n    for k in range(4):\n"
         "        B[0] = B[0] + A[k]\n",
     SUM "    B[0] = A[0]\n    for k in range(3):\n"
         "        B[0] = B[0] + A[k + 1]\n",
     {NULL}, 0, {"\"verdict\": \"identical\"", "\"fingerprint\""}, {NULL}},
    {"a sum from 0", SUM "    B[0] = T.float32(0)\n    for k in range(4):\n"
                         "        B[0] = B[0] + A[k]\n",
     SUM "    B[0] = A[0]\n    for k in range(3):\n"
         "        B[0] = B[0] + A[k + 1]\n",
     {NULL}, 0, {"\"verdict\": \"order-only\""}, {NULL}},
    {"a tuned parameter of more elements",
     VECTORS "    for i in range(4):\n        B[i] = A[i]\n",
     LONGER "    for i in range(4):\n        B[i] = A[i]\n", {NULL}, 2,
     {"differs in type or size"}, {NULL}},
    {"a tuned parameter of fewer elements",
     LONGER "    for i in range(4):\n        B[i] = A[i]\n",
     VECTORS "    for i in range(4):\n        B[i] = A[i]\n", {NULL}, 2,
     {"differs in type or size"}, {NULL}},
    {"a proof",
     VECTORS "    for i in range(4):\n        B[i] = A[i]\n",
     VECTORS "    for i in range(4):\n        B[3 - i] = A[3 - i]\n",
     {NULL}, 0, {"\"evidence\": \"proof\"", "parameters do not overlap"},
     {NULL}},
    {"none for parameters that overlap",
     VECTORS "    for i in range(4):\n        B[i] = A[i]\n",
     VECTORS "    for i in range(4):\n        B[3 - i] = A[3 - i]\n",
     {"--assume=overlap=A,B"}, 0, {NULL}, {"\"evidence\": \"proof\""}},
};
// clang-format on

static struct ir_module *read_module(const char *label, const char *text,
                                     const char *name)
{
    struct buf script = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&script, MAIN "%s", text);
    struct ir_module *m = ir_read(buf_text(&script), script.len, name, sink);
    if (m == NULL) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        fail_msg("%s: %s\n%s", label, buf_text(&out), buf_text(&script));
    }
    diag_sink_free(sink);
    buf_fini(&script);
    return m;
}

static void row_run(void **state)
{
    const struct row *row = *state;
    struct arena *arena = arena_new();
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *u = read_module(row->label, row->untuned, "untuned");
    struct ir_module *t = read_module(row->label, row->tuned, "tuned");
    struct report *r = report_new();
    struct report_style plain = {0};
    struct diff_options o;
    struct buf text = {0};
    char words[3 + PARTS][40] = {"diffcheck", "t", "u"};
    char *argv[3 + PARTS];
    int argc = 3;
    for (size_t i = 0; i < PARTS && row->options[i] != NULL; i++)
        (void)snprintf(words[argc++], sizeof words[0], "%s", row->options[i]);
    for (int i = 0; i < argc; i++)
        argv[i] = words[i];
    assert_true(diff_options_parse(argc, argv, arena, &o, sink));
    diff_compare_modules(&o, t, u, r, sink);
    report_write_one(report_writer_find("json", 4), r, plain, &text);
    if (r->exit_code != row->exit)
        fail_msg("%s: exit %d\n%s", row->label, r->exit_code, buf_text(&text));
    for (size_t i = 0; i < PARTS; i++) {
        if (row->says[i] != NULL && !strstr(buf_text(&text), row->says[i]))
            fail_msg("%s: no '%s' in %s", row->label, row->says[i],
                     buf_text(&text));
        if (row->never[i] != NULL && strstr(buf_text(&text), row->never[i]))
            fail_msg("%s: '%s' in %s", row->label, row->never[i],
                     buf_text(&text));
    }
    buf_fini(&text);
    report_free(r);
    ir_module_free(u);
    ir_module_free(t);
    diag_sink_free(sink);
    arena_free(arena);
}

/* Errors of a module that is read from a file; names that nobody defines are
 * left to the comparison. */
static void test_illformed(void **state)
{
    static const struct {
        const char *tuned, *untuned;
        int exit;
    } files[] = {
        {"corpora/illformed/break-outside.py", "tests/cli/data/scaled.py", 2},
        {"tests/cli/data/scaled.py", "corpora/illformed/break-outside.py", 2},
        {"tests/cli/data/scaled.py", "tests/cli/data/scaled.py", 0},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(files); i++) {
        struct arena *arena = arena_new();
        struct diag_sink *sink = diag_sink_new();
        struct report *r = report_new();
        struct diff_options o;
        char words[3][60] = {"diffcheck"};
        char *argv[3] = {words[0], words[1], words[2]};
        (void)snprintf(words[1], sizeof words[1], "%s", files[i].tuned);
        (void)snprintf(words[2], sizeof words[2], "%s", files[i].untuned);
        assert_true(diff_options_parse(3, argv, arena, &o, sink));
        diff_compare(&o, r, sink);
        assert_int_equal(r->exit_code, files[i].exit);
        if (files[i].exit == 2)
            assert_non_null(strstr(r->error, "break"));
        report_free(r);
        diag_sink_free(sink);
        arena_free(arena);
    }
}

/* ---- may barriers be implied? -------------------------------------------------------- */

#define STORAGE(name, scope) \
    "    " name " = T.alloc_buffer((4,), \"float32\", scope=\"" scope "\")\n"
#define THREADS     "    for i in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
#define SYNC(scope) "        T.evaluate(T.tvm_storage_sync(\"" scope "\"))\n"

static const struct {
    const char *body;
    bool may;
} functions[] = {
    {THREADS "        B[i] = A[i]\n", false},
    {STORAGE("S", "local") THREADS "        S[0] = A[i]\n        B[i] = S[0]\n",
     false},
    {STORAGE("S", "shared") THREADS
     "        S[i] = A[i]\n        B[i] = S[i]\n",
     true},
    {STORAGE("S", "shared.dyn") THREADS "        S[i] = A[i]\n", true},
    {STORAGE("W", "warp") THREADS "        W[i] = A[i]\n", true},
    {STORAGE("S", "shared") THREADS "        B[i] = S[i]\n", true},
    {STORAGE("S", "shared") THREADS "        S[i] = A[i]\n" SYNC("shared"),
     false},
    {STORAGE("S", "shared") STORAGE("W", "warp") THREADS
     "        S[i] = A[i]\n        W[i] = A[i]\n" SYNC("shared"),
     true},
    {STORAGE("S", "shared") STORAGE("W", "warp") THREADS
     "        S[i] = A[i]\n        W[i] = A[i]\n" SYNC("warp"),
     true},
    {STORAGE("S", "shared") STORAGE("W", "warp") THREADS
     "        S[i] = A[i]\n        W[i] = A[i]\n" SYNC("warp") SYNC("shared"),
     false},
};

static void test_implied(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(functions); i++) {
        struct buf text = {0};
        buf_printf(&text, "%s%s", VECTORS, functions[i].body);
        struct ir_module *m =
            read_module("barriers", buf_text(&text), "barriers");
        if (diff_may_imply_barriers(m->funcs[0]) != functions[i].may)
            fail_msg("%s", buf_text(&text));
        ir_module_free(m);
        buf_fini(&text);
    }
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 2] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct row *in;
            void *out;
        } row = {&rows[i]};
        tests[i].name = rows[i].label;
        tests[i].test_func = row_run;
        tests[i].initial_state = row.out;
    }
    tests[DC_ARRAY_LEN(rows)].name = "barriers that may be implied";
    tests[DC_ARRAY_LEN(rows)].test_func = test_implied;
    tests[DC_ARRAY_LEN(rows) + 1].name = "ill-formed modules";
    tests[DC_ARRAY_LEN(rows) + 1].test_func = test_illformed;
    return _cmocka_run_group_tests("claims", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
