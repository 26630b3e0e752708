/* SPDX-License-Identifier: Apache-2.0
 *
 * Which pairs are proved, how far, and under which assumptions: a pair that a
 * condition of matching values, folds or states keeps from a proof, beside one
 * like it that is proved. Verdicts follow from docs/verdicts.md and the laws
 * of the operations.
 */
#include "tests/test.h"
#include "verifier/verifier.h"

#include <string.h>

#define F8 "A: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"float32\")"
#define I8 "A: T.Buffer((8,), \"int32\"), C: T.Buffer((8,), \"int32\")"
#define FR "A: T.Buffer((8,), \"float32\"), C: T.Buffer((1,), \"float32\")"
#define IR "A: T.Buffer((8,), \"int32\"), C: T.Buffer((1,), \"int32\")"
#define NR "A: T.Buffer((8,), \"int32\"), C: T.Buffer((1,), \"int8\")"
#define ARG                                                           \
    "A: T.Buffer((1000,), \"int32\"), V: T.Buffer((1,), \"int32\"), " \
    "I: T.Buffer((1,), \"int32\")"
#define ARGF                                                              \
    "A: T.Buffer((1000,), \"float32\"), V: T.Buffer((1,), \"float32\"), " \
    "I: T.Buffer((1,), \"int32\")"

/* C[0] from a start, one term after the other. */
#define FOLD(start, at, step)  \
    "    C[0] = " start "\n"   \
    "    for k in range(8):\n" \
    "        C[0] = " step("A[" at "]") "\n"
#define PLUS(x)     "C[0] + " x
#define MORE(x)     "T.max(C[0], " x ")"
#define LESS(x)     "T.min(C[0], " x ")"
#define EITHER(x)   "T.bitwise_xor(C[0], " x ")"
#define ANY_BIT(x)  "T.bitwise_or(C[0], " x ")"
#define TWICE(x)    "T.bitwise_xor(T.bitwise_xor(C[0], " x "), " x ")"
#define TWICE_OR(x) "T.bitwise_or(T.bitwise_or(C[0], " x "), " x ")"
#define ONWARDS     "k"
#define BACKWARDS   "7 - k"
#define LOW(x)      "T.Cast(\"int8\", " x ")"
#define PLUS_LOW(x) "C[0] + " LOW(x)
#define MORE_LOW(x) "T.max(C[0], " LOW(x) ")"
/* The same in a wider local, narrowed at the end. */
#define WIDE(start, step)                                        \
    "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n" \
    "    L[0] = " start "\n"                                     \
    "    for k in range(8):\n"                                   \
    "        L[0] = " step "\n"                                  \
    "    C[0] = T.Cast(\"int8\", L[0])\n"
/* The first of the largest, and where it stands. */
#define LARGEST(at, value, place) KEPT(at, value, place, "I[0]")
#define KEPT(at, value, place, kept)                                        \
    "    for k in range(1000):\n"                                           \
    "        with T.sblock(\"r\"):\n"                                       \
    "            vk = T.axis.reduce(1000, k)\n"                             \
    "            with T.init():\n"                                          \
    "                V[0] = A[0]\n"                                         \
    "                I[0] = 0\n"                                            \
    "            v: T.let = T.Select(V[0] >= A[" at "], V[0], " value ")\n" \
    "            w: T.let = T.Select(V[0] >= A[" at "], " kept ", " place   \
    ")\n"                                                                   \
    "            V[0] = v\n"                                                \
    "            I[0] = w\n"
#define ONCE(old)    "V[0] > A[vk] or (V[0] == A[vk] and " old " < vk)"
#define SWAPPED(old) "A[vk] < V[0] or (A[vk] == V[0] and " old " < vk)"
/* The same, of equal ones the one that a state says. */
#define EARLIER(old, chosen)                            \
    "    for k in range(1000):\n"                       \
    "        with T.sblock(\"r\"):\n"                   \
    "            vk = T.axis.reduce(1000, k)\n"         \
    "            with T.init():\n"                      \
    "                V[0] = -1\n"                       \
    "                I[0] = -1\n"                       \
    "            v: T.let = T.Select(" chosen(          \
        old) ", V[0], A[vk])\n"                         \
             "            w: T.let = T.Select(" chosen( \
                 old) ", I[0], vk)\n"                   \
                      "            V[0] = v\n"          \
                      "            I[0] = w\n"
