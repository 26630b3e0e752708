/* SPDX-License-Identifier: Apache-2.0
 *
 * Each condition of races.c and uniform.c: a program that races or diverges and
 * would be shown safe without the condition, beside a legal one that is shown.
 */
#include "tests/verifier/safety/safety_case_internal.h"

#define TY(n) \
    "        for ty in T.thread_binding(" #n ", thread=\"threadIdx.y\"):\n"
#define PAR(n) "    for i in T.parallel(" #n "):\n"
#define WARP   "    W = T.alloc_buffer((32,), scope=\"warp\")\n"
#define WSYNC  "T.evaluate(T.tvm_storage_sync(\"warp\"))\n"
#define AC64   F1("A", 64) ", " F1("C", 64)
#define AC128  F1("A", 128) ", " F1("C", 128)
#define ADC64  F1("A", 64) ", " F1("D", 64) ", " F1("C", 64)
#define SUM(to, value, cond)                                               \
    "with T.attr(T.comm_reducer(lambda x, y: x + y, [T.float32(0)]), "     \
    "\"reduce_scope\", T.reinterpret(\"handle\", T.uint64(0))):\n"         \
    "                T.tvm_thread_allreduce(T.uint32(1), " value ", " cond \
    ", " to ", tx)\n"

#define WMMA_PARAMS                        \
    "A: T.Buffer((16, 16), \"float16\"), " \
    "B: T.Buffer((16, 16), \"float16\"), " \
    "C: T.Buffer((32, 16), \"float32\")"
#define WMMA_FRAGMENTS                                                        \
    "    FA = T.alloc_buffer((256,), \"float16\", scope=\"wmma.matrix_a\")\n" \
    "    FB = T.alloc_buffer((256,), \"float16\", scope=\"wmma.matrix_b\")\n" \
    "    F = T.alloc_buffer((256,), \"float32\", "                            \
    "scope=\"wmma.accumulator\")\n"
#define WMMA_LOAD(pad, to, from)                                              \
    pad "T.tvm_load_matrix_sync(" to ".data, 16, 16, 16, 0, "                 \
        "T.tvm_access_ptr(T.type_annotation(\"float16\"), " from ".data, 0, " \
        "256, 1), 16, \"row_major\")\n"
#define WMMA(pad, at)                                                         \
    pad "T.tvm_fill_fragment(F.data, 16, 16, 16, 0, "                         \
        "T.float32(0))\n" WMMA_LOAD(pad, "FA", "A") WMMA_LOAD(pad, "FB", "B") \
            pad                                                               \
        "T.tvm_mma_sync(F.data, 0, FA.data, 0, FB.data, 0, F.data, 0)\n" pad  \
        "T.tvm_store_matrix_sync(F.data, 16, 16, 16, 0, T.tvm_access_ptr("    \
        "T.type_annotation(\"float32\"), C.data, " at ", 256, 2), 16, "       \
        "\"row_major\")\n"

