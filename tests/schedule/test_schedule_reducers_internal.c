/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions of several elements together: what is one whose terms may change
 * places and groups, and what only looks like one. Each program that is refused
 * differs from one that is done in one place, and its result would hang on the
 * order of terms, or on how often the init is among them.
 */
#include "tests/schedule/schedule_case_internal.h"

#define PAIR(init_k, init_v, new_k, new_v, stores)                       \
    HEAD "def main(A: T.Buffer((6, 8), \"float32\"), K: T.Buffer((6,), " \
         "\"int32\"), V: T.Buffer((6,), \"float32\")):\n"                \
         "    for i, j in T.grid(6, 8):\n"                               \
         "        with T.sblock(\"C\"):\n"                               \
         "            vi, vj = T.axis.remap(\"SR\", [i, j])\n"           \
         "            with T.init():\n"                                  \
         "                K[vi] = " init_k "\n"                          \
         "                V[vi] = " init_v "\n"                          \
         "            k: T.let[T.int32] = " new_k "\n"                   \
         "            v: T.let[T.float32] = " new_v "\n" stores

#define STORES                \
    "            K[vi] = k\n" \
    "            V[vi] = v\n"
#define LOW  "T.float32(-1000)"
#define MOST "T.Select(V[vi] > A[vi, vj], V[vi], A[vi, vj])"
#define AT_MOST                                                                \
    "T.Select(V[vi] > A[vi, vj] or V[vi] == A[vi, vj] and K[vi] < vj, K[vi], " \
    "vj)"

static const char argmax[] = PAIR("-1", LOW, AT_MOST, MOST, STORES);
static const char argmin[] =
    PAIR("-1", "T.float32(1000)",
         "T.Select(V[vi] < A[vi, vj] or V[vi] == A[vi, vj] and K[vi] < vj, "
         "K[vi], vj)",
         "T.Select(V[vi] < A[vi, vj], V[vi], A[vi, vj])", STORES);
/* the first or the last of equals, by the order of terms */
static const char no_tie[] =
    PAIR("-1", LOW, "T.Select(V[vi] >= A[vi, vj], K[vi], vj)",
         "T.Select(V[vi] >= A[vi, vj], V[vi], A[vi, vj])", STORES);
/* the value of one comparison, the index of another */
static const char torn[] =
    PAIR("-1", LOW, AT_MOST, "T.Select(V[vi] < A[vi, vj], V[vi], A[vi, vj])",
         STORES);
static const char other_term[] =
    PAIR("-1", LOW, AT_MOST,
         "T.Select(V[vi] > A[vi, vj] + T.float32(1), V[vi], A[vi, vj] + "
         "T.float32(1))",
         STORES);
/* the second store reads what the first one wrote */
static const char in_turn[] =
    HEAD "def main(A: T.Buffer((6, 8), \"float32\"), K: T.Buffer((6,), "
         "\"int32\"), V: T.Buffer((6,), \"float32\")):\n"
         "    for i, j in T.grid(6, 8):\n"
         "        with T.sblock(\"C\"):\n"
         "            vi, vj = T.axis.remap(\"SR\", [i, j])\n"
         "            with T.init():\n"
         "                K[vi] = -1\n"
         "                V[vi] = T.float32(-1000)\n"
         "            V[vi] = " MOST "\n"
         "            K[vi] = " AT_MOST "\n";
/* two sums side by side, and one that adds the other */
static const char sums[] =
    PAIR("0", "T.float32(0)", "K[vi] + vj", "V[vi] + A[vi, vj]", STORES);
static const char sums_from_one[] =
    PAIR("1", "T.float32(0)", "K[vi] + vj", "V[vi] + A[vi, vj]", STORES);
static const char sum_of_sum[] =
    PAIR("0", "T.float32(0)", "K[vi] + vj",
         "V[vi] + T.Cast(\"float32\", K[vi])", STORES);
static const char elsewhere[] =
    PAIR("0", "T.float32(0)", "K[vi] + vj", "V[vi] + A[vi, vj]",
         "            K[vi] = k\n"
         "            V[5 - vi] = v\n");

