/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs under another arithmetic (docs/semantics.md, A1 to A21): results
 * worked out by hand, and the same results from both engines and from slices.
 * That compilers compute so is tested in test_drift_explain.c.
 */
#include "interp/interp.h"
#include "ir/num/profile.h"
#include "tests/test.h"

#include <stdlib.h>
#include <string.h>

struct replay_row {
    const char *label, *profile, *params, *body;
    const char *inputs[2]; /* of the parameters before the last, as text */
    const char *want;      /* of the last one, which starts as zeros */
};

#define HALF(n)   "T.Buffer((" n ",), \"float16\")"
#define SINGLE(n) "T.Buffer((" n ",), \"float32\")"
#define SUM(n)                     \
    "    C[0] = T.float16(0)\n"    \
    "    for k in range(" n "):\n" \
    "        C[0] = C[0] + A[k] * B[k]\n"
#define FACTORS                      \
    "    C[0] = T.float16(0)\n"      \
    "    for k in range(2):\n"       \
    "        C[0] = C[0] + (A[k] + " \
    "T.float16(1)) * T.float16(1.0009765625)\n"
#define NESTED                        \
    "    for i, j in T.grid(2, 2):\n" \
    "        C[0] = C[0] + A[i * 2 + j]\n"

#define STORED                                    \
    "    B = T.alloc_buffer((1,), \"float16\")\n" \
    "    B[0] = A[0] * A[0]\n"
#define SQUARE "1.0009765625 -1.001953125"

/* Squares of two numbers, one after the other added to START. The square of
 * 133 / 256 is 552.78 units of 2^-11, rounded 553: that and 1 + 2^-9 lie half
 * way between two numbers, and 2^-20 of the first square tells which it is. */
#define SQUARES(start, sum)    \
    "    C[0] = " start "\n"   \
    "    for k in range(2):\n" \
    "        C[0] = " sum "\n"
#define TWO           "1.0009765625 0.51953125"
#define FIRST         "1.2724609375" /* the first square is not rounded */
#define ROUNDED       "1.271484375"  /* it is */
#define SQUARE_PARAMS "A: " HALF("2") ", C: " HALF("1")

/* In float16 2048 + 1 is 2048 and 2048 + 3 is 2052; 1.0009765625 (1 + 2^-10)
 * squared is 1 + 2^-9 + 2^-20. */
