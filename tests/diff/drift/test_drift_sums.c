/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of summation of compiled kernels: measured, named, and used as an
 * explanation. The order of the first kernels is written out in C and compiled
 * without leave to change it, so that the trees are known; those of the others
 * are the compilers' own.
 */
#include "tests/diff/drift/drift_case.h"

/* ---- kernels ------------------------------------------------------------------- */

#define DOT(T, M, K)                                                           \
    "A: T.Buffer((" M ", " K "), \"" T "\"), B: T.Buffer((" M ", " K "), \"" T \
    "\"), C: T.Buffer((" M ",), \"" T "\")",                                   \
        "    for i in range(" M "):\n"                                         \
        "        C[i] = T." T "(0)\n"                                          \
        "        for k in range(" K "):\n"                                     \
        "            C[i] = C[i] + A[i, k] * B[i, k]\n"
/* Over two loops, of which A16 groups the innermost alone. */
#define NESTED_DOT                                                             \
    "A: T.Buffer((16, 64), \"float32\"), B: T.Buffer((16, 64), \"float32\"), " \
    "C: T.Buffer((16,), \"float32\")",                                         \
        "    for i in range(16):\n"                                            \
        "        C[i] = T.float32(0)\n"                                        \
        "        for j, k in T.grid(8, 8):\n"                                  \
        "            C[i] = C[i] + A[i, j * 8 + k] * B[i, j * 8 + k]\n"
/* Groups of four reach over the innermost loop. */
#define PAIRS_DOT                                                              \
    "A: T.Buffer((16, 64), \"float32\"), B: T.Buffer((16, 64), \"float32\"), " \
    "C: T.Buffer((16,), \"float32\")",                                         \
        "    for i in range(16):\n"                                            \
        "        C[i] = T.float32(0)\n"                                        \
        "        for j, k in T.grid(32, 2):\n"                                 \
        "            C[i] = C[i] + A[i, j * 2 + k] * B[i, j * 2 + k]\n"
#define SUM(M, K)                                               \
    "A: T.Buffer((" M ", " K "), \"float32\"), C: T.Buffer((" M \
    ",), \"float32\")",                                         \
        "    for i in range(" M "):\n"                          \
        "        C[i] = T.float32(0)\n"                         \
        "        for k in range(" K "):\n"                      \
        "            C[i] = C[i] + A[i, k]\n"
#define ADDED                                                                \
    "A: T.Buffer((16, 5), \"float32\"), B: T.Buffer((16, 5), \"float32\"), " \
    "C: T.Buffer((16,), \"float32\")",                                       \
        "    for i in range(16):\n"                                          \
        "        for k in range(5):\n"                                       \
        "            C[i] = C[i] + A[i, k] * B[i, k]\n"

#define HEAD(T, M)                                                             \
    "#include <math.h>\n"                                                      \
    "void kernel(" T " *restrict A, " T " *restrict B, " T " *restrict C) {\n" \
    "  for (int i = 0; i < " M "; i++) {\n"
#define PRODUCT(K)                                                         \
    "    const float *a = A + i * " #K ", *b = B + i * " #K ";\n"          \
    "    float p[" #K "]; for (int k = 0; k < " #K "; k++) p[k] = a[k] * " \
    "b[k];\n"
#define TREE_C                                      \
    HEAD("float", "16")                             \
    PRODUCT(6)                                      \
    "    C[i] = ((p[3] + p[0]) + (p[1] + p[2])) + " \
    "fmaf(a[4], b[4], p[5]); } }\n"
#define TWO_WAYS_C                                              \
    HEAD("float", "16")                                         \
    PRODUCT(6)                                                  \
    "    C[i] = i < 12 ? ((p[0] + p[1]) + (p[2] + p[3])) + "    \
    "(p[4] + p[5])\n"                                           \
    "      : (p[0] + (p[1] + p[2])) + (p[3] + (p[4] + p[5])); " \
    "} }\n"
