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

static void test_formulas(void **state)
{
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(programs); k++) {
        struct program p;
        program_start(&p, programs[k]);
        for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
            for (int way = 0; way < 3; way++) {
                size_t other = count_other(&p, rows[i].profile,
                                           way == 0 ? INTERP_ENGINE_AUTO
                                                    : INTERP_ENGINE_WALK,
                                           way == 2, rows[i].want);
                if (other > 0)
                    fail_msg("program %zu, %s, way %d: %zu elements differ", k,
                             rows[i].profile, way, other);
            }
        program_end(&p);
    }
}

/* The same check fails for every other formula. */
static void test_told_apart(void **state)
{
    struct program p;
    (void)state;
    program_start(&p, programs[0]);
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++)
        for (size_t j = 0; j < DC_ARRAY_LEN(rows); j++)
            if (i != j && count_other(&p, rows[i].profile, INTERP_ENGINE_AUTO,
                                      false, rows[j].want) == 0)
                fail_msg("%s passes for %s", rows[i].profile, rows[j].profile);
    program_end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_told_apart),
    };
    return cmocka_run_group_tests_name("replay_forward", tests, NULL, NULL);
}
