/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor and warp intrinsics. Expected values: the PTX manual's fragment
 * layouts, written out in the modules' own index expressions, CUDA's
 * definition of shuffles, and plain loops in C.
 */
#include "interp/interp.h"
#include "tests/test.h"

#include <string.h>
#include <unistd.h>

#define DATA "../shared/data/tvm/passes/"
#define HEAD                            \
    "from tvm.script import ir as I\n"  \
    "from tvm.script import tir as T\n" \
    "@I.ir_module\n"                    \
    "class Module:\n"                   \
    "    @T.prim_func\n"
#define THREADS "        for tx in T.thread_binding(32, \"threadIdx.x\"):\n"

struct run {
    struct ir_module *module;
    struct interp_arg args[4];
    size_t nargs;
    struct interp_result result;
};

/* The walker on inputs of its own says what the run said. */
static void expect_walker(const struct run *r, struct interp_arg *args)
{
    struct interp_options o = interp_default_options();
    o.engine = INTERP_ENGINE_WALK;
    struct interp_result w =
        interp_run(r->module, r->module->funcs[0], r->nargs, args, &o);
    assert_int_equal(w.fault, r->result.fault);
    assert_int_equal(w.message == NULL, r->result.message == NULL);
    if (w.message != NULL)
        assert_string_equal(w.message, r->result.message);
    for (size_t p = 0; p < r->nargs; p++) {
        const struct interp_tensor *x = args[p].tensor, *y = r->args[p].tensor;
        for (size_t i = 0; i < x->elements && w.fault == INTERP_OK; i++) {
            assert_int_equal(x->state[i], y->state[i]);
            assert_true(!(x->state[i] & INTERP_DEFINED) ||
                        interp_tensor_get(x, i) == interp_tensor_get(y, i));
        }
        interp_tensor_free(args[p].tensor);
    }
    interp_result_fini(&w);
}

static void run_module(struct run *r, struct ir_module *m)
{
    struct interp_arg copies[DC_ARRAY_LEN(r->args)] = {{0}};
    struct arena *arena = arena_new();
    struct interp_signature s;
    assert_non_null(m);
    memset(r, 0, sizeof *r);
    r->module = m;
    assert_true(interp_signature(m, m->funcs[0], NULL, 0, arena, &s, NULL));
    assert_true(s.nparams <= DC_ARRAY_LEN(r->args));
    r->nargs = s.nparams;
    for (size_t i = 0; i < s.nparams; i++) {
        struct interp_tensor *t = interp_tensor_new(
            s.params[i].dtype, s.params[i].rank, s.params[i].shape);
        assert_non_null(t);
        interp_fill_tensor(t, INTERP_FILL_EXACT, 2, i, 1, 0);
        r->args[i].tensor = t;
        copies[i].tensor = interp_tensor_clone(t);
    }
    struct interp_options o = interp_default_options();
    r->result = interp_run(m, m->funcs[0], r->nargs, r->args, &o);
    expect_walker(r, copies);
    arena_free(arena);
}

static void run_text(struct run *r, const char *text)
{
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(text, strlen(text), "m.py", sink);
    struct buf why = {0};
    diag_render(sink, false, &why);
    if (m == NULL)
        fail_msg("%s", buf_text(&why));
    buf_fini(&why);
    diag_sink_free(sink);
    run_module(r, m);
}

static void expect_ok(const struct run *r)
{
    if (r->result.fault != INTERP_OK)
        fail_msg("%s: %s", interp_fault_name(r->result.fault),
                 r->result.message);
}

static void release(struct run *r)
{
    for (size_t i = 0; i < r->nargs; i++)
        interp_tensor_free(r->args[i].tensor);
    interp_result_fini(&r->result);
    ir_module_free(r->module);
}

static double at(const struct run *r, size_t param, size_t i)
{
    const struct interp_tensor *t = r->args[param].tensor;
    assert_true(t->state[i] & INTERP_DEFINED);
    return num_to_double(t->dtype, interp_tensor_get(t, i));
}

/* C = A B, C of m x n, A of m x k, B of k x n or transposed n x k. */
static void expect_product(const struct run *r, size_t m, size_t n, size_t k,
                           bool transposed)
{
    for (size_t i = 0; i < m; i++) {
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += at(r, 0, i * k + l) *
                       at(r, 1, transposed ? j * k + l : l * n + j);
            assert_true(at(r, 2, i * n + j) == sum);
        }
    }
}

