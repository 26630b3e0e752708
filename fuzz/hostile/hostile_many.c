/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts that are too deep, too long, or too many of one kind: each a pattern
 * repeated as often as a limit, or a little less or more.
 */
#include "fuzz/hostile/hostile_private.h"

#include <string.h>

#define HEAD                                  \
    "# from tvm.script import ir as I\n"      \
    "# from tvm.script import tirx as T\n"    \
    "# from tvm.script import relax as R\n\n" \
    "@I.ir_module\nclass Module:\n"
#define MAIN                                                             \
    HEAD "    @T.prim_func(s_tir=True)\n    def main(A: T.Buffer((8,), " \
         "\"int32\"), B: T.Buffer((8,), \"int32\")):\n"

struct many {
    struct buf *out;
    struct gen_bytes *b;
    int constant;
    size_t n;
};

static void times(struct many *w, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        buf_puts(w->out, text);
}

static void level(struct many *w, size_t n)
{
    times(w, n, "    ");
}

/* ---- deep ------------------------------------------------------------------------------- */

/* B[0] = open^n A[0] close^n */
static void deep_expression(struct many *w)
{
    static const char *const around[][2] = {
        {"(", " + 1)"},
        {"(1 + ", ")"},
        {"-", ""},
        {"T.max(", ", A[1])"},
        {"T.Select(A[1] > 0, ", ", 1)"},
        {"T.Cast(\"int32\", T.Cast(\"int64\", ", "))"},
        {"A[", " % 8]"},
        {"T.if_then_else(A[0] > 1, 2, ", ")"},
        {"T.bitwise_not(", ")"},
        {"(", ")"},
        {"[", "]"},
        {"T.Let(", ", where={x: A[1]})"},
        {"T.call_extern(\"int32\", \"f\", ", ")"},
        {"(2 * ", " % 7)"},
    };
    const char *const *pick = hostile_pick(w->b, around);
    buf_puts(w->out, MAIN "        B[0] = ");
    times(w, w->n, pick[0]);
    buf_printf(w->out, "A[0] + %d", w->constant);
    times(w, w->n, pick[1]);
    buf_putc(w->out, '\n');
}

static void deep_statement(struct many *w)
{
    static const char *const opens[] = {
        "for i in range(2):\n",
        "for i%zu in range(1):\n",
        "for i%zu in T.vectorized(2):\n",
        "for i%zu in T.parallel(1):\n",
        "for i%zu in T.thread_binding(1, thread=\"threadIdx.x\"):\n",
        "if A[0] > %zu:\n",
        "while A[0] > %zu:\n",
        "with T.sblock(\"b%zu\"):\n",
        "with T.attr(0, \"pragma_%zu\", 1):\n",
        "with T.init():\n",
    };
    const char *open = hostile_pick(w->b, opens);
    const char *number = strstr(open, "%zu");
    size_t n = w->n < 2000 ? w->n : 2000;
    buf_puts(w->out, MAIN);
    for (size_t i = 0; i < n; i++) {
        level(w, 2 + i);
        if (number == NULL) {
            buf_puts(w->out, open);
            continue;
        }
        buf_append(w->out, open, (size_t)(number - open));
        buf_printf(w->out, "%zu%s", i, number + 3);
    }
    level(w, 2 + n);
    buf_printf(w->out, "B[0] = A[0] + %d\n", w->constant);
}

/* Relax: each value is used twice by the next. */
static void deep_relax(struct many *w)
{
    static const char *const ops[] = {
        "R.add(g%zu, g%zu)",
        "R.multiply(g%zu, g%zu)",
        "R.concat((g%zu, g%zu), axis=0)",
        "R.matmul(g%zu, g%zu)",
        "(g%zu, g%zu)",
        "R.where(g%zu, g%zu, g0)",
        "cls.main(g%zu)",
        ("R.call_tir(cls.f, (g%zu, g%zu), out_sinfo=R.Tensor((8,), "
         "dtype=\"float32\"))"),
        "R.reshape(g%zu, R.shape([2, 4]))",
        "R.call_pure_packed(\"f\", g%zu, sinfo_args=R.Object)",
    };
    const char *op = hostile_pick(w->b, ops);
    bool flow = gen_chance(w->b, 1, 2);
    size_t n = w->n < 3000 ? w->n : 3000;
    buf_puts(w->out, HEAD "    @R.function\n    def main(g0: R.Tensor((8,), "
                          "dtype=\"float32\")):\n        cls = Module\n");
    if (flow)
        buf_puts(w->out, "        with R.dataflow():\n");
    for (size_t i = 0; i < n; i++) {
        level(w, flow ? 3 : 2);
        buf_printf(w->out, "g%zu = ", i + 1);
        for (const char *p = op; *p != '\0'; p++) {
            if (strncmp(p, "%zu", 3) != 0) {
                buf_putc(w->out, *p);
                continue;
            }
            buf_printf(w->out, "%zu", i);
            p += 2;
        }
        buf_putc(w->out, '\n');
    }
    if (flow)
        buf_printf(w->out, "            R.output(g%zu)\n", n);
    buf_printf(w->out, "        return g%zu\n", n);
}

