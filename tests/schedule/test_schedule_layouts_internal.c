/* SPDX-License-Identifier: Apache-2.0
 *
 * Layouts, copies and padding, as TVM 0.27 does them: each folder of
 * corpora/layouts has a program, steps, and what TVM made of them, with the
 * same loops, blocks and buffers as ours, which computes the same
 * (tests/tvm/layouts.sh asks TVM again).
 */
#include "tests/schedule/schedule_case_internal.h"

/* PARAMS change: the result runs as TVM's does, not as the program. Sizes that
 * are SYMBOLIC: it equals TVM's. ASSUMED: it is not run, since no input of ours
 * holds the padding that it assumes. */
enum { PLAIN, PARAMS, SYMBOLIC, ASSUMED };

struct folder {
    const char *name;
    int kind, order;
};

static const struct folder folders[] = {
    {"transform_layout", PARAMS, SAME},
    {"transform_layout_padded", PLAIN, SAME},
    {"transform_layout_padded_behind", PLAIN, SAME},
    {"transform_layout_of_input", ASSUMED, SAME},
    {"transform_layout_of_output", PARAMS, SAME},
    {"transform_layout_of_reduction", PLAIN, SAME},
    {"transform_layout_fused", PLAIN, SAME},
    {"transform_block_layout", PLAIN, ORDER},
    {"transform_block_layout_symbolic", SYMBOLIC, SAME},
    {"reindex_convolution", PLAIN, SAME},
    {"reindex_again", PLAIN, SAME},
    {"reindex_cache_convolution", PLAIN, SAME},
    {"reindex_cache_below_loop", PLAIN, SAME},
    {"pad_einsum_matmul", PLAIN, SAME},
    {"pad_einsum_symbolic", SYMBOLIC, SAME},
    {"pad_einsum_row_sums", PLAIN, SAME},
    {"decompose_padding", PLAIN, SAME},
    {"decompose_padding_split", PLAIN, SAME},
    {"decompose_padding_below_loop", PLAIN, SAME},
    {"rolling_buffer", PLAIN, SAME},
    {"rolling_buffer_two", PLAIN, SAME},
};

/* ---- structure ------------------------------------------------------------- */

static void say_buffer(const struct ir_buffer *b, struct buf *out)
{
    buf_printf(out, " %s %s [", b->name, b->scope);
    for (size_t d = 0; d < b->rank; d++) {
        buf_puts(out, d > 0 ? ", " : "");
        ir_print_expr(b->shape[d], out);
    }
    buf_puts(out, "]");
}

static void say_block(const struct ir_block *b, struct buf *out)
{
    buf_printf(out, "block %s", b->name);
    for (size_t i = 0; i < b->niters; i++) {
        buf_printf(out, " %d:", (int)b->iters[i].type);
        ir_print_expr(b->iters[i].dom.extent, out);
    }
    buf_puts(out, ir_is_true(b->predicate) ? "\n  reads" : " where\n  reads");
    for (size_t i = 0; i < b->nreads; i++)
        buf_printf(out, " %s", b->reads[i].buffer->name);
    buf_puts(out, " writes");
    for (size_t i = 0; i < b->nwrites; i++)
        buf_printf(out, " %s", b->writes[i].buffer->name);
    buf_puts(out, " allocates");
    for (size_t i = 0; i < b->nallocs; i++)
        say_buffer(b->allocs[i], out);
    buf_puts(out, b->init ? " init\n" : "\n");
}

static bool say_stmt(void *user, struct ir_stmt *stmt)
{
    struct buf *out = user;
    if (stmt->kind == IR_FOR) {
        buf_printf(out, "%s ", ir_for_kind_name(stmt->u.loop.kind));
        ir_print_expr(stmt->u.loop.extent, out);
        buf_puts(out, stmt->u.loop.annotations ? " annotated\n" : "\n");
    }
    if (stmt->kind == IR_BLOCK)
        say_block(stmt->u.block, out);
    return true;
}

/* Loops, blocks and buffers, a line each. */
static void say_structure(const struct ir_module *m, struct buf *out)
{
    const struct ir_prim_func *f = &m->funcs[0]->prim;
    struct ir_visitor visitor = {say_stmt, NULL, out};
    for (size_t i = 0; i < f->nparams; i++)
        if (f->params[i].buffer)
            say_buffer(f->params[i].buffer, out);
    buf_puts(out, "\n");
    ir_visit_stmt(&visitor, f->body);
}

/* ---- a folder -------------------------------------------------------------- */

static struct ir_module *read_module(const char *folder, const char *file)
{
    struct diag_sink *sink = diag_sink_new();
    char path[200];
    snprintf(path, sizeof path, "corpora/layouts/%s/%s", folder, file);
    struct ir_module *m = ir_read_file(path, sink);
    if (!m || !ir_wellformed(m, sink)) {
        struct buf out = {0};
        diag_render(sink, false, &out);
        print_error("%s", buf_text(&out));
        buf_fini(&out);
        fail();
    }
    diag_sink_free(sink);
    return m;
}

