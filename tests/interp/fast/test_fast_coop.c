/* SPDX-License-Identifier: Apache-2.0
 *
 * GPU kernels whose threads work together, on the fast engine: the tree walker's
 * bits, states, flags and steps, in IEEE arithmetic and in keyed domains, on
 * programs one for each thing that lower_coop.c, coop.c, shadow.c and tile.c do.
 * The walker is the oracle: it runs the threads one by one and shares none of
 * that. Kernels with a race, divergence or a read of nothing have to be left to
 * it, with the arguments untouched.
 */
#include "interp/interp.h"
#include "ir/num/profile.h"
#include "tests/test.h"

#include <string.h>

#define HEADER                             \
    "from tvm.script import ir as I\n"     \
    "from tvm.script import tirx as T\n\n" \
    "@T.prim_func(s_tir=True)\n"           \
    "def main("

#define F32(name, n) name ": T.Buffer((" #n ",), \"float32\")"
#define I32(name, n) name ": T.Buffer((" #n ",), \"int32\")"
#define BX(n)        "    for bx in T.thread_binding(" #n ", thread=\"blockIdx.x\"):\n"
#define TX(n) \
    "        for tx in T.thread_binding(" #n ", thread=\"threadIdx.x\"):\n"
#define TYX(m, n)                                                           \
    "        for ty in T.thread_binding(" #m ", thread=\"threadIdx.y\"):\n" \
    "         for tx in T.thread_binding(" #n ", thread=\"threadIdx.x\"):\n"
#define SHARED(n) \
    "    S = T.alloc_buffer((" #n ",), \"float32\", scope=\"shared\")\n"
#define SYNC "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"

struct program {
    const char *name, *params, *body;
    unsigned slack; /* steps may be off by this many in a thousand: a guard
                       inside another one, see interp/fast/README.md */
};

/* A warp's product: C = A x B, tile by tile, with types of A and of C. */
#define WMMA(a, c, zero, layout)                                               \
    "A: T.Buffer((2, 16, 16), \"" a "\"), B: T.Buffer((2, 16, 16), \"" a       \
    "\"), C: T.Buffer((2, 16, 16), \"" c "\")",                                \
        "    S = T.alloc_buffer((2, 16, 16), \"" a "\", scope=\"shared\")\n"   \
        "    U = T.alloc_buffer((2, 16, 16), \"" c "\", scope=\"shared\")\n"   \
        "    a = T.alloc_buffer((2, 16, 16), \"" a                             \
        "\", scope=\"wmma.matrix_a\")\n"                                       \
        "    b = T.alloc_buffer((2, 16, 16), \"" a                             \
        "\", scope=\"wmma.matrix_b\")\n"                                       \
        "    c = T.alloc_buffer((2, 16, 16), \"" c                             \
        "\", scope=\"wmma.accumulator\")\n" BX(1) TYX(                         \
            2, 32) "            for i in range(8):\n"                          \
                   "                S[ty, i * 2 + tx // 16, tx % 16] = A[ty, " \
                   "i * 2 + tx"                                                \
                   " // 16, tx % 16]\n" SYNC                                   \
                   "            T.evaluate(T.tvm_fill_fragment(c.data, 16, "   \
                   "16, 16, 1, " zero "))\n"                                   \
                   "            for k in range(2):\n"                          \
                   "                "                                          \
                   "T.evaluate(T.tvm_load_matrix_sync(a.data, 16, 16, "        \
                   "16, k, T.tvm_access_ptr(T.type_annotation(\"" a            \
                   "\"), S.data, (ty + k) % 2 * 256, 256, 1), 16, "            \
                   "\"row_major\"))\n"                                         \
                   "                "                                          \
                   "T.evaluate(T.tvm_load_matrix_sync(b.data, 16, 16, "        \
                   "16, k, T.address_of(B[k, 0, 0]), 16, \"" layout "\"))\n"   \
                   "                T.evaluate(T.tvm_mma_sync(c.data, 1, "     \
                   "a.data, k, "                                               \
                   "b.data, k, c.data, 1))\n"                                  \
                   "            T.evaluate(T.tvm_store_matrix_sync(c.data, "   \
                   "16, 16, 16, "                                              \
                   "1, T.address_of(U[ty, 0, 0]), 16, \"" layout "\"))\n" SYNC \
                   "            for i in range(8):\n"                          \
                   "                C[ty, i * 2 + tx // 16, tx % 16] = U[1 - " \
                   "ty, i * 2 "                                                \
                   "+ tx // 16, tx % 16]\n"