/* ---- many ------------------------------------------------------------------------------- */

static void many_parameters(struct many *w)
{
    static const char *const types[] = {"T.int32",
                                        "T.handle",
                                        "T.Buffer((8,), \"float32\")",
                                        "T.Buffer((1,), \"int8\")",
                                        "T.Buffer((), \"float32\")",
                                        "T.float16"};
    const char *type = hostile_pick(w->b, types);
    size_t n = w->n < 3000 ? w->n : 3000;
    buf_puts(w->out, HEAD "    @T.prim_func\n    def main(");
    for (size_t i = 0; i < n; i++)
        buf_printf(w->out, "p%zu: %s, ", i, type);
    buf_printf(w->out, "B: T.Buffer((8,), \"int32\")):\n        B[0] = %d\n",
               w->constant);
}

static void many_dimensions(struct many *w)
{
    size_t n = w->n < 300 ? w->n : 300;
    long long extent = gen_chance(w->b, 2, 3)
                           ? 1 + (long long)gen_below(w->b, 2)
                           : hostile_number(w->b);
    buf_puts(w->out, HEAD "    @T.prim_func\n    def main(A: T.Buffer((");
    for (size_t i = 0; i < n; i++)
        buf_printf(w->out, "%lld, ", extent);
    buf_puts(w->out, "), \"int32\"), B: T.Buffer((8,), \"int32\")):\n"
                     "        B[0] = A[");
    for (size_t i = 0; i < n; i++)
        buf_puts(w->out, i == 0 ? "0" : ", 0");
    buf_printf(w->out, "] + %d\n", w->constant);
}

/* Functions that call each other, round and round, or on and on. */
static void many_functions(struct many *w)
{
    size_t n = w->n < 400 ? w->n : 400;
    size_t next = 1 + (size_t)gen_below(w->b, 3);
    bool ring = gen_chance(w->b, 1, 2), twice = gen_chance(w->b, 1, 2);
    buf_puts(w->out, HEAD);
    for (size_t i = 0; i < n; i++) {
        size_t callee = i + next < n ? i + next : ring ? (i + next) % n : n;
        char name[32];
        (void)snprintf(name, sizeof name, callee == 0 ? "main" : "f%zu",
                       callee);
        buf_puts(w->out, "    @T.prim_func\n    def ");
        buf_printf(w->out, i == 0 ? "main" : "f%zu", i);
        buf_puts(w->out, "(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), "
                         "\"int32\")):\n");
        for (int k = 0; k < (twice ? 2 : 1) && callee < n; k++)
            buf_printf(w->out, "        Module.%s(A.data, B.data)\n", name);
        buf_printf(w->out, "        B[0] = A[0] + %d\n", w->constant);
    }
}

static void many_statements(struct many *w)
{
    static const char *const lines[] = {
        "        B[0] = B[0] + B[0]\n",
        "        B[0] = A[0]\n",
        "        T.evaluate(0)\n",
        "        S = T.alloc_buffer((8,), \"int32\")\n",
        "        S = T.decl_buffer((8,), \"int32\", data=A.data)\n",
        "        assert A[0] > 0, \"m\"\n",
        "        for i in range(8):\n            B[i] = B[i] + A[i]\n",
        "        for i in T.parallel(8):\n            B[i] = B[i] + A[7 - i]\n",
        "        x: T.int32 = A[0]\n",
        "        if A[0] > 0:\n            B[1] = B[0]\n",
        "        with T.sblock(\"b\"):\n            B[1] = B[1] + B[0]\n",
        "        T.evaluate(T.tvm_storage_sync(\"shared\"))\n",
        "        return\n",
        "        for i in range(1000000000):\n            B[0] = B[0] + 1\n",
        "        B[0:4] = A[0:4]\n",
        "        S = T.alloc_buffer((1000000,), \"float64\")\n",
        "        S = T.alloc_buffer((4294967296,), \"int32\")\n",
    };
    const char *line = hostile_pick(w->b, lines);
    buf_puts(w->out, MAIN);
    buf_printf(w->out, "        B[0] = A[0] + %d\n", w->constant);
    times(w, w->n < 3000 ? w->n : 3000, line);
}