/* Ours as it prints, since printing gives each buffer a name of its own. */
static void check_structure(const char *name, const struct ir_module *ours,
                            const struct ir_module *theirs)
{
    struct buf a = {0}, b = {0}, text = {0};
    ir_print_script(ours, &text);
    struct ir_module *printed = read_text(name, buf_text(&text));
    say_structure(printed, &a);
    say_structure(theirs, &b);
    ir_module_free(printed);
    buf_fini(&text);
    if (strcmp(buf_text(&a), buf_text(&b)) != 0) {
        print_error("%s: ours\n%s\nTVM's\n%s\n", name, buf_text(&a),
                    buf_text(&b));
        fail();
    }
    buf_fini(&a);
    buf_fini(&b);
}

static void run_folder(void **state)
{
    const struct folder *f = *state;
    struct ir_module *before = read_module(f->name, "untuned.py");
    struct ir_module *theirs = read_module(f->name, "tuned.py");
    struct schedule *s = schedule_new(before, NULL, NULL);
    struct buf steps = {0};
    char path[200];
    snprintf(path, sizeof path, "corpora/layouts/%s/steps.txt", f->name);
    assert_true(file_read(path, 0, &steps, NULL));
    bool done = run_steps(s, buf_text(&steps));
    if (!done)
        print_error("%s: %s\n", f->name, schedule_message(s));
    assert_true(done);
    const struct ir_module *ours = schedule_module(s);
    check_structure(f->name, ours, theirs);
    if (f->kind == SYMBOLIC) {
        struct ir_equal_options options = {false, false, true};
        struct buf where = {0};
        if (!ir_module_equal(ours, theirs, options, &where)) {
            print_error("%s: %s\n", f->name, buf_text(&where));
            fail();
        }
        buf_fini(&where);
    } else if (f->kind != ASSUMED) {
        compare_runs(f->name, theirs, ours, false);
    }
    if (f->kind == PLAIN)
        compare_runs(f->name, before, ours, f->order == ORDER);
    buf_fini(&steps);
    schedule_free(s);
    ir_module_free(before);
    ir_module_free(theirs);
}

/* ---- refused, and done where TVM is at fault ------------------------------- */

#define MAIN(params)      HEAD "def main(" params "):\n"
#define INTS(name, shape) name ": T.Buffer(" shape ", \"int32\")"
#define ROOM(name, shape) \
    "    " name " = T.sblock_alloc_buffer(" shape ", \"int32\")\n"
#define POINTS(name, m, n, iters, store)      \
    "    for i, j in T.grid(" m ", " n "):\n" \
    "        with T.sblock(\"" name "\"):\n"  \
    "            " iters "\n"                 \
    "            " store "\n"
#define PLAIN_ITERS "vi, vj = T.axis.remap(\"SS\", [i, j])"

// clang-format off
/* one block behind another */
static const char two[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6, 8)"))
    ROOM("B", "(6, 8)")
    POINTS("B", "6", "8", PLAIN_ITERS, "B[vi, vj] = A[vi, vj] * 2")
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi, vj] = B[vi, vj] + 1");
/* transform-layout-permuted-block, a fault of TVM's */
static const char permuted[] =
    MAIN(INTS("A", "(7, 10)") ", " INTS("C", "(7, 10)"))
    ROOM("B", "(7, 10)")
    POINTS("B", "7", "10", "vj, vi = T.axis.remap(\"SS\", [j, i])",
           "B[vi, vj] = A[vi, vj] * 2")
    POINTS("C", "7", "10", PLAIN_ITERS, "C[vi, vj] = B[vi, vj] + 1");
/* what is written in the order of the loops is read in it */
static const char running[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6, 8)"))
    ROOM("B", "(6, 8)")
    POINTS("B", "6", "8", PLAIN_ITERS,
           "B[vi, vj] = T.if_then_else(0 < vi, B[vi - 1, vj], 0) + A[vi, vj]")
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi, vj] = B[vi, vj] + 1");
static const char strided[] =
    HEAD "def main(a: T.handle, C: T.Buffer((6, 8), \"int32\")):\n"
    "    A = T.match_buffer(a, (6, 8), \"int32\", strides=(16, 1))\n"
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi, vj] = A[vi, vj] + 1");
static const char viewed[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6, 8)"))
    "    for i in range(6):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            T.reads(A[vi, 0:8])\n"
    "            T.writes(C[vi, 0:8])\n"
    "            V = T.match_buffer(A[vi, 0:8], (8,), \"int32\", "
    "offset_factor=1)\n"
    "            for k in range(8):\n"
    "                C[vi, k] = V[k]\n";
/* transform-block-layout-guard, a fault of TVM's */
static const char guarded[] =
    MAIN(INTS("A", "(5,)") ", " INTS("C", "(5,)"))
    "    for f in range(14):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(5, f)\n"
    "            T.where(f // 7 * 7 + f % 7 < 5)\n"
    "            C[vi] = A[vi] * 2 - 1\n";
