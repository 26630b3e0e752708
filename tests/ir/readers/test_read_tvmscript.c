/* SPDX-License-Identifier: Apache-2.0
 *
 * The TVMScript reader on small texts.
 *
 * What a script means is checked by pairs: two texts that must read equal. For
 * operators the right side is what TVM 0.27 made of the left side (measured);
 * for dialects both sides are one program in the spelling of two versions; for
 * regions the right side states what TVM 0.27 worked out for the left.
 * Faults are checked by place and message.
 */
#include "ir/base/limits.h"
#include "ir/ir.h"
#include "tests/test.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

extern const struct ir_reader read_tvmscript;

#define HEAD                                                            \
    "@I.ir_module\n"                                                    \
    "class Module:\n"                                                   \
    "    @T.prim_func(s_tir=True)\n"                                    \
    "    def main(A: T.Buffer((16,), \"float32\"), H: T.Buffer((16,), " \
    "\"float16\"), I_: T.Buffer((16,), \"int32\"), n: T.int32, m: T.int64):\n"

static struct ir_module *read_text(const char *text, struct diag_sink *sink)
{
    return read_tvmscript.read(text, strlen(text), "t.py", sink);
}

static void put_body(struct buf *out, const char *body)
{
    buf_puts(out, HEAD);
    buf_puts(out, "        ");
    for (const char *c = body; *c; c++) {
        buf_putc(out, *c);
        if (*c == '\n')
            buf_puts(out, "        ");
    }
    buf_putc(out, '\n');
}

static struct ir_module *must_read(const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = read_text(text, sink);
    if (!m) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        print_error("%s", buf_text(&out));
        buf_fini(&out);
    }
    diag_sink_free(sink);
    assert_non_null(m);
    return m;
}

static void check_equal(const char *a, const char *b, bool want)
{
    struct ir_module *ma = must_read(a), *mb = must_read(b);
    struct buf where = {0};
    struct ir_equal_options options = {0};
    bool equal = ir_module_equal(ma, mb, options, &where);
    if (equal != want)
        print_error("%s\nagainst\n%s\n%s\n", a, b, buf_text(&where));
    buf_fini(&where);
    ir_module_free(ma);
    ir_module_free(mb);
    assert_int_equal(equal, want);
}

static void check_bodies(const char *a, const char *b, bool want)
{
    struct buf ta = {0}, tb = {0};
    put_body(&ta, a);
    put_body(&tb, b);
    check_equal(buf_text(&ta), buf_text(&tb), want);
    buf_fini(&ta);
    buf_fini(&tb);
}

/* ---- operators: promotion and folding --------------------------------------------- */