// clang-format off
static const struct safety_case cases[] = {
/* ---- parallel loops: which loops agree, which differ */
{"rule 6: inner loops of two iterations differ", F1("C", 8),
 PAR(4)
 "        for k in range(4):\n"
 "            C[i + k] = T.Cast(\"float32\", i)\n", .want = VSAFETY_RACE},
{"rule 6: inner loops within the iteration's part", F1("C", 16),
 PAR(4)
 "        for k in range(4):\n"
 "            C[i * 4 + k] = T.Cast(\"float32\", i)\n", .want = VSAFETY_NONE},
{"rule 6: inner loops one beyond the iteration's part", F1("C", 17),
 PAR(4)
 "        for k in range(5):\n"
 "            C[i * 4 + k] = T.Cast(\"float32\", i)\n", .want = VSAFETY_RACE},
{"rule 6: two stores, each in its half", F1("C", 32),
 PAR(4)
 "        for k in range(4):\n"
 "            C[i * 8 + k] = T.Cast(\"float32\", i)\n"
 "        for k in range(4):\n"
 "            C[i * 8 + k + 4] = T.float32(2)\n", .want = VSAFETY_NONE},
{"rule 6: two stores, the second one too long", F1("C", 33),
 PAR(4)
 "        for k in range(4):\n"
 "            C[i * 8 + k] = T.Cast(\"float32\", i)\n"
 "        for k in range(5):\n"
 "            C[i * 8 + k + 4] = T.float32(2)\n", .want = VSAFETY_RACE},
{"rule 6: the loop around goes on in order", F1("A", 8) ", " F1("C", 8),
 "    for k in range(8):\n"
 "        for i in T.parallel(8):\n"
 "            C[(i + k) % 8] = A[i]\n", .want = VSAFETY_NONE},
{"rule 6: so do both loops around", F1("A", 8) ", " F1("C", 8),
 "    for l in range(2):\n"
 "        for k in range(8):\n"
 "            for i in T.parallel(8):\n"
 "                C[(i + k + l) % 8] = A[i]\n", .want = VSAFETY_NONE},
{"rule 6: not the loop inside", F1("A", 8) ", " F1("C", 8),
 PAR(8)
 "        for k in range(8):\n"
 "            C[(i + k) % 8] = A[i]\n", .want = VSAFETY_RACE},
{"rule 6: two loops one after the other", F1("A", 8) ", " F1("C", 8),
 PAR(8)
 "        C[i] = A[i]\n"
 "    for j in T.parallel(8):\n"
 "        C[j] = C[j] + A[7 - j]\n", .want = VSAFETY_NONE},
{"rule 6: outer and inner parallel, a cell of both", "C: T.Buffer((4, 4), \"float32\")",
 PAR(4)
 "        for j in T.parallel(4):\n"
 "            C[i, j] = T.Cast(\"float32\", i + j)\n", .want = VSAFETY_NONE},
{"rule 6: outer and inner parallel, a cell of the inner", "C: T.Buffer((4, 4), \"float32\")",
 PAR(4)
 "        for j in T.parallel(4):\n"
 "            C[0, j] = T.Cast(\"float32\", i + j)\n", .want = VSAFETY_RACE},
{"rule 6: outer and inner parallel, a cell of the outer", "C: T.Buffer((4, 4), \"float32\")",
 PAR(4)
 "        for j in T.parallel(4):\n"
 "            C[i, 0] = T.Cast(\"float32\", i + j)\n", .want = VSAFETY_RACE},
{"rule 6: a read, then another iteration's write of it", F1("B", 1) ", " F1("C", 8),
 PAR(8)
 "        C[i] = B[0]\n"
 "        B[0] = T.float32(1)\n", .want = VSAFETY_RACE},
{"rule 28: a read of what another writes, equal bits or not", F1("C", 8),
 "    B = T.alloc_buffer((1,), \"float32\")\n"
 "    B[0] = T.float32(1)\n"
 PAR(8)
 "        C[i] = B[0]\n"
 "        B[0] = T.float32(1)\n", .want = VSAFETY_RACE},
{"rule 4: a temporary of each iteration", F1("A", 8) ", " F1("C", 8),
 PAR(8)
 "        with T.sblock(\"b\"):\n"
 "            vi = T.axis.spatial(8, i)\n"
 "            B = T.sblock_alloc_buffer((1,), \"float32\")\n"
 "            B[0] = A[vi]\n"
 "            C[vi] = B[0] + T.float32(1)\n", .want = VSAFETY_NONE},
{"a race's cell", F1("A", 8) ", " F1("C", 16),
 PAR(8)
 "        C[5 + i // 8] = A[i]\n", .want = VSAFETY_RACE, .index = "5"},
/* ---- equal accesses, of which one is looked at */
{"rule 4: two stores write two values", F1("C", 1),
 PAR(8)
 "        C[0] = T.float32(1)\n"
 "        C[0] = T.float32(2)\n", .want = VSAFETY_RACE},
{"rule 4: two stores write one value", F1("C", 1),
 PAR(8)
 "        C[0] = T.float32(1)\n"
 "    for j in T.parallel(8):\n"
 "        C[0] = T.float32(2)\n", .want = VSAFETY_NONE},
{"a store like the one before, under no condition", F1("A", 8) ", " F1("C", 1),
 PAR(8)
 "        if i < 1:\n"
 "            C[0] = A[0]\n"
 "        C[0] = A[i]\n", .want = VSAFETY_RACE},
{"a store like the one before, under a condition", F1("A", 8) ", " F1("C", 8),
 PAR(8)
 "        if i < 1:\n"
 "            C[0] = A[0]\n"
 "        if i < 1:\n"
 "            C[0] = A[1]\n", .want = VSAFETY_NONE},
{"a store like the one before, under a parallel loop", F1("A", 8) ", " F1("C", 1),
 "    C[0] = A[0]\n"
 PAR(8)
 "        C[0] = A[i]\n", .want = VSAFETY_RACE},
{"a store like the one before but for one index", F1("A", 4) ", C: T.Buffer((4, 4), \"float32\")",
 PAR(4)
 "        C[0, i] = A[i]\n"
 "    for j in T.parallel(4):\n"
 "        C[0, 0] = A[j]\n", .want = VSAFETY_RACE},
{"a store like the one before, in the other buffer", F1("A", 8) ", " F1("B", 8) ", " F1("C", 8),
 "    B[0] = A[1]\n"
 PAR(8)
 "        if i < 1:\n"
 "            B[0] = A[0]\n"
 "        C[0] = A[i]\n", .want = VSAFETY_RACE},
/* ---- one value */
{"rule 4: the same element, each iteration one further on", F1("A", 9) ", " F1("C", 9),
 PAR(8)
 "        C[i] = A[i]\n"
 "        C[i + 1] = A[i + 1]\n", .want = VSAFETY_NONE},
{"rule 4: the element before", F1("A", 9) ", " F1("C", 9),
 PAR(8)
 "        C[i] = A[i]\n"
 "        C[i + 1] = A[i]\n", .want = VSAFETY_RACE},
{"rule 28: what nobody has stored is not one value", F1("C", 8),
 "    U = T.alloc_buffer((1,), \"float32\")\n"
 "    B = T.alloc_buffer((1,), \"float32\")\n"
 PAR(8)
 "        B[0] = U[0]\n"
 "    for j in range(8):\n"
 "        C[j] = T.float32(0)\n", .want = VSAFETY_RACE},
{"rule 28: nor of two stores", F1("C", 8),
 "    U = T.alloc_buffer((1,), \"float32\")\n"
 "    B = T.alloc_buffer((9,), \"float32\")\n"
 PAR(8)
 "        B[i] = U[0]\n"
 "        B[i + 1] = U[0]\n"
 "    for j in range(8):\n"
 "        C[j] = T.float32(0)\n", .want = VSAFETY_RACE},
{"rule 28: nor the sum with what nobody has stored", F1("A", 9) ", " F1("C", 9),
 "    U = T.alloc_buffer((1,), \"float32\")\n"
 "    B = T.alloc_buffer((9,), \"float32\")\n"
 PAR(8)
 "        B[i] = A[i] + U[0]\n"
 "        B[i + 1] = A[i + 1] + U[0]\n"
 "    for j in range(8):\n"
 "        C[j] = T.float32(0)\n", .want = VSAFETY_RACE},
{"rule 4: one value in all iterations of an inner loop", F1("A", 4) ", " F1("C", 4),
 PAR(8)
 "        for k in range(4):\n"
 "            C[k] = A[k]\n", .want = VSAFETY_NONE},
{"rule 4: the inner loop's value, one cell", F1("A", 4) ", " F1("C", 4),
 PAR(8)
 "        for k in range(4):\n"
 "            C[0] = A[k]\n", .want = VSAFETY_RACE},
/* ---- lanes */
{"rule 6: lanes of one store are evaluated before it", F1("C", 8),
 "    C[0:4] = C[1:5]\n", .want = VSAFETY_NONE},
{"rule 6: a vectorised loop's are not", F1("C", 8),
 "    for v in T.vectorized(4):\n"
 "        C[v] = C[v + 1]\n", .want = VSAFETY_RACE},
{"rule 6: equal target lanes", F1("A", 8) ", " F1("C", 8),
 "    C[T.Broadcast(2, 4)] = A[0:4]\n", .want = VSAFETY_RACE},
{"rule 6: target lanes two apart", F1("A", 8) ", " F1("C", 8),
 "    C[T.Ramp(0, 2, 4)] = A[0:4]\n", .want = VSAFETY_NONE},
{"rule 6: lanes beyond another store's length", F1("C", 40),
 PAR(4)
 "        C[i * 8:i * 8 + 4] = T.Broadcast(T.float32(1), 4)\n"
 "        C[i * 8 + 4:i * 8 + 12] = T.Broadcast(T.float32(2), 8)\n",
 .want = VSAFETY_RACE},
{"rule 6: lanes that fill up another store's", F1("C", 40),
 PAR(4)
 "        C[i * 8:i * 8 + 4] = T.Broadcast(T.float32(1), 4)\n"
 "        C[i * 8 + 4:i * 8 + 8] = T.Broadcast(T.float32(2), 4)\n",
 .want = VSAFETY_NONE},
/* ---- threads: which loops agree, which differ */
{"two axes, a cell of both", AC64,
 TX(8) TY(8)
 "            C[tx * 8 + ty] = A[tx]\n", .want = VSAFETY_NONE},
{"two axes, a cell of one", AC64,
 TX(8) TY(8)
 "            C[tx] = A[ty]\n", .want = VSAFETY_RACE},
{"two axes, a cell of the other", AC64,
 TX(8) TY(8)
 "            C[ty] = A[tx]\n", .want = VSAFETY_RACE},
{"an axis that only one of them is in", AC64,
 TX(8)
 "        C[tx] = A[tx]\n"
 TY(2)
 "            if ty == 1:\n"
 "                C[tx] = T.float32(5)\n", .want = VSAFETY_RACE},
{"rule 18: host loops go on in order", AC64,
 "    for k in range(4):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            C[tx + k] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 18: loops of a kernel do not", AC64,
 TX(32)
 "        for k in range(4):\n"
 "            C[tx + k] = A[tx]\n", .want = VSAFETY_RACE},
{"rule 18: nor those between blocks and threads", AC64,
 BX(2)
 "        for k in range(4):\n"
 "            for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "                C[bx * 32 + (tx + k) % 32] = A[tx]\n", .want = VSAFETY_RACE},
{"rule 18: host loops around blocks", AC64,
 "    for k in range(4):\n"
 "        for bx in T.thread_binding(8, thread=\"blockIdx.x\"):\n"
 "            C[bx + k] = A[bx]\n", .want = VSAFETY_NONE},
{"rule 18: loops of blocks", AC64,
 BX(8)
 "        for k in range(4):\n"
 "            C[bx + k] = A[bx]\n", .want = VSAFETY_RACE},
{"rule 18: two launches", AC64,
 TX(64)
 "        C[tx] = A[tx]\n"
 "    for ty in T.thread_binding(64, thread=\"threadIdx.y\"):\n"
 "        C[63 - ty] = A[ty] + T.float32(1)\n", .want = VSAFETY_NONE},
{"rule 18: the host before a launch", AC64,
 "    for j in range(64):\n"
 "        C[j] = T.float32(0)\n"
 TX(64)
 "        C[63 - tx] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 4: local storage is a thread's own", AC64,
 "    L = T.alloc_buffer((1,), scope=\"local\")\n"
 TX(64)
 "        L[0] = A[tx]\n"
 "        C[tx] = L[0]\n", .want = VSAFETY_NONE},
{"rule 4: shared storage is a block's own", AC64,
 "    S = T.alloc_buffer((32,), scope=\"shared\")\n"
 BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            S[tx] = A[bx * 32 + tx]\n"
 "            C[bx * 32 + tx] = S[31 - tx]\n", .want = VSAFETY_NONE},
{"rule 4: global storage is nobody's own", AC64,
 "    G = T.alloc_buffer((32,))\n"
 BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            G[tx] = A[bx * 32 + tx]\n"
 "            C[bx * 32 + tx] = G[tx]\n", .want = VSAFETY_RACE},
{"rule 30: virtual threads are threads", AC64,
 "    for vx in T.thread_binding(2, thread=\"vthread.x\"):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            C[tx] = A[vx * 32 + tx]\n", .want = VSAFETY_RACE},
{"a store like the one before, after a barrier", AC64,
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        " SYNC
 "        C[tx] = S[63 - tx]\n"
 "        S[tx] = A[tx] * T.float32(2)\n", .want = VSAFETY_RACE},
/* ---- storage that iterations share */
{"rule 4: shared storage of a loop, a barrier short", AC128,
 TX(32)
 "        for k in range(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                S = T.sblock_alloc_buffer((32,), scope=\"shared\")\n"
 "                S[tx] = A[k * 32 + tx]\n"
 "                " SYNC
 "                C[k * 32 + tx] = S[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 4: shared storage of an unrolled loop, a barrier short", AC128,
 TX(32)
 "        for k in T.unroll(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                S = T.sblock_alloc_buffer((32,), scope=\"shared\")\n"
 "                S[tx] = A[k * 32 + tx]\n"
 "                " SYNC
 "                C[k * 32 + tx] = S[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 4: warp storage of a loop, a barrier short", AC128,
 TX(32)
 "        for k in range(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                W = T.sblock_alloc_buffer((32,), scope=\"warp\")\n"
 "                W[tx] = A[k * 32 + tx]\n"
 "                " WSYNC
 "                C[k * 32 + tx] = W[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 4: shared storage of a loop, both barriers", AC128,
 TX(32)
 "        for k in range(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                S = T.sblock_alloc_buffer((32,), scope=\"shared\")\n"
 "                S[tx] = A[k * 32 + tx]\n"
 "                " SYNC
 "                C[k * 32 + tx] = S[31 - tx]\n"
 "                " SYNC, .want = VSAFETY_NONE},
{"rule 4: local storage of a loop needs none", AC128,
 TX(32)
 "        for k in range(4):\n"
 "            with T.sblock(\"b\"):\n"
 "                L = T.sblock_alloc_buffer((1,), scope=\"local\")\n"
 "                L[0] = A[k * 32 + tx]\n"
 "                C[k * 32 + tx] = L[0]\n", .want = VSAFETY_NONE},
/* ---- explicit barriers */
{"rule 19: the barrier comes before both", AC64,
 SHARED TX(64)
 "        " SYNC
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 19: the barrier comes after both", AC64,
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[63 - tx]\n"
 "        " SYNC, .want = VSAFETY_RACE},
{"rule 19: a barrier within a statement is none", AC64,
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        " SYNC
 "        S[tx] = S[63 - tx]\n"
 "        " SYNC
 "        C[tx] = S[tx]\n", .want = VSAFETY_RACE},
{"rule 19: not in the first iteration", F1("A", 256) ", " F1("C", 256),
 SHARED TX(64)
 "        for k in range(4):\n"
 "            S[tx] = A[k * 64 + tx]\n"
 "            if k > 0:\n"
 "                " SYNC
 "            C[k * 64 + tx] = S[63 - tx]\n"
 "            " SYNC, .want = VSAFETY_RACE},
{"rule 19: in all iterations, by a condition", F1("A", 256) ", " F1("C", 256),
 SHARED TX(64)
 "        for k in range(4):\n"
 "            S[tx] = A[k * 64 + tx]\n"
 "            if k >= 0:\n"
 "                " SYNC
 "            C[k * 64 + tx] = S[63 - tx]\n"
 "            " SYNC, .want = VSAFETY_NONE},
{"rule 19: in a loop that may not run", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((n,), \"float32\"), C: T.Buffer((64,), \"float32\")",
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        for k in range(n - 1):\n"
 "            " SYNC
 "        C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 19: in a loop that runs", "A: T.Buffer((64,), \"float32\"), B: T.Buffer((n,), \"float32\"), C: T.Buffer((64,), \"float32\")",
 SHARED TX(64)
 "        S[tx] = A[tx]\n"
 "        for k in range(n):\n"
 "            " SYNC
 "        C[tx] = S[63 - tx]\n", .want = VSAFETY_NONE},
{"rule 19: the next iteration's barrier", F1("A", 320) ", " F1("C", 320),
 "    S = T.alloc_buffer((3, 64), scope=\"shared\")\n"
 TX(64)
 "        S[0, tx] = A[tx]\n"
 "        for k in range(4):\n"
 "            S[(k + 1) % 3, tx] = A[k * 64 + 64 + tx]\n"
 "            " SYNC
 "            C[k * 64 + tx] = S[k % 3, 63 - tx]\n", .want = VSAFETY_NONE},
{"rule 19: the next iteration's barrier, a slot short", F1("A", 320) ", " F1("C", 320),
 "    S = T.alloc_buffer((2, 64), scope=\"shared\")\n"
 TX(64)
 "        S[0, tx] = A[tx]\n"
 "        for k in range(4):\n"
 "            S[(k + 1) % 2, tx] = A[k * 64 + 64 + tx]\n"
 "            " SYNC
 "            C[k * 64 + tx] = S[k % 2, 63 - tx]\n", .want = VSAFETY_RACE},
{"rule 19: a warp's barrier orders no global memory", ADC64,
 TX(32)
 "        D[tx] = A[tx]\n"
 "        " WSYNC
 "        C[tx] = D[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 19: a block's barrier does", ADC64,
 TX(32)
 "        D[tx] = A[tx]\n"
 "        " SYNC
 "        C[tx] = D[31 - tx]\n", .want = VSAFETY_NONE},
{"rule 19: but not of other blocks", ADC64,
 BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            D[bx * 32 + tx] = A[bx * 32 + tx]\n"
 "            " SYNC
 "            C[bx * 32 + tx] = D[63 - (bx * 32 + tx)]\n", .want = VSAFETY_RACE},
{"rule 19: a warp's barrier for its storage", ADC64,
 WARP TX(32)
 "        W[tx] = A[tx]\n"
 "        " WSYNC
 "        C[tx] = W[31 - tx]\n", .want = VSAFETY_NONE},
{"rule 19: and not before it", ADC64,
 WARP TX(32)
 "        " WSYNC
 "        W[tx] = A[tx]\n"
 "        C[tx] = W[31 - tx]\n", .want = VSAFETY_RACE},
/* ---- implicit barriers */
{"rule 3: implied for warp", ADC64,
 WARP TX(32)
 "        W[tx] = A[tx]\n"
 "        C[tx] = W[31 - tx]\n", .want = VSAFETY_NONE},
{"rule 3: implied for warp beside explicit ones for shared", AC64,
 WARP TX(32)
 "        W[tx] = A[tx]\n"
 "        C[tx] = W[31 - tx]\n"
 "        " SYNC, .want = VSAFETY_NONE},
{"rule 3: implied for shared beside explicit ones for warp", AC64,
 SHARED TX(32)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[31 - tx]\n"
 "        " WSYNC, .want = VSAFETY_NONE},
{"rule 3: implied for shared.dyn", AC64,
 "    S = T.alloc_buffer((64,), scope=\"shared.dyn\")\n" TX(64)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[63 - tx]\n", .want = VSAFETY_NONE},
{"rule 19: explicit ones for shared are for shared.dyn, too", AC64,
 "    S = T.alloc_buffer((64,), scope=\"shared.dyn\")\n" TX(64)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[63 - tx]\n"
 "        " SYNC, .want = VSAFETY_RACE},
{"rule 3: the arms of one condition have none between them", AC64,
 SHARED TX(64)
 "        if tx < 32:\n"
 "            S[tx] = A[tx]\n"
 "        else:\n"
 "            C[tx] = S[tx - 32]\n", .want = VSAFETY_RACE},
{"rule 3: the arms of a condition of the whole block", AC64,
 SHARED BX(2)
 "        for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "            if bx < 1:\n"
 "                S[tx] = A[tx]\n"
 "            else:\n"
 "                S[63 - tx] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 3: the arms of one condition below a sequence", AC64,
 SHARED TX(64)
 "        if tx < 32:\n"
 "            C[tx] = A[tx]\n"
 "            S[tx] = A[tx]\n"
 "        else:\n"
 "            C[tx] = A[tx]\n"
 "            S[tx - 32] = A[tx]\n", .want = VSAFETY_RACE},
{"rule 3: two conditions one after the other", AC64,
 SHARED TX(64)
 "        if tx < 32:\n"
 "            S[tx] = A[tx]\n"
 "        if tx >= 32:\n"
 "            C[tx] = S[tx - 32]\n", .want = VSAFETY_NONE},
{"rule 3: below a loop of as many iterations as the thread says", AC64,
 SHARED TX(64)
 "        for k in range(tx // 32 + 1):\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: below a loop that begins where the thread says", AC64,
 SHARED TX(64)
 "        for k in range(tx // 32, tx // 32 + 2):\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: at the end of a loop of as many iterations as the thread says", AC64,
 SHARED TX(2)
 "        for k in range(2 - tx):\n"
 "            S[tx + k] = A[tx * 4 + k]\n", .want = VSAFETY_RACE},
{"rule 3: at the end of a loop of as many iterations for all", AC64,
 SHARED TX(2)
 "        for k in range(2):\n"
 "            S[tx + k] = A[tx * 4 + k]\n", .want = VSAFETY_NONE},
{"rule 3: none at the end of a vectorised loop", AC64,
 SHARED TX(2)
 "        for k in T.vectorized(2):\n"
 "            S[tx + k] = A[tx * 4 + k]\n", .want = VSAFETY_RACE},
{"rule 3: a vectorised loop, each thread by itself", AC64,
 SHARED TX(2)
 "        for k in T.vectorized(2):\n"
 "            S[tx * 2 + k] = A[tx * 4 + k]\n", .want = VSAFETY_NONE},
{"rule 3: below a loop of as many iterations as the block says", AC128,
 SHARED BX(2)
 "        for tx in T.thread_binding(64, thread=\"threadIdx.x\"):\n"
 "            for k in range(bx + 1):\n"
 "                S[tx] = A[tx]\n"
 "                C[bx * 64 + tx] = S[63 - tx]\n", .want = VSAFETY_NONE},
{"rule 3: below a condition on a variable of the thread", AC64,
 SHARED TX(64)
 "        half: T.let[T.int32] = tx // 32\n"
 "        if half < 1:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: below a condition on an element of the thread", I1("X", 64) ", " AC64,
 SHARED TX(64)
 "        if X[tx] > 0:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: below a condition on an element of all", I1("X", 64) ", " AC64,
 SHARED TX(64)
 "        if X[0] > 0:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_NONE},
{"rule 3: below a condition on an element that is written", I1("X", 64) ", " AC64,
 "    F = T.alloc_buffer((64,), \"int32\", scope=\"local\")\n"
 SHARED TX(64)
 "        F[0] = X[tx]\n"
 "        if F[0] > 0:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: below a loop inside of which all is the same", AC64,
 SHARED TX(64)
 "        for k in range(4):\n"
 "            S[tx] = A[tx] + T.Cast(\"float32\", k)\n"
 "            C[tx] = S[63 - tx]\n", .want = VSAFETY_NONE},
{"rule 3: in another loop below a condition on threads", AC64,
 SHARED TX(64)
 "        if tx < 32:\n"
 "            for k in range(2):\n"
 "                S[tx] = A[tx]\n"
 "            for k in range(2):\n"
 "                C[tx] = S[31 - tx]\n", .want = VSAFETY_RACE},
{"rule 3: the condition stands around one of them only", AC64,
 SHARED TX(64)
 "        if tx < 32:\n"
 "            S[tx] = A[tx]\n"
 "        C[tx] = S[31 - tx % 32]\n", .want = VSAFETY_NONE},
/* ---- atomics */
{"rule 24: atomics do not race with each other", I1("A", 64) ", " I1("C", 1),
 TX(64)
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[tx]))\n", .want = VSAFETY_NONE},
{"rule 24: with a plain store they do", I1("A", 64) ", " I1("C", 1),
 TX(64)
 "        C[0] = 0\n"
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), A[tx]))\n", .want = VSAFETY_RACE},
{"rule 24: what an atomic adds is read as any other", I1("B", 1) ", " I1("C", 1),
 TX(64)
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), B[0]))\n"
 "        T.evaluate(T.cuda.atomic_add(T.address_of(B[0]), 1))\n", .want = VSAFETY_RACE},