/* some of the domain alone */
static const char half[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6, 8)"))
    POINTS("C", "3", "8",
           "vi = T.axis.spatial(6, i)\n            vj = T.axis.spatial(8, j)",
           "C[vi, vj] = A[vi, vj]");
/* terms in an order that counts */
static const char horner[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6,)"))
    "    for i, k in T.grid(6, 8):\n"
    "        with T.sblock(\"C\"):\n"
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"
    "            with T.init():\n"
    "                C[vi] = 0\n"
    "            C[vi] = C[vi] * 3 + A[vi, vk]\n";
/* a reduction; its output and inputs */
#define SUM(type, unit, term)                                              \
    HEAD "def main(A: T.Buffer((6, 10), \"" type "\"), W: T.Buffer((10,), " \
    "\"" type "\"), C: T.Buffer((6,), \"" type "\")):\n"                    \
    "    for i, k in T.grid(6, 10):\n"                                      \
    "        with T.sblock(\"C\"):\n"                                       \
    "            vi, vk = T.axis.remap(\"SR\", [i, k])\n"                   \
    "            with T.init():\n"                                          \
    "                C[vi] = " unit "\n"                                    \
    "            C[vi] = " term "\n"
static const char dot[] =
    SUM("float32", "T.float32(0)", "C[vi] + A[vi, vk] * W[vk]");
static const char from_one[] = SUM("int32", "1", "C[vi] + A[vi, vk]");
static const char largest[] =
    SUM("int32", "T.min_value(\"int32\")", "T.max(C[vi], A[vi, vk])");
static const char plus_one[] = SUM("int32", "0", "C[vi] + (A[vi, vk] + 1)");
static const char scaled[] =
    SUM("float32", "T.float32(0)", "C[vi] + A[vi, 0] * W[vk]");
static const char scaled_ints[] = SUM("int32", "0", "C[vi] + A[vi, 0] * W[vk]");
static const char quotients[] =
    SUM("int32", "0", "C[vi] + T.truncdiv(A[vi, vk], W[vk])");
/* reindex-guard, reindex-cache-read-guard: faults of TVM's */
static const char padded[] =
    MAIN(INTS("A", "(4, 6)") ", " INTS("C", "(6, 6)"))
    POINTS("C", "6", "6", PLAIN_ITERS,
           "C[vi, vj] = T.if_then_else(1 <= vi and vi < 5, A[vi - 1, vj], 7)");
static const char twice[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(5, 8)"))
    POINTS("C", "5", "8", PLAIN_ITERS,
           "C[vi, vj] = A[vi, vj] + A[vi + 1, vj]");
static const char last_wins[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6,)"))
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi] = A[vi, vj]");
static const char crossing[] =
    MAIN(INTS("A", "(13,)") ", " INTS("C", "(6, 8)"))
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi, vj] = A[vi + vj]");
/* an index that a block before computes; an init that reads */
static const char indirect[] =
    MAIN(INTS("A", "(6,)") ", " INTS("C", "(6, 8)"))
    "    N = T.sblock_alloc_buffer((6,), \"int32\")\n"
    "    for i in range(6):\n"
    "        with T.sblock(\"N\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            N[vi] = 5 - vi\n"
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi, vj] = A[N[vi]] + vj");
static const char reading_init[] =
    SUM("int32", "A[5, vi + 4]", "C[vi] + A[vi, vk]");
/* a loop that holds two blocks */
static const char rows_of_two[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6,)"))
    ROOM("B", "(6, 8)")
    "    for i in range(6):\n"
    "        for j in range(8):\n"
    "            with T.sblock(\"B\"):\n"
    "                vi, vj = T.axis.remap(\"SS\", [i, j])\n"
    "                B[vi, vj] = T.if_then_else(0 < vj and vi < 5, "
    "A[vi, vj], 7)\n"
    "        with T.sblock(\"C\"):\n"
    "            vi = T.axis.spatial(6, i)\n"
    "            C[vi] = B[vi, 0] + B[vi, 7]\n";
static const char early[] =
    MAIN(INTS("A", "(6, 8)") ", " INTS("B", "(6, 8)") ", " INTS("C", "(6, 8)"))
    POINTS("C", "6", "8", PLAIN_ITERS, "C[vi, vj] = B[vi, vj] + 1")
    POINTS("B", "6", "8", PLAIN_ITERS,
           "B[vi, vj] = T.if_then_else(0 < vj, A[vi, vj], 7)");
#define CHOICE(cond)                               \
    MAIN(INTS("A", "(6, 8)") ", " INTS("C", "(6, 8)")) \
    POINTS("C", "6", "8", PLAIN_ITERS,             \
           "C[vi, vj] = T.if_then_else(" cond ", A[vi, vj], 7)")
