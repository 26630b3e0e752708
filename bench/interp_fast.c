/* SPDX-License-Identifier: Apache-2.0
 *
 * Times the fast engine against the tree walker and a plain C loop nest.
 *
 *   bench_interp_fast [STEPS]     (from the source root; default 20000000)
 *
 * One row for each workload and fill: seconds of processor time of the fast
 * engine; of the walker, which is stopped after STEPS steps and scaled up to
 * the steps of the whole; of the C loops below as this file is compiled (-O2).
 * `exact` inputs make no operation round, so that exactness has to be followed
 * to the end; `random` ones round at once.
 */
#include "interp/interp.h"
#include "ir/num/profile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double cpu_seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

/* ---- the C loops --------------------------------------------------------------- */

__attribute__((noinline)) static void c_gemm(const float *a, const float *b,
                                             float *c)
{
    for (int i = 0; i < 1024; i++)
        for (int j = 0; j < 1024; j++) {
            float sum = 0;
            for (int k = 0; k < 1024; k++)
                sum += a[i * 1024 + k] * b[k * 1024 + j];
            c[i * 1024 + j] = sum;
        }
}

__attribute__((noinline)) static void c_add(const float *a, const float *b,
                                            float *c)
{
    for (int i = 0; i < 4000000; i++)
        c[i] = a[i] + b[i];
}

__attribute__((noinline)) static void c_depthwise(const float *a,
                                                  const float *w, float *c)
{
    for (int y = 0; y < 112; y++)
        for (int x = 0; x < 112; x++)
            for (int f = 0; f < 64; f++) {
                float sum = 0;
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++)
                        sum += a[((y + r) * 114 + x + s) * 64 + f] *
                               w[(r * 3 + s) * 64 + f];
                c[(y * 112 + x) * 64 + f] = sum;
            }
}

__attribute__((noinline)) static void c_layernorm(const float *a,
                                                  const float *b, float *c)
{
    for (int i = 0; i < 512; i++) {
        float mean = 0, var = 0;
        for (int k = 0; k < 1024; k++)
            mean += a[i * 1024 + k];
        mean /= 1024;
        for (int k = 0; k < 1024; k++)
            var += (a[i * 1024 + k] - mean) * (a[i * 1024 + k] - mean);
        for (int k = 0; k < 1024; k++)
            c[i * 1024 + k] = (a[i * 1024 + k] - mean) / (var + b[k]);
    }
}

__attribute__((noinline)) static void c_int8(const int8_t *a, const int8_t *b,
                                             int32_t *c)
{
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < 256; j++) {
            int32_t sum = 0;
            for (int k = 0; k < 256; k++)
                sum += a[i * 256 + k] * b[k * 256 + j];
            c[i * 256 + j] = sum;
        }
}

/* ---- workloads -------------------------------------------------------------------- */

enum loops { NONE, GEMM, ADD, DEPTHWISE, LAYERNORM, INT8 };

struct workload {
    const char *name, *file; /* file, or text below it */
    const char *text;
    enum loops loops;
    size_t na, nb, nc; /* elements of the C loops' arrays */
};

#define HEAD \
    "from tvm.script import tirx as T\n\n@T.prim_func(s_tir=True)\ndef main("
#define F32(name, dims) name ": T.Buffer((" dims ",), \"float32\")"