// clang-format off
static const struct program programs[] = {
{"a barrier between write and read", F32("A", 64) ", " F32("C", 64),
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx] * T.float32(1.1)\n"
 SYNC
 "            C[bx * 32 + tx] = S[31 - tx]\n", 0},
{"barriers of rule 3", F32("A", 64) ", " F32("C", 64),
 SHARED(32) BX(2) TX(32)
 "            for k in range(3):\n"
 "                S[tx] = A[bx * 32 + tx] * T.float32(1.1)\n"
 "                C[bx * 32 + tx] = C[bx * 32 + tx] + S[31 - tx]\n", 0},
{"a block that is no whole number of warps, or strips", F32("A", 600) ", " F32("C", 600),
 SHARED(300) BX(2) TX(300)
 "            S[tx] = A[bx * 300 + tx]\n"
 SYNC
 "            C[bx * 300 + tx] = S[(tx + 7) % 300] + S[tx]\n", 0},
{"a loop with barriers in it", F32("A", 256) ", " F32("C", 64),
 SHARED(64) BX(1) TX(64)
 "            for k in range(4):\n"
 "                S[tx] = A[k * 64 + tx]\n"
 "                T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "                C[tx] = C[tx] + S[63 - tx] * S[tx]\n"
 "                T.evaluate(T.tvm_storage_sync(\"shared\"))\n", 0},
{"a tree of sums under guards", F32("A", 64) ", " F32("C", 2),
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 SYNC
 "            for k in range(5):\n"
 "                if tx < T.shift_right(16, k):\n"
 "                    S[tx] = S[tx] + S[tx + T.shift_right(16, k)]\n"
 "                T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            if tx == 0:\n"
 "                C[bx] = S[0]\n", 0},
{"guards that hold here and there", F32("A", 60) ", " F32("C", 60),
 SHARED(60) BX(1) TYX(4, 15)
 "            S[ty * 15 + tx] = T.if_then_else(tx % 3 == 1, A[ty * 15 + tx], T.float32(2.5))\n"
 SYNC
 "            if tx > 3 and ty != 2:\n"
 "                C[ty * 15 + tx] = S[ty * 15 + 14 - tx]\n"
 "            else:\n"
 "                C[ty * 15 + tx] = S[tx] * T.float32(0.1)\n", 0},
{"a guard in a guard", F32("A", 60) ", " F32("C", 60),
 SHARED(60) BX(1) TYX(4, 15)
 "            S[ty * 15 + tx] = A[ty * 15 + tx]\n"
 SYNC
 "            if tx > 3:\n"
 "                if ty % 2 == 1:\n"
 "                    C[ty * 15 + tx] = S[ty * 15 + 14 - tx]\n"
 "                C[ty * 15 + tx] = C[ty * 15 + tx] + T.float32(3)\n", 40},
{"a guard on data", F32("A", 60) ", " I32("I", 60) ", " F32("C", 60),
 SHARED(60) BX(1) TX(60)
 "            S[tx] = A[tx]\n"
 SYNC
 "            if I[tx] > 1:\n"
 "                C[tx] = S[59 - tx] * S[tx]\n", 0},
{"digits of the thread", F32("A", 3072) ", " F32("C", 3072),
 SHARED(1536) BX(2) TX(48)
 "            for i in range(32):\n"
 "                S[(i * 48 + tx) // 12 + (i * 48 + tx) % 12 * 128] = A[bx * 1536 + i * 48 + tx]\n"
 SYNC
 "            for i in range(32):\n"
 "                C[bx * 1536 + i * 48 + tx] = S[tx % 7 * 5 + T.min(tx, i * 3) + T.max(tx // 9, i)]\n", 0},
{"virtual threads", F32("A", 128) ", " F32("C", 128),
 SHARED(128)
 "    for vy in T.thread_binding(2, thread=\"vthread.y\"):\n"
 "      for vx in T.thread_binding(2, thread=\"vthread.x\"):\n"
 TYX(4, 8)
 "            S[vy * 64 + vx * 32 + ty * 8 + tx] = A[vx * 64 + vy * 32 + tx * 4 + ty]\n"
 "            C[vy * 64 + vx * 32 + ty * 8 + tx] = S[127 - (vy * 64 + vx * 32 + ty * 8 + tx)]\n", 0},
{"a tag bound again", F32("A", 128) ", " F32("C", 128),
 SHARED(64) BX(2)
 "        for ty in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
 "            for t2 in T.thread_binding(4, thread=\"threadIdx.y\"):\n"
 "                for tx in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
 "                    S[t2 * 16 + tx] = A[bx * 64 + t2 * 16 + tx]\n"
 "            for t3 in T.thread_binding(16, thread=\"threadIdx.x\"):\n"
 "                C[bx * 64 + ty * 16 + t3] = S[t3 * 4 + ty]\n", 0},
{"storage in the size of the problem", F32("A", 512) ", " F32("C", 512),
 "    S = T.sblock_alloc_buffer((512,), \"float32\", scope=\"shared\")\n"
 "    L = T.sblock_alloc_buffer((512,), \"float32\", scope=\"local\")\n"
 BX(4) TX(32)
 "            for i in range(4):\n"
 "                with T.sblock(\"s\"):\n"
 "                    v = T.axis.spatial(512, bx * 128 + i * 32 + tx)\n"
 "                    S[v] = A[v] * A[v]\n"
 "            for i in range(4):\n"
 "                with T.sblock(\"i\"):\n"
 "                    v = T.axis.spatial(512, bx * 128 + tx * 4 + i)\n"
 "                    L[v] = T.float32(0)\n"
 "            for k in range(2):\n"
 "                for i in range(4):\n"
 "                    with T.sblock(\"u\"):\n"
 "                        v = T.axis.spatial(512, bx * 128 + tx * 4 + i)\n"
 "                        w = T.axis.reduce(2, k)\n"
 "                        L[v] = L[v] + S[bx * 128 + (v + 5 + w) % 128] * S[v]\n"
 "            for i in range(4):\n"
 "                with T.sblock(\"c\"):\n"
 "                    v = T.axis.spatial(512, bx * 128 + tx * 4 + i)\n"
 "                    C[v] = L[v]\n", 0},
{"storage made on the host, for each block", F32("A", 64) ", " F32("C", 64),
 "    S = T.alloc_buffer((32,), \"float32\", scope=\"shared\")\n"
 "    for i in range(1):\n"
 "        S[i] = A[i]\n"
 BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 SYNC
 "            C[bx * 32 + tx] = S[31 - tx]\n", 0},
{"a launch in a loop", F32("A", 64) ", " F32("C", 64),
 SHARED(64)
 "    for r in range(3):\n"
 "      for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "            S[tx] = A[tx] + C[tx]\n"
 SYNC
 "            C[tx] = S[63 - tx]\n", 0},
{"two kernels, one after the other", F32("A", 64) ", " F32("C", 64),
 "    G = T.alloc_buffer((64,), \"float32\")\n"
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 SYNC
 "            G[bx * 32 + tx] = S[31 - tx]\n"
 "    for t2 in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "        C[t2] = G[63 - t2] * T.float32(0.3)\n", 0},
{"a kernel of one thread, after another one", F32("A", 64) ", " F32("C", 64),
 "    G = T.alloc_buffer((64,), \"float32\")\n"
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 SYNC
 "            G[bx * 32 + tx] = S[31 - tx]\n"
 "    L = T.alloc_buffer((2,), \"float32\", scope=\"local\")\n"
 "    for b2 in T.thread_binding(64, thread=\"blockIdx.x\"):\n"
 "        for t2 in T.thread_binding(1, thread=\"threadIdx.x\"):\n"
 "            L[t2] = G[b2 + t2]\n"
 "            C[b2 + t2] = L[t2]\n", 0},
{"several threads that write the same", F32("A", 32) ", " F32("C", 32),
 SHARED(8) BX(1) TX(32)
 "            S[tx // 4] = A[tx // 4 * 4]\n"
 SYNC
 "            C[tx] = S[tx % 8]\n", 0},
{"global storage between the threads of a block", F32("A", 64) ", " F32("C", 64) ", " F32("D", 64),
 SHARED(4) BX(2) TX(32)
 "            C[bx * 32 + tx] = A[bx * 32 + tx]\n"
 SYNC
 "            D[bx * 32 + tx] = C[bx * 32 + 31 - tx]\n", 0},
{"outputs that no formula tells apart", F32("A", 96) ", " F32("C", 160),
 BX(6) TX(16)
 "            C[(bx * 16 + tx) // 12 * 20 + (bx * 16 + tx) % 12] = A[bx * 16 + tx] * A[tx]\n", 0},
{"a vectorised loop that no formula tells apart", F32("A", 126) ", " F32("C", 126),
 SHARED(300) BX(1) TX(42)
 "            for v in T.vectorized(3):\n"
 "                S[(tx * 3 + v) // 7 * 16 + (tx * 3 + v) % 7] = A[tx * 3 + v]\n"
 "            for v in T.vectorized(3):\n"
 "                C[tx * 3 + v] = S[(125 - tx * 3 - v) // 7 * 16 + (125 - tx * 3 - v) % 7]\n", 0},
{"vector statements", F32("A", 256) ", " F32("C", 256),
 SHARED(256) BX(1) TX(64)
 "            S[tx * 4:tx * 4 + 4] = A[tx * 4:tx * 4 + 4] * T.Broadcast(T.float32(0.3), 4)\n"
 SYNC
 "            C[tx * 4:tx * 4 + 4] = S[252 - tx * 4:256 - tx * 4]\n", 0},
{"a let for each thread", F32("A", 64) ", " F32("C", 64),
 SHARED(64) BX(1) TX(64)
 "            x: T.float32 = A[tx] * T.float32(1.7)\n"
 "            S[tx] = x\n"
 SYNC
 "            C[tx] = S[63 - tx] + x\n", 0},
{"a gather from what other threads wrote", F32("A", 64) ", " I32("I", 64) ", " F32("C", 64),
 SHARED(64) BX(1) TX(64)
 "            S[tx] = A[tx]\n"
 SYNC
 "            C[tx] = S[I[tx]]\n", 0},
{"integers and halves", "A: T.Buffer((64,), \"float16\"), B: T.Buffer((64,), \"int8\"), C: T.Buffer((64,), \"float16\"), D: T.Buffer((64,), \"int8\")",
 "    S = T.alloc_buffer((64,), \"float16\", scope=\"shared\")\n"
 "    U = T.alloc_buffer((64,), \"int8\", scope=\"shared.dyn\")\n" BX(1) TX(64)
 "            S[tx] = A[tx]\n"
 "            U[tx] = B[tx]\n"
 SYNC
 "            C[tx] = S[63 - tx] * S[tx // 2]\n"
 "            D[tx] = U[63 - tx] + U[tx]\n", 0},
{"float16 tiles into float32", WMMA("float16", "float32", "T.float32(0)", "row_major"), 0},
{"float16 tiles by columns", WMMA("float16", "float32", "T.float32(1.5)", "col_major"), 0},
{"float16 tiles into float16", WMMA("float16", "float16", "T.float32(0)", "row_major"), 0},
{"bfloat16 tiles into float32", WMMA("bfloat16", "float32", "T.float32(0)", "col_major"), 0},
{"float32 tiles", WMMA("float32", "float32", "T.float32(0.5)", "row_major"), 0},
{"int8 tiles into int32", WMMA("int8", "int32", "T.int32(7)", "row_major"), 0},
{"uint8 tiles into int32", WMMA("uint8", "int32", "T.int32(0)", "col_major"), 0},
};