static const char always[] = CHOICE("vi < 9");
static const char never[] = CHOICE("vi < 2 and 3 <= vi");
/* windows of a buffer, for a loop that holds both blocks */
#define WINDOWS(loop, fill, read)                                   \
    MAIN(INTS("A", "(12, 8)") ", " INTS("C", "(8, 8)"))             \
    ROOM("B", "(10, 8)")                                            \
    "    for t in " loop ":\n"                                      \
    "        for x, y in T.grid(4, 8):\n"                           \
    "            with T.sblock(\"B\"):\n"                           \
    fill                                                            \
    "        for x, y in T.grid(2, 8):\n"                           \
    "            with T.sblock(\"C\"):\n"                           \
    "                vi = T.axis.spatial(8, t * 2 + x)\n"           \
    "                vj = T.axis.spatial(8, y)\n"                   \
    "                C[vi, vj] = " read "\n"
#define FILL(values)                                                \
    "                vi = T.axis.spatial(10, t * 2 + x)\n"          \
    "                vj = T.axis.spatial(8, y)\n"                   \
    "                B[vi, vj] = " values "\n"
static const char window[] =
    WINDOWS("range(4)", FILL("A[vi, vj] + A[vi + 2, vj]"),
            "B[vi, vj] * B[vi + 2, vj]");
static const char window_parallel[] =
    WINDOWS("T.parallel(4)", FILL("A[vi, vj]"), "B[vi, vj] * B[vi + 2, vj]");
static const char window_behind[] =
    WINDOWS("range(4)", FILL("A[vi, vj]"),
            "B[vi, vj] + T.if_then_else(0 < vi, B[vi - 1, vj], 0)");
static const char window_timed[] =
    WINDOWS("range(4)", FILL("A[vi, vj] + t"), "B[vi, vj] * B[vi + 2, vj]");
static const char window_turned[] =
    WINDOWS("range(4)",
            "                vj = T.axis.spatial(8, y)\n"
            "                vi = T.axis.spatial(10, t * 2 + x)\n"
            "                B[vi, vj] = A[vi, vj]\n",
            "B[vi, vj] * B[vi + 2, vj]");
static const char window_guarded[] =
    WINDOWS("range(4)",
            "                vi = T.axis.spatial(10, t * 2 + x)\n"
            "                vj = T.axis.spatial(8, y)\n"
            "                T.where(t + x < 9)\n"
            "                B[vi, vj] = A[vi, vj]\n",
            "B[vi, vj] * B[vi + 2, vj]");
// clang-format on

#define B                 "b = get_block \"B\"\n"
#define C                 "c = get_block \"C\"\n"
#define ILLEGAL(part)     part, SCHEDULE_ILLEGAL, SAME, NULL
#define UNSUPPORTED(part) part, SCHEDULE_UNSUPPORTED, SAME, NULL
#define BAD(part)         part, SCHEDULE_BAD_REQUEST, SAME, NULL
#define DONE(text)        NULL, SCHEDULE_DONE, SAME, text
#define TO(map)           B "transform_layout b [\"write\" 0] \"lambda " map "\""
#define OVER(map)         C "transform_block_layout c \"lambda " map "\""
#define CACHE(map)        C "reindex_cache_read c 0 \"local\" \"lambda " map "\""
#define BACK(map)         C "reindex_cache_write c 0 \"local\" \"lambda " map "\""

