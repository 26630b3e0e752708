/* SPDX-License-Identifier: Apache-2.0
 *
 * Traces in JSON as steps: how each form of argument is written, what is left
 * out, and what is no trace. Expectations are read off the format (TVM's
 * instruction traits: the order of the Python interface), not off our output.
 */
#include "schedule/recorded/recorded.h"
#include "tests/test.h"

#include <string.h>

static bool read_trace(const char *text, struct schedule_steps *steps,
                       struct buf *message)
{
    struct diag_sink *sink = diag_sink_new();
    bool good = schedule_steps_read(text, strlen(text), "trace", sink, steps);
    assert_true(good == (diag_error_count(sink) == 0));
    if (!good)
        buf_puts(message, diag_at(sink, 0)->message);
    diag_sink_free(sink);
    return good;
}

#define B0 "[\"GetSBlock\",[],[\"C\",\"main\"],[\"b0\"]],"
#define L3 "[\"GetLoops\",[\"b0\"],[],[\"l1\",\"l2\",\"l3\"]],"

/* A trace, and the last of the steps that it is. */
static const struct {
    const char *trace, *want;
} forms[] = {
    {"[[[\"GetBlock\",[],[\"C\",\"main\"],[\"b0\"]]],[]]",
     "b0 = get_block \"C\" \"main\""},
    {"[[" B0 "[\"GetLoops\",[\"b0\"],[],[\"l1\",\"l2\"]]],[]]",
     "l1, l2 = get_loops b0"},
    {"[[" B0 L3 "[\"Split\",[\"l1\",\"None\",32],[1],[\"l4\",\"l5\"]]],[]]",
     "l4, l5 = split l1 None 32"},
    /* flags that are not TVM's defaults */
    {"[[" B0 L3 "[\"Split\",[\"l1\",\"None\",32],[1,1],[\"l4\",\"l5\"]]],[]]",
     "l4, l5 = split l1 [None 32] 1 1"},
    {"[[" B0 L3
     "[\"Split\",[\"l1\",\"None\",32],[0,false],[\"l4\",\"l5\"]]],[]]",
     "l4, l5 = split l1 [None 32] 0"},
    {"[[" B0 L3 "[\"Fuse\",[\"l1\",\"l2\"],[true],[\"l4\"]]],[]]",
     "l4 = fuse l1 l2"},
    {"[[" B0 L3 "[\"Fuse\",[\"l1\",\"l2\"],[0],[\"l4\"]]],[]]",
     "l4 = fuse [l1 l2] 0"},
    {"[[" B0 L3 "[\"Reorder\",[\"l3\",\"l1\"],[],[]]],[]]", "reorder l3 l1"},
    {"[[" B0 L3 "[\"Bind\",[\"l1\"],[\"threadIdx.x\"],[]]],[]]",
     "bind l1 \"threadIdx.x\""},
    {"[[" B0 "[\"CacheRead\",[\"b0\",[]],[0,\"shared\"],[\"b1\"]]],[]]",
     "b1 = cache_read b0 0 \"shared\""},
    {"[[" B0 "[\"CacheRead\",[\"b0\",[\"b0\"]],[0,\"shared\"],[\"b1\"]]],[]]",
     "b1 = cache_read b0 0 \"shared\" [b0]"},
    /* 0.8 and 0.9: no consumers, no index */
    {"[[" B0 "[\"CacheRead\",[\"b0\"],[0,\"shared\"],[\"b1\"]]],[]]",
     "b1 = cache_read b0 0 \"shared\""},
    {"[[" B0 L3 "[\"ComputeAt\",[\"b0\",\"l1\"],[1],[]]],[]]",
     "compute_at b0 l1 1"},
    {"[[" B0 L3 "[\"ComputeAt\",[\"b0\",\"l1\"],[0,-1],[]]],[]]",
     "compute_at b0 l1"},
    {"[[" B0 L3 "[\"ComputeAt\",[\"b0\",\"l1\"],[0,-2],[]]],[]]",
     "compute_at b0 l1 0 -2"},
    {"[[" B0 "[\"Annotate\",[\"b0\",\"\\\"SSRSRS\\\"\"],[\"tile\"],[]]],[]]",
     "annotate b0 \"tile\" \"SSRSRS\""},
    {"[[" B0 "[\"Annotate\",[\"b0\",[0,0,1]],[\"stage\"],[]]],[]]",
     "annotate b0 \"stage\" [0 0 1]"},
    {"[[" B0 "[\"Annotate\",[\"b0\",\"\\\"a\\\\\\\"b\\\"\"],[\"k\"],[]]],[]]",
     "annotate b0 \"k\" \"a\\\"b\""},
    {"[[" B0 "[\"EnterPostproc\",[],[],[]]],[]]", "enter_postproc"},
    {"[[" B0
     "[\"TransformBlockLayout\",[\"b0\"],[\"{\\n \\\"x\\\"}\"],[]]],[]]",
     "transform_block_layout b0 \"{\\n \\\"x\\\"}\""},
    {"[[" B0 L3 "[\"Blockize\",[\"l1\"],[1],[\"b4\"]]],[]]",
     "b4 = blockize l1"},
    {"[[" B0 L3 "[\"Tensorize\",[\"l1\"],[\"wmma\",0],[]]],[]]",
     "tensorize l1 \"wmma\" 0"},
    /* what draws numbers stands where it is used */
    {"[[" B0 L3 "[\"SamplePerfectTile\",[\"l1\"],[2,64],[\"v4\",\"v5\"]],"
     "[\"Split\",[\"l1\",\"v4\",\"v5\"],[1],[\"l6\",\"l7\"]]],"
     "[[2,[8,16]]]]",
     "l6, l7 = split l1 8 16"},
    {"[[" B0 "[\"SampleCategorical\",[],[[16,64],[0.5,0.5]],[\"v1\"]],"
     "[\"Annotate\",[\"b0\",\"v1\"],[\"unroll\"],[]]],[[1,1]]]",
     "annotate b0 \"unroll\" 64"},
    {"[[" B0 "[\"SampleComputeLocation\",[\"b0\"],[],[\"l1\"]]],[[1,-2]]]",
     "l1 = sample_compute_location b0 -2"},
    /* the record of a database, and what keeps the trace in an object */
    {"[7,[[[" B0 "[\"Unannotate\",[\"b0\"],[\"k\"],[]]],[]],[0.5],null,[]]]",
     "unannotate b0 \"k\""},
    {"{\"trace\":[[" B0 "[\"Unannotate\",[\"b0\"],[\"k\"],[]]],[]]}",
     "unannotate b0 \"k\""},
    /* steps as they are written for tensor expressions */
    {"n, h = s[C].op.axis\n", "n, h = get_axes s.C \"spatial\""},
    {"k, = s[C].op.reduce_axis # terms\n", "k, = get_axes s.C \"reduce\""},
    {"a, b = s[C].split(x, factor=8)\n", "a, b = split x None 8"},
    {"a, b = s[C].split(x, 8)\n", "a, b = split x None 8"},
    {"a, b = s[C].split(x, nparts = 8)\n", "a, b = split x 8 None"},
    {"a, b, c, d = s[C].tile(x, y, 4, 8)\n", "reorder a b c d"},
    {"f = s[C].fuse(a, b)\n", "f = fuse a b"},
    {"s[C].reorder(a, b)\n", "reorder a b"},
    {"s[C].vectorize(C.op.axis[1])\n", "vectorize C.axis.1"},
    {"s[C].vectorize(s[C].op.reduce_axis[0])\n", "vectorize C.reduce_axis.0"},
    {"s[C].bind(a, te.thread_axis(\"threadIdx.x\"))\n",
     "bind a \"threadIdx.x\""},
    {"s[C].bind(a, 'x\"y\\z')\n", "bind a \"x\\\"y\\\\z\""},
    {"s[C].compute_inline()\n", "compute_inline s.C"},
    {"s[B].compute_at(s[C], a)\n", "compute_at s.B a"},
    /* steps as text */
    {"# a comment\n\n  b = get_block \"C\"\n", "b = get_block \"C\""},
};

