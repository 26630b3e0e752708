/* SPDX-License-Identifier: Apache-2.0
 *
 * Primitives that make blocks of blocks. Texts that a result has to hold are
 * what TVM 0.27 makes of the same steps, but where a row says otherwise.
 */
#include "tests/schedule/schedule_case_internal.h"

// clang-format off
#define MAIN(params) HEAD "def main(" params "):\n"
#define LOOPS_C "b = get_block \"C\"\ni, j, k = get_loops b\n"
#define LOOPS_B "b = get_block \"B\"\ni, j = get_loops b\n"

static const char matmul[] =
    MAIN("A: T.Buffer((6, 10), \"float32\"), B: T.Buffer((10, 9), \"float32\"), "
         "C: T.Buffer((6, 9), \"float32\")")
    "    for i, j, k in T.grid(6, 9, 10):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                C[vi, vj] = T.float32(0)\n"
    "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";
static const char chain[] =
    MAIN("A: T.Buffer((6, 8), \"float32\"), B: T.Buffer((6, 8), \"float32\"), "
         "C: T.Buffer((6, 8), \"float32\")")
    "    for i, j in T.grid(6, 8):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            B[vi, vj] = A[vi, vj] + T.float32(1)\n"
    "    for i, j in T.grid(6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            C[vi, vj] = B[vi, vj] * T.float32(2)\n";
/* a split of a split, neither of which divides (a live bug of TVM) */
static const char guarded[] =
    MAIN("A: T.Buffer((4,), \"int32\"), B: T.Buffer((4,), \"int32\")")
    "    for i, j, k in T.grid(7, 4, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(4, i)\n"
    "            T.where(i + (j * 8 + k) < 4 and j * 8 + k < 1)\n"
    "            B[vi] = A[vi] * 3 + 7\n";
/* the last element alone */
static const char last[] =
    MAIN("A: T.Buffer((6, 8), \"float32\")")
    "    for j in range(8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, 5)\n"
    "            vj = T.axis.spatial(8, j)\n"
    "            A[vi, vj] = T.float32(1)\n";
/* a sum of what the element before has summed up */
static const char waves[] =
    MAIN("A: T.Buffer((6, 8), \"float32\"), C: T.Buffer((7,), \"float32\")")
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[vi + 1] = T.float32(0)\n"
    "            C[vi + 1] = C[vi + 1] + A[vi, vk] * C[vi]\n";
/* a loop that only repeats sums */
static const char repeated[] =
    MAIN("A: T.Buffer((6, 8), \"float32\"), C: T.Buffer((6,), \"float32\")")
    "    for t, i, k in T.grid(3, 6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] + A[vi, vk]\n";
/* the init starts from what the update writes */
static const char from_itself[] =
    MAIN("A: T.Buffer((6, 8), \"float32\"), C: T.Buffer((6,), \"float32\"), "
         "D: T.Buffer((6,), \"float32\")")
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[vi] = C[vi] * T.float32(2)\n"
    "            C[vi] = C[vi] + A[vi, vk]\n";
/* terms from the fourth on: some loops never see the first */
static const char late[] =
    MAIN("A: T.Buffer((6, 8), \"float32\"), C: T.Buffer((6,), \"float32\")")
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            T.where(4 <= k)\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] + A[vi, vk]\n";
/* the term that runs the init comes last */
static const char backwards[] =
    MAIN("A: T.Buffer((6, 8), \"float32\"), C: T.Buffer((6,), \"float32\")")
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            vk = T.axis.reduce(8, 7 - k)\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] + A[vi, vk]\n";
/* rows of growing length */
static const char triangle[] =
    MAIN("A: T.Buffer((6, 8), \"float32\")")
    "    for i in range(6):\n"
    "        for j in range(i + 1):\n"
    "            with T.sblock(\"B\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                A[vi, vj] = T.float32(1)\n";
/* 16 sums of four products of bytes at once, weights in tiles of their own */
#define DOTS(tail, b, b_index, guard) \
    MAIN("A: T.Buffer((16,), \"uint8\"), B: T.Buffer(" b ", \"int8\"), " \
         "C: T.Buffer((16,), \"int32\")" tail) \
    "    for k, i, j in T.grid(4, 16, 4):\n" \
    "        with T.sblock(\"C\"):\n" \
    "            vk = T.axis.reduce(4, k)\n" \
    "            vi = T.axis.spatial(16, i)\n" \
    "            vj = T.axis.reduce(4, j)\n" guard \
    "            C[vi] = C[vi] + T.Cast(\"int32\", A[vk * 4 + vj]) * " \
    "T.Cast(\"int32\", B[" b_index "])\n"