/* A fault that the walker reports; the engine must not say otherwise. */
static const struct {
    const char *name, *params, *body;
    enum interp_fault_kind fault;
} faults[] = {
{"no barrier", F32("A", 64) ", " F32("C", 64),
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 "            C[bx * 32 + tx] = S[31 - tx]\n"
 SYNC, INTERP_RACE},
{"no barrier at the back edge", F32("A", 256) ", " F32("C", 64),
 SHARED(64) BX(1) TX(64)
 "            for k in range(4):\n"
 "                S[tx] = A[k * 64 + tx]\n"
 "                T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "                C[tx] = C[tx] + S[63 - tx]\n", INTERP_RACE},
{"no barrier after a read", F32("A", 64) ", " F32("C", 64),
 SHARED(64) BX(1) TX(64)
 "            S[tx] = A[tx]\n"
 SYNC
 "            C[tx] = S[63 - tx]\n"
 "            S[tx] = A[tx] + C[tx]\n", INTERP_RACE},
{"blocks that write one element", F32("A", 64) ", " F32("C", 32),
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 SYNC
 "            C[tx] = S[31 - tx]\n", INTERP_RACE},
{"a block that reads what another one writes", F32("A", 64) ", " F32("C", 64),
 SHARED(32) BX(2) TX(32)
 "            S[tx] = A[bx * 32 + tx]\n"
 SYNC
 "            C[bx * 32 + tx] = S[31 - tx] + C[32 - bx * 32 + tx]\n", INTERP_RACE},
{"one element that all threads read", F32("A", 64) ", " F32("C", 64),
 SHARED(1) BX(1) TX(64)
 "            if tx < 1:\n"
 "                S[tx] = A[tx]\n"
 "            C[tx] = S[0] + S[0]\n"
 SYNC, INTERP_RACE},
{"several threads that write another value", F32("A", 32) ", " F32("C", 32),
 SHARED(8) BX(1) TX(32)
 "            S[tx // 4] = A[tx]\n"
 SYNC
 "            C[tx] = S[tx % 8]\n", INTERP_RACE},
{"the same value, after another one", F32("C", 32),
 SHARED(2) BX(1) TX(32)
 "            if tx == 0:\n"
 "                S[0] = T.float32(1)\n"
 "            S[0] = T.float32(2)\n"
 SYNC
 "            C[tx] = S[0]\n", INTERP_RACE},
{"the same value, read before the barrier", F32("C", 32),
 SHARED(2) BX(1) TX(32)
 "            if tx < 2:\n"
 "                S[0] = T.float32(2)\n"
 "            if tx == 3:\n"
 "                C[tx] = S[0]\n"
 SYNC, INTERP_RACE},
{"a vectorised loop over one element", F32("A", 126) ", " F32("C", 42),
 SHARED(42) BX(1) TX(42)
 "            for v in T.vectorized(3):\n"
 "                S[tx] = A[tx * 3 + v]\n"
 SYNC
 "            C[tx] = S[tx]\n", INTERP_RACE},
{"a vectorised loop that reads the next element", F32("A", 126) ", " F32("C", 126),
 SHARED(300) BX(1) TX(42)
 "            for v in T.vectorized(3):\n"
 "                S[(tx * 3 + v) // 7 * 16 + (tx * 3 + v) % 7] = A[tx * 3 + v]\n"
 SYNC
 "            for v in T.vectorized(3):\n"
 "                S[(tx * 3 + v) // 7 * 16 + (tx * 3 + v) % 7] = S[(tx * 3 + (v + 1) % 3) // 7 * 16 + (tx * 3 + (v + 1) % 3) % 7]\n"
 SYNC
 "            C[tx] = S[tx // 7 * 16 + tx % 7]\n", INTERP_RACE},
{"a tile that is read while it is written", "A: T.Buffer((16, 16), \"float16\"), C: T.Buffer((16, 16), \"float16\")",
 "    S = T.alloc_buffer((16, 16), \"float16\", scope=\"shared\")\n"
 "    a = T.alloc_buffer((16, 16), \"float16\", scope=\"wmma.accumulator\")\n" BX(1) TX(32)
 "            for i in range(8):\n"
 "                S[i * 2 + tx // 16, tx % 16] = A[i * 2 + tx // 16, tx % 16]\n"
 "            T.evaluate(T.tvm_load_matrix_sync(a.data, 16, 16, 16, 0, T.address_of(S[0, 0]), 16, \"row_major\"))\n"
 SYNC
 "            T.evaluate(T.tvm_store_matrix_sync(a.data, 16, 16, 16, 0, T.address_of(C[0, 0]), 16, \"row_major\"))\n", INTERP_RACE},
{"a barrier under a condition", F32("A", 32) ", " F32("C", 32),
 SHARED(32) BX(1) TX(32)
 "            S[tx] = A[tx]\n"
 "            if tx < 16:\n"
 "                T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[tx]\n", INTERP_BARRIER_DIVERGENCE},
{"a tile for part of a warp", "C: T.Buffer((16, 16), \"float32\")",
 "    c = T.alloc_buffer((16, 16), \"float32\", scope=\"wmma.accumulator\")\n" BX(1) TX(32)
 "            if tx < 16:\n"
 "                T.evaluate(T.tvm_fill_fragment(c.data, 16, 16, 16, 0, T.float32(0)))\n"
 "            C[tx // 16, tx % 16] = T.float32(0)\n", INTERP_BARRIER_DIVERGENCE},
{"what another block left behind", F32("A", 64) ", " F32("C", 64),
 "    S = T.sblock_alloc_buffer((32,), \"float32\", scope=\"shared\")\n" BX(2) TX(32)
 "            if bx == 0:\n"
 "                S[tx] = A[tx]\n"
 SYNC
 "            if S[31 - tx] > T.float32(0):\n"
 "                C[bx * 32 + tx] = A[tx]\n", INTERP_UNINITIALISED},
{"beyond the storage", F32("A", 64) ", " F32("C", 64),
 SHARED(32) BX(2) TX(32)
 "            S[tx + bx] = A[tx]\n"
 SYNC
 "            C[bx * 32 + tx] = S[tx]\n", INTERP_OUT_OF_BOUNDS},
};
// clang-format on

/* ---- one run ------------------------------------------------------------------- */

#define MAX_PARAMS 8

struct match {
    const char *name;
    struct ir_module *module;
    struct diag_sink *sink;
    struct arena *arena;
    struct interp_signature sig;
    struct interp_arg fast[MAX_PARAMS], walk[MAX_PARAMS];
};

static void open_match(struct match *x, const char *name, const char *params,
                       const char *body)
{
    struct buf script = {0};
    memset(x, 0, sizeof *x);
    x->name = name;
    x->sink = diag_sink_new();
    x->arena = arena_new();
    buf_printf(&script, HEADER "%s):\n%s", params, body);
    x->module = ir_read(buf_text(&script), script.len, name, x->sink);
    if (x->module == NULL || !ir_wellformed(x->module, x->sink)) {
        struct buf text = {0};
        diag_render(x->sink, false, &text);
        print_error("%s\n%s", buf_text(&text), buf_text(&script));
        buf_fini(&text);
        fail();
    }
    assert_true(interp_signature(x->module, x->module->funcs[0], NULL, 0,
                                 x->arena, &x->sig, NULL));
    assert_true(x->sig.nparams <= MAX_PARAMS);
    buf_fini(&script);
}

static void close_match(struct match *x)
{
    arena_free(x->arena);
    ir_module_free(x->module);
    diag_sink_free(x->sink);
}

static void make_args(struct match *x, enum interp_fill fill,
                      const struct interp_options *o)
{
    memset(x->fast, 0, sizeof x->fast);
    for (size_t p = 0; p < x->sig.nparams; p++) {
        const struct interp_param *s = &x->sig.params[p];
        bool index = s->indexes && !dtype_is_float(s->dtype);
        struct interp_tensor *t =
            interp_tensor_new(s->dtype, s->rank, s->shape);
        interp_fill_tensor(t, index ? INTERP_FILL_INDEX : fill, 7, p,
                           index ? 0 : 1, index ? 3 : 0);
        x->fast[p].tensor = t;
        x->walk[p] = x->fast[p];
        x->walk[p].tensor = interp_tensor_clone(t);
        if (o->domain != INTERP_IEEE && !index) {
            interp_tensor_to_leaves(t, o, p);
            interp_tensor_to_leaves(x->walk[p].tensor, o, p);
        }
    }
}

static void free_args(struct match *x)
{
    for (size_t p = 0; p < x->sig.nparams; p++) {
        interp_tensor_free(x->fast[p].tensor);
        interp_tensor_free(x->walk[p].tensor);
    }
}

/* Keyed runs of this engine do not say where known values were rounded. */
static void compare_tensors(const struct match *x, const char *how, bool keyed)
{
    unsigned seen = keyed ? ~(unsigned)INTERP_INEXACT : ~0u;
    for (size_t p = 0; p < x->sig.nparams; p++) {
        const struct interp_tensor *a = x->fast[p].tensor;
        const struct interp_tensor *b = x->walk[p].tensor;
        for (size_t i = 0; i < a->elements; i++) {
            bool box = (a->state[i] & INTERP_SYMBOLIC) != 0;
            bool same =
                (a->state[i] & seen) == (b->state[i] & seen) &&
                (box ? memcmp(&a->box[i].sym, &b->box[i].sym,
                              sizeof a->box[i].sym) == 0
                     : interp_tensor_get(a, i) == interp_tensor_get(b, i));
            if (same)
                continue;
            print_error(
                "%s, %s: parameter %zu, element %zu: %llx with state "
                "%u, the walker has %llx with %u\n",
                x->name, how, p, i, (unsigned long long)interp_tensor_get(a, i),
                a->state[i], (unsigned long long)interp_tensor_get(b, i),
                b->state[i]);
            fail();
        }
    }
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static void compare_results(struct match *x, const char *how, unsigned slack,
                            const struct interp_result *fast,
                            const struct interp_result *walk,
                            const struct interp_options *o)
{
    uint64_t ratio = (uint64_t)interp_speed(x->module, x->module->funcs[0],
                                            x->sig.nparams, x->walk, o);
    uint64_t want = (walk->steps + ratio - 1) / ratio;
    uint64_t off = fast->steps > want ? fast->steps - want : want - fast->steps;
    bool same = fast->fault == INTERP_OK && walk->fault == INTERP_OK &&
                off <= want * slack / 1000 + (slack != 0) &&
                (o->domain != INTERP_IEEE || fast->inexact == walk->inexact) &&
                fast->control_inexact == walk->control_inexact &&
                fast->data_dependent == walk->data_dependent &&
                fast->implicit_barriers == walk->implicit_barriers &&
                fast->nimplied == walk->nimplied &&
                same_text(fast->implied, walk->implied) &&
                fast->has_atomics == walk->has_atomics &&
                fast->keyed_ops == walk->keyed_ops &&
                fast->assumptions == walk->assumptions;
    if (same)
        return;
    print_error("%s, %s: %s (%s), %llu steps, %llu wanted, implicit %d, "
                "%llu operations; the walker: %s (%s), implicit %d, %llu "
                "operations\n",
                x->name, how, interp_fault_name(fast->fault),
                fast->message != NULL ? fast->message : "",
                (unsigned long long)fast->steps, (unsigned long long)want,
                fast->implicit_barriers, (unsigned long long)fast->keyed_ops,
                interp_fault_name(walk->fault),
                walk->message != NULL ? walk->message : "",
                walk->implicit_barriers, (unsigned long long)walk->keyed_ops);
    fail();
}

static struct interp_result run(struct match *x, struct interp_arg *args,
                                enum interp_engine engine,
                                const struct interp_options *options)
{
    struct interp_options o = *options;
    o.engine = engine;
    return interp_run(x->module, x->module->funcs[0], x->sig.nparams, args, &o);
}

static void duel(const struct program *p, enum interp_fill fill,
                 struct interp_options o, const char *how)
{
    struct match x;
    open_match(&x, p->name, p->params, p->body);
    make_args(&x, fill, &o);
    struct interp_result walk = run(&x, x.walk, INTERP_ENGINE_WALK, &o);
    /* several threads of the machine share no kernel, but the loops beside */
    o.threads = fill == INTERP_FILL_RANDOM ? 3 : 1;
    o.share_small = true;
    struct interp_result fast = run(&x, x.fast, INTERP_ENGINE_FAST, &o);
    compare_results(&x, how, p->slack, &fast, &walk, &o);
    compare_tensors(&x, how, o.domain != INTERP_IEEE);
    interp_result_fini(&fast);
    interp_result_fini(&walk);
    free_args(&x);
    close_match(&x);
}

static void fight(const struct program *p, enum interp_fill fill,
                  enum interp_domain_kind domain, const char *how)
{
    struct interp_options o = interp_default_options();
    o.domain = domain;
    o.key = 5;
    duel(p, fill, o, how);
}

/* ---- tests ----------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    static const enum interp_fill fills[] = {
        INTERP_FILL_EXACT, INTERP_FILL_RANDOM, INTERP_FILL_BOUNDARY,
        INTERP_FILL_RANGE, INTERP_FILL_UNIT,   INTERP_FILL_ZERO,
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(programs); i++)
        for (size_t k = 0; k < DC_ARRAY_LEN(fills); k++)
            fight(&programs[i], fills[k], INTERP_IEEE,
                  interp_fill_name(fills[k]));
}

static void test_keyed(void **state)
{
    static const struct {
        enum interp_domain_kind kind;
        const char *name;
    } domains[] = {
        {INTERP_ORDER, "order"},
        {INTERP_AC, "ac"},
        {INTERP_FIELD, "field"},
        {INTERP_FIELD_NOCAST, "field-nocast"},
    };
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(programs); i++)
        for (size_t k = 0; k < DC_ARRAY_LEN(domains); k++)
            fight(&programs[i], INTERP_FILL_EXACT, domains[k].kind,
                  domains[k].name);
}

/* Where the caller does not ask about races, kernels without any run all the
 * same, and those with one are the walker's: its order of threads counts. */
static void test_unchecked(void **state)
{
    struct interp_options o = interp_default_options();
    (void)state;
    o.check_races = false;
    for (size_t i = 0; i < DC_ARRAY_LEN(programs); i++)
        duel(&programs[i], INTERP_FILL_RANDOM, o, "unchecked");
    for (size_t i = 0; i < DC_ARRAY_LEN(faults); i++) {
        struct match x;
        if (faults[i].fault != INTERP_RACE)
            continue;
        open_match(&x, faults[i].name, faults[i].params, faults[i].body);
        make_args(&x, INTERP_FILL_RANDOM, &o);
        struct interp_result fast = run(&x, x.fast, INTERP_ENGINE_FAST, &o);
        assert_int_equal(fast.fault, INTERP_UNSUPPORTED);
        compare_tensors(&x, "before", false);
        interp_result_fini(&fast);
        free_args(&x);
        close_match(&x);
    }
}

/* Kernels without tiles under another arithmetic of single operations. */
static void test_profiles(void **state)
{
    struct num_profile profile;
    struct interp_options o = interp_default_options();
    (void)state;
    assert_true(
        num_profile_parse("round=zero flush-single=both", &profile, NULL));
    o.profile = &profile;
    for (size_t i = 0; i < DC_ARRAY_LEN(programs); i++)
        if (strstr(programs[i].body, "wmma") == NULL)
            duel(&programs[i], INTERP_FILL_BOUNDARY, o, "other rounding");
}

/* The engine says that it does not know; asked without a choice of engine, the
 * answer is the walker's. */
static void test_faults(void **state)
{
    struct interp_options o = interp_default_options();
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(faults); i++) {
        struct match x;
        open_match(&x, faults[i].name, faults[i].params, faults[i].body);
        make_args(&x, INTERP_FILL_RANDOM, &o);
        struct interp_result fast = run(&x, x.fast, INTERP_ENGINE_FAST, &o);
        if (fast.fault != INTERP_UNSUPPORTED)
            print_error("%s: not noticed\n", x.name);
        assert_int_equal(fast.fault, INTERP_UNSUPPORTED);
        compare_tensors(&x, "before", false); /* nothing was touched */
        struct interp_result any = run(&x, x.walk, INTERP_ENGINE_AUTO, &o);
        if (any.fault != faults[i].fault)
            print_error("%s: %s\n", x.name, interp_fault_name(any.fault));
        assert_int_equal(any.fault, faults[i].fault);
        interp_result_fini(&fast);
        interp_result_fini(&any);
        free_args(&x);
        close_match(&x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_keyed),
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_unchecked),
        cmocka_unit_test(test_profiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
