/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions of schedule primitives, one at a time: programs that a single
 * condition keeps from a step that would change what they compute, and beside
 * them what looks alike and is allowed.
 */
#include "tests/schedule/schedule_case_internal.h"

#define F8(name)     name ": T.Buffer((8,), \"float32\")"
#define F68(name)    name ": T.Buffer((6, 8), \"float32\")"
#define MAIN(params) HEAD "def main(" params "):\n"
#define ROOM(name, shape) \
    "    " name " = T.sblock_alloc_buffer(" shape ", \"float32\")\n"
/* A block at each of 8 elements. */
#define EACH(name, store)                     \
    "    for i in range(8):\n"                \
    "        with T.sblock(\"" name "\"):\n"  \
    "            vi = T.axis.spatial(8, i)\n" \
    "            " store "\n"

// clang-format off
/* C = A B */
static const char matmul[] =
    MAIN("A: T.Buffer((6, 10), \"float32\"), B: T.Buffer((10, 9), \"float32\"), "
         "C: T.Buffer((6, 9), \"float32\")")
    "    for i, j, k in T.grid(6, 9, 10):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj, vk = T.axis.remap(\"SSR\", [i, j, k])\n"
    "            with T.init():\n"
    "                C[vi, vj] = T.float32(0)\n"
    "            C[vi, vj] = C[vi, vj] + A[vi, vk] * B[vk, vj]\n";
/* a polynomial: terms in their order */
static const char horner[] =
    MAIN(F68("A") ", C: T.Buffer((6,), \"float32\")")
    "    for i, k0, k1 in T.grid(6, 2, 4):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            vk = T.axis.reduce(8, k0 * 4 + k1)\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] * T.float32(2) + A[vi, vk]\n";
/* alternating signs */
static const char alternating[] =
    MAIN(F68("A") ", C: T.Buffer((6,), \"float32\")")
    "    for i, k0, k1 in T.grid(6, 2, 4):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            vk = T.axis.reduce(8, k0 * 4 + k1)\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = A[vi, vk] - C[vi]\n";
#define EXTREME(op, from) \
    MAIN(F68("A") ", C: T.Buffer((6,), \"float32\")") \
    "    for i, k in T.grid(6, 8):\n" \
    "        with T.sblock(\"C\"):\n" \
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n" \
    "            with T.init():\n" \
    "                C[vi] = " from "\n" \
    "            C[vi] = " op "(C[vi], A[vi, vk])\n"
static const char least[] = EXTREME("T.min", "T.float32(\"inf\")");
static const char most[] = EXTREME("T.max", "T.float32(\"-inf\")");
static const char least_wrong[] = EXTREME("T.min", "T.float32(\"-inf\")");
static const char clipped[] = EXTREME("T.max", "T.float32(0)");
/* the diagonal of a square is stored, all of it read */
static const char diagonal[] =
    MAIN(F8("A") ", C: T.Buffer((8, 8), \"float32\")")
    ROOM("B", "(8, 8)")
    EACH("B", "B[vi, vi] = A[vi] + T.float32(1)")
    "    for i, j in T.grid(8, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            C[vi, vj] = T.if_then_else(vi == vj, B[vi, vj], T.float32(0))\n";
/* read from the end */
static const char reversed[] =
    MAIN(F8("A") ", " F8("C"))
    ROOM("B", "(8,)")
    EACH("B", "B[vi] = A[vi] + T.float32(1)")
    EACH("C", "C[vi] = B[7 - vi] * T.float32(3)");
/* read from behind the end where that is discarded, and in halves */
static const char halves[] =
    MAIN("A: T.Buffer((4,), \"float32\"), " F8("C"))
    ROOM("B", "(4,)")
    "    for i in range(4):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(4, i)\n"
    "            B[vi] = A[vi] + T.float32(1)\n"
    EACH("C", "C[vi] = T.if_then_else(vi >= 2, B[4 - vi // 2], T.float32(0))");
/* read, then overwritten by the next block or the one after that */
static const char overwritten[] =
    MAIN(F8("A") ", " F8("C"))
    ROOM("B", "(8,)")
    EACH("B", "B[vi] = A[vi] + T.float32(1)")
    EACH("A", "A[vi] = A[vi] * T.float32(2)")
    EACH("C", "C[vi] = B[vi]");
static const char overwritten_later[] =
    MAIN(F8("A") ", " F8("C") ", " F8("D"))
    ROOM("B", "(8,)")
    EACH("B", "B[vi] = A[vi] + T.float32(1)")
    EACH("D", "D[vi] = T.float32(4)")
    EACH("A", "A[vi] = T.float32(2)")
    EACH("C", "C[vi] = B[vi]");
