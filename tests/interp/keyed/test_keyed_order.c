/* SPDX-License-Identifier: Apache-2.0
 *
 * The laws that hold bit for bit (docs/semantics.md F6 and F7; interp/domains/
 * order.c), each beside what it must not be mistaken for. The harness also
 * runs every row marked equal in `order` on pairs of special values.
 */
#include "tests/interp/keyed/keyed_case.h"

/* X, Y, Z of one type, C of another, one element each. */
#define XYZ(t, out)                                        \
    "X: T.Buffer((1,), \"" t "\"), Y: T.Buffer((1,), \"" t \
    "\"), Z: T.Buffer((1,), \"" t "\"), C: T.Buffer((1,), \"" out "\")"
#define F32      XYZ("float32", "float32")
#define IS(expr) "    C[0] = " expr "\n"
/* With K[0] a constant that the reader does not see through: it folds x + 0,
 * x * 1 and the like, as TVM does. */
#define WITH(t, k, expr)                        \
    "    K = T.alloc_buffer((1,), \"" t "\")\n" \
    "    K[0] = " k "\n" IS(expr)
#define ZERO(expr)   WITH("float32", "T.float32(0)", expr)
#define MINUS0(expr) WITH("float32", "T.float32(-0.0)", expr)
#define ONE(expr)    WITH("float32", "T.float32(1)", expr)
#define MINUS1(expr) WITH("float32", "T.float32(-1)", expr)
/* Through a wider type and back. */
#define WIDE(t, w, op)                                                \
    IS("T.Cast(\"" t "\", T.Cast(\"" w "\", X[0]) " op " T.Cast(\"" w \
       "\", Y[0]))")
#define SQRT_WIDE(t, w) IS("T.Cast(\"" t "\", T.sqrt(T.Cast(\"" w "\", X[0])))")

