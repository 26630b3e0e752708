/* SPDX-License-Identifier: Apache-2.0
 *
 * Primitives that change what is declared (annotations, scopes, types, claims,
 * the order of iterators), and those that take loops apart and together:
 * units, parts, merged nests, flags of split and fuse; look-ups. Texts are what
 * TVM 0.27 gives, but where a row says otherwise.
 */
#include "tests/schedule/schedule_case_internal.h"

#define F68(name)    name ": T.Buffer((6, 8), \"float32\")"
#define MAIN(params) HEAD "def main(" params "):\n"
#define ROOM(name)   "    " name " = T.sblock_alloc_buffer((6, 8), \"float32\")\n"
/* A block at each of 6 by 8 elements. */
#define EACH(name, store)                                 \
    "    for i, j in T.grid(6, 8):\n"                     \
    "        with T.sblock(\"" name "\"):\n"              \
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n" \
    "            " store "\n"

// clang-format off
/* B = A + 1, C = 3 B, D = C - A */
static const char chain[] =
    MAIN(F68("A") ", " F68("D"))
    ROOM("B") ROOM("C")
    EACH("B", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("C", "C[vi, vj] = B[vi, vj] * T.float32(3)")
    EACH("D", "D[vi, vj] = C[vi, vj] - A[vi, vj]");
/* the last turns rows round, or reads the row above */
static const char turned[] =
    MAIN(F68("A") ", " F68("D"))
    ROOM("B")
    EACH("B", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("D", "D[vi, vj] = B[vi, 7 - vj]");
/* D changes what was read */
static const char overwritten[] =
    MAIN(F68("A") ", " F68("D"))
    EACH("B", "D[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("C", "A[vi, vj] = T.float32(3)");
/* sums of rows, then something of each; and a block between nests */
static const char sums[] =
    MAIN(F68("A") ", S: T.Buffer((6,), \"float32\"), " F68("D"))
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"S\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                S[vi] = T.float32(0)\n"
    "            S[vi] = S[vi] + A[vi, vk]\n"
    EACH("D", "D[vi, vj] = A[vi, vj] * S[vi]");
static const char between[] =
    MAIN(F68("A") ", " F68("C") ", " F68("D"))
    ROOM("B")
    EACH("B", "B[vi, vj] = A[vi, vj] + T.float32(1)")
    EACH("C", "C[vi, vj] = B[vi, vj] * T.float32(2)")
    EACH("D", "D[vi, vj] = A[vi, vj] - T.float32(2)");
/* threads of two nests, and of one */
static const char threads[] =
    MAIN(F68("A") ", " F68("D"))
    ROOM("B")
    "    for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
    "        for j in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
    "            with T.sblock(\"B\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                B[vi, vj] = A[vi, vj] + T.float32(1)\n"
    "    for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
    "        for j in T.thread_binding(8, thread=\"threadIdx.x\"):\n"
    "            with T.sblock(\"D\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                D[vi, vj] = B[vi, vj] * T.float32(2)\n";
static const char thread[] =
    MAIN(F68("A") ", " F68("D"))
    ROOM("B")
    "    for i in T.thread_binding(6, thread=\"blockIdx.x\"):\n"
    "        for j in range(8):\n"
    "            with T.sblock(\"B\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                B[vi, vj] = A[vi, vj] + T.float32(1)\n"
    "        for j in range(8):\n"
    "            with T.sblock(\"D\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                D[vi, vj] = B[vi, vj] * T.float32(2)\n";
/* a loop of one iteration */
static const char unit[] =
    MAIN("A: T.Buffer((1, 8), \"float32\"), D: T.Buffer((1, 8), \"float32\")")
    "    for i, j in T.grid(1, 8):\n"
    "        with T.sblock(\"D\"):\n"
    "            vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "            D[vi, vj] = A[vi, vj] + T.float32(1)\n";
/* A through an index that is data */
static const char gather[] =
    MAIN(F68("A") ", I: T.Buffer((6,), \"int32\"), " F68("D"))
    ROOM("B")
    EACH("B", "T.reads(A[0:6, vj], I[vi])\n"
         "            T.writes(B[vi, vj])\n"
         "            B[vi, vj] = A[T.floormod(I[vi], 6), vj]")
    EACH("D", "D[vi, vj] = B[vi, vj]");
// clang-format on

#define TWO(block)    "b = get_block \"" block "\"\ni, j = get_loops b\n"
#define BOTH(x, y)    TWO(x) "c = get_block \"" y "\"\nk, l = get_loops c\n"
#define ILLEGAL(part) part, SCHEDULE_ILLEGAL, SAME, NULL
#define BAD(part)     part, SCHEDULE_BAD_REQUEST, SAME, NULL
#define DONE(text)    NULL, SCHEDULE_DONE, SAME, text

static const struct row rows[] = {
    {"annotate a block", chain, TWO("B") "annotate b \"k\" \"v\"\n",
     DONE("T.sblock_attr({\"k\": \"v\"})")},
    {"annotate a loop", chain, TWO("B") "annotate i \"pragma\" 16\n",
     DONE("T.serial(6, annotations={\"pragma\": 16})")},
    {"annotate with a list", chain, TWO("B") "annotate i \"stage\" [0 0 1]\n",
     DONE("{\"stage\": [0, 0, 1]}")},
    {"an annotation that is there stays", chain,
     TWO("B") "annotate b \"k\" 1\nannotate b \"k\" 2\n", DONE("{\"k\": 1}")},
    {"annotate with nothing", chain, TWO("B") "annotate b \"k\" None\n",
     BAD("expected a number, a string or a list")},
    {"annotate by no key", chain, TWO("B") "annotate b 1 2\n",
     BAD("expected a block or loop, a key and a value")},
    {"unannotate", chain,
     TWO("B") "annotate i \"k\" 1\nunannotate i \"k\"\n"
              "x, y = split i None 3\n",
     DONE("for i_0, i_1, j in T.grid(2, 3, 8)")},
    {"unannotate what is not there", chain, TWO("B") "unannotate i \"k\"\n",
     BAD("loop 'i' has no annotation 'k'")},
    {"split what is annotated", chain,
     TWO("B") "annotate i \"k\" 1\nx, y = split i None 3\n",
     ILLEGAL("has annotations")},
    {"align storage", chain, TWO("B") "storage_align b 0 -2 32 8\n",
     DONE("{\"buffer_dim_align\": [[0, 0, 32, 8]]}")},
    {"align two axes, one again", chain,
     TWO("B") "storage_align b 0 0 32 8\nstorage_align b 0 1 4 0\n"
              "storage_align b 0 0 16 1\n",
     DONE("[[0, 0, 16, 1], [0, 1, 4, 0]]")},
    {"align by a factor of 0", chain, TWO("B") "storage_align b 0 0 0 8\n",
     ILLEGAL("not positive")},
    {"align an axis that is none", chain, TWO("B") "storage_align b 0 2 4 0\n",
     ILLEGAL("buffer 'B' has no axis 2")},
    {"align a parameter", chain, TWO("D") "storage_align b 0 0 4 0\n",
     ILLEGAL("buffer 'D' is allocated by no block around 'D'")},
    {"align beside another annotation", chain,
     TWO("B") "annotate b \"buffer_dim_align\" 3\nstorage_align b 0 0 4 0\n",
     ILLEGAL("is no list of four numbers each")},
    {"set a scope", chain, TWO("B") "set_scope b 0 \"shared\"\n",
     DONE("B = T.sblock_alloc_buffer((6, 8), \"float32\", scope=\"shared\")")},
    {"set the scope that it has", chain, TWO("B") "set_scope b 0 \"global\"\n",
     DONE("B = T.sblock_alloc_buffer((6, 8), \"float32\")\n")},
    {"set a scope that is none", chain, TWO("B") "set_scope b 0 \"sharde\"\n",
     BAD("no storage scope is called 'sharde'")},
    {"set the scope of a write that is none", chain,
     TWO("B") "set_scope b 1 \"shared\"\n", BAD("has no write 1")},
    {"set the scope of a parameter", chain,
     TWO("D") "set_scope b 0 \"shared\"\n",
     ILLEGAL("is allocated by no block")},
    {"set the scope of what other threads read", threads,
     TWO("B") "set_scope b 0 \"local\"\n",
     ILLEGAL("loop 'i', bound to 'blockIdx.x', would share buffer 'B'")},
    {"set the scope of what one thread reads", thread,
     TWO("B") "set_scope b 0 \"local\"\n", DONE("scope=\"local\"")},
    {"share what each thread had", thread,
     TWO("B") "set_scope b 0 \"local\"\nset_scope b 0 \"global\"\n",
     ILLEGAL("would share buffer 'B'")},
    /* what is stored and loaded is converted, as the reason for two casts */
    {"set a wider type", chain, TWO("B") "unsafe_set_dtype b 0 \"float64\"\n",
     DONE("B[vi, vj] = T.Cast(\"float64\", A[vi, vj] + T.float32(1.0))")},
    {"load from a wider type", chain,
     TWO("B") "unsafe_set_dtype b 0 \"float64\"\n",
     DONE("T.Cast(\"float32\", B[vi_1, vj_1]) * T.float32(3.0)")},
    {"set a type that is none", chain,
     TWO("B") "unsafe_set_dtype b 0 \"flaot32\"\n", BAD("no element type")},
    {"set the type of a parameter", chain,
     TWO("D") "unsafe_set_dtype b 0 \"float64\"\n",
     ILLEGAL("is allocated by no block")},
    {"cut axes", chain, TWO("B") "set_axis_separator b 0 \"write\" [1]\n",
     DONE("axis_separators=[1]")},
    {"cut axes of what is read", chain,
     TWO("C") "set_axis_separator b 0 \"read\" [1]\n",
     DONE("axis_separators=[1]")},
    {"cut axes outside", chain,
     TWO("B") "set_axis_separator b 0 \"write\" [3]\n",
     ILLEGAL("separator 3 is no place between axes of buffer 'B'")},
    {"cut axes of a parameter", chain,
     TWO("D") "set_axis_separator b 0 \"write\" [1]\n",
     ILLEGAL("is allocated by no block")},
    {"hide what is read", gather,
     TWO("B") "unsafe_hide_buffer_access b \"read\" [1]\n",
     DONE("T.reads(A[0:6, vj])\n")},
    {"hide what is not there", gather,
     TWO("B") "unsafe_hide_buffer_access b \"read\" [2]\n", BAD("no read 2")},
    {"hide neither reads nor writes", gather,
     TWO("B") "unsafe_hide_buffer_access b \"both\" [0]\n",
     BAD("expected \"read\" or \"write\"")},
    {"iterators in another order", chain,
     TWO("B") "reorder_block_iter_var b [1 0]\n",
     DONE("vj, vi = T.axis.remap(\"SS\", [j, i])")},
    {"iterators in no order", chain,
     TWO("B") "reorder_block_iter_var b [0 0]\n",
     ILLEGAL("no permutation of the 2 iterators of block 'B'")},
    {"a unit loop around a loop", chain, TWO("B") "u = add_unit_loop j\n",
     DONE("for i, u, j in T.grid(6, 1, 8)")},
    {"a unit loop around a block", chain,
     TWO("B") "u = add_unit_loop b\nreorder u i\n",
     DONE("for u, j, i in T.grid(1, 8, 6)")},
    {"a unit loop around everything", chain,
     "b = get_block \"root\"\nu = add_unit_loop b\n",
     BAD("no loop goes around the root block")},
    {"merge nests", chain, BOTH("B", "C") "m = merge j l\n",
     DONE("for i_m, j_m in T.grid(6, 8)")},
    {"merge outer loops", chain, BOTH("B", "C") "m = merge i k\n",
     DONE("for i_m in range(6)")},
    {"merge three", chain,
     BOTH("B", "C") "d = get_block \"D\"\nm, n = get_loops d\n"
                    "x = merge j l n\n",
     DONE("for i_m, j_m in T.grid(6, 8)")},
    {"merge rows that are turned", turned, BOTH("B", "D") "m = merge i k\n",
     DONE("for i_m in range(6)")},
    {"merge within rows that are turned", turned,
     BOTH("B", "D") "m = merge j l\n",
     ILLEGAL("reads what another iteration writes")},
    {"merge with what overwrites", overwritten,
     BOTH("B", "C") "m = merge j l\n",
     ILLEGAL("reads what another iteration writes")},
    {"merge with sums that are not done", sums,
     BOTH("S", "D") "m = merge j l\n",
     ILLEGAL("block 'S' may store an element in several iterations")},
    {"merge with sums that are done", sums, BOTH("S", "D") "m = merge i k\n",
     DONE("for i_m in range(6)")},
    {"merge past what has nothing to do with it", between,
     BOTH("C", "D") "e = get_block \"B\"\n"
                    "m = merge j l\n",
     DONE("for i_m, j_m in T.grid(6, 8)")},
    {"merge past what reads it", between, BOTH("B", "D") "m = merge j l\n",
     ILLEGAL("loop 'i' would pass a statement that touches the same")},
    {"merge backwards", chain, BOTH("B", "C") "m = merge l j\n",
     ILLEGAL("stands behind the next one given")},
    {"merge loops of one nest", chain, BOTH("B", "C") "m = merge i j\n",
     ILLEGAL("in one")},
    {"merge nests of other extents", chain, BOTH("B", "C") "m = merge i l\n",
     ILLEGAL("not equally deep")},
    {"merge one loop", chain, BOTH("B", "C") "m = merge i\n",
     BAD("expected 2 to")},
    {"parts of a loop", chain,
     TWO("C") "x, y, z = loop_partition i [2 3 None]\n",
     DONE("with T.sblock(\"C_i1_partition\"):\n"
          "            T.reads()\n            T.writes()\n"
          "            for i1 in range(2, 5):")},
    {"parts of a loop that leave a rest", chain,
     TWO("C") "x, y, z = loop_partition i 2 3\n",
     DONE("for i2 in range(5, 6):")},
    {"parts of an inner loop", chain,
     TWO("C") "x, y = loop_partition j [5]\nparallel x\n", DONE("C_j_common")},
    {"parts that are all of it", chain,
     TWO("C") "x, y = loop_partition i 2 4\n",
     ILLEGAL("not below the extent of loop 'i'")},
    {"parts of no length", chain, TWO("C") "x, y = loop_partition i 0 4\n",
     ILLEGAL("not positive")},
    {"parts of a reduction", sums, TWO("S") "x, y = loop_partition j 4\n",
     ILLEGAL("each part of loop 'k' would begin its reduction again")},
    {"parts of rows that are summed", sums,
     TWO("S") "x, y = loop_partition i 4\n", DONE("S_i_common")},
    {"parts of a part of a reduction", sums,
     TWO("S") "p, q = split j None 4\nx, y = loop_partition q 3\n",
     DONE("S_k_1_common")},
    {"split and keep unit loops", unit,
     TWO("D") "x, y = split j [1 None] 1 0\n",
     DONE("vj = T.axis.spatial(8, j_0 * 8 + j_1)")},
    {"split and drop unit loops", unit,
     TWO("D") "x, y = split j [1 None] 0 0\n",
     DONE("vi = T.axis.spatial(1, 0)\n"
          "            vj = T.axis.spatial(8, j_1)")},
    {"fuse and drop unit loops", unit, TWO("D") "x = fuse i j 0\n",
     DONE("vi = T.axis.spatial(1, 0)")},
    {"split without a guard", chain, TWO("B") "x, y = split j [None 4] 1 1\n",
     DONE("for i, j_0, j_1 in T.grid(6, 2, 4)")},
    {"split without a guard that is needed", chain,
     TWO("B") "x, y = split j [None 3] 1 1\n",
     ILLEGAL("extent of loop 'j', and no guard is wanted")},
    {"look down", chain,
     "b = get_block \"root\"\nx, y, z = get_child_blocks b\n"
     "i, j = get_loops y\nw = get_child_blocks i\nu = add_unit_loop w\n",
     DONE("for i_1, j_1, u in T.grid(6, 8, 1)")},
    {"look back", chain, TWO("C") "x = get_producers b\nannotate x \"k\" 1\n",
     DONE("T.sblock_attr({\"k\": 1})\n            B[vi, vj]")},
    {"look forward", chain,
     TWO("C") "x = get_consumers b\nannotate x \"k\" 1\n", DONE("{\"k\": 1}")},
    {"look for outputs", sums,
     "b = get_block \"root\"\nx, y = get_output_blocks b\nannotate x \"k\" 1\n",
     DONE("{\"k\": 1}")},
    {"look for the scope of the root", chain,
     "b = get_block \"root\"\nx = get_producers b\n", BAD("is in no scope")},
};

/* A box declared by an index map: (vi, vi + 1), (0, 8). */
static void claim_of_a_map(void **state)
{
    (void)state;
    struct ir_module *m = read_text("chain", chain);
    struct schedule *s = schedule_new(m, NULL, NULL);
    struct ir_module *made = ir_module_new();
    struct ir_var *vars[] = {ir_var_make(made, "x", DTYPE_INT32),
                             ir_var_make(made, "y", DTYPE_INT32)};
    struct ir_expr *x = ir_var_ref(made, vars[0]);
    struct ir_expr *zero = ir_int(made, DTYPE_INT32, 0);
    struct ir_expr *out[] = {
        x, ir_binary(made, IR_ADD, x, ir_int(made, DTYPE_INT32, 1)), zero,
        ir_int(made, DTYPE_INT32, 8)};
    struct schedule_index_map map = {2, 4, vars, out};
    schedule_ref b = schedule_block(s, "B");
    struct schedule_arg args[] = {{.kind = SCHEDULE_REF, .u.ref = b},
                                  {.kind = SCHEDULE_INT, .u.integer = 0},
                                  {.kind = SCHEDULE_INT, .u.integer = 1},
                                  {.kind = SCHEDULE_MAP, .u.map = &map}};
    schedule_ref refs[SCHEDULE_MAX_LOOPS];
    size_t nout;
    struct buf text = {0};
    for (int again = 0; again < 2; again++)
        assert_true(
            schedule_apply(s, "annotate_buffer_access", 4, args, &nout, refs));
    ir_print_script(schedule_module(s), &text);
    /* as in TVM's test_tir_schedule_annotate_buffer_access.py */
    assert_non_null(strstr(buf_text(&text), "T.writes(B[vi, 0:8])"));
    assert_non_null(
        strstr(buf_text(&text), "{\"explicit_write_region\": [0]}"));
    map.nout = 2;
    assert_false(
        schedule_apply(s, "annotate_buffer_access", 4, args, &nout, refs));
    assert_non_null(strstr(schedule_message(s), "to 4 numbers"));
    buf_fini(&text);
    ir_module_free(made);
    schedule_free(s);
    ir_module_free(m);
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(rows) + 1];
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
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(claim_of_a_map);
    return _cmocka_run_group_tests("what is declared, loops apart and together",
                                   tests, n, NULL, NULL);
}