static void many_attributes(struct many *w)
{
    size_t n = w->n;
    buf_puts(w->out, HEAD "    @T.prim_func\n    def main(A: T.Buffer((8,), "
                          "\"int32\"), B: T.Buffer((8,), \"int32\")):\n"
                          "        T.func_attr({");
    for (size_t i = 0; i < n; i++)
        buf_printf(w->out, "\"k%zu\": [%zu, {\"x\": T.int64(%zu)}], ", i, i, i);
    buf_puts(w->out, "\"tirx.noalias\": True, \"global_symbol\": \"main\"})\n");
    buf_printf(w->out, "        B[0] = A[0] + %d\n", w->constant);
}

/* ---- long --------------------------------------------------------------------------------- */

static void long_text(struct many *w)
{
    static const char *const pieces[] = {"x",    "\\n", "\\x1b[31m", "%s%n",
                                         "\\\\", "*/",  "\\u00e9",   "'"};
    const char *piece = hostile_pick(w->b, pieces);
    size_t n = gen_chance(w->b, 1, 20) ? 1000000 : 20 * w->n;
    switch (gen_below(w->b, 5)) {
    case 0:
        buf_puts(w->out, MAIN "        with T.sblock(\"");
        times(w, n, piece);
        buf_puts(w->out, "\"):\n            B[0] = A[0]\n");
        return;
    case 1:
        buf_puts(w->out, MAIN "        assert A[0] > 100, \"");
        times(w, n, piece);
        buf_puts(w->out, "\"\n        B[0] = A[0]\n");
        return;
    case 2:
        buf_puts(w->out, MAIN "        ");
        times(w, n, "name_");
        buf_puts(w->out, ": T.int32 = A[0]\n        B[0] = ");
        times(w, n, "name_");
        buf_putc(w->out, '\n');
        return;
    case 3:
        buf_puts(w->out, MAIN "        B[0] = A[0] + ");
        times(w, n, "9");
        buf_putc(w->out, '\n');
        return;
    default:
        buf_puts(w->out, MAIN "        T.evaluate(T.call_extern(\"int32\", \"");
        times(w, n, piece);
        buf_puts(w->out, "\"))\n        B[0] = A[0]\n");
        return;
    }
}

/* No module at all, or hardly one. */
static void nearly_nothing(struct many *w)
{
    static const char *const texts[] = {
        "",
        "\n",
        "{}",
        "[]",
        "{\"root\": 0}",
        "{\"nodes\": []}",
        "{\"root_index\":0,\"nodes\":[]}",
        "null",
        "0",
        "\"\"",
        "{\"root_index\":0,\"nodes\":[{\"type\":\"None\"}]}",
        "{\"root_index\":1,\"nodes\":[{\"type\":\"None\"},{\"type\":"
        "\"ir.IRModule\",\"data\":{}}]}",
        "{\"root\":1,\"nodes\":[{\"type_key\":\"\"},{\"type_key\":"
        "\"IRModule\",\"attrs\":{\"functions\":\"1\"}}],\"b64ndarrays\":[]}",
        HEAD,
        HEAD "    pass\n",
        MAIN,
        MAIN "        pass\n",
        HEAD "    @T.prim_func\n    def main():\n        T.evaluate(0)\n",
        HEAD "    @R.function\n    def main():\n        return R.tuple()\n",
        "\xff\xfe{",
        "\xef\xbb\xbf{}",
        "@T.prim_func\ndef f(",
        "#",
        "{\"root"};
    buf_puts(w->out, hostile_pick(w->b, texts));
    times(w, (size_t)gen_below(w->b, 2) * w->n, " ");
}

static void nested_json(struct many *w)
{
    static const char *const opens[] = {"[", "{\"a\":", "[[],", "{\"nodes\":["};
    buf_puts(w->out, "{\"root_index\":0,\"nodes\":[");
    times(w, w->n * 5, hostile_pick(w->b, opens));
}

void hostile_many_write(struct buf *out, struct gen_bytes *bytes, int constant,
                        struct buf *label)
{
    static const struct {
        const char *name;
        void (*write)(struct many *w);
    } ways[] = {{"expression", deep_expression},
                {"expression", deep_expression},
                {"statements in each other", deep_statement},
                {"Relax", deep_relax},
                {"Relax", deep_relax},
                {"parameters", many_parameters},
                {"dimensions", many_dimensions},
                {"functions", many_functions},
                {"statements", many_statements},
                {"statements", many_statements},
                {"attributes", many_attributes},
                {"long", long_text},
                {"nothing", nearly_nothing},
                {"nested JSON", nested_json}};
    size_t k = (size_t)gen_below(bytes, DC_ARRAY_LEN(ways));
    struct many w = {out, bytes, constant, hostile_count(bytes, 20000)};
    buf_printf(label, "many: %s, %zu", ways[k].name, w.n);
    ways[k].write(&w);
}