static void instructions_become_steps(void **state)
{
    (void)state;
    for (size_t i = 0; i < DC_ARRAY_LEN(forms); i++) {
        struct schedule_steps steps = {0};
        struct buf message = {0};
        if (!read_trace(forms[i].trace, &steps, &message))
            fail_msg("%s: %s", forms[i].want, buf_text(&message));
        assert_true(steps.n > 0);
        assert_string_equal(steps.items[steps.n - 1].text, forms[i].want);
        schedule_steps_fini(&steps);
        buf_fini(&message);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *trace, *want;
    } rows[] = {
        {"", "holds no steps"},
        {"\xff\xfe", "neither a trace in JSON nor steps"},
        {"s[C].frobnicate()\n", "'frobnicate' is no step that is known"},
        {"s[C].split(x)\n", "split takes an axis and factor= or nparts="},
        {"s[C].split(x, factor=2, nparts=2)\n", "split takes an axis"},
        {"a, b, c = s[C].tile(x, y, 4, 8)\n", "tile gives four axes"},
        {"s[C].reorder(a b)\n", "expected a comma"},
        {"s[C].reorder(a; b)\n", "expected a comma"},
        {"s[C].reorder(+)\n", "argument 1 is no axis"},
        {"s[C].reorder\n", "expected arguments"},
        {"s[C].unroll(a) s[C].unroll(b)\n", "more than one step"},
        {"s[C].unroll(a)\nb = get_block \"C\"\n", "expected s[STAGE]"},
        {"[1,2,3]", "expected a trace"},
        {"[[1],[]]", "instruction 0: expected [kind, inputs"},
        {"[[[\"GetBlock\",[],[\"C\"],[\"b0\"]]],[]]",
         "instruction 0 GetBlock: attribute 1 is missing"},
        {"[[[\"Frobnicate\",[],[],[]]],[]]",
         "instruction 0 Frobnicate: no instruction of TVM"},
        {"[[[\"GetLoops\",[\"b0\"],[],[\"l1\"]]],[]]",
         "'b0' is no output of an earlier one"},
        {"[[" B0 "[\"GetLoops\",[\"b0\"],[],[\"b0\"]]],[]]",
         "'b0' is an output already"},
        {"[[" B0 "[\"GetLoops\",[\"b0\"],[],[\"x\"]]],[]]", "expected outputs"},
        {"[[" B0 "[\"GetLoops\",[\"b0\"],[],[\"l999999999999\"]]],[]]",
         "expected outputs"},
        {"[[[\"SampleCategorical\",[],[[1],[1]],[\"v0\"]]],[]]",
         "no decision for it"},
        {"[[[\"SampleCategorical\",[],[[1],[1]],[\"v0\"]]],[[0,1]]]",
         "index of no candidate"},
        {"[[[\"SampleCategorical\",[],[[\"x\"],[1]],[\"v0\"]]],[[0,0]]]",
         "no whole number"},
        {"[[" B0 "[\"SamplePerfectTile\",[\"b0\"],[2,64],[\"v4\",\"v5\"]]],"
         "[[1,[8]]]]",
         "not one number for each output"},
        {"[[" B0 "[\"Unannotate\",[\"b0\"],[\"k\"],[]]],[[9,1]]]",
         "expected decisions"},
        {"[[" B0 "[\"Annotate\",[\"b0\",{}],[\"k\"],[]]],[]]",
         "found an object"},
        {"[[" B0 "[\"Annotate\",[\"b0\",[[[[[[[[[1]]]]]]]]]],[\"k\"],[]]],[]]",
         "nested more than"},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct schedule_steps steps = {0};
        struct buf message = {0};
        if (read_trace(rows[i].trace, &steps, &message))
            fail_msg("%s is a trace", rows[i].trace);
        if (!strstr(buf_text(&message), rows[i].want))
            fail_msg("no '%s' in '%s'", rows[i].want, buf_text(&message));
        schedule_steps_fini(&steps);
        buf_fini(&message);
    }
}