static const struct {
    const char *written, *means;
} operators[] = {
    {"n + 0", "n"},
    {"0 + n", "n"},
    {"n - 0", "n"},
    {"0 - n", "T.Sub(0, n)"},
    {"n * 1", "n"},
    {"n * 0", "0"},
    {"n // 1", "n"},
    {"n % 1", "0"},
    {"0 // n", "0"},
    {"0 % n", "0"},
    {"T.truncmod(n, 1)", "0"},
    {"T.truncdiv(n, 1)", "n"},
    {"n << 0", "n"},
    {"n & 0", "T.BitwiseAnd(n, 0)"},
    {"n | 0", "T.BitwiseOr(n, 0)"},
    {"T.min(n, n)", "n"},
    {"T.min(2, 3)", "2"},
    {"T.max(T.int64(2), 3)", "T.int64(3)"},
    {"-n", "T.Mul(n, -1)"},
    {"-T.float32(1)", "T.float32(-1.0)"},
    {"n + n - n", "T.Sub(T.Add(n, n), n)"},
    {"3 - n", "T.Sub(3, n)"},
    {"n * T.int64(2)", "T.Mul(T.Cast(\"int64\", n), T.int64(2))"},
    {"m + 3", "T.Add(m, T.int64(3))"},
    {"n + m", "T.Add(T.Cast(\"int64\", n), m)"},
    {"n + 1.5", "T.Add(T.Cast(\"float32\", n), T.float32(1.5))"},
    {"T.int64(4) * 2", "T.int64(8)"},
    {"T.int64(4) + n * 2", "T.Add(T.int64(4), T.Cast(\"int64\", T.Mul(n, 2)))"},
    {"n + 2147483648", "T.Add(T.Cast(\"int64\", n), T.int64(2147483648))"},
    {"2147483648", "T.int64(2147483648)"},
    {"T.int64(T.int32(3))", "T.int64(3)"},
    {"T.int64(n)", "T.Cast(\"int64\", n)"},
    {"(n < 3) + 1", "T.Add(T.Cast(\"int32\", n < 3), 1)"},
    {"T.uint8(255) + T.uint8(1)", "T.uint8(0)"},
    {"T.float32(1) + T.float32(2)", "T.float32(3)"},
    {"T.float64(1) / T.float64(3)", "T.float64(0.33333333333333331)"},
    {"T.float32(1) / T.float32(3)", "T.float32(0.3333333432674408)"},
    {"T.float32(1) / T.float32(0)", "T.Div(T.float32(1.0), T.float32(0.0))"},
    {"T.float32(0) / T.float32(3)", "T.float32(0.0)"},
    {"T.float16(1) + T.float16(2)", "T.Add(T.float16(1), T.float16(2))"},
    {"A[0] * T.float32(1)", "A[0]"},
    {"A[0] * T.float32(0)", "T.float32(0)"},
    {"A[0] + 1", "T.Add(A[0], T.float32(1))"},
    {"A[0] / 2", "T.Div(A[0], T.float32(2))"},
    {"H[0] + A[0]", "T.Add(T.Cast(\"float32\", H[0]), A[0])"},
    {"T.max(A[0], 0)", "T.max(A[0], T.float32(0))"},
    {"T.pow(A[0], 2)", "T.pow(A[0], T.float32(2))"},
    {"T.isnan(H[0])", "T.isnan(T.Cast(\"float32\", H[0]))"},
    {"T.round(n)", "n"},
    {"T.ceildiv(n, 4)", "T.FloorDiv(T.Sub(T.Add(n, 4), 1), 4)"},
    {"n // 2", "T.FloorDiv(n, 2)"},
    {"T.shift_right(n, 2)", "n >> 2"},
    {"n < m", "T.LT(T.Cast(\"int64\", n), m)"},
    {"n < 1.5", "T.LT(T.Cast(\"float32\", n), T.float32(1.5))"},
    {"n < 3 < m", "T.And(T.LT(n, 3), T.LT(T.int64(3), m))"},
    {"0 <= n and n < 3", "T.And(T.LE(0, n), T.LT(n, 3))"},
    {"True and n < 3", "T.And(T.bool(True), n < 3)"},
    {"not n < 3", "T.Not(T.LT(n, 3))"},
    {"n if True else m", "n"},
    {"T.Ramp(n, 1, 4) + 1", "T.Add(T.Ramp(n, 1, 4), T.Broadcast(1, 4))"},
    {"T.int32x4(3)", "T.Broadcast(3, 4)"},
    {"T.infinity(\"float32\")", "T.float32(\"inf\")"},
    {"T.max_value(\"float16\")", "T.float16(65504.0)"},
    {"2 ** 3 + 7 // 2 - 7 % 4", "8"},
    {"1 + 2 * 3", "7"},
    {"-7 // 2", "-4"},
    {"-7 % 3", "2"},
    {"(1 << 4) | 3 ^ 1 & 0xff", "18"},
    {"A[0:4] + A[4:8]", "A[T.Ramp(0, 1, 4)] + A[T.Ramp(4, 1, 4)]"},
    {"A[0:8:2]", "A[T.Ramp(0, 2, 4)]"},
    {"A[n:n + 4]", "A[T.Ramp(n, 1, 4)]"},
    {"T.float32(\"-inf\")", "T.float32(float(\"-inf\"))"},
    {"T.exp(A[0], dtype=\"float32\")", "T.exp(A[0])"},
    {"T.cast(A[0], \"float16\")", "T.Cast(\"float16\", A[0])"},
    {"A.vload([0], dtype=\"float32x4\")", "A[0:4]"},
};