static const struct row rows[] = {
    /* index maps */
    {"layout without a buffer", two, B "transform_layout b", BAD("a buffer")},
    {"layout without a map", two, B "transform_layout b \"B\"",
     BAD("an index map")},
    {"layout of the root", two,
     "r = get_block \"root\"\ntransform_layout r \"B\" \"lambda i: i\"",
     BAD("block 'root' accesses no buffer 'B'")},
    {"layout of a buffer that is not there", two,
     B "transform_layout b \"D\" \"lambda i, j: (j, i)\"",
     BAD("block 'B' accesses no buffer 'D'")},
    {"layout of a read that is not there", two,
     B "transform_layout b [\"read\" 1] \"lambda i, j: (j, i)\"",
     BAD("block 'B' has no read 1")},
    {"layout of what is neither", two,
     B "transform_layout b [\"both\" 0] \"lambda i, j: (j, i)\"",
     BAD("expected \"read\" or \"write\"")},
    {"layout as traces say it", two,
     B "transform_layout b 0 1 \"lambda i, j: (j, i)\" None 1",
     DONE("B[vj, vi] = A[vi, vj] * 2")},
    {"a map that is none", two, TO("i, j: (j, i"), BAD("lambda i, j: (j, i")},
    {"a map of other rank", two, TO("i: i"), BAD("takes 1 indices, not 2")},
    {"a map that drops an index", two, TO("i, j: i"),
     ILLEGAL("an index does not occur")},
    {"a map that drops a part", two, TO("i, j: (i // 2, j)"),
     ILLEGAL("an index loses a part of itself")},
    {"a map that drops the upper part", two, TO("i, j: (i % 4, j)"),
     ILLEGAL("an index loses a part of itself")},
    {"a map with an index twice", two, TO("i, j: (i, i, j)"),
     ILLEGAL("an index occurs twice")},
    {"a map that overlaps", two, TO("i, j: i + j"),
     ILLEGAL("parts of an output overlap")},
    {"a map with gaps", two, TO("i, j: (i * 2, j)"), ILLEGAL("leave gaps")},
    {"a map that does not begin at 0", two, TO("i, j: (i + 1, j)"),
     ILLEGAL("does not begin at 0")},
    {"a map that counts down", two, TO("i, j: (5 - i, j)"),
     ILLEGAL("does not begin at 0")},
    {"a map of products", two, TO("i, j: (i * j, j)"),
     ILLEGAL("a part of it is no index")},
    {"a map of bits", two, TO("i, j: (i ^ j, j)"),
     ILLEGAL("no sum of quotients and remainders")},
    {"a map that takes an index apart twice", two,
     TO("i, j: ((i * 8 + j) // 3, (i * 8 + j) % 3, i)"),
     ILLEGAL("taken apart in two ways")},
    {"a map whose sum is no number", two,
     TO("i, j: ((i * 7 + j) // 2, (i * 7 + j) % 2)"),
     ILLEGAL("not its digits")},
    {"a map with padding", two, TO("i, j: (i, j // 3, j % 3)"),
     ILLEGAL("has padding, for which there is no pad value")},
    {"a pad value of two results", two,
     TO("i, j: (i, j // 3, j % 3)") " \"lambda i, j, k: (i, j)\"",
     BAD("a pad value of 2 results")},
    {"a pad value of another rank", two,
     TO("i, j: (i, j // 3, j % 3)") " \"lambda i, j: T.int32(1)\"",
     BAD("takes 2 indices, not 3")},
    {"a pad value of another type", two,
     TO("i, j: (i, j // 3, j % 3)") " \"lambda i, j, k: T.float32(1)\"",
     BAD("not of the type of buffer 'B'")},
    {"a pad value that depends on where", two,
     TO("i, j: (i, j // 3, j % 3)") " \"lambda i, j, k: T.Cast('int32', i + "
                                    "k)\"",
     DONE("T.if_then_else(")},
    {"a pad value as a number", two, TO("i, j: (i, j // 3, j % 3)") " 9",
     DONE("B = T.sblock_alloc_buffer((6, 3, 3), \"int32\")")},
    {"layout of iterators in another order", permuted,
     B "transform_layout b \"B\" \"lambda i, j: (i // 8, j // 3, i % 8, j % "
       "3)\" 5",
     DONE("for axis0, axis1, axis2, axis3 in T.grid(1, 4, 8, 3):")},
    {"padding where the order counts", running,
     TO("i, j: (j, i // 4, i % 4)") " 0",
     DONE("with T.sblock(\"buffer_B_padding\"):")},
    {"layout of a buffer with strides", strided,
     C "transform_layout c \"A\" \"lambda i, j: (j, i)\"",
     UNSUPPORTED("buffer 'A' has strides")},
    {"layout of a buffer with a view", viewed,
     C "transform_layout c \"A\" \"lambda i, j: (j, i)\"",
     UNSUPPORTED("buffer 'A' has strides, views")},
    /* iterators */
    {"iterators of the root", two,
     "r = get_block \"root\"\ntransform_block_layout r \"lambda: ()\"",
     BAD("the root block has no iterators")},
    {"iterators of a split loop", two,
     C "i, j = get_loops c\nx, y = split i None 2\n"
       "transform_block_layout c \"lambda i, j: (j, i)\"",
     ILLEGAL("block 'C' is not bound to its loops one by one")},
    {"iterators below a loop that holds more", rows_of_two,
     B "transform_block_layout b \"lambda i, j: (j, i)\"",
     ILLEGAL("not bound to its loops one by one, or they hold something else")},
    {"iterators with a guard", guarded, OVER("i: i"),
     DONE("for ax0 in range(5):")},
    {"iterators that do not run for all", half, OVER("i, j: (j, i)"),
     ILLEGAL("loop 'i' does not reach over the domain of iterator 'vi'")},
    {"iterators with padding", two, OVER("i, j: (i, j // 3, j % 3)"),
     ILLEGAL("block 'C' would have more points")},
    {"iterators of two kinds", dot, OVER("i, k: i * 10 + k"),
     ILLEGAL("would be made of iterators of several kinds")},
    {"terms in another order", horner, OVER("i, k: (i, k % 2, k // 2)"),
     ILLEGAL("its reduction is no known reducer")},
    {"terms in the same order", horner, OVER("i, k: (i, k // 2, k % 2)"),
     DONE("for ax0, ax1, ax2 in T.grid(6, 4, 2):")},
    {"points in another order", running,
     B "transform_block_layout b \"lambda i, j: (j, i)\"",
     ILLEGAL("would change their order: it reads what other points of it "
             "write")},
    {"points in another order, told apart by digits", two,
     OVER("i, j: i * 8 + j") "\ntransform_block_layout c "
                             "\"lambda f: (f % 6, f // 6)\"",
     DONE("for ax0, ax1 in T.grid(6, 8):")},
    /* reindex */
    {"reindex without a buffer", two, C "reindex c", BAD("expected a buffer")},
    {"reindex of too much", two, C "reindex c \"B\" 1",
     BAD("expected a block and a buffer")},
    {"reindex under a condition", padded, C "reindex c [\"read\" 0]",
     ILLEGAL("elements of buffer 'A' that block 'C' reads only under a "
             "condition")},
    {"reindex of two places", twice, C "reindex c [\"read\" 0]",
     ILLEGAL("accesses buffer 'A' at several places")},
    {"reindex with a view", viewed, C "reindex c [\"read\" 0]",
     UNSUPPORTED("views")},
    {"reindex in loops that hold more", rows_of_two, B "reindex b 0 1",
     ILLEGAL("the loops of block 'B' hold something else")},
    {"reindex of a part", half, C "reindex c [\"write\" 0]",
     ILLEGAL("block 'C' may not run for all of its domain")},
    {"reindex of the last of several", last_wins, C "reindex c [\"write\" 0]",
     ILLEGAL("do not tell its stores apart")},
    {"reindex without an init", dot,
     C "i, k = get_loops c\nd = decompose_reduction c i\n"
       "reindex c [\"write\" 0]",
     ILLEGAL("neither complete (an iterator is not spatial) nor a reduction "
             "(it has no init)")},
    {"reindex of what it writes", running, B "reindex b [\"read\" 0]",
     ILLEGAL("several places")},
    /* caches of any layout */
    {"cache of a place that is none", two,
     C "reindex_cache_read c 0 \"nowhere\" \"lambda i, j: (j, i)\"",
     BAD("no storage scope is called 'nowhere'")},
    {"cache by a map of other rank", two, CACHE("i: i"),
     BAD("takes 1 indices, but block 'C' has 2 iterators")},
    {"cache without an iterator", two, CACHE("i, j: i"),
     ILLEGAL("iterator 'vj' of block 'C' is used by the access, not by the "
             "index map")},
    {"cache with one more", last_wins, BACK("i, j: (i, j)"),
     ILLEGAL("iterator 'vj' of block 'C' is used by the index map, not by the "
             "access")},
    {"cache that holds two in one place", two, CACHE("i, j: i + j"),
     ILLEGAL("several elements of buffer 'B' in one place")},
    {"cache of one element many times", crossing, CACHE("i, j: i + j"),
     DONE("A_local = T.sblock_alloc_buffer((13,), \"int32\", "
          "scope=\"local\")")},
    {"cache of one element in many places", crossing, CACHE("i, j: (j, i)"),
     DONE("A_local = T.sblock_alloc_buffer((8, 6), \"int32\", "
          "scope=\"local\")")},
    {"cache that begins below 0", two, CACHE("i, j: (i - 1, j)"),
     UNSUPPORTED("not known to begin at 0")},
    {"cache by bits", two, CACHE("i, j: i ^ j"),
     UNSUPPORTED("not made of sums, quotients and remainders")},
    {"cache under a condition", padded, CACHE("i, j: (j, i)"),
     ILLEGAL("elements of buffer 'A' that block 'C' reads only under a "
             "condition")},
    {"cache of what comes later", early, CACHE("i, j: (j, i)"),
     ILLEGAL("block 'C' reads buffer 'B' before it is written")},
    {"cache by an index from memory", indirect, CACHE("i, j: i"),
     UNSUPPORTED("an index of buffer 'A' is read from memory")},
    {"reindex by an index from memory", indirect, C "reindex c [\"read\" 0]",
     DONE("A_reindex[v0] = A[N[v0]]")},
    {"padding where the init reads", reading_init, C "pad_einsum c [4 1]",
     ILLEGAL("block 'C' is more than one store")},
    {"cache that overtakes a reader", early,
     B "reindex_cache_write b 0 \"local\" \"lambda i, j: (j, i)\"",
     ILLEGAL("block 'C' reads buffer 'B' before it is written")},
    /* reindex-cache-write-guard, a fault of TVM's */
    {"cache with a guard", two,
     C "i, j = get_loops c\nx, y = split i None 4\n"
       "reindex_cache_write c 0 \"global\" \"lambda i, j: (j, i)\"",
     DONE("with T.sblock(\"C_global\"):")},
    {"cache with a guard on terms", dot,
     C "i, k = get_loops c\nx, y = split k None 4\n"
       "reindex_cache_write c 0 \"global\" \"lambda i, k: i\"",
     DONE("with T.sblock(\"C_global\"):")},
    /* einsums */
    {"zeros for a maximum", largest, C "pad_einsum c [1 4]",
     ILLEGAL("block 'C' is no sum from 0, to whose terms zeros for iterator "
             "'vk' could be added")},
    {"zeros for a sum from 1", from_one, C "pad_einsum c [1 4]",
     ILLEGAL("is no sum from 0")},
    {"zeros for terms that are none", plus_one, C "pad_einsum c [1 4]",
     ILLEGAL("its term may not be zero where iterator 'vk' reads zeros")},
    {"zeros times what may be infinite", scaled, C "pad_einsum c [1 4]",
     ILLEGAL("its term may not be zero where iterator 'vk' reads zeros")},
    {"zeros times integers", scaled_ints, C "pad_einsum c [1 4]",
     DONE("with T.sblock(\"W_pad\"):")},
    {"zeros that divide", quotients, C "pad_einsum c [4 1]",
     ILLEGAL("block 'C' computes what may fail on zeros")},
    {"rows of a maximum", largest, C "pad_einsum c [4 1]",
     DONE("with T.sblock(\"C_pad\"):")},
    {"padding of other rank", dot, C "pad_einsum c [4]",
     BAD("block 'C' has 2 iterators, not 1")},
    {"padding to nothing", dot, C "pad_einsum c [4 0]",
     BAD("a padding that is no positive integer")},
    {"padding of sums of places", crossing, C "pad_einsum c [4 3]",
     ILLEGAL("buffer 'A' is not indexed by iterators alone")},
    {"padding of a part", half, C "pad_einsum c [4 1]",
     ILLEGAL("block 'C' may not run for all of its domain")},
    {"padding of a split loop", dot,
     C "i, k = get_loops c\nx, y = split k None 5\npad_einsum c [1 4]",
     ILLEGAL("iterator 'vk' of block 'C' is not bound to a loop over its "
             "domain")},
    {"padding in loops that hold more", rows_of_two, B "pad_einsum b [4 4]",
     ILLEGAL("the loops of block 'B' hold something else")},
    {"padding that is there", dot, C "pad_einsum c [3 5]",
     DONE("for i, k in T.grid(6, 10):")},
    /* constants apart */
    {"constants of no choice", two,
     C "i, j = get_loops c\n"
       "decompose_padding c i",
     ILLEGAL("block 'C' is no store of T.if_then_else(condition, value, "
             "number)")},
    {"constants before another block's loop", two,
     C B "i, j = get_loops b\ndecompose_padding c i", ILLEGAL("no store")},
    {"constants where there are none", always,
     C "i, j = get_loops c\ndecompose_padding c i",
     ILLEGAL("the condition of block 'C' always holds")},
    {"constants everywhere", never,
     C "i, j = get_loops c\ndecompose_padding c i",
     ILLEGAL("the condition of block 'C' never holds")},
    {"constants that a reader overtakes", early,
     B "i, j = get_loops b\ndecompose_padding b i",
     ILLEGAL("block 'C' reads buffer 'B' before it is written")},
    {"constants from threads", padded,
     C "i, j = get_loops c\nbind i \"threadIdx.x\"\ndecompose_padding c i",
     UNSUPPORTED("loop 'i' is bound to threads, whose number would change")},
    /* TVM 0.27 loses block C */
    {"constants before a loop that holds more", rows_of_two,
     B "i, j = get_loops b\ndecompose_padding b i",
     DONE("with T.sblock(\"B_pad_const\"):")},
    {"constants below a loop that holds more", rows_of_two,
     B "i, j = get_loops b\nd = decompose_padding b j",
     DONE("with T.sblock(\"B_pad_const\"):")},
    /* windows */
    {"a window", window, B "rolling_buffer b 0",
     DONE("T.where(t < 1 or x >= 2)")},
    {"a window that is the output", window, C "rolling_buffer c 0",
     ILLEGAL("buffer 'C' is not allocated in the scope")},
    {"a window without a loop", two, B "rolling_buffer b 0",
     ILLEGAL("block 'B' and the readers of buffer 'B' are not below one loop")},
    {"a window that does not overlap", rows_of_two, B "rolling_buffer b 0",
     ILLEGAL("no dimension of what block 'B' fills overlaps")},
    {"a window in parallel", window_parallel, B "rolling_buffer b 0",
     ILLEGAL("'t' is no serial loop from 0 around the readers")},
    {"a reader beside the window", window_behind, B "rolling_buffer b 0",
     ILLEGAL("block 'C' may read of buffer 'B' what its own iteration does not "
             "hold")},
    {"a window that depends on time", window_timed, B "rolling_buffer b 0",
     ILLEGAL("block 'B' may compute an element otherwise in another "
             "iteration")},
    {"a window whose guard depends on time", window_guarded,
     B "rolling_buffer b 0",
     ILLEGAL("the guard of block 'B' is not about its "
             "iterators")},
    {"a window whose iterators are turned", window_turned,
     B "rolling_buffer b 0",
     UNSUPPORTED("does not index buffer 'B' by its iterators")},
};