/* The same, terms in an order. */
#define FIRST(at)                                      \
    "    for k in range(1000):\n"                      \
    "        with T.sblock(\"r\"):\n"                  \
    "            vk = T.axis.reduce(1000, k)\n"        \
    "            with T.init():\n"                     \
    "                V[0] = -1\n"                      \
    "                I[0] = 1000\n"                    \
    "            v: T.let = T.Select(" BEFORE(         \
        at) ", V[0], A[" at "])\n"                     \
            "            w: T.let = T.Select(" BEFORE( \
                at) ", I[0], " at ")\n"                \
                    "            V[0] = v\n"           \
                    "            I[0] = w\n"
#define BEFORE(at) "V[0] > A[" at "] or (V[0] == A[" at "] and I[0] < " at ")"
#define EACH(value)            \
    "    for i in range(8):\n" \
    "        C[i] = " value "\n"
#define IN_TURN(value)         \
    "    for i in range(8):\n" \
    "        C[7 - i] = " value "\n"

/* C[0] is the size of a. */
#define SIZED_PARAMS "a: T.handle, c: T.handle"
#define SIZED(type)                                  \
    "    n = T." type "()\n"                         \
    "    A = T.match_buffer(a, (n,), \"float32\")\n" \
    "    C = T.match_buffer(c, (1,), \"float32\")\n" \
    "    C[0] = A[0] + T.Cast(\"float32\", n)\n"
/* C[0] is the stride of rows of 400 elements. */
#define STRIDED(type)                                                   \
    "    S = T.alloc_buffer((2, 400), \"float32\")\n"                   \
    "    for i, j in T.grid(2, 400):\n"                                 \
    "        S[i, j] = A[j % 8]\n"                                      \
    "    with T.sblock(\"s\"):\n"                                       \
    "        s = T." type "()\n"                                        \
    "        X = T.match_buffer(S[0:2, 0:400], (2, 400), \"float32\", " \
    "strides=[s, 1], offset_factor=1)\n"                                \
    "        C[0] = X[1, 0] + T.Cast(\"float32\", s)\n"

/* Sums of products, as they are and of a padded operand. */
#define PADF                                                             \
    "A: T.Buffer((10,), \"float32\"), B: T.Buffer((16,), \"float32\"), " \
    "C: T.Buffer((1,), \"float32\")"
#define PADI                                                         \
    "A: T.Buffer((10,), \"int32\"), B: T.Buffer((16,), \"int32\"), " \
    "C: T.Buffer((1,), \"int32\")"
#define PRODUCTS(zero, n, a, b)     \
    "    C[0] = " zero "\n"         \
    "    for k in range(" #n "):\n" \
    "        C[0] = C[0] + " a " * " b "\n"
#define PADDED(type, zero, b)                           \
    "    Q = T.alloc_buffer((16,), \"" type "\")\n"     \
    "    for k in range(16):\n"                         \
    "        Q[k] = T.if_then_else(k < 10, A[k], " zero \
    ")\n" PRODUCTS(zero, 16, "Q[k]", b)
/* Of floats as integers: their sum in a local; a state that every other step
 * replaces. */
#define FI "A: T.Buffer((8,), \"float32\"), C: T.Buffer((1,), \"int32\")"
#define CONVERTED(value)                              \
    "    L = T.alloc_buffer((1,), \"int32\")\n"       \
    "    L[0] = 0\n"                                  \
    "    for k in range(8):\n"                        \
    "        L[0] = L[0] + T.Cast(\"int32\", A[k])\n" \
    "    C[0] = " value "\n"
#define EVERY_OTHER(x)                                                   \
    "    C[0] = 0\n"                                                     \
    "    for k in range(8):\n"                                           \
    "        C[0] = T.if_then_else(k % 2 == 0, T.bitwise_xor(C[0] * 3, " \
    "T.Cast(\"int32\", A[k])), " x ")\n"
#define WIDEST "A: T.Buffer((16,), \"int64\"), C: T.Buffer((1,), \"int64\")"
#define CHOSEN64(at, cond)                       \
    "    C[0] = T.int64(-4611686018427387904)\n" \
    "    for k in range(16):\n"                  \
    "        C[0] = T.Select(" cond ", A[" at "], C[0])\n"
#define BITS "A: T.Buffer((8,), \"int16\"), C: T.Buffer((1,), \"float32\")"
#define PLUS_BITS_B(x) \
    "C[0] + T.Cast(\"float32\", T.reinterpret(\"bfloat16\", " x "))"
#define PLUS_BITS_F(x) \
    "C[0] + T.Cast(\"float32\", T.reinterpret(\"float16\", " x "))"
#define PLUS_BITS_BF(x)                                             \
    "C[0] + T.Cast(\"float32\", T.Cast(\"float16\", T.reinterpret(" \
    "\"bfloat16\", " x ")))"
