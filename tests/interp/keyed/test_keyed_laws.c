/* SPDX-License-Identifier: Apache-2.0
 *
 * Laws that change bits: order of combination (docs/semantics.md F8 and F9;
 * interp/domains/ac.c) and real numbers (F10 to F12; field.c), each beside
 * what must stay different.
 */
#include "tests/interp/keyed/keyed_case.h"

#define XYZ(t, out)                                        \
    "X: T.Buffer((1,), \"" t "\"), Y: T.Buffer((1,), \"" t \
    "\"), Z: T.Buffer((1,), \"" t "\"), C: T.Buffer((1,), \"" out "\")"
#define F32      XYZ("float32", "float32")
#define IS(expr) "    C[0] = " expr "\n"
#define VECTOR(n)                                            \
    "A: T.Buffer((" n ",), \"float32\"), C: T.Buffer((1,), " \
    "\"float32\")"
#define HALVES                                           \
    "A: T.Buffer((4,), \"float16\"), C: T.Buffer((1,), " \
    "\"float32\")"
/* C[0] = combine of C[0] and A[i], from `init`, over a loop's i. */
#define FOLD(init, n, step) \
    "    C[0] = " init "\n    for i in range(" n "):\n        C[0] = " step "\n"
#define WIDE(x) "T.Cast(\"float32\", " x ")"
/* A[0] + … + A[3] in a type of its own. */
#define SUM_IN(t, zero, term)                   \
    "    S = T.alloc_buffer((1,), \"" t "\")\n" \
    "    S[0] = " zero "\n"                     \
    "    for i in range(4):\n"                  \
    "        S[0] = S[0] + " term "\n"          \
    "    C[0] = T.Cast(\"float32\", S[0])\n"
#define SOFTMAX(shift)                             \
    "    M = T.alloc_buffer((1,), \"float32\")\n"  \
    "    Z = T.alloc_buffer((1,), \"float32\")\n"  \
    "    M[0] = T.float32(\"-inf\")\n"             \
    "    for i in range(4):\n"                     \
    "        M[0] = T.max(M[0], A[i])\n"           \
    "    Z[0] = T.float32(0)\n"                    \
    "    for i in range(4):\n"                     \
    "        Z[0] = Z[0] + T.exp(A[i]" shift ")\n" \
    "    C[0] = T.exp(A[1]" shift ") / Z[0]\n"
#define ONLINE                                                        \
    "    M = T.alloc_buffer((2,), \"float32\")\n"                     \
    "    Z = T.alloc_buffer((1,), \"float32\")\n"                     \
    "    M[0] = T.float32(\"-inf\")\n"                                \
    "    Z[0] = T.float32(0)\n"                                       \
    "    for i in range(4):\n"                                        \
    "        M[1] = T.max(M[0], A[i])\n"                              \
    "        Z[0] = Z[0] * T.exp(M[0] - M[1]) + T.exp(A[i] - M[1])\n" \
    "        M[0] = M[1]\n"                                           \
    "    C[0] = T.exp(A[1] - M[0]) / Z[0]\n"

