/* SPDX-License-Identifier: Apache-2.0
 *
 * The front end of the prover against the interpreter: what a vprog says, run
 * by the letter (vprog_run_internal.h), must leave in every parameter what the
 * interpreter leaves there, for real modules of all stages of lowering and for
 * small functions that each show one rule.
 *
 * With a file as argument it prints the program of each function instead.
 */
#include "tests/test.h"
#include "tests/verifier/front/vprog_print_internal.h"
#include "tests/verifier/front/vprog_run_internal.h"

#include <dirent.h>

#define DATA      "../shared/data/tvm/"
#define MAX_STEPS 400000u
#define MAX_WORK  6000000u

struct tally {
    size_t functions, supported, equal, skipped, failed;
};

static bool same_element(const struct interp_tensor *a,
                         const struct interp_tensor *b, size_t i, bool exact)
{
    bool da = (a->state[i] & INTERP_DEFINED) != 0;
    bool db = (b->state[i] & INTERP_DEFINED) != 0;
    if (!da || !db)
        return da == db;
    struct dtype t = dtype_scalar(a->dtype);
    if (num_same(t, interp_tensor_get(a, i), interp_tensor_get(b, i)))
        return true;
    if (exact || !dtype_is_float(t))
        return false;
    double x = num_to_double(t, interp_tensor_get(a, i)),
           y = num_to_double(t, interp_tensor_get(b, i));
    double d = x > y ? x - y : y - x, m = x > 0 ? x : -x;
    return d <= 1e-2 * m + 1e-2;
}

static void make_args(const struct interp_signature *sig,
                      struct interp_arg *args)
{
    for (size_t i = 0; i < sig->nparams; i++) {
        const struct interp_param *x = &sig->params[i];
        if (!x->is_tensor) {
            args[i].dtype = x->dtype;
            args[i].bits = 3;
            continue;
        }
        for (size_t d = 0; d < x->rank; d++)
            if (x->shape[d] < 0)
                x->shape[d] = 5;
        struct interp_tensor *t =
            interp_tensor_new(x->dtype, x->rank, x->shape);
        bool index = x->indexes && !dtype_is_float(x->dtype);
        interp_fill_tensor(t, index ? INTERP_FILL_INDEX : INTERP_FILL_EXACT, 7,
                           i, index ? 0 : 1, index ? 2 : 0);
        args[i].tensor = t;
    }
}

/* Whether the program and the function do the same. NULL: yes, or no verdict
 * (*skip). */
static const char *contradiction(const struct ir_module *m,
                                 const struct ir_func *f, const struct vprog *p,
                                 struct arena *arena, uint64_t effort,
                                 bool *skip)
{
    struct interp_signature sig;
    *skip = true;
    if (!interp_signature(m, f, NULL, 0, arena, &sig, NULL))
        return NULL;
    struct interp_arg *a = ARENA_ARRAY(arena, sig.nparams, struct interp_arg);
    struct interp_arg *b = ARENA_ARRAY(arena, sig.nparams, struct interp_arg);
    for (size_t i = 0; i < sig.nparams; i++) {
        double n = 1;
        for (size_t d = 0; d < sig.params[i].rank; d++)
            n *=
                sig.params[i].shape[d] < 0 ? 5 : (double)sig.params[i].shape[d];
        if (sig.params[i].is_tensor && n > 200000)
            return NULL;
    }
    make_args(&sig, a);
    make_args(&sig, b);
    struct interp_options o = interp_default_options();
    o.max_steps = effort * MAX_STEPS;
    struct interp_result result = interp_run(m, f, sig.nparams, a, &o);
    const char *what = NULL;
    /* an index that leaves its dimension is an obligation that fails */
    if (result.fault == INTERP_OK && result.beyond == NULL) {
        struct vrun run;
        vrun(&run, p, b, effort * MAX_WORK);
        *skip = run.cannot;
        if (run.message[0] != '\0' && !run.cannot)
            what = arena_strdup(arena, run.message);
        for (size_t i = 0; i < sig.nparams && !*skip && what == NULL; i++)
            for (size_t k = 0; a[i].tensor != NULL && k < a[i].tensor->elements;
                 k++)
                if (!same_element(a[i].tensor, b[i].tensor, k,
                                  !result.inexact)) {
                    what =
                        arena_printf(arena, "parameter %zu, element %zu", i, k);
                    break;
                }
    }
    interp_result_fini(&result);
    for (size_t i = 0; i < sig.nparams; i++) {
        interp_tensor_free(a[i].tensor);
        interp_tensor_free(b[i].tensor);
    }
    return what;
}

