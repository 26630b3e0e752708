/* SPDX-License-Identifier: Apache-2.0
 *
 * Blocks that move below loops where indices are arithmetic of iterators, the
 * flags of such steps, and blocks that copy for some of the readers, in place,
 * or what indices are. Texts are what TVM 0.27 gives, checked against it, but
 * where a row says otherwise; refusals are programs that TVM 0.27 gets wrong
 * (those of its own faults are told by name), or refuses as well.
 */
#include "tests/schedule/schedule_case_internal.h"

#define MAIN(params) HEAD "def main(" params "):\n"
#define ROOM(name, shape) \
    "    " name " = T.sblock_alloc_buffer(" shape ", \"float32\")\n"
#define ARRAY(name, shape) name ": T.Buffer(" shape ", \"float32\")"
/* A block at each of m by n points. */
#define EACH(name, m, n, store)                           \
    "    for i, j in T.grid(" m ", " n "):\n"             \
    "        with T.sblock(\"" name "\"):\n"              \
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "            " store "\n"
/* B = A + 1 of 12 by 8, then C of m by n from it. */
#define PAIR(shape, m, n, store)                                 \
    MAIN(ARRAY("A", "(12, 8)") ", " ARRAY("C", shape))           \
    ROOM("B", "(12, 8)")                                         \
    EACH("B", "12", "8", "B[vi, vj] = A[vi, vj] + T.float32(1)") \
    EACH("C", m, n, store)

// clang-format off
static const char same[] =
    PAIR("(12, 8)", "12", "8", "C[vi, vj] = B[vi, vj] * T.float32(2)");
static const char strided[] =
    PAIR("(6, 4)", "6", "4", "C[vi, vj] = B[vi * 2, vj * 2]");
static const char shifted[] =
    PAIR("(10, 7)", "10", "7", "C[vi, vj] = B[vi + 2, vj + 1]");
static const char doubled[] =
    PAIR("(24, 16)", "24", "16", "C[vi, vj] = B[vi // 2, vj // 2]");
static const char reshaped[] =
    PAIR("(24, 4)", "24", "4",
         "C[vi, vj] = B[(vi * 4 + vj) // 8, (vi * 4 + vj) % 8]");
/* the consumer's rows start after the producer's: a fault of TVM's */
static const char padded[] =
    PAIR("(14, 8)", "14", "8",
         "C[vi, vj] = T.if_then_else(1 <= vi and vi < 13, B[vi - 1, vj], "
         "T.float32(0))");
/* reverse-compute-at-rotation, a fault of TVM's */
static const char rotated[] =
    PAIR("(12, 8)", "12", "8", "C[vi, vj] = B[(vi + 1) % 12, vj]");
