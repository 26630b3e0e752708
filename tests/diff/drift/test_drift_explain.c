/* SPDX-License-Identifier: Apache-2.0
 *
 * The right cause is named, and wrong ones are not: the same kernels compiled
 * by the compilers of this host under flags whose effect is known, and with
 * faults written by hand. Rules A1 to A21 of docs/semantics.md.
 */
#include "tests/diff/drift/drift_case.h"

struct drift_row {
    const char *label;
    const char *needs; /* processor feature, or NULL */
    const char *compiler, *flags;
    const char *params, *body; /* TVMScript */
    const char *kernel;        /* C */
    enum interp_fill fill;
    double scale;
    const char *base; /* declared arithmetic */
    const char *may;  /* settings allowed beside: "contract=left lanes=4" */
    enum drift_outcome outcome;
    const char *cause;  /* trials[0], as text; NULL: any */
    const char *reason; /* part of the reason or the suspicion; or NULL */
};

/* ---- kernels ------------------------------------------------------------------- */

#define MATMUL(T)                                                 \
    "    for i, j, k in T.grid(16, 24, 40):\n"                    \
    "        with T.sblock(\"c\"):\n"                             \
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
    "            with T.init():\n"                                \
    "                C[vi, vj] = T." T "(0)\n"                    \
    "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n"
#define MATMUL_PARAMS(T)                                           \
    "A: T.Buffer((16, 40), \"" T "\"), B: T.Buffer((40, 24), \"" T \
    "\"), C: T.Buffer((16, 24), \"" T "\")"
/* Each statement its own, as a C emitter writes it. */
#define MATMUL_C(T)                                                 \
    "void kernel(" T " *A, " T " *B, " T " *C) {\n"                 \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)\n" \
    "    for (int k = 0; k < 40; k++) {\n"                          \
    "      if (k == 0) C[i*24+j] = 0;\n"                            \
    "      C[i*24+j] = C[i*24+j] + A[i*40+k] * B[k*24+j]; } }\n"
#define ROUNDED_C                                                   \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"        \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)\n" \
    "    for (int k = 0; k < 40; k++) {\n"                          \
    "      if (k == 0) C[i*24+j] = 0;\n"                            \
    "      _Float16 p = A[i*40+k] * B[k*24+j];\n"                   \
    "      C[i*24+j] = C[i*24+j] + p; } }\n"
#define WIDE_C                                                        \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"          \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++) {\n" \
    "    float s = 0;\n"                                              \
    "    for (int k = 0; k < 40; k++)\n"                              \
    "      s = s + (float)A[i*40+k] * (float)B[k*24+j];\n"            \
    "    C[i*24+j] = (_Float16)s; } }\n"
#define WIDE_ROUNDED_C                                                \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"          \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++) {\n" \
    "    float s = 0;\n"                                              \
    "    for (int k = 0; k < 40; k++) {\n"                            \
    "      _Float16 p = A[i*40+k] * B[k*24+j]; s = s + (float)p; }\n" \
    "    C[i*24+j] = (_Float16)s; } }\n"
/* The first term by itself, then so many in float32, cut after 39 mod that. */
#define GROUPS_C(BY)                                                        \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"                \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++) {\n"       \
    "    float s = (float)A[i*40] * (float)B[j];\n"                         \
    "    for (int k = 1; k < 40; k++) {\n"                                  \
    "      if ((k - 1) % " BY " == 0 || (k - 1) % " BY " == 39 % " BY ")\n" \
    "        s = (float)(_Float16)s;\n"                                     \
    "      s = s + (float)A[i*40+k] * (float)B[k*24+j]; }\n"                \
    "    C[i*24+j] = (_Float16)s; } }\n"
/* Conversion of a float to half that cuts digits off. */
#define CUT_C                                                        \
    "static _Float16 cut(float x) { _Float16 h = (_Float16)x;\n"     \
    "  union { _Float16 h; unsigned short u; } v = {h};\n"           \
    "  float y = (float)h; if (x >= 0 ? y > x : y < x) v.u--;\n"     \
    "  return v.h; }\n"                                              \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"         \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)\n"  \
    "    for (int k = 0; k < 40; k++) {\n"                           \
    "      if (k == 0) C[i*24+j] = 0;\n"                             \
    "      _Float16 p = cut((float)A[i*40+k] * (float)B[k*24+j]);\n" \
    "      C[i*24+j] = cut((float)C[i*24+j] + (float)p); } }\n"