static const struct workload workloads[] = {
    {"relax#294 untuned", "corpora/relax294/untuned.py", NULL, NONE, 0, 0, 0},
    {"relax#294 tuned", "corpora/relax294/tuned.py", NULL, NONE, 0, 0, 0},
    {"gemm 1024 fp32", NULL,
     HEAD F32("A", "1024, 1024") ", " F32("B", "1024, 1024") ", " F32(
         "C", "1024, 1024") "):\n"
                            "    for i, j, k in T.grid(1024, 1024, 1024):\n"
                            "        with T.sblock(\"b\"):\n"
                            "            vi, vj, vk = T.axis.remap(\"SSR\", "
                            "[i, j, k])\n"
                            "            with T.init():\n"
                            "                C[vi, vj] = T.float32(0)\n"
                            "            C[vi, vj] = C[vi, vj] + A[vi, vk] * "
                            "B[vk, vj]\n",
     GEMM, 1 << 20, 1 << 20, 1 << 20},
    {"add 4M fp32", NULL,
     HEAD F32("A", "4000000") ", " F32("B", "4000000") ", " F32(
         "C", "4000000") "):\n"
                         "    for i in range(4000000):\n"
                         "        C[i] = A[i] + B[i]\n",
     ADD, 4000000, 4000000, 4000000},
    {"depthwise 3x3 fp32", NULL,
     HEAD F32("A", "114, 114, 64") ", " F32("W", "3, 3, 64") ", " F32(
         "C", "112, 112, 64") "):\n"
                              "    for y, x, f in T.grid(112, 112, 64):\n"
                              "        C[y, x, f] = T.float32(0)\n"
                              "        for r, s in T.grid(3, 3):\n"
                              "            C[y, x, f] = C[y, x, f] + A[y + r, "
                              "x + s, f] * W[r, s, f]\n",
     DEPTHWISE, 114 * 114 * 64, 9 * 64, 112 * 112 * 64},
    {"layernorm fp32", NULL,
     HEAD F32("A", "512, 1024") ", " F32("B", "1024") ", " F32(
         "C", "512, 1024") "):\n"
                           "    M = T.alloc_buffer((512,))\n"
                           "    V = T.alloc_buffer((512,))\n"
                           "    for i in range(512):\n"
                           "        M[i] = T.float32(0)\n"
                           "        V[i] = T.float32(0)\n"
                           "        for k in range(1024):\n"
                           "            M[i] = M[i] + A[i, k]\n"
                           "        M[i] = M[i] / T.float32(1024)\n"
                           "        for k in range(1024):\n"
                           "            V[i] = V[i] + (A[i, k] - M[i]) * "
                           "(A[i, k] - M[i])\n"
                           "        for k in range(1024):\n"
                           "            C[i, k] = (A[i, k] - M[i]) / (V[i] + "
                           "B[k])\n",
     LAYERNORM, 512 * 1024, 1024, 512 * 1024},
    {"softmax fp32", NULL,
     HEAD F32("A", "256, 1000") ", " F32(
         "C", "256, 1000") "):\n"
                           "    M = T.alloc_buffer((256,))\n"
                           "    S = T.alloc_buffer((256,))\n"
                           "    for i in range(256):\n"
                           "        M[i] = T.float32(-3e38)\n"
                           "        for j in range(1000):\n"
                           "            M[i] = T.max(M[i], A[i, j])\n"
                           "        S[i] = T.float32(0)\n"
                           "        for j in range(1000):\n"
                           "            C[i, j] = T.exp(A[i, j] - M[i])\n"
                           "        for j in range(1000):\n"
                           "            S[i] = S[i] + C[i, j]\n"
                           "        for j in range(1000):\n"
                           "            C[i, j] = C[i, j] / S[i]\n",
     NONE, 0, 0, 0},
    {"gemm 256 int8", NULL,
     HEAD "A: T.Buffer((256, 256), \"int8\"), B: T.Buffer((256, 256), "
          "\"int8\"), C: T.Buffer((256, 256), \"int32\")):\n"
          "    for i, j in T.grid(256, 256):\n"
          "        C[i, j] = 0\n"
          "        for k in range(256):\n"
          "            C[i, j] = C[i, j] + T.Cast(\"int32\", A[i, k]) * "
          "T.Cast(\"int32\", B[k, j])\n",
     INT8, 1 << 16, 1 << 16, 1 << 16},
    {"prefix sum 4M fp32", NULL,
     HEAD F32("A", "4000000") ", " F32(
         "C", "4000001") "):\n"
                         "    for i in range(4000000):\n"
                         "        C[i + 1] = C[i] + A[i]\n",
     NONE, 0, 0, 0},
    {"wmma 512 fp16, fp32", NULL,
     HEAD
     "A: T.Buffer((512, 512), \"float16\"), B: T.Buffer((512, 512), "
     "\"float16\"), C: T.Buffer((512, 512), \"float32\")):\n"
     "    for by in T.thread_binding(8, thread=\"blockIdx.y\"):\n"
     "        for bx in T.thread_binding(8, thread=\"blockIdx.x\"):\n"
     "            for ty in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
     "                for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
     "                    S = T.alloc_buffer((64, 40), \"float16\", "
     "scope=\"shared\")\n"
     "                    U = T.alloc_buffer((32, 72), \"float16\", "
     "scope=\"shared\")\n"
     "                    a = T.alloc_buffer((256,), \"float16\", "
     "scope=\"wmma.matrix_a\")\n"
     "                    b = T.alloc_buffer((256,), \"float16\", "
     "scope=\"wmma.matrix_b\")\n"
     "                    c = T.alloc_buffer((1024,), \"float32\", "
     "scope=\"wmma.accumulator\")\n"
     "                    for j in range(4):\n"
     "                        T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, "
     "16, j, T.float32(0)))\n"
     "                    for k in range(16):\n"
     "                        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
     "                        for i in range(16):\n"
     "                            S[i * 4 + ty, tx] = A[by * 64 + i * 4 + ty, "
     "k * 32 + tx]\n"
     "                            U[i * 2 + ty // 2, ty % 2 * 32 + tx] = B[k * "
     "32 + i * 2 + ty // 2, bx * 64 + ty % 2 * 32 + tx]\n"
     "                        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
     "                        for i in range(2):\n"
     "                            T.evaluate(T.tvm_load_matrix_sync(a.data, "
     "16, 16, 16, 0, T.address_of(S[ty * 16, i * 16]), 40, \"row_major\"))\n"
     "                            for j in range(4):\n"
     "                                "
     "T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, "
     "T.address_of(U[i * 16, j * 16]), 72, \"row_major\"))\n"
     "                                T.evaluate(T.tvm_mma_sync(c.data, j, "
     "a.data, 0, b.data, 0, c.data, j))\n"
     "                    for j in range(4):\n"
     "                        T.evaluate(T.tvm_store_matrix_sync(c.data, 16, "
     "16, 16, j, T.address_of(C[by * 64 + ty * 16, bx * 64 + j * 16]), 512, "
     "\"row_major\"))\n",
     NONE, 0, 0, 0},
    {"wmma 512 fp16, fp16", NULL,
     HEAD
     "A: T.Buffer((512, 512), \"float16\"), B: T.Buffer((512, 512), "
     "\"float16\"), C: T.Buffer((512, 512), \"float16\")):\n"
     "    for by in T.thread_binding(8, thread=\"blockIdx.y\"):\n"
     "        for bx in T.thread_binding(8, thread=\"blockIdx.x\"):\n"
     "            for ty in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
     "                for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
     "                    S = T.alloc_buffer((64, 40), \"float16\", "
     "scope=\"shared\")\n"
     "                    U = T.alloc_buffer((32, 72), \"float16\", "
     "scope=\"shared\")\n"
     "                    a = T.alloc_buffer((256,), \"float16\", "
     "scope=\"wmma.matrix_a\")\n"
     "                    b = T.alloc_buffer((256,), \"float16\", "
     "scope=\"wmma.matrix_b\")\n"
     "                    c = T.alloc_buffer((1024,), \"float16\", "
     "scope=\"wmma.accumulator\")\n"
     "                    for j in range(4):\n"
     "                        T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, "
     "16, j, T.float32(0)))\n"
     "                    for k in range(16):\n"
     "                        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
     "                        for i in range(16):\n"
     "                            S[i * 4 + ty, tx] = A[by * 64 + i * 4 + ty, "
     "k * 32 + tx]\n"
     "                            U[i * 2 + ty // 2, ty % 2 * 32 + tx] = B[k * "
     "32 + i * 2 + ty // 2, bx * 64 + ty % 2 * 32 + tx]\n"
     "                        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
     "                        for i in range(2):\n"
     "                            T.evaluate(T.tvm_load_matrix_sync(a.data, "
     "16, 16, 16, 0, T.address_of(S[ty * 16, i * 16]), 40, \"row_major\"))\n"
     "                            for j in range(4):\n"
     "                                "
     "T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, "
     "T.address_of(U[i * 16, j * 16]), 72, \"row_major\"))\n"
     "                                T.evaluate(T.tvm_mma_sync(c.data, j, "
     "a.data, 0, b.data, 0, c.data, j))\n"
     "                    for j in range(4):\n"
     "                        T.evaluate(T.tvm_store_matrix_sync(c.data, 16, "
     "16, 16, j, T.address_of(C[by * 64 + ty * 16, bx * 64 + j * 16]), 512, "
     "\"row_major\"))\n",
     NONE, 0, 0, 0},
};