#define FORMER_C                                            \
    HEAD("float", "16")                                     \
    PRODUCT(5)                                              \
    "    C[i] = ((p[0] + p[1]) + (p[2] + p[3])) + (C[i] + " \
    "p[4]); } }\n"
#define WIDE                                                                   \
    "A: T.Buffer((16, 12), \"float16\"), B: T.Buffer((16, 12), \"float16\"), " \
    "C: T.Buffer((16,), \"float32\")",                                         \
        "    for i in range(16):\n"                                            \
        "        C[i] = T.float32(0)\n"                                        \
        "        for k in range(12):\n"                                        \
        "            C[i] = C[i] + T.Cast(\"float32\", A[i, k]) * "            \
        "T.Cast(\"float32\", B[i, k])\n"
#define WIDE_HEAD                                         \
    "void kernel(_Float16 *A, _Float16 *B, float *C) {\n" \
    "  for (int i = 0; i < 16; i++) { float p[12];\n"     \
    "    for (int k = 0; k < 12; k++)\n"
#define WIDE_SUM                                                            \
    "    float q[6]; for (int k = 0; k < 6; k++) q[k] = p[k] + p[k + 6];\n" \
    "    C[i] = ((q[0] + q[1]) + (q[2] + q[3])) + (q[4] + q[5]); } }\n"
#define WIDE_C \
    WIDE_HEAD "      p[k] = (float)A[i*12+k] * (float)B[i*12+k];\n" WIDE_SUM
#define WIDE_ROUNDED_C                                             \
    WIDE_HEAD "      p[k] = (float)(_Float16)((float)A[i*12+k] * " \
              "(float)B[i*12+k]);\n" WIDE_SUM
/* A chain as deep as it has terms, of products that float16 does not hold,
 * rounded at places that no profile names. */
#define DEEP_C(WHERE)                                           \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"    \
    "  for (int i = 0; i < 16; i++) { float s = 0;\n"           \
    "    for (int k = 0; k < 64; k++) {\n"                      \
    "      s += (float)A[i * 64 + k] * (float)B[i * 64 + k];\n" \
    "      if (" WHERE ") s = (float)(_Float16)s; }\n"          \
    "    C[i] = (_Float16)s; } }\n"
/* In four lanes, rounded where they are half done. */
#define DEEP_LANES_C                                                   \
    "void kernel(_Float16 *A, _Float16 *B, _Float16 *C) {\n"           \
    "  for (int i = 0; i < 16; i++) { float s[4] = {0};\n"             \
    "    for (int k = 0; k < 64; k++) {\n"                             \
    "      s[k % 4] += (float)A[i * 64 + k] * (float)B[i * 64 + k];\n" \
    "      if (k / 4 == 7) s[k % 4] = (float)(_Float16)s[k % 4]; }\n"  \
    "    C[i] = (_Float16)((s[0] + s[1]) + (s[2] + s[3])); } }\n"
#define NUDGED_C                                            \
    HEAD("float", "16")                                     \
    PRODUCT(6)                                              \
    "    C[i] = ((p[0] + p[1]) + (p[2] + p[3])) + (p[4] + " \
    "p[5]);\n"                                              \
    "    if (C[i] != floorf(C[i])) C[i] = nextafterf(C[i], 9); } }\n"
/* The first half of the terms is summed in float16; the target adds the others in
 * an order of its own, the larger first. */
#define HALVES                                                             \
    "A: T.Buffer((16, 64), \"float32\"), C: T.Buffer((16,), \"float32\")", \
        "    P = T.alloc_buffer((1,), \"float16\")\n"                      \
        "    for i in range(16):\n"                                        \
        "        P[0] = T.float16(0)\n"                                    \
        "        for k in range(32):\n"                                    \
        "            P[0] = P[0] + T.Cast(\"float16\", A[i, k])\n"         \
        "        C[i] = T.Cast(\"float32\", P[0])\n"                       \
        "        for k in range(32):\n"                                    \
        "            C[i] = C[i] + A[i, 32 + k]\n"
