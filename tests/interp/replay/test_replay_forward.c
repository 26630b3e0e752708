/* SPDX-License-Identifier: Apache-2.0
 *
 * Products fused across statements (docs/semantics.md, A18 and A19): whole
 * programs on random numbers against the same sums written with the C library's
 * fmaf, by both engines and by slices; each expectation must tell itself from
 * that of every other profile, so that none can pass for another.
 */
#include "interp/interp.h"
#include "ir/num/profile.h"
#include "tests/test.h"

#include <math.h>
#include <string.h>

#define N 64

/* What element i of the output is, from the inputs. */
typedef float (*formula)(const float *a, size_t i);

static float product(const float *a, size_t i)
{
    return a[i] * 3.3f;
}
static float plain(const float *a, size_t i)
{
    volatile float s = product(a, i) + product(a, i + 1);
    return s + product(a, i + 2);
}
static float left_both(const float *a, size_t i)
{
    return fmaf(a[i + 2], 3.3f, fmaf(a[i], 3.3f, product(a, i + 1)));
}
static float right_both(const float *a, size_t i)
{
    return fmaf(a[i + 2], 3.3f, fmaf(a[i + 1], 3.3f, product(a, i)));
}
static float right_first(const float *a, size_t i)
{
    volatile float s = fmaf(a[i + 1], 3.3f, product(a, i));
    return s + product(a, i + 2);
}
static float left_first(const float *a, size_t i)
{
    volatile float s = fmaf(a[i], 3.3f, product(a, i + 1));
    return s + product(a, i + 2);
}
static float second(const float *a, size_t i)
{
    volatile float s = product(a, i) + product(a, i + 1);
    return fmaf(a[i + 2], 3.3f, s);
}

struct forward_row {
    const char *profile;
    formula want;
};

static const struct forward_row rows[] = {
    {"reference", plain},
    {"contract=left forward=products", left_both},
    {"contract=right forward=products", right_both},
    {"contract=right forward=products sum2=apart", right_first},
    {"forward=products sum1=left", left_first},
    {"contract=left forward=products sum1=apart", second},
};

/* Sums of three squares, as LLVM adds them where it sees the zero that they
 * start from and where it does not. */
static float distance(const float *a, size_t i)
{
    return a[i] - 0.3f;
}
static float square(const float *a, size_t i)
{
    return distance(a, i) * distance(a, i);
}
static float third(const float *a, size_t i, float sum)
{
    return fmaf(distance(a, i + 2), distance(a, i + 2), sum);
}
static float square_plain(const float *a, size_t i)
{
    volatile float s = square(a, i) + square(a, i + 1);
    return s + square(a, i + 2);
}
static float square_later(const float *a, size_t i)
{
    float d = distance(a, i + 1);
    return third(a, i, fmaf(d, d, square(a, i)));
}
static float square_first(const float *a, size_t i)
{
    float d = distance(a, i);
    return third(a, i, fmaf(d, d, square(a, i + 1)));
}

static const struct forward_row square_rows[] = {
    {"reference", square_plain},
    {"forward=squares sum1=apart", square_plain},
    {"contract=left", square_later},
    {"contract=right", square_later},
    {"contract=left forward=products", square_later},
    {"contract=right forward=squares", square_later},
    {"contract=left forward=squares", square_first},
    {"forward=squares sum1=left", square_first},
};

/* In a block with an init, with the sum's loop outside, in tiles with a buffer
 * of their own, and of squares that are stored first. */
static const char *const square_programs[] = {
    "    for i, k in T.grid(64, 3):\n"
    "        with T.sblock(\"s\"):\n"
    "            u, v = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[u] = T.float32(0)\n"
    "            C[u] = C[u] + (A[u + v] - T.float32(0.3)) * "
    "(A[u + v] - T.float32(0.3))\n",
    "    for i in range(64):\n"
    "        C[i] = T.float32(0)\n"
    "    for k, i in T.grid(3, 64):\n"
    "        C[i] = C[i] + (A[i + k] - T.float32(0.3)) * "
    "(A[i + k] - T.float32(0.3))\n",
    "    for o in range(16):\n"
    "        S = T.alloc_buffer((4,), \"float32\")\n"
    "        for i in range(4):\n"
    "            S[i] = T.float32(0)\n"
    "        for k, i in T.grid(3, 4):\n"
    "            S[i] = S[i] + (A[o * 4 + i + k] - T.float32(0.3)) * "
    "(A[o * 4 + i + k] - T.float32(0.3))\n"
    "        for i in range(4):\n"
    "            C[o * 4 + i] = S[i]\n",
};
/* Here forward=products has the squares, too. */
static const struct forward_row stored_rows[] = {
    {"reference", square_plain},
    {"contract=left", square_plain},
    {"contract=left forward=products", square_later},
    {"contract=left forward=squares", square_first},
};
static const char *const stored_programs[] = {
    "    B = T.alloc_buffer((66,), \"float32\")\n"
    "    for i in range(66):\n"
    "        B[i] = (A[i] - T.float32(0.3)) * (A[i] - T.float32(0.3))\n"
    "    for i, k in T.grid(64, 3):\n"
    "        with T.sblock(\"s\"):\n"
    "            u, v = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[u] = T.float32(0)\n"
    "            C[u] = C[u] + B[u + v]\n",
};