/* ---- maps as traces hold them ---------------------------------------------- */

/* lambda i, j: (j, i), as TVM 0.27 saves it */
static const char json_map[] =
    "{\\\"root_index\\\":8,\\\"nodes\\\":[{\\\"type\\\":\\\"None\\\"},{"
    "\\\"type\\\":"
    "\\\"ir.PrimType\\\",\\\"data\\\":{\\\"span\\\":0,\\\"dtype\\\":"
    "\\\"int32\\\"}},{"
    "\\\"type\\\":\\\"ffi.String\\\",\\\"data\\\":\\\"i\\\"},{\\\"type\\\":"
    "\\\"ir.Var\\\","
    "\\\"data\\\":{\\\"span\\\":0,\\\"ty\\\":1,\\\"name\\\":2}},{\\\"type\\\":"
    "\\\"ffi.String\\\",\\\"data\\\":\\\"j\\\"},{\\\"type\\\":\\\"ir.Var\\\","
    "\\\"data\\\":{"
    "\\\"span\\\":0,\\\"ty\\\":1,\\\"name\\\":4}},{\\\"type\\\":\\\"ffi."
    "Array\\\",\\\"data\\\":"
    "[3,5]},{\\\"type\\\":\\\"ffi.Array\\\",\\\"data\\\":[5,3]},{\\\"type\\\":"
    "\\\"tirx.IndexMap\\\",\\\"data\\\":{\\\"initial_indices\\\":6,"
    "\\\"final_indices\\\":7,\\\"inverse_index_map\\\":0}}],\\\"metadata\\\":{"
    "\\\"tvm_version\\\":\\\"0.27.0.post1\\\"}}";