/* A text broken off anywhere is no trace, and does no harm. */
static void parts_are_refused(void **state)
{
    (void)state;
    static const char whole[] =
        "[[" B0 L3 "[\"SamplePerfectTile\",[\"l1\"],[2,64],[\"v4\",\"v5\"]],"
        "[\"Split\",[\"l1\",\"v4\",\"v5\"],[1],[\"l6\",\"l7\"]]],[[2,[8,16]]]]";
    for (size_t n = 0; n + 1 < sizeof whole; n++) {
        struct schedule_steps steps = {0};
        struct diag_sink *sink = diag_sink_new();
        assert_false(schedule_steps_read(whole, n, "part", sink, &steps));
        assert_true(diag_error_count(sink) > 0);
        diag_sink_free(sink);
        schedule_steps_fini(&steps);
    }
}

/* The same of a line that is no JSON: it may be a line, and does no harm. */
static void parts_of_lines(void **state)
{
    (void)state;
    static const char whole[] =
        "a, b, c, d = s[C].tile(C.op.axis[0], x, y_factor=4, x_factor=\"8\")\n"
        "s[C].bind(a, te.thread_axis(\"threadIdx.x\"))\n";
    for (size_t n = 0; n < sizeof whole; n++)
        for (int odd = 0; odd < 256; odd += 5) {
            char text[sizeof whole];
            struct schedule_steps steps = {0};
            struct diag_sink *sink = diag_sink_new();
            memcpy(text, whole, sizeof text);
            text[n] = (char)odd;
            bool good = schedule_steps_read(text, n + 1, "part", sink, &steps);
            assert_true(good == (diag_error_count(sink) == 0));
            diag_sink_free(sink);
            schedule_steps_fini(&steps);
        }
}