static const char dots[] = DOTS("", "(4, 16, 4)", "vk, vi, vj", "");
static const char dots_in_rows[] = DOTS("", "(16, 16)", "vi, vk * 4 + vj", "");
static const char dots_turned[] = DOTS("", "(4, 4, 16)", "vk, vj, vi", "");
static const char dots_guarded[] =
    DOTS("", "(4, 16, 4)", "vk, vi, vj", "            T.where(i < 15)\n");
static const char dots_other[] =
    MAIN("A: T.Buffer((16,), \"int8\"), C: T.Buffer((16,), \"int32\"), "
         "B: T.Buffer((4, 16, 4), \"int8\")")
    "    for k, i, j in T.grid(4, 16, 4):\n"
    "        with T.sblock(\"C\"):\n"
    "            vk, vi, vj = T.axis.remap(\"RSR\", [k, i, j])\n"
    "            C[vi] = C[vi] + T.Cast(\"int32\", A[vk * 4 + vj]) * "
    "T.Cast(\"int32\", B[vk, vi, vj])\n";
/* a square of one vector: both operands are one buffer */
static const char square[] =
    MAIN("A: T.Buffer((4,), \"int8\"), C: T.Buffer((1,), \"int32\")")
    "    As = T.sblock_alloc_buffer((4,), \"int8\", scope=\"shared\")\n"
    "    Cl = T.sblock_alloc_buffer((1,), \"int32\", scope=\"local\")\n"
    "    for j in range(4):\n"
    "        with T.sblock(\"As\"):\n"
    "            vj = T.axis.spatial(4, j)\n"
    "            As[vj] = A[vj]\n"
    "    for j in range(4):\n"
    "        with T.sblock(\"C\"):\n"
    "            vj = T.axis.reduce(4, j)\n"
    "            Cl[0] = Cl[0] + T.Cast(\"int32\", As[vj]) * "
    "T.Cast(\"int32\", As[vj])\n"
    "    for j in range(1):\n"
    "        with T.sblock(\"D\"):\n"
    "            vj = T.axis.spatial(1, j)\n"
    "            C[vj] = Cl[vj]\n";
/* a tile of shared memory to a fragment of scope `to`, from column `off` on */
#define STAGED(from, wide, to, off) \
    MAIN("A: T.Buffer((32, " wide "), \"float16\"), " \
         "C: T.Buffer((32, 32), \"float16\")") \
    "    S = T.sblock_alloc_buffer((32, " wide "), \"float16\", " \
    "scope=\"" from "\")\n" \
    "    W = T.sblock_alloc_buffer((32, 32), \"float16\", " \
    "scope=\"" to "\")\n" \
    "    for i, j in T.grid(32, " wide "):\n" \
    "        with T.sblock(\"S\"):\n" \
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "            S[vi, vj] = A[vi, vj]\n" \
    "    for i, j in T.grid(32, 32):\n" \
    "        with T.sblock(\"B\"):\n" \
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "            W[vi, vj] = S[vi, vj + " off "]\n" \
    "    for i, j in T.grid(32, 32):\n" \
    "        with T.sblock(\"C\"):\n" \
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "            C[vi, vj] = W[vi, vj]\n"
static const char staged[] = STAGED("shared", "32", "wmma.matrix_a", "0");
static const char staged_off[] = STAGED("shared", "40", "wmma.matrix_a", "8");
/* registers of a warp, set to 0 */
static const char registers[] =
    MAIN("C: T.Buffer((4, 32, 8), \"float32\")")
    "    W = T.sblock_alloc_buffer((4, 32, 8), scope=\"warp\")\n"
    "    for t, i, j in T.grid(4, 16, 16):\n"
    "        with T.sblock(\"B\"):\n"
    "            vt, vi, vj = T.axis.remap(\"SSS\", [t, i, j])\n"
    "            W[vt, vi % 8 * 4 + vj % 8 // 2, vj // 8 * 4 + vi // 8 * 2 + "
    "vj % 2] = T.float32(0)\n"
    "    for t, i, j in T.grid(4, 32, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vt, vi, vj = T.axis.remap(\"SSS\", [t, i, j])\n"
    "            C[vt, vi, vj] = W[vt, vi, vj]\n";
