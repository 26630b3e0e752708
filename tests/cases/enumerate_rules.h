/* SPDX-License-Identifier: Apache-2.0
 *
 * What the enumeration must say of two small programs, rule by rule of
 * docs/semantics.md: a right pair and a wrong one where there are two. Expected
 * from the rules, not from what the code says.
 */
#ifndef DC_TESTS_CASES_ENUMERATE_RULES_H
#define DC_TESTS_CASES_ENUMERATE_RULES_H

#include "verifier/enumerate/enumerate.h"

#define SAME    ENUMERATE_EQUAL
#define REFUSED ENUMERATE_UNEQUAL
#define UNKNOWN ENUMERATE_NOT_DONE

struct enum_row {
    const char *name;
    const char *head; /* s_tir=True, or nothing */
    const char *params;
    const char *untuned, *tuned; /* bodies: lines, each indented by 4 */
    enum enumerate_claim claim;
    enum enumerate_outcome want;
    const char *why; /* part of the reason, or NULL */
};

#define TIR  "s_tir=True"
#define FLAT "private=True"
/* By single elements alone, as programs are that are too large. */
#define SAMPLED_TIR "s_tir=True, private=True"
#define IDENT       ENUMERATE_IDENTICAL
#define ORDER       ENUMERATE_ORDER