/* What is said of a refused step names what took a loop away. */
static void advice_is_given(void **state)
{
    (void)state;
    static const struct {
        const char *steps, *message, *want; /* NULL: nothing to say */
    } rows[] = {
        {"a, b = split i 2 None\nvectorize i", "loop 'i' is not there any more",
         "step 1, 'a, b = split i 2 None', took it away: use what"},
        {"l = get_loops b\ncompute_inline b\nparallel l",
         "loop 'l' is not there any more", "has no loops of its own"},
        /* not what was given anew, nor what only reads alike */
        {"i = fuse i j\nvectorize i", "loop 'i' is not there any more", NULL},
        {"a, b = split ii 2 None\nvectorize i",
         "loop 'i' is not there any more", NULL},
        {"\"C\" = get_x \"C\"\nvectorize \"C\"", "is not there any more", NULL},
        {"compute_inline b", "buffer 'C' is an output of the scope",
         "an output cannot be inlined"},
        {"x = frobnicate b", "something", NULL},
    };
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct schedule_steps steps = {0};
        struct buf message = {0}, out = {0};
        assert_true(read_trace(rows[i].steps, &steps, &message));
        bool said =
            schedule_steps_advise(&steps, steps.n - 1, rows[i].message, &out);
        assert_true(said == (rows[i].want != NULL));
        if (said && !strstr(buf_text(&out), rows[i].want))
            fail_msg("no '%s' in '%s'", rows[i].want, buf_text(&out));
        buf_fini(&message);
        buf_fini(&out);
        schedule_steps_fini(&steps);
    }
}

static const char program[] = "from tvm.script import tirx as T\n\n"
                              "@T.prim_func(s_tir=True)\n"
                              "def main(A: T.Buffer((64,), \"float32\"), "
                              "C: T.Buffer((64,), \"float32\")):\n"
                              "    for i in range(64):\n"
                              "        with T.sblock(\"C\"):\n"
                              "            vi = T.axis.spatial(64, i)\n"
                              "            C[vi] = A[vi]\n";

static bool stop_at(void *user, size_t step)
{
    return step != *(size_t *)user;
}

static void a_run_tells_where_it_ends(void **state)
{
    (void)state;
    static const char text[] = "b = get_block \"C\" \"main\"\n"
                               "i, = get_loops b\n"
                               "enter_postproc\n"
                               "i0, i1 = split i 8 8\n"
                               "vectorize i1\n"
                               "parallel i\n"
                               "unroll i0\n";
    struct diag_sink *sink = diag_sink_new();
    struct schedule_steps steps = {0};
    bool skip[7] = {false, false, false, false, false, true, false};
    struct ir_module *m = ir_read(program, strlen(program), "test", sink);
    assert_non_null(m);
    assert_true(ir_wellformed(m, sink));
    assert_true(schedule_steps_read(text, strlen(text), "steps", sink, &steps));
    assert_int_equal(steps.n, 7);
    assert_int_equal(steps.items[5].line, 6);
    struct schedule *s = schedule_new(m, NULL, sink);
    assert_int_equal(schedule_steps_run(s, &steps, NULL, NULL, NULL), 5);
    assert_int_equal(schedule_why(s), SCHEDULE_BAD_REQUEST);
    assert_non_null(strstr(schedule_message(s), "'i' is not there"));
    schedule_free(s);
    s = schedule_new(m, NULL, sink);
    assert_int_equal(schedule_steps_run(s, &steps, skip, NULL, NULL), 7);
    assert_int_equal(schedule_why(s), SCHEDULE_DONE);
    schedule_free(s);
    size_t last = 3;
    s = schedule_new(m, NULL, sink);
    assert_int_equal(schedule_steps_run(s, &steps, NULL, stop_at, &last), 3);
    schedule_free(s);
    ir_module_free(m);
    schedule_steps_fini(&steps);
    diag_sink_free(sink);
}