#define HALVES_C                                                        \
    "#include <math.h>\n"                                               \
    "void kernel(float *A, float *C) {\n"                               \
    "  for (int i = 0; i < 16; i++) { _Float16 p = 0;\n"                \
    "    float t[33]; int n = 0;\n"                                     \
    "    for (int k = 0; k < 32; k++) p = p + (_Float16)A[i*64+k];\n"   \
    "    t[n++] = (float)p;\n"                                          \
    "    for (int k = 32; k < 64; k++) t[n++] = A[i*64+k];\n"           \
    "    for (int a = 0; a < n; a++) for (int b = a + 1; b < n; b++)\n" \
    "      if (fabsf(t[b]) > fabsf(t[a])) {\n"                          \
    "        float x = t[a]; t[a] = t[b]; t[b] = x; }\n"                \
    "    float s = 0; for (int k = 0; k < n; k++) s += t[k];\n"         \
    "    C[i] = s; } }\n"
#define STARTED_C(START)                                                \
    HEAD("float", "16")                                                 \
    PRODUCT(6)                                                          \
    "    float s = " START "; for (int k = 0; k < 6; k++) s += p[k];\n" \
    "    C[i] = s; } }\n"
#define KAHAN_C                                                \
    HEAD("float", "16")                                        \
    PRODUCT(64)                                                \
    "    float s = 0, c = 0; for (int k = 0; k < 64; k++) {\n" \
    "      float y = p[k] - c, t = s + y; c = (t - s) - y;\n"  \
    "      s = t; }\n"                                         \
    "    C[i] = s; } }\n"
/* 113 bits hold four products of such numbers and their sum. */
#define DOTS_C(START, ADD)                                              \
    HEAD("float", "16")                                                 \
    "    float s = 0; for (int k = 0; k < 64; k += 4) {\n"              \
    "      __float128 x = " START "; for (int j = k; j < k + 4; j++)\n" \
    "        x += (__float128)A[i * 64 + j] * B[i * 64 + j];\n"         \
    "      s = " ADD "(float)x; }\n"                                    \
    "    C[i] = s; } }\n"
#define DROPPED_C       \
    HEAD("float", "16") \
    PRODUCT(6) "    C[i] = ((p[0] + p[1]) + (p[2] + p[3])) + p[5]; } }\n"
#define PLAIN_C(K)                                    \
    HEAD("float", "16")                               \
    "    C[i] = 0; for (int k = 0; k < " K "; k++)\n" \
    "      C[i] = C[i] + A[i*" K "+k] * B[i*" K "+k]; } }\n"

/* As numpy documents the sum of contiguous numbers: blocks of up to 128 in 8
 * partial sums, longer ones by halves at multiples of 8. */
#define PAIRWISE_C                                                         \
    "static float sum(const float *a, int n) {\n"                          \
    "  if (n < 8) { float s = 0; for (int i = 0; i < n; i++) s += a[i];\n" \
    "    return s; }\n"                                                    \
    "  if (n > 128) { int m = n / 2; m -= m % 8;\n"                        \
    "    return sum(a, m) + sum(a + m, n - m); }\n"                        \
    "  float r[8]; int i; for (i = 0; i < 8; i++) r[i] = a[i];\n"          \
    "  for (; i < n - n % 8; i += 8)\n"                                    \
    "    for (int k = 0; k < 8; k++) r[k] += a[i + k];\n"                  \
    "  float s = ((r[0] + r[1]) + (r[2] + r[3])) +\n"                      \
    "            ((r[4] + r[5]) + (r[6] + r[7]));\n"                       \
    "  for (; i < n; i++) s += a[i];\n"                                    \
    "  return s; }\n"                                                      \
    "void kernel(float *A, float *C) {\n"                                  \
    "  for (int i = 0; i < 2; i++) C[i] = sum(A + i * 300, 300); }\n"
