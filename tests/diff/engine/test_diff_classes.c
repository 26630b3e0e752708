/* SPDX-License-Identifier: Apache-2.0
 *
 * Which faults runs find, by class, and beside each a pair that looks like it
 * and is right: special data, numbers at the bounds of conditions, one term
 * among many, particular and large sizes, divisions that a mask hides, the
 * order of atomics, and which verdict comes first. Verdicts follow from
 * docs/verdicts.md; the prover is left out but where the row says so.
 */
#include "diff/diff.h"
#include "tests/test.h"

#include <string.h>

#define HEADER                             \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

/* Parameter lists. */
#define F16 "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")"
#define I16 "A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")"
#define ADM                                                          \
    "A: T.Buffer((16,), \"int32\"), D: T.Buffer((16,), \"int32\"), " \
    "M: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")"
#define GATHER                                                         \
    "A: T.Buffer((16,), \"int32\"), F: T.Buffer((16,), \"float32\"), " \
    "B: T.Buffer((16,), \"int32\")"
#define ROWS \
    "A: T.Buffer((2, 300), \"float32\"), B: T.Buffer((2,), \"float32\")"
#define IROWS "A: T.Buffer((2, 300), \"int32\"), B: T.Buffer((2,), \"int32\")"
#define PICKED                                                         \
    "I: T.Buffer((4,), \"int32\"), A: T.Buffer((8, 6), \"float32\"), " \
    "B: T.Buffer((4,), \"float32\")"
#define SOFT \
    "A: T.Buffer((2, 40), \"float32\"), B: T.Buffer((2, 40), \"float32\")"
#define ARGMAX                                                           \
    "A: T.Buffer((300,), \"float32\"), M: T.Buffer((1,), \"float32\"), " \
    "J: T.Buffer((1,), \"int32\")"
#define SLOTS                                                        \
    "A: T.Buffer((64,), \"int32\"), B: T.Buffer((64,), \"int32\"), " \
    "C: T.Buffer((1,), \"int32\")"
#define SIZED "a: T.handle, b: T.handle"

/* Bodies. */
#define EACH(value) "    for i in range(16):\n        B[i] = " value "\n"
#define ROW(start, loop, update)                         \
    "    for i in range(2):\n        B[i] = " start "\n" \
    "        for k in " loop ":\n            " update "\n"
#define SIZES(type)                                  \
    "    n = T." type "()\n"                         \
    "    A = T.match_buffer(a, (n,), \"float32\")\n" \
    "    B = T.match_buffer(b, (n,), \"float32\")\n"
#define SIZES2                                         \
    "    n = T.int32()\n    m = T.int32()\n"           \
    "    A = T.match_buffer(a, (n, m), \"float32\")\n" \
    "    B = T.match_buffer(b, (n, m), \"float32\")\n"
#define DOUBLE2(guard)                                 \
    "    for i, j in T.grid(n, m):\n        if " guard \
    ":\n            B[i, j] = A[i, j] * T.float32(2)\n"
#define DOUBLE(loop, guard) \
    "    for i in " loop ":\n" guard "        B[i] = A[i] * T.float32(2)\n"
#define GUARDED(condition)                                \
    "    for i in range(n):\n        if " condition ":\n" \
    "            B[i] = A[i] * T.float32(2)\n"
#define SOFTMAX(start, loop)                                       \
    "    m = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n" \
    "    s = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n" \
    "    for i in range(2):\n        m[0] = " start "\n"           \
    "        for k in " loop ":\n"                                 \
    "            m[0] = T.max(m[0], A[i, k])\n"                    \
    "        s[0] = T.float32(0)\n        for k in range(40):\n"   \
    "            s[0] = s[0] + T.exp(A[i, k] - m[0])\n"            \
    "        for k in range(40):\n"                                \
    "            B[i, k] = T.exp(A[i, k] - m[0]) / s[0]\n"
#define POSITION(start, condition)                                   \
    "    M[0] = " start "\n    J[0] = 0\n    for k in range(300):\n" \
    "        if " condition ":\n            J[0] = k\n"              \
    "            M[0] = A[k]\n"