/* ---- shuffles ------------------------------------------------------------------- */

static const struct {
    const char *label;
    const char *call; /* of A[tx] */
    int source[6];    /* for lanes 0, 1, 7, 8, 30, 31 */
} shuffles[] = {
    {"down",
     "T.tvm_warp_shuffle_down(T.uint32(0xffffffff), A[tx], 1, 32, 32)",
     {1, 2, 8, 9, 31, 31}},
    {"down in eights",
     "T.tvm_warp_shuffle_down(T.uint32(0xffffffff), A[tx], 4, 8, 32)",
     {4, 5, 7, 12, 30, 31}},
    {"up",
     "T.tvm_warp_shuffle_up(T.uint32(0xffffffff), A[tx], 2, 32, 32)",
     {0, 1, 5, 6, 28, 29}},
    {"up in eights",
     "T.tvm_warp_shuffle_up(T.uint32(0xffffffff), A[tx], 1, 8, 32)",
     {0, 0, 6, 8, 29, 30}},
    {"from lane 3",
     "T.tvm_warp_shuffle(T.uint32(0xffffffff), A[tx], 3, 32, 32)",
     {3, 3, 3, 3, 3, 3}},
    {"index modulo width",
     "T.tvm_warp_shuffle(T.uint32(0xffffffff), A[tx], 9, 8, 32)",
     {1, 1, 1, 9, 25, 25}},
    {"CUDA's name, down",
     "T.call_intrin(\"float32\", \"tirx.cuda.__shfl_down_sync\", "
     "T.uint32(0xffffffff), A[tx], 4, 8)",
     {4, 5, 7, 12, 30, 31}},
    {"CUDA's name, by the active lanes",
     "T.call_intrin(\"float32\", \"tirx.cuda.__shfl_sync\", "
     "T.call_intrin(\"uint32\", \"tirx.cuda.__activemask\"), A[tx], 3, 32)",
     {3, 3, 3, 3, 3, 3}},
};

static void test_shuffles(void **state)
{
    static const size_t lanes[] = {0, 1, 7, 8, 30, 31};
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(shuffles); k++) {
        struct run r;
        struct buf text = {0};
        buf_printf(&text,
                   HEAD
                   "    def main(A: T.Buffer((32,), \"float32\"),\n"
                   "             B: T.Buffer((32,), \"float32\")):\n" THREADS
                   "            B[tx] = %s\n",
                   shuffles[k].call);
        run_text(&r, buf_text(&text));
        buf_fini(&text);
        expect_ok(&r);
        for (size_t i = 0; i < DC_ARRAY_LEN(lanes); i++)
            if (at(&r, 1, lanes[i]) != at(&r, 0, (size_t)shuffles[k].source[i]))
                fail_msg("%s: lane %zu", shuffles[k].label, lanes[i]);
        release(&r);
    }
}

/* Only half of the lanes named in the mask arrive. */
static void test_short_shuffle(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, HEAD "    def main(A: T.Buffer((32,), \"float32\"),\n"
                      "             B: T.Buffer((32,), \"float32\")):\n" THREADS
                      "            B[tx] = T.call_intrin(\"float32\", "
                      "\"tirx.cuda.__shfl_sync\", A[tx])\n");
    assert_int_equal(r.result.fault, INTERP_UNSUPPORTED);
    assert_non_null(strstr(r.result.message, "number of operands"));
    release(&r);
}

static void test_divergent_shuffle(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, HEAD "    def main(A: T.Buffer((32,), \"float32\"),\n"
                      "             B: T.Buffer((32,), \"float32\")):\n" THREADS
                      "            if tx < 16:\n"
                      "                B[tx] = T.tvm_warp_shuffle_down("
                      "T.uint32(0xffffffff), A[tx], 1, 32, 32)\n");
    assert_int_equal(r.result.fault, INTERP_BARRIER_DIVERGENCE);
    release(&r);
}