#define LOOP_C(K)                                                  \
    "void kernel(float *restrict A, float *restrict C) {\n"        \
    "  for (int i = 0; i < 3; i++) { float s = 0;\n"               \
    "    for (int k = 0; k < " K "; k++) s += A[i * " K " + k];\n" \
    "    C[i] = s; } }\n"
#define OPENMP_C                                                \
    "void kernel(float *A, float *C) {\n"                       \
    "  for (int i = 0; i < 3; i++) { float s = 0;\n"            \
    "#pragma omp parallel for num_threads(2) schedule(static) " \
    "reduction(+:s)\n"                                          \
    "    for (int k = 0; k < 10; k++) s += A[i * 10 + k];\n"    \
    "    C[i] = s; } }\n"
#define SQUARES                                                         \
    "A: T.Buffer((3, 9), \"float32\"), C: T.Buffer((3,), \"float32\")", \
        "    for i in range(3):\n"                                      \
        "        C[i] = T.float32(0)\n"                                 \
        "        for k in range(9):\n"                                  \
        "            C[i] = C[i] + A[i, k] * A[i, k]\n"
#define SQUARES_C                                                       \
    "void kernel(float *A, float *C) { for (int i = 0; i < 3; i++) {\n" \
    "  C[i] = 0; for (int k = 0; k < 9; k++)\n"                         \
    "    C[i] = C[i] + A[i*9+k] * A[i*9+k]; } }\n"
#define ROOTS                                                           \
    "A: T.Buffer((3, 9), \"float32\"), C: T.Buffer((3,), \"float32\")", \
        "    for i in range(3):\n"                                      \
        "        C[i] = T.float32(0)\n"                                 \
        "        for k in range(9):\n"                                  \
        "            C[i] = C[i] + T.sqrt(A[i, k])\n"

#define STRICT "-O2 -std=c11 -ffp-contract=off"
#define ORDER  "order=reversed"
#define RANDOM INTERP_FILL_RANDOM
#define BOTH   "order=reversed contract=left contract=right"

/* ---- explanations ---------------------------------------------------------------- */

struct sums_row {
    const char *label, *needs, *compiler, *flags;
    const char *params, *body, *kernel;
    const char *may;
    enum drift_outcome outcome;
    const char *tree; /* of the first way; NULL: any */
    size_t nways;     /* 0: any but none */
    size_t fused;     /* products of the first; SIZE_MAX: any */
    const char *text; /* part of what is printed */
    enum interp_fill fill;
};