// clang-format off
static const struct enum_row enum_rows[] = {
    /* R4: a cell is an address; R5 to R8 */
    {"rows that overlap", FLAT,
     "A: T.Buffer((3, 4), \"int32\"), O: T.Buffer((3, 4), \"int32\")",
     "    for i, j in T.grid(3, 4):\n"
     "        O[i, j] = A[i, j]\n",
     "    S = T.alloc_buffer((3, 4), \"int32\", strides=(2, 1), layout=None)\n"
     "    for i, j in T.grid(3, 4):\n"
     "        S[i, j] = A[i, j]\n"
     "    for i, j in T.grid(3, 4):\n"
     "        O[i, j] = S[i, j]\n",
     IDENT, REFUSED, "element 2 of parameter 1"},
    {"rows apart", FLAT,
     "A: T.Buffer((3, 4), \"int32\"), O: T.Buffer((3, 4), \"int32\")",
     "    for i, j in T.grid(3, 4):\n"
     "        O[i, j] = A[i, j]\n",
     "    S = T.alloc_buffer((3, 4), \"int32\", strides=(6, 1), layout=None)\n"
     "    for i, j in T.grid(3, 4):\n"
     "        S[i, j] = A[i, j]\n"
     "    for i, j in T.grid(3, 4):\n"
     "        O[i, j] = S[i, j]\n",
     IDENT, SAME, NULL},
    {"rows that overlap, read at once", FLAT,
     "A: T.Buffer((3, 4), \"int32\"), O: T.Buffer((3, 4), \"int32\")",
     "    for i, j in T.grid(3, 4):\n"
     "        O[i, j] = A[i, j]\n",
     "    S = T.alloc_buffer((3, 4), \"int32\", strides=(2, 1), layout=None)\n"
     "    for i in range(3):\n"
     "        for j in range(4):\n"
     "            S[i, j] = A[i, j]\n"
     "        for j in range(4):\n"
     "            O[i, j] = S[i, j]\n",
     IDENT, SAME, NULL},
    {"a parameter's rows overlap", FLAT,
     "A: T.Buffer((2, 3), \"int32\"), O: T.Buffer((2, 3), \"int32\", strides=(1, 1))",
     "    for i, j in T.grid(2, 3):\n"
     "        O[i, j] = A[i, j]\n",
     "    for i in range(2):\n"
     "        for j in range(3):\n"
     "            O[1 - i, j] = A[1 - i, j]\n",
     IDENT, REFUSED, NULL},
    {"a view's other tuple", FLAT,
     "A: T.Buffer((8,), \"int32\"), O: T.Buffer((8,), \"int32\")",
     "    for i in range(8):\n"
     "        O[i] = A[i]\n",
     "    S = T.alloc_buffer((8,), \"int32\", layout=None)\n"
     "    V = T.decl_buffer((4, 4), \"int32\", data=S.data, strides=(2, 1))\n"
     "    for i in range(8):\n"
     "        S[i] = A[i]\n"
     "    for i, j in T.grid(4, 2):\n"
     "        O[i * 2 + j] = V[i, j]\n",
     IDENT, SAME, NULL},
    {"a view's other tuple, one off", FLAT,
     "A: T.Buffer((8,), \"int32\"), O: T.Buffer((8,), \"int32\")",
     "    for i in range(8):\n"
     "        O[i] = A[i]\n",
     "    S = T.alloc_buffer((8,), \"int32\", layout=None)\n"
     "    V = T.decl_buffer((4, 4), \"int32\", data=S.data, strides=(1, 1))\n"
     "    for i in range(8):\n"
     "        S[i] = A[i]\n"
     "    for i, j in T.grid(4, 2):\n"
     "        O[i * 2 + j] = V[i, j]\n",
     IDENT, REFUSED, NULL},
    {"R15: past a view's shape, in the storage", FLAT,
     "A: T.Buffer((8,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = A[i + 4]\n",
     "    V = T.decl_buffer((2, 4), \"int32\", data=A.data)\n"
     "    for i in range(4):\n"
     "        O[i] = V[0, i + 4]\n",
     IDENT, SAME, NULL},
    {"R15: past the storage", FLAT,
     "A: T.Buffer((8,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = A[i + 4]\n",
     "    V = T.decl_buffer((2, 4), \"int32\", data=A.data)\n"
     "    for i in range(4):\n"
     "        O[i] = T.Select(i < 3, V[0, i + 4], V[1, 7 - i] + V[2, i - 3] - V[2, i - 3])\n",
     IDENT, REFUSED, "outside its storage"},
    {"shared storage in a serial loop", TIR,
     "A: T.Buffer((4, 8), \"int32\"), O: T.Buffer((4, 8), \"int32\")",
     "    for r, i in T.grid(4, 8):\n"
     "        O[r, i] = A[r, 7 - i]\n",
     "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        for r in range(4):\n"
     "            S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
     "            S[tx] = A[r, tx]\n"
     "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
     "            O[r, tx] = S[7 - tx]\n"
     "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n",
     IDENT, SAME, NULL},
    {"shared storage in a serial loop, the back edge without a barrier", TIR,
     "A: T.Buffer((4, 8), \"int32\"), O: T.Buffer((4, 8), \"int32\")",
     "    for r, i in T.grid(4, 8):\n"
     "        O[r, i] = A[r, 7 - i]\n",
     "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        for r in range(4):\n"
     "            S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
     "            S[tx] = A[r, tx]\n"
     "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
     "            O[r, tx] = S[7 - tx]\n",
     IDENT, REFUSED, "race"},
    {"shared storage in a serial loop is undefined at its start", TIR,
     "A: T.Buffer((4, 8), \"int32\"), O: T.Buffer((4, 8), \"int32\")",
     "    for r, i in T.grid(4, 8):\n"
     "        O[r, i] = A[0, i]\n",
     "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        for r in range(4):\n"
     "            with T.sblock(\"b\"):\n"
     "                S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
     "                if r == 0:\n"
     "                    S[tx] = A[r, tx]\n"
     "                O[r, tx] = S[tx]\n",
     IDENT, REFUSED, "not defined"},
    {"a block's storage is each iteration's own", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = A[i] * 2\n",
     "    with T.sblock(\"root\"):\n"
     "        S = T.sblock_alloc_buffer((1,), \"int32\")\n"
     "        for i in T.parallel(4):\n"
     "            S[0] = A[i]\n"
     "            O[i] = S[0] * 2\n",
     IDENT, SAME, NULL},
    {"a cell that another iteration wrote", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = A[0]\n",
     "    with T.sblock(\"root\"):\n"
     "        S = T.sblock_alloc_buffer((1,), \"int32\")\n"
     "        for i in T.parallel(4):\n"
     "            if i == 0:\n"
     "                S[0] = A[0]\n"
     "            O[i] = S[0]\n",
     IDENT, REFUSED, "another iteration"},
    {"iterations that store other bits to one cell", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    for i in range(4):\n"
     "        O[0] = A[i]\n",
     "    for i in T.parallel(4):\n"
     "        O[0] = A[i]\n",
     IDENT, REFUSED, "race"},
    {"iterations that store the same bits to one cell", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    for i in range(4):\n"
     "        O[0] = A[2]\n",
     "    for i in T.parallel(4):\n"
     "        O[0] = A[2]\n",
     IDENT, SAME, NULL},
    {"R28: a reader that has not written it", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((1,), \"int32\"), P: T.Buffer((4,), \"int32\")",
     "    O[0] = A[2]\n"
     "    for i in range(4):\n"
     "        P[i] = A[2]\n",
     "    for i in T.parallel(4):\n"
     "        if i < 3:\n"
     "            O[0] = A[2]\n"
     "        P[i] = O[0]\n",
     IDENT, REFUSED, "race"},
    {"R5: a reduction across threads is not known", TIR,
     "A: T.Buffer((8,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    for k in range(8):\n"
     "        with T.sblock(\"s\"):\n"
     "            vk = T.axis.reduce(8, k)\n"
     "            with T.init():\n"
     "                O[0] = 0\n"
     "            O[0] = O[0] + A[vk]\n",
     "    for k in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
     "        with T.sblock(\"s\"):\n"
     "            vk = T.axis.reduce(8, k)\n"
     "            with T.init():\n"
     "                O[0] = 0\n"
     "            O[0] = O[0] + A[vk]\n",
     IDENT, UNKNOWN, "a reduction across threads"},
    {"R6: a vector loop that sums into one cell", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    for i in range(4):\n"
     "        O[0] = O[0] + A[i]\n",
     "    for i in T.vectorized(4):\n"
     "        O[0] = O[0] + A[i]\n",
     IDENT, REFUSED, "race"},
    {"R6: two lanes of a store to one cell", TIR,
     "A: T.Buffer((4,), \"int32\"), O: T.Buffer((2,), \"int32\")",
     "    O[0] = A[0]\n"
     "    O[1] = A[0]\n",
     "    O[T.Ramp(0, 1, 2) % 1 * T.Broadcast(1, 2)] = T.Broadcast(A[0], 2)\n"
     "    O[1] = A[0]\n",
     IDENT, REFUSED, "two lanes"},
    {"R7: a let that is not used divides", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] == 0, 0, 7)\n",
     "    v = T.int32()\n"
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] == 0, 0, T.Let(7, where={v: 9 // X[0]}))\n",
     IDENT, REFUSED, "division by zero"},
    {"R7: an assumption that may fail", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = 7\n",
     "    T.evaluate(T.assume(X[0] < 100))\n"
     "    for i in range(4):\n"
     "        O[i] = 7\n",
     IDENT, REFUSED, "assumption"},
    {"R7: on the untuned side it leaves inputs out", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    T.evaluate(T.assume(X[0] < 100))\n"
     "    for i in range(4):\n"
     "        O[i] = 7\n",
     "    for i in range(4):\n"
     "        O[i] = 7\n",
     IDENT, SAME, NULL},
    {"R8: a Select evaluates what it does not choose", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] == 0, 0, 100 // X[i])\n",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] == 0, 0, 100 // X[i])\n",
     IDENT, REFUSED, "division by zero"},
    {"R8: if_then_else guards", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] == 0, 0, 100 // X[i])\n",
     "    for i in range(4):\n"
     "        O[i] = 0\n"
     "        if X[i] != 0:\n"
     "            O[i] = 100 // X[i]\n",
     IDENT, SAME, NULL},
    /* R9: integers */
    {"uint8 wraps in a condition", TIR,
     "X: T.Buffer((4,), \"uint8\"), Y: T.Buffer((4,), \"uint8\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] + Y[i] < T.uint8(9), 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = T.Select(T.Cast(\"int32\", X[i]) + T.Cast(\"int32\", Y[i]) < 9, 1, 2)\n",
     IDENT, REFUSED, NULL},
    {"uint8 wraps in a condition on both sides", TIR,
     "X: T.Buffer((4,), \"uint8\"), Y: T.Buffer((4,), \"uint8\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] + Y[i] < T.uint8(9), 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = T.Select((T.Cast(\"int32\", X[i]) + T.Cast(\"int32\", Y[i])) % 256 < 9, 1, 2)\n",
     IDENT, SAME, NULL},
    {"uint8 wraps in an address", TIR,
     "X: T.Buffer((4,), \"uint8\"), G: T.Buffer((600,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = G[T.Cast(\"int32\", X[i] + X[0])]\n",
     "    for i in range(4):\n"
     "        O[i] = G[T.Cast(\"int32\", X[i]) + T.Cast(\"int32\", X[0])]\n",
     IDENT, REFUSED, NULL},
    {"uint8 wraps in an address on both sides", TIR,
     "X: T.Buffer((4,), \"uint8\"), G: T.Buffer((600,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = G[T.Cast(\"int32\", X[i] + X[0])]\n",
     "    for i in range(4):\n"
     "        O[i] = G[T.bitwise_and(T.Cast(\"int32\", X[i]) + T.Cast(\"int32\", X[0]), 255)]\n",
     IDENT, SAME, NULL},
    {"uint8 wraps in an extent", TIR,
     "X: T.Buffer((1,), \"uint8\"), O: T.Buffer((600,), \"int32\")",
     "    for i in range(T.Cast(\"int32\", X[0] + X[0])):\n"
     "        O[i] = i\n",
     "    for i in range(T.Cast(\"int32\", X[0]) * 2):\n"
     "        O[i] = i\n",
     IDENT, REFUSED, NULL},
    {"uint8 wraps in a block's predicate", TIR,
     "X: T.Buffer((4,), \"uint8\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        with T.sblock(\"b\"):\n"
     "            v = T.axis.spatial(4, i)\n"
     "            T.where(X[i] * T.uint8(2) < T.uint8(6))\n"
     "            O[v] = 1\n",
     "    for i in range(4):\n"
     "        with T.sblock(\"b\"):\n"
     "            v = T.axis.spatial(4, i)\n"
     "            T.where(X[i] < T.uint8(3))\n"
     "            O[v] = 1\n",
     IDENT, REFUSED, NULL},
    {"int16 wraps through memory", TIR,
     "X: T.Buffer((4,), \"int16\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(T.Cast(\"int32\", X[i]) + 1 > 0, 1, 2)\n",
     "    S = T.alloc_buffer((4,), \"int16\")\n"
     "    for i in range(4):\n"
     "        S[i] = X[i] + T.int16(1)\n"
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(S[i] > T.int16(0), 1, 2)\n",
     IDENT, REFUSED, NULL},
    {"a narrowing cast keeps the low bits", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] < 0, 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(T.Cast(\"int8\", X[i]) < T.int8(0), 1, 2)\n",
     IDENT, REFUSED, NULL},
    {"uint32 wraps, which is no fault", TIR,
     "X: T.Buffer((4,), \"uint32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] + T.uint32(1) > X[i], 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = 1\n",
     IDENT, REFUSED, NULL},
    {"int32 overflows in the untuned condition: left out", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] + 1 > X[i], 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = 1\n",
     IDENT, SAME, NULL},
    {"int32 overflows in the tuned condition", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = 1\n",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] + 1 - X[i] == 1, 1, 2)\n",
     IDENT, REFUSED, "overflowed"},
    {"int32 overflows through memory", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = 1\n",
     "    S = T.alloc_buffer((4,), \"int32\")\n"
     "    for i in range(4):\n"
     "        S[i] = X[i] * 3 - X[i] * 3\n"
     "    for i in range(4):\n"
     "        O[i] = T.Select(S[i] == 0, 1, 2)\n",
     IDENT, REFUSED, "overflowed"},
    {"int64 overflows in an address", TIR,
     "X: T.Buffer((4,), \"int64\"), G: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = G[i]\n",
     "    for i in range(4):\n"
     "        O[i] = G[i + T.Cast(\"int32\", X[i] * T.int64(5) - X[i] * T.int64(5))]\n",
     IDENT, REFUSED, "overflowed"},
    {"int32 overflows in data, which is no fault", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = X[i] * 5 - X[i] * 4\n",
     IDENT, SAME, NULL},
    {"the least number by -1", TIR,
     "X: T.Buffer((4,), \"int8\"), Y: T.Buffer((4,), \"int8\"), O: T.Buffer((4,), \"int8\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(Y[i] == T.int8(0), T.int8(0), T.max(X[i], T.int8(-127)) // Y[i])\n",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(Y[i] == T.int8(0), T.int8(0), X[i] // Y[i])\n",
     IDENT, REFUSED, NULL},
    {"a uint64 above 2^63 is positive", TIR,
     "X: T.Buffer((4,), \"uint64\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] < T.uint64(9223372036854775808), 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = 2\n",
     IDENT, REFUSED, NULL},
    {"a uint64 above 2^63 as the sign of int64", TIR,
     "X: T.Buffer((4,), \"uint64\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] < T.uint64(9223372036854775808), 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = T.Select(T.Cast(\"int64\", X[i]) >= T.int64(0), 1, 2)\n",
     IDENT, SAME, NULL},
    /* R10: undefined values */
    {"a shift by the width, int8", TIR,
     "X: T.Buffer((4,), \"int8\"), O: T.Buffer((4,), \"int8\")",
     "    for i in range(4):\n"
     "        O[i] = T.int8(0)\n",
     "    for i in range(4):\n"
     "        O[i] = T.shift_left(X[i], T.int8(8))\n",
     IDENT, REFUSED, "not defined"},
    {"a shift by the width on both sides claims nothing", TIR,
     "X: T.Buffer((4,), \"int8\"), O: T.Buffer((4,), \"int8\")",
     "    for i in range(4):\n"
     "        O[i] = T.shift_left(X[i], T.int8(9))\n",
     "    for i in range(4):\n"
     "        O[i] = T.int8(0)\n",
     IDENT, UNKNOWN, "the untuned side"},
    {"a shift by data, masked in the tuned side", TIR,
     "X: T.Buffer((4,), \"uint16\"), Y: T.Buffer((4,), \"uint16\"), O: T.Buffer((4,), \"uint16\")",
     "    for i in range(4):\n"
     "        O[i] = T.shift_right(X[i], Y[i])\n",
     "    for i in range(4):\n"
     "        O[i] = T.shift_right(X[i], T.bitwise_and(Y[i], T.uint16(15)))\n",
     IDENT, SAME, NULL},
    {"a shift by data, masked in the untuned side", TIR,
     "X: T.Buffer((4,), \"uint16\"), Y: T.Buffer((4,), \"uint16\"), O: T.Buffer((4,), \"uint16\")",
     "    for i in range(4):\n"
     "        O[i] = T.shift_right(X[i], T.bitwise_and(Y[i], T.uint16(15)))\n",
     "    for i in range(4):\n"
     "        O[i] = T.shift_right(X[i], Y[i])\n",
     IDENT, REFUSED, "undefined"},
    {"an undefined value that a Select does not choose", TIR,
     "X: T.Buffer((4,), \"uint16\"), Y: T.Buffer((4,), \"uint16\"), O: T.Buffer((4,), \"uint16\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(Y[i] < T.uint16(16), T.shift_right(X[i], Y[i]), T.uint16(0))\n",
     "    for i in range(4):\n"
     "        O[i] = T.Select(Y[i] < T.uint16(16), T.shift_right(X[i], Y[i]), T.uint16(0))\n",
     IDENT, SAME, NULL},
    {"an undefined value times 0", TIR,
     "X: T.Buffer((4,), \"uint16\"), Y: T.Buffer((4,), \"uint16\"), O: T.Buffer((4,), \"uint16\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = X[i] + (Y[i] - Y[i]) * T.shift_right(X[i], Y[i])\n",
     IDENT, REFUSED, "undefined"},
    {"a float out of an integer's range", TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(X[i] > T.float32(-1) and X[i] < T.float32(1), 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(T.Cast(\"int32\", X[i]) == 0, 1, 2)\n",
     IDENT, REFUSED, "undefined"},
    {"clz of 0", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] == 0, 32, T.clz(T.max(X[i], 1)) * 0 + 1)\n",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] == 0, T.clz(X[i]), 1)\n",
     IDENT, REFUSED, "undefined"},
    {"undef() as data of no use", TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    S = T.alloc_buffer((4,), \"int32\")\n"
     "    for i in range(4):\n"
     "        S[i] = T.undef(dtype=\"int32\")\n"
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     IDENT, SAME, NULL},
    /* numbers, where forms are not the same */
    {"R12: max(NaN, x) is x", TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = T.max(T.float32(\"nan\"), X[i])\n",
     IDENT, SAME, NULL},
    {"R12: max(x, NaN) is NaN", TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = T.max(X[i], T.float32(\"nan\"))\n",
     IDENT, REFUSED, NULL},
    {"max(x, 0) of -0", TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")",
     "    for i in range(4):\n"
     "        O[i] = T.max(X[i], T.float32(0))\n",
     "    for i in range(4):\n"
     "        O[i] = T.max(T.float32(0), X[i])\n",
     IDENT, REFUSED, NULL},
    {"a sum in another order", TIR,
     "X: T.Buffer((3,), \"float32\"), O: T.Buffer((1,), \"float32\")",
     "    O[0] = X[0] + X[1] + X[2]\n",
     "    O[0] = X[0] + (X[1] + X[2])\n",
     IDENT, REFUSED, NULL},
    {"a sum in another order, of terms of other forms", TIR,
     "X: T.Buffer((3,), \"float32\"), O: T.Buffer((1,), \"float32\")",
     "    O[0] = X[0] + X[1] + X[2]\n",
     "    O[0] = X[0] + (T.max(T.float32(\"nan\"), X[1]) + X[2])\n",
     ORDER, SAME, NULL},
    {"a sum in another order, one term another", TIR,
     "X: T.Buffer((3,), \"float32\"), O: T.Buffer((1,), \"float32\")",
     "    O[0] = X[0] + X[1] + X[2]\n",
     "    O[0] = X[0] + (T.max(T.float32(0), X[1]) + X[2])\n",
     ORDER, REFUSED, NULL},
    {"a bound of a clip that is one step off", TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")",
     "    for i in range(4):\n"
     "        O[i] = T.min(X[i], T.float32(6))\n",
     "    for i in range(4):\n"
     "        O[i] = T.min(X[i], T.float32(5.99999952316284))\n",
     IDENT, REFUSED, NULL},
    {"the sign by a shift", TIR,
     "X: T.Buffer((4,), \"int16\"), O: T.Buffer((4,), \"int16\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] < T.int16(0), T.int16(-1), T.int16(0))\n",
     "    for i in range(4):\n"
     "        O[i] = T.shift_right(X[i], T.int16(15))\n",
     IDENT, SAME, NULL},
    {"an average without the carry", TIR,
     "X: T.Buffer((4,), \"uint8\"), Y: T.Buffer((4,), \"uint8\"), O: T.Buffer((4,), \"uint8\")",
     "    for i in range(4):\n"
     "        O[i] = T.Cast(\"uint8\", (T.Cast(\"uint16\", X[i]) + T.Cast(\"uint16\", Y[i])) // T.uint16(2))\n",
     "    for i in range(4):\n"
     "        O[i] = (X[i] + Y[i]) // T.uint8(2)\n",
     IDENT, REFUSED, NULL},
    {"an average with it", TIR,
     "X: T.Buffer((4,), \"uint8\"), Y: T.Buffer((4,), \"uint8\"), O: T.Buffer((4,), \"uint8\")",
     "    for i in range(4):\n"
     "        O[i] = T.Cast(\"uint8\", (T.Cast(\"uint16\", X[i]) + T.Cast(\"uint16\", Y[i])) // T.uint16(2))\n",
     "    for i in range(4):\n"
     "        O[i] = T.bitwise_and(X[i], Y[i]) + T.shift_right(T.bitwise_xor(X[i], Y[i]), T.uint8(1))\n",
     IDENT, SAME, NULL},
    {"a minimum of 512, the first lost", TIR,
     "X: T.Buffer((512,), \"float32\"), O: T.Buffer((1,), \"float32\")",
     "    O[0] = T.float32(\"inf\")\n"
     "    for k in range(512):\n"
     "        O[0] = T.min(O[0], X[k])\n",
     "    O[0] = T.float32(\"inf\")\n"
     "    for k in range(511):\n"
     "        O[0] = T.min(O[0], X[k + 1])\n",
     IDENT, REFUSED, NULL},
    {"a bitwise and of 512, one lost", TIR,
     "X: T.Buffer((512,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    O[0] = -1\n"
     "    for k in range(512):\n"
     "        O[0] = T.bitwise_and(O[0], X[k])\n",
     "    O[0] = -1\n"
     "    for k in range(511):\n"
     "        O[0] = T.bitwise_and(O[0], X[k])\n",
     IDENT, REFUSED, NULL},
    {"R32: a maximum with repeated terms", TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((1,), \"float32\")",
     "    O[0] = T.max(T.max(X[0], X[1]), X[2])\n",
     "    O[0] = T.max(T.max(X[2], X[1]), T.max(X[1], X[0]))\n",
     ORDER, SAME, NULL},
    {"a scatter by data", TIR,
     "X: T.Buffer((4,), \"int32\"), Y: T.Buffer((4,), \"float32\"), O: T.Buffer((8,), \"float32\")",
     "    for i in range(4):\n"
     "        O[X[i]] = Y[i]\n",
     "    for i in range(4):\n"
     "        O[X[i]] = T.Select(X[i] < 0, T.float32(1), Y[i])\n",
     IDENT, SAME, NULL},
    {"a scatter by data, backwards", TIR,
     "X: T.Buffer((4,), \"int32\"), Y: T.Buffer((4,), \"float32\"), O: T.Buffer((8,), \"float32\")",
     "    for i in range(4):\n"
     "        O[X[i]] = Y[i]\n",
     "    for i in range(4):\n"
     "        O[X[3 - i]] = Y[3 - i]\n",
     IDENT, REFUSED, NULL},
    {"a while by data", TIR,
     "X: T.Buffer((1,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    O[0] = 0\n"
     "    while O[0] * O[0] < T.min(X[0], 50):\n"
     "        O[0] = O[0] + 1\n",
     "    O[0] = 0\n"
     "    for k in range(8):\n"
     "        if k * k < T.min(X[0], 50):\n"
     "            O[0] = k + 1\n",
     IDENT, SAME, NULL},
    {"a while by data, one short", TIR,
     "X: T.Buffer((1,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    O[0] = 0\n"
     "    while O[0] * O[0] < T.min(X[0], 50):\n"
     "        O[0] = O[0] + 1\n",
     "    O[0] = 0\n"
     "    for k in range(7):\n"
     "        if k * k < T.min(X[0], 50):\n"
     "            O[0] = k + 1\n",
     IDENT, REFUSED, NULL},
    {"scalars are inputs", TIR,
     "n: T.int32, O: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.if_then_else(n > 100, 1, 2)\n",
     "    for i in range(4):\n"
     "        O[i] = 2\n",
     IDENT, REFUSED, "n = "},
    /* elements by themselves: what is passed over must not be needed */
    {"an address that wraps, by elements", SAMPLED_TIR,
     "A: T.Buffer((512,), \"int32\"), O: T.Buffer((256,), \"int32\")",
     "    for i in range(512):\n"
     "        O[T.Cast(\"int32\", T.Cast(\"uint8\", i))] = A[i]\n",
     "    for i in range(256):\n"
     "        O[i] = A[i + 256]\n",
     IDENT, SAME, NULL},
    {"a sum of uint8 that wraps in an address, by elements", SAMPLED_TIR,
     "A: T.Buffer((512,), \"int32\"), O: T.Buffer((256,), \"int32\")",
     "    for i in T.serial(T.uint8(0), T.uint8(200)):\n"
     "        O[T.Cast(\"int32\", i + i)] = A[T.Cast(\"int32\", i)]\n",
     "    for i in range(200):\n"
     "        O[i * 2 % 256] = A[i]\n",
     IDENT, SAME, NULL},
    {"terms of other forms, by elements", SAMPLED_TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = T.max(T.float32(\"nan\"), X[i])\n",
     IDENT, SAME, NULL},
    {"terms of other values, by elements", SAMPLED_TIR,
     "X: T.Buffer((4,), \"float32\"), O: T.Buffer((4,), \"float32\")",
     "    for i in range(4):\n"
     "        O[i] = X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = T.max(X[i], T.float32(-3e38))\n",
     IDENT, REFUSED, NULL},
    {"where something else may have a fault that is not asked, by elements", SAMPLED_TIR,
     "X: T.Buffer((4,), \"int32\"), O: T.Buffer((4,), \"int32\"), P: T.Buffer((4,), \"int32\")",
     "    for i in range(4):\n"
     "        O[i] = T.Select(X[i] == 0, 1, 2)\n"
     "    for i in range(4):\n"
     "        P[i] = 7 // X[i]\n",
     "    for i in range(4):\n"
     "        O[i] = 2\n"
     "    for i in range(4):\n"
     "        P[i] = 7 // X[i]\n",
     IDENT, UNKNOWN, NULL},
    {"a size beyond a number, all of it", TIR,
     "a: T.handle, o: T.handle",
     "    n = T.int32()\n"
     "    A = T.match_buffer(a, (n,), \"float32\")\n"
     "    O = T.match_buffer(o, (n,), \"float32\")\n"
     "    for i in range(n):\n"
     "        O[i] = A[i]\n",
     "    n = T.int32()\n"
     "    A = T.match_buffer(a, (n,), \"float32\")\n"
     "    O = T.match_buffer(o, (n,), \"float32\")\n"
     "    for i in range(T.min(n, 4096)):\n"
     "        O[i] = A[i]\n"
     "    for i in range(4096, T.max(n, 4096)):\n"
     "        O[i] = A[i]\n",
     IDENT, SAME, NULL},
    {"a size beyond a number, the last lost", TIR,
     "a: T.handle, o: T.handle",
     "    n = T.int32()\n"
     "    A = T.match_buffer(a, (n,), \"float32\")\n"
     "    O = T.match_buffer(o, (n,), \"float32\")\n"
     "    for i in range(n):\n"
     "        O[i] = A[i]\n",
     "    n = T.int32()\n"
     "    A = T.match_buffer(a, (n,), \"float32\")\n"
     "    O = T.match_buffer(o, (n,), \"float32\")\n"
     "    for i in range(T.min(n, 4096)):\n"
     "        O[i] = A[i]\n"
     "    for i in range(4096, T.max(n, 4096) - T.Select(n > 4096, 1, 0)):\n"
     "        O[i] = A[i]\n",
     IDENT, REFUSED,
     "element 4096 of parameter 1"},
    /* budgets */
    {"a while that never ends", TIR,
     "X: T.Buffer((1,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    O[0] = 0\n"
     "    while O[0] == 0:\n"
     "        X[0] = X[0] + 1\n",
     "    O[0] = 0\n"
     "    while O[0] == 0:\n"
     "        X[0] = X[0] + 1\n",
     IDENT, UNKNOWN, NULL},
    {"a loop as long as the data say", TIR,
     "X: T.Buffer((1,), \"int32\"), O: T.Buffer((1,), \"int32\")",
     "    O[0] = 0\n"
     "    for k in range(X[0]):\n"
     "        O[0] = T.bitwise_xor(O[0], k)\n",
     "    O[0] = 0\n"
     "    for k in range(X[0]):\n"
     "        O[0] = T.bitwise_xor(k, O[0])\n",
     IDENT, SAME, NULL},
    {"a result other than the status", FLAT,
     "x: T.int32",
     "    return x * 2\n", "    return x * 3\n", IDENT, UNKNOWN,
     "returned"},
};
// clang-format on

#endif