/* A mask of 0 means the lanes that arrive; one that does not is no source. */
static void test_shuffle_without_mask(void **state)
{
    struct run r;
    (void)state;
    run_text(&r,
             HEAD "    def main(A: T.Buffer((40,), \"float32\"),\n"
                  "             B: T.Buffer((40,), \"float32\")):\n"
                  "        for tx in T.thread_binding(40, \"threadIdx.x\"):\n"
                  "            B[tx] = T.tvm_warp_shuffle_down("
                  "T.uint32(0), A[tx], 4, 32, 32)\n");
    expect_ok(&r);
    for (size_t i = 0; i < 32; i++)
        assert_true(at(&r, 1, i) == at(&r, 0, i < 28 ? i + 4 : i));
    for (size_t i = 32; i < 36; i++)
        assert_true(at(&r, 1, i) == at(&r, 0, i + 4));
    for (size_t i = 36; i < 40; i++) /* there is no lane 8 */
        assert_false(r.args[1].tensor->state[i] & INTERP_DEFINED);
    release(&r);
    run_text(&r, HEAD "    def main(A: T.Buffer((32,), \"float32\"),\n"
                      "             B: T.Buffer((32,), \"float32\")):\n" THREADS
                      "            if tx < 16:\n"
                      "                B[tx] = T.tvm_warp_shuffle_down("
                      "T.uint32(0), A[tx], 1, 32, 32)\n");
    expect_ok(&r);
    for (size_t i = 0; i < 15; i++)
        assert_true(at(&r, 1, i) == at(&r, 0, i + 1));
    assert_false(r.args[1].tensor->state[15] & INTERP_DEFINED);
    release(&r);
    /* the last shuffle of such a lowering has what is at hand for a mask */
    run_text(&r,
             HEAD "    def main(A: T.Buffer((32,), \"float32\"),\n"
                  "             B: T.Buffer((32,), \"float32\")):\n"
                  "        t = T.alloc_buffer((1,), scope=\"local\")\n"
                  "        u = T.alloc_buffer((1,), scope=\"local\")\n" THREADS
                  "            t[0] = T.tvm_warp_shuffle_down(0, A[tx], 1, "
                  "32, 32)\n"
                  "            B[tx] = T.tvm_warp_shuffle(u[0], t[0], 0, 32, "
                  "32)\n");
    expect_ok(&r);
    for (size_t i = 0; i < 32; i++)
        assert_true(at(&r, 1, i) == at(&r, 0, 1));
    release(&r);
}

/* ---- reductions: modules made by TVM ---------------------------------------------- */

static void check_row_sums(const char *path)
{
    struct run r;
    if (access(path, R_OK) != 0) {
        print_message("skipped: %s not there\n", path);
        return;
    }
    run_module(&r, ir_read_file(path, NULL));
    expect_ok(&r);
    const struct interp_tensor *a = r.args[0].tensor, *c = r.args[1].tensor;
    size_t rows = c->elements, columns = a->elements / rows;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t k = 0; k < columns; k++)
            sum += at(&r, 0, i * columns + k);
        assert_true(at(&r, 1, i) == sum);
    }
    release(&r);
}

static void test_thread_reductions(void **state)
{
    (void)state;
    check_row_sums(DATA "crossthread_sum_LowerThreadAllreduce/untuned.json");
    check_row_sums(DATA "crossthread_sum_LowerThreadAllreduce/tuned.json");
}

/* ---- tiles ---------------------------------------------------------------------------- */

#define WMMA(threads, indent)                                                \
    HEAD "    def main(A: T.Buffer((16, 16), \"float16\"),\n"                \
         "             B: T.Buffer((16, 16), \"float16\"),\n"                \
         "             C: T.Buffer((16, 16), \"float32\")):\n"               \
         "        a = T.alloc_buffer((16, 16), \"float16\", "                \
         "scope=\"wmma.matrix_a\")\n"                                        \
         "        b = T.alloc_buffer((16, 16), \"float16\", "                \
         "scope=\"wmma.matrix_b\")\n"                                        \
         "        c = T.alloc_buffer((16, 16), \"float32\", "                \
         "scope=\"wmma.accumulator\")\n" threads indent                      \
         "T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, 16, 0, "            \
         "T.float32(0)))\n" indent                                           \
         "T.evaluate(T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, "         \
         "T.tvm_access_ptr(T.type_annotation(\"float16\"), A.data, 0, 256, " \
         "1), 16, \"row_major\"))\n" indent                                  \
         "T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, 16, 0, "         \
         "T.address_of(B[0, 0]), 16, \"col_major\"))\n" indent               \
         "T.evaluate(T.tvm_mma_sync(c.data, 0, a.data, 0, b.data, 0, "       \
         "c.data, 0))\n" indent                                              \
         "T.evaluate(T.tvm_store_matrix_sync(c.data, 16, 16, 16, 0, "        \
         "T.tvm_access_ptr(T.type_annotation(\"float32\"), C.data, 0, 256, " \
         "2), 16, \"row_major\"))\n"