static void check_module(const struct ir_module *m, const char *name,
                         struct tally *t, bool verbose)
{
    for (size_t i = 0; i < m->nfuncs; i++) {
        if (m->funcs[i]->kind != IR_FUNC_PRIM)
            continue;
        struct arena *arena = arena_new();
        struct vprog *p = vprog_make(m, m->funcs[i]);
        bool skip = true;
        const char *what = NULL;
        t->functions++;
        if (p->unsupported == NULL) {
            t->supported++;
            what = contradiction(m, m->funcs[i], p, arena, 1, &skip);
        } else if (verbose) {
            print_message("unsupported: %s %s: %s\n", name, m->funcs[i]->name,
                          p->unsupported);
        }
        if (what != NULL) {
            print_error("%s %s: %s\n", name, m->funcs[i]->name, what);
            t->failed++;
        } else {
            t->equal += !skip;
            t->skipped += skip;
        }
        vprog_free(p);
        arena_free(arena);
    }
}

static struct ir_module *read_module(const char *path)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read_file(path, sink);
    if (m != NULL)
        ir_host_restore(m, sink);
    diag_sink_free(sink);
    return m;
}

static void check_family(const char *family, struct tally *t, bool verbose)
{
    char path[1024];
    snprintf(path, sizeof path, "%s%s", DATA, family);
    DIR *dir = opendir(path);
    struct dirent *entry;
    static const char *const sides[] = {"untuned.json", "tuned.json"};
    while (dir != NULL && (entry = readdir(dir)) != NULL)
        for (size_t i = 0; i < 2 && entry->d_name[0] != '.'; i++) {
            snprintf(path, sizeof path, "%s%s/%s/%s", DATA, family,
                     entry->d_name, sides[i]);
            struct ir_module *m = read_module(path);
            if (m == NULL)
                continue;
            check_module(m, path + strlen(DATA), t, verbose);
            ir_module_free(m);
        }
    if (dir != NULL)
        closedir(dir);
}

static void data_modules_run_alike(void **state)
{
    static const char *const families[] = {"schedule",     "passes", "dlight",
                                           "metaschedule", "eras",   "mutants",
                                           "seed0"};
    (void)state;
    DIR *dir = opendir(DATA);
    if (dir == NULL) {
        print_message("no %s: skipped\n", DATA);
        skip();
        return;
    }
    closedir(dir);
    struct tally t = {0};
    bool verbose = getenv("DC_FRONT_VERBOSE") != NULL;
    for (size_t i = 0; i < DC_ARRAY_LEN(families); i++)
        check_family(families[i], &t, verbose);
    print_message("%zu functions, %zu supported, %zu run alike, %zu not run\n",
                  t.functions, t.supported, t.equal, t.skipped);
    assert_int_equal(t.failed, 0);
    assert_true(t.equal > 100);
}

/* ---- intrinsics and views, against the interpreter ----------------------------- */

#define HEAD                               \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"
#define EXCHANGE(call)                                                   \
    HEAD "def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), " \
         "\"float32\")):\n"                                              \
         "    for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n" \
         "        B[tx] = " call "\n"
