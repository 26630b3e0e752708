/* SPDX-License-Identifier: Apache-2.0
 *
 * Products that are fused in some elements and not in others: kernels that do so
 * by the C library's fmaf, kernels that a compiler makes so, and kernels that
 * must not pass for such: whose choice depends on the data, or that are faulty.
 */
#include "tests/diff/drift/drift_case.h"

struct mix_row {
    const char *label;
    const char *params, *body; /* TVMScript */
    const char *kernel;        /* C */
    const char *may;           /* settings allowed */
    const char *ways; /* profiles of the answer; NULL: it must not be mixed */
    size_t first;     /* elements of the first way, at least */
};

#define PARAMS \
    "A: T.Buffer((66,), \"float32\"), C: T.Buffer((64,), \"float32\")"
#define STENCIL                                    \
    "    B = T.alloc_buffer((66,), \"float32\")\n" \
    "    for i in range(66):\n"                    \
    "        B[i] = A[i] * T.float32(3.3)\n"       \
    "    for i in range(64):\n"                    \
    "        C[i] = B[i] + B[i + 1] + B[i + 2]\n"
#define HEAD                                                          \
    "#include <math.h>\n"                                             \
    "static float p(float *A, int i) { return A[i] * 3.3f; }\n"       \
    "static float plain(float *A, int i) {\n"                         \
    "  return p(A, i) + p(A, i + 1) + p(A, i + 2); }\n"               \
    "static float left(float *A, int i) {\n"                          \
    "  return fmaf(A[i], 3.3f, p(A, i + 1)) + p(A, i + 2); }\n"       \
    "static float right(float *A, int i) {\n"                         \
    "  return fmaf(A[i + 1], 3.3f, p(A, i)) + p(A, i + 2); }\n"       \
    "static float both(float *A, int i) {\n"                          \
    "  return fmaf(A[i + 2], 3.3f, fmaf(A[i + 1], 3.3f, p(A, i)));\n" \
    "}\nvoid kernel(float *A, float *C) {\n"                          \
    "  for (int i = 0; i < 64; i++) C[i] = "
#define TAIL "; }\n"

#define ADDED_PARAMS                                                     \
    "A: T.Buffer((66,), \"float32\"), B: T.Buffer((66,), \"float32\"), " \
    "C: T.Buffer((66,), \"float32\")"
#define ADDED                   \
    "    for i in range(66):\n" \
    "        C[i] = A[i] * B[i] + C[i]\n"
/* As a loop of vectors with a scalar end may do it. */
#define ADDED_C                                     \
    "#include <math.h>\n"                           \
    "void kernel(float *A, float *B, float *C) {\n" \
    "  for (int i = 0; i < 66; i++)\n"              \
    "    C[i] = i < 48 ? fmaf(A[i], B[i], C[i]) : A[i] * B[i] + C[i]; }\n"

#define CONTRACT "contract=left contract=right"
#define ACROSS   CONTRACT " forward=products"

#define SQUARES_PARAMS \
    "A: T.Buffer((64, 3), \"float32\"), C: T.Buffer((64,), \"float32\")"
#define SQUARES                        \
    "    for i in range(64):\n"        \
    "        C[i] = T.float32(0)\n"    \
    "    for i, k in T.grid(64, 3):\n" \
    "        C[i] = C[i] + A[i, k] * A[i, k]\n"
#define SQUARES_C(first)                                        \
    "#include <math.h>\nvoid kernel(float *A, float *C) {\n"    \
    "  for (int i = 0; i < 64; i++, A += 3) {\n"                \
    "    float s = " first " ? fmaf(A[0], A[0], A[1] * A[1])\n" \
    "                : fmaf(A[1], A[1], A[0] * A[0]);\n"        \
    "    C[i] = fmaf(A[2], A[2], s); } }\n"