static void test_operators(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(operators); i++) {
        struct buf a = {0}, b = {0};
        buf_printf(&a, "T.evaluate(T.call_extern(\"int32\", \"f\", %s))",
                   operators[i].written);
        buf_printf(&b, "T.evaluate(T.call_extern(\"int32\", \"f\", %s))",
                   operators[i].means);
        check_bodies(buf_text(&a), buf_text(&b), true);
        buf_fini(&a);
        buf_fini(&b);
    }
}

/* ---- statements ------------------------------------------------------------------------- */

static const struct {
    const char *label, *a, *b;
    bool equal;
} statements[] = {
    {"no-ops are dropped", "T.evaluate(0)\nT.evaluate(n)\npass",
     "T.evaluate(n)", true},
    {"a plain bool decides", "if True:\n    A[0] = 1\nelse:\n    A[1] = 1",
     "A[0] = T.float32(1)", true},
    {"a condition of the IR stays", "if T.bool(True):\n    A[0] = 1",
     "A[0] = T.float32(1)", false},
    {"range from", "for i in range(2, n):\n    A[i] = 0",
     "for i in T.grid((2, T.Sub(n, 2))):\n    A[i] = T.float32(0)", true},
    {"int64 loop", "for i in range(0, m):\n    A[i] = 0",
     "for i in T.serial(T.int64(0), m):\n    A[i] = T.float32(0)", true},
    {"grid", "for i, j in T.grid(4, n):\n    A[i] = j",
     "for i in range(4):\n    for j in range(n):\n        A[i] = "
     "T.Cast(\"float32\", j)",
     true},
    {"loop kinds differ", "for i in T.parallel(4):\n    A[i] = 0",
     "for i in T.vectorized(4):\n    A[i] = 0", false},
    {"elif",
     "if n < 1:\n    A[0] = 0\nelif n < 2:\n    A[1] = 0\nelse:\n"
     "    A[2] = 0",
     "if n < 1:\n    A[0] = 0\nelse:\n    if n < 2:\n        A[1] = 0\n"
     "    else:\n        A[2] = 0",
     true},
    {"stores convert", "A[0] = n\nI_[0] = m\nH[0] = 0.5",
     "A[0] = T.Cast(\"float32\", n)\nI_[0] = T.Cast(\"int32\", m)\n"
     "H[0] = T.float16(0.5)",
     true},
    {"slice store", "A[0:4] = T.Broadcast(T.float32(1), 4)\nA[4:5] = 2",
     "A[T.Ramp(0, 1, 4)] = T.Broadcast(T.float32(1), 4)\nA[4] = 2", true},
    {"update", "A[n] += 1", "A[n] = A[n] + 1", true},
    {"scope as statement", "T.attr(A.data, \"k\", 1)\nA[0] = 1\nA[1] = 2",
     "with T.attr(A.data, \"k\", 1):\n    A[0] = 1\n    A[1] = 2", true},
    {"env thread",
     "tx = T.env_thread(\"threadIdx.x\")\nT.launch_thread(tx, 4)\nA[tx] = 1",
     "with T.launch_thread(\"threadIdx.x\", 4) as t:\n    A[t] = 1", true},
    {"view", "B = A.view(4, 4)\nB[0, 0] = 1",
     "B = T.decl_buffer((4, 4), data=A.data)\nB[0, 0] = 1", true},
    {"view reads the same storage", "B = A.view(4, 4)\nB[0, 0] = 1",
     "B = T.decl_buffer((4, 4), \"float32\", data=I_.data)\nB[0, 0] = 1",
     false},
    {"alloc", "B = T.alloc_shared((4,))\nB[0] = 1",
     "B = T.alloc_buffer((4,), \"float32\", scope=\"shared\")\nB[0] = 1", true},
    {"let", "x: T.let[T.int32] = n + 1\nA[x] = 1", "x: T.let = n + 1\nA[x] = 1",
     true},
    {"scalar", "x: T.int32 = n\nx = x + 1\nA[x] = 1",
     "x = T.alloc_local((1,), \"int32\")\nx[0] = n\nx[0] = x[0] + 1\n"
     "A[x[0]] = 1",
     true},
    {"tuple targets", "a, b = n + 1, n + 2\nA[a] = b",
     "a = n + 1\nb = n + 2\n"
     "A[a] = b",
     true},
    {"assert", "assert n < 3, \"text\"",
     "assert n < 3, (\"RuntimeError\", [\"text\"])", true},
    {"line joining", "A[\n  0\n] = 1; A[1] = \\\n    2 # comment",
     "A[0] = 1\nA[1] = 2", true},
    {"strings", "T.call_extern(\"int32\", \"a\" 'b\\n        \\x41')",
     "T.call_extern(\"int32\", \"\"\"ab\nA\"\"\")", true},
    {"meta variables", "x = T.meta_var(n + 1)\nA[x] = 1", "A[n + 1] = 1", true},
    {"match_buffer",
     "with T.sblock(\"B\"):\n    C = T.match_buffer(A[0:4])\n    C[0] = 1",
     "with T.sblock(\"B\"):\n    C = T.match_buffer(A[0:4], (4,), "
     "\"float32\")\n    C[0] = 1",
     true},
    {"a flat store has a predicate", "T.store(A.data, n, 1.0, n > 2)",
     "A.vstore([n], T.float32(1), predicate=n > 2)", true},
    {"a predicate that is true says nothing",
     "T.store(A.data, n, 1.0, T.bool(True))", "A[n] = T.float32(1)", true},
    {"constants row by row",
     "B = T.allocate_const([[1, 0], [1, 1]], \"bool\", [2, 2])\n"
     "T.evaluate(n)",
     "B = T.allocate_const([True, False, True, True], \"bool\", [2, 2])\n"
     "T.evaluate(n)",
     true},
    {"a typed binding", "x = T.bind(n, T.int32)\nA[x] = 1",
     "x: T.let = n\nA[x] = 1", true},
    {"the least type of an axis",
     "with T.sblock(\"B\"):\n"
     "    v = T.axis.spatial(16, n, dtype=\"int64\")\n    A[v] = 1",
     "with T.sblock(\"B\"):\n    v = T.axis.spatial(16, n)\n    A[v] = 1",
     false},
};