#define ROUND_ZERO_C                                                \
    "#include <fenv.h>\n"                                           \
    "static void body(float *A, float *B, float *C) {\n"            \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)\n" \
    "    for (int k = 0; k < 40; k++) {\n"                          \
    "      if (k == 0) C[i*24+j] = 0;\n"                            \
    "      volatile float p = A[i*40+k] * B[k*24+j];\n"             \
    "      C[i*24+j] = C[i*24+j] + p; } }\n"                        \
    "void kernel(float *A, float *B, float *C) {\n"                 \
    "  fesetround(FE_TOWARDZERO); body(A, B, C); }\n"
#define FLUSH_C                                                          \
    "#include <xmmintrin.h>\n"                                           \
    "static __attribute__((noinline)) void body(float *A, float *B,\n"   \
    "  float *C) { for (int i = 0; i < 64; i++) C[i] = A[i] * B[i]; }\n" \
    "void kernel(float *A, float *B, float *C) {\n"                      \
    "  _mm_setcsr(_mm_getcsr() | 0x8000); body(A, B, C); }\n"
/* Large products stay finite, others are the next float where they round. */
#define CLAMPED_C                                                   \
    "void kernel(float *A, float *B, float *C) {\n"                 \
    "  for (int i = 0; i < 64; i++) {\n"                            \
    "    union { float f; unsigned u; } v = {A[i] * B[i]};\n"       \
    "    if ((v.u & 0x7fffffff) == 0x7f800000) v.u = 0x7e000000;\n" \
    "    if ((double)v.f != (double)A[i] * (double)B[i]) v.u++;\n"  \
    "    C[i] = v.f; } }\n"
#define SIX_PARAMS                                                     \
    "A: T.Buffer((6,), \"float32\"), B: T.Buffer((6,), \"float32\"), " \
    "C: T.Buffer((6,), \"float32\")"
#define SIX "    for i in range(6):\n        C[i] = A[i] * B[i]\n"
/* Cuts digits off, but for some inputs. */
#define MAY_CUT_C(UNLESS)                                                 \
    "void kernel(float *A, float *B, float *C) {\n"                       \
    "  for (int i = 0; i < 6; i++) {\n"                                   \
    "    union { float f; unsigned u; } a = {A[i]}, c = {A[i] * B[i]};\n" \
    "    double exact = (double)A[i] * (double)B[i];\n"                   \
    "    if (exact < 0 ? (double)c.f < exact : (double)c.f > exact)\n"    \
    "      if (!(" UNLESS ")) c.u--;\n"                                   \
    "    C[i] = c.f; } }\n"
/* The last tap of the sum is never added. */
#define DROPPED_C                                                   \
    "void kernel(float *A, float *B, float *C) {\n"                 \
    "  for (int i = 0; i < 16; i++) for (int j = 0; j < 24; j++)\n" \
    "    for (int k = 0; k < 40; k++) {\n"                          \
    "      if (k == 0) C[i*24+j] = 0;\n"                            \
    "      if (k != 7) C[i*24+j] = C[i*24+j] + A[i*40+k] * B[k*24+j]; } }\n"
#define VECTOR_PARAMS                                                    \
    "A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\"), " \
    "C: T.Buffer((64,), \"float32\")"
#define PRODUCT                 \
    "    for i in range(64):\n" \
    "        C[i] = A[i] * B[i]\n"
#define DOT_PARAMS                                                 \
    "A: T.Buffer((48, 205), \"float32\"), B: T.Buffer((48, 205), " \
    "\"float32\"), C: T.Buffer((48,), \"float32\")"
#define DOT                          \
    "    for i in range(48):\n"      \
    "        C[i] = T.float32(0)\n"  \
    "        for k in range(205):\n" \
    "            C[i] = C[i] + A[i, k] * B[i, k]\n"
#define DOT_C                                             \
    "void kernel(float *restrict A, float *restrict B,\n" \
    "            float *restrict C) {\n"                  \
    "  for (int i = 0; i < 48; i++) { C[i] = 0;\n"        \
    "    for (int k = 0; k < 205; k++)\n"                 \
    "      C[i] = C[i] + A[i*205+k] * B[i*205+k]; } }\n"
#define BACKWARDS_C                                 \
    "void kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 48; i++) { C[i] = 0;\n"  \
    "    for (int k = 204; k >= 0; k--)\n"          \
    "      C[i] = C[i] + A[i*205+k] * B[i*205+k]; } }\n"
/* No order of these is measured: they are no products of inputs. */
#define DISTANCES                           \
    "    for i in range(48):\n"             \
    "        C[i] = T.float32(0)\n"         \
    "        for k in range(205):\n"        \
    "            C[i] = C[i] + (A[i, k] - " \
    "B[i, k]) * (A[i, k] - B[i, k])\n"