static const struct mix_row rows[] = {
    {"the first sum, in some elements", PARAMS, STENCIL,
     HEAD "i < 40 ? right(A, i) : plain(A, i)" TAIL, ACROSS,
     "forward=products sum1=right | reference", 40},
    {"three ways", PARAMS, STENCIL,
     HEAD "i < 30 ? both(A, i) : i < 50 ? left(A, i) : plain(A, i)" TAIL,
     ACROSS,
     "contract=right forward=products | forward=products sum1=left | reference",
     30},
    {"the first sum, in all elements", PARAMS, STENCIL, HEAD "right(A, i)" TAIL,
     ACROSS, "forward=products sum1=right", 64},
    {"within a statement", ADDED_PARAMS, ADDED, ADDED_C, "contract=left",
     "contract=left | reference", 48},
    {"first squares, in some elements", SQUARES_PARAMS, SQUARES,
     SQUARES_C("i < 40"), ACROSS " forward=squares",
     "contract=left forward=squares | contract=left", 40},
    {"squares that are not declared", SQUARES_PARAMS, SQUARES,
     SQUARES_C("i < 40"), ACROSS, NULL, 0},
    {"squares by the data", SQUARES_PARAMS, SQUARES, SQUARES_C("A[2] > 0"),
     ACROSS " forward=squares", NULL, 0},
    {"not declared across statements", PARAMS, STENCIL,
     HEAD "i < 40 ? right(A, i) : plain(A, i)" TAIL, CONTRACT, NULL, 0},
    {"nothing declared", PARAMS, STENCIL,
     HEAD "i < 40 ? right(A, i) : plain(A, i)" TAIL, NULL, NULL, 0},
    {"declared of one side alone", PARAMS, STENCIL,
     HEAD "i < 40 ? right(A, i) : plain(A, i)" TAIL,
     "contract=left forward=products", NULL, 0},
    {"the data decides", PARAMS, STENCIL,
     HEAD "A[i] > 0 ? right(A, i) : plain(A, i)" TAIL, ACROSS, NULL, 0},
    {"one element is off", PARAMS, STENCIL,
     HEAD "i == 20 ? nextafterf(plain(A, i), 9e9f) : i < 40 ? right(A, i) "
          ": plain(A, i)" TAIL,
     ACROSS, NULL, 0},
    {"another factor", PARAMS, STENCIL,
     HEAD "i < 40 ? right(A, i) : plain(A, i) * 1.0000001f" TAIL, ACROSS, NULL,
     0},
    {"another order", PARAMS, STENCIL,
     HEAD "i < 40 ? right(A, i) : p(A, i) + (p(A, i + 1) + p(A, i + 2))" TAIL,
     ACROSS, NULL, 0},
};

/* ---- the check ------------------------------------------------------------------ */