static void test_statements(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(statements); i++) {
        if (getenv("DC_VERBOSE"))
            print_message("%s\n", statements[i].label);
        check_bodies(statements[i].a, statements[i].b, statements[i].equal);
    }
}

/* ---- regions that the author left out ------------------------------------------------------- */

#define BLOCK                                         \
    "for i in range(4):\n    with T.sblock(\"B\"):\n" \
    "        vi = T.axis.spatial(4, i)\n"

static const struct {
    const char *label, *body, *reads, *writes;
} regions[] = {
    {"points join to a box", "        H[vi] = A[vi] + A[vi + 2] + A[vi + 1]",
     "A[vi:vi + 3]", "H[vi]"},
    {"inner loops are relaxed",
     "        for j in range(4):\n            H[vi * 4 + j] = A[vi * 4 + j]",
     "A[vi * 4:vi * 4 + 4]", "H[vi * 4:vi * 4 + 4]"},
    {"down", "        for j in range(4):\n            H[vi] = A[15 - j - vi]",
     "A[12 - vi:12 - vi + 4]", "H[vi]"},
    {"an init takes the read away",
     "        with T.init():\n            H[vi] = T.float16(0)\n"
     "        H[vi] = H[vi] + H[vi]",
     "", "H[vi]"},
    {"own buffers do not count",
     "        S = T.sblock_alloc_buffer((4,))\n"
     "        for j in range(4):\n            S[j] = A[vi * 4 + j]\n"
     "        for j in range(4):\n            H[vi * 4 + j] = S[3 - j]",
     "A[vi * 4:vi * 4 + 4]", "H[vi * 4:vi * 4 + 4]"},
    {"a nested block counts with its claims",
     "        for j in range(4):\n            with T.sblock(\"C\"):\n"
     "                vj = T.axis.spatial(16, vi * 4 + j)\n"
     "                T.reads(A[15 - vj])\n                T.writes(H[vj])\n"
     "                H[vj] = A[15 - vj]",
     "A[12 - vi * 4:12 - vi * 4 + 4]", "H[vi * 4:vi * 4 + 4]"},
    {"data-dependent indices", "        H[vi] = A[I_[vi]]", "A[I_[vi]], I_[vi]",
     "H[vi]"},
    {"a matched buffer counts as its source",
     "        X = T.match_buffer(A[vi * 4:vi * 4 + 4], (4,), offset_factor=1)\n"
     "        for j in range(4):\n            H[vi * 4 + j] = X[j]",
     "A[vi * 4:vi * 4 + 4]", "H[vi * 4:vi * 4 + 4]"},
    {"symbolic extents",
     "        for j in range(n):\n            H[vi + j] = A[j * 2]",
     "A[0:n * 2 - 1]", "H[vi:vi + n]"},
    {"bindings are looked through",
     "        x: T.let[T.int32] = vi * 2\n        H[vi] = A[x]", "A[vi * 2]",
     "H[vi]"},
};