// clang-format off
static const struct keyed_case cases[] = {
/* F8: sums and products in another order */
{"a sum backwards", VECTOR("5"), FOLD("T.float32(0)", "5", "C[0] + A[i]"),
 FOLD("T.float32(0)", "5", "C[0] + A[4 - i]"), .want = "/==="},
{"a sum in two halves", VECTOR("4"),
 FOLD("T.float32(0)", "4", "C[0] + A[i]"),
 IS("A[0] + A[1] + (A[2] + A[3])"), .want = "/==="},
{"a sum without one term", VECTOR("5"),
 FOLD("T.float32(0)", "5", "C[0] + A[i]"),
 FOLD("T.float32(0)", "4", "C[0] + A[i]"), .want = "////"},
{"a sum with one term twice", VECTOR("5"),
 FOLD("T.float32(0)", "5", "C[0] + A[i]"),
 FOLD("A[2]", "5", "C[0] + A[i]"), .want = "////"},
{"a sum from 1", VECTOR("5"), FOLD("T.float32(0)", "5", "C[0] + A[i]"),
 FOLD("T.float32(1)", "5", "C[0] + A[i]"), .want = "////"},
{"a product from 1, backwards", VECTOR("5"),
 FOLD("T.float32(1)", "5", "C[0] * A[i]"),
 FOLD("A[4]", "4", "A[3 - i] * C[0]"), .want = "/==="},
{"a product without one factor", VECTOR("5"),
 FOLD("T.float32(1)", "5", "C[0] * A[i]"),
 FOLD("T.float32(1)", "4", "A[i] * C[0]"), .want = "////"},
{"a sum against a maximum", VECTOR("5"),
 FOLD("A[0]", "5", "C[0] + A[i]"), FOLD("A[0]", "5", "T.max(C[0], A[i])"),
 .want = "////"},
{"a sum against a product", VECTOR("5"),
 FOLD("A[0]", "5", "C[0] + A[i]"), FOLD("A[0]", "5", "C[0] * A[i]"),
 .want = "////"},
{"a minimum against a maximum", VECTOR("5"),
 FOLD("A[0]", "5", "T.min(C[0], A[i])"),
 FOLD("A[0]", "5", "T.max(C[0], A[i])"), .want = "////"},
{"a maximum, then a term; a term, then a maximum", F32,
 IS("T.max(X[0], Y[0]) + Z[0]"), IS("T.max(X[0], Y[0] + Z[0])"),
 .want = "////"},
{"max and then + against + and then max", F32,
 "    C[0] = X[0]\n    C[0] = T.max(C[0], Y[0])\n    C[0] = C[0] + Z[0]\n",
 "    C[0] = X[0]\n    C[0] = C[0] + Z[0]\n    C[0] = T.max(C[0], Y[0])\n",
 .want = "////"},
{"max(a b, c) is not max(a, b) c", F32, IS("T.max(X[0] * Y[0], Z[0])"),
 IS("T.max(X[0], Y[0]) * Z[0]"), .want = "////"},
{"min(max(a, b), c) is not max(min(a, b), c)", F32,
 IS("T.min(T.max(X[0], Y[0]), Z[0])"), IS("T.max(T.min(X[0], Y[0]), Z[0])"),
 .want = "////"},
{"x under max in another order", F32, IS("T.max(X[0] * Y[0], Z[0])"),
 IS("T.max(X[0], Z[0]) * T.max(Y[0], Z[0])"), .want = "////"},
{"a - (b + c) is not a - b - c by order alone", F32,
 IS("X[0] - (Y[0] + Z[0])"), IS("X[0] - Y[0] - Z[0]"), .want = "//=="},
{"terms with signs in another order", F32, IS("X[0] - Y[0] - Z[0]"),
 IS("T.float32(-1) * Z[0] + X[0] - Y[0]"), .want = "/==="},
{"a sign lost", F32, IS("X[0] - Y[0] + Z[0]"), IS("X[0] + Y[0] + Z[0]"),
 .want = "////"},
{"a x (-1) x b in another order", F32, IS("X[0] * T.float32(-1) * Y[0]"),
 IS("T.float32(-1) * (X[0] * Y[0])"), .want = "//=="},
/* F8: minima and maxima */
{"a maximum backwards", VECTOR("5"),
 FOLD("T.float32(\"-inf\")", "5", "T.max(C[0], A[i])"),
 FOLD("T.float32(\"-inf\")", "5", "T.max(A[4 - i], C[0])"), .want = "/===",
 .assumed = INTERP_NON_NAN},
{"a maximum without one term", VECTOR("5"),
 FOLD("T.float32(\"-inf\")", "5", "T.max(C[0], A[i])"),
 FOLD("T.float32(\"-inf\")", "4", "T.max(C[0], A[i])"), .want = "////"},
{"a repeated term under max, another one dropped", VECTOR("3"),
 IS("T.max(T.max(A[0], A[1]), A[1])"), IS("T.max(T.max(A[0], A[1]), A[2])"),
 .want = "////"},
{"a repeated term under max (idempotence is not known)", VECTOR("2"),
 IS("T.max(T.max(A[0], A[1]), A[0])"), IS("T.max(A[0], A[1])"),
 .want = "//.."},
{"a maximum of 0 and the terms", VECTOR("3"),
 FOLD("T.float32(\"-inf\")", "3", "T.max(C[0], A[i])"),
 FOLD("T.float32(0)", "3", "T.max(C[0], A[i])"), .want = "////"},
{"the lowest finite value is no unit", VECTOR("3"),
 FOLD("T.float32(\"-inf\")", "3", "T.max(C[0], A[i])"),
 FOLD("T.float32(-3.4028234663852886e38)", "3", "T.max(C[0], A[i])"),
 .want = "//=="},
{"the lowest finite value as a unit, in range", VECTOR("3"),
 FOLD("T.float32(\"-inf\")", "3", "T.max(C[0], A[i])"),
 FOLD("T.float32(-3.4028234663852886e38)", "3", "T.max(C[0], A[i])"),
 .want = "/===", .relaxed = true,
 .assumed = INTERP_NON_NAN | INTERP_IN_RANGE},
{"the lowest finite value is no unit of min", VECTOR("3"),
 FOLD("T.float32(\"inf\")", "3", "T.min(C[0], A[i])"),
 FOLD("T.float32(-3.4028234663852886e38)", "3", "T.min(C[0], A[i])"),
 .want = "////", .relaxed = true},
{"-1e38 is no unit of max", VECTOR("3"),
 FOLD("T.float32(\"-inf\")", "3", "T.max(C[0], A[i])"),
 FOLD("T.float32(-1e38)", "3", "T.max(C[0], A[i])"), .want = "////",
 .relaxed = true},
{"a < b ? b : a backwards", VECTOR("4"),
 FOLD("A[0]", "4", "T.Select(C[0] < A[i], A[i], C[0])"),
 FOLD("A[3]", "4", "T.max(A[3 - i], C[0])"), .want = "/.==",
 .assumed = INTERP_NON_NAN},
/* F8: dropped terms */
{"0 x a dropped from a sum", VECTOR("4"),
 FOLD("T.float32(0)", "3", "C[0] + A[i]"),
 "    K = T.alloc_buffer((1,), \"float32\")\n    K[0] = T.float32(0)\n"
 FOLD("T.float32(0)", "3", "C[0] + A[i]") IS("C[0] + K[0] * A[3]"),
 .want = "//=="},
{"0 x a dropped from a sum of finite values", VECTOR("4"),
 FOLD("T.float32(0)", "3", "C[0] + A[i]"),
 "    K = T.alloc_buffer((1,), \"float32\")\n    K[0] = T.float32(0)\n"
 FOLD("T.float32(0)", "3", "C[0] + A[i]") IS("C[0] + K[0] * A[3]"),
 .want = "/===", .relaxed = true, .assumed = INTERP_FINITE},
{"0 x a where a may be undefined stays", XYZ("float32", "float32"), IS("X[0]"),
 "    K = T.alloc_buffer((1,), \"float32\")\n    K[0] = T.float32(0)\n"
 IS("X[0] + K[0] * T.Cast(\"float32\", T.Cast(\"int32\", Y[0]))"),
 .want = "//..", .relaxed = true},
/* F9: fma and conversions */
{"fma of exact products in another order", XYZ("float16", "float32"),
 IS("T.fma(" WIDE("X[0]") ", " WIDE("Y[0]") ", " WIDE("Z[0]") ")"),
 IS(WIDE("Z[0]") " + " WIDE("Y[0]") " * " WIDE("X[0]")), .want = "===="},
{"a sum of float16 in float16 and in float32", HALVES,
 SUM_IN("float16", "T.float16(0)", "A[i]"),
 SUM_IN("float32", "T.float32(0)", WIDE("A[i]")), .want = "///="},
{"a sum of float32 made narrower in between", VECTOR("4"),
 SUM_IN("float32", "T.float32(0)", "A[i]"),
 SUM_IN("float64", "T.float64(0)", "T.Cast(\"float64\", A[i])"),
 .want = "///="},
{"rounding after the sum, not before", XYZ("float32", "float16"),
 IS("T.Cast(\"float16\", X[0] + Y[0])"),
 IS("T.Cast(\"float16\", X[0]) + T.Cast(\"float16\", Y[0])"),
 .want = "///="},
{"float16 sums of one type in another order", "A: T.Buffer((3,), \"float16\"),"
 " C: T.Buffer((1,), \"float16\")", IS("A[0] + A[1] + A[2]"),
 IS("A[2] + A[1] + A[0]"), .want = "/==="},
{"a literal of another type is another number", XYZ("float32", "float32"),
 IS("X[0] * T.float32(0.1)"), IS("X[0] * T.Cast(\"float32\", T.float16(0.1))"),
 .want = "////"},
/* F10: fields */
{"a / b is a x (1 / b)", F32, IS("X[0] / Y[0]"),
 IS("X[0] * (T.float32(1) / Y[0])"), .want = "//=="},
{"a / b is not a x b", F32, IS("X[0] / Y[0]"), IS("X[0] * Y[0]"),
 .want = "////"},
{"a / b / c is a / (b c)", F32, IS("X[0] / Y[0] / Z[0]"),
 IS("X[0] / (Y[0] * Z[0])"), .want = "//=="},
{"a / b + c / b is (a + c) / b", F32, IS("X[0] / Y[0] + Z[0] / Y[0]"),
 IS("(X[0] + Z[0]) / Y[0]"), .want = "//=="},
{"(a + b)^2", F32, IS("(X[0] + Y[0]) * (X[0] + Y[0])"),
 IS("X[0] * X[0] + T.float32(2) * X[0] * Y[0] + Y[0] * Y[0]"),
 .want = "//=="},
{"(a + b)^2 without its middle", F32, IS("(X[0] + Y[0]) * (X[0] + Y[0])"),
 IS("X[0] * X[0] + Y[0] * Y[0]"), .want = "////"},
{"variance in two ways", VECTOR("2"),
 IS("(A[0] * A[0] + A[1] * A[1]) * T.float32(0.5) -"
    " (A[0] + A[1]) * T.float32(0.5) * ((A[0] + A[1]) * T.float32(0.5))"),
 IS("((A[0] - (A[0] + A[1]) * T.float32(0.5)) * (A[0] - (A[0] + A[1]) *"
    " T.float32(0.5)) + (A[1] - (A[0] + A[1]) * T.float32(0.5)) * (A[1] -"
    " (A[0] + A[1]) * T.float32(0.5))) * T.float32(0.5)"), .want = "//=="},
{"pow(a, 3) is a a a", F32, IS("T.pow(X[0], T.float32(3))"),
 IS("X[0] * X[0] * X[0]"), .want = "//=="},
{"pow(a, 3) is not a a", F32, IS("T.pow(X[0], T.float32(3))"),
 IS("X[0] * X[0]"), .want = "////"},
{"pow(a, -2) is 1 / (a a)", F32, IS("T.pow(X[0], T.float32(-2))"),
 IS("T.float32(1) / (X[0] * X[0])"), .want = "//=="},
{"pow(a, 0.5) is sqrt(a)", F32, IS("T.pow(X[0], T.float32(0.5))"),
 IS("T.sqrt(X[0])"), .want = "//=="},
{"pow(a, 2.5) is not a a", F32, IS("T.pow(X[0], T.float32(2.5))"),
 IS("X[0] * X[0]"), .want = "////"},
{"division by what is 0", F32, IS("X[0] / (Y[0] - Y[0])"), IS("X[0]"),
 .want = "//!!", .message = "a division by 0"},
/* F11: exponentials and other functions */
{"exp(a + b) is exp(a) exp(b)", F32, IS("T.exp(X[0] + Y[0])"),
 IS("T.exp(X[0]) * T.exp(Y[0])"), .want = "//=="},
{"exp(a + b) is not exp(a) + exp(b)", F32, IS("T.exp(X[0] + Y[0])"),
 IS("T.exp(X[0]) + T.exp(Y[0])"), .want = "////"},
{"exp(a b) is not exp(a) exp(b)", F32, IS("T.exp(X[0] * Y[0])"),
 IS("T.exp(X[0]) * T.exp(Y[0])"), .want = "////"},
{"exp(-a) is 1 / exp(a)", F32, IS("T.exp(T.float32(-1) * X[0])"),
 IS("T.float32(1) / T.exp(X[0])"), .want = "//=="},
{"exp(2 a) is exp(a)^2", F32, IS("T.exp(T.float32(2) * X[0])"),
 IS("T.exp(X[0]) * T.exp(X[0])"), .want = "//=="},
{"exp(a) is not exp2(a)", F32, IS("T.exp(X[0])"), IS("T.exp2(X[0])"),
 .want = "////"},
{"exp2(a + b) is exp2(a) exp2(b)", F32, IS("T.exp2(X[0] + Y[0])"),
 IS("T.exp2(X[0]) * T.exp2(Y[0])"), .want = "//=="},
{"exp of exp", F32, IS("T.exp(T.exp(X[0]))"), IS("T.exp(X[0])"),
 .want = "////"},
{"softmax with and without the maximum", VECTOR("4"), SOFTMAX(" - M[0]"),
 SOFTMAX(""), .want = "//=="},
{"softmax, shifted in the sum alone", VECTOR("4"), SOFTMAX(" - M[0]"),
 SOFTMAX("") IS("C[0] * T.exp(M[0])"), .want = "////"},
{"online softmax", VECTOR("4"), SOFTMAX(" - M[0]"), ONLINE, .want = "//=="},
{"sigmoid", F32, IS("T.sigmoid(X[0])"),
 IS("T.float32(1) / (T.float32(1) + T.exp(T.float32(0) - X[0]))"),
 .want = "//=="},
{"sigmoid with a sign lost", F32, IS("T.sigmoid(X[0])"),
 IS("T.float32(1) / (T.float32(1) + T.exp(X[0]))"), .want = "////"},
{"tanh by exponentials", F32, IS("T.tanh(X[0])"),
 IS("(T.exp(T.float32(2) * X[0]) - T.float32(1)) /"
    " (T.exp(T.float32(2) * X[0]) + T.float32(1))"), .want = "//=="},
{"tanh by sigmoid", F32, IS("T.tanh(X[0])"),
 IS("T.float32(2) * T.sigmoid(T.float32(2) * X[0]) - T.float32(1)"),
 .want = "//=="},
{"rsqrt", F32, IS("T.rsqrt(X[0])"), IS("T.float32(1) / T.sqrt(X[0])"),
 .want = "//=="},
{"rsqrt is not sqrt", F32, IS("T.rsqrt(X[0])"), IS("T.sqrt(X[0])"),
 .want = "////"},
{"log1p", F32, IS("T.log1p(X[0])"), IS("T.log(T.float32(1) + X[0])"),
 .want = "//=="},
{"equal arguments in another form", F32, IS("T.sin((X[0] + Y[0]) * Z[0])"),
 IS("T.sin(X[0] * Z[0] + Y[0] * Z[0])"), .want = "//=="},
{"sqrt(a) sqrt(a) is not known to be a", F32, IS("T.sqrt(X[0]) * T.sqrt(X[0])"),
 IS("X[0]"), .want = "////"},
/* F12: conversions in fields */
{"float16 inside, float32 outside", XYZ("float32", "float32"),
 IS("X[0] * Y[0]"), IS(WIDE("T.Cast(\"float16\", X[0] * Y[0])")),
 .want = "///="},
{"a conversion through an integer is a function", F32, IS("X[0]"),
 IS(WIDE("T.Cast(\"int32\", X[0])")), .want = "////"},
{"rounding functions are no conversions", F32, IS("X[0]"),
 IS("T.floor(X[0])"), .want = "////"},
{"another operation and another type", XYZ("float16", "float32"),
 IS(WIDE("X[0] + Y[0]")), IS(WIDE("X[0]") " * " WIDE("Y[0]")),
 .want = "////"},
};
// clang-format on

int main(void)
{
    return keyed_main("keyed_laws", cases, DC_ARRAY_LEN(cases));
}