/* rows: made and read, by one loop around both */
#define ROWS(made, shape, read) \
    MAIN(F68("A") ", C: T.Buffer((6, 8), \"float32\")") \
    ROOM("B", shape) \
    "    for i in range(6):\n" \
    "        for j in range(" made "):\n" \
    "            with T.sblock(\"B\"):\n" \
    "                vi = T.axis.spatial(6, i)\n" \
    "                vj = T.axis.spatial(" made ", j)\n" \
    "                B[vi, vj] = A[vi, vj] + T.float32(1)\n" \
    "        for j in range(8):\n" \
    "            with T.sblock(\"C\"):\n" \
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "                C[vi, vj] = " read "\n"
static const char rows_whole[] = ROWS("8", "(6, 8)", "B[vi, vj] * T.float32(3)");
static const char rows_part[] =
    ROWS("8", "(6, 8)", "B[vi, vj // 2] * T.float32(3)");
static const char rows_beside[] =
    ROWS("4", "(6, 8)", "T.if_then_else(vj < 4, B[vi, vj], T.float32(0))");
/* an element is read, the one before it written by the next block */
static const char neighbours[] =
    MAIN("A: T.Buffer((9,), \"float32\"), C: T.Buffer((8,), \"float32\")")
    "    for i in range(8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(8, i)\n"
    "            C[vi] = A[vi + 1]\n"
    "        with T.sblock(\"A\"):\n"
    "            vi = T.axis.spatial(8, i)\n"
    "            A[vi] = T.float32(2)\n";
/* two blocks read one parameter */
static const char both_read[] =
    MAIN(F8("A") ", " F8("C") ", " F8("D"))
    "    for i in range(8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(8, i)\n"
    "            C[vi] = A[7 - vi]\n"
    "        with T.sblock(\"D\"):\n"
    "            vi = T.axis.spatial(8, i)\n"
    "            D[vi] = A[vi] + T.float32(1)\n";
/* what a reduction adds to is cleared by another block */
static const char cleared[] =
    MAIN(F68("A") ", C: T.Buffer((6,), \"float32\")")
    "    for i in range(6):\n"
    "        with T.sblock(\"clear\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            C[vi] = T.float32(0)\n"
    "        for k in range(8):\n"
    "            with T.sblock(\"C\"):\n"
    "                vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "                with T.init():\n"
    "                    C[vi] = T.float32(1)\n"
    "                C[vi] = C[vi] + A[vi, vk]\n";
/* two sums in one place */
#define SUM_IN_C(name) \
    "        for k in range(8):\n" \
    "            with T.sblock(\"" name "\"):\n" \
    "                vi, vk = T.axis.remap(\"SR\", [i, k])\n" \
    "                with T.init():\n" \
    "                    C[vi] = T.float32(1)\n" \
    "                C[vi] = C[vi] + A[vi, vk]\n"
static const char two_sums[] =
    MAIN(F68("A") ", C: T.Buffer((6,), \"float32\")")
    "    for i in range(6):\n" SUM_IN_C("C") SUM_IN_C("D");
/* rows of growing length */
static const char triangle[] =
    MAIN(F68("A"))
    "    for i in range(6):\n"
    "        for j in range(i + 1):\n"
    "            with T.sblock(\"A\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                A[vi, vj] = T.float32(1)\n";
/* elements beyond the end are read where that is discarded, by a remainder of
 * what is negative */
static const char around[] =
    MAIN("A: T.Buffer((2,), \"float32\"), " F8("C"))
    ROOM("B", "(2,)")
    "    for i in range(2):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(2, i)\n"
    "            B[vi] = A[vi] + T.float32(1)\n"
    EACH("C", "C[vi] = T.if_then_else(vi >= 4, B[(vi // 2 - 2) % 4], T.float32(0))");
/* the last remainder is read where that is discarded */
static const char modular[] =
    MAIN("A: T.Buffer((3,), \"float32\"), " F8("C"))
    ROOM("B", "(3,)")
    "    for i in range(3):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(3, i)\n"
    "            B[vi] = A[vi] + T.float32(1)\n"
    EACH("C", "C[vi] = T.if_then_else(vi % 4 < 3, B[vi % 4], T.float32(0))");
/* an update of what other columns hold */
static const char other_column[] =
    MAIN(F68("A"))
    "    for i, j in T.grid(6, 7):\n"
    "        with T.sblock(\"A\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            A[vi, vj + 1] = A[vi, vj] + T.float32(1)\n";
static const char own_element[] =
    MAIN(F68("A"))
    "    for i, j in T.grid(6, 8):\n"
    "        with T.sblock(\"A\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            A[vi, vj] = A[vi, vj] + T.float32(1)\n";
/* a loop that only repeats sums */
static const char repeated[] =
    MAIN(F68("A") ", C: T.Buffer((6,), \"float32\")")
    "    for t, i, k in T.grid(3, 6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[vi] = T.float32(0)\n"
    "            C[vi] = C[vi] + A[vi, vk]\n";