static void test_regions(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(regions); i++) {
        struct buf a = {0}, b = {0};
        buf_printf(&a, "%s%s", BLOCK, regions[i].body);
        buf_printf(&b, "%s        T.reads(%s)\n        T.writes(%s)\n%s", BLOCK,
                   regions[i].reads, regions[i].writes, regions[i].body);
        if (getenv("DC_VERBOSE"))
            print_message("%s\n", regions[i].label);
        check_bodies(buf_text(&a), buf_text(&b), true);
        buf_fini(&a);
        buf_fini(&b);
    }
}

/* ---- what the parser adds to a function --------------------------------------------------------- */

static void test_function(void **state)
{
    (void)state;
    struct ir_module *m = must_read(
        "n = TypeVar(\"n\")\n"
        "@T.prim_func(s_tir=True)\n"
        "def f(A: T.Buffer((n, \"k\")), p: T.handle(\"int8\", \"shared\")):\n"
        "    k = T.int64()\n"
        "    free = T.int32()\n"
        "    for i in range(n):\n"
        "        with T.sblock(\"B\"):\n"
        "            vi = T.axis.spatial(n, i)\n"
        "            A[vi, free] = 1\n");
    struct ir_func *f = ir_module_find(m, "f");
    assert_non_null(f);
    assert_true(m->bare_func);
    assert_string_equal(
        ir_value_as_string(ir_value_find(f->attrs, "global_symbol")), "f");
    int64_t s_tir = 0;
    assert_true(ir_value_as_int(ir_value_find(f->attrs, "s_tir"), &s_tir));
    assert_int_equal(s_tir, 1);
    struct ir_buffer *a = f->prim.params[0].buffer;
    assert_true(dtype_equal(a->dtype, DTYPE_FLOAT32));
    assert_true(dtype_equal(a->shape[0]->dtype, DTYPE_INT64));
    assert_true(dtype_equal(a->shape[1]->dtype, DTYPE_INT64));
    assert_string_equal(f->prim.params[1].var->type->scope, "shared");
    assert_int_equal(f->prim.body->kind, IR_BLOCK);
    assert_string_equal(f->prim.body->u.block->name, "root");
    const char **names;
    assert_int_equal(ir_undefined_vars(f, m->arena, &names), 1);
    assert_string_equal(names[0], "free");
    ir_module_free(m);
}

