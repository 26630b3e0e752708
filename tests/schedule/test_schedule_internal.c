/* SPDX-License-Identifier: Apache-2.0
 *
 * Schedule primitives: what each does and refuses.
 */
#include "tests/schedule/schedule_case_internal.h"

/* C = A B, extents that divide nothing */
static const char matmul[] =
    HEAD "def main(A: T.Buffer((6, 10), \"float32\"), B: T.Buffer((10, 9), "
         "\"float32\"), C: T.Buffer((6, 9), \"float32\")):\n"
         "    for i, j, k in T.grid(6, 9, 10):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
         "            with T.init():\n"
         "                C[vi, vj] = T.float32(0)\n"
         "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";

/* two elementwise blocks, an intermediate, a sum of rows */
static const char chain[] =
    HEAD "def main(A: T.Buffer((6, 8), \"float32\"), E: T.Buffer((6,), "
         "\"float32\"), D: T.Buffer((6, 8), \"float32\")):\n"
         "    B = T.sblock_alloc_buffer((6, 8), \"float32\")\n"
         "    C = T.sblock_alloc_buffer((6, 8), \"float32\")\n"
         "    for i, j in T.grid(6, 8):\n"
         "        with T.sblock(\"B\"):\n"
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            B[vi, vj] = A[vi, vj] + T.float32(1)\n"
         "    for i, j in T.grid(6, 8):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            C[vi, vj] = B[vi, vj] * T.float32(3)\n"
         "    for i, j in T.grid(6, 8):\n"
         "        with T.sblock(\"D\"):\n"
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            D[vi, vj] = C[vi, vj] - A[vi, vj]\n"
         "    for i, k in T.grid(6, 8):\n"
         "        with T.sblock(\"E\"):\n"
         "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
         "            with T.init():\n"
         "                E[vi] = T.float32(0)\n"
         "            E[vi] = E[vi] + C[vi, vk]\n";

/* rows of a symbolic number */
static const char symbolic[] =
    HEAD "def main(a: T.handle, c: T.handle, n: T.int32):\n"
         "    A = T.match_buffer(a, (n, 4), \"float32\")\n"
         "    C = T.match_buffer(c, (n, 4), \"float32\")\n"
         "    for i, j in T.grid(n, 4):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            C[vi, vj] = A[vi, vj] + T.float32(1)\n";

/* a block that reads its neighbour, one that lies about its iterator */
static const char odd[] =
    HEAD "def main(A: T.Buffer((8, 8), \"float32\"), B: T.Buffer((8,), "
         "\"float32\"), C: T.Buffer((8,), \"float32\")):\n"
         "    for i, j in T.grid(7, 8):\n"
         "        with T.sblock(\"A\"):\n"
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            A[vi + 1, vj] = A[vi, vj] + T.float32(1)\n"
         "    for i, j in T.grid(8, 8):\n"
         "        with T.sblock(\"B\"):\n"
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
         "            B[vj] = A[vi, vj]\n"
         "    for i in range(8):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi = T.axis.opaque(8, i)\n"
         "            C[vi] = B[vi]\n";

/* a parameter changes between a block that reads it and the next; a block with
 * a guard */
static const char inplace[] =
    HEAD "def main(A: T.Buffer((8,), \"float32\"), C: T.Buffer((8,), "
         "\"float32\")):\n"
         "    B = T.sblock_alloc_buffer((8,), \"float32\")\n"
         "    P = T.sblock_alloc_buffer((8,), \"float32\")\n"
         "    for i in range(8):\n"
         "        with T.sblock(\"B\"):\n"
         "            vi = T.axis.spatial(8, i)\n"
         "            B[vi] = A[vi] + T.float32(1)\n"
         "    for i in range(8):\n"
         "        with T.sblock(\"A\"):\n"
         "            vi = T.axis.spatial(8, i)\n"
         "            A[vi] = A[vi] * T.float32(2)\n"
         "    for i in range(8):\n"
         "        with T.sblock(\"P\"):\n"
         "            vi = T.axis.spatial(8, i)\n"
         "            T.where(i < 5)\n"
         "            P[vi] = B[vi]\n"
         "    for i in range(8):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi = T.axis.spatial(8, i)\n"
         "            C[vi] = T.if_then_else(vi < 5, P[vi], B[vi])\n";