#define MASK "T.uint32(0xffffffff)"
#define WMMA(threads, layout)                                               \
    HEAD "def main(A: T.Buffer((32, 16), \"float16\"), B: T.Buffer((16, "   \
         "16), \"float16\"), C: T.Buffer((32, 16), \"float32\")):\n"        \
         "    a = T.alloc_buffer((32, 16), \"float16\", "                   \
         "scope=\"wmma.matrix_a\")\n"                                       \
         "    b = T.alloc_buffer((16, 16), \"float16\", "                   \
         "scope=\"wmma.matrix_b\")\n"                                       \
         "    c = T.alloc_buffer((32, 16), \"float32\", "                   \
         "scope=\"wmma.accumulator\")\n" threads                            \
         "            T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, "   \
         "16, 0, T.address_of(B[0, 0]), 16, \"" layout "\"))\n"             \
         "            for i in range(2):\n"                                 \
         "                T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, "  \
         "16, i, T.float32(2)))\n"                                          \
         "                T.evaluate(T.tvm_load_matrix_sync(a.data, 16, "   \
         "16, 16, i, T.tvm_access_ptr(T.type_annotation(\"float16\"), "     \
         "A.data, i * 256, 256, 1), 16, \"row_major\"))\n"                  \
         "                T.evaluate(T.tvm_mma_sync(c.data, i, a.data, i, " \
         "b.data, 0, c.data, i))\n"                                         \
         "                T.evaluate(T.tvm_store_matrix_sync(c.data, 16, "  \
         "16, 16, i, T.tvm_access_ptr(T.type_annotation(\"float32\"), "     \
         "C.data, i * 256, 256, 2), 16, \"row_major\"))\n"