/* sums of some of what may be fewer bytes */
static const char unknown_size[] =
    MAIN("a: T.handle, b: T.handle, C: T.Buffer((16,), \"int32\"), "
         "n: T.int32, m: T.int32")
    "    A = T.match_buffer(a, (m,), \"uint8\")\n"
    "    B = T.match_buffer(b, (n, 16, 4), \"int8\")\n"
    "    for k, i, j in T.grid(n, 16, 4):\n"
    "        with T.sblock(\"C\"):\n"
    "            vk, vi, vj = T.axis.remap(\"RSR\", [k, i, j])\n"
    "            C[vi] = C[vi] + T.Cast(\"int32\", A[vk * 4 + vj]) * "
    "T.Cast(\"int32\", B[vk, vi, vj])\n";
/* tiles of three elements, `step` apart */
#define TILES(step) \
    MAIN("A: T.Buffer((4,), \"float32\"), B: T.Buffer((12,), \"float32\")") \
    "    for i in range(4):\n" \
    "        with T.sblock(\"C\"):\n" \
    "            vi = T.axis.spatial(4, i)\n" \
    "            for j in range(3):\n" \
    "                B[vi * " step " + j] = A[vi]\n"
static const char tiles[] = TILES("3");
static const char tiles_that_overlap[] = TILES("2");
/* parts of one iterator as indices */
#define PARTS(rest) \
    MAIN("A: T.Buffer((12,), \"float32\"), B: T.Buffer((6, 4), " \
         "\"float32\")") \
    "    for i in range(12):\n" \
    "        with T.sblock(\"C\"):\n" \
    "            vi = T.axis.spatial(12, i)\n" \
    "            B[vi // 4, " rest "] = A[vi]\n"
static const char parts[] = PARTS("vi % 4");
static const char parts_that_overlap[] = PARTS("vi % 3");
/* a product by fragments, 2 x 2 x 2 tiles */
#define COPY(name, to, from) \
    "    for i, j in T.grid(32, 32):\n" \
    "        with T.sblock(\"" name "\"):\n" \
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "            " to "[vi, vj] = " from "[vi, vj]\n"
#define HALF_ROOM(name, scope) \
    "    " name " = T.sblock_alloc_buffer((32, 32), \"float16\", " \
    "scope=\"" scope "\")\n"
static const char fragments[] =
    MAIN("A: T.Buffer((32, 32), \"float16\"), B: T.Buffer((32, 32), "
         "\"float16\"), C: T.Buffer((32, 32), \"float32\")")
    HALF_ROOM("As", "shared") HALF_ROOM("Bs", "shared")
    HALF_ROOM("Aw", "wmma.matrix_a") HALF_ROOM("Bw", "wmma.matrix_b")
    "    Cw = T.sblock_alloc_buffer((32, 32), scope=\"wmma.accumulator\")\n"
    COPY("As", "As", "A") COPY("Bs", "Bs", "B")
    COPY("Aw", "Aw", "As") COPY("Bw", "Bw", "Bs")
    "    for i, j, k in T.grid(32, 32, 32):\n"
    "        with T.sblock(\"Cw\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                Cw[vi, vj] = T.float32(0)\n"
    "            Cw[vi, vj] = Cw[vi, vj] + T.Cast(\"float32\", Aw[vi, vk]) * "
    "T.Cast(\"float32\", Bw[vk, vj])\n"
    COPY("C", "C", "Cw");
// clang-format on

#define BLOCKS                                          \
    LOOPS_C "p, q = split i 3 2\nr, t = split j 3 3\n"  \
            "u, v = split k 2 5\nreorder p r u q t v\n" \
            "o = blockize q\n"
#define ONE_LOOP  "b = get_block \"C\"\ni = get_loops b\n"
#define DOT_LOOPS "b = get_block \"C\"\nk, i, j = get_loops b\n"
#define TILE(name)                                     \
    "b = get_block \"" name "\"\ni, j = get_loops b\n" \
    "p, q = split i None 16\nr, t = split j None 16\nreorder p r q t\n"