/* a sum over sums that start anew */
static const char sums_of_sums[] =
    HEAD "def main(A: T.Buffer((7, 4), \"float32\"), B: T.Buffer((7, 3), "
         "\"float32\"), E: T.Buffer((3,), \"float32\")):\n"
         "    D = T.sblock_alloc_buffer((7,), \"float32\")\n"
         "    for i, k in T.grid(7, 4):\n"
         "        with T.sblock(\"D\"):\n"
         "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
         "            with T.init():\n"
         "                D[vi] = T.float32(0)\n"
         "            D[vi] = D[vi] + A[vi, vk]\n"
         "    for i, k in T.grid(3, 7):\n"
         "        with T.sblock(\"E\"):\n"
         "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
         "            with T.init():\n"
         "                E[vi] = T.float32(0)\n"
         "            E[vi] = E[vi] + D[vk] * B[vk, vi]\n";

#define FACTOR                                  \
    "b = get_block \"C\"\ni, j = get_loops b\n" \
    "p, q = split j None 4\nr = rfactor q 0\n"
#define THREADS                                 \
    "b = get_block \"C\"\ni, j = get_loops b\n" \
    "bind j \"threadIdx.x\"\n"
#define REORDER                                 \
    "b = get_block \"C\"\ni, j = get_loops b\n" \
    "p, q = split j None 4\nreorder q p\n"
#define ILLEGAL(part) part, SCHEDULE_ILLEGAL, SAME, NULL
#define DONE(order)   NULL, SCHEDULE_DONE, order, NULL

static const struct row rows[] = {
    {"partial greatest pairs", argmax, FACTOR, DONE(SAME)},
    {"partial least pairs", argmin, FACTOR, DONE(SAME)},
    {"partial pairs of sums", sums, FACTOR, DONE(ORDER)},
    {"greatest pairs across threads", argmax, THREADS, DONE(SAME)},
    {"pairs of sums across threads", sums, THREADS, DONE(ORDER)},
    {"greatest pairs in another order", argmax, REORDER, DONE(SAME)},
    /* Threads store what they combine where the guard was false throughout. */
    {"a guard of elements in one loop with terms, across threads", argmax,
     "b = get_block \"C\"\ni, j = get_loops b\np, q = split i None 4\n"
     "f = fuse p q j\nx, y = split f None 1\nbind y \"threadIdx.x\"\n",
     ILLEGAL("its guard ties terms to elements")},
    {"a guard of terms across threads", argmax,
     "b = get_block \"C\"\ni, j = get_loops b\np, q = split j None 3\n"
     "bind q \"threadIdx.x\"\n",
     DONE(SAME)},
    {"a guard of elements, terms across threads", argmax,
     "b = get_block \"C\"\ni, j = get_loops b\np, q = split i None 4\n"
     "bind j \"threadIdx.x\"\n",
     DONE(SAME)},
    /* Several threads begin and add up one sum. */
    {"sums made again by several threads", sums_of_sums,
     "d = get_block \"D\"\ne = get_block \"E\"\ni, k = get_loops e\n"
     "f = fuse i k\ncompute_at d f\nbind f \"threadIdx.y\"\n",
     ILLEGAL("several iterations write one element")},
    {"partial pairs without a tie", no_tie, FACTOR, ILLEGAL("from its unit")},
    {"pairs without a tie in another order", no_tie, REORDER,
     ILLEGAL("no known reducer")},
    {"pairs of two comparisons", torn, FACTOR, ILLEGAL("from its unit")},
    {"pairs of two terms", other_term, FACTOR, ILLEGAL("from its unit")},
    {"pairs that are stored in turn", in_turn, FACTOR,
     ILLEGAL("from its unit")},
    {"partial pairs of sums from 1", sums_from_one, FACTOR,
     ILLEGAL("from its unit")},
    {"pairs of sums from 1 across threads", sums_from_one, THREADS,
     ILLEGAL("from its unit")},
    {"pairs of sums from 1 in another order", sums_from_one, REORDER,
     DONE(ORDER)},
    {"a sum of a sum", sum_of_sum, FACTOR, ILLEGAL("from its unit")},
    {"pairs at two places", elsewhere, FACTOR, ILLEGAL("from its unit")},
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
    return _cmocka_run_group_tests("reducers", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