static const struct sums_row rows[] = {
    {"a tree with one fused product", "fma", "gcc", STRICT " -mfma",
     DOT("float32", "16", "6"), TREE_C, BOTH, DRIFT_EXPLAINED,
     "(((0 3) (1 2)) (4 5))", 1, 1,
     "1 of 6 products fused into their addition: measured by masked inputs; "
     "reproduces every bit of the 64 elements compared, fresh inputs",
     RANDOM},
    {"its drawing", "fma", "gcc", STRICT " -mfma", DOT("float32", "16", "6"),
     TREE_C, BOTH, DRIFT_EXPLAINED, NULL, 1, 1, "`- *4 + 5  = ", RANDOM},
    {"the same where only fusing is declared", "fma", "gcc", STRICT " -mfma",
     DOT("float32", "16", "6"), TREE_C, "contract=left", DRIFT_DEVIATES, NULL,
     1, 1, "which the target does not declare", RANDOM},
    {"the same where only reordering is declared", "fma", "gcc",
     STRICT " -mfma", DOT("float32", "16", "6"), TREE_C, ORDER, DRIFT_DEVIATES,
     NULL, 1, 1, "which the target does not declare", RANDOM},
    {"elements summed in two ways", NULL, "gcc", STRICT,
     DOT("float32", "16", "6"), TWO_WAYS_C, ORDER, DRIFT_EXPLAINED,
     "(((0 1) (2 3)) (4 5))", 2, 0, "and in 1 other way", RANDOM},
    {"what the output held is a term", NULL, "gcc", STRICT, ADDED, FORMER_C,
     ORDER, DRIFT_EXPLAINED, "((0 5) ((1 2) (3 4)))", 1, 0,
     "0 is what it held before", RANDOM},
    {"float16 products in float32 need no fusing", "f16c", "gcc",
     STRICT " -mf16c", WIDE, WIDE_C, ORDER, DRIFT_EXPLAINED,
     "((((0 6) (1 7)) ((2 8) (3 9))) ((4 10) (5 11)))", 1, 12,
     "products exact: measured", INTERP_FILL_RANGE},
    {"float16 products rounded first", "f16c", "gcc", STRICT " -mf16c", WIDE,
     WIDE_ROUNDED_C, ORDER, DRIFT_DEVIATES,
     "((((0 6) (1 7)) ((2 8) (3 9))) ((4 10) (5 11)))", 1, 0,
     "products rounded first, which the target does not declare", RANDOM},
    {"float16 in float32, rounded now and then", "f16c", "gcc",
     STRICT " -mf16c", DOT("float16", "16", "64"), DEEP_C("k % 9 == 7"),
     ORDER " keep=end", DRIFT_EXPLAINED, NULL, 1, 64,
     "one after the other, in float32, rounded to float16 at 7 of 62 partial "
     "sums: after 8, 17, 26, ... terms, products exact: measured",
     RANDOM},
    {"rounded at even distances", "f16c", "gcc", STRICT " -mf16c",
     DOT("float16", "16", "64"), DEEP_C("k % 16 == 15 && k < 63"),
     ORDER " keep=end", DRIFT_EXPLAINED, NULL, 1, 64,
     "rounded to float16 at 3 of 62 partial sums: every 16 terms", RANDOM},
    {"not to the end", "f16c", "gcc", STRICT " -mf16c",
     DOT("float16", "16", "64"), DEEP_C("k == 7 || k == 15"), ORDER " keep=end",
     DRIFT_EXPLAINED, NULL, 1, 64,
     "rounded to float16 at 2 of 62 partial sums: after 8, 16 terms", RANDOM},
    {"the same undeclared", "f16c", "gcc", STRICT " -mf16c",
     DOT("float16", "16", "64"), DEEP_C("k % 9 == 7"), ORDER, DRIFT_DEVIATES,
     NULL, 1, 64, "which the target does not declare", RANDOM},
    {"lanes rounded in the middle", "f16c", "gcc", STRICT " -mf16c",
     DOT("float16", "16", "64"), DEEP_LANES_C, ORDER " keep=end",
     DRIFT_EXPLAINED, NULL, 1, 64,
     "in float32, rounded to float16 at 4 of 62 partial sums, products exact",
     RANDOM},
    {"what is rounded by its value has no place", "f16c", "gcc",
     STRICT " -mf16c", DOT("float16", "16", "64"), DEEP_C("s > 1"),
     ORDER " keep=end", DRIFT_WITHIN_BOUND, NULL, 0, SIZE_MAX,
     "adding so does not give its bits", RANDOM},
    {"a tree does not excuse what it does not give", NULL, "gcc", STRICT,
     DOT("float32", "16", "6"), NUDGED_C, BOTH, DRIFT_UNEXPLAINED,
     "(((0 1) (2 3)) (4 5))", 1, 0, "adding so does not give its bits", RANDOM},
    {"nor a bound what becomes of a term alone", NULL, "gcc", STRICT,
     DOT("float32", "16", "6"), NUDGED_C, BOTH, DRIFT_UNEXPLAINED, NULL, 0,
     SIZE_MAX, "and the other 5 terms are 0, which nothing rounds", RANDOM},
    {"a start of half a last digit", NULL, "gcc", STRICT,
     DOT("float32", "16", "6"), STARTED_C("0x1p-26f"), BOTH, DRIFT_UNEXPLAINED,
     NULL, 0, SIZE_MAX, "and the other 5 terms are 0, which nothing rounds",
     RANDOM},
    {"a term that the program itself rounds", "f16c", "gcc", STRICT " -mf16c",
     HALVES, HALVES_C, BOTH, DRIFT_WITHIN_BOUND, NULL, 0, SIZE_MAX,
     "0 are beyond the running error bounds", RANDOM},
    {"a start that no sum of one term shows", NULL, "gcc", STRICT,
     DOT("float32", "16", "6"), STARTED_C("0x1p-28f"), BOTH, DRIFT_WITHIN_BOUND,
     NULL, 0, SIZE_MAX, "0 are beyond the running error bounds", RANDOM},
    {"errors carried along", NULL, "gcc", STRICT, NESTED_DOT, KAHAN_C, ORDER,
     DRIFT_EXPLAINED, NULL, 0, SIZE_MAX,
     "carried along (Kahan): reproduces every bit of the 64 elements", RANDOM},
    {"the same undeclared", NULL, "gcc", STRICT, NESTED_DOT, KAHAN_C,
     "contract=left", DRIFT_DEVIATES, NULL, 0, SIZE_MAX,
     "which the target does not declare", RANDOM},
    {"four terms and the sum at once", NULL, "gcc", STRICT, PAIRS_DOT,
     DOTS_C("s", ""), ORDER, DRIFT_EXPLAINED, NULL, 0, SIZE_MAX,
     "4 at a time and the sum so far, exactly, rounded once", RANDOM},
    {"four terms, then the sum", NULL, "gcc", STRICT,
     DOT("float32", "16", "64"), DOTS_C("0", "s + "), ORDER, DRIFT_EXPLAINED,
     NULL, 0, SIZE_MAX, "4 at a time exactly, rounded, then to the sum so far",
     RANDOM},
    {"a dropped term in a tree is wrong", NULL, "gcc", STRICT,
     DOT("float32", "16", "6"), DROPPED_C, BOTH, DRIFT_WRONG, NULL, 0, SIZE_MAX,
     "term 5", RANDOM},
    {"gcc -ffast-math, 7 terms unrolled", "fma", "gcc",
     "-O3 -ffast-math -mavx2 -mfma", DOT("float32", "16", "7"), PLAIN_C("7"),
     BOTH, DRIFT_EXPLAINED, NULL, 0, SIZE_MAX, "reproduces every bit", RANDOM},
    {"gcc -ffast-math, 10 terms unrolled", "fma", "gcc",
     "-O3 -ffast-math -mavx2 -mfma", DOT("float32", "16", "10"), PLAIN_C("10"),
     BOTH, DRIFT_EXPLAINED, NULL, 0, SIZE_MAX, "reproduces every bit", RANDOM},
    {"gcc -ffast-math without fma, 13 terms", NULL, "gcc",
     "-O3 -ffast-math -ffp-contract=off", DOT("float32", "16", "13"),
     PLAIN_C("13"), ORDER, DRIFT_EXPLAINED, NULL, 0, SIZE_MAX,
     "reproduces every bit", RANDOM},
};