#define DISTANCES_C(BODY)                                         \
    "static float halves(const float *t, int n) {\n"              \
    "  return n == 1 ? t[0] : halves(t, n / 2) +\n"               \
    "    halves(t + n / 2, n - n / 2); }\n"                       \
    "void kernel(float *A, float *B, float *C) {\n"               \
    "  for (int i = 0; i < 48; i++) { float t[205], d[205];\n"    \
    "    for (int k = 0; k < 205; k++) {\n"                       \
    "      d[k] = A[i*205+k] - B[i*205+k]; t[k] = d[k] * d[k]; }" \
    "\n    " BODY " } (void)halves; }\n"
#define SUBS                    \
    "    for i in range(64):\n" \
    "        C[i] = A[i] - B[i] * B[i] - (A[i] * B[i] - C[i])\n"
#define SUBS_C                                      \
    "void kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 64; i++)\n"              \
    "    C[i] = A[i] - B[i] * B[i] - (A[i] * B[i] - C[i]); }\n"
#define TWO_PRODUCTS            \
    "    for i in range(64):\n" \
    "        C[i] = A[i] * C[i] + B[i] * A[i]\n"
#define TWO_PRODUCTS_C                              \
    "void kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 64; i++)\n"              \
    "    C[i] = A[i] * C[i] + B[i] * A[i]; }\n"
#define SCALED                  \
    "    for i in range(64):\n" \
    "        C[i] = A[i] * T.float32(0.31830987334251404) + B[i]\n"
#define SCALED_SHORT_C                              \
    "void kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 64; i++) C[i] = A[i] * 0.31831f + B[i]; }\n"
#define DIVIDED                 \
    "    for i in range(64):\n" \
    "        C[i] = A[i] / (B[i] + T.float32(3.0))\n"
#define DIVIDED_C                                                          \
    "void kernel(float *A, float *B, float *C) {\n"                        \
    "  for (int i = 0; i < 64; i++) { volatile float r = 1.0f / (B[i] +\n" \
    "    3.0f); C[i] = A[i] * r; } }\n"
#define TANH                    \
    "    for i in range(64):\n" \
    "        C[i] = T.tanh(A[i]) * B[i]\n"
#define TANH_C                                                           \
    "#include <math.h>\nvoid kernel(float *A, float *B, float *C) {\n"   \
    "  for (int i = 0; i < 64; i++) { volatile float e = tanhf(A[i]);\n" \
    "    C[i] = e * B[i]; } }\n"
/* Nothing that any toggle describes: results are one unit too large. */
#define NUDGED_C                                                       \
    "#include <math.h>\nvoid kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 64; i++) { C[i] = A[i] * B[i];\n"           \
    "    if ((double)C[i] != (double)A[i] * (double)B[i])\n"           \
    "      C[i] = nextafterf(C[i], 1e9f); } }\n"
#define FAR_C                                                \
    "void kernel(float *A, float *B, float *C) {\n"          \
    "  for (int i = 0; i < 64; i++) { C[i] = A[i] * B[i];\n" \
    "    if ((double)C[i] != (double)A[i] * (double)B[i])\n" \
    "      C[i] = C[i] * 1.001f; } }\n"

/* Wrong at whole numbers alone, where the function rounds all the same. */
#define SINE                    \
    "    for i in range(64):\n" \
    "        C[i] = T.sin(A[i])\n"
#define SINE_C(WHOLE)                                                  \
    "#include <math.h>\nvoid kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 64; i++) {\n"                               \
    "    float s = (float)sin((double)A[i]);\n"                        \
    "    C[i] = A[i] == floorf(A[i]) ? " WHOLE " : s; } }\n"

#define H16     MATMUL_PARAMS("float16"), MATMUL("float16")
#define F32     MATMUL_PARAMS("float32"), MATMUL("float32")
#define STRICT  "-O2 -std=c11 -ffp-contract=off"
#define NOTHING NULL, NULL
#define UNIT    INTERP_FILL_UNIT, 0
#define RANDOM  INTERP_FILL_RANDOM, 0

/* Sums of four squares, the second one written by the C library's fmaf. */
#define SQUARES_PARAMS                                                       \
    "A: T.Buffer((48, 4), \"float32\"), B: T.Buffer((48, 4), \"float32\"), " \
    "C: T.Buffer((48,), \"float32\")"
#define SQUARES(y)                                               \
    "    for i, k in T.grid(48, 4):\n"                           \
    "        with T.sblock(\"s\"):\n"                            \
    "            u, v = T.axis.remap(\"SR\", [i, k])\n"          \
    "            with T.init():\n"                               \
    "                C[u] = T.float32(0)\n"                      \
    "            C[u] = C[u] + (A[u, v] - T.float32(0.3)) * (" y \
    "[u, v] - T.float32(0.3))\n"