/* Of each row the first terms, or those that a condition leaves. */
#define UP_TO(n, start)                \
    "    for i in range(8):\n"         \
    "        C[i] = " start "\n"       \
    "        for k in range(" n "):\n" \
    "            C[i] = T.max(C[i], A[k])\n"
#define SUM_UP_TO(start)           \
    "    for i in range(8):\n"     \
    "        C[i] = " start "\n"   \
    "        for k in range(i):\n" \
    "            C[i] = C[i] + A[k]\n"
#define MASKED(lowest, cond)                                                \
    "    for i in range(8):\n"                                              \
    "        C[i] = " lowest "\n"                                           \
    "        for k in range(8):\n"                                          \
    "            C[i] = T.max(C[i], T.if_then_else(" cond ", A[k], " lowest \
    "))\n"
#define MINUS_INF "T.float32(\"-inf\")"
#define LOWEST    "T.float32(-3.4028234663852886e+38)"

#define NOT       VERIFIER_UNKNOWN

struct row {
    const char *label, *params, *untuned, *tuned;
    enum verifier_verdict want; /* NOT: no proof; another one is worse */
    const char *assumes;        /* one of the assumptions, or NULL */
};

// clang-format off
static const struct row rows[] = {
    /* ---- arms ---- */
    {"the same arms, the other way round", F8,
     EACH("T.if_then_else(i < 4, A[i], A[i] * T.float32(2))"),
     IN_TURN("T.if_then_else(7 - i >= 4, A[7 - i] * T.float32(2), A[7 - i])"),
     VERIFIER_IDENTICAL, NULL},
    {"second arms that differ where the first is not chosen", F8,
     EACH("T.if_then_else(i < 4, A[i], T.if_then_else(i < 6, A[i] * T.float32(2), A[i] * T.float32(3)))"),
     EACH("T.if_then_else(i < 4, A[i], T.if_then_else(i < 6, A[i] * T.float32(2), A[i] * T.float32(5)))"),
     NOT, NULL},
    {"arms of a condition on data, the second one other", F8,
     EACH("T.Select(A[i] > T.float32(0), A[i], A[i] * T.float32(2))"),
     IN_TURN("T.Select(A[7 - i] > T.float32(0), A[7 - i], A[7 - i] * T.float32(3))"),
     NOT, NULL},
    {"a condition with equality", F8,
     EACH("T.Select(A[i] > T.float32(0), A[i], A[i] + T.float32(3))"),
     IN_TURN("T.Select(A[7 - i] >= T.float32(0), A[7 - i], A[7 - i] + T.float32(3))"),
     NOT, NULL},
    /* ---- sizes ---- */
    {"sizes of two wide types", SIZED_PARAMS, SIZED("int32"), SIZED("int64"),
     VERIFIER_IDENTICAL, NULL},
    {"a narrow size on both sides", SIZED_PARAMS, SIZED("uint8"),
     SIZED("uint8"), VERIFIER_IDENTICAL, NULL},
    {"a stride that the type of its symbol holds", F8,
     "    C[0] = A[0] + T.float32(400)\n", STRIDED("int32"),
     VERIFIER_IDENTICAL, NULL},
    {"a size that the tuned side's type does not hold", SIZED_PARAMS,
     SIZED("int32"), SIZED("uint8"), NOT, NULL},
    {"a stride that the type of its symbol does not hold", F8,
     "    C[0] = A[0] + T.float32(144)\n", STRIDED("uint8"), NOT, NULL},
    /* ---- folds ---- */
    {"a float sum in another order", FR, FOLD("T.float32(0)", ONWARDS, PLUS),
     FOLD("T.float32(0)", BACKWARDS, PLUS), VERIFIER_ORDER_ONLY, NULL},
    {"an integer sum in another order", IR, FOLD("0", ONWARDS, PLUS),
     FOLD("0", BACKWARDS, PLUS), VERIFIER_IDENTICAL, NULL},
    {"a float maximum in another order", FR,
     FOLD("T.float32(\"-inf\")", ONWARDS, MORE),
     FOLD("T.float32(\"-inf\")", BACKWARDS, MORE), VERIFIER_ORDER_ONLY, "non-NaN"},
    {"a float minimum in another order", FR,
     FOLD("T.float32(\"inf\")", ONWARDS, LESS),
     FOLD("T.float32(\"inf\")", BACKWARDS, LESS), VERIFIER_ORDER_ONLY, "non-NaN"},
    {"a float maximum whose operands change places half way", FR,
     "    C[0] = A[0]\n    for k in range(4):\n        C[0] = T.max(C[0], A[k])\n"
     "    for k in range(4):\n        C[0] = T.max(A[k + 4], C[0])\n",
     FOLD("A[0]", ONWARDS, MORE), NOT, NULL},
    {"a float maximum in two halves", FR,
     "    C[0] = A[0]\n    for k in range(4):\n        C[0] = T.max(C[0], A[k])\n"
     "    for k in range(4):\n        C[0] = T.max(C[0], A[k + 4])\n",
     FOLD("A[0]", ONWARDS, MORE), VERIFIER_IDENTICAL, NULL},
    {"an integer maximum in another order", IR, FOLD("A[0]", ONWARDS, MORE),
     FOLD("A[0]", BACKWARDS, MORE), VERIFIER_IDENTICAL, NULL},
    {"a maximum from 0", IR, FOLD("A[0]", ONWARDS, MORE),
     FOLD("0", BACKWARDS, MORE), NOT, NULL},
    {"a maximum from the lowest number", FR,
     FOLD("T.float32(-3.4028234663852886e+38)", ONWARDS, MORE),
     FOLD("T.float32(\"-inf\")", ONWARDS, MORE), VERIFIER_ORDER_ONLY, "in-range"},
    {"a minimum from -inf", FR, FOLD("A[0]", ONWARDS, LESS),
     FOLD("T.float32(\"-inf\")", ONWARDS, LESS), NOT, NULL},
    {"a maximum from inf", FR, FOLD("A[0]", ONWARDS, MORE),
     FOLD("T.float32(\"inf\")", ONWARDS, MORE), NOT, NULL},
    {"a minimum where a maximum was", IR, FOLD("A[0]", ONWARDS, MORE),
     FOLD("A[0]", ONWARDS, LESS), NOT, NULL},
    {"bits that are exchanged in another order", IR, FOLD("0", ONWARDS, EITHER),
     FOLD("0", BACKWARDS, EITHER), VERIFIER_IDENTICAL, NULL},
    {"bits that are exchanged twice", IR, FOLD("0", ONWARDS, EITHER),
     FOLD("0", ONWARDS, TWICE), NOT, NULL},
    {"bits that are set twice", IR, FOLD("0", ONWARDS, ANY_BIT),
     FOLD("0", ONWARDS, TWICE_OR), VERIFIER_IDENTICAL, NULL},
    {"a sum from 0 and one from its first term", FR,
     "    C[0] = T.float32(0)\n    for k in range(8):\n        C[0] = C[0] + A[k]\n",
     "    C[0] = A[0]\n    for k in range(7):\n        C[0] = C[0] + A[k + 1]\n",
     VERIFIER_ORDER_ONLY, NULL},
    {"zeros behind the last term of a sum from 0", FR,
     "    C[0] = T.float32(0)\n    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     "    C[0] = T.float32(0)\n    for k in range(8):\n"
     "        C[0] = C[0] + T.if_then_else(k < 5, A[k], T.float32(0))\n",
     VERIFIER_IDENTICAL, NULL},
    {"zeros behind the last term of a sum from -0", FR,
     "    C[0] = T.float32(-0.0)\n    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     "    C[0] = T.float32(-0.0)\n    for k in range(8):\n"
     "        C[0] = C[0] + T.if_then_else(k < 5, A[k], T.float32(0))\n",
     VERIFIER_ORDER_ONLY, NULL},
    {"factors of 0 behind the last term", FR,
     "    C[0] = T.float32(0)\n    for k in range(5):\n"
     "        C[0] = C[0] + A[k] * T.float32(2)\n",
     "    C[0] = T.float32(0)\n    for k in range(8):\n"
     "        C[0] = C[0] + A[k] * T.if_then_else(k < 5, T.float32(2), T.float32(0))\n",
     VERIFIER_ORDER_ONLY, "finite"},
    {"factors of 1 behind the last term", FR,
     "    C[0] = T.float32(0)\n    for k in range(5):\n"
     "        C[0] = C[0] + A[k] * T.float32(2)\n",
     "    C[0] = T.float32(0)\n    for k in range(8):\n"
     "        C[0] = C[0] + A[k] * T.if_then_else(k < 5, T.float32(2), T.float32(1))\n",
     NOT, NULL},
    {"the low bits of a sum", NR, WIDE("0", "L[0] + A[k]"),
     FOLD("T.int8(0)", ONWARDS, PLUS_LOW), VERIFIER_IDENTICAL, NULL},
    {"the low bits of a maximum", NR, WIDE("A[0]", "T.max(L[0], A[k])"),
     FOLD("T.Cast(\"int8\", A[0])", ONWARDS, MORE_LOW), NOT, NULL},
    /* ---- states of two values ---- */
    {"the largest and its place", ARG, LARGEST("vk", "A[vk]", "vk"),
     LARGEST("vk", "T.max(A[vk], A[vk])", "vk"), VERIFIER_IDENTICAL, NULL},
    {"the largest and its value as its place", ARG, LARGEST("vk", "A[vk]", "vk"),
     LARGEST("vk", "A[vk]", "A[vk]"), NOT, NULL},
    {"the largest and the value before as its place", ARG,
     LARGEST("vk", "A[vk]", "vk"), KEPT("vk", "A[vk]", "vk", "V[0]"), NOT, NULL},
    {"the largest, from the end", ARG, LARGEST("vk", "A[vk]", "vk"),
     LARGEST("999 - vk", "A[999 - vk]", "999 - vk"), NOT, NULL},
    {"the largest, and of two the earlier", ARG, EARLIER("I[0]", ONCE),
     EARLIER("I[0]", SWAPPED), VERIFIER_IDENTICAL, NULL},
    {"the largest, and of two the earlier, from the end", ARG, FIRST("vk"),
     FIRST("(999 - vk)"), VERIFIER_IDENTICAL, NULL},
    {"the largest float, and of two the earlier, from the end", ARGF,
     FIRST("vk"), FIRST("(999 - vk)"), VERIFIER_ORDER_ONLY, "non-NaN"},
    {"the largest, and of two the one of lesser value", ARG,
     EARLIER("I[0]", ONCE), EARLIER("V[0]", SWAPPED), NOT, NULL},
    {"the largest float, from the end", ARGF, LARGEST("vk", "A[vk]", "vk"),
     LARGEST("999 - vk", "A[999 - vk]", "999 - vk"), NOT, NULL},
    /* ---- what cells hold ---- */
    {"a cell that each iteration sets", F8,
     "    L = T.alloc_buffer((1,), \"float32\")\n"
     "    for i in range(8):\n        L[0] = A[i]\n        C[i] = L[0]\n",
     IN_TURN("A[7 - i]"), VERIFIER_IDENTICAL, NULL},
    {"a cell that the iteration before set", F8,
     "    L = T.alloc_buffer((1,), \"float32\")\n    L[0] = A[0]\n"
     "    for i in range(8):\n        C[i] = L[0]\n        L[0] = A[i]\n",
     IN_TURN("A[7 - i]"), NOT, NULL},
    {"a cell that some iterations set", F8,
     "    L = T.alloc_buffer((1,), \"float32\")\n    L[0] = A[0]\n"
     "    for i in range(8):\n        if i % 2 == 0:\n            L[0] = A[i]\n"
     "        C[i] = L[0]\n",
     IN_TURN("A[7 - i]"), NOT, NULL},
    {"a cell that some iterations set, as it is", F8,
     "    L = T.alloc_buffer((1,), \"float32\")\n    L[0] = A[0]\n"
     "    for i in range(8):\n        if i % 2 == 0:\n            L[0] = A[i]\n"
     "        C[i] = L[0]\n",
     IN_TURN("A[(7 - i) // 2 * 2]"), VERIFIER_IDENTICAL, NULL},
    {"an element that is left as it was", F8,
     "    for i in range(7):\n        C[i] = A[i]\n",
     "    for i in range(7):\n        C[6 - i] = A[6 - i]\n",
     VERIFIER_IDENTICAL, NULL},
    {"an element less", F8, EACH("A[i]"),
     "    for i in range(7):\n        C[6 - i] = A[6 - i]\n", NOT, NULL},
    /* ---- operators ---- */
    {"operands of a sum change places", F8, EACH("A[i] + A[7 - i]"),
     IN_TURN("A[i] + A[7 - i]"), VERIFIER_IDENTICAL, NULL},
    {"operands of a difference change places", F8, EACH("A[i] - A[7 - i]"),
     IN_TURN("A[i] - A[7 - i]"), NOT, NULL},
    {"operands of a maximum change places", I8, EACH("T.max(A[i], A[7 - i])"),
     IN_TURN("T.max(A[i], A[7 - i])"), VERIFIER_IDENTICAL, NULL},
    {"operands of a quotient change places", F8, EACH("A[i] / A[7 - i]"),
     IN_TURN("A[i] / A[7 - i]"), NOT, NULL},
    {"another rounding of a quotient", I8, EACH("T.floordiv(A[i], 4)"),
     IN_TURN("T.truncdiv(A[7 - i], 4)"), NOT, NULL},
    {"a mask is a remainder", I8, EACH("T.bitwise_and(A[i], 7)"),
     IN_TURN("T.floormod(A[7 - i], 8)"), VERIFIER_IDENTICAL, NULL},
    {"a mask with a gap is none", I8, EACH("T.bitwise_and(A[i], 5)"),
     IN_TURN("T.floormod(A[7 - i], 6)"), NOT, NULL},
    {"an address by a mask with a gap", F8, EACH("A[T.bitwise_and(i, 5)]"),
     IN_TURN("A[(7 - i) % 6]"), NOT, NULL},
    {"an address by a mask", F8, EACH("A[T.bitwise_and(i, 3)]"),
     IN_TURN("A[(7 - i) % 4]"), VERIFIER_IDENTICAL, NULL},
    {"an address by exclusive or", F8, EACH("A[T.bitwise_xor(i, 0)]"),
     IN_TURN("A[7 - i]"), VERIFIER_IDENTICAL, NULL},
    {"a shift to the right of what is negative", I8, EACH("T.shift_right(A[i], 1)"),
     IN_TURN("T.truncdiv(A[7 - i], 2)"), NOT, NULL},
    {"an address by or with itself", F8, EACH("A[T.bitwise_or(i, i)]"),
     IN_TURN("A[7 - i]"), VERIFIER_IDENTICAL, NULL},
    {"an address by and with itself", F8, EACH("A[T.bitwise_and(i, i)]"),
     IN_TURN("A[7 - i]"), VERIFIER_IDENTICAL, NULL},
    {"an address by exclusive or with itself", F8,
     EACH("A[T.bitwise_xor(i, i)]"), IN_TURN("A[0]"), VERIFIER_IDENTICAL, NULL},
    {"an address by or with 0", F8, EACH("A[T.bitwise_or(i, i // 8)]"),
     IN_TURN("A[7 - i]"), VERIFIER_IDENTICAL, NULL},
    {"an address by and with 0", F8, EACH("A[T.bitwise_and(i, i // 8)]"),
     IN_TURN("A[0]"), VERIFIER_IDENTICAL, NULL},
    {"an address by a truncated quotient", F8,
     EACH("A[T.truncdiv(i - 4, 3) + 1]"),
     IN_TURN("A[T.if_then_else(7 - i < 2, 0, T.if_then_else(7 - i < 7, 1, 2))]"),
     VERIFIER_IDENTICAL, NULL},
    {"an address by a floored one", F8, EACH("A[T.floordiv(i - 4, 3) + 2]"),
     IN_TURN("A[T.if_then_else(7 - i < 1, 0, T.if_then_else(7 - i < 4, 1, "
             "T.if_then_else(7 - i < 7, 2, 3)))]"),
     VERIFIER_IDENTICAL, NULL},
    {"an address by what is negative, as unsigned", F8,
     EACH("A[T.Cast(\"int32\", T.Cast(\"uint16\", T.Cast(\"int8\", i - 4))) % 7]"),
     IN_TURN("A[(3 - i) % 7]"), NOT, NULL},
    {"an address by what is negative, in more bits", F8,
     EACH("A[T.Cast(\"int32\", T.Cast(\"int16\", T.Cast(\"int8\", i - 4))) % 7]"),
     IN_TURN("A[(3 - i) % 7]"), VERIFIER_IDENTICAL, NULL},
    {"an address by what is negative, as unsigned of one width", F8,
     EACH("A[T.Cast(\"int32\", T.Cast(\"int64\", T.Cast(\"uint32\", i - 4)) % T.int64(7))]"),
     IN_TURN("A[(3 - i) % 7]"), NOT, NULL},
    {"an address by bits of what is negative", F8,
     EACH("A[T.bitwise_or(i - 4, 3) + 1]"),
     IN_TURN("A[3 - i + 1 + 3]"), NOT, NULL},
    {"an address by the one for the other", F8,
     EACH("A[T.truncdiv(i - 4, 3) + 2]"),
     IN_TURN("A[T.floordiv(3 - i, 3) + 2]"), NOT, NULL},
    {"twice what a function gives", I8,
     EACH("T.call_pure_extern(\"int32\", \"f\", A[i]) * 2"),
     IN_TURN("T.shift_left(T.call_pure_extern(\"int32\", \"f\", A[7 - i]), 1)"),
     VERIFIER_IDENTICAL, NULL},
    {"twice what another function gives", I8,
     EACH("T.call_pure_extern(\"int32\", \"f\", A[i]) * 2"),
     IN_TURN("T.shift_left(T.call_pure_extern(\"int32\", \"g\", A[7 - i]), 1)"),
     NOT, NULL},
    {"a float maximum by a choice", F8, EACH("T.max(A[i], T.float32(2))"),
     IN_TURN("T.Select(A[7 - i] > T.float32(2), A[7 - i], T.float32(2))"),
     VERIFIER_IDENTICAL, NULL},
    {"a float minimum by a choice", F8, EACH("T.min(A[i], T.float32(2))"),
     IN_TURN("T.Select(A[7 - i] < T.float32(2), A[7 - i], T.float32(2))"),
     VERIFIER_IDENTICAL, NULL},
    {"a float maximum by a choice the other way round", F8,
     EACH("T.max(A[i], T.float32(2))"),
     IN_TURN("T.Select(T.float32(2) > A[7 - i], T.float32(2), A[7 - i])"), NOT,
     NULL},
    {"an unsigned comparison", "A: T.Buffer((8,), \"uint8\"), C: T.Buffer((8,), \"int32\")",
     EACH("T.Select(A[i] > T.uint8(200), 1, 2)"),
     IN_TURN("T.Select(T.Cast(\"int32\", A[7 - i]) > 200, 1, 2)"),
     VERIFIER_IDENTICAL, NULL},
    {"an unsigned comparison as a signed one",
     "A: T.Buffer((8,), \"uint8\"), C: T.Buffer((8,), \"int32\")",
     EACH("T.Select(A[i] > T.uint8(100), 1, 2)"),
     IN_TURN("T.Select(T.Cast(\"int8\", A[7 - i]) > T.int8(100), 1, 2)"), NOT, NULL},
    {"a comparison of signed numbers", "A: T.Buffer((8,), \"uint32\"), C: T.Buffer((8,), \"int32\")",
     EACH("T.Select(T.Cast(\"int32\", A[i]) <= 5, 1, 2)"),
     IN_TURN("T.Select(A[7 - i] <= T.uint32(5), 1, 2)"), NOT, NULL},
    {"a comparison of unsigned numbers",
     "A: T.Buffer((8,), \"uint32\"), C: T.Buffer((8,), \"int32\")",
     EACH("T.Select(A[i] < T.uint32(5), 1, 2)"),
     IN_TURN("T.Select(T.Cast(\"int32\", A[7 - i]) < 5, 1, 2)"), NOT, NULL},
    {"floats are no integers", F8, EACH("A[i] * T.float32(2)"),
     IN_TURN("A[7 - i] * T.float32(2.5)"), NOT, NULL},

    /* ---- what may be undefined (R10) ---- */
    {"a dropped factor is out of an integer's range", PADF,
     PRODUCTS("T.float32(0)", 10, "A[k]", "T.Cast(\"float32\", T.Cast(\"int8\", B[k]))"),
     PADDED("float32", "T.float32(0)",
            "T.Cast(\"float32\", T.Cast(\"int8\", B[k]))"),
     NOT, NULL},
    {"a dropped factor is a float", PADF,
     PRODUCTS("T.float32(0)", 10, "A[k]", "T.exp(B[k])"),
     PADDED("float32", "T.float32(0)", "T.exp(B[k])"), VERIFIER_ORDER_ONLY,
     "finite"},
    {"a dropped factor is shifted by data", PADI,
     PRODUCTS("0", 10, "A[k]", "T.shift_left(1, B[k])"),
     PADDED("int32", "0", "T.shift_left(1, B[k])"), NOT, NULL},
    {"a dropped factor is shifted by less than the width", PADI,
     PRODUCTS("0", 10, "A[k]", "T.shift_left(1, T.bitwise_and(B[k], 31))"),
     PADDED("int32", "0", "T.shift_left(1, T.bitwise_and(B[k], 31))"),
     VERIFIER_ORDER_ONLY, NULL},
    {"a sum of converted floats, masked", FI, "    C[0] = 0\n",
     CONVERTED("T.bitwise_and(L[0], 0)"), NOT, NULL},
    {"a choice that data decide, masked", FI, "    C[0] = 0\n",
     CONVERTED("T.bitwise_and(T.Select(A[0] > A[1], L[0], 5), 0)"), NOT, NULL},
    {"a state that may be undefined, masked", FI, EVERY_OTHER("0"),
     EVERY_OTHER("T.bitwise_and(C[0], 0)"), NOT, NULL},

    /* ---- states of 64 bits ---- */
    {"a combiner of int64 that is none beyond 2^61", WIDEST,
     CHOSEN64("k", "T.And(A[k] > C[0], C[0] < T.int64(3000000000000000000))"),
     CHOSEN64("15 - k", "T.And(A[15 - k] > C[0], "
                        "C[0] < T.int64(3000000000000000000))"),
     NOT, NULL},
    {"a maximum of int64 by a choice", WIDEST,
     CHOSEN64("k", "A[k] > C[0]"), CHOSEN64("15 - k", "A[15 - k] > C[0]"),
     VERIFIER_IDENTICAL, NULL},

    /* ---- without conversions ---- */
    {"sums of the bits of two formats",
     BITS, FOLD("T.float32(0)", ONWARDS, PLUS_BITS_B),
     FOLD("T.float32(0)", ONWARDS, PLUS_BITS_F), NOT, NULL},
    {"sums of the bits of one format",
     BITS, FOLD("T.float32(0)", ONWARDS, PLUS_BITS_B),
     FOLD("T.float32(0)", ONWARDS, PLUS_BITS_BF), VERIFIER_PRECISION, NULL},
    {"infinite in one format",
     "A: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), \"bool\")",
     EACH("T.isinf(A[i])"), EACH("T.isinf(T.Cast(\"float16\", A[i]))"), NOT,
     NULL},
    {"a C function of another type", F8,
     EACH("T.call_pure_extern(\"float32\", \"f\", A[i])"),
     EACH("T.Cast(\"float32\", T.call_pure_extern(\"float16\", \"f\", "
          "T.Cast(\"float16\", A[i])))"),
     NOT, NULL},
    {"a function of numbers in another type", F8, EACH("T.exp(A[i])"),
     EACH("T.Cast(\"float32\", T.exp(T.Cast(\"float16\", A[i])))"),
     VERIFIER_PRECISION, NULL},

    /* ---- units of folds without terms (R32) ---- */
    {"a maximum of the terms before", F8,
     UP_TO("i", MINUS_INF),
     UP_TO("i", LOWEST), NOT, NULL},
    {"a maximum of the terms up to here", F8,
     UP_TO("i + 1", MINUS_INF),
     UP_TO("i + 1", LOWEST),
     VERIFIER_ORDER_ONLY, "in-range"},
    {"a maximum of the terms from here on", F8,
     MASKED(MINUS_INF, "i <= k"),
     MASKED(LOWEST, "i <= k"),
     VERIFIER_ORDER_ONLY, "in-range"},
    {"a maximum of the terms after", F8,
     MASKED(MINUS_INF, "i < k"),
     MASKED(LOWEST, "i < k"), NOT, NULL},
    {"a maximum of terms that data choose", F8,
     MASKED(MINUS_INF, "A[k] > A[i]"),
     MASKED(LOWEST, "A[k] > A[i]"), NOT,
     NULL},
    {"a sum of the terms before, from either zero", F8,
     SUM_UP_TO("T.float32(0)"), SUM_UP_TO("T.float32(-0.0)"), NOT, NULL},
};
// clang-format on