/* Runs the loops on made-up data: their time does not depend on it. */
static double time_loops(const struct workload *w)
{
    if (w->loops == NONE)
        return -1;
    float *a = dc_alloc(w->na * sizeof *a), *b = dc_alloc(w->nb * sizeof *b);
    float *c = dc_alloc(w->nc * sizeof *c);
    for (size_t i = 0; i < w->na; i++)
        a[i] = (float)(i % 7);
    for (size_t i = 0; i < w->nb; i++)
        b[i] = (float)(i % 5 + 1);
    memset(c, 1, w->nc * sizeof *c);
    double start = cpu_seconds();
    switch (w->loops) {
    case GEMM: c_gemm(a, b, c); break;
    case ADD: c_add(a, b, c); break;
    case DEPTHWISE: c_depthwise(a, b, c); break;
    case LAYERNORM: c_layernorm(a, b, c); break;
    case INT8: {
        int8_t *x = dc_alloc(w->na), *y = dc_alloc(w->nb);
        int32_t *z = dc_alloc(w->nc * sizeof *z);
        memset(x, 3, w->na);
        start = cpu_seconds();
        c_int8(x, y, z);
        c[0] = (float)z[5];
        dc_release(x);
        dc_release(y);
        dc_release(z);
        break;
    }
    case NONE: break;
    }
    double seconds = cpu_seconds() - start;
    volatile float keep = c[w->nc / 2];
    (void)keep;
    dc_release(a);
    dc_release(b);
    dc_release(c);
    return seconds;
}