static const char *const map_steps[] = {
    "transform_layout b 0 1 \"%s\"",
    "transform_block_layout b \"%s\"",
    "reindex_cache_read b 0 \"local\" \"%s\"",
    "reindex_cache_write b 0 \"local\" \"%s\"",
};

/* The step with the map in it; what it says where it is refused. */
static bool run_map(struct schedule *s, const char *step, const char *map)
{
    struct schedule_names *names = schedule_names_new();
    struct buf line = {0};
    const char *at = strstr(step, "%s");
    assert_true(schedule_run_line(s, names, "b = get_block \"B\""));
    buf_append(&line, step, (size_t)(at - step));
    buf_printf(&line, "%s%s", map, at + 2);
    bool done = schedule_run_line(s, names, buf_text(&line));
    assert_true(done || schedule_message(s)[0] != '\0');
    buf_fini(&line);
    schedule_names_free(names);
    return done;
}

static void maps_in_json(void **state)
{
    struct ir_module *m = read_text("two", two);
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(map_steps); i++) {
        struct schedule *s = schedule_new(m, NULL, NULL);
        assert_true(run_map(s, map_steps[i], json_map));
        compare_runs(map_steps[i], m, schedule_module(s), false);
        schedule_free(s);
    }
    ir_module_free(m);
}