#define TILE_OF(name, intrinsic) TILE(name) "tensorize q \"" intrinsic "\"\n"
#define WARPS                    "b = get_block \"B\"\nt, i, j = get_loops b\n"

#define ILLEGAL(part)            part, SCHEDULE_ILLEGAL, SAME, NULL
#define DONE(text)               NULL, SCHEDULE_DONE, SAME, text

static const struct row rows[] = {
    {"blockize a sum", matmul, LOOPS_C "o = blockize k\n",
     DONE("        with T.sblock(\"C_o\"):\n"
          "            vi_o, vj_o = T.axis.remap(\"SS\", [i, j])\n"
          "            vk_o = T.axis.reduce(1, 0)\n")},
    {"blockize a tile", matmul,
     LOOPS_C "p, q = split i 3 2\nr, t = split k None 5\n"
             "reorder r p j q t\no = blockize q\nx, y, z = get_loops o\n"
             "d = get_block \"C_o\"\nu, v = get_loops b\n",
     DONE("C[vi_o * 2 + vi_i_init, vj_o] = T.float32(0.0)")},
    {"blockize all, guarded", matmul,
     LOOPS_C "p, q = split j None 4\no = blockize i\n",
     DONE("T.where(j_0 * 4 + j_1 < 9)")},
    {"blockize below a guard", matmul,
     LOOPS_C "p, q = split j None 4\no = blockize k\n",
     DONE("vj_o = T.axis.spatial(9, j_0 * 4 + j_1)")},
    {"blockize across a guard", matmul,
     LOOPS_C "p, q = split j None 4\no = blockize q\n",
     ILLEGAL("block 'C': its guard ties loop 'j_1' to those outside")},
    /* TVM leaves k_0 and k_1 in the guard of the init, undefined */
    {"blockize terms with a guard", matmul,
     LOOPS_C "p, q = split k None 4\no = blockize p\n",
     DONE("with T.sblock(\"C_init\"):\n"
          "                    T.reads()")},
    {"blockize what starts late", late,
     "b = get_block \"C\"\ni, k = get_loops b\no = blockize k\n",
     ILLEGAL("its guard may leave out the first term")},
    /* TVM drops the guard, and leaves the buffers */
    {"blockize what starts last", backwards,
     "b = get_block \"C\"\ni, k = get_loops b\no = blockize k\n",
     ILLEGAL("another term comes before the init")},
    {"blockize splits of splits", guarded, LOOPS_C "o = blockize i\n",
     DONE("T.where(i + (j * 8 + k) < 4 and j * 8 + k < 1)")},
    {"blockize what is bound to a constant", last,
     "b = get_block \"C\"\nj = get_loops b\no = blockize j\n",
     DONE("vi_o = T.axis.spatial(6, 5)")},
    {"blockize a fused loop", chain,
     LOOPS_B "f = fuse i j\np, q = split f None 4\no = blockize q\n",
     DONE("vi_o = T.axis.spatial(6, i_j_fused_0 // 2)")},
    {"blockize a loop with several blocks", chain,
     LOOPS_B "c = get_block \"C\"\nk, l = get_loops c\n"
             "reverse_compute_at c i\no = blockize i\n",
     ILLEGAL("loop 'i' does not hold one block alone")},
    {"blockize a fused loop across rows", chain,
     LOOPS_B "f = fuse i j\np, q = split f None 3\no = blockize q\n",
     ILLEGAL("what is bound to iterator 'vi' cannot be divided between loop "
             "'i_j_fused_1' and those outside")},
    {"blockize a loop whose range varies", triangle, LOOPS_B "o = blockize j\n",
     ILLEGAL("the range of loop 'j' depends on loops outside of it")},
    {"blockize sums that depend on each other", waves,
     "b = get_block \"C\"\ni, k = get_loops b\no = blockize i\n",
     ILLEGAL("it reads what other points of it write")},
    {"blockize repeated sums", repeated,
     "b = get_block \"C\"\nt, i, k = get_loops b\no = blockize t\n",
     ILLEGAL("loop 't' repeats the reduction")},
    {"blockize sums across threads", matmul,
     LOOPS_C "bind k \"threadIdx.x\"\no = blockize j\n",
     ILLEGAL("terms of loop 'k' do not follow each other")},
    {"blockize what starts from itself", from_itself,
     "b = get_block \"C\"\ni, k = get_loops b\no = blockize i\n",
     ILLEGAL("its init reads what it updates")},
    {"blockize a block", matmul, LOOPS_C "o = blockize b\n", "not a loop",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"blockize with a word", matmul, LOOPS_C "o = blockize i 2\n",
     "argument 2: expected true or false", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"blockize two blocks", chain,
     LOOPS_B "c = get_block \"C\"\no = blockize [b c]\n",
     DONE("with T.sblock(\"outer_B_C_\"):\n"
          "        vi_o = T.axis.spatial(1, 0)\n"
          "        vj_o = T.axis.spatial(1, 0)\n")},
    {"blockize two blocks of a row", chain,
     LOOPS_B "c = get_block \"C\"\nreverse_compute_at c i\n"
             "o = blockize [b c] 0\nk = get_loops o\n",
     DONE("vi_o = T.axis.spatial(6, i)")},
    {"blockize two blocks in the wrong order", chain,
     LOOPS_B "c = get_block \"C\"\no = blockize [c b]\n",
     ILLEGAL("block 'B' does not follow the one before it directly")},
    {"blockize the same block twice", chain, LOOPS_B "o = blockize [b b]\n",
     ILLEGAL("the blocks do not follow each other")},
    {"blockize two blocks with an init", matmul,
     LOOPS_C "c = cache_write b 0 \"global\"\no = blockize [b c]\n",
     ILLEGAL("block 'C' has an init")},
    {"blockize two blocks that differ", matmul,
     LOOPS_C "d = decompose_reduction b j\no = blockize [d b]\n",
     ILLEGAL("differ in what the loops outside make of their iterators")},
    {"reorder a block of blocks", matmul, BLOCKS "reorder u p r\n",
     DONE("for k_0, i_0, j_0 in T.grid(2, 3, 3)")},
    {"run a block of blocks in parallel", matmul, BLOCKS "parallel p\n",
     DONE("T.parallel(3)")},
    {"cache what a block of blocks writes", matmul,
     BLOCKS "c = cache_write o 0 \"global\"\n",
     DONE("C[v0, v1] = C_global[v0, v1]")},
    {"decompose a block of blocks", matmul,
     BLOCKS "d = decompose_reduction o u\n",
     DONE("with T.sblock(\"C_o_init\"):")},
    {"run tiles in parallel", tiles, ONE_LOOP "parallel i\n",
     DONE("T.parallel(4)")},
    {"run tiles that overlap in parallel", tiles_that_overlap,
     ONE_LOOP "parallel i\n", ILLEGAL("do not tell its stores apart")},
    {"run what is stored by parts in parallel", parts, ONE_LOOP "parallel i\n",
     DONE("T.parallel(12)")},
    {"run what is stored by overlapping parts in parallel", parts_that_overlap,
     ONE_LOOP "parallel i\n", ILLEGAL("do not tell its stores apart")},
    {"tensorize dots", dots, DOT_LOOPS "tensorize i \"dot_16x4_vnni\"\n",
     DONE("llvm.x86.avx512.vpdpbusd.512")},
    {"tensorize a block of dots", dots,
     DOT_LOOPS "o = blockize i\ntensorize o \"dot_16x4_vnni\" 1\n",
     DONE("B_1 = T.match_buffer(B[vk_o, 0:16, 0:4], (16, 4), \"int8\", "
          "offset_factor=1)")},
    {"tensorize fragments", fragments,
     "m = get_block \"Cw\"\ni, j, k = get_loops m\n"
     "p, q = split i None 16\nr, t = split j None 16\nu, v = split k None 16\n"
     "reorder p r u q t v\no = blockize q\nd = decompose_reduction o u\n"
     "tensorize d \"wmma_fill_16x16x16_f32\"\n"
     "tensorize o \"wmma_sync_16x16x16_f16f16f32\"\n" //
     TILE_OF("Aw", "wmma_load_16x16x16_f16_a_shared") //
     TILE_OF("Bw", "wmma_load_16x16x16_f16_b_shared") //
     TILE_OF("C", "wmma_store_16x16x16_f32_global"),
     NULL, SCHEDULE_DONE, ORDER, "T.tvm_mma_sync("},
    {"tensorize what saturates", dots,
     DOT_LOOPS "tensorize i \"dot_16x4_avx512\"\n",
     ILLEGAL("does not do what it is described to do: sums of two products "
             "saturate at 16 bits")},
    {"tensorize by what there is not", dots,
     DOT_LOOPS "tensorize i \"dot_16x4\"\n",
     "no tensor intrinsic is called 'dot_16x4'", SCHEDULE_BAD_REQUEST, SAME,
     NULL},
    {"tensorize with gaps between rows", dots_in_rows,
     DOT_LOOPS "tensorize i \"dot_16x4_vnni\"\n",
     ILLEGAL("buffer 'B' is not laid out as 'dot_16x4_vnni' takes it")},
    {"tensorize what lies turned", dots_turned,
     DOT_LOOPS "tensorize i \"dot_16x4_vnni\"\n",
     ILLEGAL("index 2 of buffer 'B' does not run as that of operand 'B'")},
    {"tensorize a part of a tile", dots_guarded,
     DOT_LOOPS "tensorize i \"dot_16x4_vnni\"\n",
     ILLEGAL("is not what intrinsic 'dot_16x4_vnni' describes: block 'C' has a "
             "guard")},
    {"tensorize another type", dots_other,
     DOT_LOOPS "tensorize i \"dot_16x4_vnni\"\n",
     ILLEGAL("buffer 'A' has another type than operand 'A'")},
    {"tensorize loops in another order", dots,
     DOT_LOOPS "reorder j i\ntensorize j \"dot_16x4_vnni\"\n",
     ILLEGAL("loop 'j' has another range")},
    {"tensorize an unrolled loop", dots,
     DOT_LOOPS "unroll j\ntensorize i \"dot_16x4_vnni\"\n",
     ILLEGAL("loop 'j' is of another kind")},
    {"tensorize fewer loops", dots, DOT_LOOPS "tensorize j \"dot_16x4_vnni\"\n",
     ILLEGAL("loop 'j' has another range")},
    {"tensorize with an init", matmul, LOOPS_C "tensorize k \"dp4a_s8s8s32\"\n",
     ILLEGAL("block 'C_o' has an init")},
    {"tensorize with one buffer twice", square,
     "b = get_block \"C\"\nj = get_loops b\ntensorize j \"dp4a_s8s8s32\"\n",
     ILLEGAL("buffer 'As' is two operands")},
    {"tensorize from another memory", staged,
     TILE_OF("B", "wmma_load_16x16x16_f16_a_shared_dyn"),
     ILLEGAL("buffer 'S' is in 'shared', operand 'A' in 'shared.dyn'")},
    {"tensorize another matrix", staged,
     TILE_OF("B", "wmma_load_16x16x16_f16_b_shared"),
     ILLEGAL("buffer 'W' is in 'wmma.matrix_a', operand 'C' in "
             "'wmma.matrix_b'")},
    {"tensorize from between tiles", staged_off,
     TILE_OF("B", "wmma_load_16x16x16_f16_a_shared"),
     ILLEGAL("may begin at no multiple of 16 elements")},
    {"tensorize a tile of each lane", staged,
     TILE("B") "bind r \"threadIdx.x\"\n"
               "tensorize q \"wmma_load_16x16x16_f16_a_shared\"\n",
     ILLEGAL("each lane of loop 'j_0' would run "
             "'wmma_load_16x16x16_f16_a_shared'")},
    {"tensorize registers of a warp", registers,
     WARPS "tensorize i \"mma_fill_16x16_f32\"\n",
     DONE("T.match_buffer(W[vt_o, 0:32, 0:8], (32, 8), \"float32\", "
          "scope=\"warp\"")},
    {"tensorize with threads bound twice", registers,
     WARPS "bind t \"threadIdx.x\"\ntensorize i \"mma_fill_16x16_f32\"\n",
     ILLEGAL("loop 't' is bound to 'threadIdx.x', and so is "
             "'mma_fill_16x16_f32'")},
    {"tensorize what may not be there", unknown_size,
     DOT_LOOPS "tensorize i \"dot_16x4_vnni\"\n",
     ILLEGAL("takes of buffer 'A' may leave it in dimension 1")},
    {"tensorize twice", dots,
     DOT_LOOPS "o = blockize i\ntensorize o \"dot_16x4_vnni\"\n"
               "tensorize o \"dot_16x4_vnni\"\n",
     "has buffers of its own, or views", SCHEDULE_UNSUPPORTED, SAME, NULL},
    {"tensorize the root", dots,
     "b = get_block \"root\"\ntensorize b \"dot_16x4_vnni\"\n",
     "the root block stays as it is", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"tensorize nothing", dots, DOT_LOOPS "tensorize i\n",
     "expected 2 arguments", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"blockize one block of a list", chain, LOOPS_B "o = blockize [b]\n",
     "expected 2 to", SCHEDULE_BAD_REQUEST, SAME, NULL},
};