/* sums of neighbours, and something done to each */
static const char stencil[] =
    HEAD "def main(A: T.Buffer((8,), \"float32\"), D: T.Buffer((6,), "
         "\"float32\")):\n"
         "    B = T.sblock_alloc_buffer((8,), \"float32\")\n"
         "    C = T.sblock_alloc_buffer((6,), \"float32\")\n"
         "    for i in range(8):\n"
         "        with T.sblock(\"B\"):\n"
         "            vi = T.axis.spatial(8, i)\n"
         "            B[vi] = A[vi] + T.float32(1)\n"
         "    for i, k in T.grid(6, 3):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
         "            with T.init():\n"
         "                C[vi] = T.float32(0)\n"
         "            C[vi] = C[vi] + B[vi + vk]\n"
         "    for i in range(6):\n"
         "        with T.sblock(\"D\"):\n"
         "            vi = T.axis.spatial(6, i)\n"
         "            D[vi] = C[vi] * T.float32(2)\n";

#define LOOPS_C  "b = get_block \"C\"\ni, j, k = get_loops b\n"
#define LOOPS_2C "b = get_block \"C\"\ni, j = get_loops b\n"

static const struct row rows[] = {
    {"split that divides needs no guard", matmul,
     LOOPS_C "i0, i1 = split i None 3\n", NULL, SCHEDULE_DONE, SAME,
     "vi = T.axis.spatial(6, i_0 * 3 + i_1)"},
    {"split that does not divide guards", matmul,
     LOOPS_C "j0, j1 = split j 2 None\n", NULL, SCHEDULE_DONE, SAME,
     "T.where(j_0 * 5 + j_1 < 9)"},
    {"split in three", matmul, LOOPS_C "a, b, c = split k 2 None 2\n", NULL,
     SCHEDULE_DONE, SAME, "k_0 * 6 + k_1 * 2 + k_2"},
    {"split by one", matmul, LOOPS_C "a, b = split k None 1\n", NULL,
     SCHEDULE_DONE, SAME, NULL},
    {"split twice", matmul,
     LOOPS_C "a, b = split j None 4\nc, d = split a None 2\n", NULL,
     SCHEDULE_DONE, SAME, NULL},
    {"split below the extent", matmul, LOOPS_C "a, b = split j 2 4\n",
     "below the extent", SCHEDULE_ILLEGAL, SAME, NULL},
    {"split by zero", matmul, LOOPS_C "a, b = split j 0 4\n", "not positive",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"split with two open factors", matmul,
     LOOPS_C "a, b = split j None None\n", "more than one factor",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"split what is no loop", matmul, LOOPS_C "a, b = split b 2 None\n",
     "not a loop", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"split a loop that is gone", matmul,
     LOOPS_C "a, b = split j 3 None\nc, d = split j 3 None\n", "not there",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"split of a symbolic extent", symbolic, LOOPS_2C "a, b = split i None 4\n",
     NULL, SCHEDULE_DONE, SAME, "T.where(i_0 * 4 + i_1 < n)"},
    {"fuse and split back", matmul,
     LOOPS_C "f = fuse i j\nc, d = split f None 9\n", NULL, SCHEDULE_DONE, SAME,
     "T.axis.remap(\"SSR\", [i_j_fused_0, i_j_fused_1, k])"},
    {"fuse three", matmul, LOOPS_C "f = fuse i j k\n", NULL, SCHEDULE_DONE,
     SAME, "i_j_k_fused % 90 // 10"},
    {"fuse and split across", matmul,
     LOOPS_C "f = fuse i j\nc, d = split f None 7\n", NULL, SCHEDULE_DONE, SAME,
     NULL},
    {"fuse symbolic", symbolic, LOOPS_2C "f = fuse i j\n", NULL, SCHEDULE_DONE,
     SAME, "range(n * 4)"},
    {"fuse loops with one between", matmul, LOOPS_C "f = fuse i k\n",
     "not the only statement", SCHEDULE_ILLEGAL, SAME, NULL},
    {"reorder spatial loops", matmul, LOOPS_C "reorder j i\n", NULL,
     SCHEDULE_DONE, SAME, "for j, i, k in T.grid(9, 6, 10)"},
    {"reorder a reduction outwards keeps each sum's order", matmul,
     LOOPS_C "reorder k i\n", NULL, SCHEDULE_DONE, SAME,
     "for k, j, i in T.grid(10, 9, 6)"},
    {"reorder parts of a reduction", matmul,
     LOOPS_C "a, b = split k None 4\nreorder b a\n", NULL, SCHEDULE_DONE, ORDER,
     NULL},
    {"reorder symbolic", symbolic, LOOPS_2C "reorder j i\n", NULL,
     SCHEDULE_DONE, SAME, "for j, i in T.grid(4, n)"},
    {"reorder one loop twice", matmul, LOOPS_C "reorder j j\n", "twice",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"reorder loops of two nests", chain,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, j = get_loops b\n"
     "k, l = get_loops c\nreorder i k\n",
     "not one chain", SCHEDULE_ILLEGAL, SAME, NULL},
    {"reorder what reads its neighbour", odd,
     "b = get_block \"A\"\ni, j = get_loops b\nreorder j i\n",
     "reads what other points", SCHEDULE_ILLEGAL, SAME, NULL},
    {"reorder stores that its iterators do not tell apart", odd,
     "b = get_block \"B\"\ni, j = get_loops b\nreorder j i\n",
     "do not tell its stores apart", SCHEDULE_ILLEGAL, SAME, NULL},
    {"parallel over rows", matmul, LOOPS_C "parallel i\n", NULL, SCHEDULE_DONE,
     SAME, "T.parallel(6)"},
    {"parallel over a reduction", matmul, LOOPS_C "parallel k\n", "not spatial",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"vectorize", matmul,
     LOOPS_C "a, b = split j None 4\nreorder k b\nvectorize b\n", NULL,
     SCHEDULE_DONE, SAME, "T.vectorized(4)"},
    {"unroll a reduction", matmul, LOOPS_C "unroll k\n", NULL, SCHEDULE_DONE,
     SAME, "T.unroll(10)"},
    {"bind", matmul, LOOPS_C "bind i \"blockIdx.x\"\nbind j \"threadIdx.x\"\n",
     NULL, SCHEDULE_DONE, SAME, "T.thread_binding(9, thread=\"threadIdx.x\")"},
    {"bind a reduction to threads", matmul, LOOPS_C "bind k \"threadIdx.x\"\n",
     NULL, SCHEDULE_DONE, ORDER, NULL},
    {"bind a reduction to blocks", matmul, LOOPS_C "bind k \"blockIdx.x\"\n",
     "not spatial", SCHEDULE_ILLEGAL, SAME, NULL},
    {"bind to what is no axis", matmul, LOOPS_C "bind i \"threadIdx.w\"\n",
     "no thread axis", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"bind two loops of one extent less", matmul,
     LOOPS_C "bind i \"threadIdx.x\"\nbind j \"threadIdx.x\"\n",
     "bound to 'threadIdx.x' already", SCHEDULE_ILLEGAL, SAME, NULL},
    {"parallel over what reads its neighbour", odd,
     "b = get_block \"A\"\ni, j = get_loops b\nparallel i\n",
     "neither complete", SCHEDULE_ILLEGAL, SAME, NULL},
    {"parallel over stores not told apart", odd,
     "b = get_block \"B\"\ni, j = get_loops b\nparallel i\n",
     "do not tell its stores apart", SCHEDULE_ILLEGAL, SAME, NULL},
    {"parallel over an opaque iterator", odd,
     "b = get_block \"C\"\ni = get_loops b\nparallel i\n", "not spatial",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"decompose at the reduction", matmul,
     LOOPS_C "n = decompose_reduction b k\n", NULL, SCHEDULE_DONE, SAME,
     "T.sblock(\"C_init\")"},
    {"decompose at the top", matmul, LOOPS_C "n = decompose_reduction b i\n",
     NULL, SCHEDULE_DONE, SAME, "for i_init, j_init in T.grid(6, 9)"},
    {"decompose, tiled and guarded", matmul,
     LOOPS_C "a, c = split j None 4\nd, e = split k None 4\nreorder a d c e\n"
             "n = decompose_reduction b d\np, q, r = get_loops n\n",
     NULL, SCHEDULE_DONE, SAME, "T.where(j_0 * 4 + j_1_init < 9)"},
    {"decompose keeps the reference", matmul,
     LOOPS_C "n = decompose_reduction b k\nx, y, z = get_loops b\nunroll z\n",
     NULL, SCHEDULE_DONE, SAME, "T.sblock(\"C_update\")"},
    {"decompose below a loop of the reduction", matmul,
     LOOPS_C "reorder k i\nn = decompose_reduction b i\n",
     "loop 'k' of the reduction is above", SCHEDULE_ILLEGAL, SAME, NULL},
    {"decompose what is no reduction", chain,
     LOOPS_2C "n = decompose_reduction b i\n", "has no init", SCHEDULE_ILLEGAL,
     SAME, NULL},
    {"decompose under another loop", chain,
     "b = get_block \"E\"\nc = get_block \"C\"\ni, j = get_loops c\n"
     "n = decompose_reduction b i\n",
     "not around", SCHEDULE_ILLEGAL, SAME, NULL},
    {"cache a parameter", matmul,
     LOOPS_C "c = cache_read b 0 \"shared\"\np, q = get_loops c\n"
             "r, t = split q None 4\n",
     NULL, SCHEDULE_DONE, SAME, "A_shared[v0, v1] = A[v0, v1]"},
    {"cache an intermediate", chain,
     "b = get_block \"D\"\nc = cache_read b 0 \"global\"\n", NULL,
     SCHEDULE_DONE, SAME, "C_global[v0, v1] = C[v0, v1]"},
    {"cache a read that is none", matmul,
     LOOPS_C "c = cache_read b 2 \"global\"\n", "has no read 2",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"cache in what is no scope", matmul,
     LOOPS_C "c = cache_read b 0 \"nowhere\"\n", "no storage scope",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"cache what the block writes", odd,
     "b = get_block \"A\"\nc = cache_read b 0 \"global\"\n", "itself",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"cache what a block writes in place", odd,
     "b = get_block \"B\"\nc = cache_read b 0 \"global\"\n", NULL,
     SCHEDULE_DONE, SAME, NULL},
    {"cache a result", matmul, LOOPS_C "c = cache_write b 0 \"local\"\n", NULL,
     SCHEDULE_DONE, SAME, "C[v0, v1] = C_local[v0, v1]"},
    {"cache a tiled result", matmul,
     LOOPS_C "p, q = split j None 4\nf = fuse i p\n"
             "c = cache_write b 0 \"global\"\n",
     NULL, SCHEDULE_DONE, SAME, NULL},
    {"cache a result that others read", chain,
     "b = get_block \"C\"\nc = cache_write b 0 \"global\"\n", NULL,
     SCHEDULE_DONE, SAME, NULL},
    {"cache a part of a result", odd,
     "b = get_block \"B\"\nc = cache_write b 0 \"global\"\n",
     "may not store all", SCHEDULE_ILLEGAL, SAME, NULL},
    {"cache symbolic rows", symbolic,
     LOOPS_2C "p, q = split i None 4\nc = cache_write b 0 \"global\"\n"
              "d = cache_read b 0 \"global\"\n",
     NULL, SCHEDULE_DONE, SAME, NULL},
    {"inline into several readers", chain,
     "b = get_block \"C\"\ncompute_inline b\n", NULL, SCHEDULE_DONE, SAME,
     "* T.float32(3.0) - A["},
    {"inline twice", chain,
     "b = get_block \"B\"\ncompute_inline b\nc = get_block \"C\"\n"
     "compute_inline c\n",
     NULL, SCHEDULE_DONE, SAME, "(A["},
    {"inline an output", chain, "b = get_block \"D\"\ncompute_inline b\n",
     "an output", SCHEDULE_ILLEGAL, SAME, NULL},
    {"inline a reduction", chain, "b = get_block \"E\"\ncompute_inline b\n",
     "not one store", SCHEDULE_ILLEGAL, SAME, NULL},
    {"inline into the producer", chain,
     "b = get_block \"C\"\nreverse_compute_inline b\n", NULL, SCHEDULE_DONE,
     SAME, "T.sblock(\"B\")"},
    {"inline into a producer with other readers", chain,
     "b = get_block \"D\"\nreverse_compute_inline b\n",
     "has not one writer and one reader", SCHEDULE_ILLEGAL, SAME, NULL},
    {"inline what is overwritten in between", inplace,
     "b = get_block \"B\"\ncompute_inline b\n", "written again behind it",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"inline a part", inplace, "b = get_block \"P\"\ncompute_inline b\n",
     "may not run for every element", SCHEDULE_ILLEGAL, SAME, NULL},
    {"compute at a row", chain,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, j = get_loops c\n"
     "compute_at b i\n",
     NULL, SCHEDULE_DONE, SAME, "for ax0 in range(8)"},
    {"compute at an element", chain,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, j = get_loops c\n"
     "compute_at b j\n",
     NULL, SCHEDULE_DONE, SAME, NULL},
    {"compute at a tile that does not divide", chain,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, j = get_loops c\n"
     "p, q = split j None 3\ncompute_at b p\n",
     NULL, SCHEDULE_DONE, SAME, "T.where(j_0 * 3 + ax0 < 8)"},
    {"compute at one of several readers", chain,
     "b = get_block \"C\"\nd = get_block \"D\"\ni, j = get_loops d\n"
     "compute_at b i\n",
     "outside of loop", SCHEDULE_ILLEGAL, SAME, NULL},
    {"compute an output at", chain,
     "b = get_block \"D\"\nd = get_block \"E\"\ni, j = get_loops d\n"
     "compute_at b i\n",
     "an output of the scope", SCHEDULE_ILLEGAL, SAME, NULL},
    {"compute a stencil's input at", stencil,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, k = get_loops c\n"
     "p, q = split i None 3\ncompute_at b p\n",
     NULL, SCHEDULE_DONE, SAME, "for ax0 in range(5)"},
    {"compute a reduction at", stencil,
     "b = get_block \"C\"\nc = get_block \"D\"\ni = get_loops c\n"
     "p, q = split i 2 None\ncompute_at b p\n",
     NULL, SCHEDULE_DONE, SAME, NULL},
    {"compute at the producer", chain,
     "b = get_block \"C\"\nc = get_block \"B\"\ni, j = get_loops c\n"
     "p, q = split j None 3\nreverse_compute_at b p\n",
     NULL, SCHEDULE_DONE, SAME, "T.where(j_0 * 3 + ax0 < 8)"},
    {"compute at a producer that is not done", stencil,
     "b = get_block \"D\"\nc = get_block \"C\"\ni, k = get_loops c\n"
     "reverse_compute_at b k\n",
     "is not done", SCHEDULE_ILLEGAL, SAME, NULL},
    {"compute at a producer read through a reduction", chain,
     "b = get_block \"C\"\nc = get_block \"B\"\ni, j = get_loops c\n"
     "reverse_compute_at b i\nd = get_block \"E\"\n"
     "k, l = get_loops b\nreverse_compute_at d k\n",
     NULL, SCHEDULE_DONE, SAME, "for ax0 in range(8):"},
    {"partial sums", matmul, LOOPS_C "p, q = split k 2 5\nr = rfactor p 0\n",
     NULL, SCHEDULE_DONE, ORDER, "C_rf[vk_0, vi"},
    {"partial sums by the inner part", matmul,
     LOOPS_C "p, q = split k 2 5\nr = rfactor q 2\nx, y, z, w = get_loops r\n"
             "e, f, g = get_loops b\nparallel e\n",
     NULL, SCHEDULE_DONE, ORDER, ", vk_1]"},
    {"partial sums of one term", matmul, LOOPS_C "r = rfactor k -1\n", NULL,
     SCHEDULE_DONE, ORDER, NULL},
    {"partial sums where some never start", matmul,
     LOOPS_C "p, q = split k None 4\nr = rfactor q 0\n", "depends on the loop",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"partial sums of what is no reduction's", matmul,
     LOOPS_C "r = rfactor i 0\n", "not one of the reduction", SCHEDULE_ILLEGAL,
     SAME, NULL},
    {"partial sums at no dimension", matmul, LOOPS_C "r = rfactor k 3\n",
     "no place for dimension 3", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"double buffer a row", chain,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, j = get_loops c\n"
     "compute_at b i\ndouble_buffer b\n",
     NULL, SCHEDULE_DONE, SAME, "T.where(i + 1 < 6)"},
    {"double buffer a tile that does not divide", stencil,
     "b = get_block \"B\"\nc = get_block \"C\"\ni, k = get_loops c\n"
     "p, q = split i None 4\ncompute_at b p\ndouble_buffer b\n",
     NULL, SCHEDULE_DONE, SAME, NULL},
    {"double buffer outside of loops", chain,
     "b = get_block \"B\"\ndouble_buffer b\n", "in no loop with others",
     SCHEDULE_ILLEGAL, SAME, NULL},
    {"a block that is not there", matmul, "b = get_block \"X\"\n",
     "no block is called 'X'", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"a word that is none", matmul, LOOPS_C "frobnicate i\n",
     "no primitive is called", SCHEDULE_BAD_REQUEST, SAME, NULL},
};