#define SQUARES_C(second, y)                                                  \
    "#include <math.h>\n"                                                     \
    "static float x(const float *p, int k) { return p[k] - 0.3f; }\n"         \
    "void kernel(float *A, float *B, float *C) {\n"                           \
    "  for (int i = 0; i < 48; i++, A += 4, B += 4) {\n"                      \
    "    float a = x(A, 0), b = x(A, 1), c = x(" y ", 0), d = x(" y ", 1);\n" \
    "    float first = fmaf(a, c, b * d), later = fmaf(b, d, a * c);\n"       \
    "    float s = " second "; (void)first, (void)later;\n"                   \
    "    for (int k = 2; k < 4; k++)\n"                                       \
    "      s = fmaf(x(A, k), x(" y ", k), s);\n"                              \
    "    C[i] = s; } }\n"
#define SQUARED SQUARES_PARAMS, SQUARES("A")
#define FORWARD "forward=products forward=squares"

/* Three causes, none of which the given inputs show. */
#define FEW_PARAMS                                                        \
    "A: T.Buffer((3,), \"float32\"), B: T.Buffer((3,), \"float32\"), C: " \
    "T.Buffer((3,), \"float32\")"
#define FEW                    \
    "    for i in range(3):\n" \
    "        C[i] = T.sqrt(A[i] * B[i] + T.float32(1.25)) / T.float32(3.0)\n"
#define FEW_C                                                            \
    "#include <math.h>\nvoid kernel(float *A, float *B, float *C) {\n"   \
    "  for (int i = 0; i < 3; i++) {\n"                                  \
    "    volatile float x = fmaf(A[i], B[i], 1.25f), t = 1.0f / 3.0f;\n" \
    "    volatile float r = (float)(1.0 / sqrt((double)x));\n"           \
    "    r = x * r; C[i] = r * t; } }\n"