/* rows summed up, the store and what follows as given */
#define SUMMED(params, at, init_at, rest)                      \
    MAIN(params)                                               \
    "    for i in range(8):\n"                                 \
    "        for k in range(4):\n"                             \
    "            with T.sblock(\"S\"):\n"                      \
    "                vi, vk = T.axis.remap(\"SR\", [i, k])\n"  \
    "                with T.init():\n"                         \
    "                    S[" init_at "] = T.float32(0)\n"      \
    "                S[" at "] = S[" at "] + A[vi, vk]\n" rest
#define A84S8 "A: T.Buffer((8, 4), \"float32\"), " F8("S")
static const char summed[] = SUMMED(A84S8, "vi", "vi", "");
static const char summed_mirror[] = SUMMED(A84S8, "7 - vi", "vi", "");
static const char summed_in_one[] = SUMMED(A84S8, "0", "0", "");
static const char summed_read_on[] =
    SUMMED(A84S8 ", " F8("C"), "vi", "vi",
           "        with T.sblock(\"C\"):\n"
           "            vi = T.axis.spatial(8, i)\n"
           "            C[vi] = S[(vi + 1) % 8]\n");
static const char summed_read[] =
    SUMMED(A84S8 ", " F8("C"), "vi", "vi",
           "        with T.sblock(\"C\"):\n"
           "            vi = T.axis.spatial(8, i)\n"
           "            C[vi] = S[vi]\n");
/* rows that come again in later iterations of the outermost loop */
static const char squares[] =
    MAIN("A: T.Buffer((16, 4), \"float32\"), B: T.Buffer((16, 4), \"float32\")")
    "    for i, j, k in T.grid(4, 4, 4):\n"
    "        with T.sblock(\"B\"):\n"
    "            vi = T.axis.spatial(16, i * i + j)\n"
    "            vk = T.axis.spatial(4, k)\n"
    "            B[vi, vk] = A[vi, vk] + T.float32(1)\n";
// clang-format on

#define SQUARES       "b = get_block \"B\"\ni, j, k = get_loops b\n"
#define TWO(block)    "b = get_block \"" block "\"\ni, j = get_loops b\n"
#define ONE(block)    "b = get_block \"" block "\"\ni = get_loops b\n"
#define TERMS         "b = get_block \"C\"\ni, p, q = get_loops b\n"
#define MATMUL        "b = get_block \"C\"\ni, j, k = get_loops b\n"
#define INTO_C        "b = get_block \"B\"\nc = get_block \"C\"\ni = get_loops c\n"
#define ILLEGAL(part) part, SCHEDULE_ILLEGAL, SAME, NULL
#define DONE(order)   NULL, SCHEDULE_DONE, order, NULL