/* ---- the state ------------------------------------------------------------- */

static void refused_leaves_nothing(void **state)
{
    (void)state;
    struct ir_equal_options options = {false, false, false};
    struct ir_module *m = read_text("matmul", matmul);
    struct schedule *s = schedule_new(m, NULL, NULL);
    assert_false(run_steps(s, LOOPS_C "a, b = split j 2 4\n"));
    assert_true(ir_module_equal(m, schedule_module(s), options, NULL));
    schedule_free(s);
    ir_module_free(m);
}

static void going_back(void **state)
{
    (void)state;
    struct ir_equal_options options = {false, false, false};
    struct ir_module *m = read_text("matmul", matmul);
    struct schedule *s = schedule_new(m, NULL, NULL);
    schedule_ref loops[3], out[2];
    int64_t factors[] = {0, 4};
    assert_int_equal(schedule_loops(s, schedule_block(s, "C"), 3, loops), 3);
    struct schedule_point point = schedule_mark(s);
    assert_true(schedule_split(s, loops[1], 2, factors, out));
    assert_false(ir_module_equal(m, schedule_module(s), options, NULL));
    schedule_return(s, point);
    assert_true(ir_module_equal(m, schedule_module(s), options, NULL));
    assert_non_null(schedule_stmt(s, loops[1]));
    assert_true(schedule_split(s, loops[1], 2, factors, out));
    schedule_free(s);
    ir_module_free(m);
}