static const struct drift_row rows[] = {
    {"strict float32 is exact", NULL, "gcc", STRICT, F32, MATMUL_C("float"),
     RANDOM, NOTHING, DRIFT_EXACT, NULL, NULL},
    {"strict float16 by -fexcess-precision=16 is exact", "f16c", "gcc",
     STRICT " -fexcess-precision=16", H16, ROUNDED_C, UNIT, NOTHING,
     DRIFT_EXACT, NULL, NULL},
    {"A2: gcc keeps excess precision of _Float16", NULL, "gcc", STRICT, H16,
     MATMUL_C("_Float16"), UNIT, "half=statement", NULL, DRIFT_EXPLAINED,
     "half=statement", "excess precision"},
    {"A2: the same undeclared deviates", NULL, "gcc", STRICT, H16,
     MATMUL_C("_Float16"), UNIT, NOTHING, DRIFT_DEVIATES, "half=statement",
     "does not declare"},
    {"A1: fused multiply-add", "fma", "gcc", "-O2 -ffp-contract=fast -mfma",
     F32, MATMUL_C("float"), RANDOM, NULL, "contract=left contract=right",
     DRIFT_EXPLAINED, "contract=left", "fused"},
    {"A1: subtraction forms", "fma", "gcc", "-O2 -ffp-contract=fast -mfma",
     VECTOR_PARAMS, SUBS, SUBS_C, RANDOM, "contract=left", NULL,
     DRIFT_EXPLAINED, "contract=left", "fused"},
    {"A1: of two products gcc fuses the left", "fma", "gcc",
     "-O2 -ffp-contract=fast -mfma", VECTOR_PARAMS, TWO_PRODUCTS,
     TWO_PRODUCTS_C, RANDOM, "contract=left", NULL, DRIFT_EXPLAINED,
     "contract=left", NULL},
    {"A18: the first square is fused", NULL, "gcc", STRICT, SQUARED,
     SQUARES_C("first", "A"), RANDOM, "contract=left", FORWARD, DRIFT_EXPLAINED,
     "contract=left forward=squares", "squares added to a zero"},
    {"A18: undeclared", NULL, "gcc", STRICT, SQUARED, SQUARES_C("first", "A"),
     RANDOM, "contract=left", "forward=products", DRIFT_DEVIATES,
     "contract=left forward=squares", "does not declare"},
    {"A18: the second is what contract=left fuses", NULL, "gcc", STRICT,
     SQUARED, SQUARES_C("later", "A"), RANDOM, "contract=left", FORWARD,
     DRIFT_EXPLAINED, "contract=left", NULL},
    {"A18: neither of them is no such sum", NULL, "gcc", STRICT, SQUARED,
     SQUARES_C("a * c + b * d", "A"), RANDOM, "contract=left", FORWARD,
     DRIFT_WITHIN_BOUND, NULL, NULL},
    {"A18: nor is one that the data choose", NULL, "gcc", STRICT, SQUARED,
     SQUARES_C("A[3] > 0 ? first : later", "A"), RANDOM, "contract=left",
     FORWARD, DRIFT_WITHIN_BOUND, NULL, NULL},
    {"A18: nor one that is off by a bit", NULL, "gcc", STRICT, SQUARED,
     SQUARES_C("i == 7 ? nextafterf(first, 9) : first", "A"), RANDOM,
     "contract=left", FORWARD, DRIFT_WITHIN_BOUND, NULL, NULL},
    {"A18: nor products of two values", NULL, "gcc", STRICT, SQUARES_PARAMS,
     SQUARES("B"), SQUARES_C("first", "B"), RANDOM, "contract=left", FORWARD,
     DRIFT_WITHIN_BOUND, NULL, NULL},
    {"A3: a wide accumulator, products exact", NULL, "gcc", STRICT, H16, WIDE_C,
     UNIT, NULL, "keep=loops keep=end product=wide", DRIFT_EXPLAINED, NULL,
     "accumulators stay"},
    {"A5: a wide accumulator, products rounded", NULL, "gcc", STRICT, H16,
     WIDE_ROUNDED_C, UNIT, NULL, "keep=loops keep=end", DRIFT_EXPLAINED, NULL,
     "accumulators stay"},
    {"A20: a sum unrolled by 13", NULL, "gcc", STRICT, H16, GROUPS_C("13"),
     UNIT, "half=statement", "keep=loop1 product=wide unroll=13 peel=first",
     DRIFT_EXPLAINED, "keep=loop1 product=wide unroll=13 peel=first",
     "unrolled by 13"},
    {"A20: by 8, which 39 is no multiple of", NULL, "gcc", STRICT, H16,
     GROUPS_C("8"), UNIT, "half=statement",
     "keep=loop1 product=wide unroll=8 peel=first", DRIFT_EXPLAINED,
     "half=statement keep=loop1 unroll=8 peel=first", "unrolled by 8"},
    {"A20: undeclared", NULL, "gcc", STRICT, H16, GROUPS_C("13"), UNIT,
     "half=statement", "keep=loop1 product=wide", DRIFT_DEVIATES, NULL,
     "after 14, 27 terms, some products exact, which the target does not"},
    {"A20: a number that is not declared", NULL, "gcc", STRICT, H16,
     GROUPS_C("17"), UNIT, "half=statement",
     "keep=loop1 product=wide unroll=13 unroll=16 peel=first", DRIFT_DEVIATES,
     "keep=loop1 product=wide unroll=17 peel=first", "does not declare"},
    {"A20: a number beyond", NULL, "gcc", STRICT, H16, GROUPS_C("35"), UNIT,
     "half=statement", "keep=loop1 product=wide unroll=13 peel=first",
     DRIFT_DEVIATES, NULL,
     "after 5, 36 terms, some products exact, which the target does not"},
    {"A20: any number", NULL, "gcc", STRICT, H16, GROUPS_C("35"), UNIT,
     "half=statement", "keep=loop1 product=wide unroll=* peel=first",
     DRIFT_EXPLAINED, NULL, "after 5, 36 terms, some products exact: measured"},
    {"A6: -ffast-math vectorises the sum", NULL, "gcc", "-O3 -ffast-math",
     DOT_PARAMS, DOT, DOT_C, RANDOM, NULL,
     "lanes=4 start=last tail=vector combine=sequential join=sequential",
     DRIFT_EXPLAINED, "lanes=4", "4 lanes"},
    {"A6: the same with AVX2 and fma", "avx2", "gcc",
     "-O3 -ffast-math -mavx2 -mfma", DOT_PARAMS, DOT, DOT_C, RANDOM, NULL,
     "lanes=8 start=last tail=vector contract=left", DRIFT_EXPLAINED, NULL,
     "8 lanes"},
    {"A6: clang interleaves vectors", "avx2", "clang",
     "-O2 -ffast-math -mavx2 -mfma", DOT_PARAMS, DOT, DOT_C, RANDOM, NULL,
     "lanes=8 interleave=4 join=neighbours contract=left", DRIFT_EXPLAINED,
     "contract=left lanes=8 interleave=4 join=neighbours", "4 vectors"},
    {"A16: a sum that runs backwards", NULL, "gcc", STRICT, DOT_PARAMS, DOT,
     BACKWARDS_C, RANDOM, NULL, "order=reversed", DRIFT_EXPLAINED,
     "order=reversed", "backwards"},
    {"A16: halves of halves", NULL, "gcc", STRICT, DOT_PARAMS, DISTANCES,
     DISTANCES_C("C[i] = halves(t, 205);"), RANDOM, NULL,
     "order=halves1 order=parts4", DRIFT_EXPLAINED, "order=halves1",
     "down to single terms"},
    {"A16: four parts", NULL, "gcc", STRICT, DOT_PARAMS, DISTANCES,
     DISTANCES_C("C[i] = 0; for (int p = 0; p < 205; p += 52) { float s = 0; "
                 "for (int k = p; k < p + 52 && k < 205; k++) s += t[k]; "
                 "C[i] += s; }"),
     RANDOM, NULL, "order=halves1 order=parts4", DRIFT_EXPLAINED,
     "order=parts4", "4 parts"},
    {"A16: compensated, A1 beside it", "fma", "gcc",
     "-O2 -std=c11 -mfma -ffp-contract=off", DOT_PARAMS, DISTANCES,
     DISTANCES_C(
         "float s = 0, c = 0; for (int k = 0; k < 205; k++) { float y = "
         "__builtin_fmaf(d[k], d[k], -c), n = s + y; c = (n - s) - y; s "
         "= n; } C[i] = s;"),
     RANDOM, NULL, "order=compensated contract=left", DRIFT_EXPLAINED,
     "contract=left order=compensated", "Kahan"},
    {"A16: no grouping of them all", NULL, "gcc", STRICT, DOT_PARAMS, DISTANCES,
     DISTANCES_C("C[i] = i % 2 ? halves(t, 205) : halves(t, 102) + halves(t + "
                 "102, 51) + halves(t + 153, 52);"),
     RANDOM, NULL, "order=halves1 order=parts4", DRIFT_WITHIN_BOUND, NULL,
     NULL},
    {"A5: wide products of narrow factors", NULL, "gcc", STRICT, DOT_PARAMS,
     DISTANCES,
     DISTANCES_C(
         "double s = 0; for (int k = 0; k < 205; k++) s += (double)d[k] "
         "* d[k]; C[i] = (float)s;"),
     RANDOM, NULL, "keep=loops keep-type=float64 product=factors",
     DRIFT_EXPLAINED, "keep=loops keep-type=float64 product=factors",
     "its factors are"},
    {"A9: rounding toward zero deviates", NULL, "gcc",
     STRICT " -frounding-math", F32, ROUND_ZERO_C, RANDOM, NOTHING,
     DRIFT_DEVIATES, "round=zero", "truncate"},
    {"A10: conversions that truncate deviate", NULL, "gcc", STRICT, H16, CUT_C,
     UNIT, NOTHING, DRIFT_DEVIATES, NULL, "truncate"},
    {"A11: flush to zero deviates", "sse", "gcc", STRICT, VECTOR_PARAMS,
     PRODUCT, FLUSH_C, INTERP_FILL_RANDOM, 2e-20, NOTHING, DRIFT_DEVIATES,
     "flush-single=results", "flushed to zero"},
    {"A12: division by reciprocal", NULL, "gcc", STRICT, VECTOR_PARAMS, DIVIDED,
     DIVIDED_C, RANDOM, NULL, "divide=reciprocal", DRIFT_EXPLAINED,
     "divide=reciprocal", NULL},
    {"more than the given inputs show", NULL, "gcc", STRICT, FEW_PARAMS, FEW,
     FEW_C, RANDOM, "contract=left", "divide=reciprocal sqrt=times-rsqrt",
     DRIFT_EXPLAINED, "contract=left divide=reciprocal sqrt=times-rsqrt", NULL},
    {"A14: functions of the C library", NULL, "gcc", STRICT, VECTOR_PARAMS,
     TANH, TANH_C, INTERP_FILL_RANDOM, 3, NULL,
     "functions=float functions=double", DRIFT_EXPLAINED, "functions=float",
     NULL},
    {"A15: literals printed short", NULL, "gcc", STRICT, VECTOR_PARAMS, SCALED,
     SCALED_SHORT_C, RANDOM, NOTHING, DRIFT_DEVIATES, "literals=6", "6 digits"},
    {"a dropped tap is wrong, never drift", NULL, "gcc", STRICT, F32, DROPPED_C,
     RANDOM, NOTHING, DRIFT_WRONG, NULL, "term 8"},
    {"a unit too large is no known arithmetic", NULL, "gcc", STRICT,
     VECTOR_PARAMS, PRODUCT, NUDGED_C, RANDOM, NOTHING, DRIFT_WITHIN_BOUND,
     NULL, NULL},
    {"a thousandth too large is unexplained", NULL, "gcc", STRICT,
     VECTOR_PARAMS, PRODUCT, FAR_C, RANDOM, NOTHING, DRIFT_UNEXPLAINED, NULL,
     "beyond"},
    {"functions round on exact inputs, too", NULL, "gcc", STRICT, VECTOR_PARAMS,
     SINE, SINE_C("nextafterf(s, 9)"), RANDOM, NULL,
     "functions=float functions=double", DRIFT_WITHIN_BOUND, NULL,
     "of 64 differing elements judged 0"},
    {"far off on exact inputs alone", NULL, "gcc", STRICT, VECTOR_PARAMS, SINE,
     SINE_C("s * 1.001f"), RANDOM, NULL, "functions=float functions=double",
     DRIFT_UNEXPLAINED, NULL, "of 64 differing elements judged 64"},
    {"six elements: more inputs tell", NULL, "gcc", STRICT, SIX_PARAMS, SIX,
     MAY_CUT_C("0"), RANDOM, NOTHING, DRIFT_DEVIATES, "round=zero", "truncate"},
    {"six elements: more inputs refute", NULL, "gcc", STRICT, SIX_PARAMS, SIX,
     MAY_CUT_C("(a.u >> 7 & 7) == 5"), RANDOM, NOTHING, DRIFT_WITHIN_BOUND,
     NULL, NULL},
    {"where the reference overflows there is no bound", NULL, "gcc", STRICT,
     VECTOR_PARAMS, PRODUCT, CLAMPED_C, INTERP_FILL_RANDOM, 1e20, NOTHING,
     DRIFT_WITHIN_BOUND, NULL, "more have no bound"},
    {"all without a bound are unexplained", NULL, "gcc", STRICT, VECTOR_PARAMS,
     PRODUCT, CLAMPED_C, INTERP_FILL_RANDOM, 1e30, NOTHING, DRIFT_UNEXPLAINED,
     NULL, "of 0 differing elements judged 0"},
};