/* Maps with a byte changed, or cut off: done or refused, never anything else,
 * and what is done computes the same. */
static void maps_of_any_bytes(void **state)
{
    static const char lambda[] = "lambda i, j: (j // 4, i * 4 + j % 4)";
    static const char odd[] = {'0', '7', ',', '(', ')', '*',
                               '/', '%', '-', '.', 'j', '\x80'};
    const char *const maps[] = {lambda, json_map};
    struct ir_module *m = read_text("two", two);
    (void)state;
    for (size_t t = 0; t < DC_ARRAY_LEN(maps); t++)
        for (size_t at = 0; at < strlen(maps[t]); at++) {
            char text[1024];
            size_t n = strlen(maps[t]);
            struct schedule *s = schedule_new(m, NULL, NULL);
            assert_true(n < sizeof text);
            memcpy(text, maps[t], n + 1);
            text[at] = odd[at % sizeof odd];
            for (size_t i = 0; i < DC_ARRAY_LEN(map_steps); i++)
                if (run_map(s, map_steps[i], text) && i > 0)
                    compare_runs(text, m, schedule_module(s), false);
            text[at] = '\0';
            (void)run_map(s, map_steps[0], text);
            schedule_free(s);
        }
    ir_module_free(m);
}

static void *as_state(const void *row)
{
    union {
        const void *in;
        void *out;
    } state = {row};
    return state.out;
}

int main(void)
{
    struct CMUnitTest tests[DC_ARRAY_LEN(folders) + DC_ARRAY_LEN(rows) + 2];
    size_t n = 0;
    memset(tests, 0, sizeof tests);
    for (size_t i = 0; i < DC_ARRAY_LEN(folders); i++, n++) {
        tests[n].name = folders[i].name;
        tests[n].test_func = run_folder;
        tests[n].initial_state = as_state(&folders[i]);
    }
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++, n++) {
        tests[n].name = rows[i].label;
        tests[n].test_func = run_row;
        tests[n].initial_state = as_state(&rows[i]);
    }
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(maps_in_json);
    tests[n++] = (struct CMUnitTest)cmocka_unit_test(maps_of_any_bytes);
    return _cmocka_run_group_tests("layouts", tests, n, NULL, NULL);
}