/* ---- intrinsics of one's own ----------------------------------------------- */

// clang-format off
#define DOT4_PARAMS(b) \
    "A: T.Buffer((4,), \"float32\", offset_factor=1), " \
    "B: T.Buffer((4, 1), \"float32\", " b "offset_factor=1), " \
    "C: T.Buffer((1,), \"float32\", offset_factor=1)):\n" \
    "        with T.sblock(\"root\"):\n" \
    "            T.reads(C[0], A[0:4], B[0:4, 0])\n" \
    "            T.writes(C[0])\n"
#define DOT4(name, value) \
    "    @T.prim_func(s_tir=True)\n" \
    "    def " name "_desc(" DOT4_PARAMS("") \
    "            for k in range(4):\n" \
    "                with T.sblock(\"term\"):\n" \
    "                    vk = T.axis.reduce(4, k)\n" \
    "                    C[0] = C[0] + A[vk] * B[vk, 0]\n" \
    "    @T.prim_func(s_tir=True)\n" \
    "    def " name "_impl(" DOT4_PARAMS("strides=(\"sb\", 1), ") \
    "            T.sblock_attr({\"dots\": 4})\n" \
    "            C[0] = " value "\n"
static const char own_intrinsics[] =
    "from tvm.script import ir as I\n"
    "from tvm.script import tirx as T\n\n"
    "@I.ir_module\n"
    "class Module:\n"
    DOT4("dot_seq_4", "C[0] + A[0] * B[0, 0] + A[1] * B[1, 0] + "
         "A[2] * B[2, 0] + A[3] * B[3, 0]")
    DOT4("dot_tree_4", "C[0] + (A[0] * B[0, 0] + A[1] * B[1, 0] + "
         "(A[2] * B[2, 0] + A[3] * B[3, 0]))")
    "    @T.prim_func(s_tir=True)\n"
    "    def alone_desc(A: T.Buffer((4,), \"float32\")):\n"
    "        with T.sblock(\"root\"):\n"
    "            A[0] = T.float32(0)\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def odd_desc(A: T.Buffer((4,), \"float32\")):\n"
    "        with T.sblock(\"root\"):\n"
    "            A[0] = T.float32(0)\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def odd_impl(A: T.Buffer((8,), \"float32\")):\n"
    "        with T.sblock(\"root\"):\n"
    "            A[0] = T.float32(0)\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def bare_desc(A: T.Buffer((4,), \"float32\")):\n"
    "        A[0] = T.float32(0)\n"
    "        A[1] = T.float32(0)\n"
    "    @T.prim_func(s_tir=True)\n"
    "    def bare_impl(A: T.Buffer((4,), \"float32\")):\n"
    "        with T.sblock(\"one\"):\n"
    "            v = T.axis.spatial(4, 0)\n"
    "            A[v] = T.float32(0)\n";