static const char windows[] =
    MAIN(ARRAY("A", "(9, 8)") ", " ARRAY("C", "(4, 8)"))
    ROOM("B", "(9, 8)")
    EACH("B", "9", "8", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    "    for i, j, k in T.grid(4, 8, 3):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                C[vi, vj] = T.float32(0)\n"
    "            C[vi, vj] = C[vi, vj] + B[vi * 2 + vk, vj]\n";
/* sums of pairs of rows */
static const char pairs[] =
    MAIN(ARRAY("A", "(12, 8)") ", " ARRAY("C", "(6, 8)"))
    ROOM("B", "(12, 8)")
    EACH("B", "12", "8", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    "    for i, j, k in T.grid(6, 8, 2):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                C[vi, vj] = T.float32(0)\n"
    "            C[vi, vj] = C[vi, vj] + B[vi * 2 + vk, vj]\n";
/* sums of rows: all terms of an element, or some */
static const char rows_sum[] =
    MAIN(ARRAY("A", "(12, 8)") ", " ARRAY("C", "(12,)"))
    ROOM("B", "(12, 8)")
    EACH("B", "12", "8", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    "    for i, k in T.grid(12, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] + B[vi, vk]\n";
/* two readers, and what reads what one wrote first */
static const char readers[] =
    MAIN(ARRAY("A", "(6, 8)") ", " ARRAY("C", "(6, 8)") ", "
         ARRAY("D", "(6, 8)"))
    ROOM("B", "(6, 8)")
    EACH("B", "6", "8", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("C", "6", "8", "C[vi, vj] = B[vi, vj] * T.float32(3)")
    EACH("D", "6", "8", "D[vi, vj] = B[vi, vj] - A[vi, vj]");
/* a parameter that is read again */
static const char again[] =
    MAIN(ARRAY("A", "(6, 8)") ", " ARRAY("C", "(6, 8)") ", "
         ARRAY("D", "(6, 8)"))
    EACH("C", "6", "8", "C[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("D", "6", "8", "D[vi, vj] = C[vi, vj] * T.float32(2)");
static const char half[] =
    MAIN(ARRAY("A", "(6, 8)") ", " ARRAY("C", "(6, 8)") ", "
         ARRAY("D", "(6, 8)"))
    EACH("C", "3", "8", "C[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("D", "6", "8", "D[vi, vj] = C[vi, vj] * T.float32(2)");
/* running sums in place */
static const char inplace[] =
    MAIN(ARRAY("A", "(32,)"))
    "    for z in range(1):\n"
    "        with T.sblock(\"A\"):\n"
    "            vz = T.axis.spatial(1, z)\n"
    "            T.reads(A[0:32])\n"
    "            T.writes(A[0:32])\n"
    "            for j in range(31):\n"
    "                A[j] = A[j] + A[j + 1]\n";
/* each row in place; the first of two elements alone is read */
static const char inplace_rows[] =
    MAIN(ARRAY("A", "(6, 8)"))
    "    for i in range(6):\n"
    "        with T.sblock(\"A\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            T.reads(A[vi, 0:8])\n"
    "            T.writes(A[vi, 0:8])\n"
    "            for j in range(8):\n"
    "                A[vi, j] = A[vi, j] * T.float32(2)\n";
static const char inplace_threads[] =
    MAIN(ARRAY("A", "(6, 8)"))
    "    for i in T.parallel(6):\n"
    "        with T.sblock(\"A\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            T.reads(A[vi, 0:8])\n"
    "            T.writes(A[vi, 0:8])\n"
    "            for j in range(8):\n"
    "                A[vi, j] = A[vi, j] * T.float32(2)\n";
static const char inplace_more[] =
    MAIN(ARRAY("A", "(6, 8)"))
    "    for i in range(6):\n"
    "        with T.sblock(\"A\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            T.reads(A[vi, 0:4])\n"
    "            T.writes(A[vi, 0:8])\n"
    "            for j in range(4):\n"
    "                A[vi, j + 4] = A[vi, j]\n";
/* threads that each fill all of a buffer, and read it turned round */
#define FILLED(scope) \
    MAIN(ARRAY("A", "(8,)") ", " ARRAY("C", "(4, 8)")) \
    "    S = T.sblock_alloc_buffer((8,), \"float32\", scope=\"" scope "\")\n" \
    "    for b in T.thread_binding(4, thread=\"blockIdx.x\"):\n" \
    "        for t in T.thread_binding(8, thread=\"threadIdx.x\"):\n" \
    "            for i in range(8):\n" \
    "                with T.sblock(\"S\"):\n" \
    "                    vi = T.axis.spatial(8, i)\n" \
    "                    S[vi] = A[vi]\n" \
    "            with T.sblock(\"C\"):\n" \
    "                vb, vt = T.axis.remap(\"SS\", [b, t])\n" \
    "                C[vb, vt] = S[7 - vt]\n"
static const char filled_shared[] = FILLED("shared");
static const char filled_local[] = FILLED("local");
static const char filled_global[] = FILLED("global");
/* rows that overlap, in a buffer of each row's own, or not */
#define ROWS(after) \
    MAIN(ARRAY("A", "(8, 8)") ", " ARRAY("C", "(6, 8)") ", " \
         ARRAY("D", "(8, 8)")) \
    ROOM("B", "(8, 8)") \
    "    for i in range(6):\n" \
    "        for k, j in T.grid(3, 8):\n" \
    "            with T.sblock(\"B\"):\n" \
    "                vi = T.axis.spatial(8, i + k)\n" \
    "                vj = T.axis.spatial(8, j)\n" \
    "                B[vi, vj] = A[vi, vj] + T.float32(1)\n" \
    "        for j, k in T.grid(8, 3):\n" \
    "            with T.sblock(\"C\"):\n" \
    "                vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n" \
    "                with T.init():\n" \
    "                    C[vi, vj] = T.float32(0)\n" \
    "                C[vi, vj] = C[vi, vj] + B[vi + vk, vj]\n" after
static const char rows_own[] =
    ROWS(EACH("D", "8", "8", "D[vi, vj] = A[vi, vj]"));
static const char rows_read[] =
    ROWS(EACH("D", "8", "8", "D[vi, vj] = B[vi, vj]"));
/* an index twice, another once */
static const char indices[] =
    MAIN(ARRAY("A", "(4, 6)") ", " ARRAY("B", "(4, 6)") ", "
         ARRAY("C", "(8, 12)"))
    EACH("C", "8", "12",
         "C[vi, vj] = A[vi // 2, vj // 2] + B[vi // 2, vj % 6]");
static const char divided[] =
    MAIN("A: T.Buffer((8,), \"int32\"), C: T.Buffer((8, 4), \"int32\")")
    EACH("C", "8", "4", "C[vi, vj] = T.if_then_else(vj > 0, A[vi // vj], 1)");
/* a guard that keeps indices within bounds */
static const char guarded[] =
    MAIN("A: T.Buffer((16,), \"int32\"), C: T.Buffer((13,), \"int32\")")
    "    for i in range(13):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(13, i)\n"
    "            C[vi] = A[vi + 3] - A[vi + 1]\n";
/* sums, then something of each: one term, two of them fuse */
#define EPILOGUE(reduce, from, after)                          \
    MAIN("A: T.Buffer((6, 8), \"int32\"), X: T.Buffer((6,), \"int32\"), " \
         "C: T.Buffer((6,), \"int32\")")                       \
    "    S = T.sblock_alloc_buffer((6,), \"int32\")\n"         \
    "    for i, k in T.grid(6, 8):\n"                          \
    "        with T.sblock(\"S\"):\n"                          \
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"      \
    "            with T.init():\n"                             \
    "                S[vi] = " from "\n"                       \
    "            S[vi] = " reduce "\n"                         \
    "    for i in range(6):\n"                                 \
    "        with T.sblock(\"C\"):\n"                          \
    "            vi = T.axis.spatial(6, i)\n"                  \
    "            C[vi] = " after "\n"
static const char biased[] =
    EPILOGUE("S[vi] + A[vi, vk]", "0", "S[vi] + X[vi]");
static const char biased_left[] =
    EPILOGUE("S[vi] + A[vi, vk]", "0", "X[vi] + S[vi]");
static const char largest[] =
    EPILOGUE("T.max(S[vi], A[vi, vk])", "T.min_value(\"int32\")", "S[vi]");
static const char largest_biased[] =
    EPILOGUE("T.max(S[vi], A[vi, vk])", "T.min_value(\"int32\")", "S[vi] + 1");
static const char clipped[] =
    EPILOGUE("S[vi] + A[vi, vk]", "0", "T.max(S[vi] + X[vi], 0)");
static const char less[] =
    EPILOGUE("S[vi] + A[vi, vk]", "0", "S[vi] - X[vi]");
static const char from_one[] =
    EPILOGUE("S[vi] + A[vi, vk]", "1", "S[vi] + X[vi]");
static const char turned[] =
    EPILOGUE("S[vi] + A[vi, vk]", "0", "S[(vi + 2) % 6] + X[vi]");
static const char onto_bias[] =
    MAIN("A: T.Buffer((6, 8), \"int32\"), C: T.Buffer((6,), \"int32\")")
    "    S = T.sblock_alloc_buffer((6,), \"int32\")\n"
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"S\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                S[vi] = 0\n"
    "            S[vi] = S[vi] + A[vi, vk] * C[vi]\n"
    "    for i in range(6):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            C[vi] = S[vi]\n";
// clang-format on

#define AT_C "c = get_block \"C\"\ni, j = get_loops c\nb = get_block \"B\"\n"
#define AT_B "b = get_block \"B\"\ni, j = get_loops b\nc = get_block \"C\"\n"
#define FUSE \
    "s = get_block \"S\"\nc = get_block \"C\"\nfuse_reduction_epilogue s c\n"
#define ILLEGAL(part)     part, SCHEDULE_ILLEGAL, SAME, NULL
#define UNSUPPORTED(part) part, SCHEDULE_UNSUPPORTED, SAME, NULL
#define BAD(part)         part, SCHEDULE_BAD_REQUEST, SAME, NULL
#define DONE(text)        NULL, SCHEDULE_DONE, SAME, text

static const struct row rows[] = {
    {"compute at, without unit loops", same, AT_C "compute_at b i\n",
     DONE("for ax0 in range(8):")},
    {"compute at, with unit loops", same, AT_C "compute_at b i 1\n",
     DONE("for ax0, ax1 in T.grid(1, 8):")},
    {"compute at the first place", same, AT_C "compute_at b i 0 -2\n",
     DONE("for ax0 in range(8):")},
    {"compute at a place that is none", same, AT_C "compute_at b i 0 1\n",
     ILLEGAL("cannot stand at place 1 below loop 'i': 0 to 0, -1 or -2")},
    {"compute at, strided", strided,
     AT_C "x, y = split i None 3\ncompute_at b x\n",
     DONE("for ax0, ax1 in T.grid(5, 7):")},
    {"compute at, shifted", shifted,
     AT_C "x, y = split i None 5\ncompute_at b x\n",
     DONE("vi = T.axis.spatial(12, i_0 * 5 + 2 + ax0)")},
    {"compute at, from half", doubled,
     AT_C "x, y = split i None 6\ncompute_at b x\n",
     DONE("for ax0, ax1 in T.grid(3, 8):")},
    {"compute at, reshaped", reshaped,
     AT_C "x, y = split i None 4\ncompute_at b x\n",
     DONE("for ax0, ax1 in T.grid(2, 8):")},
    {"compute at, windows that overlap", windows,
     "c = get_block \"C\"\ni, j, k = get_loops c\nb = get_block \"B\"\n"
     "x, y = split i None 2\ncompute_at b x\n",
     DONE("for ax0, ax1 in T.grid(5, 8):")},
    {"compute at fused loops", doubled,
     AT_C "f = fuse i j\ng, h = split f None 32\ncompute_at b g\n",
     DONE("for ax0 in range(8):")},
    {"back at, strided", strided,
     AT_B "x, y = split i None 4\nreverse_compute_at c x\n",
     DONE("for ax0, ax1 in T.grid(2, 4):")},
    /* TVM 0.27 fails there: its own check of bounds */
    {"back at, strided, in parts that are no stride", strided,
     AT_B "x, y = split i None 3\nreverse_compute_at c x\n",
     DONE("T.grid(i_0 * 3 // 2 - (i_0 * 3 + 1) // 2 + 2, 4)")},
    {"back at, shifted", shifted, AT_B "reverse_compute_at c i\n",
     DONE("T.where(i - 2 >= 0)")},
    {"back at, to the double", doubled,
     AT_B "x, y = split i None 4\nreverse_compute_at c x\n",
     DONE("for ax0, ax1 in T.grid(8, 16):")},
    {"back at, reshaped", reshaped, AT_B "reverse_compute_at c i 1\n",
     DONE("for ax0, ax1 in T.grid(2, 4):")},
    {"back at half a row, reshaped", reshaped,
     AT_B "x, y = split j None 4\nreverse_compute_at c x 1\n",
     DONE("for ax0, ax1 in T.grid(1, 4):")},
    {"back at parts that cut digits", reshaped,
     AT_B "x, y = split j None 3\nreverse_compute_at c x\n",
     UNSUPPORTED("block 'C' does not read at a map of its iterators")},
    {"back at whole pairs", pairs,
     AT_B "x, y = split i None 4\nreverse_compute_at c x\n",
     DONE("for ax0, ax1, ax2 in T.grid(2, 8, 2):")},
    {"back at half pairs", pairs,
     AT_B "x, y = split i None 3\nreverse_compute_at c x\n",
     UNSUPPORTED("block 'C' does not read at a map of its iterators")},
    {"back at, padded", padded, AT_B "reverse_compute_at c i\n",
     ILLEGAL("do not run through all of buffer 'B' alike")},
    {"back at, rotated", rotated, AT_B "reverse_compute_at c i\n",
     UNSUPPORTED("block 'C' does not read at a map of its iterators")},
    {"back at all terms of a sum", rows_sum, AT_B "reverse_compute_at c i\n",
     DONE("for ax0 in range(8):")},
    {"back at some terms of a sum", rows_sum,
     AT_B "x, y = split j None 4\nreverse_compute_at c x\n",
     UNSUPPORTED("block 'C' does not read at a map of its iterators")},
    {"back at what is stored apart", same,
     AT_B "x, y = split j None 4\nreorder y x\nreverse_compute_at c y\n",
     ILLEGAL("block 'B' may not store all of its box")},
    {"back at what a guard cuts", same,
     AT_B "x, y = split j None 6\np, q = split y None 4\n"
          "reverse_compute_at c p\n",
     ILLEGAL("block 'B' may not store all of its box")},
    {"cache for one of two readers", readers,
     "b = get_block \"C\"\nd = cache_read b 0 \"shared\" [b]\n",
     DONE("D[vi_2, vj_2] = B[vi_2, vj_2] - A[vi_2, vj_2]")},
    {"cache for all readers", readers,
     "b = get_block \"C\"\nd = cache_read b 0 \"shared\" []\n",
     DONE("B_shared[vi_2, vj_2] - A[vi_2, vj_2]")},
    {"cache for who does not read it", readers,
     "b = get_block \"C\"\nc = get_block \"B\"\n"
     "d = cache_read b 0 \"shared\" [c]\n",
     BAD("none of the consumers reads buffer 'B'")},
    {"write to a cache that one reader reads", readers,
     "b = get_block \"B\"\nc = get_block \"D\"\n"
     "d = cache_write b 0 \"local\" [c]\n",
     DONE("B_local[vi_2, vj_2] - A[vi_2, vj_2]")},
    {"write a parameter to a cache that a reader reads", again,
     "b = get_block \"C\"\nc = get_block \"D\"\n"
     "d = cache_write b 0 \"global\" [c]\n",
     DONE("C_global[vi_1, vj_1] * T.float32(2.0)")},
    {"write to a cache that the writer and one twice are to use", again,
     "b = get_block \"C\"\nc = get_block \"D\"\n"
     "d = cache_write b 0 \"global\" [b c c]\n",
     DONE("C_global[vi_1, vj_1] * T.float32(2.0)")},
    {"write half of a parameter to such a cache", half,
     "b = get_block \"C\"\nc = get_block \"D\"\n"
     "d = cache_write b 0 \"global\" [c]\n",
     ILLEGAL("may read of buffer 'C' what block 'C' did not write")},
    {"cache in place", inplace,
     "b = get_block \"A\"\nx, y = cache_inplace b 0 \"local\"\n",
     DONE("A_local[j] = A_local[j] + A_local[j + 1]")},
    {"cache rows in place", inplace_rows,
     "b = get_block \"A\"\nx, y = cache_inplace b 0 \"local\"\n"
     "i, j, k = get_loops y\n",
     DONE("A[v0_1, v1_1] = A_local[v0_1, v1_1]")},
    {"cache in place more than is read", inplace_more,
     "b = get_block \"A\"\nx, y = cache_inplace b 0 \"local\"\n",
     ILLEGAL("block 'A' may write of buffer 'A' what it does not read")},
    {"cache in place what is only read", same,
     "b = get_block \"C\"\nx, y = cache_inplace b 0 \"local\"\n",
     ILLEGAL("block 'C' does not write buffer 'B'")},
    {"cache in place by threads", inplace_threads,
     "b = get_block \"A\"\nx, y = cache_inplace b 0 \"local\"\n",
     ILLEGAL("would copy each other's elements of buffer 'A'")},
    /* what MetaSchedule does to copies into shared storage */
    {"share out what all threads fill", filled_shared,
     "b = get_block \"S\"\nx, y, i = get_loops b\nbind i \"threadIdx.x\"\n",
     DONE("for i in T.thread_binding(8, thread=\"threadIdx.x\")")},
    {"share out lanes of what all threads fill", filled_shared,
     "b = get_block \"S\"\nx, y, i = get_loops b\nvectorize i\n",
     DONE("T.vectorized(8)")},
    {"share out what each thread has", filled_local,
     "b = get_block \"S\"\nx, y, i = get_loops b\nbind i \"threadIdx.x\"\n",
     ILLEGAL("bound to 'threadIdx.x' already")},
    {"lanes of what each thread has", filled_local,
     "b = get_block \"S\"\nx, y, i = get_loops b\nvectorize i\n",
     DONE("T.vectorized(8)")},
    {"share out what threads never wait for", filled_global,
     "b = get_block \"S\"\nx, y, i = get_loops b\nbind i \"threadIdx.x\"\n",
     ILLEGAL("several iterations write one element")},
    {"parallel rows that overlap, each with a buffer", rows_own,
     "b = get_block \"B\"\ni, k, j = get_loops b\nvectorize j\nparallel i\n",
     DONE("for i in T.parallel(6)")},
    {"lanes of parallel rows that overlap", rows_own,
     "b = get_block \"B\"\ni, k, j = get_loops b\nparallel i\nvectorize j\n",
     DONE("T.vectorized(8)")},
    {"lanes of parallel rows that somebody else reads", rows_read,
     "b = get_block \"B\"\ni, k, j = get_loops b\nparallel i\nvectorize j\n",
     ILLEGAL("several iterations write one element")},
    {"cache indices", indices,
     "b = get_block \"C\"\nx, y, z = cache_index b \"global\"\n",
     DONE("A[index_var_0[vi], index_var_1[vj]]")},
    {"cache indices that come twice", indices,
     "b = get_block \"C\"\nx = cache_index b \"global\" 2\n",
     DONE("A[index_var_0[vi], vj // 2] + B[index_var_0[vi], vj % 6]")},
    {"cache indices of guarded loops", guarded,
     "b = get_block \"C\"\ni = get_loops b\np, q = split i None 4\n"
     "x, y = cache_index b \"global\"\n",
     DONE("A[index_var_0[vi]] - A[index_var_1[vi]]")},
    {"cache an index that may fault", divided,
     "b = get_block \"C\"\nx, y = cache_index b \"global\"\n",
     ILLEGAL("an index is divided by what may be 0")},
    {"cache indices in no scope", indices,
     "b = get_block \"C\"\nx = cache_index b \"globl\"\n",
     BAD("no storage scope is called 'globl'")},
    {"start a sum from what is added", biased, FUSE,
     DONE("C[vi] = X[vi]\n            C[vi] = C[vi] + A[vi, vk]")},
    {"start a sum from what it is added to", biased_left, FUSE,
     DONE("C[vi] = X[vi]")},
    /* TVM 0.27 starts from 0 */
    {"give the largest to who copies it", largest, FUSE,
     DONE("C[vi] = -2147483648")},
    {"start the largest from what is added", largest_biased, FUSE,
     ILLEGAL("block 'S' is no sum from 0")},
    {"clip each term", clipped, FUSE,
     ILLEGAL("block 'C' does more than to add something to buffer 'S'")},
    {"take away from each term", less, FUSE,
     ILLEGAL("block 'C' does more than to add something to buffer 'S'")},
    {"start from what is added and one", from_one, FUSE,
     ILLEGAL("block 'S' is no sum from 0")},
    {"start from what is added elsewhere", turned, FUSE,
     ILLEGAL("does not read each element of buffer 'S' at its own iterators")},
    {"sum into what the sum reads", onto_bias, FUSE,
     ILLEGAL("block 'S' before it touches what block 'C' does")},
    {"start one block from itself", biased,
     "s = get_block \"S\"\nfuse_reduction_epilogue s s\n",
     ILLEGAL("not two of one scope")},
};

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows)];
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
    return _cmocka_run_group_tests("moves and copies", tests,
                                   DC_ARRAY_LEN(tests), NULL, NULL);
}
