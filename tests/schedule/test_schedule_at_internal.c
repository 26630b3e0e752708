/* SPDX-License-Identifier: Apache-2.0
 *
 * read_at and write_at. Texts that a result has to hold are what TVM 0.27 makes
 * of the same steps, but where a row says otherwise.
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
/* rows that are made and read in one loop, read again, and made by two */
#define IN_PLACE(first, second) \
    MAIN("A: T.Buffer((6, 8), \"float32\"), B: T.Buffer((6, 8), " \
         "\"float32\"), C: T.Buffer((6, 8), \"float32\")") \
    "    for i in range(6):\n" \
    "        for j in range(8):\n" \
    "            with T.sblock(\"B\"):\n" \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "                " first "\n" \
    "        for j in range(8):\n" \
    "            with T.sblock(\"C\"):\n" \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "                " second "\n"
static const char made_and_read[] =
    IN_PLACE("B[vi, vj] = A[vi, vj] + T.float32(1)",
             "C[vi, vj] = B[vi, 7 - vj]");
static const char read_and_made[] =
    IN_PLACE("C[vi, vj] = B[vi, 7 - vj]",
             "B[vi, vj] = A[vi, vj] + T.float32(1)");
static const char made_twice[] =
    IN_PLACE("B[vi, vj] = A[vi, vj]", "B[vi, vj] = C[vi, vj]");
static const char doubled[] =
    IN_PLACE("B[vi, vj] = B[vi, vj] * T.float32(2)",
             "C[vi, vj] = A[vi, vj]");
static const char half_made[] =
    IN_PLACE("B[vi, vj // 2 * 2] = A[vi, vj // 2 * 2]",
             "C[vi, vj] = A[vi, vj]");
/* every third element, and one of each pair */
static const char spread[] =
    MAIN("A: T.Buffer((8,), \"float32\"), B: T.Buffer((22,), \"float32\")")
    "    for i in range(8):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(8, i)\n"
    "            B[vi * 3] = A[vi]\n";
/* sums of three neighbours */
static const char neighbours[] =
    MAIN("A: T.Buffer((12,), \"float32\"), B: T.Buffer((10,), \"float32\")")
    "    for i in range(10):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(10, i)\n"
    "            B[vi] = A[vi] + A[vi + 1] + A[vi + 2]\n";
/* and where there is one */
static const char edges[] =
    MAIN("A: T.Buffer((10,), \"float32\"), B: T.Buffer((10,), \"float32\")")
    "    for i in range(10):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(10, i)\n"
    "            B[vi] = T.if_then_else(1 <= vi, A[vi - 1], T.float32(0))\n";
// clang-format on

#define ILLEGAL(part) part, SCHEDULE_ILLEGAL, SAME, NULL
#define DONE(text)    NULL, SCHEDULE_DONE, SAME, text