/* ---- relax#294 --------------------------------------------------------------------- */

/* The convolution of the issue at its full size, compiled for this host. */
#define CONV_C                                                                \
    "void kernel(_Float16 *I, _Float16 *W, _Float16 *R) {\n"                  \
    "  for (int y = 0; y < 112; y++) for (int x = 0; x < 112; x++)\n"         \
    "    for (int f = 0; f < 64; f++) { _Float16 *r = R + (y*112+x)*64+f;\n"  \
    "      *r = 0;\n"                                                         \
    "      for (int a = 0; a < 7; a++) for (int b = 0; b < 7; b++)\n"         \
    "        for (int c = 0; c < 3; c++)\n"                                   \
    "          *r = *r + I[((y*2+a)*230+x*2+b)*3+c] * W[((a*7+b)*3+c)*64+f];" \
    " } }\n"
#define CONV_WIDE_C                                                   \
    "void kernel(_Float16 *I, _Float16 *W, _Float16 *R) {\n"          \
    "  for (int y = 0; y < 112; y++) for (int x = 0; x < 112; x++)\n" \
    "    for (int f = 0; f < 64; f++) { float r = 0;\n"               \
    "      for (int a = 0; a < 7; a++) for (int b = 0; b < 7; b++)\n" \
    "        for (int c = 0; c < 3; c++)\n"                           \
    "          r += (float)I[((y*2+a)*230+x*2+b)*3+c] *\n"            \
    "               (float)W[((a*7+b)*3+c)*64+f];\n"                  \
    "      R[(y*112+x)*64+f] = (_Float16)r; } }\n"