static struct ir_module *read_module(const struct row *row, const char *body)
{
    struct buf text = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&text,
               "from tvm.script import ir as I\n"
               "from tvm.script import tirx as T\n\n"
               "@T.prim_func(s_tir=True)\ndef main(%s):\n%s",
               row->params, body);
    struct ir_module *m = ir_read(buf_text(&text), text.len, "row", sink);
    if (m == NULL || !ir_wellformed(m, sink)) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        fail_msg("%s: %s\n%s", row->label, buf_text(&out), buf_text(&text));
    }
    diag_sink_free(sink);
    buf_fini(&text);
    return m;
}

static void row_run(void **state)
{
    const struct row *row = *state;
    struct ir_module *u = read_module(row, row->untuned);
    struct ir_module *t = read_module(row, row->tuned);
    struct verifier_options options = {.explain = false};
    struct verifier_result r;
    verifier_prove(t, t->funcs[0], u, u->funcs[0], &options, &r);
    bool proved = r.verdict == VERIFIER_IDENTICAL ||
                  r.verdict == VERIFIER_ORDER_ONLY ||
                  r.verdict == VERIFIER_PRECISION;
    if (row->want == NOT ? proved : r.verdict != row->want)
        fail_msg("%s: verdict %d: %s", row->label, (int)r.verdict, r.reason);
    bool found = row->assumes == NULL;
    for (size_t i = 0; i < r.nassumptions && !found; i++)
        found = strcmp(r.assumptions[i], row->assumes) == 0;
    if (!found)
        fail_msg("%s: '%s' is not assumed", row->label, row->assumes);
    verifier_result_fini(&r);
    ir_module_free(u);
    ir_module_free(t);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows)] = {{0}};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct row *in;
            void *out;
        } row = {&rows[i]};
        tests[i].name = rows[i].label;
        tests[i].test_func = row_run;
        tests[i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("proofs", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
