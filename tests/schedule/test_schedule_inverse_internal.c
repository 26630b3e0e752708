/* SPDX-License-Identifier: Apache-2.0
 *
 * Readers inlined into what they read, where they take its elements in another
 * order or shape: what can be turned round, and what only looks so. Each map that
 * is refused leaves elements out, takes some twice, or wraps round.
 */
#include "tests/schedule/schedule_case_internal.h"

/* B of 6 by 8 elements, and C of `shape` that reads it at `index`. */
#define READER(shape, grid, axes, store, index)                          \
    HEAD "def main(A: T.Buffer((6, 8), \"float32\"), C: T.Buffer(" shape \
         ", \"float32\")):\n"                                            \
         "    B = T.sblock_alloc_buffer((6, 8), \"float32\")\n"          \
         "    for i, j in T.grid(6, 8):\n"                               \
         "        with T.sblock(\"B\"):\n"                               \
         "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"           \
         "            B[vi, vj] = A[vi, vj] * T.float32(2)\n"            \
         "    for " grid ":\n"                                           \
         "        with T.sblock(\"C\"):\n"                               \
         "            " axes "\n"                                        \
         "            C[" store "] = B[" index "] + T.float32(1)\n"

#define ONE(n, index)                                                          \
    READER("(" #n ",)", "i in range(" #n ")", "v = T.axis.spatial(" #n ", i)", \
           "v", index)
#define TWO(n, m, index)                                         \
    READER("(" #n ", " #m ")", "i, j in T.grid(" #n ", " #m ")", \
           "v, w = T.axis.remap(\"SS\", [i, j])", "v, w", index)
#define FOUR(index)                                                           \
    READER("(2, 3, 4, 2)", "i, j, k, l in T.grid(2, 3, 4, 2)",                \
           "v, w, x, y = T.axis.remap(\"SSSS\", [i, j, k, l])", "v, w, x, y", \
           index)

#define INLINE        "c = get_block \"C\"\nreverse_compute_inline c\n"
#define REFUSED       "does not read every element once"
#define ILLEGAL(part) part, SCHEDULE_ILLEGAL, SAME, NULL
#define DONE(text)    NULL, SCHEDULE_DONE, SAME, text

static const char flat[] = ONE(48, "v // 8, v % 8");
static const char flat_wrapped[] = ONE(48, "v // 8 % 6, v % 8");
static const char turned[] = TWO(8, 6, "w, v");
static const char turned_flat[] = ONE(48, "v % 6, v // 6");
static const char other_rows[] = TWO(3, 16, "(v * 16 + w) // 8, w % 8");
static const char parts[] = FOUR("v * 3 + w, x * 2 + y");
static const char parts_turned[] = FOUR("w * 2 + v, y * 4 + x");
static const char unit[] = READER("(1, 48)", "i, j in T.grid(1, 48)",
                                  "v, w = T.axis.remap(\"SS\", [i, j])", "v, w",
                                  "(v + w // 8) % 6, w % 8");
static const char rotated[] = TWO(6, 8, "v, (w + 3) % 8");
static const char half[] = ONE(24, "v // 8, v % 8");
static const char twice[] = ONE(96, "v // 8 % 6, v % 8");
static const char repeated[] = ONE(48, "v // 8, v // 2 % 8");
static const char backwards[] = TWO(6, 8, "v, 7 - w");
static const char skewed[] = TWO(6, 8, "v, (v + w) % 8");
static const char overlapping[] = FOUR("v * 3 + w, x + y");

static const struct row rows[] = {
    {"rows in one", flat, INLINE, DONE("C[vi * 8 + vj] = ")},
    {"rows in one, with what never wraps", flat_wrapped, INLINE,
     DONE("C[vi * 8 + vj] = ")},
    {"columns for rows", turned, INLINE, DONE("C[vj, vi] = ")},
    {"columns in one", turned_flat, INLINE, DONE("C[vj * 6 + vi] = ")},
    {"rows of another length", other_rows, INLINE, DONE(NULL)},
    {"rows and columns in parts", parts, INLINE,
     DONE("C[vi // 3, vi % 3, vj // 2, vj % 2] = ")},
    {"parts in the other order", parts_turned, INLINE,
     DONE("C[vi % 2, vi // 2, vj % 4, vj // 4] = ")},
    {"an iterator of one value", unit, INLINE, DONE("C[0, vi * 8 + vj] = ")},
    {"columns that wrap round", rotated, INLINE, ILLEGAL(REFUSED)},
    {"half of the rows", half, INLINE, ILLEGAL(REFUSED)},
    {"all of it twice", twice, INLINE, ILLEGAL(REFUSED)},
    {"every other element", repeated, INLINE, ILLEGAL(REFUSED)},
    {"columns from behind", backwards, INLINE, ILLEGAL(REFUSED)},
    {"columns by rows", skewed, INLINE, ILLEGAL(REFUSED)},
    {"parts that overlap", overlapping, INLINE, ILLEGAL(REFUSED)},
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
    return _cmocka_run_group_tests("inverse", tests, DC_ARRAY_LEN(tests), NULL,
                                   NULL);
}