static void test_wmma(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, WMMA("", "        "));
    expect_ok(&r);
    expect_product(&r, 16, 16, 16, true);
    release(&r);
    run_text(&r, WMMA(THREADS, "            "));
    expect_ok(&r);
    expect_product(&r, 16, 16, 16, true);
    release(&r);
}

static void test_wmma_by_half_a_warp(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, WMMA(THREADS "            if tx < 16:\n", "                "));
    assert_int_equal(r.result.fault, INTERP_BARRIER_DIVERGENCE);
    release(&r);
}

/* ---- PTX -------------------------------------------------------------------------------- */

static const char mma_f16[] = HEAD
    "    def main(A: T.Buffer((16, 16), \"float16\"),\n"
    "             B: T.Buffer((16, 8), \"float16\"),\n"
    "             C: T.Buffer((16, 8), \"float32\")):\n"
    "        a = T.alloc_buffer((8,), \"float16\", scope=\"local\")\n"
    "        b = T.alloc_buffer((4,), \"float16\", scope=\"local\")\n"
    "        c = T.alloc_buffer((4,), \"float32\", scope=\"local\")\n" THREADS
    "            for i in range(8):\n"
    "                a[i] = A[tx // 4 + 8 * (i // 2 % 2), "
    "tx % 4 * 2 + i % 2 + 8 * (i // 4)]\n"
    "            for i in range(4):\n"
    "                b[i] = B[tx % 4 * 2 + i % 2 + 8 * (i // 2), tx // 4]\n"
    "            T.evaluate(T.mma_fill(4, c.data, 0, dtype=\"float32\"))\n"
    "            T.evaluate(T.ptx_mma(\"m16n8k16\", \"row\", \"col\", "
    "\"fp16\", \"fp16\", \"fp32\", a.data, 0, b.data, 0, c.data, 0, "
    "False, dtype=\"float32\"))\n"
    "            for i in range(4):\n"
    "                C[tx // 4 + 8 * (i // 2), tx % 4 * 2 + i % 2] = "
    "c[i]\n";

static const char mma_s8[] = HEAD
    "    def main(A: T.Buffer((16, 32), \"int8\"),\n"
    "             B: T.Buffer((32, 8), \"int8\"),\n"
    "             C: T.Buffer((16, 8), \"int32\")):\n"
    "        a = T.alloc_buffer((16,), \"int8\", scope=\"local\")\n"
    "        b = T.alloc_buffer((8,), \"int8\", scope=\"local\")\n"
    "        c = T.alloc_buffer((4,), \"int32\", scope=\"local\")\n" THREADS
    "            for i in range(16):\n"
    "                a[i] = A[tx // 4 + 8 * (i // 4 % 2), "
    "tx % 4 * 4 + i % 4 + 16 * (i // 8)]\n"
    "            for i in range(8):\n"
    "                b[i] = B[tx % 4 * 4 + i % 4 + 16 * (i // 4), tx // 4]"
    "\n"
    "            for i in range(4):\n"
    "                c[i] = 0\n"
    "            T.evaluate(T.ptx_mma(\"m16n8k32\", \"row\", \"col\", "
    "\"int8\", \"int8\", \"int32\", a.data, 0, b.data, 0, c.data, 0, "
    "False, dtype=\"int32\"))\n"
    "            for i in range(4):\n"
    "                C[tx // 4 + 8 * (i // 2), tx % 4 * 2 + i % 2] = "
    "c[i]\n";

static void test_ptx_mma(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, mma_f16);
    expect_ok(&r);
    expect_product(&r, 16, 8, 16, false);
    release(&r);
    run_text(&r, mma_s8);
    expect_ok(&r);
    expect_product(&r, 16, 8, 32, false);
    release(&r);
}

/* Registers in `warp` storage, as they are until LowerWarpMemory has run: those
 * of lane l start at 8 l; mma_fill and mma_store name the first lane's. Two
 * instructions make the 16 x 16 product. */