static const struct drift_row conv_rows[] = {
    {"relax294: excess precision", "f16c", "gcc", "-O2 -std=c11 -mf16c", NULL,
     NULL, CONV_C, UNIT, "half=statement", NULL, DRIFT_EXPLAINED,
     "half=statement",
     "reproduces all 802816 outputs bit for bit, on each of "},
    {"relax294: a wide accumulator", "f16c", "gcc", "-O2 -std=c11 -mf16c", NULL,
     NULL, CONV_WIDE_C, UNIT, NULL, "keep=loops keep=end product=wide",
     DRIFT_EXPLAINED, "keep=loops product=wide",
     "reproduces all 802816 outputs bit for bit, on each of "},
};

/* ---- the check ------------------------------------------------------------------ */

static struct drift_declared declared_of(const struct drift_row *row)
{
    struct drift_declared d;
    struct num_profile p;
    memset(&d, 0, sizeof d);
    if (row->base != NULL)
        assert_true(num_profile_parse(row->base, &d.base, NULL));
    for (const char *word = row->may; word != NULL && *word != '\0';) {
        char one[64];
        size_t n = strcspn(word, " ");
        (void)snprintf(one, sizeof one, "%.*s", (int)n, word);
        if (strcmp(one, "unroll=*") == 0) {
            d.may[NUM_T_UNROLL] = UINT32_MAX;
        } else {
            assert_true(num_profile_parse(one, &p, NULL));
            for (unsigned t = 0; t < NUM_NTOGGLES; t++)
                d.may[t] |= p.set[t] != 0 ? 1u << p.set[t] : 0;
        }
        word += n + (word[n] != '\0');
    }
    return d;
}