// clang-format on

/* as in the data, tvm/schedule/tensorize_dot4_* */
static const char product[] = MAIN(
    "A: T.Buffer((6, 8), \"float32\"), B: T.Buffer((8, 6), "
    "\"float32\"), C: T.Buffer((6, 6), \"float32\")") "    for i, j, k in "
                                                      "T.grid(6, 6, 8):\n"
                                                      "        with "
                                                      "T.sblock(\"C\"):\n"
                                                      "            vi, vj, vk "
                                                      "= T.axis.remap(\"SSR\", "
                                                      "[i, j, k])\n"
                                                      "            with "
                                                      "T.init():\n"
                                                      "                C[vi, "
                                                      "vj] = T.float32(0)\n"
                                                      "            C[vi, vj] = "
                                                      "C[vi, vj] + A[vi, vk] * "
                                                      "B[vk, vj]\n";

#define OWN(intrinsic)                                             \
    LOOPS_C "p, q = split k None 4\nd = decompose_reduction b p\n" \
            "tensorize q \"" intrinsic "\"\n"

static const struct row own_rows[] = {
    {"the terms in their order", product, OWN("dot_seq_4"),
     DONE("C_1[0] = C_1[0] + A_1[0] * B_1[0, 0] + A_1[1] * B_1[1, 0] + A_1[2] "
          "* B_1[2, 0] + A_1[3] * B_1[3, 0]")},
    {"the terms as a tree", product, OWN("dot_tree_4"), NULL, SCHEDULE_DONE,
     ORDER, "T.sblock_attr({\"dots\": 4})"},
    {"twice", product,
     LOOPS_C "p, q = split k 2 4\nr, t = split p None 1\n"
             "d = decompose_reduction b r\ne = blockize t\n"
             "x = get_block \"C_update\"\ntensorize q \"dot_seq_4\"\n",
     DONE("strides=(\"sb\", 1)")},
    {"a description alone", product, OWN("alone"),
     "has a description or an implementation alone", SCHEDULE_BAD_REQUEST, SAME,
     NULL},
    {"other parameters", product, OWN("odd"), "differ in their parameters",
     SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"no block", product, OWN("bare"),
     "have to be one block that binds nothing", SCHEDULE_BAD_REQUEST, SAME,
     NULL},
};