/* A factor with a product of its own: computed once, the first sum. */
static float scaled(const float *a, size_t i, bool fused)
{
    volatile float p = a[i] * 3.3f;
    return fused ? fmaf(a[i], 3.3f, 0.7f) : p + 0.7f;
}
static float scaled_first(const float *a, size_t i, bool fused)
{
    float x = scaled(a, i, fused), y = scaled(a, i + 1, fused);
    float z = scaled(a, i + 2, fused);
    volatile float second = y * y;
    return fmaf(z, z, fmaf(x, x, second));
}
static float scaled_fused(const float *a, size_t i)
{
    return scaled_first(a, i, true);
}
static float scaled_apart(const float *a, size_t i)
{
    return scaled_first(a, i, false);
}
static const struct forward_row scaled_rows[] = {
    {"contract=left forward=squares", scaled_fused},
    {"contract=left forward=squares sum1=apart", scaled_apart},
};
static const char *const scaled_programs[] = {
    "    for i, k in T.grid(64, 3):\n"
    "        with T.sblock(\"s\"):\n"
    "            u, v = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[u] = T.float32(0)\n"
    "            C[u] = C[u] + (A[u + v] * T.float32(3.3) + T.float32(0.7)) * "
    "(A[u + v] * T.float32(3.3) + T.float32(0.7))\n",
};

/* One after the other, five at a time with an overlap, and in two halves of
 * one buffer that take turns, copied once: the same sums. */
static const char *const programs[] = {
    "    B = T.alloc_buffer((66,), \"float32\")\n"
    "    for i in range(66):\n"
    "        B[i] = A[i] * T.float32(3.3)\n"
    "    for i in range(64):\n"
    "        C[i] = B[i] + B[i + 1] + B[i + 2]\n",
    "    B = T.alloc_buffer((66,), \"float32\")\n"
    "    for o in range(13):\n"
    "        for j in range(7):\n"
    "            if o * 5 + j < 66:\n"
    "                B[o * 5 + j] = A[o * 5 + j] * T.float32(3.3)\n"
    "        for j in range(5):\n"
    "            if o * 5 + j < 64:\n"
    "                C[o * 5 + j] = B[o * 5 + j] + B[o * 5 + j + 1] + "
    "B[o * 5 + j + 2]\n",
    "    for i in range(64):\n"
    "        with T.sblock(\"tile\"):\n"
    "            v = T.axis.spatial(64, i)\n"
    "            S = T.sblock_alloc_buffer((2, 3), \"float32\")\n"
    "            L = T.sblock_alloc_buffer((3,), \"float32\")\n"
    "            for j in range(3):\n"
    "                S[v % 2, j] = A[v + j] * T.float32(3.3)\n"
    "            for j in range(3):\n"
    "                L[j] = S[v % 2, j]\n"
    "            C[v] = L[0] + L[1] + L[2]\n",
};

struct program {
    struct ir_module *module;
    struct interp_arg args[2];
};

static void program_start(struct program *p, const char *body)
{
    struct buf script = {0};
    struct diag_sink *sink = diag_sink_new();
    int64_t shape[2] = {N + 2, N};
    buf_printf(&script,
               "from tvm.script import ir as I\n"
               "from tvm.script import tirx as T\n\n"
               "@T.prim_func(s_tir=True)\n"
               "def main(A: T.Buffer((66,), \"float32\"), "
               "C: T.Buffer((64,), \"float32\")):\n%s",
               body);
    p->module = ir_read(buf_text(&script), script.len, "case", sink);
    assert_non_null(p->module);
    memset(p->args, 0, sizeof p->args);
    for (size_t i = 0; i < 2; i++) {
        p->args[i].tensor = interp_tensor_new(DTYPE_FLOAT32, 1, &shape[i]);
        interp_fill_tensor(p->args[i].tensor, INTERP_FILL_RANDOM, 11, i, 1, 0);
    }
    diag_sink_free(sink);
    buf_fini(&script);
}