#define KERNEL                                                    \
    "    bx = T.launch_thread(\"blockIdx.x\", 1)\n"               \
    "    S = T.alloc_buffer((1,), \"int32\", scope=\"shared\")\n" \
    "    D = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"  \
    "    tx = T.launch_thread(\"threadIdx.x\", 64)\n"             \
    "    if tx == 0:\n        S[0] = 0\n"                         \
    "    T.tvm_storage_sync(\"shared\")\n"                        \
    "    D[0] = T.cuda.atomic_add(T.address_of(S[0]), 1)\n"
#define KERNEL_END                         \
    "    T.tvm_storage_sync(\"shared\")\n" \
    "    if tx == 0:\n        C[0] = S[0]\n"

static const struct row {
    const char *label;
    const char *params, *untuned, *tuned;
    enum report_verdict verdict;
    const char *says;  /* in the reason; NULL: anything */
    const char *input; /* in the witness's input; NULL: anything */
    bool proof;        /* the prover is asked, too */
} rows[] = {
    /* ---- accumulators that start at the wrong number ---- */
    {"a maximum starts at 0", ROWS,
     ROW("T.float32(\"-inf\")", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     ROW("T.float32(0)", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     REPORT_DIFFERENT, "is 0.0", "negative", false},
    {"a maximum starts at -10000", ROWS,
     ROW("T.float32(\"-inf\")", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     ROW("T.float32(-10000)", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     REPORT_DIFFERENT, "is -10000.0", "lowest", false},
    {"a maximum starts with its first term", ROWS,
     ROW("T.float32(\"-inf\")", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     ROW("A[i, 0]", "range(1, 300)", "B[i] = T.max(B[i], A[i, k])"),
     REPORT_ORDER_ONLY, NULL, NULL, false},
    {"a maximum of integers starts above the least", IROWS,
     ROW("T.min_value(\"int32\")", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     ROW("T.int32(-2147483647)", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     REPORT_DIFFERENT, "is -2147483647", "lowest", false},
    {"a minimum padded with 0", IROWS,
     ROW("T.int32(2147483647)", "range(300)", "B[i] = T.min(B[i], A[i, k])"),
     ROW("T.int32(2147483647)", "range(304)",
         "B[i] = T.min(B[i], T.if_then_else(k < 300, A[i, k], 0))"),
     REPORT_DIFFERENT, "is 0", "positive", false},
    {"a minimum padded with the greatest", IROWS,
     ROW("T.int32(2147483647)", "range(300)", "B[i] = T.min(B[i], A[i, k])"),
     ROW("T.int32(2147483647)", "range(304)",
         "B[i] = T.min(B[i], T.if_then_else(k < 300, A[i, k], 2147483647))"),
     REPORT_IDENTICAL, NULL, NULL, false},

    /* ---- one term among many (more in tests/cases/test_reductions.c) ---- */
    {"a term of a maximum lost", ROWS,
     ROW("T.float32(\"-inf\")", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     ROW("T.float32(\"-inf\")", "range(300)",
         "if k != 171:\n                B[i] = T.max(B[i], A[i, k])"),
     REPORT_DIFFERENT, "B[0] is -1.0", "A[0, 171] above all others", false},
    {"a term of a maximum doubled", ROWS,
     ROW("T.float32(\"-inf\")", "range(300)", "B[i] = T.max(B[i], A[i, k])"),
     ROW("T.float32(\"-inf\")", "range(301)",
         "B[i] = T.max(B[i], A[i, T.min(k, 299)])"),
     REPORT_AGREES, NULL, NULL, false},
    {"a bit of an or lost", IROWS,
     ROW("T.int32(0)", "range(300)", "B[i] = T.bitwise_or(B[i], A[i, k])"),
     ROW("T.int32(0)", "range(299)", "B[i] = T.bitwise_or(B[i], A[i, k])"),
     REPORT_DIFFERENT, NULL, "A[0, 299] below all others", false},
    {"a factor lost", ROWS,
     ROW("T.float32(1)", "range(300)", "B[i] = B[i] * A[i, k]"),
     ROW("T.float32(1)", "range(1, 300)", "B[i] = B[i] * A[i, k]"),
     REPORT_DIFFERENT, NULL, NULL, false},
    {"a term lost by a condition", ARGMAX,
     POSITION("T.float32(\"-inf\")", "A[k] > M[0]"),
     POSITION("T.float32(\"-inf\")", "A[k] > M[0] and k != 171"),
     REPORT_DIFFERENT, NULL, "A[171] above all others", false},
    {"a position that starts at 0", ARGMAX,
     POSITION("T.float32(\"-inf\")", "A[k] > M[0]"),
     POSITION("T.float32(0)", "A[k] > M[0]"), REPORT_DIFFERENT, NULL, NULL,
     false},
    {"the last of equal maxima", ARGMAX,
     POSITION("T.float32(\"-inf\")", "A[k] > M[0]"),
     POSITION("T.float32(\"-inf\")", "A[k] >= M[0]"), REPORT_DIFFERENT, NULL,
     NULL, false},
    {"a condition written the other way round", ARGMAX,
     POSITION("T.float32(\"-inf\")", "A[k] > M[0]"),
     POSITION("T.float32(\"-inf\")", "M[0] < A[k]"), REPORT_AGREES, NULL, NULL,
     false},
    /* equal as real functions, but exp overflows without its term */
    {"a term of softmax's maximum lost", SOFT,
     SOFTMAX("T.float32(\"-inf\")", "range(40)"),
     SOFTMAX("T.float32(\"-inf\")", "range(39)"), REPORT_DIFFERENT,
     "one side alone is finite", NULL, false},
    {"softmax's maximum starts at 0", SOFT,
     SOFTMAX("T.float32(\"-inf\")", "range(40)"),
     SOFTMAX("T.float32(0)", "range(40)"), REPORT_DIFFERENT,
     "one side alone is finite", NULL, false},
    {"softmax's maximum starts with its first term", SOFT,
     SOFTMAX("T.float32(\"-inf\")", "range(40)"),
     SOFTMAX("A[i, 0]", "range(1, 40)"), REPORT_ORDER_ONLY, NULL, NULL, false},

    /* ---- NaN and infinities ---- */
    {"a scrub of NaN dropped", F16,
     EACH("T.Select(A[i] == A[i], A[i], T.float32(0))"), EACH("A[i]"),
     REPORT_DIFFERENT, "is nan", "NaN", false},
    {"a scrub of NaN inverted", F16,
     EACH("T.Select(A[i] == A[i], A[i], T.float32(0))"),
     EACH("T.Select(A[i] != A[i], A[i], T.float32(0))"), REPORT_DIFFERENT, NULL,
     NULL, false},
    {"a scrub of NaN the other way round", F16,
     EACH("T.Select(A[i] == A[i], A[i], T.float32(0))"),
     EACH("T.Select(A[i] != A[i], T.float32(0), A[i])"), REPORT_IDENTICAL, NULL,
     NULL, false},
    {"max(abs(x), 0) is not abs(x)", F16,
     EACH("T.max(T.fabs(A[i]), T.float32(0))"), EACH("T.fabs(A[i])"),
     REPORT_DIFFERENT, NULL, "NaN", false},
    {"max(x, 0) is max(0, x) but for NaN", F16,
     EACH("T.max(A[i], T.float32(0))"), EACH("T.max(T.float32(0), A[i])"),
     REPORT_ORDER_ONLY, NULL, NULL, false},
    {"infinity passes a bound that is dropped", F16,
     EACH("T.Select(T.fabs(A[i]) > T.float32(3.4e38), T.float32(0), A[i])"),
     EACH("A[i]"), REPORT_DIFFERENT, NULL, NULL, false},
    {"the bounds of an index exchanged", GATHER,
     EACH("A[T.Cast(\"int32\", T.min(T.max(F[i], T.float32(0)), "
          "T.float32(15)))]"),
     EACH("A[T.Cast(\"int32\", T.max(T.min(F[i], T.float32(15)), "
          "T.float32(0)))]"),
     REPORT_DIFFERENT, NULL, "NaN", false},
    {"NaN reaches an index", GATHER,
     EACH("A[T.Cast(\"int32\", T.min(T.float32(15), T.max(F[i], "
          "T.float32(0))))]"),
     EACH("A[T.Cast(\"int32\", T.min(T.float32(15), T.max(T.float32(0), "
          "F[i])))]"),
     REPORT_UNSAFE, NULL, "NaN", false},
    /* the order of a maximum hangs on NaN; keyed runs cannot say so here */
    {"a maximum the other way round, of rows that data choose", PICKED,
     "    for i in range(4):\n        B[i] = T.float32(\"-inf\")\n"
     "        for k in range(6):\n"
     "            B[i] = T.max(B[i], A[I[i], k])\n",
     "    for i in range(4):\n        B[i] = T.float32(\"-inf\")\n"
     "        for k in range(6):\n"
     "            B[i] = T.max(B[i], A[I[i], 5 - k])\n",
     REPORT_AGREES, NULL, NULL, false},
    {"terms of 0 skipped, of rows that data choose", PICKED,
     "    for i in range(4):\n        B[i] = T.float32(0)\n"
     "        for k in range(6):\n"
     "            B[i] = B[i] + T.if_then_else(k < 4, T.float32(1), "
     "T.float32(0)) * A[I[i], k]\n",
     "    for i in range(4):\n        B[i] = T.float32(0)\n"
     "        for k in range(4):\n"
     "            B[i] = B[i] + A[I[i], k]\n",
     REPORT_AGREES, NULL, NULL, false},
    {"a maximum by comparison, in tiles of rows that data choose", PICKED,
     "    for i in range(4):\n        B[i] = T.float32(\"-inf\")\n"
     "        for k in range(6):\n"
     "            B[i] = T.Select(B[i] >= A[I[i], k], B[i], A[I[i], k])\n",
     "    S = T.alloc_buffer((2,), \"float32\", scope=\"local\")\n"
     "    for i in range(4):\n        for t in range(2):\n"
     "            S[t] = T.float32(\"-inf\")\n            for k in range(3):\n"
     "                S[t] = T.Select(S[t] >= A[I[i], t * 3 + k], S[t], "
     "A[I[i], t * 3 + k])\n"
     "        B[i] = T.Select(S[0] >= S[1], S[0], S[1])\n",
     REPORT_AGREES, NULL, NULL, false},

    /* ---- numbers at the bounds of conditions ---- */
    {"one number left out", I16, EACH("A[i]"),
     EACH("T.if_then_else(A[i] == 123456, 0, A[i])"), REPORT_DIFFERENT, NULL,
     "special values", false},
    {"a sum at a bound", ADM, EACH("T.Select(A[i] + D[i] > 100000, 1, 0)"),
     EACH("T.Select(A[i] + D[i] >= 100000, 1, 0)"), REPORT_DIFFERENT, NULL,
     "special values", false},
    {"a bound with its number", F16,
     EACH("T.Select(A[i] > T.float32(6.25), T.float32(1), T.float32(0))"),
     EACH("T.Select(A[i] >= T.float32(6.25), T.float32(1), T.float32(0))"),
     REPORT_DIFFERENT, NULL, "special values", false},
    {"a scaled bound", F16,
     EACH("T.Select(A[i] * T.float32(0.5) > T.float32(3.5), T.float32(1), "
          "T.float32(0))"),
     EACH("T.Select(A[i] >= T.float32(7), T.float32(1), T.float32(0))"),
     REPORT_DIFFERENT, NULL, "special values", false},
    {"a bound scaled and moved", F16,
     EACH("T.Select(A[i] * T.float32(3) + T.float32(1) < T.float32(31), "
          "T.float32(1), T.float32(0))"),
     EACH("T.Select(A[i] * T.float32(3) + T.float32(1) <= T.float32(31), "
          "T.float32(1), T.float32(0))"),
     REPORT_DIFFERENT, NULL, "special values", false},
    {"a bound moved and shifted", I16,
     EACH("T.if_then_else(5 - T.shift_left(A[i], 7) == -1580667, 1, 0)"),
     EACH("0"), REPORT_DIFFERENT, NULL, "special values", false},
    {"a product of data at a bound", ADM,
     EACH("T.Select(A[i] * D[i] == 70391, 1, 0)"), EACH("0"), REPORT_DIFFERENT,
     NULL, "special values in", false},
    {"the next number after a bound", F16, EACH("T.min(A[i], T.float32(6))"),
     EACH("T.min(A[i], T.float32(6.00000048))"), REPORT_DIFFERENT, NULL, NULL,
     false},
    {"a bound at its number both times", F16,
     EACH("T.Select(A[i] > T.float32(6.25), T.float32(6.25), A[i])"),
     EACH("T.Select(A[i] >= T.float32(6.25), T.float32(6.25), A[i])"),
     REPORT_AGREES, NULL, NULL, false},
    {"where a narrow type wraps", I16,
     EACH("T.if_then_else(A[i] >= 0 and A[i] < 16, 1, 0)"),
     EACH("T.if_then_else(T.Cast(\"uint16\", A[i]) < T.uint16(16), 1, 0)"),
     REPORT_DIFFERENT, NULL, "special values", false},
    {"where int32 ends", ADM,
     EACH("T.if_then_else(T.bitwise_or(A[i], 15) < D[i], 1, 0)"),
     EACH("T.if_then_else(T.bitwise_and(A[i], -16) + 16 <= D[i], 1, 0)"),
     REPORT_UNSAFE, "index overflow", "special values", false},

    /* ---- divisions that a mask hides ---- */
    {"a division taken out of its mask", ADM,
     "    for i in range(16):\n        B[i] = 0\n        if M[i] > 0:\n"
     "            B[i] = A[i] // D[i]\n",
     EACH("T.Select(M[i] > 0, A[i] // D[i], 0)"), REPORT_UNSAFE,
     "integer division by zero", "special values", false},
    {"a division under its mask", ADM,
     "    for i in range(16):\n        B[i] = 0\n        if M[i] > 0:\n"
     "            B[i] = A[i] // D[i]\n",
     EACH("T.if_then_else(M[i] > 0, A[i] // D[i], 0)"), REPORT_AGREES, NULL,
     NULL, false},
    {"a division that nobody needs", ADM, EACH("T.truncdiv(A[i], D[i])"),
     "    for i in range(16):\n        q: T.int32 = T.truncdiv(D[i], A[i])\n"
     "        B[i] = T.truncdiv(A[i], D[i])\n",
     REPORT_UNSAFE, "integer division by zero", "special values", false},
    {"a divisor left out", ADM, EACH("A[i] // D[i]"),
     EACH("T.if_then_else(D[i] == 1, 0, A[i] // D[i])"), REPORT_DIFFERENT, NULL,
     NULL, false},

    /* ---- sizes ---- */
    {"at most 4096", SIZED, SIZES("int32") DOUBLE("range(n)", ""),
     SIZES("int32") DOUBLE("range(T.min(n, 4096))", ""), REPORT_DIFFERENT,
     "B[4096]", NULL, false},
    {"a rest of 9 of 24", SIZED, SIZES("int32") DOUBLE("range(n)", ""),
     SIZES("int32") GUARDED("n % 24 != 9 or i + 1 < n"), REPORT_DIFFERENT, NULL,
     NULL, false},
    {"two sizes that are equal", SIZED, SIZES2 DOUBLE2("n > 0"),
     SIZES2 DOUBLE2("n != m or i + 1 < n"), REPORT_DIFFERENT, NULL, NULL,
     false},
    {"two sizes of a sum", SIZED, SIZES2 DOUBLE2("n > 0"),
     SIZES2 DOUBLE2("n + m != 300 or i + j > 0"), REPORT_DIFFERENT, "B[0, 0]",
     NULL, false},
    {"a square that leaves int32", SIZED, SIZES("int32") DOUBLE("range(n)", ""),
     SIZES("int32") GUARDED("i * i % 4 != 2"), REPORT_UNSAFE, "index overflow",
     NULL, false},
    {"a square in int64", SIZED, SIZES("int64") DOUBLE("range(n)", ""),
     SIZES("int64") GUARDED("i * i % 4 != 2"), REPORT_AGREES, NULL, NULL,
     false},
    {"a stride that leaves int32", SIZED, SIZES("int32") DOUBLE("range(n)", ""),
     SIZES("int32") GUARDED("i * 100000 >= 0"), REPORT_UNSAFE, "index overflow",
     NULL, false},
    /* no number of the modules is near 1337; the prover names it */
    {"a size that the prover names", SIZED,
     SIZES("int32") DOUBLE("range(n)", ""),
     SIZES("int32") GUARDED("n % 7 != 0 or n % 191 != 0 or i > 0"),
     REPORT_DIFFERENT, "B[0]", NULL, true},

    /* ---- the order of atomics (rule 24) ---- */
    {"slots by an atomic", SLOTS,
     "    C[0] = 0\n    for i in range(64):\n        B[C[0]] = A[i]\n"
     "        C[0] = C[0] + 1\n",
     KERNEL "    B[D[0]] = A[tx]\n" KERNEL_END, REPORT_DIFFERENT,
     "the order of atomic updates", NULL, false},
    {"slots by an atomic on both sides", SLOTS,
     KERNEL "    B[D[0]] = A[tx]\n" KERNEL_END,
     KERNEL "    B[T.max(D[0], 0)] = A[tx]\n" KERNEL_END, REPORT_AGREES, NULL,
     NULL, false},
    {"a count by an atomic", SLOTS,
     "    for i in range(64):\n        B[i] = A[i]\n    C[0] = 64\n",
     KERNEL "    B[tx] = A[tx]\n" KERNEL_END, REPORT_IDENTICAL, NULL, NULL,
     false},

    /* ---- unsafe before different ---- */
    {"undefined behind a difference",
     "A: T.Buffer((16,), \"float32\"), B: T.Buffer((16,), \"float32\")",
     EACH("A[i]"),
     "    S = T.alloc_buffer((16,), \"float32\")\n    for i in range(15):\n"
     "        S[i] = A[i] + T.float32(1)\n" EACH("S[i]"),
     REPORT_UNSAFE, "B[15]", NULL, false},
    {"a fault on other inputs than the difference", ADM,
     EACH("T.Select(D[i] < 100, A[i], 0)"),
     EACH("T.if_then_else(D[i] < 100, A[i] + 1, 7 // (D[i] - 5000))"),
     REPORT_UNSAFE, "integer division by zero", NULL, false},
};

static struct ir_module *module_of(const struct row *row, const char *body,
                                   const char *name)
{
    struct buf script = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&script, HEADER "%s):\n%s", row->params, body);
    struct ir_module *m = ir_read(buf_text(&script), script.len, name, sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf text = {0};
        diag_render(sink, false, &text);
        fail_msg("%s: %s\n%s", row->label, buf_text(&text), buf_text(&script));
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
    struct ir_module *u = module_of(row, row->untuned, "untuned");
    struct ir_module *t = module_of(row, row->tuned, "tuned");
    struct report *r = report_new();
    struct diff_options o;
    char program[] = "diffcheck", a[] = "t", b[] = "u", c[] = "--no-proof";
    char *argv[] = {program, a, b, c};
    enum report_verdict worst;
    assert_true(diff_options_parse(row->proof ? 3 : 4, argv, arena, &o, NULL));
    diff_compare_modules(&o, t, u, r, sink);
    assert_true(report_worst(r, &worst));
    const struct report_pair *pair = &r->pairs[0];
    if (worst != row->verdict ||
        (row->says != NULL && !strstr(pair->reason, row->says)))
        fail_msg("%s: %s", report_verdict_name(worst), pair->reason);
    if (row->input != NULL &&
        (pair->witness == NULL || !strstr(pair->witness->input, row->input)))
        fail_msg("input: %s",
                 pair->witness ? pair->witness->input : "no witness");
    report_free(r);
    ir_module_free(u);
    ir_module_free(t);
    diag_sink_free(sink);
    arena_free(arena);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows)] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        tests[i].name = rows[i].label;
        tests[i].test_func = row_run;
        tests[i].initial_state = (void *)(uintptr_t)(const void *)&rows[i];
    }
    return _cmocka_run_group_tests("classes", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