struct timing {
    double seconds, ratio; /* walker's steps in one of this engine's */
    struct interp_result result;
};

static struct timing time_profile(const struct ir_module *m,
                                  const struct interp_signature *sig,
                                  enum interp_fill fill,
                                  const struct num_profile *profile,
                                  enum interp_engine engine, uint64_t max_steps)
{
    struct interp_arg args[8];
    struct interp_options o = interp_default_options();
    struct timing t;
    memset(args, 0, sizeof args);
    for (size_t i = 0; i < sig->nparams && i < DC_ARRAY_LEN(args); i++) {
        const struct interp_param *p = &sig->params[i];
        args[i].tensor = interp_tensor_new(p->dtype, p->rank, p->shape);
        interp_fill_tensor(args[i].tensor, fill, 1, i, 1, 0);
    }
    o.profile = profile;
    o.engine = engine;
    o.max_steps = max_steps;
    t.ratio = interp_speed(m, m->funcs[0], sig->nparams, args, &o);
    double start = cpu_seconds();
    t.result = interp_run(m, m->funcs[0], sig->nparams, args, &o);
    t.seconds = cpu_seconds() - start;
    for (size_t i = 0; i < sig->nparams && i < DC_ARRAY_LEN(args); i++)
        interp_tensor_free(args[i].tensor);
    return t;
}

static struct timing time_engine(const struct ir_module *m,
                                 const struct interp_signature *sig,
                                 enum interp_fill fill,
                                 enum interp_engine engine, uint64_t max_steps)
{
    return time_profile(m, sig, fill, NULL, engine, max_steps);
}

