/* SPDX-License-Identifier: Apache-2.0
 *
 * What all keyed domains have in common (docs/semantics.md F1 to F5, F13 to
 * F15; interp/keyed/keyed.c, keyed_bits.c): leaves, memory, conditions, integers,
 * bits, threads; and what is refused.
 */
#include "tests/interp/keyed/keyed_case.h"

#define XYZ(t, out)                                        \
    "X: T.Buffer((1,), \"" t "\"), Y: T.Buffer((1,), \"" t \
    "\"), Z: T.Buffer((1,), \"" t "\"), C: T.Buffer((1,), \"" out "\")"
#define F32      XYZ("float32", "float32")
#define I32      XYZ("int32", "int32")
#define I8       XYZ("int8", "int8")
#define IS(expr) "    C[0] = " expr "\n"
#define AC(n) \
    "A: T.Buffer((" n ",), \"float32\"), C: T.Buffer((" n ",), \"float32\")"

/* Bits of a float32 as a bfloat16, the upper half rounded: PLUS and SHIFT as
 * in the idiom are 0x7fff and 16, ODD is the shift of the parity bit. */
#define ROUNDED(plus, shift, odd)                                          \
    "    B = T.alloc_buffer((1,), \"uint32\")\n"                           \
    "    B[0] = T.reinterpret(\"uint32\", X[0])\n"                         \
    "    C[0] = T.reinterpret(\"bfloat16\", T.Cast(\"uint16\", "           \
    "T.shift_right(B[0] + T.bitwise_and(T.shift_right(B[0], T.uint32(" odd \
    ")), T.uint32(1)) + T.uint32(" plus "), T.uint32(" shift "))))\n"
#define UPPER(shift)                                                 \
    IS("T.reinterpret(\"float32\", T.shift_left(T.Cast(\"uint32\", " \
       "T.reinterpret(\"uint16\", X[0])), T.uint32(" shift ")))")

#define THREADS(n) "    for t in T.thread_binding(" n ", \"threadIdx.x\"):\n"
#define SERIAL_SUM              \
    "    C[0] = T.float32(0)\n" \
    "    for i in range(4):\n"  \
    "        C[0] = C[0] + A[i]\n"
/* All threads reduce source by the reducer. */
#define REDUCE(reducer, source)                                       \
    "        with T.attr(T.comm_reducer(lambda x, y: " reducer        \
    ", [T.float32(0)]), \"reduce_scope\", T.reinterpret(\"handle\", " \
    "T.uint64(0))):\n"                                                \
    "            T.tvm_thread_allreduce(T.uint32(1), " source         \
    ", T.bool(True), R[0], t)\n"
#define LOCAL "    R = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
#define GIVE  "        if t == 0:\n            C[0] = R[0]\n"
#define ALLREDUCE(reducer, source) \
    LOCAL THREADS("4") REDUCE(reducer, source) GIVE
#define ALLREDUCE_OF(n, source) LOCAL THREADS(n) REDUCE("x + y", source) GIVE
#define TWO_ALLREDUCES                         \
    LOCAL THREADS("2") REDUCE("x + y", "A[t]") \
        REDUCE("x + y", "T.if_then_else(t == 0, R[0], A[2])") GIVE
#define CROSS_THREAD(binding)               \
    "    for k in " binding ":\n"           \
    "        with T.sblock(\"c\"):\n"       \
    "            v = T.axis.reduce(4, k)\n" \
    "            with T.init():\n"          \
    "                C[0] = T.float32(0)\n" \
    "            C[0] = C[0] + A[v]\n"
#define ATOMIC(i)                                                            \
    "    C[0] = T.float32(0)\n" THREADS(                                     \
        "4") "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[" i \
             "]))\n"
#define ATOMIC_INT(i) \
    THREADS("3")      \
    "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[" i "]))\n"
#define INTS "A: T.Buffer((3,), \"int32\"), C: T.Buffer((1,), \"int32\")"
#define TILES                              \
    "A: T.Buffer((16, 16), \"float16\"), " \
    "B: T.Buffer((16, 16), \"float16\"), " \
    "C: T.Buffer((16, 16), \"float32\")"