/* A condition that fails is told, and the step done all the same. */
static void unchecked_steps(void **state)
{
    (void)state;
    struct ir_module *m = read_text("odd", odd);
    struct schedule *s = schedule_new(m, NULL, NULL);
    struct gen_input input = gen_input_at(0);
    struct gen_run x, y;
    schedule_set_unchecked(s, true);
    assert_true(
        run_steps(s, "b = get_block \"B\"\ni, j = get_loops b\nreorder j i\n"));
    assert_non_null(schedule_violation(s));
    assert_true(run_steps(
        s, "b = get_block \"B\"\nj, i = get_loops b\na, c = split i 2 2\n"));
    assert_non_null(strstr(schedule_violation(s), "below the extent"));
    gen_run_init(&x, m, &input, NULL);
    gen_run_init(&y, schedule_module(s), &input, NULL);
    assert_int_equal(x.result.fault, INTERP_OK);
    assert_true(y.result.fault != INTERP_OK || gen_compare(&x, &y).exact);
    gen_run_fini(&x);
    gen_run_fini(&y);
    schedule_free(s);
    ir_module_free(m);
}

/* Random steps without their conditions: whatever comes of them is well-formed
 * (or the step refused), reads back, and can be run, rightly or not. */
static void unchecked_random_steps(void **state)
{
    (void)state;
    struct gen_options options = gen_default_options();
    struct gen_input input = gen_input_at(0);
    size_t wrong = 0;
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct gen_schedule g;
        struct gen_run x, y;
        if (!gen_schedule_init(&g, NULL, 0, seed, &options)) {
            gen_schedule_fini(&g);
            continue;
        }
        struct schedule *s = schedule_new(g.untuned, "main", NULL);
        struct schedule_names *names = schedule_names_new();
        schedule_set_unchecked(s, true);
        for (char *line = g.steps.data; *line != '\0';) {
            size_t n = strcspn(line, "\n");
            line[n] = '\0';
            (void)!schedule_run_line(s, names, line);
            line += n + 1;
        }
        gen_run_init(&x, g.untuned, &input, NULL);
        gen_run_init(&y, schedule_module(s), &input, NULL);
        assert_true(ir_wellformed(schedule_module(s), NULL));
        wrong += x.result.fault == INTERP_OK &&
                 (y.result.fault != INTERP_OK || gen_compare(&x, &y).exact);
        gen_run_fini(&x);
        gen_run_fini(&y);
        schedule_names_free(names);
        schedule_free(s);
        gen_schedule_fini(&g);
    }
    assert_true(wrong > 5); /* conditions are there for something */
    print_message("%d of 300 come out wrong\n", (int)wrong);
}

static void no_root_block(void **state)
{
    (void)state;
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m =
        read_text("lowered", "from tvm.script import tirx as T\n\n"
                             "@T.prim_func\n"
                             "def main(A: T.Buffer((4,), \"float32\")):\n"
                             "    for i in range(4):\n"
                             "        A[i] = T.float32(0)\n");
    assert_null(schedule_new(m, NULL, sink));
    assert_non_null(strstr(diag_at(sink, 0)->message, "no root block"));
    diag_sink_free(sink);
    ir_module_free(m);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 5];
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        tests[i].name = rows[i].label;
        tests[i].test_func = run_row;
        union {
            const struct row *in;
            void *out;
        } row = {&rows[i]};
        tests[i].initial_state = row.out;
    }
    size_t n = DC_ARRAY_LEN(rows);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(refused_leaves_nothing);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(going_back);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(unchecked_steps);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(unchecked_random_steps);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(no_root_block);
    return _cmocka_run_group_tests("schedule", tests, n, NULL, NULL);
}