static struct drift_declared declared_of(const char *may)
{
    struct drift_declared d;
    struct num_profile p;
    memset(&d, 0, sizeof d);
    assert_true(num_profile_parse(may, &p, NULL) || strchr(may, ' ') != NULL);
    for (const char *word = may; *word != '\0';) {
        char one[64];
        size_t n = strcspn(word, " ");
        (void)snprintf(one, sizeof one, "%.*s", (int)n, word);
        assert_true(num_profile_parse(one, &p, NULL));
        for (unsigned t = 0; t < NUM_NTOGGLES; t++)
            d.may[t] |= p.set[t] != 0 ? 1u << p.set[t] : 0;
        word += n + (word[n] != '\0');
    }
    return d;
}

/* False: skipped. */
static bool build(struct target *t, const char *needs, const char *compiler,
                  const char *flags, const char *params, const char *body,
                  const char *kernel)
{
    memset(t, 0, sizeof *t);
    if (needs != NULL && !cpu_has(needs)) {
        print_message("skipped: the processor has no %s\n", needs);
        return false;
    }
    assert_true(target_read(t, params, body));
    if (target_build(t, compiler, flags, kernel))
        return true;
    target_end(t);
    print_message("skipped: %s cannot build it\n", compiler);
    return false;
}

static void sums_row_run(void **state)
{
    const struct sums_row *row = *state;
    struct target t;
    if (!build(&t, row->needs, row->compiler, row->flags, row->params,
               row->body, row->kernel))
        skip();
    t.fill = row->fill;
    struct drift_declared d = declared_of(row->may);
    struct drift_answer *a = target_ask(&t, &d);
    struct buf text = {0}, tree = {0};
    drift_put_answer(&text, a);
    if (a->nways > 0)
        drift_tree_text(&tree, &a->ways[0].tree);
    bool fine = a->outcome == row->outcome;
    fine &= row->tree == NULL || strcmp(buf_text(&tree), row->tree) == 0;
    fine &= row->nways == 0 || a->nways == row->nways;
    fine &= row->fused == SIZE_MAX ||
            (a->nways > 0 && a->ways[0].fused == row->fused);
    fine &= strstr(buf_text(&text), row->text) != NULL;
    if (a->outcome == DRIFT_EXPLAINED || a->outcome == DRIFT_DEVIATES)
        fine &= (a->by_ways || a->scheme != NULL) && a->fresh_runs == 2 &&
                a->everywhere;
    if (!fine || getenv("DC_SHOW") != NULL)
        print_message("%s%s\n", buf_text(&text), buf_text(&tree));
    buf_fini(&text);
    buf_fini(&tree);
    drift_answer_free(a);
    target_end(&t);
    if (!fine)
        fail_msg("%s: not what was expected", row->label);
}

