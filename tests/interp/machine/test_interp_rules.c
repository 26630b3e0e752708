/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of docs/semantics.md that need no GPU threads, a right and a wrong
 * program for each where there is one. Expected values are worked out by hand
 * from the rule.
 */
#include "tests/interp/interp_case.h"

#define I1(name, n) name ": T.Buffer((" #n ",), \"int32\")"
#define I8(name, n) name ": T.Buffer((" #n ",), \"int8\")"
#define U8(name, n) name ": T.Buffer((" #n ",), \"uint8\")"
#define F1(name, n) name ": T.Buffer((" #n ",), \"float32\")"

// clang-format off
static const struct interp_case cases[] = {
/* rule 1 */
{"rule 1: init runs at the first reduction step", I1("A", 2) ", " I1("C", 2),
 "    for i, k in T.grid(2, 2):\n"
 "        with T.sblock(\"b\"):\n"
 "            vi = T.axis.spatial(2, i)\n"
 "            vk = T.axis.reduce(2, k)\n"
 "            with T.init():\n"
 "                C[vi] = 0\n"
 "            C[vi] = C[vi] + A[vk]\n", .want = "3 3"},
{"rule 1: a false predicate skips init too", I1("A", 2) ", " I1("C", 2),
 "    for i, k in T.grid(2, 2):\n"
 "        with T.sblock(\"b\"):\n"
 "            vi = T.axis.spatial(2, i)\n"
 "            vk = T.axis.reduce(2, k)\n"
 "            T.where(k > 0)\n"
 "            with T.init():\n"
 "                C[vi] = 0\n"
 "            C[vi] = C[vi] + A[vk]\n", .want = "13 14"},
{"rule 1: an empty reduction writes nothing", I1("A", 2) ", " I1("C", 2),
 "    for i, k in T.grid(2, 0):\n"
 "        with T.sblock(\"b\"):\n"
 "            vi = T.axis.spatial(2, i)\n"
 "            vk = T.axis.reduce(2, k)\n"
 "            with T.init():\n"
 "                C[vi] = 0\n"
 "            C[vi] = C[vi] + A[vk]\n", .want = "11 12"},
{"rule 1: a binding outside its domain runs as bound", I1("C", 4),
 "    for i in range(2):\n"
 "        with T.sblock(\"b\"):\n"
 "            v = T.axis.spatial(2, i + 2)\n"
 "            C[v] = v\n", .want = "1 2 2 3"},
{"rule 1: init again whenever the binding is back at the minimum",
 I1("A", 2) ", " I1("C", 1),
 "    for i in range(4):\n"
 "        with T.sblock(\"b\"):\n"
 "            vk = T.axis.reduce(2, i % 2)\n"
 "            with T.init():\n"
 "                C[0] = 0\n"
 "            C[0] = C[0] + A[vk]\n", .want = "3"},
{"rule 1: reads and writes are claims", I1("A", 2) ", " I1("C", 2),
 "    for i in range(2):\n"
 "        with T.sblock(\"b\"):\n"
 "            v = T.axis.spatial(2, i)\n"
 "            T.reads()\n"
 "            T.writes(C[0])\n"
 "            C[v] = A[v]\n", .want = "1 2"},
/* rule 4 */
{"rule 4: private to each parallel iteration", I1("C", 4),
 "    with T.sblock(\"root\"):\n"
 "        B = T.sblock_alloc_buffer((4,), \"int32\")\n"
 "        for i in T.parallel(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                v = T.axis.spatial(4, i)\n"
 "                B[v] = v\n"
 "                C[v] = B[(v + 3) % 4]\n", .want = "? ? ? ?"},
{"rule 4: a serial loop keeps the lifetime", I1("C", 4),
 "    with T.sblock(\"root\"):\n"
 "        B = T.sblock_alloc_buffer((4,), \"int32\")\n"
 "        for i in range(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                v = T.axis.spatial(4, i)\n"
 "                B[v] = v\n"
 "                C[v] = B[(v + 3) % 4]\n", .want = "? 0 1 2"},
{"rule 4: used by two parallel loops it is shared", I1("C", 4),
 "    with T.sblock(\"root\"):\n"
 "        B = T.sblock_alloc_buffer((4,), \"int32\")\n"
 "        for i in T.parallel(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                v = T.axis.spatial(4, i)\n"
 "                B[v] = v\n"
 "        for i in T.parallel(4):\n"
 "            with T.sblock(\"c\"):\n"
 "                v = T.axis.spatial(4, i)\n"
 "                C[v] = B[3 - v]\n", .want = "3 2 1 0"},
{"rule 4: two iterations write different bits", I1("C", 4),
 "    for i in T.parallel(4):\n"
 "        C[0] = i\n", .fault = INTERP_RACE, .message = "buffer 'C'"},
{"rule 4: equal bits are benign", I1("C", 2),
 "    for i in T.parallel(4):\n"
 "        C[0] = 7\n", .want = "7 2"},
{"rule 4: a reader that has written is benign", I1("S", 1) ", " I1("C", 4),
 "    for i in T.parallel(4):\n"
 "        S[0] = 7\n"
 "        C[i] = S[0] + i\n", .want = "7 8 9 10"},
{"rule 4: a reader that has not written races", I1("S", 1) ", " I1("C", 4),
 "    for i in T.parallel(4):\n"
 "        C[i] = S[0]\n"
 "        S[0] = 7\n", .fault = INTERP_RACE, .message = "buffer 'S'"},
{"rule 4: reading a neighbour's element races", I1("C", 4),
 "    for i in T.parallel(3):\n"
 "        C[i] = C[i + 1]\n", .fault = INTERP_RACE},
{"rule 4: iterations of nested serial loops do not race", I1("C", 4),
 "    for i in T.parallel(2):\n"
 "        for j in range(3):\n"
 "            C[i] = C[i] + j\n", .want = "4 5 3 4"},
{"rule 4: an outer parallel loop sees through an inner one", I1("C", 4),
 "    for i in T.parallel(2):\n"
 "        for j in T.parallel(2):\n"
 "            C[j] = i\n", .fault = INTERP_RACE},
{"rule 4: two parallel loops in sequence are ordered", I1("C", 4),
 "    for i in T.parallel(4):\n"
 "        C[i] = i\n"
 "    for i in T.parallel(4):\n"
 "        C[3 - i] = C[3 - i] * 2\n", .want = "0 2 4 6"},
/* rule 6 */
{"rule 6: accumulating over vector lanes races", I1("A", 4) ", " I1("C", 1),
 "    for i in T.vectorized(4):\n"
 "        C[0] = C[0] + A[i]\n", .fault = INTERP_RACE},
{"rule 6: unroll is serial", I1("A", 4) ", " I1("C", 1),
 "    for i in T.unroll(4):\n"
 "        C[0] = C[0] + A[i]\n", .want = "21"},
{"rule 6: all lanes are read before any is written", I1("C", 4),
 "    C[T.Ramp(0, 1, 4)] = C[T.Ramp(3, -1, 4)]\n", .want = "4 3 2 1"},
{"rule 6: equal target lanes race", I1("C", 4),
 "    C[T.Ramp(0, 0, 4)] = T.Ramp(0, 1, 4)\n", .fault = INTERP_RACE,
 .message = "two lanes"},
/* rule 7 */
{"rule 7: bounds are evaluated once", I1("N", 1) ", " I1("C", 4),
 "    for i in range(N[0] + 2):\n"
 "        N[0] = 0\n"
 "        C[i] = 9\n", .want = "9 9 9 14"},
{"rule 7: an extent below one runs nothing", I1("C", 2),
 "    for i in range(0 - 3):\n"
 "        C[0] = 9\n", .want = "1 2"},
{"rule 7: an unused let still traps", I1("Z", 1) ", " I1("C", 1),
 "    x: T.let[T.int32] = T.Div(5, Z[0] - 1)\n"
 "    C[0] = 1\n", .fault = INTERP_DIVISION},
{"rule 7: a failed assert", I1("C", 1),
 "    assert C[0] > 5, \"too small\"\n"
 "    C[0] = 1\n", .fault = INTERP_ASSERT, .message = "too small"},
{"rule 7: a failed assumption", I1("C", 1),
 "    T.evaluate(T.assume(C[0] > 5))\n"
 "    C[0] = 1\n", .fault = INTERP_ASSERT},
/* rule 8 */
{"rule 8: or evaluates both sides", I1("Z", 1) ", " I1("C", 1),
 "    C[0] = T.Select(Z[0] > 0 or T.Div(1, Z[0] - 1) > 0, 1, 2)\n",
 .fault = INTERP_DIVISION},
{"rule 8: Select evaluates both sides", I1("A", 4) ", " I1("C", 1),
 "    C[0] = T.Select(A[0] > 5, A[7], 3)\n", .fault = INTERP_OUT_OF_BOUNDS},
{"rule 8: if_then_else guards", I1("A", 4) ", " I1("C", 1),
 "    C[0] = T.if_then_else(A[0] > 5, A[7], 3)\n", .want = "3"},
{"rule 8: if guards", I1("A", 4) ", " I1("C", 1),
 "    if A[0] > 5:\n"
 "        C[0] = A[7]\n"
 "    else:\n"
 "        C[0] = 4\n", .want = "4"},
/* rule 9 */
{"rule 9: division floors or truncates", I1("A", 4) ", " I1("C", 4),
 "    C[0] = (A[0] + 6) // (0 - 3)\n"
 "    C[1] = (A[0] + 6) % (0 - 3)\n"
 "    C[2] = T.Div(A[0] + 6, 0 - 3)\n"
 "    C[3] = T.truncmod(A[0] + 6, 0 - 3)\n", .want = "-3 -2 -2 1"},
{"rule 9: division by zero", I1("A", 1) ", " I1("C", 1),
 "    C[0] = 5 % (A[0] - 1)\n", .fault = INTERP_DIVISION},
{"rule 9: smallest value over -1", I1("A", 1) ", " I1("C", 1),
 "    C[0] = T.Div(-2147483648 + (A[0] - 1), 0 - A[0])\n",
 .fault = INTERP_DIVISION},
{"rule 9: values wrap", I1("A", 1) ", " I1("C", 1),
 "    C[0] = A[0] + 2147483647\n", .want = "-2147483648"},
{"rule 9: an address must not", I1("A", 1) ", " I1("C", 4),
 "    C[(A[0] + 2147483647) + 2147483647 + 3] = 1\n",
 .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: nor a condition", I1("A", 1) ", " I1("C", 4),
 "    if A[0] + 2147483647 < 0:\n"
 "        C[0] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: a narrow unsigned sum wraps in an address", U8("A", 1) ", " I1("C", 3),
 "    C[T.Cast(\"int32\", A[0] + T.uint8(255))] = 9\n", .want = "9 12 13"},
{"rule 9: and as the index itself", U8("A", 1) ", " I1("C", 3),
 "    C[A[0] + T.uint8(255)] = 9\n", .want = "9 12 13"},
{"rule 9: a narrow signed sum wraps in a condition", I8("A", 1) ", " I1("C", 1),
 "    if A[0] + T.int8(127) < T.int8(0):\n"
 "        C[0] = 9\n", .want = "9"},
{"rule 9: int16, in if_then_else",
 "A: T.Buffer((1,), \"int16\"), " I1("C", 1),
 "    C[0] = T.if_then_else(A[0] + T.int16(32767) < T.int16(0), 9, 8)\n",
 .want = "9"},
{"rule 9: uint16, in an extent",
 "A: T.Buffer((1,), \"uint16\"), " I1("C", 3),
 "    for i in range(T.Cast(\"int32\", A[0] + T.uint16(1) + T.uint16(65535))):\n"
 "        C[i] = 9\n", .want = "9 12 13"},
{"rule 9: uint32, in an assertion",
 "A: T.Buffer((1,), \"uint32\"), " I1("C", 1),
 "    assert A[0] - T.uint32(2) == T.uint32(4294967295), \"no\"\n"
 "    C[0] = 9\n", .want = "9"},
{"rule 9: uint64, in a block's predicate",
 "A: T.Buffer((1,), \"uint64\"), " I1("C", 1),
 "    for i in range(1):\n"
 "        with T.sblock(\"b\"):\n"
 "            v = T.axis.spatial(1, i)\n"
 "            T.where(A[0] - T.uint64(2) > T.uint64(5))\n"
 "            C[v] = 9\n", .want = "9"},
{"rule 9: a product of loop variables wraps in a narrow address", I1("C", 3),
 "    for i in range(2):\n"
 "        C[T.Cast(\"int32\", T.Cast(\"uint8\", i) * T.uint8(255) + "
 "T.uint8(2))] = 9\n", .want = "1 9 9"},
{"rule 9: a loop whose variable does not fit its narrow type",
 U8("A", 1) ", " I1("C", 1),
 "    for i in T.serial(A[0] + T.uint8(249), A[0] + T.uint8(1)):\n"
 "        C[0] = C[0] + 1\n", .fault = INTERP_UNSUPPORTED,
 .message = "overflows its type"},
{"rule 9: a loop up to the last value of its narrow type",
 U8("A", 1) ", " I1("C", 1),
 "    for i in T.serial(A[0] + T.uint8(249), A[0] + T.uint8(254)):\n"
 "        C[0] = C[0] + T.int32(i)\n", .want = "1271"},
{"rule 1: continue in a while loop goes on with it", I1("S", 1) ", " I1("C", 1),
 "    while S[0] < 6:\n"
 "        S[0] = S[0] + 1\n"
 "        if S[0] % 2 == 0:\n"
 "            T.continue_loop()\n"
 "        C[0] = C[0] + S[0]\n", .want = "19"},
{"rule 1: break in a while loop leaves it", I1("S", 1) ", " I1("C", 1),
 "    while S[0] < 6:\n"
 "        S[0] = S[0] + 1\n"
 "        if S[0] == 4:\n"
 "            T.break_loop()\n"
 "        C[0] = C[0] + S[0]\n", .want = "16"},
{"rule 9: a narrow absolute value and shift wrap", I8("A", 1) ", " I1("C", 2),
 "    C[T.Cast(\"int32\", T.abs(A[0] + T.int8(127)) + T.int8(127) + "
 "T.int8(1))] = 9\n"
 "    C[T.Cast(\"int32\", T.shift_left(A[0] + A[0], T.int8(7))) + 1] = 8\n",
 .want = "9 8"},
{"rule 9: an address of int64 must not", "A: T.Buffer((1,), \"int64\"), " I1("C", 4),
 "    C[T.bitwise_and(A[0] * T.int64(4294967296) * T.int64(4294967296), "
 "T.int64(3))] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: nor the condition of a Select", I1("A", 1) ", " I1("C", 1),
 "    C[0] = T.Select(A[0] + 2147483647 < 0, 1, 2)\n",
 .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: nor that of one lane", I1("A", 4) ", " I1("C", 4),
 "    C[T.Ramp(0, 1, 4)] = T.Select(A[T.Ramp(0, 1, 4)] + "
 "T.Broadcast(2147483644, 4) > T.Broadcast(0, 4), T.Broadcast(1, 4), "
 "T.Broadcast(2, 4))\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: narrowed afterwards it has overflowed all the same",
 I1("A", 1) ", " I1("C", 4),
 "    C[T.Cast(\"int32\", T.Cast(\"int8\", A[0] + 2147483647))] = 1\n",
 .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: a conversion to a narrower type is no overflow", I1("A", 1) ", " I1("C", 2),
 "    C[T.Cast(\"int32\", T.Cast(\"int8\", A[0] + 255))] = 9\n", .want = "9 12"},
{"rule 9: an overflow reaches an address through memory",
 I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((1,), \"int32\")\n"
 "    S[0] = A[0] + 2147483647\n"
 "    C[T.bitwise_and(S[0], 1)] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: through memory and beside data that did not overflow",
 I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((1,), \"int32\")\n"
 "    S[0] = A[0] + 2147483647\n"
 "    if A[0] > T.min(S[0], 0):\n"
 "        C[0] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: through memory and a gather by data", I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((2,), \"int32\")\n"
 "    S[0] = 1\n"
 "    S[1] = A[0] + 2147483647\n"
 "    if S[A[0]] < 0:\n"
 "        C[0] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: through memory into a Select", I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((1,), \"int32\")\n"
 "    S[0] = A[0] + 2147483647\n"
 "    C[0] = T.Select(S[0] < 0, 1, 2)\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: through memory in another type", I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((1,), \"float32\")\n"
 "    S[0] = T.Cast(\"float32\", A[0] + 2147483647)\n"
 "    if S[0] < T.float32(0):\n"
 "        C[0] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: a truth through memory", I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((1,), \"bool\")\n"
 "    S[0] = A[0] + 2147483647 < 0\n"
 "    if S[0]:\n"
 "        C[0] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: unsigned through memory", "A: T.Buffer((1,), \"uint32\"), " I1("C", 2),
 "    S = T.alloc_buffer((1,), \"uint32\")\n"
 "    S[0] = A[0] + T.uint32(4294967295)\n"
 "    C[T.Cast(\"int32\", S[0])] = 9\n", .want = "9 12"},
{"rule 9: what is overwritten does not count", I1("A", 1) ", " I1("C", 2),
 "    S = T.alloc_buffer((1,), \"int32\")\n"
 "    S[0] = A[0] + 2147483647\n"
 "    S[0] = A[0]\n"
 "    C[S[0]] = 9\n", .want = "11 9"},
{"rule 9: an instruction's sum that does not fit", I8("A", 4) ", " I1("C", 4),
 "    C[T.bitwise_and(T.call_pure_extern(\"int32\", \"__dp4a\", "
 "A[T.Ramp(0, 1, 4)], A[T.Ramp(0, 1, 4)], 2147483647), 1)] = 1\n",
 .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: an atomic's sum that does not fit", I1("A", 1) ", " I1("C", 4),
 "    S = T.alloc_buffer((1,), \"int32\")\n"
 "    S[0] = A[0]\n"
 "    T.evaluate(T.call_intrin(\"int32\", \"tirx.atomic_add\", "
 "T.tvm_access_ptr(T.type_annotation(\"int32\"), S.data, 0, 1, 3), "
 "2147483647))\n"
 "    C[T.bitwise_and(S[0], 1)] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 9: a large uint64 is positive", "A: T.Buffer((1,), \"uint64\"), " I1("C", 3),
 "    C[0] = T.if_then_else(A[0] < T.uint64(9223372036854775808), 1, 2)\n"
 "    C[1] = T.Cast(\"int32\", T.shift_right(T.uint64(18446744073709551615), "
 "T.uint64(60)))\n"
 "    C[2] = T.Cast(\"int32\", T.max(A[0], T.uint64(9223372036854775808)) // "
 "T.uint64(4611686018427387904))\n", .want = "1 15 2"},
{"rule 9: also as a float", F1("C", 2),
 "    C[0] = T.Cast(\"float32\", T.uint64(9223372036854775808))\n"
 "    C[1] = T.Cast(\"float32\", T.uint64(18446744073709551615))\n",
 .want = "9.223372e+18 1.8446744e+19"},
{"rule 9: as an index it is no small negative number",
 "A: T.Buffer((1,), \"uint64\"), " I1("C", 4),
 "    V = T.decl_buffer((2,), \"int32\", data=C.data, elem_offset=2)\n"
 "    V[A[0] + T.uint64(18446744073709551614)] = 9\n",
 .fault = INTERP_OUT_OF_BOUNDS},
/* rule 10 */
{"rule 10: a shift by the width or more, of any width", I8("A", 1) ", " I1("C", 4),
 "    C[0] = T.Cast(\"int32\", T.shift_left(A[0], A[0] + T.int8(8)))\n"
 "    C[1] = T.Cast(\"int32\", T.shift_right(A[0], A[0] + T.int8(7)))\n"
 "    C[2] = T.Cast(\"int32\", T.shift_left(A[0], A[0] + T.int8(5)))\n"
 "    C[3] = T.Cast(\"int32\", T.shift_left(A[0], A[0] - T.int8(2)))\n",
 .want = "? ? 64 ?"},
{"rule 10: of loop variables, by a constant", I1("C", 2),
 "    for i in range(2):\n"
 "        C[i] = T.Cast(\"int32\", T.shift_right(T.Cast(\"int8\", i), "
 "T.int8(9)))\n", .want = "? ?"},
{"rule 10: also where no bit is lost", I1("C", 2),
 "    for i in range(2):\n"
 "        C[i] = T.Cast(\"int32\", T.shift_left(T.Cast(\"uint16\", i) * "
 "T.uint16(0), T.uint16(16)))\n", .want = "? ?"},
{"rule 10: the last count of each width", I1("C", 2),
 "    for i in range(2):\n"
 "        C[i] = T.Cast(\"int32\", T.shift_left(T.Cast(\"uint8\", i), "
 "T.uint8(7))) + T.Cast(\"int32\", T.shift_right(T.Cast(\"int8\", i), "
 "T.int8(7)))\n", .want = "0 128"},
{"rule 10: clz of zero", "A: T.Buffer((2,), \"int32\"), " I1("C", 2),
 "    C[0] = T.clz(A[0] - 1)\n"
 "    C[1] = T.clz(A[1])\n", .want = "? 30"},
{"rule 10: NaN and infinity to integers", F1("A", 1) ", " I1("C", 4),
 "    C[0] = T.Cast(\"int32\", T.float32(\"nan\") * A[0])\n"
 "    C[1] = T.Cast(\"int32\", T.Cast(\"int8\", A[0] * T.float32(128)))\n"
 "    C[2] = T.Cast(\"int32\", T.Cast(\"int8\", A[0] * T.float32(-128)))\n"
 "    C[3] = T.Cast(\"int32\", T.Cast(\"uint8\", A[0] * T.float32(-1)))\n",
 .want = "? ? -128 ?"},
{"rule 10: a bad shift count is an undefined value", I1("A", 2) ", " I1("C", 2),
 "    C[0] = T.shift_left(1, A[0] + 31)\n"
 "    C[1] = T.shift_left(1, A[0] + 30)\n", .want = "? -2147483648"},
{"rule 10: undefined times zero is undefined", I1("A", 2) ", " I1("C", 1),
 "    C[0] = T.shift_left(1, A[0] + 31) * (A[0] - 1)\n", .want = "?"},
{"rule 10: copying it is fine", I1("A", 1) ", " I1("C", 2),
 "    C[0] = T.shift_left(1, A[0] + 31)\n"
 "    C[1] = C[0]\n"
 "    C[0] = 3\n", .want = "3 ?"},
{"rule 10: as an address it is a fault", I1("A", 1) ", " I1("C", 2),
 "    C[T.shift_left(1, A[0] + 31)] = 1\n", .fault = INTERP_UNINITIALISED},
{"rule 10: as a condition it is a fault", I1("A", 1) ", " I1("C", 2),
 "    if T.shift_left(1, A[0] + 31) > 0:\n"
 "        C[0] = 1\n", .fault = INTERP_UNINITIALISED},
{"rule 10: float to int out of range", F1("A", 1) ", " I1("C", 2),
 "    C[0] = T.Cast(\"int32\", A[0] * T.float32(1e10))\n"
 "    C[1] = T.Cast(\"int32\", A[0] * T.float32(-2.5))\n", .want = "? -2"},
/* rules 11, 12, 13 */
{"rule 11: NaN casts to true", F1("A", 1) ", C: T.Buffer((2,), \"bool\")",
 "    C[0] = T.Cast(\"bool\", T.float32(\"nan\"))\n"
 "    C[1] = T.Cast(\"bool\", A[0] - T.float32(1))\n", .want = "true false"},
{"rule 12: max and min give the second on NaN and on zeros", F1("C", 5),
 "    C[0] = T.max(T.float32(\"nan\"), C[0])\n"
 "    C[1] = T.max(C[1], T.float32(\"nan\"))\n"
 "    C[2] = T.max(C[2] * T.float32(0), C[2] * T.float32(-0.0))\n"
 "    C[3] = T.min(C[3] * T.float32(-0.0), C[3] * T.float32(0))\n"
 "    C[4] = T.min(T.float32(\"nan\"), C[4])\n", .want = "1.0 nan -0.0 0.0 5.0"},
{"rule 12: NaN differs from everything", F1("A", 1) ", " I1("C", 2),
 "    C[0] = T.Select(T.float32(\"nan\") != A[0], 1, 0)\n"
 "    C[1] = T.Select(T.float32(\"nan\") == T.float32(\"nan\"), 1, 0)\n",
 .want = "1 0"},
{"rule 13: literals round once to their type",
 "C: T.Buffer((1,), \"float16\")",
 "    C[0] = T.float16(1.0004882812500002)\n", .want = "1.001"},
{"rule 13: fma rounds once", F1("A", 1) ", " F1("C", 2),
 "    C[0] = T.fma(A[0] * T.float32(4097), A[0] * T.float32(4097), "
 "A[0] * T.float32(-16785408))\n"
 "    C[1] = (A[0] * T.float32(4097)) * (A[0] * T.float32(4097)) + "
 "A[0] * T.float32(-16785408)\n", .want = "1.0 0.0"},
/* rule 14, 16 */
{"rule 14: parameters are defined on entry", I1("C", 2),
 "    for i in range(2):\n"
 "        C[i] = C[i] + 1\n", .want = "2 3"},
{"rule 14: an allocated buffer is not", I1("C", 2),
 "    with T.sblock(\"root\"):\n"
 "        B = T.sblock_alloc_buffer((2,), \"int32\")\n"
 "        for i in range(2):\n"
 "            with T.sblock(\"b\"):\n"
 "                v = T.axis.spatial(2, i)\n"
 "                B[v] = B[v] + 1\n"
 "                C[v] = B[v]\n", .want = "? ?"},
{"rule 4: an index beyond its dimension, inside of the storage",
 "A: T.Buffer((2, 4), \"int32\"), " I1("C", 1),
 "    C[0] = A[0, C[0] - 7]\n", .want = "5", .beyond = "buffer 'A' index 1 is 4"},
{"rule 4: an index below zero, inside of the storage",
 "A: T.Buffer((2, 4), \"int32\"), " I1("C", 1),
 "    C[0] = A[1, C[0] - 13]\n", .want = "3", .beyond = "buffer 'A' index 1 is -2"},
{"rule 4: past the end, in the last row",
 "A: T.Buffer((2, 4), \"int32\"), " I1("C", 1),
 "    C[0] = A[1, C[0] - 7]\n", .fault = INTERP_OUT_OF_BOUNDS,
 .message = "buffer 'A' index 1 is 4, outside [0, 4)"},
{"rule 4: below the start", I1("A", 4) ", " I1("C", 1),
 "    C[0] = A[C[0] - 12]\n", .fault = INTERP_OUT_OF_BOUNDS,
 .message = "buffer 'A' index 0 is -1"},
{"rule 4: an address beyond all addresses", I1("A", 4) ", " I1("C", 1),
 "    C[0] = A[T.Cast(\"int64\", C[0]) * T.int64(838488366986797800)]\n",
 .fault = INTERP_OUT_OF_BOUNDS},
{"rule 4: lanes are addresses, too", "A: T.Buffer((2, 4), \"int32\"), " I1("C", 4),
 "    C[T.Ramp(0, 1, 4)] = A[0, T.Ramp(2, 1, 4)]\n", .want = "3 4 5 6",
 .beyond = "buffer 'A' index 1 is 4"},
{"rule 4: the last lane past the end", "A: T.Buffer((2, 4), \"int32\"), " I1("C", 4),
 "    C[T.Ramp(0, 1, 4)] = A[1, T.Ramp(2, 1, 4)]\n",
 .fault = INTERP_OUT_OF_BOUNDS, .message = "index 1 is 4"},
{"rule 4: rows that overlap by their strides are one storage", I1("C", 8),
 "    S = T.alloc_buffer((32,), \"int32\")\n"
 "    V = T.decl_buffer((4, 8), \"int32\", data=S.data, strides=(4, 1))\n"
 "    for i, j in T.grid(4, 8):\n"
 "        V[i, j] = 10 * i + j\n"
 "    for j in range(8):\n"
 "        C[j] = V[0, j]\n", .want = "0 1 2 3 10 11 12 13"},
{"rule 4: so what one tuple wrote, another one reads", I1("C", 1),
 "    S = T.alloc_buffer((12,), \"int32\")\n"
 "    V = T.decl_buffer((2, 8), \"int32\", data=S.data, strides=(4, 1))\n"
 "    V[0, 5] = 7\n"
 "    C[0] = V[1, 1]\n", .want = "7"},
{"rule 4: iterations that write one cell by two tuples race", I1("C", 1),
 "    S = T.alloc_buffer((32,), \"int32\")\n"
 "    V = T.decl_buffer((4, 8), \"int32\", data=S.data, strides=(4, 1))\n"
 "    for i in T.parallel(4):\n"
 "        for j in range(8):\n"
 "            V[i, j] = 10 * i + j\n"
 "    C[0] = V[0, 0]\n", .fault = INTERP_RACE},
{"rule 4: iterations whose rows do not meet do not", I1("C", 4),
 "    S = T.alloc_buffer((32,), \"int32\")\n"
 "    V = T.decl_buffer((4, 8), \"int32\", data=S.data, strides=(4, 1))\n"
 "    for i in T.parallel(4):\n"
 "        for j in range(4):\n"
 "            V[i, j] = 10 * i + j\n"
 "    for i in range(4):\n"
 "        C[i] = S[i * 4 + i]\n", .want = "0 11 22 33"},
{"rule 4: two views of one storage", I1("C", 2),
 "    S = T.alloc_buffer((56,), \"int32\")\n"
 "    P = T.decl_buffer((32,), \"int32\", data=S.data)\n"
 "    Q = T.decl_buffer((24,), \"int32\", data=S.data, elem_offset=24)\n"
 "    P[24] = 5\n"
 "    C[0] = Q[0]\n"
 "    Q[1] = 6\n"
 "    C[1] = P[25]\n", .want = "5 6"},
{"rule 4: an index below zero of a view with an offset", I1("C", 2),
 "    S = T.alloc_buffer((16,), \"int32\")\n"
 "    V = T.decl_buffer((8,), \"int32\", data=S.data, elem_offset=8)\n"
 "    S[0] = 5\n"
 "    C[0] = V[-8]\n"
 "    V[-7] = 6\n"
 "    C[1] = S[1]\n", .want = "5 6", .beyond = "buffer 'V' index 0 is -8"},
{"rule 4: and one too far below", I1("C", 2),
 "    S = T.alloc_buffer((16,), \"int32\")\n"
 "    V = T.decl_buffer((8,), \"int32\", data=S.data, elem_offset=7)\n"
 "    V[-8] = 6\n", .fault = INTERP_OUT_OF_BOUNDS},
{"rule 15: a matched region that leaves its source stays in the storage",
 "A: T.Buffer((4, 4), \"int32\"), " I1("C", 8),
 "    for i in range(1):\n"
 "        with T.sblock(\"b\"):\n"
 "            v = T.axis.spatial(1, i)\n"
 "            M = T.match_buffer(A[v + 1, 2:6], (4,), \"int32\")\n"
 "            for j in range(8):\n"
 "                C[j] = M[j]\n", .want = "7 8 9 10 11 12 13 14",
 .beyond = "buffer 'M' index 0 is 4"},
/* rule 12 */
{"rule 12: of two zeros the second one is the larger and the lesser",
 F1("A", 1) ", " F1("C", 4),
 "    C[0] = T.max(A[0] * T.float32(0), A[0] * T.float32(-0.0))\n"
 "    C[1] = T.max(A[0] * T.float32(-0.0), A[0] * T.float32(0))\n"
 "    C[2] = T.min(A[0] * T.float32(0), A[0] * T.float32(-0.0))\n"
 "    C[3] = T.min(A[0] * T.float32(-0.0), A[0] * T.float32(0))\n",
 .want = "-0.0 0.0 -0.0 0.0"},
/* rule 15 */
{"rule 15: an unknown callee is named", I1("C", 1),
 "    T.evaluate(T.call_extern(\"int32\", \"my_kernel\", C.data))\n",
 .fault = INTERP_UNSUPPORTED, .message = "my_kernel"},
{"rule 15: a pointer counts in elements", I1("C", 4),
 "    T.evaluate(T.call_intrin(\"int32\", \"tirx.atomic_add\", "
 "T.tvm_access_ptr(T.type_annotation(\"int32\"), C.data, 2, 1, 3), 5))\n",
 .want = "1 2 8 4"},
{"rule 15: an access outside the buffer is a fault", I1("C", 4),
 "    T.evaluate(T.call_intrin(\"int32\", \"tirx.atomic_add\", "
 "T.tvm_access_ptr(T.type_annotation(\"int32\"), C.data, 4, 1, 3), 5))\n",
 .fault = INTERP_OUT_OF_BOUNDS},
{"rule 15: an access whose last byte is outside is one, too", I1("C", 4),
 "    B = T.alloc_buffer((7,), \"uint8\")\n"
 "    for i in range(7):\n"
 "        B[i] = T.uint8(0)\n"
 "    T.evaluate(T.call_intrin(\"int32\", \"tirx.atomic_add\", "
 "T.tvm_access_ptr(T.type_annotation(\"int32\"), B.data, 1, 1, 3), 5))\n",
 .fault = INTERP_OUT_OF_BOUNDS},
/* rule 29 */
{"rule 29: bytes are little endian", F1("A", 1) ", " I1("C", 1),
 "    B = T.decl_buffer((4,), \"uint8\", data=A.data)\n"
 "    C[0] = T.Cast(\"int32\", B[3]) * 256 + T.Cast(\"int32\", B[2])\n",
 .want = "16256"},
{"rule 29: a byte that is neither 0 nor 1 is no truth", I1("C", 3),
 "    B = T.alloc_buffer((3,), \"uint8\")\n"
 "    D = T.decl_buffer((3,), \"bool\", data=B.data)\n"
 "    for i in range(3):\n"
 "        B[i] = T.Cast(\"uint8\", i)\n"
 "        C[i] = T.Cast(\"int32\", D[i])\n", .want = "0 1 ?"},
{"rule 29: an overflow in the first of four bytes", I1("A", 1) ", " I1("C", 4),
 "    B = T.alloc_buffer((4,), \"uint8\")\n"
 "    D = T.decl_buffer((1,), \"int32\", data=B.data)\n"
 "    B[0] = T.Cast(\"uint8\", A[0] + 2147483647)\n"
 "    for i in range(3):\n"
 "        B[i + 1] = T.uint8(0)\n"
 "    C[D[0] % 4] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 29: an overflow in the first of four bytes, which lie on two pages", I1("A", 1) ", " I1("C", 4),
 "    for tx in T.thread_binding(1, thread=\"threadIdx.x\"):\n"
 "        B = T.alloc_buffer((100000,), \"uint8\", scope=\"local\")\n"
 "        p: T.let[T.handle] = T.address_of(B[126])\n"
 "        D = T.decl_buffer((1,), \"int32\", data=p, scope=\"local\")\n"
 "        B[126] = T.Cast(\"uint8\", A[0] + 2147483647)\n"
 "        for i in range(3):\n"
 "            B[i + 127] = T.uint8(0)\n"
 "        C[D[0] % 4] = 1\n", .fault = INTERP_INDEX_OVERFLOW},
{"rule 29: four bytes on two pages", I1("A", 1) ", " I1("C", 4),
 "    for tx in T.thread_binding(1, thread=\"threadIdx.x\"):\n"
 "        B = T.alloc_buffer((100000,), \"uint8\", scope=\"local\")\n"
 "        p: T.let[T.handle] = T.address_of(B[126])\n"
 "        D = T.decl_buffer((1,), \"int32\", data=p, scope=\"local\")\n"
 "        for i in range(4):\n"
 "            B[i + 126] = T.Cast(\"uint8\", i + A[0])\n"
 "        C[0] = D[0]\n", .want = "67305985 12 13 14"},
{"rule 29: a value whose last byte is outside of the storage", I1("C", 2),
 "    B = T.alloc_buffer((7,), \"uint8\")\n"
 "    D = T.decl_buffer((2,), \"int32\", data=B.data)\n"
 "    C[0] = D[0]\n"
 "    D[1] = 1\n", .fault = INTERP_OUT_OF_BOUNDS},
{"rule 29: one of which but the first byte is", I1("C", 2),
 "    B = T.alloc_buffer((5,), \"uint8\")\n"
 "    D = T.decl_buffer((2,), \"int32\", data=B.data)\n"
 "    C[1] = D[1]\n", .fault = INTERP_OUT_OF_BOUNDS},
{"rule 29: one that ends with the storage", I1("C", 2),
 "    B = T.alloc_buffer((8,), \"uint8\")\n"
 "    D = T.decl_buffer((2,), \"int32\", data=B.data)\n"
 "    D[1] = 7\n"
 "    C[1] = D[1]\n", .want = "1 7"},
{"rule 8: a choice by what is undefined", I1("C", 2),
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    C[0] = T.Select(B[0] > 3, 4, 5)\n", .want = "? 2"},
{"rule 29: a partly initialised value is undefined", I1("C", 2),
 "    B = T.alloc_buffer((2,), \"int32\")\n"
 "    D = T.decl_buffer((8,), \"uint8\", data=B.data)\n"
 "    for i in range(7):\n"
 "        D[i] = T.uint8(1)\n"
 "    C[0] = B[0]\n"
 "    C[1] = B[1]\n", .want = "16843009 ?"},
/* vectors */
{"vectors: broadcast, ramp, select by lane", I1("A", 4) ", " I1("C", 4),
 "    C[T.Ramp(0, 1, 4)] = T.Select(A[T.Ramp(0, 1, 4)] < T.Broadcast(3, 4), "
 "A[T.Ramp(0, 1, 4)], T.Broadcast(0, 4))\n", .want = "1 2 0 0"},
{"vectors: the last two lanes of a store at one address", I1("C", 4),
 "    C[T.min(T.Ramp(0, 1, 4), T.Broadcast(2, 4))] = T.Ramp(5, 1, 4)\n",
 .fault = INTERP_RACE, .message = "two lanes"},
{"vectors: the first two", I1("C", 4),
 "    C[T.max(T.Ramp(0, 1, 4), T.Broadcast(1, 4))] = T.Ramp(5, 1, 4)\n",
 .fault = INTERP_RACE, .message = "two lanes"},
{"vectors: the first and the last", I1("C", 4),
 "    C[T.Ramp(0, 1, 4) % T.Broadcast(3, 4)] = T.Ramp(5, 1, 4)\n",
 .fault = INTERP_RACE, .message = "two lanes"},
{"vectors: a buffer of vectors that begins behind the first", I1("A", 12) ", " I1("C", 4),
 "    V = T.decl_buffer((2,), \"int32x4\", data=A.data, elem_offset=1)\n"
 "    C[T.Ramp(0, 1, 4)] = V[0]\n", .want = "5 6 7 8"},
{"vectors: a first lane that is not stored has no address", I1("C", 4),
 "    C.vstore([T.Ramp(-1, 1, 4)], T.Broadcast(7, 4), predicate="
 "T.Ramp(0, 1, 4) > T.Broadcast(0, 4))\n", .want = "7 7 7 4"},
{"vectors: nor a last one", I1("C", 4),
 "    C.vstore([T.Ramp(1, 1, 4)], T.Broadcast(7, 4), predicate="
 "T.Ramp(0, 1, 4) < T.Broadcast(3, 4))\n", .want = "1 7 7 7"},
{"vectors: one that is stored has", I1("C", 4),
 "    C.vstore([T.Ramp(-1, 1, 4)], T.Broadcast(7, 4), predicate="
 "T.Ramp(0, 1, 4) > T.Broadcast(-1, 4))\n", .fault = INTERP_OUT_OF_BOUNDS},
{"vectors: lanes in descending order", I1("C", 4),
 "    C[T.Ramp(3, -1, 4)] = T.Ramp(5, 1, 4)\n", .want = "8 7 6 5"},
{"vectors: shuffle", I1("A", 4) ", " I1("C", 4),
 "    C[T.Ramp(0, 1, 4)] = T.Shuffle([A[T.Ramp(0, 1, 2)], "
 "A[T.Ramp(2, 1, 2)]], [3, 0, 2, 1])\n", .want = "4 1 3 2"},
/* control */
{"a guard of one iteration", F1("A", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        if i == 5:\n"
 "            C[i] = A[i]\n",
 .want = "11.0 12.0 13.0 14.0 15.0 6.0 17.0 18.0 19.0 20.0 21.0 22.0 23.0 24.0 25.0 26.0"},
{"a guard of all but one", F1("A", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        if i != 5:\n"
 "            C[i] = A[i]\n",
 .want = "1.0 2.0 3.0 4.0 5.0 16.0 7.0 8.0 9.0 10.0 11.0 12.0 13.0 14.0 15.0 16.0"},
{"a guard of the last ones", F1("A", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        if i >= 13:\n"
 "            C[i] = A[i]\n",
 .want = "11.0 12.0 13.0 14.0 15.0 16.0 17.0 18.0 19.0 20.0 21.0 22.0 23.0 14.0 15.0 16.0"},
{"a guard of every second one", F1("A", 16) ", " F1("C", 16),
 "    for i in range(16):\n"
 "        if i % 2 == 0:\n"
 "            C[i] = A[i]\n",
 .want = "1.0 12.0 3.0 14.0 5.0 16.0 7.0 18.0 9.0 20.0 11.0 22.0 13.0 24.0 15.0 26.0"},
{"a loop by steps, its last iteration a part of one", I1("C", 6),
 "    for i in range(0, 5, 2):\n"
 "        C[i] = 9\n", .want = "9 2 9 4 9 6"},
{"a loop by steps that divide", I1("C", 6),
 "    for i in range(1, 5, 2):\n"
 "        C[i] = 9\n", .want = "1 9 3 9 5 6"},
{"a loop of less than a step", I1("C", 6),
 "    for i in range(3, 4, 3):\n"
 "        C[i] = 9\n", .want = "1 2 3 9 5 6"},
{"a loop by steps that does not run", I1("C", 6),
 "    for i in range(3, 3, 3):\n"
 "        C[i] = 9\n", .want = "1 2 3 4 5 6"},
{"while, break and continue", I1("C", 2),
 "    for i in range(10):\n"
 "        if i == 3:\n"
 "            T.break_loop()\n"
 "        C[0] = C[0] + i\n"
 "    while C[1] < 20:\n"
 "        C[1] = C[1] * 3\n", .want = "4 54"},
{"an undefined variable is named", I1("C", 1),
 "    for i in range(2):\n"
 "        C[0] = i\n"
 "    C[0] = T.Cast(\"int32\", T.likely(T.Cast(\"int32\", T.sqrt(T.float32(9.0)))))\n",
 .want = "3"},
{"calls of C functions by name", F1("C", 2),
 "    C[0] = T.call_pure_extern(\"float32\", \"floorf\", C[1] / T.float32(4))\n",
 .want = "0.0 2.0"},
/* intervals */
{"interval: enclosures of the real function", F1("C", 2),
 "    C[0] = C[0] + C[1] * T.float32(2)\n", .want = "[5,5] [2,2]",
 .domain = INTERP_INTERVAL},
{"interval: a choice that is not decided is the hull", F1("C", 2),
 "    C[0] = T.Select(T.sqrt(C[1]) * T.sqrt(C[1]) > C[1], T.float32(1), "
 "T.float32(3))\n", .want = "[1,3] [2,2]", .domain = INTERP_INTERVAL},
{"interval: what decides a conjunction of undecided parts", F1("C", 2),
 "    C[0] = T.Select(T.sqrt(C[1]) * T.sqrt(C[1]) > C[1] and C[1] < T.float32(0), T.float32(1), "
 "T.float32(3))\n", .want = "[3,3] [2,2]", .domain = INTERP_INTERVAL},
{"interval: what does not decide it", F1("C", 2),
 "    C[0] = T.Select(T.sqrt(C[1]) * T.sqrt(C[1]) > C[1] and C[1] > T.float32(0), T.float32(1), "
 "T.float32(3))\n", .want = "[1,3] [2,2]", .domain = INTERP_INTERVAL},
{"interval: what decides a disjunction of undecided parts", F1("C", 2),
 "    C[0] = T.Select(C[1] > T.float32(0) or T.sqrt(C[1]) * T.sqrt(C[1]) > C[1], T.float32(1), "
 "T.float32(3))\n", .want = "[1,1] [2,2]", .domain = INTERP_INTERVAL},
{"interval: what does not decide that", F1("C", 2),
 "    C[0] = T.Select(C[1] < T.float32(0) or T.sqrt(C[1]) * T.sqrt(C[1]) > C[1], T.float32(1), "
 "T.float32(3))\n", .want = "[1,3] [2,2]", .domain = INTERP_INTERVAL},
{"interval: an undecided condition stops the run", F1("C", 2),
 "    if T.sqrt(C[1]) * T.sqrt(C[1]) > C[1]:\n"
 "        C[0] = T.float32(1)\n", .fault = INTERP_UNDECIDED,
 .domain = INTERP_INTERVAL},
{"interval: integers stay exact", I1("A", 2) ", " F1("C", 2),
 "    C[A[0] - 1] = T.Cast(\"float32\", A[1] // 2)\n", .want = "[1,1] [12,12]",
 .domain = INTERP_INTERVAL},
};
// clang-format on

int main(void)
{
    return case_main(cases, DC_ARRAY_LEN(cases));
}