static const struct row rows[] = {
    {"read a tile at its loop", matmul,
     LOOPS_C "p, q = split k 2 5\nc = read_at p b 0 \"global\"\n"
             "u, v, w = get_loops c\n",
     DONE("A_global[v0 + ax0, v1 * 5 + ax1] = A[v0 + ax0, v1 * 5 + ax1]")},
    {"read for threads", matmul,
     LOOPS_C "p, q = split i 2 3\nreorder p j k q\nbind p \"blockIdx.x\"\n"
             "bind q \"threadIdx.x\"\nc = read_at k b 0 \"shared\"\n",
     DONE("A_shared[v0 * 3 + ax0, v1 + ax1]")},
    /* TVM copies the whole box, and leaves the buffer */
    {"read an uneven tile", neighbours,
     "b = get_block \"B\"\ni = get_loops b\np, q = split i None 4\n"
     "c = read_at p b 0 \"global\"\n",
     DONE("if v0 * 4 + ax0 < 12:")},
    {"read from before the start", edges,
     "b = get_block \"B\"\ni = get_loops b\np, q = split i None 5\n"
     "c = read_at p b 0 \"local\"\n",
     DONE("if v0 * 5 - 1 + ax0 >= 0:")},
    {"read what was made before", made_and_read,
     "b = get_block \"C\"\ni, j = get_loops b\nc = read_at i b 0 \"global\"\n",
     DONE("B_global[v0 + ax0, ax1] = B[v0 + ax0, ax1]")},
    {"read what is made behind", read_and_made,
     "b = get_block \"B\"\ni, j = get_loops b\nc = read_at i b 0 \"global\"\n",
     ILLEGAL("buffer 'B' is written in loop 'i' where it has been read")},
    {"read what is updated", doubled,
     "b = get_block \"B\"\ni, j = get_loops b\nc = read_at i b 0 \"global\"\n",
     ILLEGAL("buffer 'B' is written in loop 'i' where it has been read")},
    {"read at another loop", chain,
     LOOPS_B "c = get_block \"C\"\nd = read_at i c 0 \"global\"\n",
     ILLEGAL("loop 'i' is not around block 'C'")},
    {"read no such thing", matmul, LOOPS_C "c = read_at k b 2 \"global\"\n",
     "block 'C' has no read 2", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"read into no scope", matmul, LOOPS_C "c = read_at k b 0 \"shard\"\n",
     "no storage scope is called 'shard'", SCHEDULE_BAD_REQUEST, SAME, NULL},
    {"read in parallel", matmul,
     LOOPS_C "parallel i\nc = read_at j b 0 \"global\"\n",
     ILLEGAL("iterations of loop 'i' would all copy into one 'global' buffer")},
    {"read by each thread into shared memory", matmul,
     LOOPS_C "bind i \"threadIdx.x\"\nc = read_at k b 0 \"shared\"\n",
     ILLEGAL("iterations of loop 'i' would all copy into one 'shared' buffer")},
    {"read outside of threads into memory of their own", matmul,
     LOOPS_C "p, q = split i 2 3\nreorder p j k q\nbind q \"threadIdx.x\"\n"
             "c = read_at k b 0 \"local\"\n",
     ILLEGAL("each iteration of loop 'i_1' has a 'local' buffer of its own")},
    {"write a row at its loop", matmul,
     LOOPS_C "c = write_at i b 0 \"global\"\n",
     DONE("C[v0 + ax0, ax1] = C_global[v0 + ax0, ax1]")},
    {"write sums as they grow", matmul,
     LOOPS_C "reorder k i j\nc = write_at i b 0 \"global\"\n",
     DONE("C_global[vi, vj] = C_global[vi, vj] + A[vi, vk] * B[vk, vj]")},
    /* TVM copies the whole box, and leaves the buffer (a live bug) */
    {"write an uneven tile", neighbours,
     "b = get_block \"B\"\ni = get_loops b\np, q = split i None 4\n"
     "c = write_at p b 0 \"global\"\n",
     DONE("if v0 * 4 + ax0 < 10:")},
    {"write a tile of a block of blocks", matmul,
     LOOPS_C "p, q = split i 3 2\nr, t = split j 3 3\nreorder p r k q t\n"
             "o = blockize q\nc = write_at p o 0 \"global\"\n",
     DONE("C[v0 * 2 + ax0, ax1] = C_global[v0 * 2 + ax0, ax1]")},
    {"write what is read behind", made_and_read,
     "b = get_block \"B\"\ni, j = get_loops b\nc = write_at i b 0 \"global\"\n",
     DONE("B[v0 + ax0, ax1] = B_global[v0 + ax0, ax1]")},
    {"write what has been read", read_and_made,
     "b = get_block \"C\"\ni, j = get_loops b\nc = write_at i b 0 \"global\"\n",
     ILLEGAL("block 'B' reads buffer 'B' before it is copied")},
    {"write what another block writes", made_twice,
     "b = get_block \"B\"\ni, j = get_loops b\nc = write_at i b 0 \"global\"\n",
     ILLEGAL("block 'C' writes buffer 'B', too")},
    {"write an update", doubled,
     "b = get_block \"B\"\ni, j = get_loops b\nc = write_at i b 0 \"global\"\n",
     ILLEGAL("block 'B' reads of buffer 'B' what it has not written")},
    {"write a part of a box", half_made,
     "b = get_block \"B\"\ni, j = get_loops b\nc = write_at i b 0 \"global\"\n",
     ILLEGAL("may not store all of the box of buffer 'B'")},
    {"write with gaps", spread,
     "b = get_block \"B\"\ni = get_loops b\np, q = split i 2 4\n"
     "c = write_at p b 0 \"global\"\n",
     ILLEGAL("may not store all of the box of buffer 'B'")},
    {"write the terms that a guard leaves", matmul,
     LOOPS_C "p, q = split k None 4\nc = write_at j b 0 \"global\"\n",
     ILLEGAL("may not store all of the box of buffer 'C'")},
    {"write by threads that do not wait", matmul,
     LOOPS_C "bind i \"blockIdx.x\"\nbind j \"threadIdx.x\"\n"
             "c = write_at i b 0 \"global\"\n",
     ILLEGAL("threads of loop 'j' do not wait for each other at a 'global' "
             "buffer")},
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
    return _cmocka_run_group_tests("schedule_at", tests, DC_ARRAY_LEN(tests),
                                   NULL, NULL);
}