/* ---- trees on request --------------------------------------------------------------- */

struct tree_row {
    const char *label, *needs, *compiler, *flags;
    const char *params, *body, *kernel;
    size_t output;
    const char *named; /* part of the description, or of why there is none */
    const char *tree;  /* NULL: any */
};

static const struct tree_row tree_rows[] = {
    {"numpy's pairwise sum", NULL, "gcc", STRICT, SUM("2", "300"), PAIRWISE_C,
     1, "pairwise, in blocks of up to 128 terms of 8 lanes each", NULL},
    {"gcc -ffast-math, 128 bits", NULL, "gcc", "-O3 -ffast-math",
     SUM("3", "205"), LOOP_C("205"), 1, "in 4 lanes", NULL},
    {"gcc -ffast-math, 256 bits", "avx2", "gcc",
     "-O3 -ffast-math -mavx2 -mprefer-vector-width=256", SUM("3", "205"),
     LOOP_C("205"), 1, "in 8 lanes", NULL},
    {"gcc -ffast-math, 512 bits", "avx512f", "gcc",
     "-O3 -ffast-math -mavx512f -mprefer-vector-width=512", SUM("3", "400"),
     LOOP_C("400"), 1, "in 16 lanes", NULL},
    {"clang -ffast-math, 256 bits", "avx2", "clang", "-O2 -ffast-math -mavx2",
     SUM("3", "205"), LOOP_C("205"), 1, "in 8 lanes in 4 vectors", NULL},
    {"OpenMP reduction on two threads", NULL, "gcc", STRICT " -fopenmp",
     SUM("3", "10"), OPENMP_C, 1, "an order of the target's own",
     "(((((0 1) 2) 3) 4) ((((5 6) 7) 8) 9))"},
    {"as written", NULL, "gcc", STRICT, DOT("float32", "16", "5"), PLAIN_C("5"),
     2, "one after the other", "((((0 1) 2) 3) 4)"},
    {"squares cannot be driven", NULL, "gcc", STRICT, SQUARES, SQUARES_C, 1,
     "read one input element", NULL},
    {"roots are no sum of inputs", NULL, "gcc", STRICT, ROOTS, LOOP_C("9"), 1,
     "a term is not one input element or a product of two", NULL},
};