static void test_private(void **state)
{
    (void)state;
    struct ir_module *m = must_read(
        "@T.prim_func(private=True)\ndef f(n: T.int32):\n    T.evaluate(n)\n");
    assert_null(m->funcs[0]->attrs);
    assert_int_equal(m->funcs[0]->prim.body->kind, IR_EVALUATE);
    ir_module_free(m);
}

/* Texts of whole functions that mean the same, or do not. */
static const struct {
    const char *a, *b;
    bool equal;
} functions[] = {
    {"@T.prim_func(persistent=True)\ndef f(n: T.int32):\n    T.evaluate(n)\n",
     "@T.prim_func\ndef f(n: T.int32):\n"
     "    T.func_attr({\"tirx.persistent_kernel\": True})\n"
     "    T.evaluate(n)\n",
     true},
    {"@T.prim_func\ndef f(p: T.handle(storage_scope=\"shared\")):\n    pass\n",
     "@T.prim_func\ndef f(p: T.handle(\"void\", \"shared\")):\n    pass\n",
     true},
    {"@T.prim_func\ndef f(p: T.handle(storage_scope=\"shared\")):\n    pass\n",
     "@T.prim_func\ndef f(p: T.handle):\n    pass\n", false},
    {"@T.prim_func\ndef f(p: T.handle(\"void\")):\n    pass\n",
     "@T.prim_func\ndef f(p: T.handle):\n    pass\n", true},
    {"@T.prim_func\ndef f(n: T.int32) -> T.Tuple(T.int32):\n    return n\n",
     "@T.prim_func\ndef f(n: T.int32) -> T.Tuple(T.int64):\n    return n\n",
     false},
    {"@R.function\ndef f(x: R.Callable):\n    return x\n",
     "@R.function\ndef f(x: R.Callable(ret=R.Object, purity=False)):\n"
     "    return x\n",
     true},
    {"@R.function\ndef f(x: R.Object):\n"
     "    return R.const(18446744073709551615, \"uint64\")\n",
     "@R.function\ndef f(x: R.Object):\n"
     "    return R.const(0, \"uint64\")\n",
     false},
    {"@R.function\ndef f(x: R.Callable):\n    return x\n",
     "@R.function\ndef f(x: R.Callable(purity=True)):\n    return x\n", false},
};

static void test_functions(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(functions); i++)
        check_equal(functions[i].a, functions[i].b, functions[i].equal);
}

/* ---- files ------------------------------------------------------------------------------------------ */

static struct ir_module *read_file(const char *path, struct diag_sink *sink)
{
    struct buf text = {0};
    struct ir_module *m = NULL;
    if (file_read(path, 0, &text, sink))
        m = read_tvmscript.read(buf_text(&text), text.len, path, sink);
    buf_fini(&text);
    return m;
}

static void check_files(const char *a, const char *b)
{
    struct buf ta = {0}, tb = {0};
    assert_true(file_read(a, 0, &ta, NULL));
    assert_true(file_read(b, 0, &tb, NULL));
    check_equal(buf_text(&ta), buf_text(&tb), true);
    buf_fini(&ta);
    buf_fini(&tb);
}

/* One program in the spelling of several versions. */
static void test_dialects(void **state)
{
    (void)state;
    check_files("corpora/script/gemm_0.08.py", "corpora/script/gemm_0.11.py");
    check_files("corpora/script/gemm_0.11.py", "corpora/script/gemm_author.py");
    check_files("corpora/script/gemm_0.11.py", "corpora/script/gemm_0.24.py");
    check_files("corpora/script/lowered_0.08.py",
                "corpora/script/lowered_0.20.py");
}