static void own_intrinsic(void **state)
{
    const struct row *r = *state;
    struct ir_module *m = read_text(r->label, r->program);
    struct ir_module *own = read_text(r->label, own_intrinsics);
    struct schedule *s = schedule_new(m, NULL, NULL);
    schedule_use_intrinsics(s, own);
    bool done = run_steps(s, r->steps);
    if (done != !r->want || (r->want && schedule_why(s) != r->why) ||
        (r->want && !strstr(schedule_message(s), r->want))) {
        print_error("%s: %s '%s'\n", r->label, done ? "done" : "refused",
                    schedule_message(s));
        fail();
    }
    if (done)
        check_done(r, m, schedule_module(s));
    schedule_free(s);
    ir_module_free(own);
    ir_module_free(m);
}

/* Names are all different; each is two well-formed functions that read back. */
static void known_intrinsics(void **state)
{
    (void)state;
    struct ir_equal_options options = {false, false, false};
    size_t n = 0;
    for (const char *name; (name = schedule_intrinsic_name(n)) != NULL; n++) {
        struct buf text = {0};
        struct ir_module *m = schedule_intrinsic(name);
        for (size_t i = 0; i < n; i++)
            assert_string_not_equal(name, schedule_intrinsic_name(i));
        assert_non_null(m);
        assert_int_equal(m->nfuncs, 2);
        assert_true(ir_wellformed(m, NULL));
        ir_print_script(m, &text);
        struct ir_module *again = read_text(name, buf_text(&text));
        assert_true(ir_module_equal(m, again, options, NULL));
        ir_module_free(again);
        ir_module_free(m);
        buf_fini(&text);
    }
    assert_int_equal(n, 128); /* of the 132 that TVM 0.27 registers */
    assert_null(schedule_intrinsic("dot"));
}

static void add_rows(struct CMUnitTest *tests, size_t n,
                     const struct row *table, CMUnitTestFunction run)
{
    for (size_t i = 0; i < n; i++) {
        tests[i].name = table[i].label;
        tests[i].test_func = run;
        union {
            const struct row *in;
            void *out;
        } row = {&table[i]};
        tests[i].initial_state = row.out;
    }
}

int main(void)
{
    enum { ROWS = DC_ARRAY_LEN(rows), OWN_ROWS = DC_ARRAY_LEN(own_rows) };
    struct CMUnitTest tests[ROWS + OWN_ROWS + 1];
    memset(tests, 0, sizeof tests);
    add_rows(tests, ROWS, rows, run_row);
    add_rows(tests + ROWS, OWN_ROWS, own_rows, own_intrinsic);
    tests[ROWS + OWN_ROWS] =
        (struct CMUnitTest)cmocka_unit_test(known_intrinsics);
    return _cmocka_run_group_tests("schedule_tensor", tests,
                                   DC_ARRAY_LEN(tests), NULL, NULL);
}