static const char mma_warp[] = HEAD
    "    def main(A: T.Buffer((16, 16), \"float16\"),\n"
    "             B: T.Buffer((16, 16), \"float16\"),\n"
    "             C: T.Buffer((16, 16), \"float32\")):\n"
    "        a = T.alloc_buffer((256,), \"float16\", scope=\"warp\")\n"
    "        b = T.alloc_buffer((256,), \"float16\", scope=\"warp\")\n"
    "        c = T.alloc_buffer((256,), \"float32\", scope=\"warp\")\n" THREADS
    "            for i in range(8):\n"
    "                a[tx * 8 + i] = A[tx // 4 + 8 * (i // 2 % 2), "
    "tx % 4 * 2 + i % 2 + 8 * (i // 4)]\n"
    "                b[tx * 8 + i] = B[tx % 4 * 2 + i % 2 + 8 * (i // 2 % 2), "
    "tx // 4 + 8 * (i // 4)]\n"
    "            T.evaluate(T.mma_fill(8, c.data, 0, dtype=\"float32\"))\n"
    "            for h in range(2):\n"
    "                T.evaluate(T.ptx_mma(\"m16n8k16\", \"row\", \"col\", "
    "\"fp16\", \"fp16\", \"fp32\", a.data, tx * 8, b.data, tx * 8 + h * 4, "
    "c.data, tx * 8 + h * 4, False, dtype=\"float32\"))\n"
    "            T.evaluate(T.mma_store(16, 16, T.tvm_access_ptr("
    "T.type_annotation(dtype=\"float32\"), C.data, 0, 256, 2), c.data, 0, 16, "
    "dtype=\"float32\"))\n";

static void test_warp_registers(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, mma_warp);
    expect_ok(&r);
    expect_product(&r, 16, 16, 16, false);
    release(&r);
}

/* Transposed loads of bytes, which TVM spells out: with the 32 x 16 tile as B
 * of m16n8k32, column half h, lane l gets elements 8 h … 8 h + 7 of its own. */
static const char ldmatrix_s8[] = HEAD
    "    def main(A: T.Buffer((32, 16), \"int8\"),\n"
    "             B: T.Buffer((32, 16), \"int8\")):\n"
    "        s = T.alloc_buffer((32, 16), \"int8\", scope=\"shared\")\n"
    "        a = T.alloc_buffer((16,), \"int8\", scope=\"local\")\n" THREADS
    "            for i in range(16):\n"
    "                s[tx, i] = A[tx, i]\n"
    "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
    "            T.evaluate(T.ptx_ldmatrix(True, 4, \".b16\", a.data, 0, "
    "T.address_of(s[0, 0]), 16, dtype=\"int8\"))\n"
    "            for i in range(16):\n"
    "                B[tx, i] = a[i]\n";

static void test_ldmatrix_bytes(void **state)
{
    struct run r;
    (void)state;
    run_text(&r, ldmatrix_s8);
    expect_ok(&r);
    for (size_t lane = 0; lane < 32; lane++) {
        for (size_t i = 0; i < 16; i++) {
            /* B of m16n8k32: four elements of K a register */
            size_t row = lane % 4 * 4 + i % 4 + 16 * (i % 8 / 4);
            size_t column = lane / 4 + 8 * (i / 8);
            assert_true(at(&r, 1, lane * 16 + i) ==
                        at(&r, 0, row * 16 + column));
        }
    }
    release(&r);
}

/* Four 8 x 8 matrices, row addresses from lanes 0-7, 8-15, …: what mma wants
 * as A. Transposed, element (r, c) of each matrix goes where (c, r) went. */
#define LDMATRIX(transposed)                                               \
    HEAD "    def main(A: T.Buffer((16, 16), \"float16\"),\n"              \
         "             B: T.Buffer((32, 8), \"float16\")):\n"              \
         "        s = T.alloc_buffer((16, 16), \"float16\", "              \
         "scope=\"shared\")\n"                                             \
         "        a = T.alloc_buffer((8,), \"float16\", "                  \
         "scope=\"local\")\n" THREADS "            for i in range(8):\n"   \
         "                s[tx // 2, tx % 2 * 8 + i] = "                   \
         "A[tx // 2, tx % 2 * 8 + i]\n"                                    \
         "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"        \
         "            T.evaluate(T.ptx_ldmatrix(" transposed               \
         ", 4, \".b16\", a.data, 0, s.data, tx % 16 * 16 + tx // 16 * 8, " \
         "dtype=\"float16\"))\n"                                           \
         "            for i in range(8):\n"                                \
         "                B[tx, i] = a[i]\n"