static void tree_row_run(void **state)
{
    const struct tree_row *row = *state;
    struct target t;
    if (!build(&t, row->needs, row->compiler, row->flags, row->params,
               row->body, row->kernel))
        skip();
    struct drift_sample sample = {.in = target_args(&t), .label = "random"};
    struct drift_question q;
    bool is_output[4] = {false};
    size_t elements[2] = {0, 1}, runs = 0;
    struct drift_way ways[2];
    const char *why[2];
    struct buf text = {0}, tree = {0};
    target_fill(&t, sample.in, INTERP_FILL_UNIT, 3);
    memset(&q, 0, sizeof q);
    is_output[row->output] = true;
    q.module = t.module;
    q.func = t.module->funcs[0];
    q.nargs = t.sig.nparams;
    q.is_output = is_output;
    q.nsamples = 1;
    q.samples = &sample;
    q.run = target_run;
    q.user = &t;
    bool found =
        drift_measure(&q, row->output, 2, elements, t.arena, ways, why, &runs);
    if (found) {
        assert_null(why[0]);
        assert_null(why[1]);
        drift_put_way_name(&text, &ways[0]);
        drift_tree_text(&tree, &ways[1].tree);
    } else {
        buf_puts(&text, why[0]);
    }
    bool fine = strstr(buf_text(&text), row->named) != NULL &&
                (row->tree == NULL || strcmp(buf_text(&tree), row->tree) == 0);
    if (!fine)
        fail_msg("%s: %s %s", row->label, buf_text(&text), buf_text(&tree));
    buf_fini(&text);
    buf_fini(&tree);
    for (size_t i = 0; i < t.sig.nparams; i++)
        interp_tensor_free(sample.in[i].tensor);
    target_end(&t);
}

/* All elements of a matrix product are asked at once: a chain of 40 terms takes
 * about 40 runs for 3 elements, not 120. */
static void test_runs(void **state)
{
    (void)state;
    struct target t;
    if (!build(&t, NULL, "gcc", STRICT, DOT("float32", "16", "40"),
               PLAIN_C("40")))
        skip();
    struct drift_sample sample = {.in = target_args(&t)};
    struct drift_question q;
    bool is_output[3] = {false, false, true};
    size_t elements[3] = {0, 8, 15}, runs = 0;
    struct drift_way ways[3];
    const char *why[3];
    target_fill(&t, sample.in, INTERP_FILL_UNIT, 3);
    memset(&q, 0, sizeof q);
    q.module = t.module;
    q.func = t.module->funcs[0];
    q.nargs = 3;
    q.is_output = is_output;
    q.nsamples = 1;
    q.samples = &sample;
    q.run = target_run;
    q.user = &t;
    assert_true(drift_measure(&q, 2, 3, elements, t.arena, ways, why, &runs));
    assert_true(runs <= 40 + 40 + 4); /* the tree, then the products */
    q.max_runs = 20;
    assert_false(drift_measure(&q, 2, 3, elements, t.arena, ways, why, &runs));
    assert_non_null(strstr(why[0], "more runs"));
    for (size_t i = 0; i < 3; i++)
        interp_tensor_free(sample.in[i].tensor);
    target_end(&t);
}

static void add_row(struct CMUnitTest *test, const char *label, const void *row,
                    void (*run)(void **state))
{
    union {
        const void *in;
        void *out;
    } state = {row};
    test->name = label;
    test->test_func = run;
    test->initial_state = state.out;
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + DC_ARRAY_LEN(tree_rows) + 1] =
        {cmocka_unit_test(test_runs)};
    size_t n = 1;
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i += TEST_ONE_IN(4))
        add_row(&tests[n++], rows[i].label, &rows[i], sums_row_run);
    for (size_t i = 0; i < DC_ARRAY_LEN(tree_rows); i += TEST_ONE_IN(4))
        add_row(&tests[n++], tree_rows[i].label, &tree_rows[i], tree_row_run);
    return _cmocka_run_group_tests("drift_sums", tests, n, NULL, NULL);
}
