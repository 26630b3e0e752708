/* SPDX-License-Identifier: Apache-2.0
 *
 * The safety proof of one program: what must be shown, and what must not be,
 * with the obligation that stands in the way. Verdicts are by hand, from the
 * rules of docs/semantics.md named in the labels.
 *
 * With a second body the first is the untuned program: what it accesses by
 * data is given for the second.
 */
#include "tests/verifier/safety/safety_case_internal.h"

// clang-format off
static const struct safety_case cases[] = {
/* accesses */
{"copy", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE},
{"one beyond the end", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[i + 1]\n", .want = VSAFETY_BOUNDS, .index = "8"},
{"one before the start", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i - 1] = A[i]\n", .want = VSAFETY_BOUNDS, .index = "-1"},
{"rule 8: if_then_else guards", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = T.if_then_else(i < 7, A[i + 1], T.float32(0))\n", .want = VSAFETY_NONE},
{"rule 8: its other arm", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = T.if_then_else(i < 7, T.float32(0), A[i + 1])\n",
 .want = VSAFETY_BOUNDS, .index = "8"},
{"rule 8: Select guards nothing", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = T.Select(i < 7, A[i + 1], T.float32(0))\n",
 .want = VSAFETY_BOUNDS},
{"rule 8: And guards nothing", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        if T.And(i < 7, A[i + 1] > T.float32(0)):\n"
 "            C[i] = A[i]\n", .want = VSAFETY_BOUNDS},
{"if guards", F1("A", 8) ", " F1("C", 8),
 "    for i in range(3):\n"
 "        for j in range(3):\n"
 "            if i * 3 + j < 8:\n"
 "                C[i * 3 + j] = A[i * 3 + j]\n", .want = VSAFETY_NONE},
{"if guards too little", F1("A", 8) ", " F1("C", 8),
 "    for i in range(3):\n"
 "        for j in range(3):\n"
 "            if i * 3 + j < 9:\n"
 "                C[i * 3 + j] = A[i * 3 + j]\n",
 .want = VSAFETY_BOUNDS, .index = "8"},
{"fused and taken apart", "A: T.Buffer((7, 3), \"float32\"), "
 "C: T.Buffer((7, 3), \"float32\")",
 "    for i in range(6):\n"
 "        for j in range(4):\n"
 "            if i * 4 + j < 21:\n"
 "                C[(i * 4 + j) // 3, (i * 4 + j) % 3] = "
 "A[(i * 4 + j) // 3, (i * 4 + j) % 3]\n", .want = VSAFETY_NONE},
{"a view of the whole, one too long", F1("A", 8) ", " F1("C", 8),
 "    for i in range(9):\n"
 "        C[i % 8] = A[T.max(i - 1, 0)]\n", .want = VSAFETY_NONE},
/* sizes */
{"rule 16: any size", "A: T.Buffer((n,), \"float32\"), "
 "C: T.Buffer((n,), \"float32\")",
 "    for i in range((n + 31) // 32):\n"
 "        for j in range(32):\n"
 "            if i * 32 + j < n:\n"
 "                C[i * 32 + j] = A[i * 32 + j]\n", .want = VSAFETY_NONE},
{"rule 16: without the guard", "A: T.Buffer((n,), \"float32\"), "
 "C: T.Buffer((n,), \"float32\")",
 "    for i in range((n + 31) // 32):\n"
 "        for j in range(32):\n"
 "            C[i * 32 + j] = A[i * 32 + j]\n", .want = VSAFETY_BOUNDS},
{"a stencil of any size", "A: T.Buffer((n + 2,), \"float32\"), "
 "C: T.Buffer((n,), \"float32\")",
 "    for i in range(n):\n"
 "        C[i] = A[i] + A[i + 1] + A[i + 2]\n", .want = VSAFETY_NONE},
{"a product of any size and what may be negative", "A: T.Buffer((n,), \"float32\"), "
 "C: T.Buffer((n,), \"float32\")",
 "    for i in range(n):\n"
 "        for j in range(-1, 1):\n"
 "            if i * j < n:\n"
 "                C[i * j] = A[i]\n", .want = VSAFETY_BOUNDS},
{"a product of any size and what is not", "A: T.Buffer((n,), \"float32\"), "
 "C: T.Buffer((n,), \"float32\")",
 "    for i in range(n):\n"
 "        for j in range(0, 2):\n"
 "            if i * j < n:\n"
 "                C[i * j] = A[0]\n", .want = VSAFETY_NONE},
/* integers */
{"rule 9: division by zero", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[7 // i]\n", .want = VSAFETY_DIVISION},
{"rule 9: a divisor that is not zero", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[7 // (i + 1)]\n", .want = VSAFETY_NONE},
{"rule 9: index overflow", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[(i * 1000000000) % 8]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a divisor that wraps", I1("A", 8) ", " I1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[i] // (i * 1000000000 + 1)\n", .want = VSAFETY_OVERFLOW},
{"rule 9: no overflow in 64 bits", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[(T.Cast(\"int64\", i) * T.int64(1000000000)) % "
 "T.int64(8)]\n", .want = VSAFETY_NONE},
{"rule 9: data that wrap are no index", I1("A", 8) ", " I1("C", 8),
 "    for i in range(8):\n"
 "        C[i] = A[i] * A[i] + 5\n", .want = VSAFETY_NONE},
{"rule 7: an assertion", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        assert i < 8, \"x\"\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE},
{"rule 7: an assertion that fails", F1("A", 8) ", " F1("C", 8),
 "    for i in range(8):\n"
 "        assert i < 7, \"x\"\n"
 "        C[i] = A[i]\n", .want = VSAFETY_ASSERT},
{"an assertion on sizes, given by the untuned program", "A: T.Buffer((n,), \"float32\"), C: T.Buffer((n,), \"float32\")",
 "    assert n % 8 == 0, \"x\"\n"
 "    for i in range(n // 8):\n"
 "        for j in range(8):\n"
 "            C[i * 8 + j] = A[i * 8 + j]\n", .want = VSAFETY_NONE,
 .untuned = "    assert n % 16 == 0, \"x\"\n"
            "    for i in range(n):\n"
            "        C[i] = A[i]\n"},
{"an assertion on sizes that is not given", "A: T.Buffer((n,), \"float32\"), C: T.Buffer((n,), \"float32\")",
 "    assert n % 16 == 0, \"x\"\n"
 "    for i in range(n):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_ASSERT,
 .untuned = "    assert n % 8 == 0, \"x\"\n"
            "    for i in range(n):\n"
            "        C[i] = A[i]\n"},
{"an assertion on sizes that never holds", "A: T.Buffer((n,), \"float32\"), C: T.Buffer((n,), \"float32\")",
 "    assert n < 1, \"x\"\n"
 "    for i in range(n):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_ASSERT},
{"an assertion on data, given by the untuned program",
 F1("A", 8) ", " I1("X", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        C[i] = A[X[i]]\n", .want = VSAFETY_NONE,
 .untuned = "    for i in range(16):\n"
            "        assert T.And(X[i] >= 0, X[i] < 8), \"x\"\n"
            "        C[i] = T.float32(0)\n"},
/* data */
{"data index, given by the untuned program",
 F1("A", 8) ", " I1("X", 16) ", " F1("C", 16),
 "    for i in range(4):\n"
 "        for j in range(4):\n"
 "            C[i * 4 + j] = A[X[i * 4 + j]]\n",
 .untuned = "    for i in range(16):\n"
            "        C[i] = A[X[i]]\n", .want = VSAFETY_NONE},
{"data index, one more than the untuned program's",
 F1("A", 8) ", " I1("X", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        C[i] = A[X[i] + 1]\n", .want = VSAFETY_BOUNDS,
 .untuned = "    for i in range(16):\n"
            "        C[i] = A[X[i]]\n"},
{"data index that the untuned program does not use",
 F1("A", 8) ", " I1("X", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        C[i] = A[X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = "    for i in range(15):\n"
            "        C[i] = A[X[i]]\n"},
{"data index that the untuned program guards",
 F1("A", 8) ", " I1("X", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        C[i] = A[X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = "    for i in range(16):\n"
            "        if i != 3:\n"
            "            C[i] = A[X[i]]\n"},
/* parallel and vectorised loops */
{"rule 6: parallel", F1("A", 8) ", " F1("C", 8),
 "    for i in T.parallel(8):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE},
{"rule 6: two iterations, one cell", F1("A", 8) ", " F1("C", 8),
 "    for i in T.parallel(8):\n"
 "        C[i // 2] = A[i]\n", .want = VSAFETY_RACE},
{"rule 6: a neighbour's cell", F1("A", 8) ", " F1("C", 8),
 "    for i in T.parallel(7):\n"
 "        C[i] = C[i + 1]\n", .want = VSAFETY_RACE},
{"rule 6: outer and inner", "C: T.Buffer((4, 4), \"float32\")",
 "    for k in range(4):\n"
 "        for i in T.parallel(4):\n"
 "            C[i, 0] = C[i, 0] + C[i, k]\n", .want = VSAFETY_NONE},
{"rule 6: a sum in a vectorised loop", F1("A", 8) ", " F1("C", 8),
 "    for i in T.vectorized(8):\n"
 "        C[0] = C[0] + A[i]\n", .want = VSAFETY_RACE},
{"rule 4: all write one value", F1("A", 8) ", " F1("C", 8),
 "    for i in T.parallel(8):\n"
 "        C[0] = T.float32(1)\n", .want = VSAFETY_NONE},
{"rule 4: all write the same element's value", F1("A", 8) ", " F1("C", 8),
 "    for j in range(8):\n"
 "        for i in T.parallel(8):\n"
 "            C[j] = A[j]\n", .want = VSAFETY_NONE},
{"rule 4: they write different values, by a minimum",
 F1("A", 8) ", " F1("C", 8),
 "    for i in T.parallel(8):\n"
 "        C[0] = A[T.min(i, 3)]\n", .want = VSAFETY_RACE},
{"rule 4: they write different data by data",
 F1("A", 8) ", " I1("X", 8) ", " F1("C", 8),
 "    for i in T.parallel(8):\n"
 "        C[0] = A[X[i]]\n", .want = VSAFETY_RACE},
{"rule 4: they write the same data by data",
 F1("A", 8) ", " I1("X", 8) ", " F1("C", 8),
 "    for j in range(8):\n"
 "        for i in T.parallel(8):\n"
 "            C[j] = A[X[j]]\n", .want = VSAFETY_NONE},
{"rule 4: they write different values", F1("A", 8) ", " F1("C", 8),
 "    for i in T.parallel(8):\n"
 "        C[0] = A[i]\n", .want = VSAFETY_RACE},
{"shared temporary", F1("A", 8) ", " F1("C", 8),
 "    B = T.alloc_buffer((1,), \"float32\")\n"
 "    B[0] = T.float32(0)\n"
 "    for i in T.parallel(8):\n"
 "        B[0] = A[i]\n"
 "        C[i] = B[0]\n", .want = VSAFETY_RACE},
/* threads */
{"rule 3: implicit barriers", F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[63 - tx]\n", .want = VSAFETY_NONE},
{"rule 3: not inside a statement", F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        S[tx] = S[63 - tx]\n"
 "        C[tx] = S[tx]\n", .want = VSAFETY_RACE},
{"rule 3: an implicit barrier below a condition on threads",
 F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        if tx < 32:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: no barrier is needed below it", F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        if tx < 32:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[tx]\n", .want = VSAFETY_NONE},
{"rule 3: explicit barriers", F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        for k in range(4):\n"
 "            S[tx] = A[tx]\n"
 "            " SYNC
 "            C[tx] = S[63 - tx]\n"
 "            " SYNC, .want = VSAFETY_NONE},
{"rule 3: the back edge needs one, too", F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        for k in range(4):\n"
 "            S[tx] = A[tx]\n"
 "            " SYNC
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"two slots and one barrier an iteration", F1("A", 256) ", " F1("C", 256),
 "    S = T.alloc_buffer((2, 64), scope=\"shared\")\n"
 TX(64)
 "        for k in range(4):\n"
 "            S[k % 2, tx] = A[k * 64 + tx]\n"
 "            " SYNC
 "            C[k * 64 + tx] = S[k % 2, 63 - tx]\n", .want = VSAFETY_NONE},
{"two slots without a barrier", F1("A", 256) ", " F1("C", 256),
 "    S = T.alloc_buffer((2, 64), scope=\"shared\")\n"
 TX(64)
 "        " SYNC
 "        for k in range(4):\n"
 "            S[k % 2, tx] = A[k * 64 + tx]\n"
 "            C[k * 64 + tx] = S[k % 2, 63 - tx]\n", .want = VSAFETY_RACE},
{"two slots, one of them too few", F1("A", 256) ", " F1("C", 256),
 "    S = T.alloc_buffer((2, 64), scope=\"shared\")\n"
 TX(64)
 "        for k in range(4):\n"
 "            S[k % 2, tx] = A[k * 64 + tx]\n"
 "            " SYNC
 "            C[k * 64 + tx] = S[(k + 1) % 2, 63 - tx]\n",
 .want = VSAFETY_RACE},
{"rule 17: no implicit barrier for global", F1("A", 64) ", " F1("C", 64)
 ", " F1("D", 64),
 TX(64)
 "        D[tx] = A[tx]\n"
 "        C[tx] = D[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 18: blocks", F1("A", 64) ", " F1("C", 64),
 BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            C[bx * 32 + tx] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 18: blocks that meet", F1("A", 64) ", " F1("C", 64),
 BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            C[bx * 31 + tx] = A[bx * 32 + tx]\n", .want = VSAFETY_RACE},
{"rule 21: divergence", F1("A", 64) ", " F1("C", 64),
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        if tx < 32:\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: a condition that all threads share", F1("A", 64) ", " F1("C", 64),
 SHARED BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            if bx < 1:\n"
 "                S[tx] = A[tx]\n"
 "                " SYNC
 "                C[tx] = S[31 - tx]\n", .want = VSAFETY_NONE},
};
// clang-format on

int main(void)
{
    return safety_main(cases, DC_ARRAY_LEN(cases));
}