/* ---- reductions across threads */
{"rule 27: partial results do not race", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 TX(32)
 "        for k in range(1):\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "        C[tx] = red[0]\n", .want = VSAFETY_NONE},
{"rule 27: one result for all threads", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 TX(32)
 "        for k in range(1):\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "        C[0] = red[0]\n", .want = VSAFETY_NONE},
{"rule 27: two reductions have two results", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 TX(32)
 "        for k in range(2):\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "            C[0] = red[0]\n", .want = VSAFETY_RACE},
{"rule 27: so have two blocks", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 BX(2)
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "            C[0] = red[0]\n", .want = VSAFETY_RACE},
{"rule 28: two rows of threads each sum in an order of their own", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 "    for ty in T.thread_binding(2, thread=\"threadIdx.y\"):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "            C[0] = red[0]\n", .want = VSAFETY_RACE},
{"rule 28: each row has a cell of its own", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 "    for ty in T.thread_binding(2, thread=\"threadIdx.y\"):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "            C[ty] = red[0]\n", .want = VSAFETY_NONE},
{"rule 25: the lanes of one warp store one product", WMMA_PARAMS,
 WMMA_FRAGMENTS
 TX(32)
 WMMA("        ", "0"), .want = VSAFETY_NONE},
{"rule 28: two warps each sum in an order of their own", WMMA_PARAMS,
 WMMA_FRAGMENTS
 TX(64)
 WMMA("        ", "0"), .want = VSAFETY_RACE},
{"rule 28: two warps that store to tiles of their own", WMMA_PARAMS,
 WMMA_FRAGMENTS
 TX(64)
 WMMA("        ", "tx // 32 * 256"), .want = VSAFETY_NONE},
{"rule 28: two rows of threads are two warps", WMMA_PARAMS,
 WMMA_FRAGMENTS
 "    for ty in T.thread_binding(2, thread=\"threadIdx.y\"):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 WMMA("            ", "0"), .want = VSAFETY_RACE},
{"rule 27: a false condition is reached as well", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 TX(32)
 "        for k in range(1):\n"
 "            " SUM("red[0]", "A[tx]", "tx < 16")
 "        C[tx] = red[0]\n", .want = VSAFETY_NONE},
{"rule 27: not a condition around it", F1("A", 32) ", " F1("C", 32),
 "    red = T.alloc_buffer((1,), \"float32\", scope=\"local\")\n"
 TX(32)
 "        if tx < 16:\n"
 "            " SUM("red[0]", "A[tx]", "T.bool(True)")
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
/* ---- barriers are met by all */
{"rule 21: the number of iterations", AC64,
 TX(64)
 "        for k in range(tx % 2 + 1):\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: the first iteration", AC64,
 TX(64)
 "        for k in range(tx % 2, tx % 2 + 2):\n"
 "            if k < 2:\n"
 "                " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: the else arm", AC64,
 TX(64)
 "        if tx < 32:\n"
 "            C[tx] = A[tx]\n"
 "        else:\n"
 "            " SYNC, .want = VSAFETY_DIVERGENCE},
{"rule 21: the other axis", AC64,
 TX(32) TY(2)
 "            if ty < 1:\n"
 "                " SYNC
 "            C[tx * 2 + ty] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: virtual threads", AC64,
 "    for vx in T.thread_binding(2, thread=\"vthread.x\"):\n"
 "        for tx in T.thread_binding(32, thread=\"threadIdx.x\"):\n"
 "            if vx < 1:\n"
 "                " SYNC
 "            C[vx * 32 + tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: a condition that always holds", AC64,
 TX(64)
 "        if tx < 64:\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 21: a condition that holds for all but the last", AC64,
 TX(64)
 "        if tx < 63:\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: iterations by themselves", AC64,
 TX(64)
 "        for k in range(4):\n"
 "            if k < 2:\n"
 "                " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 21: iterations and threads together", AC64,
 TX(64)
 "        for k in range(4):\n"
 "            if tx + k < 66:\n"
 "                " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: an element of all", I1("X", 64) ", " AC64,
 TX(64)
 "        if X[0] > 0:\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_NONE},
{"rule 21: an element of each", I1("X", 64) ", " AC64,
 TX(64)
 "        if X[tx] > 0:\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: a variable of the thread", AC64,
 TX(64)
 "        half: T.let[T.int32] = tx // 32\n"
 "        if half < 1:\n"
 "            " SYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
{"rule 21: a warp's barrier, half of it", AC64,
 WARP TX(32)
 "        W[tx] = A[tx]\n"
 "        if tx < 16:\n"
 "            " WSYNC
 "        C[tx] = A[tx]\n", .want = VSAFETY_DIVERGENCE},
};
// clang-format on

int main(void)
{
    return safety_main(cases, DC_ARRAY_LEN(cases));
}