static void program_end(struct program *p)
{
    for (size_t i = 0; i < 2; i++)
        interp_tensor_free(p->args[i].tensor);
    ir_module_free(p->module);
}

static void get_inputs(const struct program *p, float *a)
{
    for (size_t i = 0; i < N + 2; i++)
        a[i] = (float)num_to_double(DTYPE_FLOAT32,
                                    interp_tensor_get(p->args[0].tensor, i));
}

/* Elements that are not the formula's; every seventh if sliced. */
static size_t count_other(struct program *p, const char *profile,
                          enum interp_engine engine, bool sliced, formula want)
{
    float a[N + 2];
    uint8_t wanted[N] = {0};
    const uint8_t *demand[2] = {NULL, wanted};
    struct num_profile parsed;
    assert_true(num_profile_parse(profile, &parsed, NULL));
    for (size_t i = 0; i < N; i += 7)
        wanted[i] = 1;
    struct interp_options o = interp_default_options();
    o.profile = &parsed;
    o.engine = engine;
    o.demand = sliced ? demand : NULL;
    struct interp_result r =
        interp_run(p->module, p->module->funcs[0], 2, p->args, &o);
    if (r.fault != INTERP_OK)
        fail_msg("%s: %s", interp_fault_name(r.fault), r.message);
    interp_result_fini(&r);
    get_inputs(p, a);
    size_t other = 0;
    for (size_t i = 0; i < N; i += sliced ? 7 : 1) {
        unsigned flags = 0;
        double v = (double)want(a, i);
        other += interp_tensor_get(p->args[1].tensor, i) !=
                 num_from_double(DTYPE_FLOAT32, v, &flags);
    }
    return other;
}

static const struct {
    const char *const *programs;
    size_t nprograms;
    const struct forward_row *rows;
    size_t nrows;
} families[] = {
    {programs, DC_ARRAY_LEN(programs), rows, DC_ARRAY_LEN(rows)},
    {square_programs, DC_ARRAY_LEN(square_programs), square_rows,
     DC_ARRAY_LEN(square_rows)},
    {stored_programs, DC_ARRAY_LEN(stored_programs), stored_rows,
     DC_ARRAY_LEN(stored_rows)},
    {scaled_programs, DC_ARRAY_LEN(scaled_programs), scaled_rows,
     DC_ARRAY_LEN(scaled_rows)},
};

/* By the engine that is chosen, by the other one, and by slices. */
static void check_row(struct program *p, const char *script,
                      const struct forward_row *row)
{
    for (int way = 0; way < 3; way++) {
        size_t other = count_other(
            p, row->profile, way == 0 ? INTERP_ENGINE_AUTO : INTERP_ENGINE_WALK,
            way == 2, row->want);
        if (other > 0)
            fail_msg("%s, way %d: %zu elements differ in\n%s", row->profile,
                     way, other, script);
    }
}

static void test_formulas(void **state)
{
    (void)state;
    for (size_t f = 0; f < DC_ARRAY_LEN(families); f++)
        for (size_t k = 0; k < families[f].nprograms; k++) {
            struct program p;
            program_start(&p, families[f].programs[k]);
            for (size_t i = 0; i < families[f].nrows; i++)
                check_row(&p, families[f].programs[k], &families[f].rows[i]);
            program_end(&p);
        }
}

/* The same check fails for every other formula. */
static void test_told_apart(void **state)
{
    (void)state;
    for (size_t f = 0; f < DC_ARRAY_LEN(families); f++) {
        const struct forward_row *all = families[f].rows;
        struct program p;
        program_start(&p, families[f].programs[0]);
        for (size_t i = 0; i < families[f].nrows; i++)
            for (size_t j = 0; j < families[f].nrows; j++)
                if (all[i].want != all[j].want &&
                    count_other(&p, all[i].profile, INTERP_ENGINE_AUTO, false,
                                all[j].want) == 0)
                    fail_msg("%s passes for %s", all[i].profile,
                             all[j].profile);
        program_end(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_told_apart),
    };
    return cmocka_run_group_tests_name("replay_forward", tests, NULL, NULL);
}