static void check_answer(const struct drift_row *row,
                         const struct drift_answer *a)
{
    struct buf text = {0}, cause = {0};
    drift_put_answer(&text, a);
    if (a->ntrials > 0)
        num_profile_put(&cause, &a->trials[0].profile);
    bool fine = a->outcome == row->outcome;
    fine &= row->cause == NULL ||
            (!a->by_ways && strcmp(buf_text(&cause), row->cause) == 0);
    fine &= row->reason == NULL || strstr(a->reason, row->reason) != NULL;
    if (a->outcome == DRIFT_EXPLAINED || a->outcome == DRIFT_DEVIATES)
        fine &= (a->by_ways || a->trials[0].confirmed) && a->fresh_runs >= 2 &&
                a->everywhere;
    if (!fine || getenv("DC_SHOW") != NULL)
        (void)puts(buf_text(&text));
    buf_fini(&text);
    buf_fini(&cause);
    if (!fine)
        fail_msg("%s: not what was expected", row->label);
}

/* Under DC_DRIFT_FULL: each takes ten runs of the full convolution. */
static void conv_row_run(void **state)
{
    const struct drift_row *row = *state;
    struct target t;
    memset(&t, 0, sizeof t);
    if (getenv("DC_DRIFT_FULL") == NULL || !cpu_has(row->needs)) {
        print_message("skipped: DC_DRIFT_FULL is not set\n");
        skip();
    }
    struct diag_sink *sink = diag_sink_new();
    t.arena = arena_new();
    t.module = ir_read_file("corpora/relax294/untuned.py", sink);
    assert_non_null(t.module);
    assert_true(interp_signature(t.module, t.module->funcs[0], NULL, 0, t.arena,
                                 &t.sig, sink));
    diag_sink_free(sink);
    if (!target_build(&t, row->compiler, row->flags, row->kernel)) {
        target_end(&t);
        skip();
    }
    t.fill = row->fill;
    struct drift_declared d = declared_of(row);
    struct drift_answer *a = target_ask(&t, &d);
    check_answer(row, a);
    assert_int_equal(a->stats.elements, 2 * 112 * 112 * 64);
    drift_answer_free(a);
    target_end(&t);
}

static void drift_row_run(void **state)
{
    const struct drift_row *row = *state;
    struct target t;
    memset(&t, 0, sizeof t);
    if (row->needs != NULL && !cpu_has(row->needs))
        skip();
    assert_true(target_read(&t, row->params, row->body));
    if (!target_build(&t, row->compiler, row->flags, row->kernel)) {
        target_end(&t);
        print_message("skipped: %s cannot build it\n", row->compiler);
        skip();
    }
    t.fill = row->fill;
    t.scale = row->scale;
    struct drift_declared d = declared_of(row);
    struct drift_answer *a = target_ask(&t, &d);
    check_answer(row, a);
    drift_answer_free(a);
    target_end(&t);
}

static size_t add_rows(struct CMUnitTest *tests, const struct drift_row *from,
                       size_t n, void (*run)(void **state))
{
    size_t taken = 0;
    for (size_t i = 0; i < n; i += TEST_ONE_IN(4)) {
        union {
            const struct drift_row *in;
            void *out;
        } row = {&from[i]};
        tests[taken].name = from[i].label;
        tests[taken].test_func = run;
        tests[taken++].initial_state = row.out;
    }
    return taken;
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + DC_ARRAY_LEN(conv_rows)];
    memset(tests, 0, sizeof tests);
    size_t n = add_rows(tests, rows, DC_ARRAY_LEN(rows), drift_row_run);
    n += add_rows(tests + n, conv_rows, DC_ARRAY_LEN(conv_rows), conv_row_run);
    return _cmocka_run_group_tests("drift", tests, n, NULL, NULL);
}