static const struct row rows[] = {
    {"bind a loop around one bound to the axis", matmul,
     MATMUL "bind j \"threadIdx.x\"\nbind i \"threadIdx.x\"\n",
     ILLEGAL("bound to 'threadIdx.x' already")},
    {"bind a loop below one bound to the axis", matmul,
     MATMUL "bind i \"threadIdx.x\"\nbind j \"threadIdx.x\"\n",
     ILLEGAL("bound to 'threadIdx.x' already")},
    {"bind loops to two axes", matmul,
     MATMUL "bind j \"threadIdx.x\"\nbind i \"threadIdx.y\"\n", DONE(SAME)},
    {"parallel over a loop that repeats sums", repeated,
     "b = get_block \"C\"\nt, i, k = get_loops b\nparallel t\n",
     ILLEGAL("would repeat the reduction")},
    {"terms of a polynomial change places", horner, TERMS "reorder q p\n",
     ILLEGAL("no known reducer")},
    {"a polynomial's elements change places with its terms", horner,
     TERMS "reorder p i q\n", DONE(SAME)},
    {"terms of a difference change places", alternating, TERMS "reorder q p\n",
     ILLEGAL("no known reducer")},
    {"terms of a sum change places", matmul,
     MATMUL "p, q = split k 2 5\nreorder q p\n", DONE(ORDER)},
    {"a loop of elements and terms changes places with terms", matmul,
     MATMUL "reorder j i\np, q = split k 2 5\nf = fuse i p\nreorder q f\n",
     ILLEGAL("another term may come before the init")},
    {"a loop of elements and terms keeps its place", matmul,
     MATMUL "reorder j i\np, q = split k 2 5\nf = fuse i p\nreorder f j\n",
     DONE(SAME)},
    {"terms change places with a loop that repeats them", repeated,
     "b = get_block \"C\"\nt, i, k = get_loops b\nreorder k i t\n",
     ILLEGAL("repeats the reduction")},
    {"partial minima from inf", least, TWO("C") "r = rfactor j 0\n",
     DONE(ORDER)},
    {"partial maxima from -inf", most, TWO("C") "r = rfactor j 0\n",
     DONE(ORDER)},
    {"partial minima from -inf", least_wrong, TWO("C") "r = rfactor j 0\n",
     ILLEGAL("from its unit")},
    {"partial maxima from 0", clipped, TWO("C") "r = rfactor j 0\n",
     ILLEGAL("from its unit")},
    {"minima across threads", least, TWO("C") "bind j \"threadIdx.x\"\n",
     DONE(ORDER)},
    {"minima from -inf across threads", least_wrong,
     TWO("C") "bind j \"threadIdx.x\"\n", ILLEGAL("from its unit")},
    {"inline a diagonal", diagonal, "b = get_block \"B\"\ncompute_inline b\n",
     ILLEGAL("at its own iterators")},
    {"compute at a tile that is read from the end", reversed,
     INTO_C "p, q = split i None 3\ncompute_at b p\n", DONE(SAME)},
    {"compute at an element that is read from the end", reversed,
     INTO_C "compute_at b i\n", DONE(SAME)},
    {"compute at an element that is read from behind the end", halves,
     INTO_C "compute_at b i\n", DONE(SAME)},
    {"compute at an element by a remainder of what is negative", around,
     INTO_C "compute_at b i\n", DONE(SAME)},
    {"compute at an element by a remainder", modular, INTO_C "compute_at b i\n",
     DONE(SAME)},
    {"fuse rows of growing length", triangle, TWO("A") "f = fuse i j\n",
     ILLEGAL("depends on loop 'i'")},
    {"compute at what is read before it is overwritten", overwritten,
     INTO_C "compute_at b i\n", ILLEGAL("written again behind it")},
    {"inline what is overwritten right behind", overwritten,
     "b = get_block \"B\"\ncompute_inline b\n",
     ILLEGAL("written again behind it")},
    {"inline what is overwritten later", overwritten_later,
     "b = get_block \"B\"\ncompute_inline b\n",
     ILLEGAL("written again behind it")},
    {"parallel over rows made and read", rows_whole,
     "b = get_block \"B\"\ni, j = get_loops b\nparallel i\n", DONE(SAME)},
    {"parallel over rows of which a part is read", rows_part,
     "b = get_block \"B\"\ni, j = get_loops b\nparallel i\n", DONE(SAME)},
    {"parallel over rows of which more is read", rows_beside,
     "b = get_block \"B\"\ni, j = get_loops b\nparallel i\n",
     ILLEGAL("reads what another iteration writes")},
    {"parallel over what the next iteration overwrites", neighbours,
     ONE("C") "parallel i\n", ILLEGAL("reads what another iteration writes")},
    {"parallel over what is only read", both_read, ONE("C") "parallel i\n",
     DONE(SAME)},
    {"parallel over what two blocks write", cleared,
     "b = get_block \"C\"\ni, k = get_loops b\nparallel i\n",
     ILLEGAL("another block writes what it writes")},
    {"parallel over two sums in one place", two_sums,
     "b = get_block \"C\"\ni, k = get_loops b\nparallel i\n",
     ILLEGAL("another block writes what it writes")},
    {"reorder what reads another column", other_column,
     TWO("A") "reorder j i\n", ILLEGAL("reads what other points of it write")},
    {"reorder what reads its own element", own_element,
     TWO("A") "reorder j i\n", DONE(SAME)},
    {"decompose above elements", summed,
     TWO("S") "n = decompose_reduction b i\n", DONE(SAME)},
    {"decompose above elements that start elsewhere", summed_mirror,
     TWO("S") "n = decompose_reduction b i\n",
     ILLEGAL("its init touches other elements than its update")},
    {"decompose where it starts elsewhere", summed_mirror,
     TWO("S") "n = decompose_reduction b j\n", DONE(SAME)},
    {"decompose above what shares an element", summed_in_one,
     TWO("S") "n = decompose_reduction b i\n",
     ILLEGAL("do not tell its stores apart")},
    {"decompose what shares an element", summed_in_one,
     TWO("S") "n = decompose_reduction b j\n", DONE(SAME)},
    {"decompose before a reader of the next element", summed_read_on,
     TWO("S") "n = decompose_reduction b i\n",
     ILLEGAL("reads what another iteration writes")},
    {"decompose before a reader of the element", summed_read,
     TWO("S") "n = decompose_reduction b i\n", DONE(SAME)},
    {"reorder loops that together are not affine", squares,
     SQUARES "reorder j i\n", ILLEGAL("not affine")},
    {"reorder below a loop that is not affine", squares,
     SQUARES "reorder k j\n", DONE(SAME)},
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
    return _cmocka_run_group_tests("conditions of primitives", tests,
                                   DC_ARRAY_LEN(tests), NULL, NULL);
}