/* Reads every .py file of a folder; counts those that read. */
static size_t read_folder(const char *folder, size_t *total)
{
    size_t read = 0;
    *total = 0;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (struct dirent *d; (d = readdir(dir));) {
        size_t len = strlen(d->d_name);
        if (len < 4 || strcmp(d->d_name + len - 3, ".py") != 0)
            continue;
        struct buf path = {0};
        buf_printf(&path, "%s/%s", folder, d->d_name);
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *m = read_file(buf_text(&path), sink);
        (*total)++;
        read += m != NULL;
        bool placed = !m && diag_error_count(sink) == 1 &&
                      diag_at(sink, 0)->line > 0 && diag_at(sink, 0)->col > 0;
        if (!m && !placed)
            fail_msg("%s: no message with a place", d->d_name);
        ir_module_free(m);
        diag_sink_free(sink);
        buf_fini(&path);
    }
    closedir(dir);
    return read;
}

static void test_samples(void **state)
{
    (void)state;
    size_t total;
    size_t read = read_folder("corpora/script", &total);
    assert_int_equal(read, total);
    assert_true(total >= 10);
    read = read_folder("corpora/malformed/tvmscript", &total);
    assert_int_equal(read, 0);
    assert_true(total >= 120);
}

/* ---- faults --------------------------------------------------------------------------------------------- */

static const struct {
    const char *text;
    uint32_t line, col;
    const char *code, *message;
} faults[] = {
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(q)\n", 3, 16,
     "script.name", "'q' is not defined"},
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate((n)\n", 3, 15,
     "script.syntax", "never closed"},
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n n)\n", 3, 18,
     "script.syntax", "expected ')'"},
    {"@T.prim_func\ndef f(n: T.int32):\n    for i in range(3):\n    n\n", 4, 5,
     "script.syntax", "indented block"},
    {"@T.prim_func\ndef f(n: T.int32):\n        T.evaluate(n)\n      "
     "T.evaluate(n)\n",
     4, 7, "script.syntax", "indent"},
    {"@T.prim_func\ndef f(A: T.Buffer((4, 4))):\n    A[0] = 1\n", 3, 5,
     "script.type", "2 dimensions"},
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(\"a\n", 3, 16,
     "script.syntax", "string is never closed"},
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(T.int8(128))\n", 3, 23,
     "script.type", "does not fit type 'int8'"},
    {"@T.prim_func\ndef f(A: T.Buffer((\"n +\",))):\n    pass\n", 2, 20,
     "script.syntax", "expected an expression"},
    {"@T.prim_func\ndef f(A: T.Buffer((4,), elel_offset=1)):\n    pass\n", 2,
     37, "script.type", "'T.Buffer' has no argument 'elel_offset'"},
    {"@T.prim_func\ndef f(A: T.Buffer((4,), \"\")):\n    pass\n", 2, 25,
     "script.type", "type 'void'"},
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(n, n)\n", 3, 5,
     "script.type", "at most 1 argument here, not 2"},
    {"@T.prim_func\ndef f(n: T.int32):\n    x = T.unheard_of(n)\n", 3, 5,
     "script.type", "result type of 'tirx.unheard_of' is not known"},
    {"@T.prim_func\ndef f(n: T.int32):\n    T.evaluate(T.exp(n, fast=1))\n", 3,
     30, "script.type", "'T.exp' has no argument 'fast'"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(faults); i++) {
        struct diag_sink *sink = diag_sink_new();
        assert_null(read_text(faults[i].text, sink));
        assert_int_equal(diag_error_count(sink), 1);
        const struct diag *d = diag_at(sink, 0);
        assert_int_equal(d->line, faults[i].line);
        assert_int_equal(d->col, faults[i].col);
        assert_string_equal(d->code, faults[i].code);
        if (!strstr(d->message, faults[i].message))
            fail_msg("'%s' says not '%s'", d->message, faults[i].message);
        assert_non_null(d->source);
        diag_sink_free(sink);
    }
}