// clang-format off
static const struct keyed_case cases[] = {
/* F6: commutation */
{"+ commutes", F32, IS("X[0] + Y[0]"), IS("Y[0] + X[0]"), .want = "===="},
{"x commutes", F32, IS("X[0] * Y[0]"), IS("Y[0] * X[0]"), .want = "===="},
{"+ is not x", F32, IS("X[0] + Y[0]"), IS("X[0] * Y[0]"), .want = "////"},
{"+ does not associate", F32, IS("X[0] + Y[0] + Z[0]"),
 IS("X[0] + (Y[0] + Z[0])"), .want = "/==="},
{"x does not associate", F32, IS("X[0] * Y[0] * Z[0]"),
 IS("X[0] * (Y[0] * Z[0])"), .want = "/==="},
{"- does not commute", F32, IS("X[0] - Y[0]"), IS("Y[0] - X[0]"), .want = "////"},
{"/ does not commute", F32, IS("X[0] / Y[0]"), IS("Y[0] / X[0]"), .want = "////"},
{"one term is not another", F32, IS("X[0] + Y[0]"), IS("X[0] + Z[0]"),
 .want = "////"},
{"a function of one argument is not of another", F32, IS("T.exp(X[0])"),
 IS("T.exp(Y[0])"), .want = "////"},
{"one function is not another", F32, IS("T.sin(X[0])"), IS("T.cos(X[0])"),
 .want = "////"},
{"pow does not commute", F32, IS("T.pow(X[0], Y[0])"),
 IS("T.pow(Y[0], X[0])"), .want = "////"},
{"atan2 does not commute", F32, IS("T.atan2(X[0], Y[0])"),
 IS("T.atan2(Y[0], X[0])"), .want = "////"},
{"distribution is algebraic", F32, IS("X[0] * (Y[0] + Z[0])"),
 IS("X[0] * Y[0] + X[0] * Z[0]"), .want = "//=="},
/* F6: signs */
{"a - b is a + (-b)", F32, IS("X[0] - Y[0]"),
 IS("X[0] + T.float32(-1) * Y[0]"), .want = "===="},
{"-(-a) is a", F32, IS("T.float32(-1) * (T.float32(-1) * X[0])"), IS("X[0]"),
 .want = "===="},
{"a - (-b) is a + b", F32, IS("X[0] - T.float32(-1) * Y[0]"),
 IS("X[0] + Y[0]"), .want = "===="},
{"-a is not a", F32, IS("T.float32(-1) * X[0]"), IS("X[0]"), .want = "////"},
{"0 - a is not -a (0 - 0)", F32, ZERO("K[0] - X[0]"),
 IS("T.float32(-1) * X[0]"), .want = "/==="},
{"-0 - a is -a", F32, MINUS0("K[0] - X[0]"),
 IS("T.float32(-1) * X[0]"), .want = "===="},
{"b - a is not -(a - b) (1 - 1)", F32, IS("X[0] - Y[0]"),
 IS("T.float32(-1) * (Y[0] - X[0])"), .want = "//=="},
{"a + e - e is not a", F32, IS("X[0] + Y[0] - Y[0]"), IS("X[0]"), .want = "//=="},
{"a - a is not 0 (inf)", F32, IS("X[0] - X[0]"), IS("T.float32(0)"), .want = "//=="},
{"a + a is not a", F32, IS("X[0] + X[0]"), IS("X[0]"), .want = "////"},
{"a + a is 2 a in the reals", F32, IS("X[0] + X[0]"), IS("X[0] * T.float32(2)"),
 .want = "//=="},
/* F6: zeros and ones */
{"a + (-0) is a", F32, MINUS0("X[0] + K[0]"), IS("X[0]"), .want = "===="},
{"a - 0 is a", F32, ZERO("X[0] - K[0]"), IS("X[0]"), .want = "===="},
{"a + 0 is not a (-0)", F32, ZERO("X[0] + K[0]"), IS("X[0]"), .want = "/==="},
{"|a| + 0 is |a|", F32, ZERO("T.abs(X[0]) + K[0]"), IS("T.abs(X[0])"),
 .want = "===="},
{"exp(a) + 0 is exp(a)", F32, ZERO("T.exp(X[0]) + K[0]"),
 IS("T.exp(X[0])"), .want = "===="},
{"sqrt(a) + 0 is not sqrt(a) (-0)", F32, ZERO("T.sqrt(X[0]) + K[0]"),
 IS("T.sqrt(X[0])"), .want = "/==="},
{"sin(a) + 0 is not sin(a) (-0)", F32, ZERO("T.sin(X[0]) + K[0]"),
 IS("T.sin(X[0])"), .want = "/==="},
{"a sum that began with 0 takes no further 0", F32,
 ZERO("K[0] + X[0] + Y[0] + K[0]"),
 ZERO("K[0] + X[0] + Y[0]"), .want = "===="},
{"a sum of maybe -0 takes a 0", F32, ZERO("X[0] + Y[0] + K[0]"),
 IS("X[0] + Y[0]"), .want = "/==="},
{"a product takes a 0 (-1 x 0)", F32, ZERO("X[0] * Y[0] + K[0]"),
 IS("X[0] * Y[0]"), .want = "/==="},
{"a negated sum takes a 0", F32,
 ZERO("T.float32(-1) * (K[0] + X[0]) + K[0]"),
 ZERO("T.float32(-1) * (K[0] + X[0])"), .want = "/==="},
{"a sum made narrower takes a 0 (underflow)", XYZ("float32", "float16"),
 ZERO("T.Cast(\"float16\", K[0] + X[0]) + T.Cast(\"float16\", K[0])"),
 ZERO("T.Cast(\"float16\", K[0] + X[0])"), .want = "/==="},
{"an integer takes no 0", XYZ("int8", "float32"),
 ZERO("T.Cast(\"float32\", X[0]) + K[0]"), IS("T.Cast(\"float32\", X[0])"),
 .want = "===="},
{"1 x a is a", F32, ONE("K[0] * X[0]"), IS("X[0]"), .want = "===="},
{"a / 1 is a", F32, ONE("X[0] / K[0]"), IS("X[0]"), .want = "===="},
{"1 / a is not a", F32, ONE("K[0] / X[0]"), IS("X[0]"), .want = "////"},
{"a / -1 is -a", F32, IS("X[0] / T.float32(-1)"), IS("T.float32(-1) * X[0]"),
 .want = "=.=="},
{"a / 8 is a x 0.125", F32, IS("X[0] / T.float32(8)"),
 IS("X[0] * T.float32(0.125)"), .want = "===="},
{"a / 3 is not a x fl(1/3)", F32, IS("X[0] / T.float32(3)"),
 IS("X[0] * T.float32(0.3333333432674408)"), .want = "////"},
{"float64: a / 3 is not a x fl(1/3), though 3 fl(1/3) is 1",
 XYZ("float64", "float64"), IS("X[0] / T.float64(3)"),
 IS("X[0] * T.float64(0.3333333333333333)"), .want = "////"},
{"a / 2^-149 has no inverse to multiply by", F32,
 IS("X[0] / T.float32(1.401298464324817e-45)"),
 IS("X[0] * T.float32(\"inf\")"), .want = "////"},
{"0 x a is not 0 (inf, -1)", F32, ZERO("K[0] * X[0]"),
 IS("T.float32(0)"), .want = "//=="},
{"a x 2 / 2 is not a (overflow)", F32, IS("X[0] * T.float32(2) / T.float32(2)"),
 IS("X[0]"), .want = "/.=="},
/* rule 12: min, max, comparisons */
{"max is a > b ? a : b", F32, IS("T.max(X[0], Y[0])"),
 IS("T.Select(X[0] > Y[0], X[0], Y[0])"), .want = "====", .assumed = INTERP_NON_NAN},
{"max is b < a ? a : b", F32, IS("T.max(X[0], Y[0])"),
 IS("T.Select(Y[0] < X[0], X[0], Y[0])"), .want = "====", .assumed = INTERP_NON_NAN},
{"max is not a >= b ? a : b (zeros)", F32, IS("T.max(X[0], Y[0])"),
 IS("T.Select(X[0] >= Y[0], X[0], Y[0])"), .want = "////"},
{"min is a < b ? a : b", F32, IS("T.min(X[0], Y[0])"),
 IS("T.Select(X[0] < Y[0], X[0], Y[0])"), .want = "====", .assumed = INTERP_NON_NAN},
{"min is not max", F32, IS("T.min(X[0], Y[0])"), IS("T.max(X[0], Y[0])"),
 .want = "////"},
{"max does not commute (NaN, zeros)", F32, IS("T.max(X[0], Y[0])"),
 IS("T.max(Y[0], X[0])"), .want = "/===", .assumed = INTERP_NON_NAN,
 .gap = "signs of zeros"},
{"max(a, a) is a", F32, IS("T.max(X[0], X[0])"), IS("X[0]"), .want = "=/=="},
{"not a < b is not a >= b (NaN)", F32,
 IS("T.Select(not (X[0] < Y[0]), X[0], Z[0])"),
 IS("T.Select(X[0] >= Y[0], X[0], Z[0])"), .want = "////"},
{"not a == b is a != b", F32, IS("T.Select(not (X[0] == Y[0]), X[0], Z[0])"),
 IS("T.Select(X[0] != Y[0], X[0], Z[0])"), .want = "===="},
{"a == b is b == a", F32, IS("T.Select(X[0] == Y[0], X[0], Z[0])"),
 IS("T.Select(Y[0] == X[0], X[0], Z[0])"), .want = "===="},
{"a == a is not true (NaN)", F32, IS("T.Select(X[0] == X[0], Y[0], Z[0])"),
 IS("Y[0]"), .want = "////"},
{"a < b is not a <= b", F32, IS("T.Select(X[0] < Y[0], X[0], Z[0])"),
 IS("T.Select(X[0] <= Y[0], X[0], Z[0])"), .want = "////"},
{"c ? a : b is !c ? b : a", F32, IS("T.Select(X[0] < Y[0], X[0], Z[0])"),
 IS("T.Select(not (X[0] < Y[0]), Z[0], X[0])"), .want = "===="},
{"c ? a : b is not c ? b : a", F32, IS("T.Select(X[0] < Y[0], X[0], Z[0])"),
 IS("T.Select(X[0] < Y[0], Z[0], X[0])"), .want = "////"},
{"c ? a : a is a", F32, IS("T.Select(X[0] < Y[0], Z[0], Z[0])"), IS("Z[0]"),
 .want = "===="},
{"isnan is not isinf", F32, IS("T.Select(T.isnan(X[0]), Y[0], Z[0])"),
 IS("T.Select(T.isinf(X[0]), Y[0], Z[0])"), .want = "////"},
/* exact conversions */
{"narrow(widen(a)) is a", XYZ("float16", "float16"),
 IS("T.Cast(\"float16\", T.Cast(\"float32\", X[0]))"), IS("X[0]"), .want = "===="},
{"narrow(widen(widen(a))) is a", XYZ("bfloat16", "bfloat16"),
 IS("T.Cast(\"bfloat16\", T.Cast(\"float64\", T.Cast(\"float32\", X[0])))"),
 IS("X[0]"), .want = "===="},
{"widen(narrow(a)) is not a", F32,
 IS("T.Cast(\"float32\", T.Cast(\"float16\", X[0]))"), IS("X[0]"), .want = "///="},
{"one width is not another", F32,
 IS("T.Cast(\"float32\", T.Cast(\"float16\", X[0]))"),
 IS("T.Cast(\"float32\", T.Cast(\"bfloat16\", X[0]))"), .want = "///="},
{"-widen(a) is widen(-a)", XYZ("float16", "float32"),
 IS("T.float32(-1) * T.Cast(\"float32\", X[0])"),
 IS("T.Cast(\"float32\", T.float16(-1) * X[0])"), .want = "==.="},
{"widening a sum is not a sum of widened", XYZ("float16", "float32"),
 IS("T.Cast(\"float32\", X[0] + Y[0])"),
 IS("T.Cast(\"float32\", X[0]) + T.Cast(\"float32\", Y[0])"), .want = "///="},
{"int8 through float32 and back", XYZ("int8", "int8"),
 IS("T.Cast(\"int8\", T.Cast(\"float32\", X[0]))"), IS("X[0]"), .want = "==.."},
{"int32 through float32 loses digits", XYZ("int32", "int32"),
 IS("T.Cast(\"int32\", T.Cast(\"float32\", X[0]))"), IS("X[0]"), .want = "////"},
{"bfloat16 is not inside float16", XYZ("bfloat16", "bfloat16"),
 IS("T.Cast(\"bfloat16\", T.Cast(\"float16\", X[0]))"), IS("X[0]"), .want = "///="},
{"float64 to float16 is not by way of float32", XYZ("float64", "float16"),
 IS("T.Cast(\"float16\", X[0])"),
 IS("T.Cast(\"float16\", T.Cast(\"float32\", X[0]))"), .want = "///="},
/* F7: innocuous double rounding */
{"float16 + in float32", XYZ("float16", "float16"), IS("X[0] + Y[0]"),
 WIDE("float16", "float32", "+"), .want = "=//="},
{"float16 - in float32", XYZ("float16", "float16"), IS("X[0] - Y[0]"),
 WIDE("float16", "float32", "-"), .want = "=//="},
{"float16 x in float32", XYZ("float16", "float16"), IS("X[0] * Y[0]"),
 WIDE("float16", "float32", "*"), .want = "=//="},
{"float16 / in float32", XYZ("float16", "float16"), IS("X[0] / Y[0]"),
 WIDE("float16", "float32", "/"), .want = "=//="},
{"float16 sqrt in float32", XYZ("float16", "float16"), IS("T.sqrt(X[0])"),
 SQRT_WIDE("float16", "float32"), .want = "=//="},
{"float16 x in float64", XYZ("float16", "float16"), IS("X[0] * Y[0]"),
 WIDE("float16", "float64", "*"), .want = "=//="},
{"float32 + in float64", F32, IS("X[0] + Y[0]"),
 WIDE("float32", "float64", "+"), .want = "=//="},
{"float32 x in float64", F32, IS("X[0] * Y[0]"),
 WIDE("float32", "float64", "*"), .want = "=//="},
{"float32 / in float64", F32, IS("X[0] / Y[0]"),
 WIDE("float32", "float64", "/"), .want = "=//="},
{"float32 sqrt in float64", F32, IS("T.sqrt(X[0])"),
 SQRT_WIDE("float32", "float64"), .want = "=//="},
{"bfloat16 + in float32", XYZ("bfloat16", "bfloat16"), IS("X[0] + Y[0]"),
 WIDE("bfloat16", "float32", "+"), .want = "=//="},
{"bfloat16 x in float32", XYZ("bfloat16", "bfloat16"), IS("X[0] * Y[0]"),
 WIDE("bfloat16", "float32", "*"), .want = "=//="},
{"bfloat16 sqrt in float32", XYZ("bfloat16", "bfloat16"), IS("T.sqrt(X[0])"),
 SQRT_WIDE("bfloat16", "float32"), .want = "=//="},
{"bfloat16 / in float32 is left out", XYZ("bfloat16", "bfloat16"),
 IS("X[0] / Y[0]"), WIDE("bfloat16", "float32", "/"), .want = "///="},
{"float16 exp in float32 is no law", XYZ("float16", "float16"),
 IS("T.exp(X[0])"), IS("T.Cast(\"float16\", T.exp(T.Cast(\"float32\", X[0])))"),
 .want = "///="},
{"float32 operands, float16 result", XYZ("float32", "float16"),
 IS("T.Cast(\"float16\", X[0] * Y[0])"),
 IS("T.Cast(\"float16\", X[0]) * T.Cast(\"float16\", Y[0])"), .want = "///="},
{"float32 x in float64, then to float16", XYZ("float32", "float16"),
 IS("T.Cast(\"float16\", T.Cast(\"float64\", X[0]) * T.Cast(\"float64\","
    " Y[0]))"),
 IS("T.Cast(\"float16\", X[0] * Y[0])"), .want = "///="},
{"two operations are rounded twice", XYZ("float16", "float16"),
 IS("X[0] + Y[0] + Z[0]"),
 IS("T.Cast(\"float16\", T.Cast(\"float32\", X[0]) + T.Cast(\"float32\", Y[0])"
    " + T.Cast(\"float32\", Z[0]))"), .want = "///="},
{"float16 with a constant of float16", XYZ("float16", "float16"),
 IS("X[0] * T.float16(0.5)"),
 IS("T.Cast(\"float16\", T.Cast(\"float32\", X[0]) * T.float32(0.5))"),
 .want = "=//="},
{"float16 with a constant beyond float16", XYZ("float16", "float16"),
 IS("X[0] * T.float16(0.1)"),
 IS("T.Cast(\"float16\", T.Cast(\"float32\", X[0]) * T.float32(0.1))"),
 .want = "////"},
{"a bfloat16 product is no float16 one", XYZ("bfloat16", "float16"),
 IS("T.Cast(\"float16\", T.Cast(\"float32\", X[0]) * T.Cast(\"float32\","
    " Y[0]))"),
 IS("T.Cast(\"float16\", X[0]) * T.Cast(\"float16\", Y[0])"), .want = "///="},
/* rule 13: fma */
{"fma of float16 in float32", XYZ("float16", "float32"),
 IS("T.fma(T.Cast(\"float32\", X[0]), T.Cast(\"float32\", Y[0]),"
    " T.Cast(\"float32\", Z[0]))"),
 IS("T.Cast(\"float32\", X[0]) * T.Cast(\"float32\", Y[0]) +"
    " T.Cast(\"float32\", Z[0])"), .want = "===="},
{"fma of float32", F32, IS("T.fma(X[0], Y[0], Z[0])"),
 IS("X[0] * Y[0] + Z[0]"), .want = "//=="},
{"fma of float32 commutes in its factors", F32, IS("T.fma(X[0], Y[0], Z[0])"),
 IS("T.fma(Y[0], X[0], Z[0])"), .want = "===="},
{"fma does not exchange factor and term", F32, IS("T.fma(X[0], Y[0], Z[0])"),
 IS("T.fma(X[0], Z[0], Y[0])"), .want = "////"},
{"fma of bfloat16 in float32 (products overflow)", XYZ("bfloat16", "float32"),
 IS("T.fma(T.Cast(\"float32\", X[0]), T.Cast(\"float32\", Y[0]),"
    " T.Cast(\"float32\", Z[0]))"),
 IS("T.Cast(\"float32\", X[0]) * T.Cast(\"float32\", Y[0]) +"
    " T.Cast(\"float32\", Z[0])"), .want = "//=="},
{"fma of float32 in float64", XYZ("float32", "float64"),
 IS("T.fma(T.Cast(\"float64\", X[0]), T.Cast(\"float64\", Y[0]),"
    " T.Cast(\"float64\", Z[0]))"),
 IS("T.Cast(\"float64\", X[0]) * T.Cast(\"float64\", Y[0]) +"
    " T.Cast(\"float64\", Z[0])"), .want = "===="},
};
// clang-format on

int main(void)
{
    return keyed_main("keyed_order", cases, DC_ARRAY_LEN(cases));
}