#define WMMA                                                                   \
    "    a = T.alloc_buffer((16, 16), \"float16\", scope=\"wmma.matrix_a\")\n" \
    "    b = T.alloc_buffer((16, 16), \"float16\", scope=\"wmma.matrix_b\")\n" \
    "    c = T.alloc_buffer((16, 16), \"float32\", "                           \
    "scope=\"wmma.accumulator\")\n"                                            \
    "    T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, 16, 0, "               \
    "T.float32(0)))\n"                                                         \
    "    T.evaluate(T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, "            \
    "T.address_of(A[0, 0]), 16, \"row_major\"))\n"                             \
    "    T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, "            \
    "T.address_of(B[0, 0]), 16, \"row_major\"))\n"                             \
    "    T.evaluate(T.tvm_mma_sync(c.data, 0, a.data, 0, b.data, 0, "          \
    "c.data, 0))\n"                                                            \
    "    T.evaluate(T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, "           \
    "T.address_of(C[0, 0]), 16, \"row_major\"))\n"
#define MATMUL(lhs, rhs)                                       \
    "    for i, j in T.grid(16, 16):\n"                        \
    "        C[i, j] = T.float32(0)\n"                         \
    "        for k in range(16):\n"                            \
    "            C[i, j] = C[i, j] + T.Cast(\"float32\", " lhs \
    ") * T.Cast(\"float32\", " rhs ")\n"