static const struct replay_row rows[] = {
    {"N1: each store rounds",
     "reference",
     "A: " HALF("3") ", B: " HALF("3") ", C: " HALF("1"),
     SUM("3"),
     {"2048 1 1", "1 1 1"},
     "2048.0"},
    {"A3: a kept accumulator does not",
     "keep=loops",
     "A: " HALF("3") ", B: " HALF("3") ", C: " HALF("1"),
     SUM("3"),
     {"2048 1 1", "1 1 1"},
     "2050.0"},
    {"A3: nor one kept to the end",
     "keep=end",
     "A: " HALF("3") ", B: " HALF("3") ", C: " HALF("1"),
     SUM("3"),
     {"2048 1 1", "1 1 1"},
     "2050.0"},
    /* (2048 + 1) is 2048 at the end of the first inner loop */
    {"A3: one loop of two",
     "keep=loop1",
     "A: " HALF("4") ", C: " HALF("1"),
     NESTED,
     {"2048 1 1 2", NULL},
     "2052.0"},
    {"A3: two loops of two",
     "keep=loop2",
     "A: " HALF("4") ", C: " HALF("1"),
     NESTED,
     {"2048 1 1 0", NULL},
     "2050.0"},
    {"N1: the same, each store",
     "reference",
     "A: " HALF("4") ", C: " HALF("1"),
     NESTED,
     {"2048 1 1 2", NULL},
     "2050.0"},
    /* the product is 2 + 2^-9 before it is added */
    {"A5: products rounded",
     "keep=loops",
     "A: " HALF("2") ", B: " HALF("2") ", C: " HALF("1"),
     SUM("2"),
     {"1.0009765625 -1", "1.0009765625 1.001953125"},
     "0.0"},
    {"A5: products exact",
     "keep=loops product=wide",
     "A: " HALF("2") ", B: " HALF("2") ", C: " HALF("1"),
     SUM("2"),
     {"1.0009765625 -1", "1.0009765625 1.001953125"},
     "9.5367431640625e-07"},
    {"A5: products exact, their factors rounded",
     "keep=loops product=factors",
     "A: " HALF("2") ", C: " HALF("1"),
     FACTORS,
     {"2048 -2048", NULL},
     "1.0009765625"},
    {"A5: products and factors exact",
     "keep=loops product=wide",
     "A: " HALF("2") ", C: " HALF("1"),
     FACTORS,
     {"2048 -2048", NULL},
     "2.001953125"},
    {"A5: products rounded, the same",
     "keep=loops",
     "A: " HALF("2") ", C: " HALF("1"),
     FACTORS,
     {"2048 -2048", NULL},
     "2.0"},
    {"A1: fused",
     "contract=left",
     "A: " HALF("2") ", B: " HALF("2") ", C: " HALF("1"),
     SUM("2"),
     {"-1 1.0009765625", "1.001953125 1.0009765625"},
     "9.5367431640625e-07"},
    {"A1: not fused",
     "reference",
     "A: " HALF("2") ", B: " HALF("2") ", C: " HALF("1"),
     SUM("2"),
     {"-1 1.0009765625", "1.001953125 1.0009765625"},
     "0.0"},
    {"A1: of two products the left",
     "contract=left",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = A[0] * A[0] + A[1] * T.float16(1.001953125)\n",
     {"1.0009765625 -1", NULL},
     "9.5367431640625e-07"},
    {"A1: of two products the right",
     "contract=right",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = A[0] * A[0] + A[1] * T.float16(1.001953125)\n",
     {"1.0009765625 -1", NULL},
     "0.0"},
    {"A1: a conversion between prevents it",
     "contract=left",
     "A: " HALF("2") ", C: " SINGLE("1"),
     "    C[0] = T.Cast(\"float32\", A[0] * A[0]) - T.float32(1.001953125)\n",
     {"1.0009765625 0", NULL},
     "0.0"},
    {"A2: excess precision to the store",
     "half=statement",
     "A: " HALF("2") ", C: " SINGLE("1"),
     "    C[0] = T.Cast(\"float32\", A[0] * A[0]) - T.float32(1.001953125)\n",
     {"1.0009765625 0", NULL},
     "9.5367431640625e-07"},
    {"A2: a cast to half rounds",
     "half=statement",
     "A: " HALF("2") ", C: " SINGLE("1"),
     "    C[0] = T.Cast(\"float32\", T.Cast(\"float16\", T.Cast(\"float32\", "
     "A[0] * A[0]))) - T.float32(1.001953125)\n",
     {"1.0009765625 0", NULL},
     "0.0"},
    {"A2: comparisons see it",
     "half=statement",
     "A: " HALF("2") ", C: " SINGLE("1"),
     "    C[0] = T.Select(A[0] * A[0] > T.float16(1.001953125), "
     "T.float32(1), T.float32(2))\n",
     {"1.0009765625 0", NULL},
     "1.0"},
    {"A2: each operation",
     "half=each",
     "A: " HALF("2") ", C: " SINGLE("1"),
     "    C[0] = T.Cast(\"float32\", A[0] * A[0]) - T.float32(1.001953125)\n",
     {"1.0009765625 0", NULL},
     "0.0"},
    /* ((0+4)+(2)) … : 2^24 + 1 is 2^24 in float32 */
    {"A6: two lanes",
     "lanes=2",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 -16777216 1 1", NULL},
     "3.0"},
    {"A6: one piece",
     "reference",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 -16777216 1 1", NULL},
     "2.0"},
    {"A16: backwards",
     "order=reversed",
     "A: " SINGLE("4") ", C: " SINGLE("1"),
     "    for k in range(4):\n        C[0] = C[0] + A[k]\n",
     {"1 1 16777216 -16777216", NULL},
     "2.0"},
    {"A16: halves",
     "order=halves1",
     "A: " SINGLE("4") ", C: " SINGLE("1"),
     "    for k in range(4):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1 1", NULL},
     "16777218.0"},
    {"A16: halves, the second is larger",
     "order=halves1",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1 1 -16777216", NULL},
     "2.0"},
    {"A16: halves down to 4 terms",
     "order=halves4",
     "A: " SINGLE("8") ", C: " SINGLE("1"),
     "    for k in range(8):\n        C[0] = C[0] + A[k]\n",
     {"1 1 16777216 -16777216 16777216 1 1 -16777216", NULL},
     "2.0"},
    {"A16: halves down to single terms, the same",
     "order=halves1",
     "A: " SINGLE("8") ", C: " SINGLE("1"),
     "    for k in range(8):\n        C[0] = C[0] + A[k]\n",
     {"1 1 16777216 -16777216 16777216 1 1 -16777216", NULL},
     "3.0"},
    {"A16: two parts",
     "order=parts2",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1 1 -16777216", NULL},
     "1.0"},
    {"A16: three parts",
     "order=parts3",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1 1 -16777216", NULL},
     "2.0"},
    {"A16: compensated",
     "order=compensated",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    for k in range(3):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1", NULL},
     "16777218.0"},
    {"A16: nothing is lost past the end of the type",
     "order=compensated",
     "A: " SINGLE("2") ", C: " SINGLE("1"),
     "    for k in range(2):\n        C[0] = C[0] + A[k]\n",
     {"inf 1", NULL},
     "inf"},
    {"A16: dots of two terms", /* the last by itself */
     "order=dots2",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1 1 -16777216", NULL},
     "2.0"},
    {"A16: dots of four terms",
     "order=dots4",
     "A: " SINGLE("5") ", C: " SINGLE("1"),
     "    for k in range(5):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1 1 -16777215", NULL},
     "5.0"},
    {"A16: products in dots are exact",
     "order=dots2",
     "A: " SINGLE("2") ", B: " SINGLE("2") ", C: " SINGLE("1"),
     "    for k in range(2):\n        C[0] = C[0] + A[k] * B[k]\n",
     {"4097 1", "4097 -16785408"},
     "1.0"},
    /* 2^24 + 1 is half way; 2^-60 of it is past what float64 holds */
    {"A16: a dot is rounded once",
     "order=dots4",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    for k in range(3):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 8.673617379884035e-19", NULL},
     "16777218.0"},
    {"A16: a dot is rounded once, downwards",
     "order=dots4",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    for k in range(3):\n        C[0] = C[0] + A[k]\n",
     {"16777218 1 -8.673617379884035e-19", NULL},
     "16777218.0"},
    {"A16: what cancels in a dot leaves the rest",
     "order=dots4",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    for k in range(3):\n        C[0] = C[0] + A[k]\n",
     {"1e30 3 -1e30", NULL},
     "3.0"},
    {"A16: a dot with an infinity",
     "order=dots4",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    for k in range(3):\n        C[0] = C[0] + A[k]\n",
     {"1 inf 1", NULL},
     "inf"},
    {"A16: fewer terms than a dot has",
     "order=dots8",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    for k in range(3):\n        C[0] = C[0] + A[k]\n",
     {"16777216 1 1", NULL},
     "16777218.0"},
    {"A12: by the reciprocal",
     "divide=reciprocal",
     "A: " SINGLE("2") ", C: " SINGLE("1"),
     "    C[0] = A[0] / A[1]\n",
     {"5 49", NULL},
     "0.10204081237316132"},
    {"A13: by rsqrt, zero",
     "sqrt=times-rsqrt",
     "A: " SINGLE("1") ", C: " SINGLE("1"),
     "    C[0] = T.sqrt(A[0])\n",
     {"0", NULL},
     "0.0"},
    {"A13: by rsqrt",
     "sqrt=of-rsqrt",
     "A: " SINGLE("1") ", C: " SINGLE("1"),
     "    C[0] = T.sqrt(A[0])\n",
     {"16", NULL},
     "4.0"},
    {"A13: a divisor by rsqrt",
     "sqrt=divisor",
     "A: " SINGLE("2") ", C: " SINGLE("1"),
     "    C[0] = A[0] / T.sqrt(A[1])\n",
     {"13 2", NULL},
     "9.192387580871582"},
    {"A13: a divisor, in the reference",
     "reference",
     "A: " SINGLE("2") ", C: " SINGLE("1"),
     "    C[0] = A[0] / T.sqrt(A[1])\n",
     {"13 2", NULL},
     "9.192388534545898"},
    {"A13: other roots stay",
     "sqrt=divisor",
     "A: " SINGLE("2") ", C: " SINGLE("1"),
     "    C[0] = A[0] * T.sqrt(A[1])\n",
     {"2 4", NULL},
     "4.0"},
    {"A9: truncation",
     "round=zero",
     "A: " SINGLE("2") ", C: " SINGLE("1"),
     "    C[0] = A[0] + A[1]\n",
     {"16777216 3", NULL},
     "16777218.0"},
    {"A1: a written fma is two operations",
     "contract=split",
     "A: " SINGLE("3") ", C: " SINGLE("1"),
     "    C[0] = T.fma(A[0], A[1], A[2])\n",
     {"16777215 1.5 -25165822", NULL}, /* 25165822.5 is no float32 */
     "0.0"},
    {"A14: tanh loses small arguments by TVM's formula",
     "functions=tvm",
     "A: " SINGLE("1") ", C: " SINGLE("1"),
     "    C[0] = T.tanh(A[0])\n",
     {"1e-9", NULL},
     "0.0"},
    {"A14: sigmoid of a float16, a rounding a step",
     "functions=tvm",
     "A: " HALF("1") ", C: " HALF("1"),
     "    C[0] = T.sigmoid(A[0])\n",
     {"-8.7734375", NULL}, /* to the nearest it is 0.000154733… */
     "0.00015485286712646484"},
    {"A2: bfloat16 kept in float32, through a buffer and a cast",
     "half=bfloat16",
     "A: T.Buffer((3,), \"bfloat16\"), C: T.Buffer((1,), \"bfloat16\")",
     "    B = T.alloc_buffer((1,), \"bfloat16\")\n"
     "    B[0] = T.Cast(\"bfloat16\", T.Cast(\"float32\", A[0] + A[1]))\n"
     "    C[0] = B[0] - A[2]\n",
     {"256 1 256", NULL}, /* 257 needs nine bits */
     "1.0"},
    {"A2: float8 kept in float32, through a cast",
     "half=float8",
     "A: " SINGLE("1") ", C: " SINGLE("1"),
     "    C[0] = T.Cast(\"float32\", T.Cast(\"float8_e4m3fn\", A[0]))\n",
     {"1.0625", NULL}, /* needs four bits after the point */
     "1.0625"},
    {"A2: but not where it is stored",
     "half=float8",
     "A: " SINGLE("1") ", B: T.Buffer((1,), \"float8_e4m3fn\"), "
                       "C: " SINGLE("1"),
     "    B[0] = T.Cast(\"float8_e4m3fn\", A[0])\n"
     "    C[0] = T.Cast(\"float32\", B[0])\n",
     {"1.0625", "0"}, /* to even */
     "1.0"},
    {"A2: nor is bfloat16",
     "half=float8",
     "A: " SINGLE("1") ", C: " SINGLE("1"),
     "    C[0] = T.Cast(\"float32\", T.Cast(\"bfloat16\", A[0]))\n",
     {"1.00390625", NULL}, /* needs eight; to even */
     "1.0"},
    /* 1.0009765625 squared is 2^-20 more than 1.001953125 */
    {"A18: a product that was stored is fused",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = B[0] + A[1]\n",
     {SQUARE, NULL},
     "9.5367431640625e-07"},
    {"A18: and rounded where that is not set",
     "contract=left",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = B[0] + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: or nothing is fused",
     "forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = B[0] + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: with its sign",
     "contract=right forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = (T.float16(0) - A[1]) - B[0]\n",
     {SQUARE, NULL},
     "-9.5367431640625e-07"},
    {"A18: other uses see it rounded",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = T.max(B[0], B[0]) + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: through a copy",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    D = T.alloc_buffer((1,), \"float16\")\n"
            "    D[0] = B[0]\n"
            "    C[0] = D[0] + A[1]\n",
     {SQUARE, NULL},
     "9.5367431640625e-07"},
    {"A18: of two products the left",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = A[1] * T.float16(2) + B[0]\n",
     {"1.0009765625 -0.5009765625", NULL},
     "0.0"},
    {"A18: of two products the right",
     "contract=right forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    C[0] = A[1] * T.float16(2) + B[0]\n",
     {"1.0009765625 -0.5009765625", NULL},
     "9.5367431640625e-07"},
    {"A18: not where something else is stored, too",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     "    B = T.alloc_buffer((2,), \"float16\")\n"
     "    B[0] = A[0] * A[0]\n    B[1] = A[1]\n"
     "    C[0] = B[0] + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: not a choice",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     "    B = T.alloc_buffer((1,), \"float16\")\n"
     "    B[0] = T.Select(A[1] < T.float16(0), A[0] * A[0], A[0])\n"
     "    C[0] = B[0] + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: not a conversion",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " SINGLE("1"),
     "    B = T.alloc_buffer((1,), \"float32\")\n"
     "    B[0] = T.Cast(\"float32\", A[0] * A[0])\n"
     "    C[0] = B[0] + T.Cast(\"float32\", A[1])\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: not a buffer whose product reads it",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     STORED "    B[0] = (B[0] + A[1]) * A[0]\n"
            "    C[0] = B[0]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: not a parameter",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = A[0] * A[0]\n    C[0] = C[0] + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    {"A18: a name",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     "    p: T.float16 = A[0] * A[0]\n    C[0] = p + A[1]\n",
     {SQUARE, NULL},
     "9.5367431640625e-07"},
    {"A18: a name in an expression",
     "contract=left forward=products",
     "A: " HALF("2") ", C: " HALF("1"),
     "    p = T.float16()\n"
     "    C[0] = T.Let(p + A[1], where={p: A[0] * A[0]})\n",
     {SQUARE, NULL},
     "9.5367431640625e-07"},
    {"A18: a square added to zero is one still",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     FIRST},
    {"A18: not where that is not set",
     "contract=left forward=products",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: nor where the right one of two is fused",
     "contract=right forward=squares",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: the sum is the right one",
     "contract=right forward=squares",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "A[k] * A[k] + C[0]"),
     {TWO, NULL},
     FIRST},
    {"A18: and not the left",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "A[k] * A[k] + C[0]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: the first sum alone",
     "forward=squares sum1=left",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     FIRST},
    {"A18: all but the first sum",
     "contract=left forward=squares sum1=apart",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: not the product of two values",
     "contract=left forward=squares",
     "A: " HALF("2") ", B: " HALF("2") ", C: " HALF("1"),
     SQUARES("T.float16(0)", "C[0] + A[k] * B[k]"),
     {TWO, TWO},
     ROUNDED},
    {"A18: not added to -0",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     SQUARES("T.float16(-0.0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: not to a zero that was computed",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     SQUARES("A[0] - A[0]", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: not to what a parameter held",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     "    for k in range(2):\n"
     "        C[0] = C[0] + A[k] * A[k]\n"
     "    C[0] = C[0] + T.float16(0)\n"
     "    if A[0] < T.float16(0):\n"
     "        C[0] = T.float16(0)\n",
     {TWO, NULL},
     ROUNDED},
    {"A18: not where it was stored anew",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     "    C[0] = T.float16(0)\n"
     "    for k in range(2):\n"
     "        C[0] = C[0] + A[k] * A[k]\n"
     "        C[0] = T.max(C[0], T.float16(0))\n",
     {TWO, NULL},
     ROUNDED},
    {"A18: not through a conversion",
     "contract=left forward=squares half=each",
     SQUARE_PARAMS,
     SQUARES("T.float16(0)", "C[0] + A[k] * A[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: a square that was stored",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     "    B = T.alloc_buffer((2,), \"float16\")\n"
     "    for k in range(2):\n"
     "        B[k] = A[k] * A[k]\n" SQUARES("T.float16(0)", "C[0] + B[k]"),
     {TWO, NULL},
     FIRST},
    {"A18: not a product that was stored",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     "    B = T.alloc_buffer((2,), \"float16\")\n"
     "    for k in range(2):\n"
     "        B[k] = A[k] * A[1 - (1 - k)]\n" SQUARES("T.float16(0)",
                                                      "C[0] + B[k]"),
     {TWO, NULL},
     ROUNDED},
    {"A18: each element by itself",
     "contract=left forward=squares",
     SQUARE_PARAMS,
     "    D = T.alloc_buffer((2,), \"float16\")\n"
     "    for i in range(2):\n"
     "        D[i] = T.float16(0)\n"
     "    D[1] = D[1] + T.float16(1)\n"
     "    for k, i in T.grid(2, 2):\n"
     "        D[i] = D[i] + A[k] * A[k]\n"
     "    C[0] = D[0]\n",
     {TWO, NULL},
     FIRST},
    {"A19: the first sum alone",
     "sum1=left",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = A[0] * A[0] + A[1]\n",
     {SQUARE, NULL},
     "9.5367431640625e-07"},
    {"A19: all but the first",
     "contract=left sum1=apart",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = A[0] * A[0] + A[1]\n",
     {SQUARE, NULL},
     "0.0"},
    /* 2^-20 and 0, either of them first */
    {"A19: all but the second",
     "contract=left sum2=apart",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = (A[0] * A[0] + A[1]) - T.float16(3) * (A[0] * A[0] + A[1])\n",
     {SQUARE, NULL},
     "9.5367431640625e-07"},
    {"A19: the second alone",
     "sum2=right",
     "A: " HALF("2") ", C: " HALF("1"),
     "    C[0] = (A[0] * A[0] + A[1]) - T.float16(3) * (A[0] * A[0] + A[1])\n",
     {SQUARE, NULL},
     "-2.86102294921875e-06"},
    /* the accumulator of C[1] would lie outside */
    {"A3: a cell that a predicate leaves out",
     "keep=loops",
     "A: " HALF("3") ", C: " HALF("1"),
     "    for i, k in T.grid(2, 3):\n"
     "        with T.sblock(\"c\"):\n"
     "            u, v = T.axis.remap(\"SR\", [i, k])\n"
     "            T.where(i < 1)\n"
     "            with T.init():\n"
     "                C[u] = T.float16(0)\n"
     "            C[u] = C[u] + A[v]\n",
     {"2048 1 1", NULL},
     "2050.0"},
    {"A3: not a view that the loop makes",
     "keep=loops",
     "A: " HALF("2") ", C: " HALF("1"),
     "    for k in range(2):\n"
     "        with T.sblock(\"c\"):\n"
     "            v = T.axis.reduce(2, k)\n"
     "            D = T.match_buffer(C[0:1], (1,), \"float16\", "
     "offset_factor=1)\n"
     "            D[0] = D[0] + A[v]\n",
     {"2048 1", NULL},
     "2048.0"},
    {"A3: a loop of no turns",
     "keep=loops",
     "A: " HALF("3") ", C: " HALF("1"),
     "    C[0] = T.float16(3)\n"
     "    for k in range(0):\n"
     "        with T.sblock(\"c\"):\n"
     "            v = T.axis.reduce(3, k)\n"
     "            with T.init():\n"
     "                C[0] = T.float16(0)\n"
     "            C[0] = C[0] + A[v]\n"
     "    C[0] = C[0] + T.float16(1)\n",
     {"2048 1 1", NULL},
     "4.0"},
    {"A20: not unrolled",
     "keep=loop1",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2054.0"},
    /* 2049 rounds to 2048, 2050, 2053 to 2052 */
    {"A20: two turns at a time",
     "keep=loop1 unroll=2",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2052.0"},
    /* 2049 to 2048, 2050 at the end of four, 2053; not cut: 2051, 2055 */
    {"A20: four, cut after the two that are left over",
     "keep=loop1 unroll=4",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2052.0"},
    {"A20: the first by itself, then three, cut after two",
     "keep=loop1 unroll=3 peel=first",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2056.0"},
    {"A20: the first by itself, then two, cut after one",
     "keep=loop1 unroll=2 peel=first",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2050.0"},
    /* 2048, 2050 at the end of the first loop, 2051 to 2052, 2053 to 2052
     * twice; 2054 if the second loop's first turn were by itself */
    {"A20: by itself only where the sum is set",
     "keep=loop1 unroll=2 peel=first",
     "A: " HALF("6") ", C: " HALF("1"),
     "    for i, j in T.grid(2, 3):\n"
     "        with T.sblock(\"c\"):\n"
     "            u, v = T.axis.remap(\"RR\", [i, j])\n"
     "            with T.init():\n"
     "                C[0] = T.float16(0)\n"
     "            C[0] = C[0] + A[u * 3 + v]\n",
     {"2048 1 1 1 1 1", NULL},
     "2052.0"},
    {"A20: a loop of one group alone",
     "keep=loop1 unroll=6",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2054.0"},
    {"A20: nothing by itself",
     "unroll=2",
     "A: " HALF("6") ", B: " HALF("6") ", C: " HALF("1"),
     SUM("6"),
     {"2048 1 1 1 1 2", "1 1 1 1 1 1"},
     "2050.0"},
    {"A15: digits",
     "literals=6",
     "C: " SINGLE("1"),
     "    C[0] = T.float32(0.31830987334251404)\n",
     {NULL, NULL},
     "0.31831"},
};

struct program {
    struct ir_module *module;
    struct arena *arena;
    struct interp_signature sig;
};

static void program_read(struct program *p, const char *params,
                         const char *body)
{
    struct buf script = {0};
    struct diag_sink *sink = diag_sink_new();
    buf_printf(&script,
               "from tvm.script import ir as I\n"
               "from tvm.script import tirx as T\n\n"
               "@T.prim_func(s_tir=True)\ndef main(%s):\n%s",
               params, body);
    p->arena = arena_new();
    p->module = ir_read(buf_text(&script), script.len, "case", sink);
    assert_non_null(p->module);
    assert_true(interp_signature(p->module, p->module->funcs[0], NULL, 0,
                                 p->arena, &p->sig, sink));
    diag_sink_free(sink);
    buf_fini(&script);
}

static void program_end(struct program *p)
{
    ir_module_free(p->module);
    arena_free(p->arena);
}

static struct interp_arg *make_args(struct program *p)
{
    struct interp_arg *args =
        ARENA_ARRAY(p->arena, p->sig.nparams, struct interp_arg);
    memset(args, 0, p->sig.nparams * sizeof *args);
    for (size_t i = 0; i < p->sig.nparams; i++) {
        const struct interp_param *q = &p->sig.params[i];
        args[i].tensor = interp_tensor_new(q->dtype, q->rank, q->shape);
        interp_fill_tensor(args[i].tensor, INTERP_FILL_ZERO, 1, i, 1, 0);
    }
    return args;
}

static void free_args(struct program *p, struct interp_arg *args)
{
    for (size_t i = 0; i < p->sig.nparams; i++)
        interp_tensor_free(args[i].tensor);
}

static void set_values(struct interp_tensor *t, const char *text)
{
    char *end;
    for (size_t i = 0; i < t->elements; i++, text = end) {
        unsigned flags = 0;
        double v = strtod(text, &end);
        assert_true(end != text);
        interp_tensor_set(t, i, num_from_double(t->dtype, v, &flags));
    }
}

static void run(struct program *p, struct interp_arg *args,
                const struct num_profile *profile, enum interp_engine engine,
                const uint8_t *const *demand)
{
    struct interp_options o = interp_default_options();
    o.profile = profile;
    o.engine = engine;
    o.demand = demand;
    struct interp_result r =
        interp_run(p->module, p->module->funcs[0], p->sig.nparams, args, &o);
    if (r.fault != INTERP_OK)
        fail_msg("%s: %s", interp_fault_name(r.fault), r.message);
    interp_result_fini(&r);
}

static void row_run(void **state)
{
    const struct replay_row *row = *state;
    struct program p;
    struct num_profile profile;
    program_read(&p, row->params, row->body);
    assert_true(num_profile_parse(row->profile, &profile, NULL));
    for (int walk = 0; walk < 2; walk++) {
        struct interp_arg *args = make_args(&p);
        const struct interp_tensor *last = args[p.sig.nparams - 1].tensor;
        for (size_t i = 0; i + 1 < p.sig.nparams; i++)
            set_values(args[i].tensor, row->inputs[i]);
        run(&p, args, &profile, walk ? INTERP_ENGINE_WALK : INTERP_ENGINE_AUTO,
            NULL);
        unsigned flags = 0;
        uint64_t want =
            num_from_double(last->dtype, strtod(row->want, NULL), &flags);
        if (interp_tensor_get(last, 0) != want)
            fail_msg("%s: %g, expected %s", row->label,
                     num_to_double(last->dtype, interp_tensor_get(last, 0)),
                     row->want);
        free_args(&p, args);
    }
    program_end(&p);
}

/* ---- both engines and slices agree ---------------------------------------------------- */

#define CONV                                                                 \
    "    for y, x, f, ry, rx, rc in T.grid(5, 4, 6, 3, 3, 5):\n"             \
    "        with T.sblock(\"conv\"):\n"                                     \
    "            a, b, c, d, e, g = T.axis.remap(\"SSSRRR\", [y, x, f, ry, " \
    "rx, rc])\n"                                                             \
    "            with T.init():\n"                                           \
    "                C[a, b, c] = T.float16(0)\n"                            \
    "            C[a, b, c] = C[a, b, c] + A[a + d, b + e, g] * B[d, e, g, " \
    "c]\n"
#define CONV_PARAMS                                                   \
    "A: T.Buffer((7, 6, 5), \"float16\"), B: T.Buffer((3, 3, 5, 6), " \
    "\"float16\"), C: T.Buffer((5, 4, 6), \"float16\")"

static void check_profile(struct program *p, const char *text)
{
    struct num_profile profile;
    struct interp_arg *args[3];
    uint8_t wanted[5 * 4 * 6] = {0};
    const uint8_t *demand[3] = {NULL, NULL, wanted};
    assert_true(num_profile_parse(text, &profile, NULL));
    for (size_t i = 0; i < sizeof wanted; i += 7)
        wanted[i] = 1;
    for (int k = 0; k < 3; k++) {
        args[k] = make_args(p);
        for (size_t i = 0; i < 2; i++)
            interp_fill_tensor(args[k][i].tensor, INTERP_FILL_RANDOM, 5, i, 1,
                               0);
        run(p, args[k], &profile,
            k == 0 ? INTERP_ENGINE_AUTO : INTERP_ENGINE_WALK,
            k == 2 ? demand : NULL);
    }
    for (size_t i = 0; i < sizeof wanted; i++) {
        uint64_t fast = interp_tensor_get(args[0][2].tensor, i);
        uint64_t walked = interp_tensor_get(args[1][2].tensor, i);
        uint64_t sliced = interp_tensor_get(args[2][2].tensor, i);
        if (fast != walked || (wanted[i] && sliced != walked))
            fail_msg("%s: element %zu is %llx, %llx, sliced %llx", text, i,
                     (unsigned long long)fast, (unsigned long long)walked,
                     (unsigned long long)sliced);
    }
    for (int k = 0; k < 3; k++)
        free_args(p, args[k]);
}

static void test_engines(void **state)
{
    static const char *const profiles[] = {
        "reference",
        "contract=left",
        "half=each",
        "half=statement",
        "keep=loop1",
        "keep=loop2",
        "keep=loops",
        "keep=end",
        "keep=loops product=wide",
        "keep=loop2 keep-type=float64",
        "keep=end half=statement contract=left",
        "keep=loop1 unroll=2",
        "half=statement keep=loop1 product=wide unroll=3 peel=first",
        "lanes=2",
        "lanes=4 start=last",
        "lanes=2 keep=loops",
        "order=reversed keep=loop2",
        "order=halves1",
        "order=halves8 keep=loops",
        "order=parts2",
        "order=compensated",
        "order=dots4",
        "keep=loops product=factors",
        "round=zero",
        "half=statement round-cast=zero",
        "flush-half=both"};
    struct program p;
    (void)state;
    program_read(&p, CONV_PARAMS, CONV);
    for (size_t i = 0; i < DC_ARRAY_LEN(profiles); i++)
        check_profile(&p, profiles[i]);
    program_end(&p);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 1] = {
        cmocka_unit_test(test_engines)};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct replay_row *in;
            void *out;
        } row = {&rows[i]};
        tests[1 + i].name = rows[i].label;
        tests[1 + i].test_func = row_run;
        tests[1 + i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("replay", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