/* Steps beyond a count are no trace; lines beyond the work allowed are refused. */
static void too_many_steps(void **state)
{
    (void)state;
    struct buf text = {0}, trace = {0}, deep = {0}, message = {0};
    struct schedule_steps steps = {0};
    struct diag_sink *sink = diag_sink_new();
    for (int i = 0; i < 20001; i++) {
        buf_puts(&text, "enter_postproc\n");
        buf_printf(&trace, "%s[\"EnterPostproc\",[],[],[]]", i ? "," : "[[");
    }
    buf_puts(&trace, "],[]]");
    assert_false(read_trace(buf_text(&text), &steps, &message));
    assert_non_null(strstr(buf_text(&message), "more than 20000 steps"));
    schedule_steps_fini(&steps);
    message.len = 0;
    assert_false(read_trace(buf_text(&trace), &steps, &message));
    assert_non_null(strstr(buf_text(&message), "more than 20000 steps"));
    schedule_steps_fini(&steps);
    /* and no depth of calls */
    buf_puts(&deep, "s[C].bind(a, ");
    for (int i = 0; i < 1000000; i++)
        buf_puts(&deep, "te.thread_axis(");
    message.len = 0;
    assert_false(read_trace(buf_text(&deep), &steps, &message));
    assert_non_null(strstr(buf_text(&message), "argument 2 is no axis"));
    schedule_steps_fini(&steps);
    struct ir_module *m = ir_read(program, strlen(program), "test", sink);
    struct schedule *s = schedule_new(m, NULL, sink);
    struct schedule_names *names = schedule_names_new();
    schedule_set_limit(s, 3u * schedule_module(s)->funcs[0]->prim.body->size);
    assert_true(schedule_run_line(s, names, "b = get_block \"C\""));
    assert_true(schedule_run_line(s, names, "i, = get_loops b"));
    assert_false(schedule_run_line(s, names, "unroll i"));
    assert_int_equal(schedule_why(s), SCHEDULE_UNSUPPORTED);
    assert_non_null(strstr(schedule_message(s), "too many together"));
    schedule_names_free(names);
    schedule_free(s);
    ir_module_free(m);
    diag_sink_free(sink);
    buf_fini(&text);
    buf_fini(&trace);
    buf_fini(&deep);
    buf_fini(&message);
}

/* Strings of steps hold any character. */
static void strings_are_unescaped(void **state)
{
    (void)state;
    static const struct {
        const char *line, *want;
    } rows[] = {
        {"b = get_block \"C\"", ""},
        {"b = get_block \"\\x43\"", ""},
        {"b = get_block \"C\\n\"", "no block is called 'C\n'"},
        {"b = get_block \"a\\\"b\\\\\"", "no block is called 'a\"b\\'"},
        {"b = get_block \"C\\\"", "a string that does not end"},
        {"b = get_block \"\\q\"", "an escape"},
        {"b = get_block \"\\x00\"", "an escape"},
        {"b = get_block \"C\" \"other\"", "the function is called 'main'"},
        {"b = get_nothing \"C\"", "no primitive is called 'get_nothing'"},
        {"split [", "a list that does not end"},
        {"split ]", "where no list began"},
        {"split [[[[[[[[[1]]]]]]]]]", "nested more than"},
    };
    struct diag_sink *sink = diag_sink_new();
    struct ir_module *m = ir_read(program, strlen(program), "test", sink);
    assert_non_null(m);
    for (size_t i = 0; i < DC_ARRAY_LEN(rows); i++) {
        struct schedule_names *names = schedule_names_new();
        struct schedule *s = schedule_new(m, NULL, sink);
        bool done = schedule_run_line(s, names, rows[i].line);
        assert_true(done == (rows[i].want[0] == '\0'));
        if (!strstr(schedule_message(s), rows[i].want))
            fail_msg("%s: %s", rows[i].line, schedule_message(s));
        schedule_free(s);
        schedule_names_free(names);
    }
    ir_module_free(m);
    diag_sink_free(sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_become_steps),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(parts_are_refused),
        cmocka_unit_test(parts_of_lines),
        cmocka_unit_test(advice_is_given),
        cmocka_unit_test(a_run_tells_where_it_ends),
        cmocka_unit_test(too_many_steps),
        cmocka_unit_test(strings_are_unescaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