static void test_ldmatrix(void **state)
{
    (void)state;
    for (int transposed = 0; transposed < 2; transposed++) {
        struct run r;
        run_text(&r, transposed ? LDMATRIX("True") : LDMATRIX("False"));
        expect_ok(&r);
        for (size_t lane = 0; lane < 32; lane++) {
            for (size_t i = 0; i < 8; i++) {
                size_t row = lane / 4, column = lane % 4 * 2 + i % 2;
                size_t matrix = i / 2;
                if (transposed) {
                    size_t swap = row;
                    row = column;
                    column = swap;
                }
                row += matrix % 2 * 8;
                column += matrix / 2 * 8;
                assert_true(at(&r, 1, lane * 8 + i) ==
                            at(&r, 0, row * 16 + column));
            }
        }
        release(&r);
    }
}

/* ---- asynchronous copies -------------------------------------------------------------- */

#define CP_ASYNC(before_wait, wait, sync)                                      \
    HEAD                                                                       \
        "    def main(A: T.Buffer((128,), \"float32\"),\n"                     \
        "             B: T.Buffer((128,), \"float32\")):\n"                    \
        "        s = T.alloc_buffer((128,), \"float32\", "                     \
        "scope=\"shared\")\n" THREADS                                          \
        "            T.evaluate(T.ptx_cp_async(s.data, tx * 4, A.data, "       \
        "tx * 4, 16, dtype=\"float32\"))\n"                                    \
        "            T.evaluate(T.ptx_commit_group())\n" before_wait wait sync \
        "            for i in range(4):\n"                                     \
        "                B[tx * 4 + i] = s[127 - (tx * 4 + i)]\n"
#define WAIT "            T.evaluate(T.ptx_wait_group(0))\n"
#define SYNC "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"

static const struct {
    const char *label, *text;
    enum interp_fault_kind fault;
} copies[] = {
    {"waited and synchronised", CP_ASYNC("", WAIT, SYNC), INTERP_OK},
    {"not waited for", CP_ASYNC("", "", SYNC), INTERP_ASYNC},
    {"one group may be pending",
     CP_ASYNC("", "            T.evaluate(T.ptx_wait_group(1))\n", SYNC),
     INTERP_ASYNC},
    {"one thread's group is not the others'",
     HEAD "    def main(A: T.Buffer((128,), \"float32\"),\n"
          "             B: T.Buffer((128,), \"float32\")):\n"
          "        s = T.alloc_buffer((128,), \"float32\", "
          "scope=\"shared\")\n" THREADS "            if tx > 0:\n"
          "                T.evaluate(T.ptx_commit_group())\n"
          "            T.evaluate(T.ptx_cp_async(s.data, tx * 4, A.data, "
          "tx * 4, 16, dtype=\"float32\"))\n"
          "            if tx == 0:\n"
          "                T.evaluate(T.ptx_commit_group())\n" WAIT SYNC
          "            for i in range(4):\n"
          "                B[tx * 4 + i] = s[127 - (tx * 4 + i)]\n",
     INTERP_ASYNC},
    {"source overwritten",
     CP_ASYNC("            A[tx * 4] = T.float32(1)\n", WAIT, SYNC),
     INTERP_ASYNC},
};

static void test_cp_async(void **state)
{
    (void)state;
    for (size_t k = 0; k < DC_ARRAY_LEN(copies); k++) {
        struct run r;
        run_text(&r, copies[k].text);
        if (r.result.fault != copies[k].fault)
            fail_msg("%s: %s (%s)", copies[k].label,
                     interp_fault_name(r.result.fault), r.result.message);
        for (size_t i = 0; i < 128 && r.result.fault == INTERP_OK; i++)
            assert_true(at(&r, 1, i) == at(&r, 0, 127 - i));
        release(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shuffles),
        cmocka_unit_test(test_short_shuffle),
        cmocka_unit_test(test_divergent_shuffle),
        cmocka_unit_test(test_shuffle_without_mask),
        cmocka_unit_test(test_thread_reductions),
        cmocka_unit_test(test_wmma),
        cmocka_unit_test(test_wmma_by_half_a_warp),
        cmocka_unit_test(test_ptx_mma),
        cmocka_unit_test(test_warp_registers),
        cmocka_unit_test(test_ldmatrix),
        cmocka_unit_test(test_ldmatrix_bytes),
        cmocka_unit_test(test_cp_async),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