// clang-format off
static const struct {
    const char *label, *script;
    const char *refused; /* part of the reason; NULL: must run alike */
} texts[] = {
{"shuffle down", EXCHANGE("T.tvm_warp_shuffle_down(" MASK ", A[tx], 1, 32, 32)"), NULL},
{"shuffle down in eights", EXCHANGE("T.tvm_warp_shuffle_down(" MASK ", A[tx], 4, 8, 32)"), NULL},
{"shuffle up", EXCHANGE("T.tvm_warp_shuffle_up(" MASK ", A[tx], 2, 32, 32)"), NULL},
{"shuffle up in eights", EXCHANGE("T.tvm_warp_shuffle_up(" MASK ", A[tx], 1, 8, 32)"), NULL},
{"shuffle from a lane", EXCHANGE("T.tvm_warp_shuffle(" MASK ", A[tx], 3, 32, 32)"), NULL},
{"shuffle modulo the width", EXCHANGE("T.tvm_warp_shuffle(" MASK ", A[tx], 9, 8, 32)"), NULL},
{"shuffle by exclusive or", EXCHANGE("T.tvm_warp_shuffle_xor(" MASK ", A[tx], 5, 32, 32)"), NULL},
{"shuffle of a shuffle", EXCHANGE("T.tvm_warp_shuffle_down(" MASK ", T.tvm_warp_shuffle_up(" MASK ", A[tx] + T.float32(1), 1, 32, 32), 3, 16, 32)"), NULL},
{"shuffle under CUDA's name", EXCHANGE("T.call_intrin(\"float32\", \"tirx.cuda.__shfl_down_sync\", " MASK ", A[tx], 4, 8)"), NULL},
{"shuffle of half a warp", HEAD
 "def main(A: T.Buffer((64,), \"float32\"), B: T.Buffer((64,), \"float32\")):\n"
 "    for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "        if tx < 16:\n"
 "            B[tx] = T.tvm_warp_shuffle_down(" MASK ", A[tx], 1, 32, 32)\n",
 "not all lanes"},
{"shuffle with half a mask", EXCHANGE("T.tvm_warp_shuffle_down(T.uint32(0xffff), A[tx], 1, 32, 32)"), "not all lanes"},
{"wmma on the host", WMMA("    for q in range(1):\n        for r in range(1):\n", "row_major"), NULL},
{"wmma by a warp", WMMA("    for ty in T.thread_binding(1, thread=\"threadIdx.y\"):\n        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n", "col_major"), NULL},
{"wmma by two warps alike", WMMA("    for ty in T.thread_binding(1, thread=\"threadIdx.y\"):\n        for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n", "row_major"), NULL},
{"warp storage of two warps", HEAD
 "def main(A: T.Buffer((2, 32), \"float32\"), B: T.Buffer((2, 32), \"float32\")):\n"
 "    W = T.alloc_buffer((32,), \"float32\", scope=\"warp\")\n"
 "    for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "        W[tx % 32] = A[tx // 32, tx % 32]\n"
 "        B[tx // 32, tx % 32] = W[31 - tx % 32]\n", NULL},
{"warp storage of rows of warps", HEAD
 "def main(A: T.Buffer((2, 32), \"float32\"), B: T.Buffer((2, 32), \"float32\")):\n"
 "    W = T.alloc_buffer((32,), \"float32\", scope=\"warp\")\n"
 "    for ty in T.thread_binding(2, thread=\"threadIdx.y\"):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            W[tx] = A[ty, tx]\n"
 "            B[ty, tx] = W[(tx + 1) % 32]\n", NULL},
{"both arms of a condition, one after the other", HEAD
 "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
 "    S = T.alloc_buffer((8,), \"float32\", scope=\"shared\")\n"
 "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
 "        if tx % 2 == 0:\n"
 "            S[tx] = A[tx]\n"
 "        else:\n"
 "            S[tx] = A[tx] * T.float32(2)\n"
 "        B[tx] = S[7 - tx]\n", NULL},
{"a loop with a step", HEAD
 "def main(A: T.Buffer((10,), \"float32\"), B: T.Buffer((10,), \"float32\")):\n"
 "    for i in range(1, 10, 3):\n"
 "        B[i] = A[i - 1]\n", NULL},
{"a vector under a name", HEAD
 "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
 "    v: T.let[T.float32x4] = A[T.Ramp(0, 2, 4)]\n"
 "    B[T.Ramp(0, 1, 4)] = v + v\n"
 "    B[T.Ramp(4, 1, 4)] = T.Shuffle([v], [3, 1, 2, 0])\n", NULL},
{"lanes that a mask turns off", HEAD
 "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
 "    B.vstore([T.Ramp(0, 1, 4)], A[T.Ramp(4, 1, 4)], predicate=T.get_active_lane_mask(\"uint1x4\", 0, 3))\n", NULL},
{"a name keeps what was read", HEAD
 "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
 "    for i in range(3):\n"
 "        x: T.let[T.float32] = A[i]\n"
 "        A[i] = A[i + 1] + x\n"
 "        B[i] = x\n", NULL},
{"flat and square views of one buffer", HEAD
 "def main(A: T.Buffer((4, 6), \"float32\"), B: T.Buffer((4, 6), \"float32\")):\n"
 "    S = T.alloc_buffer((4, 6), \"float32\")\n"
 "    F = T.decl_buffer((24,), \"float32\", data=S.data)\n"
 "    G = T.decl_buffer((6, 4), \"float32\", data=S.data)\n"
 "    D = T.decl_buffer((10,), \"float32\", data=B.data, elem_offset=14)\n"
 "    for i, j in T.grid(4, 6):\n"
 "        S[i, j] = A[i, j]\n"
 "    for i, j in T.grid(4, 6):\n"
 "        B[i, j] = F[i + j * 4] + G[j, i]\n"
 "    for i in range(10):\n"
 "        D[i] = D[i] + T.float32(1)\n", NULL},
{"bytes that hold two buffers", HEAD
 "def main(A: T.Buffer((8,), \"float32\"), B: T.Buffer((8,), \"float32\")):\n"
 "    M = T.alloc_buffer((64,), \"uint8\", scope=\"shared\")\n"
 "    X = T.decl_buffer((16,), \"float16\", data=M.data, scope=\"shared\")\n"
 "    Y = T.decl_buffer((16,), \"float32\", data=M.data, scope=\"shared\")\n"
 "    for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
 "        X[tx] = T.Cast(\"float16\", A[tx])\n"
 "        Y[tx + 8] = A[tx]\n"
 "        B[tx] = Y[15 - tx] + T.Cast(\"float32\", X[tx])\n", NULL},
{"local storage anew in each launch", HEAD
 "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
 "    L = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 "    for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "        L[0] = A[tx]\n"
 "    for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "        B[tx] = L[0]\n", NULL},
{"an axis that a statement is not below", HEAD
 "def main(A: T.Buffer((4, 8), \"float32\"), B: T.Buffer((4, 8), \"float32\")):\n"
 "    S = T.alloc_buffer((4,), \"float32\", scope=\"shared\")\n"
 "    for ty in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
 "        S[ty] = A[ty, 0]\n"
 "        for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
 "            B[ty, tx] = S[3 - ty] + A[ty, tx]\n", NULL},
{"a reduction by threads that are not told apart", HEAD
 "def main(A: T.Buffer((2, 8), \"float32\"), B: T.Buffer((2,), \"float32\")):\n"
 "    for ty in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
 "        for tx in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
 "            with T.sblock(\"r\"):\n"
 "                vi = T.axis.spatial(2, ty // 2)\n"
 "                vk = T.axis.reduce(8, tx)\n"
 "                with T.init():\n"
 "                    B[vi] = T.float32(0)\n"
 "                B[vi] = B[vi] + A[vi, vk]\n", "do the same"},
{"a value with attributes", HEAD
 "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
 "    for i in range(4):\n"
 "        B[i] = T.Call(\"tirx.exp\", [A[i]], attrs={\"k\": 1}, ret_ty=\"float32\")\n", "with attributes"},
{"a barrier with attributes", HEAD
 "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
 "    for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "        T.evaluate(T.Call(\"tirx.tvm_storage_sync\", [\"shared\"], attrs={\"k\": 1}, ret_ty=\"int32\"))\n"
 "        B[tx] = A[tx]\n", "with attributes"},
{"a loop that data end", HEAD
 "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
 "    while A[0] > T.float32(0):\n"
 "        A[0] = T.float32(0)\n", "while"},
{"two extents of an axis", HEAD
 "def main(A: T.Buffer((4,), \"float32\"), B: T.Buffer((4,), \"float32\")):\n"
 "    for bx in T.thread_binding(1, thread=\"blockIdx.x\"):\n"
 "        for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            B[tx] = A[tx]\n"
 "        for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            B[tx] = A[tx]\n", "two extents"},
};
// clang-format on

static void texts_run_alike(void **state)
{
    (void)state;
    size_t bad = 0;
    for (size_t i = 0; i < DC_ARRAY_LEN(texts); i++) {
        struct diag_sink *sink = diag_sink_new();
        struct ir_module *m = ir_read(texts[i].script, strlen(texts[i].script),
                                      texts[i].label, sink);
        struct buf text = {0};
        diag_render(sink, false, &text);
        if (m == NULL)
            fail_msg("%s: %s", texts[i].label, buf_text(&text));
        struct arena *arena = arena_new();
        struct vprog *p = vprog_make(m, m->funcs[0]);
        const char *what = p->unsupported;
        bool skipped = false;
        if (what == NULL)
            what = contradiction(m, m->funcs[0], p, arena, 20, &skipped);
        if (texts[i].refused != NULL)
            what = p->unsupported != NULL &&
                           strstr(p->unsupported, texts[i].refused) != NULL
                       ? NULL
                       : "not refused, or for another reason";
        if (what != NULL || skipped) {
            print_error("%s: %s\n", texts[i].label,
                        what != NULL ? what : "not run");
            bad++;
        }
        vprog_free(p);
        arena_free(arena);
        ir_module_free(m);
        buf_fini(&text);
        diag_sink_free(sink);
    }
    assert_int_equal(bad, 0);
}

static int print_file(const char *path)
{
    struct ir_module *m = read_module(path);
    for (size_t i = 0; m != NULL && i < m->nfuncs; i++) {
        struct buf text = {0};
        if (m->funcs[i]->kind != IR_FUNC_PRIM)
            continue;
        struct vprog *p = vprog_make(m, m->funcs[i]);
        vprog_print(p, &text);
        printf("%s\n%s", m->funcs[i]->name, buf_text(&text));
        buf_fini(&text);
        vprog_free(p);
    }
    if (m != NULL) {
        struct tally t = {0};
        check_module(m, path, &t, true);
        printf("%zu alike, %zu not run, %zu fail\n", t.equal, t.skipped,
               t.failed);
    }
    ir_module_free(m);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_run_alike),
        cmocka_unit_test(data_modules_run_alike),
    };
    if (argc > 1)
        return print_file(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
