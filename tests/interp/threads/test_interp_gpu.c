/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules of docs/semantics.md about threads: copies of storage, barriers,
 * races, divergence, cross-thread reductions. Expected values by hand.
 */
#include "tests/interp/interp_case.h"

#define I1(name, n) name ": T.Buffer((" #n ",), \"int32\")"
#define TX(n) \
    "    for tx in T.thread_binding(" #n ", thread=\"threadIdx.x\"):\n"
#define SHARED "    S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
#define SYNC   "        T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
/* Of three threads' partials, the others 50 and -50. */
#define CUT_OFF(first)                                                       \
    "    R = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n" TX(         \
        3) "        with T.attr(T.comm_reducer(lambda x, y: T.min(x + y, "   \
           "100), "                                                          \
           "[0]), \"reduce_scope\", T.reinterpret(\"handle\", "              \
           "T.uint64(0))):\n"                                                \
           "            T.tvm_thread_allreduce(T.uint32(1), T.Select(tx == " \
           "0, " first ", T.Select(tx == 1, 50, -50)), True, R[0], tx)\n"    \
           "        C[0] = R[0]\n"

// clang-format off
static const struct interp_case cases[] = {
/* rules 2, 31 */
{"rule 2: a nested loop of one tag starts no threads", I1("C", 4),
 TX(4)
 "        for ty in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            C[tx] = C[tx] + 10 * ty\n", .want = "1 12 23 34"},
{"rule 2: different extents in a nest", I1("C", 4),
 TX(4)
 "        for ty in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            C[tx] = ty\n", .fault = INTERP_UNSUPPORTED,
 .message = "ill-formed thread extents"},
{"rule 31: different extents of siblings", I1("C", 4),
 "    for bx in T.thread_binding(1, thread=\"blockIdx.x\"):\n"
 "        for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            C[tx] = 1\n"
 "        for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            C[tx] = 1\n", .fault = INTERP_UNSUPPORTED,
 .message = "ill-formed thread extents"},
/* rule 3 */
{"rule 3: a barrier is supplied between write and read", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[3 - tx]\n", .want = "4 3 2 1", .implicit = true},
{"rule 3: and at the back edge of a loop", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        for k in range(3):\n"
 "            S[tx] = A[tx] + k\n"
 "            C[tx] = S[3 - tx]\n", .want = "6 5 4 3", .implicit = true},
{"rule 3: and at that of a loop of one store", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        for k in range(3):\n"
 "            S[(tx + k) % 4] = A[tx]\n"
 "        C[tx] = S[tx]\n", .want = "3 4 1 2", .implicit = true},
{"rule 3: nor at that of a loop of one store", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        for k in range(3):\n"
 "            S[(tx + k) % 4] = A[tx]\n"
 "        C[tx] = A[tx]\n", .fault = INTERP_RACE, .no_implied = true},
{"rule 3: parts of one element, each of another thread", I1("C", 2),
 "    S = T.alloc_buffer((2,), \"int32\", scope=\"shared\")\n"
 TX(2)
 "        N = T.decl_buffer((4,), \"int16\", data=S.data, scope=\"shared\")\n"
 "        if tx == 0:\n"
 "            S[0] = 9\n"
 SYNC
 "        N[tx] = T.Cast(\"int16\", tx + 5)\n"
 "        C[tx] = T.Cast(\"int32\", N[tx])\n", .want = "5 6"},
{"rule 3: a wide access of what a narrow one of another thread wrote", I1("C", 2),
 "    S = T.alloc_buffer((4,), \"int16\", scope=\"shared\")\n"
 TX(2)
 "        D = T.decl_buffer((2,), \"int32\", data=S.data, scope=\"shared\")\n"
 SYNC
 "        if tx == 1:\n"
 "            S[1] = T.int16(3)\n"
 "        if tx == 0:\n"
 "            D[0] = 9\n", .fault = INTERP_RACE},
{"rule 4: an atomic update and a plain store", I1("C", 1),
 TX(2)
 "        if tx == 0:\n"
 "            T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), 1))\n"
 "        if tx == 1:\n"
 "            C[0] = 5\n", .fault = INTERP_RACE, .message = "buffer 'C'"},
{"rule 4: a plain store and an atomic update", I1("C", 1),
 TX(2)
 "        if tx == 0:\n"
 "            C[0] = 5\n"
 "        if tx == 1:\n"
 "            T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), 1))\n",
 .fault = INTERP_RACE, .message = "buffer 'C'"},
{"rule 4: atomic updates", I1("C", 1),
 TX(4)
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), tx))\n", .want = "7"},
{"rule 3: the second of two readers counts, too", I1("A", 4) ", " I1("C", 4),
 SHARED TX(2)
 "        if tx == 0:\n"
 "            S[0] = A[0]\n"
 SYNC
 "        C[tx] = S[0]\n"
 "        if tx == 0:\n"
 "            S[0] = A[1]\n", .fault = INTERP_RACE, .message = "buffer 'S'"},
{"rule 3: one that reads what it writes later does not race with itself",
 I1("A", 4) ", " I1("C", 4),
 SHARED TX(2)
 "        if tx == 0:\n"
 "            S[0] = A[0]\n"
 SYNC
 "        if tx == 0:\n"
 "            C[tx] = S[0]\n"
 "            S[0] = A[1]\n", .want = "1 12 13 14"},
{"rule 3: how many, and where the first stands", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[3 - tx]\n"
 "        S[tx] = A[tx] + C[tx]\n"
 "        C[tx] = S[tx]\n", .want = "5 5 5 5", .implicit = true, .nimplied = 2,
 .implied = "C[tx] = S[3 - tx]"},
{"rule 3: none is implied where only some threads come", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        if tx < 2:\n"
 "            S[tx] = A[tx]\n"
 "            C[tx] = S[1 - tx]\n", .fault = INTERP_RACE, .message = "buffer 'S'"},
{"rule 3: none is implied where that is asked for", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[3 - tx]\n", .fault = INTERP_RACE, .message = "buffer 'S'",
 .no_implied = true},
{"rule 3: nor at the back edge", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        for k in range(3):\n"
 "            S[tx] = A[tx] + k\n"
 "            C[tx] = S[tx ^ (k % 2)]\n", .fault = INTERP_RACE,
 .no_implied = true},
{"rule 3: what needs none has none", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[tx]\n", .want = "1 2 3 4", .no_implied = true},
{"rule 3: an explicit barrier is enough", I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 SYNC
 "        C[tx] = S[3 - tx]\n", .want = "4 3 2 1"},
{"rule 3: with one explicit barrier only explicit ones count",
 I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[3 - tx]\n"
 SYNC, .fault = INTERP_RACE, .message = "buffer 'S'"},
{"rule 3: explicit barriers must also cover the back edge",
 I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        for k in range(3):\n"
 "            S[tx] = A[tx] + k\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[3 - tx]\n", .fault = INTERP_RACE},
{"rule 3: no barrier is supplied where threads keep to themselves",
 I1("A", 4) ", " I1("C", 4),
 SHARED TX(4)
 "        S[tx] = A[tx]\n"
 "        C[tx] = S[tx]\n", .want = "1 2 3 4"},
/* rule 4 */
{"rule 4: local has a copy per thread", I1("C", 4),
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 TX(4)
 "        L[0] = tx\n"
 "        C[tx] = L[0]\n", .want = "0 1 2 3"},
{"rule 4: what another thread put in local is not there", I1("C", 4),
 "    L = T.alloc_buffer((4,), \"int32\", scope=\"local\")\n"
 TX(4)
 "        L[tx] = tx\n"
 "        C[tx] = L[0]\n", .want = "0 ? ? ?"},
{"rule 4: shared starts afresh in each block", I1("C", 2),
 "    S = T.alloc_buffer((2,), \"int32\", scope=\"shared\")\n"
 "    for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
 "        for tx in T.thread_binding(1, thread=\"threadIdx.x\"):\n"
 "            S[bx] = 5\n"
 "            C[bx] = S[0]\n", .want = "5 ?"},
{"rule 4: shared storage of an iteration is undefined in the next",
 I1("C", 4),
 TX(2)
 "        for k in range(2):\n"
 "            S = T.decl_buffer((2,), \"int32\", scope=\"shared\")\n"
 "            if k == 0:\n"
 "                S[tx] = 5\n"
 "            C[k * 2 + tx] = S[tx]\n", .want = "5 5 ? ?"},
{"rule 4: warp is shared by a warp", I1("C", 64),
 "    W = T.alloc_buffer((2,), \"int32\", scope=\"warp\")\n"
 TX(64)
 "        if tx % 32 == 0:\n"
 "            W[0] = tx\n"
 "        C[tx] = T.if_then_else(tx % 16 == 0, W[0], 7)\n",
 .want = "0 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 0 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 "
         "32 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 32 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7",
 .implicit = true},
{"rule 4: warp storage of an iteration, too", I1("C", 64),
 TX(64)
 "        W = T.decl_buffer((2,), \"int32\", scope=\"warp\")\n"
 "        if tx % 32 == 0:\n"
 "            W[0] = tx\n"
 "        C[tx] = T.if_then_else(tx % 16 == 0, W[0], 7)\n",
 .want = "0 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 0 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 "
         "32 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 32 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7",
 .implicit = true},
{"rule 4: and each of three warps has its own", I1("C", 3),
 TX(96)
 "        W = T.decl_buffer((2,), \"int32\", scope=\"warp\")\n"
 "        if tx % 32 == 0:\n"
 "            W[0] = tx\n"
 "        C[tx // 32] = W[0]\n", .want = "0 32 64", .implicit = true},
{"rule 4: threads write different bits", I1("C", 1),
 TX(4)
 "        C[0] = tx\n", .fault = INTERP_RACE, .message = "threadIdx.x 1"},
{"rule 4: one writes another value after equal ones", I1("C", 1),
 TX(2)
 "        C[0] = 7\n"
 "        if tx == 1:\n"
 "            C[0] = 9\n", .fault = INTERP_RACE},
{"rule 4: one writes another value before equal ones", I1("C", 1),
 TX(2)
 "        if tx == 0:\n"
 "            C[0] = 5\n"
 "        C[0] = 7\n", .fault = INTERP_RACE},
{"rule 28: each barrier ends a set of equal writes", I1("C", 1),
 TX(2)
 "        C[0] = 5\n"
 SYNC
 "        C[0] = 7\n", .want = "7"},
{"rule 28: threads write equal bits and read them back",
 I1("S", 1) ", " I1("C", 4),
 TX(4)
 "        S[0] = 7\n"
 "        C[tx] = S[0]\n", .want = "7 7 7 7"},
{"rule 28: the same statement by statement", I1("S", 1) ", " I1("C", 4),
 TX(4)
 "        S[0] = 7\n"
 "        C[tx] = S[0] + tx\n"
 SYNC
 "        C[tx] = C[tx] * 2\n", .want = "14 16 18 20"},
{"rule 28: one that has not written reads", I1("S", 1) ", " I1("C", 4),
 TX(4)
 "        if tx < 2:\n"
 "            S[0] = 7\n"
 "        C[tx] = S[0] + tx\n"
 SYNC, .fault = INTERP_RACE},
{"rule 4: shared storage made in a loop is one for all iterations",
 I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((4,), \"int32\", scope=\"shared\")\n"
 "            S[tx] = A[tx] + r\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[3 - tx]\n", .fault = INTERP_RACE, .message = "buffer 'S'"},
{"rule 4: a barrier at the back edge orders them", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((4,), \"int32\", scope=\"shared\")\n"
 "            S[tx] = A[tx] + r\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[3 - tx]\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n", .want = "5 4 3 2"},
{"rule 4: so does an implied one", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((4,), \"int32\", scope=\"shared\")\n"
 "            S[tx] = A[tx] + r\n"
 "            C[tx] = S[3 - tx]\n", .want = "5 4 3 2", .implicit = true,
 .nimplied = 2},
{"rule 4: cells of two iterations are no conflict", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
 "            S[r * 4 + tx] = A[tx] + r\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[r * 4 + 3 - tx]\n", .want = "5 4 3 2"},
{"rule 4: but neighbouring windows that meet are", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((8,), \"int32\", scope=\"shared\")\n"
 "            S[r + tx] = A[tx] + r\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[r + 3 - tx]\n", .fault = INTERP_RACE},
{"rule 4: it is undefined at the iteration's start", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((4,), \"int32\", scope=\"shared\")\n"
 "            if r == 0:\n"
 "                S[tx] = A[tx]\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[tx] = S[tx]\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n", .want = "? ? ? ?"},
{"rule 4: equal bits in all iterations are benign", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(3):\n"
 "            S = T.alloc_buffer((1,), \"int32\", scope=\"shared\")\n"
 "            S[0] = 7\n"
 "            C[tx] = S[0]\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared.dyn\"))\n",
 .want = "7 7 7 7"},
{"rule 4: one block's is not another one's", I1("A", 4) ", " I1("C", 4),
 "    for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
 "        for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            S = T.alloc_buffer((2,), \"int32\", scope=\"shared\")\n"
 "            S[tx] = A[bx * 2 + tx]\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[bx * 2 + tx] = S[1 - tx]\n", .want = "2 1 4 3"},
{"rule 4: local storage in a loop is a thread's own", I1("A", 4) ", " I1("C", 4),
 TX(4)
 "        for r in range(2):\n"
 "            S = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "            S[0] = A[tx] + r\n"
 "            C[tx] = S[0]\n", .want = "2 3 4 5"},
/* rule 5 */
{"rule 5: a sum over threads", "A: T.Buffer((2, 8), \"int32\"), " I1("C", 2),
 "    for i in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
 "        for k0 in range(2):\n"
 "            for k1 in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "                with T.sblock(\"c\"):\n"
 "                    vi = T.axis.spatial(2, i)\n"
 "                    vk = T.axis.reduce(8, k0 * 4 + k1)\n"
 "                    with T.init():\n"
 "                        C[vi] = 0\n"
 "                    C[vi] = C[vi] + A[vi, vk]\n", .want = "36 100"},
{"rule 5: every thread sees the result", I1("A", 4) ", " I1("C", 4),
 "    with T.sblock(\"root\"):\n"
 "        R = T.sblock_alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "        for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            with T.sblock(\"r\"):\n"
 "                vk = T.axis.reduce(4, tx)\n"
 "                with T.init():\n"
 "                    R[0] = 0\n"
 "                R[0] = R[0] + A[vk]\n"
 "            with T.sblock(\"c\"):\n"
 "                v = T.axis.spatial(4, tx)\n"
 "                C[v] = R[0] + v\n", .want = "10 11 12 13"},
{"rule 5: so do those whose predicate is false", I1("A", 4) ", " I1("C", 4),
 "    with T.sblock(\"root\"):\n"
 "        R = T.sblock_alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "        for tx in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            with T.sblock(\"r\"):\n"
 "                vk = T.axis.reduce(4, tx)\n"
 "                T.where(tx < 3)\n"
 "                with T.init():\n"
 "                    R[0] = 0\n"
 "                R[0] = R[0] + A[vk]\n"
 "            with T.sblock(\"c\"):\n"
 "                v = T.axis.spatial(4, tx)\n"
 "                C[v] = R[0]\n", .want = "6 6 6 6"},
{"rule 5: a thread that takes no part at first", I1("A", 4) ", " I1("C", 1),
 TX(2)
 "        for k in range(2):\n"
 "            with T.sblock(\"r\"):\n"
 "                vk = T.axis.reduce(4, k * 2 + tx)\n"
 "                T.where(k > 0)\n"
 "                with T.init():\n"
 "                    C[0] = 0\n"
 "                C[0] = C[0] + A[vk]\n", .want = "7"},
{"rule 4: large shared storage, too", I1("C", 4),
 TX(2)
 "        for k in range(2):\n"
 "            S = T.decl_buffer((9000,), \"int32\", scope=\"shared\")\n"
 "            if k == 0:\n"
 "                S[tx * 7000] = 5\n"
 "            C[k * 2 + tx] = S[tx * 7000]\n", .want = "5 5 ? ?"},
{"rule 5: one thread alone takes part", I1("A", 4) ", " I1("C", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            T.where(tx < 1)\n"
 "            with T.init():\n"
 "                C[0] = 0\n"
 "            C[0] = C[0] + A[vk]\n", .want = "1"},
{"rule 5: argmax, ties go to the first", I1("A", 4) ", " I1("V", 1) ", " I1("I", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                V[0] = -1000\n"
 "                I[0] = -1\n"
 "            v: T.let[T.int32] = T.Select(V[0] >= A[vk] % 4, V[0], A[vk] % 4)\n"
 "            w: T.let[T.int32] = T.Select(V[0] >= A[vk] % 4, I[0], vk)\n"
 "            V[0] = v\n"
 "            I[0] = w\n", .want = "2"},
{"rule 5: serial loops around the threads and inside", "A: T.Buffer((2, 8), \"int32\"), " I1("C", 2),
 "    for i, k0 in T.grid(2, 2):\n"
 "        for k1 in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            for k2 in range(2):\n"
 "                with T.sblock(\"c\"):\n"
 "                    vi = T.axis.spatial(2, i)\n"
 "                    vk = T.axis.reduce(8, k0 * 4 + k1 * 2 + k2)\n"
 "                    with T.init():\n"
 "                        C[vi] = 0\n"
 "                    C[vi] = C[vi] + A[vi, vk]\n", .want = "36 100"},
{"rule 5: a predicate that is false for every thread leaves the identity",
 I1("A", 4) ", " I1("C", 2),
 "    for i in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
 "        for k in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            with T.sblock(\"c\"):\n"
 "                vi = T.axis.spatial(2, i)\n"
 "                vk = T.axis.reduce(4, k)\n"
 "                T.where(i * 4 + k < 3)\n"
 "                with T.init():\n"
 "                    C[vi] = 7\n"
 "                C[vi] = C[vi] + A[vk]\n", .want = "27 7"},
{"rule 5: what it says of spatial iterators is whether there is a reduction",
 I1("A", 4) ", " I1("C", 2),
 "    for i in T.thread_binding(3, thread=\"blockIdx.x\"):\n"
 "        for k in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "            with T.sblock(\"c\"):\n"
 "                vi = T.axis.spatial(2, i)\n"
 "                vk = T.axis.reduce(4, k)\n"
 "                T.where(i < 1 and k < 2)\n"
 "                with T.init():\n"
 "                    C[vi] = 0\n"
 "                C[vi] = C[vi] + A[vk]\n", .want = "3 12"},
{"rule 4: storage of a block between two bindings of its threads",
 "A: T.Buffer((2, 4), \"int32\"), C: T.Buffer((2, 4), \"int32\")",
 "    with T.sblock(\"root\"):\n"
 "        S = T.sblock_alloc_buffer((2,), \"int32\", scope=\"shared\")\n"
 "        for i in range(2):\n"
 "            for k in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "                with T.sblock(\"s\"):\n"
 "                    vi = T.axis.spatial(2, i)\n"
 "                    vk = T.axis.reduce(4, k)\n"
 "                    with T.init():\n"
 "                        S[vi] = 0\n"
 "                    S[vi] = S[vi] + A[vi, vk]\n"
 "            for j in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "                with T.sblock(\"c\"):\n"
 "                    vi, vj = T.axis.remap(\"SS\", [i, j])\n"
 "                    C[vi, vj] = S[vi] - A[vi, vj]\n",
 .want = "9 8 7 6 21 20 19 18"},
{"rule 4: and what was there before one of them is lost without a barrier",
 I1("A", 4) ", " I1("C", 4),
 "    with T.sblock(\"root\"):\n"
 "        S = T.sblock_alloc_buffer((4,), \"int32\", scope=\"shared\")\n"
 "        for i in range(2):\n"
 "            for k in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "                S[k] = A[k] + i\n"
 "            for j in T.thread_binding(4, thread=\"threadIdx.x\"):\n"
 "                C[j] = S[3 - j]\n", .fault = INTERP_RACE, .no_implied = true},
{"rule 5: a combiner with a conversion", "A: T.Buffer((4,), \"float32\"), C: T.Buffer((1,), \"float16\")",
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                C[0] = T.float16(0)\n"
 "            C[0] = C[0] + T.Cast(\"float16\", A[vk])\n", .want = "10.0"},
{"rule 5: argmax, a tie between threads leaves the order open", I1("A", 4) ", " I1("V", 1) ", " I1("I", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                V[0] = -1000\n"
 "                I[0] = -1\n"
 "            v: T.let[T.int32] = T.Select(V[0] >= A[vk] // 3, V[0], A[vk] // 3)\n"
 "            w: T.let[T.int32] = T.Select(V[0] >= A[vk] // 3, I[0], vk)\n"
 "            V[0] = v\n"
 "            I[0] = w\n", .want = "2", .open = true},
{"rule 5: argmax, a tie below the largest does not", I1("A", 4) ", " I1("V", 1) ", " I1("I", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                V[0] = -1000\n"
 "                I[0] = -1\n"
 "            v: T.let[T.int32] = T.Select(V[0] >= A[vk] // 2, V[0], A[vk] // 2)\n"
 "            w: T.let[T.int32] = T.Select(V[0] >= A[vk] // 2, I[0], vk)\n"
 "            V[0] = v\n"
 "            I[0] = w\n", .want = "3"},
{"rule 5: argmax, the first and the last of a tie agree, the middle one does not",
 I1("A", 4) ", " I1("V", 1) ", " I1("I", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                V[0] = -1000\n"
 "                I[0] = -1\n"
 "            v: T.let[T.int32] = T.Select(V[0] >= T.min(A[vk], 2), V[0], "
 "T.min(A[vk], 2))\n"
 "            w: T.let[T.int32] = T.Select(V[0] >= T.min(A[vk], 2), I[0], "
 "vk % 2)\n"
 "            V[0] = v\n"
 "            I[0] = w\n", .want = "1", .open = true},
{"rule 5: argmax with a rule for ties", I1("A", 4) ", " I1("V", 1) ", " I1("I", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                V[0] = -1000\n"
 "                I[0] = -1\n"
 "            v: T.let[T.int32] = T.Select(V[0] > A[vk] // 3 or (V[0] == A[vk] // 3 and I[0] < vk), V[0], A[vk] // 3)\n"
 "            w: T.let[T.int32] = T.Select(V[0] > A[vk] // 3 or (V[0] == A[vk] // 3 and I[0] < vk), I[0], vk)\n"
 "            V[0] = v\n"
 "            I[0] = w\n", .want = "2"},
{"rule 5: another combiner is refused by name", I1("A", 4) ", " I1("C", 1),
 TX(4)
 "        with T.sblock(\"r\"):\n"
 "            vk = T.axis.reduce(4, tx)\n"
 "            with T.init():\n"
 "                C[0] = 0\n"
 "            C[0] = A[vk] + C[0] * 2 + 1\n", .fault = INTERP_UNSUPPORTED,
 .message = "cross-thread reduction"},
{"rule 5: a sum that is cut off, from the last partial on", I1("A", 3) ", " I1("C", 1),
 CUT_OFF("100"), .want = "50", .open = true},
{"rule 5: one that does not come so far", I1("A", 3) ", " I1("C", 1),
 CUT_OFF("40"), .want = "40"},
/* rule 18 */
{"rule 18: a write of what this block has read, and one before it", I1("B", 1) ", " I1("C", 2),
 "    for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
 "        C[bx] = B[0]\n"
 "        if bx == 1:\n"
 "            B[0] = 5\n", .fault = INTERP_RACE, .message = "buffer 'B'"},
{"rule 18: a write of what this block alone has read", I1("B", 1) ", " I1("C", 2),
 "    for bx in T.thread_binding(2, thread=\"blockIdx.x\"):\n"
 "        C[bx] = 3\n"
 "        if bx == 1:\n"
 "            C[bx] = B[0]\n"
 "            B[0] = 5\n", .want = "3 1"},
{"rule 18: kernels in sequence are ordered", I1("B", 4) ", " I1("C", 4),
 "    for bx in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
 "        B[bx] = bx\n"
 "    for bx in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
 "        C[bx] = B[3 - bx]\n", .want = "3 2 1 0"},
{"rule 18: blocks of one kernel never are", I1("B", 4) ", " I1("C", 4),
 "    for bx in T.thread_binding(4, thread=\"blockIdx.x\"):\n"
 "        B[bx] = bx\n"
 "        C[bx] = B[0]\n", .fault = INTERP_RACE},
/* rule 19, 17 */
{"rule 19: a shared barrier orders global memory too", I1("B", 4) ", " I1("C", 4),
 TX(4)
 "        B[tx] = tx\n"
 SYNC
 "        C[tx] = B[3 - tx]\n", .want = "3 2 1 0"},
{"rule 17: global memory gets no implicit barrier", I1("B", 4) ", " I1("C", 4),
 TX(4)
 "        B[tx] = tx\n"
 "        C[tx] = B[3 - tx]\n", .fault = INTERP_RACE},
/* rule 20 */
{"rule 20: a warp barrier orders the lanes of a warp", I1("B", 64) ", " I1("C", 2),
 TX(64)
 "        B[tx] = tx\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        if tx % 32 == 0:\n"
 "            C[tx // 32] = B[tx + 31]\n", .want = "31 63"},
{"rule 20: but not other warps", I1("B", 64) ", " I1("C", 2),
 TX(64)
 "        B[tx] = tx\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        if tx % 32 == 0:\n"
 "            C[tx // 32] = B[(tx + 32) % 64]\n", .fault = INTERP_RACE},
{"rule 20: of two readers neither is forgotten", I1("B", 1) ", " I1("C", 2),
 TX(64)
 "        if tx % 32 == 0:\n"
 "            C[tx // 32] = B[0]\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        if tx == 1:\n"
 "            B[0] = 5\n", .fault = INTERP_RACE},
{"rule 20: nor the other", I1("B", 1) ", " I1("C", 2),
 TX(64)
 "        if tx % 32 == 0:\n"
 "            C[tx // 32] = B[0]\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        if tx == 33:\n"
 "            B[0] = 5\n", .fault = INTERP_RACE},
{"rule 20: a reader of the writer's own warp is", I1("B", 1) ", " I1("C", 2),
 TX(64)
 "        if tx == 32:\n"
 "            C[1] = B[0]\n"
 "        T.evaluate(T.cuda.warp_sync())\n"
 "        if tx == 33:\n"
 "            B[0] = 5\n", .want = "11 1"},
/* rule 21 */
{"rule 21: a barrier in one arm", I1("C", 4),
 TX(4)
 "        if tx < 2:\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "        C[tx] = 1\n", .fault = INTERP_BARRIER_DIVERGENCE,
 .message = "2 of 4"},
{"rule 21: barriers in both arms are two", I1("C", 4),
 TX(4)
 "        if tx < 2:\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "        else:\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n",
 .fault = INTERP_BARRIER_DIVERGENCE},
{"rule 21: different trip counts", I1("C", 4),
 TX(4)
 "        for k in range(tx + 1):\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n",
 .fault = INTERP_BARRIER_DIVERGENCE},
{"rule 21: a condition all threads agree on is fine", I1("C", 4),
 TX(4)
 "        if C[0] == 1:\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "        C[tx] = 9\n", .want = "9 9 9 9", .fault = INTERP_OK},
{"rule 21: a thread that has returned", I1("C", 4),
 TX(4)
 "        if tx == 3:\n"
 "            T.evaluate(T.thread_return())\n"
 SYNC
 "        C[tx] = 9\n", .fault = INTERP_BARRIER_DIVERGENCE},
{"rule 21: lanes of a warp", I1("C", 4),
 TX(4)
 "        if tx < 2:\n"
 "            T.evaluate(T.cuda.warp_sync())\n"
 "        C[tx] = 9\n", .fault = INTERP_BARRIER_DIVERGENCE},
/* rule 24 */
{"rule 24: atomics do not race", I1("C", 1),
 TX(8)
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), tx))\n",
 .want = "29"},
{"rule 24: but with a plain access", I1("C", 1),
 TX(8)
 "        if tx == 7:\n"
 "            C[0] = 1\n"
 "        else:\n"
 "            T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), tx))\n",
 .fault = INTERP_RACE},
{"rule 24: a plain write is not hidden by an atomic of the same thread",
 I1("C", 1),
 TX(2)
 "        if tx == 0:\n"
 "            C[0] = 0\n"
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), tx))\n",
 .fault = INTERP_RACE},
{"rule 24: the last thread's atomic hides no other", I1("C", 1) ", " I1("D", 1),
 TX(2)
 "        T.evaluate(T.cuda.atomic_add(T.address_of(C[0]), 1))\n"
 "        if tx == 1:\n"
 "            D[0] = C[0]\n", .fault = INTERP_RACE},
/* rule 30 */
{"rule 30: local has a copy per virtual thread", I1("C", 4),
 "    L = T.alloc_buffer((1,), \"int32\", scope=\"local\")\n"
 "    for vx in T.thread_binding(2, thread=\"vthread.x\"):\n"
 "        for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            L[0] = vx * 2 + tx\n"
 "            C[vx * 2 + tx] = L[0]\n", .want = "0 1 2 3"},
{"rule 30: a barrier waits for all of them", I1("C", 4),
 "    S = T.alloc_buffer((4,), \"int32\", scope=\"shared\")\n"
 "    for vx in T.thread_binding(2, thread=\"vthread.x\"):\n"
 "        for tx in T.thread_binding(2, thread=\"threadIdx.x\"):\n"
 "            S[vx * 2 + tx] = vx * 2 + tx\n"
 "            T.evaluate(T.tvm_storage_sync(\"shared\"))\n"
 "            C[vx * 2 + tx] = S[3 - (vx * 2 + tx)]\n", .want = "3 2 1 0"},
/* lowered spelling */
{"launch_thread is the same as a bound loop", I1("A", 4) ", " I1("C", 4),
 "    bx = T.launch_thread(\"blockIdx.x\", 2)\n"
 "    tx = T.launch_thread(\"threadIdx.x\", 2)\n"
 "    C[bx * 2 + tx] = A[3 - (bx * 2 + tx)]\n", .want = "4 3 2 1"},
};
// clang-format on

int main(void)
{
    return case_main(cases, DC_ARRAY_LEN(cases));
}
