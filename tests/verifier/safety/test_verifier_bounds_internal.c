/* SPDX-License-Identifier: Apache-2.0
 *
 * Each condition of bounds.c, storage_bounds.c and facts.c, and of what safety.c
 * says of sizes: a program with a fault that would be shown safe without the
 * condition, beside a legal one that is shown.
 */
#include "tests/verifier/safety/safety_case_internal.h"

#define AC8   F1("A", 8) ", " F1("C", 8)
#define I64_8 "X: T.Buffer((8,), \"int64\")"
/* Sizes in int32; those of TypeVar are in int64. */
#define AC "a: T.handle, c: T.handle"
#define AC_N                                         \
    "    k = T.int32()\n"                            \
    "    A = T.match_buffer(a, (k,), \"float32\")\n" \
    "    C = T.match_buffer(c, (k,), \"float32\")\n"
#define AN    "A: T.Buffer((n,), \"float32\")"
#define CN    "C: T.Buffer((n,), \"float32\")"
#define FOR8  "    for i in range(8):\n"
#define FOR16 "    for i in range(16):\n"
/* 2^30 */
#define GIGA "1073741824"

// clang-format off
static const struct safety_case cases[] = {
/* ---- integers fit: int32 and int64 only, and only where they reach something */
{"rule 9: 2^30 + 2^30 - 1 fits int32", AC8,
 FOR8
 "        C[i] = A[(i // 7 * " GIGA " + (i // 7 * " GIGA " - 1)) % 8]\n", .want = VSAFETY_NONE},
{"rule 9: 2^31 does not", AC8,
 FOR8
 "        C[i] = A[(i // 7 * " GIGA " + i // 7 * " GIGA ") % 8]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: the loop's end at 2^31", AC8,
 "    for i in range(3):\n"
 "        C[i] = A[(i * " GIGA ") % 8]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: -2^31 fits int32", AC8,
 "    for i in range(3):\n"
 "        C[i] = A[(0 - i * 1000000000 - i * 73741824) % 8]\n", .want = VSAFETY_NONE},
{"rule 9: -2^31 - 1 does not", AC8,
 "    for i in range(3):\n"
 "        C[i] = A[(0 - i * 1000000000 - i * 73741824 - 1) % 8]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a product of loop variables", AC8,
 "    for i in range(46341):\n"
 "        for j in range(46341):\n"
 "            C[(i * j) % 8] = A[0]\n", .want = VSAFETY_NONE},
{"rule 9: a product of loop variables, one more", AC8,
 "    for i in range(46342):\n"
 "        for j in range(46342):\n"
 "            C[(i * j) % 8] = A[0]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a product of data in 64 bits", I64_8 ", " AC8,
 "    C[0] = A[T.Cast(\"int32\", (X[0] * X[1]) % T.int64(8))]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    C[0] = A[0]\n"},
{"rule 9: in unsigned types it is arithmetic", F1("A", 8) ", U: T.Buffer((8,), \"uint32\"), " F1("C", 8),
 "    C[0] = A[T.Cast(\"int32\", (U[0] * U[1]) % T.uint32(8))]\n", .want = VSAFETY_NONE},
{"rule 9: in narrow types, too", F1("A", 256) ", U: T.Buffer((8,), \"int8\"), " F1("C", 8),
 "    C[0] = A[T.Cast(\"int32\", U[0] * U[1]) + 128]\n", .want = VSAFETY_NONE},
{"rule 9: and has all values of the type", F1("A", 256) ", U: T.Buffer((8,), \"int8\"), " F1("C", 8),
 "    C[0] = A[T.Cast(\"int32\", U[0] * U[1]) + 127]\n", .want = VSAFETY_BOUNDS,
 .untuned = "    C[0] = A[0]\n"},
{"rule 9: 0 - 1 of uint32 is large", F1("A", 8) ", " F1("C", 8),
 FOR8
 "        C[i] = A[T.Cast(\"int64\", T.Cast(\"uint32\", i) - T.uint32(1)) + T.int64(1)]\n", .want = VSAFETY_BOUNDS},
{"rule 9: a conversion keeps the low bits", F1("A", 129) ", " F1("C", 129),
 "    for i in range(129):\n"
 "        C[i] = A[T.Cast(\"int32\", T.Cast(\"int8\", i))]\n", .want = VSAFETY_BOUNDS},
{"rule 9: a conversion of what fits", F1("A", 128) ", " F1("C", 128),
 "    for i in range(128):\n"
 "        C[i] = A[T.Cast(\"int32\", T.Cast(\"int8\", i))]\n", .want = VSAFETY_NONE},
{"rule 9: a conversion of a truth", F1("A", 2) ", " F1("C", 8),
 FOR8
 "        C[i] = A[T.Cast(\"int32\", i > 3)]\n", .want = VSAFETY_NONE},
{"rule 9: a condition of if", AC8,
 FOR8
 "        if i * 1000000000 > 5:\n"
 "            C[i] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a condition of if_then_else", AC8,
 FOR8
 "        C[i] = T.if_then_else(i * 1000000000 > 5, A[i], T.float32(0))\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a condition of Select", AC8,
 FOR8
 "        C[i] = T.Select(i * 1000000000 > 5, A[i], T.float32(0))\n", .want = VSAFETY_OVERFLOW},
{"rule 9: below And, Or and Not", AC8,
 FOR8
 "        if T.Or(i < 0, T.Not(T.And(i < 8, i * 1000000000 > 5))):\n"
 "            C[i] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: below likely", AC8,
 FOR8
 "        if T.likely(i * 1000000000 > 5):\n"
 "            C[i] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: an extent", AC8,
 FOR8
 "        for j in range((i * 1000000000) % 2):\n"
 "            C[i] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: where a loop begins", AC8,
 FOR8
 "        for j in range((i * 1000000000) % 2, 2):\n"
 "            C[i] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: an assertion", AC8,
 FOR8
 "        assert (i * 1000000000) % 8 < 8, \"x\"\n"
 "        C[i] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a block's predicate", AC8,
 FOR8
 "        with T.sblock(\"b\"):\n"
 "            vi = T.axis.spatial(8, i)\n"
 "            T.where(i * 1000000000 > 5)\n"
 "            C[vi] = A[vi]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: below minimum and maximum", AC8,
 FOR8
 "        C[i] = A[T.min(T.max(i * 1000000000, 0), 7)]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a loop's last value", "k: T.int32, " AC8,
 "    for i in range(k, k + 2):\n"
 "        C[0] = A[0]\n", .want = VSAFETY_OVERFLOW},
/* ---- through memory */
{"rule 9: through memory", I1("X", 8) ", " AC8,
 "    B = T.alloc_buffer((1,), \"int32\")\n"
 FOR8
 "        B[0] = X[i] * 65537\n"
 "        C[i] = A[B[0] % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    C[0] = A[0]\n"},
{"rule 9: through memory in a narrow type", "X: T.Buffer((8,), \"int8\"), " AC8,
 "    B = T.alloc_buffer((1,), \"int8\")\n"
 FOR8
 "        B[0] = X[i] * T.int8(77)\n"
 "        C[i] = A[T.Cast(\"int32\", B[0] % T.int8(8))]\n", .want = VSAFETY_NONE},
{"rule 9: the bounds of what a buffer holds are its type's", F1("A", 8) ", X: T.Buffer((8,), \"uint8\"), " F1("C", 8),
 FOR8
 "        C[i] = A[T.Cast(\"int32\", X[i]) // 32]\n", .want = VSAFETY_NONE},
{"rule 9: and no less", F1("A", 8) ", X: T.Buffer((8,), \"uint8\"), " F1("C", 8),
 FOR8
 "        C[i] = A[T.Cast(\"int32\", X[i]) // 31]\n", .want = VSAFETY_BOUNDS,
 .untuned = "    C[0] = A[0]\n"},
/* ---- only the chosen operand reaches what the whole reaches */
{"rule 9: the arm of Select that is not chosen", AC8,
 FOR8
 "        C[i] = A[T.Select(i < 2, (i * " GIGA ") % 8, 0)]\n", .want = VSAFETY_NONE},
{"rule 9: the arm of Select that is chosen", AC8,
 FOR8
 "        C[i] = A[T.Select(i < 3, (i * " GIGA ") % 8, 0)]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: the other arm of Select", AC8,
 FOR8
 "        C[i] = A[T.Select(i >= 2, 0, (i * " GIGA ") % 8)]\n", .want = VSAFETY_NONE},
{"rule 9: the other arm of Select, one too many", AC8,
 FOR8
 "        C[i] = A[T.Select(i >= 3, 0, (i * " GIGA ") % 8)]\n", .want = VSAFETY_OVERFLOW},
{"rule 8: a division in the arm that is not chosen", AC8,
 FOR8
 "        C[i] = T.Select(i > 0, T.Cast(\"float32\", 7 // i), A[i])\n", .want = VSAFETY_DIVISION},
{"rule 8: a division in the arm that is not evaluated", AC8,
 FOR8
 "        C[i] = T.if_then_else(i > 0, T.Cast(\"float32\", 7 // i), A[i])\n", .want = VSAFETY_NONE},
{"rule 8: a division in the arm that is", AC8,
 FOR8
 "        C[i] = T.if_then_else(i > 0, A[i], T.Cast(\"float32\", 7 // i))\n", .want = VSAFETY_DIVISION},
{"an index of a Select", AC8,
 FOR8
 "        C[i] = A[T.Select(i < 4, i + 4, i - 4)]\n", .want = VSAFETY_NONE},
{"an index of a Select, the condition one off", AC8,
 FOR8
 "        C[i] = A[T.Select(i < 5, i + 4, i - 4)]\n", .want = VSAFETY_BOUNDS},
{"an index of a Select, one off at the other end", AC8,
 FOR8
 "        C[i] = A[T.Select(i < 3, i + 4, i - 4)]\n", .want = VSAFETY_BOUNDS},
/* ---- variables */
{"rule 7: a variable that nobody uses", AC8,
 FOR8
 "        k: T.let[T.int32] = i * 1000000000\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE},
{"rule 7: a variable that divides by zero, used or not", AC8,
 FOR8
 "        k: T.let[T.int32] = 7 // i\n"
 "        C[i] = A[i]\n", .want = VSAFETY_DIVISION},
{"rule 9: a variable as data", I1("C", 8),
 FOR8
 "        k: T.let[T.int32] = i * 1000000000\n"
 "        C[i] = k\n", .want = VSAFETY_NONE},
{"rule 9: a variable as an address", AC8,
 FOR8
 "        k: T.let[T.int32] = i * 1000000000\n"
 "        C[i] = A[k % 8]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a variable as an address where it fits", AC8,
 FOR8
 "        k: T.let[T.int32] = i * 1000000000\n"
 "        if i < 3:\n"
 "            C[i] = A[k % 8]\n", .want = VSAFETY_NONE},
{"rule 9: a variable as an address where it fits, and where not", AC8,
 FOR8
 "        k: T.let[T.int32] = i * 1000000000\n"
 "        if i < 3:\n"
 "            C[i] = A[k % 8]\n"
 "        if i < 4:\n"
 "            C[i] = A[k % 8]\n", .want = VSAFETY_OVERFLOW},
{"rule 9: a variable as data, then as a divisor", I1("B", 8) ", " I1("C", 8),
 FOR8
 "        k: T.let[T.int32] = i * 1000000000 + 1\n"
 "        B[i] = k\n"
 "        C[i] = 7 // k\n", .want = VSAFETY_OVERFLOW},
{"rule 9: one expression as data and as an address", I1("X", 16) ", " I1("A", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = X[i] * 65537 + A[(X[i] * 65537) % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    C[0] = A[0]\n"},
{"a let's bounds are its value's", AC8,
 FOR8
 "        k: T.let[T.int32] = 7 - i\n"
 "        C[k] = A[k]\n", .want = VSAFETY_NONE},
{"a let's bounds, one off", AC8,
 FOR8
 "        k: T.let[T.int32] = 8 - i\n"
 "        C[k] = A[i]\n", .want = VSAFETY_BOUNDS},
{"a scalar parameter is any number", "k: T.int32, " AC8,
 "    C[0] = A[k]\n", .want = VSAFETY_BOUNDS},
{"a scalar parameter within its loop", "k: T.int32, " AC8,
 "    if T.And(k >= 0, k < 8):\n"
 "        C[0] = A[k]\n", .want = VSAFETY_NONE},
/* ---- sizes */
{"a size and what is below it fit, up to 2^30", AC,
 AC_N  "    for i in range(k):\n"
 "        C[i] = A[(i + k) % k]\n", .want = VSAFETY_NONE, .assumes = "sizes"},
{"twice a size fits not", AC,
 AC_N  "    C[0] = A[(k + k) % k]\n", .want = VSAFETY_OVERFLOW},
{"twice a size but one fits", AC,
 AC_N  "    C[0] = A[(k + (k - 1)) % k]\n", .want = VSAFETY_NONE},
{"a size is at least 1", AN ", " CN,
 "    C[n - 1] = A[0]\n", .want = VSAFETY_NONE},
{"and may be no more", AN ", " CN,
 "    C[1] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a parameter's elements go to 2^30", AC,
 "    k = T.int32()\n"
 "    l = T.int32()\n"
 "    A = T.match_buffer(a, (k, l), \"float32\")\n"
 "    C = T.match_buffer(c, (k, l), \"float32\")\n"
 "    for i in range(k):\n"
 "        for j in range(l):\n"
 "            if i * l + j >= 0:\n"
 "                C[i, j] = A[i, j]\n", .want = VSAFETY_NONE},
{"the product of sizes of two parameters does not", AC,
 "    k = T.int32()\n"
 "    l = T.int32()\n"
 "    A = T.match_buffer(a, (k,), \"float32\")\n"
 "    C = T.match_buffer(c, (l,), \"float32\")\n"
 "    for i in range(k):\n"
 "        for j in range(l):\n"
 "            if i * l + j >= 0:\n"
 "                C[j] = A[i]\n", .want = VSAFETY_OVERFLOW},
{"rows of a flat parameter", "X: T.Buffer((n,), \"float32\"), Y: T.Buffer((m,), \"float32\"), A: T.Buffer((n * m,), \"float32\"), C: T.Buffer((n * m,), \"float32\")",
 "    for i in range(n):\n"
 "        for j in range(m):\n"
 "            C[i * m + j] = A[i * m + j]\n", .want = VSAFETY_NONE},
{"rows of a flat parameter, one further on", "X: T.Buffer((n,), \"float32\"), Y: T.Buffer((m,), \"float32\"), A: T.Buffer((n * m,), \"float32\"), C: T.Buffer((n * m,), \"float32\")",
 "    for i in range(n):\n"
 "        for j in range(m):\n"
 "            C[i * m + j] = A[i * m + j + 1]\n", .want = VSAFETY_BOUNDS},
{"rows of a flat parameter, one too many", "X: T.Buffer((n,), \"float32\"), Y: T.Buffer((m,), \"float32\"), A: T.Buffer((n * m,), \"float32\"), C: T.Buffer((n * m,), \"float32\")",
 "    for i in range(n + 1):\n"
 "        for j in range(m):\n"
 "            C[i * m + j] = T.float32(0)\n", .want = VSAFETY_BOUNDS},
{"rows of a flat parameter, one before", "X: T.Buffer((n,), \"float32\"), Y: T.Buffer((m,), \"float32\"), A: T.Buffer((n * m,), \"float32\"), C: T.Buffer((n * m,), \"float32\")",
 "    for i in range(n):\n"
 "        for j in range(m):\n"
 "            C[(i - 1) * m + j] = T.float32(0)\n", .want = VSAFETY_BOUNDS},
{"rows of less than nothing", "X: T.Buffer((n,), \"float32\"), Y: T.Buffer((m,), \"float32\"), A: T.Buffer((n * m,), \"float32\"), C: T.Buffer((n * m,), \"float32\")",
 "    for i in range(n):\n"
 "        C[i * (m - 2)] = T.float32(0)\n", .want = VSAFETY_BOUNDS},
{"an assertion on sizes below a condition", I1("X", 8) ", " AN ", " CN,
 "    if X[0] > 0:\n"
 "        assert n % 8 == 0, \"x\"\n"
 "    for i in range(n):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_ASSERT},
{"an assertion on sizes is given", AN ", " CN,
 "    assert n % 8 == 0, \"x\"\n"
 "    for i in range(n // 8 * 8):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE, .assumes = "sizes assertion",
 .untuned = "    assert n % 8 == 0, \"x\"\n"
            "    for i in range(n):\n"
            "        C[i] = A[i]\n"},
/* ---- divisors */
{"rule 9: INT_MIN / -1", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = X[i] // -1\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = X[i]\n"},
{"rule 9: INT_MIN / -2", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = X[i] // -2\n", .want = VSAFETY_NONE},
{"rule 9: by -1, of what is not INT_MIN", I1("C", 8),
 FOR8
 "        C[i] = i // -1\n", .want = VSAFETY_NONE},
{"rule 9: by -1, of int8", "X: T.Buffer((8,), \"int8\"), C: T.Buffer((8,), \"int8\")",
 FOR8
 "        C[i] = T.truncdiv(X[i], T.int8(-1))\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = X[i]\n"},
{"rule 9: by 0 amid the range", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = 100 // (i - 4)\n", .want = VSAFETY_DIVISION},
{"rule 9: by 0 at the end of the range", I1("C", 8),
 FOR8
 "        C[i] = 100 // (i - 7)\n", .want = VSAFETY_DIVISION},
{"rule 9: by less than 0", I1("C", 8),
 FOR8
 "        C[i] = 100 // (i - 8)\n", .want = VSAFETY_NONE},
{"rule 9: INT_MIN by less than 0", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = X[i] // (i - 8)\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = X[i]\n"},
{"rule 9: INT_MIN by less than -1", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = X[i] // (i - 9)\n", .want = VSAFETY_NONE},
{"rule 9: a remainder by 0", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = X[i] % i\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = X[i]\n"},
{"rule 9: truncating ones by 0", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = T.truncmod(X[i], i) + T.truncdiv(X[i], i)\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = X[i]\n"},
{"rule 9: an element that may be 0", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = 100 // X[i]\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = X[i]\n"},
{"rule 9: an element that the untuned program divides by", I1("X", 8) ", " I1("C", 8),
 "    for j in range(8):\n"
 "        C[7 - j] = 100 // X[7 - j]\n", .want = VSAFETY_NONE, .assumes = "untuned",
 .untuned = FOR8 "        C[i] = 100 // X[i]\n"},
{"rule 9: one more than it", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        C[i] = 100 // (X[i] + 1)\n", .want = VSAFETY_OVERFLOW,
 .untuned = FOR8 "        C[i] = 100 // X[i]\n"},
{"rule 9: one more than it, where it fits", I1("X", 8) ", " I1("C", 8),
 FOR8
 "        if X[i] < 100:\n"
 "            if X[i] > -100:\n"
 "                C[i] = 100 // (X[i] + 1)\n", .want = VSAFETY_DIVISION,
 .untuned = FOR8 "        C[i] = 100 // X[i]\n"},
/* ---- quotients, remainders, minima, bits as indices */
{"an index that is a quotient by a variable", AC8,
 FOR8
 "        for j in range(8):\n"
 "            C[i // (j + 1)] = A[i % (j + 1)]\n", .want = VSAFETY_NONE},
{"a quotient of a negative number", AC8,
 FOR8
 "        for j in range(8):\n"
 "            C[(i - 1) // (j + 1)] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a remainder by one variable too many", AC8,
 FOR16
 "        for j in range(9):\n"
 "            C[i % (j + 1)] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a truncated remainder of a negative number", AC8,
 FOR8
 "        C[T.truncmod(i - 1, 8)] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a truncated remainder by a variable of a negative number", AC8,
 FOR8
 "        for j in range(8):\n"
 "            C[T.truncmod(i - 1, j + 1)] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a floored remainder of a negative number", AC8,
 FOR8
 "        C[(i - 5) % 8] = A[i]\n", .want = VSAFETY_NONE},
{"a floored quotient of a negative number", AC8,
 FOR8
 "        C[(i - 1) // 8 + 1] = A[0]\n", .want = VSAFETY_NONE},
{"a floored quotient of a negative number is below 0", AC8,
 FOR8
 "        C[(i - 1) // 8] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a minimum and a maximum clip", AC8,
 FOR16
 "        C[T.max(T.min(i - 4, 7), 0)] = A[0]\n", .want = VSAFETY_NONE},
{"a minimum one too large", AC8,
 FOR16
 "        C[T.max(T.min(i - 4, 8), 0)] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a maximum one too small", AC8,
 FOR16
 "        C[T.max(T.min(i - 4, 7), -1)] = A[0]\n", .want = VSAFETY_BOUNDS},
{"a minimum of data clips one end", I1("X", 16) ", " AC8,
 "    C[T.min(X[0], 7)] = A[0]\n", .want = VSAFETY_BOUNDS, .untuned = "    C[0] = A[0]\n"},
{"a maximum of data clips the other", I1("X", 16) ", " AC8,
 "    C[T.max(X[0], 0)] = A[0]\n", .want = VSAFETY_BOUNDS, .untuned = "    C[0] = A[0]\n"},
{"both of data", I1("X", 16) ", " AC8,
 "    C[T.min(T.max(X[0], 0), 7)] = A[0]\n", .want = VSAFETY_NONE},
{"a mask of a negative number", AC8,
 FOR16
 "        C[T.bitwise_and(i - 9, 7)] = A[0]\n", .want = VSAFETY_NONE},
{"a mask of two negative numbers", AC8,
 FOR8
 "        C[T.bitwise_and(i - 4, i - 5)] = A[0]\n", .want = VSAFETY_NONE, .not_read = true},
{"a mask of data", I1("X", 16) ", " AC8,
 "    C[T.bitwise_and(X[0], 7)] = A[0]\n", .want = VSAFETY_NONE},
{"a mask of data, a bit too long", I1("X", 16) ", " AC8,
 "    C[T.bitwise_and(X[0], 15)] = A[0]\n", .want = VSAFETY_BOUNDS, .untuned = "    C[0] = A[0]\n"},
{"swizzled", AC8,
 FOR8
 "        C[T.bitwise_xor(i, 5)] = A[0]\n", .want = VSAFETY_NONE},
{"swizzled out of it", AC8,
 FOR8
 "        C[T.bitwise_xor(i, 8)] = A[0]\n", .want = VSAFETY_BOUNDS},
/* ---- shifts */
{"rule 10: counts below the width", AC8,
 "    for i in range(32):\n"
 "        if T.shift_right(7, i) > 0:\n"
 "            C[0] = A[0]\n", .want = VSAFETY_NONE},
{"rule 10: the width", AC8,
 "    for i in range(33):\n"
 "        C[T.shift_right(7, i) % 8] = A[0]\n", .want = VSAFETY_UNDEFINED},
{"rule 10: less than 0", AC8,
 "    for i in range(31):\n"
 "        C[T.shift_right(7, i - 1) % 8] = A[0]\n", .want = VSAFETY_UNDEFINED},
{"rule 10: as data it harms nobody here", I1("C", 64),
 "    for i in range(64):\n"
 "        C[i] = T.shift_right(7, i)\n", .want = VSAFETY_NONE},
{"rule 10: in a condition", AC8,
 "    for i in range(33):\n"
 "        if T.shift_right(7, i) > 0:\n"
 "            C[0] = A[0]\n", .want = VSAFETY_UNDEFINED},
{"rule 10: a float as an index", F1("X", 8) ", " AC8,
 FOR8
 "        C[i] = A[T.min(T.max(T.Cast(\"int32\", X[i]), 0), 7)]\n", .want = VSAFETY_UNDEFINED,
 .untuned = FOR8 "        C[i] = A[i]\n"},
{"rule 10: a float as an index of the untuned program", F1("X", 8) ", " AC8,
 FOR8
 "        C[i] = A[T.min(T.max(T.Cast(\"int32\", X[i]), 0), 7)]\n", .want = VSAFETY_NONE,
 .assumes = "untuned defined",
 .untuned = FOR8 "        C[i] = A[T.min(T.max(T.Cast(\"int32\", X[i]), 0), 7)]\n"},
{"rule 10: a comparison of floats from integers", F1("X", 8) ", " AC8,
 FOR8
 "        if T.Cast(\"float32\", T.Cast(\"int32\", X[i])) < T.float32(4):\n"
 "            C[i] = A[i]\n", .want = VSAFETY_UNDEFINED,
 .untuned = FOR8 "        C[i] = A[i]\n"},
/* ---- indices that are data: the address, then the row */
{"an index that the untuned program reads by", "A: T.Buffer((4, 4), \"float32\"), " I1("X", 8) ", " F1("C", 8),
 FOR8
 "        C[i] = A[X[i], 3]\n", .want = VSAFETY_NONE, .assumes = "untuned",
 .untuned = FOR8 "        C[i] = A[X[i], 3]\n"},
{"its last element, not its first", "A: T.Buffer((4, 4), \"float32\"), " I1("X", 8) ", " F1("C", 8),
 FOR8
 "        C[i] = A[X[i] + 1, 0]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[X[i], 3]\n"},
{"as a column", "A: T.Buffer((4, 4), \"float32\"), " I1("X", 8) ", " F1("C", 8),
 FOR8
 "        C[i] = A[3, X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[0, X[i]]\n"},
{"of another parameter", I1("X", 8) ", " I1("Y", 8) ", " AC8,
 FOR8
 "        C[i] = A[Y[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[X[i]]\n"},
{"every other element of it", I1("X", 16) ", " AC8,
 FOR8
 "        C[i] = A[X[i * 2]]\n", .want = VSAFETY_NONE,
 .untuned = FOR16 "        if i < 8:\n            C[i] = A[X[i * 2]]\n"},
{"the elements between", I1("X", 16) ", " AC8,
 FOR8
 "        C[i] = A[X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[X[i * 2]]\n"},
{"beyond the last one read", I1("X", 16) ", " F1("A", 8) ", " F1("C", 16),
 FOR16
 "        C[i] = A[X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[X[i]]\n"},
{"into a smaller buffer", I1("X", 8) ", " F1("A", 8) ", " F1("B", 7) ", " F1("C", 8),
 FOR8
 "        C[i] = B[X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[X[i]]\n"},
{"into a larger buffer", I1("X", 8) ", " F1("A", 8) ", " F1("B", 9) ", " F1("C", 8),
 FOR8
 "        C[i] = B[X[i] + 1]\n", .want = VSAFETY_NONE,
 .untuned = FOR8 "        C[i] = A[X[i]]\n"},
{"the sum of two elements", I1("X", 8) ", " AC8,
 FOR8
 "        C[i] = A[(X[i] + X[7 - i]) % 8]\n", .want = VSAFETY_NONE, .assumes = "untuned fit",
 .untuned = FOR8 "        C[i] = A[(X[i] + X[7 - i]) % 8]\n"},
{"the sum of other elements", I1("X", 8) ", " AC8,
 FOR8
 "        C[i] = A[(X[i] + X[i]) % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = FOR8 "        C[i] = A[(X[i] + X[7 - i]) % 8]\n"},
{"the product of the same elements", I1("X", 8) ", " AC8,
 FOR8
 "        C[i] = A[(X[i] * X[7 - i]) % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = FOR8 "        C[i] = A[(X[i] + X[7 - i]) % 8]\n"},
{"a product of data", I1("X", 8) ", " AC8,
 "    for j in range(4):\n"
 "        C[j] = A[(X[j] * X[j + 4]) % 8]\n", .want = VSAFETY_NONE, .assumes = "untuned fit",
 .untuned = "    for j in range(4):\n        C[j] = A[(X[j] * X[j + 4]) % 8]\n"},
{"a product of data, one row more", I1("X", 16) ", " AC8,
 "    for j in range(5):\n"
 "        C[j] = A[(X[j] * X[j + 4]) % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    for j in range(4):\n        C[j] = A[(X[j] * X[j + 4]) % 8]\n"},
{"a product of other data", I1("X", 16) ", " AC8,
 "    for j in range(4):\n"
 "        C[j] = A[(X[j] * X[j + 3]) % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    for j in range(4):\n        C[j] = A[(X[j] * X[j + 4]) % 8]\n"},
{"a product over a loop", I1("X", 8) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    L[0] = 1\n"
 "    for k in range(4):\n"
 "        L[0] = L[0] * X[k]\n"
 "    C[0] = A[L[0] % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    C[0] = A[0]\n"},
{"a sum over a loop", I1("X", 8) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    L[0] = 1\n"
 "    for k in range(4):\n"
 "        L[0] = L[0] + X[k]\n"
 "    C[0] = A[L[0] % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned = "    C[0] = A[0]\n"},
{"a maximum over a loop", I1("X", 8) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    L[0] = 1\n"
 "    for k in range(4):\n"
 "        L[0] = T.max(L[0], X[k])\n"
 "    C[0] = A[L[0] % 8]\n", .want = VSAFETY_NONE,
 .untuned = "    C[0] = A[0]\n"},
{"a shift to the right by data through memory", I1("X", 8) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    L[0] = T.shift_right(X[0], X[1])\n"
 "    C[0] = A[L[0] % 8]\n", .want = VSAFETY_UNDEFINED,
 .untuned = "    C[0] = A[0]\n"},
{"a shift to the right by a constant through memory", I1("X", 8) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    L[0] = T.shift_right(X[0], 31)\n"
 "    C[0] = A[L[0] % 8]\n", .want = VSAFETY_NONE,
 .untuned = "    C[0] = A[0]\n"},
{"a product of data through memory", I1("X", 16) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    for j in range(4):\n"
 "        L[0] = X[j] * X[j + 4]\n"
 "        C[j] = A[L[0] % 8]\n", .want = VSAFETY_NONE, .assumes = "untuned fit",
 .untuned =
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    for j in range(4):\n"
 "        L[0] = X[j] * X[j + 4]\n"
 "        C[j] = A[L[0] % 8]\n"},
{"a product of data through memory, one row more", I1("X", 16) ", " AC8,
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    for j in range(5):\n"
 "        L[0] = X[j] * X[j + 4]\n"
 "        C[j] = A[L[0] % 8]\n", .want = VSAFETY_OVERFLOW,
 .untuned =
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    for j in range(4):\n"
 "        L[0] = X[j] * X[j + 4]\n"
 "        C[j] = A[L[0] % 8]\n"},
{"what the tuned program says of data counts for nothing", I1("X", 8) ", " AC8,
 FOR8
 "        C[i] = A[X[i]]\n"
 "        C[i] = A[X[i]]\n", .want = VSAFETY_BOUNDS,
 .untuned = FOR8 "        C[i] = A[i]\n"},
{"what a let of the untuned program reaches under a condition is no fact without it",
 I1("X", 8) ", " AC8,
 FOR8
 "        if X[i] * 2 >= 0 and X[i] * 2 < 8:\n"
 "            C[i] = A[X[i] * 2]\n", .want = VSAFETY_OVERFLOW,
 .untuned = FOR8
 "        k: T.let[T.int32] = X[i] * 2\n"
 "        if X[i] >= 0 and X[i] < 4:\n"
 "            C[i] = A[k]\n"},
{"what it reaches everywhere is one", I1("X", 8) ", " AC8,
 FOR8
 "        if X[i] * 2 >= 0 and X[i] * 2 < 8:\n"
 "            C[i] = A[X[i] * 2]\n", .want = VSAFETY_NONE,
 .untuned = FOR8
 "        k: T.let[T.int32] = X[i] * 2\n"
 "        if k >= 0 and k < 8:\n"
 "            C[i] = A[k]\n"},
{"a loop up to a maximum", AC, AC_N
 "    for i in range(T.max(k, 4)):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_BOUNDS},
{"a loop up to a minimum", AC, AC_N
 "    for i in range(T.min(k, 4)):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE},
{"a loop up to a maximum that is not reached", AC, AC_N
 "    for i in range(T.max(k, 1)):\n"
 "        C[i] = A[i]\n", .want = VSAFETY_NONE},
{"a large shape that is given is no assumption",
 AC ", B: T.Buffer((2000000000,), \"float32\")", AC_N
 "    for i in range(k):\n"
 "        C[i + 1] = A[i]\n", .want = VSAFETY_BOUNDS},
{"an assertion on data of the tuned program", I1("X", 8) ", " AC8,
 FOR8
 "        assert X[i] < 8, \"x\"\n"
 "        C[i] = A[i]\n", .want = VSAFETY_ASSERT,
 .untuned = FOR8 "        C[i] = A[i]\n"},
};
// clang-format on

int main(void)
{
    return safety_main(cases, DC_ARRAY_LEN(cases));
}