// clang-format off
static const struct keyed_case cases[] = {
/* F1: leaves and outputs */
{"a program and itself", AC("4"), SERIAL_SUM, SERIAL_SUM, .want = "===="},
{"an element left alone keeps its value", AC("2"), "    C[0] = A[0]\n",
 "    C[0] = A[0]\n    C[1] = C[1]\n", .want = "===="},
{"an element left alone, and written", AC("2"), "    C[0] = A[0]\n",
 "    C[0] = A[0]\n    C[1] = A[1]\n", .want = "////"},
{"an element left alone, and 0", AC("2"), "    C[0] = A[0]\n",
 "    C[0] = A[0]\n    C[1] = T.float32(0)\n", .want = "////"},
{"0 is added to a choice between what is never -0", F32,
 IS("T.Select(Y[0] > T.float32(0), T.Add(X[0], T.float32(0)), T.Add(Z[0], T.float32(0)))"),
 IS("T.Add(T.Select(Y[0] > T.float32(0), T.Add(X[0], T.float32(0)), "
    "T.Add(Z[0], T.float32(0))), T.float32(0))"), .want = "===="},
{"0 is added to a choice of what may be -0", F32,
 IS("T.Select(Y[0] > T.float32(0), T.Add(X[0], T.float32(0)), Z[0])"),
 IS("T.Add(T.Select(Y[0] > T.float32(0), T.Add(X[0], T.float32(0)), Z[0]), "
    "T.float32(0))"), .want = "/==="},
{"elements exchanged", AC("2"), "    C[0] = A[0]\n    C[1] = A[1]\n",
 "    C[0] = A[1]\n    C[1] = A[0]\n", .want = "////"},
{"a stale copy", AC("2"), "    A[0] = A[1]\n    C[0] = A[0]\n",
 "    C[0] = A[0]\n    A[0] = A[1]\n", .want = "////"},
{"independent loops in another order", AC("4"),
 "    for i in range(4):\n        C[i] = A[i] * T.float32(3)\n",
 "    for i in range(4):\n        C[3 - i] = A[3 - i] * T.float32(3)\n",
 .want = "===="},
{"an uninitialised cell is like nothing", AC("1"),
 "    B = T.alloc_buffer((1,), \"float32\")\n    C[0] = B[0]\n",
 "    B = T.alloc_buffer((1,), \"float32\")\n    C[0] = B[0]\n",
 .want = "////"},
{"an uninitialised cell that is copied and not used", AC("1"),
 "    B = T.alloc_buffer((1,), \"float32\")\n"
 "    D = T.alloc_buffer((1,), \"float32\")\n"
 "    D[0] = B[0]\n    C[0] = A[0]\n", "    C[0] = A[0]\n",
 .want = "===="},
{"a scalar parameter", "X: T.float32, C: T.Buffer((1,), \"float32\")",
 "    C[0] = X * C[0]\n", "    C[0] = C[0] * X\n", .want = "====",
 .gap = "scalars are given"},
{"vector lanes", AC("4"), "    for i in T.vectorized(4):\n"
 "        C[i] = A[i] + T.float32(1)\n",
 "    for i in range(4):\n        C[i] = T.float32(1) + A[i]\n",
 .want = "===="},
/* F3: memory */
{"a buffer under another type", "A: T.Buffer((1,), \"float32\"), "
 "C: T.Buffer((1,), \"int32\")",
 "    B = T.alloc_buffer((1,), \"float32\")\n"
 "    D = T.decl_buffer((1,), \"int32\", data=B.data)\n"
 "    B[0] = A[0]\n    C[0] = D[0]\n", "    C[0] = 0\n",
 .want = "!!!!", .message = "read as int32 but were stored as another type"},
{"a part of a value", "A: T.Buffer((1,), \"int32\"), "
 "C: T.Buffer((1,), \"int16\")",
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    D = T.decl_buffer((2,), \"int16\", data=B.data)\n"
 "    B[0] = A[0]\n    C[0] = D[0]\n", "    C[0] = T.int16(0)\n",
 .want = "!!!!", .message = "in parts"},
{"the second part of a value", "A: T.Buffer((1,), \"int32\"), "
 "C: T.Buffer((1,), \"int16\")",
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    D = T.decl_buffer((2,), \"int16\", data=B.data)\n"
 "    B[0] = A[0]\n    C[0] = D[1]\n", "    C[0] = T.int16(0)\n",
 .want = "!!!!", .message = "in parts"},
{"a value overwritten in part", "A: T.Buffer((1,), \"int32\"), "
 "C: T.Buffer((1,), \"int32\")",
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    D = T.decl_buffer((2,), \"int16\", data=B.data)\n"
 "    B[0] = A[0]\n    D[1] = T.int16(7)\n    C[0] = B[0]\n", "    C[0] = 0\n",
 .want = "!!!!", .message = "in parts"},
{"a value overwritten by two halves", "A: T.Buffer((2,), \"int16\"), "
 "C: T.Buffer((1,), \"int32\")",
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    D = T.decl_buffer((2,), \"int16\", data=B.data)\n"
 "    D[0] = A[0]\n    D[1] = A[1]\n    C[0] = B[0]\n", "    C[0] = 0\n",
 .want = "!!!!", .message = "in parts"},
{"a half of a value where a half once stood", "A: T.Buffer((2,), \"int16\"), "
 "X: T.Buffer((1,), \"int32\"), C: T.Buffer((1,), \"int16\")",
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    D = T.decl_buffer((2,), \"int16\", data=B.data)\n"
 "    D[0] = A[0]\n    D[1] = A[1]\n    B[0] = X[0]\n    C[0] = D[1]\n",
 "    C[0] = A[1]\n", .want = "!!!!", .message = "in parts"},
{"a buffer used twice under two types", "A: T.Buffer((2,), \"int32\"), "
 "C: T.Buffer((1,), \"int32\")",
 "    B = T.alloc_buffer((2,), \"int32\")\n"
 "    D = T.decl_buffer((4,), \"int16\", data=B.data)\n"
 "    for i in range(4):\n        D[i] = T.int16(1)\n"
 "    B[0] = A[0]\n    B[1] = A[1]\n    C[0] = B[0] + B[1]\n",
 "    C[0] = A[1] + A[0]\n", .want = "===="},
{"numbers under another type", AC("1"),
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 "    D = T.decl_buffer((1,), \"float32\", data=B.data)\n"
 "    B[0] = 0x40400000\n    C[0] = A[0] * D[0]\n",
 "    C[0] = A[0] * T.float32(3)\n", .want = "===="},
/* F4: conditions and addresses */
{"a store under a condition on data", F32,
 "    if X[0] > Y[0]:\n        C[0] = X[0]\n", IS("X[0]"), .want = "!!!!",
 .message = "depends on data that keyed runs do not know"},
{"a loop of so many turns as data say", I32,
 "    for i in range(X[0]):\n        C[0] = i\n", IS("0"), .want = "!!!!",
 .message = "depends on data that keyed runs do not know"},
{"a while loop on data", I32, "    while X[0] > 0:\n        X[0] = X[0] - 1\n",
 IS("0"), .want = "!!!!",
 .message = "depends on data that keyed runs do not know"},
{"an address from data", "I: T.Buffer((1,), \"int32\"), " AC("4"),
 "    C[0] = A[I[0]]\n", "    C[0] = A[0]\n", .want = "!!!!",
 .message = "buffer 'A'"},
{"a store to an address from data", "I: T.Buffer((1,), \"int32\"), " AC("4"),
 "    C[I[0]] = A[0]\n", "    C[0] = A[0]\n", .want = "!!!!",
 .message = "buffer 'C'"},
{"an address from rounded data", AC("4"),
 "    C[0] = A[T.Cast(\"int32\", A[0])]\n", "    C[0] = A[0]\n",
 .want = "!!!!", .message = "buffer 'A'"},
{"an assertion about data", F32,
 "    assert X[0] > Y[0], \"bad\"\n" IS("X[0]"), IS("X[0]"), .want = "!!!!",
 .message = "depends on data"},
{"uint4 has a bit more than float8_e5m2", XYZ("uint4", "float32"),
 IS("T.Cast(\"float32\", T.Cast(\"float8_e5m2\", X[0]))"),
 IS("T.Cast(\"float32\", X[0])"), .want = "//.."},
{"and none more than float8_e4m3fn", XYZ("uint4", "float32"),
 IS("T.Cast(\"float32\", T.Cast(\"float8_e4m3fn\", X[0]))"),
 IS("T.Cast(\"float32\", X[0])"), .want = "==.."},
{"0 and what may be undefined", I8,
 IS("T.bitwise_and(T.shift_left(X[0], Y[0]), T.int8(0))"), IS("T.int8(0)"), .want = "////"},
{"0 and what is not", I8,
 IS("T.bitwise_and(X[0] + Y[0], T.int8(0))"), IS("T.int8(0)"), .want = "===="},
{"a choice between equals by what may be undefined", F32,
 IS("T.Select(T.Cast(\"int32\", X[0]) > 0, Z[0], Z[0])"), IS("Z[0]"), .want = "////"},
{"a choice between equals", F32,
 IS("T.Select(X[0] > Y[0], Z[0], Z[0])"), IS("Z[0]"), .want = "===="},
{"if_then_else on data is a choice", F32,
 IS("T.if_then_else(X[0] < Y[0], Z[0], Y[0])"),
 IS("T.Select(X[0] < Y[0], Z[0], Y[0])"), .want = "===="},
{"false and x", F32,
 "    N = T.alloc_buffer((1,), \"int32\")\n    N[0] = 4\n"
 "    if N[0] > 5 and X[0] > Y[0]:\n        C[0] = X[0]\n"
 IS("Z[0]"), IS("Z[0]"), .want = "===="},
{"true or x", F32,
 "    N = T.alloc_buffer((1,), \"int32\")\n    N[0] = 4\n"
 "    if X[0] > Y[0] or N[0] < 5:\n        C[0] = Z[0]\n", IS("Z[0]"),
 .want = "===="},
{"and commutes, associates", F32,
 IS("T.Select(X[0] < Y[0] and Y[0] < Z[0] and Z[0] < X[0], X[0], Y[0])"),
 IS("T.Select(Z[0] < X[0] and (Y[0] < Z[0] and X[0] < Y[0]), X[0], Y[0])"),
 .want = "===="},
{"and is not or", F32,
 IS("T.Select(X[0] < Y[0] and Y[0] < Z[0], X[0], Y[0])"),
 IS("T.Select(X[0] < Y[0] or Y[0] < Z[0], X[0], Y[0])"), .want = "////"},
/* F5: integers */
{"integers + associate", I8, IS("X[0] + Y[0] + Z[0]"),
 IS("X[0] + (Z[0] + Y[0])"), .want = "===="},
{"integers distribute", I8, IS("(X[0] + Y[0]) * T.int8(2)"),
 IS("X[0] * T.int8(2) + Y[0] * T.int8(2)"), .want = "===="},
{"x * 4 is x << 2", I8, IS("X[0] * T.int8(4)"),
 IS("T.shift_left(X[0], T.int8(2))"), .want = "===="},
{"x * 4 is not x << 3", I8, IS("X[0] * T.int8(4)"),
 IS("T.shift_left(X[0], T.int8(3))"), .want = "////"},
{"integers x + y - y is x", I8, IS("X[0] + Y[0] - Y[0]"), IS("X[0]"),
 .want = "===="},
{"x y and y x + 1", I8, IS("X[0] * Y[0]"), IS("Y[0] * X[0] + T.int8(1)"),
 .want = "////"},
{"x + y and x y", I8, IS("X[0] + Y[0]"), IS("X[0] * Y[0]"), .want = "////"},
{"x - y and y - x", I8, IS("X[0] - Y[0]"), IS("Y[0] - X[0]"), .want = "////"},
{"x + 100 + 100 and x + 1", I8, IS("X[0] + T.int8(100) + T.int8(100)"),
 IS("X[0] + T.int8(1)"), .want = "////"},
{"uint8 made wider before and after the sum", XYZ("uint8", "int32"),
 IS("T.Cast(\"int32\", X[0]) + T.Cast(\"int32\", Y[0])"),
 IS("T.Cast(\"int32\", X[0] + Y[0])"), .want = "////"},
{"int8 made wider, then narrower", I8,
 IS("T.Cast(\"int8\", T.Cast(\"int32\", X[0]))"), IS("X[0]"), .want = "===="},
{"int8 through int16 to int32", XYZ("int8", "int32"),
 IS("T.Cast(\"int32\", T.Cast(\"int16\", X[0]))"),
 IS("T.Cast(\"int32\", X[0])"), .want = "===="},
{"int8 through uint8 to int32", XYZ("int8", "int32"),
 IS("T.Cast(\"int32\", T.Cast(\"uint8\", X[0]))"),
 IS("T.Cast(\"int32\", X[0])"), .want = "////"},
{"int32 through int8", I32, IS("T.Cast(\"int32\", T.Cast(\"int8\", X[0]))"),
 IS("X[0]"), .want = "////"},
{"division by a number", I32, IS("T.floordiv(X[0], 3)"),
 IS("T.floordiv(X[0], 3)"), .want = "===="},
{"floor and truncation", I32, IS("T.floordiv(X[0], 3)"),
 IS("T.truncdiv(X[0], 3)"), .want = "////"},
{"x * 2 // 2 is not x (wrapping)", I32, IS("T.floordiv(X[0] * 2, 2)"),
 IS("X[0]"), .want = "////"},
{"x >> 1 is not x // 2 here", I32, IS("T.shift_right(X[0], 1)"),
 IS("T.floordiv(X[0], 2)"), .want = "////"},
{"an integer division by data", I32, IS("T.floordiv(X[0], Y[0])"),
 IS("T.floordiv(X[0], Y[0])"), .want = "!!!!",
 .message = "an integer division by data"},
{"an integer division by -1", I32,
 "    N = T.alloc_buffer((1,), \"int32\")\n    N[0] = -1\n"
 IS("T.truncdiv(X[0], N[0])"), IS("0 - X[0]"), .want = "!!!!",
 .message = "by 0 or -1"},
{"min of integers in another order", I8, IS("T.min(X[0], T.min(Y[0], Z[0]))"),
 IS("T.min(T.min(Z[0], X[0]), Y[0])"), .want = "===="},
{"min of integers is not max", I8, IS("T.min(X[0], Y[0])"),
 IS("T.max(X[0], Y[0])"), .want = "////"},
{"max of integers from the least", I8,
 "    C[0] = T.min_value(\"int8\")\n    C[0] = T.max(C[0], X[0])\n", IS("X[0]"),
 .want = "===="},
{"max of integers from 0", I8,
 "    C[0] = T.int8(0)\n    C[0] = T.max(C[0], X[0])\n", IS("X[0]"),
 .want = "////"},
{"integers: not a < b is a >= b", I8,
 IS("T.Select(not (X[0] < Y[0]), X[0], Z[0])"),
 IS("T.Select(X[0] >= Y[0], X[0], Z[0])"), .want = "===="},
{"integers: a < b is not a <= b", I8, IS("T.Select(X[0] < Y[0], X[0], Z[0])"),
 IS("T.Select(X[0] <= Y[0], X[0], Z[0])"), .want = "////"},
{"bits and, or, xor in another order", I8,
 IS("T.bitwise_xor(T.bitwise_or(X[0], Y[0]), T.bitwise_and(Y[0], Z[0]))"),
 IS("T.bitwise_xor(T.bitwise_and(Z[0], Y[0]), T.bitwise_or(Y[0], X[0]))"),
 .want = "===="},
{"and is not or of bits", I8, IS("T.bitwise_and(X[0], Y[0])"),
 IS("T.bitwise_or(X[0], Y[0])"), .want = "////"},
{"~x is -1 - x", I8, IS("T.bitwise_not(X[0])"), IS("T.int8(-1) - X[0]"),
 .want = "===="},
{"a shift by data", I32, IS("T.shift_left(X[0], Y[0])"),
 IS("T.shift_left(Y[0], X[0])"), .want = "////"},
{"0 x what may be undefined is not 0", XYZ("float32", "int32"),
 "    N = T.alloc_buffer((1,), \"int32\")\n    N[0] = 0\n"
 IS("T.Cast(\"int32\", X[0]) * N[0]"), IS("0"), .want = "////"},
{"0 x data is 0", I8,
 "    N = T.alloc_buffer((1,), \"int8\")\n    N[0] = T.int8(0)\n"
 IS("X[0] * N[0]"), IS("T.int8(0)"), .want = "===="},
{"what may be undefined does not cancel", XYZ("float32", "int32"),
 IS("T.Cast(\"int32\", X[0]) - T.Cast(\"int32\", X[0])"), IS("0"),
 .want = "////"},
{"int8 arithmetic and int32 arithmetic", XYZ("int8", "int32"),
 IS("T.Cast(\"int32\", X[0] * Y[0])"),
 IS("T.Cast(\"int32\", X[0]) * T.Cast(\"int32\", Y[0])"), .want = "////"},
/* F13: bits */
{"bits and back", F32,
 IS("T.reinterpret(\"float32\", T.reinterpret(\"uint32\", X[0]))"),
 IS("X[0]"), .want = "===="},
{"bits of an integer, and back, are no law", I32,
 IS("T.reinterpret(\"int32\", T.reinterpret(\"float32\", X[0]))"), IS("X[0]"),
 .want = "////"},
{"bits of another value", F32,
 IS("T.reinterpret(\"float32\", T.reinterpret(\"uint32\", Y[0]))"), IS("X[0]"),
 .want = "////"},
{"a sign bit cleared is no law", F32,
 IS("T.reinterpret(\"float32\", T.bitwise_and(T.reinterpret(\"uint32\", X[0]),"
    " T.uint32(0x7fffffff)))"), IS("T.abs(X[0])"), .want = "////"},
{"float16 bits as bfloat16", XYZ("float16", "bfloat16"),
 IS("T.reinterpret(\"bfloat16\", T.reinterpret(\"uint16\", X[0]))"),
 IS("T.Cast(\"bfloat16\", X[0])"), .want = "////"},
{"bfloat16 to float32 by a shift", XYZ("bfloat16", "float32"), UPPER("16"),
 IS("T.Cast(\"float32\", X[0])"), .want = "===="},
{"bfloat16 to float32 by a shift of 15", XYZ("bfloat16", "float32"),
 UPPER("15"), IS("T.Cast(\"float32\", X[0])"), .want = "////"},
{"float16 to float32 by a shift", XYZ("float16", "float32"), UPPER("16"),
 IS("T.Cast(\"float32\", X[0])"), .want = "////"},
{"float32 to bfloat16 by bits", XYZ("float32", "bfloat16"),
 ROUNDED("0x7fff", "16", "16"), IS("T.Cast(\"bfloat16\", X[0])"),
 .want = "===="},
{"float32 to bfloat16, 0x7ffe", XYZ("float32", "bfloat16"),
 ROUNDED("0x7ffe", "16", "16"), IS("T.Cast(\"bfloat16\", X[0])"),
 .want = "////"},
{"float32 to bfloat16, 0x8000", XYZ("float32", "bfloat16"),
 ROUNDED("0x8000", "16", "16"), IS("T.Cast(\"bfloat16\", X[0])"),
 .want = "////"},
{"float32 to bfloat16, shift by 15", XYZ("float32", "bfloat16"),
 ROUNDED("0x7fff", "15", "16"), IS("T.Cast(\"bfloat16\", X[0])"),
 .want = "////"},
{"float32 to bfloat16, parity of another bit", XYZ("float32", "bfloat16"),
 ROUNDED("0x7fff", "16", "17"), IS("T.Cast(\"bfloat16\", X[0])"),
 .want = "////"},
/* F14: threads */
{"float atomics", AC("4"), SERIAL_SUM, ATOMIC("t"), .want = "!===",
 .message = "the order of floating atomics"},
{"float atomics without one term", AC("4"), SERIAL_SUM, ATOMIC("t % 3"),
 .want = "!///"},
{"integer atomics", INTS, "    C[0] = C[0] + (A[0] + A[1] + A[2])\n",
 ATOMIC_INT("t"), .want = "===="},
{"all-reduce", AC("4"), SERIAL_SUM, ALLREDUCE("x + y", "A[t]"),
 .want = "/==="},
{"all-reduce is no serial sum, in ascending order either", AC("4"),
 "    C[0] = A[0]\n    for i in range(3):\n        C[0] = C[0] + A[i + 1]\n",
 ALLREDUCE("x + y", "A[t]"), .want = "/==="},
{"all-reduce and itself", AC("4"), ALLREDUCE("x + y", "A[t]"),
 ALLREDUCE("x + y", "A[t]"), .want = "====", .gap = "one program"},
{"all-reduce in another order", AC("4"), ALLREDUCE("x + y", "A[t]"),
 ALLREDUCE("x + y", "A[3 - t]"), .want = "/==="},
{"all-reduce of other terms", AC("4"), ALLREDUCE("x + y", "A[t]"),
 ALLREDUCE("x + y", "A[t % 3]"), .want = "////"},
{"all-reduce by a choice is in no known order", AC("4"),
 "    C[0] = A[0]\n    for i in range(3):\n"
 "        C[0] = T.Select(C[0] > A[i + 1], C[0], A[i + 1])\n",
 ALLREDUCE("T.Select(x > y, x, y)", "A[t]"), .want = "/===",
 .assumed = INTERP_NON_NAN},
{"all-reduce of three is no all-reduce of two in two", AC("3"),
 ALLREDUCE_OF("3", "A[t]"), TWO_ALLREDUCES, .want = "/==="},
{"what an atomic returns depends on the order", INTS,
 "    C[0] = T.cuda.atomic_add(T.address_of(A[0]), 1)\n",
 "    C[0] = T.cuda.atomic_add(T.address_of(A[0]), 1)\n", .want = "////"},
{"a reduction bound to threads", AC("4"), CROSS_THREAD("range(4)"),
 CROSS_THREAD("T.thread_binding(4, \"threadIdx.x\")"), .want = "/==="},
{"a reduction bound to threads is no serial sum of its partials", AC("4"),
 "    Z = T.alloc_buffer((1,), \"float32\")\n    Z[0] = T.float32(0)\n"
 "    C[0] = Z[0] + A[0]\n    for i in range(3):\n"
 "        C[0] = C[0] + (Z[0] + A[i + 1])\n",
 CROSS_THREAD("T.thread_binding(4, \"threadIdx.x\")"), .want = "/==="},
{"wmma", TILES, MATMUL("A[i, k]", "B[k, j]"), WMMA, .want = "/==="},
{"wmma and itself", TILES, WMMA, WMMA, .want = "====",
 .gap = "one program"},
{"wmma of the transposed", TILES, MATMUL("A[i, k]", "B[j, k]"), WMMA,
 .want = "////"},
};
// clang-format on

int main(void)
{
    return keyed_main("keyed", cases, DC_ARRAY_LEN(cases));
}