/* Texts that grow one construct far beyond the limits. */
static void check_limit(const char *before, const char *part, const char *after,
                        size_t count, bool fails)
{
    struct buf text = {0};
    buf_puts(&text, "@T.prim_func\ndef f(A: T.Buffer((4,)), n: T.int32):\n");
    buf_puts(&text, before);
    for (size_t i = 0; i < count; i++)
        buf_puts(&text, part);
    buf_puts(&text, after);
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = read_text(buf_text(&text), sink);
    if (fails)
        assert_null(m);
    else
        assert_non_null(m);
    if (fails)
        assert_int_equal(diag_error_count(sink), 1);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&text);
}

static void test_limits(void **state)
{
    (void)state;
    size_t deep = 20 * DC_MAX_DEPTH;
    check_limit("    T.evaluate(", "(", "n)\n", deep, true);
    check_limit("    T.evaluate(", "-", "n)\n", deep, true);
    check_limit("    T.evaluate(", "not ", "n)\n", deep, true);
    check_limit("    T.evaluate(n", " + n", ")\n", deep, true);
    check_limit("    T.evaluate(n", " + n", ")\n", DC_MAX_DEPTH / 2, false);
    check_limit("    T.evaluate(", "T.exp(", "n)\n", deep, true);
    check_limit("    x = [", "[", "\n", deep, true);
    check_limit("", "    T.attr(A.data, \"k\", 1)\n", "    pass\n", deep, true);
    check_limit("    if n < 1:\n        pass\n",
                "    elif n < 2:\n        pass\n", "", deep, true);
    check_limit("    T.evaluate(n)\n", "    A[0] = 1\n", "", deep, false);
    check_limit("    x = 1 if True else ", "1 if True else ", "1\n", deep,
                true);
    check_limit("    T.comm_reducer(", "lambda: ", "n, [1])\n", deep, true);
    check_limit("    x = T.target({\"kind\": \"cuda\"})\n",
                "    x = T.target({\"kind\": \"cuda\", \"host\": x})\n",
                "    T.func_attr({\"a\": x})\n", deep, true);
    check_limit("    x = [1]\n", "    x = [x]\n",
                "    T.func_attr({\"a\": x})\n", deep, true);
    check_limit("    x = T.Tuple(T.int32)\n", "    x = T.Tuple(x)\n",
                "    pass\n", deep, true);
    check_limit("    x = [1]\n", "    x = [x, x]\n",
                "    T.func_attr({\"a\": x})\n", 40, true);
    check_limit("    x = [1]\n", "    x = [x, x]\n",
                "    T.allocate_const(x, \"int8\", [1])\n", 40, true);
    check_limit("    x = T.Tuple(T.int32)\n", "    x = T.Tuple(x, x)\n",
                "    pass\n", 40, true);
    /* Sharing: each line doubles the tree. */
    check_limit("    x = T.meta_var(n)\n", "    x = T.meta_var(x + x)\n",
                "    A[x] = 1\n", 200, true);
}

/* As in Python, indentation counts from a form feed on. */
static void test_form_feeds(void **state)
{
    (void)state;
    check_equal("@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n"
                "    A[0] = 1\n\f    A[1] = 2\n  \f    A[2] = 3\n",
                "@T.prim_func\ndef f(A: T.Buffer((4,), \"int32\")):\n"
                "    A[0] = 1\n    A[1] = 2\n    A[2] = 3\n",
                true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operators),  cmocka_unit_test(test_statements),
        cmocka_unit_test(test_regions),    cmocka_unit_test(test_function),
        cmocka_unit_test(test_private),    cmocka_unit_test(test_dialects),
        cmocka_unit_test(test_form_feeds), cmocka_unit_test(test_functions),
        cmocka_unit_test(test_samples),    cmocka_unit_test(test_faults),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests_name("read_tvmscript", tests, NULL, NULL);
}