/* Replays in other arithmetic (interp/replay/), against the reference. */
static bool bench_replays(const char *file, struct diag_sink *sink)
{
    static const char *const profiles[] = {"",
                                           "half=statement",
                                           "keep=loops",
                                           "keep=loops product=wide",
                                           "contract=left",
                                           "half=each"};
    struct arena *arena = arena_new();
    struct interp_signature sig = {0};
    struct ir_module *m = ir_read_file(file, sink);
    bool ok = m != NULL &&
              interp_signature(m, m->funcs[0], NULL, 0, arena, &sig, sink);
    double reference = 0;
    for (size_t i = 0; ok && i < DC_ARRAY_LEN(profiles); i++) {
        struct num_profile p;
        ok = num_profile_parse(profiles[i], &p, NULL);
        if (!ok)
            break;
        struct timing t =
            time_profile(m, &sig, INTERP_FILL_UNIT, &p, INTERP_ENGINE_FAST, 0);
        reference = i == 0 ? t.seconds : reference;
        printf("%-28s %-24s %9.3f %9.2f  %s\n", file,
               i == 0 ? "reference" : profiles[i], t.seconds,
               t.seconds / (reference + 1e-9),
               t.result.fault == INTERP_OK ? "" : t.result.message);
        interp_result_fini(&t.result);
    }
    ir_module_free(m);
    arena_free(arena);
    return ok;
}

static bool bench(const struct workload *w, uint64_t steps,
                  struct diag_sink *sink)
{
    static const enum interp_fill fills[] = {INTERP_FILL_EXACT,
                                             INTERP_FILL_RANDOM};
    struct arena *arena = arena_new();
    struct interp_signature sig = {0};
    struct ir_module *m =
        w->file != NULL ? ir_read_file(w->file, sink)
                        : ir_read(w->text, strlen(w->text), w->name, sink);
    bool ok = m != NULL &&
              interp_signature(m, m->funcs[0], NULL, 0, arena, &sig, sink);
    double loops = time_loops(w);
    for (size_t i = 0; ok && i < DC_ARRAY_LEN(fills); i++) {
        struct timing fast =
            time_engine(m, &sig, fills[i], INTERP_ENGINE_FAST, 0);
        struct timing walk =
            time_engine(m, &sig, fills[i], INTERP_ENGINE_WALK, steps);
        double whole = (double)fast.result.steps * fast.ratio;
        double walker = walk.result.fault == INTERP_BUDGET
                            ? walk.seconds * whole / (double)walk.result.steps
                            : walk.seconds;
        printf("%-20s %-7s %9.3f %9.0f %10.2f %8.0f", w->name,
               interp_fill_name(fills[i]), fast.seconds,
               whole / 1e6 / (fast.seconds + 1e-9), walker,
               walker / (fast.seconds + 1e-9));
        if (loops >= 0)
            printf(" %8.3f %6.1f", loops, fast.seconds / (loops + 1e-9));
        printf("  %s\n",
               fast.result.fault == INTERP_OK ? "" : fast.result.message);
        interp_result_fini(&fast.result);
        interp_result_fini(&walk.result);
    }
    ir_module_free(m);
    arena_free(arena);
    return ok;
}

int main(int argc, char **argv)
{
    uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000000u;
    struct diag_sink *sink = diag_sink_new();
    struct buf text = {0};
    int status = 0;
    printf("%-20s %-7s %9s %9s %10s %8s %8s %6s\n", "workload", "fill",
           "fast s", "Mstep/s", "walker s", "times", "C s", "fast/C");
    for (size_t i = 0; i < DC_ARRAY_LEN(workloads); i++)
        if (!bench(&workloads[i], steps, sink))
            status = 1;
    printf("%-28s %-24s %9s %9s\n", "replay", "arithmetic", "s", "reference");
    if (!bench_replays("corpora/relax294/untuned.py", sink) ||
        !bench_replays("corpora/relax294/tuned.py", sink))
        status = 1;
    diag_render(sink, false, &text);
    fputs(buf_text(&text), stderr);
    buf_fini(&text);
    diag_sink_free(sink);
    return status;
}