static struct drift_declared declared_of(const char *may)
{
    struct drift_declared d;
    struct num_profile p;
    memset(&d, 0, sizeof d);
    for (const char *word = may; word != NULL && *word != '\0';) {
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

static size_t put_ways(struct buf *out, const struct drift_answer *a)
{
    size_t elements = 0;
    for (size_t i = 0; i < a->nmixed; i++) {
        buf_puts(out, i > 0 ? " | " : "");
        num_profile_put(out, &a->mixed[i].profile);
        elements += a->mixed[i].elements;
    }
    return elements;
}

static bool is_expected(const struct mix_row *row, const struct drift_answer *a,
                        size_t all)
{
    struct buf ways = {0};
    size_t elements = put_ways(&ways, a);
    bool fine = a->nmixed == 0 && a->outcome != DRIFT_EXPLAINED &&
                a->outcome != DRIFT_EXACT;
    if (row->ways != NULL)
        fine = a->outcome == DRIFT_EXPLAINED && elements == all &&
               strcmp(buf_text(&ways), row->ways) == 0 &&
               a->mixed[0].elements >= row->first && a->fresh_runs >= 4 &&
               a->everywhere && a->outputs == all &&
               strstr(a->reason, "and not in others") != NULL;
    buf_fini(&ways);
    return fine;
}

static struct drift_answer *answer_of(struct target *t,
                                      const struct mix_row *row,
                                      const char *compiler, const char *flags)
{
    memset(t, 0, sizeof *t);
    assert_true(target_read(t, row->params, row->body));
    if (!target_build(t, compiler, flags, row->kernel)) {
        target_end(t);
        print_message("skipped: %s cannot build it\n", compiler);
        skip();
    }
    t->fill = INTERP_FILL_RANDOM;
    struct drift_declared d = declared_of(row->may);
    return target_ask(t, &d);
}

static void row_run(void **state)
{
    const struct mix_row *row = *state;
    struct target t;
    struct drift_answer *a =
        answer_of(&t, row, "gcc", "-O1 -std=c11 -ffp-contract=off");
    struct interp_arg *args = target_args(&t);
    size_t all = args[t.sig.nparams - 1].tensor->elements;
    for (size_t i = 0; i < t.sig.nparams; i++)
        interp_tensor_free(args[i].tensor);
    bool fine = is_expected(row, a, all);
    if (!fine || getenv("DC_SHOW") != NULL) {
        struct buf text = {0};
        drift_put_answer(&text, a);
        (void)puts(buf_text(&text));
        buf_fini(&text);
    }
    drift_answer_free(a);
    target_end(&t);
    if (!fine)
        fail_msg("%s: not what was expected", row->label);
}

/* ---- compilers ------------------------------------------------------------------ */

#define EMITTED_C                                                        \
    "void kernel(float *restrict A, float *restrict C) { float B[66];\n" \
    "  for (int i = 0; i < 66; i++) B[i] = A[i] * 3.3f;\n"               \
    "  for (int i = 0; i < 64; i++) C[i] = B[i] + B[i + 1] + B[i + 2]; }\n"
/* Five at a time: loops that compilers unroll whole. */
#define TILED                                                       \
    "    B = T.alloc_buffer((66,), \"float32\")\n"                  \
    "    for o in range(12):\n"                                     \
    "        for j in range(7):\n"                                  \
    "            B[o * 5 + j] = A[o * 5 + j] * T.float32(3.3)\n"    \
    "        for j in range(5):\n"                                  \
    "            C[o * 5 + j] = B[o * 5 + j] + B[o * 5 + j + 1] + " \
    "B[o * 5 + j + 2]\n"
#define TILED_C                                                          \
    "void kernel(float *restrict A, float *restrict C) { float B[66];\n" \
    "  for (int o = 0; o < 12; o++) {\n"                                 \
    "    for (int j = 0; j < 7; j++) B[o*5+j] = A[o*5+j] * 3.3f;\n"      \
    "    for (int j = 0; j < 5; j++)\n"                                  \
    "      C[o*5+j] = B[o*5+j] + B[o*5+j+1] + B[o*5+j+2]; } }\n"

static const struct {
    const char *compiler, *flags;
} builds[] = {
    {"gcc", "-O2 -mfma -ffp-contract=fast"},
    {"gcc", "-O3 -mavx2 -mfma -ffp-contract=fast"},
    {"clang", "-O2 -mfma -ffp-contract=fast"},
    {"clang", "-O2 -mavx2 -mfma -ffp-contract=fast"},
    {"clang", "-O3 -mavx2 -mfma -ffp-contract=fast"},
};

/* Whatever compilers fuse, it is found. */
static void test_compilers(void **state)
{
    static const struct mix_row kernels[] = {
        {"stencil", PARAMS, STENCIL, EMITTED_C, ACROSS, NULL, 0},
        {"tiled", PARAMS, TILED, TILED_C, ACROSS, NULL, 0}};
    size_t explained = 0;
    (void)state;
    if (!cpu_has("fma") || !cpu_has("avx2"))
        skip();
    for (size_t k = 0; k < DC_ARRAY_LEN(kernels); k++)
        for (size_t i = 0; i < DC_ARRAY_LEN(builds); i++) {
            struct target t;
            struct buf text = {0};
            struct drift_answer *a =
                answer_of(&t, &kernels[k], builds[i].compiler, builds[i].flags);
            bool fine =
                a->outcome == DRIFT_EXACT || a->outcome == DRIFT_EXPLAINED;
            explained += a->outcome == DRIFT_EXPLAINED;
            drift_put_answer(&text, a);
            print_message("%s, %s %s: %s\n", kernels[k].label,
                          builds[i].compiler, builds[i].flags, a->reason);
            if (!fine)
                fail_msg("%s", buf_text(&text));
            buf_fini(&text);
            drift_answer_free(a);
            target_end(&t);
        }
    assert_true(explained > 0);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 1] = {
        cmocka_unit_test(test_compilers)};
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        union {
            const struct mix_row *in;
            void *out;
        } row = {&rows[i]};
        tests[1 + i].name = rows[i].label;
        tests[1 + i].test_func = row_run;
        tests[1 + i].initial_state = row.out;
    }
    return _cmocka_run_group_tests("drift_mix", tests, DC_ARRAY_LEN(tests),
                                   NULL, NULL);
}
